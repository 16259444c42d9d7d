/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "reports/study_words.h"

static void
test_metrics(void **state)
{
    static const struct {
        spot_metric_t metric;
        const char *words;
        const char *without_fraction;
    } cases[] = {
        {{.name = "idle_fraction", .unit = "1", .help = ""}, "idle fraction", "idle"},
        {{.name = "rollbacks", .unit = "1", .help = ""}, "rollbacks", "rollbacks"},
        {{.name = "cost_usd", .unit = "USD", .help = ""}, "cost (USD)", "cost (USD)"},
        {{.name = "wait_s", .unit = "s", .help = ""}, "wait (s)", "wait (s)"},
        {{.name = "response", .unit = "s", .help = ""}, "response (s)", "response (s)"},
        {{.name = "s", .unit = "s", .help = ""}, "s (s)", "s (s)"},
        {{.name = "preempted", .unit = "instances", .help = ""}, "preempted (instances)",
            "preempted (instances)"},
        {{.name = "mean_instances", .unit = "instances", .help = ""}, "mean instances",
            "mean instances"},
        {{.name = "preempted_per_h", .unit = "instances/h", .help = ""},
            "preempted per hour", "preempted per hour"},
        {{.name = "usd_per_1000_samples", .unit = "USD", .help = ""},
            "USD per 1000 samples", "USD per 1000 samples"},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        char text[SPOT_WORDS_BYTES];

        spot_metric_words(&cases[j].metric, text);
        assert_string_equal(text, cases[j].words);
        assert_int_equal(spot_fraction_words(&cases[j].metric, text), j == 0);
        assert_string_equal(text, cases[j].without_fraction);
    }
}

/* The unit at the end of a name gives way to the one that its values are shown in. */
static void
test_other_units(void **state)
{
    static const struct {
        spot_metric_t metric;
        double largest, factor;
        const char *words;
    } cases[] = {
        {{.name = "wait_s", .unit = "s", .kind = SPOT_METRIC_TIME}, 86400, 1.0 / 3600,
            "wait (h)"},
        {{.name = "wait_s", .unit = "s", .kind = SPOT_METRIC_TIME}, 90, 1, "wait (s)"},
        {{.name = "mean_lifetime_h", .unit = "h", .kind = SPOT_METRIC_TIME}, 240,
            1.0 / 24, "mean lifetime (d)"},
        {{.name = "idle_instance_ms", .unit = "instance-ms", .kind = SPOT_METRIC_TIME},
            8e6, 1.0 / 3.6e6, "idle (instance-h)"},
        {{.name = "p95(wait_s)",
             .unit = "s",
             .kind = SPOT_METRIC_TIME,
             .estimator = SPOT_ESTIMATOR_QUANTILE},
            1e6, 1.0 / 86400, "p95 of wait (d)"},
        {{.name = "idle_fraction", .unit = "1", .kind = SPOT_METRIC_SHARE}, 1, 100,
            "idle"},
        {{.name = "cost_usd", .unit = "USD", .kind = SPOT_METRIC_COST}, 1e9, 1,
            "cost (USD)"},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        const spot_shown_unit_t shown =
            spot_metric_shown(&cases[j].metric, cases[j].largest);
        char text[SPOT_WORDS_BYTES];

        (void) spot_fraction_words_in(&cases[j].metric, shown.unit, text);
        assert_string_equal(text, cases[j].words);
        assert_true(fabs(shown.factor / cases[j].factor - 1) < 1e-12);
    }
}

static void
test_plurals(void **state)
{
    static const spot_metric_t many[] = {
        {.name = "samples_per_s", .unit = "samples/s", .help = ""},
        {.name = "samples_per_s_once_started", .unit = "samples/s", .help = ""},
        {.name = "samples_per_usd", .unit = "1", .help = ""},
        {.name = "steps_kept", .unit = "steps", .help = ""},
        {.name = "mean_instances", .unit = "instances", .help = ""},
        {.name = "rollbacks", .unit = "1", .help = ""},
        {.name = "losses_per_h", .unit = "1", .help = ""}};
    static const spot_metric_t one[] = {
        {.name = "usd_per_1000_samples", .unit = "USD", .help = ""},
        {.name = "cost_usd", .unit = "USD", .help = ""},
        {.name = "losses_fraction", .unit = "1", .help = ""},
        {.name = "loss", .unit = "1", .help = ""},
        {.name = "loss_of_steps", .unit = "1", .help = ""},
        {.name = "mtbp_s", .unit = "s", .help = ""},
        {.name = "time_to_finish_s", .unit = "s", .help = ""},
        {.name = "s", .unit = "s", .help = ""},
        {.name = "preemption_gap_s", .unit = "s", .help = ""},
        {.name = "", .unit = "1", .help = ""}};

    (void) state;
    for (size_t j = 0; j < sizeof(many) / sizeof(many[0]); j++) {
        assert_true(spot_metric_is_plural(&many[j]));
    }
    for (size_t j = 0; j < sizeof(one) / sizeof(one[0]); j++) {
        assert_false(spot_metric_is_plural(&one[j]));
    }
}

