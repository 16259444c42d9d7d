/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws of jobs: when they come, how many GPUs they ask for, how long they take, in which
 * VC and whose they are.
 *
 * Arrivals are a Poisson process whose rate depends on the hour of the day and the day
 * of the week. Submit times are cut to whole seconds; durations are rounded to whole
 * seconds, and are at least 1 s. This module owns the binding of a law from YAML, the
 * draw of a log and the fit to a log. A law is constant after init, so that all threads
 * share it.
 *
 * Use: spot_job_law_init() of a file (or bind spot_job_law_fields), spot_job_law_place()
 * in the VCs of the cluster, then spot_job_law_draw() once a replication.
 * spot_job_law_fit() writes such a file. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/bind.h"
#include "base/units.h"
#include "traces/jobs/job_file.h"
#include "traces/jobs/job_log.h"
#include "traces/laws/law.h"

#define SPOT_JOB_LAW_MAX_JOBS 100000000
#define SPOT_DAYS_PER_WEEK 7
#define SPOT_HOURS_PER_WEEK (SPOT_DAYS_PER_WEEK * SPOT_HOURS_PER_DAY)

typedef struct {
    int64_t num_gpus;
    double weight;
} spot_job_size_t;

typedef struct {
    spot_job_size_t *sizes; /* [num_sizes] by num_gpus */
    size_t num_sizes;
    spot_parts_t parts; /* by size */
} spot_job_sizes_t;

typedef struct {
    char *name;
    double weight;
    spot_job_sizes_t sizes; /* none: those of the law */
    size_t line, column;    /* in the file, for messages; 0: unknown */
    int32_t vc_id;          /* of the list, set by spot_job_law_place() */
} spot_job_law_vc_t;

typedef struct {
    spot_law_t law;   /* family NULL: every job takes fixed_ms */
    int64_t fixed_ms; /* rounded to whole s */
} spot_job_duration_t;

/* Jobs of so many GPUs and more, up to the next class. */
typedef struct {
    int64_t from_gpus;
    spot_job_duration_t duration;
} spot_job_class_t;

/* How jobs cope with nodes that come and go, in ms, rounded to whole s. */
typedef struct {
    int64_t checkpoint_every_ms; /* of progress; 0: never */
    int64_t checkpoint_write_ms;
    int64_t restart_ms; /* -1: the policy's default */
    int64_t reconfiguration_ms;
    double p_elastic;        /* of a job of one of the sizes below; the others are rigid */
    size_t num_speeds;       /* 0: all are rigid */
    spot_job_size_t *speeds; /* [num_speeds] throughput by GPUs, as weight */
    char *scaling;           /* the same as in the column of a log; or NULL */
} spot_job_law_terms_t;

/* What the clock of second 0 shows. */
typedef struct {
    int form;             /* a weekday, at 0 h; or a date-time */
    int weekday;          /* 0 Monday */
    char *date;           /* or NULL */
    int64_t clock_zero_s; /* since 1970 UTC, or SPOT_JOB_NO_CLOCK: only the weekday is
                             known */
    int64_t week_s;       /* since Monday 0 h, below 7 days */
} spot_job_start_t;

typedef struct {
    int64_t version;
    char *file;                          /* that gives the law, for messages */
    double per_hour;                     /* mean over a week */
    double hours[SPOT_HOURS_PER_DAY];    /* weights with the mean 1 */
    double weekdays[SPOT_DAYS_PER_WEEK]; /* weights with the mean 1, Monday first */
    spot_job_start_t start;
    int64_t horizon_ms; /* no job comes from then on; 0: no limit */
    int64_t num_jobs;   /* nor after so many; 0: no limit */
    spot_job_sizes_t sizes;
    spot_job_duration_t duration; /* of jobs below the first class */
    size_t num_classes;
    spot_job_class_t *classes; /* [num_classes] by from_gpus */
    int64_t longest_ms;        /* of a duration */
    spot_job_law_terms_t terms;
    char *workload_path;      /* of a table as for spot_job_assign(); NULL: jobs have no
                                 workload */
    spot_job_log_t workloads; /* of the table, without jobs */
    spot_workload_table_t workload_table;
    size_t num_vcs;
    spot_job_law_vc_t *vcs; /* [num_vcs] */
    spot_parts_t vc_parts;
    int64_t num_users; /* 0: users are not given */
    spot_parts_t user_parts;
} spot_job_law_t;

