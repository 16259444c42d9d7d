/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The journal of the files that are read, each with the SHA-256 of its content, so that
 * a study notices a file that has changed. A reader that is given diagnostics with a
 * journal (spot_diag_t.inputs) writes into it; without one it costs nothing. */
#ifndef SPOT_BASE_INPUTS_H
#define SPOT_BASE_INPUTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "base/error.h"

#define SPOT_SHA256_TEXT_BYTES 65 /* 64 hexadecimal digits and a NUL */

typedef struct {
    char *path;                          /* as it was opened */
    char *name;                          /* for provenance, after spot_inputs_name() */
    char sha256[SPOT_SHA256_TEXT_BYTES]; /* of the content, decompressed if it is gzip */
    bool has_changed;                    /* it was read again and was another one */
} spot_input_t;

typedef struct spot_inputs {
    size_t num_inputs;
    size_t max_inputs;
    spot_input_t *inputs; /* [num_inputs] in the order of the first reading */
    bool is_out_of_memory;
} spot_inputs_t;

/* Zero it to start. */
void spot_inputs_free(spot_inputs_t *self);

/* The file that was opened as path, or NULL. O(files). */
const spot_input_t *spot_inputs_find(const spot_inputs_t *self, const char *path);

/* Names the files for a record that holds on any machine with the same tree: relative to
 * the folder of base_path, the file that named the first of them. What was opened by an
 * absolute path outside that folder is ".../" and as many of its last parts as tell it
 * from the others. Call it when all is read. BAD_INPUT with the reason in diag where a
 * file has changed between two readings, NO_MEMORY also where the journal lacks one. */
SPOT_MUST_CHECK int spot_inputs_name(
    spot_inputs_t *self, const char *base_path, spot_diag_t *diag);

/* ---- For the readers of files ---- */

/* One file under way. */
typedef struct spot_input_reading spot_input_reading_t;

/* NULL without a journal (self NULL), or memory, of which the journal then knows. */
spot_input_reading_t *spot_inputs_open(spot_inputs_t *self, const char *path);

/* The next bytes of the content. */
void spot_input_reading_add(
    spot_input_reading_t *self, const char *bytes, size_t num_bytes);

/* Enters the file unless is_whole is false: what failed is no input. Frees self, which
 * may be NULL. */
void spot_input_reading_close(spot_input_reading_t *self, bool is_whole);

#endif