static void
test_axes(void **state)
{
    char path[] = "job.checkpoint.every", seconds[] = "s", none[] = "";
    const spot_axis_t duration = {.path = path, .unit = seconds};
    const spot_axis_t number = {.path = path, .unit = none};
    char text[SPOT_WORDS_BYTES];

    (void) state;
    spot_axis_words(&duration, text);
    assert_string_equal(text, "checkpoint every (s)");
    spot_axis_words(&number, text);
    assert_string_equal(text, "checkpoint every");
}

static void
test_short_numbers(void **state)
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
        {1234.5, "1234"},
        {12345678, "1.23e+07"},
        {(double) NAN, ""},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        char text[SPOT_LABEL_BYTES];

        assert_int_equal(spot_short_number(cases[j].value, text), strlen(cases[j].text));
        assert_string_equal(text, cases[j].text);
    }
}

static void
test_notes(void **state)
{
    char name[] = "n";
    spot_metric_t metric = {.name = "wait_s", .unit = "s", .help = ""};
    const spot_study_head_t head = {.name = name,
        .seed = 3,
        .num_metrics = 1,
        .metrics = &metric,
        .batch_replications = 64,
        .num_replications = 10};
    const spot_report_t full = {.head = &head, .min_rows = 10, .max_rows = 10};
    const spot_report_t begun = {.head = &head, .min_rows = 2, .max_rows = 10};
    const spot_report_t even = {.head = &head, .min_rows = 2, .max_rows = 2};
    const spot_curves_t whole = {.head = &head, .report = &full, .num_panels = 4};
    const spot_curves_t part = {.head = &head, .report = &begun, .num_panels = 20};
    char text[SPOT_NOTE_BYTES];

    (void) state;
    spot_study_note(&whole, 4, text);
    assert_string_equal(text,
        "n · 10 replications at each point · seed 3 · curve: mean, "
        "band: its 95 % confidence interval");
    metric.denominator = "steps";
    spot_study_note(&whole, 4, text);
    assert_non_null(strstr(text, " · curve: ratio of totals, band: its 95 %"));
    metric.estimator = SPOT_ESTIMATOR_MEAN;
    spot_study_run_words(&even, text);
    assert_string_equal(text, "n · 2 of 10 replications at each point · seed 3");
    spot_study_note(&part, 12, text);
    assert_string_equal(text,
        "n · 2 to 10 of 10 replications at each point · seed 3 · curve: mean, band: its "
        "95 % confidence interval · only 12 of 20 curves");
}

/* What a study calls x, unless that is too long. */
static void
test_labels_of_x(void **state)
{
    char path[] = "job.pipeline_depth", unit[] = "";
    spot_axis_t axis = {.path = path, .unit = unit};
    spot_study_head_t head = {.num_axes = 1, .axes = &axis};
    char label[SPOT_WORDS_BYTES + 1], text[SPOT_WORDS_BYTES];

    (void) state;
    spot_x_words(&head, 0, text);
    assert_string_equal(text, "pipeline depth");
    head.plot.x_label = label;
    strcpy(label, "Länge");
    spot_x_words(&head, 0, text);
    assert_string_equal(text, "Länge");
    spot_x_subject(&head, 0, text);
    assert_string_equal(text, "the Länge");
    memset(label, 'x', SPOT_WORDS_BYTES);
    label[SPOT_WORDS_BYTES - 1] = '\0'; /* fits, but not with "the" */
    spot_x_words(&head, 0, text);
    assert_string_equal(text, label);
    spot_x_subject(&head, 0, text);
    assert_string_equal(text, "pipeline depth");
    label[SPOT_WORDS_BYTES - 1] = 'x';
    label[SPOT_WORDS_BYTES] = '\0';
    spot_x_words(&head, 0, text);
    assert_string_equal(text, "pipeline depth");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_metrics),
        cmocka_unit_test(test_other_units),
        cmocka_unit_test(test_plurals),
        cmocka_unit_test(test_axes),
        cmocka_unit_test(test_short_numbers),
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_labels_of_x),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
