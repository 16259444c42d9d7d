/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ends of axes, from data or as they were given, and the labels along them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "reports/chart/layout.h"

#define TICK_GAP_PX 12.0      /* between labels of x */
#define TICK_LINE_PX 14.0     /* that a label of y takes */
#define POINT_ROOM 0.03       /* of an axis beside points at its ends */
#define X_TICK_PX 70.0        /* a tick at least so often */
#define X_TICK_NARROW_PX 52.0 /* in a narrow picture */
#define Y_TICK_PX 36.0
#define USUAL_THICKNESS 0.68

typedef struct {
    double low, high; /* low > high: nothing yet */
    bool has_points, has_bars;
    bool is_given;
} range_t;

/* ---- Ends ---- */

static void
widen(range_t *self, double value)
{
    if (isfinite(value)) {
        self->low = fmin(self->low, value);
        self->high = fmax(self->high, value);
    }
}

/* A value, and its interval where it has one. */
static void
widen_all(
    range_t *self, const spot_chart_axis_t *axis, double value, double low, double high)
{
    const bool is_log = axis->kind == SPOT_CHART_LOG;

    if (is_log && !(value > 0)) {
        return;
    }
    widen(self, value);
    if (!isnan(value) && high > low) {
        widen(self, is_log && low <= 0 ? value : low);
        widen(self, high);
    }
}

static double
thickness_of(const spot_chart_series_t *series)
{
    return series->thickness > 0 ? series->thickness : USUAL_THICKNESS;
}

static void
widen_bar(range_t *self, const spot_chart_panel_node_t *panel,
    const spot_chart_series_node_t *series, size_t datum_id, bool is_x)
{
    const spot_chart_datum_t *datum = &series->data[datum_id];
    const double at = spot_chart_bar_at(panel, datum);
    const double half = thickness_of(&series->look) / 2;

    if (is_x == spot_chart_is_lying(panel)) {
        const double end = series->base[datum_id] + spot_chart_bar_value(panel, datum);
        const double high = is_x ? datum->x_high : datum->y_high;
        const double low = is_x ? datum->x_low : datum->y_low;

        widen(self, 0);
        widen(self, end);
        if (high > low) {
            widen(self, high);
            widen(self, low);
        }
    } else {
        widen(self, at - half);
        widen(self, at + half);
    }
}

static void
widen_datum(range_t *self, const spot_chart_panel_node_t *panel,
    const spot_chart_series_node_t *series, size_t datum_id, bool is_x)
{
    const spot_chart_axis_t *axis = is_x ? &panel->look.x : &panel->look.y;
    const spot_chart_datum_t *datum = &series->data[datum_id];
    const spot_chart_kind_t kind = series->look.kind;

    if (kind == SPOT_CHART_BARS) {
        widen_bar(self, panel, series, datum_id, is_x);
    } else if (kind == SPOT_CHART_SPANS && is_x) {
        widen(self, datum->x_low);
        widen(self, datum->x_high);
    } else if (kind == SPOT_CHART_STROKES && !is_x) {
        return;
    } else if (spot_chart_is_area(kind) && !is_x) {
        widen(self, axis->kind == SPOT_CHART_LOG ? datum->y : 0);
        widen(self, datum->y + (series->base == NULL ? 0 : series->base[datum_id]));
    } else if (is_x) {
        widen_all(self, axis, datum->x, datum->x_low, datum->x_high);
    } else {
        widen_all(self, axis, datum->y, datum->y_low, datum->y_high);
    }
}

static void
widen_panel(range_t *self, const spot_chart_panel_node_t *panel, bool is_x)
{
    const spot_chart_axis_t *axis = is_x ? &panel->look.x : &panel->look.y;

    if (axis->high > axis->low) {
        self->is_given = true;
        widen(self, axis->low);
        widen(self, axis->high);
        return;
    }
    if (axis->has_zero) {
        widen(self, 0);
    }
    for (size_t k = 0; k < panel->num_series; k++) {
        const spot_chart_series_node_t *series = &panel->series[k];

        self->has_points = self->has_points || series->look.kind == SPOT_CHART_POINTS;
        self->has_bars = self->has_bars || series->look.kind == SPOT_CHART_BARS;
        for (size_t j = 0; j < series->num_data; j++) {
            widen_datum(self, panel, series, j, is_x);
        }
    }
    for (size_t k = 0; k < panel->num_rules; k++) {
        const spot_chart_rule_t *rule = &panel->rules[k];

        if (rule->direction == (is_x ? SPOT_CHART_VERTICAL : SPOT_CHART_HORIZONTAL)) {
            widen_all(self, axis, rule->at, 0, 0);
        }
    }
    for (size_t k = 0; is_x && k < panel->num_x_labels; k++) {
        widen_all(self, axis, panel->x_labels[k].x, 0, 0);
    }
}

