/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "base/utf8.h"

void
spot_json_init(spot_json_t *self, FILE *out, int indent)
{
    memset(self, 0, sizeof(*self));
    self->out = out;
    self->indent = indent;
}

static void
new_line(spot_json_t *self)
{
    if (self->indent > 0) {
        fprintf(self->out, "\n%*s", self->indent * self->depth, "");
    }
}

static void
write_text(FILE *out, const char *text)
{
    size_t num_bytes = strlen(text);

    putc('"', out);
    while (num_bytes > 0) {
        const unsigned char byte = (unsigned char) *text;
        size_t length = spot_utf8_length(text, num_bytes);

        if (byte == '"' || byte == '\\') {
            fprintf(out, "\\%c", byte);
        } else if (byte < 0x20 || byte == 0x7f) {
            fprintf(out, "\\u%04x", byte);
        } else if (length == 0) {
            fputs("\\ufffd", out);
        } else {
            fwrite(text, 1, length, out);
        }
        length = length == 0 ? 1 : length;
        text += length;
        num_bytes -= length;
    }
    putc('"', out);
}

static void
start_item(spot_json_t *self, const char *key)
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
        write_text(self->out, key);
        fputs(": ", self->out);
    }
}

void
spot_json_open(spot_json_t *self, const char *key, char bracket)
{
    start_item(self, key);
    putc(bracket, self->out);
    self->depth++;
    spot_bug_assert(self->depth < SPOT_JSON_MAX_DEPTH);
    self->has_items[self->depth] = false;
}

void
spot_json_close(spot_json_t *self, char bracket)
{
    const bool had_items = self->has_items[self->depth];

    spot_bug_assert(self->depth > 0);
    self->depth--;
    if (had_items) {
        new_line(self);
    }
    putc(bracket, self->out);
    if (self->depth == 0) {
        putc('\n', self->out);
    }
}

void
spot_json_integer(spot_json_t *self, const char *key, int64_t value)
{
    start_item(self, key);
    fprintf(self->out, "%" PRId64, value);
}

void
spot_json_unsigned(spot_json_t *self, const char *key, uint64_t value)
{
    start_item(self, key);
    fprintf(self->out, "%" PRIu64, value);
}

void
spot_json_number(spot_json_t *self, const char *key, double value)
{
    char text[SPOT_NUMBER_TEXT_BYTES];

    start_item(self, key);
    if (isfinite(value)) {
        spot_number_text(value, text);
        fputs(text, self->out);
    } else {
        fputs("null", self->out);
    }
}

void
spot_json_boolean(spot_json_t *self, const char *key, bool value)
{
    start_item(self, key);
    fputs(value ? "true" : "false", self->out);
}

void
spot_json_text(spot_json_t *self, const char *key, const char *value)
{
    start_item(self, key);
    if (value == NULL) {
        fputs("null", self->out);
    } else {
        write_text(self->out, value);
    }
}
