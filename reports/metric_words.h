/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What reports call a metric, and how they say its values. */
#pragma once

#include <stdbool.h>

#include "reports/report.h"
#include "reports/shown_unit.h"

#define SPOT_WORDS_BYTES 96
#define SPOT_LABEL_BYTES 32

/* Its label with its unit, "cost (USD)"; a label that has the unit needs no more. */
void spot_metric_words(const spot_metric_t *metric, char text[SPOT_WORDS_BYTES]);

/* The same; true if it is a share, whose values are shown in percent. */
bool spot_fraction_words(const spot_metric_t *metric, char text[SPOT_WORDS_BYTES]);

/* Both with another unit, in which its values are shown: "time to finish (h)". */
void spot_metric_words_in(
    const spot_metric_t *metric, const char *unit, char text[SPOT_WORDS_BYTES]);
bool spot_fraction_words_in(
    const spot_metric_t *metric, const char *unit, char text[SPOT_WORDS_BYTES]);

/* What its values are shown times: 100 for a fraction, which is shown in percent. */
double spot_metric_factor(const spot_metric_t *metric);

/* The same factor with the unit for values up to largest, a magnitude, or for the
 * estimates of all points, with the largest magnitude of these: a duration may be shown
 * in hours. */
double spot_report_largest(const spot_report_t *report, size_t metric_id);
spot_shown_unit_t spot_metric_shown(const spot_metric_t *metric, double largest);
spot_shown_unit_t spot_report_shown(const spot_report_t *report, size_t metric_id);

/* The same for the second labels of x: not in percent, and in their own unit where the
 * study says what they are. */
spot_shown_unit_t spot_second_shown(const spot_report_t *report, size_t metric_id);

/* What these labels are called: what the study says, or "idle time (h)" in a unit. */
void spot_second_words(const spot_study_head_t *head, size_t metric_id, const char *unit,
    char text[SPOT_WORDS_BYTES]);

/* What its estimate is: "mean", "ratio of totals", "probability", "quantile". */
const char *spot_estimate_words(const spot_metric_t *metric);

/* What a sentence calls it, a singular without a unit: "idle time", "cost". */
void spot_metric_subject(const spot_metric_t *metric, char text[SPOT_WORDS_BYTES]);

/* A value of it as a sentence says it: "8.3 %" of a share, "1,212.5 USD". Two digits of
 * resolution, a difference that matters, can be seen, and one of the value; all that
 * makes sense where resolution is 0. "undefined" for what is not finite. These three
 * return text. */
const char *spot_metric_value_words(const spot_metric_t *metric, double value,
    double resolution, char text[SPOT_WORDS_BYTES]);

/* Two values of it that differ: "8 %" and "41 %", but "5" and "12 instances". */
void spot_metric_pair_words(const spot_metric_t *metric, double first, double second,
    char first_text[SPOT_WORDS_BYTES], char second_text[SPOT_WORDS_BYTES]);

/* "17.3 ±0.2 %"; without an interval where half_width is not above 0. */
const char *spot_metric_interval_words(const spot_metric_t *metric, double value,
    double half_width, char text[SPOT_WORDS_BYTES]);

/* The sizes of differences of it: "0.3 to 5.5 percentage points", "5 USD" where both
 * read the same. */
const char *spot_metric_change_words(
    const spot_metric_t *metric, double low, double high, char text[SPOT_WORDS_BYTES]);

/* Three digits are enough for a label; "" for an undefined value. Returns the number of
 * characters. */
int spot_short_number(double value, char text[SPOT_LABEL_BYTES]);

/* "41.2 %" for a fraction, else "12.3" without a unit; "undefined". */
void spot_value_words(
    const spot_shown_unit_t *shown, double value, char text[SPOT_LABEL_BYTES]);
