/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a shock does to every kind of model in a zone: first a scripted one for each kind
 * against what its streams say, then random ones against plain lists of who lives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/rng.h"
#include "tests/unit/generate/process_twin.h"
#include "tests/unit/generate/recorded_model.h"
#include "traces/generate/membership.h"

#define TICK_S 10.0
#define HEAD "tick_s: 10\nhorizon_s: 1e6\n"

/* ---- When shocks come ---- */

/* Each takes some of so many instances, and nothing else happens. */
#define CROWD                                                                                      \
    "generator: zones\n" HEAD "zones: {c: {generator: seed, capacity: 100000, initial: 100000, "   \
    "preemption: {per_minute: 0, count: {fixed: 1}}, "                                             \
    "addition: {per_minute: 0, count: {fixed: 1}}}}\n"

/* One after the other, each seen at the end of its tick, none after the horizon. */
static void test_clock(void **state)
{
    spot_trace_model_t model;
    spot_event_t event;
    double time_ms = 0;
    int num_shocks = 0;
    events_t events;
    spot_rng_t gaps;

    (void) state;
    make_model(&model, CROWD "shocks: {per_hour: 9, p_zone: 1, share: 0.0005}\n");
    events_init(&events, &model);
    events_start(&events, 1, 0);
    spot_rng_seek(&gaps, 1, 0, SPOT_STREAM_SHOCK, 0);
    for (; events_next(&events, &event); num_shocks++) {
        time_ms -= 400000 * log1p(-spot_rng_uniform(&gaps));
        assert_int_equal(event.kind, SPOT_EVENT_PREEMPT);
        assert_int_equal(event.time_ms, 10000 * (int64_t) ceil(time_ms / 10000 - 1e-9));
    }
    time_ms -= 400000 * log1p(-spot_rng_uniform(&gaps));
    assert_true(time_ms > 1e9 && num_shocks > 2000);
    events_free(&events);
    spot_trace_model_free(&model);
}

static void test_no_shocks(void **state)
{
    spot_trace_model_t model;
    spot_event_t event;
    events_t events;

    (void) state;
    make_model(&model, CROWD "shocks: {per_hour: 0, p_zone: 1, share: 1}\n");
    events_init(&events, &model);
    events_start(&events, 1, 0);
    assert_false(events_next(&events, &event));
    events_free(&events);
    spot_trace_model_free(&model);
}

/* ---- A scripted shock on one model ---- */

/* The shock is seen at SHOCK_MS; all that is before has been given. */
enum { SHOCK_MS = 50000 };
#define SHOCK_S 43.21

static const int32_t *strike(events_t *events, uint64_t replication, int32_t num_lost)
{
    const spot_generator_t *generator = events->model->generator;
    spot_event_t event;

    events_start(events, 1, replication);
    while (generator->members->next_until(events->state, SHOCK_MS - 1, &event)) {
        assert_true(event.time_ms < SHOCK_MS);
    }
    assert_false(generator->members->next_until(events->state, SHOCK_MS - 1, &event));
    return generator->members->lose(events->state, SHOCK_S, num_lost);
}

static double exponential(spot_rng_t *rng, double mu)
{
    return -mu * log1p(-spot_rng_uniform(rng));
}

static int64_t seen_ms(double time_s)
{
    return llround(1000 * TICK_S * twin_tick(time_s, TICK_S));
}

/* Who is struck, from the stream of the victims: the last one takes the place. */
static void draw_victims(uint64_t replication, int32_t population, int32_t num_lost, int32_t *lost)
{
    int32_t living[16];
    spot_rng_t rng;

    spot_rng_seek(&rng, 1, replication, SPOT_STREAM_VICTIM, 1);
    for (int32_t j = 0; j < population; j++) {
        living[j] = j;
    }
    for (int32_t j = 0; j < num_lost; j++) {
        const uint64_t place = spot_rng_below(&rng, (uint64_t) population);

        lost[num_lost - 1 - j] = living[place];
        living[place] = living[--population];
    }
}

