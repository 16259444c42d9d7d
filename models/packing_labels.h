/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Labels of workloads for packing - 0 tiny, 1 medium, 2 jumbo - from how they use a GPU:
 * by a tree that is trained on given labels, and by how fast they run beside others. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/memory.h"
#include "models/decision_tree.h"

enum {
    SPOT_PACKING_AMP,
    SPOT_PACKING_GPU_UTIL,  /* % */
    SPOT_PACKING_GMEM_UTIL, /* % */
    SPOT_PACKING_GMEM,      /* MiB */
    SPOT_PACKING_FEATURES
};
extern const char *const spot_packing_features[SPOT_PACKING_FEATURES];

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

/* Writes the workloads as a CSV file: the columns of a job log, sharescore being the
 * predicted label, then label and automatic, empty where there is none. */
void spot_packing_labels_write(const spot_packing_labels_t *self, FILE *out);

/* Writes the rule that leads to a leaf: "gmem_util <= 30.5, gpu_util > 25". */
void spot_packing_rule_write(const spot_packing_labels_t *self, size_t leaf_id, FILE *out);
