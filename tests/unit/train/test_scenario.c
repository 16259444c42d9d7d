/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scenarios from YAML: the defaults, every error with its place, the changes that a
 * command line asks for. The test works in a folder of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/units.h"
#include "fixture.h"

#define TRACE(kind, rows)                                                                          \
    "# spotsim-trace: 1\n# name: test\n# start: unknown\n# resolution_s: 0.5\n"                    \
    "# kind: " kind "\n# capacity: unbounded\ntime_s,event,count,instances\n" rows

/* Parts of documents; line 1 names the scenario. */
#define NAME "scenario: test\n"
#define FILE_3 "trace: {file: three.csv}\n"
#define SEED                                                                                       \
    "trace: {generator: seed, preemption: {per_minute: 0.1, count: {fixed: 1}},\n"                 \
    "  addition: {per_minute: 0, count: {fixed: 2}}}\n"
#define HOUR "horizon: 1 h\n"
#define JOB "job: {step_time: {16: 18 s, 32: 11 s, 48: 9 s, 64: 8 s}}\n"
#define HORIZON "a duration such as \"355 min\", trace-end or {until: {steps: 1800}}"

static char folder[PATH_BYTES];

static int enter_folder(void **state)
{
    (void) state;
    snprintf(folder, sizeof(folder), "%s/scenario-XXXXXX", temporary_folder());
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    write_file("three.csv", TRACE("named", "0,init,3,a b c\n100,end,3,\n"));
    write_file("counts.csv", TRACE("counts", "0,init,0,\n7,add,4,\n60.5,end,4,\n"));
    write_file("probe.csv", TRACE("availability", "0,init,3,\n100,end,3,\n"));
    write_file("wrong.csv", TRACE("named", "0,init,2,a b c\n9,halt,1,a\n100,end,3,\n"));
    return 0;
}

static int leave_folder(void **state)
{
    static const char *const names[] = {
        "three.csv", "counts.csv", "probe.csv", "wrong.csv", "model.yaml", "scenario.yaml"};

    (void) state;
    for (size_t j = 0; j < sizeof(names) / sizeof(names[0]); j++) {
        remove(names[j]);
    }
    assert_int_equal(chdir("/"), 0);
    return rmdir(folder);
}

static void assert_report(spot_diag_t *diag, const char *expected)
{
    char *report = diagnostics(diag);

    assert_string_equal(report, expected);
    free(report);
    spot_diag_free(diag);
}

/* Step times that these tests do not care about. */
static void give_step_time(spot_yaml_t *document, spot_diag_t *diag)
{
    if (!spot_node_has(document->root, "job.step_time") && document->root->kind == SPOT_NODE_MAP) {
        assert_int_equal(spot_yaml_assign(document, "given",
                             "job.step_time={16: 18 s, 32: 11 s, 48: 9 s, 64: 8 s}", diag),
            0);
    }
}

static int bind_job(spot_scenario_t *self, const char *text, spot_diag_t *diag)
{
    spot_yaml_t document;
    int ret = spot_yaml_parse(&document, "scenario.yaml", text, strlen(text), diag);

    assert_int_equal(ret, 0);
    give_step_time(&document, diag);
    ret = spot_scenario_init(self, document.root, NULL, diag);
    spot_yaml_free(&document);
    return ret;
}

static void assert_fails(const char *text, const char *expected)
{
    spot_scenario_t scenario;
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(bind_job(&scenario, text, &diag), SPOT_ERR_BAD_INPUT);
    spot_scenario_free(&scenario);
    spot_scenario_free(&scenario);
    assert_report(&diag, expected);
}

/* The caller frees the scenario. */
static spot_scenario_t bound(const char *text, const char *warnings)
{
    spot_scenario_t scenario;
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(bind_job(&scenario, text, &diag), 0);
    assert_report(&diag, warnings);
    return scenario;
}

/* ---- What is good ---- */

