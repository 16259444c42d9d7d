/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a point lacks is nothing: no zero, no null, no word. What a fixed point has is
 * known exactly. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reports/answer.h"
#include "reports/export.h"
#include "reports/plan_report.h"
#include "reports/report_text.h"
#include "reports/words.h"
#include "tests/unit/reports/sample.h"

static const spot_metric_t metrics[] = {
    {.name = "wait_s", .unit = "s", .help = "", .label = "wait"},
    {.name = "busy_fraction.server-2", .unit = "1", .help = "", .label = "busy fraction server-2"},
};

/* Of "servers" 1, 2 and 3 the first one has no second server, and nothing is chance at
 * the last one. */
typedef struct {
    double numbers[3];
    char *texts[3];
    spot_axis_t axis;
    bool all[2], some[2];
    spot_point_kind_t kinds[3];
    uint32_t kind_ids[3];
    spot_metric_t metrics[2];
    spot_study_head_t head;
    spot_store_t *store;
} case_t;

/* cannot_run: why the first point has no rows; NULL: it has. */
static void setup_with(case_t *self, char *cannot_run)
{
    static const double rows[3][2] = {{1, (double) NAN}, {3, 0.25}, {2, (double) NAN}};
    static char name[] = "halls", path[] = "servers", one[] = "1", two[] = "2", three[] = "3",
                unit[] = "";

    *self = (case_t){.numbers = {1, 2, 3},
        .texts = {one, two, three},
        .all = {true, true},
        .some = {true, false},
        .kind_ids = {1, 0, 2},
        .metrics = {metrics[0], metrics[1]}};
    self->axis = (spot_axis_t){.path = path,
        .num_values = 3,
        .texts = self->texts,
        .numbers = self->numbers,
        .unit = unit};
    self->kinds[0].has_metric = self->all;
    self->kinds[1].has_metric = self->some;
    self->kinds[1].cannot_run = cannot_run;
    self->some[0] = cannot_run == NULL;
    self->kinds[2] = (spot_point_kind_t){.is_fixed = true, .has_metric = self->all};
    self->head = (spot_study_head_t){.name = name,
        .seed = 1,
        .batch_replications = 64,
        .num_replications = 2,
        .min_replications = 2,
        .num_axes = 1,
        .axes = &self->axis,
        .num_points = 3,
        .num_kinds = 3,
        .kinds = self->kinds,
        .kind_ids = self->kind_ids,
        .num_listed = 2,
        .num_metrics = 2,
        .metrics = self->metrics};
    assert_int_equal(spot_store_open_memory(&self->store, &self->head), 0);
    for (int64_t j = 0; j < 2; j++) {
        const double first[] = {rows[j][0], (double) NAN};
        const double second[] = {rows[j][0] + 10, 0.5};

        if (cannot_run == NULL) {
            assert_int_equal(
                self->store->put(self->store, &(spot_piece_t){0, j, 1, first, NULL}), 0);
        }
        assert_int_equal(self->store->put(self->store, &(spot_piece_t){1, j, 1, second, NULL}), 0);
    }
    assert_int_equal(self->store->put(self->store, &(spot_piece_t){2, 0, 1, rows[1], NULL}), 0);
}

static void setup(case_t *self)
{
    setup_with(self, NULL);
}

static void teardown(case_t *self)
{
    self->store->close(self->store);
}

/* What a function writes. */
typedef int (*writer_t)(const case_t *self, FILE *out);

static void assert_text(writer_t writer, const char *expected)
{
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);
    case_t self;

    assert_non_null(out);
    setup(&self);
    assert_int_equal(writer(&self, out), 0);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, expected);
    free(text);
    teardown(&self);
}

static const spot_terminal_t terminal = {80, false, true};

static int write_table(const case_t *self, FILE *out)
{
    return spot_result_table_write(self->store, NULL, &terminal, out);
}

static int write_csv(const case_t *self, FILE *out)
{
    return spot_result_csv_write(self->store, out);
}

static int write_rows(const case_t *self, FILE *out)
{
    return spot_export_replications(self->store, SPOT_EXPORT_CSV, out);
}

