/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sobol indices of the metrics of a study whose plan is made for them. */
#pragma once

#include "sim/bench/analysis/sensitivity.h"
#include "sim/bench/store/store.h"

typedef struct {
    int outcome; /* 0, or SPOT_ANALYSIS_...: then the indices are undefined */
    spot_sensitivity_t indices;
} spot_metric_sensitivity_t;

typedef struct {
    int64_t num_replications; /* used, of each point */
    size_t num_groups;        /* of replications; 1: noise is unknown */
    size_t num_metrics;
    spot_metric_sensitivity_t *metrics; /* [num_metrics] those listed */
} spot_study_sensitivity_t;

/* Reads the store, whose head must have a sensitivity plan. Uses the same replications
 * of all points, without null values. NO_MEMORY, errors of reading; free self even then.
 */
SPOT_MUST_CHECK int spot_study_sensitivity_init(
    spot_study_sensitivity_t *self, const spot_store_t *store);
void spot_study_sensitivity_free(spot_study_sensitivity_t *self);

/* The reason why there are no indices, or NULL. */
const char *spot_metric_sensitivity_problem(const spot_metric_sensitivity_t *self);

/* A warning about indices from too few replications, or NULL. */
const char *spot_metric_sensitivity_warning(const spot_metric_sensitivity_t *self);

/* The share of replication noise in the variance of the points' means, which was
 * removed. NAN: unknown. */
double spot_sensitivity_noise_share(const spot_sensitivity_t *indices);
