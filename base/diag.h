/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Diagnostics: errors and warnings about input, each with file:line:column. Readers
 * append to a list that their caller prints, so one pass over a file tells everything it
 * found. */
#ifndef SPOT_BASE_DIAG_H
#define SPOT_BASE_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

/* Errors shown of one file; the rest is counted. */
#define SPOT_DIAG_MAX_ERRORS 20

struct spot_inputs;

typedef struct {
    char *text;    /* "file:line:column: message" */
    bool is_error; /* else a warning */
} spot_diag_item_t;

typedef struct {
    size_t num_items;
    size_t max_items;
    spot_diag_item_t *items; /* [num_items] in the order in which they were found */
    size_t num_errors;       /* those not kept included */
    size_t num_warnings;
    size_t num_file_errors; /* of file_name */
    char *file_name;    /* of the latest error, counts towards SPOT_DIAG_MAX_ERRORS */
    bool out_of_memory; /* an item could not be kept */
    struct spot_inputs *inputs; /* the journal of the files read, borrowed; or NULL */
} spot_diag_t;

SPOT_API void spot_diag_init(spot_diag_t *self);
SPOT_API void spot_diag_free(spot_diag_t *self);

/* Appends an error, unless the same is among the latest ones: aliases repeat what is
 * wrong. line 0: about the whole file; column 0: about the whole line. The
 * 21st and later errors of a file are counted only: spot_diag_close_file() tells their
 * number. */
void spot_diag_error(spot_diag_t *self, const char *file, size_t line, size_t column,
    const char *format, ...) SPOT_PRINTF(5, 6);

/* The same for a warning: many points of a study read the same file. */
void spot_diag_warn(spot_diag_t *self, const char *file, size_t line, size_t column,
    const char *format, ...) SPOT_PRINTF(5, 6);

/* Ends the report on the current file: "file: N more errors" where there were more. */
void spot_diag_close_file(spot_diag_t *self);

/* Forgets the warnings: what is an error is still said. */
void spot_diag_drop_warnings(spot_diag_t *self);

/* One item a line, in order; warnings are marked as such. */
SPOT_API void spot_diag_print(const spot_diag_t *self, FILE *out);

#endif
