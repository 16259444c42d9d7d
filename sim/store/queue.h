/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pieces on their way from the workers to the thread that writes them: a ring of bounded
 * size, so that workers do not wait while a transaction ends, and memory stays flat
 * where the disk is slower than they are. Internal to sim/store. */
#ifndef SPOT_SIM_STORE_QUEUE_H
#define SPOT_SIM_STORE_QUEUE_H

#include <pthread.h>
#include <stdbool.h>

#include "sim/store/store.h"

/* Rows that wait at most: more than 1 s at 100,000 rows/s, unless that takes too much
 * memory. */
#define SPOT_QUEUE_ROWS 131072
#define SPOT_QUEUE_BYTES (64 << 20)

/* Rows of a transaction, at most; and how long the first of it waits. */
#define SPOT_QUEUE_TRANSACTION_ROWS 16384
#define SPOT_QUEUE_WAIT_MS 100

/* A piece with arrays of its own. */
typedef struct {
    size_t point_id;
    int64_t first_replication;
    size_t num_rows;                   /* 0: the series of one replication */
    double *rows;                      /* [batch size][num_metrics] */
    uint32_t *warnings;                /* [batch size] */
    const spot_recording_t *recording; /* of a piece without rows */
} spot_queued_t;

typedef struct {
    pthread_mutex_t lock; /* of all here, and of what else the writer changes */
    pthread_cond_t has_room;
    pthread_cond_t has_work;
    pthread_cond_t is_empty;
    size_t num_slots;
    size_t num_metrics;
    spot_queued_t *slots; /* [num_slots] a ring */
    double *rows;         /* of all slots */
    uint32_t *warnings;
    size_t first;
    size_t num_queued;
    size_t num_enough; /* pieces that are worth a transaction */
    size_t num_urgent; /* threads that wait for it to be empty */
    bool is_closing;
    int error; /* the writer has given up */
} spot_queue_t;

/* num_rows: room for this many rows, or about SPOT_QUEUE_ROWS where it is 0. NO_MEMORY;
 * free self even then. */
SPOT_MUST_CHECK int spot_queue_init(
    spot_queue_t *self, const spot_study_head_t *head, size_t num_rows);
void spot_queue_free(spot_queue_t *self);

/* Waits for room; with the lock held. The error that the writer gave up with. */
SPOT_MUST_CHECK int spot_queue_wait(spot_queue_t *self);

/* Copies the rows. The recording of a piece without rows must live until the queue was
 * empty. There must be room; with the lock held. */
void spot_queue_push(
    spot_queue_t *self, const spot_piece_t *piece, const spot_recording_t *recording);

/* Waits until it is empty; with the lock held. The error that the writer gave up with.
 */
SPOT_MUST_CHECK int spot_queue_drain(spot_queue_t *self);

/* For the writer, with the lock held: waits until there is enough for a transaction, or
 * some of it for long enough; returns how many pieces from the first on to write, which
 * may be 0. They stay in place until spot_queue_pop(). */
size_t spot_queue_take(spot_queue_t *self);
void spot_queue_pop(spot_queue_t *self, size_t num_pieces);

/* For the writer, with the lock held: it gives up. */
void spot_queue_fail(spot_queue_t *self, int error);

#endif
