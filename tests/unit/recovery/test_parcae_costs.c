/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What Parcae's moves cost: the worked values of GPT-1.5B from the measured tables, and
 * a small model by hand. */
#include "parcae_case.h"
#include "tests/unit/base/shared_data.h"

#include "../base/near.h"

#define MAX_LOST 8

typedef struct {
    int32_t from[2]; /* D, P */
    int32_t num_lost;
    int32_t lost[MAX_LOST]; /* places */
    int32_t to[2];
    double cost_ms;
    double bug_ms; /* with par_bug; 0: the same */
} move_t;

static double cost_of(const spot_parcae_costs_t *costs, const move_t *move)
{
    uint8_t is_lost[64] = {0};
    const spot_parcae_left_t left = {.num_pipelines = move->from[0],
        .depth = move->from[1],
        .is_lost = is_lost,
        .num_left = move->from[0] * move->from[1] - move->num_lost};

    for (int32_t j = 0; j < move->num_lost; j++) {
        is_lost[move->lost[j]] = 1;
    }
    return spot_parcae_move_ms(costs, &left, move->to[0], move->to[1]);
}

static void assert_costs(const spot_parcae_costs_t *costs, const move_t *moves, size_t num_moves,
    bool has_bug, double tolerance)
{
    for (size_t j = 0; j < num_moves; j++) {
        const double expected = has_bug && moves[j].bug_ms > 0 ? moves[j].bug_ms : moves[j].cost_ms;

        assert_near(cost_of(costs, &moves[j]), expected, tolerance);
    }
}

/* recovery.md 2.8, printed to a millionth. */
static const move_t gpt_moves[] = {
    {{4, 8}, 0, {0}, {4, 8}, 2043.5, 0},
    {{4, 8}, 0, {0}, {3, 8}, 1689.8, 0},
    {{4, 8}, 3, {0, 1, 2}, {3, 8}, 1689.8, 0},
    {{4, 8}, 3, {0, 8, 16}, {3, 8}, 8074.396449, 0},
    {{4, 8}, 3, {0, 8, 16}, {3, 7}, 14110.535286, 9175.283049},
    {{4, 8}, 3, {0, 1, 2}, {2, 14}, 8391.430569, 6333.238177},
    {{4, 8}, 1, {5}, {4, 7}, 14424.935286, 9489.683049},
    {{3, 7}, 0, {0}, {3, 7}, 1532.6, 0},
    {{1, 17}, 0, {0}, {1, 17}, 1689.8, 0},
};

static void test_gpt(void **state)
{
    static const char *const options[] = {"", "  par_bug: yes\n"};

    (void) state;
    for (int has_bug = 0; has_bug < 2; has_bug++) {
        const spot_parcae_costs_t *costs;
        parcae_case_t self;

        if (!bind_gpt(&self, "parcae", options[has_bug], 32)) {
            skip_without_data();
        }
        costs = &parcae_of(&self)->costs;
        assert_costs(costs, gpt_moves, sizeof(gpt_moves) / sizeof(gpt_moves[0]), has_bug, 2e-10);
        assert_near(spot_parcae_restart_ms(costs, 4, 8, false), 4858.315459, 2e-10);
        assert_near(spot_parcae_restart_ms(costs, 4, 8, true), 32189.815459, 2e-10);
        assert_near(spot_parcae_transfer_ms(costs, 2147483648.0), 2396.5118, 1e-9);
        assert_int_equal(parcae_of(&self)->num_pairs, 47);
        free_parcae_case(&self);
    }
}

/* recovery.md 2.7: what a decision takes in all; only the first saves nothing. */
static void test_throughput_pauses(void **state)
{
    static const struct {
        int32_t pair[2];
        bool has_additions;
        double checkpoint_ms;
        double pause_ms;
    } cases[] = {
        {{4, 8}, true, 0, 54149.434444},
        {{3, 10}, false, 14000, 40348.634444},
        {{4, 8}, true, 14000, 68149.434444},
        {{4, 7}, false, 14000, 41051.434444},
    };
    parcae_case_t self;

    (void) state;
    if (!bind_gpt(&self, "parcae-throughput", "", 32)) {
        skip_without_data();
    }
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        const spot_parcae_costs_t *costs = &parcae_of(&self)->costs;

        assert_near(spot_parcae_restart_ms(
                        costs, cases[j].pair[0], cases[j].pair[1], cases[j].has_additions) +
                        spot_parcae_reload_ms(costs, cases[j].pair[1], cases[j].checkpoint_ms),
            cases[j].pause_ms, 2e-11);
    }
    free_parcae_case(&self);
}

