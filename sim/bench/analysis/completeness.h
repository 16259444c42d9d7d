/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of a study's replications that its store has. */
#pragma once

#include "sim/bench/analysis/summary.h"

typedef struct {
    int64_t num_rows;        /* replications in the store */
    int64_t num_asked;       /* replications that the study asks for, at most */
    size_t num_points;       /* of the study */
    int64_t fewest, most;    /* replications of a point, without complete fixed points */
    size_t num_unfinished;   /* points without all replications and, with until, without
                                the precision; with optimise: points that still race */
    size_t num_imprecise;    /* with until: complete points without the precision */
    size_t num_constant;     /* with until: points whose values are all the same */
    int64_t fewest_constant; /* the fewest values of such a point */
} spot_completeness_t;

/* summaries: [num_points][num_metrics] of the store; may be NULL without until. */
spot_completeness_t spot_store_completeness(
    const spot_store_t *store, const spot_summary_t *summaries);

/* The same; reads rows only if until needs them. NO_MEMORY, errors of reading. */
SPOT_MUST_CHECK int spot_store_find_completeness(
    const spot_store_t *store, spot_completeness_t *completeness);

/* The same of a store on disk. BAD_INPUT, IO, NO_MEMORY with the reason in diag. */
SPOT_MUST_CHECK int spot_completeness_read(
    const char *path, spot_completeness_t *completeness, spot_diag_t *diag);
