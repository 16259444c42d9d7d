/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of a training job at work, its ledger and its result. train.h has the rules
 * that move it and what it costs, episode.h what an episode charges, run_log.h what the log
 * says of it.
 *
 * The ledger: each instance-millisecond from the tick that sees an instance arrive to the
 * tick that sees it gone belongs to exactly one category. Integers, so there is no
 * rounding. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/integers.h"
#include "sim/bench/engine/series.h"
#include "sim/train/fleet/fleet.h"
#include "sim/train/job/feed.h"
#include "sim/train/job/scenario.h"
#include "traces/generate/membership.h"

/* ---- Preemptions before they are seen ---- */

/* Preemptions depend on the trace and its random streams alone, so a second membership
 * of the same replication runs ahead of the first one and finds them. The first one
 * carries them out. */

/* For recovery systems that know the future. */
typedef struct {
    bool is_wanted; /* else the rest is not used */
    const spot_scenario_t *scenario;
    int64_t ready_after_ms; /* from the tick of an arrival to that of being ready */
    spot_ticks_t ticks;
    spot_membership_t scout;
    spot_fleet_t fleet;
    spot_recovery_future_t future;
    size_t max_changes[2]; /* of times_ms and counts */
    size_t max_coming;
    int has_failed; /* NO_MEMORY, INTERRUPTED: the end of the future is missing */
} spot_foresight_t;

typedef struct {
    int64_t notice_ms;   /* the tick of the announcement */
    int64_t deadline_ms; /* the tick that sees the preemption */
    int32_t slot;
} spot_notice_t;

/* For those that hear of a preemption shortly before it. */
typedef struct {
    int64_t lead_ms; /* 0: no notices, and the rest is unused */
    int64_t next_ms; /* the tick of the next look; INT64_MAX: never */
    spot_ticks_t ticks;
    int32_t capacity;
    spot_membership_t scout;
    int64_t scout_ms;    /* the tick at which its next change matters */
    int64_t *arrival_ms; /* [capacity] the tick that sees the slot's instance arrive */
    size_t first_notice; /* the first that is not announced yet */
    size_t num_notices;
    size_t max_notices;
    spot_notice_t *notices; /* [num_notices] by notice_ms */
    int32_t num_noticed;    /* announced at the latest look */
    int32_t *noticed;       /* [num_noticed] their slots */
    int64_t deadline_ms;    /* the first of their deadlines */
    size_t num_slots;
    int64_t *deadlines_ms; /* [num_slots] by slot; INT64_MAX: no notice */
    int has_failed;        /* NO_MEMORY: notices are missing */
} spot_notices_t;

/* ---- The run ---- */

typedef enum {
    SPOT_SHARE_PREPPING,
    SPOT_SHARE_STANDBY,
    SPOT_SHARE_RECONFIGURING,
    SPOT_SHARE_RELOADING,
    SPOT_SHARE_USEFUL,    /* steps that a durable checkpoint or the end of the job keeps */
    SPOT_SHARE_LOST,      /* steps rolled back, and the step that the rollback cut off */
    SPOT_SHARE_UNSAVED,   /* steps neither durable nor lost at the end of the run */
    SPOT_SHARE_STALLED,   /* waiting for a checkpoint or for data */
    SPOT_SHARE_REDUNDANT, /* work done only for redundancy */
    SPOT_NUM_SHARES
} spot_share_t;

extern const char *const spot_share_names[SPOT_NUM_SHARES];

typedef struct {
    int64_t instance_ms[SPOT_NUM_SHARES];
    int64_t population_ms; /* integral of the number of instances, counted separately */
} spot_ledger_t;

/* The sum over all categories, in instance-ms. */
int64_t spot_ledger_total(const spot_ledger_t *self);

/* Aborts unless the sum equals the integral and no category is negative. */
void spot_ledger_verify(const spot_ledger_t *self);

/* The phases of the job. */
typedef enum {
    SPOT_JOB_WAITING, /* not enough instances for a pipeline */
    SPOT_JOB_RECONFIGURING,
    SPOT_JOB_RELOADING,
    SPOT_JOB_TRAINING, /* stalls for checkpoints included */
    SPOT_NUM_JOB_PHASES
} spot_job_phase_t;

extern const char *const spot_job_phase_names[SPOT_NUM_JOB_PHASES];

