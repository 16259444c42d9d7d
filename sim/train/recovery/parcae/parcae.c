/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/recovery/parcae/parcae.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/units.h"

enum { TIE_FEWEST, TIE_PAR };
static const char *const tie_names[] = {"fewest", "par", NULL};
static const char *const merge_names[] = {"restart", "add", NULL};

const spot_field_t spot_parcae_fields[] = {
    {SPOT_RANGE(DURATION, "interval", spot_parcae_t, interval_ms, 1, (double) SPOT_MAX_DURATION_MS,
         "60 s", "decision interval",
         "decisions are made at multiples of it, and where active instances are lost"),
        SPOT_DECIDES},
    {SPOT_RANGE(INTEGER, "min_depth", spot_parcae_t, min_depth, 1, SPOT_MAX_INSTANCES, "6",
         "smallest pipeline depth",
         "shallowest pipelines to choose, where job.step_time is by (D,P); else they are "
         "of job.pipeline_depth"),
        SPOT_DECIDES},
    {SPOT_RANGE(INTEGER, "max_depth", spot_parcae_t, max_depth, 1, SPOT_MAX_INSTANCES, "32",
         "largest pipeline depth", "deepest pipelines to choose, likewise"),
        SPOT_DECIDES},
    {SPOT_CHOICE("tie", spot_parcae_t, tie, tie_names, "fewest", "choice between equals",
        "of equally fast pipelines those of the fewest instances, then of the smallest "
        "depth; par: the fewest pipelines, as in the published program")},
    {SPOT_CHOICE("pause_merge", spot_parcae_t, merges_pauses, merge_names, "restart",
        "decision in a pause",
        "what a decision in a pause costs: its own pause; add: and one more restart, as "
        "in the published program")},
    {SPOT_RANGE(DURATION, "detection", spot_parcae_t, detection_ms, 0,
        (double) SPOT_MAX_DURATION_MS, "", "detection time",
        "time to detect a loss, in the pause after one; job.detection if not given")},
    {.name = NULL, .fields = spot_parcae_cost_fields},
};

/* ---- Pairs ---- */

static void add_pair(spot_parcae_t *self, const spot_parcae_pair_t *pair)
{
    self->pairs[self->num_pairs++] = *pair;
}

