/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/units.h"
#include "base/yaml.h"
#include "fixture.h"
#include "models/job.h"

/* ---- Model presets ---- */

static const spot_model_preset_t *preset(const char *name)
{
    for (size_t j = 0; spot_model_names[j] != NULL; j++) {
        if (strcmp(spot_model_names[j], name) == 0) {
            return &spot_model_presets[j];
        }
    }
    fail_msg("no model %s", name);
    return NULL;
}

/* The released weights, counted. */
static void test_exact_counts(void **state)
{
    static const struct {
        const char *name;
        int64_t num_parameters;
    } cases[] = {
        {"gpt-2-124m", 124439808},
        {"gpt-2-355m", 354823168},
        {"gpt-2-1.5b", 1557611200},
        {"bert-large", 335141888},
        {"llama-2-7b", 6738415616},
        {"llama-2-13b", 13015864320},
        {"llama-2-70b", 68976648192},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        assert_int_equal(
            spot_model_preset_parameters(preset(cases[j].name)), cases[j].num_parameters);
    }
}

/* 12 L h^2 (1 + 13/(12 h)) + (V + s) h + 2 h, as Narayanan et al. count GPT. */
static void test_published_counts(void **state)
{
    size_t num_gpt = 0;

    (void) state;
    for (size_t j = 0; spot_model_names[j] != NULL; j++) {
        const spot_model_preset_t *model = &spot_model_presets[j];
        const double count = (double) spot_model_preset_parameters(model);
        const double h = (double) model->hidden;

        assert_true(fabs(count / model->published_parameters - 1) < 0.04);
        assert_int_equal(model->hidden % model->num_heads, 0);
        assert_int_equal(model->num_heads % model->num_kv_heads, 0);
        if (model->family == SPOT_MODEL_GPT) {
            num_gpt++;
            assert_true(count == (double) model->num_blocks * (12 * h * h + 13 * h) +
                                     (double) (model->vocabulary + model->sequence) * h + 2 * h);
        }
    }
    assert_int_equal(num_gpt, 9);
    assert_int_equal(preset("gpt-3-175b")->num_blocks, 96);
}

static int bind(spot_job_t *self, const char *text, spot_diag_t *diag)
{
    spot_yaml_t document;
    int ret;

    memset(self, 0, sizeof(*self));
    spot_diag_init(diag);
    assert_int_equal(spot_yaml_parse(&document, "job", text, strlen(text), diag), 0);
    ret = spot_bind_document(spot_job_fields, document.root, diag, self);
    spot_yaml_free(&document);
    return ret;
}

static void test_jobs(void **state)
{
    static const struct {
        const char *text;
        double num_parameters, bytes;
        int64_t num_layers;
    } cases[] = {
        {"{model: gpt-2-1.5b}", 1557611200, 14, 50},
        {"{model: {preset: gpt-2-1.5b}}", 1557611200, 14, 50},
        {"{model: {preset: gpt-2-1.5b, bytes_per_parameter: 18}}", 1557611200, 18, 50},
        {"{model: {layers: 48, preset: gpt-2-1.5b}}", 1557611200, 14, 48},
        {"{model: {preset: gpt-2-124m, parameters: 1e9}}", 1e9, 14, 14},
        {"{model: {parameters: 1e9, bytes_per_parameter: 16}}", 1e9, 16, 0},
        {"{}", 0, 0, 0},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        spot_job_t job;
        spot_diag_t diag;

        assert_int_equal(bind(&job, cases[j].text, &diag), 0);
        assert_true(job.model.num_parameters == cases[j].num_parameters);
        assert_true(job.model.bytes_per_parameter == cases[j].bytes);
        assert_int_equal(job.model.num_layers, cases[j].num_layers);
        assert_int_equal(job.model.preset != NULL, strstr(cases[j].text, "gpt") != NULL);
        spot_job_free(&job);
        spot_diag_free(&diag);
    }
}

