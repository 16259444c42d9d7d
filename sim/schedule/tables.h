/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The series of a replication that are tables: rows of jobs and VCs, and distributions.
 * Their files are those of the rules in docs/scheduling.md. */
#pragma once

#include "sim/engine/series.h"
#include "sim/schedule/schedule.h"
#include "sim/schedule/summary.h"

/* jobs: job_id, start, end, queue and nothing else, in order of the ids. */
extern const spot_series_kind_t spot_jobs_series;
SPOT_MUST_CHECK int spot_jobs_series_fill(
    spot_series_t *series, const spot_schedule_t *schedule);

/* job_details: the columns of the log and all results, in order of the log. nodes:
 * [log->num_jobs] the nodes of each job's latest run, or NULL. */
extern const spot_series_kind_t spot_job_details_series;
SPOT_MUST_CHECK int spot_job_details_series_fill(
    spot_series_t *series, const spot_schedule_t *schedule, const char *const *nodes);

/* per_vc: means of each VC, and of all. */
extern const spot_series_kind_t spot_per_vc_series;
SPOT_MUST_CHECK int spot_per_vc_series_fill(spot_series_t *series,
    const spot_schedule_t *schedule, const spot_summaries_t *summaries);

/* cdf: percent of the jobs whose JCT is at most 2^i s; jct: the same as a share, for
 * pictures. */
extern const spot_series_kind_t spot_cdf_series;
extern const spot_series_kind_t spot_jct_series;
SPOT_MUST_CHECK int spot_cdf_series_fill(spot_series_t *cdf, spot_series_t *jct,
    const spot_summaries_t *summaries, size_t num_vcs);
