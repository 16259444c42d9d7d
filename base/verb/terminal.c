/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/verb/terminal.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

/* ---- Lines ---- */

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

/* ---- Signs in ASCII ---- */

#define PLUS_MINUS "±"
#define ELLIPSIS "…"
#define MIDDLE_DOT "·"   /* between what a line says; "-" */
#define ELLIPSIS_EXTRA 2 /* characters that the one in ASCII has more */

/* Where an escape code that ends at place starts, "\033[2m"; place: none does. */
static char *skip_style(char *begin, char *place)
{
    char *start = place;

    if (start == begin || start[-1] != 'm') {
        return place;
    }
    start--;
    while (start > begin && (isdigit((unsigned char) start[-1]) || start[-1] == ';')) {
        start--;
    }
    return start - begin >= 2 && start[-1] == '[' && start[-2] == '\033' ? start - 2 : place;
}

/* Whether what was written ends with a number and a blank: "0.31 ". */
static bool ends_with_number(char *begin, char *end)
{
    const char *number;

    if (end == begin || end[-1] != ' ') {
        return false;
    }
    number = skip_style(begin, end - 1);
    return number > begin && isdigit((unsigned char) number[-1]);
}

/* The blanks at place that may go, so that what follows them stays where it is. */
static size_t num_spare_blanks(const char *place)
{
    const size_t num_blanks = strspn(place, " ");
    const size_t num_spare = num_blanks > 1 ? num_blanks - 1 : 0;

    return num_spare < ELLIPSIS_EXTRA ? num_spare : ELLIPSIS_EXTRA;
}

/* "0.31 ±0.02" becomes "0.31+-0.02", and "a long na…   1" "a long na... 1": in place,
 * as wide as before where blanks follow, so that columns stay in line. Any other "±"
 * becomes "+-", "…" "..." and "·" "-", whoever wrote it: nothing but blanks is taken
 * away. What else is not ASCII is from outside, and stays. O(bytes). */
static void ascii_signs(char *text)
{
    char *end = text; /* of what was written, at or before what is read */

    for (const char *place = text; *place != '\0';) {
        if (strncmp(place, PLUS_MINUS, strlen(PLUS_MINUS)) == 0) {
            place += strlen(PLUS_MINUS);
            end -= ends_with_number(text, end) ? 1 : 0;
            memcpy(end, "+-", 2);
            end += 2;
        } else if (strncmp(place, ELLIPSIS, strlen(ELLIPSIS)) == 0) {
            place += strlen(ELLIPSIS);
            place += num_spare_blanks(place);
            memcpy(end, "...", 3);
            end += 3;
        } else {
            const size_t num_bytes =
                strncmp(place, MIDDLE_DOT, strlen(MIDDLE_DOT)) == 0 ? strlen(MIDDLE_DOT) : 1;

            *end++ = num_bytes > 1 ? '-' : *place;
            place += num_bytes;
        }
    }
    *end = '\0';
}

/* ---- Text from outside ---- */

void spot_text_write_cut(FILE *out, const char *text, size_t max_chars)
{
    char character[8] = "", shown[SPOT_UTF8_SHOWN_BYTES];

    for (size_t num_chars = 1; *text != '\0'; num_chars++) {
        const size_t length = spot_utf8_length(text, strnlen(text, 4));
        const size_t num_bytes = length == 0 ? 1 : length;

        memcpy(character, text, num_bytes);
        character[num_bytes] = '\0';
        text += num_bytes;
        if (num_chars == max_chars && *text != '\0') {
            fputs("…", out);
            return;
        }
        fputs(spot_utf8_shown(character, shown), out);
    }
}

void spot_text_write(FILE *out, const char *text)
{
    spot_text_write_cut(out, text, SIZE_MAX);
}

/* ---- All of it ---- */

int spot_terminal_write(const spot_terminal_t *terminal,
    int (*print)(const void *context, const spot_terminal_t *terminal, FILE *out),
    const void *context, FILE *out)
{
    char *text = NULL;
    size_t num_bytes;
    FILE *stream = open_memstream(&text, &num_bytes);
    int ret;

    if (stream == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    ret = print(context, terminal, stream);
    if (fclose(stream) != 0 && ret == 0) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    if (text != NULL && !terminal->is_utf8) {
        ascii_signs(text);
    }
    if (text != NULL) {
        spot_wrap_write(out, text, terminal->width, SPOT_WRAP_BELOW);
    }
    free(text);
    return ret == 0 && ferror(out) ? SPOT_ERR_IO : ret;
}
