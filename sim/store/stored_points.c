/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points have numbers, which their rows name and which never change, and positions,
 * which are their places in the study as it is now. They are recognised by their keys.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "sim/store/stored_study.h"

/* Axes in the order of their paths, so that the order of the sweep does not matter. */
static size_t *
sorted_axes(const spot_study_head_t *head)
{
    size_t *order = spot_calloc(head->num_axes, sizeof(*order));

    for (size_t j = 0; order != NULL && j < head->num_axes; j++) {
        size_t k = j;

        for (; k > 0 && strcmp(head->axes[order[k - 1]].path, head->axes[j].path) > 0;
             k--) {
            order[k] = order[k - 1];
        }
        order[k] = j;
    }
    return order;
}

/* What ends a value has a \ before it. */
static void
append_escaped(sqlite3_str *key, const char *text)
{
    for (; *text != '\0'; text++) {
        if (strchr("\\;=#", *text) != NULL) {
            sqlite3_str_appendchar(key, 1, '\\');
        }
        sqlite3_str_appendchar(key, 1, *text);
    }
}

/* "path=value;path=value". Values that are the same number have the same text, the
 * shortest one: "0.05", as most users write it. NULL: no memory; else for
 * sqlite3_free(). */
static char *
point_key(
    spot_db_t *db, const spot_study_head_t *head, const size_t *order, size_t point_id)
{
    sqlite3_str *key = sqlite3_str_new(db->handle);

    for (size_t j = 0; j < head->num_axes; j++) {
        const spot_axis_t *axis = &head->axes[order[j]];
        const size_t value_id = spot_study_value_id(head, point_id, order[j]);
        char number[SPOT_NUMBER_TEXT_BYTES];

        sqlite3_str_appendall(key, j == 0 ? "" : ";");
        append_escaped(key, axis->path);
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
    if (sqlite3_str_length(key) == 0) {
        sqlite3_str_appendall(key, "-"); /* a study without a sweep has one point */
    }
    return sqlite3_str_finish(key);
}

/* Whether a stored key is this one, or this one as the second, third ... of its kind. */
static bool
is_key(const char *stored, const char *key)
{
    const size_t length = strlen(key);

    return stored != NULL && strncmp(stored, key, length) == 0 &&
           (stored[length] == '\0' ||
               (stored[length] == '#' && strspn(stored + length + 1, "0123456789") ==
                                             strlen(stored + length + 1)));
}

static char *
value_ids_text(spot_db_t *db, const spot_study_head_t *head, size_t point_id)
{
    sqlite3_str *text = sqlite3_str_new(db->handle);

    for (size_t j = 0; j < head->num_axes; j++) {
        sqlite3_str_appendf(text, "%s%llu", j == 0 ? "" : ",",
            (unsigned long long) spot_study_value_id(head, point_id, j));
    }
    sqlite3_str_appendall(text, head->num_axes == 0 ? "-" : "");
    return sqlite3_str_finish(text);
}

typedef enum { COLUMN_INTEGER, COLUMN_REAL, COLUMN_TEXT } column_type_t;

static column_type_t
column_type(const spot_axis_t *axis)
{
    column_type_t type = axis->unit[0] == '\0' ? COLUMN_INTEGER : COLUMN_REAL;

    for (size_t j = 0; j < axis->num_values; j++) {
        if (!isfinite(axis->numbers[j])) {
            return COLUMN_TEXT;
        }
        if (nearbyint(axis->numbers[j]) != axis->numbers[j] ||
            fabs(axis->numbers[j]) > 0x1p53) {
            type = COLUMN_REAL;
        }
    }
    return type;
}

/* What writing points needs. */
typedef struct {
    spot_db_t *db;
    const spot_study_head_t *head;
    size_t *order;
    column_type_t *types;   /* [num_axes] */
    sqlite3_stmt *take_old; /* the number of a key that was there */
    sqlite3_stmt *insert;
    sqlite3_int64 next_number;
} writer_t;

static int
create_table(writer_t *self, const spot_columns_t *columns)
{
    static const char *const names[] = {" INTEGER", " REAL", " TEXT"};
    sqlite3_str *sql = sqlite3_str_new(self->db->handle);
    sqlite3_stmt *statement;
    int ret;

    sqlite3_str_appendall(sql,
        "CREATE TABLE point (point INTEGER PRIMARY KEY, position INTEGER NOT NULL "
        "UNIQUE, key TEXT NOT NULL UNIQUE, value_ids TEXT NOT NULL");
    for (size_t j = 0; j < columns->num_axes; j++) {
        self->types[j] = column_type(&self->head->axes[j]);
        spot_schema_append(sql, ", ", &columns->axes[j], 1, names[self->types[j]]);
    }
    sqlite3_str_appendall(sql, ") STRICT");
    ret = spot_schema_prepare(self->db, &statement, sql);
    if (ret == 0) {
        ret = spot_db_step_done(self->db, statement);
    }
    sqlite3_finalize(statement);
    return ret;
}

/* Puts the points that are there aside and makes their table anew. */
static int
start(writer_t *self, const spot_columns_t *columns)
{
    sqlite3_int64 is_there = 0;
    sqlite3_str *sql;
    int ret = spot_db_run(self->db,
        "PRAGMA temp_store = MEMORY; DROP TABLE IF EXISTS temp.old_point; CREATE TEMP "
        "TABLE old_point (key TEXT PRIMARY KEY, point INTEGER NOT NULL) WITHOUT ROWID");

    if (ret == 0) {
        ret = spot_db_integer(self->db, &is_there,
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = "
            "'point'");
    }
    if (ret == 0 && is_there != 0) {
        ret = spot_db_run(self->db, "INSERT INTO temp.old_point SELECT key, point FROM "
                                    "main.point; DROP TABLE main.point");
    }
    if (ret == 0) {
        ret = spot_db_integer(
            self->db, &self->next_number, "SELECT max(point) + 1 FROM temp.old_point");
    }
    if (ret == 0) {
        ret = create_table(self, columns);
    }
    if (ret != 0) {
        return ret;
    }
    sql = sqlite3_str_new(self->db->handle);
    sqlite3_str_appendall(sql, "INSERT OR IGNORE INTO point VALUES (?, ?, ?, ?");
    for (size_t j = 0; j < columns->num_axes; j++) {
        sqlite3_str_appendall(sql, ", ?");
    }
    sqlite3_str_appendall(sql, ")");
    ret = spot_schema_prepare(self->db, &self->insert, sql);
    return ret == 0 ? spot_db_prepare(self->db, &self->take_old,
                          "DELETE FROM temp.old_point WHERE key = ? RETURNING point")
                    : ret;
}

static void
bind_values(writer_t *self, size_t point_id)
{
    for (size_t j = 0; j < self->head->num_axes; j++) {
        const spot_axis_t *axis = &self->head->axes[j];
        const size_t value_id = spot_study_value_id(self->head, point_id, j);
        const int parameter = (int) j + 5;

        if (self->types[j] == COLUMN_TEXT) {
            sqlite3_bind_text(
                self->insert, parameter, axis->texts[value_id], -1, SQLITE_STATIC);
        } else if (self->types[j] == COLUMN_INTEGER) {
            sqlite3_bind_int64(
                self->insert, parameter, (int64_t) axis->numbers[value_id]);
        } else {
            sqlite3_bind_double(self->insert, parameter, axis->numbers[value_id]);
        }
    }
}

/* Inserts the point unless its key is taken. */
static int
insert(writer_t *self, size_t point_id, const char *key, bool *is_inserted)
{
    char *value_ids = value_ids_text(self->db, self->head, point_id);
    int64_t number = self->next_number;
    bool is_old = false;
    int ret;

    if (value_ids == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    sqlite3_bind_text(self->take_old, 1, key, -1, SQLITE_STATIC);
    ret = spot_db_step_row(self->db, self->take_old, &is_old);
    if (is_old) {
        number = sqlite3_column_int64(self->take_old, 0);
    }
    sqlite3_reset(self->take_old);
    if (ret == 0) {
        sqlite3_bind_int64(self->insert, 1, number);
        sqlite3_bind_int64(self->insert, 2, (int64_t) point_id);
        sqlite3_bind_text(self->insert, 3, key, -1, SQLITE_STATIC);
        sqlite3_bind_text(self->insert, 4, value_ids, -1, SQLITE_STATIC);
        bind_values(self, point_id);
        ret = spot_db_step_done(self->db, self->insert);
        *is_inserted = ret == 0 && sqlite3_changes(self->db->handle) == 1;
        self->next_number += *is_inserted && !is_old;
    }
    sqlite3_free(value_ids);
    return ret;
}

static int
write_point(writer_t *self, size_t point_id)
{
    char *key = point_key(self->db, self->head, self->order, point_id);
    bool is_inserted = false;
    int ret =
        key == NULL ? SPOT_ERR_NO_MEMORY : insert(self, point_id, key, &is_inserted);

    for (unsigned long long j = 2; ret == 0 && !is_inserted; j++) {
        char *other = sqlite3_mprintf("%s#%llu", key, j);

        if (other == NULL) {
            ret = SPOT_ERR_NO_MEMORY;
        } else if (j > self->head->num_points + 1) {
            ret = spot_db_damaged(self->db, "numbers of points are taken");
        } else {
            ret = insert(self, point_id, other, &is_inserted);
        }
        sqlite3_free(other);
    }
    sqlite3_free(key);
    return ret;
}

/* The first of the points that were there and are no longer, by a query for them. */
static int
find_removed(spot_db_t *db, const char *query, char **removed)
{
    sqlite3_stmt *statement;
    bool is_row = false;
    int error = 0;
    int ret = spot_db_prepare(db, &statement, "%s", query);

    if (ret == 0) {
        ret = spot_db_step_row(db, statement, &is_row);
    }
    if (is_row) {
        *removed = spot_db_text(statement, 0, &error);
    }
    sqlite3_finalize(statement);
    return ret == 0 ? error : ret;
}

int
spot_stored_points_write(spot_db_t *db, const spot_study_head_t *head,
    const spot_columns_t *columns, char **removed)
{
    writer_t writer = {.db = db, .head = head, .order = sorted_axes(head)};
    int ret = SPOT_ERR_NO_MEMORY;

    *removed = NULL;
    writer.types = spot_calloc(head->num_axes, sizeof(*writer.types));
    if (writer.order != NULL && writer.types != NULL) {
        ret = start(&writer, columns);
    }
    for (size_t j = 0; ret == 0 && j < head->num_points; j++) {
        ret = write_point(&writer, j);
    }
    sqlite3_finalize(writer.insert);
    sqlite3_finalize(writer.take_old);
    if (ret == 0) {
        ret = find_removed(
            db, "SELECT key FROM temp.old_point ORDER BY point LIMIT 1", removed);
    }
    if (ret == 0) {
        ret = spot_db_run(db, "DROP TABLE temp.old_point");
    }
    free(writer.types);
    free(writer.order);
    return ret;
}

/* Whether a row of the table is the point of the head at its position. */
static int
match_point(spot_db_t *db, const spot_study_head_t *head, const size_t *order,
    sqlite3_stmt *row, size_t point_id, bool *is_same)
{
    char *key = point_key(db, head, order, point_id);
    char *value_ids = value_ids_text(db, head, point_id);
    const char *stored_ids = (const char *) sqlite3_column_text(row, 3);
    int ret = 0;

    if (key == NULL || value_ids == NULL) {
        ret = SPOT_ERR_NO_MEMORY;
    } else {
        *is_same = sqlite3_column_int64(row, 1) == (int64_t) point_id &&
                   is_key((const char *) sqlite3_column_text(row, 2), key) &&
                   stored_ids != NULL && strcmp(stored_ids, value_ids) == 0;
    }
    sqlite3_free(key);
    sqlite3_free(value_ids);
    return ret;
}

int
spot_stored_points_match(
    spot_db_t *db, const spot_study_head_t *head, int64_t *numbers, bool *is_same)
{
    const size_t num_points = head->num_points;
    size_t *order = sorted_axes(head);
    sqlite3_stmt *statement = NULL;
    size_t point_id = 0;
    bool is_row = false;
    int ret = order == NULL ? SPOT_ERR_NO_MEMORY
                            : spot_db_prepare(db, &statement,
                                  "SELECT point, position, key, value_ids FROM point "
                                  "ORDER BY position");

    *is_same = true;
    if (ret == 0) {
        ret = spot_db_step_row(db, statement, &is_row);
    }
    while (ret == 0 && is_row && *is_same) {
        *is_same = point_id < num_points;
        if (*is_same) {
            numbers[point_id] = sqlite3_column_int64(statement, 0);
            ret = match_point(db, head, order, statement, point_id++, is_same);
        }
        if (ret == 0) {
            ret = spot_db_step_row(db, statement, &is_row);
        }
    }
    *is_same = *is_same && point_id == num_points;
    sqlite3_finalize(statement);
    free(order);
    return ret;
}

/* What finding the numbers of points needs. */
typedef struct {
    spot_db_t *db;
    sqlite3_stmt *find; /* the number of a key */
    sqlite3_stmt *take; /* that number, once */
    sqlite3_int64 next_number;
} finder_t;

/* *number: of the key, -1 where there is none. *is_free: no other point has it. */
static int
find_key(finder_t *self, const char *key, int64_t *number, bool *is_free)
{
    bool is_row = false;
    int ret;

    sqlite3_bind_text(self->find, 1, key, -1, SQLITE_STATIC);
    ret = spot_db_step_row(self->db, self->find, &is_row);
    *number = is_row ? sqlite3_column_int64(self->find, 0) : -1;
    sqlite3_reset(self->find);
    if (ret == 0 && is_row) {
        sqlite3_bind_int64(self->take, 1, *number);
        ret = spot_db_step_done(self->db, self->take);
        *is_free = sqlite3_changes(self->db->handle) == 1;
    }
    return ret;
}

/* Points of one key are the first, second ... of it. */
static int
find_point(finder_t *self, const char *key, int64_t *number)
{
    bool is_free = false;
    int ret = find_key(self, key, number, &is_free);

    for (unsigned long long j = 2; ret == 0 && *number >= 0 && !is_free; j++) {
        char *other = sqlite3_mprintf("%s#%llu", key, j);

        ret =
            other == NULL ? SPOT_ERR_NO_MEMORY : find_key(self, other, number, &is_free);
        sqlite3_free(other);
    }
    if (ret == 0 && *number < 0) {
        *number = self->next_number++;
    }
    return ret;
}

static int
start_finding(finder_t *self)
{
    int ret = spot_db_run(self->db,
        "PRAGMA temp_store = MEMORY; CREATE TEMP TABLE taken (point INTEGER PRIMARY "
        "KEY)");

    if (ret == 0) {
        ret = spot_db_integer(
            self->db, &self->next_number, "SELECT max(point) + 1 FROM main.point");
    }
    if (ret == 0) {
        ret = spot_db_prepare(
            self->db, &self->find, "SELECT point FROM main.point WHERE key = ?");
    }
    return ret == 0 ? spot_db_prepare(self->db, &self->take,
                          "INSERT OR IGNORE INTO temp.taken VALUES (?)")
                    : ret;
}

int
spot_stored_points_find(
    spot_db_t *db, const spot_study_head_t *head, int64_t *numbers, char **removed)
{
    finder_t finder = {.db = db};
    size_t *order = sorted_axes(head);
    int ret = order == NULL ? SPOT_ERR_NO_MEMORY : start_finding(&finder);

    *removed = NULL;
    for (size_t j = 0; ret == 0 && j < head->num_points; j++) {
        char *key = point_key(db, head, order, j);

        ret = key == NULL ? SPOT_ERR_NO_MEMORY : find_point(&finder, key, &numbers[j]);
        sqlite3_free(key);
    }
    sqlite3_finalize(finder.find);
    sqlite3_finalize(finder.take);
    if (ret == 0) {
        ret = find_removed(db,
            "SELECT key FROM main.point WHERE point NOT IN (SELECT point FROM "
            "temp.taken) ORDER BY point LIMIT 1",
            removed);
    }
    free(order);
    return ret;
}
