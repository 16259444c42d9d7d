/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recovery systems side by side: the rows are those of runs of each system, on the same
 * events, and what is not recovery is the same. The test works in a folder of its own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/bench/analysis/difference.h"
#include "sim/bench/analysis/point_groups.h"
#include "sim/bench/analysis/summary.h"
#include "sim/bench/study/compare.h"
#include "sim/bench/study/run.h"
#include "sim/bench/study/study.h"
#include "sim/engines.h"
#include "sim/train/metrics.h"
#include "tests/unit/study/engine_halls.h"
#include "tests/unit/train/fixture.h"

#define NUM_REPLICATIONS 70
#define NUM_SYSTEMS 3
#define SLOW "{system: checkpoint, detection: 30 s}"

static const char *const systems[NUM_SYSTEMS] = {
    "checkpoint", SLOW, "{system: checkpoint, detection: 0 ms}"};
static const char all_systems[] = "checkpoint, " SLOW ", {system: checkpoint, detection: 0 ms}";

/* The scenario's own recovery never counts. */
#define JOB(initial)                                                                               \
    "fleet: {capacity: 24, initial: " initial ", preparation: 60 s}\n"                             \
    "job: {pipeline_depth: 4, reload: 20 s, step_time: {16: 18 s, 32: 11 s, 48: 9 s, 64: 8 s}}\n"  \
    "recovery: {system: checkpoint, detection: 77 s}\n"
#define GENERATED                                                                                  \
    "scenario: made\nhorizon: 2 h\n" JOB(                                                          \
        "16") "trace: {generator: seed, preemption: {per_minute: 0.2, count: "                     \
              "{geometric: {p: "                                                                   \
              "0.4}}}, addition: {per_minute: 0.2, count: {fixed: 2}}}\n"
#define RECORDED(file) "scenario: told\n" JOB("9") "trace: {file: " file "}\n"
static char folder[PATH_BYTES];
static const char *const files[] = {
    "made.yaml", "told.yaml", "counted.yaml", "named.csv", "counts.csv", "x.yaml"};

static int enter_folder(void **state)
{
    (void) state;
    snprintf(folder, sizeof(folder), "%s/recovery-XXXXXX", temporary_folder());
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    write_file("made.yaml", GENERATED);
    write_file("told.yaml", RECORDED("named.csv"));
    write_file("counted.yaml", RECORDED("counts.csv"));
    write_file("named.csv",
        "# spotsim-trace: 1\n# name: named\n# start: unknown\n# resolution_s: 0.5\n"
        "# kind: named\n# capacity: 24\ntime_s,event,count,instances\n"
        "0,init,9,a b c d e f g h i\n1200,preempt,1,b\n3000,add,2,j k\n"
        "5000,preempt,2,a j\n7200,end,8,\n");
    write_file("counts.csv",
        "# spotsim-trace: 1\n# name: counts\n# start: unknown\n# resolution_s: 0.5\n"
        "# kind: counts\n# capacity: 24\ntime_s,event,count,instances\n"
        "0,init,9,\n1200,preempt,1,\n3000,add,2,\n5000,preempt,2,\n7200,end,8,\n");
    return 0;
}

static int leave_folder(void **state)
{
    (void) state;
    for (size_t j = 0; j < sizeof(files) / sizeof(files[0]); j++) {
        remove(files[j]);
    }
    assert_int_equal(chdir("/"), 0);
    return rmdir(folder);
}

/* A comparison of recovery systems, as --recovery asks for it. */
typedef struct {
    const char *scenario_path;
    const char *systems;
    const char *trace_path;
    int64_t num_replications;
    int64_t seed;
    size_t num_sets;
    const char *const *sets;
} recoveries_t;

