/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of a recovery system: one const table in one file. A policy reads a view of
 * the job and its instances and returns a decision; the engine carries the decision out
 * and charges the time. A policy never touches instances, clock or ledger (a plug-in
 * that repeats a published program may amend the result).
 * share/examples/recovery_mine.c shows how to write and register one of your own. */
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bind.h"
#include "base/name_match.h"
#include "models/job.h"
#include "sim/train/fleet/fleet.h"

/* When the job may stall for a checkpoint beside those that are due. */
typedef enum { SPOT_FLUSHES_MAYBE, SPOT_FLUSHES_ON_NOTICE, SPOT_FLUSHES_NEVER } spot_flushes_t;

/* What the engine does otherwise for a system than for most, of which all is 0. What
 * depends on options is set by settle(). */
typedef struct {
    /* No work is ever lost: the job needs no checkpoints, and a new decision does not
     * interrupt the step under way. */
    bool is_lossless;
    /* Each step is safe once it ends, in the memory of a service, at no cost: checkpoints
     * are off, and only the step under way can be lost. */
    bool keeps_steps;
    /* Its decisions give all step times and say which are missing; otherwise those of
     * the job for pipelines of its depth apply. */
    bool has_own_step_time;
    /* Where job.step_time is by (D,P), it forms pipelines of the depths that it likes
     * best, whatever job.pipeline_depth is. */
    bool chooses_depth;
    /* Asked also when standby or prepping instances are lost; change->gone has them. */
    bool sees_all_losses;
    /* It gets the future when a run starts; the output then calls it clairvoyant. */
    bool knows_future;
    spot_flushes_t flushes;
    /* Bytes that runs one after another keep: for what options, job and capacity alone
     * determine, so that no run depends on an earlier one. */
    size_t kept_bytes;
    /* The share of the useful time, 0 ... 1, that the ledger counts as redundant. */
    double redundant_share;
} spot_recovery_traits_t;

typedef struct {
    spot_bind_t *bind;
    spot_recovery_traits_t traits; /* of the system; settle() may change them */
    const spot_node_t *node;       /* of the system, for messages */
    const spot_job_t *job;         /* settled, with the checkpoints of the system */
    int64_t capacity;
    const char *system;
    bool has_fault;    /* one of the system's is set */
    bool is_published; /* published_defaults: yes, or has_fault */
    char *lacks;       /* what the scenario lacks, in words; NULL: nothing */
    size_t num_lacks;
    bool has_table;         /* step times are those of a table of its own, measured */
    int64_t table_least;    /* with a table that is used outside its rows: the least and the */
    int64_t table_most;     /* most instances of a row; 0: it is not */
    const char *unmeasured; /* how else they follow from those of the job, in words;
                               NULL: they are those of the job, or of the table */
} spot_terms_t;

/* Whether an option is given. */
bool spot_terms_has(const spot_terms_t *self, const char *option);

/* The value of an option: as given, or as published, or that of the job. */
int64_t spot_terms_ms(const spot_terms_t *self, const char *option, int64_t given_ms,
    int64_t published_ms, int64_t otherwise_ms);
double spot_terms_number(
    const spot_terms_t *self, const char *option, double given, double published, double otherwise);

/* Reports that the system needs something: "NAME needs WHAT". */
void spot_terms_lack(spot_terms_t *self, const char *format, ...) SPOT_PRINTF(2, 3);

/* Whether the job says how long it takes to copy state between instances. With what: it
 * is needed, as in "the time to copy a layer", and is reported if it is not known.
 * instead: options that give it another way, as in "recovery.layer_bytes". */
bool spot_terms_can_copy(spot_terms_t *self, const char *what, const char *instead);

/* Time for an instance to copy a share (0 to 1) of the state from its peers, in whole
 * ms. Only where spot_terms_can_copy(). */
int64_t spot_terms_copy_ms(const spot_job_t *job, double share);

