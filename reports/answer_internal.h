/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of an answer, by what a study asks for. */
#ifndef SPOT_REPORTS_ANSWER_INTERNAL_H
#define SPOT_REPORTS_ANSWER_INTERNAL_H

#include <stdio.h>

#include "reports/answer.h"
#include "reports/study_words.h"
#include "reports/value_label.h"

typedef struct {
    const spot_report_t *report;
    const spot_study_head_t *head;
    size_t metric_id; /* that the sentence speaks of */
    const spot_metric_t *metric;
    char subject[SPOT_WORDS_BYTES]; /* "idle time" */
    bool is_plural;                 /* "samples per s" */
    FILE *out;                      /* the sentence without its full stop */
} spot_answer_t;

/* The word that goes with the subject: "grows" or "grow". */
static inline const char *
spot_answer_word(const spot_answer_t *self, const char *one, const char *many)
{
    return self->is_plural ? many : one;
}

/* By how much the metric of one point exceeds that of another. An unknown bound is
 * infinite, an unknown mean NAN. */
typedef struct {
    double mean, low, high;
} spot_gap_t;

/* Of x_id over y_id, known with SPOT_CONFIDENCE if so many gaps are looked at. */
SPOT_MUST_CHECK int spot_answer_gap(const spot_answer_t *self, size_t x_id, size_t y_id,
    size_t num_looks, spot_gap_t *gap);

/* 1 or -1 where it is surely above or below 0, else 0. */
int spot_gap_sign(const spot_gap_t *gap);

const spot_summary_t *spot_answer_at(const spot_answer_t *self, size_t point_id);

/* The words of a point's value, which tells a difference of resolution. */
void spot_answer_value(const spot_answer_t *self, size_t point_id, double resolution,
    char text[SPOT_WORDS_BYTES]);

/* The label of a value; of a number with many digits the first four, where these tell it
 * from the others. O(values) of the axis. */
void spot_answer_label(
    const spot_axis_t *axis, size_t value_id, char text[SPOT_VALUE_LABEL_BYTES]);

/* "pipeline depth 16", or the value alone where it is no number: "bamboo". */
void spot_answer_setting(const spot_study_head_t *head, size_t axis_id, size_t value_id,
    char text[SPOT_POINT_BYTES]);

/* "checkpoint every 90 s, pipeline depth 8": all keys with several values. */
void spot_answer_point(
    const spot_study_head_t *head, size_t point_id, char text[SPOT_POINT_BYTES]);

/* Each writes its sentence. Errors of reading, NO_MEMORY. */
SPOT_MUST_CHECK int spot_answer_of_race(spot_answer_t *self);
SPOT_MUST_CHECK int spot_answer_of_winners(spot_answer_t *self);
SPOT_MUST_CHECK int spot_answer_of_effects(spot_answer_t *self);

/* *is_written: there is a key with numbers to go along. */
SPOT_MUST_CHECK int spot_answer_of_curve(spot_answer_t *self, bool *is_written);

/* Says that the metric has no value anywhere. */
void spot_answer_nowhere(const spot_answer_t *self);

/* Says where the metric has no value: "; idle time is undefined in all replications with
 * pipeline depth 64". Nothing where it has none anywhere. NO_MEMORY. */
SPOT_MUST_CHECK int spot_answer_of_undefined(const spot_answer_t *self);

#endif
