/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/metrics.h"

#include <math.h>
#include <stddef.h>

#include "base/units.h"

typedef struct {
    const spot_scenario_t *scenario;
    const spot_train_result_t *result;
    spot_same_work_t same_work; /* as the steps kept */
} run_t;

/* A formula for one metric or, by argument, for several similar ones. NULL: derived. */
typedef double (*formula_t)(const run_t *run, int argument);

/* argument: of an int64_t of the result. */
static double integer(const run_t *run, int offset)
{
    return (double) *(const int64_t *) ((const char *) run->result + offset);
}

static double paid_ms(const run_t *run, int argument)
{
    (void) argument;
    return (double) spot_ledger_total(&run->result->ledger);
}

static double idle_ms(const run_t *run, int argument)
{
    const int64_t *instance_ms = run->result->ledger.instance_ms;

    (void) argument;
    return (double) (instance_ms[SPOT_SHARE_PREPPING] + instance_ms[SPOT_SHARE_STANDBY] +
                     instance_ms[SPOT_SHARE_RECONFIGURING] + instance_ms[SPOT_SHARE_RELOADING] +
                     instance_ms[SPOT_SHARE_STALLED]);
}

static double started_ms(const run_t *run, int argument)
{
    const int64_t first_ms = run->result->first_training_ms;

    (void) argument;
    return first_ms < 0 ? 0 : (double) (run->result->horizon_ms - first_ms);
}

static double preemption_span_ms(const run_t *run, int argument)
{
    (void) argument;
    return (double) (run->result->last_preemption_ms - run->result->first_preemption_ms);
}

/* The rest of the stalled time of the ledger. */
static double checkpoint_stalled_ms(const run_t *run, int argument)
{
    const spot_train_result_t *result = run->result;

    (void) argument;
    return (double) (result->ledger.instance_ms[SPOT_SHARE_STALLED] -
                     result->input_stalled_instance_ms);
}

/* A number of steps, with the done part of the last step for a lossless recovery
 * system. */
static double steps(const run_t *run, int offset)
{
    return integer(run, offset) + run->result->step_fraction;
}

static double steps_kept(const run_t *run, int argument)
{
    const spot_train_result_t *result = run->result;

    (void) argument;
    return (double) (result->steps_executed - result->steps_lost) + result->step_fraction;
}

static double samples_kept(const run_t *run, int argument)
{
    (void) argument;
    return steps_kept(run, 0) * (double) run->scenario->job.samples_per_step;
}

static double cost_usd(const run_t *run, int argument)
{
    (void) argument;
    return run->result->cost_usd;
}

static double instances_used(const run_t *run, int argument)
{
    (void) argument;
    return (double) (run->result->initial + run->result->added);
}

/* The gaps between so many events. */
static double gaps(const run_t *run, int offset)
{
    return fmax(integer(run, offset) - 1, 0);
}

static double finished(const run_t *run, int argument)
{
    (void) argument;
    return run->scenario->until_steps > 0 ? run->result->is_finished : (double) NAN;
}

static double met_deadline(const run_t *run, int argument)
{
    (void) argument;
    return run->scenario->deadline_ms > 0
               ? run->result->is_finished && run->result->horizon_ms <= run->scenario->deadline_ms
               : (double) NAN;
}

enum { SAME_WORK_USD, SAME_WORK_S, SAME_WORK_INSTANCES, SAVING_USD };

static double same_work(const run_t *run, int which)
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

#define AT(member) (int) offsetof(spot_train_result_t, member)
#define PAID "fraction of the paid instance time"

/* Parts of the paid instance time and of the job's time. */
#define PAID_SHARE(RATIO, part, help)                                                              \
    RATIO(part##_fraction, "1", SHARE, LOWER, #part, #part " time", #part "_instance_ms",          \
        "paid_instance_ms", 1, PAID ": " help)
