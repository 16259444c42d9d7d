/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All of a merge is one transaction, so an interrupted one leaves no trace. Each store
 * is read on a connection of its own: any number of them can be, and a damaged one is
 * known by its name. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "sim/store/programs.h"
#include "sim/store/series_rows.h"
#include "sim/store/store_sqlite_internal.h"

#define TIMEOUT_MS 10000

/* A store with what reads its rows. */
typedef struct {
    spot_db_t db;
    spot_stored_study_t study;
    spot_columns_t columns;
    sqlite3_stmt *read_rows; /* of (point, first, end) */
} source_t;

typedef struct {
    source_t out; /* its study may be that of the first store, its path too then */
    const char *study_path;
    spot_row_writer_t writer;
    sqlite3_stmt *find_point; /* number of a key */
    int64_t num_added;
    /* One batch from a store and from OUT. */
    double *rows, *out_rows; /* [batch size][num_metrics] */
    uint32_t *warnings, *out_warnings;
    spot_diag_t *diag;
} merge_t;

static void
free_source(source_t *self)
{
    sqlite3_finalize(self->read_rows);
    spot_columns_free(&self->columns);
    spot_stored_study_free(&self->study);
    spot_db_close(&self->db);
}

/* The study that is in the file, and what reads its rows. */
static int
load_source(source_t *self)
{
    int ret = spot_stored_study_read(&self->study, &self->db);

    if (ret == 0) {
        ret = spot_columns_init(&self->columns, &self->study.head);
    }
    return ret == 0 ? spot_sqlite_prepare_rows(&self->read_rows, &self->db,
                          self->columns.metrics, self->columns.num_metrics)
                    : ret;
}

static int
open_source(source_t *self, const char *path, spot_diag_t *diag)
{
    spot_schema_state_t state = SPOT_SCHEMA_NONE;
    int ret = spot_db_open(&self->db, path, SPOT_DB_READ, TIMEOUT_MS);

    if (ret == 0) {
        ret = spot_db_run(&self->db, "BEGIN");
    }
    if (ret == 0) {
        ret = spot_schema_look(&self->db, &state, diag);
    }
    if (ret == 0 && state == SPOT_SCHEMA_NONE) {
        spot_diag_error(diag, path, 0, 0,
            "the database is empty: its task ended before it wrote anything; run it "
            "again "
            "or leave it out");
    }
    if (ret == 0 && state != SPOT_SCHEMA_OURS) {
        ret = SPOT_ERR_BAD_INPUT;
    }
    return ret == 0 ? load_source(self) : ret;
}

/* Reads num_rows rows from first on, which must be there. */
static int
read_rows(source_t *self, int64_t number, int64_t first, int64_t num_rows, double *rows,
    uint32_t *warnings)
{
    const size_t num_metrics = self->study.head.num_metrics;
    sqlite3_stmt *row = self->read_rows;
    int64_t num_read = 0;
    bool is_row = false;
    int ret;

    sqlite3_bind_int64(row, 1, number);
    sqlite3_bind_int64(row, 2, first);
    sqlite3_bind_int64(row, 3, first + num_rows);
    ret = spot_db_step_row(&self->db, row, &is_row);
    while (ret == 0 && is_row && sqlite3_column_int64(row, 0) == first + num_read) {
        warnings[num_read] = (uint32_t) sqlite3_column_int64(row, 1);
        for (size_t j = 0; j < num_metrics; j++) {
            rows[(size_t) num_read * num_metrics + j] =
                sqlite3_column_type(row, (int) j + 2) == SQLITE_NULL
                    ? (double) NAN
                    : sqlite3_column_double(row, (int) j + 2);
        }
        num_read++;
        ret = spot_db_step_row(&self->db, row, &is_row);
    }
    sqlite3_reset(row);
    return ret == 0 && num_read != num_rows
               ? spot_db_damaged(&self->db, "a batch has fewer rows than it says")
               : ret;
}

