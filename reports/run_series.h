/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The series of one replication that its picture shows: the first levels as a stack, the
 * first events as marks and the first curves, in their own words. Times are in ms,
 * whatever the ticks of the series. */
#pragma once

#include <stdint.h>

#include "base/diag.h"
#include "base/error.h"
#include "sim/engine/metric.h"
#include "sim/engine/series.h"

#define SPOT_MAX_RUN_CURVES 4

typedef struct {
    const char *title, *note; /* may be empty */
    const spot_colour_t *colours;
    double end_ms;
    const spot_series_t *levels; /* NULL: none, as below */
    const spot_series_t *events;
    const spot_series_t *curve; /* the first of the curves */
    size_t num_curves;
    const spot_series_t *curves[SPOT_MAX_RUN_CURVES];
    size_t num_levels;
    size_t num_mark_kinds;
    const char *const *mark_names; /* [num_mark_kinds] the categories of events */
    int32_t *mark_kinds; /* [num_rows] of events; num_mark_kinds: not a category */
} spot_run_series_t;

/* recording and colours, which may be NULL, must outlive self. NO_MEMORY; free self even
 * then. O(events). */
SPOT_MUST_CHECK int spot_run_series_init(spot_run_series_t *self,
    const spot_recording_t *recording, const spot_colour_t *colours);
void spot_run_series_free(spot_run_series_t *self);

/* Whether there is something to draw; else the reason, for a message at path, goes to
 * diag, which may be NULL. */
bool spot_run_series_check(
    const spot_run_series_t *self, const char *path, spot_diag_t *diag);

/* The name of a level; what all levels count, such as "instances"; what the first
 * curve, or another one, is; its unit, "" for a plain number. */
const char *spot_run_series_level(const spot_run_series_t *self, size_t level_id);
const char *spot_run_series_level_noun(const spot_run_series_t *self);
const char *spot_run_series_curve_noun(const spot_run_series_t *self);
const char *spot_run_series_curve_name(const spot_run_series_t *self, size_t curve_id);
const char *spot_run_series_curve_unit(const spot_run_series_t *self, size_t curve_id);

/* The time of a row. */
double spot_run_time_ms(const spot_series_t *series, size_t row_id);

/* A count or a number of a row; what is null is 0. */
double spot_run_value(const spot_series_t *series, size_t row_id, size_t column_id);
