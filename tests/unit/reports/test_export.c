/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows for other programs: what stands in them, and that they are the same from wherever
 * they come. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reports/export.h"
#include "tests/unit/store/store_case.h"

typedef int (*export_t)(const spot_store_t *store, spot_export_format_t format, FILE *out);

static char *text_of(const spot_store_t *store, export_t export, spot_export_format_t format)
{
    char *text = NULL;
    size_t num_bytes = 0;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    assert_int_equal(export(store, format, out), 0);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void assert_export(
    const spot_store_t *store, export_t export, spot_export_format_t format, const char *expected)
{
    char *text = text_of(store, export, format);

    assert_string_equal(text, expected);
    free(text);
}

/* Two points of the case have rows; values are exact on any machine. */
static spot_store_t *small_store(store_case_t *known)
{
    static const double rows[2][2][CASE_METRICS] = {
        {{0.25, (double) NAN, 3}, {1e-7, 12345678901, (double) INFINITY}},
        {{0.5, 1, -2}, {0.5, 3, -4}}};
    static const uint32_t warnings[2] = {3, 2};
    spot_store_t *store;

    assert_int_equal(spot_store_open_memory(&store, &known->head), 0);
    assert_int_equal(store->put(store, &(spot_piece_t){0, 0, 2, rows[0][0], warnings}), 0);
    assert_int_equal(store->put(store, &(spot_piece_t){3, 0, 2, rows[1][0], NULL}), 0);
    return store;
}

static void test_replications(void **state)
{
    store_case_t known;
    spot_store_t *store;

    (void) state;
    case_init(&known, 2);
    store = small_store(&known);
    assert_export(store, spot_export_replications, SPOT_EXPORT_CSV,
        "point,job.pipeline_depth,job.reload_s,replication,idle_fraction,\"a "
        "\"\"quoted\"\" one\",Replication,warnings\n"
        "0,8,30,0,0.25,,3,beyond;summary\n"
        "0,8,30,1,1e-07,12345678901,,summary\n"
        "3,16,1800,0,0.5,1,-2,\n"
        "3,16,1800,1,0.5,3,-4,\n");
    assert_export(store, spot_export_replications, SPOT_EXPORT_JSONL,
        "{\"point\": 0, \"job.pipeline_depth\": 8, \"job.reload_s\": 30, "
        "\"replication\": 0, \"idle_fraction\": 0.25, \"a \\\"quoted\\\" one\": null, "
        "\"Replication\": 3, \"warnings\": [\"beyond\", \"summary\"]}\n"
        "{\"point\": 0, \"job.pipeline_depth\": 8, \"job.reload_s\": 30, "
        "\"replication\": 1, \"idle_fraction\": 1e-07, \"a \\\"quoted\\\" one\": "
        "12345678901, \"Replication\": null, \"warnings\": [\"summary\"]}\n"
        "{\"point\": 3, \"job.pipeline_depth\": 16, \"job.reload_s\": 1800, "
        "\"replication\": 0, \"idle_fraction\": 0.5, \"a \\\"quoted\\\" one\": 1, "
        "\"Replication\": -2, \"warnings\": []}\n"
        "{\"point\": 3, \"job.pipeline_depth\": 16, \"job.reload_s\": 1800, "
        "\"replication\": 1, \"idle_fraction\": 0.5, \"a \\\"quoted\\\" one\": 3, "
        "\"Replication\": -4, \"warnings\": []}\n");
    store->close(store);
}

/* The first lines of a text. */
static char *first_lines(char *text, int num_lines)
{
    char *end = text;

    for (int j = 0; j < num_lines; j++) {
        end = strchr(end, '\n') + 1;
    }
    *end = '\0';
    return text;
}

/* A point without replications has a line too. */
static void test_points(void **state)
{
    store_case_t known;
    spot_store_t *store;
    char *text;

    (void) state;
    case_init(&known, 2);
    known.head.num_metrics = 1;
    assert_int_equal(spot_store_open_memory(&store, &known.head), 0);
    assert_int_equal(
        store->put(store, &(spot_piece_t){0, 0, 2, (double[]){2, (double) NAN}, NULL}), 0);
    text = text_of(store, spot_export_points, SPOT_EXPORT_CSV);
    assert_string_equal(first_lines(text, 3),
        "point,job.pipeline_depth,job.reload_s,replications,idle_fraction_mean,"
        "idle_fraction_std,idle_fraction_stderr,idle_fraction_ci95_low,"
        "idle_fraction_ci95_high,idle_fraction_p05,idle_fraction_median,"
        "idle_fraction_p95,idle_fraction_nulls,warnings\n"
        "0,8,30,2,2,,,,,2,2,2,1,\n"
        "1,8,1800,0,,,,,,,,,0,\n");
    free(text);
    text = text_of(store, spot_export_points, SPOT_EXPORT_JSONL);
    assert_string_equal(first_lines(text, 1),
        "{\"point\": 0, \"job.pipeline_depth\": 8, \"job.reload_s\": 30, "
        "\"replications\": 2, \"idle_fraction_mean\": 2, \"idle_fraction_std\": null, "
        "\"idle_fraction_stderr\": null, \"idle_fraction_ci95_low\": null, "
        "\"idle_fraction_ci95_high\": null, \"idle_fraction_p05\": 2, "
        "\"idle_fraction_median\": 2, \"idle_fraction_p95\": 2, "
        "\"idle_fraction_nulls\": 1, \"warnings\": {}}\n");
    free(text);
    store->close(store);
}

/* The last column of a line is this text. */
static void assert_last_column(const char *text, int line_id, const char *expected)
{
    const char *line = text, *end;

    for (int j = 0; j < line_id; j++) {
        line = strchr(line, '\n') + 1;
    }
    end = strchr(line, '\n');
    assert_true(end - line > (ptrdiff_t) strlen(expected));
    assert_memory_equal(end - strlen(expected), expected, strlen(expected));
}

/* The first point is best; the second is worse, the third breaks the limit, and the
 * fourth has no values. */
static spot_store_t *open_race(store_case_t *known, spot_constraint_t *limit)
{
    static char goal[] = "idle_fraction", limited[] = "Replication", text[] = "Replication <= 5";
    spot_store_t *store;

    case_init(known, 64);
    *limit = (spot_constraint_t){limited, text, 5, true};
    known->head.optimise = (spot_optimise_t){
        .metric = goal, .confidence = 0.95, .num_constraints = 1, .constraints = limit};
    assert_int_equal(spot_store_open_memory(&store, &known->head), 0);
    return store;
}

static void put_race(spot_store_t *store)
{
    for (size_t j = 0; j < 4; j++) {
        double rows[64][CASE_METRICS];

        for (size_t k = 0; k < 64; k++) {
            rows[k][0] = j == 3 ? (double) NAN : (double) j + 0.01 * (double) (k % 7);
            rows[k][1] = 0;
            rows[k][2] = (j == 2 ? 10 : 1) + 0.01 * (double) (k % 5);
        }
        assert_int_equal(store->put(store, &(spot_piece_t){j, 0, 64, rows[0], NULL}), 0);
    }
}

/* Behind all other columns, and of a race only. */
static void test_fates(void **state)
{
    static const char *const fates[] = {"racing", "dominated", "infeasible", "undefined"};
    store_case_t known;
    spot_constraint_t limit;
    spot_store_t *store;
    char *text, ending[32];

    (void) state;
    store = open_race(&known, &limit);
    text = text_of(store, spot_export_points, SPOT_EXPORT_CSV);
    for (int j = 0; j < 4; j++) { /* nothing has run */
        assert_last_column(text, j + 1, ",racing");
    }
    free(text);
    put_race(store);
    text = text_of(store, spot_export_points, SPOT_EXPORT_CSV);
    assert_last_column(text, 0, ",Replication_nulls,warnings,fate");
    for (int j = 0; j < 4; j++) {
        snprintf(ending, sizeof(ending), ",%s", fates[j]);
        assert_last_column(text, j + 1, ending);
    }
    free(text);
    text = text_of(store, spot_export_points, SPOT_EXPORT_JSONL);
    for (int j = 0; j < 4; j++) {
        snprintf(ending, sizeof(ending), ", \"fate\": \"%s\"}", fates[j]);
        assert_last_column(text, j, ending);
    }
    free(text);
    known.head.optimise.metric = NULL;
    text = text_of(store, spot_export_points, SPOT_EXPORT_CSV);
    assert_null(strstr(text, "fate"));
    free(text);
    store->close(store);
}

/* Values that are no numbers, and names from a file that somebody else made. */
static void test_hostile_texts(void **state)
{
    static char hostile[] = "{system: \"x\",\n y}", plain[] = " b", path[] = "a,\"\t";
    static const spot_warning_t warnings[] = {{"w,\"1", ""}, {"\xff\n", ""}};
    store_case_t known;
    spot_store_t *store;

    (void) state;
    case_init(&known, 2);
    known.head.num_axes = 1;
    known.head.num_points = 2;
    known.axes[0].path = path;
    known.axes[0].texts[0] = hostile;
    known.axes[0].texts[1] = plain;
    known.axes[0].numbers[0] = (double) NAN; /* so both are texts */
    known.head.num_metrics = 1;
    known.head.warnings = warnings;
    assert_int_equal(spot_store_open_memory(&store, &known.head), 0);
    for (size_t j = 0; j < 2; j++) {
        const uint32_t held = 3;

        assert_int_equal(store->put(store, &(spot_piece_t){j, 0, 1, (double[]){1}, &held}), 0);
    }
    assert_export(store, spot_export_replications, SPOT_EXPORT_CSV,
        "point,\"a,\"\"\t\",replication,idle_fraction,warnings\n"
        "0,\"{system: \"\"x\"\",\n y}\",0,1,\"w,\"\"1;\xff\n\"\n"
        "1,\" b\",0,1,\"w,\"\"1;\xff\n\"\n");
    assert_export(store, spot_export_replications, SPOT_EXPORT_JSONL,
        "{\"point\": 0, \"a,\\\"\\u0009\": \"{system: \\\"x\\\",\\u000a y}\", "
        "\"replication\": "
        "0, \"idle_fraction\": 1, \"warnings\": [\"w,\\\"1\", \"\\ufffd\\u000a\"]}\n"
        "{\"point\": 1, \"a,\\\"\\u0009\": \" b\", \"replication\": 0, "
        "\"idle_fraction\": "
        "1, \"warnings\": [\"w,\\\"1\", \"\\ufffd\\u000a\"]}\n");
    store->close(store);
}

/* From memory, from a database that is written to, and from its file. */
static void test_all_stores_give_the_same(void **state)
{
    static const export_t exports[] = {spot_export_points, spot_export_replications};
    static const spot_export_format_t formats[] = {SPOT_EXPORT_CSV, SPOT_EXPORT_JSONL};
    store_case_t known;
    spot_store_t *stores[3];

    (void) state;
    case_init(&known, 150);
    assert_int_equal(spot_store_open_memory(&stores[0], &known.head), 0);
    stores[1] = case_open(&known);
    case_put_all(stores[0]);
    case_put_all(stores[1]);
    case_flush(stores[1]);
    stores[2] = case_open_reader(&known);
    for (int k = 0; k < 4; k++) {
        char *text = text_of(stores[0], exports[k / 2], formats[k % 2]);

        assert_true(strlen(text) > 500);
        assert_export(stores[1], exports[k / 2], formats[k % 2], text);
        assert_export(stores[2], exports[k / 2], formats[k % 2], text);
        free(text);
    }
    for (int k = 2; k >= 0; k--) {
        stores[k]->close(stores[k]);
    }
    case_remove(&known);
}

/* A store that makes rows as they are asked for, and sees each one written before the
 * next: nothing is gathered. */
typedef struct {
    spot_store_t base;
    FILE *out;
    int64_t num_rows;
} stream_store_t;

static int read_stream(const spot_store_t *store, size_t point_id, int64_t first_replication,
    spot_row_function_t function, void *context)
{
    const stream_store_t *self = (const stream_store_t *) store;
    const double metrics[CASE_METRICS] = {0};
    int ret = 0;

    (void) point_id;
    for (int64_t j = first_replication; ret == 0 && j < self->num_rows; j++) {
        const long before = ftell(self->out);

        ret = function(context, &(spot_row_t){.replication = j, .metrics = metrics});
        assert_true(ret != 0 || ftell(self->out) > before);
    }
    return ret;
}

static void test_rows_stream(void **state)
{
    store_case_t known;
    stream_store_t store = {.num_rows = 5000};

    (void) state;
    case_init(&known, store.num_rows);
    store.base = (spot_store_t){.head = &known.head, .read = read_stream};
    store.out = tmpfile();
    assert_non_null(store.out);
    assert_int_equal(spot_export_replications(&store.base, SPOT_EXPORT_CSV, store.out), 0);
    fclose(store.out);
}

/* An output that takes no more ends the reading. */
static void test_a_full_disk(void **state)
{
    store_case_t known;
    spot_store_t *store;
    FILE *out = fopen("/dev/full", "w");

    (void) state;
    if (out == NULL) {
        print_message("there is no /dev/full\n");
        skip();
    }
    setvbuf(out, NULL, _IONBF, 0);
    case_init(&known, 2);
    store = small_store(&known);
    assert_int_equal(spot_export_replications(store, SPOT_EXPORT_CSV, out), SPOT_ERR_IO);
    assert_int_equal(spot_export_points(store, SPOT_EXPORT_JSONL, out), SPOT_ERR_IO);
    store->close(store);
    fclose(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replications),
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_fates),
        cmocka_unit_test(test_hostile_texts),
        cmocka_unit_test(test_all_stores_give_the_same),
        cmocka_unit_test(test_rows_stream),
        cmocka_unit_test(test_a_full_disk),
    };

    return cmocka_run_group_tests(tests, NULL, case_end);
}
