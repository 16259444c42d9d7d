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

#include "reports/gnuplot.h"
#include "reports/side_by_side_plot.h"
#include "reports/side_by_side_text.h"
#include "tests/unit/reports/sample.h"

/* The sample study twice, each to be changed before it is opened. */
typedef struct {
    spot_study_head_t heads[SPOT_NUM_SIDES];
    spot_store_t *stores[SPOT_NUM_SIDES];
    spot_report_t reports[SPOT_NUM_SIDES];
    spot_side_t sides[SPOT_NUM_SIDES];
    spot_side_by_side_t two;
} case_t;

static void
begin(case_t *self, int64_t num_before, int64_t num_after)
{
    memset(self, 0, sizeof(*self));
    sample_idle_head(&self->heads[SPOT_BEFORE], num_before);
    sample_idle_head(&self->heads[SPOT_AFTER], num_after);
    self->sides[SPOT_BEFORE].path = "before.db";
    self->sides[SPOT_AFTER].path = "after.db";
    self->sides[SPOT_BEFORE].canonical = "job:\n  reload: 47 s\ntick: 5 s\n";
    self->sides[SPOT_AFTER].canonical = "job:\n  reload: 60 s\ntick: 5 s\n";
}

static void
compare(case_t *self)
{
    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        self->stores[side] = sample_idle_store(&self->heads[side]);
        self->reports[side] = sample_report(self->stores[side]);
        self->sides[side].report = &self->reports[side];
    }
    assert_int_equal(spot_side_by_side_init(&self->two, self->sides), 0);
}

static void
end(case_t *self)
{
    spot_side_by_side_free(&self->two);
    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        spot_report_free(&self->reports[side]);
        self->stores[side]->close(self->stores[side]);
        spot_study_head_free(&self->heads[side]);
    }
}

