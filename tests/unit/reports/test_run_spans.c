/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "reports/run_series.h"

static const char *const fates[] = {"done", "lost", NULL};
static const char *const nodes[] = {"b", "a", "idle", NULL};
static const spot_series_column_t columns[] = {
    {.name = "start", .kind = SPOT_COLUMN_INSTANT, .unit = ""},
    {.name = "end", .kind = SPOT_COLUMN_INSTANT, .unit = ""},
    {.name = "node", .kind = SPOT_COLUMN_TEXT, .unit = ""},
    {.name = "job", .kind = SPOT_COLUMN_TEXT, .unit = ""},
    {.name = "gpus", .kind = SPOT_COLUMN_COUNT, .unit = "1"},
    {.name = "fate", .kind = SPOT_COLUMN_CATEGORY, .unit = "", .categories = fates}};
static const spot_series_kind_t kind = {
    "nodes", "jobs", SPOT_SERIES_SPANS, 1, 6, .columns = columns};
static const spot_series_kind_t uncounted = {
    "nodes", "jobs", SPOT_SERIES_SPANS, 1000, 4, .columns = columns};

typedef struct {
    spot_recording_t recording;
    spot_series_t *series;
    spot_spans_t spans;
} sample_t;

static void begin(sample_t *self, const spot_series_kind_t *of_kind)
{
    memset(self, 0, sizeof(*self));
    assert_int_equal(spot_recording_init(&self->recording, 1, &of_kind), 0);
    self->series = self->recording.series;
}

static void add(sample_t *self, int64_t start, int64_t end, const char *node, int64_t num_gpus,
    const char *fate)
{
    assert_int_equal(spot_series_add(self->series,
                         (const spot_cell_t[]){{.integer = start}, {.integer = end}, {.text = node},
                             {.text = "job"}, {.integer = num_gpus}, {.text = fate}}),
        0);
}

static void end(sample_t *self)
{
    assert_int_equal(spot_spans_init(&self->spans, self->series, NULL), 0);
}

static void release(sample_t *self)
{
    spot_spans_free(&self->spans);
    spot_recording_free(&self->recording);
}

static void assert_piece(
    const sample_t *self, size_t span_id, size_t row_id, size_t slot, size_t num_slots)
{
    assert_true(span_id < self->spans.num_spans);
    assert_int_equal(self->spans.spans[span_id].row_id, row_id);
    assert_int_equal(self->spans.spans[span_id].slot, slot);
    assert_int_equal(self->spans.spans[span_id].num_slots, num_slots);
}

/* Rows in any order; what has no room side by side is in pieces. */
static void test_slots(void **state)
{
    sample_t self;

    (void) state;
    begin(&self, &kind);
    add(&self, 30, 60, "node 9", 3, "done"); /* in the slots of rows 1 and 3 */
    add(&self, 0, 20, "node 9", 2, "lost");
    add(&self, 10, 50, "node 9", 1, "?");
    add(&self, 10, 30, "node 9", 1, "done");
    add(&self, 5, 4, "node 9", 1, "done"); /* ends before it starts */
    end(&self);
    assert_int_equal(self.spans.num_spans, 5);
    assert_piece(&self, 0, 1, 0, 2);
    assert_piece(&self, 1, 2, 2, 1);
    assert_piece(&self, 2, 3, 3, 1);
    assert_piece(&self, 3, 0, 0, 2);
    assert_piece(&self, 4, 0, 3, 1);
    assert_int_equal(self.spans.lanes[0].num_slots, 4);
    assert_true(self.spans.end_ms == 60000);
    assert_int_equal(self.spans.num_colours, 3); /* with those of no known category */
    assert_true(self.spans.colours[0].sum_ms == 30000 * 3 + 20000);
    assert_true(self.spans.colours[1].sum_ms == 20000 * 2);
    assert_true(self.spans.colours[2].sum_ms == 40000);
    release(&self);
}

