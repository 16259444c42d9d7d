/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedule_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"

void case_set_policy(schedule_case_t *self, const char *policy)
{
    int id = 0;

    while (spot_policies[id] != NULL && strcmp(spot_policies[id]->name, policy) != 0) {
        id++;
    }
    assert_non_null(spot_policies[id]);
    self->scenario.policy_id = id;
}

void case_start(schedule_case_t *self, int32_t gpus_per_node, const char *policy)
{
    spot_schedule_scenario_t *scenario = &self->scenario;

    memset(self, 0, sizeof(*self));
    self->thresholds_gpu_s[0] = 18000;
    scenario->log = &self->log;
    scenario->gpus_per_node = gpus_per_node;
    scenario->tiresias.interval_s = scenario->elastic.interval_s = 60;
    scenario->tiresias.num_thresholds = 1;
    scenario->tiresias.thresholds_gpu_s = self->thresholds_gpu_s;
    scenario->elastic.hold_s = 300;
    scenario->qssf.source = SPOT_ESTIMATE_ORACLE;
    scenario->lucid.estimator.source = SPOT_ESTIMATE_ORACLE;
    scenario->lucid.packing = SPOT_PACKING_ALWAYS;
    scenario->lucid.gpu_memory_bytes = INT64_C(24) << 30;
    scenario->lucid.max_packed_gpus = 8;
    case_set_policy(self, policy);
}

void case_add_workloads(schedule_case_t *self)
{
    static const spot_colocated_t uses[NUM_WORKLOADS] = {
        {"x", "y", 1, 0, 40, 30, 3000}, {"z", "y", 1, 0, 75, 60, 9000}};
    spot_diag_t diag;

    spot_diag_init(&diag);
    for (int32_t j = 0; j < NUM_WORKLOADS; j++) {
        const spot_workload_t workload = {.model = uses[j].model,
            .dataset = uses[j].dataset,
            .batch_size = 1,
            .gpu_util = uses[j].gpu_util,
            .gmem_util = uses[j].gmem_util,
            .gmem_mib = uses[j].gmem_mib,
            .share_score = j};

        assert_int_equal(SPOT_ARRAY_APPEND(&self->log, workloads, workload), 0);
    }
    assert_int_equal(spot_colocation_init(&self->scenario.lucid.colocation, NULL,
                         SPOT_PAIR_PROPORTIONAL, false, NUM_WORKLOADS, uses, &diag),
        0);
    spot_diag_free(&diag);
    for (size_t j = 0; j < self->log.num_jobs; j++) {
        self->log.jobs[j].workload_id = (int32_t) (j * 7 % 3) - 1;
    }
}

void case_end(schedule_case_t *self)
{
    for (size_t j = 0; j < MAX_CASE_POOLS; j++) {
        spot_trace_free(&self->traces[j]);
    }
    spot_pool_plans_free(&self->scenario.pools);
    spot_colocation_free(&self->scenario.lucid.colocation);
    spot_vc_list_free(&self->scenario.vcs);
    spot_arena_free(&self->log.texts);
    free(self->log.workloads);
    free(self->log.jobs);
    free(self->log.terms);
    free(self->log.scalings);
}

int32_t case_add_vc(schedule_case_t *self, const char *name, int32_t num_nodes)
{
    assert_int_equal(spot_vc_list_add(&self->scenario.vcs, name, num_nodes, 0), 0);
    return (int32_t) self->scenario.vcs.num_vcs - 1;
}

int32_t case_add_workload(
    schedule_case_t *self, const char *model, double gpu_util, double gmem_mib, int32_t share_score)
{
    const spot_workload_t workload = {.model = model,
        .dataset = "",
        .speed_per_s = 1,
        .gpu_util = gpu_util,
        .gmem_mib = gmem_mib,
        .share_score = share_score};

    assert_true(self->log.num_workloads < MAX_CASE_WORKLOADS);
    assert_int_equal(SPOT_ARRAY_APPEND(&self->log, workloads, workload), 0);
    return (int32_t) self->log.num_workloads - 1;
}

void case_set_workload(schedule_case_t *self, int32_t workload_id)
{
    self->log.jobs[self->log.num_jobs - 1].workload_id = workload_id;
}

void case_read_pairs(schedule_case_t *self, const char *table)
{
    spot_lucid_setting_t *lucid = &self->scenario.lucid;
    spot_colocated_t uses[MAX_CASE_WORKLOADS];
    spot_diag_t diag;
    int ret;

    for (size_t j = 0; j < self->log.num_workloads; j++) {
        const spot_workload_t *from = &self->log.workloads[j];

        uses[j] = (spot_colocated_t){.model = from->model,
            .dataset = from->dataset,
            .gpu_util = from->gpu_util,
            .gmem_mib = from->gmem_mib};
    }
    spot_diag_init(&diag);
    ret = spot_colocation_init(&lucid->colocation, table, (spot_unknown_pair_t) lucid->unknown_pair,
        self->scenario.quirks[SPOT_QUIRK_HEAVY_PAIRS], self->log.num_workloads, uses, &diag);
    spot_diag_print(&diag, stderr);
    spot_diag_free(&diag);
    assert_int_equal(ret, 0);
}

