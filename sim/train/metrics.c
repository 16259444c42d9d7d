/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/metrics.h"

#include <math.h>
#include <string.h>

#include "base/units.h"

typedef struct {
    const spot_scenario_t *scenario;
    const spot_train_result_t *result;
} run_t;

/* A formula for one metric or, by argument, for several similar ones. */
typedef double (*formula_t)(const run_t *run, int argument);

static double
ratio(double numerator, double denominator)
{
    return denominator == 0 ? (double) NAN : numerator / denominator;
}

static double
total_instance_ms(const run_t *run)
{
    return (double) spot_ledger_total(&run->result->ledger);
}

/* argument: a category of the ledger. */
static double
share_fraction(const run_t *run, int share)
{
    return ratio(
        (double) run->result->ledger.instance_ms[share], total_instance_ms(run));
}

static double
idle_fraction(const run_t *run, int argument)
{
    const int64_t *instance_ms = run->result->ledger.instance_ms;
    const int64_t idle_ms =
        instance_ms[SPOT_SHARE_PREPPING] + instance_ms[SPOT_SHARE_STANDBY] +
        instance_ms[SPOT_SHARE_RECONFIGURING] + instance_ms[SPOT_SHARE_RELOADING] +
        instance_ms[SPOT_SHARE_STALLED];

    (void) argument;
    return ratio((double) idle_ms, total_instance_ms(run));
}

/* argument: a phase of the job. */
static double
job_fraction(const run_t *run, int phase)
{
    return ratio((double) run->result->job_ms[phase], (double) run->result->horizon_ms);
}

static double
job_stalled_fraction(const run_t *run, int argument)
{
    (void) argument;
    return ratio((double) run->result->stalled_ms, (double) run->result->horizon_ms);
}

static double
job_lost_fraction(const run_t *run, int argument)
{
    (void) argument;
    return ratio((double) run->result->lost_ms, (double) run->result->horizon_ms);
}

enum { STEPS_EXECUTED, STEPS_KEPT, STEPS_DURABLE, STEPS_LOST };

/* A number of steps, with the done part of the last step for a lossless recovery
 * system. */
static double
steps(const run_t *run, int which)
{
    const spot_train_result_t *result = run->result;

    switch (which) {
        case STEPS_EXECUTED:
            return (double) result->steps_executed + result->step_fraction;
        case STEPS_KEPT:
            return (double) (result->steps_executed - result->steps_lost) +
                   result->step_fraction;
        case STEPS_DURABLE:
            return (double) result->steps_durable + result->step_fraction;
        default:
            return (double) result->steps_lost;
    }
}

static double
samples_kept(const run_t *run)
{
    return steps(run, STEPS_KEPT) * (double) run->scenario->job.samples_per_step;
}

static double
samples_per_s(const run_t *run, int argument)
{
    (void) argument;
    return samples_kept(run) * (double) SPOT_MS_PER_S / (double) run->result->horizon_ms;
}

/* Kept samples per second from the first start of training on. */
static double
samples_per_s_once_started(const run_t *run, int argument)
{
    const spot_train_result_t *result = run->result;
    const double span_s =
        result->first_training_ms < 0
            ? 0
            : (double) (result->horizon_ms - result->first_training_ms) /
                  (double) SPOT_MS_PER_S;

    (void) argument;
    return ratio(samples_kept(run), span_s);
}

static double
cost_usd(const run_t *run, int argument)
{
    (void) argument;
    return run->result->cost_usd;
}

static double
cost_on_demand_usd(const run_t *run, int argument)
{
    (void) argument;
    return spot_price_usd(run->scenario->fleet.price.on_demand_usd_per_h,
        spot_ledger_total(&run->result->ledger));
}

static double
horizon_h(const run_t *run)
{
    return (double) run->result->horizon_ms / (double) SPOT_MS_PER_H;
}

static double
usd_per_h(const run_t *run, int argument)
{
    (void) argument;
    return cost_usd(run, 0) / horizon_h(run);
}

static double
usd_per_1000_samples(const run_t *run, int argument)
{
    (void) argument;
    return ratio(1000 * cost_usd(run, 0), samples_kept(run));
}

static double
samples_per_usd(const run_t *run, int argument)
{
    (void) argument;
    return ratio(samples_kept(run), cost_usd(run, 0));
}

static double
mean_instances(const run_t *run, int argument)
{
    (void) argument;
    return total_instance_ms(run) / (double) run->result->horizon_ms;
}

enum {
    COUNT_PREEMPTED,
    COUNT_ADDED,
    COUNT_CLIPPED,
    COUNT_RECONFIGURATIONS,
    COUNT_ROLLBACKS,
    COUNT_FATAL,
    COUNT_PEAK
};

