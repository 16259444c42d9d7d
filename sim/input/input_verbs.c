/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/input/input_verbs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/json.h"
#include "base/units.h"
#include "sim/bench/engine/scenario_file.h"
#include "sim/input/place.h"
#include "sim/input/search.h"

/* Their rows; request is a member of arguments_t. */
#define INPUT_OPTIONS                                                                              \
    SPOT_OPTION(OWN, "compute", 0, "TIME", request.compute_ns,                                     \
        "Time of a batch in the training loop, in place of the key compute",                       \
        .example = "\"0.1 s\"", .settle = input_take_time),                                        \
        SPOT_OPTION(COUNT, "batch", 0, "N", request.batch,                                         \
            "Samples of a batch, in place of the key batch", .min = 1),                            \
        SPOT_OPTION(COUNT, "samples", 0, "N", request.samples,                                     \
            "Samples of an epoch, in place of the key samples", .min = 1),                         \
        SPOT_OPTION(TEXTS, "set", 0, "KEY=VALUE", request.sets,                                    \
            "Set a key of the model file; may be given several times",                             \
            .example = "input.loader.processes=4")

/* ---- The model file of a loader ---- */

static void input_take_time(spot_call_t *call, const spot_option_t *option, const char *text)
{
    const char *problem;
    spot_amount_t time;

    if (spot_units_parse(&spot_units_ns, text, &time, &problem) != 0 || time.whole < 0 ||
        time.whole > 86400000000000) {
        spot_usage_error(call, "--%s: expected a time up to 24 h such as %s, got \"%s\"",
            option->name, option->example, text);
    }
    memcpy((char *) call->arguments + option->offset, &time.whole, sizeof(time.whole));
}

/* Puts what options say in place of keys. */
static int settle(spot_input_scenario_t *self, const spot_input_request_t *request,
    const spot_node_t *root, spot_diag_t *diag)
{
    int64_t *const samples = &self->loader.samples;
    int ret = 0;

    self->compute_ns = request->compute_ns >= 0 ? request->compute_ns : self->compute_ns;
    self->batch = request->batch > 0 ? request->batch : self->batch;
    *samples = request->samples > 0 ? request->samples : *samples;
    if (self->compute_ns < 0) {
        ret = spot_diag_error(diag, root->file, root->line, root->column,
            "no time of a batch in the training loop: give the key compute or the "
            "option --compute");
    }
    if (*samples == 0 || *samples / self->batch > SPOT_INPUT_MAX_BATCHES) {
        ret = spot_diag_error(diag, root->file, root->line, root->column,
            "expected an epoch of 1 to %d batches: give the key %ssamples or the option "
            "--samples",
            SPOT_INPUT_MAX_BATCHES, spot_node_get(root, "input") == NULL ? "" : "input.");
    }
    return ret;
}

int spot_input_open(
    spot_input_scenario_t *scenario, spot_call_t *call, const spot_input_request_t *request)
{
    const spot_scenario_changes_t changes = {
        .num_sets = request->sets.num_texts, .sets = request->sets.texts};
    spot_diag_t *diag = &call->diag;
    spot_input_scenario_t read = {.compute_ns = -1};
    spot_yaml_t document;
    int ret = spot_scenario_read_document(&document, request->model_path, &changes, diag);
    const spot_node_t *engine = spot_node_get(document.root, "engine");

    if (ret == 0 && engine != NULL &&
        (engine->kind != SPOT_NODE_SCALAR || strcmp(engine->text, "input") != 0)) {
        ret = spot_diag_error(diag, engine->file, engine->line, engine->column,
            "engine: expected input, the engine of a loader");
    }
    ret = ret == 0 ? spot_input_scenario_init(&read, document.root, diag) : ret;
    ret = ret == 0 ? settle(&read, request, document.root, diag) : ret;
    /* Means need no laws. */
    *scenario = (spot_input_scenario_t){.loader = read.loader,
        .batch = read.batch,
        .compute_ns = read.compute_ns,
        .fitted = read.fitted};
    call->is_reading = ret != 0;
    spot_input_scenario_free(&read);
    spot_yaml_free(&document);
    return ret;
}