static void assert_seed_64(const spot_scenario_t *scenario)
{
    static const int64_t points[4][2] = {{16, 18000}, {32, 11000}, {48, 9000}, {64, 8000}};
    const spot_job_t *job = &scenario->job;

    assert_int_equal(scenario->tick_ms, 5000);
    assert_int_equal(scenario->until_steps, 0);
    assert_int_equal(scenario->fleet.capacity, 64);
    assert_int_equal(scenario->fleet.initial, 32);
    assert_int_equal(scenario->fleet.preparation_ms, 180000);
    assert_int_equal(scenario->fleet.price.spot.num_steps, 1);
    assert_near(scenario->fleet.price.spot.steps[0].usd_per_h, 0.91, 0);
    assert_near(scenario->fleet.price.on_demand_usd_per_h, 3.06, 0);
    assert_int_equal(job->pipeline_depth, 16);
    assert_int_equal(job->samples_per_step, 1024);
    assert_int_equal(job->reconfiguration_ms, 88000);
    assert_int_equal(job->reload_ms, 47000);
    assert_int_equal(job->checkpoint.mode, SPOT_CHECKPOINT_ASYNC);
    assert_int_equal(job->checkpoint.every_kind, SPOT_EVERY_BACK_TO_BACK);
    assert_int_equal(job->checkpoint.write_ms, 89000);
    assert_int_equal(job->checkpoint.snapshot_ms, 0);
    assert_int_equal(job->checkpoint.busy, SPOT_BUSY_SKIP);
    assert_int_equal(job->step_time.num_points, 4);
    for (size_t j = 0; j < 4; j++) {
        assert_int_equal(job->step_time.points[j].world_size, points[j][0]);
        assert_int_equal(job->step_time.points[j].step_ms, points[j][1]);
    }
    assert_ptr_equal(scenario->recovery.system, &spot_recovery_checkpoint);
}

static void test_defaults(void **state)
{
    spot_scenario_t scenario = bound(NAME HOUR SEED, "");
    spot_scenario_t whole;

    (void) state;
    assert_string_equal(scenario.name, "test");
    assert_int_equal(scenario.horizon_ms, 3600000);
    assert_int_equal(scenario.fleet.initial, 64); /* the capacity */
    spot_scenario_free(&scenario);
    whole = bound(NAME HOUR SEED "fleet: {capacity: 7}\n", "");
    assert_int_equal(whole.fleet.initial, 7);
    spot_scenario_free(&whole);
    scenario = bound(NAME HOUR SEED "fleet: {initial: 32}\n", "");
    assert_seed_64(&scenario);
    assert_int_equal(scenario.job.max_pipelines, SPOT_MAX_INSTANCES);
    assert_null(scenario.trace.recording);
    assert_null(scenario.trace_node);
    assert_ptr_equal(scenario.trace.generator, &spot_generator_seed);
    assert_int_equal(spot_trace_model_initial(&scenario.trace), 32);
    assert_int_equal(spot_trace_model_common(&scenario.trace)->tick_ms, 5000);
    assert_int_equal(spot_trace_model_common(&scenario.trace)->capacity, 64);
    assert_int_equal(spot_trace_model_common(&scenario.trace)->horizon_ms, 3600000);
    spot_scenario_free(&scenario);
}

/* The defaults are the shipped scenario of the seed study. */
static void test_shipped_scenario(void **state)
{
    spot_scenario_t scenario;
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    assert_int_equal(
        spot_scenario_read(&scenario,
            SPOT_SOURCE_DIR "/reports/studies/idle-vs-preemption/seed-64.yaml", NULL, &diag),
        0);
    assert_report(&diag, "");
    assert_string_equal(scenario.name, "seed-64");
    assert_int_equal(scenario.horizon_ms, 355 * SPOT_MS_PER_MIN);
    assert_seed_64(&scenario);
    spot_scenario_free(&scenario);
}

static void test_everything_given(void **state)
{
    spot_scenario_t scenario =
        bound("trace: {file: counts.csv}\n"
              "recovery: {detection: 60 s, system: checkpoint}\n"
              "job: {pipeline_depth: 2, max_pipelines: 3, samples_per_step: 8,\n"
              "  step_time: {4: 250 ms, 2: 1.5 s}, reconfiguration: 0 s, reload: 1 min,\n"
              "  checkpoint: {mode: sync, every: 10 steps, write: 2 s}}\n"
              "fleet: {price: {on_demand: 3, spot: 24 USD/d}, preparation: 0 s, initial: 0,\n"
              "  capacity: 7}\n"
              "tick: 1 ms\n"
              "until: {steps: 1000000000000}\n"
              "horizon: 0.5 min\n"
              "scenario: everything\n",
            "");

    (void) state;
    assert_string_equal(scenario.name, "everything");
    assert_int_equal(scenario.horizon_ms, 30000);
    assert_int_equal(scenario.until_steps, INT64_C(1000000000000));
    assert_int_equal(scenario.tick_ms, 1);
    assert_int_equal(scenario.fleet.capacity, 7);
    assert_int_equal(scenario.fleet.preparation_ms, 0);
    assert_near(scenario.fleet.price.spot.steps[0].usd_per_h, 1, 1e-15);
    assert_near(scenario.fleet.price.on_demand_usd_per_h, 3, 0);
    assert_int_equal(scenario.job.pipeline_depth, 2);
    assert_int_equal(scenario.job.max_pipelines, 3);
    assert_int_equal(scenario.job.reconfiguration_ms, 0);
    assert_int_equal(scenario.job.checkpoint.mode, SPOT_CHECKPOINT_SYNC);
    assert_int_equal(scenario.trace.recording->num_events, 1);
    spot_scenario_free(&scenario);
}

