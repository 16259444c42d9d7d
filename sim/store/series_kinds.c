/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/store/series_kinds.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/store/schema.h"

static const char *const reserved[] = {"point", "replication", "row", NULL};

int
spot_series_create(spot_db_t *db)
{
    return spot_db_run(db,
        "CREATE TABLE series_kind (rows_in TEXT PRIMARY KEY, name TEXT NOT NULL, help "
        "TEXT NOT NULL, shape TEXT NOT NULL, ticks_per_s INTEGER NOT NULL, digest "
        "INTEGER NOT NULL UNIQUE) STRICT, WITHOUT ROWID;"
        "CREATE TABLE series_column (rows_in TEXT NOT NULL, position INTEGER NOT NULL, "
        "name TEXT NOT NULL, kind TEXT NOT NULL, unit TEXT NOT NULL, label TEXT, "
        "categories TEXT, signs TEXT, PRIMARY KEY (rows_in, position)) STRICT, WITHOUT "
        "ROWID;"
        "CREATE TABLE series (point INTEGER NOT NULL, replication INTEGER NOT NULL, "
        "position INTEGER NOT NULL, rows_in TEXT NOT NULL, title TEXT, note TEXT NOT "
        "NULL, end_ticks INTEGER NOT NULL, rows INTEGER NOT NULL, digest INTEGER NOT "
        "NULL, PRIMARY KEY (point, replication, position)) STRICT, WITHOUT ROWID;"
        "CREATE TABLE series_total (series INTEGER NOT NULL, digest INTEGER NOT NULL) "
        "STRICT;"
        "INSERT INTO series_total VALUES (0, 0)");
}

uint64_t
spot_series_kind_digest(const spot_series_kind_t *kind)
{
    uint64_t digest = spot_digest_text(spot_digest_text(0, kind->name), kind->help);

    digest = spot_digest_word(digest, (uint64_t) kind->shape);
    digest = spot_digest_word(digest, (uint64_t) kind->ticks_per_s);
    for (size_t j = 0; j < kind->num_columns; j++) {
        const spot_series_column_t *column = &kind->columns[j];

        digest = spot_digest_word(spot_digest_text(digest, column->name), column->kind);
        digest = spot_digest_text(digest, spot_series_column_unit(kind, column));
        digest =
            spot_digest_text(spot_digest_text(digest, column->label), column->signs);
        for (size_t k = 0; column->categories != NULL && column->categories[k] != NULL;
             k++) {
            digest = spot_digest_text(digest, column->categories[k]);
        }
    }
    return spot_digest_word(digest, kind->num_columns);
}

static int
create_rows(spot_db_t *db, const spot_series_kind_t *kind, const char *table)
{
    static const char *const types[] = {
        " INTEGER", " INTEGER", " INTEGER", " REAL", " TEXT", " TEXT"};
    sqlite3_str *sql = sqlite3_str_new(db->handle);
    char **names = spot_calloc(kind->num_columns, sizeof(*names));
    sqlite3_stmt *statement = NULL;
    size_t num_names = 0;
    int ret = names == NULL ? SPOT_ERR_NO_MEMORY : 0;

    sqlite3_str_appendf(sql,
        "CREATE TABLE \"%w\" (point INTEGER NOT NULL, replication INTEGER NOT NULL, row "
        "INTEGER NOT NULL",
        table);
    for (size_t j = 0; ret == 0 && j < kind->num_columns; j++) {
        ret = spot_schema_add_name(names, &num_names, kind->columns[j].name, reserved);
        spot_schema_append(
            sql, ", ", names + j, num_names - j, types[kind->columns[j].kind]);
    }
    sqlite3_str_appendall(
        sql, ", PRIMARY KEY (point, replication, row)) STRICT, WITHOUT ROWID");
    if (ret == 0) {
        ret = spot_schema_prepare(db, &statement, sql);
    } else {
        sqlite3_free(sqlite3_str_finish(sql));
    }
    if (ret == 0) {
        ret = spot_db_step_done(db, statement);
    }
    sqlite3_finalize(statement);
    for (size_t j = 0; j < num_names; j++) {
        free(names[j]);
    }
    free(names);
    return ret;
}

static int
insert_column(
    spot_db_t *db, const char *table, const spot_series_kind_t *kind, size_t column_id)
{
    const spot_series_column_t *column = &kind->columns[column_id];
    sqlite3_str *items = sqlite3_str_new(db->handle);
    char *categories;
    int ret;

    for (size_t j = 0; column->categories != NULL && column->categories[j] != NULL;
         j++) {
        spot_bug_assert(strchr(column->categories[j], '\n') == NULL);
        sqlite3_str_appendf(items, "%s\n", column->categories[j]);
    }
    categories = sqlite3_str_finish(items); /* NULL: none, or no memory */
    ret = spot_db_run(db,
        "INSERT INTO series_column VALUES (%Q, %lld, %Q, %Q, %Q, %Q, %Q, %Q)", table,
        (long long) column_id, column->name, spot_column_kind_names[column->kind],
        spot_series_column_unit(kind, column), column->label, categories, column->signs);
    sqlite3_free(categories);
    return ret;
}

static int
insert_kind(spot_db_t *db, const char *table, const spot_series_kind_t *kind)
{
    int ret =
        spot_db_run(db, "INSERT INTO series_kind VALUES (%Q, %Q, %Q, %Q, %lld, %lld)",
            table, kind->name, kind->help, spot_series_shape_names[kind->shape],
            (long long) kind->ticks_per_s, (long long) spot_series_kind_digest(kind));

    for (size_t j = 0; ret == 0 && j < kind->num_columns; j++) {
        ret = insert_column(db, table, kind, j);
    }
    return ret == 0 ? create_rows(db, kind, table) : ret;
}