/* Warns of settings outside the range that the model was fitted to. */
static void input_warn(
    const spot_input_scenario_t *scenario, spot_call_t *call, const char *model_path)
{
    const spot_loader_range_t *fitted = &scenario->fitted;
    const struct {
        const char *name;
        double unit;
        int64_t value;
        const int64_t *range;
    } checks[] = {{"compute (s)", 1e-9, scenario->compute_ns, fitted->compute_ns},
        {"threads", 1, scenario->loader.threads, fitted->threads},
        {"block", 1, scenario->loader.block, fitted->block}};

    for (size_t j = 0; j < sizeof(checks) / sizeof(checks[0]); j++) {
        const double unit = checks[j].unit;
        const int64_t *range = checks[j].range;

        if (spot_loader_is_outside(range, checks[j].value)) {
            spot_diag_warn(&call->diag, model_path, 0, 0,
                "%s = %g is outside what the model was fitted to: %g to %g", checks[j].name,
                unit * (double) checks[j].value, unit * (double) range[0],
                unit * (double) range[1]);
        }
    }
}

/* ---- spotsim input predict ---- */

typedef struct {
    spot_input_request_t request;
    spot_target_t target;
    int64_t threads, block; /* 0: of the model */
} predict_arguments_t;

static const predict_arguments_t predict_initial = {.request = {.compute_ns = -1}};

#undef SPOT_OPTIONS_OF
#define SPOT_OPTIONS_OF predict_arguments_t

static const spot_option_t predict_options[] = {
    SPOT_OPTION(
        ARGUMENT, "a model file of a loader", 0, "MODEL", request.model_path, NULL, .min = 1),
    INPUT_OPTIONS,
    SPOT_OPTION(COUNT, "threads", 0, "N", threads,
        "Decode threads, in place of the key loader.threads", .min = 1,
        .max = SPOT_LOADER_MAX_THREADS),
    SPOT_OPTION(COUNT, "block", 0, "N", block,
        "Samples merged into a file, in place of the key loader.block", .min = 1,
        .max = SPOT_LOADER_MAX_SAMPLES),
    SPOT_OPTION_JSON(target.is_json, "Print the prediction as one JSON object"),
    SPOT_OPTION_OUTPUT(target.path, NULL),
    SPOT_OPTION_END,
};

enum { NUM_FIGURES = 11 };
static const char *const names[NUM_FIGURES] = {"threads", "block", "load_s", "compute_s",
    "completion_s", "samples_per_s", "batch_s", "fill_s", "steady_load_s", "stall_share",
    "memory_bytes"};
static const char *const units[NUM_FIGURES] = {
    "", "samples", "s", "s", "s", "samples/s", "s", "s", "s", "", "B"};

/* A prediction with its setting. */
typedef struct {
    double values[NUM_FIGURES]; /* as names */
    const char *limit;
} shown_t;

static void put_json(const void *context, FILE *out)
{
    const shown_t *self = context;
    spot_json_t json;

    spot_json_init(&json, out, 2);
    spot_json_open(&json, NULL, '{');
    for (size_t j = 0; j < NUM_FIGURES; j++) {
        spot_json_number(&json, names[j], self->values[j]);
    }
    spot_json_text(&json, "limit", self->limit);
    spot_json_close(&json, '}');
    fputc('\n', out);
}

static void fill_table(const shown_t *self, spot_table_t *table)
{
    static const spot_table_column_t columns[] = {
        {.name = "figure", .kind = SPOT_TABLE_TEXT, .is_key = true}, {.name = "value"},
        {.name = "unit", .kind = SPOT_TABLE_TEXT}};

    spot_table_add_columns(table, 3, columns);
    for (size_t j = 0; j < NUM_FIGURES; j++) {
        spot_table_add_row(table);
        spot_table_add_text(table, names[j]);
        spot_table_add_number(table, self->values[j]);
        spot_table_add_text(table, units[j]);
    }
    spot_table_add_note(table, "limit", self->limit);
}

