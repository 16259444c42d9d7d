/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>

#include "sim/serve/run.h"

#define NS_PER_S 1000000000
#define MAX_CDF_ROWS 2000
#define NUM_SAMPLES 500
#define MAX_SAMPLES 20000

/* ---- Kinds ---- */

typedef enum {
    STAGES,
    CDF,
    LATENCY,
    QUEUE,
    FLEET,
    REPLICAS,
    COST,
    QUEUES,
    LINEAGE,
    NUM_KINDS
} kind_id_t;

#define COLUMN SPOT_SERIES_COLUMN
/* The head of a file has its name alone. */
#define BARE(...) COLUMN(__VA_ARGS__, .is_bare = true)

static const spot_series_column_t stage_columns[] = {BARE(TEXT, "stage", ""),
    BARE(TEXT, "hardware", ""), BARE(COUNT, "batch", "1", .label = "batch limit"),
    BARE(COUNT, "replicas", "1"), BARE(TEXT, "market", ""),
    BARE(NUMBER, "capacity_qps", "1/s", .label = "capacity", .num_decimals = 1),
    BARE(NUMBER, "utilisation", "1", .num_decimals = 3),
    BARE(NUMBER, "mean_batch", "1", .label = "mean batch", .num_decimals = 2),
    BARE(NUMBER, "queue_mean", "1", .label = "mean queue", .num_decimals = 2),
    BARE(COUNT, "queue_max", "1", .label = "longest queue"),
    BARE(NUMBER, "wait_mean_ms", "ms", .label = "mean wait", .num_decimals = 3),
    BARE(NUMBER, "replicas_mean", "1", .label = "mean replicas", .num_decimals = 2),
    BARE(COUNT, "replicas_peak", "1", .label = "most replicas")};

static const spot_series_column_t cdf_columns[] = {
    BARE(NUMBER, "latency_ms", "ms"), BARE(NUMBER, "fraction", "1")};

static const spot_series_column_t latency_columns[] = {COLUMN(DURATION, "latency", ""),
    COLUMN(NUMBER, "fraction", "1", .label = "share of the queries")};

static const spot_series_column_t fleet_columns[] = {COLUMN(INSTANT, "time", ""),
    COLUMN(NUMBER, "on_demand", "replicas", .label = "on-demand"),
    COLUMN(NUMBER, "spot", "replicas"), COLUMN(NUMBER, "prepping", "replicas")};

static const spot_series_column_t cost_columns[] = {
    COLUMN(INSTANT, "time", ""), COLUMN(NUMBER, "cost", "1")};

static const spot_series_column_t queue_columns[] = {
    BARE(COUNT, "time_ns", "1"), BARE(TEXT, "node", ""), BARE(COUNT, "queue", "1")};

#define KIND(id, name_, shape_, columns_, text)                                                    \
    [id] = SPOT_SERIES_KIND(name_, shape_, NS_PER_S, columns_, text)

/* The columns of some depend on the stages. */
static const spot_series_kind_t kinds[NUM_KINDS] = {
    KIND(STAGES, "stages", SHOWN_TABLE, stage_columns, "the stages"),
    KIND(CDF, "cdf", TABLE, cdf_columns,
        "share of the queries whose latency is at most so long; lost and unfinished "
        "ones never are"),
    KIND(LATENCY, "latency", CDF, latency_columns,
        "share of the queries whose latency is at most so long"),
    KIND(QUEUE, "queue", LEVELS, fleet_columns, "queries that wait, at each sample"),
    KIND(FLEET, "fleet", LEVELS, fleet_columns,
        "replicas by market, and those that are prepping, at each sample"),
    KIND(REPLICAS, "replicas", LEVELS, fleet_columns, "replicas that serve, at each sample"),
    KIND(COST, "cost", CURVE, cost_columns, "cost of the replicas so far"),
    KIND(QUEUES, "queues", LONG_TABLE, queue_columns,
        "length of each queue, a row for each instant at whose end it differs"),
    KIND(LINEAGE, "lineage", LONG_TABLE, queue_columns,
        "when each query came to each node and left it; in ns"),
};

/* What the lineage has of each stage; the last two where batches may be cut. */
static const char *const stamp_names[] = {
    "_enqueue_ns", "_dequeue_ns", "_done_ns", "_batch", "_replica", "_first_dequeue_ns", "_tries"};

#define MAX_STAMPS (sizeof(stamp_names) / sizeof(stamp_names[0]))

static size_t num_stamps(const spot_serve_scenario_t *scenario)
{
    return scenario->outages.kind != SPOT_OUTAGES_NONE ? MAX_STAMPS : MAX_STAMPS - 2;
}

