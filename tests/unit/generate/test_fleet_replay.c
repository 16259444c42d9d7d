/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recording at the size of another fleet: exact where the sizes are alike, with the
 * law of drawn places where they are not, next to a slow twin that has the places. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/statistical/statistics.h"
#include "tests/unit/generate/recorded_model.h"
#include "traces/generate/membership.h"

/* Recordings of random_rows() have so many places. */
enum { NUM_PLACES = 40, TICK_MS = 10000, MAX_RECORDINGS = 4 };

typedef struct {
    const char *kind;
    int num_places;
    const char *rows;
} recording_t;

/* The model of recordings, with further keys. Returns 0 or an error, its reasons in
 * diag. */
static int try_fleet(spot_trace_model_t *model, size_t num_recordings,
    const recording_t *recordings, const char *keys, spot_diag_t *diag)
{
    char paths[MAX_RECORDINGS][PATH_BYTES], *text = NULL;
    size_t num_bytes = 0;
    FILE *out = open_memstream(&text, &num_bytes);
    int ret;

    assert_non_null(out);
    fprintf(out, "generator: fleet-replay\n%srecordings: [", keys);
    for (size_t j = 0; j < num_recordings; j++) {
        char name[32];
        FILE *file;

        snprintf(name, sizeof(name), "fleet-%zu.csv", j);
        test_path(name, paths[j]);
        file = fopen(paths[j], "w");
        assert_non_null(file);
        fprintf(file,
            "# spotsim-trace: 1\n# name: t\n# start: unknown\n# resolution_s: 10\n"
            "# kind: %s\n# capacity: %d\ntime_s,event,count,instances\n%s",
            recordings[j].kind, recordings[j].num_places, recordings[j].rows);
        assert_int_equal(fclose(file), 0);
        fprintf(out, "%s%s", j == 0 ? "" : ", ", paths[j]);
    }
    fprintf(out, "]\n");
    assert_int_equal(fclose(out), 0);
    ret = parse_model(model, text, diag);
    for (size_t j = 0; j < num_recordings; j++) {
        assert_int_equal(remove(paths[j]), 0);
    }
    free(text);
    return ret;
}

static void make_fleet(
    spot_trace_model_t *model, const recording_t *recording, int capacity, const char *keys)
{
    char all_keys[256];
    spot_diag_t diag;
    int ret;

    snprintf(all_keys, sizeof(all_keys), "capacity: %d\n%s", capacity, keys);
    spot_diag_init(&diag);
    ret = try_fleet(model, 1, recording, all_keys, &diag);
    spot_diag_print(&diag, stderr);
    assert_int_equal(ret, 0);
    spot_diag_free(&diag);
}

/* ---- A walk along a replication ---- */

typedef struct {
    events_t events;
    spot_event_t next;
    bool has_next;
    int64_t population;
    int64_t num_lost;
} walk_t;

static void walk_init(walk_t *self, const spot_trace_model_t *model)
{
    events_init(&self->events, model);
}

static void walk_start(walk_t *self, uint64_t seed, uint64_t replication)
{
    events_start(&self->events, seed, replication);
    self->population = spot_trace_model_initial_of(self->events.model, self->events.state);
    self->num_lost = 0;
    self->has_next = events_next(&self->events, &self->next);
}

/* Carries out all events up to a time: positive, in order, on ticks. */
static void walk_to(walk_t *self, int64_t time_ms)
{
    while (self->has_next && self->next.time_ms <= time_ms) {
        const int64_t before_ms = self->next.time_ms;

        assert_true(self->next.count > 0);
        assert_null(self->next.name_ids);
        assert_int_equal(self->next.time_ms % TICK_MS, 0);
        if (self->next.kind == SPOT_EVENT_ADD) {
            self->population += self->next.count;
        } else {
            self->population -= self->next.count;
            self->num_lost += self->next.count;
        }
        self->has_next = events_next(&self->events, &self->next);
        assert_true(!self->has_next || self->next.time_ms >= before_ms);
    }
}

static void walk_free(walk_t *self)
{
    events_free(&self->events);
}

