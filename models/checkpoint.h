/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checkpoints of a training job, and the progress of equal steps with them.
 *
 * A training period has steps of one length. Its checkpoints repeat with a fixed cycle,
 * so that steps, durable steps and stalls after any time follow in closed form, in O(1):
 * spot_cycle_init(), then spot_cycle_wait() and spot_cycle_resume() where they apply, then
 * spot_cycle_progress() for any time. A checkpoint has two phases as in CheckFreq (Mohan,
 * Phanishayee, Chidambaram, FAST'21): a snapshot, which stalls the job, and a write in
 * the background. What a checkpoint is worth is in models/checkpoint_theory.h. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bind.h"

/* The largest number of steps in "every"; no run has as many. */
#define SPOT_MAX_STEPS INT64_C(1000000000000)

typedef enum {
    SPOT_CHECKPOINT_ASYNC, /* training goes on while the checkpoint is written */
    SPOT_CHECKPOINT_SYNC   /* the job is stalled for the write time */
} spot_checkpoint_mode_t;

typedef enum {
    SPOT_EVERY_BACK_TO_BACK, /* at every step end with no write in flight */
    SPOT_EVERY_STEPS,        /* at each k-th step end of a training period */
    SPOT_EVERY_DURATION,     /* the same with k = ceil(duration / step time) */
    SPOT_EVERY_AUTO          /* the same with k = ceil((full - stall) / step time) */
} spot_checkpoint_every_t;

typedef enum {
    SPOT_BUSY_SKIP, /* with a write in flight: no checkpoint this time */
    SPOT_BUSY_WAIT, /* snapshot now, stall until the write in flight has ended too */
    SPOT_BUSY_JOIN  /* wait for the write in flight, then snapshot */
} spot_checkpoint_busy_t;

typedef struct {
    int mode;                           /* spot_checkpoint_mode_t */
    spot_checkpoint_every_t every_kind; /* selects every_steps or every_ms */
    int64_t every_steps;                /* >= 1 */
    int64_t every_ms;                   /* > 0 */
    int64_t write_ms;                   /* >= 0, until durable */
    int64_t snapshot_ms;                /* >= 0, stall; async only */
    int busy;                           /* spot_checkpoint_busy_t; async only */
} spot_checkpoint_t;

extern const spot_field_t spot_checkpoint_fields[];

/* The same keys without defaults: what is not given stays as it is. */
extern const spot_field_t spot_checkpoint_changes[];

/* Duration of one complete checkpoint while the job does nothing else, at least 1 ms. */
static inline int64_t spot_checkpoint_full_ms(const spot_checkpoint_t *self)
{
    const int64_t snapshot_ms = self->mode == SPOT_CHECKPOINT_SYNC ? 0 : self->snapshot_ms;

    return snapshot_ms + self->write_ms > 0 ? snapshot_ms + self->write_ms : 1;
}

/* How long steps wait for data before they start: the first steps[0] steps of a period
 * wait_ms[0] each, the next steps[1] wait_ms[1], all later ones wait_ms[2]. */
typedef struct {
    int64_t steps[2];
    int64_t wait_ms[3];
} spot_waits_t;

/* The repeating pattern of one training period. The first checkpoint captures
 * first_steps; its write starts at first_steps * step_ms + snapshot_ms. From then on
 * each cycle of cycle_ms has cycle_steps steps, then a stall for the rest; at its end
 * the next write starts. */
typedef struct {
    int64_t step_ms;
    int64_t first_steps;
    int64_t cycle_steps;
    int64_t cycle_ms;
    int64_t snapshot_ms; /* stall of the first checkpoint */
    int64_t write_ms;    /* <= cycle_ms */
    /* Set by spot_cycle_wait(): there is a pattern for each stretch of equal waits. */
    bool has_waits;
    int busy;            /* spot_checkpoint_busy_t */
    int64_t every_steps; /* steps between two times at which a checkpoint is due */
    spot_waits_t waits;
} spot_cycle_t;

void spot_cycle_init(spot_cycle_t *self, const spot_checkpoint_t *checkpoint, int64_t step_ms);

/* Lets steps wait for data. A wait is a stall: it is no part of the step's work, and
 * when a checkpoint is due does not depend on it. Comes before spot_cycle_resume(). */
void spot_cycle_wait(
    spot_cycle_t *self, const spot_checkpoint_t *checkpoint, const spot_waits_t *waits);

/* Counts the first checkpoint of the period from the latest checkpoint: since then
 * since_steps steps have ended and the job has trained for since_ms. The caller
 * subtracts the part of the first step that is already done, in the time of the new
 * steps, so that since_ms may be below 0. */
void spot_cycle_resume(
    spot_cycle_t *self, const spot_checkpoint_t *checkpoint, int64_t since_steps, int64_t since_ms);

/* Totals after elapsed_ms of a training period, including that instant. */
typedef struct {
    int64_t steps;         /* that have ended */
    int64_t durable_steps; /* captured by a durable checkpoint */
    int64_t stalled_ms;    /* for checkpoints and data */
    int64_t input_ms;      /* of that for data */
    int64_t started;       /* checkpoints whose step has ended */
    int64_t durable;       /* checkpoints written; the other started ones are in flight */
    int64_t is_stalled;    /* 1: the instant is within a stall */
} spot_progress_t;

spot_progress_t spot_cycle_progress(const spot_cycle_t *self, int64_t elapsed_ms);

/* When durable checkpoint number checkpoint_id (from 0) of the period is written, and in
 * *steps the steps it captures. */
int64_t spot_cycle_durable_ms(const spot_cycle_t *self, int64_t checkpoint_id, int64_t *steps);

/* End of step number step (from 1) of the period; INT64_MAX if later than any run. */
int64_t spot_cycle_step_end_ms(const spot_cycle_t *self, int64_t step);
