/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result store: what a study was and every row it gave. Reports are made from it
 * alone. One interface, several stores.
 *
 * Rows come as pieces of batches: a batch is spot_study_batch_size() replications of a
 * point from a multiple of that number on, and its rows are put from its first one on
 * without gaps. A row is a function of the study, the point and the replication, so
 * whoever puts it puts the same, and putting it again changes nothing. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/error.h"
#include "sim/bench/engine/series.h"
#include "sim/bench/store/head.h"

#define SPOT_BREAK_EVEN_UNIT_BYTES 16

/* One side of the value that the winner has: values below it, or above it. */
typedef struct {
    double at;    /* the nearest value at which the two are equal; NAN: none was found */
    double near;  /* between these, with SPOT_CONFIDENCE, they are equal: on the side of */
    double far;   /* the winner's value, and beyond; NAN: not found up to reach */
    double reach; /* the last value that the engine took; NAN: none */
} spot_break_even_side_t;

enum { SPOT_BREAK_EVEN_BELOW, SPOT_BREAK_EVEN_ABOVE, SPOT_NUM_BREAK_EVEN_SIDES };

/* Of a winner, the next one and a key. Values are in unit. */
typedef struct {
    size_t best_id, next_id; /* points */
    size_t key_id;           /* of spot_best_t */
    int64_t num_pairs;       /* replications of both that were compared */
    double number;           /* the value of the key at the winner; NAN: one of both points has
                                none, and nothing is searched */
    char unit[SPOT_BREAK_EVEN_UNIT_BYTES]; /* "s" for durations; "" for plain numbers */
    spot_break_even_side_t sides[SPOT_NUM_BREAK_EVEN_SIDES];
} spot_break_even_t;

/* Consecutive replications of a point, all of one batch. */
typedef struct {
    size_t point_id;
    int64_t first_replication;
    size_t num_rows;          /* >= 1 */
    const double *rows;       /* [num_rows][num_metrics] of the head, NAN for null; never -0,
                                 which not all stores can tell from 0 */
    const uint32_t *warnings; /* [num_rows] bit j: warning j of the head held; NULL: none */
} spot_piece_t;

/* One replication. */
typedef struct {
    int64_t replication;
    const double *metrics; /* [num_metrics] of the head */
    uint32_t warnings;     /* bit j: warning j of the head held */
} spot_row_t;

/* row is gone when it returns. Return other than 0 to stop reading. */
typedef int (*spot_row_function_t)(void *context, const spot_row_t *row);

typedef struct spot_store spot_store_t;
typedef struct spot_origin spot_origin_t; /* see origin.h */

struct spot_store {
    const spot_study_head_t *head;    /* must outlive the store */
    _Atomic(const atomic_int *) stop; /* not 0: locks are waited for no longer than a
                                         moment, and reading returns INTERRUPTED; may be
                                         NULL; set by the owner of the store */
    const char *outcome;     /* how the run of the study, or of its part, ended; whoever runs
                                it sets it before it closes the store, which notes it:
                                "complete", "stopped"; NULL: it failed */
    _Atomic int64_t *counts; /* [num_points][1 + num_warnings] replications there, and
                                those of them that met each warning */
    size_t num_break_evens;
    spot_break_even_t *break_evens; /* [num_break_evens] of the best's keys */
    /* Takes a piece, whose arrays may be used again afterwards. May be called by several
     * threads at once. BAD_PARAM: no such point or replication; IO: an earlier piece
     * could not be kept, flush() says why; STATE: the store is only read. */
    int (*put)(spot_store_t *self, const spot_piece_t *piece);
    /* Waits until all that was put is there for good and for readers. The reason of a
     * failure, of this or an earlier call (reading included), goes to diag. Not while
     * others put. */
    int (*flush)(spot_store_t *self, spot_diag_t *diag);
    /* Replications of a batch that are there, from its first one on. May be called while
     * others put. */
    int64_t (*num_there)(const spot_store_t *self, size_t point_id, int64_t first_replication);
    /* Hands the rows of a point from a replication on to function, in order of
     * replication. Returns what stopped it, else 0; INTERRUPTED by stop. Sees what was
     * flushed. IO, BAD_INPUT: flush() says why. One thread at a time reads; function may
     * read too. */
    int (*read)(const spot_store_t *self, size_t point_id, int64_t first_replication,
        spot_row_function_t function, void *context);
    /* Replications of a point that are there. */
    int64_t (*num_rows)(const spot_store_t *self, size_t point_id);
    /* Replications of a point that met a warning. */
    int64_t (*num_warned)(const spot_store_t *self, size_t point_id, size_t warning_id);
    /* Reads where the rows come from into a zeroed origin; NULL: the store notes nothing
     * of it. Call spot_origin_read(). */
    int (*read_origin)(const spot_store_t *self, spot_origin_t *origin);
    /* Takes the series of a replication; NULL: the store keeps none. Call what
     * series_rows.h has. */
    int (*put_series)(spot_store_t *self, size_t point_id, int64_t replication,
        const spot_recording_t *recording);
    /* Writes break-evens in place of those that are there; NULL: they are kept in memory
     * alone. Call spot_store_keep_break_evens(). */
    int (*put_break_evens)(spot_store_t *self, size_t num_items, const spot_break_even_t *items);
    void (*close)(spot_store_t *self);
};

/* Keeps a copy of break-evens in place of those that are there. NO_MEMORY; STATE: the
 * store is only read; IO: flush() says why. Not while others put. */
SPOT_MUST_CHECK int spot_store_keep_break_evens(
    spot_store_t *self, size_t num_items, const spot_break_even_t *items);

/* Those of a point. */
static inline _Atomic int64_t *spot_store_counts(const spot_store_t *self, size_t point_id)
{
    spot_bug_assert(point_id < self->head->num_points);
    return &self->counts[point_id * (self->head->num_warnings + 1)];
}

/* The num_rows() and num_warned() of all stores. */
int64_t spot_store_num_rows(const spot_store_t *self, size_t point_id);
int64_t spot_store_num_warned(const spot_store_t *self, size_t point_id, size_t warning_id);

/* The bytes that a store in memory takes when it has all rows of the head. */
double spot_store_memory_bytes(const spot_study_head_t *head);

/* A store in memory: 8 bytes a metric and 5 more for each of the replications that the
 * head asks for. NO_MEMORY leaves *self NULL. Close it with (*self)->close(*self). */
SPOT_MUST_CHECK int spot_store_open_memory(spot_store_t **self, const spot_study_head_t *head);
