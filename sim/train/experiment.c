/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/experiment.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/memory.h"
#include "base/units.h"
#include "sim/bench/engine/series.h"
#include "sim/train/advice.h"
#include "sim/train/assumed.h"
#include "sim/train/job/run_log.h"
#include "sim/train/job/train.h"
#include "sim/train/metrics.h"
#include "sim/train/run_views.h"

#define TRAIN_NUM_SERIES 4

const spot_colour_t spot_train_colours[] = {
    {"useful", "#5fb89a"},
    {"goodput", "#5fb89a"},
    {"training", "#5fb89a"},
    {"unsaved", "#b5dccd"},
    {"redundant", "#7d9cc9"},
    {"lost", "#d55e00"},
    {"stalled", "#cc79a7"},
    {"reloading", "#f4df7d"},
    {"reconfiguring", "#e8a735"},
    {"standby", "#bcc3cb"},
    {"prepping", "#68b9ea"},
    {"waiting", "#8b949e"},
    {"preempted", "#d55e00"},
    {"added", "#0072b2"},
    {"stopped", "#8b949e"},
    {"rolled back", "#57606a"},
    {"checkpoint", "#2f9e77"},
    {NULL, NULL},
};

/* ---- Series ---- */

/* The series of a training run, made from its event log: instances by category, events,
 * progress and cost. */

static const char *const event_names[] = {
    "preempted", "added", "stopped", "rolled back", "checkpoint", NULL};

enum { EVENT_PREEMPTED, EVENT_ADDED, EVENT_STOPPED, EVENT_ROLLBACK, EVENT_CHECKPOINT };

#define TIME                                                                                       \
    {                                                                                              \
        .name = "time", .kind = SPOT_COLUMN_INSTANT, .unit = ""                                    \
    }
#define INSTANCES(category)                                                                        \
    {                                                                                              \
        .name = category, .kind = SPOT_COLUMN_NUMBER, .unit = "instances"                          \
    }

/* In the order of the ledger. */
static const spot_series_column_t instance_columns[] = {TIME, INSTANCES("prepping"),
    INSTANCES("standby"), INSTANCES("reconfiguring"), INSTANCES("reloading"), INSTANCES("useful"),
    INSTANCES("lost"), INSTANCES("unsaved"), INSTANCES("stalled"), INSTANCES("redundant")};

_Static_assert(sizeof(instance_columns) / sizeof(instance_columns[0]) == SPOT_NUM_SHARES + 1,
    "a column for each category");

static const spot_series_column_t event_columns[] = {TIME,
    {.name = "event",
        .kind = SPOT_COLUMN_CATEGORY,
        .unit = "",
        .categories = event_names,
        .signs = "-+-.."},
    {.name = "count", .kind = SPOT_COLUMN_COUNT, .unit = "1"}};

static const spot_series_column_t progress_columns[] = {TIME, {.name = "steps_durable",
                                                                  .kind = SPOT_COLUMN_NUMBER,
                                                                  .unit = "steps",
                                                                  .label = "steps durable"}};

static const spot_series_column_t cost_columns[] = {
    TIME, {.name = "cost", .kind = SPOT_COLUMN_NUMBER, .unit = "USD", .label = "cost"}};

static const spot_series_kind_t instances = {.name = "instances",
    .help = "instances by what they do, from each instant to the next",
    .shape = SPOT_SERIES_LEVELS,
    .ticks_per_s = SPOT_MS_PER_S,
    .num_columns = SPOT_NUM_SHARES + 1,
    .columns = instance_columns};

static const spot_series_kind_t events = {.name = "events",
    .help = "changes of the fleet and of the job, with the instances or steps concerned",
    .shape = SPOT_SERIES_EVENTS,
    .ticks_per_s = SPOT_MS_PER_S,
    .num_columns = 3,
    .columns = event_columns};

static const spot_series_kind_t progress = {.name = "progress",
    .help = "steps that are durable",
    .shape = SPOT_SERIES_CURVE,
    .ticks_per_s = SPOT_MS_PER_S,
    .num_columns = 2,
    .columns = progress_columns};

static const spot_series_kind_t cost_so_far = {.name = "cost",
    .help = "cost so far, exact at each change of the fleet and straight between them",
    .shape = SPOT_SERIES_CURVE,
    .ticks_per_s = SPOT_MS_PER_S,
    .num_columns = 2,
    .columns = cost_columns};

