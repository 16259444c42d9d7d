/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Free places for labels within panels. What is drawn is entered into a raster of the
 * picture; a label takes the first place around its point where the raster is empty. */
#include <math.h>
#include <string.h>

#include "reports/chart/sheet.h"

#define CELL_PX 2.0
#define TAKEN 1U   /* by a text or a marker: no label goes there */
#define CROSSED 2U /* by a line: a label goes there at need */
#define GAP_PX 2.0
#define LEEWAY_PX 4.0 /* that labels may be beyond their panel */

/* ---- Rasters ---- */

void
spot_raster_init(
    spot_raster_t *self, spot_memory_t *memory, const spot_box_t *box, double cell_px)
{
    *self = (spot_raster_t){.left = box->left,
        .top = box->top,
        .cell_px = cell_px,
        .num_columns = (size_t) (fmax(box->right - box->left, 0) / cell_px) + 1,
        .num_rows = (size_t) (fmax(box->bottom - box->top, 0) / cell_px) + 1};
    self->cells = spot_memory_get(memory, self->num_columns * self->num_rows, 1);
}

/* The cells from low to high; false: none is within the raster. */
static bool
find_cells(double low, double high, double origin, double cell_px, size_t num_cells,
    size_t range[2])
{
    const double first = floor((low - origin) / cell_px);
    const double end = fmax(ceil((high - origin) / cell_px), first + 1);

    if (!(first < (double) num_cells) || !(end > 0)) {
        return false;
    }
    range[0] = (size_t) fmax(first, 0);
    range[1] = (size_t) fmin(end, (double) num_cells);
    return true;
}

unsigned
spot_raster_enter(spot_raster_t *self, const spot_box_t *box, unsigned bits)
{
    size_t columns[2], rows[2];
    unsigned found = 0;

    if (self->cells == NULL ||
        !find_cells(box->left, box->right, self->left, self->cell_px, self->num_columns,
            columns) ||
        !find_cells(
            box->top, box->bottom, self->top, self->cell_px, self->num_rows, rows)) {
        return 0;
    }
    for (size_t row = rows[0]; row < rows[1]; row++) {
        for (size_t column = columns[0]; column < columns[1]; column++) {
            unsigned char *cell = &self->cells[row * self->num_columns + column];

            found |= *cell;
            *cell = (unsigned char) (*cell | bits);
        }
    }
    return found;
}

/* ---- What is drawn ---- */

/* A line, in pieces of a cell. */
static void
enter_line(spot_raster_t *self, const spot_px_t *a, const spot_px_t *b)
{
    const double length = fmax(fabs(b->x - a->x), fabs(b->y - a->y));
    const double num = isfinite(length) ? fmin(ceil(length / CELL_PX), 4000) : -1;

    for (double j = 0; j <= num; j++) {
        const double x = a->x + (b->x - a->x) * j / fmax(num, 1);
        const double y = a->y + (b->y - a->y) * j / fmax(num, 1);

        spot_raster_enter(self, &(spot_box_t){{x - 1, y - 1, x + 1, y + 1}}, CROSSED);
    }
}

static void
enter_all(spot_raster_t *self, const spot_sheet_t *sheet)
{
    const spot_items_t *items = &sheet->items;

    for (size_t j = 0; j < items->num_texts; j++) {
        const spot_box_t box = spot_sheet_text_box(sheet, &items->texts[j]);

        spot_raster_enter(self, &box, TAKEN);
    }
    for (size_t j = 0; j < items->num_marks; j++) {
        const spot_mark_t *mark = &items->marks[j];
        const size_t end = spot_sheet_mark_end(items, j);
        const bool is_line =
            mark->kind == SPOT_MARK_LINE && strcmp(mark->class, "l") == 0;

        for (size_t k = mark->first_point; k < end; k++) {
            const spot_px_t *point = &items->points[k];
            const spot_box_t box = {{point->x - mark->px, point->y - mark->px,
                point->x + mark->px, point->y + mark->px}};

            if (mark->kind == SPOT_MARK_SIGN) {
                spot_raster_enter(self, &box, TAKEN);
            } else if (is_line && k > mark->first_point) {
                enter_line(self, point - 1, point);
            }
        }
    }
}

/* ---- Labels ---- */

/* A place around a point: the middle of the label, in halves of the label's size from
 * the point. */
typedef struct {
    double x, y;
    int distance; /* in rings */
} offset_t;

typedef struct {
    spot_sheet_t *sheet;
    spot_raster_t raster;
} labels_t;

static bool
is_within(const spot_box_t *outer, const spot_box_t *box, double leeway_px)
{
    return box->left >= outer->left - leeway_px &&
           box->right <= outer->right + leeway_px &&
           box->top >= outer->top - leeway_px &&
           box->bottom <= outer->bottom + leeway_px;
}

/* Puts a text within a box unless any of the bits is there. */
static bool
put_free(labels_t *self, const spot_sheet_text_t *text, const spot_box_t *outer,
    double leeway_px, unsigned bits)
{
    const spot_box_t box = spot_sheet_text_box(self->sheet, text);

    if (!is_within(outer, &box, leeway_px) ||
        (spot_raster_enter(&self->raster, &box, 0) & bits) != 0) {
        return false;
    }
    spot_raster_enter(&self->raster, &box, TAKEN);
    spot_sheet_put_line(self->sheet, text);
    return true;
}

/* Puts a text of at most max_px where it is free around a point; nowhere, if nothing is.
 */
