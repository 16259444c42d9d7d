/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/watch.h"
#include "tests/unit/jobs/law_text.h"
#include "traces/jobs/job_file.h"
#include "traces/jobs/job_log.h"

#define BUSY                                                                                       \
    "per_hour: 100\nhorizon: 3 d\nusers: 5\nvcs: {a: 1, b: {weight: 2, sizes: {4: "                \
    "1}}}\n"                                                                                       \
    "sizes: {1: 3, 2: 2, 16: 1}\ndurations: {2: {family: exponential, mu: 500}}\n"

static void assert_same_jobs(const spot_job_log_t *log, const spot_job_log_t *other)
{
    assert_int_equal(log->num_jobs, other->num_jobs);
    for (size_t j = 0; j < log->num_jobs; j++) {
        const spot_job_row_t *a = &log->jobs[j], *b = &other->jobs[j];

        assert_string_equal(a->id, b->id);
        assert_int_equal(a->submit_s, b->submit_s);
        assert_int_equal(a->duration_s, b->duration_s);
        assert_int_equal(a->gpu_num, b->gpu_num);
        assert_int_equal(a->vc_id, b->vc_id);
        assert_int_equal(a->user_id, b->user_id);
    }
}

static void draw(
    const spot_job_law_t *law, spot_job_log_t *log, uint64_t seed, uint64_t replication)
{
    assert_int_equal(spot_job_law_draw(law, log, seed, replication), 0);
}

/* What holds of every log of a law. */
static void assert_valid(const spot_job_law_t *law, const spot_job_log_t *log)
{
    spot_job_log_verify(log);
    for (size_t j = 0; j < log->num_jobs; j++) {
        const spot_job_row_t *job = &log->jobs[j];
        char id[24];

        snprintf(id, sizeof(id), "%zu", j + 1);
        assert_string_equal(job->id, id);
        assert_true(job->submit_s >= (j == 0 ? 0 : log->jobs[j - 1].submit_s));
        assert_true(law->horizon_ms == 0 || job->submit_s * 1000 < law->horizon_ms);
        assert_in_range(job->duration_s, 1, law->longest_ms / 1000);
        assert_true(job->gpu_num >= 1);
        assert_true(job->user_id >= (law->num_users > 0 ? 0 : -1));
        assert_true(job->user_id < law->num_users);
        assert_int_equal(job->workload_id, -1);
    }
}

static void test_every_column(void **state)
{
    size_t num_large = 0, num_of_b = 0;
    spot_job_log_t log = {0};
    spot_job_law_t law;

    (void) state;
    make_law(&law, BUSY);
    law.vcs[1].vc_id = 1;
    draw(&law, &log, 1, 0);
    assert_in_range(log.num_jobs, 6600, 7800); /* 7200 and 7 deviations */
    assert_valid(&law, &log);
    assert_int_equal(log.users.num_names, 5);
    assert_string_equal(log.users.names[0], "u1");
    assert_string_equal(log.users.names[4], "u5");
    assert_int_equal(log.counts.kept, log.num_jobs);
    for (size_t j = 0; j < log.num_jobs; j++) {
        assert_true((log.jobs[j].gpu_num == 4) == (log.jobs[j].vc_id == 1));
        num_of_b += log.jobs[j].vc_id == 1;
        num_large += log.jobs[j].gpu_num == 16;
    }
    assert_in_range(num_of_b, log.num_jobs * 6 / 10, log.num_jobs * 7 / 10);
    assert_in_range(num_large, log.num_jobs / 25, log.num_jobs / 12);
    spot_job_log_free(&log);
    spot_job_law_free(&law);
}

/* A log drawn into used memory is that of fresh memory. */
static void test_used_memory(void **state)
{
    spot_job_log_t log = {0}, fresh = {0};
    spot_job_law_t law, small;

    (void) state;
    make_law(&law, BUSY);
    make_law(&small, "{per_hour: 50, horizon: 1 d, vcs: {a: 1}, users: 9}");
    draw(&law, &log, 7, 3);
    draw(&small, &log, 7, 4);
    assert_valid(&small, &log);
    assert_int_equal(log.users.num_names, 9);
    draw(&law, &log, 7, 5);
    draw(&law, &fresh, 7, 5);
    assert_same_jobs(&log, &fresh);
    assert_valid(&law, &log);
    spot_job_log_free(&log);
    spot_job_log_free(&fresh);
    spot_job_law_free(&law);
    spot_job_law_free(&small);
}

