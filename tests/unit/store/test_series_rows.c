/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Series in a store: what is read is what was put, and damage is refused. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/bench/store/series_rows.h"
#include "sim/bench/store/store.h"
#include "sim/bench/store/store_merge.h"
#include "store_case.h"

/* Columns of every kind, with names that are no plain words of SQL. */
static const char *const fates[] = {"served", "<b>", "left & lost", "", NULL};
static const spot_series_column_t job_columns[] = {
    {.name = "Row", .unit = "", .kind = SPOT_COLUMN_INSTANT},
    {.name = "wait \"quoted\"", .unit = "", .kind = SPOT_COLUMN_DURATION},
    {.name = "row_", .unit = "gpus", .kind = SPOT_COLUMN_COUNT, .label = "GPUs"},
    {.name = "select", .unit = "1", .kind = SPOT_COLUMN_NUMBER, .num_decimals = 3, .is_bare = true},
    {.name = "fate",
        .unit = "",
        .kind = SPOT_COLUMN_CATEGORY,
        .categories = fates,
        .signs = "+-.."},
    {.name = "ROW", .unit = "", .kind = SPOT_COLUMN_TEXT}};
static const spot_series_kind_t jobs = {
    "kind", "jobs; a \"name\"", SPOT_SERIES_TABLE, 1000000000, 6, .columns = job_columns};

/* The same name with other columns, and a series of its own. */
static const spot_series_kind_t fewer_jobs = {
    "Kind", "jobs", SPOT_SERIES_EVENTS, 1, 5, .columns = job_columns};
static const spot_series_rule_t rules[] = {{0, 0.1, "a \"rule\""}, {1, 9007199254740992.0, ""}};
static const spot_series_kind_t level = {
    "level", "", SPOT_SERIES_SHOWN_TABLE, 1000, 1, job_columns + 3, 2, rules};

static const spot_series_kind_t *const all_kinds[] = {&jobs, &level, &fewer_jobs};

/* A number of an own stream; the same everywhere. */
static uint64_t draw(uint64_t *state, uint64_t bound)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*state >> 33) % bound;
}

static spot_cell_t draw_cell(uint64_t *state, spot_column_kind_t kind)
{
    static const double special[] = {
        0, -0.0, 1e308, -5e-324, 9007199254740993.0, (double) NAN, 0.1, -1};
    static const int64_t whole[] = {0, -1, INT64_MAX, INT64_MIN, 1 << 20};
    static const char *const texts[] = {"", "\xe6\x97\xa5", "'; DROP TABLE series", "a\nb"};
    const bool is_special = draw(state, 4) == 0;

    switch (kind) {
        case SPOT_COLUMN_NUMBER:
            return (spot_cell_t){
                .number = is_special ? special[draw(state, 8)] : (double) draw(state, 300) / 4};
        case SPOT_COLUMN_CATEGORY:
            return (spot_cell_t){.text = fates[draw(state, 4)]};
        case SPOT_COLUMN_TEXT:
            return (spot_cell_t){.text = texts[draw(state, 4)]};
        default:
            return (spot_cell_t){
                .integer = is_special ? whole[draw(state, 5)] : (int64_t) draw(state, 99)};
    }
}

/* Series of the first num_kinds kinds; the third has no rows. */
static void fill(spot_recording_t *self, size_t num_kinds, uint64_t seed, size_t num_rows)
{
    static const char title[] = "a \"title\"";

    assert_int_equal(spot_recording_init(self, num_kinds, all_kinds), 0);
    self->title = seed % 2 == 0 ? NULL : malloc(sizeof(title));
    if (self->title != NULL) {
        memcpy(self->title, title, sizeof(title));
    }
    snprintf(self->note, sizeof(self->note), "run %d", (int) draw(&seed, 1000));
    self->end_ticks = INT64_MAX - (int64_t) draw(&seed, 1000);
    for (size_t j = 0; j < num_kinds; j++) {
        const size_t num_here = j == 2 ? 0 : num_rows;

        for (size_t k = 0; k < num_here; k++) {
            spot_cell_t cells[6];

            for (size_t c = 0; c < all_kinds[j]->num_columns; c++) {
                cells[c] = draw_cell(&seed, all_kinds[j]->columns[c].kind);
            }
            assert_int_equal(spot_series_add(&self->series[j], cells), 0);
        }
    }
}

static void assert_same_text(const char *a, const char *b)
{
    assert_int_equal(a == NULL, b == NULL);
    if (a != NULL) {
        assert_string_equal(a, b);
    }
}

