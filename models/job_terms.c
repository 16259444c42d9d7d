/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/job_terms.h"

#include <math.h>
#include <stddef.h>

#include "base/units.h"
#include "models/job.h"

const spot_field_t spot_model_fields[] = {
    {SPOT_CHOICE("preset", spot_model_t, preset_id, spot_model_names, "", "model",
        "a published model, see spotsim model presets; it gives the keys that are not "
        "given")},
    {SPOT_RANGE(NUMBER, "parameters", spot_model_t, num_parameters, 1, 1e15, "", "model parameters",
        "of the whole model; required without a preset")},
    {SPOT_RANGE(INTEGER, "layers", spot_model_t, num_layers, 1, 100000, "", "model layers",
        "of equal size, embedding and head included; systems that move layers need "
        "their number")},
    {SPOT_RANGE(NUMBER, "bytes_per_parameter", spot_model_t, bytes_per_parameter, 0.125, 1024, "",
         "state per parameter",
         "of the state of training that is saved and copied, optimizer included: 16 with "
         "Adam and mixed precision, 14 without gradients, which is that of a preset, 12 "
         "without the fp16 parameters too; required without a preset"),
        .otherwise = "14", SPOT_DECIDES},
    {.name = NULL},
};

const spot_field_t *spot_model_table(const spot_node_t *node)
{
    return node->kind == SPOT_NODE_LIST ? NULL : spot_model_fields;
}

/* Reports keys that are missing without a preset; completes those that it gives. */
static void complete_model(spot_model_t *self, spot_bind_t *bind, const spot_node_t *node)
{
    static const char *const required[] = {"parameters", "bytes_per_parameter"};
    const bool is_own = node->kind == SPOT_NODE_MAP && spot_node_get(node, "preset") == NULL;

    for (size_t j = 0; j < 2 && is_own; j++) {
        if (spot_node_get(node, required[j]) == NULL) {
            spot_bind_error(
                bind, node, NULL, "missing key \"%smodel.%s\"", bind->path, required[j]);
        }
    }
    if (self->preset_id >= 0) {
        self->preset = &spot_model_presets[self->preset_id];
        if (self->num_parameters == 0) {
            self->num_parameters = (double) spot_model_preset_parameters(self->preset);
        }
        if (self->num_layers == 0) {
            self->num_layers = self->preset->num_blocks + SPOT_MODEL_ENDS;
        }
        if (self->bytes_per_parameter == 0) {
            self->bytes_per_parameter = SPOT_MODEL_SAVED_BYTES;
        }
    }
}

void spot_model_bind(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    spot_field_t preset = spot_model_fields[0];
    spot_model_t *self = target;

    self->preset_id = -1;
    preset.name = field->name;
    if (node->kind == SPOT_NODE_SCALAR) {
        spot_bind_field(bind, &preset, node, &self->preset_id);
    } else if (node->kind == SPOT_NODE_MAP) {
        spot_bind_map(bind, spot_model_fields, field->name, node, self);
    } else {
        spot_bind_unexpected(bind, field, node, "");
    }
    complete_model(self, bind, node);
}

int64_t spot_transfer_ms(double bytes, double bytes_per_s)
{
    const double time_ms = bytes / bytes_per_s * (double) SPOT_MS_PER_S;

    return time_ms < (double) SPOT_MAX_DURATION_MS ? llround(time_ms) : SPOT_MAX_DURATION_MS;
}

/* ---- Regrouping and rebuilding ---- */

static void check_pauses(const spot_job_t *self, spot_bind_t *bind, const spot_node_t *regroup,
    const spot_node_t *rebuild, const spot_node_t *whole)
{
    if (regroup != NULL && rebuild != NULL && whole != NULL) {
        spot_bind_error(bind, whole, "job.reconfiguration",
            "it is job.regroup and job.rebuild together: give two of the three");
    } else if (whole != NULL && (regroup != NULL || rebuild != NULL) &&
               (self->regroup_ms > self->reconfiguration_ms ||
                   self->rebuild_ms > self->reconfiguration_ms)) {
        spot_bind_error(bind, regroup != NULL ? regroup : rebuild,
            regroup != NULL ? "job.regroup" : "job.rebuild",
            "it is a part of job.reconfiguration, and longer");
    }
}

/* Without job.reconfiguration its default holds unless the parts are longer, or both are
 * given. */
static void settle_pauses(spot_job_t *self, spot_bind_t *bind, const spot_node_t *job)
{
    const spot_node_t *regroup = spot_node_get(job, "regroup");
    const spot_node_t *rebuild = spot_node_get(job, "rebuild");
    const int64_t sum_ms = self->regroup_ms + self->rebuild_ms;

    check_pauses(self, bind, regroup, rebuild, spot_node_get(job, "reconfiguration"));
    if (regroup != NULL && rebuild != NULL) {
        self->reconfiguration_ms = sum_ms;
    } else if (self->reconfiguration_ms < sum_ms) {
        self->reconfiguration_ms = sum_ms;
    }
    if (regroup == NULL) {
        self->regroup_ms = self->reconfiguration_ms - self->rebuild_ms;
    }
    self->rebuild_ms = self->reconfiguration_ms - self->regroup_ms;
}

/* ---- The state in storage ---- */

static void warn_of_default(const spot_job_t *self, spot_bind_t *bind, const spot_node_t *job,
    const char *key, const char *remedy)
{
    const spot_node_t *model = spot_node_get(job, "model");

    if (spot_model_state_bytes(&self->model) > 0) {
        spot_diag_warn(bind->diag, model->file, model->line, model->column,
            "job.model: %s is not given and stays that of another job: give it, or %s", key,
            remedy);
    }
}

/* Derives a time to move the whole state to or from storage unless it is given. */
static void derive(const spot_job_t *self, spot_bind_t *bind, const spot_node_t *job,
    const spot_node_t *given, const char *key, int64_t *time_ms)
{
    const double bytes = spot_model_state_bytes(&self->model);

    if (given != NULL) {
        return;
    }
    if (bytes > 0 && self->storage_bytes_per_s > 0) {
        *time_ms = spot_transfer_ms(bytes, self->storage_bytes_per_s);
        if (*time_ms == SPOT_MAX_DURATION_MS) {
            spot_bind_error(bind, spot_node_get(job, "model"), "job.model",
                "to move its state to storage takes 100 years or more");
        }
    } else {
        warn_of_default(self, bind, job, key, "fleet.storage");
    }
}

void spot_job_settle_terms(spot_job_t *self, spot_bind_t *bind, const spot_node_t *job)
{
    const spot_node_t *checkpoint = spot_node_get(job, "checkpoint");

    if (spot_node_get(job, "reconfiguration") == NULL && spot_node_get(job, "regroup") == NULL &&
        spot_node_get(job, "rebuild") == NULL) {
        warn_of_default(self, bind, job, "job.reconfiguration", "job.regroup and job.rebuild");
    }
    settle_pauses(self, bind, job);
    derive(self, bind, job, spot_node_get(job, "reload"), "job.reload", &self->reload_ms);
    derive(self, bind, job, spot_node_get(checkpoint, "write"), "job.checkpoint.write",
        &self->checkpoint.write_ms);
}
