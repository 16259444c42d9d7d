/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A log of training jobs: who asked for how many GPUs, when and for how long. It is read
 * from CSV files, or drawn from laws (job_law.h). Constant after reading, so that all
 * threads share it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/error.h"
#include "base/keys.h"
#include "base/memory.h"
#include "traces/jobs/vc_list.h"

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
    spot_text_set_t users, names, states;
    spot_text_set_t words; /* of workloads and terms */
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
    spot_job_scaling_t *scalings;  /* [num_scalings] */
    spot_text_set_t scaling_names; /* the ids are those of scalings */
    spot_job_counts_t counts;
    bool has_checkpoints, has_writes, has_reconfigurations; /* the columns ckpt_interval_s,
                                                               ckpt_write_s and reconfig_s */
    int64_t clock_zero_s; /* seconds since 1970 UTC of second 0, where times were dates;
                             SPOT_JOB_NO_CLOCK: unknown */
} spot_job_log_t;

typedef enum {
    SPOT_SHORT_ERROR, /* a duration below 1 s is an error, */
    SPOT_SHORT_CLAMP, /* is raised to 1 s, */
    SPOT_SHORT_DROP   /* or the row is dropped and counted */
} spot_short_rule_t;

extern const char *const spot_short_rule_names[]; /* by rule, NULL-terminated */

/* A VC, or a state, is called something else in the log than in the cluster. */
typedef struct {
    const char *from; /* "*": every VC that no other rule names */
    const char *to;   /* "": the rows are dropped */
} spot_vc_rule_t;

/* The part of a log that is kept. Times are those of the log: seconds since 1970 UTC
 * where they are dates. INT64_MIN: none is given. */
typedef struct {
    int64_t origin_s;       /* rows before it are dropped */
    int64_t begin_s, end_s; /* then, on the clock: begin_s - origin_s to end_s -
                               origin_s, inclusive */
    bool is_given;          /* any of them, */
    bool has_dates;         /* as dates, so that the times of the log must be dates too */
    bool is_origin_zero;    /* second 0 is origin_s, else the first submit since then */
} spot_job_window_t;

typedef struct {
    const char *log;   /* a CSV file; "-": standard input */
    const char *bytes; /* [num_bytes] in place of the file log; NULL: read it */
    size_t num_bytes;
    const char *workload; /* a CSV file with more columns, joined on job_id; or NULL */
    spot_vc_list_t *vcs;
    bool adds_vcs;  /* VCs of the log that vcs lacks join it, without nodes; else their
                       rows are dropped, */
    bool is_strict; /* or are an error */
    spot_short_rule_t short_rule;
    size_t num_vc_rules;
    const spot_vc_rule_t *vc_rules; /* [num_vc_rules] */
    size_t num_state_rules;
    const spot_vc_rule_t *state_rules; /* [num_state_rules] */
    const spot_job_window_t *window;   /* NULL: the whole log. Dates count from the first
                                          submit then */
} spot_job_log_request_t;

/* Reads a log and reports every error to diag as file:line:column. BAD_INPUT, IO,
 * NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_job_log_read(
    spot_job_log_t *self, const spot_job_log_request_t *request, spot_diag_t *diag);
void spot_job_log_free(spot_job_log_t *self);

/* A number for each job from a column of another CSV file, joined on job_id. A job
 * without a row, or whose number is not finite, is an error that names it. values:
 * [num_jobs]. BAD_INPUT, IO, NO_MEMORY. */
SPOT_MUST_CHECK int spot_job_column_read(const spot_job_log_t *self, const char *path,
    const char *column, double *values, spot_diag_t *diag);

/* Writes job_id, vc, gpu_num, submit_time and duration, and of the other columns those
 * that any job has, as a CSV file that is read again as the same log. Times are seconds
 * on the clock. Errors of out stay in its error flag; once spot_stop is set, it ends behind
 * a row. */
void spot_job_log_write(const spot_job_log_t *self, const spot_vc_list_t *vcs, FILE *out);

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
