/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/tasks/task_verbs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/files.h"
#include "base/memory.h"
#include "base/outfile.h"
#include "base/verb/output.h"
#include "base/verb/verb.h"
#include "sim/bench/engine/series.h"
#include "traces/tasks/task_analysis.h"
#include "traces/tasks/task_log_read.h"

/* ---- CSV ---- */

typedef struct {
    const spot_task_run_t *run;
    const spot_task_comparison_t *comparison;
    int32_t *rank;  /* [num ids] in order of bytes */
    int32_t *first; /* [num ids] by rank: the first item of an id; -1: none */
    bool is_transmits;
    FILE *out;
} csv_t;

static void put_number(const csv_t *self, bool is_there, int64_t value)
{
    fprintf(self->out, is_there ? ",%lld" : ",", (long long) value);
}

static void put_text(const csv_t *self, const char *before, const char *text)
{
    fputs(before, self->out);
    spot_csv_field_text(self->out, text);
}

static void put_worker(const csv_t *self, const char *before, int32_t worker_id)
{
    const spot_task_worker_t *worker = &self->run->log->workers[worker_id];

    put_text(self, before, worker->name);
    put_text(self, ",", self->run->log->hosts[worker->host_id]);
}

static void put_attempt(const csv_t *self, const spot_attempt_t *attempt, bool is_transmit)
{
    const spot_task_analysis_t *analysis = self->run->analysis;
    const spot_task_span_t *spans = is_transmit ? spot_transmit_spans : spot_task_spans;
    const int num_spans = is_transmit ? SPOT_NUM_TRANSMIT_DURATIONS : SPOT_TASK_LOAD;
    const int last_stage = is_transmit ? SPOT_TRANSMIT_FINISHED : SPOT_TASK_FINISHED;

    put_text(self, "", self->run->log->ids.names[attempt->id]);
    if (!is_transmit) {
        put_text(self, ",", analysis->per_class[analysis->class_of[attempt->id]].name);
    }
    put_worker(self, ",", attempt->worker);
    put_number(self, true, attempt->number);
    if (is_transmit) {
        put_text(
            self, ",", attempt->mode == SPOT_MODE_NONE ? "" : spot_task_mode_names[attempt->mode]);
    }
    for (int j = 0; j <= last_stage; j++) {
        put_number(self, spot_attempt_has(attempt, j), attempt->at[j]);
    }
    for (int j = 0; j < num_spans; j++) {
        int64_t length;
        const bool is_there = spot_attempt_between(attempt, spans[j].from, spans[j].to, &length);

        put_number(self, is_there, length);
    }
    fputc('\n', self->out);
}

static void put_attempts(const csv_t *self)
{
    const bool is_transmits = self->is_transmits;
    const spot_task_analysis_t *analysis = self->run->analysis;
    const spot_attempts_t *list = is_transmits ? &analysis->transmits : &analysis->tasks;
    const size_t num_ids = self->run->log->ids.num_names, num = list->num_attempts;

    memset(self->first, -1, num_ids * sizeof(*self->first));
    for (size_t j = num; j-- > 0;) {
        self->first[self->rank[list->attempts[j].id]] = (int32_t) j;
    }
    for (size_t j = 0; j < num_ids; j++) {
        for (size_t k = self->first[j] < 0 ? num : (size_t) self->first[j];
             k < num && self->rank[list->attempts[k].id] == (int32_t) j; k++) {
            put_attempt(self, &list->attempts[k], is_transmits);
        }
    }
}

static void put_workers(const csv_t *self)
{
    for (size_t j = 0; j < self->run->log->num_workers; j++) {
        const spot_worker_time_t *time = &self->run->analysis->times.workers[j];
        const int64_t counts[] = {time->tasks, time->gaps, time->gap_max, time->in_flight,
            time->hidden, time->in_flight - time->hidden};

        put_worker(self, "", (int32_t) j);
        for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
            put_number(self, true, counts[k]);
        }
        for (size_t k = 0; k < SPOT_NUM_IDLE; k++) {
            put_number(self, true, time->split[k]);
        }
        fputc('\n', self->out);
    }
}

/* Of all, then of hosts. */
static void put_concurrency(const csv_t *self)
{
    const spot_worker_times_t *times = &self->run->analysis->times;

    for (size_t j = 0; j <= times->num_hosts; j++) {
        const spot_concurrency_t *of = j == 0 ? &times->all : &times->hosts[j - 1];

        for (size_t k = 0; k < of->num_ns; k++) {
            if (of->ns[k] != 0) {
                put_text(self, "", j == 0 ? "all" : self->run->log->hosts[j - 1]);
                fprintf(self->out, ",%zu,%lld\n", k, (long long) of->ns[k]);
            }
        }
    }
}

