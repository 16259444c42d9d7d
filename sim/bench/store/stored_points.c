/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "sim/bench/store/stored_study.h"

/* The axis that comes after another in the order of paths, so that the order of the
 * sweep does not matter. previous: NULL: the first one. */
static size_t next_axis(const spot_study_head_t *head, const char *previous)
{
    size_t next_id = head->num_axes;

    for (size_t j = 0; j < head->num_axes; j++) {
        const char *path = head->axes[j].path;

        if ((previous == NULL || strcmp(path, previous) > 0) &&
            (next_id == head->num_axes || strcmp(path, head->axes[next_id].path) < 0)) {
            next_id = j;
        }
    }
    return next_id;
}

/* What ends a value has a \ before it. */
static void append_escaped(sqlite3_str *key, const char *text)
{
    for (; *text != '\0'; text++) {
        if (strchr("\\;=#", *text) != NULL) {
            sqlite3_str_appendchar(key, 1, '\\');
        }
        sqlite3_str_appendchar(key, 1, *text);
    }
}

/* Values that are the same number have the same text, the shortest one: "0.05", as most
 * users write it. */
char *spot_stored_point_key(const spot_study_head_t *head, size_t point_id)
{
    sqlite3_str *key = sqlite3_str_new(NULL);
    const char *path = NULL;

    for (size_t j = next_axis(head, path); j < head->num_axes; j = next_axis(head, path)) {
        const spot_axis_t *axis = &head->axes[j];
        const size_t value_id = spot_study_value_id(head, point_id, j);
        char number[SPOT_NUMBER_TEXT_BYTES];

        sqlite3_str_appendall(key, path == NULL ? "" : ";");
        path = axis->path;
        append_escaped(key, path);
        sqlite3_str_appendall(key, "=");
        if (isfinite(axis->numbers[value_id])) {
            spot_number_text(axis->numbers[value_id] + 0.0, number);
            sqlite3_str_appendall(key, number);
            append_escaped(key, axis->unit[0] == '\0' ? "" : " ");
            append_escaped(key, axis->unit);
        } else {
            append_escaped(key, axis->texts[value_id]);
        }
    }
    if (path == NULL) {
        sqlite3_str_appendall(key, "-"); /* a study without a sweep has one point */
    }
    return sqlite3_str_finish(key);
}

/* A key that another point of the study has already: "KEY#2", "KEY#3". */
static char *numbered_key(const char *key, unsigned number)
{
    return sqlite3_mprintf(number == 1 ? "%s" : "%s#%u", key, number);
}

/* Whether the column of a value has an integer. */
static bool is_whole(const spot_axis_t *axis, double number)
{
    return axis->unit[0] == '\0' && nearbyint(number) == number && fabs(number) <= 0x1p53;
}

static void bind_value(
    sqlite3_stmt *insert, int parameter, const spot_axis_t *axis, size_t value_id)
{
    const double number = axis->numbers[value_id];

    if (!isfinite(number)) {
        sqlite3_bind_text(insert, parameter, axis->texts[value_id], -1, SQLITE_STATIC);
    } else if (is_whole(axis, number)) {
        sqlite3_bind_int64(insert, parameter, (int64_t) number);
    } else {
        sqlite3_bind_double(insert, parameter, number);
    }
}

/* Inserts a point with the first of its keys that is free: points of a list may have the
 * same values. */
static int write_point(
    spot_db_t *db, sqlite3_stmt *insert, const spot_study_head_t *head, size_t point_id)
{
    char *key = spot_stored_point_key(head, point_id);
    bool is_inserted = false;
    int ret = key == NULL ? SPOT_ERR_NO_MEMORY : 0;

    sqlite3_bind_int64(insert, 2, (int64_t) point_id);
    for (size_t j = 0; j < head->num_axes; j++) {
        bind_value(insert, (int) j + 4, &head->axes[j], spot_study_value_id(head, point_id, j));
    }
    for (unsigned j = 1; ret == 0 && !is_inserted; j++) {
        char *numbered = numbered_key(key, j);

        sqlite3_bind_text(insert, 3, numbered, -1, SQLITE_STATIC);
        ret = numbered == NULL ? SPOT_ERR_NO_MEMORY : spot_db_step_done(db, insert);
        is_inserted = ret == 0 && sqlite3_changes(db->handle) == 1;
        sqlite3_free(numbered);
    }
    sqlite3_free(key);
    return ret;
}

int spot_stored_points_write(spot_db_t *db, const spot_study_head_t *head,
    const spot_columns_t *columns, const uint32_t *numbers)
{
    sqlite3_stmt *insert = NULL;
    int ret = spot_schema_create_points(db, columns);

    ret = ret == 0 ? spot_db_prepare(db, &insert, "INSERT OR IGNORE INTO point VALUES (?, ?, ?%z)",
                         spot_schema_places(db, head->num_axes))
                   : ret;
    for (size_t j = 0; ret == 0 && j < head->num_points; j++) {
        sqlite3_bind_int64(insert, 1, numbers[j]);
        ret = write_point(db, insert, head, j);
    }
    sqlite3_finalize(insert);
    return ret;
}

/* What finding the numbers of points needs. */
typedef struct {
    spot_db_t *db;
    sqlite3_stmt *find; /* the number of a key */
    bool *is_taken;     /* [number] */
    int64_t num_old;    /* points of the file, numbered from 0 on */
    int64_t num_points; /* the same with those that are new */
} finder_t;