static int predict_run(spot_call_t *call)
{
    const predict_arguments_t *arguments = call->arguments;
    spot_input_scenario_t scenario;
    spot_loader_t *loader = &scenario.loader;
    spot_loader_prediction_t found;
    spot_loader_work_t work;
    spot_table_t table = {.name = "prediction"};
    int ret = spot_input_open(&scenario, call, &arguments->request);

    if (ret != 0) {
        return ret;
    }
    loader->threads = arguments->threads > 0 ? arguments->threads : loader->threads;
    loader->block = arguments->block > 0 ? arguments->block : loader->block;
    input_warn(&scenario, call, arguments->request.model_path);
    work = spot_input_scenario_work(&scenario);
    ret = spot_loader_predict(&found, loader, &work);
    if (ret == 0) {
        const shown_t shown = {
            {(double) loader->threads, (double) loader->block, found.load_s, found.compute_s,
                found.completion_s, found.samples_per_s, found.batch_s, found.fill_s,
                found.steady_load_s, found.stall_share, found.memory_bytes},
            found.limit};

        if (arguments->target.is_json) {
            return spot_output_write(&call->diag, arguments->target.path, put_json, &shown);
        }
        fill_table(&shown, &table);
        ret = spot_output_tables(&call->diag, &arguments->target, NULL, NULL, NULL, 1, &table);
    }
    return ret;
}

const spot_verb_t spot_verb_input_predict = {
    .name = "input predict",
    .arguments = "MODEL",
    .summary = "Predict how long a training loop waits for its data loader",
    .doc = "MODEL is a scenario of the engine input, or a file of 'input fit'. Times are "
           "means over the batches of an epoch: load_s is the wait for a batch, "
           "completion_s that and the computation. batch_s is the time that one process "
           "needs for a batch, fill_s the first wait, steady_load_s the wait without "
           "it, and stall_share what that is of the time. The limit is what binds: "
           "compute, loader or storage.",
    .examples = "  spotsim input predict model.yaml --compute \"0.1 s\" --block 120\n"
                "  spotsim input predict model.yaml --set input.loader.processes=16\n",
    .options = predict_options,
    .arguments_bytes = sizeof(predict_arguments_t),
    .initial = &predict_initial,
    .run = predict_run,
};

/* ---- spotsim input search ---- */

typedef struct {
    spot_option_list_t paths;     /* of models, or of one table */
    spot_input_request_t request; /* of one of them */
    const char *csv_path, *max_memory;
    int method;
    bool has_table;
    spot_search_t search;
    spot_measure_t measure; /* its path is that of the log, until it is of the table */
    spot_target_t target;
} search_arguments_t;

static const search_arguments_t search_initial = {.request = {.compute_ns = -1},
    .search = {.threads = {false, 4, {1, 2, 4, 8}},
        .blocks = {false, 15,
            {20, 40, 60, 80, 100, 120, 140, 160, 180, 200, 220, 240, 260, 280, 300}},
        .max_evaluations = 10,
        .seed = 1,
        .measure = spot_measure_point},
    .measure = {.timeout_ms = 600000}};

static const spot_search_method_t *const searches[] = {
    &spot_search_early_stop, &spot_search_grid, &spot_search_random, &spot_search_tpe};
static const char *const methods[] = {"early-stop", "grid", "random", "tpe", NULL};
static const char *const references[] = {"best", "prev", "start", NULL};

static const char *method_doc(size_t j, const char **name)
{
    *name = methods[j];
    return methods[j] == NULL ? NULL : searches[j]->doc;
}

static void take_list(spot_call_t *call, const spot_option_t *option, const char *text)
{
    spot_search_list_t *list = (void *) ((char *) call->arguments + option->offset);
    const char *at = text;
    long long last = 0;
    char *end;

    list->is_given = true;
    list->num_values = 0;
    do {
        const long long value = strtoll(at, &end, 10);

        if (end == at || value <= last || value > option->max ||
            list->num_values == SPOT_SEARCH_MAX_VALUES || strchr(",", *end) == NULL) {
            spot_usage_error(call,
                "--%s: expected up to %d ascending integers from 1 to %lld such as %s, "
                "got \"%s\"",
                option->name, SPOT_SEARCH_MAX_VALUES, (long long) option->max, option->example,
                text);
        }
        list->values[list->num_values++] = last = value;
        at = end + 1;
    } while (*end == ',');
}

