/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/outfile.h"
#include "base/units.h"
#include "cli/command.h"
#include "models/pipeline_schedule.h"
#include "models/step_fit_file.h"

typedef struct {
    spot_step_fit_request_t request;
    const char *output_path; /* NULL: no table is written */
    bool is_json;
} arguments_t;

/* "4-32", or "8" for "8-8". */
static void
take_range(spot_call_t *call, const spot_option_t *option, const char *text)
{
    spot_step_range_t *range = &((arguments_t *) call->arguments)->request.range;
    const bool is_depth = strcmp(option->name, "depths") == 0;
    int64_t *min = is_depth ? &range->min_depth : &range->min_pipelines;
    int64_t *max = is_depth ? &range->max_depth : &range->max_pipelines;
    const char *dash = strchr(text, '-');
    const size_t num_bytes = dash == NULL ? strlen(text) : (size_t) (dash - text);
    char first[24];

    snprintf(first, sizeof(first), "%.*s", (int) num_bytes, text);
    if (spot_integer_parse(first, min) != 0 ||
        spot_integer_parse(dash == NULL ? first : dash + 1, max) != 0 || *min < 1 ||
        *max < *min || *max > SPOT_MAX_INSTANCES) {
        spot_usage_error(call,
            "--%s: expected a range from 1 to %d such as 4-32, got \"%s\"", option->name,
            SPOT_MAX_INSTANCES, text);
    }
}

static const spot_option_t options[] = {
    SPOT_OPTION(ARGUMENT, "a table of step times by D and P", 0, "TABLE",
        request.table_path, NULL, .min = 1),
    SPOT_OPTION(FILE, "output", 'o', "FULL.csv", output_path,
        "Write the table with its gaps filled by the formula; - is standard output, "
        "instead of the report",
        .endings = ".csv"),
    SPOT_OPTION(OWN, "pipelines", 0, "A-B", request,
        "Pipelines of the written table (default: from the fewest of TABLE to the most)",
        .settle = take_range),
    SPOT_OPTION(OWN, "depths", 0, "A-B", request,
        "Its depths (default: from the least of TABLE to the most)",
        .settle = take_range),
    SPOT_OPTION(COUNT, "instances", 0, "N", request.range.max_instances,
        "Most instances of its pairs (default: the most of TABLE)", .min = 1),
    SPOT_OPTION(COUNT, "layers", 0, "N", request.num_layers,
        "Layers of the model (default: \"layers: N\" in the header of TABLE)", .min = 1),
    SPOT_OPTION(COUNT, "samples-per-step", 0, "N", request.samples_per_step,
        "Samples of a step, its global batch (default: \"samples_per_step: N\" in the "
        "header)",
        .min = 1),
    SPOT_OPTION(COUNT, "micro-batch", 0, "N", request.micro_batch,
        "Samples of a micro-batch (default: \"micro_batch: N\" in the header)",
        .min = 1),
    SPOT_OPTION_JSON(is_json, "Print the fit as one JSON object"),
    SPOT_OPTION_END,
};

/* ---- The report ---- */

static const struct {
    const char *symbol;
    const char *key;
    const char *help;
} terms[SPOT_STEP_FIT_TERMS] = {
    [SPOT_STEP_FIT_LAYER] = {"c", "layer_ms",
        "a micro-batch in one layer, forward and backward"},
    [SPOT_STEP_FIT_STAGE] = {"h", "stage_ms",
        "a micro-batch in one stage besides its layers"},
    [SPOT_STEP_FIT_STEP] = {"g", "step_ms", "a step, whatever its pipelines"},
    [SPOT_STEP_FIT_REDUCE] = {"a", "reduce_ms",
        "the gradients of the whole model over one link"},
};

static const char *
plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

static void
write_error(const char *name, const spot_step_error_t *error, FILE *out)
{
    fprintf(out, "  %-13s %9.2f %% %9.2f %%  (D %" PRId32 ", P %" PRId32 ")\n", name,
        100 * error->mean, 100 * error->max, error->max_pipelines, error->max_depth);
}

static void
write_text(const spot_step_fit_t *fit, const char *path, FILE *out)
{
    const spot_step_choice_t *choice = &fit->choice;

    fprintf(out,
        "%s: %zu measured pair%s; %" PRId64 " layer%s, %" PRId64
        " samples a step, micro-batch %" PRId64 "\n\n",
        path, fit->num_pairs, plural((int64_t) fit->num_pairs), fit->num_layers,
        plural(fit->num_layers), fit->samples_per_step, fit->micro_batch);
    fprintf(out,
        "step = (M+P-1)(k c + h) + g + a 2(D-1)/(D P)\n"
        "M = ceil(%" PRId64 "/D) micro-batches, k = ceil(%" PRId64
        "/P) layers of the largest stage\n",
        spot_micro_batches(fit->samples_per_step, fit->micro_batch, 1),
        fit->num_layers - 1);
    for (size_t j = 0; j < SPOT_STEP_FIT_TERMS; j++) {
        fprintf(out, "  %s %12.3f ms  %s\n", terms[j].symbol, fit->ms[j], terms[j].help);
    }
    fprintf(out, "\nrelative error  mean      largest\n");
    write_error("the formula", &fit->error, out);
    write_error("a/N + b", &fit->by_instances_error, out);
    fprintf(out, "  a/N + b: N = D P instances, a %.3f ms, b %.3f ms\n",
        fit->by_instances_ms[0], fit->by_instances_ms[1]);
    fprintf(out,
        "\nthe fastest pair by the formula, for each N that the table has pairs for\n"
        "  is the fastest of the table for %" PRId64 " of %" PRId64 " N\n"
        "  throughput lost: mean %.2f %%, worst %.2f %%\n",
        choice->num_same, choice->num_fleets, 100 * choice->mean_regret,
        100 * choice->worst_regret);
}

