/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A merge writes a new store under a temporary name, from OUT, if it is there, and from
 * the stores named after it, and gives it OUT's name at the end. Each store is read
 * through first, so what is damaged is known by its name, and then attached, and its
 * rows inserted by their points' keys. */
#include "sim/bench/store/store_merge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/outfile.h"
#include "sim/bench/store/series_rows.h"
#include "sim/bench/store/sqlite_rows.h"
#include "sim/bench/store/store_sqlite.h"

#define TIMEOUT_MS 10000

/* Tables of a row of the attached store, and the number of its point in the new one. */
#define JOIN_POINTS                                                                                \
    " JOIN source.point sp ON sp.point = s.point JOIN main.point p ON p.key = sp.key"

typedef struct {
    const char *out_path;
    bool was_there;
    spot_schema_state_t state; /* of what was there; NONE where nothing was */
    spot_db_t out;             /* as it was; not open where it is not there */
    spot_outfile_t file;       /* the new store */
    spot_db_t db;
    spot_store_t *first; /* the store whose study it is */
    const char *first_path;
    int64_t num_added;
    spot_watch_t *watch;
    spot_diag_t *diag;
} merge_t;

static const spot_columns_t *columns_of(const merge_t *self)
{
    return &spot_sqlite_store(self->first)->columns;
}

static int ignore_row(void *context, const spot_row_t *row)
{
    (void) context;
    (void) row;
    return 0;
}

/* Opens a store and reads all that it has, to see that it is not damaged. */
static int open_source(merge_t *self, const char *path, spot_store_t **in)
{
    int ret = spot_store_open_sqlite_reader(in, path, self->diag);

    if (ret != 0) {
        return ret;
    }
    atomic_store(&(*in)->stop, self->watch->stop);
    for (size_t j = 0; ret == 0 && j < (*in)->head->num_points; j++) {
        ret = (*in)->read(*in, j, 0, ignore_row, NULL);
    }
    if (ret != 0) {
        spot_db_explain(&spot_sqlite_store(*in)->reader, self->diag);
    }
    return ret;
}

/* Both must ask for the same. */
static int compare_studies(const merge_t *self, const char *path, const spot_store_t *in)
{
    const spot_stored_study_t *was = &spot_sqlite_store(self->first)->study;
    const spot_stored_study_t *is = &spot_sqlite_store(in)->study;
    const size_t num_errors = self->diag->num_errors;
    const int ret = spot_stored_study_compare(was, &is->head, is->canonical, path, self->diag);

    if (ret != 0) {
        return ret;
    }
    if (was->head.num_replications != is->head.num_replications) {
        spot_diag_error(self->diag, path, 0, 0, "replications were %" PRId64 ", are %" PRId64,
            was->head.num_replications, is->head.num_replications);
    }
    if (was->head.num_points != is->head.num_points) {
        spot_diag_error(self->diag, path, 0, 0, "points were %zu, are %zu", was->head.num_points,
            is->head.num_points);
    }
    if (self->diag->num_errors == num_errors) {
        return 0;
    }
    return spot_diag_error(self->diag, path, 0, 0,
        "holds another study than %s (which was before is here); merge databases of one "
        "study only",
        self->first_path);
}

/* The points of the attached store are those of the new one. */
static int compare_points(merge_t *self, const char *path)
{
    sqlite3_stmt *row;
    int ret = spot_db_prepare(&self->db, &row,
        "SELECT key FROM source.point WHERE key NOT IN (SELECT key FROM main.point) "
        "ORDER BY position LIMIT 1");

    if (spot_db_next_row(&self->db, row, &ret)) {
        ret = spot_diag_error(self->diag, path, 0, 0, "%s has no point %s", self->first_path,
            (const char *) sqlite3_column_text(row, 0));
    }
    sqlite3_finalize(row);
    return ret;
}

