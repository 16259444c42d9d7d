/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a recovery system is: one file and one const table each. A policy reads a view of
 * the job and its instances and returns a plan; the engine carries the plan out and
 * charges the time. A policy never touches instances, clock or ledger. How to write one
 * of your own, and the one line that registers it: share/examples/recovery_mine.c. */
#ifndef SPOT_SIM_RECOVERY_RECOVERY_H
#define SPOT_SIM_RECOVERY_RECOVERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bind.h"
#include "base/suggest.h"
#include "models/job.h"
#include "sim/fleet/fleet.h"

/* What the policy may know at the instant of a decision. */
typedef struct {
    int64_t now_ms;
    const spot_job_t *job;
    const spot_fleet_t *fleet; /* who is active, standby, prepping, in order */
    int32_t num_pipelines;     /* before the change; 0: no training */
    int32_t num_active;        /* instances left of those that were in use */
    int32_t num_standby;       /* ready, not in use */
    int32_t num_prepping;
    int64_t training_ms; /* when training starts or has started under the plan in force;
                            INT64_MAX: it does not */
    const int64_t *deadlines_ms; /* by slot: when its announced preemption is seen,
                                    INT64_MAX: none is; NULL: none ever is */
    /* Only with deadlines_ms: */
    bool is_between_steps; /* training has started, and no step is under way */
    int64_t step_end_ms;   /* the next end of a step under the plan in force, behind now
                              and all stalls; INT64_MAX: there is none */
} spot_recovery_view_t;

typedef enum {
    SPOT_CHANGE_MEMBERSHIP, /* active instances are lost, or instances become ready */
    SPOT_CHANGE_WAKE,       /* the instant that the latest plan has asked for */
    SPOT_CHANGE_NOTICE      /* preemptions are announced, and nothing else */
} spot_change_kind_t;

/* What made the engine ask. At one instant a wake goes before the membership, unless the
 * plan wants it last. */
typedef struct {
    spot_change_kind_t kind;
    int32_t num_lost_active; /* active instances preempted or stopped at this instant */
    const int32_t *lost;    /* [num_lost_active] their slots; all go at once, their order
                               says nothing */
    int32_t num_ready;      /* became standby at this instant */
    int32_t num_noticed;    /* preemptions announced at this instant, in any role */
    const int32_t *noticed; /* [num_noticed] their slots */
    int64_t deadline_ms;    /* the first of theirs; each: view->deadlines_ms */
    /* For a system that sees all losses: */
    int32_t num_gone;    /* active and standby instances that are lost */
    const int32_t *gone; /* [num_gone] their slots */
    int32_t num_gone_prepping;
} spot_recovery_change_t;

/* What becomes of the steps that are not durable, and of the step under way. */
typedef enum {
    SPOT_WORK_ROLLED_BACK, /* all are lost: the job returns to the durable step */
    SPOT_WORK_STEPS_KEPT,  /* steps that ended stay, the step under way is lost */
    SPOT_WORK_KEPT         /* the step under way goes on too */
} spot_work_t;

/* What is to be done, in no more bytes than can be cleared fast (80). All zero: go on as
 * before. A checkpoint in flight is dropped by every new plan. */
typedef struct {
    bool is_new;             /* the rest but wake counts only with it */
    bool is_same_pipelines;  /* nothing forms anew (another speed, the end of a pause):
                                it does not count as a reconfiguration */
    bool is_fatal;           /* after a loss that could not be absorbed; it is counted */
    bool aborts_checkpoint;  /* a checkpoint of the policy's own fails; it is counted */
    bool takes_noticed_last; /* those whose preemption is announced go behind standby
                                first: they are in use only where others are too few */
    bool has_flat_step_time; /* step_ms is of a table, used outside its points */
    bool has_fitted_step_time;
    bool has_approximate_step_time; /* step_ms is an unverified formula's */
    bool lacks_step_time; /* instances stay standby as no step time is known for more;
                             counts without is_new too, as num_clipped does */
    /* When to ask again: at wake_ms (0: never), or at the end of the step under way if
     * that is sooner. Without is_new, and with neither, what was asked for stays. */
    bool wakes_at_step_end;
    bool wakes_last; /* at that instant after its membership, unless the answer to that
                        asks for another wake; else before it */
    spot_work_t work : 8;
    int32_t num_clipped; /* forecasts and timers cut off at a limit to decide this */
    int64_t wake_ms;
    int32_t kept_every_steps; /* STEPS_KEPT: of the steps since training started, only
                                 whole multiples of so many stay; 0: all */
    int32_t num_active;       /* instances in use: those that are, from the front; then
                                 from the front of standby */
    int32_t num_pipelines;    /* 0: those in use only pause, until the next plan */
    int32_t awaited_standby;  /* no need to ask because instances become ready before so
                                 many are standby */
    int64_t step_ms;          /* 0: that of the job for num_pipelines of its depth */
    const spot_checkpoint_t *checkpoint; /* with step_ms: how steps become durable under
                                            this plan, as long as the options live; NULL:
                                            as the job has it */
    /* Pause parts, in this order; none is paid at time 0 or without instances. */
    int64_t flush_ms; /* stalled; then all steps that ended are durable */
    int64_t reconfiguration_ms;
    int64_t reload_ms;
} spot_recovery_plan_t;

