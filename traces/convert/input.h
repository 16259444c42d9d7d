/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file to be converted, on the disk (plain or gzip) or in memory. */
#ifndef SPOT_TRACES_CONVERT_INPUT_H
#define SPOT_TRACES_CONVERT_INPUT_H

#include <stddef.h>

#include "base/csv.h"
#include "base/diag.h"
#include "base/error.h"
#include "base/instream.h"

typedef struct {
    const char *path;  /* the file, and its name in messages */
    const char *bytes; /* [num_bytes] its content; NULL: read path */
    size_t num_bytes;
} spot_input_t;

/* Opens it for reading line by line. IO, NO_MEMORY. */
SPOT_MUST_CHECK int spot_input_csv(
    const spot_input_t *self, spot_csv_t **csv, spot_diag_t *diag);

/* Opens its bytes. IO, NO_MEMORY; close stream even then. */
SPOT_MUST_CHECK int spot_input_stream(
    const spot_input_t *self, spot_instream_t *stream, spot_diag_t *diag);

/* The first line that is not blank, without the blanks before it, cut: enough to know
 * the format. text is empty where the file begins with more blanks than that. IO,
 * NO_MEMORY. */
#define SPOT_INPUT_LINE_BYTES 512
SPOT_MUST_CHECK int spot_input_first_line(
    const spot_input_t *self, char text[SPOT_INPUT_LINE_BYTES], spot_diag_t *diag);

#endif
