/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A job log, its VCs and its coverage, for commands. */
#pragma once

#include "cli/command.h"
#include "reports/traces/coverage_table.h"
#include "traces/jobs/job_file.h"

/* Zero it to start. */
typedef struct {
    spot_vc_list_t vcs;
    spot_job_log_t log;
    spot_job_coverage_t *rows; /* [num_vcs + 1] */
} spot_schedule_log_t;

/* Options that several commands have. */
#define SPOT_OPTION_VCS(member)                                                                    \
    SPOT_OPTION(INPUT, "vcs", 0, "FILE", member,                                                   \
        "Nodes of the VCs, a CSV file with the columns vc,nodes; rows of other VCs "               \
        "are "                                                                                     \
        "dropped (default: all VCs of the log)",                                                   \
        .endings = ".csv or .gz")
#define SPOT_OPTION_GPUS_PER_NODE(member)                                                          \
    SPOT_OPTION(COUNT, "gpus-per-node", 0, "N", member,                                            \
        "GPUs of a node (default 8), for the load", .min = 1, .max = 64)
#define SPOT_OPTION_SHORT(member)                                                                  \
    SPOT_OPTION(CHOICE, "short", 0, "error|clamp|drop", member,                                    \
        "A duration below 1 s is an error (default), is raised to 1 s, or its row is "             \
        "dropped",                                                                                 \
        .choices = spot_short_rule_names)
#define SPOT_OPTION_STRICT(member)                                                                 \
    SPOT_OPTION(                                                                                   \
        FLAG, "strict", 0, NULL, member, "A VC that is not among those of --vcs is an error")

#define SPOT_OPTION_LOG_OUTPUT(member)                                                             \
    SPOT_OPTION(WRITTEN, "output", 'o', "FILE", member,                                            \
        "Write the log here, compressed if it ends in .gz (default: standard output)",             \
        .endings = ".csv or .gz")

/* Reads the VCs, if vcs_path is not NULL, and the log, whose VCs they are else. Errors
 * of both readers. */
SPOT_MUST_CHECK int spot_schedule_log_read(spot_schedule_log_t *self, const char *vcs_path,
    spot_job_log_request_t *request, spot_diag_t *diag);

/* Finds the coverage. Valid until self is freed. NO_MEMORY. */
SPOT_MUST_CHECK int spot_schedule_log_cover(
    spot_schedule_log_t *self, int64_t gpus_per_node, spot_coverage_t *coverage);

/* Writes the log, and the coverage, as CSV. IO, NO_MEMORY. */
SPOT_MUST_CHECK int spot_schedule_log_write(
    spot_call_t *call, const spot_schedule_log_t *self, const char *path);
SPOT_MUST_CHECK int spot_schedule_coverage_write(
    spot_call_t *call, const spot_coverage_t *coverage, const char *path);

void spot_schedule_log_free(spot_schedule_log_t *self);