static double
count(const run_t *run, int which)
{
    const spot_train_result_t *result = run->result;
    const int64_t counts[] = {
        [COUNT_PREEMPTED] = result->preempted,
        [COUNT_ADDED] = result->added,
        [COUNT_CLIPPED] = result->clipped,
        [COUNT_RECONFIGURATIONS] = result->reconfigurations,
        [COUNT_ROLLBACKS] = result->rollbacks,
        [COUNT_FATAL] = result->fatal,
        [COUNT_PEAK] = result->peak_instances,
    };

    return (double) counts[which];
}

static double
count_per_h(const run_t *run, int which)
{
    return count(run, which) / horizon_h(run);
}

/* The mean gap between num preemptions; NAN for fewer than two. */
static double
mean_gap_s(const spot_train_result_t *result, int64_t num)
{
    const double span_s =
        (double) (result->last_preemption_ms - result->first_preemption_ms) /
        (double) SPOT_MS_PER_S;

    return num < 2 ? (double) NAN : span_s / (double) (num - 1);
}

/* The mean gap between consecutive ticks at which instances are preempted. */
static double
mtbp_s(const run_t *run, int argument)
{
    (void) argument;
    return mean_gap_s(run->result, run->result->preemption_events);
}

/* The mean gap between preempted instances; it is 0 between those of one tick. */
static double
preemption_gap_s(const run_t *run, int argument)
{
    (void) argument;
    return mean_gap_s(run->result, run->result->preempted);
}

static double
mean_lifetime_h(const run_t *run, int argument)
{
    (void) argument;
    return ratio(total_instance_ms(run) / (double) SPOT_MS_PER_H,
        (double) (run->result->initial + run->result->added));
}

static double
time_to_finish_s(const run_t *run, int argument)
{
    (void) argument;
    return run->result->is_finished
               ? (double) run->result->horizon_ms / (double) SPOT_MS_PER_S
               : (double) NAN;
}

#define PAID "fraction of the paid instance time"
#define CLOCK "fraction of the job's time"

/* X(name, unit, kind, better, label, noun, formula, argument, help). No metric is the
 * ratio of two others: the totals are not among the metrics. */
