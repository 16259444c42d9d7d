/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The whole cycle: a trace is fitted, the model is written as YAML and read back, its
 * traces are generated, written, read, and fitted again. Over 64 replications this
 * returns the parameters of the model. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gsl/gsl_errno.h>

#include "base/units.h"
#include "base/yaml.h"
#include "tests/statistical/statistics.h"
#include "traces/fit/fit_generator.h"
#include "traces/generate/generate.h"

enum { NUM_REPLICATIONS = 64, SEED = 11 };

/* Long against the tick of 1 s, so that two events rarely share a tick; long enough for
 * hundreds of gaps of each class, as estimates of a shape have a bias of some 3/n. */
#define HORIZON_S 2000000

/* The law of the first trace. */
static const char world[] =
    "spotsim-model: 1\ngenerator: mrp\ntick_s: 1\ncapacity: 12\ninitial: 6\n"
    "p_preempt_after: {preempt: 0.6, add: 0.35}\n"
    "gaps_s: {preempt_preempt: {family: hyperexp2, p1: 0.7, mu1: 600, mu2: 9000}, "
    "preempt_add: {family: exponential, mu: 1900}, "
    "add_preempt: {family: exponential, mu: 2500}, "
    "add_add: {family: gamma, shape: 3, scale: 800}, "
    "full: {family: exponential, mu: 2000}, empty: {family: exponential, mu: 1500}}\n"
    "bulk: {preempt: {law: all-or-geometric, pi_all: 0.1, p: 0.5}, "
    "add: {law: all-or-geometric, pi_all: 0.15, p: 0.4}}\n";

static spot_maximiser_t maximiser;

static int set_up(void **state)
{
    (void) state;
    gsl_set_error_handler_off();
    return spot_maximiser_init(&maximiser);
}

static int tear_down(void **state)
{
    (void) state;
    spot_maximiser_free(&maximiser);
    return 0;
}

static void read_model(spot_trace_model_t *model, const char *text)
{
    spot_yaml_t document;
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(spot_yaml_parse(&document, "model.yaml", text, strlen(text), &diag), 0);
    assert_int_equal(spot_trace_model_read(model, document.root, &diag), 0);
    assert_int_equal(diag.num_errors + diag.num_warnings, 0);
    spot_yaml_free(&document);
    spot_diag_free(&diag);
}

/* Whether every search ended at a maximum. */
static bool has_converged(const spot_mrp_t *self)
{
    bool converged = true;

    for (int j = 0; j < SPOT_MRP_NUM_CLASSES; j++) {
        converged = converged && self->gaps[j].converged;
    }
    for (int j = 0; j < SPOT_MRP_NUM_TYPES; j++) {
        converged = converged && self->bulks[j].converged;
    }
    return converged;
}

/* Through a file, as the commands do it. */
static void generate_and_fit(
    const spot_trace_model_t *model, uint64_t replication, spot_mrp_t *mrp, char **text)
{
    const char *folder = getenv("SPOT_TEST_TMP");
    const spot_generate_t task = {.seed = SEED,
        .replication = replication,
        .horizon_ms = HORIZON_S * SPOT_MS_PER_S,
        .kind = SPOT_TRACE_NAMED,
        .name = "round",
        .version = "0"};
    char path[512];
    spot_trace_t trace;
    spot_diag_t diag;

    snprintf(path, sizeof(path), "%s/model-recovery.csv", folder != NULL ? folder : "/tmp");
    spot_diag_init(&diag);
    assert_int_equal(spot_generate(model, &task, path, &diag), 0);
    assert_int_equal(spot_trace_read(&trace, path, true, &diag), 0);
    assert_int_equal(spot_fit_mrp(mrp, &trace, &maximiser), 0);
    assert_true(has_converged(mrp));
    if (text != NULL) {
        const spot_fit_origin_t origin = {.trace = &trace, .source = path, .version = "0"};
        size_t num_bytes;
        FILE *out = open_memstream(text, &num_bytes);

        assert_non_null(out);
        mrp->tick_s = 1; /* no coarser than the world's */
        spot_mrp_write(mrp, &origin, out);
        assert_int_equal(fclose(out), 0);
    }
    spot_trace_free(&trace);
    spot_diag_free(&diag);
    remove(path);
}

