/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of the recovery system varuna share: its options, its state, the shapes
 * of its pipelines, and the faults of the published simulator. */
#ifndef SPOT_SIM_RECOVERY_VARUNA_H
#define SPOT_SIM_RECOVERY_VARUNA_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/recovery/by_instances.h"
#include "sim/recovery/recovery.h"

/* What is best with so many usable instances. */
typedef struct {
    int32_t num_pipelines; /* D; 0: nothing is possible */
    int32_t num_active;    /* D P */
    int64_t step_ms;
    const spot_instance_row_t *row; /* NULL: it is of no table by n */
    bool is_flat;
    bool is_fitted;
    bool lacks_step_time;
} spot_varuna_shape_t;

typedef struct {
    int64_t detection_ms;
    int64_t every_steps;
    int64_t copy_ms;
    int64_t poll_ms;
    int64_t lead_ms;
    int64_t settle_ms;
    int64_t num_cut_points;  /* 0: the layers of the job's model or table */
    int64_t max_micro_batch; /* 0: that of the job's model */
    spot_by_instances_t by_n;
    struct { /* faults of the published simulator; all 0: none */
        int has_steps_in_pause;
        int has_one_counter;
        int has_late_checkpoints;
        int has_failing_checkpoints; /* with late ones */
        int has_deep_failures;       /* with late checkpoints */
        int has_old_pauses;
    } fault;
    int64_t capacity;
    spot_varuna_shape_t *shapes;    /* [capacity + 1] by usable instances */
    spot_checkpoint_t *checkpoints; /* [rows of by_n], or one */
} spot_varuna_options_t;

typedef struct {
    int64_t flush_end_ms; /* of the latest flush: what ended is durable from then on */
    /* An announced loss, each 0 unless it is to come: when to stop for it, and when to
     * go on again; in between, whether the job trains to the end of a step. */
    int64_t stop_ms;
    int64_t relaunch_ms;
    bool is_stopping;
    int64_t deadline_ms; /* the loss that it stops for */
    int64_t poll_ms;     /* when additions are to be seen; 0: there are none */
    int64_t step_ms;     /* of the latest pipelines */
    /* The rest only with faults. Times are 0 where nothing is to come. */
    const spot_varuna_shape_t *shape; /* under which it trains; NULL: not at all */
    int64_t horizon_ms;
    int64_t num_steps;     /* by which checkpoints are due */
    int64_t durable_steps; /* of them */
    int64_t step_end_ms;
    int64_t pause_end_ms; /* of a pause in which steps go on */
    int64_t durable_ms;   /* when the latest checkpoint becomes durable */
    bool is_due;          /* at the next step end there is a checkpoint */
    bool is_rest;         /* the step under way is what was left of one at a loss */
    bool has_failed;      /* the latest checkpoint in flight at the end of a pause */
    /* With deep failures: */
    uint32_t recent; /* bit j: the step that ended j steps ago counts; the ten latest */
    int32_t num_recent; /* of them since the latest checkpoint, 0 ... 10 */
    int32_t num_owed;   /* durable steps that were taken back: so many of the next */
    int32_t num_paid;   /* and how many were lost for it since that checkpoint */
} spot_varuna_state_t;

/* The shape with the shortest step for so many usable instances. O(depths), with a limit
 * of memory times the micro-batches that are tried. */
spot_varuna_shape_t spot_varuna_best_shape(
    const spot_varuna_options_t *self, const spot_job_t *job, int64_t num_instances);

/* Forms the best shape anew; its pauses without detection and flush. */
void spot_varuna_plan_shape(const spot_varuna_options_t *self,
    const spot_recovery_view_t *view, spot_recovery_plan_t *plan);

/* A restart of a table holds a checkpoint, which is paid where it is written. */
int64_t spot_varuna_restart_ms(
    const spot_varuna_options_t *self, const spot_instance_row_t *row);

/* Whether any fault of the published simulator is asked for, which is then what decides.
 */
bool spot_varuna_has_fault(const spot_varuna_options_t *self);
void spot_varuna_decide_with_faults(const spot_varuna_options_t *self,
    spot_varuna_state_t *state, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_plan_t *plan);

#endif
