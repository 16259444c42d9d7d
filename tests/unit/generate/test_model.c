/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/units.h"
#include "tests/unit/base/support.h"
#include "tests/unit/generate/model_text.h"

#define FLEET "capacity: 8\ninitial: 4\n"
#define FIXED                                                                                      \
    "preemption: {per_minute: 0.1, count: {fixed: 1}}\n"                                           \
    "addition: {per_minute: 0.2, count: {fixed: 2}}\n"

/* A model file and the report on it; "" is a good one. */
static void check_report(const char *text, const char *expected)
{
    spot_trace_model_t model;
    spot_diag_t diag;
    int ret;

    spot_diag_init(&diag);
    ret = parse_model(&model, text, &diag);
    assert_report(&diag, expected);
    assert_int_equal(ret, expected[0] == '\0' ? 0 : SPOT_ERR_BAD_INPUT);
    spot_trace_model_free(&model);
    spot_diag_free(&diag);
}

static void test_every_key(void **state)
{
    const spot_model_common_t *common;
    spot_trace_model_t model;

    (void) state;
    make_model(&model, "spotsim-model: 1\ngenerator: seed\nname: week\ntick_s: 0.25\n"
                       "capacity: 8\ninitial: 4\nhorizon_s: 86400.5\nkind: counts\n"
                       "victims: uniform\n" SEED_STUDY);
    common = spot_trace_model_common(&model);
    assert_ptr_equal(model.generator, &spot_generator_seed);
    assert_null(model.recording);
    assert_string_equal(common->name, "week");
    assert_int_equal(common->version, 1);
    assert_int_equal(common->tick_ms, 250);
    assert_int_equal(common->capacity, 8);
    assert_int_equal(common->initial, 4);
    assert_int_equal(common->horizon_ms, 86400500);
    assert_int_equal(common->kind, SPOT_TRACE_COUNTS);
    assert_int_equal(common->victims, 0);
    assert_int_equal(spot_trace_model_initial(&model), 4);
    spot_trace_model_set_horizon(&model, 7);
    assert_int_equal(common->horizon_ms, 7);
    spot_trace_model_free(&model);
}

static void test_defaults(void **state)
{
    const spot_model_common_t *common;
    spot_trace_model_t model;

    (void) state;
    make_model(&model, "generator: seed\n" FLEET FIXED);
    common = spot_trace_model_common(&model);
    assert_null(common->name);
    assert_int_equal(common->tick_ms, SPOT_MS_PER_MIN);
    assert_int_equal(common->horizon_ms, 0);
    assert_int_equal(common->kind, SPOT_TRACE_NAMED);
    spot_trace_model_free(&model);
}

static void test_extremes_are_accepted(void **state)
{
    (void) state;
    check_report("generator: seed\ncapacity: 1\ninitial: 0\ntick_s: 0.001\n"
                 "preemption: {per_minute: 0, count: {normal: {mean: -1e6, std: 0}}}\n"
                 "addition: {per_minute: 1, count: {geometric: {p: 1}}, "
                 "big: {probability: 1, range: [1, 1000000]}}\n",
        "");
    check_report("generator: seed\ncapacity: 1000000\ninitial: 1000000\ntick_s: 86400\n"
                 "horizon_s: 3e9\n"
                 "preemption: {per_minute: 1e-300, count: {moments: {mean: 1, std: 0}}}\n"
                 "addition: {per_minute: 0.5, count: {negbin: {r: 1e9, p: 1}}, "
                 "big: {probability: 0, range: [1000000, 1000000]}}\n",
        "");
}

#define A_MODEL "expected a model (generator: NAME) or a scenario (scenario: NAME)\n"

#define MODEL_OR_SCENARIO "expected a model (generator: NAME) or a scenario (scenario: NAME)\n"

static void test_which_generator(void **state)
{
    (void) state;
    check_report("7", "model.yaml:1:1: " MODEL_OR_SCENARIO);
    check_report("generator: [1]", "model.yaml:1:12: " MODEL_OR_SCENARIO);
    check_report("generator: seed\nfile: x.csv\n",
        "model.yaml:2:7: file: expected either generator or file, got both\n");
    check_report("generator: sead",
        "model.yaml:1:12: generator: unknown generator \"sead\", did you mean "
        "\"seed\"?\n");
    check_report("generator: x-ray", "model.yaml:1:12: generator: unknown generator \"x-ray\"\n");
}

