/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "reports/traces/comparison_pictures.h"
#include "reports/traces/comparison_table.h"
#include "reports/traces/trace_pictures.h"
#include "traces/compare/comparison.h"

typedef struct {
    spot_option_list_t paths;
    spot_comparison_request_t request; /* its paths are those above */
    size_t num_limits;
    size_t max_limits;
    spot_comparison_limit_t *limits; /* [num_limits] */
    spot_target_t target;
    const char *csv_path;
    const char *svg_folder;
} arguments_t;

static const arguments_t initial = {.request = {.seed = 1, .num_replications = 400}};

static void add_limit(spot_call_t *call, const spot_option_t *option, const char *text)
{
    arguments_t *arguments = call->arguments;
    const char *equals = strchr(text, '=');
    char name[64];
    spot_comparison_limit_t limit;

    (void) option;
    snprintf(name, sizeof(name), "%.*s", equals == NULL ? 0 : (int) (equals - text), text);
    if (equals == NULL || spot_number_parse(equals + 1, &limit.value) != 0) {
        spot_usage_error(call, "--limit: expected METRIC=NUMBER, got \"%s\"", text);
    }
    limit.metric_id = spot_fidelity_metric_id(name);
    if (limit.metric_id < 0) {
        spot_suggest_t near;

        spot_suggest_init(&near, name);
        for (int j = 0; j < SPOT_FIDELITY_NUM_METRICS; j++) {
            spot_suggest_offer(&near, spot_fidelity_metrics[j].name);
        }
        spot_usage_error(
            call, "--limit: unknown metric \"%s\"%s", name, spot_option_hint(call, &near));
    }
    spot_option_reserve(&arguments->limits, &arguments->max_limits, arguments->num_limits + 1,
        sizeof(*arguments->limits));
    arguments->limits[arguments->num_limits++] = limit;
}

static const spot_option_t options[] = {
    SPOT_OPTION(
        ARGUMENTS, "two trace files, or model files and a trace file", 0, "TRACE", paths, NULL),
    SPOT_OPTION(FLAG, "halves", 0, NULL, request.is_halves,
        "Hold the second half of TRACE against its first one"),
    SPOT_OPTION(COUNT, "replications", 0, "R", request.num_replications,
        "Replications of each model (default 400)", .min = 1),
    SPOT_OPTION_SEED(request.seed),
    SPOT_OPTION(INPUT, "reference", 0, "FILE.csv", request.reference_path,
        "Earlier results, as --csv writes them: also print how many standard errors a "
        "model's means are off. Its row is the one of this trace whose \"model\" is the "
        "name of the file without .yaml, else the kind of the model: mrp, block, "
        "seed-corrected, seed-cell42, seed-loop, ..."),
    SPOT_OPTION(OWN, "limit", 0, "METRIC=X", limits,
        "Exit with 1 if the metric of what is compared exceeds X or is undefined; may "
        "be given several times",
        .settle = add_limit),
    SPOT_OPTION_JSON(target.is_json, "Print one JSON object instead of a table"),
    SPOT_OPTION(WRITTEN, "csv", 0, "FILE", csv_path,
        "Also write one row a column here; - is standard output, instead of the table",
        .endings = ".csv"),
    SPOT_OPTION(PICTURES, "svg", 0, "DIR", svg_folder,
        "Draw into this folder: TRACE-distances.svg, with --reference "
        "TRACE-reference.svg, and of each LABEL that is compared (of --halves: halves) "
        "TRACE-LABEL-compare.svg, the instances over time, and "
        "TRACE-LABEL-preempt-gap-compare.svg and -add-gap-compare.svg; of a model with "
        "the 5-95 % band of its replications. Each with its points as CSV"),
    SPOT_OPTION(WRITTEN, "output", 'o', "FILE", target.path,
        "Write the table here (default: standard output)"),
    SPOT_OPTION_END,
};

static void check(spot_call_t *call)
{
    arguments_t *arguments = call->arguments;
    const size_t num_paths = arguments->paths.num_texts;

    spot_usage_refuse(
        call, arguments->request.is_halves && num_paths != 1, "--halves: expected one trace file");
    spot_usage_refuse(call, !arguments->request.is_halves && num_paths < 2,
        "expected two trace files, or model files and a trace file");
    spot_option_check_ending(
        call, "-o", arguments->target.path, arguments->target.is_json ? ".json" : "");
    arguments->request.num_paths = num_paths;
    arguments->request.paths = arguments->paths.texts;
}

static int compare(
    spot_comparison_t *self, spot_call_t *call, const spot_comparison_inputs_t *inputs)
{
    const arguments_t *arguments = call->arguments;
    spot_progress_line_t line;
    const spot_watch_t watch = spot_progress_watch(&line, "replications", call->is_quiet);
    const int ret = spot_comparison_run(self, &arguments->request, inputs, &watch, &call->diag);

    spot_progress_finish(&line);
    return ret;
}

