/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/store/store_sqlite.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "sim/store/store_sqlite_internal.h"

/* How long to wait for others' locks: to open, and to write once work is at stake. */
#define OPEN_TIMEOUT_MS 10000
#define WRITE_TIMEOUT_MS 120000

static int
sqlite_flush(spot_store_t *store, spot_diag_t *diag)
{
    spot_sqlite_work_t *self = spot_sqlite_work(store);
    int ret = self->is_writer ? spot_sqlite_flush(self) : 0;

    if (ret == 0 && self->is_writer) {
        ret = spot_db_check_place(&self->reader); /* the writer may be using its own */
    }
    spot_db_explain(&self->db, diag);
    spot_db_explain(&self->reader, diag);
    if (ret == 0) { /* what was looked up */
        ret = spot_db_error(&self->db);
    }
    return ret == 0 ? spot_db_error(&self->reader) : ret;
}

/* 0 where that fails, and flush() says why. */
static int64_t
sqlite_num_there(const spot_store_t *store, size_t point_id, int64_t first_replication)
{
    spot_sqlite_work_t *self = spot_sqlite_work(store);
    int64_t num_there = 0;
    int ret = 0;

    spot_bug_assert(point_id < self->head->num_points);
    pthread_mutex_lock(&self->lock);
    sqlite3_bind_int64(self->find_batch, 1, self->numbers[point_id]);
    sqlite3_bind_int64(self->find_batch, 2, first_replication);
    if (spot_db_next_row(spot_sqlite_db(self), self->find_batch, &ret)) {
        num_there = sqlite3_column_int64(self->find_batch, 0);
    }
    sqlite3_reset(self->find_batch);
    pthread_mutex_unlock(&self->lock);
    return num_there;
}

static int64_t
get_count(const spot_store_t *store, size_t point_id, size_t count_id)
{
    spot_sqlite_work_t *self = spot_sqlite_work(store);
    int64_t count;

    spot_bug_assert(point_id < self->head->num_points);
    pthread_mutex_lock(&self->lock);
    count = spot_sqlite_counts(self, point_id)[count_id];
    pthread_mutex_unlock(&self->lock);
    return count;
}

static int64_t
sqlite_num_rows(const spot_store_t *store, size_t point_id)
{
    return get_count(store, point_id, 0);
}

static int64_t
sqlite_num_warned(const spot_store_t *store, size_t point_id, size_t warning_id)
{
    spot_bug_assert(warning_id < store->head->num_warnings);
    return get_count(store, point_id, warning_id + 1);
}

static void
close_work(spot_sqlite_work_t *self, const char *outcome)
{
    spot_row_reader_close(atomic_load(&self->row_reader));
    spot_sqlite_stop_writing(self, outcome);
    sqlite3_finalize(self->find_batch);
    spot_db_close(&self->reader);
    spot_db_close(&self->db);
    pthread_mutex_destroy(&self->lock);
    free(self->numbers);
    free(self->point_ids);
    free(self->counts);
    spot_columns_free(&self->columns);
    spot_stored_study_free(&self->study);
    free(self);
}

static void
sqlite_close(spot_store_t *store)
{
    close_work(spot_sqlite_work(store), store->outcome);
    free(store);
}

/* A store that is not open yet. NULL: no memory. */
static spot_sqlite_store_t *
new_store(void)
{
    spot_sqlite_store_t *store = spot_calloc(1, sizeof(*store));
    spot_sqlite_work_t *work = spot_calloc(1, sizeof(*work));

    if (store == NULL || work == NULL) {
        free(store);
        free(work);
        return NULL;
    }
    pthread_mutex_init(&work->lock, NULL);
    store->work = work;
    store->base = (spot_store_t){.put = spot_sqlite_put,
        .flush = sqlite_flush,
        .num_there = sqlite_num_there,
        .read = spot_sqlite_read,
        .num_rows = sqlite_num_rows,
        .num_warned = sqlite_num_warned,
        .read_origin = spot_sqlite_read_origin,
        .put_series = spot_sqlite_put_series,
        .close = sqlite_close};
    return store;
}

/* What of the head everything else hangs on. */
static int
set_head(spot_sqlite_store_t *store, const spot_study_head_t *head)
{
    spot_sqlite_work_t *work = store->work;
    int ret;

    store->base.head = head;
    work->head = head;
    ret = spot_columns_init(&work->columns, head);
    work->numbers = spot_calloc(head->num_points, sizeof(*work->numbers));
    work->point_ids = spot_calloc(head->num_points, sizeof(*work->point_ids));
    work->counts =
        spot_calloc(head->num_points * (head->num_warnings + 1), sizeof(*work->counts));
    return ret == 0 && (work->numbers == NULL || work->point_ids == NULL ||
                           work->counts == NULL)
               ? SPOT_ERR_NO_MEMORY
               : ret;
}

