/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/units.h"
#include "base/yaml.h"
#include "fixture.h"
#include "models/price.h"
#include "tests/unit/base/near.h"

static int bind(spot_price_t *self, const char *text, spot_diag_t *diag)
{
    spot_yaml_t document;
    int ret;

    memset(self, 0, sizeof(*self));
    spot_diag_init(diag);
    assert_int_equal(spot_yaml_parse(&document, "price.yaml", text, strlen(text), diag), 0);
    ret = spot_bind_document(spot_price_fields, document.root, diag, self);
    spot_yaml_free(&document);
    return ret;
}

static void test_defaults(void **state)
{
    spot_price_t price;
    spot_diag_t diag;

    (void) state;
    assert_int_equal(bind(&price, "{}", &diag), 0);
    assert_int_equal(price.spot.num_steps, 1);
    assert_int_equal(price.spot.steps[0].start_ms, 0);
    assert_true(price.spot.steps[0].usd_per_h == 0.91);
    assert_true(price.on_demand_usd_per_h == 3.06);
    spot_price_free(&price);
    spot_diag_free(&diag);
}

static void test_units(void **state)
{
    spot_price_t price;
    spot_diag_t diag;

    (void) state;
    assert_int_equal(bind(&price, "{spot: 0, on_demand: 24 USD/d}", &diag), 0);
    assert_true(price.spot.steps[0].usd_per_h == 0);
    assert_true(price.on_demand_usd_per_h == 1);
    spot_price_free(&price);
    assert_int_equal(bind(&price, "{spot: 0.25 USD/min, on_demand: 2USD/h}", &diag), 0);
    assert_true(price.spot.steps[0].usd_per_h == 15);
    assert_true(price.on_demand_usd_per_h == 2);
    spot_price_free(&price);
    spot_diag_free(&diag);
}

static void test_errors(void **state)
{
    spot_price_t price;
    spot_diag_t diag;

    (void) state;
    assert_int_equal(bind(&price, "spot: -1\non_demand: 3 EUR/h\n", &diag), SPOT_ERR_BAD_INPUT);
    assert_diagnostics(&diag,
        "price.yaml:1:7: spot: expected a price from 0 USD/h to 1000000 USD/h, got "
        "\"-1\"\n"
        "price.yaml:2:12: on_demand: expected a price such as \"0.91 USD/h\", got "
        "\"3 EUR/h\": unknown unit\n");
    assert_int_equal(bind(&price, "on-demand: 3\nspot: [1]\n", &diag), SPOT_ERR_BAD_INPUT);
    assert_diagnostics(&diag,
        "price.yaml:1:1: unknown key \"on-demand\", did you mean \"on_demand\"?\n"
        "price.yaml:2:8: spot[0]: expected a map of keys, got \"1\"\n");
    spot_price_free(&price);
    assert_int_equal(bind(&price, "spot: []\n", &diag), SPOT_ERR_BAD_INPUT);
    assert_diagnostics(
        &diag, "price.yaml:1:7: spot: expected " SPOT_PRICE_EXPECTED ", got an empty list\n");
    spot_price_free(&price);
    assert_int_equal(bind(&price, "spot: {fil: x.csv}\n", &diag), SPOT_ERR_BAD_INPUT);
    assert_diagnostics(
        &diag, "price.yaml:1:7: spot: expected " SPOT_PRICE_EXPECTED ", got a map\n");
    spot_price_free(&price);
}

static void test_steps(void **state)
{
    spot_price_t price;
    spot_diag_t diag;

    (void) state;
    assert_int_equal(
        bind(&price, "spot: [{from: 0 s, usd_per_h: 0.91}, {usd_per_h: 24 USD/d, from: 6 h}]",
            &diag),
        0);
    assert_int_equal(price.spot.num_steps, 2);
    assert_int_equal(price.spot.steps[0].start_ms, 0);
    assert_true(price.spot.steps[0].usd_per_h == 0.91);
    assert_int_equal(price.spot.steps[1].start_ms, 6 * SPOT_MS_PER_H);
    assert_true(price.spot.steps[1].usd_per_h == 1);
    spot_price_free(&price);
    spot_diag_free(&diag);
}