static char *
write_text(const case_t *self, int width)
{
    const spot_terminal_t terminal = {width, false, true};
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    assert_int_equal(spot_side_by_side_write(&self->two, &terminal, out), 0);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void
test_the_same_twice(void **state)
{
    case_t self;
    char *text;

    (void) state;
    begin(&self, 40, 40);
    self.sides[SPOT_AFTER].canonical = self.sides[SPOT_BEFORE].canonical;
    compare(&self);
    assert_int_equal(self.two.match.num_pairs, 22);
    assert_int_equal(self.two.num_sentences, 0);
    for (size_t j = 0; j < 22 * self.two.num_metrics; j++) {
        const spot_change_t *change = &self.two.changes[j];

        assert_true(change->difference == 0 && change->half_width == 0);
        assert_false(change->is_marked);
        assert_true(change->num_pairs > 1);
    }
    text = write_text(&self, 100);
    assert_non_null(strstr(text, "the same scenario and the same points"));
    assert_non_null(strstr(text, "0 of 22 points differ"));
    free(text);
    end(&self);
}

/* The depth of the first point of B is another one, its value texts are written another
 * way, and it has fewer replications. */
static void
change_depth(spot_axis_t *axis)
{
    free(axis->texts[1]);
    axis->texts[1] = strdup("12");
    free(axis->texts[0]);
    axis->texts[0] = strdup("8.0");
    axis->numbers[1] = 12;
}

static void
test_golden(void **state)
{
    static const int widths[] = {40, 80, 200};
    case_t self;

    (void) state;
    begin(&self, 40, 20);
    change_depth(&self.heads[SPOT_AFTER].axes[1]);
    compare(&self);
    assert_int_equal(self.two.match.num_pairs, 11);
    assert_int_equal(self.two.match.num_alone[SPOT_BEFORE], 11);
    assert_int_equal(self.two.match.num_alone[SPOT_AFTER], 11);
    for (size_t j = 0; j < 11 * self.two.num_metrics; j++) {
        const spot_change_t *change = &self.two.changes[j];

        /* of the same replications, though A has more of them */
        assert_true(change->num_pairs <= 20);
        if (change->num_pairs > 0) {
            assert_true(fabs(change->means[SPOT_AFTER] - change->means[SPOT_BEFORE] -
                             change->difference) < 1e-9);
        }
    }
    for (size_t j = 0; j < 3; j++) {
        char *text = write_text(&self, widths[j]), name[64];

        snprintf(name, sizeof(name), "side-by-side-%d.txt", widths[j]);
        sample_assert_golden(name, text);
        free(text);
    }
    end(&self);
}

/* Another seed meets other events: samples are independent. */
static void
test_other_seed(void **state)
{
    case_t self;
    char *text;

    (void) state;
    begin(&self, 40, 30);
    self.heads[SPOT_AFTER].seed = 2;
    compare(&self);
    for (size_t j = 0; j < self.two.match.num_pairs; j++) {
        const spot_change_t *change = &self.two.changes[j * self.two.num_metrics];
        const spot_summary_t *before = spot_report_summary(&self.reports[0], j, 0),
                             *after = spot_report_summary(&self.reports[1], j, 0);

        assert_int_equal(change->num_pairs, 0);
        assert_true(change->difference == after->mean - before->mean);
        if (before->std > 0) {
            assert_true(change->half_width > 0);
            /* between that of the wider sample and the sum of both */
            assert_true(change->half_width >
                        fmax(change->half_widths[0], change->half_widths[1]) * 0.9);
            assert_true(
                change->half_width < change->half_widths[0] + change->half_widths[1]);
        }
    }
    text = write_text(&self, 100);
    assert_non_null(strstr(text, "replications.seed was 1, is 2"));
    assert_non_null(strstr(text, "independent samples: the seeds differ"));
    free(text);
    end(&self);
}

/* Metrics in another order, one with another unit, one that B does not have. */
static void
test_metrics(void **state)
{
    case_t self;
    char *text;

    (void) state;
    begin(&self, 10, 10);
    self.heads[SPOT_AFTER].metrics[5].unit = "1/min";
    self.heads[SPOT_AFTER].metrics[3].name = "else_fraction";
    compare(&self);
    assert_int_equal(self.two.num_metrics, 5);
    assert_string_equal(
        spot_side_by_side_metric(&self.two, self.two.main_id)->name, "idle_fraction");
    text = write_text(&self, 100);
    assert_non_null(strstr(text, "preempted_per_h was in 1/h, is in 1/min"));
    assert_non_null(strstr(text, "reloading_fraction is kept in A only"));
    assert_non_null(strstr(text, "else_fraction is kept in B only"));
    free(text);
    end(&self);
}

/* Nulls are left out of pairs; where nothing is there, nothing is told. */
static void
test_nulls(void **state)
{
    case_t self;
    const spot_change_t *change;

    (void) state;
    begin(&self, 40, 40);
    compare(&self);
    change = &self.two.changes[21 * self.two.num_metrics + 6];
    assert_int_equal(change->num_pairs, 32); /* every fifth is null */
    assert_true(change->difference == 0);
    end(&self);
}

/* Differences that are not there rest on no samples. */
static void
test_basis_of_undefined(void **state)
{
    char basis[SPOT_BASIS_BYTES];
    case_t self;

    (void) state;
    begin(&self, 20, 20);
    compare(&self);
    for (size_t j = 0; j < self.two.match.num_pairs; j++) {
        spot_change_t *change = &self.two.changes[j * self.two.num_metrics + 6];

        *change = (spot_change_t){.difference = (double) NAN};
    }
    spot_side_by_side_basis(&self.two, basis);
    assert_string_equal(basis, "differences within 20 pairs of replications");
    self.two.changes[6].difference = 0;
    spot_side_by_side_basis(&self.two, basis);
    assert_string_equal(basis,
        "differences within 20 pairs of replications, some of independent samples");
    self.two.changes[6].difference = (double) NAN;
    self.two.changes[6].num_pairs = 3; /* as of a metric that overflows */
    spot_side_by_side_basis(&self.two, basis);
    assert_string_equal(basis, "differences within 20 pairs of replications");
    end(&self);
}

/* A study of one point: as many replications as it has, in batches of what it keeps. */
typedef struct {
    int64_t num_rows;
    spot_keep_t keep;
    bool has_values;
} plain_t;

static void
open_plain(case_t *self, int side, const plain_t *plain)
{
    static double values[3 * SPOT_BATCH_SUMMARISED];
    spot_study_head_t *head = &self->heads[side];
    const int64_t size = plain->keep == SPOT_KEEP_ROWS ? 1 : SPOT_BATCH_SUMMARISED;

    for (int j = 0; j < 3 * SPOT_BATCH_SUMMARISED; j++) {
        values[j] = plain->has_values ? j % 7 + (j / SPOT_BATCH_SUMMARISED) + side
                                      : (double) NAN;
    }
    sample_plain_head(head, plain->num_rows > 0 ? plain->num_rows : 20);
    head->keep = plain->keep;
    assert_int_equal(spot_store_open_memory(&self->stores[side], head), 0);
    for (int64_t j = 0; j < plain->num_rows; j += size) {
        const int64_t rest = plain->num_rows - j;
        const spot_piece_t piece = {
            0, j, (size_t) (rest < size ? rest : size), &values[j], NULL};

        assert_int_equal(self->stores[side]->put(self->stores[side], &piece), 0);
    }
    self->reports[side] = sample_report(self->stores[side]);
    self->sides[side].report = &self->reports[side];
    self->sides[side].canonical = "tick: 5 s\n";
    self->sides[side].path = side == SPOT_BEFORE ? "before.db" : "after.db";
}

static void
compare_plain(case_t *self, const plain_t *before, const plain_t *after)
{
    memset(self, 0, sizeof(*self));
    open_plain(self, SPOT_BEFORE, before);
    open_plain(self, SPOT_AFTER, after);
    assert_int_equal(spot_side_by_side_init(&self->two, self->sides), 0);
}

/* Why there are no pairs is what keeps them away. */
static void
test_basis_without_pairs(void **state)
{
    static const struct {
        plain_t before, after;
        const char *basis;
    } cases[] = {
        {{50, SPOT_KEEP_ROWS, true}, {50, SPOT_KEEP_SUMMARIES, true},
            "differences of independent samples: one keeps summaries, the other rows"},
        {{50, SPOT_KEEP_SUMMARIES, true}, {3000, SPOT_KEEP_SUMMARIES, true},
            "differences of independent samples: a single batch of summaries at each "
            "point, pairs take two"},
        {{1500, SPOT_KEEP_SUMMARIES, true}, {1500, SPOT_KEEP_SUMMARIES, true},
            "differences of independent samples: a single whole batch of summaries at "
            "each point, pairs take two"},
        {{2048, SPOT_KEEP_SUMMARIES, true}, {3000, SPOT_KEEP_SUMMARIES, true},
            "differences within 2 pairs of batches of replications"},
        {{50, SPOT_KEEP_ROWS, false}, {50, SPOT_KEEP_ROWS, true},
            "no metric has a value in both at any point"},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        char basis[SPOT_BASIS_BYTES];
        case_t self;

        compare_plain(&self, &cases[j].before, &cases[j].after);
        spot_side_by_side_basis(&self.two, basis);
        assert_string_equal(basis, cases[j].basis);
        end(&self);
    }
}

static void
test_no_point_in_both(void **state)
{
    case_t self;
    char *text;

    (void) state;
    begin(&self, 4, 4);
    free(self.heads[SPOT_AFTER].axes[1].path);
    self.heads[SPOT_AFTER].axes[1].path = strdup("job.other\033[31m");
    compare(&self);
    assert_int_equal(self.two.match.num_pairs, 0);
    text = write_text(&self, 80);
    assert_non_null(strstr(text, "B does not tell its value: no points are matched"));
    assert_non_null(strstr(text, "only in A, not compared: 22 points"));
    assert_non_null(strstr(text, "and 2 more"));
    assert_null(strchr(text, '\033'));
    free(text);
    end(&self);
}

static char *
write_script(const case_t *self, spot_gnuplot_script_t script)
{
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    assert_int_equal(script(&self->two, "two.svg", out), 0);
    assert_int_equal(fclose(out), 0);
    return text;
}

static char *
write_answer(const case_t *self)
{
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    spot_side_by_side_answer(&self->two, out);
    assert_int_equal(fclose(out), 0);
    return text;
}

static const spot_gnuplot_script_t scripts[] = {
    spot_side_by_side_means_script, spot_side_by_side_changes_script};

static void
assert_drawn(const case_t *self)
{
    const char *path = sample_path("two.svg");

    for (size_t j = 0; j < sizeof(scripts) / sizeof(scripts[0]); j++) {
        spot_diag_t diag;

        spot_diag_init(&diag);
        sample_assert_drawn(
            spot_gnuplot_run(scripts[j], &self->two, path, &diag), &diag, path);
    }
}

static void
assert_golden_scripts(const case_t *self, const char *form)
{
    static const char *const names[] = {"means", "changes"};

    for (size_t j = 0; j < 2; j++) {
        char *text = write_script(self, scripts[j]), name[64];

        snprintf(name, sizeof(name), "two-%s-%s.gp", names[j], form);
        sample_assert_golden(name, text);
        free(text);
    }
}

/* Two curves, of one of which half the points are in both. */
static void
test_curves(void **state)
{
    case_t self;
    char *answer;

    (void) state;
    begin(&self, 40, 20);
    self.heads[SPOT_AFTER].seed = 2;
    compare(&self);
    assert_null(spot_side_by_side_plot_problem(&self.two));
    assert_golden_scripts(&self, "curves");
    assert_drawn(&self);
    answer = write_answer(&self);
    sample_assert_golden("two-answer.txt", answer);
    free(answer);
    end(&self);
}

/* Of one point there is no curve; paths that gnuplot must not take for commands. */
static void
test_rows(void **state)
{
    static const double values[] = {3, 5, 4, 8, 9, 7};
    char long_path[4000];
    case_t self;

    (void) state;
    memset(&self, 0, sizeof(self));
    memset(long_path, 'x', sizeof(long_path));
    memcpy(long_path + sizeof(long_path) - 16, "日本 last.db\xff", 15);
    long_path[sizeof(long_path) - 1] = '\0';
    self.sides[SPOT_BEFORE].path = "runs/it's\n`touch owned`\n'; exit # \"\\n\033[1m@$";
    self.sides[SPOT_AFTER].path = long_path;
    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        sample_plain_head(&self.heads[side], 3);
        self.stores[side] =
            sample_plain_store(&self.heads[side], 3, &values[side == 0 ? 0 : 3]);
        self.reports[side] = sample_report(self.stores[side]);
        self.sides[side].report = &self.reports[side];
        self.sides[side].canonical = "tick: 5 s\n";
    }
    assert_int_equal(spot_side_by_side_init(&self.two, self.sides), 0);
    assert_null(spot_side_by_side_plot_problem(&self.two));
    assert_golden_scripts(&self, "rows");
    assert_drawn(&self);
    end(&self);
}

