/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Classification trees: splits and ties by hand, leave-one-out, and a search of the best
 * split by brute force. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "models/colocation.h"

static spot_tree_t must_fit(const spot_labelled_t *rows, int depth)
{
    spot_tree_t tree;

    assert_int_equal(spot_tree_fit(&tree, rows, depth), 0);
    return tree;
}

static void test_splits_by_hand(void **state)
{
    /* Both features part the labels; the second one alone parts 1 from 2. */
    static const double values[] = {1, 5, 2, 5, 3, 9, 4, 7};
    static const int32_t labels[] = {0, 0, 2, 1};
    const spot_labelled_t rows = {4, 2, values, labels};
    spot_tree_t tree = must_fit(&rows, 2);

    (void) state;
    assert_int_equal(tree.num_nodes, 5);
    assert_int_equal(tree.nodes[0].feature_id, 0); /* the lowest of equal ones */
    assert_true(tree.nodes[0].threshold == 2.5);
    assert_int_equal(tree.nodes[0].label, 0);
    assert_int_equal(tree.nodes[1].feature_id, -1);
    assert_int_equal(tree.nodes[1].num_right, 2);
    assert_int_equal(tree.nodes[2].feature_id, 0);
    assert_true(tree.nodes[2].threshold == 3.5);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(spot_tree_label(&tree, values + 2 * i), labels[i]);
    }
    spot_tree_free(&tree);
    tree = must_fit(&rows, 1);
    assert_int_equal(tree.num_nodes, 3);
    assert_int_equal(tree.nodes[2].label, 1); /* the lowest of equal ones */
    spot_tree_free(&tree);
    tree = must_fit(&rows, 0);
    assert_int_equal(tree.num_nodes, 1);
    spot_tree_free(&tree);
    spot_tree_free(&tree);
}

/* A split that leaves the index as it is, is none: both sides have the same mix. */
static void test_no_gain_is_no_split(void **state)
{
    static const double values[] = {1, 1, 2, 2};
    static const int32_t labels[] = {0, 1, 0, 1};
    const spot_labelled_t rows = {4, 1, values, labels};
    spot_tree_t tree = must_fit(&rows, 3);

    (void) state;
    assert_int_equal(tree.num_nodes, 1);
    assert_int_equal(tree.nodes[0].label, 0);
    spot_tree_free(&tree);
}

static void test_bad_parameters(void **state)
{
    static const double value = 1;
    static const int32_t label = 0;
    const spot_labelled_t none = {0, 1, &value, &label}, one = {1, 1, &value, &label};
    spot_tree_t tree;
    size_t num_right;

    (void) state;
    assert_int_equal(spot_tree_fit(&tree, &none, 1), SPOT_ERR_BAD_PARAM);
    spot_tree_free(&tree);
    assert_int_equal(spot_tree_fit(&tree, &one, -1), SPOT_ERR_BAD_PARAM);
    spot_tree_free(&tree);
    assert_int_equal(spot_tree_fit(&tree, &one, SPOT_TREE_MAX_DEPTH + 1), SPOT_ERR_BAD_PARAM);
    spot_tree_free(&tree);
    assert_int_equal(spot_tree_leave_one_out(&one, 1, NULL, &num_right), SPOT_ERR_BAD_PARAM);
}

static void test_leave_one_out(void **state)
{
    static const double values[] = {1, 2, 3, 11, 12, 13, 2.5};
    static const int32_t labels[] = {0, 0, 0, 1, 1, 1, 1};
    const spot_labelled_t rows = {7, 1, values, labels};
    int32_t predicted[7];
    size_t num_right;

    (void) state;
    assert_int_equal(spot_tree_leave_one_out(&rows, 1, predicted, &num_right), 0);
    assert_int_equal(predicted[6], 0); /* it is not seen */
    assert_int_equal(predicted[3], 1);
    assert_int_equal(predicted[2], 1); /* 2.5 is nearer to 3 than 2 is */
    assert_int_equal(num_right, 5);
}

enum { NUM_ROWS = 40, NUM_FEATURES = 3, NUM_LABELS = 3 };

/* Twice the rows times the index of Gini of a side is rows - squares / rows. Returns the
 * sum of squares / rows of both sides as a fraction. */
static bool is_better(int64_t a, int64_t b, int64_t c, int64_t d)
{
    return a * d > c * b;
}

static void best_split(
    const double *values, const int32_t *labels, int32_t *feature_id, double *threshold)
{
    int64_t best = 0, best_of = 1;

    *feature_id = -1;
    for (int32_t j = 0; j < NUM_FEATURES; j++) {
        for (double at = 0.5; at < 10; at += 0.5) {
            int64_t counts[2][NUM_LABELS] = {{0}}, rows[2] = {0}, squares[2] = {0};
            double below = -1, above = 99;

            for (size_t i = 0; i < NUM_ROWS; i++) {
                const double value = values[i * NUM_FEATURES + (size_t) j];

                counts[value > at][labels[i]]++;
                rows[value > at]++;
                below = value <= at && value > below ? value : below;
                above = value > at && value < above ? value : above;
            }
            for (size_t side = 0; side < 2; side++) {
                for (size_t k = 0; k < NUM_LABELS; k++) {
                    squares[side] += counts[side][k] * counts[side][k];
                }
            }
            if ((below + above) / 2 == at && rows[0] > 0 && rows[1] > 0 &&
                is_better(squares[0] * rows[1] + squares[1] * rows[0], rows[0] * rows[1], best,
                    best_of)) {
                best = squares[0] * rows[1] + squares[1] * rows[0];
                best_of = rows[0] * rows[1];
                *feature_id = j;
                *threshold = at;
            }
        }
    }
}

static void test_random_splits_against_a_search(void **state)
{
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 9, 0, SPOT_STREAM_TYPE, 0);
    for (int trial = 0; trial < 200; trial++) {
        double values[NUM_ROWS * NUM_FEATURES], threshold = 0;
        int32_t labels[NUM_ROWS], feature_id;
        const spot_labelled_t rows = {NUM_ROWS, NUM_FEATURES, values, labels};
        spot_tree_t tree;

        for (size_t i = 0; i < NUM_ROWS; i++) {
            for (size_t j = 0; j < NUM_FEATURES; j++) {
                values[i * NUM_FEATURES + j] = (double) spot_rng_below(&rng, 10);
            }
            labels[i] = (int32_t) spot_rng_below(&rng, NUM_LABELS);
        }
        tree = must_fit(&rows, 1);
        best_split(values, labels, &feature_id, &threshold);
        assert_int_equal(tree.nodes[0].feature_id, feature_id);
        assert_true(tree.nodes[0].threshold == threshold);
        spot_tree_free(&tree);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_splits_by_hand),
        cmocka_unit_test(test_no_gain_is_no_split),
        cmocka_unit_test(test_bad_parameters),
        cmocka_unit_test(test_leave_one_out),
        cmocka_unit_test(test_random_splits_against_a_search),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
