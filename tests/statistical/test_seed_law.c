/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The seed generator skips the ticks without an event. That this is the law of plain
 * Bernoulli trials at every tick is shown against closed forms where there are any,
 * against the plain trials themselves with other dice, and against a reference. */
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/stats.h"
#include "base/units.h"
#include "tests/statistical/statistics.h"
#include "tests/unit/base/shared_data.h"
#include "tests/unit/generate/model_text.h"

#define REFERENCE SHARED_DATA "traces/reference/seed_generator.csv"

/* The parameters of one direction, preemption (0) or addition (1). */
typedef struct {
    double p_per_minute;
    const char *family; /* normal, moments or fixed */
    double mean;        /* or the fixed size */
    double std;
    double p_big;
    int low, high;
} direction_t;

typedef struct {
    const char *name;
    int tick_s;
    int num_ticks;
    int capacity;
    int initial;
    direction_t directions[2];
} setting_t;

#define P_PREEMPT 0.16338028169014085
#define P_ADD 0.14366197183098592

static const setting_t seed_study = {"seed study", 60, 355, 64, 32,
    {{P_PREEMPT, "moments", 70.0 / 29, 2.086165648825032, 0, 1, 1},
        {P_ADD, "moments", 61.0 / 24, 1.9456261184790364, 1.0 / 17, 11, 31}}};
static const setting_t demo = {"demo", 60, 355, 64, 32,
    {{0.5, "fixed", 1, 0, 0, 1, 1}, {0.5, "fixed", 1, 0, 1.0 / 17, 11, 31}}};
static const setting_t crowded = {"few instances, short ticks", 5, 720, 6, 2,
    {{0.6, "normal", 2.4, 2.1, 0, 1, 1}, {0.7, "normal", 0, 1, 0.1, 3, 9}}};
static const setting_t steady = {"p near 1", 60, 50, 40, 20,
    {{0.95, "normal", 1, 3, 0, 1, 1}, {0.9, "moments", 2, 0, 0.02, 5, 6}}};

static int print_direction(
    char *text, size_t num_bytes, const char *name, const direction_t *direction)
{
    if (strcmp(direction->family, "fixed") == 0) {
        return snprintf(text, num_bytes,
            "%s: {per_minute: %.17g, count: {fixed: %g}, "
            "big: {probability: %.17g, range: [%d, %d]}}\n",
            name, direction->p_per_minute, direction->mean, direction->p_big, direction->low,
            direction->high);
    }
    return snprintf(text, num_bytes,
        "%s: {per_minute: %.17g, count: {%s: {mean: %.17g, std: %.17g}}, "
        "big: {probability: %.17g, range: [%d, %d]}}\n",
        name, direction->p_per_minute, direction->family, direction->mean, direction->std,
        direction->p_big, direction->low, direction->high);
}

static void make_setting_model(spot_trace_model_t *model, const setting_t *setting)
{
    char text[1024];
    int used = snprintf(text, sizeof(text),
        "spotsim-model: 1\ngenerator: seed\ntick_s: %d\nhorizon_s: %d\n"
        "capacity: %d\ninitial: %d\n",
        setting->tick_s, setting->tick_s * setting->num_ticks, setting->capacity, setting->initial);

    used += print_direction(
        text + used, sizeof(text) - (size_t) used, "preemption", &setting->directions[0]);
    (void) print_direction(
        text + used, sizeof(text) - (size_t) used, "addition", &setting->directions[1]);
    make_model(model, text);
}

/* What is looked at in one replication. */
typedef enum {
    PREEMPT_EVENTS,
    ADD_EVENTS,
    PREEMPTED,
    ADDED,
    FINAL_N,
    MEAN_N,
    MEAN_SQUARE_N,
    MAX_N,
    IS_EMPTY, /* N = 0 after some loss */
    IS_LOW,   /* N < 16 */
    IS_FULL,
    FIRST_TICK,
    FIRST_SIZE,
    SECOND_GAP,  /* in ticks, between the first two events of any direction */
    BOTH_EVENTS, /* ticks with a preemption and an addition */
    NUM_FIGURES
} figure_t;

