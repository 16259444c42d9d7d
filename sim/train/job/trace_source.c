/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/job/trace_source.h"

#include <string.h>

#include "sim/bench/engine/scenario_file.h"

int spot_trace_source_read(spot_trace_source_t *self, const char *path, size_t num_sets,
    const char *const *sets, spot_diag_t *diag)
{
    const spot_scenario_changes_t changes = {.num_sets = num_sets, .sets = sets};
    const spot_node_t *root;
    int error, ret;

    memset(self, 0, sizeof(*self));
    error = spot_yaml_read(&self->document, path, diag);
    root = self->document.root;
    if (root == NULL) {
        return error;
    }
    ret = spot_scenario_change(&self->document, &changes, diag);
    error = error != 0 ? error : ret;
    self->is_scenario = spot_node_get(root, "scenario") != NULL;
    if (self->is_scenario) {
        ret = spot_scenario_init(&self->scenario, root, NULL, diag);
        self->model = &self->scenario.trace;
        self->name = self->scenario.name;
    } else {
        ret = spot_trace_model_read(&self->alone, root, diag);
        self->model = &self->alone;
        self->name = ret == 0 ? spot_trace_model_common(&self->alone)->name : NULL;
    }
    if (ret == 0 && self->model->recording != NULL) {
        spot_diag_error(
            diag, path, 0, 0, "a recorded trace is no generator: expected \"generator: NAME\"");
        ret = SPOT_ERR_BAD_INPUT;
    }
    return error != 0 ? error : ret;
}

void spot_trace_source_free(spot_trace_source_t *self)
{
    spot_scenario_free(&self->scenario);
    spot_trace_model_free(&self->alone);
    spot_yaml_free(&self->document);
}
