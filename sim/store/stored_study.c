/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nothing in the file is trusted: it may be damaged, or somebody else's idea of a store.
 */
#include "sim/store/stored_study.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static int
insert_study(spot_db_t *db, const spot_study_head_t *head, const char *canonical,
    const char *sha256)
{
    char *text = spot_stored_head_write(head);
    sqlite3_stmt *insert = NULL;
    int ret = text == NULL ? SPOT_ERR_NO_MEMORY
                           : spot_schema_prepare_insert(db, &insert, "", "study", 9);

    if (ret == 0) {
        const char *const texts[] = {head->name, head->question, head->engine};

        for (int j = 0; j < 3; j++) {
            sqlite3_bind_text(insert, j + 1, texts[j], -1, SQLITE_STATIC);
        }
        sqlite3_bind_int64(insert, 4, (int64_t) head->seed);
        sqlite3_bind_int64(insert, 5, head->num_replications);
        sqlite3_bind_text(insert, 6, canonical, -1, SQLITE_STATIC);
        sqlite3_bind_text(insert, 7, sha256, -1, SQLITE_STATIC);
        sqlite3_bind_text(insert, 8, text, -1, SQLITE_STATIC);
        sqlite3_bind_int64(insert, 9, 0);
        ret = spot_db_step_done(db, insert);
    }
    sqlite3_finalize(insert);
    free(text);
    return ret;
}

static int
insert_axes(spot_db_t *db, const spot_study_head_t *head)
{
    sqlite3_stmt *insert;
    int ret = spot_schema_prepare_insert(db, &insert, "", "axis", 6);

    for (size_t j = 0; j < head->num_axes; j++) {
        const spot_axis_t *axis = &head->axes[j];

        for (size_t k = 0; ret == 0 && k < axis->num_values; k++) {
            sqlite3_bind_int64(insert, 1, (int64_t) j);
            sqlite3_bind_int64(insert, 2, (int64_t) k);
            sqlite3_bind_text(insert, 3, axis->path, -1, SQLITE_STATIC);
            sqlite3_bind_text(insert, 4, axis->unit, -1, SQLITE_STATIC);
            sqlite3_bind_text(insert, 5, axis->texts[k], -1, SQLITE_STATIC);
            sqlite3_bind_double(insert, 6, axis->numbers[k]); /* NAN becomes null */
            ret = spot_db_step_done(db, insert);
        }
    }
    sqlite3_finalize(insert);
    return ret;
}

int
spot_stored_study_write(spot_db_t *db, const spot_study_head_t *head,
    const spot_columns_t *columns, const char *canonical, const char *sha256,
    const int64_t *numbers)
{
    int ret = spot_db_run(db, "DELETE FROM study; DELETE FROM axis");

    if (ret == 0) {
        ret = insert_study(db, head, canonical, sha256);
    }
    if (ret == 0) {
        ret = insert_axes(db, head);
    }
    if (ret == 0) {
        ret = spot_stored_points_write(db, head, columns, numbers);
    }
    return ret == 0 ? spot_db_run(db, "UPDATE study SET digest = " SPOT_STUDY_DIGEST)
                    : ret;
}

/* The head's axes while they are read. */
typedef struct {
    spot_study_head_t *head;
    size_t max_axes;
    size_t max_values; /* of the last axis */
} axis_reader_t;

static int
start_axis(axis_reader_t *self, sqlite3_stmt *row)
{
    spot_study_head_t *head = self->head;
    int error = spot_array_reserve(
        (void **) &head->axes, &self->max_axes, head->num_axes + 1, sizeof(*head->axes));

    if (error == 0) {
        spot_axis_t *axis = &head->axes[head->num_axes++];

        *axis = (spot_axis_t){.path = spot_db_text(row, 2, &error)};
        axis->unit = spot_db_text(row, 3, &error);
        self->max_values = 0;
    }
    return error;
}

static int
add_value(axis_reader_t *self, sqlite3_stmt *row)
{
    spot_axis_t *axis = &self->head->axes[self->head->num_axes - 1];
    size_t max_numbers = self->max_values;
    int error = spot_array_reserve((void **) &axis->numbers, &max_numbers,
        axis->num_values + 1, sizeof(*axis->numbers));

    if (error == 0) {
        error = spot_array_reserve((void **) &axis->texts, &self->max_values,
            axis->num_values + 1, sizeof(*axis->texts));
    }
    if (error == 0) {
        axis->numbers[axis->num_values] = sqlite3_column_type(row, 5) == SQLITE_NULL
                                              ? (double) NAN
                                              : sqlite3_column_double(row, 5);
        axis->texts[axis->num_values++] = spot_db_text(row, 4, &error);
    }
    return error;
}

