/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A scenario of many jobs: the log, the cluster, its spot nodes and the policy, read
 * from YAML. Constant after reading, so that all threads share it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bind.h"
#include "models/colocation.h"
#include "sim/bench/engine/experiment.h"
#include "sim/schedule/job_data.h"
#include "sim/schedule/pool_setting.h"
#include "sim/train/job/scenario.h"
#include "traces/jobs/forecast.h"
#include "traces/jobs/job_log.h"

/* ---- Trainers: scenarios of the training engine that jobs of a log may name ---- */

/* An entry of the key trainers: a scenario of the training engine, whose trace, fleet
 * and prices are those of the scheduler. */
typedef struct {
    char *name;
    char *path;
    spot_scenario_t *training;
} spot_trainer_t;

typedef struct {
    size_t num_trainers;
    spot_trainer_t *trainers; /* [num_trainers] */
} spot_trainers_t;

/* The trainer that "core:NAME" names, or NULL; text may be NULL. O(trainers). */
const spot_trainer_t *spot_trainers_find(const spot_trainers_t *self, const char *text);

/* ---- The scenario ---- */

/* Behaviour of the published simulator of Lucid that can be turned on one by one; see
 * docs/scheduling.md. */
typedef enum {
    SPOT_QUIRK_LATE_END,          /* Q1: decrementing policies run a second longer */
    SPOT_QUIRK_CLIPPED_ESTIMATES, /* Q2: estimates below 1 s are taken as they are */
    SPOT_QUIRK_FREE_PROFILING,    /* Q3: profiling of unfinished jobs takes no time */
    SPOT_QUIRK_BLIND_LOANS,       /* Q4: loans are mirrored without a look */
    SPOT_QUIRK_HEAVY_PAIRS,       /* Q5: four heavy families pack free of interference */
    SPOT_QUIRK_SLOW_GUEST,        /* Q6: a guest stays slow when its host ends first */
    SPOT_QUIRK_CUT_SAMPLES,       /* Q11: samples of all VCs end with the shortest */
    SPOT_QUIRK_DOUBLE_RATES,      /* Q12: rates are subtracted in double */
    SPOT_NUM_QUIRKS
} spot_quirk_t;

/* Where the durations that a policy sees come from. */
typedef enum {
    SPOT_ESTIMATE_UNSET,
    SPOT_ESTIMATE_ORACLE,       /* the true durations */
    SPOT_ESTIMATE_TABLE,        /* a column of a file */
    SPOT_ESTIMATE_NOISY,        /* the true durations times a lognormal factor */
    SPOT_ESTIMATE_RUNNING_MEAN, /* of jobs of the same user and size that have ended */
    SPOT_ESTIMATE_GAM           /* an additive model, fitted again every week */
} spot_estimate_source_t;

typedef struct {
    int source;     /* spot_estimate_source_t */
    double sigma;   /* of NOISY */
    int is_nominal; /* a job has ended at submit + duration, not in the simulation */
} spot_estimator_setting_t;

/* When Lucid packs jobs. */
typedef enum {
    SPOT_PACKING_ALWAYS,
    SPOT_PACKING_NEVER,
    SPOT_PACKING_FORECAST /* while more jobs than a threshold are forecast */
} spot_packing_switch_t;

typedef enum {
    SPOT_PACK_PREFER,     /* a job looks for a host before it looks for free GPUs */
    SPOT_PACK_LAST_RESORT /* the other way round */
} spot_pack_order_t;

typedef struct {
    spot_estimator_setting_t estimator;
    bool has_profiler;
    size_t num_sources;
    spot_vc_nodes_t *sources; /* [num_sources] nodes that VCs give to it */
    int64_t limit_s;          /* of a profiling run; in ms until it is opened */
    int64_t max_gpus;         /* of a job that is profiled */
    char *lender;             /* VC that lends a node; NULL: no scaling */
    int64_t up_queue, down_queue;
    int packing; /* spot_packing_switch_t */
    char *forecast_path;
    spot_forecast_t forecast;
    double threshold_jobs; /* of the forecast: below it jobs are not packed */
    char *table_path;      /* of co-location; NULL: none */
    spot_colocation_t colocation;
    int64_t gpu_memory_bytes;
    int64_t max_packed_gpus;
    int pack;         /* spot_pack_order_t */
    int unknown_pair; /* spot_unknown_pair_t */
} spot_lucid_setting_t;

/* As bound, with what follows from it. */
typedef struct {
    spot_outputs_t outputs; /* the first member */
    char *name;
    spot_arena_t memory; /* of the outputs */
    spot_jobs_setting_t jobs;
    spot_job_data_t *data;     /* shared with other scenarios of the study */
    const spot_job_log_t *log; /* of data; NULL: the law draws one a replication */
    spot_vc_list_t vcs;        /* of data */
    const double *estimates_s; /* [log->num_jobs] of data; NULL: none */
    int32_t *capacity;         /* [vcs.num_vcs] the most GPUs that it ever has */
    int64_t gpus_per_node;
    int placer; /* spot_placer_t */
    int64_t start_s;
    int64_t horizon_s;           /* the run ends by start_s + horizon_s; 0: none */
    double price_usd_per_h;      /* of a reserved node */
    double spot_share;           /* of each VC's nodes, which are those of a pool */
    int policy_id;               /* of spot_policies */
    int is_compatible;           /* compat: lucid */
    int quirks[SPOT_NUM_QUIRKS]; /* 0: off, 1: on */
    int is_every_second;         /* stepping: every-second */
    struct {
        int64_t interval_s;
        size_t num_thresholds;
        double *thresholds_gpu_s; /* [num_thresholds] increasing */
    } tiresias;
    spot_estimator_setting_t qssf;
    spot_lucid_setting_t lucid;
    struct {
        int64_t interval_s, hold_s;
    } elastic;
    spot_pool_plans_t pools; /* spot nodes */
    spot_trainers_t trainers;
    int32_t *num_reserved; /* [vcs.num_vcs] nodes; NULL: all of vcs */
    int64_t sample_s;      /* between samples; 0: none */
    int64_t progress_s;    /* between progress lines; 0: none */
    int64_t large_over;    /* GPUs: a job with more is large */
} spot_schedule_scenario_t;

/* Every key with its default and its help, for binding and for the manual. */
extern const spot_field_t spot_schedule_fields[];

/* As the experiment has it: whether the default of a key has a bearing. */
bool spot_schedule_decides(const void *scenario, const spot_node_t *root, const char *key);

/* Appends what the log does not say of its jobs, such as the restart time. NO_MEMORY. */
SPOT_MUST_CHECK int spot_schedule_assume(const void *scenario, spot_assumed_t *assumed);

/* Binds a document. All errors are in diag with file:line:column. like: another scenario
 * of the study, whose log is shared, or NULL. BAD_INPUT, IO, NO_MEMORY; free self even
 * then. */
SPOT_MUST_CHECK int spot_schedule_scenario_init(spot_schedule_scenario_t *self,
    const spot_node_t *root, const spot_schedule_scenario_t *like, spot_diag_t *diag);

/* Whether replications differ. */
bool spot_schedule_scenario_is_random(const spot_schedule_scenario_t *self);
void spot_schedule_scenario_free(spot_schedule_scenario_t *self);

/* Whether the policy of a scenario profiles jobs. */
bool spot_profiler_is_used(const spot_schedule_scenario_t *scenario);

/* Nodes that a VC gives to the profiler for the whole run; NULL: all VCs. O(VCs). */
int32_t spot_profiler_num_taken(const spot_schedule_scenario_t *scenario, const char *vc_name);
