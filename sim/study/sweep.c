/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The two forms of a sweep: a map from keys to their values, and a list of points. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "sim/study/study_plan.h"
#include "sim/study/study_sets.h"

/* A swept value that contains another swept key would hide it, or be changed by it. */
static void
check_overlap(spot_bind_t *bind, const spot_node_t *sweep)
{
    for (size_t j = 0; j < sweep->num_children; j++) {
        for (size_t k = 0; k < sweep->num_children; k++) {
            if (j != k &&
                spot_path_is_within(sweep->keys[j]->text, sweep->keys[k]->text)) {
                char inner[SPOT_UTF8_SHOWN_BYTES], outer[SPOT_UTF8_SHOWN_BYTES];

                spot_bind_error(bind, sweep->keys[j], NULL,
                    "sweep: %s lies within %s, which is swept too",
                    spot_utf8_shown(sweep->keys[j]->text, inner),
                    spot_utf8_shown(sweep->keys[k]->text, outer));
            }
        }
    }
}

const char *
spot_sweep_name(const spot_study_t *self)
{
    return self->head.optimise.metric != NULL ? "optimise.over" : "sweep";
}

static int
read_map(spot_study_t *self, spot_bind_t *bind, bool is_design,
    spot_axis_source_t *sources, size_t num_sources)
{
    const spot_node_t *sweep = self->sweep_node;
    int ret = 0;

    sprintf(bind->path, "%s.", spot_sweep_name(self));
    for (size_t j = 0; ret == 0 && j < num_sources; j++) {
        sources[j].node = sweep->children[j];
        sources[j].path = sweep->keys[j]->text;
        ret = spot_axis_source_read(&sources[j], self, bind, is_design);
    }
    bind->path[0] = '\0';
    return ret;
}

/* Tells which keys a point lacks and which the first one does not have. */
static void
check_point(spot_bind_t *bind, const spot_node_t *point, const spot_node_t *first)
{
    char key[SPOT_UTF8_SHOWN_BYTES];

    if (point->kind != SPOT_NODE_MAP) {
        const spot_field_t field = {.name = "sweep",
            .expected = "a point such as {job.pipeline_depth: 8, fleet.initial: 16}"};

        spot_bind_unexpected(bind, &field, point, "");
        return;
    }
    for (size_t j = 0; j < first->num_children; j++) {
        if (spot_node_get(point, first->keys[j]->text) == NULL) {
            spot_bind_error(bind, point, "sweep",
                "the point has no %s, which the first one has",
                spot_utf8_shown(first->keys[j]->text, key));
        }
    }
    for (size_t j = 0; j < point->num_children; j++) {
        if (spot_node_get(first, point->keys[j]->text) == NULL) {
            spot_bind_error(bind, point->keys[j], "sweep", "the first point has no %s",
                spot_utf8_shown(point->keys[j]->text, key));
        }
    }
}

/* Item k of each source is the value of its key at point k. */
static int
read_list(spot_study_t *self, spot_bind_t *bind, spot_axis_source_t *sources,
    size_t num_sources)
{
    const spot_node_t *sweep = self->sweep_node;
    const spot_node_t *first = sweep->children[0];
    char key[SPOT_UTF8_SHOWN_BYTES];

    for (size_t j = 0; j < num_sources; j++) {
        sources[j].node = first->children[j];
        sources[j].path = first->keys[j]->text;
        if (!spot_yaml_is_path(sources[j].path)) {
            spot_bind_error(bind, first->keys[j], "sweep",
                "\"%s\" is no key of a scenario", spot_utf8_shown(sources[j].path, key));
        }
        sources[j].items = spot_calloc(sweep->num_children, sizeof(spot_node_t *));
        if (sources[j].items == NULL) {
            return SPOT_ERR_NO_MEMORY;
        }
        sources[j].num_items = sweep->num_children;
        for (size_t k = 0; k < sweep->num_children; k++) {
            sources[j].items[k] = spot_node_get(sweep->children[k], sources[j].path);
        }
    }
    return 0;
}

int
spot_sweep_read(spot_study_t *self, spot_bind_t *bind, bool is_design,
    size_t *num_sources, spot_axis_source_t **sources)
{
    const size_t num_errors = bind->diag->num_errors;
    const spot_node_t *sweep = self->sweep_node;
    const bool is_list = sweep != NULL && sweep->kind == SPOT_NODE_LIST;
    const spot_node_t *keys = is_list ? sweep->children[0] : sweep;

    *num_sources = 0;
    *sources = NULL;
    for (size_t j = 0; is_list && j < sweep->num_children; j++) {
        check_point(bind, sweep->children[j], keys);
    }
    if (keys == NULL || bind->diag->num_errors > num_errors) {
        return 0;
    }
    if (keys->num_children == 0) {
        spot_bind_error(bind, keys, "sweep", "expected at least one key");
        return 0;
    }
    *sources = spot_calloc(keys->num_children, sizeof(**sources));
    if (*sources == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    *num_sources = keys->num_children;
    check_overlap(bind, keys);
    return is_list ? read_list(self, bind, *sources, *num_sources)
                   : read_map(self, bind, is_design, *sources, *num_sources);
}
