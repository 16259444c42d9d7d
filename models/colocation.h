/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How fast two jobs run that share their GPUs, from a table of measured pairs or by a
 * rule for pairs that were not measured. Speeds are relative to running alone. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/error.h"

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

/* The mean speed of a workload in the pairs of the table, as first and as second; NAN:
 * it is in none. O(pairs). */
double spot_colocation_mean_speed(const spot_colocation_t *self, int32_t workload_id);
