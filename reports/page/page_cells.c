/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/page/page_cells.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reports/markup/html.h"

void
spot_page_section_open(FILE *out, const char *id, const char *title)
{
    fprintf(out,
        "<section id=\"%s\" aria-labelledby=\"%s-title\">\n"
        "<h2 id=\"%s-title\">",
        id, id, id);
    spot_html_text(out, title);
    fputs("</h2>\n", out);
}

void
spot_page_table_open(FILE *out, const char *id, const char *caption)
{
    fprintf(out,
        "<div class=\"scroll\" tabindex=\"0\" role=\"group\" "
        "aria-labelledby=\"%s-caption\">\n<table id=\"%s\">\n<caption "
        "id=\"%s-caption\">",
        id, id, id);
    spot_html_text(out, caption);
    fputs("</caption>\n", out);
}

void
spot_page_table_close(FILE *out)
{
    fputs("</tbody>\n</table>\n</div>\n", out);
}

void
spot_page_heads(FILE *out, const char *const *names)
{
    fputs("<thead><tr>", out);
    for (; *names != NULL; names++) {
        spot_html_element(out, "th scope=\"col\"", *names);
    }
    fputs("</tr></thead>\n<tbody>\n", out);
}

void
spot_page_count_cell(FILE *out, int64_t count)
{
    fprintf(out, "<td class=\"number\" data-value=\"%" PRId64 "\">%" PRId64 "</td>",
        count, count);
}

void
spot_page_count(FILE *out, int64_t count, const char *word)
{
    fprintf(out, "%" PRId64 " %s%s", count, word, count == 1 ? "" : "s");
}

int
spot_page_text_begin(spot_page_text_t *self)
{
    *self = (spot_page_text_t){0};
    self->stream = open_memstream(&self->text, &self->num_bytes);
    return self->stream == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

int
spot_page_text_end(spot_page_text_t *self, int ret)
{
    const int is_bad = fclose(self->stream);

    self->stream = NULL;
    if (ret == 0 && (is_bad != 0 || self->text == NULL)) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    return ret;
}

void
spot_page_text_free(spot_page_text_t *self)
{
    free(self->text);
    *self = (spot_page_text_t){0};
}

int
spot_page_text_element(spot_page_text_t *self, FILE *out, const char *tag)
{
    const int ret = spot_page_text_end(self, 0);

    if (ret == 0) {
        spot_html_element(out, tag, self->text);
        fputc('\n', out);
    }
    spot_page_text_free(self);
    return ret;
}

/* Cuts text into its lines. */
static void
write_lines(char *text, FILE *out)
{
    bool is_list = false;

    for (char *line = text; line != NULL && *line != '\0';) {
        char *end = strchr(line, '\n');
        const bool is_item = *line == ' ';

        if (end != NULL) {
            *end = '\0';
        }
        if (is_item != is_list) {
            fputs(is_item ? "<ul>\n" : "</ul>\n", out);
            is_list = is_item;
        }
        if (line[strspn(line, " ")] != '\0') {
            spot_html_element(out, is_item ? "li" : "p", line + strspn(line, " "));
            fputc('\n', out);
        }
        line = end == NULL ? NULL : end + 1;
    }
    fputs(is_list ? "</ul>\n" : "", out);
}

int
spot_page_text_lines(spot_page_text_t *self, FILE *out)
{
    const int ret = spot_page_text_end(self, 0);

    if (ret == 0) {
        write_lines(self->text, out);
    }
    spot_page_text_free(self);
    return ret;
}
