/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/study_head.h"

#include <math.h>

#include "reports/study_words.h"

#define TITLE_CHARS 84
#define TITLE_TOP_PX 30.0
#define TITLE_LINE_PX 25.0
#define FOOT_PX 14.0
#define PANELS_LEFT_PX 64.0
#define MAX_COLUMNS 3

static double
note_px(const spot_study_head_t *head)
{
    return TITLE_TOP_PX + TITLE_LINE_PX * (double) spot_figure_num_lines(
                                              spot_study_title(head), TITLE_CHARS);
}

double
spot_study_head_px(const spot_study_head_t *head)
{
    return note_px(head) + FOOT_PX;
}

void
spot_study_head_draw_title(const spot_figure_t *figure, const spot_study_head_t *head)
{
    spot_figure_paragraph(figure, SPOT_STUDY_MARGIN_PX, TITLE_TOP_PX, SPOT_TEXT_TITLE,
        TITLE_CHARS, spot_study_title(head));
}

void
spot_study_head_draw_note(
    const spot_figure_t *figure, const spot_study_head_t *head, const char *note)
{
    spot_study_head_draw_title(figure, head);
    spot_figure_text(figure, SPOT_STUDY_MARGIN_PX, note_px(head), SPOT_TEXT_NOTE,
        SPOT_ALIGN_LEFT, note);
}

void
spot_study_head_draw(
    const spot_figure_t *figure, const spot_curves_t *curves, size_t num_panels)
{
    char note[SPOT_NOTE_BYTES];

    spot_study_note(curves, num_panels, note);
    spot_study_head_draw_note(figure, curves->head, note);
}

void
spot_study_round_x_ticks(const spot_figure_t *figure, const spot_panel_t *panel)
{
    const spot_scale_t scale = spot_scale_around(panel->x_low, panel->x_high, 8);

    fputs("set xtics ()\n", figure->out);
    for (int j = 0; scale.low + j * scale.step <= panel->x_high; j++) {
        const double x = scale.low + j * scale.step;

        if (x >= panel->x_low) {
            fprintf(figure->out, "set xtics add ('%.4g' %.10g)\n", x, x);
        }
    }
}

spot_scale_t
spot_study_y_scale(const spot_curves_t *curves, size_t num_panels, double factor)
{
    double low, high;

    if (!spot_curves_range(curves, num_panels, &low, &high)) {
        low = 0;
        high = 1;
    }
    if (curves->num_parts > 0 || (low >= 0 && low <= 0.5 * high)) {
        low = fmin(low, 0);
    }
    return spot_scale_around(low * factor, high * factor, 6);
}

size_t
spot_study_num_columns(size_t num_panels)
{
    const size_t num_most = num_panels == 4 ? 2 : MAX_COLUMNS;

    return num_panels < num_most ? num_panels : num_most;
}

static double
row_px(const spot_study_grid_t *self)
{
    return self->head_px + self->panel_px + self->foot_px;
}

spot_panel_t
spot_study_panel(const spot_study_grid_t *self, size_t panel_id)
{
    const double num_columns = (double) self->num_columns;
    const double column = (double) (panel_id % self->num_columns);
    const double row = (double) (panel_id / self->num_columns);
    const double width_px =
        (SPOT_STUDY_WIDTH_PX - PANELS_LEFT_PX - self->right_px - SPOT_STUDY_MARGIN_PX -
            (num_columns - 1) * self->gap_px) /
        num_columns;

    return (spot_panel_t){
        .left_px = PANELS_LEFT_PX + column * (width_px + self->gap_px),
        .top_px = self->top_px + row * row_px(self) + self->head_px,
        .width_px = width_px,
        .height_px = self->panel_px,
        .x_low = self->x_low,
        .x_high = self->x_high,
        .y = self->y,
    };
}

double
spot_study_grid_px(const spot_study_grid_t *self)
{
    const size_t num_rows =
        (self->num_panels + self->num_columns - 1) / self->num_columns;

    return self->top_px + row_px(self) * (double) num_rows;
}
