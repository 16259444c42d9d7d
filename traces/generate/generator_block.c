/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks of a recorded trace: successive events with their gaps, until a restart jumps
 * to another event that was recorded at about the present population.
 *
 * Stream: RESTART at first_entity. Before each event one number decides whether a
 * restart comes (no number before the first event and at the end of the recording). A
 * restart draws an integer below `neighbours`, and another one if that falls among the
 * farthest events. The events are sorted by population and the neighbours of each
 * population are tabulated, so that a restart is O(1). The law is that of ordering all
 * events by |N_i - N| + 0.9 U and choosing one of the first `neighbours`. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/rng.h"
#include "base/units.h"
#include "traces/generate/generator.h"
#include "traces/generate/generator_parts.h"
#include "traces/trace.h"

/* Most events in a row without time between them. Beyond, the block cannot leave its
 * place, such as a last event at which every restart ends. */
#define MAX_INSTANT_EVENTS 100000

typedef struct {
    double gap_s; /* to the event before, or to time 0 */
    spot_event_kind_t kind;
    int32_t size;
    int32_t before; /* population before it */
} item_t;

/* The neighbours of a population: all of order[near, near_end), and a choice from the
 * two ranges around, which are at the same distance. */
typedef struct {
    int32_t far; /* order[far, near) is below */
    int32_t near;
    int32_t near_end;
    int32_t far_end; /* order[near_end, far_end) is above */
} vicinity_t;

typedef struct {
    spot_model_common_t common;
    char *path;
    double restart_every;
    int64_t neighbours;
    spot_recorded_trace_t recording;
    spot_arena_t memory;
    int32_t num_items;
    item_t *items;  /* [num_items] as recorded */
    int32_t *order; /* [num_items] item ids by population, then as recorded */
    int32_t least;  /* smallest population before an event */
    int32_t largest;
    vicinity_t *vicinities; /* [largest - least + 1] */
} model_t;

typedef struct {
    const model_t *model;
    int32_t item_id; /* of the pending event */
    int64_t population;
    int64_t num_instant; /* events in a row without time between them */
    double pending_s;    /* time of the pending event */
    double p_restart;
    spot_rng_t restart;
    spot_outlet_t outlet;
} state_t;

static int read_items(model_t *self)
{
    const size_t max_items = self->recording.trace->num_events;
    spot_bulks_t bulks;
    int64_t last_ms = 0;
    int ret = spot_bulks_init(&bulks, self->recording.trace);

    SPOT_ARENA_ARRAY(&self->memory, self->items, max_items);
    SPOT_ARENA_ARRAY(&self->memory, self->order, max_items);
    ret = spot_error_first(ret, self->memory.error);
    for (size_t j = 0; ret == 0 && j < bulks.num_bulks; j++) {
        const spot_bulk_t *bulk = &bulks.bulks[j];

        self->items[j] = (item_t){(double) (bulk->time_ms - last_ms) / (double) SPOT_MS_PER_S,
            bulk->kind, bulk->size, bulk->before};
        last_ms = bulk->time_ms;
    }
    self->num_items = (int32_t) bulks.num_bulks;
    spot_bulks_free(&bulks);
    return ret;
}

/* Sorts item ids by population with a stable counting sort. first: [largest - least +
 * 2], zeroed; sets first[k] to the place at which population least + k begins. */
static void sort_items(model_t *self, int32_t *first)
{
    for (int32_t j = 0; j < self->num_items; j++) {
        first[self->items[j].before - self->least + 1]++;
    }
    for (int32_t k = 0; k <= self->largest - self->least; k++) {
        first[k + 1] += first[k];
    }
    for (int32_t j = 0; j < self->num_items; j++) {
        self->order[first[self->items[j].before - self->least]++] = j;
    }
    for (int32_t k = self->largest - self->least + 1; k > 0; k--) {
        first[k] = first[k - 1];
    }
    first[0] = 0;
}

static int32_t population_of(const model_t *self, int32_t place)
{
    return self->items[self->order[place]].before;
}

