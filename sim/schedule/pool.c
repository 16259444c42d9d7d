/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/schedule/pool.h"

#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/memory.h"
#include "base/units.h"

int spot_pool_init(spot_pool_t *self, const spot_pool_plan_t *plan, int32_t pool_id)
{
    const size_t capacity = (size_t) plan->capacity;

    *self = (spot_pool_t){.plan = plan, .pool_id = pool_id};
    self->num_meters = spot_trace_model_zones(&plan->trace)->num_zones + 1;
    self->meters = spot_calloc(self->num_meters, sizeof(*self->meters));
    self->instance_of_slot = spot_calloc(capacity, sizeof(*self->instance_of_slot));
    return self->meters == NULL || self->instance_of_slot == NULL
               ? SPOT_ERR_NO_MEMORY
               : spot_membership_init(&self->membership, &plan->trace, plan->capacity);
}

void spot_pool_free(spot_pool_t *self)
{
    spot_membership_free(&self->membership);
    free(self->instance_of_slot);
    free(self->nodes);
    free(self->events);
    free(self->meters);
    free(self->ids);
    *self = (spot_pool_t){0};
}

/* ---- What is paid ---- */

static void start_meters(spot_pool_t *self)
{
    const spot_zones_t *zones = spot_trace_model_zones(&self->plan->trace);
    const spot_price_steps_t *own = &spot_trace_model_common(&self->plan->trace)->price;
    const spot_price_steps_t *price = own->num_steps > 0 ? own : &self->plan->price;

    spot_meter_start(&self->meters[0], price);
    for (size_t j = 0; j < zones->num_zones; j++) {
        const spot_price_steps_t *of_zone = &zones->zones[j].price;

        spot_meter_start(&self->meters[j + 1], of_zone->num_steps > 0 ? of_zone : price);
    }
}

static int32_t meter_of(const spot_pool_t *self, int32_t slot)
{
    const spot_zones_t *zones = spot_trace_model_zones(&self->plan->trace);
    const int32_t zone_id = spot_membership_zone(&self->membership, slot);

    return zone_id >= 0 && zones->zones[zone_id].price.num_steps > 0 ? zone_id + 1 : 0;
}

static void count_paid(spot_pool_t *self, int64_t now_s)
{
    self->node_s += (now_s - self->metered_s) * self->num_living;
    self->metered_s = now_s;
}

/* A node is paid from now_s on, or no more (num_more -1). */
static void pay(spot_pool_t *self, const spot_pool_node_t *node, int64_t now_s, int num_more)
{
    count_paid(self, now_s);
    self->num_living += num_more;
    spot_meter_change(
        &self->meters[node->meter_id], (now_s - self->start_s) * SPOT_MS_PER_S, num_more);
}

int64_t spot_pool_node_s(spot_pool_t *self, int64_t now_s)
{
    count_paid(self, now_s);
    return self->node_s;
}

double spot_pool_usd(spot_pool_t *self, int64_t now_s)
{
    spot_sum_t usd = {0};

    for (size_t j = 0; j < self->num_meters; j++) {
        spot_meter_change(&self->meters[j], (now_s - self->start_s) * SPOT_MS_PER_S, 0);
        spot_sum_add(&usd, spot_meter_usd(&self->meters[j]));
    }
    return spot_sum_total(&usd);
}

/* ---- Reading the trace ---- */

static int64_t seen_s(const spot_pool_t *self, int64_t time_ms)
{
    return self->start_s + (time_ms + SPOT_MS_PER_S - 1) / SPOT_MS_PER_S;
}

static int64_t notice_s(const spot_pool_t *self)
{
    return self->plan->notice_ms / SPOT_MS_PER_S;
}

static void add_node(spot_pool_t *self, int32_t slot)
{
    spot_pool_node_t node = {.slot = slot, .node_id = -1, .meter_id = meter_of(self, slot)};
    char text[SPOT_INSTANCE_NAME_BYTES];
    const char *name = spot_membership_name(&self->membership, slot, text);

    strncpy(node.name, name, sizeof(node.name) - 1);
    self->instance_of_slot[slot] = (int32_t) self->num_nodes;
    SPOT_ARRAY_PUSH(self, nodes, node);
}

