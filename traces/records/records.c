/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/records/records.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/utf8.h"

/* ---- The input ---- */

int spot_record_input_csv(const spot_record_input_t *self, spot_csv_t **csv, spot_diag_t *diag)
{
    if (self->bytes == NULL) {
        return spot_csv_open(csv, self->path, diag);
    }
    return spot_csv_open_bytes(csv, self->path, self->bytes, self->num_bytes, diag);
}

/* Opens the bytes of the input. IO, NO_MEMORY; close stream even then. */
static int record_input_stream(
    const spot_record_input_t *self, spot_instream_t *stream, spot_diag_t *diag)
{
    if (self->bytes == NULL) {
        return spot_instream_open(stream, self->path, diag);
    }
    spot_instream_open_bytes(stream, self->path, self->bytes, self->num_bytes);
    return 0;
}

int spot_record_input_head(const spot_record_input_t *self, char text[SPOT_RECORD_HEAD_BYTES],
    char line[SPOT_RECORD_LINE_BYTES], spot_diag_t *diag)
{
    spot_instream_t stream;
    struct stat status;
    size_t num_bytes = 0;
    int ret;

    text[0] = '\0';
    line[0] = '\0';
    if (self->bytes == NULL && stat(self->path, &status) == 0 && S_ISFIFO(status.st_mode)) {
        return spot_diag_error(diag, self->path, 0, 0,
            "expected a file: a pipe can be read only once, and its begin says what it "
            "is");
    }
    ret = record_input_stream(self, &stream, diag);
    if (ret == 0) {
        ret = spot_instream_read(&stream, text, SPOT_RECORD_HEAD_BYTES - 1, &num_bytes, diag);
    }
    if (ret == 0) {
        const char *start = text;

        num_bytes = spot_utf8_uncolour(text, num_bytes);
        text[num_bytes] = '\0';
        if (spot_foreign_kind(text, num_bytes) != NULL) {
            ret = spot_diag_error(diag, self->path, 0, 0, "this is %s: expected a recording",
                spot_foreign_kind(text, num_bytes));
        } else if (num_bytes == 0) {
            ret = spot_diag_error(diag, self->path, 1, 1, "file is empty");
        }
        start += strspn(start, " \t\r\n");
        num_bytes = strcspn(start, "\r\n");
        snprintf(line, SPOT_RECORD_LINE_BYTES, "%.*s",
            (int) (num_bytes < SPOT_RECORD_LINE_BYTES ? num_bytes : SPOT_RECORD_LINE_BYTES), start);
    }
    spot_instream_close(&stream);
    return ret;
}

/* ---- JSON ---- */

int spot_record_input_json(
    const spot_record_input_t *self, size_t max_depth, spot_json_reader_t *json, spot_diag_t *diag)
{
    if (self->bytes == NULL) {
        return spot_json_reader_open(json, self->path, max_depth, diag);
    }
    spot_json_reader_open_bytes(json, self->path, 1, self->bytes, self->num_bytes, max_depth, diag);
    return 0;
}

/* ---- Records of a JSON log as trees ---- */

/* The longest path of a list of records. */
enum { MAX_PATH = 128 };

typedef struct {
    spot_json_reader_t json;
    const char *const *lists;
    int (*take)(void *context, const spot_json_value_t *record);
    void *context;
    spot_arena_t arena; /* of the record under way */
    int64_t num_records;
    bool is_faulty; /* a record was reported */
} records_t;

const spot_json_value_t *spot_json_at(const spot_json_value_t *self, const char *path)
{
    while (self != NULL && *path != '\0') {
        const size_t num_bytes = strcspn(path, ".");
        const spot_json_value_t *member;

        if (self->kind == SPOT_JSON_OPEN_ARRAY) {
            self = self->first;
            continue;
        }
        member = self->first;
        while (
            member != NULL && (member->key == NULL || strncmp(member->key, path, num_bytes) != 0 ||
                                  member->key[num_bytes] != '\0')) {
            member = member->next;
        }
        self = member;
        path += num_bytes + (path[num_bytes] == '.');
    }
    return self;
}

const char *spot_json_text_at(const spot_json_value_t *self, const char *path)
{
    const spot_json_value_t *value = spot_json_at(self, path);

    const bool is_null =
        value == NULL || (value->kind == SPOT_JSON_WORD && strcmp(value->text, "null") == 0);

    return is_null || value->kind < SPOT_JSON_TEXT ? "" : value->text;
}

/* ---- Records: one after another ---- */

/* Hands a record on and forgets it. */
static int take_record(records_t *self, const spot_json_value_t *record)
{
    int ret = self->take(self->context, record);

    self->num_records++;
    self->is_faulty |= ret == SPOT_ERR_BAD_INPUT;
    return ret == SPOT_ERR_BAD_INPUT ? 0 : ret;
}

/* At the begin of a list: its items are records, and so are those of lists in it. */
static int read_list(records_t *self)
{
    int ret = spot_json_reader_next(&self->json);

    while (ret == 0 && self->json.kind != SPOT_JSON_CLOSE_ARRAY) {
        spot_json_value_t *record;

        if (self->json.kind == SPOT_JSON_OPEN_ARRAY) {
            ret = read_list(self);
        } else {
            ret = spot_json_tree(&self->json, NULL, &self->arena, &record);
            ret = ret == 0 ? take_record(self, record) : ret;
            spot_arena_free(&self->arena);
        }
        ret = ret == 0 ? spot_json_reader_next(&self->json) : ret;
    }
    return ret;
}

