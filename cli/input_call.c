/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/input_call.h"

#include <string.h>

#include "base/units.h"
#include "sim/bench/engine/scenario_file.h"

void spot_input_take_time(spot_call_t *call, const spot_option_t *option, const char *text)
{
    const char *problem;
    spot_amount_t time;

    if (spot_units_parse(&spot_units_ns, text, &time, &problem) != 0 || time.whole < 0 ||
        time.whole > 86400000000000) {
        spot_usage_error(call, "--%s: expected a time up to 24 h such as %s, got \"%s\"",
            option->name, option->example, text);
    }
    memcpy((char *) call->arguments + option->offset, &time.whole, sizeof(time.whole));
}

/* Puts what options say in place of keys. */
static int settle(spot_input_scenario_t *self, const spot_input_request_t *request,
    const spot_node_t *root, spot_diag_t *diag)
{
    int64_t *const samples = &self->loader.samples;
    int ret = 0;

    self->compute_ns = request->compute_ns >= 0 ? request->compute_ns : self->compute_ns;
    self->batch = request->batch > 0 ? request->batch : self->batch;
    *samples = request->samples > 0 ? request->samples : *samples;
    if (self->compute_ns < 0) {
        ret = spot_diag_error(diag, root->file, root->line, root->column,
            "no time of a batch in the training loop: give the key compute or the "
            "option --compute");
    }
    if (*samples == 0 || *samples / self->batch > SPOT_INPUT_MAX_BATCHES) {
        ret = spot_diag_error(diag, root->file, root->line, root->column,
            "expected an epoch of 1 to %d batches: give the key %ssamples or the option "
            "--samples",
            SPOT_INPUT_MAX_BATCHES, spot_node_get(root, "input") == NULL ? "" : "input.");
    }
    return ret;
}

int spot_input_open(
    spot_input_scenario_t *scenario, spot_call_t *call, const spot_input_request_t *request)
{
    const spot_scenario_changes_t changes = {
        .num_sets = request->sets.num_texts, .sets = request->sets.texts};
    spot_diag_t *diag = &call->diag;
    spot_input_scenario_t read = {.compute_ns = -1};
    spot_yaml_t document;
    int ret = spot_scenario_read_document(&document, request->model_path, &changes, diag);
    const spot_node_t *engine = spot_node_get(document.root, "engine");

    if (ret == 0 && engine != NULL &&
        (engine->kind != SPOT_NODE_SCALAR || strcmp(engine->text, "input") != 0)) {
        ret = spot_diag_error(diag, engine->file, engine->line, engine->column,
            "engine: expected input, the engine of a loader");
    }
    ret = ret == 0 ? spot_input_scenario_init(&read, document.root, diag) : ret;
    ret = ret == 0 ? settle(&read, request, document.root, diag) : ret;
    /* Means need no laws. */
    *scenario = (spot_input_scenario_t){.loader = read.loader,
        .batch = read.batch,
        .compute_ns = read.compute_ns,
        .fitted = read.fitted};
    call->is_reading = ret != 0;
    spot_input_scenario_free(&read);
    spot_yaml_free(&document);
    return ret;
}

void spot_input_warn(
    const spot_input_scenario_t *scenario, spot_call_t *call, const char *model_path)
{
    const spot_input_range_t *fitted = &scenario->fitted;
    const struct {
        const char *name;
        double unit;
        int64_t value;
        const int64_t *range;
    } checks[] = {{"compute (s)", 1e-9, scenario->compute_ns, fitted->compute_ns},
        {"threads", 1, scenario->loader.threads, fitted->threads},
        {"block", 1, scenario->loader.block, fitted->block}};

    for (size_t j = 0; j < sizeof(checks) / sizeof(checks[0]); j++) {
        const double unit = checks[j].unit, value = unit * (double) checks[j].value;
        const double low = unit * (double) checks[j].range[0];
        const double high = unit * (double) checks[j].range[1];

        if (high > 0 && (value < low || value > high)) {
            spot_diag_warn(&call->diag, model_path, 0, 0,
                "%s = %g is outside what the model was fitted to: %g to %g", checks[j].name, value,
                low, high);
        }
    }
}
