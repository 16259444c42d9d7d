/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine against closed forms, a timeline worked out by hand, known numbers of a
 * recorded trace, and its twin on every recorded trace that is there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compare.h"
#include "fixture.h"
#include "log_hash.h"
#include "sim/train/metrics.h"
#include "tests/unit/base/shared_data.h"
#include "traces/generate/generate.h"
#include "twin.h"

#define SEED_64 SPOT_SOURCE_DIR "/reports/studies/idle-vs-preemption/seed-64.yaml"
#define TEXT_BYTES 2048

#define TRACE_HEAD(kind)                                                                           \
    "# spotsim-trace: 1\n# name: test\n# start: unknown\n# resolution_s: 1\n"                      \
    "# kind: " kind "\n# capacity: unbounded\ntime_s,event,count,instances\n"

/* ---- Scenarios ---- */

static twin_setting_t setting_of(const spot_scenario_t *scenario)
{
    const spot_job_t *job = &scenario->job;
    twin_setting_t setting = {
        .horizon_ms = scenario->horizon_ms,
        .until_steps = scenario->until_steps,
        .tick_ms = scenario->tick_ms,
        .capacity = scenario->fleet.capacity,
        .preparation_ms = scenario->fleet.preparation_ms,
        .pipeline_depth = job->pipeline_depth,
        .max_pipelines = job->max_pipelines,
        .num_points = job->step_time.num_points,
        .checkpoint = job->checkpoint,
        .input = job->input,
        .samples_per_step = job->samples_per_step,
        .reconfiguration_ms = job->reconfiguration_ms,
        .reload_ms = job->reload_ms,
    };

    assert_true(setting.num_points <= TWIN_MAX_POINTS);
    memcpy(setting.points, job->step_time.points, setting.num_points * sizeof(setting.points[0]));
    return setting;
}

static void assert_same_result(const spot_train_result_t *result, const spot_train_result_t *other)
{
    const char *field = result_difference(result, other);

    if (field != NULL) {
        fail_msg("%s differs: %lld and %lld", field, (long long) result_value(result, field),
            (long long) result_value(other, field));
    }
}

static void assert_equals_twin(const spot_scenario_t *scenario, const spot_train_result_t *result)
{
    const twin_setting_t setting = setting_of(scenario);
    spot_train_result_t twin;

    twin_run(&setting, scenario->trace.recording, &twin);
    assert_same_result(result, &twin);
}

static void assert_conserved(const spot_train_result_t *result)
{
    int64_t job_ms = 0;

    for (int j = 0; j < SPOT_NUM_JOB_PHASES; j++) {
        assert_true(result->job_ms[j] >= 0);
        job_ms += result->job_ms[j];
    }
    assert_int_equal(job_ms, result->horizon_ms);
    for (int j = 0; j < SPOT_NUM_SHARES; j++) {
        assert_true(result->ledger.instance_ms[j] >= 0);
    }
    assert_int_equal(spot_ledger_total(&result->ledger), result->ledger.population_ms);
    assert_true(result->steps_durable <= result->steps_executed - result->steps_lost);
    assert_true(result->lost_ms <= result->job_ms[SPOT_JOB_TRAINING]);
    assert_true(result->rollbacks <= result->reconfigurations);
}

/* Binds rest with a trace of these rows. */
static void bind_with_rows(spot_scenario_t *self, const char *rows, const char *rest)
{
    char path[PATH_BYTES], trace[TEXT_BYTES], text[TEXT_BYTES];

    temporary_path("rows.csv", path);
    snprintf(trace, sizeof(trace), TRACE_HEAD("named") "%s", rows);
    write_file(path, trace);
    snprintf(text, sizeof(text), "scenario: test\n%s\ntrace: {file: %s}\n", rest, path);
    bind_good_scenario(self, text);
    remove(path);
}

/* ---- Closed forms ---- */

/* The seed study's job on 32 instances that stay: steps of 11 s; the first checkpoint
 * captures step 1, then one every 9 steps, the first step end at or after 89 s. */
