/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Series as rows: a table of rows for each kind of series, with a column for each of its
 * own, and a description of the kind. A digest of each series, one of each kind and one
 * of all series are compared when they are read. */
#include "sim/bench/store/series_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/row.h"
#include "sim/bench/store/schema.h"
#include "sim/bench/store/sqlite_rows.h"

/* ---- Kinds: what the series in a table of rows is ---- */

/* Columns of a table of rows before those of its series. */
static const char *const reserved[] = {"point", "replication", "row", NULL};
#define NUM_RESERVED 3

static const spot_row_member_t a_word[] = {{"", SPOT_MEMBER_NAME, .is_needed = true}, {0}};

static const spot_row_member_t column_members[] = {
    SPOT_MEMBER_NEEDED(NAME, "name", spot_series_column_t, name),
    SPOT_MEMBER_NEEDED(NAME, "unit", spot_series_column_t, unit),
    SPOT_MEMBER_WITH(CHOICE, "kind", spot_series_column_t, kind, .choices = spot_column_kind_names),
    SPOT_MEMBER(NAME, "label", spot_series_column_t, label),
    SPOT_MEMBER_LIST("categories", spot_series_column_t, categories, 0, a_word),
    SPOT_MEMBER(NAME, "signs", spot_series_column_t, signs),
    SPOT_MEMBER_WITH(
        COUNT, "num_decimals", spot_series_column_t, num_decimals, .is_optional = true),
    SPOT_MEMBER_WITH(BOOLEAN, "is_bare", spot_series_column_t, is_bare, .is_optional = true),
    {0},
};

static const spot_row_member_t rule_members[] = {
    SPOT_MEMBER(COUNT, "column_id", spot_series_rule_t, column_id),
    SPOT_MEMBER(NUMBER, "value", spot_series_rule_t, value),
    SPOT_MEMBER_NEEDED(NAME, "text", spot_series_rule_t, text),
    {0},
};

/* Rules came later: a kind without any has no key of them. */
static const spot_row_member_t kind_members[] = {
    SPOT_MEMBER_NEEDED(NAME, "name", spot_series_kind_t, name),
    SPOT_MEMBER_NEEDED(NAME, "help", spot_series_kind_t, help),
    SPOT_MEMBER_WITH(
        CHOICE, "shape", spot_series_kind_t, shape, .choices = spot_series_shape_names),
    SPOT_MEMBER(INTEGER, "ticks_per_s", spot_series_kind_t, ticks_per_s),
    SPOT_MEMBER(COUNT, "num_columns", spot_series_kind_t, num_columns),
    SPOT_MEMBER_LIST("columns", spot_series_kind_t, columns,
        offsetof(spot_series_kind_t, num_columns), column_members),
    SPOT_MEMBER_WITH(COUNT, "num_rules", spot_series_kind_t, num_rules, .is_optional = true),
    SPOT_MEMBER_LIST(
        "rules", spot_series_kind_t, rules, offsetof(spot_series_kind_t, num_rules), rule_members),
    {0},
};

static int create_rows(spot_db_t *db, const spot_series_kind_t *kind, const char *table)
{
    static const char *const types[] = {"INTEGER", "INTEGER", "INTEGER", "REAL", "TEXT", "TEXT"};
    sqlite3_str *text = sqlite3_str_new(db->handle);
    char *columns;
    spot_column_names_t names = {0};
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < kind->num_columns; j++) {
        ret = spot_column_names_add(&names, kind->columns[j].name, reserved);
        if (ret == 0) {
            sqlite3_str_appendf(text, ", \"%w\" %s", names.names[j], types[kind->columns[j].kind]);
        }
    }
    columns = spot_db_finish(db, text);
    ret = ret == 0 ? spot_db_run(db,
                         "CREATE TABLE \"%w\" (point INTEGER NOT NULL, replication "
                         "INTEGER NOT NULL, row INTEGER NOT NULL%s, PRIMARY KEY (point, "
                         "replication, row)) STRICT, WITHOUT ROWID",
                         table, columns)
                   : ret;
    sqlite3_free(columns);
    spot_column_names_free(&names);
    return ret;
}

/* A table that no other has the name of: "series_NAME", or "series_NAME_2" ... */
static int find_name(spot_db_t *db, const spot_series_kind_t *kind, char **table)
{
    sqlite3_int64 is_taken = 1;
    int ret = 0;

    for (int number = 1; ret == 0 && is_taken != 0; number++) {
        sqlite3_free(*table);
        *table = sqlite3_mprintf(number == 1 ? "series_%s" : "series_%s_%d", kind->name, number);
        ret = spot_db_integer(db, &is_taken,
            "SELECT count(*) FROM sqlite_schema WHERE name = %Q COLLATE NOCASE", *table);
    }
    return ret == 0 && *table == NULL ? SPOT_ERR_NO_MEMORY : ret;
}

