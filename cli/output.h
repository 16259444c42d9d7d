/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What commands write: text for people with lines that fit the terminal, or bytes for
 * programs. A file appears whole or not at all. */
#pragma once

#include <stdbool.h>

#include "base/assumed.h"
#include "base/outfile.h"
#include "reports/help.h"
#include "reports/table/table.h"

/* Where the answer of a command goes and in which form, as its options say. */
typedef struct {
    const char *path; /* NULL or "-": standard output */
    bool is_json;     /* else text for people */
    bool is_plain;    /* text without escape codes, as in every file */
} spot_target_t;

/* An open answer. It keeps its first error, which the end returns. */
typedef struct {
    FILE *stream;             /* write here; NULL: it could not be opened */
    spot_terminal_t terminal; /* that text is written for */
    spot_outfile_t file;
    bool is_text; /* it is kept until the end */
    bool is_late; /* and printed then */
    bool is_gzip; /* and compressed then */
    char *text;   /* written so far */
    size_t num_bytes;
    int error;
    spot_diag_t *diag;
} spot_output_t;

/* What standard output is: its width as COLUMNS says, else as the terminal does, else
 * SPOT_TERMINAL_WIDTH; colour on a terminal only, unless NO_COLOR is set and not empty
 * (no-color.org), TERM is dumb, or is_plain. */
spot_terminal_t spot_terminal_of_output(bool is_plain);

/* A document for such a terminal. */
spot_help_t spot_help_of_terminal(FILE *out);

/* Whether the locale is one of UTF-8. */
bool spot_terminal_is_utf8(void);

/* Whether a name ends so, such as in ".gz". */
bool spot_has_suffix(const char *path, const char *suffix);

/* Starts an answer, or the bytes of a file, compressed if it ends in .gz. Returns the
 * stream, NULL after an error. */
FILE *spot_output_begin(spot_output_t *self, const spot_target_t *target, spot_diag_t *diag);
FILE *spot_output_bytes(spot_output_t *self, const char *path, spot_diag_t *diag);

/* Writes what results take for granted, on top of them: one line, broken where it is
 * wider than the terminal; nothing where there is none. */
void spot_output_assumed(const spot_output_t *self, const spot_assumed_t *assumed);

/* error: of what wrote to the stream. Returns the first error, with the reason in diag:
 * IO, NO_MEMORY. */
SPOT_MUST_CHECK int spot_output_end(spot_output_t *self, int error);

/* ---- Tables ----
 *
 * A command whose results are tables (reports/table/table.h) fills them and ends with
 * spot_output_tables(), which frees them. All calls: IO, NO_MEMORY. */

/* Writes a file whole, what is a parameter of write; "-" is standard output. IO,
 * NO_MEMORY. */
SPOT_MUST_CHECK int spot_output_write(spot_diag_t *diag, const char *path,
    void (*write)(const void *what, FILE *out), const void *what);

/* What a command has learned: writes the file of path, unless it is NULL, then prints
 * the tables, unless the file is standard output: below each other, or as one object
 * with an array of rows for each, by its name. Frees the tables. NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_output_tables(spot_diag_t *diag, const spot_target_t *target,
    const char *path, void (*write)(const void *what, FILE *out), const void *what,
    size_t num_tables, spot_table_t *tables);

/* Writes a table as CSV; it and the stream keep their errors. For the calls above. */
void spot_output_put_csv(const void *table, FILE *out);

/* A CSV file of a table. IO, NO_MEMORY. */
SPOT_MUST_CHECK int spot_output_csv(spot_diag_t *diag, const char *path, const spot_table_t *table);
