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

/* The keys jobs and cluster.vcs. */
typedef struct {
    char *log, *workload; /* paths; NULL: not given */
    spot_estimate_file_t estimates;
    int short_rule;     /* spot_short_rule_t */
    int drops_oversize; /* jobs that no VC can ever hold are dropped */
    int is_strict;
    int64_t jitter_s;
    bool has_law; /* the law draws a log a replication */
    spot_job_law_t law;
    size_t num_renamings;
    spot_vc_renaming_t *renamings; /* [num_renamings] */
    char *vcs_path;                /* NULL: the next ones */
    size_t num_vcs;
    spot_vc_nodes_t *vcs; /* [num_vcs] */
} spot_jobs_setting_t;

extern const spot_field_t spot_jobs_fields[];
extern const spot_field_t spot_vcs_forms[]; /* of a spot_jobs_setting_t, too */

void spot_jobs_setting_free(spot_jobs_setting_t *self);

typedef struct {
    int num_users; /* scenarios */
    char *key;     /* what has been read */
    spot_vc_list_t vcs;
    spot_job_log_t log;  /* empty if a law draws it */
    double *estimates_s; /* [log.num_jobs], NULL: none */
} spot_job_data_t;

/* Reads the VCs, the log and the estimates, or shares them with like, which may be NULL.
 * may_be_empty: of the VCs. BAD_INPUT, IO, NO_MEMORY with the reasons in diag; close
 * self even then. */
SPOT_MUST_CHECK int spot_job_data_open(spot_job_data_t **self, const spot_jobs_setting_t *jobs,
    bool may_be_empty, spot_job_data_t *like, spot_diag_t *diag);
void spot_job_data_close(spot_job_data_t *self);

/* ---- What the keys of a scenario share ---- */

/* A duration in YAML that is stored in whole seconds. */
#define SPOT_SECONDS(key, owner, member, low, starts, ...)                                         \
    SPOT_RANGE(                                                                                    \
        DURATION, key, owner, member, low, (double) SPOT_MAX_DURATION_MS, starts, __VA_ARGS__),    \
        .settle = spot_seconds_settle

/* Reports an error of the value at a path such as "jobs.log". */
#define SPOT_KEY_ERROR(bind, root, path, ...)                                                      \
    spot_bind_error(bind, spot_node_place(root, path), path, __VA_ARGS__)

/* For fields: int64_t ms become the nearest seconds. */
void spot_seconds_settle(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target);

/* The index of the VC that a key names, or -1: it is reported. */
int32_t spot_vc_named(const spot_vc_list_t *vcs, spot_bind_t *bind, const spot_node_t *place,
    const char *key, const char *name);
