/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "sim/bench/analysis/findings.h"

enum { MAX_VALUES = 5, MAX_ROWS = 8 };

static spot_metric_t metrics[1] = {{.name = "a", .unit = "1", .help = ""}};
static char key_path[] = "key", x_path[] = "x", no_unit[] = "";

/* Two axes: the values that compete, and numbers that are in no order. */
typedef struct {
    spot_study_head_t head;
    spot_axis_t axes[2];
    double numbers[2][MAX_VALUES];
    bool is_left_out[MAX_VALUES];
    double rows[MAX_VALUES * MAX_VALUES][MAX_ROWS]; /* [point][replication] */
    spot_store_t *store;
} sample_t;

static void make_sample(sample_t *self, size_t num_values, size_t num_x, size_t num_rows)
{
    memset(self, 0, sizeof(*self));
    self->axes[0] = (spot_axis_t){
        .path = key_path, .num_values = num_values, .numbers = self->numbers[0], .unit = no_unit};
    self->axes[1] = (spot_axis_t){
        .path = x_path, .num_values = num_x, .numbers = self->numbers[1], .unit = no_unit};
    self->head = (spot_study_head_t){.batch_replications = 64,
        .num_replications = (int64_t) num_rows,
        .min_replications = (int64_t) num_rows,
        .num_axes = 2,
        .axes = self->axes,
        .num_points = num_values * num_x,
        .best = {.is_asked = true, .is_maximised = true, .is_left_out = self->is_left_out},
        .num_listed = 1,
        .num_metrics = 1,
        .metrics = metrics};
}

static void open_store(sample_t *self)
{
    assert_int_equal(spot_store_open_memory(&self->store, &self->head), 0);
    for (size_t j = 0; j < self->head.num_points; j++) {
        const spot_piece_t piece = {
            .point_id = j, .num_rows = (size_t) self->head.num_replications, .rows = self->rows[j]};

        assert_int_equal(self->store->put(self->store, &piece), 0);
    }
}

static double mean_of(const sample_t *self, size_t point_id)
{
    double sum = 0;

    for (int64_t j = 0; j < self->head.num_replications; j++) {
        sum += self->rows[point_id][j];
    }
    return sum / (double) self->head.num_replications;
}

/* Student's interval of the differences of two points, without the code under test. */
static void lead_of(const sample_t *self, size_t a_id, size_t b_id, double confidence, double *mean,
    double *half_width)
{
    const double num = (double) self->head.num_replications;
    double squares = 0;

    *mean = mean_of(self, a_id) - mean_of(self, b_id);
    for (int64_t j = 0; j < self->head.num_replications; j++) {
        squares += pow(self->rows[a_id][j] - self->rows[b_id][j] - *mean, 2);
    }
    *half_width =
        gsl_cdf_tdist_Pinv(0.5 + confidence / 2, num - 1) * sqrt(squares / (num - 1) / num);
}

/* What the winner at the x_id-th number must be. */
static void check_winner(const sample_t *self, const spot_winner_t *winner, size_t x_id)
{
    const size_t num_x = self->axes[1].num_values;
    const double sign = self->head.best.is_maximised ? 1 : -1;
    size_t num_rivals = 0, num_better = 0;
    bool is_sure = true;

    assert_int_equal(winner->first_id, x_id);
    for (size_t j = 0; j < self->axes[0].num_values; j++) {
        num_rivals += !self->is_left_out[j] && j * num_x + x_id != winner->best_id;
    }
    for (size_t j = 0; j < self->axes[0].num_values; j++) {
        const size_t point_id = j * num_x + x_id;
        double mean, half_width;

        if (self->is_left_out[j]) {
            assert_true(point_id != winner->best_id && point_id != winner->next_id);
        } else if (point_id != winner->best_id) {
            lead_of(self, winner->best_id, point_id, 1 - 0.05 / (double) num_rivals, &mean,
                &half_width);
            assert_true(sign * mean > 0);
            is_sure = is_sure && sign * mean > half_width;
            num_better += sign * mean_of(self, point_id) > sign * mean_of(self, winner->next_id);
        }
    }
    assert_int_equal(winner->num_rivals, num_rivals);
    assert_int_equal(num_better, 0); /* than the next */
    assert_true(winner->is_sure == is_sure);
    assert_true(fabs(spot_paired_mean(&winner->lead) -
                     (mean_of(self, winner->best_id) - mean_of(self, winner->next_id))) < 1e-12);
}

