/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/command.h"
#include "cli/schedule_log.h"
#include "traces/jobs/job_file.h"

typedef struct {
    const char *log_path;
    const spot_job_preset_t *preset; /* NULL: none */
    const char *origin, *begin, *end;
    int clock;
    size_t num_rules;
    size_t max_rules;
    spot_vc_rule_t *rules; /* [num_rules] those of --vc before those of the preset */
    spot_job_window_t window;
    const char *vcs_path;
    const char *output_path;
    const char *coverage_path;
    int64_t gpus_per_node;
    int short_rule; /* spot_short_rule_t */
    bool is_strict;
} arguments_t;

static const arguments_t initial = {.gpus_per_node = 8};

static const char *const clocks[] = {"first", "origin", NULL};

static const char *preset_name(size_t j)
{
    return spot_job_presets[j].name;
}

static const char *preset_doc(size_t j, const char **name)
{
    *name = spot_job_presets[j].name;
    return spot_job_presets[j].doc;
}

static void take_preset(spot_call_t *call, const spot_option_t *option, const char *text)
{
    arguments_t *arguments = call->arguments;

    (void) option;
    for (size_t j = 0; spot_job_presets[j].name != NULL; j++) {
        if (strcmp(spot_job_presets[j].name, text) == 0) {
            arguments->preset = &spot_job_presets[j];
        }
    }
}

static void add_rule(arguments_t *arguments, const spot_vc_rule_t *rule)
{
    spot_option_reserve(&arguments->rules, &arguments->max_rules, arguments->num_rules + 1,
        sizeof(*arguments->rules));
    arguments->rules[arguments->num_rules++] = *rule;
}

static void take_rule(spot_call_t *call, const spot_option_t *option, const char *text)
{
    const char *equals = strchr(text, '=');
    spot_vc_rule_t rule;

    if (equals == NULL || equals == text) {
        spot_usage_error(
            call, "--%s: expected FROM=TO, or FROM= to drop, got \"%s\"", option->name, text);
    } else {
        rule.from = spot_texts_add(&call->texts, "%.*s", (int) (equals - text), text);
        rule.to = equals + 1;
        add_rule(call->arguments, &rule);
    }
}

static const spot_option_t options[] = {
    SPOT_OPTION(ARGUMENT, "a job log", 0, "LOG", log_path, NULL, .min = 1),
    SPOT_OPTION(OWN, "preset", 0, "NAME", preset,
        "Origin, window and names of VCs of a published log", .what = "preset",
        .words = preset_name, .settle = take_preset),
    SPOT_OPTION(TEXT, "origin", 0, "TIME", origin,
        "Drop what was submitted before, YYYY-MM-DD hh:mm:ss or seconds as in the log",
        .example = "\"2020-04-01 00:00:00\""),
    SPOT_OPTION(
        TEXT, "begin", 0, "TIME", begin, "Keep what was submitted from then on, on the clock"),
    SPOT_OPTION(TEXT, "end", 0, "TIME", end, "Keep what was submitted up to then"),
    SPOT_OPTION(CHOICE, "clock", 0, "first|origin", clock,
        "Second 0 of the clock: the first submit that is left before the window is cut "
        "(default), or the origin",
        .choices = clocks),
    SPOT_OPTION(OWN, "vc", 0, "FROM=TO", rules,
        "Rename a VC, before the preset does; FROM= drops it, *=TO renames all others. "
        "May be given several times",
        .settle = take_rule),
    SPOT_OPTION_VCS(vcs_path),
    SPOT_OPTION_GPUS_PER_NODE(gpus_per_node),
    SPOT_OPTION_SHORT(short_rule),
    SPOT_OPTION_STRICT(is_strict),
    SPOT_OPTION_LOG_OUTPUT(output_path),
    SPOT_OPTION(WRITTEN, "coverage", 0, "FILE", coverage_path,
        "Write the coverage here (default: import.csv in the folder of the log)",
        .endings = ".csv"),
    SPOT_OPTION_END,
};

