/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Searches against the published steps, their rules, and a slow twin of tpe. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/input/search.h"

#define FAILED ((double) INFINITY)
#define UNKNOWN ((double) NAN)

#define NUM_BLOCKS 15

/* The usual lists. */
static spot_search_t usual(int (*measure)(void *context, spot_search_point_t *point), void *context)
{
    spot_search_t search = {.threads = {.num_values = 4, .values = {1, 2, 4, 8}},
        .blocks = {.num_values = NUM_BLOCKS},
        .max_evaluations = 10,
        .seed = 1,
        .measure = measure,
        .context = context};

    for (int j = 0; j < NUM_BLOCKS; j++) {
        search.blocks.values[j] = 20 * (j + 1);
    }
    return search;
}

/* ---- The published model of LibriSpeech, remote ---- */

static spot_input_scenario_t librispeech(void)
{
    return (spot_input_scenario_t){.batch = 512,
        .compute_ns = 100000000,
        .loader = {.samples = 28539,
            .processes = 8,
            .prefetch = 2,
            .threads = 1,
            .block = 1,
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
                .exponent = 3.16811}}};
}

static void test_tpe_vector(void **state)
{
    static const struct {
        int64_t threads, block;
        double seconds;
    } steps[] = {{1, 1, .891197}, {1, 80, .810834}, {2, 160, .831486}, {4, 240, .851431},
        {8, 20, .860043}, {1, 60, .809927}, {1, 40, .809251}, {1, 120, .812706}, {1, 200, .815977},
        {1, 280, .818574}, {2, 40, .826292}};
    const size_t num_steps = sizeof(steps) / sizeof(steps[0]);
    spot_input_scenario_t scenario = librispeech();
    spot_search_jobs_t jobs = {1, &scenario};
    spot_search_t search = usual(spot_search_predict, &jobs);
    spot_arena_t memory = {0};

    (void) state;
    assert_int_equal(spot_search_run(&search, &spot_search_tpe, &memory), 0);
    assert_int_equal(search.num_points, num_steps);
    for (size_t j = 0; j < num_steps; j++) {
        assert_int_equal(search.points[j].threads, steps[j].threads);
        assert_int_equal(search.points[j].block, steps[j].block);
        assert_float_equal(search.points[j].seconds, steps[j].seconds, 1e-6);
    }
    assert_ptr_equal(search.best, &search.points[6]);
    assert_ptr_equal(search.base, &search.points[0]);
    spot_arena_free(&memory);
}

/* The time of several jobs is their mean, and the stall that of the worst. */
static void test_several_jobs(void **state)
{
    spot_input_scenario_t both[2] = {librispeech(), librispeech()};
    spot_search_point_t point = {.threads = 2, .block = 40};
    double seconds[2], stalls[2];

    (void) state;
    both[1].loader.cost.decode_ns *= 2;
    for (size_t j = 0; j < 2; j++) {
        assert_int_equal(spot_search_predict(&(spot_search_jobs_t){1, &both[j]}, &point), 0);
        seconds[j] = point.seconds;
        stalls[j] = point.stall_share;
    }
    assert_true(seconds[0] < seconds[1] && stalls[0] < stalls[1]);
    assert_int_equal(spot_search_predict(&(spot_search_jobs_t){2, both}, &point), 0);
    assert_float_equal(point.seconds, (seconds[0] + seconds[1]) / 2, 1e-12);
    assert_float_equal(point.stall_share, stalls[1], 0);
}

static void test_grid_vector(void **state)
{
    spot_input_scenario_t scenario = librispeech();
    spot_search_jobs_t jobs = {1, &scenario};
    spot_search_t search = usual(spot_search_predict, &jobs);
    spot_arena_t memory = {0};

    (void) state;
    assert_int_equal(spot_search_run(&search, &spot_search_grid, &memory), 0);
    assert_int_equal(search.num_points, 61);
    assert_int_equal(search.best->threads, 1);
    assert_int_equal(search.best->block, 20);
    assert_float_equal(search.best->seconds, .808976, 1e-6);
    assert_string_equal(search.why, spot_search_grid.end);
    spot_arena_free(&memory);
}

/* ---- Measurements by a table: (1,1) is the first ---- */

