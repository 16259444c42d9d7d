/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/records/records.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"

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

        text[num_bytes] = '\0';
        if (spot_foreign_kind(text, num_bytes) != NULL) {
            ret = spot_diag_error(diag, self->path, 0, 0, "this is %s: expected a recording",
                spot_foreign_kind(text, num_bytes));
        } else if (num_bytes == 0) {
            ret = spot_diag_error(diag, self->path, 1, 1, "file is empty");
        }
        start += strncmp(start, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
        start += strspn(start, " \t\r\n");
        num_bytes = strcspn(start, "\r\n");
        snprintf(line, SPOT_RECORD_LINE_BYTES, "%.*s",
            (int) (num_bytes < SPOT_RECORD_LINE_BYTES ? num_bytes : SPOT_RECORD_LINE_BYTES), start);
    }
    spot_instream_close(&stream);
    return ret;
}

/* ---- JSON, one token at a time ---- */

/* Deeper than any format of one value nests, and than the records of clouds. */
enum { MAX_DEPTH = 16, MAX_VALUES_DEPTH = 64 };

/* ---- JSON: a stream of values as one array ---- */

/* Follows the stream over a byte. */
static void pass_byte(spot_json_reader_t *self, char byte)
{
    if (self->values.in_text) {
        self->values.in_text = byte != '"' || self->values.is_escaped;
        self->values.is_escaped = byte == '\\' && !self->values.is_escaped;
    } else if (byte == '"') {
        self->values.in_text = true;
    } else if (byte == '{' || byte == '[') {
        self->values.depth++;
    } else if ((byte == '}' || byte == ']') && self->values.depth > 0) {
        self->values.depth--;
    }
    self->values.is_between = self->values.depth == 0 && !self->values.in_text &&
                              (strchr("}]\" \t\r\n", byte) != NULL || self->values.is_between);
}

/* The next bytes of the stream, without a byte-order mark at its begin. Returns false
 * where it ends or has failed. */
static bool fill_raw(spot_json_reader_t *self)
{
    static const char mark[] = "\xef\xbb\xbf";
    const bool is_first = self->values.num_bytes == 0;

    if (self->values.next_raw < self->values.num_raw) {
        return true;
    }
    self->values.next_raw = 0;
    self->has_failed = spot_instream_read(&self->stream, self->values.raw, sizeof(self->values.raw),
                           &self->values.num_raw, self->diag) != 0;
    self->values.num_raw = self->has_failed ? 0 : self->values.num_raw;
    self->values.num_bytes += self->values.num_raw;
    if (is_first && self->values.num_raw >= 3 && memcmp(self->values.raw, mark, 3) == 0) {
        self->values.next_raw = 3;
        self->values.num_more -= 3;
    }
    return self->values.next_raw < self->values.num_raw;
}

static int read_values(void *data, unsigned char *buffer, size_t size, size_t *size_read)
{
    spot_json_reader_t *self = data;
    size_t num_bytes = 0;

    if (!self->values.is_begun) {
        buffer[num_bytes++] = '[';
        self->values.num_more++;
        self->values.is_begun = true;
    }
    while (num_bytes + 2 <= size && fill_raw(self)) {
        const char byte = self->values.raw[self->values.next_raw];
        const bool is_blank = strchr(" \t\r\n", byte) != NULL;

        if (self->values.is_between && !is_blank && self->values.num_values > 0) {
            if (num_bytes > 0) {
                break; /* the comma begins what is handed on: num_more holds for all */
            }
            buffer[num_bytes++] = ',';
            self->values.num_more++;
        }
        self->values.num_values += self->values.is_between && !is_blank;
        self->values.is_between &= is_blank;
        self->values.next_raw++;
        pass_byte(self, byte);
        buffer[num_bytes++] = (unsigned char) byte;
    }
    if (num_bytes < size && !self->has_failed && !self->values.is_ended && !fill_raw(self)) {
        buffer[num_bytes++] = ']';
        self->values.is_ended = true;
    }
    *size_read = num_bytes;
    return !self->has_failed;
}

/* Turns a place of the parser into that in the file. */
static void place_of(
    const spot_json_reader_t *self, const yaml_mark_t *mark, size_t *line, size_t *column)
{
    *line = self->num_lines_before + mark->line + 1;
    *column = mark->column + 1;
    if (self->outer_line > 0) {
        *line = self->outer_line;
        *column = self->outer_column;
    } else if (self->is_values && *line == self->values.line && *column > self->values.num_put) {
        *column -= self->values.num_put;
    }
}

/* At a value of the stream: notes what was put into its line before it. That is a comma,
 * and the bracket in line 1. */
