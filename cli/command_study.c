/* SPDX-License-Identifier: GPL-3.0-or-later */
/* spotsim study and compare. A task is what both share: the store, the progress, an interrupt and
 * the results. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/utf8.h"
#include "base/watch.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "reports/export.h"
#include "reports/plan_report.h"
#include "reports/report_text.h"
#include "reports/run_chart.h"
#include "reports/study_parts.h"
#include "reports/study_pictures.h"
#include "reports/words.h"
#include "sim/bench/analysis/race.h"
#include "sim/bench/store/store_sqlite.h"
#include "sim/bench/study/compare.h"
#include "sim/bench/study/metrics.h"
#include "sim/bench/study/study.h"
#include "sim/bench/study/worker.h"
#include "sim/engines.h"

typedef struct {
    const char *input_path;       /* that the study was read from: no output may replace it */
    const char *store_path;       /* a database; NULL: results are kept in memory */
    bool is_json;                 /* the results, instead of the table */
    const char *csv_path;         /* "-": standard output, instead of the table; NULL: none */
    const char *plot_path;        /* pictures: of the results, may be NULL */
    const char *bars_path;        /* of what each point is made of; the same */
    const char *progress_path;    /* of the first replications; the same */
    const char *cdf_path;         /* of their distributions; the same */
    const char *sensitivity_path; /* indices as CSV; the same */
    int64_t num_threads;
    const char *shard; /* "I/N", or NULL */
    int64_t shard_id;
    int64_t num_shards;
    int progress; /* spot_progress_form_t */
    spot_call_t *call;
} study_task_t;

/* The rows of options that both commands have; the task is a member of arguments_t. */
#define OPTION_THREADS                                                                             \
    SPOT_OPTION(COUNT, "threads", 0, "N", task.num_threads,                                        \
        "Threads to run on (default: all processors); the results are the same", .min = 1,         \
        .max = 1024)
#define OPTION_PROGRESS                                                                            \
    SPOT_OPTION(CHOICE, "progress", 0, "FORM", task.progress,                                      \
        "The form of the progress on standard error: auto (default: line on a "                    \
        "terminal, else lines), line, lines (every 10 s), json (an object a line, "                \
        "every s), none",                                                                          \
        .choices = spot_progress_form_names)

/* ---- The task of both ---- */

/* Running a study that was read: the store, the progress, an interrupt and the results.
 * What `spotsim study` and `spotsim compare` share. */

#define PILOT_BUDGET_S 0.3
/* Of the second that a command may take after a signal. */
#define PARTIAL_BUDGET_S 0.4
#define NAME_CHARS 64 /* of a point in a picture */

/* Takes from a call what is common to all: by default all processors. */
static void study_task_init(study_task_t *self, spot_call_t *call)
{
    const long num_processors = sysconf(_SC_NPROCESSORS_ONLN);

    if (self->num_threads == 0) {
        self->num_threads = num_processors > 0 ? num_processors : 1;
    }
    if (call->is_quiet) {
        self->progress = SPOT_PROGRESS_NONE;
    }
    self->call = call;
}

/* A name that says it is a database; path may be NULL. */
static bool study_task_is_store(const char *path)
{
    return path != NULL && (spot_has_suffix(path, ".db") || spot_has_suffix(path, ".sqlite") ||
                               spot_has_suffix(path, ".sqlite3"));
}

static bool is_csv_printed(const study_task_t *self)
{
    return spot_files_is_dash(self->csv_path);
}

/* Whether standard output is that of another output than the table and the CSV. */
static bool is_taken(const study_task_t *self)
{
    return spot_files_is_dash(self->plot_path) || spot_files_is_dash(self->sensitivity_path) ||
           spot_files_is_dash(self->bars_path) || spot_files_is_dash(self->progress_path) ||
           spot_files_is_dash(self->cdf_path);
}

/* JSON and CSV cannot both go to standard output: a usage error that names the option of
 * the CSV. */
static void study_task_check_json(
    const study_task_t *self, const spot_call_t *call, const char *csv_option)
{
    if (self->is_json && is_csv_printed(self)) {
        spot_usage_error(call, "--json and %s - both write to standard output", csv_option);
    }
}

/* ---- Before the runs ---- */

/* What cannot be written is to be known before the work, and before a database is made:
 * no output may replace a file that the study reads. */
