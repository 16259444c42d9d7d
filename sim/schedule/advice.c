/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What may be chosen for a cluster: the number of its nodes, how many of them are
 * reserved and how many on spot, and the policy. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "sim/schedule/experiment.h"
#include "sim/schedule/policy.h"
#include "sim/schedule/scenario.h"
#include "traces/generate/generator.h"

/* Late runs go on up to so many deadlines. Without one, jobs are to be done in so many
 * times what they run alone. */
enum { HORIZON_DEADLINES = 3, SLOWDOWN = 2 };

/* The least part of the nodes that there may be, and the parts of these on spot. */
enum { SIZE_PARTS = 8, LEAST_PARTS = 4, SHARE_PARTS = 4 };

typedef struct {
    const spot_schedule_scenario_t *scenario;
    const spot_job_log_t *log; /* that of the scenario, or one that its law draws */
    spot_alternatives_t *all;
    int64_t num_nodes;      /* of the scenario */
    int64_t peak;           /* most nodes that all recordings had; 0: no recordings */
    int64_t largest_gpus;   /* of a job */
    double mean_duration_s; /* of a job */
} proposal_t;

static int schedule_pose(
    const spot_advice_question_t *question, spot_yaml_t *scenario, spot_diag_t *diag)
{
    const spot_node_t *pools = spot_node_get(scenario->root, "pools");
    const spot_node_t *place = pools == NULL ? scenario->root : pools;
    const size_t num_pools = pools == NULL ? 0 : pools->num_children;
    char horizon[SPOT_DURATION_TEXT_BYTES];
    int ret = 0;

    if (question->recovery != NULL) {
        return spot_diag_error(diag, place->file, 0, 0,
            "--recovery is for a training job: a cluster has no recovery systems");
    }
    if (question->num_steps > 0 || question->is_running) {
        return spot_diag_error(diag, place->file, 0, 0,
            "--steps and --now are for a training job: expected --finish-by, or "
            "nothing");
    }
    if (num_pools > 1 || spot_node_at(scenario->root, "pools[0].vc") != NULL ||
        (num_pools == 0 && question->num_traces > 0)) {
        return spot_diag_error(diag, place->file, place->line, place->column,
            "pools: expected one item without vc, which says how the spot nodes of "
            "every VC come and go and what they cost");
    }
    spot_node_drop(scenario->root, "horizon");
    if (question->finish_by_ms > 0) {
        spot_duration_text(HORIZON_DEADLINES * question->finish_by_ms, horizon);
        ret = spot_advice_set(scenario, diag, "horizon=%s", horizon);
    }
    return ret == 0 && num_pools > 0
               ? spot_advice_replay(question, "pools[0].trace", scenario, diag)
               : ret;
}

/* ---- Alternatives ---- */

/* Adds so many nodes, which the VCs share as they do in the scenario. */
static void add_choice(proposal_t *self, int64_t size, double share, const char *policy)
{
    const spot_schedule_scenario_t *own = self->scenario;
    spot_texts_t *texts = &self->all->texts;
    const char *vcs = "", *words;
    int64_t num_before = 0, num_given = 0, num_spot = 0;
    bool has_room = true;

    for (size_t j = 0; j < own->vcs.num_vcs; j++) {
        int64_t num_nodes, num_gpus;

        num_before += own->vcs.vcs[j].num_nodes;
        num_nodes = num_before * size / self->num_nodes - num_given;
        num_given += num_nodes;
        num_spot += (int64_t) floor(share * (double) num_nodes + 0.5);
        num_gpus = num_nodes * own->gpus_per_node;
        has_room = has_room && num_gpus > 0 &&
                   (num_gpus >= self->largest_gpus || num_gpus >= own->capacity[j]);
        vcs = spot_texts_join(texts, vcs, ", ",
            spot_texts_add(texts, "\"%s\": %" PRId64, own->vcs.vcs[j].name, num_nodes));
    }
    words = spot_texts_add(texts, "%" PRId64 " reserved and %" PRId64 " spot nodes, policy %s",
        size - num_spot, num_spot, policy);
    for (size_t j = 0; j < self->all->num_items; j++) {
        has_room = has_room && strcmp(self->all->items[j].words, words) != 0; /* rounded alike */
    }
    if (has_room && (num_spot > 0 || share == 0)) {
        (void) SPOT_ARRAY_PUSH(self->all, items,
            (spot_alternative_t){.point = spot_texts_add(texts,
                                     "{cluster.vcs: {%s}, cluster.spot_share: %.9g, policy: %s}",
                                     vcs, share, policy),
                .words = words,
                .kind = num_spot == 0      ? "reserved"
                        : num_spot == size ? "spot"
                                           : "mixed",
                .assumed = spot_advice_beyond(texts, self->peak, num_spot),
                .size = size});
    }
}

/* That of the scenario, and others that know no durations but estimated ones, which they
 * learn without a file. Two need elastic jobs to differ from fifo. */
static bool is_offered(const proposal_t *self, const spot_policy_t *policy)
{
    const spot_schedule_scenario_t *own = self->scenario;

    return policy == spot_policies[own->policy_id] || policy == &spot_policy_fifo ||
           policy == &spot_policy_tiresias ||
           (policy == &spot_policy_qssf && own->qssf.source > SPOT_ESTIMATE_TABLE) ||
           ((policy == &spot_policy_efs || policy == &spot_policy_gain) &&
               self->log->num_scalings > 0);
}