/* The tick at which a replication of one recording starts. */
static int64_t start_tick(uint64_t seed, uint64_t replication, int64_t num_ticks)
{
    spot_rng_t rng;

    spot_rng_seek(&rng, seed, replication, SPOT_STREAM_RESTART, 0);
    return (int64_t) spot_rng_below(&rng, (uint64_t) num_ticks);
}

/* ---- Sizes ---- */

/* Whether the population, which follows a recorded one of so many, is one of its
 * fleet. */
static bool is_possible(int64_t population, int64_t recorded, int64_t num_places, int64_t capacity)
{
    const int64_t copies = capacity / num_places, rest = capacity % num_places;
    const int64_t taken = population - copies * recorded;
    const int64_t least = rest - (num_places - recorded);

    return taken >= 0 && taken >= least && taken <= rest && taken <= recorded;
}

/* Fleets of all sizes on a random recording, tick by tick over three rounds: the same
 * population rotated for as many places, a whole number of times for so many copies, and
 * never an impossible one. */
static void check_size(const recording_t *recording, int capacity, uint64_t seed)
{
    const bool is_exact = capacity % NUM_PLACES == 0;
    spot_trace_model_t model;
    spot_trace_t trace;
    int64_t num_ticks;
    walk_t walk;

    read_rows(&trace, recording->kind, recording->rows);
    num_ticks = trace.end_ms / TICK_MS;
    make_fleet(&model, recording, capacity, "horizon_s: 1e6\n");
    assert_int_equal(spot_trace_model_initial(&model), capacity);
    assert_int_equal(spot_trace_model_end_ms(&model), 0);
    walk_init(&walk, &model);
    for (uint64_t replication = 0; replication < 3; replication++) {
        const int64_t first = start_tick(seed, replication, num_ticks);

        walk_start(&walk, seed, replication);
        for (int64_t tick = 0; tick <= 3 * num_ticks; tick++) {
            const int64_t recorded =
                recorded_population(&trace, (first + tick) % num_ticks * TICK_MS);

            if (tick > 0) {
                walk_to(&walk, tick * TICK_MS);
            }
            assert_true(is_possible(walk.population, recorded, NUM_PLACES, capacity));
            if (is_exact) {
                assert_int_equal(walk.population, capacity / NUM_PLACES * (int) recorded);
            }
        }
    }
    walk_free(&walk);
    spot_trace_model_free(&model);
    spot_trace_free(&trace);
}

static void test_sizes(void **state)
{
    static const int sizes[] = {1, 2, 7, 20, 39, 40, 41, 80, 97, 120};

    (void) state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        const bool is_named = seed % 2 == 0;
        char *rows = random_rows(seed, is_named, 60);
        const recording_t recording = {is_named ? "named" : "counts", NUM_PLACES, rows};

        for (size_t j = 0; j < sizeof(sizes) / sizeof(sizes[0]); j++) {
            check_size(&recording, sizes[j], seed);
        }
        free(rows);
    }
}

/* A stop of the recording is a stop of the fleet; the jump to its beginning is what it
 * has to be. */
static void test_kinds(void **state)
{
    static const struct {
        int64_t time_ms;
        spot_event_kind_t kind;
        int32_t count;
    } expected[] = {{10000, SPOT_EVENT_STOP, 3}, {20000, SPOT_EVENT_PREEMPT, 2},
        {30000, SPOT_EVENT_ADD, 8}, {40000, SPOT_EVENT_PREEMPT, 3}, {50000, SPOT_EVENT_STOP, 3}};
    const recording_t recording = {
        "counts", 10, "0,init,6,\n10,stop,3,\n20,preempt,2,\n30,add,8,\n40,end,9,\n"};
    spot_trace_model_t model;
    spot_event_t event;
    events_t events;
    uint64_t replication = 0;

    (void) state;
    make_fleet(&model, &recording, 10, "horizon_s: 50\n");
    events_init(&events, &model);
    while (start_tick(1, replication, 4) != 0) {
        replication++;
    }
    events_start(&events, 1, replication);
    for (size_t j = 0; j < sizeof(expected) / sizeof(expected[0]); j++) {
        assert_true(events_next(&events, &event));
        assert_int_equal(event.time_ms, expected[j].time_ms);
        assert_int_equal(event.kind, expected[j].kind);
        assert_int_equal(event.count, expected[j].count);
    }
    assert_false(events_next(&events, &event));
    events_free(&events);
    spot_trace_model_free(&model);
}