#define NAMES                                                                                      \
    "gpt-2-124m, gpt-2-355m, gpt-2-1.5b, bert-large, gpt-3-medium, gpt-3-1.3b, "                   \
    "gpt-3-2.7b, gpt-3-6.7b, gpt-3-13b, gpt-3-175b, llama-2-7b, llama-2-13b or "                   \
    "llama-2-70b"

static void test_wrong_jobs(void **state)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"{model: gpt-3-175}", "job:1:9: model: expected " NAMES
                               ", got \"gpt-3-175\", did you mean \"gpt-3-175b\"?\n"},
        {"{model: {preset: x}}", "job:1:18: model.preset: expected " NAMES ", got \"x\"\n"},
        {"{model: {layers: 3}}", "job:1:9: missing key \"model.parameters\"\n"
                                 "job:1:9: missing key \"model.bytes_per_parameter\"\n"},
        {"{model: {preset: gpt-2-124m, layers: 0}}",
            "job:1:38: model.layers: expected an integer from 1 to 100000, got \"0\"\n"},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        spot_job_t job;
        spot_diag_t diag;

        assert_int_equal(bind(&job, cases[j].text, &diag), SPOT_ERR_BAD_INPUT);
        assert_diagnostics(&diag, cases[j].expected);
        spot_job_free(&job);
    }
}

/* ---- Job terms ---- */

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

/* ---- Job ---- */

/* Binds a job from a document in the current folder, which is the temporary one. */
static int bind_job(spot_job_t *self, const char *text, spot_diag_t *diag)
{
    spot_yaml_t document;
    int ret;

    memset(self, 0, sizeof(*self));
    spot_diag_init(diag);
    assert_int_equal(spot_yaml_parse(&document, "job.yaml", text, strlen(text), diag), 0);
    ret = spot_bind_document(spot_job_fields, document.root, diag, self);
    spot_yaml_free(&document);
    return ret;
}

static spot_job_t bound(const char *text)
{
    spot_job_t job;
    spot_diag_t diag;

    assert_int_equal(bind_job(&job, text, &diag), 0);
    assert_int_equal(diag.num_items, 0);
    spot_diag_free(&diag);
    return job;
}

static void assert_bind_fails(const char *text, const char *expected)
{
    spot_job_t job;
    spot_diag_t diag;

    assert_int_equal(bind_job(&job, text, &diag), SPOT_ERR_BAD_INPUT);
    spot_job_free(&job);
    assert_diagnostics(&diag, expected);
}

static void write_profile(const char *text)
{
    char path[512];

    snprintf(path, sizeof(path), "%s/job_profile.yaml", temporary_folder());
    write_file(path, text);
}

static void test_defaults(void **state)
{
    spot_job_t job = bound("{}");

    (void) state;
    assert_int_equal(job.pipeline_depth, 16);
    assert_int_equal(job.max_pipelines, 1000000);
    assert_int_equal(job.samples_per_step, 1024);
    assert_int_equal(job.reconfiguration_ms, 88000);
    assert_int_equal(job.reload_ms, 47000);
    assert_int_equal(job.checkpoint.mode, SPOT_CHECKPOINT_ASYNC);
    assert_int_equal(job.checkpoint.every_kind, SPOT_EVERY_BACK_TO_BACK);
    assert_int_equal(job.checkpoint.write_ms, 89000);
    assert_int_equal(job.checkpoint.snapshot_ms, 0);
    assert_int_equal(job.checkpoint.busy, SPOT_BUSY_SKIP);
    assert_false(spot_step_time_is_given(&job.step_time));
    spot_job_free(&job);
    spot_job_free(&job);
}

