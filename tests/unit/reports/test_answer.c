/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sentences about made-up studies: what they say, and what they must not claim. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "reports/answer.h"
#include "reports/words.h"
#include "tests/unit/reports/sample.h"

enum { NUM_ROWS = 40, MAX_X = 40 };

/* A study of idle time along x, and maybe a second key. */
typedef struct {
    spot_study_head_t head;
    spot_metric_t metric;
    double means[2 * MAX_X];  /* [point], the first key varies slowest */
    double noise;             /* of single replications */
    double noises[2 * MAX_X]; /* [point] more of it */
    int64_t num_null;         /* of the first replications at point null_id */
    size_t null_id;
} case_t;

static void case_init(case_t *self, size_t num_x, const double *x, size_t num_other)
{
    static const double others[] = {8, 16};
    char path[] = "trace.preemption.per_minute", other_path[] = "job.pipeline_depth";

    memset(self, 0, sizeof(*self));
    sample_plain_head(&self->head, NUM_ROWS);
    self->metric = (spot_metric_t){.name = "idle_fraction",
        .unit = "1",
        .help = "",
        .label = "idle",
        .noun = "idle time",
        .kind = SPOT_METRIC_SHARE};
    self->head.metrics[0] = self->metric;
    self->head.num_axes = num_other > 1 ? 2 : 1;
    self->head.min_replications = NUM_ROWS;
    self->head.axes = spot_calloc(2, sizeof(*self->head.axes));
    assert_non_null(self->head.axes);
    self->head.axes[0] = sample_axis(path, num_x, x);
    if (num_other > 1) {
        self->head.axes[1] = sample_axis(other_path, num_other, others);
    }
    self->head.plot.x = strdup(path);
    assert_non_null(self->head.plot.x);
    self->head.num_points = num_x * num_other;
    self->noise = 0.01;
}

/* The same noise at all points, and a little more at each. */
static double value_of(const case_t *self, size_t point_id, int64_t replication)
{
    const uint64_t common = (uint64_t) replication * 7919 % 1009;
    const uint64_t own = ((uint64_t) replication + 3) * 104729 * (point_id + 2) % 997;

    if (point_id == self->null_id && replication < self->num_null) {
        return (double) NAN;
    }
    return self->means[point_id] + (self->noise + self->noises[point_id]) *
                                       ((double) common / 1008 + (double) own / 996 - 1);
}

/* The answer of the first num_rows replications; freed by the caller. */
static char *answer_of(const case_t *self, int64_t num_rows)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    spot_store_t *store;
    spot_report_t report;

    assert_non_null(out);
    assert_int_equal(spot_store_open_memory(&store, &self->head), 0);
    for (size_t j = 0; j < self->head.num_points; j++) {
        for (int64_t k = 0; k < num_rows; k++) {
            const double value = value_of(self, j, k);

            assert_int_equal(store->put(store, &(spot_piece_t){j, k, 1, &value, NULL}), 0);
        }
    }
    report = sample_report(store);
    assert_int_equal(spot_answer_write(&report, out), 0);
    assert_int_equal(fclose(out), 0);
    spot_report_free(&report);
    store->close(store);
    return text;
}

static void check(case_t *self, const char *expected)
{
    char *text = answer_of(self, NUM_ROWS);

    assert_string_equal(text, expected);
    free(text);
    spot_study_head_free(&self->head);
}

static void fill(case_t *self, const double *means)
{
    memcpy(self->means, means, self->head.num_points * sizeof(*means));
}

static void set_texts(case_t *self, const char *const *texts)
{
    for (size_t j = 0; j < self->head.axes[0].num_values; j++) {
        free(self->head.axes[0].texts[j]);
        self->head.axes[0].texts[j] = spot_text_copy(texts[j], strlen(texts[j]));
        assert_non_null(self->head.axes[0].texts[j]);
    }
}

/* Values without numbers. */
static void make_categories(case_t *self, size_t num_values)
{
    static const char *const names[] = {"alpha", "beta", "gamma", "delta"};

    set_texts(self, names);
    for (size_t j = 0; j < num_values; j++) {
        self->head.axes[0].numbers[j] = (double) NAN;
    }
}

static const double five_x[] = {0.05, 0.1, 0.2, 0.3, 0.5};