/* A row that differs, as the query below gives it: key, replication, numbers. */
static int say_difference(merge_t *self, const char *path, sqlite3_stmt *row)
{
    const spot_column_names_t *metrics = &columns_of(self)->metrics;
    const char *key = (const char *) sqlite3_column_text(row, 0);
    const long long replication = sqlite3_column_int64(row, 1);
    bool is_found = false;
    int ret = 0;

    for (size_t j = 0; ret == 0 && !is_found && j < metrics->num; j++) {
        sqlite3_stmt *values;

        ret = spot_db_prepare(&self->db, &values,
            "SELECT s.\"%w\", r.\"%w\" FROM source.replication s, main.replication r "
            "WHERE s.point = %lld AND r.point = %lld AND s.replication = %lld AND "
            "r.replication = s.replication AND s.\"%w\" IS NOT r.\"%w\"",
            metrics->names[j], metrics->names[j], sqlite3_column_int64(row, 2),
            sqlite3_column_int64(row, 3), replication, metrics->names[j], metrics->names[j]);
        is_found = spot_db_next_row(&self->db, values, &ret);
        if (is_found) {
            spot_diag_error(self->diag, path, 0, 0,
                "point %s, replication %lld, %s: %.17g, but %.17g in %s or a database "
                "merged before; one of them is wrong: run one of them again with the "
                "program that made the other",
                key, replication, self->first->head->metrics[j].name,
                sqlite3_column_double(values, 0), sqlite3_column_double(values, 1), self->out_path);
        }
        sqlite3_finalize(values);
    }
    if (ret == 0 && !is_found) {
        spot_diag_error(self->diag, path, 0, 0,
            "point %s, replication %lld: warnings are not those in %s or a database "
            "merged before",
            key, replication, self->out_path);
    }
    return ret == 0 ? SPOT_ERR_BAD_INPUT : ret;
}

/* A row that is in two stores must be the same in both. */
static int compare_rows(merge_t *self, const char *path)
{
    const spot_column_names_t *metrics = &columns_of(self)->metrics;
    sqlite3_stmt *row;
    int ret = spot_db_prepare(&self->db, &row,
        "SELECT p.key, r.replication, sp.point, p.point FROM source.batch s" JOIN_POINTS
        " CROSS JOIN main.batch b ON b.point = p.point AND b.first = s.first CROSS JOIN "
        "source.replication t ON t.point = s.point AND t.replication >= s.first AND "
        "t.replication < s.first + s.replications CROSS JOIN main.replication r ON "
        "r.point = p.point AND r.replication = t.replication WHERE (r.warnings%z) IS "
        "NOT (t.warnings%z) LIMIT 1",
        spot_column_names_sql(metrics, &self->db, ", r.", ""),
        spot_column_names_sql(metrics, &self->db, ", t.", ""));

    if (spot_db_next_row(&self->db, row, &ret)) {
        ret = say_difference(self, path, row);
    }
    sqlite3_finalize(row);
    return ret;
}

/* What the new store does not have yet; of a batch that is in two, the longer one. */
static int insert_all(merge_t *self)
{
    const spot_columns_t *columns = columns_of(self);
    int ret = spot_db_run(&self->db,
        "INSERT OR REPLACE INTO main.replication SELECT p.point, s.replication%z, "
        "s.warnings FROM source.replication s" JOIN_POINTS
        " WHERE NOT EXISTS (SELECT 1 FROM main.replication r WHERE r.point = p.point "
        "AND r.replication = s.replication)",
        spot_column_names_sql(&columns->metrics, &self->db, ", s.", ""));

    self->num_added += ret == 0 ? sqlite3_changes64(self->db.handle) : 0;
    return ret == 0 ? spot_db_run(&self->db,
                          "INSERT OR REPLACE INTO main.batch SELECT p.point, s.first, "
                          "s.replications%z, s.digest FROM source.batch s" JOIN_POINTS
                          " WHERE s.replications > coalesce((SELECT b.replications FROM "
                          "main.batch b WHERE b.point = p.point AND b.first = s.first), "
                          "0);INSERT OR IGNORE INTO main.break_even SELECT 0, p.point, "
                          "q.point, s.key, s.metric, s.maximised, s.pairs, s.number, s.unit, "
                          "s.below, s.below_near, s.below_far, s.below_reach, s.above, "
                          "s.above_near, s.above_far, s.above_reach FROM source.break_even s "
                          "JOIN source.point sp ON sp.point = s.best JOIN main.point p ON "
                          "p.key = sp.key JOIN source.point sq ON sq.point = s.next JOIN "
                          "main.point q ON q.key = sq.key;UPDATE main.break_even SET digest "
                          "= digest(" SPOT_BREAK_EVEN_COLUMNS
                          ");INSERT OR REPLACE INTO main.provenance SELECT * FROM "
                          "source.provenance s WHERE NOT EXISTS (SELECT 1 FROM "
                          "main.provenance m WHERE m.writer = s.writer AND (m.seen > s.seen OR "
                          "(m.seen = s.seen AND m.rows_added >= s.rows_added)))",
                          spot_column_names_sql(&columns->warnings, &self->db, ", s.", ""))
                    : ret;
}

