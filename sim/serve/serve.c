/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/serve/serve.h"

#include <stdlib.h>
#include <string.h>

#include "sim/serve/serve_internal.h"

typedef spot_serve_stage_t stage_t;
__extension__ typedef unsigned __int128 wide_t;

#define IDEAL_SLOTS 65536
#define MAX_TIME_NS (INT64_C(1) << 62) /* of a take: its batch ends within 63 bits */
#define STOP_EVERY 4096                /* events between two looks at the stop flag */

const char *const spot_serve_happening_names[] = {
    "take", "return", "notice", "preempt", "ready", "queue", NULL};

/* ---- Events to come ---- */

/* Keys: the phase in the two highest bits, then the sequence. Only the calendar has
 * events of capacity, and keeps their order. */
#define KEY_CAPACITY (UINT64_C(1) << 62)
#define KEY_TAKE (UINT64_C(2) << 62)

static const spot_serve_due_t never = {INT64_MAX, UINT64_MAX};

/* As one number, so that comparisons need no branch, which would be unpredictable. */
static inline wide_t
order_of(const spot_serve_due_t *due)
{
    return (wide_t) (uint64_t) due->tick << 64 | due->key;
}

static inline bool
is_before(const spot_serve_due_t *a, const spot_serve_due_t *b)
{
    return order_of(a) < order_of(b);
}

/* One sequence counts all events. */
static inline uint64_t
next_sequence(spot_serve_t *self)
{
    return self->calendar.num_sequence++;
}

/* Which of the source and the calendar is next. */
static void
look_at_others(spot_serve_t *self)
{
    self->is_source_next = is_before(&self->source_due, &self->calendar_due);
    self->other_due = self->is_source_next ? self->source_due : self->calendar_due;
}

static void
look_at_calendar(spot_serve_t *self)
{
    const spot_due_t *due = spot_calendar_first(&self->calendar);

    self->calendar_due = due == NULL
                             ? never
                             : (spot_serve_due_t){due->tick,
                                   due->phase == SPOT_SERVE_PHASE_WORK
                                       ? self->calendar.slots[due->handle].sequence
                                       : KEY_CAPACITY};
    look_at_others(self);
}

static void
look_at_source(spot_serve_t *self)
{
    self->source_due = self->next_query < self->run.num_queries
                           ? (spot_serve_due_t){self->run.source_ns[self->next_query],
                                 next_sequence(self)}
                           : never;
    look_at_others(self);
}

static void
look_at_stage(spot_serve_t *self, int32_t stage_id)
{
    const stage_t *stage = &self->stages[stage_id];
    spot_serve_due_t due = stage->returns[stage->first_return & stage->return_mask].due;

    if (stage->num_pending > 0) {
        const spot_slot_t *slot = &stage->slots[stage->first_pending];
        const spot_serve_due_t take = {
            slot->taken_ns + stage->option.delay_ns, KEY_TAKE | slot->sequence};

        due = is_before(&take, &due) ? take : due;
    }
    if (stage_id == self->next_stage) {
        self->next_stage = is_before(&self->dues[stage_id], &due) ? -1 : stage_id;
    } else if (self->next_stage >= 0 && is_before(&due, &self->dues[self->next_stage])) {
        self->next_stage = stage_id;
    }
    self->dues[stage_id] = due;
}

/* O(1) if the batch ends last, as equal times do; at most O(batches that run). */
static void
add_return(spot_serve_t *self, int32_t stage_id, int32_t slot_id, int64_t time_ns)
{
    stage_t *stage = &self->stages[stage_id];
    spot_serve_return_t *returns = stage->returns;
    const int64_t mask = stage->return_mask;
    int64_t place = stage->next_return++;

    for (; place > stage->first_return && returns[(place - 1) & mask].due.tick > time_ns;
         place--) {
        returns[place & mask] = returns[(place - 1) & mask];
    }
    returns[place & mask] =
        (spot_serve_return_t){{time_ns, next_sequence(self)}, slot_id};
    returns[stage->next_return & mask].due = never;
    if (place == stage->first_return) {
        look_at_stage(self, stage_id);
    }
}

