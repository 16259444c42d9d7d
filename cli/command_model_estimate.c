/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "cli/command.h"
#include "models/step_fit.h"
#include "models/step_pipeline.h"
#include "sim/train/experiment.h"
#include "sim/train/job/scenario.h"

typedef struct {
    const char *scenario_path, *measured_path, *output_path;
    int model_id, accelerator_id; /* -1: none */
    spot_step_estimate_t estimate;
    spot_step_range_t range;
} arguments_t;

static const arguments_t initial = {.model_id = -1,
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

static const spot_option_t options[] = {
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
    SPOT_OPTION(OWN, "pipelines", 0, "A-B", range, "Pipelines of the table",
        .settle = spot_model_take_range),
    SPOT_OPTION(OWN, "depths", 0, "A-B", range, "Its depths, up to the model's blocks",
        .settle = spot_model_take_range),
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

/* What the options leave open. Neither recovery nor step times matter. */
static int take_scenario(spot_call_t *call, arguments_t *self)
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

static void settle(spot_call_t *call, arguments_t *self)
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

static int calibrate(spot_call_t *call, arguments_t *self, const char **remark)
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

static int write_table(spot_call_t *call, const arguments_t *self, const char *calibration)
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
        ret = spot_diag_error(&call->diag, call->command->name, 0, 0,
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

static int run(spot_call_t *call)
{
    arguments_t *self = call->arguments;
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

const spot_command_t spot_command_model_estimate = {
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
    .options = options,
    .arguments_bytes = sizeof(arguments_t),
    .initial = &initial,
    .run = run,
};

static int list(spot_call_t *call)
{
    const spot_doc_t doc = spot_doc_of_terminal(stdout);

    (void) call;
    spot_interrupt_print_rest();
    for (size_t j = 0; spot_model_names[j] != NULL; j++) {
        spot_doc_item(&doc, spot_model_names[j], "", spot_model_presets[j].doc, 14);
    }
    for (size_t j = 0; spot_accelerator_names[j] != NULL; j++) {
        spot_doc_item(&doc, spot_accelerator_names[j], "", spot_accelerators[j].doc, 14);
    }
    return 0;
}

const spot_command_t spot_command_model_presets = {
    .name = "model presets",
    .arguments = "",
    .summary = "List the models that job.model can name, and accelerators",
    .doc = "job.model: NAME gives a job the parameters, layers and state of a model.",
    .examples = "  spotsim model presets\n",
    .options = &options[sizeof(options) / sizeof(options[0]) - 1],
    .run = list,
};
