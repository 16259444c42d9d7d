/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is measured of a trace: gaps between events, their sizes, spells of a single
 * instance, lives of named ones. Statistics, fits and comparisons all start from these
 * values. */
#ifndef SPOT_DESCRIBE_SAMPLE_H
#define SPOT_DESCRIBE_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "traces/bulk.h"
#include "traces/lifetimes.h"
#include "traces/trace.h"

typedef enum {
    /* Complete gaps only: neither the wait from 0 nor the last open one. */
    SPOT_SAMPLE_PREEMPT_GAP,
    SPOT_SAMPLE_ADD_GAP,
    SPOT_SAMPLE_CHANGE_GAP, /* of all distinct times of a preempt or add */
    /* Sizes of the events. */
    SPOT_SAMPLE_PREEMPT_COUNT,
    SPOT_SAMPLE_ADD_COUNT,
    /* Capacity 1 only, else empty. A spell that is there at 0 has no known start and is
     * left out. An up spell ends with a preempt, or with a stop (censored); the one that
     * the end cuts off is censored. A preempt and an add at one time end an up spell and
     * make a down spell of 0 s. */
    SPOT_SAMPLE_UP_SPELL,
    SPOT_SAMPLE_DOWN_SPELL,
    /* Kind named only, else empty. From birth (initial ones: 0) to preempt, or to stop
     * or the end (censored). */
    SPOT_SAMPLE_LIFETIME
} spot_sample_kind_t;

/* By kind, NULL-terminated: "preempt-gap", "add-gap", "change-gap", "preempt-count",
 * "add-count", "up-spell", "down-spell", "lifetime". */
extern const char *const spot_sample_kind_names[];

typedef struct {
    size_t num_values;
    double *values;    /* [num_values] s, counts: instances; >= 0. In order of time,
                        * lives in that of their births or of the file's rows */
    bool *is_censored; /* [num_values] the value is a lower bound */
    int32_t *limits;   /* [num_values] counts: the most that the event could have had,
                        * preempt: all that ran; add: all that were missing to the
                        * capacity. Otherwise NULL */
} spot_sample_t;

/* Copies what it needs. A trace without such values gives an empty sample. NO_MEMORY;
 * free self even then. O(events + names). */
SPOT_MUST_CHECK int spot_sample_init(
    spot_sample_t *self, const spot_trace_t *trace, spot_sample_kind_t kind);

/* The lives of a lifetimes file. */
SPOT_MUST_CHECK int spot_sample_init_lifetimes(
    spot_sample_t *self, const spot_lifetimes_t *lifetimes);

void spot_sample_free(spot_sample_t *self);

/* Values that are no lower bound. */
size_t spot_sample_num_complete(const spot_sample_t *self);

/* Removes the lower bounds, and with them what is_censored is needed for. */
void spot_sample_keep_complete(spot_sample_t *self);

/* Most instances that can run: the capacity, where that is unbounded the largest number
 * that ever ran. O(bulks). */
int32_t spot_sample_capacity(const spot_trace_t *trace, const spot_bulks_t *bulks);

#endif
