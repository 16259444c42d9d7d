/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/step_time.h"

#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/memory.h"
#include "base/units.h"

/* Memory of a stage. */
typedef struct {
    double state_bytes;      /* parameters, gradients and the optimizer's state */
    double activation_bytes; /* of one micro-batch, for its backward pass */
    double input_bytes;      /* of one micro-batch, kept instead with recomputation */
} stage_memory_t;

/* ---- Schedules ---- */

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

/* All forward passes, then all backward passes: (M+P-1)(F+B) + 2(P-1)S. Exact. */
static double gpipe_ms(const spot_pipeline_t *self)
{
    return work_ms(self) + there_and_back_ms(self);
}

/* One forward, one backward in turn, after P-1-s forwards on stage s: (M+P-1)(F+B) +
 * 2S(P+M-2-ceil((M-1)/P)), and M(F+B) for one stage. Exact. */
static double one_f_one_b_ms(const spot_pipeline_t *self)
{
    const int64_t num_stages = self->num_stages;
    const int64_t num_micro_batches = self->num_micro_batches;
    const int64_t num_waits =
        num_stages + num_micro_batches - 2 - spot_divide_up(num_micro_batches - 1, num_stages);

    return work_ms(self) + (num_stages == 1 ? 0 : 2 * (double) num_waits * self->link_ms);
}

/* The same pipeline with activations recomputed before each backward pass: B+F for B. */
static spot_pipeline_t pipeline_recomputed(const spot_pipeline_t *self)
{
    spot_pipeline_t recomputed = *self;

    recomputed.backward_ms += self->forward_ms;
    return recomputed;
}

/* Varuna's rules, by which all stages but the last recompute their activations (B of
 * self excludes that): (M+P-2)(2F+B) + 2(P-1)S, and M(F+B) for one stage. An
 * approximation: -0.5 to +8 % of Varuna's own simulator, on average within 1.1 %. */
static double varuna_ms(const spot_pipeline_t *self)
{
    const int64_t num_passes = self->num_micro_batches + self->num_stages - 2;

    if (self->num_stages == 1) {
        return work_ms(self);
    }
    return (double) num_passes * (2 * self->forward_ms + self->backward_ms) +
           there_and_back_ms(self);
}

/* Time to sum the gradients of a stage over the D pipelines that hold it: 2(D-1)/D
 * bytes/bandwidth. bytes_per_s > 0. */
static double ring_all_reduce_ms(int64_t num_pipelines, double bytes, double bytes_per_s)
{
    return 2 * (double) (num_pipelines - 1) / (double) num_pipelines * bytes / bytes_per_s *
           MS_PER_S;
}

/* The most memory of a stage while num_in_flight micro-batches wait for their backward
 * pass; with recomputation one of them has its activations. */
static double memory_bytes(const stage_memory_t *self, int64_t num_in_flight, bool is_recomputed)
{
    const double kept_bytes =
        (double) num_in_flight * (is_recomputed ? self->input_bytes : self->activation_bytes);

    return self->state_bytes + kept_bytes + (is_recomputed ? self->activation_bytes : 0);
}

/* The most micro-batches between forward and backward pass on the first stage, which has
 * the most of all stages: M in GPipe, min(P, M) in 1F1B. */
static int64_t gpipe_in_flight(const spot_pipeline_t *self)
{
    return self->num_micro_batches;
}

static int64_t one_f_one_b_in_flight(const spot_pipeline_t *self)
{
    return self->num_stages < self->num_micro_batches ? self->num_stages : self->num_micro_batches;
}

/* ---- Steps of a model ---- */

#define MAX_MS ((double) SPOT_MAX_DURATION_MS)
#define MIN_MS 1e-6
#define MAX_BYTES 1e18
#define MAX_LAYERS 100000

const char *const spot_step_schedules[] = {"1f1b", "gpipe", "varuna", NULL};
static const char *const recomputes[] = {"none", "all", NULL};

static const spot_field_t memory_fields[] = {
    {SPOT_RANGE(NUMBER, "instance_bytes", spot_step_pipeline_t, memory.instance_bytes, 1, MAX_BYTES,
        NULL, "memory of an instance",
        "memory of an instance for a stage; what does not fit is infeasible")},
    {SPOT_RANGE(NUMBER, "state_bytes", spot_step_pipeline_t, memory.state_bytes, 0, MAX_BYTES, NULL,
        "state of a layer", "parameters, gradients and state of the optimizer of one layer")},
    {SPOT_RANGE(NUMBER, "activation_bytes", spot_step_pipeline_t, memory.activation_bytes, 0,
         MAX_BYTES, "0", "activations of a layer",
         "activations of one layer for one micro-batch, kept until its backward pass"),
        SPOT_DECIDES},
    {SPOT_RANGE(NUMBER, "input_bytes", spot_step_pipeline_t, memory.input_bytes, 0, MAX_BYTES, "0",
         "input of a layer",
         "input of a stage for one micro-batch, which is kept instead where activations "
         "are recomputed"),
        SPOT_DECIDES},
    {.name = NULL},
};

