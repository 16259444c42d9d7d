/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The event model against its closed form, and the published vectors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "base/integers.h"
#include "base/rng.h"
#include "models/loader/loader.h"

static void assert_near(double value, double expected, double tolerance)
{
    assert_true(fabs(value - expected) <= tolerance);
}

/* A batch function of a constant T. */
static double constant(void *context, int64_t process, int64_t round)
{
    (void) process;
    (void) round;
    return *(const double *) context;
}

/* The mean wait for batches of constant T in closed form, for PF >= 2. */
static double closed_wait_s(const spot_loader_flow_t *self, double batch_s)
{
    const int64_t rounds = spot_divide_up(self->num_batches, self->processes);
    const int64_t last = self->num_batches - (rounds - 1) * self->processes;
    const double step_s = self->compute_s + self->handover_s;
    const double round_s = (double) self->processes * step_s;
    const double total_s = self->start_s + batch_s +
                           (double) (rounds - 1) * (batch_s > round_s ? batch_s : round_s) +
                           (double) last * step_s;

    return total_s / (double) self->num_batches - self->compute_s;
}

static double mean_wait_s(
    const spot_loader_flow_t *flow, spot_loader_batch_t batch_s, void *context)
{
    const size_t ahead = flow->prefetch > 0 ? (size_t) flow->prefetch : 1;
    double *memory = calloc((size_t) flow->processes * (1 + ahead), sizeof(*memory));
    double waits[1000], sum_s = 0;
    int64_t num;

    assert_non_null(memory);
    spot_loader_run_in(flow, batch_s, context, memory, waits, &num);
    free(memory);
    assert_true(num >= 1 && num <= flow->num_batches);
    for (int64_t j = 0; j < num; j++) {
        assert_true(waits[j] >= flow->handover_s - 1e-9);
        sum_s += waits[j];
    }
    return sum_s / (double) num;
}

static void test_events(void **state)
{
    static const struct {
        spot_loader_flow_t flow; /* N, W, PF, s0, g, C */
        double batch_s, wait_s;
    } cases[] = {
        {{56, 8, 2, 0.4, 0.007, 0.176}, 6.93, 0.723535714},
        {{56, 8, 2, 0, 0, 1}, 6.93, 0.123750000},
        {{21, 4, 2, 0.5, 0.007, 0.3}, 2, 0.309857143},
        {{24, 4, 1, 0.5, 0.007, 0.3}, 2, 0.273458333},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        double batch_s = cases[j].batch_s;

        assert_near(mean_wait_s(&cases[j].flow, constant, &batch_s), cases[j].wait_s, 1e-9);
    }
    assert_near(closed_wait_s(&cases[3].flow, cases[3].batch_s), 0.272, 1e-9);
}

/* What if there were other numbers of processes: the published baseline at sim 0.1. */
static void test_other_processes(void **state)
{
    static const struct {
        int64_t processes;
        double completion_s;
    } cases[] = {{1, 6.6408}, {2, 3.3412}, {4, 1.6963}, {8, 0.88361}, {12, 0.64769}, {16, 0.52973}};

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        const spot_loader_flow_t flow = {56, cases[j].processes, 2, 1.77997, 0.007, 0.175737};
        double batch_s = 512 * (0.003198 + 0.007665) + 1.0439;

        assert_near(flow.compute_s + closed_wait_s(&flow, batch_s), cases[j].completion_s, 5e-5);
        assert_near(
            flow.compute_s + mean_wait_s(&flow, constant, &batch_s), cases[j].completion_s, 5e-5);
    }
}

static void test_blocks(void **state)
{
    static const struct {
        spot_loader_blocks_t blocks;
        double start_s, compute_s;
        int64_t num_batches;
        double wait_s;
    } cases[] = {
        {{28539, 120, 512, 8, .15, .009, 1.04, false}, 1.78, .2044, 56, 0.643942857},
        {{28539, 260, 512, 8, .33, .009, 1.04, false}, 1.78, .226, 56, 0.627571429},
        {{34745, 140, 512, 8, .07, .0065, .1, false}, .6, .234, 68, 0.263044118},
        {{1000, 64, 512, 8, .1, .01, .5, false}, 1, .5, 2, 1.3095},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        spot_loader_blocks_t blocks = cases[j].blocks;
        const spot_loader_flow_t flow = {
            cases[j].num_batches, 8, 2, cases[j].start_s, .007, cases[j].compute_s};

        assert_near(mean_wait_s(&flow, spot_loader_blocks_batch_s, &blocks), cases[j].wait_s, 1e-9);
    }
}

