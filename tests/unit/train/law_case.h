/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the laws for all recovery systems are tested on: every registered system, each
 * with several sets of options, with job and trace at random. A system that has no row
 * in law_case.c, such as a user's own, is there with its defaults. */
#pragma once

#include "random_case.h"

/* Where the job's step times are from. */
typedef enum {
    LAW_BY_SIZE,  /* by world size: pipelines have the job's depth */
    LAW_BY_PAIR,  /* a table by (D,P) */
    LAW_BY_MODEL, /* the schedule of the pipelines of LAW_NUM_LAYERS layers */
    NUM_LAW_JOBS
} law_job_t;

/* The model's, and Varuna's cut-points. With the job's 1024 samples and micro-batches of
 * 64, rounding down the samples of a pipeline makes no micro-batch less, whatever D. */
#define LAW_NUM_LAYERS 12
#define LAW_MICRO_BATCH 64

/* One set of options, and what follows from them where it is not the default. */
typedef struct {
    const char *system;
    const char *options;          /* behind "system: NAME" */
    const spot_recovery_t *table; /* of a system that is not registered; else NULL */
    bool is_unknown;              /* the row says nothing of what the system chooses */
    /* Without losses: */
    int64_t more_ms;     /* what each step takes longer than by the job */
    int64_t every_steps; /* it writes checkpoints of its own, stalled; 0: the job's */
    int64_t copy_ms;     /* of them, in the background */
    int64_t min_depth;   /* of the pairs that it chooses from; 0: the job's depth */
    int64_t num_failures;
    int64_t num_instances; /* rented on demand; 0: the capacity */
    /* With losses: */
    double slowdown;
    int64_t micro_batch;
    bool is_worst_fill;
} law_row_t;

#define LAW_MAX_ROWS 80

/* Tells how many. */
size_t law_rows(law_row_t rows[LAW_MAX_ROWS]);

/* The case of the seed; every second one announces its losses. */
void law_draw_case(case_t *self, uint64_t seed);

/* The case with the row's system and a job of that kind. is_ordered: more pipelines are
 * always faster, and all pairs are listed; else at random. Another seed, other steps. */
void law_bind(const law_row_t *row, const case_t *self, law_job_t job, bool is_ordered,
    spot_scenario_t *scenario);

/* The same under "ideal". */
void law_bind_ideal(const case_t *self, law_job_t job, bool is_ordered, spot_scenario_t *scenario);

/* Whether the row breaks rules on purpose, to repeat what was published. */
bool law_breaks_rules(const spot_scenario_t *scenario);

/* Whether the row is of that system. */
bool law_is_of(const law_row_t *row, const char *system);
