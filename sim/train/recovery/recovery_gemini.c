/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checkpoints in the memory of peers: the instances in use form groups in their order
 * (models/checkpoint_theory.h), and every mem_every steps each instance copies its shard to
 * the members of its group. While every group has a survivor, a loss costs the step
 * under way and the steps since the latest copy; otherwise the job rolls back to the
 * checkpoint in storage.
 *
 * Copies are in place once training starts: a loss in a pause counts against the groups
 * that trained last, and the recovery starts again in full. */
#include <math.h>
#include <stddef.h>

#include "base/units.h"
#include "models/checkpoint_theory.h"
#include "sim/train/recovery/layout.h"
#include "sim/train/recovery/recovery.h"

#define MAX_BYTES 1e18

typedef enum { REPLACEMENT_WAIT, REPLACEMENT_SHRINK } replacement_t;
typedef enum { GROWTH_NEVER, GROWTH_PIPELINE } growth_t;
typedef enum { NOTICE_COPY, NOTICE_IGNORE } notice_t;

typedef struct {
    int64_t group_size;
    int64_t mem_every_steps;
    int64_t mem_overhead_ms; /* of a copy; -1: the time that it takes */
    int64_t detection_ms;
    int64_t restart_ms;
    double state_bytes;
    double net_bytes_per_s;
    double remote_bytes_per_s;
    int64_t reload_ms; /* of the whole state from storage */
    int replacement;   /* replacement_t */
    int growth;        /* growth_t */
    int notice;        /* notice_t */
} options_t;

/* The source of the state for the next training; in a pause the larger value wins. */
typedef enum { SOURCE_NONE, SOURCE_MEMORY, SOURCE_STORAGE } source_t;

typedef struct {
    spot_layout_t copies; /* the holders of copies; num_pipelines 0: there are none */
    spot_layout_t coming; /* the holders once training starts */
    source_t source;
    int64_t detected_ms;   /* when the latest loss is detected */
    int32_t num_pipelines; /* the most so far */
    bool is_holding;       /* a copy is made, and the job waits for an announced loss */
} state_t;

static size_t gemini_state_size(const void *options, const spot_job_t *job, int64_t capacity)
{
    (void) options;
    (void) job;
    return sizeof(state_t) + 2 * spot_layout_bytes(capacity);
}

static void gemini_start(const void *options, void *state, const spot_recovery_start_t *run)
{
    state_t *self = state;
    char *memory = (char *) state + sizeof(state_t);

    (void) options;
    spot_layout_start(&self->copies, memory, run->capacity);
    spot_layout_start(&self->coming, memory + spot_layout_bytes(run->capacity), run->capacity);
    self->source = SOURCE_STORAGE;
}

/* Whether every group has a survivor. */
static bool has_all_shards(const spot_layout_t *copies, int64_t group_size)
{
    const int64_t num_places = (int64_t) copies->num_pipelines * copies->depth;
    int64_t num_safe = 0; /* groups with a survivor; slots come in their order */

    for (int64_t place = 0; place < num_places; place++) {
        if (copies->slots[place] != SPOT_LAYOUT_NONE &&
            spot_peer_group_of(num_places, group_size, place) == num_safe) {
            num_safe++;
        }
    }
    return num_places > 0 && num_safe == spot_peer_groups(num_places, group_size);
}

/* Updates the state by the events since the latest decision. */
static void update(state_t *self, const options_t *options, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change)
{
    if (view->now_ms >= view->training_ms && self->coming.num_pipelines > 0) {
        const spot_layout_t old = self->copies;

        self->copies = self->coming;
        self->coming = old;
        self->coming.num_pipelines = 0;
        self->source = SOURCE_NONE;
    }
    if (change->num_lost_active == 0) {
        return;
    }
    spot_layout_lose(&self->copies, change->lost, change->num_lost_active);
    self->detected_ms = view->now_ms + options->detection_ms;
    if (self->source == SOURCE_STORAGE || !has_all_shards(&self->copies, options->group_size)) {
        self->source = SOURCE_STORAGE;
        self->copies.num_pipelines = 0;
    } else {
        self->source = SOURCE_MEMORY;
    }
}

