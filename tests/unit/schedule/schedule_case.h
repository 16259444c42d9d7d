/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A scenario of many jobs, built by hand: jobs, VCs and the traces of their pools. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/schedule/policy.h"
#include "sim/schedule/schedule.h"

#define MAX_CASE_POOLS 8
#define MAX_CASE_VCS 8
#define MAX_CASE_WORKLOADS 8

typedef struct {
    uint64_t seed; /* of a random case, for messages */
    spot_schedule_scenario_t scenario;
    spot_job_log_t log;
    spot_trace_t traces[MAX_CASE_POOLS];
    double thresholds_gpu_s[1];
    int32_t capacity[MAX_CASE_VCS];
    spot_vc_nodes_t sources[MAX_CASE_VCS];
} schedule_case_t;

/* A case without jobs: a clock from 0, nodes of gpus_per_node GPUs, the policy. */
void case_start(schedule_case_t *self, int32_t gpus_per_node, const char *policy);
void case_end(schedule_case_t *self);

void case_set_policy(schedule_case_t *self, const char *policy);

/* Returns the id of the VC, with so many reserved nodes. */
int32_t case_add_vc(schedule_case_t *self, const char *name, int32_t num_nodes);

/* Appends a job, whose submit is not before that of the last one; its id is its number
 * from 1 on. terms NULL: none. */
void case_add_job(schedule_case_t *self, int32_t vc_id, int32_t gpus, int64_t submit_s,
    int64_t duration_s, const spot_job_terms_row_t *terms);

/* Returns the id of a workload; the latest job has it. model must outlive self. */
int32_t case_add_workload(schedule_case_t *self, const char *model, double gpu_util,
    double gmem_mib, int32_t share_score);
void case_set_workload(schedule_case_t *self, int32_t workload_id);

/* Reads the pairs of all workloads. table: of model1,...; NULL: none. */
void case_read_pairs(schedule_case_t *self, const char *table);

/* Gives nodes of a VC to the profiler. */
void case_profile(schedule_case_t *self, int32_t vc_id, int64_t num_nodes);
/* Gives two of three jobs a workload, with which they can share GPUs. */
#define NUM_WORKLOADS 2
void case_add_workloads(schedule_case_t *self);

/* Returns the id of a table of throughput by size. The arrays must outlive self. */
int32_t case_add_scaling(
    schedule_case_t *self, size_t num_sizes, const int32_t *sizes, const double *per_s);

/* A pool whose trace is canonical CSV without its header lines. */
spot_pool_plan_t *case_add_pool(schedule_case_t *self, int32_t vc_id, const char *rows,
    int64_t preparation_s, int64_t notice_ms);

/* Counts the GPUs that VCs can have, before a run. */
void case_set_capacity(schedule_case_t *self);

/* Runs the case in both modes of stepping, verifies all invariants of the result, and
 * returns a text of all figures, which must be the same; the caller frees it. schedule
 * keeps the last run. */
char *case_run(schedule_case_t *self, spot_schedule_t *schedule);

/* One run in one mode, as text. */
char *case_run_once(schedule_case_t *self, spot_schedule_t *schedule, bool is_every_second);
