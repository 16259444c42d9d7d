/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file to convert, on the disk (plain or gzip) or in memory. */
#pragma once

#include <stddef.h>

#include "base/csv.h"
#include "base/diag.h"
#include "base/error.h"
#include "base/instream.h"

typedef struct {
    const char *path;  /* the file, and its name in messages */
    const char *bytes; /* [num_bytes] its content; NULL: read path */
    size_t num_bytes;
} spot_convert_input_t;

/* Opens the input for reading line by line. IO, NO_MEMORY. */
SPOT_MUST_CHECK int spot_convert_input_csv(
    const spot_convert_input_t *self, spot_csv_t **csv, spot_diag_t *diag);

/* Opens the bytes of the input. IO, NO_MEMORY; close stream even then. */
SPOT_MUST_CHECK int spot_convert_input_stream(
    const spot_convert_input_t *self, spot_instream_t *stream, spot_diag_t *diag);

/* Finds the first line that is not blank, among the first SPOT_CONVERT_INPUT_LINE_BYTES
 * - 1 bytes and without leading blanks: enough to recognise the format. text is empty if
 * these bytes are all blank. BAD_INPUT for an empty file, IO, NO_MEMORY. */
#define SPOT_CONVERT_INPUT_LINE_BYTES 512
SPOT_MUST_CHECK int spot_convert_input_first_line(const spot_convert_input_t *self,
    char text[SPOT_CONVERT_INPUT_LINE_BYTES], spot_diag_t *diag);