static void put_comparison(const csv_t *self)
{
    const size_t num_ids = self->run->log->ids.num_names;

    memset(self->first, -1, num_ids * sizeof(*self->first));
    for (size_t j = 0; j < self->comparison->num_pairs; j++) {
        self->first[self->rank[self->comparison->pairs[j].id]] = (int32_t) j;
    }
    for (size_t j = 0; j < num_ids; j++) {
        if (self->first[j] >= 0) {
            const spot_task_pair_t *pair = &self->comparison->pairs[self->first[j]];

            put_text(self, "", self->run->log->ids.names[pair->id]);
            put_number(self, true, pair->first);
            put_number(self, true, pair->second);
            put_number(self, true, pair->second - pair->first);
            spot_csv_field_number(self->out, pair->relative);
            spot_csv_field_number(self->out, spot_wide_ratio(pair->second, pair->first));
            fputc('\n', self->out);
        }
    }
}

static const struct {
    const char *name, *head;
    void (*put)(const csv_t *self);
} files[] = {{"tasks",
                 "task,class,worker,host,attempt,planned,enqueued,started,loaded,finished,total,"
                 "comm,queue,run,on_worker",
                 put_attempts},
    {"transmits",
        "dataset,worker,host,attempt,mode,planned,started,loaded,finished,total,comm,"
        "load,transfer",
        put_attempts},
    {"workers",
        "worker,host,tasks,gaps,gap_max,transmit_in_flight,transmit_hidden,"
        "transmit_exposed,busy,queue,comm,inputs,lost,head,tail,unplanned",
        put_workers},
    {"concurrency", "scope,k,ns", put_concurrency},
    {"compare", "task,first,second,difference,relative,ratio", put_comparison}};

/* Writes tasks.csv, transmits.csv, workers.csv and concurrency.csv; or compare.csv, if
 * comparison is not NULL, with run as the first one. Makes the folder if only the last
 * part of its path is missing. Times are in ns, what is missing is empty, rows are in
 * order of id, worker, attempt. A file appears whole or not at all. IO with the reason
 * in diag, NO_MEMORY. */
static int task_csv(const spot_task_run_t *run, const spot_task_comparison_t *comparison,
    const char *folder, spot_diag_t *diag)
{
    const size_t num_ids = run->log->ids.num_names;
    int32_t *rank = malloc((num_ids + 1) * sizeof(*rank));
    int32_t *first = malloc((num_ids + 1) * sizeof(*first));
    csv_t self = {run, comparison, rank, first, false, NULL};
    spot_texts_t texts = {0};
    int ret =
        rank == NULL || first == NULL ? SPOT_ERR_NO_MEMORY : spot_task_log_rank(run->log, rank);

    ret = ret == 0 ? spot_folder_make(folder, NULL, diag) : ret;
    for (size_t j = comparison == NULL ? 0 : 4; ret == 0 && j < (comparison == NULL ? 4 : 5); j++) {
        spot_outfile_t file;

        ret = spot_outfile_init(
            &file, spot_texts_add(&texts, "%s/%s.csv", folder, files[j].name), diag);
        if (ret == 0) {
            self.is_transmits = j == 1;
            self.out = file.stream;
            fprintf(self.out, "%s\n", files[j].head);
            files[j].put(&self);
        }
        ret = spot_outfile_close(&file, ret, diag);
    }
    spot_texts_free(&texts);
    free(rank);
    free(first);
    return ret;
}

/* ---- Text, made of the items of JSON ---- */

#define MAX_ROWS 100 /* of a table */