static void test_grows_and_falls(void **state)
{
    case_t sample;

    (void) state;
    case_init(&sample, 5, five_x, 1);
    fill(&sample, (double[]){0.08, 0.15, 0.22, 0.3, 0.41});
    check(&sample, "As preemption per minute goes from 0.05 to 0.5, idle time grows "
                   "from 8 % to 41 %.");
    case_init(&sample, 5, five_x, 1);
    fill(&sample, (double[]){0.41, 0.3, 0.22, 0.15, 0.08});
    check(&sample, "As preemption per minute goes from 0.05 to 0.5, idle time falls "
                   "from 41 % to 8 %.");
}

static void test_turns(void **state)
{
    case_t sample;

    (void) state;
    case_init(&sample, 5, five_x, 1);
    fill(&sample, (double[]){0.4, 0.2, 0.1, 0.2, 0.3});
    check(&sample, "As preemption per minute goes from 0.05 to 0.5, idle time falls "
                   "from 40 % to a minimum of 10 % at 0.2 and rises to 30 %.");
    case_init(&sample, 5, five_x, 1);
    fill(&sample, (double[]){0.1, 0.2, 0.1, 0.4, 0.3});
    check(&sample, "As preemption per minute goes from 0.05 to 0.5, idle time rises "
                   "from 10 % to a maximum of 40 % at 0.3 and falls to 30 %.");
    case_init(&sample, 5, five_x, 1);
    fill(&sample, (double[]){0.2, 0.1, 0.4, 0.3, 0.3});
    check(&sample, "As preemption per minute goes from 0.05 to 0.5, idle time varies "
                   "between 10 % at 0.1 and 40 % at 0.2.");
}

/* Differences that are within the noise are no change; no noise, no difference. */
static void test_claims_nothing(void **state)
{
    case_t sample;
    char *text;

    (void) state;
    case_init(&sample, 5, five_x, 2);
    fill(&sample, (double[]){0.300, 0.302, 0.301, 0.303, 0.302, 0.3, 0.301, 0.302, 0.304, 0.303});
    sample.noise = 0.2;
    text = answer_of(&sample, NUM_ROWS);
    assert_non_null(strstr(text, "idle time does not surely change"));
    assert_non_null(strstr(text, "Pipeline depth makes no sure difference"));
    free(text);
    text = answer_of(&sample, 1); /* without intervals there is nothing to be sure of */
    assert_null(strstr(text, "grows"));
    assert_null(strstr(text, "falls"));
    assert_non_null(strstr(text, "This is what 1 of 40 replications"));
    free(text);
    spot_study_head_free(&sample.head);
    case_init(&sample, 5, five_x, 1);
    fill(&sample, (double[]){0.25, 0.25, 0.25, 0.25, 0.25});
    sample.noise = 0;
    check(&sample, "As preemption per minute goes from 0.05 to 0.5, idle time stays at 25 %.");
}

static void test_other_keys(void **state)
{
    static const double two_x[] = {0, 0.5};
    case_t sample;

    (void) state;
    case_init(&sample, 2, two_x, 2);
    fill(&sample, (double[]){0.4, 0.2, 0.8, 0.4});
    check(&sample, "As preemption per minute goes from 0 to 0.5, idle time grows from 40 % to 80 % "
                   "with pipeline depth 8. With pipeline depth 16 it is half as high.");
    case_init(&sample, 2, two_x, 2);
    fill(&sample, (double[]){0.2, 0.4, 0.4, 0.8});
    sample.head.has_baseline = true;
    sample.head.baseline_axis_id = 1;
    sample.head.baseline_value_id = 1;
    check(&sample, "As preemption per minute goes from 0 to 0.5, idle time grows from 40 % to 80 % "
                   "with pipeline depth 16. With pipeline depth 8 it is half as high.");
    case_init(&sample, 2, two_x, 2);
    fill(&sample, (double[]){0.2, 0.3, 0.4, 0.35});
    check(&sample, "As preemption per minute goes from 0 to 0.5, idle time grows from 20 % to 40 % "
                   "with pipeline depth 8. With pipeline depth 16 it is up to 5.0 percentage "
                   "points lower and elsewhere up to 10 percentage points higher.");
}

