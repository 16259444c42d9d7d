/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/tasks/task_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "reports/chrome_trace.h"
#include "reports/page/page_timeline.h"

#define MAX_BARS 20000
#define MAX_STEPS 20000 /* of how many tasks run */
#define MAX_BINS 2000   /* of a worker */
#define MAX_ROWS 60     /* workers whose time is split */
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
        const size_t num = times->num_workers < MAX_ROWS ? times->num_workers : MAX_ROWS;

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
    spot_run_series_t series = {0};
    spot_texts_t texts = {0};
    int ret = init(&self);

    if (ret == 0 && is_trace) {
        ret = spot_chrome_trace_write(&self.recording, out);
    } else if (ret == 0) {
        ret = spot_run_series_init(&series, &self.recording, colours);
        series.title = num_runs == 1
                           ? runs[0].file
                           : spot_texts_add(&texts, "1: %s, 2: %s", runs[0].file, runs[1].file);
        series.max_rows = MAX_STEPS;
        series.gathered = self.has_bars ? NULL
                                        : "bars are how busy workers are: the log has "
                                          "more tasks than the page holds";
        series.more = declare_split;
        series.more_context = &self;
        ret = ret == 0 ? spot_page_run_write(&series, path, out, diag) : ret;
    }
    spot_run_series_free(&series);
    spot_recording_free(&self.recording);
    spot_texts_free(&texts);
    return ret;
}