/* Of equally fast pairs 16 instances are fewer than 17; as published, one pipeline is
 * fewer than two. */
static void test_ties(void **state)
{
    static const char *const options[] = {"", "  tie: par\n"};
    static const int32_t expected[][2] = {{2, 8}, {1, 17}};

    (void) state;
    for (int j = 0; j < 2; j++) {
        const spot_parcae_t *parcae;
        parcae_case_t self;

        if (!bind_gpt(&self, "parcae", options[j], 32)) {
            skip_without_data();
        }
        parcae = parcae_of(&self);
        assert_int_equal(parcae->pairs[parcae->best[17]].num_pipelines, expected[j][0]);
        assert_int_equal(parcae->pairs[parcae->best[17]].depth, expected[j][1]);
        for (int64_t n = 0; n <= 32; n++) {
            const spot_step_pair_t *best = spot_step_grid_best(&self.job.step_time.grid, n);
            const spot_parcae_pair_t *pair = &parcae->pairs[parcae->best[n]];

            assert_int_equal(best == NULL, parcae->best[n] == parcae->num_pairs);
            if (best != NULL) {
                assert_true(spot_step_grid_speed(&self.job.step_time.grid, best) == pair->speed);
                assert_true(j == 1 || (best->num_pipelines == pair->num_pipelines &&
                                          best->depth == pair->depth));
            }
        }
        free_parcae_case(&self);
    }
}

#define SMALL_MODEL                                                                                \
    "job:\n"                                                                                       \
    "  pipeline_depth: 2\n"                                                                        \
    "  step_time: {16: 18 s, 32: 11 s, 48: 9 s, 64: 8 s}\n"                                        \
    "recovery:\n"                                                                                  \
    "  system: parcae\n"                                                                           \
    "  link_gbps: 8\n"                                                                             \
    "  layers: 5\n"                                                                                \
    "  first_parameters: 1000000\n"                                                                \
    "  layer_parameters: 2000000\n"                                                                \
    "  last_parameters: 4000000\n"                                                                 \
    "  bytes_per_parameter: 1\n"                                                                   \
    "  build_layer_ms: 50\n"                                                                       \
    "  build_bytes: 0\n"                                                                           \
    "  add_ms: 100\n"                                                                              \
    "  group_base_ms: 0\n"                                                                         \
    "  group_add_ms: 10\n"                                                                         \
    "  group_remove_ms: 1\n"                                                                       \
    "  process_ms: 5\n"                                                                            \
    "  published_defaults: yes\n"

/* A million parameters take 1 ms. Stages of P = 2: 5, 6; of P = 3: 3, 4, 4; of P = 4:
 * 3, 2, 2, 4. To build: 100, 50, 50. */
static const move_t small_moves[] = {
    {{2, 2}, 1, {3}, {1, 2}, 6 + 5, 0},                        /* one is left of each */
    {{2, 2}, 1, {3}, {2, 2}, 6 + 100 + 90 + 5 + 100, 0},       /* the last stage */
    {{2, 2}, 1, {2}, {2, 2}, 5 + 100 + 90 + 5 + 100, 0},       /* the first one */
    {{2, 2}, 2, {1, 3}, {1, 2}, 6 + 6 + 5 + 100, 0},           /* an orphan */
    {{2, 2}, 3, {0, 2, 3}, {1, 2}, 5 + 100 + 60 + 5 + 100, 0}, /* and too few */
    {{1, 2}, 2, {0, 1}, {1, 2}, 11 + 100 + 60 + 5 + 100, 0},   /* orphans are a sum */
    {{2, 3}, 0, {0}, {3, 3}, 4 + 100 + 160 + 5 + 50, 0},       /* growth */
};

