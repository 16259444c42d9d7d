/* SPDX-License-Identifier: GPL-3.0-or-later */
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
#include "models/step_grid.h"
#include "tests/unit/base/shared_data.h"

#define MEASURED SHARED_DATA "profiles/parcae_gpt-1.5b_dp.csv"

static const char *temporary_path(const char *name)
{
    static char path[512];

    snprintf(path, sizeof(path), "%s/%s", temporary_folder(), name);
    return path;
}

static void read_text(spot_step_grid_t *self, const char *name, const char *text)
{
    const char *path = temporary_path(name);
    spot_diag_t diag;

    spot_diag_init(&diag);
    write_file(path, text);
    if (spot_step_grid_read(self, path, &diag) != 0) {
        spot_diag_print(&diag, stderr);
        fail();
    }
    assert_int_equal(diag.num_items, 0);
    spot_diag_free(&diag);
    remove(path);
}

static void assert_read_fails(const char *text, const char *expected)
{
    const char *path = temporary_path("grid_wrong.csv");
    spot_step_grid_t grid;
    spot_diag_t diag;

    spot_diag_init(&diag);
    write_file(path, text);
    assert_int_equal(spot_step_grid_read(&grid, path, &diag), SPOT_ERR_BAD_INPUT);
    spot_step_grid_free(&grid);
    assert_diagnostics(&diag, expected);
    remove(path);
}

static void assert_pair(const spot_step_pair_t *pair, int num_pipelines, int depth)
{
    assert_non_null(pair);
    assert_int_equal(pair->num_pipelines, num_pipelines);
    assert_int_equal(pair->depth, depth);
}

/* The rules of best(N) and the others, one pair after the other. */
static bool is_better(
    const spot_step_grid_t *grid, const spot_step_pair_t *a, const spot_step_pair_t *b)
{
    const double speed_a = spot_step_grid_speed(grid, a);
    const double speed_b = spot_step_grid_speed(grid, b);
    const int instances_a = a->num_pipelines * a->depth;
    const int instances_b = b->num_pipelines * b->depth;

    if (speed_a != speed_b) {
        return speed_a > speed_b;
    }
    return instances_a != instances_b ? instances_a < instances_b : a->depth < b->depth;
}

static const spot_step_pair_t *best_of_all(const spot_step_grid_t *grid, int64_t num_instances)
{
    const spot_step_pair_t *best = NULL;

    for (size_t j = 0; j < grid->num_pairs; j++) {
        const spot_step_pair_t *pair = &grid->pairs[j];

        if (pair->num_pipelines * pair->depth <= num_instances &&
            (best == NULL || is_better(grid, pair, best))) {
            best = pair;
        }
    }
    return best;
}

static const spot_step_pair_t *find_by_search(
    const spot_step_grid_t *grid, int64_t num_pipelines, int64_t depth)
{
    for (size_t j = 0; j < grid->num_pairs; j++) {
        if (grid->pairs[j].num_pipelines == num_pipelines && grid->pairs[j].depth == depth) {
            return &grid->pairs[j];
        }
    }
    return NULL;
}

/* Few different values, so that there are ties of all kinds. */
static void draw_grid(spot_step_grid_t *self, spot_rng_t *rng)
{
    const int64_t most = 1 + (int64_t) spot_rng_below(rng, 9);

    memset(self, 0, sizeof(*self));
    self->has_samples_per_s = spot_rng_below(rng, 2) == 0;
    for (int depth = 9; depth >= 1; depth--) {
        for (int num_pipelines = 1; num_pipelines <= most; num_pipelines++) {
            spot_step_pair_t pair = {.num_pipelines = num_pipelines, .depth = depth};
            const uint64_t value = spot_rng_below(rng, 5);
            const uint64_t samples = spot_rng_below(rng, 4);

            pair.step_ms = 10.0 * (double) value;
            pair.samples_per_s = value > 0 && self->has_samples_per_s ? 1 + (double) samples : 0;
            if (spot_rng_below(rng, 3) > 0) {
                assert_int_equal(spot_step_grid_add(self, &pair), 0);
            }
        }
    }
    assert_int_equal(spot_step_grid_seal(self, NULL, NULL), 0);
}

static void assert_lookups(const spot_step_grid_t *grid)
{
    for (int64_t depth = 1; depth <= 10; depth++) {
        int64_t most = 0;

        for (int64_t num = 0; num <= 11; num++) {
            const spot_step_pair_t *pair = find_by_search(grid, num, depth);

            most = pair != NULL ? num : most;
            assert_ptr_equal(spot_step_grid_find(grid, num, depth), pair);
            assert_int_equal(spot_step_grid_most_pipelines(grid, num, depth), most);
        }
    }
    for (int64_t num_instances = 0; num_instances <= 100; num_instances++) {
        assert_ptr_equal(
            spot_step_grid_best(grid, num_instances), best_of_all(grid, num_instances));
    }
}

