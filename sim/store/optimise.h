/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a study that looks for its best point asks for. */
#ifndef SPOT_SIM_STORE_OPTIMISE_H
#define SPOT_SIM_STORE_OPTIMISE_H

#include <stdbool.h>
#include <stddef.h>

/* The mean of a metric must be within a limit. */
typedef struct {
    char *metric;
    char *text;    /* as in YAML: "lost_fraction <= 0.05" */
    double limit;  /* the last value that is allowed */
    bool is_upper; /* else values must be >= limit */
} spot_constraint_t;

/* metric NULL: nothing is looked for. */
typedef struct {
    char *metric; /* whose mean is to be best */
    bool is_maximised;
    double confidence;   /* of the whole answer, e.g. 0.95 */
    double indifference; /* difference that does not matter, relative to the best mean */
    size_t num_constraints;
    spot_constraint_t *constraints; /* [num_constraints] */
} spot_optimise_t;

/* Frees what self owns. Accepts a zeroed self. */
void spot_optimise_free(spot_optimise_t *self);

#endif
