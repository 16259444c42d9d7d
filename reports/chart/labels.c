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
#define RING_PX 12.0
#define BEYOND_PX 4.0 /* that labels may be beyond their panel */

/* ---- Rasters ---- */

void spot_raster_init(
    spot_raster_t *self, spot_memory_t *memory, const spot_box_t *box, double cell_px)
{
    *self = (spot_raster_t){.origin = {box->left, box->top}, .cell_px = cell_px};
    for (int dim = 0; dim < 2; dim++) {
        self->num[dim] = (size_t) (fmax(box->high[dim] - box->low[dim], 0) / cell_px) + 1;
    }
    self->cells = spot_memory_get(memory, self->num[SPOT_X] * self->num[SPOT_Y], 1);
}

unsigned spot_raster_enter(spot_raster_t *self, const spot_box_t *box, unsigned bits)
{
    size_t first[2], end[2];
    unsigned found = 0;

    for (int dim = 0; dim < 2; dim++) {
        const double num = (double) self->num[dim];
        const double low = floor((box->low[dim] - self->origin[dim]) / self->cell_px);
        const double high = ceil((box->high[dim] - self->origin[dim]) / self->cell_px);

        if (self->cells == NULL || !(low < num) || !(fmax(high, low + 1) > 0)) {
            return 0;
        }
        first[dim] = (size_t) fmax(low, 0);
        end[dim] = (size_t) fmin(fmax(high, low + 1), num);
    }
    for (size_t row = first[SPOT_Y]; row < end[SPOT_Y]; row++) {
        for (size_t column = first[SPOT_X]; column < end[SPOT_X]; column++) {
            unsigned char *cell = &self->cells[row * self->num[SPOT_X] + column];

            found |= *cell;
            *cell = (unsigned char) (*cell | bits);
        }
    }
    return found;
}

/* ---- What is drawn ---- */

/* A line, in pieces of a cell. */
static void enter_line(spot_raster_t *self, const spot_px_t *a, const spot_px_t *b)
{
    const double length = fmax(fabs(b->x - a->x), fabs(b->y - a->y));
    const double num = isfinite(length) ? fmin(ceil(length / CELL_PX), 4000) : -1;

    for (double j = 0; j <= num; j++) {
        const double x = a->x + (b->x - a->x) * j / fmax(num, 1);
        const double y = a->y + (b->y - a->y) * j / fmax(num, 1);

        spot_raster_enter(self, &(spot_box_t){{x - 1, y - 1, x + 1, y + 1}}, CROSSED);
    }
}

static void enter_all(spot_raster_t *self, const spot_sheet_t *sheet)
{
    const spot_items_t *items = &sheet->items;

    for (size_t j = 0; j < items->num_texts; j++) {
        const spot_box_t box = spot_sheet_text_box(sheet, &items->texts[j]);

        spot_raster_enter(self, &box, TAKEN);
    }
    for (size_t j = 0; j < items->num_marks; j++) {
        const spot_mark_t *mark = &items->marks[j];
        const size_t end = spot_sheet_mark_end(items, j);
        const bool is_line = mark->kind == SPOT_MARK_LINE && strcmp(mark->class, "l") == 0;

        for (size_t k = mark->first_point; k < end; k++) {
            const spot_px_t *point = &items->points[k];
            const spot_box_t box = {{point->x - mark->px, point->y - mark->px, point->x + mark->px,
                point->y + mark->px}};

            if (mark->kind == SPOT_MARK_SIGN) {
                spot_raster_enter(self, &box, TAKEN);
            } else if (is_line && k > mark->first_point) {
                enter_line(self, point - 1, point);
            }
        }
    }
}

/* ---- Labels ---- */

typedef struct {
    spot_sheet_t *sheet;
    const spot_place_t *place;
    spot_raster_t raster;
} labels_t;

/* Puts a text within a box, or a little beyond it, unless any of the bits is there. */
static bool put_free(labels_t *self, const spot_sheet_text_t *text, const spot_box_t *outer,
    double beyond_px, unsigned bits)
{
    const spot_box_t box = spot_sheet_text_box(self->sheet, text);

    for (int dim = 0; dim < 2; dim++) {
        if (box.low[dim] < outer->low[dim] - beyond_px ||
            box.high[dim] > outer->high[dim] + beyond_px) {
            return false;
        }
    }
    if ((spot_raster_enter(&self->raster, &box, 0) & bits) != 0) {
        return false;
    }
    spot_raster_enter(&self->raster, &box, TAKEN);
    spot_sheet_put_line(self->sheet, text);
    return true;
}

/* Places around a point: of the middle of a label, in halves of its size from the point;
 * rings are 12 px further away. */
typedef struct {
    size_t num_offsets;
    struct {
        double x, y, rings;
    } offsets[17];
} around_t;

/* Puts a text of at most a share of the panel's width where it is free around a point;
 * nowhere, if nothing is. */
