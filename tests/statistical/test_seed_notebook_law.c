/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The seed generator's forms of the notebook against a reference of 10^6 runs, and
 * against what can be said about them in closed form. */
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

#define CAPACITY 64
#define INITIAL 32
#define NUM_MINUTES 355
#define NUM_REFERENCE_RUNS 1e6

typedef struct {
    const char *name; /* as in the reference */
    int64_t tick_ms;
} variant_t;

static const variant_t cell42 = {"cell42", SPOT_MS_PER_MIN};
static const variant_t loop = {"loop", 5 * SPOT_MS_PER_S};

/* "fitted" and "demo", in the notebook's law of sizes. */
typedef struct {
    const char *name;
    double p_preempt, p_add;
    double preempt_mean, preempt_std, add_mean, add_std;
} parameters_t;

static const parameters_t fitted = {"fitted", 0.16338028169014085, 0.14366197183098592,
    2.413793103448276, 2.086165648825032, 2.5416666666666665, 1.9456261184790364};
static const parameters_t demo = {"demo", 0.5, 0.5, 0, 1, 0, 1};

static void make_variant_model(spot_trace_model_t *model, const variant_t *variant,
    const parameters_t *parameters, int capacity, int initial, const char *more)
{
    char text[1024];

    snprintf(text, sizeof(text),
        "spotsim-model: 1\ngenerator: seed\nvariant: %s\ncompat: notebook\n%s"
        "horizon_s: %d\ncapacity: %d\ninitial: %d\n"
        "preemption: {per_minute: %.17g, count: {normal: {mean: %.17g, std: %.17g}}}\n"
        "addition: {per_minute: %.17g, count: {normal: {mean: %.17g, std: %.17g}}, "
        "big: {probability: 0.058823529411764705, range: [11, 31]}}\n",
        variant->name, more, 60 * NUM_MINUTES, capacity, initial, parameters->p_preempt,
        parameters->preempt_mean, parameters->preempt_std, parameters->p_add, parameters->add_mean,
        parameters->add_std);
    make_model(model, text);
}

/* What is looked at in one replication, under the names of the reference. */
typedef enum {
    PREEMPT_EVENTS,
    ADD_EVENTS,
    PREEMPTED,
    ADDED,
    FINAL_N,
    MEAN_N, /* before the events of a tick, over all ticks */
    IS_BELOW_0,
    IS_ABOVE_64,
    IS_OVERDRAWN,
    IS_UP_TO_0,
    IS_BELOW_16,
    MAX_N,
    NUM_FIGURES
} figure_t;

static const char *const figure_names[NUM_FIGURES] = {"preempt_events", "add_events", "preempted",
    "added", "final_N", "mean_N", "P(N<0)", "P(N>64)", "P(draw>population)", "P(N<=0)",
    "P(min N<16)", "max N"};

/* In the loop the minimum of N is taken after the losses of each tick, the maximum after
 * its additions; both begin with the first tick. cell42 has one row a minute: there the
 * reference has both after the additions (with 300,000 runs the minimum after the losses
 * is 10 standard errors away, this one within 2). */
typedef struct {
    int64_t population;
    int64_t min_n;
    int64_t max_n;
    double values[NUM_FIGURES];
} path_t;

static void path_see(path_t *self, int64_t after_losses, int64_t after_additions)
{
    self->min_n = after_losses < self->min_n ? after_losses : self->min_n;
    self->max_n = after_additions > self->max_n ? after_additions : self->max_n;
}

static void path_take(path_t *self, const spot_event_t *event)
{
    const bool is_loss = event->kind == SPOT_EVENT_PREEMPT;

    self->population += is_loss ? -event->count : event->count;
    self->values[is_loss ? PREEMPT_EVENTS : ADD_EVENTS]++;
    self->values[is_loss ? PREEMPTED : ADDED] += event->count;
}

