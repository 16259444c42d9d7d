/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far a winner is from losing: the value of a key at which the next one is as good.
 * Found by more runs than those of the study, and kept beside its rows. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SPOT_BREAK_EVEN_UNIT_BYTES 16

/* One side of the value that the winner has: values below it, or above it. */
typedef struct {
    double at;    /* the nearest value at which the two are equal; NAN: none was found */
    double near;  /* between these, with SPOT_CONFIDENCE, they are equal: on the side of */
    double far;   /* the winner's value, and beyond; NAN: not found up to reach */
    double reach; /* the last value that the engine took; NAN: none */
} spot_break_even_side_t;

enum { SPOT_BREAK_EVEN_BELOW, SPOT_BREAK_EVEN_ABOVE, SPOT_NUM_BREAK_EVEN_SIDES };

/* Of a winner, the next one and a key. Values are in unit. */
typedef struct {
    size_t best_id, next_id; /* points */
    size_t key_id;           /* of spot_best_t */
    int64_t num_pairs;       /* replications of both that were compared */
    double number;           /* the value of the key at the winner; NAN: one of both points has
                                none, and nothing is searched */
    char unit[SPOT_BREAK_EVEN_UNIT_BYTES]; /* "s" for durations; "" for plain numbers */
    spot_break_even_side_t sides[SPOT_NUM_BREAK_EVEN_SIDES];
} spot_break_even_t;
