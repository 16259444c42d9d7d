/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/chart/chart.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "reports/chart/model.h"

#define MAX_CDF_STEPS 2000 /* more cannot be seen */

struct spot_chart_text_block {
    spot_chart_text_block_t *next;
    char text[];
};

/* ---- Memory ---- */

spot_chart_t *
spot_chart_new(void)
{
    spot_chart_t *self = spot_calloc(1, sizeof(*self));

    if (self != NULL) {
        self->title = "";
        self->description = "";
    }
    return self;
}

void
spot_chart_free(spot_chart_t *self)
{
    if (self == NULL) {
        return;
    }
    for (size_t j = 0; j < self->num_panels; j++) {
        spot_chart_panel_node_t *panel = &self->panels[j];

        for (size_t k = 0; k < panel->num_series; k++) {
            free(panel->series[k].data);
            free(panel->series[k].base);
        }
        free(panel->rows);
        free(panel->x_labels);
        free(panel->series);
        free(panel->rules);
    }
    free(self->panels);
    free(self->entries);
    while (self->texts != NULL) {
        spot_chart_text_block_t *next = self->texts->next;

        free(self->texts);
        self->texts = next;
    }
    free(self);
}

int
spot_chart_error(const spot_chart_t *self)
{
    return self->error;
}

const char *
spot_chart_copy(spot_chart_t *self, const char *text)
{
    const size_t num_bytes = text == NULL ? 0 : strlen(text) + 1;
    spot_chart_text_block_t *block;

    if (text == NULL) {
        return NULL;
    }
    block = malloc(sizeof(*block) + num_bytes);
    if (block == NULL) {
        self->error = spot_error_first(self->error, SPOT_ERR_NO_MEMORY);
        return "";
    }
    memcpy(block->text, text, num_bytes);
    block->next = self->texts;
    self->texts = block;
    return block->text;
}

/* Sets *text to a copy of it; NULL stays. */
static void
keep(spot_chart_t *self, const char **text)
{
    *text = spot_chart_copy(self, *text);
}

/* A new item of a list, whose room is doubled at powers of two; NULL after an error.
 * list: the address of the pointer to the items, of whatever type. */
void *
spot_chart_append(int *error, void *list, size_t *num_items, size_t item_bytes)
{
    char *items;

    if (*error != 0) {
        return NULL;
    }
    memcpy(&items, list, sizeof(items));
    if ((*num_items & (*num_items - 1)) == 0) { /* 0, 1, 2, 4... */
        const size_t num_wanted = *num_items == 0 ? 1 : 2 * *num_items;

        items = num_wanted > SIZE_MAX / item_bytes
                    ? NULL
                    : realloc(items, num_wanted * item_bytes);
        if (items == NULL) {
            *error = SPOT_ERR_NO_MEMORY;
            return NULL;
        }
        memcpy(list, &items, sizeof(items));
    }
    return memset(items + (*num_items)++ * item_bytes, 0, item_bytes);
}

static void *
append(spot_chart_t *self, void *list, size_t *num_items, size_t item_bytes)
{
    return spot_chart_append(&self->error, list, num_items, item_bytes);
}

/* What was opened last; NULL with BAD_PARAM where nothing is open. */
static spot_chart_panel_node_t *
last_panel(spot_chart_t *self)
{
    if (self->num_panels == 0) {
        self->error = spot_error_first(self->error, SPOT_ERR_BAD_PARAM);
    }
    return self->error != 0 ? NULL : &self->panels[self->num_panels - 1];
}

static spot_chart_series_node_t *
last_series(spot_chart_t *self)
{
    spot_chart_panel_node_t *panel = last_panel(self);

    if (panel != NULL && panel->num_series == 0) {
        self->error = SPOT_ERR_BAD_PARAM;
    }
    return self->error != 0 ? NULL : &panel->series[panel->num_series - 1];
}

/* ---- Words ---- */

