/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/result_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "reports/decimals.h"
#include "reports/race_text.h"
#include "reports/result_title.h"
#include "sim/store/summary.h"

#define MAX_WIDTH 100 /* columns of the terminal */
#define GAP 2         /* between cells */
#define PLUS_MINUS " ±"
#define PLUS_MINUS_WIDTH 2
#define NUMBER_BYTES 64
#define SHORT_NAME 12 /* bytes: not broken */

/* A swept key or a metric. The cells of a metric are "mean ±half width". */
typedef struct {
    const char *name;
    const char *unit;
    size_t num_first; /* bytes of the name in the first line of the head */
    int width;
    int num_decimals; /* of a metric; -1: as many as it takes */
    int mean_width;
    int half_width; /* 0: no cell has an interval */
} column_t;

typedef struct {
    const spot_store_t *store;
    const spot_study_head_t *head;
    FILE *out;
    spot_summary_t *summaries; /* [num_points][num_metrics] */
    column_t *axes;            /* [num_axes] */
    column_t *metrics;         /* [num_metrics] */
    bool has_notes;
    bool is_of_differences;           /* summaries are differences to the baseline */
    const spot_race_answer_t *answer; /* NULL: no race; else points that are out are left
                                         out, unless all are */
} table_t;

static const spot_summary_t *
summary_at(const table_t *self, size_t point_id, size_t metric_id)
{
    return &self->summaries[point_id * self->head->num_metrics + metric_id];
}

/* Points that lost a race say little of it. */
static bool
is_out(const table_t *self, size_t point_id)
{
    return self->answer != NULL && self->answer->race.num_racing > 0 &&
           self->answer->race.runners[point_id].fate != SPOT_FATE_RACING;
}

/* NAN where there is no interval. */
static double
half_width_at(const table_t *self, size_t point_id, size_t metric_id)
{
    const spot_summary_t *summary = summary_at(self, point_id, metric_id);

    return (summary->ci_high - summary->ci_low) / 2;
}

static const char *
axis_text(const table_t *self, size_t point_id, size_t axis_id,
    char shown[SPOT_UTF8_SHOWN_BYTES])
{
    const size_t value_id = spot_study_value_id(self->head, point_id, axis_id);

    return spot_utf8_shown(self->head->axes[axis_id].texts[value_id], shown);
}

/* Columns of a terminal that text takes: its characters. */
static int
text_width(const char *text, size_t num_bytes)
{
    int width = 0;

    for (size_t j = 0; j < num_bytes; j++) {
        width += ((unsigned char) text[j] & 0xc0) != 0x80;
    }
    return width;
}

static void
widen(int *width, const char *text)
{
    const int needed = text_width(text, strlen(text));

    *width = *width > needed ? *width : needed;
}

static void
write_padded(const table_t *self, const char *text, size_t num_bytes, int width)
{
    fprintf(self->out, "%*s%.*s", width - text_width(text, num_bytes), "",
        (int) num_bytes, text);
}

/* A long name that is wider than its cells goes on two lines, broken where both are
 * short. */
static void
break_name(column_t *column)
{
    const int num_bytes = (int) strlen(column->name);
    const bool is_broken = num_bytes > column->width && num_bytes > SHORT_NAME;
    int narrowest = num_bytes;

    for (int j = 1; is_broken && j < num_bytes; j++) {
        const int wider = j > num_bytes - j ? j : num_bytes - j;

        if (strchr("._", column->name[j - 1]) != NULL && wider < narrowest) {
            narrowest = wider;
            column->num_first = (size_t) j;
        }
    }
    column->width = column->width > narrowest ? column->width : narrowest;
    widen(&column->width, column->unit);
}

/* The same for all cells of a metric, so that they line up: two digits of the narrowest
 * interval, unless the widest one makes that silly. */
