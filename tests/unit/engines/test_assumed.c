/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nothing is made up in silence: of scenarios that say everything, each key is left out
 * in turn. Then the scenario is refused, or the key is named as assumed, or it is in the
 * list below, which says why its default needs no name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/assumed.h"
#include "sim/bench/engine/experiment.h"
#include "sim/engines.h"

/* ---- Scenarios that say everything ---- */

static const char train[] =
    "scenario: full\n"
    "engine: train\n"
    "horizon: 10 h\n"
    "until: {steps: 100}\n"
    "deadline: 5 h\n"
    "tick: 2 s\n"
    "fleet:\n"
    "  capacity: 24\n"
    "  initial: 16\n"
    "  on_demand: 2\n"
    "  preparation: 90 s\n"
    "  notice: 30 s\n"
    "  price: {spot: 1, on_demand: 3, currency: EUR}\n"
    "job:\n"
    "  pipeline_depth: 4\n"
    "  max_pipelines: 5\n"
    "  samples_per_step: 512\n"
    "  step_time: {4: 20 s, 8: 12 s, 24: 6 s}\n"
    "  checkpoint: {mode: async, every: 10 steps, write: 40 s, snapshot: 1 s, busy: wait}\n"
    "  detection: 5 s\n"
    "  reconfiguration: 20 s\n"
    "  reload: 10 s\n"
    "  input:\n"
    "    samples: 100000\n"
    "    sample_bytes: 500 kB\n"
    "    loader: {processes: 4, prefetch: 3, threads: 2, block: 8, instances: all, mode: "
    "prefetch}\n"
    "    cost:\n"
    "      decode: 1 ms\n"
    "      open: {local: 1 ms, remote: 3 ms}\n"
    "      read: {local: 1 ms, remote: 2 ms}\n"
    "      merged: 1 ms\n"
    "      thread_growth: 0.1\n"
    "      collate: {time: 3 ms, batch: 64}\n"
    "      start: 1 s\n"
    "      handover: 1 ms\n"
    "    storage: {local_share: 0.5, shared_bandwidth: 10 GB/s, cache: 1 GB}\n"
    "    restart: {overlap: 1 s}\n"
    "recovery: {system: varuna, lead: 10 s, settle: 20 s, cut_points: 12}\n"
    "trace:\n"
    "  generator: seed\n"
    "  preemption: {per_minute: 0.1, count: {fixed: 1}}\n"
    "  addition: {per_minute: 0.1, count: {fixed: 1}}\n";

static const char serve[] =
    "scenario: full\n"
    "engine: serve\n"
    "hardware: {gpu: {on_demand: 3, spot: 1}, cpu: {on_demand: 0.5, spot: 0.1}}\n"
    "service: p99\n"
    "profiles:\n"
    "  - {model: Detect, hardware: gpu, batches: {1: {throughput_qps: 12, p99_ms: 95}}}\n"
    "  - {model: Classify, hardware: cpu, batches: {1: {throughput_qps: 90, p99_ms: 16}}}\n"
    "pipeline: [{id: Detect, from: source}, {id: Classify, from: Detect}]\n"
    "arrivals: {daily: {peak_qps: 5, low_qps: 1, peak_at: 12 h, days: 2}}\n"
    "slo: {latency: 400 ms, percentile: 95}\n"
    "config:\n"
    "  Detect:\n"
    "    hardware: gpu\n"
    "    batch: 1\n"
    "    replicas: 2\n"
    "    market: spot\n"
    "    scale: {target_utilisation: 0.5, interval: 20 s, min: 2, max: 4, cool_down: 1 min}\n"
    "  Classify: {hardware: cpu, batch: 1, replicas: 1, market: hedge, hedge: {base: 1}}\n"
    "preemptions:\n"
    "  hazard: {mtbf: 5 min, recover: 20 s}\n"
    "  notice: 10 s\n"
    "  in_flight: lose\n"
    "  drain: stop\n"
    "  preparation: 5 s\n"
    "  load: 10 s\n";

