/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/serve/serve_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef spot_serve_stage_t stage_t;

#define IDEAL_SLOTS 65536

/* Memory of a run, carved from one block; block NULL: only counted. */
typedef struct {
    char *block;
    size_t num_bytes;
} carver_t;

static void *carve(carver_t *self, size_t num_items, size_t item_bytes)
{
    void *memory = self->block == NULL ? NULL : self->block + self->num_bytes;

    self->num_bytes += (num_items * item_bytes + 15) / 16 * 16;
    return memory;
}

#define CARVE(carver, pointer, num_items) ((pointer) = carve(carver, num_items, sizeof(*(pointer))))

static void carve_stamps(carver_t *carver, stage_t *stage, size_t num_queries, bool is_recorded)
{
    spot_stage_stamps_t *stamps = &stage->stamps;

    *stamps = (spot_stage_stamps_t){0};
    if (stage->can_be_cut) {
        CARVE(carver, stamps->tries, num_queries);
    }
    if (!is_recorded) {
        return;
    }
    if (stage->can_be_cut) {
        CARVE(carver, stamps->first_dequeue_ns, num_queries);
    }
    CARVE(carver, stamps->enqueue_ns, num_queries);
    CARVE(carver, stamps->dequeue_ns, num_queries);
    CARVE(carver, stamps->done_ns, num_queries);
    CARVE(carver, stamps->batch, num_queries);
    CARVE(carver, stamps->replica, num_queries);
}

static void carve_stage(carver_t *carver, stage_t *stage, size_t num_queries, bool is_recorded)
{
    const size_t num_slots = (size_t) stage->num_slots;
    const size_t batch = (size_t) stage->option.batch;

    /* without cuts each query has one place, and places need not be a power of two */
    CARVE(carver, stage->ring, stage->can_be_cut ? (size_t) stage->ring_mask + 1 : num_queries);
    CARVE(carver, stage->histogram, batch + 1);
    CARVE(carver, stage->slots, num_slots);
    CARVE(carver, stage->returns, (size_t) stage->return_mask + 1);
    CARVE(carver, stage->idle, num_slots / 64 + 1);
    if (stage->can_be_cut) {
        CARVE(carver, stage->batch_ids, num_slots * batch);
    }
    carve_stamps(carver, stage, num_queries, is_recorded);
}

/* Sets the option of a stage and the sizes that follow from it. */
static void shape_stage(stage_t *stage, const spot_stage_option_t *option, size_t num_queries)
{
    int64_t num_places = 1;

    stage->option = *option;
    stage->num_slots = spot_stage_option_slots(option);
    stage->ring_mask = -1;
    while (stage->return_mask < stage->num_slots) {
        stage->return_mask = 2 * stage->return_mask + 1;
    }
    stage->can_be_cut = spot_stage_option_spot_slots(option) > 0;
    while (stage->can_be_cut && num_places < (int64_t) num_queries) {
        num_places *= 2;
    }
    if (stage->can_be_cut) {
        stage->ring_mask = num_places - 1;
    }
}

static size_t carve_all(spot_serve_t *self, char *block)
{
    const spot_serve_pipeline_t *pipeline = self->run.pipeline;
    const size_t num_queries = self->run.num_queries;
    carver_t carver = {block, 0};
    size_t max_batch = 1;

    CARVE(&carver, self->sink_ns, num_queries);
    CARVE(&carver, self->sink_order, num_queries);
    CARVE(&carver, self->marked, self->num_stages);
    CARVE(&carver, self->dues, self->num_stages);
    for (size_t j = 0; j < self->num_stages; j++) {
        carve_stage(&carver, &self->stages[j], num_queries, self->run.is_recorded);
        if ((size_t) self->stages[j].option.batch > max_batch) {
            max_batch = (size_t) self->stages[j].option.batch;
        }
    }
    for (size_t j = 0; j < pipeline->num_nodes; j++) {
        spot_serve_join_t *at = &self->joins[j];

        if (pipeline->nodes[j].stage_id < 0) {
            CARVE(&carver, at->seen, num_queries);
            CARVE(&carver, at->ready, max_batch);
            at->join_ns = NULL;
            if (self->run.is_recorded) {
                CARVE(&carver, at->join_ns, num_queries);
            }
        }
    }
    return carver.num_bytes;
}

