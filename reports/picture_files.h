/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a picture is, and its files: FOLDER/NAME-WHAT.svg with what it shows beside it as
 * FOLDER/NAME-WHAT.csv. */
#pragma once

#include "reports/draw.h"
#include "reports/table/table.h"

/* One const table each. The context of its calls is what the picture shows. */
typedef struct {
    const char *name;  /* of files and places: "curves" */
    const char *title; /* of a link to it: "Main curves"; its own says what it shows */
    /* Why it cannot be drawn, or NULL. */
    const char *(*problem)(const void *context);
    spot_declare_t declare; /* of a context without such a problem */
    /* What it shows: columns that spot_picture_column() adds, and rows. Errors of
     * finding it; those of the table stay there. */
    int (*fill)(const void *context, spot_table_t *table);
    /* The CSV of a picture that has no fill. IO, NO_MEMORY. */
    int (*write_csv)(const void *context, FILE *out);
} spot_picture_t;

/* A column of numbers with eight significant digits, or of texts. */
void spot_picture_column(spot_table_t *table, const char *format, ...) SPOT_PRINTF(2, 3);

/* What a picture shows, as CSV; undefined is empty. Errors of fill, NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_picture_csv_write(
    const spot_picture_t *self, const void *context, FILE *out);

/* Where the files of a picture are. */
typedef struct {
    const char *folder;
    const char *name; /* of the study or trace; made safe */
    const char *what; /* NULL: the name of the picture */
} spot_picture_home_t;

/* The CSV, or the picture in a format. IO, NO_MEMORY, CHILD, errors of fill and declare;
 * the reason is in diag. */
SPOT_MUST_CHECK int spot_picture_write_data(const spot_picture_t *self,
    const void *context, const spot_picture_home_t *place, spot_diag_t *diag);
SPOT_MUST_CHECK int spot_picture_draw(const spot_picture_t *self, const void *context,
    const spot_picture_home_t *place, spot_picture_format_t format, spot_diag_t *diag);

/* NAME as part of a file name: ASCII letters, digits, . _ + - and what is not ASCII
 * stay, all else is _, and so are characters that control how text is shown; cut at the
 * end of a character; never empty, hidden or an option. */
#define SPOT_PICTURE_NAME_BYTES 128
void spot_picture_file_name(const char *name, char file_name[SPOT_PICTURE_NAME_BYTES]);

/* FOLDER/NAME-WHAT.SUFFIX with NAME as above. NULL: no memory. The caller frees it. */
SPOT_MUST_CHECK char *spot_picture_path(
    const char *folder, const char *name, const char *what, const char *suffix);

/* Makes the folder, if it is not there and only the last part of its path is missing. IO
 * with the reason in diag. */
SPOT_MUST_CHECK int spot_picture_make_folder(const char *folder, spot_diag_t *diag);
