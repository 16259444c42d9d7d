/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a job has done by a second, in closed form, against a twin that does it second by
 * second. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "schedule_case.h"
#include "sim/schedule/vc.h"

#define NUM_CASES (4000 / SPOT_FEWER)
#define NOTICE_S 20

/* A job on its node, as the specification says. */
typedef struct {
    int64_t rest, saved, captured; /* thousandths of a second of work */
    int64_t rate;
    int64_t overhead_s, clock_s;
    int64_t durable_s; /* -1: no checkpoint is in flight */
    int64_t half_gpus;
    int64_t pending, captured_pending;
    int64_t useful, lost, overhead; /* half GPU-seconds */
    int64_t lost_work;
    int64_t interval_s, write_s;
} twin_t;

static void make_durable(twin_t *self)
{
    self->saved = self->captured;
    self->useful += self->captured_pending;
    self->pending -= self->captured_pending;
    self->durable_s = -1;
}

static void capture(twin_t *self, int64_t now_s)
{
    self->captured = self->rest;
    self->captured_pending = self->pending;
    self->durable_s = now_s + self->write_s;
    if (self->write_s == 0) {
        make_durable(self);
    }
}

/* The second that ends at now_s. */
static void twin_work(twin_t *self, int64_t now_s)
{
    if (self->overhead_s > 0) {
        self->overhead_s--;
        self->overhead += self->half_gpus;
    } else {
        self->rest -= self->rate;
        self->clock_s++;
        self->pending += self->half_gpus;
    }
    if (self->durable_s == now_s) {
        make_durable(self);
    }
    if (self->interval_s > 0 && self->clock_s > 0 && self->durable_s < 0 &&
        self->clock_s % self->interval_s == 0) {
        capture(self, now_s);
    }
}

static void keep(twin_t *self)
{
    self->saved = self->rest;
    self->useful += self->pending;
    self->pending = 0;
    self->durable_s = -1;
    self->clock_s = 0;
}

static void lose(twin_t *self)
{
    self->lost_work += self->saved - self->rest;
    self->rest = self->saved;
    self->lost += self->pending;
    self->pending = 0;
    self->durable_s = -1;
    self->clock_s = 0;
}

/* ---- Both ---- */

static const int32_t sizes[] = {4, 8};
static const double per_s[] = {0.6237, 1};

enum { LOSS, NOTICE, STOP, RESIZE, NUM_KINDS };

typedef struct {
    spot_rng_t rng;
    schedule_case_t scenario;
    spot_job_terms_row_t terms;
    spot_estimates_t durations;
    spot_vc_t vc;
    twin_t twin;
    int32_t node_id;
    int64_t counts[NUM_KINDS];
} pair_t;

static int64_t below(pair_t *self, int64_t limit)
{
    return (int64_t) spot_rng_below(&self->rng, (uint64_t) limit);
}

static void start_pair(pair_t *self, uint64_t seed)
{
    const bool is_elastic = seed % 3 == 0;
    int64_t duration_s;

    memset(self, 0, sizeof(*self));
    spot_rng_seek(&self->rng, seed, 0, SPOT_STREAM_OWN, 0);
    duration_s = 1 + below(self, 2000);
    case_start(&self->scenario, 8, "fifo");
    case_add_vc(&self->scenario, "a", 1);
    self->terms = (spot_job_terms_row_t){.scaling_id = -1,
        .checkpoint_interval_s = below(self, 5) == 0 ? 0 : 1 + below(self, 100),
        .checkpoint_write_s = below(self, 3) == 0 ? below(self, 4) : below(self, 150),
        .restart_s = below(self, 80),
        .reconfiguration_s = below(self, 40)};
    if (is_elastic) {
        self->terms.scaling_id = case_add_scaling(&self->scenario, 2, sizes, per_s);
        self->terms.min_gpus = 4;
        self->terms.max_gpus = 8;
    }
    case_add_job(&self->scenario, 0, 8, 0, duration_s, &self->terms);
    spot_vc_init(&self->vc, &self->scenario.scenario, &spot_policy_fifo, "a", 0);
    self->vc.durations = &self->durations;
    spot_vc_start_clock(&self->vc, &self->scenario.log, 1, 0);
    spot_vc_add_job(&self->vc, 0, 0, duration_s, (double) NAN);
    self->twin = (twin_t){.rest = duration_s * 1000,
        .saved = duration_s * 1000,
        .rate = 1000,
        .durable_s = -1,
        .half_gpus = 16,
        .interval_s = self->terms.checkpoint_interval_s,
        .write_s = self->terms.checkpoint_write_s};
    spot_vc_begin_second(&self->vc, 0);
    spot_vc_schedule(&self->vc);
}

