/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Additive models: a known law is found again, the same fit gives the same model, a
 * written model is read back exactly, and files that are refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/rng.h"
#include "fixture.h"
#include "models/additive_model.h"

enum { NUM_ROWS = 4000, NUM_USERS = 100, NUM_X = 61 };

/* targets = 10 + 4 [x > 20] - 3 [x > 40] + (user % 5) + noise; z has no effect. */
typedef struct {
    double x[NUM_ROWS], user[NUM_ROWS], z[NUM_ROWS], targets[NUM_ROWS];
    char names[NUM_USERS][16];
    const char *categories[NUM_USERS];
    spot_additive_column_t columns[3];
    spot_additive_request_t request;
} law_t;

static double truth(double x, double user)
{
    return 10 + 4 * (x > 20) - 3 * (x > 40) + fmod(user, 5);
}

static void make_law(law_t *law, double noise, spot_loss_t loss)
{
    spot_rng_t rng;

    spot_rng_seek(&rng, 11, 0, SPOT_STREAM_TYPE, 0);
    for (size_t i = 0; i < NUM_ROWS; i++) {
        double error;

        law->x[i] = (double) spot_rng_below(&rng, NUM_X);
        law->user[i] = (double) spot_rng_below(&rng, NUM_USERS);
        law->z[i] = spot_rng_uniform(&rng);
        error = spot_rng_exponential(&rng, 1) * noise;
        law->targets[i] = truth(law->x[i], law->user[i]) + error;
    }
    law->z[7] = (double) NAN;
    for (size_t k = 0; k < NUM_USERS; k++) {
        snprintf(law->names[k], sizeof(law->names[k]), "u,\"%zu", k);
        law->categories[k] = law->names[k];
    }
    law->columns[0] = (spot_additive_column_t){.name = "x", .values = law->x};
    law->columns[1] = (spot_additive_column_t){.name = "user",
        .values = law->user,
        .num_categories = NUM_USERS,
        .categories = law->categories};
    law->columns[2] = (spot_additive_column_t){.name = "z", .values = law->z};
    law->request = (spot_additive_request_t){.num_rows = NUM_ROWS,
        .targets = law->targets,
        .num_columns = 3,
        .columns = law->columns,
        .loss = loss,
        .seed = 5};
}

static void assert_same_models(const spot_additive_model_t *a, const spot_additive_model_t *b)
{
    assert_true(a->base == b->base);
    assert_int_equal(a->num_features, b->num_features);
    for (size_t j = 0; j < a->num_features; j++) {
        const spot_additive_feature_t *f = &a->features[j], *g = &b->features[j];

        assert_string_equal(f->name, g->name);
        assert_int_equal(f->has_categories, g->has_categories);
        assert_int_equal(f->num_bins, g->num_bins);
        for (size_t k = 0; k < f->num_bins; k++) {
            const spot_additive_bin_t *x = &f->bins[k], *y = &g->bins[k];

            assert_true(x->up_to == y->up_to);
            assert_true(x->score == y->score);
            assert_int_equal(x->num_rows, y->num_rows);
            assert_int_equal(x->category == NULL, y->category == NULL);
            if (x->category != NULL) {
                assert_string_equal(x->category, y->category);
            }
        }
    }
}

/* The mean difference of predictions from the law over the rows, and the mean of its
 * absolute value. */
static double mean_error(const law_t *law, const spot_additive_model_t *model, double *bias)
{
    double sum_absolute = 0;

    *bias = 0;
    for (size_t i = 0; i < NUM_ROWS; i++) {
        const double values[] = {law->x[i], law->user[i], law->z[i]};
        const double error = spot_additive_predict(model, values) - truth(law->x[i], law->user[i]);

        *bias += error / NUM_ROWS;
        sum_absolute += fabs(error) / NUM_ROWS;
    }
    return sum_absolute;
}

