/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the two Parcae systems: options and the pairs (D,P) to choose from. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bind.h"
#include "models/job.h"
#include "models/measured_table.h"
#include "sim/train/recovery/recovery.h"

/* The most layers of a model; the deepest pipeline has one stage less. */
#define SPOT_PARCAE_MAX_LAYERS 1024

/* The stages of pipelines of one depth. */
typedef struct {
    int32_t depth;     /* P; 0: no pipelines of this depth */
    double build_ms;   /* to build the model of one stage */
    double sum_ms;     /* to transfer all stages in turn: sum of stage_ms */
    double longest_ms; /* to transfer the largest stage: max of stage_ms */
    double *stage_ms;  /* [P] to transfer each stage */
    double *bounds;    /* [P + 1] parameters before stage s; the last one: all */
} spot_parcae_stages_t;

typedef struct {
    char *transfer_path; /* options, described in parcae.c; NULL: none */
    char *build_path;
    double link_gbps;
    int64_t num_layers;
    int64_t first_parameters;
    int64_t layer_parameters;
    int64_t last_parameters;
    double bytes_per_parameter;
    double build_layer_ms;
    int64_t build_bytes;
    double add_ms;
    double group_base_ms;
    double group_add_ms;
    double group_remove_ms;
    double process_ms;
    double rebuild_ms;              /* to build any stage; -1: by layers */
    double reload_ms;               /* to read the state from storage; -1: a service has
                                       it, from which it is transferred */
    int has_bug;                    /* choice: no, yes */
    spot_measured_curve_t transfer; /* us by bytes; empty: link_gbps */
    spot_measured_curve_t build;    /* ms by depth; empty: by layers */
    int32_t max_depth;              /* of the stages */
    double *numbers;                /* memory of the stages */
    spot_parcae_stages_t *stages;   /* [max_depth + 1] by depth */
} spot_parcae_costs_t;

/* Takes the figures of the job for options that are not given, reads the curves and
 * makes the stages of all depths up to max_depth, at most layers - 1. NO_MEMORY; errors
 * of the files go to the bind of terms. */
SPOT_MUST_CHECK int spot_parcae_costs_settle(
    spot_parcae_costs_t *self, spot_terms_t *terms, int64_t max_depth);

/* Time to transfer bytes; 0 bytes take the time of a message. */
double spot_parcae_transfer_ms(const spot_parcae_costs_t *self, double bytes);

/* Time to restart the processes, their groups included. */
double spot_parcae_restart_ms(
    const spot_parcae_costs_t *self, int64_t num_pipelines, int64_t depth, bool has_additions);

/* The losses of D pipelines of P stages. */
typedef struct {
    int32_t num_pipelines; /* 0: no instance has state */
    int32_t depth;
    const uint8_t *is_lost; /* [D P] by place */
    int32_t num_left;       /* active instances, with or without a stage */
} spot_parcae_left_t;

/* The parameters to transfer when pipelines of another depth form. Each new stage, in
 * order, takes the survivor that lacks the fewest parameters (of equal ones the first
 * place) and transfers those; with has_bug only the last stage does.
 * O(new depth + depth), more with few survivors. */
double spot_parcae_missing(
    const spot_parcae_costs_t *self, const spot_parcae_left_t *left, int32_t depth);

/* The cost of pipelines of the same depth, by the instances lost of each stage of
 * num_pipelines: intra-stage if enough are left of each, else inter-stage. O(depth). */
double spot_parcae_same_depth_ms(const spot_parcae_costs_t *self, const spot_parcae_left_t *left,
    const int32_t *num_lost, int32_t num_pipelines);

/* The cost of a move to pipelines of another depth, whose missing parameters take
 * transfer_ms. */
double spot_parcae_repartition_ms(const spot_parcae_costs_t *self, double transfer_ms,
    int32_t num_pipelines, int32_t depth, bool has_additions);

/* The cost of any move. */
double spot_parcae_move_ms(const spot_parcae_costs_t *self, const spot_parcae_left_t *left,
    int32_t num_pipelines, int32_t depth);

/* The cost to save, load and restart everything (recovery.md 2.7); the first decision
 * saves nothing. */
double spot_parcae_reload_ms(const spot_parcae_costs_t *self, int32_t depth, double checkpoint_ms);

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
