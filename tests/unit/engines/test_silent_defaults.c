/* SPDX-License-Identifier: GPL-3.0-or-later */
/* No default decides in silence: in small scenarios of every engine and every recovery
 * system, each key that is left out is given other values. Where the results move, the
 * key is named as assumed, or it is in the list below, which says why its default needs
 * no name. */
#include <math.h>
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
#include "sim/train/recovery/recovery.h"

#define PATH_BYTES 256
#define NUM_REPLICATIONS 2
#define MAX_METRICS 512
#define SPOT_TRACE_FILE SPOT_SOURCE_DIR "/tests/golden/cli/fit-trace.csv"
#define SPOT_WORKLOADS SPOT_SOURCE_DIR "/share/jobs/workloads.csv"

/* ---- Keys whose default needs no name ---- */

typedef struct {
    const char *key; /* ends with *: all that begin so */
    const char *reason;
    bool is_met; /* it moves results in silence */
} unnamed_t;

static unnamed_t unnamed[] = {
    /* What the file gives in other words. */
    {"fleet.initial", "the capacity, which the file gives or which is named", false},
    {"pools[0].initial", "the same of a pool", false},
    {"job.regroup", "follows from job.reconfiguration", false},
    {"job.rebuild", "the same", false},
    {"job.checkpoint.write", "follows from the model and the storage, where it is not named",
        false},
    {"job.reload", "the same", false},
    {"fleet.storage", "instead of these, which are named or given", false},
    {"job.model.preset", "given as job.model: NAME", false},
    {"job.model.parameters", "of the preset", false},
    {"job.model.layers", "the same", false},
    {"cluster.start", "the first submit", false},
    {"trace.price", "fleet.price, which is named", false},
    {"trace.zones.a.price", "the same", false},
    {"trace.zones.b.price", "the same", false},
    {"pools[0].trace.price", "the price of the pool, which is named", false},
    {"trace.from_s", "the whole recording is replayed", false},
    {"trace.to_s", "the same", false},
    {"trace.running", "what the recording has", false},
    {"recovery.detection", "that of the job, which is named", false},
    {"recovery.local_pause", "the pauses of the job", false},
    {"recovery.global_pause", "the same", false},
    {"recovery.regroup", "the same", false},
    {"recovery.replan", "the same", false},
    {"recovery.restart", "the same", false},
    {"recovery.stage_copy", "the same, and the copying of the model", false},
    {"recovery.mem_overhead", "the copying of the model", false},
    {"recovery.state_bytes", "the state of the model", false},
    {"recovery.layer_bytes", "the same", false},
    {"recovery.bytes_per_parameter", "the same", false},
    {"recovery.layers", "those of the model", false},
    {"recovery.first_parameters", "the layers of the model are equal", false},
    {"recovery.layer_parameters", "the same", false},
    {"recovery.last_parameters", "the same", false},
    {"recovery.net_bytes_per_s", "fleet.network", false},
    {"recovery.bandwidth_bytes_per_s", "the same", false},
    {"recovery.link_gbps", "the same", false},
    {"recovery.remote_bytes_per_s", "fleet.storage, or job.reload", false},
    {"recovery.build_layer_ms", "job.rebuild", false},
    {"recovery.build_bytes", "the same", false},
    {"recovery.group_base_ms", "job.regroup", false},
    {"recovery.group_add_ms", "the same", false},
    {"recovery.group_remove_ms", "the same", false},
    {"recovery.add_ms", "of the paper, with published_defaults: yes", false},
    {"recovery.process_ms", "the same", false},
    {"recovery.save_load", "the same", false},
    {"recovery.every", "the checkpoints of the job, which are named, or those of the paper", false},
    {"recovery.slowdown", "follows from step_factor", false},
    {"recovery.max_micro_batch", "that of job.step_time", false},
    {"recovery.instances", "the capacity", false},
    /* What is not there at all. */
    {"fleet.on_demand", "none are rented", false},
    {"fleet.preparing", "all are ready", false},
    {"job.max_pipelines", "no limit", false},
    {"job.input.storage.shared_bandwidth", "no limit", false},
    {"input.storage.shared_bandwidth", "the same", false},
    {"plan.max_cost", "the same", false},
    {"horizon", "the run ends with its work", false},
    {"preemptions.trace.horizon_s", "no end", false},
    {"jobs.generate.horizon", "jobs says how many come", false},
    {"jobs.generate.jobs", "horizon says for how long they come", false},
    {"jobs.generate.longest", "no limit but a hundred years", false},
    {"jobs.jitter", "none", false},
    {"arrivals.gamma.clip", "none", false},
    {"config.Detect.delay", "none", false},
    {"config.Classify.delay", "none", false},
    {"config.Detect.scale", "off", false},
    {"config.Classify.scale", "off", false},
    {"config.Classify.hedge.base", "none", false},
    {"config.Classify.hedge.overprovision", "none", false},
    {"config.Classify.hedge.fallback", "none", false},
    {"recovery.service_usd_per_h", "nothing is rented besides the instances", false},
    {"recovery.copy", "a checkpoint is durable when it is written", false},
    {"recovery.poll", "additions are seen at once", false},
    {"trace.lifetime.overrun_max_s", "lives end at their deadline", false},
    {"trace.frequency", "the trace as it is", false},
    {"trace.zones.a.frequency", "the same", false},
    {"trace.zones.b.frequency", "the same", false},
    {"pools[0].trace.frequency", "the same", false},
    /* Faults of published programs, which are off. */
    {"compat", "off", false},
    {"quirks.*", "off", false},
    {"trace.compat", "a notebook's", false},
    {"trace.variant", "a notebook's", false},
    {"recovery.published_defaults", "no: figures of the job", false},
    {"recovery.fallback", "none is such a fault", false},
    {"recovery.counts_dead_standby", "off", false},
    {"recovery.idle_losses_slow", "off", false},
    {"recovery.late_restart", "off", false},
    {"recovery.par_bug", "off", false},
    {"recovery.pause_merge", "add is such a fault", false},
    {"recovery.stale_timers", "off", false},
    {"recovery.trains_in_pause", "off", false},
    /* How the system that the file names does it: no figure of a job or of a fleet. */
    {"recovery.growth", "its rule", false},
    {"recovery.grow_flush", "its rule", false},
    {"recovery.notice", "its rule", false},
    {"recovery.replacement", "its rule", false},
    {"recovery.predictor", "its rule", false},
    {"recovery.drain_steps", "its rule: as many as fit", false},
    {"recovery.interval", "of ideal: at each change, by definition", false},
    {"recovery.redundant_share", "what useful time is called, no time", false},
    /* What is counted. */
    {"output.large_over", "which jobs a metric calls large", false},
    {"input.loader.threads", "cpu_threads, which is neither time nor money", false},
};

