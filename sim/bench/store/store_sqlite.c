/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/store/store_sqlite.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/inputs.h"
#include "base/memory.h"
#include "base/watch.h"
#include "sim/bench/store/series_rows.h"
#include "sim/bench/store/sqlite_db.h"
#include "sim/bench/store/sqlite_rows.h"
#include "sim/bench/store/stored_study.h"

/* ---- The total ---- */

/* Whether a store on disk is whole. Reading compares the rows of a batch with the batch, but
 * a batch that is lost takes its rows with it: so the table total counts what other tables
 * have, and is compared when a store is opened. What differs is then looked for in all rows,
 * to be named. */

/* What a batch adds to the digest of all; in SQL, digest() of all its columns. */
static uint64_t batch_digest(const spot_sqlite_store_t *self, int64_t number, int64_t first,
    const spot_sqlite_batch_t *batch)
{
    uint64_t digest = spot_digest_integer(0, number);

    digest = spot_digest_integer(digest, first);
    digest = spot_digest_integer(digest, batch->num_rows);
    for (size_t j = 0; j < self->base.head->num_warnings; j++) {
        digest = spot_digest_integer(digest, batch->warned[j]);
    }
    return spot_digest_integer(digest, (int64_t) batch->digest);
}

/* Notes that a batch has changed, or, if it had no rows before, come. With the lock held. */
static void sqlite_total_change(spot_sqlite_store_t *self, size_t point_id, int64_t first,
    const spot_sqlite_batch_t *before, const spot_sqlite_batch_t *after)
{
    const int64_t number = self->numbers[point_id];

    if (before->num_rows > 0) {
        self->change.digest -= batch_digest(self, number, first, before);
    } else {
        self->change.num_batches++;
    }
    self->change.num_rows += after->num_rows - before->num_rows;
    self->change.digest += batch_digest(self, number, first, after);
}

static int read_total(spot_db_t *db, spot_sqlite_total_t *total)
{
    sqlite3_stmt *row;
    int ret = spot_db_prepare(
        db, &row, "SELECT batches, replications, batch_digest, count(*) OVER () FROM total");

    *total = (spot_sqlite_total_t){.num_batches = 0};
    if (!spot_db_next_row(db, row, &ret) || sqlite3_column_int64(row, 3) != 1) {
        ret = ret == 0 ? spot_db_damaged(db, "the total of its batches is missing") : ret;
    } else {
        *total = (spot_sqlite_total_t){sqlite3_column_int64(row, 0), sqlite3_column_int64(row, 1),
            (uint64_t) sqlite3_column_int64(row, 2)};
    }
    sqlite3_finalize(row);
    return ret;
}

/* Writes what has changed into the total. Within the transaction of the batches. */
static int sqlite_total_write(spot_sqlite_store_t *self)
{
    spot_sqlite_total_t *change = &self->change, total;
    int ret = 0;

    if (change->num_rows > 0) {
        ret = read_total(&self->db, &total);
        ret = ret == 0
                  ? spot_db_run(&self->db,
                        "UPDATE total SET batches = %lld, replications = %lld, batch_digest = %lld",
                        (long long) (total.num_batches + change->num_batches),
                        (long long) (total.num_rows + change->num_rows),
                        (long long) (total.digest + change->digest))
                  : ret;
        *change = (spot_sqlite_total_t){.num_batches = 0};
    }
    return ret;
}

/* ---- Batches, when a store is opened ---- */

/* Adds a batch to the counts of its point. */
static int count_batch(spot_sqlite_store_t *self, spot_db_t *db, int64_t number, int64_t first,
    const spot_sqlite_batch_t *batch)
{
    const spot_study_head_t *head = self->base.head;
    _Atomic int64_t *counts;

    if (number < 0 || (size_t) number >= head->num_points) {
        return spot_db_damaged(db, "batches are of a point that is none");
    }
    if (first % spot_study_batch_size(head) != 0 ||
        !spot_sqlite_fits(head, self->point_ids[number], first, batch->num_rows)) {
        return spot_sqlite_say_batch(self, db, self->point_ids[number], first, "it is none");
    }
    counts = spot_store_counts(&self->base, self->point_ids[number]);
    counts[0] += batch->num_rows;
    for (size_t j = 0; j < head->num_warnings; j++) {
        counts[j + 1] += batch->warned[j];
    }
    return 0;
}

