/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/records/json_value.h"

#include <stdio.h>
#include <string.h>

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

const spot_json_value_t *spot_json_member(const spot_json_value_t *self, const char *key)
{
    const spot_json_value_t *member = self == NULL ? NULL : self->first;

    while (member != NULL && (member->key == NULL || strcmp(member->key, key) != 0)) {
        member = member->next;
    }
    return member;
}

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

/* ---- Trees ---- */

static char *copy_token(records_t *self)
{
    char *text = spot_arena_take(&self->arena, self->json.num_bytes + 1, 1);

    if (text != NULL) {
        memcpy(text, self->json.text, self->json.num_bytes);
    }
    return text;
}

/* Makes a value of the current token. NULL: no memory. */
static spot_json_value_t *make_value(records_t *self, const char *key)
{
    const spot_json_reader_t *json = &self->json;
    spot_json_value_t *value = spot_arena_take(&self->arena, 1, sizeof(*value));
    const bool is_open = json->kind == SPOT_JSON_OPEN_OBJECT || json->kind == SPOT_JSON_OPEN_ARRAY;

    if (value != NULL) {
        value->kind = json->kind;
        value->key = key;
        value->line = json->line;
        value->column = json->column;
        value->num_bytes = is_open ? 1 : json->num_bytes;
        value->text =
            is_open ? (json->kind == SPOT_JSON_OPEN_OBJECT ? "{" : "[") : copy_token(self);
    }
    return self->arena.error == 0 ? value : NULL;
}

/* At a key: copies it and goes to its value. */
static int read_key(records_t *self, char **key)
{
    if (self->json.kind != SPOT_JSON_TEXT) {
        return spot_json_reader_expected(&self->json, "object", "a key in \"\"");
    }
    *key = copy_token(self);
    return *key == NULL ? SPOT_ERR_NO_MEMORY : spot_json_reader_next(&self->json);
}

/* Reads the value that the current token begins, to its last token. */
static int read_tree(records_t *self, const char *key, spot_json_value_t **value)
{
    spot_json_value_t **end;
    int ret = 0;

    *value = make_value(self, key);
    if (*value == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    if ((*value)->kind != SPOT_JSON_OPEN_OBJECT && (*value)->kind != SPOT_JSON_OPEN_ARRAY) {
        return 0;
    }
    end = &(*value)->first;
    ret = spot_json_reader_next(&self->json);
    while (ret == 0 && self->json.kind != SPOT_JSON_CLOSE_OBJECT &&
           self->json.kind != SPOT_JSON_CLOSE_ARRAY) {
        char *name = NULL;

        ret = (*value)->kind == SPOT_JSON_OPEN_OBJECT ? read_key(self, &name) : 0;
        ret = ret == 0 ? read_tree(self, name, end) : ret;
        end = ret == 0 ? &(*end)->next : end;
        ret = ret == 0 ? spot_json_reader_next(&self->json) : ret;
    }
    return ret;
}

/* ---- Records ---- */

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
            ret = read_tree(self, NULL, &record);
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
    spot_json_value_t *object = make_value(self, NULL);
    spot_json_value_t **end = object == NULL ? NULL : &object->first;
    bool has_list = false;
    int ret = object == NULL ? SPOT_ERR_NO_MEMORY : spot_json_reader_next(&self->json);

    while (ret == 0 && self->json.kind != SPOT_JSON_CLOSE_OBJECT) {
        char inner[MAX_PATH];
        char *key = NULL;
        spot_json_value_t *value = NULL;

        ret = read_key(self, &key);
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
            ret = read_tree(self, has_list ? NULL : key, &value);
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
    int ret = spot_json_reader_open_values(&self.json, input, 0, 0, diag);

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
    const spot_record_input_t text = {
        .path = input->path, .bytes = value->text, .num_bytes = value->num_bytes};
    records_t self = {.lists = lists, .take = take, .context = context};
    int ret = spot_json_reader_open_values(&self.json, &text, value->line, value->column, diag);

    ret = ret == 0 ? read_records(&self) : ret;
    spot_json_reader_close(&self.json);
    spot_arena_free(&self.arena);
    return ret == 0 && self.is_faulty ? SPOT_ERR_BAD_INPUT : ret;
}
