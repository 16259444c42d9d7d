/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of an answer, by what a study asks for. */
#pragma once

#include <stdio.h>

#include "reports/words.h"
#include "sim/bench/analysis/findings.h"

typedef struct {
    const spot_report_t *report;
    const spot_study_head_t *head;
    spot_findings_t findings; /* of the metric that the answer is about */
    const spot_metric_t *metric;
    const char *noun; /* of the metric: "idle time" */
    FILE *out;        /* sentences without capital and full stop, a line each */
    spot_texts_t *texts;
} spot_answer_t;

/* "highest" or "lowest". */
const char *spot_answer_best(bool is_maximised);

/* The value of a point with its interval. */
const char *spot_answer_value(const spot_answer_t *self, size_t point_id);

/* The label of a value; of a number with many digits the first four, where these tell it
 * from the others. O(values) of the axis. */
const char *spot_answer_label(const spot_answer_t *self, const spot_axis_t *axis, size_t value_id);

/* "pipeline depth 16", or the value alone where it is no number: "bamboo". */
const char *spot_answer_setting(const spot_answer_t *self, size_t axis_id, size_t value_id);

/* "checkpoint interval 90 s, pipeline depth 8": all keys with several values. */
const char *spot_answer_point(const spot_answer_t *self, size_t point_id);

/* Each writes its sentences. Errors of reading, NO_MEMORY. */
SPOT_MUST_CHECK int spot_answer_of_race(const spot_answer_t *self);
SPOT_MUST_CHECK int spot_answer_of_winners(const spot_answer_t *self);
SPOT_MUST_CHECK int spot_answer_of_effects(const spot_answer_t *self);

/* *is_written: there is a key with numbers to go along. */
SPOT_MUST_CHECK int spot_answer_of_curve(const spot_answer_t *self, bool *is_written);

/* That the metric has no value anywhere. */
void spot_answer_nowhere(const spot_answer_t *self);

/* Where the metric has no value; nothing where it has none anywhere. NO_MEMORY. */
SPOT_MUST_CHECK int spot_answer_of_undefined(const spot_answer_t *self);
