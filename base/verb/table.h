/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One model of a table: columns, rows of cells, notes; and what programs read of it: CSV, JSON.
 *
 * Add columns, then rows and their cells; print the table in one of its dialects and free it. The
 * table owns its texts and keeps the first error, which the dialects return. The others are in
 * table_paper.h and document.h (terminal, pages). */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

typedef enum {
    SPOT_TABLE_NUMBER, /* at the right */
    SPOT_TABLE_TEXT,   /* at the left */
    SPOT_TABLE_PROSE   /* the same, on several lines where room is short */
} spot_table_kind_t;

/* The texts are borrowed until the column is added. */
typedef struct {
    const char *name;
    const char *unit; /* in the head; NULL or "": none */
    spot_table_kind_t kind;
    bool is_key;      /* tells rows apart: comes again where a table goes on below */
    bool is_fixed;    /* its numbers have num_decimals; else their half widths decide, and
                         numbers without one have six significant digits */
    bool has_sign;    /* a plus before what is above 0 */
    int num_decimals; /* see is_fixed */
    int num_digits;   /* significant digits of numbers without a half width; 0: six for
                         people, all for programs */
    double factor;    /* of numbers where people read them; 0: 1 */
} spot_table_column_t;

typedef enum {
    SPOT_TABLE_EMPTY,   /* nothing is said */
    SPOT_TABLE_WORDS,   /* text; value, if it is not NAN, is what it is sorted by */
    SPOT_TABLE_VALUE,   /* value, and half_width unless it is NAN */
    SPOT_TABLE_COUNT,   /* count */
    SPOT_TABLE_ABOVE,   /* more than value, which is all that is known */
    SPOT_TABLE_UNKNOWN, /* a number that is undefined */
    SPOT_TABLE_REST     /* text in place of the rest of the row: why it has no numbers */
} spot_table_content_t;

#define SPOT_TABLE_MARK_BYTES 32

typedef struct {
    spot_table_content_t content;
    double value;
    double half_width; /* of an interval; INFINITY: it has no upper end */
    int64_t count;
    const char *text;                  /* or NULL */
    size_t num_items;                  /* of a list, whose text names them all */
    const char **items;                /* [num_items] as programs read it, or NULL */
    const char *remark;                /* "(563 of 1000)" behind it, or NULL */
    char marks[SPOT_TABLE_MARK_BYTES]; /* letters and signs that notes explain */
} spot_table_cell_t;

typedef struct {
    const char *marks; /* which it explains, or "" */
    const char *text;
} spot_table_note_t;

/* Zero it, or set the name alone. */
typedef struct {
    const char *name;    /* of its files and labels; borrowed; NULL: none */
    const char *caption; /* or NULL */
    size_t num_columns;
    size_t max_columns;
    spot_table_column_t *columns; /* [num_columns] */
    size_t num_rows;
    size_t max_rows;
    const char **headings; /* [num_rows] above the row, or NULL */
    size_t num_cells;
    size_t max_cells;
    spot_table_cell_t *cells; /* [num_rows][num_columns] */
    size_t num_notes;
    size_t max_notes;
    spot_table_note_t *notes; /* [num_notes] */
    size_t next_id;           /* column of the next cell of the last row */
    spot_texts_t texts;       /* all of its texts but those of columns */
    spot_texts_t names;       /* those of columns */
    int error;                /* the first one: what came after it is missing */
} spot_table_t;

void spot_table_free(spot_table_t *self);

/* All that follow copy their texts and keep their error in self, which the dialects
 * return. Columns come first. */
void spot_table_add_column(spot_table_t *self, spot_table_column_t column);

void spot_table_add_columns(
    spot_table_t *self, size_t num_columns, const spot_table_column_t *columns);

/* A row of empty cells; those below fill them from the first on. */
void spot_table_add_row(spot_table_t *self);