static int check_outputs(const study_task_t *self, const spot_study_t *study)
{
    const char *const outputs[] = {self->csv_path, self->plot_path, self->sensitivity_path,
        self->bars_path, self->progress_path, self->cdf_path};
    spot_option_list_t inputs = {0};
    const char *file;
    int ret;

    spot_option_list_add(&inputs, self->input_path);
    spot_option_list_add(&inputs, self->store_path);
    for (size_t j = 0; (file = spot_study_file(study, j)) != NULL; j++) {
        spot_option_list_add(&inputs, file);
    }
    for (size_t j = 0; j < study->inputs->num_inputs; j++) {
        spot_option_list_add(&inputs, study->inputs->inputs[j].path);
    }
    ret = spot_files_check((spot_files_t){inputs.num_texts, inputs.texts},
        (spot_files_t){sizeof(outputs) / sizeof(outputs[0]), outputs}, &self->call->diag);
    free(inputs.texts);
    if (ret == 0 && self->sensitivity_path != NULL &&
        study->head.plan.kind != SPOT_PLAN_SENSITIVITY) {
        spot_diag_error(&self->call->diag, self->input_path, 0, 0,
            "--sensitivity needs plan: {sensitivity: {points: 256}}");
        ret = SPOT_ERR_BAD_INPUT;
    }
    return ret;
}

/* A database that cannot be read is refused where it is opened to write. */
static int keep_ledger(const study_task_t *self, spot_study_t *study)
{
    spot_store_t *store = NULL;
    spot_diag_t quiet;
    int ret;

    if (self->store_path == NULL) {
        return 0;
    }
    spot_diag_init(&quiet);
    if (access(self->store_path, F_OK) == 0 &&
        spot_store_open_sqlite_reader(&store, self->store_path, &quiet) != 0) {
        store = NULL;
    }
    ret = spot_study_keep_ledger(study, store == NULL ? NULL : store->head);
    if (store != NULL) {
        store->close(store);
    }
    spot_diag_free(&quiet);
    return ret;
}

static int open_memory(const study_task_t *self, const spot_study_t *study, spot_store_t **store)
{
    const int ret = spot_study_check_memory(study, &self->call->diag);

    return ret == 0 ? spot_store_open_memory(store, &study->head) : ret;
}

typedef int (*open_function_t)(spot_store_t **store, const char *path,
    const spot_study_head_t *head, const spot_provenance_t *provenance, spot_diag_t *diag);

/* The database of -o, to go on with, or for a plan to look at. */
static int open_database(
    const study_task_t *self, const spot_study_t *study, open_function_t open, spot_store_t **store)
{
    spot_study_provenance_t provenance;
    int ret = spot_study_provenance_init(&provenance, study, self->call->argc, self->call->argv);

    ret = ret == 0 ? spot_study_check_recordings(study, &self->call->diag) : ret;
    if (ret == 0) {
        provenance.provenance.num_threads = self->num_threads;
        provenance.provenance.shard = self->shard == NULL ? "" : self->shard;
        ret =
            open(store, self->store_path, &study->head, &provenance.provenance, &self->call->diag);
    }
    spot_study_provenance_free(&provenance);
    return ret;
}

/* ---- Results ---- */

/* path NULL: standard output. */
static int write_bytes(const study_task_t *self, const spot_store_t *store,
    int (*write)(const spot_store_t *store, FILE *out), const char *path)
{
    spot_output_t output;
    FILE *out = spot_output_bytes(&output, path, &self->call->diag);

    return spot_output_end(&output, out == NULL ? 0 : write(store, out));
}

/* Where an interrupted study leaves what it has, another name than that of the whole:
 * "FILE.csv.partial". NULL: no CSV goes to a file. */
static const char *partial_path(const study_task_t *self)
{
    return self->csv_path == NULL || is_csv_printed(self)
               ? NULL
               : spot_texts_add(&self->call->texts, "%s.partial", self->csv_path);
}

/* Says how to go on after an interrupt, and keeps what is there so far. That it was one
 * is said at the end of every command. */
static void keep_partial_results(const study_task_t *self, const spot_store_t *store)
{
    const char *path = partial_path(self);
    const size_t num_points = store->head->num_points;
    size_t num_written = 0;
    spot_output_t output;
    FILE *out;

    if (self->store_path != NULL) {
        fputs("what was run is in ", stderr);
        spot_utf8_print(stderr, self->store_path);
        fputs("; the same command goes on from there\n", stderr);
        return;
    }
    atomic_store(&spot_stop, 0); /* the partial results are written nevertheless */
    if (path == NULL) {
        return;
    }
    out = spot_output_bytes(&output, path, &self->call->diag);
    if (spot_output_end(&output, out == NULL ? 0
                                             : spot_result_csv_write_in(store, out,
                                                   PARTIAL_BUDGET_S, &num_written)) != 0) {
        return;
    }
    if (num_written == num_points) {
        fprintf(stderr, "what was done so far is in %s\n", path);
    } else {
        fprintf(stderr,
            "what was done so far of the first %zu of %zu points is in %s: more would take too "
            "long; a database, -o FILE.db, keeps all that is done\n",
            num_written, num_points, path);
    }
}