static unnamed_t *find_unnamed(const char *path)
{
    for (size_t j = 0; j < sizeof(unnamed) / sizeof(unnamed[0]); j++) {
        const size_t num_bytes = strlen(unnamed[j].key);
        const bool is_all = unnamed[j].key[num_bytes - 1] == '*';

        if (is_all ? strncmp(path, unnamed[j].key, num_bytes - 1) == 0
                   : strcmp(path, unnamed[j].key) == 0) {
            return &unnamed[j];
        }
    }
    return NULL;
}

/* ---- Results ---- */

typedef struct {
    bool is_bound;
    size_t num_metrics;
    char names[MAX_METRICS][64];
    double values[NUM_REPLICATIONS][MAX_METRICS];
} results_t;

typedef struct {
    const char *text;
    results_t before, after;
    spot_assumed_t assumed;
    size_t num_keys, num_moved, num_silent;
} probe_t;

/* Runs the scenario; path NULL: as it is. */
static void run(probe_t *self, results_t *results, const char *path, const char *value)
{
    const spot_experiment_t *experiment;
    unsigned char flags[128] = {0};
    void *scenario = NULL, *worker = NULL;
    const spot_outputs_t *outputs;
    spot_yaml_t document;
    spot_diag_t diag;
    int ret;

    spot_diag_init(&diag);
    results->is_bound = false;
    assert_int_equal(
        spot_yaml_parse(&document, "small.yaml", self->text, strlen(self->text), &diag), 0);
    if (path != NULL) {
        spot_node_t *node = spot_yaml_new_scalar(&document, value, document.root);

        if (spot_yaml_set(&document, path, node) != 0) {
            goto out;
        }
    }
    ret = spot_experiment_choose(&experiment, spot_engines, document.root, &diag);
    assert_int_equal(ret, 0);
    ret = experiment->bind(&scenario, document.root, NULL, &diag);
    if (path == NULL && ret != 0) {
        spot_diag_print(&diag, stderr);
    }
    assert_true(path != NULL || ret == 0);
    if (ret != 0) {
        goto out;
    }
    outputs = experiment->outputs(scenario);
    results->num_metrics = outputs->num_metrics;
    assert_true(outputs->num_metrics <= MAX_METRICS);
    assert_int_equal(experiment->open(&worker, scenario), 0);
    results->is_bound = true;
    for (size_t j = 0; j < outputs->num_metrics; j++) {
        snprintf(results->names[j], sizeof(results->names[j]), "%s", outputs->metrics[j].name);
    }
    for (uint64_t j = 0; j < NUM_REPLICATIONS; j++) {
        const spot_replication_t replication = {.seed = 3, .replication = j};

        memset(results->values[j], 0, sizeof(results->values[j]));
        if (experiment->run(worker, &replication, results->values[j], flags, NULL) != 0) {
            results->is_bound = false;
        }
    }
    experiment->close(worker);
    if (path == NULL) {
        assert_int_equal(
            spot_experiment_find_assumed(experiment, scenario, document.root, &self->assumed), 0);
    }
out:
    if (scenario != NULL) {
        experiment->free(scenario);
    }
    spot_yaml_free(&document);
    spot_diag_free(&diag);
}