/* Finds the table of the rows of a kind, for sqlite3_free(), and the digest of all that
 * is stored of the kind. A kind that is not there gets a table. */
static int find_table(spot_db_t *db, const spot_series_kind_t *kind, char **table, uint64_t *digest)
{
    char *text = spot_row_write_json(kind_members, kind);
    sqlite3_stmt *row = NULL;
    int ret = text == NULL ? SPOT_ERR_NO_MEMORY : 0;

    *table = NULL;
    *digest = spot_digest_text(0, text);
    ret = ret == 0 ? spot_db_prepare(db, &row,
                         "SELECT rows_in FROM series_kind WHERE digest = %lld", (long long) *digest)
                   : ret;
    if (spot_db_next_row(db, row, &ret)) {
        *table = sqlite3_mprintf("%s", sqlite3_column_text(row, 0));
    } else {
        ret = ret == 0 ? find_name(db, kind, table) : ret;
        ret = ret == 0 ? spot_db_run(db, "INSERT INTO series_kind VALUES (%Q, %Q, %lld)", *table,
                             text, (long long) *digest)
                       : ret;
        ret = ret == 0 ? create_rows(db, kind, *table) : ret;
    }
    sqlite3_finalize(row);
    free(text);
    return ret == 0 && *table == NULL ? SPOT_ERR_NO_MEMORY : ret;
}

/* Fills a zeroed kind, which lives as long as the recording, and the digest. BAD_INPUT:
 * it is damaged, or missing. */
static int read_kind(spot_db_t *db, const char *table, spot_recording_t *recording,
    spot_series_kind_t *kind, uint64_t *digest)
{
    sqlite3_stmt *row = NULL;
    int ret =
        spot_db_prepare(db, &row, "SELECT kind, digest FROM series_kind WHERE rows_in = %Q", table);

    if (spot_db_next_row(db, row, &ret)) {
        const char *text = (const char *) sqlite3_column_text(row, 0);

        *digest = spot_digest_text(0, text);
        ret = *digest == (uint64_t) sqlite3_column_int64(row, 1)
                  ? spot_row_read_json(kind_members, text, &recording->kept, NULL, kind)
                  : SPOT_ERR_BAD_INPUT;
    }
    sqlite3_finalize(row);
    return ret == 0 && kind->ticks_per_s <= 0 ? SPOT_ERR_BAD_INPUT : ret;
}

int spot_series_create_tables(spot_db_t *model, spot_db_t *db)
{
    sqlite3_stmt *row;
    int ret = spot_db_prepare(db, &row, "SELECT rows_in FROM series_kind");

    while (spot_db_next_row(db, row, &ret)) {
        const char *table = (const char *) sqlite3_column_text(row, 0);
        spot_recording_t recording = {0}; /* owns what is in the kind */
        spot_series_kind_t kind = {0};
        uint64_t digest;

        ret = table == NULL ? SPOT_ERR_BAD_INPUT : read_kind(db, table, &recording, &kind, &digest);
        ret = ret == 0 ? create_rows(model, &kind, table) : ret;
        spot_recording_free(&recording);
    }
    sqlite3_finalize(row);
    return ret;
}

/* The series at a position of a recording. */
typedef struct {
    int64_t number; /* of the point in the file */
    int64_t replication;
    int64_t position;
} place_t;

/* ---- Digests ---- */

static uint64_t digest_place(uint64_t digest, const place_t *place)
{
    digest = spot_digest_word(digest, (uint64_t) place->number);
    digest = spot_digest_word(digest, (uint64_t) place->replication);
    return spot_digest_word(digest, (uint64_t) place->position);
}

static uint64_t digest_cells(uint64_t digest, const spot_series_t *series)
{
    const size_t num_columns = series->kind->num_columns;

    for (size_t j = 0; j < series->num_rows * num_columns; j++) {
        const spot_cell_t *cell = &series->cells[j];
        const spot_column_kind_t kind = series->kind->columns[j % num_columns].kind;

        if (kind < SPOT_COLUMN_NUMBER) {
            digest = spot_digest_word(digest, (uint64_t) cell->integer);
        } else if (kind > SPOT_COLUMN_NUMBER) {
            digest = spot_digest_text(
                digest, spot_series_text(series, j / num_columns, j % num_columns));
        } else { /* no -0 */
            digest = spot_digest_number(digest, cell->number + 0.0);
        }
    }
    return digest;
}