/* The return of a batch that is cut. O(batches that run). */
static void
remove_return(spot_serve_t *self, int32_t stage_id, int32_t slot_id)
{
    stage_t *stage = &self->stages[stage_id];
    spot_serve_return_t *returns = stage->returns;
    const int64_t mask = stage->return_mask;
    int64_t place = stage->first_return;

    while (returns[place & mask].slot != slot_id) {
        place++;
    }
    for (; place < stage->next_return; place++) {
        returns[place & mask] = returns[(place + 1) & mask];
    }
    stage->next_return--;
    look_at_stage(self, stage_id);
}

int32_t
spot_serve_schedule(
    spot_serve_t *self, int64_t time_ns, int32_t phase, int32_t kind, int32_t entity)
{
    const spot_calendar_item_t item = {
        .tick = time_ns, .phase = phase, .kind = kind, .entity_id = entity};
    int32_t handle = -1;

    if (spot_calendar_add(&self->calendar, &item, &handle) != 0) {
        self->error = SPOT_ERR_NO_MEMORY;
    }
    look_at_calendar(self);
    return handle;
}

void
spot_serve_cancel(spot_serve_t *self, spot_slot_t *slot)
{
    spot_calendar_cancel(&self->calendar, slot->event);
    slot->event = -1;
    look_at_calendar(self);
}

void
spot_serve_note(spot_serve_t *self, spot_serve_happening_t kind, int32_t stage_id,
    int32_t slot, int32_t value)
{
    if (self->run.is_recorded) {
        SPOT_ARRAY_PUSH(self, records,
            (spot_serve_record_t){
                self->now_ns, value, slot, (int16_t) stage_id, (int16_t) kind});
    }
}

/* ---- Queues ---- */

/* Adds a product to a sum that must fit 63 bits. */
static void
add_area(spot_serve_t *self, int64_t *sum, int64_t length, int64_t time_ns)
{
    int64_t product;

    if (__builtin_mul_overflow(length, time_ns, &product) ||
        __builtin_add_overflow(*sum, product, sum)) {
        self->error = spot_error_first(self->error, SPOT_ERR_BAD_PARAM);
    }
}

/* What queries have waited by an instant, in all. */
static int64_t
wait_until(const stage_t *stage, int64_t time_ns)
{
    return (int64_t) (stage->waited_ns +
                      (uint64_t) (stage->tail - stage->head) * (uint64_t) time_ns);
}

/* Keeps what the sums were at the latest leaving of a query: they are the result if no
 * later one leaves. */
static void
keep_sums(spot_serve_t *self, stage_t *stage)
{
    const int64_t end_ns = self->end_ns;

    if (stage->changed_ns <= end_ns && end_ns < self->now_ns) {
        stage->area_at_end = stage->result.queue_area_ns;
        add_area(self, &stage->area_at_end, stage->tail - stage->head,
            end_ns - stage->changed_ns);
        stage->wait_at_end = wait_until(stage, end_ns);
    }
}

/* Counts the area, and that n queries come (or leave, n < 0): before they do. */
static inline void
count_area(spot_serve_t *self, stage_t *stage, int64_t n)
{
    if (self->may_strand) {
        keep_sums(self, stage);
    }
    add_area(self, &stage->result.queue_area_ns, stage->tail - stage->head,
        self->now_ns - stage->changed_ns);
    stage->changed_ns = self->now_ns;
    stage->waited_ns -= (uint64_t) n * (uint64_t) self->now_ns;
}

void
spot_serve_mark(spot_serve_t *self, int32_t stage_id)
{
    stage_t *stage = &self->stages[stage_id];

    if (stage->tail > stage->head && !stage->is_marked) {
        stage->is_marked = true;
        self->marked[self->num_marked++] = stage_id;
    }
}

static void
arrive(spot_serve_t *self, int32_t stage_id, const int32_t *ids, int32_t num_ids)
{
    stage_t *stage = &self->stages[stage_id];
    int64_t length = stage->tail - stage->head;

    count_area(self, stage, num_ids);
    stage->result.queries += num_ids;
    stage->result.seen += num_ids * length + (int64_t) num_ids * (num_ids - 1) / 2;
    for (int32_t j = 0; j < num_ids; j++) {
        stage->ring[(stage->tail + j) & stage->ring_mask] = ids[j];
    }
    stage->tail += num_ids;
    length += num_ids;
    if (self->run.is_recorded) {
        for (int32_t j = 0; j < num_ids; j++) {
            stage->stamps.enqueue_ns[ids[j]] = self->now_ns;
        }
    }
    if (length > stage->result.queue_max) {
        stage->result.queue_max = length;
    }
    spot_serve_note(self, SPOT_SERVE_QUEUE, stage_id, -1, (int32_t) length);
    spot_serve_mark(self, stage_id);
}