static void test_no_preemption(void **state)
{
    const int64_t horizon_ms = 21300000, step_ms = 11000, cycle_ms = 99000;
    const int64_t steps = horizon_ms / step_ms;
    const int64_t durable = (horizon_ms - step_ms - 89000) / cycle_ms + 1;
    const int64_t durable_steps = 1 + (durable - 1) * 9;
    spot_scenario_t scenario;
    spot_train_result_t result;

    (void) state;
    bind_with_rows(&scenario, "0,init,4,a b c d\n21300,end,4,\n",
        "fleet: {capacity: 64}\njob: {pipeline_depth: 2, step_time: {4: 11 s}}");
    result = run_scenario(&scenario, 0, NULL);
    assert_conserved(&result);
    assert_int_equal(result.steps_executed, steps);
    assert_int_equal(result.steps_lost, 0);
    assert_int_equal(result.steps_durable, durable_steps);
    assert_int_equal(result.checkpoints_durable, durable);
    assert_int_equal(result.checkpoints_aborted, 0);
    assert_int_equal(result.reconfigurations, 0);
    assert_int_equal(result.job_ms[SPOT_JOB_TRAINING], horizon_ms);
    assert_int_equal(result.ledger.instance_ms[SPOT_SHARE_USEFUL], 4 * durable_steps * step_ms);
    assert_int_equal(
        result.ledger.instance_ms[SPOT_SHARE_UNSAVED], 4 * (horizon_ms - durable_steps * step_ms));
    assert_near(spot_train_metric(&scenario, &result, "cost_usd"), 4 * 0.91 * 355 / 60, 1e-12);
    assert_near(spot_train_metric(&scenario, &result, "samples_per_s"),
        1024.0 * (double) steps / 21300, 1e-12);
    spot_scenario_free(&scenario);
}

/* Synchronous every 10 steps: a cycle is 10 * 7 s + 25 s, and training stands still in
 * the last 25 s of it. */
static void test_no_preemption_synchronous(void **state)
{
    spot_scenario_t scenario;
    spot_train_result_t result;

    (void) state;
    bind_with_rows(&scenario, "0,init,3,a b c\n1000,end,3,\n",
        "job: {pipeline_depth: 1, step_time: {3: 7 s},\n"
        "  checkpoint: {mode: sync, every: 10 steps, write: 25 s}}");
    result = run_scenario(&scenario, 0, NULL);
    assert_conserved(&result);
    assert_int_equal(result.steps_executed, 10 * 10 + 7); /* 1000 s = 10 * 95 + 50 */
    assert_int_equal(result.steps_durable, 100);
    assert_int_equal(result.checkpoints_durable, 10);
    assert_int_equal(result.stalled_ms, 250000);
    assert_int_equal(result.job_ms[SPOT_JOB_TRAINING], 1000000);
    assert_int_equal(result.ledger.instance_ms[SPOT_SHARE_STALLED], 3 * 250000);
    assert_int_equal(result.ledger.instance_ms[SPOT_SHARE_USEFUL], 3 * 700000);
    assert_int_equal(result.ledger.instance_ms[SPOT_SHARE_UNSAVED], 3 * 50000);
    spot_scenario_free(&scenario);
}

/* The instant that the last wanted step is kept ends the run, and nothing is unsaved. */
static void test_until(void **state)
{
    spot_scenario_t scenario;
    spot_train_result_t result;

    (void) state;
    bind_with_rows(&scenario, "0,init,2,a b\n1000,end,2,\n",
        "until: {steps: 20}\njob: {pipeline_depth: 2, step_time: {2: 7 s}}");
    result = run_scenario(&scenario, 0, NULL);
    assert_conserved(&result);
    assert_true(result.is_finished);
    assert_int_equal(result.horizon_ms, 140000);
    assert_int_equal(result.steps_executed, 20);
    assert_int_equal(result.steps_durable, 1); /* captured at 7 s; the next at 98 s */
    assert_int_equal(result.ledger.instance_ms[SPOT_SHARE_USEFUL], 2 * 140000);
    assert_near(spot_train_metric(&scenario, &result, "time_to_finish_s"), 140, 0);
    spot_scenario_free(&scenario);
}

/* Instance-milliseconds of a million instances for a century still fit. */
static void test_largest_run(void **state)
{
    spot_scenario_t scenario;
    spot_train_result_t result;

    (void) state;
    bind_good_scenario(&scenario,
        "scenario: large\nhorizon: 36525 d\n"
        "fleet: {capacity: 1000000, initial: 1000000}\n"
        "job: {pipeline_depth: 1000, step_time: {1000000: 1 ms},\n"
        "  checkpoint: {every: 1000000000000 steps}}\n"
        "trace: {generator: seed, preemption: {per_minute: 0, count: {fixed: 1}},\n"
        "  addition: {per_minute: 0, count: {fixed: 1}}}\n");
    result = run_scenario(&scenario, 1, NULL);
    assert_conserved(&result);
    assert_int_equal(result.ledger.population_ms, INT64_C(3155760000000) * 1000000);
    assert_int_equal(result.steps_executed, INT64_C(3155760000000));
    assert_int_equal(result.checkpoints_durable, 3);
    spot_scenario_free(&scenario);
}

