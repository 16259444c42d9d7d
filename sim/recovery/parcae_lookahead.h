/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parcae's look-ahead: the (D,P) to go to now, so that the samples of the next intervals
 * are the most that can be expected.
 *
 * A dynamic program over intervals. A state is a pair, and what is left of its pause: of
 * the ways to a pair only those are kept that no other one beats in both, and of them
 * the SPOT_PARCAE_MAX_WAYS with the most samples. An interval of length T is worth speed
 * * max(0, T - E[cost]); what a cost is longer than T is left for the next interval.
 * Only the first step is carried out; then everything is planned again. */
#ifndef SPOT_SIM_RECOVERY_PARCAE_LOOKAHEAD_H
#define SPOT_SIM_RECOVERY_PARCAE_LOOKAHEAD_H

#include "sim/recovery/parcae_liveput.h"

#define SPOT_PARCAE_MAX_WAYS 4
#define SPOT_PARCAE_MAX_INTERVALS 64

/* The most pairs: a decision takes as many operations as their square. */
#define SPOT_PARCAE_MAX_PAIRS 512

/* Costs of all moves, known for sure or expected. */
typedef struct {
    int32_t num_before; /* N; 0: not computed yet */
    int32_t num_lost;   /* k */
    double *costs;      /* [num_pairs + 1][num_pairs + 1] ms, from each to each */
    double *none;       /* [num_pairs + 1] P(no active instance is lost), from each */
} spot_parcae_moves_t;

typedef struct {
    double samples; /* expected so far, in the unit of speed */
    double rest_ms; /* of the pause */
    int32_t first;  /* the pair of the first interval */
} spot_parcae_way_t;

/* What lies in the policy's state. */
typedef struct {
    const spot_parcae_t *parcae;
    const spot_parcae_moves_t *sure; /* without losses */
    int64_t num_samples;
    uint64_t seed;
    uint64_t replication;
    spot_rng_t rng;
    int32_t num_tables;
    spot_parcae_moves_t *tables; /* [num_tables] those met already */
    int32_t *numbers;            /* [capacity] scratch */
    uint8_t *is_lost;            /* [capacity] scratch */
    spot_parcae_way_t *ways[2];  /* [num_pairs + 1][MAX_WAYS] before and after */
    int32_t *num_ways[2];        /* [num_pairs + 1] */
} spot_parcae_lookahead_t;

/* One decision. */
typedef struct {
    int64_t first_ms;          /* length of the first interval; the others are whole */
    int32_t num_intervals;     /* >= 1 */
    const int32_t *counts;     /* [num_intervals] instances in each */
    const double *first_costs; /* [num_pairs + 1] ms to each pair now; < 0: it does not
                                  form */
    int32_t current;           /* the pair that is preferred to equal ones */
} spot_parcae_question_t;

/* Memory for self with so many tables, and to begin in it. */
size_t spot_parcae_lookahead_bytes(
    const spot_parcae_t *parcae, int64_t capacity, int32_t num_tables);
void spot_parcae_lookahead_start(spot_parcae_lookahead_t *self, void *memory,
    const spot_parcae_t *parcae, int64_t capacity, int32_t num_tables);

/* Costs of all moves without losses: costs and none of table are allocated. NO_MEMORY.
 */
SPOT_MUST_CHECK int spot_parcae_moves_init(
    spot_parcae_moves_t *self, const spot_parcae_t *parcae);
void spot_parcae_moves_free(spot_parcae_moves_t *self);

/* The pair to go to. O(num_intervals pairs^2), and the tables that are met first. */
int32_t spot_parcae_look_ahead(
    spot_parcae_lookahead_t *self, const spot_parcae_question_t *question);

#endif
