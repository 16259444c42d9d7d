/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which figure of a job wins: what is given, what follows from state and bandwidth, or
 * the default. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/units.h"
#include "models/job.h"

/* Returns the number of warnings; errors: how many there are. */
static size_t settle(spot_job_t *self, const char *text, double storage_bytes_per_s, size_t errors)
{
    spot_diag_t diag;
    spot_bind_t bind = {.diag = &diag};
    spot_yaml_t document;
    size_t num_warnings;

    memset(self, 0, sizeof(*self));
    spot_diag_init(&diag);
    assert_int_equal(spot_yaml_parse(&document, "job", text, strlen(text), &diag), 0);
    assert_int_equal(spot_bind_document(spot_job_fields, document.root, &diag, self), 0);
    self->storage_bytes_per_s = storage_bytes_per_s;
    spot_job_settle_terms(self, &bind, document.root);
    assert_int_equal(diag.num_errors, errors);
    num_warnings = diag.num_warnings;
    spot_yaml_free(&document);
    spot_diag_free(&diag);
    return num_warnings;
}

static void test_pauses(void **state)
{
    static const struct {
        const char *text;
        int64_t regroup_s, rebuild_s, reconfiguration_s;
    } cases[] = {
        {"{}", 88, 0, 88},
        {"{reconfiguration: 30 s}", 30, 0, 30},
        {"{regroup: 10 s}", 10, 78, 88},
        {"{regroup: 100 s}", 100, 0, 100},
        {"{rebuild: 10 s}", 78, 10, 88},
        {"{rebuild: 100 s}", 0, 100, 100},
        {"{regroup: 10 s, rebuild: 5 s}", 10, 5, 15},
        {"{regroup: 0 s, rebuild: 0 s}", 0, 0, 0},
        {"{regroup: 10 s, reconfiguration: 30 s}", 10, 20, 30},
        {"{rebuild: 30 s, reconfiguration: 30 s}", 0, 30, 30},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        spot_job_t job;

        assert_int_equal(settle(&job, cases[j].text, 0, 0), 0);
        assert_int_equal(job.regroup_ms, cases[j].regroup_s * SPOT_MS_PER_S);
        assert_int_equal(job.rebuild_ms, cases[j].rebuild_s * SPOT_MS_PER_S);
        assert_int_equal(job.reconfiguration_ms, cases[j].reconfiguration_s * SPOT_MS_PER_S);
        spot_job_free(&job);
    }
}

static void test_pauses_that_contradict(void **state)
{
    static const char *const texts[] = {"{regroup: 1 s, rebuild: 1 s, reconfiguration: 2 s}",
        "{regroup: 3 s, reconfiguration: 2 s}", "{rebuild: 3 s, reconfiguration: 2 s}"};

    (void) state;
    for (size_t j = 0; j < sizeof(texts) / sizeof(texts[0]); j++) {
        spot_job_t job;

        (void) settle(&job, texts[j], 0, 1);
        spot_job_free(&job);
    }
}

#define MODEL "model: {parameters: 1e9, layers: 10, bytes_per_parameter: 16}"

/* 16 GB at 1 GB/s. */
static void test_storage(void **state)
{
    static const struct {
        const char *text;
        double storage_bytes_per_s;
        int64_t reload_ms, write_ms;
        size_t num_warnings;
    } cases[] = {
        {"{}", 1e9, 47000, 89000, 0},
        {"{" MODEL "}", 1e9, 16000, 16000, 1}, /* the reconfiguration */
        {"{" MODEL ", regroup: 1 s}", 1e9, 16000, 16000, 0},
        {"{" MODEL ", regroup: 1 s}", 0, 47000, 89000, 2},
        {"{" MODEL ", regroup: 1 s, reload: 5 s}", 1e9, 5000, 16000, 0},
        {"{" MODEL ", regroup: 1 s, checkpoint: {write: 6 s}}", 1e9, 16000, 6000, 0},
        {"{" MODEL ", regroup: 1 s, checkpoint: {mode: sync}}", 3e9, 5333, 5333, 0},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        spot_job_t job;

        assert_int_equal(
            settle(&job, cases[j].text, cases[j].storage_bytes_per_s, 0), cases[j].num_warnings);
        assert_int_equal(job.reload_ms, cases[j].reload_ms);
        assert_int_equal(job.checkpoint.write_ms, cases[j].write_ms);
        spot_job_free(&job);
    }
}

static void test_transfers(void **state)
{
    (void) state;
    assert_int_equal(spot_transfer_ms(0, 1), 0);
    assert_int_equal(spot_transfer_ms(1500, 1e6), 2); /* rounded */
    assert_int_equal(spot_transfer_ms(1.25e9, 1.25e9), 1000);
    assert_int_equal(spot_transfer_ms(1e30, 1), SPOT_MAX_DURATION_MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pauses),
        cmocka_unit_test(test_pauses_that_contradict),
        cmocka_unit_test(test_storage),
        cmocka_unit_test(test_transfers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
