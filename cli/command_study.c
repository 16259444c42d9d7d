/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/outfile.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/plan.h"
#include "cli/progress_line.h"
#include "reports/result_csv.h"
#include "reports/result_json.h"
#include "reports/result_table.h"
#include "reports/sensitivity_report.h"
#include "reports/study_plot.h"
#include "sim/study/study.h"
#include "sim/train/experiment.h"

enum {
    OPTION_THREADS = 256,
    OPTION_SET,
    OPTION_JSON,
    OPTION_PLAN,
    OPTION_PLOT,
    OPTION_SENSITIVITY
};

typedef struct {
    const char *study_path;
    const char *output_path;
    const char *plot_path;
    const char *sensitivity_path;
    int64_t num_threads;
    bool is_json;
    bool is_plan;
    spot_option_list_t sets;
} arguments_t;

static const struct argp_option options[] = {
    {"output", 'o', "FILE.csv", 0,
        "Write the results as CSV, one row a point and metric; - is standard output", 0},
    {"plot", OPTION_PLOT, "FILE.svg", 0, "Draw the results (needs gnuplot)", 0},
    {"threads", OPTION_THREADS, "N", 0,
        "Threads to run on (default: all processors); the results are the same", 0},
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
        "Print the points, the runs and an estimate of the time (measured on a few "
        "runs), "
        "with --json as JSON; write nothing",
        0},
    {NULL, 0, NULL, 0, NULL, 0},
};

static error_t
parse(int key, char *text, struct argp_state *state)
{
    arguments_t *arguments = state->input;

    switch (key) {
        case 'o':
            arguments->output_path = text;
            return 0;
        case OPTION_PLOT:
            arguments->plot_path = spot_option_svg(state, text);
            return 0;
        case OPTION_THREADS:
            arguments->num_threads = spot_option_integer(state, "--threads", text, 1);
            if (arguments->num_threads > 1024) {
                argp_error(state,
                    "--threads: expected an integer from 1 to 1024, got \"%s\"", text);
            }
            return 0;
        case OPTION_SET:
            spot_option_list_add(&arguments->sets, text);
            return 0;
        case OPTION_JSON:
            arguments->is_json = true;
            return 0;
        case OPTION_SENSITIVITY:
            arguments->sensitivity_path = text;
            return 0;
        case OPTION_PLAN:
            arguments->is_plan = true;
            return 0;
        default:
            return spot_option_argument(
                state, key, text, &arguments->study_path, "a study file");
    }
}

