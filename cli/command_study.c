/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/plan.h"
#include "cli/study_progress.h"
#include "cli/study_results.h"
#include "reports/study_plot.h"
#include "sim/store/store_sqlite.h"
#include "sim/study/study_provenance.h"
#include "sim/train/experiment.h"

#define MAX_THREADS 1024
#define MAX_SHARDS 1000000

enum {
    OPTION_THREADS = 256,
    OPTION_SET,
    OPTION_JSON,
    OPTION_PLOT,
    OPTION_SHARD,
    OPTION_PROGRESS,
    OPTION_PLAN,
    OPTION_SENSITIVITY
};

typedef struct {
    const char *study_path;
    const char *output_path;
    spot_study_results_t results;
    int64_t num_threads;
    const char *shard; /* "I/N", or "" */
    int64_t shard_id;
    int64_t num_shards;
    spot_progress_form_t progress;
    bool is_plan;
    spot_option_list_t sets;
    int argc;
    char **argv;
} arguments_t;

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0,
        "Keep the results in FILE.db (or .sqlite, .sqlite3), a database: a study that "
        "is "
        "run again with it runs what is missing. Any other name: a summary as CSV, one "
        "row a point and metric; -: the same on standard output",
        0},
    {"plot", OPTION_PLOT, "FILE.svg", 0, "Draw the results (needs gnuplot)", 0},
    {"threads", OPTION_THREADS, "N", 0,
        "Threads to run on (default: all processors); the results are the same", 0},
    {"shard", OPTION_SHARD, "I/N", 0,
        "Run the I-th of N parts only, into a database of its own (needs -o FILE.db); "
        "`spotsim merge` joins them",
        0},
    {"set", OPTION_SET, "KEY=VALUE", 0,
        "Set a key of the study (replications.count=100), of its scenario "
        "(job.reload=\"60 "
        "s\"), or the values of a swept key; may be given several times",
        0},
    {"json", OPTION_JSON, NULL, 0, "Print the results as JSON instead of a table", 0},
    {"sensitivity", OPTION_SENSITIVITY, "FILE.csv", 0,
        "Write the Sobol indices of a sensitivity plan as CSV, one row a metric and key",
        0},
    {"plan", OPTION_PLAN, NULL, 0,
        "Print the points, the runs, with -o FILE.db how many of them are there and "
        "left, and an estimate of the time for these (measured on some runs), with "
        "--json as JSON; write nothing",
        0},
    {"progress", OPTION_PROGRESS, "FORM", 0,
        "How to tell on standard error how far it is: auto (default: line on a "
        "terminal, "
        "else lines), line, lines (every 10 s), json (an object a line, every s), none",
        0},
    {NULL, 0, NULL, 0, NULL, 0},
};

/* "3/8" is the third of eight. */
static void
parse_shard(struct argp_state *state, const char *text, arguments_t *arguments)
{
    int64_t i = 0, n = 0;
    int num_bytes = 0;

    if (sscanf(text, "%" SCNd64 "/%" SCNd64 "%n", &i, &n, &num_bytes) != 2 ||
        text[num_bytes] != '\0' || strspn(text, "0123456789/") != strlen(text) ||
        i < 1 || n > MAX_SHARDS || i > n) {
        argp_error(state,
            "--shard: expected I/N with I from 1 to N and N up to %d, e.g. 3/8, got "
            "\"%s\"",
            MAX_SHARDS, text);
    }
    arguments->shard = text;
    arguments->shard_id = i - 1;
    arguments->num_shards = n;
}

static void
parse_progress(struct argp_state *state, const char *text, arguments_t *arguments)
{
    for (int j = 0; j < SPOT_NUM_PROGRESS_FORMS; j++) {
        if (strcmp(text, spot_progress_form_names[j]) == 0) {
            arguments->progress = (spot_progress_form_t) j;
            return;
        }
    }
    argp_error(
        state, "--progress: expected auto, line, lines, json or none, got \"%s\"", text);
}

/* A name that says it is a database; all others are CSV. */
static bool
is_store_path(const char *path)
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

static void
finish_arguments(struct argp_state *state, arguments_t *arguments)
{
    if (!is_store_path(arguments->output_path)) {
        arguments->results.csv_path = arguments->output_path;
        if (arguments->num_shards > 0) {
            argp_error(
                state, "--shard needs a database to keep its part in: -o FILE.db");
        }
    }
    if (arguments->results.is_json && arguments->results.csv_path != NULL &&
        strcmp(arguments->results.csv_path, "-") == 0) {
        argp_error(state, "--json and -o - both write to standard output");
    }
    if (arguments->num_shards > 1 && !arguments->is_plan &&
        (arguments->results.is_json || arguments->results.plot_path != NULL ||
            arguments->results.sensitivity_path != NULL)) {
        argp_error(state, "a part of a study has no results to show: merge the parts");
    }
}

