/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Notes about a fit. Internal to the room. */
#pragma once

#include "traces/fit/fit_law.h"

/* Sets the flags (spot_fit_flag_t) and appends the formatted words to the note. */
SPOT_PRINTF(3, 4)
void spot_fit_note(spot_fit_t *fit, unsigned flags, const char *format, ...);
