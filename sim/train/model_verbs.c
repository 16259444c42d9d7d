/* SPDX-License-Identifier: GPL-3.0-or-later */
/* spotsim model fit, estimate, presets, and profile: step times and what is measured of a model. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/units.h"
#include "base/verb/verb.h"
#include "models/profile.h"
#include "models/step_fit.h"
#include "models/step_time.h"
#include "sim/train/experiment.h"
#include "sim/train/job/scenario.h"

/* ---- A fit in words ---- */

/* What `spotsim model fit` reports of a formula that was fitted to the table at path. */

static const struct {
    const char *symbol;
    const char *key;
    const char *help;
} terms[SPOT_STEP_FIT_TERMS] = {
    [SPOT_STEP_FIT_LAYER] = {"c", "layer_ms", "a micro-batch in one layer, forward and backward"},
    [SPOT_STEP_FIT_STAGE] = {"h", "stage_ms", "a micro-batch in one stage besides its layers"},
    [SPOT_STEP_FIT_STEP] = {"g", "step_ms", "a step, whatever its pipelines"},
    [SPOT_STEP_FIT_REDUCE] = {"a", "reduce_ms", "the gradients of the whole model over one link"},
};

static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

static void write_error(const char *name, const spot_step_error_t *error, FILE *out)
{
    fprintf(out, "  %-13s %9.2f %% %9.2f %%  (D %" PRId32 ", P %" PRId32 ")\n", name,
        100 * error->mean, 100 * error->max, error->max_pipelines, error->max_depth);
}

static void step_fit_report_text(const spot_step_fit_t *fit, const char *path, FILE *out)
{
    const spot_step_choice_t *choice = &fit->choice;

    fprintf(out,
        "%s: %zu %s pair%s; %" PRId64 " layer%s, %" PRId64 " samples a step, micro-batch %" PRId64
        "\n\n",
        path, fit->num_pairs, fit->num_estimated > 0 ? "given" : "measured",
        plural((int64_t) fit->num_pairs), fit->num_layers, plural(fit->num_layers),
        fit->samples_per_step, fit->micro_batch);
    fprintf(out,
        "step = (M+P-1)(k c + h) + g + a 2(D-1)/(D P)\n"
        "M = ceil(%" PRId64 "/D) micro-batches, k = ceil(%" PRId64
        "/P) layers of the largest stage\n",
        spot_micro_batches(fit->samples_per_step, fit->micro_batch, 1), fit->num_layers - 1);
    for (size_t j = 0; j < SPOT_STEP_FIT_TERMS; j++) {
        fprintf(out, "  %s %12.3f ms  %s\n", terms[j].symbol, fit->ms[j], terms[j].help);
    }
    fprintf(out, "\nrelative error  mean      largest\n");
    write_error("the formula", &fit->error, out);
    write_error("a/N + b", &fit->by_instances_error, out);
    fprintf(out, "  a/N + b: N = D P instances, a %.3f ms, b %.3f ms\n", fit->by_instances_ms[0],
        fit->by_instances_ms[1]);
    fprintf(out,
        "\nthe fastest pair by the formula, for each N that the table has pairs for\n"
        "  is the fastest of the table for %" PRId64 " of %" PRId64 " N\n"
        "  throughput lost: mean %.2f %%, worst %.2f %%\n",
        choice->num_same, choice->num_fleets, 100 * choice->mean_regret,
        100 * choice->worst_regret);
}

static void write_error_json(spot_json_t *json, const char *key, const spot_step_error_t *error)
{
    spot_json_open(json, key, '{');
    spot_json_number(json, "mean", error->mean);
    spot_json_number(json, "max", error->max);
    spot_json_integer(json, "max_D", error->max_pipelines);
    spot_json_integer(json, "max_P", error->max_depth);
    spot_json_close(json, '}');
}

static void step_fit_report_json(const spot_step_fit_t *fit, const char *path, FILE *out)
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

/* ---- spotsim model fit ---- */

typedef struct {
    spot_step_fit_request_t request;
    const char *output_path; /* NULL: no table is written */
    bool is_json;
} fit_arguments_t;

