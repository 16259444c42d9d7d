/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers as text and back, against printf and strtod: random ones, and all kinds that are hard.
 * SPOT_TEST_NUMBERS=N tries N random ones of each kind, SPOT_TEST_SEED=S others. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/number.h"
#include "base/rng.h"

#define NUM_RANDOM (1000000 / SPOT_FEWER)

/* What an environment variable says. */
static uint64_t wanted(const char *name, uint64_t usual)
{
    const char *text = getenv(name);

    return text == NULL ? usual : strtoull(text, NULL, 10);
}

static bool are_same(double first, double second)
{
    return memcmp(&first, &second, sizeof(first)) == 0;
}

/* Reading the number at the start of text, whose end is known, is what strtod does. */
static void assert_reads(const char *text, size_t length)
{
    const double expected = strtod(text, NULL);
    double value = 77;
    const char *end = spot_number_read(text, &value);

    if (end != text + length || !are_same(value, expected)) {
        fail_msg("\"%s\" is read as %.17g, expected %.17g", text, value, expected);
    }
    assert_ptr_equal(spot_number_end(text), end);
}

/* The text of a number is that of the loop of printf and strtod, and reads back. */
static void assert_writes(double value)
{
    char text[SPOT_NUMBER_TEXT_BYTES], expected[64];
    const size_t length = spot_number_text(value, text);
    double back = 0;

    for (int num_digits = 15; num_digits <= 17; num_digits++) {
        snprintf(expected, sizeof(expected), "%.*g", num_digits, value);
        if (strtod(expected, NULL) == value) {
            break;
        }
    }
    if (strcmp(text, expected) != 0 || length != strlen(text)) {
        fail_msg("%.17g (%a) is written as %s, expected %s", value, value, text, expected);
    }
    if (isfinite(value)) {
        assert_ptr_equal(spot_number_read(text, &back), text + length);
        assert_true(are_same(back, value));
    }
}

static void assert_writes_around(double value)
{
    assert_writes(value);
    assert_writes(-value);
    assert_writes(nextafter(value, 0));
    assert_writes(nextafter(value, (double) INFINITY));
}

static void assert_text(double value, const char *expected)
{
    char text[SPOT_NUMBER_TEXT_BYTES];

    assert_int_equal(spot_number_text(value, text), strlen(expected));
    assert_string_equal(text, expected);
    assert_writes(value);
}

static void test_texts_are_short(void **state)
{
    (void) state;
    assert_text(0, "0");
    assert_text(-0.0, "-0");
    assert_text(0.1, "0.1");
    assert_text(0.1 + 0.2, "0.30000000000000004");
    assert_text(1.0 / 3, "0.3333333333333333");
    assert_text(0.16338, "0.16338");
    assert_text(0.0001, "0.0001");
    assert_text(0.00001, "1e-05");
    assert_text(-1.5e-7, "-1.5e-07");
    assert_text(1e6, "1000000");
    assert_text(999999999999999, "999999999999999");
    assert_text(1e15, "1e+15");
    assert_text(1234567890123456, "1234567890123456");
    assert_text(1125899906842624.25, "1125899906842624.2"); /* halfway: to even */
    assert_text(1125899906842624.75, "1125899906842624.8");
    assert_text(-1125899906842624.25, "-1125899906842624.2");
    assert_text(12345678901234568, "12345678901234568");
    assert_text(1e22, "1e+22");
    assert_text(1e23, "1e+23");
    assert_text(1.7976931348623157e308, "1.7976931348623157e+308");
    assert_text(-2.2250738585072014e-308, "-2.2250738585072014e-308");
    /* Longer than the shortest, as %.15g and %.17g are. */
    assert_text(5e-324, "4.94065645841247e-324");
    assert_text(0x1p-44, "5.6843418860808015e-14");
    assert_text((double) INFINITY, "inf");
    assert_text(-(double) INFINITY, "-inf");
    assert_text((double) NAN, "nan");
}

/* Powers of two and of ten, their neighbours, subnormals, borders of whole numbers. */
static void test_hard_texts(void **state)
{
    spot_rng_t rng;

    (void) state;
    for (int j = -1074; j <= 1023; j++) {
        assert_writes_around(ldexp(1, j));
        assert_writes_around(ldexp(3, j - 1));
    }
    for (int j = -323; j <= 308; j++) {
        char text[16];

        for (int k = 1; k < 10; k++) {
            snprintf(text, sizeof(text), "%de%d", k, j);
            assert_writes_around(strtod(text, NULL));
        }
    }
    spot_rng_seek(&rng, 3, 0, SPOT_STREAM_GAP, 0);
    for (int j = 0; j < 20000; j++) {
        const uint64_t bits = spot_rng_bits(&rng);

        assert_writes(ldexp((double) (bits >> (12 + bits % 52)), -1074)); /* subnormal */
        assert_writes((double) (bits >> (bits % 64)));                    /* whole */
        assert_writes((double) ((UINT64_C(1) << 53) - 500 + bits % 1000));
        assert_writes(1e15 - 500 + (double) (bits % 1000));
        assert_writes(1e16 - 500 + (double) (bits % 1000));
        assert_writes(ldexp((double) (bits >> 11 | UINT64_C(1) << 52), -(int) (bits % 7)));
    }
}