static const struct {
    const char *name;
    double relative; /* a relevant bias is this share of the mean */
    double absolute; /* plus this */
} figures[NUM_FIGURES] = {
    [PREEMPT_EVENTS] = {"preemption events", 0.02, 0},
    [ADD_EVENTS] = {"addition events", 0.02, 0},
    [PREEMPTED] = {"preempted", 0.03, 0},
    [ADDED] = {"added", 0.03, 0},
    [FINAL_N] = {"final N", 0.1, 0},
    [MEAN_N] = {"mean N", 0.05, 0},
    [MEAN_SQUARE_N] = {"mean N squared", 0.1, 0},
    [MAX_N] = {"max N", 0.03, 0},
    [IS_EMPTY] = {"P(min N = 0)", 0, 0.05},
    [IS_LOW] = {"P(min N < 16)", 0, 0.05},
    [IS_FULL] = {"P(max N = C)", 0, 0.05},
    [FIRST_TICK] = {"first tick", 0.1, 0},
    [FIRST_SIZE] = {"first size", 0.2, 0.3},
    [SECOND_GAP] = {"second gap", 0.1, 0.1},
    [BOTH_EVENTS] = {"ticks with both", 0.1, 0},
};

typedef struct {
    const setting_t *setting;
    int64_t tick; /* of the latest event, or 0 */
    int64_t population;
    int64_t num_events;
    bool is_last_loss;
    double values[NUM_FIGURES];
} path_t;

static void path_start(path_t *self, const setting_t *setting)
{
    const path_t empty = {.setting = setting, .population = setting->initial};

    *self = empty;
    self->values[MAX_N] = setting->initial;
    self->values[IS_FULL] = setting->initial == setting->capacity;
    self->values[FIRST_TICK] = setting->num_ticks;
    self->values[SECOND_GAP] = setting->num_ticks;
}

/* Means are over the whole time: what is seen at a tick holds until the next one. */
static void path_hold(path_t *self, int64_t until_tick)
{
    const double n = (double) self->population;
    const double share = (double) (until_tick - self->tick) / self->setting->num_ticks;

    self->values[MEAN_N] += n * share;
    self->values[MEAN_SQUARE_N] += n * n * share;
}

static void path_event(path_t *self, int64_t tick, bool is_loss, int64_t count)
{
    double *values = self->values;

    if (self->num_events == 0) {
        values[FIRST_TICK] = (double) tick;
        values[FIRST_SIZE] = (double) count;
    } else if (self->num_events == 1) {
        values[SECOND_GAP] = (double) (tick - self->tick);
    }
    values[BOTH_EVENTS] += self->num_events > 0 && self->is_last_loss && tick == self->tick;
    path_hold(self, tick);
    self->tick = tick;
    self->num_events++;
    self->is_last_loss = is_loss;
    self->population += is_loss ? -count : count;
    values[is_loss ? PREEMPT_EVENTS : ADD_EVENTS]++;
    values[is_loss ? PREEMPTED : ADDED] += (double) count;
    values[IS_EMPTY] = values[IS_EMPTY] != 0 || self->population <= 0;
    values[IS_LOW] = values[IS_LOW] != 0 || self->population < 16;
    values[IS_FULL] = values[IS_FULL] != 0 || self->population == self->setting->capacity;
    values[MAX_N] = fmax(values[MAX_N], (double) self->population);
    assert_true(self->population >= 0 && self->population <= self->setting->capacity);
}

static void path_end(path_t *self)
{
    path_hold(self, self->setting->num_ticks);
    self->values[FINAL_N] = (double) self->population;
}

/* The generator under test. */
static void run_generator(events_t *events, path_t *path, uint64_t replication)
{
    const int64_t tick_ms = path->setting->tick_s * SPOT_MS_PER_S;
    spot_event_t event;

    events_start(events, 1, replication);
    while (events_next(events, &event)) {
        path_event(path, event.time_ms / tick_ms, event.kind == SPOT_EVENT_PREEMPT, event.count);
    }
    path_end(path);
}

/* The same written down as it is meant: a uniform number for each direction at each
 * tick, sizes from GSL. */
static int64_t plain_size(const direction_t *direction, gsl_rng *rng)
{
    const double excess = direction->mean - 1;
    const double rest = direction->std * direction->std - excess;
    double rounded;

    if (gsl_rng_uniform(rng) < direction->p_big) {
        return direction->low + (int64_t) gsl_rng_uniform_int(
                                    rng, (unsigned long) (direction->high - direction->low + 1));
    }
    if (strcmp(direction->family, "fixed") == 0) {
        return (int64_t) direction->mean;
    }
    if (strcmp(direction->family, "normal") == 0) {
        rounded = fabs(round(direction->mean + gsl_ran_gaussian(rng, direction->std)));
        return rounded < 1 ? 1 : (int64_t) rounded;
    }
    return 1 + (int64_t) (rest <= 0 ? gsl_ran_poisson(rng, excess)
                                    : gsl_ran_negative_binomial(
                                          rng, excess / (excess + rest), excess * excess / rest));
}

