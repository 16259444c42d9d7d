/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The queue of a VC against a slow twin: one array, sorted by insertion. Jobs join, are sorted by
 * new and by old keys, looked at and leave in random order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/rng.h"
#include "sim/schedule/policy.h"
#include "sim/schedule/vc.h"

#define NUM_CASES (400 / SPOT_FEWER)
#define NUM_STEPS 300
#define NUM_JOBS 6000

/* ---- The twin ---- */

typedef struct {
    size_t num_jobs, num_sorted;
    int32_t jobs[NUM_JOBS];
} twin_t;

static bool goes_before(const spot_vc_job_t *a, const spot_vc_job_t *b)
{
    return a->key != b->key ? a->key < b->key : a->tie < b->tie;
}

static void twin_sort(twin_t *self, const spot_vc_t *vc, bool from_scratch)
{
    for (size_t j = from_scratch ? 0 : self->num_sorted; j < self->num_jobs; j++) {
        const int32_t job = self->jobs[j];
        size_t place = j;

        for (; place > 0 && goes_before(&vc->jobs[job], &vc->jobs[self->jobs[place - 1]]);
             place--) {
            self->jobs[place] = self->jobs[place - 1];
        }
        self->jobs[place] = job;
    }
    self->num_sorted = self->num_jobs;
}

static void twin_remove(twin_t *self, int32_t job)
{
    size_t place = 0;

    while (self->jobs[place] != job) {
        place++;
        assert_true(place < self->num_jobs);
    }
    memmove(self->jobs + place, self->jobs + place + 1,
        (self->num_jobs - place - 1) * sizeof(*self->jobs));
    self->num_jobs--;
    self->num_sorted -= place < self->num_sorted;
}

/* ---- A case ---- */

typedef struct {
    spot_rng_t rng;
    spot_vc_t vc;
    twin_t twin;
    int64_t most_new;                      /* jobs at a time */
    int64_t num_keys, num_ties, num_sizes; /* few: many jobs are equal */
} case_t;

static void do_nothing(spot_vc_t *vc)
{
    (void) vc;
}

static const spot_policy_t policy = {.name = "none", .decide = do_nothing};
static const spot_schedule_scenario_t scenario = {.gpus_per_node = 8};

static int64_t draw(case_t *self, int64_t below)
{
    return (int64_t) spot_rng_below(&self->rng, (uint64_t) below);
}

static void set_key(case_t *self, int32_t job)
{
    self->vc.jobs[job].key = (double) draw(self, self->num_keys);
    self->vc.jobs[job].tie = (double) draw(self, self->num_ties);
}

static void join(case_t *self)
{
    const int32_t job = (int32_t) draw(self, NUM_JOBS);
    spot_vc_job_t *at = &self->vc.jobs[job];

    if (at->block_id == SPOT_NOT_QUEUED) {
        at->gpus = 1 + (int32_t) draw(self, self->num_sizes);
        spot_vc_enqueue(&self->vc, job);
        set_key(self, job);
        self->twin.jobs[self->twin.num_jobs++] = job;
    }
}

/* The whole queue, then jobs up to random sizes, as a walk with a quota does. */
static void look(case_t *self)
{
    const twin_t *twin = &self->twin;
    spot_queue_place_t place = {0};
    int32_t most_gpus = 1 + (int32_t) draw(self, self->num_sizes);

    assert_int_equal(spot_vc_num_queued(&self->vc), twin->num_jobs);
    for (size_t j = 0; j < twin->num_jobs; j++) {
        assert_int_equal(spot_vc_next_queued(&self->vc, &place), twin->jobs[j]);
    }
    assert_int_equal(spot_vc_next_queued(&self->vc, &place), -1);
    place = (spot_queue_place_t){0};
    for (size_t j = 0; j < twin->num_jobs; j++) {
        if (self->vc.jobs[twin->jobs[j]].gpus <= most_gpus) {
            assert_int_equal(
                spot_vc_next_queued_up_to(&self->vc, &place, most_gpus), twin->jobs[j]);
            most_gpus = draw(self, 4) == 0 && most_gpus > 1 ? most_gpus - 1 : most_gpus;
        }
    }
    assert_int_equal(spot_vc_next_queued_up_to(&self->vc, &place, most_gpus), -1);
}

