/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keys jobs and cluster.vcs of a scenario, and what is read by them. Scenarios of a
 * study that name the same files share it: a log is read once for any number of
 * points. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bind.h"
#include "traces/jobs/job_law.h"
#include "traces/jobs/job_log.h"

typedef struct {
    char *file, *column;
} spot_estimate_file_t;

typedef struct {
    char *from, *to;
} spot_vc_renaming_t;

typedef struct {
    char *name;
    int64_t num_nodes;
} spot_vc_nodes_t;

/* As bound; a scenario has it while it is read. */
typedef struct {
    char *log, *workload; /* paths; NULL: not given */
    spot_estimate_file_t estimates;
    int short_rule; /* spot_short_rule_t */
    int oversize;   /* 0: error, 1: drop */
    int is_strict;
    int64_t jitter_ms;
    spot_job_law_t law; /* if the log is generated */
    size_t num_renamings;
    spot_vc_renaming_t *renamings; /* [num_renamings] */
} spot_jobs_setting_t;

typedef struct {
    char *path; /* NULL: the next ones */
    size_t num_vcs;
    spot_vc_nodes_t *vcs; /* [num_vcs] */
} spot_vcs_setting_t;

extern const spot_field_t spot_jobs_fields[];
extern const spot_field_t spot_vcs_forms[];

void spot_jobs_setting_free(spot_jobs_setting_t *self);
void spot_vcs_setting_free(spot_vcs_setting_t *self);

typedef struct {
    int num_users; /* scenarios */
    char *key;     /* what has been read */
    spot_vc_list_t vcs;
    spot_job_log_t log;  /* empty if a law draws it */
    double *estimates_s; /* [log.num_jobs], NULL: none */
} spot_job_data_t;

/* Reads the VCs, the log and the estimates, or shares them with like, which may be NULL.
 * BAD_INPUT, IO, NO_MEMORY with the reasons in diag; close self even then. */
SPOT_MUST_CHECK int spot_job_data_open(spot_job_data_t **self,
    const spot_jobs_setting_t *jobs, const spot_vcs_setting_t *vcs, bool has_law,
    bool may_be_empty, spot_job_data_t *like, spot_diag_t *diag);
void spot_job_data_close(spot_job_data_t *self);
