/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/store/there.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

int
spot_there_init(spot_there_t *self, const spot_study_head_t *head)
{
    memset(self, 0, sizeof(*self));
    self->num_points = head->num_points;
    self->num_warnings = head->num_warnings;
    self->num_replications = head->num_replications;
    self->batch_size = spot_study_batch_size(head);
    self->numbers = spot_calloc(self->num_points, sizeof(*self->numbers));
    self->point_ids = spot_calloc(self->num_points, sizeof(*self->point_ids));
    self->counts = spot_calloc(self->num_points, sizeof(*self->counts));
    self->points = spot_calloc(self->num_points, sizeof(*self->points));
    self->warned =
        spot_calloc(self->num_points * self->num_warnings, sizeof(*self->warned));
    return self->numbers == NULL || self->point_ids == NULL || self->counts == NULL ||
                   self->points == NULL || self->warned == NULL
               ? SPOT_ERR_NO_MEMORY
               : 0;
}

void
spot_there_free(spot_there_t *self)
{
    free(self->numbers);
    free(self->point_ids);
    free(self->counts);
    free(self->warned);
    for (size_t j = 0; self->points != NULL && j < self->num_points; j++) {
        free(self->points[j].there);
    }
    free(self->points);
    memset(self, 0, sizeof(*self));
}

static int
number_points(spot_there_t *self, spot_db_t *db)
{
    for (size_t j = 0; j < self->num_points; j++) {
        self->point_ids[j] = self->num_points;
    }
    for (size_t j = 0; j < self->num_points; j++) {
        const int64_t number = self->numbers[j];

        if (number < 0 || (size_t) number >= self->num_points ||
            self->point_ids[number] != self->num_points) {
            return spot_db_damaged(db, "points are not numbered from 0 on");
        }
        self->point_ids[number] = j;
    }
    return 0;
}

static int
take_batch(spot_there_t *self, spot_db_t *db, sqlite3_stmt *row)
{
    const int64_t number = sqlite3_column_int64(row, 0);
    const int64_t first = sqlite3_column_int64(row, 1);
    const int64_t num_there = sqlite3_column_int64(row, 2);
    size_t point_id;

    if (number < 0 || (size_t) number >= self->num_points ||
        first % self->batch_size != 0 || num_there < 1 || first < 0 ||
        !spot_there_fits(self, self->point_ids[number], first, (size_t) num_there)) {
        return spot_db_damaged(
            db, "point %lld, batch %lld: none of the study", number, first);
    }
    point_id = self->point_ids[number];
    for (size_t j = 0; j < self->num_warnings; j++) {
        self->warned[point_id * self->num_warnings + j] +=
            sqlite3_column_int64(row, (int) j + 3);
    }
    return spot_there_raise(self, point_id, first, num_there);
}

int
spot_there_load(spot_there_t *self, spot_db_t *db, const spot_columns_t *columns)
{
    sqlite3_str *sql = sqlite3_str_new(db->handle);
    sqlite3_stmt *row = NULL;
    bool is_row = false;
    int ret;

    sqlite3_str_appendall(sql, "SELECT point, first, replications");
    spot_schema_append(sql, ", ", columns->warnings, columns->num_warnings, "");
    sqlite3_str_appendall(sql, " FROM batch");
    ret = spot_schema_prepare(db, &row, sql);
    if (ret == 0) {
        ret = number_points(self, db);
    }
    if (ret == 0) {
        ret = spot_db_step_row(db, row, &is_row);
    }
    while (ret == 0 && is_row) {
        ret = take_batch(self, db, row);
        if (ret == 0) {
            ret = spot_db_step_row(db, row, &is_row);
        }
    }
    sqlite3_finalize(row);
    return ret;
}

bool
spot_there_fits(
    const spot_there_t *self, size_t point_id, int64_t first, size_t num_rows)
{
    return point_id < self->num_points && first >= 0 && num_rows >= 1 &&
           first < self->num_replications &&
           num_rows <= (size_t) (self->num_replications - first) &&
           num_rows <= (size_t) (self->batch_size - first % self->batch_size);
}

int64_t
spot_there_get(const spot_there_t *self, size_t point_id, int64_t first)
{
    const spot_there_point_t *point = &self->points[point_id];
    const size_t batch_id = (size_t) (first / self->batch_size);

    spot_bug_assert(point_id < self->num_points && first >= 0 &&
                    first < self->num_replications && first % self->batch_size == 0);
    return batch_id < point->max_batches ? point->there[batch_id] : 0;
}

/* Room for the batch, with nothing in what is new. */
static int
reserve(spot_there_point_t *point, size_t batch_id)
{
    const size_t num_before = point->max_batches;
    void *there = point->there;
    const int ret = spot_array_reserve(
        &there, &point->max_batches, batch_id + 1, sizeof(*point->there));

    point->there = there;
    if (point->max_batches > num_before) {
        memset(&point->there[num_before], 0,
            (point->max_batches - num_before) * sizeof(*point->there));
    }
    return ret;
}

int
spot_there_raise(spot_there_t *self, size_t point_id, int64_t first, int64_t num_there)
{
    spot_there_point_t *point = &self->points[point_id];
    const size_t batch_id = (size_t) (first / self->batch_size);
    const int ret = reserve(point, batch_id);

    if (ret == 0 && num_there > point->there[batch_id]) {
        self->counts[point_id] += num_there - point->there[batch_id];
        point->there[batch_id] = (uint16_t) num_there;
    }
    return ret;
}

void
spot_there_warn(
    spot_there_t *self, size_t point_id, size_t num_rows, const uint32_t *warnings)
{
    int64_t *warned = &self->warned[point_id * self->num_warnings];

    for (size_t j = 0; warnings != NULL && j < num_rows; j++) {
        for (size_t k = 0; warnings[j] >> k != 0 && k < self->num_warnings; k++) {
            warned[k] += warnings[j] >> k & 1;
        }
    }
}
