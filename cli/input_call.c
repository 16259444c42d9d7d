/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/input_call.h"

#include <string.h>

#include "base/units.h"
#include "sim/engine/scenario_file.h"

void
spot_input_take_time(spot_call_t *call, const spot_option_t *option, const char *text)
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

static int
settle(spot_input_scenario_t *self, const spot_input_request_t *request,
    const spot_node_t *root, spot_diag_t *diag)
{
    int64_t *const samples = &self->loader.samples;

    self->compute_ns = request->compute_ns >= 0 ? request->compute_ns : self->compute_ns;
    self->batch = request->batch > 0 ? request->batch : self->batch;
    *samples = request->samples > 0 ? request->samples : *samples;
    if (self->compute_ns < 0) {
        spot_diag_error(diag, root->file, root->line, root->column,
            "no time of a batch in the training loop: give the key compute or the "
            "option --compute");
    }
    if (*samples == 0 || *samples / self->batch > SPOT_INPUT_MAX_BATCHES) {
        spot_diag_error(diag, root->file, root->line, root->column,
            "expected an epoch of 1 to %d batches: give the key %ssamples or the option "
            "--samples",
            SPOT_INPUT_MAX_BATCHES,
            spot_node_get(root, "input") == NULL ? "" : "input.");
    }
    return diag->num_errors > 0 ? SPOT_ERR_BAD_INPUT : 0;
}

int
spot_input_open(spot_input_scenario_t *scenario, spot_call_t *call,
    const spot_input_request_t *request)
{
    const spot_scenario_changes_t changes = {
        NULL, request->sets.num_texts, request->sets.texts};
    spot_diag_t *diag = &call->diag;
    spot_yaml_t document;
    int ret =
        spot_scenario_read_document(&document, request->model_path, &changes, diag);
    const spot_node_t *engine = spot_node_get(document.root, "engine");

    if (ret == 0 && engine != NULL &&
        (engine->kind != SPOT_NODE_SCALAR || strcmp(engine->text, "input") != 0)) {
        ret = spot_diag_error(diag, engine->file, engine->line, engine->column,
            "engine: expected input, the engine of a loader");
    }
    ret = ret == 0 ? spot_input_scenario_init(scenario, document.root, diag) : ret;
    ret = ret == 0 ? settle(scenario, request, document.root, diag) : ret;
    call->is_reading = ret != 0;
    spot_yaml_free(&document);
    return ret;
}

void
spot_input_warn(
    const spot_input_scenario_t *scenario, spot_call_t *call, const char *model_path)
{
    const spot_input_range_t *fitted = &scenario->fitted;
    const struct {
        const char *name;
        int64_t value;
        const int64_t *range;
        double unit;
    } checks[] = {{"compute (s)", scenario->compute_ns, fitted->compute_ns, 1e-9},
        {"threads", scenario->loader.threads, fitted->threads, 1},
        {"block", scenario->loader.block, fitted->block, 1}};

    for (size_t j = 0; j < sizeof(checks) / sizeof(checks[0]); j++) {
        const int64_t low = checks[j].range[0], high = checks[j].range[1];
        const double unit = checks[j].unit;

        if (high > 0 && (checks[j].value < low || checks[j].value > high)) {
            spot_diag_warn(&call->diag, model_path, 0, 0,
                "%s = %g is outside what the model was fitted to: %g to %g",
                checks[j].name, unit * (double) checks[j].value, unit * (double) low,
                unit * (double) high);
        }
    }
}
