/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/units.h"
#include "cli/input_call.h"
#include "cli/schedule_tables.h"
#include "cli/serve_call.h"
#include "sim/input/search.h"

typedef struct {
    spot_input_request_t request; /* its path may be that of a table */
    const char *csv_path, *max_memory;
    int method;
    bool has_table;
    spot_search_t search;
    spot_measure_t measure; /* its path is that of the log, until it is of the table */
    spot_target_t target;
} arguments_t;

static const arguments_t initial = {.request = {.compute_ns = -1},
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

static const spot_option_t options[] = {
    SPOT_OPTION(
        ARGUMENT, "a model file or a table", 0, "MODEL.yaml|TABLE.csv", request.model_path, NULL),
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
    SPOT_INPUT_OPTIONS,
    SPOT_OPTION_SEED(search.seed),
    SPOT_OPTION_JSON(target.is_json, "Print the result as one JSON object"),
    SPOT_OPTION(WRITTEN, "csv", 0, "FILE", csv_path,
        "Write the evaluations as CSV too; - is standard output, in place of the tables",
        .endings = ".csv"),
    SPOT_OPTION_OUTPUT(target.path, NULL),
    SPOT_OPTION_END,
};

static void check(spot_call_t *call)
{
    arguments_t *arguments = call->arguments;
    const char *path = arguments->request.model_path;
    const spot_measure_t *measure = &arguments->measure;
    const bool has_command = measure->command != NULL;
    const bool has_table = path != NULL && spot_has_suffix(path, ".csv");

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
    arguments_t *arguments, const spot_input_scenario_t *scenario, spot_diag_t *diag)
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
    const arguments_t *arguments = call->arguments;
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
    ret = spot_schedule_results(
        call, &arguments->target, arguments->csv_path, spot_serve_put_csv, &tables[0], 2, tables);
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

static int run(spot_call_t *call)
{
    arguments_t *arguments = call->arguments;
    const spot_search_method_t *method = searches[arguments->method];
    spot_search_t *search = &arguments->search;
    spot_measure_t *measure = &arguments->measure;
    spot_input_scenario_t scenario;
    int ret = 0;

    measure->texts = &call->texts;
    measure->diag = &call->diag;
    search->context = measure;
    if (arguments->has_table) {
        measure->path = arguments->request.model_path;
    } else if (arguments->request.model_path != NULL) {
        ret = spot_input_open(&scenario, call, &arguments->request);
        if (ret == 0 && arguments->max_memory != NULL) {
            ret = limit_blocks(arguments, &scenario, &call->diag);
        }
    }
    if (measure->command == NULL && !arguments->has_table) {
        search->context = &scenario;
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
    if (search->best != NULL && search->context == &scenario) {
        scenario.loader.threads = search->best->threads;
        scenario.loader.block = search->best->block;
        spot_input_warn(&scenario, call, arguments->request.model_path);
    }
    if (ret == SPOT_ERR_INTERRUPTED) {
        const bool has_log = measure->path != NULL;

        spot_diag_warn(&call->diag, has_log ? measure->path : "--log", 0, 0, "%s",
            has_log ? "the same command goes on from here" : "with a file a search can go on");
    }
    ret = ret != 0 ? ret : answer(call, search);
    free(measure->points);
    return ret;
}

const spot_command_t spot_command_input_search = {
    .name = "input search",
    .arguments = "[MODEL.yaml|TABLE.csv]",
    .summary = "Find the block size and decode threads of a loader",
    .doc = "Looks for the least completion time of a batch, its loading and computing: by "
           "the model of 'input fit', in a table with the columns block_size, "
           "batch_completion_time and perhaps threadpool_size, or by a command that "
           "measures. Threads 1, block 1, a file for each sample, comes first. A point "
           "that stalls for at most 5 % of its time ends the search. A command that "
           "fails, hangs or prints no time is a failed point. The exit code is 1 if all "
           "points fail. Methods:",
    .examples = "  spotsim input search model.yaml --compute \"0.1 s\" --method grid\n"
                "  spotsim input search table.csv --reference start\n"
                "  spotsim input search --method tpe --log points.csv \\\n"
                "      --measure 'my-loader --threads {threads} --block {block}'\n",
    .options = options,
    .item = method_doc,
    .arguments_bytes = sizeof(arguments_t),
    .initial = &initial,
    .check = check,
    .run = run,
};
