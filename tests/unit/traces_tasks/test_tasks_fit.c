/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/base/support.h"

#include <gsl/gsl_errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tests/unit/traces_tasks/tasks_case.h"
#include "traces/fit/fit_law.h"
#include "traces/tasks/task_compare.h"

/* ---- Fits as text and as YAML ---- */

typedef struct {
    tasks_case_t run, solo;
    spot_diag_t diag;
    int ret;
    char *text;
    spot_yaml_t document;
} fitted_t;

/* solo: NULL for none. */
static void fit_scripts(fitted_t *self, const char *script, const char *solo, const char *edges)
{
    const char *const scripts[] = {script, solo};
    tasks_case_t *const cases[] = {&self->run, &self->solo};
    spot_task_run_t runs[2];
    spot_task_comparison_t comparison = {0};
    size_t num_bytes;
    FILE *out = open_memstream(&self->text, &num_bytes);

    assert_non_null(out);
    memset(&self->document, 0, sizeof(self->document));
    spot_diag_init(&self->diag);
    for (int j = 0; j < (solo == NULL ? 1 : 2); j++) {
        char *lines = tasks_lines(scripts[j]);

        tasks_case_read(cases[j], lines, strlen(lines), NULL);
        assert_int_equal(cases[j]->ret, 0);
        runs[j] = (spot_task_run_t){j == 0 ? "log" : "solo", &cases[j]->log, &cases[j]->analysis};
        free(lines);
    }
    self->ret = solo == NULL ? 0
                             : spot_task_comparison_init(
                                   &comparison, &runs[1], &runs[0], SPOT_SCOPE_HOST, &self->diag);
    assert_int_equal(self->ret, 0);
    self->ret = spot_task_fit(
        &runs[0], edges, &runs[1], solo == NULL ? NULL : &comparison, NULL, out, &self->diag);
    spot_task_comparison_free(&comparison);
    assert_int_equal(fclose(out), 0);
    if (self->ret == 0) {
        self->ret =
            spot_yaml_parse(&self->document, "model", self->text, strlen(self->text), &self->diag);
    }
}

static void free_fitted(fitted_t *self, bool has_solo)
{
    tasks_case_free(&self->run);
    if (has_solo) {
        tasks_case_free(&self->solo);
    }
    spot_yaml_free(&self->document);
    spot_diag_free(&self->diag);
    free(self->text);
}

/* The value of a key of a map, or NULL. */
static const spot_node_t *value_of(const fitted_t *self, const char *map, const char *key)
{
    const spot_node_t *node = spot_node_get(self->document.root, map);

    assert_non_null(node);
    return spot_node_get(node, key);
}

static void assert_scalar(const spot_node_t *node, const char *expected)
{
    assert_non_null(node);
    assert_int_equal(node->kind, SPOT_NODE_SCALAR);
    assert_string_equal(node->text, expected);
}

/* ---- Laws that are known ---- */

#define NUM_TASKS 4000

static const spot_law_t decision = {&spot_family_gamma, {3, 0.01}};
static const spot_law_t comm = {&spot_family_exponential, {0.002}};
static const spot_law_t queue = {&spot_family_weibull, {0.01, 2.5}};
static const spot_law_t runs[] = {
    {&spot_family_lognormal, {-1, 0.3}}, {&spot_family_gamma, {40, 0.01}}};
static const spot_law_t sent[] = {
    {&spot_family_lognormal, {-6, 0.4}}, {&spot_family_loglogistic, {0.05, 6}}};

static int64_t draw_ns(const spot_law_t *law, spot_rng_t *rng)
{
    return llround(1e9 * law->family->draw(law->parameters, rng));
}

/* Each task needs the one before it, whose data is sent first: by turns local, remote.
 * The time until the next decision begins when the data has come. */
