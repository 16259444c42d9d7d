/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What may be chosen for a training job, for `spotsim advise`. */
#pragma once

#include "sim/bench/engine/advice.h"

/* What the trace of a job so far says. */
typedef struct {
    int64_t initial;       /* instances at its start */
    int64_t most;          /* at a time */
    int64_t num_preparing; /* not ready at its end. Without names, those that were lost
                              in the meantime are taken for older ones. */
} spot_train_now_t;

/* Reads it. BAD_INPUT, IO, NO_MEMORY with the reasons in diag. */
SPOT_MUST_CHECK int spot_train_read_now(
    spot_train_now_t *self, const char *path, int64_t preparation_ms, spot_diag_t *diag);

/* Puts a question into the scenario, as pose() of spot_advice_t. Of a job that runs it
 * sets so_far to the time that has passed and what that has cost. */
SPOT_MUST_CHECK int spot_train_pose(
    const spot_advice_question_t *question, spot_yaml_t *scenario, spot_diag_t *diag);

/* What may be otherwise, up to one without noun. */
extern const spot_advice_doubt_t spot_train_doubts[];

extern const spot_advice_t spot_train_advice;