static int print_results(const study_task_t *self, const spot_store_t *store)
{
    spot_output_t output;
    FILE *out;

    if (self->is_json || is_csv_printed(self)) {
        return write_bytes(
            self, store, self->is_json ? spot_result_json_write : spot_result_csv_write, NULL);
    }
    out = spot_output_begin(&output, &(spot_target_t){.path = NULL}, &self->call->diag);
    return spot_output_end(
        &output, out == NULL ? 0
                             : spot_result_table_write(store,
                                   self->csv_path != NULL ? self->csv_path : self->store_path,
                                   &output.terminal, out));
}

/* Those of a report. is_check: only whether there is something to draw. */
static int draw_pictures(const study_task_t *self, const spot_store_t *store, bool is_check)
{
    spot_report_t report;
    int ret;

    if (self->plot_path == NULL && self->bars_path == NULL) {
        return 0;
    }
    ret = spot_report_init(&report, store);
    if (ret == 0 && self->plot_path != NULL) {
        ret = (is_check ? spot_picture_curves_check : spot_picture_curves_draw)(
            &report, self->plot_path, &self->call->diag);
    }
    if (ret == 0 && self->bars_path != NULL && !is_check) {
        ret = spot_draw_file(spot_picture_ledger.declare, &report, SPOT_FORMAT_SVG, self->bars_path,
            &self->call->diag);
        if (ret == SPOT_ERR_BAD_PARAM) {
            spot_diag_error(&self->call->diag, self->bars_path, 0, 0, "nothing can be drawn: %s",
                spot_picture_ledger.problem(&report));
        }
    }
    spot_report_free(&report);
    return ret;
}

/* The exit code of a study with conditions by what its race says of them: GOOD where a
 * point is shown to keep them, FAILED where none can, UNDECIDED where that is open. GOOD
 * without conditions. Errors of reading. */
static int study_task_verdict(const spot_store_t *store)
{
    spot_race_t race;
    int ret;

    if (store->head->optimise.num_constraints == 0) {
        return SPOT_EXIT_GOOD;
    }
    ret = spot_race_init(&race, store->head);
    ret = ret == 0 ? spot_race_replay(&race, store) : ret;
    ret = ret == 0 ? spot_exit_of_verdict(spot_race_verdict(&race)) : ret;
    spot_race_free(&race);
    return ret;
}

/* Files first: the reader of standard output may stop early. A picture that fails is no
 * reason to lose the rest. A shard has only a part to show. */
static int write_results(const study_task_t *self, const spot_store_t *store)
{
    const char *partial = partial_path(self);
    int ret = 0, drawn;

    if (self->num_shards > 1) {
        fprintf(stderr, "shard %s is complete in ", self->shard);
        spot_utf8_print(stderr, self->store_path);
        fputs("; join all of them: spotsim merge OUT.db SHARD.db ...\n", stderr);
        return 0;
    }
    if (partial != NULL) {
        ret = write_bytes(self, store, spot_result_csv_write, self->csv_path);
    }
    if (ret == 0 && self->sensitivity_path != NULL) {
        ret = write_bytes(self, store, spot_sensitivity_csv_write, self->sensitivity_path);
    }
    if (ret == 0 && partial != NULL) {
        unlink(partial); /* that of an earlier, interrupted run */
    }
    if (ret != 0) {
        return ret;
    }
    drawn = draw_pictures(self, store, false);
    ret = spot_error_first(is_taken(self) ? 0 : print_results(self, store), drawn);
    return ret == 0 ? study_task_verdict(store) : ret;
}

/* ---- The first replication of each point ---- */

typedef struct {
    size_t num_lines;
    const char *names[SPOT_MAX_PROGRESS_LINES];
    spot_texts_t texts;
    spot_study_worker_t workers[SPOT_MAX_PROGRESS_LINES]; /* whose series these are */
    spot_recording_t recordings[SPOT_MAX_PROGRESS_LINES];
    spot_run_series_t runs[SPOT_MAX_PROGRESS_LINES];
} picture_t;