#define JOB_SHARE(RATIO, part, better, help)                                                       \
    RATIO(job_##part##_fraction, "1", SHARE, better, "job " #part, "job " #part " time",           \
        "job_" #part "_ms", "run_ms", 1, "fraction of the job's time: " help)
#define PAID_TOTAL(TOTAL, part, formula, argument, help)                                           \
    TOTAL(part##_instance_ms, "instance-ms", TIME, NEITHER, #part, #part " instance time",         \
        formula, argument, "paid instance time: " help)
#define JOB_TOTAL(TOTAL, part, formula, argument, help)                                            \
    TOTAL(job_##part##_ms, "ms", TIME, NEITHER, "job " #part, #part " time of the job", formula,   \
        argument, "the job's time: " help)

/* Only with job.input. */
#define INPUT_METRICS(RATIO, TOTAL)                                                                \
    RATIO(data_stall_fraction, "1", SHARE, LOWER, "data stall", "time waiting for data",           \
        "stalled_input_instance_ms", "paid_instance_ms", 1,                                        \
        PAID ": the part of stalled in which steps wait for data")                                 \
    RATIO(checkpoint_stall_fraction, "1", SHARE, LOWER, "checkpoint stall",                        \
        "time waiting for checkpoints", "stalled_checkpoint_instance_ms", "paid_instance_ms", 1,   \
        PAID ": the rest of stalled")                                                              \
    PAID_TOTAL(                                                                                    \
        TOTAL, stalled_input, integer, AT(input_stalled_instance_ms), "stalled, waiting for data") \
    PAID_TOTAL(                                                                                    \
        TOTAL, stalled_checkpoint, checkpoint_stalled_ms, 0, "stalled, waiting for a checkpoint")

/* METRIC, COUNT of events and TOTAL(name, unit, kind, better, label, noun, formula, argument,
 * help), RATIO(name, unit, kind, better, label, noun, numerator, denominator, per, help). */
#define METRICS(METRIC, COUNT, CUT_OFF, KNOWN, RATIO, TOTAL)                                       \
    INPUT_METRICS(RATIO, TOTAL)                                                                    \
    PAID_SHARE(RATIO, idle, "prepping, standby, reconfiguring, reloading and stalled")             \
    PAID_SHARE(RATIO, prepping, "booting and installing")                                          \
    PAID_SHARE(RATIO, standby, "ready, not in a pipeline")                                         \
    PAID_SHARE(RATIO, reconfiguring, "forming pipelines")                                          \
    PAID_SHARE(RATIO, reloading, "loading the durable state")                                      \
    PAID_SHARE(RATIO, stalled, "waiting for a checkpoint or for data")                             \
    RATIO(goodput_fraction, "1", SHARE, HIGHER, "goodput", "goodput", "useful_instance_ms",        \
        "paid_instance_ms", 1,                                                                     \
        PAID ": steps that a durable checkpoint or the end of the job keeps")                      \
    PAID_SHARE(RATIO, lost, "work that rollbacks after losses and additions threw away")           \
    PAID_SHARE(RATIO, unsaved, "work that was not durable when the run ended")                     \
    PAID_SHARE(RATIO, redundant, "work done only for redundancy")                                  \
    JOB_SHARE(RATIO, waiting, LOWER, "waiting for enough instances")                               \
    JOB_SHARE(RATIO, reconfiguring, LOWER, "forming pipelines")                                    \
    JOB_SHARE(RATIO, reloading, LOWER, "loading the durable state")                                \
    JOB_SHARE(RATIO, training, HIGHER, "training, lost work and stalls included")                  \
    JOB_SHARE(RATIO, stalled, LOWER, "waiting for a checkpoint or for data")                       \
    JOB_SHARE(RATIO, lost, LOWER, "training that a rollback threw away")                           \
    RATIO(unmeasured_fraction, "1", SHARE, LOWER, "unmeasured", "training time not measured",      \
        "job_unmeasured_ms", "job_training_ms", 1,                                                 \
        "fraction of the job's training time: at a world size below the smallest or above the "    \
        "largest of job.step_time; 0 with step times by (D,P); null without training")             \
    METRIC(steps_executed, "steps", PLAIN, HIGHER, "steps executed", "number of steps executed",   \
        steps, AT(steps_executed), "steps that ended")                                             \
    METRIC(steps_kept, "steps", GAIN, HIGHER, "steps kept", "number of steps kept", steps_kept, 0, \
        "executed less lost")                                                                      \
    METRIC(steps_durable, "steps", GAIN, HIGHER, "steps durable", "number of durable steps",       \
        steps, AT(steps_durable), "recoverable at the end")                                        \
    METRIC(steps_lost, "steps", PLAIN, LOWER, "steps lost", "number of steps lost", integer,       \
        AT(steps_lost), "rolled back")                                                             \
    RATIO(samples_per_s, "samples/s", GAIN, HIGHER, "throughput", NULL, "samples_kept", "run_ms",  \
        SPOT_MS_PER_S, "samples of the steps kept over the whole run")                             \
    CUT_OFF(cost_usd, "USD", COST, LOWER, "cost", NULL, cost_usd, 0,                               \
        "all instance time at the price of its time, and services of the recovery "                \
        "system")                                                                                  \
    RATIO(usd_per_h, "USD/h", COST, LOWER, "cost per hour", NULL, "cost_usd", "run_ms",            \
        SPOT_MS_PER_H, "cost over the whole run")                                                  \
    RATIO(usd_per_1000_samples, "USD", COST, LOWER, "cost per 1,000 samples", NULL, "cost_usd",    \
        "samples_kept", 1000, "cost of 1,000 samples kept; null if none was")                      \
    RATIO(samples_per_usd, "samples/USD", GAIN, HIGHER, "samples per dollar",                      \
        "number of samples per dollar", "samples_kept", "cost_usd", 1,                             \
        "samples kept for a dollar; null if nothing was paid")                                     \
    METRIC(same_work_on_demand_usd, "USD", COST, NEITHER, "same work on demand, cost",             \
        "cost of the same work on demand", same_work, SAME_WORK_USD,                               \
        "cost of the steps kept on demand: of the cheapest known world size that is "              \
        "as fast as the run, or meets the deadline; else of the fastest")                          \
    METRIC(same_work_on_demand_s, "s", TIME, NEITHER, "same work on demand, time",                 \
        "time of the same work on demand", same_work, SAME_WORK_S,                                 \
        "time of the same, preparation and stalls for checkpoints included")                       \
    METRIC(same_work_on_demand_instances, "instances", PLAIN, NEITHER,                             \
        "same work on demand, size", "number of instances for the same work on demand", same_work, \
        SAME_WORK_INSTANCES, "that world size")                                                    \
    RATIO(saving_fraction, "1", SHARE, HIGHER, "saving", "saving", "saving_usd",                   \
        "same_work_on_demand_usd", 1,                                                              \
        "1 - cost_usd / same_work_on_demand_usd; below 0: on demand is cheaper")                   \
    RATIO(mean_instances, "instances", PLAIN, NEITHER, "mean instances",                           \
        "mean number of instances", "paid_instance_ms", "run_ms", 1, "paid at a time, on average") \
    METRIC(peak_instances, "instances", PLAIN, NEITHER, "peak instances",                          \
        "largest number of instances", integer, AT(peak_instances), "most at a time")              \
    COUNT(preempted, "instances", PLAIN, LOWER, "preempted", "number of preempted instances",      \
        integer, AT(preempted), "taken by the provider")                                           \
    COUNT(added, "instances", PLAIN, NEITHER, "added", "number of added instances", integer,       \
        AT(added), "that arrived after time 0")                                                    \
    COUNT(clipped, "instances", PLAIN, LOWER, "clipped", "number of clipped instances", integer,   \
        AT(clipped), "of the trace that could not be taken or added")                              \
    RATIO(preempted_per_h, "instances/h", PLAIN, LOWER, "preempted",                               \
        "number of preempted instances per hour", "preempted", "run_ms", SPOT_MS_PER_H,            \
        "taken by the provider in an hour")                                                        \
    RATIO(mtbp_s, "s", TIME, HIGHER, "time between preemptions", "mean time between preemptions",  \
        "preemption_span_ms", "preemption_tick_gaps", 1.0 / SPOT_MS_PER_S,                         \
        "mean time between ticks with a preemption; null below two of them")                       \
    COUNT(rollbacks, "1", PLAIN, LOWER, "rollbacks", "number of rollbacks", integer,               \
        AT(rollbacks), "while training")                                                           \
    COUNT(reconfigurations, "1", PLAIN, LOWER, "reconfigurations", "number of reconfigurations",   \
        integer, AT(reconfigurations), "new pipelines or none after a loss or an addition")        \
    COUNT(fatal, "1", PLAIN, LOWER, "fatal losses", "number of fatal losses", integer, AT(fatal),  \
        "losses that a redundant recovery system could not absorb")                                \
    RATIO(preemption_gap_s, "s", TIME, HIGHER, "preemption gap",                                   \
        "mean gap between preempted instances", "preemption_span_ms", "preemption_gaps",           \
        1.0 / SPOT_MS_PER_S,                                                                       \
        "mean time from one preempted instance to the next; null below two of them")               \
    RATIO(mean_lifetime_h, "h", TIME, HIGHER, "mean lifetime", "mean lifetime of an instance",     \
        "paid_instance_ms", "instances_used", 1.0 / SPOT_MS_PER_H,                                 \
        "from arrival to end of an instance, or of the run if that is sooner")                     \
    RATIO(samples_per_s_once_started, "samples/s", GAIN, HIGHER, "throughput once started", NULL,  \
        "samples_kept", "started_ms", SPOT_MS_PER_S,                                               \
        "samples of the steps kept over the run from the first start of training")                 \
    PAID_TOTAL(TOTAL, paid, paid_ms, 0, "the sum of the nine below")                               \
    PAID_TOTAL(TOTAL, prepping, integer, AT(ledger.instance_ms[SPOT_SHARE_PREPPING]), "prepping")  \
    PAID_TOTAL(TOTAL, standby, integer, AT(ledger.instance_ms[SPOT_SHARE_STANDBY]), "standby")     \
    PAID_TOTAL(TOTAL, reconfiguring, integer, AT(ledger.instance_ms[SPOT_SHARE_RECONFIGURING]),    \
        "reconfiguring")                                                                           \
    PAID_TOTAL(                                                                                    \
        TOTAL, reloading, integer, AT(ledger.instance_ms[SPOT_SHARE_RELOADING]), "reloading")      \
    PAID_TOTAL(TOTAL, useful, integer, AT(ledger.instance_ms[SPOT_SHARE_USEFUL]), "useful")        \
    PAID_TOTAL(TOTAL, lost, integer, AT(ledger.instance_ms[SPOT_SHARE_LOST]), "lost")              \
    PAID_TOTAL(TOTAL, unsaved, integer, AT(ledger.instance_ms[SPOT_SHARE_UNSAVED]), "unsaved")     \
    PAID_TOTAL(TOTAL, stalled, integer, AT(ledger.instance_ms[SPOT_SHARE_STALLED]), "stalled")     \
    PAID_TOTAL(                                                                                    \
        TOTAL, redundant, integer, AT(ledger.instance_ms[SPOT_SHARE_REDUNDANT]), "redundant")      \
    PAID_TOTAL(TOTAL, idle, idle_ms, 0, "prepping, standby, reconfiguring, reloading and stalled") \
    TOTAL(run_ms, "ms", TIME, NEITHER, "run", "length of the run", integer, AT(horizon_ms),        \
        "length of the run")                                                                       \
    JOB_TOTAL(TOTAL, waiting, integer, AT(job_ms[SPOT_JOB_WAITING]), "waiting")                    \
    JOB_TOTAL(TOTAL, reconfiguring, integer, AT(job_ms[SPOT_JOB_RECONFIGURING]), "reconfiguring")  \
    JOB_TOTAL(TOTAL, reloading, integer, AT(job_ms[SPOT_JOB_RELOADING]), "reloading")              \
    JOB_TOTAL(TOTAL, training, integer, AT(job_ms[SPOT_JOB_TRAINING]), "training")                 \
    JOB_TOTAL(TOTAL, unmeasured, integer, AT(unmeasured_ms),                                       \
        "at a world size without a measured step time, a part of training")                        \
    JOB_TOTAL(TOTAL, stalled, integer, AT(stalled_ms), "stalled, a part of training")              \
    JOB_TOTAL(TOTAL, lost, integer, AT(lost_ms), "lost, a part of training")                       \
    TOTAL(started_ms, "ms", TIME, NEITHER, "run once started", "length of the run once started",   \
        started_ms, 0, "from the first start of training to the end of the run")                   \
    TOTAL(samples_kept, "samples", GAIN, NEITHER, "samples kept", "number of samples kept",        \
        samples_kept, 0, "samples of the steps kept")                                              \
    TOTAL(instances_used, "instances", PLAIN, NEITHER, "instances used",                           \
        "number of instances used", instances_used, 0, "at time 0 and added")                      \
    TOTAL(preemption_span_ms, "ms", TIME, NEITHER, "span of preemptions", NULL,                    \
        preemption_span_ms, 0, "from the first to the last tick with a preemption")                \
    TOTAL(preemption_gaps, "1", PLAIN, NEITHER, "preemption gaps", "number of preemption gaps",    \
        gaps, AT(preempted), "preempted instances after the first one")                            \
    TOTAL(preemption_tick_gaps, "1", PLAIN, NEITHER, "preemption tick gaps",                       \
        "number of preemption tick gaps", gaps, AT(preemption_events),                             \
        "ticks with a preemption after the first one")                                             \
    TOTAL(saving_usd, "USD", PLAIN, NEITHER, "saving", NULL, same_work, SAVING_USD,                \
        "same_work_on_demand_usd less cost_usd")                                                   \
    KNOWN(time_to_finish_s, "s", TIME, LOWER, "time to finish", NULL, "run_ms", NULL,              \
        1.0 / SPOT_MS_PER_S, "finished",                                                           \
        "when the steps of until.steps were kept; null if they were not")                          \
    METRIC(finished, "1", PROBABILITY, HIGHER, "finished", "probability to finish", finished, 0,   \
        "1 if the steps of until.steps were kept, else 0; its mean is a probability")              \
    METRIC(met_deadline, "1", PROBABILITY, HIGHER, "deadline met",                                 \
        "probability to meet the deadline", met_deadline, 0,                                       \
        "1 if they were kept by the deadline, else 0")

#define WORDS(name_, unit_, kind_, better_, label_, noun_, help_)                                  \
    .name = #name_, .unit = unit_, .help = help_, .label = label_, .noun = noun_,                  \
    .kind = SPOT_METRIC_##kind_, .better = SPOT_BETTER_##better_
#define METRIC_ENTRY(name, unit, kind, better, label, noun, formula, argument, help)               \
    {WORDS(name, unit, kind, better, label, noun, help)},
#define COUNT_ENTRY(name, unit, kind, better, label, noun, formula, argument, help)                \
    {WORDS(name, unit, kind, better, label, noun, help), .is_count = true},
#define CUT_OFF_ENTRY(name, unit, kind, better, label, noun, formula, argument, help)              \
    {WORDS(name, unit, kind, better, label, noun, help), .known_if = "finished"},
#define TOTAL_ENTRY(name, unit, kind, better, label, noun, formula, argument, help)                \
    {WORDS(name, unit, kind, better, label, noun, help), .is_total = true},
#define RATIO_ENTRY(name, unit, kind, better, label, noun, numerator_, denominator_, per_, help)   \
    {WORDS(name, unit, kind, better, label, noun, help), .numerator = numerator_,                  \
        .denominator = denominator_, .per = per_},
#define KNOWN_ENTRY(                                                                               \
    name, unit, kind, better, label, noun, numerator_, denominator_, per_, known_if_, help)        \
    {WORDS(name, unit, kind, better, label, noun, help), .numerator = numerator_,                  \
        .denominator = denominator_, .per = per_, .known_if = known_if_},