static double
cpu_time_s(void)
{
    struct timespec now = {0, 0};

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

/* Whether the CSV goes to a file, not to standard output. */
static bool
is_csv_file(const arguments_t *arguments)
{
    return arguments->output_path != NULL && strcmp(arguments->output_path, "-") != 0;
}

typedef int (*writer_t)(const spot_store_t *store, FILE *out);

/* path NULL: standard output. */
static int
write_results(
    const spot_store_t *store, writer_t writer, const char *path, spot_diag_t *diag)
{
    spot_outfile_t file;
    int ret = spot_outfile_init(&file, path, diag);

    if (ret == 0) {
        ret = writer(store, file.stream);
    }
    return spot_outfile_close(&file, ret, diag);
}

/* What cannot be written or drawn is to be known before the work. */
static int
check_outputs(const arguments_t *arguments, const spot_store_t *store, spot_diag_t *diag)
{
    int ret =
        spot_command_check_outputs((spot_command_files_t){1, &arguments->study_path},
            (spot_command_files_t){
                3, (const char *[]){arguments->output_path, arguments->plot_path,
                       arguments->sensitivity_path}},
            diag);

    if (ret == 0 && arguments->sensitivity_path != NULL &&
        store->head->plan.kind != SPOT_PLAN_SENSITIVITY) {
        spot_diag_error(diag, arguments->study_path, 0, 0,
            "--sensitivity needs plan: {sensitivity: {points: 256}}");
        ret = SPOT_ERR_BAD_INPUT;
    }
    if (ret == 0 && arguments->plot_path != NULL) {
        ret = spot_study_plot_check(store, arguments->plot_path, diag);
    }
    return ret;
}

/* "FILE.csv.partial". NULL: no memory. */
static char *
partial_path(const arguments_t *arguments)
{
    static const char suffix[] = ".partial";
    char *path = malloc(strlen(arguments->output_path) + sizeof(suffix));

    if (path != NULL) {
        sprintf(path, "%s%s", arguments->output_path, suffix);
    }
    return path;
}

/* What an interrupted study has so far, under another name than the whole would have. */
static void
keep_partial_results(
    const arguments_t *arguments, const spot_store_t *store, spot_diag_t *diag)
{
    char *path;

    if (!is_csv_file(arguments)) {
        return;
    }
    path = partial_path(arguments);
    if (path != NULL && write_results(store, spot_result_csv_write, path, diag) == 0) {
        fprintf(stderr, "what was done so far is in %s\n", path);
    }
    free(path);
}

/* Those of an earlier, interrupted run: the whole is there now. */
static void
remove_partial_results(const arguments_t *arguments)
{
    char *path;

    if (is_csv_file(arguments)) {
        path = partial_path(arguments);
        if (path != NULL) {
            unlink(path);
        }
        free(path);
    }
}

static int
write_all(const arguments_t *arguments, const spot_store_t *store, spot_diag_t *diag)
{
    int ret = 0;

    if (arguments->output_path == NULL || is_csv_file(arguments)) {
        ret = write_results(store,
            arguments->is_json ? spot_result_json_write : spot_result_table_write, NULL,
            diag);
    }
    if (ret == 0 && arguments->output_path != NULL) {
        ret = write_results(store, spot_result_csv_write, arguments->output_path, diag);
    }
    if (ret == 0 && arguments->sensitivity_path != NULL) {
        ret = write_results(
            store, spot_sensitivity_csv_write, arguments->sensitivity_path, diag);
    }
    if (ret == 0) {
        remove_partial_results(arguments);
    }
    if (ret == 0 && arguments->plot_path != NULL) {
        ret = spot_study_plot(store, arguments->plot_path, diag);
    }
    return ret;
}

static int
simulate(const arguments_t *arguments, const spot_study_t *study, spot_diag_t *diag)
{
    const double started_cpu_s = cpu_time_s();
    spot_progress_line_t line;
    const spot_study_run_t run = {.num_threads = (int) arguments->num_threads,
        .watch = spot_progress_line_start(&line, "runs", false)};
    spot_store_t *store = NULL;
    double passed_s;
    int ret = spot_store_open_memory(&store, &study->head);

    if (ret == SPOT_ERR_NO_MEMORY) {
        fprintf(stderr,
            "%zu points x %" PRId64 " replications x %zu metrics need %.1f GB: keep "
            "fewer metrics\n",
            study->head.num_points, study->head.num_replications,
            study->head.num_metrics,
            8e-9 * (double) study->head.num_points *
                (double) study->head.num_replications *
                (double) study->head.num_metrics);
    }
    if (ret == 0) {
        ret = check_outputs(arguments, store, diag);
    }
    if (ret == 0) {
        ret = spot_study_run(study, store, &run, diag);
        passed_s = spot_progress_line_finish(&line);
        fprintf(stderr,
            "%zu points x %" PRId64
            " replications on %d threads: %.2f s, %.2f s of CPU time\n",
            study->head.num_points, study->head.num_replications, run.num_threads,
            passed_s, cpu_time_s() - started_cpu_s);
        if (ret == SPOT_ERR_INTERRUPTED) {
            keep_partial_results(arguments, store, diag);
        }
    }
    if (ret == 0) {
        ret = write_all(arguments, store, diag);
    }
    if (store != NULL) {
        store->close(store);
    }
    return ret;
}

static int
run(int argc, char **argv)
{
    const long num_processors = sysconf(_SC_NPROCESSORS_ONLN);
    arguments_t arguments = {.num_threads = num_processors > 0 ? num_processors : 1};
    spot_study_t study;
    spot_diag_t diag;
    int exit_code, ret;

    spot_diag_init(&diag);
    spot_command_parse(&spot_command_study, argc, argv, parse, &arguments);
    spot_interrupt_watch();
    ret = spot_study_read(&study, &spot_train_experiment, arguments.study_path,
        arguments.sets.texts, arguments.sets.num_texts, &diag);
    if (ret != 0) {
        exit_code = spot_command_finish_reading(&diag, ret);
    } else {
        ret = arguments.is_plan ? spot_plan_show(&study, (int) arguments.num_threads,
                                      arguments.is_json, &diag)
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
        "threads. An interrupt finishes the batches under way and keeps what was done "
        "beside the CSV, as FILE.csv.partial.",
    .examples = "  spotsim study study.yaml -o idle.csv --plot idle.svg\n"
                "  spotsim study study.yaml --set replications.count=100 "
                "--set job.pipeline_depth=[4,8]\n"
                "  spotsim study study.yaml --plan\n",
    .options = options,
    .run = run,
};