/* Whether a path is that of a list, or with_part: begins one. */
static bool is_list_path(const records_t *self, const char *path, bool with_part)
{
    const size_t num_bytes = strlen(path);

    for (size_t j = 0; self->lists != NULL && self->lists[j] != NULL; j++) {
        if (strncmp(self->lists[j], path, num_bytes) == 0 &&
            self->lists[j][num_bytes] == (with_part ? '.' : '\0')) {
            return true;
        }
    }
    return false;
}

/* At the begin of an object: the lists in it are read as they come, and what is beside
 * them is forgotten. *record: the object, if it has none. Items of a list need the
 * memory of the arena, so that the members before it go. */
static int read_object(records_t *self, const char *path, spot_json_value_t **record)
{
    spot_json_value_t *object = spot_arena_take(&self->arena, 1, sizeof(*object));
    spot_json_value_t **end = object == NULL ? NULL : &object->first;
    bool has_list = false;
    int ret = object == NULL ? SPOT_ERR_NO_MEMORY : 0;

    if (ret == 0) {
        *object = (spot_json_value_t){.kind = SPOT_JSON_OPEN_OBJECT,
            .text = "{",
            .num_bytes = 1,
            .line = self->json.line,
            .column = self->json.column};
        ret = spot_json_reader_next(&self->json);
    }
    while (ret == 0 && self->json.kind != SPOT_JSON_CLOSE_OBJECT) {
        char inner[MAX_PATH];
        const char *key = spot_arena_text(&self->arena, self->json.text);
        spot_json_value_t *value = NULL;

        ret = key == NULL ? SPOT_ERR_NO_MEMORY : spot_json_reader_next(&self->json);
        if (ret != 0) {
            break;
        }
        snprintf(inner, sizeof(inner), "%s%s%s", path, *path == '\0' ? "" : ".", key);
        if (self->json.kind == SPOT_JSON_OPEN_ARRAY && is_list_path(self, inner, false)) {
            has_list = true;
            ret = read_list(self);
        } else if (self->json.kind == SPOT_JSON_OPEN_OBJECT && is_list_path(self, inner, true)) {
            ret = read_object(self, inner, &value);
            has_list |= value == NULL;
        } else {
            ret = spot_json_tree(&self->json, key, &self->arena, &value);
        }
        if (ret == 0 && !has_list) {
            *end = value;
            value->key = key;
            end = &value->next;
        }
        ret = ret == 0 ? spot_json_reader_next(&self->json) : ret;
    }
    *record = has_list ? NULL : object;
    return ret;
}

static int read_value(records_t *self)
{
    spot_json_value_t *record = NULL;
    int ret;

    if (self->json.kind == SPOT_JSON_OPEN_ARRAY) {
        ret = read_list(self);
    } else if (self->json.kind == SPOT_JSON_OPEN_OBJECT) {
        ret = read_object(self, "", &record);
    } else {
        ret = spot_json_reader_expected(&self->json, "record", "an object or a list");
    }
    ret = ret == 0 && record != NULL ? take_record(self, record) : ret;
    spot_arena_free(&self->arena);
    return ret;
}

static int read_records(records_t *self)
{
    int ret = spot_json_reader_next(&self->json);

    while (ret == 0 && self->json.kind != SPOT_JSON_END) {
        ret = read_value(self);
        ret = ret == 0 ? spot_json_reader_next(&self->json) : ret;
    }
    return ret;
}

int spot_json_records(const spot_record_input_t *input, const char *const *lists,
    int (*take)(void *context, const spot_json_value_t *record), void *context, spot_diag_t *diag)
{
    records_t self = {.lists = lists, .take = take, .context = context};
    int ret = spot_record_input_json(input, SPOT_JSON_MAX_NESTED, &self.json, diag);

    ret = ret == 0 ? read_records(&self) : ret;
    if (ret == 0 && self.num_records == 0) {
        ret = spot_diag_error(diag, input->path, self.json.line, 1, "expected at least one record");
    }
    spot_json_reader_close(&self.json);
    spot_arena_free(&self.arena);
    return ret == 0 && self.is_faulty ? SPOT_ERR_BAD_INPUT : ret;
}

int spot_json_records_within(const spot_record_input_t *input, const spot_json_value_t *value,
    const char *const *lists, int (*take)(void *context, const spot_json_value_t *record),
    void *context, spot_diag_t *diag)
{
    records_t self = {.lists = lists, .take = take, .context = context};
    int ret;

    spot_json_reader_open_bytes(
        &self.json, input->path, 1, value->text, value->num_bytes, SPOT_JSON_MAX_NESTED, diag);
    spot_json_reader_set_place(&self.json, value->line, value->column);
    ret = read_records(&self);
    spot_json_reader_close(&self.json);
    spot_arena_free(&self.arena);
    return ret == 0 && self.is_faulty ? SPOT_ERR_BAD_INPUT : ret;
}