enum { SERIES_INSTANCES, SERIES_EVENTS, SERIES_PROGRESS, SERIES_COST };

static const spot_series_kind_t *const train_series[TRAIN_NUM_SERIES] = {
    [SERIES_INSTANCES] = &instances,
    [SERIES_EVENTS] = &events,
    [SERIES_PROGRESS] = &progress,
    [SERIES_COST] = &cost_so_far,
};

typedef struct {
    spot_series_t *series;   /* [TRAIN_NUM_SERIES] */
    double outside[2];       /* prepping, standby */
    double inside;           /* active */
    int64_t share;           /* category of the active instances */
    double stalled_fraction; /* of their time */
    bool is_lossless;        /* steps are durable at once */
    double durable;          /* durable steps so far */
} builder_t;

/* Appends the instances of each category from time_ms on. */
static int add_levels(const builder_t *self, int64_t time_ms)
{
    spot_series_t *levels = &self->series[SERIES_INSTANCES];
    spot_cell_t cells[SPOT_NUM_SHARES + 1] = {{.integer = time_ms}};
    spot_cell_t *shares = cells + 1;

    for (size_t j = 0; j < SPOT_NUM_SHARES; j++) {
        shares[j].number = 0;
    }
    shares[SPOT_SHARE_PREPPING].number = self->outside[0];
    shares[SPOT_SHARE_STANDBY].number = self->outside[1];
    if (self->share < SPOT_NUM_SHARES) {
        shares[self->share].number = self->inside * (1 - self->stalled_fraction);
        shares[SPOT_SHARE_STALLED].number += self->inside * self->stalled_fraction;
    }
    if (levels->num_rows > 0 &&
        levels->cells[(levels->num_rows - 1) * (SPOT_NUM_SHARES + 1)].integer == time_ms) {
        levels->num_rows--; /* a row that lasted 0 ms */
    }
    return spot_series_add(levels, cells);
}

static int add_event(const builder_t *self, int64_t time_ms, int event, int64_t count)
{
    const spot_cell_t cells[] = {
        {.integer = time_ms}, {.text = event_names[event]}, {.integer = count}};

    return spot_series_add(&self->series[SERIES_EVENTS], cells);
}

static int add_progress(const builder_t *self, int64_t time_ms)
{
    const spot_cell_t cells[] = {{.integer = time_ms}, {.number = self->durable}};

    return spot_series_add(&self->series[SERIES_PROGRESS], cells);
}

static int add_cost(const builder_t *self, int64_t time_ms, double usd)
{
    const spot_cell_t cells[] = {{.integer = time_ms}, {.number = usd}};

    return spot_series_add(&self->series[SERIES_COST], cells);
}

/* Instances that come or go, and what was paid until then. */
static int add_change(const builder_t *self, const spot_log_record_t *record)
{
    static const int changes[] = {[SPOT_EVENT_PREEMPT] = EVENT_PREEMPTED,
        [SPOT_EVENT_ADD] = EVENT_ADDED,
        [SPOT_EVENT_STOP] = EVENT_STOPPED};
    int ret = 0;

    if (record->values[0] != 0) { /* not all clipped */
        ret = add_event(self, record->time_ms, changes[record->values[3]], record->values[0]);
        ret = ret == 0 ? add_cost(self, record->time_ms, record->amount) : ret;
    }
    return ret;
}

/* Steps that are durable at once increase only from the start of training on. */
static int add_phase(const builder_t *self, int64_t time_ms)
{
    const int ret = self->is_lossless ? add_progress(self, time_ms) : 0;

    return ret == 0 ? add_levels(self, time_ms) : ret;
}

/* Appends the durable steps of a record DURABLE or END, and its checkpoints, if any. */
static int add_durable(builder_t *self, const spot_log_record_t *record)
{
    const int64_t *values = record->values;
    int ret;

    self->durable = (double) values[1];
    ret = add_progress(self, record->time_ms);
    return ret == 0 && record->kind == SPOT_LOG_DURABLE && values[2] > 0
               ? add_event(self, record->time_ms, EVENT_CHECKPOINT, values[2])
               : ret;
}

