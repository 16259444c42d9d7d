/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What holds for a recovery system on every trace and job, whatever it does; and traces
 * by hand. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/train/job/train.h"

/* With the part of a step that a lossless system has. */
double kept_steps(const spot_train_result_t *result);

/* Whether the phases of a log follow upon each other from 0 to the end. */
bool phases_tile(const spot_event_log_t *log, int64_t horizon_ms);

/* The name of the first number of all in which two results differ, or NULL. The seed is
 * none. */
const char *all_difference(const spot_train_result_t *a, const spot_train_result_t *b);
void assert_same_result(
    const char *what, uint64_t seed, const spot_train_result_t *a, const spot_train_result_t *b);

/* One random case: what is lost at an instant counts in any order; a log changes nothing
 * and its phases tile the run; ideal is a bound. The sums of the ledger are verified in
 * each run. Returns the result. system: "NAME" or "{system: NAME, ...}". */
spot_train_result_t check_policy(
    uint64_t seed, const char *system, bool is_bounded, spot_event_log_t *log);

/* So many cases, taking turns; of some the steps are rolled back, of some they are kept
 * over a loss. */
void check_policies(
    const char *const *systems, size_t num_systems, uint64_t num_cases, bool is_bounded);

/* With the instances that are there from start to end it is like "checkpoint". */
void check_constant_fleet(uint64_t seed, const char *system);

/* A run by hand, and what it comes to: pipelines of 2 instances, steps of 10 s with two
 * of them and 18 s with one, a tick of 1 s, no checkpoint that is durable in time. */
typedef struct {
    const char *what;
    const char *options;
    const char *rows; /* as in a trace */
    int64_t steps_executed;
    int64_t steps_lost;
    int64_t rollbacks;
    int64_t reconfiguring_ms;
    int64_t reloading_ms;
} hand_case_t;

/* 0 s: without notices. */
spot_train_result_t run_by_hand(const char *system, int notice_s, const char *rows);
/* With other checkpoints of the job; a flow mapping. */
spot_train_result_t run_with_checkpoints(
    const char *checkpoint, const char *system, int notice_s, const char *rows);
void check_with_notice(const hand_case_t *self, int notice_s);
void check_by_hand(const hand_case_t *self);
