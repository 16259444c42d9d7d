/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gsl/gsl_randist.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/units.h"
#include "tests/unit/generate/process_twin.h"
#include "traces/generate/generator_parts.h"

enum { P = SPOT_EVENT_PREEMPT, A = SPOT_EVENT_ADD };

/* A model as numbers; every gap is hyperexponential, p1 = 1: exponential. */
typedef struct {
    int capacity, initial;
    double tick_s, horizon_s, p_after[2];
    double gaps[6][3]; /* PP, PA, AP, AA, full, empty: p1, mu1, mu2 */
    double pi_all[2], p[2];
    bool is_hourly;
    double rates[2][24], start_hour;
    double life_sigma; /* 0: none; lognormal, zeta 8 */
    int first_previous;
} numbers_t;

static void draw_numbers(numbers_t *self, uint64_t seed)
{
    static const double ticks_s[] = {60, 1, 300, 5};
    spot_rng_t rng;

    spot_rng_seek(&rng, seed, 0, SPOT_STREAM_BOOTSTRAP, 0);
    memset(self, 0, sizeof(*self));
    self->capacity = 1 + (int) spot_rng_below(&rng, seed % 3 == 0 ? 3 : 60);
    self->initial = (int) spot_rng_below(&rng, (uint64_t) self->capacity + 1);
    self->tick_s = ticks_s[spot_rng_below(&rng, 4)];
    self->horizon_s = 50000;
    self->first_previous = (int) spot_rng_below(&rng, 2);
    for (int j = 0; j < 6; j++) {
        self->gaps[j][0] = spot_rng_below(&rng, 2) == 0 ? 1 : spot_rng_uniform(&rng);
        self->gaps[j][1] = 1 + 200 * spot_rng_uniform(&rng);
        self->gaps[j][2] = 1 + 900 * spot_rng_uniform(&rng);
    }
    for (int j = 0; j < 2; j++) {
        self->p_after[j] = spot_rng_uniform(&rng);
        self->pi_all[j] = spot_rng_below(&rng, 2) == 0 ? 0 : spot_rng_uniform(&rng);
        self->p[j] = spot_rng_below(&rng, 4) == 0 ? 0 : spot_rng_uniform(&rng);
        for (int hour = 0; hour < 24; hour++) {
            self->rates[j][hour] = spot_rng_below(&rng, 4) == 0 ? 0 : spot_rng_uniform(&rng);
        }
    }
    self->start_hour = 23.9 * spot_rng_uniform(&rng);
}

static void put_rates(FILE *out, const char *key, const double *rates)
{
    fprintf(out, "%s: [", key);
    for (int hour = 0; hour < 24; hour++) {
        fprintf(out, "%s%.17g", hour == 0 ? "" : ", ", rates[hour]);
    }
    fputs("]", out);
}

static void make_mrp(spot_trace_model_t *model, const numbers_t *n)
{
    static const char *const keys[] = {
        "preempt_preempt", "preempt_add", "add_preempt", "add_add", "full", "empty"};
    size_t num_bytes = 0;
    char *text = NULL;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    fprintf(out,
        "generator: mrp\ncapacity: %d\ninitial: %d\ntick_s: %g\nhorizon_s: %g\n"
        "first_previous: %s\np_preempt_after: {preempt: %.17g, add: %.17g}\ngaps_s:\n",
        n->capacity, n->initial, n->tick_s, n->horizon_s,
        n->first_previous == P ? "preempt" : "add", n->p_after[P], n->p_after[A]);
    for (int j = 0; j < 6; j++) {
        if (n->gaps[j][0] == 1) {
            fprintf(out, "  %s: {family: exponential, mu: %.17g}\n", keys[j], n->gaps[j][1]);
        } else {
            fprintf(out, "  %s: {family: hyperexp2, p1: %.17g, mu1: %.17g, mu2: %.17g}\n", keys[j],
                n->gaps[j][0], n->gaps[j][1], n->gaps[j][2]);
        }
    }
    fprintf(out,
        "bulk: {preempt: {law: all-or-geometric, pi_all: %.17g, p: %.17g}, add: "
        "{pi_all: "
        "%.17g, p: %.17g}}\n",
        n->pi_all[P], n->p[P], n->pi_all[A], n->p[A]);
    if (n->is_hourly) {
        fprintf(out, "hourly: {start_hour: %.17g, ", n->start_hour);
        put_rates(out, "preempt", n->rates[P]);
        put_rates(out, ", add", n->rates[A]);
        fputs("}\n", out);
    }
    if (n->life_sigma > 0) {
        fprintf(out, "lifetimes: {law: lognormal, zeta: 8, sigma: %.17g}\n", n->life_sigma);
    }
    assert_int_equal(fclose(out), 0);
    make_model(model, text);
    free(text);
}

