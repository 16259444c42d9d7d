/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run that generates its trace equals a run on the trace that is generated: in every
 * number, and in the log with its names. And the trace does not depend on the job. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "sim/train/job/run_log.h"
#include "tests/unit/train/compare.h"
#include "tests/unit/train/fixture.h"
#include "tests/unit/train/log_hash.h"
#include "traces/generate/generate.h"

#define STUDY_TRACE                                                                                \
    "{generator: seed, preemption: {per_minute: 0.16338, count: {normal: {mean: "                  \
    "2.4138, std: 2.0862}}}, addition: {per_minute: 0.14366, count: {normal: {mean: "              \
    "2.5417, std: 1.9456}}, big: {probability: 0.0588, range: [11, 31]}}}"
#define WILD_ZONE                                                                                  \
    "generator: seed, preemption: {per_minute: 0.6, count: {geometric: {p: 0.2}}}, "               \
    "addition: {per_minute: 0.7, count: {moments: {mean: 4, std: 3}}}, "
#define ZONES_TRACE                                                                                \
    "{generator: zones, zones: {us-east-1b: {" WILD_ZONE                                           \
    "capacity: 20, initial: 12, price: [{from: 0 s, usd_per_h: 0.3}, {from: 1001 s, "              \
    "usd_per_h: 0.7}, {from: 3 h, usd_per_h: 0.1}]}, us-east-1a: {" WILD_ZONE                      \
    "capacity: 9, initial: 0}, us-east: {" WILD_ZONE                                               \
    "capacity: 30, initial: 30, price: 1.7}, z: {" WILD_ZONE "capacity: 2, initial: "              \
    "1}}, shocks: {per_hour: 5, p_zone: 0.5, share: 0.6}}"
#define WILD_TRACE                                                                                 \
    "{generator: seed, preemption: {per_minute: 0.6, count: {geometric: {p: 0.2}}}, "              \
    "addition: {per_minute: 0.7, count: {moments: {mean: 4, std: 3}}}}"

#define PRICED_TRACE                                                                               \
    "{" WILD_ZONE "price: [{from: 0 s, usd_per_h: 0.3}, {from: 1001 s, usd_per_h: "                \
    "0.7}, {from: 3 h, usd_per_h: 0.1}]}"

#define STEPS "step_time: {16: 18 s, 32: 11 s, 48: 9 s, 64: 8 s}"
#define JOB "job: {" STEPS "}\n"
#define FLEET "fleet: {initial: 32}\n"

/* A scenario but for its horizon and its trace. */
typedef struct {
    const char *horizon;
    const char *trace;
    const char *rest;
} setting_t;

static const setting_t settings[] = {
    {"355 min", STUDY_TRACE, FLEET JOB},
    {"355 min", STUDY_TRACE, "tick: 60 s\n" FLEET JOB},
    {"12345678 ms", STUDY_TRACE, "tick: 7 s\n" FLEET JOB},
    {"355 min", WILD_TRACE,
        "fleet: {capacity: 8, initial: 8, preparation: 0 s}\n"
        "job: {pipeline_depth: 2, reconfiguration: 3 s, reload: 1 s, " STEPS "}\n"},
    {"355 min", WILD_TRACE,
        "fleet: {capacity: 20, initial: 0, preparation: 33 s}\n"
        "job: {pipeline_depth: 4, max_pipelines: 3, checkpoint: {mode: sync, every: 7 "
        "steps, write: 5 s}, " STEPS "}\n"},
    {"100 min", WILD_TRACE,
        "tick: 250 ms\nfleet: {capacity: 1, initial: 1}\n"
        "job: {pipeline_depth: 1, " STEPS "}\n"},
    {"355 min", STUDY_TRACE, "until: {steps: 300}\n" FLEET JOB},
    {"355 min", PRICED_TRACE, "fleet: {initial: 32, price: {spot: 0.4}}\n" JOB},
    {"355 min", ZONES_TRACE, "job: {pipeline_depth: 4, " STEPS "}\n"},
    {"355 min", ZONES_TRACE,
        "tick: 1 s\nfleet: {capacity: 61, price: {spot: [{from: 0 s, usd_per_h: 1}, "
        "{from: 1 h, usd_per_h: 3}]}}\njob: {pipeline_depth: 2, " STEPS "}\n"},
};

static void make_scenario(
    spot_scenario_t *scenario, const setting_t *setting, const char *horizon, const char *trace)
{
    char text[2048];

    snprintf(text, sizeof(text), "scenario: s\nhorizon: %s\ntrace: %s\n%s", horizon, trace,
        setting->rest);
    bind_good_scenario(scenario, text);
}

static void run(const spot_scenario_t *scenario, uint64_t seed, uint64_t replication,
    spot_train_result_t *result, spot_event_log_t *log)
{
    spot_train_t train;

    assert_int_equal(spot_train_init(&train, scenario), 0);
    assert_int_equal(spot_train_run(&train, seed, replication, log), 0);
    *result = train.result;
    spot_train_free(&train);
}