static void test_order_of_lanes(void **state)
{
    static const char *const names[] = {"vc 2/n10", "vc 10/n1", "vc 2/n9", "vc 2/n09x"};
    static const char *const expected[] = {"vc 2/n9", "vc 2/n09x", "vc 2/n10", "vc 10/n1"};
    spot_series_column_t known_columns[6];
    spot_series_kind_t known = kind;
    sample_t self;

    (void) state;
    begin(&self, &kind);
    for (size_t j = 0; j < 8; j++) {
        add(&self, 0, 1, names[j % 4], 1, "done");
    }
    end(&self);
    assert_int_equal(self.spans.num_lanes, 4);
    for (size_t j = 0; j < 4; j++) {
        assert_string_equal(self.spans.lanes[j].name, expected[j]);
    }
    for (size_t j = 0; j < self.spans.num_spans; j++) {
        assert_string_equal(self.spans.lanes[self.spans.spans[j].lane_id].name,
            names[self.spans.spans[j].row_id % 4]);
    }
    release(&self);
    memcpy(known_columns, columns, sizeof(columns));
    known_columns[2].kind = SPOT_COLUMN_CATEGORY;
    known_columns[2].categories = nodes;
    known.columns = known_columns;
    begin(&self, &known);
    add(&self, 0, 1, "a", 1, "done");
    add(&self, 0, 1, "0", 1, "done");
    end(&self);
    assert_int_equal(self.spans.num_lanes, 4); /* idle ones too, "0" behind all */
    for (size_t j = 0; j < 3; j++) {
        assert_string_equal(self.spans.lanes[j].name, nodes[j]);
    }
    assert_string_equal(self.spans.lanes[3].name, "0");
    assert_int_equal(self.spans.spans[0].lane_id, 1);
    release(&self);
}

/* Pieces of a lane never overlap, and take all that the rows say. */
static void test_random_spans(void **state)
{
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 1, 0, SPOT_STREAM_OWN, 0);
    for (int round = 0; round < 200; round++) {
        double taken_ms = 0, placed_ms = 0;
        sample_t self;

        begin(&self, &kind);
        for (int j = 0; j < 60; j++) {
            const int64_t start = (int64_t) spot_rng_below(&rng, 200);
            const int64_t length = (int64_t) spot_rng_below(&rng, 40);
            const int64_t num_gpus = 1 + (int64_t) spot_rng_below(&rng, 4);

            add(&self, start, start + length, spot_rng_below(&rng, 3) == 0 ? "a" : "b", num_gpus,
                "done");
            taken_ms += 1000 * (double) (length * num_gpus);
        }
        end(&self);
        for (size_t j = 0; j < self.spans.num_spans; j++) {
            const spot_span_t *a = &self.spans.spans[j];

            placed_ms += (a->end_ms - a->start_ms) * (double) a->num_slots;
            assert_true(a->slot + a->num_slots <= self.spans.lanes[a->lane_id].num_slots);
            for (size_t k = 0; k < j; k++) {
                const spot_span_t *b = &self.spans.spans[k];

                assert_true(a->lane_id != b->lane_id || b->end_ms <= a->start_ms ||
                            a->start_ms >= b->end_ms || a->start_ms == a->end_ms ||
                            a->slot + a->num_slots <= b->slot || b->slot + b->num_slots <= a->slot);
            }
        }
        assert_true(placed_ms == taken_ms);
        release(&self);
    }
}

static void test_too_many(void **state)
{
    double least_ms;
    size_t num_shorter;
    sample_t self;

    (void) state;
    begin(&self, &uncounted);
    for (int64_t j = 0; j < 100; j++) {
        add(&self, 0, j / 2, "node", 1, "done");
    }
    end(&self);
    assert_int_equal(self.spans.num_spans, 100);
    assert_int_equal(self.spans.lanes[0].num_slots, SPOT_MAX_SLOTS); /* they share */
    assert_int_equal(spot_spans_least(&self.spans, 100, &least_ms, &num_shorter), 0);
    assert_true(least_ms == 0 && num_shorter == 0);
    assert_int_equal(spot_spans_least(&self.spans, 11, &least_ms, &num_shorter), 0);
    assert_true(least_ms > 44 && least_ms <= 45); /* of the two of 44 one has no room */
    assert_int_equal(num_shorter, 90);
    release(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slots),
        cmocka_unit_test(test_order_of_lanes),
        cmocka_unit_test(test_random_spans),
        cmocka_unit_test(test_too_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
