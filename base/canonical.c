/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/canonical.h"

#include <stdlib.h>
#include <string.h>

#include "base/canonical_internal.h"
#include "base/memory.h"

static const char digits[] = "0123456789";

/* ---- Paths ---- */

int spot_canonical_compare_paths(const char *a, const char *b)
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

char *spot_canonical_escape(const char *key, char *escaped)
{
    if (*key == '\0') {
        *escaped++ = '\\';
        *escaped++ = SPOT_CANONICAL_NO_KEY;
    }
    for (; *key != '\0'; key++) {
        if (strchr(".[]\\", *key) != NULL) {
            *escaped++ = '\\';
        }
        *escaped++ = *key;
    }
    *escaped = '\0';
    return escaped;
}

char *spot_canonical_key_text(const char *part, size_t num_bytes)
{
    const bool is_empty = num_bytes == 2 && part[0] == '\\' && part[1] == SPOT_CANONICAL_NO_KEY;
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

size_t spot_canonical_part_bytes(const char *path)
{
    size_t num_bytes = 0;

    if (path[0] == '[') {
        num_bytes = strcspn(path, "]");
        return num_bytes + (path[num_bytes] == ']');
    }
    while (path[num_bytes] != '\0' && path[num_bytes] != '.' && path[num_bytes] != '[') {
        num_bytes += path[num_bytes] == '\\' && path[num_bytes + 1] != '\0' ? 2 : 1;
    }
    return num_bytes;
}

bool spot_canonical_is_within(const char *path, const char *outer)
{
    const size_t length = strlen(outer);

    return strncmp(path, outer, length) == 0 &&
           (path[length] == '\0' || path[length] == '.' || path[length] == '[');
}

/* ---- Lists ---- */

static void free_entry(spot_canonical_entry_t *entry)
{
    free(entry->path);
    free(entry->text);
}

void spot_canonical_free(spot_canonical_t *self)
{
    for (size_t j = 0; j < self->num_entries; j++) {
        free_entry(&self->entries[j]);
    }
    free(self->entries);
    memset(self, 0, sizeof(*self));
}

int spot_canonical_append(spot_canonical_t *self, char *path, char *text)
{
    spot_canonical_entry_t entry = {.path = path, .text = text};
    const int ret = SPOT_ARRAY_ROOM(self, entries, self->num_entries + 1);

    if (ret != 0 || path == NULL || text == NULL) {
        free_entry(&entry);
        return SPOT_ERR_NO_MEMORY;
    }
    self->entries[self->num_entries++] = entry;
    return 0;
}

/* The path of a child of the map or list at path. NULL: no memory. */
static char *path_within(const char *path, const spot_node_t *node, size_t child_id)
{
    const char *key = node->kind == SPOT_NODE_MAP ? node->keys[child_id]->text : "";
    char *inner = malloc(strlen(path) + 2 * strlen(key) + 32);

    if (inner != NULL && node->kind == SPOT_NODE_LIST) {
        sprintf(inner, "%s[%zu]", path, child_id);
    } else if (inner != NULL) {
        spot_canonical_escape(key, inner + sprintf(inner, "%s%s", path, *path == '\0' ? "" : "."));
    }
    return inner;
}

int spot_canonical_append_node(spot_canonical_t *self, const char *path, const spot_node_t *node)
{
    int ret = 0;

    if (node->num_children == 0) {
        char *text = node->kind == SPOT_NODE_SCALAR
                         ? spot_canonical_scalar(node->text, node->is_quoted)
                         : spot_text_copy(node->kind == SPOT_NODE_LIST ? "[]" : "{}", 2);

        return spot_canonical_append(self, spot_text_copy(path, strlen(path)), text);
    }
    for (size_t j = 0; ret == 0 && j < node->num_children; j++) {
        char *inner = path_within(path, node, j);

        ret = inner == NULL ? SPOT_ERR_NO_MEMORY
                            : spot_canonical_append_node(self, inner, node->children[j]);
        free(inner);
    }
    return ret;
}

static int compare_entries(const void *a, const void *b)
{
    return spot_canonical_compare_paths(
        ((const spot_canonical_entry_t *) a)->path, ((const spot_canonical_entry_t *) b)->path);
}

int spot_canonical_sort(spot_canonical_t *self)
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

const char *spot_canonical_get(const spot_canonical_t *self, const char *path)
{
    for (size_t j = 0; j < self->num_entries; j++) {
        if (strcmp(self->entries[j].path, path) == 0) {
            return self->entries[j].text;
        }
    }
    return NULL;
}

int spot_canonical_add(spot_canonical_t *self, const char *path, const char *text)
{
    int ret;

    for (size_t j = 0; j < self->num_entries; j++) {
        if (spot_canonical_is_within(self->entries[j].path, path) ||
            spot_canonical_is_within(path, self->entries[j].path)) {
            return SPOT_ERR_BAD_PARAM;
        }
    }
    ret = spot_canonical_append(
        self, spot_text_copy(path, strlen(path)), spot_canonical_scalar(text, *text == '\0'));
    return ret == 0 ? spot_canonical_sort(self) : ret;
}

int spot_canonical_add_files(spot_canonical_t *self, const spot_canonical_t *other)
{
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < other->num_entries; j++) {
        const spot_canonical_entry_t *entry = &other->entries[j];

        if (spot_canonical_is_within(entry->path, SPOT_CANONICAL_FILES) &&
            spot_canonical_get(self, entry->path) == NULL) {
            ret = spot_canonical_append(self, spot_text_copy(entry->path, strlen(entry->path)),
                spot_text_copy(entry->text, strlen(entry->text)));
            ret = ret == 0 ? spot_canonical_sort(self) : ret;
        }
    }
    return ret;
}

/* Whether a path is outer or lies within it; outer has no \. */
static bool starts_with(const char *path, const char *outer)
{
    while (*outer != '\0') {
        path += *path == '\\' && path[1] != '\0';
        if (*path++ != *outer++) {
            return false;
        }
    }
    return *path == '\0' || *path == '.' || *path == '[';
}

/* Whether the entry lies at path or within it, or holds the order of keys of a map
 * there. */
static bool is_dropped(const spot_canonical_entry_t *entry, const char *path)
{
    static const char order[] = SPOT_CANONICAL_ORDER ".";
    const bool is_order = strncmp(entry->path, order, sizeof(order) - 1) == 0;

    return starts_with(entry->path, path) ||
           (is_order && starts_with(entry->path + sizeof(order) - 1, path));
}

void spot_canonical_drop(spot_canonical_t *self, const char *path)
{
    const char *key = strrchr(path, '.');
    const size_t outer_bytes = key == NULL ? 0 : (size_t) (key - path) + 1;
    bool has_chosen = false;
    size_t num_kept = 0;

    for (size_t j = 0; j < self->num_entries; j++) {
        has_chosen |= self->entries[j].is_selector && strcmp(self->entries[j].path, path) == 0;
    }
    for (size_t j = 0; j < self->num_entries; j++) {
        spot_canonical_entry_t *entry = &self->entries[j];

        if (is_dropped(entry, path) ||
            (has_chosen && entry->is_chosen && strncmp(entry->path, path, outer_bytes) == 0)) {
            free_entry(entry);
        } else {
            self->entries[num_kept++] = *entry;
        }
    }
    self->num_entries = num_kept;
}