/* The points by their numbers. */
static int
number_points(spot_sqlite_work_t *self, spot_db_t *db)
{
    const size_t num_points = self->head->num_points;

    for (size_t j = 0; j < num_points; j++) {
        self->point_ids[j] = num_points;
    }
    for (size_t j = 0; j < num_points; j++) {
        const int64_t number = self->numbers[j];

        if (number < 0 || (size_t) number >= num_points ||
            self->point_ids[number] != num_points) {
            return spot_db_damaged(db, "points are not numbered from 0 on");
        }
        self->point_ids[number] = j;
    }
    return 0;
}

/* The replications of each point, and how many of them met each warning. */
static int
read_counts(spot_sqlite_work_t *self, spot_db_t *db)
{
    sqlite3_stmt *row;
    int ret = spot_db_prepare(db, &row,
        "SELECT point, sum(replications)%z FROM batch GROUP BY point",
        spot_column_names_sql(&self->columns.warnings, db, ", sum(", ")"));

    while (spot_db_next_row(db, row, &ret)) {
        const sqlite3_int64 number = sqlite3_column_int64(row, 0);

        if (number < 0 || (size_t) number >= self->head->num_points) {
            ret = spot_db_damaged(db, "batches are of a point that is none");
        }
        for (size_t j = 0; ret == 0 && j <= self->head->num_warnings; j++) {
            spot_sqlite_counts(self, self->point_ids[number])[j] =
                sqlite3_column_int64(row, (int) j + 1);
        }
    }
    sqlite3_finalize(row);
    return ret;
}

/* With the numbers of the points, what is there of them, and what looks up batches. */
static int
start_looking(spot_sqlite_work_t *self)
{
    spot_db_t *db = spot_sqlite_db(self);
    int ret = number_points(self, db);

    ret = ret == 0 ? read_counts(self, db) : ret;
    if (ret == 0) {
        ret = spot_db_prepare(db, &self->find_batch,
            "SELECT replications, digest%z FROM batch WHERE point = ? AND first = ?",
            spot_column_names_sql(&self->columns.warnings, db, ", ", ""));
    }
    return ret;
}

/* Reads the study of the file, which must be the one that is to go on; points aside.
 * Rows that are there are never thrown away. */
static int
read_same_study(const spot_sqlite_work_t *self, spot_db_t *db,
    const spot_provenance_t *provenance, spot_stored_study_t *stored, spot_diag_t *diag)
{
    size_t num_lines = 0;
    int ret = spot_stored_study_read(stored, db);

    if (ret == 0) {
        ret = spot_stored_study_compare(
            stored, self->head, provenance->canonical, db->path, diag, &num_lines);
    }
    if (ret == 0 && num_lines > 0) {
        spot_diag_error(diag, db->path, 0, 0,
            "holds another study than this one; use another file or delete this one");
        ret = SPOT_ERR_BAD_INPUT;
    }
    if (ret == 0 && stored->head.num_replications > self->head->num_replications) {
        spot_diag_error(diag, db->path, 0, 0,
            "replications were %" PRId64 ", are %" PRId64
            "; ask for as many, or use another file",
            stored->head.num_replications, self->head->num_replications);
        ret = SPOT_ERR_BAD_INPUT;
    }
    return ret;
}

/* removed: NULL for none. */
static int
refuse_removed(const spot_sqlite_work_t *self, const spot_db_t *db, const char *removed,
    spot_diag_t *diag)
{
    if (removed == NULL) {
        return 0;
    }
    spot_diag_error(diag, db->path, 0, 0,
        "the point %s was in the study, is not; points can be added but not "
        "removed: use another file or delete this one%s",
        removed,
        self->head->plan.kind == SPOT_PLAN_LATIN_HYPERCUBE
            ? " (a Latin hypercube does not grow: sobol does)"
            : "");
    return SPOT_ERR_BAD_INPUT;
}

/* The numbers of the points of a study that goes on; none may be missing. */
static int
find_points(spot_sqlite_work_t *self, spot_db_t *db, const spot_stored_study_t *stored,
    spot_diag_t *diag)
{
    char *removed;
    int ret = spot_stored_points_find(stored, db, self->head, self->numbers, &removed);

    ret = ret == 0 ? refuse_removed(self, db, removed, diag) : ret;
    free(removed);
    return ret;
}