/* Eight depths. */
static void
widen(spot_study_head_t *head)
{
    static const double depths[] = {1, 2, 3, 4, 5, 6, 7, 8};
    spot_axis_t *axis = &head->axes[1];

    for (size_t j = 0; j < axis->num_values; j++) {
        free(axis->texts[j]);
    }
    free(axis->texts);
    free(axis->numbers);
    free(axis->path);
    free(axis->unit);
    *axis = sample_axis("job.pipeline_depth", 8, depths);
    head->num_points = 88;
}

/* As if all values were words: there is nothing to draw along. */
static void
forget_numbers(spot_study_head_t *head)
{
    for (size_t k = 0; k < 2; k++) {
        for (size_t j = 0; j < head->axes[k].num_values; j++) {
            head->axes[k].numbers[j] = (double) NAN;
        }
    }
}

/* More panels and rows than are drawn: the picture says so. */
static void
test_too_many(void **state)
{
    (void) state;
    for (int has_numbers = 0; has_numbers < 2; has_numbers++) {
        case_t self;
        char *text;

        begin(&self, 2, 2);
        widen(&self.heads[SPOT_BEFORE]);
        widen(&self.heads[SPOT_AFTER]);
        compare(&self);
        if (has_numbers == 0) {
            forget_numbers(&self.heads[SPOT_BEFORE]);
        }
        assert_int_equal(self.two.match.num_pairs, 88);
        text = write_script(&self, spot_side_by_side_changes_script);
        if (has_numbers == 1) {
            assert_non_null(strstr(text, "the first 6 of 8 curves"));
            assert_int_equal(sample_count(text, "set label 'pipeline depth"), 6);
        } else {
            assert_non_null(
                strstr(text, "the first 40 of 88 points that can be compared"));
        }
        free(text);
        assert_drawn(&self);
        end(&self);
    }
}

