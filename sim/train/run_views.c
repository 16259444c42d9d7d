/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/run_views.h"

#include <gsl/gsl_cdf.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "base/utf8.h"
#include "models/checkpoint_theory.h"
#include "sim/train/metrics.h"

/* ---- Theory ---- */

#define CONFIDENCE 0.95

/* With fewer rollbacks not even the first digit of the mean time between them is
 * certain. */
#define FEW_ROLLBACKS 30

static const struct {
    const char *name;
    const char *text;
} doubts[SPOT_NUM_DOUBTS] = {
    [SPOT_DOUBT_FEW_ROLLBACKS] = {"few_rollbacks",
        "fewer than 30 rollbacks give only a rough mean time between them"},
    [SPOT_DOUBT_FLEET_VARIES] = {"fleet_varies",
        "the number of instances in pipelines varied, the theory has one step time"},
    [SPOT_DOUBT_WAITED] = {"waited", "the job waited for instances, the theory replaces "
                                     "them within the restart; the wait is left out"},
    [SPOT_DOUBT_OTHER_ROLLBACKS] = {"other_rollbacks",
        "there were more rollbacks than preemptions seen: additions or stops caused "
        "some, which is no Poisson process"},
};

/* The value of a duration among the options of the recovery system; 0 if there is none
 * of that name. */
static int64_t option_ms(const spot_recovery_choice_t *recovery, const char *name)
{
    for (const spot_field_t *field = spot_field_first(recovery->system->options); field != NULL;
         field = spot_field_next(field)) {
        if (strcmp(field->name, name) == 0 && field->type == SPOT_FIELD_DURATION) {
            int64_t value_ms;

            memcpy(&value_ms, (const char *) recovery->options + field->offset, sizeof(value_ms));
            return value_ms;
        }
    }
    return 0;
}

/* For many degrees of freedom the search of GSL for a quantile does not always end.
 * There the cube of Wilson and Hilferty, PNAS 17, 1931, is right to 6 digits. */
static double chi_square_quantile(double p, double freedom)
{
    const double share = 2 / (9 * freedom);

    if (freedom < 1000) {
        return gsl_cdf_chisq_Pinv(p, freedom);
    }
    return freedom * pow(1 - share + gsl_cdf_ugaussian_Pinv(p) * sqrt(share), 3);
}

/* The mean time between events at a constant rate, with the exact interval of Garwood,
 * Biometrika 28, 1936. */
static spot_theory_interval_t mean_time_between(int64_t num_events, double time_s)
{
    const double tail = (1 - CONFIDENCE) / 2, num = (double) num_events;

    return (spot_theory_interval_t){
        .value = time_s / num,
        .low = 2 * time_s / chi_square_quantile(1 - tail, 2 * num + 2),
        .high = 2 * time_s / chi_square_quantile(tail, 2 * num),
    };
}

static int64_t active_ms(const spot_ledger_t *ledger)
{
    return spot_ledger_total(ledger) - ledger->instance_ms[SPOT_SHARE_PREPPING] -
           ledger->instance_ms[SPOT_SHARE_STANDBY];
}

static void find_doubts(
    spot_run_theory_t *self, const spot_scenario_t *scenario, const spot_train_result_t *result)
{
    const int64_t waiting_ms = result->job_ms[SPOT_JOB_WAITING];
    const int64_t pipeline_ms = (result->horizon_ms - waiting_ms) * scenario->job.pipeline_depth;

    self->doubts[SPOT_DOUBT_FEW_ROLLBACKS] = result->rollbacks < FEW_ROLLBACKS;
    self->doubts[SPOT_DOUBT_FLEET_VARIES] = active_ms(&result->ledger) % pipeline_ms != 0;
    self->doubts[SPOT_DOUBT_WAITED] = waiting_ms > 0;
    self->doubts[SPOT_DOUBT_OTHER_ROLLBACKS] = result->rollbacks > result->preemption_events;
}

