/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing to the store on disk: in transactions of what comes within a moment, by
 * whichever thread brings it. The row of a batch changes together with its rows. */
#include <math.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/watch.h"
#include "sim/bench/store/store_sqlite_internal.h"

/* What a kill may cost: rows of a transaction, and seconds that it stays open while more
 * of them come. */
#define TRANSACTION_ROWS 16384
#define TRANSACTION_S 0.1

/* Rows that one statement adds: to start and end it takes longer than to add a row. For
 * as many rows of a table with the most columns, SQLite has parameters enough. */
#define STATEMENT_ROWS 16

/* How long a run that is stopped still waits for a lock: other spotsims hold it for
 * less. */
#define STOP_S 5
#define MAX_PAUSE_MS 50 /* between two tries */

#define NOW "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')"

/* ---- What is noted of this process ---- */

/* ended: an SQL expression. */
static int note(spot_sqlite_store_t *self, const char *ended, const char *outcome)
{
    return spot_db_run(&self->db,
        "UPDATE provenance SET seen = %s, ended = %s, outcome = %Q, rows_added = %lld "
        "WHERE writer = %Q;UPDATE provenance SET digest = " SPOT_PROVENANCE_DIGEST
        " WHERE writer = %Q",
        NOW, ended, outcome, (long long) self->num_added, self->writer, self->writer);
}

int spot_sqlite_enter(spot_sqlite_store_t *self, const spot_provenance_t *provenance)
{
    unsigned char name[16];
    int ret;

    sqlite3_randomness(sizeof(name), name);
    for (size_t j = 0; j < sizeof(name); j++) {
        snprintf(&self->writer[2 * j], 3, "%02x", name[j]);
    }
    ret = spot_db_run(&self->db,
        "INSERT INTO provenance VALUES (%Q, %lld, %s, %s, NULL, NULL, 0, %Q, %Q, %Q, "
        "%Q, %Q, %Q, %Q, %lld, %Q, 0)",
        self->writer, (long long) getpid(), NOW, NOW, provenance->canonical_sha256,
        provenance->version, provenance->commit, provenance->compiler, provenance->libraries,
        provenance->machine, provenance->command_line, (long long) provenance->num_threads,
        provenance->shard);
    ret = ret == 0 ? spot_db_run(&self->db, SPOT_TOTAL_WRITERS) : ret;
    return ret == 0 ? note(self, "NULL", NULL) : ret;
}

/* ---- Transactions, with the lock held ---- */

static int begin(spot_sqlite_store_t *self)
{
    int ret = 0;

    if (sqlite3_get_autocommit(self->db.handle)) {
        ret = spot_db_run(&self->db, "BEGIN IMMEDIATE");
        ret = ret == 0 ? spot_db_check_place(&self->db) : ret;
    }
    return ret;
}

/* Keeps what was added; an error is for good, as rows were lost. */
static int end(spot_sqlite_store_t *self, int error)
{
    if (!sqlite3_get_autocommit(self->db.handle)) {
        error = error == 0 ? spot_sqlite_total_write(self) : error;
        error = spot_db_end(&self->db, error == 0 ? note(self, "NULL", NULL) : error);
    }
    self->num_pending = 0;
    self->ended_s = spot_clock_s();
    self->error = error;
    return error == 0 ? 0 : SPOT_ERR_IO;
}

/* The same unless the transaction may wait for more. */
static int end_in_time(spot_sqlite_store_t *self, int error)
{
    return error != 0 || self->num_pending >= TRANSACTION_ROWS ||
                   spot_clock_s() - self->ended_s > TRANSACTION_S
               ? end(self, error)
               : 0;
}

int spot_sqlite_flush(spot_sqlite_store_t *self)
{
    int ret;

    pthread_mutex_lock(&self->lock);
    ret = self->error == 0 ? end(self, 0) : SPOT_ERR_IO;
    pthread_mutex_unlock(&self->lock);
    return ret;
}

/* ---- Rows ---- */

/* Binds a number as SQLite keeps one in a column of the type REAL: whole ones of 48 bits
 * as integers. NAN becomes null. */
static void bind_real(sqlite3_stmt *insert, int place, double number)
{
    if (fabs(number) < 0x1p47 && (double) (int64_t) number == number) {
        sqlite3_bind_int64(insert, place, (int64_t) number);
    } else {
        sqlite3_bind_double(insert, place, number);
    }
}

/* Binds a row of a piece to parameters from place on. Returns the place after them. */
static int bind_row(spot_sqlite_store_t *self, sqlite3_stmt *insert, int place,
    const spot_piece_t *piece, size_t row_id)
{
    const spot_study_head_t *head = self->base.head;
    const double *row = &piece->rows[row_id * head->num_metrics];

    sqlite3_bind_int64(insert, place++, self->numbers[piece->point_id]);
    sqlite3_bind_int64(insert, place++, piece->first_replication + (int64_t) row_id);
    for (size_t j = 0; j < head->num_metrics; j++) {
        if (head->metrics[j].numerator == NULL) {
            bind_real(insert, place++, row[j]);
        }
    }
    sqlite3_bind_int64(insert, place++, piece->warnings == NULL ? 0 : piece->warnings[row_id]);
    return place;
}