static void test_everything_given(void **state)
{
    spot_job_t job = bound("pipeline_depth: 8\n"
                           "max_pipelines: 4\n"
                           "samples_per_step: 264\n"
                           "step_time: {64: 250 ms, 8: 1.5 s}\n"
                           "checkpoint: {mode: sync, every: 10 steps, write: 2 min,\n"
                           "  snapshot: 500 ms, busy: join}\n"
                           "reconfiguration: 0 s\n"
                           "reload: 1 h\n");

    (void) state;
    assert_int_equal(job.pipeline_depth, 8);
    assert_int_equal(job.max_pipelines, 4);
    assert_int_equal(job.samples_per_step, 264);
    assert_int_equal(job.step_time.num_points, 2);
    assert_int_equal(spot_step_time_ms(&job.step_time, 8), 1500);
    assert_int_equal(spot_step_time_ms(&job.step_time, 64), 250);
    assert_int_equal(job.checkpoint.mode, SPOT_CHECKPOINT_SYNC);
    assert_int_equal(job.checkpoint.every_kind, SPOT_EVERY_STEPS);
    assert_int_equal(job.checkpoint.every_steps, 10);
    assert_int_equal(job.checkpoint.write_ms, 120000);
    assert_int_equal(job.checkpoint.snapshot_ms, 500);
    assert_int_equal(job.checkpoint.busy, SPOT_BUSY_JOIN);
    assert_int_equal(job.reconfiguration_ms, 0);
    assert_int_equal(job.reload_ms, SPOT_MS_PER_H);
    spot_job_free(&job);
}

static void test_forms_of_every(void **state)
{
    static const struct {
        const char *text;
        spot_checkpoint_every_t kind;
        int64_t steps;
        int64_t every_ms;
    } forms[] = {
        {"checkpoint: {every: back-to-back}", SPOT_EVERY_BACK_TO_BACK, 0, 0},
        {"checkpoint: {every: 1 step}", SPOT_EVERY_STEPS, 1, 0},
        {"checkpoint: {every: \"10 steps\"}", SPOT_EVERY_STEPS, 10, 0},
        {"checkpoint: {every: 1000000000000 steps}", SPOT_EVERY_STEPS, SPOT_MAX_STEPS, 0},
        {"checkpoint: {every: 300 s}", SPOT_EVERY_DURATION, 0, 300000},
        {"checkpoint: {every: 1ms}", SPOT_EVERY_DURATION, 0, 1},
        {"checkpoint: {every: 36525 d}", SPOT_EVERY_DURATION, 0, SPOT_MAX_DURATION_MS},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(forms) / sizeof(forms[0]); j++) {
        spot_job_t job = bound(forms[j].text);

        assert_int_equal(job.checkpoint.every_kind, forms[j].kind);
        assert_int_equal(job.checkpoint.every_steps, forms[j].steps);
        assert_int_equal(job.checkpoint.every_ms, forms[j].every_ms);
        spot_job_free(&job);
    }
}

#define EVERY                                                                                      \
    "checkpoint.every: expected back-to-back, auto, a number of steps such as \"10 "               \
    "steps\" "                                                                                     \
    "or a duration such as \"300 s\""

static void test_errors_of_every(void **state)
{
    static const char number[] = "the number of steps must be an integer from 1 to 1000000000000";
    static const char short_ms[] = "the duration must be at least 1 ms";
    static const char no_number[] = "it does not start with a number";
    static const char *const values[][2] = {
        {"-1 steps", number},
        {"1000000000001 steps", number},
        {"010 steps", number},
        {"10 step s", "unknown unit"},
        {"10  steps", "unknown unit"},
        {"99999999999999999999999999 steps", "unknown unit"},
        {"steps", no_number},
        {"always", no_number},
        {"0.4 ms", short_ms},
        {"-5 s", short_ms},
        {"10", "the unit is missing"},
    };
    char text[128], expected[320];

    (void) state;
    for (size_t j = 0; j < sizeof(values) / sizeof(values[0]); j++) {
        snprintf(text, sizeof(text), "checkpoint: {every: %s}", values[j][0]);
        snprintf(expected, sizeof(expected), "job.yaml:1:21: " EVERY ", got \"%s\": %s\n",
            values[j][0], values[j][1]);
        assert_bind_fails(text, expected);
    }
    assert_bind_fails("checkpoint: {every: }", "job.yaml:1:21: " EVERY ", got nothing\n");
}