static error_t
parse(int key, char *text, struct argp_state *state)
{
    arguments_t *arguments = state->input;

    switch (key) {
        case 'o':
            arguments->output_path = text;
            return 0;
        case OPTION_PLOT:
            arguments->results.plot_path = spot_option_svg(state, text);
            return 0;
        case OPTION_THREADS:
            arguments->num_threads = spot_option_integer(state, "--threads", text, 1);
            if (arguments->num_threads > MAX_THREADS) {
                argp_error(state,
                    "--threads: expected an integer from 1 to %d, got \"%s\"",
                    MAX_THREADS, text);
            }
            return 0;
        case OPTION_SHARD:
            parse_shard(state, text, arguments);
            return 0;
        case OPTION_PROGRESS:
            parse_progress(state, text, arguments);
            return 0;
        case OPTION_SET:
            spot_option_list_add(&arguments->sets, text);
            return 0;
        case OPTION_JSON:
            arguments->results.is_json = true;
            return 0;
        case OPTION_SENSITIVITY:
            arguments->results.sensitivity_path = text;
            return 0;
        case OPTION_PLAN:
            arguments->is_plan = true;
            return 0;
        case ARGP_KEY_SUCCESS:
            finish_arguments(state, arguments);
            return 0;
        default:
            return spot_option_argument(
                state, key, text, &arguments->study_path, "a study file");
    }
}

