/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine "input" for the bench: a replication is an epoch. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/stats.h"
#include "sim/bench/engine/scenario_file.h"
#include "sim/input/scenario.h"

#define MAX_ROWS 2000 /* of a series */
#define NS_PER_S 1000000000

/* ---- What a replication yields ---- */

#define METRIC(name_, unit_, kind_, better_, text, ...)                                            \
    {                                                                                              \
        .name = name_, .unit = unit_, .kind = SPOT_METRIC_##kind_, .help = text,                   \
        .better = SPOT_BETTER_##better_, .label = __VA_ARGS__                                      \
    }
#define TIME(name, label, text) METRIC(name, "s", TIME, LOWER, text, label)
#define TOTAL(name, text) METRIC(name, "1", PLAIN, NEITHER, text, NULL, .is_total = true)
#define RATIO(name, unit, of, kind, better, label_, text)                                          \
    METRIC(name, unit, kind, better, text, label_, .numerator = of, .denominator = "epoch_s")

/* Metrics that are not derived, in order of the table. */
typedef struct {
    double completion_s, load_s, compute_s, fill_s, steady_load_s, steady_stall_fraction;
    double stalled, wait_p95_s, epoch_s, memory_bytes, cpu_threads, samples, computing_s;
    double waiting_s;
} figures_t;

static const spot_metric_t metrics[] = {
    TIME("completion_s", "completion", "mean time of a batch: load_s + compute_s"),
    TIME("load_s", "load", "mean wait for a batch"),
    TIME("compute_s", "compute", "time of a batch in the training loop"),
    TIME("fill_s", "fill", "wait for the first batch"),
    TIME("steady_load_s", "steady load", "mean wait in the whole rounds after the first"),
    METRIC("steady_stall_fraction", "1", SHARE, LOWER, "share of waits in those rounds",
        "steady stall"),
    METRIC("stalled", "1", PROBABILITY, LOWER, "1: that share is above 0.05", "stalled"),
    TIME("wait_p95_s", "95 % wait", "wait that 5 % of the batches exceed"),
    TIME("epoch_s", "epoch", "time of the epoch"),
    METRIC("memory_bytes", "B", PLAIN, LOWER, "memory of what is under way", "memory"),
    METRIC("cpu_threads", "1", PLAIN, LOWER, "decode threads, in all", "threads"),
    TOTAL("samples", "samples of the epoch"),
    TOTAL("computing_s", "time of the epoch without waits"),
    TOTAL("waiting_s", "waits after the first"),
    RATIO("samples_per_s", "samples/s", "samples", GAIN, HIGHER, "throughput",
        "samples a second of the epoch"),
    RATIO("computing_fraction", "1", "computing_s", SHARE, HIGHER, "computing",
        "share of the epoch without waits"),
    RATIO("stall_fraction", "1", "waiting_s", SHARE, LOWER, "stall",
        "share of the epoch in waits after the first"),
    RATIO("fill_fraction", "1", "fill_s", SHARE, LOWER, "filling",
        "share of the epoch in the first wait"),
};

static const spot_series_column_t wait_columns[] = {
    SPOT_SERIES_COLUMN(INSTANT, "time", ""), SPOT_SERIES_COLUMN(NUMBER, "wait", "s")};
static const spot_series_column_t cdf_columns[] = {SPOT_SERIES_COLUMN(DURATION, "wait", ""),
    SPOT_SERIES_COLUMN(NUMBER, "fraction", "1", .label = "share of the batches")};
static const spot_series_kind_t kinds[] = {
    SPOT_SERIES_KIND("waits", CURVE, NS_PER_S, wait_columns,
        "wait for a batch, at the time when the training loop gets it"),
    {"cdf", "share of the batches for which the wait is at most so long", SPOT_SERIES_CDF, NS_PER_S,
        2, cdf_columns, 1, (const spot_series_rule_t[]){{1, 0.95, "P 95"}}}};

static const char *const ruled[] = {"memory_bytes", "cpu_threads", "samples", NULL};
static const char *const parts[] = {"computing_fraction", "stall_fraction", "fill_fraction"};
static const spot_outputs_t outputs = {.num_metrics = sizeof(metrics) / sizeof(*metrics),
    .metrics = metrics,
    .num_parts = sizeof(parts) / sizeof(parts[0]),
    .parts = parts,
    .whole = "time of the epoch",
    .gain = "samples_per_s",
    .num_series = 2,
    .series = (const spot_series_kind_t *const[]){&kinds[0], &kinds[1]},
    .why_fixed = "spread.read and spread.decode are constant",
    .num_replications = 100,
    .min_replications = 16,
    .batch_replications = 10};

enum { SHORT_EPOCH, NOT_FITTED, NUM_WARNINGS };
static const spot_warning_t input_warnings[NUM_WARNINGS] = {
    {"short_epoch", "no whole round follows the first: steady figures are missing"},
    {"not_fitted", "compute, threads or block is outside of what was fitted"}};

/* ---- Scenarios ---- */