/* Widens the vicinity distance by distance until it has enough items. first as above. */
static vicinity_t find_vicinity(const model_t *self, const int32_t *first, int32_t population)
{
    const int32_t k = population - self->least;
    vicinity_t near = {first[k], first[k], first[k], first[k]};

    while (near.far_end - near.far < self->neighbours) {
        int64_t below = INT64_MAX, above = INT64_MAX, distance;

        near.near = near.far;
        near.near_end = near.far_end;
        if (near.near > 0) {
            below = population - population_of(self, near.near - 1);
        }
        if (near.near_end < self->num_items) {
            above = population_of(self, near.near_end) - population;
        }
        distance = below < above ? below : above;
        if (below == distance) {
            near.far = first[population - distance - self->least];
        }
        if (above == distance) {
            near.far_end = first[population + distance - self->least + 1];
        }
    }
    return near;
}

/* Tabulates the vicinities; neighbours is at most num_items. */
static int find_neighbours(model_t *self)
{
    size_t num_populations;
    int32_t *first;

    self->least = self->largest = self->items[0].before;
    for (int32_t j = 1; j < self->num_items; j++) {
        const int32_t before = self->items[j].before;

        self->least = before < self->least ? before : self->least;
        self->largest = before > self->largest ? before : self->largest;
    }
    num_populations = (size_t) (self->largest - self->least) + 1;
    SPOT_ARENA_ARRAY(&self->memory, first, num_populations + 1);
    SPOT_ARENA_ARRAY(&self->memory, self->vicinities, num_populations);
    if (self->memory.error != 0) {
        return self->memory.error;
    }
    sort_items(self, first);
    for (int32_t k = 0; k <= self->largest - self->least; k++) {
        self->vicinities[k] = find_vicinity(self, first, self->least + k);
    }
    return 0;
}

static int block_prepare(void *model, const void *like, spot_diag_t *diag)
{
    model_t *self = model;
    const spot_trace_t *trace;
    int ret = spot_recorded_trace_open(&self->recording,
        like == NULL ? NULL : &((const model_t *) like)->recording, self->path, diag);

    if (ret == 0) {
        trace = self->recording.trace;
        spot_recorded_trace_settle(trace, &self->common);
        if (trace->num_events == 0 || trace->events[trace->num_events - 1].time_ms == 0) {
            ret = spot_diag_error(diag, self->path, 0, 0,
                "no event after time 0: there are no blocks to take from it");
        } else if (self->common.initial > self->common.capacity) {
            ret = spot_diag_error(diag, self->path, 0, 0,
                "the model starts with %lld instances, more than its capacity of %lld",
                (long long) self->common.initial, (long long) self->common.capacity);
        }
    }
    ret = ret == 0 ? read_items(self) : ret;
    if (ret == 0) {
        self->neighbours = self->neighbours < self->num_items ? self->neighbours : self->num_items;
        ret = find_neighbours(self);
    }
    return ret;
}

static void block_free(void *model)
{
    model_t *self = model;

    spot_recorded_trace_close(&self->recording);
    free(self->path);
    spot_arena_free(&self->memory);
}

/* Draws a neighbour; a population outside the recorded ones has those of the nearest. */
static int32_t draw_neighbour(state_t *self)
{
    const model_t *model = self->model;
    const int64_t population = self->population < model->least     ? model->least
                               : self->population > model->largest ? model->largest
                                                                   : self->population;
    const vicinity_t *near = &model->vicinities[population - model->least];
    const int32_t num_near = near->near_end - near->near;
    const int32_t num_below = near->near - near->far;
    const int32_t num_far = num_below + near->far_end - near->near_end;
    int32_t choice = (int32_t) spot_rng_below(&self->restart, (uint64_t) model->neighbours);

    if (choice < num_near) {
        return model->order[near->near + choice];
    }
    choice = (int32_t) spot_rng_below(&self->restart, (uint64_t) num_far);
    return model
        ->order[choice < num_below ? near->far + choice : near->near_end + choice - num_below];
}

