/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The manual page of studies, spotsim-study(5). */
#ifndef SPOT_CLI_MANUAL_STUDY_H
#define SPOT_CLI_MANUAL_STUDY_H

#include <stdio.h>

void spot_manual_study(FILE *out);

#endif
