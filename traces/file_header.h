/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The header of a CSV file of this program: a line with format and version, lines "#
 * key: value", then the row of columns. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/csv.h"
#include "base/diag.h"
#include "base/error.h"

/* One line "# key: value". */
typedef struct {
    char *key;
    char *value;
} spot_trace_key_t;

/* Zero it to start. */
typedef struct {
    size_t num_keys;
    size_t max_keys;
    spot_trace_key_t *keys; /* [num_keys] in file order, without the first line */
} spot_keys_t;

void spot_keys_free(spot_keys_t *self);

/* The value of a key, or NULL. O(keys). */
const char *spot_keys_find(const spot_keys_t *self, const char *key);

/* Sets a key to a copy of the first bytes of value, or replaces its value; append does
 * not look for the key. NO_MEMORY. */
SPOT_MUST_CHECK int spot_keys_set(
    spot_keys_t *self, const char *key, const char *value, size_t value_bytes);
SPOT_MUST_CHECK int spot_keys_append(
    spot_keys_t *self, const char *key, size_t key_bytes, const char *value, size_t value_bytes);
void spot_keys_drop(spot_keys_t *self, const char *key);

/* A key with a check. */
typedef struct {
    const char *key; /* NULL ends a table */
    bool is_required;
    /* Stores the value in target; false if it is not as expected. NULL: any value is. */
    bool (*take)(void *target, const char *value);
    const char *expected;
} spot_file_key_t;

typedef struct {
    const char *format;           /* key of the first line, e.g. "spotsim-trace" */
    const spot_file_key_t *known; /* ends with key NULL; other keys are kept too */
    void *target;                 /* passed to take() */
    spot_keys_t *keys;            /* receives all keys */
} spot_file_header_t;

/* Reads up to the row of columns and reports errors to diag. Returns 1: *row is the line
 * after the header, without fields if its bytes have been reported; 0: the file ends,
 * and row->line is one past its last line; BAD_INPUT: the first line is not that of the
 * format, and the rest cannot be checked; IO, NO_MEMORY. */
SPOT_MUST_CHECK int spot_file_header_read(
    spot_file_header_t *self, spot_csv_t *csv, spot_csv_row_t *row, spot_diag_t *diag);
