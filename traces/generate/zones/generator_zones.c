/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several zones, each with its own model, capacity and price, and common losses: shocks
 * come as a Poisson process, each zone is hit with one probability, and each living
 * instance of a hit zone is lost with another, independently (the common shocks of
 * Marshall and Olkin).
 *
 * At one tick the losses of shocks come first, then those of the models of zones, then
 * additions, each in the order of the zones. A model that accepts losses goes on by its
 * own law with the instances left; if its events name instances, it chooses the victims.
 * A replay does not accept losses: it keeps its own count, lost instances are not
 * replaced, its changes are clipped to the instances and the room of the zone, and its
 * victims are uniform. */
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/units.h"
#include "traces/generate/generator.h"
#include "traces/generate/model.h"
#include "traces/trace.h"

/* ---- Shocks ----
 * Source: Marshall, Olkin, "A multivariate exponential distribution", JASA 62, 1967.
 * Streams: SHOCK at first_entity for the gaps between shocks; the losses of a zone are
 * drawn from a stream of that zone. */

typedef struct {
    double per_hour; /* 0: none */
    double p_zone;   /* that a zone is hit */
    double share;    /* probability of each instance of a hit zone to be lost */
} shocks_t;

/* The successive shocks of a replication. */
typedef struct {
    double mean_gap_ms; /* INFINITY: there are none */
    int64_t tick_ms;
    int64_t last_ms; /* the horizon */
    double time_ms;  /* of the present shock */
    int64_t seen_ms; /* the tick that sees it; INT64_MAX: there are no more */
    spot_rng_t gaps;
} shock_clock_t;

/* Fields of a map {per_hour: NUMBER, p_zone: NUMBER, share: NUMBER}. */
static const spot_field_t shocks_fields[] = {
    {SPOT_RANGE(NUMBER, "per_hour", shocks_t, per_hour, 0, 3600, NULL, "shocks per hour",
        "shocks in an hour, on average")},
    {SPOT_RANGE(NUMBER, "p_zone", shocks_t, p_zone, 0, 1, NULL, "probability to hit a zone",
        "probability of each zone to be hit by a shock")},
    {SPOT_RANGE(NUMBER, "share", shocks_t, share, 0, 1, NULL, "share of a zone lost",
        "probability of each living instance of a hit zone to be lost")},
    {.name = NULL},
};

/* Whether shocks can take any instance. */
static bool shocks_take_some(const shocks_t *self)
{
    return self->per_hour > 0 && self->p_zone > 0 && self->share > 0;
}

/* Draws the number of instances of a zone that the present shock takes. */
static int32_t shocks_draw_lost(const shocks_t *self, int64_t population, spot_rng_t *rng)
{
    if (spot_rng_uniform(rng) >= self->p_zone) {
        return 0;
    }
    return (int32_t) gsl_ran_binomial(spot_rng_gsl(rng), self->share, (unsigned) population);
}

/* Goes to the next shock. The first tick that can see one is tick 1. */
static void shock_clock_next(shock_clock_t *self)
{
    int64_t tick;

    self->seen_ms = INT64_MAX;
    if (!isfinite(self->mean_gap_ms)) {
        return;
    }
    self->time_ms += gsl_ran_exponential(spot_rng_gsl(&self->gaps), self->mean_gap_ms);
    if (self->time_ms <= (double) self->last_ms) {
        tick = spot_tick_seeing(self->tick_ms, self->time_ms);
        self->seen_ms = (tick > 0 ? tick : 1) * self->tick_ms;
    }
}

/* Starts at the first shock. */
static void shock_clock_init(shock_clock_t *self, const shocks_t *shocks,
    const spot_model_common_t *common, const spot_dice_t *dice)
{
    self->mean_gap_ms =
        shocks->per_hour > 0 ? (double) SPOT_MS_PER_H / shocks->per_hour : (double) INFINITY;
    self->tick_ms = common->tick_ms;
    self->last_ms = spot_model_last_ms(common);
    self->time_ms = 0;
    spot_dice_seek(dice, &self->gaps, SPOT_STREAM_SHOCK, 0);
    shock_clock_next(self);
}

/* ---- The model and a replication ---- */

