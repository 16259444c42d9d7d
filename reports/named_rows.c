/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/named_rows.h"

#include <string.h>

#include "base/utf8.h"
#include "reports/palette.h"
#include "reports/study_head.h"

spot_panel_t
spot_named_rows_panel(const spot_named_rows_t *self, double top_px, double row_px,
    double x_low, double x_high)
{
    const double num_rows = (double) self->num_rows;
    char words[SPOT_POINT_BYTES];
    size_t num_longest = 1;
    double left_px;

    for (size_t j = 0; j < self->num_rows; j++) {
        size_t num_chars;

        self->words(self->context, j, words);
        num_chars = spot_utf8_count(words, strlen(words));
        num_longest = num_chars > num_longest ? num_chars : num_longest;
    }
    left_px =
        SPOT_STUDY_MARGIN_PX + SPOT_STUDY_CHAR_PX * (double) num_longest + self->gap_px;
    return (spot_panel_t){
        .left_px = left_px,
        .top_px = top_px,
        .width_px = SPOT_STUDY_WIDTH_PX - left_px - 2 * SPOT_STUDY_MARGIN_PX,
        .height_px = row_px * num_rows,
        .x_low = x_low,
        .x_high = x_high,
        .y = {num_rows, 0, num_rows},
    };
}

void
spot_named_rows_name(const spot_named_rows_t *self, const spot_figure_t *figure,
    const spot_panel_t *panel, size_t row_id, double y_px)
{
    char words[SPOT_POINT_BYTES];

    self->words(self->context, row_id, words);
    spot_figure_text(figure, panel->left_px - self->gap_px, y_px, SPOT_TEXT_LABEL,
        SPOT_ALIGN_RIGHT, words);
}

void
spot_named_rows_names(const spot_named_rows_t *self, const spot_figure_t *figure,
    const spot_panel_t *panel)
{
    for (size_t j = 0; j < self->num_rows; j++) {
        spot_named_rows_name(
            self, figure, panel, j, spot_panel_y_px(panel, (double) j + 0.5));
    }
}

void
spot_named_rows_grid(const spot_figure_t *figure)
{
    fprintf(figure->out, "unset grid\nset grid xtics back lt 1 lw 1 lc rgb '%s'\n",
        SPOT_INK_GRID);
}
