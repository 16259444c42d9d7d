/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text has what the JSON has: a map of maps becomes a table with a row for each,
 * other items become lines of figures. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/tasks/task_report.h"

enum { MAX_ITEMS = 32, MAX_ROWS = 100 }; /* of a row; of a table of many */

typedef struct {
    char kind; /* of spot_json_listener_t */
    const char *key, *text;
} item_t;

typedef struct {
    spot_document_t *to;
    const char *section, *shown; /* the latest one; that whose title is written */
    int depth;                   /* open brackets */
    int row_depth;               /* of the row that is open; 0: none */
    size_t num_items, num_left;
    item_t items[MAX_ITEMS]; /* of the row */
    spot_texts_t texts;      /* of items */
    spot_table_t figures, rows;
} text_t;

/* Whether a key is of a list. */
static bool
is_among(const char *list, const char *key)
{
    const size_t num_bytes = strlen(key);

    while (*list != '\0') {
        const size_t length = strcspn(list, " ");

        if (length == num_bytes && memcmp(list, key, length) == 0) {
            return true;
        }
        list += length + (list[length] == ' ');
    }
    return false;
}

/* Times are in ns; people read them in s. row: the name of its row, or "". */
static bool
is_time(const item_t *item, const char *row)
{
    static const char counts[] =
        "lines task_events transmit_events controller_lines input_records "
        "unknown_actions workers hosts skipped_lines duplicate_events mode_conflicts "
        "no_planned negative_intervals overlapping_tasks attempts distinct completed "
        "incomplete_attempts retries count negative unfinished without_mode datasets "
        "tasks gaps iterations without_wait actionsTransmit actionsSubmit actionsPurge "
        "eventsTransmited eventsComputed eventsStarted edges missing_inputs zero_slack "
        "rows without_pair only_in_second";

    return item->kind == '.' ? is_among("mean p50 p90 p99", item->key)
                             : item->kind == '0' && !is_among(counts, item->key) &&
                                   !is_among("mode_counts raw_mode_lines "
                                             "per_dataset_histogram",
                                       row);
}

static void
add_column(spot_table_t *table, const char *name, const char *unit, bool is_text)
{
    spot_table_add_column(
        table, (spot_table_column_t){.name = name,
                   .unit = unit,
                   .kind = is_text ? SPOT_TABLE_TEXT : SPOT_TABLE_NUMBER,
                   .is_key = table->num_columns == 0,
                   .num_digits = unit == NULL ? 0 : 5});
}

static void
add_cell(spot_table_t *table, const item_t *item, const char *row)
{
    const bool is_undefined = strcmp(item->text, "null") == 0;

    if (item->kind == '"' || is_undefined) {
        spot_table_add_text(table, is_undefined ? "nan" : item->text);
    } else if (is_time(item, row)) {
        spot_table_add_number(table, strtod(item->text, NULL) * 1e-9);
    } else if (item->kind == '0') {
        spot_table_add_count(table, strtoll(item->text, NULL, 10));
    } else {
        spot_table_add_number(table, strtod(item->text, NULL));
    }
}

/* ---- Items ---- */

static void
write_table(text_t *self, spot_table_t *table)
{
    if (table->num_rows == 0) {
        return;
    }
    if (self->shown == self->section) {
        spot_document_gap(self->to);
    } else {
        spot_document_section(self->to, self->section, self->section);
    }
    self->shown = self->section;
    if (table == &self->rows && self->num_left > 0) {
        spot_table_add_note(table, "",
            spot_texts_add(&self->to->texts, "%zu more, see --json", self->num_left));
        self->num_left = 0;
    }
    spot_document_table(self->to, NULL, table);
}

