/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gsl/gsl_errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/units.h"
#include "fixture.h"
#include "models/step_fit.h"
#include "tests/unit/base/shared_data.h"

#define MEASURED SHARED_DATA "profiles/parcae_gpt-1.5b_dp.csv"
#define SAMPLE SPOT_SOURCE_DIR "/models/sample/steps-48/steps.csv"

typedef struct {
    double ms[SPOT_STEP_FIT_TERMS];
    int64_t samples_per_step, micro_batch, num_layers;
} truth_t;

/* The formula of the header once more. */
static double truth_ms(const truth_t *self, int64_t num_pipelines, int64_t depth)
{
    const double m =
        ceil((double) self->samples_per_step / (double) (self->micro_batch * num_pipelines));
    const double k = ceil((double) (self->num_layers - 1) / (double) depth);
    const double d = (double) num_pipelines, p = (double) depth;

    return (m + p - 1) * (k * self->ms[0] + self->ms[1]) + self->ms[2] +
           self->ms[3] * 2 * (d - 1) / (d * p);
}

/* The same with the coefficients that were found. */
static double fit_ms(const spot_step_fit_t *fit, int64_t num_pipelines, int64_t depth)
{
    truth_t found = {.samples_per_step = fit->samples_per_step,
        .micro_batch = fit->micro_batch,
        .num_layers = fit->num_layers};

    memcpy(found.ms, fit->ms, sizeof(found.ms));
    return truth_ms(&found, num_pipelines, depth);
}

static int fit_grid(spot_step_fit_t *fit, spot_step_grid_t *grid)
{
    const spot_step_fit_request_t request = {.table_path = "table.csv"};
    spot_diag_t diag;
    int ret;

    spot_diag_init(&diag);
    ret = spot_step_fit_grid(&request, grid, fit, &diag);
    spot_diag_free(&diag);
    return ret;
}

/* The table filled by the fit, as it is written and read back. */
static spot_step_grid_t filled(
    const spot_step_fit_t *fit, const spot_step_grid_t *grid, spot_step_range_t range)
{
    const spot_step_fit_request_t request = {.table_path = "table.csv", .range = range};
    spot_step_grid_t full;
    spot_diag_t diag;
    char path[256];

    snprintf(path, sizeof(path), "%s/step_fit.%d.csv", temporary_folder(), (int) getpid());
    spot_diag_init(&diag);
    assert_int_equal(spot_step_fit_write(&request, grid, fit, path, &diag), 0);
    assert_int_equal(spot_step_grid_read(&full, path, &diag), 0);
    unlink(path);
    spot_diag_free(&diag);
    return full;
}

static void add(spot_step_grid_t *self, int64_t num_pipelines, int64_t depth, double step_ms)
{
    const spot_step_pair_t pair = {
        .num_pipelines = (int32_t) num_pipelines, .depth = (int32_t) depth, .step_ms = step_ms};

    assert_int_equal(spot_step_grid_add(self, &pair), 0);
}

static spot_step_grid_t empty_grid(const truth_t *truth)
{
    return (spot_step_grid_t){.samples_per_step = truth->samples_per_step,
        .micro_batch = truth->micro_batch,
        .num_layers = truth->num_layers};
}

/* The pairs of a range, each with a relative error up to noise, all of them or two
 * thirds. */
static spot_step_grid_t synthetic(
    const truth_t *truth, spot_rng_t *rng, double noise, bool is_partial)
{
    spot_step_grid_t grid = empty_grid(truth);

    for (int64_t depth = 3; depth <= 16; depth++) {
        for (int64_t num_pipelines = 1; num_pipelines <= 5; num_pipelines++) {
            const double error = noise * (2 * spot_rng_uniform(rng) - 1);

            if (!is_partial || spot_rng_below(rng, 3) > 0) {
                add(&grid, num_pipelines, depth,
                    truth_ms(truth, num_pipelines, depth) * (1 + error));
            }
        }
    }
    assert_int_equal(spot_step_grid_seal(&grid, NULL, NULL), 0);
    return grid;
}

