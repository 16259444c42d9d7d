/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Models of whole traces: against the reference models, against sums by hand, and read
 * back by the generators. */
#include <glob.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/units.h"
#include "base/yaml.h"
#include "tests/unit/base/shared_data.h"
#include "tests/unit/base/support.h"
#include "traces/fit/fit_generator.h"
#include "traces/generate/model.h"

#define DATA_FOLDER SHARED_DATA "traces/"

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

static void make_trace(spot_trace_t *trace, const char *head, const char *rows)
{
    char text[2000];
    spot_diag_t diag;

    spot_diag_init(&diag);
    snprintf(text, sizeof(text),
        "# spotsim-trace: 1\n# name: own\n# start: %s\ntime_s,event,count,instances\n%s", head,
        rows);
    assert_int_equal(spot_trace_read_bytes(trace, "own.csv", text, strlen(text), false, &diag), 0);
    spot_diag_free(&diag);
}

/* ---- Against the reference ---- */

static double number(const spot_node_t *node, const char *key)
{
    const spot_node_t *value = spot_node_get(node, key);
    double result = (double) NAN;

    assert_non_null(value);
    assert_int_equal(spot_number_parse(value->text, &result), 0);
    return result;
}

/* 10 digits there. What a search finds is good to 1e-6 of the parameter. */
static void assert_parameter(const char *what, double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-6 * fabs(expected) + 1e-9)) {
        fail_msg("%s: %.11g is not %.11g", what, value, expected);
    }
}

/* Gaps of one or two ticks and nothing else leave a ridge: every narrow law with the
 * same share in the first tick is as likely, and only that share is to be compared. */
static bool is_ridge(const spot_law_t *law)
{
    return law->family == &spot_family_gamma && law->parameters[0] > 50;
}

static void check_ridge(const spot_law_t *law, const spot_node_t *node, double tick_s)
{
    const double expected[] = {number(node, "shape"), number(node, "scale")};

    for (int j = 1; j <= 3; j++) {
        assert_parameter("share of ticks",
            exp(law->family->log_survival(law->parameters, j * tick_s)),
            exp(law->family->log_survival(expected, j * tick_s)));
    }
}

static void check_model(const spot_mrp_t *mrp, const spot_node_t *root)
{
    const spot_node_t *gaps = spot_node_get(root, "gaps_s");

    assert_true(mrp->tick_s == number(root, "tick_s"));
    assert_true(mrp->capacity == number(root, "capacity"));
    assert_true(mrp->initial == number(root, "initial"));
    assert_true(mrp->horizon_s == number(root, "horizon_s"));
    for (int j = 0; j < SPOT_MRP_NUM_TYPES; j++) {
        const char *name = spot_mrp_type_names[j];
        const spot_node_t *bulk = spot_node_get(spot_node_get(root, "bulk"), name);

        assert_parameter(
            name, mrp->p_preempt_after[j], number(spot_node_get(root, "p_preempt_after"), name));
        assert_parameter(name, mrp->bulks[j].pi_all, number(bulk, "pi_all"));
        assert_parameter(name, mrp->bulks[j].p, number(bulk, "p"));
    }
    for (int j = 0; j < SPOT_MRP_NUM_CLASSES; j++) {
        const spot_law_t *law = &mrp->gaps[j].law;
        const spot_node_t *node = spot_node_get(gaps, spot_mrp_class_names[j]);

        assert_string_equal(law->family->name, spot_node_get(node, "family")->text);
        if (is_ridge(law)) {
            check_ridge(law, node, mrp->tick_s);
            continue;
        }
        for (int i = 0; i < law->family->num_parameters; i++) {
            assert_parameter(spot_mrp_class_names[j], law->parameters[i],
                number(node, law->family->fields[i].name));
        }
    }
}