static void test_missing_keys(void **state)
{
    (void) state;
    check_report("generator: seed\n" FLEET "preemption: {}\n"
                 "addition: {big: {}}\n",
        "model.yaml:4:13: missing key \"preemption.per_minute\"\n"
        "model.yaml:4:13: missing key \"preemption.count\"\n"
        "model.yaml:5:17: missing key \"addition.big.probability\"\n"
        "model.yaml:5:17: missing key \"addition.big.range\"\n"
        "model.yaml:5:11: missing key \"addition.per_minute\"\n"
        "model.yaml:5:11: missing key \"addition.count\"\n");
}

/* A value that is wrong is not missing too. */
static void test_wrong_common_keys(void **state)
{
    (void) state;
    check_report("generator: seed\nname: ''\ncapacity: 0\nhorizon_s: 4e9\n"
                 "kind: availability\ncapcity: 3\ninitial: 4\n" FIXED,
        "model.yaml:2:7: name: expected a text, got \"\"\n"
        "model.yaml:3:11: capacity: expected an integer from 1 to 1000000, got \"0\"\n"
        "model.yaml:4:12: horizon_s: expected a number from 0.001 to 3000000000, got "
        "\"4e9\"\n"
        "model.yaml:5:7: kind: expected named or counts, got \"availability\"\n"
        "model.yaml:6:1: unknown key \"capcity\", did you mean \"capacity\"?\n");
    check_report("generator: seed\ncapacity: 4\ninitial: 5\n" FIXED,
        "model.yaml:3:10: initial: 5 instances are more than the capacity of 4\n");
    check_report("generator: seed\ncapacity: 0\ninitial: 5\n" FIXED,
        "model.yaml:2:11: capacity: expected an integer from 1 to 1000000, got \"0\"\n");
}

static void test_wrong_directions(void **state)
{
    (void) state;
    check_report("generator: seed\n" FLEET "preemption: 5\n"
                 "addition: {per_minute: 1.5, per_min: 1, count: {fixed: 1}, big: 7}\n",
        "model.yaml:4:13: preemption: expected a map of keys, got \"5\"\n"
        "model.yaml:5:24: addition.per_minute: expected a number from 0 to 1, got "
        "\"1.5\"\n"
        "model.yaml:5:29: unknown key \"per_min\", did you mean \"per_minute\"?\n"
        "model.yaml:5:65: addition.big: expected a map of keys, got \"7\"\n");
}

/* The two laws, each in a line of its own. */
static void check_laws(const char *law, const char *other, const char *expected)
{
    char text[512];

    snprintf(text, sizeof(text),
        "generator: seed\n" FLEET "preemption: {per_minute: 0, count:\n%s}\n"
        "addition: {per_minute: 0, count:\n%s}\n",
        law, other);
    check_report(text, expected);
}

#define ONE_OF                                                                                     \
    "expected one of {normal: {mean: 2.4, std: 2.1}}, {moments: {mean: 2.4, std: "                 \
    "2.1}}, {geometric: {p: 0.4}}, {negbin: {r: 0.7, p: 0.3}} or {fixed: 3}, got "

static void test_wrong_laws(void **state)
{
    (void) state;
    check_laws(" 3", " {norml: {mean: 1, std: 2}}",
        "model.yaml:5:2: preemption.count: " ONE_OF "\"3\"\n"
        "model.yaml:7:3: addition.count: unknown law \"norml\", did you mean "
        "\"normal\"?\n");
    check_laws(" {normal: {mean: 1, std: 1}, fixed: 3}", " {}",
        "model.yaml:5:2: preemption.count: " ONE_OF "a map: more than one law\n"
        "model.yaml:7:2: addition.count: " ONE_OF "an empty map\n");
    check_laws(" {normal: {mean: 1, sd: 2}}", " {geometric: 0.5}",
        "model.yaml:5:21: unknown key \"sd\", did you mean \"std\"?\n"
        "model.yaml:5:11: missing key \"preemption.count.normal.std\"\n"
        "model.yaml:7:14: addition.count.geometric: expected a map of keys, got "
        "\"0.5\"\n");
    check_laws(" {moments: {mean: 0.5, std: -2}}", " {normal: {mean: 1e7, std: 1e7}}",
        "model.yaml:5:19: preemption.count.moments.mean: expected a number from 1 to "
        "1000000, got \"0.5\"\n"
        "model.yaml:5:29: preemption.count.moments.std: expected a number from 0 to "
        "1000000, got \"-2\"\n"
        "model.yaml:7:18: addition.count.normal.mean: expected a number from -1000000 "
        "to 1000000, got \"1e7\"\n"
        "model.yaml:7:28: addition.count.normal.std: expected a number from 0 to "
        "1000000, got \"1e7\"\n");
    check_laws(" {geometric: {p: 0}}", " {negbin: {r: 0, p: 1.1}}",
        "model.yaml:5:18: preemption.count.geometric.p: expected a number from 1e-09 to "
        "1, got \"0\"\n"
        "model.yaml:7:15: addition.count.negbin.r: expected a number from 1e-09 to "
        "1000000000, got \"0\"\n"
        "model.yaml:7:21: addition.count.negbin.p: expected a number from 1e-09 to 1, "
        "got \"1.1\"\n");
}

