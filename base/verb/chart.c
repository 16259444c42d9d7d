/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/verb/chart.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

const char *spot_chart_fill(size_t place)
{
    static const char *const colours[] = {
        "#68b9ea", "#e8a735", "#5fb89a", "#cc79a7", "#f4df7d", "#7d9cc9", "#d55e00", "#6a4c93"};

    return colours[place % (sizeof(colours) / sizeof(colours[0]))];
}

#define USUAL_THICKNESS 0.68

/* ---- Memory ---- */

void *spot_memory_get(spot_memory_t *self, size_t num_items, size_t item_bytes)
{
    void *room = NULL;

    if (self->error == 0 && num_items < SIZE_MAX / item_bytes) {
        room = spot_texts_room(&self->texts, num_items * item_bytes + 1);
    }
    if (room == NULL) {
        self->error = spot_error_first(self->error, SPOT_ERR_NO_MEMORY);
    }
    return room;
}

int spot_memory_error(const spot_memory_t *self)
{
    return spot_error_first(self->error, self->texts.error);
}

void *spot_memory_append(spot_memory_t *self, void *list, size_t *num_items, size_t item_bytes)
{
    const size_t num = *num_items;
    char *items;

    memcpy(&items, list, sizeof(items));
    if (self->error == 0 && (num & (num - 1)) == 0) { /* 0, 1, 2, 4... */
        char *more = spot_memory_get(self, num == 0 ? 1 : 2 * num, item_bytes);

        if (more != NULL) {
            memcpy(more, num == 0 ? more : items, num * item_bytes);
            memcpy(list, &more, sizeof(more));
        }
        items = more;
    }
    if (self->error != 0) {
        spot_bug_assert(item_bytes <= sizeof(self->nothing));
        return memset(self->nothing, 0, item_bytes);
    }
    (*num_items)++;
    return memset(items + num * item_bytes, 0, item_bytes);
}

spot_chart_t *spot_chart_new(void)
{
    spot_chart_t *self = spot_calloc(1, sizeof(*self));

    if (self != NULL) {
        self->title = "";
        self->description = "";
    }
    return self;
}

void spot_chart_free(spot_chart_t *self)
{
    if (self != NULL) {
        spot_texts_free(&self->memory.texts);
        free(self);
    }
}

int spot_chart_error(const spot_chart_t *self)
{
    return spot_memory_error(&self->memory);
}

static void fail(spot_chart_t *self)
{
    self->memory.error = spot_error_first(self->memory.error, SPOT_ERR_BAD_PARAM);
}

/* Replaces a text by a copy of it; NULL stays. */
static void keep(spot_chart_t *self, const char **text)
{
    if (*text != NULL) {
        *text = spot_texts_add(&self->memory.texts, "%s", *text);
    }
}

/* Colours become attributes and commands: what is no colour becomes ink. */
static void keep_colour(spot_chart_t *self, const char **colour)
{
    if (*colour != NULL && (strlen(*colour) != 7 || **colour != '#' ||
                               strspn(*colour + 1, "0123456789abcdefABCDEF") != 6)) {
        *colour = SPOT_INK;
    }
    keep(self, colour);
}

static void keep_sides(spot_chart_t *self, const char *sides[SPOT_CHART_MAX_SIDES])
{
    for (size_t j = 0; j < SPOT_CHART_MAX_SIDES; j++) {
        keep(self, &sides[j]);
    }
}

/* What was opened last; after an error, BAD_PARAM where nothing is open, what counts for
 * nothing. */
static spot_panel_node_t *last_panel(spot_chart_t *self)
{
    if (self->num_panels == 0) {
        fail(self);
    }
    return self->memory.error != 0 ? &self->no_panel : &self->panels[self->num_panels - 1];
}

static spot_series_node_t *last_series(spot_chart_t *self)
{
    spot_panel_node_t *panel = last_panel(self);

    if (panel->num_series == 0) {
        fail(self);
    }
    return self->memory.error != 0 ? &self->no_series : &panel->series[panel->num_series - 1];
}

#define APPEND(self, owner, items) SPOT_APPEND(&(self)->memory, owner, items)

/* ---- Words ---- */

