/* SPDX-License-Identifier: GPL-3.0-or-later */
/* spotsim trace generate: traces of a model of traces, or of the one that a scenario has. */
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/provenance.h"
#include "base/units.h"
#include "base/verb/verb.h"
#include "sim/train/job/scenario.h"
#include "traces/generate/generate.h"
#include "traces/trace.h"

typedef struct {
    const char *model_path;
    const char *output_path;
    const char *name;
    int64_t horizon_ms; /* 0: the model's own */
    int kind;           /* -1: the model's own */
    int64_t seed;
    int64_t replication;
    int64_t num_replications; /* 0: one, to a file */
    spot_option_list_t sets;
} generate_arguments_t;

static const generate_arguments_t generate_initial = {.seed = 1, .kind = -1};

/* In the order of spot_trace_kind_t. */
static const char *const kinds[] = {"named", "counts", NULL};

#undef SPOT_OPTIONS_OF
#define SPOT_OPTIONS_OF generate_arguments_t

static const spot_option_t generate_options[] = {
    SPOT_OPTION(ARGUMENT, "a model or scenario file", 0, "MODEL", model_path, NULL, .min = 1),
    SPOT_OPTION(FILE, "output", 'o', "FILE", output_path,
        "Write the trace here, compressed if it ends in .gz (default: standard output); "
        "with --replications a folder"),
    SPOT_OPTION(DURATION, "horizon", 0, "DURATION", horizon_ms,
        "Length of the trace (default: the model's own)", .example = "\"30 d\"", .min = 1),
    SPOT_OPTION(CHOICE, "kind", 0, "named|counts", kind,
        "Whether instances are named (default: the model's own, else named)", .choices = kinds),
    SPOT_OPTION_SEED(seed),
    SPOT_OPTION(COUNT, "replication", 0, "R", replication,
        "Which replication of the seed to generate (default 0)"),
    SPOT_OPTION(COUNT, "replications", 0, "N", num_replications,
        "Write N replications into the folder -o as NAME.0000.csv ...", .min = 1),
    SPOT_OPTION(TEXT, "name", 0, "NAME", name, "Name of the trace (default: the model's own)"),
    SPOT_OPTION(TEXTS, "set", 0, "KEY=VALUE", sets,
        "Set a key of the model or scenario; may be given several times"),
    SPOT_OPTION_END,
};

static void generate_check(spot_call_t *call)
{
    const generate_arguments_t *arguments = call->arguments;

    spot_usage_refuse(call, arguments->num_replications > 0 && arguments->output_path == NULL,
        "--replications needs a folder: -o FOLDER");
    spot_usage_refuse(call,
        arguments->num_replications > 0 && spot_files_is_dash(arguments->output_path),
        "-o: --replications needs a folder, \"-\" is standard output; \"./-\" is one");
    if (arguments->num_replications == 0) {
        spot_option_check_ending(call, "-o", arguments->output_path, ".csv or .gz");
    }
    spot_usage_refuse(call, arguments->num_replications > INT64_MAX - arguments->replication,
        "--replications: too many");
    spot_usage_refuse(call, arguments->name != NULL && strpbrk(arguments->name, ",\"\n/") != NULL,
        "--name: no comma, quote, slash or line end");
}

/* A scenario has warned of its own horizon. */
static void warn_of_end(const generate_arguments_t *arguments, const spot_trace_source_t *input,
    int64_t horizon_ms, spot_diag_t *diag)
{
    const int64_t end_ms = spot_trace_model_end_ms(input->model);
    const bool is_told = input->is_scenario && arguments->horizon_ms == 0;

    if (end_ms > 0 && end_ms < horizon_ms && !is_told) {
        char end[SPOT_DURATION_TEXT_BYTES];

        spot_duration_text(end_ms, end);
        spot_diag_warn(diag, arguments->model_path, 0, 0,
            "the horizon is beyond the end of the trace (%s): its last instances stay", end);
    }
}

static int generate(spot_call_t *call, spot_trace_source_t *input, spot_counter_t *line)
{
    const generate_arguments_t *arguments = call->arguments;
    spot_diag_t *diag = &call->diag;
    const spot_model_common_t *common = spot_trace_model_common(input->model);
    const spot_generate_t task = {.seed = (uint64_t) arguments->seed,
        .replication = (uint64_t) arguments->replication,
        .horizon_ms = arguments->horizon_ms > 0 ? arguments->horizon_ms : common->horizon_ms,
        .kind = (spot_trace_kind_t) (arguments->kind >= 0 ? arguments->kind : common->kind),
        .name = arguments->name != NULL ? arguments->name
                : input->name != NULL   ? input->name
                                        : "generated",
        .version = spot_build_info.version,
        .watch = spot_counter_watch(line, "traces", call->is_quiet)};

    if (task.horizon_ms == 0) {
        spot_diag_error(diag, arguments->model_path, 0, 0,
            "the model has no horizon_s: expected --horizon DURATION");
        return SPOT_ERR_BAD_INPUT;
    }
    if (arguments->num_replications == 0) {
        const int ret = spot_files_check((spot_files_t){1, &arguments->model_path},
            (spot_files_t){1, &arguments->output_path}, diag);

        if (ret != 0) {
            return ret;
        }
    }
    warn_of_end(arguments, input, task.horizon_ms, diag);
    spot_trace_model_set_horizon(input->model, task.horizon_ms);
    if (arguments->num_replications > 0) {
        return spot_generate_several(
            input->model, &task, arguments->num_replications, arguments->output_path, diag);
    }
    return spot_generate(input->model, &task, arguments->output_path, diag);
}

static int generate_run(spot_call_t *call)
{
    const generate_arguments_t *arguments = call->arguments;
    spot_trace_source_t input;
    spot_counter_t line;
    int ret;

    ret = spot_trace_source_read(&input, arguments->model_path, arguments->sets.num_texts,
        arguments->sets.texts, &call->diag);
    if (ret == 0) {
        call->is_reading = false;
        ret = generate(call, &input, &line);
        spot_counter_finish(&line);
    }
    spot_trace_source_free(&input);
    return ret;
}

const spot_verb_t spot_verb_trace_generate = {
    .name = "trace generate",
    .arguments = "MODEL",
    .summary = "Write a synthetic trace of preemptions and additions",
    .doc = "MODEL is a model file (spotsim-model: 1) or a scenario whose trace is "
           "generated: its runs meet exactly the named trace of the same seed and "
           "replication.\n\n"
           "Generators and their keys: spotsim-trace(5). The seed generator also has "
           "the two forms of the seed study's notebook (variant: cell42 or loop) with "
           "its defects (compat: notebook, or a list of them). A replication in which "
           "more instances are preempted than live fails there, unless the model says "
           "overdraw: clip; one that may pass the capacity is written as unbounded.",
    .examples = "  spotsim trace generate seed-64.yaml -o trace.csv\n"
                "  spotsim trace generate model.yaml --horizon \"30 d\" --seed 7 \\\n"
                "      -o month.csv.gz\n"
                "  spotsim trace generate seed-64.yaml --replications 100 -o traces/\n",
    .options = generate_options,
    .arguments_bytes = sizeof(generate_arguments_t),
    .initial = &generate_initial,
    .check = generate_check,
    .run = generate_run,
};
