/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measurements of a trace: gaps between events, sizes of events, spells of a single
 * instance, lives of named instances. Statistics, fits and comparisons all start from
 * these values. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"
#include "traces/lifetimes.h"
#include "traces/trace.h"

typedef enum {
    /* Complete gaps only: neither the wait before the first event nor that after the
     * last. */
    SPOT_SAMPLE_PREEMPT_GAP,
    SPOT_SAMPLE_ADD_GAP,
    SPOT_SAMPLE_CHANGE_GAP, /* of all distinct times of a preempt or add */
    /* Sizes of the events. */
    SPOT_SAMPLE_PREEMPT_COUNT,
    SPOT_SAMPLE_ADD_COUNT,
    /* Capacity 1 only, else empty. A spell under way at time 0 has no known start and is
     * left out. An up spell ends with a preempt, or with a stop (censored); a spell cut
     * off by the end of the trace is censored. A preempt and an add at one time end an
     * up spell and make a down spell of 0 s. */
    SPOT_SAMPLE_UP_SPELL,
    SPOT_SAMPLE_DOWN_SPELL,
    /* Kind named only, else empty. From birth (time 0 for initial instances) to a
     * preempt, or to a stop or the end of the trace (censored). */
    SPOT_SAMPLE_LIFETIME
} spot_sample_kind_t;

/* By kind, NULL-terminated: "preempt-gap", "add-gap", "change-gap", "preempt-count",
 * "add-count", "up-spell", "down-spell", "lifetime". */
extern const char *const spot_sample_kind_names[];

typedef struct {
    spot_arena_t memory;
    size_t num_values;
    double *values;    /* [num_values] >= 0, in s; counts in instances. In order of time;
                        * lives in order of birth, or of the rows of the file */
    bool *is_censored; /* [num_values] the value is a lower bound */
    int32_t *limits;   /* [num_values] counts: the largest possible size of the event:
                        * preempt: instances running before; add: instances missing to
                        * the capacity. NULL for the other kinds */
} spot_sample_t;

/* Copies what it needs. A trace without such values gives an empty sample. NO_MEMORY;
 * free self even then. O(events + names). */
SPOT_MUST_CHECK int spot_sample_init(
    spot_sample_t *self, const spot_trace_t *trace, spot_sample_kind_t kind);

/* The lives of a lifetimes file. */
SPOT_MUST_CHECK int spot_sample_init_lifetimes(
    spot_sample_t *self, const spot_lifetimes_t *lifetimes);

void spot_sample_free(spot_sample_t *self);

/* Removes the censored values. */
void spot_sample_keep_complete(spot_sample_t *self);
