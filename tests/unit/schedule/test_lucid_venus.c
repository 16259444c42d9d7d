/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lucid on the September of Venus: the published figures, and what each quirk of the
 * published simulator changes. The data are not part of the product. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#include "schedule_run.h"
#include "tests/unit/base/shared_data.h"

#define FOLDER SHARED_DATA "jobs/"
#define LUCID FOLDER "slab-noncommercial/"
#define PAIRS LUCID "colocate_info.csv.gz"

/* What a run differs in; NULL: nothing. */
typedef struct {
    const char *head;      /* keys of the scenario */
    const char *estimator; /* of Lucid, after its key */
    const char *packing;   /* further keys */
    const char *pairs;     /* the table */
} variant_t;

static const char *or_else(const char *text, const char *other)
{
    return text == NULL ? other : text;
}

static void run_venus(schedule_run_t *self, const variant_t *variant)
{
    char keys[4096];

    snprintf(keys, sizeof(keys),
        "policy: lucid\n%s\n"
        "jobs: {log: %s, workload: %s, estimates: {file: %s, column: est_ebm}}\n"
        "cluster: {vcs: %s, start: 13219200 s}\n"
        "lucid:\n  estimator: %s\n"
        "  profiler: {from: {vc8Gr: 1, vcefl: 1}, limit: 200 s, gpu_limit: 8, "
        "scaling: {lender: vcYVn}}\n"
        "  packing: {forecast: %s, table: %s, %s}\n",
        or_else(variant->head, "compat: lucid"), FOLDER "venus_base.csv.gz",
        LUCID "venus_workload.csv.gz", LUCID "venus_estimates.csv.gz", FOLDER "venus_vc_config.csv",
        or_else(variant->estimator, "table"), LUCID "venus_forecast.csv.gz",
        or_else(variant->pairs, PAIRS), or_else(variant->packing, "switch: forecast"));
    schedule_run_open(self, keys);
    schedule_run_once(self, 0, false);
}

/* Both to two decimals. */
static void check_means(const variant_t *variant, double jct_s, double queue_s)
{
    schedule_run_t venus;
    const spot_job_summary_t *all;

    run_venus(&venus, variant);
    all = schedule_run_summary(&venus, NULL);
    if (fabs(all->avg_jct - jct_s) > 0.005 || fabs(all->avg_queue - queue_s) > 0.005) {
        fail_msg("%s: got %.2f / %.2f, expected %.2f / %.2f",
            or_else(variant->head, "compat: lucid"), all->avg_jct, all->avg_queue, jct_s, queue_s);
    }
    schedule_run_close(&venus);
}

/* The table without the pairs of NeuMF, which the published figures do not use. Returns
 * its path. */
static const char *pairs_without_neumf(void)
{
    static char path[] = "/tmp/spotsim-venus-XXXXXX";
    char line[1024];
    const int descriptor = mkstemp(path);
    FILE *out = fdopen(descriptor, "w");
    gzFile in = gzopen(PAIRS, "rb");

    assert_true(descriptor >= 0 && out != NULL && in != NULL);
    while (gzgets(in, line, sizeof(line)) != NULL) {
        if (strstr(line, "NeuMF") == NULL) {
            fputs(line, out);
        }
    }
    gzclose(in);
    fclose(out);
    return path;
}

/* ---- The published figures ---- */

static const double queues_s[] = {608.67, 503.10, 643.22, 265.42, 457.65, 3601.02, 6.79, 727.47,
    1096.99, 1037.90, 738.72, 1109.62, 90.27, 328.37, 9861.73};

static void check_profiler(const spot_schedule_t *schedule)
{
    const spot_profiling_t profiling = spot_schedule_profiling(schedule);
    int64_t sum = 0, num_guests = 0;

    assert_int_equal(profiling.num_profiled, 21417);
    assert_int_equal(profiling.num_finished, 10644);
    assert_true(fabs((double) profiling.queue_s / 23859 - 73.33) <= 0.005);
    assert_int_equal(schedule->profiler.num_events, 56);
    for (size_t j = 0; j < schedule->profiler.num_events; j++) {
        sum += schedule->profiler.events[j].change;
    }
    assert_int_equal(sum, 0);
    for (int32_t j = 0; j < (int32_t) schedule->log->num_jobs; j++) {
        num_guests += spot_schedule_result(schedule, j).host_row_id >= 0;
    }
    assert_int_equal(num_guests, 5096);
}

/* The lines of the profiler that the README of Lucid prints, every 10,000 s. */
static void check_progress(const schedule_run_t *venus)
{
    static const struct {
        int ended, running, pending, open;
    } lines[] = {{17, 1, 0, 2}, {134, 0, 0, 2}, {134, 0, 0, 2}, {136, 0, 0, 2}, {249, 3, 4, 1},
        {385, 3, 2, 1}, {589, 2, 0, 1}, {780, 2, 0, 2}};
    char *text;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    spot_run_recorder_progress_write(&venus->recorder, &venus->summaries, out);
    assert_int_equal(fclose(out), 0);
    for (size_t j = 0; j < sizeof(lines) / sizeof(lines[0]); j++) {
        char line[256];

        snprintf(line, sizeof(line),
            "profvc | Time: %zu | Total Job: 23859 | End job: %d | Running job: %d | "
            "Pending job: %d | Avail Nodes: %d\n",
            13220000 + 10000 * j, lines[j].ended, lines[j].running, lines[j].pending,
            lines[j].open);
        assert_non_null(strstr(text, line));
    }
    assert_non_null(strstr(text, "Profiled Job Num: 21417 (89.765%) | Finish in Profile: 10644 "
                                 "(44.612%) | Average Queue: 73.33\n"));
    free(text);
}

