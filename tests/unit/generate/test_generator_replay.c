/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/statistical/statistics.h"
#include "tests/unit/generate/recorded_model.h"
#include "traces/generate/membership.h"

/* Event for event, with the names of the recording. */
static void test_whole_trace(void **state)
{
    (void) state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        const bool is_named = seed % 2 == 0;
        const char *kind = is_named ? "named" : "counts";
        char *rows = random_rows(seed, is_named, 60);
        char text[SPOT_INSTANCE_NAME_BYTES];
        spot_membership_t membership;
        spot_trace_model_t model;
        spot_change_t change;
        spot_trace_t trace;

        read_rows(&trace, kind, rows);
        make_recorded(&model, "replay", kind, "40", rows, "");
        assert_int_equal(spot_trace_model_end_ms(&model), trace.end_ms);
        assert_int_equal(spot_trace_model_common(&model)->horizon_ms, trace.end_ms);
        assert_int_equal(spot_membership_init(&membership, &model, 40), 0);
        spot_membership_start(&membership, 1, 0);
        for (size_t j = 0; j < trace.num_events; j++) {
            const spot_event_t *event = &trace.events[j];

            assert_true(spot_membership_next(&membership, &change));
            assert_int_equal(change.time_ms, event->time_ms);
            assert_int_equal(change.kind, event->kind);
            assert_int_equal(change.count, event->count);
            assert_int_equal(change.num_clipped, 0);
            for (int32_t k = 0; is_named && k < change.count; k++) {
                assert_string_equal(spot_membership_name(&membership, change.slots[k], text),
                    trace.names[event->name_ids[k]]);
            }
            spot_membership_verify(&membership);
        }
        assert_false(spot_membership_next(&membership, &change));
        spot_membership_free(&membership);
        spot_trace_model_free(&model);
        spot_trace_free(&trace);
        free(rows);
    }
}

/* At every tick the population is that of the recording at from + (offset + t) mod
 * length; offset is what fits. Returns it in ticks. */
static int check_population(const spot_trace_t *trace, const spot_trace_model_t *model,
    uint64_t replication, int64_t from_ms, int64_t length_ms, int offset)
{
    const int64_t step_ms = trace->resolution_ms;
    spot_membership_t membership;
    spot_change_t change;
    bool has_change, is_add_seen = false;
    int64_t last_ms = -1;

    assert_int_equal(spot_membership_init(&membership, model, 40), 0);
    spot_membership_start(&membership, 1, replication);
    has_change = spot_membership_next(&membership, &change);
    for (int64_t time_ms = 0; time_ms < 4 * length_ms; time_ms += step_ms) {
        int64_t population = membership.population;

        if (has_change && change.time_ms <= time_ms) { /* it has been carried out */
            is_add_seen = false;
        }
        while (has_change && change.time_ms <= time_ms) {
            assert_true(change.time_ms > last_ms || !is_add_seen || change.kind == SPOT_EVENT_ADD);
            is_add_seen = change.kind == SPOT_EVENT_ADD;
            last_ms = change.time_ms;
            spot_membership_verify(&membership);
            has_change = spot_membership_next(&membership, &change);
        }
        population = membership.population;
        if (has_change) { /* the next one is carried out already */
            population += change.kind == SPOT_EVENT_ADD ? -change.count : change.count;
        }
        if (population !=
            recorded_population(trace, from_ms + (offset * step_ms + time_ms) % length_ms)) {
            spot_membership_free(&membership);
            return -1;
        }
    }
    spot_membership_free(&membership);
    return offset;
}

static void test_wrap(void **state)
{
    static const int windows_s[][2] = {{0, 0}, {200, 0}, {0, 1000}, {130, 1170}};

    (void) state;
    for (uint64_t seed = 0; seed < 16; seed++) {
        const int *window_s = windows_s[seed % 4];
        const char *kind = seed % 8 < 4 ? "named" : "counts";
        char *rows = random_rows(seed, seed % 8 < 4, 40);
        char keys[128], to[32] = "";
        spot_trace_model_t model;
        int64_t length_ms;
        spot_trace_t trace;

        if (window_s[1] > 0) {
            snprintf(to, sizeof(to), "to_s: %d\n", window_s[1]);
        }
        snprintf(keys, sizeof(keys), "wrap: true\nhorizon_s: 1e6\nfrom_s: %d\n%s", window_s[0], to);
        read_rows(&trace, kind, rows);
        length_ms = (window_s[1] > 0 ? 1000 * window_s[1] : trace.end_ms) - 1000 * window_s[0];
        make_recorded(&model, "replay", kind, "40", rows, keys);
        assert_int_equal(spot_trace_model_end_ms(&model), 0);
        assert_int_equal(check_population(&trace, &model, 0, 1000 * window_s[0], length_ms, 0), 0);
        spot_trace_model_free(&model);
        spot_trace_free(&trace);
        free(rows);
    }
}

