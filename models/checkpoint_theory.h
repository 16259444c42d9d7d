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
#include <stdint.h>

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

/* Young: sqrt(2 d M). */
double spot_theory_young_s(double mtbf_s, double stall_s);

/* Daly, first order: sqrt(2 d M) - d. Below 0 for d > 2 M, when there is no optimum. */
double spot_theory_daly_first_s(double mtbf_s, double stall_s);

/* Daly, higher order: sqrt(2 d M) (1 + sqrt(d / 2M) / 3 + (d / 2M) / 9) - d for d < 2M,
 * else M. The paper was not available to compare the formula; it reproduces the optima
 * published there (117, 57 and 9.1 min for d = 5 min and M = 24 h, 6 h and 15 min). */
double spot_theory_daly_higher_s(double mtbf_s, double stall_s);

/* The exact optimum of synchronous checkpoints, for any restart time: M (1 +
 * W0(-exp(-d/M - 1))) with Lambert's W, the zero of the derivative of the mean time per
 * work. Relative error below 1e-11, also for d << M. */
double spot_theory_exact_s(double mtbf_s, double stall_s);

/* The exact optimum of the efficiency. From work = p - s on (join: p), the write does
 * not stall the job, and the optimum is spot_theory_exact_s() of the snapshot, at least
 * that bound. Below the bound the period is constant and the efficiency proportional to
 * tau exp(-tau/M), whose maximum is at M. */
double spot_theory_best_s(const spot_theory_t *self);

/* The whole number of steps, from 1 to SPOT_MAX_STEPS, with the highest efficiency,
 * which rises up to its optimum and falls after it. step_s > 0. */
int64_t spot_theory_best_steps(const spot_theory_t *self, double step_s);

/* T, the time from one checkpoint to the next: wait max(tau + s, p), join max(tau, p) +
 * s. */
double spot_theory_period_s(const spot_theory_t *self, double work_s);

/* E, the mean time until the work between two checkpoints is durable, with restarts,
 * which may fail too: M exp((R + tau + s + p - T)/M) (exp(T/M) - 1). Synchronous: M
 * exp(R/M) (exp((tau + d)/M) - 1). INFINITY on overflow. */
double spot_theory_segment_s(const spot_theory_t *self, double work_s);

/* The same if restarts do not fail: M exp(R/M) becomes M + R. */
double spot_theory_segment_immune_s(const spot_theory_t *self, double work_s);

/* tau / E, the share of all time that becomes kept work: the run takes E / tau times as
 * long as without failures and checkpoints. At work 0 the limit. */
double spot_theory_efficiency(const spot_theory_t *self, double work_s);

/* The same if restarts do not fail. */
double spot_theory_efficiency_immune(const spot_theory_t *self, double work_s);

/* First-order waste s/tau + (tau/2 + p + R)/M: accurate while it is small and the write
 * does not stall the job. INFINITY at work 0 with a stall. */
double spot_theory_waste(const spot_theory_t *self, double work_s);

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
