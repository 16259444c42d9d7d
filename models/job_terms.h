/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of a job that all recovery systems share: how long it takes to detect a
 * loss, to regroup the instances, to rebuild what they run, to read the state back, to
 * write a checkpoint and to copy state from one instance to another.
 *
 * A figure that the job gives is measured and wins. Otherwise it follows from the bytes
 * of the state and a bandwidth, and else it is the default of its key:
 *
 *     job.reload            state bytes / fleet.storage
 *     job.checkpoint.write  state bytes / fleet.storage
 *     job.reconfiguration   job.regroup + job.rebuild, always
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bind.h"
#include "models/model_presets.h"

struct spot_job;

/* The state of the model that is trained. 0: not given. */
typedef struct {
    int preset_id;                     /* during reading only */
    const spot_model_preset_t *preset; /* that it is named by, or NULL */
    double num_parameters;
    int64_t num_layers;
    double bytes_per_parameter; /* of the state of training, optimizer included */
} spot_model_t;

/* The keys of "model: {...}", and of "model: NAME", short for {preset: NAME}. A key that
 * is given wins over the preset. */
#define SPOT_MODEL_EXPECTED                                                                        \
    "NAME, {preset: NAME, ...} or {parameters: N, bytes_per_parameter: N, ...}"
extern const spot_field_t spot_model_fields[];
void spot_model_bind(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target);
const spot_field_t *spot_model_table(const spot_node_t *node);

/* Completes the figures of a job that was bound without an error, and warns of those
 * that are of another job. job: its node, or NULL. Errors go to bind. */
void spot_job_settle_terms(struct spot_job *self, spot_bind_t *bind, const spot_node_t *job);

/* The bytes of the whole state; 0: not known. */
static inline double spot_model_state_bytes(const spot_model_t *self)
{
    return self->num_parameters * self->bytes_per_parameter;
}

/* Time to move bytes at a bandwidth above 0, in whole ms; SPOT_MAX_DURATION_MS at most.
 */
int64_t spot_transfer_ms(double bytes, double bytes_per_s);
