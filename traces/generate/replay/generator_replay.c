/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replays a recorded trace, or a window of it, from its beginning or from a random tick
 * on, once or repeatedly. Replay time 0 is the start; a replay of a whole trace from its
 * beginning is the trace itself. The recorded times are kept: the tick of the model is
 * the resolution of the recording.
 *
 * With wrap the population at time t is that of the recording at from + (start - from +
 * t) mod length: at the end of the window it jumps to the population at from, in one
 * event, which replaces the events of the recording at that instant.
 *
 * Names: the instances of the recording are roles, played by instances. In the first
 * round each role has an instance of its own name. At a jump an instance whose role runs
 * at from keeps it. The other living instances, in the order of their roles, take the
 * free roles of the new round, also in order, and keep their names. Instances still left
 * over are preempted; roles still free get new instances, called ROLE~2 in the second
 * round, ROLE~3 in the third, like every instance that comes in these rounds. The order
 * of the roles is that of their first appearance in the recording. If names of the
 * recording contain ~, more of them are used, so that no two instances have the same
 * name.
 *
 * Stream: RESTART at first_entity, one integer for a random start. */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/units.h"
#include "traces/generate/generator.h"
#include "traces/trace.h"

/* Data of a window of a recording, the same for all replications. */
typedef struct {
    int32_t peak;                     /* largest population of the recording */
    int32_t largest;                  /* largest population at the start of a replication */
    int32_t first_population;         /* after the events at the beginning of the window */
    size_t first_event;               /* first event after the beginning of the window */
    size_t num_first_roles;           /* first_population, or 0 without names */
    int32_t *first_roles;             /* [num_first_roles] running at the beginning, in order */
    char tildes[SPOT_NAME_BYTES + 2]; /* between a role and a round */
} cast_plan_t;

typedef struct {
    const cast_plan_t *plan;
    const spot_trace_t *trace;
    int32_t num_free;
    int64_t *round;  /* [peak] in which an instance came */
    int32_t *role;   /* [peak] that gives an instance its name */
    int32_t *free;   /* [num_free] ids, last in first out */
    int32_t *called; /* [peak] ids of the latest event */
    int32_t *player; /* [num_names] instance that plays a role; -1: none */
    bool *is_first;  /* [num_names] scratch: the role runs at the beginning */
} cast_t;

/* ---- Roles and the instances that play them ----
 * The cast of a replay: which instance plays which role of the recording, by the rules
 * in generator_replay.c. An instance has an id below the largest population of the
 * recording, which is reused after it has gone. */

/* Room for the digits of a round: no replay in ms has more rounds. */
#define ROUND_BYTES 13

/* Finds the roles that run at the beginning of the window. */
static int find_first_roles(cast_plan_t *self, const spot_trace_t *trace)
{
    bool *runs = spot_calloc(trace->num_names, sizeof(*runs));

    self->first_roles = spot_calloc((size_t) self->first_population, sizeof(*self->first_roles));
    if (runs == NULL || self->first_roles == NULL) {
        free(runs);
        return SPOT_ERR_NO_MEMORY;
    }
    for (int32_t j = 0; j < trace->initial; j++) {
        runs[trace->name_ids[j]] = true;
    }
    for (size_t j = 0; j < self->first_event; j++) {
        const spot_event_t *event = &trace->events[j];

        for (int32_t k = 0; k < event->count; k++) {
            runs[event->name_ids[k]] = event->kind == SPOT_EVENT_ADD;
        }
    }
    for (size_t role = 0; role < trace->num_names; role++) {
        if (runs[role]) {
            self->first_roles[self->num_first_roles++] = (int32_t) role;
        }
    }
    free(runs);
    return 0;
}

/* is_random: a replication can start anywhere in the window. NO_MEMORY; free self even
 * then. O(events + names). */
static int cast_plan_init(
    cast_plan_t *self, const spot_trace_t *trace, int64_t from_ms, int64_t to_ms, bool is_random)
{
    int32_t population = trace->initial;

    memset(self, 0, sizeof(*self));
    strcpy(self->tildes, "~");
    self->peak = trace->initial;
    self->first_population = trace->initial;
    self->largest = from_ms == 0 ? trace->initial : 0;
    for (size_t j = 0; j < trace->num_events; j++) {
        const spot_event_t *event = &trace->events[j];

        population += event->kind == SPOT_EVENT_ADD ? event->count : -event->count;
        self->peak = population > self->peak ? population : self->peak;
        if (event->time_ms <= from_ms) {
            self->first_event = j + 1;
            self->first_population = population;
        }
        if (is_random && event->time_ms > from_ms && event->time_ms < to_ms &&
            population > self->largest) {
            self->largest = population;
        }
    }
    if ((from_ms > 0 || is_random) && self->first_population > self->largest) {
        self->largest = self->first_population;
    }
    return trace->kind == SPOT_TRACE_NAMED ? find_first_roles(self, trace) : 0;
}

