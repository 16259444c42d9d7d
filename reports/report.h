/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A store, and what tables and pictures need of it, read once: reading all rows is what
 * takes time. */
#pragma once

#include "sim/bench/analysis/difference.h"
#include "sim/bench/analysis/effects.h"
#include "sim/bench/analysis/findings.h"
#include "sim/bench/analysis/race.h"
#include "sim/bench/analysis/summary.h"

typedef struct spot_report_later spot_report_later_t; /* read when it is first needed */

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

/* What only some tables and pictures need: found once, of this report. Errors of
 * spot_study_effects_init(), spot_winners_init(), spot_race_answer_init(), which ask for
 * what the head must have. */
SPOT_MUST_CHECK int spot_report_effects(
    const spot_report_t *self, size_t metric_id, const spot_study_effects_t **effects);
SPOT_MUST_CHECK int spot_report_winners(const spot_report_t *self, const spot_winners_t **winners);
SPOT_MUST_CHECK int spot_report_race(const spot_report_t *self, const spot_race_answer_t **answer);

/* What another module finds once of a report, and the report keeps for it. */
typedef struct {
    bool is_found;
    int error;   /* of finding it */
    void *thing; /* freed with the report by free_thing, if not NULL */
    void (*free_thing)(void *thing);
} spot_report_kept_t;

/* The place of what spot_report_doubts() finds, see reports/doubts.h. */
spot_report_kept_t *spot_report_kept_doubts(const spot_report_t *self);

const spot_summary_t *spot_report_summary(
    const spot_report_t *self, size_t point_id, size_t metric_id);
