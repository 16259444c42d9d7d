/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/store/store_whole.h"

#include <stdio.h>
#include <string.h>

#include "base/watch.h"
#include "sim/bench/store/series_rows.h"
#include "sim/bench/store/sqlite_db.h"

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

void spot_sqlite_total_change(spot_sqlite_store_t *self, size_t point_id, int64_t first,
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

int spot_sqlite_total_write(spot_sqlite_store_t *self)
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

int spot_sqlite_total_make(spot_db_t *db, const spot_columns_t *columns)
{
    return spot_db_run(db,
        "UPDATE total SET (batches, replications, batch_digest) = (SELECT count(*), "
        "coalesce(sum(replications), 0), digest_rows(point, first, replications%z, digest) FROM "
        "batch);" SPOT_TOTAL_WRITERS ";" SPOT_TOTAL_BREAK_EVENS,
        spot_column_names_sql(&columns->warnings, db, ", ", ""));
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

int spot_sqlite_check_batches(spot_sqlite_store_t *self, spot_db_t *db)
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

int spot_sqlite_check_study(const spot_stored_study_t *stored, spot_db_t *db)
{
    spot_db_t model = {.claim = -1};
    int ret = make_model(&model, stored, db);

    ret = ret == 0 ? spot_schema_compare(db, &model) : ret;
    spot_db_close(&model);
    return ret == 0 ? spot_stored_points_check(stored, db) : ret;
}

/* ---- All of it ---- */

/* Sees whether these have no rows but those of the series of the list. BAD_INPUT. */
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