typedef struct {
    spot_model_common_t common;
    shocks_t shocks;
    const spot_node_t *zones_node; /* while binding only */
    spot_zones_t zones;
    spot_trace_model_t *parts; /* [num_zones] */
    int64_t capacity;          /* of all zones together, like the members below */
    int64_t largest_initial;
    int64_t num_names;
} model_t;

/* A zone of a replication. */
typedef struct {
    const spot_trace_model_t *model;
    const spot_generator_members_t *members; /* of its generator */
    void *state;                             /* of its generator */
    spot_event_t event;
    bool has_event;     /* event is the next one */
    int64_t known_ms;   /* without one: there is none up to this time */
    int32_t first_name; /* id of its first name among all zones; -1: no names */
    int64_t population;
    spot_rng_t hits; /* for hits by shocks, and numbers lost */
} part_t;

typedef struct {
    const model_t *model;
    shock_clock_t shock;
    bool is_shock;     /* the present shock is being applied */
    size_t num_judged; /* zones to which it has been applied */
    size_t zone_id;    /* of the latest event */
    int32_t *names;    /* [capacity of all zones] of the latest event, or at time 0 */
    part_t parts[];    /* [num_zones], then the states of their generators and names */
} state_t;

/* The streams of zone z start at entity z << 32; those of shocks have their own
 * purpose. */
#define ZONE_ENTITY_BITS 32
#define HITS_ENTITY 1

/* ---- Binding ---- */

static bool is_zone_name(const char *name)
{
    static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "0123456789-_";
    const size_t length = strlen(name);

    return length > 0 && length <= SPOT_ZONE_NAME_BYTES && strspn(name, good) == length;
}

/* Whether a zone can be bound; reports why not. */
static bool check_zone(spot_bind_t *bind, const spot_node_t *key, const spot_node_t *node)
{
    const spot_node_t *generator = spot_node_get(node, "generator");

    if (!is_zone_name(key->text)) {
        spot_bind_error(bind, key, "zones",
            "expected zone names of 1 to %d letters, digits, - and _", SPOT_ZONE_NAME_BYTES);
        return false;
    }
    if (node->kind != SPOT_NODE_MAP || spot_node_get(node, "file") != NULL ||
        spot_node_get(node, "model") != NULL) {
        spot_bind_error(bind, node, "zones", "%s: expected {generator: NAME, ...}", key->text);
        return false;
    }
    if (generator != NULL && generator->kind == SPOT_NODE_SCALAR &&
        strcmp(generator->text, spot_generator_zones.name) == 0) {
        spot_bind_error(bind, generator, "zones", "%s: a zone has no zones of its own", key->text);
        return false;
    }
    return true;
}

static void bind_zone(model_t *self, size_t zone_id, spot_bind_t *bind, const model_t *like)
{
    const spot_node_t *key = self->zones_node->keys[zone_id];
    const spot_node_t *node = self->zones_node->children[zone_id];
    const bool is_alike = like != NULL && zone_id < like->zones.num_zones;
    const spot_trace_setting_t setting = {
        .tick_ms = self->common.tick_ms > 0 ? self->common.tick_ms : SPOT_MS_PER_S,
        .is_zone = true};
    const size_t length = strlen(bind->path);
    spot_zone_t *zone = &self->zones.zones[zone_id];
    spot_model_common_t *common;
    int ret;

    if (!check_zone(bind, key, node)) {
        return;
    }
    snprintf(bind->path + length, sizeof(bind->path) - length, "zones.%s.", key->text);
    ret = spot_trace_model_init(
        &self->parts[zone_id], bind, node, &setting, is_alike ? &like->parts[zone_id] : NULL);
    bind->path[length] = '\0';
    zone->name = spot_text_copy(key->text, strlen(key->text));
    bind->is_out_of_memory =
        bind->is_out_of_memory || ret == SPOT_ERR_NO_MEMORY || zone->name == NULL;
    if (ret == 0) {
        common = self->parts[zone_id].model;
        zone->capacity = common->capacity;
        if (zone->capacity == 0) { /* the model has instances but no limit */
            spot_bind_error(
                bind, node, NULL, "missing key \"%szones.%s.capacity\"", bind->path, key->text);
        }
        for (size_t j = 0; j < common->num_played; j++) {
            spot_recorded_trace_play(
                common->played[j].trace, common->played[j].from_ms, &self->common);
        }
        zone->price = common->price; /* zone owns its memory now */
        common->price = (spot_price_steps_t){0};
        if (self->common.frequency > 0) { /* else it has been reported */
            spot_price_steps_speed_up(&zone->price, self->common.frequency);
        }
    }
}

