/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The manual, made from the tables that parse the command line and the YAML. */
#ifndef SPOT_CLI_MANUAL_H
#define SPOT_CLI_MANUAL_H

#include <stdbool.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/error.h"

/* What "spotsim --help" prints. */
void spot_manual_overview(FILE *out);

/* The commands whose first word of two is that, such as "trace"; false: there are none.
 */
bool spot_manual_group(const char *word, FILE *out);

/* Writes a page in man(7) form: "spotsim.1", "spotsim-scenario.5", "spotsim-study.5",
 * "spotsim-trace.5", "spotsim-engine-NAME.5" of each engine, or "list", the names of all
 * of them, a line each. BAD_PARAM for another name; errors of binding an engine's
 * example, with the reason in diag. */
SPOT_MUST_CHECK int spot_manual_page(const char *page, FILE *out, spot_diag_t *diag);

#endif
