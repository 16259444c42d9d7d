/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/texts.h"
#include "sim/serve/run.h"

#define NS_PER_S 1000000000
#define MAX_CDF_ROWS 2000
#define NUM_SAMPLES 500

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

#define COLUMN(kind_, name_, unit_, ...)                                                \
    {                                                                                   \
        .name = name_, .unit = unit_, .kind = SPOT_COLUMN_##kind_, __VA_ARGS__          \
    }

static const spot_series_column_t stage_columns[] = {
    COLUMN(TEXT, "stage", "", .is_bare = true),
    COLUMN(TEXT, "hardware", "", .is_bare = true),
    COLUMN(COUNT, "batch", "1", .label = "batch limit", .is_bare = true),
    COLUMN(COUNT, "replicas", "1", .is_bare = true),
    COLUMN(TEXT, "market", "", .is_bare = true),
    COLUMN(NUMBER, "capacity_qps", "1/s", .label = "capacity", .num_decimals = 1,
        .is_bare = true),
    COLUMN(NUMBER, "utilisation", "1", .num_decimals = 3, .is_bare = true),
    COLUMN(NUMBER, "mean_batch", "1", .label = "mean batch", .num_decimals = 2,
        .is_bare = true),
    COLUMN(NUMBER, "queue_mean", "1", .label = "mean queue", .num_decimals = 2,
        .is_bare = true),
    COLUMN(COUNT, "queue_max", "1", .label = "longest queue", .is_bare = true),
    COLUMN(NUMBER, "wait_mean_ms", "ms", .label = "mean wait", .num_decimals = 3,
        .is_bare = true),
    COLUMN(NUMBER, "replicas_mean", "1", .label = "mean replicas", .num_decimals = 2,
        .is_bare = true),
    COLUMN(COUNT, "replicas_peak", "1", .label = "most replicas", .is_bare = true)};

static const spot_series_column_t cdf_columns[] = {
    COLUMN(NUMBER, "latency_ms", "ms", .is_bare = true),
    COLUMN(NUMBER, "fraction", "1", .is_bare = true)};

static const spot_series_column_t latency_columns[] = {
    COLUMN(DURATION, "latency", "", .is_bare = false),
    COLUMN(NUMBER, "share", "1", .label = "share of the queries")};

static const spot_series_column_t fleet_columns[] = {
    COLUMN(INSTANT, "time", "", .is_bare = false),
    COLUMN(NUMBER, "on_demand", "replicas", .label = "on-demand"),
    COLUMN(NUMBER, "spot", "replicas", .is_bare = false),
    COLUMN(NUMBER, "prepping", "replicas", .is_bare = false)};

static const spot_series_column_t cost_columns[] = {
    COLUMN(INSTANT, "time", "", .is_bare = false),
    COLUMN(NUMBER, "cost", "1", .is_bare = false)};

static const spot_series_column_t queue_columns[] = {
    COLUMN(COUNT, "time_ns", "1", .is_bare = true),
    COLUMN(TEXT, "node", "", .is_bare = true),
    COLUMN(COUNT, "queue", "1", .is_bare = true)};

#define KIND(id, name_, shape_, columns_, text)                                         \
    [id] = {.name = name_,                                                              \
        .help = text,                                                                   \
        .shape = SPOT_SERIES_##shape_,                                                  \
        .ticks_per_s = NS_PER_S,                                                        \
        .num_columns = sizeof(columns_) / sizeof(columns_[0]),                          \
        .columns = columns_}

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
    KIND(REPLICAS, "replicas", LEVELS, fleet_columns,
        "replicas that serve, at each sample"),
    KIND(COST, "cost", CURVE, cost_columns, "cost of the replicas so far"),
    KIND(QUEUES, "queues", LONG_TABLE, queue_columns,
        "length of each queue, a row for each instant at whose end it differs"),
    KIND(LINEAGE, "lineage", LONG_TABLE, queue_columns,
        "when each query came to each node and left it; in ns"),
};

/* Columns that are being made. */
typedef struct {
    spot_arena_t *memory;
    spot_texts_t texts;
    size_t num_columns, max_columns;
    spot_series_column_t *columns; /* in the arena at the end */
    int error;
} maker_t;