/* An instance cannot be lost by half. */
static void test_fixed_sizes_are_whole(void **state)
{
    (void) state;
    check_laws(" {fixed: 2.5}", " {fixed: 0}",
        "model.yaml:5:10: preemption.count.fixed: expected an integer from 1 to "
        "1000000, got \"2.5\"\n"
        "model.yaml:7:10: addition.count.fixed: expected an integer from 1 to 1000000, "
        "got \"0\"\n");
    check_laws(" {fixed: 1}", " {fixed: 1000000}", "");
}

static void check_big(const char *big, const char *expected)
{
    char text[512];

    snprintf(text, sizeof(text),
        "generator: seed\n" FLEET "preemption: {per_minute: 0, count: {fixed: 1}}\n"
        "addition: {per_minute: 0, count: {fixed: 1}, big:\n {%s}}\n",
        big);
    check_report(text, expected);
}

static void test_wrong_big_events(void **state)
{
    (void) state;
    check_big("probability: 2, range: [3, 2]",
        "model.yaml:6:16: addition.big.probability: expected a number from 0 to 1, got "
        "\"2\"\n"
        "model.yaml:6:26: addition.big.range: the smallest size is above the largest\n");
    check_big("probability: 0.1, range: [0, 2000000]",
        "model.yaml:6:29: addition.big.range[0]: expected an integer from 1 to 1000000, "
        "got \"0\"\n"
        "model.yaml:6:32: addition.big.range[1]: expected an integer from 1 to 1000000, "
        "got \"2000000\"\n");
    check_big("probability: 0.1, range: 3",
        "model.yaml:6:28: addition.big.range: expected two sizes such as [11, 31], got "
        "\"3\"\n");
    check_big("probability: 0.1, range: [1, 2, 3]",
        "model.yaml:6:28: addition.big.range: expected two sizes such as [11, 31], got "
        "a list\n");
    check_big("probability: 0.1, range: [4, 4]", "");
}

/* A model inside a scenario with tick 5 s, capacity 8, 4 initial ones, an hour. */
static int init_in_scenario_like(
    spot_trace_model_t *model, const char *text, const spot_trace_model_t *like, spot_diag_t *diag)
{
    const spot_trace_setting_t setting = {5000, 8, 4, SPOT_MS_PER_H, false};
    spot_bind_t bind = {.diag = diag, .path = "trace."};
    spot_yaml_t document;
    int ret;

    assert_int_equal(spot_yaml_parse(&document, "scenario.yaml", text, strlen(text), diag), 0);
    ret = spot_trace_model_init(model, &bind, document.root, &setting, like);
    spot_yaml_free(&document);
    return ret;
}

static int init_in_scenario(spot_trace_model_t *model, const char *text, spot_diag_t *diag)
{
    return init_in_scenario_like(model, text, NULL, diag);
}

static void check_in_scenario(const char *text, const char *expected)
{
    const spot_model_common_t *common;
    spot_trace_model_t model;
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(init_in_scenario(&model, text, &diag), 0);
    assert_report(&diag, expected);
    common = spot_trace_model_common(&model);
    assert_int_equal(common->tick_ms, 5000);
    assert_int_equal(common->capacity, 8);
    assert_int_equal(common->initial, 4);
    assert_int_equal(common->horizon_ms, SPOT_MS_PER_H);
    assert_int_equal(spot_trace_model_initial(&model), 4);
    spot_trace_model_free(&model);
    spot_diag_free(&diag);
}