#undef SPOT_OPTIONS_OF
#define SPOT_OPTIONS_OF search_arguments_t

static const spot_option_t search_options[] = {
    SPOT_OPTION(ARGUMENTS, "a model file or a table", 0, "MODEL.yaml...|TABLE.csv", paths, NULL),
    SPOT_OPTION(CHOICE, "method", 0, "early-stop|grid|random|tpe", method,
        "The search (default early-stop)", .choices = methods),
    SPOT_OPTION(COUNT, "evaluations", 0, "N", search.max_evaluations,
        "random and tpe: points beside threads 1, block 1 (default 10)", .min = 1),
    SPOT_OPTION(CHOICE, "reference", 0, "best|prev|start", search.reference,
        "early-stop: gains are over the best time (default), that of the block size "
        "before, or the best one when the counter last was 0",
        .choices = references),
    SPOT_OPTION(OWN, "blocks", 0, "LIST", search.blocks,
        "Block sizes (default 20, 40 to 300, or those of the table)", .example = "20,40,80",
        .max = SPOT_LOADER_MAX_SAMPLES, .settle = take_list),
    SPOT_OPTION(OWN, "threads", 0, "LIST", search.threads,
        "Decode threads (default 1, 2, 4, 8, or those of the table); early-stop has 1",
        .example = "1,2,4", .max = SPOT_LOADER_MAX_THREADS, .settle = take_list),
    SPOT_OPTION(FLAG, "nearest", 0, NULL, measure.is_nearest,
        "The nearest row of the table stands for a missing one"),
    SPOT_OPTION(TEXT, "measure", 0, "COMMAND", measure.command,
        "Measure with a shell command, {threads} and {block} replaced: the first number "
        "of its last line is the seconds of a batch, the second one, if any, the share "
        "of stall"),
    SPOT_OPTION(DURATION, "timeout", 0, "TIME", measure.timeout_ms,
        "Kill a command that takes longer (default 600 s)", .min = 1),
    SPOT_OPTION(WRITTEN, "log", 0, "FILE", measure.path,
        "Append what the command measures; what FILE has is not measured again", .endings = ".csv"),
    SPOT_OPTION(TEXT, "max-memory", 0, "SIZE", max_memory,
        "Leave out block sizes that need more memory", .example = "\"4 GB\""),
    INPUT_OPTIONS,
    SPOT_OPTION_SEED(search.seed),
    SPOT_OPTION_JSON(target.is_json, "Print the result as one JSON object"),
    SPOT_OPTION(WRITTEN, "csv", 0, "FILE", csv_path,
        "Write the evaluations as CSV too; - is standard output, in place of the tables",
        .endings = ".csv"),
    SPOT_OPTION_OUTPUT(target.path, NULL),
    SPOT_OPTION_END,
};

static void search_check(spot_call_t *call)
{
    search_arguments_t *arguments = call->arguments;
    const size_t num_paths = arguments->paths.num_texts;
    const char *path = num_paths == 0 ? NULL : arguments->paths.texts[0];
    const spot_measure_t *measure = &arguments->measure;
    const bool has_command = measure->command != NULL;
    bool has_table = false;

    for (size_t j = 0; j < num_paths; j++) {
        has_table = has_table || spot_has_suffix(arguments->paths.texts[j], ".csv");
    }
    spot_usage_refuse(call, num_paths > 1 && has_table,
        "expected one table, or the model files of one or more jobs");
    spot_usage_refuse(
        call, num_paths > 1 && has_command, "--measure goes with one model file, or with none");
    arguments->request.model_path = path;
    arguments->has_table = has_table;
    spot_usage_refuse(call, path == NULL ? !has_command : has_table && has_command,
        "expected a model file, a table, or --measure with or without a model file");
    spot_usage_refuse(call, measure->path != NULL && !has_command, "--log needs --measure");
    spot_usage_refuse(call, spot_files_is_dash(measure->path),
        "--log: expected a file that a search can go on with, \"-\" is standard output");
    spot_usage_refuse(call, measure->is_nearest && !has_table, "--nearest needs a table");
    spot_usage_refuse(call, arguments->max_memory != NULL && (path == NULL || has_table),
        "--max-memory needs a model file");
}

