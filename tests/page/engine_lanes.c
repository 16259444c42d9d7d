/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An engine with a series of every shape that a page draws: jobs of 1 to 4 GPUs run on
 * nodes, first come first served, each on the node that is free first. With stages it
 * has series in ns instead: levels of many rows, a curve, a distribution with rules. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "sim/bench/engine/scenario_file.h"

#define MAX_NODES 1000
#define NUM_GPUS 4 /* of a node */
#define MAX_STAGES 8
#define NS_PER_S INT64_C(1000000000)

enum { QUEUE, GPUS, NODES, JCT, SIZES, NUM_SERIES };
enum { STAGES, FLEET, COST, LATENCY, NUM_STAGE_SERIES }; /* instead, with stages */

typedef struct {
    spot_outputs_t outputs;
    int64_t num_nodes, num_jobs, num_stages, num_rows;
    int64_t span_ns, objective_ns;
    int planner;
    const spot_series_kind_t *series[NUM_STAGE_SERIES];
    spot_series_kind_t stages, latency;
    spot_series_rule_t rules[2];
    char objective[64];
} scenario_t;

static const char *const planners[] = {"exact", "greedy", NULL};

static const spot_field_t fields[] = {SPOT_BENCH_FIELDS,
    {"nodes", SPOT_FIELD_INTEGER, offsetof(scenario_t, num_nodes), 1, MAX_NODES, "3",
        .help = "nodes of the cluster"},
    {"jobs", SPOT_FIELD_INTEGER, offsetof(scenario_t, num_jobs), 1, 1e6, "40",
        .help = "jobs that come"},
    {"stages", SPOT_FIELD_INTEGER, offsetof(scenario_t, num_stages), 0, MAX_STAGES, "0",
        .help = "queues of queries"},
    {"rows", SPOT_FIELD_INTEGER, offsetof(scenario_t, num_rows), 1, 1e6, "1000",
        .help = "rows of each of their series"},
    {SPOT_VALUE(DURATION_NS, "span", scenario_t, span_ns, "500 s", "what they take")},
    {SPOT_VALUE(DURATION_NS, "objective", scenario_t, objective_ns, "350 ms", "of a latency")},
    {SPOT_CHOICE("planner", scenario_t, planner, planners, "exact", "what plans")}, {.name = NULL}};

static const spot_metric_t metrics[] = {{"wait_mean_s", "s", "mean wait", .kind = SPOT_METRIC_TIME},
    {"cost_per_hour", "1", "cost of what is planned", .label = "cost per hour",
        .kind = SPOT_METRIC_COST, .better = SPOT_BETTER_LOWER}};

static const char *const sizes[] = {"small", "large", NULL};
static const spot_series_column_t queue_columns[] = {
    {.name = "time", .kind = SPOT_COLUMN_INSTANT, .unit = ""},
    {.name = "small", .kind = SPOT_COLUMN_COUNT, .unit = "waiting jobs"},
    {.name = "large", .kind = SPOT_COLUMN_COUNT, .unit = "waiting jobs"}};
static const spot_series_column_t gpu_columns[] = {
    {.name = "time", .kind = SPOT_COLUMN_INSTANT, .unit = ""},
    {.name = "busy", .kind = SPOT_COLUMN_COUNT, .unit = "GPUs"},
    {.name = "idle", .kind = SPOT_COLUMN_COUNT, .unit = "GPUs"}};
static const spot_series_column_t node_columns[] = {
    {.name = "start", .kind = SPOT_COLUMN_INSTANT, .unit = ""},
    {.name = "end", .kind = SPOT_COLUMN_INSTANT, .unit = ""},
    {.name = "node", .kind = SPOT_COLUMN_TEXT, .unit = ""},
    {.name = "job", .kind = SPOT_COLUMN_TEXT, .unit = ""},
    {.name = "gpus", .kind = SPOT_COLUMN_COUNT, .unit = "1"},
    {.name = "size", .kind = SPOT_COLUMN_CATEGORY, .unit = "", .categories = sizes}};
static const spot_series_column_t cdf_columns[] = {
    {.name = "jct", .kind = SPOT_COLUMN_DURATION, .unit = "", .label = "completion time"},
    {.name = "share", .kind = SPOT_COLUMN_NUMBER, .unit = "1", .label = "share of jobs"},
    {.name = "size", .kind = SPOT_COLUMN_CATEGORY, .unit = "", .categories = sizes}};