/* Number of names of a zone; 0 for a model that does not accept losses, whose events the
 * zone clips. */
static int64_t num_names_of(const spot_trace_model_t *part)
{
    const spot_generator_members_t *members = spot_generator_members(part->generator);

    return members->lose == NULL || members->num_names == NULL ? 0
                                                               : members->num_names(part->model);
}

/* Recordings of zones are played side by side: warns of one that did not start with the
 * first. */
static void check_starts(const model_t *self, spot_bind_t *bind, const spot_node_t *node)
{
    const spot_played_t *played = self->common.played;
    int64_t apart_ms;

    for (size_t j = 1; j < self->common.num_played; j++) {
        const char *first = spot_trace_key(played[0].trace, "start");
        const char *other = spot_trace_key(played[j].trace, "start");

        if (first != NULL && other != NULL &&
            spot_starts_differ(other, first, played[0].from_ms - played[j].from_ms, &apart_ms)) {
            spot_diag_warn(bind->diag, node->file, node->line, node->column,
                "%szones: the trace %s starts at %s, the trace %s at %s: they are played as if "
                "both had started together",
                bind->path, spot_trace_key(played[0].trace, "name"), first,
                spot_trace_key(played[j].trace, "name"), other);
            return;
        }
    }
}

/* Checks a bound zone; warns of a model that does not accept the losses of shocks. */
static void settle_zone(model_t *self, size_t zone_id, spot_bind_t *bind)
{
    const spot_node_t *node = self->zones_node->children[zone_id];
    const spot_zone_t *zone = &self->zones.zones[zone_id];
    const spot_trace_model_t *part = &self->parts[zone_id];
    const int64_t initial = spot_trace_model_initial(part);

    if (initial > zone->capacity) {
        spot_bind_error(bind, node, "zones",
            "%s: %lld instances at first are more than the capacity of %lld", zone->name,
            (long long) initial, (long long) zone->capacity);
    }
    if (spot_generator_members(part->generator)->lose == NULL && shocks_take_some(&self->shocks)) {
        spot_diag_warn(bind->diag, node->file, node->line, node->column,
            "%szones.%s: a %s goes on as recorded after a shock: "
            "instances that the shock took are not replaced",
            bind->path, zone->name, part->generator->name);
    }
    self->capacity += zone->capacity;
    self->largest_initial += initial;
    self->num_names += num_names_of(part);
}

/* Compares the capacity of all zones with that of the fleet or model, or sets the
 * latter. */
static void settle_capacity(model_t *self, spot_bind_t *bind, const spot_trace_setting_t *setting)
{
    const spot_node_t *node = self->zones_node;
    const int64_t capacity = self->capacity;

    if (capacity > SPOT_MAX_INSTANCES) {
        spot_bind_error(bind, node, "zones", "%lld instances together are more than %d",
            (long long) capacity, SPOT_MAX_INSTANCES);
    }
    if (setting == NULL && self->common.capacity == 0) {
        self->common.capacity = capacity;
    } else if (capacity > self->common.capacity) {
        spot_diag_warn(bind->diag, node->file, node->line, node->column,
            "%szones: their capacity of %lld together is more than %s (%lld): what is "
            "above it is clipped",
            bind->path, (long long) capacity,
            setting == NULL ? "that of the model" : "fleet.capacity",
            (long long) self->common.capacity);
    }
    if (setting == NULL && self->largest_initial > self->common.capacity) {
        spot_bind_error(bind, node, "zones",
            "%lld instances at first are more than the capacity of %lld",
            (long long) self->largest_initial, (long long) self->common.capacity);
    }
}

