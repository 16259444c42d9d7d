/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quantities with units, as in YAML and on the command line. One parser reads all of
 * them by tables of units. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define SPOT_MS_PER_S INT64_C(1000)
#define SPOT_MS_PER_MIN INT64_C(60000)
#define SPOT_MS_PER_H INT64_C(3600000)
#define SPOT_MS_PER_D INT64_C(86400000)
#define SPOT_HOURS_PER_DAY 24

/* The longest duration: 100 years. Sums of 10^4 of them still fit in int64_t. */
#define SPOT_MAX_DURATION_MS (INT64_C(36525) * SPOT_MS_PER_D)

/* The largest fleet. */
#define SPOT_MAX_INSTANCES 1000000

/* The units of one kind of quantity and the unit of its values. */
typedef struct spot_units spot_units_t;

extern const spot_units_t spot_units_ms;          /* durations in whole ms */
extern const spot_units_t spot_units_ns;          /* durations in whole ns */
extern const spot_units_t spot_units_bytes;       /* B, kB, KiB, ... in whole bytes */
extern const spot_units_t spot_units_bytes_per_s; /* real; Gbit/s, GB/s, GiB/s, ... */
extern const spot_units_t spot_units_flops_per_s; /* real; TFLOP/s, ... */
extern const spot_units_t spot_units_usd_per_h;   /* real; a number alone is USD/h */

/* The name of the j-th unit, largest first, or NULL behind the last. */
const char *spot_units_name(const spot_units_t *self, size_t j);

typedef union {
    int64_t whole; /* of spot_units_ms, _ns and _bytes */
    double real;
} spot_amount_t;

/* Parses a number and its unit, such as "1.5 h", "250ms" or "24 GiB"; those of durations
 * may be in full, "5 hours" or "2 weeks". Whole amounts are
 * rounded, ties to even; an integer number of a unit is exact. BAD_INPUT with *problem
 * in words: no number, no unit, unknown unit, or too large (100 years, 9e18 bytes). */
SPOT_MUST_CHECK int spot_units_parse(
    const spot_units_t *self, const char *text, spot_amount_t *amount, const char **problem);

/* An integer amount as an integer number of the largest unit that is exact, such as "90
 * min". Another amount as a decimal number that reads back as the same. */
#define SPOT_AMOUNT_TEXT_BYTES 40
void spot_units_text(
    const spot_units_t *self, spot_amount_t amount, char text[SPOT_AMOUNT_TEXT_BYTES]);

/* An amount as a plain number, and back; value may be too large or infinite. */
double spot_units_value(const spot_units_t *self, spot_amount_t amount);
spot_amount_t spot_units_nearest(const spot_units_t *self, double value);

/* The same for durations in ms and prices in USD per instance-hour. */
SPOT_MUST_CHECK int spot_duration_parse(
    const char *text, int64_t *duration_ms, const char **problem);
SPOT_MUST_CHECK int spot_price_parse(
    const char *text, double *price_usd_per_h, const char **problem);
#define SPOT_DURATION_TEXT_BYTES SPOT_AMOUNT_TEXT_BYTES
void spot_duration_text(int64_t duration_ms, char text[SPOT_DURATION_TEXT_BYTES]);

/* Rounds seconds to whole ms, ties to even. BAD_INPUT outside +-SPOT_MAX_DURATION_MS. */
SPOT_MUST_CHECK int spot_duration_from_s(double duration_s, int64_t *duration_ms);

/* Milliseconds as whole ns: floor(ms 1e6 + 0.5). */
int64_t spot_ns_from_ms(double ms);

/* Whole ms in seconds. */
double spot_duration_s(int64_t duration_ms);

/* Appends a unit to the text of a number: "0.91" becomes "0.91 USD/h". "": no unit. The
 * text has the room. */
void spot_unit_append(char *text, const char *unit);