#define DURATION "a duration such as \"88 s\", \"1.5 h\" or \"250 ms\""

static void test_errors_of_scalars(void **state)
{
    (void) state;
    assert_bind_fails("max_pipelines: 1.5\n"
                      "samples_per_step: \"7\"\n"
                      "reconfiguration: 88\n"
                      "reload: -1 s\n"
                      "chekpoint: {}\n",
        "job.yaml:1:16: max_pipelines: expected an integer from 1 to 1000000, got "
        "\"1.5\"\n"
        "job.yaml:2:19: samples_per_step: expected an integer from 1 to 1000000000000, "
        "got \"7\": a text, since it is quoted\n"
        "job.yaml:3:18: reconfiguration: expected " DURATION ", got \"88\": the unit is missing\n"
        "job.yaml:4:9: reload: expected a duration from 0 s, got \"-1 s\"\n"
        "job.yaml:5:1: unknown key \"chekpoint\", did you mean \"checkpoint\"?\n");
    assert_bind_fails("checkpoint: {mode: asinc, write: 5 parsecs, snapshot: -1 ms,\n"
                      "  busy: 7}\n",
        "job.yaml:1:20: checkpoint.mode: expected async or sync, got \"asinc\", did you "
        "mean \"async\"?\n"
        "job.yaml:1:34: checkpoint.write: expected " DURATION ", got \"5 parsecs\": unknown unit\n"
        "job.yaml:1:55: checkpoint.snapshot: expected a duration from 0 s, got \"-1 "
        "ms\"\n"
        "job.yaml:2:9: checkpoint.busy: expected skip, wait or join, got \"7\"\n");
    assert_bind_fails(
        "checkpoint: sync\n", "job.yaml:1:13: checkpoint: expected a map of keys, got \"sync\"\n");
    assert_bind_fails("- 1\n", "job.yaml:1:1: expected a map of keys, got a list\n");
}

#define STEP_TIME                                                                                  \
    "step_time: expected a map from world size to duration such as {16: 18 s, 32: 11 "             \
    "s}, {profile: FILE}, {table: FILE.csv} or {pipeline: {...}}, got "

static void test_errors_of_step_time(void **state)
{
    (void) state;
    assert_bind_fails("step_time: [18 s]\n", "job.yaml:1:12: " STEP_TIME "a list\n");
    assert_bind_fails(
        "step_time: {profile: x.yaml, 16: 18 s}\n", "job.yaml:1:12: " STEP_TIME "a map\n");
    assert_bind_fails("step_time: {profile: [x.yaml]}\n",
        "job.yaml:1:22: step_time.profile: expected a file name, got a list\n");
    assert_bind_fails("step_time:\n"
                      "  24: 0.4 ms\n"
                      "  32: fast\n"
                      "  1000001: 1 s\n"
                      "  x: 1 s\n"
                      "  64: 8 s\n"
                      "  +64: 8 s\n"
                      "  65: [8 s]\n",
        "job.yaml:2:7: step_time.24: expected a duration from 1 ms to 36525 d, got "
        "\"0.4 ms\"\n"
        "job.yaml:3:7: step_time.32: expected " DURATION
        ", got \"fast\": it does not start with a number\n"
        "job.yaml:4:3: step_time: expected a world size from 1 to 1000000, got "
        "\"1000001\"\n"
        "job.yaml:5:3: step_time: expected a world size from 1 to 1000000, got \"x\"\n"
        "job.yaml:7:3: step_time.64: repeated world size\n"
        "job.yaml:8:7: step_time.65: expected " DURATION ", got a list\n");
}