/* A table goes on as long as its rows have the same items. */
static void
end_row(text_t *self)
{
    const item_t *items = self->items;
    bool is_same = self->rows.num_columns == self->num_items;

    for (size_t j = 1; j < self->num_items && is_same; j++) {
        is_same = strcmp(self->rows.columns[j].name, items[j].key) == 0;
    }
    if (!is_same) {
        write_table(self, &self->rows);
        add_column(&self->rows, self->section, NULL, true);
    }
    for (size_t j = 1; j < self->num_items && !is_same; j++) {
        add_column(&self->rows, items[j].key,
            is_time(&items[j], items[0].text) ? "s" : NULL, items[j].kind == '"');
    }
    if (self->rows.num_rows == MAX_ROWS) {
        self->num_left++;
    } else if (self->num_items > 1) {
        spot_table_add_row(&self->rows);
        for (size_t j = 0; j < self->num_items; j++) {
            add_cell(&self->rows, &items[j], items[0].text);
        }
    }
    self->num_items = 0;
    self->row_depth = 0;
    spot_texts_free(&self->texts);
}

static void
add_figure(text_t *self, const item_t *item)
{
    spot_table_t *table = &self->figures;

    if (table->num_columns == 0) {
        add_column(table, self->section, NULL, true);
        add_column(table, "value", NULL, false);
        add_column(table, "unit", NULL, true);
        add_column(table, "ns", NULL, false);
    }
    spot_table_add_row(table);
    spot_table_add_text(table, item->key);
    add_cell(table, item, "");
    if (is_time(item, "")) {
        spot_table_add_text(table, "s");
        spot_table_add_format(table, "%.3e", strtod(item->text, NULL));
    }
}

static void
add_item(text_t *self, char kind, const char *key, const char *text)
{
    if (self->num_items < MAX_ITEMS) {
        self->items[self->num_items++] =
            (item_t){kind, spot_texts_add(&self->texts, "%s", key),
                spot_texts_add(&self->texts, "%s", text)};
    }
}

/* The idle time of the row that is open -> the share of it that has a cause. */
static const char *
share_of_idle(text_t *self, const char *text)
{
    double idle = 0;

    for (size_t j = 1; j < self->num_items; j++) {
        idle = strcmp(self->items[j].key, "idle") == 0
                   ? strtod(self->items[j].text, NULL)
                   : idle;
    }
    return idle == 0 ? "null"
                     : spot_texts_add(&self->texts, "%.3f", strtod(text, NULL) / idle);
}

static void
open_map(text_t *self, const char *key, bool is_map)
{
    static const char *const parts[][2] = {{"tasks", "per_worker"},
        {"tasks", "per_class"}, {"concurrency", "hosts"}, {"contention", "classes"}};
    bool is_part = ++self->depth == 2;

    for (size_t j = 0; j < 4 && self->depth == 3 && !is_part; j++) {
        is_part =
            strcmp(self->section, parts[j][0]) == 0 && strcmp(key, parts[j][1]) == 0;
    }
    if (is_part) {
        write_table(self, &self->figures);
        write_table(self, &self->rows);
        self->section = key;
    } else if (self->depth > 2 && self->row_depth == 0 && is_map) {
        self->row_depth = self->depth;
        add_item(self, '"', "", key);
    }
}

static void
listen(void *context, char kind, const char *key, const char *text)
{
    text_t *self = context;

    if (kind == '{' || kind == '[') {
        open_map(self, key, kind == '{');
    } else if (kind == '}' || kind == ']') {
        self->depth--;
        if (self->row_depth > self->depth) {
            end_row(self);
        }
        if (self->depth == 0) {
            write_table(self, &self->figures);
            write_table(self, &self->rows);
        }
    } else if (self->row_depth == 0 && key != NULL) {
        add_figure(self, &(item_t){kind, key, text});
    } else if (self->row_depth > 0 && self->depth > self->row_depth) {
        add_item(self, '.', key, share_of_idle(self, text));
    } else if (self->row_depth > 0) {
        add_item(self, kind, key, text);
        if (strcmp(key, "sum") == 0) {
            add_item(self, '"', "sum in ns",
                spot_texts_add(&self->texts, "%.3e", strtod(text, NULL)));
        }
    }
}

/* ---- Results ---- */

void
spot_task_run_text(const spot_task_run_t *run, spot_document_t *to)
{
    text_t self = {.to = to};
    spot_json_t json;

    spot_json_init_listener(&json, listen, &self);
    spot_task_analysis_json(run->analysis, run->log, &json);
}

