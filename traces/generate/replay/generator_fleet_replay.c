/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a fleet of any size would have met in recorded logs.
 *
 * A recording of capacity C is C places, each of which has an instance or waits for one.
 * A fleet of n <= C instances is n of these places, drawn anew for each replication: at
 * each loss of the recording it loses a hypergeometric number, and it gets its share of
 * each addition. So each of its instances is in as much danger as one of the recording
 * and waits as long for another one. A fleet of more than C has each place n / C times,
 * and of the rest a drawn part: the copies are lost together, which is an assumption and
 * not in the recording.
 *
 * Replication r plays recording r mod K, from a random tick on, again and again; at the
 * end of the recording its population jumps to that at its begin.
 *
 * With "running" the replication starts with that many instances, at a random tick among
 * those at which the recording had as large a share of its places taken.
 *
 * Streams: RESTART at first_entity, one integer for the start; FLEET at first_entity,
 * all numbers lost and gained, in order. */
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/rng.h"
#include "base/units.h"
#include "traces/generate/generator.h"

/* Consecutive ticks at which a replication may start. */
typedef struct {
    int64_t first_tick;
    int64_t num_before; /* ticks of the stretches before */
} stretch_t;

typedef struct {
    spot_recorded_trace_t recording;
    int32_t capacity;    /* C: its places */
    int32_t *population; /* [num_events + 1] before each event, and at the end */
    int64_t num_starts;  /* ticks at which it may start */
    size_t num_stretches, max_stretches;
    stretch_t *stretches; /* [num_stretches] of these ticks */
} log_t;

typedef struct {
    spot_model_common_t common;
    size_t num_paths;
    char **paths;
    struct {
        int64_t num; /* first: the bound value */
        bool is_given;
    } running;
    log_t *logs; /* [num_paths] */
} model_t;

typedef struct {
    const model_t *model;
    const log_t *log;
    spot_rng_t rng;
    int64_t shift_ms; /* replay time - recorded time in this round */
    size_t event_id;  /* of the next event */
    int32_t recorded; /* population of the recording */
    int32_t copies;   /* of each place */
    int32_t places;   /* the fleet has besides: */
    int32_t taken;    /* of these, with an instance */
    int32_t initial;
} state_t;

static int64_t num_ticks(const log_t *self)
{
    const spot_trace_t *trace = self->recording.trace;
    const int64_t num = trace->end_ms / trace->resolution_ms;

    return num > 0 ? num : 1;
}

