/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workloads for a log that has none, drawn from a table. */
#pragma once

#include "base/rng.h"
#include "traces/jobs/job_log.h"

/* The rows of a table, by the class of GPUs that they are for: 1, 2, 3-4, 5-8, more. */
#define SPOT_NUM_WORKLOAD_CLASSES 5
typedef struct {
    struct spot_workload_class {
        spot_parts_t parts;
        size_t num_ids;
        size_t max_ids;
        int32_t *ids; /* [num_ids] workloads of the parts */
    } classes[SPOT_NUM_WORKLOAD_CLASSES];
} spot_workload_table_t;

/* Reads a table as described below and adds its workloads to log. BAD_INPUT, IO,
 * NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_workload_table_read(
    spot_workload_table_t *self, spot_job_log_t *log, const char *path, spot_diag_t *diag);
void spot_workload_table_free(spot_workload_table_t *self);

/* The name of the class of a job if it has no row, else NULL. */
const char *spot_workload_table_lacks(const spot_workload_table_t *self, int32_t gpu_num);

/* The id of a workload for a job, whose class has a row. */
int32_t spot_workload_table_draw(
    const spot_workload_table_t *self, int32_t gpu_num, spot_rng_t *rng);

/* Gives each job a workload, in place of its own: a row of the table that is for its GPU
 * class (1, 2, 3-4, 5-8, more), drawn with replacement by weight. The table is a CSV
 * file with the workload columns of logs and, if there, gpu_num (the row is for the
 * class of that number; empty: for all) and weight (1 if empty). The draw of a job
 * depends on the seed and its place in the log only. BAD_INPUT, IO, NO_MEMORY. */
SPOT_MUST_CHECK int spot_job_assign(
    spot_job_log_t *log, const char *path, uint64_t seed, spot_diag_t *diag);