/* All batches, in their order: one page of them in place of another shows. */
static int count_batches(spot_sqlite_store_t *self, spot_db_t *db, spot_sqlite_total_t *there)
{
    int64_t last_number = -1, last_first = 0;
    sqlite3_stmt *row;
    int ret = spot_db_prepare(db, &row,
        "SELECT point, first, " SPOT_SQLITE_BATCH_COLUMNS " FROM batch ORDER BY point, first",
        spot_column_names_sql(&self->columns.warnings, db, ", ", ""));

    while (spot_db_next_row(db, row, &ret)) {
        const int64_t number = sqlite3_column_int64(row, 0), first = sqlite3_column_int64(row, 1);
        const spot_sqlite_batch_t batch = spot_sqlite_batch_read(self->base.head, row, 2);

        ret = count_batch(self, db, number, first, &batch);
        if (ret == 0 && (number < last_number || (number == last_number && first <= last_first))) {
            ret = spot_sqlite_say_batch(
                self, db, self->point_ids[number], first, "it is not in its place");
        }
        if (ret == 0) {
            there->num_batches++;
            there->num_rows += batch.num_rows;
            there->digest += batch_digest(self, number, first, &batch);
        }
        last_number = number;
        last_first = first;
    }
    sqlite3_finalize(row);
    return ret;
}

/* ---- Which batch it is that is lost ---- */

static int ignore_row(void *context, const spot_row_t *row)
{
    (void) context;
    (void) row;
    return 0;
}

static int is_stopped(void *context)
{
    const atomic_int *stop = context;

    return stop != NULL && atomic_load(stop) != 0;
}

/* Rows of points that the study does not have. O(log rows). */
static int find_strangers(const spot_sqlite_store_t *self, spot_db_t *db)
{
    sqlite3_stmt *row;
    int ret = spot_db_prepare(db, &row,
        "SELECT point, replication FROM replication WHERE point < 0 UNION ALL SELECT point, "
        "replication FROM replication WHERE point >= %lld LIMIT 1",
        (long long) self->base.head->num_points);

    if (spot_db_next_row(db, row, &ret)) {
        ret = spot_db_damaged(db, "replication %lld is of point %lld, which is none",
            (long long) sqlite3_column_int64(row, 1), (long long) sqlite3_column_int64(row, 0));
    }
    sqlite3_finalize(row);
    return ret;
}

/* Reads all rows: those of no batch, and batches that are not as they were written, are
 * said by their point and first replication. */
static int read_all(spot_sqlite_store_t *self)
{
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < self->base.head->num_points; j++) {
        ret = spot_sqlite_read_file(self, j, 0, ignore_row, NULL);
    }
    return ret;
}

/* A point and the replication at which it has a gap, or ends before the others do: what is
 * lost was there, as far as one can see. */
static int find_gap(
    const spot_sqlite_store_t *self, spot_db_t *db, size_t *point_id, int64_t *first)
{
    const spot_study_head_t *head = self->base.head;
    sqlite3_stmt *row;
    int ret = spot_db_prepare(db, &row,
        "SELECT point, start FROM (SELECT point, first, coalesce(lag(first + replications) OVER "
        "(PARTITION BY point ORDER BY first), 0) AS start FROM batch) WHERE first > start ORDER "
        "BY point, first LIMIT 1");

    *point_id = head->num_points;
    if (spot_db_next_row(db, row, &ret)) {
        *point_id = self->point_ids[sqlite3_column_int64(row, 0)];
        *first = sqlite3_column_int64(row, 1);
    }
    sqlite3_finalize(row);
    if (*point_id == head->num_points) {
        *first = INT64_MAX;
        for (size_t j = 0; j < head->num_points; j++) {
            const int64_t num_rows = spot_store_num_rows(&self->base, j);

            if (num_rows < *first && num_rows < spot_study_point_replications(head, j)) {
                *point_id = j;
                *first = num_rows;
            }
        }
    }
    return ret;
}

/* Says what of the batches is not as the total has it. Reads all rows. */
static int diagnose(spot_sqlite_store_t *self, spot_db_t *db, const spot_sqlite_total_t *there,
    const spot_sqlite_total_t *written)
{
    const int64_t size = spot_study_batch_size(self->base.head);
    size_t point_id = self->base.head->num_points;
    int64_t first = 0;
    char words[160];
    int ret;

    sqlite3_progress_handler(db->handle, 10000, is_stopped, &spot_stop);
    ret = read_all(self);
    if (ret == 0 && there->num_batches < written->num_batches) {
        ret = find_gap(self, db, &point_id, &first);
    }
    sqlite3_progress_handler(db->handle, 0, NULL, NULL);
    if (ret != 0) {
        return ret;
    }
    if (point_id == self->base.head->num_points) {
        return spot_db_damaged(db,
            "%lld batches of %lld replications were written, these %lld of %lld are others",
            (long long) written->num_batches, (long long) written->num_rows,
            (long long) there->num_batches, (long long) there->num_rows);
    }
    snprintf(words, sizeof(words), "it is missing; %lld of %lld batches are there",
        (long long) there->num_batches, (long long) written->num_batches);
    return spot_sqlite_say_batch(self, db, point_id, first - first % size, words);
}

