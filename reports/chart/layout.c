/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/chart/layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Rows of categories with their texts ----
 *
 * Names at the left, sides at the right, headings above them and notes below them. */

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

/* The width of a text in a line; 0 of NULL. */
static double sheet_text_px(const spot_sheet_t *self, int style, const char *text)
{
    const spot_chart_line_t line = {text, text == NULL ? 0 : strlen(text), false};

    return spot_chart_line_px(&line, spot_sheet_text_size(self->is_narrow, style));
}

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
            texts_px = fmax(texts_px, sheet_text_px(self, SPOT_LABEL, panel->rows[k].sides[j]));
        }
        width = fmax(texts_px, fmin(sheet_text_px(self, SPOT_NOTE, name), max_px));
        place->side_px[j] = width > 0 ? fmin(width, self->width_px / 4) + SIDE_GAP_PX : 0;
        place->sides_px += place->side_px[j];
        num_sides += texts_px > 0;
    }
    place->is_folded = self->is_narrow && num_sides > 1;
    place->sides_px = place->is_folded ? 0 : place->sides_px;
}

/* Texts of the sides in their columns, the last one at the very edge, from the top y on.
 * Returns their height. */
static double sheet_put_sides(spot_sheet_t *self, const spot_place_t *place, int style, double y,
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

/* ---- From the top down ---- */

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
            fmin(sheet_text_px(self, SPOT_NOTE, name), 0.6 * (right - place->cell_left));
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

/* Sets where rows are from the top of the box on, and the widths of sides; returns the
 * end of the rows. */
static double sheet_place_rows(spot_sheet_t *self, spot_place_t *place)
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

static double sheet_row_names_px(const spot_sheet_t *self, const spot_panel_node_t *panel)
{
    double width = 0;

    for (size_t j = 0; j < panel->num_rows; j++) {
        width = fmax(width, sheet_text_px(self, SPOT_LABEL, panel->rows[j].name));
    }
    return fmin(width, MAX_NAME_SHARE * self->width_px) + NAME_GAP_PX;
}

/* Moves what was put since "before" down. */
static void sheet_move(spot_sheet_t *self, const spot_items_t *before, double by_px)
{
    for (size_t j = before->num_texts; j < self->items.num_texts; j++) {
        self->items.texts[j].y += by_px;
    }
    for (size_t j = before->num_points; j < self->items.num_points; j++) {
        self->items.points[j].y += by_px;
    }
}

/* The name left of a row whose middle is at y. */
static void put_name(spot_sheet_t *self, const spot_place_t *place, double y, const char *name)
{
    const bool is_wrapped = place->scale[SPOT_Y].pitch_px >= 2 * SPOT_LINE_PX - 4;
    const spot_items_t before = self->items;
    const double right = place->box.left - NAME_GAP_PX;
    const double height = spot_sheet_put(
        self, SPOT_LABEL | SPOT_END, right, y, name, right - place->cell_left, is_wrapped ? 2 : 1);

    sheet_move(self, &before, -height / 2);
}

/* Of many low rows each n-th has its name. */
static void sheet_put_rows(spot_sheet_t *self, const spot_place_t *place)
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
        sheet_put_sides(self, place, SPOT_LABEL, line_y, row->sides, 1);
        (void) put_below(self, place, j, y + pitch / 2 - 2);
    }
}

/* ---- Axes: their ends, from data or as they were given, and the labels along them ---- */

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

/* ---- Ends of axes ---- */

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

