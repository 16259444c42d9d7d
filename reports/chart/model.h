/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a declaration becomes: lists of panels with their rows, ticks, series and rules.
 * Internal to the room. */
#pragma once

#include <stddef.h>

#include "base/memory.h"
#include "reports/chart/chart.h"

/* ---- Memory ---- */

/* What is freed together, texts and lists. The first error is kept; later calls do
 * nothing. Free its texts. */
typedef struct {
    int error;
    spot_texts_t texts;
    max_align_t nothing[64]; /* an item that is not appended after an error */
} spot_memory_t;

/* Zeros. NULL after an error: no memory, here or before. */
void *spot_memory_get(spot_memory_t *self, size_t num_items, size_t item_bytes);
int spot_memory_error(const spot_memory_t *self);

/* Appends an item of zeros to a list: list is the address of the pointer to its items,
 * NULL at first, *num_items their number. Returns the item, which moves with the next
 * call; never NULL. O(1) amortised. */
void *spot_memory_append(spot_memory_t *self, void *list, size_t *num_items, size_t item_bytes);
#define SPOT_APPEND(memory, owner, items)                                                          \
    spot_memory_append(memory, &(owner)->items, &(owner)->num_##items, sizeof(*(owner)->items))

/* ---- Declarations ---- */

/* Dimensions: indices of all that there is of x and of y. */
enum { SPOT_X, SPOT_Y };

typedef struct {
    double x;
    const char *label;
    const char *second; /* NULL: none */
} spot_x_label_t;

/* What a datum covers, stacked. */
typedef struct {
    double at[2];           /* of what is filled: its end */
    double low[2], high[2]; /* of its intervals; NAN: none */
    double base;            /* of what is filled: where it begins, along its values */
    const char *colour;
    bool is_hollow;
} spot_chart_shape_t;

typedef struct {
    spot_chart_series_t look;
    bool is_line, is_area, is_box, is_stepped;
    bool is_stacked; /* upon other areas */
    int along;       /* the dimension of the values of what is filled */
    double thickness;
    size_t num_data, num_shapes;
    spot_chart_datum_t *data;   /* [num_data] as declared */
    spot_chart_shape_t *shapes; /* [num_data] */
} spot_series_node_t;

typedef struct {
    spot_chart_panel_t look;
    size_t num_rows, num_x_labels, num_series, num_rules;
    spot_chart_row_t *rows;
    spot_x_label_t *x_labels;
    spot_series_node_t *series;
    spot_chart_rule_t *rules;
} spot_panel_node_t;

/* Where the name of an entry stands. */
typedef enum {
    SPOT_NAME_NOWHERE,
    SPOT_NAME_LEGEND,
    SPOT_NAME_END,  /* right of the panel, with a leader */
    SPOT_NAME_LANE, /* right of the panel, which is a lane of strokes */
    SPOT_NAME_ABOVE /* above such a panel */
} spot_name_t;

/* A name, in the order of the declaration: of a series, of a horizontal rule, or of
 * neither (item_id -1). */
typedef struct {
    spot_chart_entry_t look;
    size_t panel_id;
    int item_id;
    bool is_rule;
    spot_name_t place; /* where there is room */
} spot_entry_node_t;

struct spot_chart {
    spot_memory_t memory;
    const char *title;       /* "": none */
    const char *description; /* "": none */
    size_t num_notes, num_feet, num_panels, num_entries;
    const char **notes;
    const char **feet;
    spot_panel_node_t *panels;
    spot_entry_node_t *entries;
    size_t num_hovers;
    spot_panel_node_t no_panel;
    spot_series_node_t no_series;
};

static inline const spot_chart_axis_t *spot_chart_axis(const spot_panel_node_t *panel, int dim)
{
    return dim == SPOT_X ? &panel->look.x : &panel->look.y;
}