static void
add_column(maker_t *self, const char *id, const char *suffix)
{
    const spot_series_column_t column = {
        .name = spot_arena_text(
            self->memory, spot_texts_add(&self->texts, "%s%s", id, suffix)),
        .unit = "1",
        .kind = SPOT_COLUMN_NUMBER,
        .is_bare = true};

    SPOT_ARRAY_PUSH(self, columns, column);
}

static void
add_lineage_columns(maker_t *self, const spot_serve_scenario_t *scenario)
{
    static const char *const of_stage[] = {
        "_enqueue_ns", "_dequeue_ns", "_done_ns", "_batch", "_replica"};
    const spot_pipeline_t *pipeline = &scenario->pipeline;

    add_column(self, "id", "");
    add_column(self, "source_ns", "");
    for (size_t j = 0; j < pipeline->num_stages; j++) {
        const char *id = spot_pipeline_stage_node(pipeline, j)->id;

        for (size_t k = 0; k < sizeof(of_stage) / sizeof(of_stage[0]); k++) {
            add_column(self, id, of_stage[k]);
        }
        if (spot_stage_option_spot_slots(&scenario->options[j]) > 0) {
            add_column(self, id, "_first_dequeue_ns");
            add_column(self, id, "_tries");
        }
    }
    for (size_t j = 0; j < pipeline->num_nodes; j++) {
        if (pipeline->nodes[j].stage_id < 0) {
            add_column(self, pipeline->nodes[j].id, "_ns");
        }
    }
    add_column(self, "sink_ns", "");
}

/* An instant and a level for each stage. */
static void
add_stage_columns(maker_t *self, const spot_serve_scenario_t *scenario, const char *unit)
{
    const spot_series_column_t time = COLUMN(INSTANT, "time", "", .is_bare = false);

    SPOT_ARRAY_PUSH(self, columns, time);
    for (size_t j = 0; j < scenario->pipeline.num_stages; j++) {
        const spot_series_column_t level = {
            .name = spot_pipeline_stage_node(&scenario->pipeline, j)->id,
            .unit = unit,
            .kind = SPOT_COLUMN_NUMBER};

        SPOT_ARRAY_PUSH(self, columns, level);
    }
}

static void
keep_columns(maker_t *self, spot_series_kind_t *kind)
{
    spot_series_column_t *kept;

    SPOT_ARENA_ARRAY(self->memory, kept, self->num_columns);
    if (kept != NULL && self->error == 0) {
        memcpy(kept, self->columns, self->num_columns * sizeof(*kept));
    }
    kind->columns = kept;
    kind->num_columns = self->num_columns;
    self->num_columns = 0;
}

int
spot_serve_series_init(spot_serve_scenario_t *scenario)
{
    maker_t maker = {.memory = &scenario->memory};
    const spot_series_kind_t **list;
    spot_series_kind_t *own;

    SPOT_ARENA_ARRAY(&scenario->memory, list, NUM_KINDS);
    SPOT_ARENA_ARRAY(&scenario->memory, own, NUM_KINDS);
    if (scenario->memory.error != 0) {
        return scenario->memory.error;
    }
    memcpy(own, kinds, sizeof(kinds));
    add_stage_columns(&maker, scenario, "queries");
    keep_columns(&maker, &own[QUEUE]);
    add_stage_columns(&maker, scenario, "replicas");
    keep_columns(&maker, &own[REPLICAS]);
    add_lineage_columns(&maker, scenario);
    keep_columns(&maker, &own[LINEAGE]);
    for (size_t j = 0; j < NUM_KINDS; j++) {
        list[j] = &own[j];
    }
    scenario->outputs.num_series = NUM_KINDS;
    scenario->outputs.series = list;
    maker.error = spot_error_first(maker.error, maker.texts.error);
    spot_texts_free(&maker.texts);
    free(maker.columns);
    return spot_error_first(maker.error, scenario->memory.error);
}

/* ---- Rows ---- */

/* Series that are being filled. */
typedef struct {
    const spot_serve_replication_t *run;
    spot_series_t *series;
    int64_t step_ns; /* between samples */
    size_t num_samples;
    spot_cell_t *cells; /* [columns of the lineage] */
    int error;
} filler_t;

static void
add_row(filler_t *self, kind_id_t kind_id, const spot_cell_t *cells)
{
    if (self->error == 0) {
        self->error = spot_series_add(&self->series[kind_id], cells);
    }
}

