/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stands above the panels of a picture of a study, and the frame they share. */
#ifndef SPOT_REPORTS_STUDY_HEAD_H
#define SPOT_REPORTS_STUDY_HEAD_H

#include "reports/figure.h"
#include "reports/study_curves.h"

#define SPOT_STUDY_WIDTH_PX 900.0
#define SPOT_STUDY_MARGIN_PX 24.0
#define SPOT_STUDY_CHAR_PX 7.2 /* of labels, on average */

/* Height of what spot_study_head_draw() draws. */
double spot_study_head_px(const spot_study_head_t *head);

/* The title alone. */
void spot_study_head_draw_title(
    const spot_figure_t *figure, const spot_study_head_t *head);

/* The title, and below it what was run. */
void spot_study_head_draw(
    const spot_figure_t *figure, const spot_curves_t *curves, size_t num_panels);

/* The same with a note of the caller's. */
void spot_study_head_draw_note(
    const spot_figure_t *figure, const spot_study_head_t *head, const char *note);

/* Round numbers below a panel. */
void spot_study_round_x_ticks(const spot_figure_t *figure, const spot_panel_t *panel);

/* Around the values and intervals of the first num_panels panels of curves, times
 * factor; from 0, unless a curve alone would hide in a corner. */
spot_scale_t spot_study_y_scale(
    const spot_curves_t *curves, size_t num_panels, double factor);

/* Panels of one size in rows. */
typedef struct {
    size_t num_panels;
    size_t num_columns;
    double gap_px;                     /* between columns */
    double right_px;                   /* free at the right of all */
    double top_px;                     /* of the first row */
    double head_px, panel_px, foot_px; /* of a row, from its top */
    double x_low, x_high;              /* of each panel, as y */
    spot_scale_t y;
} spot_study_grid_t;

/* Three columns at most, and two for four panels. */
size_t spot_study_num_columns(size_t num_panels);

spot_panel_t spot_study_panel(const spot_study_grid_t *self, size_t panel_id);

/* Where the last row ends. */
double spot_study_grid_px(const spot_study_grid_t *self);

#endif