static int read_recoveries(const recoveries_t *self, spot_study_t *study, spot_diag_t *diag)
{
    const spot_compare_key_t key = {"--recovery", "recovery", self->systems};
    const spot_compare_request_t request = {.scenario_path = self->scenario_path,
        .num_keys = 1,
        .keys = &key,
        .trace_path = self->trace_path,
        .num_replications = self->num_replications,
        .seed = self->seed,
        .num_sets = self->num_sets,
        .sets = self->sets};

    return spot_compare_read(&request, spot_engines, study, diag);
}

static void read_good(const recoveries_t *comparison, spot_study_t *study)
{
    spot_diag_t diag;
    char *report;
    int ret;

    spot_diag_init(&diag);
    ret = read_recoveries(comparison, study, &diag);
    report = diagnostics(&diag);
    assert_string_equal(report, "");
    assert_int_equal(ret, 0);
    free(report);
    spot_diag_free(&diag);
}

static void assert_fails(const recoveries_t *comparison, const char *expected)
{
    spot_study_t study;
    spot_diag_t diag;
    char *report;

    spot_diag_init(&diag);
    assert_true(read_recoveries(comparison, &study, &diag) != 0);
    report = diagnostics(&diag);
    assert_string_equal(report, expected);
    free(report);
    spot_study_free(&study);
    spot_diag_free(&diag);
}

static spot_store_t *run_study(const spot_study_t *study)
{
    const spot_study_run_t run = {.num_threads = 2};
    spot_store_t *store;

    assert_int_equal(spot_store_open_memory(&store, &study->head), 0);
    assert_int_equal(spot_study_run(study, store, &run, NULL), 0);
    return store;
}

/* ---- The same numbers as by other ways ---- */

/* A run of one system without any study. */
typedef struct {
    spot_scenario_t scenario;
    spot_train_t train;
    const spot_study_head_t *head;
    uint64_t seed;
    int64_t num_rows;
} single_t;

static int compare_row(void *context, const spot_row_t *row)
{
    single_t *self = context;

    assert_int_equal(
        spot_train_run(&self->train, self->seed, (uint64_t) row->replication, NULL), 0);
    for (size_t j = 0; j < self->head->num_metrics; j++) {
        const double value =
            spot_train_metric(&self->scenario, &self->train.result, self->head->metrics[j].name);

        assert_true(isnan(value) ? isnan(row->metrics[j]) : value == row->metrics[j]);
    }
    self->num_rows++;
    return 0;
}

/* Every row of every system is that of a run by itself. */
static void check_runs(const recoveries_t *comparison, int64_t num_replications)
{
    spot_study_t study;
    spot_store_t *store;

    read_good(comparison, &study);
    assert_int_equal(study.head.num_points, NUM_SYSTEMS);
    store = run_study(&study);
    for (size_t j = 0; j < NUM_SYSTEMS; j++) {
        single_t single = {.head = &study.head, .seed = (uint64_t) comparison->seed};
        char set[128];
        const spot_scenario_changes_t changes = {
            .trace_path = comparison->trace_path,
            .num_sets = 1,
            .sets = (const char *[]){set},
        };
        spot_diag_t diag;

        snprintf(set, sizeof(set), "recovery=%s", systems[j]);
        spot_diag_init(&diag);
        assert_int_equal(
            spot_scenario_read(&single.scenario, comparison->scenario_path, &changes, &diag), 0);
        assert_int_equal(spot_train_init(&single.train, &single.scenario), 0);
        assert_int_equal(store->read(store, j, 0, compare_row, &single), 0);
        assert_int_equal(single.num_rows, num_replications);
        spot_train_free(&single.train);
        spot_scenario_free(&single.scenario);
        spot_diag_free(&diag);
    }
    store->close(store);
    spot_study_free(&study);
}

static void test_same_as_runs(void **state)
{
    (void) state;
    check_runs(&(recoveries_t){.scenario_path = "made.yaml",
                   .systems = all_systems,
                   .num_replications = NUM_REPLICATIONS,
                   .seed = 7},
        NUM_REPLICATIONS);
    check_runs(&(recoveries_t){.scenario_path = "told.yaml", .systems = all_systems, .seed = 1}, 1);
    check_runs(&(recoveries_t){.scenario_path = "told.yaml",
                   .systems = all_systems,
                   .trace_path = "counts.csv",
                   .num_replications = 3,
                   .seed = 2},
        3);
}

