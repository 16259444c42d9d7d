/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/bind_internal.h"

static char *path_of(const spot_bind_t *self, const char *name)
{
    char *path = malloc(strlen(self->path) + strlen(name) + 1);

    if (path != NULL) {
        sprintf(path, "%s%s", self->path, name);
    }
    return path;
}

spot_canonical_entry_t *spot_bind_write(spot_bind_t *self, const char *name, char *text)
{
    const spot_canonical_writer_t *writer = self->writer;
    spot_canonical_t *list = writer->list;
    spot_canonical_entry_t *entry;

    if (spot_canonical_append(list, path_of(self, name), text) != 0) {
        self->is_out_of_memory = true;
        return NULL;
    }
    entry = &list->entries[list->num_entries - 1];
    entry->is_chosen = writer->is_chosen && writer->num_defaults > 0;
    return entry;
}

void spot_bind_write_file(spot_bind_t *self, const char *name, const spot_node_t *node)
{
    const spot_inputs_t *inputs = self->writer->inputs;
    char *path = spot_node_file_path(node);
    const spot_input_t *input =
        inputs == NULL || path == NULL ? NULL : spot_inputs_find(inputs, path);

    free(path);
    spot_bind_write(
        self, name, spot_canonical_scalar(input == NULL ? node->text : input->name, true));
}

void spot_bind_write_node(spot_bind_t *self, const char *name, const spot_node_t *node)
{
    char *path = path_of(self, name);

    self->is_out_of_memory = self->is_out_of_memory || path == NULL ||
                             spot_canonical_append_node(self->writer->list, path, node) != 0;
    free(path);
}

/* Appends the keys of a map in their order, below SPOT_CANONICAL_ORDER: the entries
 * themselves are sorted. */
void spot_bind_write_order(spot_bind_t *self, const char *name, const spot_node_t *map)
{
    static const char order[] = SPOT_CANONICAL_ORDER ".";

    for (size_t j = 0; j < map->num_children; j++) {
        char *path = malloc(sizeof(order) + strlen(self->path) + strlen(name) + 32);

        if (path != NULL) {
            sprintf(path, "%s%s%s[%zu]", order, self->path, name, j);
        }
        self->is_out_of_memory = spot_canonical_append(self->writer->list, path,
                                     spot_canonical_scalar(map->keys[j]->text, true)) != 0 ||
                                 self->is_out_of_memory;
    }
}

static int append_file(spot_canonical_t *self, const spot_input_t *input)
{
    static const char files[] = SPOT_CANONICAL_FILES ".";
    char *path;

    spot_bug_assert(input->name != NULL);
    path = malloc(sizeof(files) + 2 * strlen(input->name) + 2);
    if (path != NULL) {
        spot_canonical_escape(input->name, path + sprintf(path, "%s", files));
    }
    return spot_canonical_append(self, path, spot_canonical_scalar(input->sha256, true));
}

int spot_canonical_make(spot_canonical_t *self, const spot_field_t *fields, const spot_node_t *node,
    const spot_inputs_t *inputs)
{
    spot_canonical_writer_t writer = {.list = self, .inputs = inputs};
    spot_bind_t bind = {.writer = &writer};
    int ret;

    spot_bind_map(&bind, fields, NULL, node, NULL);
    ret = bind.is_out_of_memory ? SPOT_ERR_NO_MEMORY : 0;
    for (size_t j = 0; ret == 0 && inputs != NULL && j < inputs->num_inputs; j++) {
        ret = append_file(self, &inputs->inputs[j]);
    }
    if (ret == 0 && spot_canonical_sort(self) != 0) {
        return 0; /* repeated paths, of a document that is faulty */
    }
    return ret;
}
