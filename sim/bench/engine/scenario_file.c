/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/engine/scenario_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bind.h"
#include "base/memory.h"

/* ---- Plain scenario ---- */

/* Room for a number in a name, in place of the field. */
#define ITEM_BYTES 20

/* How many metrics the one of the table stands for in a bound scenario. */
static int64_t num_items(
    const spot_metric_t *metric, const spot_field_t *fields, const void *scenario)
{
    const char *key = strchr(metric->name, '{');
    const spot_field_t *field = spot_field_first(fields);
    int64_t number;

    if (key == NULL) {
        return 1;
    }
    key++;
    for (; field != NULL; field = spot_field_next(field)) {
        const size_t length = strlen(field->name);

        if (strncmp(field->name, key, length) == 0 && key[length] == '}') {
            spot_bug_assert(field->type == SPOT_FIELD_INTEGER);
            memcpy(&number, (const char *) scenario + field->offset, sizeof(number));
            return number;
        }
    }
    spot_bug_assert(false); /* the name of a metric has a key that is none */
    return 0;
}

/* Writes the metrics for which the one of the table stands; *name is moved behind their
 * names. */
static void put_items(const spot_metric_t *metric, int64_t num, spot_metric_t *metrics, char **name)
{
    const size_t head_bytes = strcspn(metric->name, "{");
    const size_t name_bytes = strlen(metric->name) + ITEM_BYTES;
    const char *tail = strchr(metric->name, '}');

    for (int64_t j = 0; j < num; j++) {
        metrics[j] = *metric;
        if (tail != NULL) {
            metrics[j].name = *name;
            *name += 1 + snprintf(*name, name_bytes, "%.*s%" PRId64 "%s", (int) head_bytes,
                             metric->name, j, tail + 1);
        }
    }
}