static const char schedule[] =
    "scenario: full\n"
    "engine: schedule\n"
    "jobs:\n"
    "  generate:\n"
    "    per_hour: 20\n"
    "    horizon: 12 h\n"
    "    sizes: {1: 3, 4: 1}\n"
    "    duration: {family: exponential, mu: 3600}\n"
    "    checkpoint: {every: 600 s, write: 60 s}\n"
    "    restart: 50 s\n"
    "    reconfiguration: 30 s\n"
    "    elastic: {share: 0.5, throughput: {4: 1, 8: 1.8}}\n"
    "cluster: {vcs: {main: 4}, gpus_per_node: 4, placer: random, price: 20, spot_share: 0.5}\n"
    "pools:\n"
    "  - trace:\n"
    "      generator: lifetimes\n"
    "      lifetime: {family: exponential, mu: 10800}\n"
    "      refill: {family: exponential, mu: 3600}\n"
    "    preparation: 60 s\n"
    "    notice: 30 s\n"
    "    price: {spot: 7}\n"
    "policy: tiresias\n"
    "tiresias: {interval: 30 s, thresholds: [9000]}\n";

/* ---- Keys whose default needs no name ---- */

typedef struct {
    const char *key;
    const char *reason;
} unnamed_t;

static const unnamed_t of_train[] = {
    {"engine", "of another engine the other keys are unknown; train is what is left"},
    {"horizon", "the steps end the run then"},
    {"deadline", "what is asked"},
    {"fleet.initial", "the capacity, which the file gives"},
    {"fleet.on_demand", "none are rented"},
    {"fleet.price.currency", "a label: nothing is converted"},
    {"job.max_pipelines", "no limit"},
    {"job.input", "a part that is not modelled: steps never wait"},
    {"job.input.storage.shared_bandwidth", "no limit"},
    {"job.input.storage.cache", "none"},
    {"recovery.cut_points", "refused where the step times do not say it, as by (D,P)"},
};

static const unnamed_t of_serve[] = {
    {"config.Detect.scale", "off"},
    {"config.Classify.hedge.base", "no replica is on demand"},
};

static const unnamed_t of_schedule[] = {
    {"jobs.generate.elastic", "all jobs are rigid"},
};

/* ---- Leaving out ---- */

#define PATH_BYTES 256

typedef struct {
    const char *text;
    const unnamed_t *unnamed; /* [num_unnamed] */
    size_t num_unnamed;
    bool *is_met; /* [num_unnamed] a key of the list was left out in silence */
    size_t num_keys, num_refused, num_named, num_silent;
} dropping_t;

/* Whether a key is one that is left out, lies within it, or around it, so that it is
 * named with other words. */
static bool is_about(const char *key, const char *left_out)
{
    const size_t num_bytes = strlen(left_out);

    return strncmp(key, left_out, num_bytes) == 0 &&
           (key[num_bytes] == '\0' || key[num_bytes] == '.' || key[num_bytes] == '[');
}

static bool is_named(const spot_assumed_t *assumed, const char *path)
{
    for (size_t j = 0; j < assumed->num_items; j++) {
        if (is_about(assumed->items[j].key, path)) {
            return true;
        }
    }
    return false;
}

static void note_unnamed(dropping_t *self, const char *path)
{
    for (size_t j = 0; j < self->num_unnamed; j++) {
        if (strcmp(self->unnamed[j].key, path) == 0) {
            self->is_met[j] = true;
            return;
        }
    }
    print_error("without %s: no error, and it is not named\n", path);
    self->num_silent++;
}