/* No sample is dealt twice or left out, whatever the numbers are. */
static void test_blocks_deal_all(void **state)
{
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 1, 0, SPOT_STREAM_OWN, 0);
    for (int j = 0; j < 2000; j++) {
        spot_loader_blocks_t blocks = {.num_samples = 1 + (int64_t) spot_rng_below(&rng, 3000),
            .block = 1 + (int64_t) spot_rng_below(&rng, 100),
            .batch = 1 + (int64_t) spot_rng_below(&rng, 200),
            .processes = 1 + (int64_t) spot_rng_below(&rng, 12),
            .block_s = 1};
        int64_t low, high, sum = 0;
        double opened = 0;

        for (int64_t k = 0; k < blocks.processes; k++) {
            for (int64_t round = 0; spot_loader_blocks_range(&blocks, k, round, &low, &high);
                 round++) {
                assert_true(high - low <= blocks.batch);
                sum += high - low;
                opened += spot_loader_blocks_batch_s(&blocks, k, round);
            }
        }
        assert_int_equal(sum, blocks.num_samples);
        assert_near(opened, ceil((double) blocks.num_samples / (double) blocks.block), 1e-9);
    }
}

static void test_closed_form(void **state)
{
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 2, 0, SPOT_STREAM_OWN, 0);
    for (int j = 0; j < 5000; j++) {
        double batch_s = 0.01 * (double) spot_rng_below(&rng, 1000);
        const spot_loader_flow_t flow = {.num_batches = 1 + (int64_t) spot_rng_below(&rng, 300),
            .processes = 1 + (int64_t) spot_rng_below(&rng, 16),
            .prefetch = 2 + (int64_t) spot_rng_below(&rng, 3),
            .start_s = 0.01 * (double) spot_rng_below(&rng, 300),
            .handover_s = 0.001 * (double) spot_rng_below(&rng, 20),
            .compute_s = 0.01 * (double) spot_rng_below(&rng, 200)};

        assert_near(mean_wait_s(&flow, constant, &batch_s), closed_wait_s(&flow, batch_s), 1e-9);
    }
}

/* The published model of LibriSpeech, remote. */
static spot_loader_t librispeech(int64_t threads, int64_t block)
{
    return (spot_loader_t){.processes = 8,
        .prefetch = 2,
        .threads = threads,
        .block = block,
        .deal = SPOT_LOADER_DEAL_SAMPLES,
        .local_share = 0,
        .cost = {.decode_ns = 8700000,
            .open_ns = {0, 1290000},
            .read_ns = {940000, 860000},
            .merged_ns = -130000,
            .thread_growth = .03107,
            .collate_ns = 1104180000,
            .collate_batch = 512,
            .start_ns = 2095970000,
            .handover_ns = 7000000,
            .compute_ns = 68440000,
            .merged_compute_ns = 242090000,
            .half_block = 399.96757,
            .exponent = 3.16811}};
}

static void test_predictions(void **state)
{
    static const struct {
        double sim_s;
        int64_t threads, block;
        double completion_s;
    } cases[] = {
        {.1, 1, 1, .891197}, {.1, 1, 20, .808976}, {.1, 2, 120, .829747}, {.5, 1, 60, .867070}};

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        const spot_loader_t loader = librispeech(cases[j].threads, cases[j].block);
        const spot_loader_work_t work = {512, 28539, cases[j].sim_s};
        spot_loader_prediction_t prediction;

        assert_int_equal(spot_loader_predict(&prediction, &loader, &work), 0);
        assert_near(prediction.completion_s, cases[j].completion_s, 1e-6);
        assert_string_equal(prediction.limit, "loader");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_other_processes),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_blocks_deal_all),
        cmocka_unit_test(test_closed_form),
        cmocka_unit_test(test_predictions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