/* ---- From node to node ---- */

static void hand_on(spot_serve_t *self, const spot_serve_pipeline_link_t *links,
    size_t num_links, const int32_t *ids, int32_t num_ids);

static void
sink(spot_serve_t *self, const int32_t *ids, int32_t num_ids)
{
    for (int32_t j = 0; j < num_ids; j++) {
        self->sink_ns[ids[j]] = self->now_ns;
        self->sink_order[self->num_sunk++] = ids[j];
    }
    self->num_left += (size_t) num_ids;
    self->end_ns = self->now_ns;
}

static void
join(spot_serve_t *self, const spot_serve_pipeline_link_t *link, const int32_t *ids,
    int32_t num_ids)
{
    const spot_serve_pipeline_node_t *node = &self->run.pipeline->nodes[link->node_id];
    const uint32_t all = (UINT32_C(1) << node->num_parents) - 1;
    const uint32_t port = UINT32_C(1) << link->port;
    spot_serve_join_t *at = &self->joins[link->node_id];
    int32_t num_ready = 0;

    for (int32_t j = 0; j < num_ids; j++) {
        uint32_t *seen = &at->seen[ids[j]];

        if ((*seen & port) != 0) {
            spot_bug_assert(self->sink_ns[ids[j]] == SPOT_QUERY_LOST);
            continue;
        }
        at->num_waiting += *seen == 0;
        *seen |= port;
        at->ready[num_ready] = ids[j];
        num_ready += *seen == all;
    }
    at->num_waiting -= num_ready;
    if (at->num_waiting > at->max_waiting) {
        at->max_waiting = at->num_waiting;
    }
    if (num_ready > 0) {
        for (int32_t j = 0; self->run.is_recorded && j < num_ready; j++) {
            at->join_ns[at->ready[j]] = self->now_ns;
        }
        hand_on(self, node->children, node->num_children, at->ready, num_ready);
    }
}

static void
hand_on(spot_serve_t *self, const spot_serve_pipeline_link_t *links, size_t num_links,
    const int32_t *ids, int32_t num_ids)
{
    if (num_links == 0) {
        sink(self, ids, num_ids);
    }
    for (size_t j = 0; j < num_links; j++) {
        if (links[j].stage_id >= 0) {
            arrive(self, links[j].stage_id, ids, num_ids);
        } else {
            join(self, &links[j], ids, num_ids);
        }
    }
}

static void
lose(spot_serve_t *self, const int32_t *ids, int32_t num_ids)
{
    const spot_serve_pipeline_t *pipeline = self->run.pipeline;

    for (int32_t j = 0; j < num_ids; j++) {
        const int32_t id = ids[j];

        if (self->sink_ns[id] == SPOT_QUERY_LOST) {
            continue; /* another branch lost it */
        }
        self->sink_ns[id] = SPOT_QUERY_LOST;
        self->num_lost++;
        self->num_left++;
        self->end_ns = self->now_ns;
        for (size_t k = 0; k < pipeline->num_nodes; k++) {
            const uint32_t all = (UINT32_C(1) << pipeline->nodes[k].num_parents) - 1;
            spot_serve_join_t *at = &self->joins[k];

            if (pipeline->nodes[k].stage_id < 0) {
                at->num_waiting -= at->seen[id] != 0 && at->seen[id] != all;
                at->seen[id] = all; /* what still comes is dropped */
            }
        }
    }
}

/* ---- Idle and pending replicas ---- */

void
spot_serve_slot_idle(stage_t *stage, int32_t slot_id)
{
    stage->slots[slot_id].state = SPOT_SLOT_IDLE;
    stage->idle[slot_id / 64] |= UINT64_C(1) << slot_id % 64;
    stage->num_idle++;
}

void
spot_serve_slot_leave_idle(stage_t *stage, int32_t slot_id)
{
    stage->idle[slot_id / 64] &= ~(UINT64_C(1) << slot_id % 64);
    stage->num_idle--;
}

