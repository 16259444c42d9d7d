/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pipelines of different depths after templates that are made beforehand, enough of them
 * that any f instances can go at once; layers that a pipeline lacks then are copied from
 * one of the others.
 *
 * Where the step time is by the schedule of the job's pipelines, templates are of any
 * depth. By a table there is no other depth than the job's: pipelines are uniform then,
 * the fastest number of them, a layer is a stage, and instances that do not make up a
 * pipeline are standby. */
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "models/pipeline_schedule.h"
#include "models/pipeline_templates.h"
#include "sim/recovery/members.h"
#include "sim/recovery/recovery.h"

#define MAX_BYTES 1e18

typedef enum { GROWTH_AT_PREEMPTION, GROWTH_BETTER } growth_t;

static const char *const growths[] = {"at_preemption", "better", NULL};

/* What N instances do. */
typedef struct {
    int64_t groups_start; /* where its pipelines are in groups */
    int32_t num_groups;
    int64_t step_ms; /* 0: there are too few of them */
    bool is_flat;    /* step_ms is of a table, outside its points */
    bool is_fitted;
    bool lacks_step_time; /* more would be used if it were known how long they take */
} oobleck_plan_t;

typedef struct {
    int64_t num_failures; /* f */
    int64_t min_depth;    /* n_min; 0 before settling: by memory */
    int growth;           /* growth_t */
    double min_gain;
    int64_t detection_ms;
    int64_t regroup_ms;
    double layer_bytes;
    double bandwidth_bytes_per_s;
    double parameter_bytes;
    double activation_bytes;
    double memory_bytes;
    /* Settled: */
    bool is_by_templates;
    int32_t num_layers;
    spot_templates_t templates;
    int64_t num_plans;
    oobleck_plan_t *plans; /* [num_plans] by N */
    size_t num_groups;
    size_t max_groups;
    spot_template_group_t *groups; /* [num_groups] of all plans */
} options_t;

typedef struct {
    spot_members_t members;
    int64_t step_ms; /* under the plan in force */
    bool is_formed;  /* there are pipelines */
} state_t;

/* ---- Plans ---- */

/* At least f+1 pipelines, so that f may go at once; fewer only if there are too few
 * instances. */
static int64_t
least_pipelines(const options_t *self, int64_t num_instances)
{
    const int64_t most = num_instances / self->min_depth;

    return most < self->num_failures + 1 ? most : self->num_failures + 1;
}

/* What so many instances do when pipelines form anew. */
static const oobleck_plan_t *
plan_of(const options_t *self, int64_t num_instances)
{
    const int64_t last = self->num_plans - 1;

    return &self->plans[num_instances < last ? num_instances : last];
}

static int64_t
whole_ms(double step_ms)
{
    const int64_t rounded_ms = llrint(step_ms);

    return rounded_ms < 1 ? 1 : rounded_ms;
}

/* Keeps a plan for so many instances. */
static int
add_plan(options_t *self, int64_t num_instances, const spot_template_set_t *set,
    int64_t step_ms)
{
    void *groups = self->groups;
    const int ret = spot_array_reserve(&groups, &self->max_groups,
        self->num_groups + (size_t) set->num_groups, sizeof(*self->groups));

    self->groups = groups;
    if (ret != 0) {
        return ret;
    }
    memcpy(&self->groups[self->num_groups], set->groups,
        (size_t) set->num_groups * sizeof(*self->groups));
    self->plans[num_instances] =
        (oobleck_plan_t){.groups_start = (int64_t) self->num_groups,
            .num_groups = set->num_groups,
            .step_ms = step_ms};
    self->num_groups += (size_t) set->num_groups;
    return 0;
}

/* All N instances, or as many of them as there is a set for. */
static int
plan_templates(options_t *self, int64_t num_instances, int64_t *num_inexact)
{
    bool is_exact;
    spot_template_set_t set;
    const double step_ms = spot_templates_plan(&self->templates, (int32_t) num_instances,
        (int32_t) least_pipelines(self, num_instances), &set, &is_exact);

    *num_inexact += !is_exact;
    if (step_ms > 0) {
        return add_plan(self, num_instances, &set, whole_ms(step_ms));
    }
    self->plans[num_instances] = self->plans[num_instances - 1];
    self->plans[num_instances].lacks_step_time = true;
    return 0;
}

/* The fastest number of pipelines of the job's depth: one more than with fewer
 * instances, if that is faster or there are not f+1 yet. */
