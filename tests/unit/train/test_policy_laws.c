/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The laws that every recovery system must keep, on every registered one: a new one, or
 * a user's own, is tested without a new line (here share/examples/recovery_mine.c is
 * registered too). Each law is also shown to catch a system that breaks it. That more
 * losses keep no more is in tests/statistical/test_more_losses.c. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixture.h"
#include "law_bound.h"
#include "law_case.h"
#include "policy_laws.h"
#include "set_recovery.h"
#include "sim/train/job/run_log.h"

#define MOST_CASES 240
#define NUM_CASES (MOST_CASES / SPOT_FEWER)

/* What a law says of one row in one case: NULL, or how it is broken. Cases in which
 * there was something to see are counted. */
typedef const char *law_t(
    const law_row_t *row, uint64_t seed, spot_event_log_t *log, int64_t *num_telling);

static law_job_t job_of(uint64_t seed)
{
    return (law_job_t) (seed / 2 % NUM_LAW_JOBS);
}

/* ---- Sums, and the order of losses ---- */

static const char *breach_of_sums(const spot_train_result_t *result)
{
    int64_t job_ms = 0;

    for (size_t j = 0; j < SPOT_NUM_JOB_PHASES; j++) {
        job_ms += result->job_ms[j];
    }
    if (spot_ledger_total(&result->ledger) != result->ledger.population_ms) {
        return "the ledger does not sum to the time of the instances";
    }
    if (job_ms != result->horizon_ms) {
        return "the phases of the job do not sum to the run";
    }
    if (result->steps_lost < 0 ||
        result->steps_durable > result->steps_executed - result->steps_lost) {
        return "more steps are durable than kept";
    }
    return NULL;
}

/* The instances' time is that of "checkpoint", which has the same trace. */
static const char *breach_of_run(
    const law_row_t *row, uint64_t seed, spot_event_log_t *log, int64_t *num_telling)
{
    const law_row_t other_row = {.system = "checkpoint", .options = ""};
    spot_train_result_t result, logged, reversed, other;
    spot_scenario_t scenario;
    const char *breach;
    case_t self;

    law_draw_case(&self, seed);
    law_bind(row, &self, job_of(seed), false, &scenario);
    result = run_scenario(&scenario, 0, NULL);
    logged = run_scenario(&scenario, 0, log);
    spot_scenario_free(&scenario);
    law_bind(&other_row, &self, job_of(seed), false, &scenario);
    other = run_scenario(&scenario, 0, NULL);
    spot_scenario_free(&scenario);
    self.has_reversed_losses = true;
    law_bind(row, &self, job_of(seed), false, &scenario);
    reversed = run_scenario(&scenario, 0, NULL);
    spot_scenario_free(&scenario);
    *num_telling += result.preempted > result.preemption_events;
    breach = breach_of_sums(&result);
    if (breach == NULL && !phases_tile(log, result.horizon_ms)) {
        breach = "the phases of the log do not tile the run";
    }
    if (breach == NULL && all_difference(&result, &logged) != NULL) {
        breach = "a log changes the result";
    }
    if (breach == NULL && all_difference(&result, &reversed) != NULL) {
        breach = "the order of losses changes the result";
    }
    if (breach == NULL && !law_is_of(row, "on-demand") && !result.is_finished &&
        !other.is_finished && other.ledger.population_ms != result.ledger.population_ms) {
        breach = "not the time of the instances of the trace";
    }
    return breach;
}

/* ---- Without losses ---- */

/* Steps of a fleet that never changes, counted one by one: behind each every_steps the
 * job is stalled; from the second time on at least until the copy has ended. */
static double count_steps(
    int64_t horizon_ms, int64_t step_ms, int64_t every_steps, int64_t stall_ms, int64_t copy_ms)
{
    int64_t num_steps = 0, num_stalls = 0;

    for (int64_t time_ms = step_ms; time_ms <= horizon_ms; time_ms += step_ms) {
        num_steps++;
        if (every_steps > 0 && num_steps % every_steps == 0) {
            const int64_t rest_ms = num_stalls == 0 ? 0 : copy_ms - every_steps * step_ms;

            time_ms += rest_ms > stall_ms ? rest_ms : stall_ms;
            num_stalls++;
        }
    }
    return (double) num_steps;
}