static int
choose_decimals(const table_t *self, size_t metric_id)
{
    double narrowest = HUGE_VAL, widest = 0;

    for (size_t j = 0; j < self->head->num_points; j++) {
        const double half_width = half_width_at(self, j, metric_id);

        if (half_width > 0 && !is_out(self, j)) {
            narrowest = fmin(narrowest, half_width);
            widest = fmax(widest, half_width);
        }
    }
    if (widest == 0) {
        return -1;
    }
    return (int) fmin(spot_decimals_for(narrowest), spot_decimals_for(widest) + 2);
}

static void
number_text(double value, int num_decimals, char text[NUMBER_BYTES])
{
    if (num_decimals < 0 || fabs(value) >= 1e15) {
        snprintf(text, NUMBER_BYTES, "%.6g", value);
    } else {
        snprintf(text, NUMBER_BYTES, "%.*f", num_decimals, value);
    }
}

static void
measure_metric(table_t *self, size_t metric_id)
{
    const spot_metric_t *metric = &self->head->metrics[metric_id];
    column_t *column = &self->metrics[metric_id];
    char text[NUMBER_BYTES];

    column->name = metric->name;
    column->unit = strcmp(metric->unit, "1") == 0 ? "" : metric->unit;
    column->num_decimals = choose_decimals(self, metric_id);
    for (size_t j = 0; j < self->head->num_points; j++) {
        const double mean = summary_at(self, j, metric_id)->mean;
        const double half_width = half_width_at(self, j, metric_id);

        if (isfinite(mean) && !is_out(self, j)) {
            number_text(mean, column->num_decimals, text);
            widen(&column->mean_width, text);
        }
        if (isfinite(half_width) && !is_out(self, j)) {
            number_text(half_width, column->num_decimals, text);
            widen(&column->half_width, text);
        }
    }
    column->width = column->mean_width +
                    (column->half_width > 0 ? PLUS_MINUS_WIDTH + column->half_width : 0);
    break_name(column);
}

/* Swept values carry their own units. */
static void
measure_axis(table_t *self, size_t axis_id)
{
    column_t *column = &self->axes[axis_id];
    char shown[SPOT_UTF8_SHOWN_BYTES];

    column->name = self->head->axes[axis_id].path;
    column->unit = "";
    for (size_t j = 0; j < self->head->num_points; j++) {
        widen(&column->width, axis_text(self, j, axis_id, shown));
    }
    break_name(column);
}

static void
write_cell(const table_t *self, size_t point_id, size_t metric_id)
{
    const column_t *column = &self->metrics[metric_id];
    const double mean = summary_at(self, point_id, metric_id)->mean;
    const double half_width = half_width_at(self, point_id, metric_id);
    const int half_columns =
        column->half_width > 0 ? PLUS_MINUS_WIDTH + column->half_width : 0;
    char text[NUMBER_BYTES] = "-";

    if (isfinite(mean)) {
        number_text(mean, column->num_decimals, text);
    }
    write_padded(self, text, strlen(text), column->width - half_columns);
    if (isfinite(half_width)) {
        number_text(half_width, column->num_decimals, text);
        fputs(PLUS_MINUS, self->out);
        write_padded(self, text, strlen(text), column->half_width);
    } else {
        fprintf(self->out, "%*s", half_columns, "");
    }
}

/* The metrics from first_id on that fit beside the axes, at least one: the id behind
 * them. */
static size_t
block_end(const table_t *self, size_t first_id)
{
    size_t metric_id = first_id;
    int width = 0;

    for (size_t j = 0; j < self->head->num_axes; j++) {
        width += self->axes[j].width + GAP;
    }
    while (metric_id < self->head->num_listed) {
        width += self->metrics[metric_id].width + (metric_id > first_id ? GAP : 0);
        if (width > MAX_WIDTH && metric_id > first_id) {
            break;
        }
        metric_id++;
    }
    return metric_id;
}

enum { HEAD_FIRST, HEAD_REST, HEAD_UNIT, NUM_HEAD_LINES };