/* A row that is in two stores must be the same in both. */
static int
compare_rows(
    merge_t *self, const source_t *in, const char *key, int64_t first, int64_t num_rows)
{
    const spot_study_head_t *head = &in->study.head;

    for (size_t j = 0; j < (size_t) num_rows; j++) {
        for (size_t k = 0; k < head->num_metrics; k++) {
            const double a = self->out_rows[j * head->num_metrics + k];
            const double b = self->rows[j * head->num_metrics + k];

            if (memcmp(&a, &b, sizeof(a)) != 0 && !(isnan(a) && isnan(b))) {
                spot_diag_error(self->diag, in->db.path, 0, 0,
                    "point %s, replication %" PRId64 ", %s: %.17g, but %.17g in %s or a "
                    "database merged before; one of them is wrong: run one of them "
                    "again "
                    "with the program that made the other",
                    key, first + (int64_t) j, head->metrics[k].name, b, a,
                    self->out.db.path);
                return SPOT_ERR_BAD_INPUT;
            }
        }
        if (self->out_warnings[j] != self->warnings[j]) {
            spot_diag_error(self->diag, in->db.path, 0, 0,
                "point %s, replication %" PRId64
                ": warnings are not those in %s or a database merged before",
                key, first + (int64_t) j, self->out.db.path);
            return SPOT_ERR_BAD_INPUT;
        }
    }
    return 0;
}

/* A batch of a store as its query gives it. */
typedef struct {
    const char *key;
    int64_t number, first, num_rows;
    int64_t out_number;
} batch_t;

/* What OUT has of the batch, compared with what the store has. */
static int
compare_batch(merge_t *self, const source_t *in, const batch_t *batch, int64_t num_there)
{
    const int64_t num_both = num_there < batch->num_rows ? num_there : batch->num_rows;
    const int ret = read_rows(&self->out, batch->out_number, batch->first, num_both,
        self->out_rows, self->out_warnings);

    return ret == 0 ? compare_rows(self, in, batch->key, batch->first, num_both) : ret;
}

/* The batch's rows in self->rows. */
static int
read_batch(merge_t *self, source_t *in, const batch_t *batch)
{
    const int64_t size = spot_study_batch_size(&in->study.head);

    if (batch->first < 0 || batch->first % size != 0 || batch->num_rows < 1 ||
        batch->num_rows > size || batch->key == NULL) {
        return spot_db_damaged(&in->db, "a batch is none");
    }
    return read_rows(
        in, batch->number, batch->first, batch->num_rows, self->rows, self->warnings);
}

static int
find_point(merge_t *self, const source_t *in, batch_t *batch)
{
    bool is_there = false;
    int ret;

    sqlite3_bind_text(self->find_point, 1, batch->key, -1, SQLITE_STATIC);
    ret = spot_db_step_row(&self->out.db, self->find_point, &is_there);
    batch->out_number = is_there ? sqlite3_column_int64(self->find_point, 0) : 0;
    sqlite3_reset(self->find_point);
    if (ret == 0 && !is_there) {
        spot_diag_error(self->diag, in->db.path, 0, 0, "%s has no point %s",
            self->study_path, batch->key);
        ret = SPOT_ERR_BAD_INPUT;
    }
    return ret;
}

static int
merge_batch(merge_t *self, source_t *in, sqlite3_stmt *row)
{
    batch_t batch = {.key = (const char *) sqlite3_column_text(row, 0),
        .number = sqlite3_column_int64(row, 1),
        .first = sqlite3_column_int64(row, 2),
        .num_rows = sqlite3_column_int64(row, 3)};
    int64_t num_there = 0, num_added = 0;
    int ret = read_batch(self, in, &batch);

    if (ret == 0) {
        ret = find_point(self, in, &batch);
    }
    if (ret == 0) {
        ret = spot_row_writer_find(
            &self->writer, &self->out.db, batch.out_number, batch.first, &num_there);
    }
    if (ret == 0 && num_there > 0) {
        ret = compare_batch(self, in, &batch, num_there);
    }
    if (ret == 0) {
        const spot_rows_t rows = {.number = batch.out_number,
            .batch_first = batch.first,
            .first = batch.first,
            .num_rows = (size_t) batch.num_rows,
            .rows = self->rows,
            .warnings = self->warnings};

        ret = spot_row_writer_add(&self->writer, &self->out.db, &rows, &num_added);
    }
    self->num_added += num_added;
    return ret;
}