static void run_plain_trials(gsl_rng *rng, path_t *path)
{
    const setting_t *setting = path->setting;
    double p_per_tick[2];

    for (int j = 0; j < 2; j++) {
        p_per_tick[j] = 1 - pow(1 - setting->directions[j].p_per_minute, setting->tick_s / 60.0);
    }
    for (int64_t tick = 1; tick <= setting->num_ticks; tick++) {
        const bool is_preempt = gsl_rng_uniform(rng) < p_per_tick[0];
        const bool is_add = gsl_rng_uniform(rng) < p_per_tick[1];
        int64_t size;

        if (is_preempt && path->population > 0) {
            size = plain_size(&setting->directions[0], rng);
            path_event(path, tick, true, size < path->population ? size : path->population);
        }
        if (is_add && path->population < setting->capacity) {
            const int64_t room = setting->capacity - path->population;

            size = plain_size(&setting->directions[1], rng);
            path_event(path, tick, false, size < room ? size : room);
        }
    }
    path_end(path);
}

#define MAX_CELLS 400

typedef struct {
    spot_moments_t moments[NUM_FIGURES];
    double final_n[MAX_CELLS];
    double gap[MAX_CELLS];
    double events[MAX_CELLS];
} sample_t;

static void put(double cells[MAX_CELLS], double value)
{
    cells[value < MAX_CELLS ? (size_t) value : MAX_CELLS - 1]++;
}

static void sample_add(sample_t *self, const path_t *path)
{
    for (int j = 0; j < NUM_FIGURES; j++) {
        spot_moments_add(&self->moments[j], path->values[j]);
    }
    put(self->final_n, path->values[FINAL_N]);
    put(self->gap, path->values[SECOND_GAP]);
    put(self->events, path->values[PREEMPT_EVENTS] + path->values[ADD_EVENTS]);
}

static void sample_generator(sample_t *self, const setting_t *setting, int num_replications)
{
    spot_trace_model_t model;
    events_t events;
    path_t path;

    make_setting_model(&model, setting);
    events_init(&events, &model);
    for (int j = 0; j < num_replications; j++) {
        path_start(&path, setting);
        run_generator(&events, &path, (uint64_t) j);
        sample_add(self, &path);
    }
    events_free(&events);
    spot_trace_model_free(&model);
}

static void check_against_plain_trials(const setting_t *setting, int num_replications)
{
    sample_t lazy = {0}, plain = {0};
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    char what[128];
    path_t path;

    assert_non_null(rng);
    gsl_rng_set(rng, 4711);
    sample_generator(&lazy, setting, num_replications);
    for (int j = 0; j < num_replications; j++) {
        path_start(&path, setting);
        run_plain_trials(rng, &path);
        sample_add(&plain, &path);
    }
    gsl_rng_free(rng);
    for (int j = 0; j < NUM_FIGURES; j++) {
        const double mean = spot_moments_mean(&plain.moments[j]);

        snprintf(what, sizeof(what), "%s, %s", setting->name, figures[j].name);
        assert_same_mean(what, &lazy.moments[j], &plain.moments[j],
            figures[j].absolute + figures[j].relative * mean);
    }
    assert_same_counts("final N", lazy.final_n, plain.final_n, MAX_CELLS);
    assert_same_counts("second gap", lazy.gap, plain.gap, MAX_CELLS);
    assert_same_counts("events", lazy.events, plain.events, MAX_CELLS);
}

static void test_law_of_plain_trials(void **state)
{
    (void) state;
    check_against_plain_trials(&seed_study, 20000);
    check_against_plain_trials(&demo, 6000);
    check_against_plain_trials(&crowded, 20000);
    check_against_plain_trials(&steady, 20000);
}

/* No bounds in reach: the events are Bernoulli trials, and their number is binomial. */
static const setting_t unbounded = {"no bounds", 5, 4260, 1000000, 500000,
    {{P_PREEMPT, "fixed", 1, 0, 0, 1, 1}, {P_ADD, "fixed", 1, 0, 0, 1, 1}}};