static void test_lookups_of_random_grids(void **state)
{
    size_t num_pairs = 0, num_infeasible = 0;
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 2, 0, SPOT_STREAM_DESIGN, 0);
    for (int j = 0; j < 200; j++) {
        spot_step_grid_t grid;

        draw_grid(&grid, &rng);
        assert_lookups(&grid);
        num_pairs += grid.num_pairs;
        num_infeasible += grid.num_infeasible;
        spot_step_grid_free(&grid);
    }
    assert_true(num_pairs > 1000 && num_infeasible > 100);
}

/* What has more pipelines goes, all else stays and is found as before. */
static void test_limit(void **state)
{
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 3, 0, SPOT_STREAM_DESIGN, 0);
    for (int64_t limit = 0; limit <= 11; limit++) {
        size_t num_kept = 0, num_all = 0;
        spot_step_grid_t grid;

        draw_grid(&grid, &rng);
        num_all = grid.num_pairs + grid.num_infeasible;
        for (size_t j = 0; j < num_all; j++) {
            num_kept += grid.pairs[j].num_pipelines <= limit;
        }
        assert_int_equal(spot_step_grid_limit(&grid, limit), 0);
        assert_int_equal(grid.num_pairs + grid.num_infeasible, num_kept);
        for (size_t j = 0; j < num_kept; j++) {
            assert_true(grid.pairs[j].num_pipelines <= limit);
            assert_int_equal(grid.pairs[j].step_ms > 0, j < grid.num_pairs);
        }
        assert_lookups(&grid);
        spot_step_grid_free(&grid);
    }
}

static void test_ties(void **state)
{
    spot_step_grid_t grid;

    (void) state;
    read_text(&grid, "grid_ties.csv",
        "D,P,step_ms,samples_per_s\n"
        "1,8,20,50\n" /* as fast as 2,2 with more */
        "2,2,30,50\n" /* equal instances: smaller P */
        "1,4,10,50\n"
        "3,3,5,49.9\n" /* fast by step_ms only */
        "4,4,40,50.1\n");
    assert_null(spot_step_grid_best(&grid, 3));
    for (int num_instances = 4; num_instances < 16; num_instances++) {
        assert_pair(spot_step_grid_best(&grid, num_instances), 2, 2);
    }
    assert_pair(spot_step_grid_best(&grid, 16), 4, 4);
    assert_pair(spot_step_grid_best(&grid, SPOT_MAX_INSTANCES), 4, 4);
    spot_step_grid_free(&grid);
    spot_step_grid_free(&grid);
}

static void test_reading(void **state)
{
    spot_step_grid_t grid;

    (void) state;
    read_text(&grid, "grid_read.csv",
        "# model: x  more_layers: 7 samples_per_step: 264 (global)\n"
        "#micro_batch: 4, layers: 24; and so on\n"
        "D,P,step_ms,samples_per_s,origin\n"
        "# layers: not any more\n"
        "2,4,1500.5,170.5,fitted\n"
        "1,4,2500.5,100,measured\n"
        "1,2,,,measured\n"
        "1,3,,0,measured\n"
        "2,3,70,0,measured\n");
    assert_int_equal(grid.samples_per_step, 264);
    assert_int_equal(grid.micro_batch, 4);
    assert_int_equal(grid.num_layers, 24);
    assert_true(grid.has_samples_per_s);
    assert_int_equal(grid.num_pairs, 2);
    assert_int_equal(grid.num_infeasible, 3);
    assert_null(spot_step_grid_find(&grid, 1, 2));
    assert_null(spot_step_grid_find(&grid, 2, 3));
    assert_null(spot_step_grid_find(&grid, 3, 4));
    assert_int_equal(spot_step_grid_find(&grid, 2, 4)->origin, SPOT_STEP_FITTED);
    assert_true(spot_step_grid_find(&grid, 2, 4)->samples_per_s == 170.5);
    assert_int_equal(spot_step_grid_find(&grid, 2, 4)->line, 5);
    assert_int_equal(spot_step_pair_ms(spot_step_grid_find(&grid, 2, 4)), 1500);
    assert_int_equal(spot_step_grid_find(&grid, 1, 4)->origin, SPOT_STEP_MEASURED);
    assert_int_equal(spot_step_pair_ms(spot_step_grid_find(&grid, 1, 4)), 2500);
    spot_step_grid_free(&grid);
    read_text(&grid, "grid_read.csv", "D,P,step_ms\n1,1,0.5\n");
    assert_false(grid.has_samples_per_s);
    assert_int_equal(grid.num_layers, 0);
    assert_int_equal(spot_step_pair_ms(spot_step_grid_best(&grid, 1)), 1);
    spot_step_grid_free(&grid);
}

