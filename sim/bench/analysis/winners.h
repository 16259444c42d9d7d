/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The best value of a key at each combination of the other keys, its lead, and the
 * values of another key between which the winner changes. Points are compared
 * replication by replication. */
#pragma once

#include "sim/bench/analysis/difference.h"
#include "sim/bench/analysis/point_groups.h"
#include "sim/bench/analysis/summary.h"

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
