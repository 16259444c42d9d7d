/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/verbs/trace_verbs.h"

#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/files.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"
#include "base/verb/verb.h"
#include "traces/convert/convert.h"
#include "traces/describe/describe.h"
#include "traces/describe/sample.h"
#include "traces/fit/fit_law.h"
#include "traces/lifetimes.h"
#include "traces/trace.h"
#include "traces/trace_write.h"
#include "traces/verbs/trace_picture.h"
#include "traces/verbs/trace_report.h"

/* ---- Options of logs ---- */

const char *const spot_log_causes[] = {"stop", "preempt", NULL};

const char *const spot_log_units[] = {"ms", "s", "h", NULL};

const char *spot_log_format_name(size_t j)
{
    return spot_importers[j] == NULL ? NULL : spot_importers[j]->name;
}

/* What a header line can hold. */
void spot_log_check_value(spot_call_t *call, const spot_option_t *option, const char *value)
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

void spot_log_check_start(spot_call_t *call, const spot_option_t *option, const char *text)
{
    (void) option;
    if (!spot_trace_start_is(text)) {
        spot_usage_error(call, "--start: expected " SPOT_TRACE_START_EXPECTED ", got \"%s\"", text);
    }
}

/* --until, or --now, which is stored at the same place. */
void spot_log_take_until(spot_call_t *call, const spot_option_t *option, const char *text)
{
    spot_convert_t *task = (spot_convert_t *) (void *) ((char *) call->arguments + option->offset -
                                                        offsetof(spot_convert_t, now));

    (void) text;
    if (task->now_option != NULL && strcmp(task->now_option, option->name) != 0) {
        spot_usage_error(call, "--%s and --%s say the same: expected one of them", task->now_option,
            option->name);
    }
    task->now_option = option->name;
}

void spot_log_take_capacity(spot_call_t *call, const spot_option_t *option, const char *text)
{
    int64_t *capacity = (int64_t *) (void *) ((char *) call->arguments + option->offset);

    *capacity = SPOT_UNBOUNDED;
    if (strcmp(text, "unbounded") != 0 &&
        (spot_integer_parse(text, capacity) != 0 || *capacity < 1 || *capacity >= SPOT_UNBOUNDED)) {
        spot_usage_error(call,
            "--capacity: expected an integer from 1 to %lld or unbounded, got \"%s\"",
            (long long) SPOT_UNBOUNDED - 1, text);
    }
}

void spot_log_options_check(spot_log_options_t *self)
{
    static const int64_t units_ms[] = {1, SPOT_MS_PER_S, SPOT_MS_PER_H};

    if (self->unit >= 0) {
        self->task.unit_ms = units_ms[self->unit];
    }
}

bool spot_log_options_are_given(const spot_log_options_t *self)
{
    const spot_convert_t *task = &self->task;

    return task->format != NULL || task->name != NULL || task->start != NULL ||
           task->resolution_ms > 0 || task->capacity != 0 || task->kind >= 0 || self->unit >= 0 ||
           task->num_poll_copies > 0 || task->window_ms >= 0 || task->now != NULL ||
           task->unknown != 0 || task->notice_ms > 0 || task->initial > 0 || task->only != NULL ||
           task->columns != NULL || task->events != NULL || task->is_strict;
}

/* ---- A log as a trace ---- */

int spot_taken_log_read(spot_taken_log_t *self, const char *path, const spot_convert_t *task,
    const char *written, spot_diag_t *diag)
{
    static const spot_convert_t plain = {.kind = -1, .window_ms = -1};
    int ret = spot_convert(task == NULL ? &plain : task, 1, &(spot_record_input_t){.path = path},
        &self->trace, &self->report, diag);

    ret = ret != 0 ? ret : spot_describe_init(&self->figures, &self->trace);
    return ret != 0 || written == NULL ? ret : spot_trace_write(&self->trace, written, diag);
}

