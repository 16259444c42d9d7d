/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/run_series.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/keys.h"
#include "base/memory.h"
#include "base/units.h"
#include "reports/draw.h"

/* ---- Spans: bars in lanes ---- */

/* Columns; see SPOT_SERIES_SPANS. */
enum { START, END, LANE, LABEL, TAKEN };

bool spot_spans_fit(const spot_series_kind_t *kind)
{
    return kind->num_columns > LABEL && kind->columns[START].kind == SPOT_COLUMN_INSTANT &&
           kind->columns[END].kind == SPOT_COLUMN_INSTANT &&
           kind->columns[LANE].kind >= SPOT_COLUMN_CATEGORY &&
           kind->columns[LABEL].kind >= SPOT_COLUMN_CATEGORY;
}

/* ---- Lanes of spans ---- */

/* "node 9" comes before "node 10". */
static int compare_names(const void *left, const void *right)
{
    const char *a = ((const spot_span_lane_t *) left)->name;
    const char *b = ((const spot_span_lane_t *) right)->name;

    while (*a != '\0' && *b != '\0') {
        if (isdigit((unsigned char) *a) && isdigit((unsigned char) *b)) {
            const size_t a_zeros = strspn(a, "0"), b_zeros = strspn(b, "0");
            const size_t a_digits = strspn(a + a_zeros, "0123456789");
            const size_t b_digits = strspn(b + b_zeros, "0123456789");
            const int order = a_digits != b_digits ? (a_digits > b_digits) - (a_digits < b_digits)
                                                   : strncmp(a + a_zeros, b + b_zeros, a_digits);

            if (order != 0) {
                return order;
            }
            a += a_zeros + a_digits;
            b += b_zeros + b_digits;
        } else if (*a != *b) {
            break;
        } else {
            a++;
            b++;
        }
    }
    return strcmp(a, b);
}

/* Where rows name their lane: a key for each known category, then one for each row. */
typedef struct {
    size_t num_known, num_keys;
    spot_key_t *keys;  /* [num_keys] */
    size_t *first_ids; /* [num_keys] */
    size_t *lane_ids;  /* [num_keys] of first keys */
} names_t;

static int make_names(names_t *self, const spot_series_t *series)
{
    const spot_series_column_t *column = &series->kind->columns[LANE];

    *self = (names_t){0};
    while (column->kind == SPOT_COLUMN_CATEGORY && column->categories != NULL &&
           column->categories[self->num_known] != NULL) {
        self->num_known++;
    }
    self->num_keys = self->num_known + series->num_rows;
    self->keys = spot_calloc(self->num_keys + 1, sizeof(*self->keys));
    self->first_ids = spot_calloc(self->num_keys + 1, sizeof(*self->first_ids));
    self->lane_ids = spot_calloc(self->num_keys + 1, sizeof(*self->lane_ids));
    if (self->keys == NULL || self->first_ids == NULL || self->lane_ids == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < self->num_keys; j++) {
        const char *name = j < self->num_known
                               ? column->categories[j]
                               : spot_series_text(series, j - self->num_known, LANE);

        self->keys[j] = (spot_key_t){name, strlen(name)};
    }
    return spot_group_equal(self->keys, self->num_keys, self->first_ids);
}

static void free_names(names_t *self)
{
    free(self->keys);
    free(self->first_ids);
    free(self->lane_ids);
}

/* The lanes in their order; a category that is not known has one behind the others. */
static int make_lanes(spot_spans_t *self, names_t *names)
{
    size_t num_known = 0;

    self->lanes = spot_calloc(names->num_keys + 1, sizeof(*self->lanes));
    if (self->lanes == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < names->num_keys; j++) {
        if (names->first_ids[j] == j) {
            self->lanes[self->num_lanes++] = (spot_span_lane_t){names->keys[j].bytes, 1, j};
            num_known = j < names->num_known ? self->num_lanes : num_known;
        }
    }
    qsort(
        self->lanes + num_known, self->num_lanes - num_known, sizeof(*self->lanes), compare_names);
    for (size_t j = 0; j < self->num_lanes; j++) {
        names->lane_ids[self->lanes[j].key_id] = j;
    }
    return 0;
}

