/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/units.h"
#include "tests/unit/base/support.h"
#include "tests/unit/generate/model_text.h"
#include "traces/generate/membership.h"

#define WILD                                                                                       \
    "preemption: {per_minute: 0.5, count: {geometric: {p: 0.3}}}, "                                \
    "addition: {per_minute: 0.6, count: {moments: {mean: 4, std: 3}}}"

#define CALM                                                                                       \
    "preemption: {per_minute: 0, count: {fixed: 1}}, "                                             \
    "addition: {per_minute: 0.2, count: {fixed: 1}}"

#define HEAD "spotsim-model: 1\ngenerator: zones\ntick_s: 60\nhorizon_s: 1e6\n"

/* Both give the same changes: times, kinds, slots. */
static void assert_same_changes(const spot_trace_model_t *model, const spot_trace_model_t *other,
    int64_t capacity, uint64_t replication)
{
    spot_membership_t one, two;
    spot_change_t change, match;
    bool is_more;

    assert_int_equal(spot_membership_init(&one, model, capacity), 0);
    assert_int_equal(spot_membership_init(&two, other, capacity), 0);
    spot_membership_start(&one, 3, replication);
    spot_membership_start(&two, 3, replication);
    assert_int_equal(one.population, two.population);
    do {
        is_more = spot_membership_next(&one, &change);
        assert_int_equal(is_more, spot_membership_next(&two, &match));
        if (is_more) {
            assert_int_equal(change.time_ms, match.time_ms);
            assert_int_equal(change.kind, match.kind);
            assert_int_equal(change.count, match.count);
            assert_memory_equal(
                change.slots, match.slots, (size_t) change.count * sizeof(change.slots[0]));
        }
    } while (is_more);
    spot_membership_free(&one);
    spot_membership_free(&two);
}

/* One zone and no shocks: the zone's own model, event for event, victim for victim. */
static void test_one_zone_is_its_model(void **state)
{
    spot_trace_model_t zones, idle, plain;

    (void) state;
    make_model(&zones, HEAD "zones: {z: {generator: seed, capacity: 20, initial: 7, " WILD "}}\n");
    make_model(&idle, HEAD "zones: {z: {generator: seed, capacity: 20, initial: 7, " WILD
                           "}}\nshocks: {per_hour: 9, p_zone: 1, share: 0}\n");
    make_model(&plain, "generator: seed\ntick_s: 60\nhorizon_s: 1e6\ncapacity: 20\n"
                       "initial: 7\n"
                       "preemption: {per_minute: 0.5, count: {geometric: {p: 0.3}}}\n"
                       "addition: {per_minute: 0.6, count: {moments: {mean: 4, std: "
                       "3}}}\n");
    assert_int_equal(spot_trace_model_common(&zones)->capacity, 20);
    for (uint64_t replication = 0; replication < 20; replication++) {
        assert_same_changes(&zones, &plain, 20, replication);
        assert_same_changes(&idle, &plain, 20, replication); /* shocks take nobody */
    }
    spot_trace_model_free(&zones);
    spot_trace_model_free(&idle);
    spot_trace_model_free(&plain);
}

/* Two zones without shocks: what happens in the first does not depend on the second. */
static void test_zones_are_independent_streams(void **state)
{
    spot_trace_model_t both, plain;
    spot_event_t event, match;
    events_t pair, one;
    int64_t num_events[2] = {0};

    (void) state;
    make_model(&both, HEAD "zones:\n"
                           "  a: {generator: seed, capacity: 20, initial: 7, " WILD "}\n"
                           "  b: {generator: seed, capacity: 20, initial: 7, " WILD "}\n");
    make_model(&plain, HEAD "zones: {a: {generator: seed, capacity: 20, initial: 7, " WILD "}}\n");
    events_init(&pair, &both);
    events_init(&one, &plain);
    events_start(&pair, 1, 5);
    events_start(&one, 1, 5);
    while (events_next(&pair, &event)) {
        const int32_t zone_id = both.generator->members->zone(pair.state);

        num_events[zone_id]++;
        if (zone_id == 0) {
            assert_true(events_next(&one, &match));
            assert_int_equal(event.time_ms, match.time_ms);
            assert_int_equal(event.kind, match.kind);
            assert_int_equal(event.count, match.count);
        }
    }
    assert_false(events_next(&one, &match));
    assert_true(num_events[0] > 1000 && num_events[1] > 1000);
    assert_true(num_events[0] != num_events[1]);
    events_free(&pair);
    events_free(&one);
    spot_trace_model_free(&both);
    spot_trace_model_free(&plain);
}