#define GOOD_PROFILE                                                                               \
    "spotsim-profile: 1\n"                                                                         \
    "reconfiguration: {mean_s: 87.87109575271606, std_s: 1.5, count: 12}\n"                        \
    "step_time:\n"                                                                                 \
    "  16: {mean_s: 17.994171783779606, std_s: 0.2, count: 12}\n"                                  \
    "  64: {mean_s: 8.282614257155346, std_s: 0.1, count: 12}\n"                                   \
    "checkpoint_write: {mean_s: 88.99610565625704, count: 1}\n"

static void test_profile(void **state)
{
    spot_job_t job;

    (void) state;
    write_profile(GOOD_PROFILE "reload: {mean_s: 46.8305, count: 1}\n");
    job = bound("step_time: {profile: job_profile.yaml}\n"
                "checkpoint: {write: {profile: job_profile.yaml}, every: 300 s}\n"
                "reconfiguration: {profile: ./job_profile.yaml}\n"
                "reload: {profile: job_profile.yaml}\n");
    assert_int_equal(job.reconfiguration_ms, 87871);
    assert_int_equal(job.checkpoint.write_ms, 88996);
    assert_int_equal(job.reload_ms, 46830); /* 46830.5: tie to even */
    assert_int_equal(job.step_time.num_points, 2);
    assert_int_equal(job.step_time.points[0].world_size, 16);
    assert_int_equal(job.step_time.points[0].step_ms, 17994);
    assert_int_equal(job.step_time.points[1].world_size, 64);
    assert_int_equal(job.step_time.points[1].step_ms, 8283);
    spot_job_free(&job);
}

#define OR_PROFILE DURATION ", or {profile: FILE}, got "

static void test_errors_of_naming_a_profile(void **state)
{
    (void) state;
    assert_bind_fails("reconfiguration: {}\n"
                      "reload: {file: x.yaml}\n"
                      "checkpoint: {write: {profile: x.yaml, scale: 2}}\n",
        "job.yaml:1:18: reconfiguration: expected " OR_PROFILE "an empty map\n"
        "job.yaml:2:9: reload: expected " OR_PROFILE "a map\n"
        "job.yaml:3:21: checkpoint.write: expected " OR_PROFILE "a map\n");
    assert_bind_fails("reconfiguration: [88 s]\n"
                      "reload: {profile: {name: x.yaml}}\n",
        "job.yaml:1:18: reconfiguration: expected " OR_PROFILE "a list\n"
        "job.yaml:2:19: reload.profile: expected a file name, got a map\n");
    assert_bind_fails("reload: {profile: /no/such.yaml}\n",
        "/no/such.yaml: cannot open: No such file or directory\n");
}

/* The errors of a profile stand at their own place, and once. */
static void test_errors_within_a_profile(void **state)
{
    (void) state;
    write_profile(GOOD_PROFILE "relod: {mean_s: 47, count: 1}\n");
    assert_bind_fails("step_time: {profile: job_profile.yaml}\n"
                      "checkpoint: {write: {profile: job_profile.yaml}}\n"
                      "reconfiguration: 88\n",
        "job_profile.yaml:7:1: unknown key \"relod\", did you mean \"reload\"?\n"
        "job_profile.yaml:1:1: missing key \"reload\"\n"
        "job.yaml:2:31: checkpoint.write: job_profile.yaml has errors, see above\n"
        "job.yaml:3:18: reconfiguration: expected " DURATION ", got \"88\": the unit is missing\n");
    write_profile("spotsim-profile: 1\nreload: [\n");
    assert_bind_fails("reload: {profile: job_profile.yaml}\n",
        "job_profile.yaml:3:1: YAML syntax: while parsing a flow node did not find "
        "expected node content\n");
}

/* ---- Step time by (D,P) ---- */

static void write_table(const char *text)
{
    char path[512];

    snprintf(path, sizeof(path), "%s/job_table.csv", temporary_folder());
    write_file(path, text);
}

