/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pipelines of different depths from templates made in advance, with enough pipelines
 * that any f instances can be lost at once; a pipeline copies missing layers from
 * another one.
 *
 * If the step time comes from the schedule of the job's pipelines, templates have any
 * depth. With a table the job's depth is the only one: the fastest number of uniform
 * pipelines forms, a layer is a stage, and instances that fill no pipeline are standby.
 */
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/memory.h"
#include "base/units.h"
#include "base/yaml.h"
#include "models/measured_table.h"
#include "models/step_time.h"
#include "sim/train/recovery/recovery_oobleck.h"

const char *const spot_oobleck_growths[] = {"at_preemption", "better", "never", NULL};

#define PUBLISHED_REGROUP_MS (2 * SPOT_MS_PER_S)
#define PUBLISHED_BYTES_PER_S 1.25e9

/* ---- Mixes ---- */

/* The mix of pipelines for each number of instances, computed once: by templates, by
 * uniform pipelines if the step time is a table, or by a table by n. */

/* The least number of pipelines: f+1, so that f instances may be lost at once, or fewer
 * if there are too few instances. */
static int64_t least_pipelines(const spot_oobleck_options_t *self, int64_t num_instances)
{
    const int64_t most = num_instances / self->min_depth;

    return most < self->num_failures + 1 ? most : self->num_failures + 1;
}

const spot_oobleck_mix_t *spot_oobleck_mix_of(
    const spot_oobleck_options_t *self, int64_t num_instances)
{
    const int64_t last = self->num_mixes - 1;

    return &self->mixes[num_instances < last ? num_instances : last];
}

bool spot_oobleck_can_start(const spot_oobleck_options_t *self, int64_t num_instances)
{
    return num_instances >= (self->num_failures + 1) * self->min_depth &&
           spot_oobleck_mix_of(self, num_instances)->step_ms > 0;
}

/* A computed step time in whole milliseconds, at least 1. */
static int64_t whole_ms(double step_ms)
{
    const int64_t rounded_ms = llrint(step_ms);

    return rounded_ms < 1 ? 1 : rounded_ms;
}

/* Stores the mix of num_instances instances. */
static int add_mix(spot_oobleck_options_t *self, int64_t num_instances,
    const spot_template_set_t *set, int64_t step_ms)
{
    const int ret = SPOT_ARRAY_ROOM(self, groups, self->num_groups + (size_t) set->num_groups);

    if (ret != 0) {
        return ret;
    }
    memcpy(&self->groups[self->num_groups], set->groups,
        (size_t) set->num_groups * sizeof(*self->groups));
    self->mixes[num_instances] = (spot_oobleck_mix_t){.groups_start = (int64_t) self->num_groups,
        .num_groups = set->num_groups,
        .step_ms = step_ms};
    self->num_groups += (size_t) set->num_groups;
    return 0;
}

/* The fastest set of all N instances, or the mix of fewer if there is no such set. */
static int mix_templates(spot_oobleck_options_t *self, int64_t num_instances, int64_t *num_inexact)
{
    bool is_exact;
    spot_template_set_t set;
    const double step_ms = spot_templates_best_set(&self->templates, (int32_t) num_instances,
        (int32_t) least_pipelines(self, num_instances), &set, &is_exact);

    *num_inexact += !is_exact;
    if (step_ms > 0) {
        return add_mix(self, num_instances, &set, whole_ms(step_ms));
    }
    self->mixes[num_instances] = self->mixes[num_instances - 1];
    self->mixes[num_instances].lacks_step_time = true;
    return 0;
}

/* The fastest number of pipelines of the job's depth: one more than with fewer instances
 * if that is faster or there are fewer than f+1. */