/* Reads the next change of the trace. */
static void read_change(spot_pool_t *self)
{
    spot_change_t change;
    spot_pool_event_t event = {.instance = -1};

    (void) spot_membership_next(&self->membership, &change);
    event.time_ms = change.time_ms;
    event.seen_s = seen_s(self, change.time_ms);
    event.num_clipped = change.num_clipped;
    if (event.num_clipped > 0) {
        SPOT_ARRAY_PUSH(self, events, event);
        event.num_clipped = 0;
    }
    event.kind = change.kind;
    for (int32_t j = 0; j < change.count && self->error == 0; j++) {
        if (change.kind == SPOT_EVENT_ADD) {
            add_node(self, change.slots[j]);
        }
        event.instance = self->instance_of_slot[change.slots[j]];
        SPOT_ARRAY_PUSH(self, events, event);
    }
}

/* Reads all changes whose notices, if they are losses, are due by second last_s. */
static void read_until(spot_pool_t *self, int64_t last_s)
{
    int64_t next_ms = spot_membership_next_ms(&self->membership);

    while (self->error == 0 && next_ms != INT64_MAX &&
           seen_s(self, next_ms) - notice_s(self) <= last_s) {
        read_change(self);
        next_ms = spot_membership_next_ms(&self->membership);
    }
    if (next_ms == INT64_MAX && self->overdraw_s == INT64_MAX &&
        spot_membership_stopped_ms(&self->membership) >= 0) {
        self->overdraw_s = seen_s(self, spot_membership_stopped_ms(&self->membership));
    }
}

void spot_pool_start(spot_pool_t *self, uint64_t seed, uint64_t replication, spot_vc_t *vc)
{
    const spot_dice_t dice = {seed, replication, self->plan->entity};

    self->start_s = self->metered_s = vc->now_s;
    self->num_nodes = 0;
    self->num_events = self->next_loss = self->next_addition = self->next_notice = 0;
    self->num_living = 0;
    self->node_s = 0;
    self->overdraw_s = INT64_MAX;
    self->error = 0;
    start_meters(self);
    spot_membership_start_with(&self->membership, &dice, NULL, true);
    for (int32_t slot = 0; slot < self->membership.population; slot++) {
        add_node(self, slot);
    }
    for (size_t j = 0; j < self->num_nodes; j++) {
        spot_pool_node_t *node = &self->nodes[j];

        node->status = SPOT_POOL_NODE_READY;
        node->is_initial = true;
        node->node_id = spot_vc_add_node(vc, self->pool_id, (int32_t) j);
        pay(self, node, self->start_s, 1);
    }
    self->next_ready = self->num_nodes;
}

/* ---- What is due ---- */

/* The first event from *next on that is an addition, or a loss; moves *next there. */
static const spot_pool_event_t *next_event(const spot_pool_t *self, size_t *next, bool is_addition)
{
    for (; *next < self->num_events; (*next)++) {
        const spot_pool_event_t *event = &self->events[*next];

        if (event->instance >= 0 && (event->kind == SPOT_EVENT_ADD) == is_addition) {
            return event;
        }
    }
    return NULL;
}

/* The next event among those that have been read. */
static int64_t next_read_s(spot_pool_t *self)
{
    const spot_pool_event_t *loss = next_event(self, &self->next_loss, false);
    const spot_pool_event_t *addition = next_event(self, &self->next_addition, true);
    const spot_pool_event_t *notice = next_event(self, &self->next_notice, false);
    int64_t due_s = self->overdraw_s;

    due_s = loss == NULL ? due_s : spot_smaller(due_s, loss->seen_s);
    due_s = addition == NULL ? due_s : spot_smaller(due_s, addition->seen_s);
    if (notice != NULL && notice_s(self) > 0) {
        due_s = spot_smaller(due_s, notice->seen_s - notice_s(self));
    }
    if (self->next_ready < self->num_nodes &&
        self->nodes[self->next_ready].status == SPOT_POOL_NODE_PREPPING) {
        due_s = spot_smaller(due_s, self->nodes[self->next_ready].ready_s);
    }
    return due_s;
}