_Static_assert(sizeof(spot_recovery_plan_t) <= 80, "a plan is cleared at each decision");

/* What no real system knows: how many instances pipelines can form of at each time. */
typedef struct {
    size_t num;
    int64_t *times_ms; /* [num] increasing, from 0 on */
    int32_t *counts;   /* [num] from then on, what happens at that instant included */
} spot_recovery_future_t;

/* The count of a time. O(log num). */
int64_t spot_recovery_future_count(const spot_recovery_future_t *self, int64_t time_ms);

/* A run that starts. */
typedef struct {
    const spot_job_t *job;
    int64_t capacity; /* most instances at a time: slots are below it */
    int64_t horizon_ms;
    uint64_t seed; /* for a policy's own dice: stream SPOT_STREAM_RECOVERY */
    uint64_t replication;
    const spot_recovery_future_t *future; /* as long as the run; NULL: it is not known */
} spot_recovery_start_t;

typedef struct {
    const char *name; /* as in "recovery: {system: NAME}" */
    const char *doc;
    const char *source;          /* paper or program */
    const spot_field_t *options; /* goes on with the common ones */
    size_t options_size;         /* of the bound options, shared by all threads */
    /* No work is ever lost: the job needs no checkpoints, and the step under way goes on
     * over a new plan. */
    bool is_lossless;
    /* Each step is safe as soon as it ends, with peers or a service in memory: the job's
     * own checkpoints are off. Only the step under way can be lost. */
    bool keeps_steps;
    /* Its plans tell all step times, and which are missing; else those of the job for
     * pipelines of its depth are meant. */
    bool has_own_step_time;
    /* Asked, and told, when an instance is lost that is not active. */
    bool sees_all_losses;
    /* Instances that are rented on demand for the whole run instead of those of the
     * trace, which is ignored; capacity: the fleet's. NULL: none. */
    int64_t (*num_on_demand)(const void *options, int64_t capacity);
    /* Computes or reads what depends on the job too, once it is bound without an error;
     * node: the system's, for messages. NULL: nothing. NO_MEMORY; what is wrong with the
     * input is told through bind. */
    int (*settle)(void *options, spot_bind_t *bind, const spot_node_t *node,
        const spot_job_t *job, int64_t capacity);
    void (*release)(void *options); /* frees what options hold; may be NULL */
    /* The share of the useful time that is told as redundant when a run ends, 0 ... 1;
     * NULL: none. */
    double (*redundant_share)(const void *options);
    /* Whether it is to be told the future when a run starts: it is called clairvoyant
     * then. NULL: no. */
    bool (*knows_future)(const void *options);
    /* USD an hour that it costs besides its instances, as long as the run lasts; NULL:
     * nothing. */
    double (*service_usd_per_h)(const void *options);
    /* Names the options by which the rules of a fair comparison are broken, to repeat
     * what was published; nothing: none is. NULL: the system has no such options. */
    void (*broken_rules)(const void *options, char *text, size_t num_bytes);
    /* What the policy remembers from one decision to the next, in bytes. When a run
     * starts, it is zero and then started. NULL: nothing. */
    size_t (*state_size)(const void *options, const spot_job_t *job, int64_t capacity);
    void (*start)(const void *options, void *state, const spot_recovery_start_t *run);
    /* Decides at one instant; asked when an active instance is lost, when one becomes
     * ready (and the plan's awaited_standby are), when a preemption is announced and
     * when the plan wanted to be. The loss of an active instance needs a new plan. */
    void (*decide)(const void *options, void *state, const spot_recovery_view_t *view,
        const spot_recovery_change_t *change, spot_recovery_plan_t *plan);
} spot_recovery_t;

/* N: the instances that pipelines can form of. */
static inline int64_t
spot_recovery_num_usable(const spot_recovery_view_t *view)
{
    return (int64_t) view->num_active + view->num_standby;
}