/* Chooses the next event right after the last one: a shock in between changes the
 * possible size of the event, not its time. */
static void draw_pending(state_t *self, bool is_restart)
{
    const model_t *model = self->model;
    double gap_s;

    if (is_restart || self->item_id + 1 == model->num_items ||
        spot_rng_uniform(&self->restart) < self->p_restart) {
        self->item_id = draw_neighbour(self);
    } else {
        self->item_id++;
    }
    gap_s = model->items[self->item_id].gap_s;
    self->num_instant = gap_s > 0 ? 0 : self->num_instant + 1;
    self->pending_s =
        self->num_instant <= MAX_INSTANT_EVENTS ? self->pending_s + gap_s : (double) INFINITY;
}

static double due_s(const void *state)
{
    return ((const state_t *) state)->pending_s;
}

/* The pending event, clipped to the instances there are or to the room for more. */
static void happen(void *state, spot_happening_t *happening)
{
    state_t *self = state;
    const item_t *item = &self->model->items[self->item_id];
    const bool is_addition = item->kind == SPOT_EVENT_ADD;
    const int64_t most =
        is_addition ? self->model->common.capacity - self->population : self->population;

    happening->kind = item->kind;
    happening->count = item->size < most ? item->size : most;
    self->population += is_addition ? happening->count : -happening->count;
    draw_pending(self, false);
}

static const spot_process_t process = {due_s, happen};

static void block_start(void *state, const void *model, const spot_dice_t *dice)
{
    state_t *self = state;

    self->model = model;
    self->population = self->model->common.initial;
    self->num_instant = 0;
    self->pending_s = 0;
    self->p_restart = 1 / self->model->restart_every;
    spot_dice_seek(dice, &self->restart, SPOT_STREAM_RESTART, 0);
    spot_outlet_init(&self->outlet, &self->model->common, self->population);
    draw_pending(self, true);
}

static bool block_next(void *state, spot_event_t *event)
{
    state_t *self = state;

    return spot_outlet_next_until(
        &self->outlet, &process, self, self->outlet.ticks.last_tick, event);
}

static bool block_next_until(void *state, int64_t last_ms, spot_event_t *event)
{
    state_t *self = state;

    return spot_outlet_next_until(
        &self->outlet, &process, self, last_ms / self->outlet.ticks.tick_ms, event);
}

static const int32_t *block_lose(void *state, double time_s, int32_t num_lost)
{
    state_t *self = state;

    (void) time_s;
    self->population -= num_lost;
    self->outlet.recorder.population -= num_lost;
    return NULL;
}

static const spot_field_t block_options[] = {
    {SPOT_VALUE(PATH, "trace", model_t, path, NULL,
        "the recorded trace (spotsim-trace 1, .csv or .csv.gz), relative to the "
        "document; what the model does not say of capacity, initial, tick_s and "
        "horizon_s is as recorded")},
    {SPOT_RANGE(NUMBER, "restart_every", model_t, restart_every, 1, 1e9, "10",
         "time between restarts", "mean number of events in a block"),
        SPOT_DECIDES},
    {SPOT_RANGE(INTEGER, "neighbours", model_t, neighbours, 1, 1e9, "3", "neighbours",
         "a restart chooses among this many events with the nearest population"),
        SPOT_DECIDES},
    {.name = NULL, .fields = spot_model_common_fields},
};

static const spot_generator_members_t members = {
    .next_until = block_next_until,
    .lose = block_lose,
};

static const spot_generator_population_t population = {
    .is_recorded = true,
};

const spot_generator_t spot_generator_block = {
    .name = "block",
    .doc = "blocks of a recorded trace, joined where the population is alike",
    .source = "own; Lall and Sharma, Water Resources Research 32, 1996",
    .options = block_options,
    .model_size = sizeof(model_t),
    .state_size = sizeof(state_t),
    .prepare = block_prepare,
    .free = block_free,
    .start = block_start,
    .next = block_next,
    .members = &members,
    .population = &population,
};
