/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of categories with their texts: names at the left, sides at the right, headings
 * above them and notes below them. */
#include <math.h>

#include "reports/chart/sheet.h"

#define PITCH_PX 34.0     /* of rows */
#define LOW_PITCH_PX 26.0 /* of many rows */
#define MANY_ROWS 20
#define ROWS_PX 700.0 /* of rows without names, as lanes may be */
#define HEADING_PX 24.0
#define MAX_NAME_SHARE 0.36 /* of the width for names of rows */
#define NAME_GAP_PX 10.0
#define SIDE_GAP_PX 16.0   /* between columns of sides */
#define SIDE_NAME_PX 130.0 /* of the heading of a column of sides, which wraps */
#define SIDE_NAME_NARROW_PX 64.0

/* ---- Sides ---- */

/* The columns of sides, each with the gap before it; several fold in a narrow picture.
 */
static void measure_sides(const spot_sheet_t *self, spot_place_t *place)
{
    const spot_panel_node_t *panel = place->node;
    const double max_px = self->is_narrow ? SIDE_NAME_NARROW_PX : SIDE_NAME_PX;
    size_t num_sides = 0;

    place->sides_px = 0;
    for (size_t j = 0; j < SPOT_CHART_MAX_SIDES; j++) {
        const char *name = panel->look.side_names[j];
        double texts_px = 0, width;

        for (size_t k = 0; k < panel->num_rows; k++) {
            texts_px =
                fmax(texts_px, spot_sheet_text_px(self, SPOT_LABEL, panel->rows[k].sides[j]));
        }
        width = fmax(texts_px, fmin(spot_sheet_text_px(self, SPOT_NOTE, name), max_px));
        place->side_px[j] = width > 0 ? fmin(width, self->width_px / 4) + SIDE_GAP_PX : 0;
        place->sides_px += place->side_px[j];
        num_sides += texts_px > 0;
    }
    place->is_folded = self->is_narrow && num_sides > 1;
    place->sides_px = place->is_folded ? 0 : place->sides_px;
}

double spot_sheet_put_sides(spot_sheet_t *self, const spot_place_t *place, int style, double y,
    const char *const texts[SPOT_CHART_MAX_SIDES], size_t max_lines)
{
    double right = place->cell_right, used = 0;

    for (size_t j = SPOT_CHART_MAX_SIDES; j-- > 0 && place->sides_px > 0;) {
        used = fmax(used, spot_sheet_put(self, style | SPOT_END, right, y, texts[j],
                              place->side_px[j] - SIDE_GAP_PX, max_lines));
        right -= place->side_px[j];
    }
    return used;
}

/* ---- Down ---- */

/* What is below a row from y on: its note, and its sides where they fold, with their
 * headings. Returns their end. */
static double put_below(spot_sheet_t *self, const spot_place_t *place, size_t row_id, double y)
{
    const spot_chart_row_t *row = &place->node->rows[row_id];
    const double right = place->cell_right;
    const double left = self->is_narrow ? place->cell_left : place->box.left + 4;

    y += spot_sheet_put(self, SPOT_NOTE, left, y, row->note, right - left, self->is_narrow ? 2 : 1);
    for (size_t j = 0; j < SPOT_CHART_MAX_SIDES && place->is_folded; j++) {
        const char *name = place->node->look.side_names[j];
        const double name_px =
            fmin(spot_sheet_text_px(self, SPOT_NOTE, name), 0.6 * (right - place->cell_left));
        const double x = place->cell_left + (name_px > 0 ? name_px + 6 : 0);

        if (row->sides[j] != NULL) {
            spot_sheet_put(self, SPOT_NOTE, place->cell_left, y, name, name_px, 1);
            spot_sheet_put(self, SPOT_NOTE, x, y, row->sides[j], right - x, 1);
            y += SPOT_LINE_PX;
        }
    }
    return y;
}

