/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far a study is, in words and as JSON. */
#pragma once

#include <stdio.h>

#include "sim/bench/study/study.h"

typedef struct {
    double passed_s;
    double runs_per_s;
    double left_s; /* for what is known to be wanted; NAN: not known yet */
} spot_study_speed_t;

/* A line without its end: points and runs that are done, the speed, and how wide the
 * widest interval still is. */
void spot_study_progress_text(const spot_study_progress_t *progress,
    const spot_study_speed_t *speed, bool is_utf8, FILE *line);

/* {event: progress, ...} on a line. */
void spot_study_progress_json(
    const spot_study_progress_t *progress, const spot_study_speed_t *speed, FILE *out);