static int write_json_rows(const case_t *self, FILE *out)
{
    return spot_export_replications(self->store, SPOT_EXPORT_JSONL, out);
}

static int write_points(const case_t *self, FILE *out)
{
    return spot_export_points(self->store, SPOT_EXPORT_CSV, out);
}

static int write_paper(const case_t *self, FILE *out)
{
    spot_report_t report = sample_report(self->store);
    const int ret = spot_paper_table_write(&report, &spot_table_markdown, out);

    spot_report_free(&report);
    return ret;
}

static void test_table(void **state)
{
    (void) state;
    assert_text(write_table,
        "halls\n"
        "3 points, 2 replications each (1 at 1 point without chance), seed 1; mean "
        "±half width of its 95 % confidence interval\n"
        "\n"
        "                     busy_\n"
        "                 fraction.\n"
        "servers  wait_s   server-2\n"
        "              s\n"
        "      1   2 ±13\n"
        "      2  12 ±13     0.5 ±?\n"
        "      3   3 ± 0    0.25 ±0\n"
        "\n"
        "?: all runs have the same, and none shows the events that would change it: it\n"
        "   may be luck\n");
}

static void test_csv(void **state)
{
    (void) state;
    assert_text(write_csv,
        "point,servers,metric,unit,replications,nulls,mean,std,stderr,ci95_low,ci95_"
        "high,p05,median,p95,difference,difference_ci95_low,difference_ci95_high,"
        "warnings,estimator,remark\n"
        "0,1,wait_s,s,2,0,2,1.4142135623730951,1,-10.706204736174696,14.706204736174696,"
        "1.1,2,2.9,,,,,mean,\n"
        "1,2,wait_s,s,2,0,12,1.4142135623730951,1,-0.7062047361746959,24.7062047361746"
        "98,11.1,12,12.9,,,,,mean,\n"
        "1,2,busy_fraction.server-2,1,2,0,0.5,0,0,,,0.5,0.5,0.5,,,,,mean,"
        "\"the same in all runs, maybe by luck\"\n"
        "2,3,wait_s,s,1,0,3,0,0,3,3,3,3,3,,,,,mean,\n"
        "2,3,busy_fraction.server-2,1,1,0,0.25,0,0,0.25,0.25,0.25,0.25,0.25,,,,,mean,"
        "\n");
}

static void test_json(void **state)
{
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);
    case_t self;

    (void) state;
    assert_non_null(out);
    setup(&self);
    assert_int_equal(spot_result_json_write(self.store, out), 0);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(sample_count(text, "\"wait_s\": {"), 3);
    assert_int_equal(sample_count(text, "\"busy_fraction.server-2\": {"), 2);
    assert_null(strstr(text, "\"mean\": null"));
    free(text);
    teardown(&self);
}

static void test_export(void **state)
{
    (void) state;
    assert_text(write_rows, "point,servers,replication,wait_s,busy_fraction.server-2,"
                            "warnings\n"
                            "0,1,0,1,,\n0,1,1,3,,\n1,2,0,11,0.5,\n1,2,1,13,0.5,\n"
                            "2,3,0,3,0.25,\n");
    assert_text(write_json_rows,
        "{\"point\": 0, \"servers\": 1, \"replication\": 0, \"wait_s\": 1, "
        "\"warnings\": []}\n"
        "{\"point\": 0, \"servers\": 1, \"replication\": 1, \"wait_s\": 3, "
        "\"warnings\": []}\n"
        "{\"point\": 1, \"servers\": 2, \"replication\": 0, \"wait_s\": 11, "
        "\"busy_fraction.server-2\": 0.5, \"warnings\": []}\n"
        "{\"point\": 1, \"servers\": 2, \"replication\": 1, \"wait_s\": 13, "
        "\"busy_fraction.server-2\": 0.5, \"warnings\": []}\n"
        "{\"point\": 2, \"servers\": 3, \"replication\": 0, \"wait_s\": 3, "
        "\"busy_fraction.server-2\": 0.25, \"warnings\": []}\n");
}