/* Points at the very ends would be cut in halves. */
static void
make_room(range_t *self, const spot_chart_axis_t *axis)
{
    const bool keeps_zero = axis->has_zero && self->low == 0;

    if (!self->has_points || self->is_given || !(self->high > self->low)) {
        return;
    }
    if (axis->kind == SPOT_CHART_LOG) {
        const double factor = pow(self->high / self->low, POINT_ROOM);

        self->low /= factor;
        self->high *= factor;
    } else {
        const double room = POINT_ROOM * (self->high - self->low);

        self->low -= keeps_zero ? 0 : room;
        self->high += room;
    }
}

/* Of an axis and of all of its group; given ends win. */
static range_t
find_range(const spot_chart_t *chart, const spot_chart_panel_node_t *panel, bool is_x)
{
    const spot_chart_axis_t *axis = is_x ? &panel->look.x : &panel->look.y;
    range_t all = {.low = HUGE_VAL, .high = -HUGE_VAL}, given = all;

    if (axis->kind == SPOT_CHART_ROWS) {
        return (range_t){.low = -0.5,
            .high = fmax((double) panel->num_rows, 1) - 0.5,
            .is_given = true};
    }
    for (size_t j = 0; j < chart->num_panels; j++) {
        const spot_chart_panel_node_t *other = &chart->panels[j];
        const spot_chart_axis_t *other_axis = is_x ? &other->look.x : &other->look.y;
        const bool is_same =
            other == panel || (axis->group > 0 && other_axis->group == axis->group);

        if (is_same) {
            const bool is_given = other_axis->high > other_axis->low;

            widen_panel(is_given ? &given : &all, other, is_x);
        }
    }
    if (given.is_given) {
        return given;
    }
    if (is_x || axis->kind == SPOT_CHART_LOG) {
        make_room(&all, axis);
    }
    return all;
}

void
spot_chart_axis_scale(const spot_chart_t *chart, const spot_chart_panel_node_t *panel,
    bool is_x, size_t max_ticks, spot_chart_scale_t *scale)
{
    const spot_chart_axis_t *axis = is_x ? &panel->look.x : &panel->look.y;
    const range_t range = find_range(chart, panel, is_x);
    const bool ends_at_data = is_x && !(range.has_bars && spot_chart_is_lying(panel));

    spot_chart_scale_init(scale, axis->kind, axis->unit, range.low, range.high,
        !range.is_given && !ends_at_data,
        axis->kind == SPOT_CHART_LOG ? max_ticks + 2 : max_ticks);
}

static size_t
ticks_of(double length_px, double tick_px)
{
    const double num = floor(length_px / tick_px) + 1;

    return (size_t) fmin(fmax(num, 5), 8);
}

/* The name of an axis, with the unit that its scale found for times. */
static const char *
name_of(
    spot_chart_t *chart, const spot_chart_axis_t *axis, const spot_chart_scale_t *scale)
{
    const char *name = axis->name == NULL ? "" : axis->name;
    char text[512];

    if (scale->time_name == NULL) {
        return name;
    }
    snprintf(text, sizeof(text), "%.400s%s(%s)", name, name[0] == '\0' ? "" : " ",
        scale->time_name);
    return spot_chart_copy(chart, text);
}

void
spot_chart_find_scales(spot_chart_layout_t *self, double width_px)
{
    const size_t num_x =
        ticks_of(width_px, self->is_narrow ? X_TICK_NARROW_PX : X_TICK_PX);

    for (size_t j = 0; j < self->num_places; j++) {
        spot_chart_place_t *place = &self->places[j];
        const spot_chart_panel_t *look = &place->node->look;

        spot_chart_axis_scale(self->chart, place->node, true, num_x, &place->x);
        spot_chart_axis_scale(self->chart, place->node, false,
            ticks_of(place->box.bottom - place->box.top, Y_TICK_PX), &place->y);
        place->x_name = name_of(self->chart, &look->x, &place->x);
        place->y_name = name_of(self->chart, &look->y, &place->y);
    }
}

/* ---- Places ---- */

double
spot_chart_x_px(const spot_chart_place_t *place, double x)
{
    return spot_chart_scale_px(&place->x, x);
}

