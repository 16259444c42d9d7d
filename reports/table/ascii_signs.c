/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/table/ascii_signs.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

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

void spot_ascii_signs(char *text)
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