/* What the policy may know at the instant of a decision. */
typedef struct {
    int64_t now_ms;
    const spot_job_t *job;
    const spot_fleet_t *fleet; /* active, standby and prepping instances, in order */
    int32_t num_pipelines;     /* before the change; 0: no training */
    int32_t num_active;        /* instances left of those that were in use */
    int32_t num_standby;       /* ready, not in use */
    int32_t num_prepping;
    int64_t training_ms;         /* when training starts or started under the decision in
                                    force; INT64_MAX: never */
    const int64_t *deadlines_ms; /* by slot: when its announced preemption is seen,
                                    INT64_MAX: none is announced; NULL: notices are
                                    off */
    /* Only with deadlines_ms: */
    bool is_between_steps; /* training has started, and no step is under way */
    int64_t step_end_ms;   /* the next end of a step under the decision in force, after
                              now and all stalls; INT64_MAX: none */
} spot_recovery_view_t;

typedef enum {
    SPOT_CHANGE_MEMBERSHIP, /* active instances are lost, or instances become ready */
    SPOT_CHANGE_WAKE,       /* the instant that the latest decision asked for */
    SPOT_CHANGE_NOTICE      /* preemptions are announced, and nothing else */
} spot_change_kind_t;

/* Why the engine asks. At one instant a wake comes before the membership, unless the
 * decision says SPOT_WAKE_LAST. */
typedef struct {
    spot_change_kind_t kind;
    int32_t num_lost_active; /* active instances preempted or stopped at this instant */
    const int32_t *lost;     /* [num_lost_active] their slots; all are lost at once, the
                                order means nothing */
    int32_t num_ready;       /* became standby at this instant */
    int32_t num_noticed;     /* preemptions announced at this instant, in any role */
    const int32_t *noticed;  /* [num_noticed] their slots */
    int64_t deadline_ms;     /* the earliest of theirs; all: view->deadlines_ms */
    /* Only for a system with sees_all_losses: */
    int32_t num_gone;    /* active and standby instances that are lost */
    const int32_t *gone; /* [num_gone] their slots */
    int32_t num_gone_prepping;
} spot_recovery_change_t;

/* What becomes of the steps that are not durable, and of the step under way. */
typedef enum {
    SPOT_WORK_ROLLED_BACK, /* all are lost: the job returns to the durable step */
    SPOT_WORK_STEPS_KEPT,  /* steps that ended stay, the step under way is lost */
    SPOT_WORK_KEPT,        /* the step under way goes on too */
    SPOT_WORK_STEPS_SAVED  /* steps that ended are durable from now on, the step under way
                              is lost: a checkpoint of the policy's own */
} spot_work_t;

/* What the result counts or warns of. */
typedef enum {
    SPOT_NOTE_SAME_PIPELINES = 1,    /* no pipelines form anew (another speed, the end of a
                                        pause): no reconfiguration is counted */
    SPOT_NOTE_FATAL = 2,             /* the answer to a loss that could not be absorbed */
    SPOT_NOTE_CHECKPOINT_FAILED = 4, /* one of the policy's own */
    SPOT_NOTE_STEP_FLAT = 8,         /* step_ms comes from a table outside its points */
    SPOT_NOTE_STEP_FITTED = 16,
    SPOT_NOTE_STEP_APPROXIMATE = 32, /* step_ms comes from an unverified formula */
    SPOT_NOTE_STEP_UNKNOWN = 64      /* instances stay standby because no step time is known
                                        for more of them */
} spot_note_t;

/* When wake_ms is met. */
typedef enum {
    SPOT_WAKE_FIRST,   /* before the membership of that instant */
    SPOT_WAKE_LAST,    /* after it, unless the answer to it asks for another wake */
    SPOT_WAKE_STEP_END /* as the first, or at the end of the step under way if that is
                          sooner */
} spot_wake_t;

/* What the engine is to do, in groups. All zero: go on as before. At most 80 bytes, since
 * it is cleared before each decision. */