/* Above the row that comes next: what it and those below it are. */
void spot_table_add_heading(spot_table_t *self, const char *text);
void spot_table_add_text(spot_table_t *self, const char *text);
void spot_table_add_format(spot_table_t *self, const char *format, ...) SPOT_PRINTF(2, 3);
/* For programs an array of texts, for people the same with commas. */
void spot_table_add_list(spot_table_t *self, size_t num_items, const char *const *items);
void spot_table_add_number(spot_table_t *self, double value); /* not finite: unknown */
void spot_table_add_count(spot_table_t *self, int64_t count);
void spot_table_add_above(spot_table_t *self, double least);
void spot_table_add_rest(spot_table_t *self, const char *text);
void spot_table_add_empty(spot_table_t *self);

/* The factor of the column of the next cell. */
double spot_table_next_factor(const spot_table_t *self);

/* half_width: NAN for none. */
void spot_table_add_estimate(spot_table_t *self, double value, double half_width);

/* Of the cell that was added last. */
void spot_table_set_remark(spot_table_t *self, const char *text);
void spot_table_set_value(spot_table_t *self, double value); /* to sort a text by */
void spot_table_add_marks(spot_table_t *self, const char *marks);

/* Below the table. marks: those it explains, or "". */
void spot_table_add_note(spot_table_t *self, const char *marks, const char *text);

/* A stream for a text that is written piece by piece, up to the call that ends it and
 * says what it is: the caption or the next cell. NULL: no memory, which self keeps; the
 * end takes NULL too. */
FILE *spot_table_begin_text(spot_table_t *self);
void spot_table_end_caption(spot_table_t *self, FILE *stream);
void spot_table_end_cell(spot_table_t *self, FILE *stream);

const spot_table_cell_t *spot_table_cell(const spot_table_t *self, size_t row_id, size_t column_id);

/* Columns at the start that tell rows apart; of several rows the first one if none is
 * said to. */
size_t spot_table_num_keys(const spot_table_t *self);

/* ---- Numbers as text that people read: for the dialects ---- */

#define SPOT_MAX_DECIMALS 12

/* Decimals that show two digits of value, e.g. half the width of an interval; as many as
 * there may be for 0. */
static inline int spot_decimals_for(double value)
{
    return (int) fmax(0, fmin(1 - floor(log10(value)), SPOT_MAX_DECIMALS));
}

/* The same for all cells of a column, so that they line up: two digits of the narrowest
 * interval, or one where the widest one makes two silly, and none where even that is
 * silly; -1, as many as it takes, for 0, when there is no interval. */
static inline int spot_decimals_of_column(double narrowest, double widest)
{
    int all, few;

    if (widest == 0) {
        return -1;
    }
    all = spot_decimals_for(narrowest);
    few = spot_decimals_for(widest) + 2;
    return (int) fmin(all, fmax(few, fmin(all - 1, few + 2)));
}

#define SPOT_TABLE_NUMBER_BYTES 64

/* The decimals of numbers: as the half width of each wants it, or those of a column, see
 * spot_table_column_decimals(). */
#define SPOT_TABLE_BY_CELL (-2)

typedef struct {
    const char *before;                       /* "> " of a bound, else "" */
    char number[SPOT_TABLE_NUMBER_BYTES];     /* "" for text and what is undefined */
    char half_width[SPOT_TABLE_NUMBER_BYTES]; /* "?" without an upper end; "": none */
} spot_table_parts_t;

/* In the unit of people. -0 is 0. */
void spot_table_parts(const spot_table_t *self, size_t row_id, size_t column_id, int num_decimals,
    spot_table_parts_t *parts);

/* Decimals that line up: two digits of the narrowest interval of the column, or less
 * where that is silly for the widest; -1: as many as a number takes. */
int spot_table_column_decimals(const spot_table_t *self, size_t column_id);

/* ---- For programs: CSV and JSON ---- */

/* A table for programs: CSV and JSON, with numbers that read back exactly and without
 * marks, remarks and notes. */

/* The names of columns, then a line a row; what is unknown or not said is empty. Error
 * of the table, IO. */
SPOT_MUST_CHECK int spot_table_write_csv(const spot_table_t *self, FILE *out);

/* Each row as an object in the array or line that is open: names of columns and values;
 * null for what is unknown, nothing for what is not said. Error of the table. */
SPOT_MUST_CHECK int spot_table_write_json(const spot_table_t *self, spot_json_t *json);
