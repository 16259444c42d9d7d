/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Equal terms, over random jobs: a figure that recovery systems share is the same number
 * for all of them, and without losses all with the same steps and checkpoints are alike.
 * Each law is also shown to find a system with a figure of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixture.h"
#include "policy_laws.h"
#include "set_recovery.h"
#include "sim/train/metrics.h"

#define NUM_CASES (300 / SPOT_FEWER)

#define TRACE_HEAD                                                                                 \
    "# spotsim-trace: 1\n# name: test\n# start: unknown\n# resolution_s: 0.001\n"                  \
    "# kind: named\n# capacity: unbounded\ntime_s,event,count,instances\n"

/* ---- Random jobs ---- */

/* The figures of a job in ms, of which the scenario gives some and lets others follow.
 */
typedef struct {
    int64_t detection_ms, regroup_ms, rebuild_ms;
    int64_t reload_ms, write_ms;
    int64_t copy_ms; /* of the whole state to one instance */
    char fleet[128], job[512];
    const char *checkpoint; /* but for its write time */
    char write[64];
} job_t;

/* State and bandwidths are such that times are whole milliseconds. Parcae looks some
 * minutes ahead, so pauses are shorter: else it would rather wait. */
static void draw_job(job_t *self, uint64_t seed)
{
    static const char *const forms[] = {"mode: sync, every: 3 steps",
        "mode: async, every: 2 steps, busy: wait, snapshot: 1234 ms",
        "mode: async, every: back-to-back", "mode: async, every: 45 s, busy: join"};
    const int64_t state_ms = 1 + (int64_t) mixed(seed, 1, 50000);
    const bool is_measured = mixed(seed, 6, 2) == 1, has_rebuild = mixed(seed, 10, 2);
    char reload[64] = "";

    *self = (job_t){.detection_ms = (int64_t) mixed(seed, 2, 50000),
        .regroup_ms = 1 + (int64_t) mixed(seed, 3, 30000),
        .rebuild_ms = (int64_t) mixed(seed, 4, 30000),
        .reload_ms = state_ms,
        .write_ms = state_ms,
        .copy_ms = 6 + 6 * (int64_t) mixed(seed, 5, 9000),
        .checkpoint = forms[mixed(seed, 7, 4)]};
    if (is_measured) {
        self->reload_ms = (int64_t) mixed(seed, 8, 50000);
        self->write_ms = 1 + (int64_t) mixed(seed, 9, 50000);
        snprintf(self->write, sizeof(self->write), ", write: %lld ms", (long long) self->write_ms);
        snprintf(reload, sizeof(reload), ", reload: %lld ms", (long long) self->reload_ms);
    }
    snprintf(self->fleet, sizeof(self->fleet), "network: 8 Gbit/s, storage: %.17g B/s",
        1e9 * (double) self->copy_ms / (double) state_ms);
    snprintf(self->job, sizeof(self->job),
        "detection: %lld ms, regroup: %lld ms, %s: %lld ms, samples_per_step: 64,\n"
        "  model: {parameters: %lld, layers: 4, bytes_per_parameter: 1}%s",
        (long long) self->detection_ms, (long long) self->regroup_ms,
        has_rebuild ? "rebuild" : "reconfiguration",
        (long long) (self->rebuild_ms + (has_rebuild ? 0 : self->regroup_ms)),
        (long long) self->copy_ms * 1000000, reload);
}

/* ---- Systems ---- */

/* With what each needs besides, so that its steps are those of the job. */
static const char *const systems[][2] = {{"checkpoint", ", grow_flush: yes"}, {"varuna", ""},
    {"bamboo", ", step_factor: 1"}, {"oobleck", ", f: 0"}, {"parcae", ""},
    {"parcae-throughput", ""}, {"gemini", ", mem_overhead: 0 s"}, {"recycle", ", micro_batch: 8"}};

#define NUM_SYSTEMS (sizeof(systems) / sizeof(systems[0]))

static size_t system_id(const char *name)
{
    size_t id = 0;

    while (strcmp(systems[id][0], name) != 0) {
        id++;
        assert_true(id < NUM_SYSTEMS);
    }
    return id;
}