/* That of all that is stored of a series. */
static int64_t series_digest(
    const spot_recording_t *recording, const place_t *place, uint64_t kind_digest)
{
    const spot_series_t *series = &recording->series[place->position];
    uint64_t digest = digest_place(kind_digest, place);

    digest = spot_digest_text(spot_digest_text(digest, recording->title), recording->note);
    digest = spot_digest_word(digest, (uint64_t) recording->end_ticks);
    return (int64_t) digest_cells(spot_digest_word(digest, series->num_rows), series);
}

/* What that of all series has of one: none may be lost or moved. */
static int64_t place_digest(const place_t *place, int64_t digest)
{
    return (int64_t) digest_place(spot_digest_word(0, (uint64_t) digest), place);
}

/* ---- Writing ---- */

static void bind_cell(sqlite3_stmt *insert, const spot_series_t *series, size_t row, size_t column)
{
    const spot_cell_t *cell = &series->cells[row * series->kind->num_columns + column];
    const spot_column_kind_t kind = series->kind->columns[column].kind;
    const int place = (int) column + NUM_RESERVED + 1;

    if (kind < SPOT_COLUMN_NUMBER) {
        sqlite3_bind_int64(insert, place, cell->integer);
    } else if (kind > SPOT_COLUMN_NUMBER) {
        sqlite3_bind_text(insert, place, spot_series_text(series, row, column), -1, SQLITE_STATIC);
    } else { /* NAN is null */
        sqlite3_bind_double(insert, place, cell->number);
    }
}

static int write_rows(
    spot_db_t *db, const char *table, const place_t *place, const spot_series_t *series)
{
    sqlite3_stmt *insert;
    int ret = spot_db_prepare(db, &insert, "INSERT INTO \"%w\" VALUES (%lld, %lld, ?3%z)", table,
        (long long) place->number, (long long) place->replication,
        spot_schema_places(db, series->kind->num_columns));

    for (size_t j = 0; ret == 0 && j < series->num_rows; j++) {
        sqlite3_bind_int64(insert, NUM_RESERVED, (sqlite3_int64) j);
        for (size_t k = 0; k < series->kind->num_columns; k++) {
            bind_cell(insert, series, j, k);
        }
        ret = spot_db_step_done(db, insert);
    }
    sqlite3_finalize(insert);
    return ret;
}

static int write_series(spot_db_t *db, const place_t *place, const spot_recording_t *recording)
{
    const spot_series_t *series = &recording->series[place->position];
    uint64_t kind_digest;
    int64_t digest;
    char *table = NULL;
    int ret = find_table(db, series->kind, &table, &kind_digest);

    digest = series_digest(recording, place, kind_digest);
    if (ret == 0) {
        ret = spot_db_run(db,
            "INSERT INTO series VALUES (%lld, %lld, %lld, %Q, %Q, %Q, %lld, %lld, %lld)",
            (long long) place->number, (long long) place->replication, (long long) place->position,
            table, recording->title, recording->note, (long long) recording->end_ticks,
            (long long) series->num_rows, (long long) digest);
    }
    ret = ret == 0 ? write_rows(db, table, place, series) : ret;
    sqlite3_free(table);
    digest = place_digest(place, digest);
    return ret == 0 ? spot_db_run(db,
                          "UPDATE series_total SET series = series + 1, digest = "
                          "(digest | %lld) - (digest & %lld)", /* exclusive or */
                          (long long) digest, (long long) digest)
                    : ret;
}

int spot_series_write(
    spot_db_t *db, int64_t number, int64_t replication, const spot_recording_t *recording)
{
    place_t place = {number, replication, 0};
    sqlite3_int64 num_there = 0;
    int ret = spot_db_integer(db, &num_there,
        "SELECT count(*) FROM series WHERE point = %lld AND replication = %lld", (long long) number,
        (long long) replication);

    for (; ret == 0 && num_there == 0 && (size_t) place.position < recording->num_series;
         place.position++) {
        ret = write_series(db, &place, recording);
    }
    return ret;
}

/* ---- Reading ---- */

/* Whether a cell has the type that bind_cell() gave it: only a number may be null. */
static bool has_type_of(sqlite3_stmt *row, int column, spot_column_kind_t kind)
{
    const int type = sqlite3_column_type(row, column);

    return kind < SPOT_COLUMN_NUMBER   ? type == SQLITE_INTEGER
           : kind > SPOT_COLUMN_NUMBER ? type == SQLITE_TEXT
                                       : type == SQLITE_FLOAT || type == SQLITE_NULL;
}

