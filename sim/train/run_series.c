/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/run_series.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"

#include "sim/train/job/run_log.h"

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

static const spot_series_kind_t cost = {.name = "cost",
    .help = "cost so far, exact at each change of the fleet and straight between them",
    .shape = SPOT_SERIES_CURVE,
    .ticks_per_s = SPOT_MS_PER_S,
    .num_columns = 2,
    .columns = cost_columns};

enum { SERIES_INSTANCES, SERIES_EVENTS, SERIES_PROGRESS, SERIES_COST };

const spot_series_kind_t *const spot_train_series[SPOT_TRAIN_NUM_SERIES] = {
    [SERIES_INSTANCES] = &instances,
    [SERIES_EVENTS] = &events,
    [SERIES_PROGRESS] = &progress,
    [SERIES_COST] = &cost,
};

typedef struct {
    spot_series_t *series;   /* [SPOT_TRAIN_NUM_SERIES] */
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

int spot_run_record(const spot_scenario_t *scenario, const spot_train_result_t *result,
    const spot_event_log_t *log, spot_recording_t *recording)
{
    builder_t self = {.series = recording->series,
        .share = SPOT_NUM_SHARES,
        .is_lossless = scenario->recovery.system->is_lossless};
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