static void test_replications_differ(void **state)
{
    spot_job_log_t log = {0}, other = {0};
    spot_job_law_t law;

    (void) state;
    make_law(&law, BUSY);
    draw(&law, &log, 1, 0);
    draw(&law, &other, 1, 1);
    assert_int_not_equal(log.jobs[0].duration_s + log.jobs[1].duration_s,
        other.jobs[0].duration_s + other.jobs[1].duration_s);
    draw(&law, &other, 2, 0);
    assert_int_not_equal(log.num_jobs, other.num_jobs);
    spot_job_log_free(&log);
    spot_job_log_free(&other);
    spot_job_law_free(&law);
}

/* Two points of a study meet the same jobs: what one key does not concern stays. */
static void test_common_numbers(void **state)
{
    static const char text[] = "jobs: 400\nusers: 4\nvcs: {a: 1, b: 1}\n";
    spot_job_log_t log = {0}, other = {0};
    spot_job_law_t law, changed;
    char first[512], second[512];

    (void) state;
    snprintf(first, sizeof(first),
        "%sper_hour: 10\nsizes: {1: 1, 2: 1}\nduration: {family: gamma, shape: 2, "
        "scale: "
        "50}\n",
        text);
    snprintf(second, sizeof(second),
        "%sper_hour: 20\nsizes: {4: 1, 8: 1}\nduration: {family: gamma, shape: 2, "
        "scale: "
        "50000}\n",
        text);
    make_law(&law, first);
    make_law(&changed, second);
    draw(&law, &log, 1, 0);
    draw(&changed, &other, 1, 0);
    assert_int_equal(log.num_jobs, 400);
    assert_int_equal(other.num_jobs, 400);
    for (size_t j = 0; j < 400; j++) {
        const spot_job_row_t *a = &log.jobs[j], *b = &other.jobs[j];

        assert_int_equal(a->vc_id, b->vc_id);
        assert_int_equal(a->user_id, b->user_id);
        assert_int_equal(4 * a->gpu_num, b->gpu_num);
        assert_true(labs(a->submit_s - 2 * b->submit_s) <= 2);
        assert_true(a->duration_s == 1 || labs(b->duration_s - 1000 * a->duration_s) <= 501);
    }
    spot_job_log_free(&log);
    spot_job_log_free(&other);
    spot_job_law_free(&law);
    spot_job_law_free(&changed);
}

/* Jobs come only in the hours and on the days that have a weight. */
static void test_hours(void **state)
{
    spot_job_log_t log = {0};
    spot_job_law_t law;

    (void) state;
    make_law(&law, "per_hour: 40\nhorizon: 21 d\nvcs: {a: 1}\nstart: 2024-01-05 22:30:00\n" /* Fri
                                                                                             */
                   "hours: [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "
                   "1]\n"
                   "weekdays: [0, 0, 0, 0, 1, 1, 0]\nduration: 1.4 s\nlongest: 1 h\n");
    draw(&law, &log, 1, 0);
    assert_in_range(log.num_jobs, 19000, 21500); /* 20160 */
    for (size_t j = 0; j < log.num_jobs; j++) {
        const int64_t week_s = (log.jobs[j].submit_s + 4 * 86400 + 22 * 3600 + 1800) % (7 * 86400);

        assert_true(week_s / 86400 == 4 || week_s / 86400 == 5);
        assert_true(week_s / 3600 % 24 == 0 || week_s / 3600 % 24 == 23);
        assert_int_equal(log.jobs[j].duration_s, 1);
    }
    assert_true(log.clock_zero_s == law.start.clock_zero_s);
    assert_valid(&law, &log);
    spot_job_log_free(&log);
    spot_job_law_free(&law);
}

