/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/serve/serve.h"

#include "sim/serve/serve_events.h"

typedef spot_serve_stage_t stage_t;

#define MAX_TIME_NS (INT64_C(1) << 62) /* of a take: its batch ends within 63 bits */

const char *const spot_serve_happening_names[] = {
    "take", "return", "notice", "preempt", "ready", "queue", NULL};

void spot_serve_note(
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

void spot_serve_mark(spot_serve_t *self, int32_t stage_id)
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
    spot_serve_note(self, SPOT_SERVE_QUEUE, stage_id, -1, (int32_t) length);
    spot_serve_mark(self, stage_id);
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

void spot_serve_slot_idle(stage_t *stage, int32_t slot_id)
{
    stage->slots[slot_id].state = SPOT_SLOT_IDLE;
    stage->idle[slot_id / 64] |= UINT64_C(1) << slot_id % 64;
    stage->num_idle++;
}

void spot_serve_slot_leave_idle(stage_t *stage, int32_t slot_id)
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
    slot->sequence = spot_serve_next_sequence(self);
    if (stage->num_pending++ == 0) {
        stage->first_pending = stage->last_pending = slot_id;
        spot_serve_look_at_stage(self, stage_id);
    } else {
        stage->slots[stage->last_pending].next_pending = slot_id;
    }
    stage->last_pending = slot_id;
}

/* Takes a replica out of the list of pending ones. O(1) for the first one. */
void spot_serve_slot_leave_pending(spot_serve_t *self, int32_t stage_id, int32_t slot_id)
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
    spot_serve_look_at_stage(self, stage_id);
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
    spot_serve_note(self, SPOT_SERVE_TAKE, stage_id, slot_id, size);
    spot_serve_note(self, SPOT_SERVE_QUEUE, stage_id, -1, (int32_t) (stage->tail - stage->head));
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
    spot_fleet_count_busy(self, stage, 1);
    if (self->run.is_recorded) {
        stamp_take(self, stage_id, slot_id);
    }
    spot_serve_add_return(self, stage_id, slot_id, self->now_ns + busy_ns);
    if (stage->time->result_ns != stage->time->busy_ns) {
        (void) spot_serve_schedule(self, self->now_ns + stage->time->result_ns[n],
            SPOT_SERVE_PHASE_WORK,
            SPOT_SERVE_EVENT_DELIVER | stage_id << SPOT_SERVE_STAGE_BIT | n << SPOT_SERVE_SIZE_BIT,
            first);
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

        spot_serve_slot_leave_idle(stage, slot_id);
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

    spot_serve_slot_leave_pending(self, stage_id, slot_id);
    if (length == 0) {
        spot_serve_slot_idle(stage, slot_id); /* others took everything */
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
    spot_fleet_count_busy(self, &self->stages[stage_id], -1);
    spot_fleet_return(self, stage_id, slot_id);
    spot_serve_mark(self, stage_id);
}

void spot_serve_cut(spot_serve_t *self, int32_t stage_id, int32_t slot_id)
{
    stage_t *stage = &self->stages[stage_id];
    spot_slot_t *slot = &stage->slots[slot_id];
    const int32_t *ids = batch_ids(stage, slot_id);
    const int32_t num_ids = slot->size;
    const int64_t elapsed_ns = self->now_ns - slot->taken_ns;
    const int in_flight = self->run.rent->in_flight;

    spot_serve_remove_return(self, stage_id, slot_id);
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
    spot_serve_note(self, SPOT_SERVE_QUEUE, stage_id, -1, (int32_t) (stage->tail - stage->head));
}

/* ---- The loop ---- */

static void emit(spot_serve_t *self)
{
    const spot_serve_pipeline_t *pipeline = self->run.pipeline;
    const int32_t id = (int32_t) self->next_query++;

    spot_serve_look_at_source(self);
    hand_on(self, pipeline->first, pipeline->num_first, &id, 1);
}

/* The next event of a stage: a batch ends, or a delay. */
static void see_stage(spot_serve_t *self, int32_t stage_id)
{
    stage_t *stage = &self->stages[stage_id];
    int32_t slot_id;

    if ((self->dues[stage_id].key & SPOT_SERVE_KEY_TAKE) != 0) {
        take_after_delay(self, stage_id, stage->first_pending);
        return;
    }
    slot_id = stage->returns[stage->first_return++ & stage->return_mask].slot;
    spot_serve_look_at_stage(self, stage_id);
    if (stage->time->result_ns == stage->time->busy_ns) {
        deliver(self, stage_id, batch_ids(stage, slot_id), stage->slots[slot_id].size);
    }
    free_slot(self, stage_id, slot_id);
}

static void see_calendar(spot_serve_t *self)
{
    const spot_calendar_item_t item = spot_serve_take_event(self);
    const int32_t stage_id = item.kind >> SPOT_SERVE_STAGE_BIT & 0xff;
    const spot_serve_event_t event =
        (spot_serve_event_t) (item.kind & ((1 << SPOT_SERVE_STAGE_BIT) - 1));

    if (event == SPOT_SERVE_EVENT_DELIVER) {
        deliver(self, stage_id, self->stages[stage_id].ring + item.entity_id,
            item.kind >> SPOT_SERVE_SIZE_BIT);
    } else {
        spot_fleet_see(self, event, stage_id, item.entity_id);
    }
}

/* One event, and before it the batches of the instant that is over. */
bool spot_serve_step(spot_serve_t *self)
{
    int32_t next = spot_serve_find_next(self);

    if (self->num_marked > 0 && spot_serve_next_tick(self, next) > self->now_ns) {
        dispatch(self);
        next = spot_serve_find_next(self);
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
        if (spot_serve_is_over(self)) {
            return false;
        }
        self->now_ns = self->other_due.tick;
        see_calendar(self);
    }
    return true;
}

/* Little's law holds to the nanosecond. */
void spot_serve_settle(spot_serve_t *self, stage_t *stage)
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