/* Along x the winner changes at each crossing and nowhere else. */
static void check_crossings(const sample_t *self, const spot_winners_t *winners)
{
    const size_t num_x = self->axes[1].num_values;
    const double *numbers = self->numbers[1];
    size_t num_changes = 0;

    for (size_t j = 0; j < num_x; j++) {
        size_t next = num_x; /* the number above */

        for (size_t k = 0; k < num_x; k++) {
            if (numbers[k] > numbers[j] && (next == num_x || numbers[k] < numbers[next])) {
                next = k;
            }
        }
        num_changes += next < num_x && winners->winners[j].best_id / num_x !=
                                           winners->winners[next].best_id / num_x;
    }
    assert_int_equal(winners->num_crossings, num_changes);
    for (size_t j = 0; j < num_changes; j++) {
        const spot_crossing_t *crossing = &winners->crossings[j];

        assert_true(crossing->number >= numbers[crossing->before_id]);
        assert_true(crossing->number <= numbers[crossing->after_id]);
        assert_true(j == 0 || crossing->number >= winners->crossings[j - 1].number);
    }
}

/* Rankings, certainty and changes of made-up studies are those that one finds by hand.
 */
static void test_random(void **state)
{
    size_t num_sure = 0, num_all = 0;
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 5, 0, SPOT_STREAM_GAP, 0);
    for (size_t round = 0; round < 300; round++) {
        const size_t num_values = 2 + round % 4, num_x = 1 + round / 4 % 5;
        spot_winners_t winners;
        sample_t sample;

        make_sample(&sample, num_values, num_x, 3 + round % 6);
        sample.head.best.is_maximised = round % 2 == 0;
        sample.is_left_out[num_values - 1] = num_values > 2 && round % 3 == 0;
        for (size_t j = 0; j < num_x; j++) {
            sample.numbers[1][j] = gsl_rng_uniform(spot_rng_gsl(&rng));
        }
        for (size_t j = 0; j < sample.head.num_points; j++) {
            const double level = gsl_rng_uniform(spot_rng_gsl(&rng));

            for (size_t k = 0; k < MAX_ROWS; k++) {
                sample.rows[j][k] = level + 0.5 * gsl_rng_uniform(spot_rng_gsl(&rng)) + (double) k;
            }
        }
        open_store(&sample);
        assert_int_equal(spot_winners_init(&winners, sample.store), 0);
        assert_int_equal(winners.groups.num_groups, num_x);
        for (size_t j = 0; j < num_x; j++) {
            check_winner(&sample, &winners.winners[j], j);
            num_sure += winners.winners[j].is_sure;
            num_all++;
        }
        check_crossings(&sample, &winners);
        spot_winners_free(&winners);
        sample.store->close(sample.store);
    }
    assert_true(num_sure > num_all / 10 && num_sure < num_all * 9 / 10);
}

/* 10 - 2 x and 3 + x cross at 7/3; of one replication nothing is sure. */
static void test_lines(void **state)
{
    static const double x[] = {4, 0, 2, 3};
    spot_winners_t winners;
    sample_t sample;

    (void) state;
    make_sample(&sample, 2, 4, 1);
    for (size_t j = 0; j < 4; j++) {
        sample.numbers[1][j] = x[j];
        sample.rows[j][0] = 10 - 2 * x[j];
        sample.rows[4 + j][0] = 3 + x[j];
    }
    open_store(&sample);
    assert_int_equal(spot_winners_init(&winners, sample.store), 0);
    assert_int_equal(winners.num_crossings, 1);
    assert_int_equal(winners.crossings[0].before_id, 2);
    assert_int_equal(winners.crossings[0].after_id, 3);
    assert_true(fabs(winners.crossings[0].number - 7.0 / 3) < 1e-12);
    for (size_t j = 0; j < 4; j++) {
        assert_false(winners.winners[j].is_sure);
    }
    spot_winners_free(&winners);
    sample.store->close(sample.store);
}

