/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/study_task.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/stop.h"
#include "base/utf8.h"
#include "cli/plan.h"
#include "cli/progress_picture.h"
#include "reports/study_pictures.h"
#include "sim/store/store_sqlite.h"
#include "sim/study/study.h"

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
        spot_study_results_keep_partial(&self->results, store, diag);
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
    return spot_study_results_write(&self->results, store, diag);
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

int
spot_study_task_plan(
    const spot_study_task_t *self, const spot_study_t *study, spot_diag_t *diag)
{
    spot_plan_request_t request = {.store_path = self->store_path,
        .shard = self->num_shards > 1 ? self->shard : "",
        .run = {.num_threads = (int) self->num_threads,
            .shard_id = self->shard_id,
            .num_shards = self->num_shards},
        .is_json = self->results.is_json};
    spot_store_t *store = NULL;
    int ret = 0;

    if (self->store_path != NULL && access(self->store_path, F_OK) == 0) {
        ret = open_database(self, study, spot_store_look_sqlite, &store, diag);
    }
    request.store = store;
    if (ret == 0) {
        ret = spot_plan_show(study, &request, diag);
    }
    return spot_command_close_store(store, ret, diag);
}
