/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The interface of generators of traces, and the recordings that they share.
 *
 * Each generator has one const table. A model holds the values of its YAML keys, shared
 * by all threads; a state is one replication under way. This header knows no generator:
 * it has the common keys, the table, the clock of a model, recordings on a shelf (a
 * study over one trace reads it once) and prices in the header of a recording. What
 * generators need to make events is in generator_parts.h.
 *
 * Use: a new generator fills in a spot_generator_t and joins spot_generators (model.c).
 * Callers take a model, not a generator: see model.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bind.h"
#include "base/diag.h"
#include "base/error.h"
#include "base/rng.h"
#include "models/price.h"
#include "traces/trace.h"
#include "traces/trace_write.h"

/* A recording that a model plays. */
typedef struct {
    const spot_trace_t *trace;
    int64_t from_ms; /* of the recording: where the replay begins at the earliest */
} spot_played_t;

enum { SPOT_MAX_PLAYED = 16 };

/* Keys that every model has. Inside a scenario its tick, fleet and horizon win. */
typedef struct {
    int64_t version;          /* of the model file's format, 1 */
    char *name;               /* NULL: not given */
    int victims;              /* 0: uniform, the only one */
    double tick_s;            /* 0: not given */
    int64_t capacity;         /* 0: not given */
    int64_t initial;          /* -1: not given */
    double horizon_s;         /* 0: not given */
    int kind;                 /* spot_trace_kind_t: named or counts */
    double frequency;         /* of its own clock; 2: twice as fast as that of the run */
    spot_price_steps_t price; /* of an instance; no steps: not given */
    int64_t tick_ms;          /* settled: the one that counts, on its own clock */
    int64_t horizon_ms;       /* settled, on the clock of the run; 0: none */
    bool is_within;           /* a scenario or zones settle tick and horizon */
    size_t num_played;
    spot_played_t played[SPOT_MAX_PLAYED]; /* [num_played] the first of its recordings */
} spot_model_common_t;

extern const spot_field_t spot_model_common_fields[];

/* Those of a recorded trace too; the common fields continue with them. */
extern const spot_field_t spot_model_recorded_fields[];

/* A generator knows nothing but its own clock, on which its time t is t / frequency of
 * the run. These convert: an event to the nearest ms of the run; an end to the first ms
 * that is not before it; and the last ms of its own that the run sees by run_ms. */
int64_t spot_model_run_ms(const spot_model_common_t *self, int64_t own_ms);
int64_t spot_model_run_end_ms(const spot_model_common_t *self, int64_t own_ms);
int64_t spot_model_own_ms(const spot_model_common_t *self, int64_t run_ms);

/* The last time of an event on its own clock: that of the horizon, or twice the longest
 * duration. */
int64_t spot_model_last_ms(const spot_model_common_t *self);

/* The random streams of a replication: spot_rng_seek(rng, seed, replication, purpose,
 * first_entity + entity), so that a generator can be one of several parts. */
typedef struct {
    uint64_t seed;
    uint64_t replication;
    uint64_t first_entity;
} spot_dice_t;

/* Starts the stream of a purpose and an entity. */
static inline void spot_dice_seek(
    const spot_dice_t *self, spot_rng_t *rng, spot_stream_t purpose, uint64_t entity)
{
    spot_rng_seek(rng, self->seed, self->replication, purpose, self->first_entity + entity);
}

/* Instances that share a capacity and may share a price. */
typedef struct {
    char *name;               /* letters, digits, - and _ */
    int64_t capacity;         /* most instances at a time; 0: unknown, in a recording */
    spot_price_steps_t price; /* no steps: that of the model or of the fleet */
} spot_zone_t;

/* The longest name of a zone: with "/i" and a number it still fits the name of an
 * instance. */
#define SPOT_ZONE_NAME_BYTES 40

typedef struct {
    size_t num_zones;      /* 0: no zones */
    spot_zone_t *zones;    /* [num_zones] */
    int32_t *zone_of_name; /* a recording's [num_names] zone id or -1; else NULL */
} spot_zones_t;

/* The values of a scenario, which win over those of the model; a difference gives a
 * warning. */
