/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The step time while peers of the same stage take the micro-batches of lost instances,
 * as in ReCycle (Gandhi et al., SOSP'24). An approximation, unverified: max((M+P-1)c, M
 * c max_s D/(D-f_s) + fill) with c = F+B and f_s places lost at stage s; fill = (P-1)F
 * at best, with weight gradients moved into bubbles, (P-1)c at worst. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "models/job.h"

/* Settings of the formula. With a pipeline model of the job, its step time grows by the
 * difference of the formula's values, so that links and all-reduce stay unchanged.
 * Without one, c is unknown and the step time grows by their ratio, in which c
 * cancels. */
typedef struct {
    int64_t micro_batch;  /* samples, >= 1 */
    double forward_share; /* F/c, used if the job has no pipeline model */
    bool is_worst_fill;
} spot_reroute_t;

/* Samples of a micro-batch in the job's pipeline model or table; 0: not given. */
int64_t spot_reroute_micro_batch(const spot_job_t *job);

/* The step time of num_pipelines of the job's depth with num_lost places lost at the
 * worst stage, 0 to num_pipelines - 1; with 0 it is the job's own. At least 1 ms. */
int64_t spot_reroute_step_ms(
    const spot_reroute_t *self, const spot_job_t *job, int64_t num_pipelines, int64_t num_lost);
