/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/inputs.h"
#include "base/rng.h"
#include "fixture.h"
#include "models/colocation.h"
#include "tests/unit/base/shared_data.h"

/* ---- Colocation ---- */

#define PUBLISHED SHARED_DATA "jobs/slab-noncommercial/colocate_info.csv.gz"
#define HEADER                                                                                     \
    ",model1,dataset1,gpu_num1,batchsize1,amp1,speed1,model2,dataset2,gpu_num2,"                   \
    "batchsize2,amp2,speed2,gpu_util,gmem_util,gmem\n"

enum { X, Y, Z, HEAVY, TINY, NAMELESS, NUM_WORKLOADS };

/* Y has blanks around its name, which do not count. */
static const spot_colocated_t workloads[NUM_WORKLOADS] = {
    [X] = {"X", "d", 32, 0, 50, 10, 5000},
    [Y] = {" Y ", "d", 64, 1, 20, 5, 3000},
    [Z] = {"Z", "d", 32, 0, 90, 95, 9000},
    [HEAVY] = {"NeuMF", "MovieLens", 64, 0, 10, 2, 2050},
    [TINY] = {"BERT", "d", 1, 0, 0.25, 1, 100},
    [NAMELESS] = {"", "", 0, 0, (double) NAN, (double) NAN, (double) NAN},
};

static const char table[] =
    HEADER "0,X,d,1,32,0,0.9,Y,d,1,64,1,0.8,61.5,12,7777\n"
           "1,X,d,1,32,0,0.7,X,d,1,32,0,0.6,88,20,9999\n"
           "2,NeuMF,MovieLens,1,64,0,0.98,NeuMF,MovieLens,1,64,0,0.97,20,4,4122\n"
           "3,\" X\",d,1,32,0,0.9,Y ,d,1,64,1,0.8,1,1,1\n";

static int read_text(spot_colocation_t *self, const char *text, spot_unknown_pair_t rule,
    bool has_heavy, spot_diag_t *diag)
{
    char path[512];
    int ret;

    snprintf(path, sizeof(path), "%s/pairs-%ld.csv", temporary_folder(), (long) getpid());
    if (text != NULL) {
        write_file(path, text);
    }
    spot_diag_init(diag);
    ret = spot_colocation_init(
        self, text == NULL ? NULL : path, rule, has_heavy, NUM_WORKLOADS, workloads, diag);
    remove(path);
    return ret;
}

static spot_colocation_t must_read(const char *text, spot_unknown_pair_t rule, bool has_heavy)
{
    spot_colocation_t pairs;
    spot_diag_t diag;

    assert_int_equal(read_text(&pairs, text, rule, has_heavy, &diag), 0);
    assert_int_equal(diag.num_items, 0);
    spot_diag_free(&diag);
    return pairs;
}

static void assert_pair(spot_colocation_pair_t pair, double guest_speed, double host_speed,
    double gpu_util, double gmem_mib)
{
    assert_true(pair.can_share);
    assert_true(pair.guest_speed == guest_speed);
    assert_true(pair.host_speed == host_speed);
    assert_true(pair.gpu_util == gpu_util);
    assert_true(pair.gmem_mib == gmem_mib);
}

static void test_table_in_both_orders(void **state)
{
    spot_colocation_t pairs = must_read(table, SPOT_PAIR_REFUSE, false);

    (void) state;
    assert_int_equal(pairs.num_measured, 3); /* the last row repeats the first */
    assert_pair(spot_colocation_pair(&pairs, X, Y), 0.9, 0.8, 61.5, 7777);
    assert_pair(spot_colocation_pair(&pairs, Y, X), 0.8, 0.9, 61.5, 7777);
    assert_pair(spot_colocation_pair(&pairs, X, X), 0.7, 0.6, 88, 9999);
    /* a heavy family follows the rule, though the table has the pair */
    assert_false(spot_colocation_pair(&pairs, HEAVY, HEAVY).can_share);
    assert_false(spot_colocation_pair(&pairs, X, Z).can_share);
    assert_false(spot_colocation_pair(&pairs, HEAVY, X).can_share);
    assert_false(spot_colocation_pair(&pairs, NAMELESS, NAMELESS).can_share);
    spot_colocation_free(&pairs);
}

