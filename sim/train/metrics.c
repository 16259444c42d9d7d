/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/metrics.h"

#include <math.h>

#include "base/units.h"

typedef struct {
    const spot_scenario_t *scenario;
    const spot_train_result_t *result;
    spot_same_work_t same_work; /* as the steps kept */
} run_t;

/* A formula for one metric or, by argument, for several similar ones. NULL: derived. */
typedef double (*formula_t)(const run_t *run, int argument);

/* argument: a category of the ledger. */
static double
share_ms(const run_t *run, int share)
{
    return (double) run->result->ledger.instance_ms[share];
}

static double
paid_ms(const run_t *run, int argument)
{
    (void) argument;
    return (double) spot_ledger_total(&run->result->ledger);
}

static double
idle_ms(const run_t *run, int argument)
{
    const int64_t *instance_ms = run->result->ledger.instance_ms;

    (void) argument;
    return (double) (instance_ms[SPOT_SHARE_PREPPING] + instance_ms[SPOT_SHARE_STANDBY] +
                     instance_ms[SPOT_SHARE_RECONFIGURING] +
                     instance_ms[SPOT_SHARE_RELOADING] +
                     instance_ms[SPOT_SHARE_STALLED]);
}

/* argument: a phase of the job. */
static double
job_ms(const run_t *run, int phase)
{
    return (double) run->result->job_ms[phase];
}

enum { CLOCK_RUN, CLOCK_STALLED, CLOCK_LOST, CLOCK_STARTED, CLOCK_PREEMPTIONS };

/* A time of the run. */
static double
clock_ms(const run_t *run, int which)
{
    const spot_train_result_t *result = run->result;
    const int64_t first_ms = result->first_training_ms;
    const int64_t times_ms[] = {
        [CLOCK_RUN] = result->horizon_ms,
        [CLOCK_STALLED] = result->stalled_ms,
        [CLOCK_LOST] = result->lost_ms,
        [CLOCK_STARTED] = first_ms < 0 ? 0 : result->horizon_ms - first_ms,
        [CLOCK_PREEMPTIONS] = result->last_preemption_ms - result->first_preemption_ms,
    };

    return (double) times_ms[which];
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
samples_kept(const run_t *run, int argument)
{
    (void) argument;
    return steps(run, STEPS_KEPT) * (double) run->scenario->job.samples_per_step;
}

static double
cost_usd(const run_t *run, int argument)
{
    (void) argument;
    return run->result->cost_usd;
}

enum {
    COUNT_PREEMPTED,
    COUNT_ADDED,
    COUNT_CLIPPED,
    COUNT_RECONFIGURATIONS,
    COUNT_ROLLBACKS,
    COUNT_FATAL,
    COUNT_PEAK,
    COUNT_USED,
    COUNT_GAPS,
    COUNT_TICK_GAPS
};

static int64_t
num_gaps(int64_t num_events)
{
    return num_events > 1 ? num_events - 1 : 0;
}

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
        [COUNT_USED] = result->initial + result->added,
        [COUNT_GAPS] = num_gaps(result->preempted),
        [COUNT_TICK_GAPS] = num_gaps(result->preemption_events),
    };

    return (double) counts[which];
}

static double
finished(const run_t *run, int argument)
{
    (void) argument;
    return run->scenario->until_steps > 0 ? run->result->is_finished : (double) NAN;
}

static double
met_deadline(const run_t *run, int argument)
{
    (void) argument;
    return run->scenario->deadline_ms > 0
               ? run->result->is_finished &&
                     run->result->horizon_ms <= run->scenario->deadline_ms
               : (double) NAN;
}

enum { SAME_WORK_USD, SAME_WORK_S, SAME_WORK_INSTANCES, SAVING_USD };

static double
same_work(const run_t *run, int which)
{
    const spot_same_work_t *same = &run->same_work;
    const double values[] = {
        [SAME_WORK_USD] = same->cost_usd,
        [SAME_WORK_S] = same->time_s,
        [SAME_WORK_INSTANCES] = (double) same->num_instances,
        [SAVING_USD] = same->cost_usd - run->result->cost_usd,
    };

    return same->num_instances > 0 ? values[which] : (double) NAN;
}