static void test_forms_of_horizon(void **state)
{
    static const struct {
        const char *text;
        const char *warnings;
        int64_t horizon_ms;
        int64_t until_steps;
    } forms[] = {
        {NAME FILE_3, "", 100000, 0},
        {NAME "horizon: trace-end\n" FILE_3, "", 100000, 0},
        {NAME "horizon: \"trace-end\"\n" FILE_3, "", 100000, 0},
        {NAME "horizon: trace-end\ntrace: {file: counts.csv}", "", 60500, 0},
        {NAME "horizon: 20 s\n" FILE_3, "", 20000, 0},
        {NAME "horizon: 100 s\n" FILE_3, "", 100000, 0},
        {NAME "horizon: 36525 d\n" SEED, "", SPOT_MAX_DURATION_MS, 0},
        {NAME "horizon: 1.5 ms\n" SEED, "", 2, 0},
        {NAME "horizon: {until: {steps: 5}}\n" FILE_3, "", 100000, 5},
        {NAME "until: {steps: 5}\n" FILE_3, "", 100000, 5},
        {NAME "until: {steps: 5}\nhorizon: 20 s\n" FILE_3, "", 20000, 5},
        {NAME "horizon: 2 min\n" FILE_3,
            "warning: scenario.yaml:2:10: the horizon is beyond the end of the trace "
            "(100 s): its last instances stay\n",
            120000, 0},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(forms) / sizeof(forms[0]); j++) {
        spot_scenario_t scenario = bound(forms[j].text, forms[j].warnings);

        assert_int_equal(scenario.horizon_ms, forms[j].horizon_ms);
        assert_int_equal(scenario.until_steps, forms[j].until_steps);
        spot_scenario_free(&scenario);
    }
}

/* The trace brings its own instances, whatever fleet.initial and its default say. */
static void test_initial_instances_of_a_file(void **state)
{
#define IGNORED "fleet.initial is ignored: the trace starts with "
    static const char *const texts[][2] = {{NAME FILE_3, ""},
        {NAME "fleet: {initial: 2}\n" FILE_3,
            "warning: scenario.yaml:2:18: " IGNORED "3 instances of its own\n"},
        {NAME "fleet: {initial: 3}\n" FILE_3, ""}, {NAME "fleet: {capacity: 3}\n" FILE_3, ""},
        {NAME "fleet: {capacity: 3, initial: 4}\n" FILE_3,
            "warning: scenario.yaml:2:31: " IGNORED "3 instances of its own\n"}};

    (void) state;
    for (size_t j = 0; j < sizeof(texts) / sizeof(texts[0]); j++) {
        spot_scenario_t scenario = bound(texts[j][0], texts[j][1]);

        assert_int_equal(spot_trace_model_initial(&scenario.trace), 3);
        spot_scenario_free(&scenario);
    }
}

static void test_availability_warns(void **state)
{
    spot_scenario_t scenario = bound(NAME "trace: {file: probe.csv}\n",
        "warning: probe.csv: kind availability: what could have been obtained is taken "
        "as running\n");

    (void) state;
    assert_int_equal(scenario.trace.recording->kind, SPOT_TRACE_AVAILABILITY);
    spot_scenario_free(&scenario);
}