/* Adds a column to the kind that is last in the memory of columns. */
static void add_column(spot_serve_scenario_t *scenario, spot_series_kind_t *kind,
    spot_series_column_t *columns, const char *id, const char *suffix, const char *unit)
{
    char name[32 + SPOT_PIPELINE_MAX_ID_BYTES];

    snprintf(name, sizeof(name), "%s%s", id, suffix);
    columns[kind->num_columns++] =
        (spot_series_column_t){.name = spot_arena_text(&scenario->memory, name),
            .unit = unit,
            .kind = SPOT_COLUMN_NUMBER,
            .is_bare = suffix[0] != '\0'};
}

static void make_lineage(
    spot_serve_scenario_t *scenario, spot_series_kind_t *kind, spot_series_column_t *columns)
{
    const spot_serve_pipeline_t *pipeline = &scenario->pipeline;

    kind->columns = columns;
    kind->num_columns = 0;
    add_column(scenario, kind, columns, "", "id", "1");
    add_column(scenario, kind, columns, "", "source_ns", "1");
    for (size_t j = 0; j < pipeline->num_stages; j++) {
        const char *id = spot_serve_pipeline_stage_node(pipeline, j)->id;

        for (size_t k = 0; k < num_stamps(scenario); k++) {
            add_column(scenario, kind, columns, id, stamp_names[k], "1");
        }
    }
    for (size_t j = 0; j < pipeline->num_nodes; j++) {
        if (pipeline->nodes[j].stage_id < 0) {
            add_column(scenario, kind, columns, pipeline->nodes[j].id, "_ns", "1");
        }
    }
    add_column(scenario, kind, columns, "", "sink_ns", "1");
}

/* An instant and a level for each stage. */
static void make_levels(spot_serve_scenario_t *scenario, spot_series_kind_t *kind,
    spot_series_column_t *columns, const char *unit)
{
    const spot_serve_pipeline_t *pipeline = &scenario->pipeline;

    kind->columns = columns;
    kind->num_columns = 1;
    columns[0] = fleet_columns[0];
    for (size_t j = 0; j < pipeline->num_stages; j++) {
        add_column(
            scenario, kind, columns, spot_serve_pipeline_stage_node(pipeline, j)->id, "", unit);
    }
}

/* The objective in the picture of the latencies. */
static void make_rules(
    spot_arena_t *memory, const spot_objective_t *slo, spot_series_rule_t rules[2])
{
    char text[64];

    snprintf(text, sizeof(text), "objective %g ms", (double) slo->latency_ns / 1e6);
    rules[0] = (spot_series_rule_t){0, (double) slo->latency_ns, spot_arena_text(memory, text)};
    snprintf(text, sizeof(text), "P %g", slo->percentile);
    rules[1] = (spot_series_rule_t){1, slo->percentile / 100, spot_arena_text(memory, text)};
}

int spot_serve_series_init(spot_serve_scenario_t *scenario)
{
    const size_t num_levels = 1 + scenario->pipeline.num_stages;
    spot_arena_t *memory = &scenario->memory;
    const spot_series_kind_t **list;
    spot_series_column_t *columns;
    spot_series_rule_t *rules;
    spot_series_kind_t *own;

    SPOT_ARENA_ARRAY(memory, list, NUM_KINDS);
    SPOT_ARENA_ARRAY(memory, own, NUM_KINDS);
    SPOT_ARENA_ARRAY(memory, rules, 2);
    SPOT_ARENA_ARRAY(
        memory, columns, 2 * num_levels + 3 + MAX_STAMPS * scenario->pipeline.num_nodes);
    if (memory->error != 0) {
        return memory->error;
    }
    for (size_t j = 0; j < NUM_KINDS; j++) {
        own[j] = kinds[j];
        list[j] = &own[j];
    }
    make_levels(scenario, &own[QUEUE], columns, "queries");
    make_levels(scenario, &own[REPLICAS], columns + num_levels, "serving replicas");
    make_lineage(scenario, &own[LINEAGE], columns + 2 * num_levels);
    make_rules(memory, &scenario->slo, rules);
    own[LATENCY].num_rules = 2;
    own[LATENCY].rules = rules;
    scenario->outputs.num_series = NUM_KINDS;
    scenario->outputs.series = list;
    return memory->error;
}

/* ---- Rows ---- */

