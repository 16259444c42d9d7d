/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Help and manual: the same sections, texts and lists, on a terminal or as a manual page
 * in man(7) form. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/bind.h"
#include "base/json.h"
#include "base/memory.h"

typedef struct {
    FILE *out;
    int width;          /* columns of a terminal; 0: a manual page */
    const char *grep;   /* only items with this in their name or text; NULL: all */
    const char *prefix; /* not NULL: only names that start so, a line each */
    char *heading;      /* what stands above the next item, and is emptied then; or NULL */
} spot_help_t;

/* Frees the texts of an item. If they lacked memory, what was written is not whole from then on. */
void spot_help_texts_free(spot_texts_t *texts);
bool spot_help_is_whole(void);

/* "Title:", or .SH TITLE. */
void spot_help_section(const spot_help_t *self, const char *title);

/* Paragraphs with blank lines between. */
void spot_help_text(const spot_help_t *self, const char *text);

/* An item of a list: its name in bold letters, note behind it, what it is from a column
 * of the terminal on, below the name if that is longer. */
void spot_help_item(
    const spot_help_t *self, const char *name, const char *note, const char *text, int column);

/* Lines as they are. */
void spot_help_lines(const spot_help_t *self, const char *text);

/* An item for each key that a YAML map may have, up to until or NULL, and for all that
 * is in it; path stands before their names. Of a map that is there, which may be NULL,
 * also the values, and the keys of the tables that these choose. */
void spot_help_fields(const spot_help_t *self, const spot_field_t *field, const spot_field_t *until,
    const spot_node_t *map, const char *path);

/* The fields of a table as a list of {name, type, is_required, default, help}, of what
 * has keys also with a list of that name. */
void spot_help_fields_json(spot_json_t *json, const char *name, const spot_field_t *fields);

/* Where help stands below what it is of. */
#define SPOT_HELP_BELOW 6
