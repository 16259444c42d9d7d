/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every metric against a number worked out by hand, and where it is undefined. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixture.h"
#include "sim/train/metrics.h"

/* 80 steps of 88 s behind 160 s are 2 h; on 16 instances they take half of that and more
 * than half. */
static spot_rental_t rentals[] = {
    {.num_instances = 8, .cycle = {.step_ms = 88000, .first_steps = 1000}},
    {.num_instances = 16, .cycle = {.step_ms = 50000, .first_steps = 1000}},
    {.num_instances = 4, .cycle = {.step_ms = 100000, .first_steps = 1000}},
};

static const spot_scenario_t scenario = {
    .until_steps = 80,
    .deadline_ms = 7200000,
    .fleet = {.preparation_ms = 160000, .price = {.on_demand_usd_per_h = 2}},
    .job = {.samples_per_step = 250},
    .rentals = {.num_rentals = 3, .rentals = rentals},
};

/* Two hours; 40 instance-hours in all. */
static const spot_train_result_t result = {
    .horizon_ms = 7200000,
    .ledger = {.instance_ms = {[SPOT_SHARE_PREPPING] = 3600000,
                   [SPOT_SHARE_STANDBY] = 7200000,
                   [SPOT_SHARE_RECONFIGURING] = 10800000,
                   [SPOT_SHARE_RELOADING] = 14400000,
                   [SPOT_SHARE_USEFUL] = 54000000,
                   [SPOT_SHARE_LOST] = 18000000,
                   [SPOT_SHARE_UNSAVED] = 9000000,
                   [SPOT_SHARE_STALLED] = 21600000,
                   [SPOT_SHARE_REDUNDANT] = 5400000},
        .population_ms = 144000000},
    .cost_usd = 20,
    .job_ms = {[SPOT_JOB_WAITING] = 720000,
        [SPOT_JOB_RECONFIGURING] = 1440000,
        [SPOT_JOB_RELOADING] = 360000,
        [SPOT_JOB_TRAINING] = 4680000},
    .unmeasured_ms = 585000,
    .stalled_ms = 1080000,
    .input_stalled_ms = 720000,
    .input_stalled_instance_ms = 14400000,
    .lost_ms = 900000,
    .steps_executed = 100,
    .steps_durable = 70,
    .steps_lost = 20,
    .initial = 16,
    .preempted = 9,
    .added = 11,
    .stopped = 2,
    .clipped = 3,
    .reconfigurations = 6,
    .rollbacks = 5,
    .fatal = 7,
    .first_training_ms = 1200000,
    .checkpoints_durable = 12,
    .checkpoints_aborted = 4,
    .peak_instances = 25,
    .preemption_events = 4,
    .first_preemption_ms = 600000,
    .last_preemption_ms = 6600000,
    .is_finished = true,
};

