/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A made-up engine whose metrics, chance and unit of work depend on the scenario: halls
 * of servers, each of which is busy for a part of the time. */
#ifndef TESTS_UNIT_STUDY_ENGINE_HALLS_H
#define TESTS_UNIT_STUDY_ENGINE_HALLS_H

#include <stdatomic.h>

#include "sim/bench/engine/experiment.h"

/* Keys: servers (1), load (0.5), chance (yes), batch (64), unit (of wait_mean_s: s).
 * Metrics: wait_mean_s, which is 10 load and without chance exactly so; then
 * busy_fraction.server-1 to -servers, load / (server + 1). */
extern const spot_experiment_t spot_engine_halls;

/* "halls" alone, up to NULL. */
extern const spot_experiment_t *const halls_engines[];

/* Replications that were run, and scenarios that are bound. */
extern atomic_llong halls_num_runs;
extern atomic_llong halls_num_bound;

#endif
