/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gsl/gsl_rng.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#include "base/csv.h"
#include "base/inputs.h"
#include "base/rng.h"
#include "tests/unit/base/support.h"

/* ---- Csv ---- */

/* Reads bytes to the end; the last message, or "" if there was none. */
typedef struct {
    size_t num_lines;
    size_t num_bad;
    size_t num_fields;
    int ret;
    char message[256];
} outcome_t;

static void read_all(spot_csv_t *csv, spot_diag_t *diag, outcome_t *outcome)
{
    spot_csv_row_t row;

    memset(outcome, 0, sizeof(*outcome));
    for (;;) {
        outcome->ret = spot_csv_next(csv, &row);
        if (outcome->ret != 1 && outcome->ret != SPOT_ERR_BAD_INPUT) {
            break;
        }
        outcome->num_lines++;
        outcome->num_bad += outcome->ret != 1;
        outcome->num_fields += row.num_fields;
        assert_int_equal(row.line, outcome->num_lines);
    }
    if (diag->num_items > 0) {
        snprintf(outcome->message, sizeof(outcome->message), "%s",
            diag->items[diag->num_items - 1].text);
    }
}

static outcome_t read_bytes(const char *bytes, size_t num_bytes)
{
    spot_diag_t diag;
    spot_csv_t *csv;
    outcome_t outcome;

    spot_diag_init(&diag);
    assert_int_equal(spot_csv_open_bytes(&csv, "x", bytes, num_bytes, &diag), 0);
    assert_string_equal(spot_csv_file(csv), "x");
    read_all(csv, &diag, &outcome);
    spot_csv_close(csv);
    spot_diag_free(&diag);
    return outcome;
}

static void assert_message(const char *text, const char *message)
{
    const outcome_t outcome = read_bytes(text, strlen(text));

    assert_string_equal(outcome.message, message);
    assert_int_equal(outcome.num_bad, *message != '\0');
}

static void test_fields_and_columns(void **state)
{
    static const char text[] = "\xef\xbb\xbf"
                               "# a, \"comment\"\r\n"
                               "a, b c ,,\"d,\"\"e\" \n"
                               "\n"
                               "  \n"
                               "last";
    spot_diag_t diag;
    spot_csv_t *csv;
    spot_csv_row_t row;

    (void) state;
    spot_diag_init(&diag);
    assert_int_equal(spot_csv_open_bytes(&csv, "x", text, strlen(text), &diag), 0);
    assert_int_equal(spot_csv_next(csv, &row), 1);
    assert_true(row.is_comment && row.num_fields == 0);
    assert_string_equal(row.text, "# a, \"comment\"");
    assert_int_equal(spot_csv_next(csv, &row), 1);
    assert_int_equal(row.num_fields, 4);
    assert_string_equal(row.fields[0], "a");
    assert_string_equal(row.fields[1], "b c");
    assert_string_equal(row.fields[2], "");
    assert_string_equal(row.fields[3], "d,\"e");
    assert_int_equal(row.columns[0], 1);
    assert_int_equal(row.columns[1], 3);
    assert_int_equal(row.columns[2], 9);
    assert_int_equal(row.columns[3], 10);
    assert_int_equal(spot_csv_column_at(&row, 1, 2), 6);
    assert_int_equal(spot_csv_column_at(&row, 3, 2), 13);
    assert_int_equal(spot_csv_column_at(&row, 3, 3), 15);
    assert_int_equal(spot_csv_next(csv, &row), 1);
    assert_true(row.num_fields == 0 && row.num_bytes == 0 && !row.is_comment);
    assert_int_equal(spot_csv_next(csv, &row), 1);
    assert_true(row.num_fields == 0 && row.num_bytes == 2);
    assert_int_equal(spot_csv_next(csv, &row), 1);
    assert_string_equal(row.fields[0], "last");
    assert_int_equal(row.line, 5);
    assert_int_equal(spot_csv_next(csv, &row), 0);
    assert_int_equal(row.line, 6);
    assert_int_equal(spot_csv_num_crlf(csv), 1);
    assert_int_equal(diag.num_items, 0);
    spot_csv_close(csv);
    spot_diag_free(&diag);
}

static void test_bytes_that_are_not_allowed(void **state)
{
    const outcome_t tabs = read_bytes("a,b\nc\td\ne\tf\n", 12);

    (void) state;
    assert_int_equal(tabs.num_bad, 2); /* of which one is reported */
    assert_string_equal(tabs.message, "x:2:2: byte 0x09 is not allowed: tabs, expected "
                                      "commas; further lines with tabs "
                                      "are not listed");
    assert_message("a\x7f\n", "x:1:2: byte 0x7F is not allowed");
    assert_message("a\r", "x:1:2: byte 0x0D is not allowed");
    assert_message("a\xc3\xa9,\xc3\n", "x:1:5: invalid UTF-8");
    assert_message("a\xc3\xa9\n", "");
    assert_message("# \xff\n", "x:1:3: invalid UTF-8");
    assert_int_equal(read_bytes("", 0).num_lines, 0);
    assert_int_equal(read_bytes(NULL, 0).num_lines, 0);
    assert_int_equal(read_bytes("\xef\xbb\xbf", 3).num_lines, 0);
}

