/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Main effects of the keys of a study on the mean of a metric, whatever its plan. */
#ifndef SPOT_SIM_ANALYSIS_STUDY_EFFECTS_H
#define SPOT_SIM_ANALYSIS_STUDY_EFFECTS_H

#include "sim/analysis/main_effects.h"
#include "sim/store/store.h"

/* Of a sampled plan: numbers of a key are put into parts of its range with about as many
 * points each, where they are more than so many. */
#define SPOT_EFFECTS_MAX_VALUES 8

typedef struct {
    int outcome;      /* 0, or SPOT_EFFECTS_...: then the effects are undefined */
    bool has_indices; /* shares and totals are Sobol indices of a sensitivity plan */
    int64_t num_replications; /* of each point that were used */
    size_t num_groups;        /* that they were split into; 1: too few to tell noise */
    size_t *axis_ids;         /* [effects.num_keys] */
    size_t *first_values;     /* [effects.num_keys][num_values of the longest axis] value
                                 with which a level starts */
    size_t *last_values;      /* the same, with which it ends, by number */
    size_t max_levels;
    spot_effects_t effects;
} spot_study_effects_t;

/* Why a study cannot have any, or NULL: fewer than two keys with two values, or keys
 * that move together. */
const char *spot_study_effects_problem(const spot_study_head_t *head);

/* Reads the store, whose head has no such problem. NO_MEMORY, or what stopped reading;
 * free self even then. */
SPOT_MUST_CHECK int spot_study_effects_init(
    spot_study_effects_t *self, const spot_store_t *store, size_t metric_id);
void spot_study_effects_free(spot_study_effects_t *self);

/* Why there are none, or NULL where there are. */
const char *spot_study_effects_outcome(const spot_study_effects_t *self);

/* Keys by the size of their range, the largest first: order is [num_keys]. */
void spot_study_effects_order(const spot_study_effects_t *self, size_t *order);

#endif