static int
plan_uniform(options_t *self, const spot_job_t *job, int64_t num_instances)
{
    const int64_t depth = job->pipeline_depth, num = num_instances / depth;
    const spot_template_set_t set = {1, {{(int32_t) depth, (int32_t) num}}};
    oobleck_plan_t *plan = &self->plans[num_instances];
    int ret = 0;

    *plan = plan[-1];
    if (num_instances % depth == 0 && spot_job_pipelines(job, num_instances) == num) {
        const int64_t step_ms = spot_job_step_ms(job, num);

        if (num <= self->num_failures + 1 || plan->step_ms == 0 ||
            step_ms < plan->step_ms) {
            ret = add_plan(self, num_instances, &set, step_ms);
            plan->is_flat = !spot_job_covers_step(job, num);
            plan->is_fitted = spot_job_is_step_fitted(job, num);
        }
    }
    plan->lacks_step_time = spot_job_lacks_step_time(job, num_instances);
    return ret;
}

/* ---- Settling ---- */

/* Stages that the state of the model and the activations need [OOB engine.py]: six
 * times the parameters are they, their gradients and Adam's two moments. Where that is
 * not told, by the job's own model of a stage with as many micro-batches as stages. */
static int64_t
depth_by_memory(const options_t *self, const spot_step_pipeline_t *model)
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

static void
settle_sizes(options_t *self, const spot_job_t *job, int64_t capacity)
{
    const spot_step_pipeline_t *model = &job->step_time.pipeline;

    self->is_by_templates = model->num_layers > 0;
    self->num_plans = capacity + 1;
    if (!self->is_by_templates) {
        self->num_layers = (int32_t) job->pipeline_depth;
        self->min_depth = job->pipeline_depth;
        return;
    }
    self->num_layers = (int32_t) model->num_layers;
    if (self->min_depth == 0) {
        self->min_depth = depth_by_memory(self, model);
    }
    if (self->layer_bytes == 0) {
        self->layer_bytes = model->memory.state_bytes;
    }
    if (capacity > SPOT_TEMPLATES_MAX_INSTANCES) {
        self->num_plans = SPOT_TEMPLATES_MAX_INSTANCES + 1;
    }
}

static int64_t
most_pipelines(const options_t *self, const spot_job_t *job)
{
    const int64_t num_micro_batches = self->is_by_templates
                                          ? spot_micro_batches(job->samples_per_step,
                                                job->step_time.pipeline.micro_batch, 1)
                                          : INT64_MAX;

    return num_micro_batches < job->max_pipelines ? num_micro_batches
                                                  : job->max_pipelines;
}

/* Tells what the user would not expect. */
static void
check_sizes(const options_t *self, spot_bind_t *bind, const spot_node_t *node,
    const spot_job_t *job, int64_t capacity)
{
    const int64_t num_needed = (self->num_failures + 1) * self->min_depth;
    const int64_t most = most_pipelines(self, job);

    if (self->is_by_templates && self->min_depth > self->num_layers) {
        spot_bind_error(bind, node, "recovery.n_min",
            "%" PRId64 " stages are needed, but the model has only %d layers",
            self->min_depth, (int) self->num_layers);
        return;
    }
    if (num_needed > capacity) {
        spot_diag_warn(bind->diag, node->file, node->line, node->column,
            "recovery: the job never starts: f+1 = %" PRId64 " pipelines of %" PRId64
            " instances at least are more than fleet.capacity (%" PRId64 ")",
            self->num_failures + 1, self->min_depth, capacity);
    } else if (most < self->num_failures + 1) {
        spot_diag_warn(bind->diag, node->file, node->line, node->column,
            "recovery: the job never starts: job.max_pipelines and the micro-batches of "
            "a step allow %" PRId64 " pipelines, fewer than f+1 = %" PRId64,
            most, self->num_failures + 1);
    }
    if (!self->is_by_templates) {
        spot_diag_warn(bind->diag, node->file, node->line, node->column,
            "recovery: job.step_time is a table, so all pipelines have "
            "job.pipeline_depth (%" PRId64
            ") stages; templates of other depths need job.step_time.pipeline",
            job->pipeline_depth);
    } else if (capacity > SPOT_TEMPLATES_MAX_INSTANCES) {
        spot_diag_warn(bind->diag, node->file, node->line, node->column,
            "recovery: oobleck plans for %d instances at most; more stay standby",
            SPOT_TEMPLATES_MAX_INSTANCES);
    }
}

static int
make_templates(options_t *self, const spot_job_t *job)
{
    const int64_t widest =
        self->num_layers < self->num_plans ? self->num_layers : self->num_plans;

    return spot_templates_init(&self->templates, &job->step_time.pipeline,
        job->samples_per_step, (int32_t) self->min_depth,
        (int32_t) (widest > self->min_depth ? widest : self->min_depth),
        job->max_pipelines);
}

