/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading of the store on disk, row by row as SQLite finds them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/store/store_sqlite_internal.h"

/* Columns of the query for rows that are not metrics. */
#define FIRST_METRIC_COLUMN 2

int
spot_sqlite_prepare_rows(
    sqlite3_stmt **statement, spot_db_t *db, char *const *metrics, size_t num_metrics)
{
    sqlite3_str *sql = sqlite3_str_new(db->handle);

    sqlite3_str_appendall(sql, "SELECT replication, warnings");
    spot_schema_append(sql, ", ", metrics, num_metrics, "");
    sqlite3_str_appendall(sql, " FROM replication WHERE point = ? AND replication >= ? "
                               "AND replication < ? ORDER BY replication");
    return spot_schema_prepare(db, statement, sql);
}

/* Whether a query for rows gives just these metrics. */
static bool
gives_metrics(sqlite3_stmt *rows, char *const *metrics, size_t num_metrics)
{
    return (size_t) sqlite3_column_count(rows) == FIRST_METRIC_COLUMN + num_metrics &&
           strcmp(sqlite3_column_name(rows, FIRST_METRIC_COLUMN), metrics[0]) == 0;
}

/* The statement that lies ready, or one more: for other metrics, or if somebody is using
 * it, as a reader of one point may read another meanwhile. */
static int
take_rows(
    spot_sqlite_work_t *self, const spot_wanted_rows_t *wanted, sqlite3_stmt **rows)
{
    char *const *metrics = &self->columns.metrics[wanted->first_metric];

    *rows = atomic_exchange(&self->read_rows, NULL);
    if (*rows != NULL && !gives_metrics(*rows, metrics, wanted->num_metrics)) {
        sqlite3_finalize(*rows);
        *rows = NULL;
    }
    return *rows == NULL ? spot_sqlite_prepare_rows(
                               rows, &self->reader, metrics, wanted->num_metrics)
                         : 0;
}

static void
bind(const spot_sqlite_work_t *self, sqlite3_stmt *statement, size_t point_id,
    int64_t first)
{
    sqlite3_bind_int64(statement, 1, self->there.numbers[point_id]);
    sqlite3_bind_int64(statement, 2, first);
    sqlite3_bind_int64(statement, 3, self->head->num_replications);
}

static void
give_back(_Atomic(sqlite3_stmt *) *ready, sqlite3_stmt *statement)
{
    sqlite3_reset(statement);
    sqlite3_finalize(atomic_exchange(ready, statement));
}

/* metrics: [num_metrics] to work in. */
static int
hand_row(sqlite3_stmt *statement, size_t num_metrics, double *metrics,
    spot_row_function_t function, void *context)
{
    const spot_row_t row = {.replication = sqlite3_column_int64(statement, 0),
        .warnings = (uint32_t) sqlite3_column_int64(statement, 1),
        .metrics = metrics};

    for (size_t j = 0; j < num_metrics; j++) {
        const int column = (int) j + FIRST_METRIC_COLUMN;

        /* Null reads as 0; few others do, so that seldom is its type asked too. */
        metrics[j] = sqlite3_column_double(statement, column);
        if (metrics[j] == 0 && sqlite3_column_type(statement, column) == SQLITE_NULL) {
            metrics[j] = (double) NAN;
        }
    }
    return function(context, &row);
}

static bool
is_stopped(const spot_store_t *store)
{
    const atomic_int *stop = atomic_load(&store->stop);

    return stop != NULL && atomic_load(stop) != 0;
}

int
spot_sqlite_read_metrics(const spot_store_t *store, const spot_wanted_rows_t *wanted,
    spot_row_function_t function, void *context)
{
    spot_sqlite_work_t *self = spot_sqlite_work(store);
    double *metrics = spot_calloc(wanted->num_metrics, sizeof(*metrics));
    sqlite3_stmt *row = NULL;
    bool is_row = false;
    int ret = metrics == NULL ? SPOT_ERR_NO_MEMORY : 0;

    spot_bug_assert(
        wanted->point_id < self->head->num_points && wanted->first_replication >= 0 &&
        wanted->num_metrics > 0 &&
        wanted->first_metric + wanted->num_metrics <= self->head->num_metrics);
    if (ret == 0) {
        ret = take_rows(self, wanted, &row);
    }
    if (ret == 0) {
        bind(self, row, wanted->point_id, wanted->first_replication);
        ret = spot_db_step_row(&self->reader, row, &is_row);
    }
    while (ret == 0 && is_row) {
        ret = is_stopped(store)
                  ? SPOT_ERR_INTERRUPTED
                  : hand_row(row, wanted->num_metrics, metrics, function, context);
        if (ret == 0) {
            ret = spot_db_step_row(&self->reader, row, &is_row);
        }
    }
    if (row != NULL) {
        give_back(&self->read_rows, row);
    }
    free(metrics);
    return ret;
}

