/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/table/document.h"

#include <string.h>

#include "reports/markup/html.h"
#include "reports/table/table_html.h"
#include "reports/table/table_terminal.h"
#include "reports/table/text_cell.h"

void spot_document_to_terminal(spot_document_t *self, const spot_terminal_t *terminal, FILE *out)
{
    *self = (spot_document_t){.out = out, .terminal = terminal};
}

void spot_document_to_page(spot_document_t *self, FILE *out)
{
    *self = (spot_document_t){.out = out};
}

void spot_document_fail(spot_document_t *self, int error)
{
    self->error = spot_error_first(self->error, error);
}

void spot_document_end_list(spot_document_t *self)
{
    if (self->has_list && spot_document_is_page(self)) {
        fputs("</ul>\n", self->out);
    }
    self->has_list = false;
}

void spot_document_end_section(spot_document_t *self)
{
    spot_document_end_list(self);
    if (self->has_section && spot_document_is_page(self)) {
        fputs("</section>\n", self->out);
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

/* A line of bold text. */
static void write_title(const spot_document_t *self, const char *text)
{
    fprintf(self->out, "\n%s", spot_style_on(self->terminal, SPOT_STYLE_BOLD));
    spot_text_write(self->out, text);
    fprintf(self->out, "%s\n", spot_style_off(self->terminal, SPOT_STYLE_BOLD));
}

void spot_document_section(spot_document_t *self, const char *id, const char *title)
{
    spot_document_end_section(self);
    self->has_section = true;
    if (!spot_document_is_page(self)) {
        write_title(self, title);
        return;
    }
    fprintf(self->out, "<section id=\"%s\" aria-labelledby=\"%s-title\">\n<h2 id=\"%s-title\">", id,
        id, id);
    spot_html_text(self->out, title);
    fputs("</h2>\n", self->out);
}

void spot_document_heading(spot_document_t *self, const char *text)
{
    spot_document_end_list(self);
    if (spot_document_is_page(self)) {
        spot_html_element(self->out, "h3", text);
        fputc('\n', self->out);
    } else {
        write_title(self, text);
    }
}

static void write_line(spot_document_t *self, const char *tag, const char *before,
    const char *format, va_list values) SPOT_PRINTF(4, 0);

/* One element of a page, or a line of a terminal. */
static void write_line(
    spot_document_t *self, const char *tag, const char *before, const char *format, va_list values)
{
    const char *text = spot_texts_vadd(&self->texts, format, values);

    if (spot_document_is_page(self)) {
        spot_html_element(self->out, tag, text);
    } else {
        fputs(before, self->out);
        spot_text_write(self->out, text);
    }
    fputc('\n', self->out);
}

void spot_document_paragraph(spot_document_t *self, const char *format, ...)
{
    va_list values;

    spot_document_end_list(self);
    va_start(values, format);
    write_line(self, "p", "", format, values);
    va_end(values);
}

void spot_document_note(spot_document_t *self, const char *format, ...)
{
    va_list values;

    spot_document_end_list(self);
    va_start(values, format);
    write_line(self, "p class=\"note\"", "", format, values);
    va_end(values);
}

void spot_document_item(spot_document_t *self, const char *format, ...)
{
    va_list values;

    if (!self->has_list && spot_document_is_page(self)) {
        fputs("<ul>\n", self->out);
    }
    self->has_list = true;
    va_start(values, format);
    write_line(self, "li", "  ", format, values);
    va_end(values);
}

void spot_document_gap(spot_document_t *self)
{
    if (!spot_document_is_page(self)) {
        fputc('\n', self->out);
    }
}

void spot_document_fold(spot_document_t *self, const char *summary)
{
    spot_document_end_list(self);
    if (spot_document_is_page(self)) {
        fputs("<details>\n", self->out);
        spot_html_element(self->out, "summary", summary);
        fputc('\n', self->out);
    } else {
        write_title(self, summary);
    }
}

void spot_document_end_fold(spot_document_t *self)
{
    spot_document_end_list(self);
    if (spot_document_is_page(self)) {
        fputs("</details>\n", self->out);
    }
}

void spot_document_table(spot_document_t *self, const char *id, spot_table_t *table)
{
    spot_document_end_list(self);
    spot_document_fail(self, spot_document_is_page(self)
                                 ? spot_table_write_html(table, id, self->out)
                                 : spot_table_write_terminal(table, self->terminal, self->out));
    spot_table_free(table);
}
