/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time of a training step: of a pipeline of stages, and of a job.
 *
 * A job's is by world size, linear between measured points; or by (D,P), for the pairs of
 * a table or of a pipeline model only. Outside the measured world sizes both rules are
 * on the slow side: above the largest steps take as long as there, and below the
 * smallest W0 they take the work of W0 shared by fewer. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
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

typedef struct {
    int64_t world_size; /* active instances, >= 1 */
    int64_t step_ms;    /* >= 1 */
} spot_step_point_t;

/* Steps below the smallest measured world size. */
typedef enum {
    SPOT_OUTSIDE_WORK, /* T0 W0 / N */
    SPOT_OUTSIDE_FLAT  /* T0, as in published studies */
} spot_outside_t;

typedef struct {
    size_t num_points;
    size_t max_points;
    spot_step_point_t *points;     /* [num_points] world_size strictly increasing */
    int outside;                   /* spot_outside_t */
    char *table_path;              /* file of the pairs, or NULL */
    spot_step_pipeline_t pipeline; /* num_layers 0: none */
    spot_step_grid_t grid;         /* of the table; of the pipeline, once settled */
} spot_step_time_t;

void spot_step_time_free(spot_step_time_t *self);

/* Whether step times are by (D,P), from the grid; there are no points then. */
bool spot_step_time_is_by_pair(const spot_step_time_t *self);

/* Whether there are step times of any kind. Without them they are by (D,P), for no
 * pair. */
bool spot_step_time_is_given(const spot_step_time_t *self);

/* The key of a map from world sizes, the first member of its items. */
extern const spot_field_t spot_world_size_key;

/* Inserts a point by world size. BAD_PARAM: the world size exists; NO_MEMORY.
 * O(num_points). */
SPOT_MUST_CHECK int spot_step_time_add(spot_step_time_t *self, int64_t world_size, int64_t step_ms);

/* The time of steps of num_instances instances that do the work of a step that takes
 * least_ms on least instances, the fewest that were measured: in whole ms, ties to even,
 * at most SPOT_MAX_DURATION_MS. 1 <= num_instances <= least. This is the one place of
 * the rule below what was measured. */
int64_t spot_step_below_ms(
    spot_outside_t outside, int64_t least, int64_t least_ms, int64_t num_instances);

/* The step time in whole ms, ties to even, computed exactly in integers. Needs at least
 * one point. O(num_points). */
int64_t spot_step_time_ms(const spot_step_time_t *self, int64_t world_size);

/* The smallest and the largest measured world size; step times are flat from the latter
 * on. Need at least one point. */
int64_t spot_step_time_smallest(const spot_step_time_t *self);
int64_t spot_step_time_largest(const spot_step_time_t *self);

/* The first point whose steps take longer than those of the point before it, which has
 * fewer instances; NULL: there is none. O(num_points). */
const spot_step_point_t *spot_step_time_rise(const spot_step_time_t *self);

/* Whether world_size is within the measured points. The caller must warn if not. */
bool spot_step_time_covers(const spot_step_time_t *self, int64_t world_size);
