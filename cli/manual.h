/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The manual, made from the tables that parse the command line and the YAML. */
#ifndef SPOT_CLI_MANUAL_H
#define SPOT_CLI_MANUAL_H

#include <stdio.h>

/* What "spotsim --help" prints. */
void spot_manual_overview(FILE *out);

/* Writes a page in man(7) form: "spotsim.1", "spotsim-scenario.5" or "spotsim-study.5".
 * Returns 0, or -1 for another name. */
int spot_manual_page(const char *page, FILE *out);

#endif
