/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of a store on disk, and its rows: all that is written is written on one
 * connection, under a lock; all that is read is read on another. Rows are read batch by
 * batch, and handed on once those of their batch are known to be the ones that were
 * written. Internal to sim/bench/store. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "sim/bench/store/origin.h"
#include "sim/bench/store/stored_study.h"

/* What there is of all batches together. */
typedef struct {
    int64_t num_batches;
    int64_t num_rows;
    uint64_t digest; /* the sum of those of the rows of batch, in any order */
} spot_sqlite_total_t;

typedef struct spot_row_reader spot_row_reader_t;

/* Accepts NULL. */
void spot_row_reader_close(spot_row_reader_t *self);

typedef struct {
    spot_store_t base;         /* first, so that a store is one of these */
    spot_stored_study_t study; /* of a reader, whose head is its */
    spot_columns_t columns;
    spot_db_t reader;
    spot_row_reader_t *row_reader; /* ready for use, or NULL */
    uint32_t *numbers;             /* [num_points] of the points in the file, a permutation */
    size_t *point_ids;             /* [num_points] by number */
    spot_store_t *copy;            /* in memory, of rows that were put or read; NULL: they may be
                                      too many */
    bool is_damaged;               /* the file, which is then read each time: the copy has good rows
                                      only */
    bool is_writer;
    pthread_mutex_t lock;     /* of all below */
    sqlite3_stmt *find_batch; /* of (point, first), of db or of reader */
    int error;                /* of writing: nothing more is taken */
    spot_db_t db;
    sqlite3_stmt *insert_batch; /* over an older one */
    sqlite3_stmt *insert_rows;  /* many at once */
    sqlite3_stmt *insert_row;
    size_t num_pending;         /* rows of the transaction */
    spot_sqlite_total_t change; /* by it */
    double ended_s;             /* when the last one ended */
    int64_t num_added;
    char writer[33];  /* our name in the provenance */
    double timeout_s; /* how long to wait for others' locks */
    double wait_started_s;
    double stop_seen_s; /* in this wait; 0: not yet */
} spot_sqlite_store_t;

/* Looking something up changes what a store remembers. */
static inline spot_sqlite_store_t *spot_sqlite_store(const spot_store_t *store)
{
    return (spot_sqlite_store_t *) (uintptr_t) store;
}

/* Where what is there is looked up: what is being written is there too. */
static inline spot_db_t *spot_sqlite_db(spot_sqlite_store_t *self)
{
    return self->is_writer ? &self->db : &self->reader;
}

/* Whether rows could be those of one batch of the study. */
static inline bool spot_sqlite_fits(
    const spot_study_head_t *head, size_t point_id, int64_t first, int64_t num_rows)
{
    const int64_t size = spot_study_batch_size(head);

    return point_id < head->num_points && first >= 0 && num_rows >= 1 &&
           first < head->num_replications && num_rows <= head->num_replications - first &&
           num_rows <= size - first % size;
}

/* What is known of replications of a batch, from its first one on. */
typedef struct {
    int64_t num_rows;
    int64_t warned[SPOT_MAX_WARNINGS]; /* of them met each warning */
    uint64_t digest;                   /* of the rows */
} spot_sqlite_batch_t;

/* Columns of a query for batches, to fill one from; %z: those of the warnings. */
#define SPOT_SQLITE_BATCH_COLUMNS "replications, digest%z"

/* column: the first one of those. */
spot_sqlite_batch_t spot_sqlite_batch_read(
    const spot_study_head_t *head, sqlite3_stmt *row, int column);

/* Adds the next row. */
void spot_sqlite_batch_add(spot_sqlite_batch_t *self, const spot_study_head_t *head,
    int64_t replication, uint32_t warnings, const double *metrics);

/* Keeps rows of the file, or of the transaction, in memory too, if there is a copy: they
 * are read again, for the median run, the summary and the differences. */
SPOT_MUST_CHECK static inline int spot_sqlite_copy(
    spot_sqlite_store_t *self, const spot_piece_t *piece)
{
    return self->copy == NULL ? 0 : self->copy->put(self->copy, piece);
}

/* As a store reads. */
int spot_sqlite_read(const spot_store_t *store, size_t point_id, int64_t first_replication,
    spot_row_function_t function, void *context);

/* Reads the rows of a point from the file even if there is a copy of them. */
SPOT_MUST_CHECK int spot_sqlite_read_file(spot_sqlite_store_t *store, size_t point_id,
    int64_t first_replication, spot_row_function_t function, void *context);

/* Remembers that a batch is damaged; returns BAD_INPUT. */
int spot_sqlite_say_batch(
    spot_sqlite_store_t *self, spot_db_t *db, size_t point_id, int64_t first, const char *why);

/* What follows notes the process that writes, see origin.h. */

/* Warns, once, if the file has rows of another version or commit than this program's;
 * provenance NULL: of two. */
SPOT_MUST_CHECK int spot_programs_check(
    spot_db_t *db, const spot_provenance_t *provenance, spot_diag_t *diag);

/* Claims the file for this process, see spot_db_claim(). BAD_INPUT: another has it; diag
 * says which. */
SPOT_MUST_CHECK int spot_sqlite_claim(spot_db_t *db, spot_diag_t *diag);

/* ---- Break-evens ---- */

/* Writes them over those that are there. Within a transaction. */
SPOT_MUST_CHECK int spot_sqlite_break_evens_write(
    spot_sqlite_store_t *self, size_t num_items, const spot_break_even_t *items);

/* Reads those of the keys that the head asks for into the store, once its points have
 * numbers. BAD_INPUT: they are not those that were written. */
SPOT_MUST_CHECK int spot_sqlite_break_evens_read(spot_sqlite_store_t *self, spot_db_t *db);