/* With notices: whether the preemption of an instance in use is announced. */
static inline bool
spot_recovery_is_leaving(const spot_recovery_view_t *view, int32_t slot)
{
    return view->deadlines_ms[slot] != INT64_MAX &&
           view->fleet->place[slot] < view->fleet->active_end;
}

/* Those of N whose preemption is not announced. O(slots) with notices. */
int64_t spot_recovery_num_staying(const spot_recovery_view_t *view);

/* When the first announced preemption is seen of the instances that are in use under the
 * plan, or under that in force if it is not new; INT64_MAX: there is none. O(slots) with
 * notices. */
int64_t spot_recovery_first_deadline_ms(
    const spot_recovery_view_t *view, const spot_recovery_plan_t *plan);

/* When training starts under the plan, or under that in force if it is not new;
 * INT64_MAX: it does not. */
int64_t spot_recovery_training_ms(
    const spot_recovery_view_t *view, const spot_recovery_plan_t *plan);

/* For a system that stops between two steps before an announced loss: whether it has to
 * stop now, as rest_ms fit before deadline_ms, but not behind one more step. If not, the
 * plan asks to be woken at the end of the step, or of the pause, for the same question;
 * such a system asks for no other wakes. INT64_MAX: there is no such loss. */
bool spot_recovery_must_stop(const spot_recovery_view_t *view, int64_t deadline_ms,
    int64_t rest_ms, spot_recovery_plan_t *plan);

/* Plans so many pipelines of the job's depth. */
static inline void
spot_recovery_plan_pipelines(
    spot_recovery_plan_t *plan, const spot_job_t *job, int64_t num_pipelines)
{
    plan->num_pipelines = (int32_t) num_pipelines;
    plan->num_active = (int32_t) (num_pipelines * job->pipeline_depth);
}

/* Plans steps of step_ms, made of the job's step time for the planned pipelines. */
static inline void
spot_recovery_plan_step(
    spot_recovery_plan_t *plan, const spot_job_t *job, int64_t step_ms)
{
    plan->step_ms = step_ms;
    plan->has_flat_step_time = !spot_job_covers_step(job, plan->num_pipelines);
    plan->has_fitted_step_time = spot_job_is_step_fitted(job, plan->num_pipelines);
}

/* The end of every options table: {.name = NULL, .fields = spot_recovery_common_fields}.
 */
extern const spot_field_t spot_recovery_common_fields[];

extern const spot_recovery_t spot_recovery_bamboo;
extern const spot_recovery_t spot_recovery_checkpoint;
extern const spot_recovery_t spot_recovery_gemini;
extern const spot_recovery_t spot_recovery_ideal;
extern const spot_recovery_t spot_recovery_on_demand;
extern const spot_recovery_t spot_recovery_oobleck;
extern const spot_recovery_t spot_recovery_parcae;
extern const spot_recovery_t spot_recovery_parcae_throughput;
extern const spot_recovery_t spot_recovery_recycle;
extern const spot_recovery_t spot_recovery_varuna;

/* Every recovery system, NULL-terminated. */
extern const spot_recovery_t *const spot_recovery_systems[];

/* A system with its options, bound from "recovery: {system: NAME, ...}", or from "NAME"
 * alone, which is the same without options. */
typedef struct {
    const spot_recovery_t *system;
    void *options;
} spot_recovery_choice_t;

/* A bind function; target is a spot_recovery_choice_t. */
void spot_recovery_bind(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target);

/* The system of that name, or NULL; then near (may be NULL) has been offered all names.
 */
const spot_recovery_t *spot_recovery_find(const char *name, spot_suggest_t *near);

/* The options by which a node is bound, or NULL. */
const spot_field_t *spot_recovery_table(const spot_node_t *node);

/* One of a system's faults. */
typedef struct {
    int is_set;
    const char *rule; /* the option, and what it breaks */
} spot_recovery_fault_t;

/* Names those that are set, for broken_rules. */
void spot_recovery_name_faults(const spot_recovery_fault_t *faults, size_t num_faults,
    char *text, size_t num_bytes);

/* Whether its options break rules of a fair comparison; text names them. */
#define SPOT_BROKEN_RULES_BYTES 512
bool spot_recovery_breaks_rules(
    const spot_recovery_choice_t *self, char text[SPOT_BROKEN_RULES_BYTES]);

/* Calls the system's settle, and warns where rules of a fair comparison are broken;
 * root: of the document, for messages. NO_MEMORY. */
SPOT_MUST_CHECK int spot_recovery_settle(spot_recovery_choice_t *self, spot_bind_t *bind,
    const spot_node_t *root, const spot_job_t *job, int64_t capacity);

void spot_recovery_choice_free(spot_recovery_choice_t *self);

#endif
