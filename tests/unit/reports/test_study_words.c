/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "reports/words.h"

static void test_metrics(void **state)
{
    static const struct {
        spot_metric_t metric;
        const char *words;
        const char *noun;
    } cases[] = {
        {{.name = "idle_fraction",
             .unit = "1",
             .label = "idle",
             .noun = "idle time",
             .kind = SPOT_METRIC_SHARE},
            "idle", "idle time"},
        {{.name = "rollbacks", .unit = "1"}, "rollbacks", "rollbacks"},
        {{.name = "cost_usd", .unit = "USD", .label = "cost"}, "cost (USD)", "cost"},
        {{.name = "wait_s", .unit = "s"}, "wait_s (s)", "wait_s"},
        {{.name = "preempted", .unit = "instances"}, "preempted (instances)", "preempted"},
        {{.name = "mean_instances", .unit = "instances", .label = "mean instances"},
            "mean instances", "mean instances"},
    };

    spot_texts_t texts = {0};

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        const spot_metric_t *metric = &cases[j].metric;

        assert_string_equal(spot_words_metric(&texts, metric, NULL), cases[j].words);
        assert_int_equal(spot_metric_factor(metric), j == 0 ? 100 : 1);
        assert_string_equal(spot_words_subject(&texts, metric), cases[j].noun);
    }
    spot_texts_free(&texts);
}

/* Values are shown in a unit that suits them. */
static void test_other_units(void **state)
{
    static const struct {
        spot_metric_t metric;
        double largest, factor;
        const char *words;
    } cases[] = {
        {{.name = "w", .unit = "s", .label = "wait", .kind = SPOT_METRIC_TIME}, 86400, 1.0 / 3600,
            "wait (h)"},
        {{.name = "w", .unit = "s", .label = "wait", .kind = SPOT_METRIC_TIME}, 90, 1, "wait (s)"},
        {{.name = "l", .unit = "h", .label = "mean lifetime", .kind = SPOT_METRIC_TIME}, 240,
            1.0 / 24, "mean lifetime (d)"},
        {{.name = "i", .unit = "instance-ms", .label = "idle", .kind = SPOT_METRIC_TIME}, 8e6,
            1.0 / 3.6e6, "idle (instance-h)"},
        {{.name = "i", .unit = "1", .label = "idle", .kind = SPOT_METRIC_SHARE}, 1, 100, "idle"},
        {{.name = "c", .unit = "USD", .label = "cost", .kind = SPOT_METRIC_COST}, 1e9, 1,
            "cost (USD)"},
    };

    spot_texts_t texts = {0};

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        const spot_shown_unit_t shown = spot_metric_shown(&cases[j].metric, cases[j].largest);

        assert_string_equal(
            spot_words_metric(&texts, &cases[j].metric, shown.unit), cases[j].words);
        assert_true(fabs(shown.factor / cases[j].factor - 1) < 1e-12);
    }
    spot_texts_free(&texts);
}

static void test_axes(void **state)
{
    char path[] = "job.checkpoint.every", label[] = "checkpoint interval";
    char seconds[] = "s", none[] = "";
    const spot_axis_t duration = {.path = path, .unit = seconds, .label = label};
    const spot_axis_t number = {.path = path, .unit = none};
    spot_texts_t texts = {0};

    (void) state;
    assert_string_equal(spot_words_axis(&texts, &duration), "checkpoint interval (s)");
    assert_string_equal(spot_words_axis(&texts, &number), "job.checkpoint.every");
    spot_texts_free(&texts);
}

static void test_short_numbers(void **state)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0, "0"},
        {0.01234, "0.0123"},
        {5.0, "5.00"},
        {17.44, "17.4"},
        {-87.06, "-87.1"},
        {1234.5, "1,234"},
        {12345678, "12,345,678"},
        {(double) NAN, ""},
    };

    spot_texts_t texts = {0};

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        assert_string_equal(spot_words_number(&texts, cases[j].value), cases[j].text);
    }
    spot_texts_free(&texts);
}

static void test_notes(void **state)
{
    char name[] = "n";
    spot_metric_t metric = {.name = "wait_s", .unit = "s", .help = "", .label = "wait"};
    const spot_study_head_t head = {.name = name,
        .seed = 3,
        .num_metrics = 1,
        .metrics = &metric,
        .batch_replications = 64,
        .num_replications = 10};
    const spot_report_t full = {.head = &head, .min_rows = 10, .max_rows = 10};
    const spot_report_t begun = {.head = &head, .min_rows = 2, .max_rows = 10};
    const spot_report_t even = {.head = &head, .min_rows = 2, .max_rows = 2};
    spot_texts_t texts = {0};

    (void) state;
    assert_string_equal(
        spot_words_run(&texts, &full), "n · 10 replications at each point · seed 3");
    assert_string_equal(
        spot_words_run(&texts, &even), "n · 2 of 10 replications at each point · seed 3");
    assert_string_equal(
        spot_words_run(&texts, &begun), "n · 2 to 10 of 10 replications at each point · seed 3");
    spot_texts_free(&texts);
}

/* What a study calls x, however long that is. */
static void test_labels_of_x(void **state)
{
    char path[] = "job.pipeline_depth", unit[] = "";
    char own[] = "pipeline depth", given[] = "Länge", label[400];
    spot_axis_t axis = {.path = path, .unit = unit, .label = own};
    spot_study_head_t head = {.num_axes = 1, .axes = &axis};
    spot_texts_t texts = {0};

    (void) state;
    assert_string_equal(spot_words_x(&texts, &head, 0), "pipeline depth");
    assert_string_equal(spot_words_x_subject(&texts, &head, 0), "pipeline depth");
    head.plot.x_label = given;
    assert_string_equal(spot_words_x(&texts, &head, 0), "Länge");
    assert_string_equal(spot_words_x_subject(&texts, &head, 0), "the Länge");
    memset(label, 'x', sizeof(label));
    label[sizeof(label) - 1] = '\0';
    head.plot.x_label = label;
    assert_string_equal(spot_words_x(&texts, &head, 0), label);
    assert_string_equal(spot_words_x_subject(&texts, &head, 0) + 4, label);
    spot_texts_free(&texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_metrics),
        cmocka_unit_test(test_other_units),
        cmocka_unit_test(test_axes),
        cmocka_unit_test(test_short_numbers),
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_labels_of_x),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
