/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What one replication leaves: its series, and its log of events.
 *
 * Series are named tables of one replication, such as a queue over time or a row for each
 * job. An engine fills them, the store keeps them, reports draw them by their shape. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/row.h"
#include "sim/bench/engine/metric.h"

/* What the cells of a column are. Times are in ticks of the series. */
typedef enum {
    SPOT_COLUMN_INSTANT,  /* integer: ticks since the start of the replication */
    SPOT_COLUMN_DURATION, /* integer: ticks */
    SPOT_COLUMN_COUNT,    /* integer */
    SPOT_COLUMN_NUMBER,   /* number, finite; NAN is null */
    SPOT_COLUMN_CATEGORY, /* text, one of few */
    SPOT_COLUMN_TEXT,     /* text */
    SPOT_NUM_COLUMN_KINDS
} spot_column_kind_t;

/* By kind, up to NULL: "instant". */
extern const char *const spot_column_kind_names[];

typedef struct {
    const char *name; /* "steps_durable" */
    const char *unit; /* of counts and numbers; "1" for plain ones, "" for the others */
    spot_column_kind_t kind;
    const char *label;             /* of an axis: "steps durable"; NULL: as name */
    const char *const *categories; /* of a category: all, in order of the legend, up to
                                      NULL; NULL: not known */
    const char *signs;             /* of a category of events, one for each: '+' more,
                                      '-' less, '.' neither; NULL: neither */
    size_t num_decimals;           /* of numbers where they are printed, at most 15; 0: as
                                      many as the value needs */
    bool is_bare;                  /* the head of a CSV file has the name alone, without the unit */
} spot_series_column_t;

/* How a series is drawn. Levels, events and curves start with an instant, and their rows
 * are in order of it. */
typedef enum {
    SPOT_SERIES_TABLE,       /* rows of any meaning */
    SPOT_SERIES_LEVELS,      /* instant, then numbers that hold until the next row and are
                                drawn as a stack */
    SPOT_SERIES_EVENTS,      /* instant, category, count */
    SPOT_SERIES_CURVE,       /* instant, number; linear between rows */
    SPOT_SERIES_SPANS,       /* instant of the start, instant of the end, text or category: the
                                lane, text or category: the label; then columns of any kind.
                                Rows in any order. A count in column 4 is how much of the lane
                                the span takes (1 without it), the first category behind
                                column 3 is what it is coloured by (else its label) */
    SPOT_SERIES_CDF,         /* duration, number: the share of all up to it, 0 to 1, and at will
                                a text or category: which line. Each line in order of rows */
    SPOT_SERIES_SHOWN_TABLE, /* rows of any meaning, which a page shows */
    SPOT_SERIES_LONG_TABLE,  /* so many rows of any meaning that a study keeps them only
                                of  replications that its key series names, not of those
                                that  it chooses itself */
    SPOT_NUM_SERIES_SHAPES
} spot_series_shape_t;

/* By shape, up to NULL: "table". */
extern const char *const spot_series_shape_names[];

/* A line across the picture of a CDF, such as an objective. */
typedef struct {
    size_t column_id; /* 0: upright, at a duration; 1: level, at a share */
    double value;     /* in ticks, or a share */
    const char *text; /* "objective 350 ms" */
} spot_series_rule_t;

/* What a series is; constant, the same for all replications of a scenario. */
typedef struct {
    const char *name; /* "instances" */
    const char *help;
    spot_series_shape_t shape;
    int64_t ticks_per_s; /* 1, 1000 or 1000000000 */
    size_t num_columns;
    const spot_series_column_t *columns; /* [num_columns] */
    size_t num_rules;
    const spot_series_rule_t *rules; /* [num_rules] of a CDF */
} spot_series_kind_t;

/* Rows of tables: a column with its unit, further members behind it; a kind of series by
 * the array of its columns. */
#define SPOT_SERIES_COLUMN(kind_, name_, ...)                                                      \
    {                                                                                              \
        .name = name_, .kind = SPOT_COLUMN_##kind_, .unit = __VA_ARGS__                            \
    }
#define SPOT_SERIES_KIND(name_, shape_, ticks, columns_, text)                                     \
    {                                                                                              \
        .name = name_, .help = text, .shape = SPOT_SERIES_##shape_, .ticks_per_s = ticks,          \
        .num_columns = sizeof(columns_) / sizeof((columns_)[0]), .columns = columns_               \
    }

typedef union {
    int64_t integer;
    double number;
    const char *text;
} spot_cell_t;

typedef struct {
    const spot_series_kind_t *kind; /* must outlive self */
    size_t num_rows;
    size_t max_cells;
    spot_cell_t *cells; /* [num_rows][kind->num_columns]; text cells: see _text() */
    size_t num_text_bytes;
    size_t max_text_bytes;
    char *texts; /* [num_text_bytes] of the cells, each with a NUL */
} spot_series_t;

