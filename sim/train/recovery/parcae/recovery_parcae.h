/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The expected cost of a move when an unknown set of instances is preempted: the random
 * part of Parcae's liveput.
 *
 * Victims are uniform without replacement over all instances, standby included. Outcomes
 * are the sets of victims, or for pipelines of the same depth the losses of each stage.
 * If there are at most num_samples outcomes all are counted, otherwise the mean of a
 * sample is taken. */
#pragma once

#include <stdint.h>

#include "base/rng.h"
#include "sim/train/recovery/parcae/parcae.h"

typedef struct {
    int32_t from;          /* the pair in use */
    int32_t num_instances; /* N; the pair uses the first D P */
    int32_t num_lost;      /* k of them */
    int64_t num_samples;   /* >= 1 */
    spot_rng_t *rng;       /* at the start of its stream; used for a sample */
    int32_t *numbers;      /* [N] scratch */
    uint8_t *is_lost;      /* [N] scratch */
} spot_parcae_chance_t;

/* Sets costs[num_pairs + 1] to the expected ms of the moves to all pairs of at most N -
 * k instances; others stay unchanged. Staying costs something only after a loss:
 * costs[from] is the mean of cost * [an active instance is lost]. Returns the
 * probability that no active instance is lost. */
double spot_parcae_expect(
    const spot_parcae_t *self, const spot_parcae_chance_t *chance, double *costs);

/* ---- Looking ahead ---- */

/* Parcae's look-ahead: the (D,P) to form now for the most expected samples over the next
 * intervals.
 *
 * A dynamic program over intervals. A state is a pair and the rest of its pause. Of the
 * ways to a pair it keeps those that no other way beats in both, at most a few, those with the
 * most samples. An interval of length T yields speed * max(0, T - E[cost]) samples; a cost
 * above T leaves a rest for the next interval. Only the first step is carried out; the next
 * decision looks ahead again. */

/* Memory for answers that are kept. */
#define SPOT_PARCAE_ANSWERS_BYTES ((size_t) 256 << 10)

/* Costs of all moves, certain or expected. */
typedef struct {
    int32_t num_before; /* N; 0: not computed yet */
    int32_t num_lost;   /* k */
    double *costs;      /* [num_pairs + 1][num_pairs + 1] ms by from, to */
    double *none;       /* [num_pairs + 1] P(no active instance is lost) by from */
} spot_parcae_moves_t;

typedef struct {
    double samples; /* expected so far, in the unit of speed */
    double rest_ms; /* of the pause */
    int32_t first;  /* the pair of the first interval */
} spot_parcae_way_t;

/* The part in the state of the policy. */
typedef struct {
    const spot_parcae_t *parcae;
    const spot_parcae_moves_t *sure; /* without losses */
    int64_t num_samples;
    uint64_t seed;
    uint64_t replication;
    spot_rng_t rng;
    int32_t num_tables;
    spot_parcae_moves_t *tables; /* [num_tables] computed so far */
    int32_t *numbers;            /* [capacity] scratch */
    uint8_t *is_lost;            /* [capacity] scratch */
    spot_parcae_way_t *ways[2];  /* [num_pairs + 1][MAX_WAYS] before and after a step */
    int32_t *num_ways[2];        /* [num_pairs + 1] */
    double *answers; /* to questions without dice, as earlier runs left them, zero before
                        the first; NULL: none are kept */
} spot_parcae_lookahead_t;

/* The arguments of one decision. */
typedef struct {
    int64_t first_ms;          /* length of the first interval; the others have full length */
    int32_t num_intervals;     /* >= 1 */
    const int32_t *counts;     /* [num_intervals] instances in each */
    const double *first_costs; /* [num_pairs + 1] ms to each pair now; < 0: the pair is
                                  not possible */
    int32_t current;           /* the pair preferred to equal ones */
} spot_parcae_question_t;

/* Bytes of memory for self with num_tables tables, and the start in it. */
size_t spot_parcae_lookahead_bytes(
    const spot_parcae_t *parcae, int64_t capacity, int32_t num_tables);
void spot_parcae_lookahead_start(spot_parcae_lookahead_t *self, void *memory,
    const spot_parcae_t *parcae, int64_t capacity, int32_t num_tables);

/* Allocates and fills costs and none for all moves without losses. NO_MEMORY. */
SPOT_MUST_CHECK int spot_parcae_moves_init(spot_parcae_moves_t *self, const spot_parcae_t *parcae);
void spot_parcae_moves_free(spot_parcae_moves_t *self);

/* The pair to form. O(num_intervals pairs^2) and the computation of new tables. */
int32_t spot_parcae_look_ahead(
    spot_parcae_lookahead_t *self, const spot_parcae_question_t *question);

/* ---- Forecasts ---- */

/* Forecasts of the number of instances from the counts so far. */

/* Limits of the forecasts. */
typedef struct {
    int64_t min;
    int64_t max;
    int64_t range; /* the most that a forecast may differ from the first one */
} spot_parcae_limits_t;

/* ARIMA(1,1,0): the latest change recurs, each time phi times as large. phi, from -1 to
 * 1, minimises the squared errors of the changes of the counts (conditional least
 * squares). counts: [num_counts] at least one, the latest last; forecasts:
 * [num_forecasts] rounded, then cut off at the limits. Returns how many were cut off. */
int32_t spot_parcae_forecast(const int32_t *counts, int32_t num_counts,
    const spot_parcae_limits_t *limits, int32_t *forecasts, int32_t num_forecasts);
