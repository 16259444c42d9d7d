/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A training job: what its steps, checkpoints and pauses take. */
#ifndef SPOT_MODELS_JOB_H
#define SPOT_MODELS_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bind.h"
#include "models/checkpoint.h"
#include "models/step_time.h"

typedef struct {
    int64_t pipeline_depth;   /* instances in one pipeline, >= 1 */
    int64_t max_pipelines;    /* >= 1 */
    int64_t samples_per_step; /* global batch, >= 1 */
    spot_step_time_t step_time;
    spot_checkpoint_t checkpoint;
    int64_t reconfiguration_ms; /* pause to form pipelines, >= 0 */
    int64_t reload_ms;          /* pause to load the durable state, >= 0 */
} spot_job_t;

extern const spot_field_t spot_job_fields[];

void spot_job_free(spot_job_t *self);

/* What depends on several keys, once the job is bound without an error: step times by
 * (D,P) for up to max_instances instances. step_time: the node they are from, for
 * messages; NULL: nothing is by (D,P). */
void spot_job_settle(spot_job_t *self, spot_bind_t *bind, const spot_node_t *step_time,
    int64_t max_instances);

/* The most pipelines of pipeline_depth that num_instances and max_pipelines allow and
 * that have a step time. O(1), by (D,P) O(log pairs). */
int64_t spot_job_pipelines(const spot_job_t *self, int64_t num_instances);

/* The number of pipelines of pipeline_depth with the shortest step time, the smallest of
 * equal ones; 0: none is possible. O(pipelines), by world size up to the largest point,
 * beyond which more gain nothing. */
int64_t spot_job_best_pipelines(const spot_job_t *self, int64_t num_instances);

/* Whether there would be more if all pairs had a step time: a user must be told. */
bool spot_job_lacks_step_time(const spot_job_t *self, int64_t num_instances);

/* Whether the fastest pipelines for so many instances may well be others than all that
 * have a step time: by world size, more of them would be beyond the largest point; by a
 * table by (D,P), of the depths from min_depth to max_depth, the most pipelines of some
 * depth have more instances than any pair that is listed, or those of no depth are
 * listed. A user must be told. O(1), for a table O(pairs). */
bool spot_job_lacks_best_step_time(
    const spot_job_t *self, int64_t num_instances, int64_t min_depth, int64_t max_depth);

/* The step time of so many pipelines, which spot_job_pipelines() has given. */
int64_t spot_job_step_ms(const spot_job_t *self, int64_t num_pipelines);

/* Whether it is that of a measured point, or between two; by (D,P): always. */
bool spot_job_covers_step(const spot_job_t *self, int64_t num_pipelines);

/* Whether it is by (D,P), and the table says that a formula has filled it in. */
bool spot_job_is_step_fitted(const spot_job_t *self, int64_t num_pipelines);

#endif
