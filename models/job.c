/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/job.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "models/profile.h"

/* One "world size: duration" of the map. */
static void
bind_step(spot_bind_t *self, const char *map_name, const spot_node_t *key,
    const spot_node_t *node, spot_step_time_t *table)
{
    char name[64];
    const spot_field_t step = {.name = name,
        .type = SPOT_FIELD_DURATION,
        .min = 1,
        .max = (double) SPOT_MAX_DURATION_MS};
    int64_t world_size = 0, step_ms = 0;

    if (!spot_world_size_bind(self, map_name, key, &world_size)) {
        return;
    }
    snprintf(name, sizeof(name), "%s.%" PRId64, map_name, world_size);
    spot_bind_field(self, &step, node, &step_ms);
    if (step_ms > 0) {
        const int ret = spot_step_time_add(table, world_size, step_ms);

        if (ret == SPOT_ERR_BAD_PARAM) { /* 16 and +16 */
            spot_bind_error(self, key, name, "repeated world size");
        }
        self->is_out_of_memory = self->is_out_of_memory || ret == SPOT_ERR_NO_MEMORY;
    }
}

/* {16: 18 s, 32: 11 s, ...} or {profile: FILE}. */
static void
bind_step_time(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *node, void *target)
{
    if (spot_node_get(node, "profile") != NULL) {
        spot_profile_bind_step_time(self, field, node, target);
        return;
    }
    if (node->kind != SPOT_NODE_MAP || node->num_children == 0) {
        spot_bind_unexpected(self, field, node, "");
        return;
    }
    for (size_t j = 0; j < node->num_children; j++) {
        bind_step(self, field->name, node->keys[j], node->children[j], target);
    }
}

/* The defaults are the measured means of the seed study, rounded to seconds. */
const spot_field_t spot_job_fields[] = {
    {.name = "pipeline_depth",
        .type = SPOT_FIELD_INTEGER,
        .offset = offsetof(spot_job_t, pipeline_depth),
        .min = 1,
        .max = SPOT_MAX_INSTANCES,
        .initial = "16",
        .help = "instances in one pipeline"},
    {.name = "max_pipelines",
        .type = SPOT_FIELD_INTEGER,
        .offset = offsetof(spot_job_t, max_pipelines),
        .min = 1,
        .max = SPOT_MAX_INSTANCES,
        .initial = "1000000",
        .help = "most pipelines that the job can use; more instances stay standby"},
    {.name = "samples_per_step",
        .type = SPOT_FIELD_INTEGER,
        .offset = offsetof(spot_job_t, samples_per_step),
        .min = 1,
        .max = 1e12,
        .initial = "1024",
        .help = "samples in one step (global batch size), the same at every world size"},
    {.name = "step_time",
        .type = SPOT_FIELD_CUSTOM,
        .offset = offsetof(spot_job_t, step_time),
        .initial = "{16: 18 s, 32: 11 s, 48: 9 s, 64: 8 s}",
        .bind = bind_step_time,
        .expected = "a map from world size to duration such as {16: 18 s, 32: 11 s}, or "
                    "{profile: "
                    "FILE}",
        .help =
            "time of a step by world size (number of active instances): linear between "
            "the points, flat outside with a warning"},
    {.name = "checkpoint",
        .type = SPOT_FIELD_MAP,
        .offset = offsetof(spot_job_t, checkpoint),
        .initial = "{}",
        .fields = spot_checkpoint_fields,
        .help = "how the state of training is made durable"},
    {.name = "reconfiguration",
        .type = SPOT_FIELD_CUSTOM,
        .offset = offsetof(spot_job_t, reconfiguration_ms),
        .initial = "88 s",
        .bind = spot_profile_bind_reconfiguration,
        .expected = SPOT_PROFILE_EXPECTED,
        .help = "pause to form new pipelines after a loss or an addition"},
    {.name = "reload",
        .type = SPOT_FIELD_CUSTOM,
        .offset = offsetof(spot_job_t, reload_ms),
        .initial = "47 s",
        .bind = spot_profile_bind_reload,
        .expected = SPOT_PROFILE_EXPECTED,
        .help = "pause to load the last durable checkpoint, after the reconfiguration"},
    {.name = NULL},
};

void
spot_job_free(spot_job_t *self)
{
    spot_step_time_free(&self->step_time);
    memset(self, 0, sizeof(*self));
}