/* Settles a job for so many instances; the messages are as expected. */
static void settle_job(spot_job_t *self, int64_t max_instances, const char *expected)
{
    const spot_node_t node = {.file = "job.yaml", .line = 7, .column = 8};
    spot_diag_t diag;
    spot_bind_t bind_state = {.diag = &diag};

    spot_diag_init(&diag);
    spot_job_settle(self, &bind_state, &node, max_instances);
    assert_false(bind_state.is_out_of_memory);
    assert_int_equal(diag.num_items > 0, expected[0] != '\0');
    if (diag.num_items > 0) {
        assert_diagnostics(&diag, expected);
    }
    spot_diag_free(&diag);
}

static void assert_pipelines(
    const spot_job_t *self, int64_t num_instances, int64_t num_pipelines, bool lacks_step_time)
{
    assert_int_equal(spot_job_pipelines(self, num_instances), num_pipelines);
    assert_int_equal(spot_job_lacks_step_time(self, num_instances), lacks_step_time);
}

static void test_pipelines_by_world_size(void **state)
{
    spot_job_t job = bound(
        "{pipeline_depth: 4, max_pipelines: 3, step_time: {16: 18 s, 32: 11 s, 48: 9 s, 64: 8 s}}");

    (void) state;
    settle_job(&job, 64, "");
    assert_pipelines(&job, 0, 0, false);
    assert_pipelines(&job, 3, 0, false);
    assert_pipelines(&job, 4, 1, false);
    assert_pipelines(&job, 11, 2, false);
    assert_pipelines(&job, 1000, 3, false);
    assert_int_equal(spot_job_step_ms(&job, 8), 11000);
    assert_true(spot_job_covers_step(&job, 4));
    assert_false(spot_job_covers_step(&job, 3));
    spot_job_free(&job);
}

static void test_pipelines_of_a_table(void **state)
{
    spot_job_t job;

    (void) state;
    write_table("# samples_per_step: 64\nD,P,step_ms\n"
                "1,4,900\n2,4,500.5\n3,4,\n5,4,300\n3,8,100\n");
    job = bound("{pipeline_depth: 4, max_pipelines: 6, samples_per_step: 64,\n"
                " step_time: {table: job_table.csv}}");
    settle_job(&job, 64, "");
    assert_pipelines(&job, 3, 0, false);
    assert_pipelines(&job, 4, 1, false);
    assert_pipelines(&job, 8, 2, false);
    assert_pipelines(&job, 12, 2, true);
    assert_pipelines(&job, 16, 2, true);
    assert_pipelines(&job, 20, 5, false);
    assert_pipelines(&job, 1000, 5, true);
    assert_int_equal(spot_job_step_ms(&job, 2), 500);
    assert_int_equal(spot_job_step_ms(&job, 5), 300);
    assert_true(spot_job_covers_step(&job, 5));
    job.max_pipelines = 4;
    assert_pipelines(&job, 1000, 2, true);
    job.samples_per_step = 63;
    job.pipeline_depth = 5;
    settle_job(&job, 64,
        "job.yaml:7:8: job.step_time: job_table.csv is of steps of 64 samples, but "
        "job.samples_per_step is 63\n");
    job.samples_per_step = 64;
    settle_job(&job, 64,
        "warning: job.yaml:7:8: job.step_time has no feasible pair of "
        "job.pipeline_depth (5)\n");
    spot_job_free(&job);
}

