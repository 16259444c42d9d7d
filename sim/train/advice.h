/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What may be chosen for a training job, for `spotsim advise`. */
#pragma once

#include "sim/engine/advice.h"

/* Counts the instances of the trace of a job so far which are not ready at its end.
 * Without names, those that were lost in the meantime are taken for older ones.
 * BAD_INPUT, IO, NO_MEMORY with the reasons in diag. */
SPOT_MUST_CHECK int spot_train_count_preparing(
    const char *path, int64_t preparation_ms, int64_t *num_preparing, spot_diag_t *diag);

extern const spot_advice_t spot_train_advice;