/* ---- Colours ---- */

/* The column of a category that spans are coloured by; 0: none. */
static size_t colour_column(const spot_series_kind_t *kind)
{
    for (size_t j = TAKEN; j < kind->num_columns; j++) {
        if (kind->columns[j].kind == SPOT_COLUMN_CATEGORY && kind->columns[j].categories != NULL) {
            return j;
        }
    }
    return 0;
}

static int make_colours(spot_spans_t *self, const spot_colour_t *colours)
{
    const size_t column_id = colour_column(self->series->kind);
    const char *const *names = self->series->kind->columns[column_id].categories;
    size_t num = 0;

    while (column_id != 0 && names[num] != NULL) {
        num++;
    }
    self->num_colours = column_id == 0 ? SPOT_NUM_LINE_COLOURS : num + 1;
    self->colours = spot_calloc(self->num_colours, sizeof(*self->colours));
    if (self->colours == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < self->num_colours; j++) {
        if (column_id != 0) { /* the last one: of no known category */
            self->colours[j].name = j < num ? names[j] : "other";
            self->colours[j].colour = spot_palette_colour(colours, self->colours[j].name, j);
        } else {
            self->colours[j].colour = spot_palette_line_colour(j);
        }
    }
    return 0;
}

/* FNV-1a: the same label has the same colour in all runs. */
static size_t label_colour(const char *label)
{
    uint32_t hash = UINT32_C(2166136261);

    for (; *label != '\0'; label++) {
        hash = (hash ^ (unsigned char) *label) * UINT32_C(16777619);
    }
    return (hash ^ hash >> 16) % SPOT_NUM_LINE_COLOURS;
}

static size_t row_colour(const spot_spans_t *self, size_t row_id)
{
    const size_t column_id = colour_column(self->series->kind);
    size_t colour_id = 0;

    if (column_id == 0) {
        return label_colour(spot_series_text(self->series, row_id, LABEL));
    }
    while (colour_id + 1 < self->num_colours &&
           strcmp(self->colours[colour_id].name,
               spot_series_text(self->series, row_id, column_id)) != 0) {
        colour_id++;
    }
    return colour_id;
}

/* ---- The spans ---- */

static int compare_spans(const void *left, const void *right)
{
    const spot_span_t *a = left, *b = right;

    return a->start_ms != b->start_ms ? (a->start_ms > b->start_ms) * 2 - 1
                                      : (a->row_id > b->row_id) - (a->row_id < b->row_id);
}

/* A span for each row, in order of time. */
static int add_rows(spot_spans_t *self, const names_t *names)
{
    const spot_series_t *series = self->series;
    const spot_series_kind_t *kind = series->kind;
    const bool is_counted =
        kind->num_columns > TAKEN && kind->columns[TAKEN].kind == SPOT_COLUMN_COUNT;
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < series->num_rows; j++) {
        const spot_cell_t *cells = &series->cells[j * kind->num_columns];
        const double taken = is_counted ? (double) cells[TAKEN].integer : 1;
        spot_span_t span = {.start_ms = spot_series_ms(kind, cells[START].integer),
            .end_ms = spot_series_ms(kind, cells[END].integer),
            .lane_id = names->lane_ids[names->first_ids[names->num_known + j]],
            .num_slots = (size_t) fmax(fmin(taken, SPOT_MAX_SLOTS), 1),
            .row_id = j,
            .colour_id = row_colour(self, j)};

        if (span.end_ms >= span.start_ms) {
            self->end_ms = fmax(self->end_ms, span.end_ms);
            ret = SPOT_ARRAY_APPEND(self, spans, span);
        }
    }
    if (ret == 0 && self->num_spans > 0) {
        qsort(self->spans, self->num_spans, sizeof(*self->spans), compare_spans);
    }
    return ret;
}

