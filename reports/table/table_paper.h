/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table for a paper: Markdown and LaTeX, and text from outside inside of such a document: it is
 * shown as it is, and no part of it is a command, a link or the end of a cell. Control characters
 * are blanks; what is not UTF-8 is U+FFFD. */
#pragma once

#include <stdio.h>

#include "base/verb/table.h"

/* How a kind of document writes a table. Numbers have two digits of their half width;
 * marks are raised; notes stand below. Where it has no rows nothing is written. Error of
 * the table, IO. */
typedef struct spot_table_dialect spot_table_dialect_t;
SPOT_MUST_CHECK int spot_table_write_paper(
    const spot_table_t *self, const spot_table_dialect_t *dialect, FILE *out);

/* For pdflatex with the packages booktabs and, for tables longer than a page, longtable;
 * columns that do not fit go on below with the keys again. */
extern const spot_table_dialect_t spot_table_latex;

/* Of GitHub and pandoc. */
extern const spot_table_dialect_t spot_table_markdown;

/* What a document needs before its first table. */
void spot_table_write_preamble(const spot_table_dialect_t *dialect, FILE *out);

/* ---- Text from outside ---- */

/* In ASCII and the letters of Western Europe, which pdflatex takes; common signs as
 * commands, and what else is not ASCII as its number, "U+6F22". */
void spot_paper_latex_text(FILE *out, const char *text);

/* For GitHub's dialect too: inside of tables, and beside HTML. */
void spot_paper_markdown_text(FILE *out, const char *text);
