/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A picture of a trace: FOLDER/NAME-WHAT.svg, with the points that it shows as
 * FOLDER/NAME-WHAT.csv (8 significant digits, empty = undefined, times in s). The folder is made
 * if only its last part is missing; NAME is made safe. Where there is too little to draw, the
 * points are there all the same: a warning in diag and no error.
 *
 * This is the picture while it is made: a function begins it, declares its chart, fills the table
 * of what it shows, and ends it, which writes both files. Words and axes that several pictures
 * have are here too. The pictures are in picture_durations.h and picture_population.h. */
#pragma once

#include "base/verb/chart.h"
#include "base/verb/document.h"
#include "base/verb/table.h"
#include "traces/describe/sample.h"
#include "traces/laws/law.h"
#include "traces/trace.h"

typedef struct {
    spot_chart_t *chart;
    spot_table_t data;   /* its CSV */
    spot_texts_t texts;  /* of whoever declares it */
    const char *problem; /* why nothing can be drawn, or NULL */
    int error;           /* the first one */
} spot_trace_picture_t;

/* columns: names of those of the CSV, up to NULL. False: no memory, there is no chart to
 * declare; end self all the same. */
bool spot_trace_picture_begin(spot_trace_picture_t *self, const char *const *columns);

/* Makes the folder, if only the last part of its path is missing, writes
 * FOLDER/NAME-WHAT.csv and draws FOLDER/NAME-WHAT.svg. With a problem the picture is not
 * drawn, and one that was there is removed, so that none stands beside points that are
 * not its own: a warning. Frees self. The first error; IO, NO_MEMORY with the reason in
 * diag. */
SPOT_MUST_CHECK int spot_trace_picture_end(spot_trace_picture_t *self, const char *folder,
    const char *name, const char *what, spot_diag_t *diag);

/* A point of a curve; its error is that of self. */
void spot_trace_picture_point(spot_trace_picture_t *self, spot_curve_t *curve, double x, double y);

/* Rows of data: the name of a series, if there is one, x / unit, y. */
void spot_trace_picture_rows(
    spot_trace_picture_t *self, const char *series, const spot_curve_t *curve, double unit);

/* A row of data: a series and its numbers. */
void spot_trace_picture_row(
    spot_trace_picture_t *self, const char *series, size_t num_values, const double *values);

/* A curve as a series: factor times y, and no less than least, so that a fall to 0 goes
 * below a logarithmic panel. */
void spot_trace_picture_curve(spot_trace_picture_t *self, const spot_chart_series_t *series,
    const spot_curve_t *curve, double factor, double least);

/* The median of the replications of a model. */
extern const spot_chart_series_t spot_trace_picture_median;

/* Where the replications of a model lie. */
typedef struct {
    size_t num_replications; /* 0: no band */
    size_t num_times;
    const double *time_s; /* [num_times] increasing, from each until the next one */
    const double *low;    /* [num_times] 5 % of the replications are lower */
    const double *median;
    const double *high; /* [num_times] 5 % are higher */
} spot_model_band_t;

/* What a band is called. */
#define SPOT_TRACE_BAND_NAME "A: 5–95 % of replications"

/* "running", or "obtainable" for kind availability. */
const char *spot_trace_population_word(spot_trace_kind_t kind);