static void test_quotes(void **state)
{
    (void) state;
    assert_message("a,\"b\"\",c\n", "x:1:3: unterminated quoted field");
    assert_message("\"a\"b,c\n", "x:1:3: quote inside an unquoted field");
    assert_message("\"a\" \"b\",c\n", "x:1:5: quote inside an unquoted field");
    assert_int_equal(read_bytes("a,\"b\nc,d\n", 9).num_fields, 2);
}

/* A line of num_bytes bytes, one of a blank, then one of two fields. */
static outcome_t read_long_line(size_t num_bytes, const char *end)
{
    const size_t end_bytes = strlen(end);
    char *bytes = malloc(num_bytes + end_bytes + 5);
    outcome_t outcome;

    assert_non_null(bytes);
    memset(bytes, 'a', num_bytes);
    memcpy(bytes + num_bytes, end, end_bytes + 1);
    strcat(bytes + num_bytes, "b,c\n");
    outcome = read_bytes(bytes, num_bytes + end_bytes + 4);
    assert_int_equal(outcome.num_lines, num_bytes > SPOT_CSV_MAX_LINE_BYTES ? 1 : 2);
    assert_int_equal(outcome.ret, 0);
    free(bytes);
    return outcome;
}

static void test_long_lines(void **state)
{
    static const char message[] =
        "x:1:1: line longer than 1048576 bytes: nothing is read from here on";
    const size_t limit = SPOT_CSV_MAX_LINE_BYTES;

    (void) state;
    for (size_t num_bytes = 65530; num_bytes < 65540; num_bytes++) {
        assert_int_equal(read_long_line(num_bytes, "\n").num_fields, 3);
    }
    assert_int_equal(read_long_line(limit, "\n").num_fields, 3);
    assert_int_equal(read_long_line(limit, "\r\n").num_fields, 3);
    assert_string_equal(read_long_line(limit + 1, "\n").message, message);
    assert_string_equal(read_long_line(limit + 1, "\r\n").message, message);
    assert_int_equal(read_long_line(limit + 1, "\r\n").num_fields, 0);
    assert_string_equal(read_long_line(2 * limit, "\n").message, message);
    assert_int_equal(read_long_line(5 * limit, "\n").num_fields, 0);
}

/* Fields of random bytes, quoted, come back as they were. */
static void test_random_fields(void **state)
{
    static const char letters[] = "ab ,\"#";
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 1, 0, SPOT_STREAM_COUNT, 0);
    for (int trial = 0; trial < 2000; trial++) {
        char text[256] = "", fields[4][16] = {{0}};
        size_t num_bytes = 0;
        spot_diag_t diag;
        spot_csv_t *csv;
        spot_csv_row_t row;

        for (size_t j = 0; j < 4; j++) {
            const size_t length = gsl_rng_uniform_int(spot_rng_gsl(&rng), 15);

            num_bytes += (size_t) sprintf(text + num_bytes, j == 0 ? "\"" : ",\"");
            for (size_t k = 0; k < length; k++) {
                const char byte = letters[gsl_rng_uniform_int(spot_rng_gsl(&rng), 6)];

                fields[j][k] = byte;
                text[num_bytes++] = byte;
                text[num_bytes] = '"';
                num_bytes += byte == '"';
            }
            text[num_bytes++] = '"';
        }
        spot_diag_init(&diag);
        assert_int_equal(spot_csv_open_bytes(&csv, "x", text, num_bytes, &diag), 0);
        assert_int_equal(spot_csv_next(csv, &row), 1);
        assert_int_equal(row.num_fields, 4);
        for (size_t j = 0; j < 4; j++) {
            assert_string_equal(row.fields[j], fields[j]);
            assert_int_equal(text[row.columns[j] - 1], '"');
        }
        spot_csv_close(csv);
        spot_diag_free(&diag);
    }
}

static outcome_t read_path(const char *path)
{
    spot_diag_t diag;
    spot_csv_t *csv;
    outcome_t outcome;
    int ret;

    spot_diag_init(&diag);
    ret = spot_csv_open(&csv, path, &diag);
    if (ret == 0) {
        read_all(csv, &diag, &outcome);
    } else {
        memset(&outcome, 0, sizeof(outcome));
        outcome.ret = ret;
        assert_null(csv);
        assert_int_equal(diag.num_items, 1);
        snprintf(outcome.message, sizeof(outcome.message), "%s", diag.items[0].text);
    }
    spot_csv_close(csv);
    spot_diag_free(&diag);
    return outcome;
}