static const struct {
    const char *name;
    const char *unit;
    double value;
} expected[] = {
    {"data_stall_fraction", "1", 4 / 40.0},
    {"checkpoint_stall_fraction", "1", 2 / 40.0},
    {"stalled_input_instance_ms", "instance-ms", 14400000},
    {"stalled_checkpoint_instance_ms", "instance-ms", 7200000},
    {"idle_fraction", "1", (1 + 2 + 3 + 4 + 6) / 40.0},
    {"prepping_fraction", "1", 1 / 40.0},
    {"standby_fraction", "1", 2 / 40.0},
    {"reconfiguring_fraction", "1", 3 / 40.0},
    {"reloading_fraction", "1", 4 / 40.0},
    {"stalled_fraction", "1", 6 / 40.0},
    {"goodput_fraction", "1", 15 / 40.0},
    {"lost_fraction", "1", 5 / 40.0},
    {"unsaved_fraction", "1", 2.5 / 40.0},
    {"redundant_fraction", "1", 1.5 / 40.0},
    {"job_waiting_fraction", "1", 0.1},
    {"job_reconfiguring_fraction", "1", 0.2},
    {"job_reloading_fraction", "1", 0.05},
    {"job_training_fraction", "1", 0.65},
    {"job_stalled_fraction", "1", 0.15},
    {"job_lost_fraction", "1", 0.125},
    {"unmeasured_fraction", "1", 0.125},
    {"steps_executed", "steps", 100},
    {"steps_kept", "steps", 80},
    {"steps_durable", "steps", 70},
    {"steps_lost", "steps", 20},
    {"samples_per_s", "samples/s", 80 * 250 / 7200.0},
    {"cost_usd", "USD", 20},
    {"usd_per_h", "USD/h", 10},
    {"usd_per_1000_samples", "USD", 1},
    {"samples_per_usd", "samples/USD", 1000},
    {"same_work_on_demand_usd", "USD", 32}, /* 8 instances for 2 h */
    {"same_work_on_demand_s", "s", 7200},
    {"same_work_on_demand_instances", "instances", 8},
    {"saving_fraction", "1", 12 / 32.0},
    {"mean_instances", "instances", 20},
    {"peak_instances", "instances", 25},
    {"preempted", "instances", 9},
    {"added", "instances", 11},
    {"clipped", "instances", 3},
    {"preempted_per_h", "instances/h", 4.5},
    {"mtbp_s", "s", 2000},
    {"rollbacks", "1", 5},
    {"reconfigurations", "1", 6},
    {"fatal", "1", 7},
    {"preemption_gap_s", "s", 750},
    {"mean_lifetime_h", "h", 40 / 27.0},
    {"samples_per_s_once_started", "samples/s", 80 * 250 / 6000.0},
    {"paid_instance_ms", "instance-ms", 144e6},
    {"prepping_instance_ms", "instance-ms", 3.6e6},
    {"standby_instance_ms", "instance-ms", 7.2e6},
    {"reconfiguring_instance_ms", "instance-ms", 10.8e6},
    {"reloading_instance_ms", "instance-ms", 14.4e6},
    {"useful_instance_ms", "instance-ms", 54e6},
    {"lost_instance_ms", "instance-ms", 18e6},
    {"unsaved_instance_ms", "instance-ms", 9e6},
    {"stalled_instance_ms", "instance-ms", 21.6e6},
    {"redundant_instance_ms", "instance-ms", 5.4e6},
    {"idle_instance_ms", "instance-ms", 57.6e6},
    {"run_ms", "ms", 7.2e6},
    {"job_waiting_ms", "ms", 720e3},
    {"job_reconfiguring_ms", "ms", 1.44e6},
    {"job_reloading_ms", "ms", 360e3},
    {"job_training_ms", "ms", 4.68e6},
    {"job_unmeasured_ms", "ms", 585e3},
    {"job_stalled_ms", "ms", 1.08e6},
    {"job_lost_ms", "ms", 900e3},
    {"started_ms", "ms", 6e6},
    {"samples_kept", "samples", 20000},
    {"instances_used", "instances", 27},
    {"preemption_span_ms", "ms", 6e6},
    {"preemption_gaps", "1", 8},
    {"preemption_tick_gaps", "1", 3},
    {"saving_usd", "USD", 12},
    {"time_to_finish_s", "s", 7200},
    {"finished", "1", 1},
    {"met_deadline", "1", 1},
};

#define NUM_EXPECTED (sizeof(expected) / sizeof(expected[0]))

static void test_formulas(void **state)
{
    double values[SPOT_TRAIN_NUM_METRICS];

    (void) state;
    assert_int_equal(NUM_EXPECTED, SPOT_TRAIN_NUM_METRICS);
    spot_train_metric_values(&scenario, &result, values);
    for (size_t j = 0; j < NUM_EXPECTED; j++) {
        const spot_metric_t *metric = &spot_train_metrics[j];

        assert_string_equal(metric->name, expected[j].name);
        assert_string_equal(metric->unit, expected[j].unit);
        assert_true(strlen(metric->help) > 0);
        assert_near(values[j], expected[j].value, 1e-12);
        assert_near(spot_train_metric(&scenario, &result, metric->name), values[j], 0);
    }
    assert_true(isnan(spot_train_metric(&scenario, &result, "speed")));
    assert_true(isnan(spot_train_metric(&scenario, &result, "")));
}

/* Names are columns of tables and keys of YAML: each of them once. */
static void test_names_are_distinct(void **state)
{
    (void) state;
    for (size_t j = 0; j < SPOT_TRAIN_NUM_METRICS; j++) {
        for (size_t k = 0; k < j; k++) {
            assert_string_not_equal(spot_train_metrics[j].name, spot_train_metrics[k].name);
        }
    }
}

static void assert_only_nan(const spot_scenario_t *its_scenario, const spot_train_result_t *run,
    const char *const *names, size_t num_names)
{
    double values[SPOT_TRAIN_NUM_METRICS];
    size_t num_nan = 0;

    spot_train_metric_values(its_scenario, run, values);
    for (size_t j = 0; j < SPOT_TRAIN_NUM_METRICS; j++) {
        num_nan += isnan(values[j]) != 0;
        assert_true(isnan(values[j]) || fabs(values[j]) < HUGE_VAL);
    }
    assert_int_equal(num_nan, num_names);
    for (size_t j = 0; j < num_names; j++) {
        assert_true(isnan(spot_train_metric(its_scenario, run, names[j])));
    }
}

