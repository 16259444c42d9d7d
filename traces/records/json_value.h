/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The records of a JSON log, one after another, each as a small tree with the places of
 * its values.
 *
 * A log is any number of JSON values, with blanks, line ends or nothing between them:
 * one document, JSON lines, or what a watching command prints. A record is a value; an
 * item of a value that is a list, or of a list in it; or an item of a list that a value
 * has at one of the keys given. */
#pragma once

#include "base/memory.h"
#include "traces/records/json_reader.h"

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