static int write_all(const spot_comparison_t *comparison, spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
    const spot_target_t *target = &arguments->target;
    spot_output_t output;
    FILE *out;
    int ret = 0;

    if (!call->is_quiet && (target->path != NULL || !spot_files_is_dash(arguments->csv_path))) {
        out = spot_output_begin(&output, target, &call->diag);
        if (out != NULL && target->is_json) {
            spot_comparison_json_write(comparison, out);
        } else if (out != NULL) {
            ret = spot_comparison_table_write(comparison, &output.terminal, out);
        }
        ret = spot_output_end(&output, ret);
    }
    if (ret == 0 && arguments->csv_path != NULL) {
        out = spot_output_bytes(&output, arguments->csv_path, &call->diag);
        if (out != NULL) {
            spot_comparison_csv_write(comparison, out);
        }
        ret = spot_output_end(&output, 0);
    }
    return ret;
}

static int draw_all(
    const spot_comparison_t *comparison, spot_call_t *call, const spot_comparison_inputs_t *inputs)
{
    const arguments_t *arguments = call->arguments;
    spot_progress_line_t line;
    const spot_watch_t watch = spot_progress_watch(&line, "replications drawn", call->is_quiet);
    const char *name =
        spot_pictures_name(&call->texts, arguments->paths.texts[arguments->paths.num_texts - 1]);
    const int ret = spot_pictures_of_comparison(
        comparison, &arguments->request, inputs, arguments->svg_folder, name, &watch, &call->diag);

    spot_progress_finish(&line);
    return ret;
}

static bool is_within_limits(const spot_comparison_t *comparison, const arguments_t *arguments)
{
    bool is_within = true;

    for (size_t j = spot_comparison_first_judged(comparison); j < comparison->num_columns; j++) {
        for (size_t k = 0; k < arguments->num_limits; k++) {
            const spot_comparison_limit_t *limit = &arguments->limits[k];
            const double value = comparison->columns[j].means[limit->metric_id];

            if (spot_comparison_is_within(&comparison->columns[j], limit)) {
                continue;
            }
            fprintf(stderr, "spotsim: %s: %s is ", comparison->columns[j].label,
                spot_fidelity_metrics[limit->metric_id].name);
            if (isnan(value)) {
                fprintf(stderr, "undefined, not within the limit of %g\n", limit->value);
            } else {
                fprintf(stderr, "%.6g, above the limit of %g\n", value, limit->value);
            }
            is_within = false;
        }
    }
    return is_within;
}

static int run(spot_call_t *call)
{
    arguments_t *arguments = call->arguments;
    spot_diag_t *diag = &call->diag;
    spot_comparison_t comparison = {0};
    spot_comparison_inputs_t input;
    int ret;

    ret = spot_comparison_inputs_read(&input, &arguments->request, diag);
    call->is_reading = ret != 0;
    ret = ret == 0 ? compare(&comparison, call, &input) : ret;
    ret = ret == 0 ? write_all(&comparison, call) : ret;
    if (ret == 0 && arguments->svg_folder != NULL) {
        ret = draw_all(&comparison, call, &input);
    }
    if (ret == 0 && !is_within_limits(&comparison, arguments)) {
        ret = SPOT_EXIT_FAILED;
    }
    spot_comparison_free(&comparison);
    spot_comparison_inputs_free(&input);
    free(arguments->limits);
    return ret;
}

const spot_command_t spot_command_trace_compare = {
    .name = "trace compare",
    .arguments = "A B\nMODEL... TRACE\n--halves TRACE",
    .summary = "How alike two traces are, or a trace and what models make of it",
    .doc = "Trace A is held against trace B, or the replications of each MODEL "
           "(spotsim-model: 1), with the length and first instances of TRACE, against "
           "it. All are recorded at one tick, at least 60 s and the coarsest "
           "resolution. Models are called as their files, a trace by its name, or as "
           "its file if both have the same name. Distances of 0 mean: the same. "
           "Beside them is how far the second half of the trace is from its first: "
           "tune no model below that. With a seed model among several models a table "
           "shows where and by how much the others beat it.\n\n"
           "Start with block (made of the trace itself) when there is a trace, with "
           "mrp when there are only parameters. Suggested limits: 1.5 times the "
           "reference of the same model. The output of --json explains each metric.",
    .examples = "  spotsim trace compare generated.csv recorded.csv\n"
                "  spotsim trace compare seed.yaml mrp.yaml block.yaml recorded.csv\n"
                "  spotsim trace compare block.yaml recorded.csv --replications 4000 \\\n"
                "      --limit ks_preempt_gap=0.15\n"
                "  spotsim trace compare --halves recorded.csv --json\n",
    .options = options,
    .quiet = "No table, warnings or progress; for --csv and --limit",
    .arguments_bytes = sizeof(arguments_t),
    .initial = &initial,
    .check = check,
    .run = run,
};
