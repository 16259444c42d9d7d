/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rerouting: the peers of a lost stage share its micro-batches, and no instance moves. A
 * stage is lost for good only with its last holder; then the job rolls back to the
 * checkpoint in storage. The step time with lost places is an unverified approximation
 * (models/job.h).
 *
 * An instance that takes a place first copies its stage: others can copy from it only
 * once training has started again. */
#include <stddef.h>

#include "base/units.h"
#include "models/job.h"
#include "sim/train/recovery/layout.h"
#include "sim/train/recovery/recovery.h"

#define PUBLISHED_REPLAN_MS (2 * SPOT_MS_PER_S) /* a placeholder */

typedef enum { GROWTH_NEVER, GROWTH_PIPELINE } growth_t;
typedef enum { FILL_BEST, FILL_WORST } fill_t;
typedef enum { NOTICE_REROUTE, NOTICE_IGNORE } notice_t;

typedef struct {
    int64_t detection_ms;
    int64_t replan_ms;
    int64_t stage_copy_ms;
    int64_t micro_batch; /* 0 before settle: that of the job */
    double forward_share;
    int fill;   /* fill_t */
    int growth; /* growth_t */
    int notice; /* notice_t */
} options_t;

typedef struct {
    spot_layout_t layout;
    int64_t detected_ms; /* when the latest loss is detected */
    bool is_copying;     /* some instances lacked their stage at the latest decision */
    int32_t *standby;    /* [capacity] scratch */
    int32_t *replicas;   /* [capacity] by stage, scratch */
    bool *lacks_stage;   /* [capacity] by place */
} state_t;

static size_t recycle_state_size(const void *options, const spot_job_t *job, int64_t capacity)
{
    (void) options;
    (void) job;
    return sizeof(state_t) + spot_layout_bytes(capacity) +
           (size_t) capacity * (2 * sizeof(int32_t) + sizeof(bool));
}

static void recycle_start(const void *options, void *state, const spot_recovery_start_t *run)
{
    state_t *self = state;
    char *memory = (char *) state + sizeof(state_t);

    (void) options;
    spot_layout_start(&self->layout, memory, run->capacity);
    self->standby = (int32_t *) (void *) (memory + spot_layout_bytes(run->capacity));
    self->replicas = self->standby + run->capacity;
    self->lacks_stage = (bool *) (void *) (self->replicas + run->capacity);
}

static void set_lacks_stage(state_t *self, bool lacks_stage)
{
    for (int32_t place = 0; place < self->layout.capacity; place++) {
        self->lacks_stage[place] = lacks_stage;
    }
    self->is_copying = lacks_stage;
}

/* Updates the state by the events since the latest decision. */
static void update(state_t *self, const options_t *options, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change)
{
    if (self->is_copying && view->now_ms >= view->training_ms) {
        set_lacks_stage(self, false);
    }
    if (change->num_lost_active > 0) {
        spot_layout_lose(&self->layout, change->lost, change->num_lost_active);
        self->detected_ms = view->now_ms + options->detection_ms;
    }
}

/* Whether every stage has a holder without a deadline. deadlines_ms: by slot, NULL: no
 * instance has one. */
static bool has_all_stages(const state_t *self, const int64_t *deadlines_ms)
{
    const spot_layout_t *layout = &self->layout;

    for (int32_t stage = 0; stage < layout->depth; stage++) {
        bool has_stage = false;

        for (int32_t d = 0; d < layout->num_pipelines && !has_stage; d++) {
            const int32_t place = d * layout->depth + stage;
            const int32_t slot = layout->slots[place];

            has_stage = slot != SPOT_LAYOUT_NONE && !self->lacks_stage[place] &&
                        (deadlines_ms == NULL || deadlines_ms[slot] == INT64_MAX);
        }
        if (!has_stage) {
            return false;
        }
    }
    return layout->num_pipelines > 0;
}

/* Counts the replicas of each stage. Returns f_s of the stage with most losses. */
static int32_t most_lost(state_t *self)
{
    const spot_layout_t *layout = &self->layout;
    int32_t fewest = layout->num_pipelines;

    for (int32_t stage = 0; stage < layout->depth; stage++) {
        self->replicas[stage] = spot_layout_replicas(layout, stage);
        fewest = self->replicas[stage] < fewest ? self->replicas[stage] : fewest;
    }
    return layout->num_pipelines - fewest;
}

