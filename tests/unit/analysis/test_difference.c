/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../store/store_case.h"
#include "base/rng.h"
#include "sim/bench/analysis/difference.h"

enum { NUM_METRICS = 3 };

static spot_metric_t metrics[NUM_METRICS] = {{.name = "a", .unit = "1", .help = ""},
    {.name = "b", .unit = "1", .help = ""}, {.name = "c", .unit = "1", .help = ""}};

/* Rows [num_points][num_replications] that are known to the test. */
typedef struct {
    spot_study_head_t head;
    spot_store_t *store;
    double *rows; /* [num_points][num_replications][NUM_METRICS] */
    bool *is_there;
} sample_t;

static double uniform(spot_rng_t *rng)
{
    return gsl_rng_uniform(spot_rng_gsl(rng));
}

/* Metrics of a replication are alike at all points; b is null at times, c is so large
 * that a careless variance would lose it. */
static void draw_row(spot_rng_t *rng, uint64_t replication, double *row)
{
    const double common = sin((double) replication * 12.9898);

    row[0] = common + 0.2 * uniform(rng);
    row[1] = uniform(rng) < 0.1 ? (double) NAN : 3 * common * uniform(rng);
    row[2] = 1e9 - common + 0.1 * uniform(rng);
}

/* Point j has a batch with probability p_there[j]; unless that is 1, only the first half
 * of some. */
static void fill_points(sample_t *self, uint64_t seed, const double *p_there)
{
    const size_t size = (size_t) spot_study_batch_size(&self->head);
    const size_t num = (size_t) self->head.num_replications;
    spot_rng_t rng;

    spot_rng_seek(&rng, seed, 0, SPOT_STREAM_GAP, 0);
    for (size_t j = 0; j < self->head.num_points; j++) {
        for (size_t first = 0; first < num; first += size) {
            const double drawn = uniform(&rng);
            const size_t most = num - first < size ? num - first : size;
            const size_t whole = drawn < p_there[j] ? most : 0;
            const bool is_cut = p_there[j] < 1 && drawn < p_there[j] / 4;
            const size_t num_rows = is_cut ? most / 2 : whole;
            const size_t first_row = j * num + first;

            for (size_t k = 0; k < num_rows; k++) {
                draw_row(&rng, first + k, &self->rows[(first_row + k) * NUM_METRICS]);
                self->is_there[first_row + k] = true;
            }
            if (num_rows > 0) {
                assert_int_equal(
                    self->store->put(self->store, &(spot_piece_t){j, (int64_t) first, num_rows,
                                                      &self->rows[first_row * NUM_METRICS], NULL}),
                    0);
            }
        }
    }
}

static void make_sample(sample_t *self, size_t num_points, int64_t num_replications, uint64_t seed,
    const double *p_there)
{
    const size_t num_rows = num_points * (size_t) num_replications;

    *self = (sample_t){.head = {.num_points = num_points,
                           .num_metrics = NUM_METRICS,
                           .metrics = metrics,
                           .batch_replications = 64,
                           .num_replications = num_replications}};
    self->rows = calloc(num_rows * NUM_METRICS, sizeof(*self->rows));
    self->is_there = calloc(num_rows, sizeof(*self->is_there));
    assert_non_null(self->rows);
    assert_non_null(self->is_there);
    assert_int_equal(spot_store_open_memory(&self->store, &self->head), 0);
    fill_points(self, seed, p_there);
}

static void free_sample(sample_t *self)
{
    self->store->close(self->store);
    free(self->rows);
    free(self->is_there);
}

/* ---- The same by hand ---- */

/* The value of a metric in a replication; *is_there whether there is such a row. */
static double value_at(
    const sample_t *self, size_t point_id, int64_t replication, size_t metric_id, bool *is_there)
{
    const size_t row_id = point_id * (size_t) self->head.num_replications + (size_t) replication;

    *is_there = self->is_there[row_id];
    return self->rows[row_id * NUM_METRICS + metric_id];
}