static void assert_reads_all(const char *text)
{
    assert_reads(text, strlen(text));
}

/* Decimals at and beside halfway between two doubles, with as many digits as are needed to say so
 * and with fewer. */
static void assert_reads_halfway(double value)
{
    const double next = nextafter(value, (double) INFINITY);
    const long double half = (long double) value / 2 + (long double) next / 2;
    char text[1200];

    assert_true(LDBL_MANT_DIG > DBL_MANT_DIG + 1);
    for (int num_digits = 14; num_digits < 21; num_digits++) {
        snprintf(text, sizeof(text), "%.*Le", num_digits, half);
        assert_reads_all(text);
    }
    snprintf(text, sizeof(text), "%.1100Le", half);
    assert_reads_all(text);
    text[1100] = text[1100] == '9' ? '8' : '9';
    assert_reads_all(text);
}

static void test_hard_readings(void **state)
{
    static const char *const texts[] = {"9007199254740993", "9007199254740992.999999999999",
        "9007199254740993.0000000000000000000000000000001", "9007199254740995", "9007199254740997",
        "1.00000000000000011102230246251565404236316680908203125",
        "1.00000000000000011102230246251565404236316680908203124",
        "1.00000000000000011102230246251565404236316680908203126", "2.2250738585072011e-308",
        "2.2250738585072012e-308", "2.225073858507201136057409796709131975934819546351645648e-308",
        "2.22507385850720212418870147920222032907240528279439037814303133837435107319244e-308",
        "5e-324", "4.9406564584124654e-324", "2.4703282292062327e-324", "2.4703282292062328e-324",
        "2.47032822920623272e-324", "1.7976931348623157e308", "1.7976931348623158e308",
        "1.797693134862315807e308", "1.797693134862315808e308", "1.8e308", "1e309", "-1e309",
        "1e-400", "-1e-400", "0e999999999999999999999", "1e99999999999999999999",
        "1e-99999999999999999999", "1e23", "8.5e22", "9.5367431640625e-7", "6631600004e-20",
        "4.3e-15", "12345678901234567890", "123456789012345678901234567890e-10",
        "18446744073709551615", "18446744073709551616", "9999999999999999999", "0.1", "-0", "+.5",
        "-.5E+2", "00000000000000000000000000000000001", "0.00000000000000000000000000000000001",
        "00000000000000000000000000.1234567890123456789", "1234567890.123456789", "1.5e+0000000003",
        "1234567890.1234567890123456789", "69e+267", "999e-026", "7861e-034", "75569e-254",
        "928609e-261", "9210917e+080", "84863171e+114", "653777767e+273", "5232604057e-298",
        "27235667517e-109", "653532977297e-123", "3142213164987e-294", "46202199371337e-072",
        "231010996856685e-073", "9324754620109615e+212", "78459735791271921e+049",
        "272104041512242479e+200", "6802601037806061975e+198", "20505426358836677347e-221",
        "836168422905420598437e-234", "4891559871276714924261e+222", "5e-20", "67e+14", "985e+15",
        "1e-348", "123e-350", "9999999999999999999e-349", "1e-342", "1e-343"};
    spot_rng_t rng;

    (void) state;
    for (size_t j = 0; j < sizeof(texts) / sizeof(texts[0]); j++) {
        assert_reads_all(texts[j]);
    }
    spot_rng_seek(&rng, 4, 0, SPOT_STREAM_GAP, 0);
    for (int j = 0; j < 20000 / SPOT_FEWER; j++) {
        const uint64_t bits = spot_rng_bits(&rng) & INT64_MAX;
        double value;

        memcpy(&value, &bits, sizeof(value));
        if (isfinite(value) && value < DBL_MAX) {
            assert_reads_halfway(value);
        }
        assert_reads_halfway((double) (bits >> (bits % 60)));
        assert_reads_halfway(ldexp((double) (bits >> 11), -1074 + (int) (bits % 9)));
    }
    for (int j = -1074; j < 1023; j++) {
        assert_reads_halfway(ldexp(1, j));
        assert_reads_halfway(nextafter(ldexp(1, j), 0));
    }
}

