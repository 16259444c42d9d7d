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
    self->num_replications = head->num_replications;
    self->batch_size = spot_study_batch_size(head);
    self->numbers = spot_calloc(self->num_points, sizeof(*self->numbers));
    self->point_ids = spot_calloc(self->num_points, sizeof(*self->point_ids));
    self->counts = spot_calloc(self->num_points, sizeof(*self->counts));
    self->points = spot_calloc(self->num_points, sizeof(*self->points));
    return self->numbers == NULL || self->point_ids == NULL || self->counts == NULL ||
                   self->points == NULL
               ? SPOT_ERR_NO_MEMORY
               : 0;
}

void
spot_there_free(spot_there_t *self)
{
    free(self->numbers);
    free(self->point_ids);
    free(self->counts);
    for (size_t j = 0; self->points != NULL && j < self->num_points; j++) {
        free(self->points[j].there);
    }
    free(self->points);
    memset(self, 0, sizeof(*self));
}

int
spot_there_number(spot_there_t *self, spot_db_t *db)
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

int
spot_there_prepare(spot_db_t *db, sqlite3_stmt **newer)
{
    return spot_db_prepare(db, newer,
        "SELECT batch, point, first, replications FROM batch WHERE batch > ? ORDER BY "
        "batch");
}

/* The file may have more points and replications than this study knows of, if another
 * process has added to them since. */
static int
take_row(spot_there_t *self, spot_db_t *db, sqlite3_stmt *row)
{
    const int64_t number = sqlite3_column_int64(row, 1);
    const int64_t first = sqlite3_column_int64(row, 2);
    const int64_t num_there = sqlite3_column_int64(row, 3);

    if (number < 0 || first < 0 || first % self->batch_size != 0 || num_there < 1 ||
        num_there > self->batch_size) {
        return spot_db_damaged(db, "a batch is none");
    }
    if ((size_t) number < self->num_points && first < self->num_replications) {
        const int ret =
            spot_there_raise(self, self->point_ids[number], first, num_there);

        if (ret != 0) {
            return ret;
        }
    }
    self->last_batch = sqlite3_column_int64(row, 0);
    return 0;
}

int
spot_there_load(spot_there_t *self, spot_db_t *db, sqlite3_stmt *newer)
{
    bool is_row = false;
    int ret;

    sqlite3_bind_int64(newer, 1, self->last_batch);
    ret = spot_db_step_row(db, newer, &is_row);
    while (ret == 0 && is_row) {
        ret = take_row(self, db, newer);
        if (ret == 0) {
            ret = spot_db_step_row(db, newer, &is_row);
        }
    }
    sqlite3_reset(newer);
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
    const int64_t left = self->num_replications - first;
    const int ret = reserve(point, batch_id);

    num_there = num_there < left ? num_there : left;
    if (ret == 0 && num_there > point->there[batch_id]) {
        self->counts[point_id] += num_there - point->there[batch_id];
        point->there[batch_id] = (uint16_t) num_there;
    }
    return ret;
}
