/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The names of series: at their ends, where all fit there, else in a legend. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "reports/chart/layout.h"

#define LINE_PX 16.0       /* between names at ends */
#define ENTRY_GAP_PX 2.0   /* between entries of a legend */
#define SAMPLE_PX 12.0     /* the width of a sample */
#define SAMPLE_GAP_PX 7.0  /* behind it */
#define FLOW_GAP_PX 20.0   /* between entries in a line */
#define LEADER_PX 18.0     /* from the end of a series to the sample of its name */
#define MAX_END_SHARE 0.25 /* of the width */
#define MAX_COLUMN_PX 300.0
#define SIDE_GAP_PX 14.0
#define HEADING_GAP_PX 8.0

/* ---- Which names stand where ---- */

/* A name at the right of a panel. */
typedef struct {
    spot_chart_entry_t sample; /* with the name */
    double from_x, from_y;     /* what it names */
    bool is_lane;              /* a whole panel */
    double y;
} end_name_t;

static spot_chart_entry_t
sample_of(const spot_chart_series_t *look)
{
    return (spot_chart_entry_t){.text = look->name,
        .side = look->side,
        .colour = look->colour,
        .marker = look->marker,
        .is_hollow = look->is_hollow,
        .is_line = spot_chart_is_line(look->kind),
        .dash = look->dash};
}

/* Whether a series has its name at its end, if all of them fit. */
static bool
is_end_named(const spot_chart_series_node_t *series)
{
    const spot_chart_series_t *look = &series->look;
    const bool is_auto =
        look->name_at == SPOT_CHART_NAME_AUTO && look->side == NULL &&
        (spot_chart_is_line(look->kind) || spot_chart_is_area(look->kind));

    return look->name != NULL && series->num_data > 0 &&
           (is_auto || look->name_at == SPOT_CHART_NAME_END);
}

static bool
is_named_stroke(const spot_chart_series_node_t *series)
{
    return series->look.kind == SPOT_CHART_STROKES && series->look.name != NULL &&
           series->look.name_at != SPOT_CHART_NAME_NONE &&
           series->look.name_at != SPOT_CHART_NAME_LEGEND;
}

/* What may have a name at the right: the series of a panel, then its rules. */
static size_t
num_items(const spot_chart_place_t *place)
{
    return place->node->num_series + place->node->num_rules;
}

/* The name of an item at the right, if it has one there. */
static bool
has_end(const spot_chart_layout_t *self, const spot_chart_place_t *place, size_t item_id,
    end_name_t *name)
{
    const spot_chart_rule_t *rule;

    *name = (end_name_t){.is_lane = false};
    if (item_id < place->node->num_series) {
        const spot_chart_series_node_t *series = &place->node->series[item_id];

        name->sample = sample_of(&series->look);
        name->is_lane = is_named_stroke(series);
        return name->is_lane ? !self->is_narrow
                             : self->has_end_names && is_end_named(series);
    }
    rule = &place->node->rules[item_id - place->node->num_series];
    name->sample = (spot_chart_entry_t){
        .text = rule->name, .colour = rule->colour, .is_line = true, .dash = rule->dash};
    return !self->is_narrow && rule->direction == SPOT_CHART_HORIZONTAL &&
           rule->name != NULL;
}

size_t
spot_chart_num_ends(const spot_chart_layout_t *self, const spot_chart_place_t *place)
{
    size_t num_ends = 0;
    end_name_t name;

    for (size_t j = 0; j < num_items(place); j++) {
        num_ends += has_end(self, place, j, &name);
    }
    return num_ends;
}