/* The idle replica of lowest index, of which there is one. O(busy slots before it / 64).
 */
static inline int32_t
first_idle(const stage_t *stage)
{
    int32_t word = 0;

    while (stage->idle[word] == 0) {
        word++;
    }
    return word * 64 + __builtin_ctzll(stage->idle[word]);
}

static void
add_pending(spot_serve_t *self, int32_t stage_id, int32_t slot_id)
{
    stage_t *stage = &self->stages[stage_id];
    spot_slot_t *slot = &stage->slots[slot_id];

    slot->state = SPOT_SLOT_PENDING;
    slot->next_pending = -1;
    slot->taken_ns = self->now_ns;
    slot->sequence = next_sequence(self);
    if (stage->num_pending++ == 0) {
        stage->first_pending = stage->last_pending = slot_id;
        look_at_stage(self, stage_id);
    } else {
        stage->slots[stage->last_pending].next_pending = slot_id;
    }
    stage->last_pending = slot_id;
}

/* Takes a replica out of the list of pending ones. O(1) for the first one. */
void
spot_serve_slot_leave_pending(spot_serve_t *self, int32_t stage_id, int32_t slot_id)
{
    stage_t *stage = &self->stages[stage_id];
    int32_t before = -1, at = stage->first_pending;

    for (; at != slot_id; at = stage->slots[at].next_pending) {
        before = at;
    }
    if (before < 0) {
        stage->first_pending = stage->slots[slot_id].next_pending;
    } else {
        stage->slots[before].next_pending = stage->slots[slot_id].next_pending;
    }
    if (stage->last_pending == slot_id) {
        stage->last_pending = before;
    }
    stage->num_pending--;
    look_at_stage(self, stage_id);
}

/* ---- Batches ---- */

/* The queries of a batch. */
static const int32_t *
batch_ids(const stage_t *stage, int32_t slot_id)
{
    return stage->can_be_cut ? stage->batch_ids + slot_id * stage->option.batch
                             : stage->ring + stage->slots[slot_id].first;
}

static void
stamp_take(spot_serve_t *self, int32_t stage_id, int32_t slot_id)
{
    stage_t *stage = &self->stages[stage_id];
    const spot_stage_stamps_t *stamps = &stage->stamps;
    const int32_t *ids = batch_ids(stage, slot_id);
    const int32_t size = stage->slots[slot_id].size;

    for (int32_t j = 0; j < size; j++) {
        stamps->dequeue_ns[ids[j]] = self->now_ns;
        stamps->batch[ids[j]] = size;
        stamps->replica[ids[j]] = slot_id;
        if (stage->can_be_cut && stamps->first_dequeue_ns[ids[j]] < 0) {
            stamps->first_dequeue_ns[ids[j]] = self->now_ns;
        }
    }
    spot_serve_note(self, SPOT_SERVE_TAKE, stage_id, slot_id, size);
    spot_serve_note(
        self, SPOT_SERVE_QUEUE, stage_id, -1, (int32_t) (stage->tail - stage->head));
}

/* A replica takes n queries from the head of the queue. */
static void
take(spot_serve_t *self, int32_t stage_id, int32_t slot_id, int32_t n)
{
    stage_t *stage = &self->stages[stage_id];
    spot_slot_t *slot = &stage->slots[slot_id];
    const int64_t busy_ns = stage->time->busy_ns[n];
    const int32_t first = (int32_t) (stage->head & stage->ring_mask);

    if (self->now_ns > MAX_TIME_NS) {
        self->error = spot_error_first(self->error, SPOT_ERR_BAD_PARAM);
    }
    count_area(self, stage, -n);
    for (int32_t j = 0; stage->can_be_cut && j < n; j++) {
        const int32_t id = stage->ring[(stage->head + j) & stage->ring_mask];

        stage->batch_ids[slot_id * stage->option.batch + j] = id;
        if (++stage->stamps.tries[id] > stage->result.tries_max) {
            stage->result.tries_max = stage->stamps.tries[id];
        }
    }
    stage->head += n;
    slot->state = SPOT_SLOT_BUSY;
    slot->first = first;
    slot->size = n;
    slot->taken_ns = self->now_ns;
    stage->result.batches++;
    stage->histogram[n]++;
    add_area(self, &stage->result.busy_ns, busy_ns, 1);
    spot_fleet_count_busy(self, stage, 1);
    if (self->run.is_recorded) {
        stamp_take(self, stage_id, slot_id);
    }
    add_return(self, stage_id, slot_id, self->now_ns + busy_ns);
    if (stage->time->result_ns != stage->time->busy_ns) {
        (void) spot_serve_schedule(self, self->now_ns + stage->time->result_ns[n],
            SPOT_SERVE_PHASE_WORK,
            SPOT_SERVE_EVENT_DELIVER | stage_id << SPOT_SERVE_STAGE_BIT |
                n << SPOT_SERVE_SIZE_BIT,
            first);
    }
}