/* Begins the new store, with the study of the first one. */
static int make_new(merge_t *self, spot_store_t *in, const char *path)
{
    const spot_stored_study_t *study = &spot_sqlite_store(in)->study;
    int ret;

    self->first = in;
    self->first_path = path;
    ret = spot_db_run(&self->db, "BEGIN");
    ret = ret == 0 ? spot_schema_create(&self->db, columns_of(self)) : ret;
    ret = ret == 0 ? spot_stored_study_write(&self->db, &study->head, columns_of(self),
                         study->canonical, study->canonical_sha256, study->numbers)
                   : ret;
    return spot_db_end(&self->db, ret);
}

/* The series of a replication, whose digest is compared. Those that are there stay as
 * they are. */
static int merge_one_series(merge_t *self, spot_db_t *in, const spot_series_id_t *id)
{
    const int64_t number = (int64_t) id->point_id; /* in its file */
    spot_recording_t recording;
    sqlite3_int64 new_number = 0;
    int ret = spot_series_read(in, number, id->replication, &recording);

    if (ret == 0) {
        ret = spot_db_integer(&self->db, &new_number,
            "SELECT p.point FROM main.point p JOIN source.point s USING (key) WHERE "
            "s.point = %lld",
            (long long) number);
    }
    ret = ret == 0 ? spot_series_write(&self->db, new_number, id->replication, &recording) : ret;
    spot_recording_free(&recording);
    return ret;
}

static int merge_series(merge_t *self, const spot_store_t *in)
{
    spot_db_t *db = &spot_sqlite_store(in)->reader;
    spot_series_list_t list = {0};
    int ret = spot_series_numbers(db, &list);

    for (size_t j = 0; ret == 0 && j < list.num_ids; j++) {
        ret = merge_one_series(self, db, &list.ids[j]);
    }
    spot_series_list_free(&list);
    spot_db_explain(db, self->diag);
    return ret;
}

static int merge_attached(merge_t *self, const char *path, const spot_store_t *in)
{
    int ret = spot_db_run(&self->db, "BEGIN");

    ret = ret == 0 ? compare_points(self, path) : ret;
    ret = ret == 0 ? compare_rows(self, path) : ret;
    ret = ret == 0 ? insert_all(self) : ret;
    ret = ret == 0 ? merge_series(self, in) : ret;
    ret = ret == 0 ? spot_schema_total_make(&self->db, columns_of(self)) : ret;
    return spot_db_end(&self->db, ret);
}

static int merge_source(merge_t *self, const char *path)
{
    spot_store_t *in = NULL;
    int ret = open_source(self, path, &in);

    if (ret == 0) {
        ret = self->first == NULL ? make_new(self, in, path) : compare_studies(self, path, in);
    }
    ret = ret == 0 ? spot_db_attach(&self->db, &spot_sqlite_store(in)->reader, "source") : ret;
    if (ret == 0) {
        ret = merge_attached(self, path, in);
        ret = ret == 0 ? spot_db_run(&self->db, "DETACH source") : ret;
    }
    if (in != NULL && in != self->first) {
        in->close(in);
    }
    return ret;
}

static int is_stopped(void *context)
{
    return spot_watch_is_stopped(context);
}

/* Opens the new store. No other process has it open yet, so no commit has to be safe.
 * Without a journal nothing can be rolled back, but after an error there is no new
 * store, and a journal in memory would grow to the size of the file. */
