/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a recovery system is: one file and one const table each. A policy reads a view of
 * the job and its instances and returns a plan; the engine carries the plan out and
 * charges the time. A policy never touches instances, clock or ledger. */
#ifndef SPOT_SIM_RECOVERY_RECOVERY_H
#define SPOT_SIM_RECOVERY_RECOVERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bind.h"
#include "models/job.h"

/* What the policy may know at the instant of a decision. */
typedef struct {
    int64_t now_ms;
    const spot_job_t *job;
    int32_t num_pipelines; /* before the change */
    int32_t num_active;    /* instances left in pipelines; without a loss whole ones */
    int32_t num_standby;   /* ready, not in a pipeline */
    int32_t num_prepping;
} spot_recovery_view_t;

/* What made the engine ask. */
typedef struct {
    int32_t num_lost_active; /* active instances preempted or stopped at this instant */
} spot_recovery_change_t;

/* What is to be done. All zero: go on as before. */
typedef struct {
    bool is_new;                /* form pipelines anew */
    bool is_rollback;           /* return to the durable step and drop the work since */
    int32_t num_pipelines;      /* 0: the job waits */
    int64_t reconfiguration_ms; /* pause parts, in this order */
    int64_t reload_ms;
} spot_recovery_plan_t;

typedef struct {
    const char *name; /* as in "recovery: {system: NAME}" */
    const char *doc;
    const char *source;          /* paper or program */
    const spot_field_t *options; /* goes on with the common ones */
    size_t options_size;         /* of the bound options, shared by all threads */
    /* No work is ever lost: the job needs no checkpoints, and the step under way goes on
     * over a new plan. */
    bool is_lossless;
    /* Instances that are rented on demand for the whole run instead of those of the
     * trace, which is ignored; capacity: the fleet's. NULL: none. */
    int64_t (*num_on_demand)(const void *options, int64_t capacity);
    /* Decides at one instant; called when an active instance is lost or one becomes
     * ready. */
    void (*decide)(const void *options, const spot_recovery_view_t *view,
        const spot_recovery_change_t *change, spot_recovery_plan_t *plan);
} spot_recovery_t;

/* The end of every options table: {.name = NULL, .fields = spot_recovery_common_fields}.
 */
extern const spot_field_t spot_recovery_common_fields[];

extern const spot_recovery_t spot_recovery_checkpoint;
extern const spot_recovery_t spot_recovery_ideal;
extern const spot_recovery_t spot_recovery_on_demand;

/* Every recovery system, NULL-terminated. */
extern const spot_recovery_t *const spot_recovery_systems[];

/* A system with its options, bound from "recovery: {system: NAME, ...}", or from "NAME"
 * alone, which is the same without options. */
typedef struct {
    const spot_recovery_t *system;
    void *options;
} spot_recovery_choice_t;

/* A bind function; target is a spot_recovery_choice_t. */
void spot_recovery_bind(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target);

/* The options by which a node is bound, or NULL. */
const spot_field_t *spot_recovery_table(const spot_node_t *node);

void spot_recovery_choice_free(spot_recovery_choice_t *self);

#endif
