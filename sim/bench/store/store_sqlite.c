/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/store/store_sqlite.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "sim/bench/store/store_sqlite_internal.h"

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
    int ret = self->is_writer ? spot_sqlite_flush(self) : 0;

    if (ret == 0 && self->is_writer) {
        ret = spot_db_check_place(&self->reader); /* the writer may be using its own */
    }
    spot_db_explain(&self->db, diag);
    spot_db_explain(&self->reader, diag);
    ret = ret == 0 ? spot_db_error(&self->db) : ret; /* what was looked up */
    return ret == 0 ? spot_db_error(&self->reader) : ret;
}

int spot_sqlite_find_batch(spot_sqlite_store_t *self, size_t point_id, int64_t first_replication,
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

/* 0 where that fails, and flush() says why. */
static int64_t sqlite_num_there(
    const spot_store_t *store, size_t point_id, int64_t first_replication)
{
    spot_sqlite_store_t *self = spot_sqlite_store(store);
    spot_sqlite_batch_t batch;
    int ret;

    spot_bug_assert(point_id < store->head->num_points);
    pthread_mutex_lock(&self->lock);
    ret = spot_sqlite_find_batch(self, point_id, first_replication, &batch);
    pthread_mutex_unlock(&self->lock);
    return ret == 0 ? batch.num_rows : 0;
}

static void sqlite_close(spot_store_t *store)
{
    spot_sqlite_store_t *self = spot_sqlite_store(store);

    spot_row_reader_close(self->row_reader);
    spot_sqlite_stop_writing(self);
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
        self->base = (spot_store_t){.put = spot_sqlite_put,
            .flush = sqlite_flush,
            .num_there = sqlite_num_there,
            .read = spot_sqlite_read,
            .num_rows = spot_store_num_rows,
            .num_warned = spot_store_num_warned,
            .read_origin = spot_sqlite_read_origin,
            .put_series = spot_sqlite_put_series,
            .put_break_evens = spot_sqlite_put_break_evens,
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

    ret = ret == 0 ? spot_sqlite_check_batches(self, db) : ret;
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

    ret = ret == 0 ? spot_sqlite_check_study(stored, db) : ret;
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
    ret = ret == 0 ? spot_sqlite_enter(self, provenance) : ret;
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
        ret = spot_sqlite_start_writing(
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
    ret = ret == 0 ? spot_sqlite_check_study(&self->study, &self->reader) : ret;
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
