/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pipelines of different depths from templates made in advance, with enough pipelines
 * that any f instances can be lost at once; a pipeline copies missing layers from
 * another one.
 *
 * If the step time comes from the schedule of the job's pipelines, templates have any
 * depth. With a table the job's depth is the only one: the fastest number of uniform
 * pipelines forms, a layer is a stage, and instances that fill no pipeline are standby.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/units.h"
#include "sim/train/recovery/oobleck/oobleck.h"

#define MAX_BYTES 1e18

static const char *const growths[] = {"at_preemption", "better", "never", NULL};

/* ---- The run ---- */

static size_t oobleck_state_size(const void *options, const spot_job_t *job, int64_t capacity)
{
    const spot_oobleck_options_t *self = options;

    (void) job;
    return sizeof(spot_oobleck_state_t) + spot_pause_ends_bytes(capacity) +
           spot_members_bytes(capacity, self->num_layers);
}

static void oobleck_start(const void *options, void *state, const spot_recovery_start_t *run)
{
    const spot_oobleck_options_t *self = options;
    spot_oobleck_state_t *own = state;

    spot_pause_ends_start(&own->ends, own + 1, run->capacity);
    spot_members_start(&own->members, (char *) (own + 1) + spot_pause_ends_bytes(run->capacity),
        run->capacity, self->num_layers);
}

/* Goes on with the instances left if the rules of the templates give enough pipelines.
 * Returns the step time, or 0. */
static int64_t mend_pipelines(const spot_oobleck_options_t *self, spot_oobleck_state_t *own)
{
    spot_template_set_t set;
    double step_ms;

    if (!self->is_by_templates || own->members.num_members < self->min_depth) {
        return 0;
    }
    spot_members_mend(&own->members, (int32_t) self->min_depth);
    if (own->members.num_pipelines < spot_oobleck_least_pipelines(self, own->members.num_members)) {
        return 0;
    }
    set = spot_members_set(&own->members);
    step_ms = spot_templates_step_ms(&self->templates, &set);
    return step_ms > 0 ? spot_oobleck_whole_ms(step_ms) : 0;
}

/* The pause to form pipelines: that of the row of a table, or regroup where that is
 * given in its place; else the members regroup, and those that take layers which they
 * did not have rebuild their parts and copy them, all at the same time, or read them
 * from storage later. */
static int64_t pause_ms(const spot_oobleck_options_t *self, const spot_oobleck_state_t *own,
    int64_t num_instances, bool is_alive)
{
    const double missing = spot_members_most_missing(&own->members);

    if (spot_by_instances_is_given(&self->by_n)) {
        return spot_by_instances_pause_ms(
            &self->by_n, SPOT_BY_N_PAUSE_MS, num_instances, self->regroup_ms);
    }
    if (!is_alive) {
        return self->regroup_ms + self->rebuild_ms;
    }
    return self->regroup_ms + (missing > 0 ? self->rebuild_ms : 0) +
           spot_transfer_ms(missing * self->layer_bytes, self->bandwidth_bytes_per_s);
}

static void use_members(const spot_oobleck_state_t *own, spot_recovery_decision_t *decision)
{
    decision->num_pipelines = own->members.num_pipelines;
    decision->num_active = own->members.num_members;
    decision->step_ms = own->step_ms;
}

void spot_oobleck_form(const spot_oobleck_options_t *self, spot_oobleck_state_t *own,
    const spot_recovery_view_t *view, int64_t num_instances, spot_recovery_decision_t *decision)
{
    const spot_oobleck_mix_t *best = spot_oobleck_mix_of(self, num_instances);
    spot_template_set_t set = {.num_groups = best->num_groups};

    memcpy(set.groups, &self->groups[best->groups_start],
        (size_t) best->num_groups * sizeof(*set.groups));
    spot_members_form(&own->members, view->fleet, &set);
    own->step_ms = best->step_ms;
    decision->has_flat_step_time = best->is_flat;
    decision->has_fitted_step_time = best->is_fitted;
    use_members(own, decision);
}

static void wait_for_instances(spot_oobleck_state_t *own, spot_recovery_decision_t *decision)
{
    spot_members_clear(&own->members);
    own->is_formed = false;
    decision->work = SPOT_WORK_ROLLED_BACK;
}

/* How many instances pipelines would form of: with growth never only the active ones, as
 * long as they are enough. */
static int64_t num_to_use(const spot_oobleck_options_t *self, const spot_oobleck_state_t *own,
    const spot_recovery_view_t *view)
{
    return self->growth == SPOT_OOBLECK_NEVER && own->is_formed &&
                   spot_oobleck_mix_of(self, view->num_active)->step_ms > 0
               ? view->num_active
               : spot_recovery_num_usable(view);
}