static int read_rows(spot_db_t *db, const char *table, const place_t *place, spot_series_t *series)
{
    const size_t num_columns = series->kind->num_columns;
    spot_cell_t *cells = spot_calloc(num_columns, sizeof(*cells));
    sqlite3_stmt *row = NULL;
    int ret = cells == NULL ? SPOT_ERR_NO_MEMORY
                            : spot_db_prepare(db, &row,
                                  "SELECT * FROM \"%w\" WHERE point = %lld AND "
                                  "replication = %lld ORDER BY row",
                                  table, (long long) place->number, (long long) place->replication);

    if (ret == 0 && (size_t) sqlite3_column_count(row) != num_columns + NUM_RESERVED) {
        ret = SPOT_ERR_BAD_INPUT;
    }
    while (spot_db_next_row(db, row, &ret)) {
        for (size_t j = 0; j < num_columns; j++) {
            const spot_column_kind_t kind = series->kind->columns[j].kind;
            const int column = (int) j + NUM_RESERVED;

            ret = ret == 0 && !has_type_of(row, column, kind) ? SPOT_ERR_BAD_INPUT : ret;
            if (kind < SPOT_COLUMN_NUMBER) {
                cells[j].integer = sqlite3_column_int64(row, column);
            } else if (kind > SPOT_COLUMN_NUMBER) {
                const void *text = sqlite3_column_text(row, column);

                cells[j].text = text == NULL ? "" : text;
            } else {
                cells[j].number = sqlite3_column_type(row, column) == SQLITE_NULL
                                      ? (double) NAN
                                      : sqlite3_column_double(row, column);
            }
        }
        ret = ret == 0 ? spot_series_add(series, cells) : ret;
    }
    sqlite3_finalize(row);
    free(cells);
    return ret;
}

/* Whether a row says of the recording what the first one says. */
static bool is_of_recording(sqlite3_stmt *row, const spot_recording_t *recording)
{
    const char *title = (const char *) sqlite3_column_text(row, 2);
    const char *note = (const char *) sqlite3_column_text(row, 3);

    return (title == NULL) == (recording->title == NULL) &&
           (title == NULL || strcmp(title, recording->title) == 0) && note != NULL &&
           strcmp(note, recording->note) == 0 &&
           sqlite3_column_int64(row, 4) == recording->end_ticks;
}

/* The series of a row of the query below, whose place is the next one. */
static int read_series(
    spot_db_t *db, sqlite3_stmt *row, const place_t *place, spot_recording_t *recording)
{
    const char *table = (const char *) sqlite3_column_text(row, 1);
    spot_series_kind_t *kind = spot_arena_take(&recording->kept, 1, sizeof(*kind));
    spot_series_t *series = &recording->series[place->position];
    uint64_t kind_digest = 0;
    int ret =
        kind == NULL ? SPOT_ERR_NO_MEMORY : read_kind(db, table, recording, kind, &kind_digest);

    series->kind = kind;
    ret = ret == 0 ? read_rows(db, table, place, series) : ret;
    return ret == 0 &&
                   (!is_of_recording(row, recording) ||
                       sqlite3_column_int64(row, 0) != place->position ||
                       sqlite3_column_int64(row, 5) != (int64_t) series->num_rows ||
                       sqlite3_column_int64(row, 6) != series_digest(recording, place, kind_digest))
               ? SPOT_ERR_BAD_INPUT
               : ret;
}

/* What all series of a recording have. */
static int read_head(sqlite3_stmt *row, spot_recording_t *recording)
{
    int ret = 0;

    recording->title = spot_db_text(row, 2, &ret);
    snprintf(recording->note, sizeof(recording->note), "%s", sqlite3_column_text(row, 3));
    recording->end_ticks = sqlite3_column_int64(row, 4);
    recording->num_series = (size_t) sqlite3_column_int64(row, 7);
    recording->series = spot_calloc(recording->num_series, sizeof(*recording->series));
    return recording->series == NULL ? SPOT_ERR_NO_MEMORY : ret;
}

