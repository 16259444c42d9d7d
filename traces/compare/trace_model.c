/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/compare/trace_model.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

static int set_key(spot_yaml_t *document, const char *key, const char *text)
{
    spot_node_t *value = spot_yaml_new_scalar(document, text, document->root);

    return value == NULL ? SPOT_ERR_NO_MEMORY : spot_yaml_set(document, key, value);
}

static int set_integer(spot_yaml_t *document, const char *key, int64_t value)
{
    char text[32];

    snprintf(text, sizeof(text), "%" PRId64, value);
    return set_key(document, key, text);
}

/* Sets length, initial instances and a missing capacity to those of the trace. */
static int fit_to_trace(spot_yaml_t *document, const spot_trace_t *trace)
{
    char length[SPOT_TRACE_TIME_BYTES];
    int ret;

    spot_trace_time_text(trace->end_ms, length);
    ret = set_key(document, "horizon_s", length);
    if (ret == 0 && !spot_trace_node_has_initial(document->root)) {
        ret = set_integer(document, "initial", trace->initial);
    }
    if (ret == 0 && trace->capacity != SPOT_UNBOUNDED &&
        spot_node_get(document->root, "capacity") == NULL) {
        ret = set_integer(document, "capacity", trace->capacity);
    }
    return ret;
}

static int check_document(const spot_node_t *root, spot_diag_t *diag)
{
    const char *problem = root->kind != SPOT_NODE_MAP || spot_node_get(root, "scenario") != NULL
                              ? "expected a model file (spotsim-model: 1)"
                          : spot_node_get(root, "file") != NULL
                              ? "a recorded trace is no generator: expected \"generator: NAME\""
                              : NULL;

    if (problem != NULL) {
        spot_diag_error(diag, root->file, root->line, root->column, "%s", problem);
    }
    return problem != NULL ? SPOT_ERR_BAD_INPUT : 0;
}

/* Checks that the initial instances of the trace, with which the model starts too, are
 * within the capacity of the model. */
static int check_room(
    const spot_node_t *root, const spot_trace_t *trace, const char *trace_path, spot_diag_t *diag)
{
    const spot_node_t *node = spot_node_get(root, "capacity");
    int64_t capacity = INT64_MAX; /* binding reports a value that is no number */

    if (node == NULL || node->text == NULL || spot_trace_node_has_initial(root) ||
        spot_integer_parse(node->text, &capacity) != 0 || capacity >= trace->initial) {
        return 0;
    }
    return spot_diag_error(diag, node->file, node->line, node->column,
        "capacity: the model's %" PRId64 " is less than the %" PRId32
        " instances that %s starts with: expected %s%" PRId32 ", or another trace",
        capacity, trace->initial, trace_path,
        trace->capacity != SPOT_UNBOUNDED ? "the capacity of that trace, " : "at least ",
        trace->capacity != SPOT_UNBOUNDED ? trace->capacity : trace->initial);
}

static bool says(const spot_trace_model_file_t *self, const char *key, const char *text)
{
    const spot_node_t *node = spot_node_get(self->document.root, key);

    return node != NULL && node->text != NULL && strcmp(node->text, text) == 0;
}

/* Kind of the model. The seed generator is "seed-corrected" or one of the notebook's
 * two; with only some of the defects it is none of the three. */
static const char *name_of(const spot_trace_model_file_t *self)
{
    const spot_node_t *root = self->document.root;
    const char *name = self->model.generator->name;

    if (strcmp(name, "seed") != 0 || spot_trace_model_common(&self->model)->frequency != 1) {
        return name;
    }
    if (spot_node_get(root, "variant") == NULL || says(self, "variant", "corrected")) {
        return "seed-corrected";
    }
    if (!says(self, "compat", "notebook")) {
        return name;
    }
    return says(self, "variant", "loop")             ? "seed-loop"
           : spot_node_get(root, "overdraw") == NULL ? "seed-cell42"
                                                     : name;
}

static void warn_capacity(
    const spot_trace_model_file_t *self, const spot_trace_t *trace, spot_diag_t *diag)
{
    const int64_t capacity = spot_trace_model_common(&self->model)->capacity;
    const spot_node_t *place = spot_node_place(self->document.root, "capacity");

    if (trace->capacity != SPOT_UNBOUNDED && capacity != trace->capacity) {
        spot_diag_warn(diag, place->file, place->line, place->column,
            "capacity: the model's %" PRId64 " differs from the trace's %" PRId32, capacity,
            trace->capacity);
    }
}

int spot_trace_model_file_read(spot_trace_model_file_t *self, const char *path,
    const spot_trace_t *trace, const char *trace_path, spot_diag_t *diag)
{
    int ret;

    memset(self, 0, sizeof(*self));
    ret = spot_yaml_read(&self->document, path, diag);
    ret = ret == 0 ? check_document(self->document.root, diag) : ret;
    ret = ret == 0 ? check_room(self->document.root, trace, trace_path, diag) : ret;
    ret = ret == 0 ? fit_to_trace(&self->document, trace) : ret;
    if (ret == 0) {
        ret = spot_trace_model_read(&self->model, self->document.root, diag);
    }
    if (ret == 0) {
        self->name = name_of(self);
        warn_capacity(self, trace, diag);
    }
    return ret;
}

void spot_trace_model_file_free(spot_trace_model_file_t *self)
{
    spot_trace_model_free(&self->model);
    spot_yaml_free(&self->document);
    memset(self, 0, sizeof(*self));
}