static void end_pair(pair_t *self)
{
    spot_vc_free(&self->vc);
    case_end(&self->scenario);
}

/* Something happens to the job, which runs, in a second. */
static void happen(pair_t *self, int64_t now_s)
{
    const spot_job_terms_row_t *terms = &self->terms;
    int64_t kind = below(self, NUM_KINDS);
    twin_t *twin = &self->twin;

    kind = kind == RESIZE && terms->min_gpus == 0 ? STOP : kind;
    self->counts[kind]++;
    if (kind == LOSS) {
        spot_vc_lose_nodes(&self->vc, 1, &self->node_id);
        self->node_id = spot_vc_add_node(&self->vc, -1, 0);
        lose(twin);
        twin->overhead_s = terms->restart_s;
        twin->rate = 1000; /* it asks for its nominal size again */
        twin->half_gpus = 16;
    } else if (kind == NOTICE) {
        spot_vc_notice_nodes(&self->vc, 1, &self->node_id, NOTICE_S);
        self->vc.nodes.nodes[self->node_id].is_noticed = false; /* the node stays */
        self->vc.nodes.num_open++;
        self->vc.nodes.num_free += __builtin_popcountll(self->vc.nodes.nodes[self->node_id].free);
        if (terms->checkpoint_interval_s > 0 && twin->overhead_s == 0 &&
            terms->checkpoint_write_s <= NOTICE_S) {
            capture(twin, now_s);
        }
    } else if (kind == STOP) {
        spot_vc_stop(&self->vc, 0);
        keep(twin);
        twin->overhead_s += terms->restart_s;
    } else {
        const int32_t gpus = self->vc.jobs[0].gpus == 8 ? 4 : 8;

        assert_true(spot_vc_resize(&self->vc, 0, gpus));
        keep(twin);
        twin->overhead_s += terms->reconfiguration_s;
        twin->rate = gpus == 8 ? 1000 : 624;
        twin->half_gpus = 2 * gpus;
    }
}

static void compare(pair_t *self, int64_t now_s)
{
    const spot_vc_job_t *job = &self->vc.jobs[0];
    const twin_t *twin = &self->twin;
    int64_t pending;

    spot_vc_finish(&self->vc, now_s);
    pending = self->vc.ledger[SPOT_GPU_UNSAVED];
    assert_true(job->left == (double) twin->rest || twin->rest < 0);
    assert_true(job->lost == (double) twin->lost_work);
    assert_int_equal(self->vc.ledger[SPOT_GPU_USEFUL], twin->useful);
    assert_int_equal(self->vc.ledger[SPOT_GPU_LOST], twin->lost);
    assert_int_equal(self->vc.ledger[SPOT_GPU_OVERHEAD], twin->overhead);
    assert_int_equal(pending, twin->pending);
}

static void test_twin(void **state)
{
    int64_t counts[NUM_KINDS] = {0}, num_ended = 0;

    (void) state;
    for (uint64_t seed = 0; seed < NUM_CASES; seed++) {
        pair_t self;
        int64_t now_s = 0, next_s, last_s;

        start_pair(&self, seed);
        last_s = 1 + below(&self, 4000);
        next_s = 1 + below(&self, 500);
        while (now_s < last_s && self.vc.num_ended == 0) {
            now_s++;
            twin_work(&self.twin, now_s);
            if (now_s == next_s || now_s == spot_vc_next_due_s(&self.vc)) {
                spot_vc_begin_second(&self.vc, now_s);
                assert_int_equal(self.vc.num_ended, self.twin.rest <= 0);
                if (now_s == next_s && self.vc.num_ended == 0) {
                    happen(&self, now_s);
                    next_s += 1 + below(&self, below(&self, 2) == 0 ? 30 : 600);
                }
                spot_vc_schedule(&self.vc);
                spot_vc_verify(&self.vc);
            }
        }
        if (self.vc.num_ended > 0) {
            keep(&self.twin);
        }
        compare(&self, now_s);
        num_ended += (int64_t) self.vc.num_ended;
        for (int j = 0; j < NUM_KINDS; j++) {
            counts[j] += self.counts[j];
        }
        end_pair(&self);
    }
    for (int j = 0; j < NUM_KINDS; j++) {
        assert_true(counts[j] > NUM_CASES / 8);
    }
    assert_true(num_ended > NUM_CASES / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_twin)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
