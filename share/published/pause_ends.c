/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "share/published/pause_ends.h"

#include <string.h>

/* Each pause that is due belongs to a loss or to the end of a step. */
static int32_t most_ends(int64_t capacity)
{
    return (int32_t) (4 * capacity + 16);
}

size_t spot_pause_ends_bytes(int64_t capacity)
{
    return (size_t) most_ends(capacity) * sizeof(spot_pause_end_t);
}

void spot_pause_ends_start(spot_pause_ends_t *self, void *memory, int64_t capacity)
{
    self->num_ends = 0;
    self->max_ends = most_ends(capacity);
    self->ends = memory;
}

int32_t spot_pause_ends_add(spot_pause_ends_t *self, int64_t now_ms, int64_t pause_ms)
{
    const int64_t time_ms = now_ms + (pause_ms > 0 ? pause_ms : 1);

    if (self->num_ends == self->max_ends) {
        return 1;
    }
    self->ends[self->num_ends++] = (spot_pause_end_t){time_ms, pause_ms};
    return 0;
}

bool spot_pause_ends_take(spot_pause_ends_t *self, int64_t now_ms, int64_t *pause_ms)
{
    for (int32_t j = 0; j < self->num_ends; j++) {
        if (self->ends[j].time_ms <= now_ms) {
            *pause_ms = self->ends[j].pause_ms;
            self->num_ends--;
            memmove(&self->ends[j], &self->ends[j + 1],
                (size_t) (self->num_ends - j) * sizeof(*self->ends));
            return true;
        }
    }
    return false;
}

int64_t spot_pause_ends_next_ms(const spot_pause_ends_t *self)
{
    int64_t next_ms = 0;

    for (int32_t j = 0; j < self->num_ends; j++) {
        const int64_t time_ms = self->ends[j].time_ms;

        next_ms = next_ms == 0 || time_ms < next_ms ? time_ms : next_ms;
    }
    return next_ms;
}
