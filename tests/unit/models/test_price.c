/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/units.h"
#include "base/yaml.h"
#include "fixture.h"
#include "models/price.h"

static int
bind(spot_price_t *self, const char *text, spot_diag_t *diag)
{
    spot_yaml_t document;
    int ret;

    memset(self, 0, sizeof(*self));
    spot_diag_init(diag);
    assert_int_equal(
        spot_yaml_parse(&document, "price.yaml", text, strlen(text), diag), 0);
    ret = spot_bind_document(spot_price_fields, document.root, diag, self);
    spot_yaml_free(&document);
    return ret;
}

static void
test_defaults(void **state)
{
    spot_price_t price;
    spot_diag_t diag;

    (void) state;
    assert_int_equal(bind(&price, "{}", &diag), 0);
    assert_true(price.spot_usd_per_h == 0.91);
    assert_true(price.on_demand_usd_per_h == 3.06);
    spot_diag_free(&diag);
}

static void
test_units(void **state)
{
    spot_price_t price;
    spot_diag_t diag;

    (void) state;
    assert_int_equal(bind(&price, "{spot: 0, on_demand: 24 USD/d}", &diag), 0);
    assert_true(price.spot_usd_per_h == 0);
    assert_true(price.on_demand_usd_per_h == 1);
    assert_int_equal(bind(&price, "{spot: 0.25 USD/min, on_demand: 2USD/h}", &diag), 0);
    assert_true(price.spot_usd_per_h == 15);
    assert_true(price.on_demand_usd_per_h == 2);
    spot_diag_free(&diag);
}

static void
test_errors(void **state)
{
    spot_price_t price;
    spot_diag_t diag;

    (void) state;
    assert_int_equal(
        bind(&price, "spot: -1\non_demand: 3 EUR/h\n", &diag), SPOT_ERR_BAD_INPUT);
    assert_diagnostics(&diag,
        "price.yaml:1:7: spot: expected a price from 0 USD/h to 1000000 USD/h, got "
        "\"-1\"\n"
        "price.yaml:2:12: on_demand: expected a price such as \"0.91 USD/h\", got "
        "\"3 EUR/h\": unknown unit\n");
    assert_int_equal(
        bind(&price, "on-demand: 3\nspot: [1]\n", &diag), SPOT_ERR_BAD_INPUT);
    assert_diagnostics(&diag,
        "price.yaml:1:1: unknown key \"on-demand\", did you mean \"on_demand\"?\n"
        "price.yaml:2:7: spot: expected a price such as \"0.91 USD/h\", got a list\n");
}

static void
test_usd(void **state)
{
    (void) state;
    assert_true(spot_price_usd(0.91, 0) == 0);
    assert_true(spot_price_usd(0.91, SPOT_MS_PER_H) == 0.91);
    assert_true(spot_price_usd(3.06, 20 * SPOT_MS_PER_H) == 61.2);
    assert_true(fabs(spot_price_usd(3600000, 1) - 1) < 1e-15);
    /* A million instances for 100 years: the product of milliseconds still fits. */
    assert_true(spot_price_usd(1, SPOT_MAX_DURATION_MS * 1000000) == 876600e6);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_usd),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