/* Writers and break-evens, which are few, and the rows that writers say they added: as many
 * as there are, or more where databases with the same rows were merged. */
static int check_others(spot_db_t *db, const spot_sqlite_total_t *there)
{
    sqlite3_stmt *row;
    int ret = spot_db_prepare(db, &row,
        "SELECT EXISTS (SELECT 1 FROM total WHERE (writers, writer_digest) = (SELECT count(*), "
        "digest_rows(writer) FROM provenance)), EXISTS (SELECT 1 FROM total WHERE (break_evens, "
        "break_even_digest) = (SELECT count(*), digest_rows(digest) FROM break_even)), (SELECT "
        "total(rows_added) FROM provenance)");

    if (spot_db_next_row(db, row, &ret)) {
        const double num_added = sqlite3_column_double(row, 2);

        if (sqlite3_column_int(row, 0) == 0) {
            ret = spot_db_damaged(db, "its provenance is not as it was written");
        } else if (sqlite3_column_int(row, 1) == 0) {
            ret = spot_db_damaged(db, "break-evens are not those that were written");
        } else if ((double) there->num_rows > num_added) {
            ret = spot_db_damaged(db, "it has %lld rows, but by its provenance %.0f were added",
                (long long) there->num_rows, num_added);
        }
    }
    sqlite3_finalize(row);
    return ret;
}

/* Counts the replications of each point, once points have numbers, and sees whether batches,
 * writers and break-evens are all there. BAD_INPUT, with point and batch. O(batches), or
 * O(rows) where some are lost. */
static int sqlite_check_batches(spot_sqlite_store_t *self, spot_db_t *db)
{
    spot_sqlite_total_t there = {.num_batches = 0}, written;
    int ret = count_batches(self, db, &there);

    ret = ret == 0 ? read_total(db, &written) : ret;
    if (ret == 0 && memcmp(&there, &written, sizeof(there)) != 0) {
        ret = diagnose(self, db, &there, &written);
    }
    ret = ret == 0 ? find_strangers(self, db) : ret;
    return ret == 0 ? check_others(db, &there) : ret;
}

/* ---- The study and the tables ---- */

/* Makes the tables that a file should have, without rows. Free it even after an error. */
static int make_model(spot_db_t *model, const spot_stored_study_t *stored, spot_db_t *db)
{
    spot_columns_t columns;
    int ret = spot_columns_init(&columns, &stored->head);

    ret = ret == 0 ? spot_db_open_memory(model) : ret;
    ret = ret == 0 ? spot_schema_create(model, &columns) : ret;
    ret = ret == 0 ? spot_schema_create_points(model, &columns) : ret;
    ret = ret == 0 ? spot_series_create_tables(model, db) : ret;
    if (ret == SPOT_ERR_BAD_INPUT) {
        ret = spot_db_damaged(db, "the kinds of its series are not those that were written");
    }
    spot_columns_free(&columns);
    return ret;
}

/* Sees whether the tables of a file, and its points, are those of the study in it.
 * BAD_INPUT. O(points). */
static int sqlite_check_study(const spot_stored_study_t *stored, spot_db_t *db)
{
    spot_db_t model = {.claim = -1};
    int ret = make_model(&model, stored, db);

    ret = ret == 0 ? spot_schema_compare(db, &model) : ret;
    spot_db_close(&model);
    return ret == 0 ? spot_stored_points_check(stored, db) : ret;
}

/* ---- All of it ---- */

/* Sees whether the tables of series have no rows but those of the list. BAD_INPUT. */
static int series_check_tables(spot_db_t *db)
{
    sqlite3_stmt *row;
    int ret = spot_db_prepare(db, &row,
        "SELECT rows_in, (SELECT total(rows) FROM series s WHERE s.rows_in = k.rows_in) FROM "
        "series_kind k");

    while (spot_db_next_row(db, row, &ret)) {
        const char *table = (const char *) sqlite3_column_text(row, 0);
        sqlite3_int64 num_rows;

        ret = spot_db_integer(db, &num_rows, "SELECT count(*) FROM \"%w\"", table);
        if (ret == 0 && (double) num_rows != sqlite3_column_double(row, 1)) {
            ret = spot_db_damaged(db, "%s has rows that are of no series", table);
        }
    }
    sqlite3_finalize(row);
    return ret;
}