static int open_new(merge_t *self)
{
    int ret = spot_outfile_init(&self->file, self->out_path, self->diag);

    if (ret == 0 && self->file.temporary == NULL) {
        return spot_diag_error(
            self->diag, self->out_path, 0, 0, "this is no file; name one, e.g. results.db");
    }
    if (ret == 0) {
        ret = spot_db_open(&self->db, self->file.temporary, SPOT_DB_WRITE, TIMEOUT_MS);
    }
    if (ret == 0) { /* messages name what the user named */
        self->db.is_thrown_away = true;
        free(self->db.path);
        self->db.path = spot_text_copy(self->out_path, strlen(self->out_path));
        ret = self->db.path == NULL ? SPOT_ERR_NO_MEMORY : 0;
    }
    if (ret == 0) {
        sqlite3_progress_handler(self->db.handle, 10000, is_stopped, self->watch);
        sqlite3_db_config(self->db.handle, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
        ret = spot_db_run(&self->db, "PRAGMA page_size = 8192; PRAGMA journal_mode = "
                                     "OFF; PRAGMA synchronous = OFF");
        sqlite3_db_config(self->db.handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    }
    return ret;
}

/* Claims an OUT that is there. */
static int claim_out(merge_t *self)
{
    int ret = spot_db_open(&self->out, self->out_path, SPOT_DB_WRITE, TIMEOUT_MS);

    ret = ret == 0 ? spot_schema_look(&self->out, &self->state, self->diag) : ret;
    ret = ret == 0 ? spot_sqlite_claim(&self->out, self->diag) : ret;
    return spot_db_opening_error(&self->out, ret);
}

/* Gives the new store the name. A log beside the old one would be taken for its own, so
 * there must be none, which is so when nobody has the old one open. */
static int replace_out(merge_t *self)
{
    int ret = 0;

    spot_db_close(&self->db);
    if (self->was_there) {
        ret = spot_db_run(&self->out, "PRAGMA journal_mode = DELETE");
    } else if (access(self->out_path, F_OK) == 0) {
        spot_diag_error(
            self->diag, self->out_path, 0, 0, "another process has made it meanwhile; merge again");
        ret = SPOT_ERR_IO;
    }
    return ret == 0 ? spot_outfile_commit(&self->file, self->diag) : ret;
}

/* Of a file that is not under its name yet nothing is safe, and nothing is lost. */
static void explain_new(const merge_t *self)
{
    const int failure = self->db.failure;

    if (failure == SQLITE_FULL || failure == SQLITE_IOERR_WRITE ||
        failure == SQLITE_IOERR_TRUNCATE) {
        spot_diag_error(self->diag, self->out_path, 0, 0,
            "cannot write the merged database: %s; no file was changed",
            strerror(failure == SQLITE_FULL ? ENOSPC : spot_outfile_cause(&self->file)));
    } else {
        spot_db_explain(&self->db, self->diag);
    }
}

static int merge_all(merge_t *self, size_t num_paths, const char *const *paths)
{
    int ret = open_new(self);

    if (ret == 0 && self->state == SPOT_SCHEMA_OURS) {
        ret = merge_source(self, self->out_path);
        self->num_added = 0;
    }
    for (size_t j = 0; ret == 0 && j < num_paths; j++) {
        ret = merge_source(self, paths[j]);
        if (ret == 0) {
            spot_watch_report(self->watch, (int64_t) j + 1, (int64_t) num_paths);
        }
    }
    ret = ret == 0 ? spot_programs_check(&self->db, NULL, self->diag) : ret;
    explain_new(self);
    if (self->first != NULL) {
        self->first->close(self->first);
    }
    return ret == 0 ? replace_out(self) : ret;
}

int spot_store_merge(const char *out_path, size_t num_paths, const char *const *paths,
    const spot_watch_t *watch, int64_t *num_added, spot_diag_t *diag)
{
    spot_watch_t none = {0}, copy = watch == NULL ? none : *watch;
    merge_t merge = {.out_path = out_path,
        .was_there = access(out_path, F_OK) == 0,
        .watch = &copy,
        .diag = diag};
    int ret = merge.was_there ? claim_out(&merge) : 0;

    ret = ret == 0 ? merge_all(&merge, num_paths, paths) : ret;
    spot_db_explain(&merge.out, diag);
    spot_db_close(&merge.db);
    spot_outfile_free(&merge.file);
    spot_db_close(&merge.out);
    if (num_added != NULL) {
        *num_added = ret == 0 ? merge.num_added : 0;
    }
    return ret;
}
