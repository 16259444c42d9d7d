/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lives before a wall: the cut, the overrun, and where a wall is found. */
#include <gsl/gsl_errno.h>
#include <math.h>
#include <string.h>

#include "tests/unit/base/shared_data.h"
#include "tests/unit/base/support.h"
#include "traces/fit/fit_law.h"

#define LIVES SHARED_DATA "traces/lifetimes-kadupitiya-gcp-n1-2019.csv"

static void test_cut(void **state)
{
    double values[] = {50, 100, 130, 100, 300, 99.999};
    bool is_censored[] = {false, false, false, true, true, true};
    static const double cut_values[] = {50, 100, 100, 100, 100, 99.999};
    static const bool cut_censored[] = {false, true, true, true, true, true};
    spot_sample_t sample = {.num_values = 6, .values = values, .is_censored = is_censored};
    spot_fit_cut_t cut;

    (void) state;
    spot_fit_cut(&cut, &sample, 100);
    assert_int_equal(cut.num_deaths, 2);
    assert_true(cut.cut_s == 100 && cut.mean_s == 15 && cut.max_s == 30);
    for (int j = 0; j < 6; j++) {
        assert_true(values[j] == cut_values[j]);
        assert_true(is_censored[j] == cut_censored[j]);
    }
    spot_fit_cut(&cut, &sample, 1000); /* nothing is there */
    assert_int_equal(cut.num_deaths, 0);
    assert_true(cut.mean_s == 0 && cut.max_s == 0);
}

/* The mean of TE(tau; [0, L]) is tau - L / (e^(L/tau) - 1). */
static void test_overrun(void **state)
{
    static const double means[] = {1, 300, 987.4187, 1400, 1499};
    const spot_law_t lognormal = {&spot_family_lognormal, {12, 3.5}};
    spot_fit_cut_t cut = {.cut_s = 86400, .num_deaths = 9, .max_s = 2998.2};
    spot_law_t law;

    (void) state;
    for (size_t j = 0; j < sizeof(means) / sizeof(means[0]); j++) {
        cut.mean_s = means[j];
        spot_fit_deadline(&law, &lognormal, &cut);
        const double tau = law.parameters[3], limit = law.parameters[4];

        assert_ptr_equal(law.family, &spot_family_deadline);
        assert_true(law.parameters[0] == 12 && law.parameters[1] == 3.5);
        assert_true(law.parameters[2] == 86400 && limit == 3000);
        assert_true(fabs(tau - limit / expm1(limit / tau) - means[j]) < 1e-6 * limit);
    }
    cut.mean_s = 2000; /* later than uniform: as near as the law comes */
    spot_fit_deadline(&law, &lognormal, &cut);
    assert_true(law.parameters[3] > 1e6 && isfinite(law.parameters[3]));
    cut.mean_s = cut.max_s = 0; /* all at the wall itself */
    spot_fit_deadline(&law, &lognormal, &cut);
    assert_true(law.parameters[3] == 1 && law.parameters[4] == 0);
    cut.num_deaths = 0;
    spot_fit_deadline(&law, &lognormal, &cut);
    assert_true(isinf(law.parameters[2]));
}

/* So many deaths evenly spread before the wall, and so many behind it. */
static spot_fit_wall_t wall_of(
    int num_before, int num_behind, double wall_s, double width_s, double late_s)
{
    double values[400];
    bool is_censored[400] = {false};
    spot_sample_t sample = {.values = values, .is_censored = is_censored};
    spot_fit_wall_t wall;

    for (int j = 0; j < num_before; j++) {
        values[sample.num_values++] = (j + 0.5) * wall_s / num_before;
    }
    for (int j = 0; j < num_behind; j++) {
        values[sample.num_values++] = wall_s + late_s + j * width_s / num_behind;
    }
    values[sample.num_values] = 10 * wall_s; /* who is censored is no death */
    is_censored[sample.num_values++] = true;
    assert_int_equal(spot_fit_find_wall(&wall, &sample), 0);
    return wall;
}

static void test_wall(void **state)
{
    spot_fit_wall_t wall = wall_of(100, 80, 86400, 3000, 39.5);

    (void) state;
    assert_true(wall.time_s == 86400);
    assert_int_equal(wall.num_deaths, 80);
    assert_int_equal(wall.num_before, 100);
    assert_true(wall.last_s > 86400 && wall.last_s <= 89439.5);
    wall = wall_of(100, 80, 21600, 100, 0);
    assert_true(wall.time_s == 21600);
    /* Too few, too wide, too thin; and one law without any. */
    assert_true(wall_of(100, 9, 86400, 3000, 0).time_s == 0);
    assert_true(wall_of(200, 15, 86400, 3000, 0).time_s == 0);
    assert_true(wall_of(100, 80, 86400, 20000, 0).time_s == 0);
    assert_true(wall_of(300, 40, 86400, 7000, 0).time_s == 0);
    assert_true(wall_of(100, 0, 86400, 1, 0).time_s == 0);
}

/* The public sample that the law deadline is of. */
static void test_reference(void **state)
{
    const spot_family_t *const families[] = {&spot_family_lognormal, NULL};
    spot_lifetimes_t lifetimes;
    spot_sample_t sample = {0};
    spot_fit_durations_t durations;
    spot_maximiser_t maximiser;
    spot_fit_ranking_t ranking;
    spot_fit_wall_t wall;
    spot_fit_cut_t cut;
    spot_diag_t diag;
    spot_law_t law;

    (void) state;
    spot_diag_init(&diag);
    if (spot_lifetimes_read(&lifetimes, LIVES, &diag) != 0) {
        spot_lifetimes_free(&lifetimes);
        spot_diag_free(&diag);
        skip_without_data();
    }
    assert_int_equal(spot_sample_init_lifetimes(&sample, &lifetimes), 0);
    assert_int_equal(spot_fit_find_wall(&wall, &sample), 0);
    assert_true(wall.time_s == 86400);
    assert_int_equal(wall.num_deaths, 351);
    spot_fit_cut(&cut, &sample, 86400);
    assert_int_equal(cut.num_deaths, 351);
    assert_int_equal(spot_maximiser_init(&maximiser), 0);
    assert_int_equal(spot_fit_durations_init(
                         &durations, sample.values, sample.is_censored, sample.num_values, 0, 1),
        0);
    spot_fit_rank(&ranking, &maximiser, &durations, families, (double) NAN);
    spot_fit_deadline(&law, &ranking.fits[0].law, &cut);
    assert_true(fabs(law.parameters[0] - 12.230976) < 1e-6);
    assert_true(fabs(law.parameters[1] - 3.6234967) < 1e-7);
    assert_true(fabs(law.parameters[3] - 1356) < 0.5);
    assert_true(law.parameters[4] == 3000);
    assert_true(fabs(ranking.fits[0].ks - 0.030) < 5e-4);
    spot_fit_durations_free(&durations);
    spot_maximiser_free(&maximiser);
    spot_sample_free(&sample);
    spot_lifetimes_free(&lifetimes);
    spot_diag_free(&diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_overrun),
        cmocka_unit_test(test_wall),
        cmocka_unit_test(test_reference),
    };

    gsl_set_error_handler_off();
    return cmocka_run_group_tests_name("fit/fit_deadline", tests, NULL, NULL);
}
