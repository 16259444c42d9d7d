/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Strict dates and times of fixed widths as in ISO 8601. strptime() accepts a 30
 * February, one digit for two, and any text after the date. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* The scan functions read one item at *text and move *text past it. They return false if
 * there is none; *text is then somewhere within the text. */

/* YYYY-MM-DD of the proleptic Gregorian calendar, as days since 1970-01-01. */
bool spot_date_scan(const char **text, int64_t *day);

/* hh:mm:ss from 00:00:00 to 23:59:59, as seconds since midnight. */
bool spot_time_of_day_scan(const char **text, int64_t *time_s);

/* Whether the whole text is a date, or a date-time with an optional fraction and
 * zone. */
bool spot_datetime_is(const char *text);

/* Writes the date-time YYYY-MM-DDThh:mm:ss[.fraction][zone] that is shift_ms >= 0 later
 * than text, in the same zone; the fraction has at most 3 digits. Returns false if text
 * is no date-time (a date alone is none), or the result is after the year 9999. */
#define SPOT_DATETIME_BYTES 40
bool spot_datetime_later(const char *text, int64_t shift_ms, char later[SPOT_DATETIME_BYTES]);

/* Reads YYYY-MM-DDThh:mm:ssZ and nothing else, as seconds since 1970-01-01T00:00:00Z. */
bool spot_timestamp_parse(const char *text, int64_t *time_s);

/* Reads a whole text YYYY-MM-DDThh:mm:ss[.fraction][zone], with a blank or a T between
 * and Z, z, +hh, +hhmm or +hh:mm from -12:00 to +14:00 as the zone, as ms since
 * 1970-01-01T00:00:00Z; further digits of the fraction are cut. *has_zone: it has one, else it is
 * taken as UTC. */
bool spot_instant_parse(const char *text, int64_t *time_ms, bool *has_zone);

/* Whether a text is such a time in another zone than UTC. */
bool spot_instant_is_local(const char *text);

/* The same as people write it: the time may be hh:mm, or 24:00, the end of the day, a blank
 * may stand before the zone, and the zone may be UTC or GMT. */
bool spot_moment_parse(const char *text, int64_t *time_ms, bool *has_zone);

/* Reads "Mon, 19 Sep 2016 18:29:47 GMT" and nothing else, the date of RFC 1123 as HTTP
 * has it; the day of the week must be right. */
bool spot_http_date_parse(const char *text, int64_t *time_ms);

/* Whether two records that say when they start cannot have started together: the second
 * one shift_ms later than it says. A text is a date, or a date-time with a zone or
 * without, when it is known to a day and the zones of the earth. Other texts such as
 * "unknown" differ from nothing. *apart_ms: how much later the first one starts. */
bool spot_starts_differ(const char *first, const char *second, int64_t shift_ms, int64_t *apart_ms);

/* Writes a time as YYYY-MM-DDThh:mm:ss[.mmm]Z. time_ms from the year 0 to 9999. */
void spot_instant_text(int64_t time_ms, char text[SPOT_DATETIME_BYTES]);

/* Parses integer seconds from 0, or YYYY-MM-DD hh:mm:ss from 1970 on, with a blank or a
 * T between, as seconds since 1970 UTC. *is_date: it looks like a date, right or wrong.
 * BAD_INPUT. */
SPOT_MUST_CHECK int spot_clock_parse(const char *text, int64_t *time_s, bool *is_date);