int spot_series_read(
    spot_db_t *db, int64_t number, int64_t replication, spot_recording_t *recording)
{
    place_t place = {number, replication, 0};
    sqlite3_stmt *row = NULL;
    int ret = spot_db_prepare(db, &row,
        "SELECT position, rows_in, title, note, end_ticks, rows, digest, count(*) OVER "
        "() FROM series WHERE point = %lld AND replication = %lld ORDER BY position",
        (long long) number, (long long) replication);

    memset(recording, 0, sizeof(*recording));
    for (; spot_db_next_row(db, row, &ret); place.position++) {
        ret = place.position == 0 ? read_head(row, recording) : 0;
        ret = ret == 0 ? read_series(db, row, &place, recording) : ret;
    }
    sqlite3_finalize(row);
    if (ret == 0 && place.position == 0) {
        return SPOT_ERR_BAD_PARAM;
    }
    if (ret == SPOT_ERR_BAD_INPUT) {
        spot_db_forget(db); /* it may have a text of the file in it */
        return spot_db_damaged(db,
            "the series of point %lld, replication %lld are not those that were written",
            (long long) number, (long long) replication);
    }
    return ret;
}

int spot_series_numbers(spot_db_t *db, spot_series_list_t *list)
{
    sqlite3_int64 num_series = 0, digest = 0, is_whole = 0;
    sqlite3_stmt *row = NULL;
    int ret = spot_db_prepare(db, &row,
        "SELECT point, replication, position, digest FROM series ORDER BY point, "
        "replication, position");

    for (; spot_db_next_row(db, row, &ret); num_series++) {
        const place_t place = {sqlite3_column_int64(row, 0), sqlite3_column_int64(row, 1),
            sqlite3_column_int64(row, 2)};

        digest ^= place_digest(&place, sqlite3_column_int64(row, 3));
        if (place.position == 0) {
            ret = spot_series_list_add(list, (size_t) place.number, place.replication);
        }
    }
    sqlite3_finalize(row);
    ret = ret == 0 ? spot_db_integer(db, &is_whole,
                         "SELECT count(*) = 1 AND max(series) = %lld AND max(digest) = "
                         "%lld FROM series_total",
                         (long long) num_series, (long long) digest)
                   : ret;
    return ret == 0 && is_whole == 0
               ? spot_db_damaged(db, "the list of its series is not what was written")
               : ret;
}

/* ---- Lists, and the calls of a store: one on disk can put series ---- */

static int compare_ids(const void *left, const void *right)
{
    const spot_series_id_t *a = left, *b = right;

    return a->point_id != b->point_id
               ? (a->point_id > b->point_id) - (a->point_id < b->point_id)
               : (a->replication > b->replication) - (a->replication < b->replication);
}

int spot_series_list_add(spot_series_list_t *self, size_t point_id, int64_t replication)
{
    return SPOT_ARRAY_APPEND(self, ids, (spot_series_id_t){point_id, replication});
}

int spot_series_list_read(spot_series_list_t *self, const spot_store_t *store)
{
    size_t num_ids = 0;
    int ret;

    memset(self, 0, sizeof(*self));
    if (store->put_series == NULL) {
        return 0;
    }
    ret = spot_series_numbers(&spot_sqlite_store(store)->reader, self);
    for (size_t j = 0; j < self->num_ids; j++) {
        const spot_series_id_t *id = &self->ids[j];

        /* the study may be a part of what is in the file */
        if (id->point_id < store->head->num_points &&
            id->replication < store->head->num_replications) {
            self->ids[num_ids++] = (spot_series_id_t){
                spot_sqlite_store(store)->point_ids[id->point_id], id->replication};
        }
    }
    self->num_ids = num_ids;
    if (num_ids > 0) {
        qsort(self->ids, num_ids, sizeof(*self->ids), compare_ids);
    }
    return ret;
}

void spot_series_list_free(spot_series_list_t *self)
{
    free(self->ids);
    memset(self, 0, sizeof(*self));
}

bool spot_series_list_has(const spot_series_list_t *self, size_t point_id, int64_t replication)
{
    const spot_series_id_t id = {point_id, replication};

    return self->num_ids > 0 &&
           bsearch(&id, self->ids, self->num_ids, sizeof(*self->ids), compare_ids) != NULL;
}

int spot_store_put_series(
    spot_store_t *store, size_t point_id, int64_t replication, const spot_recording_t *recording)
{
    if (point_id >= store->head->num_points || replication < 0 ||
        replication >= store->head->num_replications) {
        return SPOT_ERR_BAD_PARAM;
    }
    return store->put_series == NULL ? SPOT_ERR_STATE
                                     : store->put_series(store, point_id, replication, recording);
}

int spot_store_read_series(
    const spot_store_t *store, size_t point_id, int64_t replication, spot_recording_t *recording)
{
    memset(recording, 0, sizeof(*recording));
    if (point_id >= store->head->num_points || store->put_series == NULL) {
        return SPOT_ERR_BAD_PARAM;
    }
    return spot_series_read(&spot_sqlite_store(store)->reader,
        spot_sqlite_store(store)->numbers[point_id], replication, recording);
}