static void test_errors_of_steps(void **state)
{
    static const struct {
        const char *text;
        const char *report;
    } cases[] = {
        {"spot: [{from: 1 s, usd_per_h: 1}]",
            "price.yaml:1:15: spot: the first step must be from 0 s\n"},
        {"spot: [{from: 0 s, usd_per_h: 1}, {from: 0 s, usd_per_h: 2}]",
            "price.yaml:1:42: spot: each step must be from a later time\n"},
        {"spot: [{from: 0, usd_per_h: -1}, {at: 3 s}]",
            "price.yaml:1:15: spot[0].from: expected a duration such as \"88 s\", \"1.5 "
            "h\" "
            "or \"250 ms\", got \"0\": the unit is missing\n"
            "price.yaml:1:29: spot[0].usd_per_h: expected a price from 0 USD/h to "
            "1000000 "
            "USD/h, got \"-1\"\n"
            "price.yaml:1:35: unknown key \"at\"\n"
            "price.yaml:1:34: missing key \"spot[1].from\"\n"
            "price.yaml:1:34: missing key \"spot[1].usd_per_h\"\n"},
    };
    spot_price_t price;
    spot_diag_t diag;

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        assert_int_equal(bind(&price, cases[j].text, &diag), SPOT_ERR_BAD_INPUT);
        assert_diagnostics(&diag, cases[j].report);
        spot_price_free(&price);
    }
}

/* Reads a price file from text; the report is without the folder. */
static int read_text(spot_price_steps_t *self, const char *text, const char *report)
{
    char path[256];
    spot_diag_t diag;
    int ret;

    snprintf(path, sizeof(path), "%s/prices.csv", temporary_folder());
    write_file(path, text);
    spot_diag_init(&diag);
    ret = spot_price_steps_read(self, path, &diag);
    if (*report == '\0') {
        assert_int_equal(diag.num_items, 0);
    } else {
        assert_diagnostics(&diag, report);
    }
    assert_int_equal(remove(path), 0);
    return ret;
}

static void test_file(void **state)
{
    spot_price_steps_t steps;

    (void) state;
    assert_int_equal(
        read_text(&steps, "# ours\ntime_s,usd_per_h\n0,0.5\n# up\n0.25,0.75\n9e1,0\n", ""), 0);
    assert_int_equal(steps.num_steps, 3);
    assert_int_equal(steps.steps[1].start_ms, 250);
    assert_true(steps.steps[1].usd_per_h == 0.75);
    assert_int_equal(steps.steps[2].start_ms, 90000);
    assert_string_equal(steps.start, "");
    spot_price_steps_free(&steps);
    /* When time 0 was; another text after "start" is a remark like any other. */
    assert_int_equal(
        read_text(&steps, "# start: 2026-06-01T00:00:00Z\ntime_s,usd_per_h\n0,0.5\n", ""), 0);
    assert_string_equal(steps.start, "2026-06-01T00:00:00Z");
    spot_price_steps_free(&steps);
    assert_int_equal(read_text(&steps, "# start: 2026-06-01\ntime_s,usd_per_h\n0,0.5\n", ""), 0);
    assert_string_equal(steps.start, "2026-06-01");
    spot_price_steps_free(&steps);
    assert_int_equal(read_text(&steps, "# start: of week\ntime_s,usd_per_h\n0,0.5\n", ""), 0);
    assert_string_equal(steps.start, "");
    spot_price_steps_free(&steps);
}

