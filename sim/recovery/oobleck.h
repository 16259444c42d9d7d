/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of the recovery system oobleck share: its options, what so many
 * instances do, its state, and the faults of the published simulator. */
#ifndef SPOT_SIM_RECOVERY_OOBLECK_H
#define SPOT_SIM_RECOVERY_OOBLECK_H

#include <stdbool.h>
#include <stdint.h>

#include "models/pipeline_templates.h"
#include "sim/recovery/by_instances.h"
#include "sim/recovery/members.h"
#include "sim/recovery/pause_ends.h"
#include "sim/recovery/recovery.h"

typedef enum {
    SPOT_OOBLECK_AT_PREEMPTION,
    SPOT_OOBLECK_BETTER,
    SPOT_OOBLECK_NEVER
} spot_oobleck_growth_t;

/* What N instances do. */
typedef struct {
    int64_t groups_start; /* where its pipelines are in groups */
    int32_t num_groups;
    int64_t step_ms; /* 0: there are too few of them */
    bool is_flat;    /* step_ms is of a table, outside its points */
    bool is_fitted;
    bool lacks_step_time; /* more would be used if it were known how long they take */
} spot_oobleck_plan_t;

typedef struct {
    int64_t num_failures; /* f */
    int64_t min_depth;    /* n_min; 0 before settling: by memory */
    int growth;           /* spot_oobleck_growth_t */
    double min_gain;
    int64_t detection_ms;
    int64_t regroup_ms;
    double layer_bytes;
    double bandwidth_bytes_per_s;
    double parameter_bytes;
    double activation_bytes;
    double memory_bytes;
    spot_by_instances_t by_n;
    struct { /* faults of the published simulator; all 0: none */
        int trains_in_pause;
        int has_short_pauses;
        int has_stale_timers;
        int idle_losses_pause;
    } fault;
    /* Settled: */
    bool is_by_templates;
    int32_t num_layers;
    spot_templates_t templates;
    int64_t num_plans;
    spot_oobleck_plan_t *plans; /* [num_plans] by N */
    size_t num_groups;
    size_t max_groups;
    spot_template_group_t *groups; /* [num_groups] of all plans */
} spot_oobleck_options_t;

typedef enum {
    SPOT_OOBLECK_WAITING, /* fewer instances than it needs */
    SPOT_OOBLECK_PAUSING, /* until a timer is due */
    SPOT_OOBLECK_TRAINING,
    SPOT_OOBLECK_STOPPED /* by a stale timer */
} spot_oobleck_phase_t;

typedef struct {
    spot_members_t members;
    int64_t step_ms; /* under the plan in force */
    bool is_formed;  /* there are pipelines */
    /* The rest only with faults. */
    spot_oobleck_phase_t phase;
    bool trains_on; /* in the pause */
    bool needs_reload;
    spot_pause_ends_t ends;
} spot_oobleck_state_t;

/* The hooks of the system that make its plans and free them. */
int spot_oobleck_settle(void *options, spot_bind_t *bind, const spot_node_t *node,
    const spot_job_t *job, int64_t capacity);
void spot_oobleck_release(void *options);

/* At least f+1 pipelines, so that f may go at once; fewer only if there are too few
 * instances. */
int64_t spot_oobleck_least_pipelines(
    const spot_oobleck_options_t *self, int64_t num_instances);

/* What so many instances do when pipelines form anew. */
const spot_oobleck_plan_t *spot_oobleck_plan_of(
    const spot_oobleck_options_t *self, int64_t num_instances);

/* Whole milliseconds of a computed step time, at least 1. */
int64_t spot_oobleck_whole_ms(double step_ms);

/* Whether so many instances are enough to start with. */
bool spot_oobleck_can_start(const spot_oobleck_options_t *self, int64_t num_instances);

/* Forms the pipelines of so many instances anew, those in use first; its step time goes
 * into the plan, the pauses do not. */
void spot_oobleck_form(const spot_oobleck_options_t *self, spot_oobleck_state_t *state,
    const spot_recovery_view_t *view, int64_t num_instances, spot_recovery_plan_t *plan);

/* Whether any fault of the published simulator is asked for, which is then what decides.
 */
bool spot_oobleck_has_fault(const spot_oobleck_options_t *self);
void spot_oobleck_decide_with_faults(const spot_oobleck_options_t *self,
    spot_oobleck_state_t *state, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_plan_t *plan);

#endif