typedef struct {
    const numbers_t *n;
    int64_t population;
    int previous, type;
    double now_s, pending_s;
    spot_rng_t types, gaps, counts;
} twin_t;

static void twin_start(twin_t *self, const numbers_t *n, uint64_t replication)
{
    self->n = n;
    self->population = n->initial;
    self->previous = n->first_previous;
    self->now_s = 0;
    spot_rng_seek(&self->types, 1, replication, SPOT_STREAM_TYPE, 0);
    spot_rng_seek(&self->gaps, 1, replication, SPOT_STREAM_GAP, 0);
    spot_rng_seek(&self->counts, 1, replication, SPOT_STREAM_COUNT, 0);
}

/* In steps of whole hours and then inside one, from the definition. */
static double twin_hourly_end(const numbers_t *n, int type, double start_s, double gap_s)
{
    double mean = 0, now_s = start_s;

    for (int hour = 0; hour < 24; hour++) {
        mean += n->rates[type][hour] / 24;
    }
    for (;;) {
        const double clock_h = n->start_hour + now_s / 3600;
        const double rate = n->rates[type][(int) fmod(floor(clock_h + 1e-9), 24)] / mean;
        const double left_s = (floor(clock_h + 1e-9) + 1 - clock_h) * 3600;

        if (rate > 0 && gap_s <= rate * left_s) {
            return now_s + gap_s / rate;
        }
        gap_s -= rate * left_s;
        now_s += left_s;
    }
}

static void twin_draw_pending(twin_t *self)
{
    const numbers_t *n = self->n;
    int gap = 0;
    double mu, gap_s;

    if (self->population == 0) {
        self->type = A;
        gap = 5;
    } else if (self->population == n->capacity) {
        self->type = P;
        gap = 4;
    } else {
        self->type = spot_rng_uniform(&self->types) < n->p_after[self->previous] ? P : A;
        gap = (self->previous == P ? 0 : 2) + (self->type == P ? 0 : 1);
    }
    mu = n->gaps[gap][1];
    if (n->gaps[gap][0] != 1) {
        mu = spot_rng_uniform(&self->gaps) < n->gaps[gap][0] ? mu : n->gaps[gap][2];
    }
    gap_s = gsl_ran_exponential(spot_rng_gsl(&self->gaps), mu);
    self->pending_s =
        n->is_hourly ? twin_hourly_end(n, self->type, self->now_s, gap_s) : self->now_s + gap_s;
}

static int64_t twin_size(twin_t *self)
{
    const numbers_t *numbers = self->n;
    const double p = numbers->p[self->type], theta = log1p(-p);
    const int64_t n = self->type == P ? self->population : numbers->capacity - self->population;

    if (n == 1) {
        return 1;
    }
    if (numbers->pi_all[self->type] > 0 &&
        spot_rng_uniform(&self->counts) < numbers->pi_all[self->type]) {
        return n;
    }
    if (p < 1e-9) {
        return 1 + (int64_t) spot_rng_below(&self->counts, (uint64_t) n);
    }
    return (int64_t) fmin((double) n,
        fmax(1, ceil(log1p(spot_rng_uniform(&self->counts) * expm1((double) n * theta)) / theta)));
}

static void twin_run(const numbers_t *n, uint64_t replication, twin_list_t *raw)
{
    static twin_t twin;

    raw->num_items = 0;
    twin_start(&twin, n, replication);
    for (;;) {
        int64_t size;

        twin_draw_pending(&twin);
        if (twin.pending_s > n->horizon_s) {
            return;
        }
        size = twin_size(&twin);
        twin.now_s = twin.pending_s;
        twin_add(raw, twin.now_s, (spot_event_kind_t) twin.type, size);
        twin.population += twin.type == P ? -size : size;
        twin.previous = twin.type;
    }
}