/* The step time at the mean number of instances in pipelines. A step time by (D,P) is
 * that of the most pipelines that fit. */
static int64_t mean_step_ms(const spot_job_t *job, double mean_instances)
{
    const int64_t num_instances = llround(mean_instances);

    return spot_step_time_is_by_pair(&job->step_time)
               ? spot_job_step_ms(job, spot_job_pipelines(job, num_instances))
               : spot_step_time_ms(&job->step_time, num_instances);
}

/* Sets the theory for the steps, checkpoints and restarts of the scenario and the mean
 * time between rollbacks of the run. */
static void apply_theory(spot_run_theory_t *self, const spot_job_t *job)
{
    const int64_t step_ms = mean_step_ms(job, self->mean_instances);
    spot_theory_life_t life;
    spot_theory_t theory;
    spot_cycle_t cycle;

    spot_cycle_init(&cycle, &job->checkpoint, step_ms);
    life = spot_theory_life_of(&cycle);
    self->step_s = spot_duration_s(step_ms);
    self->work_s = life.work_s;
    self->period_s = life.period_s;
    self->efficiency.value =
        spot_theory_life_efficiency(&life, self->mtbf_s.value, self->restart_s);
    self->efficiency.low = spot_theory_life_efficiency(&life, self->mtbf_s.low, self->restart_s);
    self->efficiency.high = spot_theory_life_efficiency(&life, self->mtbf_s.high, self->restart_s);
    theory = (spot_theory_t){
        .mtbf_s = self->mtbf_s.value,
        .stall_s = spot_duration_s(cycle.snapshot_ms),
        .persist_s = spot_duration_s(cycle.write_ms),
        .restart_s = self->restart_s,
        .busy = job->checkpoint.busy == SPOT_BUSY_JOIN ? SPOT_BUSY_JOIN : SPOT_BUSY_WAIT,
    };
    if (job->checkpoint.mode == SPOT_CHECKPOINT_ASYNC) {
        self->best_busy = theory.busy == SPOT_BUSY_JOIN ? "join" : "wait";
    }
    self->best_steps = spot_theory_best_steps(&theory, self->step_s);
    self->best_efficiency =
        spot_theory_efficiency(&theory, (double) self->best_steps * self->step_s);
}

void spot_run_theory_init(
    spot_run_theory_t *self, const spot_scenario_t *scenario, const spot_train_result_t *result)
{
    const int64_t training_ms = result->job_ms[SPOT_JOB_TRAINING];
    const int64_t clock_ms = result->horizon_ms - result->job_ms[SPOT_JOB_WAITING];
    const spot_job_t *job = &scenario->job;

    memset(self, 0, sizeof(*self));
    if (scenario->recovery.system != &spot_recovery_checkpoint) {
        self->reason = "it is for recovery: checkpoint";
        return;
    }
    if (job->input.is_given) {
        self->reason = "it has no waits for data, which job.input adds";
        return;
    }
    if (result->rollbacks == 0 || training_ms == 0) {
        self->reason = "without a rollback there is no mean time between them";
        return;
    }
    self->num_rollbacks = result->rollbacks;
    self->mtbf_s = mean_time_between(result->rollbacks, spot_duration_s(training_ms));
    self->simulated =
        (double) (training_ms - result->stalled_ms - result->lost_ms) / (double) clock_ms;
    self->restart_s = spot_duration_s(
        option_ms(&scenario->recovery, "detection") + job->reconfiguration_ms + job->reload_ms);
    self->mean_instances = (double) active_ms(&result->ledger) / (double) clock_ms;
    find_doubts(self, scenario, result);
    apply_theory(self, job);
}

static double difference(const spot_run_theory_t *self)
{
    return self->simulated / self->efficiency.value - 1; /* infinite if that is 0 */
}

