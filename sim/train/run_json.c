/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/run_json.h"

#include "sim/train/metrics.h"

static void write_times(spot_json_t *json, const spot_train_result_t *result)
{
    spot_json_open(json, "instance_ms", '{');
    for (int j = 0; j < SPOT_NUM_SHARES; j++) {
        spot_json_integer(json, spot_share_names[j], result->ledger.instance_ms[j]);
    }
    spot_json_integer(json, "total", spot_ledger_total(&result->ledger));
    spot_json_close(json, '}');
    spot_json_open(json, "job_ms", '{');
    for (int j = 0; j < SPOT_NUM_JOB_PHASES; j++) {
        spot_json_integer(json, spot_job_phase_names[j], result->job_ms[j]);
    }
    spot_json_integer(json, "stalled", result->stalled_ms); /* parts of training */
    spot_json_integer(json, "lost", result->lost_ms);
    spot_json_integer(json, "unmeasured", result->unmeasured_ms);
    spot_json_close(json, '}');
}

static void write_counts(spot_json_t *json, const spot_train_result_t *result)
{
    spot_json_open(json, "steps", '{');
    spot_json_integer(json, "executed", result->steps_executed);
    spot_json_integer(json, "kept", result->steps_executed - result->steps_lost);
    spot_json_integer(json, "durable", result->steps_durable);
    spot_json_integer(json, "lost", result->steps_lost);
    spot_json_close(json, '}');
    spot_json_open(json, "counts", '{');
    spot_json_integer(json, "initial", result->initial);
    spot_json_integer(json, "preempted", result->preempted);
    spot_json_integer(json, "added", result->added);
    spot_json_integer(json, "stopped", result->stopped);
    spot_json_integer(json, "clipped", result->clipped);
    spot_json_integer(json, "reconfigurations", result->reconfigurations);
    spot_json_integer(json, "rollbacks", result->rollbacks);
    spot_json_integer(json, "checkpoints_durable", result->checkpoints_durable);
    spot_json_integer(json, "checkpoints_aborted", result->checkpoints_aborted);
    spot_json_close(json, '}');
    spot_json_integer(json, "peak_instances", result->peak_instances);
}

void spot_run_json_figures(spot_json_t *json, const spot_train_result_t *result)
{
    spot_json_integer(json, "horizon_ms", result->horizon_ms);
    write_times(json, result);
    write_counts(json, result);
}

/* The parts of what is stalled. */
static void write_stalls(
    spot_json_t *json, const spot_scenario_t *scenario, const spot_train_result_t *result)
{
    static const char *const metrics[] = {"data_stall_fraction", "checkpoint_stall_fraction",
        "stalled_input_instance_ms", "stalled_checkpoint_instance_ms"};

    spot_json_open(json, "stalls", '{');
    for (size_t j = 0; j < sizeof(metrics) / sizeof(metrics[0]); j++) {
        spot_json_number(json, metrics[j], spot_train_metric(scenario, result, metrics[j]));
    }
    spot_json_integer(json, "job_input_ms", result->input_stalled_ms);
    spot_json_integer(json, "job_checkpoint_ms", result->stalled_ms - result->input_stalled_ms);
    spot_json_close(json, '}');
}

void spot_run_json_write(const spot_scenario_t *scenario, const spot_train_result_t *result,
    const spot_run_theory_t *theory, spot_json_t *json)
{
    static const char *const metrics[] = {"cost_usd", "same_work_on_demand_usd",
        "same_work_on_demand_s", "same_work_on_demand_instances", "saving_fraction", "usd_per_h",
        "usd_per_1000_samples", "samples_per_s", "samples_per_s_once_started", "samples_per_usd",
        "idle_fraction", "lost_fraction", "goodput_fraction", "unmeasured_fraction",
        "mean_instances", "preempted_per_h", "mtbp_s", "time_to_finish_s", "finished",
        "met_deadline"};
    unsigned char flags[SPOT_MAX_WARNINGS];

    spot_train_warning_flags(result, flags);
    spot_json_text(json, "scenario", scenario->name);
    spot_json_text(json, "recovery", scenario->recovery.system->name);
    if (scenario->recovery.is_published) {
        spot_json_text(json, "published_defaults", scenario->recovery.system->published);
    }
    if (scenario->fleet.price.currency != NULL) {
        spot_json_text(json, "currency", scenario->fleet.price.currency);
    }
    spot_run_json_figures(json, result);
    for (size_t j = 0; j < sizeof(metrics) / sizeof(metrics[0]); j++) {
        spot_json_number(json, metrics[j], spot_train_metric(scenario, result, metrics[j]));
    }
    if (scenario->job.input.is_given) {
        write_stalls(json, scenario, result);
    }
    if (theory != NULL) {
        spot_run_theory_write_json(theory, json);
    }
    spot_replication_json_end(json, SPOT_TRAIN_NUM_WARNINGS, spot_train_warnings, flags,
        result->seed, result->replication);
}
