/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Help and manual: the same sections, texts and lists, on a terminal or as a manual page
 * in man(7) form. */
#pragma once

#include <stdio.h>

#include "base/bind.h"

typedef struct {
    FILE *out;
    int width;          /* columns of a terminal; 0: a manual page */
    const char *grep;   /* only items with this in their name or text; NULL: all */
    const char *prefix; /* not NULL: only names that start so, a line each */
    char *heading; /* what stands above the next item, and is emptied then; or NULL */
} spot_doc_t;

/* For the terminal, whose width counts. */
spot_doc_t spot_doc_of_terminal(FILE *out);

/* "Title:", or .SH TITLE. */
void spot_doc_section(const spot_doc_t *self, const char *title);

/* Paragraphs with blank lines between. */
void spot_doc_text(const spot_doc_t *self, const char *text);

/* An item of a list: its name in bold letters, note behind it, what it is from a column
 * of the terminal on, below the name if that is longer. */
void spot_doc_item(const spot_doc_t *self, const char *name, const char *note,
    const char *text, int column);

/* Lines as they are. */
void spot_doc_lines(const spot_doc_t *self, const char *text);

/* An item for each field of a YAML map, up to until or NULL, and for all that is in it;
 * path stands before their names. */
void spot_doc_fields(const spot_doc_t *self, const spot_field_t *field,
    const spot_field_t *until, const char *path);

/* The same for the keys that a map may have, among them those of the tables that its
 * values choose, with the values that are there. */
void spot_doc_keys(const spot_doc_t *self, const spot_field_t *field,
    const spot_node_t *map, const char *path);

/* Where help stands below what it is of. */
#define SPOT_DOC_BELOW 6