/* Sets the population of the recording before each of its events. */
static int count_population(log_t *self)
{
    const spot_trace_t *trace = self->recording.trace;

    self->capacity = spot_trace_most(trace) > 0 ? spot_trace_most(trace) : 1;
    self->population = spot_calloc(trace->num_events + 1, sizeof(*self->population));
    if (self->population == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->population[0] = trace->initial;
    for (size_t j = 0; j < trace->num_events; j++) {
        const spot_event_t *event = &trace->events[j];

        self->population[j + 1] =
            self->population[j] + (event->kind == SPOT_EVENT_ADD ? event->count : -event->count);
    }
    return 0;
}

/* The events up to a time, those at time 0 included. O(log events). */
static size_t events_up_to(const log_t *self, int64_t time_ms)
{
    const spot_trace_t *trace = self->recording.trace;
    size_t low = 0, high = trace->num_events;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (trace->events[middle].time_ms <= time_ms) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* How far a population of the recording is from the share of places that is asked
 * for. */
static double distance(const model_t *self, const log_t *log, int32_t population)
{
    return fabs((double) population * (double) self->common.capacity -
                (double) self->running.num * (double) log->capacity);
}

/* Finds the ticks at which the population is nearest to the one that is asked for. */
static int find_starts(const model_t *self, log_t *log)
{
    const spot_trace_t *trace = log->recording.trace;
    const int64_t end_tick = num_ticks(log);
    double nearest = HUGE_VAL;
    int ret = 0;

    for (size_t event_id = events_up_to(log, 0), first = 0;
         ret == 0 && (int64_t) first < end_tick;) {
        const int64_t until_ms = event_id < trace->num_events ? trace->events[event_id].time_ms
                                                              : INT64_MAX - trace->resolution_ms;
        const int64_t behind = (until_ms + trace->resolution_ms - 1) / trace->resolution_ms;
        const int64_t end = behind < end_tick ? behind : end_tick;
        const double here = distance(self, log, log->population[event_id]);

        if (here < nearest && end > (int64_t) first) {
            nearest = here;
            log->num_stretches = 0;
            log->num_starts = 0;
        }
        if (here == nearest && end > (int64_t) first) {
            ret = SPOT_ARRAY_APPEND(log, stretches, (stretch_t){(int64_t) first, log->num_starts});
            log->num_starts += end - (int64_t) first;
        }
        first = end > (int64_t) first ? (size_t) end : first;
        event_id = events_up_to(log, (int64_t) first * trace->resolution_ms);
    }
    return ret;
}

static int open_log(model_t *self, size_t log_id, const model_t *like, spot_diag_t *diag)
{
    log_t *log = &self->logs[log_id];
    const bool is_alike = like != NULL && log_id < like->num_paths && like->logs != NULL;
    int ret = spot_recorded_trace_open(&log->recording,
        is_alike ? &like->logs[log_id].recording : NULL, self->paths[log_id], diag);

    ret = ret == 0 ? count_population(log) : ret;
    if (ret == 0 && !self->running.is_given) {
        log->num_starts = num_ticks(log);
        ret = SPOT_ARRAY_APPEND(log, stretches, (stretch_t){0});
    } else if (ret == 0) {
        ret = find_starts(self, log);
    }
    return ret;
}

static int fleet_prepare(void *model, const void *like, spot_diag_t *diag)
{
    model_t *self = model;
    spot_model_common_t *common = &self->common;
    int ret = 0;

    if (common->capacity > 0 && self->running.num > common->capacity) {
        self->running.num = common->capacity; /* the others are given back */
    }
    self->logs = spot_calloc(self->num_paths, sizeof(*self->logs));
    if (self->logs == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < self->num_paths && ret == 0; j++) {
        if (j == 0 && common->capacity == 0) { /* a model file without one */
            ret = spot_recorded_trace_open(&self->logs[0].recording, NULL, self->paths[0], diag);
            common->capacity = ret == 0 ? spot_trace_most(self->logs[0].recording.trace) : 0;
            spot_recorded_trace_close(&self->logs[0].recording);
            common->capacity = common->capacity > 0 ? common->capacity : 1;
        }
        ret = ret == 0 ? open_log(self, j, like, diag) : ret;
        if (ret == 0) {
            spot_recorded_trace_play(self->logs[j].recording.trace, 0, common);
        }
    }
    if (ret == 0) {
        const int64_t given = common->tick_ms;

        spot_recorded_trace_settle(self->logs[0].recording.trace, common);
        common->tick_ms = given > 0 ? given : common->tick_ms;
        common->initial = common->capacity;
    }
    return ret;
}

static void fleet_free(void *model)
{
    model_t *self = model;

    for (size_t j = 0; j < self->num_paths; j++) {
        if (self->logs != NULL) {
            spot_recorded_trace_close(&self->logs[j].recording);
            free(self->logs[j].population);
            free(self->logs[j].stretches);
        }
        free(self->paths[j]);
    }
    free(self->logs);
    free(self->paths);
}

/* ---- A replication ---- */

/* How many of num_drawn places, drawn from num_all, are among num_marked of them. */
static int32_t draw(state_t *self, int32_t num_marked, int32_t num_all, int32_t num_drawn)
{
    if (num_marked == 0 || num_drawn == 0) {
        return 0;
    }
    return num_drawn == num_all || num_marked == num_all
               ? (num_marked < num_drawn ? num_marked : num_drawn)
               : (int32_t) gsl_ran_hypergeometric(spot_rng_gsl(&self->rng), (unsigned) num_marked,
                     (unsigned) (num_all - num_marked), (unsigned) num_drawn);
}

/* The tick at which a replication starts. */
static int64_t draw_start(const log_t *log, const spot_dice_t *dice)
{
    size_t low = 0, high = log->num_stretches;
    spot_rng_t rng;
    int64_t drawn;

    spot_dice_seek(dice, &rng, SPOT_STREAM_RESTART, 0);
    drawn = (int64_t) spot_rng_below(&rng, (uint64_t) log->num_starts);
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;

        if (log->stretches[middle].num_before <= drawn) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return log->stretches[low].first_tick + drawn - log->stretches[low].num_before;
}

static void fleet_start(void *state, const void *model, const spot_dice_t *dice)
{
    state_t *self = state;
    const model_t *of = model;
    const log_t *log = &of->logs[dice->replication % of->num_paths];
    const int64_t start_ms = draw_start(log, dice) * log->recording.trace->resolution_ms;
    int32_t least, most;

    self->model = of;
    self->log = log;
    spot_dice_seek(dice, &self->rng, SPOT_STREAM_FLEET, 0);
    self->shift_ms = -start_ms;
    self->event_id = events_up_to(log, start_ms);
    self->recorded = log->population[self->event_id];
    self->copies = (int32_t) (of->common.capacity / log->capacity);
    self->places = (int32_t) (of->common.capacity % log->capacity);
    if (!of->running.is_given) {
        self->taken = draw(self, self->recorded, log->capacity, self->places);
    } else { /* as near to what runs as the places allow */
        const int64_t wanted = of->running.num - (int64_t) self->copies * (int64_t) self->recorded;

        least = self->places - (log->capacity - self->recorded);
        least = least > 0 ? least : 0;
        most = self->places < self->recorded ? self->places : self->recorded;
        self->taken = (int32_t) (wanted < least ? least : wanted > most ? most : wanted);
    }
    self->initial = self->copies * self->recorded + self->taken;
}

/* Makes the fleet follow a change of the recording, of the kind of the event; false: it
 * does not change. */
static bool follow(state_t *self, int32_t change, spot_event_t *event)
{
    const int32_t size = change > 0 ? change : -change;
    int32_t own;

    if (change > 0) {
        const int32_t empty = self->log->capacity - self->recorded;

        own = draw(self, self->places - self->taken, empty, size);
        self->taken += own;
    } else {
        own = draw(self, self->taken, self->recorded, size);
        self->taken -= own;
    }
    self->recorded += change;
    event->count = own + self->copies * size;
    event->name_ids = NULL;
    return event->count > 0;
}

/* Whether the recording has another event before its end. */
static bool is_within(const state_t *self)
{
    const spot_trace_t *trace = self->log->recording.trace;

    return self->event_id < trace->num_events &&
           trace->events[self->event_id].time_ms < trace->end_ms;
}

static bool fleet_next(void *state, spot_event_t *event)
{
    state_t *self = state;
    const spot_trace_t *trace = self->log->recording.trace;
    const int64_t last_ms = spot_model_last_ms(&self->model->common);
    bool is_found = false;

    while (!is_found) {
        int32_t change;

        if (is_within(self)) {
            const spot_event_t *recorded = &trace->events[self->event_id++];

            event->time_ms = recorded->time_ms + self->shift_ms;
            event->kind = recorded->kind;
            change = recorded->kind == SPOT_EVENT_ADD ? recorded->count : -recorded->count;
        } else {
            event->time_ms = trace->end_ms + self->shift_ms;
            self->shift_ms += trace->end_ms;
            self->event_id = events_up_to(self->log, 0);
            change = self->log->population[self->event_id] - self->recorded;
            event->kind = change > 0 ? SPOT_EVENT_ADD : SPOT_EVENT_PREEMPT;
            if (change == 0 && !is_within(self)) {
                return false; /* nothing happens in any round */
            }
        }
        if (event->time_ms > last_ms) {
            return false;
        }
        is_found = change != 0 && follow(self, change, event);
    }
    return true;
}

static int64_t fleet_initial(const void *state)
{
    return ((const state_t *) state)->initial;
}

static int64_t fleet_largest_initial(const void *model)
{
    return ((const model_t *) model)->common.capacity;
}

static void note_running(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    model_t *self = (void *) ((char *) target - field->offset);

    (void) bind;
    self->running.is_given = node != NULL;
}

static const spot_field_t path_field = {
    .name = "recordings", .type = SPOT_FIELD_PATH, .expected = "the path of a recorded trace"};

static const spot_field_t fleet_options[] = {
    {SPOT_ITEMS(LIST, "recordings", model_t, paths, num_paths, path_field, 1, 1000, NULL,
        "a list of recorded traces such as [week-1.csv, week-2.csv]",
        "recorded traces (spotsim-trace 1, .csv or .csv.gz), which replications play in "
        "turn, each as often as the others")},
    {SPOT_RANGE(INTEGER, "running", model_t, running, 0, SPOT_MAX_INSTANCES, "",
         "instances that run at first",
         "start with so many instances, at most the capacity, where the recording had "
         "as "
         "large a share of its own (default: at a random time, with what there was)"),
        .settle = note_running},
    {.name = NULL, .fields = spot_model_common_fields},
};

static const spot_generator_population_t population = {
    .is_recorded = true,
    .initial = fleet_initial,
    .largest_initial = fleet_largest_initial,
};

const spot_generator_t spot_generator_fleet_replay = {
    .name = "fleet-replay",
    .doc = "what a fleet of any size would have met in recorded traces: its share of "
           "their losses and additions, from a random tick on, over and over; more "
           "instances than were recorded are copies, which are lost together",
    .source = "the recordings",
    .options = fleet_options,
    .model_size = sizeof(model_t),
    .state_size = sizeof(state_t),
    .prepare = fleet_prepare,
    .free = fleet_free,
    .start = fleet_start,
    .next = fleet_next,
    .population = &population,
};
