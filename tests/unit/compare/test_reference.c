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

#include "traces/compare/comparison.h"

static const char *test_path(void)
{
    static char path[512];
    const char *folder = getenv("SPOT_TEST_TMP");

    snprintf(path, sizeof(path), "%s/reference.csv", folder != NULL ? folder : "/tmp");
    return path;
}

static int read_text(spot_reference_t *reference, spot_diag_t *diag, const char *text)
{
    FILE *file = fopen(test_path(), "w");

    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    spot_diag_init(diag);
    return spot_reference_read(reference, test_path(), diag);
}

static void test_rows(void **state)
{
    spot_reference_t reference;
    const spot_reference_row_t *row;
    spot_diag_t diag;

    (void) state;
    assert_int_equal(read_text(&reference, &diag,
                         "mtbp_s,trace,model,other,replicates,sd_mtbp_s,acf_n\r\n"
                         "500,t,recorded,,1,,0\n\n510.5,t,mrp,x,4000,20,\n480,u,mrp,x,4000,0,1e-2"),
        0);
    assert_int_equal(reference.num_rows, 3);
    row = spot_reference_find(&reference, "t", "mrp");
    assert_ptr_equal(row, &reference.rows[1]);
    assert_int_equal(row->num_replications, 4000);
    assert_true(row->means[SPOT_FIDELITY_MTBP_S] == 510.5);
    assert_true(row->sds[SPOT_FIDELITY_MTBP_S] == 20);
    assert_true(isnan(row->means[SPOT_FIDELITY_ACF_N]));
    assert_true(isnan(row->sds[SPOT_FIDELITY_ACF_N]));
    assert_true(isnan(row->means[SPOT_FIDELITY_W1_N]));
    assert_null(spot_reference_find(&reference, "t", "block"));
    assert_null(spot_reference_find(&reference, "v", "mrp"));
    spot_diag_free(&diag);
    spot_reference_free(&reference);
}

static void test_z(void **state)
{
    spot_reference_row_t row = {.num_replications = 100};

    (void) state;
    row.means[0] = 10;
    row.sds[0] = 2;
    assert_true(fabs(spot_reference_z(&row, 0, 10.5, 25) - 0.5 / (2 * sqrt(0.05))) < 1e-14);
    row.sds[0] = 0;
    assert_true(spot_reference_z(&row, 0, 10.0000001, 25) == 0);
    assert_true(spot_reference_z(&row, 0, 10.1, 25) == HUGE_VAL);
    assert_true(spot_reference_z(&row, 0, 9.9, 25) == -HUGE_VAL);
    row.means[0] = (double) NAN;
    row.sds[0] = (double) NAN;
    assert_true(isnan(spot_reference_z(&row, 0, 10, 25)));
}

static void assert_faulty(const char *text, const char *message)
{
    spot_reference_t reference;
    spot_diag_t diag;
    char expected[768];

    snprintf(expected, sizeof(expected), "%s:%s", test_path(), message);
    assert_int_equal(read_text(&reference, &diag, text), SPOT_ERR_BAD_INPUT);
    assert_int_equal(diag.num_items, 1);
    assert_string_equal(diag.items[0].text, expected);
    spot_diag_free(&diag);
    spot_reference_free(&reference);
}

static void test_faults(void **state)
{
    spot_reference_t reference;
    spot_diag_t diag;

    (void) state;
    assert_faulty("", "1:1: expected a row of columns");
    assert_faulty("trace,model,replicates\nt,m\n", "2:1: expected 3 fields, got 2");
    assert_faulty(
        "trace,model,replicates\nt,m,0\n", "2:5: replicates: expected an integer from 1, got '0'");
    assert_faulty("trace,model,replicates,mtbp_s\nt,m,1,nan\n",
        "2:7: mtbp_s: expected a number or nothing, got 'nan'");
    assert_faulty("trace,model,replicates,sd_mtbp_s\nt,m,1,1e999\n",
        "2:7: sd_mtbp_s: expected a number or nothing, got '1e999'");
    spot_diag_init(&diag);
    assert_int_equal(spot_reference_read(&reference, "/nonexistent.csv", &diag), SPOT_ERR_IO);
    assert_int_equal(diag.num_errors, 1);
    spot_diag_free(&diag);
    spot_reference_free(&reference);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_z),
        cmocka_unit_test(test_faults),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