static void take_range(spot_call_t *call, const spot_option_t *option, const char *text)
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

#undef SPOT_OPTIONS_OF
#define SPOT_OPTIONS_OF fit_arguments_t

static const spot_option_t fit_options[] = {
    SPOT_OPTION(ARGUMENT, "a table of step times by D and P", 0, "TABLE", request.table_path, NULL,
        .min = 1),
    SPOT_OPTION(WRITTEN, "output", 'o', "FULL.csv", output_path,
        "Write the table with its gaps filled by the formula; - is standard output, "
        "instead of the report",
        .endings = ".csv"),
    SPOT_OPTION(OWN, "pipelines", 0, "A-B", request.range,
        "Pipelines of the written table (default: from the fewest of TABLE to the most)",
        .settle = take_range),
    SPOT_OPTION(OWN, "depths", 0, "A-B", request.range,
        "Its depths (default: from the least of TABLE to the most)", .settle = take_range),
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
static int fit(spot_call_t *call, const fit_arguments_t *arguments, spot_step_grid_t *grid)
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
        (arguments->is_json ? step_fit_report_json : step_fit_report_text)(&fit, table_path, out);
    }
    return spot_output_end(&output, 0);
}

static int fit_run(spot_call_t *call)
{
    const fit_arguments_t *arguments = call->arguments;
    spot_step_grid_t grid;
    int ret = spot_step_grid_read(&grid, arguments->request.table_path, &call->diag);

    if (ret == 0) {
        call->is_reading = false;
        ret = fit(call, arguments, &grid);
    }
    spot_step_grid_free(&grid);
    return ret;
}

const spot_verb_t spot_verb_model_fit = {
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
    .options = fit_options,
    .arguments_bytes = sizeof(fit_arguments_t),
    .run = fit_run,
};

/* ---- spotsim model estimate ---- */

typedef struct {
    const char *scenario_path, *measured_path, *output_path;
    int model_id, accelerator_id; /* -1: none */
    spot_step_estimate_t estimate;
    spot_step_range_t range;
} estimate_arguments_t;

static const estimate_arguments_t estimate_initial = {.model_id = -1,
    .accelerator_id = -1,
    .estimate = {.utilisation = 0.4, .micro_batch = 1},
    .range = {1, SPOT_MAX_INSTANCES, 1, SPOT_MAX_INSTANCES, 0}};

static void take_amount(spot_call_t *call, const spot_option_t *option, const char *text)
{
    const spot_units_t *units = option->name[0] == 'p'   ? &spot_units_flops_per_s
                                : option->name[0] == 'm' ? &spot_units_bytes
                                                         : &spot_units_bytes_per_s;
    void *target = (char *) call->arguments + option->offset;
    const char *problem;
    spot_amount_t amount;
    const int ret = spot_units_parse(units, text, &amount, &problem);

    if (ret != 0 || spot_units_value(units, amount) <= 0) {
        spot_usage_error(call, "--%s: expected an amount such as %s, got \"%s\": %s", option->name,
            option->example, text, ret == 0 ? "it is not above 0" : problem);
    }
    *(double *) target = spot_units_value(units, amount);
}

#define ESTIMATE(kind, name_, value_, member, ...)                                                 \
    SPOT_OPTION(kind, name_, 0, value_, estimate.member, __VA_ARGS__)

#undef SPOT_OPTIONS_OF
#define SPOT_OPTIONS_OF estimate_arguments_t