/* Binds the scenario without a key; path NULL: the whole one, which assumes nothing. */
static void bind_without(dropping_t *self, const char *path)
{
    const spot_experiment_t *experiment;
    spot_assumed_t assumed = {.num_items = 0};
    void *scenario = NULL;
    spot_yaml_t document;
    spot_diag_t diag;
    char above[PATH_BYTES];
    char *dot;
    int ret;

    spot_diag_init(&diag);
    assert_int_equal(
        spot_yaml_parse(&document, "full.yaml", self->text, strlen(self->text), &diag), 0);
    if (path != NULL) {
        strcpy(above, path);
        dot = strrchr(above, '.');
        spot_node_drop(
            dot == NULL ? document.root : (*dot = '\0', spot_node_at(document.root, above)),
            dot == NULL ? path : dot + 1);
        assert_false(spot_node_has(document.root, path));
    }
    ret = spot_experiment_choose(&experiment, spot_engines, document.root, &diag);
    ret = ret == 0 ? experiment->bind(&scenario, document.root, NULL, &diag) : ret;
    if (ret == 0) {
        assert_int_equal(
            spot_experiment_find_assumed(experiment, scenario, document.root, &assumed), 0);
    }
    if (path == NULL) {
        if (ret != 0) {
            spot_diag_print(&diag, stderr);
        }
        assert_int_equal(ret, 0);
        for (size_t j = 0; j < assumed.num_items; j++) {
            print_error("assumed: %s\n", assumed.items[j].key);
        }
        assert_int_equal(assumed.num_items, 0);
    } else if (ret != 0) {
        assert_int_equal(assumed.num_items, 0);
        assert_true(diag.num_errors > 0);
        self->num_refused++;
    } else if (is_named(&assumed, path)) {
        self->num_named++;
    } else {
        note_unnamed(self, path);
    }
    for (size_t j = 0; j < assumed.num_items; j++) {
        if (assumed.items[j].label == NULL) { /* a line of labels, without keys between them */
            print_error("%s has no label\n", assumed.items[j].key);
            self->num_silent++;
        }
    }
    if (ret == 0 || scenario != NULL) {
        experiment->free(scenario);
    }
    spot_assumed_free(&assumed);
    spot_yaml_free(&document);
    spot_diag_free(&diag);
}

/* Leaves out each key of a map, and of the maps within it. */
static void leave_out_each(dropping_t *self, const spot_node_t *map, const char *above)
{
    for (size_t j = 0; j < map->num_children; j++) {
        const spot_node_t *child = map->children[j];
        char path[PATH_BYTES];

        if (map->keys[j]->text[0] >= '0' && map->keys[j]->text[0] <= '9') {
            continue; /* a point of a table of the user's own */
        }
        snprintf(
            path, sizeof(path), "%s%s%s", above, *above == '\0' ? "" : ".", map->keys[j]->text);
        bind_without(self, path);
        self->num_keys++;
        if (child->kind == SPOT_NODE_MAP) {
            leave_out_each(self, child, path);
        } else if (child->kind == SPOT_NODE_LIST && child->num_children > 0 &&
                   child->children[0]->kind == SPOT_NODE_MAP) {
            strcat(path, "[0]");
            leave_out_each(self, child->children[0], path);
        }
    }
}

static void drop_keys(const char *text, const unnamed_t *unnamed, size_t num_unnamed)
{
    bool is_met[64] = {false};
    dropping_t self = {
        .text = text, .unnamed = unnamed, .num_unnamed = num_unnamed, .is_met = is_met};
    spot_yaml_t document;
    spot_diag_t diag;

    assert_true(num_unnamed < sizeof(is_met) / sizeof(is_met[0]));
    bind_without(&self, NULL);
    spot_diag_init(&diag);
    assert_int_equal(spot_yaml_parse(&document, "full.yaml", text, strlen(text), &diag), 0);
    leave_out_each(&self, document.root, "");
    assert_true(self.num_named >= 10 && self.num_refused >= 5);
    for (size_t j = 0; j < num_unnamed; j++) {
        if (!is_met[j]) { /* the list says no more than is so */
            print_error("%s: refused or named, and still in the list\n", unnamed[j].key);
            self.num_silent++;
        }
    }
    assert_int_equal(self.num_silent, 0);
    spot_yaml_free(&document);
    spot_diag_free(&diag);
}

#define DROP_KEYS(text, list) drop_keys(text, list, sizeof(list) / sizeof((list)[0]))

static void test_train(void **state)
{
    (void) state;
    DROP_KEYS(train, of_train);
}

static void test_serve(void **state)
{
    (void) state;
    DROP_KEYS(serve, of_serve);
}

static void test_schedule(void **state)
{
    (void) state;
    DROP_KEYS(schedule, of_schedule);
}

/* ---- Small scenarios ---- */