static void write_lines(const spot_run_theory_t *self, FILE *out)
{
    fprintf(out,
        "  %" PRId64 " rollbacks, one every %.1f s of training (95 %%: %.1f to %.1f s)\n"
        "  a restart %.1f s; %.1f s of work, then a checkpoint, every %.1f s; steps of "
        "%.3f s\n",
        self->num_rollbacks, self->mtbf_s.value, self->mtbf_s.low, self->mtbf_s.high,
        self->restart_s, self->work_s, self->period_s, self->step_s);
    fprintf(out,
        "  kept by theory %14.2f %%  of the job's time without waiting (95 %%: %.2f to "
        "%.2f %%)\n"
        "  kept in this run %12.2f %%",
        100 * self->efficiency.value, 100 * self->efficiency.low, 100 * self->efficiency.high,
        100 * self->simulated);
    if (isfinite(difference(self))) {
        fprintf(out, "  %+.2f %% of what theory says", 100 * difference(self));
    }
    fprintf(out,
        "\n  best by theory %14.2f %%  of fixed intervals, with every: %" PRId64 " step%s%s%s\n",
        100 * self->best_efficiency, self->best_steps, self->best_steps == 1 ? "" : "s",
        self->best_busy == NULL ? "" : ", busy: ", self->best_busy == NULL ? "" : self->best_busy);
}

static void run_theory_write_text(
    const spot_scenario_t *scenario, const spot_train_result_t *result, FILE *out)
{
    spot_run_theory_t self;

    spot_run_theory_init(&self, scenario, result);
    fprintf(out, "\nbeside it, the theory of checkpoints\n");
    if (self.reason != NULL) {
        fprintf(out, "  does not apply: %s\n", self.reason);
        return;
    }
    write_lines(&self, out);
    for (int j = 0; j < SPOT_NUM_DOUBTS; j++) {
        if (self.doubts[j]) {
            fprintf(out, "  doubt: %s\n", doubts[j].text);
        }
    }
}

static void write_estimate(
    spot_json_t *json, const char *key, const spot_theory_interval_t *estimate)
{
    spot_json_open(json, key, '{');
    spot_json_number(json, "value", estimate->value);
    spot_json_number(json, "ci95_low", estimate->low);
    spot_json_number(json, "ci95_high", estimate->high);
    spot_json_close(json, '}');
}

static void write_members(const spot_run_theory_t *self, spot_json_t *json)
{
    spot_json_integer(json, "rollbacks", self->num_rollbacks);
    write_estimate(json, "mtbf_s", &self->mtbf_s);
    spot_json_number(json, "restart_s", self->restart_s);
    spot_json_number(json, "mean_instances", self->mean_instances);
    spot_json_number(json, "step_s", self->step_s);
    spot_json_number(json, "interval_s", self->work_s);
    spot_json_number(json, "period_s", self->period_s);
    write_estimate(json, "efficiency", &self->efficiency);
    spot_json_number(json, "simulated_efficiency", self->simulated);
    spot_json_number(json, "difference", difference(self));
    spot_json_integer(json, "best_steps", self->best_steps);
    spot_json_number(json, "best_efficiency", self->best_efficiency);
    spot_json_text(json, "best_busy", self->best_busy);
    spot_json_open(json, "doubts", '[');
    for (int j = 0; j < SPOT_NUM_DOUBTS; j++) {
        if (self->doubts[j]) {
            spot_json_text(json, NULL, doubts[j].name);
        }
    }
    spot_json_close(json, ']');
}

/* Writes the key "theory": {applies, reason}, and all values if it applies. */
static void run_theory_write_json(
    const spot_scenario_t *scenario, const spot_train_result_t *result, spot_json_t *json)
{
    spot_run_theory_t self;

    spot_run_theory_init(&self, scenario, result);
    spot_json_open(json, "theory", '{');
    spot_json_boolean(json, "applies", self.reason == NULL);
    spot_json_text(json, "reason", self.reason);
    if (self.reason == NULL) {
        write_members(&self, json);
    }
    spot_json_close(json, '}');
}