/* How many of the possible pipelines form, if some must. */
static int64_t choose_pipelines(const state_t *self, const options_t *options, int64_t num_possible)
{
    const int64_t num_wanted = self->num_pipelines; /* 0: none has formed so far */

    if (options->replacement == REPLACEMENT_WAIT && num_possible < num_wanted) {
        return 0;
    }
    return options->growth == GROWTH_NEVER && num_wanted > 0 && num_possible > num_wanted
               ? num_wanted
               : num_possible;
}

/* Time to copy the shards of num_shards instances of num_active. */
static int64_t shards_ms(const options_t *options, int64_t num_shards, int64_t num_active)
{
    return spot_transfer_ms(
        (double) num_shards * options->state_bytes / (double) num_active, options->net_bytes_per_s);
}

/* What a copy adds: each instance sends its shard to the others of its group. */
static int64_t overhead_ms(const options_t *options, int64_t num_active)
{
    return options->mem_overhead_ms >= 0 ? options->mem_overhead_ms
                                         : shards_ms(options, options->group_size - 1, num_active);
}

/* The step time with the overhead of copies spread over all steps. */
static int64_t step_ms(const options_t *options, const spot_job_t *job, int64_t num_pipelines)
{
    return spot_job_step_ms(job, num_pipelines) +
           llround((double) overhead_ms(options, num_pipelines * job->pipeline_depth) /
                   (double) options->mem_every_steps);
}

/* Decides on pipelines and the pause until all instances hold their shards. */
static void decide_training(state_t *self, const options_t *options,
    const spot_recovery_view_t *view, spot_recovery_decision_t *decision, int64_t num_pipelines)
{
    const int64_t left_ms = self->detected_ms - view->now_ms;

    spot_recovery_decision_set_pipelines(decision, view->job, num_pipelines);
    if (overhead_ms(options, decision->num_active) > 0) {
        spot_recovery_decision_set_step(
            decision, view->job, step_ms(options, view->job, num_pipelines));
        spot_decision_note(decision, SPOT_NOTE_STEP_UNKNOWN,
            spot_job_lacks_step_time(view->job, spot_recovery_num_usable(view)));
    }
    decision->reconfiguration_ms = (left_ms > 0 ? left_ms : 0) + options->restart_ms;
    decision->reload_ms = self->source == SOURCE_STORAGE
                              ? options->reload_ms
                              : shards_ms(options, 1, decision->num_active);
    spot_layout_form(
        &self->coming, view->fleet, decision->num_pipelines, (int32_t) view->job->pipeline_depth);
    if (self->num_pipelines < decision->num_pipelines) {
        self->num_pipelines = decision->num_pipelines;
    }
}

/* Forms pipelines after a loss, or more of them. */
static void form_pipelines(const options_t *self, state_t *memory, const spot_recovery_view_t *view,
    bool has_loss, spot_recovery_decision_t *decision)
{
    const int64_t num_possible = spot_job_pipelines(view->job, spot_recovery_num_usable(view));
    const bool is_forced = has_loss || view->num_pipelines == 0;
    int64_t num_pipelines = num_possible;

    if (is_forced) {
        num_pipelines = choose_pipelines(memory, self, num_possible);
    } else if (self->growth == GROWTH_NEVER || num_possible <= view->num_pipelines) {
        return;
    }
    if (!has_loss && num_pipelines == 0) {
        return; /* the job goes on waiting */
    }
    decision->is_new = true;
    decision->work =
        memory->source == SOURCE_STORAGE ? SPOT_WORK_ROLLED_BACK : SPOT_WORK_STEPS_KEPT;
    decision->kept_every_steps = has_loss ? (int32_t) self->mem_every_steps : 0;
    if (num_pipelines > 0) {
        decide_training(memory, self, view, decision, num_pipelines);
    } else {
        memory->coming.num_pipelines = 0;
        decision->num_active = view->num_active; /* they hold the copies */
    }
}