/* The fastest number, not the largest, and of equal ones the smallest. */
static void test_best_pipelines(void **state)
{
    static const int64_t by_world_size[] = {0, 1, 2, 2, 2, 5, 5, 5};
    static const int64_t by_pair[] = {0, 1, 2, 2, 2, 2, 6, 6};
    spot_job_t job = bound("{pipeline_depth: 4,\n"
                           " step_time: {4: 9 s, 8: 5 s, 12: 7 s, 16: 5 s, 18: 4 s}}");

    (void) state;
    settle_job(&job, 64,
        "warning: job.yaml:7:8: job.step_time: a step of 12 instances takes longer (7 s) than one "
        "of 8 (5 s)\n");
    for (int64_t num = 0; num < 8; num++) {
        assert_int_equal(spot_job_best_pipelines(&job, 4 * num + 3), by_world_size[num]);
    }
    job.max_pipelines = 4;
    assert_int_equal(spot_job_best_pipelines(&job, 1000), 2);
    spot_job_free(&job);
    write_table("D,P,step_ms\n1,4,900\n2,4,300\n3,4,\n4,4,300\n5,4,301\n6,4,299.4\n");
    job = bound("{pipeline_depth: 4, step_time: {table: job_table.csv}}");
    settle_job(&job, 64, "");
    for (int64_t num = 0; num < 8; num++) {
        assert_int_equal(spot_job_best_pipelines(&job, 4 * num + 3), by_pair[num]);
    }
    spot_job_free(&job);
}

static void test_pipelines_of_a_model(void **state)
{
    spot_job_t job = bound("step_time: {pipeline: {layers: 6, micro_batch: 8, forward_ms: 10,\n"
                           "  backward_ms: 20, gradient_bytes: 0}}\npipeline_depth: 3\n"
                           "samples_per_step: 32\n");

    (void) state;
    settle_job(&job, 10, "");
    assert_pipelines(&job, 9, 3, false);
    assert_pipelines(&job, 12, 3, true); /* the fleet cannot be that large */
    assert_int_equal(spot_job_step_ms(&job, 1), (4 + 2) * 60);
    assert_int_equal(spot_job_step_ms(&job, 2), (2 + 2) * 60);
    assert_int_equal(spot_job_step_ms(&job, 3), (2 + 2) * 60);
    spot_job_free(&job);
}

static void test_errors_by_pair(void **state)
{
    (void) state;
    write_table("D,P,step_ms\n0,4,900\n");
    assert_bind_fails("step_time: {table: job_table.csv}\nreload: 47\n",
        "job_table.csv:2:1: D: expected an integer from 1 to 1000000, got '0'\n"
        "job.yaml:2:9: reload: expected " DURATION ", got \"47\": the unit is missing\n");
    assert_bind_fails("step_time: {table: /no/such.csv}\n",
        "/no/such.csv: cannot open: No such file or directory\n");
    assert_bind_fails("step_time: {table: [x.csv]}\n",
        "job.yaml:1:20: step_time.table: expected a file name, got a list\n");
    assert_bind_fails("step_time: {pipeline: 1f1b}\n",
        "job.yaml:1:23: step_time.pipeline: expected a map of keys, got \"1f1b\"\n");
}

/* ---- Reroute ---- */

static spot_step_point_t points[] = {{4, 9000}, {8, 9000}, {12, 9000}, {16, 9000}};

static const spot_job_t job_of_points = {.pipeline_depth = 4,
    .max_pipelines = 100,
    .samples_per_step = 1024,
    .step_time = {.num_points = 4, .points = points}};

/* D = 4, P = 4, 1024/(64 * 4) = 4 micro-batches: (M+P-1) = 7 of c; with 1 of 4 lost
 * 4 * 4/3 c + fill, which is 3 F = c at best and 3 c at worst. */
static void test_by_world_size(void **state)
{
    spot_reroute_t self = {.micro_batch = 64, .forward_share = 1.0 / 3};

    (void) state;
    assert_int_equal(spot_reroute_step_ms(&self, &job_of_points, 4, 0), 9000);
    /* 16/3 + 1 = 6.33 is less than 7: the bubbles take what is lost. */
    assert_int_equal(spot_reroute_step_ms(&self, &job_of_points, 4, 1), 9000);
    assert_int_equal(spot_reroute_step_ms(&self, &job_of_points, 4, 2), lround(9000 * 9.0 / 7));
    assert_int_equal(spot_reroute_step_ms(&self, &job_of_points, 4, 3), lround(9000 * 17.0 / 7));
    self.is_worst_fill = true;
    assert_int_equal(
        spot_reroute_step_ms(&self, &job_of_points, 4, 1), lround(9000 * (16.0 / 3 + 3) / 7));
    assert_int_equal(spot_reroute_step_ms(&self, &job_of_points, 4, 3), lround(9000 * 19.0 / 7));
}