double
spot_chart_y_px(const spot_chart_place_t *place, double y)
{
    const size_t num_rows = place->node->num_rows;
    double row;

    if (place->row_px == NULL || num_rows == 0) {
        return spot_chart_scale_px(&place->y, y);
    }
    row = fmin(fmax(round(y), 0), (double) num_rows - 1);
    return place->row_px[(size_t) row] + (y - row) * place->row_pitch_px;
}

/* Half of the thickness of a bar or a span. */
static double
half_px(const spot_chart_place_t *place, const spot_chart_series_t *series)
{
    const double half = thickness_of(series) / 2;
    const double width = place->x.high_px - place->x.low_px;

    return fmax(place->row_px != NULL ? half * place->row_pitch_px
                                      : half * width / (place->x.high - place->x.low),
        0.4);
}

spot_chart_box_t
spot_chart_bar_box(const spot_chart_place_t *place,
    const spot_chart_series_node_t *series, size_t datum_id)
{
    const spot_chart_datum_t *datum = &series->data[datum_id];
    const bool is_span = series->look.kind == SPOT_CHART_SPANS;
    const bool is_lying = is_span || spot_chart_is_lying(place->node);
    const spot_chart_scale_t *along = is_lying ? &place->x : &place->y;
    const double at = spot_chart_bar_at(place->node, datum);
    const double middle =
        is_lying ? spot_chart_y_px(place, datum->y) : spot_chart_x_px(place, at);
    const double low = is_span ? datum->x_low : series->base[datum_id];
    const double high =
        is_span ? datum->x_high : low + spot_chart_bar_value(place->node, datum);
    const double a = spot_chart_scale_end_px(along, low);
    const double b = spot_chart_scale_end_px(along, high);
    const double half = half_px(place, &series->look);
    spot_chart_box_t box = {fmin(a, b), middle - half, fmax(a, b), middle + half};

    if (isnan(high) || isnan(middle)) {
        return (spot_chart_box_t){0, 0, 0, 0};
    }
    if (!is_lying) {
        box = (spot_chart_box_t){middle - half, fmin(a, b), middle + half, fmax(a, b)};
    }
    box.right = is_span ? fmax(box.right, box.left + 0.3) : box.right; /* to be seen */
    return (spot_chart_box_t){fmax(box.left, place->box.left),
        fmax(box.top, place->box.top), fmin(box.right, place->box.right),
        fmin(box.bottom, place->box.bottom)};
}

/* ---- Labels of x ---- */

/* A label of x, with a second one or none. */
typedef struct {
    double x_px;
    const char *text;
    const char *second;
    double width_px; /* of the longer one */
} x_label_t;

/* The left edge of a label that stays within the cell. */
static double
left_of(const spot_chart_place_t *place, const x_label_t *label)
{
    const double left = label->x_px - label->width_px / 2;

    return fmax(fmin(left, place->cell_right - label->width_px), place->cell_left);
}

static bool
fits(const spot_chart_place_t *place, const x_label_t *labels, size_t num, size_t stride)
{
    double free_px = -HUGE_VAL;

    for (size_t j = 0; j < num; j += stride) {
        const double left = left_of(place, &labels[j]);

        if (left < free_px) {
            return false;
        }
        free_px = left + labels[j].width_px + TICK_GAP_PX;
    }
    return true;
}

static void
put_x_label(spot_chart_layout_t *self, const spot_chart_place_t *place,
    const x_label_t *label, spot_chart_text_look_t look, const char *text, double y)
{
    (void) spot_chart_put_cut(self, look, SPOT_CHART_MIDDLE,
        left_of(place, label) + label->width_px / 2, y, text,
        place->cell_right - place->cell_left);
}

static x_label_t
x_label_at(const spot_chart_layout_t *self, const spot_chart_place_t *place, size_t id)
{
    const spot_chart_panel_node_t *node = place->node;
    const double size = spot_chart_text_size(self, SPOT_CHART_TEXT_TICK);
    x_label_t label = {0, "", NULL, 0};
    double x;

    if (node->look.x.kind == SPOT_CHART_ROWS) {
        x = (double) id;
        label.text = node->rows[id].name == NULL ? "" : node->rows[id].name;
    } else if (node->num_x_labels > 0) {
        x = node->x_labels[id].x;
        label.text = node->x_labels[id].label;
        label.second = node->x_labels[id].second;
    } else {
        x = place->x.ticks[id].value;
        label.text = place->x.ticks[id].label;
    }
    label.x_px = spot_chart_x_px(place, x);
    label.width_px = spot_chart_text_px(label.text, strlen(label.text), size);
    if (label.second != NULL) {
        label.width_px = fmax(label.width_px,
            spot_chart_text_px(label.second, strlen(label.second), size));
    }
    label.width_px = fmin(label.width_px, place->cell_right - place->cell_left);
    return label;
}