/* ---- The law of a drawn fleet ---- */

/* Each instance is as often there, and is lost as often, as one of the recording: a
 * window as long as the recording has each of its losses once, and the jump. */
static void check_means(const recording_t *recording, int capacity)
{
    enum { NUM_REPLICATIONS = 40000 };
    const double share = (double) capacity / NUM_PLACES;
    double mean = 0, lost = 0;
    spot_moments_t populations = {0}, losses = {0};
    spot_trace_model_t model;
    spot_trace_t trace;
    int64_t num_ticks, jump;
    walk_t walk;
    char what[64];

    read_rows(&trace, recording->kind, recording->rows);
    num_ticks = trace.end_ms / TICK_MS;
    for (int64_t tick = 0; tick < num_ticks; tick++) {
        mean += (double) recorded_population(&trace, tick * TICK_MS) / (double) num_ticks;
    }
    for (size_t j = 0; j < trace.num_events; j++) {
        lost += trace.events[j].kind == SPOT_EVENT_ADD ? 0 : trace.events[j].count;
    }
    jump = recorded_population(&trace, trace.end_ms) - recorded_population(&trace, 0);
    lost += jump > 0 ? (double) jump : 0;
    make_fleet(&model, recording, capacity, "horizon_s: 1e6\n");
    walk_init(&walk, &model);
    for (uint64_t replication = 0; replication < NUM_REPLICATIONS; replication++) {
        walk_start(&walk, 7, replication);
        walk_to(&walk, num_ticks * TICK_MS);
        spot_moments_add(&losses, (double) walk.num_lost);
        spot_moments_add(&populations, (double) walk.population);
    }
    snprintf(what, sizeof(what), "population of %d", capacity);
    assert_mean(what, &populations, share * mean, 0.05 * share * mean);
    snprintf(what, sizeof(what), "losses of %d", capacity);
    assert_mean(what, &losses, share * lost, 0.05 * share * lost);
    walk_free(&walk);
    spot_trace_model_free(&model);
    spot_trace_free(&trace);
}

static void test_means(void **state)
{
    char *rows = random_rows(5, false, 60);
    const recording_t recording = {"counts", NUM_PLACES, rows};

    (void) state;
    check_means(&recording, 3);
    check_means(&recording, 17);
    check_means(&recording, 39);
    check_means(&recording, 55);
    free(rows);
}

/* The twin has the places: instances of the recording sit in some, the fleet is drawn
 * ones. A loss takes random instances, an addition fills random empty places. */
enum { TWIN_PLACES = 10, TWIN_FLEET = 4 };

typedef struct {
    bool is_up[TWIN_PLACES], is_own[TWIN_PLACES];
    gsl_rng *rng;
} places_t;

/* Marks so many random places, of those where is_up is as given. */
static void places_turn(places_t *self, bool is_up, int num)
{
    while (num > 0) {
        const size_t place = gsl_rng_uniform_int(self->rng, TWIN_PLACES);

        if (self->is_up[place] == is_up) {
            self->is_up[place] = !is_up;
            num--;
        }
    }
}

static int places_population(const places_t *self)
{
    int population = 0;

    for (int j = 0; j < TWIN_PLACES; j++) {
        population += self->is_up[j] && self->is_own[j];
    }
    return population;
}

static void places_start(places_t *self, int num_up)
{
    memset(self->is_up, 0, sizeof(self->is_up));
    memset(self->is_own, 0, sizeof(self->is_own));
    places_turn(self, false, num_up);
    for (int num = 0; num < TWIN_FLEET;) {
        const size_t place = gsl_rng_uniform_int(self->rng, TWIN_PLACES);

        num += !self->is_own[place];
        self->is_own[place] = true;
    }
}

