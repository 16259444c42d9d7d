/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/number.h"
#include "base/utf8.h"
#include "base/watch.h"

#define JSON_MAX_TEXT_BYTES ((size_t) 1 << 24)

/* ---- Writing ---- */

void spot_json_init(spot_json_t *self, FILE *out, int indent)
{
    memset(self, 0, sizeof(*self));
    self->out = out;
    self->indent = indent;
    self->is_printed = out == stdout && indent > 0;
}

void spot_json_init_listener(spot_json_t *self, spot_json_listener_t *listener, void *context)
{
    memset(self, 0, sizeof(*self));
    self->listener = listener;
    self->context = context;
}

static void new_line(spot_json_t *self)
{
    if (self->indent > 0) {
        fprintf(self->out, "\n%*s", self->indent * self->depth, "");
    }
}

/* Whether a character is a control or layout character, or one that YAML refuses. */
static bool is_hidden(const char *character, size_t num_bytes, unsigned code)
{
    return (code >= 0x80 && code < 0xa0) || code == 0xfeff || code == 0xfffe || code == 0xffff ||
           spot_utf8_is_layout(character, num_bytes);
}

/* The number of bytes at the start of text that are written as they are: printable ASCII. */
static size_t num_plain_bytes(const char *text)
{
    const char *end = text;

    while (*end >= 0x20 && *end < 0x7f && *end != '"' && *end != '\\') {
        end++;
    }
    return (size_t) (end - text);
}

void spot_json_quote(FILE *out, const char *text, bool escapes_hidden)
{
    size_t num_left = strlen(text);

    putc('"', out);
    while (num_left > 0) {
        const size_t num_plain = num_plain_bytes(text);
        size_t length, num_bytes;
        unsigned code;

        if (num_plain > 0) {
            fwrite(text, 1, num_plain, out);
            text += num_plain;
            num_left -= num_plain;
            continue;
        }
        length = spot_utf8_length(text, num_left);
        num_bytes = length == 0 ? 1 : length;
        code = length == 0 ? 0xfffd : spot_utf8_code_point(text, length);
        if (code == '"' || code == '\\') {
            fprintf(out, "\\%c", *text);
        } else if (code < 0x20 || code == 0x7f || length == 0 ||
                   (escapes_hidden && is_hidden(text, num_bytes, code))) {
            fprintf(out, "\\u%04x", code);
        } else {
            fwrite(text, 1, num_bytes, out);
        }
        text += num_bytes;
        num_left -= num_bytes;
    }
    putc('"', out);
}

/* Whether nothing more is to be written. Up to here a line is whole but for end, a comma where an
 * item follows. */
static bool is_cut(spot_json_t *self, const char *end)
{
    if (self->is_printed && !self->is_cut && self->depth > 0 && atomic_load(&spot_stop) != 0) {
        fprintf(self->out, "%s\n", self->has_items[self->depth] ? end : "");
        self->is_cut = true;
    }
    return self->is_cut;
}

static void start_item(spot_json_t *self, const char *key)
{
    if (self->depth > 0) {
        if (self->has_items[self->depth]) {
            putc(',', self->out);
            if (self->indent == 0) {
                putc(' ', self->out);
            }
        }
        self->has_items[self->depth] = true;
        new_line(self);
    }
    if (key != NULL) {
        spot_json_quote(self->out, key, false);
        fputs(": ", self->out);
    }
}

static void put(spot_json_t *self, const char *key, const char *text)
{
    if (!is_cut(self, ",")) {
        start_item(self, key);
        fputs(text, self->out);
    }
}

/* Whether there is a listener, which then has the item. */
static bool is_heard(const spot_json_t *self, spot_json_item_t item)
{
    if (self->listener != NULL) {
        self->listener(self->context, &item);
    }
    return self->listener != NULL;
}

void spot_json_open(spot_json_t *self, const char *key, char bracket)
{
    const char text[] = {bracket, '\0'};

    if (!is_heard(self, (spot_json_item_t){.kind = bracket, .key = key})) {
        put(self, key, text);
    }
    self->depth++;
    spot_bug_assert(self->depth < SPOT_JSON_MAX_DEPTH);
    self->has_items[self->depth] = false;
}

