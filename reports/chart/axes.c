/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ends of axes, from data or as they were given, and the labels along them. */
#include <math.h>
#include <string.h>

#include "reports/chart/sheet.h"

#define TICK_GAP_PX 12.0      /* between labels of x */
#define TICK_LINE_PX 14.0     /* that a label of y takes */
#define POINT_ROOM 0.03       /* of an axis beside points at its ends */
#define X_TICK_PX 70.0        /* a tick at least so often */
#define X_TICK_NARROW_PX 52.0 /* in a narrow picture */
#define Y_TICK_PX 36.0

typedef struct {
    double low, high; /* low > high: nothing yet */
    bool is_log;
    bool has_points, has_lying_bars;
} range_t;

/* ---- Ends ---- */

static void widen(range_t *self, double value)
{
    if (isfinite(value)) {
        self->low = fmin(self->low, value);
        self->high = fmax(self->high, value);
    }
}

static void widen_defined(range_t *self, double value)
{
    if (!self->is_log || value > 0) {
        widen(self, value);
    }
}

static void widen_series(range_t *self, const spot_series_node_t *series, int dim)
{
    const double half = series->thickness / 2;

    if (series->look.kind == SPOT_CHART_STROKES && dim == SPOT_Y) {
        return;
    }
    for (size_t j = 0; j < series->num_data; j++) {
        const spot_chart_shape_t *shape = &series->shapes[j];
        const double at = shape->at[dim];

        if (series->is_box) {
            widen(self, dim == series->along ? at : at - half);
            widen(self, dim == series->along ? shape->base : at + half);
        } else if (series->is_area && dim == SPOT_Y) {
            widen_defined(self, 0);
            widen_defined(self, shape->base);
        }
        if (at > 0 || (!self->is_log && !isnan(at))) {
            widen(self, at);
            widen_defined(self, shape->low[dim]);
            widen_defined(self, shape->high[dim]);
        }
    }
}

static void widen_panel(range_t *self, const spot_panel_node_t *panel, int dim)
{
    if (spot_chart_axis(panel, dim)->has_zero) {
        widen(self, 0);
    }
    for (size_t k = 0; k < panel->num_series; k++) {
        const spot_series_node_t *series = &panel->series[k];
        const spot_chart_kind_t kind = series->look.kind;

        self->has_points = self->has_points || kind == SPOT_CHART_POINTS;
        self->has_lying_bars =
            self->has_lying_bars || (kind == SPOT_CHART_BARS && series->along == SPOT_X);
        widen_series(self, series, dim);
    }
    for (size_t k = 0; k < panel->num_rules; k++) {
        if (panel->rules[k].direction ==
            (dim == SPOT_X ? SPOT_CHART_VERTICAL : SPOT_CHART_HORIZONTAL)) {
            widen_defined(self, panel->rules[k].at);
        }
    }
    for (size_t k = 0; dim == SPOT_X && k < panel->num_x_labels; k++) {
        widen_defined(self, panel->x_labels[k].x);
    }
}

/* Points at the very ends would be cut in halves. */
static void make_room(range_t *self, bool keeps_zero)
{
    if (!self->has_points || !(self->high > self->low)) {
        return;
    }
    if (self->is_log) {
        const double factor = pow(self->high / self->low, POINT_ROOM);

        self->low /= factor;
        self->high *= factor;
    } else {
        const double room = POINT_ROOM * (self->high - self->low);

        self->low -= keeps_zero && self->low == 0 ? 0 : room;
        self->high += room;
    }
}

