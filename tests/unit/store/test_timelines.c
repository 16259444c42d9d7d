/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Timelines in a store: what is read is what was put, and damage is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/store/store.h"
#include "sim/store/timeline_bytes.h"
#include "sim/store/timelines.h"
#include "store_case.h"

static const char *const categories[SPOT_TIMELINE_MAX_CATEGORIES] = {
    "idle", "", "<b>", "\xe6\x97\xa5", "e", "f", "g", "h", "i", "j", "k", "l"};
static const char *const kinds[] = {"lost", "added", "&"};

/* A number of an own stream; the same everywhere. */
static uint64_t
draw(uint64_t *state, uint64_t bound)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*state >> 33) % bound;
}

static double
draw_value(uint64_t *state)
{
    static const double special[] = {0, -0.0, 1e308, -1e-308, 9007199254740991.0,
        -9007199254740991.0, 9007199254740992.0, 0.1, -1};

    return draw(state, 4) == 0 ? special[draw(state, 9)] : (double) draw(state, 300) / 4;
}

static void
fill(spot_timeline_t *self, uint64_t *state, size_t num_records)
{
    int64_t segment_ms = 0, mark_ms = 0, progress_ms = 0;

    spot_timeline_init(self);
    snprintf(self->note, sizeof(self->note), "run %d", (int) draw(state, 1000));
    self->title = "a \"title\"";
    self->height_label = "instances";
    self->progress_label = "";
    self->num_categories = 1 + draw(state, SPOT_TIMELINE_MAX_CATEGORIES);
    self->category_names = categories;
    self->num_mark_kinds = 1 + draw(state, 3);
    self->mark_names = kinds;
    for (size_t j = 0; j < num_records; j++) {
        spot_timeline_segment_t segment = {.start_ms = segment_ms};

        for (size_t k = 0; k < self->num_categories; k++) {
            segment.heights[k] = draw_value(state);
        }
        assert_int_equal(spot_timeline_add_segment(self, &segment), 0);
        assert_int_equal(spot_timeline_add_mark(self, mark_ms,
                             (int32_t) draw(state, self->num_mark_kinds),
                             (int64_t) draw(state, 9) - 4),
            0);
        assert_int_equal(
            spot_timeline_add_progress(self, progress_ms, draw_value(state)), 0);
        segment_ms += 1 + (int64_t) draw(state, 100000);
        mark_ms += (int64_t) draw(state, 2000);
        progress_ms += (int64_t) draw(state, 90000);
    }
    self->end_ms = segment_ms + mark_ms + progress_ms;
}

static void
assert_same(const spot_timeline_t *a, const spot_timeline_t *b)
{
    assert_string_equal(a->note, b->note);
    assert_string_equal(a->title, b->title);
    assert_string_equal(a->height_label, b->height_label);
    assert_string_equal(a->progress_label, b->progress_label);
    assert_int_equal(a->num_categories, b->num_categories);
    for (size_t j = 0; j < a->num_categories; j++) {
        assert_string_equal(a->category_names[j], b->category_names[j]);
    }
    assert_int_equal(a->num_mark_kinds, b->num_mark_kinds);
    for (size_t j = 0; j < a->num_mark_kinds; j++) {
        assert_string_equal(a->mark_names[j], b->mark_names[j]);
    }
    assert_true(a->end_ms == b->end_ms);
    assert_int_equal(a->num_segments, b->num_segments);
    assert_int_equal(a->num_marks, b->num_marks);
    assert_int_equal(a->num_progress, b->num_progress);
    for (size_t j = 0; j < a->num_segments; j++) {
        assert_memory_equal(&a->segments[j], &b->segments[j], sizeof(a->segments[j]));
    }
    for (size_t j = 0; j < a->num_marks; j++) {
        assert_true(a->marks[j].time_ms == b->marks[j].time_ms);
        assert_int_equal(a->marks[j].mark_kind, b->marks[j].mark_kind);
        assert_true(a->marks[j].count == b->marks[j].count);
    }
    for (size_t j = 0; j < a->num_progress; j++) {
        assert_memory_equal(&a->progress[j], &b->progress[j], sizeof(a->progress[j]));
    }
}