int
spot_series_kind_table(spot_db_t *db, const spot_series_kind_t *kind, char **table)
{
    sqlite3_stmt *row = NULL;
    sqlite3_int64 is_taken = 0;
    int ret =
        spot_db_prepare(db, &row, "SELECT rows_in FROM series_kind WHERE digest = %lld",
            (long long) spot_series_kind_digest(kind));
    const bool is_there = spot_db_next_row(db, row, &ret);

    *table = is_there ? sqlite3_mprintf("%s", sqlite3_column_text(row, 0)) : NULL;
    sqlite3_finalize(row);
    for (int number = 1; ret == 0 && !is_there && (number == 1 || is_taken != 0);
         number++) {
        sqlite3_free(*table);
        *table = number == 1 ? sqlite3_mprintf("series_%s", kind->name)
                             : sqlite3_mprintf("series_%s_%d", kind->name, number);
        ret = spot_db_integer(db, &is_taken,
            "SELECT count(*) FROM sqlite_schema WHERE name = %Q COLLATE NOCASE", *table);
    }
    if (ret == 0 && *table == NULL) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    return ret == 0 && !is_there ? insert_kind(db, *table, kind) : ret;
}

/* A text column of a row that lives as long as the recording; NULL for null. */
static char *
keep_text(spot_recording_t *recording, sqlite3_stmt *row, int column, int *error)
{
    const char *text = (const char *) sqlite3_column_text(row, column);
    char *copy = text == NULL ? NULL : spot_recording_keep(recording, strlen(text) + 1);

    if (text != NULL && copy == NULL) {
        *error = SPOT_ERR_NO_MEMORY;
    }
    return copy == NULL ? NULL : strcpy(copy, text);
}

/* The place of a word in a list, or num_words. */
static int
find_word(const char *const *words, int num_words, const unsigned char *word)
{
    int j = 0;

    while (
        j < num_words && (word == NULL || strcmp(words[j], (const char *) word) != 0)) {
        j++;
    }
    return j;
}

/* The lines of a text as a list up to NULL. */
static const char *const *
split(spot_recording_t *recording, char *lines, int *error)
{
    size_t num_lines = 0;
    const char **list;

    for (const char *next = lines; *next != '\0'; next++) {
        num_lines += *next == '\n';
    }
    list = spot_recording_keep(recording, (num_lines + 1) * sizeof(*list));
    *error = list == NULL ? SPOT_ERR_NO_MEMORY : *error;
    for (size_t j = 0; list != NULL && j < num_lines; j++) {
        list[j] = lines;
        lines += strcspn(lines, "\n");
        *lines++ = '\0';
    }
    return list;
}

static int
read_column(sqlite3_stmt *row, spot_recording_t *recording, spot_series_column_t *column)
{
    int ret = 0;
    const int kind = find_word(
        spot_column_kind_names, SPOT_NUM_COLUMN_KINDS, sqlite3_column_text(row, 6));
    char *categories = keep_text(recording, row, 9, &ret);

    *column = (spot_series_column_t){.name = keep_text(recording, row, 5, &ret),
        .kind = (spot_column_kind_t) kind,
        .unit = keep_text(recording, row, 7, &ret),
        .label = keep_text(recording, row, 8, &ret),
        .signs = keep_text(recording, row, 10, &ret)};
    if (categories != NULL) {
        column->categories = split(recording, categories, &ret);
    }
    return ret == 0 && (column->name == NULL || column->unit == NULL ||
                           kind == SPOT_NUM_COLUMN_KINDS)
               ? SPOT_ERR_BAD_INPUT
               : ret;
}

int
spot_series_kind_read(spot_db_t *db, const char *table, spot_recording_t *recording,
    spot_series_kind_t *kind)
{
    spot_series_column_t *columns = NULL;
    sqlite3_stmt *row = NULL;
    int ret = spot_db_prepare(db, &row,
        "SELECT count(*) OVER (), kind.name, help, shape, ticks_per_s, one.name, "
        "one.kind, unit, label, categories, signs FROM series_kind AS kind JOIN "
        "series_column AS one USING (rows_in) WHERE rows_in = %Q ORDER BY position",
        table);

    while (spot_db_next_row(db, row, &ret)) {
        if (columns == NULL) {
            columns = spot_recording_keep(
                recording, (size_t) sqlite3_column_int64(row, 0) * sizeof(*columns));
            kind->columns = columns;
            kind->name = keep_text(recording, row, 1, &ret);
            kind->help = keep_text(recording, row, 2, &ret);
            kind->shape = (spot_series_shape_t) find_word(spot_series_shape_names,
                SPOT_NUM_SERIES_SHAPES, sqlite3_column_text(row, 3));
            kind->ticks_per_s = sqlite3_column_int64(row, 4);
        }
        ret = columns == NULL || ret != 0
                  ? SPOT_ERR_NO_MEMORY
                  : read_column(row, recording, &columns[kind->num_columns++]);
    }
    sqlite3_finalize(row);
    return ret == 0 &&
                   (kind->name == NULL || kind->help == NULL ||
                       kind->shape == SPOT_NUM_SERIES_SHAPES || kind->ticks_per_s <= 0)
               ? SPOT_ERR_BAD_INPUT
               : ret;
}