/* Points of one key are the first, second ... of it. */
static int find_point(finder_t *self, const char *key, uint32_t *number)
{
    int64_t found = -1;
    bool is_free = false;
    int ret = key == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (unsigned j = 1; ret == 0 && !is_free; j++) {
        char *numbered = numbered_key(key, j);

        ret = numbered == NULL ? SPOT_ERR_NO_MEMORY : 0;
        sqlite3_bind_text(self->find, 1, numbered, -1, SQLITE_STATIC);
        if (!spot_db_next_row(self->db, self->find, &ret)) {
            found = self->num_points++; /* one more than the file has */
            is_free = true;
        } else {
            found = sqlite3_column_int64(self->find, 0);
            if (found < 0 || found >= self->num_old) {
                ret = spot_db_damaged(self->db, "points are not numbered from 0 on");
            } else {
                is_free = !self->is_taken[found];
                self->is_taken[found] = true;
            }
        }
        sqlite3_reset(self->find);
        sqlite3_free(numbered);
    }
    *number = (uint32_t) found;
    return ret;
}

/* Of the first point that is none of the study's, if there is one. */
static int find_removed(finder_t *self, char **removed)
{
    sqlite3_stmt *row = NULL;
    int64_t number = 0;
    int ret;

    while (number < self->num_old && self->is_taken[number]) {
        number++;
    }
    ret = spot_db_prepare(
        self->db, &row, "SELECT key FROM point WHERE point = %lld", (long long) number);
    if (spot_db_next_row(self->db, row, &ret)) {
        *removed = spot_db_text(row, 0, &ret);
    }
    sqlite3_finalize(row);
    return ret;
}

int spot_stored_points_find(const spot_stored_study_t *self, spot_db_t *db,
    const spot_study_head_t *head, uint32_t *numbers, char **removed)
{
    finder_t finder = {.db = db,
        .is_taken = spot_calloc(self->head.num_points, sizeof(bool)),
        .num_old = (int64_t) self->head.num_points,
        .num_points = (int64_t) self->head.num_points};
    int ret = finder.is_taken == NULL
                  ? SPOT_ERR_NO_MEMORY
                  : spot_db_prepare(db, &finder.find,
                        "SELECT p.point FROM point i CROSS JOIN point p ON p.point = i.point "
                        "AND p.key = ?1 WHERE i.key = ?1"); /* the index may be damaged */

    *removed = NULL;
    for (size_t j = 0; ret == 0 && j < head->num_points; j++) {
        char *key = spot_stored_point_key(head, j);

        ret = find_point(&finder, key, &numbers[j]);
        sqlite3_free(key);
    }
    sqlite3_finalize(finder.find);
    ret = ret == 0 ? find_removed(&finder, removed) : ret;
    free(finder.is_taken);
    return ret;
}

/* Whether a column has what bind_value() put there. */
static bool has_value(sqlite3_stmt *row, int column, const spot_axis_t *axis, size_t value_id)
{
    const double number = axis->numbers[value_id];
    const int type = sqlite3_column_type(row, column);

    if (!isfinite(number)) {
        const char *text = axis->texts[value_id];

        return type == SQLITE_TEXT &&
               strcmp((const char *) sqlite3_column_text(row, column), text) == 0 &&
               (size_t) sqlite3_column_bytes(row, column) == strlen(text);
    }
    return is_whole(axis, number)
               ? type == SQLITE_INTEGER && sqlite3_column_int64(row, column) == (int64_t) number
               : type == SQLITE_FLOAT && sqlite3_column_double(row, column) == number;
}

/* The point of a row, whose number is the next one: point, position, values. */
static int check_point(
    const spot_stored_study_t *self, spot_db_t *db, sqlite3_stmt *row, int64_t number)
{
    const spot_study_head_t *head = &self->head;
    const sqlite3_int64 position = sqlite3_column_int64(row, 1);

    if (sqlite3_column_int64(row, 0) != number || position < 0 ||
        (size_t) position >= head->num_points || self->numbers[position] != number) {
        return spot_db_damaged(db, "points are not numbered from 0 on");
    }
    for (size_t j = 0; j < head->num_axes; j++) {
        const spot_axis_t *axis = &head->axes[j];
        const size_t value_id = spot_study_value_id(head, (size_t) position, j);

        if (!has_value(row, (int) j + 2, axis, value_id)) {
            char *key = spot_stored_point_key(head, (size_t) position);
            const int ret = spot_db_damaged(db, "point %s: %s in its row is not %s",
                key == NULL ? "?" : key, axis->path, axis->texts[value_id]);

            sqlite3_free(key);
            return ret;
        }
    }
    return 0;
}

int spot_stored_points_check(const spot_stored_study_t *self, spot_db_t *db)
{
    spot_columns_t columns;
    sqlite3_stmt *row = NULL;
    int64_t num_points = 0;
    int ret = spot_columns_init(&columns, &self->head);

    ret = ret == 0 ? spot_db_prepare(db, &row,
                         "SELECT point, position%z FROM point NOT INDEXED ORDER BY point",
                         spot_column_names_sql(&columns.axes, db, ", ", ""))
                   : ret;
    for (; spot_db_next_row(db, row, &ret); num_points++) {
        ret = check_point(self, db, row, num_points);
    }
    sqlite3_finalize(row);
    spot_columns_free(&columns);
    return ret == 0 && (size_t) num_points != self->head.num_points
               ? spot_db_damaged(db, "it has %lld of %lld points", (long long) num_points,
                     (long long) self->head.num_points)
               : ret;
}