/* The scale of an axis, from its data and its group. */
static void find_scale(const spot_chart_t *chart, const spot_panel_node_t *panel, int dim,
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

/* Sets the scales of all places, but not where they are. width_px is that of the
 * narrowest panel. */
static void sheet_find_scales(spot_sheet_t *self, double width_px)
{
    for (size_t j = 0; j < self->num_places; j++) {
        spot_place_t *place = &self->places[j];
        const double num_ticks[2] = {width_px / (self->is_narrow ? X_TICK_NARROW_PX : X_TICK_PX),
            (place->box.bottom - place->box.top) / Y_TICK_PX};

        for (int dim = 0; dim < 2; dim++) {
            const double num = fmin(fmax(floor(num_ticks[dim]) + 1, 5), 8);

            find_scale(self->chart, place->node, dim, (size_t) num, &place->scale[dim]);
            place->name[dim] =
                name_of(self, spot_chart_axis(place->node, dim)->name, &place->scale[dim]);
        }
    }
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
    width = fmin(fmax(sheet_text_px(self, SPOT_TICK, label->texts[0]),
                     sheet_text_px(self, SPOT_SECOND, label->texts[1])),
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
    const bool fits_there = sheet_text_px(self, style, name) <= room;

    return spot_sheet_put(self, style | SPOT_MIDDLE, fits_there ? middle : (left + right) / 2, y,
        name, right - left, 2);
}

/* Labels of x, its name, second labels, their name, and what is below y's low end. */
static double sheet_put_below(spot_sheet_t *self, const spot_place_t *place)
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

/* The labels of y, or the rows; and what is below the box, whose end is returned. */
static void sheet_put_left(spot_sheet_t *self, const spot_place_t *place)
{
    const spot_scale_t *scale = &place->scale[SPOT_Y];
    double last_px = HUGE_VAL;

    if (place->node->look.y.kind == SPOT_CHART_ROWS) {
        sheet_put_rows(self, place);
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

/* ---- Names of series: at their ends, where all fit there, else in a legend ---- */

#define LINE_PX 16.0       /* between names at ends */
#define ENTRY_GAP_PX 2.0   /* between entries of a legend */
#define SAMPLE_PX 12.0     /* the width of a sample */
#define INDENT_PX 19.0     /* of a text behind its sample */
#define FLOW_GAP_PX 20.0   /* between entries in a line */
#define LEADER_PX 18.0     /* from the end of a series to the sample of its name */
#define MAX_END_SHARE 0.25 /* of the width */
#define MAX_COLUMN_PX 300.0
#define LEGEND_SIDE_GAP_PX 14.0
#define HEADING_GAP_PX 8.0

/* ---- Which names stand where ---- */

static const spot_series_node_t *series_of(const spot_sheet_t *self, const spot_entry_node_t *entry)
{
    return &self->chart->panels[entry->panel_id].series[entry->item_id];
}

static bool is_same_text(const char *a, const char *b)
{
    return (a == NULL || b == NULL) ? a == b : strcmp(a, b) == 0;
}

static bool is_same(const spot_chart_entry_t *a, const spot_chart_entry_t *b)
{
    return is_same_text(a->text, b->text) && is_same_text(a->side, b->side) &&
           strcmp(a->colour, b->colour) == 0 && a->marker == b->marker &&
           a->is_hollow == b->is_hollow && a->is_line == b->is_line;
}

/* Where a name stands, if there is room at the ends of series or not. */
static spot_name_t choose_name(
    const spot_sheet_t *self, const spot_entry_node_t *entry, bool has_ends)
{
    if (entry->place == SPOT_NAME_LANE) {
        return self->is_narrow ? SPOT_NAME_ABOVE : SPOT_NAME_LANE;
    }
    if (entry->is_rule) {
        return self->is_narrow ? SPOT_NAME_NOWHERE : SPOT_NAME_END;
    }
    if (entry->item_id >= 0 && series_of(self, entry)->num_data == 0) {
        return SPOT_NAME_NOWHERE;
    }
    return entry->place == SPOT_NAME_END && !has_ends ? SPOT_NAME_LEGEND : entry->place;
}

/* Equal entries stand in the legend once, but for headings. */
static void set_names(spot_sheet_t *self, bool has_ends)
{
    const spot_entry_node_t *entries = self->chart->entries;

    for (size_t j = 0; j < self->chart->num_entries; j++) {
        self->names[j] = choose_name(self, &entries[j], has_ends);
        for (size_t k = 0;
             k < j && self->names[j] == SPOT_NAME_LEGEND && !entries[j].look.is_heading; k++) {
            if (self->names[k] == SPOT_NAME_LEGEND && is_same(&entries[j].look, &entries[k].look)) {
                self->names[j] = SPOT_NAME_NOWHERE;
            }
        }
    }
}

static bool is_at_right(const spot_sheet_t *self, size_t entry_id)
{
    return self->names[entry_id] == SPOT_NAME_END || self->names[entry_id] == SPOT_NAME_LANE;
}

/* How many names a panel has at its right; of a text only, if it is not NULL. */
static size_t sheet_num_ends(const spot_sheet_t *self, size_t panel_id, const char *text)
{
    size_t num_ends = 0;

    for (size_t j = 0; j < self->chart->num_entries; j++) {
        const spot_entry_node_t *entry = &self->chart->entries[j];

        num_ends += is_at_right(self, j) && entry->panel_id == panel_id &&
                    (text == NULL || strcmp(entry->look.text, text) == 0);
    }
    return num_ends;
}

/* Whether the names at ends have room in the last panel of each row of the grid, which
 * has those of all panels in it. */
static bool do_ends_fit(const spot_sheet_t *self)
{
    for (size_t j = 0; j < self->num_places; j++) {
        const spot_place_t *place = &self->places[j];
        const size_t num_ends = sheet_num_ends(self, j, NULL);

        if (place->is_last_column && num_ends > 1 &&
            (double) num_ends * LINE_PX > place->box.bottom - place->box.top) {
            return false;
        }
        for (size_t k = 0; k < self->chart->num_entries && place->is_last_column; k++) {
            const spot_entry_node_t *entry = &self->chart->entries[k];
            const spot_place_t *other = &self->places[entry->panel_id];

            if (self->names[k] == SPOT_NAME_END && !entry->is_rule && other->row == place->row &&
                other->column < place->column && sheet_num_ends(self, j, entry->look.text) == 0) {
                return false;
            }
        }
    }
    return true;
}

static double side_px(const spot_sheet_t *self, const spot_chart_entry_t *entry)
{
    const double width = sheet_text_px(self, SPOT_LABEL, entry->side);

    return width > 0 ? width + LEGEND_SIDE_GAP_PX : 0;
}

static double entry_px(const spot_sheet_t *self, const spot_chart_entry_t *entry)
{
    return (entry->is_heading ? 0 : INDENT_PX) + side_px(self, entry) +
           sheet_text_px(self, SPOT_LABEL, entry->text);
}

/* Chooses where the names of all entries stand: at their ends where all of them fit. */
static void sheet_choose_names(spot_sheet_t *self)
{
    bool is_list = false;

    set_names(self, !self->is_narrow);
    if (!do_ends_fit(self)) {
        set_names(self, false);
    }
    for (size_t j = 0; j < self->chart->num_entries; j++) {
        const spot_entry_node_t *entry = &self->chart->entries[j];
        const spot_chart_entry_t *look = &entry->look;

        if (is_at_right(self, j) && self->places[entry->panel_id].is_last_column) {
            const double width = sheet_text_px(self, SPOT_LABEL, look->text);

            self->ends_px = fmax(
                self->ends_px, fmin(width, MAX_END_SHARE * self->width_px) + LEADER_PX + INDENT_PX);
        } else if (self->names[j] == SPOT_NAME_LEGEND) {
            is_list = is_list || look->side != NULL || look->is_heading || look->sign != NULL;
            self->legend_px = fmin(fmax(self->legend_px, entry_px(self, look)), MAX_COLUMN_PX);
        }
    }
    self->legend = !is_list                             ? SPOT_LEGEND_FLOW
                   : self->is_narrow || self->has_sides ? SPOT_LEGEND_LIST
                                                        : SPOT_LEGEND_COLUMN;
}

/* ---- Entries ---- */

/* An entry from the top y on, its text in at most max_lines. Returns its height. */
static double put_entry(spot_sheet_t *self, const spot_chart_entry_t *entry, double x, double y,
    double max_px, size_t max_lines)
{
    const double indent = entry->is_heading ? 0 : INDENT_PX;
    const double height = spot_sheet_put(self, entry->is_heading ? SPOT_NOTE : SPOT_LABEL,
        x + indent, y, entry->text, max_px - indent - side_px(self, entry), max_lines);

    if (entry->sign != NULL && !entry->is_heading) {
        spot_sheet_put(
            self, SPOT_LABEL | SPOT_MIDDLE, x + SAMPLE_PX / 2, y, entry->sign, 2 * SAMPLE_PX, 1);
    } else if (!entry->is_heading) {
        spot_sheet_put_sample(self, entry, x + SAMPLE_PX / 2, y + SPOT_LINE_PX / 2);
    }
    spot_sheet_put(self, SPOT_LABEL | SPOT_END, x + max_px, y, entry->side, max_px / 2, 1);
    return fmax(height, SPOT_LINE_PX) + ENTRY_GAP_PX;
}

/* A name outside of the legend, in a line and without its side. */
static void put_entry_name(
    spot_sheet_t *self, const spot_chart_entry_t *entry, double x, double y, double max_px)
{
    spot_chart_entry_t name = *entry;

    name.side = NULL;
    put_entry(self, &name, x, y, max_px, 1);
}

/* The names of lanes above them; returns their height. */
static double sheet_put_lanes(spot_sheet_t *self, const spot_place_t *place, double x, double y)
{
    double used = 0;

    for (size_t j = 0; j < self->chart->num_entries; j++) {
        const spot_entry_node_t *entry = &self->chart->entries[j];

        if (self->names[j] == SPOT_NAME_ABOVE && entry->panel_id == place->id) {
            put_entry_name(self, &entry->look, x, y + used, place->box.right - x);
            used += SPOT_LINE_PX;
        }
    }
    return used;
}

/* ---- Names at ends ---- */

typedef struct {
    const spot_chart_entry_t *look;
    double from_x, from_y; /* what it names */
    bool is_lane;
    double y;
} end_t;

/* The last place of a series that can be seen within its box; false: there is none. Of
 * areas it is the middle between their edges. */
static bool find_end(const spot_place_t *place, const spot_series_node_t *series, end_t *end)
{
    const bool is_area = series->is_area;
    bool is_seen = !is_area, is_found = false;

    for (size_t j = series->num_data; j-- > 0 && !(is_found && is_seen);) {
        const spot_chart_shape_t *shape = &series->shapes[j];
        spot_px_t point = spot_place_px(place, shape->at);

        if (is_area) {
            const double base = spot_scale_end_px(&place->scale[SPOT_Y], shape->base);

            is_seen = is_seen || base - point.y >= 0.5;
            point.y = (point.y + base) / 2;
        }
        if (!is_found && spot_box_has(&place->box, point.x, point.y)) {
            end->from_x = point.x;
            end->from_y = point.y;
            is_found = true;
        }
    }
    return is_found && is_seen;
}

/* What an entry has at the right of a place; false: nothing. */
static bool find_name(
    const spot_sheet_t *self, const spot_place_t *place, size_t entry_id, end_t *end)
{
    const spot_entry_node_t *entry = &self->chart->entries[entry_id];
    const spot_box_t *box = &place->box;

    *end = (end_t){&entry->look, box->right, (box->top + box->bottom) / 2,
        self->names[entry_id] == SPOT_NAME_LANE, 0};
    if (!is_at_right(self, entry_id) || entry->panel_id != place->id) {
        return false;
    }
    if (entry->is_rule) {
        end->from_y = spot_scale_px(&place->scale[SPOT_Y], place->node->rules[entry->item_id].at);
        return spot_box_has(box, end->from_x, end->from_y);
    }
    return end->is_lane || find_end(place, series_of(self, entry), end);
}

static int by_height(const void *a, const void *b)
{
    const end_t *x = a, *y = b;

    return (x->from_y > y->from_y) - (x->from_y < y->from_y);
}

/* Moves names apart that would touch, within the panel: downwards first, then what went
 * beyond the bottom up again. */
static void spread(const spot_box_t *box, end_t *ends, size_t num_ends)
{
    double limit = box->top;

    for (size_t j = 0; j < num_ends; j++) {
        ends[j].y = fmax(ends[j].from_y, limit);
        limit = ends[j].y + LINE_PX;
    }
    limit = fmax(box->bottom, box->top + LINE_PX * ((double) num_ends - 1));
    for (size_t j = num_ends; j-- > 0;) {
        ends[j].y = fmin(ends[j].y, limit);
        limit = ends[j].y - LINE_PX;
    }
}

static void sheet_put_ends(spot_sheet_t *self, const spot_place_t *place)
{
    const double x = place->box.right + LEADER_PX;
    const size_t max_ends = place->is_last_column ? self->chart->num_entries : 0;
    end_t *ends = spot_memory_get(&self->memory, max_ends, sizeof(*ends));
    size_t num_ends = 0;

    for (size_t j = 0; j < max_ends && ends != NULL; j++) {
        num_ends += find_name(self, place, j, &ends[num_ends]);
    }
    if (num_ends > 0) {
        qsort(ends, num_ends, sizeof(*ends), by_height);
        spread(&place->box, ends, num_ends);
    }
    for (size_t j = 0; j < num_ends; j++) {
        if (!ends[j].is_lane) {
            spot_sheet_mark(self, SPOT_MARK_LINE, "ax", NULL, 0);
            spot_sheet_segment(
                self, fmax(ends[j].from_x, place->box.left) + 4, ends[j].from_y, x - 3, ends[j].y);
        }
        put_entry_name(self, ends[j].look, x, ends[j].y - SPOT_LINE_PX / 2,
            INDENT_PX + MAX_END_SHARE * self->width_px);
    }
}

/* ---- The legend ---- */

/* The legend from x, y on in max_px; returns its height. */
/* A list has an entry a line, headings a little apart; else lines are full. */
static double sheet_put_legend(spot_sheet_t *self, double x, double y, double max_px)
{
    const bool is_flow = self->legend == SPOT_LEGEND_FLOW;
    const spot_chart_entry_t *last = NULL;
    double at = 0, used = is_flow ? 4 : 0;

    for (size_t j = 0; j < self->chart->num_entries; j++) {
        const spot_chart_entry_t *entry = &self->chart->entries[j].look;

        if (self->names[j] != SPOT_NAME_LEGEND) {
            continue;
        }
        if (is_flow) {
            const double width = fmin(entry_px(self, entry) + 1, max_px);

            if (at > 0 && at + width > max_px) {
                at = 0;
                used += SPOT_LINE_PX + ENTRY_GAP_PX;
            }
            put_entry(self, entry, x + at, y + used, width, 1);
            at += width + (self->is_narrow ? 0.7 : 1) * FLOW_GAP_PX;
        } else {
            used += entry->is_heading && last != NULL && !last->is_heading ? HEADING_GAP_PX : 0;
            used += put_entry(self, entry, x, y + used, max_px, 2);
        }
        last = entry;
    }
    return !is_flow ? used : last == NULL ? 0 : used + SPOT_LINE_PX + 10;
}

/* ---- The grid of panels and the words around it ---- */

#define PANEL_PX 290.0
#define PANEL_NARROW_PX 220.0
#define SQUARE_PX 460.0
#define COLUMN_GAP_PX 36.0
#define ROW_GAP_PX 24.0   /* between rows of the grid */
#define BELOW_GAP_PX 12.0 /* between panels of a cell */
#define HEAD_GAP_PX 12.0  /* between the head of a panel and its top */
#define LEGEND_GAP_PX 20.0
#define MIN_LEFT_PX 30.0
#define MAX_COLUMNS 3

/* ---- Places ---- */

static size_t choose_columns(const spot_sheet_t *self, size_t num_cells)
{
    bool is_one = self->is_narrow || num_cells <= 1;

    for (size_t j = 0; j < self->num_places; j++) {
        is_one = is_one || self->chart->panels[j].look.y.kind == SPOT_CHART_ROWS;
    }
    return is_one ? 1 : num_cells == 2 || num_cells == 4 ? 2 : MAX_COLUMNS;
}

static bool is_shared(const spot_chart_axis_t *a, const spot_chart_axis_t *b)
{
    return a->group > 0 && a->group == b->group;
}

/* The height of a panel's box. */
static double panel_px(spot_sheet_t *self, spot_place_t *place)
{
    const spot_chart_panel_t *look = &place->node->look;
    const double usual = self->is_narrow ? PANEL_NARROW_PX : PANEL_PX;

    if (look->y.kind == SPOT_CHART_ROWS) {
        return sheet_place_rows(self, place) - place->box.top;
    }
    if (look->is_square && place->box.right > place->box.left) {
        return place->box.right - place->box.left;
    }
    if (look->height_px > 0) {
        return self->is_narrow ? fmin(look->height_px, usual) : look->height_px;
    }
    return usual;
}

/* Row and column of each panel, and which axes have labels. */
static void choose_places(spot_sheet_t *self)
{
    size_t num_cells = 0, cell = 0;

    for (size_t j = 0; j < self->num_places; j++) {
        num_cells += !self->chart->panels[j].look.is_below;
    }
    self->num_columns = choose_columns(self, num_cells);
    for (size_t j = 0; j < self->num_places; j++) {
        const spot_panel_node_t *node = &self->chart->panels[j];
        const spot_chart_panel_t *look = &node->look;
        const bool has_below = j + 1 < self->num_places && node[1].look.is_below;
        spot_place_t *place = &self->places[j];

        cell += !look->is_below;
        *place = (spot_place_t){.node = node,
            .id = j,
            .column = (cell - 1) % self->num_columns,
            .row = (cell - 1) / self->num_columns,
            .is_last_column = cell % self->num_columns == 0 || cell == num_cells,
            .is_first_of_cell = !look->is_below,
            .cell_left = self->margin_px,
            .cell_right = self->width_px - self->margin_px};
        place->is_shown[SPOT_X] =
            !look->x.is_hidden && !(has_below && is_shared(&look->x, &node[1].look.x));
        place->is_shown[SPOT_Y] = !look->y.is_hidden && (place->column == 0 || look->y.group == 0);
        place->box.bottom = panel_px(self, place);
        self->has_sides = self->has_sides || place->sides_px > 0;
    }
}

/* ---- Across ---- */

/* Room for the labels of y, or of rows. */
static double left_px(const spot_sheet_t *self, const spot_place_t *place)
{
    const spot_scale_t *y = &place->scale[SPOT_Y];
    double width = 0;

    if (y->kind == SPOT_CHART_ROWS) {
        return sheet_row_names_px(self, place->node);
    }
    for (size_t k = 0; k < y->num_ticks && place->is_shown[SPOT_Y]; k++) {
        width = fmax(width, sheet_text_px(self, SPOT_TICK, y->ticks[k].label));
    }
    return width > 0 ? fmax(width + 8, MIN_LEFT_PX) : 0;
}

/* For sides of rows, names at ends and a legend, beside each other; the legend may end
 * above the first names at ends. */
static double right_px(spot_sheet_t *self)
{
    double sides = 0, legend = 0, free_px = 0;
    bool has_ends = false;

    for (size_t j = 0; j < self->num_places; j++) {
        sides = fmax(sides, self->places[j].sides_px);
        has_ends = has_ends || sheet_num_ends(self, j, NULL) > 0;
        free_px += has_ends ? 0 : self->places[j].box.bottom;
    }
    if (self->legend == SPOT_LEGEND_COLUMN && self->num_places > 0) {
        const spot_items_t before = self->items;
        const double height = sheet_put_legend(self, 0, 0, self->legend_px);

        self->items = before;
        legend = self->legend_px + LEGEND_GAP_PX;
        if (self->num_columns == 1 && height <= free_px) {
            return fmax(self->ends_px, legend);
        }
    }
    return sides + self->ends_px + legend;
}

/* The left and right edges of all boxes. */
static void lay_across(spot_sheet_t *self)
{
    /* The last label of x reaches beyond the box. */
    const double right = fmax(right_px(self), self->is_narrow ? 8 : 16);
    const double half_gap = COLUMN_GAP_PX / 2 - 4;
    const double num_columns = (double) self->num_columns;
    double lefts[MAX_COLUMNS] = {0}, width = self->width_px - 2 * self->margin_px - right;

    for (size_t j = 0; j < self->num_places; j++) {
        double *left = &lefts[self->places[j].column];

        *left = fmax(*left, left_px(self, &self->places[j]));
    }
    width -= lefts[0] + lefts[1] + lefts[2] + COLUMN_GAP_PX * (num_columns - 1);
    width = fmax(width / num_columns, 40);
    for (size_t j = 0; j < self->num_places; j++) {
        spot_place_t *place = &self->places[j];
        const bool is_last = place->column + 1 == self->num_columns;
        double x = self->margin_px;

        for (size_t column = 0; column < place->column; column++) {
            x += lefts[column] + width + COLUMN_GAP_PX;
        }
        place->box.left = x + lefts[place->column];
        place->box.right =
            place->box.left + (place->node->look.is_square ? fmin(width, SQUARE_PX) : width);
        if (place->column > 0) {
            place->cell_left = x - (lefts[place->column] > 0 ? 0 : half_gap);
        }
        if (place->node->look.y.kind != SPOT_CHART_ROWS || place->node->num_rows == 0) {
            place->cell_right = place->box.right + (is_last ? fmin(right, half_gap) : half_gap);
        }
    }
}

/* ---- Down ---- */

static double put_note(
    spot_sheet_t *self, double x, double y, const char *text, double max_px, size_t max_lines)
{
    return spot_sheet_put(self, SPOT_NOTE, x, y, text, max_px, max_lines);
}

/* The title, the name of y and the note above a panel. Returns their height. */
static double put_head(spot_sheet_t *self, const spot_place_t *place, double top)
{
    const spot_chart_panel_t *look = &place->node->look;
    const char *y_name = place->name[SPOT_Y];
    const double left = place->column == 0 ? self->margin_px : place->box.left;
    const double max_px = fmax(place->box.right, place->cell_right) - left;
    const double name_px = sheet_text_px(self, SPOT_NOTE, y_name);
    const double note_px = sheet_text_px(self, SPOT_NOTE, look->note);
    double y = top;

    y += spot_sheet_put(self, SPOT_PANEL, left, y, look->title, max_px, 2);
    y += put_note(self, left, y, look->y.high_name, max_px, 2);
    if (name_px + note_px + 16 > place->box.right - left) {
        y += put_note(self, left, y, look->note, max_px, 2);
    } else {
        const double height =
            spot_sheet_put(self, SPOT_NOTE | SPOT_END, place->box.right, y, look->note, max_px, 1);

        y += name_px > 0 ? 0 : height;
    }
    if (place->is_shown[SPOT_Y]) {
        y += put_note(self, left, y, y_name, max_px, 2);
    } else {
        y += name_px > 0 ? SPOT_LINE_PX : 0; /* as high as beside it */
    }
    y += sheet_put_lanes(self, place, left, y);
    y += sheet_put_sides(self, place, SPOT_NOTE, y, look->side_names, 3);
    return y > top ? y - top + HEAD_GAP_PX : 0;
}

/* A panel whose head ends at the top. Returns its end. */
static double lay_panel(spot_sheet_t *self, spot_place_t *place, double top)
{
    place->box.top = top;
    place->box.bottom = top + panel_px(self, place);
    for (int dim = 0; dim < 2; dim++) {
        spot_scale_t *scale = &place->scale[dim];

        scale->low_px = dim == SPOT_X ? place->box.left : place->box.bottom;
        scale->high_px = dim == SPOT_X ? place->box.right : place->box.top;
    }
    sheet_put_left(self, place);
    spot_sheet_put_marks(self, place);
    sheet_put_ends(self, place);
    return sheet_put_below(self, place);
}

/* A row of the grid, with the heads of its cells upon their panels. */
static double lay_row(spot_sheet_t *self, size_t row, double top)
{
    double head_px = 10, bottom = top, y = top;

    for (size_t j = 0; j < self->num_places; j++) {
        if (self->places[j].row == row && self->places[j].is_first_of_cell) {
            const spot_items_t before = self->items;

            head_px = fmax(head_px, put_head(self, &self->places[j], top));
            self->items = before;
        }
    }
    for (size_t j = 0; j < self->num_places; j++) {
        spot_place_t *place = &self->places[j];
        const spot_items_t before = self->items;

        if (place->row != row) {
            continue;
        }
        if (place->is_first_of_cell) {
            y = top + head_px;
            sheet_move(self, &before, head_px - put_head(self, place, top));
        } else {
            y += BELOW_GAP_PX;
            y += put_head(self, place, y);
        }
        y = lay_panel(self, place, y);
        bottom = fmax(bottom, y);
    }
    return bottom;
}

/* Lines of the whole picture. Returns their end. */
static double put_lines(spot_sheet_t *self, const char *const *lines, size_t num_lines, double y)
{
    for (size_t j = 0; j < num_lines; j++) {
        y += put_note(self, self->margin_px, y, lines[j], self->width_px - 2 * self->margin_px, 4);
    }
    return y;
}

static void lay_down(spot_sheet_t *self)
{
    const double margin = self->margin_px, max_px = self->width_px - 2 * margin;
    double y = self->is_narrow ? 4 : 16;

    if (self->has_title) {
        y += spot_sheet_put(self, SPOT_TITLE, margin, y, self->chart->title, max_px, 3);
    }
    y = put_lines(self, self->chart->notes, self->chart->num_notes, y) + 8;
    if (self->legend == SPOT_LEGEND_FLOW) {
        y += sheet_put_legend(self, margin, y, max_px);
    }
    for (size_t j = 0; j < self->num_places; j++) {
        if (self->places[j].column == 0 && self->places[j].is_first_of_cell) {
            y = lay_row(self, self->places[j].row, y + (j > 0 ? ROW_GAP_PX : 0));
        }
    }
    if (self->legend == SPOT_LEGEND_COLUMN && self->num_places > 0) {
        const double top = self->places[0].box.top;

        y = fmax(y, top + sheet_put_legend(self, self->width_px - margin - self->legend_px, top - 4,
                              self->legend_px));
    } else if (self->legend == SPOT_LEGEND_LIST) {
        y += 8;
        y += sheet_put_legend(self, margin, y, max_px);
    }
    y = put_lines(self, self->chart->feet, self->chart->num_feet, y + 8);
    self->height_px = y + (self->is_narrow ? 4 : 12);
}

int spot_sheet_init(spot_sheet_t *self, spot_chart_t *chart, double width_px, bool has_title)
{
    const bool is_narrow = width_px < 600;

    *self = (spot_sheet_t){.chart = chart,
        .memory = {.error = spot_chart_error(chart)},
        .width_px = width_px,
        .is_narrow = is_narrow,
        .margin_px = is_narrow ? 8 : 24,
        .has_title = has_title,
        .num_places = chart->num_panels};
    self->places = spot_memory_get(&self->memory, chart->num_panels, sizeof(*self->places));
    self->names = spot_memory_get(&self->memory, chart->num_entries, sizeof(*self->names));
    if (self->memory.error == 0) {
        choose_places(self);
        sheet_find_scales(self, (width_px - (is_narrow ? 60 : 160)) / (double) self->num_columns);
        sheet_choose_names(self);
        lay_across(self);
        lay_down(self);
        spot_sheet_put_labels(self);
    }
    return spot_memory_error(&self->memory);
}

void spot_sheet_free(spot_sheet_t *self)
{
    spot_texts_free(&self->memory.texts);
}
