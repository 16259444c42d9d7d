/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the work of a run would cost and take on demand: on instances that are rented for
 * as long as the work needs and are never lost. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "models/job.h"

/* A world size with a known step time. */
typedef struct {
    int64_t num_instances;
    int64_t fill_ms; /* before the first step, with job.input */
    spot_cycle_t cycle;
} spot_rental_t;

/* Zeroed: none is known. */
typedef struct {
    size_t num_rentals;
    size_t max_rentals;
    spot_rental_t *rentals; /* [num_rentals] */
} spot_rentals_t;

/* The world sizes of whole pipelines whose step time is measured or listed, of equal
 * step times side by side the smallest, of those by (D,P) the fastest pairs, each with
 * the checkpoints of the job. NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_rentals_init(spot_rentals_t *self, const spot_job_t *job);
void spot_rentals_free(spot_rentals_t *self);

/* The work of a run, and what it costs to rent. */
typedef struct {
    double steps; /* kept, with the done part of the last one */
    int64_t within_ms;
    int64_t preparation_ms; /* before the first step; paid */
    double instance_usd_per_h;
    double service_usd_per_h;
} spot_work_done_t;

typedef struct {
    int64_t num_instances; /* 0: no world size is known */
    double time_s;
    double cost_usd;
} spot_same_work_t;

/* The cheapest world size that does the work within the time; where none does, the
 * fastest. No work takes and costs nothing. O(rentals). */
spot_same_work_t spot_same_work_find(const spot_rentals_t *self, const spot_work_done_t *work);