static void test_law_is_found(void **state)
{
    static law_t law;
    spot_additive_model_t model, again;
    double bias;

    (void) state;
    make_law(&law, 0, SPOT_LOSS_SQUARED);
    assert_int_equal(spot_additive_fit(&model, &law.request), 0);
    assert_true(mean_error(&law, &model, &bias) < 0.1);
    assert_int_equal(model.features[0].num_bins, NUM_X);
    assert_int_equal(model.features[2].num_bins, SPOT_ADDITIVE_MAX_BINS);
    assert_int_equal(model.features[1].num_bins, NUM_USERS + 1);
    assert_true(spot_additive_importance(&model.features[0]) > 1);
    assert_true(spot_additive_importance(&model.features[1]) > 1);
    assert_true(spot_additive_importance(&model.features[2]) < 0.02);
    assert_int_equal(spot_additive_fit(&again, &law.request), 0);
    assert_same_models(&model, &again);
    spot_additive_free(&again);
    law.request.seed++;
    assert_int_equal(spot_additive_fit(&again, &law.request), 0);
    assert_true(again.base != model.base);
    spot_additive_free(&again);
    spot_additive_free(&model);
    spot_additive_free(&model);
}

/* Exponential errors of mean 1 have the median log 2: each loss finds its own one. */
static void test_losses(void **state)
{
    static law_t law;
    const double shifts[] = {1, log(2)};

    (void) state;
    for (spot_loss_t loss = SPOT_LOSS_SQUARED; loss <= SPOT_LOSS_ABSOLUTE; loss++) {
        spot_additive_model_t model;
        double bias;

        make_law(&law, 1, loss);
        assert_int_equal(spot_additive_fit(&model, &law.request), 0);
        assert_true(mean_error(&law, &model, &bias) < shifts[loss] + 0.1);
        assert_true(fabs(bias - shifts[loss]) < 0.1);
        spot_additive_free(&model);
    }
}

/* The means of scores over the rows are 0, so the base is the mean prediction. */
static void test_scores_are_centred(void **state)
{
    static law_t law;
    spot_additive_model_t model;
    double mean = 0;

    (void) state;
    make_law(&law, 1, SPOT_LOSS_SQUARED);
    assert_int_equal(spot_additive_fit(&model, &law.request), 0);
    for (size_t i = 0; i < NUM_ROWS; i++) {
        const double values[] = {law.x[i], law.user[i], law.z[i]};

        mean += spot_additive_predict(&model, values) / NUM_ROWS;
    }
    assert_true(fabs(mean - model.base) < 1e-9);
    spot_additive_free(&model);
}

static void test_few_rows(void **state)
{
    static law_t law;

    (void) state;
    make_law(&law, 0, SPOT_LOSS_SQUARED);
    for (size_t num_rows = 0; num_rows < 60; num_rows++) {
        const double values[] = {50, 1e9, (double) NAN};
        spot_additive_model_t model;

        law.request.num_rows = num_rows;
        assert_int_equal(spot_additive_fit(&model, &law.request), 0);
        assert_true(num_rows == 0 ? spot_additive_predict(&model, values) == 0
                                  : spot_additive_predict(&model, values) > 5);
        spot_additive_free(&model);
    }
    law.request.num_columns = 0;
    {
        spot_additive_model_t model;

        assert_int_equal(spot_additive_fit(&model, &law.request), SPOT_ERR_BAD_PARAM);
        spot_additive_free(&model);
    }
}

static void path_of(char path[512])
{
    snprintf(path, 512, "%s/additive-%ld.csv", temporary_folder(), (long) getpid());
}

static void test_round_trip(void **state)
{
    static law_t law;
    static const char *const targets[] = {"second", "first"};
    spot_additive_model_t model, read[2];
    spot_diag_t diag;
    char path[512];
    FILE *out;

    (void) state;
    path_of(path);
    make_law(&law, 1, SPOT_LOSS_ABSOLUTE);
    assert_int_equal(spot_additive_fit(&model, &law.request), 0);
    out = fopen(path, "w");
    assert_non_null(out);
    fputs(SPOT_ADDITIVE_HEADER, out);
    spot_additive_write(&model, "first", out);
    spot_additive_write(&model, "another", out);
    spot_additive_write(&model, "second", out);
    assert_int_equal(fclose(out), 0);
    spot_diag_init(&diag);
    assert_int_equal(spot_additive_read(read, 2, targets, path, &diag), 0);
    assert_int_equal(diag.num_items, 0);
    assert_same_models(&model, &read[0]);
    assert_same_models(&model, &read[1]);
    spot_additive_verify(&read[0]);
    assert_string_equal(read[0].features[1].bins[42].category, "u,\"42");
    spot_additive_free(&read[0]);
    spot_additive_free(&read[1]);
    spot_additive_free(&model);
    spot_diag_free(&diag);
    remove(path);
}

