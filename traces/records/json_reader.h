/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads JSON one token at a time, so that a document may have any length. libyaml parses
 * it, as JSON is YAML; YAML that is not JSON is refused where it would change the
 * meaning. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <yaml.h>

#include "base/csv.h"
#include "base/diag.h"
#include "base/error.h"
#include "base/inputs.h"
#include "traces/records/record_input.h"

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
/* The same for any number of values, with blanks, line ends or nothing between them. The
 * tokens are those of all values, and then SPOT_JSON_END. line, column: the place of all
 * of them, for text within a value; 0, 0: their own. */
SPOT_MUST_CHECK int spot_json_reader_open_values(spot_json_reader_t *self,
    const spot_record_input_t *input, size_t line, size_t column, spot_diag_t *diag);
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
