/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/run_spans.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/keys.h"
#include "base/memory.h"
#include "reports/palette.h"
#include "reports/run_series.h"

/* Columns; see SPOT_SERIES_SPANS. */
enum { START, END, LANE, LABEL, TAKEN };

bool spot_spans_fit(const spot_series_kind_t *kind)
{
    return kind->num_columns > LABEL && kind->columns[START].kind == SPOT_COLUMN_INSTANT &&
           kind->columns[END].kind == SPOT_COLUMN_INSTANT &&
           kind->columns[LANE].kind >= SPOT_COLUMN_CATEGORY &&
           kind->columns[LABEL].kind >= SPOT_COLUMN_CATEGORY;
}

/* ---- Lanes ---- */

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

/* ---- Spans ---- */

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