#define METRICS(X)                                                                      \
    X(idle_fraction, "1", SHARE, LOWER, "idle", "idle time", idle_fraction, 0,          \
        PAID ": prepping, standby, reconfiguring, reloading and stalled")               \
    X(prepping_fraction, "1", SHARE, LOWER, "prepping", "prepping time",                \
        share_fraction, SPOT_SHARE_PREPPING, PAID ": booting and installing")           \
    X(standby_fraction, "1", SHARE, LOWER, "standby", "standby time", share_fraction,   \
        SPOT_SHARE_STANDBY, PAID ": ready, not in a pipeline")                          \
    X(reconfiguring_fraction, "1", SHARE, LOWER, "reconfiguring", "reconfiguring time", \
        share_fraction, SPOT_SHARE_RECONFIGURING, PAID ": forming pipelines")           \
    X(reloading_fraction, "1", SHARE, LOWER, "reloading", "reloading time",             \
        share_fraction, SPOT_SHARE_RELOADING, PAID ": loading the durable state")       \
    X(stalled_fraction, "1", SHARE, LOWER, "stalled", "stalled time", share_fraction,   \
        SPOT_SHARE_STALLED, PAID ": waiting for a checkpoint")                          \
    X(goodput_fraction, "1", SHARE, HIGHER, "goodput", "goodput", share_fraction,       \
        SPOT_SHARE_USEFUL,                                                              \
        PAID ": steps that a durable checkpoint or the end of the job keeps")           \
    X(lost_fraction, "1", SHARE, LOWER, "lost", "lost time", share_fraction,            \
        SPOT_SHARE_LOST,                                                                \
        PAID ": work that rollbacks after losses and additions threw away")             \
    X(unsaved_fraction, "1", SHARE, LOWER, "unsaved", "unsaved time", share_fraction,   \
        SPOT_SHARE_UNSAVED, PAID ": work that was not durable when the run ended")      \
    X(redundant_fraction, "1", SHARE, LOWER, "redundant", "redundant time",             \
        share_fraction, SPOT_SHARE_REDUNDANT, PAID ": work done only for redundancy")   \
    X(job_waiting_fraction, "1", SHARE, LOWER, "job waiting", "job waiting time",       \
        job_fraction, SPOT_JOB_WAITING, CLOCK ": waiting for enough instances")         \
    X(job_reconfiguring_fraction, "1", SHARE, LOWER, "job reconfiguring",               \
        "job reconfiguring time", job_fraction, SPOT_JOB_RECONFIGURING,                 \
        CLOCK ": forming pipelines")                                                    \
    X(job_reloading_fraction, "1", SHARE, LOWER, "job reloading", "job reloading time", \
        job_fraction, SPOT_JOB_RELOADING, CLOCK ": loading the durable state")          \
    X(job_training_fraction, "1", SHARE, HIGHER, "job training", "job training time",   \
        job_fraction, SPOT_JOB_TRAINING,                                                \
        CLOCK ": training, lost work and stalls included")                              \
    X(job_stalled_fraction, "1", SHARE, LOWER, "job stalled", "job stalled time",       \
        job_stalled_fraction, 0, CLOCK ": waiting for a checkpoint")                    \
    X(job_lost_fraction, "1", SHARE, LOWER, "job lost", "job lost time",                \
        job_lost_fraction, 0, CLOCK ": training that a rollback threw away")            \
    X(steps_executed, "steps", PLAIN, HIGHER, NULL, NULL, steps, STEPS_EXECUTED,        \
        "steps that ended")                                                             \
    X(steps_kept, "steps", GAIN, HIGHER, NULL, NULL, steps, STEPS_KEPT,                 \
        "executed less lost")                                                           \
    X(steps_durable, "steps", GAIN, HIGHER, NULL, NULL, steps, STEPS_DURABLE,           \
        "recoverable at the end")                                                       \
    X(steps_lost, "steps", PLAIN, LOWER, NULL, NULL, steps, STEPS_LOST, "rolled back")  \
    X(samples_per_s, "samples/s", GAIN, HIGHER, NULL, NULL, samples_per_s, 0,           \
        "samples of the steps kept over the whole run")                                 \
    X(time_to_finish_s, "s", TIME, LOWER, NULL, NULL, time_to_finish_s, 0,              \
        "when the steps of until.steps were kept; null if they were not")               \
    X(cost_usd, "USD", COST, LOWER, NULL, NULL, cost_usd, 0,                            \
        "all instance time at the price of its time, and services of the recovery "     \
        "system")                                                                       \
    X(cost_on_demand_usd, "USD", COST, LOWER, NULL, NULL, cost_on_demand_usd, 0,        \
        "the same instance time at the on-demand price, without services")              \
    X(usd_per_h, "USD/h", COST, LOWER, NULL, NULL, usd_per_h, 0,                        \
        "cost over the whole run")                                                      \
    X(usd_per_1000_samples, "USD", COST, LOWER, NULL, NULL, usd_per_1000_samples, 0,    \
        "cost of 1,000 samples kept; null if none was")                                 \
    X(samples_per_usd, "samples/USD", GAIN, HIGHER, NULL, NULL, samples_per_usd, 0,     \
        "samples kept for a dollar; null if nothing was paid")                          \
    X(mean_instances, "instances", PLAIN, NEITHER, NULL, NULL, mean_instances, 0,       \
        "paid at a time, on average")                                                   \
    X(peak_instances, "instances", PLAIN, NEITHER, NULL, NULL, count, COUNT_PEAK,       \
        "most at a time")                                                               \
    X(preempted, "instances", PLAIN, LOWER, NULL, NULL, count, COUNT_PREEMPTED,         \
        "taken by the provider")                                                        \
    X(added, "instances", PLAIN, NEITHER, NULL, NULL, count, COUNT_ADDED,               \
        "that arrived after time 0")                                                    \
    X(clipped, "instances", PLAIN, LOWER, NULL, NULL, count, COUNT_CLIPPED,             \
        "of the trace that could not be taken or added")                                \
    X(preempted_per_h, "instances/h", PLAIN, LOWER, NULL, NULL, count_per_h,            \
        COUNT_PREEMPTED, "taken by the provider in an hour")                            \
    X(mtbp_s, "s", TIME, HIGHER, NULL, NULL, mtbp_s, 0,                                 \
        "mean time between ticks with a preemption; null below two of them")            \
    X(rollbacks, "1", PLAIN, LOWER, NULL, NULL, count, COUNT_ROLLBACKS,                 \
        "while training")                                                               \
    X(reconfigurations, "1", PLAIN, LOWER, NULL, NULL, count, COUNT_RECONFIGURATIONS,   \
        "new pipelines or none after a loss or an addition")                            \
    X(fatal, "1", PLAIN, LOWER, NULL, NULL, count, COUNT_FATAL,                         \
        "losses that a redundant recovery system could not absorb")                     \
    X(preemption_gap_s, "s", TIME, HIGHER, NULL, NULL, preemption_gap_s, 0,             \
        "mean time from one preempted instance to the next; null below two of them")    \
    X(mean_lifetime_h, "h", TIME, HIGHER, NULL, NULL, mean_lifetime_h, 0,               \
        "from arrival to end of an instance, or of the run if that is sooner")          \
    X(samples_per_s_once_started, "samples/s", GAIN, HIGHER, NULL, NULL,                \
        samples_per_s_once_started, 0,                                                  \
        "samples of the steps kept over the run from the first start of training")