/* A scenario's tick, fleet and horizon win over those of a model; a difference warns. */
static void test_model_keys_that_differ_warn(void **state)
{
    spot_scenario_t scenario =
        bound(NAME HOUR "tick: 1 min\nfleet: {capacity: 8, initial: 4}\n"
                        "trace:\n  generator: seed\n  tick_s: 5\n  capacity: 9\n  initial: 5\n"
                        "  horizon_s: 60\n"
                        "  preemption: {per_minute: 0.1, count: {fixed: 1}}\n"
                        "  addition: {per_minute: 0, count: {fixed: 2}}\n",
            "warning: scenario.yaml:7:11: trace.tick_s is ignored: the scenario's tick, "
            "60 s instead of 5 s, wins\n"
            "warning: scenario.yaml:8:13: trace.capacity is ignored: the scenario's "
            "fleet.capacity wins\n"
            "warning: scenario.yaml:9:12: trace.initial is ignored: the scenario's "
            "fleet.initial wins\n"
            "warning: scenario.yaml:10:14: trace.horizon_s is ignored: the scenario's "
            "horizon wins\n");

    (void) state;
    assert_int_equal(spot_trace_model_common(&scenario.trace)->tick_ms, 60000);
    assert_int_equal(spot_trace_model_common(&scenario.trace)->capacity, 8);
    assert_int_equal(spot_trace_model_initial(&scenario.trace), 4);
    assert_int_equal(spot_trace_model_common(&scenario.trace)->horizon_ms, 3600000);
    spot_scenario_free(&scenario);

    scenario =
        bound(NAME HOUR "tick: 250 ms\nfleet: {capacity: 8, initial: 4}\n"
                        "trace: {generator: seed, tick_s: 0.25, capacity: 8, initial: 4,\n"
                        "  horizon_s: 3600, preemption: {per_minute: 0.1, count: {fixed: 1}},\n"
                        "  addition: {per_minute: 0, count: {fixed: 2}}}\n",
            "");
    spot_scenario_free(&scenario);
}

/* ---- What is wrong ---- */

static void test_no_map(void **state)
{
    (void) state;
    assert_fails("[]", "scenario.yaml:1:1: expected a map of keys, got an empty list\n");
}

static void test_unknown_keys(void **state)
{
    (void) state;
    assert_fails(NAME "job: {reload_time: 5 s}\n"
                      "flet: {}\n"
                      "fleet: {capcity: 3, price: {spt: 1}}\n"
                      "recovery: {system: checkpoint, detecton: 3 s}\n"
                      "until: {step: 3}\n"
                      "trace: {generator: seed, tik_s: 3,\n"
                      "  preemption: {per_minut: 0.1, count: {fixed: 1}},\n"
                      "  addition: {per_minute: 0, count: {fixd: 2}}}\n",
        "scenario.yaml:2:7: unknown key \"reload_time\"\n"
        "scenario.yaml:3:1: unknown key \"flet\", did you mean \"fleet\"?\n"
        "scenario.yaml:4:9: unknown key \"capcity\", did you mean \"capacity\"?\n"
        "scenario.yaml:4:29: unknown key \"spt\", did you mean \"spot\"?\n"
        "scenario.yaml:5:32: unknown key \"detecton\", did you mean \"detection\"?\n"
        "scenario.yaml:6:9: unknown key \"step\", did you mean \"steps\"?\n"
        "scenario.yaml:6:8: missing key \"until.steps\"\n"
        "scenario.yaml:7:26: unknown key \"tik_s\", did you mean \"tick_s\"?\n"
        "scenario.yaml:8:16: unknown key \"per_minut\", did you mean \"per_minute\"?\n"
        "scenario.yaml:8:15: missing key \"trace.preemption.per_minute\"\n"
        "scenario.yaml:9:37: trace.addition.count: unknown law \"fixd\", did you mean "
        "\"fixed\"?\n");
}

static void test_errors_of_horizon(void **state)
{
    static const char *const forms[][2] = {
        {"5", "2:10: horizon: expected " HORIZON ", got \"5\": the unit is missing\n"},
        {"0 s", "2:10: horizon: expected a duration from 1 ms to 36525 d, got \"0 s\"\n"},
        {"-1 h", "2:10: horizon: expected a duration from 1 ms to 36525 d, got \"-1 h\"\n"},
        {"{}", "2:10: horizon: expected " HORIZON ", got an empty map\n"},
        {"{until: 5}", "2:18: horizon.until: expected a map of keys, got \"5\"\n"},
        {"{until: {steps: 5 s}}", "2:26: horizon.until.steps: expected an integer from "
                                  "1 to 1000000000000, got \"5 s\"\n"},
    };
    char text[512], expected[512];

    (void) state;
    for (size_t j = 0; j < sizeof(forms) / sizeof(forms[0]); j++) {
        snprintf(text, sizeof(text), NAME "horizon: %s\n" FILE_3, forms[j][0]);
        snprintf(expected, sizeof(expected), "scenario.yaml:%s", forms[j][1]);
        assert_fails(text, expected);
    }
}

/* The steps end the run, or a horizon of 100 years does. */
static void test_until_needs_no_horizon(void **state)
{
    static const char *const texts[] = {
        NAME "horizon: {until: {steps: 4}}\n" SEED, NAME "until: {steps: 4}\n" SEED};

    (void) state;
    for (size_t j = 0; j < 2; j++) {
        spot_scenario_t scenario;
        spot_train_result_t result;

        scenario = bound(texts[j], "");
        assert_int_equal(scenario.horizon_ms, SPOT_MAX_DURATION_MS);
        result = run_scenario(&scenario, 1, NULL);
        assert_true(result.is_finished);
        assert_int_equal(result.steps_executed - result.steps_lost, 4);
        spot_scenario_free(&scenario);
    }
    assert_fails(NAME "horizon: {until: {steps: 4}}\nuntil: {steps: 5}\n" SEED,
        "scenario.yaml:3:8: until: horizon has it already\n");
}