/* With a model its c is used, and what is not of the schedule does not grow: 2 layers a
 * stage, F = 20 ms, B = 40 ms, c = 60 ms. */
static void test_pipeline_model(void **state)
{
    spot_job_t job = {.pipeline_depth = 4,
        .max_pipelines = 100,
        .samples_per_step = 1024,
        .step_time = {.pipeline = {.schedule = SPOT_SCHEDULE_1F1B,
                          .num_layers = 8,
                          .micro_batch = 64,
                          .forward_ms = 10,
                          .backward_ms = 20,
                          .optimizer_ms = 1000,
                          .bandwidth_bytes_per_s = 1}}};
    const spot_reroute_t self = {
        .micro_batch = spot_reroute_micro_batch(&job), .is_worst_fill = true};

    (void) state;
    assert_int_equal(self.micro_batch, 64);
    assert_int_equal(
        spot_step_pipeline_fill(&job.step_time.pipeline, 1024, 16, &job.step_time.grid), 0);
    assert_int_equal(spot_reroute_step_ms(&self, &job, 4, 0), 1000 + 7 * 60);
    assert_int_equal(spot_reroute_step_ms(&self, &job, 4, 2), 1000 + (8 + 3) * 60);
    job.step_time.pipeline.recompute = SPOT_RECOMPUTE_ALL; /* c = 80 ms */
    assert_int_equal(spot_reroute_step_ms(&self, &job, 4, 2), 1000 + 7 * 60 + (11 - 7) * 80);
    spot_step_grid_free(&job.step_time.grid);
}

/* More lost is never faster, worst fill never faster than best, nothing lost is the
 * job's own step. */
static void test_order(void **state)
{
    (void) state;
    for (int64_t micro_batch = 1; micro_batch <= 4096; micro_batch *= 3) {
        for (int64_t d = 1; d <= 4; d++) {
            int64_t last_ms = 9000;

            for (int64_t lost = 0; lost < d; lost++) {
                const spot_reroute_t best = {micro_batch, 0.4, false};
                const spot_reroute_t worst = {micro_batch, 0.4, true};
                const int64_t ms = spot_reroute_step_ms(&best, &job_of_points, d, lost);

                assert_true(ms >= last_ms);
                assert_true(spot_reroute_step_ms(&worst, &job_of_points, d, lost) >= ms);
                assert_true(lost > 0 || ms == 9000);
                last_ms = ms;
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_counts),
        cmocka_unit_test(test_published_counts),
        cmocka_unit_test(test_jobs),
        cmocka_unit_test(test_wrong_jobs),
        cmocka_unit_test(test_pauses),
        cmocka_unit_test(test_pauses_that_contradict),
        cmocka_unit_test(test_storage),
        cmocka_unit_test(test_transfers),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_everything_given),
        cmocka_unit_test(test_forms_of_every),
        cmocka_unit_test(test_errors_of_every),
        cmocka_unit_test(test_errors_of_scalars),
        cmocka_unit_test(test_errors_of_step_time),
        cmocka_unit_test(test_profile),
        cmocka_unit_test(test_errors_of_naming_a_profile),
        cmocka_unit_test(test_errors_within_a_profile),
        cmocka_unit_test(test_pipelines_by_world_size),
        cmocka_unit_test(test_pipelines_of_a_table),
        cmocka_unit_test(test_best_pipelines),
        cmocka_unit_test(test_pipelines_of_a_model),
        cmocka_unit_test(test_errors_by_pair),
        cmocka_unit_test(test_by_world_size),
        cmocka_unit_test(test_pipeline_model),
        cmocka_unit_test(test_order),
    };

    if (chdir(temporary_folder()) != 0) {
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
