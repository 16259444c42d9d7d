/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the store on disk is made inside: one thread writes, on a connection of its own;
 * all that is read is read on another. Internal to sim/store. */
#ifndef SPOT_SIM_STORE_STORE_SQLITE_INTERNAL_H
#define SPOT_SIM_STORE_STORE_SQLITE_INTERNAL_H

#include <stdatomic.h>

#include "sim/store/digest.h"
#include "sim/store/queue.h"
#include "sim/store/store_sqlite.h"
#include "sim/store/stored_study.h"
#include "sim/store/there.h"

/* For tests; all 0: as users have it. */
typedef struct {
    int timeout_ms;    /* how long to wait for others' locks */
    int64_t max_pages; /* of the file: beyond, the disk is full */
    size_t queue_rows; /* room in the queue */
} spot_sqlite_options_t;

SPOT_MUST_CHECK int spot_store_open_sqlite_with(spot_store_t **self, const char *path,
    const spot_study_head_t *head, const spot_provenance_t *provenance,
    const spot_sqlite_options_t *options, spot_diag_t *diag);

/* The statements that write rows. */
typedef struct {
    const spot_columns_t *columns;
    sqlite3_stmt *find_batch;   /* of (point, first) */
    sqlite3_stmt *insert_batch; /* over an older one */
    sqlite3_stmt *insert_row;
} spot_row_writer_t;

SPOT_MUST_CHECK int spot_row_writer_init(
    spot_row_writer_t *self, spot_db_t *db, const spot_columns_t *columns);
void spot_row_writer_free(spot_row_writer_t *self);

/* The next rows of a batch. */
typedef struct {
    int64_t number;      /* of the point in the file */
    int64_t batch_first; /* of the batch */
    int64_t first;       /* of the rows */
    size_t num_rows;
    const double *rows;       /* [num_rows][num_metrics] */
    const uint32_t *warnings; /* [num_rows] */
} spot_rows_t;

/* Adds them to their batch, which must have those before. Within a transaction. */
SPOT_MUST_CHECK int spot_row_writer_add(
    spot_row_writer_t *self, spot_db_t *db, const spot_rows_t *rows);

typedef struct spot_row_reader spot_row_reader_t;

/* Accepts NULL. */
void spot_row_reader_close(spot_row_reader_t *self);

/* All of a store but its interface. */
typedef struct {
    const spot_study_head_t *head;
    spot_stored_study_t study; /* of a reader, whose head is its */
    spot_columns_t columns;
    spot_db_t reader;
    _Atomic(spot_row_reader_t *) row_reader; /* ready for use, or NULL */
    spot_queue_t queue;
    spot_there_t there; /* under the lock of the queue */
    /* Of the writer's thread while it runs. */
    bool has_writer;
    pthread_t thread;
    spot_db_t db;
    spot_row_writer_t rows;
    int64_t num_added;
    char writer[33];           /* our name in the provenance */
    const spot_store_t *store; /* whose run may be stopped */
    double timeout_s;          /* how long to wait for others' locks */
    double wait_started_s;
    double stop_seen_s; /* in this wait; 0: not yet */
} spot_sqlite_work_t;

typedef struct {
    spot_store_t base; /* first, so that a store is one of these */
    spot_sqlite_work_t *work;
} spot_sqlite_store_t;

static inline spot_sqlite_work_t *
spot_sqlite_work(const spot_store_t *store)
{
    return ((const spot_sqlite_store_t *) store)->work;
}

/* The writer's thread, from the prepared statements on; and its end, with what is noted
 * of it: outcome as in spot_store_t. */
SPOT_MUST_CHECK int spot_sqlite_writer_start(
    spot_sqlite_work_t *self, const spot_store_t *store, double timeout_s);
void spot_sqlite_writer_stop(spot_sqlite_work_t *self, const char *outcome);

/* Notes the process. Within a transaction. */
SPOT_MUST_CHECK int spot_sqlite_enter(
    spot_sqlite_work_t *self, const spot_provenance_t *provenance);

/* Says which process writes to the file, as far as it noted it. */
void spot_sqlite_say_taken(spot_db_t *db, spot_diag_t *diag);

/* Parts of the interface that read. */
int spot_sqlite_read(const spot_store_t *store, size_t point_id,
    int64_t first_replication, spot_row_function_t function, void *context);
int spot_sqlite_read_origin(const spot_store_t *store, spot_origin_t *origin);
int spot_sqlite_put_series(spot_store_t *store, size_t point_id, int64_t replication,
    const spot_recording_t *recording);
int spot_sqlite_list_series(const spot_store_t *store, spot_series_list_t *list);
int spot_sqlite_read_series(const spot_store_t *store, size_t point_id,
    int64_t replication, spot_recording_t *recording);

/* ---- The series of a file, by the numbers of its points ---- */

/* Adds the series of a replication, unless it has some. Within a transaction. */
SPOT_MUST_CHECK int spot_series_write(spot_db_t *db, int64_t number, int64_t replication,
    const spot_recording_t *recording);

/* As spot_store_read_series(). */
SPOT_MUST_CHECK int spot_series_read(
    spot_db_t *db, int64_t number, int64_t replication, spot_recording_t *recording);

/* Lists all replications with series in a zeroed list; their point_id is the number of
 * the point. BAD_INPUT: they are not those that were written. */
SPOT_MUST_CHECK int spot_series_numbers(spot_db_t *db, spot_series_list_t *list);

#endif