/* All series of the list, and no rows of series beside them. */
static int check_series(spot_sqlite_store_t *self, spot_db_t *db)
{
    spot_series_list_t list = {0};
    int ret = spot_series_numbers(db, &list);

    for (size_t j = 0; ret == 0 && j < list.num_ids; j++) {
        spot_recording_t recording;

        ret = is_stopped((void *) (uintptr_t) atomic_load(&self->base.stop))
                  ? SPOT_ERR_INTERRUPTED
                  : spot_series_read(
                        db, (int64_t) list.ids[j].point_id, list.ids[j].replication, &recording);
        if (ret != SPOT_ERR_INTERRUPTED) {
            spot_recording_free(&recording);
        }
    }
    spot_series_list_free(&list);
    return ret == 0 ? series_check_tables(db) : ret;
}

/* What SQLite itself finds: pages that are lost or used twice, indexes that are not those of
 * their tables, values of other types than their columns have. */
static int check_integrity(spot_db_t *db)
{
    sqlite3_stmt *row;
    int ret = spot_db_prepare(db, &row, "PRAGMA integrity_check(1)");

    if (spot_db_next_row(db, row, &ret)) {
        const char *words = (const char *) sqlite3_column_text(row, 0);

        if (words == NULL || strcmp(words, "ok") != 0) {
            ret = spot_db_damaged(db, "%s", words == NULL ? "?" : words);
        }
    }
    sqlite3_finalize(row);
    return ret;
}

static int check_all(spot_sqlite_store_t *self, spot_db_t *db, spot_diag_t *diag)
{
    spot_db_t model = {.claim = -1};
    int ret = read_all(self);

    ret = ret == 0 ? check_series(self, db) : ret;
    ret = ret == 0 ? check_integrity(db) : ret;
    ret = ret == 0 ? make_model(&model, &self->study, db) : ret;
    ret = ret == 0 ? spot_schema_say_others(db, &model, diag) : ret;
    spot_db_close(&model);
    return ret;
}

int spot_store_check_sqlite(spot_store_t *store, spot_diag_t *diag)
{
    spot_sqlite_store_t *self = spot_sqlite_store(store);
    spot_db_t *db = &self->reader;
    int ret;

    sqlite3_progress_handler(
        db->handle, 10000, is_stopped, (void *) (uintptr_t) atomic_load(&store->stop));
    ret = check_all(self, db, diag);
    sqlite3_progress_handler(db->handle, 0, NULL, NULL);
    return ret;
}

/* ---- Writing ---- */

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

/* Writing to the store on disk: in transactions of what comes within a moment, by
 * whichever thread brings it. The row of a batch changes together with its rows. */

/* ended: an SQL expression. */
static int note(spot_sqlite_store_t *self, const char *ended, const char *outcome)
{
    return spot_db_run(&self->db,
        "UPDATE provenance SET seen = %s, ended = %s, outcome = %Q, rows_added = %lld "
        "WHERE writer = %Q;UPDATE provenance SET digest = " SPOT_PROVENANCE_DIGEST
        " WHERE writer = %Q",
        NOW, ended, outcome, (long long) self->num_added, self->writer, self->writer);
}

/* Notes the process. Within a transaction. */
static int sqlite_enter(spot_sqlite_store_t *self, const spot_provenance_t *provenance)
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
        error = error == 0 ? sqlite_total_write(self) : error;
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

static int write_pending(spot_sqlite_store_t *self)
{
    int ret;

    pthread_mutex_lock(&self->lock);
    ret = self->error == 0 ? end(self, 0) : SPOT_ERR_IO;
    pthread_mutex_unlock(&self->lock);
    return ret;
}

/* ---- Rows ---- */

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
            sqlite3_bind_double(insert, place++, row[j]); /* NAN becomes null */
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
    sqlite_total_change(self, piece->point_id, batch_first, &before, batch);
    counts[0] += batch->num_rows - before.num_rows;
    for (size_t j = 0; j < self->base.head->num_warnings; j++) {
        counts[j + 1] += batch->warned[j] - before.warned[j];
    }
    self->num_added += batch->num_rows - before.num_rows;
    self->num_pending += (size_t) (batch->num_rows - before.num_rows);
    return ret == 0 ? insert_batch(self, piece->point_id, batch_first, batch) : ret;
}

/* Looks up a batch of a point, by the number of its first replication; zeroed: nothing
 * is there. With the lock held. */
