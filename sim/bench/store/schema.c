/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/store/schema.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"

static const char *const point_reserved[] = {"point", "position", "key", NULL};
static const char *const replication_reserved[] = {"point", "replication", "warnings", NULL};
static const char *const batch_reserved[] = {"point", "first", "replications", "digest", NULL};

static bool is_taken(
    const spot_column_names_t *names, const char *name, const char *const *reserved)
{
    for (size_t j = 0; reserved[j] != NULL; j++) {
        if (sqlite3_stricmp(name, reserved[j]) == 0) {
            return true;
        }
    }
    for (size_t j = 0; j < names->num; j++) {
        if (sqlite3_stricmp(name, names->names[j]) == 0) {
            return true;
        }
    }
    return false;
}

int spot_column_names_add(spot_column_names_t *self, const char *name, const char *const *reserved)
{
    size_t length = strlen(name);
    char *free_name = malloc(length + self->num + 8); /* room for all "_" there can be */
    int ret = spot_array_reserve(&self->names, &self->max, self->num + 1, sizeof(free_name));

    if (ret != 0 || free_name == NULL) {
        free(free_name);
        return SPOT_ERR_NO_MEMORY;
    }
    strcpy(free_name, name);
    while (is_taken(self, free_name, reserved)) {
        free_name[length++] = '_';
        free_name[length] = '\0';
    }
    self->names[self->num++] = free_name;
    return 0;
}

void spot_column_names_free(spot_column_names_t *self)
{
    for (size_t j = 0; j < self->num; j++) {
        free(self->names[j]);
    }
    free(self->names);
    memset(self, 0, sizeof(*self));
}

char *spot_column_names_sql(
    const spot_column_names_t *self, spot_db_t *db, const char *before, const char *after)
{
    sqlite3_str *sql = sqlite3_str_new(db->handle);

    for (size_t j = 0; j < self->num; j++) {
        sqlite3_str_appendf(sql, "%s\"%w\"%s", before, self->names[j], after);
    }
    return spot_db_finish(db, sql);
}

/* The column of a metric that is not derived. */
static const char *column_of(
    const spot_columns_t *self, const spot_study_head_t *head, size_t metric_id)
{
    size_t column_id = 0;

    for (size_t j = 0; j < metric_id; j++) {
        column_id += head->metrics[j].numerator == NULL;
    }
    return self->metrics.names[column_id];
}

/* As of spot_metric_value(): a division by 0 is null. */
static char *formula_of(const spot_columns_t *self, const spot_study_head_t *head, size_t metric_id)
{
    const spot_metric_t *metric = &head->metrics[metric_id];
    const spot_metric_source_t source = spot_study_source(head, metric_id);
    sqlite3_str *sql = sqlite3_str_new(NULL);

    if (metric->known_if != NULL) {
        sqlite3_str_appendf(
            sql, "CASE \"%w\" WHEN 1 THEN ", column_of(self, head, source.known_id));
    }
    sqlite3_str_appendf(sql, "\"%w\" / (", column_of(self, head, source.of_id));
    if (metric->denominator == NULL) {
        sqlite3_str_appendall(sql, "1.0");
    } else {
        sqlite3_str_appendf(sql, "\"%w\"", column_of(self, head, source.per_id));
    }
    sqlite3_str_appendf(sql, " / %!.17g)%s", metric->per == 0 ? 1 : metric->per,
        metric->known_if == NULL ? "" : " END");
    return sqlite3_str_finish(sql);
}

/* The derived metrics of the engine; those that a study makes are for estimates only. */
static int add_derived(spot_columns_t *self, const spot_study_head_t *head)
{
    int ret = 0;

    self->formulas = spot_calloc(head->num_metrics, sizeof(*self->formulas));
    if (self->formulas == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; ret == 0 && j < head->num_metrics; j++) {
        const spot_metric_t *metric = &head->metrics[j];

        if (metric->numerator != NULL && metric->estimator == SPOT_ESTIMATOR_USUAL) {
            char *formula = formula_of(self, head, j);

            ret = formula == NULL
                      ? SPOT_ERR_NO_MEMORY
                      : spot_column_names_add(&self->derived, metric->name, replication_reserved);
            self->formulas[ret == 0 ? self->derived.num - 1 : self->derived.num] = formula;
        }
    }
    return ret;
}

/* Their definitions, for %z in SQL. */
static char *derived_sql(const spot_columns_t *self, spot_db_t *db)
{
    sqlite3_str *sql = sqlite3_str_new(db->handle);

    for (size_t j = 0; j < self->derived.num; j++) {
        sqlite3_str_appendf(
            sql, ", \"%w\" REAL AS (%s)", self->derived.names[j], self->formulas[j]);
    }
    return spot_db_finish(db, sql);
}

