/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pipelines of different depths: micro-batches against all ways to share them, the
 * planner against all sets of pipelines, step times against those of equal pipelines. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "models/pipeline_templates.h"

#define ANY_NUMBER 1000000

static int64_t between(spot_rng_t *rng, int64_t low, int64_t high)
{
    return low + (int64_t) (spot_rng_uniform(rng) * (double) (high - low + 1));
}

/* 0, or up to high. */
static double often_none(spot_rng_t *rng, double high)
{
    const double value = high * spot_rng_uniform(rng);

    return between(rng, 0, 1) == 0 ? 0 : value;
}

static spot_step_pipeline_t random_model(spot_rng_t *rng)
{
    spot_step_pipeline_t model = {.micro_batch = 1};

    model.num_layers = between(rng, 1, 16);
    model.schedule = (int) between(rng, 0, 2);
    model.recompute = (int) between(rng, 0, 1);
    model.forward_ms = 0.5 + spot_rng_uniform(rng);
    model.backward_ms = 0.5 + 2 * spot_rng_uniform(rng);
    model.link_ms = often_none(rng, 1);
    model.optimizer_ms = often_none(rng, 20);
    model.gradient_bytes = often_none(rng, 4e6);
    model.bandwidth_bytes_per_s = 1.25e9;
    if (between(rng, 0, 2) == 0) {
        model.memory.instance_bytes = (double) between(rng, 4, 40);
        model.memory.state_bytes = 2;
        model.memory.activation_bytes = spot_rng_uniform(rng);
        model.memory.input_bytes = 0.1;
    }
    return model;
}

/* ---- Shares ---- */

/* The least sum of squares over all ways to share; places: by pipeline. */
static double least_squares(const double *due, int32_t num_pipelines, int64_t num_left)
{
    double best = HUGE_VAL;

    if (num_pipelines == 1) {
        return num_left < 1 ? HUGE_VAL : pow((double) num_left - due[0], 2);
    }
    for (int64_t share = 1; share < num_left; share++) {
        best = fmin(best, pow((double) share - due[0], 2) +
                              least_squares(due + 1, num_pipelines - 1, num_left - share));
    }
    return best;
}

static int32_t list_due(const spot_templates_t *self, const spot_template_set_t *set, double *due)
{
    double weight = 0;
    int32_t count = 0;

    for (int32_t j = 0; j < set->num_groups; j++) {
        weight += set->groups[j].count * self->weights[set->groups[j].depth];
    }
    for (int32_t j = 0; j < set->num_groups; j++) {
        for (int32_t k = 0; k < set->groups[j].count; k++) {
            due[count++] =
                (double) self->num_micro_batches * self->weights[set->groups[j].depth] / weight;
        }
    }
    return count;
}

static void check_shares(const spot_templates_t *self, const spot_template_set_t *set)
{
    spot_template_share_t shares[SPOT_TEMPLATES_MAX_GROUPS];
    double due[64], squares = 0;
    int64_t num_shared = 0;
    int32_t next = 0;
    const int32_t num_pipelines = list_due(self, set, due);

    spot_template_shares(self, set, shares);
    for (int32_t j = 0; j < set->num_groups; j++) {
        assert_in_range(shares[j].num_more, 0, set->groups[j].count - 1);
        assert_true(shares[j].least >= 1);
        for (int32_t k = 0; k < set->groups[j].count; k++, next++) {
            const int64_t share = shares[j].least + (k < shares[j].num_more);

            num_shared += share;
            squares += pow((double) share - due[next], 2);
        }
    }
    assert_int_equal(num_shared, self->num_micro_batches);
    assert_true(squares <= least_squares(due, num_pipelines, self->num_micro_batches) + 1e-9);
}

static void test_shares(void **state)
{
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 1, 0, SPOT_STREAM_RECOVERY, 1);
    for (int j = 0; j < 3000; j++) {
        const spot_step_pipeline_t model = random_model(&rng);
        const int32_t num_layers = (int32_t) model.num_layers;
        spot_template_set_t set = {0};
        int64_t num_pipelines = 0;
        spot_templates_t self;

        for (int32_t n = 1; n <= num_layers && num_pipelines < 5; n++) {
            const int32_t count = (int32_t) between(&rng, 0, 5 - num_pipelines);

            if (count > 0) {
                set.groups[set.num_groups++] = (spot_template_group_t){n, count};
                num_pipelines += count;
            }
        }
        if (set.num_groups > 0) { /* often one or two for each */
            assert_int_equal(spot_templates_init(&self, &model, between(&rng, num_pipelines, 12), 1,
                                 num_layers, ANY_NUMBER),
                0);
            check_shares(&self, &set);
            spot_templates_free(&self);
        }
    }
}

