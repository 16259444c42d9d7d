/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The interface of scheduling policies: each is one file with one const table. A policy
 * sees a virtual cluster (vc.h) and decides which jobs start, stop or change their size;
 * the engine places them, keeps the clocks and charges. A policy of a user's own is
 * share/examples/policy_mine.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/schedule/vc.h"

/* Functions may be NULL but for decide. A policy changes nothing of the VC but the keys
 * of jobs (spot_vc_job_t), its state, and by the calls of vc.h. */
struct spot_policy {
    const char *name; /* "fifo" */
    const char *doc;
    const char *source; /* paper or program that it follows */
    /* Which estimator of the scenario it takes durations from; NULL: it needs none. */
    const spot_estimator_setting_t *(*estimator)(const spot_schedule_scenario_t *scenario);
    bool is_decreasing; /* runs take a second longer in the compatible mode: quirk Q1 */
    bool never_stops;   /* a job that runs, */
    bool never_resizes; /* nor changes the size of one */
    size_t state_size;  /* of vc->state, zeroed when a replication starts */
    void (*free_state)(void *state); /* what the state owns; called before it is zeroed */
    /* A job joins the queue, for the first time or again: sets its keys. */
    void (*on_arrive)(spot_vc_t *vc, int32_t job);
    void (*on_end)(spot_vc_t *vc, int32_t job);
    /* Nodes have come, gone or got a notice. */
    void (*on_nodes)(spot_vc_t *vc);
    /* The next second after vc->now_s at which decide() may act though no job has
     * arrived or ended and no node has changed; INT64_MAX: none. NULL: INT64_MAX.
     * Earlier seconds are allowed: between changes decide() acts at due seconds only. */
    int64_t (*next_due_s)(const spot_vc_t *vc);
    /* Acts at vc->now_s by spot_vc_start() and its neighbours. */
    void (*decide)(spot_vc_t *vc);
};

extern const spot_policy_t spot_policy_fifo;
extern const spot_policy_t spot_policy_sjf;
extern const spot_policy_t spot_policy_srtf;
extern const spot_policy_t spot_policy_tiresias;
extern const spot_policy_t spot_policy_qssf;
extern const spot_policy_t spot_policy_lucid;
extern const spot_policy_t spot_policy_efs;
extern const spot_policy_t spot_policy_gain;

/* Every policy that "policy: NAME" can name, NULL-terminated. */
extern const spot_policy_t *const spot_policies[];

/* ---- Of Lucid, for its profiler and for samples ---- */

/* Whether the policy of a scenario is Lucid. */
bool spot_lucid_is_policy(const spot_schedule_scenario_t *scenario);

/* Mean of a column of struct spot_forecast_row over the next rows, up to five, after
 * now_s; INFINITY: there are none. */
double spot_lucid_forecast(
    const spot_schedule_scenario_t *scenario, int64_t now_s, size_t column_offset);

/* What two jobs of a VC that share GPUs do to each other, and what these GPUs show. */
spot_colocation_pair_t spot_lucid_pair(const spot_vc_t *vc, int32_t guest, int32_t host);