int spot_columns_init(spot_columns_t *self, const spot_study_head_t *head)
{
    int ret = 0;

    memset(self, 0, sizeof(*self));
    for (size_t j = 0; ret == 0 && j < head->num_axes; j++) {
        ret = spot_column_names_add(&self->axes, head->axes[j].path, point_reserved);
    }
    for (size_t j = 0; ret == 0 && j < head->num_metrics; j++) {
        if (head->metrics[j].numerator == NULL) {
            ret =
                spot_column_names_add(&self->metrics, head->metrics[j].name, replication_reserved);
        }
    }
    ret = ret == 0 ? add_derived(self, head) : ret;
    for (size_t j = 0; ret == 0 && j < head->num_warnings; j++) {
        ret = spot_column_names_add(&self->warnings, head->warnings[j].name, batch_reserved);
    }
    return ret;
}

void spot_columns_free(spot_columns_t *self)
{
    spot_column_names_free(&self->axes);
    for (size_t j = 0; self->formulas != NULL && j <= self->derived.num; j++) {
        sqlite3_free(self->formulas[j]);
    }
    free(self->formulas);
    spot_column_names_free(&self->metrics);
    spot_column_names_free(&self->derived);
    spot_column_names_free(&self->warnings);
}

/* Reads the numbers that identify the program and version of a database in one query, as
 * another process may create the store at this moment. */
int spot_schema_look(spot_db_t *db, spot_schema_state_t *state, spot_diag_t *diag)
{
    sqlite3_int64 application = 0, version = 0;
    sqlite3_stmt *row;
    int ret = spot_db_prepare(db, &row,
        "SELECT (SELECT application_id FROM pragma_application_id), (SELECT "
        "user_version FROM pragma_user_version), count(*) FROM sqlite_schema");

    *state = SPOT_SCHEMA_OURS;
    if (spot_db_next_row(db, row, &ret)) {
        application = sqlite3_column_int64(row, 0);
        version = sqlite3_column_int64(row, 1);
        if (application == 0 && version == 0 && sqlite3_column_int64(row, 2) == 0) {
            *state = SPOT_SCHEMA_NONE;
        }
    }
    sqlite3_finalize(row);
    if (ret != 0 || *state == SPOT_SCHEMA_NONE) {
        return ret;
    }
    if (application != SPOT_SCHEMA_APPLICATION) {
        spot_diag_error(diag, db->path, 0, 0,
            "this is an SQLite database of another program; use another name");
    } else if (version > SPOT_SCHEMA_VERSION) {
        spot_diag_error(diag, db->path, 0, 0,
            "made by a newer spotsim: schema %lld, this one reads %d; use that spotsim, "
            "or another file",
            (long long) version, SPOT_SCHEMA_VERSION);
    } else if (version < SPOT_SCHEMA_VERSION) {
        spot_diag_error(diag, db->path, 0, 0,
            "made by an older spotsim: schema %lld, this one reads %d; run the study "
            "again with another file",
            (long long) version, SPOT_SCHEMA_VERSION);
    } else {
        return 0;
    }
    return SPOT_ERR_BAD_INPUT;
}

char *spot_schema_places(spot_db_t *db, size_t num_places)
{
    sqlite3_str *sql = sqlite3_str_new(db->handle);

    for (size_t j = 0; j < num_places; j++) {
        sqlite3_str_appendall(sql, ", ?");
    }
    return spot_db_finish(db, sql);
}

int spot_schema_create_points(spot_db_t *db, const spot_columns_t *columns)
{
    return spot_db_run(db,
        "DROP TABLE IF EXISTS point;CREATE TABLE point (point INTEGER PRIMARY KEY, "
        "position INTEGER NOT NULL UNIQUE, key TEXT NOT NULL UNIQUE%z) STRICT",
        spot_column_names_sql(&columns->axes, db, ", ", " ANY"));
}

/* Whether the model has an object of this type and name, and with the same text. Text is
 * NULL for what SQLite makes itself. */
static int find_object(
    spot_db_t *model, sqlite3_stmt *find, sqlite3_stmt *object, bool *is_there, bool *is_same)
{
    int ret = 0;

    for (int j = 0; j < 4; j++) { /* type, name, table, text */
        sqlite3_bind_value(find, j + 1, sqlite3_column_value(object, j));
    }
    *is_there = spot_db_next_row(model, find, &ret);
    *is_same = *is_there && sqlite3_column_int(find, 0) != 0;
    sqlite3_reset(find);
    return ret;
}

/* Calls function for each object of the schema of a file; is_there, is_same: as above.
 * *num_there: those of the model's. SQLite's own tables (statistics) are left out. */
