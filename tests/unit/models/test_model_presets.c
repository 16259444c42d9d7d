/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shapes of published models against the parameters of their released weights, and what
 * a job takes from them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/units.h"
#include "fixture.h"
#include "models/job.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_counts),
        cmocka_unit_test(test_published_counts),
        cmocka_unit_test(test_jobs),
        cmocka_unit_test(test_wrong_jobs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