static const spot_series_column_t table_columns[] = {
    {.name = "size", .kind = SPOT_COLUMN_TEXT, .unit = ""},
    {.name = "jobs", .kind = SPOT_COLUMN_COUNT, .unit = "1"},
    {.name = "mean_queue",
        .kind = SPOT_COLUMN_NUMBER,
        .unit = "s",
        .label = "mean queue",
        .num_decimals = 2}};

static const spot_series_kind_t kinds[] = {
    {"queue", "jobs that wait", SPOT_SERIES_LEVELS, 1, 3, .columns = queue_columns},
    {"gpus", "GPUs by use", SPOT_SERIES_LEVELS, 1, 3, .columns = gpu_columns},
    {"nodes", "jobs on each node", SPOT_SERIES_SPANS, 1, 6, .columns = node_columns},
    {"jct", "completion time of jobs", SPOT_SERIES_CDF, 1, 3, .columns = cdf_columns},
    {"sizes", "jobs by size", SPOT_SERIES_SHOWN_TABLE, 1, 3, .columns = table_columns}};

static const spot_series_column_t stage_columns[] = {
    {.name = "time", .kind = SPOT_COLUMN_INSTANT, .unit = ""},
    {.name = "ResNet", .kind = SPOT_COLUMN_COUNT, .unit = "queries"},
    {.name = "KSVM", .kind = SPOT_COLUMN_COUNT, .unit = "queries"},
    {.name = "Inception", .kind = SPOT_COLUMN_COUNT, .unit = "queries"},
    {.name = "LogReg", .kind = SPOT_COLUMN_COUNT, .unit = "queries"},
    {.name = "detect", .kind = SPOT_COLUMN_COUNT, .unit = "queries"},
    {.name = "embed", .kind = SPOT_COLUMN_COUNT, .unit = "queries"},
    {.name = "rank", .kind = SPOT_COLUMN_COUNT, .unit = "queries"},
    {.name = "translate", .kind = SPOT_COLUMN_COUNT, .unit = "queries"}};
static const spot_series_column_t fleet_columns[] = {
    {.name = "time", .kind = SPOT_COLUMN_INSTANT, .unit = ""},
    {.name = "on_demand", .kind = SPOT_COLUMN_COUNT, .unit = "replicas", .label = "on demand"},
    {.name = "spot", .kind = SPOT_COLUMN_COUNT, .unit = "replicas"},
    {.name = "prepping", .kind = SPOT_COLUMN_COUNT, .unit = "replicas"}};
static const spot_series_column_t cost_columns[] = {
    {.name = "time", .kind = SPOT_COLUMN_INSTANT, .unit = ""},
    {.name = "cost", .kind = SPOT_COLUMN_NUMBER, .unit = "1"}};
static const spot_series_column_t latency_columns[] = {
    {.name = "latency", .kind = SPOT_COLUMN_DURATION, .unit = ""},
    {.name = "fraction", .kind = SPOT_COLUMN_NUMBER, .unit = "1", .label = "share of queries"}};
static const spot_series_kind_t fleet_kind = {
    "fleet", "replicas by market", SPOT_SERIES_LEVELS, NS_PER_S, 4, .columns = fleet_columns};
static const spot_series_kind_t cost_kind = {
    "cost", "cost over time", SPOT_SERIES_CURVE, NS_PER_S, 2, .columns = cost_columns};
static const spot_colour_t colours[] = {
    {"on demand", "#0b5a8f"}, {"spot", "#74b9e7"}, {"prepping", "#c5ccd6"}, {0}};

static const spot_outputs_t outputs = {.num_metrics = 2,
    .metrics = metrics,
    .num_series = NUM_SERIES,
    .series = (const spot_series_kind_t *const[]){&kinds[QUEUE], &kinds[GPUS], &kinds[NODES],
        &kinds[JCT], &kinds[SIZES]},
    .is_random = true,
    .num_replications = 2,
    .min_replications = 2,
    .batch_replications = 1};

static int lanes_bind(void **scenario, const spot_node_t *root, const void *like, spot_diag_t *diag)
{
    const int ret = spot_plain_bind(scenario, sizeof(scenario_t), fields, &outputs, root, diag);
    scenario_t *self = *scenario;

    (void) like;
    if (ret != 0 || self->num_stages == 0) {
        return ret;
    }
    snprintf(self->objective, sizeof(self->objective), "objective %g ms",
        (double) self->objective_ns / 1e6);
    self->rules[0] = (spot_series_rule_t){0, (double) self->objective_ns, self->objective};
    self->rules[1] = (spot_series_rule_t){1, 0.99, "P 99"};
    self->stages = (spot_series_kind_t){"stages", "queries that wait", SPOT_SERIES_LEVELS, NS_PER_S,
        1 + (size_t) self->num_stages, .columns = stage_columns};
    self->latency = (spot_series_kind_t){"latency", "latency of queries", SPOT_SERIES_CDF, NS_PER_S,
        2, latency_columns, 2, self->rules};
    self->series[STAGES] = &self->stages;
    self->series[FLEET] = &fleet_kind;
    self->series[COST] = &cost_kind;
    self->series[LATENCY] = &self->latency;
    self->outputs.series = self->series;
    self->outputs.num_series = NUM_STAGE_SERIES;
    return 0;
}