static int add_record(builder_t *self, const spot_log_record_t *record)
{
    const int64_t *values = record->values;

    switch ((spot_log_kind_t) record->kind) {
        case SPOT_LOG_CHANGE:
            return add_change(self, record);
        case SPOT_LOG_NOTICE:
            return 0;
        case SPOT_LOG_ROLLBACK:
            return add_event(self, record->time_ms, EVENT_ROLLBACK, values[0]);
        case SPOT_LOG_FLEET:
            self->outside[0] = (double) values[0];
            self->outside[1] = (double) values[1];
            self->inside = (double) values[2];
            return add_levels(self, record->time_ms);
        case SPOT_LOG_PHASE:
            self->share = values[0];
            self->stalled_fraction = (double) values[3] / (double) values[2];
            return add_phase(self, record->time_ms);
        case SPOT_LOG_DURABLE:
        case SPOT_LOG_END:
            break;
    }
    return add_durable(self, record);
}

/* Fills a recording of these series from the log of a finished run. NO_MEMORY; free
 * recording even then. O(records). */
static int run_record(const spot_scenario_t *scenario, const spot_train_result_t *result,
    const spot_event_log_t *log, spot_recording_t *recording)
{
    builder_t self = {.series = recording->series,
        .share = SPOT_NUM_SHARES,
        .is_lossless = scenario->recovery.traits.is_lossless};
    const spot_trace_t *trace = scenario->trace.recording;
    const char *name = trace == NULL ? NULL : spot_trace_key(trace, "name");
    int ret = add_progress(&self, 0);

    ret = ret == 0 ? add_cost(&self, 0, 0) : ret;

    snprintf(recording->note, sizeof(recording->note),
        "recovery %s · %s %.60s · seed %" PRIu64 ", replication %" PRIu64,
        scenario->recovery.system->name, name == NULL ? "generator" : "trace",
        name == NULL ? scenario->trace.generator->name : name, result->seed, result->replication);
    recording->title = spot_text_copy(scenario->name, strlen(scenario->name));
    ret = recording->title == NULL ? SPOT_ERR_NO_MEMORY : ret;
    for (size_t j = 0; ret == 0 && j < log->num_records; j++) {
        ret = add_record(&self, &log->records[j]);
        recording->end_ticks = log->records[j].time_ms;
    }
    return ret == 0 ? add_cost(&self, recording->end_ticks, result->cost_usd) : ret;
}

/* ---- Experiment ---- */

#define MAX_NEVER 5

/* A scenario and, if metrics are always 0, if it cannot run, may rest on what was not measured, or
 * does not pay in US dollars, its own outputs, which say so. */
typedef struct {
    spot_scenario_t scenario; /* the first member: other functions get only this */
    bool has_outputs;
    spot_outputs_t outputs;
    const char *never[MAX_NEVER + 1];                   /* of own outputs */
    spot_texts_t texts;                                 /* of own metrics */
    const spot_series_kind_t *series[TRAIN_NUM_SERIES]; /* own ones */
    spot_series_kind_t cost;
    spot_series_column_t cost_columns[2];
} bound_t;

static void train_free(void *scenario)
{
    bound_t *self = scenario;

    if (self != NULL) {
        spot_scenario_free(&self->scenario);
        spot_texts_free(&self->texts);
        free(self);
    }
}

/* A system whose options break the rules that the others keep is compared with none but
 * itself, with and without them. */
static spot_standing_t train_standing(const void *scenario)
{
    const spot_recovery_choice_t *choice = &((const spot_scenario_t *) scenario)->recovery;
    char broken[SPOT_BROKEN_RULES_BYTES];

    return (spot_standing_t){.side = choice->system->name,
        .path = spot_recovery_breaks_rules(choice, broken) ? "recovery" : NULL};
}

typedef struct {
    spot_train_t train;
    spot_event_log_t log; /* of the latest recorded replication */
} worker_t;

static uint64_t train_trace_key(const void *scenario)
{
    return ((const spot_scenario_t *) scenario)->trace.key;
}

