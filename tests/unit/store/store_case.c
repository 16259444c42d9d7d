/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store_case.h"

#include <math.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/bench/store/schema.h"
#include "sim/bench/store/sqlite_db.h"
#include "sim/bench/store/store_sqlite.h"

static const spot_warning_t case_warnings[CASE_WARNINGS] = {
    {"beyond", "met \"it\""}, {"summary", "named as a column is"}};

static const spot_colour_t case_colours[] = {{"idle", "#102030"}, {NULL, NULL}};

const char *case_folder(void)
{
    static char folder[200];
    const char *root = getenv("SPOT_TEST_TMP");

    if (folder[0] == '\0') {
        snprintf(folder, sizeof(folder), "%s/store-XXXXXX", root == NULL ? "/tmp" : root);
        assert_non_null(mkdtemp(folder));
    }
    return folder;
}

void case_init(store_case_t *self, int64_t num_replications)
{
    static char texts[2][4][8] = {{"8", "16", "24", "32"}, {"30 s", "0.5 h", "2 h", "3 h"}};
    static const double numbers[2][4] = {{8, 16, 24, 32}, {30, 1800, 7200, 10800}};
    static char depth[] = "job.pipeline_depth", reload[] = "job.reload", s[] = "s", none[] = "",
                name[] = "a case", question[] = "What is it?", y[] = "idle_fraction";
    static int number;

    memset(self, 0, sizeof(*self));
    for (size_t j = 0; j < 8; j++) {
        self->texts[j / 4][j % 4] = texts[j / 4][j % 4];
    }
    memcpy(self->numbers, numbers, sizeof(numbers));
    self->axes[0] = (spot_axis_t){depth, 2, self->texts[0], self->numbers[0], none, NULL};
    self->axes[1] = (spot_axis_t){reload, 2, self->texts[1], self->numbers[1], s, NULL};
    self->metrics[0] = (spot_metric_t){.name = "idle_fraction", .unit = "1", .help = "idle"};
    self->metrics[1] = (spot_metric_t){.name = "a \"quoted\" one", .unit = "USD", .help = "costs"};
    self->metrics[2] =
        (spot_metric_t){.name = "Replication", .unit = "s", .help = "named as a column is"};
    self->head = (spot_study_head_t){.name = name,
        .question = question,
        .seed = 7,
        .batch_replications = 64,
        .num_replications = num_replications,
        .min_replications = num_replications,
        .num_axes = 2,
        .axes = self->axes,
        .num_points = 4,
        .num_listed = 2,
        .num_metrics = CASE_METRICS,
        .metrics = self->metrics,
        .num_warnings = CASE_WARNINGS,
        .warnings = case_warnings,
        .colours = case_colours,
        .plot = {.y = y}};
    self->provenance =
        (spot_provenance_t){.canonical = "fleet:\n  capacity: 64\njob:\n  reconfiguration: 47 s\n",
            .canonical_sha256 = "0123",
            .version = "1",
            .commit = "c",
            .compiler = "cc",
            .libraries = "l",
            .machine = "m",
            .command_line = "spotsim 'x'",
            .num_threads = 2,
            .shard = ""};
    snprintf(self->path, sizeof(self->path), "%s/%d.db", case_folder(), number++);
}

void case_remove(const store_case_t *self)
{
    static const char *const ends[] = {"", "-wal", "-shm"};
    char path[300];

    for (size_t j = 0; j < 3; j++) {
        snprintf(path, sizeof(path), "%s%s", self->path, ends[j]);
        unlink(path);
    }
}

int case_end(void **state)
{
    (void) state;
    return rmdir(case_folder());
}

uint32_t case_row(const spot_study_head_t *head, size_t point_id, int64_t replication, double *row)
{
    const double a = head->axes[0].numbers[spot_study_value_id(head, point_id, 0)];
    const double b = head->axes[1].numbers[spot_study_value_id(head, point_id, 1)];

    row[0] = sin(a * b + (double) replication) / 3;
    row[1] = replication % 5 == 4 ? (double) NAN : a * (double) replication;
    row[2] = replication % 7 == 6 ? (double) INFINITY : -b * 1e300;
    return (replication % 3 == 0 ? 1u : 0u) | (replication % 10 == 9 ? 2u : 0u);
}

