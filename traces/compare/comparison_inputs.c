/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/compare/comparison_inputs.h"

#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/memory.h"
#include "traces/describe/describe.h"

static int
read_models(spot_comparison_inputs_t *self, const spot_comparison_request_t *request,
    spot_diag_t *diag)
{
    const size_t num_models = request->num_paths - 1;
    int error = 0;

    self->models = spot_calloc(num_models, sizeof(*self->models));
    if (self->models == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < num_models; j++) {
        const int ret = spot_trace_model_file_read(&self->models[self->num_models++],
            request->paths[j], &self->trace, request->paths[num_models], diag);

        error = spot_error_first(error, ret);
    }
    return error;
}

int
spot_comparison_inputs_read(spot_comparison_inputs_t *self,
    const spot_comparison_request_t *request, spot_diag_t *diag)
{
    const char *const *paths = request->paths;
    const size_t num_paths = request->num_paths;
    int ret, error;

    memset(self, 0, sizeof(*self));
    error = spot_trace_read(&self->trace, paths[num_paths - 1], false, diag);
    if (request->reference_path != NULL) {
        ret = spot_reference_read(&self->reference, request->reference_path, diag);
        error = spot_error_first(error, ret);
    }
    if (request->is_halves) {
        return error;
    }
    self->has_other = num_paths == 2 && spot_csv_begins(paths[0], "# spotsim-trace:");
    if (self->has_other) {
        ret = spot_trace_read(&self->other, paths[0], false, diag);
        return spot_error_first(error, ret);
    }
    return error != 0 ? error : read_models(self, request, diag);
}

void
spot_comparison_inputs_free(spot_comparison_inputs_t *self)
{
    for (size_t j = 0; j < self->num_models; j++) {
        spot_trace_model_file_free(&self->models[j]);
    }
    free(self->models);
    spot_trace_free(&self->trace);
    spot_trace_free(&self->other);
    spot_reference_free(&self->reference);
}

static void
warn_of_seed(const spot_comparison_t *comparison, const spot_trace_model_file_t *file,
    const char *path, spot_diag_t *diag)
{
    const double cv = comparison->columns[0].means[SPOT_FIDELITY_GAP_CV];

    if (file->model.generator == &spot_generator_seed && cv > SPOT_SEED_MAX_CV) {
        spot_diag_warn(diag, path, 0, 0,
            "the gaps of the trace have CV %.2f, those of a seed model at most 1: "
            "compare block or mrp too",
            cv);
    }
}

static int
add_other(spot_comparison_t *self, const spot_comparison_request_t *request,
    const spot_comparison_inputs_t *inputs)
{
    const char *name = spot_trace_key(&inputs->other, "name");
    char *label = strcmp(name, self->name) == 0
                      ? spot_comparison_label(request->paths[0])
                      : spot_text_copy(name, strlen(name));
    const int ret = label == NULL
                        ? SPOT_ERR_NO_MEMORY
                        : spot_comparison_add_trace(self, &inputs->other, label);

    free(label);
    return ret;
}

/* Models are called as their files: two of one kind can be compared. */
static int
add_model(spot_comparison_t *self, const spot_comparison_request_t *request,
    const spot_trace_model_file_t *file, const char *path, const spot_watch_t *watch)
{
    char *label = spot_comparison_label(path);
    const int ret = label == NULL
                        ? SPOT_ERR_NO_MEMORY
                        : spot_comparison_add_model(self, &file->model, file->name,
                              label, request->num_replications, watch);

    free(label);
    return ret;
}

int
spot_comparison_run(spot_comparison_t *self, const spot_comparison_request_t *request,
    const spot_comparison_inputs_t *inputs, const spot_watch_t *watch, spot_diag_t *diag)
{
    const spot_trace_t *other = inputs->has_other ? &inputs->other : &inputs->trace;
    int ret = spot_comparison_init(self, &inputs->trace, other->resolution_ms,
        spot_comparison_is_net(inputs->trace.kind) ||
            spot_comparison_is_net(other->kind),
        (uint64_t) request->seed);

    if (ret == 0 && inputs->has_other) {
        ret = add_other(self, request, inputs);
    }
    for (size_t j = 0; ret == 0 && j < inputs->num_models; j++) {
        const spot_trace_model_file_t *file = &inputs->models[j];
        const char *path = request->paths[j];

        ret = add_model(self, request, file, path, watch);
        warn_of_seed(self, file, path, diag);
        if (ret == SPOT_ERR_OVERDRAW) {
            spot_diag_error(diag, path, 0, 0, "%s", spot_error_text(ret));
        }
    }
    if (ret == 0) {
        spot_comparison_set_reference(self, &inputs->reference);
    }
    return ret;
}

size_t
spot_comparison_first_judged(const spot_comparison_t *self)
{
    return SPOT_COMPARISON_FIRST - (self->num_columns == SPOT_COMPARISON_FIRST);
}

bool
spot_comparison_is_within(
    const spot_comparison_column_t *column, const spot_comparison_limit_t *limit)
{
    return column->means[limit->metric_id] <= limit->value;
}
