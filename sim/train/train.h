/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The training engine: the state machine of one elastic training job, event by event.
 *
 * The controller looks at the cluster at ticks only; the job runs in its own time, and
 * a recovery system may ask to be woken in it. Nothing happens in the engine between two
 * changes of the cluster that are seen, or such wakes: what the job did in between
 * follows in closed form (models/checkpoint.h). So the cost is that of the trace's
 * events, of the ends of preparation and of the wakes, however many ticks, steps or
 * checkpoints pass.
 *
 * Life: init -> run, as often as wanted -> free. The result stays until the next run. */
#ifndef SPOT_SIM_TRAIN_TRAIN_H
#define SPOT_SIM_TRAIN_TRAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/engine/event_log.h"
#include "sim/fleet/fleet.h"
#include "sim/train/foresight.h"
#include "sim/train/ledger.h"
#include "sim/train/notices.h"
#include "sim/train/scenario.h"
#include "sim/train/tick.h"
#include "traces/generate/membership.h"

/* What the job does with its time. */
typedef enum {
    SPOT_JOB_WAITING, /* not enough instances for a pipeline */
    SPOT_JOB_RECONFIGURING,
    SPOT_JOB_RELOADING,
    SPOT_JOB_TRAINING, /* stalls for checkpoints included */
    SPOT_NUM_JOB_PHASES
} spot_job_phase_t;

extern const char *const spot_job_phase_names[SPOT_NUM_JOB_PHASES];

typedef struct {
    uint64_t seed;
    uint64_t replication;
    int64_t horizon_ms; /* when the run ended */
    spot_ledger_t ledger;
    double cost_usd; /* of the whole ledger, at the spot price of its time and zone, and
                        of what the recovery system needs besides */
    int64_t job_ms[SPOT_NUM_JOB_PHASES]; /* sums to horizon_ms */
    int64_t stalled_ms;                  /* of the job's training time */
    int64_t lost_ms;                     /* of the job's training time */
    int64_t steps_executed;
    int64_t steps_durable; /* of them; recoverable from storage when the run ended */
    int64_t steps_lost;    /* kept = executed - lost */
    double step_fraction; /* of one more step, kept too: of a lossless recovery system */
    int64_t initial;      /* instances at time 0; the counts below are instances too */
    int64_t preempted;
    int64_t added;
    int64_t stopped;
    int64_t clipped;
    int64_t clipped_forecasts; /* and timers, of the recovery system */
    int64_t reconfigurations;
    int64_t rollbacks;
    int64_t fatal; /* losses that the recovery system could not absorb, if it counts */
    int64_t first_training_ms; /* when training first started; -1: it never did */
    int64_t checkpoints_durable;
    int64_t checkpoints_aborted;
    int64_t peak_instances;
    int64_t preemption_events;   /* ticks at which instances were preempted */
    int64_t first_preemption_ms; /* tick of the first and the last of them */
    int64_t last_preemption_ms;
    bool is_finished;        /* until_steps was reached */
    bool has_flat_step_time; /* a world size outside the measured ones was used */
    bool lacks_step_time; /* pipelines did not form: no step time is known of so many */
    bool has_fitted_step_time;      /* a step time of a formula was used */
    bool has_approximate_step_time; /* one of an unverified formula was */
    bool is_clairvoyant;            /* the recovery system knew the future */
    bool is_past_trace_end;         /* the run went on after the trace's end */
} spot_train_result_t;

/* What the job has been doing since the latest plan. */
typedef struct {
    int64_t start_ms;
    int64_t world_size; /* instances in use; 0: waiting */
    int64_t flush_ms;
    int64_t reconfiguration_ms;
    int64_t reload_ms;
    int64_t training_ms;       /* when training starts; INT64_MAX: not at all */
    int64_t head_ms;           /* of the first step, done before */
    const spot_cycle_t *cycle; /* of its steps and checkpoints; NULL: no training */
} spot_episode_t;

/* Work that is neither durable nor lost. */
typedef struct {
    int64_t instance_ms;
    int64_t job_ms;
} spot_work_time_t;