static int sqlite_find_batch(spot_sqlite_store_t *self, size_t point_id, int64_t first_replication,
    spot_sqlite_batch_t *batch)
{
    int ret = 0;

    *batch = (spot_sqlite_batch_t){.num_rows = 0};
    sqlite3_bind_int64(self->find_batch, 1, self->numbers[point_id]);
    sqlite3_bind_int64(self->find_batch, 2, first_replication);
    if (spot_db_next_row(spot_sqlite_db(self), self->find_batch, &ret)) {
        *batch = spot_sqlite_batch_read(self->base.head, self->find_batch, 0);
    }
    sqlite3_reset(self->find_batch);
    return ret;
}

static int put_rows(spot_sqlite_store_t *self, const spot_piece_t *piece)
{
    const int64_t offset = piece->first_replication % spot_study_batch_size(self->base.head);
    const int64_t batch_first = piece->first_replication - offset;
    spot_sqlite_batch_t batch;
    int ret = sqlite_find_batch(self, piece->point_id, batch_first, &batch);

    if (ret == 0 && batch.num_rows < offset) {
        return SPOT_ERR_BAD_PARAM; /* a gap */
    }
    if (ret == 0 && batch.num_rows < offset + (int64_t) piece->num_rows) {
        ret = add_rows(self, piece, batch_first, &batch);
    }
    return end_in_time(self, ret);
}

/* Parts of the interface. */
static int sqlite_put(spot_store_t *store, const spot_piece_t *piece)
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

static int sqlite_put_series(
    spot_store_t *store, size_t point_id, int64_t replication, const spot_recording_t *recording)
{
    return put(store, point_id, replication, recording, 0, NULL);
}

