/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two stores side by side, before and after: what differs between their studies, and
 * what that does to each metric at the points that both have.
 *
 * spot_side_by_side_init() matches the points of two open stores and reads what both have; the
 * other calls write parts of it, in words, tables and pictures. */
#pragma once

#include "base/canonical.h"
#include "reports/draw.h"
#include "reports/report.h"
#include "reports/table/document.h"
#include "reports/words.h"

/* ---- Which points are the same ----
 * Those with the same values of all keys that one of the two sweeps, whatever the order
 * of points, keys and values. Values are the same as what they mean: 60 s is 1 min, {a:
 * 1, b: 2} is {b: 2, a: 1.0}. */

enum { SPOT_BEFORE, SPOT_AFTER, SPOT_NUM_SIDES };

/* What is known of a study. */
typedef struct {
    const spot_study_head_t *head;
    const char *canonical; /* see sim/bench/store/origin.h, or NULL: not known */
} spot_match_side_t;

#define SPOT_NO_AXIS SIZE_MAX

/* A key that one of the two sweeps, or both. */
typedef struct {
    const char *path;                /* borrowed from a head */
    size_t axis_ids[SPOT_NUM_SIDES]; /* SPOT_NO_AXIS: not swept there, but has */
    const char *fixed;               /* this value, or NULL: not known */
} spot_match_key_t;

typedef struct {
    size_t num_keys;
    spot_match_key_t *keys; /* [num_keys] those of the first study first */
    bool lacks_value;       /* of a key in the study that does not sweep it: no points are
                               matched */
    size_t num_pairs;
    size_t *point_ids[SPOT_NUM_SIDES]; /* [num_pairs] in the order of the first study */
    size_t num_alone[SPOT_NUM_SIDES];
    size_t *alone_ids[SPOT_NUM_SIDES];      /* [num_alone] ascending */
    spot_canonical_t lists[SPOT_NUM_SIDES]; /* of canonical, where that is known */
    spot_texts_t texts;
} spot_point_match_t;

/* Every point is in one pair or alone: of several with the same values the first go with
 * the first. The heads must outlive self. NO_MEMORY; BAD_INPUT: a canonical text is
 * none; free self even then. O(n keys) for n points and values. */
SPOT_MUST_CHECK int spot_point_match_init(
    spot_point_match_t *self, const spot_match_side_t sides[SPOT_NUM_SIDES]);
void spot_point_match_free(spot_point_match_t *self);

/* A value as YAML as one text that is the same for all ways to write it. */
const char *spot_match_value(spot_texts_t *texts, const char *text);

/* ---- What differs ---- */

/* One of the two. */
typedef struct {
    const char *path;            /* as the user named it */
    const spot_report_t *report; /* must outlive what is made of it */
    const char *canonical;       /* of its study, or NULL: not known */
} spot_side_t;

/* A metric at a point that both have, all of it of the replications that both have,
 * where they have any. NAN where undefined. */
typedef struct {
    double means[SPOT_NUM_SIDES];
    double half_widths[SPOT_NUM_SIDES]; /* of their 95 % intervals */
    double difference;                  /* after - before */
    double half_width;                  /* of its 95 % interval */
    double ratio;                       /* difference / |before|; NAN for 0 */
    int64_t num_pairs;                  /* 0: of independent samples (Welch) */
    bool is_marked;                     /* 0 is outside of the interval */
} spot_metric_change_t;

typedef struct {
    const spot_side_t *sides; /* [SPOT_NUM_SIDES] */
    spot_point_match_t match;
    size_t num_metrics;                 /* in both with the same unit, asked for in one of them */
    size_t *metric_ids[SPOT_NUM_SIDES]; /* [num_metrics] of each side */
    size_t main_id;                     /* of those: the one to look at first */
    spot_metric_change_t *changes;      /* [num_pairs][num_metrics] */
    size_t num_sentences;
    size_t max_sentences;
    const char **sentences; /* [num_sentences] in what they differ: "job.reload was 47 s,
                               is 60 s"; text from outside */
    spot_texts_t texts;
} spot_side_by_side_t;

/* Points that both have are compared replication by replication where both stores keep
 * the same of the same seed and have at least two pairs, else as independent samples.
 * sides: [SPOT_NUM_SIDES], must outlive self. Errors of reading the stores, NO_MEMORY;
 * free self even then. O(rows + n log n). */
SPOT_MUST_CHECK int spot_side_by_side_init(spot_side_by_side_t *self, const spot_side_t *sides);
void spot_side_by_side_free(spot_side_by_side_t *self);

/* The metric as the first study has it, and the unit in which it is shown. */
const spot_metric_t *spot_side_by_side_metric(const spot_side_by_side_t *self, size_t metric_id);

/* Why nothing can be compared, in words that end a sentence, or NULL. */
const char *spot_side_by_side_problem(const spot_side_by_side_t *self);

/* ---- In words ---- */

/* "idle time (%)", "cost (USD)"; of the difference, "idle time: B − A (percentage
 * points)". */
const char *spot_side_by_side_title(
    const spot_side_by_side_t *self, size_t metric_id, bool is_difference, spot_texts_t *texts);

/* What the intervals of differences rest on: "differences within 1000 pairs of
 * replications". */
const char *spot_side_by_side_basis(const spot_side_by_side_t *self, spot_texts_t *texts);

/* How many points both have, at how many of these the main metric differs surely, and by
 * how much; and before that in what the studies differ. Texts from outside. */
const char *spot_side_by_side_outcome(const spot_side_by_side_t *self, spot_texts_t *texts);
const char *spot_side_by_side_answer(const spot_side_by_side_t *self, spot_texts_t *texts);

/* A line for each of the two. */
void spot_side_by_side_write_sides(const spot_side_by_side_t *self, spot_document_t *document);

/* In what they differ; a table for each metric, the main one first, with one line for
 * each point that both have; and the points that only one has. A page has at most
 * max_rows rows and points of each and counts the others. */
void spot_side_by_side_write(
    const spot_side_by_side_t *self, size_t max_rows, spot_document_t *document);

/* All of it for a terminal. context is a spot_side_by_side_t. NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_side_by_side_print(
    const void *context, const spot_terminal_t *terminal, FILE *out);

/* ---- Pictures ---- */

/* At the points that both have, in the main metric: both means, A dashed and grey, B
 * solid and in colour, or the differences B - A with their intervals, grey where these
 * include 0. A panel along the swept number for each combination of the other keys, or,
 * where that makes no curves, a row for each point. context is a spot_side_by_side_t
 * without a problem. */
#define SPOT_MAX_SIDE_BY_SIDE_PANELS 6
#define SPOT_MAX_SIDE_BY_SIDE_ROWS 40
SPOT_MUST_CHECK int spot_side_by_side_declare_means(spot_chart_t *chart, const void *context);
SPOT_MUST_CHECK int spot_side_by_side_declare_changes(spot_chart_t *chart, const void *context);

/* Why there is nothing to draw, or NULL. */
const char *spot_side_by_side_plot_problem(const spot_side_by_side_t *self);
