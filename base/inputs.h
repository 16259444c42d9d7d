/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files that are read.
 *
 * Every reader opens a spot_instream_t: a file, standard input, or bytes in memory; plain or packed
 * by gzip, zstd or xz, and as UTF-8 whatever it is written in. Whoever sets spot_diag_t.inputs gets
 * a journal of the files read, each with the SHA-256 of its content, so that a study notices a
 * changed file; whoever sets spot_diag_t.memory has files read that are not written anywhere. */
#pragma once

#include <sha2.h>
#include <stdbool.h>
#include <stddef.h>
#include <zlib.h>

#include "base/diag.h"
#include "base/error.h"

/* ---- The journal ---- */

#define SPOT_SHA256_TEXT_BYTES 65 /* 64 hexadecimal digits and a NUL */

typedef struct {
    char *path;                          /* as opened */
    char *name;                          /* for provenance, after spot_inputs_name() */
    char sha256[SPOT_SHA256_TEXT_BYTES]; /* of the content, unpacked */
    bool has_changed;                    /* a second reading found another content */
} spot_input_t;

typedef struct spot_inputs {
    size_t num_inputs;
    size_t max_inputs;
    spot_input_t *inputs;                   /* [num_inputs] in the order of the first reading */
    const struct spot_memory_files *memory; /* of files that are read again, borrowed, or
                                               NULL */
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

/* The path of a file from a folder, both of which are there: "../steps.csv"; absolute
 * where they share no folder but the root. NULL: they are not there, or no memory. The
 * caller frees it. */
SPOT_MUST_CHECK char *spot_path_from(const char *folder, const char *path);

/* ---- Files in memory ---- */

/* A file that is in memory only: a caller that has made a file, but does not want to
 * write it, lists it. While the list is that of the diagnostics, all readers find the
 * bytes under its path. */
typedef struct {
    const char *path;    /* as it is opened */
    char *absolute_path; /* of a file that is there, under which it is found too; or NULL */
    const char *bytes;   /* [num_bytes] plain */
    size_t num_bytes;
} spot_memory_file_t;

/* Zero it to start. */
typedef struct spot_memory_files {
    size_t num_files, max_files;
    spot_memory_file_t *files; /* [num_files] */
} spot_memory_files_t;

/* Lists a file; path and bytes are borrowed. NO_MEMORY. */
SPOT_MUST_CHECK int spot_memory_files_add(
    spot_memory_files_t *self, const char *path, const char *bytes, size_t num_bytes);
/* The file with a path, or NULL; self may be NULL. O(files). */
const spot_memory_file_t *spot_memory_files_find(const spot_memory_files_t *self, const char *path);
void spot_memory_files_free(spot_memory_files_t *self);

/* ---- Streams ---- */

/* The bytes of a file or of memory: unpacked, if they are gzip, zstd or xz, and without a byte
 * order mark; of UTF-16, which needs one, as UTF-8. All is recognised by the content. */
typedef struct {
    const char *file;  /* in messages; must outlive self */
    gzFile stream;     /* NULL: reads from memory */
    const char *bytes; /* [num_bytes] the rest of the memory */
    size_t num_bytes;
    struct spot_unpacker *unpacker; /* of zstd or xz; NULL: none */
    struct spot_utf16 *utf16;       /* NULL: what is unpacked is read as it is */
    bool is_started;                /* it is known what the content is */
    bool is_given_up;               /* no journal: the rest is not read, it may have no end */
    bool has_mark;                  /* it began with a byte order mark */
    char head[8]; /* [num_head] what was read to know it, and not yet handed out */
    size_t num_head;
    spot_inputs_t *journal; /* of diag, or NULL */
    SHA2_CTX hash;          /* of what was unpacked, for the journal */
} spot_instream_t;

/* Opens a file, one of the diagnostics' memory first. IO with the reason in diag, also for a
 * folder; NO_MEMORY. Close self even then. */
SPOT_MUST_CHECK int spot_instream_open(spot_instream_t *self, const char *path, spot_diag_t *diag);

/* Reads standard input, which no journal keeps; file is its name in messages. IO with
 * the reason in diag, NO_MEMORY. Close self even then. */
SPOT_MUST_CHECK int spot_instream_open_stdin(
    spot_instream_t *self, const char *file, spot_diag_t *diag);

/* Reads from memory, which must outlive self; file is the name in messages. */
void spot_instream_open_bytes(
    spot_instream_t *self, const char *file, const char *bytes, size_t num_bytes);

/* Reads num_bytes (at most INT_MAX) bytes; *num_read is less only at the end. IO with
 * the reason in diag, e.g. damaged gzip data or half a character; NO_MEMORY. */
SPOT_MUST_CHECK int spot_instream_read(
    spot_instream_t *self, char *buffer, size_t num_bytes, size_t *num_read, spot_diag_t *diag);

/* For a reader that stops at something wrong: closing does not read the rest. */
static inline void spot_instream_give_up(spot_instream_t *self)
{
    self->is_given_up = true;
}

/* Closes the stream; accepts a zeroed self. Enters a file into the journal of diag with
 * its whole content, even if only a part was read, unless it was given up. */
void spot_instream_close(spot_instream_t *self);

/* What a file is that is neither a table nor YAML, by its first bytes: "an SVG picture";
 * NULL: not known. */
const char *spot_foreign_kind(const char *bytes, size_t num_bytes);
