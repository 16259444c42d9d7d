/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A large log to test with, made from a counter: num_tasks tasks on 32 workers of 8
 * hosts, the same bytes everywhere. */
#pragma once

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

/* splitmix64 (Steele, Lea, Flood, OOPSLA 2014). */
static inline uint64_t recipe_mix(uint64_t x)
{
    x += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

/* The draw number k of a task, below a bound. */
static inline int64_t recipe_draw(uint64_t task, unsigned k, uint64_t bound)
{
    return (int64_t) (recipe_mix((UINT64_C(1) << 40) + 16 * task + k) % bound);
}

static inline void recipe_name(uint64_t task, char name[128])
{
    static const char *const classes[] = {"retrieve", "mean", "ensms", "sot"};

    snprintf(name, 128, "%s(%d, %d):%016" PRIx64 "%016" PRIx64 "%016" PRIx64 "%016" PRIx64,
        classes[task % 4], (int) (task % 7), (int) (task % 31), recipe_mix(4 * task),
        recipe_mix(4 * task + 1), recipe_mix(4 * task + 2), recipe_mix(4 * task + 3));
}

/* The lines of a transmit that is planned at an instant -> its end. */
static inline int64_t recipe_transmit(FILE *out, uint64_t task, uint64_t producer, int64_t planned)
{
    static const char *const actions[] = {"transmitStarted", "transmitLoaded", "transmitFinished"};
    const int worker = (int) (task % 32), host = worker / 4;
    const bool is_local = (int) (producer % 32) / 4 == host;
    const char *last_mode = is_local                        ? "local"
                            : recipe_draw(task, 5, 10) == 0 ? "redundant"
                                                            : "remote";
    char name[128];
    int64_t at[3];

    recipe_name(producer, name);
    at[0] = planned + 500000 + recipe_draw(task, 2, 700000);
    at[1] = at[0] + 200000 + recipe_draw(task, 3, 600000);
    at[2] = is_local ? planned + 400000 + recipe_draw(task, 2, 500000)
                     : at[1] + 10000000 + recipe_draw(task, 4, 30000000);
    fprintf(out,
        "{\"dataset\": \"%s\", \"action\": \"transmitPlanned\", \"worker\": "
        "\"h%d:worker%d\", \"host\": \"controller\", \"at\": %" PRId64 "}\n",
        name, host, worker % 4, planned);
    for (int j = is_local ? 2 : 0; j < 3; j++) {
        fprintf(out,
            "{\"host\": \"h%d\", \"dataset\": \"%s\", \"action\": \"%s\", \"worker\": "
            "\"worker%d\", \"mode\": \"%s\", \"at\": %" PRId64 "}\n",
            host, name, actions[j], worker % 4, j == 2 ? last_mode : "remote", at[j]);
    }
    return at[2];
}

/* The lines of a task -> its end. */
static inline int64_t recipe_task(FILE *out, uint64_t task, int64_t cursor)
{
    const int worker = (int) (task % 32), host = worker / 4;
    const int64_t planned = cursor + 100000 + recipe_draw(task, 6, 400000);
    const int64_t enqueued = planned + 500000 + recipe_draw(task, 7, 600000);
    const int64_t started = enqueued + 8000000 + recipe_draw(task, 8, 4000000);
    const int64_t finished = started + 40000000 + recipe_draw(task, 9, 60000000);
    char name[128];

    recipe_name(task, name);
    fprintf(out,
        "{\"task\": \"%s\", \"action\": \"taskPlanned\", \"worker\": \"h%d:worker%d\", "
        "\"host\": \"controller\", \"at\": %" PRId64 "}\n",
        name, host, worker % 4, planned);
    fprintf(out,
        "{\"host\": \"h%d\", \"task\": \"%s\", \"action\": \"taskEnqueued\", "
        "\"worker\": "
        "\"worker%d\", \"at\": %" PRId64 "}\n",
        host, name, worker % 4, enqueued);
    for (int j = 0; j < 2; j++) {
        fprintf(out,
            "{\"host\": \"h%d\", \"worker\": \"worker%d\", \"task\": \"%s\", "
            "\"action\": "
            "\"task%s\", \"at\": %" PRId64 "}\n",
            host, worker % 4, name, j == 0 ? "Started" : "Finished", j == 0 ? started : finished);
    }
    return finished;
}

static inline void recipe_write(FILE *out, uint64_t num_tasks)
{
    int64_t cursors[32];

    for (int j = 0; j < 32; j++) {
        cursors[j] = INT64_C(16277000000000) + 1000000 * j;
    }
    for (uint64_t task = 0; task < num_tasks; task++) {
        int64_t *cursor = &cursors[task % 32];
        const int64_t back = 32 + recipe_draw(task, 0, 32);

        if (task >= 32 && (int64_t) task - back >= 0) {
            const int64_t planned = *cursor + 50000 + recipe_draw(task, 1, 100000);

            *cursor = recipe_transmit(out, task, task - (uint64_t) back, planned);
        }
        *cursor = recipe_task(out, task, *cursor) + 1000000;
    }
}
