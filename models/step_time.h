/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Step time: by world size, with measured points, linear between them, flat outside; or
 * by (D,P), of the pairs of a table or of a model of the schedule, and of no others. */
#ifndef SPOT_MODELS_STEP_TIME_H
#define SPOT_MODELS_STEP_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bind.h"
#include "models/step_grid.h"
#include "models/step_pipeline.h"

typedef struct {
    int64_t world_size; /* active instances, >= 1 */
    int64_t step_ms;    /* >= 1 */
} spot_step_point_t;

typedef struct {
    size_t num_points;
    size_t max_points;
    spot_step_point_t *points;     /* [num_points] world_size strictly increasing */
    char *table_path;              /* where the pairs are from, or NULL */
    spot_step_pipeline_t pipeline; /* num_layers 0: there is none */
    spot_step_grid_t grid;         /* of the table; of the pipeline when it is settled */
} spot_step_time_t;

void spot_step_time_free(spot_step_time_t *self);

/* Whether it is by (D,P), of the grid, so that there are no points. */
bool spot_step_time_is_by_pair(const spot_step_time_t *self);

/* Reads a world size, the key of one entry of a map named map_name; false, reported, if
 * it is none from 1 to SPOT_MAX_INSTANCES. */
bool spot_world_size_bind(spot_bind_t *bind, const char *map_name,
    const spot_node_t *key, int64_t *world_size);

/* Adds a point in its place. BAD_PARAM: the world size is there already. O(num_points).
 */
SPOT_MUST_CHECK int spot_step_time_add(
    spot_step_time_t *self, int64_t world_size, int64_t step_ms);

/* Whole ms, ties to even, exact in integers. At least one point. O(num_points). */
int64_t spot_step_time_ms(const spot_step_time_t *self, int64_t world_size);

/* The largest measured world size; step times are flat from there on. */
int64_t spot_step_time_largest(const spot_step_time_t *self);

/* Whether world_size is covered by measured points: a user must be told where not. */
bool spot_step_time_covers(const spot_step_time_t *self, int64_t world_size);

#endif
