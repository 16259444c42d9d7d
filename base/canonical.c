/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/canonical.h"

#include <sha2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/number.h"

static const char digits[] = "0123456789";

/* ---- Paths ---- */

/* Compares byte by byte, but indices of lists as numbers. Paths with the same beginning
 * stay together. */
static int compare_paths(const char *a, const char *b)
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

/* The key of one part of a path, without \. The caller frees it. NULL: no memory. */
static char *key_text(const char *part, size_t num_bytes)
{
    const bool is_empty = num_bytes == 2 && part[0] == '\\' && part[1] == SPOT_PATH_NO_KEY;
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

/* Bytes of the key or index at the start of path. */
static size_t part_bytes(const char *path)
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

/* ---- Scalars ---- */

/* Whether a text needs no quotes in any place. Stricter than YAML. */
static bool is_plain(const char *text)
{
    static const char first[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789/. +-";
    const size_t length = strlen(text);

    const bool is_signed = text[0] == '-' && text[1] >= '0' && text[1] <= '9';

    return length > 0 && text[strspn(text, first)] == '\0' &&
           (is_signed || strchr(". +-", text[0]) == NULL) && text[length - 1] != ' ';
}

static char *quoted(const char *text)
{
    char *scalar = NULL;
    size_t num_bytes = 0;
    FILE *stream = open_memstream(&scalar, &num_bytes);
    bool is_whole;

    if (stream == NULL) {
        return NULL;
    }
    spot_json_quote(stream, text, true);
    is_whole = ferror(stream) == 0;
    if (fclose(stream) != 0 || !is_whole) {
        free(scalar);
        scalar = NULL;
    }
    return scalar;
}

/* A scalar as YAML: plain if possible, else quoted. A number or an empty text is quoted
 * if is_text. The caller frees it. NULL: no memory. */
static char *scalar_text(const char *text, bool is_text)
{
    double number;
    const bool is_free = *text == '\0' || spot_number_parse(text, &number) == 0;

    return (is_free ? is_text : !is_plain(text)) ? quoted(text)
                                                 : spot_text_copy(text, strlen(text));
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

/* Appends an entry. Owns path and text from now on, even after an error. NO_MEMORY, also
 * if one of them is NULL. sort_entries() must follow before the list is used. */
static int append_entry(spot_canonical_t *self, char *path, char *text)
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
        spot_path_escape(key, inner + sprintf(inner, "%s%s", path, *path == '\0' ? "" : "."));
    }
    return inner;
}

/* Appends a node as it is, with everything in it. path is that of the node, "" for the
 * root. NO_MEMORY. */
static int append_node(spot_canonical_t *self, const char *path, const spot_node_t *node)
{
    int ret = 0;

    if (node->num_children == 0) {
        char *text = node->kind == SPOT_NODE_SCALAR
                         ? scalar_text(node->text, node->is_quoted)
                         : spot_text_copy(node->kind == SPOT_NODE_LIST ? "[]" : "{}", 2);

        return append_entry(self, spot_text_copy(path, strlen(path)), text);
    }
    for (size_t j = 0; ret == 0 && j < node->num_children; j++) {
        char *inner = path_within(path, node, j);

        ret = inner == NULL ? SPOT_ERR_NO_MEMORY : append_node(self, inner, node->children[j]);
        free(inner);
    }
    return ret;
}

static int compare_entries(const void *a, const void *b)
{
    return compare_paths(
        ((const spot_canonical_entry_t *) a)->path, ((const spot_canonical_entry_t *) b)->path);
}

/* BAD_PARAM: a path is repeated. */
static int sort_entries(spot_canonical_t *self)
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
    ret = append_entry(self, spot_text_copy(path, strlen(path)), scalar_text(text, *text == '\0'));
    return ret == 0 ? sort_entries(self) : ret;
}

