/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/units.h"
#include "tests/unit/generate/model_text.h"
#include "traces/generate/membership.h"

/* Sizes that often round to 0, many big additions, more than there is room for. */
#define BUSY                                                                                       \
    "preemption: {per_minute: 0.6, count: {normal: {mean: 2, std: 2}}}\n"                          \
    "addition: {per_minute: 0.7, count: {normal: {mean: 0.5, std: 1.5}}, "                         \
    "big: {probability: 0.1, range: [5, 9]}}\n"

/* form: the keys variant, compat and overdraw. */
static void write_model(char text[1024], const char *form, int horizon_s, int capacity, int initial,
    const char *directions)
{
    snprintf(text, 1024,
        "spotsim-model: 1\ngenerator: seed\n%s\nhorizon_s: %d\ncapacity: %d\n"
        "initial: %d\n%s",
        form, horizon_s, capacity, initial, directions);
}

/* What happens at p = 1 and with sizes that are always the same. */
static void check_events(const char *form, int horizon_s, int capacity, int initial,
    const char *directions, const char *expected, int64_t stopped_ms)
{
    char text[1024], seen[512] = "";
    spot_trace_model_t model;
    events_t events;

    write_model(text, form, horizon_s, capacity, initial, directions);
    make_model(&model, text);
    events_init(&events, &model);
    for (int j = 0; j < 2; j++) { /* a second start knows nothing of the first */
        spot_event_t event;
        size_t length = 0;

        events_start(&events, 1, 0);
        while (events_next(&events, &event)) {
            length += (size_t) snprintf(seen + length, sizeof(seen) - length, "%lld%c%d ",
                (long long) (event.time_ms / SPOT_MS_PER_S),
                event.kind == SPOT_EVENT_ADD ? '+' : '-', event.count);
            assert_true(length < sizeof(seen));
        }
        assert_false(events_next(&events, &event));
        assert_string_equal(seen, expected);
        assert_int_equal(spot_trace_model_stopped_ms(&model, events.state), stopped_ms);
    }
    events_free(&events);
    spot_trace_model_free(&model);
}

#define ALWAYS_2                                                                                   \
    "preemption: {per_minute: 1, count: {fixed: 2}}\n"                                             \
    "addition: {per_minute: 1, count: {fixed: 2}}\n"
#define ONLY_LOSSES                                                                                \
    "preemption: {per_minute: 1, count: {fixed: 2}}\n"                                             \
    "addition: {per_minute: 0, count: {fixed: 2}}\n"
#define ROUNDED_TO_0                                                                               \
    "preemption: {per_minute: 0, count: {fixed: 1}}\n"                                             \
    "addition: {per_minute: 1, count: {normal: {mean: 0, std: 0}}}\n"

/* Minutes 0, 1, ... before the horizon, the last one whole. */
static void test_cell42(void **state)
{
    (void) state;
    check_events("variant: cell42\ncompat: notebook", 180, 3, 1, ALWAYS_2,
        "0-2 0+2 60-2 60+2 120-2 120+2 ", -1);
    check_events(
        "variant: cell42\ncompat: notebook", 179, 3, 1, ALWAYS_2, "0-2 0+2 60-2 60+2 ", -1);
    check_events(
        "variant: cell42\ncompat: notebook", 180, 3, 3, ONLY_LOSSES, "0-2 60-2 120-2 ", -1);
    check_events("variant: cell42\ncompat: notebook\noverdraw: clip", 180, 3, 3, ONLY_LOSSES,
        "0-2 60-1 ", -1);
    check_events("variant: cell42", 120, 3, 1, ALWAYS_2, "0-1 0+2 60-2 60+2 ", -1);
}

/* Ticks of 5 s before the horizon; what is added is found before the tick's losses. */
static void test_loop(void **state)
{
    (void) state;
    check_events("variant: loop", 15, 4, 4, ALWAYS_2, "0-2 5-2 5+2 10-2 10+2 ", -1);
    check_events("variant: loop", 16, 4, 4, ALWAYS_2, "0-2 5-2 5+2 10-2 10+2 15-2 15+2 ", -1);
    check_events(
        "variant: loop\ncompat: [overdraw]", 15, 4, 3, ONLY_LOSSES, "0-2 ", 5 * SPOT_MS_PER_S);
    check_events(
        "variant: loop\ncompat: [overdraw]\noverdraw: clip", 15, 4, 3, ONLY_LOSSES, "0-2 5-1 ", -1);
    check_events("variant: loop", 15, 4, 3, ONLY_LOSSES, "0-2 5-1 ", -1);
    check_events(
        "variant: loop\ncompat: [cap-bypass]", 20, 2, 1, ROUNDED_TO_0, "0+1 5+1 10+1 15+1 ", -1);
    check_events(
        "variant: loop\ncompat: [negative-add, overdraw]", 20, 2, 1, ROUNDED_TO_0, "0+1 ", -1);
}

/* Which limits hold is what a comparison and the writer of traces go by. */
static void test_limits(void **state)
{
    static const struct {
        const char *form;
        bool is_unlimited, is_unbounded;
    } cases[] = {
        {"variant: corrected", false, false},
        {"variant: cell42", false, false},
        {"variant: cell42\ncompat: none", false, false},
        {"variant: cell42\ncompat: notebook", true, true},
        {"variant: cell42\ncompat: [no-limits]", true, true},
        {"variant: cell42\ncompat: notebook\noverdraw: clip", false, true},
        {"variant: loop", false, false},
        {"variant: loop\ncompat: notebook", false, true},
        {"variant: loop\ncompat: [big-share, tick-share]", false, false},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        spot_trace_model_t model;
        char text[1024];

        write_model(text, cases[j].form, 60, 8, 4, BUSY);
        make_model(&model, text);
        assert_int_equal(spot_trace_model_is_unlimited(&model), cases[j].is_unlimited);
        assert_int_equal(spot_trace_model_is_unbounded(&model), cases[j].is_unbounded);
        spot_trace_model_free(&model);
    }
}

