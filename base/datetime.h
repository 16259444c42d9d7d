/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dates and times of fixed widths as in ISO 8601, strictly: strptime() takes a 30
 * February, one digit for two, and anything behind. */
#ifndef SPOT_BASE_DATETIME_H
#define SPOT_BASE_DATETIME_H

#include <stdbool.h>
#include <stdint.h>

/* Each reads at *text what it is named after and moves *text behind it. False: it is not
 * there; *text is then somewhere within. */

/* YYYY-MM-DD of the proleptic Gregorian calendar, as days since 1970-01-01. */
bool spot_date_scan(const char **text, int64_t *day);

/* hh:mm:ss from 00:00:00 to 23:59:59, as seconds since midnight. */
bool spot_time_of_day_scan(const char **text, int64_t *time_s);

/* Whether the whole text is a date, or a date-time with optional fraction and zone. */
bool spot_datetime_is(const char *text);

/* A date-time YYYY-MM-DDThh:mm:ss[.fraction][zone] that is shift_ms >= 0 later, with the
 * same zone; the fraction is kept to the ms. False: text is no date-time (a date alone
 * is none), or the year 9999 is passed. */
#define SPOT_DATETIME_BYTES 40
bool spot_datetime_later(
    const char *text, int64_t shift_ms, char later[SPOT_DATETIME_BYTES]);

/* YYYY-MM-DDThh:mm:ssZ and nothing else, as seconds since 1970-01-01T00:00:00Z. */
bool spot_timestamp_parse(const char *text, int64_t *time_s);

/* The same as text; times before 1970 or after 9999 become the nearest that is not. */
#define SPOT_TIMESTAMP_BYTES 24
void spot_timestamp_text(int64_t time_s, char text[SPOT_TIMESTAMP_BYTES]);

#endif
