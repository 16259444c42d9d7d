/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "cli/command.h"
#include "traces/convert/convert.h"
#include "traces/convert/importer.h"
#include "traces/trace.h"
#include "traces/trace_write.h"

typedef struct {
    spot_convert_t task;
    int unit; /* index into units; -1: the format's own */
    const char *output_path;
    bool is_json;
    spot_option_list_t paths;
    spot_option_list_t sets;
} arguments_t;

static const arguments_t initial = {.task = {.kind = -1, .window_ms = -1}, .unit = -1};

static const char *const causes[] = {"stop", "preempt", NULL};

static const char *const units[] = {"ms", "s", "h", NULL};

static const char *format_name(size_t j)
{
    return spot_importers[j] == NULL ? NULL : spot_importers[j]->name;
}

/* What a header line can hold. */
static void check_value(spot_call_t *call, const spot_option_t *option, const char *value)
{
    const size_t num_bytes = strlen(value);
    bool is_good = num_bytes > 0 && value[0] != ' ' && value[num_bytes - 1] != ' ';

    for (const char *byte = value; *byte != '\0'; byte++) {
        is_good &= (unsigned char) *byte >= ' ' && *byte != 0x7f && *byte != ',' && *byte != '"';
    }
    if (!is_good) {
        spot_usage_error(call,
            "--%s: expected text without comma, double quote, line end and blanks "
            "around, "
            "got \"%s\"",
            option->name, value);
    }
}

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
        check_value(call, option, value + 1);
    }
    for (size_t j = 0; others[j] != NULL; j++) {
        if (strlen(others[j]) == num_bytes && strncmp(others[j], text, num_bytes) == 0) {
            spot_usage_error(call, "--set: %s is set with %s", others[j], with[j]);
        }
    }
}

static void check_start(spot_call_t *call, const spot_option_t *option, const char *text)
{
    (void) option;
    if (!spot_trace_start_is(text)) {
        spot_usage_error(call, "--start: expected " SPOT_TRACE_START_EXPECTED ", got \"%s\"", text);
    }
}

static void take_capacity(spot_call_t *call, const spot_option_t *option, const char *text)
{
    arguments_t *arguments = call->arguments;

    (void) option;
    arguments->task.capacity = SPOT_UNBOUNDED;
    if (strcmp(text, "unbounded") != 0 &&
        (spot_integer_parse(text, &arguments->task.capacity) != 0 || arguments->task.capacity < 1 ||
            arguments->task.capacity >= SPOT_UNBOUNDED)) {
        spot_usage_error(call,
            "--capacity: expected an integer from 1 to %lld or unbounded, got \"%s\"",
            (long long) SPOT_UNBOUNDED - 1, text);
    }
}

static const spot_option_t options[] = {
    SPOT_OPTION(ARGUMENTS, "a file to convert", 0, "FILE", paths, NULL, .min = 1),
    SPOT_OPTION(WRITTEN, "output", 'o', "FILE", output_path,
        "Write the trace here, compressed if it ends in .gz (default: standard output)",
        .endings = ".csv or .gz"),
    SPOT_OPTION(TEXT, "from", 0, "FORMAT", task.format,
        "The format of the input (default: recognised from its content)", .what = "format",
        .words = format_name),
    SPOT_OPTION(TEXT, "name", 0, "NAME", task.name,
        "Name of the trace (default: that of the file without folder and ending)",
        .settle = check_value),
    SPOT_OPTION(TEXT, "start", 0, "TIME", task.start,
        "When it starts: a date, a date-time such as 2024-06-07T17:00:00Z, or unknown",
        .settle = check_start),
    SPOT_OPTION(SECONDS, "resolution", 0, "DURATION", task.resolution_ms,
        "Tick of the recorder (default: as the format's rule has it)", .example = "\"60 s\" or 60",
        .min = 1),
    SPOT_OPTION(OWN, "capacity", 0, "N", task.capacity,
        "Instances that were asked for, or unbounded (default: the largest number)",
        .settle = take_capacity),
    SPOT_OPTION(CHOICE, "kind", 0, "named|counts|availability", task.kind,
        "What the numbers are (default: as the format has it)", .choices = spot_trace_kind_names),
    SPOT_OPTION(CHOICE, "unit", 0, "ms|s|h", unit,
        "Unit of the times, for bamboo, parcae (default ms), step (default s) and "
        "mapping (default: that of a time since 1970)",
        .choices = units),
    SPOT_OPTION(COUNT, "poll-copies", 0, "N", task.num_poll_copies,
        "gcloud: every poll may be there N times, its copies 60 s apart; they are "
        "dropped",
        .min = 1),
    SPOT_OPTION(SECONDS, "window", 0, "DURATION", task.window_ms,
        "node-count: a termination belongs to the first row of counts within "
        "(default 0)",
        .example = "\"60 s\" or 60"),
    SPOT_OPTION(TEXT, "now", 0, "TIME", task.now,
        "Logs: until when they were watched (default: the last record), and when ages "
        "in them were printed, such as 2024-06-07T17:00:00Z"),
    SPOT_OPTION(CHOICE, "cause", 0, "stop|preempt", task.unknown,
        "Logs: what a loss is whose cause they do not say (default stop)", .choices = causes),
    SPOT_OPTION(SECONDS, "notice", 0, "DURATION", task.notice_ms,
        "Logs: count a notice without a loss as a preemption so much later (default: a "
        "notice is no loss)",
        .example = "\"120 s\" or 120", .min = 1),
    SPOT_OPTION(TEXT, "only", 0, "PATTERN", task.only,
        "Logs: only instances whose names match, with * and ? as in a shell"),
    SPOT_OPTION(TEXT, "columns", 0, "KEY=COLUMN,...", task.columns,
        "mapping: which column or member is what, such as "
        "time=Timestamp,instance=node,event=reason"),
    SPOT_OPTION(TEXT, "events", 0, "WORD=KIND,...", task.events,
        "mapping: what the words of the events mean, such as "
        "launched=add,terminated=preempt"),
    SPOT_OPTION(TEXTS, "set", 0, "KEY=VALUE", sets, "Set a header key; may be given several times",
        .example = "cloud=aws", .settle = check_set),
    SPOT_OPTION(FLAG, "strict", 0, NULL, task.is_strict,
        "Refuse what would have to be repaired, and times between ticks"),
    SPOT_OPTION_JSON(is_json, "Write the report as JSON to standard output; needs -o"),
    SPOT_OPTION_END,
};

static void check(spot_call_t *call)
{
    static const int64_t units_ms[] = {1, SPOT_MS_PER_S, SPOT_MS_PER_H};
    arguments_t *arguments = call->arguments;

    spot_usage_refuse(call,
        arguments->is_json &&
            (arguments->output_path == NULL || strcmp(arguments->output_path, "-") == 0),
        "--json needs a file for the trace: -o FILE");
    if (arguments->unit >= 0) {
        arguments->task.unit_ms = units_ms[arguments->unit];
    }
    arguments->task.num_sets = arguments->sets.num_texts;
    arguments->task.sets = arguments->sets.texts;
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
        ret = spot_convert(&arguments->task, num_inputs, inputs, trace, report, diag);
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
