/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exact recursions for stages without delays: Lindley (1952) for one replica, Kiefer and
 * Wolfowitz (1955) for several, no wait behind a slower stage, and batch by batch for
 * any batch limit. The event engine gives the same to the nanosecond, ties included. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "tests/unit/serve/serve_case.h"

#define NUM_CASES (400 / SPOT_FEWER)
#define NUM_QUERIES 500
#define MAX_REPLICAS 8
#define MAX_BATCH 6
#define MAX_STAGES 4

static const char chain[] =
    "pipeline: [{id: a, from: source}, {id: b, from: a}, {id: c, from: b}]\n";

/* Queries at a node, in the order in which they come. */
typedef struct {
    int32_t ids[NUM_QUERIES];
    int64_t at_ns[NUM_QUERIES];
} flow_t;

typedef struct {
    serve_case_t serve;
    spot_rng_t rng;
    spot_service_time_t times[MAX_STAGES];
    int64_t busy_ns[MAX_STAGES][MAX_BATCH + 1], result_ns[MAX_STAGES][MAX_BATCH + 1];
    flow_t source;
} random_case_t;

static int64_t draw(random_case_t *self, int64_t limit)
{
    return (int64_t) spot_rng_below(&self->rng, (uint64_t) limit);
}

/* A stage with a table of random times, which need not rise with the batch; a result may
 * come later than the replica is free. Small times make ties. */
static void draw_stage(random_case_t *self, size_t stage_id, int64_t max_batch, int64_t max_ns)
{
    spot_stage_option_t *option = &self->serve.plans[stage_id].option;
    spot_service_time_t *time = &self->times[stage_id];
    const bool is_pipelined = draw(self, 4) == 0;

    *time = (spot_service_time_t){MAX_BATCH, self->busy_ns[stage_id], self->busy_ns[stage_id]};
    for (int n = 1; n <= MAX_BATCH; n++) {
        self->busy_ns[stage_id][n] = 1 + draw(self, max_ns);
        self->result_ns[stage_id][n] = self->busy_ns[stage_id][n] + draw(self, max_ns);
    }
    if (is_pipelined) {
        time->result_ns = self->result_ns[stage_id];
    }
    option->batch = 1 + draw(self, max_batch);
    option->replicas = 1 + draw(self, MAX_REPLICAS);
    self->serve.plans[stage_id].time = time;
}

static void open_case(random_case_t *self, const char *pipeline, uint64_t seed, int64_t max_batch)
{
    int64_t now_ns = 0, max_ns, max_delta_ns;

    spot_rng_seek(&self->rng, seed, 0, SPOT_STREAM_DESIGN, 0);
    max_ns = draw(self, 2) == 0 ? 20 : 100000000;
    serve_case_open(&self->serve, pipeline);
    for (size_t j = 0; j < self->serve.pipeline.num_stages; j++) {
        draw_stage(self, j, max_batch, max_ns);
    }
    max_delta_ns = 1 + draw(self, max_ns);
    for (int32_t j = 0; j < NUM_QUERIES; j++) {
        self->source.ids[j] = j;
        self->source.at_ns[j] = now_ns;
        serve_case_arrive(&self->serve, now_ns);
        now_ns += draw(self, 3) == 0 ? 0 : draw(self, max_delta_ns);
    }
}

static int64_t wait_ns(const random_case_t *self, size_t stage_id, int32_t query_id)
{
    const spot_stage_stamps_t *stamps = &self->serve.serve.stages[stage_id].stamps;

    return stamps->dequeue_ns[query_id] - stamps->enqueue_ns[query_id];
}

static void test_lindley(void **state)
{
    static random_case_t self;

    (void) state;
    for (uint64_t j = 0; j < NUM_CASES; j++) {
        int64_t expected_ns = 0;

        open_case(&self, "pipeline: [{id: a, from: source}]\n", j, 1);
        self.serve.plans[0].option.replicas = 1;
        serve_case_run(&self.serve, true);
        for (int32_t k = 0; k < NUM_QUERIES; k++) {
            if (k > 0) {
                expected_ns +=
                    self.busy_ns[0][1] - (self.source.at_ns[k] - self.source.at_ns[k - 1]);
                expected_ns = expected_ns < 0 ? 0 : expected_ns;
            }
            assert_int_equal(wait_ns(&self, 0, k), expected_ns);
        }
        serve_case_close(&self.serve);
    }
}

/* work: of the replicas as a query comes, ascending. */
static void test_kiefer_wolfowitz(void **state)
{
    static random_case_t self;

    (void) state;
    for (uint64_t j = 0; j < NUM_CASES; j++) {
        int64_t work_ns[MAX_REPLICAS] = {0};
        size_t num_replicas;

        open_case(&self, "pipeline: [{id: a, from: source}]\n", j, 1);
        num_replicas = (size_t) self.serve.plans[0].option.replicas;
        serve_case_run(&self.serve, true);
        for (int32_t k = 0; k < NUM_QUERIES; k++) {
            const int64_t gap_ns = k == 0 ? 0 : self.source.at_ns[k] - self.source.at_ns[k - 1];
            int64_t mine_ns;
            size_t at = 0;

            for (size_t r = 0; r < num_replicas; r++) {
                work_ns[r] = work_ns[r] > gap_ns ? work_ns[r] - gap_ns : 0;
            }
            assert_int_equal(wait_ns(&self, 0, k), work_ns[0]);
            mine_ns = work_ns[0] + self.busy_ns[0][1];
            for (; at + 1 < num_replicas && work_ns[at + 1] < mine_ns; at++) {
                work_ns[at] = work_ns[at + 1];
            }
            work_ns[at] = mine_ns;
        }
        serve_case_close(&self.serve);
    }
}

