/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table as part of an HTML page. */
#pragma once

#include <stdio.h>

#include "reports/table/table.h"

/* The element table with this id, in one that scrolls, with its caption; then its notes
 * as paragraphs. Cells of numbers have in data-value what a script sorts by, in the unit
 * of the model; the class is "none" for what is unknown, "marked" where the marks have
 * an asterisk. Error of the table, IO. */
SPOT_MUST_CHECK int spot_table_write_html(const spot_table_t *self, const char *id, FILE *out);
