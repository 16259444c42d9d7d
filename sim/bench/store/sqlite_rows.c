/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/store/sqlite_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "sim/bench/store/schema.h"

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

int spot_sqlite_say_batch(
    spot_sqlite_store_t *self, spot_db_t *db, size_t point_id, int64_t first, const char *why)
{
    char *key = spot_stored_point_key(self->base.head, point_id);
    const int ret = spot_db_damaged(db, "point %s, batch of replications from %lld on: %s",
        key == NULL ? "?" : key, (long long) first, why);

    sqlite3_free(key);
    self->is_damaged = true;
    return ret;
}

/* ---- Processes ---- */

#define CHANGED "-dirty" /* ends the name of a commit with changes on top of it */

/* Says which process writes to the file, as far as it noted it. */
static void say_taken(spot_db_t *db, spot_diag_t *diag)
{
    char machine[SPOT_UTF8_SHOWN_BYTES], command[SPOT_UTF8_SHOWN_BYTES];
    sqlite3_stmt *row;
    int ret = spot_db_prepare(db, &row,
        "SELECT process, machine, command_line FROM provenance WHERE ended IS NULL "
        "ORDER BY started DESC LIMIT 1");

    if (spot_db_next_row(db, row, &ret)) {
        spot_diag_error(diag, db->path, 0, 0,
            "process %lld on %s writes to it (%s); wait until it has ended, or run "
            "shards and merge them",
            (long long) sqlite3_column_int64(row, 0),
            spot_utf8_shown((const char *) sqlite3_column_text(row, 1), machine),
            spot_utf8_shown((const char *) sqlite3_column_text(row, 2), command));
    } else {
        spot_diag_error(diag, db->path, 0, 0,
            "another process is opening it; wait until it has ended, or run shards and "
            "merge them");
    }
    sqlite3_finalize(row);
    spot_db_forget(db);
}

int spot_sqlite_claim(spot_db_t *db, spot_diag_t *diag)
{
    bool is_taken;
    const int ret = spot_db_claim(db, &is_taken);

    if (ret != 0 || !is_taken) {
        return ret;
    }
    say_taken(db, diag);
    return SPOT_ERR_BAD_INPUT;
}

/* Two programs are one if their versions and commits are the same. Whether there were
 * changes that are in no commit makes no difference: most have nothing to do with the
 * numbers. */
int spot_programs_check(spot_db_t *db, const spot_provenance_t *provenance, spot_diag_t *diag)
{
    const bool is_ours = provenance != NULL;
    const int other = is_ours ? 2 : 0; /* the column that a message begins with */
    const char *texts[4];
    sqlite3_stmt *row;
    int ret = spot_db_prepare(db, &row,
        "WITH w AS (SELECT started, writer, version, commit_id, replace(commit_id, %Q, "
        "'') AS bare FROM provenance WHERE rows_added > 0), p AS (SELECT coalesce(%Q, "
        "version) AS version, coalesce(%Q, commit_id) AS commit_id FROM w ORDER BY "
        "started, writer LIMIT 1) SELECT p.version, p.commit_id, w.version, w.commit_id "
        "FROM p JOIN w ON w.version != p.version OR w.bare != replace(p.commit_id, %Q, "
        "'') ORDER BY w.started, w.writer LIMIT 1",
        CHANGED, is_ours ? provenance->version : NULL, is_ours ? provenance->commit : NULL,
        CHANGED);

    if (spot_db_next_row(db, row, &ret)) {
        for (int j = 0; j < 4; j++) {
            texts[j] = (const char *) sqlite3_column_text(row, (j + other) % 4);
        }
        spot_diag_warn(diag, db->path, 0, 0,
            "has rows of spotsim %s (%s)%s %s (%s): numbers may differ, so run all of a "
            "study with one program",
            texts[0], texts[1], is_ours ? "; this is" : " and of", texts[2], texts[3]);
    }
    sqlite3_finalize(row);
    return ret;
}

/* ---- Break-evens ---- */

/* The break-evens of a store on disk: written whole, and read when it is opened. */

/* Columns before the sides, and of a side. */
#define NUM_FIRST 8
#define NUM_OF_SIDE 4

static int insert(spot_db_t *db, sqlite3_stmt *statement, const spot_sqlite_store_t *self,
    const spot_break_even_t *item)
{
    int place = 1;

    sqlite3_bind_int64(statement, place++, self->numbers[item->best_id]);
    sqlite3_bind_int64(statement, place++, self->numbers[item->next_id]);
    sqlite3_bind_text(
        statement, place++, self->base.head->best.keys[item->key_id], -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, place++,
        self->base.head->metrics[self->base.head->best.metric_id].name, -1, SQLITE_STATIC);
    sqlite3_bind_int(statement, place++, self->base.head->best.is_maximised);
    sqlite3_bind_int64(statement, place++, item->num_pairs);
    sqlite3_bind_double(statement, place++, item->number);
    sqlite3_bind_text(statement, place++, item->unit, -1, SQLITE_STATIC);
    for (int j = 0; j < SPOT_NUM_BREAK_EVEN_SIDES; j++) { /* NAN becomes null */
        sqlite3_bind_double(statement, place++, item->sides[j].at);
        sqlite3_bind_double(statement, place++, item->sides[j].near);
        sqlite3_bind_double(statement, place++, item->sides[j].far);
        sqlite3_bind_double(statement, place++, item->sides[j].reach);
    }
    return spot_db_step_done(db, statement);
}