static void test_errors_of_fleet(void **state)
{
    (void) state;
    assert_fails(NAME HOUR "fleet: {initial: 65}\n" SEED,
        "scenario.yaml:3:18: fleet.initial: 65 instances are more than fleet.capacity "
        "(64)\n");
    assert_fails(NAME "fleet: {capacity: 2}\n" FILE_3,
        "scenario.yaml:3:15: trace.file: the trace starts with 3 instances, more than "
        "fleet.capacity (2)\n");
    assert_fails(NAME HOUR "fleet: {initial: x, preparation: -1 s,\n"
                           "  price: {spot: -0.1, on_demand: 5 EUR/h}}\n" SEED,
        "scenario.yaml:3:18: fleet.initial: expected an integer from 0 to 1000000, got "
        "\"x\"\n"
        "scenario.yaml:3:34: fleet.preparation: expected a duration from 0 s, got \"-1 "
        "s\"\n"
        "scenario.yaml:4:17: fleet.price.spot: expected a price from 0 USD/h to 1000000 "
        "USD/h, got \"-0.1\"\n"
        "scenario.yaml:4:34: fleet.price.on_demand: expected a price such as \"0.91 "
        "USD/h\", got \"5 EUR/h\": unknown unit\n");
}

static void test_errors_of_trace(void **state)
{
    static const char *const forms[] = {"{}", "[]", "", "{generator: [seed]}"};
    char text[256], expected[256];

    (void) state;
    for (size_t j = 0; j < sizeof(forms) / sizeof(forms[0]); j++) {
        snprintf(text, sizeof(text), NAME HOUR "trace: %s\n", forms[j]);
        snprintf(expected, sizeof(expected),
            "scenario.yaml:3:%d: trace: expected {generator: NAME, ...}, {file: PATH}, "
            "{model: PATH} or the path of a model file\n",
            j == 2 ? 7 : (j == 3 ? 20 : 8));
        assert_fails(text, expected);
    }
    assert_fails(NAME HOUR "trace: {generator: sed}\n",
        "scenario.yaml:3:20: trace.generator: unknown generator \"sed\", did you mean "
        "\"seed\"?\n");
    assert_fails(NAME HOUR "trace: {generator: poisson}\n",
        "scenario.yaml:3:20: trace.generator: unknown generator \"poisson\"\n");
    write_file("model.yaml", "generator: seed\npreemption: {per_minute: 2}\n");
    assert_fails(NAME HOUR "trace: model.yaml\n",
        "model.yaml:2:26: trace.preemption.per_minute: expected a number from 0 to 1, "
        "got \"2\"\n"
        "model.yaml:2:13: missing key \"trace.preemption.count\"\n"
        "model.yaml:1:1: missing key \"trace.addition\"\n");
    assert_fails(NAME "trace: {file: wrong.csv}\n",
        "wrong.csv:8:10: instances: expected 2 names, got 3\n"
        "wrong.csv:9:3: event: expected init, preempt, add, stop or end, got 'halt'\n");
}

/* "trace: PATH" is the model that the file holds. */
static void test_trace_of_a_model_file(void **state)
{
    spot_scenario_t scenario;

    (void) state;
    write_file("model.yaml",
        "spotsim-model: 1\ngenerator: seed\nname: tiny\ncapacity: 64\ninitial: 32\n"
        "preemption: {per_minute: 0.1, count: {fixed: 1}}\n"
        "addition: {per_minute: 0, count: {fixed: 2}}\n");
    scenario = bound(NAME HOUR "fleet: {initial: 32}\ntrace: model.yaml\n", "");
    assert_ptr_equal(scenario.trace.generator, &spot_generator_seed);
    assert_string_equal(spot_trace_model_common(&scenario.trace)->name, "tiny");
    spot_scenario_free(&scenario);
}

static int read_changed(spot_scenario_t *self, const char *text, const char *trace_path,
    size_t num_sets, const char *const *sets, spot_diag_t *diag)
{
    const spot_scenario_changes_t changes = {
        .trace_path = trace_path, .num_sets = num_sets, .sets = sets};

    char whole[1024];

    snprintf(whole, sizeof(whole), "%s%s", text, strstr(text, "job:") == NULL ? JOB : "");
    write_file("scenario.yaml", whole);
    spot_diag_init(diag);
    return spot_scenario_read(self, "scenario.yaml", &changes, diag);
}