/* The tick at which an event is seen is exact after a century too. */
static void test_late_events(void **state)
{
    static const int64_t ticks_ms[] = {1, 3, 7, 999, 4999, 5000, 86399999, 86400000};

    (void) state;
    for (size_t j = 0; j < 3 * sizeof(ticks_ms) / sizeof(ticks_ms[0]); j++) {
        const int64_t tick_ms = ticks_ms[j / 3];
        const int64_t before_ms = INT64_C(3155000000000) / tick_ms * tick_ms;
        const int64_t time_ms = before_ms + (int64_t) (j % 3) - 1;
        spot_scenario_t scenario;
        spot_train_result_t result;
        char rows[128], rest[256], time[SPOT_TRACE_TIME_BYTES];

        (void) spot_trace_time_text(time_ms, time);
        snprintf(rows, sizeof(rows), "0,init,1,a\n%s,preempt,1,a\n3155760000,end,0,\n", time);
        snprintf(rest, sizeof(rest), "tick: %lld ms\njob: {pipeline_depth: 1, step_time: {1: 1 h}}",
            (long long) tick_ms);
        bind_with_rows(&scenario, rows, rest);
        result = run_scenario(&scenario, 0, NULL);
        assert_conserved(&result);
        assert_int_equal(result.preempted, 1);
        assert_int_equal(result.first_preemption_ms, time_ms > before_ms ? before_ms + tick_ms
                                                     : time_ms == before_ms || tick_ms > 1
                                                         ? before_ms
                                                         : time_ms);
        spot_scenario_free(&scenario);
    }
}

/* ---- Timelines worked out by hand ---- */

/* Steps of 6 s with four instances, 10 s with two. b goes at 33 s (seen at 35 s: five
 * steps done, three durable, two lost, 17 s in all); d becomes surplus; e comes at 41 s
 * (seen at 45 s), is ready at 52 s (seen at 55 s) and makes a second pipeline, which
 * costs the 8 s trained since 47 s. Training again from 67 s to 100 s. */
static void test_timeline(void **state)
{
    static const spot_train_result_t expected = {
        .horizon_ms = 100000,
        .ledger = {.instance_ms = {[SPOT_SHARE_PREPPING] = 10000,
                       [SPOT_SHARE_STANDBY] = 20000,
                       [SPOT_SHARE_RECONFIGURING] = 48000,
                       [SPOT_SHARE_RELOADING] = 24000,
                       [SPOT_SHARE_USEFUL] = 144000,
                       [SPOT_SHARE_LOST] = 84000,
                       [SPOT_SHARE_UNSAVED] = 60000},
            .population_ms = 390000},
        .job_ms = {[SPOT_JOB_RECONFIGURING] = 16000,
            [SPOT_JOB_RELOADING] = 8000,
            [SPOT_JOB_TRAINING] = 76000},
        .lost_ms = 25000,
        .steps_executed = 10,
        .steps_durable = 6,
        .steps_lost = 2,
        .initial = 4,
        .preempted = 1,
        .added = 1,
        .reconfigurations = 2,
        .rollbacks = 2,
        .checkpoints_durable = 4,
        .checkpoints_aborted = 1,
        .peak_instances = 4,
        .preemption_events = 1,
        .first_preemption_ms = 35000,
        .last_preemption_ms = 35000,
    };
    spot_scenario_t scenario;
    spot_train_result_t result;

    (void) state;
    bind_with_rows(&scenario, "0,init,4,a b c d\n33,preempt,1,b\n41,add,1,e\n100,end,4,\n",
        "fleet: {capacity: 8, preparation: 7 s}\n"
        "job: {pipeline_depth: 2, step_time: {2: 10 s, 4: 6 s},\n"
        "  checkpoint: {write: 10 s}, reconfiguration: 8 s, reload: 4 s}");
    result = run_scenario(&scenario, 0, NULL);
    assert_conserved(&result);
    assert_same_result(&result, &expected);
    assert_equals_twin(&scenario, &result);
    spot_scenario_free(&scenario);
}

/* Everything goes at 20 s, in the first pause's stead the job waits; two come back at 30
 * s, ready at 40 s: a pause first. The loss at 45 s, within it, makes the job wait again
 * and is no rollback; its addition was clipped, and so is its stop. */