/* Nobody dies by itself: what follows is the refill of each of the lost. */
static void test_lifetimes_refill(void **state)
{
    enum { CAPACITY = 6, NUM_LOST = 4 };
    spot_trace_model_t model;
    events_t events;

    (void) state;
    make_model(&model, "generator: lifetimes\ncapacity: 6\ninitial: 6\n" HEAD
                       "lifetime: {family: exponential, mu: 1e12}\n"
                       "refill: {family: exponential, mu: 300}\n");
    events_init(&events, &model);
    for (uint64_t replication = 0; replication < 200; replication++) {
        const int32_t *slots = strike(&events, replication, NUM_LOST);
        int64_t due_ms[CAPACITY] = {0}, last_ms = SHOCK_MS;
        int32_t lost[NUM_LOST], num_back = 0;
        spot_event_t event;

        draw_victims(replication, CAPACITY, NUM_LOST, lost);
        assert_memory_equal(slots, lost, sizeof(lost));
        for (int j = 0; j < NUM_LOST; j++) {
            spot_rng_t rng;

            spot_rng_seek(&rng, 1, replication, SPOT_STREAM_REFILL, (uint64_t) lost[j]);
            due_ms[lost[j]] = seen_ms(SHOCK_S + exponential(&rng, 300));
        }
        while (events_next(&events, &event)) {
            assert_int_equal(event.kind, SPOT_EVENT_ADD);
            assert_true(event.time_ms >= last_ms);
            for (int32_t j = 0; j < event.count; j++, num_back++) {
                assert_int_equal(event.time_ms, due_ms[event.name_ids[j]]);
                due_ms[event.name_ids[j]] = 0;
            }
            last_ms = event.time_ms;
        }
        assert_int_equal(num_back, NUM_LOST);
    }
    events_free(&events);
    spot_trace_model_free(&model);
}

/* Gaps so long that no tick sees two events. */
#define MRP                                                                                        \
    "generator: mrp\ncapacity: 5\ntick_s: 10\nhorizon_s: 1e9\n"                                    \
    "p_preempt_after: {preempt: 0.7, add: 0.1}\n"                                                  \
    "gaps_s: {preempt_preempt: {family: exponential, mu: 1e6}, preempt_add: {family: "             \
    "exponential, mu: 2e6}, add_preempt: {family: exponential, mu: 3e6}, add_add: "                \
    "{family: exponential, mu: 4e6}, full: {family: exponential, mu: 5e6}, empty: "                \
    "{family: exponential, mu: 6e6}}\n"                                                            \
    "bulk: {preempt: {pi_all: 1, p: 0.5}, add: {pi_all: 1, p: 0.5}}\n"

/* The first event after a shock, from the streams. Everything comes or goes at a time.
 */
static void expect_mrp(
    int initial, int num_lost, uint64_t replication, double *first_s, spot_event_t *due)
{
    static const double mu[2][2] = {{1e6, 2e6}, {3e6, 4e6}};
    const int left = initial - num_lost;
    spot_rng_t type, gap;
    double time_s;

    spot_rng_seek(&type, 1, replication, SPOT_STREAM_TYPE, 0);
    spot_rng_seek(&gap, 1, replication, SPOT_STREAM_GAP, 0);
    due->kind = initial == 5                    ? SPOT_EVENT_PREEMPT
                : spot_rng_uniform(&type) < 0.1 ? SPOT_EVENT_PREEMPT
                                                : SPOT_EVENT_ADD;
    *first_s = time_s = exponential(&gap, initial == 5 ? 5e6 : mu[SPOT_EVENT_ADD][due->kind]);
    if (left == 0) {
        due->kind = SPOT_EVENT_ADD;
        time_s = SHOCK_S + exponential(&gap, 6e6);
    } else if (initial == 5) {
        due->kind = spot_rng_uniform(&type) < 0.7 ? SPOT_EVENT_PREEMPT : SPOT_EVENT_ADD;
        time_s = SHOCK_S + exponential(&gap, mu[SPOT_EVENT_PREEMPT][due->kind]);
    }
    due->time_ms = seen_ms(time_s);
    due->count = due->kind == SPOT_EVENT_PREEMPT ? left : 5 - left;
}

/* The pending event stays, or is drawn again where the shock found the fleet full or
 * leaves it empty; it takes or brings what is there afterwards. */
static void check_mrp(const char *lifetimes, int initial, int num_lost)
{
    spot_trace_model_t model;
    events_t events;
    char text[2048];

    snprintf(text, sizeof(text), MRP "initial: %d\n%s", initial, lifetimes);
    make_model(&model, text);
    events_init(&events, &model);
    for (uint64_t replication = 0; replication < 200; replication++) {
        spot_event_t event, due;
        double first_s;

        expect_mrp(initial, num_lost, replication, &first_s, &due);
        assert_true(seen_ms(first_s) > SHOCK_MS);
        if (lifetimes[0] == '\0') {
            assert_null(strike(&events, replication, num_lost));
        } else {
            const int32_t *slots = strike(&events, replication, num_lost);
            int32_t lost[5];

            draw_victims(replication, initial, num_lost, lost);
            assert_memory_equal(slots, lost, (size_t) num_lost * sizeof(lost[0]));
        }
        assert_true(events_next(&events, &event));
        assert_int_equal(event.time_ms, due.time_ms);
        assert_int_equal(event.kind, due.kind);
        assert_int_equal(event.count, due.count);
        assert_int_equal(event.name_ids != NULL, lifetimes[0] != '\0');
    }
    events_free(&events);
    spot_trace_model_free(&model);
}

