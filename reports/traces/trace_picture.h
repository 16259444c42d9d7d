/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the pictures of traces share: their files, their head and the places of their
 * panels. Internal to the room. */
#ifndef SPOT_REPORTS_TRACES_TRACE_PICTURE_H
#define SPOT_REPORTS_TRACES_TRACE_PICTURE_H

#include "base/diag.h"
#include "base/error.h"
#include "reports/figure.h"
#include "reports/gnuplot.h"

#define SPOT_PICTURE_WIDTH_PX 900.0
#define SPOT_PICTURE_LEFT_PX 64.0
#define SPOT_PICTURE_RIGHT_PX 224.0 /* room for labels */
#define SPOT_PICTURE_MARGIN_PX 24.0
#define SPOT_PICTURE_TOP_PX 32.0     /* above a panel: the name of y */
#define SPOT_PICTURE_FOOT_PX 58.0    /* below a panel: ticks and the name of x */
#define SPOT_PICTURE_LABEL_CHARS 23  /* that fit into the room for labels */
#define SPOT_PICTURE_TEXT_BYTES 1024 /* of a title or a note */

/* A picture and its points; context is handed to both writers. */
typedef struct {
    const char *folder;
    const char *name;    /* of the trace */
    const char *what;    /* of the picture: "availability" */
    const char *problem; /* why nothing can be drawn, or NULL */
    void (*write_points)(const void *context, FILE *out); /* the CSV */
    spot_gnuplot_script_t write_script;
    const void *context;
} spot_trace_picture_t;

/* Makes the folder, if only the last part of its path is missing, writes
 * FOLDER/NAME-WHAT.csv and draws FOLDER/NAME-WHAT.svg. With a problem the picture is not
 * drawn, and one that was there is removed, so that none stands beside points that are
 * not its own: a warning. IO, NO_MEMORY, CHILD with the reason in diag; after CHILD the
 * points are there. */
SPOT_MUST_CHECK int spot_trace_picture_make(
    const spot_trace_picture_t *self, spot_diag_t *diag);

/* Starts a figure of body_px and what the head takes; draws title and note. Returns
 * where the body begins. */
double spot_trace_picture_begin(spot_figure_t *figure, FILE *out,
    const char *picture_path, const char *title, const char *note, double body_px);

/* The panel between the rooms for labels. */
spot_panel_t spot_trace_picture_panel(
    double top_px, double height_px, double x_low, double x_high, spot_scale_t y);

/* "A: block": the label of a curve, its name cut to what fits beside the panel. */
spot_end_label_t spot_trace_picture_end_label(
    char letter, const char *name, const char *colour, double y_px);

/* The names of the axes: above the ticks of y, below those of x. */
void spot_trace_picture_axis_names(const spot_figure_t *figure,
    const spot_panel_t *panel, const char *x_name, const char *y_name);

#endif