/* All pairs of point 1 against point 0: differences[num_pairs], NAN where null. */
static size_t list_rows(const sample_t *self, size_t metric_id, double *differences)
{
    size_t num_pairs = 0;

    for (int64_t j = 0; j < self->head.num_replications; j++) {
        bool has_x, has_y;
        const double x = value_at(self, 1, j, metric_id, &has_x);
        const double y = value_at(self, 0, j, metric_id, &has_y);

        if (has_x && has_y) {
            differences[num_pairs++] = x - y;
        }
    }
    return num_pairs;
}

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance) && !(isnan(value) && isnan(expected))) {
        fail_msg("%.17g, expected %.17g", value, expected);
    }
}

/* Differences are rounded to the last bit of the metric, size. */
static void assert_pairs(
    const spot_paired_t *pair, size_t num_pairs, const double *differences, double size)
{
    double num = 0, sum = 0, squares = 0, mean, half_width;

    for (size_t j = 0; j < num_pairs; j++) {
        num += !isnan(differences[j]);
        sum += isnan(differences[j]) ? 0 : differences[j];
    }
    mean = sum / num;
    for (size_t j = 0; j < num_pairs; j++) {
        squares += isnan(differences[j]) ? 0 : pow(differences[j] - mean, 2);
    }
    half_width = num < 2 ? (double) NAN
                         : sqrt(squares / (num - 1) / num) * gsl_cdf_tdist_Pinv(0.975, num - 1);
    assert_int_equal(spot_paired_num_pairs(pair), num_pairs);
    assert_int_equal(pair->num_left_out, num_pairs - (size_t) num);
    assert_near(spot_paired_mean(pair), mean, size * 1e-12);
    assert_near(spot_paired_half_width(pair, 0.95), half_width, size * 1e-12);
}

static size_t assert_sample(const sample_t *self)
{
    double *differences = calloc((size_t) self->head.num_replications, sizeof(*differences));
    spot_paired_t pairs[NUM_METRICS];
    size_t num_pairs = 0;

    assert_non_null(differences);
    assert_int_equal(spot_store_difference(self->store, 1, 0, pairs), 0);
    for (size_t j = 0; j < NUM_METRICS; j++) {
        num_pairs = list_rows(self, j, differences);
        assert_pairs(&pairs[j], num_pairs, differences, j == 2 ? 1e9 : 1);
    }
    free(differences);
    return num_pairs;
}

/* Rows of one point are missing here, those of the other there. */
static void test_random_stores(void **state)
{
    static const double p_there[][2] = {
        {1, 1}, {0.8, 0.9}, {0.1, 1}, {1, 0.1}, {0.3, 0.3}, {0, 1}, {1, 0}};
    static const int64_t nums[] = {1, 2, 64, 1000, 1024, 1025, 5000};

    (void) state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        for (size_t j = 0; j < sizeof(p_there) / sizeof(p_there[0]); j++) {
            for (size_t k = 0; k < sizeof(nums) / sizeof(nums[0]); k++) {
                sample_t sample;
                size_t num_pairs;

                make_sample(&sample, 2, nums[k], seed, p_there[j]);
                num_pairs = assert_sample(&sample);
                assert_true(num_pairs <= (size_t) nums[k]);
                assert_true(j < 5 || num_pairs == 0);
                free_sample(&sample);
            }
        }
    }
}

/* Sequential precision: one point stopped much earlier than the other. */
static void test_different_numbers(void **state)
{
    static const double p_there[] = {1, 1};
    sample_t sample;
    spot_paired_t pairs[NUM_METRICS];

    (void) state;
    make_sample(&sample, 2, 4096, 1, (const double[]){0, 1});
    assert_int_equal(sample.store->put(sample.store,
                         &(spot_piece_t){0, 0, 256, &sample.rows[4096 * NUM_METRICS], NULL}),
        0);
    assert_int_equal(spot_store_difference(sample.store, 1, 0, pairs), 0);
    assert_int_equal(spot_paired_num_pairs(&pairs[0]), 256);
    assert_int_equal(spot_store_difference(sample.store, 0, 1, pairs), 0);
    assert_int_equal(spot_paired_num_pairs(&pairs[0]), 256);
    free_sample(&sample);
    make_sample(&sample, 2, 300, 1, p_there);
    assert_int_equal(spot_store_difference(sample.store, 1, 1, pairs), 0);
    assert_true(spot_paired_mean(&pairs[0]) == 0);
    assert_true(spot_paired_half_width(&pairs[0], 0.95) == 0);
    free_sample(&sample);
}

