/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/diag.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"

/* Number of latest items among which an item is not repeated. */
#define LATEST_ITEMS 20

void spot_diag_init(spot_diag_t *self)
{
    memset(self, 0, sizeof(*self));
}

void spot_diag_init_like(spot_diag_t *self, const spot_diag_t *other)
{
    spot_diag_init(self);
    self->memory = other->memory;
}

void spot_diag_free(spot_diag_t *self)
{
    for (size_t j = 0; j < self->num_items; j++) {
        free(self->items[j].text);
    }
    free(self->items);
    free(self->file_name);
    memset(self, 0, sizeof(*self));
}

/* "file:line:column: message" in one allocation, or NULL. */
SPOT_PRINTF(4, 0)
static char *format_item(
    const char *file, size_t line, size_t column, const char *format, va_list arguments)
{
    char place[48] = "";
    va_list again;
    char *text = NULL;
    size_t head_bytes;
    int tail_bytes;

    if (line > 0 && column > 0) {
        snprintf(place, sizeof(place), ":%zu:%zu", line, column);
    } else if (line > 0) {
        snprintf(place, sizeof(place), ":%zu", line);
    }
    va_copy(again, arguments);
    tail_bytes = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (tail_bytes < 0) {
        return NULL;
    }
    head_bytes = strlen(file) + strlen(place) + 2;
    text = malloc(head_bytes + (size_t) tail_bytes + 1);
    if (text != NULL) {
        snprintf(text, head_bytes + 1, "%s%s: ", file, place);
        vsnprintf(text + head_bytes, (size_t) tail_bytes + 1, format, arguments);
    }
    return text;
}

/* Whether an item is among the latest ones. */
static bool is_repeated(const spot_diag_t *self, const char *text)
{
    for (size_t j = self->num_items; j > 0 && j + LATEST_ITEMS > self->num_items; j--) {
        if (strcmp(self->items[j - 1].text, text) == 0) {
            return true;
        }
    }
    return false;
}

/* Appends an item. Returns false if it is repeated or memory is short. */
SPOT_PRINTF(6, 0)
static bool append(spot_diag_t *self, bool is_error, const char *file, size_t line, size_t column,
    const char *format, va_list arguments)
{
    char *text = format_item(file, line, column, format, arguments);

    if (text == NULL || SPOT_ARRAY_ROOM(self, items, self->num_items + 1) != 0) {
        free(text);
        self->out_of_memory = true;
        return false;
    }
    if (is_repeated(self, text)) {
        free(text);
        return false;
    }
    self->items[self->num_items].text = text;
    self->items[self->num_items].is_error = is_error;
    self->num_items++;
    return true;
}

int spot_diag_error(
    spot_diag_t *self, const char *file, size_t line, size_t column, const char *format, ...)
{
    va_list arguments;

    if (self->file_name == NULL || strcmp(self->file_name, file) != 0) {
        spot_diag_close_file(self);
        self->file_name = spot_text_copy(file, strlen(file));
    }
    self->num_errors++;
    if (self->num_file_errors >= SPOT_DIAG_MAX_ERRORS) {
        self->num_file_errors++;
        return SPOT_ERR_BAD_INPUT;
    }
    va_start(arguments, format);
    self->num_file_errors += append(self, true, file, line, column, format, arguments) ? 1 : 0;
    va_end(arguments);
    return SPOT_ERR_BAD_INPUT;
}

void spot_diag_warn(
    spot_diag_t *self, const char *file, size_t line, size_t column, const char *format, ...)
{
    va_list arguments;

    self->num_warnings++;
    va_start(arguments, format);
    (void) append(self, false, file, line, column, format, arguments);
    va_end(arguments);
}

SPOT_PRINTF(2, 3)
static void append_more_errors(spot_diag_t *self, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void) append(self, true, self->file_name, 0, 0, format, arguments);
    va_end(arguments);
}

void spot_diag_close_file(spot_diag_t *self)
{
    if (self->file_name != NULL && self->num_file_errors > SPOT_DIAG_MAX_ERRORS) {
        const size_t num_more = self->num_file_errors - SPOT_DIAG_MAX_ERRORS;

        append_more_errors(self, "%zu more error%s", num_more, num_more == 1 ? "" : "s");
    }
    self->num_file_errors = 0;
    free(self->file_name);
    self->file_name = NULL;
}

void spot_diag_soften(spot_diag_t *self, spot_diag_mark_t mark)
{
    const size_t num_errors = self->num_errors - mark.num_errors;

    for (size_t j = mark.num_items; j < self->num_items; j++) {
        self->items[j].is_error = false;
    }
    self->num_errors = mark.num_errors;
    self->num_warnings += num_errors;
    self->num_file_errors -=
        num_errors < self->num_file_errors ? num_errors : self->num_file_errors;
}

void spot_diag_drop_warnings(spot_diag_t *self)
{
    size_t num_kept = 0;

    for (size_t j = 0; j < self->num_items; j++) {
        if (self->items[j].is_error) {
            self->items[num_kept++] = self->items[j];
        } else {
            free(self->items[j].text);
        }
    }
    self->num_items = num_kept;
    self->num_warnings = 0;
}

/* A text may quote a file, which a terminal must not obey. */
static void print_text(const char *text, FILE *out)
{
    while (*text != '\0') {
        char shown[SPOT_UTF8_SHOWN_CHAR_BYTES] = "\n";

        if (*text == '\n') {
            text++;
        } else {
            spot_utf8_show_next(&text, shown);
        }
        fputs(shown, out);
    }
    fputc('\n', out);
}

void spot_diag_print(const spot_diag_t *self, FILE *out)
{
    for (size_t j = 0; j < self->num_items; j++) {
        fputs(self->items[j].is_error ? "" : "warning: ", out);
        print_text(self->items[j].text, out);
    }
    if (self->out_of_memory) {
        fprintf(out, "out of memory: some diagnostics are missing\n");
    }
}