static void draw_truth(truth_t *self, spot_rng_t *rng, unsigned zeros)
{
    static const double scales[SPOT_STEP_FIT_TERMS] = {10, 30, 500, 5000};

    for (size_t j = 0; j < SPOT_STEP_FIT_TERMS; j++) {
        const double fraction = 0.1 + 0.9 * spot_rng_uniform(rng);

        self->ms[j] = (zeros >> j & 1) != 0 ? 0 : scales[j] * fraction;
    }
    self->micro_batch = 1 + (int64_t) spot_rng_below(rng, 4);
    self->samples_per_step = 60 + (int64_t) spot_rng_below(rng, 300);
    self->num_layers = 17 + (int64_t) spot_rng_below(rng, 50);
}

/* Every set of terms that are 0: the truth comes back, from two thirds of the pairs. */
static void test_truth_comes_back(void **state)
{
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 4, 0, SPOT_STREAM_DESIGN, 0);
    for (unsigned zeros = 0; zeros < 15; zeros++) {
        truth_t truth;
        spot_step_grid_t grid;
        spot_step_fit_t fit;

        draw_truth(&truth, &rng, zeros);
        grid = synthetic(&truth, &rng, 0, true);
        assert_int_equal(fit_grid(&fit, &grid), 0);
        assert_true(fit.is_determined);
        assert_int_equal(fit.num_pairs, grid.num_pairs);
        for (size_t j = 0; j < SPOT_STEP_FIT_TERMS; j++) {
            assert_true(fabs(fit.ms[j] - truth.ms[j]) <= 1e-7 * truth.ms[j]);
        }
        assert_true(fit.error.max < 1e-9);
        spot_step_grid_free(&grid);
    }
}

static double sum_of_squares(const spot_step_fit_t *fit, const spot_step_grid_t *grid)
{
    double sum = 0;

    for (size_t j = 0; j < grid->num_pairs; j++) {
        const spot_step_pair_t *pair = &grid->pairs[j];
        const double error = fit_ms(fit, pair->num_pipelines, pair->depth) / pair->step_ms - 1;

        sum += error * error;
    }
    return sum;
}

/* The conditions of Karush, Kuhn and Tucker, by moving every coefficient a little: the
 * sum does not fall in any direction that is allowed. It is convex, so that is all. */
static void test_optimum(void **state)
{
    int num_at_zero = 0;
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 5, 0, SPOT_STREAM_DESIGN, 0);
    for (int round = 0; round < 40; round++) {
        truth_t truth;
        spot_step_grid_t grid;
        spot_step_fit_t fit, moved;
        double least;

        draw_truth(&truth, &rng, (unsigned) round % 15);
        grid = synthetic(&truth, &rng, 0.3, true);
        assert_int_equal(fit_grid(&fit, &grid), 0);
        least = sum_of_squares(&fit, &grid);
        for (size_t j = 0; j < SPOT_STEP_FIT_TERMS; j++) {
            const double step_ms = 1e-4 * (fit.ms[j] + 1);

            assert_true(fit.ms[j] >= 0);
            num_at_zero += fit.ms[j] == 0;
            moved = fit;
            moved.ms[j] += step_ms;
            assert_true(sum_of_squares(&moved, &grid) >= least);
            moved.ms[j] = fmax(0, fit.ms[j] - step_ms);
            assert_true(sum_of_squares(&moved, &grid) >= least);
        }
        spot_step_grid_free(&grid);
    }
    assert_true(num_at_zero > 20);
}

/* The errors of the pairs one by one; only one of them is the largest. */
static void assert_errors(const spot_step_fit_t *fit, const spot_step_grid_t *grid)
{
    double sum = 0, max = 0;
    int num_largest = 0;

    for (size_t j = 0; j < grid->num_pairs; j++) {
        const spot_step_pair_t *pair = &grid->pairs[j];
        const double error =
            fabs(fit_ms(fit, pair->num_pipelines, pair->depth) / pair->step_ms - 1);

        sum += error / (double) grid->num_pairs;
        max = fmax(max, error);
        if (pair->num_pipelines == fit->error.max_pipelines &&
            pair->depth == fit->error.max_depth) {
            assert_true(fabs(fit->error.max - error) < 1e-12);
            num_largest++;
        }
    }
    assert_true(fabs(fit->error.mean - sum) < 1e-12);
    assert_true(fabs(fit->error.max - max) < 1e-12);
    assert_int_equal(num_largest, 1);
}