/* Nulls are left out of a curve; a metric without any value is told as such. */
static void test_undefined(void **state)
{
    const double none = (double) NAN;
    case_t sample;

    (void) state;
    case_init(&sample, 5, five_x, 1);
    fill(&sample, (double[]){none, 0.1, 0.2, 0.3, none});
    check(&sample, "As preemption per minute goes from 0.1 to 0.3, idle time grows from "
                   "10 % to 30 %. Idle time is undefined in all replications with "
                   "preemption per minute 0.05, 0.5.");
    case_init(&sample, 5, five_x, 1);
    fill(&sample, (double[]){none, none, 0.2, none, none});
    check(&sample, "Idle time is 19.97 ±0.12 % at preemption per minute 0.2. Idle time "
                   "is undefined in all replications with preemption per minute 0.05, "
                   "0.1, 0.3 and 1 more.");
    case_init(&sample, 5, five_x, 1);
    fill(&sample, (double[]){none, none, none, none, none});
    check(&sample, "Idle time is undefined in all replications.");
    case_init(&sample, 2, five_x, 2);
    fill(&sample, (double[]){none, none, none, none});
    check(&sample, "Idle time is undefined in all replications.");
}

/* What is undefined is neither hidden nor what all is compared with. */
static void test_undefined_of_keys(void **state)
{
    const double none = (double) NAN;
    case_t sample;

    (void) state;
    case_init(&sample, 3, five_x, 2);
    sample.head.has_baseline = true;
    sample.head.baseline_axis_id = 1;
    sample.head.baseline_value_id = 1;
    fill(&sample, (double[]){0.1, none, 0.2, none, 0.3, none});
    check(&sample, "As preemption per minute goes from 0.05 to 0.2, idle time grows "
                   "from 10 % to 30 % with pipeline depth 8. Idle time is undefined in "
                   "all replications with pipeline depth 16.");
    case_init(&sample, 3, five_x, 2);
    fill(&sample, (double[]){0.1, 0.2, 0.2, 0.4, 0.3, none});
    check(&sample, "As preemption per minute goes from 0.05 to 0.2, idle time grows "
                   "from 10 % to 30 % with pipeline depth 8. With pipeline depth 16 it "
                   "is twice as high. Idle time is undefined in all replications with "
                   "preemption per minute 0.2, pipeline depth 16.");
    case_init(&sample, 3, five_x, 2);
    fill(&sample, (double[]){0.1, 0.2, none, 0.4, 0.3, none});
    check(&sample, "As preemption per minute goes from 0.05 to 0.2, idle time grows from 10 % to "
                   "30 % with pipeline depth 8. With pipeline depth 16 it is twice as high. Idle "
                   "time is undefined in all replications at 2 of 6 points.");
}

/* Some values of a point, few or many. */
static void test_partly_undefined(void **state)
{
    case_t sample;
    char *text;

    (void) state;
    case_init(&sample, 5, five_x, 1);
    fill(&sample, (double[]){0.08, 0.15, 0.22, 0.3, 0.41});
    sample.null_id = 3;
    sample.num_null = 1;
    text = answer_of(&sample, NUM_ROWS);
    assert_null(strstr(text, "undefined"));
    free(text);
    sample.num_null = 23;
    check(&sample, "As preemption per minute goes from 0.05 to 0.5, idle time grows "
                   "from 8 % to 41 %. Idle time is undefined in 23 of 40 replications "
                   "with preemption per minute 0.3.");
    case_init(&sample, 3, five_x, 1);
    make_categories(&sample, 3);
    fill(&sample, (double[]){0.2, 0.1, (double) NAN});
    sample.null_id = 1;
    sample.num_null = 20;
    check(&sample, "The lowest idle time is 10.0 % with beta. The highest idle time is "
                   "20.0 % with alpha. Idle time is undefined in all replications with "
                   "gamma. Idle time is undefined in 20 of 40 replications with beta.");
}

/* How much a value lowers or raises is told by the sure differences only. */
static void test_sure_sizes_only(void **state)
{
    case_t sample;
    char *text;

    (void) state;
    case_init(&sample, 3, five_x, 2);
    fill(&sample, (double[]){0.14, 0.12, 0.5, 0.2, 0.6, 0.2});
    sample.noise = 0.001;
    for (size_t j = 2; j < 6; j += 2) { /* of means that may be anything */
        sample.noises[j] = 30;
    }
    text = answer_of(&sample, NUM_ROWS);
    assert_non_null(strstr(text, "idle time does not surely change: 14 % to "));
    assert_non_null(
        strstr(text, ". With pipeline depth 16 it is up to 2.0 percentage points lower."));
    free(text);
    spot_study_head_free(&sample.head);
}