static int mix_uniform(spot_oobleck_options_t *self, const spot_job_t *job, int64_t num_instances)
{
    const int64_t depth = job->pipeline_depth, num = num_instances / depth;
    const spot_template_set_t set = {1, {{(int32_t) depth, (int32_t) num}}};
    spot_oobleck_mix_t *mix = &self->mixes[num_instances];
    int ret = 0;

    *mix = mix[-1];
    if (num_instances % depth == 0 && spot_job_pipelines(job, num_instances) == num) {
        const int64_t step_ms = spot_job_step_ms(job, num);

        if (num <= self->num_failures + 1 || mix->step_ms == 0 || step_ms < mix->step_ms) {
            ret = add_mix(self, num_instances, &set, step_ms);
            mix->is_flat = !spot_job_covers_step(job, num);
            mix->is_fitted = spot_job_is_step_fitted(job, num);
        }
    }
    mix->lacks_step_time = spot_job_lacks_step_time(job, num_instances) ||
                           spot_job_lacks_best_step_time(job, num_instances, depth, depth);
    return ret;
}

/* The row of the table, as nearly equal pipelines of at least the job's depth: the table
 * does not give the pipelines, but a lost instance must hold layers. Fewer instances
 * than that depth are one pipeline if they have a row of their own. */
static int mix_row(spot_oobleck_options_t *self, int64_t num_instances)
{
    const spot_instance_row_t *row = spot_by_instances_row(&self->by_n, num_instances);
    const bool is_flat = spot_by_instances_is_flat(&self->by_n, num_instances);
    spot_oobleck_mix_t *mix = &self->mixes[num_instances];
    int ret = 0;

    if (num_instances < self->min_depth && (row == NULL || is_flat)) {
        return 0;
    }
    if (row != NULL) {
        const int64_t num_active = spot_by_instances_num_active(row, num_instances);
        const int64_t most = num_active / self->min_depth, num = most > 0 ? most : 1;
        const int32_t depth = (int32_t) (num_active / num);
        const int32_t num_deeper = (int32_t) (num_active % num);
        const spot_template_set_t set = {
            num_deeper > 0 ? 2 : 1, {{depth, (int32_t) num - num_deeper}, {depth + 1, num_deeper}}};

        ret = add_mix(
            self, num_instances, &set, spot_by_instances_step_ms(&self->by_n, row, num_instances));
        mix->is_flat = is_flat;
    }
    mix->lacks_step_time = row == NULL;
    return ret;
}

/* ---- Settling ---- */

/* Stages for the state of the model and the activations [OOB engine.py]: six times the
 * parameters stand for parameters, gradients and Adam's two moments. Without
 * memory_bytes, by the job's own model of a stage with as many micro-batches as stages.
 */
static int64_t depth_by_memory(
    const spot_oobleck_options_t *self, const spot_step_pipeline_t *model)
{
    const double needed_bytes = 6 * self->parameter_bytes + self->activation_bytes;
    int64_t depth = 1;

    if (self->memory_bytes > 0) {
        return (int64_t) fmin(1e9, fmax(1, ceil(needed_bytes / self->memory_bytes)));
    }
    while (depth <= model->num_layers && !spot_step_pipeline_fits(model, depth, depth)) {
        depth++;
    }
    return depth;
}

static void settle_sizes(spot_oobleck_options_t *self, const spot_job_t *job, int64_t capacity)
{
    const spot_step_pipeline_t *model = &job->step_time.pipeline;

    const bool is_by_rows = spot_by_instances_is_given(&self->by_n);

    self->is_by_templates = model->num_layers > 0 && !is_by_rows;
    self->num_mixes = capacity + 1;
    if (!self->is_by_templates) { /* pipelines of a row have less than twice the depth */
        self->num_layers = (int32_t) (job->pipeline_depth * (is_by_rows ? 2 : 1));
        self->min_depth = job->pipeline_depth;
        return;
    }
    self->num_layers = (int32_t) model->num_layers;
    if (self->min_depth == 0) {
        self->min_depth = depth_by_memory(self, model);
    }
    if (capacity > SPOT_TEMPLATES_MAX_INSTANCES) {
        self->num_mixes = SPOT_TEMPLATES_MAX_INSTANCES + 1;
    }
}

