/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The job of the twin in its own time: steps, checkpoints, pauses, and what a decision
 * makes of them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "twin.h"
#include "twin_list.h"

#define NEVER INT64_MAX
#define ON_DEMAND (-1) /* the name of all instances that nothing happens to */

/* Phases of the twin alone. */
enum {
    STALLED = SPOT_NUM_JOB_PHASES, /* by a checkpoint while training */
    LOADING,                       /* training: the next step waits for its data */
    FLUSHING,                      /* the checkpoint that a decision begins with */
    HELD                           /* instances in use, and no training to come */
};

/* A checkpoint that has started and is not durable yet. */
typedef struct {
    int64_t steps; /* that it captures, of the whole run */
    int64_t durable_ms;
} writing_t;

/* What the loaders have ready. */
typedef struct {
    bool has_loaded;     /* there have been pipelines in the run */
    bool is_filled;      /* no pause since loaders started and training began */
    int64_t num_loading; /* instances that load; 0: no pipelines */
    int64_t ready_steps; /* the next steps that do not wait, for their data is there */
    int64_t first_steps; /* left of an epoch in which share is read locally */
    double share;
} twin_input_t;

/* The work on one step. */
typedef struct {
    int64_t instance_ms;
    int64_t job_ms;
    int64_t decision_id; /* under which it ended */
} work_t;

typedef struct {
    const twin_setting_t *setting;
    const spot_trace_t *trace;
    spot_train_result_t *result;
    int64_t now_ms;  /* all time before is charged */
    int64_t end_ms;  /* of the run: the horizon, or earlier */
    size_t event_id; /* of the next event of the trace */
    list_t prepping;
    list_t standby;
    list_t active;
    int32_t num_lost;    /* active instances, at this tick */
    int32_t num_noticed; /* preemptions announced at this tick */
    int64_t deadline_ms; /* the first of theirs */
    int32_t num_ready;   /* became standby at this tick */
    int64_t decision_id; /* of the decision in force: 1, 2, ... */
    int32_t num_pipelines;
    int64_t reconfiguration_ms; /* pauses of the decision */
    int64_t reload_ms;
    int64_t training_ms;  /* when its training starts; NEVER: not at all */
    int phase;            /* spot_job_phase_t, or one of the above */
    int64_t phase_end_ms; /* of the pause part, of the step under way or of the stall */
    int64_t step_ms;
    bool is_unmeasured;    /* steps are of a world size outside the points */
    int64_t step_done_ms;  /* of the step under way */
    int64_t carried_ms;    /* the same before the training of the decision starts, */
    int64_t carried_of_ms; /* of a step of that length */
    int64_t num_ended;     /* steps since training started */
    int64_t due_steps;     /* step ends until a checkpoint is due */
    twin_input_t input;
    work_t begun;     /* on the step under way */
    int64_t num_open; /* steps that ended, and are neither durable nor lost */
    work_t *open;     /* [num_open] oldest first */
    int64_t max_open;
    bool is_holding; /* saved, and waiting for an announced preemption */
    int64_t wake_ms; /* when to ask, NEVER: not at a time */
    bool wakes_at_step_end;
    int num_writing;
    writing_t writing[2]; /* [num_writing] oldest first */
} twin_t;

#define SMALLER(a, b) ((a) < (b) ? (a) : (b))
#define LARGER(a, b) ((a) > (b) ? (a) : (b))

/* Stalls included. */
bool twin_is_training(const twin_t *self);

int64_t twin_population(const twin_t *self);

/* Everything up to and including until_ms, or up to the instant at which the policy
 * wants to be asked, or up to the end of the run. */
void twin_progress(twin_t *self, int64_t until_ms);

/* The step time of so many instances: linear between measured points, flat
 * above them, and below them their work shared by fewer. */
int64_t twin_step_time_ms(const twin_setting_t *setting, int64_t world_size);

/* How long the next step waits for its data before its work. */
int64_t twin_wait_ms(const twin_t *self);

/* Loaders of a decision of which pause_ms are paid, after which num_survived of the
 * instances in use before are left. Returns by how much its reload is longer. */
int64_t twin_begin_loading(
    twin_t *self, const spot_recovery_decision_t *decision, int64_t num_survived, int64_t pause_ms);

/* The data of a step is used up. */
void twin_use_data(twin_t *self);

void twin_carry_out(twin_t *self, const spot_recovery_decision_t *decision);

/* The run ends: what is neither durable nor lost is unsaved, or useful if it was all
 * that was wanted. */
void twin_end_job(twin_t *self);