/* The first metric that differs, or NULL. */
static const char *moved_metric(const probe_t *self)
{
    for (size_t j = 0; j < self->before.num_metrics; j++) {
        for (size_t k = 0; k < self->after.num_metrics; k++) {
            if (strcmp(self->before.names[j], self->after.names[k]) != 0) {
                continue;
            }
            for (size_t r = 0; r < NUM_REPLICATIONS; r++) {
                const double a = self->before.values[r][j], b = self->after.values[r][k];

                if (a != b && !(isnan(a) && isnan(b))) {
                    return self->before.names[j];
                }
            }
        }
    }
    return NULL;
}

static bool is_named(const spot_assumed_t *assumed, const char *path)
{
    const size_t num_bytes = strlen(path);

    for (size_t j = 0; j < assumed->num_items; j++) {
        const char *key = assumed->items[j].key;

        if (strncmp(key, path, num_bytes) == 0 && (key[num_bytes] == '\0')) {
            return true;
        }
    }
    return false;
}

/* ---- Other values of a key ---- */

/* Whether another value of the key moves the results. */
static bool tries(probe_t *self, const char *path, const char *const *values)
{
    for (size_t j = 0; values != NULL && values[j] != NULL; j++) {
        const char *metric;

        run(self, &self->after, path, values[j]);
        metric = self->after.is_bound ? moved_metric(self) : NULL;
        if (metric != NULL) {
            self->num_moved++;
            if (!is_named(&self->assumed, path)) {
                unnamed_t *known = find_unnamed(path);

                if (known != NULL) {
                    known->is_met = true;
                } else {
                    print_error("%s: with %s %s moves, and its default is not named\n", path,
                        values[j], metric);
                    self->num_silent++;
                }
            }
            return true;
        }
    }
    return false;
}

