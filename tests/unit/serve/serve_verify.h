/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sim/serve/serve.h"

/* Aborts if an invariant of a run does not hold, between two events. O(queries +
 * slots). */
void serve_verify(const spot_serve_t *self);
