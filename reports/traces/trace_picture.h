/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the pictures of traces share: their files, and words and axes that several of
 * them have. Internal to the room. */
#pragma once

#include "base/diag.h"
#include "base/error.h"
#include "reports/curve.h"
#include "reports/draw.h"

/* A picture and its points; context is handed to both. */
typedef struct {
    const char *folder;
    const char *name;    /* of the trace */
    const char *sample;  /* "preempt-gap", which comes before what; NULL: none */
    const char *what;    /* of the picture: "availability" */
    const char *problem; /* why nothing can be drawn, or NULL */
    void (*write_points)(const void *context, FILE *out); /* the CSV */
    spot_declare_t declare;
    const void *context;
} spot_trace_picture_t;

/* Makes the folder, if only the last part of its path is missing, writes
 * FOLDER/NAME-WHAT.csv and draws FOLDER/NAME-WHAT.svg. With a problem the picture is not
 * drawn, and one that was there is removed, so that none stands beside points that are
 * not its own: a warning. IO, NO_MEMORY with the reason in diag. */
SPOT_MUST_CHECK int spot_trace_picture_make(
    const spot_trace_picture_t *self, spot_diag_t *diag);

/* A panel of durations in s against the share in percent that is longer, both axes
 * logarithmic; low_share (0 to 1) is where the latter starts. */
void spot_trace_picture_survival_panel(
    spot_chart_t *chart, double low_s, double high_s, double low_share);

/* The data of such a panel: x in s and y as a share. A fall to 0 goes below the panel,
 * whose shares start at low_share. */
void spot_trace_picture_add_survival(
    spot_chart_t *chart, const spot_curve_t *curve, double low_share);

/* The rows of a CSV "series,x,y" of a curve, x divided by unit; tail ends each row. */
void spot_trace_picture_write_curve(const char *series, const spot_curve_t *curve,
    double unit, const char *tail, FILE *out);

/* A duration in words of two or three digits: "90 s", "4 min", "1.25 h". */
#define SPOT_DURATION_WORDS_BYTES 32
void spot_duration_words(double duration_s, char words[SPOT_DURATION_WORDS_BYTES]);
