/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/file_names.h"
#include "base/memory.h"
#include "base/units.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "reports/traces/trace_figures.h"
#include "reports/traces/trace_pictures.h"
#include "reports/traces/trace_text.h"
#include "traces/describe/describe.h"

typedef struct {
    spot_option_list_t paths;
    spot_target_t target;
    const char *csv_path;
    const char *svg_folder;
    spot_describe_request_t request;
    spot_file_names_t picture_names;
    int picture_error; /* the first one; the figures are still printed */
} arguments_t;

static const spot_option_t options[] = {
    SPOT_OPTION(ARGUMENTS, "a trace", 0, "TRACE", paths, NULL, .min = 1),
    SPOT_OPTION(SECONDS, "tick", 0, "S", request.tick_ms,
        "Describe what a recorder that looks every S seconds would have seen", .min = 1),
    SPOT_OPTION(FLAG, "net", 0, NULL, request.is_net,
        "That recorder sees only the net change of a tick (without --tick: of the "
        "resolution)"),
    SPOT_OPTION(FLAG, "notebook", 0, NULL, request.is_notebook,
        "The twelve figures of the seed study's notebook instead; TRACE may be its two "
        "logs NODE.csv TERM.csv"),
    SPOT_OPTION(
        TEXT, "where", 0, "COLUMN=VALUE", request.where, "Only these rows of a lifetimes file"),
    SPOT_OPTION(FLAG, "strict", 0, NULL, request.is_strict,
        "Times that are no multiple of the resolution are an error"),
    SPOT_OPTION_JSON(
        target.is_json, "JSON instead of a table; a list where there are several traces"),
    SPOT_OPTION(WRITTEN, "csv", 0, "FILE", csv_path,
        "Write one row a trace, 8 significant digits; \"-\": instead of the table",
        .endings = ".csv"),
    SPOT_OPTION(PICTURES, "svg", 0, "DIR", svg_folder,
        "Draw into this folder: NAME-availability.svg, NAME-hours.svg, "
        "NAME-preempt-gap-survival.svg and others, each with its points as CSV"),
    SPOT_OPTION(WRITTEN, "output", 'o', "FILE", target.path,
        "Write the table here (default: standard output)"),
    SPOT_OPTION_END,
};

static void check(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
    const spot_describe_request_t *request = &arguments->request;

    spot_usage_refuse(call, request->is_notebook && arguments->csv_path != NULL,
        "--notebook writes no CSV, but --json");
    spot_usage_refuse(call, request->is_notebook && arguments->svg_folder != NULL,
        "--notebook draws no pictures");
    spot_usage_refuse(call, request->is_notebook && request->where != NULL,
        "--where is for lifetimes files, --notebook is for traces");
    spot_option_check_ending(
        call, "-o", arguments->target.path, arguments->target.is_json ? ".json" : "");
}

/* The name of a trace; where other pictures have it already, that of its own ones. NULL:
 * no memory. */
static const char *picture_name(spot_call_t *call, const char *path)
{
    arguments_t *arguments = call->arguments;
    const char *name = spot_pictures_name(&call->texts, path);
    const char *own = spot_file_names_add(&arguments->picture_names, name);
    char file_name[SPOT_FILE_NAME_BYTES];

    spot_file_name(name, file_name);
    return own == NULL || strcmp(own, file_name) != 0 ? own : name;
}

/* Draws what a description looks at; context is the call. */
static void draw(
    void *context, const char *path, const spot_trace_t *trace, const spot_lifetimes_t *lifetimes)
{
    spot_call_t *call = context;
    arguments_t *arguments = call->arguments;
    const char *folder = arguments->svg_folder;
    const char *name = picture_name(call, path);
    const int ret = name == NULL ? SPOT_ERR_NO_MEMORY
                    : trace != NULL
                        ? spot_pictures_of_trace(trace, folder, name, &call->diag)
                        : spot_pictures_of_lifetimes(lifetimes, folder, name, &call->diag);

    arguments->picture_error = spot_error_first(arguments->picture_error, ret);
}

/* Reads on after an error, so that all files are reported. The notebook's two logs are
 * one trace. */
static int describe_all(
    spot_call_t *call, size_t *num_descriptions, spot_description_t *descriptions)
{
    const arguments_t *arguments = call->arguments;
    const size_t num_paths = arguments->paths.num_texts;
    const char *const *paths = arguments->paths.texts;
    const bool has_logs =
        arguments->request.is_notebook && num_paths == 2 && spot_describe_is_log(paths[0]);
    spot_describe_request_t request = arguments->request;
    int error = 0;

    request.look = arguments->svg_folder != NULL ? draw : NULL;
    request.context = call;
    *num_descriptions = has_logs ? 1 : num_paths;
    for (size_t j = 0; j < *num_descriptions; j++) {
        const char *name = spot_pictures_name(&call->texts, paths[j]);

        error = spot_error_first(error,
            has_logs ? spot_describe_logs(&descriptions[j], paths, name, &call->diag)
                     : spot_describe_file(&descriptions[j], paths[j], name, &request, &call->diag));
    }
    return error;
}

