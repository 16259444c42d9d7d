/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the pages of this room share. Internal to reports/page. */
#pragma once

#include "base/json.h"
#include "reports/draw.h"
#include "reports/markup/html.h"
#include "reports/page/page.h"
#include "reports/run_series.h"
#include "reports/study_pictures.h"
#include "reports/table/document.h"
#include "sim/bench/store/origin.h"
#include "sim/bench/store/series_rows.h"

typedef struct {
    const spot_page_source_t *source;
    const spot_report_t *report;
    const spot_study_head_t *head;
    const spot_origin_t *origin;      /* as read once */
    const spot_series_list_t *series; /* the same */
    spot_document_t *document;
    FILE *out; /* of the document */
} spot_page_t;

/* ---- Parts; path: of the store, as the user named it. Errors are the document's ----
 */

/* All sections in order, with links to them behind the first one. */
void spot_page_sections_write(const spot_page_t *page);

/* What a section says below its heading and picture. False: the study has none of that
 * name. */
bool spot_page_part_write(const spot_page_t *page, const char *name);

/* What makes results doubtful: one line with their number, which opens. Nothing where
 * there is none. */
void spot_page_doubts_write(const spot_page_t *page);

/* Single runs over time, of a store that keeps some. */
void spot_page_timelines_write(const spot_page_t *page);

/* What a run has beside lanes over time: the member "spans" of an open object, a table
 * of what spans are coloured by, and, for one of several runs, its distributions and its
 * tables that are shown. NO_MEMORY. */
SPOT_MUST_CHECK int spot_page_spans_write(
    const spot_spans_t *spans, size_t max_pieces, spot_json_t *json, FILE *out);
void spot_page_span_table_write(const spot_run_series_t *run, spot_document_t *document);
void spot_page_run_more_write(
    const spot_run_series_t *run, size_t run_id, spot_document_t *document);

/* The scenario as it was fixed. */
void spot_page_fixed_write(const char *path, const spot_study_head_t *head,
    const spot_origin_t *origin, spot_document_t *document);

/* Provenance, and how to repeat the study and its page; the second: of two stores, each
 * in a section of its own, and how to repeat the page of both. */
void spot_page_origin_write(
    const char *path, const spot_origin_t *origin, spot_document_t *document);
void spot_page_origins_write(
    const char *const paths[2], const spot_origin_t origins[2], spot_document_t *document);

/* What page.js draws from: one JSON object in an element that is no script. */
void spot_page_data_write(const spot_report_t *report, spot_document_t *document);

/* JSON for the scripts, whose texts go without what cannot be seen, as scripts put them
 * on a canvas and into menus, where no element keeps a direction to itself: a blank
 * takes its place. No text may end the element or open a comment in it: < stands in
 * texts only. */
void spot_page_json_escaped(FILE *out, const char *text);

/* A static picture: it needs no script and prints well. */
typedef struct {
    const char *name;  /* id of its section, ours; NULL: it has none of its own */
    const char *title; /* NULL: that of the declaration, which says what it shows */
    const char *text;  /* in place of it where it is not seen; NULL: that of the declaration */
    spot_declare_t declare;
    const void *context; /* of declare */
} spot_page_picture_t;

void spot_page_picture_write(const spot_page_picture_t *picture, spot_document_t *document);

/* Rows of points that stand in the page itself; of more points the script shows the
 * others from its data. */
#define SPOT_PAGE_STATIC_ROWS 500

/* ---- The frame of a page ---- */

/* Bytes of one of the files below. */
typedef struct {
    const char *start;
    const char *end;
} spot_page_asset_t;

/* A page is written into memory up to its scripts, for its head says what it has: one
 * style, with the colours of its pictures, and scripts, which are all that browsers may
 * take and run. */
typedef struct {
    FILE *body; /* of the page, from the heading on; NULL: no memory */
    char *text;
    size_t num_bytes;
    const char *title; /* borrowed */
} spot_page_frame_t;

/* Begins the header with the heading, which may be written from right to left. Returns
 * the stream of the body. The title must outlive self. NO_MEMORY. */
SPOT_MUST_CHECK int spot_page_frame_begin(spot_page_frame_t *self, const char *title, FILE **body);

/* Writes the page to out, unless ret, what making it has returned, is an error; frees
 * self. Returns ret, NO_MEMORY or IO. */
SPOT_MUST_CHECK int spot_page_frame_end(spot_page_frame_t *self, int ret,
    const spot_page_asset_t *scripts, size_t num_scripts, FILE *out);

/* Files of the page, made part of the program when it is built. */
extern const char spot_page_css[], spot_page_css_end[];
extern const char spot_page_base_js[], spot_page_base_js_end[];
extern const char spot_page_js[], spot_page_js_end[];
extern const char spot_page_explorer_js[], spot_page_explorer_js_end[];
extern const char spot_page_table_js[], spot_page_table_js_end[];
extern const char spot_page_lanes_js[], spot_page_lanes_js_end[];
extern const char spot_page_timeline_js[], spot_page_timeline_js_end[];
extern const char spot_page_chart[], spot_page_chart_end[]; /* Chart.js */