static void zones_bind_parts(void *model, spot_bind_t *bind, const spot_node_t *whole,
    const spot_trace_setting_t *setting, const void *like)
{
    const size_t num_errors = bind->diag->num_errors;
    model_t *self = model;
    const spot_node_t *node = self->zones_node;

    (void) whole;
    if (node == NULL) {
        return; /* the missing key has been reported */
    }
    if (node->kind != SPOT_NODE_MAP || node->num_children == 0) {
        spot_bind_error(bind, node, "zones",
            "expected a map from zone names to models such "
            "as {us-east-1a: {generator: seed, ...}}");
        return;
    }
    self->zones.zones = spot_calloc(node->num_children, sizeof(*self->zones.zones));
    self->parts = spot_calloc(node->num_children, sizeof(*self->parts));
    if (self->zones.zones == NULL || self->parts == NULL) {
        bind->is_out_of_memory = true;
        return;
    }
    self->zones.num_zones = node->num_children;
    for (size_t j = 0; j < node->num_children; j++) {
        bind_zone(self, j, bind, like);
    }
    for (size_t j = 0;
         bind->diag->num_errors == num_errors && !bind->is_out_of_memory && j < node->num_children;
         j++) {
        settle_zone(self, j, bind);
    }
    if (bind->diag->num_errors == num_errors && !bind->is_out_of_memory) {
        settle_capacity(self, bind, setting);
        check_starts(self, bind, node);
    }
    self->zones_node = NULL;
}

static void zones_free(void *model)
{
    model_t *self = model;

    for (size_t j = 0; j < self->zones.num_zones; j++) {
        spot_trace_model_free(&self->parts[j]);
        free(self->zones.zones[j].name);
        spot_price_steps_free(&self->zones.zones[j].price);
    }
    free(self->zones.zones);
    free(self->parts);
}

/* ---- A replication ---- */

static size_t round_up(size_t num_bytes)
{
    const size_t unit = alignof(max_align_t);

    return (num_bytes + unit - 1) / unit * unit;
}

static size_t zones_state_bytes(const void *model)
{
    const model_t *self = model;
    const size_t num_zones = self->zones.num_zones;
    size_t num_bytes = round_up(sizeof(state_t) + num_zones * sizeof(part_t));

    for (size_t j = 0; j < num_zones; j++) {
        num_bytes += round_up(spot_trace_model_state_bytes(&self->parts[j]));
    }
    return num_bytes + sizeof(int32_t) * (size_t) self->capacity;
}

/* Converts ids of a zone to ids among all zones; NULL: the zone has no names. */
static const int32_t *names_of(
    const part_t *part, const int32_t *name_ids, int32_t num_names, int32_t *names)
{
    for (int32_t j = 0; part->first_name >= 0 && j < num_names; j++) {
        names[j] = part->first_name + name_ids[j];
    }
    return part->first_name >= 0 ? names : NULL;
}

/* Fills names with the ids of the instances at time 0, zone by zone. */
static void name_initial(state_t *self)
{
    int32_t *names = self->names;

    for (size_t j = 0; j < self->model->zones.num_zones; j++) {
        const part_t *part = &self->parts[j];

        for (int32_t k = 0; k < part->population; k++) {
            *names++ = part->first_name < 0 ? -1 : part->first_name + k;
        }
    }
}

static void start_part(part_t *part, const spot_trace_model_t *model, const spot_dice_t *dice)
{
    part->model = model;
    part->members = spot_generator_members(model->generator);
    part->has_event = false;
    part->known_ms = -1;
    model->generator->start(part->state, model->model, dice);
    part->population = spot_trace_model_initial_of(model, part->state);
    spot_dice_seek(dice, &part->hits, SPOT_STREAM_SHOCK, HITS_ENTITY);
}

