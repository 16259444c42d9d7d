/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Main effects of the keys of a study on the mean of a metric, for any plan. */
#pragma once

#include "sim/bench/analysis/main_effects.h"
#include "sim/bench/store/store.h"

/* In a sampled plan, a key with more numbers than this gets levels that are parts of its
 * range with about equal numbers of points. */
#define SPOT_EFFECTS_MAX_VALUES 8

typedef struct {
    int outcome;              /* 0, or SPOT_ANALYSIS_...: then the effects are undefined */
    bool has_indices;         /* shares and totals are Sobol indices of a sensitivity plan */
    int64_t num_replications; /* used, of each point */
    size_t num_groups;        /* of replications; 1: noise is unknown */
    spot_arena_t memory;
    size_t *axis_ids;     /* [effects.num_keys] */
    size_t max_levels;    /* values of the longest axis */
    size_t *first_values; /* [effects.num_keys][max_levels] first value of a level */
    size_t *last_values;  /* the same for its last value, by number */
    spot_effects_t effects;
} spot_study_effects_t;

/* The reason why a study has no main effects (fewer than two keys with two values, or a
 * zip), or NULL. */
const char *spot_study_effects_problem(const spot_study_head_t *head);

/* Reads the store, whose head must have no such problem. NO_MEMORY, errors of reading;
 * free self even then. */
SPOT_MUST_CHECK int spot_study_effects_init(
    spot_study_effects_t *self, const spot_store_t *store, size_t metric_id);
void spot_study_effects_free(spot_study_effects_t *self);

/* The reason why the effects are undefined, or NULL. */
const char *spot_study_effects_outcome(const spot_study_effects_t *self);

/* Sets order[num_keys] to the keys by their range, the largest first. */
void spot_study_effects_order(const spot_study_effects_t *self, size_t *order);
