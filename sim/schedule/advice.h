/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What may be chosen for a cluster of many jobs, for `spotsim advise`. */
#pragma once

#include "sim/engine/advice.h"

extern const spot_advice_t spot_schedule_advice;