static void input_free(void *scenario)
{
    if (scenario != NULL) {
        spot_input_scenario_free(scenario);
        free(scenario);
    }
}

static int input_bind(void **scenario, const spot_node_t *root, const void *like, spot_diag_t *diag)
{
    spot_input_scenario_t *self = *scenario = spot_calloc(1, sizeof(*self));
    spot_bind_t bind = {.diag = diag};
    int ret = self == NULL ? SPOT_ERR_NO_MEMORY : spot_input_scenario_init(self, root, diag);

    (void) like;
    if (ret != 0) {
        return ret;
    }
    if (self->compute_ns < 0) {
        spot_bind_error(&bind, root, "compute", "is needed: a run has a training loop");
    }
    if (self->loader.samples < 1 || self->loader.samples / self->batch > SPOT_INPUT_MAX_BATCHES) {
        spot_bind_error(&bind, spot_node_place(root, "input"), "input.samples",
            "is needed: a run is an epoch, of at most 10,000,000 batches");
    }
    self->outputs = outputs;
    self->outputs.cost = self->loader.sample_bytes > 0 ? "memory_bytes" : "cpu_threads";
    self->outputs.ruled = ruled;
    self->outputs.is_random = self->read.kind != 0 || self->decode.kind != 0;
    return diag->num_errors > 0 ? SPOT_ERR_BAD_INPUT : 0;
}

/* ---- Replications ---- */

typedef struct {
    spot_rng_t read, decode;
    double block;     /* time / mean of the block that is open */
    int64_t num_left; /* of its samples */
} process_t;

typedef struct {
    const spot_input_scenario_t *input;
    const spot_replication_t *replication;
    spot_loader_flow_t flow;
    spot_loader_blocks_t blocks;
    double *memory;         /* of the flow */
    double *waits, *sorted; /* [num_batches of the flow] */
    double num_samples;     /* taken */
    process_t processes[];
} epoch_t;

