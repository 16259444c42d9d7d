/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports on the terminal, of one store or of two side by side. */
#pragma once

#include "cli/command.h"
#include "reports/report.h"
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

/* One store: question, answer, tables, how the main metric moves and where the time
 * goes. Errors of reading, NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_report_to_terminal(
    const spot_report_t *report, bool is_plain, spot_diag_t *diag);

typedef struct {
    const char *paths[2];    /* of the stores; the second one NULL: one store */
    const char *output_path; /* of a page, or NULL: the terminal */
    bool is_plain;           /* no escape codes */
} spot_report_task_t;

/* Reads two stores, compares them and writes the page or to the terminal. Errors of
 * reading, NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_report_two(const spot_report_task_t *task, spot_call_t *call);