static int64_t most_pipelines(const spot_oobleck_options_t *self, const spot_job_t *job)
{
    const int64_t num_micro_batches =
        self->is_by_templates
            ? spot_micro_batches(job->samples_per_step, job->step_time.pipeline.micro_batch, 1)
            : INT64_MAX;

    return num_micro_batches < job->max_pipelines ? num_micro_batches : job->max_pipelines;
}

/* Reports what the user would not expect. */
static void check_sizes(const spot_oobleck_options_t *self, spot_bind_t *bind,
    const spot_node_t *node, const spot_job_t *job, int64_t capacity)
{
    const int64_t num_needed = (self->num_failures + 1) * self->min_depth;
    const int64_t most = most_pipelines(self, job);

    if (self->is_by_templates && self->min_depth > self->num_layers) {
        spot_bind_error(bind, node, "recovery.n_min",
            "%" PRId64 " stages are needed, but the model has only %d layers", self->min_depth,
            (int) self->num_layers);
        return;
    }
    if (num_needed > capacity) {
        spot_diag_warn(bind->diag, node->file, node->line, node->column,
            "recovery: the job never starts: f+1 = %" PRId64 " pipelines of %" PRId64
            " instances at least are more than fleet.capacity (%" PRId64 ")",
            self->num_failures + 1, self->min_depth, capacity);
    } else if (num_needed == capacity && most > self->num_failures) {
        spot_diag_warn(bind->diag, node->file, node->line, node->column,
            "recovery: the job starts only when all of fleet.capacity (%" PRId64
            ") are ready: it needs (f+1) n_min instances, with f = %" PRId64
            " and n_min = %" PRId64,
            capacity, self->num_failures, self->min_depth);
    } else if (most < self->num_failures + 1) {
        spot_diag_warn(bind->diag, node->file, node->line, node->column,
            "recovery: the job never starts: job.max_pipelines and the micro-batches of "
            "a step allow %" PRId64 " pipelines, fewer than f+1 = %" PRId64,
            most, self->num_failures + 1);
    }
    if (!self->is_by_templates && !spot_by_instances_is_given(&self->by_n)) {
        spot_diag_warn(bind->diag, node->file, node->line, node->column,
            "recovery: job.step_time is a table, so all pipelines have "
            "job.pipeline_depth (%" PRId64
            ") stages; templates of other depths need job.step_time.pipeline",
            job->pipeline_depth);
    } else if (self->is_by_templates && capacity > SPOT_TEMPLATES_MAX_INSTANCES) {
        spot_diag_warn(bind->diag, node->file, node->line, node->column,
            "recovery: oobleck uses %d instances at most; more stay standby",
            SPOT_TEMPLATES_MAX_INSTANCES);
    }
}

/* Warns if an option is given that a column of the table replaces. */
static void by_instances_replace(const spot_by_instances_t *self, const spot_terms_t *terms,
    const char *option, spot_by_n_t column)
{
    const spot_node_t *given = spot_node_get(terms->node, option);

    if (given != NULL && spot_by_instances_is_given(self) && self->table.has[column]) {
        spot_diag_warn(terms->bind->diag, given->file, given->line, given->column,
            "recovery.%s has no effect: the table takes its place", option);
    }
}

/* Checks the columns of the table, and warns of the options that it replaces. */
static void check_table(spot_oobleck_options_t *self, const spot_terms_t *terms)
{
    static const char *const replaced[] = {"detection", "layer_bytes", "bandwidth_bytes_per_s",
        "n_min", "parameter_bytes", "activation_bytes", "memory_bytes"};

    if (!self->by_n.table.has[SPOT_BY_N_PAUSE_MS] && !spot_terms_has(terms, "regroup")) {
        spot_bind_error(terms->bind, spot_node_place(terms->node, "table"), "recovery.table",
            "%s needs the column pause_ms, or give recovery.regroup", self->by_n.path);
    }
    for (size_t j = 0; j < sizeof(replaced) / sizeof(replaced[0]); j++) {
        by_instances_replace(&self->by_n, terms, replaced[j], SPOT_BY_N_PAUSE_MS);
    }
    spot_by_instances_yield(&self->by_n, terms, "regroup", SPOT_BY_N_PAUSE_MS);
}