/* Nothing in common is a reason, not a picture. */
static void
test_no_picture(void **state)
{
    case_t self;
    char *answer;

    (void) state;
    begin(&self, 4, 4);
    free(self.heads[SPOT_AFTER].axes[1].path);
    self.heads[SPOT_AFTER].axes[1].path = strdup("job.other");
    compare(&self);
    assert_non_null(spot_side_by_side_plot_problem(&self.two));
    answer = write_answer(&self);
    assert_non_null(strstr(answer, "No point is in both"));
    free(answer);
    end(&self);
}

/* What has moved is counted by direction, from what the tables mark. */
static void
test_answer(void **state)
{
    case_t self;
    char *answer;

    (void) state;
    begin(&self, 40, 40);
    compare(&self);
    answer = write_answer(&self);
    assert_string_equal(answer,
        "B differs from A: job.reload was 47 s, is 60 s. Of the 22 points that both "
        "have, idle time differs surely at none.");
    free(answer);
    for (size_t j = 0; j < 5; j++) {
        spot_change_t *change =
            &self.two.changes[j * self.two.num_metrics + self.two.main_id];

        change->is_marked = true;
        change->difference = j < 3 ? 0.1 * (double) (j + 1) : -0.02;
    }
    answer = write_answer(&self);
    assert_non_null(strstr(answer,
        "Of the 22 points that both have, idle time in B is surely higher at 3 by 10 to "
        "30 percentage points and lower at 2 by 2.0 percentage points."));
    free(answer);
    end(&self);
}