void spot_json_close(spot_json_t *self, char bracket)
{
    const bool had_items = self->has_items[self->depth];

    spot_bug_assert(self->depth > 0);
    if (is_heard(self, (spot_json_item_t){.kind = bracket})) {
        self->depth--;
        return;
    }
    if (is_cut(self, "")) {
        self->depth--;
        return;
    }
    self->depth--;
    if (had_items) {
        new_line(self);
    }
    putc(bracket, self->out);
    if (self->depth == 0) {
        putc('\n', self->out);
    }
}

void spot_json_integer(spot_json_t *self, const char *key, int64_t value)
{
    char text[24];

    if (is_heard(self, (spot_json_item_t){'0', key, NULL, (double) value, value})) {
        return;
    }
    snprintf(text, sizeof(text), "%" PRId64, value);
    put(self, key, text);
}

void spot_json_unsigned(spot_json_t *self, const char *key, uint64_t value)
{
    char text[24];

    if (is_heard(self, (spot_json_item_t){'0', key, NULL, (double) value,
                           value > INT64_MAX ? INT64_MAX : (int64_t) value})) {
        return;
    }
    snprintf(text, sizeof(text), "%" PRIu64, value);
    put(self, key, text);
}

void spot_json_wide(spot_json_t *self, const char *key, spot_wide_t value)
{
    char digits[48];
    size_t at = sizeof(digits) - 1;
    spot_wide_t left = value;

    if (is_heard(self, (spot_json_item_t){'w', key, NULL, (double) value, 0})) {
        return;
    }
    digits[at] = '\0';
    do {
        const int digit = (int) (left % 10);

        digits[--at] = (char) ('0' + (digit < 0 ? -digit : digit));
        left /= 10;
    } while (left != 0);
    if (value < 0) {
        digits[--at] = '-';
    }
    put(self, key, digits + at);
}

void spot_json_number(spot_json_t *self, const char *key, double value)
{
    char text[SPOT_NUMBER_TEXT_BYTES] = "null";

    if (is_heard(
            self, (spot_json_item_t){'.', key, NULL, isfinite(value) ? value : (double) NAN, 0})) {
        return;
    }
    if (isfinite(value)) {
        spot_number_text(value, text);
    }
    put(self, key, text);
}

void spot_json_boolean(spot_json_t *self, const char *key, bool value)
{
    if (!is_heard(self, (spot_json_item_t){'?', key, NULL, value ? 1 : 0, 0})) {
        put(self, key, value ? "true" : "false");
    }
}

void spot_json_text(spot_json_t *self, const char *key, const char *value)
{
    if (value == NULL) {
        spot_json_number(self, key, (double) NAN);
    } else if (!is_heard(self, (spot_json_item_t){'"', key, value, (double) NAN, 0}) &&
               !is_cut(self, ",")) {
        start_item(self, key);
        spot_json_quote(self->out, value, false);
    }
}

/* ---- Reading ---- */

/* Beside bytes: none is left, and it could not be read. */
enum { ENDED = -1, FAILED = -2 };

/* Bytes that are asked for at a time. */
enum { PIECE_BYTES = 4096 };

/* ---- The source ---- */

int spot_json_reader_open(
    spot_json_reader_t *self, const char *path, size_t max_depth, spot_diag_t *diag)
{
    spot_json_reader_open_bytes(self, path, 1, NULL, 0, max_depth, diag);
    return spot_instream_open(&self->source.stream, path, diag);
}

void spot_json_reader_open_bytes(spot_json_reader_t *self, const char *file, size_t line,
    const char *bytes, size_t num_bytes, size_t max_depth, spot_diag_t *diag)
{
    memset(self, 0, sizeof(*self));
    self->file = file;
    self->diag = diag;
    self->max_depth = max_depth;
    self->source.line = line;
    spot_instream_open_bytes(&self->source.stream, file, bytes, num_bytes);
}

void spot_json_reader_set_place(spot_json_reader_t *self, size_t line, size_t column)
{
    self->outer_line = line;
    self->outer_column = column;
}

void spot_json_reader_close(spot_json_reader_t *self)
{
    if (self->error != 0) {
        spot_instream_give_up(&self->source.stream);
    }
    spot_instream_close(&self->source.stream);
    free(self->source.bytes);
    memset(self, 0, sizeof(*self));
}

