/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Job logs as CSV files: read, joined with further columns, given workloads, written.
 *
 * This module owns the columns of a log (one table for reading, joining and writing),
 * the rules by which rows are kept, renamed or dropped, the presets of published logs,
 * scaling tables, and the table of workloads for a log that has none. docs/scheduling.md
 * has the format, `spotsim schedule check --help` all columns.
 *
 * Use: fill a spot_job_log_request_t and call spot_job_log_read(); spot_job_log_write()
 * gives back the same log. */
#pragma once

#include "base/rng.h"
#include "base/table_file.h"
#include "traces/jobs/job_log.h"

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

/* ---- Columns ---- */

#define SPOT_NUM_JOB_COLUMNS 26

/* A row of a log, with the texts of its cells in place of ids. */
typedef struct {
    spot_job_row_t job;
    spot_workload_t workload;
    spot_job_terms_row_t terms;
    const char *vc, *user, *name, *state, *scaling;
} spot_job_cells_t;

/* The columns of a log as members of its rows, in the order of files; those with is_own are always
 * there. */
extern const spot_row_member_t spot_job_columns[SPOT_NUM_JOB_COLUMNS];

/* The cells of a job, which are valid as long as the log. vcs: NULL, vc is "". */
void spot_job_cells_of(spot_job_cells_t *self, const spot_job_log_t *log, const spot_vc_list_t *vcs,
    const spot_job_row_t *job);

/* The scaling table that a field gives: "4:1.0 8:1.8", or the path of a CSV file with
 * the columns size,throughput. One that is faulty is reported, at the column scaling,
 * and has no sizes. NO_MEMORY. */
SPOT_MUST_CHECK int spot_job_scaling_add(
    spot_job_log_t *log, spot_table_file_t *file, const char *field, int32_t *scaling_id);

/* ---- Presets of published logs ----
 * Which part of a published log to keep, and what its VCs are called. */

typedef struct {
    const char *name;
    const char *doc;
    const char *origin, *begin, *end; /* dates and times */
    size_t num_vc_rules;
    const spot_vc_rule_t *vc_rules; /* [num_vc_rules] */
    size_t num_state_rules;
    const spot_vc_rule_t *state_rules; /* [num_state_rules] */
} spot_job_preset_t;

/* Sources: Hu et al., Lucid, ASPLOS'23, artifact; Jeon et al., ATC'19, philly-traces. */
extern const spot_job_preset_t spot_job_presets[]; /* the last one has no name */

/* Sets a window from texts, each integer seconds or YYYY-MM-DD hh:mm:ss; NULL: not
 * given. Returns what is wrong, a constant, or NULL. */
const char *spot_job_window_set(
    spot_job_window_t *self, const char *origin, const char *begin, const char *end);

/* ---- Workloads for a log that has none ----
 * Workloads for a log that has none, drawn from a table. */

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