/* In steps of any length the events are those of one go. */
static void test_next_until(void **state)
{
    const int64_t last_ms = 2 * SPOT_MS_PER_H;
    static const char *const forms[] = {"variant: corrected", "variant: cell42\ncompat: notebook",
        "variant: cell42", "variant: loop\ncompat: notebook", "variant: loop"};

    (void) state;
    for (size_t j = 0; j < 200; j++) {
        const char *form = forms[j % (sizeof(forms) / sizeof(forms[0]))];
        spot_trace_model_t model;
        events_t whole, steps;
        int64_t until_ms = 0;
        char text[1024];
        spot_rng_t rng;

        write_model(text, form, 7200, 12, 8, BUSY);
        make_model(&model, text);
        events_init(&whole, &model);
        events_init(&steps, &model);
        events_start(&whole, 3, j);
        events_start(&steps, 3, j);
        spot_rng_seek(&rng, 4, j, SPOT_STREAM_BOOTSTRAP, 0);
        while (until_ms < last_ms) {
            spot_event_t event, expected;

            until_ms += (int64_t) spot_rng_below(&rng, 200000);
            until_ms = until_ms < last_ms ? until_ms : last_ms;
            while (model.generator->members->next_until(steps.state, until_ms, &event)) {
                assert_true(event.time_ms <= until_ms);
                assert_true(events_next(&whole, &expected));
                assert_int_equal(event.time_ms, expected.time_ms);
                assert_int_equal(event.kind, expected.kind);
                assert_int_equal(event.count, expected.count);
            }
        }
        assert_false(events_next(&whole, &(spot_event_t){0}));
        events_free(&whole);
        events_free(&steps);
        spot_trace_model_free(&model);
    }
}

/* A model that keeps a population keeps that of the fleet around it, which clips what is
 * above its capacity: a larger one would lose instances that the fleet does not have, a
 * smaller one would never empty it. */
static void check_in_scenario(const char *form)
{
    const spot_trace_setting_t setting = {5 * SPOT_MS_PER_S, 10, 6, 5 * SPOT_MS_PER_H, false};
    spot_bind_t bind = {.path = "trace."};
    spot_trace_model_t model;
    spot_membership_t membership;
    spot_yaml_t document;
    int64_t num_clipped = 0, num_emptied = 0;
    spot_diag_t diag;
    char text[1024];

    spot_diag_init(&diag);
    bind.diag = &diag;
    write_model(text, form, 18000, 10, 6, BUSY);
    assert_int_equal(spot_yaml_parse(&document, "scenario.yaml", text, strlen(text), &diag), 0);
    assert_int_equal(spot_trace_model_init(&model, &bind, document.root, &setting, NULL), 0);
    spot_yaml_free(&document);
    assert_int_equal(diag.num_warnings, 1);
    assert_false(spot_trace_model_is_unlimited(&model));
    assert_false(spot_trace_model_is_unbounded(&model));
    assert_int_equal(spot_membership_init(&membership, &model, 10), 0);
    for (uint64_t replication = 0; replication < 50; replication++) {
        spot_change_t change;

        spot_membership_start(&membership, 5, replication);
        while (spot_membership_next(&membership, &change)) {
            spot_membership_verify(&membership);
            assert_true(change.num_clipped == 0 || change.kind == SPOT_EVENT_ADD);
            num_emptied += membership.population == 0 ? 1 : 0;
            num_clipped += change.num_clipped;
        }
    }
    assert_true(num_clipped > 0 && num_emptied > 0);
    spot_membership_free(&membership);
    spot_trace_model_free(&model);
    spot_diag_free(&diag);
}

static void test_in_scenario(void **state)
{
    (void) state;
    check_in_scenario("variant: cell42\ncompat: notebook\noverdraw: clip");
    check_in_scenario("variant: loop\ncompat: notebook\noverdraw: clip");
}

/* Two directions of one replication, and two replications, are told apart. */
static void test_streams(void **state)
{
    static const char *const forms[] = {
        "variant: cell42\ncompat: notebook", "variant: loop\ncompat: notebook"};
    enum { NUM_RUNS = 4 };
    static const struct {
        uint64_t seed, replication;
    } runs[NUM_RUNS] = {{1, 0}, {1, 0}, {2, 0}, {1, 1}};

    (void) state;
    for (size_t j = 0; j < 2; j++) {
        uint64_t hashes[NUM_RUNS];
        spot_trace_model_t model;
        char text[1024];

        write_model(text, forms[j], 7200, 100, 50, BUSY);
        make_model(&model, text);
        for (int k = 0; k < NUM_RUNS; k++) {
            spot_event_t event;
            events_t events;

            hashes[k] = 0;
            events_init(&events, &model);
            events_start(&events, runs[k].seed, runs[k].replication);
            while (events_next(&events, &event)) {
                hashes[k] = hashes[k] * 1099511628211u ^
                            (uint64_t) (event.time_ms * 1000 + event.kind) ^
                            (uint64_t) event.count << 40;
            }
            events_free(&events);
        }
        assert_true(hashes[0] == hashes[1]);
        assert_true(hashes[0] != hashes[2] && hashes[0] != hashes[3]);
        assert_true(hashes[2] != hashes[3]);
        spot_trace_model_free(&model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cell42),
        cmocka_unit_test(test_loop),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_next_until),
        cmocka_unit_test(test_in_scenario),
        cmocka_unit_test(test_streams),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