int
spot_sqlite_read(const spot_store_t *store, size_t point_id, int64_t first_replication,
    spot_row_function_t function, void *context)
{
    const spot_wanted_rows_t wanted = {.point_id = point_id,
        .first_replication = first_replication,
        .num_metrics = store->head->num_metrics};

    return spot_sqlite_read_metrics(store, &wanted, function, context);
}

/* Adds the counts that a query gives of points; its first parameter is the replications
 * asked for. */
static int
add_warned(spot_sqlite_work_t *self, sqlite3_str *sql, int64_t *warned)
{
    const size_t num_warnings = self->head->num_warnings;
    sqlite3_stmt *row;
    bool is_row = false;
    int ret = spot_schema_prepare(&self->reader, &row, sql);

    if (ret == 0) {
        sqlite3_bind_int64(row, 1, self->head->num_replications);
        ret = spot_db_step_row(&self->reader, row, &is_row);
    }
    while (ret == 0 && is_row) {
        const int64_t number = sqlite3_column_int64(row, 0);

        for (size_t j = 0;
             j < num_warnings && number >= 0 && (size_t) number < self->head->num_points;
             j++) {
            warned[self->there.point_ids[number] * num_warnings + j] +=
                sqlite3_column_int64(row, (int) j + 1);
        }
        ret = spot_db_step_row(&self->reader, row, &is_row);
    }
    sqlite3_finalize(row);
    return ret;
}

/* Of batches that have more replications than the study asks for, since another process
 * wants more: the rows that count. */
static int
count_cut(spot_sqlite_work_t *self, int64_t *warned)
{
    sqlite3_str *sql;
    sqlite3_int64 num_cut;
    const int ret = spot_db_integer(&self->reader, &num_cut,
        "SELECT count(*) FROM batch WHERE first < %lld AND first + replications > %lld",
        (long long) self->head->num_replications,
        (long long) self->head->num_replications);

    if (ret != 0 || num_cut == 0) {
        return ret;
    }
    sql = sqlite3_str_new(self->reader.handle);
    sqlite3_str_appendall(sql, "SELECT batch.point");
    for (size_t j = 0; j < self->head->num_warnings; j++) {
        sqlite3_str_appendf(sql, ", sum(replication.warnings >> %d & 1)", (int) j);
    }
    sqlite3_str_appendall(sql,
        " FROM batch JOIN replication ON replication.point = batch.point AND "
        "replication.replication >= first AND replication.replication < ?1 WHERE first "
        "< ?1 AND first + replications > ?1 GROUP BY batch.point");
    return add_warned(self, sql, warned);
}

/* How many replications of each point met each warning. */
static int
count_warned(spot_sqlite_work_t *self, int64_t *warned)
{
    sqlite3_str *sql = sqlite3_str_new(self->reader.handle);
    int ret;

    sqlite3_str_appendall(sql, "SELECT point");
    spot_schema_append(
        sql, ", sum(", self->columns.warnings, self->head->num_warnings, ")");
    sqlite3_str_appendall(
        sql, " FROM batch WHERE first + replications <= ?1 GROUP BY point");
    ret = add_warned(self, sql, warned);
    return ret == 0 ? count_cut(self, warned) : ret;
}

int64_t
spot_sqlite_num_warned(const spot_store_t *store, size_t point_id, size_t warning_id)
{
    spot_sqlite_work_t *self = spot_sqlite_work(store);
    const spot_study_head_t *head = self->head;
    int64_t num_warned = -1;
    int ret = 0;

    spot_bug_assert(point_id < head->num_points && warning_id < head->num_warnings);
    pthread_mutex_lock(&self->queue.lock);
    if (self->warned == NULL || self->warned_generation != self->generation) {
        free(self->warned);
        self->warned_generation = self->generation;
        self->warned =
            spot_calloc(head->num_points * head->num_warnings, sizeof(*self->warned));
        ret =
            self->warned == NULL ? SPOT_ERR_NO_MEMORY : count_warned(self, self->warned);
    }
    if (ret == 0) {
        num_warned = self->warned[point_id * head->num_warnings + warning_id];
    } else {
        free(self->warned);
        self->warned = NULL;
    }
    pthread_mutex_unlock(&self->queue.lock);
    return num_warned;
}