static void test_the_scenario_wins(void **state)
{
    (void) state;
    check_in_scenario("generator: seed\n" FIXED, "");
    check_in_scenario("generator: seed\ntick_s: 5\n" FLEET "horizon_s: 3600\n" FIXED, "");
    check_in_scenario("generator: seed\n" FIXED
                      "tick_s: 60\ncapacity: 64\ninitial: 32\nhorizon_s: 21300\n",
        "warning: scenario.yaml:4:9: trace.tick_s is ignored: the scenario's tick, 5 s "
        "instead of 60 s, wins\n"
        "warning: scenario.yaml:5:11: trace.capacity is ignored: the scenario's "
        "fleet.capacity wins\n"
        "warning: scenario.yaml:6:10: trace.initial is ignored: the scenario's "
        "fleet.initial wins\n"
        "warning: scenario.yaml:7:12: trace.horizon_s is ignored: the scenario's "
        "horizon wins\n");
    check_in_scenario("generator: seed\n" FIXED "capacity: 4\ninitial: 0\n",
        "warning: scenario.yaml:4:11: trace.capacity is ignored: the scenario's "
        "fleet.capacity wins\n"
        "warning: scenario.yaml:5:10: trace.initial is ignored: the scenario's "
        "fleet.initial wins\n");
}

static void test_errors_in_a_scenario(void **state)
{
    static const char *const texts[] = {
        "generator: sed\n",
        "[]",
        "{}",
    };
    spot_trace_model_t model;
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    for (size_t j = 0; j < sizeof(texts) / sizeof(texts[0]); j++) {
        assert_int_equal(init_in_scenario(&model, texts[j], &diag), SPOT_ERR_BAD_INPUT);
        spot_trace_model_free(&model);
    }
    assert_report(&diag,
        "scenario.yaml:1:12: trace.generator: unknown generator \"sed\", did you mean "
        "\"seed\"?\n"
        "scenario.yaml:1:1: trace: expected {generator: NAME, ...}, {file: PATH}, "
        "{model: PATH} or the "
        "path of a "
        "model file\n");
    spot_diag_free(&diag);
}

static void check_recording(const char *kind, const char *warning)
{
    char path[PATH_BYTES], text[PATH_BYTES + 16], expected[PATH_BYTES + 128] = "";
    char bytes[512];
    const int num_bytes = snprintf(bytes, sizeof(bytes),
        "# spotsim-trace: 1\n# name: t\n# start: unknown\n# resolution_s: 1\n"
        "# kind: %s\n# capacity: 9\ntime_s,event,count,instances\n0,init,3,\n"
        "5,preempt,1,\n5,add,2,\n9,end,4,\n",
        kind);
    spot_trace_model_t model;
    spot_event_t event;
    spot_diag_t diag;
    events_t events;

    test_path("model.csv", path);
    write_file(path, bytes, (size_t) num_bytes);
    snprintf(text, sizeof(text), "file: %s\n", path);
    if (warning != NULL) {
        snprintf(expected, sizeof(expected), "warning: %s: %s\n", path, warning);
    }
    spot_diag_init(&diag);
    assert_int_equal(init_in_scenario(&model, text, &diag), 0);
    assert_report(&diag, expected);
    assert_ptr_equal(model.generator, &spot_generator_file);
    assert_non_null(model.recording);
    assert_int_equal(spot_trace_model_initial(&model), 3);
    events_init(&events, &model);
    for (uint64_t seed = 0; seed < 3; seed++) { /* no dice */
        events_start(&events, seed, seed);
        assert_true(events_next(&events, &event));
        assert_int_equal(event.time_ms, 5000);
        assert_int_equal(event.kind, SPOT_EVENT_PREEMPT);
        assert_true(events_next(&events, &event));
        assert_int_equal(event.count, 2);
        assert_false(events_next(&events, &event));
        assert_false(events_next(&events, &event));
    }
    events_free(&events);
    spot_trace_model_free(&model);
    spot_diag_free(&diag);
    assert_int_equal(remove(path), 0);
}

static void test_recordings(void **state)
{
    (void) state;
    check_recording("counts", NULL);
    check_recording(
        "availability", "kind availability: what could have been obtained is taken as running");
    check_report("file: [1]", "model.yaml:1:7: file: expected a file name, got a list\n");
    check_report("file: x.csv\ntick_s: 5\n", "model.yaml:2:1: unknown key \"tick_s\"\n");
}

