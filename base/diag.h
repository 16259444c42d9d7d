/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Diagnostics: errors and warnings about input, each with file:line:column. Readers
 * append to a list, which their caller prints, so that one pass over a file reports all
 * errors. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

/* Errors shown per file; further ones are only counted. */
#define SPOT_DIAG_MAX_ERRORS 20

struct spot_inputs;
struct spot_memory_files;

typedef struct {
    char *text;    /* "file:line:column: message" */
    bool is_error; /* else a warning */
} spot_diag_item_t;

typedef struct {
    size_t num_items;
    size_t max_items;
    spot_diag_item_t *items; /* [num_items] in the order of their reports */
    size_t num_errors;       /* kept or not */
    size_t num_warnings;
    size_t num_file_errors;     /* of file_name */
    char *file_name;            /* of the latest error, counts towards SPOT_DIAG_MAX_ERRORS */
    bool out_of_memory;         /* an item could not be kept */
    bool out_of_descriptors;    /* a file could not be opened for lack of them */
    struct spot_inputs *inputs; /* journal of the files read, borrowed, or NULL */
    /* Files that are in memory only, borrowed, or NULL: see base/inputs.h. */
    const struct spot_memory_files *memory;
} spot_diag_t;

SPOT_API void spot_diag_init(spot_diag_t *self);
/* An empty list, for what is read with the same files in memory as another one. */
void spot_diag_init_like(spot_diag_t *self, const spot_diag_t *other);
SPOT_API void spot_diag_free(spot_diag_t *self);

/* Appends an error unless the same text is among the latest items, as aliases repeat
 * errors. line 0: the whole file; column 0: the whole line. From the 21st error of a
 * file on they are only counted; spot_diag_close_file() reports their number. Returns
 * SPOT_ERR_BAD_INPUT. */
int spot_diag_error(spot_diag_t *self, const char *file, size_t line, size_t column,
    const char *format, ...) SPOT_PRINTF(5, 6);

/* Appends a warning unless the same text is among the latest items, as many points of a
 * study read the same file. */
void spot_diag_warn(spot_diag_t *self, const char *file, size_t line, size_t column,
    const char *format, ...) SPOT_PRINTF(5, 6);

/* The end of a list, to come back to. */
typedef struct {
    size_t num_items;
    size_t num_errors;
} spot_diag_mark_t;

static inline spot_diag_mark_t spot_diag_mark(const spot_diag_t *self)
{
    const spot_diag_mark_t mark = {self->num_items, self->num_errors};

    return mark;
}

/* Turns the errors reported since the mark into warnings. */
void spot_diag_soften(spot_diag_t *self, spot_diag_mark_t mark);

/* Ends the report on the current file; appends "file: N more errors" if there are
 * more. */
void spot_diag_close_file(spot_diag_t *self);

/* Removes all warnings; errors stay. */
void spot_diag_drop_warnings(spot_diag_t *self);

/* Prints one item per line, in order; warnings start with "warning: ". */
SPOT_API void spot_diag_print(const spot_diag_t *self, FILE *out);