static void
put_around(labels_t *self, const spot_place_t *place, int style, spot_px_t point,
    const char *label, double max_px, const offset_t *offsets, size_t num_offsets,
    double radius)
{
    const double size = spot_sheet_text_size(self->sheet->is_narrow, style);
    const spot_chart_line_t line = spot_chart_text_cut(label, size, max_px);
    const double width = spot_chart_line_px(&line, size);

    for (size_t j = 0; j < 2 * num_offsets && isfinite(point.x + point.y); j++) {
        const offset_t *offset = &offsets[j % num_offsets];
        const double distance = radius + GAP_PX + 12.0 * offset->distance;
        const spot_sheet_text_t text = {style | SPOT_MIDDLE,
            point.x + offset->x * (width / 2 + distance),
            point.y + offset->y * (0.55 * size + distance), line};

        if (put_free(self, &text, &place->box, LEEWAY_PX,
                j < num_offsets ? TAKEN | CROSSED : TAKEN)) {
            return;
        }
    }
}

#define NUM(array) (sizeof(array) / sizeof((array)[0]))

static void
put_datum_label(labels_t *self, const spot_place_t *place,
    const spot_series_node_t *series, size_t datum_id)
{
    static const offset_t offsets[] = {{-0.7, -1, 0}, {0, -1, 0}, {0.7, -1, 0},
        {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0.7, 1, 0}, {-0.7, 1, 0}, {-1, -1, 1},
        {1, -1, 1}, {0, -1, 1}, {0, 1, 1}, {1, 1, 1}, {-1, 1, 1}, {0, -1, 2}, {1, 0, 2},
        {-1, 0, 2}};
    const double *at = series->shapes[datum_id].at;
    const spot_px_t point = {{spot_place_px(place, SPOT_X, at[SPOT_X]),
        spot_place_px(place, SPOT_Y, at[SPOT_Y])}};

    put_around(self, place, SPOT_LABEL, point, series->data[datum_id].label,
        place->box.right - place->box.left, offsets, NUM(offsets),
        spot_sheet_marker_px(place, series));
}

/* Within its bar, if it has room there. */
static void
put_bar_label(labels_t *self, const spot_place_t *place,
    const spot_series_node_t *series, size_t datum_id)
{
    const char *label = series->data[datum_id].label;
    const spot_box_t bar = spot_sheet_bar(place, series, datum_id);
    const spot_sheet_text_t text = {
        .style = (spot_chart_is_light(series->shapes[datum_id].colour) ? SPOT_DARK
                                                                       : SPOT_LIGHT) |
                 SPOT_MIDDLE,
        .x = (bar.left + bar.right) / 2,
        .y = (bar.top + bar.bottom) / 2,
        .line = {label, strlen(label), false}};

    (void) put_free(self, &text, &bar, 0, TAKEN);
}

/* Of upright rules at the top; of level ones at the right in narrow pictures, and beside
 * the panel in wide ones. */
static void
put_rule_name(labels_t *self, const spot_place_t *place, const spot_chart_rule_t *rule)
{
    static const offset_t beside[] = {{1, 0, 0}, {-1, 0, 0}, {1, 2, 0}, {-1, 2, 0},
        {1, 4, 0}, {-1, 4, 0}, {1, 8, 0}, {-1, 8, 0}};
    static const offset_t upon[] = {{-1, -1, 0}, {-1, 1, 0}, {-3, -1, 0}, {-3, 1, 0}};
    const spot_box_t *box = &place->box;
    const double max_px = 0.7 * (box->right - box->left);
    const double size = spot_sheet_text_size(self->sheet->is_narrow, SPOT_NOTE);

    if (rule->name != NULL && rule->direction == SPOT_CHART_VERTICAL) {
        put_around(self, place, SPOT_NOTE,
            (spot_px_t){{spot_place_px(place, SPOT_X, rule->at), box->top + size}},
            rule->name, max_px, beside, NUM(beside), GAP_PX);
    } else if (rule->name != NULL && rule->direction == SPOT_CHART_HORIZONTAL &&
               self->sheet->is_narrow) {
        put_around(self, place, SPOT_NOTE,
            (spot_px_t){{box->right, spot_place_px(place, SPOT_Y, rule->at)}},
            rule->name, max_px, upon, NUM(upon), GAP_PX);
    }
}

static void
put_labels(labels_t *self, const spot_place_t *place)
{
    static const offset_t offsets[] = {
        {0, 0, 0}, {0, -2, 0}, {0, 2, 0}, {0, -4, 0}, {0, 4, 0}, {0, -8, 0}, {0, 8, 0}};
    const spot_panel_node_t *node = place->node;
    const spot_box_t *box = &place->box;

    if (node->look.empty != NULL) {
        put_around(self, place, SPOT_NOTE,
            (spot_px_t){{(box->left + box->right) / 2, (box->top + box->bottom) / 2}},
            node->look.empty, box->right - box->left, offsets, NUM(offsets), 0);
    }
    for (size_t k = 0; k < node->num_rules; k++) {
        put_rule_name(self, place, &node->rules[k]);
    }
    for (size_t k = 0; k < node->num_series; k++) {
        const spot_series_node_t *series = &node->series[k];

        for (size_t j = 0; j < series->num_data; j++) {
            if (series->data[j].label != NULL) {
                (series->look.kind == SPOT_CHART_BARS ? put_bar_label : put_datum_label)(
                    self, place, series, j);
            }
        }
    }
}

void
spot_sheet_put_labels(spot_sheet_t *self)
{
    labels_t labels = {.sheet = self};

    spot_raster_init(&labels.raster, &self->memory,
        &(spot_box_t){{0, 0, self->width_px, self->height_px}}, CELL_PX);
    enter_all(&labels.raster, self);
    for (size_t j = 0; j < self->num_places; j++) {
        put_labels(&labels, &self->places[j]);
    }
}