static double p_per_tick_of(const setting_t *setting, int direction_id)
{
    return 1 - pow(1 - setting->directions[direction_id].p_per_minute, setting->tick_s / 60.0);
}

static void check_binomial(const char *what, const spot_moments_t *counts, const double *cells,
    double p, unsigned num_trials)
{
    const double num_values = (double) counts->num_values;
    double expected[MAX_CELLS], biased[MAX_CELLS];
    char name[64];

    snprintf(name, sizeof(name), "%s: mean number", what);
    assert_mean(name, counts, num_trials * p, 0.02 * num_trials * p);
    for (unsigned k = 0; k < MAX_CELLS; k++) {
        expected[k] = num_values * gsl_ran_binomial_pdf(k, p, num_trials);
        /* the notebook's share of a minute's probability: p/12 a tick */
        biased[k] = num_values * gsl_ran_binomial_pdf(k, P_PREEMPT / 12, num_trials);
    }
    snprintf(name, sizeof(name), "%s: law of the number", what);
    assert_counts(name, cells, expected, MAX_CELLS);
    assert_true(chi_square_z(cells, biased, MAX_CELLS) > POWER_Z);
}

static void test_numbers_of_events_are_binomial(void **state)
{
    enum { NUM_REPLICATIONS = 10000 };
    const double ps[2] = {p_per_tick_of(&unbounded, 0), p_per_tick_of(&unbounded, 1)};
    spot_moments_t preempts = {0}, adds = {0}, product = {0};
    double preempt_cells[MAX_CELLS] = {0}, add_cells[MAX_CELLS] = {0};
    spot_trace_model_t model;
    events_t events;
    path_t path;

    (void) state;
    assert_true(fabs(ps[0] - 0.014755525) < 5e-10);
    make_setting_model(&model, &unbounded);
    events_init(&events, &model);
    for (uint64_t j = 0; j < NUM_REPLICATIONS; j++) {
        double num_preempts, num_adds;

        path_start(&path, &unbounded);
        run_generator(&events, &path, j);
        num_preempts = path.values[PREEMPT_EVENTS];
        num_adds = path.values[ADD_EVENTS];
        spot_moments_add(&preempts, num_preempts);
        spot_moments_add(&adds, num_adds);
        spot_moments_add(&product, (num_preempts - 4260 * ps[0]) * (num_adds - 4260 * ps[1]));
        put(preempt_cells, num_preempts);
        put(add_cells, num_adds);
    }
    check_binomial("preemptions", &preempts, preempt_cells, ps[0], 4260);
    check_binomial("additions", &adds, add_cells, ps[1], 4260);
    /* Relevant: a tenth of what it would be if the directions shared a stream. */
    assert_mean("covariance of the directions", &product, 0, 0.1 * 4260 * ps[1]);
    events_free(&events);
    spot_trace_model_free(&model);
}

/* Gaps in ticks are geometric: mean 1/p, variance (1 - p)/p^2, no memory. */
static void test_gaps_are_geometric(void **state)
{
    enum { NUM_GAPS = 200000, MAX_GAP = 1000 };
    const double p = p_per_tick_of(&unbounded, 0), q = 1 - p;
    spot_moments_t gaps = {0}, squares = {0}, products = {0};
    double cells[MAX_GAP] = {0}, expected[MAX_GAP];
    double last = 0, last_tick = 0;
    spot_trace_model_t model;
    spot_event_t event;
    events_t events;

    (void) state;
    make_setting_model(&model, &unbounded);
    spot_trace_model_set_horizon(&model, SPOT_MAX_DURATION_MS);
    events_init(&events, &model);
    events_start(&events, 1, 0);
    for (int j = 0; j < NUM_GAPS;) {
        double tick, gap;

        assert_true(events_next(&events, &event));
        if (event.kind == SPOT_EVENT_ADD) {
            continue;
        }
        tick = (double) (event.time_ms / 5000);
        gap = tick - last_tick;
        spot_moments_add(&gaps, gap);
        spot_moments_add(&squares, (gap - 1 / p) * (gap - 1 / p));
        if (j > 0) {
            spot_moments_add(&products, (gap - 1 / p) * (last - 1 / p));
        }
        cells[gap < MAX_GAP ? (int) gap : MAX_GAP - 1]++;
        last = gap;
        last_tick = tick;
        j++;
    }
    for (int k = 0; k < MAX_GAP - 1; k++) {
        expected[k] = k == 0 ? 0 : NUM_GAPS * p * pow(q, k - 1);
    }
    expected[MAX_GAP - 1] = NUM_GAPS * pow(q, MAX_GAP - 2);
    assert_mean("mean gap", &gaps, 1 / p, 0.025 / p);
    assert_mean("variance of the gaps", &squares, q / (p * p), 0.07 * q / (p * p));
    assert_mean("autocovariance of the gaps", &products, 0, 0.03 * q / (p * p));
    assert_counts("gaps", cells, expected, MAX_GAP);
    events_free(&events);
    spot_trace_model_free(&model);
}