static void test_files_that_do_not_open(void **state)
{
    outcome_t outcome;

    (void) state;
    outcome = read_path("/nonexistent/x.csv");
    assert_int_equal(outcome.ret, SPOT_ERR_IO);
    assert_string_equal(
        outcome.message, "/nonexistent/x.csv: cannot open: No such file or directory");
    outcome = read_path("/");
    assert_int_equal(outcome.ret, SPOT_ERR_IO);
    assert_string_equal(outcome.message, "/: cannot open: Is a directory");
}

/* 20,000 lines through gzip; the end of a cut file is not that of the data. */
static void test_gzip(void **state)
{
    char path[PATH_BYTES], bytes[65536];
    gzFile gzip;
    FILE *file;
    size_t num_bytes;
    outcome_t outcome;

    (void) state;
    test_path("csv.gz", path);
    gzip = gzopen(path, "wb");
    assert_non_null(gzip);
    for (int j = 0; j < 20000; j++) {
        gzprintf(gzip, "%d,b\n", j * 7919 % 100003);
    }
    assert_int_equal(gzclose(gzip), Z_OK);
    outcome = read_path(path);
    assert_int_equal(outcome.ret, 0);
    assert_int_equal(outcome.num_fields, 40000);

    file = fopen(path, "rb");
    assert_non_null(file);
    num_bytes = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
    write_file(path, bytes, num_bytes - 100);
    outcome = read_path(path);
    assert_int_equal(outcome.ret, SPOT_ERR_IO);
    assert_int_equal(remove(path), 0);
}

static void test_shown(void **state)
{
    char text[SPOT_CSV_SHOWN_BYTES], field[100];

    (void) state;
    assert_string_equal(spot_csv_shown("a b'~", text), "a b'~");
    assert_string_equal(spot_csv_shown("\xc3\xa9\n", text), "\\xC3\\xA9\\x0A");
    memset(field, 0xff, 99);
    field[99] = '\0';
    assert_int_equal(strlen(spot_csv_shown(field, text)), 160);
}

/* Standard input, which no journal of files keeps. */
static void test_stdin(void **state)
{
    const int kept = dup(STDIN_FILENO);
    spot_inputs_t inputs = {0};
    char path[PATH_BYTES];
    spot_csv_row_t row;
    spot_diag_t diag;
    spot_csv_t *csv;

    (void) state;
    test_path("stdin.csv", path);
    write_file(path, "a,b\n", 4);
    assert_non_null(freopen(path, "r", stdin));
    spot_diag_init(&diag);
    diag.inputs = &inputs;
    assert_int_equal(spot_csv_open_stdin(&csv, &diag), 0);
    assert_string_equal(spot_csv_file(csv), "standard input");
    assert_int_equal(spot_csv_next(csv, &row), 1);
    assert_int_equal(row.num_fields, 2);
    assert_int_equal(spot_csv_next(csv, &row), 0);
    spot_csv_close(csv);
    assert_int_equal(inputs.num_inputs, 0);
    spot_diag_free(&diag);
    if (kept >= 0) {
        assert_int_equal(dup2(kept, STDIN_FILENO), STDIN_FILENO);
        close(kept);
    }
    unlink(path);
}

/* ---- Csv field ---- */

static void test_fields(void **state)
{
    static const char *const cases[][2] = {
        {"plain", "plain"},
        {"", ""},
        {"a,b", "\"a,b\""},
        {"a \"b\"", "\"a \"\"b\"\"\""},
        {" edge", "\" edge\""},
        {"a\nb", "\"a\nb\""},
        {"漢字", "漢字"},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        char *text = NULL;
        size_t num_bytes;
        FILE *out = open_memstream(&text, &num_bytes);

        assert_non_null(out);
        spot_csv_field_text(out, cases[j][0]);
        assert_int_equal(fclose(out), 0);
        assert_string_equal(text, cases[j][1]);
        free(text);
    }
}

static void test_numbers(void **state)
{
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    (void) state;
    assert_non_null(out);
    spot_csv_field_number(out, 1.0 / 3);
    spot_csv_field_number(out, 123456789);
    spot_csv_field_number(out, (double) NAN);
    spot_csv_field_number(out, (double) INFINITY);
    spot_csv_field_number(out, -0.5);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, ",0.33333333,1.2345679e+08,,,-0.5");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields_and_columns),
        cmocka_unit_test(test_bytes_that_are_not_allowed),
        cmocka_unit_test(test_quotes),
        cmocka_unit_test(test_long_lines),
        cmocka_unit_test(test_random_fields),
        cmocka_unit_test(test_files_that_do_not_open),
        cmocka_unit_test(test_gzip),
        cmocka_unit_test(test_shown),
        cmocka_unit_test(test_stdin),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
