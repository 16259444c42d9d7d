/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a declaration becomes: lists of panels with their rows, ticks, series and rules.
 * Internal to the room. */
#pragma once

#include "reports/chart/chart.h"

#define SPOT_CHART_MAX_LINES 6 /* of notes, and of lines at the bottom */

typedef struct {
    double x;
    const char *label;
    const char *second; /* NULL: none */
} spot_chart_x_label_t;

typedef struct {
    spot_chart_series_t look;
    size_t num_data;
    spot_chart_datum_t *data; /* [num_data] */
    double *base;             /* [num_data] where a stacked one begins; NULL: at 0 */
} spot_chart_series_node_t;

typedef struct {
    spot_chart_panel_t look;
    size_t num_rows, num_x_labels, num_series, num_rules;
    spot_chart_row_t *rows;
    spot_chart_x_label_t *x_labels;
    spot_chart_series_node_t *series;
    spot_chart_rule_t *rules;
} spot_chart_panel_node_t;

/* An entry of the legend, in the order of its declaration. */
typedef struct {
    spot_chart_entry_t look; /* of no series */
    size_t panel_id;         /* of a series */
    size_t series_id;
    bool is_series;
} spot_chart_entry_node_t;

typedef struct spot_chart_text_block spot_chart_text_block_t;

struct spot_chart {
    int error;
    const char *title;       /* "": none */
    const char *description; /* "": none */
    size_t num_notes, num_feet;
    const char *notes[SPOT_CHART_MAX_LINES];
    const char *feet[SPOT_CHART_MAX_LINES];
    size_t num_panels, num_entries;
    spot_chart_panel_node_t *panels;
    spot_chart_entry_node_t *entries;
    size_t num_hovers;
    bool is_stacked; /* bases are set */
    spot_chart_text_block_t *texts;
};

/* Sets the bases of what is stacked. NO_MEMORY, or the error of the declaration. */
SPOT_MUST_CHECK int spot_chart_stack(spot_chart_t *self);

/* Appends an item of zeros to a list: list is the address of the pointer to its items,
 * NULL at first, *num_items their number. Returns the item, which moves with the next
 * call; NULL where *error is set, to NO_MEMORY here or before. */
void *spot_chart_append(int *error, void *list, size_t *num_items, size_t item_bytes);

/* A copy that lives as long as self; NULL of NULL. */
const char *spot_chart_copy(spot_chart_t *self, const char *text);

/* Whether a panel's bars lie: y has rows. */
static inline bool
spot_chart_is_lying(const spot_chart_panel_node_t *panel)
{
    return panel->look.y.kind == SPOT_CHART_ROWS;
}

static inline bool
spot_chart_is_time(spot_chart_unit_t unit)
{
    return unit == SPOT_CHART_MS || unit == SPOT_CHART_S;
}

static inline bool
spot_chart_is_line(spot_chart_kind_t kind)
{
    return kind == SPOT_CHART_LINE || kind == SPOT_CHART_STEPS;
}

/* Whether a series is filled from 0, and whether it stands upon others. */
static inline bool
spot_chart_is_area(spot_chart_kind_t kind)
{
    return kind == SPOT_CHART_AREA || kind == SPOT_CHART_AREA_STEPS;
}

static inline bool
spot_chart_is_stacked(const spot_chart_series_t *series)
{
    return (spot_chart_is_area(series->kind) && !series->is_alone) ||
           series->kind == SPOT_CHART_BARS;
}

/* Where a bar stands, and how long it is. */
static inline double
spot_chart_bar_at(const spot_chart_panel_node_t *panel, const spot_chart_datum_t *datum)
{
    return spot_chart_is_lying(panel) ? datum->y : datum->x;
}

static inline double
spot_chart_bar_value(
    const spot_chart_panel_node_t *panel, const spot_chart_datum_t *datum)
{
    return spot_chart_is_lying(panel) ? datum->x : datum->y;
}
