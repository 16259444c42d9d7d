/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stream of the bytes of a file, plain or gzip (recognised by its content), or of
 * memory.
 *
 * A caller that has made a file, but does not want to write it, lists it: while the list
 * is that of the diagnostics, all readers find the bytes under its path. */
#pragma once

#include <sha2.h>
#include <stddef.h>
#include <zlib.h>

#include "base/diag.h"
#include "base/error.h"

typedef struct {
    const char *file;  /* in messages; must outlive self */
    gzFile stream;     /* NULL: reads from memory */
    const char *bytes; /* [num_bytes] the rest of the memory */
    size_t num_bytes;
    struct spot_inputs *journal; /* of diag, or NULL */
    SHA2_CTX hash;               /* of what was read, for the journal */
} spot_instream_t;

/* A file that is in memory only. */
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
 * the reason in diag, e.g. damaged gzip data; NO_MEMORY. */
SPOT_MUST_CHECK int spot_instream_read(
    spot_instream_t *self, char *buffer, size_t num_bytes, size_t *num_read, spot_diag_t *diag);

/* Closes the stream; accepts a zeroed self. Enters a file into the journal of diag with
 * its whole content, even if only a part was read. */
void spot_instream_close(spot_instream_t *self);

/* What a file is that is neither a table nor YAML, by its first bytes: "an SVG picture";
 * NULL: not known. */
const char *spot_foreign_kind(const char *bytes, size_t num_bytes);