static void test_mrp_goes_on(void **state)
{
    static const char *const lifetimes[] = {"", "lifetimes: {family: exponential, mu: 1e12}\n"};

    (void) state;
    for (int j = 0; j < 2; j++) {
        check_mrp(lifetimes[j], 5, 2); /* full before */
        check_mrp(lifetimes[j], 3, 2); /* in between: 3 - 2, not 3 or 5 - 3 */
        check_mrp(lifetimes[j], 3, 3); /* empty after */
        check_mrp(lifetimes[j], 5, 5); /* both */
    }
}

/* Blocks go on as recorded, clipped to what a shock has left, or made room for. */
static void test_block_goes_on(void **state)
{
    static const char rows[] = "0,init,5,\n100,preempt,2,\n200,add,4,\n300,preempt,6,\n"
                               "400,add,8,\n500,end,9,\n";
    static const struct {
        int initial, num_lost;
        int counts[4]; /* of the recorded events, from the first near one on */
        int num_events;
    } cases[] = {
        {5, 0, {2, 4, 6, 8}, 4},
        {5, 3, {2, 4, 4, 8}, 4},
        {5, 4, {1, 4, 4, 8}, 4},
        {10, 0, {6, 6}, 2},
        {10, 5, {5, 8}, 2},
        {10, 8, {2, 8}, 2},
    };
    char keys[128];

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        spot_trace_model_t model;
        spot_event_t event;
        events_t events;

        snprintf(keys, sizeof(keys),
            "capacity: 10\ninitial: %d\nneighbours: 1\nrestart_every: 1e9\n", cases[j].initial);
        make_recorded(&model, "block", "counts", "10", rows, keys);
        events_init(&events, &model);
        if (cases[j].num_lost > 0) {
            assert_null(strike(&events, 0, cases[j].num_lost));
        } else {
            events_start(&events, 1, 0);
        }
        for (int k = 0; k < cases[j].num_events; k++) {
            assert_true(events_next(&events, &event));
            assert_int_equal(event.time_ms, 100000 * (k + 1));
            assert_int_equal(event.count, cases[j].counts[k]);
        }
        events_free(&events);
        spot_trace_model_free(&model);
    }
}

/* ---- Random shocks on all of them ---- */

#define GAP(mu) "{family: exponential, mu: " #mu "}"
#define MRP_ZONE                                                                                   \
    "{generator: mrp, capacity: 12, initial: 4, p_preempt_after: {preempt: 0.6, add: "             \
    "0.3}, gaps_s: {preempt_preempt: " GAP(90) ", preempt_add: " GAP(200) ", add_preempt: " GAP(   \
        300) ", add_add: " GAP(50) ", full: " GAP(100) ", "                                        \
                                                       "emp"                                       \
                                                       "ty:"                                       \
                                                       " " GAP(200) "}, bulk: {preempt: {p: "      \
                                                                    "0.4}, add: {p: 0.2}}"
#define LIFETIMES_ZONE                                                                             \
    "{generator: lifetimes, capacity: 9, initial: 9, lifetime: {law: deadline, zeta: "             \
    "6, sigma: 2, deadline_s: 3600, overrun_mean_s: 20, overrun_max_s: 60}, refill: "              \
    "{family: gamma, shape: 2, scale: 200}}\n"
#define SEED_ZONE                                                                                  \
    "{generator: seed, capacity: 20, initial: 7, preemption: {per_minute: 0.5, count: "            \
    "{geometric: {p: 0.3}}}, addition: {per_minute: 0.6, count: {fixed: 2}}}\n"

#define ALL_ZONES                                                                                  \
    "zones:\n  seed: " SEED_ZONE "  mrp: " MRP_ZONE "}\n"                                          \
    "  wall: " MRP_ZONE ", lifetimes: {family: weibull, scale: 900, shape: 0.8}}\n"                \
    "  lives: " LIFETIMES_ZONE
#define SHOCKS "shocks: {per_hour: 20, p_zone: 0.6, share: 0.4}\n"

enum { NUM_ZONES = 4, MAX_NAMES = 64 };

