/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The elastic policies against a slow twin, which follows the specification word by word
 * and every second. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random_schedule.h"

#define NUM_CASES (3000 / SPOT_FEWER)
#define MAX_JOBS 16

static const char *const policies[] = {"efs", "gain"};

typedef struct {
    int32_t job;
    int32_t target;
} candidate_t;

static const spot_job_scaling_t *scaling_of(const spot_vc_t *vc, int32_t job)
{
    const spot_job_row_t *row = spot_vc_row(vc, job);

    return &vc->log->scalings[vc->log->terms[row->terms_id].scaling_id];
}

/* The least allowed size above gpus; 0: none. */
static int32_t next_size(const spot_vc_t *vc, int32_t job, int32_t gpus)
{
    const spot_job_row_t *row = spot_vc_row(vc, job);
    const spot_job_terms_row_t *terms = &vc->log->terms[row->terms_id];

    if (terms->min_gpus == 0) {
        return row->gpu_num > gpus ? row->gpu_num : 0;
    }
    for (int32_t size = gpus + 1; size <= terms->max_gpus; size++) {
        for (size_t j = 0; j < scaling_of(vc, job)->num_sizes; j++) {
            if (scaling_of(vc, job)->sizes[j] == size && size >= terms->min_gpus) {
                return size;
            }
        }
    }
    return 0;
}

static double throughput(const spot_vc_t *vc, int32_t job, int32_t gpus)
{
    size_t j = 0;

    while (scaling_of(vc, job)->sizes[j] != gpus) {
        j++;
    }
    return scaling_of(vc, job)->per_s[j];
}

/* (1): by submit, then in order of the log. */
static size_t find_candidates(const spot_vc_t *vc, candidate_t *candidates)
{
    size_t num = 0;

    for (int32_t job = 0; job < (int32_t) vc->num_jobs; job++) {
        if (vc->jobs[job].status == SPOT_JOB_QUEUED || vc->jobs[job].status == SPOT_JOB_RUNNING) {
            assert_true(num < MAX_JOBS);
            candidates[num++] = (candidate_t){job, 0};
        }
    }
    return num; /* jobs of these cases are added in that order */
}

/* (3): the candidate to raise, or NULL. */
static candidate_t *neediest(
    const spot_vc_t *vc, candidate_t *candidates, size_t num, int32_t num_free)
{
    const bool is_gain = vc->scenario->policy_id > 0 &&
                         strcmp(spot_policies[vc->scenario->policy_id]->name, "gain") == 0;
    candidate_t *best = NULL;
    double best_value = 0;

    for (size_t j = 0; j < num; j++) {
        const int32_t job = candidates[j].job;
        const spot_vc_job_t *at = &vc->jobs[job];
        const int32_t gpu_num = spot_vc_row(vc, job)->gpu_num;
        const int32_t size = candidates[j].target;
        const int32_t next = next_size(vc, job, size);
        const bool is_held = at->status == SPOT_JOB_RUNNING && next > at->gpus &&
                             vc->now_s - at->resized_s < vc->scenario->elastic.hold_s;
        double value;

        if (size == 0 || next == 0 || next - size > num_free || is_held) {
            continue;
        }
        value = is_gain ? (throughput(vc, job, next) - throughput(vc, job, size)) /
                              ((next - size) * throughput(vc, job, gpu_num))
                        : -(double) size / gpu_num;
        if (best == NULL || value > best_value) {
            best = &candidates[j];
            best_value = value;
        }
    }
    return best;
}

/* (4). */
static void apply(spot_vc_t *vc, const candidate_t *candidates, size_t num)
{
    bool was_running[MAX_JOBS];

    for (size_t j = 0; j < num; j++) {
        was_running[j] = vc->jobs[candidates[j].job].status == SPOT_JOB_RUNNING;
    }
    for (size_t j = 0; j < num; j++) {
        if (was_running[j] && candidates[j].target == 0) {
            spot_vc_stop(vc, candidates[j].job);
        }
    }
    for (size_t j = 0; j < num; j++) {
        const candidate_t *at = &candidates[j];

        if (was_running[j] && at->target > 0 && at->target < vc->jobs[at->job].gpus) {
            assert_true(spot_vc_resize(vc, at->job, at->target));
        }
    }
    for (size_t j = 0; j < num; j++) {
        int32_t size = was_running[j] ? 0 : candidates[j].target;

        while (size > 0 && !spot_vc_start_with(vc, candidates[j].job, size)) {
            int32_t smaller = 0;

            for (int32_t k = next_size(vc, candidates[j].job, 0); k > 0 && k < size;
                 k = next_size(vc, candidates[j].job, k)) {
                smaller = k;
            }
            size = smaller;
        }
    }
    for (size_t j = 0; j < num; j++) {
        const candidate_t *at = &candidates[j];

        if (was_running[j] && at->target > vc->jobs[at->job].gpus) {
            (void) spot_vc_resize(vc, at->job, at->target);
        }
    }
}

static void twin_decide(spot_vc_t *vc)
{
    candidate_t candidates[MAX_JOBS];
    int32_t num_free = spot_vc_quota(vc);
    candidate_t *best;
    size_t num;

    if (!vc->is_changed && vc->now_s % vc->scenario->elastic.interval_s != 0) {
        return;
    }
    num = find_candidates(vc, candidates);
    for (size_t j = 0; j < num; j++) { /* (2) */
        const int32_t smallest = next_size(vc, candidates[j].job, 0);

        if (smallest <= num_free) {
            candidates[j].target = smallest;
            num_free -= smallest;
        }
    }
    while ((best = neediest(vc, candidates, num, num_free)) != NULL) {
        const int32_t next = next_size(vc, best->job, best->target);

        num_free -= next - best->target;
        best->target = next;
    }
    apply(vc, candidates, num);
}

static int64_t twin_next_due_s(const spot_vc_t *vc)
{
    return vc->num_running > 0 ? vc->now_s + 1 : INT64_MAX;
}

static const spot_policy_t twin = {
    .name = "twin", .next_due_s = twin_next_due_s, .decide = twin_decide};

static void test_twin(void **state)
{
    int64_t num_resized = 0, num_stopped = 0;

    (void) state;
    for (uint64_t seed = 0; seed < NUM_CASES; seed++) {
        schedule_case_t self;
        spot_schedule_t schedule;
        char *text, *twins;

        draw_case(&self, seed);
        case_set_policy(&self, policies[seed % 2]);
        case_set_capacity(&self);
        assert_int_equal(spot_schedule_init(&schedule, &self.scenario), 0);
        text = case_run_once(&self, &schedule, false);
        for (int32_t j = 0; j < schedule.num_vcs; j++) {
            num_resized += schedule.vcs[j].resizes;
            num_stopped += schedule.vcs[j].preemptions;
        }
        spot_schedule_free(&schedule);
        assert_int_equal(spot_schedule_init(&schedule, &self.scenario), 0);
        for (int32_t j = 0; j < schedule.num_vcs; j++) {
            schedule.vcs[j].policy = &twin;
        }
        twins = case_run_once(&self, &schedule, true);
        if (strcmp(text, twins) != 0) {
            print_error("case %llu, %s\n%stwin:\n%s", (unsigned long long) seed, policies[seed % 2],
                text, twins);
            fail();
        }
        free(text);
        free(twins);
        spot_schedule_free(&schedule);
        case_end(&self);
    }
    assert_true(num_resized > NUM_CASES / 2);
    assert_true(num_stopped > NUM_CASES / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_twin)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