static const char *SPOT_PRINTF(2, 0)
    format_text(spot_chart_t *self, const char *format, va_list args)
{
    char bytes[2048];

    if (vsnprintf(bytes, sizeof(bytes), format, args) < 0) {
        self->error = spot_error_first(self->error, SPOT_ERR_BAD_PARAM);
        return "";
    }
    return spot_chart_copy(self, bytes);
}

void
spot_chart_title(spot_chart_t *self, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    self->title = format_text(self, format, args);
    va_end(args);
}

void
spot_chart_describe(spot_chart_t *self, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    self->description = format_text(self, format, args);
    va_end(args);
}

static const char **
next_line(spot_chart_t *self, const char *lines[SPOT_CHART_MAX_LINES], size_t *num_lines)
{
    if (*num_lines == SPOT_CHART_MAX_LINES) {
        self->error = spot_error_first(self->error, SPOT_ERR_BAD_PARAM);
        return &lines[SPOT_CHART_MAX_LINES - 1];
    }
    return &lines[(*num_lines)++];
}

void
spot_chart_note(spot_chart_t *self, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    *next_line(self, self->notes, &self->num_notes) = format_text(self, format, args);
    va_end(args);
}

void
spot_chart_foot(spot_chart_t *self, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    *next_line(self, self->feet, &self->num_feet) = format_text(self, format, args);
    va_end(args);
}

const char *
spot_chart_title_text(const spot_chart_t *self)
{
    return self->title;
}

const char *
spot_chart_description(const spot_chart_t *self)
{
    return self->description;
}

/* ---- Panels ---- */

/* Colours become attributes and commands: whatever is none becomes ink. */
static void
keep_colour(spot_chart_t *self, const char **colour)
{
    if (*colour != NULL && (strlen(*colour) != 7 || **colour != '#' ||
                               strspn(*colour + 1, "0123456789abcdefABCDEF") != 6)) {
        *colour = SPOT_INK;
    }
    keep(self, colour);
}

static void
keep_with_arrow(spot_chart_t *self, const char *arrow, const char **text)
{
    char bytes[512];

    if (*text != NULL) {
        snprintf(bytes, sizeof(bytes), "%s %.480s", arrow, *text);
        *text = spot_chart_copy(self, bytes);
    }
}

static void
keep_axis(spot_chart_t *self, spot_chart_axis_t *axis)
{
    keep(self, &axis->name);
    keep_with_arrow(self, "↑", &axis->high_name);
    keep_with_arrow(self, "↓", &axis->low_name);
}

void
spot_chart_panel(spot_chart_t *self, const spot_chart_panel_t *panel)
{
    spot_chart_panel_node_t *node =
        append(self, &self->panels, &self->num_panels, sizeof(*node));

    if (node == NULL) {
        return;
    }
    node->look = *panel;
    keep(self, &node->look.title);
    keep_axis(self, &node->look.x);
    keep_axis(self, &node->look.y);
    keep(self, &node->look.second_name);
    keep(self, &node->look.note);
    keep(self, &node->look.empty);
    for (size_t j = 0; j < SPOT_CHART_MAX_SIDES; j++) {
        keep(self, &node->look.side_names[j]);
    }
    node->look.is_below = panel->is_below && self->num_panels > 1;
}

size_t
spot_chart_row(spot_chart_t *self, const spot_chart_row_t *row)
{
    spot_chart_panel_node_t *panel = last_panel(self);
    spot_chart_row_t *node =
        panel == NULL ? NULL
                      : append(self, &panel->rows, &panel->num_rows, sizeof(*node));

    if (node == NULL) {
        return 0;
    }
    *node = *row;
    keep(self, &node->name);
    keep(self, &node->heading);
    keep(self, &node->note);
    keep(self, &node->empty);
    for (size_t j = 0; j < SPOT_CHART_MAX_SIDES; j++) {
        keep(self, &node->sides[j]);
    }
    return panel->num_rows - 1;
}

