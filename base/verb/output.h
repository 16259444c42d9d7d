/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What verbs write: text for people with lines that fit the terminal, or bytes for
 * programs. A file appears whole or not at all. */
#pragma once

#include <stdbool.h>

#include "base/outfile.h"
#include "base/verb/chart.h"
#include "base/verb/document.h"
#include "base/verb/table.h"

/* Where the answer of a verb goes and in which form, as its options say. */
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

/* Whether the locale is one of UTF-8. */
bool spot_terminal_is_utf8(void);

/* Whether a name ends so, such as in ".gz". */
bool spot_has_suffix(const char *path, const char *suffix);

/* Starts an answer, or the bytes of a file, compressed if it ends in .gz. Returns the
 * stream, NULL after an error. */
FILE *spot_output_begin(spot_output_t *self, const spot_target_t *target, spot_diag_t *diag);
FILE *spot_output_bytes(spot_output_t *self, const char *path, spot_diag_t *diag);

/* error: of what wrote to the stream. Returns the first error, with the reason in diag:
 * IO, NO_MEMORY. */
SPOT_MUST_CHECK int spot_output_end(spot_output_t *self, int error);

/* ---- Tables and pictures ---- */

struct spot_recording_view; /* sim/bench/engine/series.h */

/* How people see what a verb has to say: the forms are those of reports. Set once, before the first
 * verb is run. */
typedef struct {
    int (*table)(const spot_table_t *table, const spot_terminal_t *terminal, FILE *out);
    void (*document)(spot_document_t *self, const spot_terminal_t *terminal, FILE *out);
    int (*chart)(spot_chart_t *chart, FILE *out); /* as SVG */
    /* A recording as a page, or as a Chrome trace. */
    int (*recording)(const struct spot_recording_view *view, bool is_trace, const char *path,
        FILE *out, spot_diag_t *diag);
    /* A line of a list: what has a name, and what it is. */
    void (*item)(const char *name, const char *text, FILE *out);
} spot_dialects_t;

void spot_output_set_dialects(const spot_dialects_t *known);

/* Writes a table for people. Error of the table, IO. */
SPOT_MUST_CHECK int spot_output_put_table(
    const spot_table_t *table, const spot_terminal_t *terminal, FILE *out);

void spot_output_put_item(const char *name, const char *text, FILE *out);

/* Begins a document for people; the terminal and the stream must outlive it. */
void spot_output_document(spot_document_t *self, const spot_terminal_t *terminal, FILE *out);

/* Writes a recording as a self-contained page, or as a Chrome trace. path is what messages call it.
 * BAD_PARAM with the reason in diag: there is nothing to draw; NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_output_recording(const struct spot_recording_view *view, bool is_trace,
    const char *path, FILE *out, spot_diag_t *diag);

/* Writes a chart as SVG, or declares it and writes its file, which appears whole or not at all. The
 * error of declare, NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_output_chart(spot_chart_t *chart, FILE *out);
SPOT_MUST_CHECK int spot_output_picture(
    spot_declare_t declare, const void *context, const char *path, spot_diag_t *diag);

/* A verb whose results are tables (base/verb/table.h) fills them and ends with
 * spot_output_tables(), which frees them. All calls: IO, NO_MEMORY. */

/* Writes a file whole, what is a parameter of write; "-" is standard output. IO,
 * NO_MEMORY. */
SPOT_MUST_CHECK int spot_output_write(spot_diag_t *diag, const char *path,
    void (*write)(const void *what, FILE *out), const void *what);

/* What a verb has learned: writes the file of path, unless it is NULL, then prints
 * the tables, unless the file is standard output: below each other, or as one object
 * with an array of rows for each, by its name. Frees the tables. NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_output_tables(spot_diag_t *diag, const spot_target_t *target,
    const char *path, void (*write)(const void *what, FILE *out), const void *what,
    size_t num_tables, spot_table_t *tables);

/* Writes a table as CSV; it and the stream keep their errors. For the calls above. */
void spot_output_put_csv(const void *table, FILE *out);

/* A CSV file of a table. IO, NO_MEMORY. */
SPOT_MUST_CHECK int spot_output_csv(spot_diag_t *diag, const char *path, const spot_table_t *table);
