/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Histories of prices in each form, the window, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/models/fixture.h"
#include "traces/prices/price_history.h"

/* Reads texts as the files a and b; steps are as spot_price_steps_write() writes them.
 * expected NULL: BAD_INPUT. */
static void assert_history(const spot_price_request_t *request, size_t num_files,
    const char *const *texts, const char *expected, int64_t expected_end_ms, const char *report)
{
    char paths[2][256], written[512] = "";
    const char *names[2], *rows;
    spot_price_steps_t steps = {0};
    spot_diag_t diag;
    int64_t end_ms = 0;
    FILE *out = tmpfile();
    int ret;

    assert_non_null(out);
    for (size_t j = 0; j < num_files; j++) {
        snprintf(paths[j], sizeof(paths[j]), "%s/%s", temporary_folder(), j == 0 ? "a" : "b");
        write_file(paths[j], texts[j]);
        names[j] = paths[j];
    }
    spot_diag_init(&diag);
    ret = spot_price_history_read(&steps, &end_ms, request, num_files, names, &diag);
    if (*report == '\0') {
        assert_int_equal(diag.num_items, 0);
        spot_diag_free(&diag);
    } else {
        assert_diagnostics(&diag, report);
    }
    assert_int_equal(ret, expected == NULL ? SPOT_ERR_BAD_INPUT : 0);
    if (expected != NULL) {
        spot_price_steps_write(&steps, out);
        rewind(out);
        written[fread(written, 1, sizeof(written) - 1, out)] = '\0';
        rows = strncmp(written, "# start: ", 9) == 0 ? strchr(written, '\n') + 1 : written;
        assert_string_equal(rows, expected);
        if (request->start != NULL) {
            assert_string_equal(steps.start, request->start);
        }
        assert_int_equal(end_ms, expected_end_ms);
    }
    fclose(out);
    spot_price_steps_free(&steps);
    for (size_t j = 0; j < num_files; j++) {
        assert_int_equal(remove(paths[j]), 0);
    }
}

#define ITEM(zone, price, time)                                                                    \
    "{\"AvailabilityZone\":\"" zone "\",\"InstanceType\":\"p3.2xlarge\","                          \
    "\"ProductDescription\":\"Linux/UNIX\",\"SpotPrice\":\"" price "\",\"Timestamp\":\"" time      \
    "\"}"
#define PAGE(items) "{\"SpotPriceHistory\":[" items "]}"

/* Pages in any order, newest first; equal prices are one step, the same record twice is
 * one. */
static void test_aws(void **state)
{
    static const char *const pages[] = {
        PAGE(ITEM("a", "0.95", "2026-03-01T03:00:00+00:00") "," ITEM(
            "a", "0.93", "2026-03-01T02:00:00.000Z")),
        PAGE(ITEM("a", "0.93", "2026-03-01T02:00:00+00:00") "," ITEM("a", "0.93",
            "2026-03-01T02:00:00+01:00") "," ITEM("a", "0.91", "2026-03-01T00:00:00Z")),
    };
    spot_price_request_t request = {0};

    (void) state;
    assert_history(
        &request, 2, pages, "time_s,usd_per_h\n0,0.91\n3600,0.93\n10800,0.95\n", 10800000, "");
    request.start = "2026-03-01T02:30:00Z"; /* between two records */
    assert_history(&request, 2, pages, "time_s,usd_per_h\n0,0.93\n1800,0.95\n", 1800000, "");
    request.start = "2026-03-01T02:00:00Z"; /* at one */
    request.end = "2026-03-01T03:00:00Z";
    assert_history(&request, 2, pages, "time_s,usd_per_h\n0,0.93\n", 3600000, "");
    request.start = "2026-02-28T00:00:00Z";
    assert_history(&request, 2, pages, NULL, 0,
        "b: expected --start and a later --end such as 2026-03-01T00:00:00Z, which is "
        "the first record: no price is known before\n");
    request.start = "tomorrow";
    assert_history(&request, 2, pages, NULL, 0,
        "b: expected --start and a later --end such as 2026-03-01T00:00:00Z, which is "
        "the first record: no price is known before\n");
}

