/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a table from a CSV file by a description of its columns: remarks, a row of
 * column names, then rows; reports all errors in one pass. Internal to models. */
#pragma once

#include <stdint.h>

#include "base/csv.h"

#define SPOT_TABLE_FILE_MAX_COLUMNS 64

typedef enum {
    SPOT_CELL_INTEGER, /* int64_t */
    SPOT_CELL_COUNT,   /* the same, int32_t */
    SPOT_CELL_NUMBER,  /* double */
    SPOT_CELL_ROUNDED, /* a number, as int64_t */
    SPOT_CELL_SECONDS, /* double above 0, at most 100 years */
    SPOT_CELL_MS,      /* seconds from 0 to 100 years, as int64_t ms */
    SPOT_CELL_WORD,    /* bool: one of two words, the second one */
    SPOT_CELL_TEXT,    /* const char *, valid until the next row */
    SPOT_CELL_IGNORED
} spot_table_file_kind_t;

typedef struct {
    const char *name;
    spot_table_file_kind_t kind;
    size_t offset;   /* in the struct of a row */
    double min, max; /* inclusive, of integers and numbers */
    /* The problem of another value; of an integer its noun, NULL: "an integer". */
    const char *expected;
    bool is_optional;
    bool may_be_empty; /* and leaves 0 then */
    const char *const *words;
} spot_table_file_column_t;

/* A column by the member of the struct of a row; designators of more may follow. */
#define SPOT_TABLE_COLUMN(kind_, name_, row_type, member, ...)                          \
    {                                                                                   \
        .name = name_, .kind = SPOT_CELL_##kind_, .offset = offsetof(row_type, member), \
        __VA_ARGS__                                                                     \
    }

/* A remark before the columns such as "# layers: 24", an integer from 1 to 10^12. */
typedef struct {
    const char *key;
    size_t offset; /* of an int64_t in the table */
} spot_table_file_remark_t;

typedef struct spot_table_file spot_table_file_t;

typedef struct {
    size_t num_columns;
    const spot_table_file_column_t *columns; /* [num_columns] */
    const char *layout;                      /* for messages: "D,P,step_ms[,origin]" */
    bool is_any_order;
    /* In any order: unknown columns are left out with a warning, and the error of
     * missing ones names them; layout is not needed. */
    bool ignores_others;
    bool needs_columns; /* an error before the row of columns ends the reading */
    const spot_table_file_remark_t *remarks; /* up to one without a key; NULL: none */
    size_t row_bytes;                        /* of its struct */
    /* Takes a row whose fields are good. */
    int (*take)(spot_table_file_t *file, const spot_csv_row_t *row, const void *values);
    void (*seal)(spot_table_file_t *file, size_t end_line); /* after the last line */
} spot_table_file_format_t;

/* A table that is being read. Set the first members, and zero the rest. */
struct spot_table_file {
    const spot_table_file_format_t *format;
    const char *path;
    spot_diag_t *diag;
    void *table;
    size_t num_fields; /* of each row; 0: columns are not known yet */
    size_t kinds[SPOT_TABLE_FILE_MAX_COLUMNS]; /* [num_fields] columns of the format */
    bool has[SPOT_TABLE_FILE_MAX_COLUMNS];     /* by column */
    bool is_faulty;                            /* an error has been reported */
    bool is_over; /* the rest cannot be checked: reading ends */
};

/* Reads all lines and seals. BAD_INPUT, IO, NO_MEMORY. */
SPOT_MUST_CHECK int spot_table_file_read(spot_table_file_t *self);

/* Reads the field of a column into the struct of a row. Returns its problem, in text of
 * that size or a constant; NULL: none. */
#define SPOT_TABLE_FILE_PROBLEM_BYTES 96
const char *spot_table_file_column_read(const spot_table_file_column_t *self,
    const char *field, void *values, char text[SPOT_TABLE_FILE_PROBLEM_BYTES]);

/* Reports a problem of a whole line, and of the field of a column. */
void spot_table_file_report(
    spot_table_file_t *self, size_t line, const char *format, ...) SPOT_PRINTF(3, 4);
void spot_table_file_report_field(spot_table_file_t *self, const spot_csv_row_t *row,
    size_t column, const char *problem);
