/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/engine/experiment.h"

#include <string.h>

const spot_experiment_t *spot_experiment_find(
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

static bool has_key(const spot_experiment_t *self, const spot_node_t *key)
{
    return spot_field_find(self->fields, key->text, strlen(key->text)) != NULL;
}

/* The engine that knows two keys or more of a scenario which the first engine does not
 * know, the usual sign of a forgotten engine: NAME; or NULL. *key: the first of them. */
static const spot_experiment_t *find_forgotten(
    const spot_experiment_t *const *engines, const spot_node_t *root, const spot_node_t **key)
{
    for (size_t j = 1; engines[j] != NULL; j++) {
        size_t num_own = 0;

        for (size_t k = root->num_children; k-- > 0;) {
            if (has_key(engines[j], root->keys[k]) && !has_key(engines[0], root->keys[k])) {
                *key = root->keys[k];
                num_own++;
            }
        }
        if (num_own >= 2) {
            return engines[j];
        }
    }
    return NULL;
}

int spot_experiment_choose(const spot_experiment_t **self, const spot_experiment_t *const *engines,
    const spot_node_t *root, spot_diag_t *diag)
{
    const spot_node_t *node = spot_node_get(root, "engine");
    spot_bind_t bind = {.diag = diag};
    const spot_experiment_t *found;
    const spot_node_t *key;
    spot_suggest_t near;

    *self = engines[0];
    if (node == NULL) {
        found = root == NULL || root->kind != SPOT_NODE_MAP ? NULL
                                                            : find_forgotten(engines, root, &key);
        if (found == NULL) {
            return 0;
        }
        spot_diag_error(diag, key->file, key->line, key->column,
            "%s is a key of the engine %s: add engine: %s", key->text, found->name, found->name);
        return SPOT_ERR_BAD_INPUT;
    }
    if (node->kind != SPOT_NODE_SCALAR) {
        const spot_field_t field = {.name = "engine", .expected = "the name of an engine"};

        spot_bind_unexpected(&bind, &field, node, "");
        return SPOT_ERR_BAD_INPUT;
    }
    found = spot_experiment_find(engines, node->text, &near);
    if (found != NULL) {
        *self = found;
        return 0;
    }
    spot_bind_unknown(&bind, node, "engine", "engine", &near, "; `spotsim engine` lists them");
    return SPOT_ERR_BAD_INPUT;
}

void spot_replication_json_end(spot_json_t *json, size_t num_warnings,
    const spot_warning_t *warnings, const unsigned char *flags, uint64_t seed, uint64_t replication)
{
    spot_json_open(json, "warnings", '[');
    for (size_t j = 0; j < num_warnings; j++) {
        if (flags[j]) {
            spot_json_text(json, NULL, warnings[j].name);
        }
    }
    spot_json_close(json, ']');
    spot_json_unsigned(json, "seed", seed);
    spot_json_unsigned(json, "replication", replication);
}

typedef struct {
    const spot_experiment_t *experiment;
    const void *scenario;
    const spot_node_t *root;
} decided_t;

static bool decides(const void *context, const char *key)
{
    const decided_t *self = context;

    return self->experiment->decides(self->scenario, self->root, key);
}

int spot_experiment_find_assumed(const spot_experiment_t *self, const void *scenario,
    const spot_node_t *root, spot_assumed_t *assumed)
{
    const decided_t context = {self, scenario, root};
    spot_assumed_t found = {.num_items = 0};
    int ret = spot_assumed_find(&found, self->fields, root);

    if (ret == 0 && self->decides != NULL) {
        spot_assumed_sift(&found, decides, &context);
    }
    for (size_t j = 0; ret == 0 && j < found.num_items; j++) {
        const spot_assumption_t *item = &found.items[j];

        ret = spot_assumed_add(assumed, item->key, item->value, item->label);
    }
    spot_assumed_free(&found);
    return ret == 0 && self->assume != NULL ? self->assume(scenario, assumed) : ret;
}
