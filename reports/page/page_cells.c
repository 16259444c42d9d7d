/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/page/page_cells.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "reports/markup/html.h"
#include "reports/markup/unseen.h"

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

void
spot_page_path(FILE *out, const char *path, size_t num_bytes)
{
    size_t start = 0;

    fputs("<code>", out);
    while (start < num_bytes) {
        const bool is_escaped = path[start] == '\\' && start + 1 < num_bytes;
        const size_t first = start + (is_escaped ? 1 : 0);
        const size_t length = 1 + strcspn(path + first + 1, "\\");
        const size_t end = first + length < num_bytes ? first + length : num_bytes;

        spot_html_bytes(out, path + first, end - first);
        start = end;
    }
    fputs("</code>", out);
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

/* A control character as JSON escapes it is \u00HH, or short as \n is. Bytes of it at
 * text, which starts with a backslash; 0: this is another escape. */
static size_t
control_escape_bytes(const char *text)
{
    if (strncmp(text, "\\u00", 4) == 0) {
        return 6;
    }
    return text[1] != '\0' && strchr("bfnrt", text[1]) != NULL ? 2 : 0;
}

/* Bytes of what stands at text and has to go; 0: it stays. */
static size_t
unseen_bytes(const char *text)
{
    const size_t length = spot_utf8_length(text, strnlen(text, 4));

    if (*text == '\\') {
        return control_escape_bytes(text);
    }
    return length > 0 && spot_is_unseen(text, length) ? length : 0;
}

void
spot_page_json_escaped(FILE *out, const char *text)
{
    while (*text != '\0') {
        const size_t num_unseen = unseen_bytes(text);

        if (num_unseen > 0) {
            putc(' ', out);
            text += num_unseen;
        } else if (*text == '<') {
            fputs("\\u003c", out);
            text++;
        } else {
            const size_t num_kept = *text == '\\' ? 2 : 1;

            fwrite(text, 1, num_kept, out);
            text += num_kept;
        }
    }
}
