/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/serve/serve.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* Events of the calendar: all but the source, and returns and takes of a stage, which
 * have queues of their own. Kind: the type, the stage from bit 4 on, and of DELIVER the
 * size of the batch from bit 12 on. Entity: the slot, of DELIVER the place in the ring.
 */
typedef enum {
    EVENT_DELIVER, /* the result of a pipelined batch is there */
    EVENT_NOTICE,
    EVENT_PREEMPT,
    EVENT_BACK,  /* a spot slot has an instance again */
    EVENT_READY, /* a slot that was switched on serves */
    EVENT_TICK   /* of an autoscaler */
} event_t;

#define STAGE_BIT 4
#define SIZE_BIT 12

/* Phases in the calendar: of work, of outages by their order, of other capacity. */
#define PHASE_WORK 0
#define PHASE_OUTAGE 1
#define PHASE_CAPACITY INT32_MAX

/* Keys: the phase in the two highest bits, then the sequence. Only the calendar has
 * events of capacity, and keeps their order. */
#define KEY_CAPACITY (UINT64_C(1) << 62)
#define KEY_TAKE (UINT64_C(2) << 62)

/* ---- What is to come ----
 *
 * Returns and takes of the stages are in queues of their own, all else is in a calendar.
 * Inline, as the loop of a run lives in these. */

__extension__ typedef unsigned __int128 order_t;

/* As one number, so that comparisons need no branch, which would be unpredictable. */
static inline order_t order_of(const spot_serve_due_t *due)
{
    return (order_t) (uint64_t) due->tick << 64 | due->key;
}

static inline bool is_before(const spot_serve_due_t *a, const spot_serve_due_t *b)
{
    return order_of(a) < order_of(b);
}

/* One sequence counts all events. */
static inline uint64_t next_sequence(spot_serve_t *self)
{
    return self->calendar.num_sequence++;
}

/* Which of the source and the calendar is next. */
static inline void look_at_others(spot_serve_t *self)
{
    self->is_source_next = is_before(&self->source_due, &self->calendar_due);
    self->other_due = self->is_source_next ? self->source_due : self->calendar_due;
}

static inline void look_at_source(spot_serve_t *self)
{
    self->source_due =
        self->next_query < self->run.num_queries
            ? (spot_serve_due_t){self->run.source_ns[self->next_query], next_sequence(self)}
            : SPOT_SERVE_NEVER;
    look_at_others(self);
}

static inline void look_at_calendar(spot_serve_t *self)
{
    const spot_due_t *due = spot_calendar_first(&self->calendar);

    self->calendar_due =
        due == NULL ? SPOT_SERVE_NEVER
                    : (spot_serve_due_t){due->tick, due->phase == PHASE_WORK
                                                        ? self->calendar.slots[due->handle].sequence
                                                        : KEY_CAPACITY};
    look_at_others(self);
}

