/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/canonical.h"

#include <stdlib.h>
#include <string.h>

#include "base/canonical_internal.h"
#include "base/memory.h"

static const char digits[] = "0123456789";

int
spot_canonical_compare_paths(const char *a, const char *b)
{
    bool is_index = false;

    while (*a != '\0' && *a == *b) {
        if (*a == '\\' && a[1] != '\0' && a[1] == b[1]) {
            a++;
            b++;
        } else if (*a == '[' || *a == ']') {
            is_index = *a == '[';
        }
        a++;
        b++;
    }
    if (is_index && strspn(a, digits) != strspn(b, digits)) {
        return strspn(a, digits) < strspn(b, digits) ? -1 : 1;
    }
    return (unsigned char) *a - (unsigned char) *b;
}

static int
compare_entries(const void *a, const void *b)
{
    return spot_canonical_compare_paths(((const spot_canonical_entry_t *) a)->path,
        ((const spot_canonical_entry_t *) b)->path);
}

/* The first entry that does not come before path. */
static size_t
lower_bound(const spot_canonical_t *self, const char *path)
{
    size_t low = 0, high = self->num_entries;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (spot_canonical_compare_paths(self->entries[middle].path, path) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void
free_entry(spot_canonical_entry_t *entry)
{
    free(entry->path);
    free(entry->text);
}

void
spot_canonical_free(spot_canonical_t *self)
{
    for (size_t j = 0; j < self->num_entries; j++) {
        free_entry(&self->entries[j]);
    }
    free(self->entries);
    memset(self, 0, sizeof(*self));
}

int
spot_canonical_append(spot_canonical_t *self, const char *path, char *text)
{
    void *entries = self->entries;
    char *copy = spot_text_copy(path, strlen(path));
    const int ret = spot_array_reserve(
        &entries, &self->max_entries, self->num_entries + 1, sizeof(*self->entries));

    self->entries = entries;
    if (ret != 0 || copy == NULL || text == NULL) {
        free(copy);
        free(text);
        return SPOT_ERR_NO_MEMORY;
    }
    self->entries[self->num_entries++] =
        (spot_canonical_entry_t){.path = copy, .text = text};
    return 0;
}

int
spot_canonical_sort(spot_canonical_t *self)
{
    if (self->num_entries > 0) {
        qsort(self->entries, self->num_entries, sizeof(*self->entries), compare_entries);
    }
    for (size_t j = 1; j < self->num_entries; j++) {
        if (strcmp(self->entries[j - 1].path, self->entries[j].path) == 0) {
            return SPOT_ERR_BAD_PARAM;
        }
    }
    return 0;
}

bool
spot_canonical_is_within(const char *path, const char *outer)
{
    const size_t length = strlen(outer);

    return strncmp(path, outer, length) == 0 &&
           (path[length] == '\0' || path[length] == '.' || path[length] == '[');
}

const char *
spot_canonical_get(const spot_canonical_t *self, const char *path)
{
    const size_t j = lower_bound(self, path);
    const bool is_there =
        j < self->num_entries && strcmp(self->entries[j].path, path) == 0;

    return is_there ? self->entries[j].text : NULL;
}

/* Whether there is neither the path, nor what it lies within, nor what lies within it.
 */
static bool
has_place(const spot_canonical_t *self, const char *path)
{
    for (size_t j = 0; j < self->num_entries; j++) {
        if (spot_canonical_is_within(self->entries[j].path, path) ||
            spot_canonical_is_within(path, self->entries[j].path)) {
            return false;
        }
    }
    return true;
}

int
spot_canonical_add(spot_canonical_t *self, const char *path, const char *text)
{
    char *scalar;
    int ret;

    if (!has_place(self, path)) {
        return SPOT_ERR_BAD_PARAM;
    }
    scalar = spot_canonical_scalar(text, *text == '\0');
    ret = spot_canonical_append(self, path, scalar);
    return ret == 0 ? spot_canonical_sort(self) : ret;
}

/* The rest of a path behind an outer one without \, or NULL: it is not within that. */
static const char *
rest_of(const char *path, const char *outer)
{
    while (*outer != '\0') {
        path += *path == '\\' && path[1] != '\0';
        if (*path != *outer) {
            return NULL;
        }
        path++;
        outer++;
    }
    return path;
}

/* The order of keys of a map goes with the map. */
static bool
is_dropped(const spot_canonical_entry_t *entry, const char *path)
{
    static const char order[] = SPOT_CANONICAL_ORDER ".";
    const bool is_order = strncmp(entry->path, order, sizeof(order) - 1) == 0;
    const char *rest = rest_of(entry->path + (is_order ? sizeof(order) - 1 : 0), path);

    return rest != NULL &&
           (*rest == '\0' || *rest == '[' || *rest == (is_order ? '\\' : '.'));
}

static void
drop_if(spot_canonical_t *self,
    bool (*is_out)(const spot_canonical_entry_t *entry, const char *path),
    const char *path)
{
    size_t num_kept = 0;

    for (size_t j = 0; j < self->num_entries; j++) {
        if (is_out(&self->entries[j], path)) {
            free_entry(&self->entries[j]);
        } else {
            self->entries[num_kept++] = self->entries[j];
        }
    }
    self->num_entries = num_kept;
}

/* Whether it is a default of the table that the selector at path has chosen. */
static bool
is_chosen_by(const spot_canonical_entry_t *entry, const char *path)
{
    const char *key = strrchr(path, '.');
    const size_t num_bytes = key == NULL ? 0 : (size_t) (key - path) + 1;

    return entry->is_chosen && strncmp(entry->path, path, num_bytes) == 0;
}

void
spot_canonical_drop(spot_canonical_t *self, const char *path)
{
    for (size_t j = 0; j < self->num_entries; j++) {
        if (self->entries[j].is_selector && strcmp(self->entries[j].path, path) == 0) {
            drop_if(self, is_chosen_by, path);
            break;
        }
    }
    drop_if(self, is_dropped, path);
}

int
spot_canonical_add_files(spot_canonical_t *self, const spot_canonical_t *other)
{
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < other->num_entries; j++) {
        const spot_canonical_entry_t *entry = &other->entries[j];

        if (spot_canonical_is_within(entry->path, SPOT_CANONICAL_FILES) &&
            spot_canonical_get(self, entry->path) == NULL) {
            ret = spot_canonical_append(
                self, entry->path, spot_text_copy(entry->text, strlen(entry->text)));
            ret = ret == 0 ? spot_canonical_sort(self) : ret;
        }
    }
    return ret;
}

/* ---- Paths ---- */

static int
put_byte(spot_canonical_path_t *self, char byte)
{
    void *bytes = self->bytes;
    const int ret = spot_array_reserve(&bytes, &self->max_bytes, self->num_bytes + 2, 1);

    self->bytes = bytes;
    if (ret == 0) {
        self->bytes[self->num_bytes++] = byte;
        self->bytes[self->num_bytes] = '\0';
    }
    return ret;
}

int
spot_canonical_path_key(spot_canonical_path_t *self, const char *key)
{
    int ret = self->num_bytes == 0 ? 0 : put_byte(self, '.');

    if (ret == 0 && *key == '\0') {
        ret = put_byte(self, '\\');
        ret = ret == 0 ? put_byte(self, SPOT_CANONICAL_NO_KEY) : ret;
    }
    for (const char *byte = key; ret == 0 && *byte != '\0'; byte++) {
        ret = strchr(".[]\\", *byte) == NULL ? 0 : put_byte(self, '\\');
        ret = ret == 0 ? put_byte(self, *byte) : ret;
    }
    return ret;
}

int
spot_canonical_path_item(spot_canonical_path_t *self, size_t item_id)
{
    char text[32];
    int ret = 0;

    snprintf(text, sizeof(text), "[%zu]", item_id);
    for (const char *byte = text; ret == 0 && *byte != '\0'; byte++) {
        ret = put_byte(self, *byte);
    }
    return ret;
}

char *
spot_canonical_key_text(const char *part, size_t num_bytes)
{
    const bool is_empty =
        num_bytes == 2 && part[0] == '\\' && part[1] == SPOT_CANONICAL_NO_KEY;
    char *key = spot_text_copy(part, num_bytes);
    size_t length = 0;

    for (size_t j = 0; key != NULL && !is_empty && j < num_bytes; j++) {
        j += part[j] == '\\';
        key[length++] = part[j];
    }
    if (key != NULL) {
        key[length] = '\0';
    }
    return key;
}

void
spot_canonical_path_cut(spot_canonical_path_t *self, size_t num_bytes)
{
    self->num_bytes = num_bytes;
    if (self->bytes != NULL) {
        self->bytes[num_bytes] = '\0';
    }
}

/* ---- Trees ---- */

static int append_children(spot_canonical_t *self, spot_canonical_path_t *path,
    const spot_node_t *node, spot_canonical_scalar_function_t scalar,
    const void *context);

int
spot_canonical_append_tree(spot_canonical_t *self, spot_canonical_path_t *path,
    const spot_node_t *node, spot_canonical_scalar_function_t scalar,
    const void *context)
{
    if (node->kind == SPOT_NODE_SCALAR) {
        return spot_canonical_append(self, path->bytes, scalar(context, node));
    }
    if (node->num_children == 0) {
        return spot_canonical_append(self, path->bytes,
            spot_text_copy(node->kind == SPOT_NODE_LIST ? "[]" : "{}", 2));
    }
    return append_children(self, path, node, scalar, context);
}

static int
append_children(spot_canonical_t *self, spot_canonical_path_t *path,
    const spot_node_t *node, spot_canonical_scalar_function_t scalar,
    const void *context)
{
    const size_t num_bytes = path->num_bytes;
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < node->num_children; j++) {
        ret = node->kind == SPOT_NODE_LIST
                  ? spot_canonical_path_item(path, j)
                  : spot_canonical_path_key(path, node->keys[j]->text);
        if (ret == 0) {
            ret = spot_canonical_append_tree(
                self, path, node->children[j], scalar, context);
        }
        spot_canonical_path_cut(path, num_bytes);
    }
    return ret;
}
