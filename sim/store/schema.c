/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/store/schema.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const char *const point_reserved[] = {"point", "position", "key", NULL};
static const char *const replication_reserved[] = {
    "point", "replication", "warnings", NULL};
static const char *const batch_reserved[] = {
    "point", "first", "replications", "digest", NULL};

static bool
is_taken(
    const char *name, const char *const *reserved, char *const *names, size_t num_names)
{
    for (size_t j = 0; reserved[j] != NULL; j++) {
        if (sqlite3_stricmp(name, reserved[j]) == 0) {
            return true;
        }
    }
    for (size_t j = 0; j < num_names; j++) {
        if (sqlite3_stricmp(name, names[j]) == 0) {
            return true;
        }
    }
    return false;
}

int
spot_schema_add_name(
    char **names, size_t *num_names, const char *name, const char *const *reserved)
{
    size_t length = strlen(name);
    char *free_name =
        malloc(length + *num_names + 8); /* room for all "_" there can be */

    if (free_name == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    strcpy(free_name, name);
    while (is_taken(free_name, reserved, names, *num_names)) {
        free_name[length++] = '_';
        free_name[length] = '\0';
    }
    names[(*num_names)++] = free_name;
    return 0;
}

int
spot_columns_init(spot_columns_t *self, const spot_study_head_t *head)
{
    int ret = 0;

    memset(self, 0, sizeof(*self));
    self->axes = spot_calloc(head->num_axes, sizeof(*self->axes));
    self->metrics = spot_calloc(head->num_metrics, sizeof(*self->metrics));
    self->warnings = spot_calloc(head->num_warnings, sizeof(*self->warnings));
    if (self->axes == NULL || self->metrics == NULL || self->warnings == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; ret == 0 && j < head->num_axes; j++) {
        ret = spot_schema_add_name(
            self->axes, &self->num_axes, head->axes[j].path, point_reserved);
    }
    for (size_t j = 0; ret == 0 && j < head->num_metrics; j++) {
        ret = spot_schema_add_name(self->metrics, &self->num_metrics,
            head->metrics[j].name, replication_reserved);
    }
    for (size_t j = 0; ret == 0 && j < head->num_warnings; j++) {
        ret = spot_schema_add_name(
            self->warnings, &self->num_warnings, head->warnings[j].name, batch_reserved);
    }
    return ret;
}

static void
free_names(char **names, size_t num_names)
{
    for (size_t j = 0; j < num_names; j++) {
        free(names[j]);
    }
    free(names);
}

void
spot_columns_free(spot_columns_t *self)
{
    free_names(self->axes, self->num_axes);
    free_names(self->metrics, self->num_metrics);
    free_names(self->warnings, self->num_warnings);
    memset(self, 0, sizeof(*self));
}

/* The numbers that tell whose database it is, of one instant: another process may be
 * making the store. */
static int
read_identity(spot_db_t *db, sqlite3_int64 *num_tables, sqlite3_int64 *application,
    sqlite3_int64 *version)
{
    sqlite3_stmt *row;
    int ret = spot_db_prepare(db, &row,
        "SELECT count(*), (SELECT application_id FROM pragma_application_id), (SELECT "
        "user_version FROM pragma_user_version) FROM sqlite_schema");

    if (spot_db_next_row(db, row, &ret)) {
        *num_tables = sqlite3_column_int64(row, 0);
        *application = sqlite3_column_int64(row, 1);
        *version = sqlite3_column_int64(row, 2);
    }
    sqlite3_finalize(row);
    return ret;
}

int
spot_schema_look(spot_db_t *db, spot_schema_state_t *state, spot_diag_t *diag)
{
    sqlite3_int64 application = 0, version = 0, num_tables = 0;
    const int ret = read_identity(db, &num_tables, &application, &version);

    if (ret != 0) {
        return ret;
    }
    *state = SPOT_SCHEMA_OTHER;
    if (application == 0 && version == 0 && num_tables == 0) {
        *state = SPOT_SCHEMA_NONE;
    } else if (application != SPOT_SCHEMA_APPLICATION) {
        spot_diag_error(diag, db->path, 0, 0,
            "this is an SQLite database of another program; use another name");
    } else if (version > SPOT_SCHEMA_VERSION) {
        spot_diag_error(diag, db->path, 0, 0,
            "made by a newer spotsim: schema %lld, this one reads %d; use that spotsim, "
            "or another file",
            (long long) version, SPOT_SCHEMA_VERSION);
    } else if (version == SPOT_SCHEMA_VERSION) {
        *state = SPOT_SCHEMA_OURS;
    } else {
        spot_diag_error(diag, db->path, 0, 0,
            "made by an older spotsim: schema %lld, this one reads %d; run the study "
            "again with another file",
            (long long) version, SPOT_SCHEMA_VERSION);
    }
    return 0;
}

void
spot_schema_append(sqlite3_str *sql, const char *prefix, char *const *names,
    size_t num_names, const char *suffix)
{
    for (size_t j = 0; j < num_names; j++) {
        sqlite3_str_appendf(sql, "%s\"%w\"%s", prefix, names[j], suffix);
    }
}

int
spot_schema_prepare(spot_db_t *db, sqlite3_stmt **statement, sqlite3_str *sql)
{
    char *text = sqlite3_str_finish(sql);
    int ret;

    if (text == NULL) {
        *statement = NULL;
        return spot_db_check(db, SQLITE_NOMEM);
    }
    ret = spot_db_prepare(db, statement, "%s", text);
    sqlite3_free(text);
    return ret;
}

int
spot_schema_prepare_insert(spot_db_t *db, sqlite3_stmt **statement, const char *conflict,
    const char *table, size_t num_columns)
{
    sqlite3_str *sql = sqlite3_str_new(db->handle);

    sqlite3_str_appendf(sql, "INSERT %s INTO %s VALUES (", conflict, table);
    for (size_t j = 0; j < num_columns; j++) {
        sqlite3_str_appendall(sql, j == 0 ? "?" : ", ?");
    }
    sqlite3_str_appendall(sql, ")");
    return spot_schema_prepare(db, statement, sql);
}

/* Makes a table with columns of these names between others. */
static int
create_table(spot_db_t *db, const char *start, char *const *names, size_t num_names,
    const char *type, const char *end)
{
    sqlite3_str *sql = sqlite3_str_new(db->handle);
    sqlite3_stmt *statement;
    int ret;

    sqlite3_str_appendf(sql, "CREATE TABLE %s", start);
    spot_schema_append(sql, ", ", names, num_names, type);
    sqlite3_str_appendall(sql, end);
    ret = spot_schema_prepare(db, &statement, sql);
    if (ret == 0) {
        ret = spot_db_step_done(db, statement);
    }
    sqlite3_finalize(statement);
    return ret;
}

int
spot_schema_create_points(spot_db_t *db, const spot_columns_t *columns)
{
    const int ret = spot_db_run(db, "DROP TABLE IF EXISTS point");

    return ret == 0 ? create_table(db,
                          "point (point INTEGER PRIMARY KEY, position INTEGER NOT NULL "
                          "UNIQUE, key TEXT NOT NULL UNIQUE",
                          columns->axes, columns->num_axes, " ANY", ") STRICT")
                    : ret;
}

int
spot_schema_create(spot_db_t *db, const spot_columns_t *columns)
{
    int ret = spot_db_run(db,
        "CREATE TABLE study (name TEXT, question TEXT, engine TEXT, seed INTEGER NOT "
        "NULL, replications INTEGER NOT NULL, canonical TEXT NOT NULL, canonical_sha256 "
        "TEXT NOT NULL, head TEXT NOT NULL, digest INTEGER NOT NULL) STRICT;"
        "CREATE TABLE provenance (writer TEXT PRIMARY KEY, process INTEGER NOT NULL, "
        "started TEXT NOT NULL, seen TEXT NOT NULL, ended TEXT, outcome TEXT, "
        "rows_added "
        "INTEGER NOT NULL, canonical_sha256 TEXT NOT NULL, version TEXT NOT NULL, "
        "commit_id TEXT NOT NULL, compiler TEXT NOT NULL, libraries TEXT NOT NULL, "
        "machine TEXT NOT NULL, command_line TEXT NOT NULL, threads INTEGER NOT NULL, "
        "shard TEXT NOT NULL, digest INTEGER NOT NULL) STRICT");

    /* Rows lie in the order in which they are read, and none can be there twice. */
    if (ret == 0) {
        ret = create_table(db,
            "replication (point INTEGER NOT NULL, replication INTEGER NOT NULL",
            columns->metrics, columns->num_metrics, " REAL",
            ", warnings INTEGER NOT NULL, PRIMARY KEY (point, replication)) STRICT, "
            "WITHOUT ROWID");
    }
    if (ret == 0) {
        ret = spot_series_create(db);
    }
    if (ret == 0) {
        ret = create_table(db,
            "batch (point INTEGER NOT NULL, first INTEGER NOT NULL, replications "
            "INTEGER NOT NULL",
            columns->warnings, columns->num_warnings, " INTEGER NOT NULL",
            ", digest INTEGER NOT NULL, PRIMARY KEY (point, first)) STRICT, WITHOUT "
            "ROWID");
    }
    return ret == 0
               ? spot_db_run(db, "PRAGMA application_id = %d; PRAGMA user_version = %d",
                     SPOT_SCHEMA_APPLICATION, SPOT_SCHEMA_VERSION)
               : ret;
}
