/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/report_terminal.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/outfile.h"
#include "base/units.h"

/* Wider than any screen; beyond, COLUMNS is a mistake. */
#define MAX_WIDTH 10000

/* That of the user, whatever the program's own locale is. */
bool
spot_terminal_is_utf8(void)
{
    const locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t) 0);
    bool is_utf8 = false;

    if (locale != (locale_t) 0) {
        const char *name = nl_langinfo_l(CODESET, locale);

        is_utf8 = strcasecmp(name, "UTF-8") == 0 || strcasecmp(name, "utf8") == 0;
        freelocale(locale);
    }
    return is_utf8;
}

static int
output_width(void)
{
    const char *text = getenv("COLUMNS");
    struct winsize size;
    int64_t width = 0;

    if ((text == NULL || spot_integer_parse(text, &width) != 0 || width <= 0 ||
            width > MAX_WIDTH) &&
        (width = 0, ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)) {
        width = size.ws_col;
    }
    if (width == 0) {
        width = SPOT_TERMINAL_WIDTH;
    }
    return width < SPOT_TERMINAL_MIN_WIDTH ? SPOT_TERMINAL_MIN_WIDTH : (int) width;
}

spot_terminal_t
spot_terminal_of_output(bool is_plain)
{
    const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
    const bool is_dumb = term == NULL || strcmp(term, "dumb") == 0;
    const bool is_refused = is_plain || (no_colour != NULL && no_colour[0] != '\0');

    return (spot_terminal_t){.width = output_width(),
        .has_colour = !is_refused && !is_dumb && isatty(STDOUT_FILENO) == 1,
        .is_utf8 = spot_terminal_is_utf8()};
}

typedef struct {
    int (*write)(const void *context, FILE *out);
    const void *context;
} text_t;

static int
print_text(const void *context, const spot_terminal_t *terminal, FILE *out)
{
    const text_t *self = context;

    (void) terminal;
    return self->write(self->context, out);
}

int
spot_command_print(const char *path, int (*write)(const void *context, FILE *out),
    const void *context, spot_diag_t *diag)
{
    return spot_command_print_table(
        path, false, print_text, &(text_t){write, context}, diag);
}

int
spot_command_print_table(const char *path, bool is_plain,
    int (*write)(const void *context, const spot_terminal_t *terminal, FILE *out),
    const void *context, spot_diag_t *diag)
{
    const spot_terminal_t terminal = spot_terminal_of_output(is_plain || path != NULL);
    spot_outfile_t file;
    int ret = spot_outfile_init(&file, path, diag);

    if (ret == 0) {
        ret = spot_terminal_write(&terminal, write, context, file.stream);
    }
    return spot_outfile_close(&file, ret, diag);
}