static size_t
num_x_labels(const spot_chart_place_t *place)
{
    return place->node->look.x.kind == SPOT_CHART_ROWS ? place->node->num_rows
           : place->node->num_x_labels > 0             ? place->node->num_x_labels
                                                       : place->x.num_ticks;
}

/* As many as have room, each n-th. */
static void
put_x_labels(spot_chart_layout_t *self, const spot_chart_place_t *place)
{
    const spot_chart_foot_t foot = spot_chart_foot_of(self, place);
    const double y = place->box.bottom + foot.labels_px / 2 + 2;
    const double second_y =
        place->box.bottom + foot.labels_px + foot.name_px + foot.second_px / 2;
    const size_t num = num_x_labels(place);
    x_label_t *labels = spot_calloc(num, sizeof(*labels));
    size_t num_seen = 0, stride = 1;

    if (labels == NULL) {
        self->error = spot_error_first(self->error, SPOT_ERR_NO_MEMORY);
        return;
    }
    for (size_t j = 0; j < num; j++) {
        const x_label_t label = x_label_at(self, place, j);

        if (label.x_px >= place->box.left - 1 && label.x_px <= place->box.right + 1) {
            labels[num_seen++] = label;
        }
    }
    while (stride < num_seen && !fits(place, labels, num_seen, stride)) {
        stride++;
    }
    for (size_t j = 0; j < num_seen; j += stride) {
        put_x_label(self, place, &labels[j], SPOT_CHART_TEXT_TICK, labels[j].text, y);
        if (labels[j].second != NULL) {
            put_x_label(self, place, &labels[j], SPOT_CHART_TEXT_QUIET_TICK,
                labels[j].second, second_y);
        }
    }
    free(labels);
}

/* Where a name below a panel has its middle: that of the panel, if it fits around it. */
static double
middle_of(const spot_chart_layout_t *self, const spot_chart_place_t *place,
    spot_chart_text_look_t look, const char *name)
{
    const double middle = (place->box.left + place->box.right) / 2;
    const double room = 2 * fmin(middle - place->cell_left, place->cell_right - middle);
    const double width = spot_chart_text_px(name == NULL ? "" : name,
        name == NULL ? 0 : strlen(name), spot_chart_text_size(self, look));

    return width <= room ? middle : (place->cell_left + place->cell_right) / 2;
}

/* The name of x in the middle, that of second labels, and what is below y's low end. */
static void
put_x_names(spot_chart_layout_t *self, const spot_chart_place_t *place)
{
    const spot_chart_foot_t foot = spot_chart_foot_of(self, place);
    const spot_chart_panel_t *look = &place->node->look;
    const double max_px = place->cell_right - place->cell_left;
    double y = place->box.bottom + foot.labels_px;

    (void) spot_chart_put_wrapped(self, SPOT_CHART_TEXT_LABEL, SPOT_CHART_MIDDLE,
        middle_of(self, place, SPOT_CHART_TEXT_LABEL, place->x_name), y, place->x_name,
        max_px, 2, true);
    y += foot.name_px + foot.second_px;
    if (look->second_name != NULL) {
        (void) spot_chart_put_wrapped(self, SPOT_CHART_TEXT_NOTE, SPOT_CHART_MIDDLE,
            middle_of(self, place, SPOT_CHART_TEXT_NOTE, look->second_name), y,
            look->second_name, max_px, 2, true);
    }
    y += foot.second_name_px;
    if (look->y.low_name != NULL) {
        (void) spot_chart_put_wrapped(self, SPOT_CHART_TEXT_NOTE, SPOT_CHART_START,
            place->cell_left, y, look->y.low_name, max_px, 2, true);
    }
}

/* ---- Labels of y ---- */

static void
put_y_labels(spot_chart_layout_t *self, const spot_chart_place_t *place)
{
    double last_px = HUGE_VAL;

    for (size_t j = 0; j < place->y.num_ticks; j++) {
        const spot_chart_scale_tick_t *tick = &place->y.ticks[j];
        const double y = spot_chart_y_px(place, tick->value);

        if (last_px - y >= TICK_LINE_PX) {
            spot_chart_put(self, SPOT_CHART_TEXT_TICK, SPOT_CHART_END,
                place->box.left - 8, y,
                (spot_chart_line_t){tick->label, strlen(tick->label), false});
            last_px = y;
        }
    }
}