static void test_small(void **state)
{
    static const char *const options[] = {"", "  par_bug: yes\n"};
    /* To other depths, from (2,2): the stage between is half of each, so 2 are missing;
     * all that was of stage 1 is missing if that is lost. */
    static const move_t others[] = {
        {{2, 2}, 0, {0}, {1, 3}, 2 + 8 + 5 + 50, 8 + 5 + 50},
        {{2, 2}, 1, {1}, {1, 3}, 2 + 8 + 5 + 50, 8 + 5 + 50},
        {{2, 2}, 0, {0}, {2, 3}, 2 + 4 + 100 + 120 + 5 + 50, 4 + 100 + 120 + 5 + 50},
        {{2, 2}, 0, {0}, {1, 4}, 10 + 5 + 50, 0},
        {{2, 2}, 2, {1, 3}, {1, 3}, 6 + 100 + 80 + 5 + 50, 4 + 100 + 80 + 5 + 50},
    };

    (void) state;
    for (int has_bug = 0; has_bug < 2; has_bug++) {
        char text[2048];
        spot_parcae_costs_t costs;
        parcae_case_t self;
        spot_diag_t diag;
        spot_bind_t bind = {.diag = &diag};
        spot_terms_t terms = {.bind = &bind, .is_published = true};
        spot_yaml_t document;

        snprintf(text, sizeof(text), "%s%s", SMALL_MODEL, options[has_bug]);
        assert_int_equal(bind_parcae_case(&self, text, 8), 0);
        spot_diag_init(&diag);
        assert_int_equal(spot_yaml_parse(&document, "p.yaml", text, strlen(text), &diag), 0);
        terms.node = spot_node_get(document.root, "recovery");
        terms.job = &self.job;
        costs = parcae_of(&self)->costs;
        assert_int_equal(costs.max_depth, 2); /* that of the job is all it needs */
        assert_int_equal(spot_parcae_costs_settle(&costs, &terms, 9), 0);
        assert_int_equal(costs.max_depth, 4); /* there are no more layers */
        assert_costs(
            &costs, small_moves, sizeof(small_moves) / sizeof(small_moves[0]), has_bug, 1e-9);
        assert_costs(&costs, others, sizeof(others) / sizeof(others[0]), has_bug, 1e-9);
        spot_yaml_free(&document);
        spot_diag_free(&diag);
        free(costs.numbers);
        free(costs.stages);
        free_parcae_case(&self);
    }
}

/* Stages hold all layers in order, at most one more than another but for the first. */
static void test_stages(void **state)
{
    parcae_case_t self;
    char text[2048];

    (void) state;
    for (int64_t depth = 1; depth < 50; depth++) {
        const spot_parcae_stages_t *stages;
        double sum_ms = 0;

        snprintf(text, sizeof(text),
            "job: {pipeline_depth: %d, step_time: {16: 18 s, 32: 11 s, 48: 9 s, 64: 8 s}}\n"
            "recovery: {system: parcae, published_defaults: yes, first_parameters: 1, "
            "layer_parameters: 1, "
            "last_parameters: 1, bytes_per_parameter: 1}\n",
            (int) depth);
        assert_int_equal(bind_parcae_case(&self, text, 64), 0);
        stages = &parcae_of(&self)->costs.stages[depth];
        assert_true(stages->bounds[0] == 0 && stages->bounds[depth] == 50);
        for (int64_t s = 0; s < depth; s++) {
            const double num_layers = stages->bounds[s + 1] - stages->bounds[s];
            const int64_t num_over = 49 % depth;
            const bool is_longer = s < depth - 1 && s >= depth - 1 - num_over;

            assert_true(num_layers == (double) (49 / depth) + (s == 0 ? 1 : 0) + is_longer);
            sum_ms += stages->stage_ms[s];
            assert_true(stages->stage_ms[s] <= stages->longest_ms);
        }
        assert_near(stages->sum_ms, sum_ms, 1e-12);
        free_parcae_case(&self);
    }
}

static void test_errors(void **state)
{
    parcae_case_t self;

    (void) state;
    assert_int_equal(bind_parcae_case(&self,
                         "job: {pipeline_depth: 50, step_time: {16: 18 s, 32: 11 s, 48: 9 s, 64: 8 "
                         "s}}\nrecovery: {system: parcae, "
                         "published_defaults: yes}\n",
                         64),
        SPOT_ERR_BAD_INPUT);
    free_parcae_case(&self);
    assert_int_equal(bind_parcae_case(&self,
                         "job: {pipeline_depth: 1, step_time: {16: 18 s, 32: 11 s, 48: 9 s, 64: 8 "
                         "s}}\nrecovery: {system: parcae, "
                         "published_defaults: yes}\n",
                         513),
        SPOT_ERR_BAD_INPUT);
    free_parcae_case(&self);
    assert_int_equal(bind_parcae_case(&self,
                         "recovery: {system: parcae, published_defaults: yes, "
                         "forecast_min: 9, forecast_max: 8}\n",
                         64),
        SPOT_ERR_BAD_INPUT);
    free_parcae_case(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gpt),
        cmocka_unit_test(test_throughput_pauses),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_small),
        cmocka_unit_test(test_stages),
        cmocka_unit_test(test_errors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