static void assert_same_column(const spot_series_kind_t *a, const spot_series_kind_t *b, size_t id)
{
    const spot_series_column_t *left = &a->columns[id], *right = &b->columns[id];

    assert_string_equal(left->name, right->name);
    assert_string_equal(spot_series_column_unit(a, left), spot_series_column_unit(b, right));
    assert_int_equal(left->kind, right->kind);
    assert_same_text(left->label, right->label);
    assert_same_text(left->signs, right->signs);
    assert_int_equal(left->num_decimals, right->num_decimals);
    assert_int_equal(left->is_bare, right->is_bare);
    assert_int_equal(left->categories == NULL, right->categories == NULL);
    for (size_t j = 0; left->categories != NULL; j++) {
        assert_same_text(left->categories[j], right->categories[j]);
        if (left->categories[j] == NULL) {
            break;
        }
    }
}

static void assert_same_cell(
    const spot_series_t *a, const spot_series_t *b, size_t row_id, size_t column_id)
{
    const size_t num_columns = a->kind->num_columns;
    const spot_cell_t *left = &a->cells[row_id * num_columns + column_id];
    const spot_cell_t *right = &b->cells[row_id * num_columns + column_id];

    switch (a->kind->columns[column_id].kind) {
        case SPOT_COLUMN_NUMBER:
            assert_int_equal(isnan(left->number), isnan(right->number));
            assert_true(isnan(left->number) || left->number == right->number);
            assert_false(right->number == 0 && signbit(right->number));
            break;
        case SPOT_COLUMN_CATEGORY:
        case SPOT_COLUMN_TEXT:
            assert_string_equal(
                spot_series_text(a, row_id, column_id), spot_series_text(b, row_id, column_id));
            break;
        default:
            assert_true(left->integer == right->integer);
    }
}

static void assert_same(const spot_recording_t *a, const spot_recording_t *b)
{
    assert_same_text(a->title, b->title);
    assert_string_equal(a->note, b->note);
    assert_true(a->end_ticks == b->end_ticks);
    assert_int_equal(a->num_series, b->num_series);
    for (size_t j = 0; j < a->num_series; j++) {
        const spot_series_kind_t *left = a->series[j].kind, *right = b->series[j].kind;

        assert_string_equal(left->name, right->name);
        assert_string_equal(left->help, right->help);
        assert_int_equal(left->shape, right->shape);
        assert_true(left->ticks_per_s == right->ticks_per_s);
        assert_int_equal(left->num_columns, right->num_columns);
        for (size_t k = 0; k < left->num_columns; k++) {
            assert_same_column(left, right, k);
        }
        assert_int_equal(left->num_rules, right->num_rules);
        for (size_t k = 0; k < left->num_rules; k++) {
            assert_int_equal(left->rules[k].column_id, right->rules[k].column_id);
            assert_true(left->rules[k].value == right->rules[k].value);
            assert_string_equal(left->rules[k].text, right->rules[k].text);
        }
        assert_int_equal(a->series[j].num_rows, b->series[j].num_rows);
        for (size_t k = 0; k < a->series[j].num_rows * left->num_columns; k++) {
            assert_same_cell(
                &a->series[j], &b->series[j], k / left->num_columns, k % left->num_columns);
        }
    }
}

static void put_one(
    spot_store_t *store, size_t point_id, int64_t replication, size_t num_kinds, size_t num_rows)
{
    spot_recording_t recording;

    fill(&recording, num_kinds, point_id * 1000 + (uint64_t) replication, num_rows);
    assert_int_equal(spot_store_put_series(store, point_id, replication, &recording), 0);
    spot_recording_free(&recording);
}

static void check_one(const spot_store_t *store, size_t point_id, int64_t replication,
    size_t num_kinds, size_t num_rows)
{
    spot_recording_t put, read;

    fill(&put, num_kinds, point_id * 1000 + (uint64_t) replication, num_rows);
    assert_int_equal(spot_store_read_series(store, point_id, replication, &read), 0);
    assert_same(&put, &read);
    spot_recording_free(&put);
    spot_recording_free(&read);
}