/* Random bits, so that all exponents are met; decimals of all lengths at all sizes. */
static void test_random_numbers(void **state)
{
    const uint64_t num = wanted("SPOT_TEST_NUMBERS", NUM_RANDOM);
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, wanted("SPOT_TEST_SEED", 2), 0, SPOT_STREAM_GAP, 0);
    for (uint64_t j = 0; j < num; j++) {
        const uint64_t bits = spot_rng_bits(&rng), more = spot_rng_bits(&rng);
        char text[64];
        double value;

        memcpy(&value, &bits, sizeof(value));
        if (!isnan(value)) {
            assert_writes(value);
        }
        assert_reads(text, (size_t) snprintf(text, sizeof(text), "%" PRIu64 "e%d",
                               bits >> (more % 64), (int) (more >> 8) % 345));
        assert_reads(text, (size_t) snprintf(text, sizeof(text), "%s%u.%0*u", j % 2 == 0 ? "-" : "",
                               (unsigned) (bits >> (32 + more % 32)), (int) (more >> 8 & 7),
                               (unsigned) (bits & 0xffff)));
        assert_writes(strtod(text, NULL));
    }
}

static void test_only_strict_numbers(void **state)
{
    static const char *const bad[] = {"", " 1", "1 ", "1,5", "0x10", "1e", "1e+", "e5", ".", "-.",
        ".e5", "5.", "5.e1", "1..5", ".5.", "nan", "inf", "-inf", "1e309", "-1e309", "1_000", "+-1",
        "1.5.2", "1f"};
    static const char *const zeros[] = {"0", "-0", "-.0", "-0e9", "-1e-400"};
    double value = 77;

    (void) state;
    for (size_t j = 0; j < sizeof(bad) / sizeof(bad[0]); j++) {
        assert_int_equal(spot_number_parse(bad[j], &value), SPOT_ERR_BAD_INPUT);
    }
    assert_true(value == 77);
    assert_int_equal(spot_number_parse("-12.5e-1", &value), 0);
    assert_true(value == -1.25);
    assert_int_equal(spot_number_parse("1.7976931348623157e308", &value), 0);
    assert_true(value == 1.7976931348623157e308);
    assert_int_equal(spot_number_parse("5e-324", &value), 0);
    assert_true(value == 0x1p-1074);
    assert_int_equal(spot_number_parse("010", &value), 0);
    assert_true(value == 10);
    assert_int_equal(spot_number_parse(".5", &value), 0);
    assert_true(value == 0.5);
    assert_int_equal(spot_number_parse("-.125e1", &value), 0);
    assert_true(value == -1.25);
    for (size_t j = 0; j < sizeof(zeros) / sizeof(zeros[0]); j++) {
        assert_int_equal(spot_number_parse(zeros[j], &value), 0);
        assert_true(value == 0 && !signbit(value));
    }
}

/* As much as can be read, and nothing of what follows it. */
static void test_ends_of_numbers(void **state)
{
    static const struct {
        const char *text;
        size_t length; /* 0: no number */
    } rows[] = {{"1.5 h", 3}, {"1e", 1}, {"1e+", 1}, {"1e+x", 1}, {"1.5e3e4", 5}, {"1.5.2", 3},
        {"0x10", 1}, {"-12ms", 3}, {"+.5s", 3}, {".", 0}, {"-", 0}, {"5.", 0}, {"5.e3", 0},
        {"e5", 0}, {" 1", 0}, {"nan", 0}, {"--1", 0}, {"", 0}};

    (void) state;
    for (size_t j = 0; j < sizeof(rows) / sizeof(rows[0]); j++) {
        const char *text = rows[j].text;
        double value = 77;

        if (rows[j].length == 0) {
            assert_null(spot_number_end(text));
            assert_null(spot_number_read(text, &value));
            assert_true(value == 77);
        } else {
            assert_ptr_equal(spot_number_read(text, &value), text + rows[j].length);
        }
    }
}

static void test_strict_integers(void **state)
{
    static const char *const bad[] = {"", "-", "1.0", "1e3", "007", "-01", "0x10", " 1", "1 ",
        "12abc", "9223372036854775808", "-9223372036854775809", "--1", "1,000"};
    int64_t value = 77;

    (void) state;
    for (size_t j = 0; j < sizeof(bad) / sizeof(bad[0]); j++) {
        assert_int_equal(spot_integer_parse(bad[j], &value), SPOT_ERR_BAD_INPUT);
    }
    assert_int_equal(value, 77);
    assert_int_equal(spot_integer_parse("9223372036854775807", &value), 0);
    assert_true(value == INT64_MAX);
    assert_int_equal(spot_integer_parse("-9223372036854775808", &value), 0);
    assert_true(value == INT64_MIN);
    assert_int_equal(spot_integer_parse("+64", &value), 0);
    assert_int_equal(value, 64);
    assert_int_equal(spot_integer_parse("0", &value), 0);
    assert_int_equal(value, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts_are_short),
        cmocka_unit_test(test_hard_texts),
        cmocka_unit_test(test_hard_readings),
        cmocka_unit_test(test_random_numbers),
        cmocka_unit_test(test_only_strict_numbers),
        cmocka_unit_test(test_ends_of_numbers),
        cmocka_unit_test(test_strict_integers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