#define PAID "fraction of the paid instance time"
#define CLOCK "fraction of the job's time"
#define PAID_MS "paid_instance_ms"

/* METRIC and TOTAL(name, unit, kind, better, label, noun, formula, argument, help),
 * RATIO(name, unit, kind, better, label, noun, numerator, denominator, per, help). */
#define METRICS(METRIC, CUT_OFF, KNOWN, RATIO, TOTAL)                                   \
    RATIO(idle_fraction, "1", SHARE, LOWER, "idle", "idle time", "idle_instance_ms",    \
        PAID_MS, 1, PAID ": prepping, standby, reconfiguring, reloading and stalled")   \
    RATIO(prepping_fraction, "1", SHARE, LOWER, "prepping", "prepping time",            \
        "prepping_instance_ms", PAID_MS, 1, PAID ": booting and installing")            \
    RATIO(standby_fraction, "1", SHARE, LOWER, "standby", "standby time",               \
        "standby_instance_ms", PAID_MS, 1, PAID ": ready, not in a pipeline")           \
    RATIO(reconfiguring_fraction, "1", SHARE, LOWER, "reconfiguring",                   \
        "reconfiguring time", "reconfiguring_instance_ms", PAID_MS, 1,                  \
        PAID ": forming pipelines")                                                     \
    RATIO(reloading_fraction, "1", SHARE, LOWER, "reloading", "reloading time",         \
        "reloading_instance_ms", PAID_MS, 1, PAID ": loading the durable state")        \
    RATIO(stalled_fraction, "1", SHARE, LOWER, "stalled", "stalled time",               \
        "stalled_instance_ms", PAID_MS, 1, PAID ": waiting for a checkpoint")           \
    RATIO(goodput_fraction, "1", SHARE, HIGHER, "goodput", "goodput",                   \
        "useful_instance_ms", PAID_MS, 1,                                               \
        PAID ": steps that a durable checkpoint or the end of the job keeps")           \
    RATIO(lost_fraction, "1", SHARE, LOWER, "lost", "lost time", "lost_instance_ms",    \
        PAID_MS, 1, PAID ": work that rollbacks after losses and additions threw away") \
    RATIO(unsaved_fraction, "1", SHARE, LOWER, "unsaved", "unsaved time",               \
        "unsaved_instance_ms", PAID_MS, 1,                                              \
        PAID ": work that was not durable when the run ended")                          \
    RATIO(redundant_fraction, "1", SHARE, LOWER, "redundant", "redundant time",         \
        "redundant_instance_ms", PAID_MS, 1, PAID ": work done only for redundancy")    \
    RATIO(job_waiting_fraction, "1", SHARE, LOWER, "job waiting", "job waiting time",   \
        "job_waiting_ms", "run_ms", 1, CLOCK ": waiting for enough instances")          \
    RATIO(job_reconfiguring_fraction, "1", SHARE, LOWER, "job reconfiguring",           \
        "job reconfiguring time", "job_reconfiguring_ms", "run_ms", 1,                  \
        CLOCK ": forming pipelines")                                                    \
    RATIO(job_reloading_fraction, "1", SHARE, LOWER, "job reloading",                   \
        "job reloading time", "job_reloading_ms", "run_ms", 1,                          \
        CLOCK ": loading the durable state")                                            \
    RATIO(job_training_fraction, "1", SHARE, HIGHER, "job training",                    \
        "job training time", "job_training_ms", "run_ms", 1,                            \
        CLOCK ": training, lost work and stalls included")                              \
    RATIO(job_stalled_fraction, "1", SHARE, LOWER, "job stalled", "job stalled time",   \
        "job_stalled_ms", "run_ms", 1, CLOCK ": waiting for a checkpoint")              \
    RATIO(job_lost_fraction, "1", SHARE, LOWER, "job lost", "job lost time",            \
        "job_lost_ms", "run_ms", 1, CLOCK ": training that a rollback threw away")      \
    METRIC(steps_executed, "steps", PLAIN, HIGHER, "steps executed",                    \
        "number of steps executed", steps, STEPS_EXECUTED, "steps that ended")          \
    METRIC(steps_kept, "steps", GAIN, HIGHER, "steps kept", "number of steps kept",     \
        steps, STEPS_KEPT, "executed less lost")                                        \
    METRIC(steps_durable, "steps", GAIN, HIGHER, "steps durable",                       \
        "number of durable steps", steps, STEPS_DURABLE, "recoverable at the end")      \
    METRIC(steps_lost, "steps", PLAIN, LOWER, "steps lost", "number of steps lost",     \
        steps, STEPS_LOST, "rolled back")                                               \
    RATIO(samples_per_s, "samples/s", GAIN, HIGHER, "throughput", NULL, "samples_kept", \
        "run_ms", SPOT_MS_PER_S, "samples of the steps kept over the whole run")        \
    CUT_OFF(cost_usd, "USD", COST, LOWER, "cost", NULL, cost_usd, 0,                    \
        "all instance time at the price of its time, and services of the recovery "     \
        "system")                                                                       \
    RATIO(usd_per_h, "USD/h", COST, LOWER, "cost per hour", NULL, "cost_usd", "run_ms", \
        SPOT_MS_PER_H, "cost over the whole run")                                       \
    RATIO(usd_per_1000_samples, "USD", COST, LOWER, "cost per 1,000 samples", NULL,     \
        "cost_usd", "samples_kept", 1000,                                               \
        "cost of 1,000 samples kept; null if none was")                                 \
    RATIO(samples_per_usd, "samples/USD", GAIN, HIGHER, "samples per dollar",           \
        "number of samples per dollar", "samples_kept", "cost_usd", 1,                  \
        "samples kept for a dollar; null if nothing was paid")                          \
    METRIC(same_work_on_demand_usd, "USD", COST, NEITHER, "same work on demand, cost",  \
        "cost of the same work on demand", same_work, SAME_WORK_USD,                    \
        "cost of the steps kept on demand: of the cheapest known world size that is "   \
        "as fast as the run, or meets the deadline; else of the fastest")               \
    METRIC(same_work_on_demand_s, "s", TIME, NEITHER, "same work on demand, time",      \
        "time of the same work on demand", same_work, SAME_WORK_S,                      \
        "time of the same, preparation and stalls for checkpoints included")            \
    METRIC(same_work_on_demand_instances, "instances", PLAIN, NEITHER,                  \
        "same work on demand, size", "number of instances for the same work on demand", \
        same_work, SAME_WORK_INSTANCES, "that world size")                              \
    RATIO(saving_fraction, "1", SHARE, HIGHER, "saving", "saving", "saving_usd",        \
        "same_work_on_demand_usd", 1,                                                   \
        "1 - cost_usd / same_work_on_demand_usd; below 0: on demand is cheaper")        \
    RATIO(mean_instances, "instances", PLAIN, NEITHER, "mean instances",                \
        "mean number of instances", "paid_instance_ms", "run_ms", 1,                    \
        "paid at a time, on average")                                                   \
    METRIC(peak_instances, "instances", PLAIN, NEITHER, "peak instances",               \
        "largest number of instances", count, COUNT_PEAK, "most at a time")             \
    METRIC(preempted, "instances", PLAIN, LOWER, "preempted",                           \
        "number of preempted instances", count, COUNT_PREEMPTED,                        \
        "taken by the provider")                                                        \
    METRIC(added, "instances", PLAIN, NEITHER, "added", "number of added instances",    \
        count, COUNT_ADDED, "that arrived after time 0")                                \
    METRIC(clipped, "instances", PLAIN, LOWER, "clipped",                               \
        "number of clipped instances", count, COUNT_CLIPPED,                            \
        "of the trace that could not be taken or added")                                \
    RATIO(preempted_per_h, "instances/h", PLAIN, LOWER, "preempted",                    \
        "number of preempted instances per hour", "preempted", "run_ms", SPOT_MS_PER_H, \
        "taken by the provider in an hour")                                             \
    RATIO(mtbp_s, "s", TIME, HIGHER, "time between preemptions",                        \
        "mean time between preemptions", "preemption_span_ms", "preemption_tick_gaps",  \
        1.0 / SPOT_MS_PER_S,                                                            \
        "mean time between ticks with a preemption; null below two of them")            \
    METRIC(rollbacks, "1", PLAIN, LOWER, "rollbacks", "number of rollbacks", count,     \
        COUNT_ROLLBACKS, "while training")                                              \
    METRIC(reconfigurations, "1", PLAIN, LOWER, "reconfigurations",                     \
        "number of reconfigurations", count, COUNT_RECONFIGURATIONS,                    \
        "new pipelines or none after a loss or an addition")                            \
    METRIC(fatal, "1", PLAIN, LOWER, "fatal losses", "number of fatal losses", count,   \
        COUNT_FATAL, "losses that a redundant recovery system could not absorb")        \
    RATIO(preemption_gap_s, "s", TIME, HIGHER, "preemption gap",                        \
        "mean gap between preempted instances", "preemption_span_ms",                   \
        "preemption_gaps", 1.0 / SPOT_MS_PER_S,                                         \
        "mean time from one preempted instance to the next; null below two of them")    \
    RATIO(mean_lifetime_h, "h", TIME, HIGHER, "mean lifetime",                          \
        "mean lifetime of an instance", "paid_instance_ms", "instances_used",           \
        1.0 / SPOT_MS_PER_H,                                                            \
        "from arrival to end of an instance, or of the run if that is sooner")          \
    RATIO(samples_per_s_once_started, "samples/s", GAIN, HIGHER,                        \
        "throughput once started", NULL, "samples_kept", "started_ms", SPOT_MS_PER_S,   \
        "samples of the steps kept over the run from the first start of training")      \
    TOTAL(paid_instance_ms, "instance-ms", TIME, NEITHER, "paid", "paid instance time", \
        paid_ms, 0, "paid instance time: the sum of the nine below")                    \
    TOTAL(prepping_instance_ms, "instance-ms", TIME, NEITHER, "prepping",               \
        "prepping instance time", share_ms, SPOT_SHARE_PREPPING,                        \
        "paid instance time: prepping")                                                 \
    TOTAL(standby_instance_ms, "instance-ms", TIME, NEITHER, "standby",                 \
        "standby instance time", share_ms, SPOT_SHARE_STANDBY,                          \
        "paid instance time: standby")                                                  \
    TOTAL(reconfiguring_instance_ms, "instance-ms", TIME, NEITHER, "reconfiguring",     \
        "reconfiguring instance time", share_ms, SPOT_SHARE_RECONFIGURING,              \
        "paid instance time: reconfiguring")                                            \
    TOTAL(reloading_instance_ms, "instance-ms", TIME, NEITHER, "reloading",             \
        "reloading instance time", share_ms, SPOT_SHARE_RELOADING,                      \
        "paid instance time: reloading")                                                \
    TOTAL(useful_instance_ms, "instance-ms", TIME, NEITHER, "useful",                   \
        "useful instance time", share_ms, SPOT_SHARE_USEFUL,                            \
        "paid instance time: useful")                                                   \
    TOTAL(lost_instance_ms, "instance-ms", TIME, NEITHER, "lost", "lost instance time", \
        share_ms, SPOT_SHARE_LOST, "paid instance time: lost")                          \
    TOTAL(unsaved_instance_ms, "instance-ms", TIME, NEITHER, "unsaved",                 \
        "unsaved instance time", share_ms, SPOT_SHARE_UNSAVED,                          \
        "paid instance time: unsaved")                                                  \
    TOTAL(stalled_instance_ms, "instance-ms", TIME, NEITHER, "stalled",                 \
        "stalled instance time", share_ms, SPOT_SHARE_STALLED,                          \
        "paid instance time: stalled")                                                  \
    TOTAL(redundant_instance_ms, "instance-ms", TIME, NEITHER, "redundant",             \
        "redundant instance time", share_ms, SPOT_SHARE_REDUNDANT,                      \
        "paid instance time: redundant")                                                \
    TOTAL(idle_instance_ms, "instance-ms", TIME, NEITHER, "idle", "idle instance time", \
        idle_ms, 0,                                                                     \
        "paid instance time: prepping, standby, reconfiguring, reloading and stalled")  \
    TOTAL(run_ms, "ms", TIME, NEITHER, "run", "length of the run", clock_ms, CLOCK_RUN, \
        "length of the run")                                                            \
    TOTAL(job_waiting_ms, "ms", TIME, NEITHER, "job waiting",                           \
        "waiting time of the job", job_ms, SPOT_JOB_WAITING, "the job's time: waiting") \
    TOTAL(job_reconfiguring_ms, "ms", TIME, NEITHER, "job reconfiguring",               \
        "reconfiguring time of the job", job_ms, SPOT_JOB_RECONFIGURING,                \
        "the job's time: reconfiguring")                                                \
    TOTAL(job_reloading_ms, "ms", TIME, NEITHER, "job reloading",                       \
        "reloading time of the job", job_ms, SPOT_JOB_RELOADING,                        \
        "the job's time: reloading")                                                    \
    TOTAL(job_training_ms, "ms", TIME, NEITHER, "job training",                         \
        "training time of the job", job_ms, SPOT_JOB_TRAINING,                          \
        "the job's time: training")                                                     \
    TOTAL(job_stalled_ms, "ms", TIME, NEITHER, "job stalled",                           \
        "stalled time of the job", clock_ms, CLOCK_STALLED,                             \
        "the job's time: stalled, a part of training")                                  \
    TOTAL(job_lost_ms, "ms", TIME, NEITHER, "job lost", "lost time of the job",         \
        clock_ms, CLOCK_LOST, "the job's time: lost, a part of training")               \
    TOTAL(started_ms, "ms", TIME, NEITHER, "run once started",                          \
        "length of the run once started", clock_ms, CLOCK_STARTED,                      \
        "from the first start of training to the end of the run")                       \
    TOTAL(samples_kept, "samples", GAIN, NEITHER, "samples kept",                       \
        "number of samples kept", samples_kept, 0, "samples of the steps kept")         \
    TOTAL(instances_used, "instances", PLAIN, NEITHER, "instances used",                \
        "number of instances used", count, COUNT_USED, "at time 0 and added")           \
    TOTAL(preemption_span_ms, "ms", TIME, NEITHER, "span of preemptions", NULL,         \
        clock_ms, CLOCK_PREEMPTIONS,                                                    \
        "from the first to the last tick with a preemption")                            \
    TOTAL(preemption_gaps, "1", PLAIN, NEITHER, "preemption gaps",                      \
        "number of preemption gaps", count, COUNT_GAPS,                                 \
        "preempted instances after the first one")                                      \
    TOTAL(preemption_tick_gaps, "1", PLAIN, NEITHER, "preemption tick gaps",            \
        "number of preemption tick gaps", count, COUNT_TICK_GAPS,                       \
        "ticks with a preemption after the first one")                                  \
    TOTAL(saving_usd, "USD", PLAIN, NEITHER, "saving", NULL, same_work, SAVING_USD,     \
        "same_work_on_demand_usd less cost_usd")                                        \
    KNOWN(time_to_finish_s, "s", TIME, LOWER, "time to finish", NULL, "run_ms", NULL,   \
        1.0 / SPOT_MS_PER_S, "finished",                                                \
        "when the steps of until.steps were kept; null if they were not")               \
    METRIC(finished, "1", PROBABILITY, HIGHER, "finished", "probability to finish",     \
        finished, 0,                                                                    \
        "1 if the steps of until.steps were kept, else 0; its mean is a probability")   \
    METRIC(met_deadline, "1", PROBABILITY, HIGHER, "deadline met",                      \
        "probability to meet the deadline", met_deadline, 0,                            \
        "1 if they were kept by the deadline, else 0")