/* 16 layers of 1 ms: one pipeline of 16 stages and two of 4. T(4) = 19 4 = 76 ms for 16
 * micro-batches, T(16) = 79 ms for 64: 4/76 to 16/79 is 1 to 3.848. */
static void test_share_by_hand(void **state)
{
    static const spot_step_pipeline_t model = {.num_layers = 16,
        .micro_batch = 1,
        .forward_ms = 0.25,
        .backward_ms = 0.75,
        .bandwidth_bytes_per_s = 1};
    static const spot_template_set_t set = {2, {{4, 2}, {16, 1}}};
    spot_template_share_t shares[2];
    spot_templates_t self;

    (void) state;
    assert_int_equal(spot_templates_init(&self, &model, 40, 1, 16, ANY_NUMBER), 0);
    spot_template_shares(&self, &set, shares); /* of 6.84, 6.84 and 26.32 */
    assert_int_equal(shares[0].least, 7);
    assert_int_equal(shares[0].num_more, 0);
    assert_int_equal(shares[1].least, 26);
    /* 4 stages of 4 ms: (7+3) 4; 16 of 1 ms: (26+15) 1. */
    assert_true(spot_templates_step_ms(&self, &set) == 41);
    spot_templates_free(&self);
}

/* ---- Step times ---- */

/* Equal pipelines of stages of c ms take (M+P-1) c, not (4S+1) c, and just what the
 * job's own model says for them. */
static void test_equal_stages(void **state)
{
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 1, 0, SPOT_STREAM_RECOVERY, 2);
    for (int j = 0; j < 3000; j++) {
        const spot_step_pipeline_t model = random_model(&rng);
        const int64_t samples = between(&rng, 1, 60);
        const int32_t depth = (int32_t) between(&rng, 1, model.num_layers);
        const int32_t count = (int32_t) between(&rng, 1, 12);
        const spot_template_set_t set = {1, {{depth, count}}};
        const double expected_ms = spot_step_pipeline_ms(&model, samples, count, depth);
        spot_templates_t self;

        assert_int_equal(
            spot_templates_init(&self, &model, samples, 1, (int32_t) model.num_layers, ANY_NUMBER),
            0);
        assert_true(fabs(spot_templates_step_ms(&self, &set) - expected_ms) <= 1e-12 * expected_ms);
        spot_templates_free(&self);
    }
}

static void test_iteration_of_equal_stages(void **state)
{
    (void) state;
    for (int32_t depth = 1; depth <= 24; depth++) {
        for (int64_t count = 1; count <= 40; count++) {
            const spot_step_pipeline_t model = {.num_layers = depth,
                .micro_batch = 2,
                .forward_ms = 1.25,
                .backward_ms = 1.75,
                .bandwidth_bytes_per_s = 1};
            const spot_template_set_t set = {1, {{depth, 1}}};
            spot_templates_t self;

            assert_int_equal(spot_templates_init(&self, &model, 2 * count, 1, depth, 1), 0);
            assert_true(spot_templates_step_ms(&self, &set) == (double) (count + depth - 1) * 3);
            spot_templates_free(&self);
        }
    }
}

static void test_infeasible_sets(void **state)
{
    static const spot_step_pipeline_t model = {.num_layers = 8,
        .micro_batch = 1,
        .forward_ms = 1,
        .backward_ms = 1,
        .bandwidth_bytes_per_s = 1};
    static const spot_template_set_t none = {0}, shallow = {2, {{1, 1}, {4, 1}}},
                                     deep = {2, {{4, 1}, {9, 1}}}, many = {1, {{2, 6}}},
                                     most = {1, {{2, 5}}};
    spot_templates_t self;

    (void) state;
    assert_int_equal(spot_templates_init(&self, &model, 5, 2, 8, 100), 0);
    assert_true(spot_templates_step_ms(&self, &none) == 0);
    assert_true(spot_templates_step_ms(&self, &shallow) == 0);
    assert_true(spot_templates_step_ms(&self, &deep) == 0);
    assert_true(spot_templates_step_ms(&self, &many) == 0);
    assert_true(spot_templates_step_ms(&self, &most) > 0);
    spot_templates_free(&self);
}

/* ---- Plans ---- */

/* All sets, one pipeline after the other, none shallower than the one before. */
typedef struct {
    const spot_templates_t *templates;
    int32_t depths[64];
    int32_t min_pipelines;
    double best_ms;
    int32_t best_pipelines;
    spot_template_set_t best;
} brute_t;