/* Whether the new ready instances are worth a pause. */
static bool is_faster(
    const spot_oobleck_options_t *self, const spot_oobleck_state_t *own, int64_t num_instances)
{
    const int64_t step_ms = spot_oobleck_mix_of(self, num_instances)->step_ms;

    return step_ms > 0 && (double) step_ms * (1 + self->min_gain) < (double) own->step_ms;
}

/* Whether pipelines should form or form anew. */
static bool wants_to_form(const spot_oobleck_options_t *self, const spot_oobleck_state_t *own,
    int64_t num_instances, bool has_loss)
{
    if (!own->is_formed) {
        return spot_oobleck_can_start(self, num_instances);
    }
    return has_loss || (self->growth == SPOT_OOBLECK_BETTER && is_faster(self, own, num_instances));
}

/* Forms pipelines after a loss, or faster ones. */
static void form_or_mend(const spot_oobleck_options_t *self, spot_oobleck_state_t *own,
    const spot_recovery_view_t *view, const spot_recovery_change_t *change,
    spot_recovery_decision_t *decision)
{
    const int64_t num_instances = num_to_use(self, own, view);
    const bool has_loss = change->num_lost_active > 0;
    bool is_alive;

    decision->is_new = true;
    if (view->now_ms >= view->training_ms) {
        spot_members_settle(&own->members);
    }
    spot_members_lose(&own->members, change->lost, change->num_lost_active);
    is_alive = spot_members_hold_all(&own->members);
    if (spot_oobleck_mix_of(self, num_instances)->step_ms == 0) {
        wait_for_instances(own, decision);
        return;
    }
    own->step_ms = has_loss && num_instances == view->num_active ? mend_pipelines(self, own) : 0;
    if (own->step_ms == 0) {
        spot_oobleck_form(self, own, view, num_instances, decision);
    }
    own->is_formed = true;
    use_members(own, decision);
    decision->work = is_alive ? SPOT_WORK_STEPS_KEPT : SPOT_WORK_ROLLED_BACK;
    decision->reconfiguration_ms = pause_ms(self, own, num_instances, is_alive);
    decision->reload_ms = is_alive ? 0 : view->job->reload_ms;
    if (has_loss && !spot_by_instances_is_given(&self->by_n)) {
        decision->reconfiguration_ms += self->detection_ms;
    }
}

static void oobleck_decide(const void *options, void *state, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_decision_t *decision)
{
    const spot_oobleck_options_t *self = options;
    const bool has_loss = change->num_lost_active > 0;
    spot_oobleck_state_t *own = state;
    int64_t num_instances;

    if (self->has_fault) {
        spot_oobleck_decide_with_faults(self, own, view, change, decision);
        return;
    }
    if (!has_loss && change->num_ready == 0) {
        return; /* the lost instances were in no pipeline */
    }
    num_instances = num_to_use(self, own, view);
    decision->lacks_step_time = spot_oobleck_mix_of(self, num_instances)->lacks_step_time;
    if (wants_to_form(self, own, num_instances, has_loss)) {
        form_or_mend(self, own, view, change, decision);
    }
}

static const spot_recovery_fault_t oobleck_faults[] = {
    {"trains_in_pause", "steps end in a pause"},
    {"short_pauses", "a loss does not start a pause again"},
    {"stale_timers", "a pause that is over stops the job"},
    {"idle_losses_pause", "losses of idle instances pause"},
    {NULL, NULL},
};

