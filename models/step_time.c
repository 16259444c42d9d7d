/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/step_time.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"

void spot_step_time_free(spot_step_time_t *self)
{
    free(self->points);
    free(self->table_path);
    spot_step_grid_free(&self->grid);
    memset(self, 0, sizeof(*self));
}

bool spot_step_time_is_by_pair(const spot_step_time_t *self)
{
    return self->num_points == 0;
}

bool spot_step_time_is_given(const spot_step_time_t *self)
{
    return self->num_points > 0 || self->table_path != NULL || self->pipeline.num_layers > 0;
}

const spot_field_t spot_world_size_key = {.type = SPOT_FIELD_INTEGER,
    .offset = 0,
    .min = 1,
    .max = SPOT_MAX_INSTANCES,
    .what = "a world size"};

int spot_step_time_add(spot_step_time_t *self, int64_t world_size, int64_t step_ms)
{
    size_t place = 0;
    int ret;

    spot_bug_assert(world_size >= 1 && step_ms >= 1);
    while (place < self->num_points && self->points[place].world_size < world_size) {
        place++;
    }
    if (place < self->num_points && self->points[place].world_size == world_size) {
        return SPOT_ERR_BAD_PARAM;
    }
    ret = SPOT_ARRAY_ROOM(self, points, self->num_points + 1);
    if (ret != 0) {
        return ret;
    }
    memmove(self->points + place + 1, self->points + place,
        (self->num_points - place) * sizeof(*self->points));
    self->points[place].world_size = world_size;
    self->points[place].step_ms = step_ms;
    self->num_points++;
    return 0;
}

/* numerator / denominator to the nearest integer, ties to even; denominator > 0. */
static int64_t divide_rounded(int64_t numerator, int64_t denominator)
{
    int64_t quotient = numerator / denominator;
    int64_t rest = numerator % denominator;

    if (rest < 0) {
        rest += denominator;
        quotient--;
    }
    if (2 * rest > denominator || (2 * rest == denominator && quotient % 2 != 0)) {
        quotient++;
    }
    return quotient;
}

int64_t spot_step_below_ms(
    spot_outside_t outside, int64_t least, int64_t least_ms, int64_t num_instances)
{
    int64_t step_ms;

    spot_bug_assert(num_instances >= 1 && num_instances <= least);
    if (outside == SPOT_OUTSIDE_FLAT) {
        return least_ms;
    }
    /* Below 2^63, as in spot_step_time_ms(). */
    step_ms = divide_rounded(least_ms * least, num_instances);
    return step_ms < SPOT_MAX_DURATION_MS ? step_ms : SPOT_MAX_DURATION_MS;
}

int64_t spot_step_time_ms(const spot_step_time_t *self, int64_t world_size)
{
    const spot_step_point_t *point = self->points;
    const spot_step_point_t *last = point + self->num_points - 1;

    spot_bug_assert(self->num_points > 0);
    if (world_size < point->world_size) {
        return spot_step_below_ms(
            (spot_outside_t) self->outside, point->world_size, point->step_ms, world_size);
    }
    if (world_size >= last->world_size) {
        return last->step_ms;
    }
    while (point[1].world_size < world_size) {
        point++;
    }
    /* Both products stay below 2^63: durations are below 2^42 ms, world sizes below
     * 2^20. */
    return divide_rounded(point[0].step_ms * (point[1].world_size - world_size) +
                              point[1].step_ms * (world_size - point[0].world_size),
        point[1].world_size - point[0].world_size);
}

int64_t spot_step_time_smallest(const spot_step_time_t *self)
{
    return self->points[0].world_size;
}

int64_t spot_step_time_largest(const spot_step_time_t *self)
{
    return self->points[self->num_points - 1].world_size;
}

bool spot_step_time_covers(const spot_step_time_t *self, int64_t world_size)
{
    return self->num_points > 0 && world_size >= self->points[0].world_size &&
           world_size <= self->points[self->num_points - 1].world_size;
}

const spot_step_point_t *spot_step_time_rise(const spot_step_time_t *self)
{
    for (size_t j = 1; j < self->num_points; j++) {
        if (self->points[j].step_ms > self->points[j - 1].step_ms) {
            return &self->points[j];
        }
    }
    return NULL;
}