/* How many queries a replica may take: on one that will be taken away, as many as it can
 * end in time; 0: none. */
static int32_t
most_in_time(const spot_serve_t *self, const stage_t *stage, int32_t slot_id)
{
    const spot_slot_t *slot = &stage->slots[slot_id];
    const int64_t length = stage->tail - stage->head;
    int32_t n = (int32_t) (length < stage->option.batch ? length : stage->option.batch);

    while (slot->is_noticed && n > 0 &&
           self->now_ns + stage->time->busy_ns[n] > slot->gone_ns) {
        n--;
    }
    return n;
}

static void
dispatch_at_once(spot_serve_t *self, int32_t stage_id)
{
    stage_t *stage = &self->stages[stage_id];

    while (stage->tail > stage->head && stage->num_idle > 0) {
        const int32_t slot_id = first_idle(stage);
        const int32_t n = most_in_time(self, stage, slot_id);

        spot_serve_slot_leave_idle(stage, slot_id);
        if (n > 0) {
            take(self, stage_id, slot_id, n);
        } else {
            stage->slots[slot_id].state = SPOT_SLOT_DRAINED;
        }
    }
}

static void
dispatch_with_delay(spot_serve_t *self, int32_t stage_id)
{
    stage_t *stage = &self->stages[stage_id];
    const int64_t batch = stage->option.batch;
    int32_t slot_id;

    while (
        stage->num_idle > 0 && stage->num_pending * batch < stage->tail - stage->head) {
        slot_id = first_idle(stage);
        spot_serve_slot_leave_idle(stage, slot_id);
        add_pending(self, stage_id, slot_id);
    }
    while (stage->option.releases_when_full && stage->num_pending > 0 &&
           stage->tail - stage->head >= batch) {
        slot_id = stage->first_pending;
        spot_serve_slot_leave_pending(self, stage_id, slot_id);
        take(self, stage_id, slot_id, (int32_t) batch);
    }
}

/* All that are marked: nothing more becomes available at this instant. */
static void
dispatch(spot_serve_t *self)
{
    for (size_t j = 0; j < self->num_marked; j++) {
        const int32_t stage_id = self->marked[j];

        self->stages[stage_id].is_marked = false;
        if (self->stages[stage_id].option.delay_ns == 0) {
            dispatch_at_once(self, stage_id);
        } else {
            dispatch_with_delay(self, stage_id);
        }
    }
    self->num_marked = 0;
}

static void
take_after_delay(spot_serve_t *self, int32_t stage_id, int32_t slot_id)
{
    stage_t *stage = &self->stages[stage_id];
    const int64_t length = stage->tail - stage->head, batch = stage->option.batch;

    spot_serve_slot_leave_pending(self, stage_id, slot_id);
    if (length == 0) {
        spot_serve_slot_idle(stage, slot_id); /* others took everything */
    } else {
        take(self, stage_id, slot_id, (int32_t) (length < batch ? length : batch));
    }
}

/* The result of a batch is there. */
static void
deliver(spot_serve_t *self, int32_t stage_id, const int32_t *ids, int32_t num_ids)
{
    const spot_serve_pipeline_node_t *node = self->stages[stage_id].node;

    for (int32_t j = 0; j < num_ids && self->run.is_recorded; j++) {
        self->stages[stage_id].stamps.done_ns[ids[j]] = self->now_ns;
    }
    hand_on(self, node->children, node->num_children, ids, num_ids);
}

static void
free_slot(spot_serve_t *self, int32_t stage_id, int32_t slot_id)
{
    spot_fleet_count_busy(self, &self->stages[stage_id], -1);
    spot_fleet_return(self, stage_id, slot_id);
    spot_serve_mark(self, stage_id);
}

