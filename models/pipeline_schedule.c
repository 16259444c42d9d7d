/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/pipeline_schedule.h"

#include "base/integers.h"

#define MS_PER_S 1000.0

int64_t spot_micro_batches(int64_t samples_per_step, int64_t micro_batch, int64_t num_pipelines)
{
    /* Rounding up twice equals rounding up once, and no product overflows. */
    return spot_divide_up(spot_divide_up(samples_per_step, micro_batch), num_pipelines);
}

/* Work of all micro-batches on the stage that ends last, with bubbles. */
static double work_ms(const spot_pipeline_t *self)
{
    return (double) (self->num_micro_batches + self->num_stages - 1) *
           (self->forward_ms + self->backward_ms);
}

/* Links of the first micro-batch forward and of the last one backward. */
static double there_and_back_ms(const spot_pipeline_t *self)
{
    return 2 * (double) (self->num_stages - 1) * self->link_ms;
}

double spot_pipeline_gpipe_ms(const spot_pipeline_t *self)
{
    return work_ms(self) + there_and_back_ms(self);
}

double spot_pipeline_1f1b_ms(const spot_pipeline_t *self)
{
    const int64_t num_stages = self->num_stages;
    const int64_t num_micro_batches = self->num_micro_batches;
    const int64_t num_waits =
        num_stages + num_micro_batches - 2 - spot_divide_up(num_micro_batches - 1, num_stages);

    return work_ms(self) + (num_stages == 1 ? 0 : 2 * (double) num_waits * self->link_ms);
}

spot_pipeline_t spot_pipeline_recomputed(const spot_pipeline_t *self)
{
    spot_pipeline_t recomputed = *self;

    recomputed.backward_ms += self->forward_ms;
    return recomputed;
}

double spot_pipeline_varuna_ms(const spot_pipeline_t *self)
{
    const int64_t num_passes = self->num_micro_batches + self->num_stages - 2;

    if (self->num_stages == 1) {
        return work_ms(self);
    }
    return (double) num_passes * (2 * self->forward_ms + self->backward_ms) +
           there_and_back_ms(self);
}

double spot_ring_all_reduce_ms(int64_t num_pipelines, double bytes, double bytes_per_s)
{
    return 2 * (double) (num_pipelines - 1) / (double) num_pipelines * bytes / bytes_per_s *
           MS_PER_S;
}

double spot_stage_memory_bytes(
    const spot_stage_memory_t *self, int64_t num_in_flight, bool is_recomputed)
{
    const double kept_bytes =
        (double) num_in_flight * (is_recomputed ? self->input_bytes : self->activation_bytes);

    return self->state_bytes + kept_bytes + (is_recomputed ? self->activation_bytes : 0);
}

int64_t spot_pipeline_gpipe_in_flight(const spot_pipeline_t *self)
{
    return self->num_micro_batches;
}

int64_t spot_pipeline_1f1b_in_flight(const spot_pipeline_t *self)
{
    return self->num_stages < self->num_micro_batches ? self->num_stages : self->num_micro_batches;
}