static void test_waiting(void **state)
{
    spot_scenario_t scenario;
    spot_train_result_t result;

    (void) state;
    bind_with_rows(&scenario,
        "0,init,2,a b\n20,preempt,2,a b\n30,add,3,c d e\n45,stop,2,c e\n100,end,1,\n",
        "fleet: {capacity: 2, preparation: 10 s}\n"
        "job: {pipeline_depth: 2, step_time: {2: 6 s}, checkpoint: {write: 6 s},\n"
        "  reconfiguration: 8 s, reload: 4 s}");
    result = run_scenario(&scenario, 0, NULL);
    assert_conserved(&result);
    assert_int_equal(result.steps_executed, 3);
    assert_int_equal(result.steps_durable, 2); /* captured at 6 s and 12 s, durable */
    assert_int_equal(result.steps_lost, 1);    /* at 12 s and 18 s; the next aborted */
    assert_int_equal(result.checkpoints_durable, 2);
    assert_int_equal(result.checkpoints_aborted, 1);
    assert_int_equal(result.reconfigurations, 3);
    assert_int_equal(result.rollbacks, 1);
    assert_int_equal(result.clipped, 2);
    assert_int_equal(result.stopped, 1);
    assert_int_equal(result.preempted, 2);
    assert_int_equal(result.preemption_events, 1);
    assert_int_equal(result.job_ms[SPOT_JOB_WAITING], 20000 + 55000);
    assert_int_equal(result.job_ms[SPOT_JOB_RECONFIGURING], 5000);
    assert_int_equal(result.job_ms[SPOT_JOB_TRAINING], 20000);
    assert_int_equal(result.ledger.instance_ms[SPOT_SHARE_STANDBY], 55000);
    assert_equals_twin(&scenario, &result);
    spot_scenario_free(&scenario);
}

/* ---- Generated traces ---- */

static void read_seed_64(spot_scenario_t *self, const char *trace_path, const char *set)
{
    const spot_scenario_changes_t changes = {
        .trace_path = trace_path, .num_sets = set == NULL ? 0 : 1, .sets = &set};
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(spot_scenario_read(self, SEED_64, &changes, &diag), 0);
    /* That fleet.initial is not that of the recording. */
    assert_true(diag.num_items <= (trace_path != NULL));
    spot_diag_free(&diag);
}

static void generate(const spot_scenario_t *scenario, uint64_t seed, const char *path)
{
    const spot_generate_t task = {.seed = seed,
        .horizon_ms = scenario->horizon_ms,
        .kind = SPOT_TRACE_NAMED,
        .name = "test",
        .version = "0"};
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(spot_generate(&scenario->trace, &task, path, &diag), 0);
    spot_diag_free(&diag);
}

/* A run with a generator is the run with the trace that it writes. */
static void test_generated_trace_gives_the_same_run(void **state)
{
    spot_scenario_t generated, recorded;
    char path[PATH_BYTES];

    (void) state;
    temporary_path("generated.csv", path);
    read_seed_64(&generated, NULL, NULL);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        spot_train_result_t result, again;

        result = run_scenario(&generated, seed, NULL);
        assert_conserved(&result);
        generate(&generated, seed, path);
        read_seed_64(&recorded, path, "horizon=trace-end");
        again = run_scenario(&recorded, 99, NULL);
        assert_equals_twin(&recorded, &again);
        result.clipped = 0; /* what was clipped is not in the file */
        assert_same_result(&result, &again);
        spot_scenario_free(&recorded);
    }
    remove(path);
    spot_scenario_free(&generated);
}

static void test_repetition(void **state)
{
    spot_scenario_t scenario;
    spot_event_log_t log;
    spot_train_t train;
    uint64_t first_hash, other_hash;
    spot_train_result_t first;

    (void) state;
    read_seed_64(&scenario, NULL, NULL);
    spot_event_log_init(&log);
    assert_int_equal(spot_train_init(&train, &scenario), 0);
    assert_int_equal(spot_train_run(&train, 7, 3, &log), 0);
    first = train.result;
    first_hash = log_hash(&log);
    assert_int_equal(first.seed, 7);
    assert_int_equal(first.replication, 3);
    assert_int_equal(spot_train_run(&train, 7, 4, &log), 0);
    other_hash = log_hash(&log);
    assert_true(first_hash != other_hash);
    assert_int_equal(spot_train_run(&train, 7, 4, NULL), 0);
    assert_int_equal(spot_train_run(&train, 7, 3, &log), 0);
    assert_int_equal(log_hash(&log), first_hash);
    assert_same_result(&train.result, &first);
    spot_train_free(&train);
    assert_int_equal(spot_train_init(&train, &scenario), 0);
    assert_int_equal(spot_train_run(&train, 7, 4, &log), 0);
    assert_int_equal(log_hash(&log), other_hash);
    spot_train_free(&train);
    spot_event_log_free(&log);
    spot_scenario_free(&scenario);
}

