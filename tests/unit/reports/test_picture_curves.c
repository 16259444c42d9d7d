/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "reports/study_parts.h"
#include "reports/study_pictures.h"
#include "reports/words.h"
#include "tests/unit/reports/declared.h"
#include "tests/unit/reports/sample.h"

static char *declared(const spot_store_t *store)
{
    spot_report_t report = sample_report(store);
    char *text = declared_text(spot_picture_curves.declare, &report);

    spot_report_free(&report);
    return text;
}

static void replace(char **text, const char *other)
{
    free(*text);
    *text = other == NULL ? NULL : strdup(other);
}

static void drop_stack(spot_study_head_t *head)
{
    for (size_t j = 0; j < head->plot.num_stack; j++) {
        free(head->plot.stack[j]);
    }
    head->plot.num_stack = 0;
    replace(&head->plot.second_x, NULL);
}

/* As a file that is asked for by its path. */
static void assert_drawn(const spot_store_t *store)
{
    const char *path = sample_path("study.svg");
    spot_report_t report = sample_report(store);
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(spot_picture_curves_draw(&report, path, &diag), 0);
    assert_int_equal(diag.num_items, 0);
    sample_assert_svg(path);
    spot_report_free(&report);
    spot_diag_free(&diag);
}

static void assert_refused(const spot_store_t *store, const char *message)
{
    spot_diag_t diag;
    spot_chart_t *chart = spot_chart_new();
    spot_report_t report = sample_report(store);

    assert_non_null(chart);
    assert_int_equal(spot_picture_curves.declare(chart, &report), SPOT_ERR_BAD_PARAM);
    spot_chart_free(chart);
    spot_diag_init(&diag);
    assert_int_equal(spot_picture_curves_draw(&report, "no.svg", &diag), SPOT_ERR_BAD_PARAM);
    spot_report_free(&report);
    assert_int_equal(diag.num_items, 1);
    assert_string_equal(diag.items[0].text, message);
    assert_int_not_equal(access("no.svg", F_OK), 0);
    spot_diag_free(&diag);
}

typedef struct {
    spot_study_head_t head;
    spot_store_t *store;
} fixture_t;

static int setup(void **state)
{
    fixture_t *self = calloc(1, sizeof(*self));

    *state = self;
    if (self == NULL) {
        return -1;
    }
    sample_idle_head(&self->head, 10);
    self->store = sample_idle_store(&self->head);
    return 0;
}

static int teardown(void **state)
{
    fixture_t *self = *state;

    self->store->close(self->store);
    spot_study_head_free(&self->head);
    free(self);
    return 0;
}

static void test_golden(void **state)
{
    const fixture_t *self = *state;
    char *text = declared(self->store);

    sample_assert_golden("picture-curves.txt", text);
    free(text);
}

static void test_the_picture_appears(void **state)
{
    const fixture_t *self = *state;

    assert_drawn(self->store);
}

static void test_a_study_that_says_nothing(void **state)
{
    fixture_t *self = *state;
    char *text;

    drop_stack(&self->head);
    replace(&self->head.plot.x, NULL);
    replace(&self->head.plot.y, NULL);
    replace(&self->head.question, NULL);
    self->head.axes[0].numbers[3] = (double) NAN; /* so the other one is drawn along */
    text = declared(self->store);
    assert_non_null(strstr(text, "title 'Prepping"));
    assert_non_null(strstr(text, "\n  x 'pipeline depth' from 8 to 16"));
    assert_non_null(strstr(text, "\n  y percent 'prepping'"));
    assert_non_null(strstr(text, "\npanel 'preemption per minute 0.45'\n"));
    assert_int_equal(sample_count(text, "\npanel "), 11);
    assert_int_equal(sample_count(text, "series of area"), 0);
    free(text);
    assert_drawn(self->store);
}

