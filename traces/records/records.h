/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Other people's records: the input that they come from, and JSON in it.
 *
 * This module owns the opening of an input (a file, plain or gzip, or bytes of memory),
 * a reader of JSON that hands out one token at a time, and above it the records of a
 * JSON log as small trees with places. Importers of traces, prices and logs start here;
 * CSV they read with base/csv.h.
 *
 * Use: fill a spot_record_input_t; spot_record_input_head() tells what begins there;
 * then spot_record_input_csv() for lines, spot_json_reader_open() for tokens, or
 * spot_json_records() for whole records. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <yaml.h>

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

/* Reads the begin of the input: text gets its first SPOT_RECORD_HEAD_BYTES - 1 bytes,
 * and line their first line that is not blank, without blanks before it, cut after
 * SPOT_RECORD_LINE_BYTES - 1 bytes; it is empty if these are all blank. BAD_INPUT
 * for an empty file, IO, NO_MEMORY. */
#define SPOT_RECORD_LINE_BYTES 512
#define SPOT_RECORD_HEAD_BYTES 65536
SPOT_MUST_CHECK int spot_record_input_head(const spot_record_input_t *self,
    char text[SPOT_RECORD_HEAD_BYTES], char line[SPOT_RECORD_LINE_BYTES], spot_diag_t *diag);

/* ---- JSON, one token at a time ----
 * Reads JSON one token at a time, so that a document may have any length. libyaml parses
 * it, as JSON is YAML; YAML that is not JSON is refused where it would change the
 * meaning. */

typedef enum {
    SPOT_JSON_END,
    SPOT_JSON_OPEN_OBJECT,
    SPOT_JSON_CLOSE_OBJECT,
    SPOT_JSON_OPEN_ARRAY,
    SPOT_JSON_CLOSE_ARRAY,
    SPOT_JSON_TEXT, /* in double quotes */
    SPOT_JSON_WORD  /* a number, true, false or null */
} spot_json_kind_t;

typedef struct {
    const char *file;
    size_t num_lines_before;         /* of the file, before the document */
    size_t outer_line, outer_column; /* of the value that all are within; 0: of none */
    spot_diag_t *diag;
    spot_instream_t stream;
    bool has_failed; /* the stream could not be read; diag has the reason */
    yaml_parser_t parser;
    yaml_event_t event;
    size_t depth;
    size_t max_depth;
    bool is_values; /* a stream of values, which is made one array for the parser: */
    struct {
        char raw[4096]; /* [num_raw] of the stream, up to next_raw they were handed on */
        size_t num_raw, next_raw;
        size_t depth;
        size_t num_values; /* that have begun */
        size_t num_bytes;  /* of the stream so far */
        int64_t num_more;  /* bytes put into it, less those left out */
        bool is_between;   /* values */
        bool in_text, is_escaped;
        bool is_begun, is_ended; /* its brackets were handed on */
        size_t line;             /* of the latest value: what was put before it, and */
        size_t num_put;          /* before others in that line, moves columns */
    } values;
    spot_json_kind_t kind; /* of the current token, like the members below */
    const char *text;      /* [num_bytes + 1] text or word, ends with a NUL */
    size_t num_bytes;
    size_t line;
    size_t column;
} spot_json_reader_t;

/* Opens a file of one value, or one line of it. IO, NO_MEMORY; close self even then. */
SPOT_MUST_CHECK int spot_json_reader_open(
    spot_json_reader_t *self, const spot_record_input_t *input, spot_diag_t *diag);
SPOT_MUST_CHECK int spot_json_reader_open_line(
    spot_json_reader_t *self, const char *file, const spot_csv_row_t *row, spot_diag_t *diag);

void spot_json_reader_close(spot_json_reader_t *self);

/* Goes to the next token; stays at SPOT_JSON_END. BAD_INPUT with the reason in diag, IO,
 * NO_MEMORY. */
SPOT_MUST_CHECK int spot_json_reader_next(spot_json_reader_t *self);

/* Skips the rest of the value that the current token begins. Errors as
 * spot_json_reader_next(). */
SPOT_MUST_CHECK int spot_json_reader_skip(spot_json_reader_t *self);

/* At the begin of an object: calls take() at the value of each of its keys, which must
 * read the value to its last token. Errors of take() and as spot_json_reader_next(). */
SPOT_MUST_CHECK int spot_json_reader_object(spot_json_reader_t *self, const char *what,
    int (*take)(void *context, const char *key), void *context);

/* Reports "<what>: expected <expected>, got '<token>'" at the current token. Returns
 * BAD_INPUT. */
SPOT_MUST_CHECK int spot_json_reader_expected(
    const spot_json_reader_t *self, const char *what, const char *expected);

/* ---- Records of a JSON log as trees ----
 * The records of a JSON log, one after another, each as a small tree with the places of
 * its values.
 *
 * A log is any number of JSON values, with blanks, line ends or nothing between them:
 * one document, JSON lines, or what a watching command prints. A record is a value; an
 * item of a value that is a list, or of a list in it; or an item of a list that a value
 * has at one of the keys given. */

typedef struct spot_json_value spot_json_value_t;
struct spot_json_value {
    spot_json_kind_t kind; /* OPEN_OBJECT, OPEN_ARRAY, TEXT or WORD */
    const char *key;       /* within an object, else NULL */
    const char *text;      /* [num_bytes + 1] of a TEXT or WORD; else "{" or "[" */
    size_t num_bytes;
    size_t line;
    size_t column;
    spot_json_value_t *first; /* its members or items; NULL: none */
    spot_json_value_t *next;  /* of the object or list that it is in */
};

/* The member with a key, or NULL; self may be NULL. O(members). */
const spot_json_value_t *spot_json_member(const spot_json_value_t *self, const char *key);

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