/* Series that are being filled. */
typedef struct {
    const spot_serve_replication_t *run;
    spot_series_t *series;
    int64_t step_ns; /* between samples */
    size_t num_samples, num_levels;
    double *changes;    /* [num_samples][num_levels] since the sample before */
    spot_cell_t *cells; /* [columns of the lineage] */
    int32_t *lengths;   /* [num_stages][2] of queues: now, and at the end of the instant
                           before */
    int error;
} filler_t;

/* Levels: [num_stages] queues, replicas by what they are, [num_stages] replicas that
 * serve, and the cost as slope time + offset. */
enum { FLEET_LEVELS = 3, COST_LEVELS = 2 };

static void add_row(filler_t *self, kind_id_t kind_id, const spot_cell_t *cells)
{
    if (self->error == 0) {
        self->error = spot_series_add(&self->series[kind_id], cells);
    }
}

/* Changes a level from a time on. */
static void change(filler_t *self, size_t level, int64_t time_ns, double by)
{
    const int64_t sample_id = time_ns <= 0 ? 0 : (time_ns - 1) / self->step_ns + 1;

    if (sample_id < (int64_t) self->num_samples) {
        self->changes[(size_t) sample_id * self->num_levels + level] += by;
    }
}

static void fill_stages(filler_t *self)
{
    static const char *const markets[] = {"on-demand", "spot", "hedge"};
    const spot_serve_replication_t *run = self->run;

    for (size_t j = 0; j < run->serve.num_stages; j++) {
        const spot_serve_stage_t *stage = &run->serve.stages[j];
        const spot_stage_result_t *result = &stage->result;
        const int64_t serving_ns = result->serving_ns[0] + result->serving_ns[1];

        add_row(self, STAGES,
            (const spot_cell_t[]){{.text = stage->node->id},
                {.text = run->scenario->prices.prices[stage->option.hardware_id].name},
                {.integer = stage->option.batch}, {.integer = stage->option.replicas},
                {.text = markets[stage->option.market]},
                {.number = spot_gate_capacity(run->scenario, j, &run->options[j])},
                {.number = spot_serve_ratio(result->busy_ns - result->overrun_ns, serving_ns)},
                {.number = spot_serve_ratio(spot_serve_taken(stage), result->batches)},
                {.number = spot_serve_ratio(result->queue_area_ns, run->serve.end_ns)},
                {.integer = result->queue_max},
                {.number = spot_serve_ratio(result->wait_sum_ns, result->queries) / 1e6},
                {.number = spot_serve_ratio(serving_ns, run->serve.end_ns)},
                {.integer = result->peak_replicas}});
    }
}

/* All different latencies; where they are many, those at 2,000 equal steps. */
static void fill_cdf(filler_t *self)
{
    const int64_t *sorted = self->run->latencies.sorted_ns;
    const size_t num = self->run->latencies.num_queries;
    const size_t num_finite = num - self->run->latencies.num_infinite;
    size_t num_different = 0;

    for (size_t j = 0; j < num_finite; j++) {
        num_different += j == 0 || sorted[j] != sorted[j - 1];
    }
    for (size_t j = 0; j < num_finite; j++) {
        const bool is_last = j + 1 == num_finite || sorted[j + 1] != sorted[j];
        const bool is_step = (j + 1) * MAX_CDF_ROWS / num > j * MAX_CDF_ROWS / num;
        const double share = (double) (j + 1) / (double) num;

        if (num_different <= MAX_CDF_ROWS ? is_last : is_step) {
            add_row(self, CDF,
                (const spot_cell_t[]){{.number = (double) sorted[j] / 1e6}, {.number = share}});
            add_row(
                self, LATENCY, (const spot_cell_t[]){{.integer = sorted[j]}, {.number = share}});
        }
    }
}

static double stamp(const int64_t *stamps, size_t id)
{
    return stamps[id] < 0 ? (double) NAN : (double) stamps[id];
}

/* The first num of the stamps of a query. Where no batch is cut it is taken once.
 * Returns the end of the cells. */
static spot_cell_t *add_stamps(
    const spot_serve_stage_t *stage, size_t id, size_t num, spot_cell_t *cells)
{
    const spot_stage_stamps_t *stamps = &stage->stamps;
    const bool is_taken = stamps->dequeue_ns[id] >= 0;
    const double values[MAX_STAMPS] = {stamp(stamps->enqueue_ns, id), stamp(stamps->dequeue_ns, id),
        stamp(stamps->done_ns, id), is_taken ? stamps->batch[id] : (double) NAN,
        is_taken ? stamps->replica[id] : (double) NAN,
        stamp(stage->can_be_cut ? stamps->first_dequeue_ns : stamps->dequeue_ns, id),
        stamps->enqueue_ns[id] < 0 ? (double) NAN
        : stage->can_be_cut        ? stamps->tries[id]
                                   : is_taken};

    for (size_t j = 0; j < num; j++) {
        (cells++)->number = values[j];
    }
    return cells;
}

