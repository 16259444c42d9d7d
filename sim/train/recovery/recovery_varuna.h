/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recovery system varuna, for a plug-in that takes its place in the list of systems
 * with more options (share/published/recovery_varuna.c): the options of such a plug-in
 * start with a spot_varuna_options_t, its table of options with SPOT_VARUNA_FIELDS, its
 * table with SPOT_VARUNA_TABLE, and it calls settle, uses and decide of
 * spot_recovery_varuna for what it leaves as it is. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/train/recovery/by_instances.h"
#include "sim/train/recovery/recovery.h"

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
    int64_t capacity;
    spot_varuna_shape_t *shapes;    /* [capacity + 1] by usable instances */
    spot_checkpoint_t *checkpoints; /* [rows of by_n], or one */
} spot_varuna_options_t;

/* Its own options, rows of a table of options. */
#define SPOT_VARUNA_FIELDS                                                                         \
    {SPOT_RANGE(DURATION, "detection", spot_varuna_options_t, detection_ms, 0, HUGE_VAL, "",       \
        "detection time",                                                                          \
        "time to detect a loss; lengthens the pause after one; job.detection if not "              \
        "given; published: 60 s, in which transient errors may pass")},                            \
        {SPOT_RANGE(INTEGER, "every", spot_varuna_options_t, every_steps, 1,                       \
            (double) SPOT_MAX_STEPS, "", "checkpoint interval",                                    \
            "steps between two checkpoints, each of which stalls the job for the write time "      \
            "of the checkpoint; takes the place of its other keys, which hold if it is not "       \
            "given; published: 10")},                                                              \
        {SPOT_RANGE(DURATION, "copy", spot_varuna_options_t, copy_ms, 0, HUGE_VAL, "0 s",          \
            "copy time of a checkpoint",                                                           \
            "time to copy a written checkpoint in the background; it is durable only then")},      \
        {SPOT_RANGE(DURATION, "poll", spot_varuna_options_t, poll_ms, 0, HUGE_VAL, "0 s",          \
            "polling interval",                                                                    \
            "additions are seen at whole multiples of this time only; 0 s: at once")},             \
        {SPOT_RANGE(DURATION, "lead", spot_varuna_options_t, lead_ms, 0, HUGE_VAL, "30 s",         \
             "lead before a loss",                                                                 \
             "so long before an announced loss the job writes a checkpoint at the end of its "     \
             "step and pauses, if there is time for both; sooner where a step and the "            \
             "checkpoint take longer. 30 s as published: what a step and the checkpoint "          \
             "leave of it is not trained, for each announced loss; 0 s: all but a step is"),       \
            SPOT_DECIDES},                                                                         \
        {SPOT_RANGE(DURATION, "settle", spot_varuna_options_t, settle_ms, 0, HUGE_VAL, "120 s",    \
             "settling time",                                                                      \
             "how long it pauses behind that checkpoint, and at least until the loss, before "     \
             "it starts anew. 120 s as published: what is left of it at the loss, 90 s or "        \
             "so, is idle for each announced loss; 0 s: it starts anew at the loss"),              \
            SPOT_DECIDES},                                                                         \
        {SPOT_RANGE(INTEGER, "cut_points", spot_varuna_options_t, num_cut_points, 2, 100000, "",   \
            "cut points",                                                                          \
            "points at which the model can be cut into stages: depths are their divisors, "        \
            "but for the number itself; the layers of job.step_time if not given")},               \
        {SPOT_RANGE(INTEGER, "max_micro_batch", spot_varuna_options_t, max_micro_batch, 1, 1e12,   \
            "", "largest micro-batch",                                                             \
            "samples of the largest micro-batch that is tried with job.step_time.pipeline, "       \
            "in multiples of its micro_batch; only that if not given")},                           \
        SPOT_BY_INSTANCES_FIELDS(offsetof(spot_varuna_options_t, by_n))

/* What such a table has as the system has it. */
#define SPOT_VARUNA_TABLE                                                                          \
    .name = "varuna",                                                                              \
    .doc = "checkpoints that stall, and pipelines of another depth after each change: "            \
           "of those that divide the model the fastest",                                           \
    .source = "Athlur et al., Varuna, EuroSys'22; microsoft/varuna",                               \
    .published = "Varuna (EuroSys'22), for any model: 60 s to detect a loss, "                     \
                 "checkpoints that stall every 10 steps",                                          \
    .release = spot_varuna_release,                                                                \
    .traits = {.has_own_step_time = true, .chooses_depth = true, .sees_all_losses = true}

/* Decides on the best shape, with its pauses but detection and flush. */
void spot_varuna_decide_shape(const spot_varuna_options_t *self, const spot_recovery_view_t *view,
    spot_recovery_decision_t *decision);

/* The restart of a table without its checkpoint, which is paid when it is written. */
int64_t spot_varuna_restart_ms(const spot_varuna_options_t *self, const spot_instance_row_t *row);

/* Frees what the options hold. */
void spot_varuna_release(void *options);
