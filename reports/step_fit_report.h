/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `spotsim model fit` reports of a formula that was fitted to the table at path. */
#pragma once

#include <stdio.h>

#include "models/step_fit.h"

void spot_step_fit_report_text(const spot_step_fit_t *fit, const char *path, FILE *out);
void spot_step_fit_report_json(const spot_step_fit_t *fit, const char *path, FILE *out);
