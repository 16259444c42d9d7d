/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What may be chosen for a cluster: the number of its nodes, how many of them are
 * reserved and how many on spot, and the policy. */
#include "sim/schedule/advice.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/units.h"
#include "sim/schedule/policy.h"
#include "sim/schedule/scenario.h"
#include "sim/schedule/summary.h"

/* Late runs go on up to so many deadlines. Runs that show what the cluster does now. */
enum { HORIZON_DEADLINES = 3, NUM_LOOKS = 32 };

/* Of the nodes that there may be, and of these on spot. */
static const double sizes[] = {0.5, 0.625, 0.75, 0.875, 1};
static const double shares[] = {0, 0.25, 0.5, 0.75, 1};

typedef struct {
    const spot_schedule_scenario_t *scenario;
    const spot_job_log_t *log; /* that of the scenario, or one that its law draws */
    spot_alternatives_t *all;
    int64_t num_nodes; /* of the scenario */
    int64_t peak;      /* most nodes that all recordings had; 0: no recordings */
} proposal_t;

static int
schedule_pose(
    const spot_advice_question_t *question, spot_yaml_t *scenario, spot_diag_t *diag)
{
    const spot_node_t *pools = spot_node_get(scenario->root, "pools");
    const spot_node_t *place = pools == NULL ? scenario->root : pools;
    const size_t num_pools = pools == NULL ? 0 : pools->num_children;
    char horizon[SPOT_DURATION_TEXT_BYTES];
    int ret = 0;

    if (question->num_steps > 0 || question->is_running) {
        return spot_diag_error(diag, scenario->root->file, 0, 0,
            "--steps and --now are for a training job: a cluster is asked about with "
            "--finish-by, or how its jobs take no longer than now");
    }
    if (num_pools > 1 || spot_node_at(scenario->root, "pools[0].vc") != NULL) {
        return spot_diag_error(diag, place->file, place->line, place->column,
            "pools: advice divides the nodes of every VC into reserved and spot ones: "
            "expected one pool without vc");
    }
    if (num_pools == 0 && question->num_traces > 0) {
        return spot_diag_error(diag, place->file, 0, 0,
            "--trace needs pools with one item, which says what a spot node costs");
    }
    if (question->finish_by_ms > 0) {
        spot_duration_text(HORIZON_DEADLINES * question->finish_by_ms, horizon);
        ret = spot_advice_set(scenario, diag, "horizon=%s", horizon);
    }
    return ret == 0 && num_pools > 0
               ? spot_advice_replay(question, "pools[0].trace", scenario, diag)
               : ret;
}

/* ---- The goal ---- */

/* The longest mean completion time of the cluster as it is, and the most jobs that are
 * not ended then. */
static int
look(const spot_schedule_scenario_t *scenario, double *jct_s, int64_t *num_left)
{
    spot_schedule_t schedule = {.scenario = NULL};
    spot_summaries_t summaries = {.summaries = NULL};
    int ret = spot_schedule_init(&schedule, scenario);

    *jct_s = 0;
    *num_left = 0;
    for (uint64_t j = 0; ret == 0 && j < NUM_LOOKS; j++) {
        const spot_replication_t replication = {.seed = 1, .replication = j};

        ret = spot_schedule_run(&schedule, &replication);
        ret = ret == 0 ? spot_schedule_summarise(&summaries, &schedule) : ret;
        if (ret == 0) {
            const spot_job_summary_t *of_all = &summaries.summaries[schedule.num_vcs];

            *jct_s = fmax(*jct_s, ceil(of_all->avg_jct));
            *num_left =
                of_all->num_unfinished > *num_left ? of_all->num_unfinished : *num_left;
        }
    }
    spot_summaries_free(&summaries);
    spot_schedule_free(&schedule);
    return ret;
}