void case_profile(schedule_case_t *self, int32_t vc_id, int64_t num_nodes)
{
    spot_lucid_setting_t *lucid = &self->scenario.lucid;

    lucid->sources = self->sources;
    lucid->has_profiler = true;
    self->sources[lucid->num_sources++] =
        (spot_vc_nodes_t){self->scenario.vcs.vcs[vc_id].name, num_nodes};
}

int32_t case_add_scaling(
    schedule_case_t *self, size_t num_sizes, const int32_t *sizes, const double *per_s)
{
    spot_job_scaling_t scaling = {.name = "table", .num_sizes = num_sizes};

    SPOT_ARENA_ARRAY(&self->log.texts, scaling.sizes, num_sizes);
    SPOT_ARENA_ARRAY(&self->log.texts, scaling.per_s, num_sizes);
    assert_int_equal(self->log.texts.error, 0);
    memcpy(scaling.sizes, sizes, num_sizes * sizeof(*sizes));
    memcpy(scaling.per_s, per_s, num_sizes * sizeof(*per_s));
    assert_int_equal(SPOT_ARRAY_APPEND(&self->log, scalings, scaling), 0);
    return (int32_t) self->log.num_scalings - 1;
}

void case_add_job(schedule_case_t *self, int32_t vc_id, int32_t gpus, int64_t submit_s,
    int64_t duration_s, const spot_job_terms_row_t *terms)
{
    char id[16];
    spot_job_row_t job = {.submit_s = submit_s,
        .duration_s = duration_s,
        .vc_id = vc_id,
        .gpu_num = gpus,
        .user_id = -1,
        .name_id = -1,
        .state_id = -1,
        .cpu_num = -1,
        .workload_id = -1,
        .terms_id = -1};

    snprintf(id, sizeof(id), "%zu", self->log.num_jobs + 1);
    job.id = spot_arena_text(&self->log.texts, id);
    if (terms != NULL) {
        assert_int_equal(SPOT_ARRAY_APPEND(&self->log, terms, *terms), 0);
        job.terms_id = (int32_t) self->log.num_terms - 1;
    }
    assert_int_equal(SPOT_ARRAY_APPEND(&self->log, jobs, job), 0);
}

spot_pool_plan_t *case_add_pool(schedule_case_t *self, int32_t vc_id, const char *rows,
    int64_t preparation_s, int64_t notice_ms)
{
    spot_pool_plans_t *plans = &self->scenario.pools;
    const size_t id = plans->num_pools;
    spot_diag_t diag;
    char *text = malloc(strlen(rows) + 256);
    spot_pool_plan_t *plan;

    assert_true(id < MAX_CASE_POOLS);
    assert_non_null(text);
    sprintf(text,
        "# spotsim-trace: 1\n# kind: named\n# capacity: unbounded\n"
        "# name: rows\n# start: unknown\n# resolution_s: "
        "0.001\ntime_s,event,count,instances\n%s",
        rows);
    spot_diag_init(&diag);
    if (spot_trace_read_bytes(&self->traces[id], "rows", text, strlen(text), false, &diag) != 0) {
        spot_diag_print(&diag, stderr);
        fail();
    }
    spot_diag_free(&diag);
    free(text);
    assert_int_equal(SPOT_ARRAY_APPEND(plans, pools,
                         (spot_pool_plan_t){.vc_id = vc_id,
                             .preparation_s = preparation_s,
                             .notice_ms = notice_ms,
                             .entity = (uint64_t) id << 48}),
        0);
    plan = &plans->pools[id];
    plan->capacity = spot_trace_most(&self->traces[id]);
    plan->capacity = plan->capacity > 0 ? plan->capacity : 1;
    assert_int_equal(spot_trace_model_of(&plan->trace, &self->traces[id]), 0);
    assert_int_equal(spot_price_steps_add(&plan->price, 0, 1.25), 0);
    return plan;
}

/* ---- Running ---- */

static void print_vc(FILE *out, const spot_vc_t *vc)
{
    fprintf(out, "%s:", vc->name);
    for (int j = 0; j < SPOT_NUM_GPU_TIMES; j++) {
        fprintf(out, " %s %lld", spot_gpu_time_names[j], (long long) vc->ledger[j]);
    }
    fprintf(out, " preempted %lld %lld resized %lld\n", (long long) vc->preemptions,
        (long long) vc->node_preemptions, (long long) vc->resizes);
}

/* All paid nodes are in the ledgers. */
static void check_nodes(const spot_schedule_t *schedule)
{
    const double paid_h = schedule->reserved_node_h + schedule->spot_node_h;
    int64_t living = 0;

    for (int32_t j = 0; j < schedule->num_clocks; j++) {
        living += schedule->vcs[j].living;
    }
    assert_int_equal(
        living, llround(paid_h * 2 * 3600 * (double) schedule->scenario->gpus_per_node));
}