/* Puts with rows in between. */
static void test_in_a_store(void **state)
{
    spot_series_list_t list;
    spot_recording_t recording;
    store_case_t known;
    spot_store_t *store;

    (void) state;
    case_init(&known, 64);
    store = case_open(&known);
    case_put_all(store);
    put_one(store, 2, 7, 3, 100);
    put_one(store, 0, 63, 2, 0);
    put_one(store, 0, 0, 2, 20000);
    put_one(store, 2, 7, 1, 5); /* the first ones stay */
    case_flush(store);
    check_one(store, 2, 7, 3, 100);
    store->close(store);
    store = case_open_reader(&known);
    case_check_all(store);
    assert_int_equal(spot_series_list_read(&list, store), 0);
    assert_int_equal(list.num_ids, 3);
    assert_true(list.ids[0].point_id == 0 && list.ids[0].replication == 0);
    assert_true(list.ids[1].point_id == 0 && list.ids[1].replication == 63);
    assert_true(list.ids[2].point_id == 2 && list.ids[2].replication == 7);
    assert_true(spot_series_list_has(&list, 2, 7));
    assert_false(spot_series_list_has(&list, 2, 6));
    assert_false(spot_series_list_has(&list, 3, 7));
    spot_series_list_free(&list);
    check_one(store, 2, 7, 3, 100);
    check_one(store, 0, 63, 2, 0);
    check_one(store, 0, 0, 2, 20000);
    assert_int_equal(spot_store_read_series(store, 1, 0, &recording), SPOT_ERR_BAD_PARAM);
    assert_int_equal(spot_store_put_series(store, 1, 0, &recording), SPOT_ERR_STATE);
    store->close(store);
    case_remove(&known);
}

/* Any reader of SQL finds the columns under their names; kinds that differ have tables
 * of their own. */
static void test_tables(void **state)
{
    store_case_t known;
    spot_store_t *store;

    (void) state;
    case_init(&known, 64);
    store = case_open(&known);
    put_one(store, 3, 5, 3, 10);
    put_one(store, 3, 6, 3, 10);
    store->close(store);
    assert_true(case_sql(&known, "SELECT count(*) FROM series_level WHERE point = 3 AND "
                                 "replication = 5 AND \"select\" IS NOT 7.125") == 10);
    assert_true(case_sql(&known,
                    "SELECT count(DISTINCT fate) FROM series_kind_2 WHERE \"Row_\" IS NOT NULL "
                    "AND \"row__\" IS NOT NULL AND \"ROW___\" IS NOT NULL AND \"wait "
                    "\"\"quoted\"\"\" IS NOT NULL") > 1);
    assert_true(case_sql(&known, "SELECT count(*) FROM series_Kind_3") == 0);
    assert_true(case_sql(&known, "SELECT count(*) FROM series_kind") == 3);
    assert_true(
        case_sql(&known, "SELECT count(*) FROM series_kind, json_each(kind, '$.columns') WHERE "
                         "rows_in = 'series_kind_2' AND json_extract(kind, '$.ticks_per_s') = "
                         "1000000000 AND json_extract(value, '$.kind') IN ('instant', "
                         "'duration')") == 2);
    /* A database of before there were rules has kinds of the same digest. */
    assert_true(case_sql(&known, "SELECT count(*) FROM series_kind WHERE kind LIKE "
                                 "'%rules%'") == 1);
    case_remove(&known);
}

static void *put_many(void *context)
{
    spot_store_t *store = context;

    for (int64_t j = 0; j < 64; j++) {
        put_one(store, (size_t) j % 4, j, 2, 10);
    }
    return NULL;
}

static void test_threads(void **state)
{
    store_case_t known;
    spot_store_t *store;
    pthread_t threads[4];

    (void) state;
    case_init(&known, 64);
    store = case_open(&known);
    for (size_t j = 0; j < 4; j++) {
        assert_int_equal(pthread_create(&threads[j], NULL, put_many, store), 0);
    }
    for (size_t j = 0; j < 4; j++) {
        assert_int_equal(pthread_join(threads[j], NULL), 0);
    }
    case_flush(store);
    for (int64_t j = 0; j < 64; j++) {
        check_one(store, (size_t) j % 4, j, 2, 10);
    }
    store->close(store);
    assert_true(case_sql(&known, "SELECT count(*) FROM series") == 128);
    case_remove(&known);
}

