/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Panels with several curves each, called series here: each is one of the panels of
 * spot_curves_t, and those that differ in the value of one key only are drawn in one
 * panel, with a band below each and its name at the right end. Internal to reports. */
#ifndef SPOT_REPORTS_SERIES_PANELS_H
#define SPOT_REPORTS_SERIES_PANELS_H

#include "reports/study_head.h"
#include "reports/study_words.h"

#define SPOT_MAX_SERIES_PANELS 6
#define SPOT_MAX_PANEL_SERIES 30

/* The first part is the caller's; both functions get context. */
typedef struct {
    const spot_curves_t *curves;
    const spot_figure_t *figure;
    size_t axis_id;     /* the key in whose values the series of a panel differ */
    size_t left_out_id; /* a value of it that has no series; SIZE_MAX: none */
    size_t name_chars;  /* of the longest name */
    bool tells_sure;    /* the data say which marks are sure */
    spot_mark_t (*mark_at)(const void *context, size_t point_id);
    void (*words)(const void *context, size_t value_id, char text[SPOT_NOTE_BYTES]);
    const void *context;

    size_t *panel_ids;      /* [curves->num_panels] of each series; more than there are:
                               not drawn */
    bool is_cut;            /* there are more panels than are drawn */
    spot_study_grid_t grid; /* has num_panels and x and one column; the caller adds how
                               high things are, y and what is free at the right */
} spot_series_panels_t;

/* A panel that is drawn. */
typedef struct {
    spot_panel_t panel;
    size_t num_series;
    size_t series_ids[SPOT_MAX_PANEL_SERIES];
} spot_series_panel_t;

/* Chooses the panels. NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_series_panels_init(spot_series_panels_t *self);
void spot_series_panels_free(spot_series_panels_t *self);

/* The value of the key in a series; the name of a series, cut where it is long; its
 * colour, the same for a value in all panels. */
size_t spot_series_value(const spot_series_panels_t *self, size_t series_id);
void spot_series_words(
    const spot_series_panels_t *self, size_t series_id, char text[SPOT_WORDS_BYTES]);
const char *spot_series_ink(const spot_series_panels_t *self, size_t series_id);

/* What names of series take at the right of panels, most_px at most. */
double spot_series_names_px(const spot_series_panels_t *self, double most_px);

/* The first SPOT_MAX_PANEL_SERIES series of a panel, and its place in the grid. */
spot_series_panel_t spot_series_panel(const spot_series_panels_t *self, size_t panel_id);

/* How many series all panels that are drawn have. */
size_t spot_series_num_drawn(const spot_series_panels_t *self);

/* What the series of a panel have in common, above it; nothing where there is one panel
 * only. */
void spot_series_title(
    const spot_series_panels_t *self, const spot_series_panel_t *at, double above_px);

/* The names, where the series end. */
void spot_series_names(const spot_series_panels_t *self, const spot_series_panel_t *at);

/* $series<id> of each, a mark a line; then, within a command plot, their bands. */
void spot_series_data(const spot_series_panels_t *self, const spot_series_panel_t *at);
void spot_series_bands(const spot_series_panels_t *self, const spot_series_panel_t *at);

#endif