static int
set_goal(proposal_t *self, int64_t finish_by_ms)
{
    spot_texts_t *texts = &self->all->texts;
    char text[SPOT_DURATION_TEXT_BYTES];
    double jct_s = 0;
    int64_t num_left = 0;
    int ret = finish_by_ms > 0 ? 0 : look(self->scenario, &jct_s, &num_left);

    spot_duration_text(
        finish_by_ms > 0 ? finish_by_ms : (int64_t) jct_s * SPOT_MS_PER_S, text);
    self->all->goal =
        spot_texts_add(texts, "probability(unfinished <= %" PRId64 " and %s <= %s)",
            num_left, finish_by_ms > 0 ? "makespan" : "avg_jct", text);
    self->all->goal_words = spot_texts_add(texts,
        finish_by_ms > 0 ? "to end all jobs within %s"
                         : "to keep the mean completion time of jobs within %s",
        text);
    if (finish_by_ms == 0) {
        (void) SPOT_ARRAY_PUSH(self->all, notes,
            "without --finish-by: jobs take no longer in the mean than in the slowest "
            "of "
            "32 runs of the cluster as it is");
    }
    return ret;
}

/* ---- Alternatives ---- */

/* Whether so many nodes of a VC have room for each of its jobs that all of its nodes
 * have room for. */
static bool
has_room(const proposal_t *self, int32_t vc_id, int64_t num_nodes)
{
    const spot_schedule_scenario_t *own = self->scenario;

    for (size_t j = 0; j < self->log->num_jobs; j++) {
        const spot_job_row_t *job = &self->log->jobs[j];

        if (job->vc_id == vc_id && job->gpu_num > num_nodes * own->gpus_per_node &&
            job->gpu_num <= own->capacity[vc_id]) {
            return false;
        }
    }
    return num_nodes > 0;
}

static void
add_choice(proposal_t *self, int64_t size, double share, const char *policy)
{
    const spot_vc_list_t *vcs = &self->scenario->vcs;
    spot_texts_t *texts = &self->all->texts;
    FILE *out = spot_texts_begin(texts);
    int64_t before = 0, written = 0, num_spot = 0;
    bool fits = out != NULL;
    const char *point;

    for (int32_t j = 0; out != NULL && j < (int32_t) vcs->num_vcs; j++) {
        int64_t num_nodes;

        before += vcs->vcs[j].num_nodes;
        num_nodes = before * size / self->num_nodes - written;
        written += num_nodes;
        num_spot += (int64_t) floor(share * (double) num_nodes + 0.5);
        fits = fits && has_room(self, j, num_nodes);
        fputs(j == 0 ? "{cluster.vcs: {" : ", ", out);
        spot_json_quote(out, vcs->vcs[j].name, true);
        fprintf(out, ": %" PRId64, num_nodes);
    }
    if (out != NULL) {
        fprintf(out, "}, cluster.spot_share: %.9g, policy: %s}", share, policy);
    }
    point = spot_texts_end(texts, out);
    if (fits && (num_spot > 0 || share == 0)) {
        (void) SPOT_ARRAY_PUSH(self->all, items,
            (spot_alternative_t){.point = point,
                .words = spot_texts_add(texts,
                    "%" PRId64 " reserved and %" PRId64 " spot nodes, policy %s",
                    size - num_spot, num_spot, policy),
                .kind = num_spot == 0      ? "reserved"
                        : num_spot == size ? "spot"
                                           : "mixed",
                .assumed = spot_advice_beyond(texts, self->peak, num_spot),
                .size = size});
    }
}

/* That of the scenario, and others that know no durations but estimated ones, which they
 * learn without a file. */
static bool
is_offered(const proposal_t *self, const spot_policy_t *policy)
{
    const spot_schedule_scenario_t *own = self->scenario;
    const int source = policy->estimator == NULL ? -1 : policy->estimator(own)->source;
    const bool is_elastic = policy == &spot_policy_efs || policy == &spot_policy_gain;

    return policy == spot_policies[own->policy_id] ||
           (policy != &spot_policy_sjf && policy != &spot_policy_srtf &&
               policy != &spot_policy_lucid && source != SPOT_ESTIMATE_UNSET &&
               source != SPOT_ESTIMATE_TABLE &&
               (!is_elastic || self->log->num_scalings > 0));
}

