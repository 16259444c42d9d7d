/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What decisions can ask of the engine, against its twin: a recovery system that answers
 * at random, on random traces and jobs. Every number is equal, and so is what the system
 * was shown. SPOT_TEST_SEED=N runs case N alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "compare.h"
#include "fixture.h"
#include "random_case.h"
#include "sim/train/job/run_log.h"
#include "twin.h"

#define NUM_CASES (4000 / SPOT_FEWER)
#define MAX_ASKED 65536

/* ---- A recovery system whose decisions are dice ---- */

/* What it was shown at one decision. */
typedef struct {
    int64_t now_ms, training_ms;
    int64_t kind, num_lost, num_ready;
    int64_t num_pipelines, num_active, num_standby, num_prepping;
    int64_t num_noticed, deadline_ms;     /* 0 without a notice */
    int64_t deadlines_ms[SPOT_NUM_ROLES]; /* sums of those announced */
} asked_t;

/* How many decisions had what. */
typedef struct {
    size_t num_rolled_back, num_steps_kept, num_copies, num_kept, num_held, num_flushes;
    size_t num_same, num_own_step, num_wakes, num_step_ends, num_not_new;
    size_t num_notices, num_noticed_losses, num_noticed_last;
} met_t;

typedef struct {
    const twin_setting_t *setting;
    uint64_t seed;
    int64_t unit_ms; /* of pauses and gaps between wakes */
    size_t num_asked;
    asked_t asked[MAX_ASKED];
    met_t met;
} script_t;

typedef struct {
    script_t *script;
} options_t;

static int64_t below(spot_rng_t *rng, int64_t limit)
{
    return (int64_t) spot_rng_below(rng, (uint64_t) limit);
}

/* Half of the times none at all. */
static int64_t draw_pause_ms(spot_rng_t *rng, const script_t *self)
{
    const bool is_none = below(rng, 2) == 0;

    return is_none ? 0 : 1 + below(rng, self->unit_ms);
}

/* Instances in use and pipelines, which need none of those to be of the job's depth if
 * the decision brings its own step time. */
static void draw_size(
    spot_rng_t *rng, script_t *self, int64_t usable, spot_recovery_decision_t *decision)
{
    const int64_t depth = self->setting->pipeline_depth;
    const int64_t room = usable / depth;

    if (below(rng, 4) > 0 && room > 0) { /* as most systems do */
        decision->num_pipelines = (int32_t) (room - below(rng, room > 1 ? 2 : 1));
        decision->num_active = (int32_t) (decision->num_pipelines * depth);
        return;
    }
    decision->num_active = (int32_t) below(rng, usable + 1);
    if (decision->num_active > 0 && below(rng, 3) > 0) {
        decision->num_pipelines = (int32_t) (1 + below(rng, decision->num_active));
        decision->step_ms = 1 + below(rng, 2 * self->setting->points[0].step_ms);
        self->met.num_own_step++;
    }
    self->met.num_held += decision->num_pipelines == 0 && decision->num_active > 0;
}

static void draw_work(spot_rng_t *rng, script_t *self, spot_recovery_decision_t *decision)
{
    decision->work = (spot_work_t) below(rng, 3);
    if (decision->work == SPOT_WORK_STEPS_KEPT) {
        decision->kept_every_steps = (int32_t) below(rng, 6);
    }
    self->met.num_rolled_back += decision->work == SPOT_WORK_ROLLED_BACK;
    self->met.num_steps_kept += decision->work == SPOT_WORK_STEPS_KEPT;
    self->met.num_copies += decision->kept_every_steps > 1;
    self->met.num_kept += decision->work == SPOT_WORK_KEPT;
}

static void draw_wake(
    spot_rng_t *rng, script_t *self, int64_t now_ms, spot_recovery_decision_t *decision)
{
    const int64_t tick_ms = self->setting->tick_ms;

    if (below(rng, 3) == 0) {
        decision->wake_ms = now_ms + 1 + below(rng, self->unit_ms);
        if (below(rng, 3) == 0) { /* at a tick, as the cluster's changes */
            decision->wake_ms += tick_ms - decision->wake_ms % tick_ms;
        }
    }
    decision->wakes = below(rng, 3) == 0 ? SPOT_WAKE_STEP_END : SPOT_WAKE_FIRST;
    self->met.num_wakes += decision->wake_ms > 0;
    self->met.num_step_ends += decision->wakes == SPOT_WAKE_STEP_END;
}