void case_put(spot_store_t *store, size_t point_id, int64_t first, int64_t num_rows)
{
    const int64_t size = spot_study_batch_size(store->head);
    double *rows = malloc((size_t) size * CASE_METRICS * sizeof(*rows));
    uint32_t *warnings = malloc((size_t) size * sizeof(*warnings));

    assert_non_null(rows);
    assert_non_null(warnings);
    while (num_rows > 0) {
        const int64_t left = size - first % size;
        const int64_t num = num_rows < left ? num_rows : left;

        for (int64_t j = 0; j < num; j++) {
            warnings[j] = case_row(store->head, point_id, first + j, &rows[j * CASE_METRICS]);
        }
        assert_int_equal(
            store->put(store, &(spot_piece_t){point_id, first, (size_t) num, rows, warnings}), 0);
        first += num;
        num_rows -= num;
    }
    free(rows);
    free(warnings);
}

int64_t case_put_all(spot_store_t *store)
{
    const int64_t size = spot_study_batch_size(store->head);
    const int64_t num_replications = store->head->num_replications;
    const int64_t num_batches = (num_replications - 1) / size + 1;
    const int64_t num_all = num_batches * (int64_t) store->head->num_points;
    int64_t num_put = 0;

    for (int64_t j = 0; j < num_all; j++) {
        const size_t point_id = (size_t) (j / num_batches);
        const int64_t first = j % num_batches * size;
        const int64_t left = num_replications - first;
        const int64_t num = left < size ? left : size;
        const int64_t num_there = store->num_there(store, point_id, first);

        case_put(store, point_id, first + num_there, num - num_there);
        num_put += num - num_there;
    }
    return num_put;
}

typedef struct {
    const spot_store_t *store;
    size_t point_id;
    int64_t next;
} checker_t;

static int check_row(void *context, const spot_row_t *read)
{
    checker_t *self = context;
    double row[CASE_METRICS];

    const uint32_t warnings = case_row(self->store->head, self->point_id, self->next, row);

    assert_int_equal(read->replication, self->next++);
    assert_int_equal(read->warnings, warnings);
    for (size_t j = 0; j < CASE_METRICS; j++) {
        if (isnan(row[j])) {
            assert_true(isnan(read->metrics[j]));
        } else {
            assert_memory_equal(&read->metrics[j], &row[j], sizeof(row[j]));
        }
    }
    return 0;
}

void case_check_point(const spot_store_t *store, size_t point_id, int64_t num_rows)
{
    checker_t checker = {store, point_id, 0};
    int64_t num_warned[2] = {0, 0};

    for (int64_t j = 0; j < num_rows; j++) {
        num_warned[0] += j % 3 == 0;
        num_warned[1] += j % 10 == 9;
    }
    assert_int_equal(store->num_rows(store, point_id), num_rows);
    assert_int_equal(store->num_warned(store, point_id, 0), num_warned[0]);
    assert_int_equal(store->num_warned(store, point_id, 1), num_warned[1]);
    assert_int_equal(store->read(store, point_id, 0, check_row, &checker), 0);
    assert_int_equal(checker.next, num_rows);
}

void case_check_all(const spot_store_t *store)
{
    for (size_t j = 0; j < store->head->num_points; j++) {
        case_check_point(store, j, store->head->num_replications);
    }
}

spot_store_t *case_open(const store_case_t *self)
{
    spot_store_t *store = NULL;
    spot_diag_t diag;

    spot_diag_init(&diag);
    if (spot_store_open_sqlite(&store, self->path, &self->head, &self->provenance, &diag) != 0) {
        spot_diag_print(&diag, stderr);
    }
    assert_non_null(store);
    spot_diag_free(&diag);
    return store;
}

spot_store_t *case_open_reader(const store_case_t *self)
{
    spot_store_t *store = NULL;
    spot_diag_t diag;

    spot_diag_init(&diag);
    if (spot_store_open_sqlite_reader(&store, self->path, &diag) != 0) {
        spot_diag_print(&diag, stderr);
    }
    assert_non_null(store);
    spot_diag_free(&diag);
    return store;
}

void case_flush(spot_store_t *store)
{
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(store->flush(store, &diag), 0);
    spot_diag_free(&diag);
}

bool case_says(const spot_diag_t *diag, const char *words)
{
    for (size_t j = 0; j < diag->num_items; j++) {
        if (strstr(diag->items[j].text, words) != NULL) {
            return true;
        }
    }
    spot_diag_print(diag, stderr);
    fprintf(stderr, "expected: %s\n", words);
    return false;
}

