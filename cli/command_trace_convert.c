/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/log_options.h"
#include "traces/convert/convert.h"
#include "traces/trace.h"
#include "traces/trace_write.h"

typedef struct {
    spot_log_options_t log;
    const char *output_path;
    bool is_json;
    spot_option_list_t paths;
    spot_option_list_t sets;
} arguments_t;

static const arguments_t initial = {.log = SPOT_LOG_OPTIONS_INITIAL};

static void check_set(spot_call_t *call, const spot_option_t *option, const char *text)
{
    static const char *const others[] = {
        "name", "start", "resolution_s", "kind", "capacity", "spotsim-trace", NULL};
    static const char *const with[] = {
        "--name", "--start", "--resolution", "--kind", "--capacity", "no option"};
    const char *value = strchr(text, '=');
    const size_t num_bytes = strcspn(text, "=: ,\"\t\r\n");

    if (value == NULL || num_bytes == 0 || text + num_bytes != value) {
        spot_usage_error(call, "--set: expected KEY=VALUE, got \"%s\"", text);
    } else {
        spot_log_check_value(call, option, value + 1);
    }
    for (size_t j = 0; others[j] != NULL; j++) {
        if (strlen(others[j]) == num_bytes && strncmp(others[j], text, num_bytes) == 0) {
            spot_usage_error(call, "--set: %s is set with %s", others[j], with[j]);
        }
    }
}

static const spot_option_t options[] = {
    SPOT_OPTION(ARGUMENTS, "a file to convert", 0, "FILE", paths, NULL, .min = 1),
    SPOT_OPTION(WRITTEN, "output", 'o', "FILE", output_path,
        "Write the trace here, compressed if it ends in .gz (default: standard output)",
        .endings = ".csv or .gz"),
    SPOT_LOG_OPTIONS,
    SPOT_OPTION(
        TEXT, "now", 0, "TIME", log.task.now, "The same as --until", .settle = spot_log_take_until),
    SPOT_OPTION(TEXTS, "set", 0, "KEY=VALUE", sets, "Set a header key; may be given several times",
        .example = "cloud=aws", .settle = check_set),
    SPOT_OPTION_JSON(is_json, "Write the report as JSON to standard output; needs -o"),
    SPOT_OPTION_END,
};

static void check(spot_call_t *call)
{
    arguments_t *arguments = call->arguments;

    spot_usage_refuse(call,
        arguments->is_json &&
            (arguments->output_path == NULL || strcmp(arguments->output_path, "-") == 0),
        "--json needs a file for the trace: -o FILE");
    spot_log_options_check(&arguments->log);
    arguments->log.task.num_sets = arguments->sets.num_texts;
    arguments->log.task.sets = arguments->sets.texts;
}

static int convert(const arguments_t *arguments, spot_trace_t *trace, spot_convert_report_t *report,
    spot_diag_t *diag)
{
    const size_t num_inputs = arguments->paths.num_texts;
    spot_record_input_t *inputs = calloc(num_inputs, sizeof(*inputs));
    int ret = SPOT_ERR_NO_MEMORY;

    for (size_t j = 0; inputs != NULL && j < num_inputs; j++) {
        inputs[j].path = arguments->paths.texts[j];
    }
    if (inputs != NULL) {
        ret = spot_convert(&arguments->log.task, num_inputs, inputs, trace, report, diag);
    }
    free(inputs);
    return ret;
}

static int run(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
    spot_trace_t trace;
    spot_convert_report_t report;
    int ret;

    spot_trace_init(&trace);
    spot_convert_report_init(&report);
    ret = convert(arguments, &trace, &report, &call->diag);
    if (ret == 0) {
        call->is_reading = false;
        ret = spot_trace_write(&trace, arguments->output_path, &call->diag);
    }
    if (ret == 0 && arguments->is_json) {
        spot_interrupt_print_rest();
        spot_convert_report_json(&report, &trace, stdout);
    } else if (ret == 0 && !call->is_quiet) {
        spot_convert_report_print(&report, &trace, stderr);
    }
    spot_convert_report_free(&report);
    spot_trace_free(&trace);
    return ret;
}

static const char *format_item(size_t j, const char **name)
{
    if (spot_importers[j] == NULL) {
        return NULL;
    }
    *name = spot_importers[j]->name;
    return spot_importers[j]->doc;
}

const spot_command_t spot_command_trace_convert = {
    .name = "trace convert",
    .arguments = "FILE...",
    .summary = "Turn a recording of a cloud or a paper into the canonical trace file",
    .doc = "The format is recognised from the content, plain or gzip, or is what "
           "--from says. A report on standard error lists what was read and repaired, "
           "and what is uncertain. Formats:",
    .examples = "  spotsim trace convert p3-trace.csv --set cloud=aws -o p3.csv\n"
                "  spotsim trace convert --from step --unit h p2.csv -o p2.csv.gz\n"
                "  spotsim trace convert node.csv term.csv --window \"60 s\" -o trace.csv\n",
    .options = options,
    .quiet = "No report on standard error, no warnings",
    .item = format_item,
    .arguments_bytes = sizeof(arguments_t),
    .initial = &initial,
    .check = check,
    .run = run,
};