/* Every tick is the start of some replication, all alike often. */
static void test_random_start(void **state)
{
    enum { NUM_REPLICATIONS = 4000, NUM_TICKS = 20 };
    double counts[NUM_TICKS] = {0}, expected[NUM_TICKS];
    char *rows = random_rows(3, true, 40);
    spot_trace_model_t model;
    spot_trace_t trace;

    (void) state;
    read_rows(&trace, "named", rows);
    make_recorded(&model, "replay", "named", "40", rows,
        "from_s: 150\nto_s: 350\nwrap: true\nstart: random\nhorizon_s: 1e6\n");
    for (uint64_t replication = 0; replication < NUM_REPLICATIONS; replication++) {
        spot_rng_t rng;
        int offset;

        spot_rng_seek(&rng, 1, replication, SPOT_STREAM_RESTART, 0);
        offset = (int) spot_rng_below(&rng, NUM_TICKS);
        counts[offset]++;
        assert_int_equal(
            check_population(&trace, &model, replication, 150000, 200000, offset), offset);
    }
    for (int j = 0; j < NUM_TICKS; j++) {
        expected[j] = (double) NUM_REPLICATIONS / NUM_TICKS;
    }
    assert_counts("start", counts, expected, NUM_TICKS);
    spot_trace_model_free(&model);
    spot_trace_free(&trace);
    free(rows);
}

/* Writes the changes as rows. */
static char *changes_text(const spot_trace_model_t *model)
{
    char *text = NULL, name[SPOT_INSTANCE_NAME_BYTES];
    size_t num_bytes = 0;
    FILE *out = open_memstream(&text, &num_bytes);
    spot_membership_t membership;
    spot_change_t change;

    assert_non_null(out);
    assert_int_equal(spot_membership_init(&membership, model, 10), 0);
    spot_membership_start(&membership, 1, 0);
    while (spot_membership_next(&membership, &change)) {
        fprintf(
            out, "%lld %s", (long long) change.time_ms / 1000, spot_event_kind_names[change.kind]);
        for (int32_t j = 0; j < change.count; j++) {
            fprintf(out, " %s", spot_membership_name(&membership, change.slots[j], name));
        }
        fputs("\n", out);
    }
    spot_membership_free(&membership);
    assert_int_equal(fclose(out), 0);
    return text;
}

/* At 50 c and d live, a and b should: c takes over a, d takes over b. In the second
 * round the loss of a is that of c. At 100 only e lives: it takes over a, b is new. */
static void test_names(void **state)
{
    spot_trace_model_t model;
    char *text;

    (void) state;
    make_recorded(&model, "replay", "named", "10",
        "0,init,2,a b\n10,add,2,c d\n20,preempt,2,a b\n50,end,2,\n",
        "wrap: true\nhorizon_s: 120\n");
    text = changes_text(&model);
    assert_string_equal(text, "10 add c d\n20 preempt a b\n60 add c~2 d~2\n"
                              "70 preempt c d\n110 add c~3 d~3\n120 preempt c~2 d~2\n");
    free(text);
    spot_trace_model_free(&model);
    make_recorded(&model, "replay", "named", "10",
        "0,init,2,a b~~1\n10,preempt,1,a\n20,add,3,a c d\n30,preempt,3,a b~~1 c\n"
        "50,end,1,\n",
        "wrap: true\nhorizon_s: 70\n");
    text = changes_text(&model);
    assert_string_equal(text, "10 preempt a\n20 add a c d\n30 preempt a b~~1 c\n50 add b~~1~~~2\n"
                              "60 preempt d\n70 add a~~~2 c~~~2 d~~~2\n");
    free(text);
    spot_trace_model_free(&model);
    make_recorded(&model, "replay", "named", "10", /* more live than at the beginning */
        "0,init,1,a\n10,add,3,b c d\n20,preempt,1,a\n50,end,3,\n", "wrap: true\nhorizon_s: 60\n");
    text = changes_text(&model);
    assert_string_equal(text, "10 add b c d\n20 preempt a\n50 preempt c d\n60 add b~2 c~2 d~2\n");
    free(text);
    spot_trace_model_free(&model);
}

/* A window shifts the times; what the recording has at its beginning has happened. */
static void test_window(void **state)
{
    spot_trace_model_t model;
    char *text;

    (void) state;
    make_recorded(&model, "replay", "named", "10",
        "0,init,2,a b\n10,add,2,c d\n20,preempt,2,a b\n40,stop,1,c\n50,end,1,\n",
        "from_s: 10\nto_s: 40\n");
    assert_int_equal(spot_trace_model_common(&model)->horizon_ms, 30000);
    assert_int_equal(spot_trace_model_initial(&model), 4);
    assert_int_equal(spot_trace_model_end_ms(&model), 30000);
    text = changes_text(&model);
    assert_string_equal(text, "10 preempt a b\n30 stop c\n");
    free(text);
    spot_trace_model_free(&model);
}

/* Nothing happens in the window: that is over at once, though it goes round for ever. */
static void test_empty_window(void **state)
{
    spot_trace_model_t model;
    char *text;

    (void) state;
    make_recorded(&model, "replay", "counts", "10", "0,init,2,\n10,add,2,\n50,end,4,\n",
        "from_s: 10\nto_s: 40\nwrap: true\nstart: random\nhorizon_s: 1e9\n");
    text = changes_text(&model);
    assert_string_equal(text, "");
    free(text);
    spot_trace_model_free(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_trace),
        cmocka_unit_test(test_wrap),
        cmocka_unit_test(test_random_start),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_window),
        cmocka_unit_test(test_empty_window),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