/* A pair that is listed in both orders is looked up as guest and host. */
static void test_own_order_first(void **state)
{
    spot_colocation_t pairs = must_read(HEADER "0,X,d,1,32,0,0.9,Y,d,1,64,1,0.8,61,12,7777\n"
                                               "1,Y,d,1,64,1,0.5,X,d,1,32,0,0.6,62,12,8888\n",
        SPOT_PAIR_REFUSE, false);

    (void) state;
    assert_pair(spot_colocation_pair(&pairs, X, Y), 0.9, 0.8, 61, 7777);
    assert_pair(spot_colocation_pair(&pairs, Y, X), 0.5, 0.6, 62, 8888);
    spot_colocation_free(&pairs);
}

static void test_rules_of_unknown_pairs(void **state)
{
    spot_colocation_t pairs = must_read(table, SPOT_PAIR_PROPORTIONAL, false);
    spot_colocation_pair_t pair = spot_colocation_pair(&pairs, X, Z);

    (void) state;
    assert_pair(pair, 100.0 / 140, 100.0 / 140, 100, 14000);
    assert_true(pair.gmem_util == 100);
    assert_pair(spot_colocation_pair(&pairs, Y, HEAVY), 1, 1, 30, 5050);
    assert_pair(spot_colocation_pair(&pairs, Y, NAMELESS), 100.0 / 120, 100.0 / 120, 100, 3000);
    spot_colocation_free(&pairs);

    pairs = must_read(table, SPOT_PAIR_ONE, false);
    assert_pair(spot_colocation_pair(&pairs, X, Z), 1, 1, 100, 14000);
    assert_pair(spot_colocation_pair(&pairs, X, Y), 0.9, 0.8, 61.5, 7777);
    spot_colocation_free(&pairs);
}

/* Nothing is measured: a rule that refuses what was not measured packs nothing. */
static void test_no_table(void **state)
{
    spot_colocation_t pairs = must_read(NULL, SPOT_PAIR_REFUSE, false);

    (void) state;
    assert_int_equal(pairs.num_measured, 0);
    assert_pair(spot_colocation_pair(&pairs, X, Z), 100.0 / 140, 100.0 / 140, 100, 14000);
    spot_colocation_free(&pairs);
    pairs = must_read(NULL, SPOT_PAIR_ONE, false);
    assert_pair(spot_colocation_pair(&pairs, X, Z), 1, 1, 100, 14000);
    spot_colocation_free(&pairs);
}

/* As published: percent are taken for a fraction, and rows of the table are not used. */
static void test_heavy_families(void **state)
{
    spot_colocation_t pairs = must_read(table, SPOT_PAIR_REFUSE, true);

    (void) state;
    assert_pair(spot_colocation_pair(&pairs, HEAVY, HEAVY), 1, 1, 1, 4100);
    assert_pair(spot_colocation_pair(&pairs, HEAVY, Z), 1, 1, 1, 11050);
    assert_pair(spot_colocation_pair(&pairs, Z, HEAVY), 1, 1, 1, 11050);
    assert_pair(spot_colocation_pair(&pairs, TINY, TINY), 1, 1, 0.5, 200);
    assert_pair(spot_colocation_pair(&pairs, X, Y), 0.9, 0.8, 61.5, 7777);
    assert_false(spot_colocation_pair(&pairs, X, Z).can_share);
    spot_colocation_free(&pairs);
}