int spot_canonical_add_files(spot_canonical_t *self, const spot_canonical_t *other)
{
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < other->num_entries; j++) {
        const spot_canonical_entry_t *entry = &other->entries[j];

        if (spot_canonical_is_within(entry->path, SPOT_CANONICAL_FILES) &&
            spot_canonical_get(self, entry->path) == NULL) {
            ret = append_entry(self, spot_text_copy(entry->path, strlen(entry->path)),
                spot_text_copy(entry->text, strlen(entry->text)));
            ret = ret == 0 ? sort_entries(self) : ret;
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

#define INDENT 2
#define LONG_KEY_BYTES 500 /* libyaml reads a key of up to 1024 before its colon */

/* ---- Writing ---- */

/* Writes "key:". A key too long for libyaml gets "? " before it. */
static int write_key(const char *part, size_t num_bytes, int indent, FILE *out)
{
    char *key = key_text(part, num_bytes);
    char *scalar = key == NULL ? NULL : scalar_text(key, *key == '\0');

    free(key);
    if (scalar == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    if (strlen(scalar) > LONG_KEY_BYTES) {
        fprintf(out, "%*s? %s\n%*s:", indent, "", scalar, indent, "");
    } else {
        fprintf(out, "%*s%s:", indent, "", scalar);
    }
    free(scalar);
    return 0;
}

/* Writes the keys and indices that the previous entry lacks, one a line, and the value
 * after the last one. */
static int write_entry(const spot_canonical_entry_t *entry, const char *before, FILE *out)
{
    const char *path = entry->path, *part = path;
    bool is_new = false;
    int ret = 0;

    for (int indent = 0; ret == 0 && *part != '\0'; indent += INDENT) {
        const size_t num_bytes = part_bytes(part);
        const size_t length = (size_t) (part - path) + num_bytes;

        is_new =
            is_new || strncmp(path, before, length) != 0 || strchr(".[", before[length]) == NULL;
        if (is_new && *part == '[') {
            fprintf(out, "%*s-", indent, "");
        } else if (is_new) {
            ret = write_key(part, num_bytes, indent, out);
        }
        part = path + length;
        if (is_new && *part != '\0') {
            putc('\n', out);
        }
        part += *part == '.';
    }
    fprintf(out, "%s%s\n", *entry->text == '\0' ? "" : " ", entry->text);
    return ret;
}

char *spot_canonical_text(const spot_canonical_t *self)
{
    char *text = NULL;
    size_t num_bytes = 0;
    FILE *stream = open_memstream(&text, &num_bytes);
    int ret = 0;

    if (stream == NULL) {
        return NULL;
    }
    fputs(self->num_entries == 0 ? "{}\n" : "", stream);
    for (size_t j = 0; ret == 0 && j < self->num_entries; j++) {
        ret = write_entry(&self->entries[j], j == 0 ? "" : self->entries[j - 1].path, stream);
    }
    ret = ferror(stream) ? SPOT_ERR_NO_MEMORY : ret;
    if (fclose(stream) != 0 || ret != 0) {
        free(text);
        return NULL;
    }
    return text;
}

int spot_canonical_hash(const spot_canonical_t *self, char sha256[SPOT_SHA256_TEXT_BYTES])
{
    char *text = spot_canonical_text(self);

    if (text == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    SHA256Data((const uint8_t *) text, strlen(text), sha256);
    free(text);
    return 0;
}

/* ---- Reading ---- */

int spot_canonical_parse(
    spot_canonical_t *self, const char *file, const char *text, spot_diag_t *diag)
{
    spot_yaml_t document;
    int ret = spot_yaml_parse(&document, file, text, strlen(text), diag);

    memset(self, 0, sizeof(*self));
    if (ret == 0 && document.root->kind != SPOT_NODE_MAP) {
        ret = spot_diag_error(diag, file, 0, 0, "expected a map of keys");
    }
    if (ret == 0 && document.root->num_children > 0) { /* canonical already */
        ret = append_node(self, "", document.root);
    }
    ret = ret == 0 ? sort_entries(self) : ret;
    spot_yaml_free(&document);
    return ret;
}

/* ---- Comparing ---- */

typedef struct {
    const spot_canonical_t *is; /* the later one of the two */
    const char *place;
    spot_diag_t *diag;
    size_t num_differences;
} comparison_t;

static bool is_file(const spot_canonical_entry_t *entry)
{
    return spot_canonical_is_within(entry->path, SPOT_CANONICAL_FILES);
}

/* The key whose value is the name of a file, or NULL if only another file names it. */
static const char *key_of_file(const spot_canonical_t *self, const char *name)
{
    for (size_t j = 0; j < self->num_entries; j++) {
        if (!is_file(&self->entries[j]) && strcmp(self->entries[j].text, name) == 0) {
            return self->entries[j].path;
        }
    }
    return NULL;
}

static void report_file(comparison_t *self, const spot_canonical_entry_t *entry)
{
    const char *part = entry->path + sizeof(SPOT_CANONICAL_FILES);
    char *text = key_text(part, strlen(part));
    char *name = text == NULL ? NULL : scalar_text(text, true);
    const char *key = name == NULL ? NULL : key_of_file(self->is, name);

    if (key != NULL) {
        spot_diag_error(
            self->diag, self->place, 0, 0, "%s: its content has changed (%s)", key, name);
    } else {
        spot_diag_error(self->diag, self->place, 0, 0, "%s: its content has changed",
            name == NULL ? entry->path : name);
    }
    free(text);
    free(name);
}

static const char *shown(const spot_canonical_entry_t *entry)
{
    if (entry == NULL) {
        return "not set";
    }
    return entry->text[0] == '\0' ? "nothing" : entry->text;
}

/* One of was and is may be NULL: not set. A file that only one list has is no
 * difference. */
static void report_difference(
    comparison_t *self, const spot_canonical_entry_t *was, const spot_canonical_entry_t *is)
{
    const spot_canonical_entry_t *entry = was == NULL ? is : was;

    if (was != NULL && is != NULL && strcmp(was->text, is->text) == 0) {
        return;
    }
    if (!is_file(entry)) {
        spot_diag_error(
            self->diag, self->place, 0, 0, "%s was %s, is %s", entry->path, shown(was), shown(is));
        self->num_differences++;
    } else if (was != NULL && is != NULL) {
        report_file(self, entry);
        self->num_differences++;
    }
}

size_t spot_canonical_compare(
    const spot_canonical_t *was, const spot_canonical_t *is, const char *place, spot_diag_t *diag)
{
    comparison_t self = {.is = is, .place = place, .diag = diag};
    size_t was_id = 0, is_id = 0;

    while (was_id < was->num_entries || is_id < is->num_entries) {
        const int order = was_id == was->num_entries ? 1
                          : is_id == is->num_entries
                              ? -1
                              : compare_paths(was->entries[was_id].path, is->entries[is_id].path);

        report_difference(&self, order > 0 ? NULL : &was->entries[was_id],
            order < 0 ? NULL : &is->entries[is_id]);
        was_id += order <= 0;
        is_id += order >= 0;
    }
    return self.num_differences;
}

/* ---- Making ---- */

/* Makes a list of what a document says. */
typedef struct {
    spot_bind_visitor_t visitor;
    spot_canonical_t *list;
    const spot_inputs_t *inputs; /* or NULL */
} writer_t;

static writer_t *writer_of(const spot_bind_t *bind)
{
    return (writer_t *) (void *) bind->visitor;
}

static char *path_of(const spot_bind_t *bind, const char *name)
{
    char *path = malloc(strlen(bind->path) + strlen(name) + 1);

    if (path != NULL) {
        sprintf(path, "%s%s", bind->path, name);
    }
    return path;
}

/* text is YAML, owned from now on; NULL: no memory. */
static void append_value(spot_bind_t *bind, const char *name, char *text, bool is_selector)
{
    const writer_t *self = writer_of(bind);
    spot_canonical_entry_t *entry;

    if (append_entry(self->list, path_of(bind, name), text) != 0) {
        bind->is_out_of_memory = true;
        return;
    }
    entry = &self->list->entries[self->list->num_entries - 1];
    entry->is_selector = is_selector;
    entry->is_chosen = self->visitor.is_chosen && self->visitor.num_defaults > 0;
}

static void write_scalar(spot_bind_t *bind, const char *name, const char *text, spot_visited_t kind)
{
    append_value(bind, name,
        kind == SPOT_VISITED_NUMBER ? spot_text_copy(text, strlen(text)) : scalar_text(text, true),
        kind == SPOT_VISITED_SELECTOR);
}

/* A file gets its name in the journal. */
static void write_file(spot_bind_t *bind, const char *name, const spot_node_t *node)
{
    const spot_inputs_t *inputs = writer_of(bind)->inputs;
    char *path = spot_node_file_path(node);
    const spot_input_t *input =
        inputs == NULL || path == NULL ? NULL : spot_inputs_find(inputs, path);

    free(path);
    append_value(bind, name, scalar_text(input == NULL ? node->text : input->name, true), false);
}

static void write_unknown(spot_bind_t *bind, const char *name, const spot_node_t *node)
{
    char *path = path_of(bind, name);

    bind->is_out_of_memory = bind->is_out_of_memory || path == NULL ||
                             append_node(writer_of(bind)->list, path, node) != 0;
    free(path);
}

/* Appends the keys of a map in their order, below SPOT_CANONICAL_ORDER: the entries
 * themselves are sorted. */
static void write_order(spot_bind_t *bind, const char *name, const spot_node_t *map)
{
    static const char order[] = SPOT_CANONICAL_ORDER ".";

    for (size_t j = 0; j < map->num_children; j++) {
        char *path = malloc(sizeof(order) + strlen(bind->path) + strlen(name) + 32);

        if (path != NULL) {
            sprintf(path, "%s%s%s[%zu]", order, bind->path, name, j);
        }
        bind->is_out_of_memory =
            append_entry(writer_of(bind)->list, path, scalar_text(map->keys[j]->text, true)) != 0 ||
            bind->is_out_of_memory;
    }
}

static int append_file(spot_canonical_t *self, const spot_input_t *input)
{
    static const char files[] = SPOT_CANONICAL_FILES ".";
    char *path;

    spot_bug_assert(input->name != NULL);
    path = malloc(sizeof(files) + 2 * strlen(input->name) + 2);
    if (path != NULL) {
        spot_path_escape(input->name, path + sprintf(path, "%s", files));
    }
    return append_entry(self, path, scalar_text(input->sha256, true));
}

int spot_canonical_make(spot_canonical_t *self, const spot_field_t *fields, const spot_node_t *node,
    const spot_inputs_t *inputs)
{
    writer_t writer = {.list = self,
        .inputs = inputs,
        .visitor = {.scalar = write_scalar,
            .file = write_file,
            .unknown = write_unknown,
            .order = write_order}};
    spot_bind_t bind = {.visitor = &writer.visitor};
    int ret;

    spot_bind_map(&bind, fields, NULL, node, NULL);
    ret = bind.is_out_of_memory ? SPOT_ERR_NO_MEMORY : 0;
    for (size_t j = 0; ret == 0 && inputs != NULL && j < inputs->num_inputs; j++) {
        ret = append_file(self, &inputs->inputs[j]);
    }
    if (ret == 0 && sort_entries(self) != 0) {
        return 0; /* repeated paths, of a document that is faulty */
    }
    return ret;
}