static void
add_choices(proposal_t *self, int64_t max_fleet)
{
    const size_t num_shares =
        self->scenario->pools.num_settings == 0 ? 1 : sizeof(shares) / sizeof(shares[0]);

    for (size_t p = 0; spot_policies[p] != NULL; p++) {
        int64_t before = 0;

        for (size_t j = 0; j < sizeof(sizes) / sizeof(sizes[0]); j++) {
            const int64_t size = (int64_t) nearbyint(sizes[j] * (double) max_fleet);

            for (size_t k = 0;
                 k < num_shares && size > before && is_offered(self, spot_policies[p]);
                 k++) {
                add_choice(self, size, shares[k], spot_policies[p]->name);
            }
            before = size;
        }
    }
}

static int
schedule_propose(const spot_advice_question_t *question, const void *scenario,
    const spot_node_t *root, spot_alternatives_t *all, spot_diag_t *diag)
{
    const spot_schedule_scenario_t *own = scenario;
    spot_job_log_t drawn = {.num_jobs = 0};
    proposal_t self = {
        .scenario = own, .log = own->log == NULL ? &drawn : own->log, .all = all};
    int ret =
        spot_trace_least_most(question->num_traces, question->traces, &self.peak, diag);

    if (ret == 0 && own->log == NULL) {
        ret = spot_job_law_draw(&own->jobs.law, &drawn, 1, 0);
    }
    ret = ret == 0 ? set_goal(&self, question->finish_by_ms) : ret;
    for (size_t j = 0; j < own->vcs.num_vcs; j++) {
        self.num_nodes += own->vcs.vcs[j].num_nodes;
    }
    if (ret == 0 && self.num_nodes > 0) {
        add_choices(
            &self, question->max_fleet > 0 ? question->max_fleet : self.num_nodes);
    }
    if (ret == 0 && all->num_items == 0) {
        ret = spot_diag_error(diag, root->file, 0, 0,
            "no fleet%s has room for the largest job of each VC",
            question->max_fleet > 0 ? " of at most --max-fleet nodes" : "");
    }
    if (own->pools.num_settings == 0) {
        (void) SPOT_ARRAY_PUSH(
            all, left_out, "spot nodes: the scenario has no pools with their price");
    }
    (void) SPOT_ARRAY_PUSH(all, left_out,
        "policies that know true durations or read learned files, unless the scenario "
        "has one");
    spot_job_log_free(&drawn);
    return ret;
}

/* ---- What may be otherwise ---- */

static bool
more_frequent(const void *scenario, const spot_node_t *root, double factor, FILE *out)
{
    const spot_pool_plans_t *pools =
        &((const spot_schedule_scenario_t *) scenario)->pools;

    (void) root;
    if (pools->num_pools > 0) {
        fprintf(out, "'pools[0].trace.frequency': %.6g",
            factor * spot_trace_model_common(&pools->pools[0].trace)->frequency);
    }
    return pools->num_pools > 0 && pools->pools[0].trace.recording == NULL;
}

static bool
dearer(const void *scenario, const spot_node_t *root, double factor, FILE *out)
{
    const spot_pool_plans_t *pools =
        &((const spot_schedule_scenario_t *) scenario)->pools;

    (void) root;
    if (pools->num_settings > 0) {
        fputs("'pools[0].price.spot': ", out);
        spot_price_steps_write_flow(&pools->settings[0].price, factor, out);
    }
    return pools->num_settings > 0;
}

static bool
more_jobs(const void *scenario, const spot_node_t *root, double factor, FILE *out)
{
    const spot_jobs_setting_t *jobs =
        &((const spot_schedule_scenario_t *) scenario)->jobs;
    const spot_node_t *law = spot_node_get(spot_node_get(root, "jobs"), "generate");

    fprintf(out, "jobs.generate.per_hour: %.9g", factor * jobs->law.per_hour);
    return spot_node_get(law, "per_hour") != NULL;
}

static const spot_advice_doubt_t doubts[] = {
    {"preemptions", "times as frequent", 8, more_frequent},
    {"the spot price", "times as high", 8, dearer},
    {"jobs", "times as many an hour", 4, more_jobs},
    {.noun = NULL},
};

const spot_advice_t spot_schedule_advice = {.asks = "--finish-by, or nothing",
    .cost = "cost_usd",
    .doubts = doubts,
    .pose = schedule_pose,
    .propose = schedule_propose};