void
spot_chart_tick(spot_chart_t *self, double x, const char *label, const char *second)
{
    spot_chart_panel_node_t *panel = last_panel(self);
    spot_chart_x_label_t *node =
        panel == NULL
            ? NULL
            : append(self, &panel->x_labels, &panel->num_x_labels, sizeof(*node));

    if (node != NULL) {
        *node = (spot_chart_x_label_t){x, label == NULL ? "" : label, second};
        keep(self, &node->label);
        keep(self, &node->second);
    }
}

void
spot_chart_rule(spot_chart_t *self, const spot_chart_rule_t *rule)
{
    spot_chart_panel_node_t *panel = last_panel(self);
    spot_chart_rule_t *node =
        panel == NULL ? NULL
                      : append(self, &panel->rules, &panel->num_rules, sizeof(*node));

    if (node == NULL) {
        return;
    }
    *node = *rule;
    node->colour = rule->colour == NULL ? SPOT_INK_QUIET : rule->colour;
    keep(self, &node->name);
    keep_colour(self, &node->colour);
    if (rule->direction == SPOT_CHART_DIAGONAL && rule->name != NULL) {
        spot_chart_legend(self, &(spot_chart_entry_t){.text = rule->name,
                                    .colour = node->colour,
                                    .is_line = true,
                                    .dash = rule->dash});
    }
}

void
spot_chart_legend(spot_chart_t *self, const spot_chart_entry_t *entry)
{
    spot_chart_entry_node_t *node =
        append(self, &self->entries, &self->num_entries, sizeof(*node));

    if (node == NULL) {
        return;
    }
    node->look = *entry;
    node->look.text = entry->text == NULL ? "" : entry->text;
    node->look.colour = entry->colour == NULL ? SPOT_INK : entry->colour;
    keep(self, &node->look.text);
    keep(self, &node->look.side);
    keep(self, &node->look.sign);
    keep_colour(self, &node->look.colour);
}

/* ---- Series ---- */

void
spot_chart_series(spot_chart_t *self, const spot_chart_series_t *series)
{
    spot_chart_panel_node_t *panel = last_panel(self);
    spot_chart_series_node_t *node =
        panel == NULL ? NULL
                      : append(self, &panel->series, &panel->num_series, sizeof(*node));
    spot_chart_entry_node_t *entry =
        node == NULL ? NULL
                     : append(self, &self->entries, &self->num_entries, sizeof(*entry));

    if (entry == NULL) {
        return;
    }
    node->look = *series;
    node->look.colour = series->colour == NULL ? SPOT_INK : series->colour;
    if (series->kind == SPOT_CHART_POINTS && series->marker == SPOT_CHART_NO_MARKER) {
        node->look.marker = SPOT_CHART_CIRCLE;
    }
    keep(self, &node->look.name);
    keep_colour(self, &node->look.colour);
    keep(self, &node->look.side);
    keep_colour(self, &node->look.interval_colour);
    *entry = (spot_chart_entry_node_t){.panel_id = self->num_panels - 1,
        .series_id = panel->num_series - 1,
        .is_series = true};
}

void
spot_chart_add(spot_chart_t *self, const spot_chart_datum_t *datum)
{
    spot_chart_series_node_t *series = last_series(self);
    spot_chart_datum_t *node =
        series == NULL ? NULL
                       : append(self, &series->data, &series->num_data, sizeof(*node));

    if (node != NULL) {
        *node = *datum;
        keep(self, &node->label);
        keep(self, &node->hover);
        keep_colour(self, &node->colour);
        self->num_hovers += datum->hover != NULL;
    }
}

void
spot_chart_add_xy(spot_chart_t *self, double x, double y)
{
    spot_chart_add(self, &(spot_chart_datum_t){.x = x, .y = y});
}

void
spot_chart_add_span(spot_chart_t *self, double row, double low, double high)
{
    spot_chart_add(
        self, &(spot_chart_datum_t){.x = low, .y = row, .x_low = low, .x_high = high});
}

static int
by_value(const void *a, const void *b)
{
    const double x = *(const double *) a, y = *(const double *) b;

    return (x > y) - (x < y);
}