static int add_line(picture_t *self, const spot_study_t *study, size_t point_id)
{
    const size_t j = self->num_lines++;
    int ret = spot_study_worker_go(&self->workers[j], study, point_id, NULL);

    self->names[j] = spot_words_point(&self->texts, &study->head, point_id, NAME_CHARS);
    ret =
        ret != 0 ? ret : spot_study_worker_record(&self->workers[j], 0, NULL, &self->recordings[j]);
    return ret != 0 ? ret : spot_run_series_init(&self->runs[j], &self->recordings[j], NULL);
}

static int draw_lines(
    picture_t *self, const spot_study_head_t *head, const char *svg_path, spot_diag_t *diag)
{
    const char *cut = self->num_lines == head->num_points
                          ? ""
                          : spot_texts_add(&self->texts, " · the first %zu of %zu points",
                                self->num_lines, head->num_points);
    const spot_progress_lines_t lines = {.title = spot_study_title(head),
        .note = spot_texts_add(&self->texts, "%s · seed %" PRIu64 ", replication 0 of each point%s",
            spot_words_shown(&self->texts, head->name), head->seed, cut),
        .num_lines = self->num_lines,
        .names = self->names,
        .runs = self->runs};
    int ret;

    ret = spot_draw_file(spot_progress_declare, &lines, SPOT_FORMAT_SVG, svg_path, diag);
    if (ret == SPOT_ERR_BAD_PARAM) {
        spot_diag_error(diag, svg_path, 0, 0, "nothing can be drawn: all runs are empty");
    }
    return ret;
}

static int draw_cdfs(
    picture_t *self, const spot_study_head_t *head, const char *svg_path, spot_diag_t *diag)
{
    spot_cdf_t cdf = {.title = spot_study_title(head)};
    int ret;

    for (size_t j = 0; j < self->num_lines && cdf.num_runs < SPOT_MAX_CDF_RUNS; j++) {
        cdf.series[cdf.num_runs] = spot_cdf_find(&self->recordings[j]);
        cdf.names[cdf.num_runs] = self->names[j];
        cdf.num_runs += cdf.series[cdf.num_runs] != NULL;
    }
    if (cdf.num_runs == 0) {
        spot_diag_error(diag, svg_path, 0, 0, "nothing can be drawn: no run has a distribution");
        return SPOT_ERR_BAD_PARAM;
    }
    cdf.note = spot_texts_add(&self->texts, "seed %" PRIu64 ", replication 0 of %zu of %zu points",
        head->seed, cdf.num_runs, head->num_points);
    ret = spot_draw_file(spot_cdf_declare, &cdf, SPOT_FORMAT_SVG, svg_path, diag);
    return ret == 0 && !spot_files_is_dash(svg_path) ? spot_cdf_write_beside(&cdf, svg_path, diag)
                                                     : ret;
}

/* Runs the first replication of the first points once more and draws how far each came
 * over time, and their distributions. They met the same events. */
static int draw_first_runs(const study_task_t *self, const spot_study_t *study)
{
    const spot_study_head_t *head = &study->head;
    spot_diag_t *diag = &self->call->diag;
    picture_t picture = {0};
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < head->num_points && j < SPOT_MAX_PROGRESS_LINES; j++) {
        ret = add_line(&picture, study, j);
    }
    if (ret == 0 && self->progress_path != NULL) {
        ret = draw_lines(&picture, head, self->progress_path, diag);
    }
    if (ret == 0 && self->cdf_path != NULL) {
        ret = draw_cdfs(&picture, head, self->cdf_path, diag);
    }
    for (size_t j = 0; j < picture.num_lines; j++) {
        spot_run_series_free(&picture.runs[j]);
        spot_recording_free(&picture.recordings[j]);
        spot_study_worker_close(&picture.workers[j]);
    }
    spot_texts_free(&picture.texts);
    return ret;
}

/* ---- The run ---- */

static int run_points(const study_task_t *self, const spot_study_t *study, spot_store_t *store)
{
    spot_progress_line_t progress;
    const spot_study_run_t run = {.num_threads = (int) self->num_threads,
        .shard_id = self->shard_id,
        .num_shards = self->num_shards,
        .stop = &spot_stop,
        .progress = spot_progress_of_study,
        .context = &progress};
    int ret;

    spot_progress_start(&progress, (spot_progress_form_t) self->progress);
    spot_interrupt_watch();
    ret = spot_study_run(study, store, &run, &self->call->diag);
    spot_interrupt_unwatch();
    if (ret == 0 && atomic_load(&spot_stop) != 0) {
        ret = SPOT_ERR_INTERRUPTED; /* by a signal that came at its very end */
    }
    spot_progress_finish_study(&progress, study, run.num_threads, ret);
    if (ret == SPOT_ERR_INTERRUPTED) {
        keep_partial_results(self, store);
    }
    return ret;
}