/* Beyond 2^40 queries a block does not fit, whatever the machine has. */
#define MOST_QUERIES 0x1p40

/* Of a batch, without those of preemptions: it is queued, taken, leaves the queue, returns. */
#define RECORDS_PER_BATCH 4

double spot_serve_bytes(const spot_serve_pipeline_t *pipeline, const spot_stage_option_t *options,
    double num_queries, bool is_recorded)
{
    const double num_counted = ceil(fmin(num_queries, MOST_QUERIES));
    const double num_records =
        is_recorded ? RECORDS_PER_BATCH * num_queries * (double) pipeline->num_stages : 0;
    stage_t stages[SPOT_SERVE_MAX_NODES];
    spot_serve_join_t joins[SPOT_SERVE_MAX_NODES];
    spot_serve_t self = {.num_stages = pipeline->num_stages,
        .num_nodes = pipeline->num_nodes,
        .stages = stages,
        .joins = joins,
        .run = {
            .pipeline = pipeline, .num_queries = (size_t) num_counted, .is_recorded = is_recorded}};

    for (size_t j = 0; j < self.num_stages; j++) {
        stages[j] = (stage_t){.ring_mask = -1};
        shape_stage(&stages[j], &options[j], self.run.num_queries);
    }
    return fmax(1, num_queries / MOST_QUERIES) * (double) carve_all(&self, NULL) +
           spot_array_bytes(num_records, sizeof(*self.records));
}