static void cast_plan_free(cast_plan_t *self)
{
    free(self->first_roles);
    memset(self, 0, sizeof(*self));
}

/* The longest run of ~. */
static size_t longest_run(const char *name)
{
    size_t longest = 0, run = 0;

    for (; *name != '\0'; name++) {
        run = *name == '~' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

/* Sets the tildes. BAD_INPUT with the reason in diag for a name that is too long for a
 * round after it. O(names). */
static int cast_plan_check_names(
    cast_plan_t *self, const spot_trace_t *trace, const char *path, spot_diag_t *diag)
{
    size_t num_tildes = 1;

    for (size_t j = 0; j < trace->num_names; j++) {
        const size_t run = longest_run(trace->names[j]);

        num_tildes = run >= num_tildes ? run + 1 : num_tildes;
    }
    memset(self->tildes, '~', num_tildes);
    self->tildes[num_tildes] = '\0';
    for (size_t j = 0; j < trace->num_names; j++) {
        if (strlen(trace->names[j]) + num_tildes + ROUND_BYTES > SPOT_NAME_BYTES) {
            return spot_diag_error(diag, path, 0, 0,
                "the name '%s' is too long for wrap: %s2 does not fit behind it", trace->names[j],
                self->tildes);
        }
    }
    return 0;
}

/* Bytes of the memory for init, aligned for int64_t. */
static size_t cast_bytes(const cast_plan_t *plan, size_t num_names)
{
    return (sizeof(int64_t) + 3 * sizeof(int32_t)) * (size_t) plan->peak +
           (sizeof(int32_t) + sizeof(bool)) * num_names;
}

/* Gives a role to a new instance. */
static int32_t enter(cast_t *self, int32_t role, int64_t round)
{
    const int32_t id = self->free[--self->num_free];

    self->round[id] = round;
    self->role[id] = role;
    self->player[role] = id;
    return id;
}

static int32_t leave(cast_t *self, int32_t role)
{
    const int32_t id = self->player[role];

    self->player[role] = -1;
    self->free[self->num_free++] = id;
    return id;
}

/* Casts the initial roles of the recording. memory, plan and trace must outlive self.
 * O(names). */
static void cast_init(
    cast_t *self, void *memory, const cast_plan_t *plan, const spot_trace_t *trace)
{
    self->plan = plan;
    self->trace = trace;
    self->round = memory;
    self->role = (int32_t *) (void *) (self->round + plan->peak);
    self->free = self->role + plan->peak;
    self->called = self->free + plan->peak;
    self->player = self->called + plan->peak;
    self->is_first = (bool *) (self->player + trace->num_names);
    self->num_free = 0;
    for (int32_t id = plan->peak - 1; id >= 0; id--) {
        self->free[self->num_free++] = id;
    }
    for (size_t role = 0; role < trace->num_names; role++) {
        self->player[role] = -1;
        self->is_first[role] = false;
    }
    for (size_t j = 0; j < plan->num_first_roles; j++) {
        self->is_first[plan->first_roles[j]] = true;
    }
    for (int32_t j = 0; j < trace->initial; j++) {
        (void) enter(self, trace->name_ids[j], 1);
    }
}

/* Puts all living instances into called, in the order of their roles. O(names). */
static void cast_open(cast_t *self)
{
    size_t num_called = 0;

    for (size_t role = 0; role < self->trace->num_names; role++) {
        if (self->player[role] >= 0) {
            self->called[num_called++] = self->player[role];
        }
    }
}

/* Plays an event of the recording, with its own ids, in a round. Returns called, the ids
 * of its instances. */
static const int32_t *cast_play(cast_t *self, const spot_event_t *event, int64_t round)
{
    for (int32_t j = 0; j < event->count; j++) {
        const int32_t role = event->name_ids[j];

        self->called[j] =
            event->kind == SPOT_EVENT_ADD ? enter(self, role, round) : leave(self, role);
    }
    return self->called;
}

/* Plays the jump to the beginning of the window that opens a round. Returns the ids of
 * the instances that come or go. O(names). */
/* Walks two lists in the order of the roles: instances whose role does not run at the
 * beginning, and roles that run there without an instance. */
static const int32_t *cast_jump(cast_t *self, int64_t round)
{
    const cast_plan_t *plan = self->plan;
    size_t num_called = 0, j = 0;

    for (size_t role = 0; role < self->trace->num_names; role++) {
        if (self->player[role] < 0 || self->is_first[role]) {
            continue;
        }
        while (j < plan->num_first_roles && self->player[plan->first_roles[j]] >= 0) {
            j++;
        }
        if (j < plan->num_first_roles) {
            self->player[plan->first_roles[j]] = self->player[role];
            self->player[role] = -1;
        } else {
            self->called[num_called++] = leave(self, (int32_t) role);
        }
    }
    for (; j < plan->num_first_roles; j++) {
        if (self->player[plan->first_roles[j]] < 0) {
            self->called[num_called++] = enter(self, plan->first_roles[j], round);
        }
    }
    return self->called;
}

/* The name of an instance: a name of the recording, or one with its round, written to
 * text. */
static const char *cast_name(const cast_t *self, int32_t id, char text[SPOT_NAME_BYTES + 1])
{
    const char *name = self->trace->names[self->role[id]];
    int num_bytes;

    if (self->round[id] == 1) {
        return name;
    }
    num_bytes = snprintf(
        text, SPOT_NAME_BYTES + 1, "%s%s%" PRId64, name, self->plan->tildes, self->round[id]);
    spot_bug_assert(num_bytes <= SPOT_NAME_BYTES); /* the plan has checked the names */
    return text;
}

/* ---- The generator ---- */

enum { START_FIRST, START_RANDOM };

/* A time in the recording and its place in YAML. */
typedef struct {
    double time_s; /* first: the bound value */
    int64_t time_ms;
    const spot_node_t *node; /* NULL: not given, or binding is over */
    char key[64];            /* full name */
} bound_t;

typedef struct {
    spot_model_common_t common;
    char *path;
    bound_t from;
    bound_t to;
    int wrap;  /* 0 or 1 */
    int start; /* START_* */
    spot_recorded_trace_t recording;
    cast_plan_t plan;
} model_t;

typedef struct {
    const model_t *model;
    const spot_trace_t *trace;
    int64_t shift_ms; /* replay time - recorded time in this round */
    int64_t round;    /* 1, 2, ... */
    size_t event_id;  /* of the next event */
    int32_t initial;
    int32_t population;
    cast_t cast; /* of named recordings only */
} state_t;

static bool is_named(const model_t *self)
{
    return self->recording.trace->kind == SPOT_TRACE_NAMED;
}

static int bad_bound(const model_t *self, const bound_t *bound, spot_diag_t *diag)
{
    char end[SPOT_TRACE_TIME_BYTES];

    spot_trace_time_text(self->recording.trace->end_ms, end);
    return spot_diag_error(diag, bound->node->file, bound->node->line, bound->node->column,
        "%s: expected a time within the trace (0 to %s s), from_s before to_s", bound->key, end);
}

/* Sets the window in ms; defaults are the beginning and the end of the trace. */
static int settle_window(model_t *self, spot_diag_t *diag)
{
    const int64_t end_ms = self->recording.trace->end_ms;

    if (self->to.node == NULL) {
        self->to.time_ms = end_ms;
    } else if (spot_duration_from_s(self->to.time_s, &self->to.time_ms) != 0 ||
               self->to.time_ms > end_ms || self->to.time_ms == 0) {
        return bad_bound(self, &self->to, diag);
    }
    if (self->from.node != NULL &&
        (spot_duration_from_s(self->from.time_s, &self->from.time_ms) != 0 ||
            self->from.time_ms >= self->to.time_ms)) {
        return bad_bound(self, &self->from, diag);
    }
    return 0;
}

/* Sets the keys that depend on the trace. A model file and a scenario replay the same
 * events at the same recorded times. */
static int settle_common(model_t *self, spot_diag_t *diag)
{
    spot_model_common_t *common = &self->common;
    const spot_trace_t *trace = self->recording.trace;

    if (!common->is_within && common->tick_s != 0 && common->tick_ms != trace->resolution_ms) {
        spot_diag_warn(
            diag, self->path, 0, 0, "a replay keeps the recorded times: tick_s is ignored");
    }
    common->tick_ms = trace->resolution_ms;
    if (!common->is_within && common->horizon_ms == 0) {
        common->horizon_ms = spot_model_run_end_ms(common, self->to.time_ms - self->from.time_ms);
    }
    spot_recorded_trace_settle(trace, common);
    spot_recorded_trace_play(trace, self->from.time_ms, common);
    if (!common->is_within && self->plan.largest > common->capacity) {
        return spot_diag_error(diag, self->path, 0, 0,
            "the trace can start with %d instances, more than the capacity of %lld",
            (int) self->plan.largest, (long long) common->capacity);
    }
    if (self->start == START_RANDOM && !self->wrap) {
        spot_diag_warn(diag, self->path, 0, 0,
            "start: random without wrap: the trace ends before its length is over, and "
            "its last instances stay");
    }
    return 0;
}

static int replay_prepare(void *model, const void *like, spot_diag_t *diag)
{
    model_t *self = model;
    int ret = spot_recorded_trace_open(&self->recording,
        like == NULL ? NULL : &((const model_t *) like)->recording, self->path, diag);

    ret = ret == 0 ? settle_window(self, diag) : ret;
    self->from.node = NULL;
    self->to.node = NULL;
    if (ret == 0) {
        ret = cast_plan_init(&self->plan, self->recording.trace, self->from.time_ms,
            self->to.time_ms, self->start == START_RANDOM);
    }
    if (ret == 0 && self->wrap && is_named(self)) {
        ret = cast_plan_check_names(&self->plan, self->recording.trace, self->path, diag);
    }
    return ret == 0 ? settle_common(self, diag) : ret;
}

static void replay_free(void *model)
{
    model_t *self = model;

    spot_recorded_trace_close(&self->recording);
    cast_plan_free(&self->plan);
    free(self->path);
}

static size_t replay_state_bytes(const void *model)
{
    const model_t *self = model;

    return sizeof(state_t) +
           (is_named(self) ? cast_bytes(&self->plan, self->recording.trace->num_names) : 0);
}

/* The change of the population by an event. */
static int32_t change_of(const spot_event_t *event)
{
    return event->kind == SPOT_EVENT_ADD ? event->count : -event->count;
}

static void replay_start(void *state, const void *model, const spot_dice_t *dice)
{
    state_t *self = state;
    const model_t *of = model;
    int64_t start_ms = of->from.time_ms;

    if (of->start == START_RANDOM) {
        const int64_t num_ticks = (of->to.time_ms - of->from.time_ms) / of->common.tick_ms;
        spot_rng_t rng;

        spot_dice_seek(dice, &rng, SPOT_STREAM_RESTART, 0);
        start_ms += of->common.tick_ms *
                    (int64_t) spot_rng_below(&rng, (uint64_t) (num_ticks > 0 ? num_ticks : 1));
    }
    self->model = of;
    self->trace = of->recording.trace;
    self->shift_ms = -start_ms;
    self->round = 1;
    self->event_id = 0;
    self->population = self->trace->initial;
    if (is_named(of)) {
        cast_init(&self->cast, self + 1, &of->plan, self->trace);
    }
    /* Events up to the start are part of it, but for those at time 0, which come
     * after. */
    while (start_ms > 0 && self->event_id < self->trace->num_events &&
           self->trace->events[self->event_id].time_ms <= start_ms) {
        const spot_event_t *event = &self->trace->events[self->event_id++];

        self->population += change_of(event);
        if (is_named(of)) {
            (void) cast_play(&self->cast, event, 1);
        }
    }
    self->initial = self->population;
    if (is_named(of)) {
        cast_open(&self->cast);
    }
}

/* Jumps to the beginning of the window; false: the population does not change. */
static bool jump(state_t *self, spot_event_t *event)
{
    const model_t *model = self->model;
    const int32_t change = model->plan.first_population - self->population;

    event->time_ms = model->to.time_ms + self->shift_ms;
    event->kind = change > 0 ? SPOT_EVENT_ADD : SPOT_EVENT_PREEMPT;
    event->count = change > 0 ? change : -change;
    event->name_ids = NULL;
    self->shift_ms += model->to.time_ms - model->from.time_ms;
    self->round++;
    self->event_id = model->plan.first_event;
    self->population = model->plan.first_population;
    if (is_named(model)) {
        event->name_ids = cast_jump(&self->cast, self->round);
    }
    return change != 0;
}

static bool has_event_in_round(const state_t *self)
{
    const int64_t last_ms = self->model->to.time_ms - (self->model->wrap ? 1 : 0);

    return self->event_id < self->trace->num_events &&
           self->trace->events[self->event_id].time_ms <= last_ms;
}

static bool replay_next(void *state, spot_event_t *event)
{
    state_t *self = state;
    const model_t *model = self->model;

    while (!has_event_in_round(self)) {
        const int64_t jump_ms = model->to.time_ms + self->shift_ms;

        if (!model->wrap || jump_ms > spot_model_last_ms(&model->common)) {
            return false;
        }
        if (jump(self, event)) {
            return true;
        }
        if (!has_event_in_round(self)) {
            return false; /* the window has no events */
        }
    }
    *event = self->trace->events[self->event_id++];
    event->time_ms += self->shift_ms;
    self->population += change_of(event);
    if (is_named(model)) {
        event->name_ids = cast_play(&self->cast, event, self->round);
    }
    return event->time_ms <= spot_model_last_ms(&model->common);
}

static int64_t replay_initial(const void *state)
{
    return ((const state_t *) state)->initial;
}

static int64_t replay_largest_initial(const void *model)
{
    return ((const model_t *) model)->plan.largest;
}

static int64_t replay_num_names(const void *model)
{
    const model_t *self = model;

    return is_named(self) ? self->plan.peak : 0;
}

static const int32_t *replay_initial_names(const void *state)
{
    return ((const state_t *) state)->cast.called;
}

static const char *replay_name_text(
    const void *state, int32_t name_id, char text[SPOT_NAME_BYTES + 1])
{
    return cast_name(&((const state_t *) state)->cast, name_id, text);
}

static int64_t replay_end_ms(const void *model)
{
    const model_t *self = model;

    return self->wrap || self->start == START_RANDOM ? 0 : self->to.time_ms - self->from.time_ms;
}

/* Keeps the place of the time: only the trace can check it. */
static void keep_place(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    bound_t *self = target;

    self->node = node;
    snprintf(self->key, sizeof(self->key), "%.40s%.20s", bind->path, field->name);
}

static const char *const start_names[] = {"first", "random", NULL};

static const spot_field_t replay_options[] = {
    {SPOT_VALUE(PATH, "trace", model_t, path, NULL,
        "the recorded trace (spotsim-trace 1, .csv or .csv.gz), relative to the "
        "document; what the model does not say of capacity and horizon_s is as "
        "recorded")},
    {SPOT_RANGE(NUMBER, "from_s", model_t, from, 0, 3e9, "", "start of the window",
         "beginning of the window of the recording that is replayed, in s (default 0)"),
        .settle = keep_place},
    {SPOT_RANGE(NUMBER, "to_s", model_t, to, 0, 3e9, "", "end of the window",
         "its end (default: that of the recording)"),
        .settle = keep_place},
    {SPOT_CHOICE("wrap", model_t, wrap, spot_false_true, "false", "replay from the beginning",
         "whether the window begins again at its end, with one event that jumps back to "
         "the instances it began with; without, its last instances stay"),
        SPOT_DECIDES},
    {SPOT_CHOICE("start", model_t, start, start_names, "first", "start in the window",
         "whether a replication starts at the first or at a random tick of the window"),
        SPOT_DECIDES},
    {.name = NULL, .fields = spot_model_common_fields},
};

static const spot_generator_members_t members = {
    .num_names = replay_num_names,
    .initial_names = replay_initial_names,
    .name_text = replay_name_text,
};

static const spot_generator_population_t population = {
    .is_recorded = true,
    .initial = replay_initial,
    .largest_initial = replay_largest_initial,
    .end_ms = replay_end_ms,
};

const spot_generator_t spot_generator_replay = {
    .name = "replay",
    .doc = "a recorded trace again, or a window of it, from a random tick on, over and "
           "over; with wrap the jump back to the first number of instances is one event "
           "at the seam, which the recording does not have",
    .source = "the recording",
    .options = replay_options,
    .model_size = sizeof(model_t),
    .state_size = sizeof(state_t),
    .state_bytes = replay_state_bytes,
    .prepare = replay_prepare,
    .free = replay_free,
    .start = replay_start,
    .next = replay_next,
    .members = &members,
    .population = &population,
};
