/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "../base/near.h"
#include "base/rng.h"
#include "fixture.h"
#include "models/measured_table.h"
#include "tests/unit/base/shared_data.h"

/* ---- Instance table ---- */

#define SAMPLE SPOT_SOURCE_DIR "/models/sample/by-n/varuna.csv"
#define SHIPPED SPOT_SOURCE_DIR "/models/sample/", "/"
#define PUBLISHED SHARED_DATA "profiles/oobleck-sim_", "_"

static int read_text(spot_instance_table_t *self, const char *text, spot_diag_t *diag)
{
    char path[512];
    int ret;

    snprintf(path, sizeof(path), "%s/by_n-%ld.csv", temporary_folder(), (long) getpid());
    write_file(path, text);
    spot_diag_init(diag);
    ret = spot_instance_table_read(self, path, diag);
    remove(path);
    return ret;
}

/* expected: what the first message says behind the name of the file. */
static void assert_refused(const char *text, const char *expected)
{
    spot_instance_table_t table;
    spot_diag_t diag;
    char *report = NULL;
    size_t num_bytes = 0;
    FILE *out = open_memstream(&report, &num_bytes);

    assert_non_null(out);
    assert_int_equal(read_text(&table, text, &diag), SPOT_ERR_BAD_INPUT);
    spot_diag_print(&diag, out);
    assert_int_equal(fclose(out), 0);
    if (strstr(report, expected) == NULL) {
        print_error("%s\nlacks\n%s\n", report, expected);
        fail();
    }
    free(report);
    spot_diag_free(&diag);
    spot_instance_table_free(&table);
}

static void test_read(void **state)
{
    spot_instance_table_t table;
    spot_diag_t diag;

    (void) state;
    assert_int_equal(read_text(&table,
                         "# made up   samples_per_step: 64\nn,samples_per_s,step_ms,pause_ms\n"
                         "5,20,3200,700\n4,,,900\n3,16,4000.4,800\n",
                         &diag),
        0);
    assert_int_equal(diag.num_items, 0);
    assert_int_equal(table.samples_per_step, 64);
    assert_int_equal(table.num_rows, 3);
    assert_true(table.has[SPOT_BY_N_PAUSE_MS]);
    assert_false(table.has[SPOT_BY_N_CHECKPOINT_MS]);
    assert_int_equal(spot_instance_table_smallest(&table), 3);
    assert_int_equal(spot_instance_table_largest(&table), 5);
    assert_int_equal(spot_instance_table_find(&table, 3)->step_ms, 4000);
    assert_int_equal(spot_instance_table_find(&table, 4)->step_ms, 0);
    assert_int_equal(spot_instance_table_find(&table, 4)->values[SPOT_BY_N_PAUSE_MS], 900);
    assert_null(spot_instance_table_find(&table, 2));
    assert_null(spot_instance_table_find(&table, 6));
    assert_int_equal(spot_instance_table_nearest(&table, 1)->num_instances, 3);
    assert_int_equal(spot_instance_table_nearest(&table, 99)->num_instances, 5);
    assert_null(spot_instance_table_best(&table, 2));
    assert_int_equal(spot_instance_table_best(&table, 4)->num_instances, 3);
    assert_int_equal(spot_instance_table_best(&table, 9)->num_instances, 5);
    spot_diag_free(&diag);
    spot_instance_table_free(&table);
}

static void test_refused(void **state)
{
    (void) state;
    assert_refused("n,samples_per_s\n3,16\n", ".csv:1:1: expected the columns n and");
    assert_refused("n,step_ms,n\n3,16,3\n", ".csv:1:11: repeated column 'n'");
    assert_refused("n,step_ms,color\n3,16,3\n", ".csv:1:11: unknown column 'color'");
    assert_refused("n,step_ms\n", ".csv:2:1: no row");
    assert_refused("n,step_ms\n3,16\n\n4,12\n", ".csv:3:1: empty line");
    assert_refused("n,step_ms\n3,16,1\n", ".csv:2:1: expected 2 columns, got 3");
    assert_refused("n,step_ms\n0,16\n", ".csv:2:1: n: expected an integer from 1 to");
    assert_refused("n,step_ms\n3,nan\n", ".csv:2:3: step_ms: expected milliseconds");
    assert_refused("n,step_ms\n3,0.4\n", ".csv:2:3: step_ms: expected milliseconds");
    assert_refused("n,step_ms,pause_ms\n3,9,-1\n", ".csv:2:5: pause_ms: expected an");
    assert_refused("n,step_ms,pause_ms\n3,9,\n", ".csv:2:5: pause_ms: expected an");
    assert_refused("n,step_ms\n3,9\n5,8\n", ".csv:3:1: n: there is no row for 4");
    assert_refused("n,step_ms\n4,9\n3,9\n4,8\n", ".csv:4:1: n: 4 is in line 2 already");
    assert_refused("n,samples_per_s,step_ms\n4,9,\n", "samples_per_s without a step_ms");
    assert_refused("n,step_ms,idle_instances\n4,9,4\n", "idle_instances: all of n");
    assert_refused("n,step_ms,restart_total_ms,checkpoint_ms\n4,9,5,6\n",
        ".csv:2:1: restart_total_ms holds one checkpoint");
    assert_refused("# samples_per_step: x\nn,step_ms\n4,9\n", "samples_per_step: expect");
}