/* The first free place of the stage with most losses, of equal ones the first. */
static int32_t next_place(const state_t *self)
{
    const spot_layout_t *layout = &self->layout;
    int32_t place = 0;

    for (int32_t stage = 1; stage < layout->depth; stage++) {
        if (self->replicas[stage] < self->replicas[place]) {
            place = stage;
        }
    }
    while (layout->slots[place] != SPOT_LAYOUT_NONE) {
        place += layout->depth;
    }
    return place;
}

/* Gives lost places to standby instances without a deadline, in their order. Returns
 * whether there was one. deadlines_ms: by slot, NULL: no instance has one. */
static bool fill_places(state_t *self, const spot_fleet_t *fleet, const int64_t *deadlines_ms)
{
    spot_layout_t *layout = &self->layout;
    const int32_t num_places = layout->num_pipelines * layout->depth;
    const int32_t num_standby = spot_fleet_list(fleet, SPOT_STANDBY, self->standby);
    int32_t num_placed = 0;

    (void) most_lost(self);
    for (int32_t j = 0; j < num_standby && layout->num_held < num_places; j++) {
        const int32_t slot = self->standby[j];
        int32_t place;

        if (deadlines_ms != NULL && deadlines_ms[slot] != INT64_MAX) {
            continue;
        }
        place = next_place(self);
        spot_layout_put(layout, slot, place);
        num_placed++;
        self->replicas[place % layout->depth]++;
        self->lacks_stage[place] = true;
        self->is_copying = true;
    }
    return num_placed > 0;
}

static int64_t detection_left_ms(const state_t *self, const spot_recovery_view_t *view)
{
    const int64_t left_ms = self->detected_ms - view->now_ms;

    return left_ms > 0 ? left_ms : 0;
}

/* Forms all pipelines anew from the checkpoint in storage. */
static void decide_from_storage(state_t *self, const spot_recovery_view_t *view,
    int64_t num_pipelines, spot_recovery_decision_t *decision)
{
    const spot_job_t *job = view->job;

    spot_recovery_decision_set_pipelines(decision, job, num_pipelines);
    decision->is_new = true;
    decision->work = SPOT_WORK_ROLLED_BACK;
    decision->reconfiguration_ms = detection_left_ms(self, view) + job->reconfiguration_ms;
    decision->reload_ms = job->reload_ms;
    spot_layout_form_noticed_last(&self->layout, view->fleet,
        decision->takes_noticed_last ? view->deadlines_ms : NULL, decision->num_pipelines,
        (int32_t) job->pipeline_depth);
    set_lacks_stage(self, true);
}

static int64_t step_ms(
    const options_t *options, const spot_job_t *job, int64_t num_pipelines, int64_t num_lost)
{
    const spot_reroute_t reroute = {.micro_batch = options->micro_batch,
        .forward_share = options->forward_share,
        .is_worst_fill = options->fill == FILL_WORST};

    return spot_reroute_step_ms(&reroute, job, num_pipelines, num_lost);
}

/* Keeps the pipelines with the places filled; copying instances delay all. */
static void decide_rerouted(state_t *self, const spot_recovery_view_t *view,
    const options_t *options, spot_recovery_decision_t *decision)
{
    const int32_t num_lost = most_lost(self);

    decision->is_new = true;
    decision->work = SPOT_WORK_STEPS_KEPT;
    decision->num_pipelines = self->layout.num_pipelines;
    decision->num_active = self->layout.num_held;
    spot_recovery_decision_set_step(
        decision, view->job, step_ms(options, view->job, decision->num_pipelines, num_lost));
    spot_decision_note(decision, SPOT_NOTE_STEP_APPROXIMATE, num_lost > 0);
    decision->reconfiguration_ms = detection_left_ms(self, view) + options->replan_ms;
    decision->reload_ms = self->is_copying ? options->stage_copy_ms : 0;
}