/* ---- The points of a study ---- */

/* Points that are listed one by one: 1 is compared with 4, all others with none. */
static void assert_partners_in_a_list(sample_t *sample)
{
    uint32_t value_ids[12][3] = {{0, 0, 0}, {0, 2, 1}, {1, 1, 0}, {1, 2, 1}, {0, 1, 1}};
    spot_paired_t *pairs;

    for (uint32_t j = 5; j < 12; j++) {
        value_ids[j][0] = value_ids[j][2] = j;
    }
    sample->head.value_ids = &value_ids[0][0];
    assert_int_equal(spot_store_differences(sample->store, &pairs), 0);
    for (size_t j = 0; j < 12; j++) {
        assert_int_equal(spot_paired_num_pairs(&pairs[j * NUM_METRICS]), j == 1 ? 20 : 0);
    }
    free(pairs);
    sample->head.value_ids = NULL;
}

/* Points that share a base are paired with what is read of it once, be that a part of it
 * or all: as if each were paired alone. */
static void assert_shared_bases(int64_t num_replications)
{
    static const double p_there[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    spot_axis_t axes[2] = {{.num_values = 4}, {.num_values = 3}};
    spot_paired_t *pairs, pair[NUM_METRICS];
    sample_t sample;

    make_sample(&sample, 12, num_replications, 1, p_there);
    sample.head.num_axes = 2;
    sample.head.axes = axes;
    sample.head.has_baseline = true;
    assert_int_equal(spot_store_differences(sample.store, &pairs), 0);
    for (size_t j = 3; j < 12; j++) {
        assert_int_equal(spot_store_difference(sample.store, j, j % 3, pair), 0);
        assert_true(spot_paired_num_pairs(&pair[0]) > 0);
        for (size_t k = 0; k < NUM_METRICS; k++) {
            const spot_paired_t *found = &pairs[j * NUM_METRICS + k];

            assert_int_equal(spot_paired_num_pairs(found), spot_paired_num_pairs(&pair[k]));
            assert_near(spot_paired_mean(found), spot_paired_mean(&pair[k]), 0);
        }
    }
    free(pairs);
    free_sample(&sample);
}

static void test_shared_bases(void **state)
{
    (void) state;
    assert_shared_bases(20);
    assert_shared_bases(1024); /* as many as are read at once */
    assert_shared_bases(2500);
}

/* Each point is compared with the one that differs in the baseline's axis alone. */
static void test_partners(void **state)
{
    static const double p_there[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    spot_axis_t axes[3] = {{.num_values = 2}, {.num_values = 3}, {.num_values = 2}};
    spot_paired_t *pairs, pair[NUM_METRICS];
    sample_t sample;

    (void) state;
    make_sample(&sample, 12, 20, 1, p_there);
    sample.head.num_axes = 3;
    sample.head.axes = axes;
    sample.head.has_baseline = true;
    sample.head.baseline_axis_id = 1;
    sample.head.baseline_value_id = 1;
    assert_int_equal(spot_store_differences(sample.store, &pairs), 0);
    for (size_t j = 0; j < 12; j++) {
        const size_t value_id = j / 2 % 3, base_id = j - value_id * 2 + 2;

        assert_int_equal(spot_store_difference(sample.store, j, base_id, pair), 0);
        for (size_t k = 0; k < NUM_METRICS; k++) {
            const spot_paired_t *found = &pairs[j * NUM_METRICS + k];

            assert_int_equal(spot_paired_num_pairs(found), value_id == 1 ? 0 : 20);
            assert_near(spot_paired_mean(found),
                value_id == 1 ? (double) NAN : spot_paired_mean(&pair[k]), 0);
        }
    }
    free(pairs);
    assert_partners_in_a_list(&sample);
    sample.head.has_baseline = false;
    assert_int_equal(spot_store_differences(sample.store, &pairs), 0);
    for (size_t j = 0; j < 12 * (size_t) NUM_METRICS; j++) {
        assert_int_equal(spot_paired_num_pairs(&pairs[j]), 0);
    }
    free(pairs);
    free_sample(&sample);
}

/* ---- The store on disk, of which two points are read at the same time ---- */

/* The pairs of both directions. */
static void put_and_pair(spot_store_t *store, spot_paired_t pairs[2][CASE_METRICS])
{
    case_put(store, 0, 0, 5000);
    case_put(store, 1, 0, 3000);
    case_flush(store);
    assert_int_equal(spot_store_difference(store, 1, 0, pairs[0]), 0);
    assert_int_equal(spot_store_difference(store, 0, 1, pairs[1]), 0);
    store->close(store);
}

static void test_on_disk_as_in_memory(void **state)
{
    spot_paired_t in_memory[2][CASE_METRICS], on_disk[2][CASE_METRICS];
    store_case_t store_case;
    spot_store_t *store;

    (void) state;
    case_init(&store_case, 5000);
    assert_int_equal(spot_store_open_memory(&store, &store_case.head), 0);
    put_and_pair(store, in_memory);
    put_and_pair(case_open(&store_case), on_disk);
    assert_int_equal(spot_paired_num_pairs(&on_disk[0][0]), 3000);
    assert_memory_equal(on_disk, in_memory, sizeof(on_disk));
    case_remove(&store_case);
}

/* ---- Stores that misbehave, and one that has no memory ---- */

static int read_point_1_only(const spot_store_t *self, size_t point_id, int64_t first_replication,
    spot_row_function_t function, void *context)
{
    const double row[NUM_METRICS] = {1, 2, 3};

    (void) self;
    return point_id == 1
               ? function(context, &(spot_row_t){.replication = first_replication, .metrics = row})
               : SPOT_ERR_IO;
}

static void test_errors_of_reading(void **state)
{
    spot_axis_t axis = {.num_values = 2};
    spot_paired_t pairs[NUM_METRICS], *all = pairs;
    sample_t sample;

    (void) state;
    make_sample(&sample, 2, 5, 1, (const double[]){1, 1});
    sample.head.num_axes = 1;
    sample.head.axes = &axis;
    sample.head.has_baseline = true;
    sample.store->read = read_point_1_only;
    assert_int_equal(spot_store_difference(sample.store, 0, 1, pairs), SPOT_ERR_IO);
    assert_int_equal(spot_store_difference(sample.store, 1, 0, pairs), SPOT_ERR_IO);
    assert_int_equal(spot_store_differences(sample.store, &all), SPOT_ERR_IO);
    assert_null(all);
    free_sample(&sample);
}

/* Makes rows as they are asked for; x - y is +-1 in turn, but for a shift of 0.5. */
static int read_made_up(const spot_store_t *self, size_t point_id, int64_t first_replication,
    spot_row_function_t function, void *context)
{
    int ret = 0;

    for (int64_t j = first_replication; ret == 0 && j < self->head->num_replications; j++) {
        const double common = (double) (j % 1000);
        const double sign = j % 2 == 0 ? 1 : -1;
        const double row[NUM_METRICS] = {
            common + (point_id == 1 ? 0.5 + sign : 0), common, (double) NAN};

        ret = function(context, &(spot_row_t){.replication = j, .metrics = row});
    }
    return ret;
}

static void test_many_blocks(void **state)
{
    const spot_study_head_t head = {.num_points = 2,
        .num_metrics = NUM_METRICS,
        .metrics = metrics,
        .batch_replications = 64,
        .num_replications = 300000};
    const spot_store_t store = {.head = &head, .read = read_made_up};
    spot_paired_t pairs[NUM_METRICS];

    (void) state;
    assert_int_equal(spot_store_difference(&store, 1, 0, pairs), 0);
    assert_int_equal(pairs[0].difference.num_values, 300000);
    assert_near(spot_paired_mean(&pairs[0]), 0.5, 1e-12);
    assert_near(pairs[0].difference.sum_squares, 300000, 1e-6);
    assert_near(spot_paired_mean(&pairs[1]), 0, 0);
    assert_int_equal(pairs[2].num_left_out, 300000);
}

/* ---- Events that were hardly seen ---- */

enum { COUNT, COST, NUM_OF_EVENTS };

/* Pairs two points of 60 replications; events[point]: so many replications have one. The
 * cost differs from run to run, or not. */
static void pair_events(
    const size_t *events, double cost_step, spot_point_kind_t *kind, spot_paired_t *pairs)
{
    static spot_metric_t of_events[NUM_OF_EVENTS] = {
        [COUNT] = {.name = "count", .unit = "1", .help = "", .is_count = true},
        [COST] = {.name = "cost", .unit = "USD", .help = ""}};
    const spot_study_head_t head = {.num_points = 2,
        .num_metrics = NUM_OF_EVENTS,
        .metrics = of_events,
        .batch_replications = 64,
        .num_replications = 60,
        .num_kinds = kind == NULL ? 0 : 1,
        .kinds = kind};
    spot_store_t *store;

    assert_int_equal(spot_store_open_memory(&store, &head), 0);
    for (size_t j = 0; j < 2; j++) {
        double rows[60][NUM_OF_EVENTS];

        for (size_t k = 0; k < 60; k++) {
            rows[k][COUNT] = k < events[j];
            rows[k][COST] = 5 + (double) j + cost_step * (double) (k * k % 7);
        }
        assert_int_equal(store->put(store, &(spot_piece_t){j, 0, 60, rows[0], NULL}), 0);
    }
    assert_int_equal(spot_store_difference(store, 1, 0, pairs), 0);
    store->close(store);
}

static void test_events(void **state)
{
    const double missed = log(20) / 60;
    bool is_ruled[NUM_OF_EVENTS] = {true, true};
    spot_point_kind_t kind = {.is_ruled = is_ruled};
    spot_paired_t pairs[NUM_OF_EVENTS];
    double low, high;

    (void) state;
    pair_events((const size_t[]){0, 0}, 1, NULL, pairs); /* none at both */
    spot_paired_bounds(&pairs[COUNT], 0.95, &low, &high);
    assert_near(low, -missed, 1e-12);
    assert_near(high, missed, 1e-12);
    assert_near(spot_paired_half_width(&pairs[COUNT], 0.95), missed, 1e-12);
    assert_int_equal(spot_paired_sign(&pairs[COUNT], 0.95), 0);
    assert_true(spot_paired_half_width(&pairs[COST], 0.95) < 1e-12); /* it varies alike */
    pair_events((const size_t[]){0, 50}, 1, NULL, pairs); /* none at one, many at the other */
    spot_paired_bounds(&pairs[COUNT], 0.95, &low, &high);
    assert_true(low > 0.6 && low < 50.0 / 60 - missed && high > 50.0 / 60);
    assert_int_equal(spot_paired_sign(&pairs[COUNT], 0.95), 1);
    pair_events((const size_t[]){0, 1}, 1, NULL, pairs);
    assert_int_equal(spot_paired_sign(&pairs[COUNT], 0.95), 0);
    pair_events((const size_t[]){0, 0}, 0, NULL, pairs); /* a cost that may be luck */
    assert_near(spot_paired_mean(&pairs[COST]), 1, 1e-12);
    assert_true(isinf(spot_paired_half_width(&pairs[COST], 0.95)));
    assert_int_equal(spot_paired_sign(&pairs[COST], 0.95), 0);
    pair_events((const size_t[]){0, 0}, 0, &kind, pairs); /* known by rule */
    assert_true(spot_paired_half_width(&pairs[COUNT], 0.95) == 0);
    assert_true(spot_paired_half_width(&pairs[COST], 0.95) == 0);
    assert_int_equal(spot_paired_sign(&pairs[COST], 0.95), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_stores),
        cmocka_unit_test(test_different_numbers),
        cmocka_unit_test(test_partners),
        cmocka_unit_test(test_shared_bases),
        cmocka_unit_test(test_on_disk_as_in_memory),
        cmocka_unit_test(test_errors_of_reading),
        cmocka_unit_test(test_many_blocks),
        cmocka_unit_test(test_events),
    };

    return cmocka_run_group_tests(tests, NULL, case_end);
}