static int make_room(spot_serve_t *self)
{
    const size_t num_bytes = carve_all(self, NULL);

    if (num_bytes > self->num_block_bytes) {
        free(self->block);
        self->block = malloc(num_bytes);
        self->num_block_bytes = self->block == NULL ? 0 : num_bytes;
    }
    if (self->block == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    (void) carve_all(self, self->block);
    return 0;
}

/* Sets all bytes of an array, which may be NULL. */
static void fill(void *array, int byte, size_t num_items, size_t item_bytes)
{
    if (array != NULL) {
        memset(array, byte, num_items * item_bytes);
    }
}

static void clear_stage(stage_t *stage, size_t num_queries)
{
    const size_t num_slots = (size_t) stage->num_slots;
    const spot_stage_stamps_t *stamps = &stage->stamps;

    fill(stage->histogram, 0, (size_t) stage->option.batch + 1, sizeof(int64_t));
    fill(stage->slots, 0, num_slots, sizeof(*stage->slots));
    fill(stage->returns, 0, (size_t) stage->return_mask + 1, sizeof(*stage->returns));
    stage->returns[0].due = SPOT_SERVE_NEVER;
    fill(stage->idle, 0, num_slots / 64 + 1, sizeof(*stage->idle));
    fill(stamps->tries, 0, num_queries, sizeof(*stamps->tries));
    fill(stamps->enqueue_ns, 0xff, num_queries, sizeof(int64_t));
    fill(stamps->dequeue_ns, 0xff, num_queries, sizeof(int64_t));
    fill(stamps->done_ns, 0xff, num_queries, sizeof(int64_t));
    fill(stamps->first_dequeue_ns, 0xff, num_queries, sizeof(int64_t));
}

static void set_stage(spot_serve_t *self, stage_t *stage, const spot_serve_plan_t *plan)
{
    const size_t max_spans = stage->max_spans;
    spot_slot_span_t *spans = stage->spans;

    *stage = (stage_t){.time = plan->time,
        .price_per_h = {plan->price_per_h[0], plan->price_per_h[1]},
        .spans = spans,
        .max_spans = max_spans,
        .first_pending = -1,
        .last_pending = -1};
    shape_stage(stage, &plan->option, self->run.num_queries);
}

static int reserve(spot_serve_t *self, const spot_serve_run_t *run)
{
    const spot_serve_pipeline_t *pipeline = run->pipeline;

    if (self->num_stages != pipeline->num_stages || self->num_nodes != pipeline->num_nodes ||
        self->stages == NULL) {
        spot_serve_free(self);
        spot_calendar_init(&self->calendar);
        self->stages = spot_calloc(pipeline->num_stages, sizeof(*self->stages));
        self->joins = spot_calloc(pipeline->num_nodes, sizeof(*self->joins));
        self->num_stages = pipeline->num_stages;
        self->num_nodes = pipeline->num_nodes;
    }
    return self->stages == NULL || self->joins == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

int spot_serve_prepare(
    spot_serve_t *self, const spot_serve_run_t *run, const spot_serve_plan_t *plans)
{
    static const spot_rent_setting_t no_rent;
    int ret = reserve(self, run);

    if (ret != 0) {
        return ret;
    }
    self->run = *run;
    self->run.rent = run->rent == NULL ? &no_rent : run->rent;
    for (size_t j = 0; j < self->num_stages; j++) {
        set_stage(self, &self->stages[j], &plans[j]);
        self->stages[j].node = spot_serve_pipeline_stage_node(run->pipeline, j);
    }
    ret = make_room(self);
    if (ret != 0) {
        return ret;
    }
    spot_calendar_clear(&self->calendar);
    self->now_ns = 0;
    self->next_query = self->num_marked = 0;
    self->num_sunk = self->num_lost = self->num_left = self->num_records = 0;
    self->end_ns = run->num_queries == 0 ? 0 : run->source_ns[run->num_queries - 1];
    self->num_ticks_due = 0;
    self->error = 0;
    self->may_strand = false;
    for (size_t j = 0; j < self->num_stages; j++) {
        self->dues[j] = SPOT_SERVE_NEVER;
    }
    self->next_stage = 0;
    self->calendar_due = SPOT_SERVE_NEVER;
    for (size_t j = 0; j < run->num_queries; j++) {
        self->sink_ns[j] = SPOT_QUERY_UNFINISHED;
    }
    for (size_t j = 0; j < self->num_nodes; j++) {
        spot_serve_join_t *at = &self->joins[j];

        at->num_waiting = at->max_waiting = 0;
        fill(at->seen, 0, run->num_queries, sizeof(*at->seen));
        fill(at->join_ns, 0xff, run->num_queries, sizeof(*at->join_ns));
    }
    for (size_t j = 0; j < self->num_stages; j++) {
        clear_stage(&self->stages[j], run->num_queries);
        self->may_strand |=
            self->stages[j].can_be_cut || plans[j].option.scale.kind == SPOT_SCALE_UTILISATION;
    }
    return 0;
}

void spot_serve_free(spot_serve_t *self)
{
    for (size_t j = 0; j < self->num_stages && self->stages != NULL; j++) {
        free(self->stages[j].spans);
    }
    free(self->stages);
    free(self->joins);
    free(self->records);
    free(self->block);
    spot_calendar_free(&self->calendar);
    *self = (spot_serve_t){0};
}

int32_t spot_stage_option_spot_slots(const spot_stage_option_t *option)
{
    const int64_t n =
        option->scale.kind == SPOT_SCALE_UTILISATION ? option->scale.max : option->replicas;

    if (option->market == SPOT_MARKET_ON_DEMAND || option->scale.kind == SPOT_SCALE_IDEAL) {
        return 0;
    }
    return (int32_t) (option->market == SPOT_MARKET_SPOT
                          ? n
                          : n - option->base + option->overprovision);
}

int32_t spot_stage_option_slots(const spot_stage_option_t *option)
{
    if (option->scale.kind == SPOT_SCALE_IDEAL) {
        return IDEAL_SLOTS;
    }
    if (option->scale.kind == SPOT_SCALE_UTILISATION) {
        return (int32_t) option->scale.max;
    }
    return (int32_t) (option->market == SPOT_MARKET_HEDGE
                          ? 2 * option->replicas - option->base + option->overprovision
                          : option->replicas);
}