/* The events of one tick, of which the first is given; false: there are no more. */
static bool path_take_tick(
    path_t *self, events_t *events, const variant_t *variant, spot_event_t *event)
{
    const int64_t time_ms = event->time_ms;
    int64_t after_losses = self->population;
    bool is_more = true;

    while (is_more && event->time_ms == time_ms) {
        path_take(self, event);
        if (event->kind == SPOT_EVENT_PREEMPT) {
            after_losses = self->population;
        }
        is_more = events_next(events, event);
    }
    path_see(self, variant == &loop ? after_losses : self->population, self->population);
    return is_more;
}

/* Between two ticks with events all ticks see the same population. */
static void path_run(path_t *self, events_t *events, const variant_t *variant, uint64_t replication)
{
    const int64_t num_ticks = NUM_MINUTES * SPOT_MS_PER_MIN / variant->tick_ms;
    const path_t empty = {.population = INITIAL, .min_n = INT64_MAX, .max_n = INT64_MIN};
    int64_t next_tick = 0, sum = 0;
    double *values = self->values;
    spot_event_t event;
    bool is_more;

    *self = empty;
    events_start(events, 1, replication);
    is_more = events_next(events, &event);
    while (next_tick < num_ticks) {
        const int64_t tick = is_more ? event.time_ms / variant->tick_ms : num_ticks;

        assert_true(tick >= next_tick && tick <= num_ticks);
        if (tick > next_tick) {
            sum += self->population * (tick - next_tick);
            path_see(self, self->population, self->population);
        }
        if (is_more) {
            sum += self->population;
            is_more = path_take_tick(self, events, variant, &event);
        }
        next_tick = tick + 1;
    }
    assert_false(is_more);
    values[MEAN_N] = (double) sum / (double) num_ticks;
    values[FINAL_N] = (double) self->population;
    values[IS_BELOW_0] = self->min_n < 0;
    values[IS_UP_TO_0] = self->min_n <= 0;
    values[IS_BELOW_16] = self->min_n < 16;
    values[IS_ABOVE_64] = self->max_n > CAPACITY;
    values[MAX_N] = (double) self->max_n;
}

/* A figure and, for the standard error of its standard deviation, the sum of
 * (x - mean)^4, where mean is that of the reference. */
typedef struct {
    spot_moments_t moments;
    double fourth;
} sample_t;

/* Returns the largest N of all. */
static int64_t sample_variant(sample_t samples[NUM_FIGURES], const double centres[NUM_FIGURES],
    const variant_t *variant, const parameters_t *parameters, int num_replications)
{
    const bool is_loop = variant == &loop;
    spot_trace_model_t model, stopping, roomy;
    events_t events, stopped, all;
    int64_t largest = 0;
    path_t path;

    make_variant_model(
        &model, variant, parameters, CAPACITY, INITIAL, is_loop ? "overdraw: clip\n" : "");
    make_variant_model(&stopping, variant, parameters, CAPACITY, INITIAL, "");
    make_variant_model(
        &roomy, variant, parameters, 1000000, INITIAL, is_loop ? "overdraw: clip\n" : "");
    events_init(&events, &model);
    events_init(&stopped, &stopping);
    events_init(&all, &roomy);
    for (uint64_t j = 0; j < (uint64_t) num_replications; j++) {
        spot_event_t event;

        path_run(&path, &events, variant, j);
        /* The reference counts additions for which there was no room, too. */
        path.values[ADD_EVENTS] = 0;
        events_start(&all, 1, j);
        while (events_next(&all, &event)) {
            path.values[ADD_EVENTS] += event.kind == SPOT_EVENT_ADD;
        }
        events_start(&stopped, 1, j);
        while (events_next(&stopped, &event)) {
        }
        path.values[IS_OVERDRAWN] = spot_trace_model_stopped_ms(&stopping, stopped.state) >= 0;
        for (int k = 0; k < NUM_FIGURES; k++) {
            spot_moments_add(&samples[k].moments, path.values[k]);
            samples[k].fourth += pow(path.values[k] - centres[k], 4);
        }
        largest = path.max_n > largest ? path.max_n : largest;
    }
    events_free(&events);
    events_free(&stopped);
    events_free(&all);
    spot_trace_model_free(&model);
    spot_trace_model_free(&stopping);
    spot_trace_model_free(&roomy);
    return largest;
}

