/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rerouting: the peers of a lost stage share its micro-batches, and nobody moves. A
 * stage is lost for good only with the last instance that holds it; then the job rolls
 * back to the checkpoint in storage. How much longer steps take with places lost is an
 * approximation (models/reroute.h), unverified.
 *
 * Who takes a place copies its stage first: until training starts again it holds nothing
 * that others could copy. */
#include <math.h>
#include <stddef.h>

#include "base/units.h"
#include "models/reroute.h"
#include "sim/recovery/layout.h"
#include "sim/recovery/recovery.h"

typedef enum { GROWTH_NEVER, GROWTH_PIPELINE } growth_t;
typedef enum { FILL_BEST, FILL_WORST } fill_t;
typedef enum { NOTICE_IGNORE, NOTICE_REROUTE } notice_t;

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
    bool is_copying;   /* some did not hold their stage when the latest plan was made */
    int32_t *standby;  /* [capacity] for a moment */
    int32_t *replicas; /* [capacity] by stage, for a moment */
    bool *lacks_stage; /* [capacity] by place */
} state_t;

static size_t
recycle_state_size(const void *options, const spot_job_t *job, int64_t capacity)
{
    (void) options;
    (void) job;
    return sizeof(state_t) + spot_layout_bytes(capacity) +
           (size_t) capacity * (2 * sizeof(int32_t) + sizeof(bool));
}

static void
recycle_start(const void *options, void *state, const spot_recovery_start_t *run)
{
    state_t *self = state;
    char *memory = (char *) state + sizeof(state_t);

    (void) options;
    spot_layout_start(&self->layout, memory, run->capacity);
    self->standby = (int32_t *) (void *) (memory + spot_layout_bytes(run->capacity));
    self->replicas = self->standby + run->capacity;
    self->lacks_stage = (bool *) (void *) (self->replicas + run->capacity);
}

static void
set_lacks_stage(state_t *self, bool lacks_stage)
{
    for (int32_t place = 0; place < self->layout.capacity; place++) {
        self->lacks_stage[place] = lacks_stage;
    }
    self->is_copying = lacks_stage;
}