/* Gives a bound scenario metrics of its own, behind its struct. */
static int make_metrics(void **scenario, size_t num_bytes, const spot_field_t *fields)
{
    const spot_outputs_t table = *(const spot_outputs_t *) *scenario;
    size_t num_metrics = 0, names_bytes = 0;
    spot_outputs_t *outputs;
    spot_metric_t *metrics;
    char *name;

    for (size_t j = 0; j < table.num_metrics; j++) {
        const size_t num = (size_t) num_items(&table.metrics[j], fields, *scenario);

        num_metrics += num;
        names_bytes += num * (strlen(table.metrics[j].name) + ITEM_BYTES);
    }
    outputs = realloc(*scenario, num_bytes + num_metrics * sizeof(*metrics) + names_bytes);
    if (outputs == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    *scenario = outputs;
    metrics = (void *) ((char *) outputs + num_bytes);
    name = (char *) (metrics + num_metrics);
    outputs->num_metrics = num_metrics;
    outputs->metrics = metrics;
    for (size_t j = 0; j < table.num_metrics; j++) {
        const int64_t num = num_items(&table.metrics[j], fields, outputs);

        put_items(&table.metrics[j], num, metrics, &name);
        metrics += num;
    }
    return 0;
}

int spot_plain_bind(void **scenario, size_t num_bytes, const spot_field_t *fields,
    const spot_outputs_t *outputs, const spot_node_t *root, spot_diag_t *diag)
{
    int ret;

    *scenario = spot_calloc(1, num_bytes);
    if (*scenario == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    memcpy(*scenario, outputs, sizeof(*outputs));
    ret = spot_bind_document(fields, root, diag, *scenario);
    return ret == 0 ? make_metrics(scenario, num_bytes, fields) : ret;
}

const spot_outputs_t *spot_plain_outputs(const void *scenario)
{
    return scenario;
}

/* ---- Scenario file ---- */

/* "trace: {file: PATH}". What the key had is dropped, unless it is the map that this made before,
 * so that the map has no other key but those that were set since. */
int spot_scenario_replace_trace(spot_yaml_t *document, const char *trace_path)
{
    static const char option[] = "--trace";
    const spot_yaml_given_t file = {.option = option, .path = "trace.file", .text = trace_path};
    const spot_node_t *trace = spot_node_get(document->root, "trace");

    if (trace != NULL && (trace->kind != SPOT_NODE_MAP || strcmp(trace->file, option) != 0)) {
        spot_node_drop(document->root, "trace");
    }
    return spot_yaml_give(document, &file);
}

/* The file that a map of a scenario may name in its place. */
typedef struct {
    const char *map_path;
    const char *part; /* the key of the file that has the map; NULL: all of it */
    const char *kept; /* a key beside it that the map gets too; may be NULL */
} inlined_t;

static const inlined_t inlined[] = {
    {"jobs.generate", NULL, NULL}, {"job.input", "input", "fitted"}};

/* Puts a key of a file into the map that takes its place, unless the map has it. */
static int keep_key(
    spot_yaml_t *document, const spot_node_t *file, const spot_node_t *map, const inlined_t *self)
{
    spot_node_t *value = self->kept == NULL ? NULL : spot_node_get(file, self->kept);
    char path[64];

    if (value == NULL || map->kind != SPOT_NODE_MAP || spot_node_get(map, self->kept) != NULL) {
        return 0;
    }
    snprintf(path, sizeof(path), "%s.%s", self->map_path, self->kept);
    return spot_yaml_set(document, path, value);
}

/* The content of the file that the scalar at the path of a map names takes its place. */
static int inline_file(spot_yaml_t *document, const inlined_t *self, spot_diag_t *diag)
{
    char *path = spot_node_file_path(spot_node_at(document->root, self->map_path));
    spot_yaml_t file = {.root = NULL};
    spot_node_t *root, *map;
    int ret = path == NULL ? SPOT_ERR_NO_MEMORY : spot_yaml_read(&file, path, diag);

    root = file.root;
    map = root == NULL || self->part == NULL ? root : spot_node_get(root, self->part);
    if (ret == 0 && map != NULL) { /* without the part binding says what is wrong */
        ret = spot_yaml_adopt(document, &file);
        ret = ret == 0 ? spot_yaml_set(document, self->map_path, map) : ret;
        ret = ret == 0 ? keep_key(document, root, map, self) : ret;
    }
    spot_yaml_free(&file);
    free(path);
    return ret;
}

/* Whether a key is below the map at a path, which holds the name of a file. */
static bool is_below_file(const spot_yaml_t *document, const char *key, const char *path)
{
    const spot_node_t *node = spot_node_at(document->root, path);
    const size_t length = strlen(path);

    return node != NULL && node->kind == SPOT_NODE_SCALAR && node->text[0] != '\0' &&
           strncmp(key, path, length) == 0 && key[length] == '.';
}

int spot_scenario_spell_file(spot_yaml_t *document, const char *key, spot_diag_t *diag)
{
    static const char frequency[] = "trace.frequency";
    spot_node_t *trace = spot_node_get(document->root, "trace");

    if (trace != NULL && trace->kind == SPOT_NODE_SCALAR &&
        strcspn(key, "=") == sizeof(frequency) - 1 &&
        strncmp(key, frequency, sizeof(frequency) - 1) == 0) {
        return spot_yaml_set(document, "trace.model", trace);
    }
    for (size_t j = 0; j < sizeof(inlined) / sizeof(inlined[0]); j++) {
        if (is_below_file(document, key, inlined[j].map_path)) {
            return inline_file(document, &inlined[j], diag);
        }
    }
    return 0;
}

int spot_scenario_change(
    spot_yaml_t *document, const spot_scenario_changes_t *changes, spot_diag_t *diag)
{
    int ret = 0;

    if (document->root->kind != SPOT_NODE_MAP) {
        return 0; /* binding it says what is wrong */
    }
    if (changes->trace_path != NULL) {
        ret = spot_scenario_replace_trace(document, changes->trace_path);
    }
    for (size_t j = 0; ret != SPOT_ERR_NO_MEMORY && j < changes->num_sets; j++) {
        int error = spot_scenario_spell_file(document, changes->sets[j], diag);

        if (error == 0) {
            error = spot_yaml_assign(document, "--set", changes->sets[j], diag);
        }
        ret = error != 0 ? error : ret;
    }
    if (ret == 0 && changes->trace_path != NULL) { /* over what the sets say of it */
        ret = spot_scenario_replace_trace(document, changes->trace_path);
    }
    for (size_t j = 0; ret == 0 && j < changes->num_given; j++) {
        ret = spot_yaml_give(document, &changes->given[j]);
    }
    return ret;
}

int spot_scenario_read_document(spot_yaml_t *document, const char *path,
    const spot_scenario_changes_t *changes, spot_diag_t *diag)
{
    const int error = spot_yaml_read(document, path, diag);
    int ret = 0;

    if (document->root != NULL && changes != NULL) {
        ret = spot_scenario_change(document, changes, diag);
    }
    return error != 0 ? error : ret;
}

int spot_scenario_check_trace(
    const spot_experiment_t *experiment, const spot_scenario_changes_t *changes, spot_diag_t *diag)
{
    const spot_field_t *field = spot_field_first(experiment->fields);

    if (changes == NULL || changes->trace_path == NULL) {
        return 0;
    }
    while (field != NULL && strcmp(field->name, "trace") != 0) {
        field = spot_field_next(field);
    }
    if (field == NULL) {
        return spot_diag_error(
            diag, "--trace", 0, 0, "the engine %s runs on no trace", experiment->name);
    }
    return 0;
}

/* Binds a document that was changed. */
static int bind_document(spot_bound_scenario_t *self, const spot_experiment_t *const *engines,
    const spot_node_t *root, const spot_scenario_changes_t *changes, spot_diag_t *diag)
{
    const spot_node_t *name = spot_node_get(root, "scenario");
    int ret = spot_experiment_choose(&self->experiment, engines, root, diag);

    ret = ret == 0 ? spot_scenario_check_trace(self->experiment, changes, diag) : ret;
    if (ret == 0 && name != NULL && name->kind == SPOT_NODE_SCALAR) {
        self->name = spot_text_copy(name->text, strlen(name->text));
        ret = self->name == NULL ? SPOT_ERR_NO_MEMORY : 0;
    }
    ret = ret == 0 ? self->experiment->bind(&self->scenario, root, NULL, diag) : ret;
    if (ret == 0 && changes != NULL && changes->is_recorded) {
        ret = spot_experiment_check_recording(self->experiment, self->scenario, root, diag);
    }
    return ret == 0 ? spot_experiment_find_assumed(
                          self->experiment, self->scenario, root, &self->assumed)
                    : ret;
}

int spot_bound_scenario_read(spot_bound_scenario_t *self, const spot_experiment_t *const *engines,
    const char *path, const spot_scenario_changes_t *changes, spot_diag_t *diag)
{
    spot_yaml_t document;
    int error = spot_scenario_read_document(&document, path, changes, diag);

    memset(self, 0, sizeof(*self));
    if (document.root != NULL) {
        const int ret = bind_document(self, engines, document.root, changes, diag);

        error = error != 0 ? error : ret;
    }
    spot_yaml_free(&document);
    return error;
}

int spot_bound_scenario_example(
    spot_bound_scenario_t *self, const spot_experiment_t *experiment, spot_diag_t *diag)
{
    const spot_experiment_t *const engines[] = {experiment, NULL};
    spot_yaml_t document;
    int ret;

    memset(self, 0, sizeof(*self));
    ret = spot_yaml_parse(
        &document, "example", experiment->example, strlen(experiment->example), diag);
    ret = ret == 0 ? bind_document(self, engines, document.root, NULL, diag) : ret;
    spot_yaml_free(&document);
    return ret;
}

void spot_bound_scenario_free(spot_bound_scenario_t *self)
{
    if (self->experiment != NULL) {
        self->experiment->free(self->scenario);
    }
    spot_assumed_free(&self->assumed);
    free(self->name);
    memset(self, 0, sizeof(*self));
}
