/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cast of a replay: which instance plays which role of the recording, by the rules
 * in generator_replay.c. An instance has an id below the largest population of the
 * recording, which is reused after it has gone. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/error.h"
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
} spot_cast_plan_t;

/* is_random: a replication can start anywhere in the window. NO_MEMORY; free self even
 * then. O(events + names). */
SPOT_MUST_CHECK int spot_cast_plan_init(spot_cast_plan_t *self, const spot_trace_t *trace,
    int64_t from_ms, int64_t to_ms, bool is_random);
void spot_cast_plan_free(spot_cast_plan_t *self);

/* Sets the tildes. BAD_INPUT with the reason in diag for a name that is too long for a
 * round after it. O(names). */
SPOT_MUST_CHECK int spot_cast_plan_check_names(
    spot_cast_plan_t *self, const spot_trace_t *trace, const char *path, spot_diag_t *diag);

typedef struct {
    const spot_cast_plan_t *plan;
    const spot_trace_t *trace;
    int32_t num_free;
    int64_t *round;  /* [peak] in which an instance came */
    int32_t *role;   /* [peak] that gives an instance its name */
    int32_t *free;   /* [num_free] ids, last in first out */
    int32_t *called; /* [peak] ids of the latest event */
    int32_t *player; /* [num_names] instance that plays a role; -1: none */
    bool *is_first;  /* [num_names] scratch: the role runs at the beginning */
} spot_cast_t;

/* Bytes of the memory for init, aligned for int64_t. */
size_t spot_cast_bytes(const spot_cast_plan_t *plan, size_t num_names);

/* Casts the initial roles of the recording. memory, plan and trace must outlive self.
 * O(names). */
void spot_cast_init(
    spot_cast_t *self, void *memory, const spot_cast_plan_t *plan, const spot_trace_t *trace);

/* Puts all living instances into called, in the order of their roles. O(names). */
void spot_cast_open(spot_cast_t *self);

/* Plays an event of the recording, with its own ids, in a round. Returns called, the ids
 * of its instances. */
const int32_t *spot_cast_play(spot_cast_t *self, const spot_event_t *event, int64_t round);

/* Plays the jump to the beginning of the window that opens a round. Returns the ids of
 * the instances that come or go. O(names). */
const int32_t *spot_cast_jump(spot_cast_t *self, int64_t round);

/* The name of an instance: a name of the recording, or one with its round, written to
 * text. */
const char *spot_cast_name(const spot_cast_t *self, int32_t id, char text[SPOT_NAME_BYTES + 1]);
