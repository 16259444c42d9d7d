/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A store, and what tables and pictures need of it, read once: reading all rows is what
 * takes time. */
#pragma once

#include "sim/analysis/difference.h"
#include "sim/analysis/study_effects.h"
#include "sim/analysis/summary.h"
#include "sim/analysis/winners.h"

/* What only some tables and pictures need, read when the first of them asks. */
typedef struct {
    spot_study_effects_t **effects; /* [num_metrics], NULL: not read */
    spot_winners_t *winners;        /* the same */
} spot_report_later_t;

typedef struct {
    const spot_store_t *store;
    const spot_study_head_t *head;
    spot_summary_t *summaries; /* [num_points][num_metrics] */
    spot_paired_t *pairs;      /* [num_points][num_metrics] to the baseline, or NULL: not
                                  read, or the study has none */
    spot_report_later_t *later;
    int64_t min_rows, max_rows; /* replications there, over the points; fixed ones that
                                   are there are left out */
    int64_t num_rows;           /* of all points */
} spot_report_t;

/* The store must outlive self. Errors of reading it, NO_MEMORY; free self even then.
 * O(rows log rows). */
SPOT_MUST_CHECK int spot_report_init(spot_report_t *self, const spot_store_t *store);

/* Reads the pairs too, where the study has a baseline. O(rows). */
SPOT_MUST_CHECK int spot_report_read_pairs(spot_report_t *self);
void spot_report_free(spot_report_t *self);

/* Main effects on a metric, as spot_study_effects_init() finds them; those of the
 * report, read once. *effects is NULL after an error. */
SPOT_MUST_CHECK int spot_report_effects(
    const spot_report_t *self, size_t metric_id, const spot_study_effects_t **effects);

/* The same as spot_winners_init() finds them. */
SPOT_MUST_CHECK int spot_report_winners(
    const spot_report_t *self, const spot_winners_t **winners);

const spot_summary_t *spot_report_summary(
    const spot_report_t *self, size_t point_id, size_t metric_id);