/* Every zone stays within its bounds, and events are in order: time, losses first, each
 * kind of a zone's own after those of the zones before. */
static void check_bounds(const spot_trace_model_t *model, uint64_t replication)
{
    const spot_zones_t *zones = spot_trace_model_zones(model);
    int64_t population[8] = {0}, last_ms = 0;
    spot_event_kind_t last_kind = SPOT_EVENT_PREEMPT;
    spot_event_t event;
    events_t events;

    events_init(&events, model);
    events_start(&events, 1, replication);
    for (size_t j = 0; j < zones->num_zones; j++) {
        population[j] = model->generator->members->zone_initial(events.state, (int32_t) j);
    }
    while (events_next(&events, &event)) {
        const int32_t zone_id = model->generator->members->zone(events.state);

        assert_true(event.time_ms >= last_ms && event.time_ms % 60000 == 0);
        assert_true(event.time_ms <= 1000000000);
        assert_true(event.time_ms > last_ms || event.kind == SPOT_EVENT_ADD ||
                    last_kind == SPOT_EVENT_PREEMPT);
        assert_true(event.count > 0);
        assert_null(event.name_ids);
        population[zone_id] += event.kind == SPOT_EVENT_ADD ? event.count : -event.count;
        assert_in_range(population[zone_id], 0, zones->zones[zone_id].capacity);
        last_ms = event.time_ms;
        last_kind = event.kind;
    }
    events_free(&events);
}

static void test_zones_stay_within_their_bounds(void **state)
{
    spot_trace_model_t model;

    (void) state;
    make_model(&model, HEAD "zones:\n"
                            "  a: {generator: seed, capacity: 20, initial: 0, " WILD "}\n"
                            "  b: {generator: seed, capacity: 1, initial: 1, " WILD "}\n"
                            "  c: {generator: seed, capacity: 5, initial: 5, " CALM "}\n"
                            "shocks: {per_hour: 30, p_zone: 0.7, share: 0.5}\n");
    assert_int_equal(spot_trace_model_initial(&model), 6);
    for (uint64_t replication = 0; replication < 20; replication++) {
        check_bounds(&model, replication);
    }
    spot_trace_model_free(&model);
}

/* A zone that is full and never loses by itself adds again after a shock. */
static void test_models_are_told_of_shocks(void **state)
{
    spot_trace_model_t model;
    spot_event_t event;
    events_t events;
    int64_t population = 5, num_shocks = 0, num_added = 0;

    (void) state;
    make_model(&model, HEAD "zones: {c: {generator: seed, capacity: 5, initial: 5, " CALM "}}\n"
                            "shocks: {per_hour: 0.1, p_zone: 1, share: 1}\n");
    events_init(&events, &model);
    events_start(&events, 1, 0);
    while (events_next(&events, &event)) {
        if (event.kind == SPOT_EVENT_ADD) {
            population += event.count;
            num_added += event.count;
        } else {
            assert_int_equal(event.count, population); /* share 1 takes all */
            population = 0;
            num_shocks++;
        }
    }
    assert_true(num_shocks > 10);
    assert_true(num_added > 4 * num_shocks); /* it is mostly full again in 10 h */
    events_free(&events);
    spot_trace_model_free(&model);
}

