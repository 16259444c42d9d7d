/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The step time when the micro-batches of lost instances go to the peers of their stage,
 * as in ReCycle (Gandhi et al., SOSP'24). An approximation, unverified:
 * max((M+P-1)c, M c max_s D/(D-f_s) + fill) with c = F+B and f_s places lost at stage s;
 * fill = (P-1)F at best, where weight gradients move into bubbles, (P-1)c at worst. */
#ifndef SPOT_MODELS_REROUTE_H
#define SPOT_MODELS_REROUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "models/job.h"

/* What the formula needs of a job. Without a model of its pipelines c is not known: then
 * the job's step time grows by the ratio of the formula's values, in which c does not
 * count; with one, by their difference, so that links and all-reduce stay as they are.
 */
typedef struct {
    int64_t micro_batch;  /* samples, >= 1 */
    double forward_share; /* F/c, where the job has no model of its pipelines */
    bool is_worst_fill;
} spot_reroute_t;

/* The samples of a micro-batch by the job's pipeline model or table; 0: not told. */
int64_t spot_reroute_micro_batch(const spot_job_t *job);

/* The step time of num_pipelines of the job's depth, of whose worst stage num_lost
 * places are lost, from 0 to num_pipelines - 1; with 0 it is the job's own. At least 1
 * ms. */
int64_t spot_reroute_step_ms(const spot_reroute_t *self, const spot_job_t *job,
    int64_t num_pipelines, int64_t num_lost);

#endif