static void
assert_answered(const case_t *self, const char *words)
{
    char *answer = write_answer(self);

    if (strstr(answer, words) == NULL) {
        fail_msg("'%s' does not say '%s'", answer, words);
    }
    free(answer);
}

/* What has no value in both is not counted as a point without a difference. */
static void
test_answer_of_undefined(void **state)
{
    static const plain_t none = {20, SPOT_KEEP_ROWS, false},
                         some = {20, SPOT_KEEP_ROWS, true};
    case_t self;

    (void) state;
    compare_plain(&self, &none, &none);
    assert_answered(&self, " Wait has no value at any point that both have.");
    self.heads[SPOT_BEFORE].metrics[0].name = "steps_kept";
    assert_answered(&self, " Steps kept have no value at any point that both have.");
    end(&self);
    compare_plain(&self, &none, &some);
    assert_answered(
        &self, " At no point that both have is there a value of wait in both.");
    end(&self);
    begin(&self, 4, 4);
    compare(&self);
    for (size_t j = 0; j < 20; j++) {
        self.two.changes[j * self.two.num_metrics + self.two.main_id].difference =
            (double) NAN;
    }
    assert_answered(&self,
        " Of the 2 points of 22 at which both have a value, idle time "
        "differs surely at none.");
    end(&self);
}

/* The dots of a cut are the end of a sentence. */
static void
test_answer_cut(void **state)
{
    char value[200], canonical[300];
    case_t self;

    (void) state;
    memset(value, 'x', sizeof(value) - 1);
    value[sizeof(value) - 1] = '\0';
    snprintf(canonical, sizeof(canonical), "job:\n  reload: %s\ntick: 5 s\n", value);
    begin(&self, 4, 4);
    self.sides[SPOT_AFTER].canonical = canonical;
    compare(&self);
    assert_int_equal(self.two.num_sentences, 1);
    assert_answered(&self, "xxx… Of the 22 points");
    end(&self);
    snprintf(canonical, sizeof(canonical), "a: 1\nb: 1\njob:\n  reload: %s\ntick: 6 s\n",
        value);
    begin(&self, 4, 4);
    self.sides[SPOT_AFTER].canonical = canonical;
    compare(&self);
    assert_int_equal(self.two.num_sentences, 4);
    assert_answered(&self, "; and in 1 more. Of the 22 points");
    assert_answered(&self, "…; and");
    end(&self);
}

/* Of a store without replications it is said once that it has none. */
static void
test_no_replications(void **state)
{
    static const plain_t none = {0, SPOT_KEEP_ROWS, true},
                         some = {20, SPOT_KEEP_ROWS, true};
    case_t self;

    (void) state;
    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        char *text;

        compare_plain(&self, side == SPOT_BEFORE ? &none : &some,
            side == SPOT_BEFORE ? &some : &none);
        text = write_text(&self, 100);
        assert_non_null(strstr(text, "the same scenario and the same points"));
        assert_non_null(
            strstr(text, side == SPOT_BEFORE ? "\nA has no replications yet: there is"
                                             : "\nB has no replications yet: there is"));
        assert_null(strstr(text, "were there"));
        free(text);
        end(&self);
    }
}

/* The main metric, and then all others as the study has them. */
static void
test_order(void **state)
{
    case_t self;
    char *text;
    const char *last;

    (void) state;
    begin(&self, 4, 4);
    compare(&self);
    assert_int_equal(self.two.main_id, 4);
    text = write_text(&self, 100);
    last = strstr(text, "\nidle_fraction: ");
    assert_non_null(last);
    for (size_t j = 0; j < self.two.num_metrics; j++) {
        char title[64];
        const char *place;

        snprintf(
            title, sizeof(title), "\n%s", spot_side_by_side_metric(&self.two, j)->name);
        place = strstr(text, title);
        assert_non_null(place);
        if (j != self.two.main_id) {
            assert_true(place > last);
            last = place;
        }
        assert_null(strstr(place + 1, title));
    }
    free(text);
    end(&self);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_same_twice),
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_other_seed),
        cmocka_unit_test(test_metrics),
        cmocka_unit_test(test_nulls),
        cmocka_unit_test(test_basis_of_undefined),
        cmocka_unit_test(test_basis_without_pairs),
        cmocka_unit_test(test_no_point_in_both),
        cmocka_unit_test(test_curves),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_too_many),
        cmocka_unit_test(test_no_picture),
        cmocka_unit_test(test_answer),
        cmocka_unit_test(test_answer_of_undefined),
        cmocka_unit_test(test_answer_cut),
        cmocka_unit_test(test_no_replications),
        cmocka_unit_test(test_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
