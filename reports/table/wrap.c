/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/table/wrap.h"

#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"

/* The bytes of the escape code at text, 0: there is none. */
static size_t escape_length(const char *text)
{
    size_t length;

    if (text[0] != '\033' || text[1] != '[') {
        return 0;
    }
    length = 2 + strspn(text + 2, "0123456789;");
    return text[length] == 'm' ? length + 1 : 0;
}

int spot_wrap_width(const char *text, size_t num_bytes)
{
    int width = 0;

    for (size_t j = 0; j < num_bytes;) {
        const size_t escape = escape_length(text + j);
        const size_t length = spot_utf8_length(text + j, num_bytes - j);

        width += escape == 0;
        j += escape > 0 ? escape : length > 0 ? length : 1;
    }
    return width;
}

size_t spot_wrap_line(const char *text, int width, size_t *next)
{
    size_t end = strspn(text, " "); /* a blank before the first word is no place */

    end += strcspn(text + end, " \n");
    while (text[end] == ' ') {
        const size_t blanks = strspn(text + end, " ");
        const size_t word = strcspn(text + end + blanks, " \n");

        if (word == 0 || spot_wrap_width(text, end + blanks + word) > width) {
            break;
        }
        end += blanks + word;
    }
    *next = end + strspn(text + end, " ");
    *next += text[*next] == '\n' ? 1 : 0;
    return end;
}

/* Blanks before what goes on below a line of num_bytes bytes. */
static int indent_of(const char *line, size_t num_bytes, int width, int hanging)
{
    const int indent = (int) strspn(line, " ");

    if (hanging != SPOT_WRAP_BELOW) {
        return indent + hanging;
    }
    for (size_t j = (size_t) indent; j + 2 < num_bytes; j++) {
        if (line[j] == ' ' && line[j + 1] == ' ') {
            const size_t end = j + strspn(line + j, " ");
            const int gap_end = spot_wrap_width(line, end);

            return end < num_bytes && gap_end <= width / 2 ? gap_end : indent;
        }
    }
    return indent;
}

void spot_wrap_write(FILE *out, const char *text, int width, int hanging)
{
    while (*text != '\0') {
        const size_t num_bytes = strcspn(text, "\n");
        const int indent = indent_of(text, num_bytes, width, hanging);
        const char *end = text + num_bytes;

        if (spot_wrap_width(text, num_bytes) <= width) {
            fwrite(text, 1, num_bytes, out);
        } else {
            for (bool is_first = true; text < end; is_first = false) {
                size_t next;
                const size_t length =
                    spot_wrap_line(text, is_first ? width : width - indent, &next);

                fprintf(out, "%s%*s%.*s", is_first ? "" : "\n", is_first ? 0 : indent, "",
                    (int) length, text);
                text += next < (size_t) (end - text) ? next : (size_t) (end - text);
            }
        }
        text = end;
        if (*text == '\n') {
            fputc('\n', out);
            text++;
        }
    }
}