/* Stops training before an announced loss, as late as possible between two steps, for a
 * copy of all steps so far; without time for a copy training goes on. With a copy at
 * each step there is nothing to do. */
static void take_notice(const options_t *self, state_t *memory, const spot_recovery_view_t *view,
    spot_recovery_decision_t *decision)
{
    const spot_layout_t *layout =
        memory->coming.num_pipelines > 0 ? &memory->coming : &memory->copies;
    const int64_t deadline_ms = spot_layout_first_deadline_ms(layout, view->deadlines_ms);

    if (self->mem_every_steps > 1 && deadline_ms < INT64_MAX && layout->num_pipelines > 0 &&
        spot_recovery_must_stop(view, deadline_ms, overhead_ms(self, view->num_active), decision)) {
        decision->is_new = true;
        spot_decision_note(decision, SPOT_NOTE_SAME_PIPELINES, true);
        decision->work = SPOT_WORK_STEPS_KEPT;
        decision->num_active = view->num_active;
        memory->is_holding = true;
    }
}

static void gemini_decide(const void *options, void *state, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_decision_t *decision)
{
    const options_t *self = options;
    const bool has_loss = change->num_lost_active > 0;
    state_t *memory = state;

    if (memory->is_holding && !has_loss) {
        return;
    }
    memory->is_holding = false;
    update(memory, self, view, change);
    form_pipelines(self, memory, view, has_loss, decision);
    if (self->notice == NOTICE_COPY && view->deadlines_ms != NULL) {
        take_notice(self, memory, view, decision);
    }
}

/* The longest transfers, so that all of them are times. */
static void check_transfers(const options_t *self, spot_bind_t *bind, const spot_node_t *node)
{
    if (spot_transfer_ms(self->state_bytes, self->net_bytes_per_s) == SPOT_MAX_DURATION_MS) {
        spot_bind_error(bind, node, "recovery",
            "to copy state_bytes with net_bytes_per_s takes more than 100 years");
    }
    if (self->reload_ms == SPOT_MAX_DURATION_MS) {
        spot_bind_error(bind, node, "recovery",
            "to read state_bytes with remote_bytes_per_s takes more than 100 years");
    }
}

static int gemini_settle(void *options, spot_terms_t *terms)
{
    const spot_job_t *job = terms->job;
    const double state_bytes = spot_model_state_bytes(&job->model);
    options_t *self = options;
    bool has_copies;

    self->detection_ms =
        spot_terms_ms(terms, "detection", self->detection_ms, 0, job->detection_ms);
    self->restart_ms = spot_terms_ms(
        terms, "restart", self->restart_ms, job->reconfiguration_ms, job->reconfiguration_ms);
    self->mem_overhead_ms = spot_terms_ms(terms, "mem_overhead", self->mem_overhead_ms, 0, -1);
    self->state_bytes =
        spot_terms_number(terms, "state_bytes", self->state_bytes, state_bytes, state_bytes);
    self->net_bytes_per_s = spot_terms_number(terms, "net_bytes_per_s", self->net_bytes_per_s,
        job->network_bytes_per_s, job->network_bytes_per_s);
    self->reload_ms = job->reload_ms;
    has_copies = self->state_bytes > 0 && self->net_bytes_per_s > 0;
    if (!has_copies) {
        (void) spot_terms_can_copy(terms, "the time to copy shards in memory",
            "recovery.state_bytes and recovery.net_bytes_per_s");
    } else if (spot_terms_has(terms, "remote_bytes_per_s")) {
        self->reload_ms = spot_transfer_ms(self->state_bytes, self->remote_bytes_per_s);
    }
    if (has_copies) {
        check_transfers(self, terms->bind, terms->node);
    }
    return 0;
}