static inline void look_at_stage(spot_serve_t *self, int32_t stage_id)
{
    const spot_serve_stage_t *stage = &self->stages[stage_id];
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
static inline void add_return(
    spot_serve_t *self, int32_t stage_id, int32_t slot_id, int64_t time_ns)
{
    spot_serve_stage_t *stage = &self->stages[stage_id];
    spot_serve_return_t *returns = stage->returns;
    const int64_t mask = stage->return_mask;
    int64_t place = stage->next_return++;

    for (; place > stage->first_return && returns[(place - 1) & mask].due.tick > time_ns; place--) {
        returns[place & mask] = returns[(place - 1) & mask];
    }
    returns[place & mask] = (spot_serve_return_t){{time_ns, next_sequence(self)}, slot_id};
    returns[stage->next_return & mask].due = SPOT_SERVE_NEVER;
    if (place == stage->first_return) {
        look_at_stage(self, stage_id);
    }
}

/* The return of a batch that is cut. O(batches that run). */
static inline void remove_return(spot_serve_t *self, int32_t stage_id, int32_t slot_id)
{
    spot_serve_stage_t *stage = &self->stages[stage_id];
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

/* Adds an event and returns its handle, -1 without memory. */
static inline int32_t schedule(
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

static inline spot_calendar_item_t take_event(spot_serve_t *self)
{
    const spot_calendar_item_t item = spot_calendar_take(&self->calendar);

    look_at_calendar(self);
    return item;
}

static inline void cancel_event(spot_serve_t *self, spot_slot_t *slot)
{
    spot_calendar_cancel(&self->calendar, slot->event);
    slot->event = -1;
    look_at_calendar(self);
}

/* The stage of the next event, or -1: it is the source's or the calendar's. O(stages)
 * once that of a stage is over. */
static inline int32_t find_next(spot_serve_t *self)
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
static inline bool is_over(const spot_serve_t *self)
{
    bool is_idle = self->source_due.tick == INT64_MAX &&
                   self->calendar.num_items == (size_t) self->num_ticks_due;

    for (size_t j = 0; j < self->num_stages; j++) {
        is_idle &= self->dues[j].tick == INT64_MAX;
    }
    return is_idle;
}

static inline int64_t next_tick(const spot_serve_t *self, int32_t next)
{
    return next < 0 ? self->other_due.tick : self->dues[next].tick;
}

typedef spot_serve_stage_t stage_t;

static void fleet_see(spot_serve_t *self, event_t event, int32_t stage_id, int32_t slot_id);
static void fleet_return(spot_serve_t *self, int32_t stage_id, int32_t slot_id);
static void fleet_count_busy(spot_serve_t *self, stage_t *stage, int num_more);
static void fleet_settle(spot_serve_t *self, stage_t *stage);

/* ---- What happened ---- */

#define MAX_TIME_NS (INT64_C(1) << 62) /* of a take: its batch ends within 63 bits */

const char *const spot_serve_happening_names[] = {
    "take", "return", "notice", "preempt", "ready", "queue", NULL};

static void note(
    spot_serve_t *self, spot_serve_happening_t kind, int32_t stage_id, int32_t slot, int32_t value)
{
    if (self->run.is_recorded) {
        SPOT_ARRAY_PUSH(self, records,
            (spot_serve_record_t){self->now_ns, value, slot, (int16_t) stage_id, (int16_t) kind});
    }
}

/* ---- Queues ---- */

/* Adds a product to a sum that must fit 63 bits. */
static void add_area(spot_serve_t *self, int64_t *sum, int64_t length, int64_t time_ns)
{
    int64_t product;

    if (__builtin_mul_overflow(length, time_ns, &product) ||
        __builtin_add_overflow(*sum, product, sum)) {
        self->error = spot_error_first(self->error, SPOT_ERR_BAD_PARAM);
    }
}

/* What queries have waited by an instant, in all. */
static int64_t wait_until(const stage_t *stage, int64_t time_ns)
{
    return (
        int64_t) (stage->waited_ns + (uint64_t) (stage->tail - stage->head) * (uint64_t) time_ns);
}

/* Keeps what the sums were at the latest leaving of a query: they are the result if no
 * later one leaves. */
static void keep_sums(spot_serve_t *self, stage_t *stage)
{
    const int64_t end_ns = self->end_ns;

    if (stage->changed_ns <= end_ns && end_ns < self->now_ns) {
        stage->area_at_end = stage->result.queue_area_ns;
        add_area(self, &stage->area_at_end, stage->tail - stage->head, end_ns - stage->changed_ns);
        stage->wait_at_end = wait_until(stage, end_ns);
    }
}

/* Counts the area, and that n queries come (or leave, n < 0): before they do. */
static inline void count_area(spot_serve_t *self, stage_t *stage, int64_t n)
{
    if (self->may_strand) {
        keep_sums(self, stage);
    }
    add_area(self, &stage->result.queue_area_ns, stage->tail - stage->head,
        self->now_ns - stage->changed_ns);
    stage->changed_ns = self->now_ns;
    stage->waited_ns -= (uint64_t) n * (uint64_t) self->now_ns;
}

/* A batch is to be formed at this instant, if queries wait. */
static void mark_stage(spot_serve_t *self, int32_t stage_id)
{
    stage_t *stage = &self->stages[stage_id];

    if (stage->tail > stage->head && !stage->is_marked) {
        stage->is_marked = true;
        self->marked[self->num_marked++] = stage_id;
    }
}

static void arrive(spot_serve_t *self, int32_t stage_id, const int32_t *ids, int32_t num_ids)
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
    note(self, SPOT_SERVE_QUEUE, stage_id, -1, (int32_t) length);
    mark_stage(self, stage_id);
}

/* ---- From node to node ---- */

static void hand_on(spot_serve_t *self, const spot_serve_pipeline_link_t *links, size_t num_links,
    const int32_t *ids, int32_t num_ids);

static void sink(spot_serve_t *self, const int32_t *ids, int32_t num_ids)
{
    for (int32_t j = 0; j < num_ids; j++) {
        self->sink_ns[ids[j]] = self->now_ns;
        self->sink_order[self->num_sunk++] = ids[j];
    }
    self->num_left += (size_t) num_ids;
    self->end_ns = self->now_ns;
}

static void join(
    spot_serve_t *self, const spot_serve_pipeline_link_t *link, const int32_t *ids, int32_t num_ids)
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

static void hand_on(spot_serve_t *self, const spot_serve_pipeline_link_t *links, size_t num_links,
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

static void lose(spot_serve_t *self, const int32_t *ids, int32_t num_ids)
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

/* A replica has become idle, or is no longer. */
static void become_idle(stage_t *stage, int32_t slot_id)
{
    stage->slots[slot_id].state = SPOT_SLOT_IDLE;
    stage->idle[slot_id / 64] |= UINT64_C(1) << slot_id % 64;
    stage->num_idle++;
}

static void leave_idle(stage_t *stage, int32_t slot_id)
{
    stage->idle[slot_id / 64] &= ~(UINT64_C(1) << slot_id % 64);
    stage->num_idle--;
}

/* The idle replica of lowest index, of which there is one. O(busy slots before it / 64).
 */
static inline int32_t first_idle(const stage_t *stage)
{
    int32_t word = 0;

    while (stage->idle[word] == 0) {
        word++;
    }
    return word * 64 + __builtin_ctzll(stage->idle[word]);
}

static void add_pending(spot_serve_t *self, int32_t stage_id, int32_t slot_id)
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

/* A replica is pending no longer. O(1) for the one that is pending longest. */
/* Takes a replica out of the list of pending ones. O(1) for the first one. */
static void leave_pending(spot_serve_t *self, int32_t stage_id, int32_t slot_id)
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
static const int32_t *batch_ids(const stage_t *stage, int32_t slot_id)
{
    return stage->can_be_cut ? stage->batch_ids + slot_id * stage->option.batch
                             : stage->ring + stage->slots[slot_id].first;
}

static void stamp_take(spot_serve_t *self, int32_t stage_id, int32_t slot_id)
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
    note(self, SPOT_SERVE_TAKE, stage_id, slot_id, size);
    note(self, SPOT_SERVE_QUEUE, stage_id, -1, (int32_t) (stage->tail - stage->head));
}

/* A replica takes n queries from the head of the queue. */
static void take(spot_serve_t *self, int32_t stage_id, int32_t slot_id, int32_t n)
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
    fleet_count_busy(self, stage, 1);
    if (self->run.is_recorded) {
        stamp_take(self, stage_id, slot_id);
    }
    add_return(self, stage_id, slot_id, self->now_ns + busy_ns);
    if (stage->time->result_ns != stage->time->busy_ns) {
        (void) schedule(self, self->now_ns + stage->time->result_ns[n], PHASE_WORK,
            EVENT_DELIVER | stage_id << STAGE_BIT | n << SIZE_BIT, first);
    }
}

/* How many queries a replica may take: on one that will be taken away, as many as it can
 * end in time; 0: none. */
static int32_t most_in_time(const spot_serve_t *self, const stage_t *stage, int32_t slot_id)
{
    const spot_slot_t *slot = &stage->slots[slot_id];
    const int64_t length = stage->tail - stage->head;
    int32_t n = (int32_t) (length < stage->option.batch ? length : stage->option.batch);

    while (slot->is_noticed && n > 0 && self->now_ns + stage->time->busy_ns[n] > slot->gone_ns) {
        n--;
    }
    return n;
}

static void dispatch_at_once(spot_serve_t *self, int32_t stage_id)
{
    stage_t *stage = &self->stages[stage_id];

    while (stage->tail > stage->head && stage->num_idle > 0) {
        const int32_t slot_id = first_idle(stage);
        const int32_t n = most_in_time(self, stage, slot_id);

        leave_idle(stage, slot_id);
        if (n > 0) {
            take(self, stage_id, slot_id, n);
        } else {
            stage->slots[slot_id].state = SPOT_SLOT_DRAINED;
        }
    }
}

static void dispatch_with_delay(spot_serve_t *self, int32_t stage_id)
{
    stage_t *stage = &self->stages[stage_id];
    const int64_t batch = stage->option.batch;
    int32_t slot_id;

    while (stage->num_idle > 0 && stage->num_pending * batch < stage->tail - stage->head) {
        slot_id = first_idle(stage);
        leave_idle(stage, slot_id);
        add_pending(self, stage_id, slot_id);
    }
    while (stage->option.releases_when_full && stage->num_pending > 0 &&
           stage->tail - stage->head >= batch) {
        slot_id = stage->first_pending;
        leave_pending(self, stage_id, slot_id);
        take(self, stage_id, slot_id, (int32_t) batch);
    }
}

/* All that are marked: nothing more becomes available at this instant. */
static void dispatch(spot_serve_t *self)
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

static void take_after_delay(spot_serve_t *self, int32_t stage_id, int32_t slot_id)
{
    stage_t *stage = &self->stages[stage_id];
    const int64_t length = stage->tail - stage->head, batch = stage->option.batch;

    leave_pending(self, stage_id, slot_id);
    if (length == 0) {
        become_idle(stage, slot_id); /* others took everything */
    } else {
        take(self, stage_id, slot_id, (int32_t) (length < batch ? length : batch));
    }
}

/* The result of a batch is there. */
static void deliver(spot_serve_t *self, int32_t stage_id, const int32_t *ids, int32_t num_ids)
{
    const spot_serve_pipeline_node_t *node = self->stages[stage_id].node;

    for (int32_t j = 0; j < num_ids && self->run.is_recorded; j++) {
        self->stages[stage_id].stamps.done_ns[ids[j]] = self->now_ns;
    }
    hand_on(self, node->children, node->num_children, ids, num_ids);
}

static void free_slot(spot_serve_t *self, int32_t stage_id, int32_t slot_id)
{
    fleet_count_busy(self, &self->stages[stage_id], -1);
    fleet_return(self, stage_id, slot_id);
    mark_stage(self, stage_id);
}

/* The batch of a busy replica is cut: its queries go where the setting says. */
static void cut_batch(spot_serve_t *self, int32_t stage_id, int32_t slot_id)
{
    stage_t *stage = &self->stages[stage_id];
    spot_slot_t *slot = &stage->slots[slot_id];
    const int32_t *ids = batch_ids(stage, slot_id);
    const int32_t num_ids = slot->size;
    const int64_t elapsed_ns = self->now_ns - slot->taken_ns;
    const int in_flight = self->run.rent->in_flight;

    remove_return(self, stage_id, slot_id);
    fleet_count_busy(self, stage, -1);
    stage->result.batches_cut++;
    stage->result.busy_ns -= stage->time->busy_ns[num_ids] - elapsed_ns;
    stage->result.wasted_ns += elapsed_ns;
    if (in_flight == SPOT_IN_FLIGHT_LOSE) {
        lose(self, ids, num_ids);
        return;
    }
    count_area(self, stage, num_ids);
    for (int32_t j = 0; j < num_ids; j++) {
        const int64_t place =
            in_flight == SPOT_IN_FLIGHT_REQUEUE_HEAD ? stage->head - num_ids + j : stage->tail + j;

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
    note(self, SPOT_SERVE_QUEUE, stage_id, -1, (int32_t) (stage->tail - stage->head));
}

/* ---- The loop ---- */

/* Inline, as the loop of a run lives in it. */
static inline void emit(spot_serve_t *self)
{
    const spot_serve_pipeline_t *pipeline = self->run.pipeline;
    const int32_t id = (int32_t) self->next_query++;

    look_at_source(self);
    hand_on(self, pipeline->first, pipeline->num_first, &id, 1);
}

/* The next event of a stage: a batch ends, or a delay. */
static void see_stage(spot_serve_t *self, int32_t stage_id)
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

static void see_calendar(spot_serve_t *self)
{
    const spot_calendar_item_t item = take_event(self);
    const int32_t stage_id = item.kind >> STAGE_BIT & 0xff;
    const event_t event = (event_t) (item.kind & ((1 << STAGE_BIT) - 1));

    if (event == EVENT_DELIVER) {
        deliver(
            self, stage_id, self->stages[stage_id].ring + item.entity_id, item.kind >> SIZE_BIT);
    } else {
        fleet_see(self, event, stage_id, item.entity_id);
    }
}

/* One event, and before it the batches of the instant that is over. */
bool spot_serve_step(spot_serve_t *self)
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

/* Little's law holds to the nanosecond. */
static void settle_stage(spot_serve_t *self, stage_t *stage)
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
    fleet_settle(self, stage);
}

/* ---- Replicas ---- */

/* The replicas of a stage: outages of spot slots, the on-demand replicas that stand in
 * for them, and autoscaling. */

static int64_t start_up_ns(const spot_serve_t *self)
{
    return self->run.rent->preparation_ns + self->run.rent->load_ns;
}

static bool is_scaled(const stage_t *stage)
{
    return stage->option.scale.kind == SPOT_SCALE_UTILISATION;
}

/* ---- Paid time ---- */

static void open_span(
    spot_serve_t *self, stage_t *stage, int32_t slot_id, bool is_serving, int64_t from_ns)
{
    const spot_slot_span_t span = {.from_ns = from_ns,
        .to_ns = INT64_MAX,
        .slot = slot_id,
        .is_spot = stage->slots[slot_id].is_spot,
        .is_serving = is_serving};

    stage->slots[slot_id].span_id = (int32_t) stage->num_spans;
    if (SPOT_ARRAY_APPEND(stage, spans, span) != 0) {
        self->error = SPOT_ERR_NO_MEMORY;
        stage->slots[slot_id].span_id = -1;
    }
    stage->num_serving += is_serving;
    if (stage->num_serving > stage->result.peak_replicas) {
        stage->result.peak_replicas = stage->num_serving;
    }
}

static void close_span(stage_t *stage, int32_t slot_id, int64_t to_ns)
{
    spot_slot_t *slot = &stage->slots[slot_id];

    if (slot->span_id >= 0) {
        stage->spans[slot->span_id].to_ns = to_ns;
        stage->num_serving -= stage->spans[slot->span_id].is_serving;
        slot->span_id = -1;
    }
}

/* How much of a span lies before the end of the run. */
static int64_t span_ns(const spot_slot_span_t *span, int64_t end_ns)
{
    const int64_t to_ns = span->to_ns < end_ns ? span->to_ns : end_ns;

    return to_ns > span->from_ns ? to_ns - span->from_ns : 0;
}

/* Busy time of the replicas by an instant that is not before the latest change. */
static uint64_t busy_until(const stage_t *stage, int64_t time_ns)
{
    return stage->busy_area + (uint64_t) stage->num_busy * (uint64_t) (time_ns - stage->counted_ns);
}

/* The paid time of a stage up to the end of the run. */
static void fleet_settle(spot_serve_t *self, stage_t *stage)
{
    spot_stage_result_t *result = &stage->result;

    if (self->may_strand) {
        result->overrun_ns = result->busy_ns - (int64_t) (stage->counted_ns > self->end_ns
                                                              ? stage->busy_at_end
                                                              : busy_until(stage, self->end_ns));
    }
    for (size_t j = 0; j < stage->num_spans; j++) {
        const spot_slot_span_t *span = &stage->spans[j];
        const int64_t ns = span_ns(span, self->end_ns);

        if (__builtin_add_overflow(
                result->paid_ns[span->is_spot], ns, &result->paid_ns[span->is_spot])) {
            self->error = SPOT_ERR_BAD_PARAM;
            return;
        }
        result->serving_ns[span->is_spot] += span->is_serving ? ns : 0;
    }
    if (stage->option.scale.kind == SPOT_SCALE_IDEAL) {
        const int is_spot = stage->option.market == SPOT_MARKET_SPOT;

        result->paid_ns[is_spot] = result->serving_ns[is_spot] =
            result->busy_ns - result->overrun_ns;
    }
}

/* ---- Slots ---- */

static void serve(spot_serve_t *self, stage_t *stage, int32_t slot_id)
{
    open_span(self, stage, slot_id, true, self->now_ns);
    become_idle(stage, slot_id);
}

/* A slot takes no further batches; what it runs, goes on. Returns whether it was
 * pending. */
static bool stop_taking(spot_serve_t *self, int32_t stage_id, int32_t slot_id)
{
    stage_t *stage = &self->stages[stage_id];
    spot_slot_t *slot = &stage->slots[slot_id];
    const bool is_pending = slot->state == SPOT_SLOT_PENDING;

    if (slot->state == SPOT_SLOT_IDLE) {
        leave_idle(stage, slot_id);
    } else if (is_pending) {
        leave_pending(self, stage_id, slot_id);
    }
    if (slot->state != SPOT_SLOT_BUSY) {
        slot->state = SPOT_SLOT_DRAINED;
    }
    return is_pending;
}

static void switch_off(spot_serve_t *self, stage_t *stage, int32_t slot_id)
{
    close_span(stage, slot_id, self->now_ns);
    stage->slots[slot_id].state = SPOT_SLOT_OFF;
    stage->slots[slot_id].is_draining = false;
}

/* A busy replica has returned: it becomes idle, or goes. */
static void fleet_return(spot_serve_t *self, int32_t stage_id, int32_t slot_id)
{
    stage_t *stage = &self->stages[stage_id];
    spot_slot_t *slot = &stage->slots[slot_id];

    note(self, SPOT_SERVE_RETURN, stage_id, slot_id, slot->size);
    if (slot->is_draining) {
        switch_off(self, stage, slot_id);
    } else if (slot->is_noticed && self->run.rent->drain == SPOT_DRAIN_STOP) {
        slot->state = SPOT_SLOT_DRAINED;
    } else {
        become_idle(stage, slot_id);
    }
}

/* ---- Slots that a controller switches ---- */

static void launch(spot_serve_t *self, int32_t stage_id, int32_t slot_id)
{
    stage_t *stage = &self->stages[stage_id];
    spot_slot_t *slot = &stage->slots[slot_id];

    slot->state = SPOT_SLOT_PREPPING;
    open_span(self, stage, slot_id, false, self->now_ns);
    slot->event = schedule(self, self->now_ns + start_up_ns(self), PHASE_CAPACITY,
        EVENT_READY | stage_id << STAGE_BIT, slot_id);
    stage->num_active++;
    stage->result.launches++;
    stage->result.fallback_launches += stage->option.market == SPOT_MARKET_HEDGE;
}

/* One more active slot: the lowest draining one, else the lowest that is off. Returns
 * false if there is none. */
static bool add_active(spot_serve_t *self, int32_t stage_id)
{
    stage_t *stage = &self->stages[stage_id];
    int32_t off = -1;

    for (int32_t j = 0; j < stage->num_aimed; j++) {
        spot_slot_t *slot = &stage->slots[stage->first_aimed + j];

        if (slot->is_draining && !slot->is_noticed) {
            slot->is_draining = false;
            stage->num_active++;
            return true;
        }
        if (off < 0 && slot->state == SPOT_SLOT_OFF && !slot->is_out && !slot->is_noticed) {
            off = stage->first_aimed + j;
        }
    }
    if (off >= 0) {
        launch(self, stage_id, off);
    }
    return off >= 0;
}

/* One active slot less: the highest prepping one, else the highest that serves. */
static void remove_active(spot_serve_t *self, int32_t stage_id)
{
    stage_t *stage = &self->stages[stage_id];
    int32_t serving = -1, chosen = -1;

    for (int32_t j = stage->num_aimed - 1; j >= 0 && chosen < 0; j--) {
        const int32_t slot_id = stage->first_aimed + j;
        const spot_slot_t *slot = &stage->slots[slot_id];

        if (slot->state == SPOT_SLOT_PREPPING) {
            chosen = slot_id;
        } else if (serving < 0 && slot->state != SPOT_SLOT_OFF && !slot->is_draining) {
            serving = slot_id;
        }
    }
    stage->num_active--;
    if (chosen >= 0) {
        cancel_event(self, &stage->slots[chosen]);
        switch_off(self, stage, chosen);
    } else if (stage->slots[serving].state == SPOT_SLOT_BUSY) {
        stage->slots[serving].is_draining = true;
    } else {
        const bool was_pending = stop_taking(self, stage_id, serving);

        switch_off(self, stage, serving);
        if (was_pending) {
            mark_stage(self, stage_id);
        }
    }
}

static void aim(spot_serve_t *self, int32_t stage_id, int64_t goal)
{
    while (self->stages[stage_id].num_active < goal && self->error == 0 &&
           add_active(self, stage_id)) {
    }
    while (self->stages[stage_id].num_active > goal) {
        remove_active(self, stage_id);
    }
}

/* After a capacity event of a spot slot. */
static void control(spot_serve_t *self, int32_t stage_id)
{
    const stage_t *stage = &self->stages[stage_id];
    const spot_stage_option_t *option = &stage->option;

    if (is_scaled(stage)) {
        aim(self, stage_id, stage->scale.aim);
    } else if (option->market == SPOT_MARKET_HEDGE && option->fallback != SPOT_FALLBACK_NONE) {
        const int64_t target = option->replicas - option->base;
        const int64_t goal =
            option->fallback == SPOT_FALLBACK_TO_TARGET ? target : target + option->overprovision;
        const int64_t lacking = goal - stage->num_steady;

        aim(self, stage_id, lacking < 0 ? 0 : lacking < target ? lacking : target);
    }
}

/* ---- Autoscaling ---- */

/* A replica starts (1) or ends (-1) a batch. */
static void fleet_count_busy(spot_serve_t *self, stage_t *stage, int num_more)
{
    if (self->may_strand) {
        if (stage->counted_ns <= self->end_ns) {
            stage->busy_at_end = busy_until(stage, self->end_ns);
        }
        stage->busy_area = busy_until(stage, self->now_ns);
        stage->counted_ns = self->now_ns;
    }
    stage->num_busy += num_more;
    if (stage->option.scale.kind == SPOT_SCALE_IDEAL &&
        stage->num_busy > stage->result.peak_replicas) {
        stage->result.peak_replicas = stage->num_busy;
    }
}

static void schedule_tick(spot_serve_t *self, int32_t stage_id)
{
    (void) schedule(self, self->now_ns + self->stages[stage_id].option.scale.interval_ns,
        PHASE_CAPACITY, EVENT_TICK | stage_id << STAGE_BIT, 0);
    self->num_ticks_due++;
}

/* The mean number of busy replicas over the last interval, over the target. More is
 * taken at once, less only when the cool-down since the last change is over. */
static void tick(spot_serve_t *self, int32_t stage_id)
{
    stage_t *stage = &self->stages[stage_id];
    const spot_scale_setting_t *setting = &stage->option.scale;
    double wanted;
    int64_t goal;

    fleet_count_busy(self, stage, 0);
    wanted = ceil((double) (stage->busy_area - stage->scale.busy_before) /
                  (double) setting->interval_ns / setting->target_utilisation);
    stage->scale.busy_before = stage->busy_area;
    goal = wanted < (double) setting->min   ? setting->min
           : wanted > (double) setting->max ? setting->max
                                            : (int64_t) wanted;
    if (goal > stage->scale.aim ||
        (goal < stage->scale.aim &&
            self->now_ns - stage->scale.changed_ns >= setting->cool_down_ns)) {
        stage->scale.aim = goal;
        stage->scale.changed_ns = self->now_ns;
    }
    aim(self, stage_id, stage->scale.aim);
    self->num_ticks_due--;
    schedule_tick(self, stage_id);
}

/* ---- Outages ---- */

/* Schedules the next outage of a spot slot. since_ns: the end of the one before. */
static void schedule_outage(spot_serve_t *self, int32_t stage_id, int32_t slot_id, int64_t since_ns)
{
    stage_t *stage = &self->stages[stage_id];
    spot_slot_t *slot = &stage->slots[slot_id];
    const int64_t notice_ns = self->run.rent->notice_ns;
    const int32_t kind = stage_id << STAGE_BIT;
    const spot_outage_t *outage = spot_outages_at(
        self->run.outages, (size_t) stage_id, slot_id - stage->first_spot, slot->outage);
    int32_t phase;

    slot->gone_ns = outage == NULL ? INT64_MAX : outage->preempted_ns;
    if (outage == NULL) {
        return;
    }
    slot->outage++;
    phase = PHASE_OUTAGE + outage->order;
    if (notice_ns > 0) {
        const int64_t seen_ns = outage->preempted_ns - notice_ns;

        (void) schedule(
            self, seen_ns > since_ns ? seen_ns : since_ns, phase, EVENT_NOTICE | kind, slot_id);
    }
    (void) schedule(self, outage->preempted_ns, phase, EVENT_PREEMPT | kind, slot_id);
    if (outage->ready_ns != INT64_MAX) {
        const int64_t out_ns = outage->ready_ns - outage->preempted_ns;
        const int64_t start_ns = start_up_ns(self) < out_ns ? start_up_ns(self) : out_ns;

        /* a scaled replica is prepared when it is launched */
        (void) schedule(self, is_scaled(stage) ? outage->ready_ns - start_ns : outage->ready_ns,
            phase, EVENT_BACK | kind, slot_id);
        slot->back_ns = outage->ready_ns;
        slot->prepping_ns = start_ns;
    } else {
        slot->back_ns = INT64_MAX;
    }
}

static void see_notice(spot_serve_t *self, int32_t stage_id, int32_t slot_id)
{
    stage_t *stage = &self->stages[stage_id];
    spot_slot_t *slot = &stage->slots[slot_id];
    const bool serves = slot->state != SPOT_SLOT_OFF && slot->state != SPOT_SLOT_PREPPING;

    slot->is_noticed = true;
    stage->num_steady--;
    note(self, SPOT_SERVE_NOTICE, stage_id, slot_id, 0);
    if (serves && self->run.rent->drain == SPOT_DRAIN_STOP &&
        stop_taking(self, stage_id, slot_id)) {
        mark_stage(self, stage_id);
    }
}

static void see_preemption(spot_serve_t *self, int32_t stage_id, int32_t slot_id)
{
    stage_t *stage = &self->stages[stage_id];
    spot_slot_t *slot = &stage->slots[slot_id];
    const bool was_active = slot->state != SPOT_SLOT_OFF && !slot->is_draining;

    note(self, SPOT_SERVE_PREEMPT, stage_id, slot_id, 0);
    stage->num_steady -= !slot->is_noticed;
    if (slot->state == SPOT_SLOT_BUSY) {
        cut_batch(self, stage_id, slot_id);
    } else if (slot->state == SPOT_SLOT_PREPPING) {
        cancel_event(self, slot);
    } else if (slot->state != SPOT_SLOT_OFF) {
        (void) stop_taking(self, stage_id, slot_id);
    }
    switch_off(self, stage, slot_id);
    slot->is_noticed = false;
    slot->is_out = true;
    stage->num_active -= is_scaled(stage) && was_active;
    if (!is_scaled(stage) && slot->back_ns != INT64_MAX && slot->prepping_ns > 0) {
        open_span(self, stage, slot_id, false, slot->back_ns - slot->prepping_ns);
    }
    mark_stage(self, stage_id);
}

static void see_back(spot_serve_t *self, int32_t stage_id, int32_t slot_id)
{
    stage_t *stage = &self->stages[stage_id];
    spot_slot_t *slot = &stage->slots[slot_id];

    slot->is_out = false;
    stage->num_steady++;
    if (!is_scaled(stage)) {
        close_span(stage, slot_id, self->now_ns);
        serve(self, stage, slot_id);
        note(self, SPOT_SERVE_READY, stage_id, slot_id, 0);
        mark_stage(self, stage_id);
    }
    schedule_outage(self, stage_id, slot_id, self->now_ns);
}

/* A capacity event of a slot, from NOTICE on. */
static void fleet_see(spot_serve_t *self, event_t event, int32_t stage_id, int32_t slot_id)
{
    stage_t *stage = &self->stages[stage_id];

    switch (event) {
        case EVENT_NOTICE:
            see_notice(self, stage_id, slot_id);
            control(self, stage_id);
            break;
        case EVENT_PREEMPT:
            see_preemption(self, stage_id, slot_id);
            control(self, stage_id);
            break;
        case EVENT_BACK:
            see_back(self, stage_id, slot_id);
            control(self, stage_id);
            break;
        case EVENT_READY:
            close_span(stage, slot_id, self->now_ns);
            serve(self, stage, slot_id);
            stage->slots[slot_id].event = -1;
            note(self, SPOT_SERVE_READY, stage_id, slot_id, 0);
            mark_stage(self, stage_id);
            break;
        default:
            tick(self, stage_id);
            break;
    }
}

/* ---- The start ---- */

static void fleet_start(spot_serve_t *self, int32_t stage_id)
{
    stage_t *stage = &self->stages[stage_id];
    const spot_stage_option_t *option = &stage->option;
    const bool is_ideal = option->scale.kind == SPOT_SCALE_IDEAL;
    const int32_t num_on =
        is_ideal ? stage->num_slots
                 : (int32_t) (option->replicas +
                              (option->market == SPOT_MARKET_HEDGE ? option->overprovision : 0));

    stage->num_spot = is_ideal ? 0 : spot_stage_option_spot_slots(option);
    stage->first_spot = option->market == SPOT_MARKET_HEDGE ? (int32_t) option->base : 0;
    if (is_scaled(stage)) {
        stage->num_aimed = stage->num_slots;
        stage->num_active = num_on;
        stage->scale.aim = option->replicas;
        stage->scale.changed_ns = -option->scale.cool_down_ns;
    } else {
        stage->first_aimed = num_on;
        stage->num_aimed = stage->num_slots - num_on;
    }
    stage->num_steady = stage->num_spot;
    for (int32_t j = 0; j < stage->num_slots; j++) {
        spot_slot_t *slot = &stage->slots[j];

        slot->span_id = slot->event = -1;
        slot->gone_ns = INT64_MAX;
        slot->is_spot = j >= stage->first_spot && j < stage->first_spot + stage->num_spot;
        if (is_ideal) {
            become_idle(stage, j);
        } else if (j < num_on) {
            serve(self, stage, j);
        }
        if (slot->is_spot && self->run.outages != NULL) {
            schedule_outage(self, stage_id, j, 0);
        }
    }
    if (is_scaled(stage)) {
        schedule_tick(self, stage_id);
    }
}

/* ---- A run ---- */

#define STOP_EVERY 4096 /* events between two looks at the stop flag */

int spot_serve_start(
    spot_serve_t *self, const spot_serve_run_t *run, const spot_serve_plan_t *plans)
{
    const int ret = spot_serve_prepare(self, run, plans);

    if (ret != 0) {
        return ret;
    }
    look_at_source(self);
    for (size_t j = 0; j < self->num_stages; j++) {
        fleet_start(self, (int32_t) j);
    }
    return self->error;
}

int spot_serve_run(spot_serve_t *self, const spot_serve_run_t *run, const spot_serve_plan_t *plans)
{
    int64_t num_steps = 0;
    const int ret = spot_serve_start(self, run, plans);

    if (ret != 0) {
        return ret;
    }
    while (self->error == 0 && self->num_left < run->num_queries && spot_serve_step(self)) {
        if (++num_steps % STOP_EVERY == 0 && run->stop != NULL && atomic_load(run->stop) != 0) {
            self->error = SPOT_ERR_INTERRUPTED;
        }
    }
    if (self->error == 0 && run->outages != NULL) {
        self->error = spot_outages_error(
            run->outages, self->num_left < run->num_queries ? INT64_MAX : self->now_ns);
    }
    for (size_t j = 0; j < self->num_stages && self->error == 0; j++) {
        settle_stage(self, &self->stages[j]);
    }
    return self->error;
}