/* The sides of a row at the right of the panel, the last one at the very edge; where
 * they fold below the row, with their headings. */
static void
put_sides(spot_chart_layout_t *self, const spot_chart_place_t *place, size_t row_id,
    double y, double note_y)
{
    const spot_chart_row_t *row = &place->node->rows[row_id];
    const bool folds = spot_chart_folds(self, place->node);
    const double left = place->cell_left;
    double right = place->cell_right;

    for (size_t j = SPOT_CHART_MAX_SIDES; j-- > 0 && !folds;) {
        const double width = spot_chart_side_px(self, place->node, j);

        (void) spot_chart_put_cut(self, SPOT_CHART_TEXT_LABEL, SPOT_CHART_END, right, y,
            row->sides[j], width - SPOT_CHART_SIDE_GAP_PX);
        right -= width;
    }
    for (size_t j = 0; j < SPOT_CHART_MAX_SIDES && folds; j++) {
        if (row->sides[j] != NULL) {
            const double used =
                spot_chart_put_cut(self, SPOT_CHART_TEXT_NOTE, SPOT_CHART_START, left,
                    note_y, place->node->look.side_names[j], 0.6 * (right - left));
            const double x = left + (used > 0 ? used + 6 : 0);

            (void) spot_chart_put_cut(self, SPOT_CHART_TEXT_NOTE, SPOT_CHART_START, x,
                note_y, row->sides[j], right - x);
            note_y += SPOT_CHART_LINE_PX;
        }
    }
}

/* The heading, the name, the note and the sides of a row. */
static void
put_row(spot_chart_layout_t *self, const spot_chart_place_t *place, size_t row_id,
    bool has_name)
{
    const spot_chart_row_t *row = &place->node->rows[row_id];
    const double y = place->row_px[row_id];
    const double half = place->row_pitch_px / 2;
    const double left = self->is_narrow ? place->cell_left : place->box.left + 4;
    const double wide_px = place->cell_right - place->cell_left;
    double note_y = y + half + SPOT_CHART_LINE_PX / 2 - 2;

    if (row->heading != NULL) {
        (void) spot_chart_put_wrapped(self, SPOT_CHART_TEXT_NOTE, SPOT_CHART_START,
            place->cell_left, y - half - SPOT_CHART_LINE_PX, row->heading, wide_px, 1,
            true);
    }
    if (row->name != NULL && has_name) {
        const double max_px = place->box.left - 10 - place->cell_left;
        const bool is_wrapped = place->row_pitch_px >= 2 * SPOT_CHART_LINE_PX - 4;
        const double height = spot_chart_wrapped_px(
            self, SPOT_CHART_TEXT_LABEL, row->name, max_px, is_wrapped ? 2 : 1);

        (void) spot_chart_put_wrapped(self, SPOT_CHART_TEXT_LABEL, SPOT_CHART_END,
            place->box.left - 10, y - height / 2, row->name, max_px, is_wrapped ? 2 : 1,
            true);
    }
    (void) spot_chart_put_cut(self, SPOT_CHART_TEXT_NOTE, SPOT_CHART_START,
        place->box.left + 6, y, row->empty, place->box.right - place->box.left - 6);
    if (row->note != NULL) {
        note_y += spot_chart_put_wrapped(self, SPOT_CHART_TEXT_NOTE, SPOT_CHART_START,
            left, y + half - 2, row->note, place->cell_right - left,
            self->is_narrow ? 2 : 1, true);
    }
    put_sides(self, place, row_id, y, note_y);
}

/* Of many low rows each n-th has its name. */
static void
put_rows(spot_chart_layout_t *self, const spot_chart_place_t *place)
{
    const size_t stride =
        (size_t) fmax(ceil((SPOT_CHART_LINE_PX - 2) / place->row_pitch_px), 1);

    for (size_t j = 0; j < place->node->num_rows; j++) {
        put_row(self, place, j, j % stride == 0);
    }
}

void
spot_chart_put_axes(spot_chart_layout_t *self, const spot_chart_place_t *place)
{
    if (place->shows_x) {
        put_x_labels(self, place);
        put_x_names(self, place);
    }
    if (place->row_px != NULL) {
        put_rows(self, place);
    } else if (place->shows_y) {
        put_y_labels(self, place);
    }
}
