/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jobs with a data loader whose times are known from measured runs. */
#pragma once

#include <string.h>

#include "random_case.h"

/* 8 processes, 10.863 ms for a sample, 1.0439 s to collate 512, 1.77997 s to start. Read
 * remotely it takes 6 ms more. */
static const spot_loader_t measured = {
    .is_given = true,
    .samples = 28539,
    .sample_bytes = 220000,
    .processes = 8,
    .prefetch = 2,
    .threads = 1,
    .block = 1,
    .cost = {.decode_ns = 7665000,
        .read_ns = {3198000, 9198000},
        .collate_ns = 1043900000,
        .collate_batch = 512,
        .start_ns = 1779970000},
    .local_share = 1,
};

/* Each step end is durable at once. */
static const spot_checkpoint_t each_step = {.every_kind = SPOT_EVERY_STEPS, .every_steps = 1};

/* Instances that are there from the start, and stay. */
static inline void set_fleet(case_t *self, int64_t pipelines, int64_t depth, int64_t horizon_ms)
{
    memset(self, 0, sizeof(*self));
    self->trace_end_ms = horizon_ms;
    self->setting = (twin_setting_t){.horizon_ms = horizon_ms,
        .tick_ms = 1000,
        .capacity = pipelines * depth,
        .pipeline_depth = depth,
        .max_pipelines = 1000,
        .num_points = 1,
        .checkpoint = each_step,
        .input = measured,
        .samples_per_step = 512,
        .num_prices = 1};
    for (int64_t j = 0; j < pipelines * depth; j++) {
        self->lives[self->num_lives++] = (life_t){(int) j, -1, STAYS, false};
    }
}

static inline void set_step_ms(case_t *self, int64_t step_ms)
{
    self->setting.points[0] = (spot_step_point_t){self->setting.capacity, step_ms};
}
