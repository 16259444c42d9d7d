/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What all pages are made of: the frame with its style and scripts, static pictures, JSON for the
 * scripts.
 *
 * A page begins with spot_page_frame_begin(), writes its body to the stream, most of it through a
 * document (reports/table/document.h), and ends with spot_page_frame_end(), which writes it out.
 * Internal to reports/page. */
#pragma once

#include <stdio.h>

#include "reports/draw.h"
#include "reports/table/document.h"

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

extern const char spot_page_base_js[], spot_page_base_js_end[];
extern const char spot_page_js[], spot_page_js_end[];
extern const char spot_page_explorer_js[], spot_page_explorer_js_end[];
extern const char spot_page_table_js[], spot_page_table_js_end[];
extern const char spot_page_lanes_js[], spot_page_lanes_js_end[];
extern const char spot_page_timeline_js[], spot_page_timeline_js_end[];
extern const char spot_page_chart[], spot_page_chart_end[]; /* Chart.js */

/* ---- Parts ---- */

/* A static picture: it needs no script and prints well. */
typedef struct {
    const char *name;  /* id of its section, ours; NULL: it has none of its own */
    const char *title; /* NULL: that of the declaration, which says what it shows */
    spot_declare_t declare;
    const void *context; /* of declare */
} spot_page_picture_t;

void spot_page_picture_write(const spot_page_picture_t *picture, spot_document_t *document);

/* JSON for the scripts, whose texts go without what cannot be seen, as scripts put them
 * on a canvas and into menus, where no element keeps a direction to itself: a blank
 * takes its place. No text may end the element or open a comment in it: < stands in
 * texts only. */
void spot_page_json_escaped(FILE *out, const char *text);
