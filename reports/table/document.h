/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a report says, piece by piece, written once and read on a terminal or on a page:
 * sections, paragraphs, lists, tables. Each call writes at once. Texts may be from
 * outside: a page escapes them, a terminal shows control characters as spot_text_write()
 * does. The first error is kept: ask for it at the end. */
#pragma once

#include <stdio.h>

#include "base/memory.h"
#include "base/verb/table.h"

typedef struct {
    FILE *out;
    const spot_terminal_t *terminal; /* NULL: a page, HTML */
    spot_texts_t texts;              /* of callers, which live until the end */
    int error;
    bool has_section, has_list; /* open */
} spot_document_t;

/* Both must outlive self. */
void spot_document_to_terminal(spot_document_t *self, const spot_terminal_t *terminal, FILE *out);
void spot_document_to_page(spot_document_t *self, FILE *out);

/* Ends what is open, and frees the texts. The first error of all calls, NO_MEMORY, IO.
 */
SPOT_MUST_CHECK int spot_document_end(spot_document_t *self);

static inline bool spot_document_is_page(const spot_document_t *self)
{
    return self->terminal == NULL;
}

/* Keeps an error of the caller, if it is the first one; 0 is none. */
void spot_document_fail(spot_document_t *self, int error);

/* A section with a heading, which ends the one before it. id: of its place in a page,
 * ours. */
void spot_document_section(spot_document_t *self, const char *id, const char *title);
void spot_document_end_section(spot_document_t *self);

/* Ends the list that is open, if one is: before something is written to out. */
void spot_document_end_list(spot_document_t *self);

/* A heading within a section. */
void spot_document_heading(spot_document_t *self, const char *text);

void spot_document_paragraph(spot_document_t *self, const char *format, ...) SPOT_PRINTF(2, 3);

/* The same, quiet on a page. */
void spot_document_note(spot_document_t *self, const char *format, ...) SPOT_PRINTF(2, 3);

/* An item of the list that is open, or of a new one. */
void spot_document_item(spot_document_t *self, const char *format, ...) SPOT_PRINTF(2, 3);

/* An empty line on a terminal. */
void spot_document_gap(spot_document_t *self);

/* What follows up to the end is folded on a page; the summary alone is shown. */
void spot_document_fold(spot_document_t *self, const char *summary);
void spot_document_end_fold(spot_document_t *self);

/* Writes a table and frees what it holds; id: as in spot_document_section(). */
void spot_document_table(spot_document_t *self, const char *id, spot_table_t *table);

/* ---- A table on a page, as spot_document_table() writes it ---- */

/* The element table with this id, in one that scrolls, with its caption; then its notes
 * as paragraphs. Cells of numbers have in data-value what a script sorts by, in the unit
 * of the model; the class is "none" for what is unknown, "marked" where the marks have
 * an asterisk. Error of the table, IO. */
SPOT_MUST_CHECK int spot_table_write_html(const spot_table_t *self, const char *id, FILE *out);
