/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text from outside inside a LaTeX or a Markdown document: it is shown as it is, and no
 * part of it is a command, a link or the end of a cell. Control characters are blanks;
 * what is not UTF-8 is U+FFFD. */
#pragma once

#include <stdio.h>

/* In ASCII and the letters of Western Europe, which pdflatex takes; common signs as
 * commands, and what else is not ASCII as its number, "U+6F22". */
void spot_paper_latex_text(FILE *out, const char *text);

/* For GitHub's dialect too: inside of tables, and beside HTML. */
void spot_paper_markdown_text(FILE *out, const char *text);
