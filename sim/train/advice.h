/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What may be chosen for a training job, for `spotsim advise`. */
#pragma once

#include "sim/bench/engine/advice.h"

/* What may be otherwise, up to one without noun. */
extern const spot_advice_doubt_t spot_train_doubts[];

extern const spot_advice_t spot_train_advice;
