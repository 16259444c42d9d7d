/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What reports call things, as texts that live as long as their owner: see
 * base/memory.h. Metrics, keys and points bring their words; nothing is guessed from a
 * name.
 *
 * The calls return a text of texts, without an end of line: names, values in the unit in which
 * people read them, labels of swept values, points, counts. Whole sentences are in
 * reports/answer.h. */
#pragma once

#include "base/memory.h"
#include "base/verb/document.h"
#include "reports/report.h"
#include "reports/table/document.h"

/* ---- What a study speaks of ---- */

/* The question, or the name of a study without one. */
const char *spot_study_title(const spot_study_head_t *head);

/* The metric that a sentence or a picture speaks of: what the study optimises, or names
 * a winner by, or draws, else the first one. */
size_t spot_main_metric(const spot_study_head_t *head);

/* The metric that pictures draw: what the study draws, else its main one. */
size_t spot_drawn_metric(const spot_study_head_t *head);

/* Why there is nothing to draw of these metrics, which must be defined together at a
 * point, or NULL. */
const char *spot_metrics_problem(
    const spot_report_t *report, size_t num_metrics, const size_t *metric_ids);

/* ---- Units in which people read values ---- */

#define SPOT_SHOWN_UNIT_BYTES 32

typedef struct {
    double factor;                    /* from the unit of the metric */
    char unit[SPOT_SHOWN_UNIT_BYTES]; /* "" for plain numbers */
} spot_shown_unit_t;

/* The unit for values up to largest, a magnitude; for a metric that is no duration, its
 * own. */
spot_shown_unit_t spot_shown_unit(const spot_metric_t *metric, double largest);

/* 100 for a share, which is shown in percent, else 1. */
double spot_metric_factor(const spot_metric_t *metric);

/* The same unit with that factor in its own: for values up to largest, or for the
 * estimates of all points, with the largest magnitude of these. */
spot_shown_unit_t spot_metric_shown(const spot_metric_t *metric, double largest);
double spot_report_largest(const spot_report_t *report, size_t metric_id);
spot_shown_unit_t spot_report_shown(const spot_report_t *report, size_t metric_id);

/* The same for the second labels of x: not in percent, and in their own unit where the
 * study says what they are. */
spot_shown_unit_t spot_second_shown(const spot_report_t *report, size_t metric_id);

/* Splits a value as it stands in YAML into its number and its unit: "30 s" at any key,
 * "0.91" at fleet.price.spot (USD/h), "1e9" at net_bytes_per_s (bytes/s). Returns the
 * unit, of text, of the head, which may be NULL, or for good; "" for plain numbers and
 * texts. *num_bytes: what of text stands before the unit. */
const char *spot_key_unit(
    const spot_study_head_t *head, const char *path, const char *text, size_t *num_bytes);

/* ---- Metrics ---- */

/* "cost (USD)"; with a unit in which its values are shown, "time to finish (h)". unit
 * NULL: its own. */
const char *spot_words_metric(spot_texts_t *texts, const spot_metric_t *metric, const char *unit);

/* In a sentence, without a unit: "idle time". */
const char *spot_words_subject(spot_texts_t *texts, const spot_metric_t *metric);

/* "8.3 %", "1,212.5 USD"; two digits of resolution, a difference that
 * matters, can be seen, and one of the value; all that makes sense where it is 0.
 * "undefined" for what is not finite. */
const char *spot_words_value(
    spot_texts_t *texts, const spot_metric_t *metric, double value, double resolution);

/* The same as it stands before another one: without a unit that both have, "5" of "5 to
 * 12 instances". */
const char *spot_words_value_before(
    spot_texts_t *texts, const spot_metric_t *metric, double value, double next);

/* "17.3 ±0.2 %". */
const char *spot_words_interval(
    spot_texts_t *texts, const spot_metric_t *metric, double value, double half_width);

/* "0, at most 0.0312", "1, at least 0.969": an interval with one end, in a unit that is
 * factor of its own; NULL: it has two. */
const char *spot_words_one_sided(
    spot_texts_t *texts, double value, double low, double high, double factor);

/* "0.3 to 5.5 percentage points". */
const char *spot_words_change(
    spot_texts_t *texts, const spot_metric_t *metric, double low, double high);

/* Three digits; "" for an undefined value. */
const char *spot_words_number(spot_texts_t *texts, double value);

/* "job.every = 20 s, fleet.capacity = 64": a point as a scenario has it. */
const char *spot_words_setting(spot_texts_t *texts, const spot_study_head_t *head, size_t point_id);

/* What the second labels of x are: as the study calls them, else the metric in a unit.
 */
const char *spot_words_second(
    spot_texts_t *texts, const spot_study_head_t *head, size_t metric_id, const char *unit);

/* What its estimate is: "mean", "ratio of totals", "probability", "quantile". */
const char *spot_estimate_words(const spot_metric_t *metric);

/* ---- Keys and points ---- */

/* "checkpoint interval"; the second with its unit, "checkpoint interval (s)". */
const char *spot_words_key(spot_texts_t *texts, const spot_axis_t *axis);
const char *spot_words_axis(spot_texts_t *texts, const spot_axis_t *axis);

/* What stands below x, and x in a sentence: as the study calls it. */
const char *spot_words_x(spot_texts_t *texts, const spot_study_head_t *head, size_t axis_id);
const char *spot_words_x_subject(
    spot_texts_t *texts, const spot_study_head_t *head, size_t axis_id);

/* What tables and pictures call a value of a key. "{system: checkpoint, detection: 30
 * s}" is "checkpoint" where no other value has that system, and "checkpoint, detection:
 * 30 s" beside another checkpoint that has not this detection: the value of the first
 * key, and of the others those that differ from its namesakes. Where these are too
 * many, what the value lacks is named where that is less: "varuna without
 * fault_one_counter" beside "varuna with all options". Different texts have different
 * labels: a value whose options do not set it apart has its whole text; one
 * that is cut has its place on the axis, from 1, behind it: "{profile: /very/long...
 * (2)". CSV, JSON and databases have the whole text. O(values) of the axis. The second:
 * of the key at a point. */
const char *spot_words_label(spot_texts_t *texts, const spot_axis_t *axis, size_t value_id);
const char *spot_words_point_label(
    spot_texts_t *texts, const spot_study_head_t *head, size_t point_id, size_t axis_id);

/* What a label leaves out: "recovery: gemini is {system: gemini, f: 1}"; NULL: nothing.
 */
const char *spot_words_explained(spot_texts_t *texts, const spot_axis_t *axis, size_t value_id);

/* "checkpoint, per minute 0.05"; the second without an axis. */
const char *spot_words_point(
    spot_texts_t *texts, const spot_study_head_t *head, size_t point_id, size_t max_chars);
const char *spot_words_panel(spot_texts_t *texts, const spot_study_head_t *head, size_t point_id,
    size_t left_out_id, size_t max_chars);

/* "1000 replications at each point". */
const char *spot_words_replications(spot_texts_t *texts, const spot_report_t *report);

/* " (1 at 4 points without chance)", or "": fixed points beside others. */
const char *spot_words_fixed(spot_texts_t *texts, const spot_study_head_t *head);

/* "idle-vs-preemption · 1000 replications at each point · seed 1": what was run. */
const char *spot_words_run(spot_texts_t *texts, const spot_report_t *report);
