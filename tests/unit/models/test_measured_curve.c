/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measured curves: what is read, what is told of bad files, and what lies between. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../base/near.h"
#include "fixture.h"
#include "models/measured_table.h"

static int read_text(spot_measured_curve_t *self, const char *text, spot_diag_t *diag)
{
    char path[512];
    int ret;

    snprintf(path, sizeof(path), "%s/measured-curve.csv", temporary_folder());
    write_file(path, text);
    ret = spot_measured_read(self, path, "bytes", "us", diag);
    remove(path);
    return ret;
}

static void test_values(void **state)
{
    spot_measured_curve_t self;
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    assert_int_equal(read_text(&self, "# a remark\nbytes,us\n10,5\n20,4\n40,10\n", &diag), 0);
    assert_int_equal(self.num_points, 3);
    assert_near(spot_measured_at(&self, 0), 5, 0);
    assert_near(spot_measured_at(&self, 9.9), 5, 0);
    assert_near(spot_measured_at(&self, 10), 5, 0);
    assert_near(spot_measured_at(&self, 15), 4.5, 1e-15);
    assert_near(spot_measured_at(&self, 20), 4, 0);
    assert_near(spot_measured_at(&self, 25), 5.5, 1e-15);
    assert_near(spot_measured_at(&self, 40), 10, 0);
    assert_near(spot_measured_at(&self, 100), 25, 1e-15);
    assert_null(spot_measured_find(&self, 15));
    assert_null(spot_measured_find(&self, 41));
    assert_near(spot_measured_find(&self, 20)->y, 4, 0);
    spot_measured_free(&self);
    spot_measured_free(&self);
    spot_diag_free(&diag);
}

static void test_bad_files(void **state)
{
    static const struct {
        const char *text;
        const char *expected;
    } cases[] = {
        {"bytes,us\n", "measured-curve.csv:2:1: no row\n"},
        {"bytes,us\n1,2,3\n", "measured-curve.csv:2:1: expected 2 columns, got 3\n"},
        {"bytes,us\n0,2\n", "measured-curve.csv:2:1: bytes: expected a number above 0, got '0'\n"},
        {"bytes,us\n1,-2\n", "measured-curve.csv:2:3: us: expected a number from 0, got '-2'\n"},
        {"bytes,us\n1,nan\n", "measured-curve.csv:2:3: us: expected a number from 0, got 'nan'\n"},
        {"bytes,us\n2,1\n2,3\n",
            "measured-curve.csv:3:1: bytes: not above that of the row before\n"},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        spot_measured_curve_t self;
        spot_diag_t diag;

        spot_diag_init(&diag);
        assert_int_equal(read_text(&self, cases[j].text, &diag), SPOT_ERR_BAD_INPUT);
        assert_diagnostics(&diag, cases[j].expected);
        spot_measured_free(&self);
    }
}

/* The curves of the repository. */
static void test_sample(void **state)
{
    static const char *const names[][3] = {
        {"transfer.csv", "bytes", "us"}, {"build.csv", "P", "build_ms"}};

    (void) state;
    for (size_t j = 0; j < 2; j++) {
        spot_measured_curve_t self;
        spot_diag_t diag;
        char path[512];

        spot_diag_init(&diag);
        snprintf(
            path, sizeof(path), "%s/models/sample/migration-48/%s", SPOT_SOURCE_DIR, names[j][0]);
        assert_int_equal(spot_measured_read(&self, path, names[j][1], names[j][2], &diag), 0);
        assert_true(self.num_points > 10);
        spot_measured_free(&self);
        spot_diag_free(&diag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_sample),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