/* Puts a span into free slots of its lane. Returns the pieces that this makes. */
static size_t place_span(const spot_span_t *span, spot_span_lane_t *lane, double *free_ms,
    spot_span_t pieces[SPOT_MAX_SLOTS])
{
    size_t num_pieces = 0, num_left = span->num_slots;

    for (size_t j = 0; num_left > 0 && j < SPOT_MAX_SLOTS; j++) {
        const bool is_last = SPOT_MAX_SLOTS - j <= num_left;

        if (free_ms[j] > span->start_ms && !is_last) {
            continue;
        }
        if (num_pieces == 0 ||
            pieces[num_pieces - 1].slot + pieces[num_pieces - 1].num_slots != j) {
            pieces[num_pieces] = *span;
            pieces[num_pieces].slot = j;
            pieces[num_pieces++].num_slots = 0;
        }
        pieces[num_pieces - 1].num_slots++;
        free_ms[j] = span->end_ms;
        lane->num_slots = j + 1 > lane->num_slots ? j + 1 : lane->num_slots;
        num_left--;
    }
    return num_pieces;
}

static int place_spans(spot_spans_t *self)
{
    const size_t num_spans = self->num_spans;
    spot_span_t pieces[SPOT_MAX_SLOTS], *spans = self->spans;
    double *free_ms = spot_calloc(self->num_lanes + 1, SPOT_MAX_SLOTS * sizeof(*free_ms));
    int ret = free_ms == NULL ? SPOT_ERR_NO_MEMORY : 0;

    self->spans = NULL;
    self->num_spans = self->max_spans = 0;
    for (size_t j = 0; ret == 0 && j < self->num_lanes * SPOT_MAX_SLOTS; j++) {
        free_ms[j] = -(double) INFINITY;
    }
    for (size_t j = 0; ret == 0 && j < num_spans; j++) {
        const size_t lane_id = spans[j].lane_id;
        const size_t num_pieces = place_span(
            &spans[j], &self->lanes[lane_id], &free_ms[lane_id * SPOT_MAX_SLOTS], pieces);

        for (size_t k = 0; ret == 0 && k < num_pieces; k++) {
            self->colours[pieces[k].colour_id].sum_ms +=
                (pieces[k].end_ms - pieces[k].start_ms) * (double) pieces[k].num_slots;
            ret = SPOT_ARRAY_APPEND(self, spans, pieces[k]);
        }
    }
    free(free_ms);
    free(spans);
    return ret;
}

int spot_spans_init(spot_spans_t *self, const spot_series_t *series, const spot_colour_t *colours)
{
    names_t names;
    int ret = make_names(&names, series);

    *self = (spot_spans_t){.series = series};
    ret = ret == 0 ? make_lanes(self, &names) : ret;
    ret = ret == 0 ? make_colours(self, colours) : ret;
    ret = ret == 0 ? add_rows(self, &names) : ret;
    ret = ret == 0 ? place_spans(self) : ret;
    free_names(&names);
    return ret;
}

void spot_spans_free(spot_spans_t *self)
{
    free(self->lanes);
    free(self->colours);
    free(self->spans);
    *self = (spot_spans_t){0};
}

const char *spot_span_label(const spot_spans_t *self, const spot_span_t *span)
{
    return spot_series_text(self->series, span->row_id, LABEL);
}

static int compare_lengths(const void *left, const void *right)
{
    const double a = *(const double *) left, b = *(const double *) right;

    return (a < b) - (a > b);
}

int spot_spans_least(
    const spot_spans_t *self, size_t max_pieces, double *least_ms, size_t *num_shorter)
{
    double *lengths_ms;

    *least_ms = 0;
    *num_shorter = 0;
    if (self->num_spans <= max_pieces) {
        return 0;
    }
    lengths_ms = spot_calloc(self->num_spans, sizeof(*lengths_ms));
    if (lengths_ms == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < self->num_spans; j++) {
        lengths_ms[j] = self->spans[j].end_ms - self->spans[j].start_ms;
    }
    qsort(lengths_ms, self->num_spans, sizeof(*lengths_ms), compare_lengths);
    *least_ms = nextafter(lengths_ms[max_pieces], (double) INFINITY);
    for (size_t j = 0; j < self->num_spans; j++) {
        *num_shorter += lengths_ms[j] < *least_ms;
    }
    free(lengths_ms);
    return 0;
}

/* ---- The series of a run ---- */