/* The same study as a file gives the same summaries. */
static void test_same_as_study(void **state)
{
    const recoveries_t comparison = {.scenario_path = "made.yaml",
        .systems = "checkpoint," SLOW,
        .num_replications = NUM_REPLICATIONS,
        .seed = 3};
    spot_study_t studies[2];
    spot_summary_t *summaries[2];
    spot_paired_t *pairs[2];
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    read_good(&comparison, &studies[0]);
    write_file("x.yaml", "study: x\nscenario: made.yaml\n"
                         "sweep: {recovery: [{system: checkpoint}, " SLOW "]}\n"
                         "baseline: {recovery: {system: checkpoint}}\n"
                         "replications: {count: 70, seed: 3}\n"
                         "metrics: [steps_kept, samples_per_s, usd_per_h, samples_per_usd, "
                         "same_work_on_demand_usd, same_work_on_demand_s, saving_fraction, "
                         "idle_fraction, lost_fraction, reconfigurations, rollbacks]\n");
    assert_int_equal(spot_study_read(&studies[1], spot_engines, "x.yaml", NULL, &diag), 0);
    for (int j = 0; j < 2; j++) {
        spot_store_t *store = run_study(&studies[j]);

        assert_int_equal(spot_summarise_all(store, &summaries[j]), 0);
        assert_int_equal(spot_store_differences(store, &pairs[j]), 0);
        store->close(store);
    }
    assert_int_equal(studies[0].head.num_listed, studies[1].head.num_listed);
    for (size_t i = 0; i < 2 * studies[1].head.num_listed; i++) {
        const size_t point_id = i / studies[1].head.num_listed; /* checkpoint, SLOW */
        const size_t metric_id = i % studies[1].head.num_listed;
        const size_t j = point_id * studies[1].head.num_metrics + metric_id;
        const size_t k = point_id * studies[0].head.num_metrics + metric_id;

        assert_true(summaries[0][k].num_values == NUM_REPLICATIONS);
        assert_true(summaries[0][k].value == summaries[1][j].value);
        assert_true(summaries[0][k].ci_low == summaries[1][j].ci_low);
        assert_int_equal(spot_paired_num_pairs(&pairs[0][k]), spot_paired_num_pairs(&pairs[1][j]));
        if (point_id == 1) {
            assert_true(spot_paired_mean(&pairs[0][k]) == spot_paired_mean(&pairs[1][j]));
        }
    }
    for (int j = 0; j < 2; j++) {
        free(summaries[j]);
        free(pairs[j]);
        spot_study_free(&studies[j]);
    }
    spot_diag_free(&diag);
}

/* Systems that are the same differ by exactly nothing, but in events that were
 * hardly seen; a slower one does differ. */
static void test_equal_systems(void **state)
{
    const recoveries_t comparison = {.scenario_path = "made.yaml",
        .systems = all_systems,
        .num_replications = NUM_REPLICATIONS,
        .seed = 1};
    spot_study_t study;
    spot_store_t *store;
    spot_paired_t *pairs;
    size_t num_metrics, steps_id;

    (void) state;
    read_good(&comparison, &study);
    num_metrics = study.head.num_metrics;
    steps_id = spot_study_metric_id(&study.head, "steps_kept");
    store = run_study(&study);
    assert_int_equal(spot_store_differences(store, &pairs), 0);
    for (size_t j = 0; j < num_metrics; j++) {
        const spot_paired_t *pair = &pairs[2 * num_metrics + j];

        assert_int_equal(spot_paired_num_pairs(pair), NUM_REPLICATIONS);
        assert_true(spot_paired_mean(pair) == 0);
        assert_true(pair->has_ends || spot_paired_half_width(pair, SPOT_CONFIDENCE) == 0);
        assert_int_equal(spot_paired_sign(pair, SPOT_CONFIDENCE), 0);
    }
    assert_true(spot_paired_half_width(&pairs[2 * num_metrics + steps_id], SPOT_CONFIDENCE) == 0);
    assert_true(spot_paired_mean(&pairs[num_metrics + steps_id]) +
                    spot_paired_half_width(&pairs[num_metrics + steps_id], SPOT_CONFIDENCE) <
                0);
    free(pairs);
    store->close(store);
    spot_study_free(&study);
}