static void test_one_series(void **state)
{
    static const char *const page[] = {PAGE(ITEM("cn-north-1a", "6.1",
        "2026-03-01T00:00:"
        "00Z") "," ITEM("b", "0.91", "2026-03-01T00:00:00Z") "," ITEM("b", "0.92",
        "2026-03-01T01:00:00Z"))};
    spot_price_request_t request = {0};

    (void) state;
    assert_history(&request, 1, page, NULL, 0,
        "a: expected one series of prices, several fit: choose by --zone, --type, "
        "--product, --market and --currency among these 2 (records)\n"
        "  cn-north-1a, p3.2xlarge, Linux/UNIX, spot, CNY (1)\n"
        "  b, p3.2xlarge, Linux/UNIX, spot, USD (2)\n");
    request.keys[SPOT_PRICE_ZONE] = "c";
    assert_history(&request, 1, page, NULL, 0,
        "a: expected one series of prices, none fits: choose by --zone, --type, "
        "--product, --market and --currency among these 2 (records)\n"
        "  cn-north-1a, p3.2xlarge, Linux/UNIX, spot, CNY (1)\n"
        "  b, p3.2xlarge, Linux/UNIX, spot, USD (2)\n");
    request.keys[SPOT_PRICE_ZONE] = "cn-north-1a";
    assert_history(&request, 1, page, "time_s,cny_per_h\n0,6.1\n", 0, "");
    request.keys[SPOT_PRICE_ZONE] = NULL;
    request.keys[SPOT_PRICE_CURRENCY] = "USD";
    assert_history(&request, 1, page, "time_s,usd_per_h\n0,0.91\n3600,0.92\n", 3600000, "");
}

#define AZURE(sku, use, unit, price)                                                               \
    "{\"currencyCode\":\"EUR\",\"retailPrice\":" price ",\"armRegionName\":\"westeurope\","        \
    "\"effectiveStartDate\":\"2026-03-01T00:00:00Z\",\"productName\":\"NC\","                      \
    "\"skuName\":\"" sku "\",\"armSkuName\":\"NC6\",\"unitOfMeasure\":\"" unit                     \
    "\",\"type\":\"" use "\"}"

static void test_azure(void **state)
{
    static const char *const page[] = {
        "{\"BillingCurrency\":\"EUR\",\"Items\":[" AZURE("NC6", "Consumption", "1 Hour",
            "3") "," AZURE("NC6 Spot", "Consumption", "1 Hour", "0.9") "," AZURE("NC6 Low "
                                                                                 "Priority",
            "Consumption", "1 Hour",
            "0.8") "," AZURE("NC6", "Reservation", "1 Hour", "9000") "],\"NextPageLink\":null}"};
    spot_price_request_t request = {0};

    (void) state;
    request.keys[SPOT_PRICE_MARKET] = "spot";
    assert_history(&request, 1, page, "time_s,eur_per_h\n0,0.9\n", 0,
        "warning: a: 1 items are left out, reservations and others that are not paid by "
        "the hour of use\n");
}

static void test_stamped(void **state)
{
    static const char *const named[] = {"time,zone,eur_per_h\n2026-03-01T01:00:00+01:00,"
                                        "x,2\n2026-03-01 00:30:00Z,x,3\n"};
    static const char *const bare[] = {"price,timestamp\n1,2026-03-01T00:00:00\n"};
    static const char *const lines[] = {
        "{\"time\":\"2026-03-01T00:00:00Z\",\"price\":1.5,\"currency\":\"GBP\"}\n"};
    static const char *const steps[] = {"time_s,jpy_per_h\n0,100\n60,110\n"};
    spot_price_request_t request = {0};

    (void) state;
    assert_history(&request, 1, named, "time_s,eur_per_h\n0,2\n1800,3\n", 1800000, "");
    assert_history(&request, 1, lines, "time_s,gbp_per_h\n0,1.5\n", 0, "");
    assert_history(&request, 1, steps, "time_s,jpy_per_h\n0,100\n60,110\n", 60000, "");
    request.keys[SPOT_PRICE_CURRENCY] = "SEK";
    assert_history(&request, 1, bare, "time_s,sek_per_h\n0,1\n", 0,
        "warning: a: times without a zone are taken as UTC\n");
    request.form = "stamped";
    assert_history(&request, 1, bare, "time_s,sek_per_h\n0,1\n", 0,
        "warning: a: times without a zone are taken as UTC\n");
}

static void test_too_many(void **state)
{
    static char text[SPOT_MAX_PRICE_STEPS * 40];
    const char *const texts[] = {text};
    const spot_price_request_t request = {0};
    char *end = text + sprintf(text, "time,usd_per_h\n");

    (void) state;
    for (int j = 0; j <= SPOT_MAX_PRICE_STEPS; j++) {
        end += sprintf(end, "2026-03-%02dT%02d:%02d:%02dZ,%d\n", 1 + j / 86400, j / 3600 % 24,
            j / 60 % 60, j % 60, j % 2);
    }
    assert_history(&request, 1, texts, NULL, 0,
        "a: more than 20000 steps: choose a shorter time by --start and --end\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_aws),
        cmocka_unit_test(test_one_series),
        cmocka_unit_test(test_azure),
        cmocka_unit_test(test_stamped),
        cmocka_unit_test(test_too_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