/* What was not given is that of the preset. */
static void take_window(arguments_t *arguments, spot_call_t *call)
{
    static const spot_job_preset_t none = {.name = NULL};
    const spot_job_preset_t *preset = arguments->preset == NULL ? &none : arguments->preset;
    const char *origin = arguments->origin == NULL ? preset->origin : arguments->origin;
    const char *begin = arguments->begin == NULL ? preset->begin : arguments->begin;
    const char *end = arguments->end == NULL ? preset->end : arguments->end;
    const char *problem = spot_job_window_set(&arguments->window, origin, begin, end);

    if (problem != NULL) {
        spot_usage_error(call, "--origin, --begin, --end: %s", problem);
    }
    spot_usage_refuse(call, arguments->clock == 1 && origin == NULL,
        "--clock origin needs an origin: --origin TIME");
    arguments->window.is_origin_zero = arguments->clock == 1;
    for (size_t j = 0; j < preset->num_vc_rules; j++) {
        add_rule(arguments, &preset->vc_rules[j]);
    }
}

static void check(spot_call_t *call)
{
    arguments_t *arguments = call->arguments;
    const char *path = arguments->output_path == NULL ? "" : arguments->output_path;
    const char *slash = strrchr(path, '/');

    take_window(arguments, call);
    spot_usage_refuse(call, arguments->is_strict && arguments->vcs_path == NULL,
        "--strict needs the VCs of the cluster: --vcs FILE");
    if (arguments->coverage_path == NULL) {
        arguments->coverage_path = spot_texts_add(
            &call->texts, "%.*simport.csv", slash == NULL ? 0 : (int) (slash - path) + 1, path);
    }
}

/* The coverage is for people on standard error, whatever its width, and for programs in
 * its file. */
static int write_coverage(spot_call_t *call, spot_schedule_log_t *input)
{
    const arguments_t *arguments = call->arguments;
    const spot_terminal_t terminal = spot_terminal_of_output(true);
    spot_coverage_t coverage;
    int ret = spot_schedule_log_cover(input, arguments->gpus_per_node, &coverage);

    if (ret == 0 && !call->is_quiet) {
        ret = spot_coverage_write_text(&coverage, &terminal, stderr);
    }
    return ret != 0 ? ret : spot_schedule_coverage_write(call, &coverage, arguments->coverage_path);
}

static int run(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
    const spot_job_preset_t *preset = arguments->preset;
    spot_job_log_request_t request = {.log = arguments->log_path,
        .is_strict = arguments->is_strict,
        .short_rule = (spot_short_rule_t) arguments->short_rule,
        .num_vc_rules = arguments->num_rules,
        .vc_rules = arguments->rules,
        .num_state_rules = preset == NULL ? 0 : preset->num_state_rules,
        .state_rules = preset == NULL ? NULL : preset->state_rules,
        .window = &arguments->window};
    spot_schedule_log_t input = {0};
    int ret = spot_schedule_log_read(&input, arguments->vcs_path, &request, &call->diag);

    if (ret == 0) {
        call->is_reading = false;
        ret = spot_schedule_log_write(call, &input, arguments->output_path);
    }
    ret = ret == 0 ? write_coverage(call, &input) : ret;
    spot_schedule_log_free(&input);
    free(arguments->rules);
    return ret;
}

const spot_command_t spot_command_schedule_import = {
    .name = "schedule import",
    .arguments = "LOG",
    .summary = "Make a job log of a raw log: a window of time, VCs renamed or dropped",
    .doc = "LOG is a CSV file with the columns of job logs, in any order; others are "
           "ignored. In this order: rows without GPUs are dropped; VCs are renamed or "
           "dropped; what was submitted before the origin is dropped; second 0 of the "
           "clock is the first submit that is left; what is outside the window is "
           "dropped, whose bounds count in seconds from the origin. The coverage, what "
           "was dropped and what is left by VC, goes to standard error and to "
           "import.csv.\n\n"
           "Never take the capacity of a cluster from a trace's list of machines: it is "
           "an input of its own, --vcs. Presets:",
    .examples = "  spotsim schedule import cluster_log.csv --preset helios-sept \\\n"
                "      --vcs vcs.csv -o venus.csv.gz\n"
                "  spotsim schedule import raw.csv --vc \"old=new\" --vc \"test=\" \\\n"
                "      --begin \"2024-03-04 00:00:00\" -o week.csv\n",
    .options = options,
    .item = preset_doc,
    .arguments_bytes = sizeof(arguments_t),
    .initial = &initial,
    .check = check,
    .run = run,
};