/* What a case is about: pipelines, a trace, and the checkpoints. */
typedef struct {
    const char *job; /* pipeline_depth, max_pipelines, step_time */
    const char *rows;
    const char *checkpoint; /* NULL: that of the random job */
    bool is_of_system;      /* checkpoints are options of the system */
} shape_t;

static void bind_shape(const shape_t *self, const job_t *job, const char *system,
    const char *options, spot_scenario_t *scenario)
{
    const char *form = self->checkpoint == NULL ? job->checkpoint : self->checkpoint;
    char path[PATH_BYTES], text[4096], checkpoint[256];

    temporary_path("terms.csv", path);
    snprintf(text, sizeof(text), "%s%s", TRACE_HEAD, self->rows);
    write_file(path, text);
    snprintf(checkpoint, sizeof(checkpoint), ", checkpoint: {%s%s}", form, job->write);
    snprintf(text, sizeof(text),
        "scenario: terms\nhorizon: trace-end\ntick: 1 s\n"
        "fleet: {capacity: 16, preparation: 0 s, %s}\n"
        "job: {%s, %s%s}\nrecovery: {system: %s%s%s}\ntrace: {file: %s}\n",
        job->fleet, self->job, job->job, self->is_of_system ? "" : checkpoint, system, options,
        self->is_of_system ? checkpoint : "", path);
    bind_good_scenario(scenario, text);
    remove(path);
}

static spot_train_result_t run_shape(
    const shape_t *self, const job_t *job, const char *system, const char *options)
{
    spot_scenario_t scenario;
    spot_train_result_t result;

    bind_shape(self, job, system, options, &scenario);
    result = run_scenario(&scenario, 1, NULL);
    spot_scenario_free(&scenario);
    return result;
}

/* ---- Figures that are shared ---- */

#define ONE_OF_TWO "pipeline_depth: 2, max_pipelines: 1, step_time: {2: 10 s}"
#define TWO_OF_ONE "pipeline_depth: 1, max_pipelines: 2, step_time: {1: 1000 s, 2: 10 s}"

/* The whole job is lost and starts anew with others, from storage. */
static const shape_t anew = {
    ONE_OF_TWO, "0,init,4,a b c d\n207.5,preempt,2,a b\n2000,end,2,\n", NULL, false};
/* One of two replicas is left, and no other instance. */
static const shape_t left = {
    TWO_OF_ONE, "0,init,2,a b\n207.5,preempt,1,b\n2000,end,1,\n", NULL, false};
/* The same with an instance that takes the lost place. */
static const shape_t replaced = {
    TWO_OF_ONE, "0,init,3,a b c\n207.5,preempt,1,b\n2000,end,2,\n", NULL, false};
/* A second pipeline forms, before which the job writes a checkpoint. No other one ever
 * stalls it. */
static const shape_t grown = {
    TWO_OF_ONE, "0,init,1,a\n1050,add,1,b\n2000,end,2,\n", "every: 1000 steps", false};

typedef enum { DETECTION, READING, REGROUPING, COPYING, WRITING } figure_t;

/* A figure, who shares it, and an option that gives a system a figure of its own. */
typedef struct {
    figure_t figure;
    const char *system;
    const char *wrong, *unit; /* before and behind a number of ms; NULL: none */
} share_t;

