/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A log of training jobs in memory: who asked for how many GPUs, when and for how long.
 *
 * This module owns the list of virtual clusters (VCs) with their nodes, the log with its
 * distinct workloads and terms, what it holds by VC, and its submits with jitter.
 * job_file.h reads and writes logs as CSV, job_law.h draws them. Constant after reading,
 * so that all threads share it.
 *
 * Use: spot_vc_list_read(), then spot_job_log_read() or spot_job_law_draw(); look at
 * jobs; free both. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/error.h"
#include "base/keys.h"
#include "base/memory.h"

/* ---- The list of VCs ----
 * The virtual clusters of a cluster and their nodes, from a CSV file with the columns
 * vc,nodes or ,num. The order of the lines is the order of the VCs in every output. */

#define SPOT_VC_NAME_BYTES 64

typedef struct {
    char *name;
    int32_t num_nodes; /* >= 0 */
    size_t line;       /* of the file, for messages; 0: none */
} spot_vc_size_t;

typedef struct {
    size_t num_vcs;
    size_t max_vcs;
    spot_vc_size_t *vcs; /* [num_vcs] distinct names */
} spot_vc_list_t;

/* Reads a file, plain or packed, and reports every error to diag as file:line:column.
 * BAD_INPUT, IO, NO_MEMORY; free self even then. Without nodes a VC is an error unless
 * may_be_empty. */
SPOT_MUST_CHECK int spot_vc_list_read(
    spot_vc_list_t *self, const char *path, bool may_be_empty, spot_diag_t *diag);
void spot_vc_list_free(spot_vc_list_t *self);

/* Appends a VC with a copy of its name. NO_MEMORY. */
SPOT_MUST_CHECK int spot_vc_list_add(
    spot_vc_list_t *self, const char *name, int32_t num_nodes, size_t line);

/* The index of a VC, or -1. O(VCs). */
int32_t spot_vc_list_find(const spot_vc_list_t *self, const char *name);

/* ---- The log ---- */

#define SPOT_JOB_ID_BYTES 64
#define SPOT_JOB_MAX_GPUS 1000000
#define SPOT_JOB_NO_CLOCK INT64_MIN
#define SPOT_JOB_MAX_S (INT64_C(100) * 366 * 86400) /* of times and durations */

/* What a job computes and how it uses a GPU when it runs alone. Jobs with the same
 * columns share one. NAN: not given. */
typedef struct {
    const char *model, *dataset; /* "" where not given */
    int32_t batch_size;
    int32_t amp;         /* automatic mixed precision: 0, 1 */
    double speed_per_s;  /* samples */
    double gpu_util;     /* % of the time */
    double gmem_util;    /* % */
    double gmem_mib;     /* memory of a GPU */
    int32_t share_score; /* 0 tiny, 1 medium, 2 jumbo; -1: not given */
} spot_workload_t;

/* The throughput of a job by its number of GPUs. */
typedef struct {
    const char *name; /* as in the column scaling */
    size_t num_sizes;
    size_t max_sizes;
    int32_t *sizes; /* [num_sizes] increasing, >= 1 */
    size_t num_per_s;
    size_t max_per_s;
    double *per_s; /* [num_sizes] > 0, in any unit */
} spot_job_scaling_t;

/* The default of restart_s. */
#define SPOT_RESTART_WORDS "40 s, above 8 GPUs 60 s"

/* How a job copes with nodes that come and go. Jobs with the same columns share one. */
typedef struct {
    int32_t min_gpus, max_gpus;    /* of an elastic job; 0: it is rigid */
    int32_t scaling_id;            /* of an elastic job, else -1 */
    int64_t checkpoint_interval_s; /* of progress; 0: never */
    int64_t checkpoint_write_s;
    int64_t restart_s; /* -1: not given, the policy's default */
    int64_t reconfiguration_s;
    const char *trainer; /* "core:NAME", a job that the training engine simulates; or
                            NULL */
} spot_job_terms_row_t;

/* The terms of a job whose columns are empty. */
#define SPOT_JOB_NO_TERMS                                                                          \
    {                                                                                              \
        .scaling_id = -1, .restart_s = -1                                                          \
    }

/* One job. Ids are indices into the arrays of the log; -1: not given. */
typedef struct {
    int64_t submit_s;   /* on the simulation clock, >= 0 */
    int64_t duration_s; /* at its own number of GPUs, >= 1 */
    const char *id;     /* as written, unique */
    int32_t vc_id;      /* of the VC list */
    int32_t gpu_num;    /* >= 1 */
    int32_t user_id;
    int32_t name_id; /* jobname */
    int32_t state_id;
    int32_t cpu_num; /* -1: not given */
    int32_t workload_id;
    int32_t terms_id;
} spot_job_row_t;