void spot_chart_title(spot_chart_t *self, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    self->title = spot_texts_vadd(&self->memory.texts, format, args);
    va_end(args);
}

void spot_chart_describe(spot_chart_t *self, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    self->description = spot_texts_vadd(&self->memory.texts, format, args);
    va_end(args);
}

void spot_chart_note(spot_chart_t *self, const char *format, ...)
{
    const char **line = APPEND(self, self, notes);
    va_list args;

    va_start(args, format);
    *line = spot_texts_vadd(&self->memory.texts, format, args);
    va_end(args);
}

void spot_chart_foot(spot_chart_t *self, const char *format, ...)
{
    const char **line = APPEND(self, self, feet);
    va_list args;

    va_start(args, format);
    *line = spot_texts_vadd(&self->memory.texts, format, args);
    va_end(args);
}

/* ---- Panels ---- */

void spot_chart_panel(spot_chart_t *self, const spot_chart_panel_t *panel)
{
    spot_panel_node_t *node = APPEND(self, self, panels);

    node->look = *panel;
    node->look.is_below = panel->is_below && self->num_panels > 1;
    keep(self, &node->look.title);
    keep(self, &node->look.x.name);
    keep(self, &node->look.y.name);
    if (panel->y.high_name != NULL) {
        node->look.y.high_name = spot_texts_add(&self->memory.texts, "↑ %s", panel->y.high_name);
    }
    if (panel->y.low_name != NULL) {
        node->look.y.low_name = spot_texts_add(&self->memory.texts, "↓ %s", panel->y.low_name);
    }
    keep(self, &node->look.second_name);
    keep(self, &node->look.note);
    keep(self, &node->look.empty);
    keep_sides(self, node->look.side_names);
}

size_t spot_chart_row(spot_chart_t *self, const spot_chart_row_t *row)
{
    spot_panel_node_t *panel = last_panel(self);
    spot_chart_row_t *node = APPEND(self, panel, rows);

    *node = *row;
    keep(self, &node->name);
    keep(self, &node->heading);
    keep(self, &node->note);
    keep(self, &node->empty);
    keep_sides(self, node->sides);
    return panel->num_rows == 0 ? 0 : panel->num_rows - 1;
}

void spot_chart_tick(spot_chart_t *self, double x, const char *label, const char *second)
{
    spot_panel_node_t *panel = last_panel(self);
    spot_x_label_t *node = APPEND(self, panel, x_labels);

    *node = (spot_x_label_t){x, label == NULL ? "" : label, second};
    keep(self, &node->label);
    keep(self, &node->second);
}

void spot_chart_legend(spot_chart_t *self, const spot_chart_entry_t *entry)
{
    spot_entry_node_t *node = APPEND(self, self, entries);

    node->look = *entry;
    node->look.text = entry->text == NULL ? "" : entry->text;
    node->look.colour = entry->colour == NULL ? SPOT_INK : entry->colour;
    node->item_id = -1;
    node->place = SPOT_NAME_LEGEND;
    keep(self, &node->look.text);
    keep(self, &node->look.side);
    keep(self, &node->look.sign);
    keep_colour(self, &node->look.colour);
}

/* The name of the last item of a list of the last panel. */
static void add_name(spot_chart_t *self, const spot_chart_entry_t *look, size_t num_items,
    bool is_rule, spot_name_t place)
{
    spot_entry_node_t *node = APPEND(self, self, entries);

    *node = (spot_entry_node_t){*look, self->num_panels - 1, (int) num_items - 1, is_rule, place};
}

void spot_chart_rule(spot_chart_t *self, const spot_chart_rule_t *rule)
{
    spot_panel_node_t *panel = last_panel(self);
    spot_chart_rule_t *node = APPEND(self, panel, rules);
    spot_chart_entry_t look = {.is_line = true, .dash = rule->dash};

    *node = *rule;
    node->colour = rule->colour == NULL ? SPOT_INK_QUIET : rule->colour;
    keep(self, &node->name);
    keep_colour(self, &node->colour);
    look.text = node->name;
    look.colour = node->colour;
    if (node->name != NULL && rule->direction == SPOT_CHART_DIAGONAL) {
        spot_chart_legend(self, &look);
    } else if (node->name != NULL && rule->direction == SPOT_CHART_HORIZONTAL) {
        add_name(self, &look, panel->num_rules, true, SPOT_NAME_END);
    }
}

