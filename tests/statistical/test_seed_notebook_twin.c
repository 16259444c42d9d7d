/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The seed generator's two forms of the notebook against a twin that walks through every
 * tick, as the notebook does, with each of the defects in turn. The generator skips the
 * ticks without an event and draws from tables: both must have the same law, and each
 * defect must show. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <gsl/gsl_randist.h>

#include "base/rng.h"
#include "base/units.h"
#include "tests/statistical/statistics.h"
#include "tests/unit/generate/model_text.h"

#define NUM_REPLICATIONS 10000
#define NUM_MINUTES 40
#define CAPACITY 24
#define INITIAL 9

/* Unlike the study's, so that no defect is hidden: sizes that often round to 0, many big
 * additions, probabilities whose twelfth differs from a minute's share. */
#define P_PREEMPT 0.7
#define P_ADD 0.6
#define PREEMPT_MEAN 0.8
#define PREEMPT_STD 1.9
#define ADD_MEAN 0.3
#define ADD_STD 0.8
#define P_BIG 0.12
#define BIG_LOW 4
#define BIG_HIGH 7

/* What is kept of the notebook. */
typedef struct {
    const char *compat; /* as the model says it */
    bool is_loop;
    bool has_no_limits;
    bool is_clipped; /* no-limits, but not below 0 */
    bool has_cap_bypass;
    bool has_overdraw;
    bool has_big_share;
    bool has_tick_share;
} form_t;

static const form_t cell42_forms[] = {
    {.compat = "notebook", .has_no_limits = true},
    {.compat = "[no-limits]", .has_no_limits = true, .is_clipped = true},
    {.compat = "none"},
};

static const form_t loop_forms[] = {
    {"notebook", true, false, false, true, true, true, true},
    {"[overdraw, big-share, tick-share]", true, false, false, false, true, true, true},
    {"[cap-bypass, big-share, tick-share]", true, false, false, true, false, true, true},
    {"[cap-bypass, overdraw, tick-share]", true, false, false, true, true, false, true},
    {"[cap-bypass, overdraw, big-share]", true, false, false, true, true, true, false},
    {"none", true, false, false, false, false, false, false},
};

/* What is counted of a replication; for each a histogram of values from -OFFSET on. */
enum { PREEMPT_EVENTS, PREEMPTED, ADD_EVENTS, ADDED, FINAL_N, MAX_N, LAST_MIN, NUM_FIGURES };
enum { OFFSET = 400, NUM_VALUES = 2 * OFFSET };

typedef struct {
    double counts[NUM_FIGURES][NUM_VALUES];
} histograms_t;

typedef struct {
    int64_t values[NUM_FIGURES];
} outcome_t;

static const char *const figure_names[NUM_FIGURES] = {"preempt events", "preempted", "add events",
    "added", "final N", "max N", "minute of the last event"};

static void see(outcome_t *self, spot_event_kind_t kind, int64_t count, int64_t time_ms)
{
    const bool is_loss = kind == SPOT_EVENT_PREEMPT;

    self->values[is_loss ? PREEMPT_EVENTS : ADD_EVENTS]++;
    self->values[is_loss ? PREEMPTED : ADDED] += count;
    self->values[FINAL_N] += is_loss ? -count : count;
    if (self->values[FINAL_N] > self->values[MAX_N]) {
        self->values[MAX_N] = self->values[FINAL_N];
    }
    self->values[LAST_MIN] = time_ms / SPOT_MS_PER_MIN;
}

static void count_outcome(histograms_t *self, const outcome_t *outcome)
{
    for (int j = 0; j < NUM_FIGURES; j++) {
        const int64_t value = outcome->values[j] + OFFSET;

        assert_true(value >= 0 && value < NUM_VALUES);
        self->counts[j][value]++;
    }
}

/* ---- The generator ---- */

static void make_form(spot_trace_model_t *model, const form_t *form)
{
    char text[1024];

    snprintf(text, sizeof(text),
        "spotsim-model: 1\ngenerator: seed\nvariant: %s\ncompat: %s\n%s"
        "horizon_s: %d\ncapacity: %d\ninitial: %d\n"
        "preemption: {per_minute: %.17g, count: {normal: {mean: %.17g, std: %.17g}}}\n"
        "addition: {per_minute: %.17g, count: {normal: {mean: %.17g, std: %.17g}}, "
        "big: {probability: %.17g, range: [%d, %d]}}\n",
        form->is_loop ? "loop" : "cell42", form->compat, form->is_clipped ? "overdraw: clip\n" : "",
        60 * NUM_MINUTES, CAPACITY, INITIAL, P_PREEMPT, PREEMPT_MEAN, PREEMPT_STD, P_ADD, ADD_MEAN,
        ADD_STD, P_BIG, BIG_LOW, BIG_HIGH);
    make_model(model, text);
}

static void run_generator(histograms_t *histograms, const form_t *form)
{
    spot_trace_model_t model;
    events_t events;

    make_form(&model, form);
    events_init(&events, &model);
    memset(histograms, 0, sizeof(*histograms));
    for (uint64_t replication = 0; replication < NUM_REPLICATIONS; replication++) {
        outcome_t outcome = {.values = {[FINAL_N] = INITIAL, [MAX_N] = INITIAL}};
        spot_event_t event;

        events_start(&events, 11, replication);
        while (events_next(&events, &event)) {
            see(&outcome, event.kind, event.count, event.time_ms);
        }
        count_outcome(histograms, &outcome);
    }
    events_free(&events);
    spot_trace_model_free(&model);
}

/* ---- The twin ---- */

static bool happens(spot_rng_t *rng, double p)
{
    return spot_rng_uniform(rng) < p;
}