/* A frequency beside the path wins over that of the file, which holds without it. */
static void test_frequency_beside_a_model_file(void **state)
{
    const char *const set = "trace.frequency=5";
    spot_scenario_t scenario;
    spot_diag_t diag;

    (void) state;
    write_file("model.yaml", "generator: replay\ntrace: three.csv\nfrequency: 2\n");
    scenario = bound(NAME "trace: {model: model.yaml, frequency: 5}\n", "");
    assert_int_equal(scenario.horizon_ms, 20000);
    spot_scenario_free(&scenario);
    scenario = bound(NAME "trace: {model: model.yaml}\n", "");
    assert_int_equal(scenario.horizon_ms, 50000);
    assert_int_equal(spot_trace_model_initial(&scenario.trace), 3);
    spot_scenario_free(&scenario);
    assert_int_equal(read_changed(&scenario, NAME "trace: model.yaml\n", NULL, 1, &set, &diag), 0);
    assert_report(&diag, "");
    assert_int_equal(scenario.horizon_ms, 20000);
    spot_scenario_free(&scenario);
}

static void test_errors_of_a_model_file(void **state)
{
    static const char *const cases[][2] = {
        {"{model: model.yaml, frequency: 0}",
            "3:39: trace.frequency: expected a number from 0.001 to 1000, got \"0\"\n"},
        {"{model: model.yaml, capacity: 3}", "3:28: unknown key \"capacity\"\n"},
        {"{model: [seed]}", "3:16: trace.model: expected a file name, got a list\n"},
        {"{model: three.csv}", "3:16: trace: a recorded trace is {file: PATH}\n"},
        {"{generator: zones, zones: {z: {model: model.yaml}}}",
            "3:38: trace.zones: z: expected {generator: NAME, ...}\n"},
    };
    char text[256], expected[256];

    (void) state;
    write_file("model.yaml", "generator: replay\ntrace: three.csv\n");
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        snprintf(text, sizeof(text), NAME HOUR "trace: %s\n", cases[j][0]);
        snprintf(expected, sizeof(expected), "scenario.yaml:%s", cases[j][1]);
        assert_fails(text, expected);
    }
}

/* Whether fleet.initial counts depends on the model, not on the file that it stands in.
 */
static void test_initial_instances_of_a_model_file(void **state)
{
    static const char replay[] = "generator: replay\ntrace: three.csv\n";
    static const char zones[] =
        "generator: zones\nzones: {z: {generator: seed, capacity: 3, initial: 2,\n"
        "  preemption: {per_minute: 0.1, count: {fixed: 1}},\n"
        "  addition: {per_minute: 0, count: {fixed: 2}}}}\n";
    static const char seed[] = "generator: seed\n"
                               "preemption: {per_minute: 0.1, count: {fixed: 1}}\n"
                               "addition: {per_minute: 0, count: {fixed: 2}}\n";
    static const char fleet[] = NAME HOUR "fleet: {capacity: 3, initial: 4}\ntrace: model.yaml\n";
    static const char too_many[] =
        "scenario.yaml:3:31: fleet.initial: 4 instances are more than fleet.capacity "
        "(3)\n";
    spot_scenario_t scenario;

    (void) state;
    write_file("model.yaml", replay);
    scenario = bound(NAME "horizon: 100 s\nfleet: {capacity: 3}\ntrace: model.yaml\n", "");
    assert_int_equal(spot_trace_model_initial(&scenario.trace), 3);
    spot_scenario_free(&scenario);
    write_file("model.yaml", zones);
    scenario = bound(fleet, "warning: scenario.yaml:3:31: " IGNORED "2 instances of its own\n");
    assert_int_equal(spot_trace_model_initial(&scenario.trace), 2);
    spot_scenario_free(&scenario);
    write_file("model.yaml", seed);
    assert_fails(fleet, too_many);
    write_file("model.yaml", "generator: sed\n");
    assert_fails(fleet,
        "model.yaml:1:12: trace.generator: unknown generator \"sed\", did you mean "
        "\"seed\"?\n"
        "scenario.yaml:3:31: fleet.initial: 4 instances are more than fleet.capacity "
        "(3)\n");
}

