/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/store/timeline.h"

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
