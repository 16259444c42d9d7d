/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs that are run for their output. Input, output and messages go through files
 * without a name, not through pipes: no deadlock and no SIGPIPE, whatever the program
 * does. */
#pragma once

#include <stdio.h>

#include "base/diag.h"
#include "base/error.h"

#define SPOT_CHILD_ARGUMENTS 8

typedef struct {
    const char *program;                         /* looked for in PATH */
    const char *package;                         /* that has it, for whoever has not */
    const char *arguments[SPOT_CHILD_ARGUMENTS]; /* behind its name, up to a NULL */
} spot_child_t;

/* A nameless file, or NULL with the reason in diag; path is what it is for. */
SPOT_MUST_CHECK FILE *spot_child_file(const char *path, spot_diag_t *diag);

/* Runs the program with input from its present position and with output. CHILD if it is
 * missing or fails, with the reason for path in diag; INTERRUPTED if spot_stop is set.
 */
SPOT_MUST_CHECK int spot_child_run(const spot_child_t *self, FILE *input, FILE *output,
    const char *path, spot_diag_t *diag);

/* Ends the program that runs, if one does. For signal handlers: async-signal-safe. */
void spot_child_end(void);