/* Whether more pipelines may form and there are instances for them. */
static bool can_grow(const state_t *self, const options_t *options, int64_t num_possible)
{
    const int32_t num_pipelines = self->layout.num_pipelines;

    return num_possible > num_pipelines &&
           (num_pipelines == 0 || options->growth == GROWTH_PIPELINE);
}

typedef enum {
    ANSWER_NONE, /* no holder of a place is announced, or a stage depends on it */
    ANSWER_WAIT, /* for the end of a step; nothing else is decided until then */
    ANSWER_LEAVE
} answer_t;

/* Goes on without the announced instances from the end of the last step that fits. */
static answer_t answer_notice(state_t *self, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_decision_t *decision)
{
    const spot_layout_t *layout = &self->layout;
    const int64_t deadline_ms = spot_layout_first_deadline_ms(layout, view->deadlines_ms);
    const bool has_loss = change->num_lost_active > 0;
    const bool is_pause = !has_loss && view->training_ms > view->now_ms;

    if (deadline_ms == INT64_MAX || (!is_pause && !has_all_stages(self, view->deadlines_ms))) {
        return ANSWER_NONE;
    }
    if (has_loss || spot_recovery_must_stop(view, deadline_ms, 0, decision)) {
        return ANSWER_LEAVE;
    }
    return ANSWER_WAIT;
}

static void leave_noticed(state_t *self, const spot_recovery_view_t *view)
{
    for (int32_t slot = 0; slot < self->layout.capacity; slot++) {
        if (view->deadlines_ms[slot] != INT64_MAX) {
            spot_layout_lose(&self->layout, &slot, 1);
        }
    }
}

/* Forms new routes or pipelines after losses, or more pipelines. */
static void form_anew(const options_t *self, state_t *memory, const spot_recovery_view_t *view,
    bool must_form, spot_recovery_decision_t *decision)
{
    const int64_t *avoided_ms = decision->takes_noticed_last ? view->deadlines_ms : NULL;
    const int64_t num_possible = spot_job_pipelines(view->job,
        avoided_ms == NULL ? spot_recovery_num_usable(view) : spot_recovery_num_staying(view));
    const bool is_growing = can_grow(memory, self, num_possible);

    if (!has_all_stages(memory, NULL)) {
        if (must_form || is_growing) {
            decide_from_storage(memory, view, num_possible, decision);
        }
        return;
    }
    if (is_growing) {
        memory->layout.num_pipelines = (int32_t) num_possible;
    }
    if (fill_places(memory, view->fleet, avoided_ms) || must_form) {
        decide_rerouted(memory, view, self, decision);
    }
}

static void recycle_decide(const void *options, void *state, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_decision_t *decision)
{
    const options_t *self = options;
    const bool takes_notice = self->notice == NOTICE_REROUTE && view->deadlines_ms != NULL;
    state_t *memory = state;
    answer_t answer = ANSWER_NONE;

    update(memory, self, view, change);
    if (takes_notice) {
        answer = answer_notice(memory, view, change, decision);
    }
    if (answer == ANSWER_WAIT) {
        return;
    }
    if (answer == ANSWER_LEAVE) {
        leave_noticed(memory, view);
    }
    decision->takes_noticed_last = takes_notice && spot_layout_first_deadline_ms(&memory->layout,
                                                       view->deadlines_ms) == INT64_MAX;
    form_anew(self, memory, view, change->num_lost_active > 0 || answer == ANSWER_LEAVE, decision);
    if (takes_notice && decision->is_new) { /* ask again after the pause */
        (void) answer_notice(memory, view, &(spot_recovery_change_t){0}, decision);
    }
}

/* Time for an instance to build its stage and to copy it, all at once: as long as it
 * takes to read the state from storage if the bandwidth is not known. */
static int64_t stage_ms(spot_terms_t *terms)
{
    const spot_job_t *job = terms->job;

    return job->rebuild_ms + (spot_terms_can_copy(terms, NULL, NULL)
                                     ? spot_terms_copy_ms(job, 1.0 / (double) job->pipeline_depth)
                                     : job->reload_ms);
}