/* The job's checkpoints, so that their stalls are plain: none, or so many steps apart
 * and so long. */
static void draw_stalls(case_t *self)
{
    spot_checkpoint_t *checkpoint = &self->setting.checkpoint;

    checkpoint->busy = SPOT_BUSY_SKIP;
    checkpoint->every_kind = SPOT_EVERY_STEPS;
    checkpoint->every_steps = 1 + (int64_t) mixed(self->seed, 3, 6);
    checkpoint->snapshot_ms = 0;
    if (self->seed % 3 == 0) {
        checkpoint->mode = SPOT_CHECKPOINT_SYNC;
    } else if (self->seed % 3 == 1) {
        checkpoint->mode = SPOT_CHECKPOINT_ASYNC;
        checkpoint->snapshot_ms = checkpoint->write_ms;
        checkpoint->write_ms = 0;
    } else {
        checkpoint->mode = SPOT_CHECKPOINT_ASYNC;
        checkpoint->every_kind = SPOT_EVERY_BACK_TO_BACK;
    }
}

/* A fleet that never changes. */
static void draw_constant_case(case_t *self, uint64_t seed)
{
    law_draw_case(self, seed);
    self->setting.until_steps = 0;
    self->is_until_inside = false;
    self->num_lives = (size_t) mixed(seed, 4, (uint64_t) self->setting.capacity + 1);
    for (size_t j = 0; j < self->num_lives; j++) {
        self->lives[j] = (life_t){(int) j, -1, STAYS, false};
    }
    draw_stalls(self);
}

/* Steps as long as those of the job's (D,P), with the overheads of the row's options. */
static double steps_with_overheads(
    const law_row_t *row, const spot_scenario_t *scenario, int64_t horizon_ms, int64_t step_ms)
{
    const spot_checkpoint_t *checkpoint = &scenario->job.checkpoint;
    const bool is_sync = checkpoint->mode == SPOT_CHECKPOINT_SYNC;
    const bool is_stalled = checkpoint->every_kind == SPOT_EVERY_STEPS;

    if (scenario->recovery.traits.is_lossless) {
        return (double) horizon_ms / (double) step_ms;
    }
    step_ms += row->more_ms;
    if (scenario->recovery.traits.keeps_steps) {
        return count_steps(horizon_ms, step_ms, 0, 0, 0);
    }
    if (row->every_steps > 0) {
        return count_steps(
            horizon_ms, step_ms, row->every_steps, checkpoint->write_ms, row->copy_ms);
    }
    return count_steps(horizon_ms, step_ms, is_stalled ? checkpoint->every_steps : 0,
        is_sync ? checkpoint->write_ms : checkpoint->snapshot_ms, 0);
}

/* Whether the system may choose pipelines of that depth. */
static bool has_depth(const law_row_t *row, const spot_job_t *job, int64_t depth)
{
    if (spot_step_time_is_by_pair(&job->step_time)) {
        if (law_is_of(row, "varuna")) {
            return depth < LAW_NUM_LAYERS && LAW_NUM_LAYERS % depth == 0;
        }
        if (row->min_depth > 0 && !law_is_of(row, "oobleck")) {
            return depth >= row->min_depth;
        }
    }
    return depth == job->pipeline_depth;
}

/* The shortest step of the pipelines that the system may choose; 0: it cannot train. */
static int64_t best_step_ms(
    const law_row_t *row, const spot_scenario_t *scenario, int64_t num_instances)
{
    const spot_job_t *job = &scenario->job;
    const int64_t fewest =
        law_is_of(row, "oobleck") ? (row->num_failures + 1) * job->pipeline_depth : 0;
    int64_t best_ms = 0;

    for (int64_t depth = 1; depth <= num_instances; depth++) {
        for (int64_t d = 1; d * depth <= num_instances && d <= job->max_pipelines; d++) {
            const int64_t step_ms = law_step_ms(job, d, depth);

            if (step_ms > 0 && has_depth(row, job, depth) && num_instances >= fewest &&
                (best_ms == 0 || step_ms < best_ms)) {
                best_ms = step_ms;
            }
        }
    }
    return best_ms;
}

