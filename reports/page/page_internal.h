/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a page, one file each: page_<part>.c. Internal to reports/page. */
#pragma once

#include "reports/draw.h"
#include "reports/markup/html.h"
#include "reports/page/page.h"
#include "reports/study_pictures.h"
#include "sim/analysis/completeness.h"
#include "sim/store/origin.h"
#include "sim/store/series_rows.h"

typedef struct {
    const spot_page_source_t *source;
    const spot_report_t *report;
    const spot_study_head_t *head;
    const spot_origin_t *origin;      /* as read once */
    const spot_series_list_t *series; /* the same */
    spot_completeness_t completeness;
    FILE *out;
    spot_diag_t *diag;
    const char
        *side; /* "a", in ids, of a store beside another one; NULL: there is one */
} spot_page_t;

/* A part under a heading of its own. */
typedef struct {
    const char *name; /* id of its place: "points" */
    const char *title;
    /* Why the study has no such part; NULL: it has. */
    const char *(*problem)(const spot_page_t *page);
    int (*write)(const spot_page_t *page);
} spot_page_part_t;

extern const spot_page_part_t spot_page_race;        /* of the best point */
extern const spot_page_part_t spot_page_winners;     /* which value is best where */
extern const spot_page_part_t spot_page_sensitivity; /* Sobol indices */
extern const spot_page_part_t spot_page_parameters;  /* varied and fixed; metrics */
extern const spot_page_part_t spot_page_points;    /* the table that sorts and filters */
extern const spot_page_part_t spot_page_timelines; /* of single replications */
extern const spot_page_part_t spot_page_differences; /* paired, to the baseline */
extern const spot_page_part_t spot_page_origin;      /* provenance, how to repeat it */

/* What makes results doubtful: one line with their number, which opens. Nothing where
 * there is none. NO_MEMORY. */
SPOT_MUST_CHECK int spot_page_doubts_write(const spot_page_t *page);

/* spot_page_origin of each of two stores, which have sides, and how to repeat the page
 * of both. Needs of a page: source, origin, out, side. NO_MEMORY. */
SPOT_MUST_CHECK int spot_page_origin_of_two(const spot_page_t pages[2]);

/* One of reports/study_pictures.h by name; NULL: the study has no such picture.
 */
const spot_study_picture_t *spot_page_find_picture(const spot_page_t *page, const char *name);

/* Writes a picture that was found: as a section of its own (level 2), or below the
 * heading of one (3). NO_MEMORY, errors of the declaration. */
SPOT_MUST_CHECK int spot_page_study_picture(
    const spot_page_t *page, const char *name, int level);

/* A static picture with a heading of its own. */
typedef struct {
    const char *name;  /* id of its place, ours */
    const char *title; /* NULL: that of the declaration, which says what it shows */
    const char *text;  /* for those who do not see it; NULL: that of the declaration */
    spot_declare_t declare;
    const void *context; /* of declare */
} spot_page_picture_t;

/* In a section with its title. NO_MEMORY, errors of the
 * declaration. */
SPOT_MUST_CHECK int spot_page_picture_write(
    const spot_page_picture_t *picture, FILE *out);

/* The scenario as it was fixed, a part of spot_page_parameters. NO_MEMORY. */
SPOT_MUST_CHECK int spot_page_fixed_write(const spot_page_t *page);

/* What page.js draws from: one JSON object in an element that is no script. */
SPOT_MUST_CHECK int spot_page_data_write(const spot_page_t *page);

/* Rows of points that stand in the page itself; of more points the script shows the
 * others from its data. */
#define SPOT_PAGE_STATIC_ROWS 500

/* The same of tables with a cell for each metric that was asked for: fewer where these
 * are many, so that a page stays small. */
size_t spot_page_static_rows(const spot_study_head_t *head);

/* Up to the start of the body: title, style, and that nothing may be fetched. */
void spot_page_head_write(FILE *out, const char *title);

/* A script from the bytes of one of the files below. */
void spot_page_script_write(FILE *out, const char *start, const char *end);

/* Files of the page, made part of the program when it is built. */
extern const char spot_page_css[], spot_page_css_end[];
extern const char spot_page_base_js[], spot_page_base_js_end[];
extern const char spot_page_js[], spot_page_js_end[];
extern const char spot_page_explorer_js[], spot_page_explorer_js_end[];
extern const char spot_page_table_js[], spot_page_table_js_end[];
extern const char spot_page_sort_js[], spot_page_sort_js_end[];
extern const char spot_page_timeline_js[], spot_page_timeline_js_end[];
extern const char spot_page_chart[], spot_page_chart_end[]; /* Chart.js */