/* May be 0. */
static int64_t draw_number(spot_rng_t *rng, double mean, double std)
{
    return (int64_t) fabs(round(mean + gsl_ran_gaussian(spot_rng_gsl(rng), std)));
}

static int64_t at_least_one(int64_t number)
{
    return number > 1 ? number : 1;
}

static int64_t at_most(int64_t number, int64_t most)
{
    return number < most ? number : most;
}

static int64_t draw_addition(spot_rng_t *rng, const form_t *form, int64_t room)
{
    const bool is_fixed = form->has_big_share;
    int64_t number;

    if (happens(rng, is_fixed ? 0.05 : P_BIG)) {
        const int64_t low = is_fixed ? 11 : BIG_LOW, high = is_fixed ? 31 : BIG_HIGH;

        number = low + (int64_t) spot_rng_below(rng, (uint64_t) (high - low + 1));
    } else {
        number = draw_number(rng, ADD_MEAN, ADD_STD);
    }
    if (form->has_no_limits) {
        return at_least_one(number);
    }
    if (number == 0 && form->has_cap_bypass) {
        return 1;
    }
    return room <= 0 ? 0 : at_most(at_least_one(number), room);
}

/* One tick. false: an overdraw ends it all. */
static bool twin_tick(outcome_t *self, spot_rng_t *rng, const form_t *form, int64_t time_ms)
{
    const double p_loss = !form->is_loop         ? P_PREEMPT
                          : form->has_tick_share ? P_PREEMPT / 12
                                                 : 1 - pow(1 - P_PREEMPT, 1 / 12.0);
    const double p_addition = !form->is_loop         ? P_ADD
                              : form->has_tick_share ? P_ADD / 12
                                                     : 1 - pow(1 - P_ADD, 1 / 12.0);
    const bool is_raw = form->has_no_limits && !form->is_clipped;
    const int64_t population = self->values[FINAL_N];
    const bool is_loss = happens(rng, p_loss), is_addition = happens(rng, p_addition);
    int64_t num_lost = 0, num_added = 0;

    if (is_loss && (population > 0 || is_raw)) {
        num_lost = at_least_one(draw_number(rng, PREEMPT_MEAN, PREEMPT_STD));
        if (!is_raw && num_lost > population) {
            if (form->has_overdraw) {
                return false;
            }
            num_lost = population;
        }
    }
    if (is_addition) {
        const int64_t room = CAPACITY - population + (form->is_loop ? 0 : num_lost);

        num_added = draw_addition(rng, form, room);
    }
    if (num_lost > 0) {
        see(self, SPOT_EVENT_PREEMPT, num_lost, time_ms);
    }
    if (num_added > 0) {
        see(self, SPOT_EVENT_ADD, num_added, time_ms);
    }
    return true;
}

static void run_twin(histograms_t *histograms, const form_t *form)
{
    const int64_t tick_ms = form->is_loop ? 5 * SPOT_MS_PER_S : SPOT_MS_PER_MIN;
    const int64_t end_ms = NUM_MINUTES * SPOT_MS_PER_MIN;

    memset(histograms, 0, sizeof(*histograms));
    for (uint64_t replication = 0; replication < NUM_REPLICATIONS; replication++) {
        outcome_t outcome = {.values = {[FINAL_N] = INITIAL, [MAX_N] = INITIAL}};
        int64_t time_ms = 0;
        spot_rng_t rng;

        spot_rng_seek(&rng, 12, replication, SPOT_STREAM_BOOTSTRAP, 0);
        while (time_ms < end_ms && twin_tick(&outcome, &rng, form, time_ms)) {
            time_ms += tick_ms;
        }
        count_outcome(histograms, &outcome);
    }
}

/* ---- The tests ---- */

/* The largest over all figures. */
static double largest_z(const histograms_t *histograms, const histograms_t *others, int *worst_id)
{
    double largest = -(double) INFINITY;

    for (int j = 0; j < NUM_FIGURES; j++) {
        const double z = same_counts_z(histograms->counts[j], others->counts[j], NUM_VALUES);

        if (z > largest) {
            largest = z;
            *worst_id = j;
        }
    }
    return largest;
}

/* Every form against the twin of every form: alike on the diagonal, and nowhere else. */
static void check_forms(const form_t *forms, size_t num_forms)
{
    histograms_t *generated = spot_calloc(num_forms, sizeof(*generated));
    histograms_t *walked = spot_calloc(num_forms, sizeof(*walked));

    assert_true(generated != NULL && walked != NULL);
    for (size_t j = 0; j < num_forms; j++) {
        run_generator(&generated[j], &forms[j]);
        run_twin(&walked[j], &forms[j]);
    }
    for (size_t j = 0; j < num_forms; j++) {
        for (size_t k = 0; k < num_forms; k++) {
            int worst_id = 0;
            const double z = largest_z(&generated[j], &walked[k], &worst_id);

            print_message("compat %s against the twin's %s: z %.2f in %s\n", forms[j].compat,
                forms[k].compat, z, figure_names[worst_id]);
            if (j == k ? !(z <= MAX_Z) : !(z >= POWER_Z)) {
                fail_msg("%s", j == k ? "not the same law" : "no power");
            }
        }
    }
    free(generated);
    free(walked);
}

static void test_cell42(void **state)
{
    (void) state;
    check_forms(cell42_forms, sizeof(cell42_forms) / sizeof(cell42_forms[0]));
}

static void test_loop(void **state)
{
    (void) state;
    check_forms(loop_forms, sizeof(loop_forms) / sizeof(loop_forms[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cell42),
        cmocka_unit_test(test_loop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