/* Of a curve that does not surely change both ends are told, not its extremes. */
static void test_ends(void **state)
{
    case_t sample;
    char *text;

    (void) state;
    case_init(&sample, 3, five_x, 1);
    sample.metric = (spot_metric_t){.name = "usd_per_1000_samples",
        .unit = "USD",
        .label = "cost per 1,000 samples",
        .help = ""};
    sample.head.metrics[0] = sample.metric;
    fill(&sample, (double[]){0.14, 40, 11.8});
    sample.noise = 0;
    text = answer_of(&sample, 1); /* without intervals */
    assert_non_null(strstr(text, "cost per 1,000 samples does not surely change: 0.1 "
                                 "USD to 11.8 USD. This is what 1 of 40 "));
    free(text);
    spot_study_head_free(&sample.head);
}

/* Four digits of numbers with more, if these tell them apart. */
static void test_short_numbers(void **state)
{
    static const double long_x[] = {0.0303030303, 0.0606060606, 0.909090909};
    static const double near_x[] = {0.0303030303, 0.0303030304, 0.909090909};
    static const char *const texts[] = {
        "0.0303030303030303", "0.0606060606060606", "0.909090909090909"};
    static const char *const near_texts[] = {"0.0303030303", "0.0303030304", "0.909090909"};
    case_t sample;

    (void) state;
    case_init(&sample, 3, long_x, 1);
    set_texts(&sample, texts);
    fill(&sample, (double[]){0.4, 0.1, 0.3});
    check(&sample, "As preemption per minute goes from 0.0303 to 0.9091, idle time "
                   "falls from 40 % to a minimum of 10 % at 0.06061 and rises to 30 %.");
    case_init(&sample, 3, near_x, 1);
    set_texts(&sample, near_texts);
    fill(&sample, (double[]){0.1, 0.2, 0.3});
    check(&sample, "As preemption per minute goes from 0.0303030303 to 0.9091, idle "
                   "time grows from 10 % to 30 %.");
}

static void test_incomplete(void **state)
{
    case_t sample;
    char *text;

    (void) state;
    case_init(&sample, 5, five_x, 1);
    fill(&sample, (double[]){0.08, 0.15, 0.22, 0.3, 0.41});
    text = answer_of(&sample, 12);
    assert_non_null(strstr(text, "grows from 8 % to 41 %. This is what 12 of 40 "
                                 "replications at each point say so far."));
    free(text);
    text = answer_of(&sample, 0);
    assert_string_equal(text, "No replication is there yet: run the same spotsim study "
                              "command again, or merge the parts of other machines.");
    free(text);
    spot_study_head_free(&sample.head);
}

static void test_one_point(void **state)
{
    static const double values[] = {1, 2, 3, 4, 5};
    spot_study_head_t head;
    spot_store_t *store;
    spot_report_t report;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    (void) state;
    assert_non_null(out);
    sample_plain_head(&head, 5);
    store = sample_plain_store(&head, 5, values);
    report = sample_report(store);
    assert_int_equal(spot_answer_write(&report, out), 0);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, "Wait is 3.0 ±2.0 s.");
    free(text);
    spot_report_free(&report);
    store->close(store);
    spot_study_head_free(&head);
}

static void test_categories(void **state)
{
    case_t sample;

    (void) state;
    case_init(&sample, 3, five_x, 1);
    make_categories(&sample, 3);
    fill(&sample, (double[]){0.2, 0.1, 0.3});
    check(&sample, "The lowest idle time is 10 % with beta. The highest idle time is 30 "
                   "% with gamma.");
    case_init(&sample, 3, five_x, 1);
    make_categories(&sample, 3);
    fill(&sample, (double[]){0.2, 0.1, 0.3});
    sample.head.has_baseline = true;
    check(&sample, "Compared with alpha (20.0 %), idle time is 10.0 percentage points "
                   "higher with gamma and 10.0 percentage points lower with beta.");
    case_init(&sample, 3, five_x, 1);
    make_categories(&sample, 3);
    fill(&sample, (double[]){0.2, 0.2, 0.3});
    sample.head.has_baseline = true;
    check(&sample, "Compared with alpha (20.0 %), idle time is 10.0 percentage points "
                   "higher with gamma. 1 of 2 does not surely differ.");
    case_init(&sample, 3, five_x, 1);
    make_categories(&sample, 3);
    fill(&sample, (double[]){0.2, 0.2, 0.2});
    sample.noise = 0.3;
    sample.head.has_baseline = true;
    check(&sample, "Idle time does not surely differ from that with alpha.");
}