#define HEADER "target,feature,category,up_to,rows,score\n"

static void test_predictions_of_a_file(void **state)
{
    static const char *const target = "t";
    const double cases[][3] = {{0, 0, 4}, {1, 0, 4}, {1.5, 1, 2.5}, {2.5, 2, 0},
        {(double) NAN, (double) NAN, 3}, {9, -1, 0}, {0, 7, 3}};
    spot_additive_model_t model;
    spot_diag_t diag;
    char path[512];

    (void) state;
    path_of(path);
    write_file(path, HEADER "t,base,,,0,1\nt,x,,1,10,2\nt,x,,2,10,0\nt,x,,,20,-3\n"
                            "other,x,,bad,0,0\nt,u,a,,5,1\nt,u,b,,5,1.5\nt,u,,,30,0\n");
    spot_diag_init(&diag);
    assert_int_equal(spot_additive_read(&model, 1, &target, path, &diag), 0);
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        assert_true(spot_additive_predict(&model, cases[j]) == cases[j][2]);
    }
    assert_true(spot_additive_importance(&model.features[0]) == (20 + 60) / 40.0);
    spot_additive_free(&model);
    spot_diag_free(&diag);
    remove(path);
}

static void assert_refused(const char *text, const char *expected)
{
    static const char *const target = "t";
    spot_additive_model_t model;
    spot_diag_t diag;
    char path[512], *message;

    path_of(path);
    write_file(path, text);
    spot_diag_init(&diag);
    assert_int_equal(spot_additive_read(&model, 1, &target, path, &diag), SPOT_ERR_BAD_INPUT);
    spot_additive_free(&model);
    assert_int_equal(diag.num_errors, 1);
    message = strstr(diag.items[0].text, ".csv:");
    assert_non_null(message);
    assert_string_equal(message + 5, expected);
    spot_diag_free(&diag);
    remove(path);
}

static void test_bad_files(void **state)
{
    (void) state;
    assert_refused(HEADER, "2:1: no base or no features of the target t");
    assert_refused(HEADER "t,base,,,0,1\nt,x,,1,10,2\n",
        "4:1: the last feature of the target t lacks its last row");
    assert_refused(HEADER "t,base,,,0,1\nt,x,,1,10,2\nt,y,,,1,1\n",
        "4:3: feature: expected the last row of the feature before, without category "
        "and up_to, got 'y'");
    assert_refused(HEADER "t,base,,,0,1\nt,x,,,10,2\nt,x,,,1,1\n",
        "4:3: feature: expected the rows of a feature together, once, got 'x'");
    assert_refused(HEADER "t,base,,,0,1\nt,x,,1,10,2\nt,x,,1,1,1\nt,x,,,1,1\n",
        "4:6: up_to: expected more than in the row before, got '1'");
    assert_refused(HEADER "t,base,,,0,1\nt,x,a,1,10,2\nt,x,,,1,1\n",
        "3:7: up_to: expected a category or a number, not both, got '1'");
    assert_refused(HEADER "t,base,,,0,1\nt,x,a,,10,2\nt,x,,1,1,1\nt,x,,,1,1\n",
        "4:6: up_to: expected categories only, got '1'");
    assert_refused(HEADER "t,base,,,0,1\nt,x,,1,10,2\nt,x,a,,1,1\nt,x,,,1,1\n",
        "4:5: category: expected numbers only, got 'a'");
    assert_refused(
        HEADER "t,base,,,0,1\nt,x,,q,10,2\nt,x,,,1,1\n", "3:6: up_to: expected a number, got 'q'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_law_is_found),
        cmocka_unit_test(test_losses),
        cmocka_unit_test(test_scores_are_centred),
        cmocka_unit_test(test_few_rows),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_predictions_of_a_file),
        cmocka_unit_test(test_bad_files),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