int spot_sqlite_break_evens_write(
    spot_sqlite_store_t *self, size_t num_items, const spot_break_even_t *items)
{
    spot_db_t *db = &self->db;
    sqlite3_stmt *statement = NULL;
    int ret = spot_db_run(db, "DELETE FROM break_even");

    ret = ret == 0
              ? spot_db_prepare(db, &statement, "INSERT INTO break_even VALUES (0%z)",
                    spot_schema_places(db, NUM_FIRST + NUM_OF_SIDE * SPOT_NUM_BREAK_EVEN_SIDES))
              : ret;
    for (size_t j = 0; ret == 0 && j < num_items; j++) {
        ret = insert(db, statement, self, &items[j]);
    }
    sqlite3_finalize(statement);
    return ret == 0
               ? spot_db_run(db, "UPDATE break_even SET digest = digest(" SPOT_BREAK_EVEN_COLUMNS
                                 ");" SPOT_TOTAL_BREAK_EVENS)
               : ret;
}

/* NAN for null. */
static double number_at(sqlite3_stmt *row, int column)
{
    return sqlite3_column_type(row, column) == SQLITE_NULL ? (double) NAN
                                                           : sqlite3_column_double(row, column);
}

/* The point with a number; num_points: there is none. */
static size_t point_at(const spot_sqlite_store_t *self, sqlite3_stmt *row, int column)
{
    const sqlite3_int64 number = sqlite3_column_int64(row, column);
    const size_t num_points = self->base.head->num_points;

    return number < 0 || (size_t) number >= num_points ? num_points : self->point_ids[number];
}

/* Returns false if the row is of a key, or of a best, that the study does not ask for
 * any more. */
static bool read_item(const spot_sqlite_store_t *self, sqlite3_stmt *row, spot_break_even_t *item)
{
    const spot_best_t *best = &self->base.head->best;
    const char *key = (const char *) sqlite3_column_text(row, 2);
    const char *metric = (const char *) sqlite3_column_text(row, 3);
    const char *unit = (const char *) sqlite3_column_text(row, 7);

    *item = (spot_break_even_t){.best_id = point_at(self, row, 0),
        .next_id = point_at(self, row, 1),
        .num_pairs = sqlite3_column_int64(row, 5),
        .number = number_at(row, 6)};
    while (item->key_id < best->num_keys && key != NULL &&
           strcmp(best->keys[item->key_id], key) != 0) {
        item->key_id++;
    }
    snprintf(item->unit, sizeof(item->unit), "%s", unit == NULL ? "" : unit);
    for (int j = 0; j < SPOT_NUM_BREAK_EVEN_SIDES; j++) {
        const int column = NUM_FIRST + NUM_OF_SIDE * j;

        item->sides[j] = (spot_break_even_side_t){number_at(row, column),
            number_at(row, column + 1), number_at(row, column + 2), number_at(row, column + 3)};
    }
    return key != NULL && item->key_id < best->num_keys && metric != NULL &&
           strcmp(metric, self->base.head->metrics[best->metric_id].name) == 0 &&
           sqlite3_column_int(row, 4) == best->is_maximised;
}

int spot_sqlite_break_evens_read(spot_sqlite_store_t *self, spot_db_t *db)
{
    const size_t num_points = self->base.head->num_points;
    spot_store_t *base = &self->base;
    size_t max_items = 0;
    sqlite3_stmt *row;
    int ret = spot_db_prepare(db, &row,
        "SELECT " SPOT_BREAK_EVEN_COLUMNS ", digest IS NOT digest(" SPOT_BREAK_EVEN_COLUMNS
        ") FROM break_even ORDER BY best, next, key");

    while (spot_db_next_row(db, row, &ret)) {
        const int last = NUM_FIRST + NUM_OF_SIDE * SPOT_NUM_BREAK_EVEN_SIDES;
        spot_break_even_t item;
        const bool is_asked = read_item(self, row, &item);

        if (sqlite3_column_int(row, last) != 0 || item.best_id >= num_points ||
            item.next_id >= num_points) {
            ret = spot_db_damaged(db, "break-evens are not those that were written");
        } else if (is_asked) {
            ret = spot_array_reserve(&base->break_evens, &max_items, base->num_break_evens + 1,
                sizeof(*base->break_evens));
            if (ret == 0) {
                base->break_evens[base->num_break_evens++] = item;
            }
        }
    }
    sqlite3_finalize(row);
    return ret;
}