/* Winners along x: the first key is x, the second competes. */
static void test_winners(void **state)
{
    static bool is_left_out[2] = {false, false};
    case_t sample;
    char *text;

    (void) state;
    case_init(&sample, 5, five_x, 2);
    fill(&sample, (double[]){0.1, 0.2, 0.15, 0.2, 0.19, 0.2, 0.3, 0.2, 0.4, 0.2});
    sample.head.best = (spot_best_t){.is_asked = true, .axis_id = 1, .is_left_out = is_left_out};
    text = answer_of(&sample, NUM_ROWS);
    assert_string_equal(text, "The lowest idle time is that of 8 up to 0.2 and of 16 from 0.3 on "
                              "(preemption per minute). Their means cross at about 0.209.");
    free(text);
    sample.means[4] = 0.1999; /* too near to tell */
    text = answer_of(&sample, NUM_ROWS);
    assert_non_null(strstr(text, "up to 0.2 (not surely at 0.2)"));
    free(text);
    sample.head.best.is_left_out = NULL; /* it is not the head's */
    spot_study_head_free(&sample.head);
}

/* Points without an order: which key matters, if there are enough of them. */
static void test_sampled_plan(void **state)
{
    case_t sample;
    double x[MAX_X];
    char *text;

    (void) state;
    for (size_t j = 0; j < MAX_X; j++) {
        x[j] = (double) j;
    }
    case_init(&sample, MAX_X, x, 2);
    sample.head.plan.kind = SPOT_PLAN_LATIN_HYPERCUBE;
    for (size_t j = 0; j < sample.head.num_points; j++) {
        sample.means[j] = 0.2 + 0.01 * (double) (j / 2) + 0.001 * (double) (j % 2);
    }
    text = answer_of(&sample, NUM_ROWS);
    assert_non_null(strstr(text, "Preemption per minute matters most for idle time: 96 "
                                 "% of the variance between points ("));
    assert_non_null(strstr(text, ". Pipeline depth hardly matters (less than 5 %)."));
    free(text);
    for (size_t j = 0; j < sample.head.num_points; j++) {
        sample.means[j] = 0.2;
    }
    sample.noise = 0.1;
    text = answer_of(&sample, NUM_ROWS);
    assert_null(strstr(text, "matters most"));
    free(text);
    spot_study_head_free(&sample.head);
    case_init(&sample, 5, five_x, 2);
    sample.head.plan.kind = SPOT_PLAN_LATIN_HYPERCUBE;
    fill(&sample, (double[]){0.1, 0.2, 0.15, 0.2, 0.19, 0.2, 0.3, 0.2, 0.4, 0.2});
    check(&sample, "Which key matters for idle time is not known: too few points have a value.");
}

/* Every text from outside is plain and whole characters, and not endless. */
static void test_hostile(void **state)
{
    static const char evil[] = "\x1b[31m<b>\xff é";
    case_t sample;
    char *text;

    (void) state;
    case_init(&sample, 3, five_x, 1);
    make_categories(&sample, 3);
    for (size_t j = 0; j < 3; j++) {
        char *name = spot_calloc(100000, 1);

        assert_non_null(name);
        while (strlen(name) < 99000) {
            strcat(name + (strlen(name) > 100 ? strlen(name) - 1 : 0), evil);
        }
        name[0] = (char) ('a' + (int) j);
        free(sample.head.axes[0].texts[j]);
        sample.head.axes[0].texts[j] = name;
    }
    fill(&sample, (double[]){0.2, 0.1, 0.3});
    text = answer_of(&sample, NUM_ROWS);
    assert_true(spot_utf8_count(text, strlen(text)) <= 4 * SPOT_ANSWER_CHARS);
    for (size_t j = 0; text[j] != '\0';) {
        const size_t length = spot_utf8_length(text + j, strlen(text + j));

        assert_true(length > 0 && (unsigned char) text[j] >= 0x20);
        j += length;
    }
    free(text);
    spot_study_head_free(&sample.head);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grows_and_falls),
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_claims_nothing),
        cmocka_unit_test(test_other_keys),
        cmocka_unit_test(test_undefined),
        cmocka_unit_test(test_undefined_of_keys),
        cmocka_unit_test(test_partly_undefined),
        cmocka_unit_test(test_sure_sizes_only),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_short_numbers),
        cmocka_unit_test(test_incomplete),
        cmocka_unit_test(test_one_point),
        cmocka_unit_test(test_categories),
        cmocka_unit_test(test_winners),
        cmocka_unit_test(test_sampled_plan),
        cmocka_unit_test(test_hostile),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