/* What both count: the populations after each change of
 * 0,init,6 10,preempt,4 20,add,5 30,preempt,2 40,end,5 from its beginning, and after the
 * jump to 6. */
enum { NUM_SEEN = 5, NUM_CODES = 3125 }; /* (TWIN_FLEET + 1) ** NUM_SEEN */

static void test_twin(void **state)
{
    enum { NUM_RUNS = 60000 };
    static const int changes[] = {-4, 5, -2, 1};
    static double counts[NUM_CODES], others[NUM_CODES];
    const recording_t recording = {
        "counts", TWIN_PLACES, "0,init,6,\n10,preempt,4,\n20,add,5,\n30,preempt,2,\n40,end,5,\n"};
    places_t places = {.rng = gsl_rng_alloc(gsl_rng_taus2)};
    spot_trace_model_t model;
    uint64_t replication = 0;
    walk_t walk;

    (void) state;
    assert_non_null(places.rng);
    make_fleet(&model, &recording, TWIN_FLEET, "horizon_s: 50\n");
    walk_init(&walk, &model);
    for (int run = 0; run < NUM_RUNS; run++) {
        int code, code_of_twin;

        while (start_tick(3, replication, 4) != 0) {
            replication++;
        }
        walk_start(&walk, 3, replication++);
        places_start(&places, 6);
        code = (int) walk.population;
        code_of_twin = places_population(&places);
        for (int j = 0; j < NUM_SEEN - 1; j++) {
            const int change = changes[j];

            walk_to(&walk, (int64_t) (j + 1) * TICK_MS);
            places_turn(&places, change < 0, change < 0 ? -change : change);
            code = code * (TWIN_FLEET + 1) + (int) walk.population;
            code_of_twin = code_of_twin * (TWIN_FLEET + 1) + places_population(&places);
        }
        counts[code]++;
        others[code_of_twin]++;
    }
    assert_same_counts("populations of a fleet and its twin", counts, others, NUM_CODES);
    walk_free(&walk);
    gsl_rng_free(places.rng);
    spot_trace_model_free(&model);
}

/* ---- A fleet that runs ---- */

/* 6 of 10 up to 100 s, 3 up to 200 s, 6 up to 250 s. */
#define RUNNING_ROWS "0,init,6,\n100,preempt,3,\n200,add,3,\n250,end,6,\n"

static void test_running(void **state)
{
    static const struct {
        int capacity, running, initial, first_change_s;
    } cases[] = {
        {10, 3, 3, 100},  /* as recorded */
        {20, 6, 6, 100},  /* of copies */
        {10, 5, 6, 150},  /* the nearest one */
        {10, 0, 3, 100},  /* the nearest one */
        {5, 2, 2, 100},   /* of drawn places: the share 3 of 10 is nearer than 6 */
        {5, 3, 3, 150},   /* exact */
        {5, 0, 0, 100},   /* exact, though all of them were up */
        {8, 3, 3, 100},   /* of 3, all are in the fleet */
        {8, 0, 1, 100},   /* of 3, one at least is in the fleet */
        {4, 9, 4, 150},   /* no more than it has: the others are given back */
        {25, 12, 13, 150} /* 2 copies of each of 6, and at least 1 of 5 drawn places */
    };
    const recording_t recording = {"counts", 10, RUNNING_ROWS};

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        spot_trace_model_t model;
        char keys[64];
        walk_t walk;

        snprintf(keys, sizeof(keys), "running: %d\nhorizon_s: 1e4\n", cases[j].running);
        make_fleet(&model, &recording, cases[j].capacity, keys);
        walk_init(&walk, &model);
        for (uint64_t replication = 0; replication < 50; replication++) {
            walk_start(&walk, 1, replication);
            assert_int_equal(walk.population, cases[j].initial);
            walk_to(&walk, 0);
            assert_int_equal(walk.population, cases[j].initial);
            assert_true(walk.next.time_ms <= 1000 * (int64_t) cases[j].first_change_s ||
                        cases[j].capacity < 10);
        }
        walk_free(&walk);
        spot_trace_model_free(&model);
    }
}

/* Every tick with the population is a start, all alike often: 10 of the first stretch, 5
 * of the last. The time of the first loss tells which. */
