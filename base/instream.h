/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bytes of a file, plain or gzip (recognised from its content), or of memory. */
#ifndef SPOT_BASE_INSTREAM_H
#define SPOT_BASE_INSTREAM_H

#include <stddef.h>
#include <zlib.h>

#include "base/diag.h"
#include "base/error.h"

struct spot_input_reading;

typedef struct {
    const char *file;  /* in messages; must outlive self */
    gzFile stream;     /* NULL: reads from memory */
    const char *bytes; /* [num_bytes] what is left of the memory */
    size_t num_bytes;
    struct spot_input_reading *reading; /* for the journal of diag, or NULL */
} spot_instream_t;

/* IO with the reason in diag, also for a folder; NO_MEMORY. Close self even then. */
SPOT_MUST_CHECK int spot_instream_open(
    spot_instream_t *self, const char *path, spot_diag_t *diag);

/* Reads from memory, which must outlive self; file names it in messages. */
void spot_instream_open_bytes(
    spot_instream_t *self, const char *file, const char *bytes, size_t num_bytes);

/* Reads up to num_bytes (at most INT_MAX); fewer only at the end. IO with the reason in
 * diag, e.g. damaged gzip data. */
SPOT_MUST_CHECK int spot_instream_read(spot_instream_t *self, char *buffer,
    size_t num_bytes, size_t *num_read, spot_diag_t *diag);

/* Accepts a zeroed self. A file goes into the journal of diag, whole, even if less of it
 * was read. */
void spot_instream_close(spot_instream_t *self);

#endif
