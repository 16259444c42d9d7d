/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of which generators are made.
 *
 * The outlet turns a process in continuous time into the events of a trace: ticks up to
 * the horizon, and a recorder that merges the changes of a tick. The roster has the
 * living instances where events name their victims. Rates depend on the hour of the day.
 *
 * Use: a generator embeds the parts that it needs in its model or state and calls them
 * from the functions of its table (generator.h). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bind.h"
#include "base/rng.h"
#include "base/units.h"
#include "traces/generate/generator.h"
#include "traces/laws/law.h"
#include "traces/trace.h"

/* The ticks of a model. */
typedef struct {
    double horizon_s; /* no event is after it */
    int64_t tick_ms;
    int64_t last_tick; /* the last tick up to the horizon */
} spot_model_ticks_t;

void spot_model_ticks_init(spot_model_ticks_t *self, const spot_model_common_t *common);

/* The tick that sees an event at time_s >= 0; INT64_MAX: none does, also for INFINITY
 * and NAN. */
static inline int64_t spot_model_ticks_seeing(const spot_model_ticks_t *self, double time_s)
{
    int64_t tick;

    if (!(time_s <= self->horizon_s)) {
        return INT64_MAX;
    }
    tick = spot_tick_seeing(self->tick_ms, 1e3 * time_s);
    return tick <= self->last_tick ? tick : INT64_MAX;
}

/* A change of instances without names. */
typedef struct {
    spot_event_kind_t kind;
    int64_t count; /* may be 0 */
} spot_happening_t;

/* A process of such changes. */
typedef struct {
    /* Time of the next change, not before the latest one; INFINITY: there is none. */
    double (*due_s)(const void *state);
    /* Carries out the next change and schedules another one. */
    void (*happen)(void *state, spot_happening_t *happening);
} spot_process_t;

typedef struct {
    spot_model_ticks_t ticks;
    spot_recorder_t recorder; /* whose population others lower after a call that gave no
                                 event, where instances are lost otherwise */
    size_t num_seen;
    size_t num_given; /* of seen */
    spot_event_t seen[SPOT_RECORDER_EVENTS];
} spot_outlet_t;

void spot_outlet_init(spot_outlet_t *self, const spot_model_common_t *common, int64_t population);

/* Sets event to the next event of the trace up to last_tick, which never decreases;
 * false: there is none. */
bool spot_outlet_next_until(spot_outlet_t *self, const spot_process_t *process, void *state,
    int64_t last_tick, spot_event_t *event);

/* Settles a law of successive gaps: a mean below 1 ms is an error, since its events
 * would not reach the horizon. */
void spot_gap_law_check(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target);

/* ---- The roster of named instances ----
 * The living instances of generators whose events name their victims: slots 0 ...
 * capacity - 1, one instance each, and the events that a tick shows.
 *
 * An instance that comes and goes within one tick is not seen and left out. So the
 * losses of a tick are instances that lived at its start. Their number is that of the
 * recorder, unless a process chose a victim that had just come. */

typedef struct {
    int32_t num_slots;
    int32_t population;
    int32_t num_old;  /* living since before the open tick */
    int32_t num_lost; /* old ones lost in the open tick */
    int32_t *slots;   /* [num_slots] old ones, new ones, then free slots */
    int32_t *place;   /* [num_slots] index into slots */
    int32_t *lost;    /* [num_slots] of which num_lost are used */
} spot_roster_t;

/* Bytes of the memory for init, aligned for int32_t. */
size_t spot_roster_bytes(int64_t num_slots);

/* Starts with instances in the slots below population. memory must outlive self.
 * O(slots). */
void spot_roster_init(spot_roster_t *self, void *memory, int64_t num_slots, int64_t population);

/* Removes the instance in a slot. */
void spot_roster_leave(spot_roster_t *self, int32_t slot);

/* Puts an instance into a free slot, such as spot_roster_free_slot(), which exists if
 * population < num_slots. */
void spot_roster_enter(spot_roster_t *self, int32_t slot);
int32_t spot_roster_free_slot(const spot_roster_t *self);

/* Whether an instance lives in a slot. */
static inline bool spot_roster_lives(const spot_roster_t *self, int32_t slot)
{
    return self->place[slot] < self->population;
}

/* Draws a victim uniformly from the old instances, or from the new ones if no old one is
 * left. population > 0. */
int32_t spot_roster_victim(const spot_roster_t *self, spot_rng_t *rng);

/* Removes num_lost <= population uniform victims that are lost otherwise; no event shows
 * them. Call it only after see() returned false. Returns their slots, valid until the
 * next change. */
const int32_t *spot_roster_strike(spot_roster_t *self, int32_t num_lost, spot_rng_t *rng);

/* Closes the open tick: sets event to its losses, or to its additions on a second call,
 * with slots as name_ids, valid until the next change; false: no event is left. */
bool spot_roster_see(spot_roster_t *self, int64_t time_ms, spot_event_t *event);

/* A random stream for each of many slots, with four bytes per slot: its position in the
 * stream. */
typedef struct {
    spot_dice_t dice;
    spot_stream_t purpose;
    const spot_law_t *law;
    uint32_t *num_used; /* [num_slots] numbers drawn so far */
    spot_rng_t rng;
} spot_slot_dice_t;

/* Gives slot s the stream (purpose, first_entity + s). num_used, [num_slots], and law
 * must outlive self. O(slots). */
void spot_slot_dice_init(spot_slot_dice_t *self, const spot_dice_t *dice, spot_stream_t purpose,
    const spot_law_t *law, uint32_t *num_used, int64_t num_slots);

/* Draws the next value of the law for a slot, in s. */
double spot_slot_dice_draw(spot_slot_dice_t *self, int32_t slot);

/* ---- Rates by the hour of the day ----
 * Rates that depend on the hour of the day: a gap drawn for a constant rate of 1 ends
 * when the integral of the rate reaches it. */

/* A list of one number an hour, in the struct itself. */
#define SPOT_HOURS_FIELD(hour)                                                                     \
    .is_in_place = true, .item = (hour), .item_size = sizeof(double), .min = SPOT_HOURS_PER_DAY,   \
    .max = SPOT_HOURS_PER_DAY

/* Rates by hour of the day; their mean is 1. */
typedef struct {
    double rates[SPOT_HOURS_PER_DAY]; /* >= 0 */
} spot_hourly_rates_t;

typedef struct {
    bool is_given;
    double start_hour; /* hour of the day at time 0 */
    spot_hourly_rates_t preempt;
    spot_hourly_rates_t add;
} spot_hourly_t;

/* Fields of a map {start_hour: H, preempt: [24 numbers], add: [24 numbers]}. */
extern const spot_field_t spot_hourly_fields[];

/* The time at which the integral of the rate from time_s on reaches gap_s; start_hour is
 * the hour of the day at time 0. O(1): at most two turns of the clock. */
double spot_hourly_rates_end(
    const spot_hourly_rates_t *self, double start_hour, double time_s, double gap_s);
