/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A picture with a row for each of some things, whose names stand at its left. Internal
 * to reports. */
#ifndef SPOT_REPORTS_NAMED_ROWS_H
#define SPOT_REPORTS_NAMED_ROWS_H

#include "reports/figure.h"
#include "reports/study_words.h"

typedef struct {
    size_t num_rows;
    double gap_px; /* between a name and its row */
    /* What a row is called; context is the one below. */
    void (*words)(const void *context, size_t row_id, char text[SPOT_POINT_BYTES]);
    const void *context;
} spot_named_rows_t;

/* The place of the rows, row_px high each, with room for the longest name; y counts them
 * downwards. */
spot_panel_t spot_named_rows_panel(const spot_named_rows_t *self, double top_px,
    double row_px, double x_low, double x_high);

/* The name of a row, its middle at y_px. */
void spot_named_rows_name(const spot_named_rows_t *self, const spot_figure_t *figure,
    const spot_panel_t *panel, size_t row_id, double y_px);

/* The names of all rows, each in the middle of its own. */
void spot_named_rows_names(const spot_named_rows_t *self, const spot_figure_t *figure,
    const spot_panel_t *panel);

/* Lines across the rows, where ticks of x are. */
void spot_named_rows_grid(const spot_figure_t *figure);

#endif
