/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/serve/serve_random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NODES 9
#define MAX_QUERIES 40
#define MAX_BATCH 6
#define MAX_SLOTS 160

/* What a case is like as a whole. */
typedef struct {
    bool is_wide; /* more replicas than a word has bits */
    bool is_pipelined;
    bool has_spot;
} kind_t;

/* ---- Draws ---- */

static int64_t from_to(spot_rng_t *rng, int64_t low, int64_t high)
{
    return low + (int64_t) spot_rng_below(rng, (uint64_t) (high - low + 1));
}

static bool chance(spot_rng_t *rng, int64_t percent)
{
    return from_to(rng, 1, 100) <= percent;
}

static void shuffle(spot_rng_t *rng, size_t num_items, int *items)
{
    for (size_t j = num_items; j > 1; j--) {
        const size_t k = (size_t) spot_rng_below(rng, j);
        const int item = items[k];

        items[k] = items[j - 1];
        items[j - 1] = item;
    }
}

/* ---- The pipeline ---- */

typedef struct {
    int num_nodes;
    char lines[MAX_NODES][128];
    bool has_child[MAX_NODES];
} graph_t;

static void add_stage(graph_t *self, int parent)
{
    char *line = self->lines[self->num_nodes];

    if (parent < 0) {
        snprintf(line, sizeof(self->lines[0]), "n%d, from: source", self->num_nodes);
    } else {
        snprintf(line, sizeof(self->lines[0]), "n%d, from: n%d", self->num_nodes, parent);
        self->has_child[parent] = true;
    }
    self->num_nodes++;
}

static void add_join(graph_t *self, int num_parents, const int *parents)
{
    char *line = self->lines[self->num_nodes];
    int num_bytes = snprintf(line, sizeof(self->lines[0]), "n%d, join: [", self->num_nodes);

    for (int j = 0; j < num_parents; j++) {
        char name[16] = "source";

        if (parents[j] >= 0) {
            snprintf(name, sizeof(name), "n%d", parents[j]);
            self->has_child[parents[j]] = true;
        }
        num_bytes += snprintf(line + num_bytes, sizeof(self->lines[0]) - (size_t) num_bytes, "%s%s",
            j > 0 ? ", " : "", name);
    }
    strcat(line, "]");
    self->num_nodes++;
}

/* A node of any kind below nodes that are there. */
static void add_node(graph_t *self, spot_rng_t *rng)
{
    int nodes[MAX_NODES + 1];
    const size_t num_nodes = (size_t) self->num_nodes + 1; /* the source is -1 */

    for (size_t j = 0; j < num_nodes; j++) {
        nodes[j] = (int) j - 1;
    }
    shuffle(rng, num_nodes, nodes);
    if (num_nodes > 2 && chance(rng, 35)) {
        add_join(self, num_nodes > 3 && chance(rng, 30) ? 3 : 2, nodes);
    } else {
        add_stage(self, nodes[0]);
    }
}

/* Joins all ends. */
static void end_graph(graph_t *self)
{
    int ends[MAX_NODES];
    int num_ends = 0;

    for (int j = 0; j < self->num_nodes; j++) {
        if (!self->has_child[j]) {
            ends[num_ends++] = j;
        }
    }
    if (num_ends > 1) {
        add_join(self, num_ends, ends);
    }
}

static void open_pipeline(serve_case_t *self, spot_rng_t *rng)
{
    const int64_t num_nodes = from_to(rng, 1, MAX_NODES - 1);
    char document[MAX_NODES * 160] = "pipeline:\n";
    int order[MAX_NODES];
    graph_t graph = {0};

    add_stage(&graph, -1);
    while (graph.num_nodes < num_nodes) {
        add_node(&graph, rng);
    }
    end_graph(&graph);
    for (int j = 0; j < graph.num_nodes; j++) {
        order[j] = j;
    }
    if (chance(rng, 50)) {
        shuffle(rng, (size_t) graph.num_nodes, order);
    }
    for (int j = 0; j < graph.num_nodes; j++) {
        strcat(strcat(strcat(document, "  - {id: "), graph.lines[order[j]]), "}\n");
    }
    serve_case_open(self, document);
}

/* ---- Stages ---- */