/* No instance was ever there: shares of nothing are undefined, a cost of 0 is not. */
static void test_empty_run(void **state)
{
    static const char *const names[] = {"idle_fraction", "data_stall_fraction",
        "checkpoint_stall_fraction", "prepping_fraction", "standby_fraction",
        "reconfiguring_fraction", "reloading_fraction", "stalled_fraction", "goodput_fraction",
        "lost_fraction", "unsaved_fraction", "redundant_fraction", "usd_per_1000_samples",
        "samples_per_usd", "unmeasured_fraction", "mtbp_s", "saving_fraction", "time_to_finish_s",
        "preemption_gap_s", "mean_lifetime_h", "samples_per_s_once_started"};
    const spot_train_result_t run = {
        .horizon_ms = 1000, .first_training_ms = -1, .job_ms = {[SPOT_JOB_WAITING] = 1000}};

    (void) state;
    assert_only_nan(&scenario, &run, names, sizeof(names) / sizeof(names[0]));
    assert_near(spot_train_metric(&scenario, &run, "job_waiting_fraction"), 1, 0);
    assert_near(spot_train_metric(&scenario, &run, "samples_per_s"), 0, 0);
    assert_near(spot_train_metric(&scenario, &run, "cost_usd"), 0, 0);
    assert_near(spot_train_metric(&scenario, &run, "mean_instances"), 0, 0);
}

static void test_undefined_one_by_one(void **state)
{
    static const char *const mtbp[] = {"mtbp_s"};
    static const char *const time_to_finish[] = {"time_to_finish_s"};
    static const char *const per_sample[] = {"usd_per_1000_samples", "saving_fraction"};
    static const char *const per_usd[] = {"samples_per_usd"};
    spot_train_result_t run = result;

    (void) state;
    assert_only_nan(&scenario, &run, NULL, 0);
    run.preemption_events = 1;
    run.last_preemption_ms = run.first_preemption_ms;
    assert_only_nan(&scenario, &run, mtbp, 1);
    run = result;
    run.is_finished = false;
    assert_only_nan(&scenario, &run, time_to_finish, 1);
    run = result;
    run.steps_lost = run.steps_executed;
    assert_only_nan(&scenario, &run, per_sample, 2);
    assert_near(spot_train_metric(&scenario, &run, "samples_per_usd"), 0, 0);
    run = result;
    run.cost_usd = 0; /* a gift */
    assert_only_nan(&scenario, &run, per_usd, 1);
}

static void test_warnings(void **state)
{
    static const char *const names[] = {"flat_step_time", "clipped", "past_trace_end",
        "never_trained", "no_step_time", "fitted_step_time", "clipped_forecasts",
        "approximate_step_time", "clairvoyant", "published_defaults"};
    unsigned char flags[SPOT_TRAIN_NUM_WARNINGS];
    spot_train_result_t run = {.horizon_ms = 1};

    (void) state;
    for (size_t j = 0; j < SPOT_TRAIN_NUM_WARNINGS; j++) {
        assert_string_equal(spot_train_warnings[j].name, names[j]);
        assert_true(strlen(spot_train_warnings[j].text) > 0);
    }
    for (unsigned set = 0; set < 1024; set++) {
        run.has_flat_step_time = (set & 1) != 0;
        run.clipped = (set & 2) != 0 ? 5 : 0;
        run.is_past_trace_end = (set & 4) != 0;
        run.job_ms[SPOT_JOB_WAITING] = (set & 8) != 0;
        run.lacks_step_time = (set & 16) != 0;
        run.has_fitted_step_time = (set & 32) != 0;
        run.clipped_forecasts = (set & 64) != 0 ? 3 : 0;
        run.has_approximate_step_time = (set & 128) != 0;
        run.is_clairvoyant = (set & 256) != 0;
        run.has_published_defaults = (set & 512) != 0;
        spot_train_warning_flags(&run, flags);
        assert_int_equal(flags[0] + 2 * flags[1] + 4 * flags[2] + 8 * flags[3] + 16 * flags[4] +
                             32 * flags[5] + 64 * flags[6] + 128 * flags[7] + 256 * flags[8] +
                             512 * flags[9],
            set);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_names_are_distinct),
        cmocka_unit_test(test_empty_run),
        cmocka_unit_test(test_undefined_one_by_one),
        cmocka_unit_test(test_warnings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
