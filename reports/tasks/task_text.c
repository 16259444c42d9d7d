/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text is made of the items of JSON: a section for each map of the outermost one, with a
 * row for its own items and for each map in it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/tasks/task_report.h"

#define MAX_ROWS 100 /* of a table */

typedef struct {
    /* Of spot_json_listener_t; n: the name of a row; e: ns as they are; i: a share of
     * idle time. */
    char kind;
    const char *key, *text;
} item_t;

typedef struct {
    spot_document_t *to;
    const char *section, *shown; /* the latest one; that whose title is written */
    const char *name;            /* of the row; NULL: it has none */
    int depth;                   /* open brackets */
    bool is_list;                /* items of a list, which the text has not */
    bool is_idle;                /* items are causes of idle time */
    double idle;                 /* of the row, ns */
    size_t num_items;
    size_t max_items;
    item_t *items;      /* [num_items] of the row */
    spot_texts_t texts; /* of items */
    int error;
    spot_table_t table;
    size_t num_left; /* rows that it has not */
} text_t;

/* Wide integers are times in ns; so are some others, and what is unknown of them. */
static bool is_time(const item_t *item)
{
    static const char *const times[] = {
        "mean", "min", "max", "p50", "p90", "p99", "low", "high", "t0", "t1"};
    bool is_listed = false;

    for (size_t j = 0; j < sizeof(times) / sizeof(times[0]); j++) {
        is_listed = is_listed || strcmp(item->key, times[j]) == 0;
    }
    return item->kind == 'w' || (item->kind == '.' && is_listed);
}

static void add_column(spot_table_t *table, const item_t *item)
{
    spot_table_column_t column = {.name = item->key, .num_digits = 5};

    column.unit = is_time(item)       ? "s"
                  : item->kind == 'e' ? "ns"
                  : item->kind == 'i' ? "of idle"
                                      : NULL;
    column.kind = item->kind == 'n'   ? SPOT_TABLE_TEXT
                  : item->kind == '"' ? SPOT_TABLE_PROSE
                                      : SPOT_TABLE_NUMBER;
    column.is_key = item->kind == 'n';
    spot_table_add_column(table, column);
}

static void add_cell(spot_table_t *table, const item_t *item)
{
    const bool is_null = strchr(".i", item->kind) != NULL && strcmp(item->text, "null") == 0;

    if (strchr("n\"e", item->kind) != NULL || is_null) {
        spot_table_add_text(table, is_null ? "nan" : item->text);
    } else if (item->kind == '0') {
        spot_table_add_count(table, strtoll(item->text, NULL, 10));
    } else {
        spot_table_add_number(table, strtod(item->text, NULL) * (is_time(item) ? 1e-9 : 1));
    }
}

static void write_table(text_t *self)
{
    if (self->num_left > 0) {
        spot_table_add_note(
            &self->table, "", spot_texts_add(&self->texts, "%zu more, see --json", self->num_left));
        self->num_left = 0;
    }
    if (self->table.num_rows > 0) {
        if (self->shown == self->section) {
            spot_document_gap(self->to);
        } else {
            spot_document_section(self->to, self->section, self->section);
        }
        self->shown = self->section;
        spot_document_table(self->to, self->section, &self->table);
    }
}

/* ---- Items ---- */

static void start_section(text_t *self, const char *key)
{
    write_table(self);
    self->section = key;
    self->name = NULL;
}

/* Texts, which may be long, stand last. */
static void push(text_t *self, char kind, const char *key, const char *text)
{
    const item_t item = {kind, key, text};
    size_t j = self->num_items;

    SPOT_ARRAY_PUSH(self, items, item);
    for (; self->error == 0 && kind != '"' && j > 0 && self->items[j - 1].kind == '"'; j--) {
        self->items[j] = self->items[j - 1];
        self->items[j - 1] = item;
    }
}

/* A table goes on as long as its rows have the same items. */
static void add_row(text_t *self)
{
    spot_table_t *table = &self->table;
    bool is_same = table->num_columns == self->num_items;

    for (size_t j = 1; j < self->num_items && is_same; j++) {
        is_same = strcmp(table->columns[j].name, self->items[j].key) == 0;
    }
    if (!is_same) {
        write_table(self);
    }
    for (size_t j = 0; j < self->num_items && !is_same; j++) {
        add_column(table, &self->items[j]);
    }
    if (table->num_rows == MAX_ROWS) {
        self->num_left++;
        return;
    }
    spot_table_add_row(table);
    for (size_t j = 0; j < self->num_items; j++) {
        add_cell(table, &self->items[j]);
    }
}