/* The kind is that of JSON; n: the name of a row; e: ns as they are; i: a share of idle time. */
typedef spot_json_item_t item_t;

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
    if (item->text != NULL) {
        spot_table_add_text(table, item->text);
    } else if (isnan(item->number)) {
        spot_table_add_text(table, "nan");
    } else if (item->kind == '0') {
        spot_table_add_count(table, item->integer);
    } else {
        spot_table_add_number(table, item->number * (is_time(item) ? 1e-9 : 1));
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
static void push(text_t *self, item_t item)
{
    size_t j = self->num_items;

    SPOT_ARRAY_PUSH(self, items, item);
    for (; self->error == 0 && item.kind != '"' && j > 0 && self->items[j - 1].kind == '"'; j--) {
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
static void add_item(text_t *self, item_t item)
{
    static const char *const pair[] = {"task", "first", "second", "difference", "relative"};
    const double value = isnan(item.number) ? 0 : item.number;

    if (self->num_items == 0 && self->name != NULL) {
        push(self, (item_t){.kind = 'n', .key = self->section, .text = self->name});
    }
    item.key =
        spot_texts_add(&self->texts, "%s", item.key == NULL ? pair[self->num_items % 5] : item.key);
    if (item.text != NULL) {
        item.text = spot_texts_add(&self->texts, "%s", item.text);
    }
    if (self->is_idle) {
        item.kind = 'i';
        item.number = self->idle == 0 ? (double) NAN : round(1e3 * value / self->idle) / 1e3;
    }
    self->idle = strcmp(item.key, "idle") == 0 ? value : self->idle;
    push(self, item);
    if (strcmp(item.key, "sum") == 0) {
        push(self,
            (item_t){
                .kind = 'e', .key = "sum", .text = spot_texts_add(&self->texts, "%.3e", value)});
    }
    if (strcmp(item.key, "relative") == 0 && self->error == 0) {
        const double first = self->items[0].number, second = self->items[1].number;

        push(self, (item_t){.kind = '.',
                       .key = "ratio",
                       .number = first == 0 || isnan(first) ? (double) NAN : second / first});
    }
}

static void listen(void *context, const spot_json_item_t *item)
{
    const char kind = item->kind, *key = item->key;
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
        add_item(self, *item);
    }
}

/* Writes what put() writes of context as JSON: maps of maps as tables, ns as seconds.
 * The document keeps errors. */
static void task_text(
    spot_document_t *self, void (*put)(const void *context, spot_json_t *json), const void *context)
{
    text_t text = {.to = self, .section = "comparison"};
    spot_json_t json;

    spot_json_init_listener(&json, listen, &text);
    put(context, &json);
    spot_document_fail(self, text.table.error); /* a table without rows was not handed on */
    spot_table_free(&text.table);
    free(text.items);
    spot_texts_free(&text.texts);
}

/* ---- Several logs ---- */

/* The main figures of logs, a column for each. */
static void task_summary(spot_document_t *self, size_t num_runs, const spot_task_run_t *runs)
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

/* ---- Pages and Chrome traces ---- */

#define MAX_BARS 20000
#define MAX_STEPS 20000 /* of how many tasks run */
#define MAX_BINS 2000   /* of a worker */
#define MAX_LANES 60    /* workers whose time is split */
#define ID_BYTES 120    /* of a page: the end of an id is often a hash */
#define NS_PER_S 1000000000

/* What is not a class, which has no bracket in its name: kinds of bars, transmits by
 * mode from MODES on, shares of a worker's time from SHARES on. */
enum { COMM, QUEUE, RUN, TRANSMIT, MODES = 2, SHARES = 6, NUM_SHARES = 4, CLASSES = 10 };
static const spot_colour_t colours[] = {{"wait (comm)", "#e3e6eb"}, {"wait (queue)", "#c3c9d2"},
    {"transmit (no mode)", "#8a93a0"}, {"transmit (local)", "#8a93a0"},
    {"transmit (remote)", "#3d4450"}, {"transmit (redundant)", "#b3434f"},
    {"busy (up to 25 %)", "#d6e6f4"}, {"busy (up to 50 %)", "#9dc6e3"},
    {"busy (up to 75 %)", "#4d95c8"}, {"busy (up to 100 %)", "#145a9c"}, {0}};
static const int ends[][2] = {[COMM] = {SPOT_TASK_PLANNED, SPOT_TASK_ENQUEUED},
    [QUEUE] = {SPOT_TASK_ENQUEUED, SPOT_TASK_STARTED},
    [RUN] = {SPOT_TASK_STARTED, SPOT_TASK_FINISHED},
    [TRANSMIT] = {SPOT_TRANSMIT_PLANNED, SPOT_TRANSMIT_FINISHED}};

enum { LABEL = 3, WHAT, NUM_COLUMNS = 9, MAX_CLASSES = 32 };
typedef struct {
    size_t num_runs, run_id; /* run_id: what is added now */
    const spot_task_run_t *runs;
    bool is_trace, has_bars; /* has_bars: else shares of the workers' time */
    int64_t end;             /* of the longest run, from its t0 */
    int64_t bin, num_bins;
    const char *names[CLASSES + MAX_CLASSES + 1];
    spot_series_column_t columns[NUM_COLUMNS];
    spot_series_kind_t kind; /* of spans */
    spot_recording_t recording;
} view_t;

/* A lane for each worker, and one below for transmits to it. attempt: NULL for a share
 * of the worker's time. */
static int add_span(view_t *self, int kind, int32_t worker, const char *what,
    const spot_attempt_t *attempt, int64_t start, int64_t end)
{
    const spot_task_log_t *log = self->runs[self->run_id].log;
    const char *id = attempt == NULL ? what : log->ids.names[attempt->id];
    double waits_us[] = {(double) NAN, (double) NAN};
    spot_texts_t texts = {0};
    int64_t length;
    int ret;

    for (int j = COMM; j <= QUEUE && kind == RUN && attempt != NULL; j++) {
        if (spot_attempt_between(attempt, ends[j][0], ends[j][1], &length)) {
            waits_us[j] = (double) length / 1e3;
        }
    }
    ret = spot_series_add(&self->recording.series[0],
        (const spot_cell_t[]){{.integer = start}, {.integer = end},
            {.text = spot_texts_add(&texts, "%s%s%s",
                 self->num_runs == 1 ? ""
                 : self->run_id == 0 ? "1 "
                                     : "2 ",
                 log->workers[worker].name, kind == TRANSMIT ? " data" : "")},
            {.text = self->is_trace ? what : spot_texts_add(&texts, "%.*s", ID_BYTES, id)},
            {.text = self->is_trace ? id : what},
            {.text = log->hosts[log->workers[worker].host_id]},
            {.integer = attempt == NULL ? 0 : attempt->number}, {.number = waits_us[QUEUE]},
            {.number = waits_us[COMM]}});
    spot_texts_free(&texts);
    return spot_error_first(ret, texts.error);
}

/* Adds the time of a run to busy[workers][bins]. */
static void add_busy(const view_t *self, int32_t worker, int64_t start, int64_t end, int64_t *busy)
{
    for (int64_t k = start / self->bin; k * self->bin < end; k++) {
        const int64_t low = k * self->bin, high = low + self->bin;

        busy[worker * self->num_bins + k] +=
            (end < high ? end : high) - (start > low ? start : low);
    }
}

/* Bars of a kind; of runs in place of bars the time of workers, and how many there are
 * at once. */
static int add_bars(view_t *self, int kind, int64_t *busy)
{
    const spot_task_analysis_t *analysis = self->runs[self->run_id].analysis;
    const spot_attempts_t *list = kind == TRANSMIT ? &analysis->transmits : &analysis->tasks;
    int64_t *open = spot_calloc(2 * list->num_attempts, sizeof(*open)), length;
    size_t num = 0;
    int ret = open == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (size_t j = 0; ret == 0 && j < list->num_attempts; j++) {
        const spot_attempt_t *bar = &list->attempts[j];
        const int64_t start = bar->at[ends[kind][0]] - analysis->t0;
        const int64_t end = bar->at[ends[kind][1]] - analysis->t0;

        if (!spot_attempt_between(bar, ends[kind][0], ends[kind][1], &length) || length <= 0) {
            continue;
        }
        open[num++] = start;
        open[num++] = end;
        if (self->has_bars) {
            ret = add_span(self, kind, bar->worker,
                kind == RUN        ? analysis->per_class[analysis->class_of[bar->id]].name
                : kind == TRANSMIT ? self->names[MODES + bar->mode]
                                   : self->names[kind],
                bar, start, end);
        } else if (kind == RUN) {
            add_busy(self, bar->worker, start, end, busy);
        }
    }
    if (ret == 0 && kind == RUN && !self->is_trace) {
        ret = spot_series_add_open(&self->recording.series[1 + self->run_id], num / 2, open);
    }
    free(open);
    return ret;
}

/* Spans of how busy a worker is; equal neighbours are one. */
static int add_shares(view_t *self, int32_t worker, const int64_t *busy)
{
    int64_t before = 0, from = 0;
    int ret = 0;

    for (int64_t k = 0; ret == 0 && k <= self->num_bins; k++) {
        const double share = k < self->num_bins ? (double) busy[k] / (double) self->bin : 0;
        const int64_t step = (int64_t) ceil(fmin(share, 1) * NUM_SHARES);

        if (step != before) {
            if (before > 0) {
                ret = add_span(self, RUN, worker, self->names[SHARES + before - 1], NULL,
                    from * self->bin, k * self->bin);
            }
            from = k;
            before = step;
        }
    }
    return ret;
}

static int add_run(view_t *self)
{
    const size_t num_workers = self->runs[self->run_id].log->num_workers;
    int64_t *busy = spot_calloc(num_workers, (size_t) self->num_bins * sizeof(*busy));
    int ret = busy == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (int kind = self->is_trace ? RUN : COMM; ret == 0 && kind <= TRANSMIT; kind++) {
        ret = add_bars(self, kind, busy);
    }
    for (size_t j = 0; ret == 0 && !self->has_bars && j < num_workers; j++) {
        ret = add_shares(self, (int32_t) j, &busy[(int64_t) j * self->num_bins]);
    }
    free(busy);
    return ret;
}

/* Free the recording even after an error. */
static int init(view_t *self)
{
    static const spot_series_column_t spans[NUM_COLUMNS] = {
        SPOT_SERIES_COLUMN(INSTANT, "start", ""), SPOT_SERIES_COLUMN(INSTANT, "end", ""),
        SPOT_SERIES_COLUMN(TEXT, "worker", ""), SPOT_SERIES_COLUMN(TEXT, "id", ""),
        SPOT_SERIES_COLUMN(CATEGORY, "what", ""), SPOT_SERIES_COLUMN(TEXT, "host", ""),
        SPOT_SERIES_COLUMN(COUNT, "attempt", "1"), SPOT_SERIES_COLUMN(NUMBER, "queue", "us"),
        SPOT_SERIES_COLUMN(NUMBER, "comm", "us")};
    static const spot_series_column_t levels[] = {
        SPOT_SERIES_COLUMN(INSTANT, "time", ""), SPOT_SERIES_COLUMN(NUMBER, "running", "1")};
    static const spot_series_kind_t running[] = {
        SPOT_SERIES_KIND("tasks running", LEVELS, NS_PER_S, levels, "tasks at once"),
        SPOT_SERIES_KIND("tasks running in 2", LEVELS, NS_PER_S, levels, "the same")};
    int64_t num_bars = 0, num_workers = 1, num_names = 0;
    int ret;

    for (; num_names < CLASSES; num_names++) {
        self->names[num_names] = colours[num_names].word;
    }
    for (size_t r = 0; r < self->num_runs; r++) {
        const spot_task_analysis_t *analysis = self->runs[r].analysis;

        num_bars += (int64_t) (3 * analysis->tasks.num_attempts + analysis->transmits.num_attempts);
        num_workers += (int64_t) self->runs[r].log->num_workers;
        self->end = analysis->makespan > self->end ? analysis->makespan : self->end;
        for (size_t j = 0; j < analysis->num_classes && num_names < CLASSES + MAX_CLASSES; j++) {
            self->names[num_names++] = analysis->per_class[j].name;
        }
    }
    self->has_bars = self->is_trace || num_bars <= MAX_BARS;
    self->num_bins = MAX_BARS / num_workers;
    self->num_bins = self->num_bins > MAX_BINS ? MAX_BINS : self->num_bins + 1;
    self->bin = self->end / self->num_bins + 1;
    self->num_bins = self->end / self->bin + 1;
    memcpy(self->columns, spans, sizeof(spans));
    self->columns[WHAT].categories = self->names;
    if (self->is_trace) { /* spans are called by their class, so that they group */
        self->columns[WHAT] = spans[LABEL];
        self->columns[LABEL] = spans[WHAT];
    }
    self->kind = (spot_series_kind_t){"tasks", "what workers do", SPOT_SERIES_SPANS, NS_PER_S,
        NUM_COLUMNS, .columns = self->columns};
    ret = spot_recording_init(&self->recording, 1 + self->num_runs,
        (const spot_series_kind_t *const[]){&self->kind, &running[0], &running[1]});
    self->recording.end_ticks = self->end;
    for (; ret == 0 && self->run_id < self->num_runs; self->run_id++) {
        ret = add_run(self);
    }
    return ret;
}

/* A bar for each worker, as long as its run. */
static int declare_split(spot_chart_t *chart, const void *context)
{
    static const char *const inks[SPOT_NUM_IDLE] = {
        "#0b5a8f", "#c3c9d2", "#8a93a0", "#e8a735", "#b3434f", "#cfe3f3", "#e9e4d4", "#cc79a7"};
    const view_t *self = context;

    spot_chart_title(chart, "Where does the time of every worker go?");
    for (size_t r = 0; r < self->num_runs; r++) {
        const spot_worker_times_t *times = &self->runs[r].analysis->times;
        const size_t num = times->num_workers < MAX_LANES ? times->num_workers : MAX_LANES;

        spot_chart_panel(chart,
            &(spot_chart_panel_t){.title = self->runs[r].file,
                .x = {.name = "time", .unit = SPOT_CHART_S, .high = (double) self->end / NS_PER_S},
                .y = {.kind = SPOT_CHART_ROWS},
                .is_below = r > 0});
        for (size_t j = 0; j < num; j++) {
            (void) spot_chart_row(
                chart, &(spot_chart_row_t){.name = self->runs[r].log->workers[j].name});
        }
        for (int k = 0; k < SPOT_NUM_IDLE; k++) {
            spot_chart_series(chart, &(spot_chart_series_t){.kind = SPOT_CHART_BARS,
                                         .name = spot_idle_names[k],
                                         .name_at = SPOT_CHART_NAME_LEGEND,
                                         .colour = inks[k]});
            for (size_t j = 0; j < num; j++) {
                spot_chart_add_xy(
                    chart, (double) times->workers[j].split[k] / NS_PER_S, (double) j);
            }
        }
        if (num < times->num_workers) {
            spot_chart_foot(chart, "%s: the first %zu of %zu workers", self->runs[r].file, num,
                times->num_workers);
        }
    }
    return spot_chart_error(chart);
}

int spot_task_runs_draw(size_t num_runs, const spot_task_run_t *runs, bool is_trace,
    const char *path, FILE *out, spot_diag_t *diag)
{
    view_t self = {.num_runs = num_runs, .runs = runs, .is_trace = is_trace};
    spot_texts_t texts = {0};
    int ret = init(&self);

    if (ret == 0) {
        const spot_recording_view_t view = {.recording = &self.recording,
            .colours = colours,
            .title = num_runs == 1
                         ? runs[0].file
                         : spot_texts_add(&texts, "1: %s, 2: %s", runs[0].file, runs[1].file),
            .max_rows = MAX_STEPS,
            .gathered = self.has_bars ? NULL
                                      : "bars are how busy workers are: the log has "
                                        "more tasks than the page holds",
            .more = declare_split,
            .more_context = &self};

        ret = spot_output_recording(&view, is_trace, path, out, diag);
    }
    spot_recording_free(&self.recording);
    spot_texts_free(&texts);
    return ret;
}

/* ---- spotsim tasks ---- */

typedef struct {
    spot_option_list_t paths;
    spot_target_t target;
    const char *csv_folder, *html_path, *chrome_path;
    const char *solo_path;
    spot_task_reading_t reading;
    spot_task_rules_t rules;
    int names, mode_rule, dup, scope;
    bool compares, fits;
} arguments_t;

static const char *const names_choices[] = {"auto", "global", "local", NULL};
static const char *const mode_choices[] = {"chain", "last-line", NULL};
static const char *const dup_choices[] = {"first", "last", "error", NULL};

/* How logs are read, by both commands. */
#define READING_OPTIONS                                                                            \
    SPOT_OPTION(CHOICE, "scope", 0, "SCOPE", scope,                                                \
        "Tasks contend with those of their host (default), or of all hosts, where "                \
        "these are on one machine: host, machine",                                                 \
        .choices = spot_task_scope_names, .what = "scope"),                                        \
        SPOT_OPTION(CHOICE, "names", 0, "RULE", names,                                             \
            "Put HOST: before names of workers: auto (default) where lines of the "                \
            "controller have it, global never, local always",                                      \
            .choices = names_choices, .what = "rule of names"),                                    \
        SPOT_OPTION(CHOICE, "mode-rule", 0, "RULE", mode_rule,                                     \
            "The mode of a transmit: chain (default), that of its last event with "                \
            "one; last-line, that of its line furthest down",                                      \
            .choices = mode_choices, .what = "rule of modes"),                                     \
        SPOT_OPTION(CHOICE, "dup", 0, "RULE", dup,                                                 \
            "An action that one attempt has twice: take the first (default) or the "               \
            "last, or refuse the log (error)",                                                     \
            .choices = dup_choices, .what = "rule of duplicates"),                                 \
        SPOT_OPTION(INPUT, "edges", 0, "FILE", reading.edges_path,                                 \
            "The inputs of tasks, lines of the action taskInputs"),                                \
        SPOT_OPTION(INPUT, "controller", 0, "FILE", reading.controller_path,                       \
            "Further lines of the controller"),                                                    \
        SPOT_OPTION(FLAG, "align", 0, NULL, rules.aligns,                                          \
            "Subtract from the clock of each host what it is surely ahead of the "                 \
            "controller's"),                                                                       \
        SPOT_OPTION(FLAG, "skip-bad", 0, NULL, reading.skips_bad,                                  \
            "Skip lines with errors: print their number and the first three")

static const spot_option_t options[] = {
    SPOT_OPTION(ARGUMENTS, "a log", 0, "LOG", paths, NULL, .min = 1),
    SPOT_OPTION(FLAG, "compare", 0, NULL, compares,
        "Compare two runs of the same tasks; for contention the first one has one "
        "worker"),
    READING_OPTIONS,
    SPOT_OPTION_JSON(target.is_json,
        "JSON with exact integers instead of text; a list where there are several logs"),
    SPOT_OPTION(FOLDER, "csv", 0, "DIR", csv_folder,
        "Write tasks.csv, transmits.csv, workers.csv and concurrency.csv into this "
        "folder; with --compare compare.csv"),
    SPOT_OPTION(WRITTEN, "html", 0, "FILE", html_path,
        "Write a page of one or two logs: what every worker did when, how many tasks "
        "ran, where the time went; of more than 20,000 bars how busy workers were"),
    SPOT_OPTION(WRITTEN, "chrome", 0, "FILE.json", chrome_path,
        "Write tasks and transmits of one or two logs as a Chrome trace, which Perfetto "
        "opens"),
    SPOT_OPTION_OUTPUT(target.path, NULL),
    SPOT_OPTION_END,
};

static void check(spot_call_t *call)
{
    arguments_t *self = call->arguments;
    const size_t num_logs = self->paths.num_texts;
    const char *others[] = {self->reading.edges_path, self->reading.controller_path};
    size_t num_inputs = 0;

    for (size_t j = 0; j < num_logs + 2; j++) {
        const char *path = j < num_logs ? self->paths.texts[j] : others[j - num_logs];

        num_inputs += path != NULL && strcmp(path, "-") == 0;
    }
    spot_usage_refuse(call, num_inputs > 1, "- can be read only once");
    spot_usage_refuse(call, self->compares && num_logs != 2, "--compare needs two logs");
    spot_usage_refuse(call, !self->compares && self->scope != 0, "--scope is for two runs");
    spot_usage_refuse(call, num_logs > 1 && self->reading.controller_path != NULL,
        "--controller belongs to one log");
    spot_usage_refuse(call, num_logs > 1 && !self->compares && self->csv_folder != NULL,
        "--csv writes one log, or a comparison");
    spot_usage_refuse(call, num_logs > 2 && (self->html_path != NULL || self->chrome_path != NULL),
        "--html and --chrome draw one or two logs");
    self->reading.names = (spot_task_names_t) self->names;
    self->rules.dup = (spot_task_dup_t) self->dup;
    self->rules.has_last_line = self->mode_rule == 1;
}

/* A log with what it says. */
typedef struct {
    spot_task_log_t log;
    spot_task_analysis_t analysis;
    spot_task_markers_t markers;
} read_t;

/* Reads on after an error, so that all files are reported. Logs of markers have other
 * tables, and stand alone. */
static int read_all(spot_call_t *call, spot_task_run_t *runs, read_t *reads)
{
    const arguments_t *self = call->arguments;
    const size_t num_logs = self->paths.num_texts;
    int error = 0;

    for (size_t j = 0; j < num_logs; j++) {
        const char *path = self->paths.texts[j];
        read_t *read = &reads[j];
        int ret = spot_task_log_read(&read->log, path, &self->reading, &call->diag);

        runs[j] = (spot_task_run_t){path, &read->log, &read->analysis};
        if (ret == 0 && !read->log.is_markers) {
            ret = spot_task_analysis_init(
                &read->analysis, &read->log, &self->rules, path, &call->diag);
        } else if (ret == 0 && (num_logs > 1 || self->fits || self->csv_folder != NULL ||
                                   self->html_path != NULL || self->chrome_path != NULL)) {
            ret = spot_diag_error(&call->diag, path, 0, 0,
                "a log of markers has no comparison, laws, CSV or picture, see --json");
        } else if (ret == 0) {
            ret = spot_task_markers_init(
                &read->markers, &read->log, self->rules.dup, path, &call->diag);
        }
        if (ret == 0 && !read->log.is_markers) {
            spot_task_analysis_warn(&read->analysis, &read->log, path, &call->diag);
        }
        error = spot_error_first(error, ret);
    }
    return error;
}

/* What is printed. */
typedef struct {
    size_t num_logs;
    const spot_task_run_t *runs;        /* [num_logs] */
    const read_t *reads;                /* [num_logs] */
    spot_task_comparison_t *comparison; /* NULL: none */
} results_t;

static void put(const void *context, spot_json_t *json)
{
    const results_t *self = context;

    if (self->comparison != NULL) {
        spot_task_comparison_json(self->comparison, self->runs[0].log, json);
        return;
    }
    if (self->num_logs > 1) {
        spot_json_open(json, NULL, '[');
    }
    for (size_t j = 0; j < self->num_logs; j++) {
        if (self->reads[j].log.is_markers) {
            spot_task_markers_json(&self->reads[j].markers, json);
        } else {
            spot_task_analysis_json(&self->reads[j].analysis, &self->reads[j].log, json);
        }
    }
    if (self->num_logs > 1) {
        spot_json_close(json, ']');
    }
}

static int write_results(spot_call_t *call, const results_t *self)
{
    const arguments_t *arguments = call->arguments;
    spot_output_t output;
    spot_document_t document;
    spot_json_t json;
    FILE *out = spot_output_begin(&output, &arguments->target, &call->diag);

    if (out == NULL) {
        return spot_output_end(&output, 0);
    }
    if (arguments->target.is_json) {
        spot_json_init(&json, out, 2);
        put(self, &json);
        return spot_output_end(&output, 0);
    }
    spot_output_document(&document, &output.terminal, out);
    if (self->comparison != NULL) {
        self->comparison->num_pairs = 0; /* too many for people */
    } else if (self->num_logs > 1) {
        task_summary(&document, self->num_logs, self->runs);
        return spot_output_end(&output, spot_document_end(&document));
    }
    task_text(&document, put, self);
    return spot_output_end(&output, spot_document_end(&document));
}

/* path: NULL for nothing. */
static int draw(spot_call_t *call, const results_t *results, const char *path, bool is_trace)
{
    spot_output_t output;
    FILE *out = path == NULL ? NULL : spot_output_bytes(&output, path, &call->diag);

    if (path == NULL) {
        return 0;
    }
    return spot_output_end(&output, out == NULL
                                        ? 0
                                        : spot_task_runs_draw(results->num_logs, results->runs,
                                              is_trace, path, out, &call->diag));
}

/* Of the last log; the one before it, if any, ran on one worker. */
static int write_model(spot_call_t *call, const results_t *self)
{
    const arguments_t *arguments = call->arguments;
    const char *path = arguments->target.path;
    spot_output_t output;
    FILE *out = spot_output_bytes(&output, path, &call->diag);
    const int ret =
        out == NULL ? 0
                    : spot_task_fit(&self->runs[self->num_logs - 1], arguments->reading.edges_path,
                          self->runs, self->comparison, path, out, &call->diag);

    return spot_output_end(&output, ret);
}

static int run(spot_call_t *call)
{
    const arguments_t *self = call->arguments;
    const size_t num_logs = self->paths.num_texts;
    spot_task_run_t *runs = spot_calloc(num_logs, sizeof(*runs));
    read_t *reads = spot_calloc(num_logs, sizeof(*reads));
    spot_task_comparison_t comparison = {0};
    const results_t results = {num_logs, runs, reads, self->compares ? &comparison : NULL};
    int ret = runs == NULL || reads == NULL ? SPOT_ERR_NO_MEMORY : 0;

    call->is_reading = false; /* a file that cannot be read is a failure */
    ret = ret == 0 ? read_all(call, runs, reads) : ret;
    if (ret == 0 && self->compares) {
        ret = spot_task_comparison_init(
            &comparison, &runs[0], &runs[1], (spot_task_scope_t) self->scope, &call->diag);
    }
    if (ret == 0 && self->csv_folder != NULL) {
        ret = task_csv(&runs[0], results.comparison, self->csv_folder, &call->diag);
    }
    ret = ret == 0 ? draw(call, &results, self->html_path, false) : ret;
    ret = ret == 0 ? draw(call, &results, self->chrome_path, true) : ret;
    if (ret == 0) {
        ret = (self->fits ? write_model : write_results)(call, &results);
    }
    spot_task_comparison_free(&comparison);
    for (size_t j = 0; reads != NULL && j < num_logs; j++) {
        spot_task_markers_free(&reads[j].markers);
        spot_task_analysis_free(&reads[j].analysis);
        spot_task_log_free(&reads[j].log);
    }
    free(reads);
    free(runs);
    return ret;
}

const spot_verb_t spot_verb_tasks = {
    .name = "tasks",
    .arguments = "LOG...",
    .summary = "Say where the time of a run went by the event log of its task graph",
    .doc = "LOG is the event log that a task-graph scheduler writes, as JSON lines or "
           "trace lines; \"-\" is standard input. Printed are exact durations of tasks "
           "and transmits, where the time of every worker went (busy, or idle by the "
           "first cause that applies: queue, comm, inputs, lost, head, tail, "
           "unplanned), how many tasks ran at once, whether delay is a host that waits "
           "for a running task (head_of_line), bounds of clocks, and with --edges the "
           "critical path and the chain of waits up to the last task. Of several logs "
           "the main figures stand side by side. Times of JSON and CSV are in ns.\n\n"
           "--compare FIRST SECOND holds tasks of the same id against each other. "
           "beta is contention: a task runs at the rate 1 / (1 + beta (k - 1)) while k "
           "tasks run; relative is (second - first) / second, ratio second / first.",
    .examples = "  spotsim tasks run.jsonl --edges edges.jsonl\n"
                "  spotsim tasks run1.jsonl run2.jsonl\n"
                "  spotsim tasks --compare one_worker.jsonl run.jsonl --scope machine\n"
                "  spotsim tasks run.jsonl --json --csv tables\n",
    .options = options,
    .arguments_bytes = sizeof(arguments_t),
    .check = check,
    .run = run,
};

/* ---- spotsim tasks fit ---- */

static const spot_option_t fit_options[] = {
    SPOT_OPTION(ARGUMENTS, "a log", 0, "LOG", paths, NULL, .min = 1),
    SPOT_OPTION(INPUT, "solo", 0, "SOLO", solo_path,
        "A run of the same tasks on one worker: laws of run are its own, contention is "
        "what LOG adds to them"),
    READING_OPTIONS,
    SPOT_OPTION_OUTPUT(target.path, ".yaml or .yml"),
    SPOT_OPTION_END,
};

static void check_fit(spot_call_t *call)
{
    arguments_t *self = call->arguments;

    spot_usage_refuse(call, self->paths.num_texts != 1, "expected one log");
    self->fits = true;
    self->compares = self->solo_path != NULL;
    if (self->compares) {
        spot_option_list_add(&self->paths, self->paths.texts[0]);
        self->paths.texts[0] = self->solo_path;
    }
    check(call);
}

const spot_verb_t spot_verb_tasks_fit = {
    .name = "tasks fit",
    .arguments = "LOG",
    .summary = "Fit laws to the event log of a task graph, to run it again",
    .doc = "Writes a scenario of the engine tasks: laws of run by class, of decision, "
           "comm and queue, and of transmits, each the best by AIC of those that keep "
           "the mean, with comments on what it rests on. Fewer than five values, or "
           "equal ones, give their mean. Decisions need edges. Without --solo laws of "
           "run hold contention. Attempts without an end are left out.",
    .examples = "  spotsim tasks fit four.jsonl --solo one.jsonl -o model.yaml\n",
    .options = fit_options,
    .arguments_bytes = sizeof(arguments_t),
    .check = check_fit,
    .run = run,
};