static void generate(
    const spot_scenario_t *scenario, uint64_t seed, uint64_t replication, const char *path)
{
    const spot_generate_t task = {.seed = seed,
        .replication = replication,
        .horizon_ms = scenario->horizon_ms,
        .kind = SPOT_TRACE_NAMED,
        .name = "s",
        .version = "0"};
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(spot_generate(&scenario->trace, &task, path, &diag), 0);
    spot_diag_free(&diag);
}

static void check_replication(const setting_t *setting, uint64_t seed, uint64_t replication)
{
    char path[PATH_BYTES], trace[PATH_BYTES + 16];
    spot_scenario_t generating, recorded;
    spot_train_result_t result, other;
    spot_event_log_t log, other_log;
    const char *difference;

    temporary_path("generated.csv", path);
    snprintf(trace, sizeof(trace), "{file: %s}", path);
    spot_event_log_init(&log);
    spot_event_log_init(&other_log);
    make_scenario(&generating, setting, setting->horizon, setting->trace);
    generate(&generating, seed, replication, path);
    make_scenario(&recorded, setting, "trace-end", trace);
    run(&generating, seed, replication, &result, &log);
    run(&recorded, seed + 1, replication + 1, &other, &other_log); /* no dice there */
    difference = result_difference(&result, &other);
    if (difference != NULL) {
        fail_msg("%s is %" PRId64 " and %" PRId64, difference, result_value(&result, difference),
            result_value(&other, difference));
    }
    assert_true(result.cost_usd == other.cost_usd); /* to the last bit */
    assert_int_equal(log.num_records, other_log.num_records);
    assert_true(log_hash(&log) == log_hash(&other_log));
    assert_true(result.preempted > 0 && result.added > 0);
    assert_int_equal(remove(path), 0);
    spot_event_log_free(&log);
    spot_event_log_free(&other_log);
    spot_scenario_free(&generating);
    spot_scenario_free(&recorded);
}

static void test_generated_trace_file_gives_the_same_run(void **state)
{
    (void) state;
    for (size_t j = 0; j < sizeof(settings) / sizeof(settings[0]); j++) {
        for (uint64_t seed = 1; seed <= 3; seed++) {
            for (uint64_t replication = 0; replication < 4; replication++) {
                check_replication(&settings[j], seed, replication);
            }
        }
    }
}

/* The records of what happens from outside. */
static bool is_change(const spot_log_record_t *record)
{
    return record->kind == SPOT_LOG_CHANGE;
}

static const spot_log_record_t *next_change(const spot_event_log_t *log, size_t *record_id)
{
    while (*record_id < log->num_records && !is_change(&log->records[*record_id])) {
        (*record_id)++;
    }
    return *record_id < log->num_records ? &log->records[(*record_id)++] : NULL;
}

static void assert_same_changes(const spot_event_log_t *log, const spot_event_log_t *other)
{
    size_t record_id = 0, other_id = 0;
    const spot_log_record_t *record, *match;

    do {
        record = next_change(log, &record_id);
        match = next_change(other, &other_id);
        assert_int_equal(record == NULL, match == NULL);
        if (record != NULL) {
            assert_int_equal(record->time_ms, match->time_ms);
            assert_int_equal(record->kind, match->kind);
            assert_memory_equal(record->values, match->values, sizeof(record->values));
            assert_string_equal(
                spot_event_log_text(log, record), spot_event_log_text(other, match));
        }
    } while (record != NULL);
}

static void test_the_job_does_not_choose_the_victims(void **state)
{
    static const char *const jobs[] = {
        "fleet: {initial: 32}\njob: {pipeline_depth: 1, " STEPS "}\n",
        "fleet: {initial: 32}\njob: {pipeline_depth: 64, reconfiguration: 1 h, " STEPS "}\n",
        "fleet: {initial: 32}\njob: {pipeline_depth: 5, reload: 0 s, checkpoint: {mode: sync, "
        "write: 2 s}, " STEPS "}\n",
        "job: {pipeline_depth: 3, max_pipelines: 2, " STEPS
        "}\nfleet: {initial: 32, preparation: 40 min}\n",
    };
    spot_event_log_t log, other;
    spot_train_result_t result;
    spot_scenario_t scenario;

    (void) state;
    spot_event_log_init(&log);
    spot_event_log_init(&other);
    make_scenario(&scenario, &settings[0], "355 min", STUDY_TRACE);
    run(&scenario, 2, 7, &result, &log);
    spot_scenario_free(&scenario);
    assert_true(result.preempted > 50);
    for (size_t j = 0; j < sizeof(jobs) / sizeof(jobs[0]); j++) {
        const setting_t setting = {"355 min", STUDY_TRACE, jobs[j]};

        make_scenario(&scenario, &setting, "355 min", STUDY_TRACE);
        run(&scenario, 2, 7, &result, &other);
        assert_same_changes(&log, &other);
        spot_scenario_free(&scenario);
    }
    spot_event_log_free(&log);
    spot_event_log_free(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_generated_trace_file_gives_the_same_run),
        cmocka_unit_test(test_the_job_does_not_choose_the_victims),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
