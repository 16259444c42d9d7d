/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What commands print for people: what standard output is, and lines that fit it. */
#pragma once

#include "cli/command.h"
#include "reports/table/terminal.h"

/* What standard output is: its width as COLUMNS says, else as the terminal does, else
 * SPOT_TERMINAL_WIDTH; colour on a terminal only, unless NO_COLOR is set and not empty
 * (no-color.org), TERM is dumb, or is_plain. */
spot_terminal_t spot_terminal_of_output(bool is_plain);

/* Whether the locale is one of UTF-8. */
bool spot_terminal_is_utf8(void);

/* What write writes for people, as spot_command_write() does, but with lines that fit
 * the terminal, see spot_terminal_write(). path NULL: standard output. */
SPOT_MUST_CHECK int spot_command_print(const char *path,
    int (*write)(const void *context, FILE *out), const void *context,
    spot_diag_t *diag);

/* The same of a table, which needs to know its terminal; is_plain: no escape codes, as
 * in every file. */
SPOT_MUST_CHECK int spot_command_print_table(const char *path, bool is_plain,
    int (*write)(const void *context, const spot_terminal_t *terminal, FILE *out),
    const void *context, spot_diag_t *diag);
