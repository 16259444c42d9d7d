/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/engine/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void
spot_timeline_init(spot_timeline_t *self)
{
    memset(self, 0, sizeof(*self));
}

void
spot_timeline_free(spot_timeline_t *self)
{
    free(self->segments);
    free(self->marks);
    free(self->progress);
    free(self->owned);
    memset(self, 0, sizeof(*self));
}

int
spot_timeline_add_segment(spot_timeline_t *self, const spot_timeline_segment_t *segment)
{
    const size_t num_segments = self->num_segments;
    void *segments = self->segments;
    int ret;

    spot_bug_assert(num_segments == 0 ? segment->start_ms == 0
                                      : segment->start_ms >=
                                            self->segments[num_segments - 1].start_ms);
    if (num_segments > 0 &&
        segment->start_ms == self->segments[num_segments - 1].start_ms) {
        self->segments[num_segments - 1] = *segment;
        return 0;
    }
    ret = spot_array_reserve(
        &segments, &self->max_segments, num_segments + 1, sizeof(*self->segments));
    if (ret != 0) {
        return ret;
    }
    self->segments = segments;
    self->segments[self->num_segments++] = *segment;
    return 0;
}

int
spot_timeline_add_mark(
    spot_timeline_t *self, int64_t time_ms, int32_t mark_kind, int64_t count)
{
    void *marks = self->marks;
    int ret;

    spot_bug_assert(mark_kind >= 0 && (size_t) mark_kind < self->num_mark_kinds);
    spot_bug_assert(
        self->num_marks == 0 || time_ms >= self->marks[self->num_marks - 1].time_ms);
    ret = spot_array_reserve(
        &marks, &self->max_marks, self->num_marks + 1, sizeof(*self->marks));
    if (ret != 0) {
        return ret;
    }
    self->marks = marks;
    self->marks[self->num_marks++] = (spot_timeline_mark_t){time_ms, mark_kind, count};
    return 0;
}

int
spot_timeline_add_progress(spot_timeline_t *self, int64_t time_ms, double value)
{
    void *progress = self->progress;
    int ret;

    spot_bug_assert(self->num_progress == 0 ||
                    time_ms >= self->progress[self->num_progress - 1].time_ms);
    ret = spot_array_reserve(
        &progress, &self->max_progress, self->num_progress + 1, sizeof(*self->progress));
    if (ret != 0) {
        return ret;
    }
    self->progress = progress;
    self->progress[self->num_progress++] = (spot_timeline_progress_t){time_ms, value};
    return 0;
}

/* The first series of a shape, or NULL. */
static const spot_series_t *
find_shape(const spot_recording_t *recording, spot_series_shape_t shape)
{
    for (size_t j = 0; j < recording->num_series; j++) {
        if (recording->series[j].kind->shape == shape) {
            return &recording->series[j];
        }
    }
    return NULL;
}

static int
read_levels(spot_timeline_t *self, const spot_series_t *series)
{
    const size_t num_columns = series->kind->num_columns;
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < series->num_rows; j++) {
        const spot_cell_t *cells = &series->cells[j * num_columns];
        spot_timeline_segment_t segment = {.start_ms = cells[0].integer};

        for (size_t k = 0; k < self->num_categories; k++) {
            segment.heights[k] = series->kind->columns[k + 1].kind == SPOT_COLUMN_NUMBER
                                     ? cells[k + 1].number
                                     : (double) cells[k + 1].integer;
        }
        ret = spot_timeline_add_segment(self, &segment);
    }
    return ret;
}

static int
read_events(spot_timeline_t *self, const spot_series_t *series)
{
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < series->num_rows; j++) {
        const spot_cell_t *cells = &series->cells[j * series->kind->num_columns];
        const char *name = spot_series_text(series, j, 1);
        int32_t kind = 0;

        while (strcmp(self->mark_names[kind], name) != 0) {
            kind++;
        }
        ret = spot_timeline_add_mark(self, cells[0].integer, kind, cells[2].integer);
    }
    return ret;
}

static int
read_curve(spot_timeline_t *self, const spot_series_t *series)
{
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < series->num_rows; j++) {
        const spot_cell_t *cells = &series->cells[j * series->kind->num_columns];

        ret = spot_timeline_add_progress(self, cells[0].integer, cells[1].number);
    }
    return ret;
}

int
spot_timeline_read(spot_timeline_t *self, const spot_recording_t *recording)
{
    const spot_series_t *levels = find_shape(recording, SPOT_SERIES_LEVELS);
    const spot_series_t *events = find_shape(recording, SPOT_SERIES_EVENTS);
    const spot_series_t *curve = find_shape(recording, SPOT_SERIES_CURVE);
    int ret = 0;

    strcpy(self->note, recording->note);
    self->title = recording->title == NULL ? "" : recording->title;
    self->height_label = self->progress_label = "";
    self->end_ms = recording->end_ticks;
    if (levels != NULL) {
        const spot_series_column_t *columns = levels->kind->columns;
        const char **names;

        self->num_categories = levels->kind->num_columns - 1;
        spot_bug_assert(self->num_categories <= SPOT_TIMELINE_MAX_CATEGORIES);
        names = spot_calloc(self->num_categories, sizeof(*names));
        if (names == NULL) {
            return SPOT_ERR_NO_MEMORY;
        }
        for (size_t j = 0; j < self->num_categories; j++) {
            names[j] = columns[j + 1].name;
        }
        self->owned = names;
        self->category_names = names;
        self->height_label = columns[1].unit;
        ret = read_levels(self, levels);
    }
    if (ret == 0 && events != NULL) {
        self->mark_names = events->kind->columns[1].categories;
        while (self->mark_names[self->num_mark_kinds] != NULL) {
            self->num_mark_kinds++;
        }
        ret = read_events(self, events);
    }
    if (ret == 0 && curve != NULL) {
        self->progress_label = curve->kind->columns[1].label;
        ret = read_curve(self, curve);
    }
    return ret;
}