#define WORDS(name_, unit_, kind_, better_, label_, noun_, help_)                       \
    .name = #name_, .unit = unit_, .help = help_, .label = label_, .noun = noun_,       \
    .kind = SPOT_METRIC_##kind_, .better = SPOT_BETTER_##better_
#define METRIC_ENTRY(name, unit, kind, better, label, noun, formula, argument, help)    \
    {WORDS(name, unit, kind, better, label, noun, help)},
#define CUT_OFF_ENTRY(name, unit, kind, better, label, noun, formula, argument, help)   \
    {WORDS(name, unit, kind, better, label, noun, help), .known_if = "finished"},
#define TOTAL_ENTRY(name, unit, kind, better, label, noun, formula, argument, help)     \
    {WORDS(name, unit, kind, better, label, noun, help), .is_total = true},
#define RATIO_ENTRY(                                                                    \
    name, unit, kind, better, label, noun, numerator_, denominator_, per_, help)        \
    {WORDS(name, unit, kind, better, label, noun, help), .numerator = numerator_,       \
        .denominator = denominator_, .per = per_},
#define KNOWN_ENTRY(name, unit, kind, better, label, noun, numerator_, denominator_,    \
    per_, known_if_, help)                                                              \
    {WORDS(name, unit, kind, better, label, noun, help), .numerator = numerator_,       \
        .denominator = denominator_, .per = per_, .known_if = known_if_},

