/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/jobs/law_text.h"

static void check_report(const char *text, const char *expected)
{
    spot_job_law_t law;
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(parse_law(&law, text, &diag), SPOT_ERR_BAD_INPUT);
    assert_report(&diag, expected);
    spot_job_law_free(&law);
    spot_diag_free(&diag);
}

static void test_defaults(void **state)
{
    spot_job_law_t law;

    (void) state;
    make_law(&law, "per_hour: 120");
    assert_true(law.per_hour == 120);
    assert_true(law.hours[0] == 1 && law.hours[23] == 1);
    assert_true(law.weekdays[0] == 1 && law.weekdays[6] == 1);
    assert_int_equal(law.start.week_s, 0);
    assert_true(law.start.clock_zero_s == SPOT_JOB_NO_CLOCK);
    assert_int_equal(law.horizon_ms, 7 * SPOT_MS_PER_D);
    assert_int_equal(law.num_jobs, 0);
    assert_int_equal(law.sizes.num_sizes, 1);
    assert_int_equal(law.sizes.sizes[0].num_gpus, 1);
    assert_ptr_equal(law.duration.law.family, &spot_family_lognormal);
    assert_int_equal(law.num_classes, 0);
    assert_int_equal(law.num_vcs, 0);
    assert_int_equal(law.num_users, 0);
    assert_true(spot_job_law_mean_jobs(&law) == 120 * 24 * 7);
    spot_job_law_free(&law);
}

static void test_every_key(void **state)
{
    spot_job_law_t law;

    (void) state;
    make_law(&law, "spotsim-jobs: 1\n"
                   "per_hour: 30\n"
                   "hours: [0, 0, 0, 0, 0, 0, 0, 0, 3, 3, 3, 3, 3, 3, 3, 3, 0, 0, 0, 0, "
                   "0, 0, 0, 0]\n"
                   "weekdays: [1, 1, 1, 1, 1, 0, 2]\n"
                   "start: 2020-09-01 06:30:00\n"
                   "horizon: 2 d\n"
                   "jobs: 500\n"
                   "sizes: {8: 1, 1: 3}\n"
                   "duration: 90 s\n"
                   "durations: {16: {family: exponential, mu: 600}, 4: 1 h}\n"
                   "longest: 10 d\n"
                   "vcs:\n"
                   "  b: 1\n"
                   "  a: {weight: 3, sizes: {2: 1, 4: 1}}\n"
                   "users: 3\n");
    assert_true(law.hours[0] == 0 && law.hours[8] == 3 && law.hours[16] == 0);
    assert_true(law.weekdays[5] == 0 && law.weekdays[6] == 2);
    assert_true(law.start.clock_zero_s == INT64_C(1598941800));
    assert_int_equal(law.start.week_s, 86400 + 6 * 3600 + 1800); /* a Tuesday */
    assert_int_equal(law.horizon_ms, 2 * SPOT_MS_PER_D);
    assert_int_equal(law.num_jobs, 500);
    assert_int_equal(law.sizes.num_sizes, 2);
    assert_int_equal(law.sizes.sizes[0].num_gpus, 1);
    assert_true(law.sizes.parts.until[0] == 3 && law.sizes.parts.until[1] == 4);
    assert_null(law.duration.law.family);
    assert_int_equal(law.duration.fixed_ms, 90000);
    assert_int_equal(law.num_classes, 2);
    assert_int_equal(law.classes[0].from_gpus, 4);
    assert_int_equal(law.classes[0].duration.fixed_ms, SPOT_MS_PER_H);
    assert_ptr_equal(law.classes[1].duration.law.family, &spot_family_exponential);
    assert_int_equal(law.longest_ms, 10 * SPOT_MS_PER_D);
    assert_int_equal(law.num_vcs, 2);
    assert_string_equal(law.vcs[0].name, "b");
    assert_int_equal(law.vcs[0].sizes.num_sizes, 0);
    assert_int_equal(law.vcs[1].sizes.num_sizes, 2);
    assert_true(law.vc_parts.until[0] == 1 && law.vc_parts.until[1] == 4);
    assert_true(law.user_parts.until[1] == 1.5);
    assert_true(spot_job_law_mean_jobs(&law) == 500);
    spot_job_law_free(&law);
}

static void test_ends(void **state)
{
    spot_job_law_t law;

    (void) state;
    make_law(&law, "{per_hour: 1, jobs: 1000000, start: sunday}");
    assert_int_equal(law.horizon_ms, 0);
    assert_int_equal(law.start.week_s, 6 * 86400);
    assert_true(spot_job_law_mean_jobs(&law) == 1000000);
    spot_job_law_free(&law);
    make_law(&law, "{per_hour: 1, jobs: 1000000, horizon: 30 min, start: 1970-01-07 00:00:00}");
    assert_true(spot_job_law_mean_jobs(&law) == 0.5);
    assert_int_equal(law.start.week_s, 2 * 86400); /* a Wednesday */
    spot_job_law_free(&law);
}

static void test_bad_values(void **state)
{
    (void) state;
    check_report(
        "per_hour: 1\nhour: [1]", "jobs.yaml:2:1: unknown key \"hour\", did you mean \"hours\"?\n");
    check_report("per_hour: 1\nstart: moonday\nduration: 0 s\ndurations: {8: {family: "
                 "exponental, mu: 3}}",
        "jobs.yaml:2:8: start: expected a weekday (monday ... sunday) or YYYY-MM-DD "
        "hh:mm:ss, got \"moonday\"\n"
        "jobs.yaml:3:11: duration: expected a duration from 1 s to 36525 d, got \"0 "
        "s\"\n"
        "jobs.yaml:4:25: durations.8: unknown family \"exponental\", did you mean "
        "\"exponential\"?\n");
    check_report("per_hour: 1\nstart: 2021-02-29\nduration: {mu: 5}",
        "jobs.yaml:2:8: start: expected a weekday (monday ... sunday) or YYYY-MM-DD "
        "hh:mm:ss, got \"2021-02-29\"\n"
        "jobs.yaml:3:11: duration: expected a duration such as 600 s, or a law such as "
        "{family: exponential, mu: 600}, got a map\n");
    check_report("per_hour: 1e9\nhorizon: 100 d",
        "jobs.yaml:1:11: per_hour: 2.4e+12 jobs are expected within the horizon: there "
        "are at most 100000000\n");
    check_report("per_hour: 1\nvcs: {a: [1], b: {sizes: {1: 0}, wight: 2}}\nusers: -1",
        "jobs.yaml:2:10: vcs.a: expected a weight, or {weight: NUMBER, sizes: {...}}, "
        "got a list\n"
        "jobs.yaml:2:26: vcs.b.sizes: expected a map from the number of GPUs to a "
        "weight such as {1: 0.7, 8: 0.3}, got a map: all are 0\n"
        "jobs.yaml:2:34: unknown key \"wight\", did you mean \"weight\"?\n"
        "jobs.yaml:2:18: missing key \"vcs.b.weight\"\n"
        "jobs.yaml:3:8: users: expected an integer from 0 to 1000000, got \"-1\"\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_every_key),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_bad_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
