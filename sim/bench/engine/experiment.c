/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/engine/experiment.h"

#include <stdlib.h>
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

typedef struct {
    spot_bind_visitor_t visitor;
    spot_assumed_t *assumed;
    bool is_in_file; /* that the document names */
} finder_t;

static finder_t *finder_of(const spot_bind_t *bind)
{
    return (finder_t *) (void *) bind->visitor;
}

/* A field takes its default. A label that starts with a blank follows that of its map. */
static void find_missing(spot_bind_t *bind, const spot_field_t *field)
{
    const finder_t *self = finder_of(bind);
    const char *above = self->visitor.label == NULL ? "" : self->visitor.label;
    const char *value = field->otherwise != NULL ? field->otherwise : field->initial;
    char key[sizeof(bind->path) + 128], label[256] = "";

    if (value == NULL || value[0] == '\0') {
        return; /* required, or nothing holds instead */
    }
    snprintf(key, sizeof(key), "%s%s", bind->path, field->name);
    if (field->label != NULL && !self->is_in_file && (field->label[0] != ' ' || above[0] != '\0')) {
        snprintf(label, sizeof(label), "%s%s", field->label[0] == ' ' ? above : "", field->label);
    }
    if (spot_assumed_add(self->assumed, key, value, label[0] == '\0' ? NULL : label) != 0) {
        bind->is_out_of_memory = true;
    }
}

/* Finds the defaults of the file that node names, by paths such as "trainers.llm:
 * job.reload". */
static void find_in_document(spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node)
{
    finder_t *self = finder_of(bind);
    const size_t length = strlen(bind->path);
    const bool was_in_file = self->is_in_file;
    char *path = spot_node_file_path(node);
    const spot_field_t *fields;
    spot_yaml_t document;
    spot_diag_t diag; /* stays unread: whoever bound the document has reported it */

    if (path == NULL) {
        bind->is_out_of_memory = true;
        return;
    }
    spot_diag_init(&diag);
    if (spot_yaml_read(&document, path, &diag) == 0) {
        fields = field->file_table(document.root);
        if (fields != NULL && length + strlen(field->name) + 3 <= sizeof(bind->path)) {
            sprintf(bind->path + length, "%s: ", field->name);
            self->is_in_file = true;
            spot_bind_chosen(bind, fields, NULL, document.root, NULL);
            self->is_in_file = was_in_file;
            bind->path[length] = '\0';
        }
    }
    spot_yaml_free(&document);
    spot_diag_free(&diag);
    free(path);
}

/* Appends the defaults that decide and that root, a map that fields bind, takes, and those
 * of the YAML files that it names, with keys such as "trainers.llm: job.reload". root has
 * been bound without an error. Nothing else is stored. NO_MEMORY. O(keys). */
static int assumed_find(spot_assumed_t *self, const spot_field_t *fields, const spot_node_t *root)
{
    finder_t finder = {
        .assumed = self, .visitor = {.missing = find_missing, .document = find_in_document}};
    spot_bind_t bind = {.visitor = &finder.visitor};

    spot_bind_map(&bind, fields, NULL, root, NULL);
    return bind.is_out_of_memory ? SPOT_ERR_NO_MEMORY : 0;
}

int spot_experiment_find_assumed(const spot_experiment_t *self, const void *scenario,
    const spot_node_t *root, spot_assumed_t *assumed)
{
    const decided_t context = {self, scenario, root};
    spot_assumed_t found = {.num_items = 0};
    int ret = assumed_find(&found, self->fields, root);

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
