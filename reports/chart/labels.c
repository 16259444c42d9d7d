/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Free places for labels within panels. What is drawn is entered into a raster of the
 * picture; a label takes the first place around its point where the raster is empty. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "reports/chart/colour.h"
#include "reports/chart/layout.h"

#define CELL_PX 2.0
#define TAKEN 1   /* by a text or a marker: no label goes there */
#define CROSSED 2 /* by a line: a label goes there at need */
#define GAP_PX 2.0

typedef struct {
    size_t num_columns, num_rows;
    unsigned char *cells; /* [num_rows * num_columns] */
} raster_t;

/* The cells of a box that are within the raster; false: none. */
static bool
find_cells(const raster_t *self, const spot_chart_box_t *box, size_t range[4])
{
    const double columns = (double) self->num_columns, rows = (double) self->num_rows;
    const double left = fmax(floor(box->left / CELL_PX), 0);
    const double right = fmin(ceil(box->right / CELL_PX), columns);
    const double top = fmax(floor(box->top / CELL_PX), 0);
    const double bottom = fmin(ceil(box->bottom / CELL_PX), rows);

    if (!(left < right) || !(top < bottom)) {
        return false;
    }
    range[0] = (size_t) left;
    range[1] = (size_t) right;
    range[2] = (size_t) top;
    range[3] = (size_t) bottom;
    return true;
}

static void
enter(raster_t *self, const spot_chart_box_t *box, unsigned char bits)
{
    size_t range[4];

    if (!find_cells(self, box, range)) {
        return;
    }
    for (size_t row = range[2]; row < range[3]; row++) {
        for (size_t column = range[0]; column < range[1]; column++) {
            self->cells[row * self->num_columns + column] |= bits;
        }
    }
}

static bool
is_free(const raster_t *self, const spot_chart_box_t *box, unsigned char bits)
{
    size_t range[4];

    if (!find_cells(self, box, range)) {
        return false;
    }
    for (size_t row = range[2]; row < range[3]; row++) {
        for (size_t column = range[0]; column < range[1]; column++) {
            if ((self->cells[row * self->num_columns + column] & bits) != 0) {
                return false;
            }
        }
    }
    return true;
}

static bool
is_within(const spot_chart_box_t *outer, const spot_chart_box_t *box, double leeway_px)
{
    return box->left >= outer->left - leeway_px &&
           box->right <= outer->right + leeway_px &&
           box->top >= outer->top - leeway_px &&
           box->bottom <= outer->bottom + leeway_px;
}

/* ---- What is drawn ---- */

/* A line, in pieces of a cell. */
static void
enter_line(raster_t *self, double x, double y, double end_x, double end_y)
{
    const double length = fmax(fabs(end_x - x), fabs(end_y - y));
    const double num = isfinite(length) ? fmin(ceil(length / CELL_PX), 4000) : -1;

    for (double j = 0; j <= num; j++) {
        const double at_x = x + (end_x - x) * j / fmax(num, 1);
        const double at_y = y + (end_y - y) * j / fmax(num, 1);

        enter(
            self, &(spot_chart_box_t){at_x - 1, at_y - 1, at_x + 1, at_y + 1}, CROSSED);
    }
}

static void
enter_series(raster_t *self, const spot_chart_place_t *place,
    const spot_chart_series_node_t *series)
{
    const double radius = spot_chart_marker_px(place, series);
    const spot_chart_kind_t kind = series->look.kind;
    const bool is_line = spot_chart_is_line(kind);
    double last_x = (double) NAN, last_y = (double) NAN;

    if (!is_line && kind != SPOT_CHART_POINTS) {
        return;
    }
    for (size_t j = 0; j < series->num_data; j++) {
        const spot_chart_datum_t *datum = &series->data[j];
        const double x = spot_chart_x_px(place, datum->x);
        const double y = spot_chart_y_px(place, datum->y);

        if (is_line) {
            enter_line(self, last_x, last_y, x, kind == SPOT_CHART_LINE ? y : last_y);
            enter_line(self, x, kind == SPOT_CHART_LINE ? y : last_y, x, y);
        }
        if (radius > 0 && isfinite(x) && isfinite(y)) {
            enter(self,
                &(spot_chart_box_t){x - radius, y - radius, x + radius, y + radius},
                TAKEN);
        }
        if (datum->x_high > datum->x_low && isfinite(y)) {
            enter_line(self, spot_chart_scale_end_px(&place->x, datum->x_low), y,
                spot_chart_scale_end_px(&place->x, datum->x_high), y);
        }
        if (datum->y_high > datum->y_low && isfinite(x) && !is_line) {
            enter_line(self, x, spot_chart_scale_end_px(&place->y, datum->y_low), x,
                spot_chart_scale_end_px(&place->y, datum->y_high));
        }
        last_x = x;
        last_y = y;
    }
}