static void test_values_are_drawn_in_order(void **state)
{
    fixture_t *self = *state;
    spot_axis_t *axis = &self->head.axes[0];
    const char *first, *second;
    char *text;

    axis->numbers[0] = 0.5;
    axis->numbers[10] = 0;
    text = declared(self->store);
    first = strstr(text, "    area 0 ");
    assert_non_null(first);
    second = strstr(first, "    area 0.5 ");
    assert_non_null(second);
    assert_true(second < strstr(strstr(text, "\npanel") + 1, "\npanel"));
    free(text);
}

static void test_a_single_value_is_a_bar(void **state)
{
    fixture_t *self = *state;
    char *text;

    self->head.axes[0].num_values = 1; /* the first 2 points */
    self->head.num_points = 2;
    text = declared(self->store);
    assert_int_equal(sample_count(text, " from -1 to 1\n"), 2);
    assert_int_equal(sample_count(text, "series of bars"), 2 * 4);
    assert_int_equal(declared_count(text, "points"), 2);
    assert_int_equal(sample_count(text, " thick 1\n"), 2 * 4);
    free(text);
    assert_drawn(self->store);
    self->head.axes[0].num_values = 11;
    self->head.num_points = 22;
}

static void test_points_without_values_are_gaps(void **state)
{
    fixture_t *self = *state;
    spot_store_t *store;
    const double row[7] = {0.1, 0.1, 0.1, 0.1, 0.4, 3, 1};
    char *text;

    assert_int_equal(spot_store_open_memory(&store, &self->head), 0);
    text = declared(store); /* nothing at all */
    assert_int_equal(sample_count(text, "    line 0 nan"), 2);
    assert_non_null(strstr(text, "0 of 10 replications"));
    free(text);
    assert_int_equal(store->put(store, &(spot_piece_t){2, 0, 1, row, NULL}), 0);
    text = declared(store);
    assert_int_equal(sample_count(text, "    area 0.05 10\n"), 4);
    assert_non_null(strstr(text, "    line 0 nan hover"));
    assert_non_null(strstr(text, "    line 0.05 40 hover"));
    assert_non_null(strstr(text, "    line 0.1 nan hover"));
    assert_non_null(strstr(text, "0 to 1 of 10 replications"));
    free(text);
    assert_drawn(store);
    store->close(store);
}

/* Texts of the study are texts, whatever they contain. */
static void test_texts_cannot_break_out(void **state)
{
    fixture_t *self = *state;
    const char *path = sample_path("study.svg");
    spot_report_t report = sample_report(self->store);
    spot_diag_t diag;
    char *text;

    replace(
        &self->head.plot.x_label, "\"`x`\" </text><script>alert(1)</script> {/Bold} \\\n'; # <&>");
    spot_diag_init(&diag);
    assert_int_equal(spot_picture_curves_draw(&report, path, &diag), 0);
    text = sample_read(path);
    assert_non_null(text);
    assert_null(strstr(text, "<script"));
    assert_non_null(strstr(text, "&lt;script"));
    free(text);
    sample_assert_svg(path);
    spot_report_free(&report);
    spot_diag_free(&diag);
}

static void test_what_cannot_be_drawn(void **state)
{
    fixture_t *self = *state;

    replace(&self->head.plot.second_x, "nothing");
    assert_refused(
        self->store, "no.svg: nothing can be drawn: a metric to draw is not among those kept");
    replace(&self->head.plot.second_x, NULL);
    replace(&self->head.plot.x, "fleet.initial");
    assert_refused(self->store,
        "no.svg: nothing can be drawn: the key to draw along is not swept over numbers");
    replace(&self->head.plot.x, NULL);
    self->head.axes[0].numbers[0] = (double) NAN;
    self->head.axes[1].numbers[0] = (double) NAN;
    assert_refused(
        self->store, "no.svg: nothing can be drawn: no swept key has numbers to draw along");
}