/* Every step of few values; of many those at which a share moves on. */
void
spot_chart_add_cdf(spot_chart_t *self, size_t num_values, const double *values,
    double scale, bool is_longer)
{
    double *sorted = spot_calloc(num_values, sizeof(*sorted));
    size_t num = 0, last = 0;

    if (sorted == NULL) {
        self->error = spot_error_first(self->error, SPOT_ERR_NO_MEMORY);
        return;
    }
    for (size_t j = 0; j < num_values; j++) {
        if (!isnan(values[j])) {
            sorted[num++] = values[j];
        }
    }
    qsort(sorted, num, sizeof(*sorted), by_value);
    if (num > 0) {
        spot_chart_add_xy(self, sorted[0], is_longer ? scale : 0);
    }
    for (size_t j = 0; j < num; j++) {
        const bool is_step = j + 1 == num || sorted[j + 1] > sorted[j];

        if (is_step && (j + 1 == num || j == 0 || j - last >= num / MAX_CDF_STEPS)) {
            const double share = (double) (j + 1) / (double) num;

            spot_chart_add_xy(self, sorted[j], scale * (is_longer ? 1 - share : share));
            last = j;
        }
    }
    free(sorted);
}

/* ---- Stacks ---- */

/* What stands at a place already. */
typedef struct {
    double at;
    double height;
} bar_stack_t;

typedef struct {
    size_t num_stacks;
    size_t next; /* where the last one was found, and one on */
    bar_stack_t *stacks;
} bar_stacks_t;

/* Data mostly come in the same order, series after series. NULL: no memory. */
static bar_stack_t *
find_stack(spot_chart_t *self, bar_stacks_t *stacks, double at)
{
    bar_stack_t *stack;

    for (size_t j = 0; j < stacks->num_stacks; j++) {
        const size_t place = (stacks->next + j) % stacks->num_stacks;

        if (stacks->stacks[place].at == at) {
            stacks->next = place + 1;
            return &stacks->stacks[place];
        }
    }
    stack = append(self, &stacks->stacks, &stacks->num_stacks, sizeof(*stack));
    if (stack != NULL) {
        stack->at = at;
    }
    return stack;
}

static void
stack_bars(spot_chart_t *self, const spot_chart_panel_node_t *panel,
    bar_stacks_t *stacks, spot_chart_series_node_t *series)
{
    stacks->next = 0;
    for (size_t j = 0; j < series->num_data; j++) {
        const double value = spot_chart_bar_value(panel, &series->data[j]);
        bar_stack_t *stack =
            find_stack(self, stacks, spot_chart_bar_at(panel, &series->data[j]));

        if (stack == NULL) {
            return;
        }
        series->base[j] = stack->height;
        stack->height += isfinite(value) ? value : 0;
    }
}

static void
stack_areas(spot_chart_series_node_t *series, const spot_chart_series_node_t *below)
{
    for (size_t j = 0; below != NULL && j < series->num_data; j++) {
        series->base[j] =
            j < below->num_data ? below->base[j] + below->data[j].y : (double) NAN;
    }
}

static void
stack_panel(spot_chart_t *self, const spot_chart_panel_node_t *panel)
{
    const spot_chart_series_node_t *below = NULL;
    bar_stacks_t stacks = {0};

    for (size_t k = 0; k < panel->num_series && self->error == 0; k++) {
        spot_chart_series_node_t *series = &panel->series[k];

        if (!spot_chart_is_stacked(&series->look)) {
            continue;
        }
        series->base = spot_calloc(series->num_data, sizeof(*series->base));
        if (series->base == NULL) {
            self->error = SPOT_ERR_NO_MEMORY;
        } else if (series->look.kind == SPOT_CHART_BARS) {
            stack_bars(self, panel, &stacks, series);
        } else {
            stack_areas(series, below);
            below = series;
        }
    }
    free(stacks.stacks);
}

int
spot_chart_stack(spot_chart_t *self)
{
    for (size_t j = 0; j < self->num_panels && !self->is_stacked; j++) {
        stack_panel(self, &self->panels[j]);
    }
    self->is_stacked = true;
    return self->error;
}