/* The keys, for the manual and for tables of other keys. */
extern const spot_field_t spot_job_law_fields[];

/* For a field that holds a spot_job_law_t: {.type = SPOT_FIELD_CUSTOM, .bind =
 * spot_job_law_bind, .table = spot_job_law_table}. The value is a map of the keys, or
 * the path of a file with them. */
void spot_job_law_bind(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target);
const spot_field_t *spot_job_law_table(const spot_node_t *node);

/* Binds a file or the map of a document to zeroed memory. BAD_INPUT with the reasons in
 * diag, IO, NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_job_law_init(
    spot_job_law_t *self, const spot_node_t *root, spot_diag_t *diag);
void spot_job_law_free(spot_job_law_t *self);

/* After the VCs of the cluster are known, before the first draw: finds those of the law
 * in the list. One that the list lacks joins it without nodes (adds_vcs), or is an
 * error. Without VCs of its own the law takes all of the list, by their nodes, or one
 * called "main". BAD_INPUT with the reasons in diag, NO_MEMORY. */
SPOT_MUST_CHECK int spot_job_law_place(
    spot_job_law_t *self, spot_vc_list_t *vcs, bool adds_vcs, spot_diag_t *diag);

/* The mean number of jobs that have come when the law ends; INFINITY: it has no end. */
double spot_job_law_mean_jobs(const spot_job_law_t *self);

/* The bytes that so many drawn jobs take in a log. */
double spot_job_law_bytes(double num_jobs);

/* Draws the log of a replication. log is zeroed, or drawn earlier: then its memory is
 * used again. self must outlive it. Job j is called "j + 1"; it takes number j of the
 * streams of gaps, sizes, VCs and users, and its own stream of durations, so that two
 * laws which differ in one of these meet the same others. The log may have no job.
 * NO_MEMORY, INTERRUPTED; free log even then. O(jobs + hours). */
SPOT_MUST_CHECK int spot_job_law_draw(
    const spot_job_law_t *self, spot_job_log_t *log, uint64_t seed, uint64_t replication);

/* Writes a VC file for a drawn log: so many nodes of SPOT_JOB_LAW_NODE_GPUS that the
 * work of its jobs is load times what the GPUs can do until the last job comes, and that
 * the largest job fits. load > 0. NO_MEMORY. */
#define SPOT_JOB_LAW_NODE_GPUS 8
SPOT_MUST_CHECK int spot_job_law_write_vcs(const spot_job_law_t *self, const spot_job_log_t *log,
    const spot_vc_list_t *vcs, double load, FILE *out);

/* Writes laws of the jobs of a log as YAML, with comments on what they rest on. Weights
 * of hours need 2 days, those of weekdays 2 weeks; without dates, second 0 of the log is
 * 0 h of a Monday. Each VC has the sizes of its jobs. Durations have a law for 1, 2, 3
 * to 4, 5 to 8 and more GPUs, the best of exponential, Weibull and lognormal by AIC;
 * sizes of few jobs share a law. source: what the log is called. The caller checks out
 * for errors. BAD_INPUT with the reason in diag: the log has fewer than 2 jobs.
 * NO_MEMORY. O(n log n) for n jobs. */
SPOT_MUST_CHECK int spot_job_law_fit(const spot_job_log_t *log, const spot_vc_list_t *vcs,
    const char *source, FILE *out, spot_diag_t *diag);