static int
merge_batches(merge_t *self, source_t *in, const spot_watch_t *watch)
{
    sqlite3_stmt *row;
    bool is_row = false;
    int ret = spot_db_prepare(&in->db, &row,
        "SELECT key, batch.point, first, replications FROM batch LEFT JOIN point ON "
        "batch.point = point.point ORDER BY batch.point, first");

    if (ret == 0) {
        ret = spot_db_step_row(&in->db, row, &is_row);
    }
    while (ret == 0 && is_row) {
        ret = watch != NULL && spot_watch_is_stopped(watch) ? SPOT_ERR_INTERRUPTED
                                                            : merge_batch(self, in, row);
        if (ret == 0) {
            ret = spot_db_step_row(&in->db, row, &is_row);
        }
    }
    sqlite3_finalize(row);
    return ret;
}

/* The series of a replication, checked. Those that OUT has stay as they are. */
static int
merge_one_series(merge_t *self, source_t *in, const spot_series_id_t *id)
{
    const int64_t number = (int64_t) id->point_id; /* in its file */
    spot_recording_t recording = {0};
    sqlite3_stmt *row = NULL;
    batch_t batch = {0};
    bool is_row = false;
    int ret = spot_db_prepare(
        &in->db, &row, "SELECT key FROM point WHERE point = %lld", (long long) number);

    if (ret == 0) {
        ret = spot_db_step_row(&in->db, row, &is_row);
    }
    if (ret == 0 && !is_row) {
        ret = spot_db_damaged(&in->db, "series have a point that is none");
    }
    if (ret == 0) {
        batch.key = (const char *) sqlite3_column_text(row, 0);
        ret = find_point(self, in, &batch);
    }
    if (ret == 0) {
        ret = spot_series_read(&in->db, number, id->replication, &recording);
    }
    if (ret == 0) {
        ret = spot_series_write(
            &self->out.db, batch.out_number, id->replication, &recording);
    }
    spot_recording_free(&recording);
    sqlite3_finalize(row);
    return ret;
}

static int
merge_series(merge_t *self, source_t *in)
{
    spot_series_list_t list = {0};
    int ret = spot_series_numbers(&in->db, &list);

    for (size_t j = 0; ret == 0 && j < list.num_ids; j++) {
        ret = merge_one_series(self, in, &list.ids[j]);
    }
    spot_series_list_free(&list);
    return ret;
}

/* What each process noted, as late as it is known. */
static int
merge_provenance(merge_t *self, source_t *in)
{
    sqlite3_stmt *insert = NULL, *row;
    bool is_row = false;
    int ret = spot_db_prepare(&in->db, &row,
        "SELECT writer, started, seen, ended, outcome, rows_added, "
        "canonical_sha256, version, commit_id, compiler, libraries, machine, "
        "command_line, threads, shard FROM provenance ORDER BY started");

    if (ret == 0) {
        ret = spot_db_prepare(&self->out.db, &insert,
            "INSERT INTO provenance VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
            "?) ON CONFLICT (writer) DO UPDATE SET seen = excluded.seen, ended = "
            "excluded.ended, outcome = excluded.outcome, rows_added = "
            "excluded.rows_added WHERE excluded.seen > seen");
    }
    if (ret == 0) {
        ret = spot_db_step_row(&in->db, row, &is_row);
    }
    while (ret == 0 && is_row) {
        for (int j = 0; j < sqlite3_column_count(row); j++) {
            sqlite3_bind_value(insert, j + 1, sqlite3_column_value(row, j));
        }
        ret = spot_db_step_done(&self->out.db, insert);
        if (ret == 0) {
            ret = spot_db_step_row(&in->db, row, &is_row);
        }
    }
    sqlite3_finalize(insert);
    sqlite3_finalize(row);
    return ret;
}