static void test_written_reads_back(void **state)
{
    static const char *const remarks[] = {"one", "two: 2", NULL};
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 3, 0, SPOT_STREAM_DESIGN, 0);
    for (int round = 0; round < 20; round++) {
        const char *path = temporary_path("grid_written.csv");
        spot_step_grid_t grid, read;
        spot_diag_t diag;
        FILE *out;

        draw_grid(&grid, &rng);
        for (size_t j = 0; j < grid.num_pairs; j++) {
            grid.pairs[j].step_ms += spot_rng_uniform(&rng);
            grid.pairs[j].origin = (int) spot_rng_below(&rng, 3);
        }
        grid.samples_per_step = 1024;
        grid.num_layers = 1 + round;
        out = fopen(path, "w");
        assert_non_null(out);
        spot_step_grid_write(&grid, remarks, out);
        assert_int_equal(fclose(out), 0);
        spot_diag_init(&diag);
        assert_int_equal(
            spot_step_grid_read(&read, path, &diag), grid.num_pairs > 0 ? 0 : SPOT_ERR_BAD_INPUT);
        spot_diag_free(&diag);
        assert_int_equal(read.num_pairs, grid.num_pairs);
        assert_int_equal(read.num_infeasible, grid.num_infeasible);
        assert_int_equal(read.samples_per_step, 1024);
        assert_int_equal(read.micro_batch, 0);
        assert_int_equal(read.num_layers, 1 + round);
        for (size_t j = 0; j < grid.num_pairs; j++) {
            assert_int_equal(read.pairs[j].num_pipelines, grid.pairs[j].num_pipelines);
            assert_int_equal(read.pairs[j].depth, grid.pairs[j].depth);
            assert_true(read.pairs[j].step_ms == grid.pairs[j].step_ms);
            assert_true(read.pairs[j].samples_per_s == grid.pairs[j].samples_per_s);
            assert_int_equal(read.pairs[j].origin, grid.pairs[j].origin);
        }
        spot_step_grid_free(&read);
        spot_step_grid_free(&grid);
        remove(path);
    }
}

static void test_errors(void **state)
{
    (void) state;
    assert_read_fails("# layers: many\nD,P,step_ms,step_ms\n1,2,3\n",
        "grid_wrong.csv:1:11: layers: expected an integer from 1 to 1000000000000, got "
        "\"many\"\n"
        "grid_wrong.csv:2:1: expected the columns "
        "D,P,step_ms[,samples_per_s][,origin]\n");
    assert_read_fails("D,P,step_ms,samples_per_s,origin\n"
                      "1,1000001,10,1,measured\n"
                      "1,2,0.4,1,measured\n"
                      "1,2,nan,-1,measured\n"
                      "1,4,,5,measured\n"
                      "1,5,10,5,guessed\n"
                      "1,6,10,5\n"
                      "\n"
                      "1000,2000,10,5,measured\n"
                      "7,8,10,5,measured\n"
                      "7,8,,,measured\n",
        "grid_wrong.csv:2:3: P: expected an integer from 1 to 1000000, got '1000001'\n"
        "grid_wrong.csv:3:5: step_ms: expected milliseconds from 0.5 to 100 years, or "
        "nothing where the pair is infeasible, got '0.4'\n"
        "grid_wrong.csv:4:5: step_ms: expected milliseconds from 0.5 to 100 years, or "
        "nothing where the pair is infeasible, got 'nan'\n"
        "grid_wrong.csv:4:9: samples_per_s: expected samples per second from 0, got "
        "'-1'\n"
        "grid_wrong.csv:5:6: samples_per_s: expected none without a step_ms, got '5'\n"
        "grid_wrong.csv:6:10: origin: expected measured, fitted or estimated, got "
        "'guessed'\n"
        "grid_wrong.csv:7:1: expected 5 columns, got 4\n"
        "grid_wrong.csv:8:1: empty line\n"
        "grid_wrong.csv:9:1: D P: more than 1000000 instances\n"
        "grid_wrong.csv:11:1: the pair 7,8 is in line 10 already\n");
}

/* What is known of the published table beforehand, without a row of it. */
static void test_published_table(void **state)
{
    spot_step_grid_t grid;
    spot_diag_t diag;

    (void) state;
    need_data(MEASURED);
    spot_diag_init(&diag);
    assert_int_equal(spot_step_grid_read(&grid, MEASURED, &diag), 0);
    assert_int_equal(diag.num_items, 0);
    assert_int_equal(grid.num_pairs, 47);
    assert_int_equal(grid.samples_per_step, 128);
    assert_int_equal(grid.micro_batch, 1);
    assert_int_equal(grid.num_layers, 50);
    for (int64_t num = 1; num <= 40; num++) {
        assert_ptr_equal(spot_step_grid_best(&grid, num), best_of_all(&grid, num));
    }
    spot_step_grid_free(&grid);
    spot_diag_free(&diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lookups_of_random_grids),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_reading),
        cmocka_unit_test(test_written_reads_back),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_published_table),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
