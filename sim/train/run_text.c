/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/run_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "base/utf8.h"
#include "sim/train/metrics.h"

/* Width of the bar of the whole paid time. */
#define BAR_COLUMNS 40

static void write_ledger(const spot_train_result_t *result, FILE *out)
{
    const int64_t total_ms = spot_ledger_total(&result->ledger);

    fprintf(out, "where the paid time went (instance-hours)\n");
    for (int j = 0; j < SPOT_NUM_SHARES; j++) {
        const int64_t share_ms = result->ledger.instance_ms[j];
        const double fraction = total_ms == 0 ? 0 : (double) share_ms / (double) total_ms;

        if (share_ms == 0) {
            continue;
        }
        fprintf(out, "  %-14s %12.2f  %5.1f %%", spot_share_names[j],
            (double) share_ms / (double) SPOT_MS_PER_H, 100 * fraction);
        for (int k = 0; k < (int) lround(fraction * BAR_COLUMNS); k++) {
            fputs(k == 0 ? "  #" : "#", out);
        }
        putc('\n', out);
    }
    fprintf(out, "  %-14s %12.2f\n", "total", (double) total_ms / (double) SPOT_MS_PER_H);
}

/* The line of a metric. */
typedef struct {
    const char *label;
    const char *name;
    double factor;
    int num_decimals;
    const char *unit;
} line_t;

/* Writes a metric, or "-" if it is undefined. */
static void write_line(const spot_scenario_t *scenario, const spot_train_result_t *result,
    const line_t *line, FILE *out)
{
    const double value = spot_train_metric(scenario, result, line->name);

    if (isnan(value)) {
        fprintf(out, "  %-30s %14s\n", line->label, "-");
    } else {
        fprintf(out, "  %-30s %14.*f %s\n", line->label, line->num_decimals, line->factor * value,
            strcmp(line->unit, SPOT_USUAL_CURRENCY) == 0
                ? spot_price_currency(&scenario->fleet.price)
                : line->unit);
    }
}

static void write_outcome(
    const spot_scenario_t *scenario, const spot_train_result_t *result, FILE *out)
{
    static const line_t lines[] = {
        {"idle fraction", "idle_fraction", 100, 2, "%"},
        {"goodput fraction", "goodput_fraction", 100, 2, "%"},
        {"throughput", "samples_per_s", 1, 3, "samples/s"},
        {"cost", "cost_usd", 1, 2, "USD"},
        {"cost of 1,000 samples", "usd_per_1000_samples", 1, 4, "USD"},
        {"mean time between preemptions", "mtbp_s", 1, 1, "s"},
    };
    static const line_t once_started = {
        "throughput from the first step", "samples_per_s_once_started", 1, 3, "samples/s"};
    static const line_t on_demand = {
        "the same work on demand", "same_work_on_demand_usd", 1, 2, "USD"};
    static const line_t saving = {"saving", "saving_fraction", 100, 1, "%"};
    static const line_t finish = {"time to finish", "time_to_finish_s", 1.0 / 3600, 3, "h"};

    const spot_same_work_t same = spot_train_same_work(scenario, result);
    char deadline[SPOT_DURATION_TEXT_BYTES + 16];

    fprintf(out, "\nwhat came of it\n");
    for (size_t j = 0; j < sizeof(lines) / sizeof(lines[0]); j++) {
        write_line(scenario, result, &lines[j], out);
    }
    if (same.num_instances > 0) {
        write_line(scenario, result, &on_demand, out);
        fprintf(out, "  %-30s %14" PRId64 " instances for %.3f h\n", "  rented", same.num_instances,
            same.time_s / 3600);
        write_line(scenario, result, &saving, out);
    }
    if (result->first_training_ms > 0) {
        write_line(scenario, result, &once_started, out);
    }
    if (scenario->until_steps > 0) {
        write_line(scenario, result, &finish, out);
        fprintf(out, "  %-30s %14s\n", "finished", result->is_finished ? "yes" : "no: cut off");
    }
    if (scenario->deadline_ms > 0) {
        strcpy(deadline, "deadline of ");
        spot_duration_text(scenario->deadline_ms, deadline + strlen(deadline));
        fprintf(out, "  %-30s %14s\n", deadline,
            spot_train_metric(scenario, result, "met_deadline") == 1 ? "met" : "missed");
    }
}

static void write_job(const spot_train_result_t *result, FILE *out)
{
    fprintf(out, "what the job did (h)\n");
    for (int j = 0; j < SPOT_NUM_JOB_PHASES; j++) {
        if (result->job_ms[j] > 0) {
            fprintf(out, "  %-14s %12.2f  %5.1f %%\n", spot_job_phase_names[j],
                (double) result->job_ms[j] / (double) SPOT_MS_PER_H,
                100 * (double) result->job_ms[j] / (double) result->horizon_ms);
        }
    }
    if (result->stalled_ms > 0) {
        fprintf(out, "  of it stalled  %12.2f  %5.1f %%\n",
            (double) result->stalled_ms / (double) SPOT_MS_PER_H,
            100 * (double) result->stalled_ms / (double) result->horizon_ms);
    }
    if (result->input_stalled_ms > 0) {
        fprintf(out, "  ... for data   %12.2f  %5.1f %%\n",
            (double) result->input_stalled_ms / (double) SPOT_MS_PER_H,
            100 * (double) result->input_stalled_ms / (double) result->horizon_ms);
    }
    fprintf(out,
        "  steps executed %" PRId64 ", lost %" PRId64 ", kept %" PRId64 "\n"
        "  reconfigurations %" PRId64 ", rollbacks %" PRId64 ", checkpoints durable %" PRId64
        ", aborted %" PRId64 "\n",
        result->steps_executed, result->steps_lost, result->steps_executed - result->steps_lost,
        result->reconfigurations, result->rollbacks, result->checkpoints_durable,
        result->checkpoints_aborted);
}

static void write_warnings(const spot_train_result_t *result, FILE *out)
{
    unsigned char flags[SPOT_MAX_WARNINGS];

    spot_train_warning_flags(result, flags);
    for (size_t j = 0; j < SPOT_TRAIN_NUM_WARNINGS; j++) {
        if (flags[j]) {
            fprintf(out, "warning: %s\n", spot_train_warnings[j].text);
        }
    }
}

void spot_run_text_write(const spot_scenario_t *scenario, const spot_train_result_t *result,
    const spot_run_theory_t *theory, FILE *out)
{
    char horizon[SPOT_DURATION_TEXT_BYTES];

    spot_duration_text(result->horizon_ms, horizon);
    spot_utf8_print(out, scenario->name);
    fprintf(out,
        ": recovery %s, %s (%.2f h), seed %" PRIu64 ", replication %" PRIu64 "\n"
        "instances: %" PRId64 " at first, %" PRId64 " added, %" PRId64 " preempted, %" PRId64
        " stopped, %" PRId64 " at most\n\n",
        scenario->recovery.system->name, horizon,
        (double) result->horizon_ms / (double) SPOT_MS_PER_H, result->seed, result->replication,
        result->initial, result->added, result->preempted, result->stopped, result->peak_instances);
    write_ledger(result, out);
    putc('\n', out);
    write_job(result, out);
    write_outcome(scenario, result, out);
    if (theory != NULL) {
        spot_run_theory_write_text(theory, out);
    }
    write_warnings(result, out);
}
