/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "base/utf8.h"
#include "base/watch.h"

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