static const char *const *values_of(const spot_field_t *field)
{
    static const char *const of_type[][8] = {
        [SPOT_FIELD_INTEGER] = {"1", "0", "2", "3", "7", "40", NULL},
        [SPOT_FIELD_NUMBER] = {"0", "0.3", "1", "3", "100", "1e9", NULL},
        [SPOT_FIELD_DURATION] = {"0 s", "1 s", "20 s", "7 min", "3 h", NULL},
        [SPOT_FIELD_DURATION_NS] = {"0 ms", "1 ms", "100 ms", "3 s", "1 min", NULL},
        [SPOT_FIELD_PRICE] = {"0", "7", NULL},
        [SPOT_FIELD_BYTES] = {"1 MB", "3 GB", "100 GB", NULL},
        [SPOT_FIELD_RATE] = {"1 MB/s", "1 GB/s", NULL},
    };

    if (field->type == SPOT_FIELD_CHOICE || (field->type == SPOT_FIELD_INTEGER && field->choices)) {
        return field->type == SPOT_FIELD_CHOICE ? field->choices : of_type[SPOT_FIELD_INTEGER];
    }
    return field->type <= SPOT_FIELD_RATE ? of_type[field->type] : NULL;
}

static void probe_map(
    probe_t *self, const spot_field_t *fields, const spot_node_t *map, const char *above);

static void probe_missing(probe_t *self, const spot_field_t *field, const char *path)
{
    self->num_keys++;
    if (field->type == SPOT_FIELD_MAP) {
        if (field->initial != NULL && strcmp(field->initial, "{}") == 0) {
            probe_map(self, field->fields, NULL, path);
        }
    } else if (field->type == SPOT_FIELD_ONE_OF) {
        bool is_moved = false;

        for (const spot_field_t *form = field->fields; !is_moved && form->name != NULL; form++) {
            is_moved = form->name[0] == '\0' && tries(self, path, values_of(form));
        }
    } else {
        tries(self, path, values_of(field));
    }
}

static void probe_value(
    probe_t *self, const spot_field_t *field, const spot_node_t *node, const char *path)
{
    char below[PATH_BYTES];

    if (field->type == SPOT_FIELD_ONE_OF) {
        field = spot_field_form(field, node);
        assert_non_null(field);
        if (field->name[0] != '\0') {
            snprintf(below, sizeof(below), "%s.%s", path, field->name);
            probe_value(self, field, node->children[0], below);
            return;
        }
    }
    if (field->type == SPOT_FIELD_MAP) {
        probe_map(self, field->fields, node, path);
    } else if (field->type == SPOT_FIELD_CUSTOM && field->table != NULL &&
               field->table(node) != NULL) {
        probe_map(self, field->table(node), node->kind == SPOT_NODE_MAP ? node : NULL, path);
    } else if (field->type == SPOT_FIELD_LIST && node->num_children > 0) {
        snprintf(below, sizeof(below), "%s[0]", path);
        probe_value(self, field->item, node->children[0], below);
    } else if (field->type == SPOT_FIELD_DICT) {
        for (size_t j = 0; j < node->num_children; j++) {
            snprintf(below, sizeof(below), "%s.%s", path, node->keys[j]->text);
            probe_value(self, field->item, node->children[j], below);
        }
    }
}

static void probe_map(
    probe_t *self, const spot_field_t *fields, const spot_node_t *map, const char *above)
{
    for (const spot_field_t *field = spot_field_first(fields); field != NULL;
         field = spot_field_next(field)) {
        const spot_node_t *child = map == NULL ? NULL : spot_node_get(map, field->name);
        char path[PATH_BYTES];

        snprintf(path, sizeof(path), "%s%s%s", above, above[0] == '\0' ? "" : ".", field->name);
        if (child == NULL) {
            probe_missing(self, field, path);
        } else {
            probe_value(self, field, child, path);
        }
    }
}

static size_t num_silent; /* of all scenarios */

static void probe(const char *text)
{
    static probe_t self;
    const spot_experiment_t *experiment;
    spot_yaml_t document;
    spot_diag_t diag;

    memset(&self, 0, sizeof(self));
    self.text = text;
    run(&self, &self.before, NULL, NULL);
    assert_true(self.before.is_bound);
    spot_diag_init(&diag);
    assert_int_equal(spot_yaml_parse(&document, "small.yaml", text, strlen(text), &diag), 0);
    assert_int_equal(spot_experiment_choose(&experiment, spot_engines, document.root, &diag), 0);
    probe_map(&self, experiment->fields, document.root, "");
    assert_true(self.num_keys >= 5 && self.num_moved >= 1);
    spot_assumed_free(&self.assumed);
    spot_yaml_free(&document);
    spot_diag_free(&diag);
    if (self.num_silent > 0) {
        print_error("in\n%s\n", text);
    }
    num_silent += self.num_silent;
}

