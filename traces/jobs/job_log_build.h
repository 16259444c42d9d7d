/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds a log job by job: for its reader and for synthetic logs. Zero a log, set
 * clock_zero_s, add texts and jobs, seal. All calls: NO_MEMORY. */
#pragma once

#include "traces/jobs/job_log.h"

/* The id of a text in a set of the log, added if it is new; -1 for "". O(1). */
SPOT_MUST_CHECK int spot_job_log_add_text(
    spot_job_log_t *self, spot_text_set_t *set, const char *text, int32_t *text_id);

/* The same of workloads and terms. Texts of theirs must be those of self->words. */
SPOT_MUST_CHECK int spot_job_log_add_workload(
    spot_job_log_t *self, const spot_workload_t *workload, int32_t *workload_id);
SPOT_MUST_CHECK int spot_job_log_add_terms(
    spot_job_log_t *self, const spot_job_terms_row_t *terms, int32_t *terms_id);

/* Appends a job with a copy of its id. */
SPOT_MUST_CHECK int spot_job_log_add(spot_job_log_t *self, const spot_job_row_t *job);

/* Sorts jobs by submit_s, ties in the order of their addition. O(n log n), O(n) if they
 * are in order. */
SPOT_MUST_CHECK int spot_job_log_seal(spot_job_log_t *self);

/* The key of a job for a table of all jobs: its id. owner: the log. */
const void *spot_job_log_key(const void *owner, size_t job_id, size_t *num_bytes);

/* A table of all jobs by id. The caller frees it. */
SPOT_MUST_CHECK int spot_job_log_tabulate(
    const spot_job_log_t *self, spot_key_table_t *table);