/* Victims of a loss are of its zone; names count by zone; every invariant holds. */
static void test_membership(void **state)
{
    char text[SPOT_INSTANCE_NAME_BYTES];
    spot_membership_t membership;
    spot_trace_model_t model;
    spot_change_t change;
    int64_t num_births[2] = {6, 3}, num_clipped = 0;

    (void) state;
    make_model(&model, HEAD "zones:\n"
                            "  a-1: {generator: seed, capacity: 20, initial: 6, " WILD "}\n"
                            "  b_2: {generator: seed, capacity: 9, initial: 3, " WILD "}\n"
                            "shocks: {per_hour: 3, p_zone: 0.7, share: 0.5}\n");
    assert_int_equal(spot_membership_init(&membership, &model, 24), 0);
    for (uint64_t replication = 0; replication < 5; replication++) {
        num_births[0] = 6;
        num_births[1] = 3;
        spot_membership_start(&membership, 1, replication);
        assert_string_equal(spot_membership_name(&membership, 0, text), "a-1/i1");
        assert_string_equal(spot_membership_name(&membership, 8, text), "b_2/i3");
        for (int j = 0; j < 2000 && spot_membership_next(&membership, &change); j++) {
            for (int32_t k = 0; k < change.count; k++) {
                const int32_t slot = change.slots[k];
                const int32_t zone_id = spot_membership_zone(&membership, slot);
                char expected[64];

                assert_int_equal(zone_id, spot_membership_zone(&membership, change.slots[0]));
                if (change.kind == SPOT_EVENT_ADD) {
                    snprintf(expected, sizeof(expected), "%s/i%lld", zone_id == 0 ? "a-1" : "b_2",
                        (long long) ++num_births[zone_id]);
                    assert_string_equal(spot_membership_name(&membership, slot, text), expected);
                }
            }
            num_clipped += change.num_clipped;
            spot_membership_verify(&membership);
        }
    }
    assert_true(num_clipped > 0); /* 29 in the zones, 24 in the fleet */
    spot_membership_free(&membership);
    spot_trace_model_free(&model);
}

static void check_error(const char *text, const char *report)
{
    spot_trace_model_t model;
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(parse_model(&model, text, &diag), SPOT_ERR_BAD_INPUT);
    assert_report(&diag, report);
    spot_trace_model_free(&model);
    spot_diag_free(&diag);
}

#define GOOD "generator: seed, capacity: 2, initial: 1, " CALM

static void test_errors(void **state)
{
    (void) state;
    check_error("generator: zones\n", "model.yaml:1:1: missing key \"zones\"\n");
    check_error("generator: zones\nzones: {}\n",
        "model.yaml:2:8: zones: expected a map from zone names to models such as "
        "{us-east-1a: {generator: seed, ...}}\n");
    check_error("generator: zones\nzones: {a: 1, b: {file: x.csv}}\n",
        "model.yaml:2:12: zones: a: expected {generator: NAME, ...}\n"
        "model.yaml:2:18: zones: b: expected {generator: NAME, ...}\n");
    check_error("generator: zones\nzones:\n  a: {generator: zones, zones: {}}\n"
                "  b: {generator: sed}\n"
                "  c: {generator: seed, capacity: 2, initial: 3,\n"
                "    preemption: {per_minute: 2, count: {fixed: 1}},\n"
                "    addition: {per_minute: 0, count: {fixed: 1}}}\n",
        "model.yaml:3:18: zones: a: a zone has no zones of its own\n"
        "model.yaml:4:18: zones.b.generator: unknown generator \"sed\", did you mean "
        "\"seed\"?\n"
        "model.yaml:6:30: zones.c.preemption.per_minute: expected a number from 0 to 1, "
        "got \"2\"\n"
        "model.yaml:5:46: zones.c.initial: 3 instances are more than the capacity of "
        "2\n");
    check_error("generator: zones\ncapacity: 1\nzones: {a: {" GOOD "}, b: {" GOOD "}}\n"
                "shocks: {per_hour: 1, share: 0.5, p_zone: 2}\n",
        "model.yaml:4:43: shocks.p_zone: expected a number from 0 to 1, got \"2\"\n"
        "warning: model.yaml:3:8: zones: their capacity of 4 together is more than that "
        "of the model (1): what is above it is clipped\n"
        "model.yaml:3:8: zones: 2 instances at first are more than the capacity of 1\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_zone_is_its_model),
        cmocka_unit_test(test_zones_are_independent_streams),
        cmocka_unit_test(test_zones_stay_within_their_bounds),
        cmocka_unit_test(test_models_are_told_of_shocks),
        cmocka_unit_test(test_membership),
        cmocka_unit_test(test_errors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