/* A name has the keys of the map that it stands for. */
static void test_conditions(void **state)
{
    static const char *const sets[] = {
        "where=recovery.system == 'checkpoint' and detection < 1 s and depth == 8",
        "where=recovery == 'checkpoint' and depth == 8"};

    (void) state;
    write_file("x.yaml", "study: x\nscenario: made.yaml\n"
                         "sweep: {recovery: [checkpoint], job.pipeline_depth: [4, 8]}\n");
    for (size_t j = 0; j < 2; j++) {
        spot_study_t study;
        spot_diag_t diag;

        spot_diag_init(&diag);
        assert_int_equal(spot_study_read(&study, spot_engines, "x.yaml",
                             &(spot_scenario_changes_t){.num_sets = 1, .sets = &sets[j]}, &diag),
            0);
        assert_int_equal(study.head.num_points, 1);
        assert_int_equal(study.head.plan.num_excluded, 1);
        spot_study_free(&study);
        spot_diag_free(&diag);
    }
}

/* ---- How often to run ---- */

static int64_t num_replications(
    const char *scenario, const char *trace, int64_t asked, const char *set)
{
    const recoveries_t comparison = {.scenario_path = scenario,
        .systems = "checkpoint," SLOW,
        .trace_path = trace,
        .num_replications = asked,
        .seed = 1,
        .num_sets = set != NULL,
        .sets = &set};
    spot_study_t study;
    int64_t num;

    read_good(&comparison, &study);
    num = study.head.num_replications;
    assert_int_equal(study.head.min_replications, num);
    assert_true(study.head.has_baseline && study.head.baseline_value_id == 0);
    assert_non_null(strstr(study.head.question, scenario[0] == 'm' ? "made" : "told"));
    assert_true((strstr(study.head.question, "recorded") != NULL) ==
                ((trace == NULL && strcmp(scenario, "told.yaml") == 0) ||
                    (trace != NULL && strcmp(trace, "named.csv") == 0)));
    spot_study_free(&study);
    return num;
}

/* Names leave nothing to chance; of counts somebody has to be picked. */
static void test_replications(void **state)
{
    (void) state;
    assert_int_equal(num_replications("made.yaml", NULL, 0, NULL), 1000);
    assert_int_equal(num_replications("made.yaml", NULL, 5, NULL), 5);
    assert_int_equal(num_replications("told.yaml", NULL, 0, NULL), 1);
    assert_int_equal(num_replications("told.yaml", NULL, 5, NULL), 5);
    assert_int_equal(num_replications("told.yaml", NULL, 0, "replications.count=7"), 7);
    assert_int_equal(num_replications("counted.yaml", NULL, 0, NULL), 1000);
    assert_int_equal(num_replications("counted.yaml", "named.csv", 0, NULL), 1);
    assert_int_equal(num_replications("told.yaml", "counts.csv", 0, NULL), 1000);
}