/* Leaves out block sizes that need too much memory. */
static int limit_blocks(
    search_arguments_t *arguments, const spot_input_scenario_t *scenario, spot_diag_t *diag)
{
    const spot_loader_t *loader = &scenario->loader;
    size_t *num_blocks = &arguments->search.blocks.num_values;
    const char *problem = "input.sample_bytes is missing";
    spot_amount_t most;
    double max_block = 0;

    if (loader->sample_bytes > 0 &&
        spot_units_parse(&spot_units_bytes, arguments->max_memory, &most, &problem) == 0) {
        problem = "block 1 needs more";
        max_block =
            (double) most.whole / (double) loader->sample_bytes / (double) loader->processes -
            (double) loader->prefetch * (double) scenario->batch;
    }
    while (
        *num_blocks > 0 && (double) arguments->search.blocks.values[*num_blocks - 1] > max_block) {
        --*num_blocks;
    }
    return max_block >= 1 ? 0
                          : spot_diag_error(diag, arguments->request.model_path, 0, 0,
                                "--max-memory: %s", problem);
}

static const spot_table_column_t columns[] = {{.name = "threads"}, {.name = "block"},
    {.name = "completion_s"}, {.name = "gain_percent", .has_sign = true}, {.name = "stall_share"},
    {.name = "failure", .kind = SPOT_TABLE_PROSE}, {.name = "evaluations"},
    {.name = "stopped", .kind = SPOT_TABLE_PROSE}};

static void add_point(
    spot_table_t *table, const spot_search_t *search, const spot_search_point_t *point)
{
    spot_table_add_row(table);
    spot_table_add_count(table, point->threads);
    spot_table_add_count(table, point->block);
    spot_table_add_number(table, point->seconds);
    spot_table_add_number(table,
        search->base == NULL ? (double) NAN : 100 * (1 - point->seconds / search->base->seconds));
    spot_table_add_number(table, point->stall_share);
}

/* Prints what is found. Returns an error, or the exit code. */
static int answer(spot_call_t *call, const spot_search_t *search)
{
    const search_arguments_t *arguments = call->arguments;
    spot_table_t tables[] = {{.name = "evaluations"}, {.name = "choice"}};
    int ret;

    spot_table_add_columns(&tables[0], 6, columns);
    for (size_t j = 0; j < search->num_points; j++) {
        add_point(&tables[0], search, &search->points[j]);
        if (search->points[j].reason != NULL) {
            spot_table_add_text(&tables[0], search->points[j].reason);
        }
    }
    spot_table_add_columns(&tables[1], 5, columns);
    spot_table_add_columns(&tables[1], 2, &columns[6]);
    if (search->best != NULL) {
        add_point(&tables[1], search, search->best);
        spot_table_add_count(&tables[1], (int64_t) search->num_points);
        spot_table_add_text(&tables[1], search->why);
    }
    if (search->base == NULL) {
        spot_table_add_note(
            &tables[1], "", "There is no time of threads 1, block 1 for gains to be over.");
    }
    spot_table_add_note(&tables[1], "",
        "Blocks above 1 change shuffling: blocks are dealt in random order, samples are "
        "shuffled inside a block only.");
    ret = spot_output_tables(&call->diag, &arguments->target, arguments->csv_path,
        spot_output_put_csv, &tables[0], 2, tables);
    return ret != 0 || search->best != NULL ? ret : SPOT_EXIT_FAILED;
}

/* A command takes long: on a terminal each of its times is shown as it comes. */
static int measure_and_show(void *context, spot_search_point_t *point)
{
    const int ret = spot_measure_point(context, point);

    if (ret == 0) {
        fprintf(stderr, "threads %" PRId64 ", block %" PRId64 ": ", point->threads, point->block);
        if (point->reason != NULL) {
            fprintf(stderr, "failed: %s\n", point->reason);
        } else {
            fprintf(stderr, "%.6g s\n", point->seconds);
        }
    }
    return ret;
}

