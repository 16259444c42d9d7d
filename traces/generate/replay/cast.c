/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/generate/replay/cast.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Room for the digits of a round: no replay in ms has more rounds. */
#define ROUND_BYTES 13

/* Finds the roles that run at the beginning of the window. */
static int find_first_roles(spot_cast_plan_t *self, const spot_trace_t *trace)
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

int spot_cast_plan_init(spot_cast_plan_t *self, const spot_trace_t *trace, int64_t from_ms,
    int64_t to_ms, bool is_random)
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

void spot_cast_plan_free(spot_cast_plan_t *self)
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

int spot_cast_plan_check_names(
    spot_cast_plan_t *self, const spot_trace_t *trace, const char *path, spot_diag_t *diag)
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

size_t spot_cast_bytes(const spot_cast_plan_t *plan, size_t num_names)
{
    return (sizeof(int64_t) + 3 * sizeof(int32_t)) * (size_t) plan->peak +
           (sizeof(int32_t) + sizeof(bool)) * num_names;
}

/* Gives a role to a new instance. */
static int32_t enter(spot_cast_t *self, int32_t role, int64_t round)
{
    const int32_t id = self->free[--self->num_free];

    self->round[id] = round;
    self->role[id] = role;
    self->player[role] = id;
    return id;
}

static int32_t leave(spot_cast_t *self, int32_t role)
{
    const int32_t id = self->player[role];

    self->player[role] = -1;
    self->free[self->num_free++] = id;
    return id;
}

void spot_cast_init(
    spot_cast_t *self, void *memory, const spot_cast_plan_t *plan, const spot_trace_t *trace)
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

void spot_cast_open(spot_cast_t *self)
{
    size_t num_called = 0;

    for (size_t role = 0; role < self->trace->num_names; role++) {
        if (self->player[role] >= 0) {
            self->called[num_called++] = self->player[role];
        }
    }
}

const int32_t *spot_cast_play(spot_cast_t *self, const spot_event_t *event, int64_t round)
{
    for (int32_t j = 0; j < event->count; j++) {
        const int32_t role = event->name_ids[j];

        self->called[j] =
            event->kind == SPOT_EVENT_ADD ? enter(self, role, round) : leave(self, role);
    }
    return self->called;
}

/* Walks two lists in the order of the roles: instances whose role does not run at the
 * beginning, and roles that run there without an instance. */
const int32_t *spot_cast_jump(spot_cast_t *self, int64_t round)
{
    const spot_cast_plan_t *plan = self->plan;
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

const char *spot_cast_name(const spot_cast_t *self, int32_t id, char text[SPOT_NAME_BYTES + 1])
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
