/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stream of the bytes of a file, plain or gzip (recognised by its content), or of
 * memory. */
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

/* Opens a file. IO with the reason in diag, also for a folder; NO_MEMORY. Close self
 * even then. */
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
