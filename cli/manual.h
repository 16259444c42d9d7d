/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Help and the manual, made from the tables that parse the command line and the YAML. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/error.h"
#include "cli/command.h"

/* What "spotsim --help" prints. */
void spot_manual_overview(FILE *out);

/* The commands whose first word of two is that, such as "trace"; false: there are none.
 */
bool spot_manual_group(const char *word, FILE *out);

/* What "spotsim COMMAND --help" and "--usage" print. */
void spot_manual_help(const spot_command_t *command, FILE *out);
void spot_manual_usage(const spot_command_t *command, FILE *out);

/* The name of the j-th page, "spotsim.1" to "spotsim-engine-NAME.5" of each engine, or
 * NULL behind the last. */
const char *spot_manual_page_name(size_t j);

/* Writes a page in man(7) form. BAD_PARAM: there is none of that name; errors of binding
 * an engine's example, with the reason in diag. */
SPOT_MUST_CHECK int spot_manual_page(const char *page, FILE *out, spot_diag_t *diag);