/* Who lives in each zone, as a plain list; the zones that name nobody only count. */
typedef struct {
    int64_t population[NUM_ZONES];
    int64_t num_alive[NUM_ZONES]; /* of those with names */
    bool is_alive[MAX_NAMES];
    int zone_of[MAX_NAMES]; /* -1: never seen */
    int64_t birth_ms[MAX_NAMES];
    int64_t num_named_losses;
    int64_t longest_ms; /* life in the zone "lives" */
} people_t;

static void people_start(people_t *self, const events_t *events)
{
    const spot_generator_t *generator = events->model->generator;
    const int32_t *names = generator->members->initial_names(events->state);

    memset(self, 0, sizeof(*self));
    for (int j = 0; j < MAX_NAMES; j++) {
        self->zone_of[j] = -1;
    }
    for (int j = 0; j < NUM_ZONES; j++) {
        self->population[j] = generator->members->zone_initial(events->state, j);
        for (int64_t k = 0; k < self->population[j]; k++) {
            const int32_t name = *names++;

            assert_int_equal(name >= 0, j >= 2);
            if (name >= 0) {
                assert_false(self->is_alive[name]);
                self->is_alive[name] = true;
                self->zone_of[name] = j;
                self->num_alive[j]++;
            }
        }
    }
}

static void people_meet(people_t *self, int zone_id, const spot_event_t *event)
{
    const bool is_add = event->kind == SPOT_EVENT_ADD;
    const int change = is_add ? 1 : -1;

    self->population[zone_id] += change * event->count;
    assert_int_equal(event->name_ids != NULL, zone_id >= 2);
    for (int32_t j = 0; zone_id >= 2 && j < event->count; j++) {
        const int32_t name = event->name_ids[j];

        assert_in_range(name, 0, MAX_NAMES - 1);
        assert_int_equal(self->is_alive[name], !is_add);
        assert_true(self->zone_of[name] == zone_id || self->zone_of[name] == -1);
        self->is_alive[name] = is_add;
        self->zone_of[name] = zone_id;
        self->num_alive[zone_id] += change;
        self->num_named_losses += !is_add;
        if (is_add) {
            self->birth_ms[name] = event->time_ms;
        } else if (zone_id == 3 && event->time_ms - self->birth_ms[name] > self->longest_ms) {
            self->longest_ms = event->time_ms - self->birth_ms[name];
        }
    }
    assert_true(zone_id < 2 || self->num_alive[zone_id] == self->population[zone_id]);
}

/* Nobody is lost who does not live, or comes who does; nobody outlives the wall. */
static void test_everybody_lost_was_alive(void **state)
{
    spot_trace_model_t model;
    events_t events;

    (void) state;
    make_model(&model, "generator: zones\n" HEAD ALL_ZONES SHOCKS);
    events_init(&events, &model);
    assert_int_equal(model.generator->members->num_names(model.model), 12 + 9);
    for (uint64_t replication = 0; replication < 10; replication++) {
        const spot_zones_t *zones = spot_trace_model_zones(&model);
        int64_t last_ms = 0, num_events = 0;
        static people_t people;
        spot_event_t event;

        events_start(&events, 1, replication);
        people_start(&people, &events);
        while (events_next(&events, &event)) {
            const int32_t zone_id = model.generator->members->zone(events.state);

            assert_true(event.time_ms >= last_ms && event.count > 0);
            people_meet(&people, zone_id, &event);
            assert_in_range(people.population[zone_id], 0, zones->zones[zone_id].capacity);
            last_ms = event.time_ms;
            num_events++;
        }
        assert_true(num_events > 10000 && people.num_named_losses > 5000);
        assert_in_range(people.longest_ms, 3600000, 3670000);
    }
    events_free(&events);
    spot_trace_model_free(&model);
}

/* Membership takes those who are named; the sum of the zones is the population. */
static void test_membership_follows(void **state)
{
    spot_membership_t membership;
    spot_trace_model_t model;
    spot_change_t change;

    (void) state;
    make_model(&model, "generator: zones\n" HEAD ALL_ZONES SHOCKS);
    for (int32_t capacity = 32; capacity <= 53; capacity += 21) {
        int64_t num_clipped = 0;

        assert_int_equal(spot_membership_init(&membership, &model, capacity), 0);
        spot_membership_start(&membership, 1, 3);
        spot_membership_verify(&membership);
        for (int j = 0; j < 20000 && spot_membership_next(&membership, &change); j++) {
            int32_t population = 0;

            for (int32_t k = 0; k < membership.num_pools; k++) {
                population += membership.pools[k].population;
            }
            assert_int_equal(population, membership.population);
            num_clipped += change.num_clipped;
            spot_membership_verify(&membership);
        }
        assert_int_equal(num_clipped > 0, capacity < 53); /* all zones: 53 */
        spot_membership_free(&membership);
    }
    spot_trace_model_free(&model);
}

