/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows go into the file at one place only. What the file has decides, so a row is never
 * there twice, whoever writes. */
#include "sim/store/store_sqlite_internal.h"

static int
prepare_find(spot_row_writer_t *self, spot_db_t *db)
{
    sqlite3_str *sql = sqlite3_str_new(db->handle);

    sqlite3_str_appendall(sql, "SELECT replications");
    spot_schema_append(
        sql, ", ", self->columns->warnings, self->columns->num_warnings, "");
    sqlite3_str_appendall(sql, " FROM batch WHERE point = ? AND first = ?");
    return spot_schema_prepare(db, &self->find_batch, sql);
}

static int
prepare_insert(spot_db_t *db, sqlite3_stmt **statement, const char *start,
    size_t num_parameters, const char *end)
{
    sqlite3_str *sql = sqlite3_str_new(db->handle);

    sqlite3_str_appendall(sql, start);
    for (size_t j = 0; j < num_parameters; j++) {
        sqlite3_str_appendall(sql, j == 0 ? "?" : ", ?");
    }
    sqlite3_str_appendall(sql, end);
    return spot_schema_prepare(db, statement, sql);
}

int
spot_row_writer_init(
    spot_row_writer_t *self, spot_db_t *db, const spot_columns_t *columns)
{
    int ret;

    *self = (spot_row_writer_t){.columns = columns};
    ret = prepare_find(self, db);
    if (ret == 0) {
        ret = prepare_insert(db, &self->insert_batch,
            "INSERT OR REPLACE INTO batch VALUES (NULL, ", columns->num_warnings + 3,
            ")");
    }
    return ret == 0
               ? prepare_insert(db, &self->insert_row,
                     "INSERT INTO replication VALUES (", columns->num_metrics + 3, ")")
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

/* What the file has of the batch; the statement stays at its row. */
static int
find(spot_row_writer_t *self, spot_db_t *db, int64_t number, int64_t batch_first,
    int64_t *num_there)
{
    bool is_there = false;
    int ret;

    sqlite3_bind_int64(self->find_batch, 1, number);
    sqlite3_bind_int64(self->find_batch, 2, batch_first);
    ret = spot_db_step_row(db, self->find_batch, &is_there);
    *num_there = is_there ? sqlite3_column_int64(self->find_batch, 0) : 0;
    return ret;
}

int
spot_row_writer_find(spot_row_writer_t *self, spot_db_t *db, int64_t number,
    int64_t batch_first, int64_t *num_there)
{
    const int ret = find(self, db, number, batch_first, num_there);

    sqlite3_reset(self->find_batch);
    return ret;
}

/* The same with how many of its replications met each warning. */
static int
find_batch(spot_row_writer_t *self, spot_db_t *db, const spot_rows_t *rows,
    int64_t *num_there, int64_t warned[SPOT_MAX_WARNINGS])
{
    const int ret = find(self, db, rows->number, rows->batch_first, num_there);

    for (size_t j = 0; j < self->columns->num_warnings; j++) {
        warned[j] =
            *num_there > 0 ? sqlite3_column_int64(self->find_batch, (int) j + 1) : 0;
    }
    sqlite3_reset(self->find_batch);
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
    const int64_t warned[SPOT_MAX_WARNINGS])
{
    const size_t num_warnings = self->columns->num_warnings;
    sqlite3_stmt *insert = self->insert_batch;

    sqlite3_bind_int64(insert, 1, rows->number);
    sqlite3_bind_int64(insert, 2, rows->batch_first);
    sqlite3_bind_int64(
        insert, 3, rows->first - rows->batch_first + (int64_t) rows->num_rows);
    for (size_t j = 0; j < num_warnings; j++) {
        sqlite3_bind_int64(insert, (int) j + 4, warned[j]);
    }
    return spot_db_step_done(db, insert);
}

int
spot_row_writer_add(
    spot_row_writer_t *self, spot_db_t *db, const spot_rows_t *rows, int64_t *num_added)
{
    const int64_t offset = rows->first - rows->batch_first;
    int64_t warned[SPOT_MAX_WARNINGS], num_there;
    size_t first_row;
    int ret = find_batch(self, db, rows, &num_there, warned);

    *num_added = 0;
    if (ret != 0 || num_there >= offset + (int64_t) rows->num_rows) {
        return ret;
    }
    if (num_there < offset) {
        return spot_db_damaged(db, "rows were deleted while they were added to");
    }
    *num_added = offset + (int64_t) rows->num_rows - num_there;
    first_row = (size_t) (num_there - offset);
    for (size_t j = first_row; ret == 0 && j < rows->num_rows; j++) {
        for (size_t k = 0; k < self->columns->num_warnings; k++) {
            warned[k] += rows->warnings[j] >> k & 1;
        }
        ret = insert_row(self, db, rows, j);
    }
    return ret == 0 ? insert_batch(self, db, rows, warned) : ret;
}
