/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/table/document.h"

#include <string.h>

#include "reports/markup/html.h"
#include "reports/table/table_terminal.h"

/* ---- A table on a page ---- */

static void write_open(const spot_table_t *self, const char *id, FILE *out)
{
    fprintf(out,
        "<div class=\"scroll\" tabindex=\"0\" role=\"group\" "
        "aria-labelledby=\"%s-caption\">\n<table id=\"%s\">\n<caption "
        "id=\"%s-caption\">",
        id, id, id);
    spot_html_text(out, self->caption == NULL ? "" : self->caption);
    fputs("</caption>\n<thead>\n<tr>", out);
    for (size_t j = 0; j < self->num_columns; j++) {
        const spot_table_column_t *column = &self->columns[j];

        fprintf(out, "<th scope=\"col\"%s>",
            j > 0 && column->kind == SPOT_TABLE_NUMBER ? " class=\"number\"" : "");
        spot_html_text(out, column->name);
        if (column->unit[0] != '\0') {
            fputs(" (", out);
            spot_html_text(out, column->unit);
            fputc(')', out);
        }
        fputs("</th>", out);
    }
    fputs("</tr>\n</thead>\n<tbody>\n", out);
}

static void write_marks(const char *marks, FILE *out)
{
    if (marks[0] != '\0') {
        spot_html_element(out, "sup", marks);
    }
}

#define MAX_BYTES 200    /* of a text that is not prose, and is not folded */
#define SUMMARY_CHARS 40 /* of one that is */

static void write_text(const spot_table_column_t *column, const char *text, FILE *out)
{
    if (column->kind != SPOT_TABLE_TEXT || strlen(text) <= MAX_BYTES) {
        spot_html_text(out, text);
        return;
    }
    fputs("<details><summary>", out);
    (void) spot_html_cut(out, text, SUMMARY_CHARS);
    fputs("</summary>", out);
    spot_html_text(out, text);
    fputs("</details>", out);
}

/* What stands in a cell. The marks are text, since not everybody sees colours. */
static void write_content(const spot_table_t *self, size_t row_id, size_t column_id, FILE *out)
{
    const spot_table_cell_t *cell = spot_table_cell(self, row_id, column_id);
    spot_table_parts_t parts;

    if (cell->text != NULL) {
        write_text(&self->columns[column_id], cell->text, out);
    } else {
        spot_table_parts(self, row_id, column_id, SPOT_TABLE_BY_CELL, &parts);
        fprintf(out, "%s%s%s%s", parts.before[0] == '\0' ? "" : "&gt; ",
            cell->content == SPOT_TABLE_UNKNOWN ? "–" : parts.number,
            parts.half_width[0] == '\0' ? "" : " ±", parts.half_width);
    }
    if (cell->remark != NULL) {
        fputs(" <small>", out);
        spot_html_text(out, cell->remark);
        fputs("</small>", out);
    }
    write_marks(cell->marks, out);
}

static void write_cell(const spot_table_t *self, size_t row_id, size_t column_id, FILE *out)
{
    const spot_table_cell_t *cell = spot_table_cell(self, row_id, column_id);
    const bool is_number = self->columns[column_id].kind == SPOT_TABLE_NUMBER &&
                           column_id >= spot_table_num_keys(self);
    const char *tag = column_id == 0 ? "th" : "td";

    fprintf(out, "<%s%s", tag, column_id == 0 ? " scope=\"row\"" : "");
    switch (cell->content) {
        case SPOT_TABLE_REST:
            fprintf(out, " colspan=\"%zu\"", self->num_columns - column_id);
            break;
        case SPOT_TABLE_UNKNOWN:
            fputs(" class=\"none\"", out);
            break;
        case SPOT_TABLE_VALUE:
        case SPOT_TABLE_COUNT:
        case SPOT_TABLE_ABOVE:
            fprintf(out, "%s data-value=\"%.8g\"",
                strchr(cell->marks, '*') == NULL ? "" : " class=\"marked\"", cell->value);
            break;
        case SPOT_TABLE_WORDS:
            if (isfinite(cell->value)) {
                fprintf(out, " data-value=\"%.8g\"", cell->value);
            } else {
                fputs(is_number ? " class=\"number\"" : "", out);
            }
            break;
        default:
            break;
    }
    fputc('>', out);
    write_content(self, row_id, column_id, out);
    fprintf(out, "</%s>", tag);
}

static void write_row(const spot_table_t *self, size_t row_id, FILE *out)
{
    if (self->headings[row_id] != NULL) {
        fprintf(out, "<tr><th scope=\"rowgroup\" colspan=\"%zu\">", self->num_columns);
        spot_html_text(out, self->headings[row_id]);
        fputs("</th></tr>\n", out);
    }
    fputs("<tr>", out);
    for (size_t j = 0; j < self->num_columns; j++) {
        write_cell(self, row_id, j, out);
        if (spot_table_cell(self, row_id, j)->content == SPOT_TABLE_REST) {
            break;
        }
    }
    fputs("</tr>\n", out);
}