static double
ratio(int64_t numerator, int64_t denominator)
{
    return denominator == 0 ? (double) NAN : (double) numerator / (double) denominator;
}

static void
fill_stages(filler_t *self)
{
    static const char *const markets[] = {"on-demand", "spot", "hedge"};
    const spot_serve_replication_t *run = self->run;

    for (size_t j = 0; j < run->serve.num_stages; j++) {
        const spot_serve_stage_t *stage = &run->serve.stages[j];
        const spot_stage_result_t *result = &stage->result;
        const int64_t serving_ns = result->serving_ns[0] + result->serving_ns[1];
        int64_t num_taken = 0;

        for (int64_t n = 1; n <= stage->option.batch; n++) {
            num_taken += n * stage->histogram[n];
        }
        add_row(self, STAGES,
            (const spot_cell_t[]){
                {.text = spot_pipeline_stage_node(&run->scenario->pipeline, j)->id},
                {.text = run->scenario->prices.prices[stage->option.hardware_id].name},
                {.integer = stage->option.batch}, {.integer = stage->option.replicas},
                {.text = markets[stage->option.market]},
                {.number = spot_gate_capacity(run->scenario, j, &run->options[j])},
                {.number = ratio(result->busy_ns, serving_ns)},
                {.number = ratio(num_taken, result->batches)},
                {.number = ratio(result->queue_area_ns, run->serve.end_ns)},
                {.integer = result->queue_max},
                {.number = ratio(result->wait_sum_ns, result->queries) / 1e6},
                {.number = ratio(serving_ns, run->serve.end_ns)},
                {.integer = result->peak_replicas}});
    }
}

/* All different latencies; where they are many, those at 2,000 equal steps. */
static void
fill_cdf(filler_t *self)
{
    const spot_latencies_t *latencies = &self->run->latencies;
    const int64_t *sorted = latencies->sorted_ns;
    const size_t num = latencies->num_queries;
    const size_t num_finite = num - latencies->num_infinite;
    size_t num_different = 0;

    for (size_t j = 0; j < num_finite; j++) {
        num_different += j == 0 || sorted[j] != sorted[j - 1];
    }
    for (size_t j = 0, step = 1; j < num_finite; j++) {
        const bool is_last = j + 1 == num_finite || sorted[j + 1] != sorted[j];
        const size_t rank = (step * num + MAX_CDF_ROWS - 1) / MAX_CDF_ROWS;

        if (num_different <= MAX_CDF_ROWS ? is_last : j + 1 >= rank) {
            const double share = (double) (j + 1) / (double) num;

            add_row(self, CDF,
                (const spot_cell_t[]){
                    {.number = (double) sorted[j] / 1e6}, {.number = share}});
            add_row(self, LATENCY,
                (const spot_cell_t[]){{.integer = sorted[j]}, {.number = share}});
            while ((step * num + MAX_CDF_ROWS - 1) / MAX_CDF_ROWS <= j + 1) {
                step++;
            }
        }
    }
}

static double
stamp(const int64_t *stamps, size_t id)
{
    return stamps[id] < 0 ? (double) NAN : (double) stamps[id];
}