/* 1 - best/choice in time, for the fastest pair by the formula of up to num instances.
 */
static double regret_by_search(
    const spot_step_fit_t *fit, const spot_step_grid_t *grid, int num_instances)
{
    double best_ms = HUGE_VAL, best_fit_ms = HUGE_VAL, choice_ms = 0;

    for (size_t j = 0; j < grid->num_pairs; j++) {
        const spot_step_pair_t *pair = &grid->pairs[j];
        const double by_fit_ms = fit_ms(fit, pair->num_pipelines, pair->depth);

        if (pair->num_pipelines * pair->depth <= num_instances) {
            best_ms = fmin(best_ms, pair->step_ms);
            choice_ms = by_fit_ms < best_fit_ms ? pair->step_ms : choice_ms;
            best_fit_ms = fmin(best_fit_ms, by_fit_ms);
        }
    }
    return 1 - best_ms / choice_ms;
}

/* Errors and the loss by the choice, from the definitions. */
static void test_quality(void **state)
{
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 6, 0, SPOT_STREAM_DESIGN, 0);
    for (int round = 0; round < 10; round++) {
        double sum = 0, worst = 0;
        int64_t num_same = 0;
        truth_t truth;
        spot_step_grid_t grid;
        spot_step_fit_t fit;

        draw_truth(&truth, &rng, 0);
        grid = synthetic(&truth, &rng, 0.2, false);
        assert_int_equal(fit_grid(&fit, &grid), 0);
        assert_errors(&fit, &grid);
        for (int num_instances = 3; num_instances <= 80; num_instances++) {
            const double regret = regret_by_search(&fit, &grid, num_instances);

            num_same += regret == 0;
            sum += regret;
            worst = fmax(worst, regret);
        }
        assert_int_equal(fit.choice.num_fleets, 78);
        assert_int_equal(fit.choice.num_same, num_same);
        assert_true(fabs(fit.choice.mean_regret - sum / 78) < 1e-12);
        assert_true(fabs(fit.choice.worst_regret - worst) < 1e-12);
        spot_step_grid_free(&grid);
    }
}

/* a/N + b is found where it is the truth, and one depth cannot tell the terms apart. */
static void test_other_shapes(void **state)
{
    const truth_t truth = {{0}, 64, 1, 33};
    spot_step_grid_t grid = empty_grid(&truth);
    spot_step_fit_t fit;

    (void) state;
    for (int64_t num_pipelines = 1; num_pipelines <= 4; num_pipelines++) {
        add(&grid, num_pipelines, 8, 100 + 8000 / (double) (8 * num_pipelines));
    }
    assert_int_equal(spot_step_grid_seal(&grid, NULL, NULL), 0);
    assert_int_equal(fit_grid(&fit, &grid), SPOT_ERR_BAD_INPUT);
    add(&grid, 5, 8, 100 + 8000 / 40.0);
    assert_int_equal(spot_step_grid_seal(&grid, NULL, NULL), 0);
    assert_int_equal(fit_grid(&fit, &grid), 0);
    assert_false(fit.is_determined);
    assert_true(fabs(fit.by_instances_ms[0] - 8000) < 1e-6);
    assert_true(fabs(fit.by_instances_ms[1] - 100) < 1e-8);
    assert_true(fit.by_instances_error.max < 1e-9);
    spot_step_grid_free(&grid);
}