typedef struct {
    int64_t tick_ms;
    int64_t capacity;
    int64_t initial;
    int64_t horizon_ms; /* 0: none */
    bool is_zone;       /* the model is one of several zones: its own capacity and initial
                           count */
} spot_trace_setting_t;

/* Room for the text of a model's form. */
#define SPOT_FORM_BYTES 160

/* Added by generators whose instances have names, live in zones or can be lost by
 * shocks. Functions may be NULL. */
typedef struct {
    /* The number of ids, above all of them; NULL or 0: events name no instances.
     * Otherwise an event names all its instances (name_ids) or none; without names its
     * victims are uniform. An id may be used again after its instance has gone. */
    int64_t (*num_names)(const void *model);
    /* Ids of the instances at time 0, zone by zone; -1 for an instance that no event
     * names. NULL: 0, 1, 2, ... Valid until the first event. */
    const int32_t *(*initial_names)(const void *state);
    /* The name of the latest instance with an id; may be written to text. NULL: "i1",
     * "i2", ... by birth. */
    const char *(*name_text)(const void *state, int32_t name_id, char text[SPOT_NAME_BYTES + 1]);
    /* All zones. NULL: there are none. */
    const spot_zones_t *(*zones)(const void *model);
    /* Of a generator of new traces: the zone of the latest event, and the instances that
     * a zone has at time 0. */
    int32_t (*zone)(const void *state);
    int64_t (*zone_initial)(const void *state, int32_t zone_id);
    /* Shocks, both or none. next_until: the next event up to last_ms; after false a
     * later call continues with a later last_ms. lose: num_lost > 0 living instances are
     * lost at time_s, before all events not returned yet; the tick after last_ms sees
     * the loss. If events name their instances, the generator chooses the victims in its
     * own stream and returns their ids, valid until the next call; else it returns
     * NULL. */
    bool (*next_until)(void *state, int64_t last_ms, spot_event_t *event);
    const int32_t *(*lose)(void *state, double time_s, int32_t num_lost);
} spot_generator_members_t;

/* Added by generators with their own population or end, such as those of a recorded
 * trace. Functions may be NULL. */
typedef struct {
    /* The model file need not say capacity, initial, tick_s and horizon_s: prepare()
     * takes what is 0 (initial: -1) from a recording. */
    bool is_recorded;
    /* The recorded trace behind the model. NULL: the traces are new. */
    const spot_trace_t *(*recording)(const void *model);
    /* Instances at time 0 of the replication under way, at most
     * largest_initial(model). Both NULL: those of the recording, or common.initial. */
    int64_t (*initial)(const void *state);
    int64_t (*largest_initial)(const void *model);
    /* The end of the model, from which on the last instances stay. NULL or 0: never. */
    int64_t (*end_ms)(const void *model);
    /* Whether the population may leave 0 ... capacity, and whether it may rise above the
     * capacity. NULL: never. */
    bool (*is_unlimited)(const void *model);
    bool (*is_unbounded)(const void *model);
    /* The time at which a loss of more instances than live cut the replication short,
     * after next() or next_until() has returned false; -1 or NULL: none did. */
    int64_t (*stopped_ms)(const void *state);
} spot_generator_population_t;

/* What every generator has. Functions marked "or NULL" may be missing. */
typedef struct {
    const char *name; /* as in "generator: NAME" */
    const char *doc;
    const char *source; /* paper or program that it follows */
    /* Offsets into the model; continues with the common fields. */
    const spot_field_t *options;
    size_t model_size; /* the model starts with spot_model_common_t */
    size_t state_size;
    size_t (*state_bytes)(const void *model); /* more than state_size; or NULL */
    /* Binds models within the model, once the common part is settled; or NULL. node: the
     * map of the model. setting: that of the model around them, or NULL for a model
     * file; like as below. */
    void (*bind_parts)(void *model, spot_bind_t *bind, const spot_node_t *node,
        const spot_trace_setting_t *setting, const void *like);
    /* Checks and prepares a bound model whose common part is settled; or NULL. like: an
     * earlier model of the same generator, which may share its recordings, or NULL. */
    int (*prepare)(void *model, const void *like, spot_diag_t *diag);
    void (*free)(void *model); /* or NULL */
    /* Writes the form of the model, for the note in generated traces. NULL: the
     * generator has one form only. */
    void (*form)(const void *model, char text[SPOT_FORM_BYTES]);
    /* Starts a replication in state (zeroed once, state_size bytes). */
    void (*start)(void *state, const void *model, const spot_dice_t *dice);
    /* The next event; false: there is none up to spot_model_last_ms(). Its name_ids are
     * valid until the next call. */
    bool (*next)(void *state, spot_event_t *event);
    /* The next events, fewer than max_events if there are no more. NULL: by next(). */
    size_t (*next_many)(void *state, size_t max_events, spot_event_t *events);
    const spot_generator_members_t *members;       /* or NULL */
    const spot_generator_population_t *population; /* or NULL */
} spot_generator_t;