static const share_t shares[] = {{DETECTION, "checkpoint", ", detection: ", " ms"},
    {DETECTION, "varuna", ", detection: ", " ms"}, {DETECTION, "bamboo", ", detection: ", " ms"},
    {DETECTION, "oobleck", ", detection: ", " ms"}, {DETECTION, "parcae", ", detection: ", " ms"},
    {DETECTION, "parcae-throughput", ", detection: ", " ms"},
    {DETECTION, "gemini", ", detection: ", " ms"}, {DETECTION, "recycle", ", detection: ", " ms"},
    {READING, "checkpoint", NULL, NULL}, {READING, "varuna", NULL, NULL},
    {READING, "bamboo", NULL, NULL}, {READING, "oobleck", NULL, NULL},
    {READING, "parcae", NULL, NULL}, {READING, "parcae-throughput", NULL, NULL},
    {READING, "gemini", ", state_bytes: 1e6, remote_bytes_per_s: ", ""},
    {READING, "recycle", NULL, NULL}, {REGROUPING, "oobleck", ", regroup: ", " ms"},
    {REGROUPING, "parcae", ", group_base_ms: ", ""}, {REGROUPING, "recycle", ", replan: ", " ms"},
    {COPYING, "oobleck", ", layer_bytes: ", "000000"},
    {COPYING, "parcae", ", link_gbps: 0.001, first_parameters: ", ""},
    {COPYING, "recycle", ", stage_copy: ", " ms"},
    {WRITING, "checkpoint", ", checkpoint: {write: ", " ms}"},
    {WRITING, "varuna", ", checkpoint: {write: ", " ms}"},
    {WRITING, "parcae-throughput", ", checkpoint: {write: ", " ms}"}};

#define NUM_SHARES (sizeof(shares) / sizeof(shares[0]))

/* Whether a run shows the figure as the job has it. */
static bool is_shared(figure_t figure, const job_t *job, const char *system, const char *options)
{
    const int64_t restart_ms = job->detection_ms + job->regroup_ms + job->rebuild_ms;
    const shape_t *const shapes[] = {&anew, &anew, &left, &replaced, &grown};
    const spot_train_result_t result = run_shape(shapes[figure], job, system, options);
    const int64_t reconfiguring_ms = result.job_ms[SPOT_JOB_RECONFIGURING],
                  reloading_ms = result.job_ms[SPOT_JOB_RELOADING];

    switch (figure) {
        case DETECTION:
            return reconfiguring_ms == restart_ms;
        case READING:
            return reloading_ms == job->reload_ms;
        case REGROUPING:
            return reconfiguring_ms == job->detection_ms + job->regroup_ms && reloading_ms == 0;
        case COPYING:
            return reconfiguring_ms + reloading_ms == restart_ms + job->copy_ms;
        default:
            return result.stalled_ms == job->write_ms && result.rollbacks == 0;
    }
}

/* The figure with a millisecond too much; in text. */
static void write_wrong(const share_t *share, const job_t *job, char text[256])
{
    const int64_t right_ms[] = {
        job->detection_ms, job->reload_ms, job->regroup_ms, job->copy_ms, job->write_ms};
    int64_t wrong_ms = right_ms[share->figure] + 1;

    if (share->figure == COPYING && strcmp(share->system, "recycle") == 0) {
        wrong_ms += job->rebuild_ms;
    }
    text[0] = '\0';
    if (share->wrong != NULL) {
        snprintf(text, 256, "%s%s%lld%s", systems[system_id(share->system)][1], share->wrong,
            (long long) wrong_ms, share->unit);
    }
}

static void test_shared_figures(void **state)
{
    (void) state;
    for (uint64_t seed = 1; seed <= NUM_CASES; seed++) {
        job_t job;

        draw_job(&job, seed);
        for (size_t j = 0; j < NUM_SHARES; j++) {
            const share_t *share = &shares[j];
            const char *options = systems[system_id(share->system)][1];
            char wrong[256];

            if (!is_shared(share->figure, &job, share->system, options)) {
                fail_msg("case %d: %s has figure %d of its own", (int) seed, share->system,
                    (int) share->figure);
            }
            write_wrong(share, &job, wrong);
            if (wrong[0] != '\0' && is_shared(share->figure, &job, share->system, wrong)) {
                fail_msg("case %d: %s%s goes unseen", (int) seed, share->system, wrong);
            }
        }
    }
}

/* ---- Without losses ---- */

