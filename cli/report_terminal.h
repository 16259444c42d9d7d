/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports on the terminal, of one store or of two side by side. */
#pragma once

#include "cli/command.h"
#include "reports/report.h"
#include "reports/terminal.h"

/* What standard output is: its width as COLUMNS says, else as the terminal does, else
 * SPOT_TERMINAL_WIDTH; colour on a terminal only, unless NO_COLOR is set and not empty
 * (no-color.org), TERM is dumb, or is_plain. */
spot_terminal_t spot_terminal_of_output(bool is_plain);

/* The same for commands whose output to files is as wide as it always was: NULL where
 * standard output is no terminal, else terminal. */
const spot_terminal_t *spot_terminal_if_any(spot_terminal_t *terminal);

/* Whether the locale is one of UTF-8. */
bool spot_terminal_is_utf8(void);

/* What write writes of context for a terminal, to out; where that has no UTF-8, signs of
 * ours in ASCII. Errors of write, NO_MEMORY. */
SPOT_MUST_CHECK int spot_terminal_write(const spot_terminal_t *terminal,
    int (*write)(const void *context, const spot_terminal_t *terminal, FILE *out),
    const void *context, FILE *out);

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