static void zones_start(void *state, const void *model, const spot_dice_t *dice)
{
    state_t *self = state;
    const model_t *zones = model;
    char *memory =
        (char *) state + round_up(sizeof(state_t) + zones->zones.num_zones * sizeof(part_t));
    int32_t first_name = 0;

    self->model = zones;
    self->is_shock = false;
    shock_clock_init(&self->shock, &zones->shocks, &zones->common, dice);
    for (size_t j = 0; j < zones->zones.num_zones; j++) {
        const int32_t num_names = (int32_t) num_names_of(&zones->parts[j]);
        spot_dice_t its_dice = *dice;

        its_dice.first_entity += (uint64_t) j << ZONE_ENTITY_BITS;
        self->parts[j].state = memory;
        self->parts[j].first_name = num_names > 0 ? first_name : -1;
        first_name += num_names;
        memory += round_up(spot_trace_model_state_bytes(&zones->parts[j]));
        start_part(&self->parts[j], &zones->parts[j], &its_dice);
    }
    self->names = (int32_t *) (void *) memory;
    name_initial(self);
}

/* Fetches the next event of the model of a zone up to last_ms; from a model that does
 * not accept losses, simply the next one. */
static void fetch(part_t *part, int64_t last_ms)
{
    const spot_generator_members_t *members = part->members;

    if (part->has_event || part->known_ms >= last_ms) {
        return;
    }
    part->event = (spot_event_t){0};
    part->has_event =
        members->next_until != NULL
            ? spot_trace_model_next_until(part->model, part->state, last_ms, &part->event)
            : spot_trace_model_next(part->model, part->state, &part->event);
    part->known_ms = members->next_until != NULL || part->has_event ? last_ms : INT64_MAX;
}

static bool is_before(const spot_event_t *a, const spot_event_t *b)
{
    return a->time_ms != b->time_ms ? a->time_ms < b->time_ms
                                    : a->kind != SPOT_EVENT_ADD && b->kind == SPOT_EVENT_ADD;
}

/* The zone whose model has the earliest event up to last_ms, or num_zones. */
static size_t find_earliest(state_t *self, int64_t last_ms)
{
    const size_t num_zones = self->model->zones.num_zones;
    size_t earliest = num_zones;

    for (size_t j = 0; j < num_zones; j++) {
        part_t *part = &self->parts[j];

        fetch(part, last_ms);
        if (part->has_event && part->event.time_ms <= last_ms &&
            (earliest == num_zones || is_before(&part->event, &self->parts[earliest].event))) {
            earliest = j;
        }
    }
    return earliest;
}

/* Takes the event of the model of a zone, clipped; false: its size is 0. */
static bool take_event(state_t *self, size_t zone_id, spot_event_t *event)
{
    part_t *part = &self->parts[zone_id];
    const int64_t room = part->event.kind == SPOT_EVENT_ADD
                             ? self->model->zones.zones[zone_id].capacity - part->population
                             : part->population;

    spot_bug_assert(part->members->lose == NULL || part->event.count <= room);
    part->has_event = false;
    part->known_ms = -1;
    *event = part->event;
    event->count = event->count < room ? event->count : (int32_t) room;
    event->name_ids = names_of(part, event->name_ids, event->count, self->names);
    part->population += event->kind == SPOT_EVENT_ADD ? event->count : -event->count;
    self->zone_id = zone_id;
    return event->count > 0;
}

/* Applies the present shock to a zone; false: no instance is lost. */
static bool hit_zone(state_t *self, size_t zone_id, spot_event_t *event)
{
    part_t *part = &self->parts[zone_id];
    const int32_t num_lost = shocks_draw_lost(&self->model->shocks, part->population, &part->hits);
    const int32_t *name_ids = NULL;

    if (num_lost == 0) {
        return false;
    }
    part->population -= num_lost;
    if (part->members->lose != NULL) {
        name_ids = spot_trace_model_lose(part->model, part->state,
            self->shock.time_ms / (double) SPOT_MS_PER_S, part->known_ms, num_lost);
    }
    *event = (spot_event_t){.time_ms = self->shock.seen_ms,
        .kind = SPOT_EVENT_PREEMPT,
        .count = num_lost,
        .name_ids = names_of(part, name_ids, num_lost, self->names)};
    self->zone_id = zone_id;
    return true;
}

/* The next loss of the present shock; false: the shock is over. */
static bool next_loss(state_t *self, spot_event_t *event)
{
    while (self->num_judged < self->model->zones.num_zones) {
        if (hit_zone(self, self->num_judged++, event)) {
            return true;
        }
    }
    self->is_shock = false;
    shock_clock_next(&self->shock);
    return false;
}