/* Every file that the study reads, and its database: no output may replace them. */
static int
list_inputs(
    const arguments_t *arguments, const spot_study_t *study, spot_option_list_t *inputs)
{
    const size_t num_paths =
        2 + study->scenario_file.num_files + study->inputs.num_inputs;

    inputs->texts = spot_calloc(num_paths, sizeof(*inputs->texts));
    if (inputs->texts == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    inputs->texts[inputs->num_texts++] = arguments->study_path;
    if (is_store_path(arguments->output_path)) {
        inputs->texts[inputs->num_texts++] = arguments->output_path;
    }
    for (size_t j = 0; j < study->scenario_file.num_files; j++) {
        inputs->texts[inputs->num_texts++] = study->scenario_file.files[j];
    }
    for (size_t j = 0; j < study->inputs.num_inputs; j++) {
        inputs->texts[inputs->num_texts++] = study->inputs.inputs[j].path;
    }
    return 0;
}

/* What cannot be written is to be known before the work, and before a database is made.
 */
static int
check_outputs(const arguments_t *arguments, const spot_study_t *study, spot_diag_t *diag)
{
    const spot_study_results_t *results = &arguments->results;
    spot_option_list_t inputs = {0};
    int ret = list_inputs(arguments, study, &inputs);

    if (ret == 0) {
        ret = spot_command_check_outputs(
            (spot_command_files_t){inputs.num_texts, inputs.texts},
            (spot_command_files_t){
                3, (const char *[]){results->csv_path, results->plot_path,
                       results->sensitivity_path}},
            diag);
    }
    if (ret == 0 && results->sensitivity_path != NULL &&
        study->head.plan.kind != SPOT_PLAN_SENSITIVITY) {
        spot_diag_error(diag, arguments->study_path, 0, 0,
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

/* The database of -o, to go on with, or for a plan to look at. */
static int
open_database(const arguments_t *arguments, const spot_study_t *study,
    spot_store_t **store, spot_diag_t *diag)
{
    spot_study_provenance_t provenance;
    int ret =
        spot_study_provenance_init(&provenance, study, arguments->argc, arguments->argv);

    if (ret == 0) {
        provenance.provenance.num_threads = arguments->num_threads;
        provenance.provenance.shard = arguments->shard;
        ret = (arguments->is_plan ? spot_store_look_sqlite : spot_store_open_sqlite)(
            store, arguments->output_path, &study->head, &provenance.provenance, diag);
    }
    spot_study_provenance_free(&provenance);
    return ret;
}

/* How to go on after an interrupt, and what is there so far. That it was one is said at
 * the end of every command. */
static void
tell_how_to_go_on(
    const arguments_t *arguments, const spot_store_t *store, spot_diag_t *diag)
{
    if (is_store_path(arguments->output_path)) {
        fprintf(stderr, "what was run is in %s; the same command goes on from there\n",
            arguments->output_path);
    } else {
        spot_study_results_keep_partial(&arguments->results, store, diag);
    }
}

/* A shard has only a part to show. */
static int
write_results(const arguments_t *arguments, const spot_store_t *store, spot_diag_t *diag)
{
    if (arguments->num_shards > 1) {
        fprintf(stderr,
            "shard %s is complete in %s; join all of them: spotsim merge OUT.db "
            "SHARD.db "
            "...\n",
            arguments->shard, arguments->output_path);
        return 0;
    }
    return spot_study_results_write(&arguments->results, store, diag);
}

/* Says why a store, if there is one, could not be written or read. */
static int
close_store(spot_store_t *store, int error, spot_diag_t *diag)
{
    int flushed = 0;

    if (store != NULL) {
        flushed = store->flush(store, diag);
        store->close(store);
    }
    return flushed != 0 ? flushed : error;
}

static int
simulate(const arguments_t *arguments, const spot_study_t *study, spot_diag_t *diag)
{
    spot_study_watcher_t watcher;
    const spot_study_run_t run = {.num_threads = (int) arguments->num_threads,
        .shard_id = arguments->shard_id,
        .num_shards = arguments->num_shards,
        .stop = &spot_interrupt_stop,
        .progress = spot_study_watcher_tell,
        .context = &watcher};
    spot_store_t *store = NULL;
    int ret = check_outputs(arguments, study, diag);

    if (ret == 0) {
        ret = is_store_path(arguments->output_path)
                  ? open_database(arguments, study, &store, diag)
                  : open_memory(&store, &study->head);
    }
    if (ret == 0 && arguments->results.plot_path != NULL) {
        ret = spot_study_plot_check(store, arguments->results.plot_path, diag);
    }
    if (ret == 0) {
        spot_study_watcher_start(&watcher, arguments->progress);
        ret = spot_study_run(study, store, &run, diag);
        spot_study_watcher_finish(&watcher, study, run.num_threads, ret);
        if (ret == SPOT_ERR_INTERRUPTED) {
            tell_how_to_go_on(arguments, store, diag);
        }
    }
    if (ret == 0) {
        ret = write_results(arguments, store, diag);
    }
    return close_store(store, ret, diag);
}

/* What would run, beside what is in the database, if there is one. */
static int
show_plan(const arguments_t *arguments, const spot_study_t *study, spot_diag_t *diag)
{
    spot_plan_request_t request = {.store_path = arguments->output_path,
        .shard = arguments->num_shards > 1 ? arguments->shard : "",
        .run = {.num_threads = (int) arguments->num_threads,
            .shard_id = arguments->shard_id,
            .num_shards = arguments->num_shards},
        .is_json = arguments->results.is_json};
    spot_store_t *store = NULL;
    int ret = 0;

    if (is_store_path(arguments->output_path) &&
        access(arguments->output_path, F_OK) == 0) {
        ret = open_database(arguments, study, &store, diag);
    }
    request.store = store;
    if (ret == 0) {
        ret = spot_plan_show(study, &request, diag);
    }
    return close_store(store, ret, diag);
}

static int
run(int argc, char **argv)
{
    const long num_processors = sysconf(_SC_NPROCESSORS_ONLN);
    arguments_t arguments = {.num_threads = num_processors > 0 ? num_processors : 1,
        .shard = "",
        .argc = argc,
        .argv = argv};
    spot_study_t study;
    spot_diag_t diag;
    int exit_code, ret;

    spot_diag_init(&diag);
    spot_command_parse(&spot_command_study, argc, argv, parse, &arguments);
    spot_interrupt_watch();
    ret = spot_study_read(&study, &spot_train_experiment, arguments.study_path,
        arguments.sets.texts, arguments.sets.num_texts, &diag);
    if (ret == 0) {
        ret = spot_study_check_shards(&study, arguments.num_shards, &diag);
    }
    if (ret != 0) {
        exit_code = spot_command_finish_reading(&diag, ret);
    } else {
        ret = arguments.is_plan ? show_plan(&arguments, &study, &diag)
                                : simulate(&arguments, &study, &diag);
        exit_code = spot_command_finish(&diag, ret);
    }
    spot_study_free(&study);
    free(arguments.sets.texts);
    return exit_code;
}

const spot_command_t spot_command_study = {
    .name = "study",
    .arguments = "STUDY",
    .summary = "Run a parameter study: swept keys x replications, on all processors",
    .doc =
        "STUDY is a YAML file, see spotsim-study(5). All points meet the same events "
        "(common random numbers), and the results do not depend on the number of "
        "threads or parts. With -o FILE.db the study can be stopped at any time, even "
        "by "
        "a power cut: run the same command again and it runs what is missing. Several "
        "processes may work on one database of a local disk at once. An interrupt "
        "finishes the batches under way, keeps what was done and exits with 130; a "
        "second one stops at once. Without a database it keeps what was done beside the "
        "CSV, as FILE.csv.partial.",
    .examples = "  spotsim study study.yaml -o results.db --plot idle.svg\n"
                "  spotsim study study.yaml --set replications.count=100 "
                "--set job.pipeline_depth=[4,8]\n"
                "  spotsim study study.yaml --plan\n"
                "  spotsim study study.yaml -o part-3.db --shard 3/8\n",
    .options = options,
    .run = run,
};
