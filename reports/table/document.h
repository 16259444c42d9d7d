/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The forms of a document and of its tables (base/verb/document.h): a terminal, and a page. */
#pragma once

#include <stdio.h>

#include "base/verb/document.h"
#include "base/verb/table.h"

/* One line a row. Prose goes on several lines where room is short; columns that do not
 * fit beside the others follow in a block below with the keys again; where not even one
 * fits beside the keys, each row is a block of "name  value". No line is wider than the
 * terminal unless a single word or number is. Control characters are shown as \xHH.
 * Caption before, notes behind. Error of the table, NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_table_write_terminal(
    const spot_table_t *self, const spot_terminal_t *terminal, FILE *out);

/* Begin a document. Both streams, and the terminal, must outlive self. */
void spot_document_to_terminal(spot_document_t *self, const spot_terminal_t *terminal, FILE *out);
void spot_document_to_page(spot_document_t *self, FILE *out);

/* ---- A table on a page, as spot_document_table() writes it ---- */

/* The element table with this id, in one that scrolls, with its caption; then its notes
 * as paragraphs. Cells of numbers have in data-value what a script sorts by, in the unit
 * of the model; the class is "none" for what is unknown, "marked" where the marks have
 * an asterisk. Error of the table, IO. */
SPOT_MUST_CHECK int spot_table_write_html(const spot_table_t *self, const char *id, FILE *out);
