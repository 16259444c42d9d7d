/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The timelines of the store on disk. They pass through the queue like rows, as pieces
 * without any. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/store/store_sqlite_internal.h"
#include "sim/store/timeline_bytes.h"
#include "sim/store/timelines.h"

/* One that is larger does not wait in the queue with others. */
#define LARGE_BYTES (64 << 10)

int
spot_stored_timelines_create(spot_db_t *db)
{
    return spot_db_run(db,
        "CREATE TABLE IF NOT EXISTS timeline (point INTEGER NOT NULL, replication "
        "INTEGER NOT NULL, data BLOB NOT NULL, UNIQUE (point, replication)) STRICT");
}

int
spot_stored_timelines_prepare(spot_db_t *db, sqlite3_stmt **insert)
{
    return spot_db_prepare(
        db, insert, "INSERT OR IGNORE INTO timeline VALUES (?, ?, ?)");
}

int
spot_sqlite_put_timeline(spot_store_t *store, size_t point_id, int64_t replication,
    const spot_timeline_t *timeline)
{
    spot_sqlite_work_t *self = spot_sqlite_work(store);
    const spot_piece_t piece = {point_id, replication, 0, NULL, NULL};
    spot_bytes_t bytes = {0};
    int ret =
        self->has_writer ? spot_timeline_write_bytes(timeline, &bytes) : SPOT_ERR_STATE;
    const bool is_large = bytes.num_bytes > LARGE_BYTES;

    if (ret == 0) {
        pthread_mutex_lock(&self->queue.lock);
        ret = spot_queue_wait(&self->queue);
        if (ret == 0) {
            spot_queue_push(&self->queue, &piece, &bytes);
            ret = is_large ? spot_queue_drain(&self->queue) : 0;
        }
        pthread_mutex_unlock(&self->queue.lock);
        ret = ret == 0 ? 0 : SPOT_ERR_IO;
    }
    spot_bytes_free(&bytes);
    return ret;
}

/* Whether the file has the table: those that were written before lack it. */
static int
find_table(spot_db_t *db, bool *is_there)
{
    sqlite3_int64 num_tables = 0;
    const int ret = spot_db_integer(db, &num_tables,
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'timeline'");

    *is_there = num_tables > 0;
    return ret;
}

static int
compare_ids(const void *left, const void *right)
{
    const spot_timeline_id_t *a = left, *b = right;

    if (a->point_id != b->point_id) {
        return a->point_id < b->point_id ? -1 : 1;
    }
    return (a->replication > b->replication) - (a->replication < b->replication);
}

/* Those of points and replications that the study has; it may be a part of what is in
 * the file. */
static int
add_id(spot_timeline_list_t *list, const spot_sqlite_work_t *self, sqlite3_stmt *row)
{
    const int64_t number = sqlite3_column_int64(row, 0);
    const int64_t replication = sqlite3_column_int64(row, 1);
    int ret;

    if (number < 0 || (size_t) number >= self->head->num_points || replication < 0 ||
        replication >= self->head->num_replications) {
        return 0;
    }
    ret = spot_array_reserve(
        (void **) &list->ids, &list->max_ids, list->num_ids + 1, sizeof(*list->ids));
    if (ret == 0) {
        list->ids[list->num_ids++] =
            (spot_timeline_id_t){self->there.point_ids[number], replication};
    }
    return ret;
}

int
spot_sqlite_list_timelines(const spot_store_t *store, spot_timeline_list_t *list)
{
    spot_sqlite_work_t *self = spot_sqlite_work(store);
    sqlite3_stmt *row = NULL;
    bool is_there = false, is_row = false;
    int ret = find_table(&self->reader, &is_there);

    if (ret != 0 || !is_there) {
        return ret;
    }
    ret =
        spot_db_prepare(&self->reader, &row, "SELECT point, replication FROM timeline");
    if (ret == 0) {
        ret = spot_db_step_row(&self->reader, row, &is_row);
    }
    while (ret == 0 && is_row) {
        ret = add_id(list, self, row);
        if (ret == 0) {
            ret = spot_db_step_row(&self->reader, row, &is_row);
        }
    }
    sqlite3_finalize(row);
    if (list->num_ids > 0) {
        qsort(list->ids, list->num_ids, sizeof(*list->ids), compare_ids);
    }
    return ret;
}

static int
read_data(spot_sqlite_work_t *self, sqlite3_stmt *row, spot_timeline_t *timeline)
{
    const uint8_t *bytes = sqlite3_column_blob(row, 0);
    const int num_bytes = sqlite3_column_bytes(row, 0);
    const int ret = bytes == NULL
                        ? SPOT_ERR_BAD_INPUT
                        : spot_timeline_read_bytes(timeline, bytes, (size_t) num_bytes);

    timeline->colours = self->head->colours;
    return ret == SPOT_ERR_BAD_INPUT
               ? spot_db_damaged(&self->reader, "the timeline of a replication is none")
               : ret;
}

int
spot_sqlite_read_timeline(const spot_store_t *store, size_t point_id,
    int64_t replication, spot_timeline_t *timeline)
{
    spot_sqlite_work_t *self = spot_sqlite_work(store);
    sqlite3_stmt *row = NULL;
    bool is_there = false, is_row = false;
    int ret = find_table(&self->reader, &is_there);

    if (ret == 0 && is_there) {
        ret = spot_db_prepare(&self->reader, &row,
            "SELECT data FROM timeline WHERE point = %lld AND replication = %lld",
            (long long) self->there.numbers[point_id], (long long) replication);
    }
    if (ret == 0 && is_there) {
        ret = spot_db_step_row(&self->reader, row, &is_row);
    }
    if (ret == 0) {
        ret = is_row ? read_data(self, row, timeline) : SPOT_ERR_BAD_PARAM;
    }
    sqlite3_finalize(row);
    return ret;
}