void case_refused(const store_case_t *self, int error, const char *words)
{
    spot_store_t *store;
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(
        spot_store_open_sqlite(&store, self->path, &self->head, &self->provenance, &diag), error);
    assert_null(store);
    assert_true(case_says(&diag, words));
    spot_diag_free(&diag);
}

void case_reader_refused(const store_case_t *self, int error, const char *words)
{
    spot_store_t *store;
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(spot_store_open_sqlite_reader(&store, self->path, &diag), error);
    assert_null(store);
    assert_true(case_says(&diag, words));
    spot_diag_free(&diag);
}

double case_sql(const store_case_t *self, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    double value = (double) NAN;
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open(self->path, &db), SQLITE_OK);
    while (sql != NULL && *sql != '\0') {
        assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, &sql), SQLITE_OK);
        if (sqlite3_step(statement) == SQLITE_ROW &&
            sqlite3_column_type(statement, 0) != SQLITE_NULL) {
            value = sqlite3_column_double(statement, 0);
        }
        assert_int_equal(sqlite3_finalize(statement), SQLITE_OK);
    }
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    return value;
}

/* The digest of the rows of a batch. */
static uint64_t digest_batch(spot_db_t *db, int64_t point, int64_t first, int64_t num_rows)
{
    sqlite3_stmt *row;
    uint64_t digest = 0;
    int ret = 0;

    assert_int_equal(spot_db_prepare(db, &row,
                         "SELECT * FROM replication WHERE point = %lld AND replication >= %lld AND "
                         "replication < %lld",
                         (long long) point, (long long) first, (long long) (first + num_rows)),
        0);
    while (spot_db_next_row(db, row, &ret)) {
        double metrics[CASE_METRICS];

        for (int j = 0; j < CASE_METRICS; j++) {
            metrics[j] = sqlite3_column_type(row, j + 2) == SQLITE_NULL
                             ? (double) NAN
                             : sqlite3_column_double(row, j + 2);
        }
        digest = spot_digest_word(digest, (uint64_t) sqlite3_column_int64(row, 1));
        digest = spot_digest_word(digest, (uint64_t) sqlite3_column_int64(row, CASE_METRICS + 2));
        for (int j = 0; j < CASE_METRICS; j++) {
            digest = spot_digest_number(digest, metrics[j]);
        }
    }
    assert_int_equal(ret, 0);
    sqlite3_finalize(row);
    return digest;
}

void case_seal(const store_case_t *self)
{
    spot_columns_t columns;
    sqlite3_stmt *batch;
    spot_db_t db;
    int ret = 0;

    assert_int_equal(spot_db_open(&db, self->path, SPOT_DB_WRITE, 1000), 0);
    assert_int_equal(spot_db_run(&db, "BEGIN; UPDATE study SET digest = " SPOT_STUDY_DIGEST
                                      "; UPDATE provenance SET digest = " SPOT_PROVENANCE_DIGEST),
        0);
    assert_int_equal(
        spot_db_prepare(&db, &batch, "SELECT point, first, replications FROM batch"), 0);
    while (spot_db_next_row(&db, batch, &ret)) {
        const int64_t point = sqlite3_column_int64(batch, 0);
        const int64_t first = sqlite3_column_int64(batch, 1);
        const uint64_t digest = digest_batch(&db, point, first, sqlite3_column_int64(batch, 2));

        assert_int_equal(
            spot_db_run(&db, "UPDATE batch SET digest = %lld WHERE point = %lld AND first = %lld",
                (long long) digest, (long long) point, (long long) first),
            0);
    }
    assert_int_equal(ret, 0);
    sqlite3_finalize(batch);
    assert_int_equal(spot_columns_init(&columns, &self->head), 0);
    assert_int_equal(spot_schema_total_make(&db, &columns), 0);
    spot_columns_free(&columns);
    assert_int_equal(spot_db_run(&db, "COMMIT"), 0);
    spot_db_close(&db);
}

void case_forge(const store_case_t *self, const char *path, const char *value)
{
    char *sql =
        sqlite3_mprintf("UPDATE study SET head = json_set(head, %Q, json(%Q))", path, value);

    (void) case_sql(self, sql);
    sqlite3_free(sql);
    case_seal(self);
}
