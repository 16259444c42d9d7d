/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A question about money and time becomes a study, its race an answer.
 *
 * The engine says what may be chosen (sim/bench/engine/advice.h). A race with common
 * events and simultaneous confidence finds the least mean cost among the alternatives
 * that keep the goal and the budget. In order of cost they get runs with another seed,
 * until an interval shows that one keeps both, which is the answer, with the figures of
 * these runs. Without one the verdict is no where all are shown not to keep them, else it
 * is open. Larger fleets are looked at where no alternative will do. Then factors of what
 * may be otherwise are searched at which the answer changes. */
#pragma once

#include "sim/bench/advise/trial.h"

/* The work of all runs of an answer by which they are limited, see run_work: some minutes of a
 * processor. By the work, as the clock would make answers differ. */
#define SPOT_ADVICE_WORK 2e8

/* Answers the question. Warnings in diag, and remarks, are notes of the result, too. store: the
 * rows of the search, whose study must outlive it; close it, then free study. BAD_INPUT with the
 * reasons in diag, INTERRUPTED, NO_MEMORY, IO; free result, and study and *store (NULL: none), even
 * then. */
SPOT_MUST_CHECK int spot_advise(const spot_advise_request_t *request, spot_advice_result_t *result,
    spot_study_t *study, spot_store_t **store, spot_diag_t *diag);

/* "job.yaml" with another ending, for what is written beside it. */
const char *spot_advice_beside(spot_texts_t *texts, const char *path, const char *ending);
#define SPOT_ADVICE_STUDY_ENDING ".advice-study.yaml"