/* Options of their own win over the sets, which win over the defaults of a study. */
static void test_options_win_over_sets(void **state)
{
    const char *const sets[] = {"replications.count=7", "replications.seed=8"};
    recoveries_t comparison = {.scenario_path = "made.yaml",
        .systems = "checkpoint," SLOW,
        .num_replications = 5,
        .seed = 9,
        .num_sets = 2,
        .sets = sets};
    spot_study_t study;

    (void) state;
    read_good(&comparison, &study);
    assert_int_equal(study.head.num_replications, 5);
    assert_int_equal(study.head.seed, 9);
    spot_study_free(&study);
    comparison.num_replications = 0;
    comparison.seed = -1;
    read_good(&comparison, &study);
    assert_int_equal(study.head.num_replications, 7);
    assert_int_equal(study.head.seed, 8);
    spot_study_free(&study);
    comparison.num_sets = 0;
    read_good(&comparison, &study);
    assert_int_equal(study.head.seed, 1);
    spot_study_free(&study);
}

/* ---- Faults ---- */

static void assert_systems_fail(const char *text, const char *expected)
{
    assert_fails(
        &(recoveries_t){.scenario_path = "made.yaml", .systems = text, .seed = 1}, expected);
}

static void test_bad_systems(void **state)
{
    static const char too_few[] =
        "--recovery: expected two systems or more, e.g. checkpoint,{system: checkpoint, "
        "detection: 30 s}\n";

    (void) state;
    assert_systems_fail("", too_few);
    assert_systems_fail("checkpoint,", too_few);
    assert_systems_fail(
        "checkpoint,{detection: 1 s}", "--recovery:1:12: missing key \"recovery.system\"\n");
    assert_systems_fail("checkpoint,{system: checkpoint, detection: 1}",
        "--recovery:1:44: recovery.detection: expected a duration such as \"88 s\", "
        "\"1.5 h\" or \"250 ms\", got \"1\": the unit is missing\n");
    assert_systems_fail("checkpoint,[checkpoint]",
        "--recovery:1:12: recovery: expected NAME or {system: NAME}, got a list\n");
}

/* What repeats a published fault is compared with nothing that does not. */
static void test_broken_rules(void **state)
{
    recoveries_t comparison = {.scenario_path = "made.yaml",
        .systems = "{system: bamboo, step_factor: 1},{system: bamboo, stale_timers: yes}",
        .seed = 1};
    spot_study_t study;
    spot_diag_t diag;

    (void) state;
    assert_systems_fail("checkpoint,{system: bamboo, stale_timers: yes}",
        "warning: --recovery:1:12: recovery: as published, not comparable with other "
        "systems; options that break rules: stale_timers (a pause that is over stops "
        "the job)\n"
        "--recovery:1:12: recovery: bamboo has options that break rules, and stands "
        "beside "
        "checkpoint: leave them out, or compare it only with itself\n");
    assert_systems_fail("checkpoint,{system: parcae, layers: 8, par_bug: yes, pause_merge: add}",
        "warning: --recovery:1:12: recovery: as published, not comparable with other "
        "systems; options that break rules: par_bug (state that is missing is not "
        "transferred), pause_merge: add (a decision in a pause takes one more restart)\n"
        "--recovery:1:12: recovery: parcae has options that break rules, and stands "
        "beside "
        "checkpoint: leave them out, or compare it only with itself\n");
    spot_diag_init(&diag);
    assert_int_equal(read_recoveries(&comparison, &study, &diag), 0);
    assert_int_equal(diag.num_items, 1); /* the warning */
    spot_diag_free(&diag);
    spot_study_free(&study);
    comparison.systems = "checkpoint,{system: bamboo, step_factor: 1}";
    read_good(&comparison, &study);
    spot_study_free(&study);
}

/* No other key can be smuggled in. */
static void test_broken_lists(void **state)
{
    static const char *const texts[] = {"checkpoint], job: [x", "checkpoint]", "{",
        "checkpoint,{system: checkpoint", "checkpoint\n---\nx", "a: &x b, *y"};

    (void) state;
    for (size_t j = 0; j < sizeof(texts) / sizeof(texts[0]); j++) {
        const recoveries_t comparison = {
            .scenario_path = "made.yaml", .systems = texts[j], .seed = 1};
        spot_study_t study;
        spot_diag_t diag;

        spot_diag_init(&diag);
        assert_int_equal(read_recoveries(&comparison, &study, &diag), SPOT_ERR_BAD_INPUT);
        assert_true(diag.num_errors > 0);
        assert_memory_equal(diag.items[0].text, "--recovery:", 11);
        spot_study_free(&study);
        spot_diag_free(&diag);
    }
}