int64_t spot_pool_next_due_s(spot_pool_t *self, int64_t now_s)
{
    int64_t due_s, unread_s = now_s + 1;

    do { /* an addition that has been read is due later than a notice after it */
        int64_t unread_ms;

        read_until(self, unread_s);
        due_s = next_read_s(self);
        unread_ms = spot_membership_next_ms(&self->membership);
        unread_s = unread_ms == INT64_MAX ? INT64_MAX : seen_s(self, unread_ms) - notice_s(self);
    } while (unread_s < due_s && self->error == 0);
    return due_s > now_s ? due_s : now_s + 1;
}

/* ---- One second ---- */

/* Lists ready nodes that are lost. One that comes and goes in a second is never seen. */
static void see_losses(spot_pool_t *self, spot_vc_t *vc, spot_pool_t *set)
{
    const spot_pool_event_t *event;

    while (
        (event = next_event(self, &self->next_loss, false)) != NULL && event->seen_s <= vc->now_s) {
        spot_pool_node_t *node = &self->nodes[event->instance];

        self->next_loss++;
        if (node->status != SPOT_POOL_NODE_AHEAD) {
            pay(self, node, vc->now_s, -1);
        }
        if (node->status == SPOT_POOL_NODE_PREPPING) {
            spot_vc_prepare_nodes(vc, -1);
        } else if (node->status == SPOT_POOL_NODE_READY) {
            SPOT_ARRAY_PUSH(set, ids, node->node_id);
        }
        node->status = SPOT_POOL_NODE_GONE;
    }
}

static void see_ready(spot_pool_t *self, spot_vc_t *vc)
{
    for (; self->next_ready < self->num_nodes; self->next_ready++) {
        spot_pool_node_t *node = &self->nodes[self->next_ready];

        if (node->status == SPOT_POOL_NODE_AHEAD ||
            (node->status == SPOT_POOL_NODE_PREPPING && node->ready_s > vc->now_s)) {
            break;
        }
        if (node->status == SPOT_POOL_NODE_PREPPING) {
            spot_vc_prepare_nodes(vc, -1);
            node->status = SPOT_POOL_NODE_READY;
            node->node_id = spot_vc_add_node(vc, self->pool_id, (int32_t) self->next_ready);
        }
    }
}

static void see_additions(spot_pool_t *self, spot_vc_t *vc)
{
    const spot_pool_event_t *event;

    while ((event = next_event(self, &self->next_addition, true)) != NULL &&
           event->seen_s <= vc->now_s) {
        spot_pool_node_t *node = &self->nodes[event->instance];

        self->next_addition++;
        if (node->status != SPOT_POOL_NODE_GONE) {
            pay(self, node, vc->now_s, 1);
            node->added_s = vc->now_s;
            node->status = SPOT_POOL_NODE_PREPPING;
            node->ready_s = vc->now_s + self->plan->preparation_s;
            spot_vc_prepare_nodes(vc, 1);
        }
    }
    see_ready(self, vc); /* those that need no preparation, and those that are gone */
}

/* Nodes whose loss is announced, and noticed ones that are ready only now. */
static void see_notices(spot_pool_t *self, spot_vc_t *vc, spot_pool_t *set)
{
    const spot_pool_event_t *event;

    for (size_t j = self->first_new; j < self->next_ready; j++) {
        if (self->nodes[j].status == SPOT_POOL_NODE_READY && self->nodes[j].is_noticed) {
            SPOT_ARRAY_PUSH(set, ids, self->nodes[j].node_id);
        }
    }
    while ((event = next_event(self, &self->next_notice, false)) != NULL &&
           event->seen_s - notice_s(self) <= vc->now_s) {
        spot_pool_node_t *node = &self->nodes[event->instance];

        self->next_notice++;
        if (event->kind == SPOT_EVENT_PREEMPT && notice_s(self) > 0) {
            node->is_noticed = true;
            if (node->status == SPOT_POOL_NODE_READY) {
                SPOT_ARRAY_PUSH(set, ids, node->node_id);
            }
        }
    }
    if (set->num_ids > 0) {
        spot_vc_notice_nodes(vc, set->num_ids, set->ids, notice_s(self));
    }
    set->num_ids = 0;
}