void
spot_serve_cut(spot_serve_t *self, int32_t stage_id, int32_t slot_id)
{
    stage_t *stage = &self->stages[stage_id];
    spot_slot_t *slot = &stage->slots[slot_id];
    const int32_t *ids = batch_ids(stage, slot_id);
    const int32_t num_ids = slot->size;
    const int64_t elapsed_ns = self->now_ns - slot->taken_ns;
    const int in_flight = self->run.rent->in_flight;

    remove_return(self, stage_id, slot_id);
    spot_fleet_count_busy(self, stage, -1);
    stage->result.batches_cut++;
    stage->result.busy_ns -= stage->time->busy_ns[num_ids] - elapsed_ns;
    stage->result.wasted_ns += elapsed_ns;
    if (in_flight == SPOT_IN_FLIGHT_LOSE) {
        lose(self, ids, num_ids);
        return;
    }
    count_area(self, stage, num_ids);
    for (int32_t j = 0; j < num_ids; j++) {
        const int64_t place = in_flight == SPOT_IN_FLIGHT_REQUEUE_HEAD
                                  ? stage->head - num_ids + j
                                  : stage->tail + j;

        stage->ring[place & stage->ring_mask] = ids[j];
    }
    if (in_flight == SPOT_IN_FLIGHT_REQUEUE_HEAD) {
        stage->head -= num_ids;
    } else {
        stage->tail += num_ids;
    }
    if (stage->tail - stage->head > stage->result.queue_max) {
        stage->result.queue_max = stage->tail - stage->head;
    }
    spot_serve_note(
        self, SPOT_SERVE_QUEUE, stage_id, -1, (int32_t) (stage->tail - stage->head));
}

/* ---- The loop ---- */

static void
emit(spot_serve_t *self)
{
    const spot_serve_pipeline_t *pipeline = self->run.pipeline;
    const int32_t id = (int32_t) self->next_query++;

    look_at_source(self);
    hand_on(self, pipeline->first, pipeline->num_first, &id, 1);
}

/* The next event of a stage: a batch ends, or a delay. */
static void
see_stage(spot_serve_t *self, int32_t stage_id)
{
    stage_t *stage = &self->stages[stage_id];
    int32_t slot_id;

    if ((self->dues[stage_id].key & KEY_TAKE) != 0) {
        take_after_delay(self, stage_id, stage->first_pending);
        return;
    }
    slot_id = stage->returns[stage->first_return++ & stage->return_mask].slot;
    look_at_stage(self, stage_id);
    if (stage->time->result_ns == stage->time->busy_ns) {
        deliver(self, stage_id, batch_ids(stage, slot_id), stage->slots[slot_id].size);
    }
    free_slot(self, stage_id, slot_id);
}

static void
see_calendar(spot_serve_t *self)
{
    const spot_calendar_item_t item = spot_calendar_take(&self->calendar);
    const int32_t stage_id = item.kind >> SPOT_SERVE_STAGE_BIT & 0xff;
    const spot_serve_event_t event =
        (spot_serve_event_t) (item.kind & ((1 << SPOT_SERVE_STAGE_BIT) - 1));

    look_at_calendar(self);
    if (event == SPOT_SERVE_EVENT_DELIVER) {
        deliver(self, stage_id, self->stages[stage_id].ring + item.entity_id,
            item.kind >> SPOT_SERVE_SIZE_BIT);
    } else {
        spot_fleet_see(self, event, stage_id, item.entity_id);
    }
}

/* The stage of the next event, or -1: it is the source's or the calendar's. O(stages)
 * once that of a stage is over. */
static inline int32_t
find_next(spot_serve_t *self)
{
    int32_t next = self->next_stage;

    if (next < 0) {
        next = 0;
        for (int32_t j = 1; j < (int32_t) self->num_stages; j++) {
            next = is_before(&self->dues[j], &self->dues[next]) ? j : next;
        }
        self->next_stage = next;
    }
    return is_before(&self->other_due, &self->dues[next]) ? -1 : next;
}

