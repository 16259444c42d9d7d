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
        {{.name = "preempted", .unit = "instances"}, "preempted (instances)",
            "preempted"},
        {{.name = "mean_instances", .unit = "instances", .label = "mean instances"},
            "mean instances", "mean instances"},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        char text[SPOT_WORDS_BYTES];

        spot_metric_words(&cases[j].metric, text);
        assert_string_equal(text, cases[j].words);
        assert_int_equal(spot_fraction_words(&cases[j].metric, text), j == 0);
        assert_string_equal(text, cases[j].words);
        spot_metric_subject(&cases[j].metric, text);
        assert_string_equal(text, cases[j].noun);
    }
}

/* Values are shown in a unit that suits them. */
static void
test_other_units(void **state)
{
    static const struct {
        spot_metric_t metric;
        double largest, factor;
        const char *words;
    } cases[] = {
        {{.name = "w", .unit = "s", .label = "wait", .kind = SPOT_METRIC_TIME}, 86400,
            1.0 / 3600, "wait (h)"},
        {{.name = "w", .unit = "s", .label = "wait", .kind = SPOT_METRIC_TIME}, 90, 1,
            "wait (s)"},
        {{.name = "l", .unit = "h", .label = "mean lifetime", .kind = SPOT_METRIC_TIME},
            240, 1.0 / 24, "mean lifetime (d)"},
        {{.name = "i", .unit = "instance-ms", .label = "idle", .kind = SPOT_METRIC_TIME},
            8e6, 1.0 / 3.6e6, "idle (instance-h)"},
        {{.name = "i", .unit = "1", .label = "idle", .kind = SPOT_METRIC_SHARE}, 1, 100,
            "idle"},
        {{.name = "c", .unit = "USD", .label = "cost", .kind = SPOT_METRIC_COST}, 1e9, 1,
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
test_axes(void **state)
{
    char path[] = "job.checkpoint.every", label[] = "checkpoint interval";
    char seconds[] = "s", none[] = "";
    const spot_axis_t duration = {.path = path, .unit = seconds, .label = label};
    const spot_axis_t number = {.path = path, .unit = none};
    char text[SPOT_WORDS_BYTES];

    (void) state;
    spot_axis_words(&duration, text);
    assert_string_equal(text, "checkpoint interval (s)");
    spot_axis_words(&number, text);
    assert_string_equal(text, "job.checkpoint.every");
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
        {1234.5, "1,234"},
        {12345678, "12,345,678"},
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
    char text[SPOT_NOTE_BYTES];

    (void) state;
    spot_study_run_words(&full, text);
    assert_string_equal(text, "n · 10 replications at each point · seed 3");
    spot_study_run_words(&even, text);
    assert_string_equal(text, "n · 2 of 10 replications at each point · seed 3");
    spot_study_run_words(&begun, text);
    assert_string_equal(text, "n · 2 to 10 of 10 replications at each point · seed 3");
}

/* What a study calls x, unless that is too long. */
static void
test_labels_of_x(void **state)
{
    char path[] = "job.pipeline_depth", unit[] = "";
    char own[] = "pipeline depth";
    spot_axis_t axis = {.path = path, .unit = unit, .label = own};
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
        cmocka_unit_test(test_axes),
        cmocka_unit_test(test_short_numbers),
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_labels_of_x),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