static void check_against_twin(bool is_hourly)
{
    static twin_list_t raw, seen;
    spot_trace_model_t model;
    size_t num_events = 0, num_raw = 0;
    numbers_t numbers;

    for (uint64_t seed = 0; seed < 60; seed++) {
        draw_numbers(&numbers, seed);
        numbers.is_hourly = is_hourly;
        make_mrp(&model, &numbers);
        for (uint64_t replication = 0; replication < 5; replication++) {
            twin_run(&numbers, replication, &raw);
            twin_record(&raw, numbers.tick_s, numbers.horizon_s, numbers.initial, &seen);
            num_events += twin_compare(&model, 1, replication, &seen);
            num_raw += raw.num_items;
        }
        spot_trace_model_free(&model);
    }
    assert_true(num_events > 20000 && num_events < num_raw); /* some were merged */
}

static void test_twin(void **state)
{
    (void) state;
    check_against_twin(false);
}

static void test_twin_with_hours(void **state)
{
    (void) state;
    check_against_twin(true);
}

/* Instances with lives of their own, as plain lists: who lived at the start of the open
 * tick, who came in it, which slots are free. */
typedef struct {
    twin_t process;
    int num_old, num_new, num_free, num_lost;
    int old[64], new[64], free[64], lost[64];
    double deadline_s[64];
    spot_rng_t lives[64], victims;
} people_t;

static void people_begin(people_t *self, int slot)
{
    const double zeta = 8;

    self->deadline_s[slot] =
        self->process.now_s +
        gsl_ran_lognormal(spot_rng_gsl(&self->lives[slot]), zeta, self->process.n->life_sigma);
}

static void people_start(people_t *self, const numbers_t *n, uint64_t replication)
{
    memset(self, 0, sizeof(*self));
    twin_start(&self->process, n, replication);
    spot_rng_seek(&self->victims, 1, replication, SPOT_STREAM_VICTIM, 1);
    for (int slot = 0; slot < n->capacity; slot++) {
        spot_rng_seek(&self->lives[slot], 1, replication, SPOT_STREAM_LIFETIME, (uint64_t) slot);
        self->deadline_s[slot] = (double) INFINITY;
    }
    for (int slot = n->capacity - 1; slot >= n->initial; slot--) {
        self->free[self->num_free++] = slot;
    }
    for (int slot = 0; slot < n->initial; slot++) {
        self->old[self->num_old++] = slot;
        people_begin(self, slot);
    }
    twin_draw_pending(&self->process);
}

static int find(const int *list, int num_items, int item)
{
    for (int j = 0; j < num_items; j++) {
        if (list[j] == item) {
            return j;
        }
    }
    return -1;
}

/* The last one takes the place; where an old one makes room the new ones move up, the
 * last of them first. */
static void people_lose(people_t *self, int slot)
{
    int place = find(self->old, self->num_old, slot);

    self->deadline_s[slot] = (double) INFINITY;
    self->free[self->num_free++] = slot;
    self->process.population--;
    if (place >= 0) {
        self->old[place] = self->old[--self->num_old];
        self->lost[self->num_lost++] = slot;
        if (self->num_new > 0) {
            const int last = self->new[self->num_new - 1];

            memmove(self->new + 1, self->new, sizeof(int) * (size_t) (self->num_new - 1));
            self->new[0] = last;
        }
        return;
    }
    place = find(self->new, self->num_new, slot);
    assert_true(place >= 0);
    self->new[place] = self->new[--self->num_new];
}

static void people_meet_pending(people_t *self)
{
    twin_t *process = &self->process;
    const int64_t size = twin_size(process);

    process->now_s = process->pending_s;
    for (int64_t j = 0; j < size; j++) {
        if (process->type == A) {
            const int slot = self->free[--self->num_free];

            self->new[self->num_new++] = slot;
            process->population++;
            people_begin(self, slot);
        } else if (self->num_old > 0) {
            people_lose(self, self->old[spot_rng_below(&self->victims, (uint64_t) self->num_old)]);
        } else {
            people_lose(self, self->new[spot_rng_below(&self->victims, (uint64_t) self->num_new)]);
        }
    }
    process->previous = process->type;
    twin_draw_pending(process);
}

static void people_meet_deadline(people_t *self, int slot)
{
    twin_t *process = &self->process;
    const int64_t before = process->population;

    process->now_s = self->deadline_s[slot];
    process->previous = P;
    people_lose(self, slot);
    if (process->population == 0 || before == process->n->capacity) {
        twin_draw_pending(process);
    }
}

static int compare_integers(const void *a, const void *b)
{
    return *(const int *) a - *(const int *) b;
}

