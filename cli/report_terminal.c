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
#include "reports/page/page_side_by_side.h"
#include "reports/report_text.h"
#include "reports/side_by_side_text.h"
#include "sim/store/origin.h"

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

static int
write_report(const void *context, const spot_terminal_t *terminal, FILE *out)
{
    return spot_report_text_write(context, terminal, out);
}

static int
write_side_by_side(const void *context, const spot_terminal_t *terminal, FILE *out)
{
    return spot_side_by_side_write(context, terminal, out);
}

int
spot_report_to_terminal(const spot_report_t *report, bool is_plain, spot_diag_t *diag)
{
    return spot_command_print_table(NULL, is_plain, write_report, report, diag);
}

/* One of two stores, open. */
typedef struct {
    spot_store_t *store;
    spot_report_t report;
    spot_origin_t origin;
} opened_t;

static int
read_side(opened_t *self, spot_side_t *side, const char *path, spot_diag_t *diag)
{
    int ret = spot_command_open_store(&self->store, path, diag);

    if (ret == 0) {
        ret = spot_report_init(&self->report, self->store);
    }
    if (ret == 0) {
        ret = spot_origin_read(&self->origin, self->store);
    }
    *side = (spot_side_t){path, &self->report, self->origin.canonical};
    return ret;
}

static int
write_two(
    const spot_report_task_t *task, const spot_side_by_side_t *two, spot_diag_t *diag)
{
    spot_outfile_t file;
    int ret;

    if (task->output_path == NULL) {
        return spot_command_print_table(
            NULL, task->is_plain, write_side_by_side, two, diag);
    }
    ret = spot_outfile_init(&file, task->output_path, diag);
    if (ret == 0) {
        ret = spot_page_side_by_side_write(two, file.stream, diag);
    }
    return spot_outfile_close(&file, ret, diag);
}

int
spot_report_two(const spot_report_task_t *task, spot_call_t *call)
{
    spot_side_t sides[SPOT_NUM_SIDES];
    opened_t opened[SPOT_NUM_SIDES] = {{.store = NULL}, {.store = NULL}};
    spot_side_by_side_t two = {.num_metrics = 0};
    int ret = 0;

    for (int side = 0; ret == 0 && side < SPOT_NUM_SIDES; side++) {
        ret = read_side(&opened[side], &sides[side], task->paths[side], &call->diag);
    }
    if (ret == 0) {
        ret = spot_side_by_side_init(&two, sides);
    }
    if (ret == 0) {
        call->is_reading = false;
        ret = write_two(task, &two, &call->diag);
    }
    spot_side_by_side_free(&two);
    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        spot_origin_free(&opened[side].origin);
        spot_report_free(&opened[side].report);
        ret = spot_command_close_store(opened[side].store, ret, &call->diag);
    }
    return ret;
}