static void test_starts(void **state)
{
    enum { NUM_REPLICATIONS = 15000, NUM_STARTS = 15 };
    const recording_t recording = {"counts", 10, RUNNING_ROWS};
    double counts[NUM_STARTS + 1] = {0}, expected[NUM_STARTS + 1];
    spot_trace_model_t model;
    walk_t walk;

    (void) state;
    make_fleet(&model, &recording, 10, "running: 6\nhorizon_s: 1e4\n");
    walk_init(&walk, &model);
    for (uint64_t replication = 0; replication < NUM_REPLICATIONS; replication++) {
        walk_start(&walk, 1, replication);
        assert_true(walk.has_next && walk.next.kind == SPOT_EVENT_PREEMPT);
        assert_in_range(walk.next.time_ms / TICK_MS, 1, NUM_STARTS);
        counts[walk.next.time_ms / TICK_MS]++;
    }
    expected[0] = 0;
    for (int j = 1; j <= NUM_STARTS; j++) {
        expected[j] = (double) NUM_REPLICATIONS / NUM_STARTS;
    }
    assert_counts("starts", counts + 1, expected + 1, NUM_STARTS);
    walk_free(&walk);
    spot_trace_model_free(&model);
}

/* ---- Several recordings, clocks, edges ---- */

/* Replication r plays recording r mod 3, each at its own share. */
static void test_turns(void **state)
{
    static const int64_t expected[] = {4, 20, 12};
    const recording_t recordings[] = {{"counts", 10, "0,init,2,\n50,end,2,\n"},
        {"counts", 5, "0,init,5,\n90,end,5,\n"}, {"availability", 20, "0,init,12,\n10,end,12,\n"}};
    spot_trace_model_t model;
    spot_diag_t diag;
    walk_t walk;

    (void) state;
    spot_diag_init(&diag);
    assert_int_equal(try_fleet(&model, 3, recordings, "capacity: 20\n", &diag), 0);
    assert_int_equal(diag.num_errors, 0);
    assert_int_equal(diag.num_items, 1); /* what could be had is taken as running */
    walk_init(&walk, &model);
    for (uint64_t replication = 0; replication < 30; replication++) {
        walk_start(&walk, 1, replication);
        assert_int_equal(walk.population, expected[replication % 3]);
        assert_false(walk.has_next);
    }
    walk_free(&walk);
    spot_trace_model_free(&model);
    spot_diag_free(&diag);
}

/* At twice the frequency the run sees the same events in half of the time. */
static void test_frequency(void **state)
{
    char *rows = random_rows(11, false, 40);
    const recording_t recording = {"counts", NUM_PLACES, rows};
    spot_trace_model_t plain, fast;
    spot_event_t event, other;
    events_t events, others;

    (void) state;
    make_fleet(&plain, &recording, 33, "horizon_s: 2e4\n");
    make_fleet(&fast, &recording, 33, "horizon_s: 1e4\nfrequency: 2\n");
    events_init(&events, &plain);
    events_init(&others, &fast);
    for (uint64_t replication = 0; replication < 20; replication++) {
        int num_events = 0;

        events_start(&events, 1, replication);
        events_start(&others, 1, replication);
        while (spot_trace_model_next(&plain, events.state, &event)) {
            assert_true(spot_trace_model_next(&fast, others.state, &other));
            assert_int_equal(other.time_ms, event.time_ms / 2);
            assert_int_equal(other.count, event.count);
            assert_int_equal(other.kind, event.kind);
            num_events++;
        }
        assert_false(spot_trace_model_next(&fast, others.state, &other));
        assert_true(num_events > 100);
    }
    events_free(&events);
    events_free(&others);
    spot_trace_model_free(&plain);
    spot_trace_model_free(&fast);
    free(rows);
}

/* No event, some at the borders, nothing that changes: it is over at once, though it
 * goes round for the longest time there is. */