/* What was left when the latest plan came, and what has to be known of it. */
typedef struct {
    spot_work_time_t ended; /* of steps that ended */
    spot_work_time_t begun; /* of the step under way */
    spot_work_time_t head;  /* of ended: before the episode, on its first step */
    double step_fraction;   /* of the step under way */
} spot_pending_t;

/* Steps and checkpoints of a number of pipelines, and where their step time is from. */
typedef struct {
    spot_cycle_t cycle; /* step_ms 0: not met yet */
    bool is_flat;       /* outside the measured world sizes */
    bool is_fitted;     /* by a formula, not measured */
} spot_world_t;

typedef struct {
    const spot_scenario_t *scenario; /* must outlive self */
    const spot_checkpoint_t
        *checkpoint; /* of the job, or that of steps kept as they end */
    spot_membership_t membership;
    spot_fleet_t fleet;
    int64_t num_on_demand; /* instances that nothing happens to */
    int32_t *on_demand;    /* [num_on_demand] their slots */
    size_t num_meters;
    spot_meter_t
        *meters; /* [num_meters] first what has no price of its own, then by zone */
    bool has_one_price; /* for all, all the time: the ledger says what is paid */
    spot_ticks_t ticks;
    spot_notices_t notices;
    spot_foresight_t foresight;
    spot_world_t *worlds;  /* [most pipelines + 1] */
    spot_event_log_t *log; /* NULL: no log */
    size_t first_pending;  /* record of the log from which work may be pending */
    size_t first_begun;    /* the same for the step under way; SIZE_MAX: none is */
    size_t first_head;     /* and for the first step of the episode, before it */
    int64_t now_ms;
    int64_t end_ms;          /* of the run, as far as it is known */
    int64_t seen_ms;         /* the tick at which the next change of the trace is seen */
    int64_t ready_after_ms;  /* from the tick of an arrival to that of being ready */
    int64_t wake_ms;         /* when the recovery system wants to be asked */
    bool wakes_last;         /* then after the changes of that instant */
    int64_t quiet_ms;        /* before it there is no wake, notice or end of the run; 0
                                with a log or gone, where there is more to do */
    int32_t awaited_standby; /* before the recovery system cares for them */
    int32_t num_pipelines;
    spot_recovery_change_t change; /* at this tick */
    int32_t *gone; /* [capacity] of the change; NULL: the recovery system sees active
                      only */
    void *recovery_state; /* what the recovery system remembers; NULL: nothing */
    size_t recovery_state_size;
    spot_episode_t episode;
    spot_cycle_t own_cycle; /* of an episode that no world has */
    spot_pending_t pending;
    spot_train_result_t result;
} spot_train_t;

/* NO_MEMORY; free self even then. */
SPOT_API SPOT_MUST_CHECK int spot_train_init(
    spot_train_t *self, const spot_scenario_t *scenario);
SPOT_API void spot_train_free(spot_train_t *self);

/* Runs one replication; the result is in self->result. With log (may be NULL) it is
 * cleared and filled, in order of time. Time complexity: O(events of the trace), up to
 * O(log) with a log. NO_MEMORY, OVERDRAW where the trace ends in an overdraw before the
 * run does. */
SPOT_API SPOT_MUST_CHECK int spot_train_run(
    spot_train_t *self, uint64_t seed, uint64_t replication, spot_event_log_t *log);

/* The same in pieces, for tests: start, then step while it returns 1. A step visits at
 * most max_ticks instants; of these there are the ticks at which a change is seen, a
 * preparation ends or a notice may come, and the wakes. */
void spot_train_start(
    spot_train_t *self, uint64_t seed, uint64_t replication, spot_event_log_t *log);
SPOT_MUST_CHECK int spot_train_step(spot_train_t *self, int64_t max_ticks);

/* Clock, episode, who lives and what is to come; for debugging and failing tests. */
void spot_train_print_state(const spot_train_t *self, FILE *out);

/* Aborts if an invariant of the state does not hold. O(instances). */
void spot_train_verify(const spot_train_t *self);

#endif
