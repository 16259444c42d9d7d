/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/file_header.h"

#include <stdlib.h>
#include <string.h>

#include "base/keys.h"
#include "base/memory.h"

void spot_keys_free(spot_keys_t *self)
{
    for (size_t j = 0; j < self->num_keys; j++) {
        free(self->keys[j].key);
        free(self->keys[j].value);
    }
    free(self->keys);
    memset(self, 0, sizeof(*self));
}

static spot_trace_key_t *find_key(const spot_keys_t *self, const char *key)
{
    for (size_t j = 0; j < self->num_keys; j++) {
        if (strcmp(self->keys[j].key, key) == 0) {
            return &self->keys[j];
        }
    }
    return NULL;
}

const char *spot_keys_find(const spot_keys_t *self, const char *key)
{
    const spot_trace_key_t *found = find_key(self, key);

    return found == NULL ? NULL : found->value;
}

int spot_keys_append(
    spot_keys_t *self, const char *key, size_t key_bytes, const char *value, size_t value_bytes)
{
    const spot_trace_key_t copy = {
        spot_text_copy(key, key_bytes), spot_text_copy(value, value_bytes)};
    const bool is_good = copy.key != NULL && copy.value != NULL;

    if (!is_good || SPOT_ARRAY_APPEND(self, keys, copy) != 0) {
        free(copy.key);
        free(copy.value);
        return SPOT_ERR_NO_MEMORY;
    }
    return 0;
}