/* Returns the bytes of the text of a line of the head. */
static size_t
head_text(const column_t *column, int line, const char **text)
{
    *text = line == HEAD_UNIT    ? column->unit
            : line == HEAD_FIRST ? column->name
                                 : column->name + column->num_first;
    return line == HEAD_FIRST ? column->num_first : strlen(*text);
}

/* Nothing, if the columns have nothing to say in the line. */
static void
write_head_line(const table_t *self, size_t first_id, size_t end_id, int line)
{
    size_t num_bytes = 0;
    const char *text;

    for (size_t j = 0; j < self->head->num_axes; j++) {
        num_bytes += head_text(&self->axes[j], line, &text);
    }
    for (size_t j = first_id; j < end_id; j++) {
        num_bytes += head_text(&self->metrics[j], line, &text);
    }
    if (num_bytes == 0) {
        return;
    }
    for (size_t j = 0; j < self->head->num_axes; j++) {
        num_bytes = head_text(&self->axes[j], line, &text);
        write_padded(self, text, num_bytes, self->axes[j].width);
        fprintf(self->out, "%*s", GAP, "");
    }
    for (size_t j = first_id; j < end_id; j++) {
        num_bytes = head_text(&self->metrics[j], line, &text);
        write_padded(self, text, num_bytes, self->metrics[j].width);
        fprintf(self->out, "%*s", j + 1 < end_id ? GAP : 0, "");
    }
    fputc('\n', self->out);
}

/* A point that the others are compared with has no difference to show. */
static bool
is_shown(const table_t *self, size_t point_id)
{
    return !is_out(self, point_id) &&
           (!self->is_of_differences ||
               spot_study_value_id(self->head, point_id, self->head->baseline_axis_id) !=
                   self->head->baseline_value_id);
}

static void
write_block(const table_t *self, size_t first_id, size_t end_id)
{
    const spot_study_head_t *head = self->head;
    char shown[SPOT_UTF8_SHOWN_BYTES];

    fputc('\n', self->out);
    for (int line = 0; line < NUM_HEAD_LINES; line++) {
        write_head_line(self, first_id, end_id, line);
    }
    for (size_t point_id = 0; point_id < head->num_points; point_id++) {
        if (!is_shown(self, point_id)) {
            continue;
        }
        for (size_t j = 0; j < head->num_axes; j++) {
            (void) axis_text(self, point_id, j, shown);
            write_padded(self, shown, strlen(shown), self->axes[j].width);
            fprintf(self->out, "%*s", GAP, "");
        }
        for (size_t j = first_id; j < end_id; j++) {
            write_cell(self, point_id, j);
            fprintf(self->out, "%*s", j + 1 < end_id ? GAP : 0, "");
        }
        fputc('\n', self->out);
    }
}

static int64_t
total_rows(const table_t *self)
{
    int64_t num_rows = 0;

    for (size_t j = 0; j < self->head->num_points; j++) {
        num_rows += self->store->num_rows(self->store, j);
    }
    return num_rows;
}

/* "null in 12 of 22000 replications: ..."; nothing for a count of 0. */
static void
write_note(table_t *self, const char *prefix, int64_t count, const char *text)
{
    if (count > 0) {
        fprintf(self->out, "%s%sin %" PRId64 " of %" PRId64 " replications: %s\n",
            self->has_notes ? "" : "\n", prefix, count, total_rows(self), text);
        self->has_notes = true;
    }
}

/* What makes results doubtful, counted over all points. */
static void
write_notes(table_t *self)
{
    const spot_study_head_t *head = self->head;

    for (size_t j = 0; j < head->num_listed; j++) {
        int64_t num_nulls = 0;
        char text[128];

        for (size_t k = 0; k < head->num_points; k++) {
            num_nulls += summary_at(self, k, j)->num_nulls;
        }
        snprintf(text, sizeof(text), "%s; its figures are of the others",
            head->metrics[j].name);
        write_note(self, "null ", num_nulls, text);
    }
    for (size_t j = 0; j < head->num_warnings; j++) {
        int64_t num_warned = 0;

        for (size_t k = 0; k < head->num_points; k++) {
            num_warned += self->store->num_warned(self->store, k, j);
        }
        write_note(self, "", num_warned, head->warnings[j].text);
    }
}