static int sqlite_put_break_evens(
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

/* Readies the store for writing; and its end, with what is noted of it: outcome as in
 * spot_store_t. */
static int sqlite_start_writing(spot_sqlite_store_t *self, double timeout_s)
{
    int ret;

    self->timeout_s = timeout_s;
    sqlite3_busy_handler(self->db.handle, wait_for_lock, self);
    ret = spot_db_prepare(&self->db, &self->insert_batch,
        "INSERT OR REPLACE INTO batch VALUES (?, ?, ?, ?%z)",
        spot_schema_places(&self->db, self->base.head->num_warnings));
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

static void sqlite_stop_writing(spot_sqlite_store_t *self)
{
    char text[200];

    if (self->insert_row != NULL) { /* it has begun */
        if (self->error == 0) {
            (void) end(self, 0);
        }
        if (self->error != 0) { /* whatever it waited for, it waited once */
            sqlite3_busy_timeout(self->db.handle, 0);
        }
        /* An error here is not reported; no row is lost by it. */
        if (spot_db_run(&self->db, "BEGIN IMMEDIATE") != 0 ||
            spot_db_end(&self->db, note(self, NOW, describe_end(self, text))) != 0) {
            spot_db_forget(&self->db);
        }
    }
    sqlite3_finalize(self->insert_batch);
    sqlite3_finalize(self->insert_rows);
    sqlite3_finalize(self->insert_row);
}

/* ---- The store ---- */

/* How long to wait for others' locks: to open, and to write once work is at stake. */
#define OPEN_TIMEOUT_MS 10000
#define WRITE_TIMEOUT_MS 120000

/* Of rows that are kept in memory too. */
#define COPY_BYTES (16 << 20)

/* Of the tables point and replication, beside those of swept keys and of metrics. */
#define NUM_OWN_COLUMNS 3

static int sqlite_flush(spot_store_t *store, spot_diag_t *diag)
{
    spot_sqlite_store_t *self = spot_sqlite_store(store);
    int ret = self->is_writer ? write_pending(self) : 0;

    if (ret == 0 && self->is_writer) {
        ret = spot_db_check_place(&self->reader); /* the writer may be using its own */
    }
    spot_db_explain(&self->db, diag);
    spot_db_explain(&self->reader, diag);
    ret = ret == 0 ? spot_db_error(&self->db) : ret; /* what was looked up */
    return ret == 0 ? spot_db_error(&self->reader) : ret;
}

/* 0 where that fails, and flush() says why. */
static int64_t sqlite_num_there(
    const spot_store_t *store, size_t point_id, int64_t first_replication)
{
    spot_sqlite_store_t *self = spot_sqlite_store(store);
    spot_sqlite_batch_t batch;
    int ret;

    spot_bug_assert(point_id < store->head->num_points);
    pthread_mutex_lock(&self->lock);
    ret = sqlite_find_batch(self, point_id, first_replication, &batch);
    pthread_mutex_unlock(&self->lock);
    return ret == 0 ? batch.num_rows : 0;
}

static void sqlite_close(spot_store_t *store)
{
    spot_sqlite_store_t *self = spot_sqlite_store(store);

    spot_row_reader_close(self->row_reader);
    sqlite_stop_writing(self);
    if (self->copy != NULL) {
        self->copy->close(self->copy);
    }
    sqlite3_finalize(self->find_batch);
    spot_db_close(&self->reader);
    spot_db_close(&self->db);
    pthread_mutex_destroy(&self->lock);
    free(self->numbers);
    free(self->point_ids);
    free(store->counts);
    free(store->break_evens);
    spot_columns_free(&self->columns);
    spot_stored_study_free(&self->study);
    free(self);
}

/* A store that is not open yet. NULL: no memory. */
static spot_sqlite_store_t *new_store(void)
{
    spot_sqlite_store_t *self = spot_calloc(1, sizeof(*self));

    if (self != NULL) {
        pthread_mutex_init(&self->lock, NULL);
        self->base = (spot_store_t){.put = sqlite_put,
            .flush = sqlite_flush,
            .num_there = sqlite_num_there,
            .read = spot_sqlite_read,
            .num_rows = spot_store_num_rows,
            .num_warned = spot_store_num_warned,
            .read_origin = spot_sqlite_read_origin,
            .put_series = sqlite_put_series,
            .put_break_evens = sqlite_put_break_evens,
            .close = sqlite_close};
    }
    return self;
}

/* Without memory for a copy rows are read from the file each time. */
static void open_copy(spot_sqlite_store_t *self, const spot_study_head_t *head)
{
    const double row_bytes = (double) (head->num_metrics + 1) * sizeof(double);
    const double num_rows = (double) head->num_points * (double) head->num_replications;

    if (num_rows > 0 && num_rows * row_bytes <= COPY_BYTES) {
        (void) !spot_store_open_memory(&self->copy, head);
    }
}

/* What of the head everything else hangs on. */
static int set_head(spot_sqlite_store_t *self, const spot_study_head_t *head)
{
    int ret = spot_columns_init(&self->columns, head);

    self->base.head = head;
    open_copy(self, head);
    self->numbers = spot_calloc(head->num_points, sizeof(*self->numbers));
    self->point_ids = spot_calloc(head->num_points, sizeof(*self->point_ids));
    self->base.counts =
        spot_calloc(head->num_points * (head->num_warnings + 1), sizeof(*self->base.counts));
    return ret == 0 &&
                   (self->numbers == NULL || self->point_ids == NULL || self->base.counts == NULL)
               ? SPOT_ERR_NO_MEMORY
               : ret;
}

/* The points by their numbers. */
static int number_points(spot_sqlite_store_t *self, spot_db_t *db)
{
    const size_t num_points = self->base.head->num_points;

    for (size_t j = 0; j < num_points; j++) {
        self->point_ids[j] = num_points;
    }
    for (size_t j = 0; j < num_points; j++) {
        const uint32_t number = self->numbers[j];

        if (number >= num_points || self->point_ids[number] != num_points) {
            return spot_db_damaged(db, "points are not numbered from 0 on");
        }
        self->point_ids[number] = j;
    }
    return 0;
}

/* With the numbers of the points, what is there of them, and what looks up batches. */
static int start_looking(spot_sqlite_store_t *self)
{
    spot_db_t *db = spot_sqlite_db(self);
    int ret = number_points(self, db);

    ret = ret == 0 ? sqlite_check_batches(self, db) : ret;
    ret = ret == 0 ? spot_sqlite_break_evens_read(self, db) : ret;
    if (ret == 0) {
        ret = spot_db_prepare(db, &self->find_batch,
            "SELECT " SPOT_SQLITE_BATCH_COLUMNS " FROM batch WHERE point = ? AND first = ?",
            spot_column_names_sql(&self->columns.warnings, db, ", ", ""));
    }
    return ret;
}

/* Reads the study of the file, which must be the one that is to go on; points aside.
 * Rows that are there are never thrown away. */
static int read_same_study(const spot_sqlite_store_t *self, spot_db_t *db,
    const spot_provenance_t *provenance, spot_stored_study_t *stored, spot_diag_t *diag)
{
    const size_t num_errors = diag->num_errors;
    int ret = spot_stored_study_read(stored, db);

    ret = ret == 0 ? sqlite_check_study(stored, db) : ret;
    ret = ret == 0 ? spot_stored_study_compare(
                         stored, self->base.head, provenance->canonical, db->path, diag)
                   : ret;
    if (ret == 0 && diag->num_errors > num_errors) {
        ret = spot_diag_error(diag, db->path, 0, 0,
            "holds another study than this one; use another file or delete this one");
    }
    if (ret == 0 && stored->head.num_replications > self->base.head->num_replications) {
        ret = spot_diag_error(diag, db->path, 0, 0,
            "replications were %" PRId64 ", are %" PRId64 "; ask for as many, or use another file",
            stored->head.num_replications, self->base.head->num_replications);
    }
    return ret;
}

/* The numbers of the points of a study that goes on; none may be missing. */
static int find_points(
    spot_sqlite_store_t *self, spot_db_t *db, const spot_stored_study_t *stored, spot_diag_t *diag)
{
    char *removed;
    int ret = spot_stored_points_find(stored, db, self->base.head, self->numbers, &removed);

    if (removed != NULL) {
        ret = spot_diag_error(diag, db->path, 0, 0,
            "the point %s was in the study, is not; points can be added but not "
            "removed: use another file or delete this one%s",
            removed,
            self->base.head->plan.kind == SPOT_PLAN_LATIN_HYPERCUBE
                ? " (a Latin hypercube does not grow: sobol does)"
                : "");
    }
    free(removed);
    return ret;
}

/* The store is there: refuses what may not change, and, as a writer, takes over what
 * may. */
static int follow_study(
    spot_sqlite_store_t *self, const spot_provenance_t *provenance, spot_diag_t *diag)
{
    spot_db_t *db = spot_sqlite_db(self);
    spot_stored_study_t stored;
    int ret = read_same_study(self, db, provenance, &stored, diag);

    ret = ret == 0 ? find_points(self, db, &stored, diag) : ret;
    if (ret == 0 && self->is_writer) {
        ret = spot_stored_study_join(&stored, provenance->canonical, db->path, diag);
        ret = ret == 0 ? spot_stored_study_write(db, self->base.head, &self->columns,
                             stored.canonical, stored.canonical_sha256, self->numbers)
                       : ret;
    }
    ret = ret == 0 ? spot_programs_check(db, provenance, diag) : ret;
    spot_stored_study_free(&stored);
    return ret;
}

/* Refuses more columns than a table of SQLite has. what: one for each of these. */
static int check_columns(
    const spot_db_t *db, size_t num_columns, const char *what, spot_diag_t *diag)
{
    const int most = sqlite3_limit(db->handle, SQLITE_LIMIT_COLUMN, -1) - NUM_OWN_COLUMNS;

    if (num_columns <= (size_t) most) {
        return 0;
    }
    return spot_diag_error(diag, db->path, 0, 0,
        "%zu %s do not fit: a table of SQLite has room for %d; ask for fewer, or write "
        "a CSV file (-o results.csv)",
        num_columns, what, most);
}

static int make_study(
    spot_sqlite_store_t *self, const spot_provenance_t *provenance, spot_diag_t *diag)
{
    const spot_columns_t *columns = &self->columns;
    int ret = check_columns(&self->db, columns->metrics.num + columns->derived.num,
        "metrics, with those that reports need,", diag);

    ret = ret == 0 ? check_columns(&self->db, columns->axes.num, "swept keys", diag) : ret;
    ret = ret == 0 ? spot_schema_create(&self->db, columns) : ret;
    for (size_t j = 0; j < self->base.head->num_points; j++) {
        self->numbers[j] = (uint32_t) j;
    }
    return ret == 0 ? spot_stored_study_write(&self->db, self->base.head, &self->columns,
                          provenance->canonical, provenance->canonical_sha256, self->numbers)
                    : ret;
}

/* Readies the file within one transaction: a new store is there whole or not at all. */
static int enter(spot_sqlite_store_t *self, const spot_provenance_t *provenance, spot_diag_t *diag)
{
    spot_schema_state_t state = SPOT_SCHEMA_NONE;
    int ret = spot_db_run(&self->db, "BEGIN IMMEDIATE");

    if (ret != 0) {
        return ret;
    }
    ret = spot_schema_look(&self->db, &state, diag); /* now that it stays so */
    if (ret == 0) {
        ret = state == SPOT_SCHEMA_OURS ? follow_study(self, provenance, diag)
                                        : make_study(self, provenance, diag);
    }
    ret = ret == 0 ? start_looking(self) : ret;
    ret = ret == 0 ? sqlite_enter(self, provenance) : ret;
    return spot_db_end(&self->db, ret);
}

/* Opens the file and sees that it may be written to as a store. */
static int open_for_writing(spot_sqlite_store_t *self, const char *path,
    const spot_sqlite_options_t *options, spot_diag_t *diag)
{
    spot_schema_state_t state;
    int ret = spot_db_open(&self->db, path, SPOT_DB_WRITE,
        options->timeout_ms > 0 ? options->timeout_ms : OPEN_TIMEOUT_MS);

    ret = ret == 0 ? spot_schema_look(&self->db, &state, diag) : ret;
    ret = ret == 0 ? spot_sqlite_claim(&self->db, diag) : ret;
    ret = ret == 0 ? spot_db_start_writing(&self->db) : ret;
    if (ret == 0 && options->max_pages > 0) {
        ret =
            spot_db_run(&self->db, "PRAGMA max_page_count = %lld", (long long) options->max_pages);
    }
    return ret;
}

/* Hands a store over, or says why it could not be opened. store: NULL: no memory. */
static int finish_opening(
    spot_store_t **self, spot_sqlite_store_t *store, int error, spot_diag_t *diag)
{
    *self = error == 0 ? &store->base : NULL;
    if (error != 0 && store != NULL) {
        error = spot_db_opening_error(spot_sqlite_db(store), error);
        spot_db_explain(&store->db, diag);
        spot_db_explain(&store->reader, diag);
        sqlite_close(&store->base);
    }
    return error;
}

int spot_store_open_sqlite_with(spot_store_t **self, const char *path,
    const spot_study_head_t *head, const spot_provenance_t *provenance,
    const spot_sqlite_options_t *options, spot_diag_t *diag)
{
    spot_sqlite_store_t *store = new_store();
    int ret = store == NULL ? SPOT_ERR_NO_MEMORY : set_head(store, head);

    if (ret == 0) {
        store->is_writer = true;
        ret = open_for_writing(store, path, options, diag);
    }
    ret = ret == 0 ? enter(store, provenance, diag) : ret;
    if (ret == 0) {
        ret = spot_db_open(&store->reader, path, SPOT_DB_BESIDE, WRITE_TIMEOUT_MS);
    }
    if (ret == 0) {
        ret = sqlite_start_writing(
            store, 1e-3 * (options->timeout_ms > 0 ? options->timeout_ms : WRITE_TIMEOUT_MS));
    }
    return finish_opening(self, store, ret, diag);
}

int spot_store_open_sqlite(spot_store_t **self, const char *path, const spot_study_head_t *head,
    const spot_provenance_t *provenance, spot_diag_t *diag)
{
    const spot_sqlite_options_t options = {0};

    return spot_store_open_sqlite_with(self, path, head, provenance, &options, diag);
}

/* Opens the file as of one moment, which all later reading is of too. */
static int open_as_of_now(
    spot_sqlite_store_t *self, const char *path, spot_schema_state_t *state, spot_diag_t *diag)
{
    int ret = spot_db_open(&self->reader, path, SPOT_DB_READ, OPEN_TIMEOUT_MS);

    ret = ret == 0 ? spot_db_run(&self->reader, "BEGIN") : ret;
    return ret == 0 ? spot_schema_look(&self->reader, state, diag) : ret;
}

static int open_for_reading(spot_sqlite_store_t *self, const char *path, spot_diag_t *diag)
{
    spot_schema_state_t state;
    int ret = open_as_of_now(self, path, &state, diag);

    if (ret == 0 && state == SPOT_SCHEMA_NONE) {
        ret = spot_diag_error(diag, path, 0, 0,
            "the database is empty: no study was run, or its task ended before it wrote "
            "anything; run it again");
    }
    ret = ret == 0 ? spot_stored_study_read(&self->study, &self->reader) : ret;
    ret = ret == 0 ? sqlite_check_study(&self->study, &self->reader) : ret;
    ret = ret == 0 ? set_head(self, &self->study.head) : ret;
    if (ret == 0) {
        memcpy(self->numbers, self->study.numbers,
            self->base.head->num_points * sizeof(*self->numbers));
        ret = start_looking(self);
    }
    return ret;
}

int spot_store_open_sqlite_reader(spot_store_t **self, const char *path, spot_diag_t *diag)
{
    spot_sqlite_store_t *store = new_store();
    const int ret = store == NULL ? SPOT_ERR_NO_MEMORY : open_for_reading(store, path, diag);

    return finish_opening(self, store, ret, diag);
}

int spot_store_look_sqlite(spot_store_t **self, const char *path, const spot_study_head_t *head,
    const spot_provenance_t *provenance, spot_diag_t *diag)
{
    spot_sqlite_store_t *store = new_store();
    spot_schema_state_t state = SPOT_SCHEMA_NONE;
    int ret = store == NULL ? SPOT_ERR_NO_MEMORY : set_head(store, head);

    ret = ret == 0 ? open_as_of_now(store, path, &state, diag) : ret;
    if (ret == 0 && state == SPOT_SCHEMA_NONE) {
        *self = NULL;
        sqlite_close(&store->base);
        return 0;
    }
    ret = ret == 0 ? follow_study(store, provenance, diag) : ret;
    ret = ret == 0 ? start_looking(store) : ret;
    return finish_opening(self, store, ret, diag);
}
