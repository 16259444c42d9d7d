/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/base/shared_data.h"
#include "tests/unit/jobs/law_text.h"
#include "traces/jobs/job_file.h"
#include "traces/jobs/job_law.h"

static char name_a[] = "a", name_odd[] = "b: #\"";
static spot_vc_size_t two_vcs[] = {{name_a, 3, 0}, {name_odd, 5, 0}};
static const spot_vc_list_t vcs = {.num_vcs = 2, .vcs = two_vcs};

/* The YAML of a fit; the caller frees it. */
static char *fit_text(const spot_job_log_t *log)
{
    spot_diag_t diag;
    size_t num_bytes;
    char *text;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    spot_diag_init(&diag);
    assert_int_equal(spot_job_law_fit(log, &vcs, "log.csv", out, &diag), 0);
    assert_int_equal(fclose(out), 0);
    assert_report(&diag, "");
    spot_diag_free(&diag);
    return text;
}

static void fit(const spot_job_log_t *log, spot_job_law_t *fitted)
{
    char *text = fit_text(log);

    make_law(fitted, text);
    free(text);
}

static void assert_near(double value, double truth, double most)
{
    if (!(value >= truth - most && value <= truth + most)) {
        fail_msg("%g is not within %g of %g", value, most, truth);
    }
}

/* A law gives a log whose fit is that law. */
static void test_round_trip(void **state)
{
    spot_job_law_t law, fitted;
    spot_job_log_t log = {0};

    (void) state;
    make_law(&law, "per_hour: 100\nhorizon: 70 d\nstart: 2024-05-08 06:00:00\nusers: 7\n" /* Wed */
                   "hours: [1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 1, 1, 1, 1, "
                   "0]\n"
                   "weekdays: [5, 4, 3, 2, 1, 1, 0]\n"
                   "vcs: {a: {weight: 1, sizes: {1: 1, 300: 1}}, b: {weight: 3, sizes: {4: 1}}}\n"
                   "durations: {1: {family: exponential, mu: 900}, 4: 120 s,\n"
                   "    9: {family: lognormal, zeta: 5, sigma: 0.5}}\n");
    law.vcs[1].vc_id = 1;
    assert_int_equal(spot_job_law_draw(&law, &log, 1, 0), 0);
    fit(&log, &fitted);
    assert_near(fitted.per_hour, 100, 1.5);
    assert_true(fitted.start.clock_zero_s == law.start.clock_zero_s);
    assert_int_equal(fitted.horizon_ms, 70 * SPOT_MS_PER_D);
    for (int j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        assert_near(fitted.hours[j], law.hours[j], 0.05);
    }
    for (int j = 0; j < SPOT_DAYS_PER_WEEK; j++) {
        assert_near(fitted.weekdays[j], law.weekdays[j], 0.05);
    }
    assert_int_equal(fitted.num_users, 7);
    assert_int_equal(fitted.num_vcs, 2);
    assert_string_equal(fitted.vcs[1].name, name_odd);
    assert_near(fitted.vc_parts.until[0] / spot_parts_sum(&fitted.vc_parts), 0.25, 0.01);
    assert_int_equal(fitted.vcs[0].sizes.num_sizes, 2);
    assert_int_equal(fitted.vcs[0].sizes.sizes[1].num_gpus, 300);
    assert_near(
        fitted.vcs[0].sizes.parts.until[0] / spot_parts_sum(&fitted.vcs[0].sizes.parts), 0.5, 0.01);
    assert_int_equal(fitted.vcs[1].sizes.num_sizes, 1);
    assert_int_equal(fitted.num_classes, 3);
    assert_ptr_equal(fitted.classes[0].duration.law.family, &spot_family_exponential);
    assert_near(fitted.classes[0].duration.law.parameters[0], 900, 30);
    assert_int_equal(fitted.classes[1].from_gpus, 2); /* no job has 2 or 3 */
    assert_int_equal(fitted.classes[1].duration.fixed_ms, 120000);
    assert_int_equal(fitted.classes[2].from_gpus, 5);
    assert_ptr_equal(fitted.classes[2].duration.law.family, &spot_family_lognormal);
    spot_job_log_free(&log);
    spot_job_law_free(&law);
    spot_job_law_free(&fitted);
}

