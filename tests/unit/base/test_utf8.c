/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/utf8.h"

/* The bytes that UTF-8 would use, also for what it must not encode. */
static size_t encode(uint32_t code, size_t num_bytes, char bytes[4])
{
    static const unsigned head[] = {0, 0x00, 0xc0, 0xe0, 0xf0};

    for (size_t j = num_bytes; j > 1; j--) {
        bytes[j - 1] = (char) (0x80 | (code & 0x3f));
        code >>= 6;
    }
    bytes[0] = (char) (head[num_bytes] | code);
    return num_bytes;
}

static size_t num_bytes_of(uint32_t code)
{
    return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

static void test_every_character_is_accepted_and_no_surrogate(void **state)
{
    char bytes[4];

    (void) state;
    for (uint32_t code = 0; code <= 0x10ffff; code++) {
        const size_t length = encode(code, num_bytes_of(code), bytes);
        const int is_surrogate = code >= 0xd800 && code <= 0xdfff;

        if (spot_utf8_length(bytes, length) != (is_surrogate ? 0 : length)) {
            fail_msg("U+%04X", (unsigned) code);
        }
    }
}

/* The slow twin: decode as the bits say, then see whether encoding gives them back. */
static size_t reference_length(const char *text, size_t num_bytes)
{
    for (size_t length = 1; length <= 4 && length <= num_bytes; length++) {
        static const unsigned mask[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
        uint32_t code = (unsigned char) text[0] & mask[length];
        char bytes[4];

        for (size_t j = 1; j < length; j++) {
            code = code << 6 | ((unsigned char) text[j] & 0x3f);
        }
        encode(code, length, bytes);
        if (memcmp(bytes, text, length) == 0 && num_bytes_of(code) == length && code <= 0x10ffff &&
            (code < 0xd800 || code > 0xdfff)) {
            return length;
        }
    }
    return 0;
}

/* All sequences of the bytes at which table 3-7 changes its mind, cut anywhere. */
static void test_sequences_agree_with_a_slow_decoder(void **state)
{
    static const unsigned char edges[] = {0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf,
        0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5,
        0xff};
    const size_t num_edges = sizeof(edges);
    const size_t num_texts = num_edges * num_edges * num_edges * num_edges;

    (void) state;
    for (size_t text_id = 0; text_id < num_texts; text_id++) {
        char text[4];

        for (size_t j = 0, rest = text_id; j < 4; j++, rest /= num_edges) {
            text[j] = (char) edges[rest % num_edges];
        }
        for (size_t num_bytes = 0; num_bytes <= 4; num_bytes++) {
            if (spot_utf8_length(text, num_bytes) != reference_length(text, num_bytes)) {
                fail_msg("sequence %zu cut to %zu bytes", text_id, num_bytes);
            }
        }
    }
}

static void test_known_ill_formed_sequences_are_refused(void **state)
{
    (void) state;
    assert_int_equal(spot_utf8_length("", 0), 0);
    assert_int_equal(spot_utf8_length("\x80", 1), 0);             /* continuation */
    assert_int_equal(spot_utf8_length("\xc0\xaf", 2), 0);         /* overlong "/" */
    assert_int_equal(spot_utf8_length("\xe0\x80\xaf", 3), 0);     /* the same */
    assert_int_equal(spot_utf8_length("\xf0\x8f\xbf\xbf", 4), 0); /* overlong U+FFFF */
    assert_int_equal(spot_utf8_length("\xed\xa0\x80", 3), 0);     /* U+D800 */
    assert_int_equal(spot_utf8_length("\xf4\x90\x80\x80", 4), 0); /* U+110000 */
    assert_int_equal(spot_utf8_length("\xe2\x82", 2), 0);         /* cut */
    assert_int_equal(spot_utf8_length("\xe2\x82\xac", 3), 3);     /* the euro sign */
}

static void assert_shown(const char *text, const char *expected)
{
    char shown[SPOT_UTF8_SHOWN_BYTES];

    assert_ptr_equal(spot_utf8_shown(text, shown), shown);
    assert_string_equal(shown, expected);
}

static void test_readable_text_is_shown_as_it_is(void **state)
{
    (void) state;
    assert_shown("", "");
    assert_shown("88 s", "88 s");
    assert_shown("\"\\", "\"\\");
    assert_shown("\xc3\xa9t\xc3\xa9 \xe2\x82\xac \xf0\x9f\x99\x82 \xc2\xa0",
        "\xc3\xa9t\xc3\xa9 \xe2\x82\xac \xf0\x9f\x99\x82 \xc2\xa0");
}

/* A terminal must not obey what a file says. */
static void test_controls_and_bad_bytes_are_escaped(void **state)
{
    (void) state;
    assert_shown("\x1b[31m", "\\x1b[31m");
    assert_shown("a\nb\tc\x7f", "a\\x0ab\\x09c\\x7f");
    assert_shown("\xc2\x9b"
                 "31m",
        "\\xc2\\x9b31m");
    assert_shown("\xff\xc3", "\\xff\\xc3");
    assert_shown("\xed\xa0\x80", "\\xed\\xa0\\x80");
}

/* Nor reorder what stands beside it. */
static void test_layout_is_escaped(void **state)
{
    static const unsigned known[] = {0x61c, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202b, 0x202c,
        0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069};
    size_t num_found = 0;

    (void) state;
    assert_shown("a\xe2\x80\xae"
                 "b\xd8\x9c\xe2\x81\xa9",
        "a\\u202eb\\u061c\\u2069");
    for (unsigned code = 0x80; code < 0xd800; code++) {
        const size_t num_bytes = code < 0x800 ? 2 : 3;
        char text[8] = "";

        encode(code, num_bytes, text);
        if (spot_utf8_is_layout(text, num_bytes)) {
            assert_true(num_found < sizeof(known) / sizeof(known[0]));
            assert_int_equal(code, known[num_found]);
            num_found++;
        }
    }
    assert_int_equal(num_found, sizeof(known) / sizeof(known[0]));
    assert_false(spot_utf8_is_layout("a", 1));
    assert_false(spot_utf8_is_layout("", 0));
}

static void test_long_text_is_cut_between_characters(void **state)
{
    char text[122] = "", expected[124] = "";

    (void) state;
    for (int j = 0; j < 40; j++) {
        encode(0x20ac, 3, text + 3 * j);
    }
    assert_shown(text, text);
    memcpy(expected, text, 120);
    memcpy(expected + 120, "...", 4);
    text[120] = 'x';
    assert_shown(text, expected);
}

static void test_the_longest_output_fits(void **state)
{
    char text[83] = "", shown[SPOT_UTF8_SHOWN_BYTES];

    (void) state;
    for (int j = 0; j < 41; j++) {
        encode(0x80, 2, text + 2 * j);
    }
    assert_int_equal(strlen(spot_utf8_shown(text, shown)), 40 * 8 + 3);
}

static void test_characters_are_counted(void **state)
{
    static const char text[] = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z";

    (void) state;
    assert_int_equal(spot_utf8_count(text, 0), 0);
    assert_int_equal(spot_utf8_count(text, 1), 1);
    assert_int_equal(spot_utf8_count(text, 3), 2);
    assert_int_equal(spot_utf8_count(text, strlen(text)), 5);
}

static void test_colours_are_taken_off(void **state)
{
    static const char *const texts[][2] = {{"plain", "plain"}, {"", ""},
        {"\x1b[0ma\x1b[1;31mb\x1b[m", "ab"}, {"\x1b[K\x1b[2J", ""},
        {"\x1b]8;;http://a.b/c\x1b\\link\x1b]8;;\x1b\\", "link"}, {"\x1b]0;title\ax", "x"},
        {"\x1b[38;5;200m\xc3\xa9", "\xc3\xa9"}, /* what is cut off, or another one, stays */
        {"a\x1b", "a\x1b"}, {"a\x1b[", "a\x1b["}, {"a\x1b[12", "a\x1b[12"},
        {"a\x1b[1\x01m", "a\x1b[1\x01m"}, {"\x1bMa", "\x1bMa"}, {"\x1b]8;;a", "\x1b]8;;a"},
        {"\x1b]8;;a\x1b", "\x1b]8;;a\x1b"}, {"\x1b]8;;a\x1b[0m", "\x1b]8;;a"}};

    (void) state;
    for (size_t j = 0; j < sizeof(texts) / sizeof(texts[0]); j++) {
        char text[64];

        strcpy(text, texts[j][0]);
        text[spot_utf8_uncolour(text, strlen(text))] = '\0';
        assert_string_equal(text, texts[j][1]);
    }
}

static void test_cuts(void **state)
{
    char text[64] = "äöü-äöü", kept[64] = "four", none[64] = "";

    (void) state;
    spot_utf8_cut(text, 4);
    assert_string_equal(text, "äöü…");
    spot_utf8_cut(kept, 4);
    assert_string_equal(kept, "four");
    spot_utf8_cut(kept, 1);
    assert_string_equal(kept, "…");
    spot_utf8_cut(none, 3);
    assert_string_equal(none, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_every_character_is_accepted_and_no_surrogate),
        cmocka_unit_test(test_sequences_agree_with_a_slow_decoder),
        cmocka_unit_test(test_known_ill_formed_sequences_are_refused),
        cmocka_unit_test(test_readable_text_is_shown_as_it_is),
        cmocka_unit_test(test_controls_and_bad_bytes_are_escaped),
        cmocka_unit_test(test_layout_is_escaped),
        cmocka_unit_test(test_long_text_is_cut_between_characters),
        cmocka_unit_test(test_the_longest_output_fits),
        cmocka_unit_test(test_characters_are_counted),
        cmocka_unit_test(test_colours_are_taken_off),
    };

    return cmocka_run_group_tests_name("utf8", tests, NULL, NULL);
}