static int input_open(void **worker, const void *scenario)
{
    const spot_input_scenario_t *input = scenario;
    const spot_loader_work_t work = spot_input_scenario_work(input);
    const spot_loader_flow_t flow = spot_loader_flow(&input->loader, &work);
    const size_t processes = (size_t) flow.processes, num = (size_t) flow.num_batches;
    const size_t num_memory = processes * (size_t) (2 + flow.prefetch);
    epoch_t *self = *worker = spot_calloc(
        1, sizeof(*self) + processes * sizeof(process_t) + (num_memory + 2 * num) * sizeof(double));

    if (self == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->input = input;
    self->flow = flow;
    self->blocks = spot_loader_blocks(&input->loader, &work);
    self->memory = (double *) (void *) (self->processes + processes);
    self->waits = self->memory + num_memory;
    self->sorted = self->waits + num;
    return 0;
}

/* A batch function. The samples of a process take draws in order, so that two settings
 * differ by what they set and not by chance. */
static double draw_batch_s(void *context, int64_t process, int64_t round)
{
    epoch_t *self = context;
    const spot_input_scenario_t *input = self->input;
    const double decode_s = spot_loader_decode_s(&input->loader);
    process_t *own = &self->processes[process];
    double opened = 0, read = 0, decoded = 0, num;
    int64_t low, high;

    if (!spot_loader_blocks_range(&self->blocks, process, round, &low, &high)) {
        return -1;
    }
    num = (double) (high - low);
    self->num_samples += num;
    if (!input->outputs.is_random) {
        return spot_loader_blocks_batch_s(&self->blocks, process, round);
    }
    for (; low < high && !spot_replication_is_stopped(self->replication); low++) {
        if (own->num_left == 0) {
            own->block = spot_input_law_draw(&input->read, &own->read);
            own->num_left = self->blocks.block;
            opened += own->block;
        }
        own->num_left--;
        read += own->block;
        decoded += spot_input_law_draw(&input->decode, &own->decode);
    }
    return opened * self->blocks.block_s + decoded * decode_s +
           read * fmax(0, self->blocks.sample_s - decode_s) +
           num * self->blocks.collate_s / (double) self->blocks.batch;
}

static int64_t ns(double time_s)
{
    return llround(NS_PER_S * fmin(time_s, 9e9));
}

static int record(const epoch_t *self, int64_t num_taken, spot_recording_t *recording)
{
    const int64_t step = (num_taken - 1) / MAX_ROWS + 1;
    double now_s = 0;
    int ret = 0;

    for (int64_t j = 0; ret == 0 && j < num_taken; j++) {
        const double share = (double) (j + 1) / (double) num_taken;

        now_s += self->waits[j];
        if (j % step == 0) {
            ret = spot_series_add(&recording->series[0],
                (const spot_cell_t[]){{.integer = ns(now_s)}, {.number = self->waits[j]}});
        }
        if (ret == 0 && (num_taken - 1 - j) % step == 0) {
            ret = spot_series_add(&recording->series[1],
                (const spot_cell_t[]){{.integer = ns(self->sorted[j])}, {.number = share}});
        }
        now_s += self->flow.compute_s;
    }
    recording->end_ticks = ns(now_s);
    return ret;
}

static int input_run(void *worker, const spot_replication_t *replication, double *values,
    unsigned char *warnings, spot_recording_t *recording)
{
    epoch_t *self = worker;
    const spot_input_scenario_t *input = self->input;
    const spot_loader_range_t *fitted = &input->fitted;
    const double compute_s = self->flow.compute_s;
    double sum_s = 0, load_s, steady_s, share;
    bool is_short;
    int64_t num;

    self->replication = replication;
    self->num_samples = 0;
    for (int64_t j = 0; j < self->flow.processes; j++) {
        process_t *own = &self->processes[j];

        spot_replication_seek(replication, &own->read, SPOT_STREAM_READ, (uint64_t) j);
        spot_replication_seek(replication, &own->decode, SPOT_STREAM_DECODE, (uint64_t) j);
        own->num_left = 0;
    }
    spot_loader_run_in(&self->flow, draw_batch_s, self, self->memory, self->waits, &num);
    if (spot_replication_is_stopped(replication)) {
        return SPOT_ERR_INTERRUPTED;
    }
    for (int64_t j = 0; j < num; j++) {
        sum_s += self->waits[j];
        self->sorted[j] = self->waits[j];
    }
    load_s = sum_s / (double) num;
    spot_sort(self->sorted, (size_t) num);
    steady_s = spot_loader_steady_wait_s(self->waits, num, self->flow.processes);
    warnings[SHORT_EPOCH] = is_short = isnan(steady_s);
    share = steady_s / (steady_s + compute_s);
    memcpy(values,
        &(figures_t){.completion_s = load_s + compute_s,
            .load_s = load_s,
            .compute_s = compute_s,
            .fill_s = self->waits[0],
            .steady_load_s = steady_s,
            .steady_stall_fraction = share,
            .stalled = is_short ? steady_s : share > SPOT_LOADER_STALLED,
            .wait_p95_s = spot_quantile(self->sorted, (size_t) num, 0.95),
            .epoch_s = (load_s + compute_s) * (double) num,
            .memory_bytes = spot_loader_memory_bytes(&input->loader, input->batch),
            .cpu_threads = (double) (self->flow.processes * input->loader.threads),
            /* the last batch may be counted as a full one */
            .samples = fmin(self->num_samples, (double) self->input->loader.samples),
            .computing_s = compute_s * (double) num,
            .waiting_s = sum_s - self->waits[0]},
        sizeof(figures_t));
    warnings[NOT_FITTED] = spot_loader_is_outside(fitted->compute_ns, input->compute_ns) ||
                           spot_loader_is_outside(fitted->threads, input->loader.threads) ||
                           spot_loader_is_outside(fitted->block, input->loader.block);
    return recording == NULL ? 0 : record(self, num, recording);
}

static const spot_rivals_t rivals[] = {
    {"input.loader.mode", "loading mode", "prefetch,synchronous", NULL}, {.key = NULL}};

static const char example[] = "scenario: small\n"
                              "engine: input\n"
                              "batch: 64\n"
                              "compute: 27 ms\n"
                              "input:\n"
                              "  samples: 4096\n"
                              "  sample_bytes: 220 kB\n"
                              "  loader: {processes: 4, prefetch: 2, block: 1, mode: prefetch,\n"
                              "           deal: batches}\n"
                              "  cost: {decode: 1 ms, open: {local: 0 ms}, read: {local: 0.8 ms},\n"
                              "         collate: {time: 0 ms}, start: 1 s, handover: 0 ms,\n"
                              "         compute: {added: 0 ms}}\n"
                              "  storage: {local_share: 1}\n"
                              "spread: {read: {lognormal: {cv: 1}}, decode: {gamma: {cv: 0.3}}}\n";

static const struct spot_verb *const verbs[] = {&spot_verb_input_table, &spot_verb_input_place,
    &spot_verb_input_search, &spot_verb_input_fit, &spot_verb_input_predict, NULL};

const spot_experiment_t spot_input_experiment = {
    .name = "input",
    .summary = "Batches of samples that a loader makes for a training loop",
    .doc = "Processes of a loader read, decode and collate batches ahead of a training "
           "loop. A replication is an epoch; reading and decoding times are drawn, their "
           "means follow from the block size, threads and the place of the data.",
    .example = example,
    .fields = spot_input_fields,
    .num_warnings = NUM_WARNINGS,
    .warnings = input_warnings,
    .colours = (const spot_colour_t[]){{"computing", "#5fb89a"}, {"stall", "#d55e00"},
        {"fill", "#68b9ea"}, {NULL, NULL}},
    .rivals = rivals,
    .bind = input_bind,
    .free = input_free,
    .outputs = spot_plain_outputs,
    .decides = spot_input_decides,
    .open = input_open,
    .close = free,
    .run = input_run,
    .verbs = verbs,
};