/* Adds the rows of a piece from row_id on. */
static int insert_rows(spot_sqlite_store_t *self, const spot_piece_t *piece, size_t row_id)
{
    int ret = 0;

    while (ret == 0 && row_id < piece->num_rows) {
        const bool are_many = piece->num_rows - row_id >= STATEMENT_ROWS;
        sqlite3_stmt *insert = are_many ? self->insert_rows : self->insert_row;
        const size_t end_id = row_id + (are_many ? STATEMENT_ROWS : 1);

        for (int place = 1; row_id < end_id; row_id++) {
            place = bind_row(self, insert, place, piece, row_id);
        }
        ret = spot_db_step_done(&self->db, insert);
    }
    return ret;
}

static int insert_batch(spot_sqlite_store_t *self, size_t point_id, int64_t first_replication,
    const spot_sqlite_batch_t *batch)
{
    const int num_warnings = (int) self->base.head->num_warnings;
    sqlite3_stmt *insert = self->insert_batch;

    sqlite3_bind_int64(insert, 1, self->numbers[point_id]);
    sqlite3_bind_int64(insert, 2, first_replication);
    sqlite3_bind_int64(insert, 3, batch->num_rows);
    for (int j = 0; j < num_warnings; j++) {
        sqlite3_bind_int64(insert, j + 4, batch->warned[j]);
    }
    sqlite3_bind_int64(insert, num_warnings + 4, (sqlite3_int64) batch->digest);
    return spot_db_step_done(&self->db, insert);
}

/* Adds the rows of a piece that its batch, as it stands in the file, does not have. */
static int add_rows(spot_sqlite_store_t *self, const spot_piece_t *piece, int64_t batch_first,
    spot_sqlite_batch_t *batch)
{
    _Atomic int64_t *counts = spot_store_counts(&self->base, piece->point_id);
    const spot_sqlite_batch_t before = *batch;
    const size_t first_new = (size_t) (batch_first + batch->num_rows - piece->first_replication);
    int ret = begin(self);

    for (size_t j = first_new; ret == 0 && j < piece->num_rows; j++) {
        spot_sqlite_batch_add(batch, self->base.head, piece->first_replication + (int64_t) j,
            piece->warnings == NULL ? 0 : piece->warnings[j],
            &piece->rows[j * self->base.head->num_metrics]);
    }
    ret = ret == 0 ? insert_rows(self, piece, first_new) : ret;
    spot_sqlite_total_change(self, piece->point_id, batch_first, &before, batch);
    counts[0] += batch->num_rows - before.num_rows;
    for (size_t j = 0; j < self->base.head->num_warnings; j++) {
        counts[j + 1] += batch->warned[j] - before.warned[j];
    }
    self->num_added += batch->num_rows - before.num_rows;
    self->num_pending += (size_t) (batch->num_rows - before.num_rows);
    return ret == 0 ? insert_batch(self, piece->point_id, batch_first, batch) : ret;
}

static int put_rows(spot_sqlite_store_t *self, const spot_piece_t *piece)
{
    const int64_t offset = piece->first_replication % spot_study_batch_size(self->base.head);
    const int64_t batch_first = piece->first_replication - offset;
    spot_sqlite_batch_t batch;
    int ret = spot_sqlite_find_batch(self, piece->point_id, batch_first, &batch);

    if (ret == 0 && batch.num_rows < offset) {
        return SPOT_ERR_BAD_PARAM; /* a gap */
    }
    if (ret == 0 && batch.num_rows < offset + (int64_t) piece->num_rows) {
        ret = add_rows(self, piece, batch_first, &batch);
    }
    return end_in_time(self, ret);
}

int spot_sqlite_put(spot_store_t *store, const spot_piece_t *piece)
{
    spot_sqlite_store_t *self = spot_sqlite_store(store);
    int ret;

    if (!self->is_writer) {
        return SPOT_ERR_STATE;
    }
    if (!spot_sqlite_fits(self->base.head, piece->point_id, piece->first_replication,
            (int64_t) piece->num_rows)) {
        return SPOT_ERR_BAD_PARAM;
    }
    pthread_mutex_lock(&self->lock);
    ret = self->error == 0 ? put_rows(self, piece) : SPOT_ERR_IO;
    ret = ret == 0 ? spot_sqlite_copy(self, piece) : ret;
    pthread_mutex_unlock(&self->lock);
    return ret;
}