typedef struct {
    /* Whether it changes anything. A new decision drops a checkpoint in flight; of one that
     * is not new all but the wake, num_clipped and SPOT_NOTE_STEP_UNKNOWN is ignored. An
     * instance on standby is lost: not new. */
    bool is_new;

    /* Which instances train. Two pipelines of 4 of 11 ready instances: num_active 8, num_pipelines
     * 2, and awaited_standby 4, as one more beside the 3 that are left makes a pipeline. */
    bool takes_noticed_last; /* instances with an announced preemption move to the end
                                of standby: they are used if the others are too few */
    int32_t num_active;      /* instances in use: the active ones from the front, then
                                standby from the front */
    int32_t num_pipelines;   /* 0: the instances in use pause until the next decision */
    int32_t awaited_standby; /* new ready instances are no reason to ask before this
                                many are standby */

    /* What becomes of the work. Copies in the memory of peers every 4 steps, one of which is
     * left: SPOT_WORK_STEPS_KEPT, kept_every_steps 4. */
    spot_work_t work : 8;
    int32_t kept_every_steps; /* STEPS_KEPT: of the steps since training started, only
                                 whole multiples of this number stay; 0: all */

    /* How fast. Pipelines of the job's depth leave both 0; a system with a table of its own
     * gives the time of its row, and beyond its rows SPOT_NOTE_STEP_FLAT too. */
    int64_t step_ms;                     /* 0: that of the job for num_pipelines of its depth */
    const spot_checkpoint_t *checkpoint; /* with step_ms: how steps become durable under
                                            this decision; lives as long as the options;
                                            NULL: that of the job */

    /* The pause before training, its parts in this order; none is paid at time 0 or without
     * instances. A roll back after a loss: job->detection_ms + job->reconfiguration_ms, then
     * job->reload_ms. */
    int64_t flush_ms; /* stalled; afterwards all ended steps are durable */
    int64_t reconfiguration_ms;
    int64_t reload_ms;

    /* When to ask again. A checkpoint that must be durable before an announced loss:
     * SPOT_WAKE_STEP_END, at each step. With neither a time nor a step end, and not new, an
     * earlier wake stays. */
    int64_t wake_ms; /* 0: never */
    spot_wake_t wakes : 8;

    /* What the result counts or warns of. The end of a pause that was counted when it began:
     * SPOT_NOTE_SAME_PIPELINES. */
    uint16_t notes;      /* of spot_note_t, by spot_decision_note() */
    int32_t num_clipped; /* forecasts and timers cut off at a limit for this decision */
} spot_recovery_decision_t;

static_assert(sizeof(spot_recovery_decision_t) <= 80, "cleared before each decision");

/* An instance that comes or goes. */
enum { SPOT_COMING_ADDED = 1, SPOT_COMING_LOST = 2 };
typedef struct {
    int64_t time_ms;
    int kind;
} spot_coming_t;

/* What no real system knows: how many instances pipelines can form of at each time, and
 * each instance that comes or goes up to the horizon, in the order of the trace. */
typedef struct {
    size_t num;
    int64_t *times_ms; /* [num] increasing, from 0 on */
    int32_t *counts;   /* [num] from then on, including the changes of that instant */
    size_t num_coming;
    spot_coming_t *coming;  /* [num_coming + SPOT_SPARE_COMINGS] the policy may change them */
    int64_t ready_after_ms; /* from the arrival of an instance until it is ready */
} spot_recovery_future_t;

#define SPOT_SPARE_COMINGS 8

/* The count at a time. O(log num). */
int64_t spot_recovery_future_count(const spot_recovery_future_t *self, int64_t time_ms);

/* What a policy gets when a run starts. */
typedef struct {
    const spot_job_t *job;
    int64_t capacity; /* most instances at a time: slots are below it */
    int64_t horizon_ms;
    uint64_t seed; /* for the policy's own dice: stream SPOT_STREAM_RECOVERY */
    uint64_t replication;
    const spot_recovery_future_t *future; /* lives as long as the run; NULL: not known */
    void *kept; /* [kept_bytes] zero before the first run with this memory, then as the
                   runs before left it; NULL: no memory */
} spot_recovery_start_t;

/* An option, a choice or duration, that is not 0 to repeat published results, and which
 * rule of a fair comparison it breaks then. */
typedef struct {
    const char *option;
    const char *broken;
} spot_recovery_fault_t;

struct spot_train_result;

/* A system, in groups; share/examples/recovery_mine.c has those that each needs. What is
 * NULL or 0 is not needed. */
