/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The colours of a training job's categories and marks. */
#pragma once

#include "sim/bench/engine/metric.h"

/* Based on Okabe and Ito, "Color Universal Design" (2008), safe for colour blindness. */
extern const spot_colour_t spot_train_colours[];
