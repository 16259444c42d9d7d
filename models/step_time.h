/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Step time by world size, linear between measured points; or by (D,P), for the pairs of
 * a table or of a pipeline model only. Outside the measured world sizes both rules are
 * on the slow side: above the largest steps take as long as there, and below the
 * smallest W0 they take the work of W0 shared by fewer. */
#pragma once

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