typedef struct {
    /* What help says. "gemini", "recover from copies in the memory of peers; ...", "Wang et
     * al., Gemini, SOSP'23". */
    const char *name; /* as in "recovery: {system: NAME}" */
    const char *doc;
    const char *source;    /* paper or program */
    const char *published; /* of which paper and model published_defaults are;
                              NULL: there are none */

    /* Its options. gemini: settle() takes job.detection where recovery.detection is not
     * given. A plug-in of share/published has {"stale_timers", "a pause that is over stops
     * the job"} among its faults. */
    const spot_field_t *options;         /* goes on with the common ones */
    size_t options_size;                 /* of the bound options, shared by all threads */
    const spot_recovery_fault_t *faults; /* ended by one without option */
    /* Computes or reads what depends on the job, once the job is bound without an error.
     * NO_MEMORY; errors of the input go to terms->bind. After a lack the options are only
     * released. */
    int (*settle)(void *options, spot_terms_t *terms);
    void (*release)(void *options); /* frees what options hold */
    /* Whether a figure counts: "detection", "reconfiguration", "reload",
     * "checkpoint.write" and the other keys of job.checkpoint, all of the job, and
     * "notice", of the fleet. NULL: all do. */
    bool (*uses)(const void *options, const char *figure);

    /* What the engine does otherwise. ideal loses no work: {.is_lossless = true}. on-demand
     * has as many instances as the fleet's capacity. */
    spot_recovery_traits_t traits;
    /* Instances rented on demand for the whole run; the trace is then ignored. capacity:
     * the fleet's. NULL: none. */
    int64_t (*num_on_demand)(const void *options, int64_t capacity);

    /* The run. share/examples/recovery_mine.c has no state and decides by the view alone;
     * recycle keeps in its state which instance holds which stage. */
    /* Bytes of the policy's state, which is zeroed and then started at the start of a
     * run. NULL: no state. */
    size_t (*state_size)(const void *options, const spot_job_t *job, int64_t capacity);
    void (*start)(const void *options, void *state, const spot_recovery_start_t *run);
    /* Decides at one instant. Asked when an active instance is lost, when instances
     * become ready (and awaited_standby of them are standby), when a preemption is
     * announced, and at a wake. The loss of an active instance needs a new decision. */
    void (*decide)(const void *options, void *state, const spot_recovery_view_t *view,
        const spot_recovery_change_t *change, spot_recovery_decision_t *decision);
    /* Amends the result so far, once the work is settled under a new decision: for what no
     * real system does. The result must stay one that a run can have. */
    void (*amend)(const void *options, void *state, struct spot_train_result *result);
} spot_recovery_t;

/* Adds a note to a decision, or takes it away. */
static inline void spot_decision_note(
    spot_recovery_decision_t *decision, spot_note_t note, bool holds)
{
    decision->notes = (uint16_t) (holds ? decision->notes | note : decision->notes & ~note);
}

static inline bool spot_decision_notes(const spot_recovery_decision_t *decision, spot_note_t note)
{
    return (decision->notes & note) != 0;
}

/* N: the instances of which pipelines can form. */
static inline int64_t spot_recovery_num_usable(const spot_recovery_view_t *view)
{
    return (int64_t) view->num_active + view->num_standby;
}

/* Whether an active instance has an announced preemption. Only with notices. */
static inline bool spot_recovery_is_leaving(const spot_recovery_view_t *view, int32_t slot)
{
    return view->deadlines_ms[slot] != INT64_MAX &&
           view->fleet->place[slot] < view->fleet->active_end;
}

/* N without the instances with an announced preemption. O(slots) with notices. */
int64_t spot_recovery_num_staying(const spot_recovery_view_t *view);

/* When the first announced preemption is seen among the instances in use under the
 * decision (that in force if it is not new); INT64_MAX: none. O(slots) with notices. */
int64_t spot_recovery_first_deadline_ms(
    const spot_recovery_view_t *view, const spot_recovery_decision_t *decision);

/* For a system that stops between two steps before an announced loss. Returns whether it
 * must stop now: rest_ms fits before deadline_ms (INT64_MAX: no such loss), but not
 * after one more step. Otherwise the decision asks for a wake at the end of the step or
 * pause, for the same question; such a system asks for no other wakes. */
bool spot_recovery_must_stop(const spot_recovery_view_t *view, int64_t deadline_ms, int64_t rest_ms,
    spot_recovery_decision_t *decision);

/* Sets num_pipelines pipelines of the job's depth. */
static inline void spot_recovery_decision_set_pipelines(
    spot_recovery_decision_t *decision, const spot_job_t *job, int64_t num_pipelines)
{
    decision->num_pipelines = (int32_t) num_pipelines;
    decision->num_active = (int32_t) (num_pipelines * job->pipeline_depth);
}

