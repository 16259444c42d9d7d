/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "base/outfile.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/step_fit_report.h"
#include "models/step_fit_file.h"

enum {
    OPTION_LAYERS = 256,
    OPTION_SAMPLES,
    OPTION_MICRO_BATCH,
    OPTION_PIPELINES,
    OPTION_DEPTHS,
    OPTION_INSTANCES,
    OPTION_JSON
};

typedef struct {
    spot_step_fit_request_t request;
    const char *output_path; /* NULL: no table is written */
    bool is_json;
} arguments_t;

static const struct argp_option options[] = {
    {"output", 'o', "FULL.csv", 0,
        "Write the table with its gaps filled by the formula; - is standard output, "
        "instead of the report",
        0},
    {"pipelines", OPTION_PIPELINES, "A-B", 0,
        "Pipelines of the written table (default: from the fewest of TABLE to the most)",
        0},
    {"depths", OPTION_DEPTHS, "A-B", 0,
        "Its depths (default: from the least of TABLE to the most)", 0},
    {"instances", OPTION_INSTANCES, "N", 0,
        "Most instances of its pairs (default: the most of TABLE)", 0},
    {"layers", OPTION_LAYERS, "N", 0,
        "Layers of the model (default: \"layers: N\" in the header of TABLE)", 0},
    {"samples-per-step", OPTION_SAMPLES, "N", 0,
        "Samples of a step, its global batch (default: \"samples_per_step: N\" in the "
        "header)",
        0},
    {"micro-batch", OPTION_MICRO_BATCH, "N", 0,
        "Samples of a micro-batch (default: \"micro_batch: N\" in the header)", 0},
    {"json", OPTION_JSON, NULL, 0, "Print the fit as one JSON object", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

/* "4-32", or "8" for "8-8". */
static void
parse_range(struct argp_state *state, const char *option, const char *text, int64_t *min,
    int64_t *max)
{
    const char *dash = strchr(text, '-');
    const size_t num_bytes = dash == NULL ? strlen(text) : (size_t) (dash - text);
    char first[24];

    snprintf(first, sizeof(first), "%.*s", (int) num_bytes, text);
    if (spot_integer_parse(first, min) != 0 ||
        spot_integer_parse(dash == NULL ? first : dash + 1, max) != 0 || *min < 1 ||
        *max < *min || *max > SPOT_MAX_INSTANCES) {
        spot_option_error(state,
            "%s: expected a range from 1 to %d such as 4-32, got \"%s\"", option,
            SPOT_MAX_INSTANCES, text);
    }
}

static error_t
parse(int key, char *text, struct argp_state *state)
{
    arguments_t *arguments = state->input;
    spot_step_range_t *range = &arguments->request.range;

    switch (key) {
        case 'o':
            arguments->output_path = spot_option_file(state, "-o", text, ".csv");
            return 0;
        case OPTION_PIPELINES:
            parse_range(state, "--pipelines", text, &range->min_pipelines,
                &range->max_pipelines);
            return 0;
        case OPTION_DEPTHS:
            parse_range(state, "--depths", text, &range->min_depth, &range->max_depth);
            return 0;
        case OPTION_INSTANCES:
            range->max_instances = spot_option_integer(state, "--instances", text, 1);
            return 0;
        case OPTION_LAYERS:
            arguments->request.num_layers =
                spot_option_integer(state, "--layers", text, 1);
            return 0;
        case OPTION_SAMPLES:
            arguments->request.samples_per_step =
                spot_option_integer(state, "--samples-per-step", text, 1);
            return 0;
        case OPTION_MICRO_BATCH:
            arguments->request.micro_batch =
                spot_option_integer(state, "--micro-batch", text, 1);
            return 0;
        case OPTION_JSON:
            arguments->is_json = true;
            return 0;
        default:
            return spot_option_argument(state, key, text, &arguments->request.table_path,
                "a table of step times by D and P");
    }
}

static int
report(const arguments_t *arguments, const spot_step_fit_t *fit, spot_diag_t *diag)
{
    spot_outfile_t file;
    int ret = spot_outfile_init(&file, NULL, diag);

    if (ret == 0) {
        (arguments->is_json ? spot_step_fit_json : spot_step_fit_text)(
            fit, arguments->request.table_path, file.stream);
    }
    return spot_outfile_close(&file, ret, diag);
}

static int
fit_and_tell(const arguments_t *arguments, spot_step_grid_t *grid, spot_diag_t *diag)
{
    const char *output_path = arguments->output_path;
    spot_step_fit_t fit;
    int ret = spot_command_check_outputs(
        (spot_command_files_t){1, (const char *[]){arguments->request.table_path}},
        (spot_command_files_t){1, (const char *[]){output_path}}, diag);

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
run(int argc, char **argv)
{
    arguments_t arguments = {0};
    spot_step_grid_t grid;
    spot_diag_t diag;
    int exit_code, ret;

    spot_diag_init(&diag);
    spot_command_parse(&spot_command_model_fit, argc, argv, parse, &arguments);
    ret = spot_step_grid_read(&grid, arguments.request.table_path, &diag);
    if (ret != 0) {
        exit_code = spot_command_finish_reading(&diag, ret);
    } else {
        ret = fit_and_tell(&arguments, &grid, &diag);
        exit_code = spot_command_finish(&diag, ret);
    }
    spot_step_grid_free(&grid);
    return exit_code;
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
                "  spotsim model fit steps.csv --pipelines 1-8 --depths 4-32 "
                "--instances 64 -o full.csv\n",
    .options = options,
    .run = run,
};