static void script_decide(void *script, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, const int64_t deadlines_ms[SPOT_NUM_ROLES],
    spot_recovery_decision_t *decision)
{
    script_t *self = script;
    asked_t *asked = &self->asked[self->num_asked];
    spot_rng_t rng;

    assert_true(self->num_asked < MAX_ASKED);
    spot_rng_seek(&rng, self->seed, 0, SPOT_STREAM_RECOVERY, self->num_asked);
    self->num_asked++;
    *asked = (asked_t){view->now_ms, view->training_ms, change->kind, change->num_lost_active,
        change->num_ready, view->num_pipelines, view->num_active, view->num_standby,
        view->num_prepping, change->num_noticed, change->num_noticed > 0 ? change->deadline_ms : 0,
        {deadlines_ms[0], deadlines_ms[1], deadlines_ms[2]}};
    self->met.num_notices += change->kind == SPOT_CHANGE_NOTICE;
    self->met.num_noticed_losses += change->num_noticed > 0 && change->num_lost_active > 0;
    decision->is_new = below(&rng, 2) > 0 || change->num_lost_active > 0;
    if (below(&rng, 50) > 0) { /* else it sleeps */
        draw_wake(&rng, self, view->now_ms, decision);
    }
    self->met.num_not_new += !decision->is_new;
    if (!decision->is_new) {
        return;
    }
    draw_size(&rng, self, (int64_t) view->num_active + view->num_standby, decision);
    draw_work(&rng, self, decision);
    spot_decision_note(decision, SPOT_NOTE_SAME_PIPELINES, below(&rng, 4) == 0);
    decision->takes_noticed_last = below(&rng, 2) == 0;
    self->met.num_noticed_last += decision->takes_noticed_last && deadlines_ms[SPOT_ACTIVE] > 0;
    decision->flush_ms = draw_pause_ms(&rng, self);
    decision->reconfiguration_ms = draw_pause_ms(&rng, self);
    decision->reload_ms = draw_pause_ms(&rng, self);
    self->met.num_same += spot_decision_notes(decision, SPOT_NOTE_SAME_PIPELINES);
    self->met.num_flushes += decision->flush_ms > 0;
}

/* Of the instances of a role whose preemption has been announced. */
static int64_t sum_deadlines_ms(const spot_recovery_view_t *view, spot_role_t role)
{
    int32_t slots[2 * MAX_LIVES];
    const int32_t count = spot_fleet_list(view->fleet, role, slots);
    int64_t sum_ms = 0;

    for (int32_t j = 0; j < count; j++) {
        const int64_t deadline_ms = view->deadlines_ms[slots[j]];

        assert_true(deadline_ms >= view->now_ms); /* a wake goes before the loss */
        sum_ms += deadline_ms == INT64_MAX ? 0 : deadline_ms;
    }
    return sum_ms;
}

static void system_decide(const void *options, void *state, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_decision_t *decision)
{
    const options_t *self = options;
    int64_t deadlines_ms[SPOT_NUM_ROLES] = {0};

    (void) state;
    for (int role = 0; view->deadlines_ms != NULL && role < SPOT_NUM_ROLES; role++) {
        deadlines_ms[role] = sum_deadlines_ms(view, (spot_role_t) role);
    }
    script_decide(self->script, view, change, deadlines_ms, decision);
}

static const spot_recovery_t scripted = {
    .name = "scripted",
    .options_size = sizeof(options_t),
    .decide = system_decide,
};

/* ---- Comparing ---- */

static script_t of_engine, of_twin;

static void start_script(script_t *self, const case_t *from)
{
    memset(self, 0, sizeof(*self));
    self->setting = &from->setting;
    self->seed = from->seed;
    self->unit_ms = 1 + from->setting.horizon_ms / (10 + (int64_t) (from->seed % 90));
}

static void bind_scripted(case_t *self, spot_scenario_t *scenario)
{
    options_t *options = calloc(1, sizeof(*options));

    assert_non_null(options);
    start_script(&of_engine, self);
    start_script(&of_twin, self);
    bind_case(self, scenario);
    spot_recovery_choice_free(&scenario->recovery);
    options->script = &of_engine;
    scenario->recovery = (spot_recovery_choice_t){.system = &scripted, .options = options};
    self->setting.decide = script_decide;
    self->setting.script = &of_twin;
}

static void report(const case_t *self, const char *what, int64_t engine, int64_t twin)
{
    size_t j = 0;

    print_error("case %llu: %s: engine %lld, twin %lld\n", (unsigned long long) self->seed, what,
        (long long) engine, (long long) twin);
    while (j < of_engine.num_asked && j < of_twin.num_asked &&
           memcmp(&of_engine.asked[j], &of_twin.asked[j], sizeof(asked_t)) == 0) {
        j++;
    }
    print_error("asked %zu and %zu times, alike up to number %zu, at %lld and %lld ms\n",
        of_engine.num_asked, of_twin.num_asked, j, (long long) of_engine.asked[j].now_ms,
        (long long) of_twin.asked[j].now_ms);
    fail();
}

