/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The names of series: at their ends, where all fit there, else in a legend. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/chart/sheet.h"

#define LINE_PX 16.0       /* between names at ends */
#define ENTRY_GAP_PX 2.0   /* between entries of a legend */
#define SAMPLE_PX 12.0     /* the width of a sample */
#define INDENT_PX 19.0     /* of a text behind its sample */
#define FLOW_GAP_PX 20.0   /* between entries in a line */
#define LEADER_PX 18.0     /* from the end of a series to the sample of its name */
#define MAX_END_SHARE 0.25 /* of the width */
#define MAX_COLUMN_PX 300.0
#define SIDE_GAP_PX 14.0
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

size_t spot_sheet_num_ends(const spot_sheet_t *self, size_t panel_id, const char *text)
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
        const size_t num_ends = spot_sheet_num_ends(self, j, NULL);

        if (place->is_last_column && num_ends > 1 &&
            (double) num_ends * LINE_PX > place->box.bottom - place->box.top) {
            return false;
        }
        for (size_t k = 0; k < self->chart->num_entries && place->is_last_column; k++) {
            const spot_entry_node_t *entry = &self->chart->entries[k];
            const spot_place_t *other = &self->places[entry->panel_id];

            if (self->names[k] == SPOT_NAME_END && !entry->is_rule && other->row == place->row &&
                other->column < place->column &&
                spot_sheet_num_ends(self, j, entry->look.text) == 0) {
                return false;
            }
        }
    }
    return true;
}

static double side_px(const spot_sheet_t *self, const spot_chart_entry_t *entry)
{
    const double width = spot_sheet_text_px(self, SPOT_LABEL, entry->side);

    return width > 0 ? width + SIDE_GAP_PX : 0;
}

static double entry_px(const spot_sheet_t *self, const spot_chart_entry_t *entry)
{
    return (entry->is_heading ? 0 : INDENT_PX) + side_px(self, entry) +
           spot_sheet_text_px(self, SPOT_LABEL, entry->text);
}

void spot_sheet_choose_names(spot_sheet_t *self)
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
            const double width = spot_sheet_text_px(self, SPOT_LABEL, look->text);

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
static void put_name(
    spot_sheet_t *self, const spot_chart_entry_t *entry, double x, double y, double max_px)
{
    spot_chart_entry_t name = *entry;

    name.side = NULL;
    put_entry(self, &name, x, y, max_px, 1);
}

double spot_sheet_put_lanes(spot_sheet_t *self, const spot_place_t *place, double x, double y)
{
    double used = 0;

    for (size_t j = 0; j < self->chart->num_entries; j++) {
        const spot_entry_node_t *entry = &self->chart->entries[j];

        if (self->names[j] == SPOT_NAME_ABOVE && entry->panel_id == place->id) {
            put_name(self, &entry->look, x, y + used, place->box.right - x);
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

void spot_sheet_put_ends(spot_sheet_t *self, const spot_place_t *place)
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
        put_name(self, ends[j].look, x, ends[j].y - SPOT_LINE_PX / 2,
            INDENT_PX + MAX_END_SHARE * self->width_px);
    }
}

/* ---- The legend ---- */

/* A list has an entry a line, headings a little apart; else lines are full. */
double spot_sheet_put_legend(spot_sheet_t *self, double x, double y, double max_px)
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
