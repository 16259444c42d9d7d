/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What it takes to go from D pipelines of P stages to others when some instances are
 * lost: the migration costs of Parcae, and the options that they have.
 *
 * Source: Duan et al., Parcae, NSDI'24, and its program (JF-D/Parcae, liveput/cost.py,
 * monte_carlo.py, throughput.py); constants of GPT-1.5B. Times are ms, fractions
 * included: a plan rounds its sum. A place is d P + s. */
#ifndef SPOT_SIM_RECOVERY_PARCAE_COSTS_H
#define SPOT_SIM_RECOVERY_PARCAE_COSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bind.h"
#include "models/job.h"
#include "models/measured_curve.h"

/* The most layers of a model, and one more than the deepest pipeline. */
#define SPOT_PARCAE_MAX_LAYERS 1024

/* The stages of pipelines of one depth. */
typedef struct {
    int32_t depth;     /* P; 0: there is none of this depth */
    double build_ms;   /* the model of one stage anew */
    double sum_ms;     /* to transfer all stages one after the other: sum of stage_ms */
    double longest_ms; /* to transfer the largest: max of stage_ms */
    double *stage_ms;  /* [P] to transfer each */
    double *bounds;    /* [P + 1] parameters before stage s; the last: all */
} spot_parcae_stages_t;

typedef struct {
    char *transfer_path; /* options, as parcae_costs.c tells; NULL: none */
    char *build_path;
    double link_gbps;
    int64_t num_layers;
    int64_t first_parameters;
    int64_t layer_parameters;
    int64_t last_parameters;
    int64_t bytes_per_parameter;
    double build_layer_ms;
    int64_t build_bytes;
    double add_ms;
    double group_base_ms;
    double group_add_ms;
    double group_remove_ms;
    double process_ms;
    int has_bug;                    /* choice: no, yes */
    spot_measured_curve_t transfer; /* us by bytes; empty: link_gbps */
    spot_measured_curve_t build;    /* ms by depth; empty: by layers */
    int32_t max_depth;              /* of the stages */
    double *numbers;                /* what stages point to */
    spot_parcae_stages_t *stages;   /* [max_depth + 1] by depth */
} spot_parcae_costs_t;

/* Options of a struct that starts with a spot_parcae_costs_t; go on with the common ones
 * of recovery systems. */
extern const spot_field_t spot_parcae_cost_fields[];

/* Reads the curves and lays out the stages of all depths up to max_depth, of which there
 * are as many as layers but one: fewer if need be. NO_MEMORY; what is wrong with the
 * files is told through bind. */
SPOT_MUST_CHECK int spot_parcae_costs_settle(
    spot_parcae_costs_t *self, spot_bind_t *bind, int64_t max_depth);
void spot_parcae_costs_release(spot_parcae_costs_t *self);

/* Whether pipelines can have this depth: there are layers and a build time for it. */
static inline bool
spot_parcae_has_depth(const spot_parcae_costs_t *self, int64_t depth)
{
    return depth <= self->max_depth && self->stages[depth].depth > 0;
}

/* Time to transfer so many bytes; of none too: that of a message. */
double spot_parcae_transfer_ms(const spot_parcae_costs_t *self, double bytes);

/* To form the communication groups of (D,P), where instances are added or not. */
double spot_parcae_group_ms(const spot_parcae_costs_t *self, int64_t num_pipelines,
    int64_t depth, bool has_additions);

/* The same with all that a restart of the processes needs. */
double spot_parcae_restart_ms(const spot_parcae_costs_t *self, int64_t num_pipelines,
    int64_t depth, bool has_additions);

/* Who is left of D pipelines of P stages. */
typedef struct {
    int32_t num_pipelines; /* 0: nobody has any state */
    int32_t depth;
    const uint8_t *is_lost; /* [D P] by place */
    int32_t num_left;       /* active instances, whether they hold a stage or not */
} spot_parcae_left_t;

/* The parameters that have to be transferred when pipelines of another depth form: for
 * each new stage in order, those that the survivor lacks who lacks the fewest of the
 * ones not taken (the first place of equal ones). With has_bug those of the last stage
 * only. O(new depth + depth), more where few are left. */
double spot_parcae_missing(
    const spot_parcae_costs_t *self, const spot_parcae_left_t *left, int32_t depth);

/* The cost of pipelines of the same depth, from the instances that are lost of each
 * stage of num_pipelines: intra-stage if enough are left of each, else inter-stage.
 * O(depth). */
double spot_parcae_same_depth_ms(const spot_parcae_costs_t *self,
    const spot_parcae_left_t *left, const int32_t *num_lost, int32_t num_pipelines);

/* The cost of a move to pipelines of another depth, with the parameters that are missing
 * transferred in transfer_ms. */
double spot_parcae_repartition_ms(const spot_parcae_costs_t *self, double transfer_ms,
    int32_t num_pipelines, int32_t depth, bool has_additions);

/* The cost of any move, from who is left. */
double spot_parcae_move_ms(const spot_parcae_costs_t *self,
    const spot_parcae_left_t *left, int32_t num_pipelines, int32_t depth);

/* 2.7: all is saved, loaded and started anew; but for the first plan, which saves
 * nothing. */
double spot_parcae_reload_ms(
    const spot_parcae_costs_t *self, int32_t depth, double checkpoint_ms);

#endif