/* Reads the models of all jobs, and leaves out the blocks that one of them has no memory for. */
static int open_jobs(spot_call_t *call, search_arguments_t *arguments, spot_search_jobs_t *jobs)
{
    const spot_option_list_t *paths = &arguments->paths;
    int ret = 0;

    jobs->jobs = spot_calloc(paths->num_texts, sizeof(*jobs->jobs));
    if (jobs->jobs == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; ret == 0 && j < paths->num_texts; j++) {
        arguments->request.model_path = paths->texts[j];
        ret = spot_input_open(&jobs->jobs[j], call, &arguments->request);
        if (ret == 0 && arguments->max_memory != NULL) {
            ret = limit_blocks(arguments, &jobs->jobs[j], &call->diag);
        }
        jobs->num_jobs++;
    }
    return ret;
}

static int search_run(spot_call_t *call)
{
    search_arguments_t *arguments = call->arguments;
    const spot_search_method_t *method = searches[arguments->method];
    spot_search_t *search = &arguments->search;
    spot_measure_t *measure = &arguments->measure;
    spot_search_jobs_t jobs = {.num_jobs = 0};
    int ret = 0;

    measure->texts = &call->texts;
    measure->diag = &call->diag;
    search->context = measure;
    if (arguments->has_table) {
        measure->path = arguments->request.model_path;
    } else if (arguments->request.model_path != NULL) {
        ret = open_jobs(call, arguments, &jobs);
    }
    if (measure->command == NULL && !arguments->has_table) {
        search->context = &jobs;
        search->measure = spot_search_predict;
    } else if (ret == 0) {
        ret = spot_measure_read(measure, search);
    }
    if (method == &spot_search_early_stop) {
        search->threads = (spot_search_list_t){true, 1, {1}};
    }
    call->is_reading = ret != 0;
    if (measure->command != NULL) {
        spot_interrupt_watch();
        if (!call->is_quiet && isatty(STDERR_FILENO)) {
            search->measure = measure_and_show;
        }
    }
    ret = ret != 0 ? ret : spot_search_run(search, method, &call->texts.arena);
    for (size_t j = 0; search->best != NULL && search->context == &jobs && j < jobs.num_jobs; j++) {
        jobs.jobs[j].loader.threads = search->best->threads;
        jobs.jobs[j].loader.block = search->best->block;
        input_warn(&jobs.jobs[j], call, arguments->paths.texts[j]);
    }
    if (ret == SPOT_ERR_INTERRUPTED) {
        const bool has_log = measure->path != NULL;

        spot_diag_warn(&call->diag, has_log ? measure->path : "--log", 0, 0, "%s",
            has_log ? "the same command goes on from here" : "with a file a search can go on");
    }
    ret = ret != 0 ? ret : answer(call, search);
    free(measure->points);
    free(jobs.jobs);
    return ret;
}

const spot_verb_t spot_verb_input_search = {
    .name = "input search",
    .arguments = "[MODEL.yaml...|TABLE.csv]",
    .summary = "Find the block size and decode threads of a loader",
    .doc = "Looks for the least completion time of a batch, its loading and computing: by "
           "the model of 'input fit', in a table with the columns block_size, "
           "batch_completion_time and perhaps threadpool_size, or by a command that "
           "measures. Threads 1, block 1, a file for each sample, comes first. A point "
           "that stalls for at most 5 % of its time ends the search. A command that "
           "fails, hangs or prints no time is a failed point. The exit code is 1 if all "
           "points fail. Of several models, those of jobs that share a setting, the time is the "
           "mean of the jobs, and stall_share that of the job that stalls most. Methods:",
    .examples = "  spotsim input search model.yaml --compute \"0.1 s\" --method grid\n"
                "  spotsim input search vision.yaml speech.yaml --method tpe\n"
                "  spotsim input search table.csv --reference start\n"
                "  spotsim input search --method tpe --log points.csv \\\n"
                "      --measure 'my-loader --threads {threads} --block {block}'\n",
    .options = search_options,
    .item = method_doc,
    .arguments_bytes = sizeof(search_arguments_t),
    .initial = &search_initial,
    .check = search_check,
    .run = search_run,
};