/* No job, the longest duration, and a clock that ends. */
static void test_limits(void **state)
{
    spot_job_log_t log = {0};
    spot_job_law_t law;

    (void) state;
    make_law(&law, "{per_hour: 0.001, horizon: 1 s, vcs: {a: 1}}");
    draw(&law, &log, 1, 0);
    assert_int_equal(log.num_jobs, 0);
    spot_job_law_free(&law);
    make_law(&law, "{per_hour: 1, jobs: 50, vcs: {a: 1}, longest: 2 s, duration: "
                   "{family: lognormal, zeta: 600, sigma: 1}}");
    draw(&law, &log, 1, 0);
    assert_int_equal(log.num_jobs, 50);
    assert_int_equal(log.jobs[49].duration_s, 2);
    spot_job_law_free(&law);
    make_law(&law, "{per_hour: 0.001, jobs: 1000, vcs: {a: 1}}");
    draw(&law, &log, 1, 0);
    assert_in_range(log.num_jobs, 730, 999); /* 878 within 100 years */
    assert_true(log.jobs[log.num_jobs - 1].submit_s < SPOT_JOB_MAX_S);
    spot_job_law_free(&law);
    spot_job_log_free(&log);
}

#define ELASTIC                                                                                    \
    "per_hour: 60\njobs: 1000\nvcs: {a: 1, \"b, 2\": 2}\nsizes: {1: 1, 4: 1, 8: 1}\n"              \
    "users: 3\ncheckpoint: {every: 600.4 s, write: 30 s}\nreconfiguration: 20 s\n"                 \
    "elastic: {share: 0.5, throughput: {8: 1.8, 4: 1, 16: 3}}\n"

/* Jobs of a size in the table are elastic or rigid, the others rigid. */
static void test_terms(void **state)
{
    size_t num_elastic = 0, num_rigid = 0;
    spot_job_log_t log = {0};
    spot_job_law_t law;

    (void) state;
    make_law(&law, ELASTIC);
    assert_string_equal(law.terms.scaling, "4:1 8:1.8 16:3");
    draw(&law, &log, 1, 0);
    draw(&law, &log, 1, 1);
    spot_job_log_verify(&log);
    assert_int_equal(log.num_terms, 2);
    assert_int_equal(log.num_scalings, 1);
    assert_int_equal(log.scalings[0].num_sizes, 3);
    for (size_t j = 0; j < log.num_jobs; j++) {
        const spot_job_row_t *job = &log.jobs[j];
        const spot_job_terms_row_t *terms = &log.terms[job->terms_id];

        assert_int_equal(terms->checkpoint_interval_s, 600);
        assert_int_equal(terms->checkpoint_write_s, 30);
        assert_int_equal(terms->restart_s, -1);
        assert_int_equal(terms->reconfiguration_s, 20);
        if (terms->min_gpus > 0) {
            assert_int_not_equal(job->gpu_num, 1);
            assert_int_equal(terms->min_gpus, 4);
            assert_int_equal(terms->max_gpus, 16);
            num_elastic++;
        } else {
            assert_int_equal(terms->scaling_id, -1);
            num_rigid += job->gpu_num > 1;
        }
    }
    assert_in_range(num_elastic, 270, 400); /* of 1000 a third, and 4 deviations */
    assert_in_range(num_rigid, 270, 400);
    spot_job_law_free(&law);
    make_law(&law, "{per_hour: 60, jobs: 2, vcs: {a: 1}, restart: 0 s}");
    draw(&law, &log, 1, 0);
    assert_int_equal(log.terms[log.jobs[0].terms_id].restart_s, 0);
    assert_int_equal(log.terms[log.jobs[0].terms_id].checkpoint_interval_s, 0);
    spot_job_law_free(&law);
    make_law(&law, "{per_hour: 60, jobs: 2, vcs: {a: 1}}");
    draw(&law, &log, 1, 0);
    assert_int_equal(log.jobs[0].terms_id, -1);
    spot_job_law_free(&law);
    spot_job_log_free(&log);
}

