/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the event calendar costs: ns for taking the first item and adding its successor,
 * for moving the first item to its successor's time, and for moving any item, with 2 to
 * 1e6 items. Prints; asserts nothing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/calendar.h"
#include "base/rng.h"
#include "base/watch.h"

#define NUM_CALLS 4000000
#define NUM_DRAWS 4096 /* made beforehand, so that the calendar alone is timed */
#define NUM_ROUNDS 5
#define NS_PER_S 1e9

typedef enum { TAKE_AND_ADD, MOVE_FIRST, MOVE_ANY, NUM_WAYS } way_t;

static const char *const way_names[] = {"take and add", "move first", "move any"};

static int64_t waits[NUM_DRAWS];

/* An exponential time in ns with this mean in s. */
static int64_t draw_ns(spot_rng_t *rng, double mean_s)
{
    return (int64_t) (-NS_PER_S * mean_s * log1p(-spot_rng_uniform(rng)));
}

static void add(spot_calendar_t *calendar, int64_t tick, int32_t kind)
{
    if (spot_calendar_add(calendar, &(spot_calendar_item_t){.tick = tick, .kind = kind}, NULL) !=
        0) {
        exit(1);
    }
}

static void call(spot_calendar_t *calendar, way_t way, int32_t j)
{
    const spot_due_t *first = spot_calendar_first(calendar);
    const int64_t tick = first->tick + waits[j % NUM_DRAWS];

    if (way == TAKE_AND_ADD) {
        (void) spot_calendar_take(calendar);
        add(calendar, tick, 0);
    } else if (way == MOVE_FIRST) {
        spot_calendar_move(calendar, first->handle, tick);
    } else {
        /* 2^31 / golden ratio: handles far apart. */
        spot_calendar_move(
            calendar, (int32_t) ((uint32_t) j * UINT32_C(1327217885) % calendar->num_items), tick);
    }
}

static void bench_way(size_t num_items, way_t way)
{
    double best_s = 1e9;
    spot_calendar_t calendar;

    spot_calendar_init(&calendar);
    for (size_t j = 0; j < num_items; j++) {
        add(&calendar, waits[j % NUM_DRAWS], 0);
    }
    for (int round = 0; round < NUM_ROUNDS; round++) {
        const double started_s = spot_clock_cpu_s();
        double round_s;

        for (int32_t j = 0; j < NUM_CALLS; j++) {
            call(&calendar, way, j);
        }
        round_s = spot_clock_cpu_s() - started_s;
        best_s = round_s < best_s ? round_s : best_s;
    }
    printf("%-14s %12.1f ns a call with %zu items\n", way_names[way], best_s * NS_PER_S / NUM_CALLS,
        num_items);
    spot_calendar_free(&calendar);
}

int main(void)
{
    static const size_t num_items[] = {2, 16, 1000, 1000000};
    spot_rng_t rng;

    spot_rng_seek(&rng, 1, 0, SPOT_STREAM_GAP, 0);
    for (int j = 0; j < NUM_DRAWS; j++) {
        waits[j] = draw_ns(&rng, 1);
    }
    for (size_t j = 0; j < sizeof(num_items) / sizeof(num_items[0]); j++) {
        for (int way = 0; way < NUM_WAYS; way++) {
            bench_way(num_items[j], (way_t) way);
        }
    }
    return 0;
}