static int
oobleck_settle(void *options, spot_bind_t *bind, const spot_node_t *node,
    const spot_job_t *job, int64_t capacity)
{
    options_t *self = options;
    int64_t num_inexact = 0;
    int ret = 0;

    settle_sizes(self, job, capacity);
    check_sizes(self, bind, node, job, capacity);
    if (self->is_by_templates && self->min_depth > self->num_layers) {
        return 0;
    }
    self->plans = spot_calloc((size_t) self->num_plans, sizeof(*self->plans));
    if (self->plans == NULL ||
        (self->is_by_templates && make_templates(self, job) != 0)) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (int64_t n = self->min_depth; ret == 0 && n < self->num_plans; n++) {
        ret = self->is_by_templates ? plan_templates(self, n, &num_inexact)
                                    : plan_uniform(self, job, n);
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

static void
oobleck_release(void *options)
{
    options_t *self = options;

    spot_templates_free(&self->templates);
    free(self->plans);
    free(self->groups);
    self->plans = NULL;
    self->groups = NULL;
}

/* ---- The run ---- */

static size_t
oobleck_state_size(const void *options, const spot_job_t *job, int64_t capacity)
{
    const options_t *self = options;

    (void) job;
    return sizeof(state_t) + spot_members_bytes(capacity, self->num_layers);
}

static void
oobleck_start(const void *options, void *state, const spot_recovery_start_t *run)
{
    const options_t *self = options;
    state_t *own = state;

    spot_members_start(&own->members, own + 1, run->capacity, self->num_layers);
}

/* Those who are left go on, if the rules of the templates give them pipelines enough;
 * tells the step time, or 0. */
static int64_t
mend_pipelines(const options_t *self, state_t *own)
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

/* Time to fetch what is missing; all do it at the same time. */
static int64_t
copy_ms(const options_t *self, const spot_members_t *members)
{
    const double copy_s = (double) spot_members_most_missing(members) *
                          self->layer_bytes / self->bandwidth_bytes_per_s;
    const double rounded_ms = ceil(copy_s * (double) SPOT_MS_PER_S);

    return rounded_ms < (double) SPOT_MAX_DURATION_MS ? (int64_t) rounded_ms
                                                      : SPOT_MAX_DURATION_MS;
}

/* Plans for the pipelines that the state has now; is_alive: somebody holds each layer.
 */
static void
plan_pipelines(const options_t *self, const state_t *own,
    const spot_recovery_view_t *view, bool is_alive, spot_recovery_plan_t *plan)
{
    plan->num_pipelines = own->members.num_pipelines;
    plan->num_active = own->members.num_members;
    plan->step_ms = own->step_ms;
    plan->work = is_alive ? SPOT_WORK_STEPS_KEPT : SPOT_WORK_ROLLED_BACK;
    plan->reconfiguration_ms = self->regroup_ms;
    if (is_alive) {
        plan->reconfiguration_ms += copy_ms(self, &own->members);
    } else {
        plan->reload_ms = view->job->reload_ms;
    }
}

/* Forms all pipelines anew. */
static void
form_pipelines(const options_t *self, state_t *own, const spot_recovery_view_t *view,
    spot_recovery_plan_t *plan)
{
    const oobleck_plan_t *best = plan_of(self, spot_recovery_num_usable(view));
    spot_template_set_t set = {.num_groups = best->num_groups};

    memcpy(set.groups, &self->groups[best->groups_start],
        (size_t) best->num_groups * sizeof(*set.groups));
    spot_members_form(&own->members, view->fleet, &set);
    own->step_ms = best->step_ms;
    plan->has_flat_step_time = best->is_flat;
    plan->has_fitted_step_time = best->is_fitted;
}

static void
wait_for_instances(state_t *own, spot_recovery_plan_t *plan)
{
    spot_members_clear(&own->members);
    own->is_formed = false;
    plan->work = SPOT_WORK_ROLLED_BACK;
}

/* Whether the instances that have become ready are worth a pause. */
static bool
is_faster(const options_t *self, const state_t *own, int64_t num_instances)
{
    return (double) plan_of(self, num_instances)->step_ms * (1 + self->min_gain) <
           (double) own->step_ms;
}

/* Whether pipelines are to form, or to form anew. */
static bool
wants_plan(
    const options_t *self, const state_t *own, int64_t num_instances, bool has_loss)
{
    if (!own->is_formed) {
        return num_instances >= (self->num_failures + 1) * self->min_depth &&
               plan_of(self, num_instances)->step_ms > 0;
    }
    return has_loss ||
           (self->growth == GROWTH_BETTER && is_faster(self, own, num_instances));
}

static void
oobleck_decide(const void *options, void *state, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_plan_t *plan)
{
    const options_t *self = options;
    const int64_t num_instances = spot_recovery_num_usable(view);
    const bool has_loss = change->num_lost_active > 0;
    bool is_alive;
    state_t *own = state;

    plan->lacks_step_time = plan_of(self, num_instances)->lacks_step_time;
    if (!wants_plan(self, own, num_instances, has_loss)) {
        return;
    }
    plan->is_new = true;
    if (view->now_ms >= view->training_ms) {
        spot_members_settle(&own->members);
    }
    spot_members_lose(&own->members, change->lost, change->num_lost_active);
    is_alive = spot_members_hold_all(&own->members);
    if (plan_of(self, num_instances)->step_ms == 0) {
        wait_for_instances(own, plan);
        return;
    }
    own->step_ms = has_loss && view->num_standby == 0 ? mend_pipelines(self, own) : 0;
    if (own->step_ms == 0) {
        form_pipelines(self, own, view, plan);
    }
    own->is_formed = true;
    plan_pipelines(self, own, view, is_alive, plan);
    plan->reconfiguration_ms += has_loss ? self->detection_ms : 0;
}

static const spot_field_t oobleck_options[] = {
    {.name = "f",
        .type = SPOT_FIELD_INTEGER,
        .offset = offsetof(options_t, num_failures),
        .max = 1000,
        .initial = "3",
        .help = "instances that can be lost at once without a loss of state: there are "
                "f+1 pipelines at least, and the job starts with (f+1) n_min instances"},
    {.name = "n_min",
        .type = SPOT_FIELD_INTEGER,
        .offset = offsetof(options_t, min_depth),
        .max = SPOT_MAX_INSTANCES,
        .initial = "0",
        .help =
            "instances of the smallest pipeline; 0: ceil((6 parameter_bytes + "
            "activation_bytes)/memory_bytes); without memory_bytes by "
            "job.step_time.pipeline.memory, or 1; where job.step_time is a table, it "
            "is job.pipeline_depth"},
    {.name = "growth",
        .type = SPOT_FIELD_CHOICE,
        .offset = offsetof(options_t, growth),
        .choices = growths,
        .initial = "at_preemption",
        .help =
            "when new instances are used: at_preemption, with the next loss; better: "
            "as soon as steps get faster by it"},
    {.name = "min_gain",
        .type = SPOT_FIELD_NUMBER,
        .offset = offsetof(options_t, min_gain),
        .max = 1e6,
        .initial = "0",
        .help = "growth better: how much more throughput is worth a pause; 0.1: 10 %"},
    {.name = "detection",
        .type = SPOT_FIELD_DURATION,
        .offset = offsetof(options_t, detection_ms),
        .max = HUGE_VAL,
        .initial = "0 s",
        .help = "time to detect a loss, in the pause after one"},
    {.name = "regroup",
        .type = SPOT_FIELD_DURATION,
        .offset = offsetof(options_t, regroup_ms),
        .max = HUGE_VAL,
        .initial = "2 s",
        .help = "pause to form pipelines, besides the copying of layers"},
    {.name = "layer_bytes",
        .type = SPOT_FIELD_NUMBER,
        .offset = offsetof(options_t, layer_bytes),
        .max = MAX_BYTES,
        .initial = "0",
        .help =
            "state of one layer, which is copied to who lacks it (of one stage where "
            "job.step_time is a table); 0: that of "
            "job.step_time.pipeline.memory.state_bytes, without it no time is taken"},
    {.name = "bandwidth_bytes_per_s",
        .type = SPOT_FIELD_NUMBER,
        .offset = offsetof(options_t, bandwidth_bytes_per_s),
        .min = 1,
        .max = MAX_BYTES,
        .initial = "1.25e9",
        .help = "of such a copy, bytes per second (10 Gbit/s if not given)"},
    {.name = "parameter_bytes",
        .type = SPOT_FIELD_NUMBER,
        .offset = offsetof(options_t, parameter_bytes),
        .max = MAX_BYTES,
        .initial = "0",
        .help = "parameters of the whole model, for n_min"},
    {.name = "activation_bytes",
        .type = SPOT_FIELD_NUMBER,
        .offset = offsetof(options_t, activation_bytes),
        .max = MAX_BYTES,
        .initial = "0",
        .help = "largest activations of a layer, for n_min"},
    {.name = "memory_bytes",
        .type = SPOT_FIELD_NUMBER,
        .offset = offsetof(options_t, memory_bytes),
        .max = MAX_BYTES,
        .initial = "0",
        .help = "memory of the GPUs of an instance, for n_min; 0: not told"},
    {.name = NULL, .fields = spot_recovery_common_fields},
};

const spot_recovery_t spot_recovery_oobleck = {
    .name = "oobleck",
    .doc = "pipelines of different depths by templates; what a pipeline loses is copied "
           "from the others, and only the step under way is lost",
    .source = "Jang, Yang, Zhang, Jin, Chowdhury, Oobleck, SOSP'23",
    .options = oobleck_options,
    .options_size = sizeof(options_t),
    .has_own_step_time = true,
    .settle = oobleck_settle,
    .release = oobleck_release,
    .state_size = oobleck_state_size,
    .start = oobleck_start,
    .decide = oobleck_decide,
};
