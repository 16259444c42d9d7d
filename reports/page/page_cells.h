/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of a page are made of. Texts are from outside unless they say so.
 * Internal to reports/page. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/* A section under a heading; id and title are ours. "</section>" ends it. */
void spot_page_section_open(FILE *out, const char *id, const char *title);

/* A table with a caption, in a place that scrolls, also by keyboard. id is ours. The end
 * is that of its body, too. */
void spot_page_table_open(FILE *out, const char *id, const char *caption);
void spot_page_table_close(FILE *out);

/* The names of its columns, ours, up to NULL, and the start of its body. */
void spot_page_heads(FILE *out, const char *const *names);

/* <td class="number">; data-value is what the script sorts by. */
void spot_page_count_cell(FILE *out, int64_t count);

/* "1 point", "2 points": word is ours. */
void spot_page_count(FILE *out, int64_t count, const char *word);

/* Text that is written to a stream before it stands in the page. */
typedef struct {
    FILE *stream;
    char *text;
    size_t num_bytes;
} spot_page_text_t;

/* NO_MEMORY, as all below. */
SPOT_MUST_CHECK int spot_page_text_begin(spot_page_text_t *self);
/* Closes it: text and num_bytes are whole, to be freed even where this fails. ret, the
 * error of what wrote it or 0, comes first. */
SPOT_MUST_CHECK int spot_page_text_end(spot_page_text_t *self, int ret);
void spot_page_text_free(spot_page_text_t *self);
/* Each of those below closes what was begun, and frees it, even where it fails. */
/* <tag>text</tag>; the tag is ours. */
SPOT_MUST_CHECK int spot_page_text_element(
    spot_page_text_t *self, FILE *out, const char *tag);
/* A paragraph for each line; lines that start with blanks are a list below it. */
SPOT_MUST_CHECK int spot_page_text_lines(spot_page_text_t *self, FILE *out);