/* How many pipelines there are from time 0 on, and in how many instances. */
static void first_fleet(const spot_event_log_t *log, int64_t *num_pipelines, int64_t *num_active)
{
    *num_pipelines = *num_active = 0;
    for (size_t j = 0; j < log->num_records; j++) {
        if (log->records[j].kind == SPOT_LOG_FLEET) {
            *num_active = log->records[j].values[2];
            *num_pipelines = log->records[j].values[3];
            return;
        }
    }
}

/* The step time of the pair in use; 0: none is. The first decision is free, so that the
 * job trains from start to end. */
static int64_t used_step_ms(const spot_job_t *job, const spot_event_log_t *log)
{
    int64_t num_pipelines, num_active;

    first_fleet(log, &num_pipelines, &num_active);
    return num_pipelines == 0 ? 0 : law_step_ms(job, num_pipelines, num_active / num_pipelines);
}

/* With a registered row also: of the pairs that it may choose from, the fastest. What
 * templates of different depths make is in no table. */
static const char *breach_of_constant(
    const law_row_t *row, uint64_t seed, spot_event_log_t *log, int64_t *num_telling)
{
    spot_train_result_t result, ideal;
    spot_scenario_t scenario;
    int64_t num_instances, step_ms, best_ms;
    double expected = 0;
    const char *breach = NULL;
    bool is_template;
    case_t self;

    draw_constant_case(&self, seed);
    law_bind_ideal(&self, job_of(seed), true, &scenario);
    ideal = run_scenario(&scenario, 0, NULL);
    spot_scenario_free(&scenario);
    law_bind(row, &self, job_of(seed), true, &scenario);
    result = run_scenario(&scenario, 0, log);
    is_template = job_of(seed) == LAW_BY_MODEL && law_is_of(row, "oobleck");
    num_instances =
        law_is_of(row, "on-demand") ? scenario.fleet.capacity : (int64_t) self.num_lives;
    step_ms = used_step_ms(&scenario.job, log);
    best_ms = best_step_ms(row, &scenario, num_instances);
    if (step_ms > 0) {
        expected = steps_with_overheads(row, &scenario, result.horizon_ms, step_ms);
    }
    if (step_ms > 0 && result.job_ms[SPOT_JOB_TRAINING] != result.horizon_ms) {
        breach = "it does not train all the time";
    } else if (!is_template && fabs(kept_steps(&result) - expected) > 1e-6) {
        breach = "not the steps of its pipelines with its own overheads";
    } else if (!is_template && !row->is_unknown && step_ms != best_ms) {
        breach = "not the fastest pipelines that it may choose";
    } else if (!is_template && !law_is_of(row, "on-demand") &&
               kept_steps(&result) > kept_steps(&ideal) + 1e-6) {
        breach = "more than ideal keeps";
    }
    *num_telling += expected >= 2;
    spot_scenario_free(&scenario);
    return breach;
}

/* ---- The bound ---- */

static const char *breach_of_bound(
    const law_row_t *row, uint64_t seed, spot_event_log_t *log, int64_t *num_telling)
{
    const law_job_t job = job_of(seed);
    spot_train_result_t result, ideal;
    spot_scenario_t scenario;
    bool is_bounded;
    double bound;
    case_t self;

    law_draw_case(&self, seed);
    self.setting.until_steps = 0;
    self.is_until_inside = false;
    law_bind_ideal(&self, job, false, &scenario);
    ideal = run_scenario(&scenario, 0, NULL);
    spot_scenario_free(&scenario);
    law_bind(row, &self, job, false, &scenario);
    result = run_scenario(&scenario, 0, log);
    is_bounded = !law_breaks_rules(&scenario) && !law_is_of(row, "on-demand");
    bound = law_has_own_bound(row, job) ? law_own_bound(row, job, &scenario, log, result.horizon_ms)
                                        : kept_steps(&ideal);
    spot_scenario_free(&scenario);
    *num_telling += kept_steps(&result) >= 1;
    return is_bounded && kept_steps(&result) > bound + 1e-6 ? "more steps than its bound" : NULL;
}