void spot_sheet_scale(const spot_chart_t *chart, const spot_panel_node_t *panel, int dim,
    size_t max_ticks, spot_scale_t *scale)
{
    const spot_chart_axis_t *axis = spot_chart_axis(panel, dim);
    const bool is_log = axis->kind == SPOT_CHART_LOG;
    range_t all = {.low = HUGE_VAL, .high = -HUGE_VAL, .is_log = is_log}, given = all;
    bool is_given, is_round;

    for (size_t j = 0; j < chart->num_panels; j++) {
        const spot_panel_node_t *other = &chart->panels[j];
        const spot_chart_axis_t *its = spot_chart_axis(other, dim);

        if (other != panel && (axis->group <= 0 || its->group != axis->group)) {
            continue;
        }
        if (its->high > its->low) {
            widen(&given, its->low);
            widen(&given, its->high);
        } else {
            widen_panel(&all, other, dim);
        }
    }
    if (axis->kind == SPOT_CHART_ROWS) {
        given.low = -0.5;
        given.high = fmax((double) panel->num_rows, 1) - 0.5;
    }
    is_given = given.high > given.low;
    if (!is_given && (dim == SPOT_X || is_log)) {
        make_room(&all, axis->has_zero);
    }
    is_round = !is_given && (dim == SPOT_Y || all.has_lying_bars);
    spot_scale_init(scale, axis->kind, axis->unit, is_given ? given.low : all.low,
        is_given ? given.high : all.high, is_round, is_log ? max_ticks + 2 : max_ticks);
}

/* The name of an axis, with the unit that its scale found for times. */
static const char *name_of(spot_sheet_t *self, const char *name, const spot_scale_t *scale)
{
    name = name == NULL ? "" : name;
    if (scale->time_name == NULL || scale->has_own_units) {
        return name;
    }
    return spot_texts_add(
        &self->memory.texts, "%s%s(%s)", name, name[0] == '\0' ? "" : " ", scale->time_name);
}

void spot_sheet_find_scales(spot_sheet_t *self, double width_px)
{
    for (size_t j = 0; j < self->num_places; j++) {
        spot_place_t *place = &self->places[j];
        const double num_ticks[2] = {width_px / (self->is_narrow ? X_TICK_NARROW_PX : X_TICK_PX),
            (place->box.bottom - place->box.top) / Y_TICK_PX};

        for (int dim = 0; dim < 2; dim++) {
            const double num = fmin(fmax(floor(num_ticks[dim]) + 1, 5), 8);

            spot_sheet_scale(self->chart, place->node, dim, (size_t) num, &place->scale[dim]);
            place->name[dim] =
                name_of(self, spot_chart_axis(place->node, dim)->name, &place->scale[dim]);
        }
    }
}

spot_px_t spot_place_px(const spot_place_t *place, const double at[2])
{
    return (spot_px_t){{spot_scale_px(&place->scale[SPOT_X], at[SPOT_X]),
        spot_scale_px(&place->scale[SPOT_Y], at[SPOT_Y])}};
}

/* ---- Labels of x ---- */

/* A label of x, with a second one or NULL. */
typedef struct {
    double x;
    const char *texts[2];
    double left_px, right_px; /* of the longer one */
} x_label_t;

static size_t num_x_labels(const spot_place_t *place)
{
    const spot_panel_node_t *node = place->node;

    return node->look.x.kind == SPOT_CHART_ROWS ? node->num_rows
           : node->num_x_labels > 0             ? node->num_x_labels
                                                : place->scale[SPOT_X].num_ticks;
}

/* Label j of x; false: it is not in the panel. */
static bool find_x_label(
    const spot_sheet_t *self, const spot_place_t *place, size_t j, x_label_t *label)
{
    const spot_panel_node_t *node = place->node;
    const double left = place->cell_left, right = place->cell_right;
    double px, width;

    if (node->look.x.kind == SPOT_CHART_ROWS) {
        *label = (x_label_t){(double) j, {node->rows[j].name}, 0, 0};
    } else if (node->num_x_labels > 0) {
        const spot_x_label_t *declared = &node->x_labels[j];

        *label = (x_label_t){declared->x, {declared->label, declared->second}, 0, 0};
    } else {
        const spot_tick_t *tick = &place->scale[SPOT_X].ticks[j];

        *label = (x_label_t){tick->value, {tick->label}, 0, 0};
    }
    px = spot_scale_px(&place->scale[SPOT_X], label->x);
    width = fmin(fmax(spot_sheet_text_px(self, SPOT_TICK, label->texts[0]),
                     spot_sheet_text_px(self, SPOT_SECOND, label->texts[1])),
        right - left);
    label->left_px = fmax(fmin(px - width / 2, right - width), left);
    label->right_px = label->left_px + width;
    return px >= place->box.left - 1 && px <= place->box.right + 1;
}