static void
write_error_json(spot_json_t *json, const char *key, const spot_step_error_t *error)
{
    spot_json_open(json, key, '{');
    spot_json_number(json, "mean", error->mean);
    spot_json_number(json, "max", error->max);
    spot_json_integer(json, "max_D", error->max_pipelines);
    spot_json_integer(json, "max_P", error->max_depth);
    spot_json_close(json, '}');
}

static void
write_json(const spot_step_fit_t *fit, const char *path, FILE *out)
{
    spot_json_t json;

    spot_json_init(&json, out, 2);
    spot_json_open(&json, NULL, '{');
    spot_json_text(&json, "table", path);
    spot_json_integer(&json, "pairs", (int64_t) fit->num_pairs);
    spot_json_integer(&json, "samples_per_step", fit->samples_per_step);
    spot_json_integer(&json, "micro_batch", fit->micro_batch);
    spot_json_integer(&json, "layers", fit->num_layers);
    spot_json_open(&json, "coefficients", '{');
    for (size_t j = 0; j < SPOT_STEP_FIT_TERMS; j++) {
        spot_json_number(&json, terms[j].key, fit->ms[j]);
    }
    spot_json_close(&json, '}');
    spot_json_boolean(&json, "determined", fit->is_determined);
    write_error_json(&json, "relative_error", &fit->error);
    spot_json_open(&json, "by_instances", '{');
    spot_json_number(&json, "a_ms", fit->by_instances_ms[0]);
    spot_json_number(&json, "b_ms", fit->by_instances_ms[1]);
    write_error_json(&json, "relative_error", &fit->by_instances_error);
    spot_json_close(&json, '}');
    spot_json_open(&json, "choice", '{');
    spot_json_integer(&json, "fleets", fit->choice.num_fleets);
    spot_json_integer(&json, "same", fit->choice.num_same);
    spot_json_number(&json, "mean_regret", fit->choice.mean_regret);
    spot_json_number(&json, "worst_regret", fit->choice.worst_regret);
    spot_json_close(&json, '}');
    spot_json_close(&json, '}');
}

static int
report(const arguments_t *arguments, const spot_step_fit_t *fit, spot_diag_t *diag)
{
    spot_outfile_t file;
    int ret = spot_outfile_init(&file, NULL, diag);

    if (ret == 0) {
        (arguments->is_json ? write_json : write_text)(
            fit, arguments->request.table_path, file.stream);
    }
    return spot_outfile_close(&file, ret, diag);
}

static int
fit_and_tell(const arguments_t *arguments, spot_step_grid_t *grid, spot_diag_t *diag)
{
    const char *output_path = arguments->output_path;
    spot_step_fit_t fit;
    int ret = spot_files_check(
        (spot_files_t){1, (const char *[]){arguments->request.table_path}},
        (spot_files_t){1, (const char *[]){output_path}}, diag);

    if (ret == 0) {
        ret = spot_step_fit_grid(&arguments->request, grid, &fit, diag);
    }
    if (ret == 0 && output_path != NULL) {
        ret = spot_step_fit_write(&arguments->request, grid, &fit, output_path, diag);
    }
    if (ret == 0 && (output_path == NULL || strcmp(output_path, "-") != 0)) {
        ret = report(arguments, &fit, diag);
    }
    return ret;
}

static int
run(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
    spot_step_grid_t grid;
    int ret = spot_step_grid_read(&grid, arguments->request.table_path, &call->diag);

    if (ret == 0) {
        call->is_reading = false;
        ret = fit_and_tell(arguments, &grid, &call->diag);
    }
    spot_step_grid_free(&grid);
    return ret;
}

const spot_command_t spot_command_model_fit = {
    .name = "model fit",
    .arguments = "TABLE",
    .summary = "Fit a formula to step times by (D,P), and fill the gaps of their table",
    .doc = "TABLE is a CSV file with the columns D,P,step_ms and, if there, "
           "samples_per_s and origin: D pipelines of P stages, see "
           "spotsim-scenario(5). The formula is step = (M+P-1)(k c + h) + g + a "
           "2(D-1)/(D P) with M = ceil(samples_per_step/(micro_batch D)) and k = "
           "ceil((layers-1)/P); c, h, g, a >= 0 by least squares on the relative "
           "error. The report has the errors of the formula, and the cost of choosing "
           "(D,P) by it. A scenario takes the written table by job.step_time: {table: "
           "FULL.csv}.",
    .examples = "  spotsim model fit steps.csv\n"
                "  spotsim model fit steps.csv --pipelines 1-8 --depths 4-32 \\\n"
                "      --instances 64 -o full.csv\n",
    .options = options,
    .arguments_bytes = sizeof(arguments_t),
    .run = run,
};
