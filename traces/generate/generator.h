/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a generator of traces is: one file and one const table each. A model is what YAML
 * says, shared by all threads; a state is one replication under way. */
#ifndef SPOT_TRACES_GENERATE_GENERATOR_H
#define SPOT_TRACES_GENERATE_GENERATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bind.h"
#include "models/price.h"
#include "traces/trace.h"

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
    spot_price_steps_t price; /* of an instance; no steps: not given */
    int64_t tick_ms;          /* settled: what counts */
    int64_t horizon_ms;       /* settled; 0: none */
    bool is_within;           /* a scenario, or zones, settle tick and horizon */
} spot_model_common_t;

extern const spot_field_t spot_model_common_fields[];

/* The price alone, with which the common fields go on. */
extern const spot_field_t spot_model_price_fields[];

/* No event later than that is wanted: the horizon, or twice the longest duration. */
int64_t spot_model_last_ms(const spot_model_common_t *self);

/* Where the random streams of a replication are: spot_rng_seek(rng, seed, replication,
 * purpose, first_entity + entity), so that a generator can be one of several parts. */
typedef struct {
    uint64_t seed;
    uint64_t replication;
    uint64_t first_entity;
} spot_dice_t;

/* Instances that share a capacity and may share a price. */
typedef struct {
    char *name;       /* letters, digits, - and _ */
    int64_t capacity; /* most instances at a time; 0: of a recording, not known */
    spot_price_steps_t price; /* no steps: that of the model or of the fleet */
} spot_zone_t;

/* The longest name of a zone: with /i and a number it still names an instance. */
#define SPOT_ZONE_NAME_BYTES 40

typedef struct {
    size_t num_zones;      /* 0: all instances are alike */
    spot_zone_t *zones;    /* [num_zones] */
    int32_t *zone_of_name; /* a recording's [num_names] zone id or -1; else NULL */
} spot_zones_t;

/* What a scenario settles; its values win over those of the model, a difference warns.
 */
typedef struct {
    int64_t tick_ms;
    int64_t capacity;
    int64_t initial;
    int64_t horizon_ms; /* 0: none */
    bool is_zone; /* capacity and initial do not count: the model is one of several zones
                     and brings its own */
} spot_trace_setting_t;

/* Room for the text that tells a model's form. */
#define SPOT_FORM_BYTES 160

typedef struct {
    const char *name; /* as in "generator: NAME" */
    const char *doc;
    const char *source; /* paper or program that it follows */
    const spot_field_t
        *options;      /* offsets into the model; goes on with the common ones */
    size_t model_size; /* the model starts with spot_model_common_t */
    size_t state_size;
    size_t (*state_bytes)(const void *model); /* more than state_size; may be NULL */
    /* Binds models within the model, when the common part is settled; may be NULL.
     * setting: that of the model around them, or NULL for a model file; like as below.
     */
    void (*bind_parts)(void *model, spot_bind_t *bind,
        const spot_trace_setting_t *setting, const void *like);
    /* Whether the model file need not say capacity, initial, tick_s and horizon_s:
     * prepare() takes what is 0 (initial: -1) from a recording. */
    bool is_recorded;
    /* Checks and prepares a bound model whose common part is settled. like: an earlier
     * model of the same generator, with which recordings may be shared, or NULL. May be
     * NULL. */
    int (*prepare)(void *model, const void *like, spot_diag_t *diag);
    void (*free)(void *model);
    /* Starts a replication in state (zeroed once, state_size bytes). */
    void (*start)(void *state, const void *model, const spot_dice_t *dice);
    /* Writes which of its forms the model has, for the note in generated traces. NULL:
     * there is one form only. */
    void (*form)(const void *model, char text[SPOT_FORM_BYTES]);
    /* The next event; false: there is none up to spot_model_last_ms(). Its name_ids are
     * valid until the next call. */
    bool (*next)(void *state, spot_event_t *event);
    /* Instances at time 0 of the replication that was started, at most
     * largest_initial(model). Both NULL: those of the recording, or common.initial. */
    int64_t (*initial)(const void *state);
    int64_t (*largest_initial)(const void *model);
    /* Whether the population may leave 0 ... capacity. NULL: it never does. */
    bool (*is_unlimited)(const void *model);
    /* Whether it may rise above the capacity. NULL: it never does. */
    bool (*is_unbounded)(const void *model);
    /* When a loss of more instances than there are ended the replication, so that it is
     * shorter than it should be, if next() or next_until() found none; else -1. NULL: it
     * never does. */
    int64_t (*stopped_ms)(const void *state);
    /* Instances that may also be lost otherwise, by shocks. next_until: the next event
     * up to last_ms; after false a later call goes on with a later last_ms. lose:
     * num_lost > 0 of those that live are lost at time_s, before all events not given
     * yet; the tick that sees it is the next one after last_ms. Whom it hits is chosen
     * in a stream of the generator's own, if its events name their instances: returns
     * the ids of the lost, valid until the next call, else NULL. Both NULL: the
     * generator cannot be told. */
    bool (*next_until)(void *state, int64_t last_ms, spot_event_t *event);
    const int32_t *(*lose)(void *state, double time_s, int32_t num_lost);
    /* Where instances live in zones: all of them, and of a generator of new traces the
     * zone of the latest event and the instances that a zone has at time 0. NULL: they
     * do not. */
    const spot_zones_t *(*zones)(const void *model);
    int32_t (*zone)(const void *state);
    int64_t (*zone_initial)(const void *state, int32_t zone_id);
    /* An event either names all its instances (name_ids) or none of them; then its
     * victims are uniform. How many ids there are, above all of them, or NULL: names
     * nobody. An id may be used again after its instance has gone. */
    int64_t (*num_names)(const void *model);
    /* Ids of the instances at time 0, zone by zone, -1 for one whom no event names; or
     * NULL: 0, 1, 2, ... Valid until the first event. */
    const int32_t *(*initial_names)(const void *state);
    /* What the latest instance with an id is called, put into text if need be; NULL:
     * "i1", "i2", ... by birth. */
    const char *(*name_text)(
        const void *state, int32_t name_id, char text[SPOT_NAME_BYTES + 1]);
    /* When the model ends, so that the last instances stay; NULL or 0: never. */
    int64_t (*end_ms)(const void *model);
    /* The recorded trace behind the model, or NULL for a generator of new ones. */
    const spot_trace_t *(*recording)(const void *model);
} spot_generator_t;

extern const spot_generator_t spot_generator_seed;
extern const spot_generator_t spot_generator_mrp;
extern const spot_generator_t spot_generator_block;
extern const spot_generator_t spot_generator_replay;
extern const spot_generator_t spot_generator_lifetimes;
extern const spot_generator_t spot_generator_chance;
extern const spot_generator_t spot_generator_file;
extern const spot_generator_t spot_generator_zones;

/* Every generator that "generator: NAME" can name, NULL-terminated. */
extern const spot_generator_t *const spot_generators[];

#endif