typedef struct spot_train_result {
    uint64_t seed;
    uint64_t replication;
    int64_t horizon_ms; /* end of the run */
    spot_ledger_t ledger;
    double cost_usd; /* of the whole ledger, at the spot price of its time and zone, and
                        of the services of the recovery system */
    int64_t job_ms[SPOT_NUM_JOB_PHASES]; /* sums to horizon_ms */
    int64_t unmeasured_ms;               /* of the job's training time: with steps of a world
                                            size outside the measured ones */
    int64_t stalled_ms;                  /* of the job's training time */
    int64_t input_stalled_ms;            /* of that: waiting for data */
    int64_t input_stalled_instance_ms;   /* of the stalled time of the ledger */
    int64_t lost_ms;                     /* of the job's training time */
    int64_t steps_executed;
    int64_t steps_durable; /* of them: recoverable from storage at the end of the run */
    int64_t steps_lost;    /* kept = executed - lost */
    double step_fraction;  /* kept part of one more step, of a lossless recovery system */
    int64_t initial;       /* instances at time 0; the next four count instances too */
    int64_t preempted;
    int64_t added;
    int64_t stopped;
    int64_t clipped;
    int64_t clipped_forecasts; /* forecasts and timers of the recovery system */
    int64_t reconfigurations;
    int64_t rollbacks;
    int64_t fatal;             /* losses that the recovery system did not absorb, if it counts */
    int64_t first_training_ms; /* first start of training; -1: never */
    int64_t checkpoints_durable;
    int64_t checkpoints_aborted;
    int64_t peak_instances;
    int64_t preemption_events;   /* ticks at which instances were preempted */
    int64_t first_preemption_ms; /* the first and the last of these ticks */
    int64_t last_preemption_ms;
    bool is_finished;               /* until_steps was reached */
    bool has_flat_step_time;        /* used a world size outside the measured ones */
    bool lacks_step_time;           /* pipelines did not form: their step time is unknown */
    bool has_fitted_step_time;      /* used a step time that was fitted or estimated */
    bool has_approximate_step_time; /* used a step time of an unverified formula */
    bool is_clairvoyant;            /* the recovery system knew the future */
    bool has_published_defaults;    /* its figures are of a paper, not of the job */
    bool is_past_trace_end;         /* the run ended after the trace */
} spot_train_result_t;

/* The time since the latest decision. */
typedef struct {
    int64_t start_ms;
    int64_t world_size; /* instances in use; 0: waiting */
    int64_t flush_ms;
    int64_t reconfiguration_ms;
    int64_t reload_ms;
    int64_t training_ms;       /* start of training; INT64_MAX: none */
    int64_t head_ms;           /* part of the first step that was done before */
    const spot_cycle_t *cycle; /* of its steps and checkpoints; NULL: no training */
    bool is_unmeasured;        /* their world size is outside the measured ones */
} spot_episode_t;

/* Work that is neither durable nor lost. */
typedef struct {
    int64_t instance_ms;
    int64_t job_ms;
} spot_work_time_t;

/* Pending work at the latest decision. */
typedef struct {
    spot_work_time_t ended; /* of completed steps */
    spot_work_time_t begun; /* of the step under way */
    spot_work_time_t head;  /* part of ended: before the episode, on its first step */
    double step_fraction;   /* done part of the step under way */
} spot_pending_t;

/* Steps and checkpoints of a number of pipelines, and the origin of their step time. */
typedef struct {
    spot_cycle_t cycle; /* step_ms 0: unused so far */
    bool is_flat;       /* outside the measured world sizes */
    bool is_fitted;     /* by a formula, not measured */
} spot_world_t;

typedef struct {
    const spot_scenario_t *scenario;     /* must outlive self */
    const spot_checkpoint_t *checkpoint; /* of the job, or each step end is durable */
    spot_membership_t membership;
    spot_fleet_t fleet;
    int64_t num_on_demand; /* instances that are never lost */
    int32_t *on_demand;    /* [num_on_demand] their slots */
    size_t num_meters;
    spot_meter_t *meters; /* [num_meters] 0: zones without own price, j + 1: zone j */
    bool has_one_price;   /* one constant price: the cost follows from the ledger */
    bool is_metered;      /* this run: without one price, or with a log */
    spot_ticks_t ticks;
    spot_tapes_t own_tapes; /* of a run that others do not share, for its scouts */
    spot_notices_t notices;
    spot_foresight_t foresight;
    spot_world_t *worlds;   /* [most pipelines + 1] */
    spot_event_log_t *log;  /* NULL: no log */
    const atomic_int *stop; /* may be set before a run: not 0 ends it; may be NULL */
    spot_tapes_t *tapes;    /* the same: of the trace, for runs without a log; NULL */
    size_t first_pending;   /* record of the log from which work may be pending */
    size_t first_begun;     /* the same for the step under way; SIZE_MAX: none is */
    size_t first_head;      /* and for the first step of the episode, before it */
    int64_t now_ms;
    int64_t end_ms;          /* of the run, as known so far */
    int64_t goal_steps;      /* kept steps that end the run; 0: none do */
    int64_t count_from_ms;   /* when goal_steps will be set; INT64_MAX: it is */
    int64_t seen_ms;         /* the tick that sees the next change of the trace */
    int64_t ready_after_ms;  /* from the tick of arrival to the tick of being ready */
    int64_t wake_ms;         /* of the next wake of the recovery system */
    bool wakes_last;         /* the wake comes after the changes of its instant */
    int64_t quiet_ms;        /* there is no wake, notice or end of the run before it; 0
                                with a log or gone, which need more work */
    int32_t awaited_standby; /* below it newly ready instances are no reason to ask */
    int32_t num_pipelines;
    spot_recovery_change_t change; /* at this tick */
    int32_t *gone;        /* [capacity] of the change; NULL: the recovery system sees only lost
                             active instances */
    void *recovery_state; /* memory of the recovery system; NULL: none */
    size_t recovery_state_size;
    void *recovery_kept; /* what it keeps from run to run; NULL: nothing */
    spot_episode_t episode;
    spot_cycle_t own_cycle; /* of an episode whose cycle is not in worlds */
    spot_pending_t pending;
    spot_feed_t feed; /* with job.input */
    spot_train_result_t result;
} spot_train_t;

/* Prints clock, episode, living instances and the next events, for debugging and failing
 * tests. */
void spot_train_print_state(const spot_train_t *self, FILE *out);

/* Aborts if an invariant of the state does not hold. O(instances). */
void spot_train_verify(const spot_train_t *self);