double spot_series_ms(const spot_series_kind_t *kind, int64_t ticks)
{
    return kind->ticks_per_s < SPOT_MS_PER_S
               ? (double) ticks * ((double) SPOT_MS_PER_S / (double) kind->ticks_per_s)
               : (double) ticks / ((double) kind->ticks_per_s / (double) SPOT_MS_PER_S);
}

double spot_run_time_ms(const spot_series_t *series, size_t row_id)
{
    return spot_series_ms(series->kind, series->cells[row_id * series->kind->num_columns].integer);
}

double spot_run_value(const spot_series_t *series, size_t row_id, size_t column_id)
{
    const spot_cell_t *cell = &series->cells[row_id * series->kind->num_columns + column_id];

    if (series->kind->columns[column_id].kind != SPOT_COLUMN_NUMBER) {
        return (double) cell->integer;
    }
    return isfinite(cell->number) ? cell->number : 0;
}

/* Whether columns are an instant and then numbers, or what else the shape says. */
static bool has_shape(const spot_series_kind_t *kind, spot_series_shape_t shape)
{
    const bool is_events = shape == SPOT_SERIES_EVENTS;

    if (shape == SPOT_SERIES_SPANS) {
        return kind->shape == shape && spot_spans_fit(kind);
    }
    if (kind->shape != shape || kind->num_columns < (is_events ? 3 : 2) ||
        kind->columns[0].kind != SPOT_COLUMN_INSTANT) {
        return false;
    }
    if (is_events) {
        return kind->columns[1].kind == SPOT_COLUMN_CATEGORY &&
               kind->columns[1].categories != NULL && kind->columns[2].kind < SPOT_COLUMN_CATEGORY;
    }
    for (size_t j = 1; j < kind->num_columns; j++) {
        if (kind->columns[j].kind >= SPOT_COLUMN_CATEGORY) {
            return false;
        }
    }
    return true;
}

/* The first max_series series of a shape; returns their number. *end_ms is raised to
 * their last rows. */
static size_t find_shape(const spot_recording_t *recording, spot_series_shape_t shape,
    const spot_series_t **found, size_t max_series, double *end_ms)
{
    size_t num_found = 0;

    for (size_t j = 0; j < recording->num_series && num_found < max_series; j++) {
        const spot_series_t *series = &recording->series[j];

        if (has_shape(series->kind, shape)) {
            found[num_found++] = series;
            if (series->num_rows > 0) {
                *end_ms = fmax(*end_ms, spot_run_time_ms(series, series->num_rows - 1));
            }
        }
    }
    return num_found;
}

/* ---- Lanes ---- */

/* The unit of the first column of values, "" for a plain number. */
static const char *unit_of(const spot_series_kind_t *kind)
{
    const char *unit = spot_series_column_unit(kind, &kind->columns[1]);

    return strcmp(unit, "1") == 0 ? "" : unit;
}

static void add_point(spot_run_series_t *self, spot_lane_t *lane, double time_ms, double value)
{
    self->error = spot_error_first(self->error, spot_curve_add(&lane->curve, time_ms, value));
}

/* Of levels: what lasts no time or does not change is no point. */
static void add_step(spot_run_series_t *self, spot_lane_t *lane, double time_ms, double value)
{
    spot_curve_t *curve = &lane->curve;
    spot_point_t *last = curve->num_points == 0 ? NULL : &curve->points[curve->num_points - 1];

    if (last == NULL || (last->x < time_ms && last->y != value)) {
        add_point(self, lane, time_ms, value);
    } else if (last->x == time_ms) {
        last->y = value;
        curve->num_points -= curve->num_points > 1 && last[-1].y == value;
    }
}

static void sum_steps(spot_lane_t *lane, double end_ms)
{
    const spot_curve_t *curve = &lane->curve;

    for (size_t j = 0; j < curve->num_points; j++) {
        const double until_ms = j + 1 < curve->num_points ? curve->points[j + 1].x : end_ms;

        lane->sum += curve->points[j].y * (until_ms - curve->points[j].x);
    }
}

/* What all levels of a series count. */
static const char *level_noun(const spot_series_kind_t *kind)
{
    const char *unit = unit_of(kind);

    return unit[0] == '\0' ? kind->name : unit;
}

