/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One self-contained HTML page of a study: question and answer, pictures, tables, where
 * it comes from. It works offline, needs no script for its tables and static pictures, and
 * fetches nothing.
 *
 * spot_page_write() takes a report that was read (reports/report.h); what is in the page comes
 * from it and its store alone. Single runs are in reports/page/page_timeline.h, what all pages are
 * made of in reports/page/page_parts.h. */
#pragma once

#include <stdio.h>

#include "base/error.h"
#include "reports/draw.h"
#include "reports/report.h"
#include "reports/table/document.h"
#include "sim/bench/store/origin.h"
#include "sim/bench/store/series_rows.h"

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

/* ---- Parts of a page, each alone. Errors are the document's ---- */

typedef struct {
    const spot_page_source_t *source;
    const spot_report_t *report;
    const spot_study_head_t *head;
    const spot_origin_t *origin;      /* as read once */
    const spot_series_list_t *series; /* the same */
    spot_document_t *document;
    FILE *out; /* of the document */
} spot_page_t;

/* What a section says below its heading and picture. False: the study has none of that
 * name. */
bool spot_page_part_write(const spot_page_t *page, const char *name);

/* What makes results doubtful: one line with their number, which opens. Nothing where
 * there is none. */
void spot_page_doubts_write(const spot_page_t *page);

/* What page.js draws from: one JSON object in an element that is no script. */
void spot_page_data_write(const spot_report_t *report, spot_document_t *document);