/* % of the jobs that have ended after so many seconds. */
static void check_cdf(const spot_schedule_t *schedule)
{
    static const struct {
        int64_t jct_s;
        double percent;
    } points[] = {{64, 16.9789}, {1024, 74.4960}, {16384, 90.0541}, {262144, 98.8977}};
    const size_t num_jobs = schedule->log->num_jobs;

    for (size_t k = 0; k < sizeof(points) / sizeof(points[0]); k++) {
        size_t num_ended = 0;

        for (size_t j = 0; j < num_jobs; j++) {
            num_ended += spot_schedule_result(schedule, (int32_t) j).end_s -
                             schedule->log->jobs[j].submit_s <=
                         points[k].jct_s;
        }
        assert_true(
            fabs(100 * (double) num_ended / (double) num_jobs - points[k].percent) <= 0.00005);
    }
}

static void test_published(void **state)
{
    schedule_run_t venus;
    const spot_job_summary_t *all;

    (void) state;
    need_data(PAIRS);
    run_venus(&venus, &(variant_t){0});
    all = schedule_run_summary(&venus, NULL);
    assert_int_equal(all->num_jobs, 23859);
    assert_true(fabs(all->avg_jct - 12886.13) <= 0.005);
    assert_true(fabs(all->avg_queue - 915.24) <= 0.005);
    assert_true(fabs(all->queue_p999 - 93756.00) <= 0.005);
    assert_true(fabs(all->jct_large - 16539.51) <= 0.005);
    assert_true(fabs(all->queue_large - 3089.63) <= 0.005);
    assert_true(fabs(all->jct_small - 12469.57) <= 0.005);
    assert_true(fabs(all->queue_small - 667.31) <= 0.005);
    assert_int_equal(venus.schedule.num_vcs, sizeof(queues_s) / sizeof(queues_s[0]));
    for (int32_t j = 0; j < venus.schedule.num_vcs; j++) {
        assert_true(fabs(venus.summaries.summaries[j].avg_queue - queues_s[j]) <= 0.005);
    }
    check_profiler(&venus.schedule);
    check_progress(&venus);
    check_cdf(&venus.schedule);
    schedule_run_close(&venus);
}

static void test_each_quirk(void **state)
{
    (void) state;
    need_data(PAIRS);
    check_means(&(variant_t){.head = "compat: lucid\nquirks: {Q1: off}"}, 13045.68, 1081.42);
    check_means(&(variant_t){.head = "compat: lucid\nquirks: {Q3: off}"}, 13058.32, 939.89);
    check_means(&(variant_t){.head = "compat: lucid\nquirks: {Q6: off}"}, 12804.52, 880.94);
    check_means(&(variant_t){.head = "compat: lucid\nquirks: {Q12: off}"}, 12886.13, 915.24);
    check_means(&(variant_t){.packing = "pack: last_resort, switch: forecast"}, 13012.64, 1223.32);
    check_means(&(variant_t){.packing = "switch: never"}, 15098.91, 3387.95);
    check_means(&(variant_t){.packing = "switch: always"}, 12931.34, 961.71);
}

static void test_without_heavy_pairs(void **state)
{
    const char *pairs;

    (void) state;
    need_data(PAIRS);
    pairs = pairs_without_neumf();
    check_means(&(variant_t){.head = "compat: lucid\nquirks: {Q5: off}", .pairs = pairs}, 13647.87,
        1613.32);
    check_means(&(variant_t){.head = "compat: lucid\nquirks: {Q5: off, Q6: off}", .pairs = pairs},
        12967.09, 982.00);
    check_means(&(variant_t){.head = "quirks: {Q4: on}", .pairs = pairs}, 13479.07, 1335.62);
    check_means(&(variant_t){.head = "quirks: {Q4: on}",
                    .packing = "switch: forecast, unknown_pair: one",
                    .pairs = pairs},
        13037.27, 965.19);
    check_means(&(variant_t){.head = "quirks: {Q4: on}",
                    .estimator = "running-mean\n  history: nominal",
                    .pairs = pairs},
        13322.96, 1228.01);
    unlink(pairs);
}

static void test_estimators(void **state)
{
    (void) state;
    need_data(PAIRS);
    check_means(&(variant_t){.estimator = "oracle"}, 12930.06, 988.61);
    check_means(&(variant_t){.estimator = "running-mean\n  history: nominal"}, 12993.37, 1040.59);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published),
        cmocka_unit_test(test_each_quirk),
        cmocka_unit_test(test_without_heavy_pairs),
        cmocka_unit_test(test_estimators),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