static void put_around(labels_t *self, int style, spot_px_t point, const char *label, double share,
    const around_t *around, double radius)
{
    const spot_box_t *box = &self->place->box;
    const double size = spot_sheet_text_size(self->sheet->is_narrow, style);
    const spot_chart_line_t line =
        spot_chart_text_cut(label, size, share * (box->right - box->left));
    const double width = spot_chart_line_px(&line, size);

    for (size_t j = 0; j < 2 * around->num_offsets && isfinite(point.x + point.y); j++) {
        const size_t id = j % around->num_offsets;
        const double distance = radius + GAP_PX + RING_PX * around->offsets[id].rings;
        const spot_sheet_text_t text = {style | SPOT_MIDDLE,
            point.x + around->offsets[id].x * (width / 2 + distance),
            point.y + around->offsets[id].y * (0.55 * size + distance), line};

        if (put_free(
                self, &text, box, BEYOND_PX, j < around->num_offsets ? TAKEN | CROSSED : TAKEN)) {
            return;
        }
    }
}

/* Within its bar, if it has room there; else around its place. */
static void put_datum_label(labels_t *self, const spot_series_node_t *series, size_t datum_id)
{
    static const around_t around = {
        17, {{-0.7, -1, 0}, {0, -1, 0}, {0.7, -1, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0.7, 1, 0},
                {-0.7, 1, 0}, {-1, -1, 1}, {1, -1, 1}, {0, -1, 1}, {0, 1, 1}, {1, 1, 1}, {-1, 1, 1},
                {0, -1, 2}, {1, 0, 2}, {-1, 0, 2}}};
    const spot_chart_shape_t *shape = &series->shapes[datum_id];
    const char *label = series->data[datum_id].label;
    const spot_box_t bar = spot_sheet_bar(self->place, series, datum_id);
    const spot_px_t point = spot_place_px(self->place, shape->at);

    if (series->look.kind == SPOT_CHART_BARS) {
        const int style = spot_chart_is_light(shape->colour) ? SPOT_DARK : SPOT_LIGHT;
        const spot_sheet_text_t text = {style | SPOT_MIDDLE, (bar.left + bar.right) / 2,
            (bar.top + bar.bottom) / 2, {label, strlen(label), false}};

        (void) put_free(self, &text, &bar, 0, TAKEN);
    } else {
        put_around(
            self, SPOT_LABEL, point, label, 1, &around, spot_sheet_marker_px(self->place, series));
    }
}

/* Of upright rules at the top; of level ones at the right in narrow pictures, and beside
 * the panel in wide ones. */
static void put_rule_name(labels_t *self, const spot_chart_rule_t *rule)
{
    static const around_t beside = {8, {{1, 0, 0}, {-1, 0, 0}, {1, 2, 0}, {-1, 2, 0}, {1, 4, 0},
                                           {-1, 4, 0}, {1, 8, 0}, {-1, 8, 0}}};
    static const around_t upon = {4, {{-1, -1, 0}, {-1, 1, 0}, {-3, -1, 0}, {-3, 1, 0}}};
    const bool is_upright = rule->direction == SPOT_CHART_VERTICAL;
    const int dim = is_upright ? SPOT_X : SPOT_Y;
    const double size = spot_sheet_text_size(self->sheet->is_narrow, SPOT_NOTE);
    spot_px_t point = {{self->place->box.right, self->place->box.top + size}};

    point.at[dim] = spot_scale_px(&self->place->scale[dim], rule->at);
    if (rule->name != NULL &&
        (is_upright || (rule->direction == SPOT_CHART_HORIZONTAL && self->sheet->is_narrow))) {
        put_around(self, SPOT_NOTE, point, rule->name, 0.7, is_upright ? &beside : &upon, GAP_PX);
    }
}

static void put_labels(labels_t *self)
{
    static const around_t around = {
        7, {{0, 0, 0}, {0, -2, 0}, {0, 2, 0}, {0, -4, 0}, {0, 4, 0}, {0, -8, 0}, {0, 8, 0}}};
    const spot_panel_node_t *node = self->place->node;
    const spot_box_t *box = &self->place->box;
    const spot_px_t middle = {{(box->left + box->right) / 2, (box->top + box->bottom) / 2}};

    if (node->look.empty != NULL) {
        put_around(self, SPOT_NOTE, middle, node->look.empty, 1, &around, 0);
    }
    for (size_t k = 0; k < node->num_rules; k++) {
        put_rule_name(self, &node->rules[k]);
    }
    for (size_t k = 0; k < node->num_series; k++) {
        for (size_t j = 0; j < node->series[k].num_data; j++) {
            if (node->series[k].data[j].label != NULL) {
                put_datum_label(self, &node->series[k], j);
            }
        }
    }
}

void spot_sheet_put_labels(spot_sheet_t *self)
{
    labels_t labels = {.sheet = self};

    spot_raster_init(&labels.raster, &self->memory,
        &(spot_box_t){{0, 0, self->width_px, self->height_px}}, CELL_PX);
    enter_all(&labels.raster, self);
    for (size_t j = 0; j < self->num_places; j++) {
        labels.place = &self->places[j];
        put_labels(&labels);
    }
}