/* Whether nothing is to come but ticks of autoscalers that have nothing to do. */
static bool
is_over(const spot_serve_t *self)
{
    bool is_idle = self->source_due.tick == INT64_MAX &&
                   self->calendar.num_items == (size_t) self->num_ticks_due;

    for (size_t j = 0; j < self->num_stages; j++) {
        is_idle &= self->dues[j].tick == INT64_MAX;
    }
    return is_idle;
}

static int64_t
next_tick(const spot_serve_t *self, int32_t next)
{
    return next < 0 ? self->other_due.tick : self->dues[next].tick;
}

/* One event, and before it the batches of the instant that is over. */
bool
spot_serve_step(spot_serve_t *self)
{
    int32_t next = find_next(self);

    if (self->num_marked > 0 && next_tick(self, next) > self->now_ns) {
        dispatch(self);
        next = find_next(self);
    }
    if (next >= 0) {
        if (self->dues[next].tick == INT64_MAX) {
            return false;
        }
        self->now_ns = self->dues[next].tick;
        see_stage(self, next);
    } else if (self->is_source_next) {
        self->now_ns = self->other_due.tick;
        emit(self);
    } else {
        if (is_over(self)) {
            return false;
        }
        self->now_ns = self->other_due.tick;
        see_calendar(self);
    }
    return true;
}

/* ---- A run ---- */

/* Memory of a run, carved from one block; block NULL: only counted. */
typedef struct {
    char *block;
    size_t num_bytes;
} carver_t;

static void *
carve(carver_t *self, size_t num_items, size_t item_bytes)
{
    void *memory = self->block == NULL ? NULL : self->block + self->num_bytes;

    self->num_bytes += (num_items * item_bytes + 15) / 16 * 16;
    return memory;
}

#define CARVE(carver, pointer, num_items)                                               \
    ((pointer) = carve(carver, num_items, sizeof(*(pointer))))

static void
carve_stamps(carver_t *carver, stage_t *stage, size_t num_queries, bool is_recorded)
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

static void
carve_stage(carver_t *carver, stage_t *stage, size_t num_queries, bool is_recorded)
{
    const size_t num_slots = (size_t) stage->num_slots;
    const size_t batch = (size_t) stage->option.batch;

    /* without cuts each query has one place, and places need not be a power of two */
    CARVE(carver, stage->ring,
        stage->can_be_cut ? (size_t) stage->ring_mask + 1 : num_queries);
    CARVE(carver, stage->histogram, batch + 1);
    CARVE(carver, stage->slots, num_slots);
    CARVE(carver, stage->returns, (size_t) stage->return_mask + 1);
    CARVE(carver, stage->idle, num_slots / 64 + 1);
    if (stage->can_be_cut) {
        CARVE(carver, stage->batch_ids, num_slots * batch);
    }
    carve_stamps(carver, stage, num_queries, is_recorded);
}

static size_t
carve_all(spot_serve_t *self, char *block)
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

static int
make_room(spot_serve_t *self)
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
static void
fill(void *array, int byte, size_t num_items, size_t item_bytes)
{
    if (array != NULL) {
        memset(array, byte, num_items * item_bytes);
    }
}

static void
clear_stage(stage_t *stage, size_t num_queries)
{
    const size_t num_slots = (size_t) stage->num_slots;
    const spot_stage_stamps_t *stamps = &stage->stamps;

    fill(stage->histogram, 0, (size_t) stage->option.batch + 1, sizeof(int64_t));
    fill(stage->slots, 0, num_slots, sizeof(*stage->slots));
    fill(stage->returns, 0, (size_t) stage->return_mask + 1, sizeof(*stage->returns));
    stage->returns[0].due = never;
    fill(stage->idle, 0, num_slots / 64 + 1, sizeof(*stage->idle));
    fill(stamps->tries, 0, num_queries, sizeof(*stamps->tries));
    fill(stamps->enqueue_ns, 0xff, num_queries, sizeof(int64_t));
    fill(stamps->dequeue_ns, 0xff, num_queries, sizeof(int64_t));
    fill(stamps->done_ns, 0xff, num_queries, sizeof(int64_t));
    fill(stamps->first_dequeue_ns, 0xff, num_queries, sizeof(int64_t));
}