static int make_templates(spot_oobleck_options_t *self, const spot_job_t *job)
{
    const int64_t widest = self->num_layers < self->num_mixes ? self->num_layers : self->num_mixes;

    return spot_templates_init(&self->templates, &job->step_time.pipeline, job->samples_per_step,
        (int32_t) self->min_depth, (int32_t) (widest > self->min_depth ? widest : self->min_depth),
        job->max_pipelines);
}

static int make_mixes(
    spot_oobleck_options_t *self, spot_bind_t *bind, const spot_node_t *node, const spot_job_t *job)
{
    const bool is_by_rows = spot_by_instances_is_given(&self->by_n);
    int64_t num_inexact = 0;
    int ret = 0;

    for (int64_t n = is_by_rows ? 1 : self->min_depth; ret == 0 && n < self->num_mixes; n++) {
        if (is_by_rows) {
            ret = mix_row(self, n);
        } else {
            ret = self->is_by_templates ? mix_templates(self, n, &num_inexact)
                                        : mix_uniform(self, job, n);
        }
    }
    if (num_inexact > 0) {
        spot_diag_warn(bind->diag, node->file, node->line, node->column,
            "recovery: for %" PRId64
            " numbers of instances there are too many sets of pipelines to look at; a "
            "faster one may have been left out",
            num_inexact);
    }
    return ret;
}

/* Pauses and copies without a table, once the layers are known. Published are those of
 * BERT-large, GPT-2 and links of 10 Gbit/s, without copies. */
static void settle_pauses(spot_oobleck_options_t *self, spot_terms_t *terms)
{
    const spot_job_t *job = terms->job;
    const double known_bytes = job->step_time.pipeline.memory.state_bytes;
    const double state_bytes = spot_model_state_bytes(&job->model);

    self->detection_ms =
        spot_terms_ms(terms, "detection", self->detection_ms, 0, job->detection_ms);
    self->regroup_ms =
        spot_terms_ms(terms, "regroup", self->regroup_ms, PUBLISHED_REGROUP_MS, job->regroup_ms);
    self->rebuild_ms = terms->is_published ? 0 : job->rebuild_ms;
    self->layer_bytes = spot_terms_number(terms, "layer_bytes", self->layer_bytes, known_bytes,
        state_bytes > 0 ? state_bytes / self->num_layers : known_bytes);
    self->bandwidth_bytes_per_s = spot_terms_number(terms, "bandwidth_bytes_per_s",
        self->bandwidth_bytes_per_s, PUBLISHED_BYTES_PER_S, job->network_bytes_per_s);
    if (terms->is_published || spot_by_instances_is_given(&self->by_n)) {
        return;
    }
    if (self->layer_bytes == 0 && !spot_terms_has(terms, "layer_bytes")) {
        spot_terms_lack(terms, "the bytes of the state, which pipelines copy from each "
                               "other: give job.model, e.g. {parameters: 1.5e9, layers: "
                               "50, bytes_per_parameter: 16}, or recovery.layer_bytes");
    }
    if (self->bandwidth_bytes_per_s == 0) {
        spot_terms_lack(terms, "the bandwidth by which pipelines copy from each other: give "
                               "fleet.network, e.g. 10 Gbit/s, or recovery.bandwidth_bytes_per_s");
    }
}

int spot_oobleck_settle_table(spot_oobleck_options_t *self, spot_terms_t *terms)
{
    const int ret = spot_by_instances_settle(&self->by_n, terms);

    if (spot_by_instances_is_given(&self->by_n)) {
        check_table(self, terms);
    }
    return ret;
}

