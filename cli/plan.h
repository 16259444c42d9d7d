/* SPDX-License-Identifier: GPL-3.0-or-later */
/* spotsim study --plan: what would run. */
#pragma once

#include "base/diag.h"
#include "sim/study/study.h"

/* Where what is there of the study is, and which part of it is to run. */
typedef struct {
    const spot_store_t *store; /* NULL: nothing is there */
    const char *store_path;
    const char *shard; /* "I/N", or "": all */
    spot_study_run_t run;
    bool is_json;
} spot_plan_request_t;

/* Prints the plan with what is left to run and an estimate of the time, for which some
 * runs are made and thrown away. IO, NO_MEMORY, INTERRUPTED, an error of reading the
 * store, or the first error of a run. */
SPOT_MUST_CHECK int spot_plan_show(
    const spot_study_t *study, const spot_plan_request_t *request, spot_diag_t *diag);