static void test_currency(void **state)
{
    spot_price_steps_t steps;
    spot_price_figures_t figures;

    (void) state;
    assert_int_equal(read_text(&steps, "time_s,eur_per_h\n0,0.5\n60,0.75\n240,0.7\n", ""), 0);
    assert_string_equal(steps.currency, "EUR");
    assert_int_equal(spot_price_figures(&steps, 240000, &figures), 0);
    assert_near(figures.mean, (60 * 0.5 + 180 * 0.75) / 240, 1e-15);
    assert_near(figures.quartiles[0], 0.5, 0);
    assert_near(figures.quartiles[1], 0.5, 0); /* a quarter of the time */
    assert_near(figures.quartiles[2], 0.75, 0);
    assert_near(figures.quartiles[4], 0.75, 0);
    assert_near(figures.largest_jump, 0.25, 0);
    assert_int_equal(spot_price_figures(&steps, 480000, &figures), 0);
    assert_near(figures.quartiles[2], 0.7, 0); /* 60 s of 0.5, 240 s of 0.7 */
    spot_price_steps_free(&steps);
    assert_int_equal(read_text(&steps, "time_s,usd_per_h\n0,0.5\n", ""), 0);
    assert_string_equal(steps.currency, "USD");
    assert_int_equal(spot_price_figures(&steps, 0, &figures), 0);
    assert_near(figures.mean, 0.5, 0); /* of any length */
    spot_price_steps_free(&steps);
    assert_int_equal(read_text(&steps, "time_s,EUR_per_h\n0,0.5\n",
                         "prices.csv:1:1: expected the columns time_s,usd_per_h\n"),
        SPOT_ERR_BAD_INPUT);
    spot_price_steps_free(&steps);
    assert_int_equal(read_text(&steps, "time_s,eur_per_h\n0,x\n",
                         "prices.csv:2:3: eur_per_h: expected a number from 0 to "
                         "1000000, got 'x'\n"),
        SPOT_ERR_BAD_INPUT);
    spot_price_steps_free(&steps);
}

static void test_errors_of_files(void **state)
{
    static const struct {
        const char *text;
        const char *report;
    } cases[] = {
        {"", "prices.csv:1:1: no price\n"},
        {"time_s,usd_per_h\n", "prices.csv:2:1: no price\n"},
        {"time,price\n0,1\n", "prices.csv:1:1: expected the columns time_s,usd_per_h\n"},
        {"time_s,usd_per_h\n1,1\n",
            "prices.csv:2:1: time_s: the first row must be at 0, got '1'\n"},
        {"time_s,usd_per_h\n0,1\n60,2\n60,3\n",
            "prices.csv:4:1: time_s: expected a later time than in the row before, got "
            "'60'\n"},
        {"time_s,usd_per_h\n0,1\n0.0001,3\n", /* rounds to the same ms */
            "prices.csv:3:1: time_s: expected a later time than in the row before, got "
            "'0.0001'\n"},
        {"time_s,usd_per_h\n0,x\n-1,1e7\n7\n\n",
            "prices.csv:2:3: usd_per_h: expected a number from 0 to 1000000, got 'x'\n"
            "prices.csv:3:1: time_s: expected seconds from 0 to 100 years, got '-1'\n"
            "prices.csv:3:4: usd_per_h: expected a number from 0 to 1000000, got '1e7'\n"
            "prices.csv:4:1: expected 2 columns, got 1\n"
            "prices.csv:5:1: empty line\n"},
        {"time_s,usd_per_h\n0,nan\n", "prices.csv:2:3: usd_per_h: expected a number "
                                      "from 0 to 1000000, got 'nan'\n"},
    };
    spot_price_steps_t steps;

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        assert_int_equal(read_text(&steps, cases[j].text, cases[j].report), SPOT_ERR_BAD_INPUT);
        spot_price_steps_free(&steps);
    }
}

static void test_too_many_steps(void **state)
{
    spot_price_steps_t steps = {0};

    (void) state;
    for (int64_t j = 0; j < SPOT_MAX_PRICE_STEPS; j++) {
        assert_int_equal(spot_price_steps_add(&steps, j, 1), 0);
    }
    assert_int_equal(spot_price_steps_add(&steps, SPOT_MAX_PRICE_STEPS, 1), SPOT_ERR_BAD_PARAM);
    spot_price_steps_free(&steps);
}

