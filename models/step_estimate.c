/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/step_estimate.h"

#include <math.h>

#include "base/stats.h"
#include "base/units.h"
#include "models/pipeline_schedule.h"
#include "models/step_pipeline.h"

#define GIB 1073741824.0
#define HALF_BYTES 2 /* of a parameter, a gradient or an activation in fp16 */

#define ROW(peak, gib, source)                                                                     \
    {                                                                                              \
        peak, gib *GIB, #peak " FLOP/s, " #gib " GiB; NVIDIA data sheet, " source                  \
    }

const char *const spot_accelerator_names[] = {
    "k80", "t4", "v100", "a40", "a100-40", "a100-80", "h100", NULL};
const spot_accelerator_t spot_accelerators[] = {
    ROW(4.37e12, 12, "half of a board, fp32"),
    ROW(65e12, 16, "fp16"),
    ROW(125e12, 16, "SXM2 16 GB, fp16"),
    ROW(149.7e12, 48, "fp16, dense"),
    ROW(312e12, 40, "SXM 40 GB, fp16, dense"),
    ROW(312e12, 80, "SXM 80 GB, fp16, dense"),
    ROW(989.4e12, 80, "SXM 80 GB, fp16, dense"),
};

/* The longest stage. */
typedef struct {
    double flops;      /* of a forward pass and token */
    double num_blocks; /* of the stage with the most */
    double parameters; /* of that, with the embedding or the head */
} stage_t;

/* Tries each number of blocks of the last stage; the others share the rest. */
static stage_t longest_stage(const spot_step_estimate_t *self, int64_t depth)
{
    const spot_model_preset_t *model = self->model;
    const int64_t num_blocks = model->num_blocks;
    const double tokens = (double) (model->vocabulary * model->hidden);
    const double parameters = (double) spot_model_preset_block(model), head = 2 * tokens;
    const double block = 2 * parameters + 4 * (double) (self->sequence * model->hidden);
    stage_t stage = {.flops = (double) num_blocks * block + head,
        .num_blocks = (double) num_blocks,
        .parameters = (double) spot_model_preset_parameters(model)};

    for (int64_t last = 0; last < num_blocks && depth > 1; last++) {
        const int64_t other = (num_blocks - last + depth - 2) / (depth - 1);
        const double flops = fmax((double) other * block, (double) last * block + head);

        if (flops < stage.flops) {
            stage.flops = flops;
            stage.num_blocks = (double) (other > last ? other : last);
            stage.parameters = stage.num_blocks * parameters + tokens;
        }
    }
    return stage;
}

/* The stage is the only layer of its instance. */
double spot_step_estimate_ms(const spot_step_estimate_t *self, int64_t num_pipelines, int64_t depth)
{
    const stage_t stage = longest_stage(self, depth);
    const double tokens = (double) (self->micro_batch * self->sequence);
    const double width = (double) self->model->hidden;
    const double forward_ms = (double) SPOT_MS_PER_S * tokens * stage.flops /
                              (self->peak_flops_per_s * self->utilisation);
    const double scores = 5 * (double) (self->model->num_heads * self->sequence);
    const bool is_by_block = self->is_recomputed && self->schedule != SPOT_SCHEDULE_VARUNA;
    const spot_step_pipeline_t pipeline = {.schedule = self->schedule,
        .recompute = self->is_recomputed ? SPOT_RECOMPUTE_ALL : SPOT_RECOMPUTE_NONE,
        .num_layers = depth,
        .micro_batch = self->micro_batch,
        .forward_ms = forward_ms,
        .backward_ms = 2 * forward_ms,
        .link_ms = (double) SPOT_MS_PER_S * HALF_BYTES * tokens * width / self->bytes_per_s,
        .gradient_bytes = stage.parameters * HALF_BYTES,
        .bandwidth_bytes_per_s = self->bytes_per_s,
        .memory = {.instance_bytes = self->instance_bytes,
            .state_bytes = stage.parameters * SPOT_MODEL_MEMORY_BYTES,
            .activation_bytes =
                (is_by_block ? 1 : stage.num_blocks) * tokens * (34 * width + scores),
            .input_bytes = (is_by_block ? stage.num_blocks : 1) * tokens * width * HALF_BYTES}};

    return spot_step_pipeline_ms(&pipeline, self->samples_per_step, num_pipelines, depth);
}

int spot_step_estimate_fill(
    const spot_step_estimate_t *self, const spot_step_range_t *range, spot_step_grid_t *grid)
{
    const int64_t most = spot_micro_batches(self->samples_per_step, self->micro_batch, 1);
    const int64_t end = range->max_pipelines < most ? range->max_pipelines : most;
    const double samples_ms = (double) (SPOT_MS_PER_S * self->samples_per_step);
    int ret = 0;

    *grid = (spot_step_grid_t){.samples_per_step = self->samples_per_step,
        .micro_batch = self->micro_batch,
        .num_layers = self->model->num_blocks + SPOT_MODEL_ENDS,
        .has_samples_per_s = true};
    for (int64_t depth = range->min_depth;
         depth <= range->max_depth && depth <= self->model->num_blocks; depth++) {
        for (int64_t num = range->min_pipelines;
             ret == 0 && num <= end && num * depth <= range->max_instances; num++) {
            const double step_ms = spot_step_estimate_ms(self, num, depth);
            const bool is_feasible =
                step_ms >= SPOT_MIN_STEP_MS && step_ms <= (double) SPOT_MAX_DURATION_MS;
            const spot_step_pair_t pair = {.num_pipelines = (int32_t) num,
                .depth = (int32_t) depth,
                .origin = SPOT_STEP_ESTIMATED,
                .step_ms = is_feasible ? step_ms : 0,
                .samples_per_s = is_feasible ? samples_ms / step_ms : 0};

            ret = spot_step_grid_add(grid, &pair);
        }
    }
    return ret == 0 ? spot_step_grid_seal(grid, NULL, NULL) : ret;
}

/* The median falls with the utilisation: bisects the logarithm. */
size_t spot_step_estimate_calibrate(
    spot_step_estimate_t *self, const spot_step_grid_t *measured, double *ratios)
{
    spot_step_estimate_t estimate = *self;
    double low = 1e-6, high = 1;
    size_t num = 0;

    for (estimate.instance_bytes = 0; high / low > 1 + 1e-12;) {
        estimate.utilisation = sqrt(low * high);
        num = 0;
        for (size_t j = 0; j < measured->num_pairs; j++) {
            const spot_step_pair_t *pair = &measured->pairs[j];

            if (pair->origin == SPOT_STEP_MEASURED && pair->depth <= self->model->num_blocks) {
                ratios[num] = spot_step_estimate_ms(&estimate, pair->num_pipelines, pair->depth) /
                              pair->step_ms;
                num += ratios[num] > 0;
            }
        }
        spot_sort(ratios, num);
        *(spot_quantile(ratios, num, 0.5) > 1 ? &low : &high) = estimate.utilisation;
    }
    self->utilisation = estimate.utilisation;
    return num;
}
