/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of queries: times between them, their times, and rates. All may be gzip. Each
 * reader appends to arrays of the setting, which owns them, and reports every error of
 * the file with its place: BAD_INPUT, IO, NO_MEMORY. */
#pragma once

#include "traces/queries/arrivals.h"

/* A line for each time between two queries, in ms. Empty lines and lines from # on are
 * passed over. max_deltas: the number of the first ones to read; 0: all. */
SPOT_MUST_CHECK int spot_query_deltas_read(
    spot_arrivals_setting_t *self, const char *path, int64_t max_deltas, spot_diag_t *diag);

/* CSV with a column time_s, time_ms or time_ns: the times of queries, decimal numbers
 * that do not decrease. Each is rounded to ns once, half up, after the first one is
 * subtracted. */
SPOT_MUST_CHECK int spot_query_trace_read(
    spot_arrivals_setting_t *self, const char *path, int64_t max_deltas, spot_diag_t *diag);

/* CSV with the columns minute and requests_per_minute: from each minute on, which
 * increase from 0, so many queries come a minute. The last row is as long as the one
 * before it, or a minute. */
SPOT_MUST_CHECK int spot_query_rates_read(
    spot_arrivals_setting_t *self, const char *path, spot_diag_t *diag);