typedef struct {
    spot_moments_t p_preempt[SPOT_MRP_NUM_TYPES];
    spot_moments_t means[SPOT_MRP_NUM_CLASSES];
    spot_moments_t hyperexp2[3]; /* of the class that is one */
    spot_moments_t gamma[2];
    spot_moments_t pi_all[SPOT_MRP_NUM_TYPES];
    spot_moments_t p[SPOT_MRP_NUM_TYPES];
} estimates_t;

static double mean_of(const spot_law_t *law)
{
    return law->family->moment(law->parameters, 1);
}

static void add_estimates(estimates_t *self, const spot_mrp_t *mrp)
{
    const spot_law_t *mixed = &mrp->gaps[SPOT_MRP_PREEMPT_PREEMPT].law;
    const spot_law_t *even = &mrp->gaps[SPOT_MRP_ADD_ADD].law;

    for (int j = 0; j < SPOT_MRP_NUM_TYPES; j++) {
        spot_moments_add(&self->p_preempt[j], mrp->p_preempt_after[j]);
        spot_moments_add(&self->pi_all[j], mrp->bulks[j].pi_all);
        spot_moments_add(&self->p[j], mrp->bulks[j].p);
    }
    for (int j = 0; j < SPOT_MRP_NUM_CLASSES; j++) {
        assert_true(mrp->gaps[j].num_gaps >= SPOT_MRP_MIN_GAPS);
        spot_moments_add(&self->means[j], mean_of(&mrp->gaps[j].law));
    }
    /* Far from the exponential law, these are always distinguished. */
    assert_ptr_equal(mixed->family, &spot_family_hyperexp2);
    assert_ptr_equal(even->family, &spot_family_gamma);
    for (int j = 0; j < 3; j++) {
        spot_moments_add(&self->hyperexp2[j], mixed->parameters[j]);
    }
    for (int j = 0; j < 2; j++) {
        spot_moments_add(&self->gamma[j], even->parameters[j]);
    }
}

/* relevant: the smallest relative bias that must not pass. */
static void check(const char *what, const spot_moments_t *values, double truth, double relevant)
{
    assert_mean(what, values, truth, relevant * truth);
}

static void test_round(void **state)
{
    static const char *const hyperexp2[] = {"p1", "mu1", "mu2"};
    static const char *const gamma[] = {"shape", "scale"};
    estimates_t estimates = {0};
    spot_trace_model_t model;
    spot_mrp_t truth, mrp;
    char *text;

    (void) state;
    read_model(&model, world);
    generate_and_fit(&model, 0, &truth, &text);
    spot_trace_model_free(&model);
    read_model(&model, text);
    for (uint64_t r = 0; r < NUM_REPLICATIONS; r++) {
        generate_and_fit(&model, r + 1, &mrp, NULL);
        add_estimates(&estimates, &mrp);
    }
    for (int j = 0; j < SPOT_MRP_NUM_TYPES; j++) {
        const char *name = spot_mrp_type_names[j];

        check(name, &estimates.p_preempt[j], truth.p_preempt_after[j], 0.12);
        check(name, &estimates.pi_all[j], truth.bulks[j].pi_all, 0.3);
        check(name, &estimates.p[j], truth.bulks[j].p, 0.12);
    }
    for (int j = 0; j < SPOT_MRP_NUM_CLASSES; j++) {
        check(spot_mrp_class_names[j], &estimates.means[j], mean_of(&truth.gaps[j].law), 0.25);
    }
    for (int j = 0; j < 3; j++) {
        check(hyperexp2[j], &estimates.hyperexp2[j],
            truth.gaps[SPOT_MRP_PREEMPT_PREEMPT].law.parameters[j], 0.4);
    }
    for (int j = 0; j < 2; j++) {
        check(gamma[j], &estimates.gamma[j], truth.gaps[SPOT_MRP_ADD_ADD].law.parameters[j], 0.3);
    }
    spot_trace_model_free(&model);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round),
    };

    return cmocka_run_group_tests_name("model recovery", tests, set_up, tear_down);
}
