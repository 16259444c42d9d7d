/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pictures of a study: what a page shows and what goes to files for papers. One row
 * of a table each. */
#ifndef SPOT_REPORTS_STUDY_PICTURES_H
#define SPOT_REPORTS_STUDY_PICTURES_H

#include "reports/gnuplot.h"
#include "reports/report.h"

typedef struct {
    const char *name;  /* of files and places: "curves" */
    const char *title; /* over it: "Main curves" */
    /* Why it cannot be drawn of this report, or NULL. */
    const char *(*problem)(const spot_report_t *report);
    /* The script for gnuplot with its data; the context is the report. */
    spot_gnuplot_script_t write_script;
    /* What it shows, as CSV with units in its head. */
    int (*write_csv)(const spot_report_t *report, FILE *out);
    /* One or two sentences for those who do not see it. */
    void (*describe)(const spot_report_t *report, FILE *out);
} spot_study_picture_t;

/* Up to one without a name. */
extern const spot_study_picture_t spot_study_pictures[];

#endif