static char *draw_log(void)
{
    int64_t now = INT64_C(1700000000000000000);
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);
    spot_rng_t rng;

    assert_non_null(out);
    spot_rng_seek(&rng, 7, 0, SPOT_STREAM_OWN, 0);
    for (int j = 0; j < NUM_TASKS; j++) {
        if (j > 0) {
            const int64_t end = now + draw_ns(&sent[j % 2], &rng);

            fprintf(out, "xP %c(%d) h:w %" PRId64 ";xF %c(%d) h:w %" PRId64 " %s;", "ba"[j % 2],
                j - 1, now, "ba"[j % 2], j - 1, end, j % 2 == 0 ? "local" : "remote");
            fprintf(out,
                "{\"action\": \"taskInputs\", \"task\": \"%c(%d)\", \"inputs\": "
                "[\"%c(%d)\"]}\n",
                "ab"[j % 2], j, "ba"[j % 2], j - 1);
            now = end + draw_ns(&decision, &rng);
        }
        fprintf(out, "tP %c(%d) h:w %" PRId64 ";", "ab"[j % 2], j, now);
        now += draw_ns(&comm, &rng);
        fprintf(out, "tE %c(%d) h:w %" PRId64 ";", "ab"[j % 2], j, now);
        now += draw_ns(&queue, &rng);
        fprintf(out, "tS %c(%d) h:w %" PRId64 ";", "ab"[j % 2], j, now);
        now += draw_ns(&runs[j % 2], &rng);
        fprintf(out, "tF %c(%d) h:w %" PRId64 ";", "ab"[j % 2], j, now);
    }
    assert_int_equal(fclose(out), 0);
    return text;
}

/* The law is of the true family (with some seeds AIC takes a near one), and its
 * parameters are within three standard errors, which are those of a fit to n draws. */
static void assert_law(
    fitted_t *self, const char *map, const char *key, const spot_law_t *truth, size_t num_values)
{
    static const spot_field_t field = {.name = "law", .expected = spot_law_expected};
    spot_bind_t bind = {.diag = &self->diag};
    double *values = calloc(num_values, sizeof(*values));
    spot_fit_durations_t durations;
    spot_maximiser_t maximiser;
    spot_law_t law = {0};
    spot_fit_t fit;
    spot_rng_t rng;

    assert_non_null(values);
    spot_law_bind(&bind, &field, value_of(self, map, key), &law);
    assert_report(&self->diag, "");
    assert_string_equal(law.family->name, truth->family->name);
    spot_rng_seek(&rng, 7, 0, SPOT_STREAM_OWN, 0);
    for (size_t j = 0; j < num_values; j++) {
        values[j] = truth->family->draw(truth->parameters, &rng);
    }
    assert_int_equal(spot_maximiser_init(&maximiser), 0);
    assert_int_equal(spot_fit_durations_init(&durations, values, NULL, num_values, 0, 1e-9), 0);
    spot_fit_law(&maximiser, &durations, truth->family, (double) NAN, &fit);
    for (int j = 0; j < truth->family->num_parameters; j++) {
        const double error = fit.standard_errors[j];

        assert_true(error > 0 && error < 0.05 * fabs(truth->parameters[j]));
        if (!(fabs(law.parameters[j] - truth->parameters[j]) <= 3 * error)) {
            fail_msg("%s.%s: %g is not within 3 x %g of %g", map, key, law.parameters[j], error,
                truth->parameters[j]);
        }
    }
    spot_fit_durations_free(&durations);
    spot_maximiser_free(&maximiser);
    free(values);
}

static void test_known_laws(void **state)
{
    char *script = draw_log();
    fitted_t fitted;

    (void) state;
    fit_scripts(&fitted, script, NULL, NULL);
    assert_report(&fitted.diag, "");
    assert_int_equal(fitted.ret, 0);
    assert_law(&fitted, "run", "a", &runs[0], NUM_TASKS / 2);
    assert_law(&fitted, "run", "b", &runs[1], NUM_TASKS / 2);
    assert_law(&fitted, "delays", "decision", &decision, NUM_TASKS);
    assert_law(&fitted, "delays", "comm", &comm, NUM_TASKS);
    assert_law(&fitted, "delays", "queue", &queue, NUM_TASKS);
    assert_law(&fitted, "delays", "local", &sent[0], NUM_TASKS / 2);
    assert_law(&fitted, "delays", "remote", &sent[1], NUM_TASKS / 2);
    assert_non_null(strstr(fitted.text, "n 2000, mean 0.3"));
    free_fitted(&fitted, false);
    free(script);
}