typedef struct {
    const scenario_t *scenario;
    int64_t free_s[MAX_NODES * NUM_GPUS];
    double wait_s[2]; /* small, large */
    int64_t num_jobs[2];
} worker_t;

static int lanes_open(void **worker, const void *scenario)
{
    worker_t *self = *worker = calloc(1, sizeof(*self));

    if (self != NULL) {
        self->scenario = scenario;
    }
    return self == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

static int compare_integers(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *) left, b = *(const int64_t *) right;

    return (a > b) - (a < b);
}

/* The GPUs of a node by when they are free. */
static int64_t *first_node(worker_t *self, int64_t num_gpus)
{
    int64_t *first = self->free_s;

    for (int64_t j = 0; j < self->scenario->num_nodes; j++) {
        int64_t *node = &self->free_s[j * NUM_GPUS];

        qsort(node, NUM_GPUS, sizeof(*node), compare_integers);
        first = node[num_gpus - 1] < first[num_gpus - 1] ? node : first;
    }
    return first;
}

static int add(spot_recording_t *recording, int series_id, const spot_cell_t *cells)
{
    return recording == NULL ? 0 : spot_series_add(&recording->series[series_id], cells);
}

static int add_span(spot_recording_t *recording, int64_t job_id, int64_t node_id, int64_t start_s,
    int64_t end_s, int64_t num_gpus)
{
    char node[32], job[32];

    snprintf(node, sizeof(node), "node %lld", (long long) node_id);
    snprintf(job, sizeof(job), "job %lld", (long long) job_id);
    return add(recording, NODES,
        (const spot_cell_t[]){{.integer = start_s}, {.integer = end_s}, {.text = node},
            {.text = job}, {.integer = num_gpus}, {.text = sizes[num_gpus > 1]}});
}

static int run_job(
    worker_t *self, int64_t job_id, int64_t now_s, spot_rng_t *rng, spot_recording_t *recording)
{
    const int64_t num_gpus = INT64_C(1) << spot_rng_below(rng, 3);
    const int64_t length_s = 1 + (int64_t) spot_rng_exponential(rng, 3600);
    int64_t *node = first_node(self, num_gpus);
    const int64_t start_s = node[num_gpus - 1] > now_s ? node[num_gpus - 1] : now_s;
    int64_t num_busy = 0;
    int ret;

    self->wait_s[num_gpus > 1] += (double) (start_s - now_s);
    self->num_jobs[num_gpus > 1]++;
    for (int64_t j = 0; j < num_gpus; j++) {
        node[j] = start_s + length_s;
    }
    for (int64_t j = 0; j < self->scenario->num_nodes * NUM_GPUS; j++) {
        num_busy += self->free_s[j] > now_s;
    }
    ret = add_span(
        recording, job_id, (node - self->free_s) / NUM_GPUS, start_s, start_s + length_s, num_gpus);
    ret = ret != 0
              ? ret
              : add(recording, QUEUE,
                    (const spot_cell_t[]){{.integer = now_s}, {.integer = (start_s - now_s) / 600},
                        {.integer = (start_s - now_s) / 300}});
    ret = ret != 0 ? ret
                   : add(recording, GPUS,
                         (const spot_cell_t[]){{.integer = now_s}, {.integer = num_busy},
                             {.integer = self->scenario->num_nodes * NUM_GPUS - num_busy}});
    return ret;
}

/* What is known at the end. */
static int add_ends(const worker_t *self, spot_recording_t *recording)
{
    int ret = 0;

    for (int size = 0; ret == 0 && size < 2; size++) {
        for (int64_t j = 1; ret == 0 && j <= 100; j++) {
            ret = add(recording, JCT,
                (const spot_cell_t[]){{.integer = j * j * j * (1 + size)},
                    {.number = (double) j / 100}, {.text = sizes[size]}});
        }
        ret = ret != 0 ? ret
                       : add(recording, SIZES,
                             (const spot_cell_t[]){{.text = sizes[size]},
                                 {.integer = self->num_jobs[size]},
                                 {.number = self->wait_s[size] / (double) self->num_jobs[size]}});
    }
    return ret;
}

