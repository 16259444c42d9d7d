/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two stores side by side, before and after: what differs between their studies, and
 * what that does to each metric at the points that both have. */
#pragma once

#include <stdio.h>

#include "reports/point_match.h"
#include "reports/report.h"

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
    size_t num_metrics; /* in both with the same unit, asked for in one of them */
    size_t *metric_ids[SPOT_NUM_SIDES]; /* [num_metrics] of each side */
    size_t main_id;                     /* of those: the one to look at first */
    spot_metric_change_t *changes;      /* [num_pairs][num_metrics] */
    size_t num_sentences;
    size_t max_sentences;
    char **sentences; /* [num_sentences] in what they differ: "job.reload was 47 s, is
                         60 s"; text from outside */
} spot_side_by_side_t;

/* Points that both have are compared replication by replication where both stores keep
 * the same of the same seed and have at least two pairs, else as independent samples.
 * sides: [SPOT_NUM_SIDES], must outlive self. Errors of reading the stores, NO_MEMORY;
 * free self even then. O(rows + n log n). */
SPOT_MUST_CHECK int spot_side_by_side_init(
    spot_side_by_side_t *self, const spot_side_t *sides);
void spot_side_by_side_free(spot_side_by_side_t *self);

/* The metric as the first study has it. */
const spot_metric_t *spot_side_by_side_metric(
    const spot_side_by_side_t *self, size_t metric_id);

/* Why nothing can be compared, in words that end a sentence, or NULL. */
const char *spot_side_by_side_problem(const spot_side_by_side_t *self);

/* How many of the points that both have differ in a metric, marked. */
size_t spot_side_by_side_num_marked(const spot_side_by_side_t *self, size_t metric_id);

/* What the intervals of differences rest on: "mean of 1000 pairs of replications". */
#define SPOT_BASIS_BYTES 160
void spot_side_by_side_basis(
    const spot_side_by_side_t *self, char text[SPOT_BASIS_BYTES]);

/* One or two sentences: in what the studies differ, and what comes of that: text from
 * outside. */
void spot_side_by_side_answer(const spot_side_by_side_t *self, FILE *out);

/* The second half of it: how many points both have, at how many of these the main metric
 * differs surely, and by how much. */
void spot_side_by_side_outcome(const spot_side_by_side_t *self, FILE *out);
