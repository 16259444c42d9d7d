/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What means of a metric surely show: differences between points, the shape of a curve,
 * and what the values of a key do. A difference is sure where its interval excludes 0,
 * at SPOT_CONFIDENCE for all that were looked at to find it. */
#pragma once

#include "sim/bench/analysis/difference.h"
#include "sim/bench/analysis/point_groups.h"
#include "sim/bench/analysis/summary.h"
#include "sim/bench/store/store.h"

/* Among the points that differ in the key only. */
typedef struct {
    size_t first_id;    /* the first of these points, for the values of the other keys */
    size_t best_id;     /* the best mean; SPOT_NO_POINT: no point competes */
    size_t next_id;     /* the best of the others, or SPOT_NO_POINT */
    size_t num_rivals;  /* that the best is compared with */
    spot_paired_t lead; /* best (x) and next (y) */
    bool is_sure;       /* all rivals are worse, with confidence in all of it */
} spot_winner_t;

/* The winner changes between two neighbouring values of another key. */
typedef struct {
    size_t before_id, after_id; /* index of the winners */
    double number; /* of that key, at which the straight lines through the means of both
                      cross; NAN: one mean is missing */
} spot_crossing_t;

typedef struct {
    const spot_study_head_t *head;
    const spot_store_t *store;
    spot_summary_t *summaries; /* [num_points][num_metrics] */
    bool *is_beyond; /* [num_points] left out: too much of it rests on what was not measured,
                        and another point of its group does not */
    spot_point_groups_t groups;
    spot_winner_t *winners; /* [groups.num_groups] */
    size_t x_id;            /* the only other axis, if it has numbers; num_axes: there is none */
    size_t num_crossings;
    spot_crossing_t *crossings; /* [num_crossings] along x */
} spot_winners_t;

/* The head of the store must ask for the best. SPOT_CONFIDENCE holds for all rivals of a
 * winner together (Bonferroni). Errors of reading, NO_MEMORY; free self even then.
 * O(points * rows). */
SPOT_MUST_CHECK int spot_winners_init(spot_winners_t *self, const spot_store_t *store);
void spot_winners_free(spot_winners_t *self);

/* How far the next one is behind, and whether it is at all. */
double spot_winner_lead(const spot_winner_t *self, const spot_best_t *best);
static inline bool spot_winner_is_ahead(const spot_winner_t *self, const spot_best_t *best)
{
    return self->next_id != SPOT_NO_POINT && spot_winner_lead(self, best) > 0;
}

/* The break-even of a winner and the next one for a key of spot_best_t; NULL: it was not
 * found for these rows. */
const spot_break_even_t *spot_winners_break_even(
    const spot_winners_t *self, const spot_winner_t *winner, size_t key_id);

/* Whether more of a point rests on what was not measured than the study allows. */
bool spot_winners_rests_beyond(const spot_winners_t *self, size_t point_id);

/* The summary of the metric at a point. */
const spot_summary_t *spot_winners_summary(const spot_winners_t *self, size_t point_id);

/* Studies of up to so many rows are compared replication by replication. */
#define SPOT_FINDINGS_PAIRED_ROWS 200000

typedef struct {
    const spot_store_t *store;
    const spot_study_head_t *head;   /* of the store */
    const spot_summary_t *summaries; /* [num_points][num_metrics] */
    int64_t num_rows;                /* in the store */
    size_t metric_id;
} spot_findings_t;

const spot_summary_t *spot_findings_at(const spot_findings_t *self, size_t point_id);

/* By how much the metric of one point exceeds that of another. An unknown bound is
 * infinite, an unknown mean NAN. */
typedef struct {
    double mean, low, high;
    int sign; /* 1, -1: surely above, below 0; else 0 */
} spot_gap_t;

/* Of x_id over y_id, if num_looks gaps are looked at. Of means of replications that both
 * have where the store is small, else of the intervals of both means. Errors of reading,
 * NO_MEMORY. */
SPOT_MUST_CHECK int spot_findings_gap(
    const spot_findings_t *self, size_t x_id, size_t y_id, size_t num_looks, spot_gap_t *gap);

/* A point and that of the baseline. */
typedef struct {
    size_t point_id, base_id;
    spot_gap_t gap;
} spot_contrast_t;

/* Fills sure, [num_points], with those that surely differ, the largest difference first,
 * and tells how many were compared. */
SPOT_MUST_CHECK int spot_findings_contrast(
    const spot_findings_t *self, spot_contrast_t *sure, size_t *num_sure, size_t *num_compared);

typedef enum {
    SPOT_SHAPE_TOP, /* an extreme stands out from both ends */
    SPOT_SHAPE_BOTTOM,
    SPOT_SHAPE_GROWS, /* the ends differ */
    SPOT_SHAPE_FALLS,
    SPOT_SHAPE_VARIES, /* the extremes differ, or both stand out */
    SPOT_SHAPE_UNSURE
} spot_shape_t;

/* Of a curve through points with a value; low and high are places of its lowest and its
 * highest mean. */
SPOT_MUST_CHECK int spot_findings_shape(const spot_findings_t *self, const size_t *point_ids,
    size_t num_places, size_t low, size_t high, spot_shape_t *shape);

enum { SPOT_LOWERS, SPOT_RAISES, SPOT_NUM_SIGNS };

/* What a value of a key does in place of another one, wherever both are. */
typedef struct {
    size_t num_pairs; /* sure or not */
    struct {
        size_t num_sure;
        double least, most; /* sizes of the sure differences */
        double least_ratio, most_ratio;
    } changes[SPOT_NUM_SIGNS];
} spot_value_effect_t;

/* Of all values of an axis in place of that of reference. effects: [num_values] zeros.
 */
SPOT_MUST_CHECK int spot_findings_effects(
    const spot_findings_t *self, size_t axis_id, size_t reference, spot_value_effect_t *effects);

/* The value that surely lowers or raises the metric most somewhere; num_values: none. */
size_t spot_strongest_effect(const spot_value_effect_t *effects, size_t num_values, int sign_id);