/* A log with submits from first_s on, step_s apart. */
static void make_log(
    spot_job_log_t *log, spot_job_row_t *jobs, size_t num_jobs, int64_t first_s, int64_t step_s)
{
    *log = (spot_job_log_t){.num_jobs = num_jobs, .jobs = jobs, .clock_zero_s = SPOT_JOB_NO_CLOCK};
    for (size_t j = 0; j < num_jobs; j++) {
        jobs[j] = (spot_job_row_t){.submit_s = first_s + (int64_t) j * step_s,
            .duration_s = 60 + (int64_t) j,
            .gpu_num = 1,
            .user_id = -1};
    }
}

/* Too short for weights; the clock is that of the log. */
static void test_short_log(void **state)
{
    spot_job_row_t jobs[47];
    spot_job_law_t fitted;
    spot_job_log_t log;
    char *text;

    (void) state;
    make_log(&log, jobs, 47, 3 * 86400 + 5 * 3600, 3600);
    text = fit_text(&log);
    assert_null(strstr(text, "\nhours:"));
    assert_null(strstr(text, "weekdays:"));
    assert_null(strstr(text, "users:"));
    assert_non_null(strstr(text, "start: thursday # the log has no dates: its second 0 "
                                 "counts as a Monday\n"));
    free(text);
    fit(&log, &fitted);
    assert_near(fitted.per_hour, 1, 0);
    assert_int_equal(fitted.horizon_ms, 47 * SPOT_MS_PER_H);
    assert_int_equal(fitted.num_classes, 1);
    assert_int_equal(fitted.longest_ms, 106000);
    spot_job_law_free(&fitted);
}

/* Classes of few jobs share a law; the last ones join the one before. */
static void test_few_jobs(void **state)
{
    spot_job_row_t jobs[200];
    spot_job_law_t fitted;
    spot_job_log_t log;

    (void) state;
    make_log(&log, jobs, 200, 0, 100);
    for (int j = 0; j < 200; j++) {
        jobs[j].gpu_num = j < 30 ? 1 : j < 80 ? 2 : j < 151 ? 4 : j < 170 ? 8 : 64;
    }
    fit(&log, &fitted);
    assert_int_equal(fitted.num_classes, 2); /* 1 and 2; 4, 8 and 64 */
    assert_int_equal(fitted.classes[0].from_gpus, 1);
    assert_int_equal(fitted.classes[1].from_gpus, 3);
    spot_job_law_free(&fitted);
    log.num_jobs = 2;
    jobs[0].duration_s = jobs[1].duration_s = 77;
    fit(&log, &fitted);
    assert_int_equal(fitted.classes[0].duration.fixed_ms, 77000);
    spot_job_law_free(&fitted);
}

/* Of a recorded log: the laws are good YAML, keep the load of a cluster, and give about
 * as many jobs. */
static void test_recorded(void **state)
{
    static const char path[] = SHARED_DATA "jobs/venus_base.csv.gz";
    spot_vc_list_t list = {.num_vcs = 0};
    spot_job_log_t log, drawn = {.num_jobs = 0};
    double of_log_h = 0, of_laws_h = 0, most;
    spot_job_law_t law;
    spot_diag_t diag;
    size_t num_bytes;
    char *text;
    FILE *out;

    (void) state;
    need_data(path);
    spot_diag_init(&diag);
    assert_int_equal(
        spot_job_log_read(
            &log, &(spot_job_log_request_t){.log = path, .vcs = &list, .adds_vcs = true}, &diag),
        0);
    out = open_memstream(&text, &num_bytes);
    assert_non_null(out);
    assert_int_equal(spot_job_law_fit(&log, &list, "log.csv", out, &diag), 0);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(
        sscanf(strstr(text, "# GPU-hours"),
            "# GPU-hours: %lf in the log, %lf in the mean of the laws", &of_log_h, &of_laws_h),
        2);
    assert_near(of_laws_h, of_log_h, 0.05 * of_log_h);
    make_law(&law, text);
    assert_int_equal(spot_job_law_place(&law, &list, false, &diag), 0);
    assert_int_equal(spot_job_law_draw(&law, &drawn, 1, 0), 0);
    most = 5 * sqrt((double) log.num_jobs);
    assert_near((double) drawn.num_jobs, (double) log.num_jobs, most);
    assert_report(&diag, "");
    free(text);
    spot_job_law_free(&law);
    spot_job_log_free(&drawn);
    spot_job_log_free(&log);
    spot_vc_list_free(&list);
    spot_diag_free(&diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_short_log),
        cmocka_unit_test(test_few_jobs),
        cmocka_unit_test(test_recorded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