static void test_bad_numbers(void **state)
{
    spot_recording_t recording = {0};
    spot_series_list_t list;
    store_case_t known;
    spot_store_t *store;

    (void) state;
    case_init(&known, 64);
    assert_int_equal(spot_store_open_memory(&store, &known.head), 0);
    assert_int_equal(spot_store_put_series(store, 4, 0, &recording), SPOT_ERR_BAD_PARAM);
    assert_int_equal(spot_store_put_series(store, 0, 64, &recording), SPOT_ERR_BAD_PARAM);
    assert_int_equal(spot_store_put_series(store, 0, -1, &recording), SPOT_ERR_BAD_PARAM);
    assert_int_equal(spot_store_put_series(store, 0, 0, &recording), SPOT_ERR_STATE);
    assert_int_equal(spot_series_list_read(&list, store), 0);
    assert_int_equal(list.num_ids, 0);
    assert_int_equal(spot_store_read_series(store, 0, 0, &recording), SPOT_ERR_BAD_PARAM);
    store->close(store);
}

/* Reads all series of a file that another program has changed. */
static int read_all(const store_case_t *known, spot_diag_t *diag)
{
    spot_store_t *store;
    spot_series_list_t list;
    int flushed, ret = spot_store_open_sqlite_reader(&store, known->path, diag);

    if (ret != 0) {
        return ret;
    }
    ret = spot_series_list_read(&list, store);

    for (size_t j = 0; ret == 0 && j < list.num_ids; j++) {
        spot_recording_t recording;

        ret = spot_store_read_series(
            store, list.ids[j].point_id, list.ids[j].replication, &recording);
        spot_recording_free(&recording);
    }
    spot_series_list_free(&list);
    flushed = store->flush(store, diag);
    assert_int_equal(flushed, ret);
    store->close(store);
    return ret;
}

/* A statement that changes what is stored of all kinds. */
#define KIND_WITH(path, value)                                                                     \
    "UPDATE series_kind SET kind = json_set(kind, '$." path "', " value ")"

/* Whatever of a series is changed, left out or added is seen. */
static void test_damaged(void **state)
{
    static const struct {
        const char *sql, *words;
    } cases[] = {
        {"UPDATE series_level SET \"select\" = 1e-9 WHERE point = 1 AND row = 4",
            "damaged (the series of point 1, replication 3 are not"},
        {"UPDATE series_kind_2 SET fate = 'serves' WHERE point = 2 AND row = 0",
            "damaged (the series of point 2, replication 4 are not"},
        {"UPDATE series_kind_2 SET row_ = NULL WHERE row = 1", "damaged"},
        {"UPDATE series_kind_2 SET row_ = NULL WHERE row_ = 0", "damaged"}, /* reads as 0 */
        {"UPDATE series_kind_2 SET \"ROW___\" = NULL WHERE \"ROW___\" = ''", "damaged"},
        {"UPDATE series_kind_2 SET Row_ = Row_ + 1 WHERE row = 1", "damaged"},
        {"UPDATE series_kind_2 SET \"ROW___\" = 'x' WHERE row = 1", "damaged"},
        {"UPDATE series_kind_2 SET \"ROW___\" = NULL WHERE row = 1", "damaged"},
        {"DELETE FROM series_level WHERE row = 9", "damaged"},
        {"INSERT INTO series_level VALUES (1, 3, 10, 0)", "damaged"},
        {"UPDATE series SET note = note || ' '", "damaged"},
        {"UPDATE series SET title = NULL WHERE replication = 3", "damaged"},
        {"UPDATE series SET end_ticks = 4", "damaged"},
        {"UPDATE series SET rows = rows - 1", "damaged"},
        {"UPDATE series SET rows_in = 'replication'", "damaged"},
        {"UPDATE series SET rows_in = char(27) || '[2J'", "point 1, replication 3"},
        {"UPDATE series SET digest = 0", "the list of its series is not"},
        {"UPDATE series SET point = 3 WHERE point = 2", "the list of its series is not"},
        {"UPDATE series SET replication = 8 WHERE replication = 4",
            "the list of its series is not"},
        {"DELETE FROM series WHERE point = 2", "the list of its series is not"},
        {"DELETE FROM series", "the list of its series is not"},
        {"DELETE FROM series_total", "the list of its series is not"},
        {"INSERT INTO series_total VALUES (0, 0)", "the list of its series is not"},
        {KIND_WITH("name", "'levels'"), "damaged"},
        {KIND_WITH("help", "'x'"), "damaged"},
        {KIND_WITH("help", "NULL"), "damaged"},
        {KIND_WITH("shape", "'table'"), "damaged"},
        {KIND_WITH("shape", "'round'"), "damaged"},
        {KIND_WITH("ticks_per_s", "0"), "damaged"},
        {KIND_WITH("columns[1].unit", "'cpus'"), "damaged"},
        {KIND_WITH("columns[1].unit", "NULL"), "damaged"},
        {KIND_WITH("columns[1].kind", "'text'"), "damaged"},
        {KIND_WITH("columns[1].kind", "'sound'"), "damaged"},
        {KIND_WITH("columns[1].categories", "json('[\"served\"]')"), "damaged"},
        {KIND_WITH("columns[1].categories", "json('[null]')"), "damaged"},
        {KIND_WITH("columns[1].signs", "'+++'"), "damaged"},
        {"UPDATE series_kind SET kind = json_remove(kind, '$.columns[1]')", "damaged"},
        {KIND_WITH("rules[0].value", "0.2"), "damaged"},
        {KIND_WITH("rules[0].text", "NULL"), "damaged"},
        {KIND_WITH("num_rules", "1"), "damaged"},
        {"UPDATE series_kind SET kind = kind || ' '", "damaged"},
        {"UPDATE series_kind SET kind = '['", "damaged"},
        {"UPDATE series_kind SET digest = digest + 1", "damaged"},
        {"DELETE FROM series_kind", "damaged"},
        {"UPDATE series_kind SET rows_in = rows_in || '_'", "damaged"},
        {"ALTER TABLE series_level ADD COLUMN more TEXT", "damaged"},
        {"DROP TABLE series_level", "tables are missing"},
        {"DROP TABLE series", "tables are missing"},
    };
    store_case_t known;

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        spot_store_t *store;
        spot_diag_t diag;

        case_init(&known, 64);
        store = case_open(&known);
        put_one(store, 1, 3, 2, 10);
        put_one(store, 2, 4, 3, 10);
        store->close(store);
        spot_diag_init(&diag);
        assert_int_equal(read_all(&known, &diag), 0);
        case_sql(&known, cases[j].sql);
        assert_int_equal(read_all(&known, &diag), SPOT_ERR_BAD_INPUT);
        if (!case_says(&diag, cases[j].words)) {
            fail_msg("%s: %s", cases[j].sql, diag.items[0].text);
        }
        spot_diag_free(&diag);
        case_remove(&known);
    }
}

