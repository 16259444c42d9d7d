/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/traces/trace_picture.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/outfile.h"
#include "base/utf8.h"
#include "reports/picture_files.h"

#define TITLE_CHARS 90
#define NOTE_CHARS 158
#define TITLE_PX 25.0 /* a line */
#define NOTE_PX 16.0
#define HEAD_PX 44.0 /* above and below them */

static int
write_points(const spot_trace_picture_t *self, const char *path, spot_diag_t *diag)
{
    spot_outfile_t file;
    const int ret = spot_outfile_init(&file, path, diag);

    if (ret == 0) {
        self->write_points(self->context, file.stream);
    }
    return spot_outfile_close(&file, ret, diag);
}

int
spot_trace_picture_make(const spot_trace_picture_t *self, spot_diag_t *diag)
{
    char *csv_path = spot_picture_path(self->folder, self->name, self->what, "csv");
    char *svg_path = spot_picture_path(self->folder, self->name, self->what, "svg");
    int ret = SPOT_ERR_NO_MEMORY;

    if (csv_path == NULL || svg_path == NULL) {
        goto out;
    }
    ret = spot_picture_make_folder(self->folder, diag);
    if (ret == 0) {
        ret = write_points(self, csv_path, diag);
    }
    if (ret != 0) {
        goto out;
    }
    if (self->problem != NULL) {
        spot_diag_warn(diag, svg_path, 0, 0, "nothing can be drawn: %s", self->problem);
        (void) unlink(svg_path); /* most often it is not there */
        goto out;
    }
    ret = spot_gnuplot_run(self->write_script, self->context, svg_path, diag);
out:
    free(csv_path);
    free(svg_path);
    return ret;
}

double
spot_trace_picture_begin(spot_figure_t *figure, FILE *out, const char *picture_path,
    const char *title, const char *note, double body_px)
{
    const double title_px =
        TITLE_PX * (double) spot_figure_num_lines(title, TITLE_CHARS);
    const double note_px = NOTE_PX * (double) spot_figure_num_lines(note, NOTE_CHARS);
    const double head_px = HEAD_PX + title_px + note_px;

    spot_figure_begin(
        figure, out, SPOT_PICTURE_WIDTH_PX, head_px + body_px, picture_path);
    spot_figure_paragraph(
        figure, SPOT_PICTURE_MARGIN_PX, 30, SPOT_TEXT_TITLE, TITLE_CHARS, title);
    spot_figure_paragraph(
        figure, SPOT_PICTURE_MARGIN_PX, 28 + title_px, SPOT_TEXT_NOTE, NOTE_CHARS, note);
    return head_px;
}

spot_panel_t
spot_trace_picture_panel(
    double top_px, double height_px, double x_low, double x_high, spot_scale_t y)
{
    return (spot_panel_t){
        .left_px = SPOT_PICTURE_LEFT_PX,
        .top_px = top_px,
        .width_px = SPOT_PICTURE_WIDTH_PX - SPOT_PICTURE_LEFT_PX - SPOT_PICTURE_RIGHT_PX,
        .height_px = height_px,
        .x_low = x_low,
        .x_high = x_high,
        .y = y,
    };
}

spot_end_label_t
spot_trace_picture_end_label(
    char letter, const char *name, const char *colour, double y_px)
{
    spot_end_label_t label = {.colour = colour, .y_px = y_px, .swatch_px = 2};
    char shown[SPOT_UTF8_SHOWN_BYTES + 4];

    (void) spot_utf8_shown(name, shown);
    spot_figure_cut(shown, SPOT_PICTURE_LABEL_CHARS - 3);
    snprintf(label.text, sizeof(label.text), "%c: %.*s", letter,
        (int) sizeof(label.text) - 4, shown);
    return label;
}

void
spot_trace_picture_axis_names(const spot_figure_t *figure, const spot_panel_t *panel,
    const char *x_name, const char *y_name)
{
    spot_figure_text(figure, SPOT_PICTURE_MARGIN_PX, panel->top_px - 18, SPOT_TEXT_NOTE,
        SPOT_ALIGN_LEFT, y_name);
    spot_figure_x_name(figure, panel, 35, x_name);
}