/* ---- Recorded traces ---- */

#define STEPS "step_time: {16: 18 s, 32: 11 s, 48: 9 s, 64: 8 s}"

static bool is_recorded(const char *name, char path[PATH_BYTES])
{
    snprintf(path, PATH_BYTES, RECORDED_FOLDER "/%s.csv", name);
    return access(path, R_OK) == 0;
}

/* Known numbers of another implementation. */
static void test_p3(void **state)
{
    static const spot_train_result_t expected = {
        .horizon_ms = 40920000,
        .ledger = {.instance_ms = {[SPOT_SHARE_PREPPING] = 28560000,
                       [SPOT_SHARE_STANDBY] = 331620000,
                       [SPOT_SHARE_RECONFIGURING] = 109952000,
                       [SPOT_SHARE_RELOADING] = 51328000,
                       [SPOT_SHARE_USEFUL] = 345600000,
                       [SPOT_SHARE_LOST] = 116160000},
            .population_ms = 983220000},
        .job_ms = {[SPOT_JOB_WAITING] = 7500000,
            [SPOT_JOB_RECONFIGURING] = 5816000,
            [SPOT_JOB_RELOADING] = 2659000,
            [SPOT_JOB_TRAINING] = 24945000},
        .lost_ms = 6018000,
        .steps_executed = 1504,
        .steps_durable = 1146,
        .steps_lost = 358,
        .initial = 18,
        .preempted = 166,
        .added = 159,
        .reconfigurations = 73,
        .rollbacks = 46,
        .checkpoints_durable = 238,
        .checkpoints_aborted = 44,
        .peak_instances = 32,
        .preemption_events = 78,
        .first_preemption_ms = 2040000,
        .last_preemption_ms = 40800000,
    };
    spot_scenario_t scenario;
    spot_train_result_t result;
    char path[PATH_BYTES];

    (void) state;
    if (!is_recorded("bamboo-p3-2xlarge-32", path)) {
        skip_without_data();
    }
    read_seed_64(&scenario, path, "horizon=trace-end");
    result = run_scenario(&scenario, 0, NULL);
    assert_same_result(&result, &expected);
    assert_equals_twin(&scenario, &result);
    spot_scenario_free(&scenario);
}

static void write_names(
    FILE *out, const spot_membership_t *membership, const int32_t *slots, int32_t count)
{
    char text[SPOT_INSTANCE_NAME_BYTES];

    for (int32_t j = 0; j < count; j++) {
        fprintf(out, "%s%s", j == 0 ? "" : " ", spot_membership_name(membership, slots[j], text));
    }
    fputc('\n', out);
}

/* The trace of a scenario with the victims that the seed's dice choose, or without
 * names. */
static void write_resolved(
    const spot_scenario_t *scenario, uint64_t seed, const char *kind, const char *path)
{
    const bool has_names = strcmp(kind, "named") == 0;
    spot_membership_t membership;
    spot_change_t change;
    FILE *out = fopen(path, "w");
    char time[SPOT_TRACE_TIME_BYTES];

    assert_non_null(out);
    assert_int_equal(
        spot_membership_init(&membership, &scenario->trace, scenario->fleet.capacity), 0);
    spot_membership_start(&membership, seed, 0);
    fprintf(out, TRACE_HEAD("%s") "0,init,%d,", kind, (int) membership.population);
    write_names(out, &membership, membership.living, has_names ? membership.population : 0);
    while (spot_membership_next(&membership, &change)) {
        assert_int_equal(change.num_clipped, 0);
        (void) spot_trace_time_text(change.time_ms, time);
        fprintf(out, "%s,%s,%d,", time, spot_event_kind_names[change.kind], (int) change.count);
        write_names(out, &membership, change.slots, has_names ? change.count : 0);
    }
    (void) spot_trace_time_text(scenario->trace.recording->end_ms, time);
    fprintf(out, "%s,end,%d,\n", time, (int) membership.population);
    assert_int_equal(fclose(out), 0);
    spot_membership_free(&membership);
}

