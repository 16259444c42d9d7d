/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The clock of a trace: with a frequency f all happens at 1/f of the time, and nothing
 * else changes. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/units.h"
#include "tests/unit/base/support.h"
#include "tests/unit/generate/patterns.h"
#include "traces/generate/membership.h"

#define HORIZON_S 100007 /* no multiple of a tick */

static const double frequencies[] = {2, 0.5, 3, 0.7, 10, 1};

static void start(spot_membership_t *self, const spot_trace_model_t *model, uint64_t replication)
{
    const int64_t capacity = spot_trace_model_is_unbounded(model)
                                 ? SPOT_MAX_INSTANCES
                                 : spot_trace_model_common(model)->capacity;

    assert_int_equal(spot_membership_init(self, model, capacity), 0);
    spot_membership_start(self, 5, replication);
}

/* Both give the same changes of the same instances, the second at times / frequency.
 * Returns their number. */
static int assert_scaled(const spot_trace_model_t *plain, const spot_trace_model_t *fast,
    double frequency, uint64_t replication)
{
    char name[SPOT_INSTANCE_NAME_BYTES], other_name[SPOT_INSTANCE_NAME_BYTES];
    spot_membership_t membership, other;
    spot_change_t change, its;
    int64_t latest_ms = 0;
    int num_changes = 0;

    start(&membership, plain, replication);
    start(&other, fast, replication);
    assert_int_equal(membership.population, other.population);
    while (spot_membership_next(&membership, &change)) {
        assert_true(spot_membership_next(&other, &its));
        assert_true(fabs((double) its.time_ms - (double) change.time_ms / frequency) <= 0.5 + 1e-6);
        assert_true(its.time_ms >= latest_ms);
        latest_ms = its.time_ms;
        assert_int_equal(its.kind, change.kind);
        assert_int_equal(its.count, change.count);
        assert_int_equal(its.num_clipped, change.num_clipped);
        for (int32_t j = 0; j < its.count; j++) {
            assert_int_equal(its.slots[j], change.slots[j]);
            assert_string_equal(spot_membership_name(&membership, change.slots[j], name),
                spot_membership_name(&other, its.slots[j], other_name));
        }
        num_changes++;
    }
    assert_false(spot_membership_next(&other, &its));
    spot_membership_verify(&other);
    spot_membership_free(&membership);
    spot_membership_free(&other);
    return num_changes;
}

static void test_every_generator(void **state)
{
    const size_t num_frequencies = sizeof(frequencies) / sizeof(frequencies[0]);
    char path[PATH_BYTES];

    (void) state;
    test_path("recording.csv", path);
    write_recording(path);
    for (size_t j = 0; j < sizeof(patterns) / sizeof(patterns[0]); j++) {
        spot_trace_model_t plain;

        make_pattern(&plain, patterns[j], path, 1, HORIZON_S);
        for (size_t k = 0; k < num_frequencies; k++) {
            spot_trace_model_t fast;

            make_pattern(&fast, patterns[j], path, frequencies[k], HORIZON_S / frequencies[k]);
            for (uint64_t replication = 0; replication < 3; replication++) {
                assert_true(assert_scaled(&plain, &fast, frequencies[k], replication) > 20);
            }
            spot_trace_model_free(&fast);
        }
        spot_trace_model_free(&plain);
    }
    assert_int_equal(remove(path), 0);
}

/* A recording twice as fast ends at half of its time, as a file and as a replay. */
static void test_end_of_a_recording(void **state)
{
    static const char *const forms[] = {"file: ", "generator: replay\ntrace: "};
    char path[PATH_BYTES], text[PATH_BYTES + 64];

    (void) state;
    test_path("recording.csv", path);
    write_recording(path);
    for (size_t j = 0; j < 2; j++) {
        spot_trace_model_t plain, fast;

        snprintf(text, sizeof(text), "%s%s\n", forms[j], path);
        make_model(&plain, text);
        snprintf(text, sizeof(text), "%s%s\nfrequency: 2\n", forms[j], path);
        make_model(&fast, text);
        assert_true(spot_trace_model_end_ms(&plain) > 0);
        assert_int_equal(2 * spot_trace_model_end_ms(&fast), spot_trace_model_end_ms(&plain));
        assert_int_equal(2 * spot_trace_model_common(&fast)->horizon_ms,
            spot_trace_model_common(&plain)->horizon_ms);
        if (j == 1) {
            assert_true(assert_scaled(&plain, &fast, 2, 0) > 200);
        }
        spot_trace_model_free(&plain);
        spot_trace_model_free(&fast);
    }
    assert_int_equal(remove(path), 0);
}

