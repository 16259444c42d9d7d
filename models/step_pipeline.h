/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Step time by (D,P) from the schedule of the pipelines: a model of equal layers, cut
 * into P stages of ceil(layers/P) layers at most; all stages count as that long. */
#ifndef SPOT_MODELS_STEP_PIPELINE_H
#define SPOT_MODELS_STEP_PIPELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bind.h"
#include "models/pipeline_schedule.h"
#include "models/step_grid.h"

typedef enum {
    SPOT_SCHEDULE_1F1B,
    SPOT_SCHEDULE_GPIPE,
    SPOT_SCHEDULE_VARUNA /* recomputes on all stages but the last */
} spot_schedule_t;

typedef enum { SPOT_RECOMPUTE_NONE, SPOT_RECOMPUTE_ALL } spot_recompute_t;

typedef struct {
    int schedule;                 /* spot_schedule_t */
    int recompute;                /* spot_recompute_t */
    int64_t num_layers;           /* >= 1; 0: there is no such model */
    int64_t micro_batch;          /* samples, >= 1 */
    double forward_ms;            /* of a micro-batch in one layer */
    double backward_ms;           /* the same, without recomputation */
    double link_ms;               /* from a stage to its neighbour */
    double optimizer_ms;          /* of a step */
    double gradient_bytes;        /* of one layer, for the all-reduce */
    double bandwidth_bytes_per_s; /* of the all-reduce; 0 only without gradient_bytes */
    struct {
        double instance_bytes;   /* there are so many; 0: no limit */
        double state_bytes;      /* of one layer */
        double activation_bytes; /* of one layer and micro-batch */
        double input_bytes;      /* of one stage and micro-batch, if it recomputes */
    } memory;
} spot_step_pipeline_t;

/* The keys of "pipeline: {...}". */
extern const spot_field_t spot_step_pipeline_fields[];

/* One of D pipelines of P <= layers stages, with what its schedule recomputes in the
 * time of the backward pass. */
spot_pipeline_t spot_step_pipeline_of(const spot_step_pipeline_t *self,
    int64_t samples_per_step, int64_t num_pipelines, int64_t depth);
/* Of one pipeline by itself, for pipelines that differ in depth and micro-batches: what
 * the schedule of num_micro_batches takes, whether each stage fits into an instance, and
 * what a step takes besides: the all-reduce over num_pipelines, which waits for the
 * largest stage, that of the shallowest of them, and the optimizer. */
double spot_step_pipeline_part_ms(
    const spot_step_pipeline_t *self, int64_t depth, int64_t num_micro_batches);
bool spot_step_pipeline_fits(
    const spot_step_pipeline_t *self, int64_t depth, int64_t num_micro_batches);
double spot_step_pipeline_sync_ms(
    const spot_step_pipeline_t *self, int64_t num_pipelines, int64_t shallowest);

/* The step time of D pipelines of P <= layers stages; 0: a stage does not fit into an
 * instance, or a pipeline would have no samples. */
double spot_step_pipeline_ms(const spot_step_pipeline_t *self, int64_t samples_per_step,
    int64_t num_pipelines, int64_t depth);

/* A sealed grid of all pairs that are feasible and have D P <= max_instances. BAD_PARAM:
 * some of their steps are shorter than SPOT_MIN_STEP_MS or longer than
 * SPOT_MAX_DURATION_MS; NO_MEMORY. Free grid even then. */
SPOT_MUST_CHECK int spot_step_pipeline_fill(const spot_step_pipeline_t *self,
    int64_t samples_per_step, int64_t max_instances, spot_step_grid_t *grid);

#endif