static void test_missing_recording(void **state)
{
    char path[PATH_BYTES], text[PATH_BYTES + 16], expected[PATH_BYTES + 128];
    spot_trace_model_t model;
    spot_diag_t diag;

    (void) state;
    test_path("missing.csv", path);
    snprintf(text, sizeof(text), "file: %s\n", path);
    spot_diag_init(&diag);
    assert_int_equal(parse_model(&model, text, &diag), SPOT_ERR_IO);
    spot_trace_model_free(&model);
    snprintf(expected, sizeof(expected), "%s: cannot open: No such file or directory\n", path);
    assert_report(&diag, expected);
    spot_diag_free(&diag);
}

static void test_free_accepts_nothing(void **state)
{
    spot_trace_model_t model;

    (void) state;
    memset(&model, 0, sizeof(model));
    spot_trace_model_free(&model);
    spot_trace_model_free(&model);
}

/* The last day that an event may have. */
static void test_last_time_of_events(void **state)
{
    spot_model_common_t common = {.horizon_ms = 5, .frequency = 1};

    (void) state;
    assert_int_equal(spot_model_last_ms(&common), 5);
    common.horizon_ms = 0;
    assert_int_equal(spot_model_last_ms(&common), 2 * SPOT_MAX_DURATION_MS);
}

/* Models bound alike read a file once and may be freed in any order; a faulty file is
 * read, and reported, each time. */
static void test_recordings_are_shared(void **state)
{
    static const char good[] = "# spotsim-trace: 1\n# name: t\n# start: unknown\n"
                               "# resolution_s: 1\n# kind: counts\n# capacity: 8\n"
                               "time_s,event,count,instances\n0,init,3,\n9,end,3,\n";
    char path[PATH_BYTES], other_path[PATH_BYTES], text[PATH_BYTES + 16];
    spot_trace_model_t models[3];
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    test_path("shared.csv", path);
    test_path("other.csv", other_path);
    write_file(path, good, strlen(good));
    write_file(other_path, good, strlen(good));
    snprintf(text, sizeof(text), "{file: %s}", path);
    assert_int_equal(init_in_scenario(&models[0], text, &diag), 0);
    write_file(path, "faulty", 6); /* nobody looks any more */
    assert_int_equal(init_in_scenario_like(&models[1], text, &models[0], &diag), 0);
    assert_ptr_equal(models[1].recording, models[0].recording);
    spot_trace_model_free(&models[0]);
    assert_int_equal(models[1].recording->initial, 3);
    snprintf(text, sizeof(text), "{file: %s}", other_path);
    assert_int_equal(init_in_scenario_like(&models[2], text, &models[1], &diag), 0);
    assert_ptr_not_equal(models[2].recording, models[1].recording);
    spot_trace_model_free(&models[2]);
    spot_trace_model_free(&models[1]);
    assert_int_equal(diag.num_items, 0);
    snprintf(text, sizeof(text), "{file: %s}", path);
    assert_int_equal(init_in_scenario(&models[0], text, &diag), SPOT_ERR_BAD_INPUT);
    assert_int_equal(
        init_in_scenario_like(&models[1], text, &models[0], &diag), SPOT_ERR_BAD_INPUT);
    assert_int_equal(diag.num_errors, 2);
    spot_trace_model_free(&models[0]);
    spot_trace_model_free(&models[1]);
    spot_diag_free(&diag);
    unlink(path);
    unlink(other_path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_key),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_extremes_are_accepted),
        cmocka_unit_test(test_which_generator),
        cmocka_unit_test(test_missing_keys),
        cmocka_unit_test(test_wrong_common_keys),
        cmocka_unit_test(test_wrong_directions),
        cmocka_unit_test(test_wrong_laws),
        cmocka_unit_test(test_fixed_sizes_are_whole),
        cmocka_unit_test(test_wrong_big_events),
        cmocka_unit_test(test_the_scenario_wins),
        cmocka_unit_test(test_errors_in_a_scenario),
        cmocka_unit_test(test_recordings),
        cmocka_unit_test(test_missing_recording),
        cmocka_unit_test(test_recordings_are_shared),
        cmocka_unit_test(test_free_accepts_nothing),
        cmocka_unit_test(test_last_time_of_events),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