static double pitch_px(const spot_panel_node_t *panel)
{
    const double num_rows = fmax((double) panel->num_rows, 1);
    double lowest = 2;

    for (size_t j = 0; j < panel->num_rows; j++) {
        const spot_chart_row_t *row = &panel->rows[j];

        if (row->heading != NULL || row->note != NULL || row->empty != NULL ||
            row->sides[0] != NULL || row->sides[1] != NULL || row->sides[2] != NULL) {
            lowest = SPOT_LINE_PX + 2;
        }
    }
    if (panel->look.height_px > 0) {
        return fmax(panel->look.height_px / num_rows, lowest);
    }
    return panel->num_rows <= MANY_ROWS ? PITCH_PX
                                        : fmin(LOW_PITCH_PX, fmax(ROWS_PX / num_rows, lowest));
}

double spot_sheet_place_rows(spot_sheet_t *self, spot_place_t *place)
{
    const spot_panel_node_t *panel = place->node;
    spot_scale_t *scale = &place->scale[SPOT_Y];
    double *row_px = spot_memory_get(&self->memory, panel->num_rows, sizeof(*row_px));
    double y = place->box.top;

    measure_sides(self, place);
    scale->pitch_px = pitch_px(panel);
    scale->row_px = row_px;
    scale->num_rows = row_px == NULL ? 0 : panel->num_rows;
    for (size_t j = 0; j < scale->num_rows; j++) {
        const spot_items_t before = self->items;
        double below;

        y += panel->rows[j].heading == NULL ? 0 : HEADING_PX;
        row_px[j] = y + scale->pitch_px / 2;
        y += scale->pitch_px;
        below = put_below(self, place, j, 0);
        self->items = before;
        y += below > 0 ? below + 4 : 0;
    }
    return fmax(y, place->box.top + PITCH_PX);
}

double spot_sheet_row_names_px(const spot_sheet_t *self, const spot_panel_node_t *panel)
{
    double width = 0;

    for (size_t j = 0; j < panel->num_rows; j++) {
        width = fmax(width, spot_sheet_text_px(self, SPOT_LABEL, panel->rows[j].name));
    }
    return fmin(width, MAX_NAME_SHARE * self->width_px) + NAME_GAP_PX;
}

/* The name left of a row whose middle is at y. */
static void put_name(spot_sheet_t *self, const spot_place_t *place, double y, const char *name)
{
    const bool is_wrapped = place->scale[SPOT_Y].pitch_px >= 2 * SPOT_LINE_PX - 4;
    const spot_items_t before = self->items;
    const double right = place->box.left - NAME_GAP_PX;
    const double height = spot_sheet_put(
        self, SPOT_LABEL | SPOT_END, right, y, name, right - place->cell_left, is_wrapped ? 2 : 1);

    spot_sheet_move(self, &before, -height / 2);
}

/* Of many low rows each n-th has its name. */
void spot_sheet_put_rows(spot_sheet_t *self, const spot_place_t *place)
{
    const double pitch = place->scale[SPOT_Y].pitch_px;
    const size_t stride = (size_t) fmax(ceil((SPOT_LINE_PX - 2) / pitch), 1);

    for (size_t j = 0; j < place->scale[SPOT_Y].num_rows; j++) {
        const spot_chart_row_t *row = &place->node->rows[j];
        const double y = place->scale[SPOT_Y].row_px[j];
        const double line_y = y - SPOT_LINE_PX / 2;

        spot_sheet_put(self, SPOT_NOTE, place->cell_left, y - pitch / 2 - SPOT_LINE_PX,
            row->heading, place->cell_right - place->cell_left, 1);
        if (j % stride == 0) {
            put_name(self, place, y, row->name);
        }
        spot_sheet_put(self, SPOT_NOTE, place->box.left + 6, line_y, row->empty,
            place->box.right - place->box.left - 6, 1);
        spot_sheet_put_sides(self, place, SPOT_LABEL, line_y, row->sides, 1);
        (void) put_below(self, place, j, y + pitch / 2 - 2);
    }
}