static void add_choices(proposal_t *self, int64_t max_fleet)
{
    const int most = self->scenario->pools.num_settings == 0 ? 0 : SHARE_PARTS;
    int64_t before = 0;

    for (int64_t j = LEAST_PARTS; j <= SIZE_PARTS; j++) {
        const int64_t size = (max_fleet * j + SIZE_PARTS / 2) / SIZE_PARTS;

        for (size_t p = 0; spot_policies[p] != NULL && size > before; p++) {
            for (int k = 0; k <= most && is_offered(self, spot_policies[p]); k++) {
                add_choice(self, size, (double) k / SHARE_PARTS, spot_policies[p]->name);
            }
        }
        before = size;
    }
}

/* Without a deadline jobs may take twice their duration in the mean, of the log that there is. */
static void set_goal(proposal_t *self, const spot_advice_question_t *question)
{
    spot_texts_t *texts = &self->all->texts;
    const int64_t jct_min = (int64_t) ceil(SLOWDOWN * self->mean_duration_s / 60);
    const bool is_by = question->finish_by_ms > 0;
    const int64_t goal_ms = is_by ? question->finish_by_ms : jct_min * 60 * SPOT_MS_PER_S;
    char text[SPOT_DURATION_TEXT_BYTES];

    spot_duration_text(goal_ms, text);
    self->all->goal = spot_texts_add(
        texts, "probability(unfinished <= 0 and %s <= %s)", is_by ? "makespan" : "avg_jct", text);
    if (is_by) {
        self->all->goal_words = spot_texts_add(
            texts, "to end all jobs %s", spot_advice_by(texts, question, goal_ms, false));
        return;
    }
    self->all->goal_words = spot_texts_add(texts, "to keep the mean job completion time within %s",
        spot_advice_duration(texts, goal_ms));
    self->all->goal_from =
        spot_texts_add(texts, "No --finish-by: %s is twice the mean duration of %zu jobs of %s.",
            spot_advice_duration(texts, goal_ms), self->log->num_jobs,
            self->scenario->log != NULL ? "the log" : "one drawn log");
}

/* Looks at the recordings of the pools' trace. The scenario may have no spot node, and so
 * no pool, before alternatives are chosen. */
static int doubt_lossless(spot_alternatives_t *all, const spot_node_t *node,
    const spot_schedule_scenario_t *scenario, const spot_diag_t *diag)
{
    const spot_trace_setting_t setting = {.tick_ms = SPOT_MS_PER_S, .capacity = 1, .initial = 1};
    spot_trace_model_t trace = {.generator = NULL};
    spot_diag_t quiet; /* it is bound with its own values later */
    spot_bind_t bind = {.diag = &quiet};
    int ret;

    if (scenario->pools.num_settings == 0) {
        return 0;
    }
    spot_diag_init_like(&quiet, diag);
    ret = spot_trace_model_bind(&trace, &bind, node, &setting, NULL);
    if (ret == 0) {
        const spot_model_common_t *played = spot_trace_model_common(&trace);

        spot_advice_doubt_lossless(
            all, played->num_played, spot_recorded_trace_num_lossless(played));
    }
    spot_trace_model_free(&trace);
    spot_diag_free(&quiet);
    return ret == SPOT_ERR_NO_MEMORY ? ret : 0;
}

static int schedule_propose(const spot_advice_question_t *question, const void *scenario,
    const spot_node_t *root, spot_alternatives_t *all, spot_diag_t *diag)
{
    const spot_schedule_scenario_t *own = scenario;
    spot_job_log_t drawn = {.num_jobs = 0};
    proposal_t self = {.scenario = own, .log = own->log == NULL ? &drawn : own->log, .all = all};
    int ret = spot_trace_least_most(
        spot_node_get(spot_node_place(root, "pools[0].trace"), "recordings"), &self.peak, diag);

    if (ret == 0 && own->log == NULL) {
        ret = spot_job_law_draw(&own->jobs.law, &drawn, 1, 0);
    }
    for (size_t j = 0; j < self.log->num_jobs; j++) {
        const spot_job_row_t *job = &self.log->jobs[j];

        self.mean_duration_s += (double) job->duration_s / (double) self.log->num_jobs;
        self.largest_gpus = job->gpu_num > self.largest_gpus ? job->gpu_num : self.largest_gpus;
    }
    for (size_t j = 0; j < own->vcs.num_vcs; j++) {
        self.num_nodes += own->vcs.vcs[j].num_nodes;
    }
    all->run_work = (double) self.log->num_jobs;
    if (ret == 0 && self.num_nodes > 0) {
        set_goal(&self, question);
        add_choices(&self, question->max_fleet > 0 ? question->max_fleet : self.num_nodes);
    }
    if (ret == 0 && all->num_items == 0) {
        ret = spot_diag_error(
            diag, root->file, 0, 0, "no cluster of so few nodes has room for the jobs");
    }
    if (own->pools.num_settings == 0) {
        (void) SPOT_ARRAY_PUSH(all, left_out, "spot nodes: pools does not say what they cost");
    }
    (void) SPOT_ARRAY_PUSH(all, left_out,
        "other policies: they know true durations, need estimates or learned files, or "
        "need elastic jobs");
    if (ret == 0) {
        ret = doubt_lossless(all, spot_node_place(root, "pools[0].trace"), own, diag);
    }
    spot_job_log_free(&drawn);
    return ret;
}

static const spot_advice_doubt_t doubts[] = {
    {"preemptions", "times as frequent", 8, .numbers = "pools[0].trace.frequency"},
    {"spot price", "times as high", 8, .numbers = "pools[0].price.spot", .is_price = true},
    {"jobs", "times as many an hour", 4, .numbers = "jobs.generate.per_hour"},
    {.noun = NULL},
};

const spot_advice_t spot_schedule_advice = {.cost = "cost_usd",
    .mean_runs = 666, /* there are few alternatives */
    .factor_runs = 512,
    .doubts = doubts,
    .pose = schedule_pose,
    .propose = schedule_propose};
