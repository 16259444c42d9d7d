/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What reports call things, as texts that live as long as their owner: see
 * base/texts.h. Metrics, keys and points bring their words; nothing is guessed from a
 * name. */
#pragma once

#include "base/texts.h"
#include "reports/metric_words.h"
#include "reports/report.h"

/* ---- Metrics ---- */

/* "cost (USD)"; with a unit in which its values are shown, "time to finish (h)". unit
 * NULL: its own. */
const char *spot_words_metric(
    spot_texts_t *texts, const spot_metric_t *metric, const char *unit);

/* In a sentence, without a unit: "idle time". */
const char *spot_words_subject(spot_texts_t *texts, const spot_metric_t *metric);

/* "8.3 %", "1,212.5 USD"; see spot_metric_value_words() for resolution. */
const char *spot_words_value(
    spot_texts_t *texts, const spot_metric_t *metric, double value, double resolution);

/* The same as it stands before another one: without a unit that both have, "5" of "5 to
 * 12 instances". */
const char *spot_words_value_before(
    spot_texts_t *texts, const spot_metric_t *metric, double value, double next);

/* "17.3 ±0.2 %". */
const char *spot_words_interval(
    spot_texts_t *texts, const spot_metric_t *metric, double value, double half_width);

/* "0.3 to 5.5 percentage points". */
const char *spot_words_change(
    spot_texts_t *texts, const spot_metric_t *metric, double low, double high);

/* Three digits; "" for an undefined value. */
const char *spot_words_number(spot_texts_t *texts, double value);

/* "41.2 %" of a fraction, else "12.3" without the unit; "undefined". */
const char *spot_words_shown_value(
    spot_texts_t *texts, const spot_shown_unit_t *shown, double value);

/* What the second labels of x are: as the study calls them, else the metric in a unit.
 */
const char *spot_words_second(spot_texts_t *texts, const spot_study_head_t *head,
    size_t metric_id, const char *unit);

/* ---- Keys and points ---- */

/* "checkpoint interval"; the second with its unit, "checkpoint interval (s)". */
const char *spot_words_key(spot_texts_t *texts, const spot_axis_t *axis);
const char *spot_words_axis(spot_texts_t *texts, const spot_axis_t *axis);

/* What stands below x, and x in a sentence: as the study calls it. */
const char *spot_words_x(
    spot_texts_t *texts, const spot_study_head_t *head, size_t axis_id);
const char *spot_words_x_subject(
    spot_texts_t *texts, const spot_study_head_t *head, size_t axis_id);

/* A value of a key: see value_label.h. The second: of the key at a point. */
const char *spot_words_label(
    spot_texts_t *texts, const spot_axis_t *axis, size_t value_id);
const char *spot_words_point_label(
    spot_texts_t *texts, const spot_study_head_t *head, size_t point_id, size_t axis_id);

/* "checkpoint, per minute 0.05"; the second without an axis. */
const char *spot_words_point(spot_texts_t *texts, const spot_study_head_t *head,
    size_t point_id, size_t max_chars);
const char *spot_words_panel(spot_texts_t *texts, const spot_study_head_t *head,
    size_t point_id, size_t left_out_id, size_t max_chars);

/* "1000 replications at each point". */
const char *spot_words_replications(spot_texts_t *texts, const spot_report_t *report);

/* " (1 at 4 points without chance)", or "": fixed points beside others. */
const char *spot_words_fixed(spot_texts_t *texts, const spot_study_head_t *head);

/* "idle-vs-preemption · 1000 replications at each point · seed 1": what was run. */
const char *spot_words_run(spot_texts_t *texts, const spot_report_t *report);

/* ---- Others ---- */

/* A text from outside, as spot_utf8_shown() shows it. */
const char *spot_words_shown(spot_texts_t *texts, const char *text);

/* "1 point", "2 points": word is a singular whose plural ends in s. */
const char *spot_words_count(spot_texts_t *texts, int64_t count, const char *word);
