/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The journal of the files read, each with the SHA-256 of its content, so that a study
 * notices a changed file. A reader writes to the journal of its diagnostics
 * (spot_diag_t.inputs), if there is one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "base/error.h"

#define SPOT_SHA256_TEXT_BYTES 65 /* 64 hexadecimal digits and a NUL */

typedef struct {
    char *path;                          /* as opened */
    char *name;                          /* for provenance, after spot_inputs_name() */
    char sha256[SPOT_SHA256_TEXT_BYTES]; /* of the content; of gzip, decompressed */
    bool has_changed;                    /* a second reading found another content */
} spot_input_t;

typedef struct spot_inputs {
    size_t num_inputs;
    size_t max_inputs;
    spot_input_t *inputs;                   /* [num_inputs] in the order of the first reading */
    const struct spot_memory_files *memory; /* of files that are read again, borrowed, or
                                               NULL: see base/instream.h */
    bool is_out_of_memory;
} spot_inputs_t;

/* Zero it to start. */
void spot_inputs_free(spot_inputs_t *self);

/* The file opened as path, or NULL. O(files). */
const spot_input_t *spot_inputs_find(const spot_inputs_t *self, const char *path);

/* BAD_INPUT with the reason in diag, which may be NULL, if a file has changed between
 * two readings. */
SPOT_MUST_CHECK int spot_inputs_check(const spot_inputs_t *self, spot_diag_t *diag);

/* Names the files for a record that is valid on any machine with the same tree: relative
 * to the folder of base_path, the file that named the first of them. A file opened by an
 * absolute path outside that folder is ".../" and as many of its last parts as
 * distinguish it. Call it when all files are read. BAD_INPUT with the reason in diag if
 * a file has changed between two readings; NO_MEMORY also if the journal lacks a
 * file. */
SPOT_MUST_CHECK int spot_inputs_name(spot_inputs_t *self, const char *base_path, spot_diag_t *diag);

/* For the reader of files: enters one by the SHA-256 of its whole content. */
void spot_inputs_enter(spot_inputs_t *self, const char *path, const char *sha256);

/* The path of a file from a folder, both of which are there: "../steps.csv"; absolute
 * where they share no folder but the root. NULL: they are not there, or no memory. The
 * caller frees it. */
SPOT_MUST_CHECK char *spot_path_from(const char *folder, const char *path);