/* ---- Scenarios that say little ---- */

#define TRACE                                                                                      \
    "trace:\n"                                                                                     \
    "  generator: seed\n"                                                                          \
    "  preemption: {per_minute: 0.15, count: {fixed: 2}}\n"                                        \
    "  addition: {per_minute: 0.15, count: {fixed: 2}}\n"
#define TRAIN "scenario: small\nhorizon: 3 h\n" TRACE

static const char *const train[] = {
    TRAIN "fleet: {capacity: 24, notice: 60 s}\n"
          "job: {step_time: {4: 20 s, 24: 6 s}, pipeline_depth: 4}\n",
    TRAIN "fleet: {capacity: 24}\n"
          "job: {step_time: {4: 20 s, 24: 6 s}, pipeline_depth: 4, checkpoint: {mode: sync}}\n",
    TRAIN "fleet: {capacity: 24, storage: 1 GB/s, network: 1 GB/s}\n"
          "job: {step_time: {4: 20 s, 24: 6 s}, pipeline_depth: 4, model: gpt-2-1.5b}\n",
    TRAIN "fleet: {capacity: 24, storage: 1 GB/s, network: 1 GB/s}\n"
          "job: {step_time: {4: 20 s, 24: 6 s}, pipeline_depth: 4, model: {preset: gpt-2-1.5b}}\n",
    TRAIN "fleet: {capacity: 24, on_demand: 4}\n"
          "job:\n"
          "  pipeline_depth: 4\n"
          "  step_time: {4: 20 s, 24: 6 s}\n"
          "  input:\n"
          "    cost: {decode: 30 ms}\n",
    TRAIN "fleet: {capacity: 24}\n"
          "job:\n"
          "  pipeline_depth: 4\n"
          "  step_time: {4: 2 s, 24: 1 s}\n"
          "  input:\n"
          "    samples: 10000\n"
          "    sample_bytes: 1 MB\n"
          "    loader: {block: 16, threads: 2}\n"
          "    cost: {decode: 30 ms, collate: {time: 10 ms}}\n"
          "    storage: {local_share: 0.5}\n",
    TRAIN "fleet: {capacity: 24}\n"
          "job:\n"
          "  pipeline_depth: 4\n"
          "  step_time: {pipeline: {layers: 12, micro_batch: 4, forward_ms: 20, backward_ms: 40,\n"
          "    gradient_bytes: 1e8, memory: {instance_bytes: 2e10, state_bytes: 1e9}}}\n",
};

/* What a system needs besides. */
static const struct {
    const char *name, *options;
} needs[] = {
    {"bamboo", ", step_factor: 1.5"},
    {"varuna", ", cut_points: 12"},
    {"recycle", ", micro_batch: 8"},
};

#define SYSTEM_JOB                                                                                 \
    "  step_time: {4: 20 s, 8: 12 s, 24: 6 s}\n  pipeline_depth: 4\n"                              \
    "  model: {preset: gpt-2-1.5b, bytes_per_parameter: 14}\n"

enum { BY_SIZE, BY_PIPELINE, PUBLISHED };

static const char *const systems[] = {
    TRAIN "fleet: {capacity: 24, notice: 120 s, network: 10 Gbit/s, storage: 5 GB/s}\n"
          "job:\n" SYSTEM_JOB,
    TRAIN "fleet: {capacity: 24, network: 10 Gbit/s, storage: 5 GB/s}\n"
          "job:\n"
          "  step_time: {pipeline: {layers: 50, micro_batch: 4, forward_ms: 20, backward_ms: 40,\n"
          "    gradient_bytes: 1e8}}\n"
          "  pipeline_depth: 4\n"
          "  model: {preset: gpt-2-1.5b, bytes_per_parameter: 14}\n",
    TRAIN "fleet: {capacity: 24, network: 10 Gbit/s}\n"
          "job:\n" SYSTEM_JOB,
};

