/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A training job: what its steps, checkpoints and pauses take. */
#ifndef SPOT_MODELS_JOB_H
#define SPOT_MODELS_JOB_H

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

#endif