/* Both must ask for the same. */
static int
compare_studies(merge_t *self, const source_t *in)
{
    const spot_study_head_t *out = &self->out.study.head;
    const spot_study_head_t *head = &in->study.head;
    size_t num_lines;
    const int ret = spot_stored_study_compare(&self->out.study, head,
        in->study.canonical, in->db.path, self->diag, &num_lines);

    if (ret != 0) {
        return ret;
    }
    if (out->num_replications != head->num_replications) {
        spot_diag_error(self->diag, in->db.path, 0, 0,
            "replications were %" PRId64 ", are %" PRId64, out->num_replications,
            head->num_replications);
        num_lines++;
    }
    if (out->num_points != head->num_points) {
        spot_diag_error(self->diag, in->db.path, 0, 0, "points were %zu, are %zu",
            out->num_points, head->num_points);
        num_lines++;
    }
    if (num_lines > 0) {
        spot_diag_error(self->diag, in->db.path, 0, 0,
            "holds another study than %s (which was before is here); merge databases of "
            "one study only",
            self->study_path);
    }
    return num_lines > 0 ? SPOT_ERR_BAD_INPUT : 0;
}

/* Every point of the store is one of OUT's, and there are as many of both. */
static int
compare_points(merge_t *self, source_t *in)
{
    sqlite3_stmt *row;
    batch_t batch = {0};
    bool is_row = false;
    int ret = spot_db_prepare(&in->db, &row, "SELECT key FROM point ORDER BY position");

    if (ret == 0) {
        ret = spot_db_step_row(&in->db, row, &is_row);
    }
    while (ret == 0 && is_row) {
        batch.key = (const char *) sqlite3_column_text(row, 0);
        ret = find_point(self, in, &batch);
        if (ret == 0) {
            ret = spot_db_step_row(&in->db, row, &is_row);
        }
    }
    sqlite3_finalize(row);
    return ret;
}

/* OUT gets the study of the first store. */
static int
make_out(merge_t *self, source_t *in)
{
    const spot_study_head_t *head = &in->study.head;
    char *removed = NULL;
    int ret = spot_schema_create(&self->out.db, &in->columns);

    if (ret == 0) {
        ret = spot_stored_study_write(
            &self->out.db, head, in->study.canonical, in->study.canonical_sha256);
    }
    if (ret == 0) {
        ret = spot_stored_points_write(&self->out.db, head, &in->columns, &removed);
    }
    free(removed);
    self->study_path = in->db.path;
    return ret;
}

/* With the study of OUT, what writes to it. */
static int
prepare_out(merge_t *self)
{
    const spot_study_head_t *head = &self->out.study.head;
    const size_t size = (size_t) spot_study_batch_size(head);
    int ret = spot_row_writer_init(&self->writer, &self->out.db, &self->out.columns);

    if (ret == 0) {
        ret = spot_db_prepare(
            &self->out.db, &self->find_point, "SELECT point FROM point WHERE key = ?");
    }
    self->rows = spot_calloc(size * head->num_metrics, sizeof(*self->rows));
    self->out_rows = spot_calloc(size * head->num_metrics, sizeof(*self->out_rows));
    self->warnings = spot_calloc(size, sizeof(*self->warnings));
    self->out_warnings = spot_calloc(size, sizeof(*self->out_warnings));
    return ret == 0 && (self->rows == NULL || self->out_rows == NULL ||
                           self->warnings == NULL || self->out_warnings == NULL)
               ? SPOT_ERR_NO_MEMORY
               : ret;
}

