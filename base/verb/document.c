/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/verb/document.h"

#include <inttypes.h>
#include <stdarg.h>

#include "base/utf8.h"

void spot_document_fail(spot_document_t *self, int error)
{
    self->error = spot_error_first(self->error, error);
}

void spot_document_end_list(spot_document_t *self)
{
    if (self->has_list) {
        self->form->list(self, false);
    }
    self->has_list = false;
}

void spot_document_end_section(spot_document_t *self)
{
    spot_document_end_list(self);
    if (self->has_section) {
        self->form->end_section(self);
    }
    self->has_section = false;
}

int spot_document_end(spot_document_t *self)
{
    spot_document_end_section(self);
    spot_document_fail(self, self->texts.error);
    spot_document_fail(self, ferror(self->out) ? SPOT_ERR_IO : 0);
    spot_texts_free(&self->texts);
    return self->error;
}

void spot_document_section(spot_document_t *self, const char *id, const char *title)
{
    spot_document_end_section(self);
    self->has_section = true;
    self->form->section(self, id, title);
}

void spot_document_heading(spot_document_t *self, const char *text)
{
    spot_document_end_list(self);
    self->form->heading(self, text);
}

static void write_line(spot_document_t *self, spot_line_kind_t kind, const char *format,
    va_list values) SPOT_PRINTF(3, 0);

static void write_line(
    spot_document_t *self, spot_line_kind_t kind, const char *format, va_list values)
{
    self->form->line(self, kind, spot_texts_vadd(&self->texts, format, values));
}

void spot_document_paragraph(spot_document_t *self, const char *format, ...)
{
    va_list values;

    spot_document_end_list(self);
    va_start(values, format);
    write_line(self, SPOT_DOCUMENT_PARAGRAPH, format, values);
    va_end(values);
}

void spot_document_note(spot_document_t *self, const char *format, ...)
{
    va_list values;

    spot_document_end_list(self);
    va_start(values, format);
    write_line(self, SPOT_DOCUMENT_NOTE, format, values);
    va_end(values);
}

void spot_document_item(spot_document_t *self, const char *format, ...)
{
    va_list values;

    if (!self->has_list) {
        self->form->list(self, true);
    }
    self->has_list = true;
    va_start(values, format);
    write_line(self, SPOT_DOCUMENT_ITEM, format, values);
    va_end(values);
}

void spot_document_gap(spot_document_t *self)
{
    self->form->gap(self);
}

void spot_document_fold(spot_document_t *self, const char *summary)
{
    spot_document_end_list(self);
    self->form->fold(self, summary);
}

void spot_document_end_fold(spot_document_t *self)
{
    spot_document_end_list(self);
    self->form->end_fold(self);
}

void spot_document_table(spot_document_t *self, const char *id, spot_table_t *table)
{
    spot_document_end_list(self);
    spot_document_fail(self, self->form->table(self, id, table));
    spot_table_free(table);
}

/* ---- Words ---- */

const char *spot_words_shown(spot_texts_t *texts, const char *text)
{
    char shown[SPOT_UTF8_SHOWN_BYTES];

    return spot_texts_add(texts, "%s", spot_utf8_shown(text, shown));
}

const char *spot_words_count(spot_texts_t *texts, int64_t count, const char *word)
{
    return spot_texts_add(texts, "%" PRId64 " %s%s", count, word, count == 1 ? "" : "s");
}

const char *spot_words_duration(spot_texts_t *texts, double duration_s)
{
    static const struct {
        const char *name;
        double unit_s;
    } units[] = {{"d", 86400}, {"h", 3600}, {"min", 60}};

    for (size_t j = 0; j < sizeof(units) / sizeof(units[0]); j++) {
        if (duration_s >= 2 * units[j].unit_s) {
            const double number = duration_s / units[j].unit_s;

            return spot_texts_add(
                texts, number < 999.5 ? "%.3g %s" : "%.0f %s", number, units[j].name);
        }
    }
    return spot_texts_add(texts, "%.3g s", duration_s);
}