typedef struct {
    size_t num_values;
    double seconds[16], stall_share[16];
    int64_t blocks[16];
} values_t;

static int look_up(void *context, spot_search_point_t *point)
{
    const values_t *values = context;

    assert_int_equal(point->threads, 1);
    for (size_t j = 0; j < values->num_values; j++) {
        if (values->blocks[j] == point->block) {
            point->seconds = values->seconds[j];
            point->stall_share = values->stall_share[j];
            return 0;
        }
    }
    assert_int_equal(point->block, 1);
    return SPOT_SEARCH_UNKNOWN;
}

/* Runs early-stop on values; returns the evaluations. */
static size_t stop_early(
    const values_t *values, int reference, spot_search_t *search, spot_arena_t *memory)
{
    values_t copy = *values;

    *search = (spot_search_t){.threads = {.num_values = 1, .values = {1}},
        .reference = reference,
        .measure = look_up,
        .context = &copy};
    for (size_t j = 0; j < copy.num_values; j++) {
        if (copy.blocks[j] > 1) {
            search->blocks.values[search->blocks.num_values++] = copy.blocks[j];
        }
    }
    assert_int_equal(spot_search_run(search, &spot_search_early_stop, memory), 0);
    return search->num_points;
}

/* Values without figures of a stall. */
static values_t plain(size_t num_values, const int64_t *blocks, const double *seconds)
{
    values_t values = {.num_values = num_values};

    memcpy(values.blocks, blocks, num_values * sizeof(*blocks));
    memcpy(values.seconds, seconds, num_values * sizeof(*seconds));
    for (size_t j = 0; j < num_values; j++) {
        values.stall_share[j] = UNKNOWN;
    }
    return values;
}

/* Runs with fixed blocks, published with Kang et al. */
static void test_early_stop_vector(void **state)
{
    static const int64_t blocks[] = {10, 20, 30, 40, 100, 200, 300, 400, 500};
    static const double seconds[] = {.8265951851986291, .7799780008246545, .7621485779325202,
        .7417559823098153, .7132357715304427, .7335287670067677, .7311262150308979,
        .7446201913601689, .7601422825542011};
    static const size_t num_measured[] = {5, 5, 8};
    const values_t values = plain(9, blocks, seconds);

    (void) state;
    for (int reference = 0; reference < 3; reference++) {
        spot_arena_t memory = {0};
        spot_search_t search;

        assert_int_equal(stop_early(&values, reference, &search, &memory), num_measured[reference]);
        assert_int_equal(search.best->block, 100);
        assert_null(search.base);
        spot_arena_free(&memory);
    }
}

/* (1,1) counts as the best so far; a failed size is no gain; the end of the list. */
static void test_early_stop_rules(void **state)
{
    static const int64_t blocks[] = {1, 2, 3, 4, 5, 6};
    static const struct {
        double seconds[6];
        size_t num_points;
        int64_t best;
    } cases[] = {
        {{1, .96, .95, .951, .1, .1}, 4, 3},             /* small from (1,1) on */
        {{1, .9, .89, .88, .8, .7}, 6, 6},               /* to the end of the list */
        {{1, FAILED, FAILED, FAILED, .1, .1}, 4, 1},     /* failures are no gain */
        {{FAILED, FAILED, FAILED, FAILED, 1, .9}, 6, 6}, /* nothing to gain over */
        {{1, 1.2, 1.1, 1, .5, .5}, 4, 1},                /* (1,1) stays */
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        const values_t values = plain(6, blocks, cases[j].seconds);
        spot_arena_t memory = {0};
        spot_search_t search;

        assert_int_equal(
            stop_early(&values, SPOT_GAIN_BEST, &search, &memory), cases[j].num_points);
        assert_int_equal(search.best->block, cases[j].best);
        assert_int_equal(search.base != NULL, isfinite(cases[j].seconds[0]));
        spot_arena_free(&memory);
    }
}

static void test_no_stall(void **state)
{
    static const int64_t blocks[] = {1, 2, 3, 4};
    static const double seconds[] = {1, .8, .9, .5};
    values_t values = plain(4, blocks, seconds);
    spot_arena_t memory = {0};
    spot_search_t search;

    (void) state;
    values.stall_share[0] = .05;
    assert_int_equal(stop_early(&values, 0, &search, &memory), 1);
    assert_int_equal(search.best->block, 1);
    values.stall_share[0] = .0501;
    values.stall_share[2] = .01;
    assert_int_equal(stop_early(&values, 0, &search, &memory), 3);
    assert_int_equal(search.best->block, 2);
    assert_string_equal(search.why, "the last point does not stall");
    spot_arena_free(&memory);
}

