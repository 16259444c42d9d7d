/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quantities with units as people write them in YAML and on the command line. Inside
 * spotsim time is int64_t milliseconds and prices are US dollars per instance-hour. */
#ifndef SPOT_BASE_UNITS_H
#define SPOT_BASE_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

#define SPOT_MS_PER_S INT64_C(1000)
#define SPOT_MS_PER_MIN INT64_C(60000)
#define SPOT_MS_PER_H INT64_C(3600000)
#define SPOT_MS_PER_D INT64_C(86400000)

/* The longest duration that is read: 100 years. Sums of 10^4 of them still fit. */
#define SPOT_MAX_DURATION_MS (INT64_C(36525) * SPOT_MS_PER_D)

/* The largest fleet. */
#define SPOT_MAX_INSTANCES 1000000

/* The end of the decimal number at the start of text ([-+]digits[.digits][e[-+]digits],
 * as far as it goes), or NULL where there is none. */
const char *spot_number_end(const char *text);

/* A strict decimal number: [-+]digits[.digits][e[-+]digits], nothing before or behind,
 * finite. */
SPOT_MUST_CHECK int spot_number_parse(const char *text, double *value);

/* A strict decimal integer: [-+]digits, no leading zeros, within int64_t. */
SPOT_MUST_CHECK int spot_integer_parse(const char *text, int64_t *value);

/* "88 s", "1.5 h", "250 ms", "355min", "2 d": rounded to whole ms, ties to even.
 * BAD_INPUT: no number, no unit, another unit, or outside +-SPOT_MAX_DURATION_MS;
 * *problem then says which in words. */
SPOT_MUST_CHECK int spot_duration_parse(
    const char *text, int64_t *duration_ms, const char **problem);

/* Seconds with decimals to whole ms, ties to even. BAD_INPUT outside
 * SPOT_MAX_DURATION_MS. */
SPOT_MUST_CHECK int spot_duration_from_s(double duration_s, int64_t *duration_ms);

/* Whole ms as seconds with decimals. */
double spot_duration_s(int64_t duration_ms);

/* "0.91" (US dollars per instance-hour) or "0.91 USD/h", "22 USD/d", "0.015 USD/min". */
SPOT_MUST_CHECK int spot_price_parse(
    const char *text, double *price_usd_per_h, const char **problem);

/* The shortest of "2 d", "90 min", "88 s", "250 ms" that is exact. */
#define SPOT_DURATION_TEXT_BYTES 32
void spot_duration_text(int64_t duration_ms, char text[SPOT_DURATION_TEXT_BYTES]);

/* The shortest decimal text that reads back as the same double (15, 16 or 17 digits). */
#define SPOT_NUMBER_TEXT_BYTES 32
void spot_number_text(double value, char text[SPOT_NUMBER_TEXT_BYTES]);

#endif