static void test_train(void **state)
{
    (void) state;
    for (size_t j = 0; j < sizeof(train) / sizeof(train[0]); j++) {
        probe(train[j]);
    }
}

static void test_recovery_systems(void **state)
{
    char text[4096];

    (void) state;
    for (size_t j = 0; spot_recovery_systems[j] != NULL; j++) {
        for (size_t k = 0; k < sizeof(systems) / sizeof(systems[0]); k++) {
            const char *name = spot_recovery_systems[j]->name;
            const char *needed = "";

            for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
                needed = strcmp(needs[i].name, name) == 0 ? needs[i].options : needed;
            }
            if (k == PUBLISHED && spot_recovery_systems[j]->published == NULL) {
                continue;
            }
            snprintf(text, sizeof(text), "%srecovery: {system: %s%s%s}\n", systems[k], name, needed,
                k == PUBLISHED ? ", published_defaults: yes" : "");
            probe(text);
        }
    }
}

static const char *const traces[] = {
    "  generator: mrp\n"
    "  p_preempt_after: {preempt: 0.4, add: 0.6}\n"
    "  gaps_s:\n"
    "    preempt_preempt: {family: exponential, mu: 600}\n"
    "    preempt_add: {family: exponential, mu: 600}\n"
    "    add_preempt: {family: exponential, mu: 600}\n"
    "    add_add: {family: exponential, mu: 600}\n"
    "    full: {family: exponential, mu: 600}\n"
    "    empty: {family: exponential, mu: 600}\n"
    "  bulk: {preempt: {p: 0.5}, add: {p: 0.5}}\n",
    "  generator: chance\n"
    "  preempt_per_h: [0.9, 0.1, 0.9, 0.1, 0.3, 0.1, 0.5, 0.1, 0.9, 0.1, 0.9, 0.1, 0.3, 0.1, 0.5,\n"
    "    0.1, 0.9, 0.1, 0.9, 0.1, 0.3, 0.1, 0.5, 0.1]\n"
    "  add_per_h: 0.5\n",
    "  generator: lifetimes\n"
    "  lifetime: {law: deadline, zeta: 9, sigma: 1, deadline_s: 10000}\n"
    "  refill: {family: exponential, mu: 600}\n",
    "  generator: zones\n"
    "  zones:\n"
    "    a: {generator: chance, capacity: 12, initial: 10, preempt_per_h: 0.3, add_per_h: 0.4}\n"
    "    b: {generator: chance, capacity: 12, initial: 10, preempt_per_h: 0.3, add_per_h: 0.4}\n",
    "  generator: seed\n"
    "  variant: loop\n"
    "  preemption: {per_minute: 0.15, count: {normal: {mean: 2, std: 1}}}\n"
    "  addition: {per_minute: 0.15, count: {normal: {mean: 2, std: 1}}}\n",
    "  generator: replay\n"
    "  trace: " SPOT_TRACE_FILE "\n",
    "  generator: block\n"
    "  trace: " SPOT_TRACE_FILE "\n",
    "  generator: fleet-replay\n"
    "  recordings: [" SPOT_TRACE_FILE "]\n",
    "  file: " SPOT_TRACE_FILE "\n",
};

static void test_traces(void **state)
{
    char text[4096];

    (void) state;
    for (size_t j = 0; j < sizeof(traces) / sizeof(traces[0]); j++) {
        snprintf(text, sizeof(text),
            "scenario: small\nhorizon: 3 h\ntick: 5 s\nrecovery: checkpoint\n"
            "fleet: {capacity: 24, initial: 20, preparation: 60 s, notice: 0 s,\n"
            "  price: {spot: 1, on_demand: 3}}\n"
            "job: {step_time: {4: 20 s, 24: 6 s}, pipeline_depth: 4}\n"
            "trace:\n%s",
            traces[j]);
        probe(text);
    }
}