static void test_errors_of_recovery(void **state)
{
    (void) state;
    assert_fails(NAME HOUR "recovery: {system: checkpont}\n" SEED,
        "scenario.yaml:3:20: recovery.system: unknown recovery system \"checkpont\", "
        "did you mean "
        "\"checkpoint\"?\n");
    assert_fails(NAME HOUR "recovery: {system: checkpoint, detection: -1 s}\n" SEED,
        "scenario.yaml:3:43: recovery.detection: expected a duration from 0 s, got \"-1 "
        "s\"\n");
}

/* One pass finds the errors of the scenario, of its trace's keys and of the fleet. */
static void test_all_errors_in_one_pass(void **state)
{
    (void) state;
    assert_fails("horizon: soon\nfleet: {initial: 70}\njob: {pipeline_depth: 0}\n"
                 "trace: {generator: seed, capacity: 0}\n",
        "scenario.yaml:1:10: horizon: expected " HORIZON
        ", got \"soon\": it does not start with a number\n"
        "scenario.yaml:3:23: job.pipeline_depth: expected an integer from 1 to 1000000, "
        "got \"0\"\n"
        "scenario.yaml:1:1: missing key \"scenario\"\n"
        "scenario.yaml:2:18: fleet.initial: 70 instances are more than fleet.capacity "
        "(64)\n"
        "scenario.yaml:4:36: trace.capacity: expected an integer from 1 to 1000000, got "
        "\"0\"\n"
        "scenario.yaml:4:8: missing key \"trace.preemption\"\n"
        "scenario.yaml:4:8: missing key \"trace.addition\"\n");
}

/* ---- Files and changes ---- */

static void assert_change_fails(const char *set, int error, const char *expected)
{
    spot_scenario_t scenario;
    spot_diag_t diag;

    assert_int_equal(read_changed(&scenario, NAME HOUR SEED, NULL, 1, &set, &diag), error);
    spot_scenario_free(&scenario);
    assert_report(&diag, expected);
}

static void test_changes(void **state)
{
    static const char *const sets[] = {"tick=7 s", "fleet={capacity: 9, initial: 3}",
        "fleet.capacity=8", "horizon=trace-end", "job.step_time.8=500 ms"};
    spot_scenario_t scenario;
    spot_diag_t diag;

    (void) state;
    assert_int_equal(read_changed(&scenario, NAME HOUR "job: {step_time: {4: 1 s}}\n" SEED,
                         "three.csv", 5, sets, &diag),
        0);
    assert_report(&diag, "");
    assert_int_equal(scenario.tick_ms, 7000);
    assert_int_equal(scenario.fleet.capacity, 8);
    assert_int_equal(scenario.fleet.initial, 3);
    assert_int_equal(scenario.horizon_ms, 100000);
    assert_int_equal(scenario.job.step_time.num_points, 2);
    assert_int_equal(scenario.trace.recording->initial, 3);
    spot_scenario_free(&scenario);
}

/* --set comes after --trace. A path that YAML would read otherwise stays a path. */
static void test_trace_change(void **state)
{
    static const char *const sets[] = {"trace.file=three.csv", "trace={file: three.csv}"};
    spot_scenario_t scenario;
    spot_diag_t diag;

    (void) state;
    for (size_t j = 0; j < 2; j++) { /* the option wins over a set */
        assert_int_equal(read_changed(&scenario, NAME SEED, "probe.csv", 1, &sets[j], &diag), 0);
        assert_report(&diag, "warning: probe.csv: kind availability: what could have been "
                             "obtained is taken as running\n");
        spot_scenario_free(&scenario);
    }

    assert_int_equal(
        read_changed(&scenario, NAME SEED, "none: {}.csv", 0, NULL, &diag), SPOT_ERR_IO);
    spot_scenario_free(&scenario);
    assert_report(&diag, "none: {}.csv: cannot open: No such file or directory\n");
}

/* A file that a scenario names is beside the scenario; one of the command line is not.
 */
static void test_paths(void **state)
{
    const char *const set = "trace.file=three.csv";
    spot_scenario_t scenario;
    spot_scenario_changes_t changes = {.num_sets = 1, .sets = &set};
    spot_diag_t diag;
    char path[PATH_BYTES + 32];

    (void) state;
    write_file("scenario.yaml", NAME JOB "trace: {file: three.csv}\n");
    snprintf(path, sizeof(path), "%s/scenario.yaml", folder);
    assert_int_equal(chdir("/"), 0);
    spot_diag_init(&diag);
    assert_int_equal(spot_scenario_read(&scenario, path, NULL, &diag), 0);
    spot_scenario_free(&scenario);
    assert_int_equal(spot_scenario_read(&scenario, path, &changes, &diag), SPOT_ERR_IO);
    spot_scenario_free(&scenario);
    assert_report(&diag, "three.csv: cannot open: No such file or directory\n");
    assert_int_equal(chdir(folder), 0);
}