static int
merge_source(merge_t *self, const char *path, bool is_new, const spot_watch_t *watch)
{
    source_t in = {0};
    int ret = open_source(&in, path, self->diag);

    ret = spot_db_opening_error(&in.db, ret);
    if (ret == 0 && is_new) {
        ret = make_out(self, &in);
        if (ret == 0) {
            ret = load_source(&self->out);
        }
        if (ret == 0) {
            ret = prepare_out(self);
        }
    }
    if (ret == 0) {
        ret = compare_studies(self, &in);
    }
    if (ret == 0) {
        ret = compare_points(self, &in);
    }
    if (ret == 0) {
        ret = merge_batches(self, &in, watch);
    }
    if (ret == 0) {
        ret = merge_series(self, &in);
    }
    if (ret == 0) {
        ret = merge_provenance(self, &in);
    }
    spot_db_explain(&in.db, self->diag);
    self->study_path = is_new ? path : self->study_path;
    free_source(&in);
    return ret;
}

static int
merge_all(merge_t *self, size_t num_paths, const char *const *paths, bool is_new,
    const spot_watch_t *watch)
{
    int ret = 0;

    if (!is_new) {
        ret = load_source(&self->out);
        if (ret == 0) {
            ret = prepare_out(self);
        }
    }
    for (size_t j = 0; ret == 0 && j < num_paths; j++) {
        ret = merge_source(self, paths[j], is_new && j == 0, watch);
        if (watch != NULL) {
            spot_watch_report(watch, (int64_t) j + 1, (int64_t) num_paths);
        }
    }
    return ret;
}

static void
free_merge(merge_t *self)
{
    spot_row_writer_free(&self->writer);
    sqlite3_finalize(self->find_point);
    free(self->rows);
    free(self->out_rows);
    free(self->warnings);
    free(self->out_warnings);
    free_source(&self->out);
}

/* Before OUT is made: a name that is mistyped leaves nothing behind. */
static int
check_sources(size_t num_paths, const char *const *paths, spot_diag_t *diag)
{
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < num_paths; j++) {
        source_t in = {0};

        ret = spot_db_opening_error(&in.db, open_source(&in, paths[j], diag));
        spot_db_explain(&in.db, diag);
        free_source(&in);
    }
    return ret;
}

/* All of the merge, within the transaction that makes it one. */
static int
merge_locked(
    merge_t *self, size_t num_paths, const char *const *paths, const spot_watch_t *watch)
{
    spot_schema_state_t state;
    int ret = spot_schema_look(&self->out.db, &state, self->diag);

    if (ret == 0) {
        ret = merge_all(self, num_paths, paths, state == SPOT_SCHEMA_NONE, watch);
    }
    if (ret == 0) {
        ret = spot_programs_check(&self->out.db, self->diag);
    }
    return ret == 0 ? spot_db_check_place(&self->out.db) : ret;
}

int
spot_store_merge(const char *out_path, size_t num_paths, const char *const *paths,
    const spot_watch_t *watch, int64_t *num_added, spot_diag_t *diag)
{
    merge_t merge = {.study_path = out_path, .diag = diag};
    spot_schema_state_t state = SPOT_SCHEMA_OTHER;
    int ret = access(out_path, F_OK) == 0 ? 0 : check_sources(num_paths, paths, diag);

    if (ret != 0) {
        return ret;
    }
    ret = spot_db_open(&merge.out.db, out_path, SPOT_DB_WRITE, TIMEOUT_MS);
    if (ret == 0) {
        ret = spot_schema_look(&merge.out.db, &state, diag);
    }
    if (ret == 0) {
        ret = state == SPOT_SCHEMA_OTHER ? SPOT_ERR_BAD_INPUT
                                         : spot_db_start_writing(&merge.out.db);
    }
    ret = spot_db_opening_error(&merge.out.db, ret);
    if (ret == 0) {
        ret = spot_db_run(&merge.out.db, "BEGIN IMMEDIATE");
    }
    if (ret == 0) {
        ret = merge_locked(&merge, num_paths, paths, watch);
        ret = spot_db_end(&merge.out.db, ret);
    }
    spot_db_explain(&merge.out.db, diag);
    free_merge(&merge);
    if (num_added != NULL) {
        *num_added = merge.num_added;
    }
    return ret;
}
