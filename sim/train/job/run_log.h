/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The records of the event log of a training run, and their form as JSON lines. */
#pragma once

#include <stdio.h>

#include "sim/bench/engine/series.h"
#include "sim/train/job/train_state.h"

/* Kinds of records and their values. Records of one time are in this order. */
typedef enum {
    SPOT_LOG_DURABLE,  /* checkpoint: 0 its number in the run, 1 durable steps, 2 number
                          of checkpoints in the record: 1, but more for the first record
                          of an episode with over 10,000 of them. Without checkpoints: an
                          end of a stretch of training, 0 and 2 are 0 */
    SPOT_LOG_CHANGE,   /* of the trace, in its order: 0 instances, 1 clipped, 2 population,
                          3 spot_event_kind_t; text: names of the instances;
                          amount: the cost until then in USD */
    SPOT_LOG_NOTICE,   /* of preemptions: 0 instances, 1 the first deadline in ms; text:
                          names of the instances */
    SPOT_LOG_ROLLBACK, /* 0 steps lost, 1 durable steps, 2 job ms lost, 3 aborted */
    SPOT_LOG_FLEET,    /* 0 prepping, 1 standby, 2 active, 3 pipelines */
    SPOT_LOG_PHASE,    /* 0 share (SPOT_NUM_SHARES: waiting), 1 world size, 2 length in ms,
                          3 stalled part of it in ms */
    SPOT_LOG_END       /* 0 steps kept, 1 durable steps */
} spot_log_kind_t;

/* The name of a record in JSON; that of a change is its kind of event. */
const char *spot_log_record_name(const spot_log_record_t *record);

/* The functions below append records for the engine. The train must have a log; most
 * runs have none, hence no inlining. A failed append sets has_failed of the log. */
SPOT_NOINLINE void spot_run_log_change(spot_train_t *train, const spot_change_t *change);
SPOT_NOINLINE void spot_run_log_notice(spot_train_t *train);
SPOT_NOINLINE void spot_run_log_fleet(spot_train_t *train);
/* The waiting or the pauses of the episode that ends now. */
SPOT_NOINLINE void spot_run_log_pauses(spot_train_t *train);
/* All completed steps are durable from time_ms on. */
SPOT_NOINLINE void spot_run_log_saved(spot_train_t *train, int64_t time_ms);
/* The training of the episode that ends now, before it is counted. Work that is not
 * durable is unsaved until spot_run_log_settle(). */
SPOT_NOINLINE void spot_run_log_training(spot_train_t *train, const spot_progress_t *progress);
/* The same for a lossless recovery system. */
SPOT_NOINLINE void spot_run_log_lossless(spot_train_t *train, int64_t stalled_ms);
/* Splits the step under way, on which the episode spent begun_ms, from the completed
 * steps. */
SPOT_NOINLINE void spot_run_log_split(spot_train_t *train, int64_t begun_ms);
/* The category of all pending work, or the loss of the step under way alone. */
SPOT_NOINLINE void spot_run_log_settle(spot_train_t *train, spot_share_t share);
SPOT_NOINLINE void spot_run_log_lose_begun(spot_train_t *train);
SPOT_NOINLINE void spot_run_log_rollback(
    spot_train_t *train, int64_t steps_lost, int64_t lost_ms, int64_t num_aborted);
/* The end of the run; sorts the log. */
SPOT_NOINLINE void spot_run_log_end(spot_train_t *train);

/* Writes one JSON object a line, in order of time. */
void spot_run_log_write(const spot_event_log_t *log, FILE *out);
