/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Service models: what a measured profile says of how long a batch keeps a replica busy,
 * and when its result is there. One const table for each model, in a file of its own. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"
#include "models/serving_profile.h"

/* Times of batches of a model on one hardware. Batches of 1 ... last queries. */
typedef struct {
    int32_t last;
    const int64_t *busy_ns;   /* [last + 1] S(n) >= 1, how long a replica is busy; [0]: 0 */
    const int64_t *result_ns; /* [last + 1] D(n) >= S(n), when the result is there */
} spot_service_time_t;

typedef struct {
    const char *name;
    const char *doc;
    const char *warning; /* what a run with it says; NULL: nothing */
    bool cannot_plan;    /* its times are wrong on purpose */
    bool cannot_be_cut;  /* replicas that may be taken away cannot use it */
    /* How long a batch at a row of the profile takes, in ms: busy, and to its result. */
    double (*busy_ms)(const spot_batch_profile_t *row);
    double (*result_ms)(const spot_batch_profile_t *row); /* NULL: when busy ends */
} spot_service_t;

extern const spot_service_t spot_service_throughput, spot_service_p99, spot_service_pipelined,
    spot_service_notebook;

/* All, up to NULL; the first is the default. */
extern const spot_service_t *const spot_services[];

/* Makes the table of a profile in an arena. Between rows the time of a batch is linear
 * in its size. NO_MEMORY. */
SPOT_MUST_CHECK int spot_service_time_init(spot_service_time_t *self, const spot_service_t *service,
    const spot_serving_profile_t *profile, spot_arena_t *memory);

/* The least time to a result of batches of up to batch queries. O(batch). */
int64_t spot_service_time_fastest(const spot_service_time_t *self, int32_t batch);

/* Queries per second of a replica that runs batches of this size only. */
double spot_service_time_qps(const spot_service_time_t *self, int32_t batch);