const spot_field_t spot_step_pipeline_fields[] = {
    {SPOT_CHOICE("schedule", spot_step_pipeline_t, schedule, spot_step_schedules, "1f1b",
         "pipeline schedule",
         "1f1b: one forward, one backward, with a flush; gpipe: all forward, then all "
         "backward; varuna: its rules, which recompute activations on all stages but the "
         "last"),
        SPOT_DECIDES},
    {SPOT_RANGE(INTEGER, "layers", spot_step_pipeline_t, num_layers, 1, MAX_LAYERS, NULL,
        "model layers", "layers of the model; a stage has ceil(layers/P) at most")},
    {SPOT_RANGE(INTEGER, "micro_batch", spot_step_pipeline_t, micro_batch, 1, 1e12, NULL,
        "samples per micro-batch",
        "samples of a micro-batch; a pipeline has ceil(samples_per_step/(micro_batch "
        "D)) of them in a step")},
    {SPOT_RANGE(NUMBER, "forward_ms", spot_step_pipeline_t, forward_ms, MIN_MS, MAX_MS, NULL,
        "forward pass of a layer", "forward pass of a micro-batch through one layer, ms")},
    {SPOT_RANGE(NUMBER, "backward_ms", spot_step_pipeline_t, backward_ms, MIN_MS, MAX_MS, NULL,
        "backward pass of a layer", "backward pass of a micro-batch through one layer, ms")},
    {SPOT_CHOICE("recompute", spot_step_pipeline_t, recompute, recomputes, "none", "recomputation",
         "all: activations are computed anew before each backward pass, which takes "
         "backward_ms + forward_ms then; varuna has its own rule"),
        SPOT_DECIDES},
    {SPOT_RANGE(NUMBER, "link_ms", spot_step_pipeline_t, link_ms, 0, MAX_MS, "0",
         "transfer between stages",
         "time from a stage to its neighbour for one micro-batch, ms; it is not hidden"),
        SPOT_DECIDES},
    {SPOT_RANGE(NUMBER, "gradient_bytes", spot_step_pipeline_t, gradient_bytes, 0, MAX_BYTES, NULL,
        "gradients of a layer",
        "gradients of one layer, summed over the pipelines by a ring: 2(D-1)/D of them "
        "per instance and step")},
    {SPOT_RANGE(NUMBER, "bandwidth_bytes_per_s", spot_step_pipeline_t, bandwidth_bytes_per_s, 1,
         MAX_BYTES, "1.25e9", "gradient bandwidth",
         "of that ring, bytes per second (10 Gbit/s if not given)"),
        SPOT_DECIDES},
    {SPOT_RANGE(NUMBER, "optimizer_ms", spot_step_pipeline_t, optimizer_ms, 0, MAX_MS, "0",
         "optimizer time", "what a step takes besides, ms"),
        SPOT_DECIDES},
    {.name = "memory",
        .type = SPOT_FIELD_MAP,
        .offset = 0,
        .initial = "",
        .fields = memory_fields,
        .help = "what a stage keeps in memory; without it every stage fits"},
    {.name = NULL},
};

/* Layers of the largest stage. */
static int64_t stage_layers(const spot_step_pipeline_t *self, int64_t depth)
{
    return (self->num_layers + depth - 1) / depth;
}

static spot_pipeline_t pipeline_of(
    const spot_step_pipeline_t *self, int64_t depth, int64_t num_micro_batches)
{
    const double num_layers = (double) stage_layers(self, depth);

    return (spot_pipeline_t){.num_stages = depth,
        .num_micro_batches = num_micro_batches,
        .forward_ms = num_layers * self->forward_ms,
        .backward_ms = num_layers * self->backward_ms,
        .link_ms = self->link_ms};
}

/* Whether stages recompute their activations. */
static bool recomputes_at(const spot_step_pipeline_t *self, int64_t depth)
{
    return self->schedule == SPOT_SCHEDULE_VARUNA ? depth > 1
                                                  : self->recompute == SPOT_RECOMPUTE_ALL;
}

/* In Varuna up to all micro-batches are in flight: a stage starts a forward pass
 * whenever it is free. */