static void test_exported_points(void **state)
{
    char *text = NULL, *line;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);
    case_t self;

    (void) state;
    assert_non_null(out);
    setup(&self);
    assert_int_equal(write_points(&self, out), 0);
    assert_int_equal(fclose(out), 0);
    line = strstr(text, "\n0,1,2,2,");
    assert_non_null(line);
    assert_non_null(strstr(line, ",0,,,,,,,,,,\n1,2,2,12,")); /* no nulls of wait_s */
    free(text);
    teardown(&self);
}

static void test_paper(void **state)
{
    (void) state;
    assert_text(write_paper,
        "Table: halls. Means with half widths of their 95 % confidence intervals; 2 "
        "replications at each point (1 at 1 point without chance), seed 1.\n"
        "\n"
        "| servers | wait (s) | busy fraction server-2 |\n"
        "| ---: | ---: | ---: |\n"
        "| 1 | 2 ± 13 |  |\n"
        "| 2 | 12 ± 13 | 0.5 ± ? |\n"
        "| 3 | 3 ± 0 | 0.25 ± 0 |\n"
        "\n"
        "- <sup>?</sup> all runs have the same, and none shows the events that would change it: "
        "it may be luck\n");
}

static void test_plan(void **state)
{
    const spot_plan_cost_t cost = {.num_threads = 1, .shard = ""};
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);
    case_t self;

    (void) state;
    assert_non_null(out);
    setup(&self);
    assert_int_equal(spot_plan_report_text(&self.head, &cost, &terminal, out), 0);
    assert_int_equal(fclose(out), 0);
    assert_non_null(
        strstr(text, "runs: 3 points x 2 replications (1 at 1 point without chance) = 5\n"));
    free(text);
    teardown(&self);
}

/* ---- Points that cannot run ---- */

static char *written(writer_t writer)
{
    static char reason[] = "it needs a <door>";
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);
    case_t self;

    assert_non_null(out);
    setup_with(&self, reason);
    assert_int_equal(writer(&self, out), 0);
    assert_int_equal(fclose(out), 0);
    teardown(&self);
    return text;
}

static int write_json(const case_t *self, FILE *out)
{
    return spot_result_json_write(self->store, out);
}

static int write_answer(const case_t *self, FILE *out)
{
    spot_report_t report = sample_report(self->store);
    const int ret = spot_answer_write(&report, out);

    spot_report_free(&report);
    return ret;
}

static void test_unable(void **state)
{
    static const struct {
        writer_t writer;
        const char *part;
    } cases[] = {
        {write_table, "\n      1  cannot run: it needs a <door>\n"},
        {write_table, "\n1 of 3 points (servers 1) cannot run: it needs a <door>.\n"},
        {write_csv, "\n0,1,wait_s,s,0,0,,,,,,,,,,,,cannot run: it needs a <door>,mean,\n"},
        {write_json, "\"cannot_run\": \"it needs a <door>\""},
        {write_json, "\"wait_s\": null"},
        {write_answer, ". 1 of 3 points (servers 1) cannot run: it needs a <door>."},
        {write_paper, "(none at 1 that cannot run)"},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        char *text = written(cases[j].writer);

        if (strstr(text, cases[j].part) == NULL) {
            assert_string_equal(text, cases[j].part);
        }
        free(text);
    }
}

/* A picture has what there is of its metrics, and none where a point has none of them.
 */
static void test_pictures(void **state)
{
    const size_t both[] = {0, 1}, last[] = {1};
    spot_report_t report;
    case_t self;

    (void) state;
    setup(&self);
    report = sample_report(self.store);
    assert_null(spot_metrics_problem(&report, 2, both));
    assert_null(spot_metrics_problem(&report, 1, last));
    assert_int_equal(report.min_rows, 2);
    assert_int_equal(report.max_rows, 2);
    spot_report_free(&report);
    teardown(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_export),
        cmocka_unit_test(test_exported_points),
        cmocka_unit_test(test_paper),
        cmocka_unit_test(test_plan),
        cmocka_unit_test(test_unable),
        cmocka_unit_test(test_pictures),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