#define METRIC_FORMULA(name, unit, kind, better, label, noun, formula, argument, help)  \
    {formula, argument},
#define NO_FORMULA(...) {NULL, 0},

const spot_metric_t spot_train_metrics[SPOT_TRAIN_NUM_METRICS] = {
    METRICS(METRIC_ENTRY, CUT_OFF_ENTRY, KNOWN_ENTRY, RATIO_ENTRY, TOTAL_ENTRY)};

static const struct {
    formula_t formula;
    int argument;
} formulas[] = {
    METRICS(METRIC_FORMULA, METRIC_FORMULA, NO_FORMULA, NO_FORMULA, METRIC_FORMULA)};

_Static_assert(sizeof(formulas) / sizeof(formulas[0]) == SPOT_TRAIN_NUM_METRICS,
    "the number of metrics in the header");

spot_same_work_t
spot_train_same_work(const spot_scenario_t *scenario, const spot_train_result_t *result)
{
    const run_t run = {.scenario = scenario, .result = result};
    const spot_work_done_t work = {.steps = steps(&run, STEPS_KEPT),
        .within_ms =
            scenario->deadline_ms > 0 ? scenario->deadline_ms : result->horizon_ms,
        .preparation_ms = scenario->fleet.preparation_ms,
        .instance_usd_per_h = scenario->fleet.price.on_demand_usd_per_h,
        .service_usd_per_h = scenario->recovery.service_usd_per_h};

    return spot_same_work_find(&scenario->rentals, &work);
}