static void test_errors_of_changes(void **state)
{
    (void) state;
    assert_change_fails("tick", SPOT_ERR_BAD_INPUT, "--set: expected KEY=VALUE, got \"tick\"\n");
    assert_change_fails(
        "fleet..initial=9", SPOT_ERR_BAD_INPUT, "--set: \"fleet..initial\" is no key\n");
    assert_change_fails(
        "fleet.cap=5", SPOT_ERR_BAD_INPUT, "--set fleet.cap:1:1: unknown key \"cap\"\n");
    assert_change_fails("fleet.initial=65", SPOT_ERR_BAD_INPUT,
        "--set fleet.initial:1:1: fleet.initial: 65 instances are more than "
        "fleet.capacity (64)\n");
    assert_change_fails("horizon=trace-end", SPOT_ERR_BAD_INPUT,
        "--set horizon:1:1: horizon: a generated trace has no end: expected a duration "
        "such as \"355 min\"\n");
}

static void test_files_that_cannot_be_read(void **state)
{
    spot_scenario_t scenario;
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    assert_int_equal(spot_scenario_read(&scenario, "none.yaml", NULL, &diag), SPOT_ERR_IO);
    spot_scenario_free(&scenario);
    assert_report(&diag, "none.yaml: cannot open: No such file or directory\n");

    write_file("scenario.yaml", NAME "horizon: [1 h\n");
    spot_diag_init(&diag);
    assert_int_equal(
        spot_scenario_read(&scenario, "scenario.yaml", NULL, &diag), SPOT_ERR_BAD_INPUT);
    spot_scenario_free(&scenario);
    assert_int_equal(diag.num_errors, 1);
    spot_diag_free(&diag);
}

/* job.input as a map, and as the path of a file of `spotsim input fit` with the same keys. */
static void test_loader_of_a_file(void **state)
{
#define RANGE "{compute: [1 ms, 9 ms], block: [1, 40]}"
#define LOADER                                                                                     \
    "samples: 5000, loader: {processes: 3, block: 20, threads: 2}, "                               \
    "cost: {decode: 2 ms, read: {local: 1 ms, remote: 7 ms}, merged: 1 ms}, "                      \
    "storage: {local_share: 0.5}"
    static const char *const jobs[] = {
        "{input: {" LOADER ", fitted: " RANGE "}}", "{input: fitted.yaml}"};
    spot_loader_t loaders[2];

    (void) state;
    write_file("fitted.yaml",
        "scenario: loader\nengine: input\nbatch: 32\ncompute: 5 ms\ninput: {" LOADER
        "}\nfitted: " RANGE "\n");
    for (size_t j = 0; j < 2; j++) {
        char text[1024];
        spot_scenario_t scenario;
        spot_diag_t diag;

        snprintf(text, sizeof(text), NAME HOUR FILE_3 "job: %s\n", jobs[j]);
        spot_diag_init(&diag);
        assert_int_equal(bind_job(&scenario, text, &diag), 0);
        loaders[j] = scenario.job.input;
        spot_scenario_free(&scenario);
        spot_diag_free(&diag);
    }
    assert_true(loaders[0].is_given);
    assert_int_equal(loaders[0].block, 20);
    assert_memory_equal(&loaders[0], &loaders[1], sizeof(loaders[0]));
    remove("fitted.yaml");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_shipped_scenario),
        cmocka_unit_test(test_everything_given),
        cmocka_unit_test(test_forms_of_horizon),
        cmocka_unit_test(test_initial_instances_of_a_file),
        cmocka_unit_test(test_availability_warns),
        cmocka_unit_test(test_model_keys_that_differ_warn),
        cmocka_unit_test(test_no_map),
        cmocka_unit_test(test_unknown_keys),
        cmocka_unit_test(test_errors_of_horizon),
        cmocka_unit_test(test_until_needs_no_horizon),
        cmocka_unit_test(test_errors_of_fleet),
        cmocka_unit_test(test_errors_of_trace),
        cmocka_unit_test(test_trace_of_a_model_file),
        cmocka_unit_test(test_frequency_beside_a_model_file),
        cmocka_unit_test(test_errors_of_a_model_file),
        cmocka_unit_test(test_initial_instances_of_a_model_file),
        cmocka_unit_test(test_errors_of_recovery),
        cmocka_unit_test(test_all_errors_in_one_pass),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_trace_change),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_errors_of_changes),
        cmocka_unit_test(test_files_that_cannot_be_read),
        cmocka_unit_test(test_loader_of_a_file),
    };

    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
