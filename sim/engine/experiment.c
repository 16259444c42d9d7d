/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/engine/experiment.h"

#include <string.h>

const spot_experiment_t *
spot_experiment_find(
    const spot_experiment_t *const *engines, const char *name, spot_suggest_t *near)
{
    spot_suggest_init(near, name);
    for (size_t j = 0; engines[j] != NULL; j++) {
        if (strcmp(engines[j]->name, name) == 0) {
            return engines[j];
        }
        spot_suggest_offer(near, engines[j]->name);
    }
    return NULL;
}

int
spot_experiment_choose(const spot_experiment_t **self,
    const spot_experiment_t *const *engines, const spot_node_t *root, spot_diag_t *diag)
{
    const spot_node_t *node = spot_node_get(root, "engine");
    spot_bind_t bind = {.diag = diag};
    const spot_experiment_t *found;
    spot_suggest_t near;

    *self = engines[0];
    if (node == NULL) {
        return 0;
    }
    if (node->kind != SPOT_NODE_SCALAR) {
        const spot_field_t field = {
            .name = "engine", .expected = "the name of an engine"};

        spot_bind_unexpected(&bind, &field, node, "");
        return SPOT_ERR_BAD_INPUT;
    }
    found = spot_experiment_find(engines, node->text, &near);
    if (found != NULL) {
        *self = found;
        return 0;
    }
    spot_bind_unknown(
        &bind, node, "engine", "engine", &near, "; `spotsim engine` lists them");
    return SPOT_ERR_BAD_INPUT;
}