static const spot_option_t estimate_options[] = {
    SPOT_OPTION(ARGUMENT, "a scenario file", 0, "SCENARIO", scenario_path, NULL),
    SPOT_OPTION_OUTPUT(output_path, ".csv"),
    SPOT_OPTION(CHOICE, "model", 0, "NAME", model_id,
        "A model of spotsim model presets (default: job.model of SCENARIO)",
        .choices = spot_model_names),
    SPOT_OPTION(CHOICE, "accelerator", 0, "NAME", accelerator_id,
        "Peak and memory of an instance that are not given, see spotsim model presets",
        .choices = spot_accelerator_names),
    ESTIMATE(OWN, "peak", "RATE", peak_flops_per_s, "Peak of an instance",
        .example = "'125 TFLOP/s'", .settle = take_amount),
    ESTIMATE(OWN, "memory", "SIZE", instance_bytes,
        "Memory of an instance (without it and --accelerator every stage fits)",
        .example = "'16 GiB'", .settle = take_amount),
    ESTIMATE(NUMBER, "utilisation", "X", utilisation,
        "Share of the peak while a stage computes (default 0.4)", .max = 1),
    ESTIMATE(OWN, "bandwidth", "RATE", bytes_per_s,
        "Between instances (default: fleet.network of SCENARIO, else 10 Gbit/s)",
        .example = "'100 Gbit/s'", .settle = take_amount),
    ESTIMATE(COUNT, "samples-per-step", "N", samples_per_step,
        "Samples of a step (default: those of SCENARIO)", .min = 1, .max = 1000000000000),
    ESTIMATE(COUNT, "micro-batch", "N", micro_batch, "Samples of a micro-batch (default 1)",
        .min = 1, .max = 1000000),
    ESTIMATE(COUNT, "sequence", "N", sequence, "Tokens of a sample (default: those of the model)",
        .min = 1, .max = 1000000),
    SPOT_OPTION(OWN, "pipelines", 0, "A-B", range, "Pipelines of the table", .settle = take_range),
    SPOT_OPTION(OWN, "depths", 0, "A-B", range, "Its depths, up to the model's blocks",
        .settle = take_range),
    SPOT_OPTION(COUNT, "instances", 0, "N", range.max_instances,
        "Most instances of a pair (default: fleet.capacity of SCENARIO)", .min = 1,
        .max = SPOT_MAX_INSTANCES),
    ESTIMATE(CHOICE, "schedule", "1f1b|gpipe|varuna", schedule,
        "Schedule of the pipelines (default 1f1b)", .choices = spot_step_schedules),
    ESTIMATE(FLAG, "recompute", NULL, is_recomputed,
        "Compute activations anew before each backward pass"),
    SPOT_OPTION(INPUT, "calibrate", 0, "TABLE.csv", measured_path,
        "Set the utilisation so that the median of estimate / measured is 1", .endings = ".csv"),
    SPOT_OPTION_END,
};

/* What the estimate_options leave open. Neither recovery nor step times matter. */
static int take_scenario(spot_call_t *call, estimate_arguments_t *self)
{
    static const char *const sets[] = {"recovery=checkpoint", "job.step_time={1: 1 s}"};
    static const spot_experiment_t *const engines[] = {&spot_train_experiment, NULL};
    const spot_scenario_changes_t changes = {.num_sets = 2, .sets = sets};
    spot_step_estimate_t *set = &self->estimate;
    spot_bound_scenario_t bound;
    const int ret =
        spot_bound_scenario_read(&bound, engines, self->scenario_path, &changes, &call->diag);

    if (ret == 0) {
        const spot_scenario_t *given = bound.scenario;

        set->model = set->model == NULL ? given->job.model.preset : set->model;
        set->samples_per_step =
            set->samples_per_step == 0 ? given->job.samples_per_step : set->samples_per_step;
        set->bytes_per_s =
            set->bytes_per_s == 0 ? given->fleet.network_bytes_per_s : set->bytes_per_s;
        if (self->range.max_instances == 0) {
            self->range.max_instances = spot_scenario_num_slots(given);
        }
    }
    spot_bound_scenario_free(&bound);
    return ret;
}