static spot_service_time_t *draw_time(serve_case_t *self, spot_rng_t *rng, bool is_pipelined)
{
    const int32_t last = (int32_t) from_to(rng, 1, MAX_BATCH);
    const bool is_any = chance(rng, 30); /* a larger batch may be faster */
    spot_service_time_t *time;
    int64_t *busy_ns, *result_ns;

    SPOT_ARENA_ARRAY(&self->memory, time, 1);
    SPOT_ARENA_ARRAY(&self->memory, busy_ns, (size_t) last + 1);
    SPOT_ARENA_ARRAY(&self->memory, result_ns, (size_t) last + 1);
    for (int32_t j = 1; j <= last; j++) {
        busy_ns[j] = is_any || j == 1 ? from_to(rng, 1, 20) : busy_ns[j - 1] + from_to(rng, 0, 5);
        result_ns[j] = busy_ns[j] + from_to(rng, 0, 1) * from_to(rng, 0, 15);
    }
    *time = (spot_service_time_t){
        .last = last, .busy_ns = busy_ns, .result_ns = is_pipelined ? result_ns : busy_ns};
    return time;
}

static void draw_market(spot_stage_option_t *option, spot_rng_t *rng)
{
    option->market = (int) from_to(rng, SPOT_MARKET_ON_DEMAND, SPOT_MARKET_HEDGE);
    if (option->market == SPOT_MARKET_HEDGE) {
        option->base = from_to(rng, 0, option->replicas);
        option->overprovision = from_to(rng, 0, 2);
        option->fallback = (int) from_to(rng, SPOT_FALLBACK_NONE, SPOT_FALLBACK_TO_PROVISIONED);
    }
}

static void draw_stages(serve_case_t *self, spot_rng_t *rng, const kind_t *kind)
{
    for (size_t j = 0; j < self->pipeline.num_stages; j++) {
        spot_stage_option_t *option = &self->plans[j].option;

        self->plans[j].time = draw_time(self, rng, kind->is_pipelined);
        *option = (spot_stage_option_t){.batch = from_to(rng, 1, self->plans[j].time->last),
            .replicas = kind->is_wide ? from_to(rng, 55, 140) : from_to(rng, 1, 4),
            .delay_ns = chance(rng, 40) ? from_to(rng, 1, 12) : 0,
            .releases_when_full = chance(rng, 50)};
        if (kind->has_spot) {
            draw_market(option, rng);
        }
        if (option->delay_ns > 0 && option->market != SPOT_MARKET_ON_DEMAND) {
            self->rent.drain = SPOT_DRAIN_STOP; /* deadline does not go with a delay */
        }
    }
}

/* ---- Arrivals and outages ---- */

static void draw_arrivals(serve_case_t *self, spot_rng_t *rng, const kind_t *kind)
{
    const int64_t num_queries =
        kind->is_wide ? from_to(rng, 150, 300) : from_to(rng, 1, MAX_QUERIES);
    const int64_t longest_ns = kind->is_wide ? 1 : from_to(rng, 0, 1) * 14 + from_to(rng, 0, 6);
    int64_t now_ns = 0;

    for (int64_t j = 0; j < num_queries; j++) {
        serve_case_arrive(self, now_ns);
        now_ns += chance(rng, kind->is_wide ? 90 : 40) ? 0 : from_to(rng, 0, longest_ns);
    }
}

/* The next outages of slots that are drawn again and again: in order of a slot, in any
 * order among slots. */
static void draw_outages(serve_case_t *self, spot_rng_t *rng, const kind_t *kind)
{
    const int64_t num_rows = from_to(rng, 0, kind->is_wide ? 200 : 25);
    const int64_t few = kind->is_wide ? 100 : 2, many = kind->is_wide ? 140 : 6;
    int64_t ready_ns[SPOT_SERVE_MAX_NODES][MAX_SLOTS] = {{0}};

    for (int64_t j = 0; j < num_rows; j++) {
        const int64_t stage_id = from_to(rng, 0, (int64_t) self->pipeline.num_stages - 1);
        const int64_t slot = from_to(rng, 0, chance(rng, 20) ? many : few);
        int64_t *since_ns = &ready_ns[stage_id][slot];
        const int64_t up_ns = chance(rng, 20) ? 0 : from_to(rng, 0, 60);
        int64_t preempted_ns;

        if (*since_ns == INT64_MAX) {
            continue;
        }
        preempted_ns = *since_ns + up_ns;
        *since_ns = chance(rng, 4) ? INT64_MAX : preempted_ns + from_to(rng, 1, 40);
        serve_case_outage(self, (int32_t) stage_id, (int32_t) slot, preempted_ns, *since_ns);
    }
}

