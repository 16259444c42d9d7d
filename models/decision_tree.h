/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A classification tree: CART with the index of Gini. Source: Breiman, Friedman, Olshen,
 * Stone, "Classification and Regression Trees", 1984. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define SPOT_TREE_MAX_LABELS 16
#define SPOT_TREE_MAX_DEPTH 16

/* Rows with value <= threshold go to the first child. */
typedef struct {
    int32_t feature_id; /* -1: a leaf */
    double threshold;
    int32_t children[2]; /* indices of nodes, behind this one */
    int32_t label;       /* the most frequent one of its rows, the lowest of equal ones */
    size_t num_rows;     /* of the fit */
    size_t num_right;    /* those with the label */
} spot_tree_node_t;

typedef struct {
    size_t num_nodes;
    size_t max_nodes;
    spot_tree_node_t *nodes; /* [num_nodes] the root first */
} spot_tree_t;

/* Rows of numbers, each with a label. */
typedef struct {
    size_t num_rows;
    size_t num_features;
    const double *values;  /* [num_rows][num_features] finite */
    const int32_t *labels; /* [num_rows] 0 ... SPOT_TREE_MAX_LABELS - 1 */
} spot_labelled_t;

/* Splits in the middle between neighbouring distinct values where the index of Gini gets
 * strictly less, at the least one; of equal ones the lowest feature, then the lowest
 * threshold. BAD_PARAM: no rows, a depth outside 0 ... SPOT_TREE_MAX_DEPTH; NO_MEMORY;
 * free self even then. O(depth * features * rows log rows). */
SPOT_MUST_CHECK int spot_tree_fit(spot_tree_t *self, const spot_labelled_t *rows, int depth);
void spot_tree_free(spot_tree_t *self);

/* The label of a row of values: [num_features]. O(depth). */
int32_t spot_tree_label(const spot_tree_t *self, const double *values);

/* The number of rows whose label a tree finds that was fitted to all other rows.
 * predicted: [num_rows] their labels, or NULL. Errors of spot_tree_fit(); with one row
 * BAD_PARAM. */
SPOT_MUST_CHECK int spot_tree_leave_one_out(
    const spot_labelled_t *rows, int depth, int32_t *predicted, size_t *num_right);
