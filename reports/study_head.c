/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/study_head.h"

#include "reports/study_words.h"

#define TITLE_CHARS 84
#define TITLE_TOP_PX 30.0
#define TITLE_LINE_PX 25.0
#define FOOT_PX 14.0

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
spot_study_head_draw_note(
    const spot_figure_t *figure, const spot_study_head_t *head, const char *note)
{
    spot_figure_paragraph(figure, SPOT_STUDY_MARGIN_PX, TITLE_TOP_PX, SPOT_TEXT_TITLE,
        TITLE_CHARS, spot_study_title(head));
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