/* What happens in a zone, shocks included, does not depend on the model of another one;
 * and it happens again for the same seed. */
static void test_zones_do_not_meddle(void **state)
{
    static const char *const texts[] = {"generator: zones\n" HEAD "zones:\n  a: " SEED_ZONE
                                        "  b: " LIFETIMES_ZONE SHOCKS,
        "generator: zones\n" HEAD "zones:\n  a: " MRP_ZONE "}\n  b: " LIFETIMES_ZONE SHOCKS};
    spot_trace_model_t models[3];
    events_t events[3];
    int64_t num_events = 0;
    bool is_more = true;

    (void) state;
    for (int j = 0; j < 3; j++) {
        make_model(&models[j], texts[j % 2]);
        events_init(&events[j], &models[j]);
        events_start(&events[j], 1, 4);
    }
    events_start(&events[0], 1, 5); /* nothing of it stays */
    (void) events_next(&events[0], &(spot_event_t){0});
    events_start(&events[0], 1, 4);
    while (is_more) {
        spot_event_t event[3] = {{0}};
        bool has[3];

        for (int j = 0; j < 3; j++) {
            do {
                has[j] = events_next(&events[j], &event[j]);
            } while (has[j] && models[j].generator->members->zone(events[j].state) != 1);
        }
        is_more = has[0];
        assert_true(has[1] == is_more && has[2] == is_more);
        for (int j = 1; is_more && j < 3; j++) {
            assert_int_equal(event[j].time_ms, event[0].time_ms);
            assert_int_equal(event[j].kind, event[0].kind);
            assert_int_equal(event[j].count, event[0].count);
            for (int32_t k = 0; k < event[0].count; k++) {
                assert_int_equal(event[j].name_ids[k], event[0].name_ids[k]);
            }
        }
        num_events += is_more;
    }
    assert_true(num_events > 2000);
    for (int j = 0; j < 3; j++) {
        events_free(&events[j]);
        spot_trace_model_free(&models[j]);
    }
}

/* ---- Models that cannot be told ---- */

static void check_replay(const char *more, int error, const char *expected)
{
    static const char trace[] =
        "# spotsim-trace: 1\n# name: t\n# start: unknown\n# resolution_s: 10\n"
        "# kind: named\n# capacity: 4\ntime_s,event,count,instances\n0,init,2,a b\n"
        "50,preempt,1,b\n70,add,2,c d\n100,end,3,\n";
    char path[PATH_BYTES], text[PATH_BYTES + 256];
    spot_trace_model_t model;
    spot_diag_t diag;

    test_path("shocked.csv", path);
    write_file(path, trace, strlen(trace));
    snprintf(text, sizeof(text), "generator: zones\nzones:\n  r: {generator: replay, trace: %s%s",
        path, more);
    spot_diag_init(&diag);
    assert_int_equal(parse_model(&model, text, &diag), error);
    assert_report(&diag, expected);
    if (error == 0) {
        assert_int_equal(model.generator->members->num_names(model.model), 0);
    }
    spot_trace_model_free(&model);
    spot_diag_free(&diag);
    assert_int_equal(remove(path), 0);
}

static void test_replay_warns(void **state)
{
    (void) state;
    check_replay("}\n", 0, "");
    check_replay("}\nshocks: {per_hour: 1, p_zone: 0.5, share: 0}\n", 0, "");
    check_replay("}\nshocks: {per_hour: 1, p_zone: 0.5, share: 0.1}\n", 0,
        "warning: model.yaml:3:6: zones.r: a replay goes on as recorded after a shock: "
        "instances that the shock took are not replaced\n");
    check_replay(", capacity: 1}\n", SPOT_ERR_BAD_INPUT,
        "model.yaml:3:6: zones: r: 2 instances at first are more than the capacity of "
        "1\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clock),
        cmocka_unit_test(test_no_shocks),
        cmocka_unit_test(test_lifetimes_refill),
        cmocka_unit_test(test_mrp_goes_on),
        cmocka_unit_test(test_block_goes_on),
        cmocka_unit_test(test_everybody_lost_was_alive),
        cmocka_unit_test(test_membership_follows),
        cmocka_unit_test(test_zones_do_not_meddle),
        cmocka_unit_test(test_replay_warns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
