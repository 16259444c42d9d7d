/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/series_panels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "reports/series_look.h"
#include "reports/value_label.h"

/* ---- Which series are in a panel ---- */

static bool
is_same_panel(const spot_series_panels_t *self, size_t a, size_t b)
{
    const spot_curves_t *curves = self->curves;

    for (size_t j = 0; j < curves->head->num_axes; j++) {
        if (j != curves->axis_id && j != self->axis_id &&
            spot_curves_value_id(curves, a, j) != spot_curves_value_id(curves, b, j)) {
            return false;
        }
    }
    return true;
}

/* Series go to the panel of the first one that differs in the key only. */
int
spot_series_panels_init(spot_series_panels_t *self)
{
    const spot_curves_t *curves = self->curves;
    size_t first_ids[SPOT_MAX_SERIES_PANELS];
    size_t num_panels = 0;

    self->panel_ids = spot_calloc(curves->num_panels, sizeof(*self->panel_ids));
    if (self->panel_ids == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < curves->num_panels; j++) {
        size_t panel_id = 0;

        self->panel_ids[j] = SPOT_MAX_SERIES_PANELS;
        if (spot_series_value(self, j) == self->left_out_id) {
            continue;
        }
        while (panel_id < num_panels && !is_same_panel(self, first_ids[panel_id], j)) {
            panel_id++;
        }
        if (panel_id == num_panels && panel_id < SPOT_MAX_SERIES_PANELS) {
            first_ids[num_panels++] = j;
        }
        self->panel_ids[j] = panel_id;
        self->is_cut = self->is_cut || panel_id == SPOT_MAX_SERIES_PANELS;
    }
    self->grid = (spot_study_grid_t){
        .num_panels = num_panels,
        .num_columns = 1,
        .top_px = spot_study_head_px(curves->head),
        .x_low = curves->x_low,
        .x_high = curves->x_high,
    };
    return 0;
}

void
spot_series_panels_free(spot_series_panels_t *self)
{
    free(self->panel_ids);
    self->panel_ids = NULL;
}

spot_series_panel_t
spot_series_panel(const spot_series_panels_t *self, size_t panel_id)
{
    spot_series_panel_t at = {.panel = spot_study_panel(&self->grid, panel_id)};

    for (size_t j = 0;
         j < self->curves->num_panels && at.num_series < SPOT_MAX_PANEL_SERIES; j++) {
        if (self->panel_ids[j] == panel_id) {
            at.series_ids[at.num_series++] = j;
        }
    }
    return at;
}

size_t
spot_series_num_drawn(const spot_series_panels_t *self)
{
    size_t num_drawn = 0;

    for (size_t j = 0; j < self->grid.num_panels; j++) {
        num_drawn += spot_series_panel(self, j).num_series;
    }
    return num_drawn;
}

/* ---- Looks ---- */

size_t
spot_series_value(const spot_series_panels_t *self, size_t series_id)
{
    return spot_curves_value_id(self->curves, series_id, self->axis_id);
}

void
spot_series_words(
    const spot_series_panels_t *self, size_t series_id, char text[SPOT_WORDS_BYTES])
{
    char words[SPOT_NOTE_BYTES];
    size_t num_chars = self->name_chars;

    self->words(self->context, spot_series_value(self, series_id), words);
    do { /* whole characters, however long they are */
        spot_figure_cut(words, num_chars--);
    } while (strlen(words) >= SPOT_WORDS_BYTES);
    memcpy(text, words, strlen(words) + 1);
}

double
spot_series_names_px(const spot_series_panels_t *self, double most_px)
{
    char words[SPOT_WORDS_BYTES];
    size_t num_longest = 1;

    for (size_t j = 0; j < self->curves->num_panels; j++) {
        size_t num_chars;

        spot_series_words(self, j, words);
        num_chars = spot_utf8_count(words, strlen(words));
        num_longest = num_chars > num_longest ? num_chars : num_longest;
    }
    return fmin(50 + SPOT_STUDY_CHAR_PX * (double) num_longest, most_px);
}

