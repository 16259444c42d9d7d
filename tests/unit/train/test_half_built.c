/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an _init or _read leaves when it fails can be freed: each memory that is asked
 * for is refused once, over structs full of rubbish, and files are missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "models/measured_table.h"
#include "models/profile.h"
#include "models/step_grid.h"
#include "spotsim.h"
#include "tests/unit/base/short_memory.h"
#include "traces/lifetimes.h"

/* ---- What is read and freed ---- */

/* The lines of spotsim.h. */
static int run_scenario(const char *path)
{
    spot_diag_t diag;
    spot_scenario_t scenario;
    spot_train_t train;
    int ret;

    memset(&diag, 0xa5, sizeof(diag));
    memset(&scenario, 0xa5, sizeof(scenario));
    memset(&train, 0xa5, sizeof(train));
    spot_diag_init(&diag);
    ret = spot_scenario_read(&scenario, path, NULL, &diag);
    if (ret == 0) {
        ret = spot_train_init(&train, &scenario);
        if (ret == 0) {
            ret = spot_train_run(&train, 1, 0, NULL);
        }
        spot_train_free(&train);
    }
    if (diag.out_of_memory) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    spot_scenario_free(&scenario);
    spot_diag_free(&diag);
    return ret;
}

#define READ(type, read, free)                                                                     \
    spot_diag_t diag;                                                                              \
    type self;                                                                                     \
    int ret;                                                                                       \
                                                                                                   \
    memset(&self, 0xa5, sizeof(self));                                                             \
    spot_diag_init(&diag);                                                                         \
    ret = read;                                                                                    \
    if (diag.out_of_memory) {                                                                      \
        ret = SPOT_ERR_NO_MEMORY;                                                                  \
    }                                                                                              \
    free(&self);                                                                                   \
    spot_diag_free(&diag);                                                                         \
    return ret

static int read_trace(const char *path)
{
    READ(spot_trace_t, spot_trace_read(&self, path, false, &diag), spot_trace_free);
}

static int read_lifetimes(const char *path)
{
    READ(spot_lifetimes_t, spot_lifetimes_read(&self, path, &diag), spot_lifetimes_free);
}

static int read_instances(const char *path)
{
    READ(spot_instance_table_t, spot_instance_table_read(&self, path, &diag),
        spot_instance_table_free);
}

static int read_steps(const char *path)
{
    READ(spot_step_grid_t, spot_step_grid_read(&self, path, &diag), spot_step_grid_free);
}

static int read_document(const char *path)
{
    READ(spot_yaml_t, spot_yaml_read(&self, path, &diag), spot_yaml_free);
}

static int read_profile(const char *path)
{
    READ(spot_profile_t, spot_profile_read(&self, path, &diag), spot_profile_free);
}

static const struct {
    int (*read)(const char *path);
    const char *path;
} cases[] = {
    {run_scenario, "/reports/studies/idle-vs-preemption/seed-64.yaml"},
    {run_scenario, "/models/sample/bert-large/scenario.yaml"},
    {run_scenario, "/tests/golden/cli/scenario.yaml"},
    {run_scenario, "/tests/golden/cli/generated.yaml"},
    {read_trace, "/tests/golden/cli/named.csv"},
    {read_lifetimes, "/tests/golden/cli/lifetimes.csv"},
    {read_instances, "/models/sample/gpt-2/varuna.csv"},
    {read_steps, "/models/sample/steps-48/steps.csv"},
    {read_document, "/tests/golden/cli/study.yaml"},
    {read_profile, "/tests/golden/cli/profile.yaml"},
};

static void test_out_of_memory(void **state)
{
    char path[512];

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        size_t num_refused = 0;
        int ret;

        snprintf(path, sizeof(path), "%s%s", SPOT_SOURCE_DIR, cases[j].path);
        for (;;) {
            num_left = num_refused;
            ret = cases[j].read(path);
            if (num_left != SIZE_MAX) {
                break; /* fewer were asked for */
            }
            if (ret != SPOT_ERR_NO_MEMORY) {
                print_error("%s: %d without allocation %zu\n", path, ret, num_refused);
            }
            assert_int_equal(ret, SPOT_ERR_NO_MEMORY);
            num_refused++;
        }
        num_left = SIZE_MAX;
        assert_int_equal(ret, 0);
        assert_true(num_refused > 3);
    }
}

static void test_missing_file(void **state)
{
    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        assert_int_equal(cases[j].read("/nonexistent/file"), SPOT_ERR_IO);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_missing_file),
        cmocka_unit_test(test_out_of_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