/* ---- Contention ---- */

static void put_task(
    FILE *out, const char *name, int id, const char *worker, int64_t start, int64_t run)
{
    fprintf(out,
        "tP %s(%d) %s %" PRId64 ";tE %s(%d) %s %" PRId64 ";tS %s(%d) %s %" PRId64
        ";tF %s(%d) %s %" PRId64 ";",
        name, id, worker, start - 20, name, id, worker, start - 10, name, id, worker, start, name,
        id, worker, start + run);
}

/* Pairs of tasks run side by side, 1.42 times as long as alone; those of class lone by
 * themselves, and the class new is in the second run alone. */
static void test_contention(void **state)
{
    fitted_t fitted;
    char *texts[2];
    size_t num_bytes;
    FILE *out = open_memstream(&texts[0], &num_bytes);

    (void) state;
    for (int j = 0; j < 20; j++) {
        put_task(out, "pair", j, "h:w0", 1000 + 100000 * j, 10000 + 100 * (j / 2));
    }
    for (int j = 0; j < 6; j++) {
        put_task(out, "lone", j, "h:w0", 3000000 + 100000 * j, 7000 + j);
        put_task(out, "", j, "h:w0", 5000000 + 100000 * j, 7000 + j);
    }
    assert_int_equal(fclose(out), 0);
    out = open_memstream(&texts[1], &num_bytes);
    for (int j = 0; j < 20; j++) {
        put_task(out, "pair", j, j % 2 == 0 ? "h:w0" : "h:w1", 1000 + 100000 * (j / 2),
            (10000 + 100 * (j / 2)) * 142 / 100);
    }
    for (int j = 0; j < 6; j++) {
        put_task(out, "lone", j, "h:w0", 3000000 + 100000 * j, 7000 + j);
        put_task(out, "new", j, "h:w0", 3050000 + 100000 * j, 7000 + j);
        put_task(out, "", j, "h:w0", 5050000 + 100000 * j, 7000 + j);
    }
    assert_int_equal(fclose(out), 0);
    fit_scripts(&fitted, texts[1], texts[0], "edges.jsonl");
    assert_report(&fitted.diag, "");
    assert_int_equal(fitted.ret, 0);
    assert_scalar(spot_node_get(value_of(&fitted, "contention", "beta"), "pair"), "0.42");
    assert_null(spot_node_get(value_of(&fitted, "contention", "beta"), "lone"));
    assert_non_null(strstr(fitted.text, "# not identifiable: \"lone\""));
    assert_scalar(value_of(&fitted, "contention", "scope"), "host");
    assert_non_null(strstr(fitted.text, "n 20, mean 1.045e-05 s")); /* of the solo run */
    assert_non_null(value_of(&fitted, "run", "lone"));
    assert_null(value_of(&fitted, "run", "new"));
    assert_null(value_of(&fitted, "run", ""));
    assert_non_null(strstr(fitted.text, "  # as recorded, a key needs a name: \"\": "));
    assert_scalar(spot_node_get(fitted.document.root, "workers"), "2");
    assert_non_null(strstr(fitted.text, "/edges.jsonl\"}\n"));
    free_fitted(&fitted, true);
    free(texts[0]);
    free(texts[1]);
}

/* ---- Little to fit ---- */