static void expect_event(
    events_t *events, double time_s, spot_event_kind_t kind, int *slots, int num_slots)
{
    int named[64];
    spot_event_t event;

    if (num_slots == 0) {
        return;
    }
    assert_true(events_next(events, &event));
    assert_int_equal(event.time_ms, llround(1e3 * time_s));
    assert_int_equal(event.kind, kind);
    assert_int_equal(event.count, num_slots);
    for (int j = 0; j < num_slots; j++) {
        named[j] = event.name_ids[j];
    }
    qsort(named, (size_t) num_slots, sizeof(int), compare_integers);
    qsort(slots, (size_t) num_slots, sizeof(int), compare_integers);
    assert_memory_equal(named, slots, sizeof(int) * (size_t) num_slots);
}

/* The open tick is over: who was lost, who came. */
static void people_close(people_t *self, events_t *events, double time_s)
{
    int new[64];

    memcpy(new, self->new, sizeof(new));
    expect_event(events, time_s, SPOT_EVENT_PREEMPT, self->lost, self->num_lost);
    expect_event(events, time_s, SPOT_EVENT_ADD, new, self->num_new);
    for (int j = 0; j < self->num_new; j++) {
        self->old[self->num_old++] = self->new[j];
    }
    self->num_new = 0;
    self->num_lost = 0;
}

/* Returns how many deadlines were met. */
static int64_t check_people(
    const numbers_t *n, const spot_trace_model_t *model, uint64_t replication)
{
    static people_t people;
    int64_t num_deadlines = 0;
    double open_tick = 0;
    spot_event_t event;
    events_t events;

    events_init(&events, model);
    events_start(&events, 1, replication);
    people_start(&people, n, replication);
    for (;;) {
        int first = 0;
        double time_s = people.process.pending_s, tick;

        for (int slot = 1; slot < n->capacity; slot++) {
            first = people.deadline_s[slot] < people.deadline_s[first] ? slot : first;
        }
        time_s = fmin(time_s, people.deadline_s[first]);
        tick = twin_tick(time_s, n->tick_s);
        if (tick != open_tick) {
            people_close(&people, &events, open_tick * n->tick_s);
            open_tick = tick;
        }
        if (time_s > n->horizon_s || tick * n->tick_s > n->horizon_s) {
            break;
        }
        if (time_s == people.deadline_s[first]) {
            people_meet_deadline(&people, first);
            num_deadlines++;
        } else {
            people_meet_pending(&people);
        }
    }
    assert_false(events_next(&events, &event));
    events_free(&events);
    return num_deadlines;
}

static void test_twin_with_lifetimes(void **state)
{
    spot_trace_model_t model;
    int64_t num_deadlines = 0;
    numbers_t numbers;

    (void) state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        draw_numbers(&numbers, seed);
        numbers.life_sigma = 0.5 + (double) (seed % 4);
        numbers.is_hourly = seed % 5 == 0;
        make_mrp(&model, &numbers);
        for (uint64_t replication = 0; replication < 5; replication++) {
            num_deadlines += check_people(&numbers, &model, replication);
        }
        spot_trace_model_free(&model);
    }
    assert_true(num_deadlines > 3000);
}

/* The reference point of the clock, a rate of 0, and gaps of many days. */
static void test_hours(void **state)
{
    spot_hourly_rates_t hours = {.rates = {0}};

    (void) state;
    hours.rates[6] = 24; /* all of a day happens from 6 h to 7 h */
    assert_true(spot_hourly_rates_end(&hours, 0, 0, 43200) == 6.5 * 3600);
    assert_true(spot_hourly_rates_end(&hours, 6.25, 0, 43200) == 1800);
    assert_true(spot_hourly_rates_end(&hours, 6.75, 0, 43200) == 86400 - 1800);
    assert_true(spot_hourly_rates_end(&hours, 7, 100, 43200) == 23.5 * 3600);
    assert_true(
        spot_hourly_rates_end(&hours, 0, 0, 10 * 86400.0 + 43200) == 10 * 86400.0 + 6.5 * 3600);
    assert_true(isinf(spot_hourly_rates_end(&hours, 0, 0, (double) INFINITY)));
    for (int hour = 0; hour < 24; hour++) {
        hours.rates[hour] = 1;
    }
    for (int j = 0; j < 1000; j++) {
        const double time_s = 977.3 * j, gap_s = 1234.5 * j;

        assert_true(
            fabs(spot_hourly_rates_end(&hours, 0.02 * j, time_s, gap_s) - time_s - gap_s) < 1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_twin),
        cmocka_unit_test(test_twin_with_hours),
        cmocka_unit_test(test_twin_with_lifetimes),
        cmocka_unit_test(test_hours),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
