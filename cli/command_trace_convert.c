/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "base/units.h"
#include "cli/command.h"
#include "traces/convert/convert.h"
#include "traces/convert/importer.h"
#include "traces/trace_header.h"
#include "traces/trace_write.h"

enum {
    OPTION_FROM = 256,
    OPTION_NAME,
    OPTION_START,
    OPTION_RESOLUTION,
    OPTION_CAPACITY,
    OPTION_KIND,
    OPTION_UNIT,
    OPTION_POLL_COPIES,
    OPTION_WINDOW,
    OPTION_SET,
    OPTION_STRICT,
    OPTION_JSON
};

typedef struct {
    spot_convert_t task;
    const char *output_path;
    bool is_quiet, is_json;
    spot_option_list_t paths;
    spot_option_list_t sets;
} arguments_t;

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0,
        "Write the trace here, compressed if it ends in .gz (default: standard output)",
        0},
    {"from", OPTION_FROM, "FORMAT", 0,
        "The format of the input (default: recognised from its content)", 0},
    {"name", OPTION_NAME, "NAME", 0,
        "Name of the trace (default: that of the file without folder and ending)", 0},
    {"start", OPTION_START, "TIME", 0,
        "When it starts: a date, a date-time such as 2024-06-07T17:00:00Z, or unknown",
        0},
    {"resolution", OPTION_RESOLUTION, "DURATION", 0,
        "Tick of the recorder, e.g. \"60 s\" or 60 (default: as the format's rule has "
        "it)",
        0},
    {"capacity", OPTION_CAPACITY, "N", 0,
        "Instances that were asked for, or unbounded (default: the largest number)", 0},
    {"kind", OPTION_KIND, "named|counts|availability", 0,
        "What the numbers are (default: as the format has it)", 0},
    {"unit", OPTION_UNIT, "ms|s|h", 0,
        "Unit of the times, for bamboo, parcae (default ms) and step (default s)", 0},
    {"poll-copies", OPTION_POLL_COPIES, "N", 0,
        "gcloud: every poll may be there N times, its copies 60 s apart; they are "
        "dropped",
        0},
    {"window", OPTION_WINDOW, "DURATION", 0,
        "node-count: a termination belongs to the first row of counts within, e.g. "
        "\"60 s\" or 60 (default 0)",
        0},
    {"set", OPTION_SET, "KEY=VALUE", 0,
        "Set a header key, such as cloud=aws; may be given several times", 0},
    {"strict", OPTION_STRICT, NULL, 0,
        "Refuse what would have to be repaired, and times between ticks", 0},
    {"quiet", 'q', NULL, 0, "No report on standard error", 0},
    {"json", OPTION_JSON, NULL, 0,
        "Write the report as JSON to standard output; needs -o", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

static void
check_format(struct argp_state *state, const char *text)
{
    spot_suggest_t near;

    spot_suggest_init(&near, text);
    for (size_t j = 0; spot_importers[j] != NULL; j++) {
        if (strcmp(spot_importers[j]->name, text) == 0) {
            return;
        }
        spot_suggest_offer(&near, spot_importers[j]->name);
    }
    if (near.nearest != NULL) {
        spot_option_error(
            state, "--from: no format \"%s\", did you mean \"%s\"?", text, near.nearest);
    }
    spot_option_error(state, "--from: no format \"%s\"; --help lists them", text);
}

/* The index of text in a NULL-terminated list. */
static int
parse_choice(struct argp_state *state, const char *option, const char *text,
    const char *const *choices, const char *expected)
{
    for (int j = 0; choices[j] != NULL; j++) {
        if (strcmp(choices[j], text) == 0) {
            return j;
        }
    }
    spot_option_error(state, "%s: expected %s, got \"%s\"", option, expected, text);
    return -1;
}

static int64_t
parse_unit_ms(struct argp_state *state, const char *text)
{
    static const char *const names[] = {"ms", "s", "h", NULL};
    static const int64_t units_ms[] = {1, SPOT_MS_PER_S, SPOT_MS_PER_H};
    const int unit = parse_choice(state, "--unit", text, names, "ms, s or h");

    return unit < 0 ? 0 : units_ms[unit];
}

/* Plain seconds are taken too, as a trace file has them. */
static int64_t
parse_duration_ms(
    struct argp_state *state, const char *option, const char *text, int64_t min_ms)
{
    const char *problem = "";
    int64_t duration_ms = 0;
    double duration_s;
    int ret = spot_number_parse(text, &duration_s) == 0
                  ? spot_duration_from_s(duration_s, &duration_ms)
                  : spot_duration_parse(text, &duration_ms, &problem);

    if (ret != 0 || duration_ms < min_ms) {
        spot_option_error(state,
            "%s: expected a duration %s such as \"60 s\" or 60, got \"%s\"", option,
            min_ms == 0 ? "from 0" : "above 0", text);
    }
    return duration_ms;
}

static int64_t
parse_capacity(struct argp_state *state, const char *text)
{
    int64_t capacity = SPOT_UNBOUNDED;

    if (strcmp(text, "unbounded") != 0) {
        capacity = spot_option_integer(state, "--capacity", text, 1);
        if (capacity >= SPOT_UNBOUNDED) {
            spot_option_error(state, "--capacity: too large: \"%s\"", text);
        }
    }
    return capacity;
}

/* What a header line can hold. */
static void
check_value(struct argp_state *state, const char *option, const char *value)
{
    const size_t num_bytes = strlen(value);
    bool is_good = num_bytes > 0 && value[0] != ' ' && value[num_bytes - 1] != ' ';

    for (const char *byte = value; *byte != '\0'; byte++) {
        is_good &= (unsigned char) *byte >= ' ' && *byte != 0x7f && *byte != ',' &&
                   *byte != '"';
    }
    if (!is_good) {
        spot_option_error(state,
            "%s: expected text without comma, double quote, line end and blanks around, "
            "got \"%s\"",
            option, value);
    }
}

static void
check_set(struct argp_state *state, const char *text)
{
    static const char *const others[] = {
        "name", "start", "resolution_s", "kind", "capacity", "spotsim-trace", NULL};
    static const char *const with[] = {
        "--name", "--start", "--resolution", "--kind", "--capacity", "no option"};
    const char *value = strchr(text, '=');
    const size_t num_bytes = strcspn(text, "=: ,\"\t\r\n");

    if (value == NULL || num_bytes == 0 || text + num_bytes != value) {
        spot_option_error(state, "--set: expected KEY=VALUE, got \"%s\"", text);
        return;
    }
    check_value(state, "--set", value + 1);
    for (size_t j = 0; others[j] != NULL; j++) {
        if (strlen(others[j]) == num_bytes && strncmp(others[j], text, num_bytes) == 0) {
            spot_option_error(state, "--set: %s is set with %s", others[j], with[j]);
        }
    }
}

static void
check_arguments(arguments_t *arguments, struct argp_state *state)
{
    if (arguments->paths.num_texts == 0) {
        spot_option_error(state, "expected a file to convert");
    }
    if (arguments->is_json &&
        (arguments->output_path == NULL || strcmp(arguments->output_path, "-") == 0)) {
        spot_option_error(state, "--json needs a file for the trace: -o FILE");
    }
    arguments->task.num_sets = arguments->sets.num_texts;
    arguments->task.sets = arguments->sets.texts;
}

static error_t
parse_task(arguments_t *arguments, int key, char *text, struct argp_state *state)
{
    spot_convert_t *task = &arguments->task;

    switch (key) {
        case OPTION_FROM:
            check_format(state, text);
            task->format = text;
            return 0;
        case OPTION_NAME:
            check_value(state, "--name", text);
            task->name = text;
            return 0;
        case OPTION_START:
            if (!spot_trace_start_is(text)) {
                spot_option_error(state,
                    "--start: expected " SPOT_TRACE_START_EXPECTED ", got \"%s\"", text);
            }
            task->start = text;
            return 0;
        case OPTION_RESOLUTION:
            task->resolution_ms = parse_duration_ms(state, "--resolution", text, 1);
            return 0;
        case OPTION_CAPACITY:
            task->capacity = parse_capacity(state, text);
            return 0;
        case OPTION_KIND:
            task->kind = parse_choice(state, "--kind", text, spot_trace_kind_names,
                "named, counts or availability");
            return 0;
        case OPTION_UNIT:
            task->unit_ms = parse_unit_ms(state, text);
            return 0;
        case OPTION_POLL_COPIES:
            task->num_poll_copies = spot_option_integer(state, "--poll-copies", text, 1);
            return 0;
        case OPTION_WINDOW:
            task->window_ms = parse_duration_ms(state, "--window", text, 0);
            return 0;
        default:
            return ARGP_ERR_UNKNOWN;
    }
}

static error_t
parse(int key, char *text, struct argp_state *state)
{
    arguments_t *arguments = state->input;

    switch (key) {
        case 'o':
            arguments->output_path = spot_option_file(state, "-o", text, ".csv or .gz");
            return 0;
        case OPTION_SET:
            check_set(state, text);
            spot_option_list_add(&arguments->sets, text);
            return 0;
        case OPTION_STRICT:
            arguments->task.is_strict = true;
            return 0;
        case 'q':
            arguments->is_quiet = true;
            return 0;
        case OPTION_JSON:
            arguments->is_json = true;
            return 0;
        case ARGP_KEY_ARG:
            spot_option_list_add(&arguments->paths, text);
            return 0;
        case ARGP_KEY_END:
            check_arguments(arguments, state);
            return 0;
        default:
            return parse_task(arguments, key, text, state);
    }
}

static int
convert(const arguments_t *arguments, spot_trace_t *trace, spot_convert_report_t *report,
    spot_diag_t *diag)
{
    const size_t num_inputs = arguments->paths.num_texts;
    spot_convert_input_t *inputs = calloc(num_inputs, sizeof(*inputs));
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

static int
run(int argc, char **argv)
{
    arguments_t arguments = {.task = {.kind = -1, .window_ms = -1}};
    spot_trace_t trace;
    spot_convert_report_t report;
    spot_diag_t diag;
    int exit_code, ret;

    spot_trace_init(&trace);
    spot_convert_report_init(&report);
    spot_diag_init(&diag);
    spot_command_parse(&spot_command_trace_convert, argc, argv, parse, &arguments);
    ret = convert(&arguments, &trace, &report, &diag);
    if (ret != 0) {
        exit_code = spot_command_finish_reading(&diag, ret);
    } else {
        ret = spot_command_check_outputs(
            (spot_command_files_t){arguments.paths.num_texts, arguments.paths.texts},
            (spot_command_files_t){1, &arguments.output_path}, &diag);
        ret = ret == 0 ? spot_trace_write(&trace, arguments.output_path, &diag) : ret;
        if (ret == 0 && !arguments.is_quiet && !arguments.is_json) {
            spot_convert_report_print(&report, &trace, stderr);
        }
        if (ret == 0 && arguments.is_json) {
            spot_convert_report_json(&report, &trace, stdout);
        }
        exit_code = spot_command_finish(&diag, ret);
    }
    spot_convert_report_free(&report);
    spot_trace_free(&trace);
    free(arguments.paths.texts);
    free(arguments.sets.texts);
    return exit_code;
}

static const char *
format_item(size_t j, const char **name)
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
    .examples =
        "  spotsim trace convert p3-trace.csv --set cloud=aws -o p3.csv\n"
        "  spotsim trace convert --from step --unit h p2.csv -o p2.csv.gz\n"
        "  spotsim trace convert node.csv term.csv --window \"60 s\" -o trace.csv\n",
    .options = options,
    .item = format_item,
    .run = run,
};