int spot_keys_set(spot_keys_t *self, const char *key, const char *value, size_t value_bytes)
{
    spot_trace_key_t *found = find_key(self, key);
    char *copy;

    if (found == NULL) {
        return spot_keys_append(self, key, strlen(key), value, value_bytes);
    }
    copy = spot_text_copy(value, value_bytes);
    if (copy == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    free(found->value);
    found->value = copy;
    return 0;
}

void spot_keys_drop(spot_keys_t *self, const char *key)
{
    spot_trace_key_t *found = find_key(self, key);

    if (found != NULL) {
        free(found->key);
        free(found->value);
        self->num_keys--;
        memmove(found, found + 1, (size_t) (self->keys + self->num_keys - found) * sizeof(*found));
    }
}

typedef struct {
    spot_file_header_t *found;
    const char *file;
    spot_diag_t *diag;
    spot_names_t keys; /* seen so far, on faulty lines too */
    size_t max_key_lines;
    size_t *key_lines; /* [keys.num_names] line of the first occurrence */
} header_t;

/* The parts of "# key: value". */
typedef struct {
    const char *key;
    size_t key_bytes;
    const char *value; /* without blanks around it */
    size_t value_bytes;
} parts_t;

static bool split_line(const char *text, parts_t *parts)
{
    if (strncmp(text, "# ", 2) != 0) {
        return false;
    }
    parts->key = text + 2;
    parts->key_bytes = strcspn(parts->key, ": ");
    if (parts->key_bytes == 0 || strncmp(parts->key + parts->key_bytes, ": ", 2) != 0) {
        return false;
    }
    parts->value = parts->key + parts->key_bytes + 2;
    parts->value += strspn(parts->value, " ");
    parts->value_bytes = strlen(parts->value);
    while (parts->value_bytes > 0 && parts->value[parts->value_bytes - 1] == ' ') {
        parts->value_bytes--;
    }
    return parts->value_bytes > 0;
}

static int note_key(header_t *self, const char *key, size_t key_bytes, size_t line)
{
    const size_t num_keys = self->keys.num_names;
    int32_t key_id;
    int ret = SPOT_ARRAY_ROOM(self, key_lines, num_keys + 1);

    ret = ret == 0 ? spot_names_add(&self->keys, key, key_bytes, &key_id) : ret;
    if (ret == 0 && self->keys.num_names > num_keys) {
        self->key_lines[num_keys] = line;
    }
    return ret;
}

/* Notes the key of a faulty line, so that it is not reported as missing. */
static int note_faulty_line(header_t *self, const spot_csv_row_t *row)
{
    const char *key = row->text + strspn(row->text, "# ");

    return note_key(self, key, strcspn(key, ": "), row->line);
}

static void take_value(header_t *self, const spot_csv_row_t *row, const parts_t *parts)
{
    const spot_file_header_t *found = self->found;
    const spot_trace_key_t *kept = &found->keys->keys[found->keys->num_keys - 1];
    char shown[SPOT_CSV_SHOWN_BYTES];

    for (const spot_file_key_t *known = found->known; known->key != NULL; known++) {
        if (known->take != NULL && strcmp(kept->key, known->key) == 0 &&
            !known->take(found->target, kept->value)) {
            spot_diag_error(self->diag, self->file, row->line,
                (size_t) (parts->value - row->text) + 1, "%s: expected %s, got '%s'", kept->key,
                known->expected, spot_csv_shown(kept->value, shown));
        }
    }
}

static int read_line(header_t *self, const spot_csv_row_t *row)
{
    const char *bad = strpbrk(row->text, ",\"");
    char shown[SPOT_CSV_SHOWN_BYTES];
    int32_t key_id;
    parts_t parts;
    int ret;

    if (!split_line(row->text, &parts)) {
        spot_diag_error(self->diag, self->file, row->line, 1, "expected '# key: value'");
        return note_faulty_line(self, row);
    }
    if (bad != NULL) {
        spot_diag_error(self->diag, self->file, row->line, (size_t) (bad - row->text) + 1,
            "comma or double quote in a header line");
        return note_faulty_line(self, row);
    }
    key_id = spot_names_find(&self->keys, parts.key, parts.key_bytes);
    if (key_id >= 0) {
        spot_diag_error(self->diag, self->file, row->line, 3,
            "duplicate key '%s', first on line %zu",
            spot_csv_shown(self->keys.names[key_id], shown), self->key_lines[key_id]);
        return 0;
    }
    ret = note_key(self, parts.key, parts.key_bytes, row->line);
    if (ret == 0) {
        ret = spot_keys_append(
            self->found->keys, parts.key, parts.key_bytes, parts.value, parts.value_bytes);
    }
    if (ret == 0) {
        take_value(self, row, &parts);
    }
    return ret;
}

/* Checks the first line. BAD_INPUT: the file has another format or version, and its
 * other lines are not checked. */
static int read_first_line(header_t *self, const spot_csv_row_t *row)
{
    const char *format = self->found->format;
    char shown[SPOT_CSV_SHOWN_BYTES];
    parts_t parts;

    if (!split_line(row->text, &parts) || parts.key_bytes != strlen(format) ||
        strncmp(parts.key, format, parts.key_bytes) != 0) {
        return spot_diag_error(self->diag, self->file, row->line, 1, "expected '# %s: 1'", format);
    }
    if (parts.value_bytes != 1 || *parts.value != '1') {
        return spot_diag_error(self->diag, self->file, row->line,
            (size_t) (parts.value - row->text) + 1,
            "unsupported version '%s'; this program reads 1", spot_csv_shown(parts.value, shown));
    }
    return note_key(self, parts.key, parts.key_bytes, row->line);
}

static void report_missing(const header_t *self, size_t line)
{
    for (const spot_file_key_t *known = self->found->known; known->key != NULL; known++) {
        if (known->is_required &&
            spot_names_find(&self->keys, known->key, strlen(known->key)) < 0) {
            spot_diag_error(self->diag, self->file, line, 1, "missing key '%s'", known->key);
        }
    }
}

static int read_lines(header_t *self, spot_csv_t *csv, spot_csv_row_t *row)
{
    int ret = spot_csv_next(csv, row);

    if (ret == 0) {
        return spot_diag_error(self->diag, self->file, 1, 1, "file is empty");
    }
    if (ret == 1) {
        ret = read_first_line(self, row);
    }
    while (ret == 0) {
        const int found = spot_csv_next(csv, row);
        const bool is_good = found != SPOT_ERR_BAD_INPUT;

        if (found < 0 && is_good) {
            return found;
        }
        if (row->is_comment) {
            ret = is_good ? read_line(self, row) : note_faulty_line(self, row);
        } else if (found == 1 && row->num_fields == 0) {
            spot_diag_error(self->diag, self->file, row->line, 1, "empty line");
        } else {
            report_missing(self, row->line);
            return found != 0;
        }
    }
    return ret;
}

int spot_file_header_read(
    spot_file_header_t *self, spot_csv_t *csv, spot_csv_row_t *row, spot_diag_t *diag)
{
    header_t header = {.found = self, .file = spot_csv_file(csv), .diag = diag};
    int ret;

    ret = read_lines(&header, csv, row);
    spot_names_free(&header.keys);
    free(header.key_lines);
    return ret;
}
