/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The canonical form of a document that was bound by a table of fields: a sorted list of
 * dotted paths with their values, defaults included. Documents that mean the same have
 * the same list, whatever their units, number formats, order of keys, aliases and
 * quotes; what may mean something else has another one. The list is written as YAML and
 * read back from it, hashed, and compared in sentences.
 *
 * Where a bind function of its own reads a value (SPOT_FIELD_CUSTOM), its type is not
 * known: text that is a number or a duration is taken as one, all other text as it is.
 */
#ifndef SPOT_BASE_CANONICAL_H
#define SPOT_BASE_CANONICAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/bind.h"
#include "base/inputs.h"

/* A path is keys with dots between them; items of a list are [0], [1], ... behind its
 * key. Within a key each of . [ ] and \ has a \ before it. */
typedef struct {
    char *path;       /* "trace.addition.big.range[1]" */
    char *text;       /* as in YAML: a scalar, quoted if it must be, {} or [] */
    bool is_selector; /* made, not read: what chose a table of fields, */
    bool is_chosen;   /* and a default that is from such a table */
} spot_canonical_entry_t;

typedef struct {
    size_t num_entries;
    size_t max_entries;
    spot_canonical_entry_t *entries; /* [num_entries] sorted by path, none twice */
} spot_canonical_t;

/* The map whose keys are the names of the files read, and its values their SHA-256. */
#define SPOT_CANONICAL_FILES "files"

/* The map whose keys are the paths of maps in which the order of keys matters, and its
 * values lists of their keys. */
#define SPOT_CANONICAL_ORDER "order"

/* Zero self to start. Appends what node, a map that was bound by fields, means. inputs:
 * the journal of the binding after spot_inputs_name(), or NULL; its files are appended
 * too, and values that name them name them as it does. NO_MEMORY; BAD_PARAM: an entry is
 * there already. Free self even then. O(entries log entries + scalars * files). */
SPOT_MUST_CHECK int spot_canonical_make(spot_canonical_t *self,
    const spot_field_t *fields, const spot_node_t *node, const spot_inputs_t *inputs);

void spot_canonical_free(spot_canonical_t *self);

/* Adds one scalar. text is a number or a text, not yet quoted. BAD_PARAM: the path, one
 * within it, or one that it lies within is there already. */
SPOT_MUST_CHECK int spot_canonical_add(
    spot_canonical_t *self, const char *path, const char *text);

/* Removes a key and all that lies within it; path is as in a sweep, without \. With the
 * key that chose a table of fields ("recovery.system") the defaults of that table go. */
void spot_canonical_drop(spot_canonical_t *self, const char *path);

/* Adds those files of other that self does not have: a study that has more points reads
 * more files. */
SPOT_MUST_CHECK int spot_canonical_add_files(
    spot_canonical_t *self, const spot_canonical_t *other);

/* The text at a path (with \), or NULL. O(log entries). */
const char *spot_canonical_get(const spot_canonical_t *self, const char *path);

/* As a YAML document, byte by byte the same for the same list. NO_MEMORY; errors of out
 * are for the caller to see. */
SPOT_MUST_CHECK int spot_canonical_write(const spot_canonical_t *self, FILE *out);

/* The same in memory, or NULL: no memory. The caller frees it. */
SPOT_MUST_CHECK char *spot_canonical_text(const spot_canonical_t *self);

/* SHA-256 of that text in hexadecimal. NO_MEMORY. */
SPOT_MUST_CHECK int spot_canonical_hash(
    const spot_canonical_t *self, char sha256[SPOT_SHA256_TEXT_BYTES]);

/* Reads the list from such a text; file names it in messages. BAD_INPUT with the reasons
 * in diag; free self even then. */
SPOT_MUST_CHECK int spot_canonical_parse(
    spot_canonical_t *self, const char *file, const char *text, spot_diag_t *diag);

/* The differences as errors in diag, a sentence each: "place: job.reload was 47 s, is
 * 60 s". Files that only one of them read are none: what names them says so. Returns
 * their number. */
size_t spot_canonical_compare(const spot_canonical_t *was, const spot_canonical_t *is,
    const char *place, spot_diag_t *diag);

#endif