/* A zone with a frequency is the same model alone with it. */
static void test_a_zone_has_its_own(void **state)
{
#define MODEL "generator: seed, capacity: 20, initial: 7, frequency: 3, " ZONE_RATES
    spot_trace_model_t alone, zone;
    spot_membership_t membership, other;
    spot_change_t change, its;
    int num_changes = 0;

    (void) state;
    make_model(&alone, "{" MODEL ", tick_s: 60, horizon_s: 1e5}\n");
    make_model(&zone, "generator: zones\ntick_s: 60\nhorizon_s: 1e5\nzones: {z: {" MODEL "}}\n");
    start(&membership, &alone, 1);
    start(&other, &zone, 1);
    while (spot_membership_next(&membership, &change)) {
        assert_true(spot_membership_next(&other, &its));
        assert_int_equal(its.time_ms, change.time_ms);
        assert_int_equal(its.kind, change.kind);
        assert_int_equal(its.count, change.count);
        num_changes++;
    }
    assert_false(spot_membership_next(&other, &its));
    assert_true(num_changes > 100);
    spot_membership_free(&membership);
    spot_membership_free(&other);
    spot_trace_model_free(&alone);
    spot_trace_model_free(&zone);
}

/* Prices belong to the clock of the trace. */
static void test_prices_follow(void **state)
{
    spot_trace_model_t model;
    const spot_price_steps_t *price;

    (void) state;
    make_model(&model, "generator: seed\ncapacity: 2\ninitial: 1\nfrequency: 4\n" RATES
                       "price: [{from: 0 s, usd_per_h: 1}, {from: 1 h, usd_per_h: 2}]");
    price = &spot_trace_model_common(&model)->price;
    assert_int_equal(price->num_steps, 2);
    assert_int_equal(price->steps[0].start_ms, 0);
    assert_int_equal(price->steps[1].start_ms, SPOT_MS_PER_H / 4);
    spot_trace_model_free(&model);
}

static void test_times_of_both_clocks(void **state)
{
    static const double factors[] = {1, 2, 0.5, 3, 0.29, 7, 1000, 0.001, 1.1};

    (void) state;
    for (size_t j = 0; j < sizeof(factors) / sizeof(factors[0]); j++) {
        const spot_model_common_t common = {.frequency = factors[j]};

        for (int64_t time_ms = 0; time_ms < 200000; time_ms += 500) {
            const int64_t own_ms = spot_model_own_ms(&common, time_ms);

            /* The last of its own that the run sees; an end is after all that it ends.
             */
            assert_true(spot_model_run_ms(&common, own_ms) <= time_ms);
            assert_true((double) own_ms + 1 > factors[j] * (double) time_ms);
            assert_true(
                spot_model_run_end_ms(&common, time_ms) >= spot_model_run_ms(&common, time_ms));
            assert_true(
                spot_model_own_ms(&common, spot_model_run_end_ms(&common, time_ms)) >= time_ms);
        }
    }
}

static void test_refused(void **state)
{
    static const char *const bad[] = {"0", "-1", "1001", "fast"};
    char text[1024];

    (void) state;
    for (size_t j = 0; j < sizeof(bad) / sizeof(bad[0]); j++) {
        spot_trace_model_t model;
        spot_diag_t diag;

        snprintf(text, sizeof(text),
            "generator: zones\nfrequency: %s\nzones: {z: {generator: seed, capacity: 2, "
            "initial: 1, price: 2, " ZONE_RATES "}}\n",
            bad[j]);
        spot_diag_init(&diag);
        assert_int_equal(parse_model(&model, text, &diag), SPOT_ERR_BAD_INPUT);
        snprintf(text, sizeof(text),
            "model.yaml:2:12: frequency: expected a number from 0.001 to 1000, got "
            "\"%s\"\n",
            bad[j]);
        assert_report(&diag, text);
        spot_diag_free(&diag);
        spot_trace_model_free(&model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_generator),
        cmocka_unit_test(test_end_of_a_recording),
        cmocka_unit_test(test_a_zone_has_its_own),
        cmocka_unit_test(test_prices_follow),
        cmocka_unit_test(test_times_of_both_clocks),
        cmocka_unit_test(test_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
