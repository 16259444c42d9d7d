/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Step time by (D,P) from the schedule of the pipelines: GPipe, 1F1B and Varuna's in
 * closed form, the memory of their stages and the all-reduce; then the whole step of a
 * model with equal layers in P stages of at most ceil(layers/P) layers, all of which count
 * as that long. spot_step_pipeline_fill() makes the table of all pairs. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bind.h"
#include "models/step_grid.h"

/* ---- Schedules ---- */

/* One pipeline and one step. */
typedef struct {
    int64_t num_stages;        /* P >= 1 */
    int64_t num_micro_batches; /* M >= 1 */
    double forward_ms;         /* F, of a micro-batch in one stage */
    double backward_ms;        /* B, likewise, with recomputation */
    double link_ms;            /* S, from a stage to its neighbour, either way */
} spot_pipeline_t;

/* M, the micro-batches of the fullest of num_pipelines pipelines. All arguments >= 1. */
int64_t spot_micro_batches(int64_t samples_per_step, int64_t micro_batch, int64_t num_pipelines);

/* ---- Steps of a model ---- */

typedef enum {
    SPOT_SCHEDULE_1F1B,
    SPOT_SCHEDULE_GPIPE,
    SPOT_SCHEDULE_VARUNA /* recomputes on all stages but the last */
} spot_step_schedule_t;
extern const char *const spot_step_schedules[];

typedef enum { SPOT_RECOMPUTE_NONE, SPOT_RECOMPUTE_ALL } spot_recompute_t;

typedef struct {
    int schedule;                 /* spot_step_schedule_t */
    int recompute;                /* spot_recompute_t */
    int64_t num_layers;           /* >= 1; 0: no such model is given */
    int64_t micro_batch;          /* samples, >= 1 */
    double forward_ms;            /* of a micro-batch in one layer */
    double backward_ms;           /* likewise, without recomputation */
    double link_ms;               /* from a stage to its neighbour */
    double optimizer_ms;          /* of a step */
    double gradient_bytes;        /* of one layer, for the all-reduce */
    double bandwidth_bytes_per_s; /* of the all-reduce; 0 only without gradient_bytes */
    struct {
        double instance_bytes;   /* of an instance; 0: no limit */
        double state_bytes;      /* of one layer */
        double activation_bytes; /* of one layer and micro-batch */
        double input_bytes;      /* of one stage and micro-batch, with recomputation */
    } memory;
} spot_step_pipeline_t;

/* The keys of "pipeline: {...}". */
extern const spot_field_t spot_step_pipeline_fields[];

/* One of D pipelines of P <= layers stages; recomputation is part of its backward
 * time. */
spot_pipeline_t spot_step_pipeline_of(const spot_step_pipeline_t *self, int64_t samples_per_step,
    int64_t num_pipelines, int64_t depth);
/* For pipelines of different depths and micro-batches. _part_ms: the time of one
 * pipeline. _fits: whether each of its stages fits into an instance. _sync_ms: the rest
 * of a step, the optimizer and the all-reduce over num_pipelines, which waits for the
 * largest stage, that of the pipeline with the depth shallowest. */
double spot_step_pipeline_part_ms(
    const spot_step_pipeline_t *self, int64_t depth, int64_t num_micro_batches);
bool spot_step_pipeline_fits(
    const spot_step_pipeline_t *self, int64_t depth, int64_t num_micro_batches);
double spot_step_pipeline_sync_ms(
    const spot_step_pipeline_t *self, int64_t num_pipelines, int64_t shallowest);

/* The step time of D pipelines of P <= layers stages; 0 if a stage does not fit into an
 * instance, or a pipeline has no samples. */
double spot_step_pipeline_ms(const spot_step_pipeline_t *self, int64_t samples_per_step,
    int64_t num_pipelines, int64_t depth);

/* Makes a sealed grid of all feasible pairs with D P <= max_instances. BAD_PARAM: a step
 * is shorter than SPOT_MIN_STEP_MS or longer than SPOT_MAX_DURATION_MS; NO_MEMORY. Free
 * grid even then. */
SPOT_MUST_CHECK int spot_step_pipeline_fill(const spot_step_pipeline_t *self,
    int64_t samples_per_step, int64_t max_instances, spot_step_grid_t *grid);
