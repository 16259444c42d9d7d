/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/step_fit_report.h"

#include <inttypes.h>

#include "base/json.h"
#include "models/step_pipeline.h"

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

void spot_step_fit_report_text(const spot_step_fit_t *fit, const char *path, FILE *out)
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

void spot_step_fit_report_json(const spot_step_fit_t *fit, const char *path, FILE *out)
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
