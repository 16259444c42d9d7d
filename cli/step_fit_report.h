/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of "spotsim model fit", as text and as JSON. */
#pragma once

#include <stdio.h>

#include "models/step_fit.h"

/* path: of the table. */
void spot_step_fit_text(const spot_step_fit_t *fit, const char *path, FILE *out);
void spot_step_fit_json(const spot_step_fit_t *fit, const char *path, FILE *out);