#define SERVE                                                                                      \
    "scenario: small\nengine: serve\n"                                                             \
    "hardware: {gpu: {on_demand: 3, spot: 1}, cpu: {on_demand: 0.5, spot: 0.1}}\n"                 \
    "profiles:\n"                                                                                  \
    "  - {model: Detect, hardware: gpu, batches: {1: {throughput_qps: 12, p99_ms: 95},\n"          \
    "      4: {throughput_qps: 30, p99_ms: 150}}}\n"                                               \
    "  - {model: Classify, hardware: cpu, batches: {1: {throughput_qps: 90, p99_ms: 16}}}\n"       \
    "pipeline: [{id: Detect, from: source}, {id: Classify, from: Detect}]\n"                       \
    "slo: {latency: 400 ms}\n"

static const char *const serve[] = {
    SERVE "arrivals: {poisson: {rate_qps: 20, count: 2000}}\n"
          "config:\n"
          "  Detect: {hardware: gpu, batch: 4, replicas: 3}\n"
          "  Classify: {hardware: cpu, batch: 1, replicas: 1}\n",
    SERVE "arrivals: {gamma: {rate_qps: 20, cv: 2, count: 4000}}\n"
          "config:\n"
          "  Detect: {hardware: gpu, batch: 4, replicas: 3, market: spot, delay: 20 ms}\n"
          "  Classify: {hardware: cpu, batch: 1, replicas: 2, market: hedge, hedge: {base: 1}}\n"
          "preemptions: {hazard: {mtbf: 1 min, recover: 20 s, zones: 2, zone_mtbf: 2 min}, drain: "
          "stop}\n",
    SERVE "arrivals: {gamma: {rate_qps: 20, cv: 2, count: 4000}}\n"
          "config:\n"
          "  Detect: {hardware: gpu, batch: 4, replicas: 3, market: spot}\n"
          "  Classify: {hardware: cpu, batch: 1, replicas: 2, market: hedge,\n"
          "    hedge: {overprovision: 1}}\n"
          "preemptions: {hazard: {mtbf: 1 min, recover: 20 s}, notice: 1 s, load: 5 s}\n",
    SERVE "arrivals: {poisson: {rate_qps: 20, count: 4000}}\n"
          "config:\n"
          "  Detect: {hardware: gpu, batch: 4, replicas: 3, market: spot}\n"
          "  Classify: {hardware: cpu, batch: 1, replicas: 1}\n"
          "preemptions:\n"
          "  trace: {generator: chance, capacity: 4, initial: 3, preempt_per_h: 1,\n"
          "    add_per_h: 1, frequency: 100}\n",
    SERVE "arrivals: {gamma: {rate_qps: 20, cv: 2, count: 4000}}\n"
          "config:\n"
          "  Detect: {hardware: gpu, batch: 4, replicas: 3, scale: {max: 8}}\n"
          "  Classify: {hardware: cpu, batch: 1, replicas: 1}\n",
    SERVE "arrivals: {daily: {peak_qps: 0.2, low_qps: 0.02}}\n"
          "config:\n"
          "  Detect: {hardware: gpu, batch: 4, replicas: 3, scale: {max: 8}}\n"
          "  Classify: {hardware: cpu, batch: 1, replicas: 1}\n",
    SERVE "arrivals: {poisson: {rate_qps: 20, count: 500}}\n"
          "config: exact\n",
};

static void test_serve(void **state)
{
    (void) state;
    for (size_t j = 0; j < sizeof(serve) / sizeof(serve[0]); j++) {
        probe(serve[j]);
    }
}

#define SCHEDULE "scenario: small\nengine: schedule\n"
#define LAW                                                                                        \
    "jobs:\n"                                                                                      \
    "  generate:\n"                                                                                \
    "    per_hour: 20\n"                                                                           \
    "    jobs: 60\n"                                                                               \
    "    users: 3\n"                                                                               \
    "    sizes: {1: 3, 4: 1, 8: 1}\n"