static char *text_of(spot_schedule_t *schedule)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    for (int32_t j = 0; j < (int32_t) schedule->log->num_jobs; j++) {
        const spot_job_result_t job = spot_schedule_result(schedule, j);

        fprintf(out, "%s %lld-%lld (%lld) %d %d %d lost %lld overhead %lld\n",
            schedule->log->jobs[j].id, (long long) job.start_s, (long long) job.end_s,
            (long long) job.queue_s, job.preemptions, job.node_preemptions, job.resizes,
            (long long) job.lost, (long long) job.overhead_s);
    }
    for (int32_t j = 0; j < schedule->num_clocks; j++) {
        print_vc(out, &schedule->vcs[j]);
    }
    for (size_t j = 0; j < schedule->profiler.num_events; j++) {
        fprintf(out, "%lld %+d\n", (long long) schedule->profiler.events[j].time_s,
            schedule->profiler.events[j].change);
    }
    if (!schedule->scenario->quirks[SPOT_QUIRK_BLIND_LOANS]) {
        check_nodes(schedule);
    }
    for (size_t j = 0; j < schedule->num_pools; j++) {
        const spot_pool_t *pool = &schedule->pools[j];

        spot_pool_verify(pool, &schedule->vcs[pool->plan->vc_id]);
    }
    if (schedule->num_clipped > 0) {
        fprintf(out, "clipped %lld\n", (long long) schedule->num_clipped);
    }
    fprintf(out, "reserved %.0f s %.3f USD, spot %.0f s %.3f USD, end %lld%s\n",
        schedule->reserved_node_h * 3600, schedule->reserved_usd, schedule->spot_node_h * 3600,
        schedule->spot_usd, (long long) schedule->end_s, schedule->is_blocked ? " blocked" : "");
    fclose(out);
    return text;
}

/* No GPU has more than two jobs, and a job that has its GPUs for itself has them
 * alone. */
static void check_gpus(const spot_vc_t *vc)
{
    const spot_gpu_nodes_t *nodes = &vc->nodes;
    int32_t num_jobs[SPOT_NODE_MAX_GPUS];

    for (size_t id = 0; id < nodes->num_nodes; id++) {
        bool is_alone[SPOT_NODE_MAX_GPUS] = {false};

        memset(num_jobs, 0, sizeof(num_jobs));
        for (int32_t job = vc->first_running; job >= 0; job = vc->jobs[job].next) {
            for (int32_t part = vc->jobs[job].first_part; part >= 0;
                 part = nodes->parts[part].next) {
                for (int k = 0;
                     nodes->parts[part].node_id == (int32_t) id && k < nodes->gpus_per_node; k++) {
                    if ((nodes->parts[part].gpus >> k & 1) != 0) {
                        num_jobs[k]++;
                        is_alone[k] |= vc->jobs[job].partner < 0;
                    }
                }
            }
        }
        for (int k = 0; k < nodes->gpus_per_node; k++) {
            assert_true(num_jobs[k] <= (is_alone[k] ? 1 : 2));
            assert_int_equal(num_jobs[k] == 0, nodes->nodes[id].free >> k & 1);
            assert_int_equal(num_jobs[k] == 2, nodes->nodes[id].shared >> k & 1);
        }
    }
}

static void verify_second(void *context, const spot_vc_t *vc, int64_t now_s)
{
    (void) context;
    assert_true(now_s >= vc->now_s);
    spot_vc_verify(vc);
    check_gpus(vc);
}

char *case_run_once(schedule_case_t *self, spot_schedule_t *schedule, bool is_every_second)
{
    const spot_replication_t replication = {.seed = 1, .replication = 0};

    self->scenario.is_every_second = is_every_second;
    schedule->watch.on_time = is_every_second ? NULL : verify_second;
    assert_int_equal(spot_schedule_run(schedule, &replication), 0);
    for (int32_t j = 0; j < schedule->num_clocks; j++) {
        spot_vc_verify(&schedule->vcs[j]);
    }
    return text_of(schedule);
}

void case_set_capacity(schedule_case_t *self)
{
    spot_schedule_scenario_t *scenario = &self->scenario;

    for (size_t j = 0; j < scenario->vcs.num_vcs; j++) {
        self->capacity[j] =
            (int32_t) (scenario->vcs.vcs[j].num_nodes -
                       spot_profiler_num_taken(scenario, scenario->vcs.vcs[j].name) +
                       spot_pool_plans_most(&scenario->pools, (int32_t) j)) *
            (int32_t) scenario->gpus_per_node;
    }
    scenario->capacity = self->capacity;
}

char *case_run(schedule_case_t *self, spot_schedule_t *schedule)
{
    char *every_second, *due;

    case_set_capacity(self);
    assert_int_equal(spot_schedule_init(schedule, &self->scenario), 0);
    every_second = case_run_once(self, schedule, true);
    due = case_run_once(self, schedule, false);
    if (strcmp(due, every_second) != 0) {
        print_error("case %llu, %s, %s\nevery second:\n%sdue:\n%s", (unsigned long long) self->seed,
            spot_policies[self->scenario.policy_id]->name, spot_placer_names[self->scenario.placer],
            every_second, due);
        fail();
    }
    free(every_second);
    return due;
}
