/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of what was measured of a system without a model of it: by the number of
 * instances (spot_instance_table_t), and curves y(x) (spot_measured_curve_t). Both are
 * read from CSV files; once read they are constant and safe for any number of threads. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/error.h"

/* ---- By the number of instances ---- */

/* Optional columns besides samples_per_s. */
typedef enum {
    SPOT_BY_N_RESTART_TOTAL_MS, /* a whole restart, including one checkpoint */
    SPOT_BY_N_CHECKPOINT_MS,
    SPOT_BY_N_PAUSE_MS,        /* after a loss, without a checkpoint */
    SPOT_BY_N_LOCAL_PAUSE_MS,  /* at a step end, without lost work */
    SPOT_BY_N_GLOBAL_PAUSE_MS, /* after a loss that cannot be absorbed */
    SPOT_BY_N_IDLE_INSTANCES,  /* instances of n outside the pipelines */
    SPOT_NUM_BY_N
} spot_by_n_t;

typedef struct {
    int32_t num_instances;         /* n >= 1 */
    double samples_per_s;          /* 0: infeasible, or no such column */
    int64_t step_ms;               /* >= 1; 0: infeasible, e.g. out of memory */
    int64_t values[SPOT_NUM_BY_N]; /* >= 0; 0 if the table has no such column */
    size_t line;                   /* in its file */
} spot_instance_row_t;

/* Throughput, step time and pauses of a system, as measured or published without its
 * pipelines. n counts all instances that are ready when the pipelines form, in use or
 * not. */
typedef struct {
    int64_t samples_per_step; /* global batch, the same for all rows; 0: not given */
    bool has_samples_per_s;
    bool has[SPOT_NUM_BY_N];
    size_t num_rows;
    size_t max_rows;
    spot_instance_row_t *rows; /* [num_rows] n from the smallest on, without a gap */
} spot_instance_table_t;

/* Reads a table: UTF-8 CSV with the columns n and step_ms, and any of samples_per_s,
 * restart_total_ms, checkpoint_ms, pause_ms, local_pause_ms, global_pause_ms and
 * idle_instances, in any order. There is a row for each n from the smallest to the
 * largest, in any order. Lines that start with # are remarks; before the columns they
 * may hold "samples_per_step: N". An empty step_ms, or a samples_per_s of 0, means that
 * n is infeasible: out of memory. BAD_INPUT, IO, NO_MEMORY with all reasons in diag;
 * free self even then. */
SPOT_MUST_CHECK int spot_instance_table_read(
    spot_instance_table_t *self, const char *path, spot_diag_t *diag);

void spot_instance_table_free(spot_instance_table_t *self);

/* The domain: the smallest and the largest n. */
int64_t spot_instance_table_smallest(const spot_instance_table_t *self);
int64_t spot_instance_table_largest(const spot_instance_table_t *self);

/* The row of n, feasible or not; NULL: outside the domain. O(1). */
const spot_instance_row_t *spot_instance_table_find(
    const spot_instance_table_t *self, int64_t num_instances);

/* The row of n; outside the domain the first or last row. O(1). */
const spot_instance_row_t *spot_instance_table_nearest(
    const spot_instance_table_t *self, int64_t num_instances);

/* best(N): the feasible row with n <= N and the highest throughput; of equal ones, that
 * with the fewest instances; NULL: none. O(rows). */
const spot_instance_row_t *spot_instance_table_best(
    const spot_instance_table_t *self, int64_t num_instances);

/* ---- Curves ---- */

typedef struct {
    double x; /* > 0 */
    double y; /* >= 0 */
} spot_measured_point_t;

/* A measured curve y(x), linear between its points. */
typedef struct {
    size_t num_points;
    size_t max_points;
    spot_measured_point_t *points; /* [num_points] x strictly increasing */
} spot_measured_curve_t;

void spot_measured_free(spot_measured_curve_t *self);

/* Reads a UTF-8 CSV file with the two columns x_name and y_name and x increasing; lines
 * that start with # are remarks. BAD_INPUT, IO, NO_MEMORY with the reasons in diag; free
 * self even then. */
SPOT_MUST_CHECK int spot_measured_read(spot_measured_curve_t *self, const char *path,
    const char *x_name, const char *y_name, spot_diag_t *diag);

/* y at x: below the first point its value, beyond the last one proportional to x, like
 * the time of a transfer. Needs at least one point. O(log num_points). */
double spot_measured_at(const spot_measured_curve_t *self, double x);

/* The point at exactly x, or NULL. O(log num_points). */
const spot_measured_point_t *spot_measured_find(const spot_measured_curve_t *self, double x);
