/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/study_task.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/outfile.h"
#include "base/stop.h"
#include "base/utf8.h"
#include "cli/progress_picture.h"
#include "cli/report_terminal.h"
#include "reports/plan_report.h"
#include "reports/report_text.h"
#include "reports/result_csv.h"
#include "reports/result_json.h"
#include "reports/study_parts.h"
#include "reports/study_pictures.h"
#include "sim/store/store_sqlite.h"
#include "sim/study/study.h"

#define PILOT_BUDGET_S 0.3

void
spot_study_task_init(spot_study_task_t *self, const spot_call_t *call)
{
    const long num_processors = sysconf(_SC_NPROCESSORS_ONLN);

    if (self->num_threads == 0) {
        self->num_threads = num_processors > 0 ? num_processors : 1;
    }
    if (call->is_quiet) {
        self->progress = SPOT_PROGRESS_NONE;
    }
    self->argc = call->argc;
    self->argv = call->argv;
}

bool
spot_study_task_is_store(const char *path)
{
    static const char *const endings[] = {".db", ".sqlite", ".sqlite3"};
    const char *dot = path == NULL ? NULL : strrchr(path, '.');

    for (size_t j = 0; dot != NULL && j < sizeof(endings) / sizeof(endings[0]); j++) {
        if (strcmp(dot, endings[j]) == 0) {
            return true;
        }
    }
    return false;
}

void
spot_study_task_check_json(
    const spot_study_task_t *self, const spot_call_t *call, const char *csv_option)
{
    const spot_study_results_t *results = &self->results;

    if (results->is_json && results->csv_path != NULL &&
        strcmp(results->csv_path, "-") == 0) {
        spot_usage_error(
            call, "--json and %s - both write to standard output", csv_option);
    }
}