/* Rows that were read and what became of them. */
typedef struct {
    int64_t read, kept;
    int64_t without_gpus; /* dropped: gpu_num <= 0 */
    int64_t unknown_vc;   /* dropped: not in the VC file */
    int64_t dropped_vc;   /* dropped by a rule for its VC */
    int64_t too_short;    /* duration below 1 s, dropped or raised to 1 s */
    int64_t too_large;    /* dropped: more GPUs than the VC has */
    int64_t outside;      /* dropped: before or after the window of an import */
    int64_t unsorted;     /* rows that were earlier than the row before */
} spot_job_counts_t;

typedef struct {
    spot_arena_t texts; /* of ids and small tables */
    size_t num_jobs;
    size_t max_jobs;
    spot_job_row_t *jobs; /* [num_jobs] by submit_s, ties in file order */
    spot_names_t users, names, states;
    spot_names_t words; /* of workloads and terms */
    size_t num_workloads;
    size_t max_workloads;
    spot_workload_t *workloads; /* [num_workloads] distinct */
    spot_key_table_t workload_table;
    size_t num_terms;
    size_t max_terms;
    spot_job_terms_row_t *terms; /* [num_terms] distinct */
    spot_key_table_t terms_table;
    size_t num_scalings;
    size_t max_scalings;
    spot_job_scaling_t *scalings; /* [num_scalings] */
    spot_names_t scaling_names;   /* the ids are those of scalings */
    spot_job_counts_t counts;
    bool has_checkpoints, has_writes, has_reconfigurations; /* the columns ckpt_interval_s,
                                                               ckpt_write_s and reconfig_s */
    int64_t clock_zero_s; /* seconds since 1970 UTC of second 0, where times were dates;
                             SPOT_JOB_NO_CLOCK: unknown */
} spot_job_log_t;

void spot_job_log_free(spot_job_log_t *self);

/* Aborts if an invariant does not hold. O(jobs). */
void spot_job_log_verify(const spot_job_log_t *self);

/* For this room: builds a log job by job. Zero it, set clock_zero_s, add texts to
 * its sets, workloads and terms, whose texts are those of words, and jobs, then seal: it
 * sorts jobs by submit_s, ties in the order of their addition. Ids: found, or added if
 * new. All calls: NO_MEMORY; O(1), seal O(n). */
SPOT_MUST_CHECK int spot_job_log_add_workload(
    spot_job_log_t *self, const spot_workload_t *workload, int32_t *workload_id);
SPOT_MUST_CHECK int spot_job_log_add_terms(
    spot_job_log_t *self, const spot_job_terms_row_t *terms, int32_t *terms_id);
SPOT_MUST_CHECK int spot_job_log_add(spot_job_log_t *self, const spot_job_row_t *job);
SPOT_MUST_CHECK int spot_job_log_seal(spot_job_log_t *self);

/* The keys of jobs, their ids. */
spot_key_view_t spot_job_log_keys(const spot_job_log_t *self);

/* ---- What a log holds, by VC ----
 * What a log holds, by VC. */

typedef struct {
    const char *vc;    /* of the VC list; "all" */
    int64_t num_nodes; /* 0: unknown */
    int64_t num_gpus;
    int64_t num_jobs;
    int64_t num_users; /* distinct; 0: the log has none */
    double gpu_s;      /* the sum of gpu_num * duration */
    /* gpu_s per GPU and second from the first submit of the log to the last; NAN:
     * unknown */
    double load;
    int32_t most_gpus; /* of a job; 0: no jobs */
    int64_t longest_s; /* duration of a job; 0: no jobs */
} spot_job_coverage_t;

/* rows: [num_vcs + 1] in the order of the list, the last one is of all. NO_MEMORY.
 * O(jobs + VCs * users). */
SPOT_MUST_CHECK int spot_job_coverage(const spot_job_log_t *log, const spot_vc_list_t *vcs,
    int32_t gpus_per_node, spot_job_coverage_t *rows);

/* ---- Shifted submits ----
 * Shifts the submits of a job log, so that replications of one log differ a little. */

/* Shifts each submit by a whole number of seconds, uniform on 0 ... jitter_s >= 0. Job j
 * has a stream of its own. submit_s: [num_jobs] by job; order: [num_jobs] job indices by
 * shifted submit, ties as in the log; scratch: [num_jobs]. INTERRUPTED. O(jobs), allocates
 * nothing. */
SPOT_MUST_CHECK int spot_job_jitter(const spot_job_log_t *log, int64_t jitter_s, uint64_t seed,
    uint64_t replication, int64_t *submit_s, int32_t *order, int32_t *scratch);
