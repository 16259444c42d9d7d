/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How LaTeX and Markdown write tables. Internal to reports. */
#ifndef SPOT_REPORTS_PAPER_DIALECT_H
#define SPOT_REPORTS_PAPER_DIALECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "reports/paper_table.h"

/* What is asked of a table before its head is written. */
typedef struct {
    const char *name;    /* of its file, for a label: "idle-differences" */
    const char *caption; /* plain text; NULL: the table goes on */
    const char *aligns;  /* of each column: 'l' or 'r' */
    bool is_long;        /* more rows than a page has */
} spot_paper_frame_t;

/* Cells are written between row_open, cell_gap and row_close. */
struct spot_paper_dialect {
    size_t max_chars; /* of a row, about; wider tables are split */
    const char *row_open, *cell_gap, *row_close;
    const char *mark_open, *mark_close; /* around a letter */
    const char *plus_minus;
    const char *above;       /* before a lower bound */
    const char *number_edge; /* before and behind a number */
    const char *nothing;     /* in place of a number */
    void (*text)(FILE *out, const char *text);
    void (*power)(FILE *out, const char *digits, int exponent); /* 1.2e6 */
    void (*preamble)(FILE *out);
    /* A cell of the head, in two lines; rest may be "". */
    void (*head)(FILE *out, const char *first, const char *rest, char align);
    void (*begin)(FILE *out, const spot_paper_frame_t *frame);
    void (*end_first_head)(FILE *out); /* then the head comes again: for other pages of
                                          what is long; NULL: there are no pages */
    void (*end_head)(FILE *out, const spot_paper_frame_t *frame);
    void (*end_rows)(FILE *out, const spot_paper_frame_t *frame);
    void (*begin_note)(FILE *out, bool is_first);
    void (*end_note)(FILE *out);
    void (*end)(FILE *out, const spot_paper_frame_t *frame, bool has_notes);
};

#endif
