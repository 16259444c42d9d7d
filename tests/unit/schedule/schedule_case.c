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

void
case_set_policy(schedule_case_t *self, const char *policy)
{
    int id = 0;

    while (spot_policies[id] != NULL && strcmp(spot_policies[id]->name, policy) != 0) {
        id++;
    }
    assert_non_null(spot_policies[id]);
    self->scenario.policy_id = id;
}

void
case_start(schedule_case_t *self, int32_t gpus_per_node, const char *policy)
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
    case_set_policy(self, policy);
}

void
case_end(schedule_case_t *self)
{
    for (size_t j = 0; j < MAX_CASE_POOLS; j++) {
        spot_trace_free(&self->traces[j]);
    }
    spot_pool_plans_free(&self->scenario.pools);
    spot_vc_list_free(&self->scenario.vcs);
    spot_arena_free(&self->log.texts);
    free(self->log.jobs);
    free(self->log.terms);
    free(self->log.scalings);
}

int32_t
case_add_vc(schedule_case_t *self, const char *name, int32_t num_nodes)
{
    assert_int_equal(spot_vc_list_add(&self->scenario.vcs, name, num_nodes, 0), 0);
    return (int32_t) self->scenario.vcs.num_vcs - 1;
}

int32_t
case_add_scaling(
    schedule_case_t *self, size_t num_sizes, const int32_t *sizes, const double *per_s)
{
    assert_int_equal(SPOT_ARRAY_APPEND(&self->log, scalings,
                         (spot_job_scaling_t){"table", num_sizes, sizes, per_s}),
        0);
    return (int32_t) self->log.num_scalings - 1;
}

void
case_add_job(schedule_case_t *self, int32_t vc_id, int32_t gpus, int64_t submit_s,
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

spot_pool_plan_t *
case_add_pool(schedule_case_t *self, int32_t vc_id, const char *rows,
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
    if (spot_trace_read_bytes(
            &self->traces[id], "rows", text, strlen(text), false, &diag) != 0) {
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

static void
print_vc(FILE *out, const spot_vc_t *vc)
{
    fprintf(out, "%s:", vc->name);
    for (int j = 0; j < SPOT_NUM_GPU_TIMES; j++) {
        fprintf(out, " %s %lld", spot_gpu_time_names[j], (long long) vc->ledger[j]);
    }
    fprintf(out, " preempted %lld %lld resized %lld\n", (long long) vc->preemptions,
        (long long) vc->node_preemptions, (long long) vc->resizes);
}

/* All paid nodes are in the ledgers. */
static void
check_nodes(const spot_schedule_t *schedule)
{
    const double paid_h = schedule->reserved_node_h + schedule->spot_node_h;
    int64_t living = 0;

    for (int32_t j = 0; j < schedule->num_vcs; j++) {
        living += schedule->vcs[j].living;
    }
    assert_int_equal(
        living, llround(paid_h * 2 * 3600 * schedule->scenario->gpus_per_node));
}

static char *
text_of(spot_schedule_t *schedule)
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
    for (int32_t j = 0; j < schedule->num_vcs; j++) {
        print_vc(out, &schedule->vcs[j]);
    }
    check_nodes(schedule);
    for (size_t j = 0; j < schedule->num_pools; j++) {
        const spot_pool_t *pool = &schedule->pools[j];

        spot_pool_verify(pool, &schedule->vcs[pool->plan->vc_id]);
    }
    fprintf(out, "reserved %.0f s %.3f USD, spot %.0f s %.3f USD, end %lld%s\n",
        schedule->reserved_node_h * 3600, schedule->reserved_usd,
        schedule->spot_node_h * 3600, schedule->spot_usd, (long long) schedule->end_s,
        schedule->is_blocked ? " blocked" : "");
    fclose(out);
    return text;
}

char *
case_run_once(schedule_case_t *self, spot_schedule_t *schedule, bool is_every_second)
{
    const spot_replication_t replication = {1, 0, NULL};

    self->scenario.is_every_second = is_every_second;
    assert_int_equal(spot_schedule_run(schedule, &replication), 0);
    for (int32_t j = 0; j < schedule->num_vcs; j++) {
        spot_vc_verify(&schedule->vcs[j]);
    }
    return text_of(schedule);
}

void
case_set_capacity(schedule_case_t *self)
{
    spot_schedule_scenario_t *scenario = &self->scenario;

    for (size_t j = 0; j < scenario->vcs.num_vcs; j++) {
        self->capacity[j] =
            (int32_t) (scenario->vcs.vcs[j].num_nodes +
                       spot_pool_plans_most(&scenario->pools, (int32_t) j)) *
            scenario->gpus_per_node;
    }
    scenario->capacity = self->capacity;
}

char *
case_run(schedule_case_t *self, spot_schedule_t *schedule)
{
    char *every_second, *due;

    case_set_capacity(self);
    assert_int_equal(spot_schedule_init(schedule, &self->scenario), 0);
    every_second = case_run_once(self, schedule, true);
    due = case_run_once(self, schedule, false);
    if (strcmp(due, every_second) != 0) {
        print_error("case %llu, %s, %s\nevery second:\n%sdue:\n%s",
            (unsigned long long) self->seed,
            spot_policies[self->scenario.policy_id]->name,
            spot_placer_names[self->scenario.placer], every_second, due);
        fail();
    }
    free(every_second);
    return due;
}