static void settle(spot_call_t *call, estimate_arguments_t *self)
{
    spot_step_estimate_t *set = &self->estimate;
    int64_t *most = &self->range.max_instances;

    if (self->accelerator_id >= 0) {
        const spot_accelerator_t *row = &spot_accelerators[self->accelerator_id];

        set->peak_flops_per_s =
            set->peak_flops_per_s == 0 ? row->peak_flops_per_s : set->peak_flops_per_s;
        set->instance_bytes = set->instance_bytes == 0 ? row->memory_bytes : set->instance_bytes;
    }
    spot_usage_refuse(
        call, set->model == NULL, "expected --model, or a scenario whose job.model has a preset");
    spot_usage_refuse(call, set->peak_flops_per_s == 0, "expected --accelerator or --peak");
    spot_usage_refuse(call, set->utilisation == 0, "--utilisation: expected above 0");
    spot_usage_refuse(call, set->samples_per_step == 0, "expected --samples-per-step");
    spot_usage_refuse(call, *most == 0 && self->range.max_pipelines == SPOT_MAX_INSTANCES,
        "expected --instances or --pipelines");
    *most = *most == 0 ? SPOT_MAX_INSTANCES : *most;
    set->sequence = set->sequence == 0 ? set->model->sequence : set->sequence;
    set->bytes_per_s = set->bytes_per_s == 0 ? 1.25e9 : set->bytes_per_s;
}

static int calibrate(spot_call_t *call, estimate_arguments_t *self, const char **remark)
{
    spot_step_grid_t measured;
    int ret = spot_step_grid_read(&measured, self->measured_path, &call->diag);
    double *ratios = spot_calloc(measured.num_pairs + 1, sizeof(*ratios));
    size_t num = 0;

    ret = ret == 0 && ratios == NULL ? SPOT_ERR_NO_MEMORY : ret;
    if (ret == 0) {
        num = spot_step_estimate_calibrate(&self->estimate, &measured, ratios);
        *remark = spot_texts_add(&call->texts,
            "utilisation of %zu measured pairs: median of estimate / measured 1, least "
            "%.3g, most %.3g",
            num, ratios[0], ratios[num == 0 ? 0 : num - 1]);
    }
    if (ret == 0 && (num == 0 || self->estimate.utilisation > 0.999 ||
                        (measured.samples_per_step > 0 &&
                            measured.samples_per_step != self->estimate.samples_per_step))) {
        ret = spot_diag_error(&call->diag, self->measured_path, 0, 0,
            "its pairs are not of this model and step, or faster than the peak");
    }
    free(ratios);
    spot_step_grid_free(&measured);
    return ret;
}

static int write_table(spot_call_t *call, const estimate_arguments_t *self, const char *calibration)
{
    const spot_step_estimate_t *set = &self->estimate;
    const char *const remarks[] = {
        "spotsim model estimate: estimated, not measured; not counted: optimizer, idle "
        "kernels, data, logits, buffers, overlap",
        spot_texts_add(&call->texts,
            "%s, %" PRId64 " tokens a sample; %.6g TFLOP/s, of which %.6g used; %.6g "
            "Gbit/s; %.6g GiB%s; %s%s",
            spot_model_names[set->model - spot_model_presets], set->sequence,
            set->peak_flops_per_s / 1e12, set->utilisation, set->bytes_per_s / 1.25e8,
            set->instance_bytes / 0x1p30, set->instance_bytes == 0 ? " (no limit)" : "",
            spot_step_schedules[set->schedule], set->is_recomputed ? ", recomputed" : ""),
        calibration, NULL};
    spot_step_grid_t grid;
    spot_outfile_t file;
    int ret = spot_step_estimate_fill(set, &self->range, &grid);

    if (ret == 0 && grid.num_pairs == 0) {
        ret = spot_diag_error(&call->diag, call->verb->name, 0, 0,
            "no pair fits into memory: allow deeper ones, or --recompute");
    }
    if (ret == 0) {
        ret = spot_outfile_init(&file, self->output_path, &call->diag);
        if (ret == 0) {
            spot_step_grid_write(&grid, remarks, file.stream);
        }
        ret = spot_outfile_close(&file, ret, &call->diag);
    }
    spot_step_grid_free(&grid);
    return ret;
}

static int estimate_run(spot_call_t *call)
{
    estimate_arguments_t *self = call->arguments;
    const char *calibration = NULL;
    int ret;

    self->estimate.model = self->model_id < 0 ? NULL : &spot_model_presets[self->model_id];
    ret = self->scenario_path == NULL ? 0 : take_scenario(call, self);
    if (ret == 0) {
        settle(call, self);
    }
    if (ret == 0 && self->measured_path != NULL) {
        ret = calibrate(call, self, &calibration);
    }
    return ret == 0 ? write_table(call, self, calibration) : ret;
}

