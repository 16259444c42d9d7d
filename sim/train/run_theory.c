/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/run_theory.h"

#include <gsl/gsl_cdf.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "models/checkpoint_theory.h"

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

void spot_run_theory_write_text(const spot_run_theory_t *self, FILE *out)
{
    fprintf(out, "\nbeside it, the theory of checkpoints\n");
    if (self->reason != NULL) {
        fprintf(out, "  does not apply: %s\n", self->reason);
        return;
    }
    write_lines(self, out);
    for (int j = 0; j < SPOT_NUM_DOUBTS; j++) {
        if (self->doubts[j]) {
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

void spot_run_theory_write_json(const spot_run_theory_t *self, spot_json_t *json)
{
    spot_json_open(json, "theory", '{');
    spot_json_boolean(json, "applies", self->reason == NULL);
    spot_json_text(json, "reason", self->reason);
    if (self->reason == NULL) {
        write_members(self, json);
    }
    spot_json_close(json, '}');
}
