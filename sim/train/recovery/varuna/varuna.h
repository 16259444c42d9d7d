/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the parts of the recovery system varuna: options, state, shapes of
 * pipelines, and the faults of the published simulator. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sim/train/recovery/by_instances.h"
#include "sim/train/recovery/pause_ends.h"
#include "sim/train/recovery/recovery.h"
#include "sim/train/recovery/varuna/queue.h"

/* The best pipelines of a number of usable instances. */
typedef struct {
    int32_t num_pipelines; /* D; 0: none is possible */
    int32_t num_active;    /* D P */
    int64_t step_ms;
    const spot_instance_row_t *row; /* NULL: not from a table by n */
    bool is_flat;
    bool is_fitted;
    bool lacks_step_time;
} spot_varuna_shape_t;

typedef struct {
    int64_t detection_ms;
    int64_t every_steps; /* 0: as the job has it */
    int64_t copy_ms;
    int64_t poll_ms;
    int64_t lead_ms;
    int64_t settle_ms;
    int64_t num_cut_points;  /* 0: the layers of the job's model or table */
    int64_t max_micro_batch; /* 0: that of the job's model */
    spot_by_instances_t by_n;
    struct { /* faults of the published simulator, all 0 for none */
        int has_steps_in_pause;
        int has_one_counter;
        int has_failing_checkpoints;
        int has_deep_failures; /* with failing checkpoints */
        int has_old_pauses;
        int has_stale_timers;
        int idle_losses_pause;
        int64_t first_restart_ms;
    } fault;
    bool has_fault;
    int64_t capacity;
    spot_varuna_shape_t *shapes;    /* [capacity + 1] by usable instances */
    spot_checkpoint_t *checkpoints; /* [rows of by_n], or one */
} spot_varuna_options_t;

typedef enum {
    SPOT_VARUNA_STOPPED, /* until an instance is lost or ready */
    SPOT_VARUNA_PAUSING, /* until a timer is due */
    SPOT_VARUNA_TRAINING
} spot_varuna_phase_t;

/* The state with faults. A time of 0: nothing is ahead. */
typedef struct {
    spot_varuna_phase_t phase;
    const spot_instance_row_t *row; /* of the latest pipelines; NULL: none so far */
    int64_t step_ms;                /* of their steps */
    int64_t step_end_ms;            /* in a pause too if steps go on */
    int64_t stall_end_ms;           /* of the latest checkpoint */
    int64_t durable_ms;             /* the same, if it is durable only then */
    int64_t num_steps;              /* executed */
    int64_t count;                  /* of steps, by which checkpoints are due */
    int64_t saved_count;            /* at the latest checkpoint */
    bool is_due;                    /* a checkpoint follows the next step */
    bool is_rest;                   /* the step under way is the rest of one at a loss */
    uint32_t recent;                /* bit j: the step that ended j steps ago counts; the ten
                                       latest */
    int32_t num_unsaved;            /* of them since the latest checkpoint, 0 ... 10 */
    int32_t num_doubtful;           /* durable steps that the next loss takes back */
    int32_t num_early;              /* entries made before their steps by a deep failure */
    int32_t num_owed;               /* steps to come that are lost */
    spot_queue_t queue;             /* with failing checkpoints */
    spot_pause_ends_t ends;
    spot_pause_end_t end_memory[]; /* as spot_pause_ends_bytes() says */
} spot_varuna_faults_t;

typedef struct {
    int64_t flush_end_ms; /* of the latest flush: steps ended before it are durable then */
    /* For an announced loss, 0 if none is ahead: when to stop and when to go on again;
     * in between, whether the job trains to the end of a step. */
    int64_t stop_ms;
    int64_t relaunch_ms;
    bool is_stopping;
    int64_t deadline_ms; /* the loss to stop for */
    int64_t poll_ms;     /* when additions are seen; 0: there are none */
    int64_t step_ms;     /* of the latest pipelines */
} spot_varuna_state_t;

/* The shape with the shortest step for num_instances usable instances. O(depths), times
 * the micro-batches tried with a limit of memory. */
spot_varuna_shape_t spot_varuna_best_shape(
    const spot_varuna_options_t *self, const spot_job_t *job, int64_t num_instances);

/* Decides on the best shape, with its pauses but detection and flush. */
void spot_varuna_decide_shape(const spot_varuna_options_t *self, const spot_recovery_view_t *view,
    spot_recovery_decision_t *decision);

/* The restart of a table without its checkpoint, which is paid when it is written. */
int64_t spot_varuna_restart_ms(const spot_varuna_options_t *self, const spot_instance_row_t *row);

/* Start and decide where a fault is set; the state is then the one with faults. */
void spot_varuna_start_faults(const spot_varuna_options_t *self, spot_varuna_faults_t *state,
    const spot_recovery_start_t *run);
void spot_varuna_decide_with_faults(const spot_varuna_options_t *self, spot_varuna_faults_t *state,
    const spot_recovery_view_t *view, const spot_recovery_change_t *change,
    spot_recovery_decision_t *decision);