/* The store is there: takes over what may change, refuses what may not. */
static int
follow_study(
    spot_sqlite_work_t *self, const spot_provenance_t *provenance, spot_diag_t *diag)
{
    spot_stored_study_t stored;
    int ret = read_same_study(self, &self->db, provenance, &stored, diag);

    ret = ret == 0 ? find_points(self, &self->db, &stored, diag) : ret;
    if (ret == 0) {
        ret =
            spot_stored_study_join(&stored, provenance->canonical, self->db.path, diag);
    }
    if (ret == 0) {
        ret = spot_stored_study_write(&self->db, self->head, &self->columns,
            stored.canonical, stored.canonical_sha256, self->numbers);
    }
    ret = ret == 0 ? spot_programs_check(&self->db, provenance, diag) : ret;
    spot_stored_study_free(&stored);
    return ret;
}

static int
make_study(spot_sqlite_work_t *self, const spot_provenance_t *provenance)
{
    int ret = spot_schema_create(&self->db, &self->columns);

    for (size_t j = 0; j < self->head->num_points; j++) {
        self->numbers[j] = (int64_t) j;
    }
    return ret == 0
               ? spot_stored_study_write(&self->db, self->head, &self->columns,
                     provenance->canonical, provenance->canonical_sha256, self->numbers)
               : ret;
}

/* Readies the file within one transaction: a new store is there whole or not at all. */
static int
enter(spot_sqlite_store_t *store, const spot_provenance_t *provenance, spot_diag_t *diag)
{
    spot_sqlite_work_t *work = store->work;
    spot_schema_state_t state = SPOT_SCHEMA_NONE;
    int ret = spot_db_run(&work->db, "BEGIN IMMEDIATE");

    if (ret != 0) {
        return ret;
    }
    ret = spot_schema_look(&work->db, &state, diag); /* now that it stays so */
    if (ret == 0) {
        ret = state == SPOT_SCHEMA_OURS   ? follow_study(work, provenance, diag)
              : state == SPOT_SCHEMA_NONE ? make_study(work, provenance)
                                          : SPOT_ERR_BAD_INPUT;
    }
    ret = ret == 0 ? start_looking(work) : ret;
    ret = ret == 0 ? spot_sqlite_enter(work, provenance) : ret;
    return spot_db_end(&work->db, ret);
}

/* Opens the file and sees that it may be written to as a store. */
static int
open_for_writing(spot_sqlite_work_t *self, const char *path,
    const spot_sqlite_options_t *options, spot_diag_t *diag)
{
    spot_schema_state_t state = SPOT_SCHEMA_NONE;
    int ret = spot_db_open(&self->db, path, SPOT_DB_WRITE,
        options->timeout_ms > 0 ? options->timeout_ms : OPEN_TIMEOUT_MS);

    ret = ret == 0 ? spot_schema_look(&self->db, &state, diag) : ret;
    if (ret == 0 && state == SPOT_SCHEMA_OTHER) {
        ret = SPOT_ERR_BAD_INPUT;
    }
    ret = ret == 0 ? spot_sqlite_claim(&self->db, diag) : ret;
    ret = ret == 0 ? spot_db_start_writing(&self->db) : ret;
    if (ret == 0 && options->max_pages > 0) {
        ret = spot_db_run(
            &self->db, "PRAGMA max_page_count = %lld", (long long) options->max_pages);
    }
    return ret;
}