static void fill_lineage(filler_t *self)
{
    const spot_serve_t *serve = &self->run->serve;
    const spot_serve_pipeline_t *pipeline = serve->run.pipeline;

    for (size_t id = 0; id < serve->run.num_queries; id++) {
        spot_cell_t *cell = self->cells;

        (cell++)->number = (double) id;
        (cell++)->number = (double) serve->run.source_ns[id];
        for (size_t j = 0; j < serve->num_stages; j++) {
            cell = add_stamps(&serve->stages[j], id, num_stamps(self->run->scenario), cell);
        }
        for (size_t j = 0; j < pipeline->num_nodes; j++) {
            if (pipeline->nodes[j].stage_id < 0) {
                (cell++)->number = stamp(serve->joins[j].join_ns, id);
            }
        }
        cell->number = stamp(serve->sink_ns, id);
        add_row(self, LINEAGE, self->cells);
    }
}

/* The length of a queue at the end of each instant at which it differs from before. */
static void fill_queues(filler_t *self)
{
    const spot_serve_t *serve = &self->run->serve;

    for (size_t j = 0; j < serve->num_records; j++) {
        const spot_serve_record_t *record = &serve->records[j];
        const int64_t time_ns = record->time_ns;

        if (record->kind == SPOT_SERVE_QUEUE) {
            self->lengths[2 * record->stage_id] = record->value;
        }
        if (j + 1 < serve->num_records && serve->records[j + 1].time_ns == time_ns) {
            continue;
        }
        for (size_t k = 0; k < serve->num_stages; k++) {
            const char *name = serve->stages[k].node->id;
            int32_t *length = &self->lengths[2 * k];

            if (length[0] != length[1]) {
                add_row(self, QUEUES,
                    (const spot_cell_t[]){
                        {.integer = time_ns}, {.text = name}, {.integer = length[0]}});
                change(self, k, time_ns, length[0] - length[1]);
                length[1] = length[0];
            }
        }
    }
}

/* ---- Samples ---- */

static void change_span(filler_t *self, size_t stage_id, const spot_slot_span_t *span)
{
    const spot_serve_stage_t *stage = &self->run->serve.stages[stage_id];
    const double per_ns = stage->price_per_h[span->is_spot] / 3.6e12;
    const size_t fleet = self->run->serve.num_stages;
    const size_t cost = self->num_levels - COST_LEVELS;
    const int64_t at_ns[2] = {span->from_ns, span->to_ns};

    for (int k = 0; k < 2; k++) {
        const double sign = k == 0 ? 1 : -1;

        change(self, fleet + (span->is_serving ? span->is_spot : 2U), at_ns[k], sign);
        if (span->is_serving) {
            change(self, fleet + FLEET_LEVELS + stage_id, at_ns[k], sign);
        }
        change(self, cost, at_ns[k], sign * per_ns);
        change(self, cost + 1, at_ns[k], -sign * per_ns * (double) at_ns[k]);
    }
}

/* Of a perfect autoscaler each batch is a replica. */
static void change_replicas(filler_t *self)
{
    const spot_serve_t *serve = &self->run->serve;

    for (size_t j = 0; j < serve->num_stages; j++) {
        for (size_t k = 0; k < serve->stages[j].num_spans; k++) {
            change_span(self, j, &serve->stages[j].spans[k]);
        }
    }
    for (size_t j = 0; j < serve->num_records; j++) {
        const spot_serve_record_t *record = &serve->records[j];
        const spot_serve_stage_t *stage = &serve->stages[record->stage_id];

        if (record->kind == SPOT_SERVE_TAKE && stage->option.scale.kind == SPOT_SCALE_IDEAL) {
            const spot_slot_span_t span = {.from_ns = record->time_ns,
                .to_ns = record->time_ns + stage->time->busy_ns[record->value],
                .is_spot = stage->option.market == SPOT_MARKET_SPOT,
                .is_serving = true};

            change_span(self, (size_t) record->stage_id, &span);
        }
    }
}

static void add_levels(filler_t *self, kind_id_t kind_id, int64_t time_ns, const double *levels)
{
    self->cells[0].integer = time_ns;
    for (size_t j = 1; j < self->series[kind_id].kind->num_columns; j++) {
        self->cells[j].number = levels[j - 1];
    }
    add_row(self, kind_id, self->cells);
}