int spot_oobleck_settle_mixes(spot_oobleck_options_t *self, spot_terms_t *terms)
{
    spot_bind_t *bind = terms->bind;
    const spot_node_t *node = terms->node;
    const spot_job_t *job = terms->job;
    const int64_t capacity = terms->capacity;
    const size_t num_errors = bind->diag->num_errors;

    settle_sizes(self, job, capacity);
    settle_pauses(self, terms);
    check_sizes(self, bind, node, job, capacity);
    if (bind->diag->num_errors > num_errors) {
        return 0;
    }
    self->mixes = spot_calloc((size_t) self->num_mixes, sizeof(*self->mixes));
    if (self->mixes == NULL || (self->is_by_templates && make_templates(self, job) != 0)) {
        return SPOT_ERR_NO_MEMORY;
    }
    return make_mixes(self, bind, node, job);
}

static int oobleck_settle(void *options, spot_terms_t *terms)
{
    const size_t num_errors = terms->bind->diag->num_errors;
    const int ret = spot_oobleck_settle_table(options, terms);

    return ret != 0 || terms->bind->diag->num_errors > num_errors
               ? ret
               : spot_oobleck_settle_mixes(options, terms);
}

void spot_oobleck_release(void *options)
{
    spot_oobleck_options_t *self = options;

    spot_by_instances_free(&self->by_n);
    spot_templates_free(&self->templates);
    free(self->mixes);
    free(self->groups);
    self->mixes = NULL;
    self->groups = NULL;
}

/* ---- The run ---- */

static size_t oobleck_state_size(const void *options, const spot_job_t *job, int64_t capacity)
{
    const spot_oobleck_options_t *self = options;

    (void) job;
    return sizeof(spot_oobleck_state_t) + spot_members_bytes(capacity, self->num_layers);
}

static void oobleck_start(const void *options, void *state, const spot_recovery_start_t *run)
{
    const spot_oobleck_options_t *self = options;
    spot_oobleck_state_t *own = state;

    spot_members_start(&own->members, own + 1, run->capacity, self->num_layers);
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
    if (own->members.num_pipelines < least_pipelines(self, own->members.num_members)) {
        return 0;
    }
    set = spot_members_set(&own->members);
    step_ms = spot_templates_step_ms(&self->templates, &set);
    return step_ms > 0 ? whole_ms(step_ms) : 0;
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
    spot_decision_note(decision, SPOT_NOTE_STEP_FLAT, best->is_flat);
    spot_decision_note(decision, SPOT_NOTE_STEP_FITTED, best->is_fitted);
    use_members(own, decision);
}

/* Removes all members. */
static void members_clear(spot_members_t *self)
{
    self->num_members = 0;
    self->num_pipelines = 0;
}

static void wait_for_instances(spot_oobleck_state_t *own, spot_recovery_decision_t *decision)
{
    members_clear(&own->members);
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

    if (!has_loss && change->num_ready == 0) {
        return; /* the lost instances were in no pipeline */
    }
    num_instances = num_to_use(self, own, view);
    spot_decision_note(decision, SPOT_NOTE_STEP_UNKNOWN,
        spot_oobleck_mix_of(self, num_instances)->lacks_step_time);
    if (wants_to_form(self, own, num_instances, has_loss)) {
        form_or_mend(self, own, view, change, decision);
    }
}

static const spot_field_t oobleck_options[] = {
    SPOT_OOBLECK_FIELDS,
    {.name = NULL, .fields = spot_recovery_common_fields},
};

const spot_recovery_t spot_recovery_oobleck = {
    SPOT_OOBLECK_TABLE,
    .options = oobleck_options,
    .options_size = sizeof(spot_oobleck_options_t),
    .settle = oobleck_settle,
    .state_size = oobleck_state_size,
    .start = oobleck_start,
    .decide = oobleck_decide,
};