/* What has happened since the latest plan. */
static void
update(state_t *self, const options_t *options, const spot_recovery_view_t *view,
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

/* Whether every stage can be copied from somebody, of those without a deadline;
 * deadlines_ms: by slot, NULL: nobody has one. */
static bool
has_all_stages(const state_t *self, const int64_t *deadlines_ms)
{
    const spot_layout_t *layout = &self->layout;

    for (int32_t stage = 0; stage < layout->depth; stage++) {
        bool has_stage = false;

        for (int32_t d = 0; d < layout->num_pipelines && !has_stage; d++) {
            const int32_t place = d * layout->depth + stage;
            const int32_t slot = layout->slots[place];

            has_stage = slot != SPOT_LAYOUT_NOBODY && !self->lacks_stage[place] &&
                        (deadlines_ms == NULL || deadlines_ms[slot] == INT64_MAX);
        }
        if (!has_stage) {
            return false;
        }
    }
    return layout->num_pipelines > 0;
}

/* Counts the replicas of each stage; tells f_s of the stage that has lost most. */
static int32_t
most_lost(state_t *self)
{
    const spot_layout_t *layout = &self->layout;
    int32_t fewest = layout->num_pipelines;

    for (int32_t stage = 0; stage < layout->depth; stage++) {
        self->replicas[stage] = spot_layout_replicas(layout, stage);
        fewest = self->replicas[stage] < fewest ? self->replicas[stage] : fewest;
    }
    return layout->num_pipelines - fewest;
}

/* The first free place of the stage that has lost most, the first of several. */
static int32_t
next_place(const state_t *self)
{
    const spot_layout_t *layout = &self->layout;
    int32_t place = 0;

    for (int32_t stage = 1; stage < layout->depth; stage++) {
        if (self->replicas[stage] < self->replicas[place]) {
            place = stage;
        }
    }
    while (layout->slots[place] != SPOT_LAYOUT_NOBODY) {
        place += layout->depth;
    }
    return place;
}

/* Standby without a deadline takes lost places in its order; tells whether anybody has.
 * deadlines_ms: by slot, NULL: nobody has one. */
static bool
fill_places(state_t *self, const spot_fleet_t *fleet, const int64_t *deadlines_ms)
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

static int64_t
detection_left_ms(const state_t *self, const spot_recovery_view_t *view)
{
    const int64_t left_ms = self->detected_ms - view->now_ms;

    return left_ms > 0 ? left_ms : 0;
}

/* All pipelines anew, from the checkpoint in storage. */
static void
plan_from_storage(state_t *self, const spot_recovery_view_t *view, int64_t num_pipelines,
    spot_recovery_plan_t *plan)
{
    const spot_job_t *job = view->job;

    spot_recovery_plan_pipelines(plan, job, num_pipelines);
    plan->is_new = true;
    plan->work = SPOT_WORK_ROLLED_BACK;
    plan->reconfiguration_ms = detection_left_ms(self, view) + job->reconfiguration_ms;
    plan->reload_ms = job->reload_ms;
    spot_layout_form_noticed_last(&self->layout, view->fleet,
        plan->takes_noticed_last ? view->deadlines_ms : NULL, plan->num_pipelines,
        (int32_t) job->pipeline_depth);
    set_lacks_stage(self, true);
}

static int64_t
step_ms(const options_t *options, const spot_job_t *job, int64_t num_pipelines,
    int64_t num_lost)
{
    const spot_reroute_t reroute = {.micro_batch = options->micro_batch,
        .forward_share = options->forward_share,
        .is_worst_fill = options->fill == FILL_WORST};

    return spot_reroute_step_ms(&reroute, job, num_pipelines, num_lost);
}

/* The same pipelines with the places that are taken; those who copy hold up all. */
static void
plan_rerouted(state_t *self, const spot_recovery_view_t *view, const options_t *options,
    spot_recovery_plan_t *plan)
{
    const int32_t num_lost = most_lost(self);

    plan->is_new = true;
    plan->work = SPOT_WORK_STEPS_KEPT;
    plan->num_pipelines = self->layout.num_pipelines;
    plan->num_active = self->layout.num_held;
    spot_recovery_plan_step(
        plan, view->job, step_ms(options, view->job, plan->num_pipelines, num_lost));
    plan->has_approximate_step_time = num_lost > 0;
    plan->reconfiguration_ms = detection_left_ms(self, view) + options->replan_ms;
    plan->reload_ms = self->is_copying ? options->stage_copy_ms : 0;
}

/* Whether there are instances for more pipelines, and they may form. */
static bool
can_grow(const state_t *self, const options_t *options, int64_t num_possible)
{
    const int32_t num_pipelines = self->layout.num_pipelines;

    return num_possible > num_pipelines &&
           (num_pipelines == 0 || options->growth == GROWTH_PIPELINE);
}

typedef enum {
    ANSWER_NONE, /* nobody who holds a place is announced, or a stage depends on it */
    ANSWER_WAIT, /* for the end of a step; nothing else is planned until then */
    ANSWER_LEAVE
} answer_t;

/* Steps go on without those who are announced from the end of the last one that fits. */
static answer_t
answer_notice(state_t *self, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_plan_t *plan)
{
    const spot_layout_t *layout = &self->layout;
    const int64_t deadline_ms =
        spot_layout_first_deadline_ms(layout, view->deadlines_ms);
    const bool has_loss = change->num_lost_active > 0;
    const bool is_pause = !has_loss && view->training_ms > view->now_ms;

    if (deadline_ms == INT64_MAX ||
        (!is_pause && !has_all_stages(self, view->deadlines_ms))) {
        return ANSWER_NONE;
    }
    if (has_loss || spot_recovery_must_stop(view, deadline_ms, 0, plan)) {
        return ANSWER_LEAVE;
    }
    return ANSWER_WAIT;
}

static void
leave_noticed(state_t *self, const spot_recovery_view_t *view)
{
    for (int32_t slot = 0; slot < self->layout.capacity; slot++) {
        if (view->deadlines_ms[slot] != INT64_MAX) {
            spot_layout_lose(&self->layout, &slot, 1);
        }
    }
}

/* New routes or pipelines, where some are lost or left, or may form. */
static void
form_anew(const options_t *self, state_t *memory, const spot_recovery_view_t *view,
    bool must_form, spot_recovery_plan_t *plan)
{
    const int64_t *avoided_ms = plan->takes_noticed_last ? view->deadlines_ms : NULL;
    const int64_t num_possible = spot_job_pipelines(
        view->job, avoided_ms == NULL ? spot_recovery_num_usable(view)
                                      : spot_recovery_num_staying(view));
    const bool is_growing = can_grow(memory, self, num_possible);

    if (!has_all_stages(memory, NULL)) {
        if (must_form || is_growing) {
            plan_from_storage(memory, view, num_possible, plan);
        }
        return;
    }
    if (is_growing) {
        memory->layout.num_pipelines = (int32_t) num_possible;
    }
    if (fill_places(memory, view->fleet, avoided_ms) || must_form) {
        plan_rerouted(memory, view, self, plan);
    }
}

static void
recycle_decide(const void *options, void *state, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_plan_t *plan)
{
    const options_t *self = options;
    const bool takes_notice =
        self->notice == NOTICE_REROUTE && view->deadlines_ms != NULL;
    state_t *memory = state;
    answer_t answer = ANSWER_NONE;

    update(memory, self, view, change);
    if (takes_notice) {
        answer = answer_notice(memory, view, change, plan);
    }
    if (answer == ANSWER_WAIT) {
        return;
    }
    if (answer == ANSWER_LEAVE) {
        leave_noticed(memory, view);
    }
    plan->takes_noticed_last =
        takes_notice &&
        spot_layout_first_deadline_ms(&memory->layout, view->deadlines_ms) == INT64_MAX;
    form_anew(
        self, memory, view, change->num_lost_active > 0 || answer == ANSWER_LEAVE, plan);
    if (takes_notice && plan->is_new) { /* to ask again when the pause is over */
        (void) answer_notice(memory, view, &(spot_recovery_change_t){0}, plan);
    }
}

/* What the job tells besides. */
static int
recycle_settle(void *options, spot_bind_t *bind, const spot_node_t *node,
    const spot_job_t *job, int64_t capacity)
{
    options_t *self = options;

    (void) capacity;
    if (self->micro_batch == 0) {
        self->micro_batch = spot_reroute_micro_batch(job);
    }
    if (self->micro_batch == 0) {
        spot_bind_error(bind, node, "recovery",
            "recycle needs the samples of a micro-batch, which job.step_time does not "
            "tell: give micro_batch, e.g. {system: recycle, micro_batch: 8}");
    }
    if (spot_node_get(node, "stage_copy") == NULL) {
        self->stage_copy_ms = job->reload_ms;
    }
    return 0;
}

static const char *const fills[] = {"best", "worst", NULL};
static const char *const growths[] = {"never", "pipeline", NULL};
static const char *const notices[] = {"ignore", "reroute", NULL};

static const spot_field_t recycle_options[] = {
    {.name = "detection",
        .type = SPOT_FIELD_DURATION,
        .offset = offsetof(options_t, detection_ms),
        .max = (double) SPOT_MAX_DURATION_MS,
        .initial = "0 s",
        .help = "time to detect a loss, before the pause for it"},
    {.name = "replan",
        .type = SPOT_FIELD_DURATION,
        .offset = offsetof(options_t, replan_ms),
        .max = (double) SPOT_MAX_DURATION_MS,
        .initial = "2 s",
        .help = "pause to go on with other routes, which are planned in advance (a "
                "placeholder, unverified)"},
    {.name = "stage_copy",
        .type = SPOT_FIELD_DURATION,
        .offset = offsetof(options_t, stage_copy_ms),
        .max = (double) SPOT_MAX_DURATION_MS,
        .initial = "",
        .help = "pause more when an instance takes a lost place, to copy its stage from "
                "a peer; job.reload if not given"},
    {.name = "micro_batch",
        .type = SPOT_FIELD_INTEGER,
        .offset = offsetof(options_t, micro_batch),
        .max = 1e12,
        .initial = "0",
        .help = "samples of a micro-batch; 0: as job.step_time has it, if it is a "
                "pipeline model or a table that tells it"},
    {.name = "forward_share",
        .type = SPOT_FIELD_NUMBER,
        .offset = offsetof(options_t, forward_share),
        .min = 0,
        .max = 1,
        .initial = "0.3333333333333333",
        .help = "of a micro-batch's time, for fill: best; a pipeline model has its own "
                "(unverified)"},
    {.name = "fill",
        .type = SPOT_FIELD_CHOICE,
        .offset = offsetof(options_t, fill),
        .choices = fills,
        .initial = "best",
        .help =
            "time to fill and drain the pipelines where places are lost; best: of "
            "the forward passes only, as weight gradients move into bubbles; worst: "
            "of all. The step time with places lost is an approximation, unverified"},
    {.name = "growth",
        .type = SPOT_FIELD_CHOICE,
        .offset = offsetof(options_t, growth),
        .choices = growths,
        .initial = "pipeline",
        .help = "pipeline: lost places are taken and one more pipeline forms as soon as "
                "there are instances for it; never: lost places only"},
    {.name = "notice",
        .type = SPOT_FIELD_CHOICE,
        .offset = offsetof(options_t, notice),
        .choices = notices,
        .initial = "ignore",
        .help =
            "reroute: when the preemption of an instance in use is announced (see "
            "fleet.notice), the job goes on without it from the end of the last step "
            "that fits before it: replan but no detection, and no step is lost. Where "
            "it is the last of a stage, nothing is done. Not in the paper: it is how "
            "plans that are prepared in advance can be used"},
    {.name = NULL, .fields = spot_recovery_common_fields},
};

const spot_recovery_t spot_recovery_recycle = {
    .name = "recycle",
    .doc = "peers of a lost stage share its micro-batches (step time: an approximation, "
           "unverified); roll back to storage only with the last holder of a stage",
    .source = "Gandhi et al., ReCycle, SOSP'24",
    .options = recycle_options,
    .options_size = sizeof(options_t),
    .settle = recycle_settle,
    .state_size = recycle_state_size,
    .start = recycle_start,
    .decide = recycle_decide,
};