/* ---- Series ---- */

static spot_name_t name_place(const spot_series_node_t *series)
{
    const spot_chart_series_t *look = &series->look;
    const bool has_end = series->is_line || series->is_area;

    if (look->name == NULL || look->name_at == SPOT_CHART_NAME_NONE) {
        return SPOT_NAME_NOWHERE;
    }
    if (look->name_at == SPOT_CHART_NAME_LEGEND) {
        return SPOT_NAME_LEGEND;
    }
    return look->kind == SPOT_CHART_STROKES ? SPOT_NAME_LANE
           : look->name_at == SPOT_CHART_NAME_END || (has_end && look->side == NULL)
               ? SPOT_NAME_END
               : SPOT_NAME_LEGEND;
}

void spot_chart_series(spot_chart_t *self, const spot_chart_series_t *series)
{
    spot_panel_node_t *panel = last_panel(self);
    spot_series_node_t *node = APPEND(self, panel, series);
    spot_chart_series_t *look = &node->look;
    bool is_lying;

    *look = *series;
    node->thickness = look->thickness > 0 ? look->thickness : USUAL_THICKNESS;
    look->colour = series->colour == NULL ? SPOT_INK : series->colour;
    if (look->kind == SPOT_CHART_POINTS && look->marker == SPOT_CHART_NO_MARKER) {
        look->marker = SPOT_CHART_CIRCLE;
    }
    keep(self, &look->name);
    keep_colour(self, &look->colour);
    keep(self, &look->side);
    keep_colour(self, &look->interval_colour);
    node->is_line = look->kind == SPOT_CHART_LINE || look->kind == SPOT_CHART_STEPS;
    node->is_area = look->kind == SPOT_CHART_AREA || look->kind == SPOT_CHART_AREA_STEPS;
    node->is_box = look->kind == SPOT_CHART_BARS || look->kind == SPOT_CHART_SPANS;
    node->is_stepped = look->kind == SPOT_CHART_STEPS || look->kind == SPOT_CHART_AREA_STEPS;
    node->is_stacked = node->is_area && !look->is_alone;
    is_lying = look->kind == SPOT_CHART_SPANS || panel->look.y.kind == SPOT_CHART_ROWS;
    node->along = node->is_box && is_lying ? SPOT_X : SPOT_Y;
    add_name(self,
        &(spot_chart_entry_t){.text = look->name,
            .side = look->side,
            .colour = look->colour,
            .marker = look->marker,
            .is_hollow = look->is_hollow,
            .is_line = node->is_line,
            .dash = look->dash},
        panel->num_series, false, name_place(node));
}

static spot_chart_shape_t shape_of(
    const spot_series_node_t *series, const spot_chart_datum_t *datum)
{
    const spot_chart_kind_t kind = series->look.kind;
    spot_chart_shape_t shape = {.at = {datum->x, datum->y},
        .low = {datum->x_low, datum->y_low},
        .high = {datum->x_high, datum->y_high},
        .colour = datum->colour == NULL ? series->look.colour : datum->colour,
        .is_hollow = datum->is_hollow || series->look.is_hollow};

    for (int dim = 0; dim < 2; dim++) {
        const bool has_none = series->is_box && dim != series->along;

        if (has_none || !(shape.high[dim] > shape.low[dim])) {
            shape.low[dim] = shape.high[dim] = (double) NAN;
        }
    }
    if (kind == SPOT_CHART_SPANS) {
        shape.base = datum->x_low;
        shape.at[SPOT_X] = datum->x_high;
    } else if (series->is_area && series->look.is_alone) {
        shape.base = isnan(shape.low[SPOT_Y]) ? 0 : shape.low[SPOT_Y];
    }
    if (kind == SPOT_CHART_SPANS || series->is_area) {
        shape.low[series->along] = shape.high[series->along] = (double) NAN;
    }
    return shape;
}

/* Where the last datum of a panel begins, which is stacked: upon the bars before it at
 * its place, or upon the last series of areas. O(the bars of the panel). */