/* A log that is written and read again is the same. */
static void test_written(void **state)
{
    spot_job_log_request_t request = {.log = "log.csv"};
    spot_job_log_t log = {0}, again;
    spot_vc_list_t vcs = {0};
    spot_job_law_t law;
    spot_diag_t diag;
    char *bytes;
    FILE *out = open_memstream(&bytes, &request.num_bytes);

    (void) state;
    assert_non_null(out);
    spot_diag_init(&diag);
    make_law(&law, ELASTIC);
    assert_int_equal(spot_job_law_place(&law, &vcs, true, &diag), 0);
    draw(&law, &log, 3, 0);
    spot_job_log_write(&log, &vcs, out);
    assert_int_equal(fclose(out), 0);
    request.bytes = bytes;
    request.vcs = &vcs;
    assert_int_equal(spot_job_log_read(&again, &request, &diag), 0);
    assert_report(&diag, "");
    assert_int_equal(again.num_jobs, log.num_jobs);
    for (size_t j = 0; j < log.num_jobs; j++) {
        const spot_job_row_t *a = &log.jobs[j], *b = &again.jobs[j];

        assert_string_equal(a->id, b->id);
        assert_int_equal(a->submit_s, b->submit_s);
        assert_int_equal(a->duration_s, b->duration_s);
        assert_int_equal(a->gpu_num, b->gpu_num);
        assert_int_equal(a->vc_id, b->vc_id);
        assert_string_equal(log.users.names[a->user_id], again.users.names[b->user_id]);
        assert_int_equal(log.terms[a->terms_id].min_gpus, again.terms[b->terms_id].min_gpus);
        assert_int_equal(log.terms[a->terms_id].checkpoint_interval_s,
            again.terms[b->terms_id].checkpoint_interval_s);
    }
    free(bytes);
    spot_job_law_free(&law);
    spot_job_log_free(&log);
    spot_job_log_free(&again);
    spot_vc_list_free(&vcs);
    spot_diag_free(&diag);
}

/* VCs of a cluster: found by name, missing, added; without names by their nodes. */
static void test_place(void **state)
{
    spot_vc_list_t vcs = {0};
    spot_job_law_t law;
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    assert_int_equal(spot_vc_list_add(&vcs, "a", 3, 1), 0);
    assert_int_equal(spot_vc_list_add(&vcs, "b", 1, 2), 0);
    make_law(&law, "per_hour: 1\nvcs:\n  b: 1\n  c: 2\n  d: 1\n");
    assert_int_equal(spot_job_law_place(&law, &vcs, false, &diag), SPOT_ERR_BAD_INPUT);
    assert_report(&diag, "jobs.yaml:4:6: vcs.c: the cluster has no VC of that name\n"
                         "jobs.yaml:5:6: vcs.d: the cluster has no VC of that name\n");
    spot_diag_free(&diag);
    spot_diag_init(&diag);
    assert_int_equal(spot_job_law_place(&law, &vcs, true, &diag), 0);
    assert_int_equal(law.vcs[0].vc_id, 1);
    assert_int_equal(law.vcs[1].vc_id, 2);
    assert_int_equal(vcs.num_vcs, 4);
    assert_int_equal(vcs.vcs[3].num_nodes, 0);
    spot_job_law_free(&law);
    make_law(&law, "per_hour: 1");
    assert_int_equal(spot_job_law_place(&law, &vcs, false, &diag), 0);
    assert_int_equal(law.num_vcs, 4);
    assert_true(law.vc_parts.until[0] == 0.75 * spot_parts_sum(&law.vc_parts));
    assert_true(law.vc_parts.until[1] == law.vc_parts.until[3]);
    spot_job_law_free(&law);
    spot_vc_list_free(&vcs);
    make_law(&law, "per_hour: 1");
    assert_int_equal(spot_job_law_place(&law, &vcs, false, &diag), 0);
    assert_int_equal(vcs.num_vcs, 1);
    assert_string_equal(vcs.vcs[0].name, "main");
    spot_job_law_free(&law);
    spot_vc_list_free(&vcs);
    spot_diag_free(&diag);
}

/* A draw that a signal stops leaves memory that the next one can use. */
static void test_a_signal_stops_the_draw(void **state)
{
    spot_job_log_t log = {0}, other = {0};
    spot_job_law_t law;

    (void) state;
    make_law(&law, BUSY);
    law.vcs[1].vc_id = 1;
    atomic_store(&spot_stop, SIGTERM);
    assert_int_equal(spot_job_law_draw(&law, &log, 1, 0), SPOT_ERR_INTERRUPTED);
    atomic_store(&spot_stop, 0);
    draw(&law, &log, 1, 0);
    assert_valid(&law, &log);
    draw(&law, &other, 1, 0);
    assert_same_jobs(&log, &other);
    spot_job_log_free(&log);
    spot_job_log_free(&other);
    spot_job_law_free(&law);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_column),
        cmocka_unit_test(test_a_signal_stops_the_draw),
        cmocka_unit_test(test_used_memory),
        cmocka_unit_test(test_replications_differ),
        cmocka_unit_test(test_common_numbers),
        cmocka_unit_test(test_hours),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_terms),
        cmocka_unit_test(test_written),
        cmocka_unit_test(test_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