static spot_template_set_t set_of(const int32_t *depths, int32_t count)
{
    spot_template_set_t set = {0};

    for (int32_t j = 0; j < count; j++) {
        if (j == 0 || depths[j] != depths[j - 1]) {
            set.groups[set.num_groups++] = (spot_template_group_t){depths[j], 0};
        }
        set.groups[set.num_groups - 1].count++;
    }
    return set;
}

static void try_all(brute_t *self, int32_t count, int32_t min_depth, int32_t num_instances)
{
    if (num_instances == 0 && count >= self->min_pipelines) {
        const spot_template_set_t set = set_of(self->depths, count);
        const double step_ms = spot_templates_step_ms(self->templates, &set);

        if (step_ms > 0 && (step_ms < self->best_ms ||
                               (step_ms == self->best_ms && count < self->best_pipelines))) {
            self->best_ms = step_ms;
            self->best_pipelines = count;
            self->best = set;
        }
    }
    for (int32_t n = min_depth; n <= num_instances && n <= self->templates->max_depth; n++) {
        self->depths[count] = n;
        try_all(self, count + 1, n, num_instances - n);
    }
}

static void test_plan_against_all_sets(void **state)
{
    int num_feasible = 0, num_mixed = 0;
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 1, 0, SPOT_STREAM_RECOVERY, 3);
    for (int j = 0; j < 1500; j++) {
        const spot_step_pipeline_t model = random_model(&rng);
        const int32_t min_depth = (int32_t) between(&rng, 1, model.num_layers);
        const int32_t num_instances = (int32_t) between(&rng, 1, 26);
        const int32_t min_pipelines = (int32_t) between(&rng, 1, 4);
        const int64_t num_samples = between(&rng, 1, 40);
        const int64_t max_pipelines = between(&rng, 2, 40);
        spot_template_set_t set;
        spot_templates_t self;
        brute_t brute = {.min_pipelines = min_pipelines, .best_ms = HUGE_VAL};
        bool is_exact;
        double step_ms;

        assert_int_equal(spot_templates_init(&self, &model, num_samples, min_depth,
                             (int32_t) model.num_layers, max_pipelines),
            0);
        brute.templates = &self;
        try_all(&brute, 0, min_depth, num_instances);
        step_ms = spot_templates_best_set(&self, num_instances, min_pipelines, &set, &is_exact);
        assert_true(is_exact);
        if (brute.best.num_groups == 0) {
            assert_true(step_ms == 0);
        } else {
            assert_true(step_ms == brute.best_ms);
            assert_int_equal(set.num_groups, brute.best.num_groups);
            assert_memory_equal(
                set.groups, brute.best.groups, (size_t) set.num_groups * sizeof(set.groups[0]));
            num_feasible++;
            num_mixed += set.num_groups > 1;
        }
        spot_templates_free(&self);
    }
    assert_true(num_feasible > 500);
    assert_true(num_mixed > 200);
}

/* Where there are too many sets for that: no instance is left out, there are pipelines
 * enough, and no set of equal pipelines is faster. */
static void test_large_plans(void **state)
{
    static const spot_step_pipeline_t model = {.num_layers = 48,
        .micro_batch = 4,
        .forward_ms = 3,
        .backward_ms = 6,
        .link_ms = 0.2,
        .gradient_bytes = 2e7,
        .bandwidth_bytes_per_s = 1.25e9};
    spot_templates_t self;

    (void) state;
    assert_int_equal(spot_templates_init(&self, &model, 1024, 4, 48, ANY_NUMBER), 0);
    for (int32_t n = 16; n <= SPOT_TEMPLATES_MAX_INSTANCES; n += 31) {
        spot_template_set_t set;
        bool is_exact;
        const double step_ms = spot_templates_best_set(&self, n, 4, &set, &is_exact);
        int32_t num_pipelines = 0;

        assert_true(step_ms > 0 && step_ms == spot_templates_step_ms(&self, &set));
        assert_int_equal(spot_template_set_instances(&set), n);
        for (int32_t j = 0; j < set.num_groups; j++) {
            num_pipelines += set.groups[j].count;
        }
        assert_true(num_pipelines >= 4);
        for (int32_t depth = 4; depth <= 48; depth++) {
            if (n % depth == 0 && n / depth >= 4) {
                const spot_template_set_t equal = {1, {{depth, n / depth}}};

                assert_true(step_ms <= spot_templates_step_ms(&self, &equal));
            }
        }
    }
    spot_templates_free(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_share_by_hand),
        cmocka_unit_test(test_equal_stages),
        cmocka_unit_test(test_iteration_of_equal_stages),
        cmocka_unit_test(test_infeasible_sets),
        cmocka_unit_test(test_plan_against_all_sets),
        cmocka_unit_test(test_large_plans),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