int
spot_store_open_sqlite_with(spot_store_t **self, const char *path,
    const spot_study_head_t *head, const spot_provenance_t *provenance,
    const spot_sqlite_options_t *options, spot_diag_t *diag)
{
    spot_sqlite_store_t *store = new_store();
    spot_sqlite_work_t *work;
    int ret;

    *self = NULL;
    if (store == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    work = store->work;
    work->is_writer = true;
    ret = set_head(store, head);
    ret = ret == 0 ? open_for_writing(work, path, options, diag) : ret;
    ret = ret == 0 ? enter(store, provenance, diag) : ret;
    if (ret == 0) {
        ret = spot_db_open(&work->reader, path, SPOT_DB_READ_SHARED, WRITE_TIMEOUT_MS);
    }
    if (ret == 0) {
        ret = spot_sqlite_start_writing(work, &store->base,
            1e-3 * (options->timeout_ms > 0 ? options->timeout_ms : WRITE_TIMEOUT_MS));
    }
    if (ret != 0) {
        ret = spot_db_opening_error(&work->db, ret);
        spot_db_explain(&work->db, diag);
        spot_db_explain(&work->reader, diag);
        sqlite_close(&store->base);
        return ret;
    }
    *self = &store->base;
    return 0;
}

int
spot_store_open_sqlite(spot_store_t **self, const char *path,
    const spot_study_head_t *head, const spot_provenance_t *provenance,
    spot_diag_t *diag)
{
    const spot_sqlite_options_t options = {0};

    return spot_store_open_sqlite_with(self, path, head, provenance, &options, diag);
}

/* Opens the file as of one moment, which all later reading is of too. *state: NONE or
 * OURS. */
static int
open_as_of_now(spot_sqlite_work_t *self, const char *path, spot_schema_state_t *state,
    spot_diag_t *diag)
{
    int ret = spot_db_open(&self->reader, path, SPOT_DB_READ, OPEN_TIMEOUT_MS);

    ret = ret == 0 ? spot_db_run(&self->reader, "BEGIN") : ret;
    ret = ret == 0 ? spot_schema_look(&self->reader, state, diag) : ret;
    return ret == 0 && *state == SPOT_SCHEMA_OTHER ? SPOT_ERR_BAD_INPUT : ret;
}

static int
open_for_reading(spot_sqlite_store_t *store, const char *path, spot_diag_t *diag)
{
    spot_sqlite_work_t *work = store->work;
    spot_schema_state_t state = SPOT_SCHEMA_NONE;
    int ret = open_as_of_now(work, path, &state, diag);

    if (ret == 0 && state == SPOT_SCHEMA_NONE) {
        spot_diag_error(diag, path, 0, 0,
            "the database is empty: no study was run, or its task ended before it wrote "
            "anything; run it again");
        ret = SPOT_ERR_BAD_INPUT;
    }
    ret = ret == 0 ? spot_stored_study_read(&work->study, &work->reader) : ret;
    return ret == 0 ? set_head(store, &work->study.head) : ret;
}

/* Hands a store that only reads over, or says why it could not be opened. */
static int
finish_opening_reader(
    spot_store_t **self, spot_sqlite_store_t *store, int error, spot_diag_t *diag)
{
    int ret = 0;

    if (error == 0) {
        *self = &store->base;
    } else {
        ret = spot_db_opening_error(&store->work->reader, error);
        spot_db_explain(&store->work->reader, diag);
        sqlite_close(&store->base);
    }
    return ret;
}

int
spot_store_open_sqlite_reader(spot_store_t **self, const char *path, spot_diag_t *diag)
{
    spot_sqlite_store_t *store = new_store();
    int ret;

    *self = NULL;
    if (store == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    ret = open_for_reading(store, path, diag);
    if (ret == 0) {
        memcpy(store->work->numbers, store->work->study.numbers,
            store->work->head->num_points * sizeof(*store->work->numbers));
        ret = start_looking(store->work);
    }
    return finish_opening_reader(self, store, ret, diag);
}

/* What of the study is there, of which the file knows some points only. */
static int
look_at_study(
    spot_sqlite_work_t *self, const spot_provenance_t *provenance, spot_diag_t *diag)
{
    spot_stored_study_t stored;
    int ret = read_same_study(self, &self->reader, provenance, &stored, diag);

    ret = ret == 0 ? find_points(self, &self->reader, &stored, diag) : ret;
    ret = ret == 0 ? spot_programs_check(&self->reader, provenance, diag) : ret;
    ret = ret == 0 ? start_looking(self) : ret;
    spot_stored_study_free(&stored);
    return ret;
}

int
spot_store_look_sqlite(spot_store_t **self, const char *path,
    const spot_study_head_t *head, const spot_provenance_t *provenance,
    spot_diag_t *diag)
{
    spot_sqlite_store_t *store = new_store();
    spot_schema_state_t state = SPOT_SCHEMA_NONE;
    int ret;

    *self = NULL;
    if (store == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    ret = set_head(store, head);
    ret = ret == 0 ? open_as_of_now(store->work, path, &state, diag) : ret;
    if (ret == 0 && state == SPOT_SCHEMA_NONE) {
        sqlite_close(&store->base);
        return 0;
    }
    ret = ret == 0 ? look_at_study(store->work, provenance, diag) : ret;
    return finish_opening_reader(self, store, ret, diag);
}