/* A row of the reference: mean and sd over its runs. */
static void find_reference(FILE *file, const char *variant, const char *parameters,
    const char *quantity, double *mean, double *std)
{
    char line[256], key[128];

    snprintf(key, sizeof(key), "%s,%s,%s,", variant, parameters, quantity);
    rewind(file);
    while (fgets(line, sizeof(line), file) != NULL) {
        if (strncmp(line, key, strlen(key)) == 0) {
            char *rest;

            *mean = strtod(line + strlen(key), &rest);
            *std = strtod(rest + 1, NULL);
            return;
        }
    }
    fail_msg("no row %s", key);
}

static bool is_probability(const char *quantity)
{
    return quantity[0] == 'P';
}

/* The fourth central moment over the squared variance: known of a probability, else
 * estimated. */
static double kurtosis_of(const sample_t *sample, const char *quantity, double mean, double std)
{
    const double num_runs = (double) sample->moments.num_values;

    return is_probability(quantity) ? 1 / (mean * (1 - mean)) - 3
                                    : sample->fourth / num_runs / pow(std, 4);
}

/* Mean and standard deviation, with the errors of both sides; that of a standard
 * deviation s is s/2 sqrt((kurtosis - 1)/n) for large n. */
static void check_row(
    const char *what, const char *quantity, const sample_t *sample, double mean, double std)
{
    const double num_runs = (double) sample->moments.num_values;
    const double both = sqrt(1 / num_runs + 1 / NUM_REFERENCE_RUNS);
    const double own_mean = spot_moments_mean(&sample->moments);
    const double own_std = sqrt(num_runs) * spot_moments_stderr(&sample->moments);
    double kurtosis, mean_z, std_z;

    if (std == 0) {
        print_message("%s: %.8g, always\n", what, own_mean);
        assert_true(own_mean == mean && own_std == 0);
        return;
    }
    kurtosis = kurtosis_of(sample, quantity, mean, std);
    mean_z = (own_mean - mean) / (std * both);
    std_z = (own_std - std) / (std / 2 * sqrt(kurtosis - 1) * both);
    print_message("%s: %.8g, truth %.8g, z %.2f; sd %.8g, truth %.8g, z %.2f\n", what, own_mean,
        mean, mean_z, own_std, std, std_z);
    assert_z(what, mean_z);
    assert_z(what, std_z);
}

static void check_variant(
    FILE *file, const variant_t *variant, const parameters_t *parameters, int num_replications)
{
    double means[NUM_FIGURES], stds[NUM_FIGURES];
    sample_t samples[NUM_FIGURES] = {0};
    double largest, none;
    int64_t largest_seen;
    char what[128];

    for (int j = 0; j < NUM_FIGURES; j++) {
        find_reference(file, variant->name, parameters->name, figure_names[j], &means[j], &stds[j]);
    }
    largest_seen = sample_variant(samples, means, variant, parameters, num_replications);
    for (int j = 0; j < NUM_FIGURES; j++) {
        snprintf(
            what, sizeof(what), "%s, %s, %s", variant->name, parameters->name, figure_names[j]);
        check_row(what, figure_names[j], &samples[j], means[j], stds[j]);
    }
    find_reference(file, variant->name, parameters->name, "largest N seen", &largest, &none);
    print_message("%s, %s: largest N %lld, of 1e6 runs %g\n", variant->name, parameters->name,
        (long long) largest_seen, largest);
    assert_true((double) largest_seen <= largest);
}

static void test_reference(void **state)
{
    enum { NUM_REPLICATIONS = 20000 };
    const variant_t *const variants[] = {&cell42, &loop};
    const parameters_t *const all_parameters[] = {&fitted, &demo};
    FILE *file = fopen(REFERENCE, "r");

    (void) state;
    if (file == NULL) {
        skip_without_data();
    }
    for (int j = 0; j < 4; j++) {
        check_variant(file, variants[j / 2], all_parameters[j % 2], NUM_REPLICATIONS);
    }
    fclose(file);
}