static void read_recorded(spot_trace_t *trace, const char *name)
{
    char path[512];
    spot_diag_t diag;

    spot_diag_init(&diag);
    snprintf(path, sizeof(path), DATA_FOLDER "%s.csv", name);
    assert_int_equal(spot_trace_read(trace, path, false, &diag), 0);
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

static void test_reference(void **state)
{
    glob_t found;

    (void) state;
    if (glob(DATA_FOLDER "reference/models/*.mrp.yaml", 0, NULL, &found) != 0) {
        skip_without_data();
    }
    for (size_t j = 0; j < found.gl_pathc; j++) {
        spot_yaml_t document;
        spot_diag_t diag;
        spot_trace_t trace;
        spot_mrp_t mrp;

        spot_diag_init(&diag);
        assert_int_equal(spot_yaml_read(&document, found.gl_pathv[j], &diag), 0);
        read_recorded(&trace, spot_node_get(document.root, "name")->text);
        assert_int_equal(spot_fit_mrp(&mrp, &trace, &maximiser), 0);
        print_message("%s\n", found.gl_pathv[j] + strlen(DATA_FOLDER));
        check_model(&mrp, document.root);
        assert_true(has_converged(&mrp));
        spot_trace_free(&trace);
        spot_yaml_free(&document);
        spot_diag_free(&diag);
    }
    assert_int_equal(found.gl_pathc, 6);
    globfree(&found);
}

/* ---- By hand ---- */

#define HEAD_60 "unknown\n# resolution_s: 60\n# kind: counts\n# capacity: 4"

/* Gaps by class, one below the resolution, a stop that is no event. */
static void test_small_trace(void **state)
{
    spot_trace_t trace;
    spot_mrp_t mrp;

    (void) state;
    make_trace(&trace, HEAD_60,
        "0,init,2,\n60,preempt,1,\n180,preempt,1,\n480,add,4,\n600,preempt,1,\n600,add,"
        "1,\n900,preempt,1,\n960,stop,1,\n1200,add,1,\n1800,end,3,\n");
    assert_int_equal(spot_fit_mrp(&mrp, &trace, &maximiser), 0);
    assert_int_equal(mrp.num_events, 7);
    assert_int_equal(mrp.gaps[SPOT_MRP_PREEMPT_PREEMPT].num_gaps, 1);
    assert_true(mrp.gaps[SPOT_MRP_PREEMPT_PREEMPT].law.parameters[0] == 120);
    assert_int_equal(mrp.gaps[SPOT_MRP_PREEMPT_ADD].num_gaps, 2);
    assert_true(mrp.gaps[SPOT_MRP_PREEMPT_ADD].law.parameters[0] == 180); /* 60, 300 */
    assert_int_equal(mrp.gaps[SPOT_MRP_ADD_PREEMPT].num_gaps, 0);
    assert_true(fabs(mrp.gaps[SPOT_MRP_ADD_PREEMPT].law.parameters[0] - 1800.0 / 7) < 1e-9);
    assert_true(mrp.gaps[SPOT_MRP_FULL].law.parameters[0] == 210); /* 120, 300 */
    assert_true(mrp.gaps[SPOT_MRP_EMPTY].law.parameters[0] == 300);
    assert_true(mrp.p_preempt_after[SPOT_MRP_PREEMPT] == 1.5 / 4);
    assert_true(mrp.p_preempt_after[SPOT_MRP_ADD] == 0.5);
    spot_trace_free(&trace);
}

/* The model that was written, without its comments. */
static char *write_model(const spot_trace_t *trace, bool is_seed, const spot_fit_hourly_t *hourly)
{
    const spot_fit_origin_t origin = {
        .trace = trace, .source = "own.csv", .version = "0", .hourly = hourly};
    char *text = NULL;
    size_t num_bytes = 0;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    if (is_seed) {
        spot_seed_t seed;

        assert_int_equal(spot_fit_seed(&seed, trace), 0);
        spot_seed_write(&seed, &origin, out);
    } else {
        spot_mrp_t mrp;

        assert_int_equal(spot_fit_mrp(&mrp, trace, &maximiser), 0);
        spot_mrp_write(&mrp, &origin, out);
    }
    assert_int_equal(fclose(out), 0);
    return text;
}

static void check_read_back(const char *text)
{
    spot_trace_model_t model;
    spot_yaml_t document;
    spot_diag_t diag;
    int ret;

    spot_diag_init(&diag);
    assert_int_equal(spot_yaml_parse(&document, "model.yaml", text, strlen(text), &diag), 0);
    ret = spot_trace_model_read(&model, document.root, &diag);
    spot_diag_print(&diag, stderr);
    assert_int_equal(ret, 0);
    assert_int_equal(diag.num_warnings, 0);
    spot_trace_model_free(&model);
    spot_yaml_free(&document);
    spot_diag_free(&diag);
}

static const char *const traces[][2] = {
    {HEAD_60, "0,init,2,\n60,preempt,1,\n180,add,1,\n240,preempt,2,\n1800,end,0,\n"},
    {HEAD_60, "0,init,2,\n60,preempt,1,\n1800,end,1,\n"},
    {HEAD_60, "0,init,0,\n60,add,1,\n1800,end,1,\n"},
    {"2021-09-14T17:00:00Z\n# resolution_s: 300\n# kind: availability\n# capacity: "
     "unbounded",
        "0,init,0,\n300,add,20,\n900,add,1,\n1200,preempt,14,\n1800,end,7,\n"},
};

static void test_seed_is_read_back(void **state)
{
    (void) state;
    for (size_t j = 0; j < sizeof(traces) / sizeof(traces[0]); j++) {
        spot_trace_t trace;
        char *text;

        make_trace(&trace, traces[j][0], traces[j][1]);
        text = write_model(&trace, true, NULL);
        check_read_back(text);
        assert_true((strstr(text, "obtainable") != NULL) == (j == 3));
        assert_non_null(strstr(text, "that day and that zone"));
        free(text);
        spot_trace_free(&trace);
    }
}

static void test_seed_numbers(void **state)
{
    spot_trace_t trace;
    spot_seed_t seed;

    (void) state;
    make_trace(&trace, traces[3][0], traces[3][1]);
    assert_int_equal(spot_fit_seed(&seed, &trace), 0);
    assert_true(seed.addition.per_minute == 2.0 / 30);
    assert_true(seed.addition.p_big == 0.5);
    assert_int_equal(seed.addition.big_low, 20);
    assert_int_equal(seed.addition.big_high, 20);
    assert_true(seed.addition.mean == 1 && seed.addition.std == 0);
    assert_true(seed.preemption.mean == 14 && seed.preemption.p_big == 0);
    assert_int_equal(seed.capacity, 21);
    spot_trace_free(&trace);
}

static void test_mrp_text(void **state)
{
    spot_trace_t trace;
    spot_fit_hourly_t hourly;
    char *text;
    static const char expected[] =
        "# fitted to: own.csv\n# resolution 60 s, 30 min, 3 events, start unknown\n"
        "# written by spotsim 0\n"
        "# A fitted trace describes that day and that zone, nothing else.\n"
        "spotsim-model: 1\ngenerator: mrp\nname: \"own\"\ntick_s: 60\ncapacity: 4\n"
        "initial: 2\nhorizon_s: 1800\nfirst_previous: add\n"
        "p_preempt_after: {preempt: 0.25, add: 0.75}\ngaps_s:\n"
        "# gaps of preempt_preempt: n 0; exponential of the mean time between events\n"
        "  preempt_preempt: {family: exponential, mu: 600}\n"
        "# gaps of preempt_add: n 1; exponential of their mean\n"
        "  preempt_add: {family: exponential, mu: 120}\n"
        "# gaps of add_preempt: n 1; exponential of their mean\n"
        "  add_preempt: {family: exponential, mu: 60}\n"
        "# gaps of add_add: n 0; exponential of the mean time between events\n"
        "  add_add: {family: exponential, mu: 600}\n"
        "# gaps of full: n 0; exponential of the mean time between events\n"
        "  full: {family: exponential, mu: 600}\n"
        "# gaps of empty: n 0; exponential of the mean time between events\n"
        "  empty: {family: exponential, mu: 600}\nbulk:\n";

    (void) state;
    make_trace(&trace, traces[0][0], traces[0][1]);
    assert_int_equal(spot_fit_hourly(&hourly, &trace, 90 * SPOT_MS_PER_MIN), 0);
    text = write_model(&trace, false, &hourly);
    assert_true(strlen(text) > sizeof(expected));
    text[sizeof(expected) - 1] = '\0';
    assert_string_equal(text, expected);
    text[sizeof(expected) - 1] = ' ';
    assert_non_null(strstr(text, "\n  start_hour: 1.5\n"));
    free(text);
    spot_trace_free(&trace);
}

static void test_no_events(void **state)
{
    spot_trace_t trace;
    spot_mrp_t mrp;
    spot_seed_t seed;

    (void) state;
    make_trace(&trace, HEAD_60, "0,init,2,\n60,stop,1,\n1800,end,1,\n");
    assert_int_equal(spot_fit_mrp(&mrp, &trace, &maximiser), SPOT_ERR_BAD_INPUT);
    assert_int_equal(spot_fit_seed(&seed, &trace), SPOT_ERR_BAD_INPUT);
    spot_trace_free(&trace);
}

/* All gaps of a class are one tick: their likelihood would send the mean to 0, and
 * bursts of any size would be generated. */
static void test_gaps_of_one_tick(void **state)
{
    char rows[1000] = "0,init,64,\n";
    spot_trace_t trace;
    spot_mrp_t mrp;

    (void) state;
    for (int j = 1; j <= 20; j++) {
        snprintf(rows + strlen(rows), sizeof(rows) - strlen(rows), "%d,preempt,1,\n", 60 * j);
    }
    strcat(rows, "6000,end,44,\n");
    make_trace(&trace, "unknown\n# resolution_s: 60\n# kind: counts\n# capacity: 64", rows);
    assert_int_equal(spot_fit_mrp(&mrp, &trace, &maximiser), 0);
    assert_int_equal(mrp.gaps[SPOT_MRP_PREEMPT_PREEMPT].num_gaps, 19);
    assert_ptr_equal(mrp.gaps[SPOT_MRP_PREEMPT_PREEMPT].law.family, &spot_family_exponential);
    assert_true(mrp.gaps[SPOT_MRP_PREEMPT_PREEMPT].law.parameters[0] == 60);
    assert_true(has_converged(&mrp));
    spot_trace_free(&trace);
}

/* One preemption in the hour from 1:30, when all the half hour was exposed. */
static void test_hourly(void **state)
{
    spot_trace_t trace;
    spot_fit_hourly_t hourly;
    const double mean = 1 / 1800.0; /* events per exposed second */
    const double seen = 11 / (1800 + 10 / mean), unseen = 10 / (10 / mean);
    const double sum = seen + 23 * unseen;
    double total = 0;

    (void) state;
    make_trace(&trace, traces[1][0], traces[1][1]);
    assert_int_equal(spot_fit_hourly(&hourly, &trace, 90 * SPOT_MS_PER_MIN), 0);
    assert_true(hourly.start_hour == 1.5);
    for (int j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        const double expected = 24 * (j == 1 ? seen : unseen) / sum;

        assert_true(fabs(hourly.preempt[j] - expected) < 1e-12);
        assert_true(hourly.add[j] == 1);
        total += hourly.preempt[j];
    }
    assert_true(fabs(total - 24) < 1e-12);
    spot_trace_free(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_small_trace),
        cmocka_unit_test(test_seed_is_read_back),
        cmocka_unit_test(test_seed_numbers),
        cmocka_unit_test(test_mrp_text),
        cmocka_unit_test(test_no_events),
        cmocka_unit_test(test_gaps_of_one_tick),
        cmocka_unit_test(test_hourly),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
