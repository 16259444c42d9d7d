/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of an answer, by what a study asks for. */
#pragma once

#include <stdio.h>

#include "reports/answer.h"
#include "reports/study_words.h"
#include "reports/value_label.h"
#include "sim/analysis/findings.h"

typedef struct {
    const spot_report_t *report;
    const spot_study_head_t *head;
    spot_findings_t findings; /* of the metric that the answer is about */
    const spot_metric_t *metric;
    const char *noun; /* of the metric: "idle time" */
    FILE *out;        /* sentences without capital and full stop, a line each */
} spot_answer_t;

/* Room for the text of a call below, up to the end of the block. */
#define SPOT_ROOM ((char[SPOT_POINT_BYTES]){""})
_Static_assert(SPOT_VALUE_LABEL_BYTES <= SPOT_POINT_BYTES, "a label has room");

/* "highest" or "lowest". */
const char *spot_answer_best(bool is_maximised);

/* These write text, of SPOT_POINT_BYTES, and return it.
 * The value of a point with its interval. */
const char *spot_answer_value(const spot_answer_t *self, size_t point_id, char *text);

/* The label of a value; of a number with many digits the first four, where these tell it
 * from the others. O(values) of the axis. */
const char *spot_answer_label(const spot_axis_t *axis, size_t value_id, char *text);

/* "pipeline depth 16", or the value alone where it is no number: "bamboo". */
const char *spot_answer_setting(
    const spot_study_head_t *head, size_t axis_id, size_t value_id, char *text);

/* "checkpoint interval 90 s, pipeline depth 8": all keys with several values. */
const char *spot_answer_point(
    const spot_study_head_t *head, size_t point_id, char *text);

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