static void test_no_wait_behind_a_slower_stage(void **state)
{
    static random_case_t self;

    (void) state;
    for (uint64_t j = 0; j < NUM_CASES; j++) {
        open_case(&self, "pipeline: [{id: a, from: source}, {id: b, from: a}]\n", j, 1);
        self.serve.plans[1].option.replicas = self.serve.plans[0].option.replicas;
        if (self.busy_ns[1][1] > self.busy_ns[0][1] || j % 4 == 0) {
            self.busy_ns[1][1] = self.busy_ns[0][1]; /* equal ones do not wait either */
        }
        serve_case_run(&self.serve, true);
        for (int32_t k = 0; k < NUM_QUERIES; k++) {
            assert_int_equal(wait_ns(&self, 1, k), 0);
        }
        serve_case_close(&self.serve);
    }
}

/* ---- Batch by batch ---- */

typedef struct {
    int64_t done_ns;
    int32_t first, size; /* in the flow */
} batch_t;

/* Batches in the order in which they leave: qsort() need not be stable. */
static int compare_batches(const void *a, const void *b)
{
    const batch_t *left = a, *right = b;

    return left->done_ns != right->done_ns ? (left->done_ns < right->done_ns ? -1 : 1)
                                           : left->first - right->first;
}

/* What a stage makes of a flow. */
static void pass_stage(const spot_serve_plan_t *plan, const flow_t *in, flow_t *out)
{
    static batch_t batches[NUM_QUERIES];
    int64_t free_ns[MAX_REPLICAS] = {0};
    size_t num_batches = 0;
    int32_t head = 0, place = 0;

    while (head < NUM_QUERIES) {
        int64_t *earliest = free_ns;
        int32_t n = 0;
        int64_t now_ns;

        for (int64_t r = 1; r < plan->option.replicas; r++) {
            earliest = free_ns[r] < *earliest ? &free_ns[r] : earliest;
        }
        now_ns = *earliest > in->at_ns[head] ? *earliest : in->at_ns[head];
        while (n < plan->option.batch && head + n < NUM_QUERIES && in->at_ns[head + n] <= now_ns) {
            n++;
        }
        *earliest = now_ns + plan->time->busy_ns[n];
        batches[num_batches++] = (batch_t){now_ns + plan->time->result_ns[n], head, n};
        head += n;
    }
    qsort(batches, num_batches, sizeof(*batches), compare_batches);
    for (size_t j = 0; j < num_batches; j++) {
        for (int32_t k = 0; k < batches[j].size; k++, place++) {
            out->ids[place] = in->ids[batches[j].first + k];
            out->at_ns[place] = batches[j].done_ns;
        }
    }
}

/* The latest time at which a query leaves one of the flows. */
static void take_latest(const flow_t *flow, int64_t *latest_ns)
{
    for (size_t j = 0; j < NUM_QUERIES; j++) {
        int64_t *latest = &latest_ns[flow->ids[j]];

        *latest = flow->at_ns[j] > *latest ? flow->at_ns[j] : *latest;
    }
}

static void assert_sinks(random_case_t *self, const int64_t *sink_ns)
{
    serve_case_run(&self->serve, false);
    for (size_t j = 0; j < NUM_QUERIES; j++) {
        assert_int_equal(
            serve_case_latency_ns(&self->serve, j), sink_ns[j] - self->source.at_ns[j]);
    }
    serve_case_close(&self->serve);
}

static void test_batches_in_a_chain(void **state)
{
    static random_case_t self;
    static flow_t a, b, c;

    (void) state;
    for (uint64_t j = 0; j < NUM_CASES; j++) {
        int64_t sink_ns[NUM_QUERIES] = {0};

        open_case(&self, chain, j, MAX_BATCH);
        pass_stage(&self.serve.plans[0], &self.source, &a);
        pass_stage(&self.serve.plans[1], &a, &b);
        pass_stage(&self.serve.plans[2], &b, &c);
        take_latest(&c, sink_ns);
        assert_sinks(&self, sink_ns);
    }
}

static void test_batches_in_two_branches(void **state)
{
    static random_case_t self;
    static flow_t between, left, right;

    (void) state;
    for (uint64_t j = 0; j < NUM_CASES; j++) {
        int64_t sink_ns[NUM_QUERIES] = {0};

        open_case(&self, serve_case_image_driver, j, MAX_BATCH);
        pass_stage(&self.serve.plans[0], &self.source, &between);
        pass_stage(&self.serve.plans[1], &between, &left);
        pass_stage(&self.serve.plans[2], &self.source, &between);
        pass_stage(&self.serve.plans[3], &between, &right);
        take_latest(&left, sink_ns);
        take_latest(&right, sink_ns);
        assert_sinks(&self, sink_ns);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lindley),
        cmocka_unit_test(test_kiefer_wolfowitz),
        cmocka_unit_test(test_no_wait_behind_a_slower_stage),
        cmocka_unit_test(test_batches_in_a_chain),
        cmocka_unit_test(test_batches_in_two_branches),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