static int compare_objects(spot_db_t *db, spot_db_t *model, sqlite3_int64 *num_there,
    int (*function)(void *context, sqlite3_stmt *object, bool is_there, bool is_same),
    void *context)
{
    sqlite3_stmt *object = NULL, *find = NULL;
    int ret = spot_db_prepare(
        db, &object, "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name");

    ret = ret == 0 ? spot_db_prepare(model, &find,
                         "SELECT tbl_name IS ?3 AND sql IS ?4 FROM sqlite_schema WHERE type IS ?1 "
                         "AND name IS ?2")
                   : ret;
    *num_there = 0;
    while (spot_db_next_row(db, object, &ret)) {
        const char *name = (const char *) sqlite3_column_text(object, 1);
        bool is_there, is_same;

        ret = find_object(model, find, object, &is_there, &is_same);
        *num_there += is_there;
        if (ret == 0 && (is_there || name == NULL || strncmp(name, "sqlite_", 7) != 0)) {
            ret = function(context, object, is_there, is_same);
        }
    }
    sqlite3_finalize(object);
    sqlite3_finalize(find);
    return ret;
}

typedef struct {
    spot_db_t *db;
    spot_db_t *model;
    spot_diag_t *diag; /* of others */
} comparison_t;

/* How a name of a file is shown. */
static const char *shown(sqlite3_stmt *object, int column, char text[SPOT_UTF8_SHOWN_BYTES])
{
    const char *name = (const char *) sqlite3_column_text(object, column);

    return spot_utf8_shown(name == NULL ? "?" : name, text);
}

static int refuse_changed(void *context, sqlite3_stmt *object, bool is_there, bool is_same)
{
    const comparison_t *self = context;
    char type[SPOT_UTF8_SHOWN_BYTES], name[SPOT_UTF8_SHOWN_BYTES], table[SPOT_UTF8_SHOWN_BYTES];
    sqlite3_int64 is_on_ours = 0;
    int ret = 0;

    shown(object, 0, type);
    shown(object, 1, name);
    shown(object, 2, table);
    if (is_there) {
        return is_same ? 0
                       : spot_db_damaged(self->db, "its %s %s is not as it was made", type, name);
    }
    if (strcmp(type, "table") != 0 && strcmp(type, "view") != 0) {
        ret = spot_db_integer(self->model, &is_on_ours,
            "SELECT count(*) FROM sqlite_schema WHERE name = %Q COLLATE NOCASE",
            (const char *) sqlite3_column_text(object, 2));
    }
    return ret == 0 && (is_on_ours > 0 || strcmp(type, "trigger") == 0)
               ? spot_db_others(self->db,
                     "the %s %s on %s is not of spotsim; take it away: DROP %s \"%s\"", type, name,
                     table, strcmp(type, "trigger") == 0 ? "TRIGGER" : "INDEX", name)
               : ret;
}

int spot_schema_compare(spot_db_t *db, spot_db_t *model)
{
    comparison_t comparison = {db, model, NULL};
    sqlite3_int64 num_there, num_objects;
    int ret = compare_objects(db, model, &num_there, refuse_changed, &comparison);

    ret =
        ret == 0 ? spot_db_integer(model, &num_objects, "SELECT count(*) FROM sqlite_schema") : ret;
    return ret == 0 && num_there != num_objects
               ? spot_db_damaged(db, "tables are missing: it has %lld of %lld with their indexes",
                     (long long) num_there, (long long) num_objects)
               : ret;
}

static int say_other(void *context, sqlite3_stmt *object, bool is_there, bool is_same)
{
    const comparison_t *self = context;
    char type[SPOT_UTF8_SHOWN_BYTES], name[SPOT_UTF8_SHOWN_BYTES];

    (void) is_same;
    shown(object, 0, type);
    shown(object, 1, name);
    if (!is_there) {
        spot_diag_error(self->diag, self->db->path, 0, 0,
            "the %s %s is not of spotsim: commands read past it, but it is none of what was "
            "written",
            type, name);
    }
    return 0;
}

int spot_schema_say_others(spot_db_t *db, spot_db_t *model, spot_diag_t *diag)
{
    comparison_t comparison = {db, model, diag};
    const size_t num_errors = diag->num_errors;
    sqlite3_int64 num_there;
    const int ret = compare_objects(db, model, &num_there, say_other, &comparison);

    return ret == 0 && diag->num_errors > num_errors ? SPOT_ERR_BAD_INPUT : ret;
}

static char *replication_sql(const spot_columns_t *columns, spot_db_t *db)
{
    sqlite3_str *sql = sqlite3_str_new(db->handle);

    sqlite3_str_appendf(sql,
        "CREATE TABLE replication (point INTEGER NOT NULL, replication INTEGER NOT "
        "NULL%z, warnings INTEGER NOT NULL%z, PRIMARY KEY (point, replication)) STRICT, "
        "WITHOUT ROWID",
        spot_column_names_sql(&columns->metrics, db, ", ", " REAL"), derived_sql(columns, db));
    return spot_db_finish(db, sql);
}