#define METRIC_FORMULA(name, unit, kind, better, label, noun, formula, argument, help)             \
    {formula, argument},
#define NO_FORMULA(...) {NULL, 0},

const spot_metric_t spot_train_metrics[SPOT_TRAIN_NUM_METRICS] = {
    METRICS(METRIC_ENTRY, COUNT_ENTRY, CUT_OFF_ENTRY, KNOWN_ENTRY, RATIO_ENTRY, TOTAL_ENTRY)};

static const struct {
    formula_t formula;
    int argument;
} formulas[] = {METRICS(
    METRIC_FORMULA, METRIC_FORMULA, METRIC_FORMULA, NO_FORMULA, NO_FORMULA, METRIC_FORMULA)};

_Static_assert(sizeof(formulas) / sizeof(formulas[0]) == SPOT_TRAIN_NUM_METRICS,
    "the number of metrics in the header");

spot_same_work_t spot_train_same_work(
    const spot_scenario_t *scenario, const spot_train_result_t *result)
{
    const run_t run = {.scenario = scenario, .result = result};
    const spot_work_done_t work = {.steps = steps_kept(&run, 0),
        .within_ms = scenario->deadline_ms > 0 ? scenario->deadline_ms : result->horizon_ms,
        .preparation_ms = scenario->fleet.preparation_ms,
        .instance_usd_per_h = scenario->fleet.price.on_demand_usd_per_h,
        .service_usd_per_h = scenario->recovery.service_usd_per_h};

    return spot_same_work_find(&scenario->rentals, &work);
}