/* ---- JSON ---- */

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
    spot_json_t *json, const spot_run_result_t *run, const spot_train_result_t *result)
{
    static const char *const metrics[] = {"data_stall_fraction", "checkpoint_stall_fraction",
        "stalled_input_instance_ms", "stalled_checkpoint_instance_ms"};

    spot_json_open(json, "stalls", '{');
    for (size_t j = 0; j < sizeof(metrics) / sizeof(metrics[0]); j++) {
        spot_json_number(json, metrics[j], spot_run_result_metric(run, metrics[j]));
    }
    spot_json_integer(json, "job_input_ms", result->input_stalled_ms);
    spot_json_integer(json, "job_checkpoint_ms", result->stalled_ms - result->input_stalled_ms);
    spot_json_close(json, '}');
}

void spot_run_json_write(const spot_run_result_t *run, const spot_scenario_t *scenario,
    const spot_train_result_t *result, spot_json_t *json)
{
    static const char *const metrics[] = {"cost_usd", "same_work_on_demand_usd",
        "same_work_on_demand_s", "same_work_on_demand_instances", "saving_fraction", "usd_per_h",
        "usd_per_1000_samples", "samples_per_s", "samples_per_s_once_started", "samples_per_usd",
        "idle_fraction", "lost_fraction", "goodput_fraction", "unmeasured_fraction",
        "mean_instances", "preempted_per_h", "mtbp_s", "time_to_finish_s", "finished",
        "met_deadline"};

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
        spot_json_number(json, metrics[j], spot_run_result_metric(run, metrics[j]));
    }
    if (scenario->job.input.is_given) {
        write_stalls(json, run, result);
    }
    if (run->has_theory) {
        run_theory_write_json(scenario, result, json);
    }
}

/* ---- Text ---- */

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
static void write_line(
    const spot_run_result_t *run, const spot_scenario_t *scenario, const line_t *line, FILE *out)
{
    const double value = spot_run_result_metric(run, line->name);

    if (isnan(value)) {
        fprintf(out, "  %-30s %14s\n", line->label, "-");
    } else {
        fprintf(out, "  %-30s %14.*f %s\n", line->label, line->num_decimals, line->factor * value,
            strcmp(line->unit, SPOT_USUAL_CURRENCY) == 0
                ? spot_price_currency(&scenario->fleet.price)
                : line->unit);
    }
}

static void write_outcome(const spot_run_result_t *run, const spot_scenario_t *scenario,
    const spot_train_result_t *result, FILE *out)
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
        write_line(run, scenario, &lines[j], out);
    }
    if (same.num_instances > 0) {
        write_line(run, scenario, &on_demand, out);
        fprintf(out, "  %-30s %14" PRId64 " instances for %.3f h\n", "  rented", same.num_instances,
            same.time_s / 3600);
        write_line(run, scenario, &saving, out);
    }
    if (result->first_training_ms > 0) {
        write_line(run, scenario, &once_started, out);
    }
    if (scenario->until_steps > 0) {
        write_line(run, scenario, &finish, out);
        fprintf(out, "  %-30s %14s\n", "finished", result->is_finished ? "yes" : "no: cut off");
    }
    if (scenario->deadline_ms > 0) {
        strcpy(deadline, "deadline of ");
        spot_duration_text(scenario->deadline_ms, deadline + strlen(deadline));
        fprintf(out, "  %-30s %14s\n", deadline,
            spot_run_result_metric(run, "met_deadline") == 1 ? "met" : "missed");
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

void spot_run_text_write(const spot_run_result_t *run, const spot_scenario_t *scenario,
    const spot_train_result_t *result, FILE *out)
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
    write_outcome(run, scenario, result, out);
    if (run->has_theory) {
        run_theory_write_text(scenario, result, out);
    }
}
