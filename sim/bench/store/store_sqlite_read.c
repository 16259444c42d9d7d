/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading of the store on disk, batch by batch: rows are handed on once those of their
 * batch are known to be the ones that were written. Rows that this process has put, or
 * has read before, may come from a copy in memory. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/bench/store/store_sqlite_internal.h"

/* Columns of the query for rows that are not metrics. */
#define FIRST_METRIC_COLUMN 2

/* What reads the rows of one point after another. */
struct spot_row_reader {
    sqlite3_stmt *batches; /* of (point, first) */
    sqlite3_stmt *rows;    /* of (point, first) */
    double *metrics;       /* [batch size][num_metrics] */
    uint32_t *warnings;    /* [batch size] */
};

void spot_row_reader_close(spot_row_reader_t *self)
{
    if (self != NULL) {
        sqlite3_finalize(self->batches);
        sqlite3_finalize(self->rows);
        free(self->metrics);
        free(self->warnings);
        free(self);
    }
}

spot_sqlite_batch_t spot_sqlite_batch_read(
    const spot_study_head_t *head, sqlite3_stmt *row, int column)
{
    spot_sqlite_batch_t batch = {.num_rows = sqlite3_column_int64(row, column),
        .digest = (uint64_t) sqlite3_column_int64(row, column + 1)};

    for (int j = 0; j < (int) head->num_warnings; j++) {
        batch.warned[j] = sqlite3_column_int64(row, column + 2 + j);
    }
    return batch;
}

void spot_sqlite_batch_add(spot_sqlite_batch_t *self, const spot_study_head_t *head,
    int64_t replication, uint32_t warnings, const double *metrics)
{
    uint64_t digest = spot_digest_word(self->digest, (uint64_t) replication);

    digest = spot_digest_word(digest, warnings);
    for (size_t j = 0; j < head->num_metrics; j++) {
        if (head->metrics[j].numerator == NULL) {
            digest = spot_digest_number(digest, metrics[j]);
        }
    }
    self->digest = digest;
    self->num_rows++;
    for (size_t j = 0; j < head->num_warnings; j++) {
        self->warned[j] += warnings >> j & 1;
    }
}

/* Where rows are read: on the writer's connection as long as it is the only one. */
static spot_db_t *rows_db(spot_sqlite_store_t *store)
{
    return store->reader.handle == NULL ? &store->db : &store->reader;
}