/* Reads on, behind the bytes of the token. Sets self->error. */
static bool read_more(spot_json_reader_t *self)
{
    const size_t shift = self->source.token;
    size_t num_read = 0;
    int ret;

    if (self->source.is_ended) {
        return false;
    }
    self->source.num_bytes -= shift;
    if (shift > 0) {
        memmove(self->source.bytes, self->source.bytes + shift, self->source.num_bytes);
    }
    self->source.token = 0;
    self->source.at -= shift;
    self->source.num_before += (int64_t) shift;
    ret = self->source.num_bytes > JSON_MAX_TEXT_BYTES
              ? spot_diag_error(self->diag, self->file, self->line, self->column,
                    "a text of more than %zu bytes", JSON_MAX_TEXT_BYTES)
              : spot_array_reserve(&self->source.bytes, &self->source.max_bytes,
                    self->source.num_bytes + PIECE_BYTES + 1, 1);
    if (ret == 0) {
        ret = spot_instream_read(&self->source.stream, self->source.bytes + self->source.num_bytes,
            self->source.max_bytes - self->source.num_bytes - 1, &num_read, self->diag);
    }
    self->error = ret;
    self->source.is_ended = num_read == 0;
    if (self->source.num_before + (int64_t) self->source.num_bytes == 0 &&
        self->source.stream.has_mark && self->source.stream.utf16 == NULL) {
        self->source.num_before = self->source.line_start = 3; /* the mark is counted */
    }
    self->source.num_bytes += num_read;
    if (ret == 0) {
        self->source.bytes[self->source.num_bytes] = '\0';
    }
    return num_read > 0;
}

/* The next byte, which stays. */
static int next_byte(spot_json_reader_t *self)
{
    if (self->source.at < self->source.num_bytes || read_more(self)) {
        return (unsigned char) self->source.bytes[self->source.at];
    }
    return self->error != 0 ? FAILED : ENDED;
}

static void end_line(spot_json_reader_t *self)
{
    self->source.line++;
    self->source.line_start = self->source.num_before + (int64_t) self->source.at + 1;
}

