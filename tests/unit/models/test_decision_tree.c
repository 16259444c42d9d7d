/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Classification trees: splits and ties by hand, leave-one-out, and a search of the best
 * split by brute force. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/inputs.h"
#include "base/rng.h"
#include "models/colocation.h"

enum { MAX_FEATURES = 3 };

/* Rows of numbers from 0 to 100, each with a label from 0 to 2. */
typedef struct {
    size_t num_rows;
    size_t num_features;   /* at most MAX_FEATURES */
    const double *values;  /* [num_rows][num_features] */
    const int32_t *labels; /* [num_rows] */
} rows_t;

/* The rows as a table of workloads; their numbers are how these use a GPU. */
static void write_table(const rows_t *rows, FILE *out)
{
    fputs("model,dataset,batchsize,amp,gpu_util,gmem_util,gmem,label\n", out);
    for (size_t i = 0; i < rows->num_rows; i++) {
        fprintf(out, "m%zu,d,1,0", i);
        for (size_t j = 0; j < MAX_FEATURES; j++) {
            fprintf(out, ",%.17g",
                j < rows->num_features ? rows->values[i * rows->num_features + j] : 0);
        }
        fprintf(out, ",%d\n", rows->labels[i]);
    }
}

static int fit(spot_packing_labels_t *self, const rows_t *rows, int depth)
{
    spot_memory_files_t files = {0};
    spot_texts_t texts = {0};
    spot_diag_t diag;
    FILE *out = spot_texts_begin(&texts);
    const char *table;
    int ret;

    assert_non_null(out);
    write_table(rows, out);
    table = spot_texts_end(&texts, out);
    assert_int_equal(spot_memory_files_add(&files, "table.csv", table, strlen(table)), 0);
    spot_diag_init(&diag);
    diag.memory = &files;
    ret = spot_packing_labels_train(self, "table.csv", NULL, depth, &diag);
    spot_diag_free(&diag);
    spot_memory_files_free(&files);
    spot_texts_free(&texts);
    return ret;
}

static spot_packing_labels_t must_fit(const rows_t *rows, int depth)
{
    spot_packing_labels_t labels;

    assert_int_equal(fit(&labels, rows, depth), 0);
    return labels;
}

/* The number of a feature in the tree of a column of the rows. */
static int32_t feature(int32_t column)
{
    return SPOT_PACKING_GPU_UTIL + column;
}

static int32_t label_by(const spot_tree_t *tree, const double *values)
{
    const spot_tree_node_t *node = tree->nodes;

    while (node->feature_id >= 0) {
        node =
            &tree->nodes[node->children[values[node->feature_id - feature(0)] > node->threshold]];
    }
    return node->label;
}

static void test_splits_by_hand(void **state)
{
    /* Both features part the labels; the second one alone parts 1 from 2. */
    static const double values[] = {1, 5, 2, 5, 3, 9, 4, 7};
    static const int32_t labels[] = {0, 0, 2, 1};
    const rows_t rows = {4, 2, values, labels};
    spot_packing_labels_t fitted = must_fit(&rows, 2);
    const spot_tree_node_t *nodes = fitted.tree.nodes;

    (void) state;
    assert_int_equal(fitted.tree.num_nodes, 5);
    assert_int_equal(nodes[0].feature_id, feature(0)); /* the lowest of equal ones */
    assert_true(nodes[0].threshold == 2.5);
    assert_int_equal(nodes[0].label, 0);
    assert_int_equal(nodes[1].feature_id, -1);
    assert_int_equal(nodes[1].num_right, 2);
    assert_int_equal(nodes[2].feature_id, feature(0));
    assert_true(nodes[2].threshold == 3.5);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(label_by(&fitted.tree, values + 2 * i), labels[i]);
    }
    spot_packing_labels_free(&fitted);
    fitted = must_fit(&rows, 1);
    assert_int_equal(fitted.tree.num_nodes, 3);
    assert_int_equal(fitted.tree.nodes[2].label, 1); /* the lowest of equal ones */
    spot_packing_labels_free(&fitted);
    fitted = must_fit(&rows, 0);
    assert_int_equal(fitted.tree.num_nodes, 1);
    spot_packing_labels_free(&fitted);
    spot_packing_labels_free(&fitted);
}

/* A split that leaves the index as it is, is none: both sides have the same mix. */
static void test_no_gain_is_no_split(void **state)
{
    static const double values[] = {1, 1, 2, 2};
    static const int32_t labels[] = {0, 1, 0, 1};
    const rows_t rows = {4, 1, values, labels};
    spot_packing_labels_t fitted = must_fit(&rows, 3);

    (void) state;
    assert_int_equal(fitted.tree.num_nodes, 1);
    assert_int_equal(fitted.tree.nodes[0].label, 0);
    spot_packing_labels_free(&fitted);
}

static void test_bad_parameters(void **state)
{
    static const double value = 1;
    static const int32_t label = 0;
    const rows_t none = {0, 1, &value, &label}, one = {1, 1, &value, &label};
    spot_packing_labels_t fitted;

    (void) state;
    assert_int_equal(fit(&fitted, &none, 1), SPOT_ERR_BAD_INPUT);
    spot_packing_labels_free(&fitted);
    assert_int_equal(fit(&fitted, &one, -1), SPOT_ERR_BAD_PARAM);
    spot_packing_labels_free(&fitted);
    assert_int_equal(fit(&fitted, &one, SPOT_TREE_MAX_DEPTH + 1), SPOT_ERR_BAD_PARAM);
    spot_packing_labels_free(&fitted);
    fitted = must_fit(&one, 1);
    assert_int_equal(fitted.num_left_out, 0); /* no other row */
    spot_packing_labels_free(&fitted);
}

static void test_leave_one_out(void **state)
{
    static const double values[] = {1, 2, 3, 11, 12, 13, 2.5};
    static const int32_t labels[] = {0, 0, 0, 1, 1, 1, 1};
    const rows_t rows = {7, 1, values, labels};
    spot_packing_labels_t fitted = must_fit(&rows, 1);

    (void) state;
    assert_int_equal(fitted.workloads[6].predicted, 0); /* it is not seen */
    assert_int_equal(fitted.workloads[3].predicted, 1);
    assert_int_equal(fitted.workloads[2].predicted, 1); /* 2.5 is nearer to 3 than 2 is */
    assert_int_equal(fitted.num_left_out, 5);
    spot_packing_labels_free(&fitted);
}

enum { NUM_ROWS = 40, NUM_FEATURES = MAX_FEATURES, NUM_LABELS = 3 };

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
        const rows_t rows = {NUM_ROWS, NUM_FEATURES, values, labels};
        spot_packing_labels_t fitted;

        for (size_t i = 0; i < NUM_ROWS; i++) {
            for (size_t j = 0; j < NUM_FEATURES; j++) {
                values[i * NUM_FEATURES + j] = (double) spot_rng_below(&rng, 10);
            }
            labels[i] = (int32_t) spot_rng_below(&rng, NUM_LABELS);
        }
        fitted = must_fit(&rows, 1);
        best_split(values, labels, &feature_id, &threshold);
        assert_int_equal(
            fitted.tree.nodes[0].feature_id, feature_id < 0 ? -1 : feature(feature_id));
        assert_true(feature_id < 0 || fitted.tree.nodes[0].threshold == threshold);
        spot_packing_labels_free(&fitted);
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