/* Sets steps of step_ms, derived from the job's step time for the set pipelines. */
static inline void spot_recovery_decision_set_step(
    spot_recovery_decision_t *decision, const spot_job_t *job, int64_t step_ms)
{
    decision->step_ms = step_ms;
    spot_decision_note(
        decision, SPOT_NOTE_STEP_FLAT, !spot_job_covers_step(job, decision->num_pipelines));
    spot_decision_note(
        decision, SPOT_NOTE_STEP_FITTED, spot_job_is_step_fitted(job, decision->num_pipelines));
}

/* Every options table ends with {.name = NULL, .fields = spot_recovery_common_fields},
 * or, of a system that writes no checkpoints, with spot_recovery_plain_fields. They are
 * kept in the choice, not in the options. */
extern const spot_field_t spot_recovery_common_fields[];
extern const spot_field_t spot_recovery_plain_fields[];

/* uses() of systems that stop for nothing, and of those that do not listen to notices. */
bool spot_recovery_uses_nothing(const void *options, const char *figure);
bool spot_recovery_uses_no_notice(const void *options, const char *figure);

extern const spot_recovery_t spot_recovery_checkpoint;
extern const spot_recovery_t spot_recovery_gemini;
extern const spot_recovery_t spot_recovery_ideal;
extern const spot_recovery_t spot_recovery_on_demand;
extern const spot_recovery_t spot_recovery_oobleck;
extern const spot_recovery_t spot_recovery_parcae;
extern const spot_recovery_t spot_recovery_recycle;
extern const spot_recovery_t spot_recovery_varuna;

/* All recovery systems, NULL-terminated: the list of the program, with the plug-ins that
 * it is built with (systems.c). */
extern const spot_recovery_t *const spot_recovery_systems[];

/* What the program is built without: a system, or an option of one (option NULL: the
 * system itself). Ends with one without system. */
typedef struct {
    const char *system;
    const char *option;
} spot_left_out_t;
extern const spot_left_out_t spot_recovery_left_out[];

/* A system with its options, bound from "recovery: {system: NAME, ...}" or from "NAME",
 * the short form without options. */
typedef struct {
    const spot_recovery_t *system;
    spot_recovery_traits_t traits; /* of the system with these options */
    void *options;
    bool is_published;               /* published_defaults: yes */
    double service_usd_per_h;        /* besides the instances, for the whole run */
    char *lacks;                     /* why it cannot run, in words; NULL: it can */
    const char *unmeasured;          /* what its step times are instead of measured, in words;
                                        NULL: they are measured */
    bool has_table;                  /* with step times of its own, as spot_terms_t */
    int64_t table_least, table_most; /* the same */
    size_t num_lacks;                /* errors that say so */
} spot_recovery_choice_t;

/* A bind function; target is a spot_recovery_choice_t. */
void spot_recovery_bind(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target);

/* The system with a name. NULL: there is none; near (may be NULL) then got all names. */
const spot_recovery_t *spot_recovery_find(const char *name, spot_suggest_t *near);

/* The options table for a node, or NULL. */
const spot_field_t *spot_recovery_table(const spot_node_t *node);

/* Whether its options break rules of a fair comparison; text names them. */
#define SPOT_BROKEN_RULES_BYTES 768
bool spot_recovery_breaks_rules(
    const spot_recovery_choice_t *self, char text[SPOT_BROKEN_RULES_BYTES]);

/* Reads the common options, of which the checkpoints take the place of the job's, and
 * calls settle of the system. Warns if it breaks rules of a fair comparison or takes
 * figures of a paper. root: of the document. NO_MEMORY; what is lacking is an error in
 * bind and in lacks. */
SPOT_MUST_CHECK int spot_recovery_settle(spot_recovery_choice_t *self, spot_bind_t *bind,
    const spot_node_t *root, spot_job_t *job, int64_t capacity);

/* Puts a system in the choice, with its traits; its options are those of the choice. */
static inline void spot_recovery_choose(spot_recovery_choice_t *self, const spot_recovery_t *system)
{
    self->system = system;
    self->traits = system->traits;
}

void spot_recovery_choice_free(spot_recovery_choice_t *self);