static void
set_stage(spot_serve_t *self, stage_t *stage, const spot_serve_plan_t *plan)
{
    const size_t max_spans = stage->max_spans;
    spot_slot_span_t *spans = stage->spans;
    int64_t num_places = 1;

    *stage = (stage_t){.option = plan->option,
        .time = plan->time,
        .price_per_h = {plan->price_per_h[0], plan->price_per_h[1]},
        .spans = spans,
        .max_spans = max_spans,
        .first_pending = -1,
        .last_pending = -1,
        .num_slots = spot_stage_option_slots(&plan->option),
        .ring_mask = -1};
    while (stage->return_mask < stage->num_slots) {
        stage->return_mask = 2 * stage->return_mask + 1;
    }
    stage->can_be_cut = spot_stage_option_spot_slots(&plan->option) > 0;
    while (stage->can_be_cut && num_places < (int64_t) self->run.num_queries) {
        num_places *= 2;
    }
    if (stage->can_be_cut) {
        stage->ring_mask = num_places - 1;
    }
}

static int
reserve(spot_serve_t *self, const spot_serve_run_t *run)
{
    const spot_serve_pipeline_t *pipeline = run->pipeline;

    if (self->num_stages != pipeline->num_stages ||
        self->num_nodes != pipeline->num_nodes || self->stages == NULL) {
        spot_serve_free(self);
        spot_calendar_init(&self->calendar);
        self->stages = spot_calloc(pipeline->num_stages, sizeof(*self->stages));
        self->joins = spot_calloc(pipeline->num_nodes, sizeof(*self->joins));
        self->num_stages = pipeline->num_stages;
        self->num_nodes = pipeline->num_nodes;
    }
    return self->stages == NULL || self->joins == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

int
spot_serve_start(
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
        self->dues[j] = never;
    }
    self->next_stage = 0;
    self->calendar_due = never;
    look_at_source(self);
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
        self->may_strand |= self->stages[j].can_be_cut ||
                            plans[j].option.scale.kind == SPOT_SCALE_UTILISATION;
        spot_fleet_start(self, (int32_t) j);
    }
    return self->error;
}

/* Sums up to the end of the run; Little's law holds to the nanosecond. */
static void
settle(spot_serve_t *self, stage_t *stage)
{
    spot_stage_result_t *result = &stage->result;

    if (stage->changed_ns > self->end_ns) {
        result->queue_area_ns = stage->area_at_end;
        result->wait_sum_ns = stage->wait_at_end;
    } else {
        add_area(self, &result->queue_area_ns, stage->tail - stage->head,
            self->end_ns - stage->changed_ns);
        result->wait_sum_ns = wait_until(stage, self->end_ns);
    }
    spot_bug_assert(self->error != 0 || result->queue_area_ns == result->wait_sum_ns);
    if (!stage->can_be_cut) {
        result->tries_max = result->batches > 0;
    }
    spot_fleet_settle(self, stage);
}

int
spot_serve_run(
    spot_serve_t *self, const spot_serve_run_t *run, const spot_serve_plan_t *plans)
{
    int64_t num_steps = 0;
    const int ret = spot_serve_start(self, run, plans);

    if (ret != 0) {
        return ret;
    }
    while (
        self->error == 0 && self->num_left < run->num_queries && spot_serve_step(self)) {
        if (++num_steps % STOP_EVERY == 0 && run->stop != NULL &&
            atomic_load(run->stop) != 0) {
            self->error = SPOT_ERR_INTERRUPTED;
        }
    }
    if (self->error == 0 && run->outages != NULL) {
        self->error = spot_outages_error(
            run->outages, self->num_left < run->num_queries ? INT64_MAX : self->now_ns);
    }
    for (size_t j = 0; j < self->num_stages && self->error == 0; j++) {
        settle(self, &self->stages[j]);
    }
    return self->error;
}

void
spot_serve_free(spot_serve_t *self)
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

int32_t
spot_stage_option_spot_slots(const spot_stage_option_t *option)
{
    const int64_t n = option->scale.kind == SPOT_SCALE_UTILISATION ? option->scale.max
                                                                   : option->replicas;

    if (option->market == SPOT_MARKET_ON_DEMAND ||
        option->scale.kind == SPOT_SCALE_IDEAL) {
        return 0;
    }
    return (int32_t) (option->market == SPOT_MARKET_SPOT
                          ? n
                          : n - option->base + option->overprovision);
}

int32_t
spot_stage_option_slots(const spot_stage_option_t *option)
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