/* Without y: what the study optimises, else what names its winners, else the first. */
static void test_the_metric_that_is_drawn(void **state)
{
    fixture_t *self = *state;
    char *text;

    drop_stack(&self->head);
    assert_int_equal(spot_drawn_metric(&self->head), 4); /* y */
    replace(&self->head.optimise.metric, "usd_per_1000_samples");
    assert_int_equal(spot_drawn_metric(&self->head), 4);
    replace(&self->head.plot.y, NULL);
    text = declared(self->store);
    assert_non_null(strstr(text, "USD per 1000 samples"));
    free(text);
    assert_int_equal(spot_drawn_metric(&self->head), 6);
    replace(&self->head.optimise.metric, NULL);
    self->head.best.is_asked = true;
    self->head.best.metric_id = 5;
    assert_int_equal(spot_drawn_metric(&self->head), 5);
    self->head.best.is_asked = false;
    assert_int_equal(spot_drawn_metric(&self->head), 0);
}

/* A picture that was asked for by name: an error, and no file. */
static void assert_no_picture(const spot_report_t *report, const char *text)
{
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(spot_picture_curves_draw(report, "no.svg", &diag), SPOT_ERR_BAD_PARAM);
    assert_int_equal(diag.num_items, 1);
    assert_string_equal(diag.items[0].text, text);
    spot_diag_free(&diag);
    assert_int_equal(access("no.svg", F_OK), -1);
}

