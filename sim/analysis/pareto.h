/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which of many choices are worth a look where one thing costs and another is gained:
 * those that no other choice beats in both, the Pareto front. */
#ifndef SPOT_SIM_ANALYSIS_PARETO_H
#define SPOT_SIM_ANALYSIS_PARETO_H

#include <stddef.h>

#include "base/error.h"

/* A choice: less cost is better, more gain is better. One without a finite cost and gain
 * is left out; an end of an interval that is NAN is not known. */
typedef struct {
    double cost;
    double gain;
    double cost_low, cost_high; /* an interval around cost */
    double gain_low, gain_high; /* the same of gain */
} spot_choice_t;

typedef enum {
    SPOT_CHOICE_LEFT_OUT,
    SPOT_CHOICE_FRONT,       /* no other one is as good in both and better in one */
    SPOT_CHOICE_DOMINATED,   /* by the means: it may be chance */
    SPOT_CHOICE_SURELY_WORSE /* another one is better in both by more than their
                                intervals; or in one, and just the same with the same
                                interval in the other */
} spot_choice_fate_t;

/* fates: [num_choices]. Equal choices share their fate. NO_MEMORY. O(n log n). */
SPOT_MUST_CHECK int spot_pareto_find(
    const spot_choice_t *choices, size_t num_choices, spot_choice_fate_t *fates);

#endif