/* From the writer of a database to a reader: it reads all of one moment, without a lock
 * for each point, and ends when it is stopped. */
static int go_on_reading(const study_task_t *self, spot_store_t **store)
{
    const int ret = spot_verb_close_store(*store, 0, &self->call->diag);

    *store = NULL;
    spot_interrupt_unwatch();
    if (ret == 0 && atomic_load(&spot_stop) != 0) {
        return SPOT_ERR_INTERRUPTED;
    }
    return ret == 0 ? spot_verb_open_store(store, self->store_path, &self->call->diag) : ret;
}

/* Checks the outputs, runs what is missing in the store and writes the results. With a
 * database the study keeps its ledger too, unless the database was begun without it.
 * An exit code above 0 of the verdict. Errors of spot_study_run() and of writing, with the reasons
 * in the diag of the call.
 */
static int study_task_run(const study_task_t *self, spot_study_t *study)
{
    const bool is_stored = self->store_path != NULL;
    spot_store_t *store = NULL;
    int ret = keep_ledger(self, study);

    ret = ret != 0 ? ret : check_outputs(self, study);
    if (is_stored) {
        spot_interrupt_watch(); /* until it is closed, or read only */
    }
    if (ret == 0) {
        ret = is_stored ? open_database(self, study, spot_store_open_sqlite, &store)
                        : open_memory(self, study, &store);
    }
    ret = ret != 0 ? ret : draw_pictures(self, store, true);
    ret = ret != 0 ? ret : run_points(self, study, store);
    if (ret == 0 && (self->progress_path != NULL || self->cdf_path != NULL)) {
        ret = draw_first_runs(self, study);
    }
    if (ret == 0 && is_stored && self->num_shards <= 1) {
        ret = go_on_reading(self, &store);
    }
    ret = ret != 0 ? ret : write_results(self, store);
    return spot_verb_close_store(store, ret, &self->call->diag);
}

/* ---- What would run ---- */

/* store: with what is there of the study, or NULL. Some runs are made for the estimate
 * of the time, and thrown away. */
static int print_plan(
    const study_task_t *self, const spot_study_t *study, const spot_store_t *store)
{
    const spot_study_run_t run = {.num_threads = (int) self->num_threads,
        .shard_id = self->shard_id,
        .num_shards = self->num_shards};
    const spot_watch_t watch = {.stop = &spot_stop};
    spot_study_left_t left;
    spot_pilot_t pilot = {.num_runs = 0};
    spot_plan_cost_t cost;
    spot_output_t output;
    FILE *out;
    int ret = spot_study_find_left(study, store, &run, &left);

    if (ret == 0 && left.most_runs > 0) {
        ret = spot_study_measure(study, PILOT_BUDGET_S, &watch, &pilot);
    }
    if (ret != 0) {
        return ret;
    }
    cost = (spot_plan_cost_t){.num_threads = run.num_threads,
        .num_measured = pilot.num_runs,
        .open_s = pilot.open_s,
        .run_s = pilot.run_s,
        .store_path = store == NULL ? NULL : self->store_path,
        .shard = self->num_shards > 1 ? self->shard : "",
        .num_there = left.num_there,
        .least_runs = left.least_runs,
        .most_runs = left.most_runs,
        .least_points = left.least_points,
        .most_points = left.most_points};
    out = spot_output_begin(&output, &(spot_target_t){.is_json = self->is_json}, &self->call->diag);
    if (out != NULL && self->is_json) {
        spot_plan_report_json(&study->head, &cost, out);
    } else if (out != NULL) {
        ret = spot_plan_report_text(&study->head, &cost, &output.terminal, out);
    }
    return spot_output_end(&output, ret);
}

/* Prints the runs of a study and, with a database, how many of them it has. Errors of
 * reading it, with the reasons in the diag of the call. */
static int study_task_plan(const study_task_t *self, spot_study_t *study)
{
    spot_store_t *store = NULL;
    int ret = keep_ledger(self, study);

    if (ret == 0 && self->store_path != NULL && access(self->store_path, F_OK) == 0) {
        spot_interrupt_watch(); /* until the database is closed */
        ret = open_database(self, study, spot_store_look_sqlite, &store);
    } else if (ret == 0 && self->store_path == NULL) {
        ret = spot_study_check_memory(study, &self->call->diag);
    }
    ret = ret != 0 ? ret : print_plan(self, study, store);
    return spot_verb_close_store(store, ret, &self->call->diag);
}