static void test_full_table(void **state)
{
    const truth_t truth = {{5, 10, 100, 4000}, 30, 4, 33};
    const spot_step_range_t wide = {1, 100, 1, 40, 60}, as_given = {0, 0, 0, 0, 0};
    spot_step_grid_t grid = empty_grid(&truth), full;
    spot_step_fit_t fit;
    size_t num_expected = 0;

    (void) state;
    for (int64_t depth = 4; depth <= 10; depth += 2) {
        add(&grid, 1, depth, truth_ms(&truth, 1, depth));
        add(&grid, 3, depth, truth_ms(&truth, 3, depth));
    }
    add(&grid, 2, 4, 0);
    assert_int_equal(spot_step_grid_seal(&grid, NULL, NULL), 0);
    assert_int_equal(fit_grid(&fit, &grid), 0);
    full = filled(&fit, &grid, as_given);
    for (int64_t depth = 1; depth <= 40; depth++) {
        for (int64_t num = 1; num <= 100; num++) {
            const bool is_in = num <= 3 && depth >= 4 && depth <= 10 && !(num == 2 && depth == 4);

            assert_int_equal(spot_step_grid_find(&full, num, depth) != NULL, is_in);
        }
    }
    spot_step_grid_free(&full);
    full = filled(&fit, &grid, wide);
    for (int64_t depth = 1; depth <= 40; depth++) {
        for (int64_t num = 1; num <= 100; num++) {
            const spot_step_pair_t *pair = spot_step_grid_find(&full, num, depth);
            const bool is_in =
                num * depth <= 60 && depth <= 33 && num <= 8 && !(num == 2 && depth == 4);

            assert_int_equal(pair != NULL, is_in);
            if (is_in) {
                const double expected_ms = truth_ms(&truth, num, depth);

                num_expected++;
                assert_true(fabs(pair->step_ms - expected_ms) <= 1e-7 * expected_ms);
                assert_int_equal(pair->origin == SPOT_STEP_FITTED,
                    spot_step_grid_find(&grid, num, depth) == NULL);
            }
        }
    }
    assert_int_equal(full.num_pairs, num_expected);
    assert_int_equal(full.num_infeasible, 1);
    /* What is fitted is not fitted again. */
    assert_int_equal(fit_grid(&fit, &full), 0);
    assert_int_equal(fit.num_pairs, 8);
    spot_step_grid_free(&full);
    spot_step_grid_free(&grid);
}

static spot_step_fit_t fit_of_file(const char *path)
{
    spot_step_grid_t grid;
    spot_step_fit_t fit;
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(spot_step_grid_read(&grid, path, &diag), 0);
    assert_int_equal(fit_grid(&fit, &grid), 0);
    spot_step_grid_free(&grid);
    spot_diag_free(&diag);
    return fit;
}

/* The table of our own making: a formula, and errors of up to 3 % on it. */
static void test_sample(void **state)
{
    const spot_step_fit_t fit = fit_of_file(SAMPLE);

    (void) state;
    assert_true(fit.is_determined);
    assert_true(fabs(fit.ms[SPOT_STEP_FIT_LAYER] - 8) < 0.05 * 8);
    assert_true(fit.error.max < 0.035);
    assert_true(fit.by_instances_error.mean > 2 * fit.error.mean);
}

/* The row of GPT-1.5B as it was published, to half a unit of its last digits. */
static void test_published_row(void **state)
{
    spot_step_fit_t fit;

    (void) state;
    need_data(MEASURED);
    fit = fit_of_file(MEASURED);
    assert_int_equal(fit.num_pairs, 47);
    assert_true(fabs(fit.ms[SPOT_STEP_FIT_LAYER] - 5.931) <= 0.0005);
    assert_true(fabs(fit.ms[SPOT_STEP_FIT_STAGE] - 10.608) <= 0.0005);
    assert_true(fabs(fit.ms[SPOT_STEP_FIT_STEP] - 252.895) <= 0.0005);
    assert_true(fabs(fit.ms[SPOT_STEP_FIT_REDUCE] - 3979.3) <= 0.05);
    assert_true(fabs(fit.error.mean - 0.015) <= 0.0005);
    assert_true(fabs(fit.error.max - 0.067) <= 0.0005);
    assert_true(fabs(fit.by_instances_error.mean - 0.069) <= 0.0005);
    assert_true(fabs(fit.by_instances_error.max - 0.159) <= 0.0005);
    assert_int_equal(fit.choice.num_fleets, 27);
    assert_int_equal(fit.choice.num_same, 20);
    assert_true(fabs(fit.choice.mean_regret - 0.0036) <= 0.00005);
    assert_true(fabs(fit.choice.worst_regret - 0.045) <= 0.0005);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_truth_comes_back),
        cmocka_unit_test(test_optimum),
        cmocka_unit_test(test_quality),
        cmocka_unit_test(test_other_shapes),
        cmocka_unit_test(test_full_table),
        cmocka_unit_test(test_sample),
        cmocka_unit_test(test_published_row),
    };

    gsl_set_error_handler_off();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
