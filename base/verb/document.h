/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a report says, piece by piece, written once and read on a terminal or on a page: sections,
 * paragraphs, lists, tables. Each call writes at once, in the form that the document was begun in
 * (reports/table/document.h). Texts may be from outside: a page escapes them, a terminal shows
 * control characters as spot_text_write() does. The first error is kept: ask for it at the end. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/verb/table.h"
#include "base/verb/terminal.h"

typedef struct spot_document spot_document_t;

typedef enum { SPOT_DOCUMENT_PARAGRAPH, SPOT_DOCUMENT_NOTE, SPOT_DOCUMENT_ITEM } spot_line_kind_t;

/* A form: how the pieces are written to out. What opens something closes nothing. */
typedef struct {
    void (*section)(const spot_document_t *self, const char *id, const char *title);
    void (*end_section)(const spot_document_t *self);
    void (*heading)(const spot_document_t *self, const char *text);
    void (*list)(const spot_document_t *self, bool is_open);
    void (*line)(const spot_document_t *self, spot_line_kind_t kind, const char *text);
    void (*gap)(const spot_document_t *self);
    void (*fold)(const spot_document_t *self, const char *summary);
    void (*end_fold)(const spot_document_t *self);
    int (*table)(const spot_document_t *self, const char *id, const spot_table_t *table);
} spot_document_form_t;

struct spot_document {
    const spot_document_form_t *form;
    FILE *out;
    const spot_terminal_t *terminal; /* NULL: a page */
    spot_texts_t texts;              /* of callers, which live until the end */
    int error;
    bool has_section, has_list; /* open */
};

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

/* ---- Words of documents and pictures: texts that live as long as texts ---- */

/* A text from outside, as spot_utf8_shown() shows it. */
const char *spot_words_shown(spot_texts_t *texts, const char *text);

/* "1 point", "2 points": word is a singular whose plural ends in s. */
const char *spot_words_count(spot_texts_t *texts, int64_t count, const char *word);

/* "90 s", "4 min", "1.25 h": two or three digits. */
const char *spot_words_duration(spot_texts_t *texts, double duration_s);