static int recycle_settle(void *options, spot_terms_t *terms)
{
    const spot_job_t *job = terms->job;
    options_t *self = options;

    if (self->micro_batch == 0) {
        self->micro_batch = spot_reroute_micro_batch(job);
    }
    if (self->micro_batch == 0) {
        spot_terms_lack(terms, "the samples of a micro-batch, which are not in job.step_time: give "
                               "recovery.micro_batch, e.g. {system: recycle, micro_batch: 8}, or a "
                               "job.step_time {table: FILE.csv} that has them");
    }
    terms->unmeasured = "steps with places lost follow from a formula";
    self->detection_ms =
        spot_terms_ms(terms, "detection", self->detection_ms, 0, job->detection_ms);
    self->replan_ms =
        spot_terms_ms(terms, "replan", self->replan_ms, PUBLISHED_REPLAN_MS, job->regroup_ms);
    self->stage_copy_ms =
        spot_terms_ms(terms, "stage_copy", self->stage_copy_ms, job->reload_ms, stage_ms(terms));
    return 0;
}

static const char *const fills[] = {"best", "worst", NULL};
static const char *const growths[] = {"never", "pipeline", NULL};
static const char *const notices[] = {"reroute", "ignore", NULL};

static const spot_field_t recycle_options[] = {
    {SPOT_RANGE(DURATION, "detection", options_t, detection_ms, 0, (double) SPOT_MAX_DURATION_MS,
        "", "detection time",
        "time to detect a loss, before the pause for it; job.detection if not given")},
    {SPOT_RANGE(DURATION, "replan", options_t, replan_ms, 0, (double) SPOT_MAX_DURATION_MS, "",
        "replanning pause",
        "pause to go on with other routes, which are planned in advance: the same "
        "instances regroup; job.regroup if not given; published: 2 s (a placeholder, "
        "unverified)")},
    {SPOT_RANGE(DURATION, "stage_copy", options_t, stage_copy_ms, 0, (double) SPOT_MAX_DURATION_MS,
        "", "copy of a stage",
        "pause more when an instance takes a lost place, to copy its stage from a peer; "
        "if not given job.rebuild and its part of job.model over fleet.network, where "
        "these are given, else job.reload")},
    {SPOT_RANGE(INTEGER, "micro_batch", options_t, micro_batch, 0, 1e12, "0",
        "time of a micro-batch",
        "samples of a micro-batch; 0: as job.step_time has it, if it is a pipeline "
        "model or a table that gives it")},
    {SPOT_RANGE(NUMBER, "forward_share", options_t, forward_share, 0, 1, "0.3333333333333333",
         "forward share",
         "of a micro-batch's time, for fill: best; a pipeline model has its own "
         "(unverified)"),
        SPOT_DECIDES},
    {SPOT_CHOICE("fill", options_t, fill, fills, "best", "filling of lost places",
         "time to fill and drain the pipelines where places are lost; best: of the "
         "forward passes only, as weight gradients move into bubbles; worst: of all. The "
         "step time with places lost is an approximation, unverified"),
        SPOT_DECIDES},
    {SPOT_CHOICE("growth", options_t, growth, growths, "pipeline", "growth",
        "pipeline: lost places are taken and one more pipeline forms as soon as there "
        "are instances for it; never: lost places only")},
    {SPOT_CHOICE("notice", options_t, notice, notices, "reroute", "answer to a notice",
        "reroute: when the preemption of an instance in use is announced (see "
        "fleet.notice), the job goes on without it from the end of the last step that "
        "fits before it: replan but no detection, and no step is lost. Where it is the "
        "last of a stage, nothing is done. Not in the paper: it is how plans that are "
        "prepared in advance can be used")},
    {.name = NULL, .fields = spot_recovery_common_fields},
};

const spot_recovery_t spot_recovery_recycle = {
    .name = "recycle",
    .doc = "peers of a lost stage share its micro-batches (step time: an approximation, "
           "unverified); roll back to storage only with the last holder of a stage",
    .source = "Gandhi et al., ReCycle, SOSP'24",
    .published = "ReCycle (SOSP'24): a pause of 2 s, a placeholder (unverified)",
    .options = recycle_options,
    .options_size = sizeof(options_t),
    .traits = {.flushes = SPOT_FLUSHES_NEVER},
    .settle = recycle_settle,
    .state_size = recycle_state_size,
    .start = recycle_start,
    .decide = recycle_decide,
};