static const char *const replacements[] = {"wait", "shrink", NULL};
static const char *const growths[] = {"never", "pipeline", NULL};
static const char *const notices[] = {"copy", "ignore", NULL};

static const spot_field_t gemini_options[] = {
    {SPOT_RANGE(INTEGER, "group_size", options_t, group_size, 1, SPOT_MAX_INSTANCES, "2",
         "group size", "instances of a group; each holds the shards of all of it (unverified)"),
        SPOT_DECIDES},
    {SPOT_RANGE(INTEGER, "mem_every", options_t, mem_every_steps, 1, 1e9, "1",
         "steps between memory copies", "steps from one copy in memory to the next (unverified)"),
        SPOT_DECIDES},
    {SPOT_RANGE(DURATION, "mem_overhead", options_t, mem_overhead_ms, 0,
        (double) SPOT_MAX_DURATION_MS, "", "time of a memory copy",
        "time that a copy adds, spread over the steps between two of them; if not given "
        "the time that it takes to send a shard to the other members of the group; "
        "published: 0 s, as it is hidden in the steps (unverified)")},
    {SPOT_RANGE(NUMBER, "state_bytes", options_t, state_bytes, 1, MAX_BYTES, "", "state of the job",
        "state of the whole model; the shard of an instance is the state divided by the "
        "instances in use; that of job.model if not given")},
    {SPOT_RANGE(NUMBER, "net_bytes_per_s", options_t, net_bytes_per_s, 1, MAX_BYTES, "",
        "network bandwidth of an instance",
        "bandwidth of an instance, by which a shard is copied to and from peers; "
        "fleet.network if not given")},
    {SPOT_RANGE(NUMBER, "remote_bytes_per_s", options_t, remote_bytes_per_s, 1, MAX_BYTES, "",
        "bandwidth of remote storage",
        "bandwidth of the storage, by which the state is read where memory is not "
        "enough; job.reload if not given. Its checkpoints are those of the job, in "
        "Gemini every 3 h (unverified)")},
    {SPOT_RANGE(DURATION, "restart", options_t, restart_ms, 0, (double) SPOT_MAX_DURATION_MS, "",
        "restart pause",
        "pause to start the job again, besides the transfer of the state; "
        "job.reconfiguration if not given")},
    {SPOT_RANGE(DURATION, "detection", options_t, detection_ms, 0, (double) SPOT_MAX_DURATION_MS,
        "", "detection time",
        "time to detect a loss; a wait for replacement goes on meanwhile; job.detection "
        "if not given")},
    {SPOT_CHOICE("replacement", options_t, replacement, replacements, "wait", "replacement",
        "after a loss, wait: pause until there are instances for as many pipelines as "
        "before; shrink: go on with what is left")},
    {SPOT_CHOICE("growth", options_t, growth, growths, "pipeline", "growth",
        "pipeline: one more as soon as there are instances for it; never: no more than "
        "at first")},
    {SPOT_CHOICE("notice", options_t, notice, notices, "copy", "answer to a notice",
        "copy: when the preemption of an instance in use is announced (see "
        "fleet.notice), training stops at the end of the last step that fits before it, "
        "with mem_overhead for one more copy, and nothing is lost as long as each group "
        "keeps a member; if not even the copy fits, or each step is copied anyway "
        "(mem_every: 1), it trains on; ignore: as if nothing was announced")},
    {.name = NULL, .fields = spot_recovery_common_fields},
};

const spot_recovery_t spot_recovery_gemini = {
    .name = "gemini",
    .doc = "recover from copies in the memory of peers; roll back to storage only where "
           "a whole group is lost",
    .source = "Wang et al., Gemini, SOSP'23; its defaults here are unverified",
    .published = "Gemini (SOSP'23), whose copies take no time (unverified)",
    .options = gemini_options,
    .options_size = sizeof(options_t),
    .traits = {.flushes = SPOT_FLUSHES_NEVER},
    .settle = gemini_settle,
    .state_size = gemini_state_size,
    .start = gemini_start,
    .decide = gemini_decide,
};
