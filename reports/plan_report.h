/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a study would run, without running it. */
#pragma once

#include <stdio.h>

#include "reports/table/terminal.h"
#include "sim/store/head.h"

/* The values of the smallest and the largest number; false if one is no number. */
bool spot_axis_ends(const spot_axis_t *axis, size_t *lowest, size_t *highest);

/* What it would take. Runs that are left are from a least to a most where the rows
 * decide, else both are the same; so are the points that they are of. */
typedef struct {
    int num_threads;
    int64_t num_measured;   /* runs, of which these are: */
    double open_s;          /* processor time to go to a point */
    double run_s;           /* and of a run */
    const char *store_path; /* of the runs that are there, or NULL */
    const char *shard;      /* "I/N" whose runs are left; "": of all */
    int64_t num_there;      /* runs */
    int64_t least_runs, most_runs;
    size_t least_points, most_points;
} spot_plan_cost_t;

/* The plan, its keys, runs, size and time, and the first points, as text. With a store
 * also what is there and left: the time is for the latter. The line of the time, and no
 * other, starts with "time:". NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_plan_report_text(const spot_study_head_t *head,
    const spot_plan_cost_t *cost, const spot_terminal_t *terminal, FILE *out);

/* The same as JSON, with all points. */
void spot_plan_report_json(
    const spot_study_head_t *head, const spot_plan_cost_t *cost, FILE *out);