int spot_table_write_html(const spot_table_t *self, const char *id, FILE *out)
{
    if (self->error != 0) {
        return self->error;
    }
    write_open(self, id, out);
    for (size_t j = 0; j < self->num_rows; j++) {
        write_row(self, j, out);
    }
    fputs("</tbody>\n</table>\n</div>\n", out);
    for (size_t j = 0; j < self->num_notes; j++) {
        const spot_table_note_t *note = &self->notes[j];

        fputs("<p class=\"note\">", out);
        write_marks(note->marks, out);
        fputs(note->marks[0] == '\0' ? "" : " ", out);
        spot_html_text(out, note->text);
        fputs("</p>\n", out);
    }
    return ferror(out) ? SPOT_ERR_IO : 0;
}

/* ---- The form of pages ---- */

static void page_section(const spot_document_t *self, const char *id, const char *title)
{
    fprintf(self->out, "<section id=\"%s\" aria-labelledby=\"%s-title\">\n<h2 id=\"%s-title\">", id,
        id, id);
    spot_html_text(self->out, title);
    fputs("</h2>\n", self->out);
}

static void page_end_section(const spot_document_t *self)
{
    fputs("</section>\n", self->out);
}

static void page_element(const spot_document_t *self, const char *tag, const char *text)
{
    spot_html_element(self->out, tag, text);
    fputc('\n', self->out);
}

static void page_heading(const spot_document_t *self, const char *text)
{
    page_element(self, "h3", text);
}

static void page_list(const spot_document_t *self, bool is_open)
{
    fputs(is_open ? "<ul>\n" : "</ul>\n", self->out);
}

static void page_line(const spot_document_t *self, spot_line_kind_t kind, const char *text)
{
    static const char *const tags[] = {
        [SPOT_DOCUMENT_PARAGRAPH] = "p",
        [SPOT_DOCUMENT_NOTE] = "p class=\"note\"",
        [SPOT_DOCUMENT_ITEM] = "li",
    };

    page_element(self, tags[kind], text);
}

static void page_fold(const spot_document_t *self, const char *summary)
{
    fputs("<details>\n", self->out);
    page_element(self, "summary", summary);
}

static void page_end_fold(const spot_document_t *self)
{
    fputs("</details>\n", self->out);
}

static int page_table(const spot_document_t *self, const char *id, const spot_table_t *table)
{
    return spot_table_write_html(table, id, self->out);
}

static void nothing(const spot_document_t *self)
{
    (void) self;
}

void spot_document_to_page(spot_document_t *self, FILE *out)
{
    static const spot_document_form_t form = {.section = page_section,
        .end_section = page_end_section,
        .heading = page_heading,
        .list = page_list,
        .line = page_line,
        .gap = nothing,
        .fold = page_fold,
        .end_fold = page_end_fold,
        .table = page_table};

    *self = (spot_document_t){.form = &form, .out = out};
}

/* ---- The form of terminals ---- */

/* A line of bold text. */
static void terminal_heading(const spot_document_t *self, const char *text)
{
    fprintf(self->out, "\n%s", spot_style_on(self->terminal, SPOT_STYLE_BOLD));
    spot_text_write(self->out, text);
    fprintf(self->out, "%s\n", spot_style_off(self->terminal, SPOT_STYLE_BOLD));
}

static void terminal_section(const spot_document_t *self, const char *id, const char *title)
{
    (void) id;
    terminal_heading(self, title);
}

static void terminal_list(const spot_document_t *self, bool is_open)
{
    (void) self;
    (void) is_open;
}

static void terminal_line(const spot_document_t *self, spot_line_kind_t kind, const char *text)
{
    fputs(kind == SPOT_DOCUMENT_ITEM ? "  " : "", self->out);
    spot_text_write(self->out, text);
    fputc('\n', self->out);
}

static void terminal_gap(const spot_document_t *self)
{
    fputc('\n', self->out);
}

static int terminal_table(const spot_document_t *self, const char *id, const spot_table_t *table)
{
    (void) id;
    return spot_table_write_terminal(table, self->terminal, self->out);
}

void spot_document_to_terminal(spot_document_t *self, const spot_terminal_t *terminal, FILE *out)
{
    static const spot_document_form_t form = {.section = terminal_section,
        .end_section = nothing,
        .heading = terminal_heading,
        .list = terminal_list,
        .line = terminal_line,
        .gap = terminal_gap,
        .fold = terminal_heading,
        .end_fold = nothing,
        .table = terminal_table};

    *self = (spot_document_t){.form = &form, .out = out, .terminal = terminal};
}
