/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Macros for the parameters in tables of families, and helpers that families share.
 * Internal to the room. */
#pragma once

#include <math.h>

#include "base/bind.h"

/* Range of a parameter that must be above 0 and finite. */
#define SPOT_LAW_TINY 1e-300
#define SPOT_LAW_HUGE 1e300
#define SPOT_LAW_LOG_TINY (-690.0)

/* P(T <= t) up to which S = 1 - P keeps its digits. */
#define SPOT_LAW_NOT_LATE 0.9

#define SPOT_LAW_PARAMETER(place, key, low, high, text)                                            \
    {                                                                                              \
        .name = key, .type = SPOT_FIELD_NUMBER, .offset = (place) * sizeof(double), .min = low,    \
        .max = high, .help = text                                                                  \
    }

#define SPOT_LAW_POSITIVE(place, key, text)                                                        \
    SPOT_LAW_PARAMETER(place, key, SPOT_LAW_TINY, SPOT_LAW_HUGE, text)

/* The last rows of each table: both keys name the family. */
#define SPOT_LAW_NAMES                                                                             \
    {.name = "family", .type = SPOT_FIELD_SELECTOR, .initial = "", .help = "name of the family"},  \
        {.name = "law", .type = SPOT_FIELD_SELECTOR, .initial = "", .help = "the same"},           \
    {                                                                                              \
        .name = NULL                                                                               \
    }

/* The fields and functions of a family, which begin with its name. */
#define SPOT_FAMILY_FUNCTIONS(family)                                                              \
    .fields = family##_fields, .log_density = family##_log_density,                                \
    .log_survival = family##_log_survival, .moment = family##_moment, .draw = family##_draw

/* ln P(Z > z) of a standard normal Z. */
double spot_law_log_normal_tail(double z);

/* ln(e^a + e^b) */
static inline double spot_law_log_sum(double a, double b)
{
    const double high = fmax(a, b);

    return isinf(high) ? high : high + log1p(exp(fmin(a, b) - high));
}
