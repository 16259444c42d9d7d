/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Pareto front of choices with a cost and a gain: those that no other choice beats
 * in both. */
#pragma once

#include <stddef.h>

#include "base/error.h"

/* Less cost and more gain are better. A choice without a finite cost and gain is left
 * out. An end of an interval that is NAN is unknown. */
typedef struct {
    double cost;
    double gain;
    double cost_low, cost_high; /* an interval around cost */
    double gain_low, gain_high; /* the same of gain */
} spot_choice_t;

typedef enum {
    SPOT_CHOICE_LEFT_OUT,
    SPOT_CHOICE_FRONT,       /* no other one is at least equal in both, better in one */
    SPOT_CHOICE_DOMINATED,   /* by the means, perhaps by chance */
    SPOT_CHOICE_SURELY_WORSE /* another one is better in both beyond the intervals, or in
                                one, with the same value and interval in the other */
} spot_choice_fate_t;

/* fates: [num_choices]. Equal choices share their fate. NO_MEMORY. O(n log n). */
SPOT_MUST_CHECK int spot_pareto_find(
    const spot_choice_t *choices, size_t num_choices, spot_choice_fate_t *fates);
