/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every row of the table of fits to recorded traces. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/base/shared_data.h"
#include "tests/unit/fit/recorded.h"
#include "traces/fit/fit_law.h"

enum {
    TRACE,
    QUANTITY,
    TICK,
    N,
    NUM_COMPLETE,
    FAMILY,
    NUM_PARAMETERS,
    PARAMETERS,
    LIMIT = 13,
    LOG_L,
    AIC,
    BIC,
    KS,
    AD,
    MEAN,
    CV,
    NOTE,
    NUM_COLUMNS
};

/* The table has 8 digits. */
#define HALF_DIGIT 0.5e-7

static int num_wrong;

/* NAN: must be undefined. */
static void check(char **cells, const char *what, double value, double expected, double tolerance)
{
    const double allowed = (tolerance + HALF_DIGIT) * fabs(expected);
    const bool is_good =
        isfinite(expected) ? fabs(value - expected) <= allowed : isinf(value) && isinf(expected);

    if (!is_good) {
        num_wrong++;
        print_error("%s %s tick %s %s: %s is %.10g, expected %.10g (%.1e)\n", cells[TRACE],
            cells[QUANTITY], cells[TICK], cells[FAMILY], what, value, expected,
            value / expected - 1);
    }
}

static void check_row(char **cells, spot_maximiser_t *maximiser, spot_fit_durations_t *durations)
{
    const spot_family_t *family = spot_family_find(cells[FAMILY]);
    const double limit_s = cells[LIMIT][0] != '\0' ? atof(cells[LIMIT]) : (double) NAN;
    const bool is_noted = cells[NOTE][0] != '\0';
    spot_fit_t fit;

    assert_non_null(family);
    spot_fit_law(maximiser, durations, family, limit_s, &fit);
    assert_true(fit.is_fitted && fit.converged);
    assert_int_equal(fit.num_values, atoi(cells[N]));
    assert_int_equal(fit.num_complete, atoi(cells[NUM_COMPLETE]));
    assert_int_equal(family->num_parameters, atoi(cells[NUM_PARAMETERS]));
    if (is_noted != ((fit.flags & SPOT_FIT_NOT_COMPARABLE) != 0)) {
        fail_msg("%s %s %s: note '%s', expected '%s'", cells[TRACE], cells[QUANTITY], cells[FAMILY],
            fit.note, cells[NOTE]);
    }
    check(cells, "lnL", fit.log_likelihood, atof(cells[LOG_L]), 1e-7);
    check(cells, "AIC", fit.aic, atof(cells[AIC]), 1e-7);
    check(cells, "BIC", fit.bic, atof(cells[BIC]), 1e-7);
    if (cells[KS][0] != '\0') {
        check(cells, "KS", fit.ks, atof(cells[KS]), 1e-6);
    }
    if (cells[AD][0] != '\0') {
        check(cells, "AD", fit.ad, atof(cells[AD]), 1e-6);
    } else {
        assert_true(isnan(fit.ad));
    }
    for (int j = 0; j < family->num_parameters && !is_noted; j++) {
        assert_string_equal(cells[PARAMETERS + 2 * j], family->fields[j].name);
        check(cells, family->fields[j].name, fit.law.parameters[j],
            atof(cells[PARAMETERS + 2 * j + 1]), 1e-6);
        assert_true(fit.standard_errors[j] > 0);
    }
    if (!is_noted) {
        check(cells, "mean", fit.implied_mean_s, atof(cells[MEAN]), 1e-5);
        check(cells, "cv", fit.implied_cv, atof(cells[CV]), 1e-5);
    }
}

static void test_reference(void **state)
{
    FILE *file = open_reference("gap_lifetime_fits.csv");
    char line[MAX_LINE], *cells[MAX_CELLS];
    spot_maximiser_t maximiser;
    int num_rows = 0;

    (void) state;
    if (file == NULL) {
        skip_without_data();
    }
    assert_int_equal(spot_maximiser_init(&maximiser), 0);
    while (fgets(line, sizeof(line), file) != NULL) {
        spot_sample_t sample;
        spot_fit_durations_t durations;
        double resolution_s;

        assert_int_equal(split(line, cells), NUM_COLUMNS);
        read_recorded(&sample, cells[TRACE], cells[QUANTITY], &resolution_s);
        assert_int_equal(spot_fit_durations_init(&durations, sample.values, sample.is_censored,
                             sample.num_values, atof(cells[TICK]), resolution_s),
            0);
        check_row(cells, &maximiser, &durations);
        spot_fit_durations_free(&durations);
        spot_sample_free(&sample);
        num_rows++;
    }
    fclose(file);
    spot_maximiser_free(&maximiser);
    print_message("%d rows, %d figures differ\n", num_rows, num_wrong);
    assert_true(num_rows > 200);
    assert_int_equal(num_wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference),
    };

    return cmocka_run_group_tests_name("fit/reference", tests, NULL, NULL);
}