static const char *const schedule[] = {
    SCHEDULE "jobs: {generate: {per_hour: 20}}\ncluster: {vcs: {main: 2}}\n",
    SCHEDULE LAW "cluster: {vcs: {main: 1, other: 1}}\npolicy: tiresias\n",
    SCHEDULE LAW "cluster: {vcs: {main: 2}}\npolicy: qssf\nqssf: {estimator: noisy}\n",
    SCHEDULE LAW "cluster: {vcs: {main: 2}}\npolicy: qssf\nqssf: {estimator: running-mean}\n",
    SCHEDULE LAW "cluster: {vcs: {main: 2}}\npolicy: srtf\n",
    SCHEDULE LAW "    elastic: {throughput: {4: 1, 8: 1.8, 16: 2.5}}\n"
                 "cluster: {vcs: {main: 4}}\npolicy: gain\n"
                 "pools: [{capacity: 3, vc: main, trace: {generator: lifetimes,\n"
                 "  lifetime: {family: exponential, mu: 3600},\n"
                 "  refill: {family: exponential, mu: 600}}}]\n",
    SCHEDULE LAW "    checkpoint: {every: 10 min}\n"
                 "    elastic: {throughput: {4: 1, 8: 1.8, 16: 2.5}}\n"
                 "cluster: {vcs: {main: 4}, spot_share: 0.5}\npolicy: efs\n"
                 "pools: [{trace: {generator: chance, preempt_per_h: 0.5, add_per_h: 0.9}}]\n",
    SCHEDULE LAW "    workload: " SPOT_WORKLOADS "\n"
                 "cluster: {vcs: {main: 2, lab: 3}}\npolicy: lucid\n"
                 "lucid: {estimator: oracle, profiler: {from: {lab: 1}}}\n",
};

static void test_schedule(void **state)
{
    (void) state;
    for (size_t j = 0; j < sizeof(schedule) / sizeof(schedule[0]); j++) {
        probe(schedule[j]);
    }
}

static const char *const others[] = {
    "scenario: small\nengine: input\ncompute: 27 ms\n"
    "input: {samples: 8192, sample_bytes: 200 kB, cost: {decode: 1 ms}}\n",
    "scenario: small\nengine: input\ncompute: 27 ms\n"
    "input: {samples: 8192, sample_bytes: 200 kB, loader: {block: 8, threads: 2},\n"
    "  cost: {decode: 1 ms, collate: {time: 3 ms}, compute: {merged: 3 ms}},\n"
    "  storage: {local_share: 0.3}}\n",
    "scenario: small\nengine: tasks\n"
    "graph: {tasks: {read: [], left: [read], right: [read], sum: [left, right]}}\n"
    "run: {read: 2 s, left: {family: exponential, mu: 3}, right: 4 s, sum: 1 s}\n",
    "scenario: small\nengine: tasks\nworkers: 4\nhosts: 2\n"
    "graph: {tasks: {read: [], left: [read], right: [read], top: [read], sum: [left, right, "
    "top]}}\n"
    "run: {read: 2 s, left: {family: exponential, mu: 3}, right: 4 s, top: 2 s, sum: 1 s}\n"
    "contention: {beta: {left: 0.4, right: 0.3}}\n"
    "spot: {life: 8 s}\n",
};

static void test_others(void **state)
{
    (void) state;
    for (size_t j = 0; j < sizeof(others) / sizeof(others[0]); j++) {
        probe(others[j]);
    }
}

/* Runs last: the list says no more than is so. */
static void test_list(void **state)
{
    (void) state;
    for (size_t j = 0; j < sizeof(unnamed) / sizeof(unnamed[0]); j++) {
        if (!unnamed[j].is_met) {
            print_error("%s: moves nothing, or is named, and still in the list\n", unnamed[j].key);
            num_silent++;
        }
    }
    assert_int_equal(num_silent, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_train),
        cmocka_unit_test(test_recovery_systems),
        cmocka_unit_test(test_traces),
        cmocka_unit_test(test_serve),
        cmocka_unit_test(test_schedule),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_list),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