int spot_pool_set_see(const spot_pool_set_t *self, spot_vc_t *vc)
{
    const size_t num_pools = self->num_pools;
    spot_pool_t *pools = self->pools;
    int ret = 0;

    for (size_t j = 0; j < num_pools; j++) {
        pools[j].num_ids = 0;
        read_until(&pools[j], vc->now_s);
        ret = spot_error_first(ret, pools[j].error);
    }
    for (size_t j = 0; ret == 0 && j < num_pools; j++) {
        see_losses(&pools[j], vc, &pools[0]);
    }
    if (ret != 0 || num_pools == 0) {
        return ret; /* nodes or events are missing */
    }
    if (pools[0].num_ids > 0) {
        spot_vc_lose_nodes(vc, pools[0].num_ids, pools[0].ids);
        pools[0].num_ids = 0;
    }
    for (size_t j = 0; j < num_pools; j++) {
        pools[j].first_new = pools[j].next_ready;
        see_ready(&pools[j], vc);
    }
    for (size_t j = 0; j < num_pools; j++) {
        see_additions(&pools[j], vc);
    }
    for (size_t j = 0; j < num_pools; j++) {
        see_notices(&pools[j], vc, &pools[0]);
        if (pools[j].overdraw_s <= vc->now_s) {
            pools[j].error = spot_error_first(pools[j].error, SPOT_ERR_OVERDRAW);
        }
        ret = spot_error_first(ret, pools[j].error);
    }
    return ret;
}

int64_t spot_pool_clipped(const spot_pool_t *self, int64_t now_s)
{
    int64_t num_nodes = 0;

    for (size_t j = 0; j < self->num_events && self->events[j].seen_s <= now_s; j++) {
        num_nodes += self->events[j].num_clipped;
    }
    return num_nodes;
}

bool spot_pool_is_past_end(const spot_pool_t *self, int64_t now_s)
{
    const int64_t end_ms = spot_trace_model_end_ms(&self->plan->trace);

    return end_ms > 0 && seen_s(self, end_ms) < now_s;
}

/* ---- For the training engine ---- */

/* Whether a node has had its time of preparation by now_s. */
static bool is_prepared(const spot_pool_node_t *node, const spot_core_job_t *core, int64_t now_s)
{
    return node->is_initial ||
           (now_s - node->added_s) * SPOT_MS_PER_S >= core->trainer->training->fleet.preparation_ms;
}

void spot_pool_read_core(void *context, spot_core_job_t *core, int64_t now_s, int64_t last_ms)
{
    spot_pool_t *self = context;
    const int64_t start_ms = (now_s - self->start_s) * SPOT_MS_PER_S;
    const bool is_start = now_s == self->start_s;

    last_ms += core->trainer->training->fleet.notice_ms; /* what is announced by then */
    read_until(self, now_s + last_ms / SPOT_MS_PER_S + 1);
    core->num_initial = core->num_events = 0;
    for (int is_ready = 1; is_ready >= 0; is_ready--) {
        for (size_t j = 0; j < self->num_nodes; j++) {
            const spot_pool_node_t *node = &self->nodes[j];
            const bool is_here = is_start ? node->is_initial : node->status == SPOT_POOL_NODE_READY;

            if (!is_here || is_prepared(node, core, now_s) != is_ready) {
                continue;
            }
            if (is_ready) {
                spot_core_job_start_with(core, (int32_t) j);
            } else {
                spot_core_job_change(core, 0, (int32_t) j, SPOT_EVENT_ADD);
            }
        }
    }
    for (size_t j = 0; j < self->num_events; j++) {
        const spot_pool_event_t *event = &self->events[j];

        if (event->instance >= 0 && (event->time_ms > start_ms || is_start)) {
            spot_core_job_change(core, event->time_ms - start_ms, event->instance, event->kind);
        }
    }
}

/* ---- For tests ---- */

void spot_pool_verify(const spot_pool_t *self, const spot_vc_t *vc)
{
    int32_t num_living = 0;

    for (size_t j = 0; j < self->num_nodes; j++) {
        const spot_pool_node_t *node = &self->nodes[j];
        const bool is_ready = node->status == SPOT_POOL_NODE_READY;

        num_living += is_ready || node->status == SPOT_POOL_NODE_PREPPING;
        spot_bug_assert(!is_ready || vc->nodes.nodes[node->node_id].place >= 0);
        spot_bug_assert(node->node_id < 0 || is_ready || vc->nodes.nodes[node->node_id].place < 0);
        spot_bug_assert(
            node->node_id < 0 || vc->nodes.nodes[node->node_id].instance == (int32_t) j);
    }
    spot_bug_assert(num_living == self->num_living);
}