void spot_train_yield(const spot_scenario_t *scenario, const spot_train_result_t *result,
    size_t first, size_t num_values, double *values)
{
    run_t run = {.scenario = scenario, .result = result};

    run.same_work = spot_train_same_work(scenario, result);
    for (size_t j = 0; j < num_values; j++) {
        if (formulas[first + j].formula != NULL) {
            values[j] = formulas[first + j].formula(&run, formulas[first + j].argument);
        }
    }
}

void spot_train_metric_values(
    const spot_scenario_t *scenario, const spot_train_result_t *result, double *values)
{
    spot_train_yield(scenario, result, 0, SPOT_TRAIN_NUM_METRICS, values);
    spot_metrics_derive(spot_train_metrics, SPOT_TRAIN_NUM_METRICS, values);
}

double spot_train_metric(
    const spot_scenario_t *scenario, const spot_train_result_t *result, const char *name)
{
    const size_t metric_id = spot_metric_find(spot_train_metrics, SPOT_TRAIN_NUM_METRICS, name);
    double values[SPOT_TRAIN_NUM_METRICS];

    if (metric_id == SPOT_TRAIN_NUM_METRICS) {
        return (double) NAN;
    }
    spot_train_metric_values(scenario, result, values);
    return values[metric_id];
}

const spot_warning_t spot_train_warnings[SPOT_TRAIN_NUM_WARNINGS] = {
    {"flat_step_time",
        "a world size outside the measured ones was used: its step time is that of the "
        "nearest, below the smallest with the work shared by fewer (job.outside). Measure "
        "it, or keep the fleet within them"},
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
                         "fitted or estimated, not measured: measure it to be sure"},
    {"clipped_forecasts", "forecasts or timers of the recovery system were cut off at its limits"},
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

void spot_train_warning_flags(const spot_train_result_t *result, unsigned char *flags)
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