/* Who has no value does not compete; where nobody has, there is no winner. Equal ones:
 * the first, and it is not sure. */
static void test_undefined(void **state)
{
    spot_winners_t winners;
    sample_t sample;

    (void) state;
    make_sample(&sample, 3, 3, 2);
    for (size_t j = 0; j < 3; j++) {
        sample.numbers[1][j] = (double) j;
        for (size_t k = 0; k < 2; k++) {
            sample.rows[j][k] = j == 0 ? 1 : (double) NAN;
            sample.rows[3 + j][k] = j == 0 ? 1 : (double) NAN;
            sample.rows[6 + j][k] = j == 2 ? (double) NAN : (double) k;
        }
    }
    open_store(&sample);
    assert_int_equal(spot_winners_init(&winners, sample.store), 0);
    assert_int_equal(winners.winners[0].best_id, 0);
    assert_int_equal(winners.winners[0].next_id, 3);
    assert_false(winners.winners[0].is_sure);
    assert_int_equal(winners.winners[1].best_id, 7);
    assert_true(winners.winners[1].next_id == SPOT_NO_POINT);
    assert_false(winners.winners[1].is_sure);
    assert_true(winners.winners[2].best_id == SPOT_NO_POINT);
    assert_int_equal(winners.num_crossings, 1);
    assert_true(isnan(winners.crossings[0].number)); /* the first has no value there */
    spot_winners_free(&winners);
    sample.store->close(sample.store);
}

/* At the first number of x the best value rests too much on what was not measured, and
 * others do not; at the second all do. */
static void test_unmeasured_values(void **state)
{
    static char name[] = "a", words[] = "rests on sizes 4 and 8";
    static const double means[3][2] = {{14, 16}, {5, 17}, {20, 18}};
    spot_point_kind_t kinds[] = {{.beyond_metric = name, .beyond_most = 15, .beyond_words = words}};
    spot_winners_t winners;
    sample_t self;

    (void) state;
    make_sample(&self, 3, 2, 4);
    self.numbers[1][1] = 1;
    self.head.num_kinds = 1;
    self.head.kinds = kinds;
    for (size_t j = 0; j < 6; j++) {
        for (size_t k = 0; k < 4; k++) {
            self.rows[j][k] = means[j / 2][j % 2] + (double) (k % 2) - 0.5;
        }
    }
    open_store(&self);
    assert_int_equal(spot_winners_init(&winners, self.store), 0);
    assert_int_equal(winners.winners[0].best_id, 0 * 2);
    assert_int_equal(winners.winners[0].next_id, 1 * 2);
    assert_int_equal(winners.winners[1].best_id, 2 * 2 + 1);
    assert_int_equal(winners.winners[1].num_rivals, 2);
    assert_true(winners.is_beyond[2 * 2] && spot_winners_rests_beyond(&winners, 2 * 2));
    assert_false(winners.is_beyond[2 * 2 + 1]);
    assert_true(spot_winners_rests_beyond(&winners, 2 * 2 + 1));
    assert_false(spot_winners_rests_beyond(&winners, 0));
    spot_winners_free(&winners);
    kinds[0].beyond_warns = true;
    assert_int_equal(spot_winners_init(&winners, self.store), 0);
    assert_int_equal(winners.winners[0].best_id, 2 * 2);
    assert_true(spot_winners_rests_beyond(&winners, 2 * 2));
    spot_winners_free(&winners);
    self.store->close(self.store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_undefined),
        cmocka_unit_test(test_unmeasured_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
