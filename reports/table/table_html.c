/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/table/table_html.h"

#include <string.h>

#include "reports/markup/html.h"
#include "reports/table/table_cell.h"

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