/* The curve of the cost has a last row at the end of the run. */
static void add_samples(filler_t *self)
{
    const size_t num_stages = self->run->serve.num_stages;
    const int64_t end_ns = self->run->serve.end_ns;
    const double whole = spot_serve_cost(self->run);

    for (size_t j = 0; j < self->num_samples; j++) {
        const int64_t time_ns = (int64_t) j * self->step_ns;
        double *levels = self->changes + j * self->num_levels;
        double *cost = levels + self->num_levels - COST_LEVELS, now;

        for (size_t k = 0; k < self->num_levels && j > 0; k++) {
            levels[k] += (levels - self->num_levels)[k];
        }
        now = cost[0] * (double) time_ns + cost[1];
        add_levels(self, QUEUE, time_ns, levels);
        add_levels(self, FLEET, time_ns, levels + num_stages);
        add_levels(self, REPLICAS, time_ns, levels + num_stages + FLEET_LEVELS);
        add_levels(self, COST, time_ns, &now);
    }
    if ((int64_t) (self->num_samples - 1) * self->step_ns < end_ns) {
        add_levels(self, COST, end_ns, &whole);
    }
}

double spot_serve_series_bytes(const spot_serve_scenario_t *scenario, double num_queries)
{
    const spot_serve_pipeline_t *pipeline = &scenario->pipeline;
    const spot_series_kind_t *const *all = scenario->outputs.series;
    const double num_changes = 2 * num_queries * (double) pipeline->num_stages;
    double id_bytes = 0;

    for (size_t j = 0; j < pipeline->num_stages; j++) {
        id_bytes += 2 * num_queries *
                    (double) (strlen(spot_serve_pipeline_stage_node(pipeline, j)->id) + 1);
    }
    return spot_series_bytes(all[LINEAGE], num_queries) +
           spot_series_bytes(all[QUEUES], num_changes) + spot_array_bytes(id_bytes, 1);
}

int spot_serve_series_fill(const spot_serve_replication_t *self, spot_recording_t *recording)
{
    const int64_t end_ns = self->options == NULL ? 0 : self->serve.end_ns;
    const size_t num_stages = self->serve.num_stages;
    filler_t filler = {.run = self,
        .series = recording->series,
        .step_ns = self->scenario->sample_ns,
        .num_levels = 2 * num_stages + FLEET_LEVELS + COST_LEVELS};
    spot_arena_t memory = {0};
    int64_t least_ns;

    recording->end_ticks = end_ns;
    if (self->options == NULL) {
        return 0;
    }
    least_ns = end_ns / (filler.step_ns == 0 ? NUM_SAMPLES : MAX_SAMPLES) + 1;
    filler.step_ns = filler.step_ns < least_ns ? least_ns : filler.step_ns;
    filler.num_samples = (size_t) (end_ns / filler.step_ns) + 1;
    SPOT_ARENA_ARRAY(&memory, filler.changes, filler.num_samples * filler.num_levels);
    SPOT_ARENA_ARRAY(&memory, filler.cells, recording->series[LINEAGE].kind->num_columns);
    SPOT_ARENA_ARRAY(&memory, filler.lengths, 2 * num_stages);
    if (memory.error == 0) {
        fill_stages(&filler);
        fill_cdf(&filler);
        fill_queues(&filler);
        change_replicas(&filler);
        add_samples(&filler);
        fill_lineage(&filler);
    }
    filler.error = spot_error_first(memory.error, filler.error);
    spot_arena_free(&memory);
    return filler.error;
}

void spot_serve_events_write(const spot_serve_replication_t *self, FILE *out)
{
    const spot_serve_t *serve = &self->serve;

    for (size_t j = 0; j < serve->num_records; j++) {
        const spot_serve_record_t *record = &serve->records[j];
        const spot_serve_stage_t *stage = &serve->stages[record->stage_id];
        spot_json_t json;

        if (record->kind == SPOT_SERVE_QUEUE) {
            continue;
        }
        spot_json_init(&json, out, 0);
        spot_json_open(&json, NULL, '{');
        spot_json_integer(&json, "time_ns", record->time_ns);
        spot_json_text(&json, "event", spot_serve_happening_names[record->kind]);
        spot_json_text(&json, "node", stage->node->id);
        spot_json_integer(&json, "slot", record->slot);
        if (record->kind <= SPOT_SERVE_RETURN) {
            spot_json_integer(&json, "queries", record->value);
        }
        spot_json_close(&json, '}');
        fputc('\n', out);
    }
}