/* ---- spotsim study ---- */

#define MAX_SHARDS 1000000

typedef struct {
    study_task_t task;
    const char *output_path;
    bool is_plan;
    spot_option_list_t sets;
    int64_t seed, num_replications;
    const char *trace_path;
} study_arguments_t;

static const study_arguments_t study_initial = {.seed = -1};

/* "3/8" is the third of eight. */
static void parse_shard(spot_call_t *call, const spot_option_t *option, const char *text)
{
    study_task_t *task = &((study_arguments_t *) call->arguments)->task;
    int64_t i = 0, n = 0;
    int num_bytes = 0;

    if (sscanf(text, "%" SCNd64 "/%" SCNd64 "%n", &i, &n, &num_bytes) != 2 ||
        text[num_bytes] != '\0' || strspn(text, "0123456789/") != strlen(text) || i < 1 ||
        n > MAX_SHARDS || i > n) {
        spot_usage_error(call,
            "--%s: expected I/N with I from 1 to N and N up to %d, e.g. 3/8, got \"%s\"",
            option->name, MAX_SHARDS, text);
    }
    task->shard_id = i - 1;
    task->num_shards = n;
}

#undef SPOT_OPTIONS_OF
#define SPOT_OPTIONS_OF study_arguments_t

static const spot_option_t study_options[] = {
    SPOT_OPTION(ARGUMENT, "a study file", 0, "STUDY", task.input_path, NULL, .min = 1),
    SPOT_OPTION(FILE, "output", 'o', "FILE", output_path,
        "Keep the results in FILE.db (or .sqlite, .sqlite3), a database: a study that "
        "is run again with it runs what is missing. Any other name: a summary as CSV, "
        "one row a point and metric; -: the same on standard output",
        .endings = ".csv or .db or .sqlite or .sqlite3"),
    SPOT_OPTION(FILE, "plot", 0, "FILE.svg", task.plot_path, "Draw the results", .endings = ".svg"),
    OPTION_THREADS,
    SPOT_OPTION(TEXT, "shard", 0, "I/N", task.shard,
        "Run the I-th of N parts only, into a database of its own (needs -o FILE.db); "
        "`spotsim merge` joins them",
        .settle = parse_shard),
    SPOT_OPTION(TEXTS, "set", 0, "KEY=VALUE", sets,
        "Set a key of the study, of its scenario, or the values of a swept key; may be "
        "given several times",
        .example = "replications.count=100 or job.reload=\"60 s\""),
    SPOT_OPTION(COUNT, "seed", 0, "N", seed, "Short for --set replications.seed=N"),
    SPOT_OPTION(COUNT, "replications", 0, "N", num_replications,
        "Short for --set replications.count=N", .min = 1),
    SPOT_OPTION_TRACE(trace_path),
    SPOT_OPTION_JSON(task.is_json, "Print the results as JSON instead of a table"),
    SPOT_OPTION(FILE, "sensitivity", 0, "FILE.csv", task.sensitivity_path,
        "Write the Sobol indices of a sensitivity plan as CSV, one row a metric and key",
        .endings = ".csv"),
    SPOT_OPTION(FLAG, "plan", 0, NULL, is_plan,
        "Print the points, the runs, with -o FILE.db how many of them are there and "
        "left, and an estimate of the time for these (measured on some runs), with "
        "--json as JSON; write nothing"),
    OPTION_PROGRESS,
    SPOT_OPTION_END,
};

/* What is no database is CSV. */
static void study_check(spot_call_t *call)
{
    study_arguments_t *arguments = call->arguments;
    study_task_t *task = &arguments->task;

    if (study_task_is_store(arguments->output_path)) {
        task->store_path = arguments->output_path;
    } else {
        task->csv_path = arguments->output_path;
        spot_usage_refuse(
            call, task->num_shards > 0, "--shard needs a database to keep its part in: -o FILE.db");
    }
    study_task_check_json(task, call, "-o");
    spot_usage_refuse(call,
        task->num_shards > 1 && !arguments->is_plan &&
            (task->is_json || task->plot_path != NULL || task->sensitivity_path != NULL),
        "a part of a study has no results to show: merge the parts");
}

