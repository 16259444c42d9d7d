/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reports/sensitivity_plot.h"
#include "reports/study_pictures.h"
#include "tests/unit/reports/sample.h"

#define MAX_METRICS 64 /* of the study */

typedef int (*writer_t)(const spot_report_t *report, FILE *out);

static char *
text_of(writer_t write, const spot_report_t *report)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    assert_int_equal(write(report, out), 0);
    assert_int_equal(fclose(out), 0);
    return text;
}

static int
write_description(const spot_report_t *report, FILE *out)
{
    spot_sensitivity_plot_describe(report, out);
    return 0;
}

static int
write_script(const spot_report_t *report, FILE *out)
{
    return spot_sensitivity_plot_script(report, NULL, out);
}

static void
test_texts(void **state)
{
    spot_study_head_t head;
    spot_store_t *store;
    spot_report_t report;
    char *text;

    (void) state;
    sample_idle_head(&head, 32);
    store = sample_idle_store(&head);
    report = sample_report(store);
    assert_null(spot_sensitivity_plot_problem(&report));
    text = text_of(spot_sensitivity_plot_csv, &report);
    sample_assert_golden("sensitivity.csv", text);
    free(text);
    text = text_of(spot_sensitivity_plot_text, &report);
    sample_assert_golden("sensitivity.txt", text);
    free(text);
    text = text_of(write_description, &report);
    assert_non_null(strstr(text, "most does preemption per minute: "));
    free(text);
    text = text_of(write_script, &report);
    assert_int_equal(sample_count(text, "pipeline depth"), 1);
    assert_int_equal(sample_count(text, "with boxxyerror"), 1);
    assert_int_equal(sample_count(text, "with xerrorbars"), 1);
    assert_null(strstr(text, "nan"));
    free(text);
    spot_report_free(&report);
    store->close(store);
    spot_study_head_free(&head);
}

/* Single replications: bars without intervals, and no noise to tell. */
static void
test_without_intervals(void **state)
{
    spot_study_head_t head;
    spot_store_t *store;
    spot_report_t report;
    char *text;

    (void) state;
    sample_idle_head(&head, 1);
    store = sample_idle_store(&head);
    report = sample_report(store);
    text = text_of(write_script, &report);
    assert_int_equal(sample_count(text, "with boxxyerror"), 1);
    assert_int_equal(sample_count(text, "with xerrorbars"), 0);
    assert_null(strstr(text, "nan"));
    free(text);
    spot_report_free(&report);
    store->close(store);
    spot_study_head_free(&head);
}

static void
test_problems(void **state)
{
    static const double values[] = {1, 2};
    spot_study_head_t head;
    spot_store_t *store;
    spot_report_t report;

    (void) state;
    sample_plain_head(&head, 2);
    store = sample_plain_store(&head, 2, values);
    report = sample_report(store);
    assert_string_equal(
        spot_sensitivity_plot_problem(&report), "fewer than two keys have two values");
    spot_report_free(&report);
    store->close(store);
    spot_study_head_free(&head);
    sample_idle_head(&head, 4);
    head.plan.kind = SPOT_PLAN_ZIP;
    store = sample_idle_store(&head);
    report = sample_report(store);
    assert_non_null(strstr(spot_sensitivity_plot_problem(&report), "move together"));
    head.plan.kind = SPOT_PLAN_GRID;
    assert_null(spot_sensitivity_plot_problem(&report));
    for (size_t j = 0; j < head.num_points * head.num_metrics; j++) {
        report.summaries[j].value = (double) NAN;
    }
    assert_non_null(strstr(spot_sensitivity_plot_problem(&report), "undefined at all"));
    report.min_rows = 0;
    assert_non_null(strstr(spot_sensitivity_plot_problem(&report), "not all points"));
    spot_report_free(&report);
    store->close(store);
    spot_study_head_free(&head);
}

/* Both what there is, and that there is nothing: the same value everywhere. */
static void
test_draws(void **state)
{
    spot_study_head_t head;

    (void) state;
    sample_need_gnuplot();
    sample_idle_head(&head, 16);
    for (int is_same = 0; is_same < 2; is_same++) {
        double row[MAX_METRICS] = {0.25};
        const char *path = sample_path("sensitivity.svg");
        spot_store_t *store;
        spot_report_t report;
        spot_diag_t diag;
        FILE *svg = fopen(path, "w");
        int ret;

        assert_non_null(svg);
        if (is_same) {
            assert_int_equal(spot_store_open_memory(&store, &head), 0);
            for (size_t j = 0; j < head.num_points * 16; j++) {
                assert_int_equal(
                    store->put(store,
                        &(spot_piece_t){j / 16, (int64_t) (j % 16), 1, row, NULL}),
                    0);
            }
        } else {
            store = sample_idle_store(&head);
        }
        report = sample_report(store);
        spot_diag_init(&diag);
        for (const spot_study_picture_t *picture = spot_study_pictures;; picture++) {
            assert_non_null(picture->name);
            if (strcmp(picture->name, "sensitivity") == 0) {
                ret = spot_gnuplot_draw(
                    picture->write_script, &report, svg, picture->name, &diag);
                break;
            }
        }
        assert_int_equal(fclose(svg), 0);
        sample_assert_drawn(ret, &diag, path);
        spot_report_free(&report);
        store->close(store);
    }
    spot_study_head_free(&head);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_without_intervals),
        cmocka_unit_test(test_problems),
        cmocka_unit_test(test_draws),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