/* ---- spotsim input place ---- */

typedef struct {
    const char *cluster_path, *jobs_path, *csv_path;
    bool has_weights;
    unsigned policies; /* by bits; the last one: all */
    spot_target_t target;
} place_arguments_t;

static const place_arguments_t place_initial = {.policies = 1};

#undef SPOT_OPTIONS_OF
#define SPOT_OPTIONS_OF place_arguments_t

static const spot_option_t place_options[] = {
    SPOT_OPTION(ARGUMENT, "a cluster", 0, "CLUSTER", cluster_path, NULL, .min = 1),
    SPOT_OPTION(ARGUMENT, "a file of jobs", 0, "JOBS", jobs_path, NULL, .min = 1),
    SPOT_OPTION(CHOICES, "policy", 0, "A,B,...", policies,
        "csp (default), first-fit, worst-fit, best-fit, or all, side by side",
        .choices = spot_place_policies),
    SPOT_OPTION(FLAG, "weights", 0, NULL, has_weights,
        "List the weights that csp gives to nodes, as JSON always does"),
    SPOT_OPTION_JSON(target.is_json, "Print the tables as one JSON object"),
    SPOT_OPTION(WRITTEN, "csv", 0, "FILE", csv_path,
        "Write the table of jobs as CSV too; - is standard output, in place of all",
        .endings = ".csv"),
    SPOT_OPTION_OUTPUT(target.path, NULL),
    SPOT_OPTION_END,
};

#define KEY(text)                                                                                  \
    {                                                                                              \
        .name = text, .kind = SPOT_TABLE_TEXT, .is_key = true                                      \
    }
#define LIST(text)                                                                                 \
    {                                                                                              \
        .name = text, .kind = SPOT_TABLE_PROSE                                                     \
    }
static const spot_table_column_t place_columns[] = {KEY("policy"), KEY("job"),
    {.name = "dataset", .kind = SPOT_TABLE_TEXT}, LIST("nodes"), LIST("moved"), LIST("evicted"),
    LIST("gaps"), {.name = "local_chunks"}, {.name = "local_bytes"}, {.name = "time_s"}};
static const spot_table_column_t means[] = {KEY("policy"), {.name = "jobs"}, {.name = "placed"},
    {.name = "local_chunks"}, {.name = "local_bytes"}};
static const spot_table_column_t weights[] = {KEY("policy"), KEY("job"), KEY("instance"),
    KEY("node"), {.name = "weight", .is_fixed = true, .num_decimals = 6}};

static void add_weights(spot_table_t *table, const spot_cluster_t *cluster,
    const spot_place_job_t *job, const char *policy)
{
    const size_t num_nodes = cluster->num_nodes;

    for (size_t j = 0; j < (size_t) job->instances * num_nodes; j++) {
        spot_table_add_row(table);
        spot_table_add_text(table, policy);
        spot_table_add_text(table, job->name);
        spot_table_add_count(table, (int64_t) (j / num_nodes));
        spot_table_add_text(table, cluster->nodes[j % num_nodes].name);
        spot_table_add_number(table, job->weights[j]);
    }
}