static void note_value(spot_json_reader_t *self)
{
    const size_t line = self->event.start_mark.line + 1;
    const bool is_first = self->values.line == 0;

    self->values.num_put = line == self->values.line ? self->values.num_put + 1 : 1;
    self->values.line = is_first ? 1 : line;
}

/* ---- JSON: tokens ---- */

static int read_bytes(void *data, unsigned char *buffer, size_t size, size_t *size_read)
{
    spot_json_reader_t *self = data;

    self->has_failed =
        spot_instream_read(&self->stream, (char *) buffer, size, size_read, self->diag) != 0;
    return !self->has_failed;
}

static int open_reader(spot_json_reader_t *self)
{
    if (!yaml_parser_initialize(&self->parser)) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->max_depth = self->is_values ? MAX_VALUES_DEPTH + 1 : MAX_DEPTH;
    self->values.is_between = true;
    yaml_parser_set_encoding(&self->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input(&self->parser, self->is_values ? read_values : read_bytes, self);
    return 0;
}

static int open_input(
    spot_json_reader_t *self, const spot_record_input_t *input, bool is_values, spot_diag_t *diag)
{
    int ret;

    memset(self, 0, sizeof(*self));
    self->file = input->path;
    self->diag = diag;
    self->is_values = is_values;
    ret = record_input_stream(input, &self->stream, diag);
    return ret == 0 ? open_reader(self) : ret;
}

int spot_json_reader_open(
    spot_json_reader_t *self, const spot_record_input_t *input, spot_diag_t *diag)
{
    return open_input(self, input, false, diag);
}

/* The same for any number of values, with blanks, line ends or nothing between them. The
 * tokens are those of all values, and then SPOT_JSON_END. line, column: the place of all
 * of them, for text within a value; 0, 0: their own. */
static int json_reader_open_values(spot_json_reader_t *self, const spot_record_input_t *input,
    size_t line, size_t column, spot_diag_t *diag)
{
    int ret = open_input(self, input, true, diag);

    self->outer_line = line;
    self->outer_column = column;
    return ret == 0 ? spot_json_reader_next(self) : ret; /* the bracket put before */
}

int spot_json_reader_open_line(
    spot_json_reader_t *self, const char *file, const spot_csv_row_t *row, spot_diag_t *diag)
{
    memset(self, 0, sizeof(*self));
    self->file = file;
    self->num_lines_before = row->line - 1;
    self->diag = diag;
    spot_instream_open_bytes(&self->stream, file, row->text, row->num_bytes);
    return open_reader(self);
}

void spot_json_reader_close(spot_json_reader_t *self)
{
    yaml_event_delete(&self->event);
    yaml_parser_delete(&self->parser);
    spot_instream_close(&self->stream);
    memset(self, 0, sizeof(*self));
}

static int report_syntax(spot_json_reader_t *self)
{
    const yaml_parser_t *parser = &self->parser;
    size_t line, column;

    if (parser->error == YAML_MEMORY_ERROR) {
        return SPOT_ERR_NO_MEMORY;
    }
    if (self->has_failed) {
        return SPOT_ERR_IO;
    }
    if (parser->error == YAML_READER_ERROR) {
        spot_diag_error(self->diag, self->file, self->outer_line, self->outer_column,
            "no JSON text: %s at byte %" PRId64, parser->problem,
            (int64_t) parser->problem_offset + 1 - self->values.num_more);
    } else {
        place_of(self, &parser->problem_mark, &line, &column);
        spot_diag_error(self->diag, self->file, line, column, "JSON syntax: %s%s%s",
            parser->context == NULL ? "" : parser->context, parser->context == NULL ? "" : " ",
            parser->problem);
    }
    return SPOT_ERR_BAD_INPUT;
}

static int report_token(const spot_json_reader_t *self, const char *message)
{
    return spot_diag_error(self->diag, self->file, self->line, self->column, "%s", message);
}

static int take_scalar(spot_json_reader_t *self)
{
    const yaml_scalar_style_t style = self->event.data.scalar.style;

    self->text = (const char *) self->event.data.scalar.value;
    self->num_bytes = self->event.data.scalar.length;
    self->kind = style == YAML_DOUBLE_QUOTED_SCALAR_STYLE ? SPOT_JSON_TEXT : SPOT_JSON_WORD;
    if (self->event.data.scalar.anchor != NULL || self->event.data.scalar.tag != NULL ||
        (self->kind == SPOT_JSON_WORD &&
            (style != YAML_PLAIN_SCALAR_STYLE || self->num_bytes == 0 ||
                strpbrk(self->text, " \t\r\n\"':") != NULL))) {
        return report_token(self, "JSON syntax: neither a number nor a text in \"\"");
    }
    return 0;
}

static int take_open(spot_json_reader_t *self, spot_json_kind_t kind, bool is_json)
{
    self->kind = kind;
    self->text = kind == SPOT_JSON_OPEN_ARRAY ? "[" : "{";
    if (!is_json) {
        return report_token(self, "JSON syntax: expected [ or {");
    }
    if (++self->depth > self->max_depth) {
        return spot_diag_error(self->diag, self->file, self->line, self->column,
            "nested more than %d levels deep", self->is_values ? MAX_VALUES_DEPTH : MAX_DEPTH);
    }
    return 0;
}

static int take_close(spot_json_reader_t *self, spot_json_kind_t kind)
{
    self->depth--;
    self->kind = kind;
    self->text = kind == SPOT_JSON_CLOSE_ARRAY ? "]" : "}";
    return 0;
}

/* Returns 1 if the event is no token. */
static int take_event(spot_json_reader_t *self)
{
    switch (self->event.type) {
        case YAML_SCALAR_EVENT:
            return take_scalar(self);
        case YAML_SEQUENCE_START_EVENT:
            return take_open(self, SPOT_JSON_OPEN_ARRAY,
                self->event.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE);
        case YAML_MAPPING_START_EVENT:
            return take_open(self, SPOT_JSON_OPEN_OBJECT,
                self->event.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE);
        case YAML_SEQUENCE_END_EVENT:
            return take_close(self, SPOT_JSON_CLOSE_ARRAY);
        case YAML_MAPPING_END_EVENT:
            return take_close(self, SPOT_JSON_CLOSE_OBJECT);
        case YAML_ALIAS_EVENT:
            return report_token(self, "JSON syntax: an alias is no value");
        case YAML_STREAM_END_EVENT:
            self->kind = SPOT_JSON_END;
            self->text = "the end";
            return 0;
        default:
            return 1;
    }
}

int spot_json_reader_next(spot_json_reader_t *self)
{
    int ret = 1;

    if (self->event.type == YAML_STREAM_END_EVENT) {
        return 0; /* after the end, libyaml returns events for ever */
    }
    while (ret == 1) {
        yaml_event_delete(&self->event);
        if (!yaml_parser_parse(&self->parser, &self->event)) {
            return report_syntax(self);
        }
        if (self->is_values && self->depth == 1 && self->event.type != YAML_SEQUENCE_END_EVENT) {
            note_value(self);
        }
        place_of(self, &self->event.start_mark, &self->line, &self->column);
        ret = take_event(self);
    }
    if (ret == 0 && self->is_values && self->depth == 0) {
        self->kind = SPOT_JSON_END; /* the bracket put behind */
        self->text = "the end";
    }
    return ret;
}

int spot_json_reader_skip(spot_json_reader_t *self)
{
    const bool is_open = self->kind == SPOT_JSON_OPEN_ARRAY || self->kind == SPOT_JSON_OPEN_OBJECT;
    const size_t depth = self->depth;
    int ret = 0;

    while (ret == 0 && is_open && self->depth >= depth) {
        ret = spot_json_reader_next(self);
    }
    return ret;
}

int spot_json_reader_object(spot_json_reader_t *self, const char *what,
    int (*take)(void *context, const char *key), void *context)
{
    char key[32];
    int ret = spot_json_reader_next(self);

    while (ret == 0 && self->kind != SPOT_JSON_CLOSE_OBJECT) {
        if (self->kind != SPOT_JSON_TEXT) {
            return spot_json_reader_expected(self, what, "a key in \"\"");
        }
        snprintf(key, sizeof(key), "%s", self->text);
        ret = spot_json_reader_next(self);
        ret = ret == 0 ? take(context, key) : ret;
        ret = ret == 0 ? spot_json_reader_next(self) : ret;
    }
    return ret;
}

int spot_json_reader_expected(
    const spot_json_reader_t *self, const char *what, const char *expected)
{
    char shown[SPOT_CSV_SHOWN_BYTES];

    return spot_diag_error(self->diag, self->file, self->line, self->column,
        "%s: expected %s, got '%s'", what, expected, spot_csv_shown(self->text, shown));
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

/* ---- Records: trees ---- */

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
    int ret = json_reader_open_values(&self.json, input, 0, 0, diag);

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
    int ret = json_reader_open_values(&self.json, &text, value->line, value->column, diag);

    ret = ret == 0 ? read_records(&self) : ret;
    spot_json_reader_close(&self.json);
    spot_arena_free(&self.arena);
    return ret == 0 && self.is_faulty ? SPOT_ERR_BAD_INPUT : ret;
}