static bool
has_name(const spot_chart_place_t *place, const char *name)
{
    for (size_t k = 0; k < place->node->num_series; k++) {
        if (is_end_named(&place->node->series[k]) &&
            strcmp(place->node->series[k].look.name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether the last panel of the row has all the names of another one in it. */
static bool
has_all_names(const spot_chart_layout_t *self, const spot_chart_place_t *place)
{
    for (size_t j = 0; j < self->num_places; j++) {
        const spot_chart_place_t *other = &self->places[j];

        for (size_t k = 0; k < other->node->num_series && other->row == place->row;
             k++) {
            const spot_chart_series_node_t *series = &other->node->series[k];

            if (is_end_named(series) && other->column < place->column &&
                !has_name(place, series->look.name)) {
                return false;
            }
        }
    }
    return true;
}

void
spot_chart_choose_end_names(spot_chart_layout_t *self)
{
    self->has_end_names = !self->is_narrow;
    for (size_t j = 0; j < self->num_places && self->has_end_names; j++) {
        const spot_chart_place_t *place = &self->places[j];
        const double height = place->box.bottom - place->box.top;
        const size_t num_ends = spot_chart_num_ends(self, place);

        if (place->is_last_column) {
            self->has_end_names =
                has_all_names(self, place) &&
                (num_ends <= 1 || (double) num_ends * LINE_PX <= height);
        }
    }
}

/* ---- Names at ends ---- */

/* Whether a place is within a box, or upon its edge. */
static bool
is_inside(const spot_chart_box_t *box, double x, double y)
{
    return x >= box->left - 0.5 && x <= box->right + 0.5 && y >= box->top - 0.5 &&
           y <= box->bottom + 0.5;
}

/* The last place of a series within its box; false: none can be seen. */
static bool
find_end(const spot_chart_place_t *place, const spot_chart_series_node_t *series,
    end_name_t *name)
{
    const bool is_area = spot_chart_is_area(series->look.kind);
    bool is_seen = !is_area, is_found = false;

    for (size_t j = series->num_data; j-- > 0 && !(is_found && is_seen);) {
        const spot_chart_datum_t *datum = &series->data[j];
        const double base = series->base == NULL ? 0 : series->base[j];
        const double x = spot_chart_x_px(place, datum->x);
        double y = spot_chart_y_px(place, base + datum->y);

        if (is_area) {
            const double low = spot_chart_y_px(place, base);

            is_seen = is_seen || low - y >= 0.5;
            y = (y + low) / 2;
        }
        if (!is_found && is_inside(&place->box, x, y)) {
            name->from_x = x;
            name->from_y = y;
            is_found = true;
        }
    }
    return is_found && is_seen;
}

/* All that a place has at its right. names: [spot_chart_num_ends()] */
static size_t
collect_ends(
    const spot_chart_layout_t *self, const spot_chart_place_t *place, end_name_t *names)
{
    const spot_chart_panel_node_t *node = place->node;
    const spot_chart_box_t *box = &place->box;
    size_t num_names = 0;

    for (size_t j = 0; j < num_items(place); j++) {
        end_name_t *name = &names[num_names];
        end_name_t found;

        if (!has_end(self, place, j, &found)) {
            continue;
        }
        *name = found;
        name->from_x = box->right;
        name->from_y = (box->top + box->bottom) / 2;
        if (j >= node->num_series) {
            name->from_y = spot_chart_y_px(place, node->rules[j - node->num_series].at);
            num_names += is_inside(box, name->from_x, name->from_y);
        } else {
            num_names += name->is_lane || find_end(place, &node->series[j], name);
        }
    }
    return num_names;
}

static int
by_height(const void *a, const void *b)
{
    const end_name_t *x = a, *y = b;

    return (x->from_y > y->from_y) - (x->from_y < y->from_y);
}

/* Moves names apart that would touch, within the panel: downwards first, then what went
 * beyond the bottom up again. */
static void
spread(const spot_chart_place_t *place, end_name_t *names, size_t num_names)
{
    double limit = place->box.top;

    for (size_t j = 0; j < num_names; j++) {
        names[j].y = fmax(names[j].from_y, limit);
        limit = names[j].y + LINE_PX;
    }
    limit = fmax(place->box.bottom, place->box.top + LINE_PX * ((double) num_names - 1));
    for (size_t j = num_names; j-- > 0;) {
        names[j].y = fmin(names[j].y, limit);
        limit = names[j].y - LINE_PX;
    }
}

static double
text_px(const spot_chart_layout_t *self, const char *text)
{
    return spot_chart_text_px(
        text, strlen(text), spot_chart_text_size(self, SPOT_CHART_TEXT_LABEL));
}

double
spot_chart_end_names_px(const spot_chart_layout_t *self)
{
    double width = 0;

    for (size_t j = 0; j < self->num_places; j++) {
        const spot_chart_place_t *place = &self->places[j];
        end_name_t name;

        for (size_t k = 0; k < num_items(place) && place->is_last_column; k++) {
            if (has_end(self, place, k, &name)) {
                width = fmax(width, text_px(self, name.sample.text));
            }
        }
    }
    return width > 0 ? fmin(width, MAX_END_SHARE * self->width_px) + LEADER_PX +
                           SAMPLE_PX + SAMPLE_GAP_PX
                     : 0;
}

static void
put_sample(spot_chart_layout_t *self, const spot_chart_sample_t *sample)
{
    spot_chart_sample_t *node = spot_chart_append(
        &self->error, &self->samples, &self->num_samples, sizeof(*node));

    if (node != NULL) {
        *node = *sample;
    }
}

/* A name with its sample, whose left edge is at x. */
static void
put_name(spot_chart_layout_t *self, const spot_chart_entry_t *sample, const char *text,
    double x, double y, double max_px)
{
    put_sample(
        self, &(spot_chart_sample_t){.look = *sample, .x = x + SAMPLE_PX / 2, .y = y});
    (void) spot_chart_put_cut(self, SPOT_CHART_TEXT_LABEL, SPOT_CHART_START,
        x + SAMPLE_PX + SAMPLE_GAP_PX, y, text, max_px - SAMPLE_PX - SAMPLE_GAP_PX);
}

double
spot_chart_put_lane_names(spot_chart_layout_t *self, const spot_chart_place_t *place,
    double x, double y, bool is_real)
{
    double used = 0;

    for (size_t k = 0; k < place->node->num_series && self->is_narrow; k++) {
        const spot_chart_series_node_t *series = &place->node->series[k];

        if (is_named_stroke(series)) {
            if (is_real) {
                put_name(self, &(spot_chart_entry_t){.colour = series->look.colour},
                    series->look.name, x, y + used + SPOT_CHART_LINE_PX / 2,
                    place->box.right - x);
            }
            used += SPOT_CHART_LINE_PX;
        }
    }
    return used;
}

void
spot_chart_put_end_names(spot_chart_layout_t *self, const spot_chart_place_t *place)
{
    const double x = place->box.right + LEADER_PX;
    end_name_t *names = spot_calloc(spot_chart_num_ends(self, place), sizeof(*names));
    size_t num_names;

    if (names == NULL) {
        self->error = spot_error_first(self->error, SPOT_ERR_NO_MEMORY);
        return;
    }
    num_names = place->is_last_column ? collect_ends(self, place, names) : 0;
    qsort(names, num_names, sizeof(*names), by_height);
    spread(place, names, num_names);
    for (size_t j = 0; j < num_names; j++) {
        if (!names[j].is_lane) {
            put_sample(self, &(spot_chart_sample_t){.is_leader = true,
                                 .from_x = fmax(names[j].from_x, place->box.left) + 4,
                                 .from_y = names[j].from_y,
                                 .x = x - 3,
                                 .y = names[j].y});
        }
        put_name(self, &names[j].sample, names[j].sample.text, x, names[j].y,
            MAX_END_SHARE * self->width_px + SAMPLE_PX + SAMPLE_GAP_PX);
    }
    free(names);
}

/* ---- The legend ---- */

/* Whether an entry is in the legend; *look is then what is drawn. */
static bool
is_in_legend(const spot_chart_layout_t *self, size_t entry_id, spot_chart_entry_t *look)
{
    const spot_chart_entry_node_t *entry = &self->chart->entries[entry_id];
    const spot_chart_series_node_t *series;

    if (!entry->is_series) {
        *look = entry->look;
        return true;
    }
    series = &self->chart->panels[entry->panel_id].series[entry->series_id];
    if (series->look.name == NULL || series->num_data == 0 ||
        series->look.name_at == SPOT_CHART_NAME_NONE || is_named_stroke(series) ||
        (self->has_end_names && is_end_named(series))) {
        return false;
    }
    *look = sample_of(&series->look);
    return true;
}

static bool
is_same_text(const char *a, const char *b)
{
    return (a == NULL || b == NULL) ? a == b : strcmp(a, b) == 0;
}

static bool
is_same(const spot_chart_entry_t *a, const spot_chart_entry_t *b)
{
    return is_same_text(a->text, b->text) && is_same_text(a->side, b->side) &&
           strcmp(a->colour, b->colour) == 0 && a->marker == b->marker &&
           a->is_hollow == b->is_hollow && a->is_line == b->is_line;
}

/* The entries of the legend, each once. Returns their number; the caller frees. */
static size_t
list_entries(const spot_chart_layout_t *self, spot_chart_entry_t **entries)
{
    size_t num_entries = 0;

    *entries = spot_calloc(self->chart->num_entries, sizeof(**entries));
    for (size_t j = 0; j < self->chart->num_entries && *entries != NULL; j++) {
        spot_chart_entry_t look;
        bool is_new = is_in_legend(self, j, &look);

        for (size_t k = 0; k < num_entries && is_new && !look.is_heading; k++) {
            is_new = !is_same(&look, &(*entries)[k]);
        }
        if (is_new) {
            (*entries)[num_entries++] = look;
        }
    }
    return num_entries;
}

/* Whether the entries are a list that is read from its top. */
static bool
is_list(const spot_chart_layout_t *self)
{
    for (size_t j = 0; j < self->chart->num_entries; j++) {
        spot_chart_entry_t look;

        if (is_in_legend(self, j, &look) &&
            (look.side != NULL || look.is_heading || look.sign != NULL)) {
            return true;
        }
    }
    return false;
}

bool
spot_chart_has_legend_column(const spot_chart_layout_t *self)
{
    return !self->is_narrow && !self->has_sides && is_list(self);
}

bool
spot_chart_has_legend_list(const spot_chart_layout_t *self)
{
    return (self->is_narrow || self->has_sides) && is_list(self);
}

static double
entry_px(const spot_chart_layout_t *self, const spot_chart_entry_t *entry)
{
    const double sample = entry->is_heading ? 0 : SAMPLE_PX + SAMPLE_GAP_PX;
    const double side = entry->side == NULL ? 0 : text_px(self, entry->side);

    return sample + text_px(self, entry->text) + (side > 0 ? side + SIDE_GAP_PX : 0);
}

double
spot_chart_legend_width_px(const spot_chart_layout_t *self)
{
    double width = 0;

    for (size_t j = 0; j < self->chart->num_entries; j++) {
        spot_chart_entry_t look;

        if (is_in_legend(self, j, &look)) {
            width = fmax(width, entry_px(self, &look));
        }
    }
    return fmin(width, MAX_COLUMN_PX);
}

/* An entry from the top y on, its text in at most max_lines. Returns its height; puts it
 * where is_real. */
static double
put_entry(spot_chart_layout_t *self, const spot_chart_entry_t *entry, double x, double y,
    double max_px, size_t max_lines, bool is_real)
{
    const spot_chart_text_look_t look =
        entry->is_heading ? SPOT_CHART_TEXT_NOTE : SPOT_CHART_TEXT_LABEL;
    const double indent = entry->is_heading ? 0 : SAMPLE_PX + SAMPLE_GAP_PX;
    const double side =
        entry->side == NULL ? 0 : text_px(self, entry->side) + SIDE_GAP_PX;
    const double middle = y + SPOT_CHART_LINE_PX / 2;
    const double height = spot_chart_put_wrapped(self, look, SPOT_CHART_START,
        x + indent, y, entry->text, max_px - indent - side, max_lines, is_real);

    if (is_real && entry->sign != NULL && !entry->is_heading) {
        (void) spot_chart_put_cut(self, SPOT_CHART_TEXT_LABEL, SPOT_CHART_MIDDLE,
            x + SAMPLE_PX / 2, middle, entry->sign, 2 * SAMPLE_PX);
    } else if (is_real && !entry->is_heading) {
        put_sample(self,
            &(spot_chart_sample_t){.look = *entry, .x = x + SAMPLE_PX / 2, .y = middle});
    }
    if (is_real) {
        (void) spot_chart_put_cut(self, SPOT_CHART_TEXT_LABEL, SPOT_CHART_END,
            x + max_px, middle, entry->side, max_px / 2);
    }
    return fmax(height, SPOT_CHART_LINE_PX) + ENTRY_GAP_PX;
}

/* One below the other, headings a little apart, long ones in two lines. */
static double
put_list(spot_chart_layout_t *self, const spot_chart_entry_t *entries,
    size_t num_entries, double x, double y, double max_px, bool is_real)
{
    double used = 0;

    for (size_t j = 0; j < num_entries; j++) {
        used += entries[j].is_heading && j > 0 && !entries[j - 1].is_heading
                    ? HEADING_GAP_PX
                    : 0;
        used += put_entry(self, &entries[j], x, y + used, max_px, 2, is_real);
    }
    return used;
}

/* In lines that are full. */
static double
put_flow(spot_chart_layout_t *self, const spot_chart_entry_t *entries,
    size_t num_entries, double x, double y, double max_px, bool is_real)
{
    double at = 0, used = 4;

    for (size_t j = 0; j < num_entries; j++) {
        const double width = fmin(entry_px(self, &entries[j]) + 1, max_px);

        if (at > 0 && at + width > max_px) {
            at = 0;
            used += SPOT_CHART_LINE_PX + ENTRY_GAP_PX;
        }
        (void) put_entry(self, &entries[j], x + at, y + used, width, 1, is_real);
        at += width + (self->is_narrow ? 0.7 : 1) * FLOW_GAP_PX;
    }
    return num_entries > 0 ? used + SPOT_CHART_LINE_PX + 10 : 0;
}

double
spot_chart_put_legend(
    spot_chart_layout_t *self, double x, double y, double max_px, bool is_real)
{
    spot_chart_entry_t *entries;
    const size_t num_entries = list_entries(self, &entries);
    double used;

    if (entries == NULL) {
        self->error = spot_error_first(self->error, SPOT_ERR_NO_MEMORY);
        return 0;
    }
    used = (is_list(self) ? put_list : put_flow)(
        self, entries, num_entries, x, y, max_px, is_real);
    free(entries);
    return used;
}
