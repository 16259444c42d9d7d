/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Paired differences of the points of a study to their baseline in one metric, and what
 * they are called. Internal to reports. */
#ifndef SPOT_REPORTS_DIFFERENCE_ROWS_H
#define SPOT_REPORTS_DIFFERENCE_ROWS_H

#include <stdbool.h>

#include "reports/report.h"
#include "reports/study_words.h"

typedef struct {
    const spot_report_t *report;
    const spot_study_head_t *head;
    size_t metric_id;
    spot_shown_unit_t shown; /* factor 100 for percentage points */
} spot_metric_differences_t;

/* Of one point, times the factor. */
typedef struct {
    double mean; /* NAN: nothing to be compared with */
    double low;  /* of its interval at SPOT_CONFIDENCE; both are mean where unknown */
    double high;
    bool is_sure; /* 0 lies outside of the interval */
    int64_t num_pairs;
} spot_difference_t;

spot_metric_differences_t spot_metric_differences_of(const spot_report_t *report);
spot_difference_t spot_difference_at(
    const spot_metric_differences_t *self, size_t point_id);

/* "pipeline depth 16", "checkpoint": a value of the key of the baseline. */
void spot_compared_words(
    const spot_study_head_t *head, size_t value_id, char text[SPOT_NOTE_BYTES]);

/* "less idle than pipeline depth 16", "higher samples per USD than checkpoint": what a
 * difference below or above 0 means. */
void spot_difference_words(
    const spot_metric_differences_t *self, bool is_above, char text[SPOT_NOTE_BYTES]);

/* "difference (percentage points)", "difference in cost (USD)". */
void spot_difference_axis_words(
    const spot_metric_differences_t *self, char text[SPOT_NOTE_BYTES]);

#endif