/* ---- Seeds ---- */

#define NUM_REPLICATIONS 6

typedef struct {
    const spot_scenario_t *scenario;
    bool is_backwards;
    spot_train_result_t results[NUM_REPLICATIONS];
} series_t;

/* All replications in one train after the other; a thread's function. */
static void *run_series(void *argument)
{
    series_t *self = argument;
    spot_train_t train;
    int ret = spot_train_init(&train, self->scenario);

    for (uint64_t j = 0; ret == 0 && j < NUM_REPLICATIONS; j++) {
        const uint64_t place = self->is_backwards ? NUM_REPLICATIONS - 1 - j : j;

        ret = spot_train_run(&train, 7, place, NULL);
        self->results[place] = train.result;
    }
    spot_train_free(&train);
    return ret == 0 ? self : NULL;
}

/* Losses as they are drawn: the same in another order, and in another thread at the same
 * time. */
static const char *breach_of_seed(
    const law_row_t *row, uint64_t seed, spot_event_log_t *log, int64_t *num_telling)
{
    series_t series = {.is_backwards = false}, other = {.is_backwards = true};
    const char *breach = NULL;
    void *ret = NULL;
    spot_scenario_t scenario;
    pthread_t thread;
    case_t self;

    (void) log;
    law_draw_case(&self, seed);
    self.trace = "{generator: seed, preemption: {per_minute: 0.5, count: {fixed: 2}}, "
                 "addition: {per_minute: 0.5, count: {fixed: 2}}}";
    self.setting.tick_ms = 1000;
    self.setting.horizon_ms = 3600000;
    self.trace_end_ms = 0;
    self.setting.until_steps = 0;
    self.is_until_inside = false;
    law_bind(row, &self, job_of(seed), false, &scenario);
    series.scenario = other.scenario = &scenario;
    assert_int_equal(pthread_create(&thread, NULL, run_series, &other), 0);
    assert_non_null(run_series(&series));
    assert_int_equal(pthread_join(thread, &ret), 0);
    assert_non_null(ret);
    for (size_t j = 0; j < NUM_REPLICATIONS; j++) {
        if (all_difference(&series.results[j], &other.results[j]) != NULL) {
            breach = "not the same run for the same seed";
        }
    }
    *num_telling += series.results[0].steps_executed != series.results[1].steps_executed;
    spot_scenario_free(&scenario);
    return breach;
}

/* ---- All systems ---- */

/* least_telling: at least so many of a hundred cases must have something to see, over
 * all rows. */
static void check_law(law_t *law, uint64_t num_cases, int64_t least_telling)
{
    law_row_t rows[LAW_MAX_ROWS];
    const size_t num_rows = law_rows(rows);
    int64_t num_telling = 0;
    spot_event_log_t log;

    spot_event_log_init(&log);
    for (size_t j = 0; j < num_rows; j++) {
        for (uint64_t seed = 1; seed <= num_cases; seed++) {
            const char *breach = law(&rows[j], seed, &log, &num_telling);

            if (breach != NULL) {
                fail_msg("{system: %s%s}, case %d: %s", rows[j].system, rows[j].options, (int) seed,
                    breach);
            }
        }
    }
    spot_event_log_free(&log);
    assert_true(100 * num_telling >= least_telling * (int64_t) (num_rows * (size_t) num_cases));
}

static void test_runs(void **state)
{
    (void) state;
    check_law(breach_of_run, NUM_CASES, 20);
}

static void test_constant_fleet(void **state)
{
    (void) state;
    check_law(breach_of_constant, NUM_CASES, 20);
}

static void test_bound(void **state)
{
    (void) state;
    check_law(breach_of_bound, NUM_CASES, 20);
}

static void test_seeds(void **state)
{
    (void) state;
    check_law(breach_of_seed, 6, 50);
}

