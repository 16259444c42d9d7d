/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jobs that share their GPUs: how fast two of them run (spot_colocation_t), and which of
 * them should (spot_packing_labels_t).
 *
 * Speeds are relative to running alone and come from a table of measured pairs, or by a
 * rule for pairs that were not measured. Labels - 0 tiny, 1 medium, 2 jumbo - follow from
 * how a workload uses a GPU, by a classification tree that is trained on given labels,
 * and from how fast it runs beside others. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/error.h"
#include "base/memory.h"

/* ---- Pairs ---- */

/* What a workload is called in the table, and how it uses a GPU alone. A model that is
 * NULL or "" is in no table; a use that is not finite counts as 100 %, memory as 0. */
typedef struct {
    const char *model, *dataset;
    int32_t batch_size, amp;
    double gpu_util, gmem_util, gmem_mib; /* %, %, MiB */
} spot_colocated_t;

typedef enum {
    SPOT_PAIR_REFUSE,       /* a pair that was not measured is not packed */
    SPOT_PAIR_PROPORTIONAL, /* both speeds min(1, 100 / (u1 + u2)) */
    SPOT_PAIR_ONE           /* both run as if alone */
} spot_unknown_pair_t;

extern const char *const spot_unknown_pair_names[]; /* by rule, NULL-terminated */

/* A pair, the guest first. */
typedef struct {
    bool can_share;
    double guest_speed, host_speed;       /* relative to alone */
    double gpu_util, gmem_util, gmem_mib; /* what a shared GPU shows */
} spot_colocation_pair_t;

typedef struct {
    bool has_heavy;
    spot_unknown_pair_t rule; /* of pairs that were not measured */
    size_t num_workloads;
    struct spot_colocation_use *uses; /* [num_workloads] */
    size_t num_measured;
    size_t max_measured;
    struct spot_measured_pair *measured; /* [num_measured] in order of their keys */
} spot_colocation_t;

/* Pairs of the workloads of a log. path: the table, a CSV file with the columns
 * model1,dataset1,batchsize1,amp1,speed1,model2,...,speed2,gpu_util,gmem_util,gmem;
 * NULL: none, so that every pair follows the rule, and REFUSE means PROPORTIONAL. Pairs
 * with NeuMF, ResNet50, BERT or Transformer follow the rule too, whatever the table has;
 * has_heavy: they run at full speed, and their utilisation is min(1, u1 + u2), as in the
 * published simulator. A pair that is listed twice in one order with different speeds,
 * and a speed that is not above 0 and at most 2, is an error. BAD_INPUT, IO, NO_MEMORY;
 * free self even then. O((pairs + workloads) log pairs). */
SPOT_MUST_CHECK int spot_colocation_init(spot_colocation_t *self, const char *path,
    spot_unknown_pair_t rule, bool has_heavy, size_t num_workloads,
    const spot_colocated_t *workloads, spot_diag_t *diag);
void spot_colocation_free(spot_colocation_t *self);

/* The pair of two workloads, from the table, if no family is heavy, as (guest, host),
 * else as (host, guest), else by the rule. O(log pairs). */
spot_colocation_pair_t spot_colocation_pair(
    const spot_colocation_t *self, int32_t guest_id, int32_t host_id);

/* ---- Labels for packing ---- */

/* The tree is CART with the index of Gini. Source: Breiman, Friedman, Olshen, Stone,
 * "Classification and Regression Trees", 1984. */
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

enum {
    SPOT_PACKING_AMP,
    SPOT_PACKING_GPU_UTIL,  /* % */
    SPOT_PACKING_GMEM_UTIL, /* % */
    SPOT_PACKING_GMEM,      /* MiB */
    SPOT_PACKING_FEATURES
};

typedef struct {
    const char *model, *dataset;
    int32_t batch_size, amp;
    double speed_per_s; /* alone; NAN: not given */
    double features[SPOT_PACKING_FEATURES];
    int32_t label;     /* as given; -1: none */
    int32_t predicted; /* by a tree that was fitted to the other labels */
    int32_t automatic; /* -1: no co-location table */
} spot_packing_workload_t;

typedef struct {
    spot_arena_t texts;
    size_t num_workloads;
    size_t max_workloads;
    spot_packing_workload_t *workloads; /* [num_workloads] */
    spot_tree_t tree;                   /* fitted to all labels */
    size_t num_labels;
    size_t num_left_out;  /* labels that a tree finds that was fitted to the others */
    size_t num_automatic; /* labels that are also the automatic ones */
} spot_packing_labels_t;

/* Reads a CSV file with the columns model,dataset,batchsize,amp,gpu_util,gmem_util,gmem
 * and, if there, speed and label, whose cells may be empty; then finds the automatic
 * labels, if colocation_path is not NULL, and trains. Without any given label the
 * automatic ones are learned. Errors of the files as file:line:column in diag.
 * BAD_INPUT, IO, NO_MEMORY; free self even then. O(workloads^2). */
SPOT_MUST_CHECK int spot_packing_labels_train(spot_packing_labels_t *self, const char *path,
    const char *colocation_path, int depth, spot_diag_t *diag);
void spot_packing_labels_free(spot_packing_labels_t *self);