static double base_of(const spot_panel_node_t *panel)
{
    const spot_series_node_t *last = &panel->series[panel->num_series - 1];
    const size_t datum_id = last->num_shapes - 1;
    const int along = last->along;
    double base = 0;

    for (size_t k = 0; k < panel->num_series; k++) {
        const spot_series_node_t *series = &panel->series[k];
        const size_t num = series == last ? datum_id : series->num_shapes;

        if (last->look.kind != SPOT_CHART_BARS && series != last && series->is_stacked) {
            base = datum_id < num ? series->shapes[datum_id].at[SPOT_Y] : (double) NAN;
        }
        for (size_t j = 0;
             last->look.kind == SPOT_CHART_BARS && series->look.kind == SPOT_CHART_BARS && j < num;
             j++) {
            const spot_chart_shape_t *shape = &series->shapes[j];

            if (shape->at[!along] == last->shapes[datum_id].at[!along] &&
                isfinite(shape->at[along])) {
                base += shape->at[along] - shape->base;
            }
        }
    }
    return base;
}

void spot_chart_add(spot_chart_t *self, const spot_chart_datum_t *datum)
{
    spot_series_node_t *series = last_series(self);
    spot_chart_datum_t *node = APPEND(self, series, data);
    spot_chart_shape_t *shape;

    *node = *datum;
    keep(self, &node->label);
    keep(self, &node->hover);
    keep_colour(self, &node->colour);
    self->num_hovers += datum->hover != NULL;
    shape = APPEND(self, series, shapes);
    if (self->memory.error == 0) {
        *shape = shape_of(series, &series->data[series->num_data - 1]);
        if (series->look.kind == SPOT_CHART_BARS || series->is_stacked) {
            shape->base = base_of(last_panel(self));
            shape->at[series->along] += shape->base;
        }
    }
}

void spot_chart_add_xy(spot_chart_t *self, double x, double y)
{
    spot_chart_add(self, &(spot_chart_datum_t){.x = x, .y = y});
}

void spot_chart_add_span(spot_chart_t *self, double row, double low, double high)
{
    spot_chart_add(self, &(spot_chart_datum_t){.x = low, .y = row, .x_low = low, .x_high = high});
}

/* ---- Curves ---- */

int spot_curve_add(spot_curve_t *self, double x, double y)
{
    if (spot_array_reserve((void **) &self->points, &self->max_points, self->num_points + 1,
            sizeof(*self->points)) != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->points[self->num_points++] = (spot_point_t){x, y};
    return 0;
}

void spot_curve_free(spot_curve_t *self)
{
    free(self->points);
    memset(self, 0, sizeof(*self));
}

double spot_curve_at(const spot_curve_t *self, size_t *step_id, double x)
{
    while (*step_id + 1 < self->num_points && self->points[*step_id + 1].x <= x) {
        (*step_id)++;
    }
    return self->points[*step_id].y;
}

/* Where the columns are. */
typedef struct {
    size_t num_columns;
    double low, high;
    bool is_log;
} columns_t;

/* What lies outside belongs to the first or last column. */
static size_t column_at(const columns_t *columns, double x)
{
    const double low = columns->low, high = columns->high;
    const double place =
        columns->is_log ? log(fmax(x, low) / low) / log(high / low) : (x - low) / (high - low);
    const double num_columns = (double) columns->num_columns;

    return (size_t) fmax(fmin(place * num_columns, num_columns - 1), 0);
}

void spot_curve_thin(spot_curve_t *self, size_t num_columns, double low, double high, bool is_log)
{
    const columns_t columns = {num_columns, low, high, is_log};
    spot_point_t *points = self->points;
    size_t num_kept = 0, next = 0;

    if (self->num_points <= 4 * num_columns) {
        return;
    }
    while (next < self->num_points) {
        const size_t first = next;
        const size_t column = column_at(&columns, points[first].x);
        size_t lowest = first, highest = first;

        while (next < self->num_points && column_at(&columns, points[next].x) == column) {
            lowest = points[next].y < points[lowest].y ? next : lowest;
            highest = points[next].y > points[highest].y ? next : highest;
            next++;
        }
        for (size_t j = first; j < next; j++) {
            if (j == first || j == lowest || j == highest || j + 1 == next) {
                points[num_kept++] = points[j];
            }
        }
    }
    self->num_points = num_kept;
}
