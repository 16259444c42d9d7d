/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Models over recorded traces that tests write down. Include after cmocka.h. */
#pragma once

#include "base/rng.h"
#include "tests/unit/base/support.h"
#include "tests/unit/generate/model_text.h"

/* A trace of kind named or counts; keys: further lines of the model. */
static inline void make_recorded(spot_trace_model_t *model, const char *generator, const char *kind,
    const char *capacity, const char *rows, const char *keys)
{
    char path[PATH_BYTES], text[PATH_BYTES + 512];
    char *bytes = malloc(strlen(rows) + 512);

    assert_non_null(bytes);
    sprintf(bytes,
        "# spotsim-trace: 1\n# name: t\n# start: unknown\n# resolution_s: 10\n"
        "# kind: %s\n# capacity: %s\ntime_s,event,count,instances\n%s",
        kind, capacity, rows);
    test_path("recorded.csv", path);
    write_file(path, bytes, strlen(bytes));
    snprintf(text, sizeof(text), "generator: %s\ntrace: %s\n%s", generator, path, keys);
    make_model(model, text);
    assert_int_equal(remove(path), 0);
    free(bytes);
}

/* A random walk of names, or of numbers, on ticks of 10 s; at most 40 live. The caller
 * frees the rows. */
static inline char *random_rows(uint64_t seed, bool is_named, int num_rows)
{
    enum { NUM_NAMES = 40 };
    bool is_up[NUM_NAMES] = {false};
    int population = 2, time_s = 0;
    char *rows = NULL;
    size_t num_bytes = 0;
    FILE *out = open_memstream(&rows, &num_bytes);
    spot_rng_t rng;

    assert_non_null(out);
    spot_rng_seek(&rng, seed, 0, SPOT_STREAM_BOOTSTRAP, 0);
    is_up[0] = is_up[1] = true;
    fprintf(out, "0,init,2,%s\n", is_named ? "n0 n1" : "");
    for (int j = 0; j < num_rows; j++) {
        const bool is_add =
            population == 0 || (population < NUM_NAMES && spot_rng_below(&rng, 2) == 0);
        const int most = is_add ? NUM_NAMES - population : population;
        int count = 1 + (int) spot_rng_below(&rng, (uint64_t) (most < 6 ? most : 6));

        time_s += 10 * (1 + (int) spot_rng_below(&rng, 20));
        fprintf(out, "%d,%s,%d,", time_s,
            is_add                         ? "add"
            : spot_rng_below(&rng, 4) == 0 ? "stop"
                                           : "preempt",
            count);
        population += is_add ? count : -count;
        for (const char *blank = ""; is_named && count > 0;) {
            const int name = (int) spot_rng_below(&rng, NUM_NAMES);

            if (is_up[name] != is_add) {
                is_up[name] = is_add;
                fprintf(out, "%sn%d", blank, name);
                blank = " ";
                count--;
            }
        }
        fprintf(out, "\n");
    }
    fprintf(out, "%d,end,%d,\n", time_s + 50, population);
    assert_int_equal(fclose(out), 0);
    return rows;
}

/* The recording itself, to look into; at most 40 live. */
static inline void read_rows(spot_trace_t *trace, const char *kind, const char *rows)
{
    char *bytes = malloc(strlen(rows) + 512);
    spot_diag_t diag;

    assert_non_null(bytes);
    sprintf(bytes,
        "# spotsim-trace: 1\n# name: t\n# start: unknown\n# resolution_s: 10\n"
        "# kind: %s\n# capacity: 40\ntime_s,event,count,instances\n%s",
        kind, rows);
    spot_diag_init(&diag);
    assert_int_equal(spot_trace_read_bytes(trace, "t", bytes, strlen(bytes), true, &diag), 0);
    spot_diag_free(&diag);
    free(bytes);
}

static inline int64_t recorded_population(const spot_trace_t *trace, int64_t time_ms)
{
    int64_t population = trace->initial;

    for (size_t j = 0; j < trace->num_events && trace->events[j].time_ms <= time_ms; j++) {
        population += trace->events[j].kind == SPOT_EVENT_ADD ? trace->events[j].count
                                                              : -trace->events[j].count;
    }
    return population;
}