static int add_pairs_of_job(spot_parcae_t *self, spot_bind_t *bind, const spot_node_t *node,
    const spot_job_t *job, int64_t capacity)
{
    const int64_t num_pairs = spot_job_pipelines(job, capacity);

    if (!spot_parcae_has_depth(&self->costs, job->pipeline_depth)) {
        spot_bind_error(bind, node, "recovery",
            "there are no layers, or no build time, for job.pipeline_depth (%" PRId64 ")",
            job->pipeline_depth);
        return 0;
    }
    self->pairs = spot_calloc((size_t) num_pairs + 1, sizeof(*self->pairs));
    if (self->pairs == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (int64_t num = 1; num <= num_pairs; num++) {
        add_pair(self, &(spot_parcae_pair_t){.num_pipelines = (int32_t) num,
                           .depth = (int32_t) job->pipeline_depth,
                           .speed = 1 / (double) spot_job_step_ms(job, num)});
    }
    return 0;
}

static int add_pairs_of_grid(spot_parcae_t *self, spot_bind_t *bind, const spot_node_t *node,
    const spot_job_t *job, int64_t capacity)
{
    const spot_step_grid_t *grid = &job->step_time.grid;
    size_t num_unused = 0;

    self->pairs = spot_calloc(grid->num_pairs + 1, sizeof(*self->pairs));
    if (self->pairs == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < grid->num_pairs; j++) {
        const spot_step_pair_t *pair = &grid->pairs[j];
        const bool has_size = (int64_t) pair->num_pipelines * pair->depth <= capacity &&
                              pair->num_pipelines <= job->max_pipelines;
        const bool has_depth = pair->depth >= self->min_depth && pair->depth <= self->max_depth &&
                               spot_parcae_has_depth(&self->costs, pair->depth);

        num_unused += has_size && !has_depth;
        if (has_size && has_depth) {
            add_pair(self, &(spot_parcae_pair_t){.num_pipelines = pair->num_pipelines,
                               .depth = pair->depth,
                               .speed = spot_step_grid_speed(grid, pair),
                               .step_ms = spot_step_pair_ms(pair),
                               .is_fitted = pair->origin != SPOT_STEP_MEASURED});
        }
    }
    if (num_unused > 0) {
        spot_diag_warn(bind->diag, node->file, node->line, node->column,
            "%zu pairs of job.step_time are not used: their depth is not from "
            "recovery.min_depth to recovery.max_depth, or has no layers or build time",
            num_unused);
    }
    return 0;
}

/* Whether pair a is better than b. */
static bool is_better(const spot_parcae_t *self, int32_t a, int32_t b)
{
    const spot_parcae_pair_t *pair = &self->pairs[a], *other = &self->pairs[b];
    const int64_t size = spot_parcae_size(self, a), size_b = spot_parcae_size(self, b);

    if (pair->speed != other->speed) {
        return pair->speed > other->speed;
    }
    if (self->tie == TIE_PAR && pair->num_pipelines != other->num_pipelines) {
        return pair->num_pipelines < other->num_pipelines;
    }
    return size != size_b ? size < size_b : pair->depth < other->depth;
}

static int find_best(spot_parcae_t *self, int64_t capacity)
{
    self->num_best = capacity + 1;
    self->best = spot_calloc((size_t) self->num_best, sizeof(*self->best));
    if (self->best == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (int64_t size = 0; size <= capacity; size++) {
        self->best[size] = self->num_pairs;
    }
    for (int32_t id = 0; id < self->num_pairs; id++) {
        int32_t *best = &self->best[spot_parcae_size(self, id)];

        *best = is_better(self, id, *best) ? id : *best;
    }
    for (int64_t size = 1; size <= capacity; size++) {
        if (!is_better(self, self->best[size], self->best[size - 1])) {
            self->best[size] = self->best[size - 1];
        }
    }
    return 0;
}

static int64_t largest_depth(const spot_job_t *job)
{
    const spot_step_grid_t *grid = &job->step_time.grid;

    if (!spot_step_time_is_by_pair(&job->step_time)) {
        return job->pipeline_depth;
    }
    return grid->num_pairs == 0 ? 0 : grid->pairs[grid->num_pairs - 1].depth;
}

int spot_parcae_settle(spot_parcae_t *self, spot_terms_t *terms)
{
    spot_bind_t *bind = terms->bind;
    const spot_node_t *node = terms->node;
    const spot_job_t *job = terms->job;
    const int64_t capacity = terms->capacity;
    const size_t num_errors = bind->diag->num_errors;
    int ret = spot_parcae_costs_settle(&self->costs, terms, largest_depth(job));

    self->detection_ms =
        spot_terms_ms(terms, "detection", self->detection_ms, 0, job->detection_ms);
    self->keeps_steps = terms->is_published && !spot_terms_has(terms, "checkpoint");

    if (self->max_depth < self->min_depth) {
        spot_bind_error(bind, node, "recovery", "max_depth is less than min_depth");
    }
    if (ret != 0 || bind->diag->num_errors > num_errors) {
        return ret;
    }
    ret = spot_step_time_is_by_pair(&job->step_time)
              ? add_pairs_of_grid(self, bind, node, job, capacity)
              : add_pairs_of_job(self, bind, node, job, capacity);
    return ret != 0 || self->pairs == NULL ? ret : find_best(self, capacity);
}

bool spot_parcae_lacks_step_time(const spot_parcae_t *self, const spot_recovery_view_t *view)
{
    return spot_job_lacks_best_step_time(
        view->job, spot_recovery_num_usable(view), self->min_depth, self->max_depth);
}

void spot_parcae_release(spot_parcae_t *self)
{
    spot_parcae_costs_release(&self->costs);
    free(self->pairs);
    free(self->best);
}

bool spot_parcae_keeps_steps(const void *options)
{
    const spot_parcae_t *self = options;

    return self->keeps_steps;
}

const spot_recovery_fault_t spot_parcae_faults[] = {
    {"par_bug", "state that is missing is not transferred"},
    {"pause_merge", "a decision in a pause takes one more restart"},
    {NULL, NULL},
};

/* ---- Decisions ---- */

void spot_parcae_decide_pair(const spot_parcae_t *self, int32_t pair_id, double pause_ms,
    double restart_ms, spot_recovery_decision_t *decision)
{
    const spot_parcae_pair_t *pair = &self->pairs[pair_id];

    decision->is_new = true;
    decision->work = SPOT_WORK_STEPS_KEPT;
    decision->num_pipelines = pair->num_pipelines;
    decision->num_active = pair->num_pipelines * pair->depth;
    decision->reconfiguration_ms = llround(restart_ms);
    decision->reload_ms = llround(pause_ms) - decision->reconfiguration_ms;
    if (pair->num_pipelines > 0) {
        decision->step_ms = pair->step_ms;
        decision->has_fitted_step_time = pair->is_fitted;
    }
}