/* ---- Measurements by a formula ---- */

static int fail_all(void *context, spot_search_point_t *point)
{
    (void) context;
    point->seconds = FAILED;
    point->reason = "failed";
    return 0;
}

static int constant(void *context, spot_search_point_t *point)
{
    (void) context;
    point->seconds = point->block > 1 ? 1 : 2;
    return 0;
}

static int break_down(void *context, spot_search_point_t *point)
{
    (void) context;
    return point->block == 60 ? SPOT_ERR_IO : constant(context, point);
}

static int lack_first(void *context, spot_search_point_t *point)
{
    return point->block == 1 && point->threads == 1 ? SPOT_SEARCH_UNKNOWN
                                                    : constant(context, point);
}

static void test_ties_and_failures(void **state)
{
    static const spot_search_method_t *const methods[] = {
        &spot_search_grid, &spot_search_random, &spot_search_tpe};

    (void) state;
    for (size_t j = 0; j < 3; j++) {
        spot_search_t search = usual(constant, NULL);
        spot_arena_t memory = {0};

        search.max_evaluations = 1000;
        assert_int_equal(spot_search_run(&search, methods[j], &memory), 0);
        assert_int_equal(search.num_points, 61);
        assert_int_equal(search.best->threads, 1);
        assert_int_equal(search.best->block, 20);
        search = usual(fail_all, NULL);
        assert_int_equal(spot_search_run(&search, methods[j], &memory), 0);
        assert_null(search.best);
        search = usual(break_down, NULL);
        search.max_evaluations = 1000;
        assert_int_equal(spot_search_run(&search, methods[j], &memory), SPOT_ERR_IO);
        search = usual(constant, NULL);
        search.blocks.num_values = 0;
        assert_int_equal(spot_search_run(&search, methods[j], &memory), 0);
        assert_int_equal(search.num_points, 1);
        search = usual(lack_first, NULL); /* (1,1) is in the lists, and not asked again */
        search.blocks.values[0] = 1;
        search.max_evaluations = 1000;
        assert_int_equal(spot_search_run(&search, methods[j], &memory), 0);
        assert_int_equal(search.num_points, 59);
        assert_null(search.base);
        spot_arena_free(&memory);
    }
}

static void test_random_is_a_permutation(void **state)
{
    spot_arena_t memory = {0};
    spot_search_t first = usual(constant, NULL), again = first, other = first;
    bool is_met[61] = {false}, is_other = false;

    (void) state;
    first.max_evaluations = again.max_evaluations = other.max_evaluations = 60;
    other.seed = 2;
    assert_int_equal(spot_search_run(&first, &spot_search_random, &memory), 0);
    assert_int_equal(spot_search_run(&again, &spot_search_random, &memory), 0);
    assert_int_equal(spot_search_run(&other, &spot_search_random, &memory), 0);
    assert_int_equal(first.num_points, 61);
    for (size_t j = 0; j < 61; j++) {
        assert_false(is_met[first.points[j].id]);
        is_met[first.points[j].id] = true;
        assert_int_equal(first.points[j].id, again.points[j].id);
        is_other = is_other || first.points[j].id != other.points[j].id;
    }
    assert_true(is_other);
    spot_arena_free(&memory);
}

/* ---- A twin of tpe, by the words of the rule ---- */

typedef struct {
    double seconds;
    int threads_id, block_id;
} known_t;

static int compare(const void *first, const void *second)
{
    const known_t *a = first, *b = second;

    return a->seconds != b->seconds         ? (a->seconds > b->seconds ? 1 : -1)
           : a->threads_id != b->threads_id ? a->threads_id - b->threads_id
                                            : a->block_id - b->block_id;
}

