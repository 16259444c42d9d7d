/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small scenarios by hand for the recovery system varuna. Include after cmocka.h. */
#pragma once

#include "fixture.h"

#define TRACE_HEADER                                                                               \
    "# spotsim-trace: 1\n# name: test\n# start: unknown\n# resolution_s: 0.001\n"                  \
    "# kind: named\n# capacity: unbounded\ntime_s,event,count,instances\n"
#define CLOCK "scenario: test\nhorizon: trace-end\ntick: 100 ms\n"
#define ONE_STAGE                                                                                  \
    "  pipeline_depth: 1\n  samples_per_step: 64\n  step_time: {1: 20 s, 2: 10 s}\n"               \
    "  checkpoint: {write: 4 s}\n  reconfiguration: 5 s\n  reload: 7 s\n"

typedef struct {
    const char *rows;  /* of the trace */
    const char *table; /* by n, or NULL */
    const char *job;
    const char *options; /* of varuna */
    const char *notice;  /* NULL: none */
    int capacity;
} small_t;

static inline spot_train_result_t run_small(const small_t *self)
{
    char trace[PATH_BYTES], table[PATH_BYTES], text[4096];
    spot_train_result_t result;
    spot_scenario_t scenario;

    temporary_path("varuna.csv", trace);
    temporary_path("by-n.csv", table);
    snprintf(text, sizeof(text), TRACE_HEADER "%s", self->rows);
    write_file(trace, text);
    if (self->table != NULL) {
        write_file(table, self->table);
    }
    snprintf(text, sizeof(text),
        CLOCK "fleet: {capacity: %d, preparation: 0 s, notice: %s}\njob:\n%s"
              "recovery: {system: varuna, published_defaults: yes%s%s%s}\ntrace: {file: %s}\n",
        self->capacity, self->notice == NULL ? "0 s" : self->notice, self->job, self->options,
        self->table == NULL ? "" : ", table: ", self->table == NULL ? "" : table, trace);
    bind_good_scenario(&scenario, text);
    result = run_scenario(&scenario, 1, NULL);
    spot_scenario_free(&scenario);
    remove(trace);
    remove(table);
    return result;
}
