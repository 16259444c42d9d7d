/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which alternative the answer is, and what changes it. */
#pragma once

#include "sim/bench/advise/trial.h"

/* Finds the answer and its verdict, its rivals and, without a yes, larger fleets. */
SPOT_MUST_CHECK int spot_advising_choose(
    spot_advising_t *self, const spot_study_t *study, const spot_store_t *store);

/* Searches the factors at which the answer changes. */
SPOT_MUST_CHECK int spot_advising_doubt(spot_advising_t *self);
