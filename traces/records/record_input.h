/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An input with other people's records: a file, plain or gzip, or bytes of memory. Readers of such
 * files take its lines, its bytes and a first look at them from here. */
#pragma once

#include <stddef.h>

#include "base/csv.h"
#include "base/diag.h"
#include "base/error.h"
#include "base/inputs.h"

/* A file, on the disk (plain or gzip) or in memory. */
typedef struct {
    const char *path;  /* the file, and its name in messages */
    const char *bytes; /* [num_bytes] its content; NULL: read path */
    size_t num_bytes;
} spot_record_input_t;

/* Opens the input for reading line by line. IO, NO_MEMORY. */
SPOT_MUST_CHECK int spot_record_input_csv(
    const spot_record_input_t *self, spot_csv_t **csv, spot_diag_t *diag);

/* Opens the bytes of the input. IO, NO_MEMORY; close stream even then. */
SPOT_MUST_CHECK int spot_record_input_stream(
    const spot_record_input_t *self, spot_instream_t *stream, spot_diag_t *diag);

/* Reads the begin of the input: text gets its first SPOT_RECORD_HEAD_BYTES - 1 bytes,
 * and line their first line that is not blank, without blanks before it, cut after
 * SPOT_RECORD_LINE_BYTES - 1 bytes; it is empty if these are all blank. BAD_INPUT
 * for an empty file, IO, NO_MEMORY. */
#define SPOT_RECORD_LINE_BYTES 512
#define SPOT_RECORD_HEAD_BYTES 65536
SPOT_MUST_CHECK int spot_record_input_head(const spot_record_input_t *self,
    char text[SPOT_RECORD_HEAD_BYTES], char line[SPOT_RECORD_LINE_BYTES], spot_diag_t *diag);
