/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "cli/command.h"
#include "reports/step_fit_report.h"

typedef struct {
    spot_step_fit_request_t request;
    const char *output_path; /* NULL: no table is written */
    bool is_json;
} arguments_t;

void spot_model_take_range(spot_call_t *call, const spot_option_t *option, const char *text)
{
    void *target = (char *) call->arguments + option->offset;
    spot_step_range_t *range = target;
    const bool is_depth = strcmp(option->name, "depths") == 0;
    int64_t *min = is_depth ? &range->min_depth : &range->min_pipelines;
    int64_t *max = is_depth ? &range->max_depth : &range->max_pipelines;
    const char *dash = strchr(text, '-');
    const size_t num_bytes = dash == NULL ? strlen(text) : (size_t) (dash - text);
    char first[24];

    snprintf(first, sizeof(first), "%.*s", (int) num_bytes, text);
    if (spot_integer_parse(first, min) != 0 ||
        spot_integer_parse(dash == NULL ? first : dash + 1, max) != 0 || *min < 1 || *max < *min ||
        *max > SPOT_MAX_INSTANCES) {
        spot_usage_error(call, "--%s: expected a range from 1 to %d such as 4-32, got \"%s\"",
            option->name, SPOT_MAX_INSTANCES, text);
    }
}

static const spot_option_t options[] = {
    SPOT_OPTION(ARGUMENT, "a table of step times by D and P", 0, "TABLE", request.table_path, NULL,
        .min = 1),
    SPOT_OPTION(WRITTEN, "output", 'o', "FULL.csv", output_path,
        "Write the table with its gaps filled by the formula; - is standard output, "
        "instead of the report",
        .endings = ".csv"),
    SPOT_OPTION(OWN, "pipelines", 0, "A-B", request.range,
        "Pipelines of the written table (default: from the fewest of TABLE to the most)",
        .settle = spot_model_take_range),
    SPOT_OPTION(OWN, "depths", 0, "A-B", request.range,
        "Its depths (default: from the least of TABLE to the most)",
        .settle = spot_model_take_range),
    SPOT_OPTION(COUNT, "instances", 0, "N", request.range.max_instances,
        "Most instances of its pairs (default: the most of TABLE)", .min = 1),
    SPOT_OPTION(COUNT, "layers", 0, "N", request.num_layers,
        "Layers of the model (default: \"layers: N\" in the header of TABLE)", .min = 1),
    SPOT_OPTION(COUNT, "samples-per-step", 0, "N", request.samples_per_step,
        "Samples of a step, its global batch (default: \"samples_per_step: N\" in the "
        "header)",
        .min = 1),
    SPOT_OPTION(COUNT, "micro-batch", 0, "N", request.micro_batch,
        "Samples of a micro-batch (default: \"micro_batch: N\" in the header)", .min = 1),
    SPOT_OPTION_JSON(is_json, "Print the fit as one JSON object"),
    SPOT_OPTION_END,
};

/* A table on standard output stands alone. */
static int fit(spot_call_t *call, const arguments_t *arguments, spot_step_grid_t *grid)
{
    const char *output_path = arguments->output_path;
    const char *table_path = arguments->request.table_path;
    spot_step_fit_t fit;
    spot_output_t output;
    FILE *out;
    int ret = spot_step_fit_grid(&arguments->request, grid, &fit, &call->diag);

    if (ret == 0 && output_path != NULL) {
        ret = spot_step_fit_write(&arguments->request, grid, &fit, output_path, &call->diag);
    }
    if (ret != 0 || (output_path != NULL && strcmp(output_path, "-") == 0)) {
        return ret;
    }
    out = spot_output_bytes(&output, NULL, &call->diag);
    if (out != NULL) {
        (arguments->is_json ? spot_step_fit_report_json : spot_step_fit_report_text)(
            &fit, table_path, out);
    }
    return spot_output_end(&output, 0);
}

static int run(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
    spot_step_grid_t grid;
    int ret = spot_step_grid_read(&grid, arguments->request.table_path, &call->diag);

    if (ret == 0) {
        call->is_reading = false;
        ret = fit(call, arguments, &grid);
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
           "error. The report has its errors, and the cost of choosing (D,P) by it. A "
           "scenario takes the written table by job.step_time: {table: FULL.csv}.",
    .examples = "  spotsim model fit steps.csv\n"
                "  spotsim model fit steps.csv --pipelines 1-8 --depths 4-32 \\\n"
                "      --instances 64 -o full.csv\n",
    .options = options,
    .arguments_bytes = sizeof(arguments_t),
    .run = run,
};