/* Pipelines of a fleet that never changes; more of them are faster. */
static void draw_constant(shape_t *self, uint64_t seed, char job[256], char rows[256])
{
    const int depth = 1 + (int) mixed(seed, 20, 3), most = 1 + (int) mixed(seed, 21, 3);
    const int num_spare = (int) mixed(seed, 22, 3);
    int step_s = 40 + (int) mixed(seed, 23, 40);
    size_t used;

    used = (size_t) snprintf(
        job, 256, "pipeline_depth: %d, max_pipelines: %d, step_time: {", depth, most);
    for (int d = 1; d <= most; d++) {
        used += (size_t) snprintf(
            job + used, 256 - used, "%s%d: %d s", d == 1 ? "" : ", ", d * depth, step_s);
        step_s -= 1 + (int) mixed(seed, 24 + (uint64_t) d, 10);
    }
    snprintf(job + used, 256 - used, "}");
    used = (size_t) snprintf(rows, 256, "0,init,%d,", depth * most + num_spare);
    for (int j = 0; j < depth * most + num_spare; j++) {
        used += (size_t) snprintf(rows + used, 256 - used, "%sn%d", j == 0 ? "" : " ", j);
    }
    snprintf(rows + used, 256 - used, "\n%d,end,%d,\n", 1500 + (int) mixed(seed, 30, 999),
        depth * most + num_spare);
    *self = (shape_t){.job = job, .rows = rows, .is_of_system = mixed(seed, 31, 2) == 1};
}

/* The name of the first number in which the results of two systems differ, or NULL: the
 * metrics follow from these. */
static const char *unlike(const shape_t *shape, const job_t *job, size_t id, const char *options)
{
    const shape_t of_job = {shape->job, shape->rows, shape->checkpoint, false};
    const spot_train_result_t first = run_shape(&of_job, job, "checkpoint", "");
    const spot_train_result_t result = run_shape(shape, job, systems[id][0], options);

    return all_difference(&first, &result);
}

static void test_alike_without_losses(void **state)
{
    int64_t num_stalled = 0;

    (void) state;
    for (uint64_t seed = 1; seed <= NUM_CASES; seed++) {
        char numbers[256], rows[256];
        spot_scenario_t scenario;
        double metrics[NUM_SYSTEMS][SPOT_TRAIN_NUM_METRICS];
        shape_t shape;
        job_t job;

        draw_job(&job, seed);
        draw_constant(&shape, seed, numbers, rows);
        for (size_t j = 0; j < NUM_SYSTEMS; j++) {
            const char *name = unlike(&shape, &job, j, systems[j][1]);
            spot_train_result_t result;

            if (name != NULL) {
                fail_msg("case %d: %s of %s differs", (int) seed, name, systems[j][0]);
            }
            bind_shape(&shape, &job, systems[j][0], systems[j][1], &scenario);
            result = run_scenario(&scenario, 1, NULL);
            spot_train_metric_values(&scenario, &result, metrics[j]);
            spot_scenario_free(&scenario);
            assert_memory_equal(metrics[j], metrics[0], sizeof(metrics[0]));
            num_stalled += result.stalled_ms > 0;
        }
    }
    assert_true(num_stalled > 0);
}

/* Longer steps and other checkpoints are seen. */
static void test_unlike_ones_are_seen(void **state)
{
    static const char *const wrong[][2] = {{"bamboo", ", step_factor: 1.01"},
        {"gemini", ", mem_overhead: 1 s"}, {"varuna", ", every: 1"},
        {"parcae", ", published_defaults: yes"}};

    (void) state;
    for (size_t j = 0; j < sizeof(wrong) / sizeof(wrong[0]); j++) {
        size_t num_seen = 0;

        for (uint64_t seed = 1; seed <= 20; seed++) {
            char numbers[256], rows[256];
            shape_t shape;
            job_t job;

            draw_job(&job, seed);
            draw_constant(&shape, seed, numbers, rows);
            shape.is_of_system = false;
            num_seen += unlike(&shape, &job, system_id(wrong[j][0]), wrong[j][1]) != NULL;
        }
        print_message("%s%s: seen in %zu of 20\n", wrong[j][0], wrong[j][1], num_seen);
        assert_true(num_seen >= 15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shared_figures),
        cmocka_unit_test(test_alike_without_losses),
        cmocka_unit_test(test_unlike_ones_are_seen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