/* Every file that the study reads, and its database: no output may replace them. */
static int
list_inputs(
    const spot_study_task_t *self, const spot_study_t *study, spot_option_list_t *inputs)
{
    size_t num_files = 0;

    while (spot_study_file(study, num_files) != NULL) {
        num_files++;
    }
    inputs->texts =
        spot_calloc(2 + num_files + study->inputs->num_inputs, sizeof(*inputs->texts));
    if (inputs->texts == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    inputs->texts[inputs->num_texts++] = self->input_path;
    if (self->store_path != NULL) {
        inputs->texts[inputs->num_texts++] = self->store_path;
    }
    for (size_t j = 0; j < num_files; j++) {
        inputs->texts[inputs->num_texts++] = spot_study_file(study, j);
    }
    for (size_t j = 0; j < study->inputs->num_inputs; j++) {
        inputs->texts[inputs->num_texts++] = study->inputs->inputs[j].path;
    }
    return 0;
}

/* What cannot be written is to be known before the work, and before a database is made.
 */
static int
check_outputs(
    const spot_study_task_t *self, const spot_study_t *study, spot_diag_t *diag)
{
    const spot_study_results_t *results = &self->results;
    spot_option_list_t inputs = {0};
    int ret = list_inputs(self, study, &inputs);

    if (ret == 0) {
        ret = spot_files_check((spot_files_t){inputs.num_texts, inputs.texts},
            (spot_files_t){5,
                (const char *[]){results->csv_path, results->plot_path,
                    results->sensitivity_path, results->bars_path, self->progress_path}},
            diag);
    }
    if (ret == 0 && results->sensitivity_path != NULL &&
        study->head.plan.kind != SPOT_PLAN_SENSITIVITY) {
        spot_diag_error(diag, self->input_path, 0, 0,
            "--sensitivity needs plan: {sensitivity: {points: 256}}");
        ret = SPOT_ERR_BAD_INPUT;
    }
    free(inputs.texts);
    return ret;
}

static int
open_memory(spot_store_t **store, const spot_study_head_t *head)
{
    const int ret = spot_store_open_memory(store, head);

    if (ret == SPOT_ERR_NO_MEMORY) {
        fprintf(stderr,
            "%zu points x %" PRId64 " replications x %zu metrics need %.1f GB: keep "
            "them in a database (-o FILE.db), or keep fewer metrics\n",
            head->num_points, head->num_replications, head->num_metrics,
            8e-9 * (double) head->num_points * (double) head->num_replications *
                (double) head->num_metrics);
    }
    return ret;
}

typedef int (*open_function_t)(spot_store_t **store, const char *path,
    const spot_study_head_t *head, const spot_provenance_t *provenance,
    spot_diag_t *diag);

/* The database of -o, to go on with, or for a plan to look at. */
static int
open_database(const spot_study_task_t *self, const spot_study_t *study,
    open_function_t open, spot_store_t **store, spot_diag_t *diag)
{
    spot_study_provenance_t provenance;
    int ret = spot_study_provenance_init(&provenance, study, self->argc, self->argv);

    if (ret == 0) {
        provenance.provenance.num_threads = self->num_threads;
        provenance.provenance.shard = self->shard == NULL ? "" : self->shard;
        ret = open(store, self->store_path, &study->head, &provenance.provenance, diag);
    }
    spot_study_provenance_free(&provenance);
    return ret;
}

/* ---- Results ---- */

/* Whether the CSV goes to a file, not to standard output. */
static bool
is_csv_file(const spot_study_results_t *self)
{
    return self->csv_path != NULL && strcmp(self->csv_path, "-") != 0;
}

typedef int (*writer_t)(const spot_store_t *store, FILE *out);

static int
write_table(const void *context, const spot_terminal_t *terminal, FILE *out)
{
    return spot_result_table_write(context, terminal, out);
}

/* path NULL: standard output. */
static int
write_one(
    const spot_store_t *store, writer_t writer, const char *path, spot_diag_t *diag)
{
    spot_outfile_t file;
    int ret = spot_outfile_init(&file, path, diag);

    if (ret == 0) {
        ret = writer(store, file.stream);
    }
    return spot_outfile_close(&file, ret, diag);
}

/* "FILE.csv.partial". NULL: no memory. */
static char *
partial_path(const spot_study_results_t *self)
{
    static const char suffix[] = ".partial";
    char *path = malloc(strlen(self->csv_path) + sizeof(suffix));

    if (path != NULL) {
        sprintf(path, "%s%s", self->csv_path, suffix);
    }
    return path;
}

/* What an interrupted study has so far, under another name than the whole would have. */
static void
keep_partial_results(
    const spot_study_results_t *self, const spot_store_t *store, spot_diag_t *diag)
{
    char *path;

    if (!is_csv_file(self)) {
        return;
    }
    path = partial_path(self);
    if (path != NULL && write_one(store, spot_result_csv_write, path, diag) == 0) {
        fprintf(stderr, "what was done so far is in %s\n", path);
    }
    free(path);
}

/* Those of an earlier, interrupted run: the whole is there now. */
static void
remove_partial_results(const spot_study_results_t *self)
{
    char *path;

    if (is_csv_file(self)) {
        path = partial_path(self);
        if (path != NULL) {
            unlink(path);
        }
        free(path);
    }
}

static int
write_standard_output(
    const spot_study_results_t *self, const spot_store_t *store, spot_diag_t *diag)
{
    if (self->csv_path != NULL && !is_csv_file(self)) {
        return write_one(store, spot_result_csv_write, NULL, diag);
    }
    return self->is_json
               ? write_one(store, spot_result_json_write, NULL, diag)
               : spot_command_print_table(NULL, false, write_table, store, diag);
}

static int
draw_pictures(
    const spot_study_results_t *self, const spot_store_t *store, spot_diag_t *diag)
{
    spot_report_t report;
    int ret = spot_report_init(&report, store);

    if (ret == 0 && self->plot_path != NULL) {
        ret = spot_picture_curves_draw(&report, self->plot_path, diag);
    }
    if (ret == 0 && self->bars_path != NULL) {
        ret = spot_draw_file(spot_picture_ledger.declare, &report, SPOT_FORMAT_SVG,
            self->bars_path, diag);
    }
    spot_report_free(&report);
    return ret;
}

/* All of them, standard output even where a picture failed. Files first: the reader of
 * standard output may stop early. */
static int
write_all_results(
    const spot_study_results_t *self, const spot_store_t *store, spot_diag_t *diag)
{
    int ret = 0, drawn = 0;

    if (is_csv_file(self)) {
        ret = write_one(store, spot_result_csv_write, self->csv_path, diag);
    }
    if (ret == 0 && self->sensitivity_path != NULL) {
        ret = write_one(store, spot_sensitivity_csv_write, self->sensitivity_path, diag);
    }
    if (ret == 0) {
        remove_partial_results(self);
    }
    if (ret == 0 && (self->plot_path != NULL || self->bars_path != NULL)) {
        drawn = draw_pictures(self, store, diag);
    }
    if (ret == 0) { /* also without a picture, which is no reason to lose the rest */
        ret = write_standard_output(self, store, diag);
    }
    return ret == 0 ? drawn : ret;
}

/* ---- The run ---- */

/* How to go on after an interrupt, and what is there so far. That it was one is said at
 * the end of every command. */
static void
tell_how_to_go_on(
    const spot_study_task_t *self, const spot_store_t *store, spot_diag_t *diag)
{
    if (self->store_path != NULL) {
        fputs("what was run is in ", stderr);
        spot_utf8_print(stderr, self->store_path);
        fputs("; the same command goes on from there\n", stderr);
    } else {
        atomic_store(&spot_stop, 0); /* the partial results are written nevertheless */
        keep_partial_results(&self->results, store, diag);
    }
}

/* A shard has only a part to show. */
static int
write_results(
    const spot_study_task_t *self, const spot_store_t *store, spot_diag_t *diag)
{
    if (self->num_shards > 1) {
        fprintf(stderr, "shard %s is complete in ", self->shard);
        spot_utf8_print(stderr, self->store_path);
        fputs("; join all of them: spotsim merge OUT.db SHARD.db ...\n", stderr);
        return 0;
    }
    return write_all_results(&self->results, store, diag);
}

/* Before the runs: whether there is something to draw. */
static int
check_plot(const spot_store_t *store, const char *svg_path, spot_diag_t *diag)
{
    spot_report_t report;
    int ret = spot_report_init(&report, store);

    if (ret == 0) {
        ret = spot_picture_curves_check(&report, svg_path, diag);
    }
    spot_report_free(&report);
    return ret;
}

/* A database that cannot be read is refused by whoever opens it to write. */
int
spot_study_task_keep_ledger(const spot_study_task_t *self, spot_study_t *study)
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

/* From the writer of a database to a reader: it reads all of one moment, without a lock
 * for each point, and ends when it is stopped. */
static int
go_on_reading(const spot_study_task_t *self, spot_store_t **store, spot_diag_t *diag)
{
    const int ret = spot_command_close_store(*store, 0, diag);

    *store = NULL;
    return ret == 0 ? spot_command_open_store(store, self->store_path, diag) : ret;
}

int
spot_study_task_run(
    const spot_study_task_t *self, const spot_study_t *study, spot_diag_t *diag)
{
    spot_study_watcher_t watcher;
    const spot_study_run_t run = {.num_threads = (int) self->num_threads,
        .shard_id = self->shard_id,
        .num_shards = self->num_shards,
        .stop = &spot_stop,
        .progress = spot_study_watcher_tell,
        .context = &watcher};
    spot_store_t *store = NULL;
    int ret = check_outputs(self, study, diag);

    if (ret == 0) {
        ret = self->store_path == NULL
                  ? open_memory(&store, &study->head)
                  : open_database(self, study, spot_store_open_sqlite, &store, diag);
    }
    if (ret == 0 && self->results.plot_path != NULL) {
        ret = check_plot(store, self->results.plot_path, diag);
    }
    if (ret == 0) {
        spot_study_watcher_start(&watcher, (spot_progress_form_t) self->progress);
        ret = spot_study_run(study, store, &run, diag);
        spot_study_watcher_finish(&watcher, study, run.num_threads, ret);
        if (ret == SPOT_ERR_INTERRUPTED) {
            tell_how_to_go_on(self, store, diag);
        }
    }
    if (ret == 0 && self->progress_path != NULL) {
        ret = spot_progress_picture(study, self->progress_path, diag);
    }
    if (ret == 0 && self->store_path != NULL && self->num_shards <= 1) {
        ret = go_on_reading(self, &store, diag);
    }
    if (ret == 0) {
        ret = write_results(self, store, diag);
    }
    return spot_command_close_store(store, ret, diag);
}

/* ---- What would run ---- */

typedef struct {
    const spot_study_head_t *head;
    spot_plan_cost_t cost;
} plan_t;

static int
write_plan(const void *context, const spot_terminal_t *terminal, FILE *out)
{
    const plan_t *self = context;

    return spot_plan_report_text(self->head, &self->cost, terminal, out);
}

static int
write_plan_json(const void *context, FILE *out)
{
    const plan_t *self = context;

    spot_plan_report_json(self->head, &self->cost, out);
    return 0;
}

/* store: with what is there of the study, or NULL. Some runs are made for the estimate
 * of the time, and thrown away. */
static int
print_plan(const spot_study_task_t *self, const spot_study_t *study,
    const spot_store_t *store, spot_diag_t *diag)
{
    const spot_study_run_t run = {.num_threads = (int) self->num_threads,
        .shard_id = self->shard_id,
        .num_shards = self->num_shards};
    const spot_watch_t watch = {.stop = &spot_stop};
    spot_study_left_t left;
    spot_pilot_t pilot = {.num_runs = 0};
    plan_t plan = {.head = &study->head};
    int ret = spot_study_find_left(study, store, &run, &left);

    if (ret == 0 && left.most_runs > 0) {
        ret = spot_study_measure(study, PILOT_BUDGET_S, &watch, &pilot);
    }
    if (ret != 0) {
        return ret;
    }
    plan.cost = (spot_plan_cost_t){.num_threads = run.num_threads,
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
    return self->results.is_json
               ? spot_command_write(NULL, write_plan_json, &plan, diag)
               : spot_command_print_table(NULL, false, write_plan, &plan, diag);
}

int
spot_study_task_plan(
    const spot_study_task_t *self, const spot_study_t *study, spot_diag_t *diag)
{
    spot_store_t *store = NULL;
    int ret = 0;

    if (self->store_path != NULL && access(self->store_path, F_OK) == 0) {
        ret = open_database(self, study, spot_store_look_sqlite, &store, diag);
    }
    if (ret == 0) {
        ret = print_plan(self, study, store, diag);
    }
    return spot_command_close_store(store, ret, diag);
}