static void
write_blocks(table_t *self)
{
    const spot_study_head_t *head = self->head;

    memset(self->metrics, 0, head->num_metrics * sizeof(*self->metrics));
    for (size_t j = 0; j < head->num_listed; j++) {
        measure_metric(self, j);
    }
    for (size_t first_id = 0; first_id < head->num_listed;) {
        const size_t end_id = block_end(self, first_id);

        write_block(self, first_id, end_id);
        first_id = end_id;
    }
}

/* The point with the baseline's value and the other values of this point. */
static size_t
baseline_point(const spot_study_head_t *head, size_t point_id)
{
    const size_t axis_id = head->baseline_axis_id;
    size_t stride = 1;

    for (size_t j = axis_id + 1; j < head->num_axes; j++) {
        stride *= head->axes[j].num_values;
    }
    return point_id - spot_study_value_id(head, point_id, axis_id) * stride +
           head->baseline_value_id * stride;
}

/* Turns the summaries of all other points into differences. The intervals of the two
 * means are independent or, with common random numbers, mostly wider than need be. */
static void
take_differences(table_t *self)
{
    const spot_study_head_t *head = self->head;

    for (size_t j = 0; j < head->num_points; j++) {
        for (size_t k = 0; is_shown(self, j) && k < head->num_listed; k++) {
            const size_t base_id = baseline_point(head, j);
            spot_summary_t *summary = &self->summaries[j * head->num_metrics + k];
            const double half_width =
                hypot(half_width_at(self, j, k), half_width_at(self, base_id, k));

            summary->mean -= summary_at(self, base_id, k)->mean;
            summary->ci_low = summary->mean - half_width;
            summary->ci_high = summary->mean + half_width;
        }
    }
}

static void
write_table(table_t *self)
{
    const spot_study_head_t *head = self->head;
    char shown[SPOT_UTF8_SHOWN_BYTES];

    for (size_t j = 0; j < head->num_axes; j++) {
        measure_axis(self, j);
    }
    spot_result_title_write(self->store, self->summaries, self->out);
    if (self->answer != NULL) {
        spot_race_text_write(self->answer, self->out);
    }
    write_blocks(self);
    if (head->has_baseline) {
        const spot_axis_t *axis = &head->axes[head->baseline_axis_id];

        fprintf(self->out, "\ndifference to %s = %s\n", axis->path,
            spot_utf8_shown(axis->texts[head->baseline_value_id], shown));
        self->is_of_differences = true;
        take_differences(self);
        write_blocks(self);
    }
    write_notes(self);
}

int
spot_result_table_write(const spot_store_t *store, FILE *out)
{
    const spot_study_head_t *head = store->head;
    table_t table = {.store = store, .head = head, .out = out};
    spot_race_answer_t answer = {0};
    int ret = spot_summarise_all(store, &table.summaries);

    table.axes = spot_calloc(head->num_axes, sizeof(*table.axes));
    table.metrics = spot_calloc(head->num_metrics, sizeof(*table.metrics));
    if (ret == 0 && (table.axes == NULL || table.metrics == NULL)) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    if (ret == 0 && head->optimise.metric != NULL) {
        ret = spot_race_answer_init(&answer, store);
        table.answer = &answer;
    }
    if (ret == 0) {
        write_table(&table);
        ret = ferror(out) ? SPOT_ERR_IO : 0;
    }
    if (table.answer != NULL) {
        spot_race_answer_free(&answer);
    }
    free(table.metrics);
    free(table.axes);
    free(table.summaries);
    return ret;
}
