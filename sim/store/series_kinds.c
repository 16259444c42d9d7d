/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/store/series_kinds.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/store/json_members.h"
#include "sim/store/schema.h"

static const char *const reserved[] = {"point", "replication", "row", NULL};

static const spot_json_member_t a_word[] = {
    {"", SPOT_MEMBER_NAME, .is_needed = true}, {0}};

static const spot_json_member_t column_members[] = {
    SPOT_MEMBER_NEEDED(spot_series_column_t, "name", name, NAME),
    SPOT_MEMBER_NEEDED(spot_series_column_t, "unit", unit, NAME),
    SPOT_MEMBER_CHOICE(spot_series_column_t, "kind", kind, spot_column_kind_names),
    SPOT_MEMBER(spot_series_column_t, "label", label, NAME),
    SPOT_MEMBER_LIST(spot_series_column_t, "categories", categories, 0, a_word),
    SPOT_MEMBER(spot_series_column_t, "signs", signs, NAME),
    {0},
};

static const spot_json_member_t kind_members[] = {
    SPOT_MEMBER_NEEDED(spot_series_kind_t, "name", name, NAME),
    SPOT_MEMBER_NEEDED(spot_series_kind_t, "help", help, NAME),
    SPOT_MEMBER_CHOICE(spot_series_kind_t, "shape", shape, spot_series_shape_names),
    SPOT_MEMBER(spot_series_kind_t, "ticks_per_s", ticks_per_s, INTEGER),
    SPOT_MEMBER(spot_series_kind_t, "num_columns", num_columns, COUNT),
    SPOT_MEMBER_LIST(spot_series_kind_t, "columns", columns,
        offsetof(spot_series_kind_t, num_columns), column_members),
    {0},
};

static int
create_rows(spot_db_t *db, const spot_series_kind_t *kind, const char *table)
{
    static const char *const types[] = {
        "INTEGER", "INTEGER", "INTEGER", "REAL", "TEXT", "TEXT"};
    sqlite3_str *columns = sqlite3_str_new(db->handle);
    spot_column_names_t names = {0};
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < kind->num_columns; j++) {
        ret = spot_column_names_add(&names, kind->columns[j].name, reserved);
        if (ret == 0) {
            sqlite3_str_appendf(
                columns, ", \"%w\" %s", names.names[j], types[kind->columns[j].kind]);
        }
    }
    if (ret == 0) {
        ret = spot_db_run(db,
            "CREATE TABLE \"%w\" (point INTEGER NOT NULL, replication INTEGER NOT NULL, "
            "row INTEGER NOT NULL%z, PRIMARY KEY (point, replication, row)) STRICT, "
            "WITHOUT ROWID",
            table, spot_db_finish(db, columns));
    } else {
        sqlite3_free(sqlite3_str_finish(columns));
    }
    spot_column_names_free(&names);
    return ret;
}

/* A table that no other has the name of: "series_NAME", or "series_NAME_2" ... */
static int
find_name(spot_db_t *db, const spot_series_kind_t *kind, char **table)
{
    sqlite3_int64 is_taken = 1;
    int ret = 0;

    for (int number = 1; ret == 0 && is_taken != 0; number++) {
        sqlite3_free(*table);
        *table = number == 1 ? sqlite3_mprintf("series_%s", kind->name)
                             : sqlite3_mprintf("series_%s_%d", kind->name, number);
        ret = spot_db_integer(db, &is_taken,
            "SELECT count(*) FROM sqlite_schema WHERE name = %Q COLLATE NOCASE", *table);
    }
    return ret == 0 && *table == NULL ? SPOT_ERR_NO_MEMORY : ret;
}

static int
insert_kind(spot_db_t *db, const spot_series_kind_t *kind, const char *text,
    uint64_t digest, char **table)
{
    int ret = find_name(db, kind, table);

    ret = ret == 0 ? spot_db_run(db, "INSERT INTO series_kind VALUES (%Q, %Q, %lld)",
                         *table, text, (long long) digest)
                   : ret;
    return ret == 0 ? create_rows(db, kind, *table) : ret;
}

int
spot_series_kind_table(
    spot_db_t *db, const spot_series_kind_t *kind, char **table, uint64_t *digest)
{
    char *text = spot_json_members_write(kind_members, kind);
    sqlite3_stmt *row = NULL;
    bool is_there;
    int ret = text == NULL ? SPOT_ERR_NO_MEMORY : 0;

    *table = NULL;
    *digest = spot_digest_text(0, text);
    ret = ret == 0 ? spot_db_prepare(db, &row,
                         "SELECT rows_in FROM series_kind WHERE digest = %lld",
                         (long long) *digest)
                   : ret;
    is_there = spot_db_next_row(db, row, &ret);
    if (is_there) {
        *table = sqlite3_mprintf("%s", sqlite3_column_text(row, 0));
    } else if (ret == 0) {
        ret = insert_kind(db, kind, text, *digest, table);
    }
    sqlite3_finalize(row);
    free(text);
    return ret == 0 && *table == NULL ? SPOT_ERR_NO_MEMORY : ret;
}

int
spot_series_kind_read(spot_db_t *db, const char *table, spot_recording_t *recording,
    spot_series_kind_t *kind, uint64_t *digest)
{
    sqlite3_stmt *row = NULL;
    cJSON *tree = NULL;
    int ret = spot_db_prepare(
        db, &row, "SELECT kind, digest FROM series_kind WHERE rows_in = %Q", table);

    if (spot_db_next_row(db, row, &ret)) {
        const char *text = (const char *) sqlite3_column_text(row, 0);

        *digest = spot_digest_text(0, text);
        tree = *digest == (uint64_t) sqlite3_column_int64(row, 1) ? cJSON_Parse(text)
                                                                  : NULL;
    }
    ret = ret == 0 ? spot_json_members_read(kind_members, tree, recording, kind) : ret;
    cJSON_Delete(tree);
    sqlite3_finalize(row);
    return ret == 0 && kind->ticks_per_s <= 0 ? SPOT_ERR_BAD_INPUT : ret;
}
