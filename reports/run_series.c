/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/run_series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"

static double
to_ms(const spot_series_kind_t *kind, int64_t ticks)
{
    return kind->ticks_per_s < SPOT_MS_PER_S
               ? (double) ticks * ((double) SPOT_MS_PER_S / (double) kind->ticks_per_s)
               : (double) ticks / ((double) kind->ticks_per_s / (double) SPOT_MS_PER_S);
}

double
spot_run_time_ms(const spot_series_t *series, size_t row_id)
{
    return to_ms(
        series->kind, series->cells[row_id * series->kind->num_columns].integer);
}

double
spot_run_value(const spot_series_t *series, size_t row_id, size_t column_id)
{
    const spot_cell_t *cell =
        &series->cells[row_id * series->kind->num_columns + column_id];

    if (series->kind->columns[column_id].kind != SPOT_COLUMN_NUMBER) {
        return (double) cell->integer;
    }
    return isfinite(cell->number) ? cell->number : 0;
}

/* Whether columns are an instant and then numbers, or what else the shape says. */
static bool
has_shape(const spot_series_kind_t *kind, spot_series_shape_t shape)
{
    const bool is_events = shape == SPOT_SERIES_EVENTS;

    if (kind->shape != shape || kind->num_columns < (is_events ? 3 : 2) ||
        kind->columns[0].kind != SPOT_COLUMN_INSTANT) {
        return false;
    }
    if (is_events) {
        return kind->columns[1].kind == SPOT_COLUMN_CATEGORY &&
               kind->columns[1].categories != NULL &&
               kind->columns[2].kind < SPOT_COLUMN_CATEGORY;
    }
    for (size_t j = 1; j < kind->num_columns; j++) {
        if (kind->columns[j].kind >= SPOT_COLUMN_CATEGORY) {
            return false;
        }
    }
    return true;
}

/* The first max_series series of a shape; returns their number. *end_ms is raised to
 * their last rows. */
static size_t
find_shape(const spot_recording_t *recording, spot_series_shape_t shape,
    const spot_series_t **found, size_t max_series, double *end_ms)
{
    size_t num_found = 0;

    for (size_t j = 0; j < recording->num_series && num_found < max_series; j++) {
        const spot_series_t *series = &recording->series[j];

        if (has_shape(series->kind, shape)) {
            found[num_found++] = series;
            if (series->num_rows > 0) {
                *end_ms = fmax(*end_ms, spot_run_time_ms(series, series->num_rows - 1));
            }
        }
    }
    return num_found;
}

static int
find_marks(spot_run_series_t *self)
{
    const spot_series_t *events = self->events;

    self->mark_names = events->kind->columns[1].categories;
    while (self->mark_names[self->num_mark_kinds] != NULL) {
        self->num_mark_kinds++;
    }
    self->mark_kinds = spot_calloc(events->num_rows, sizeof(*self->mark_kinds));
    if (self->mark_kinds == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < events->num_rows; j++) {
        const char *name = spot_series_text(events, j, 1);
        size_t kind = 0;

        while (
            kind < self->num_mark_kinds && strcmp(self->mark_names[kind], name) != 0) {
            kind++;
        }
        self->mark_kinds[j] = (int32_t) kind;
    }
    return 0;
}

int
spot_run_series_init(spot_run_series_t *self, const spot_recording_t *recording,
    const spot_colour_t *colours)
{
    memset(self, 0, sizeof(*self));
    self->title = recording->title == NULL ? "" : recording->title;
    self->note = recording->note;
    self->colours = colours;
    if (recording->num_series > 0) {
        self->end_ms = to_ms(recording->series[0].kind, recording->end_ticks);
    }
    (void) find_shape(recording, SPOT_SERIES_LEVELS, &self->levels, 1, &self->end_ms);
    (void) find_shape(recording, SPOT_SERIES_EVENTS, &self->events, 1, &self->end_ms);
    self->num_curves = find_shape(
        recording, SPOT_SERIES_CURVE, self->curves, SPOT_MAX_RUN_CURVES, &self->end_ms);
    self->curve = self->curves[0];
    self->num_levels = self->levels == NULL ? 0 : self->levels->kind->num_columns - 1;
    return self->events == NULL ? 0 : find_marks(self);
}

void
spot_run_series_free(spot_run_series_t *self)
{
    free(self->mark_kinds);
    memset(self, 0, sizeof(*self));
}

bool
spot_run_series_check(const spot_run_series_t *self, const char *path, spot_diag_t *diag)
{
    const bool has_series =
        self->levels != NULL || self->events != NULL || self->curve != NULL;

    if (self->end_ms > 0 && has_series) {
        return true;
    }
    if (diag != NULL) {
        spot_diag_error(diag, path, 0, 0, "nothing can be drawn: the run %s",
            self->end_ms > 0 ? "has no series over time" : "is empty");
    }
    return false;
}

static const char *
column_name(const spot_series_column_t *column)
{
    return column->label == NULL ? column->name : column->label;
}

const char *
spot_run_series_level(const spot_run_series_t *self, size_t level_id)
{
    return column_name(&self->levels->kind->columns[level_id + 1]);
}

const char *
spot_run_series_level_noun(const spot_run_series_t *self)
{
    const spot_series_kind_t *kind = self->levels->kind;
    const char *unit = spot_series_column_unit(kind, &kind->columns[1]);

    return unit[0] == '\0' || strcmp(unit, "1") == 0 ? kind->name : unit;
}

const char *
spot_run_series_curve_noun(const spot_run_series_t *self)
{
    return spot_run_series_curve_name(self, 0);
}

const char *
spot_run_series_curve_name(const spot_run_series_t *self, size_t curve_id)
{
    return column_name(&self->curves[curve_id]->kind->columns[1]);
}

const char *
spot_run_series_curve_unit(const spot_run_series_t *self, size_t curve_id)
{
    const spot_series_kind_t *kind = self->curves[curve_id]->kind;
    const char *unit = spot_series_column_unit(kind, &kind->columns[1]);

    return strcmp(unit, "1") == 0 ? "" : unit;
}
