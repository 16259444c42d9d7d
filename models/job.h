/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A training job: the durations of its steps, checkpoints and pauses. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bind.h"
#include "models/checkpoint.h"
#include "models/job_terms.h"
#include "models/loader/loader.h"
#include "models/step_time.h"

typedef struct spot_job {
    int64_t pipeline_depth;   /* instances in one pipeline, >= 1 */
    int64_t max_pipelines;    /* >= 1 */
    int64_t samples_per_step; /* global batch, >= 1 */
    spot_step_time_t step_time;
    int is_step_assumed; /* these are no measurements */
    spot_checkpoint_t checkpoint;
    int64_t reconfiguration_ms; /* pause to form pipelines, >= 0 */
    int64_t reload_ms;          /* pause to load the durable state, >= 0 */
    /* The others are settled with reconfiguration_ms, of which regroup_ms and rebuild_ms
     * are the parts: models/job_terms.h. */
    int64_t detection_ms;
    int64_t regroup_ms;
    int64_t rebuild_ms;
    spot_model_t model;
    double network_bytes_per_s; /* of each instance, of the fleet; 0: not given */
    double storage_bytes_per_s; /* of all instances together; 0: not given */
    spot_loader_t input;        /* the data loader, if it is given */
} spot_job_t;

extern const spot_field_t spot_job_fields[];

void spot_job_free(spot_job_t *self);

/* Completes a job that was bound without an error: checks and fills the step times by
 * (D,P) for up to max_instances instances, which depend on several keys, and warns of
 * steps that take longer with more instances. Errors are reported to bind. step_time: their node,
 * for messages; NULL: none are by (D,P). */
void spot_job_settle(
    spot_job_t *self, spot_bind_t *bind, const spot_node_t *step_time, int64_t max_instances);

/* The most pipelines of pipeline_depth that num_instances and max_pipelines allow and
 * that have a step time. O(1); by (D,P) O(log pairs). */
int64_t spot_job_pipelines(const spot_job_t *self, int64_t num_instances);

/* The number of pipelines of pipeline_depth with the shortest step time; of equal times
 * the smallest number; 0: none is possible. By world size it looks up to the largest
 * point, beyond which step times are flat. O(pipelines). */
int64_t spot_job_best_pipelines(const spot_job_t *self, int64_t num_instances);

/* Whether spot_job_pipelines() would be larger if all pairs had a step time. The caller
 * must warn of it. */
bool spot_job_lacks_step_time(const spot_job_t *self, int64_t num_instances);

/* Whether the fastest pipelines for num_instances may lack a step time. By world size:
 * the most pipelines are beyond the largest point. By a table by (D,P), for the depths
 * from min_depth to max_depth: the most pipelines of some depth are not listed and have
 * more instances than any listed pair, or the most pipelines are listed for no depth.
 * The caller must warn of it. O(1); for a table O(pairs). */
bool spot_job_lacks_best_step_time(
    const spot_job_t *self, int64_t num_instances, int64_t min_depth, int64_t max_depth);

/* The step time of num_pipelines, a number for which a step time exists. */
int64_t spot_job_step_ms(const spot_job_t *self, int64_t num_pipelines);

/* Whether that step time is at a measured point or between two; by (D,P) always. */
bool spot_job_covers_step(const spot_job_t *self, int64_t num_pipelines);

/* Whether that step time is by (D,P) and marked in the table as fitted by a formula or
 * estimated. */
bool spot_job_is_step_fitted(const spot_job_t *self, int64_t num_pipelines);