static void
test_bytes_and_back(void **state)
{
    uint64_t random = 1;

    (void) state;
    for (size_t round = 0; round < 200; round++) {
        spot_timeline_t put, read;
        spot_bytes_t bytes = {0};

        fill(&put, &random, draw(&random, 40));
        assert_int_equal(spot_timeline_write_bytes(&put, &bytes), 0);
        spot_timeline_init(&read);
        assert_int_equal(
            spot_timeline_read_bytes(&read, bytes.bytes, bytes.num_bytes), 0);
        assert_same(&put, &read);
        spot_timeline_free(&read);
        spot_timeline_free(&put);
        spot_bytes_free(&bytes);
    }
}

/* Bytes in memory of just their size, so that reading beyond them is seen. */
static int
read_damaged(const uint8_t *bytes, size_t num_bytes)
{
    uint8_t *copy = malloc(num_bytes + (num_bytes == 0));
    spot_timeline_t read;
    int ret;

    assert_non_null(copy);
    memcpy(copy, bytes, num_bytes);
    spot_timeline_init(&read);
    ret = spot_timeline_read_bytes(&read, copy, num_bytes);
    spot_timeline_free(&read);
    free(copy);
    return ret;
}

static void
test_damaged_bytes(void **state)
{
    uint64_t random = 5;
    spot_timeline_t timeline;
    spot_bytes_t bytes = {0};
    size_t num_refused = 0;

    (void) state;
    fill(&timeline, &random, 30);
    assert_int_equal(spot_timeline_write_bytes(&timeline, &bytes), 0);
    for (size_t j = 0; j < bytes.num_bytes; j++) { /* cut off anywhere */
        assert_int_equal(read_damaged(bytes.bytes, j), SPOT_ERR_BAD_INPUT);
    }
    for (size_t j = 0; j < 8 * bytes.num_bytes; j++) { /* any bit flipped */
        int ret;

        bytes.bytes[j / 8] ^= (uint8_t) (1u << j % 8);
        ret = read_damaged(bytes.bytes, bytes.num_bytes);
        bytes.bytes[j / 8] ^= (uint8_t) (1u << j % 8);
        assert_true(ret == 0 || ret == SPOT_ERR_BAD_INPUT);
        num_refused += ret != 0;
    }
    assert_true(num_refused > bytes.num_bytes / 2);
    for (size_t j = 0; j < 20000; j++) { /* some bytes anew */
        uint8_t *copy = malloc(bytes.num_bytes);
        int ret;

        assert_non_null(copy);
        memcpy(copy, bytes.bytes, bytes.num_bytes);
        for (size_t k = 0; k < 1 + j % 5; k++) {
            copy[draw(&random, bytes.num_bytes)] = (uint8_t) draw(&random, 256);
        }
        ret = read_damaged(copy, bytes.num_bytes);
        assert_true(ret == 0 || ret == SPOT_ERR_BAD_INPUT);
        free(copy);
    }
    spot_timeline_free(&timeline);
    spot_bytes_free(&bytes);
}

static void
assert_not_written(const spot_timeline_t *timeline)
{
    spot_bytes_t bytes = {0};

    assert_int_equal(spot_timeline_write_bytes(timeline, &bytes), SPOT_ERR_BAD_PARAM);
    spot_bytes_free(&bytes);
}