/* Rows lie in the order in which they are read, and none can be there twice. */
int spot_schema_create(spot_db_t *db, const spot_columns_t *columns)
{
    return spot_db_run(db,
        "CREATE TABLE study (name TEXT, question TEXT, engine TEXT, seed INTEGER NOT "
        "NULL, replications INTEGER NOT NULL, canonical TEXT NOT NULL, canonical_sha256 "
        "TEXT NOT NULL, head TEXT NOT NULL, digest INTEGER NOT NULL) STRICT;CREATE "
        "TABLE axis (axis INTEGER NOT NULL, value INTEGER NOT NULL, path TEXT NOT NULL, "
        "unit TEXT NOT NULL, text TEXT NOT NULL, number REAL, PRIMARY KEY (axis, "
        "value)) STRICT, WITHOUT ROWID;CREATE TABLE provenance (writer TEXT PRIMARY "
        "KEY, process INTEGER NOT NULL, started TEXT NOT NULL, seen TEXT NOT NULL, "
        "ended TEXT, outcome TEXT, rows_added INTEGER NOT NULL, canonical_sha256 TEXT "
        "NOT NULL, version TEXT NOT NULL, commit_id TEXT NOT NULL, compiler TEXT NOT "
        "NULL, libraries TEXT NOT NULL, machine TEXT NOT NULL, command_line TEXT NOT "
        "NULL, threads INTEGER NOT NULL, shard TEXT NOT NULL, digest INTEGER NOT NULL) "
        "STRICT;%z;CREATE TABLE batch (point INTEGER NOT NULL, first "
        "INTEGER NOT NULL, replications INTEGER NOT NULL%z, digest INTEGER NOT NULL, "
        "PRIMARY KEY (point, first)) STRICT, WITHOUT ROWID;CREATE TABLE series (point "
        "INTEGER NOT NULL, replication INTEGER NOT NULL, position INTEGER NOT NULL, "
        "rows_in TEXT NOT NULL, title TEXT, note TEXT NOT NULL, end_ticks INTEGER NOT "
        "NULL, rows INTEGER NOT NULL, digest INTEGER NOT NULL, PRIMARY KEY (point, "
        "replication, position)) STRICT, WITHOUT ROWID;CREATE TABLE series_kind "
        "(rows_in TEXT PRIMARY KEY, kind TEXT NOT NULL, digest INTEGER NOT NULL UNIQUE) "
        "STRICT, WITHOUT ROWID;CREATE TABLE series_total (series INTEGER NOT NULL, "
        "digest INTEGER NOT NULL) STRICT;INSERT INTO series_total VALUES (0, 0);CREATE "
        "TABLE break_even (digest INTEGER NOT NULL, best INTEGER NOT NULL, next INTEGER "
        "NOT NULL, key TEXT NOT NULL, metric TEXT NOT NULL, maximised INTEGER NOT NULL, "
        "pairs INTEGER NOT NULL, number REAL, unit TEXT NOT NULL, below REAL, "
        "below_near REAL, below_far REAL, below_reach REAL, above REAL, above_near "
        "REAL, above_far REAL, above_reach REAL, PRIMARY KEY (best, next, key)) STRICT, "
        "WITHOUT ROWID;CREATE TABLE total (batches INTEGER NOT NULL, replications INTEGER NOT "
        "NULL, batch_digest INTEGER NOT NULL, writers INTEGER NOT NULL, writer_digest INTEGER "
        "NOT NULL, break_evens INTEGER NOT NULL, break_even_digest INTEGER NOT NULL) "
        "STRICT;INSERT INTO total VALUES (0, 0, 0, 0, 0, 0, 0);PRAGMA application_id = %d; PRAGMA "
        "user_version = %d",
        replication_sql(columns, db),
        spot_column_names_sql(&columns->warnings, db, ", ", " INTEGER NOT NULL"),
        SPOT_SCHEMA_APPLICATION, SPOT_SCHEMA_VERSION);
}

int spot_schema_total_make(spot_db_t *db, const spot_columns_t *columns)
{
    return spot_db_run(db,
        "UPDATE total SET (batches, replications, batch_digest) = (SELECT count(*), "
        "coalesce(sum(replications), 0), digest_rows(point, first, replications%z, digest) FROM "
        "batch);" SPOT_TOTAL_WRITERS ";" SPOT_TOTAL_BREAK_EVENS,
        spot_column_names_sql(&columns->warnings, db, ", ", ""));
}