/* ---- Systems that break a law ---- */

/* Like "checkpoint". */
static void decide_simply(
    const spot_recovery_view_t *view, int64_t num_pipelines, spot_recovery_decision_t *decision)
{
    decision->is_new = true;
    decision->work = SPOT_WORK_ROLLED_BACK;
    spot_recovery_decision_set_pipelines(decision, view->job, num_pipelines);
    decision->reconfiguration_ms = view->job->reconfiguration_ms;
}

static int64_t num_possible(const spot_recovery_view_t *view)
{
    return spot_job_pipelines(view->job, spot_recovery_num_usable(view));
}

/* One pipeline less where the first of those that are lost has an odd slot. */
static void decide_by_order(const void *options, void *state, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_decision_t *decision)
{
    const bool is_odd = change->num_lost_active > 0 && change->lost[0] % 2 == 1;
    const int64_t num = num_possible(view);

    (void) options;
    (void) state;
    if (change->num_lost_active > 0 || num > view->num_pipelines) {
        decide_simply(view, num - (is_odd && num > 0), decision);
    }
}

/* Each step takes a millisecond that no option tells of. */
static void decide_idly(const void *options, void *state, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_decision_t *decision)
{
    (void) options;
    (void) state;
    if (change->num_lost_active > 0 || view->num_pipelines == 0) {
        decide_simply(view, num_possible(view), decision);
        if (decision->num_pipelines > 0) {
            spot_recovery_decision_set_step(
                decision, view->job, 1 + spot_job_step_ms(view->job, decision->num_pipelines));
        }
    }
}

/* Counts on instances that are not ready yet. */
static void decide_greedily(const void *options, void *state, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_decision_t *decision)
{
    const spot_job_t *job = view->job;
    const int64_t num_all = spot_recovery_num_usable(view) + view->num_prepping;

    (void) options;
    (void) state;
    (void) change;
    decide_simply(view, num_possible(view), decision);
    decision->work = SPOT_WORK_KEPT;
    decision->reconfiguration_ms = 0;
    if (decision->num_pipelines > 0) {
        spot_recovery_decision_set_step(
            decision, job, spot_job_step_ms(job, spot_job_best_pipelines(job, num_all)));
    }
}

/* Remembers what it must not: the run before. */
static void decide_by_memory(const void *options, void *state, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_decision_t *decision)
{
    static _Thread_local int64_t num_asked;

    (void) options;
    (void) state;
    if (change->num_lost_active > 0 || num_possible(view) > view->num_pipelines) {
        decide_simply(view, num_possible(view), decision);
        decision->reload_ms = num_asked++ % 7 * 1000;
    }
}

static const spot_recovery_t by_order = {.name = "by-order", .decide = decide_by_order};
static const spot_recovery_t idle = {.name = "idle", .decide = decide_idly};
static const spot_recovery_t greedy = {.name = "greedy", .decide = decide_greedily};
static const spot_recovery_t by_memory = {.name = "by-memory", .decide = decide_by_memory};

/* Each law finds the system that is against it. */
static void test_broken_laws(void **state)
{
    static const struct {
        const spot_recovery_t *table;
        law_t *law;
    } cases[] = {
        {&by_order, breach_of_run},
        {&idle, breach_of_constant},
        {&greedy, breach_of_bound},
        {&by_memory, breach_of_seed},
    };
    spot_event_log_t log;

    (void) state;
    spot_event_log_init(&log);
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        const law_row_t row = {
            .system = cases[j].table->name, .options = "", .table = cases[j].table};

        int64_t num_telling = 0;
        bool is_broken = false;

        for (uint64_t seed = 1; seed <= MOST_CASES && !is_broken; seed++) {
            is_broken = cases[j].law(&row, seed, &log, &num_telling) != NULL;
        }
        if (!is_broken) {
            fail_msg("nobody finds out what %s does", row.system);
        }
    }
    spot_event_log_free(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs),
        cmocka_unit_test(test_constant_fleet),
        cmocka_unit_test(test_bound),
        cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_broken_laws),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