/* A constant price is one product, to the last bit, however often the number changes. */
static void test_meter_of_a_constant_price(void **state)
{
    spot_price_steps_t steps = {0};
    spot_meter_t meter;

    (void) state;
    assert_int_equal(spot_price_steps_add(&steps, 0, 0.91), 0);
    spot_meter_start(&meter, &steps);
    assert_true(spot_meter_usd(&meter) == 0);
    spot_meter_change(&meter, 0, 7);
    spot_meter_change(&meter, 12345, -3);
    spot_meter_change(&meter, 12345, 1);
    spot_meter_change(&meter, 999983, 0);
    assert_true(
        spot_meter_usd(&meter) == spot_price_usd(0.91, 7 * 12345 + 5 * (INT64_C(999983) - 12345)));
    spot_price_steps_free(&steps);
}

#define HORIZON_MS 3000

/* The same ms by ms: which price counts, and for how many. */
static double plain_usd(const spot_price_steps_t *price, const int64_t *num_at)
{
    double usd = 0;
    size_t step_id = 0;

    for (int64_t time_ms = 0; time_ms < HORIZON_MS; time_ms++) {
        while (step_id + 1 < price->num_steps && price->steps[step_id + 1].start_ms <= time_ms) {
            step_id++;
        }
        usd += price->steps[step_id].usd_per_h * (double) num_at[time_ms] / 3.6e6;
    }
    return usd;
}

static void test_meter_against_milliseconds(void **state)
{
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 1, 0, SPOT_STREAM_BOOTSTRAP, 0);
    for (int round = 0; round < 200; round++) {
        int64_t num_at[HORIZON_MS] = {0}, time_ms = 0, num = 0;
        spot_price_steps_t steps = {0};
        spot_meter_t meter;
        double usd;

        while (time_ms < HORIZON_MS + 200) {
            assert_int_equal(
                spot_price_steps_add(&steps, time_ms, 1e5 * spot_rng_uniform(&rng)), 0);
            time_ms += 1 + (int64_t) spot_rng_below(&rng, round % 2 == 0 ? 3 : 1500);
        }
        spot_meter_start(&meter, &steps);
        for (time_ms = 0; time_ms < HORIZON_MS;) {
            const int64_t more = (int64_t) spot_rng_below(&rng, 9) - (num < 4 ? num : 4);
            const int64_t gap_ms = (int64_t) spot_rng_below(&rng, 40);

            spot_meter_change(&meter, time_ms, more);
            num += more;
            for (int64_t j = time_ms; j < time_ms + gap_ms && j < HORIZON_MS; j++) {
                num_at[j] = num;
            }
            time_ms += gap_ms;
        }
        spot_meter_change(&meter, HORIZON_MS, 0);
        usd = plain_usd(&steps, num_at);
        assert_true(usd > 0);
        assert_true(fabs(spot_meter_usd(&meter) - usd) <= 1e-11 * usd);
        spot_price_steps_free(&steps);
    }
}

static void test_usd(void **state)
{
    (void) state;
    assert_true(spot_price_usd(0.91, 0) == 0);
    assert_true(spot_price_usd(0.91, SPOT_MS_PER_H) == 0.91);
    assert_true(spot_price_usd(3.06, 20 * SPOT_MS_PER_H) == 61.2);
    assert_true(fabs(spot_price_usd(3600000, 1) - 1) < 1e-15);
    /* A million instances for 100 years: the product of milliseconds still fits. */
    assert_true(spot_price_usd(1, SPOT_MAX_DURATION_MS * 1000000) == 876600e6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_errors_of_steps),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_currency),
        cmocka_unit_test(test_errors_of_files),
        cmocka_unit_test(test_too_many_steps),
        cmocka_unit_test(test_meter_of_a_constant_price),
        cmocka_unit_test(test_meter_against_milliseconds),
        cmocka_unit_test(test_usd),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