static void assert_refused(const char *text, const char *expected)
{
    spot_colocation_t pairs;
    spot_diag_t diag;
    char wanted[1024], *at = wanted;

    assert_int_equal(read_text(&pairs, text, SPOT_PAIR_REFUSE, false, &diag), SPOT_ERR_BAD_INPUT);
    spot_colocation_free(&pairs);
    while (*expected != '\0') { /* @ is the name of the file */
        at += *expected != '@' ? (*at = *expected, 1)
                               : snprintf(at, 64, "pairs-%ld.csv", (long) getpid());
        expected++;
    }
    *at = '\0';
    assert_diagnostics(&diag, wanted);
}

static void test_bad_tables(void **state)
{
    (void) state;
    assert_refused("", "@:1:1: no pairs\n");
    assert_refused("model1,dataset1,batchsize1,amp1,speed1,model2,dataset2,batchsize2,"
                   "amp2,gpu_util,gmem_util\n",
        "@:1:1: missing columns: speed2, gmem\n");
    assert_refused("model1,model1\n", "@:1:8: repeated column 'model1'\n");
    assert_refused(HEADER "0,X,d,1,32,0,1,Y,d,1,64,1,2.001,61,12,7777\n"
                          "0,X,d,1,32,2,1,Y,d,1,x,1,nan,101,12\n"
                          "0,X,d,1,32,2,1,Y,d,1,x,1,1,101,12,-1\n",
        "@:2:27: speed2: expected a speed above 0 and at most 2, got '2.001'\n"
        "@:3:1: expected 16 columns, got 15\n"
        "@:4:12: amp1: expected an integer from 0 to 1, got '2'\n"
        "@:4:22: batchsize2: expected an integer from 0 to 2147483647, got 'x'\n"
        "@:4:28: gpu_util: expected % from 0 to 100, got '101'\n"
        "@:4:35: gmem: expected MiB from 0 to 1e9, got '-1'\n");
}

static void test_unknown_columns_warn(void **state)
{
    spot_colocation_t pairs;
    spot_diag_t diag;

    (void) state;
    assert_int_equal(read_text(&pairs,
                         "model1,dataset1,batchsize1,amp1,speed1,model2,dataset2,batchsize2,amp2,"
                         "speed2,gpu_util,gmem_util,gmem,extra\nX,d,32,0,1,Y,d,64,1,1,1,1,1,e\n",
                         SPOT_PAIR_REFUSE, false, &diag),
        0);
    assert_int_equal(diag.num_warnings, 1);
    assert_non_null(strstr(diag.items[0].text, ":1:1: unknown columns are ignored: extra"));
    spot_colocation_free(&pairs);
    spot_diag_free(&diag);
}

static void test_published_table(void **state)
{
    spot_colocation_t pairs;
    spot_diag_t diag;

    (void) state;
    need_data(PUBLISHED);
    spot_diag_init(&diag);
    assert_int_equal(
        spot_colocation_init(&pairs, PUBLISHED, SPOT_PAIR_REFUSE, false, 0, NULL, &diag), 0);
    assert_int_equal(diag.num_items, 0);
    assert_int_equal(pairs.num_measured, 1388);
    spot_colocation_free(&pairs);
    spot_diag_free(&diag);
}

/* ---- Decision tree ---- */

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
    const char *text;
    int ret;

    assert_non_null(out);
    write_table(rows, out);
    text = spot_texts_end(&texts, out);
    assert_int_equal(spot_memory_files_add(&files, "table.csv", text, strlen(text)), 0);
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
        cmocka_unit_test(test_table_in_both_orders),
        cmocka_unit_test(test_own_order_first),
        cmocka_unit_test(test_rules_of_unknown_pairs),
        cmocka_unit_test(test_no_table),
        cmocka_unit_test(test_heavy_families),
        cmocka_unit_test(test_bad_tables),
        cmocka_unit_test(test_unknown_columns_warn),
        cmocka_unit_test(test_published_table),
        cmocka_unit_test(test_splits_by_hand),
        cmocka_unit_test(test_no_gain_is_no_split),
        cmocka_unit_test(test_bad_parameters),
        cmocka_unit_test(test_leave_one_out),
        cmocka_unit_test(test_random_splits_against_a_search),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
