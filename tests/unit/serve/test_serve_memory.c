/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that runs out: each block that a scenario, a run and its series ask for is
 * refused once. Nothing may leak, which the sanitizers look at. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "sim/serve/experiment.h"
#include "tests/unit/base/short_memory.h"

#define ENGINE spot_serve_experiment
#define FOLDER SPOT_SOURCE_DIR "/tests/golden/cli/serve/"

/* Two replications of a document, the second of which is recorded. */
static int run(const spot_node_t *root, FILE *out)
{
    spot_replication_t replication = {.seed = 1, .replication = 0};
    void *scenario = NULL, *worker = NULL;
    const spot_outputs_t *outputs;
    spot_recording_t recording = {0};
    unsigned char warnings[16] = {0};
    double *metrics = NULL;
    spot_diag_t diag;
    int ret;

    spot_diag_init(&diag);
    ret = ENGINE.bind(&scenario, root, NULL, &diag);
    if (ret == 0) {
        outputs = ENGINE.outputs(scenario);
        metrics = spot_calloc(outputs->num_metrics, sizeof(*metrics));
        ret = metrics == NULL ? SPOT_ERR_NO_MEMORY : ENGINE.open(&worker, scenario);
        ret =
            ret != 0 ? ret : spot_recording_init(&recording, outputs->num_series, outputs->series);
        ret = ret != 0 ? ret : ENGINE.run(worker, &replication, metrics, warnings, NULL);
        replication.replication++;
        ret = ret != 0 ? ret : ENGINE.run(worker, &replication, metrics, warnings, &recording);
    }
    if (ret == 0) {
        spot_json_t json;

        spot_json_init(&json, out, 2);
        spot_json_open(&json, NULL, '{');
        ENGINE.view->json(&(spot_run_result_t){.worker = worker}, &json);
        spot_json_close(&json, '}');
        ENGINE.view->events(worker, out);
    }
    spot_recording_free(&recording);
    ENGINE.close(worker);
    ENGINE.free(scenario);
    free(metrics);
    spot_diag_free(&diag);
    return ret;
}

/* Refuses the first block, then the second, ... until a run needs no more. Returns how
 * many. */
static size_t refuse_each(const char *preemptions)
{
    FILE *out = fopen("/dev/null", "w");
    spot_yaml_t document, value = {0};
    spot_diag_t diag;
    size_t num_refused = 0;
    int ret;

    assert_non_null(out);
    spot_diag_init(&diag);
    assert_int_equal(spot_yaml_read(&document, FOLDER "branches.yaml", &diag), 0);
    if (preemptions != NULL) {
        assert_int_equal(
            spot_yaml_parse(&value, "preemptions", preemptions, strlen(preemptions), &diag), 0);
        assert_int_equal(spot_yaml_set(&document, "preemptions", value.root), 0);
    }
    for (;; num_refused++) {
        num_left = num_refused;
        ret = run(document.root, out);
        if (num_left != SIZE_MAX) { /* the run needs no more */
            break;
        }
        assert_int_equal(ret, SPOT_ERR_NO_MEMORY);
    }
    num_left = SIZE_MAX;
    assert_int_equal(ret, 0);
    spot_yaml_free(&document);
    spot_yaml_free(&value);
    spot_diag_free(&diag);
    fclose(out);
    return num_refused;
}

static void test_hedge_with_outages_of_a_file(void **state)
{
    (void) state;
    assert_true(refuse_each(NULL) > 100);
}

static void test_drawn_outages(void **state)
{
    (void) state;
    assert_true(refuse_each("{hazard: {mtbf: 200 ms, recover: 50 ms, zones: 2, zone_mtbf: 1 s, "
                            "zone_recover: 100 ms}}") > 100);
}

static void test_instances_of_a_trace(void **state)
{
    (void) state;
    assert_true(refuse_each("{trace: {generator: chance, capacity: 3, initial: 3, "
                            "preempt_per_h: 0.4, add_per_h: 0.5}}") > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hedge_with_outages_of_a_file),
        cmocka_unit_test(test_drawn_outages),
        cmocka_unit_test(test_instances_of_a_trace),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