#define METRIC_ENTRY(                                                                   \
    name_, unit_, kind_, better_, label_, noun_, formula, argument, help_)              \
    {.name = #name_,                                                                    \
        .unit = unit_,                                                                  \
        .help = help_,                                                                  \
        .label = label_,                                                                \
        .noun = noun_,                                                                  \
        .kind = SPOT_METRIC_##kind_,                                                    \
        .better = SPOT_BETTER_##better_},
#define METRIC_FORMULA(name, unit, kind, better, label, noun, formula, argument, help)  \
    {formula, argument},

const spot_metric_t spot_train_metrics[SPOT_TRAIN_NUM_METRICS] = {METRICS(METRIC_ENTRY)};

static const struct {
    formula_t formula;
    int argument;
} formulas[] = {METRICS(METRIC_FORMULA)};

_Static_assert(sizeof(formulas) / sizeof(formulas[0]) == SPOT_TRAIN_NUM_METRICS,
    "the number of metrics in the header");

void
spot_train_metric_values(
    const spot_scenario_t *scenario, const spot_train_result_t *result, double *values)
{
    const run_t run = {scenario, result};

    for (size_t j = 0; j < SPOT_TRAIN_NUM_METRICS; j++) {
        values[j] = formulas[j].formula(&run, formulas[j].argument);
    }
}

double
spot_train_metric(
    const spot_scenario_t *scenario, const spot_train_result_t *result, const char *name)
{
    const run_t run = {scenario, result};

    for (size_t j = 0; j < SPOT_TRAIN_NUM_METRICS; j++) {
        if (strcmp(spot_train_metrics[j].name, name) == 0) {
            return formulas[j].formula(&run, formulas[j].argument);
        }
    }
    return (double) NAN;
}

const spot_warning_t spot_train_warnings[SPOT_TRAIN_NUM_WARNINGS] = {
    {"flat_step_time", "a world size outside the measured ones was used with the step "
                       "time of the nearest: measure it, or keep the fleet within them"},
    {"clipped", "the trace took or added more instances than there were or than the "
                "capacity: raise fleet.capacity if that is not meant"},
    {"past_trace_end", "the run went on after the end of the trace with the instances "
                       "it left: horizon: trace-end stops there"},
    {"never_trained",
        "the job never ran: at no time were there enough ready instances, with a step "
        "time, for the pipelines that its recovery system starts with. Give it more "
        "instances (fleet.initial, fleet.capacity) or a smaller job.pipeline_depth, and "
        "see that job.step_time has what fits"},
    {"no_step_time",
        "fewer pipelines formed than there were instances for: job.step_time has no "
        "step time of so many, or of that (D,P). Measure or model it (spotsim model "
        "fit), or set job.max_pipelines"},
    {"fitted_step_time", "a step time was used that the table of job.step_time marks as "
                         "fitted, not measured: measure it to be sure"},
    {"clipped_forecasts",
        "forecasts or timers of the recovery system were cut off at its limits"},
    {"approximate_step_time",
        "steps with places lost took as long as an approximation says, unverified"},
    {"clairvoyant", "the recovery system was clairvoyant: it knew what was to come, as "
                    "no real one does"},
    {"published_defaults",
        "figures of the recovery system are of its paper and the model there, not of "
        "this job (published_defaults: yes): Bamboo NSDI'23 for BERT and GPT-2, Gemini "
        "SOSP'23, Oobleck SOSP'23 for BERT-large and GPT-2, Parcae NSDI'24 for GPT-2 of "
        "1.5B parameters, ReCycle SOSP'24, Varuna EuroSys'22; see spotsim recovery"},
};

void
spot_train_warning_flags(const spot_train_result_t *result, unsigned char *flags)
{
    flags[0] = result->has_flat_step_time;
    flags[1] = result->clipped > 0;
    flags[2] = result->is_past_trace_end;
    flags[3] = result->job_ms[SPOT_JOB_WAITING] == result->horizon_ms;
    flags[4] = result->lacks_step_time;
    flags[5] = result->has_fitted_step_time;
    flags[6] = result->clipped_forecasts > 0;
    flags[7] = result->has_approximate_step_time;
    flags[8] = result->is_clairvoyant;
    flags[9] = result->has_published_defaults;
}
