/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/records/json_reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Deeper than any format of one value nests, and than the records of clouds. */
enum { MAX_DEPTH = 16, MAX_VALUES_DEPTH = 64 };

/* ---- A stream of values as one array ---- */

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

/* ---- Tokens ---- */

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
    ret = spot_record_input_stream(input, &self->stream, diag);
    return ret == 0 ? open_reader(self) : ret;
}

int spot_json_reader_open(
    spot_json_reader_t *self, const spot_record_input_t *input, spot_diag_t *diag)
{
    return open_input(self, input, false, diag);
}

int spot_json_reader_open_values(spot_json_reader_t *self, const spot_record_input_t *input,
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