static const spot_field_t oobleck_options[] = {
    {SPOT_RANGE(INTEGER, "f", spot_oobleck_options_t, num_failures, 0, 1000, "3",
         "tolerated losses",
         "instances that can be lost at once without a loss of state: there are f+1 "
         "pipelines at least, and the job starts with (f+1) n_min instances"),
        SPOT_DECIDES},
    {SPOT_RANGE(INTEGER, "n_min", spot_oobleck_options_t, min_depth, 0, SPOT_MAX_INSTANCES, "0",
         "smallest pipeline",
         "instances of the smallest pipeline; 0: ceil((6 parameter_bytes + "
         "activation_bytes)/memory_bytes); without memory_bytes by "
         "job.step_time.pipeline.memory, or 1. Where job.step_time is a table there are "
         "no templates: all pipelines have job.pipeline_depth stages, with a warning, "
         "and n_min is that, as with a table by n"),
        .otherwise = "1", SPOT_DECIDES},
    {SPOT_CHOICE("growth", spot_oobleck_options_t, growth, growths, "at_preemption", "growth",
        "when new instances are used: at_preemption, with the next loss; better: as "
        "soon as steps get faster by it; never: not before those in use are too few")},
    {SPOT_RANGE(NUMBER, "min_gain", spot_oobleck_options_t, min_gain, 0, 1e6, "0",
        "least gain of growth",
        "growth better: how much more throughput is worth a pause; 0.1: 10 %")},
    {SPOT_RANGE(DURATION, "detection", spot_oobleck_options_t, detection_ms, 0, HUGE_VAL, "",
        "detection time",
        "time to detect a loss, in the pause after one; job.detection if not given")},
    {SPOT_RANGE(DURATION, "regroup", spot_oobleck_options_t, regroup_ms, 0, HUGE_VAL, "",
        "regroup pause",
        "pause to form pipelines; that of the table or job.regroup if not given; "
        "without a table instances that take layers which they did not have need "
        "job.rebuild and the copying besides; published: 2 s, of BERT-large and GPT-2, "
        "and no rebuild")},
    {SPOT_RANGE(NUMBER, "layer_bytes", spot_oobleck_options_t, layer_bytes, 0, MAX_BYTES, "",
        "state of a layer",
        "state of one layer, copied to instances that lack it (of one stage where "
        "job.step_time is a table); if not given the state of job.model over its "
        "layers, or job.step_time.pipeline.memory.state_bytes; needed without a table; "
        "published: without the latter no time is taken")},
    {SPOT_RANGE(NUMBER, "bandwidth_bytes_per_s", spot_oobleck_options_t, bandwidth_bytes_per_s, 1,
        MAX_BYTES, "", "copy bandwidth",
        "of such a copy, bytes per second; fleet.network if not given; published: "
        "1.25e9, a link of 10 Gbit/s")},
    {SPOT_RANGE(NUMBER, "parameter_bytes", spot_oobleck_options_t, parameter_bytes, 0, MAX_BYTES,
        "0", "parameters of the whole model, for n_min")},
    {SPOT_RANGE(NUMBER, "activation_bytes", spot_oobleck_options_t, activation_bytes, 0, MAX_BYTES,
        "0", "largest activations of a layer, for n_min")},
    {SPOT_RANGE(NUMBER, "memory_bytes", spot_oobleck_options_t, memory_bytes, 0, MAX_BYTES, "0",
        "memory of an instance", "memory of the GPUs of an instance, for n_min; 0: not given")},
    SPOT_BY_INSTANCES_FIELDS(offsetof(spot_oobleck_options_t, by_n)),
    {SPOT_CHOICE("trains_in_pause", spot_oobleck_options_t, fault.trains_in_pause, spot_no_yes,
        "no",
        "fault of the simulator in Oobleck's artifact (SOSP'23): the step under way "
        "goes on in the pause after a loss, and steps that end there count")},
    {SPOT_CHOICE("short_pauses", spot_oobleck_options_t, fault.has_short_pauses, spot_no_yes, "no",
        "fault as published: a loss in a pause does not start it again, it ends as if "
        "there were none")},
    {SPOT_CHOICE("stale_timers", spot_oobleck_options_t, fault.has_stale_timers, spot_no_yes, "no",
        "fault as published: each lost instance starts a pause of its own, the first to "
        "end forms pipelines, the next one stops the job until a loss or an addition")},
    {SPOT_CHOICE("idle_losses_pause", spot_oobleck_options_t, fault.idle_losses_pause, spot_no_yes,
        "no",
        "fault as published: the loss of a standby or prepping instance pauses the job "
        "too")},
    {.name = NULL, .fields = spot_recovery_common_fields},
};

const spot_recovery_t spot_recovery_oobleck = {
    .name = "oobleck",
    .doc = "pipelines of different depths by templates; what a pipeline loses is copied "
           "from the others, and only the step under way is lost",
    .source = "Jang, Yang, Zhang, Jin, Chowdhury, Oobleck, SOSP'23",
    .published = "Oobleck (SOSP'23) for BERT-large and GPT-2: 2 s to regroup, 10 Gbit/s",
    .options = oobleck_options,
    .options_size = sizeof(spot_oobleck_options_t),
    .never_flushes = spot_recovery_has_no_flush,
    .has_own_step_time = true,
    .sees_all_losses = true,
    .settle = spot_oobleck_settle,
    .release = spot_oobleck_release,
    .uses = spot_recovery_uses_no_notice,
    .faults = oobleck_faults,
    .state_size = oobleck_state_size,
    .start = oobleck_start,
    .decide = oobleck_decide,
};