static void
enter_all(raster_t *self, const spot_chart_layout_t *layout)
{
    for (size_t j = 0; j < layout->num_texts; j++) {
        const spot_chart_box_t box = spot_chart_text_box(layout, &layout->texts[j]);

        enter(self, &box, TAKEN);
    }
    for (size_t j = 0; j < layout->num_places; j++) {
        const spot_chart_place_t *place = &layout->places[j];

        for (size_t k = 0; k < place->node->num_series; k++) {
            enter_series(self, place, &place->node->series[k]);
        }
        for (size_t k = 0; k < place->node->num_rules; k++) {
            const spot_chart_rule_t *rule = &place->node->rules[k];
            const double x = spot_chart_x_px(place, rule->at);
            const double y = spot_chart_y_px(place, rule->at);

            if (rule->direction == SPOT_CHART_VERTICAL) {
                enter_line(self, x, place->box.top, x, place->box.bottom);
            } else if (rule->direction == SPOT_CHART_HORIZONTAL) {
                enter_line(self, place->box.left, y, place->box.right, y);
            }
        }
    }
}

/* ---- Labels ---- */

/* A label with its middle at a place around x, y; offsets in its own width and height
 * and in px. */
typedef struct {
    double x, y;  /* the middle, in halves of the label's size from the point */
    int distance; /* in rings */
} offset_t;

/* Puts a text where it is free; false: nowhere. */
static bool
put_around(spot_chart_layout_t *self, raster_t *raster, const spot_chart_place_t *place,
    spot_chart_text_t *text, const offset_t *offsets, size_t num_offsets, double radius)
{
    const double x = text->x, y = text->y;

    for (int pass = 0; pass < 2; pass++) {
        for (size_t j = 0; j < num_offsets; j++) {
            const double distance = radius + GAP_PX + 12.0 * offsets[j].distance;
            spot_chart_box_t box;

            text->anchor = SPOT_CHART_MIDDLE;
            text->x = x;
            text->y = y;
            box = spot_chart_text_box(self, text);
            text->x += offsets[j].x * ((box.right - box.left) / 2 + distance);
            text->y += offsets[j].y * ((box.bottom - box.top) / 2 + distance);
            box = spot_chart_text_box(self, text);
            if (is_within(&place->box, &box, 4) &&
                is_free(raster, &box, pass == 0 ? TAKEN | CROSSED : TAKEN)) {
                enter(raster, &box, TAKEN);
                spot_chart_put(
                    self, text->look, text->anchor, text->x, text->y, text->line);
                return true;
            }
        }
    }
    return false;
}

static void
put_datum_label(spot_chart_layout_t *self, raster_t *raster,
    const spot_chart_place_t *place, const spot_chart_datum_t *datum, double radius)
{
    static const offset_t offsets[] = {{-0.7, -1, 0}, {0, -1, 0}, {0.7, -1, 0},
        {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0.7, 1, 0}, {-0.7, 1, 0}, {-1, -1, 1},
        {1, -1, 1}, {0, -1, 1}, {0, 1, 1}, {1, 1, 1}, {-1, 1, 1}, {0, -1, 2}, {1, 0, 2},
        {-1, 0, 2}};
    spot_chart_text_t text = {.look = SPOT_CHART_TEXT_LABEL,
        .x = spot_chart_x_px(place, datum->x),
        .y = spot_chart_y_px(place, datum->y)};

    if (isfinite(text.x) && isfinite(text.y)) {
        text.line = spot_chart_text_cut(datum->label,
            spot_chart_text_size(self, text.look), place->box.right - place->box.left);
        (void) put_around(self, raster, place, &text, offsets,
            sizeof(offsets) / sizeof(offsets[0]), radius);
    }
}

/* Within its bar, if it has room there. */
static void
put_bar_label(spot_chart_layout_t *self, raster_t *raster,
    const spot_chart_place_t *place, const spot_chart_series_node_t *series,
    size_t datum_id)
{
    const spot_chart_datum_t *datum = &series->data[datum_id];
    const spot_chart_box_t bar = spot_chart_bar_box(place, series, datum_id);
    const char *colour = datum->colour == NULL ? series->look.colour : datum->colour;
    spot_chart_text_t text = {.look = spot_chart_is_light(colour)
                                          ? SPOT_CHART_TEXT_DARK
                                          : SPOT_CHART_TEXT_LIGHT,
        .anchor = SPOT_CHART_MIDDLE,
        .x = (bar.left + bar.right) / 2,
        .y = (bar.top + bar.bottom) / 2,
        .line = {datum->label, strlen(datum->label), false}};
    const spot_chart_box_t box = spot_chart_text_box(self, &text);

    if (is_within(&bar, &box, 0) && is_free(raster, &box, TAKEN)) {
        enter(raster, &box, TAKEN);
        spot_chart_put(self, text.look, text.anchor, text.x, text.y, text.line);
    }
}

