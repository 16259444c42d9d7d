/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine at work on single points of a study, for one thread. */
#pragma once

#include <stdatomic.h>

#include "sim/bench/study/study_state.h"

/* The engine at work on a point, for one thread. Zero it to start. */
typedef struct {
    const spot_study_t *study;
    size_t point_id;
    void *scenario;
    bool is_changed;          /* the scenario is not quite that of the point */
    struct spot_tapes *tapes; /* of the points that it goes to, which have the same
                                 trace; NULL: none */
    void *worker;             /* of the experiment; NULL: no point yet */
    double *metrics;          /* of the latest replication, those of the layout of the point */
    unsigned char warnings[SPOT_MAX_WARNINGS]; /* the same */
} spot_study_worker_t;

/* Goes to a point of the study, unless it is there. NO_MEMORY, or BAD_INPUT with the
 * reason in diag, which may be NULL: a file is gone or changed. */
SPOT_MUST_CHECK int spot_study_worker_go(
    spot_study_worker_t *self, const spot_study_t *study, size_t point_id, spot_diag_t *diag);
void spot_study_worker_close(spot_study_worker_t *self);

/* The same with another value of a key that the point has. BAD_INPUT: the engine does
 * not take it, or yields other metrics then; why is not said. */
SPOT_MUST_CHECK int spot_study_worker_change(spot_study_worker_t *self, const spot_study_t *study,
    size_t point_id, const char *path, const char *text);

/* Runs a replication at the point. recording: of its series, initialised; may be NULL.
 * Errors of the experiment. */
SPOT_MUST_CHECK int spot_study_worker_run(spot_study_worker_t *self, int64_t replication,
    const atomic_int *stop, spot_recording_t *recording);

/* The same into a row of the head's metrics: [num_metrics], NAN for what is not kept;
 * *warnings as in spot_row_t. */
SPOT_MUST_CHECK int spot_study_worker_row(spot_study_worker_t *self, int64_t replication,
    const atomic_int *stop, double *row, uint32_t *warnings);

/* The same for its series. recording needs no init; free it even after an error:
 * NO_MEMORY, or an error of the experiment. */
SPOT_MUST_CHECK int spot_study_worker_record(spot_study_worker_t *self, int64_t replication,
    const atomic_int *stop, spot_recording_t *recording);
