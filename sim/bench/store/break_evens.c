/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The break-evens of a store on disk: written whole, and read when it is opened. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/bench/store/store_sqlite_internal.h"

/* Columns before the sides, and of a side. */
#define NUM_FIRST 8
#define NUM_OF_SIDE 4

int spot_store_keep_break_evens(
    spot_store_t *self, size_t num_items, const spot_break_even_t *items)
{
    spot_break_even_t *copy = spot_calloc(num_items, sizeof(*copy));
    int ret = copy == NULL ? SPOT_ERR_NO_MEMORY : 0;

    if (ret == 0 && self->put_break_evens != NULL) {
        ret = self->put_break_evens(self, num_items, items);
    }
    if (ret != 0) {
        free(copy);
        return ret;
    }
    memcpy(copy, items, num_items * sizeof(*copy));
    free(self->break_evens);
    self->break_evens = copy;
    self->num_break_evens = num_items;
    return 0;
}

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