static void
test_what_is_no_timeline(void **state)
{
    uint64_t random = 9;
    spot_timeline_t timeline;
    spot_bytes_t bytes = {0};

    (void) state;
    fill(&timeline, &random, 10);
    timeline.segments[9].heights[0] = (double) INFINITY;
    assert_not_written(&timeline);
    timeline.segments[9].heights[0] = 1;
    timeline.segments[3].start_ms = timeline.segments[2].start_ms;
    assert_not_written(&timeline);
    timeline.segments[3].start_ms++;
    timeline.progress[4].value = (double) NAN;
    assert_not_written(&timeline);
    timeline.progress[4].value = 1;
    timeline.marks[2].mark_kind = 3;
    assert_not_written(&timeline);
    timeline.marks[2].mark_kind = 0;
    timeline.end_ms = timeline.segments[9].start_ms - 1;
    assert_not_written(&timeline);
    timeline.end_ms = SPOT_TIMELINE_MAX_MS + 1;
    assert_not_written(&timeline);
    timeline.end_ms = SPOT_TIMELINE_MAX_MS;
    assert_int_equal(spot_timeline_write_bytes(&timeline, &bytes), 0);
    spot_bytes_free(&bytes);
    spot_timeline_free(&timeline);
}

static void
put_one(spot_store_t *store, size_t point_id, int64_t replication, uint64_t seed,
    size_t num_records)
{
    spot_timeline_t timeline;

    fill(&timeline, &seed, num_records);
    assert_int_equal(
        spot_store_put_timeline(store, point_id, replication, &timeline), 0);
    spot_timeline_free(&timeline);
}

static void
check_one(const spot_store_t *store, size_t point_id, int64_t replication, uint64_t seed,
    size_t num_records)
{
    spot_timeline_t put, read;

    fill(&put, &seed, num_records);
    assert_int_equal(spot_store_read_timeline(store, point_id, replication, &read), 0);
    assert_same(&put, &read);
    assert_string_equal(read.colours[0].word, "idle");
    spot_timeline_free(&put);
    spot_timeline_free(&read);
}

/* Puts with rows in between. */
static void
test_in_a_store(void **state)
{
    spot_timeline_list_t list;
    spot_timeline_t timeline;
    store_case_t known;
    spot_store_t *store;
    const size_t num_large = 1000000;

    (void) state;
    case_init(&known, 64);
    store = case_open(&known);
    case_put_all(store);
    put_one(store, 2, 7, 1, 100);
    put_one(store, 0, 63, 2, 0);
    put_one(store, 0, 0, 3, num_large);
    put_one(store, 2, 7, 4, 5); /* the first one stays */
    case_flush(store);
    check_one(store, 2, 7, 1, 100);
    store->close(store);
    store = case_open_reader(&known);
    case_check_all(store);
    assert_int_equal(spot_timeline_list_read(&list, store), 0);
    assert_int_equal(list.num_ids, 3);
    assert_true(list.ids[0].point_id == 0 && list.ids[0].replication == 0);
    assert_true(list.ids[1].point_id == 0 && list.ids[1].replication == 63);
    assert_true(list.ids[2].point_id == 2 && list.ids[2].replication == 7);
    assert_true(spot_timeline_list_has(&list, 2, 7));
    assert_false(spot_timeline_list_has(&list, 2, 6));
    assert_false(spot_timeline_list_has(&list, 3, 7));
    spot_timeline_list_free(&list);
    check_one(store, 2, 7, 1, 100);
    check_one(store, 0, 63, 2, 0);
    check_one(store, 0, 0, 3, num_large);
    assert_int_equal(
        spot_store_read_timeline(store, 1, 0, &timeline), SPOT_ERR_BAD_PARAM);
    assert_int_equal(spot_store_put_timeline(store, 1, 0, &timeline), SPOT_ERR_STATE);
    store->close(store);
    case_remove(&known);
}