static bool fits(const x_label_t *labels, size_t num, size_t stride)
{
    for (size_t j = stride; j < num; j += stride) {
        if (labels[j].left_px < labels[j - stride].right_px + TICK_GAP_PX) {
            return false;
        }
    }
    return true;
}

/* As many as have room, each n-th, from y on and second ones from second_y on. */
static void put_x_labels(spot_sheet_t *self, const spot_place_t *place, double y, double second_y)
{
    const double max_px = place->cell_right - place->cell_left;
    const size_t num = num_x_labels(place);
    x_label_t *labels = spot_memory_get(&self->memory, num, sizeof(*labels));
    size_t num_seen = 0, stride = 1;

    for (size_t j = 0; j < num && labels != NULL; j++) {
        num_seen += find_x_label(self, place, j, &labels[num_seen]);
    }
    while (stride < num_seen && !fits(labels, num_seen, stride)) {
        stride++;
    }
    for (size_t j = 0; j < num_seen; j += stride) {
        const double middle = (labels[j].left_px + labels[j].right_px) / 2;

        spot_sheet_put(self, SPOT_TICK | SPOT_MIDDLE, middle, y, labels[j].texts[0], max_px, 1);
        spot_sheet_put(
            self, SPOT_SECOND | SPOT_MIDDLE, middle, second_y, labels[j].texts[1], max_px, 1);
    }
}

/* A name below a panel, in the middle of the panel if it fits around that. */
static double put_middle(
    spot_sheet_t *self, const spot_place_t *place, int style, double y, const char *name)
{
    const double left = place->cell_left, right = place->cell_right;
    const double middle = (place->box.left + place->box.right) / 2;
    const double room = 2 * fmin(middle - left, right - middle);
    const bool fits_there = spot_sheet_text_px(self, style, name) <= room;

    return spot_sheet_put(self, style | SPOT_MIDDLE, fits_there ? middle : (left + right) / 2, y,
        name, right - left, 2);
}

/* Labels of x, its name, second labels, their name, and what is below y's low end. */
double spot_sheet_put_below(spot_sheet_t *self, const spot_place_t *place)
{
    const spot_chart_panel_t *look = &place->node->look;
    double y = place->box.bottom;

    if (place->is_shown[SPOT_X]) {
        const double labels_y = y + 14 - SPOT_LINE_PX / 2;
        bool has_second = false;

        for (size_t j = 0; j < place->node->num_x_labels; j++) {
            has_second = has_second || place->node->x_labels[j].second != NULL;
        }
        y += 24;
        y += put_middle(self, place, SPOT_LABEL, y, place->name[SPOT_X]);
        put_x_labels(self, place, labels_y, y + 11 - SPOT_LINE_PX / 2);
        y += has_second ? 22 : 0;
        y += put_middle(self, place, SPOT_NOTE, y, look->second_name);
    }
    return y + spot_sheet_put(self, SPOT_NOTE, place->cell_left, y, look->y.low_name,
                   place->cell_right - place->cell_left, 2);
}

void spot_sheet_put_left(spot_sheet_t *self, const spot_place_t *place)
{
    const spot_scale_t *scale = &place->scale[SPOT_Y];
    double last_px = HUGE_VAL;

    if (place->node->look.y.kind == SPOT_CHART_ROWS) {
        spot_sheet_put_rows(self, place);
    }
    for (size_t j = 0; j < scale->num_ticks && place->is_shown[SPOT_Y]; j++) {
        const double y = spot_scale_px(scale, scale->ticks[j].value);

        if (last_px - y >= TICK_LINE_PX) {
            spot_sheet_put(self, SPOT_TICK | SPOT_END, place->box.left - 8, y - SPOT_LINE_PX / 2,
                scale->ticks[j].label, HUGE_VAL, 1);
            last_px = y;
        }
    }
}