/* One value, of the last axis or of a new one. */
static int
read_value(axis_reader_t *self, spot_db_t *db, sqlite3_stmt *row)
{
    const spot_study_head_t *head = self->head;
    const sqlite3_int64 axis_id = sqlite3_column_int64(row, 0);
    const sqlite3_int64 value_id = sqlite3_column_int64(row, 1);

    if (axis_id == (sqlite3_int64) head->num_axes && value_id == 0) {
        const int ret = start_axis(self, row);

        return ret == 0 ? add_value(self, row) : ret;
    }
    if (axis_id + 1 != (sqlite3_int64) head->num_axes || axis_id < 0 ||
        value_id != (sqlite3_int64) head->axes[axis_id].num_values) {
        return spot_db_damaged(db, "values of axes are not consecutive");
    }
    return add_value(self, row);
}

static int
read_axes(spot_study_head_t *head, spot_db_t *db)
{
    axis_reader_t reader = {.head = head};
    sqlite3_stmt *row;
    int ret = spot_db_prepare(db, &row,
        "SELECT axis, value, path, unit, text, number FROM axis ORDER BY axis, value");

    while (spot_db_next_row(db, row, &ret)) {
        ret = read_value(&reader, db, row);
    }
    sqlite3_finalize(row);
    return ret;
}

/* The row of the study, once axes and points are there. */
static int
read_study(spot_stored_study_t *self, spot_db_t *db)
{
    spot_study_head_t *head = &self->head;
    sqlite3_stmt *row;
    int ret = spot_db_prepare(db, &row,
        "SELECT name, question, engine, seed, replications, canonical, "
        "canonical_sha256, head FROM study");

    if (spot_db_next_row(db, row, &ret)) {
        head->name = spot_db_text(row, 0, &ret);
        head->question = spot_db_text(row, 1, &ret);
        head->engine = spot_db_text(row, 2, &ret);
        head->seed = (uint64_t) sqlite3_column_int64(row, 3);
        head->num_replications = sqlite3_column_int64(row, 4);
        self->canonical = spot_db_text(row, 5, &ret);
        self->canonical_sha256 = spot_db_text(row, 6, &ret);
    }
    if (ret == 0) {
        ret =
            spot_stored_head_read(self, db, (const char *) sqlite3_column_text(row, 7));
    }
    sqlite3_finalize(row);
    return ret;
}

/* Whether the study and the provenance are as they were written. */
static int
check_digests(spot_db_t *db)
{
    sqlite3_int64 num_sound = 0, num_damaged = 0;
    int ret = spot_db_integer(
        db, &num_sound, "SELECT count(*) FROM study WHERE digest = " SPOT_STUDY_DIGEST);

    if (ret == 0 && num_sound != 1) {
        return spot_db_damaged(db, "the study in it is not as it was written");
    }
    if (ret == 0) {
        ret = spot_db_integer(db, &num_damaged,
            "SELECT count(*) FROM provenance WHERE digest IS "
            "NOT " SPOT_PROVENANCE_DIGEST);
    }
    return ret == 0 && num_damaged > 0
               ? spot_db_damaged(db, "its provenance is not as it was written")
               : ret;
}

int
spot_stored_study_read(spot_stored_study_t *self, spot_db_t *db)
{
    int ret;

    memset(self, 0, sizeof(*self));
    ret = check_digests(db);
    if (ret == 0) {
        ret = read_axes(&self->head, db);
    }
    if (ret == 0) {
        ret = spot_stored_points_read(self, db);
    }
    return ret == 0 ? read_study(self, db) : ret;
}

void
spot_stored_study_free(spot_stored_study_t *self)
{
    free((void *) (uintptr_t) self->head.warnings); /* borrowed wherever else */
    free((void *) (uintptr_t) self->head.colours);
    spot_study_head_free(&self->head);
    cJSON_Delete(self->tree);
    free(self->numbers);
    free(self->canonical);
    free(self->canonical_sha256);
    memset(self, 0, sizeof(*self));
}