/* Close *reader even after an error. */
static int open_reader(spot_row_reader_t **reader, spot_sqlite_store_t *store)
{
    const size_t size = (size_t) spot_study_batch_size(store->base.head);
    spot_db_t *db = rows_db(store);
    spot_row_reader_t *self = spot_calloc(1, sizeof(*self));
    int ret;

    *reader = self;
    if (self == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->metrics = spot_calloc(size * store->base.head->num_metrics, sizeof(*self->metrics));
    self->warnings = spot_calloc(size, sizeof(*self->warnings));
    if (self->metrics == NULL || self->warnings == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    ret = spot_db_prepare(db, &self->batches,
        "SELECT first, " SPOT_SQLITE_BATCH_COLUMNS
        " FROM batch WHERE point = ? AND first >= ? ORDER BY first",
        spot_column_names_sql(&store->columns.warnings, db, ", ", ""));
    return ret == 0 ? spot_db_prepare(db, &self->rows,
                          "SELECT replication, warnings%z FROM replication WHERE point "
                          "= ? AND replication >= ? ORDER BY replication",
                          spot_column_names_sql(&store->columns.metrics, db, ", ", ""))
                    : ret;
}

static double metric_of(sqlite3_stmt *row, int column)
{
    const double value = sqlite3_column_double(row, column);

    /* Null reads as 0; few others do, so that seldom is its type asked too. */
    return value == 0 && sqlite3_column_type(row, column) == SQLITE_NULL ? (double) NAN : value;
}

/* Reads the metrics that are kept, and derives the others. */
static void read_metrics(sqlite3_stmt *row, const spot_study_head_t *head, double *metrics)
{
    int column = FIRST_METRIC_COLUMN;

    for (size_t j = 0; j < head->num_metrics; j++) {
        if (head->metrics[j].numerator == NULL) {
            metrics[j] = metric_of(row, column++);
        }
    }
    spot_study_derive(head, metrics);
}

static int say_damaged(spot_sqlite_store_t *store, size_t point_id, int64_t first, const char *why)
{
    return spot_sqlite_say_batch(store, rows_db(store), point_id, first, why);
}

/* A row where none should be: its batch is lost, or it was added. */
static int say_stray(spot_sqlite_store_t *store, size_t point_id, int64_t replication)
{
    const int64_t size = spot_study_batch_size(store->base.head);

    return say_damaged(store, point_id,
        replication < 0 ? replication : replication - replication % size,
        "it is missing, rows of it are there");
}

/* The next row is not the one that the batch needs, or there is none. */
static int say_no_row(spot_row_reader_t *self, spot_sqlite_store_t *store, size_t point_id,
    int64_t first, int64_t replication)
{
    const int64_t found =
        sqlite3_data_count(self->rows) == 0 ? INT64_MAX : sqlite3_column_int64(self->rows, 0);

    return found < first         ? say_stray(store, point_id, found)
           : found < replication ? say_damaged(store, point_id, first, "rows are there twice")
                                 : say_damaged(store, point_id, first, "rows are missing");
}

/* Reads the rows of the batch that the query is at, and compares them with what the
 * batch says of them. */
static int read_batch(spot_row_reader_t *self, spot_sqlite_store_t *store, size_t point_id)
{
    const spot_study_head_t *head = store->base.head;
    const int64_t first = sqlite3_column_int64(self->batches, 0);
    const spot_sqlite_batch_t written = spot_sqlite_batch_read(head, self->batches, 1);
    spot_sqlite_batch_t batch = {.num_rows = 0};
    bool are_wide = false; /* warnings */
    int ret = 0;

    if (first % spot_study_batch_size(head) != 0 ||
        !spot_sqlite_fits(head, point_id, first, written.num_rows)) {
        return say_damaged(store, point_id, first, "it is none");
    }
    while (batch.num_rows < written.num_rows) {
        const int64_t replication = first + batch.num_rows;
        const size_t row_id = (size_t) batch.num_rows;
        double *metrics = &self->metrics[row_id * head->num_metrics];

        if (!spot_db_next_row(rows_db(store), self->rows, &ret) ||
            sqlite3_column_int64(self->rows, 0) != replication) {
            return ret != 0 ? ret : say_no_row(self, store, point_id, first, replication);
        }
        self->warnings[row_id] = (uint32_t) sqlite3_column_int64(self->rows, 1);
        are_wide |= sqlite3_column_int64(self->rows, 1) >> 32 != 0;
        read_metrics(self->rows, head, metrics);
        spot_sqlite_batch_add(&batch, head, replication, self->warnings[row_id], metrics);
    }
    return !are_wide && memcmp(&batch, &written, sizeof(batch)) == 0
               ? spot_sqlite_copy(store, &(spot_piece_t){point_id, first, (size_t) batch.num_rows,
                                             self->metrics, self->warnings})
               : say_damaged(store, point_id, first, "rows are not as they were written");
}

/* Hands on the rows of the batch from a replication on. */
static int hand_rows(const spot_row_reader_t *self, size_t num_metrics, int64_t first_replication,
    spot_row_function_t function, void *context)
{
    const int64_t first = sqlite3_column_int64(self->batches, 0);
    const int64_t num_rows = sqlite3_column_int64(self->batches, 1);
    int ret = 0;

    for (int64_t j = first_replication > first ? first_replication - first : 0;
         ret == 0 && j < num_rows; j++) {
        ret = function(context, &(spot_row_t){.replication = first + j,
                                    .metrics = &self->metrics[(size_t) j * num_metrics],
                                    .warnings = self->warnings[j]});
    }
    return ret;
}

static bool is_stopped(const spot_store_t *store)
{
    const atomic_int *stop = atomic_load(&store->stop);

    return stop != NULL && atomic_load(stop) != 0;
}

/* Whether the point has a row after those of its last batch, which has been read. */
static bool has_rest(spot_sqlite_store_t *store, const spot_row_reader_t *self)
{
    int ret = 0;

    return !spot_db_next_row(rows_db(store), self->batches, &ret) &&
           spot_db_next_row(rows_db(store), self->rows, &ret);
}

/* All batches of the point from the first one on; then no row may be left, and no batch be
 * missing that was there when the store was opened. A function that stops before the end is
 * told of no such row; later reads are. */
static int read_batches(spot_sqlite_store_t *store, spot_row_reader_t *self, size_t point_id,
    int64_t first_replication, spot_row_function_t function, void *context)
{
    int64_t num_rows = 0;
    int ret = 0;

    while (spot_db_next_row(rows_db(store), self->batches, &ret)) {
        num_rows += sqlite3_column_int64(self->batches, 1);
        ret = is_stopped(&store->base) ? SPOT_ERR_INTERRUPTED : read_batch(self, store, point_id);
        if (ret == 0) {
            ret = hand_rows(
                self, store->base.head->num_metrics, first_replication, function, context);
        }
    }
    if (ret > 0) {
        store->is_damaged = store->is_damaged || has_rest(store, self);
    } else if (spot_db_next_row(rows_db(store), self->rows, &ret)) {
        ret = say_stray(store, point_id, sqlite3_column_int64(self->rows, 0));
    } else if (ret == 0 && first_replication == 0 && !store->is_writer &&
               num_rows != spot_store_num_rows(&store->base, point_id)) {
        ret = say_damaged(store, point_id, 0, "it, or one after it, cannot be found");
    }
    return ret;
}

int spot_sqlite_read_file(spot_sqlite_store_t *store, size_t point_id, int64_t first_replication,
    spot_row_function_t function, void *context)
{
    const int64_t first =
        first_replication - first_replication % spot_study_batch_size(store->base.head);
    spot_row_reader_t *reader = store->row_reader;
    int ret;

    store->row_reader = NULL; /* in use: function may read another point meanwhile */
    ret = reader == NULL ? open_reader(&reader, store) : 0;
    if (ret == 0) {
        sqlite3_bind_int64(reader->batches, 1, store->numbers[point_id]);
        sqlite3_bind_int64(reader->batches, 2, first);
        sqlite3_bind_int64(reader->rows, 1, store->numbers[point_id]);
        sqlite3_bind_int64(reader->rows, 2, first == 0 ? INT64_MIN : first);
        ret = read_batches(store, reader, point_id, first_replication, function, context);
    }
    if (ret < 0 || store->row_reader != NULL) {
        spot_row_reader_close(reader);
    } else {
        sqlite3_reset(reader->batches);
        sqlite3_reset(reader->rows);
        store->row_reader = reader;
    }
    return ret;
}

/* Who reads from the copy, and may be stopped. */
typedef struct {
    const spot_store_t *store;
    spot_row_function_t function;
    void *context;
} listener_t;

static int hand_copied(void *context, const spot_row_t *row)
{
    const listener_t *self = context;

    return row->replication % spot_study_batch_size(self->store->head) == 0 &&
                   is_stopped(self->store)
               ? SPOT_ERR_INTERRUPTED
               : self->function(self->context, row);
}

int spot_sqlite_read(const spot_store_t *base, size_t point_id, int64_t first_replication,
    spot_row_function_t function, void *context)
{
    spot_sqlite_store_t *store = spot_sqlite_store(base);
    const spot_store_t *copy = store->copy;
    listener_t listener = {base, function, context};

    spot_bug_assert(point_id < base->head->num_points && first_replication >= 0);
    if (is_stopped(base)) {
        return SPOT_ERR_INTERRUPTED;
    }
    return copy != NULL && !store->is_damaged &&
                   spot_store_num_rows(copy, point_id) == spot_store_num_rows(base, point_id)
               ? copy->read(copy, point_id, first_replication, hand_copied, &listener)
               : spot_sqlite_read_file(store, point_id, first_replication, function, context);
}
