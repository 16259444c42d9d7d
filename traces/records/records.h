/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Other people's records: the input that they come from, and the records of JSON in it.
 *
 * This module owns the opening of an input (a file, plain or packed, or bytes of memory)
 * and the records of a JSON log as small trees with places. Importers of traces, prices
 * and logs start here; they read CSV with base/csv.h, tokens of JSON with
 * base/json.h.
 *
 * Use: fill a spot_record_input_t; spot_record_input_head() reports what begins there;
 * then spot_record_input_csv() for lines, spot_record_input_json() for tokens, or
 * spot_json_records() for whole records. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/csv.h"
#include "base/diag.h"
#include "base/error.h"
#include "base/json.h"

/* A file, on the disk (plain or packed) or in memory. */
typedef struct {
    const char *path;  /* the file, and its name in messages */
    const char *bytes; /* [num_bytes] its content; NULL: read path */
    size_t num_bytes;
} spot_record_input_t;

/* Opens the input for reading line by line. IO, NO_MEMORY. */
SPOT_MUST_CHECK int spot_record_input_csv(
    const spot_record_input_t *self, spot_csv_t **csv, spot_diag_t *diag);

/* Reads the begin of the input: text gets its first SPOT_RECORD_HEAD_BYTES - 1 bytes,
 * and line their first line that is not blank, without blanks before it, cut after
 * SPOT_RECORD_LINE_BYTES - 1 bytes, both without colours of a terminal; it is empty if these are
 * all blank. BAD_INPUT for an empty file, IO, NO_MEMORY. */
#define SPOT_RECORD_LINE_BYTES 512
#define SPOT_RECORD_HEAD_BYTES 65536
SPOT_MUST_CHECK int spot_record_input_head(const spot_record_input_t *self,
    char text[SPOT_RECORD_HEAD_BYTES], char line[SPOT_RECORD_LINE_BYTES], spot_diag_t *diag);

/* Opens the input for reading JSON, SPOT_RECORD_DEPTH for documents whose form is known. IO,
 * NO_MEMORY; close json even then. */
#define SPOT_RECORD_DEPTH 16
SPOT_MUST_CHECK int spot_record_input_json(
    const spot_record_input_t *self, size_t max_depth, spot_json_reader_t *json, spot_diag_t *diag);

/* ---- Records of a JSON log as trees ----
 * The records of a JSON log, one after another, each as a small tree with the places of
 * its values.
 *
 * A log is any number of JSON values, with blanks, line ends or nothing between them:
 * one document, JSON lines, or what a watching command prints. A record is a value; an
 * item of a value that is a list, or of a list in it; or an item of a list that a value
 * has at one of the keys given. */

/* The value at keys with points between, "detail.instance-id", or NULL. An array counts
 * as its first item. */
const spot_json_value_t *spot_json_at(const spot_json_value_t *self, const char *path);

/* The text at that path, "" if there is none or null; another word counts as its
 * text. */
const char *spot_json_text_at(const spot_json_value_t *self, const char *path);

/* Calls take(context, record) for every record of an input. lists: keys of lists of
 * records, up to NULL; may be NULL. take returns 0, BAD_INPUT after it has reported the
 * record (reading goes on), or another error, which ends the reading. BAD_INPUT also if
 * any record was reported or the input has none (of an empty list too); IO, NO_MEMORY.
 * Memory is that of the largest record. */
SPOT_MUST_CHECK int spot_json_records(const spot_record_input_t *input, const char *const *lists,
    int (*take)(void *context, const spot_json_value_t *record), void *context, spot_diag_t *diag);

/* The same for text that stands within a value, as a message of a queue has it. Places
 * within it are those of the value. */
SPOT_MUST_CHECK int spot_json_records_within(const spot_record_input_t *input,
    const spot_json_value_t *value, const char *const *lists,
    int (*take)(void *context, const spot_json_value_t *record), void *context, spot_diag_t *diag);
