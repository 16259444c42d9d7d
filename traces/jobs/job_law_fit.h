/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fits laws of jobs (job_law.h) to a job log. */
#pragma once

#include <stdio.h>

#include "traces/jobs/job_log.h"

/* Writes laws of the jobs of a log as YAML, with comments on what they rest on. Weights
 * of hours need 2 days, those of weekdays 2 weeks; without dates, second 0 of the log is
 * 0 h of a Monday. Each VC has the sizes of its jobs. Durations have a law for 1, 2, 3
 * to 4, 5 to 8 and more GPUs, the best of exponential, Weibull and lognormal by AIC;
 * sizes of few jobs share a law. source: what the log is called. The caller checks out
 * for errors. BAD_INPUT with the reason in diag: the log has fewer than 2 jobs.
 * NO_MEMORY. O(n log n) for n jobs. */
SPOT_MUST_CHECK int spot_job_law_fit(const spot_job_log_t *log,
    const spot_vc_list_t *vcs, const char *source, FILE *out, spot_diag_t *diag);
