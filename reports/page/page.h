/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One self-contained HTML page of a study: question and answer, pictures, tables, where
 * it comes from. It works offline, needs no script for its tables and static pictures,
 * and fetches nothing. */
#pragma once

#include <stdio.h>

#include "base/error.h"
#include "reports/draw.h"
#include "reports/report.h"
#include "reports/side_by_side.h"
#include "reports/table/document.h"

/* What stands at the head of a page: a section and a picture. */
typedef struct {
    void (*write)(const void *context, spot_document_t *document);
    spot_declare_t declare;
    const void *context; /* of both */
} spot_page_preface_t;

typedef struct {
    const char *path; /* of the store, as the user named it; for messages */
    const spot_report_t *report;
    const spot_page_preface_t *preface; /* in place of the answer of the study and of its
                                           main picture; NULL: these */
} spot_page_source_t;

/* Writes the page. Errors of reading the store, NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_page_write(const spot_page_source_t *source, FILE *out);

/* The page of two stores side by side: what differs between the studies and what comes
 * of that in a sentence, pictures of the main metric, a table for each metric, the main
 * one first, and the points that only one has; of these and of the rows of a table
 * SPOT_PAGE_STATIC_ROWS at most, the others are counted; then where each store comes
 * from, and how to repeat it. Errors of reading the stores, NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_page_side_by_side_write(const spot_side_by_side_t *two, FILE *out);