/* Queues that rise and fall twice, and latencies up to some 2 s. */
static int add_stages(const scenario_t *scenario, spot_rng_t *rng, spot_recording_t *recording)
{
    double latency_ns = 45e6, cost = 0;
    int ret = 0;

    recording->end_ticks = scenario->span_ns;
    for (int64_t j = 0; ret == 0 && j < scenario->num_rows; j++) {
        const double share = (double) j / (double) scenario->num_rows;
        const int64_t now_ns = (int64_t) ((double) scenario->span_ns * share);
        const int64_t num_spot = (int64_t) spot_rng_below(rng, 4);
        spot_cell_t cells[1 + MAX_STAGES] = {{.integer = now_ns}};

        for (int64_t k = 1; k <= scenario->num_stages; k++) {
            cells[k].integer = (int64_t) spot_rng_exponential(rng, 1 + 4 * pow(sin(6 * share), 2));
        }
        cost += 1e-4 * (double) (2 + num_spot);
        latency_ns += spot_rng_exponential(rng, 2e8 / (double) (scenario->num_rows - j + 1));
        ret = add(recording, STAGES, cells);
        ret = ret != 0 ? ret
                       : add(recording, FLEET,
                             (const spot_cell_t[]){{.integer = now_ns}, {.integer = 2},
                                 {.integer = num_spot}, {.integer = 3 - num_spot}});
        ret = ret != 0 ? ret
                       : add(recording, COST,
                             (const spot_cell_t[]){{.integer = now_ns}, {.number = cost}});
        ret = ret != 0 ? ret
                       : add(recording, LATENCY,
                             (const spot_cell_t[]){{.integer = (int64_t) latency_ns},
                                 {.number = share + 1 / (double) scenario->num_rows}});
    }
    return ret;
}

/* Less with a laxer objective; exact is not above greedy; NAN: no plan. */
static double plan(const scenario_t *scenario)
{
    const double objective_ms = (double) scenario->objective_ns / 1e6;

    return objective_ms < (scenario->planner == 0 ? 150 : 175)
               ? (double) NAN
               : ceil(6 +
                      5000.0 * (scenario->planner == 0 ? 1 : 1.2) / pow(objective_ms - 100, 1.4));
}

static int lanes_run(void *worker, const spot_replication_t *wanted, double *values,
    unsigned char *warnings, spot_recording_t *recording)
{
    worker_t *self = worker;
    const scenario_t *scenario = self->scenario;
    const double gap_s = 3600 * 2.5 / (double) (scenario->num_nodes * NUM_GPUS);
    spot_rng_t rng;
    int64_t now_s = 0;
    int ret = 0;

    (void) warnings;
    *self = (worker_t){.scenario = scenario};
    spot_replication_seek(wanted, &rng, SPOT_STREAM_OWN, 0);
    values[1] = plan(scenario);
    if (scenario->num_stages > 0) {
        values[0] = isnan(values[1]) ? (double) NAN : 0;
        return recording == NULL || isnan(values[1])
                   ? 0
                   : add_stages(scenario, &rng, recording); /* else there is no run */
    }
    for (int64_t j = 0; ret == 0 && j < scenario->num_jobs; j++) {
        if (spot_replication_is_stopped(wanted)) {
            return SPOT_ERR_INTERRUPTED;
        }
        ret = run_job(self, j, now_s, &rng, recording);
        now_s += (int64_t) spot_rng_exponential(&rng, gap_s);
    }
    if (ret == 0 && recording != NULL) {
        recording->end_ticks = now_s;
        ret = add_ends(self, recording);
    }
    values[0] = (self->wait_s[0] + self->wait_s[1]) / (double) scenario->num_jobs;
    return ret;
}

static void lanes_progress(const void *worker, FILE *out)
{
    const worker_t *self = worker;

    fprintf(out, "%lld jobs on %lld nodes\n", (long long) self->scenario->num_jobs,
        (long long) self->scenario->num_nodes);
}

static const spot_run_view_t view = {.progress = lanes_progress};

const spot_experiment_t spot_engine_lanes = {
    .name = "lanes",
    .summary = "Jobs on nodes",
    .doc = "For tests.",
    .example = "scenario: lanes\nengine: lanes\n",
    .fields = fields,
    .bind = lanes_bind,
    .free = free,
    .outputs = spot_plain_outputs,
    .open = lanes_open,
    .close = free,
    .run = lanes_run,
    .view = &view,
    .colours = colours,
};
