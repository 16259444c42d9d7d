/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An experiment with a key of each kind, for plans over them. Its only metric but one is
 * first + 2 second plus noise that all points share. */
#pragma once

#include "sim/bench/engine/experiment.h"

typedef struct {
    double first;
    double second;
    int64_t depth; /* at most limit, or it cannot be bound */
    int64_t limit; /* 10 unless it is set */
    int64_t pause_ms;
    char *every;
    int mode; /* 0: sync, 1: async */
    struct {
        int64_t size;
    } box;
} keys_scenario_t;

enum { KEYS_SUM, KEYS_SELDOM, KEYS_CONSTANT, KEYS_NUM_METRICS };

extern const spot_experiment_t keys_experiment;
extern const spot_experiment_t *const keys_engines[]; /* only it */