static void test_without_spread(void **state)
{
    fitted_t fitted;

    (void) state;
    fit_scripts(&fitted,
        "tP a(1) h:w 0;tE a(1) h:w 10;tS a(1) h:w 20;tF a(1) h:w 1020;"
        "tP a(2) h:w 2000;tE a(2) h:w 2010;tS a(2) h:w 2030;tF a(2) h:w 4030;"
        "tP zero h:w 5000;tE zero h:w 5010;tS zero h:w 5020;tF zero h:w 5020;"
        "tP cut h:w 6000;tE cut h:w 6010;tS cut h:w 6020;",
        NULL, NULL);
    assert_int_equal(fitted.ret, 0);
    assert_report(
        &fitted.diag, "warning: log: no taskInputs: the model runs once its graph has edges\n");
    assert_scalar(value_of(&fitted, "run", "a"), "0.000001500 s");
    assert_scalar(value_of(&fitted, "delays", "comm"), "0.000000010 s");
    assert_null(value_of(&fitted, "run", "zero"));
    assert_null(value_of(&fitted, "run", "cut"));
    assert_null(value_of(&fitted, "delays", "decision"));
    assert_non_null(strstr(fitted.text, "to 4 tasks; 1 attempts without an end"));
    assert_non_null(strstr(fitted.text, "# nothing above 0: \"zero\""));
    assert_non_null(strstr(fitted.text, "# nothing above 0: \"decision\""));
    free_fitted(&fitted, false);
}

/* A decision begins when the last input is there and the worker is free, but the time
 * in which data is on the way is not a decision. */
static void test_decisions(void **state)
{
    fitted_t fitted;

    (void) state;
    fit_scripts(&fitted,
        "tP a h:w0 0;tE a h:w0 0;tS a h:w0 0;tF a h:w0 1000;"
        "tP b h:w1 0;tE b h:w1 0;tS b h:w1 0;tF b h:w1 2000;"
        /* a has come to w1 at 1500, but b ends at 2000: 300 until it is planned */
        "xP a h:w1 1200;xF a h:w1 1500 local;"
        "tP c h:w1 2300;tE c h:w1 2300;tS c h:w1 2300;tF c h:w1 3000;"
        /* 1000 .. 2600, of which 400 on the way */
        "xP b h:w0 2050;xF b h:w0 2450 local;"
        "tP d h:w0 2600;tE d h:w0 2600;tS d h:w0 2600;tF d h:w0 2600;"
        /* planned before its worker is free: no time for a decision */
        "tP e h:w1 2500;tE e h:w1 2500;tS e h:w1 3000;tF e h:w1 3100;"
        "{\"action\": \"taskInputs\", \"task\": \"c\", \"inputs\": [\"a\"]}\n"
        "{\"action\": \"taskInputs\", \"task\": \"d\", \"inputs\": [\"b\"]}\n",
        NULL, NULL);
    assert_int_equal(fitted.ret, 0);
    assert_report(&fitted.diag,
        "warning: log: laws of run hold the contention of 2 workers: expected --solo\n");
    assert_int_equal(fitted.run.analysis.graph.num_decisions, 5);
    {
        /* in no order that matters: 0 0 0 200 300 */
        const int64_t *decisions = fitted.run.analysis.graph.decisions;
        int64_t sum = 0, most = 0;

        for (int j = 0; j < 5; j++) {
            assert_true(decisions[j] >= 0);
            sum += decisions[j];
            most = decisions[j] > most ? decisions[j] : most;
        }
        assert_int_equal(most, 300);
        assert_int_equal(sum, 500);
    }
    free_fitted(&fitted, false);
}

static void test_nothing(void **state)
{
    fitted_t fitted;

    (void) state;
    fit_scripts(&fitted, "tP a h:w 0;tS a h:w 5;", NULL, NULL);
    assert_int_equal(fitted.ret, SPOT_ERR_BAD_INPUT);
    assert_report(&fitted.diag, "log: no task ran to its end\n");
    free_fitted(&fitted, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_laws),
        cmocka_unit_test(test_contention),
        cmocka_unit_test(test_without_spread),
        cmocka_unit_test(test_decisions),
        cmocka_unit_test(test_nothing),
    };

    gsl_set_error_handler_off();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