static void check_sizes(const case_t *self)
{
    size_t num_of_size[SPOT_QUEUE_SIZES + 1] = {0};

    for (size_t j = 0; j < self->twin.num_jobs; j++) {
        const int32_t gpus = self->vc.jobs[self->twin.jobs[j]].gpus;

        num_of_size[gpus < SPOT_QUEUE_SIZES ? gpus : SPOT_QUEUE_SIZES]++;
    }
    assert_memory_equal(num_of_size, self->vc.queue.num_of_size, sizeof(num_of_size));
}

/* Of those that have joined since the sort, none is left out. */
static void check_unsorted(const case_t *self)
{
    spot_queue_place_t place = spot_vc_unsorted_queue(&self->vc);
    size_t num = 0;

    while (spot_vc_next_queued(&self->vc, &place) >= 0) {
        num++;
    }
    assert_true(num >= self->twin.num_jobs - self->twin.num_sorted);
    assert_true(num <= self->twin.num_jobs - self->twin.num_sorted + 1);
}

static void sort(case_t *self)
{
    const bool from_scratch = draw(self, 8) == 0;

    for (size_t j = 0; from_scratch && j < self->twin.num_jobs; j++) {
        set_key(self, self->twin.jobs[j]);
    }
    spot_vc_sort_queue(&self->vc, from_scratch);
    twin_sort(&self->twin, &self->vc, from_scratch);
    assert_int_equal(self->vc.error, 0);
}

/* Jobs from the head, or from anywhere, which stay until the decision ends. */
static void leave(case_t *self)
{
    const bool is_head = draw(self, 2) == 0;
    int64_t num = draw(self, 1 + (int64_t) self->twin.num_jobs / (1 + draw(self, 8)));

    if (draw(self, 4) == 0) { /* all but few */
        num = (int64_t) self->twin.num_jobs - draw(self, 3);
    }
    while (num-- > 0 && self->twin.num_jobs > 0) {
        const size_t place = is_head ? 0 : (size_t) draw(self, (int64_t) self->twin.num_jobs);
        const int32_t job = self->twin.jobs[place];

        spot_vc_leave_queue(&self->vc, job);
        self->vc.jobs[job].gpus = 1; /* it may have started with others */
        twin_remove(&self->twin, job);
    }
    assert_int_equal(spot_vc_num_queued(&self->vc), self->twin.num_jobs);
    spot_vc_compact_queue(&self->vc);
}

static void test_like_a_sorted_array(void **state)
{
    static case_t self;
    size_t most = 0;

    (void) state;
    for (uint64_t j = 0; j < NUM_CASES; j++) {
        memset(&self, 0, sizeof(self));
        spot_rng_seek(&self.rng, 1, j, SPOT_STREAM_OWN, 0);
        self.most_new = draw(&self, 3) == 0 ? 4 : 150;
        self.num_keys = draw(&self, 2) == 0 ? 3 : 1000;
        self.num_ties = 1 + draw(&self, 3);
        self.num_sizes = draw(&self, 3) == 0 ? 100 : 1 + draw(&self, 8);
        spot_vc_init(&self.vc, &scenario, &policy, "vc", 0);
        spot_vc_start_clock(&self.vc, NULL, 1, 0);
        self.vc.jobs = spot_calloc(NUM_JOBS, sizeof(*self.vc.jobs));
        assert_non_null(self.vc.jobs);
        for (int32_t job = 0; job < NUM_JOBS; job++) {
            self.vc.jobs[job].block_id = SPOT_NOT_QUEUED;
        }
        for (int step = 0; step < NUM_STEPS; step++) {
            for (int64_t num = draw(&self, self.most_new); num > 0; num--) {
                join(&self);
            }
            check_unsorted(&self);
            if (draw(&self, 3) > 0) {
                sort(&self);
            }
            look(&self);
            most = self.twin.num_jobs > most ? self.twin.num_jobs : most;
            if (draw(&self, 4) > 0) {
                leave(&self);
            }
            check_sizes(&self);
            look(&self);
        }
        spot_vc_free(&self.vc);
    }
    assert_true(most > 4 * SPOT_QUEUE_BLOCK_JOBS); /* blocks were split and emptied */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_like_a_sorted_array)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
