/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a study would run, without running it. */
#ifndef SPOT_REPORTS_PLAN_REPORT_H
#define SPOT_REPORTS_PLAN_REPORT_H

#include <stdio.h>

#include "sim/store/head.h"

/* What it would take, from a few runs. */
typedef struct {
    int num_threads;
    int64_t num_measured; /* runs */
    double open_s;        /* to go to a point */
    double run_s;         /* of a run */
} spot_plan_cost_t;

/* The plan, its keys, runs, size and time, and the first points, as text. The line of
 * the time, and no other, starts with "time:". */
void spot_plan_report_text(
    const spot_study_head_t *head, const spot_plan_cost_t *cost, FILE *out);

/* The same as JSON, with all points. */
void spot_plan_report_json(
    const spot_study_head_t *head, const spot_plan_cost_t *cost, FILE *out);

#endif