/* The optional tables; empty tables if the generator has none. */
const spot_generator_members_t *spot_generator_members(const spot_generator_t *self);

extern const spot_generator_t spot_generator_seed;
extern const spot_generator_t spot_generator_mrp;
extern const spot_generator_t spot_generator_block;
extern const spot_generator_t spot_generator_replay;
extern const spot_generator_t spot_generator_fleet_replay;
extern const spot_generator_t spot_generator_lifetimes;
extern const spot_generator_t spot_generator_chance;
extern const spot_generator_t spot_generator_file;
extern const spot_generator_t spot_generator_zones;

/* Every generator that "generator: NAME" can name, NULL-terminated. */
extern const spot_generator_t *const spot_generators[];

/* ---- Recordings that are shared ----
 * Recorded traces of models. Models that are bound one after another share them: a study
 * over one trace reads it once, for any number of points. */

typedef struct spot_shelf spot_shelf_t;

typedef struct {
    spot_shelf_t *shelf;
    const spot_trace_t *trace; /* on the shelf */
} spot_recorded_trace_t;

/* Opens the trace at path. It is shared with like (of an earlier model, or NULL) if that
 * has read it; like may be closed first. Kind availability is a warning. BAD_INPUT, IO,
 * NO_MEMORY with the reasons in diag; close self even then. */
SPOT_MUST_CHECK int spot_recorded_trace_open(spot_recorded_trace_t *self,
    const spot_recorded_trace_t *like, const char *path, spot_diag_t *diag);
void spot_recorded_trace_close(spot_recorded_trace_t *self);

/* Fills capacity, initial, tick_ms and horizon_ms if neither model file nor scenario
 * gives them: with the capacity of the trace (if unbounded, its largest population), its
 * population at time 0, its resolution and its length. O(events). */
void spot_recorded_trace_settle(const spot_trace_t *trace, spot_model_common_t *common);

/* Notes that a model plays a recording from a time of it on, for what says when it
 * started. */
void spot_recorded_trace_play(
    const spot_trace_t *trace, int64_t from_ms, spot_model_common_t *common);

/* Warns at the place of a key below node of the first recording that a model plays and
 * that did not start with the prices: spot_price_check_start(). */
void spot_recorded_trace_check_price(const spot_model_common_t *model,
    const spot_price_steps_t *price, spot_diag_t *diag, const spot_node_t *node, const char *key);

/* How many of the recordings that a model plays never lose an instance. */
size_t spot_recorded_trace_num_lossless(const spot_model_common_t *model);

/* ---- Prices in the header of a trace ----
 * "# price_usd_per_h: 0 0.91; 21600 1.2" is a price of 0.91 USD per instance-hour from
 * 0 s and 1.2 from 21600 s on. A key "price_usd_per_h.ZONE" is the price of the
 * instances whose names start with "ZONE/". "price_eur_per_h" is in another
 * currency. */

/* Writes the price of a zone (NULL: of all others) unless it has no steps. NO_MEMORY. */
SPOT_MUST_CHECK int spot_price_header_write(
    spot_trace_writer_t *writer, const char *zone, const spot_price_steps_t *price);

/* Reads the prices of a trace: that without a zone into price, the others into zones. If
 * price has steps already, nothing is read. Reports faulty values to diag with their
 * place in path. The trace owns the names of zones. BAD_INPUT, NO_MEMORY; free both even
 * then. O(names). */
SPOT_MUST_CHECK int spot_price_header_read(const spot_trace_t *trace, const char *path,
    spot_price_steps_t *price, spot_zones_t *zones, spot_diag_t *diag);

void spot_zones_free(spot_zones_t *self);