#define SMALL_TRAIN                                                                                \
    "scenario: s\nhorizon: 1 h\ntick: 5 s\nrecovery: checkpoint\n"                                 \
    "fleet: {capacity: 8, preparation: 1 min, notice: 0 s, price: {spot: 1, on_demand: 3},\n"      \
    "  storage: 1 GB/s}\n"                                                                         \
    "job: {pipeline_depth: 2, samples_per_step: 8, step_time: {2: 9 s}, detection: 0 s,\n"         \
    "  reconfiguration: 9 s, %s,\n"                                                                \
    "  checkpoint: {mode: sync, every: 10 steps}}\n"                                               \
    "trace: {generator: chance, preempt_per_h: 0.1, add_per_h: 0.1%s}\n"
#define SMALL_INPUT                                                                                \
    "scenario: s\nengine: input\nbatch: 64\ncompute: 27 ms\n"                                      \
    "input:\n"                                                                                     \
    "  samples: 4096\n"                                                                            \
    "  loader: {processes: 4, prefetch: 2, block: 1, mode: prefetch, deal: batches}\n"             \
    "  cost: {decode: 1 ms, open: {local: 0 ms}, read: {local: 1 ms}, collate: {time: 0 ms},\n"    \
    "    start: 1 s, handover: 0 ms, compute: {added: 0 ms}}\n"                                    \
    "  storage: {local_share: 1}\n%s%s"
#define SMALL_SERVE                                                                                \
    "scenario: s\nengine: serve\nservice: p99\nhardware: {gpu: {on_demand: 3, spot: 1}}\n"         \
    "profiles: [{model: M, hardware: gpu, batches: {1: {throughput_qps: 12, p99_ms: 95}}}]\n"      \
    "pipeline: [{id: M, from: source}]\n"                                                          \
    "arrivals: {poisson: {rate_qps: 5, count: 10}}\n"                                              \
    "slo: {latency: 400 ms, percentile: 95}\n"                                                     \
    "config: {M: {hardware: gpu, batch: 1, replicas: 2, %s}}\n"                                    \
    "preemptions: {in_flight: lose, preparation: 5 s, load: 10 s, %s}\n"

/* What a scenario with two texts in it is said to assume. */
static void check_said(const char *text, const char *expected)
{
    const spot_experiment_t *experiment;
    spot_assumed_t assumed = {.num_items = 0};
    spot_texts_t texts = {.error = 0};
    void *scenario = NULL;
    spot_yaml_t document;
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(spot_yaml_parse(&document, "small.yaml", text, strlen(text), &diag), 0);
    assert_int_equal(spot_experiment_choose(&experiment, spot_engines, document.root, &diag), 0);
    if (experiment->bind(&scenario, document.root, NULL, &diag) != 0) {
        spot_diag_print(&diag, stderr);
        fail();
    }
    assert_int_equal(
        spot_experiment_find_assumed(experiment, scenario, document.root, &assumed), 0);
    assert_string_equal(spot_assumed_words(&texts, &assumed), expected);
    experiment->free(scenario);
    spot_texts_free(&texts);
    spot_assumed_free(&assumed);
    spot_yaml_free(&document);
    spot_diag_free(&diag);
}

#define SAID "assumed, not from your file: "
#define CHECK_SAID(form, one, two, expected)                                                       \
    do {                                                                                           \
        char text[2048];                                                                           \
                                                                                                   \
        snprintf(text, sizeof(text), form, one, two);                                              \
        check_said(text, expected);                                                                \
    } while (false)

static void test_models_by_name(void **state)
{
    (void) state;
    CHECK_SAID(SMALL_TRAIN, "model: gpt-2-1.5b", ", start_hour: 0, fills_at_start: no",
        SAID "state per parameter 14");
    CHECK_SAID(SMALL_TRAIN, "model: {preset: gpt-2-1.5b}", ", start_hour: 0, fills_at_start: no",
        SAID "state per parameter 14");
    CHECK_SAID(SMALL_TRAIN, "model: {preset: gpt-2-1.5b, bytes_per_parameter: 14}",
        ", start_hour: 0, fills_at_start: no", "");
    CHECK_SAID(SMALL_TRAIN, "model: {parameters: 1e9, bytes_per_parameter: 14}",
        ", start_hour: 0, fills_at_start: no", "");
}