const spot_verb_t spot_verb_model_estimate = {
    .name = "model estimate",
    .arguments = "[SCENARIO]",
    .summary = "Estimate step times by (D,P) from the shape of a model",
    .doc = "Writes a table D,P,step_ms,samples_per_s,origin of D pipelines of P stages, "
           "for job.step_time: {table: FILE}; a pair without step_ms is out of memory. "
           "Its remarks name what it assumes. FLOPs are 6 for a parameter and token, "
           "and 12 L h s a token for attention; docs/models.md has the rest, and how far "
           "such estimates were from published measurements.",
    .examples = "  spotsim model estimate --model gpt-2-1.5b --accelerator v100 \\\n"
                "      --samples-per-step 128 --instances 32 --recompute -o steps.csv\n",
    .options = estimate_options,
    .arguments_bytes = sizeof(estimate_arguments_t),
    .initial = &estimate_initial,
    .run = estimate_run,
};

static int list(spot_call_t *call)
{
    (void) call;
    spot_interrupt_print_rest();
    for (size_t j = 0; spot_model_names[j] != NULL; j++) {
        spot_output_put_item(spot_model_names[j], spot_model_presets[j].doc, stdout);
    }
    for (size_t j = 0; spot_accelerator_names[j] != NULL; j++) {
        spot_output_put_item(spot_accelerator_names[j], spot_accelerators[j].doc, stdout);
    }
    return 0;
}

const spot_verb_t spot_verb_model_presets = {
    .name = "model presets",
    .arguments = "",
    .summary = "List the models that job.model can name, and accelerators",
    .doc = "job.model: NAME gives a job the parameters, layers and state of a model.",
    .examples = "  spotsim model presets\n",
    .options = &estimate_options[sizeof(estimate_options) / sizeof(estimate_options[0]) - 1],
    .run = list,
};

/* ---- spotsim profile ---- */

typedef struct {
    const char *folder;
    const char *output_path;
} profile_arguments_t;

#undef SPOT_OPTIONS_OF
#define SPOT_OPTIONS_OF profile_arguments_t

static const spot_option_t profile_options[] = {
    SPOT_OPTION(ARGUMENT, "a folder of measurements", 0, "FOLDER", folder, NULL, .min = 1),
    SPOT_OPTION(WRITTEN, "output", 'o', "PROFILE.yaml", output_path,
        "Write the profile here (default: standard output)", .endings = ".yaml or .yml"),
    SPOT_OPTION_END,
};

static int profile_run(spot_call_t *call)
{
    const profile_arguments_t *arguments = call->arguments;
    spot_profile_t profile;
    spot_output_t output;
    FILE *out;
    int ret = spot_profile_measure(&profile, arguments->folder, &call->diag);

    if (ret == 0) {
        call->is_reading = false;
        out = spot_output_bytes(&output, arguments->output_path, &call->diag);
        if (out != NULL) {
            spot_profile_write(&profile, out);
        }
        ret = spot_output_end(&output, 0);
    }
    spot_profile_free(&profile);
    return ret;
}

const spot_verb_t spot_verb_profile = {
    .name = "profile",
    .arguments = "FOLDER",
    .summary = "Turn a folder of measured times into a profile of means",
    .doc = "FOLDER holds four CSV files with times in seconds: reconfig.csv "
           "(ws,start,end,elapsed, with a header row), loop_times_0.csv (ws,step,loop "
           "start,loop end,train time,start chkpt thread,total loop time), "
           "async-checkpoint_0.csv (elapsed) and load_times_0.csv (ws,step,elapsed). A "
           "scenario takes the means by {profile: FILE} in place of a duration.",
    .examples = "  spotsim profile measured/ -o profile.yaml\n",
    .options = profile_options,
    .arguments_bytes = sizeof(profile_arguments_t),
    .run = profile_run,
};