static void test_bad_input(void **state)
{
    static const char *const set = "scenario.recovery=checkpoint";
    recoveries_t comparison = {.scenario_path = "made.yaml",
        .systems = all_systems,
        .num_replications = 2000000000,
        .seed = 1};

    (void) state;
    assert_fails(&comparison, "--replications: replications.count: expected an integer "
                              "from 1 to 1000000000, got \"2000000000\"\n");
    comparison.num_replications = 0;
    comparison.num_sets = 1;
    comparison.sets = &set;
    assert_fails(&comparison,
        "--set: scenario.recovery is what is compared: give its options with the "
        "system, e.g. --recovery \"checkpoint,{system: checkpoint, detection: 30 "
        "s}\"\n");
    comparison.num_sets = 0;
    comparison.scenario_path = "x.yaml";
    write_file("x.yaml", "[1, 2]\n");
    assert_fails(&comparison, "x.yaml:1:1: expected a scenario, a map of keys, got a list\n");
}

/* ---- Any key of any engine ---- */

#define HALLS "scenario: hall\nengine: halls\nload: 0.25\n"

static int read_halls(spot_study_t *study, size_t num_keys, const char *const *overs,
    const char *set, spot_diag_t *diag)
{
    spot_compare_key_t keys[3];
    const spot_compare_request_t request = {.scenario_path = "x.yaml",
        .num_keys = num_keys,
        .keys = keys,
        .seed = 1,
        .num_sets = set != NULL,
        .sets = &set};

    for (size_t j = 0; j < num_keys; j++) {
        keys[j] = (spot_compare_key_t){"--over", NULL, overs[j]};
    }
    write_file("x.yaml", HALLS);
    spot_diag_init(diag);
    return spot_compare_read(&request, halls_engines, study, diag);
}

static void read_good_halls(
    spot_study_t *study, size_t num_keys, const char *const *overs, const char *set)
{
    spot_diag_t diag;
    const int ret = read_halls(study, num_keys, overs, set, &diag);
    char *report = diagnostics(&diag);

    assert_string_equal(report, "");
    assert_int_equal(ret, 0);
    free(report);
    spot_diag_free(&diag);
}

static void assert_halls_fail(
    size_t num_keys, const char *const *overs, const char *set, const char *expected)
{
    spot_study_t study;
    spot_diag_t diag;
    char *report;

    assert_true(read_halls(&study, num_keys, overs, set, &diag) != 0);
    report = diagnostics(&diag);
    assert_string_equal(report, expected);
    free(report);
    spot_study_free(&study);
    spot_diag_free(&diag);
}

/* An engine that says nothing of comparisons lists all metrics, and draws no parts. */
static void test_one_key(void **state)
{
    const char *over = "load=0.5,0.25,0.75";
    spot_study_t study;

    (void) state;
    read_good_halls(&study, 1, &over, NULL);
    assert_string_equal(study.head.question, "what difference does load make to hall?");
    assert_int_equal(study.head.num_points, 3);
    assert_int_equal(study.head.num_listed, 2);
    assert_int_equal(study.head.num_replications, 30);
    assert_int_equal(study.head.plot.num_stack, 0);
    assert_true(study.head.has_baseline);
    assert_string_equal(study.head.axes[0].texts[study.head.baseline_value_id], "0.5");
    spot_study_free(&study);
}