/* The series of one replication. */
typedef struct {
    char *title;       /* "seed-64"; NULL: none */
    char note[160];    /* which replication it is; may be empty */
    int64_t end_ticks; /* of the replication, in the ticks of its first series */
    size_t num_series;
    spot_series_t *series; /* [num_series] in the order of the scenario's outputs */
    spot_arena_t kept;     /* of kinds of series that were read */
} spot_recording_t;

/* The unit of a column's cells: "ms" for instants and durations in such ticks. */
const char *spot_series_column_unit(
    const spot_series_kind_t *kind, const spot_series_column_t *column);

/* What axes and heads call a column. */
static inline const char *spot_series_column_name(const spot_series_column_t *column)
{
    return column->label == NULL ? column->name : column->label;
}

/* The decimals of a column, of a file too: no more than printf() is given. */
static inline int spot_series_decimals(const spot_series_column_t *column)
{
    return column->num_decimals < 15 ? (int) column->num_decimals : 15;
}

/* The bytes of a series with so many rows, without its texts. */
double spot_series_bytes(const spot_series_kind_t *kind, double num_rows);

/* Empty series of these kinds. NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_recording_init(
    spot_recording_t *self, size_t num_series, const spot_series_kind_t *const *kinds);
void spot_recording_free(spot_recording_t *self);

/* Names a recording, where its engine has not: name may be NULL. NO_MEMORY. */
SPOT_MUST_CHECK int spot_recording_name(
    spot_recording_t *self, const char *name, uint64_t seed, uint64_t replication);

/* Appends a row; texts are copied. NO_MEMORY, INTERRUPTED: the row is not added. O(columns) */
SPOT_MUST_CHECK int spot_series_add(spot_series_t *self, const spot_cell_t *cells);

/* The column of a member of a row, the head of which has its name alone: text or number; and its
 * cell, NAN where an integer is below 0, which says that there is none, "" for no text. */
spot_series_column_t spot_series_column_of(const spot_row_member_t *member);
spot_cell_t spot_series_cell_of(const spot_row_member_t *member, const void *row);

/* Appends to levels of one number how many of num intervals are open at once: a row for
 * each instant at which some start or end. ends: [num][2] NO_MEMORY. O(num) */
SPOT_MUST_CHECK int spot_series_add_open(spot_series_t *self, size_t num, const int64_t *ends);

/* The text of a cell of a category or text column; valid until the next row. */
const char *spot_series_text(const spot_series_t *self, size_t row_id, size_t column_id);

/* Aborts if instants are not in order where the shape says so. O(cells). */
void spot_series_verify(const spot_series_t *self);

/* ---- A recording as people see it ---- */

struct spot_chart; /* base/verb/chart.h */

/* For spot_output_recording(). */
typedef struct spot_recording_view {
    const spot_recording_t *recording;
    const spot_colour_t *colours; /* may be NULL */
    const char *title;
    size_t max_rows;      /* of a lane of its page; 0: as many as a page may have */
    const char *gathered; /* what spans are in place of rows; NULL: rows */
    /* Another picture for its page, a spot_declare_t; NULL: none. */
    int (*more)(struct spot_chart *chart, const void *context);
    const void *more_context;
} spot_recording_view_t;

/* ---- Event log ---- */

/* The event log of one replication: records of a fixed size, in memory. The engine that
 * writes it defines what kinds and values mean. */

#define SPOT_EVENT_VALUES 4

typedef struct {
    int64_t time_ms;
    int64_t values[SPOT_EVENT_VALUES];
    double amount;    /* what the engine adds to a record; 0 */
    int64_t sequence; /* order of adding */
    int32_t kind;
    int32_t text_offset; /* into texts, -1: none */
} spot_log_record_t;

typedef struct {
    size_t num_records;
    size_t max_records;
    spot_log_record_t *records; /* [num_records] */
    size_t num_text_bytes;
    size_t max_text_bytes;
    char *texts;    /* NUL-terminated one after another */
    int has_failed; /* NO_MEMORY: records are missing */
} spot_event_log_t;

void spot_event_log_init(spot_event_log_t *self);
void spot_event_log_free(spot_event_log_t *self);
void spot_event_log_clear(spot_event_log_t *self);

/* Appends a record; text may be NULL. Sets has_failed if memory runs out. O(1). */
void spot_event_log_add(spot_event_log_t *self, int64_t time_ms, int32_t kind,
    const int64_t values[SPOT_EVENT_VALUES], const char *text);

/* Sorts the records by (time, kind, order of adding). O(records log records). */
void spot_event_log_sort(spot_event_log_t *self);

/* The text of a record, or NULL. */
const char *spot_event_log_text(const spot_event_log_t *self, const spot_log_record_t *record);