static double density(const known_t *group, size_t num_known, bool is_block, int v, int m)
{
    double sum = 0, c[64] = {0};

    for (size_t j = 0; j < num_known; j++) {
        for (int u = 0; u < m; u++) {
            const int far = abs(u - (is_block ? group[j].block_id : group[j].threads_id));

            c[u] += far == 0 ? 1 : far == 1 ? .5 : 0;
        }
    }
    for (int u = 0; u < m; u++) {
        sum += c[u];
    }
    return (1. / m + c[v]) / (1 + sum);
}

static double merit(const known_t *known, size_t n, int i, int j, int num_threads, int num_blocks)
{
    const size_t good = (size_t) ceil(.25 * sqrt((double) n));

    return log(density(known, good, false, i, num_threads)) -
           log(density(known + good, n - good, false, i, num_threads)) +
           log(density(known, good, true, j, num_blocks)) -
           log(density(known + good, n - good, true, j, num_blocks));
}

static int coarse(void *context, spot_search_point_t *point)
{
    const uint64_t key = *(const uint64_t *) context;
    spot_rng_t rng;

    spot_rng_seek(&rng, key, (uint64_t) point->threads, SPOT_STREAM_OWN, (uint64_t) point->block);
    point->seconds = 1 + (double) spot_rng_below(&rng, 8);
    point->seconds = point->seconds > 7 ? FAILED : point->seconds;
    return 0;
}

static bool is_known(const known_t *known, size_t n, int i, int j)
{
    for (size_t k = 0; k < n; k++) {
        if (known[k].threads_id == i && known[k].block_id == j) {
            return true;
        }
    }
    return false;
}

static void check_twin(uint64_t key)
{
    spot_arena_t memory = {0};
    spot_search_t search = usual(coarse, &key);
    known_t known[200];
    size_t n = 0, at = 0;
    spot_rng_t rng;
    int num_threads, num_blocks;

    spot_rng_seek(&rng, key, 0, SPOT_STREAM_OWN, 0);
    search.threads.num_values = 1 + spot_rng_below(&rng, 4);
    search.blocks.num_values = 1 + spot_rng_below(&rng, NUM_BLOCKS);
    search.blocks.values[0] = spot_rng_below(&rng, 2) == 0 ? 1 : 20;
    search.max_evaluations = 1 + (int64_t) spot_rng_below(&rng, 60);
    num_threads = (int) search.threads.num_values;
    num_blocks = (int) search.blocks.num_values;
    assert_int_equal(spot_search_run(&search, &spot_search_tpe, &memory), 0);
    if (search.blocks.values[0] == 1) {
        known[n++] = (known_t){search.points[0].seconds, 0, 0};
    }
    for (at = 1; at < search.num_points; at++) {
        const spot_search_point_t *point = &search.points[at];
        const int k = (int) at - 1, start_i = k % num_threads;
        const int start_j = (4 * k + 3) % num_blocks;
        const int got_i = (int) (point->id - 1) / num_blocks;
        const int got_j = (int) (point->id - 1) % num_blocks;
        int i = start_i, j = start_j;

        if (k >= 4 || is_known(known, n, i, j)) {
            double most = -(double) INFINITY;

            qsort(known, n, sizeof(*known), compare);
            for (int u = 0; u < num_threads * num_blocks; u++) {
                const int a = u / num_blocks, b = u % num_blocks;
                const double value = merit(known, n, a, b, num_threads, num_blocks);

                if (!is_known(known, n, a, b) && value > most + 1e-12) {
                    most = value;
                    i = a;
                    j = b;
                }
            }
        }
        assert_int_equal(got_i, i);
        assert_int_equal(got_j, j);
        known[n++] = (known_t){point->seconds, i, j};
    }
    assert_true((int64_t) search.num_points == 1 + search.max_evaluations ||
                n == search.threads.num_values * search.blocks.num_values);
    spot_arena_free(&memory);
}

static void test_tpe_twin(void **state)
{
    (void) state;
    for (uint64_t key = 0; key < 400; key++) {
        check_twin(key);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tpe_vector),
        cmocka_unit_test(test_several_jobs),
        cmocka_unit_test(test_grid_vector),
        cmocka_unit_test(test_early_stop_vector),
        cmocka_unit_test(test_early_stop_rules),
        cmocka_unit_test(test_no_stall),
        cmocka_unit_test(test_ties_and_failures),
        cmocka_unit_test(test_random_is_a_permutation),
        cmocka_unit_test(test_tpe_twin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
