/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the two Parcae systems: options and the pairs (D,P) to choose from. */
#pragma once

#include "sim/train/recovery/parcae/costs.h"
#include "sim/train/recovery/recovery.h"

typedef struct {
    int32_t num_pipelines; /* D; 0: waiting */
    int32_t depth;         /* P */
    double speed;          /* to compare: samples/s of a table, or steps/ms */
    int64_t step_ms;       /* 0: that of the job for D pipelines of its depth */
    bool is_fitted;
} spot_parcae_pair_t;

typedef struct {
    spot_parcae_costs_t costs; /* the first member, as its options expect */
    int64_t interval_ms;
    int64_t min_depth;
    int64_t max_depth;
    int tie;
    int merges_pauses;
    bool keeps_steps;          /* in a service, at no cost, as published */
    int64_t detection_ms;      /* of a loss */
    int32_t num_pairs;         /* feasible within the capacity; id num_pairs: waiting */
    spot_parcae_pair_t *pairs; /* [num_pairs + 1] by P, then D; the last one: waiting */
    int64_t num_best;
    int32_t *best; /* [num_best] best(N) by N, up to at least the capacity */
} spot_parcae_t;

/* Options of a struct that starts with a spot_parcae_t. */
extern const spot_field_t spot_parcae_fields[];

/* settle and release of spot_recovery_t. */
SPOT_MUST_CHECK int spot_parcae_settle(spot_parcae_t *self, spot_terms_t *terms);
void spot_parcae_release(spot_parcae_t *self);
bool spot_parcae_keeps_steps(const void *options);

/* Of which paper and model its published defaults are. */
#define SPOT_PARCAE_PUBLISHED                                                                      \
    "Parcae (NSDI'24) for GPT-2 of 1.5B parameters: its layers, links and restarts, "              \
    "and "                                                                                         \
    "a service that keeps each step at no cost"

/* Whether pipelines without a known step time may be the fastest. */
bool spot_parcae_lacks_step_time(const spot_parcae_t *self, const spot_recovery_view_t *view);
extern const spot_recovery_fault_t spot_parcae_faults[];

/* D P, the instances of a pair. */
static inline int64_t spot_parcae_size(const spot_parcae_t *self, int32_t pair_id)
{
    const spot_parcae_pair_t *pair = &self->pairs[pair_id];

    return (int64_t) pair->num_pipelines * pair->depth;
}

/* The next multiple of the interval after now_ms. */
static inline int64_t spot_parcae_next_ms(const spot_parcae_t *self, int64_t now_ms)
{
    return (now_ms / self->interval_ms + 1) * self->interval_ms;
}

/* The rest of the pause under way. */
static inline int64_t spot_parcae_rest_ms(const spot_recovery_view_t *view)
{
    return view->training_ms == INT64_MAX || view->training_ms < view->now_ms
               ? 0
               : view->training_ms - view->now_ms;
}

/* Decides on a pair with a pause of pause_ms, restart_ms of it for the
 * reconfiguration. */
void spot_parcae_decide_pair(const spot_parcae_t *self, int32_t pair_id, double pause_ms,
    double restart_ms, spot_recovery_decision_t *decision);
