/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When queries come: drawn by a law, or read from a file. In whole nanoseconds since the
 * first query.
 *
 * This module owns the setting of a scenario's arrivals, the readers of its files (times
 * between queries, times, rates), the draw of a replication, and the figures of arrivals
 * that `serve fit` prints.
 *
 * Use: bind spot_arrivals_fields and call spot_arrivals_open(); each replication
 * calls spot_arrivals_draw(). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bind.h"
#include "base/error.h"

typedef enum {
    SPOT_ARRIVALS_POISSON,
    SPOT_ARRIVALS_GAMMA,
    SPOT_ARRIVALS_CONSTANT,
    SPOT_ARRIVALS_DELTAS,    /* a file of times between queries */
    SPOT_ARRIVALS_DELTAS_MS, /* the same in the scenario */
    SPOT_ARRIVALS_TRACE,     /* a file of times of queries */
    SPOT_ARRIVALS_VARYING,   /* a rate that changes with time, from a file */
    SPOT_ARRIVALS_DAILY,     /* a rate that changes with the time of day */
    SPOT_NUM_ARRIVALS
} spot_arrivals_kind_t;

/* A step of a rate. */
typedef struct {
    int64_t from_ns; /* until the next step */
    double per_s;    /* queries */
} spot_query_rate_t;

/* The key arrivals, as it is bound, and what its file holds. Constant after opening, so
 * that all threads share it. */
typedef struct {
    spot_arrivals_kind_t kind;
    double rate_qps;
    int64_t count;   /* deltas; 0: all of the file */
    double cv, scv;  /* of gamma; opening makes scv of cv */
    int64_t clip_ns; /* no delta is shorter */
    char *file;
    double rescale_qps; /* 0: none */
    size_t num_deltas, max_deltas;
    double *deltas_ms; /* [num_deltas] of a file or of the scenario */
    size_t max_times;
    int64_t *times_ns; /* [num_deltas + 1] of a trace, from 0, in place of deltas_ms */
    size_t num_rates, max_rates;
    spot_query_rate_t *rates; /* [num_rates] from_ns increasing from 0 */
    int64_t rates_end_ns;     /* end of varying and daily arrivals */
    double peak_qps;          /* the highest rate of both */
    double low_qps;           /* of daily, as what follows */
    int64_t peak_at_ns, days;
} spot_arrivals_setting_t;

/* The table of the map arrivals; its owner is the setting. */
extern const spot_field_t spot_arrivals_fields[];

/* Checks the map arrivals once it is bound (root: the map) and reads its file. BAD_INPUT
 * with the reasons in the diagnostics of bind, IO, NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_arrivals_open(
    spot_arrivals_setting_t *self, spot_bind_t *bind, const spot_node_t *root);
void spot_arrivals_setting_free(spot_arrivals_setting_t *self);

/* The mean number of queries of a replication, and the mean time from the first to the last. */
double spot_arrivals_mean_queries(const spot_arrivals_setting_t *self);
double spot_arrivals_mean_ns(const spot_arrivals_setting_t *self);

/* Before the first draw: reports queries that take more than spot_memory_limit(), in
 * spot_arrivals_t and the more_bytes of what a run does with them. root: the map arrivals.
 * BAD_INPUT. */
SPOT_MUST_CHECK int spot_arrivals_check_memory(const spot_arrivals_setting_t *self,
    spot_diag_t *diag, const spot_node_t *root, double more_bytes);

/* Whether replications differ. */
bool spot_arrivals_is_random(const spot_arrivals_setting_t *self);

/* The longest arrivals, from the first query to the last. */
#define SPOT_MAX_ARRIVALS_NS (INT64_C(1) << 62)

/* The queries of a replication. Zero it to start. */
typedef struct {
    size_t num_queries; /* N + 1 */
    size_t max_queries;
    int64_t *source_ns; /* [num_queries] not decreasing from 0 */
    size_t max_deltas;
    double *deltas_ms;  /* [num_queries - 1] before rescaling */
    double base_qps;    /* rate of deltas_ms as whole ns; NAN: all 0, or none */
    double rate_qps;    /* the same of source_ns: N / time from the first to the last */
    double mean_ms, cv; /* of the whole deltas; NAN without any */
} spot_arrivals_t;

/* Draws or copies the queries of a replication, rescaled if the setting says so; memory
 * is kept for the next one. NO_MEMORY, INTERRUPTED; BAD_PARAM: they last longer than 2^62
 * ns. */
SPOT_MUST_CHECK int spot_arrivals_draw(spot_arrivals_t *self,
    const spot_arrivals_setting_t *setting, uint64_t seed, uint64_t replication);

/* The same queries at another mean rate: each delta times base_qps / rate_qps, then in
 * whole ns. NO_MEMORY, BAD_PARAM as above. base_qps must not be NAN. */
SPOT_MUST_CHECK int spot_arrivals_rescale(
    spot_arrivals_t *self, const spot_arrivals_t *from, double rate_qps);
void spot_arrivals_free(spot_arrivals_t *self);

/* ---- Files of queries ----
 * Files of queries: times between them, their times, and rates. All may be gzip. Each
 * reader appends to arrays of the setting, which owns them, and reports every error of
 * the file with its place: BAD_INPUT, IO, NO_MEMORY. */

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

/* ---- What arrivals are like ----
 * What arrivals are like: rate, spread, and how many queries come at once. */

#define SPOT_MAX_WINDOWS 43 /* 1 ms * 2^k up to the longest arrivals */

/* Figures of the whole deltas; NAN without any, or if all are 0. */
typedef struct {
    double scv;
    double zero_share; /* deltas of 0 ns */
    /* The envelope: the most queries in any window [t, t + w) for w = 1 ms * 2^k up to
     * the time from the first query to the last. */
    size_t num_windows;
    int64_t window_ns[SPOT_MAX_WINDOWS];
    size_t most_queries[SPOT_MAX_WINDOWS];
} spot_arrivals_fit_t;

/* O(queries * windows). */
void spot_arrivals_fit(spot_arrivals_fit_t *self, const spot_arrivals_t *arrivals);
