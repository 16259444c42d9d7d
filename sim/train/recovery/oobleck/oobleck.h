/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the parts of the recovery system oobleck: options, mixes of pipelines,
 * state, and the faults of the published simulator. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "models/pipeline_templates.h"
#include "sim/train/recovery/by_instances.h"
#include "sim/train/recovery/oobleck/members.h"
#include "sim/train/recovery/pause_ends.h"
#include "sim/train/recovery/recovery.h"

typedef enum {
    SPOT_OOBLECK_AT_PREEMPTION,
    SPOT_OOBLECK_BETTER,
    SPOT_OOBLECK_NEVER
} spot_oobleck_growth_t;

/* The pipelines of N instances: how many of each depth. */
typedef struct {
    int64_t groups_start; /* index of its pipelines in groups */
    int32_t num_groups;
    int64_t step_ms; /* 0: too few instances */
    bool is_flat;    /* step_ms comes from a table outside its points */
    bool is_fitted;
    bool lacks_step_time; /* more instances would be used with a known step time */
} spot_oobleck_mix_t;

typedef struct {
    int64_t num_failures; /* f */
    int64_t min_depth;    /* n_min; 0 before settling: derived from memory */
    int growth;           /* spot_oobleck_growth_t */
    double min_gain;
    int64_t detection_ms;
    int64_t regroup_ms;
    int64_t rebuild_ms; /* where members take layers that they did not have */
    double layer_bytes;
    double bandwidth_bytes_per_s;
    double parameter_bytes;
    double activation_bytes;
    double memory_bytes;
    spot_by_instances_t by_n;
    struct { /* faults of the published simulator, all 0 for none */
        int trains_in_pause;
        int has_short_pauses;
        int has_stale_timers;
        int idle_losses_pause;
    } fault;
    /* Settled: */
    bool has_fault;
    bool is_by_templates;
    int32_t num_layers;
    spot_templates_t templates;
    int64_t num_mixes;
    spot_oobleck_mix_t *mixes; /* [num_mixes] by N */
    size_t num_groups;
    size_t max_groups;
    spot_template_group_t *groups; /* [num_groups] of all mixes */
} spot_oobleck_options_t;

typedef enum {
    SPOT_OOBLECK_WAITING, /* fewer instances than it needs */
    SPOT_OOBLECK_PAUSING, /* until a timer is due */
    SPOT_OOBLECK_TRAINING,
    SPOT_OOBLECK_STOPPED /* by a stale timer */
} spot_oobleck_phase_t;

typedef struct {
    spot_members_t members;
    int64_t step_ms; /* under the decision in force */
    bool is_formed;  /* pipelines have formed */
    /* Only with faults: */
    spot_oobleck_phase_t phase;
    bool trains_on; /* in the pause */
    bool needs_reload;
    spot_pause_ends_t ends;
} spot_oobleck_state_t;

/* settle and release of the system: make and free the mixes. */
int spot_oobleck_settle(void *options, spot_terms_t *terms);
void spot_oobleck_release(void *options);

/* The least number of pipelines: f+1, so that f instances may be lost at once, or fewer
 * if there are too few instances. */
int64_t spot_oobleck_least_pipelines(const spot_oobleck_options_t *self, int64_t num_instances);

/* The mix of num_instances instances when pipelines form anew. */
const spot_oobleck_mix_t *spot_oobleck_mix_of(
    const spot_oobleck_options_t *self, int64_t num_instances);

/* A computed step time in whole milliseconds, at least 1. */
int64_t spot_oobleck_whole_ms(double step_ms);

/* Whether num_instances instances are enough to start. */
bool spot_oobleck_can_start(const spot_oobleck_options_t *self, int64_t num_instances);

/* Forms the pipelines of num_instances instances anew, active ones first. Sets the step
 * time of the decision, not its pauses. */
void spot_oobleck_form(const spot_oobleck_options_t *self, spot_oobleck_state_t *state,
    const spot_recovery_view_t *view, int64_t num_instances, spot_recovery_decision_t *decision);

/* Decides where a fault is set. */
void spot_oobleck_decide_with_faults(const spot_oobleck_options_t *self,
    spot_oobleck_state_t *state, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_decision_t *decision);
