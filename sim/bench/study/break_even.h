/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Break-evens: how far a winner is from losing. Keys are checked when a study is read, values
 * are searched once all of its rows are there. Internal to sim/bench/study. */
#pragma once

#include "sim/bench/study/reading.h"

/* Checks the keys of best.break_even, once points are bound and it is known what
 * competes. NO_MEMORY; else errors are in diag. */
SPOT_MUST_CHECK int spot_break_evens_check(const spot_reading_t *self);

/* The break-evens of a study whose rows are all in the store. */
typedef struct {
    const spot_study_t *study;
    spot_store_t *store;
    const atomic_int *stop; /* may be NULL */
    pthread_mutex_t *lock;  /* for reading the store */
    size_t num_items;
    spot_break_even_t *items; /* [num_items] */
    bool *is_found;           /* [num_items] in the store, or since then */
    atomic_bool is_changed;   /* some were found since then */
} spot_break_evens_t;

/* Lists what is to be found, and what the store has of it. Errors of reading, NO_MEMORY;
 * free self even then. */
SPOT_MUST_CHECK int spot_break_evens_plan(spot_break_evens_t *self);

/* Finds one of them. Several threads may find others. INTERRUPTED, NO_MEMORY, or an
 * error of the experiment. */
SPOT_MUST_CHECK int spot_break_evens_find(spot_break_evens_t *self, size_t item_id);

void spot_break_evens_free(spot_break_evens_t *self);