static void add_levels(
    spot_run_series_t *self, const spot_series_t *levels, const spot_colour_t *colours)
{
    spot_lane_t *lanes = &self->lanes[self->num_lanes];
    const size_t num_levels = levels->kind->num_columns - 1;

    for (size_t k = 0; k < num_levels; k++) {
        lanes[k].series = levels;
        lanes[k].name = spot_series_column_name(&levels->kind->columns[k + 1]);
        lanes[k].colour = spot_palette_colour(colours, lanes[k].name, self->num_lanes + k);
        for (size_t j = 0; j < self->num_lanes; j++) { /* as in an earlier stack */
            if (self->lanes[j].kind == SPOT_LANE_LEVEL &&
                strcmp(self->lanes[j].name, lanes[k].name) == 0) {
                lanes[k].colour = self->lanes[j].colour;
            }
        }
    }
    lanes[num_levels].kind = SPOT_LANE_TOTAL;
    lanes[num_levels].series = levels;
    lanes[num_levels].name = level_noun(levels->kind);
    for (size_t j = 0; j < levels->num_rows; j++) {
        const double time_ms = spot_run_time_ms(levels, j);
        double total = 0;

        for (size_t k = 0; k < num_levels; k++) {
            const double value = spot_run_value(levels, j, k + 1);

            total += value;
            add_step(self, &lanes[k], time_ms, value);
        }
        add_step(self, &lanes[num_levels], time_ms, total);
    }
    for (size_t k = 0; k <= num_levels; k++) {
        sum_steps(&lanes[k], self->end_ms);
    }
    self->num_lanes += num_levels + 1;
}

/* Events of no known category are left out. */
static void add_marks(spot_run_series_t *self, const spot_colour_t *colours)
{
    const spot_series_t *events = self->events;
    const spot_series_column_t *column = &events->kind->columns[1];
    const size_t num_signs = column->signs == NULL ? 0 : strlen(column->signs);

    for (size_t k = 0; column->categories[k] != NULL; k++) {
        spot_lane_t *lane = &self->lanes[self->num_lanes++];

        lane->kind = SPOT_LANE_MARKS;
        lane->series = events;
        lane->name = column->categories[k];
        lane->colour = spot_palette_colour(colours, lane->name, k);
        lane->sign = k < num_signs ? column->signs[k] : '.';
        for (size_t j = 0; j < events->num_rows; j++) {
            if (strcmp(spot_series_text(events, j, 1), lane->name) == 0) {
                const double count = spot_run_value(events, j, 2);

                add_point(self, lane, spot_run_time_ms(events, j), count);
                lane->sum += count;
            }
        }
    }
}

static void add_curve(spot_run_series_t *self, const spot_series_t *series)
{
    spot_lane_t *lane = &self->lanes[self->num_lanes++];
    const size_t num_rows = series->num_rows;

    lane->kind = SPOT_LANE_CURVE;
    lane->series = series;
    lane->name = spot_series_column_name(&series->kind->columns[1]);
    lane->unit = unit_of(series->kind);
    for (size_t j = 0; j < num_rows; j++) {
        add_point(self, lane, spot_run_time_ms(series, j), spot_run_value(series, j, 1));
    }
    if (num_rows > 0) {
        lane->sum = spot_run_value(series, num_rows - 1, 1) - spot_run_value(series, 0, 1);
    }
}

