/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/utf8.h"
#include "reports/table/table_paper.h"

#define MAX_TEXT 256

/* Bytes of which every other text has something special. */
static void random_text(spot_rng_t *rng, char text[MAX_TEXT])
{
    static const char *const pieces[] = {"\\", "&", "%", "$", "#", "_", "{", "}", "~", "^", "<",
        ">", "|", "\"", "'", "`", "-", "[", "]", "*", "!", "@", "://", "\n", "\t", "\r", "\x7f",
        "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xae", "±", "–", "…", "é", "ð", "漢", "α",
        "\xf0\x9f\x98\x80", "\xff", "\xc3", "\xed\xa0\x80", "\\end{document}", "<script>", "]]>",
        "a", "Z", "0", " ", "&lt;", "\\|"};
    const size_t num_pieces = spot_rng_bits(rng) % 12;

    text[0] = '\0';
    for (size_t j = 0; j < num_pieces; j++) {
        strcat(text, pieces[spot_rng_bits(rng) % (sizeof(pieces) / sizeof(pieces[0]))]);
    }
}

static char *written(void (*write)(FILE *out, const char *text), const char *text)
{
    char *result = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&result, &num_bytes);

    assert_non_null(out);
    write(out, text);
    assert_int_equal(fclose(out), 0);
    return result;
}

static const char *skip_command(const char *text)
{
    const size_t length = strspn(text + 1, "abcdefghijklmnopqrstuvwxyz");

    if (length == 0) {
        return strchr("&%$#_{}", text[1]) != NULL && text[1] != '\0' ? text + 2 : NULL;
    }
    return strncmp(text + 1 + length, "{}", 2) == 0 ? text + 1 + length + 2 : NULL;
}

/* Mathematics: one sign. */
static const char *skip_formula(const char *text)
{
    const char *end = strchr(text + 1, '$');

    return end != NULL && end - text < 16 && memchr(text, ' ', (size_t) (end - text)) == NULL
               ? end + 1
               : NULL;
}

/* What pdflatex makes of a text: nothing but letters, escaped specials, commands without
 * arguments, and groups that are closed; NULL, or where it stumbles. */
static const char *stumbles(const char *text)
{
    int depth = 0;

    while (*text != '\0') {
        const char *next = text + 1;

        if (*text == '\\') {
            next = skip_command(text);
        } else if (*text == '$') {
            next = skip_formula(text);
        } else if (*text == '{' || *text == '}') {
            depth += *text == '{' ? 1 : -1;
        } else if (*text == '\xc3') {
            next = (unsigned char) text[1] >= 0x80 ? text + 2 : NULL;
        } else if (strchr("&%#_^~\"|<>", *text) != NULL || (signed char) *text < 0x20) {
            next = NULL;
        }
        if (next == NULL || depth < 0 || depth > 1) {
            return text;
        }
        text = next;
    }
    return depth == 0 ? NULL : text;
}

static void test_latex_never_stumbles(void **state)
{
    spot_rng_t rng;
    char text[MAX_TEXT];

    (void) state;
    assert_ptr_not_equal(stumbles("50 %"), NULL);
    assert_ptr_not_equal(stumbles("\\end{document}"), NULL);
    assert_ptr_not_equal(stumbles("}"), NULL);
    spot_rng_seek(&rng, 7, 0, 0, 0);
    for (int j = 0; j < 20000; j++) {
        char *latex;
        const char *place;

        random_text(&rng, text);
        latex = written(spot_paper_latex_text, text);
        place = stumbles(latex);
        if (place != NULL) {
            fail_msg("\"%s\" stumbles at \"%s\"", latex, place);
        }
        free(latex);
    }
}

/* What a reader of Markdown shows. */
static void read_markdown(const char *text, char *shown)
{
    static const struct {
        const char *name;
        char byte;
    } entities[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#124;", '|'},
        {"&#64;", '@'}, {"&#58;", ':'}};

    while (*text != '\0') {
        size_t length = 1;
        char byte = *text;

        /* What would be markup, or the end of a cell or line. */
        assert_null(strchr("<>|\"@`*_[]{}#!~$\n\r\t", byte));
        if (byte == '\\') {
            assert_non_null(strchr("\\`*_{}[]#!~$", text[1]));
            byte = text[1];
            length = 2;
        } else if (byte == '&') {
            length = 0;
            for (size_t j = 0; j < sizeof(entities) / sizeof(entities[0]); j++) {
                if (strncmp(text, entities[j].name, strlen(entities[j].name)) == 0) {
                    length = strlen(entities[j].name);
                    byte = entities[j].byte;
                }
            }
            assert_true(length > 0);
        }
        *shown++ = byte;
        text += length;
    }
    *shown = '\0';
}

/* What is to be shown of a text, character by character. */
static void expect_shown(const char *text, char *shown)
{
    while (*text != '\0') {
        size_t length = spot_utf8_length(text, strlen(text));
        const unsigned char *bytes = (const unsigned char *) text;

        if (length == 0) {
            shown += sprintf(shown, "\xef\xbf\xbd");
            length = 1;
        } else if (*bytes < 0x20 || *bytes == 0x7f || (*bytes == 0xc2 && bytes[1] < 0xa0) ||
                   strncmp(text, "\xe2\x80\xa8", 3) == 0 || strncmp(text, "\xe2\x80\xae", 3) == 0) {
            *shown++ = ' ';
        } else {
            memcpy(shown, text, length);
            shown += length;
        }
        text += length;
    }
    *shown = '\0';
}

static void test_markdown_shows_the_text(void **state)
{
    spot_rng_t rng;
    char text[MAX_TEXT], shown[4 * MAX_TEXT], expected[4 * MAX_TEXT];

    (void) state;
    spot_rng_seek(&rng, 8, 0, 0, 0);
    for (int j = 0; j < 20000; j++) {
        char *markdown;

        random_text(&rng, text);
        markdown = written(spot_paper_markdown_text, text);
        assert_null(strstr(markdown, "://"));
        read_markdown(markdown, shown);
        expect_shown(text, expected);
        assert_string_equal(shown, expected);
        free(markdown);
    }
}

static void test_spellings(void **state)
{
    static const char *const cases[][3] = {
        {"50 % of A&B_1", "50 \\% of A\\&B\\_1", "50 % of A&amp;B\\_1"},
        {"C:\\x", "C:\\textbackslash{}x", "C:\\\\x"},
        {"±–é", "$\\pm$\\textendash{}é", "±–é"},
        {"漢\xff", "{U+6F22}{U+FFFD}", "漢\xef\xbf\xbd"},
        {"a--b''c", "a-{-}b'{'}c", "a--b''c"},
        {"[x] *", "{[}x{]} {*}", "\\[x\\] \\*"},
        {"<b>\n|", "\\textless{}b\\textgreater{} \\textbar{}", "&lt;b&gt; &#124;"},
        {"http://x", "http://x", "http&#58;//x"},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        char *latex = written(spot_paper_latex_text, cases[j][0]);
        char *markdown = written(spot_paper_markdown_text, cases[j][0]);

        assert_string_equal(latex, cases[j][1]);
        assert_string_equal(markdown, cases[j][2]);
        free(latex);
        free(markdown);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_latex_never_stumbles),
        cmocka_unit_test(test_markdown_shows_the_text),
        cmocka_unit_test(test_spellings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