static void
test_bad_numbers(void **state)
{
    spot_timeline_t timeline;
    spot_timeline_list_t list;
    store_case_t known;
    spot_store_t *store;

    (void) state;
    case_init(&known, 64);
    spot_timeline_init(&timeline);
    assert_int_equal(spot_store_open_memory(&store, &known.head), 0);
    assert_int_equal(
        spot_store_put_timeline(store, 4, 0, &timeline), SPOT_ERR_BAD_PARAM);
    assert_int_equal(
        spot_store_put_timeline(store, 0, 64, &timeline), SPOT_ERR_BAD_PARAM);
    assert_int_equal(
        spot_store_put_timeline(store, 0, -1, &timeline), SPOT_ERR_BAD_PARAM);
    assert_int_equal(spot_store_put_timeline(store, 0, 0, &timeline), SPOT_ERR_STATE);
    assert_int_equal(spot_timeline_list_read(&list, store), 0);
    assert_int_equal(list.num_ids, 0);
    assert_int_equal(
        spot_store_read_timeline(store, 0, 0, &timeline), SPOT_ERR_BAD_PARAM);
    store->close(store);
}

/* A file of before there were timelines; and one that another program has changed. */
static void
test_other_files(void **state)
{
    spot_timeline_list_t list;
    spot_timeline_t timeline;
    store_case_t known;
    spot_store_t *store;
    spot_diag_t diag;

    (void) state;
    case_init(&known, 64);
    store = case_open(&known);
    put_one(store, 1, 3, 1, 10);
    store->close(store);
    case_sql(&known, "UPDATE timeline SET data = substr(data, 1, 20)");
    store = case_open_reader(&known);
    assert_int_equal(
        spot_store_read_timeline(store, 1, 3, &timeline), SPOT_ERR_BAD_INPUT);
    spot_timeline_free(&timeline);
    spot_diag_init(&diag);
    assert_int_equal(store->flush(store, &diag), SPOT_ERR_IO);
    assert_true(case_says(&diag, "the timeline of a replication is none"));
    spot_diag_free(&diag);
    store->close(store);
    case_sql(&known, "DROP TABLE timeline; DROP TABLE overview");
    store = case_open_reader(&known);
    assert_int_equal(spot_timeline_list_read(&list, store), 0);
    assert_int_equal(list.num_ids, 0);
    assert_int_equal(
        spot_store_read_timeline(store, 1, 3, &timeline), SPOT_ERR_BAD_PARAM);
    store->close(store);
    store = case_open(&known); /* which goes on in it */
    put_one(store, 1, 3, 1, 10);
    case_flush(store);
    check_one(store, 1, 3, 1, 10);
    store->close(store);
    case_remove(&known);
}

/* Parts of a study bring theirs together, into files of before too. */
static void
test_merge(void **state)
{
    store_case_t known[3];
    spot_store_t *store;
    spot_diag_t diag;

    (void) state;
    for (size_t j = 0; j < 3; j++) {
        case_init(&known[j], 64);
    }
    for (size_t j = 0; j < 2; j++) {
        store = case_open(&known[j]);
        case_put(store, 2 * j, 0, 64);
        put_one(store, 2 * j, 5, 10 + j, 10);
        put_one(store, 1, 9, 20, 10);
        store->close(store);
    }
    spot_diag_init(&diag);
    for (size_t round = 0; round < 2; round++) { /* again: nothing changes */
        assert_int_equal(
            spot_store_merge(known[2].path, 2,
                (const char *const[]){known[0].path, known[1].path}, NULL, NULL, &diag),
            0);
        assert_true(case_sql(&known[2], "SELECT count(*) FROM timeline") == 3);
    }
    spot_diag_free(&diag);
    store = case_open_reader(&known[2]);
    check_one(store, 0, 5, 10, 10);
    check_one(store, 2, 5, 11, 10);
    check_one(store, 1, 9, 20, 10);
    store->close(store);
    for (size_t j = 0; j < 3; j++) {
        case_remove(&known[j]);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes_and_back),
        cmocka_unit_test(test_damaged_bytes),
        cmocka_unit_test(test_what_is_no_timeline),
        cmocka_unit_test(test_in_a_store),
        cmocka_unit_test(test_bad_numbers),
        cmocka_unit_test(test_other_files),
        cmocka_unit_test(test_merge),
    };

    return cmocka_run_group_tests(tests, NULL, case_end);
}