void spot_taken_log_free(spot_taken_log_t *self)
{
    spot_describe_free(&self->figures);
    spot_convert_report_free(&self->report);
    spot_trace_free(&self->trace);
}

/* ---- spotsim trace convert ---- */

typedef struct {
    spot_log_options_t log;
    const char *output_path;
    bool is_json;
    spot_option_list_t paths;
    spot_option_list_t sets;
} convert_arguments_t;

static const convert_arguments_t convert_initial = {.log = SPOT_LOG_OPTIONS_INITIAL};

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

#undef SPOT_OPTIONS_OF
#define SPOT_OPTIONS_OF convert_arguments_t

static const spot_option_t convert_options[] = {
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

static void convert_check(spot_call_t *call)
{
    convert_arguments_t *arguments = call->arguments;

    spot_usage_refuse(call,
        arguments->is_json &&
            (arguments->output_path == NULL || strcmp(arguments->output_path, "-") == 0),
        "--json needs a file for the trace: -o FILE");
    spot_log_options_check(&arguments->log);
    arguments->log.task.num_sets = arguments->sets.num_texts;
    arguments->log.task.sets = arguments->sets.texts;
}

static int convert(const convert_arguments_t *arguments, spot_trace_t *trace,
    spot_convert_report_t *report, spot_diag_t *diag)
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

static int convert_run(spot_call_t *call)
{
    const convert_arguments_t *arguments = call->arguments;
    spot_trace_t trace = {0};
    spot_convert_report_t report = {0};
    int ret;

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

const spot_verb_t spot_verb_trace_convert = {
    .name = "trace convert",
    .arguments = "FILE...",
    .summary = "Turn a recording of a cloud or a paper into the canonical trace file",
    .doc = "The format is recognised from the content, plain or packed, or is what "
           "--from says. A report on standard error lists what was read and repaired, "
           "and what is uncertain. Formats:",
    .examples = "  spotsim trace convert p3-trace.csv --set cloud=aws -o p3.csv\n"
                "  spotsim trace convert --from step --unit h p2.csv -o p2.csv.gz\n"
                "  spotsim trace convert node.csv term.csv --window \"60 s\" -o trace.csv\n",
    .options = convert_options,
    .quiet = "No report on standard error, no warnings",
    .item = format_item,
    .arguments_bytes = sizeof(convert_arguments_t),
    .initial = &convert_initial,
    .check = convert_check,
    .run = convert_run,
};

/* ---- spotsim trace describe ---- */

typedef struct {
    spot_option_list_t paths;
    spot_target_t target;
    const char *csv_path;
    const char *svg_folder;
    spot_describe_request_t request;
    spot_file_names_t picture_names;
    int picture_error; /* the first one; the figures are still printed */
} describe_arguments_t;

#undef SPOT_OPTIONS_OF
#define SPOT_OPTIONS_OF describe_arguments_t

static const spot_option_t describe_options[] = {
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

static void describe_check(spot_call_t *call)
{
    const describe_arguments_t *arguments = call->arguments;
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
    describe_arguments_t *arguments = call->arguments;
    const char *name = spot_pictures_name(&call->texts, path);
    const char *own = spot_file_names_add(&arguments->picture_names, name);
    char file_name[SPOT_FILE_NAME_BYTES];

    spot_file_name(name, file_name);
    return own == NULL || strcmp(own, file_name) != 0 ? own : name;
}

/* The survival of lifetimes. */
static int pictures_of_lifetimes(
    const spot_lifetimes_t *lifetimes, const char *folder, const char *name, spot_diag_t *diag)
{
    spot_sample_t sample;
    int ret = spot_sample_init_lifetimes(&sample, lifetimes);

    if (ret == 0) {
        ret = spot_trace_plot_survival(
            &(spot_fitted_sample_t){.kind = SPOT_SAMPLE_LIFETIME, .sample = &sample}, folder, name,
            diag);
    }
    spot_sample_free(&sample);
    return ret;
}

/* Samples that a trace of this kind can have. */
static bool is_possible(const spot_trace_t *trace, spot_sample_kind_t kind)
{
    switch (kind) {
        case SPOT_SAMPLE_UP_SPELL:
        case SPOT_SAMPLE_DOWN_SPELL:
            return trace->capacity == 1;
        case SPOT_SAMPLE_LIFETIME:
            return trace->kind == SPOT_TRACE_NAMED;
        default:
            return true;
    }
}

static int draw_sample(const spot_trace_t *trace, spot_sample_kind_t kind, const char *folder,
    const char *name, spot_diag_t *diag)
{
    const double resolution_s = spot_duration_s(trace->resolution_ms);
    spot_sample_t sample;
    int ret = spot_sample_init(&sample, trace, kind);

    if (ret == 0) {
        const spot_fitted_sample_t fitted = {.kind = kind,
            .is_obtainable = trace->kind == SPOT_TRACE_AVAILABILITY,
            .sample = &sample,
            .tick_s = spot_fit_default_tick(&sample, kind, resolution_s)};

        ret = spot_trace_plot_survival(&fitted, folder, name, diag);
    }
    spot_sample_free(&sample);
    return ret;
}

/* Availability, hours, and the survival of gaps, spells and lifetimes. Draws on after an
 * error; returns the first one. */
static int pictures_of_trace(
    const spot_trace_t *trace, const char *folder, const char *name, spot_diag_t *diag)
{
    static const spot_sample_kind_t kinds[] = {SPOT_SAMPLE_PREEMPT_GAP, SPOT_SAMPLE_ADD_GAP,
        SPOT_SAMPLE_UP_SPELL, SPOT_SAMPLE_DOWN_SPELL, SPOT_SAMPLE_LIFETIME};
    int ret = spot_trace_plot_availability(trace, folder, name, diag);
    int error = spot_trace_plot_hours(trace, spot_hours_start_ms(trace), folder, name, diag);

    ret = ret != 0 ? ret : error;
    for (size_t j = 0; j < sizeof(kinds) / sizeof(kinds[0]); j++) {
        if (is_possible(trace, kinds[j])) {
            error = draw_sample(trace, kinds[j], folder, name, diag);
            ret = ret != 0 ? ret : error;
        }
    }
    return ret;
}

/* Draws what a description looks at; context is the call. */
static void draw(
    void *context, const char *path, const spot_trace_t *trace, const spot_lifetimes_t *lifetimes)
{
    spot_call_t *call = context;
    describe_arguments_t *arguments = call->arguments;
    const char *folder = arguments->svg_folder;
    const char *name = picture_name(call, path);
    const int ret = name == NULL    ? SPOT_ERR_NO_MEMORY
                    : trace != NULL ? pictures_of_trace(trace, folder, name, &call->diag)
                                    : pictures_of_lifetimes(lifetimes, folder, name, &call->diag);

    arguments->picture_error = spot_error_first(arguments->picture_error, ret);
}

/* Reads on after an error, so that all files are reported. The notebook's two logs are
 * one trace. */
static int describe_all(
    spot_call_t *call, size_t *num_descriptions, spot_description_t *descriptions)
{
    const describe_arguments_t *arguments = call->arguments;
    const size_t num_paths = arguments->paths.num_texts;
    const char *const *paths = arguments->paths.texts;
    spot_describe_request_t request = arguments->request;
    const int is_log = request.is_notebook && num_paths == 2 ? spot_describe_is_log(paths[0]) : 0;
    const bool has_logs = is_log == 1;
    int error = 0;

    if (is_log < 0) {
        return is_log;
    }
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
static int write_result(const describe_arguments_t *arguments, size_t num_descriptions,
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

static int describe_run(spot_call_t *call)
{
    describe_arguments_t *arguments = call->arguments;
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

const spot_verb_t spot_verb_trace_describe = {
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
    .options = describe_options,
    .arguments_bytes = sizeof(describe_arguments_t),
    .check = describe_check,
    .run = describe_run,
};