/* The stationary law of one slot that is free or taken, in closed form: after a tick it
 * is taken with probability a if it was free, 1 - p (1 - a) if not. */
static void test_one_slot_is_a_markov_chain(void **state)
{
    static const setting_t one_slot = {
        "one slot", 60, 2000, 1, 0, {{0.3, "fixed", 4, 0, 0, 1, 1}, {0.2, "fixed", 4, 0, 0, 1, 1}}};
    const double taken = 0.2 / (0.2 + 0.3 * 0.8), rate = 1 - 0.2 - 0.3 * 0.8;
    sample_t sample = {0};

    (void) state;
    sample_generator(&sample, &one_slot, 4000);
    /* It starts free: at tick k, taken * rate^k is missing. */
    assert_mean("time taken", &sample.moments[MEAN_N],
        taken * (1 - (1 - pow(rate, 2000)) / (1 - rate) / 2000), 0.02 * taken);
    assert_mean("taken at the end", &sample.moments[FINAL_N], taken, 0.08);
}

/* A row of the reference: mean and sd over 10^6 runs. */
static bool find_reference(
    FILE *file, const char *parameters, const char *quantity, double *mean, double *std)
{
    char line[256], key[128];

    snprintf(key, sizeof(key), "corrected,%s,%s,", parameters, quantity);
    rewind(file);
    while (fgets(line, sizeof(line), file) != NULL) {
        if (strncmp(line, key, strlen(key)) == 0) {
            char *rest;

            *mean = strtod(line + strlen(key), &rest);
            *std = strtod(rest + 1, NULL);
            return true;
        }
    }
    return false;
}

static void check_reference(
    FILE *file, const char *parameters, const setting_t *setting, int num_replications)
{
    const double num_reference = 1e6;
    static const struct {
        const char *quantity;
        figure_t figure;
    } rows[] = {
        {"preempt_events", PREEMPT_EVENTS},
        {"add_events", ADD_EVENTS},
        {"preempted", PREEMPTED},
        {"added", ADDED},
        {"final_N", FINAL_N},
        {"mean_N", MEAN_N},
        {"P(N<=0)", IS_EMPTY},
        {"P(min N<16)", IS_LOW},
        {"max N", MAX_N},
    };
    sample_t sample = {0};
    double mean = 0, std = 0;

    sample_generator(&sample, setting, num_replications);
    for (size_t j = 0; j < sizeof(rows) / sizeof(rows[0]); j++) {
        const figure_t figure = rows[j].figure;
        double se, difference;

        assert_true(find_reference(file, parameters, rows[j].quantity, &mean, &std));
        se = std * sqrt(1.0 / num_replications + 1 / num_reference);
        difference = spot_moments_mean(&sample.moments[figure]) - mean;
        print_message("%s, %s: %.8g, reference %.8g, z %.2f\n", parameters, rows[j].quantity,
            mean + difference, mean, difference / se);
        assert_z(rows[j].quantity, difference / se);
        assert_true(POWER_Z * se <= figures[figure].absolute + figures[figure].relative * mean);
    }
}

static void test_reference(void **state)
{
    FILE *file = fopen(REFERENCE, "r");

    (void) state;
    if (file == NULL) {
        skip_without_data();
    }
    check_reference(file, "fitted", &seed_study, 20000);
    check_reference(file, "demo", &demo, 6000);
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_of_events_are_binomial),
        cmocka_unit_test(test_gaps_are_geometric),
        cmocka_unit_test(test_one_slot_is_a_markov_chain),
        cmocka_unit_test(test_law_of_plain_trials),
        cmocka_unit_test(test_reference),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