/* What SQLite quotes of a damaged file is shown without the bytes that a terminal obeys.
 */
static void test_no_bytes_of_the_file(void **state)
{
    store_case_t known;
    spot_store_t *store;

    (void) state;
    case_init(&known, 64);
    store = case_open(&known);
    put_one(store, 1, 3, 2, 10);
    store->close(store);
    case_sql(&known, "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = "
                     "replace(sql, '\"select\"', char(27, 155)) WHERE name = "
                     "'series_level'");
    case_reader_refused(&known, SPOT_ERR_BAD_INPUT, "unrecognized token: \"?");
    case_remove(&known);
}

/* Parts of a study bring theirs together, and damaged ones are refused. */
static void test_merge(void **state)
{
    store_case_t known[3];
    const char *paths[2];
    spot_store_t *store;
    spot_diag_t diag;

    (void) state;
    for (size_t j = 0; j < 3; j++) {
        case_init(&known[j], 64);
    }
    for (size_t j = 0; j < 2; j++) {
        paths[j] = known[j].path;
        store = case_open(&known[j]);
        case_put(store, 2 * j, 0, 64);
        put_one(store, 2 * j, 5, 3 - j, 10);
        put_one(store, 1, 9, 2, 10);
        store->close(store);
    }
    spot_diag_init(&diag);
    for (size_t round = 0; round < 2; round++) { /* again: nothing changes */
        assert_int_equal(spot_store_merge(known[2].path, 2, paths, NULL, NULL, &diag), 0);
        assert_true(case_sql(&known[2], "SELECT count(*) FROM series") == 7);
    }
    store = case_open_reader(&known[2]);
    check_one(store, 0, 5, 3, 10);
    check_one(store, 2, 5, 2, 10);
    check_one(store, 1, 9, 2, 10);
    store->close(store);
    case_remove(&known[2]);
    case_sql(&known[1], "UPDATE series_level SET \"select\" = -3 WHERE row = 4");
    assert_int_equal(
        spot_store_merge(known[2].path, 2, paths, NULL, NULL, &diag), SPOT_ERR_BAD_INPUT);
    assert_true(case_says(&diag, "damaged (the series of point 1, replication 9"));
    spot_diag_free(&diag);
    for (size_t j = 0; j < 3; j++) {
        case_remove(&known[j]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_a_store),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_bad_numbers),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_no_bytes_of_the_file),
        cmocka_unit_test(test_merge),
    };

    return cmocka_run_group_tests(tests, NULL, case_end);
}