static void bind_recorded(spot_scenario_t *self, const char *job, const char *path)
{
    char text[TEXT_BYTES];

    snprintf(text, sizeof(text),
        "scenario: test\nfleet: {capacity: 2000}\njob: %s\ntrace: {file: %s}\n", job, path);
    bind_good_scenario(self, text);
}

/* Counts and names of one trace are the same run, and the twin's. */
static void check_recorded(const char *path, const char *job, uint64_t seed)
{
    char counts_path[PATH_BYTES], named_path[PATH_BYTES];
    spot_scenario_t scenario;
    spot_train_result_t result, other;

    temporary_path("counts.csv", counts_path);
    temporary_path("named.csv", named_path);
    bind_recorded(&scenario, job, path);
    if (scenario.trace.recording->kind == SPOT_TRACE_NAMED) {
        result = run_scenario(&scenario, 0, NULL);
        assert_conserved(&result);
        assert_equals_twin(&scenario, &result);
    }
    write_resolved(&scenario, 0, "counts", counts_path);
    spot_scenario_free(&scenario);

    bind_recorded(&scenario, job, counts_path);
    result = run_scenario(&scenario, seed, NULL);
    write_resolved(&scenario, seed, "named", named_path);
    spot_scenario_free(&scenario);

    bind_recorded(&scenario, job, named_path);
    other = run_scenario(&scenario, seed + 1, NULL);
    assert_same_result(&result, &other);
    assert_equals_twin(&scenario, &other);
    spot_scenario_free(&scenario);
    remove(counts_path);
    remove(named_path);
}

static void test_recorded_traces(void **state)
{
    static const char *const names[] = {"bamboo-p3-2xlarge-32",
        "bamboo-aws-g4dn-us-east-1c-20201120", "bamboo-aws-p2-20201120",
        "bamboo-gcp-a100x1-us-east1-b", "kadupitiya-gcp-n1-2019", "parcae-p3-hh-55-65",
        "parcae-p3-ll-10-11", "seed64-surrogate",
        "skypilot-avail-16n-aws-20230827-us-west-2a-v100-1",
        "skypilot-avail-1n-aws-20221026-us-west-2b-v100-1",
        "skypilot-preempt-1n-aws-20230422-us-west-2c-v100-1",
        "skypilot-preempt-4n-aws-20230803-us-east-1f-v100-1"};
    static const char *const jobs[] = {"{" STEPS "}",
        "{" STEPS ", pipeline_depth: 1, checkpoint: {mode: sync, every: 10 steps, write: 15800 "
        "ms}}",
        "{" STEPS ", pipeline_depth: 4, max_pipelines: 3, checkpoint: {every: 300 s, snapshot: 2 "
        "s, "
        "busy: wait, write: 400 s}}"};
    size_t num_checked = 0;
    char path[PATH_BYTES];

    (void) state;
    for (size_t j = 0; j < sizeof(names) / sizeof(names[0]); j++) {
        if (is_recorded(names[j], path)) {
            for (size_t k = 0; k < sizeof(jobs) / sizeof(jobs[0]); k++) {
                check_recorded(path, jobs[k], j + k);
            }
            num_checked++;
        }
    }
    if (num_checked == 0) {
        skip_without_data();
    }
}

/* A century of the seed scenario, which is 10,000,000 visits. */
static void test_stop(void **state)
{
    spot_scenario_t scenario;
    spot_train_t train;
    atomic_int stop = 1;

    (void) state;
    read_seed_64(&scenario, NULL, "horizon=36000 d");
    assert_int_equal(spot_train_init(&train, &scenario), 0);
    train.stop = &stop;
    assert_int_equal(spot_train_run(&train, 1, 0, NULL), SPOT_ERR_INTERRUPTED);
    assert_true(train.now_ms < 24 * 3600000);
    spot_train_free(&train);
    spot_scenario_free(&scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_preemption),
        cmocka_unit_test(test_no_preemption_synchronous),
        cmocka_unit_test(test_until),
        cmocka_unit_test(test_largest_run),
        cmocka_unit_test(test_late_events),
        cmocka_unit_test(test_timeline),
        cmocka_unit_test(test_waiting),
        cmocka_unit_test(test_generated_trace_gives_the_same_run),
        cmocka_unit_test(test_repetition),
        cmocka_unit_test(test_p3),
        cmocka_unit_test(test_recorded_traces),
        cmocka_unit_test(test_stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
