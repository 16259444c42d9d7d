/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The canonical form of a document that is bound by a table of fields: a sorted list of
 * dotted paths with their values, defaults included. Documents of the same meaning have
 * the same list, whatever their units, number formats, order of keys, aliases and
 * quotes. Documents that may differ in meaning have different lists. The list is written
 * as YAML and read back, hashed, and compared in sentences.
 *
 * The table gives the type of each value. A value of unknown type (SPOT_FIELD_CUSTOM
 * without a table) or of another type is in the list as it is. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/bind.h"
#include "base/inputs.h"

/* A path is keys with dots between them; items of a list are [0], [1], ... after its
 * key. Within a key each of . [ ] and \ has a \ before it. */
typedef struct {
    char *path;       /* "trace.addition.big.range[1]" */
    char *text;       /* as in YAML: {}, [] or a scalar, quoted if necessary */
    bool is_selector; /* chose a table of fields; never set by parsing */
    bool is_chosen;   /* a default of a chosen table; never set by parsing */
} spot_canonical_entry_t;

typedef struct {
    size_t num_entries;
    size_t max_entries;
    spot_canonical_entry_t *entries; /* [num_entries] sorted by path, without repeats */
} spot_canonical_t;

/* The map from the name of each file read to its SHA-256. */
#define SPOT_CANONICAL_FILES "files"

/* The map that holds, at the path of each map whose order of keys matters, the list of
 * its keys. */
#define SPOT_CANONICAL_ORDER "order"

/* Zero self to start. Appends the meaning of node, a map that fields has bound. inputs:
 * the journal of the binding after spot_inputs_name(), or NULL. Its files are appended
 * too, and values that name a file get its name in the journal. If node was not bound
 * without an error, paths may be repeated. NO_MEMORY; free self even then.
 * O(entries log entries + scalars * files). */
SPOT_MUST_CHECK int spot_canonical_make(spot_canonical_t *self, const spot_field_t *fields,
    const spot_node_t *node, const spot_inputs_t *inputs);

void spot_canonical_free(spot_canonical_t *self);

/* Adds one scalar. text is a number or a text, without quotes. BAD_PARAM: the path, a
 * path within it, or a path around it exists already. */
SPOT_MUST_CHECK int spot_canonical_add(spot_canonical_t *self, const char *path, const char *text);

/* Removes a key and everything within it; path is as in a sweep, without \. A key that
 * chose a table of fields ("recovery.system") takes the defaults of that table with
 * it. */
void spot_canonical_drop(spot_canonical_t *self, const char *path);

/* Adds the files of other that self lacks: a study with more points reads more files.
 * NO_MEMORY. */
SPOT_MUST_CHECK int spot_canonical_add_files(spot_canonical_t *self, const spot_canonical_t *other);

/* The text at a path (with \), or NULL. O(entries). */
const char *spot_canonical_get(const spot_canonical_t *self, const char *path);

/* Whether a path is outer or lies within it; both with \, as in lists. */
bool spot_canonical_is_within(const char *path, const char *outer);

/* A YAML document; equal lists give equal bytes. The caller frees it. NULL: no memory.
 */
SPOT_MUST_CHECK char *spot_canonical_text(const spot_canonical_t *self);

/* SHA-256 of that text in hexadecimal. NO_MEMORY. */
SPOT_MUST_CHECK int spot_canonical_hash(
    const spot_canonical_t *self, char sha256[SPOT_SHA256_TEXT_BYTES]);

/* Reads the list from such a text; file names it in messages. BAD_INPUT with the reasons
 * in diag, NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_canonical_parse(
    spot_canonical_t *self, const char *file, const char *text, spot_diag_t *diag);

/* Reports each difference as an error in diag: "place: job.reload was 47 s, is 60 s". A
 * file that only one of them read is no difference: the key that names it is one.
 * Returns the number of differences. */
size_t spot_canonical_compare(
    const spot_canonical_t *was, const spot_canonical_t *is, const char *place, spot_diag_t *diag);
