/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows go into the file at one place only, each together with its batch. */
#include "sim/store/store_sqlite_internal.h"

static int
prepare_find(spot_row_writer_t *self, spot_db_t *db)
{
    sqlite3_str *sql = sqlite3_str_new(db->handle);

    sqlite3_str_appendall(sql, "SELECT replications");
    spot_schema_append(
        sql, ", ", self->columns->warnings, self->columns->num_warnings, "");
    sqlite3_str_appendall(sql, ", digest FROM batch WHERE point = ? AND first = ?");
    return spot_schema_prepare(db, &self->find_batch, sql);
}

int
spot_row_writer_init(
    spot_row_writer_t *self, spot_db_t *db, const spot_columns_t *columns)
{
    int ret;

    *self = (spot_row_writer_t){.columns = columns};
    ret = prepare_find(self, db);
    if (ret == 0) {
        ret = spot_schema_prepare_insert(
            db, &self->insert_batch, "OR REPLACE", "batch", columns->num_warnings + 4);
    }
    return ret == 0 ? spot_schema_prepare_insert(db, &self->insert_row, "",
                          "replication", columns->num_metrics + 3)
                    : ret;
}

void
spot_row_writer_free(spot_row_writer_t *self)
{
    sqlite3_finalize(self->find_batch);
    sqlite3_finalize(self->insert_batch);
    sqlite3_finalize(self->insert_row);
    *self = (spot_row_writer_t){0};
}

/* A batch as it stands in the file. */
typedef struct {
    int64_t num_there;
    int64_t warned[SPOT_MAX_WARNINGS];
    uint64_t digest;
} batch_t;

static int
find_batch(
    spot_row_writer_t *self, spot_db_t *db, const spot_rows_t *rows, batch_t *batch)
{
    sqlite3_stmt *find = self->find_batch;
    const int num_warnings = (int) self->columns->num_warnings;
    bool is_there = false;
    int ret;

    *batch = (batch_t){0};
    sqlite3_bind_int64(find, 1, rows->number);
    sqlite3_bind_int64(find, 2, rows->batch_first);
    ret = spot_db_step_row(db, find, &is_there);
    if (is_there) {
        batch->num_there = sqlite3_column_int64(find, 0);
        for (int j = 0; j < num_warnings; j++) {
            batch->warned[j] = sqlite3_column_int64(find, j + 1);
        }
        batch->digest = (uint64_t) sqlite3_column_int64(find, num_warnings + 1);
    }
    sqlite3_reset(find);
    return ret;
}

static int
insert_row(
    spot_row_writer_t *self, spot_db_t *db, const spot_rows_t *rows, size_t row_id)
{
    const size_t num_metrics = self->columns->num_metrics;
    const double *row = &rows->rows[row_id * num_metrics];
    sqlite3_stmt *insert = self->insert_row;

    sqlite3_bind_int64(insert, 1, rows->number);
    sqlite3_bind_int64(insert, 2, rows->first + (int64_t) row_id);
    for (size_t j = 0; j < num_metrics; j++) {
        sqlite3_bind_double(insert, (int) j + 3, row[j]); /* NAN becomes null */
    }
    sqlite3_bind_int64(insert, (int) num_metrics + 3, rows->warnings[row_id]);
    return spot_db_step_done(db, insert);
}

static int
insert_batch(spot_row_writer_t *self, spot_db_t *db, const spot_rows_t *rows,
    const batch_t *batch)
{
    const int num_warnings = (int) self->columns->num_warnings;
    sqlite3_stmt *insert = self->insert_batch;

    sqlite3_bind_int64(insert, 1, rows->number);
    sqlite3_bind_int64(insert, 2, rows->batch_first);
    sqlite3_bind_int64(insert, 3, batch->num_there);
    for (int j = 0; j < num_warnings; j++) {
        sqlite3_bind_int64(insert, j + 4, batch->warned[j]);
    }
    sqlite3_bind_int64(insert, num_warnings + 4, (sqlite3_int64) batch->digest);
    return spot_db_step_done(db, insert);
}

int
spot_row_writer_add(spot_row_writer_t *self, spot_db_t *db, const spot_rows_t *rows)
{
    const size_t num_metrics = self->columns->num_metrics;
    batch_t batch;
    int ret = find_batch(self, db, rows, &batch);

    if (ret == 0 && batch.num_there != rows->first - rows->batch_first) {
        ret = spot_db_damaged(db, "point %lld, batch %lld: has %lld rows, not %lld",
            rows->number, rows->batch_first, batch.num_there,
            rows->first - rows->batch_first);
    }
    for (size_t j = 0; ret == 0 && j < rows->num_rows; j++) {
        const uint32_t warnings = rows->warnings[j];

        for (size_t k = 0; k < self->columns->num_warnings; k++) {
            batch.warned[k] += warnings >> k & 1;
        }
        batch.digest = spot_digest_row(batch.digest, rows->first + (int64_t) j, warnings,
            num_metrics, &rows->rows[j * num_metrics]);
        ret = insert_row(self, db, rows, j);
    }
    batch.num_there += (int64_t) rows->num_rows;
    return ret == 0 ? insert_batch(self, db, rows, &batch) : ret;
}