/* Reads the study with all that the options change. */
static int study_read(spot_call_t *call, const study_arguments_t *self, spot_study_t *study)
{
    spot_yaml_given_t given[2];
    spot_scenario_changes_t changes = {.trace_path = self->trace_path,
        .num_sets = self->sets.num_texts,
        .sets = self->sets.texts,
        .given = given};

    changes.num_given = spot_study_give(given, self->seed, self->num_replications);
    return spot_study_read(study, spot_engines, self->task.input_path, &changes, &call->diag);
}

static int study_run(spot_call_t *call)
{
    study_arguments_t *arguments = call->arguments;
    study_task_t *task = &arguments->task;
    spot_study_t study = {.experiment = NULL};
    int ret;

    study_task_init(task, call);
    ret = study_read(call, arguments, &study);
    ret = ret != 0 ? ret : spot_study_check_shards(&study, task->num_shards, &call->diag);
    if (ret == 0) {
        call->is_reading = false;
        ret = (arguments->is_plan ? study_task_plan : study_task_run)(task, &study);
    }
    spot_study_free(&study);
    return ret;
}

const spot_verb_t spot_verb_study = {
    .name = "study",
    .arguments = "STUDY",
    .summary = "Run a parameter study: swept keys x replications, on all processors",
    .doc = "STUDY is a YAML file, see spotsim-study(5). All points meet the same "
           "events (common random numbers), and the results do not depend on the "
           "number of threads or parts. With -o FILE.db the study can be stopped at "
           "any time, even by a power cut: the same command runs what is missing. One "
           "process at a time writes to a database. An interrupt finishes the batches "
           "under way, keeps what was done (without a database in FILE.csv.partial) "
           "and exits with 130; a second one stops at once. With optimise.subject_to the "
           "exit code is 0 if a point is shown to keep the conditions, 1 if none can and 4 "
           "if that is open, as in --json the verdict is yes, no or undecided; that several "
           "points may be the best is no failure.",
    .examples = "  spotsim study study.yaml -o results.db --plot idle.svg\n"
                "  spotsim study study.yaml --replications 100 \\\n"
                "      --set job.pipeline_depth=[4,8]\n"
                "  spotsim study study.yaml --plan\n"
                "  spotsim study study.yaml -o part-3.db --shard 3/8\n",
    .options = study_options,
    .arguments_bytes = sizeof(study_arguments_t),
    .initial = &study_initial,
    .check = study_check,
    .run = study_run,
};

/* ---- spotsim compare ---- */

typedef struct {
    study_task_t task;
    spot_compare_request_t request;
    size_t max_keys;
    spot_compare_key_t *keys; /* [request.num_keys] */
    spot_option_list_t sets;
} compare_arguments_t;

static const compare_arguments_t compare_initial = {.request = {.seed = -1}};

static void add_key(spot_call_t *call, const spot_option_t *option, const char *text)
{
    compare_arguments_t *self = call->arguments;
    spot_compare_request_t *request = &self->request;
    const bool is_short = strcmp(option->name, "recovery") == 0;

    spot_option_reserve(&self->keys, &self->max_keys, request->num_keys + 1, sizeof(*self->keys));
    self->keys[request->num_keys++] = (spot_compare_key_t){
        is_short ? "--recovery" : "--over", is_short ? "recovery" : NULL, text};
    request->keys = self->keys;
}

static void check_store(spot_call_t *call, const spot_option_t *option, const char *text)
{
    (void) option;
    if (!study_task_is_store(text)) {
        spot_usage_error(
            call, "-o: expected a database, FILE.db, got \"%s\"; CSV goes to --csv", text);
    }
}

#undef SPOT_OPTIONS_OF
#define SPOT_OPTIONS_OF compare_arguments_t

