/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/jobs/law_text.h"
#include "traces/jobs/job_log.h"

#define NUM_JOBS 5000

typedef struct {
    spot_job_row_t jobs[NUM_JOBS];
    int64_t submit_s[NUM_JOBS];
    int32_t order[NUM_JOBS], scratch[NUM_JOBS];
    spot_job_log_t log;
} case_t;

/* step_s apart, in pairs. */
static void make_case(case_t *self, size_t num_jobs, int64_t step_s)
{
    memset(self, 0, sizeof(*self));
    self->log.num_jobs = num_jobs;
    self->log.jobs = self->jobs;
    for (size_t j = 0; j < num_jobs; j++) {
        self->jobs[j].submit_s = 1000000 + (int64_t) (j / 2) * step_s;
    }
}

static void assert_sorted(const case_t *self, int64_t jitter_s)
{
    static bool is_seen[NUM_JOBS];

    memset(is_seen, 0, sizeof(is_seen));
    for (size_t j = 0; j < self->log.num_jobs; j++) {
        const int32_t id = self->order[j];

        assert_false(is_seen[id]);
        is_seen[id] = true;
        assert_in_range(self->submit_s[id] - self->jobs[id].submit_s, 0, jitter_s);
        if (j > 0) {
            const int32_t before = self->order[j - 1];

            assert_true(self->submit_s[before] < self->submit_s[id] ||
                        (self->submit_s[before] == self->submit_s[id] && before < id));
        }
    }
}

static void test_order(void **state)
{
    static const int64_t jitters_s[] = {0, 1, 30, 5000, 100000000};
    static case_t self;

    (void) state;
    for (size_t j = 0; j < sizeof(jitters_s) / sizeof(jitters_s[0]); j++) {
        for (int64_t step_s = 0; step_s <= 30000; step_s += 10000) {
            make_case(&self, NUM_JOBS, step_s);
            assert_int_equal(spot_job_jitter(&self.log, jitters_s[j], 1, 0, self.submit_s,
                                 self.order, self.scratch),
                0);
            assert_sorted(&self, jitters_s[j]);
        }
    }
}

static void test_none(void **state)
{
    static case_t self;

    (void) state;
    make_case(&self, NUM_JOBS, 10);
    assert_int_equal(
        spot_job_jitter(&self.log, 0, 1, 0, self.submit_s, self.order, self.scratch), 0);
    for (size_t j = 0; j < NUM_JOBS; j++) {
        assert_int_equal(self.submit_s[j], self.jobs[j].submit_s);
        assert_int_equal(self.order[j], j);
    }
    self.log.num_jobs = 0;
    assert_int_equal(
        spot_job_jitter(&self.log, 30, 1, 0, self.submit_s, self.order, self.scratch), 0);
}

/* Both limits occur, all shifts about equally often, and others in another
 * replication. */
static void test_shifts(void **state)
{
    static case_t self, other;
    int counts[4] = {0}, num_same = 0;

    (void) state;
    make_case(&self, NUM_JOBS, 1);
    make_case(&other, NUM_JOBS / 2, 1);
    assert_int_equal(
        spot_job_jitter(&self.log, 3, 1, 0, self.submit_s, self.order, self.scratch), 0);
    assert_int_equal(
        spot_job_jitter(&other.log, 3, 1, 0, other.submit_s, other.order, other.scratch), 0);
    for (size_t j = 0; j < NUM_JOBS; j++) {
        counts[self.submit_s[j] - self.jobs[j].submit_s]++;
        assert_true(j >= NUM_JOBS / 2 || self.submit_s[j] == other.submit_s[j]);
    }
    for (int j = 0; j < 4; j++) {
        assert_in_range(counts[j], 1100, 1400); /* 1250 and 5 deviations of 31 */
    }
    assert_int_equal(
        spot_job_jitter(&other.log, 3, 1, 1, other.submit_s, other.order, other.scratch), 0);
    for (size_t j = 0; j < NUM_JOBS / 2; j++) {
        num_same += self.submit_s[j] == other.submit_s[j];
    }
    assert_in_range(num_same, 525, 725); /* of 2500 one in four */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_shifts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