/* cell42 knows no limits, so that sums over 355 minutes are known: of B K, B a Bernoulli
 * trial and K a size, mean p m and variance p (s^2 + m^2) - (p m)^2 a minute. */
static void test_cell42_is_a_compound_binomial(void **state)
{
    enum { NUM_REPLICATIONS = 40000 };
    /* mean and sd of max(1, |round N(mu, sd)|), fitted and (0, 1) */
    static const double means[] = {2.7593380, 1.1465058}, stds[] = {1.6571349, 0.3895929};
    const parameters_t *const all_parameters[] = {&fitted, &demo};

    (void) state;
    for (int j = 0; j < 2; j++) {
        const double p = all_parameters[j]->p_preempt, m = means[j], s = stds[j];
        const double variance = NUM_MINUTES * (p * (s * s + m * m) - p * m * p * m);
        spot_moments_t preempted = {0}, squares = {0};
        spot_trace_model_t model;
        events_t events;
        path_t path;

        make_variant_model(&model, &cell42, all_parameters[j], CAPACITY, INITIAL, "");
        events_init(&events, &model);
        for (uint64_t k = 0; k < NUM_REPLICATIONS; k++) {
            double centred;

            path_run(&path, &events, &cell42, k);
            centred = path.values[PREEMPTED] - NUM_MINUTES * p * m;
            spot_moments_add(&preempted, path.values[PREEMPTED]);
            spot_moments_add(&squares, centred * centred);
        }
        assert_mean("preempted", &preempted, NUM_MINUTES * p * m, 0.01 * NUM_MINUTES * p * m);
        assert_mean("variance of it", &squares, variance, 0.08 * variance);
        events_free(&events);
        spot_trace_model_free(&model);
    }
}

/* Far from all limits the loop's ticks have p/12 each, unless tick-share is corrected:
 * then a minute has an event with the probability p that was asked for. A twentieth of
 * the additions is big where big-share is kept, else the model's share of 1/17. */
static void test_shares_of_the_loop(void **state)
{
    enum { NUM_REPLICATIONS = 100000 };
    static const struct {
        const char *compat;
        double p_first_minute, p_big;
    } cases[] = {
        {"notebook", 0.15168, 0.05},
        {"[tick-share]", 0.15168, 1.0 / 17},
        {"[big-share]", 0.16338028169014085, 0.05},
        {"none", 0.16338028169014085, 1.0 / 17},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        spot_moments_t first_minute = {0}, big = {0};
        spot_trace_model_t model;
        spot_event_t event;
        events_t events;
        char text[512];

        snprintf(text, sizeof(text),
            "spotsim-model: 1\ngenerator: seed\nvariant: loop\ncompat: %s\n"
            "horizon_s: 60\ncapacity: 1000000\ninitial: 500000\n"
            "preemption: {per_minute: 0.16338028169014085, count: {fixed: 1}}\n"
            "addition: {per_minute: 1, count: {fixed: 1}, big: {probability: "
            "0.058823529411764705, range: [11, 31]}}\n",
            cases[j].compat);
        make_model(&model, text);
        events_init(&events, &model);
        for (uint64_t k = 0; k < NUM_REPLICATIONS; k++) {
            bool is_seen = false;

            events_start(&events, 5, k);
            while (events_next(&events, &event)) {
                is_seen = is_seen ||
                          (event.kind == SPOT_EVENT_PREEMPT && event.time_ms < SPOT_MS_PER_MIN);
                if (event.kind == SPOT_EVENT_ADD) {
                    spot_moments_add(&big, event.count >= 11);
                }
            }
            spot_moments_add(&first_minute, is_seen);
        }
        assert_mean("P(event in a minute)", &first_minute, cases[j].p_first_minute, 0.0117);
        assert_mean("share of big additions", &big, cases[j].p_big, 0.008);
        events_free(&events);
        spot_trace_model_free(&model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_cell42_is_a_compound_binomial),
        cmocka_unit_test(test_shares_of_the_loop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
