/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/decision_tree.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* A value of the feature under trial, and the label of its row. */
typedef struct {
    double value;
    size_t row;
} sample_t;

typedef struct {
    const spot_labelled_t *rows;
    sample_t *samples; /* [num_rows] of the nodes that are split */
    spot_tree_t *tree;
} growth_t;

typedef struct {
    double quality; /* sum over the sides of squared counts / rows */
    int32_t feature_id;
    double threshold;
} split_t;

static int compare_samples(const void *first, const void *second)
{
    const sample_t *a = first, *b = second;

    return a->value != b->value ? (a->value > b->value) - (a->value < b->value)
                                : (a->row > b->row) - (a->row < b->row);
}

static void sort_by(growth_t *self, size_t first, size_t end, size_t feature_id)
{
    for (size_t i = first; i < end; i++) {
        self->samples[i].value =
            self->rows->values[self->samples[i].row * self->rows->num_features + feature_id];
    }
    qsort(self->samples + first, end - first, sizeof(*self->samples), compare_samples);
}

static int32_t label_of(const growth_t *self, size_t i)
{
    return self->rows->labels[self->samples[i].row];
}

static void count_labels(
    const growth_t *self, size_t first, size_t end, double counts[SPOT_TREE_MAX_LABELS])
{
    memset(counts, 0, SPOT_TREE_MAX_LABELS * sizeof(*counts));
    for (size_t i = first; i < end; i++) {
        counts[label_of(self, i)] += 1;
    }
}

static double squares(const double counts[SPOT_TREE_MAX_LABELS])
{
    double sum = 0;

    for (size_t k = 0; k < SPOT_TREE_MAX_LABELS; k++) {
        sum += counts[k] * counts[k];
    }
    return sum;
}

/* A better split by one feature, by which the samples are sorted. The quality is one
 * division of whole numbers, so that equal splits have equal qualities. */
static void try_feature(const growth_t *self, size_t first, size_t end, size_t feature_id,
    const double counts[SPOT_TREE_MAX_LABELS], split_t *best)
{
    double left[SPOT_TREE_MAX_LABELS] = {0}, right[SPOT_TREE_MAX_LABELS];

    memcpy(right, counts, sizeof(right));
    for (size_t i = first; i + 1 < end; i++) {
        const double value = self->samples[i].value, next = self->samples[i + 1].value;
        const double num_left = (double) (i + 1 - first);
        const double num_right = (double) (end - i - 1);
        double quality;

        left[label_of(self, i)] += 1;
        right[label_of(self, i)] -= 1;
        quality = (squares(left) * num_right + squares(right) * num_left) / (num_left * num_right);
        if (value < next && quality > best->quality) {
            const double middle = value + (next - value) / 2;

            *best = (split_t){quality, (int32_t) feature_id, middle < next ? middle : value};
        }
    }
}

static int add_node(
    growth_t *self, size_t first, size_t end, const double counts[SPOT_TREE_MAX_LABELS])
{
    spot_tree_node_t node = {.feature_id = -1, .num_rows = end - first};

    for (int32_t k = 1; k < SPOT_TREE_MAX_LABELS; k++) {
        if (counts[k] > counts[node.label]) {
            node.label = k;
        }
    }
    node.num_right = (size_t) counts[node.label];
    return SPOT_ARRAY_APPEND(self->tree, nodes, node);
}

static int grow(growth_t *self, size_t first, size_t end, int depth)
{
    const size_t node_id = self->tree->num_nodes;
    double counts[SPOT_TREE_MAX_LABELS];
    split_t best = {.feature_id = -1};
    size_t middle = first;
    int ret;

    count_labels(self, first, end, counts);
    best.quality = squares(counts) / (double) (end - first);
    ret = add_node(self, first, end, counts);
    for (size_t j = 0; j < self->rows->num_features && depth > 0 && ret == 0; j++) {
        sort_by(self, first, end, j);
        try_feature(self, first, end, j, counts, &best);
    }
    if (ret != 0 || best.feature_id < 0) {
        return ret;
    }
    sort_by(self, first, end, (size_t) best.feature_id);
    while (self->samples[middle].value <= best.threshold) {
        middle++;
    }
    self->tree->nodes[node_id].feature_id = best.feature_id;
    self->tree->nodes[node_id].threshold = best.threshold;
    for (size_t side = 0; side < 2 && ret == 0; side++) {
        self->tree->nodes[node_id].children[side] = (int32_t) self->tree->num_nodes;
        ret = side == 0 ? grow(self, first, middle, depth - 1) : grow(self, middle, end, depth - 1);
    }
    return ret;
}

/* Fits to all rows but one, or to all if left_out is their number. */
static int fit_without(spot_tree_t *self, const spot_labelled_t *rows, int depth, size_t left_out)
{
    growth_t growth = {rows, spot_calloc(rows->num_rows, sizeof(sample_t)), self};
    size_t num = 0;
    int ret = growth.samples == NULL ? SPOT_ERR_NO_MEMORY : 0;

    memset(self, 0, sizeof(*self));
    for (size_t i = 0; i < rows->num_rows && ret == 0; i++) {
        if (i != left_out) {
            growth.samples[num++].row = i;
        }
    }
    if (ret == 0 && (num == 0 || depth < 0 || depth > SPOT_TREE_MAX_DEPTH)) {
        ret = SPOT_ERR_BAD_PARAM;
    }
    ret = ret == 0 ? grow(&growth, 0, num, depth) : ret;
    free(growth.samples);
    return ret;
}

int spot_tree_fit(spot_tree_t *self, const spot_labelled_t *rows, int depth)
{
    return fit_without(self, rows, depth, rows->num_rows);
}

void spot_tree_free(spot_tree_t *self)
{
    free(self->nodes);
    memset(self, 0, sizeof(*self));
}

int32_t spot_tree_label(const spot_tree_t *self, const double *values)
{
    const spot_tree_node_t *node = self->nodes;

    while (node->feature_id >= 0) {
        node = &self->nodes[node->children[!(values[node->feature_id] <= node->threshold)]];
    }
    return node->label;
}

int spot_tree_leave_one_out(
    const spot_labelled_t *rows, int depth, int32_t *predicted, size_t *num_right)
{
    int ret = 0;

    *num_right = 0;
    for (size_t i = 0; i < rows->num_rows && ret == 0; i++) {
        spot_tree_t tree = {0};

        ret = fit_without(&tree, rows, depth, i);
        if (ret == 0) {
            const int32_t label = spot_tree_label(&tree, rows->values + i * rows->num_features);

            *num_right += label == rows->labels[i];
            if (predicted != NULL) {
                predicted[i] = label;
            }
        }
        spot_tree_free(&tree);
    }
    return ret;
}