static const spot_option_t compare_options[] = {
    SPOT_OPTION(ARGUMENT, "a scenario file", 0, "SCENARIO", task.input_path, NULL, .min = 1),
    SPOT_OPTION(OWN, "over", 0, "KEY=A,B,...", keys,
        "Compare values of a key of the scenario, two or more, written as in a YAML "
        "list; the others are compared with the first. Given several times, all "
        "combinations are compared with that of the first values",
        .settle = add_key),
    SPOT_OPTION(OWN, "recovery", 0, "A,B,...", keys,
        "Short for --over recovery=A,B,...: recovery systems, NAME or {system: NAME, "
        "OPTION: VALUE}",
        .settle = add_key),
    SPOT_OPTION_TRACE(request.trace_path),
    SPOT_OPTION(COUNT, "replications", 0, "N", request.num_replications,
        "Replications of each case (default: as many as the engine says, 1000 of train; "
        "1 where they do not differ, such as on a recorded trace that names its "
        "instances)",
        .min = 1),
    SPOT_OPTION_SEED(request.seed),
    SPOT_OPTION(TEXTS, "set", 0, "KEY=VALUE", sets,
        "Set a key of the scenario, or of the study that this makes; may be given "
        "several "
        "times",
        .example = "job.reload=\"60 s\" or metrics=[cost_usd]"),
    OPTION_THREADS,
    SPOT_OPTION_JSON(task.is_json, "Print the results as JSON instead of a table"),
    SPOT_OPTION(FILE, "csv", 0, "FILE", task.csv_path,
        "Write the results as CSV, one row a case and metric; - is standard output, "
        "instead of the table",
        .endings = ".csv"),
    SPOT_OPTION(FILE, "plot", 0, "FILE.svg", task.bars_path,
        "Draw the parts of each case, such as where the paid instance time went, a bar "
        "a case",
        .endings = ".svg"),
    SPOT_OPTION(FILE, "plot-progress", 0, "FILE.svg", task.progress_path,
        "Draw how far each case came over time in the first replication", .endings = ".svg"),
    SPOT_OPTION(FILE, "plot-cdf", 0, "FILE.svg", task.cdf_path,
        "Draw the distribution of each of the first 8 cases in the first replication, "
        "with its data, FILE.csv, beside it",
        .endings = ".svg"),
    SPOT_OPTION(FILE, "output", 'o', "FILE.db", task.store_path,
        "Keep the runs in a database (.db, .sqlite, .sqlite3); the same command goes on "
        "where it was stopped",
        .settle = check_store),
    OPTION_PROGRESS,
    SPOT_OPTION_END,
};

static void compare_check(spot_call_t *call)
{
    const compare_arguments_t *arguments = call->arguments;

    spot_usage_refuse(call, arguments->request.num_keys == 0,
        "expected --recovery A,B,...; `spotsim recovery` lists them");
    study_task_check_json(&arguments->task, call, "--csv");
}

static int compare_run(spot_call_t *call)
{
    compare_arguments_t *arguments = call->arguments;
    spot_compare_request_t *request = &arguments->request;
    spot_study_t study;
    int ret;

    study_task_init(&arguments->task, call);
    request->scenario_path = arguments->task.input_path;
    request->num_sets = arguments->sets.num_texts;
    request->sets = arguments->sets.texts;
    ret = spot_compare_read(request, spot_engines, &study, &call->diag);
    if (ret == 0) {
        call->is_reading = false;
        ret = study_task_run(&arguments->task, &study);
    }
    spot_study_free(&study);
    free(arguments->keys);
    return ret;
}

const spot_verb_t spot_verb_compare = {
    .name = "compare",
    .arguments = "SCENARIO",
    .summary = "Compare recovery systems, or values of any key, on the same events",
    .doc = "All cases meet the same trace, or in each replication the same events of "
           "a generated one; all else is as SCENARIO has it, see spotsim-scenario(5). "
           "The first table has the means and their 95 % intervals, the second one "
           "the paired differences to the first case, marked where 0 is outside their "
           "interval. Letters mark cases whose runs met a warning, such as a job that "
           "never ran; notes give their number and what to do. A case without chance, "
           "such as a recorded trace that names its instances, runs once and has no "
           "interval. It is a study of the keys that are compared, see "
           "spotsim-study(5): --set takes its keys too, -o keeps it. An interrupt "
           "finishes the batches under way and exits with 130.",
    .examples = "  spotsim compare seed-64.yaml --recovery ideal,checkpoint -o both.db\n"
                "  spotsim compare seed-64.yaml --recovery ideal,checkpoint,on-demand \\\n"
                "      --plot ledger.svg --plot-progress progress.svg\n"
                "  spotsim compare seed-64.yaml --over fleet.capacity=64,128 \\\n"
                "      --over \"recovery=checkpoint,{system: recycle, micro_batch: 8}\"\n"
                "  spotsim compare seed-64.yaml --trace p3.csv --set horizon=trace-end \\\n"
                "      --recovery \"checkpoint,{system: checkpoint, detection: 30 s}\"\n"
                "  spotsim compare seed-64.yaml --recovery ideal,checkpoint \\\n"
                "      --set sweep.trace.preemption.per_minute=[0.05,0.2]\n",
    .options = compare_options,
    .arguments_bytes = sizeof(compare_arguments_t),
    .initial = &compare_initial,
    .check = compare_check,
    .run = compare_run,
};
