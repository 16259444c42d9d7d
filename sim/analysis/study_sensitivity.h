/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sobol indices of the metrics of a study whose plan is made for them. */
#ifndef SPOT_SIM_ANALYSIS_STUDY_SENSITIVITY_H
#define SPOT_SIM_ANALYSIS_STUDY_SENSITIVITY_H

#include "sim/analysis/sensitivity.h"
#include "sim/store/store.h"

typedef struct {
    int outcome; /* 0, or SPOT_SENSITIVITY_...: then the indices are undefined */
    spot_sensitivity_t indices;
} spot_metric_sensitivity_t;

typedef struct {
    int64_t num_replications; /* of each point that were used */
    size_t num_groups;        /* that they were split into; 1: too few to tell noise */
    size_t num_metrics;
    spot_metric_sensitivity_t *metrics; /* [num_metrics] those listed */
} spot_study_sensitivity_t;

/* Reads the store, whose head has a sensitivity plan. The same replications of all
 * points are used; null values are left out of the means. NO_MEMORY, or what stopped
 * reading; free self even then. */
SPOT_MUST_CHECK int spot_study_sensitivity_init(
    spot_study_sensitivity_t *self, const spot_store_t *store);
void spot_study_sensitivity_free(spot_study_sensitivity_t *self);

/* Why there are no indices, or NULL where there are. */
const char *spot_metric_sensitivity_problem(const spot_metric_sensitivity_t *self);

/* What is wrong with the indices of too few replications, or NULL. */
const char *spot_metric_sensitivity_warning(const spot_metric_sensitivity_t *self);

/* The share of the variance of the points' means that is noise of replications, and was
 * taken out. NAN where unknown. */
double spot_sensitivity_noise_share(const spot_sensitivity_t *indices);

#endif