void
spot_task_markers_text(const spot_task_markers_t *markers, spot_document_t *to)
{
    text_t self = {.to = to};
    spot_json_t json;

    spot_json_init_listener(&json, listen, &self);
    spot_task_markers_json(markers, &json);
}

void
spot_task_comparison_text(const spot_task_comparison_t *comparison,
    const spot_task_log_t *first, spot_document_t *to)
{
    static const spot_table_column_t columns[] = {
        {.name = "first", .unit = "s", .is_key = true}, {.name = "second", .unit = "s"},
        {.name = "difference", .unit = "s"}, {.name = "relative"}, {.name = "ratio"},
        {.name = "task", .kind = SPOT_TABLE_PROSE}};
    spot_task_comparison_t shown = *comparison;
    text_t self = {.to = to, .section = "comparison"};
    spot_table_t top = {0};
    spot_json_t json;

    shown.num_pairs = shown.num_top = 0; /* too many, and a table of their own */
    spot_json_init_listener(&json, listen, &self);
    spot_task_comparison_json(&shown, first, &json);
    spot_table_add_columns(&top, sizeof(columns) / sizeof(columns[0]), columns);
    for (size_t j = 0; j < comparison->num_top; j++) {
        const spot_task_pair_t *pair = &comparison->top[j];

        spot_table_add_row(&top);
        spot_table_add_number(&top, (double) pair->first * 1e-9);
        spot_table_add_number(&top, (double) pair->second * 1e-9);
        spot_table_add_number(&top, (double) (pair->second - pair->first) * 1e-9);
        spot_table_add_number(&top, pair->relative);
        spot_table_add_number(&top, spot_wide_ratio(pair->second, pair->first));
        spot_table_add_text(&top, first->ids.names[pair->id]);
    }
    spot_document_section(to, "top", "largest differences");
    spot_document_table(to, NULL, &top);
}

void
spot_task_summary_text(size_t num_runs, const spot_task_run_t *runs, spot_document_t *to)
{
    static const char *const figures[] = {"makespan (s)", "workers", "tasks", "retries",
        "transmits", "run (s)", "run p50 (s)", "run p90 (s)", "comm (s)", "comm p50 (s)",
        "comm p90 (s)"};
    enum { NUM_FIGURES = sizeof(figures) / sizeof(figures[0]) };
    spot_table_t table = {0};

    add_column(&table, "log", NULL, true);
    for (size_t k = 0; k < num_runs; k++) {
        add_column(&table, runs[k].file, NULL, false);
    }
    for (size_t j = 0; j < NUM_FIGURES + SPOT_NUM_IDLE; j++) {
        if (j == NUM_FIGURES) {
            spot_table_add_heading(&table, "share of worker time");
        }
        spot_table_add_row(&table);
        spot_table_add_text(
            &table, j < NUM_FIGURES ? figures[j] : spot_idle_names[j - NUM_FIGURES]);
        for (size_t k = 0; k < num_runs; k++) {
            const spot_task_analysis_t *of = runs[k].analysis;
            const size_t num_workers = runs[k].log->num_workers;
            const spot_durations_t *run = &of->task[SPOT_TASK_RUN];
            const spot_durations_t *comm = &of->task[SPOT_TASK_COMM];
            const double values[NUM_FIGURES] = {(double) of->makespan * 1e-9,
                (double) num_workers, (double) of->tasks.num_attempts,
                (double) ((int64_t) of->tasks.num_attempts - of->distinct),
                (double) of->transmits.num_attempts, (double) run->sum * 1e-9,
                run->p50 * 1e-9, run->p90 * 1e-9, (double) comm->sum * 1e-9,
                comm->p50 * 1e-9, comm->p90 * 1e-9};
            spot_wide_t sum = 0;

            for (size_t w = 0; w < num_workers && j >= NUM_FIGURES; w++) {
                sum += of->times.workers[w].split[j - NUM_FIGURES];
            }
            spot_table_add_number(&table,
                j < NUM_FIGURES
                    ? values[j]
                    : spot_wide_ratio(sum, (spot_wide_t) num_workers * of->makespan));
        }
    }
    spot_document_table(to, NULL, &table);
}