static void test_nothing_happens(void **state)
{
    static const char *const all_rows[] = {"0,init,2,\n50,end,2,\n", "0,init,0,\n50,end,0,\n",
        "0,init,1,\n0,add,1,\n50,end,2,\n", "0,init,2,\n5,end,2,\n",
        "0,init,2,\n50,add,3,\n50,end,5,\n"};

    (void) state;
    for (size_t j = 0; j < sizeof(all_rows) / sizeof(all_rows[0]); j++) {
        const recording_t recording = {"counts", 10, all_rows[j]};
        const int64_t initial = j == 1 ? 0 : 2;
        spot_trace_model_t model;
        walk_t walk;

        make_fleet(&model, &recording, 30, "horizon_s: 3e9\n");
        walk_init(&walk, &model);
        walk_start(&walk, 1, 0);
        assert_int_equal(walk.population, 3 * initial);
        assert_false(walk.has_next);
        walk_free(&walk);
        spot_trace_model_free(&model);
    }
}

/* One event, again and again, with the jump back; and a recording shorter than its
 * ticks. */
static void test_one_event(void **state)
{
    const recording_t recordings[] = {{"counts", 10, "0,init,2,\n20,add,3,\n50,end,5,\n"},
        {"counts", 10, "0,init,2,\n5,end,2,\n"}};
    spot_trace_model_t model;
    walk_t walk;

    (void) state;
    make_fleet(&model, &recordings[0], 10, "horizon_s: 1e4\n");
    walk_init(&walk, &model);
    for (uint64_t replication = 0; replication < 20; replication++) {
        const int64_t first = start_tick(1, replication, 5);

        walk_start(&walk, 1, replication);
        for (int64_t tick = 0; tick < 900; tick++) {
            walk_to(&walk, tick * TICK_MS);
            assert_int_equal(walk.population, (first + tick) % 5 < 2 ? 2 : 5);
        }
    }
    walk_free(&walk);
    spot_trace_model_free(&model);
    make_fleet(&model, &recordings[1], 5, "running: 1\n");
    walk_init(&walk, &model);
    walk_start(&walk, 1, 0);
    assert_int_equal(walk.population, 1);
    walk_free(&walk);
    spot_trace_model_free(&model);
}

/* The instances of the events live: what membership makes of them is not clipped. */
static void test_membership(void **state)
{
    (void) state;
    for (uint64_t seed = 30; seed < 36; seed++) {
        char *rows = random_rows(seed, seed % 2 == 0, 60);
        const recording_t recording = {seed % 2 == 0 ? "named" : "counts", NUM_PLACES, rows};
        const int capacity = 5 + 17 * (int) (seed - 30);
        spot_membership_t membership;
        spot_trace_model_t model;
        spot_change_t change;

        make_fleet(&model, &recording, capacity, "horizon_s: 5e4\n");
        assert_int_equal(spot_membership_init(&membership, &model, capacity), 0);
        spot_membership_start(&membership, seed, 1);
        while (spot_membership_next(&membership, &change)) {
            assert_int_equal(change.num_clipped, 0);
            spot_membership_verify(&membership);
        }
        spot_membership_free(&membership);
        spot_trace_model_free(&model);
        free(rows);
    }
}

/* A model file without a capacity has that of the first recording. */
static void test_settled(void **state)
{
    const recording_t recordings[] = {
        {"counts", 10, "0,init,2,\n50,end,2,\n"}, {"counts", 5, "0,init,5,\n90,end,5,\n"}};
    spot_trace_model_t model;
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    assert_int_equal(try_fleet(&model, 2, recordings, "", &diag), 0);
    assert_int_equal(spot_trace_model_common(&model)->capacity, 10);
    assert_int_equal(spot_trace_model_common(&model)->tick_ms, TICK_MS);
    assert_int_equal(spot_trace_model_common(&model)->horizon_ms, 50000);
    assert_true(spot_trace_model_has_initial(&model));
    spot_trace_model_free(&model);
    spot_diag_free(&diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_means),
        cmocka_unit_test(test_twin),
        cmocka_unit_test(test_running),
        cmocka_unit_test(test_starts),
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_frequency),
        cmocka_unit_test(test_nothing_happens),
        cmocka_unit_test(test_one_event),
        cmocka_unit_test(test_membership),
        cmocka_unit_test(test_settled),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