const char *
spot_series_ink(const spot_series_panels_t *self, size_t series_id)
{
    return spot_series_colour(
        self->curves->head, self->axis_id, spot_series_value(self, series_id));
}

/* ---- Drawing ---- */

/* "pipeline depth 8, mode async". */
void
spot_series_title(
    const spot_series_panels_t *self, const spot_series_panel_t *at, double above_px)
{
    const spot_curves_t *curves = self->curves;
    char text[SPOT_POINT_BYTES] = "", words[SPOT_WORDS_BYTES];
    char label[SPOT_VALUE_LABEL_BYTES];
    size_t used = 0;

    if (self->grid.num_panels < 2) {
        return;
    }
    for (size_t j = 0; j < curves->head->num_axes && used < sizeof(text) - 4; j++) {
        const spot_axis_t *axis = &curves->head->axes[j];

        if (j != curves->axis_id && j != self->axis_id) {
            spot_axis_words(axis, words);
            used += (size_t) snprintf(text + used, sizeof(text) - 4 - used, "%s%s %s",
                used > 0 ? ", " : "", words,
                spot_value_label(
                    axis, spot_curves_value_id(curves, at->series_ids[0], j), label));
        }
    }
    spot_figure_cut(text, (size_t) (at->panel.width_px / SPOT_STUDY_CHAR_PX));
    spot_figure_text(self->figure, SPOT_STUDY_MARGIN_PX, at->panel.top_px - above_px,
        SPOT_TEXT_LABEL, SPOT_ALIGN_LEFT, text);
}

static spot_mark_t
mark_of(const spot_series_panels_t *self, size_t series_id, size_t x_id)
{
    return self->mark_at(
        self->context, spot_curves_point(self->curves, series_id, x_id));
}

/* The last mean of a series; NAN: it has none. */
static double
last_mean(const spot_series_panels_t *self, size_t series_id)
{
    for (size_t x_id = spot_curves_num_x(self->curves, series_id); x_id-- > 0;) {
        const double mean = mark_of(self, series_id, x_id).mean;

        if (isfinite(mean)) {
            return mean;
        }
    }
    return (double) NAN;
}

void
spot_series_names(const spot_series_panels_t *self, const spot_series_panel_t *at)
{
    const spot_panel_t *panel = &at->panel;
    spot_end_label_t labels[SPOT_MAX_PANEL_SERIES];
    size_t num_labels = 0;

    for (size_t j = 0; j < at->num_series; j++) {
        const size_t series_id = at->series_ids[j];
        const double mean = last_mean(self, series_id);

        if (!isnan(mean)) {
            spot_end_label_t *label = &labels[num_labels++];

            *label = (spot_end_label_t){
                .colour = spot_series_ink(self, series_id),
                .y_px = spot_panel_y_px(panel, mean),
                .marker = (int) spot_series_marker(spot_series_value(self, series_id)),
            };
            spot_series_words(self, series_id, label->text);
        }
    }
    spot_figure_end_labels(self->figure, labels, num_labels,
        panel->left_px + panel->width_px, panel->top_px + panel->height_px);
}

void
spot_series_data(const spot_series_panels_t *self, const spot_series_panel_t *at)
{
    FILE *out = self->figure->out;

    for (size_t j = 0; j < at->num_series; j++) {
        const size_t series_id = at->series_ids[j];

        fprintf(out, "$series%zu << EOD\n", series_id);
        for (size_t k = 0; k < spot_curves_num_x(self->curves, series_id); k++) {
            const spot_mark_t mark = mark_of(self, series_id, k);

            spot_figure_mark(self->figure, spot_curves_x(self->curves, series_id, k),
                &mark, self->tells_sure);
        }
        fputs("EOD\n", out);
    }
}

void
spot_series_bands(const spot_series_panels_t *self, const spot_series_panel_t *at)
{
    for (size_t j = 0; j < at->num_series; j++) {
        fprintf(self->figure->out,
            "$series%zu using 1:3:4 with filledcurves fillcolor rgb '%s' fillstyle "
            "transparent solid 0.16 noborder, \\\n",
            at->series_ids[j], spot_series_ink(self, at->series_ids[j]));
    }
}
