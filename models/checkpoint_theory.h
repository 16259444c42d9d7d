/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The best checkpoint interval and the efficiency of a job, in closed form, for a job of
 * constant size with failures as a Poisson process.
 *
 * mtbf_s: M, mean time between failures of the job (a burst is one failure), not of an
 * instance. stall_s: d, the duration of a synchronous checkpoint, or s, the snapshot of
 * an asynchronous one. persist_s: p, the write in the background after the snapshot.
 * restart_s: R, detection, reconfiguration and reload. work_s: tau, work between two
 * checkpoints. All in seconds.
 *
 * Young, CACM 17(9), 1974. Daly, FGCS 22(3), 2006. Asynchronous checkpoints in two
 * phases as in CheckFreq (Mohan, Phanishayee, Chidambaram, FAST'21); their efficiency is
 * derived: a life of a job from one failure to the next is exponential, and the n-th
 * checkpoint of a life is durable at R + tau + s + p + (n - 1) T. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "models/checkpoint.h"

/* The shortest mean time between failures, and the longest of all times. */
#define SPOT_THEORY_MIN_S 1e-9
#define SPOT_THEORY_MAX_S 1e18

typedef struct {
    double mtbf_s;
    double stall_s;
    double persist_s; /* 0: synchronous */
    double restart_s;
    int busy; /* SPOT_BUSY_WAIT or SPOT_BUSY_JOIN: for a checkpoint that is due while the
                 one before it is being written */
} spot_theory_t;

/* Whether all members are finite and in range. The functions below require it, and
 * work_s from 0 to SPOT_THEORY_MAX_S; no result is then NAN. */
bool spot_theory_is_valid(const spot_theory_t *self);

/* ---- Intervals ---- */

/* Young: sqrt(2 d M). */
double spot_theory_young_s(double mtbf_s, double stall_s);

/* The best work between two checkpoints by each rule. */
typedef struct {
    double young_s;
    /* Daly, first order: sqrt(2 d M) - d. Below 0 for d > 2 M, when there is no
     * optimum. */
    double daly_first_s;
    /* Daly, higher order: sqrt(2 d M) (1 + sqrt(d / 2M) / 3 + (d / 2M) / 9) - d for d <
     * 2M, else M. The paper was not available to compare the formula; it reproduces the
     * optima published there (117, 57 and 9.1 min for d = 5 min and M = 24 h, 6 h and 15
     * min). */
    double daly_higher_s;
    /* The exact optimum of synchronous checkpoints, for any restart time: M (1 +
     * W0(-exp(-d/M - 1))) with Lambert's W, the zero of the derivative of the mean time
     * per work. Relative error below 1e-11, also for d << M. */
    double exact_s;
    /* The exact optimum of the efficiency. From work = p - s on (join: p), the write does
     * not stall the job, and the optimum is exact_s of the snapshot, at least that bound.
     * Below the bound the period is constant and the efficiency proportional to tau
     * exp(-tau/M), whose maximum is at M. */
    double best_s;
} spot_theory_optima_t;

spot_theory_optima_t spot_theory_optima(const spot_theory_t *self);

/* The whole number of steps, from 1 to SPOT_MAX_STEPS, with the highest efficiency,
 * which rises up to its optimum and falls after it. step_s > 0. */
int64_t spot_theory_best_steps(const spot_theory_t *self, double step_s);

/* ---- What an interval comes to ---- */

/* tau / E, the share of all time that becomes kept work: the run takes E / tau times as
 * long as without failures and checkpoints. At work 0 the limit. */
double spot_theory_efficiency(const spot_theory_t *self, double work_s);

/* The same with what else follows from the work between two checkpoints; _immune: if
 * restarts do not fail. */
typedef struct {
    /* T, the time from one checkpoint to the next: wait max(tau + s, p), join max(tau, p)
     * + s. */
    double period_s;
    /* E, the mean time until the work between two checkpoints is durable, with restarts,
     * which may fail too: M exp((R + tau + s + p - T)/M) (exp(T/M) - 1). Synchronous: M
     * exp(R/M) (exp((tau + d)/M) - 1). INFINITY on overflow. Immune: M exp(R/M) becomes
     * M + R. */
    double segment_s, segment_immune_s;
    double efficiency, efficiency_immune;
    /* First-order waste s/tau + (tau/2 + p + R)/M: accurate while it is small and the
     * write does not stall the job. INFINITY at work 0 with a stall. */
    double waste;
} spot_theory_worth_t;

spot_theory_worth_t spot_theory_worth(const spot_theory_t *self, double work_s);

/* Copies of the state in the memory of peers, beside the checkpoints in storage, as in
 * Gemini (Wang et al., SOSP'23). */
typedef struct {
    double share;   /* q, share of the failures recovered from memory, 0 to 1 */
    double every_s; /* work from one copy to the next */
    double fetch_s; /* from a failure recovered from memory until the job trains again */
} spot_theory_memory_t;

/* The share of all time lost to failures, to first order: q (every/2 + fetch)/M + (1 -
 * q)(tau/2 + p + R)/M, with checkpoints in storage after each tau of work. The stalls of
 * snapshots are not included. */
double spot_theory_memory_loss(
    const spot_theory_t *self, const spot_theory_memory_t *memory, double work_s);

/* ---- Lives: from one failure to the next ---- */

/* The checkpoints of one life, after the restart. */
typedef struct {
    double first_work_s;    /* captured by the first one */
    double first_durable_s; /* time at which it is durable */
    double work_s;          /* further work captured by each later one */
    double period_s;        /* from one to the next */
} spot_theory_life_t;

/* The life in the pattern of a training period, in whole ms. */
spot_theory_life_t spot_theory_life_of(const spot_cycle_t *cycle);

/* The share of all time that becomes durable work: the mean work that is durable when a
 * life ends, over M. Finite and >= 0. */
double spot_theory_life_efficiency(const spot_theory_life_t *life, double mtbf_s, double restart_s);

/* ---- Rules side by side ---- */

/* How often to write a checkpoint: the interval of each rule, and what it comes to. */

/* What is asked, in ms; everything from 0, mtbf_ms above 0. */
typedef struct {
    bool is_async;
    int64_t mtbf_ms;
    int64_t write_ms;
    int64_t snapshot_ms; /* async only */
    int busy;            /* async only: SPOT_BUSY_WAIT or SPOT_BUSY_JOIN */
    int64_t restart_ms;
    int64_t step_ms;     /* 0: the answer is not in steps too */
    int64_t interval_ms; /* 0: only the optima */
    bool has_memory;     /* what failures cost with copies in memory is asked too */
    spot_theory_memory_t memory;
} spot_theory_question_t;

enum {
    SPOT_RULE_YOUNG,
    SPOT_RULE_DALY_FIRST,
    SPOT_RULE_DALY_HIGHER,
    SPOT_RULE_EXACT,
    SPOT_RULE_BEST,
    SPOT_RULE_GIVEN, /* the interval that is asked about */
    SPOT_NUM_RULES
};

typedef struct {
    const char *name;  /* "daly_first_order" */
    const char *label; /* "Daly, first order" */
} spot_checkpoint_rule_t;

extern const spot_checkpoint_rule_t spot_checkpoint_rules[SPOT_NUM_RULES];

/* One rule's interval and what it comes to; NAN where the rule gives none. */
typedef struct {
    int rule;
    double interval_s;
    double period_s;
    double efficiency;
    double run_ratio;         /* 1 / efficiency: a run takes that many times its work */
    double efficiency_immune; /* if no failure hits a restart */
    double expected_s;        /* until the work of an interval is kept */
    double expected_immune_s;
    double waste;  /* first order */
    int64_t steps; /* the nearest number of them, 0: not asked */
    double steps_efficiency;
    /* Lost to failures with copies in memory, and without, first order; NAN where not
     * asked, or where failures cost all time and more. */
    double memory_loss, memory_loss_without;
} spot_checkpoint_row_t;

typedef struct {
    spot_theory_t theory;
    size_t num_rows; /* row j is of rule j */
    spot_checkpoint_row_t rows[SPOT_NUM_RULES];
    int64_t best_steps;     /* 0: not asked */
    double best_steps_s;    /* their work */
    double best_efficiency; /* at best_steps */
} spot_checkpoint_answer_t;

void spot_checkpoint_answer(spot_checkpoint_answer_t *self, const spot_theory_question_t *question);

/* ---- Groups of peers ---- */

/* Copies of the state in the memory of peers, as in Gemini (Wang et al., SOSP'23). The
 * instances form groups, and each member of a group holds the shards of the whole group.
 * A loss of several instances can be recovered from memory if every group keeps a
 * survivor. */

/* Number of groups of num_instances (>= 1), each of group_size (>= 1). The last group
 * also takes the rest, so that only a single group can be smaller. */
int64_t spot_peer_groups(int64_t num_instances, int64_t group_size);

/* The group of an instance by its number from 0. */
int64_t spot_peer_group_of(int64_t num_instances, int64_t group_size, int64_t instance);

/* Sets probability to that of a survivor in every group when num_lost instances (0 to
 * num_instances) are lost at once, each set with the same probability. For N = m g it is
 * the sum over j of (-1)^j C(g,j) C(N-jm,k-jm) / C(N,k); computed group by group with
 * hypergeometric probabilities, as the alternating sum cancels. Relative error below
 * 1e-9. NO_MEMORY. O(num_instances num_lost), some 0.2 us each. */
SPOT_MUST_CHECK int spot_peer_recovery_probability(
    int64_t num_instances, int64_t group_size, int64_t num_lost, double *probability);
