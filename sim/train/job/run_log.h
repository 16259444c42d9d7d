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

/* Writes one JSON object a line, in order of time. */
void spot_run_log_write(const spot_event_log_t *log, FILE *out);