static void add_rows(spot_table_t *tables, const spot_cluster_t *cluster, const char *policy)
{
    double chunks = 0, bytes = 0;
    int64_t num_placed = 0;

    for (const spot_place_job_t *job = cluster->jobs; job < cluster->jobs + cluster->num_jobs;
         job++) {
        const double share = job->local_bytes;

        spot_table_add_row(&tables[0]);
        spot_table_add_text(&tables[0], policy);
        spot_table_add_text(&tables[0], job->name);
        spot_table_add_text(&tables[0], job->dataset->name);
        for (int j = 0; j <= SPOT_PLACE_GAPS; j++) {
            spot_table_add_list(&tables[0], job->lists[j].num_items, job->lists[j].items);
        }
        if (job->lists[SPOT_PLACE_GAPS].num_items == 0) {
            num_placed++;
            chunks += job->local_chunks;
            bytes += share;
            spot_table_add_number(&tables[0], job->local_chunks);
            spot_table_add_number(&tables[0], share);
            if (job->local_ns > 0 && job->remote_ns > 0) {
                spot_table_add_number(&tables[0],
                    1e-9 *
                        (share * (double) job->local_ns + (1 - share) * (double) job->remote_ns));
            }
        }
        if (cluster->has_weights) {
            add_weights(&tables[2], cluster, job, policy);
        }
    }
    spot_table_add_row(&tables[1]);
    spot_table_add_text(&tables[1], policy);
    spot_table_add_count(&tables[1], (int64_t) cluster->num_jobs);
    spot_table_add_count(&tables[1], num_placed);
    spot_table_add_number(&tables[1], chunks / (double) num_placed);
    spot_table_add_number(&tables[1], bytes / (double) num_placed);
}

static int place_run(spot_call_t *call)
{
    const place_arguments_t *arguments = call->arguments;
    const bool has_weights = arguments->has_weights || arguments->target.is_json;
    spot_table_t tables[] = {{.name = "jobs"}, {.name = "means"}, {.name = "weights"}};
    int ret = 0;

    spot_table_add_columns(
        &tables[0], sizeof(place_columns) / sizeof(place_columns[0]), place_columns);
    spot_table_add_columns(&tables[1], sizeof(means) / sizeof(means[0]), means);
    spot_table_add_columns(&tables[2], sizeof(weights) / sizeof(weights[0]), weights);
    for (int j = 0; j < SPOT_NUM_PLACE_POLICIES && ret == 0; j++) {
        spot_cluster_t cluster = {0};

        if (((arguments->policies >> j | arguments->policies >> SPOT_NUM_PLACE_POLICIES) & 1) !=
            0) {
            ret = spot_cluster_read(
                &cluster, arguments->cluster_path, arguments->jobs_path, &call->diag);
            cluster.has_weights = has_weights && j == 0;
            ret = ret == 0 ? spot_cluster_place(&cluster, j) : ret;
            if (ret == 0) {
                add_rows(tables, &cluster, spot_place_policies[j]);
            }
        }
        spot_cluster_free(&cluster);
    }
    call->is_reading = ret != 0;
    if (ret == 0) {
        ret = spot_output_tables(&call->diag, &arguments->target, arguments->csv_path,
            spot_output_put_csv, &tables[0], has_weights ? 3 : 2, tables);
    }
    for (size_t j = 0; j < 3; j++) { /* those that are not printed, too */
        spot_table_free(&tables[j]);
    }
    return ret;
}

const spot_verb_t spot_verb_input_place = {
    .name = "input place",
    .arguments = "CLUSTER JOBS",
    .summary = "Place jobs on nodes, and their data beside them",
    .doc = "CLUSTER has what is free on the nodes, beside the chunks that are stored: "
           "nodes: {A: {gpus: 4, storage: 90 GB}}, datasets: {D: {chunks: [60 GB, {size: "
           "40 GB, on: A, used: yes}]}}. A chunk that nothing uses may be evicted; uses: "
           "[{age: 2 h, cost: 30 s}] lists its past uses, each worth cost / age x "
           "attenuation^(-step x age), with eviction: {attenuation: 2, step: 0.001}, "
           "step per second. JOBS has jobs: [{name: j, dataset: D, gpus: 2}], if need be "
           "with instances, cpus, first (on its dataset: yes, no, auto), and the times "
           "of a batch, local and remote.\n\n"
           "The first node by the policy that fits takes an instance; the first one with "
           "room takes a chunk that is stored nowhere. With a gap, an instance or a chunk "
           "without room, the whole job is undone. local_chunks and local_bytes are the "
           "shares on the node of their instance; time_s follows from local_bytes.",
    .examples = "  spotsim input place cluster.yaml jobs.yaml\n"
                "  spotsim input place cluster.yaml jobs.yaml --policy csp,best-fit --json\n",
    .options = place_options,
    .arguments_bytes = sizeof(place_arguments_t),
    .initial = &place_initial,
    .run = place_run,
};