int spot_run_series_init(
    spot_run_series_t *self, const spot_recording_t *recording, const spot_colour_t *colours)
{
    const spot_series_t *curves[SPOT_MAX_RUN_CURVES] = {NULL};
    const spot_series_t *stacks[SPOT_MAX_RUN_STACKS] = {NULL};
    const spot_series_t *spans = NULL;
    size_t num_stacks, num_curves, num_lanes = 0;

    memset(self, 0, sizeof(*self));
    self->recording = recording;
    self->title = recording->title == NULL ? "" : recording->title;
    self->note = recording->note;
    if (recording->num_series > 0) {
        self->end_ms = spot_series_ms(recording->series[0].kind, recording->end_ticks);
    }
    num_stacks =
        find_shape(recording, SPOT_SERIES_LEVELS, stacks, SPOT_MAX_RUN_STACKS, &self->end_ms);
    (void) find_shape(recording, SPOT_SERIES_EVENTS, &self->events, 1, &self->end_ms);
    num_curves =
        find_shape(recording, SPOT_SERIES_CURVE, curves, SPOT_MAX_RUN_CURVES, &self->end_ms);
    (void) find_shape(recording, SPOT_SERIES_SPANS, &spans, 1, &self->end_ms);
    self->levels = stacks[0];
    self->curve = curves[0];
    self->num_levels = self->levels == NULL ? 0 : self->levels->kind->num_columns - 1;
    while (self->events != NULL && self->events->kind->columns[1].categories[num_lanes] != NULL) {
        num_lanes++;
    }
    for (size_t j = 0; j < num_stacks; j++) {
        num_lanes += stacks[j]->kind->num_columns;
    }
    self->lanes = spot_calloc(num_lanes + num_curves + 1, sizeof(*self->lanes));
    if (self->lanes == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    if (spans != NULL) {
        self->error = spot_spans_init(&self->spans, spans, colours);
        self->end_ms = fmax(self->end_ms, self->spans.end_ms);
    }
    for (size_t j = 0; j < num_stacks; j++) {
        add_levels(self, stacks[j], colours);
    }
    if (self->events != NULL) {
        add_marks(self, colours);
    }
    for (size_t j = 0; j < num_curves; j++) {
        add_curve(self, curves[j]);
    }
    return self->error;
}

void spot_run_series_free(spot_run_series_t *self)
{
    for (size_t j = 0; j < self->num_lanes; j++) {
        spot_curve_free(&self->lanes[j].curve);
    }
    free(self->lanes);
    spot_spans_free(&self->spans);
    memset(self, 0, sizeof(*self));
}

bool spot_run_series_check(const spot_run_series_t *self, const char *path, spot_diag_t *diag)
{
    const bool has_series = self->levels != NULL || self->events != NULL || self->curve != NULL ||
                            self->spans.num_spans > 0;

    if (self->end_ms > 0 && has_series) {
        return true;
    }
    if (diag != NULL) {
        spot_diag_error(diag, path, 0, 0, "nothing can be drawn: the run %s",
            self->end_ms > 0 ? "has no series over time" : "is empty");
    }
    return false;
}

const spot_lane_t *spot_run_lane(const spot_run_series_t *self, spot_lane_kind_t kind)
{
    for (size_t j = 0; j < self->num_lanes; j++) {
        if (self->lanes[j].kind == kind) {
            return &self->lanes[j];
        }
    }
    return NULL;
}

const spot_lane_t *spot_run_lane_total(const spot_lane_t *level)
{
    while (level->kind != SPOT_LANE_TOTAL) {
        level++;
    }
    return level;
}

const char *spot_run_series_level_noun(const spot_run_series_t *self)
{
    return level_noun(self->levels->kind);
}

const char *spot_run_series_curve_noun(const spot_run_series_t *self)
{
    return spot_series_column_name(&self->curve->kind->columns[1]);
}

/* ---- Bins ---- */

static void bin_marks(const spot_lane_t *lane, double end_ms, size_t num_bins, spot_bin_t *bins)
{
    for (size_t j = 0; j < lane->curve.num_points; j++) {
        const spot_point_t *mark = &lane->curve.points[j];
        const double place = mark->x * (double) num_bins / end_ms;
        spot_bin_t *bin = &bins[(size_t) fmax(fmin(place, (double) (num_bins - 1)), 0)];

        bin->value += mark->y;
        bin->num_marks++;
    }
}

static void bin_steps(const spot_lane_t *lane, double end_ms, size_t num_bins, spot_bin_t *bins)
{
    const double bin_ms = end_ms / (double) num_bins;
    size_t bin_id = 0;

    for (size_t j = 0; j < lane->curve.num_points; j++) {
        const spot_point_t *step = &lane->curve.points[j];
        const double last_ms = j + 1 < lane->curve.num_points ? step[1].x : end_ms;
        double from_ms = step->x;

        while (from_ms < last_ms && bin_id < num_bins) {
            const double bin_end_ms = (double) (bin_id + 1) * bin_ms;
            const double until_ms = fmin(last_ms, bin_end_ms);
            spot_bin_t *bin = &bins[bin_id];

            if (until_ms > from_ms) { /* not before the first row */
                bin->value += step->y * ((until_ms - from_ms) / bin_ms);
                bin->high = fmax(bin->high, step->y);
                bin->low = fmin(bin->low, step->y);
                from_ms = until_ms;
            }
            bin_id += until_ms == bin_end_ms;
        }
    }
}

void spot_lane_bins(const spot_lane_t *lane, double end_ms, size_t num_bins, spot_bin_t *bins)
{
    for (size_t j = 0; j < num_bins; j++) {
        bins[j] = (spot_bin_t){
            .start_ms = (double) j * end_ms / (double) num_bins, .low = (double) INFINITY};
    }
    if (lane->kind == SPOT_LANE_MARKS) {
        bin_marks(lane, end_ms, num_bins, bins);
    } else {
        bin_steps(lane, end_ms, num_bins, bins);
    }
    for (size_t j = 0; j < num_bins; j++) {
        bins[j].low = fmin(bins[j].low, bins[j].high);
    }
}

int spot_lane_thin(const spot_lane_t *lane, double end_ms, size_t num_columns, spot_curve_t *curve)
{
    int ret = 0;

    *curve = (spot_curve_t){0};
    for (size_t j = 0; ret == 0 && j < lane->curve.num_points; j++) {
        ret = spot_curve_add(curve, lane->curve.points[j].x, lane->curve.points[j].y);
    }
    spot_curve_thin(curve, num_columns, 0, end_ms, false);
    return ret;
}

/* ---- CSV ---- */

/* Times are exact in the ticks of the series; NULL: of none. */
static void write_row(FILE *out, const spot_series_t *series, double time_ms, const char *kind,
    const char *name, double value)
{
    const int64_t ticks_per_s = series == NULL ? SPOT_MS_PER_S : series->kind->ticks_per_s;

    fprintf(out, "%.*f,%s,",
        ticks_per_s == 1               ? 0
        : ticks_per_s == SPOT_MS_PER_S ? 3
                                       : 9,
        time_ms / (double) SPOT_MS_PER_S, kind);
    spot_csv_field_text(out, name);
    spot_csv_field_number(out, value);
    fputc('\n', out);
}

/* Levels that change, of rows that last some time. */
static void write_levels(const spot_run_series_t *run, FILE *out)
{
    const spot_series_t *levels = run->levels;
    const size_t num_rows = levels == NULL ? 0 : levels->num_rows;
    size_t last = num_rows; /* row that was written; num_rows: none */

    for (size_t j = 0; j < num_rows; j++) {
        const double time_ms = spot_run_time_ms(levels, j);

        if (j + 1 < num_rows && spot_run_time_ms(levels, j + 1) <= time_ms) {
            continue;
        }
        for (size_t k = 0; k < run->num_levels; k++) {
            const double height = spot_run_value(levels, j, k + 1);

            if (last == num_rows || height != spot_run_value(levels, last, k + 1)) {
                write_row(out, levels, time_ms, "level", run->lanes[k].name, height);
            }
        }
        last = j;
    }
}

int spot_timeline_csv_write(const spot_run_series_t *run, FILE *out)
{
    fputs("time_s,kind,name,value\n", out);
    write_levels(run, out);
    for (size_t j = 0; run->events != NULL && j < run->events->num_rows; j++) {
        write_row(out, run->events, spot_run_time_ms(run->events, j), "mark",
            spot_series_text(run->events, j, 1), spot_run_value(run->events, j, 2));
    }
    for (size_t j = 0; run->curve != NULL && j < run->curve->num_rows; j++) {
        write_row(out, run->curve, spot_run_time_ms(run->curve, j), "progress",
            spot_run_series_curve_noun(run), spot_run_value(run->curve, j, 1));
    }
    write_row(out, run->levels, run->end_ms, "end", "", 0);
    return ferror(out) ? SPOT_ERR_IO : 0;
}