/* In the middle, as far as nothing is there. */
static void
put_empty(spot_chart_layout_t *self, raster_t *raster, const spot_chart_place_t *place)
{
    static const offset_t offsets[] = {
        {0, 0, 0}, {0, -2, 0}, {0, 2, 0}, {0, -4, 0}, {0, 4, 0}, {0, -8, 0}, {0, 8, 0}};
    const spot_chart_box_t *box = &place->box;
    spot_chart_text_t text = {.look = SPOT_CHART_TEXT_NOTE,
        .x = (box->left + box->right) / 2,
        .y = (box->top + box->bottom) / 2};

    if (place->node->look.empty != NULL) {
        text.line = spot_chart_text_cut(place->node->look.empty,
            spot_chart_text_size(self, text.look), box->right - box->left);
        (void) put_around(self, raster, place, &text, offsets,
            sizeof(offsets) / sizeof(offsets[0]), 0);
    }
}

/* Upright: at its top. Level ones have their names at the right of wide pictures. */
static void
put_rule_name(spot_chart_layout_t *self, raster_t *raster,
    const spot_chart_place_t *place, const spot_chart_rule_t *rule)
{
    static const offset_t beside[] = {{1, 0, 0}, {-1, 0, 0}, {1, 2, 0}, {-1, 2, 0},
        {1, 4, 0}, {-1, 4, 0}, {1, 8, 0}, {-1, 8, 0}};
    static const offset_t upon[] = {{-1, -1, 0}, {-1, 1, 0}, {-3, -1, 0}, {-3, 1, 0}};
    const double size = spot_chart_text_size(self, SPOT_CHART_TEXT_NOTE);
    spot_chart_text_t text = {.look = SPOT_CHART_TEXT_NOTE};

    if (rule->name == NULL) {
        return;
    }
    text.line = spot_chart_text_cut(
        rule->name, size, 0.7 * (place->box.right - place->box.left));
    if (rule->direction == SPOT_CHART_VERTICAL) {
        text.x = spot_chart_x_px(place, rule->at);
        text.y = place->box.top + size;
        (void) put_around(self, raster, place, &text, beside,
            sizeof(beside) / sizeof(beside[0]), GAP_PX);
    } else if (rule->direction == SPOT_CHART_HORIZONTAL && self->is_narrow) {
        text.x = place->box.right;
        text.y = spot_chart_y_px(place, rule->at);
        (void) put_around(
            self, raster, place, &text, upon, sizeof(upon) / sizeof(upon[0]), GAP_PX);
    }
}

static void
put_place_labels(
    spot_chart_layout_t *self, raster_t *raster, const spot_chart_place_t *place)
{
    put_empty(self, raster, place);
    for (size_t k = 0; k < place->node->num_rules; k++) {
        put_rule_name(self, raster, place, &place->node->rules[k]);
    }
    for (size_t k = 0; k < place->node->num_series; k++) {
        const spot_chart_series_node_t *series = &place->node->series[k];
        const double radius = spot_chart_marker_px(place, series);

        for (size_t j = 0; j < series->num_data; j++) {
            if (series->data[j].label == NULL) {
                continue;
            }
            if (series->look.kind == SPOT_CHART_BARS) {
                put_bar_label(self, raster, place, series, j);
            } else {
                put_datum_label(self, raster, place, &series->data[j], radius);
            }
        }
    }
}

void
spot_chart_put_labels(spot_chart_layout_t *self)
{
    raster_t raster = {(size_t) (self->width_px / CELL_PX) + 1,
        (size_t) (self->height_px / CELL_PX) + 1, NULL};

    raster.cells = spot_calloc(raster.num_columns * raster.num_rows, 1);
    if (raster.cells == NULL) {
        self->error = spot_error_first(self->error, SPOT_ERR_NO_MEMORY);
        return;
    }
    enter_all(&raster, self);
    for (size_t j = 0; j < self->num_places; j++) {
        put_place_labels(self, &raster, &self->places[j]);
    }
    free(raster.cells);
}