/* The phases tile the run, and add up to what the run was charged. */
static void check_phases(
    const case_t *self, const spot_event_log_t *log, const spot_train_result_t *result)
{
    spot_ledger_t sum = result->ledger; /* prepping and standby are no phases */
    int64_t end_ms = 0, stalled_ms = 0, lost_ms = 0;

    memset(&sum.instance_ms[SPOT_SHARE_RECONFIGURING], 0,
        (SPOT_NUM_SHARES - SPOT_SHARE_RECONFIGURING) * sizeof(int64_t));
    for (size_t j = 0; j < log->num_records; j++) {
        const spot_log_record_t *record = &log->records[j];
        const int64_t *values = record->values;

        if (record->kind != SPOT_LOG_PHASE) {
            continue;
        }
        if (record->time_ms != end_ms) {
            report(self, "start of a phase", record->time_ms, end_ms);
        }
        end_ms += values[2];
        stalled_ms += values[3];
        if (values[0] < SPOT_NUM_SHARES) {
            sum.instance_ms[values[0]] += values[1] * (values[2] - values[3]);
            sum.instance_ms[SPOT_SHARE_STALLED] += values[1] * values[3];
            lost_ms += values[0] == SPOT_SHARE_LOST ? values[2] - values[3] : 0;
        }
    }
    assert_int_equal(end_ms, result->horizon_ms);
    if (stalled_ms != result->stalled_ms) {
        report(self, "stalled in log", result->stalled_ms, stalled_ms);
    }
    for (int j = 0; j < SPOT_NUM_SHARES; j++) {
        if (sum.instance_ms[j] != result->ledger.instance_ms[j]) {
            report(self, spot_share_names[j], result->ledger.instance_ms[j], sum.instance_ms[j]);
        }
    }
    if (lost_ms != result->lost_ms) {
        report(self, "lost in log", result->lost_ms, lost_ms);
    }
}

static void check_asked(const case_t *self)
{
    for (size_t j = 0; j < of_engine.num_asked && j < of_twin.num_asked; j++) {
        if (memcmp(&of_engine.asked[j], &of_twin.asked[j], sizeof(asked_t)) != 0) {
            report(self, "asked otherwise", (int64_t) j, (int64_t) j);
        }
    }
    if (of_engine.num_asked != of_twin.num_asked) {
        report(self, "times asked", (int64_t) of_engine.num_asked, (int64_t) of_twin.num_asked);
    }
}

/* No notice, one of some milliseconds, of whole ticks, or long enough to know all; and
 * with instances on demand or without. */
static void draw_fleet(case_t *self)
{
    twin_setting_t *setting = &self->setting;
    spot_rng_t rng;

    spot_rng_seek(&rng, self->seed, 1, SPOT_STREAM_RECOVERY, 0);
    switch (below(&rng, 5)) {
        case 0:
            setting->notice_ms = below(&rng, 3 * setting->tick_ms);
            break;
        case 1:
            setting->notice_ms = (1 + below(&rng, 8)) * setting->tick_ms;
            break;
        case 2:
            setting->notice_ms = 1 + below(&rng, setting->horizon_ms);
            break;
        default:
            break;
    }
    if (below(&rng, 3) == 0) {
        setting->num_on_demand = 1 + below(&rng, 2 * setting->pipeline_depth);
        setting->on_demand_usd_per_h = (double) below(&rng, 9000) / 1000;
    }
}

/* draw: of a case from its seed. */
static void check_case(
    void (*draw)(case_t *self, uint64_t seed), uint64_t seed, spot_event_log_t *log, met_t *met)
{
    spot_train_result_t engine, with_log, twin;
    spot_scenario_t scenario;
    const char *field;
    case_t self;

    draw(&self, seed);
    draw_fleet(&self);
    bind_scripted(&self, &scenario);
    engine = run_scenario(&scenario, 0, NULL);
    twin_run(&self.setting, scenario.trace.recording, &twin);
    field = result_difference(&engine, &twin);
    if (field != NULL) {
        report(&self, field, result_value(&engine, field), result_value(&twin, field));
    }
    check_asked(&self);
    assert_near(engine.cost_usd, twin.cost_usd, 1e-12);
    start_script(&of_engine, &self);
    with_log = run_scenario(&scenario, 0, log);
    assert_null(result_difference(&engine, &with_log));
    check_phases(&self, log, &engine);
    for (size_t j = 0; j < sizeof(*met) / sizeof(size_t); j++) {
        ((size_t *) met)[j] += ((const size_t *) &of_twin.met)[j];
    }
    spot_scenario_free(&scenario);
}

static void check_cases(void (*draw)(case_t *self, uint64_t seed))
{
    const char *seed = getenv("SPOT_TEST_SEED");
    spot_event_log_t log;
    met_t met = {0};

    spot_event_log_init(&log);
    if (seed != NULL) {
        check_case(draw, strtoull(seed, NULL, 10), &log, &met);
    }
    for (uint64_t j = 1; seed == NULL && j <= NUM_CASES; j++) {
        check_case(draw, j, &log, &met);
    }
    for (size_t j = 0; seed == NULL && j < sizeof(met) / sizeof(size_t); j++) {
        if (((const size_t *) &met)[j] < NUM_CASES / 10) {
            fail_msg("number %zu of what is to be met: %zu times", j, ((const size_t *) &met)[j]);
        }
    }
    spot_event_log_free(&log);
}

static void test_decisions_are_carried_out(void **state)
{
    (void) state;
    check_cases(draw_case);
}

/* Where steps wait for data and the pipe of the loaders fills anew. */
static void test_decisions_with_input(void **state)
{
    (void) state;
    check_cases(draw_input_case);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decisions_are_carried_out),
        cmocka_unit_test(test_decisions_with_input),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