/* Rows of any order and speeds, against a search through all of them. */
static void test_best_of_random_tables(void **state)
{
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 5, 0, SPOT_STREAM_DESIGN, 0);
    for (int j = 0; j < 200; j++) {
        int64_t step_ms[12];
        char text[512];
        size_t used = (size_t) snprintf(text, sizeof(text), "n,step_ms\n");
        spot_instance_table_t table;
        spot_diag_t diag;

        for (int n = 12; n >= 1; n--) {
            step_ms[n - 1] = (int64_t) (spot_rng_uniform(&rng) * 5);
            used += (size_t) snprintf(text + used, sizeof(text) - used,
                step_ms[n - 1] == 0 ? "%d,\n" : "%d,%lld\n", n, (long long) step_ms[n - 1]);
        }
        assert_int_equal(read_text(&table, text, &diag), 0);
        for (int limit = 0; limit <= 14; limit++) {
            const spot_instance_row_t *row = spot_instance_table_best(&table, limit);
            int best = 0;

            for (int n = 1; n <= 12 && n <= limit; n++) {
                if (step_ms[n - 1] > 0 && (best == 0 || step_ms[n - 1] < step_ms[best - 1])) {
                    best = n;
                }
            }
            assert_int_equal(row == NULL ? 0 : row->num_instances, best);
        }
        spot_diag_free(&diag);
        spot_instance_table_free(&table);
    }
}

static void test_sample(void **state)
{
    spot_instance_table_t table;
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    assert_int_equal(spot_instance_table_read(&table, SAMPLE, &diag), 0);
    assert_int_equal(diag.num_items, 0);
    assert_int_equal(spot_instance_table_largest(&table), 30);
    spot_diag_free(&diag);
    spot_instance_table_free(&table);
}

static const struct {
    const char *name;
    int64_t samples_per_step;
} shipped_models[] = {{"bert-large", 8192}, {"gpt-2", 1024}, {"gpt-3-2.7b", 512}};
static const char *const shipped_systems[] = {"varuna", "oobleck", "bamboo"};

/* Reads the table of a model and a system. */
static void read_table(spot_instance_table_t *self, const char *folder, const char *separator,
    size_t model, size_t system)
{
    char path[512];
    spot_diag_t diag;

    snprintf(path, sizeof(path), "%s%s%s%s.csv", folder, shipped_models[model].name, separator,
        shipped_systems[system]);
    need_data(path);
    spot_diag_init(&diag);
    assert_int_equal(spot_instance_table_read(self, path, &diag), 0);
    assert_int_equal(diag.num_items, 0);
    spot_diag_free(&diag);
}

static void test_shipped(void **state)
{
    (void) state;
    for (size_t j = 0; j < 9; j++) {
        spot_instance_table_t table;

        read_table(&table, SHIPPED, j / 3, j % 3);
        assert_int_equal(spot_instance_table_smallest(&table), 15);
        assert_int_equal(spot_instance_table_largest(&table), 30);
        assert_int_equal(table.samples_per_step, shipped_models[j / 3].samples_per_step);
        /* Bamboo is out of memory with the largest model. */
        assert_int_equal(spot_instance_table_best(&table, 30) == NULL, j == 8);
        for (size_t k = 0; k < table.num_rows; k++) {
            const spot_instance_row_t *row = &table.rows[k];

            assert_int_equal(row->step_ms,
                j == 8 ? 0 : 1000 * (double) table.samples_per_step / row->samples_per_s);
        }
        spot_instance_table_free(&table);
    }
}

static void test_shipped_is_published(void **state)
{
    (void) state;
    for (size_t j = 0; j < 9; j++) {
        spot_instance_table_t shipped, published;

        read_table(&published, PUBLISHED, j / 3, j % 3);
        read_table(&shipped, SHIPPED, j / 3, j % 3);
        assert_int_equal(shipped.num_rows, published.num_rows);
        for (size_t k = 0; k < shipped.num_rows; k++) {
            const spot_instance_row_t *row = &shipped.rows[k];
            const spot_instance_row_t *source = &published.rows[k];

            assert_int_equal(row->num_instances, source->num_instances);
            assert_true(row->samples_per_s == source->samples_per_s);
            assert_int_equal(row->step_ms, source->step_ms);
            for (size_t l = 0; l < SPOT_NUM_BY_N; l++) {
                assert_int_equal(row->values[l], shipped.has[l] ? source->values[l] : 0);
            }
        }
        spot_instance_table_free(&shipped);
        spot_instance_table_free(&published);
    }
}

/* ---- Measured curve ---- */

static int read_curve(spot_measured_curve_t *self, const char *text, spot_diag_t *diag)
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
    assert_int_equal(read_curve(&self, "# a remark\nbytes,us\n10,5\n20,4\n40,10\n", &diag), 0);
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
        assert_int_equal(read_curve(&self, cases[j].text, &diag), SPOT_ERR_BAD_INPUT);
        assert_diagnostics(&diag, cases[j].expected);
        spot_measured_free(&self);
    }
}

/* The curves of the repository. */
static void test_sample_curve(void **state)
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
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_best_of_random_tables),
        cmocka_unit_test(test_sample),
        cmocka_unit_test(test_shipped),
        cmocka_unit_test(test_shipped_is_published),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_sample_curve),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