void
spot_train_yield(const spot_scenario_t *scenario, const spot_train_result_t *result,
    size_t num_values, double *values)
{
    run_t run = {.scenario = scenario, .result = result};

    run.same_work = spot_train_same_work(scenario, result);
    for (size_t j = 0; j < num_values; j++) {
        if (formulas[j].formula != NULL) {
            values[j] = formulas[j].formula(&run, formulas[j].argument);
        }
    }
}

void
spot_train_metric_values(
    const spot_scenario_t *scenario, const spot_train_result_t *result, double *values)
{
    spot_train_yield(scenario, result, SPOT_TRAIN_NUM_METRICS, values);
    spot_metrics_derive(spot_train_metrics, SPOT_TRAIN_NUM_METRICS, values);
}

double
spot_train_metric(
    const spot_scenario_t *scenario, const spot_train_result_t *result, const char *name)
{
    const size_t metric_id =
        spot_metric_find(spot_train_metrics, SPOT_TRAIN_NUM_METRICS, name);
    double values[SPOT_TRAIN_NUM_METRICS];

    if (metric_id == SPOT_TRAIN_NUM_METRICS) {
        return (double) NAN;
    }
    spot_train_metric_values(scenario, result, values);
    return values[metric_id];
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
        "fewer pipelines formed than there were instances for: no step time is known of "
        "so many, or of that (D,P). Measure or model it (job.step_time, or the table of "
        "the recovery system; spotsim model fit), or set job.max_pipelines"},
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