static void test_traces(void **state)
{
    (void) state;
    CHECK_SAID(SMALL_TRAIN, "model: {parameters: 1e9, bytes_per_parameter: 14}", ", start_hour: 0",
        SAID "filled at the start no");
}

static void test_spread(void **state)
{
    (void) state;
    CHECK_SAID(
        SMALL_INPUT, "", "", SAID "law of reading times constant, law of decoding times constant");
    CHECK_SAID(SMALL_INPUT, "spread: {read: {lognormal: {cv: 1}}}\n", "",
        SAID "law of decoding times constant");
    CHECK_SAID(SMALL_INPUT, "spread: {read: constant, decode: {gamma: {cv: 1}}}\n", "", "");
}

static void test_replicas(void **state)
{
    (void) state;
    CHECK_SAID(SMALL_SERVE, "market: on_demand", "notice: 1 s", "");
    CHECK_SAID(SMALL_SERVE, "market: on_demand, delay: 5 ms", "notice: 1 s, drain: stop",
        SAID "release when full false");
    CHECK_SAID(
        SMALL_SERVE, "market: on_demand, delay: 5 ms, release_when_full: true", "drain: stop", "");
    CHECK_SAID(SMALL_SERVE, "market: spot", "notice: 1 s, hazard: {mtbf: 1 h, recover: 1 s}",
        SAID "drain deadline");
    CHECK_SAID(SMALL_SERVE, "market: spot", "notice: 0 s, hazard: {mtbf: 1 h, recover: 1 s}", "");
    CHECK_SAID(SMALL_SERVE, "market: spot",
        "notice: 0 s, trace: {generator: chance, capacity: 2, initial: 2, preempt_per_h: 0.5, "
        "add_per_h: 0.5, start_hour: 0, fills_at_start: no}",
        SAID "tick of the trace 60");
}

/* ---- How they are said ---- */

static void test_words(void **state)
{
    spot_assumed_t assumed = {.num_items = 0};
    spot_texts_t texts = {.error = 0};

    (void) state;
    assert_string_equal(spot_assumed_words(&texts, &assumed), "");
    assert_string_equal(spot_assumed_brief(&texts, &assumed, 80), "");
    assert_int_equal(spot_assumed_add(&assumed, "job.reload", "47 s", "reload time"), 0);
    assert_int_equal(spot_assumed_add(&assumed, "job.reload", "47 s", "reload time"), 0);
    assert_int_equal(spot_assumed_add(&assumed, "pools[0].notice", "0 s", "notice"), 0);
    assert_int_equal(spot_assumed_add(&assumed, "pools[1].notice", "0 s", "notice"), 0);
    assert_int_equal(spot_assumed_add(&assumed, "price", "0", NULL), 0);
    assert_int_equal(assumed.num_items, 4);
    assert_string_equal(spot_assumed_words(&texts, &assumed),
        "assumed, not from your file: reload time 47 s, pools[0].notice 0 s, "
        "pools[1].notice 0 s, price 0");
    /* On a line: the prices first, and how many more there are. */
    assert_string_equal(spot_assumed_brief(&texts, &assumed, 200),
        "assumed, not from your file: price 0, pools[0].notice 0 s, pools[1].notice 0 s, reload "
        "time 47 s");
    assert_string_equal(spot_assumed_brief(&texts, &assumed, 80),
        "assumed, not from your file: price 0, pools[0].notice 0 s, and 2 more: --verbose");
    assert_string_equal(
        spot_assumed_brief(&texts, &assumed, 50), "assumed, not from your file: 4 keys: --verbose");
    spot_texts_free(&texts);
    spot_assumed_free(&assumed);
    spot_assumed_free(&assumed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_train),
        cmocka_unit_test(test_serve),
        cmocka_unit_test(test_schedule),
        cmocka_unit_test(test_models_by_name),
        cmocka_unit_test(test_traces),
        cmocka_unit_test(test_spread),
        cmocka_unit_test(test_replicas),
        cmocka_unit_test(test_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