static void write_json(
    bool is_notebook, size_t num_descriptions, const spot_description_t *descriptions, FILE *out)
{
    spot_json_t json;

    spot_json_init(&json, out, 2);
    if (num_descriptions > 1) {
        spot_json_open(&json, NULL, '[');
    }
    for (size_t j = 0; j < num_descriptions; j++) {
        if (is_notebook) {
            spot_notebook_write_json(&descriptions[j].notebook, descriptions[j].name, &json, NULL);
        } else {
            spot_describe_write_json(&descriptions[j].figures, &json, NULL);
        }
    }
    if (num_descriptions > 1) {
        spot_json_close(&json, ']');
    }
}

static int write_tables(bool is_notebook, size_t num_descriptions,
    const spot_description_t *descriptions, const spot_terminal_t *terminal, FILE *out)
{
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < num_descriptions; j++) {
        fputs(j > 0 ? "\n" : "", out);
        if (is_notebook && num_descriptions > 1) {
            fputs("trace ", out);
            spot_utf8_print(out, descriptions[j].name);
            putc('\n', out);
        }
        if (is_notebook) {
            spot_notebook_print(&descriptions[j].notebook, out);
        } else {
            ret = spot_describe_print(&descriptions[j].figures, terminal, out);
        }
    }
    return ret;
}

/* CSV on standard output is there instead of the table. */
static int write_result(const arguments_t *arguments, size_t num_descriptions,
    const spot_description_t *descriptions, spot_diag_t *diag)
{
    const bool is_notebook = arguments->request.is_notebook;
    const spot_target_t *target = &arguments->target;
    const char *csv_path = arguments->csv_path;
    spot_output_t output;
    FILE *out;
    int ret = 0;

    if (csv_path != NULL) {
        out = spot_output_bytes(&output, csv_path, diag);
        if (out != NULL) {
            spot_describe_write_csv_head(out);
        }
        for (size_t j = 0; out != NULL && j < num_descriptions; j++) {
            spot_describe_write_csv(&descriptions[j].figures, out);
        }
        ret = spot_output_end(&output, 0);
        if (ret != 0 || (strcmp(csv_path, "-") == 0 && target->path == NULL)) {
            return ret;
        }
    }
    out = spot_output_begin(&output, target, diag);
    if (out != NULL && target->is_json) {
        write_json(is_notebook, num_descriptions, descriptions, out);
    } else if (out != NULL) {
        ret = write_tables(is_notebook, num_descriptions, descriptions, &output.terminal, out);
    }
    return spot_output_end(&output, ret);
}

static int run(spot_call_t *call)
{
    arguments_t *arguments = call->arguments;
    const size_t num_paths = arguments->paths.num_texts;
    spot_description_t *descriptions = spot_calloc(num_paths, sizeof(*descriptions));
    size_t num_descriptions = 0;
    int ret = descriptions == NULL ? SPOT_ERR_NO_MEMORY : 0;

    ret = ret != 0 ? ret : describe_all(call, &num_descriptions, descriptions);
    if (ret == 0) {
        call->is_reading = false;
        ret = spot_error_first(write_result(arguments, num_descriptions, descriptions, &call->diag),
            arguments->picture_error);
    }
    for (size_t j = 0; j < num_descriptions; j++) {
        spot_description_free(&descriptions[j]);
    }
    free(descriptions);
    spot_file_names_free(&arguments->picture_names);
    return ret;
}

const spot_command_t spot_command_trace_describe = {
    .name = "trace describe",
    .arguments = "TRACE...",
    .summary = "Print figures of recorded and generated traces",
    .doc = "TRACE is a canonical trace file or a lifetimes file. The table has the "
           "population (instances; share of time full and empty), preemption and "
           "addition events (all instances of one time are one event), the gaps "
           "between them in s (CV = standard deviation / mean, ACF1 = autocorrelation "
           "at lag 1, LB5 p = p-value of Ljung and Box that lags 1 to 5 are "
           "uncorrelated), lifetimes (Kaplan-Meier), bursts (Fano = variance / mean "
           "of preempted instances per window) and time of day (Rayleigh). MTBP, the "
           "mean gap between preemption events, depends on the resolution of the "
           "recorder: never compare it between traces of different resolution. "
           "spotsim(1) lists every figure with its unit.\n\n"
           "Undefined is \"-\" in the table, null in JSON and empty in CSV; a median "
           "that is not reached is \"inf\".",
    .examples = "  spotsim trace describe trace.csv\n"
                "  spotsim trace describe *.csv --csv figures.csv\n"
                "  spotsim trace describe trace.csv --tick 600 --net --json\n"
                "  spotsim trace describe lifetimes.csv --where zone=us-east1-b\n"
                "  spotsim trace describe trace.csv --svg pictures\n"
                "  spotsim trace describe --notebook nodes.csv terminations.csv\n",
    .options = options,
    .arguments_bytes = sizeof(arguments_t),
    .check = check,
    .run = run,
};
