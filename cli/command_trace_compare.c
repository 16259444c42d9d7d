/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/outfile.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/compare_pictures.h"
#include "cli/interrupt.h"
#include "cli/pictures.h"
#include "cli/progress_line.h"
#include "traces/compare/comparison_inputs.h"

enum {
    OPTION_HALVES = 256,
    OPTION_REPLICATIONS,
    OPTION_SEED,
    OPTION_REFERENCE,
    OPTION_LIMIT,
    OPTION_JSON,
    OPTION_CSV,
    OPTION_SVG
};

#define DEFAULT_REPLICATIONS 400

typedef struct {
    spot_option_list_t paths;
    spot_comparison_request_t request; /* its paths are those above */
    size_t num_limits;
    size_t max_limits;
    spot_comparison_limit_t *limits; /* [num_limits] */
    bool is_json;
    bool is_quiet;
    const char *csv_path;
    const char *svg_folder;
    const char *output_path;
} arguments_t;

static const struct argp_option options[] = {
    {"halves", OPTION_HALVES, NULL, 0,
        "Hold the second half of TRACE against its first one", 0},
    {"replications", OPTION_REPLICATIONS, "R", 0,
        "Replications of each model (default 400)", 0},
    {"seed", OPTION_SEED, "N", 0, "Seed of the random streams (default 1)", 0},
    {"reference", OPTION_REFERENCE, "FILE.csv", 0,
        "Earlier results, as --csv writes them: also print how many standard errors a "
        "model's means are off. Its row is the one of this trace whose \"model\" is the "
        "name of the file without .yaml, else the kind of the model: mrp, block, "
        "seed-corrected, seed-cell42, seed-loop, ...",
        0},
    {"limit", OPTION_LIMIT, "METRIC=X", 0,
        "Exit with 1 if the metric of what is compared exceeds X or is undefined; may "
        "be given several times",
        0},
    {"json", OPTION_JSON, NULL, 0, "Print one JSON object instead of a table", 0},
    {"csv", OPTION_CSV, "FILE", 0, "Also write one row a column here", 0},
    {"svg", OPTION_SVG, "DIR", 0,
        "Draw into this folder: TRACE-distances.svg, with --reference "
        "TRACE-reference.svg, and of each LABEL that is compared (of --halves: halves) "
        "TRACE-LABEL-compare.svg, the instances over time, and "
        "TRACE-LABEL-preempt-gap-compare.svg and -add-gap-compare.svg; of a model with "
        "the 5-95 % band of its replications. Each with its points as CSV (needs "
        "gnuplot)",
        0},
    {"output", 'o', "FILE", 0, "Write the table here (default: standard output)", 0},
    {"quiet", 'q', NULL, 0, "No table, warnings or progress; for --csv and --limit", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

static void
add_limit(arguments_t *arguments, struct argp_state *state, const char *text)
{
    const char *equals = strchr(text, '=');
    char name[64];
    spot_comparison_limit_t limit;

    snprintf(
        name, sizeof(name), "%.*s", equals == NULL ? 0 : (int) (equals - text), text);
    if (equals == NULL || spot_number_parse(equals + 1, &limit.value) != 0) {
        spot_option_error(state, "--limit: expected METRIC=NUMBER, got \"%s\"", text);
    }
    limit.metric_id = spot_fidelity_metric_id(name);
    if (limit.metric_id < 0) {
        spot_suggest_t near;

        spot_suggest_init(&near, name);
        for (int j = 0; j < SPOT_FIDELITY_NUM_METRICS; j++) {
            spot_suggest_offer(&near, spot_fidelity_metrics[j].name);
        }
        spot_option_error(state, "--limit: unknown metric \"%s\"%s%s%s", name,
            near.nearest != NULL ? ", did you mean \"" : "",
            near.nearest != NULL ? near.nearest : "", near.nearest != NULL ? "\"?" : "");
    }
    if (spot_array_reserve(&arguments->limits, &arguments->max_limits,
            arguments->num_limits + 1, sizeof(*arguments->limits)) != 0) {
        argp_failure(state, SPOT_EXIT_FAILED, 0, "out of memory");
    }
    arguments->limits[arguments->num_limits++] = limit;
}

static void
check_arguments(const arguments_t *arguments, struct argp_state *state)
{
    const size_t num_paths = arguments->paths.num_texts;

    if (arguments->request.is_halves && num_paths != 1) {
        spot_option_error(state, "--halves: expected one trace file");
    }
    if (!arguments->request.is_halves && num_paths < 2) {
        spot_option_error(
            state, "expected two trace files, or model files and a trace file");
    }
    if (arguments->output_path != NULL) {
        (void) spot_option_file(
            state, "-o", arguments->output_path, arguments->is_json ? ".json" : "");
    }
}

static error_t
parse(int key, char *text, struct argp_state *state)
{
    arguments_t *arguments = state->input;

    switch (key) {
        case OPTION_HALVES:
            arguments->request.is_halves = true;
            return 0;
        case OPTION_REPLICATIONS:
            arguments->request.num_replications =
                spot_option_integer(state, "--replications", text, 1);
            return 0;
        case OPTION_SEED:
            arguments->request.seed = spot_option_integer(state, "--seed", text, 0);
            return 0;
        case OPTION_REFERENCE:
            arguments->request.reference_path = text;
            return 0;
        case OPTION_LIMIT:
            add_limit(arguments, state, text);
            return 0;
        case OPTION_JSON:
            arguments->is_json = true;
            return 0;
        case OPTION_CSV:
            arguments->csv_path = spot_option_file(state, "--csv", text, ".csv");
            return 0;
        case OPTION_SVG:
            arguments->svg_folder = text;
            return 0;
        case 'o':
            arguments->output_path = text;
            return 0;
        case 'q':
            arguments->is_quiet = true;
            return 0;
        case ARGP_KEY_ARG:
            spot_option_list_add(&arguments->paths, text);
            return 0;
        case ARGP_KEY_END:
            check_arguments(arguments, state);
            arguments->request.num_paths = arguments->paths.num_texts;
            arguments->request.paths = arguments->paths.texts;
            return 0;
        default:
            return ARGP_ERR_UNKNOWN;
    }
}

static int
compare(spot_comparison_t *self, const arguments_t *arguments,
    const spot_comparison_inputs_t *inputs, spot_diag_t *diag)
{
    spot_progress_line_t line;
    const spot_watch_t watch =
        spot_progress_line_start(&line, "replications", arguments->is_quiet);
    const int ret = spot_comparison_run(self, &arguments->request, inputs, &watch, diag);

    spot_progress_line_finish(&line);
    return ret;
}

static int
write_file(const spot_comparison_t *comparison,
    void (*write)(const spot_comparison_t *, FILE *), const char *path,
    spot_diag_t *diag)
{
    spot_outfile_t file;
    const int ret = spot_outfile_init(&file, path, diag);

    if (ret == 0) {
        write(comparison, file.stream);
    }
    return spot_outfile_close(&file, ret, diag);
}

static int
write_all(
    const spot_comparison_t *comparison, const arguments_t *arguments, spot_diag_t *diag)
{
    int ret = 0;

    if (!arguments->is_quiet) {
        ret = write_file(comparison,
            arguments->is_json ? spot_comparison_json_write : spot_comparison_text_write,
            arguments->output_path, diag);
    }
    if (ret == 0 && arguments->csv_path != NULL) {
        ret =
            write_file(comparison, spot_comparison_csv_write, arguments->csv_path, diag);
    }
    return ret;
}

/* The pictures of all columns, and those of each one that was added. */
static int
draw_all(const spot_comparison_t *comparison, const arguments_t *arguments,
    const spot_comparison_inputs_t *input, spot_diag_t *diag)
{
    spot_progress_line_t line;
    const spot_watch_t watch =
        spot_progress_line_start(&line, "replications drawn", arguments->is_quiet);
    const char *path = arguments->paths.texts[arguments->paths.num_texts - 1];
    const spot_comparison_column_t *columns =
        comparison->columns + SPOT_COMPARISON_FIRST;
    char *name = spot_pictures_name(path);
    spot_picture_place_t place = {.folder = arguments->svg_folder, .name = name};
    int error;

    if (name == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    error = spot_pictures_of_comparison(comparison, place.folder, name, diag);
    if (arguments->request.is_halves) {
        const int ret = spot_pictures_of_halves(comparison, place.folder, name, diag);

        error = spot_error_first(error, ret);
    }
    if (input->has_other) {
        place.label = columns[0].label;
        error = spot_error_first(error, spot_pictures_of_other(comparison, &input->trace,
                                            &input->other, &place, diag));
    }
    for (size_t j = 0; j < input->num_models && error != SPOT_ERR_INTERRUPTED; j++) {
        const spot_replicate_t replicate = spot_comparison_replicate(comparison,
            &input->models[j].model, arguments->request.num_replications, &watch);

        place.label = columns[j].label;
        error = spot_error_first(error,
            spot_pictures_of_model(comparison, &replicate, &input->trace, &place, diag));
    }
    spot_progress_line_finish(&line);
    free(name);
    return error;
}

static bool
is_within_limits(const spot_comparison_t *comparison, const arguments_t *arguments)
{
    bool is_within = true;

    for (size_t j = spot_comparison_first_judged(comparison);
         j < comparison->num_columns; j++) {
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

static int
run(int argc, char **argv)
{
    arguments_t arguments = {
        .request = {.seed = 1, .num_replications = DEFAULT_REPLICATIONS}};
    spot_comparison_t comparison = {0};
    spot_comparison_inputs_t input;
    spot_diag_t diag;
    int exit_code, ret;

    spot_diag_init(&diag);
    spot_command_parse(&spot_command_trace_compare, argc, argv, parse, &arguments);
    spot_interrupt_watch();
    ret = spot_comparison_inputs_read(&input, &arguments.request, &diag);
    ret =
        spot_error_first(ret, spot_pictures_check("--svg", arguments.svg_folder, &diag));
    if (ret != 0) {
        exit_code = spot_command_finish_reading(&diag, ret);
    } else {
        ret = spot_command_check_outputs(
            (spot_command_files_t){arguments.paths.num_texts, arguments.paths.texts},
            (spot_command_files_t){
                2, (const char *[]){arguments.output_path, arguments.csv_path}},
            &diag);
        ret = ret == 0 ? compare(&comparison, &arguments, &input, &diag) : ret;
        if (ret == 0) {
            ret = write_all(&comparison, &arguments, &diag);
        }
        if (ret == 0 && arguments.svg_folder != NULL) {
            ret = draw_all(&comparison, &arguments, &input, &diag);
        }
        if (arguments.is_quiet) {
            spot_diag_drop_warnings(&diag);
        }
        exit_code = spot_command_finish(&diag, ret);
    }
    if (ret == 0 && !is_within_limits(&comparison, &arguments)) {
        exit_code = SPOT_EXIT_FAILED;
    }
    spot_comparison_free(&comparison);
    spot_comparison_inputs_free(&input);
    free(arguments.limits);
    free(arguments.paths.texts);
    return exit_code;
}

const spot_command_t spot_command_trace_compare = {
    .name = "trace compare",
    .arguments = "A B\nMODEL... TRACE\n--halves TRACE",
    .summary = "How alike two traces are, or a trace and what models make of it",
    .doc =
        "Trace A is held against trace B, or the replications of each MODEL "
        "(spotsim-model: 1) against TRACE: they have its length and start with its "
        "instances. All are recorded at one tick, at least 60 s and the coarsest "
        "resolution. Models are called as their files, a trace by its name, or as its "
        "file if both have the same name. Distances of 0 mean: the same. Beside them "
        "stands how far the second half of the trace is from its first: no model "
        "should be tuned below that. With a seed model among several models a table "
        "shows where and by how much the others beat it.\n\nWhich model to start with: "
        "block (made of the trace itself) when there is a trace, mrp when there are "
        "only parameters. Suggested limits: 1.5 times the reference of the same model. "
        "What each metric means stands in the output of --json.",
    .examples = "  spotsim trace compare generated.csv recorded.csv\n"
                "  spotsim trace compare seed.yaml mrp.yaml block.yaml recorded.csv\n"
                "  spotsim trace compare block.yaml recorded.csv --replications 4000 "
                "--limit ks_preempt_gap=0.15\n"
                "  spotsim trace compare --halves recorded.csv --json\n",
    .options = options,
    .run = run,
};