static bool zones_next(void *state, spot_event_t *event)
{
    state_t *self = state;
    const size_t num_zones = self->model->zones.num_zones;

    for (;;) {
        const int64_t last_ms = self->shock.last_ms;
        const bool is_last = self->shock.seen_ms > last_ms;
        size_t zone_id;

        if (self->is_shock) {
            if (next_loss(self, event)) {
                return true;
            }
            continue;
        }
        zone_id = find_earliest(self, is_last ? last_ms : self->shock.seen_ms - 1);
        if (zone_id < num_zones) {
            if (take_event(self, zone_id, event)) {
                return true;
            }
        } else if (is_last) {
            return false;
        } else {
            self->is_shock = true;
            self->num_judged = 0;
        }
    }
}

/* The earliest time at which the model of a zone was ended, or -1. */
static int64_t zones_stopped_ms(const void *state)
{
    const state_t *self = state;
    int64_t stopped_ms = -1;

    for (size_t j = 0; j < self->model->zones.num_zones; j++) {
        const int64_t time_ms =
            spot_trace_model_stopped_ms(&self->model->parts[j], self->parts[j].state);

        if (time_ms >= 0 && (stopped_ms < 0 || time_ms < stopped_ms)) {
            stopped_ms = time_ms;
        }
    }
    return stopped_ms;
}

static int32_t zones_zone(const void *state)
{
    return (int32_t) ((const state_t *) state)->zone_id;
}

static int64_t zones_zone_initial(const void *state, int32_t zone_id)
{
    return ((const state_t *) state)->parts[zone_id].population;
}

static int64_t zones_initial(const void *state)
{
    const state_t *self = state;
    int64_t population = 0;

    for (size_t j = 0; j < self->model->zones.num_zones; j++) {
        population += self->parts[j].population;
    }
    return population;
}

static int64_t zones_largest_initial(const void *model)
{
    return ((const model_t *) model)->largest_initial;
}

static int64_t zones_num_names(const void *model)
{
    return ((const model_t *) model)->num_names;
}

static const int32_t *zones_initial_names(const void *state)
{
    return ((const state_t *) state)->names;
}

static const spot_zones_t *zones_zones(const void *model)
{
    return &((const model_t *) model)->zones;
}

/* ---- The table ---- */

static const spot_field_t zones_options[] = {
    {SPOT_VALUE(DICT, "zones", model_t, zones_node, NULL,
         "a model for each zone, with its own capacity, initial instances and price; "
         "instances are named ZONE/i1, ZONE/i2, ... by birth in the zone"),
        .bind = spot_bind_keep_node, /* bound once the tick is known */
        .key = &(const spot_field_t){.type = SPOT_FIELD_TEXT},
        .item = &(const spot_field_t){.type = SPOT_FIELD_CUSTOM, .table = spot_trace_model_table},
        .is_ordered = true, /* streams depend on the number of the zone */
        .expected = "{ZONE: {generator: NAME, capacity: N, initial: N, ...}, ...}"},
    {SPOT_FIELDS(
        MAP, "shocks", model_t, shocks, shocks_fields, "", "losses that the zones have in common")},
    {.name = NULL, .fields = spot_model_common_fields},
};

static const spot_generator_members_t members = {
    .zones = zones_zones,
    .zone = zones_zone,
    .zone_initial = zones_zone_initial,
    .num_names = zones_num_names,
    .initial_names = zones_initial_names,
};

static const spot_generator_population_t population = {
    .stopped_ms = zones_stopped_ms,
    .initial = zones_initial,
    .largest_initial = zones_largest_initial,
};

const spot_generator_t spot_generator_zones = {
    .name = "zones",
    .doc = "several zones, each with a model of its own, "
           "and losses that they have in common",
    .source = "Marshall and Olkin, JASA 62, 1967 (common shocks)",
    .options = zones_options,
    .model_size = sizeof(model_t),
    .state_size = sizeof(state_t),
    .state_bytes = zones_state_bytes,
    .bind_parts = zones_bind_parts,
    .free = zones_free,
    .start = zones_start,
    .next = zones_next,
    .members = &members,
    .population = &population,
};