void serve_random_open(serve_case_t *self, uint64_t seed)
{
    spot_rng_t rng;
    kind_t kind;

    spot_rng_seek(&rng, seed, 0, SPOT_STREAM_OWN, 0);
    open_pipeline(self, &rng);
    kind.is_wide = chance(&rng, 2);
    kind.is_pipelined = chance(&rng, 15);
    kind.has_spot = !kind.is_pipelined && chance(&rng, 80);
    self->rent = (spot_rent_setting_t){.notice_ns = chance(&rng, 60) ? from_to(&rng, 1, 40) : 0,
        .drain = (int) from_to(&rng, SPOT_DRAIN_DEADLINE, SPOT_DRAIN_STOP),
        .in_flight = (int) from_to(&rng, SPOT_IN_FLIGHT_REQUEUE_HEAD, SPOT_IN_FLIGHT_LOSE),
        .preparation_ns = chance(&rng, 70) ? from_to(&rng, 0, 12) : 0,
        .load_ns = chance(&rng, 70) ? from_to(&rng, 0, 12) : 0};
    draw_stages(self, &rng, &kind);
    draw_arrivals(self, &rng, &kind);
    draw_outages(self, &rng, &kind);
}

/* ---- For messages ---- */

static void print_times(const char *name, int32_t last, const int64_t *ns)
{
    fprintf(stderr, " %s", name);
    for (int32_t j = 1; j <= last; j++) {
        fprintf(stderr, " %" PRId64, ns[j]);
    }
}

static void print_stage(const spot_serve_plan_t *plan, size_t stage_id)
{
    const spot_stage_option_t *option = &plan->option;

    fprintf(stderr,
        "stage %zu: batch %" PRId64 " replicas %" PRId64 " delay %" PRId64
        " release %d market %d base %" PRId64 " overprovision %" PRId64 " fallback %d",
        stage_id, option->batch, option->replicas, option->delay_ns, option->releases_when_full,
        option->market, option->base, option->overprovision, option->fallback);
    print_times("busy", plan->time->last, plan->time->busy_ns);
    print_times("result", plan->time->last, plan->time->result_ns);
    fprintf(stderr, "\n");
}

void serve_random_print(const serve_case_t *self, uint64_t seed)
{
    const spot_outage_file_t *file = &self->outage_setting.file;

    fprintf(stderr, "case %" PRIu64 "\n", seed);
    for (size_t j = 0; j < self->num_items; j++) {
        const spot_serve_pipeline_item_t *item = &self->items[j];

        fprintf(stderr, "%s: %s", item->id, item->from == NULL ? "join" : item->from);
        for (size_t k = 0; k < item->num_join; k++) {
            fprintf(stderr, " %s", item->join[k]);
        }
        fprintf(stderr, "\n");
    }
    for (size_t j = 0; j < self->pipeline.num_stages; j++) {
        print_stage(&self->plans[j], j);
    }
    fprintf(stderr,
        "notice %" PRId64 " drain %d in_flight %d preparation %" PRId64 " load %" PRId64
        "\narrivals",
        self->rent.notice_ns, self->rent.drain, self->rent.in_flight, self->rent.preparation_ns,
        self->rent.load_ns);
    for (size_t j = 0; j < self->num_arrivals; j++) {
        fprintf(stderr, " %" PRId64, self->arrivals[j]);
    }
    fprintf(stderr, "\n");
    for (size_t j = 0; j < file->num_rows; j++) {
        fprintf(stderr, "outage of stage %d slot %d: %" PRId64 " to %" PRId64 "\n",
            (int) file->rows[j].stage_id, (int) file->rows[j].slot, file->rows[j].preempted_ns,
            file->rows[j].ready_ns);
    }
}