/* What would be an empty frame is no picture. */
static void test_nothing_to_draw(void **state)
{
    fixture_t *self = *state;
    spot_report_t report = sample_report(self->store);
    const spot_study_picture_t *curves = &spot_picture_curves;

    assert_null(curves->problem(&report));
    for (size_t j = 1; j < self->head.num_points; j++) {
        report.summaries[j * self->head.num_metrics].value = (double) NAN;
    }
    assert_null(curves->problem(&report));
    report.summaries[0].value = (double) NAN; /* a part of the stack */
    assert_string_equal(curves->problem(&report), "what it would draw is undefined at all points");
    assert_no_picture(&report, "no.svg: nothing can be drawn: what it would draw is "
                               "undefined at all points: prepping_fraction");
    report.num_rows = 0;
    assert_string_equal(curves->problem(&report), "no point has replications yet");
    assert_no_picture(&report, "no.svg: nothing can be drawn: no point has replications yet");
    spot_report_free(&report);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* Without every third point of the grid of 11 x 2. */
static void thin_out(spot_study_head_t *head)
{
    size_t num_kept = 0;

    head->value_ids = spot_calloc(22 * 2, sizeof(*head->value_ids));
    assert_non_null(head->value_ids);
    for (uint32_t j = 0; j < 22; j++) {
        if (j % 3 != 0) {
            head->value_ids[2 * num_kept] = j / 2;
            head->value_ids[2 * num_kept + 1] = j % 2;
            num_kept++;
        }
    }
    head->num_points = num_kept;
}

/* Every point is in the panel of its depth, once, and x never falls. */
static void assert_panels(const spot_curves_t *curves)
{
    const spot_study_head_t *head = curves->head;
    size_t num_points = 0;

    for (size_t j = 0; j < curves->num_panels; j++) {
        for (size_t k = 0; k < spot_curves_num_x(curves, j); k++) {
            const size_t point_id = curves->lines.point_ids[num_points++];
            const size_t x_id = spot_study_value_id(head, point_id, 0);

            assert_true(spot_curves_x(curves, j, k) == head->axes[0].numbers[x_id]);
            assert_true(k == 0 || spot_curves_x(curves, j, k) >= spot_curves_x(curves, j, k - 1));
            if (!curves->has_all_in_one) {
                assert_int_equal(
                    spot_study_value_id(head, point_id, 1), spot_curves_value_id(curves, j, 1));
            }
        }
    }
    assert_int_equal(num_points, head->num_points);
}

static void test_a_thinned_grid(void **state)
{
    const char *problem = NULL;
    spot_study_head_t head;
    spot_curves_t curves;
    spot_report_t report;
    spot_store_t *store;

    (void) state;
    sample_idle_head(&head, 20);
    thin_out(&head);
    store = sample_idle_store(&head);
    report = sample_report(store);
    assert_int_equal(spot_curves_init(&curves, &report, &problem), 0);
    assert_int_equal(curves.num_panels, 2);
    assert_panels(&curves);
    assert_true(curves.x_low == head.axes[0].numbers[0]);
    assert_true(curves.x_high == head.axes[0].numbers[10]);
    spot_curves_free(&curves);
    spot_report_free(&report);
    assert_drawn(store);
    store->close(store);
    spot_study_head_free(&head);
}

/* The keys of a zip move together, and those of a design have no order: one panel. */
static void test_other_plans(void **state)
{
    static const spot_plan_kind_t kinds[] = {SPOT_PLAN_ZIP, SPOT_PLAN_SOBOL};

    (void) state;
    for (size_t j = 0; j < 2; j++) {
        const char *problem = NULL;
        spot_study_head_t head;
        spot_curves_t curves;
        spot_report_t report;
        spot_store_t *store;

        sample_idle_head(&head, 20);
        thin_out(&head);
        head.plan.kind = kinds[j];
        store = sample_idle_store(&head);
        report = sample_report(store);
        if (kinds[j] == SPOT_PLAN_SOBOL) {
            assert_int_equal(spot_curves_init(&curves, &report, &problem), SPOT_ERR_BAD_PARAM);
            assert_non_null(strstr(problem, "no order along a key"));
            spot_curves_free(&curves);
            head.plot.num_stack = 0; /* what is in it is freed below */
            replace(&head.plot.second_x, NULL);
        }
        assert_int_equal(spot_curves_init(&curves, &report, &problem), 0);
        assert_int_equal(curves.num_panels, 1);
        assert_panels(&curves);
        spot_curves_free(&curves);
        assert_drawn(store);
        spot_report_free(&report);
        store->close(store);
        head.plot.num_stack = 4;
        spot_study_head_free(&head);
    }
}

/* One panel with a curve for each depth; the strip tells who wins where. */
static void test_curves(void **state)
{
    fixture_t *self = *state;
    spot_study_head_t *head = &self->head;
    char *text;

    drop_stack(head);
    replace(&head->plot.curves, "job.pipeline_depth");
    text = declared(self->store);
    assert_int_equal(sample_count(text, "series of line '"), 2);
    assert_int_equal(declared_count(text, "line"), 2 * 11);
    assert_int_equal(sample_count(text, "\npanel"), 1);
    assert_null(strstr(text, "strip: "));
    free(text);
    head->best = (spot_best_t){.is_asked = true, .axis_id = 1, .metric_id = 4};
    head->best.is_left_out = spot_calloc(2, sizeof(bool));
    assert_non_null(head->best.is_left_out);
    text = declared(self->store);
    assert_non_null(strstr(text, "strip: which is lowest"));
    assert_int_equal(declared_count(text, "spans"), 11); /* a part for each x */
    assert_null(strstr(text, " dashed"));
    sample_assert_golden("picture-winners.txt", text);
    assert_drawn(self->store);
    free(text);
    head->best.is_left_out[1] = true; /* a bound: dashed, and never in the strip */
    text = declared(self->store);
    assert_int_equal(sample_count(text, " dashed"), 1);
    assert_int_equal(sample_count(text, "series of spans #d55e00"), 0);
    assert_int_equal(declared_count(text, "spans"), 11);
    free(text);
    head->best.metric_id = 0; /* not what is drawn */
    text = declared(self->store);
    assert_null(strstr(text, "strip: "));
    free(text);
}

/* The other axes have panels of their own; the same value looks the same in each. */
static void test_curves_in_panels(void **state)
{
    fixture_t *self = *state;
    char *text;

    drop_stack(&self->head);
    replace(&self->head.plot.x, "job.pipeline_depth");
    replace(&self->head.plot.curves, "trace.preemption.per_minute");
    text = declared(self->store);
    assert_int_equal(sample_count(text, "series of line '"), 11);
    assert_drawn(self->store);
    free(text);
}

/* Of more panels than there is room for the note tells how many there are. */
static void test_too_many_panels(void **state)
{
    double numbers[20];
    spot_study_head_t head;
    spot_store_t *store;
    char *text;

    (void) state;
    for (size_t j = 0; j < 20; j++) {
        numbers[j] = 0.02 * (double) j;
    }
    sample_idle_head(&head, 2);
    sample_replace_axis(&head, 0, sample_axis("trace.preemption.per_minute", 20, numbers));
    drop_stack(&head);
    replace(&head.plot.x, "job.pipeline_depth");
    store = sample_idle_store(&head);
    text = declared(store);
    assert_non_null(strstr(text, " · the first 12 of 20 curves'"));
    assert_int_equal(sample_count(text, "\npanel "), 12);
    free(text);
    store->close(store);
    spot_study_head_free(&head);
}

static void test_curves_refused(void **state)
{
    fixture_t *self = *state;
    spot_study_head_t *head = &self->head;

    replace(&head->plot.curves, "job.reload");
    assert_refused(self->store, "no.svg: nothing can be drawn: the key with a curve for "
                                "each of its values is not swept");
    replace(&head->plot.curves, "job.pipeline_depth");
    assert_refused(self->store,
        "no.svg: nothing can be drawn: curves need a grid or a list of points, and are "
        "drawn without stack and second_x");
    drop_stack(head);
    replace(&head->plot.x, "job.pipeline_depth");
    assert_refused(self->store, "no.svg: nothing can be drawn: the key to draw along is "
                                "not swept over numbers");
}

/* The main curves in words: the lowest and the highest mean and where they are. */
static void test_description(void **state)
{
    spot_study_head_t head;
    spot_store_t *store;
    spot_report_t report;
    char *text;

    (void) state;
    sample_idle_head(&head, 4);
    store = sample_idle_store(&head);
    report = sample_report(store);
    assert_string_equal(spot_picture_curves.name, "curves");
    text = declared_description(&spot_picture_curves, &report);
    assert_non_null(strstr(text, "Estimates of idle with 95 % confidence intervals along "
                                 "preemption per minute: from "));
    assert_non_null(strstr(text, " % at preemption per minute 0, pipeline depth 8 to "));
    assert_string_equal(text + strlen(text) - 2, "8.");
    assert_null(strstr(strstr(text, " 8 to "), "preemption per minute 0,"));
    free(text);
    spot_report_free(&report);
    store->close(store);
    spot_study_head_free(&head);
}

/* A picture of a duration has the unit of people, at the curve and at its axis. */
static void test_durations(void **state)
{
    spot_study_head_t head;
    spot_store_t *store;
    char *text;

    (void) state;
    sample_marked_head(&head);
    head.plot.x = strdup("x");
    head.plot.y = strdup("wait_s");
    head.plot.second_x = strdup("p95(wait_s)");
    store = sample_marked_store(&head);
    text = declared(store);
    assert_non_null(strstr(text, " · curve: mean, band: its 95 %"));
    assert_non_null(strstr(text, "'wait (h)'"));
    assert_non_null(strstr(text, "'p95 of wait (h)'"));
    assert_non_null(strstr(text, "    line 1 1.99722 y 1.98"));
    assert_non_null(strstr(text, "    line 2 2.99861 y 2.97"));
    free(text);
    store->close(store);
    spot_study_head_free(&head);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_golden),
        TEST(test_the_picture_appears),
        TEST(test_a_study_that_says_nothing),
        TEST(test_values_are_drawn_in_order),
        TEST(test_a_single_value_is_a_bar),
        TEST(test_points_without_values_are_gaps),
        TEST(test_texts_cannot_break_out),
        TEST(test_what_cannot_be_drawn),
        TEST(test_the_metric_that_is_drawn),
        TEST(test_nothing_to_draw),
        cmocka_unit_test(test_a_thinned_grid),
        cmocka_unit_test(test_other_plans),
        cmocka_unit_test_setup_teardown(test_curves, setup, teardown),
        cmocka_unit_test_setup_teardown(test_curves_in_panels, setup, teardown),
        cmocka_unit_test(test_too_many_panels),
        cmocka_unit_test_setup_teardown(test_curves_refused, setup, teardown),
        cmocka_unit_test(test_description),
        cmocka_unit_test(test_durations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