static int train_open(void **worker, const void *scenario)
{
    worker_t *self = spot_calloc(1, sizeof(*self));

    *worker = self;
    if (self == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    spot_event_log_init(&self->log);
    return spot_train_init(&self->train, scenario);
}

static void train_close(void *worker)
{
    worker_t *self = worker;

    if (self != NULL) {
        spot_train_free(&self->train);
        spot_event_log_free(&self->log);
        free(self);
    }
}

static const spot_outputs_t *outputs_of(const spot_scenario_t *scenario);

static int train_run(void *worker, const spot_replication_t *replication, double *metrics,
    unsigned char *warnings, spot_recording_t *recording)
{
    worker_t *self = worker;
    spot_train_t *train = &self->train;
    int ret;

    train->stop = replication->stop;
    train->tapes = replication->tapes;
    ret = spot_train_run(
        train, replication->seed, replication->replication, recording == NULL ? NULL : &self->log);
    if (ret == 0) {
        const spot_outputs_t *outputs = outputs_of(train->scenario);

        spot_train_yield(train->scenario, &train->result,
            (size_t) (outputs->metrics - spot_train_metrics), outputs->num_metrics, metrics);
        spot_train_warning_flags(&train->result, warnings);
    }
    if (ret == 0 && recording != NULL) {
        ret = run_record(train->scenario, &train->result, &self->log, recording);
    }
    return ret;
}

/* ---- What `spotsim run` prints ---- */

static void view_text(const spot_run_result_t *result, FILE *out)
{
    const worker_t *self = result->worker;

    spot_run_text_write(result, self->train.scenario, &self->train.result, out);
}

static void view_json(const spot_run_result_t *result, spot_json_t *json)
{
    const worker_t *self = result->worker;

    spot_run_json_write(result, self->train.scenario, &self->train.result, json);
}

static void view_events(const void *worker, FILE *out)
{
    spot_run_log_write(&((const worker_t *) worker)->log, out);
}

static const char *view_failure(const void *worker)
{
    unsigned char flags[SPOT_MAX_WARNINGS];

    spot_train_warning_flags(&((const worker_t *) worker)->train.result, flags);
    for (size_t j = 0; j < SPOT_TRAIN_NUM_WARNINGS; j++) {
        if (flags[j] && strcmp(spot_train_warnings[j].name, "never_trained") == 0) {
            return spot_train_warnings[j].text;
        }
    }
    return NULL;
}

static const spot_run_view_t view = {.text = view_text,
    .json = view_json,
    .knows_theory = true,
    .events = view_events,
    .failure = view_failure};

/* ---- What a replication yields ---- */

/* In the order of the ledger. */
static const char *const parts[] = {"prepping_fraction", "standby_fraction",
    "reconfiguring_fraction", "reloading_fraction", "goodput_fraction", "lost_fraction",
    "unsaved_fraction", "stalled_fraction", "redundant_fraction"};

_Static_assert(sizeof(parts) / sizeof(parts[0]) == SPOT_NUM_SHARES, "a metric for each category");

/* From the left of a bar: what the time is for, then what it is lost to. */
static const char *const bars[] = {"goodput_fraction", "unsaved_fraction", "redundant_fraction",
    "lost_fraction", "stalled_fraction", "reloading_fraction", "reconfiguring_fraction",
    "standby_fraction", "prepping_fraction"};

_Static_assert(sizeof(bars) == sizeof(parts), "bars have all parts");

/* The metrics of a comparison of recovery systems. */
static const char *const compared[] = {"steps_kept", "samples_per_s", "usd_per_h",
    "samples_per_usd", "same_work_on_demand_usd", "same_work_on_demand_s", "saving_fraction",
    "idle_fraction", "lost_fraction", "reconfigurations", "rollbacks"};

#define OUTPUTS(random, first, num_left_out)                                                       \
    {                                                                                              \
        .num_metrics = SPOT_TRAIN_NUM_METRICS - first - num_left_out,                              \
        .metrics = spot_train_metrics + first, .num_parts = SPOT_NUM_SHARES, .parts = parts,       \
        .bars = bars, .whole = "paid instance time", .cost = "usd_per_h", .gain = "samples_per_s", \
        .num_compared = sizeof(compared) / sizeof(compared[0]), .compared = compared,              \
        .num_series = TRAIN_NUM_SERIES, .series = train_series, .is_random = random,               \
        .why_fixed = "a recorded trace: no loss is left to chance", .num_replications = 1000,      \
        .min_replications = 256, .batch_replications = 64                                          \
    }
#define ALL_OUTPUTS(random, first)                                                                 \
    {                                                                                              \
        OUTPUTS(random, first, SPOT_TRAIN_NUM_UNTIL), OUTPUTS(random, first, 1),                   \
            OUTPUTS(random, first, 0),                                                             \
    }

/* By whether replications differ, whether there is an input pipeline, and whether there
 * are steps to keep and a deadline. */
static const spot_outputs_t all_outputs[2][2][3] = {
    {ALL_OUTPUTS(false, SPOT_TRAIN_NUM_INPUT), ALL_OUTPUTS(false, 0)},
    {ALL_OUTPUTS(true, SPOT_TRAIN_NUM_INPUT), ALL_OUTPUTS(true, 0)},
};

static const spot_outputs_t *outputs_of(const spot_scenario_t *scenario)
{
    return &all_outputs[!scenario->is_certain][scenario->job.input.is_given]
                       [(scenario->until_steps > 0) + (scenario->deadline_ms > 0)];
}

/* A copy of a text with a currency in place of "USD" and "dollar"; text may be NULL. */
static const char *in_currency(const char *text, const char *currency, spot_texts_t *texts)
{
    static const char *const usual[] = {SPOT_USUAL_CURRENCY, "dollar"};

    for (size_t j = 0; text != NULL && j < 2; j++) {
        const char *place = strstr(text, usual[j]);

        if (place != NULL) {
            return spot_texts_add(
                texts, "%.*s%s%s", (int) (place - text), text, currency, place + strlen(usual[j]));
        }
    }
    return text;
}

/* Puts a currency into the words of metrics and of the last series, the cost. NO_MEMORY.
 */
static int label_outputs(bound_t *self, const char *currency)
{
    const spot_series_kind_t *cost = train_series[TRAIN_NUM_SERIES - 1];
    spot_texts_t *texts = &self->texts;
    spot_metric_t *metrics;

    SPOT_ARENA_ARRAY(&texts->arena, metrics, self->outputs.num_metrics);
    for (size_t j = 0; metrics != NULL && j < self->outputs.num_metrics; j++) {
        metrics[j] = self->outputs.metrics[j];
        metrics[j].unit = in_currency(metrics[j].unit, currency, texts);
        metrics[j].help = in_currency(metrics[j].help, currency, texts);
        metrics[j].label = in_currency(metrics[j].label, currency, texts);
        metrics[j].noun = in_currency(metrics[j].noun, currency, texts);
    }
    memcpy(self->series, train_series, sizeof(self->series));
    memcpy(self->cost_columns, cost->columns, sizeof(self->cost_columns));
    self->cost_columns[1].unit = currency;
    self->cost = *cost;
    self->cost.columns = self->cost_columns;
    self->series[TRAIN_NUM_SERIES - 1] = &self->cost;
    self->outputs.metrics = metrics;
    self->outputs.series = self->series;
    return metrics == NULL ? SPOT_ERR_NO_MEMORY : texts->error;
}

/* ---- Step times that were not measured ---- */

/* Results that rest on them for more than this share of the training time are not
 * recommended. */
#define MOST_UNMEASURED 0.01

#define MAX_SIZES_NAMED 8

/* World sizes that a scenario may have, and those that were measured. */
typedef struct {
    int64_t step;        /* sizes are multiples of it */
    int64_t least, most; /* that its fleet can have */
    int64_t measured_least, measured_most;
} sizes_t;

/* Sets the sizes. Returns false if step times are not by size. */
static bool find_sizes(const spot_scenario_t *scenario, sizes_t *self)
{
    const spot_recovery_choice_t *recovery = &scenario->recovery;
    const spot_job_t *job = &scenario->job;
    const int64_t depth = recovery->has_table ? 1 : job->pipeline_depth;
    const int64_t num_slots = spot_scenario_num_slots(scenario);
    int64_t num_most = num_slots / depth, num_least = scenario->fleet.on_demand / depth;

    if (!recovery->has_table && num_most > job->max_pipelines) {
        num_most = job->max_pipelines;
    }
    if (recovery->system->num_on_demand != NULL || num_least > num_most) { /* none is lost */
        num_least = num_most;
    }
    *self = (sizes_t){.step = depth,
        .least = (num_least > 1 ? num_least : 1) * depth,
        .most = num_most * depth,
        .measured_least = recovery->table_least,
        .measured_most = recovery->table_most};
    if (!recovery->has_table && !spot_step_time_is_by_pair(&job->step_time)) {
        self->measured_least = spot_step_time_smallest(&job->step_time);
        self->measured_most = spot_step_time_largest(&job->step_time);
    }
    return self->measured_most > 0;
}

/* "4", "4 and 8" or "4 to 12", from least to most; "" if there is none. */
static const char *range_text(spot_texts_t *texts, int64_t least, int64_t most, int64_t step)
{
    return least > most    ? ""
           : least == most ? spot_texts_add(texts, "%lld", (long long) least)
                           : spot_texts_add(texts, "%lld %s %lld", (long long) least,
                                 least + step == most ? "and" : "to", (long long) most);
}

/* "12, 24", or "12 to 96" if they are many or a table has all of them. */
static const char *measured_text(
    spot_texts_t *texts, const spot_scenario_t *scenario, const sizes_t *sizes)
{
    const spot_step_time_t *step_time = &scenario->job.step_time;
    const char *text = "";

    if (scenario->recovery.has_table || step_time->num_points > MAX_SIZES_NAMED) {
        return range_text(texts, sizes->measured_least, sizes->measured_most, 1);
    }
    for (size_t j = 0; j < step_time->num_points; j++) {
        text = spot_texts_join(texts, text, ", ",
            spot_texts_add(texts, "%lld", (long long) step_time->points[j].world_size));
    }
    return text;
}

/* What may rest on step times of sizes that were not measured. */
static spot_beyond_t find_beyond(const spot_scenario_t *scenario, spot_texts_t *texts)
{
    const char *below, *above;
    int64_t last, first;
    sizes_t sizes;

    if (!find_sizes(scenario, &sizes)) {
        return (spot_beyond_t){.metric = NULL};
    }
    last = (sizes.measured_least - 1) / sizes.step * sizes.step;
    first = (sizes.measured_most / sizes.step + 1) * sizes.step;
    last = last < sizes.most ? last : sizes.most;
    first = first > sizes.least ? first : sizes.least;
    if (sizes.least > last && first > sizes.most) {
        return (spot_beyond_t){.metric = NULL};
    }
    below = range_text(texts, sizes.least, last, sizes.step);
    above = range_text(texts, first, sizes.most, sizes.step);
    return (spot_beyond_t){.metric = "unmeasured_fraction",
        .most = MOST_UNMEASURED,
        .words = spot_texts_add(texts,
            "rests on step times that were not measured: %s %s (measured: %s)",
            spot_larger(last - sizes.least + sizes.step, 0) +
                        spot_larger(sizes.most - first + sizes.step, 0) ==
                    sizes.step
                ? "size"
                : "sizes",
            spot_texts_join(texts, below, " and ", above), measured_text(texts, scenario, &sizes)),
        .only_warns = scenario->job.step_time.outside == SPOT_OUTSIDE_FLAT};
}

/* ---- What rules make 0 ---- */

/* Whether no step waits for a checkpoint or for data. */
static bool never_stalls(const spot_scenario_t *scenario)
{
    const spot_recovery_traits_t *traits = &scenario->recovery.traits;
    const spot_checkpoint_t *checkpoint = &scenario->job.checkpoint;
    const bool is_skipped =
        checkpoint->busy == SPOT_BUSY_SKIP || checkpoint->every_kind == SPOT_EVERY_BACK_TO_BACK;
    const bool is_free = checkpoint->mode == SPOT_CHECKPOINT_SYNC
                             ? checkpoint->write_ms == 0
                             : checkpoint->snapshot_ms == 0 && is_skipped;

    return (is_free || traits->keeps_steps) && !scenario->job.input.is_given &&
           (traits->flushes == SPOT_FLUSHES_NEVER ||
               (traits->flushes == SPOT_FLUSHES_ON_NOTICE && scenario->fleet.notice_ms == 0));
}

/* Sets the metrics that are always 0. is_measured: all step times are. */
static void find_never(bound_t *self, bool is_measured)
{
    size_t num = 0;

    if (self->scenario.recovery.traits.redundant_share == 0) {
        self->never[num++] = "redundant_instance_ms";
    }
    if (never_stalls(&self->scenario)) {
        self->never[num++] = "stalled_instance_ms";
        self->never[num++] = "job_stalled_ms";
    }
    if (is_measured) {
        self->never[num++] = "job_unmeasured_ms";
    }
    spot_bug_assert(num <= MAX_NEVER);
}

static int train_bind(void **scenario, const spot_node_t *root, const void *like, spot_diag_t *diag)
{
    bound_t *self = spot_calloc(1, sizeof(*self));
    spot_beyond_t beyond = {.metric = NULL};
    const char *currency;
    int ret;

    *scenario = self;
    if (self == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    ret = spot_scenario_init(&self->scenario, root, like, diag);
    currency = spot_price_currency(&self->scenario.fleet.price);
    if (ret == 0) {
        beyond = find_beyond(&self->scenario, &self->texts);
        ret = self->texts.error;
    }
    if (ret == 0) {
        find_never(self, beyond.metric == NULL);
    }
    self->has_outputs = ret == SPOT_ERR_CANNOT_RUN || self->never[0] != NULL ||
                        self->scenario.recovery.unmeasured != NULL || beyond.metric != NULL ||
                        strcmp(currency, SPOT_USUAL_CURRENCY) != 0;
    if (self->has_outputs) {
        self->outputs = *outputs_of(&self->scenario);
        self->outputs.cannot_run = self->scenario.recovery.lacks;
        self->outputs.unmeasured = self->scenario.recovery.unmeasured;
        self->outputs.beyond = beyond;
        self->outputs.never = self->never;
        self->outputs.is_ruled = ret == 0 && self->scenario.recovery.system->num_on_demand != NULL;
    }
    if (strcmp(currency, SPOT_USUAL_CURRENCY) != 0) {
        ret = spot_error_first(label_outputs(self, currency), ret);
    }
    return ret;
}

static const spot_outputs_t *train_outputs(const void *scenario)
{
    const bound_t *self = scenario;

    return self->has_outputs ? &self->outputs : outputs_of(&self->scenario);
}

static const spot_rivals_t rivals[] = {
    {"recovery", "recovery system", "checkpoint,{system: checkpoint, detection: 30 s}", NULL},
    {.key = NULL},
};

static const char example[] = "scenario: small\n"
                              "engine: train\n"
                              "horizon: 2 h\n"
                              "tick: 5 s\n"
                              "fleet:\n"
                              "  capacity: 8\n"
                              "  initial: 6\n"
                              "  preparation: 180 s\n"
                              "  notice: 0 s\n"
                              "  price: {spot: 0.91, on_demand: 3.06}\n"
                              "job:\n"
                              "  step_time: {2: 20 s, 4: 12 s, 8: 8 s}\n"
                              "  pipeline_depth: 2\n"
                              "  samples_per_step: 1024\n"
                              "  checkpoint: {mode: async, every: back-to-back, write: 89 s,\n"
                              "               snapshot: 0 s}\n"
                              "  detection: 0 s\n"
                              "  reconfiguration: 88 s\n"
                              "  reload: 47 s\n"
                              "recovery: checkpoint\n"
                              "trace:\n"
                              "  generator: seed\n"
                              "  preemption: {per_minute: 0.1, count: {fixed: 1}}\n"
                              "  addition: {per_minute: 0.1, count: {fixed: 1}}\n";

static const struct spot_verb *const verbs[] = {&spot_verb_profile, &spot_verb_theory_checkpoint,
    &spot_verb_model_fit, &spot_verb_model_estimate, &spot_verb_model_presets, NULL};

const spot_experiment_t spot_train_experiment = {
    .name = "train",
    .summary = "One elastic training job on preemptible instances",
    .doc = "A trace of preemptions and additions feeds a fleet of active, standby and "
           "prepping instances; a recovery system decides how the job goes on after each "
           "change. spotsim-scenario(5) has the keys of traces and recovery systems too.",
    .example = example,
    .fields = spot_scenario_fields,
    .num_warnings = SPOT_TRAIN_NUM_WARNINGS,
    .warnings = spot_train_warnings,
    .colours = spot_train_colours,
    .rivals = rivals,
    .bind = train_bind,
    .free = train_free,
    .outputs = train_outputs,
    .decides = spot_train_decides,
    .standing = train_standing,
    .trace_key = train_trace_key,
    .open = train_open,
    .close = train_close,
    .run = train_run,
    .view = &view,
    .advice = &spot_train_advice,
    .verbs = verbs,
};