static void
fill_lineage(filler_t *self)
{
    const spot_serve_t *serve = &self->run->serve;
    const spot_pipeline_t *pipeline = serve->run.pipeline;

    for (size_t id = 0; id < serve->run.num_queries; id++) {
        spot_cell_t *cell = self->cells;

        (cell++)->number = (double) id;
        (cell++)->number = (double) serve->run.source_ns[id];
        for (size_t j = 0; j < serve->num_stages; j++) {
            const spot_stage_stamps_t *stamps = &serve->stages[j].stamps;
            const bool is_taken = stamps->dequeue_ns[id] >= 0;

            (cell++)->number = stamp(stamps->enqueue_ns, id);
            (cell++)->number = stamp(stamps->dequeue_ns, id);
            (cell++)->number = stamp(stamps->done_ns, id);
            (cell++)->number = is_taken ? stamps->batch[id] : (double) NAN;
            (cell++)->number = is_taken ? stamps->replica[id] : (double) NAN;
            if (serve->stages[j].can_be_cut) {
                (cell++)->number = stamp(stamps->first_dequeue_ns, id);
                (cell++)->number = stamps->tries[id];
            }
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
static void
fill_queues(filler_t *self)
{
    const spot_serve_t *serve = &self->run->serve;
    int32_t *before = spot_calloc(serve->num_stages * 2, sizeof(*before));
    int32_t *now = before == NULL ? NULL : before + serve->num_stages;

    if (before == NULL) {
        self->error = SPOT_ERR_NO_MEMORY;
        return;
    }
    for (size_t j = 0; j < serve->num_records; j++) {
        const spot_serve_record_t *record = &serve->records[j];
        const bool is_last = j + 1 == serve->num_records ||
                             serve->records[j + 1].time_ns != record->time_ns;

        if (record->kind == SPOT_SERVE_QUEUE) {
            now[record->stage_id] = record->value;
        }
        for (size_t k = 0; k < serve->num_stages && is_last; k++) {
            if (now[k] != before[k]) {
                add_row(self, QUEUES,
                    (const spot_cell_t[]){{.integer = record->time_ns},
                        {.text = spot_pipeline_stage_node(serve->run.pipeline, k)->id},
                        {.integer = now[k]}});
                before[k] = now[k];
            }
        }
    }
    free(before);
}

/* ---- Samples ---- */

static size_t
sample_at(const filler_t *self, int64_t time_ns)
{
    const int64_t sample_id = time_ns <= 0 ? 0 : (time_ns - 1) / self->step_ns + 1;

    return sample_id < (int64_t) self->num_samples ? (size_t) sample_id
                                                   : self->num_samples;
}

static void
sample_queues(filler_t *self)
{
    const spot_serve_t *serve = &self->run->serve;
    size_t next = 0;

    for (size_t k = 0; k < serve->num_stages; k++) {
        self->cells[1 + k].number = 0;
    }
    for (size_t j = 0; j < self->num_samples; j++) {
        const int64_t time_ns = (int64_t) j * self->step_ns;

        for (; next < serve->num_records && serve->records[next].time_ns <= time_ns;
             next++) {
            const spot_serve_record_t *record = &serve->records[next];

            if (record->kind == SPOT_SERVE_QUEUE) {
                self->cells[1 + record->stage_id].number = record->value;
            }
        }
        self->cells[0].integer = time_ns;
        add_row(self, QUEUE, self->cells);
    }
}

/* Changes of replicas and of the cost's line at each sample; sums of them are values. */
typedef struct {
    double *fleet;          /* [num_samples + 1][3] on-demand, spot, prepping */
    double *replicas;       /* [num_samples + 1][num_stages] */
    double *slope, *offset; /* [num_samples + 1] cost = slope time + offset */
} changes_t;

static void
add_span(const filler_t *self, const changes_t *changes, size_t stage_id,
    const spot_slot_span_t *span)
{
    const spot_serve_stage_t *stage = &self->run->serve.stages[stage_id];
    const double per_ns = stage->price_per_h[span->is_spot] / 3.6e12;
    const size_t kind = span->is_serving ? (size_t) span->is_spot : 2;
    const int64_t at[2] = {span->from_ns, span->to_ns};

    for (int k = 0; k < 2; k++) {
        const size_t sample_id = sample_at(self, at[k]);
        const double sign = k == 0 ? 1 : -1;

        changes->fleet[sample_id * 3 + kind] += sign;
        changes->replicas[sample_id * self->run->serve.num_stages + stage_id] +=
            span->is_serving ? sign : 0;
        if (at[k] != INT64_MAX) {
            changes->slope[sample_id] += sign * per_ns;
            changes->offset[sample_id] -= sign * per_ns * (double) at[k];
        }
    }
}

/* Of a perfect autoscaler each batch is a replica. */
static void
add_batches(const filler_t *self, const changes_t *changes)
{
    const spot_serve_t *serve = &self->run->serve;

    for (size_t j = 0; j < serve->num_records; j++) {
        const spot_serve_record_t *record = &serve->records[j];
        const spot_serve_stage_t *stage = &serve->stages[record->stage_id];

        if (record->kind == SPOT_SERVE_TAKE &&
            stage->option.scale.kind == SPOT_SCALE_IDEAL) {
            const spot_slot_span_t span = {.from_ns = record->time_ns,
                .to_ns = record->time_ns + stage->time->busy_ns[record->value],
                .is_spot = stage->option.market == SPOT_MARKET_SPOT,
                .is_serving = true};

            add_span(self, changes, (size_t) record->stage_id, &span);
        }
    }
}

static void
write_samples(filler_t *self, const changes_t *changes)
{
    const size_t num_stages = self->run->serve.num_stages;
    double slope = 0, offset = 0;

    for (size_t j = 0; j < self->num_samples; j++) {
        const int64_t time_ns = (int64_t) j * self->step_ns;
        double *fleet = changes->fleet + j * 3;

        for (size_t k = 0; k < 3 && j > 0; k++) {
            fleet[k] += (fleet - 3)[k];
        }
        slope += changes->slope[j];
        offset += changes->offset[j];
        add_row(self, FLEET,
            (const spot_cell_t[]){{.integer = time_ns}, {.number = fleet[0]},
                {.number = fleet[1]}, {.number = fleet[2]}});
        add_row(self, COST,
            (const spot_cell_t[]){
                {.integer = time_ns}, {.number = slope * (double) time_ns + offset}});
        self->cells[0].integer = time_ns;
        for (size_t k = 0; k < num_stages; k++) {
            double *replicas = changes->replicas + j * num_stages + k;

            *replicas += j == 0 ? 0 : *(replicas - num_stages);
            self->cells[1 + k].number = *replicas;
        }
        add_row(self, REPLICAS, self->cells);
    }
}

static void
sample_replicas(filler_t *self)
{
    const spot_serve_t *serve = &self->run->serve;
    const size_t num_rows = self->num_samples + 1;
    spot_arena_t memory = {0};
    changes_t changes;

    SPOT_ARENA_ARRAY(&memory, changes.fleet, num_rows * 3);
    SPOT_ARENA_ARRAY(&memory, changes.replicas, num_rows * serve->num_stages);
    SPOT_ARENA_ARRAY(&memory, changes.slope, num_rows);
    SPOT_ARENA_ARRAY(&memory, changes.offset, num_rows);
    if (memory.error == 0) {
        for (size_t j = 0; j < serve->num_stages; j++) {
            for (size_t k = 0; k < serve->stages[j].num_spans; k++) {
                add_span(self, &changes, j, &serve->stages[j].spans[k]);
            }
        }
        add_batches(self, &changes);
        write_samples(self, &changes);
    }
    self->error = spot_error_first(self->error, memory.error);
    spot_arena_free(&memory);
}

int
spot_serve_series_fill(const spot_serve_replication_t *self, spot_recording_t *recording)
{
    const int64_t end_ns = self->serve.end_ns;
    filler_t filler = {.run = self, .series = recording->series};

    recording->end_ticks = end_ns;
    if (self->options == NULL) {
        recording->end_ticks = 0;
        return 0;
    }
    filler.step_ns = self->scenario->sample_ns;
    if (filler.step_ns == 0) {
        filler.step_ns = end_ns / NUM_SAMPLES + 1;
    }
    filler.num_samples = (size_t) (end_ns / filler.step_ns) + 1;
    filler.cells =
        spot_calloc(recording->series[LINEAGE].kind->num_columns, sizeof(*filler.cells));
    if (filler.cells == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    fill_stages(&filler);
    fill_cdf(&filler);
    sample_queues(&filler);
    sample_replicas(&filler);
    fill_queues(&filler);
    fill_lineage(&filler);
    free(filler.cells);
    return filler.error;
}

void
spot_serve_events_write(const spot_serve_replication_t *self, FILE *out)
{
    const spot_serve_t *serve = &self->serve;

    for (size_t j = 0; j < serve->num_records; j++) {
        const spot_serve_record_t *record = &serve->records[j];
        spot_json_t json;

        if (record->kind == SPOT_SERVE_QUEUE) {
            continue;
        }
        spot_json_init(&json, out, 0);
        spot_json_open(&json, NULL, '{');
        spot_json_integer(&json, "time_ns", record->time_ns);
        spot_json_text(&json, "event", spot_serve_happening_names[record->kind]);
        spot_json_text(&json, "node",
            spot_pipeline_stage_node(serve->run.pipeline, (size_t) record->stage_id)
                ->id);
        spot_json_integer(&json, "slot", record->slot);
        if (record->kind <= SPOT_SERVE_RETURN) {
            spot_json_integer(&json, "queries", record->value);
        }
        spot_json_close(&json, '}');
        fputc('\n', out);
    }
}