static void end_row(text_t *self)
{
    if (self->num_items > 0 && self->error == 0) {
        add_row(self);
    }
    self->num_items = 0;
    self->name = NULL;
    spot_document_fail(self->to, spot_error_first(self->error, self->texts.error));
    spot_texts_free(&self->texts);
}

/* A map whose first item is a map is a section. */
static void begin(text_t *self, const char *key)
{
    if (self->num_items == 0 && self->name != NULL) {
        start_section(self, self->name);
    } else {
        end_row(self);
    }
    if (self->depth == 2) {
        start_section(self, key);
    } else if (self->depth > 2) {
        self->name = key;
    }
}

/* Beside a sum of times is its other form, in place of a cause its share of idle time,
 * beside what is relative the ratio. Keys of arrays are those of pairs. */
static void add_item(text_t *self, char kind, const char *key, const char *text)
{
    static const char *const pair[] = {"task", "first", "second", "difference", "relative"};
    const double value = strtod(text, NULL);

    if (self->num_items == 0 && self->name != NULL) {
        push(self, 'n', self->section, self->name);
    }
    key = spot_texts_add(&self->texts, "%s", key == NULL ? pair[self->num_items % 5] : key);
    if (self->is_idle) {
        kind = 'i';
        text = self->idle == 0 ? "null" : spot_texts_add(&self->texts, "%.3f", value / self->idle);
    }
    self->idle = strcmp(key, "idle") == 0 ? value : self->idle;
    push(self, kind, key, spot_texts_add(&self->texts, "%s", text));
    if (strcmp(key, "sum") == 0) {
        push(self, 'e', "sum", spot_texts_add(&self->texts, "%.3e", value));
    }
    if (strcmp(key, "relative") == 0 && self->error == 0) {
        const double first = strtod(self->items[0].text, NULL);
        const double second = strtod(self->items[1].text, NULL);

        push(self, '.', "ratio",
            first == 0 ? "null" : spot_texts_add(&self->texts, "%.17g", second / first));
    }
}

static void listen(void *context, char kind, const char *key, const char *text)
{
    text_t *self = context;

    if (kind == '{' || kind == '[') {
        self->depth++;
        self->is_list = kind == '[' && key != NULL && self->depth > 2;
        self->is_idle = key != NULL && strcmp(key, "idle_split") == 0;
        if (!self->is_list && !self->is_idle) {
            begin(self, key);
        }
    } else if (kind == '}' || kind == ']') {
        self->depth--;
        if (!self->is_list && !self->is_idle) {
            end_row(self);
        }
        self->is_list = self->is_idle = false;
        if (self->depth == 0) {
            write_table(self);
        }
    } else if (!self->is_list) {
        add_item(self, kind, key, text);
    }
}

void spot_task_text(
    spot_document_t *self, void (*put)(const void *context, spot_json_t *json), const void *context)
{
    text_t text = {.to = self, .section = "comparison"};
    spot_json_t json;

    spot_json_init_listener(&json, listen, &text);
    put(context, &json);
    free(text.items);
    spot_texts_free(&text.texts);
}

/* ---- Several logs ---- */

void spot_task_summary(spot_document_t *self, size_t num_runs, const spot_task_run_t *runs)
{
    static const char *const figures[] = {"makespan (s)", "workers", "tasks", "transmits",
        "run (s)", "run p50 (s)", "run p90 (s)", "comm (s)", "comm p50 (s)", "comm p90 (s)"};
    enum { NUM_FIGURES = sizeof(figures) / sizeof(figures[0]) };
    spot_table_t table = {0};

    spot_table_add_column(&table, (spot_table_column_t){.name = "log", .kind = SPOT_TABLE_TEXT});
    for (size_t k = 0; k < num_runs; k++) {
        spot_table_add_column(&table, (spot_table_column_t){.name = runs[k].file});
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
            const double values[NUM_FIGURES] = {(double) of->makespan * 1e-9, (double) num_workers,
                (double) of->tasks.num_attempts, (double) of->transmits.num_attempts,
                (double) run->sum * 1e-9, run->p50 * 1e-9, run->p90 * 1e-9,
                (double) comm->sum * 1e-9, comm->p50 * 1e-9, comm->p90 * 1e-9};
            spot_wide_t sum = 0;

            for (size_t w = 0; w < num_workers && j >= NUM_FIGURES; w++) {
                sum += of->times.workers[w].split[j - NUM_FIGURES];
            }
            spot_table_add_number(&table,
                j < NUM_FIGURES ? values[j]
                                : spot_wide_ratio(sum, (spot_wide_t) num_workers * of->makespan));
        }
    }
    spot_document_table(self, NULL, &table);
}