bool spot_step_pipeline_fits(
    const spot_step_pipeline_t *self, int64_t depth, int64_t num_micro_batches)
{
    const spot_pipeline_t pipeline = pipeline_of(self, depth, num_micro_batches);
    const double num_layers = (double) stage_layers(self, depth);
    const bool is_recomputed = recomputes_at(self, depth);
    const stage_memory_t stage = {
        .state_bytes = num_layers * self->memory.state_bytes,
        .activation_bytes = num_layers * self->memory.activation_bytes,
        .input_bytes = self->memory.input_bytes,
    };
    const int64_t num_in_flight = self->schedule == SPOT_SCHEDULE_1F1B
                                      ? one_f_one_b_in_flight(&pipeline)
                                      : gpipe_in_flight(&pipeline);

    return self->memory.instance_bytes == 0 ||
           memory_bytes(&stage, num_in_flight, is_recomputed) <= self->memory.instance_bytes;
}

spot_pipeline_t spot_step_pipeline_of(const spot_step_pipeline_t *self, int64_t samples_per_step,
    int64_t num_pipelines, int64_t depth)
{
    const spot_pipeline_t pipeline = pipeline_of(
        self, depth, spot_micro_batches(samples_per_step, self->micro_batch, num_pipelines));

    return recomputes_at(self, depth) ? pipeline_recomputed(&pipeline) : pipeline;
}

double spot_step_pipeline_part_ms(
    const spot_step_pipeline_t *self, int64_t depth, int64_t num_micro_batches)
{
    const spot_pipeline_t pipeline = pipeline_of(self, depth, num_micro_batches);
    const spot_pipeline_t timed =
        self->recompute == SPOT_RECOMPUTE_ALL ? pipeline_recomputed(&pipeline) : pipeline;

    switch ((spot_step_schedule_t) self->schedule) {
        case SPOT_SCHEDULE_GPIPE:
            return gpipe_ms(&timed);
        case SPOT_SCHEDULE_VARUNA:
            return varuna_ms(&pipeline);
        case SPOT_SCHEDULE_1F1B:
            break;
    }
    return one_f_one_b_ms(&timed);
}

double spot_step_pipeline_sync_ms(
    const spot_step_pipeline_t *self, int64_t num_pipelines, int64_t shallowest)
{
    const double gradient_bytes = (double) stage_layers(self, shallowest) * self->gradient_bytes;

    return ring_all_reduce_ms(num_pipelines, gradient_bytes, self->bandwidth_bytes_per_s) +
           self->optimizer_ms;
}

/* The most pipelines with at least one micro-batch each. */
static int64_t most_pipelines(const spot_step_pipeline_t *self, int64_t samples_per_step)
{
    return spot_micro_batches(samples_per_step, self->micro_batch, 1);
}

double spot_step_pipeline_ms(const spot_step_pipeline_t *self, int64_t samples_per_step,
    int64_t num_pipelines, int64_t depth)
{
    const int64_t num_micro_batches =
        spot_micro_batches(samples_per_step, self->micro_batch, num_pipelines);

    if (num_pipelines > most_pipelines(self, samples_per_step) ||
        !spot_step_pipeline_fits(self, depth, num_micro_batches)) {
        return 0;
    }
    return spot_step_pipeline_part_ms(self, depth, num_micro_batches) +
           spot_step_pipeline_sync_ms(self, num_pipelines, depth);
}

int spot_step_pipeline_fill(const spot_step_pipeline_t *self, int64_t samples_per_step,
    int64_t max_instances, spot_step_grid_t *grid)
{
    const int64_t most = most_pipelines(self, samples_per_step);
    int ret = 0;

    *grid = (spot_step_grid_t){.samples_per_step = samples_per_step,
        .micro_batch = self->micro_batch,
        .num_layers = self->num_layers};
    for (int64_t depth = 1; depth <= self->num_layers && depth <= max_instances; depth++) {
        for (int64_t num = 1; ret == 0 && num <= most && num * depth <= max_instances; num++) {
            const spot_step_pair_t pair = {.num_pipelines = (int32_t) num,
                .depth = (int32_t) depth,
                .step_ms = spot_step_pipeline_ms(self, samples_per_step, num, depth)};

            if (pair.step_ms != 0 &&
                !(pair.step_ms >= SPOT_MIN_STEP_MS && pair.step_ms <= MAX_MS)) {
                return SPOT_ERR_BAD_PARAM;
            }
            ret = pair.step_ms == 0 ? 0 : spot_step_grid_add(grid, &pair);
        }
    }
    return ret == 0 ? spot_step_grid_seal(grid, NULL, NULL) : ret;
}

/* ---- The step time of a job ---- */

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