/* Every other case is compared with that of all first values. */
static void test_several_keys(void **state)
{
    const char *const overs[] = {"load=0.5,0.25", "chance=no,yes", "servers=1,2"};
    spot_study_t study;
    spot_store_t *store;
    spot_paired_t *pairs;
    spot_summary_t *summaries;

    (void) state;
    read_good_halls(&study, 3, overs, "replications.count=12");
    assert_string_equal(
        study.head.question, "what difference do load, chance and servers make to hall?");
    assert_int_equal(study.head.num_points, 8);
    assert_int_equal(study.head.num_more_baselines, 2);
    store = run_study(&study);
    assert_int_equal(spot_store_differences(store, &pairs), 0);
    assert_int_equal(spot_summarise_all(store, &summaries), 0);
    for (size_t j = 0; j < 8; j++) {
        const spot_paired_t *pair = &pairs[j * study.head.num_metrics];
        const bool is_fixed = spot_study_value_id(&study.head, j, 1) == 0;

        assert_int_equal(spot_study_is_baseline(&study.head, j), j == 0);
        assert_int_equal(store->num_rows(store, j), is_fixed ? 1 : 12);
        assert_int_equal(spot_paired_num_pairs(pair), j == 0 ? 0 : 12);
        if (j > 0) {
            assert_near(
                spot_paired_mean(pair), summaries[j * study.head.num_metrics].value - 5, 1e-12);
        }
    }
    free(summaries);
    free(pairs);
    store->close(store);
    spot_study_free(&study);
}

/* A sweep beside the keys that are compared has a baseline for each of its values. */
static void test_keys_and_sweep(void **state)
{
    const char *const overs[] = {"load=0.5,0.25", "chance=yes,no"};
    spot_study_t study;
    size_t *base_ids;

    (void) state;
    read_good_halls(&study, 2, overs, "sweep.servers=[1,2]");
    assert_int_equal(study.head.num_points, 8);
    assert_int_equal(spot_baseline_points(&study.head, &base_ids), 0);
    for (size_t j = 0; j < 8; j++) {
        assert_int_equal(base_ids[j], j % 2);
    }
    free(base_ids);
    spot_study_free(&study);
}

static void test_bad_keys(void **state)
{
    const char *const few[] = {"load=0.5"}, *const twice[] = {"load=1,0", "load=0,1"},
                      *const equal[] = {"load=1,1"}, *const lacks[] = {"load"},
                      *const within[] = {"load=0,1", "chance=yes,{"},
                      *const unknown[] = {"laod=0,1"}, *const good[] = {"load=0,1"},
                      *const engine[] = {"engine=halls,train"};

    (void) state;
    assert_halls_fail(1, few, NULL, "--over load: expected two values or more, e.g. 8,16\n");
    assert_halls_fail(2, twice, NULL, "--over load: load is compared already\n");
    assert_halls_fail(1, equal, NULL, "--over load:1:3: sweep.load: the value 1 stands twice\n");
    assert_halls_fail(1, lacks, NULL, "--over: expected KEY=A,B,..., got \"load\"\n");
    assert_halls_fail(2, within, NULL,
        "--over chance:1:7: YAML syntax: while parsing a flow node did not find "
        "expected "
        "node content\n");
    assert_halls_fail(
        1, unknown, NULL, "--over laod:1:1: unknown key \"laod\", did you mean \"load\"?\n");
    assert_halls_fail(1, good, "load=0.5",
        "--set: load is what is compared: give it with the values of --over\n");
    assert_halls_fail(1, engine, NULL,
        "--over engine:1:1: sweep: engine cannot be swept: one engine runs all points "
        "of "
        "a study\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_runs),
        cmocka_unit_test(test_same_as_study),
        cmocka_unit_test(test_equal_systems),
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_replications),
        cmocka_unit_test(test_options_win_over_sets),
        cmocka_unit_test(test_bad_systems),
        cmocka_unit_test(test_broken_rules),
        cmocka_unit_test(test_broken_lists),
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_one_key),
        cmocka_unit_test(test_several_keys),
        cmocka_unit_test(test_keys_and_sweep),
        cmocka_unit_test(test_bad_keys),
    };

    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