/* Writes a recording, or, if it is NULL, break-evens, which are not left to wait. */
static int put(spot_store_t *store, size_t point_id, int64_t replication,
    const spot_recording_t *recording, size_t num_items, const spot_break_even_t *items)
{
    spot_sqlite_store_t *self = spot_sqlite_store(store);
    int ret = SPOT_ERR_IO;

    if (!self->is_writer) {
        return SPOT_ERR_STATE;
    }
    pthread_mutex_lock(&self->lock);
    if (self->error == 0) {
        ret = begin(self);
        if (ret == 0 && recording != NULL) {
            ret = spot_series_write(&self->db, self->numbers[point_id], replication, recording);
        } else if (ret == 0) {
            ret = spot_sqlite_break_evens_write(self, num_items, items);
        }
        ret = recording != NULL ? end_in_time(self, ret) : end(self, ret);
    }
    pthread_mutex_unlock(&self->lock);
    return ret;
}

int spot_sqlite_put_series(
    spot_store_t *store, size_t point_id, int64_t replication, const spot_recording_t *recording)
{
    return put(store, point_id, replication, recording, 0, NULL);
}

int spot_sqlite_put_break_evens(
    spot_store_t *store, size_t num_items, const spot_break_even_t *items)
{
    return put(store, 0, 0, NULL, num_items, items);
}

/* ---- Beginning and end ---- */

/* Whether to try once more to get a lock that another holds. */
static int wait_for_lock(void *context, int num_tries)
{
    spot_sqlite_store_t *self = context;
    const atomic_int *stop = atomic_load(&self->base.stop);
    const struct timespec pause = {
        .tv_nsec = 1000000L * (num_tries < MAX_PAUSE_MS ? num_tries + 1 : MAX_PAUSE_MS)};
    const double now_s = spot_clock_s();

    if (num_tries == 0) {
        self->wait_started_s = now_s;
        self->stop_seen_s = 0;
    }
    if (self->stop_seen_s == 0 && stop != NULL && atomic_load(stop) != 0) {
        self->stop_seen_s = now_s;
    }
    if (now_s - self->wait_started_s > self->timeout_s ||
        (self->stop_seen_s > 0 && now_s - self->stop_seen_s > STOP_S)) {
        return 0;
    }
    nanosleep(&pause, NULL);
    return 1;
}

/* Or fail: an error ends the transaction as a whole, so that SQLite need not keep what
 * would undo the statement alone. */
static int prepare_insert(spot_sqlite_store_t *self, sqlite3_stmt **insert, size_t num_rows)
{
    sqlite3_str *rows = sqlite3_str_new(self->db.handle);

    for (size_t j = 0; j < num_rows; j++) {
        sqlite3_str_appendf(rows, "%s(?, ?, ?%z)", j == 0 ? "" : ", ",
            spot_schema_places(&self->db, self->columns.metrics.num));
    }
    return spot_db_prepare(&self->db, insert, "INSERT OR FAIL INTO replication VALUES %z",
        spot_db_finish(&self->db, rows));
}

int spot_sqlite_start_writing(spot_sqlite_store_t *self, double timeout_s)
{
    int ret;

    self->timeout_s = timeout_s;
    sqlite3_busy_handler(self->db.handle, wait_for_lock, self);
    ret = spot_schema_bare_rows(&self->db, &self->columns);
    if (ret == 0) {
        ret = spot_db_prepare(&self->db, &self->insert_batch,
            "INSERT OR REPLACE INTO batch VALUES (?, ?, ?, ?%z)",
            spot_schema_places(&self->db, self->base.head->num_warnings));
    }
    ret = ret == 0 ? prepare_insert(self, &self->insert_rows, STATEMENT_ROWS) : ret;
    return ret == 0 ? prepare_insert(self, &self->insert_row, 1) : ret;
}

/* What the provenance says of how it went: the writer's own failure, or the outcome of
 * the run. */
static const char *describe_end(const spot_sqlite_store_t *self, char text[200])
{
    if (self->error != 0) {
        snprintf(text, 200, "failed: %s",
            self->db.sentence == NULL ? "out of memory" : self->db.sentence);
        return text;
    }
    return self->base.outcome == NULL ? "failed" : self->base.outcome;
}

void spot_sqlite_stop_writing(spot_sqlite_store_t *self)
{
    char text[200];

    if (self->insert_row != NULL) { /* it has begun */
        if (self->error == 0) {
            (void) end(self, 0);
        }
        if (self->error != 0) { /* whatever it waited for, it waited once */
            sqlite3_busy_timeout(self->db.handle, 0);
        }
        /* Where this fails there is nobody left to tell, and no row is lost. */
        if (spot_db_run(&self->db, "BEGIN IMMEDIATE") != 0 ||
            spot_db_end(&self->db, note(self, NOW, describe_end(self, text))) != 0) {
            spot_db_forget(&self->db);
        }
    }
    sqlite3_finalize(self->insert_batch);
    sqlite3_finalize(self->insert_rows);
    sqlite3_finalize(self->insert_row);
}