static bool is_blank(int byte)
{
    return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

/* Goes to the next byte that is no blank, and returns it. Blanks before a token are not kept. */
static int skip_blanks(spot_json_reader_t *self)
{
    int byte;

    while (is_blank(byte = next_byte(self))) {
        if (byte == '\n') {
            end_line(self);
        }
        self->source.token += self->source.token == self->source.at;
        self->source.at++;
    }
    return byte;
}

/* The token begins, or the fault is, at the next byte. */
static void note_place(spot_json_reader_t *self)
{
    const int64_t byte = self->source.num_before + (int64_t) self->source.at;

    self->line = self->outer_line > 0 ? self->outer_line : self->source.line;
    self->column =
        self->outer_line > 0 ? self->outer_column : (size_t) (byte - self->source.line_start) + 1;
}

/* ---- Faults ---- */

static int fault(spot_json_reader_t *self, const char *problem)
{
    if (self->error == 0) {
        self->error = spot_diag_error(
            self->diag, self->file, self->line, self->column, "JSON syntax: %s", problem);
    }
    return self->error;
}

static int fault_here(spot_json_reader_t *self, const char *problem)
{
    note_place(self);
    return fault(self, problem);
}

static const char no_value[] = "neither a number nor a text in \"\"";

/* Bytes that are no text at all have no line. */
static int fault_byte(spot_json_reader_t *self, const char *problem)
{
    if (self->error == 0) {
        self->error = spot_diag_error(self->diag, self->file, self->outer_line, self->outer_column,
            "no JSON text: %s at byte %" PRId64, problem,
            self->source.num_before + (int64_t) self->source.at + 1);
    }
    return self->error;
}

/* ---- Texts ---- */

/* The 4 hex digits at *text; moves behind them, or to the one that is none. */
static bool read_hex(const char **text, unsigned *value)
{
    *value = 0;
    for (const char *end = *text + 4; *text < end; ++*text) {
        const char digit = **text, letter = (char) (digit | 0x20);

        if (digit >= '0' && digit <= '9') {
            *value = *value * 16 + (unsigned) (digit - '0');
        } else if (letter >= 'a' && letter <= 'f') {
            *value = *value * 16 + (unsigned) (letter - 'a') + 10;
        } else {
            return false;
        }
    }
    return true;
}

/* \uXXXX at `at`, or two that are a pair: NULL, or why it is none, then end is at the fault. */
static const char *read_unicode(const char *at, const char **end, unsigned *point)
{
    unsigned low = 0;

    *end = at + 2;
    if (!read_hex(end, point)) {
        return "bad escape: \\u needs four hex digits";
    }
    if (*point == 0) {
        return "a NUL in a text";
    }
    if (*point < 0xD800 || *point >= 0xE000) {
        return NULL;
    }
    if (*point < 0xDC00 && at[6] == '\\' && at[7] == 'u') {
        *end = at + 8;
        if (!read_hex(end, &low)) {
            return "bad escape: \\u needs four hex digits";
        }
    }
    *point = 0x10000 + ((*point - 0xD800) << 10) + (low - 0xDC00);
    return low < 0xDC00 || low > 0xDFFF ? "bad escape: half of a surrogate pair" : NULL;
}

const char *spot_json_unescape(const char **at, char **out)
{
    static const char names[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
    const char *text = *at, *end = text + 1, *problem = "bad escape";
    const char *name = *end == '\0' ? NULL : strchr(names, *end);
    unsigned point;

    if (name != NULL) {
        *(*out)++ = bytes[name - names];
        *at = text + 2;
        return NULL;
    }
    if (*end == 'u') {
        problem = read_unicode(text, &end, &point);
        if (problem == NULL) {
            *out += spot_utf8_encode(point, *out);
        }
    }
    *at = problem == NULL || *end == '\0' ? end : text;
    return problem;
}

/* Makes sure of num_bytes bytes from the next one on; less where the source ends, then a NUL. */
static const char *look_ahead(spot_json_reader_t *self, size_t num_bytes)
{
    while (self->source.num_bytes - self->source.at < num_bytes && read_more(self)) {
    }
    return self->source.bytes + self->source.at;
}

/* At a backslash: appends what it stands for to the token, which has *num_bytes. */
static int read_escape(spot_json_reader_t *self, size_t *num_bytes)
{
    const char *at = look_ahead(self, 12);
    char *start = self->source.bytes + self->source.token, *out = start + *num_bytes;
    const char *problem = spot_json_unescape(&at, &out);

    self->source.at = (size_t) (at - self->source.bytes);
    *num_bytes = (size_t) (out - start);
    return self->error != 0 || problem != NULL ? fault_here(self, problem) : 0;
}

/* A character of a text that is no escape: its bytes; 0: there is a fault. */
static size_t plain_length(spot_json_reader_t *self, int byte)
{
    size_t length = 1;

    if (byte < 0x20 && !is_blank(byte)) {
        fault_byte(self, "control characters are not allowed");
        return 0;
    }
    if (byte >= 0x80) {
        const char *at = look_ahead(self, 4);

        length = spot_utf8_length(at, self->source.num_bytes - self->source.at);
        if (length == 0) {
            fault_byte(self, "invalid leading UTF-8 octet");
            return 0;
        }
        self->source.line_start += (int64_t) length - 1;
    }
    return length;
}

/* At a quote: reads the text, decoded where it is. A line break is reported where the text has an
 * end: without one the end is what is missing. */
static int read_text(spot_json_reader_t *self)
{
    const size_t line = self->line, column = self->column;
    size_t num_bytes = 0;
    bool has_break = false;
    int byte;

    self->source.token = ++self->source.at;
    while ((byte = next_byte(self)) != '"') {
        size_t length;

        if (byte == ENDED) {
            return fault_here(self, "a text without its closing \"");
        }
        if (byte == '\n') {
            if (!has_break) {
                note_place(self);
            }
            has_break = true;
            end_line(self);
        }
        if (byte == '\\') {
            if (read_escape(self, &num_bytes) != 0) {
                return self->error;
            }
            continue;
        }
        length = byte == FAILED ? 0 : plain_length(self, byte);
        if (length == 0) {
            return self->error;
        }
        memmove(self->source.bytes + self->source.token + num_bytes,
            self->source.bytes + self->source.at, length);
        num_bytes += length;
        self->source.at += length;
    }
    if (has_break) {
        return fault(self, "a text has a line break in it");
    }
    self->line = line;
    self->column = column;
    self->source.at++;
    self->kind = SPOT_JSON_TEXT;
    self->text = self->source.bytes + self->source.token;
    self->num_bytes = num_bytes;
    self->source.bytes[self->source.token + num_bytes] = '\0';
    return 0;
}

/* ---- Words and brackets ---- */

static bool is_delimiter(int byte)
{
    return byte == ',' || byte == '[' || byte == ']' || byte == '{' || byte == '}';
}

static bool is_word(int byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
           (byte >= 'A' && byte <= 'Z') || byte == '-' || byte == '+' || byte == '.' || byte == '_';
}

/* At any other byte: reads up to what may be behind a word, which within brackets is a bracket or a
 * comma. */
static int read_word(spot_json_reader_t *self)
{
    bool is_good = true;
    size_t num_bytes;
    int byte;

    self->source.token = self->source.at;
    while ((byte = next_byte(self)) > 0 && !is_blank(byte) && !is_delimiter(byte)) {
        const size_t length = plain_length(self, byte);

        if (length == 0) {
            return self->error;
        }
        is_good = is_good && is_word(byte);
        self->source.at += length;
    }
    num_bytes = self->source.at - self->source.token;
    if (self->depth > 0 && is_blank(byte)) {
        byte = skip_blanks(self);
        is_good = is_good && (byte < 0 || is_delimiter(byte));
    }
    if (byte == FAILED || !is_good) {
        return fault(self, no_value);
    }
    self->source.is_held = self->source.token + num_bytes == self->source.at;
    self->source.held = self->source.bytes[self->source.at];
    self->source.bytes[self->source.token + num_bytes] = '\0';
    self->kind = SPOT_JSON_WORD;
    self->text = self->source.bytes + self->source.token;
    self->num_bytes = num_bytes;
    return 0;
}

static int take_bracket(spot_json_reader_t *self, spot_json_kind_t kind, const char *text)
{
    self->source.at++;
    self->kind = kind;
    self->text = text;
    self->num_bytes = 1;
    return 0;
}

static int open_bracket(spot_json_reader_t *self, int bracket)
{
    if (self->depth == self->max_depth) {
        self->error = spot_diag_error(self->diag, self->file, self->line, self->column,
            "nested more than %zu levels deep", self->max_depth);
        return self->error;
    }
    self->depth++;
    self->is_object = self->is_object << 1 | (bracket == '{');
    self->state = SPOT_JSON_AT_FIRST;
    return bracket == '{' ? take_bracket(self, SPOT_JSON_OPEN_OBJECT, "{")
                          : take_bracket(self, SPOT_JSON_OPEN_ARRAY, "[");
}

static int close_bracket(spot_json_reader_t *self, bool is_object)
{
    self->depth--;
    self->is_object >>= 1;
    self->state = SPOT_JSON_AT_COMMA;
    return is_object ? take_bracket(self, SPOT_JSON_CLOSE_OBJECT, "}")
                     : take_bracket(self, SPOT_JSON_CLOSE_ARRAY, "]");
}

/* ---- Tokens ---- */

static int read_key(spot_json_reader_t *self, int byte)
{
    if (byte != '"') {
        return fault(
            self, byte < 0 || is_delimiter(byte) ? "expected a key" : "expected a key in \"\"");
    }
    self->state = SPOT_JSON_AT_COLON;
    return read_text(self);
}

static int read_value(spot_json_reader_t *self, int byte)
{
    if (byte == ENDED && self->depth == 0) {
        self->kind = SPOT_JSON_END;
        self->text = "the end";
        return 0;
    }
    if (byte == '{' || byte == '[') {
        return open_bracket(self, byte);
    }
    if (byte < 0 || is_delimiter(byte)) {
        return fault(self, "expected a value");
    }
    self->state = SPOT_JSON_AT_COMMA;
    return byte == '"' ? read_text(self) : read_word(self);
}

/* Goes behind the byte between two tokens, and to the next one, which it returns. */
static int pass(spot_json_reader_t *self)
{
    self->source.token = ++self->source.at;
    return skip_blanks(self);
}

int spot_json_reader_next(spot_json_reader_t *self)
{
    const bool in_object = self->depth > 0 && (self->is_object & 1) != 0;
    const int closing = self->depth == 0 ? ENDED : in_object ? '}' : ']';
    bool wants_key = in_object && self->state != SPOT_JSON_AT_COLON;
    int byte;

    if (self->source.is_held) {
        self->source.bytes[self->source.at] = self->source.held;
        self->source.is_held = false;
    }
    self->source.token = self->source.at;
    byte = self->error == 0 ? skip_blanks(self) : FAILED;
    if (byte != FAILED && byte >= 0 && byte < 0x20) {
        return fault_byte(self, "control characters are not allowed");
    }
    note_place(self);
    if (self->depth > 0 && byte == closing &&
        (self->state == SPOT_JSON_AT_FIRST || self->state == SPOT_JSON_AT_COMMA)) {
        return close_bracket(self, in_object);
    }
    if (self->depth > 0 && self->state == SPOT_JSON_AT_COMMA) {
        if (byte != ',') {
            return fault(self, in_object ? "expected ',' or '}'" : "expected ',' or ']'");
        }
        byte = pass(self);
    } else if (self->state == SPOT_JSON_AT_COLON) {
        if (byte != ':') {
            return fault(self, "expected ':'");
        }
        byte = pass(self);
    }
    note_place(self);
    return byte == FAILED ? self->error : wants_key ? read_key(self, byte) : read_value(self, byte);
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

int spot_json_reader_object(
    spot_json_reader_t *self, int (*take)(void *context, const char *key), void *context)
{
    char key[32];
    int ret = spot_json_reader_next(self);

    while (ret == 0 && self->kind != SPOT_JSON_CLOSE_OBJECT) {
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

/* ---- Trees ---- */

static char *copy_token(const spot_json_reader_t *self, spot_arena_t *arena)
{
    char *text = spot_arena_take(arena, self->num_bytes + 1, 1);

    if (text != NULL) {
        memcpy(text, self->text, self->num_bytes);
    }
    return text;
}

int spot_json_tree(
    spot_json_reader_t *self, const char *key, spot_arena_t *arena, spot_json_value_t **value)
{
    const bool is_object = self->kind == SPOT_JSON_OPEN_OBJECT;
    const spot_json_kind_t closing = is_object ? SPOT_JSON_CLOSE_OBJECT : SPOT_JSON_CLOSE_ARRAY;
    spot_json_value_t *made = spot_arena_take(arena, 1, sizeof(*made)), **end;
    int ret;

    *value = made;
    if (made == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    made->kind = self->kind;
    made->key = key;
    made->line = self->line;
    made->column = self->column;
    made->num_bytes = self->num_bytes;
    made->text = copy_token(self, arena);
    ret = arena->error;
    if (ret != 0 || (!is_object && self->kind != SPOT_JSON_OPEN_ARRAY)) {
        return ret;
    }
    end = &made->first;
    while ((ret = spot_json_reader_next(self)) == 0 && self->kind != closing) {
        const char *name = NULL;

        if (is_object) {
            name = copy_token(self, arena);
            ret = name == NULL ? SPOT_ERR_NO_MEMORY : spot_json_reader_next(self);
        }
        ret = ret == 0 ? spot_json_tree(self, name, arena, end) : ret;
        if (ret != 0) {
            return ret;
        }
        end = &(*end)->next;
    }
    return ret;
}

int spot_json_parse(const char *text, spot_arena_t *arena, spot_json_value_t **value)
{
    spot_json_reader_t reader;
    spot_diag_t diag; /* dropped */
    int ret;

    spot_diag_init(&diag);
    spot_json_reader_open_bytes(
        &reader, "", 1, text, text == NULL ? 0 : strlen(text), SPOT_JSON_MAX_NESTED, &diag);
    ret = spot_json_reader_next(&reader);
    if (ret == 0 && reader.kind == SPOT_JSON_END) {
        ret = SPOT_ERR_BAD_INPUT;
    }
    ret = ret == 0 ? spot_json_tree(&reader, NULL, arena, value) : ret;
    ret = ret == 0 ? spot_json_reader_next(&reader) : ret;
    ret = ret == 0 && reader.kind != SPOT_JSON_END ? SPOT_ERR_BAD_INPUT : ret;
    spot_json_reader_close(&reader);
    spot_diag_free(&diag);
    return ret;
}

const spot_json_value_t *spot_json_member(const spot_json_value_t *self, const char *key)
{
    const spot_json_value_t *member = self == NULL ? NULL : self->first;

    while (member != NULL && (member->key == NULL || strcmp(member->key, key) != 0)) {
        member = member->next;
    }
    return member;
}
