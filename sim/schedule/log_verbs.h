/* SPDX-License-Identifier: GPL-3.0-or-later */
/* spotsim schedule import, check, assign, fit, generate: what makes a job log and says what it
 * holds; and a log with its VCs, as the other commands of schedules read it. */
#pragma once

#include "base/verb/verb.h"
#include "traces/jobs/job_file.h"

/* Zero it to start. */
typedef struct {
    spot_vc_list_t vcs;
    spot_job_log_t log;
    spot_job_coverage_t *rows; /* [num_vcs + 1] */
} spot_schedule_log_t;

/* An option of all that read a log. */
#define SPOT_OPTION_VCS(member)                                                                    \
    SPOT_OPTION(INPUT, "vcs", 0, "FILE", member,                                                   \
        "Nodes of the VCs, a CSV file with the columns vc,nodes; rows of other VCs "               \
        "are "                                                                                     \
        "dropped (default: all VCs of the log)",                                                   \
        .endings = ".csv or .gz")

/* Reads the VCs, if vcs_path is not NULL, and the log, whose VCs they are else. Errors
 * of both readers. */
SPOT_MUST_CHECK int spot_schedule_log_read(spot_schedule_log_t *self, const char *vcs_path,
    spot_job_log_request_t *request, spot_diag_t *diag);

void spot_schedule_log_free(spot_schedule_log_t *self);
