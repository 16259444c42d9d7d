/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/schedule/schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/units.h"
#include "sim/schedule/policy.h"
#include "sim/schedule/vc_state.h"
#include "traces/jobs/job_log.h"

/* ---- The profiler ---- */

/* When a node is borrowed and returned: at multiples of these. */
#define GROW_EVERY_S 10
#define SHRINK_EVERY_S 100

/* It shrinks when at most this many times the GPUs of its largest job are forecast. */
#define SHRINK_GPUS 5

/* The name of a node that the published simulator returns to the lender. */
#define RETURNED_NODE 9999

/* ---- The order of jobs ---- */

/* The estimate of a job is that of the second in which it is submitted. */
static void profiler_on_arrive(spot_vc_t *vc, int32_t job)
{
    vc->jobs[job].key = vc->jobs[job].gpus;
    vc->jobs[job].estimate_s = spot_vc_estimate_s(vc, job);
}

static void profiler_decide(spot_vc_t *vc)
{
    spot_vc_sort_queue(vc, false);
    spot_vc_start_head(vc);
}

static const spot_policy_t least_gpus_first = {
    .name = "profiler",
    .doc = "Least GPUs first; nothing overtakes the job with the least",
    .on_arrive = profiler_on_arrive,
    .decide = profiler_decide,
};

/* ---- Life ---- */

/* vcs: those of the scenario, and room for the profiler's own behind them. */
static void profiler_init(spot_profiler_t *self, const spot_schedule_scenario_t *scenario,
    spot_vc_t *vcs, int32_t num_vcs)
{
    *self = (spot_profiler_t){.scenario = scenario, .vc = &vcs[num_vcs]};
    spot_vc_init(self->vc, scenario, &least_gpus_first, SPOT_PROFILER_NAME, num_vcs);
    self->vc->placer = SPOT_PLACER_CONSOLIDATE;
    for (int32_t j = 0; j < num_vcs && scenario->lucid.lender != NULL; j++) {
        if (strcmp(vcs[j].name, scenario->lucid.lender) == 0) {
            self->lender = &vcs[j];
        }
    }
}

static void profiler_free(spot_profiler_t *self)
{
    free(self->job_ids);
    free(self->events);
    *self = (spot_profiler_t){0};
}

/* Starts a replication. */
static void profiler_start(spot_profiler_t *self, const spot_job_log_t *log, int64_t start_s)
{
    spot_vc_start_clock(self->vc, log, spot_profiler_num_taken(self->scenario, NULL), start_s);
    self->borrowed_id = -1;
    self->num_removals = 0;
    self->num_events = 0;
    self->error = SPOT_ARRAY_ROOM(self, job_ids, log->num_jobs);
    if (self->error == 0 && log->num_jobs > 0) {
        memset(self->job_ids, -1, log->num_jobs * sizeof(*self->job_ids));
    }
}

/* ---- Jobs ---- */

bool spot_profiler_is_final(const spot_profiler_t *self, int32_t row_id)
{
    return self->vc->log->jobs[row_id].duration_s <= self->scenario->lucid.limit_s;
}

/* Adds a job of the log, which arrives at submit_s; false: it is not profiled. */
/* Jobs of the training engine, whose durations only it knows, are not profiled. The run
 * of a job that will leave is overhead: none of its work is kept. */
static bool profiler_add_job(spot_profiler_t *self, int32_t row_id, int64_t submit_s)
{
    const spot_job_row_t *row = &self->vc->log->jobs[row_id];
    const bool is_final = spot_profiler_is_final(self, row_id);

    if (row->gpu_num > self->scenario->lucid.max_gpus ||
        (row->terms_id >= 0 && self->vc->log->terms[row->terms_id].trainer != NULL)) {
        return false;
    }
    spot_vc_add_job(self->vc, row_id, submit_s, is_final ? row->duration_s : 0, (double) NAN);
    if (self->vc->error == 0) {
        self->job_ids[row_id] = (int32_t) self->vc->num_jobs - 1;
        self->vc->jobs[self->vc->num_jobs - 1].overhead_s =
            is_final ? 0 : self->scenario->lucid.limit_s;
    }
    return true;
}

const spot_vc_job_t *spot_profiler_job(const spot_profiler_t *self, int32_t row_id)
{
    return self->job_ids == NULL || self->job_ids[row_id] < 0
               ? NULL
               : &self->vc->jobs[self->job_ids[row_id]];
}

/* ---- Borrowed nodes ---- */

static bool wants_more(const spot_profiler_t *self)
{
    return self->borrowed_id < 0 &&
           (int64_t) spot_vc_num_queued(self->vc) > self->scenario->lucid.up_queue;
}

static double forecast_gpus(const spot_profiler_t *self)
{
    return spot_lucid_forecast(
        self->scenario, self->vc->now_s, offsetof(struct spot_forecast_row, num_gpus));
}

static bool wants_less(const spot_profiler_t *self)
{
    const spot_lucid_setting_t *lucid = &self->scenario->lucid;

    return self->borrowed_id >= 0 && (int64_t) spot_vc_num_queued(self->vc) < lucid->down_queue &&
           spot_gpu_nodes_is_idle(&self->vc->nodes, self->borrowed_id) &&
           forecast_gpus(self) <= (double) (SHRINK_GPUS * lucid->max_gpus);
}

/* The next second at which lend() may act without a change; INT64_MAX: none. */
static int64_t profiler_next_due_s(const spot_profiler_t *self)
{
    const bool may_shrink = self->borrowed_id >= 0 && isfinite(forecast_gpus(self));
    const int64_t step_s = may_shrink ? SHRINK_EVERY_S : GROW_EVERY_S;

    return self->lender != NULL && (may_shrink || wants_more(self))
               ? (self->vc->now_s / step_s + 1) * step_s
               : INT64_MAX;
}

/* The idle reserved node that is last in the list, or has the highest name; -1: none. */
static int32_t idle_node(const spot_gpu_nodes_t *nodes, bool by_name)
{
    int32_t best = -1;

    for (int32_t j = 0; j < nodes->num_listed; j++) {
        const spot_gpu_node_t *node = &nodes->nodes[nodes->list[j]];

        if (node->pool_id < 0 && !node->is_noticed &&
            spot_gpu_nodes_is_idle(nodes, nodes->list[j]) &&
            (best < 0 || !by_name || node->instance > nodes->nodes[best].instance)) {
            best = nodes->list[j];
        }
    }
    return best;
}

static int32_t find_returned(const spot_gpu_nodes_t *nodes)
{
    for (int32_t j = 0; j < nodes->num_listed; j++) {
        const spot_gpu_node_t *node = &nodes->nodes[nodes->list[j]];

        if (node->pool_id < 0 && node->instance == RETURNED_NODE) {
            return nodes->list[j];
        }
    }
    return -1;
}

/* Returns the name of the node that the profiler gets; -1: none. In the published
 * simulator the profiler has a node more, whether the lender has an idle one or not;
 * from the second removal on the removed node takes the name of the returned one. */
static int32_t borrow(spot_profiler_t *self)
{
    const bool is_blind = self->scenario->quirks[SPOT_QUIRK_BLIND_LOANS];
    spot_gpu_node_t *nodes = self->lender->nodes.nodes;
    const int32_t node_id = idle_node(&self->lender->nodes, is_blind);
    const int32_t returned_id = find_returned(&self->lender->nodes);
    int32_t instance = is_blind ? RETURNED_NODE : -1;

    if (node_id < 0) {
        return instance;
    }
    if (!is_blind) {
        instance = nodes[node_id].instance;
    } else if (++self->num_removals > 1 && returned_id >= 0) {
        nodes[returned_id].instance = nodes[node_id].instance;
        nodes[node_id].instance = RETURNED_NODE;
    }
    spot_vc_remove_node(self->lender, node_id);
    return instance;
}

static void give_back(spot_profiler_t *self)
{
    const int32_t instance = self->vc->nodes.nodes[self->borrowed_id].instance;

    spot_vc_remove_node(self->vc, self->borrowed_id);
    self->borrowed_id = -1;
    if (!self->scenario->quirks[SPOT_QUIRK_BLIND_LOANS] ||
        find_returned(&self->lender->nodes) < 0) {
        (void) spot_vc_add_node(self->lender, -1, instance);
    }
}

/* Borrows or returns a node after all decisions of a second; true: it has. */
static bool profiler_lend(spot_profiler_t *self)
{
    const int64_t now_s = self->vc->now_s;
    int32_t change = 0;

    if (self->lender == NULL || now_s % GROW_EVERY_S != 0) {
        return false;
    }
    if (self->lender->now_s < now_s && (wants_more(self) || wants_less(self))) {
        spot_vc_begin_second(self->lender, now_s); /* it was not due: nothing ends */
    }
    if (wants_more(self)) {
        const int32_t instance = borrow(self);

        if (instance >= 0) {
            self->borrowed_id = spot_vc_add_node(self->vc, -1, instance);
            change = 1;
        }
    } else if (now_s % SHRINK_EVERY_S == 0 && wants_less(self)) {
        give_back(self);
        change = -1;
    }
    if (change != 0) {
        SPOT_ARRAY_PUSH(self, events, (spot_scaling_event_t){now_s, change});
    }
    return change != 0;
}

/* ---- Nodes that come and go ---- */

/* NO_MEMORY; free self even then. */
static int pool_init(spot_pool_t *self, const spot_pool_plan_t *plan, int32_t pool_id)
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

static void pool_free(spot_pool_t *self)
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

/* Node-seconds and US dollars until now_s, which never decreases. */
static int64_t pool_node_s(spot_pool_t *self, int64_t now_s)
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

/* Starts a replication: the initial nodes join the VC at start_s, the present second. */
static void pool_start(spot_pool_t *self, uint64_t seed, uint64_t replication, spot_vc_t *vc)
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

/* The next second after now_s with an event; INT64_MAX: none. */
static int64_t pool_next_due_s(spot_pool_t *self, int64_t now_s)
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

/* num_nodes < 0: cancelled. */
static void vc_prepare_nodes(spot_vc_t *self, int32_t num_nodes)
{
    self->num_prepping += num_nodes;
    self->is_changed = true;
}

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
            vc_prepare_nodes(vc, -1);
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
            vc_prepare_nodes(vc, -1);
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
            vc_prepare_nodes(vc, 1);
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

/* The events of a set in the present second of its VC: losses, then nodes that are
 * ready, additions, notices. NO_MEMORY, OVERDRAW. */
static int pool_set_see(const spot_pool_set_t *self, spot_vc_t *vc)
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

/* Nodes that could not come or go by now_s. O(events). */
static int64_t pool_clipped(const spot_pool_t *self, int64_t now_s)
{
    int64_t num_nodes = 0;

    for (size_t j = 0; j < self->num_events && self->events[j].seen_s <= now_s; j++) {
        num_nodes += self->events[j].num_clipped;
    }
    return num_nodes;
}

/* Whether the trace has ended before now_s, so that its last nodes stay. */
static bool pool_is_past_end(const spot_pool_t *self, int64_t now_s)
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

/* Writes the nodes of a pool that the training engine prepares into a job that starts at
 * now_s, up to last_ms of its clock. A node that was being prepared then is prepared
 * anew. context: the pool. */
static void pool_read_core(void *context, spot_core_job_t *core, int64_t now_s, int64_t last_ms)
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

/* ---- The schedule ---- */

/* Jobs between two looks at the stop flag. A visited second may take as long as its queue is:
 * there it is looked at each time. */
#define JOBS_BETWEEN_LOOKS 16384

/* A job arrives in its VC at enter_s. estimate_s: NAN: not known yet. */
static void add_job(spot_schedule_t *self, int32_t row_id, int64_t enter_s, double estimate_s)
{
    spot_vc_t *vc = &self->vcs[self->log->jobs[row_id].vc_id];

    self->job_ids[row_id] = (int32_t) vc->num_jobs;
    spot_vc_add_job(vc, row_id, enter_s, self->log->jobs[row_id].duration_s, estimate_s);
}

/* The VC of a job that leaves the profiler is due in this second too. */
static void add_due(spot_schedule_t *self, int32_t vc_id)
{
    for (int32_t j = 0; j < self->num_due; j++) {
        if (self->now_due[j] == vc_id) {
            return;
        }
    }
    self->now_due[self->num_due++] = vc_id;
}

static void on_end(void *owner, const spot_vc_t *vc, int32_t job)
{
    spot_schedule_t *self = owner;
    const int32_t row_id = vc->jobs[job].row_id;

    if (vc == self->profiler.vc && !spot_profiler_is_final(&self->profiler, row_id)) {
        self->num_cut--;
        if (self->job_ids[row_id] < 0) {
            add_job(self, row_id, vc->now_s, vc->jobs[job].estimate_s);
            add_due(self, self->log->jobs[row_id].vc_id);
        }
    } else {
        self->num_ended++;
        self->last_end_s = vc->now_s;
        if (self->durations.setting != NULL) {
            spot_estimates_learn(&self->durations, row_id);
        }
    }
}

/* The first error of a part. */
static int error_of(const spot_schedule_t *self)
{
    int error = spot_error_first(self->profiler.error, self->durations.error);

    for (int32_t j = 0; j < self->num_clocks; j++) {
        error = spot_error_first(error, self->vcs[j].error);
    }
    for (size_t j = 0; j < self->num_pools; j++) {
        error = spot_error_first(error, self->pools[j].error);
    }
    return error;
}

/* Makes the pools of all VCs. */
static int init_pools(spot_schedule_t *self)
{
    const spot_pool_plans_t *plans = &self->scenario->pools;
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < plans->num_pools; j++) {
        const spot_pool_plan_t *plan = &plans->pools[j];
        spot_pool_set_t *set = &self->pools_of[plan->vc_id];

        self->num_pools++;
        ret = pool_init(&self->pools[j], plan, (int32_t) j);
        set->pools = set->num_pools++ == 0 ? &self->pools[j] : set->pools;
        if (plan->is_prepared_by_core) {
            self->vcs[plan->vc_id].fleet = (spot_vc_fleet_t){&self->pools[j], pool_read_core};
        }
    }
    return ret;
}

static int32_t num_reserved(const spot_schedule_t *self, int32_t vc_id)
{
    const spot_schedule_scenario_t *scenario = self->scenario;

    return scenario->num_reserved == NULL ? scenario->vcs.vcs[vc_id].num_nodes
                                          : scenario->num_reserved[vc_id];
}

int spot_schedule_init(spot_schedule_t *self, const spot_schedule_scenario_t *scenario)
{
    const size_t num_vcs = scenario->vcs.num_vcs;
    const bool is_profiled = spot_profiler_is_used(scenario);
    const size_t num_clocks = num_vcs + is_profiled;
    const spot_policy_t *policy = spot_policies[scenario->policy_id];
    int ret;

    *self = (spot_schedule_t){.scenario = scenario};
    spot_calendar_init(&self->due);
    self->vcs = spot_calloc(num_clocks, sizeof(*self->vcs));
    self->now_due = spot_calloc(num_clocks, sizeof(*self->now_due));
    self->pools = spot_calloc(scenario->pools.num_pools, sizeof(*self->pools));
    self->pools_of = spot_calloc(num_clocks, sizeof(*self->pools_of));
    if (self->vcs == NULL || self->now_due == NULL || self->pools == NULL ||
        self->pools_of == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->num_vcs = (int32_t) num_vcs;
    self->num_clocks = (int32_t) num_clocks;
    for (int32_t j = 0; j < self->num_vcs; j++) {
        spot_vc_init(&self->vcs[j], scenario, policy, scenario->vcs.vcs[j].name, j);
    }
    if (is_profiled) {
        profiler_init(&self->profiler, scenario, self->vcs, self->num_vcs);
    }
    ret = init_pools(self);
    return spot_error_first(ret, error_of(self));
}

void spot_schedule_free(spot_schedule_t *self)
{
    for (int32_t j = 0; j < self->num_clocks; j++) {
        spot_vc_free(&self->vcs[j]);
    }
    for (size_t j = 0; j < self->num_pools; j++) {
        pool_free(&self->pools[j]);
    }
    free(self->vcs);
    free(self->pools);
    free(self->pools_of);
    free(self->now_due);
    free(self->job_ids);
    profiler_free(&self->profiler);
    free(self->submit_s);
    free(self->order);
    free(self->scratch);
    spot_job_log_free(&self->drawn);
    spot_texts_free(&self->texts);
    spot_calendar_free(&self->due);
    spot_estimates_free(&self->durations);
}

/* The jobs of a replication: those of the log, with shifted submits, or new ones. */
static int take_log(spot_schedule_t *self, const spot_replication_t *replication)
{
    const spot_schedule_scenario_t *scenario = self->scenario;
    const uint64_t seed = replication->seed, number = replication->replication;
    size_t num_jobs;
    int ret = 0;

    self->log = scenario->log;
    if (self->log == NULL) {
        ret = spot_job_law_draw(&scenario->jobs.law, &self->drawn, seed, number);
        self->log = &self->drawn;
    }
    num_jobs = self->log->num_jobs;
    if (ret == 0 && scenario->jobs.jitter_s > 0) {
        if (SPOT_ARRAY_ROOM(self, order, num_jobs) != 0 ||
            SPOT_ARRAY_ROOM(self, scratch, num_jobs) != 0 ||
            SPOT_ARRAY_ROOM(self, submit_s, num_jobs + 1) != 0) {
            return SPOT_ERR_NO_MEMORY;
        }
        ret = spot_job_jitter(self->log, scenario->jobs.jitter_s, seed, number, self->submit_s,
            self->order, self->scratch);
    }
    return ret;
}

bool spot_schedule_has_job(const spot_schedule_t *self, int32_t row_id)
{
    const spot_job_row_t *job = &self->log->jobs[row_id];

    return job->gpu_num <= self->scenario->capacity[job->vc_id];
}

/* Adds a job to its VC, to the profiler, or to both: one that will leave the profiler
 * enters its VC then, or, with the quirk, when it is submitted. */
static void admit(spot_schedule_t *self, int32_t row_id)
{
    const int64_t submit_s = spot_schedule_submit_s(self, row_id);
    const bool is_free = self->scenario->quirks[SPOT_QUIRK_FREE_PROFILING];
    const bool is_profiled =
        self->profiler.vc != NULL && profiler_add_job(&self->profiler, row_id, submit_s);
    const bool is_cut = is_profiled && !spot_profiler_is_final(&self->profiler, row_id);

    self->num_jobs++;
    self->num_cut += is_cut;
    if (!is_profiled || (is_cut && is_free)) {
        add_job(self, row_id, submit_s, (double) NAN);
    }
}

/* Starts the clocks of all VCs, with their first nodes. */
static void start_vcs(spot_schedule_t *self, const spot_replication_t *replication)
{
    const spot_schedule_scenario_t *scenario = self->scenario;

    for (int32_t j = 0; j < self->num_vcs; j++) {
        const int32_t num_nodes =
            num_reserved(self, j) - spot_profiler_num_taken(scenario, scenario->vcs.vcs[j].name);

        self->vcs[j].trainers = &scenario->trainers;
        self->vcs[j].seed = replication->seed;
        self->vcs[j].replication = replication->replication;
        spot_vc_start_clock(&self->vcs[j], self->log, num_nodes, scenario->start_s);
    }
    if (self->profiler.vc != NULL) {
        profiler_start(&self->profiler, self->log, scenario->start_s);
    }
    for (size_t j = 0; j < self->num_pools; j++) {
        spot_pool_t *pool = &self->pools[j];

        pool_start(
            pool, replication->seed, replication->replication, &self->vcs[pool->plan->vc_id]);
    }
    for (int32_t j = 0; j < self->num_clocks; j++) {
        self->vcs[j].durations = &self->durations;
        self->vcs[j].watch = self->watch;
        self->vcs[j].owner = self;
        self->vcs[j].on_end = on_end;
    }
}

static int start(spot_schedule_t *self, const spot_replication_t *replication)
{
    const spot_schedule_scenario_t *scenario = self->scenario;
    const spot_policy_t *policy = spot_policies[scenario->policy_id];
    int ret;

    ret = take_log(self, replication);
    self->now_s = self->last_event_s = scenario->start_s;
    self->is_blocked = false;
    spot_texts_free(&self->texts);
    self->num_ended = self->num_cut = 0;
    self->num_jobs = 0;
    self->last_end_s = -1;
    if (ret != 0) {
        return ret;
    }
    ret = spot_estimates_start(&self->durations, scenario,
        policy->estimator == NULL ? NULL : policy->estimator(scenario), self->log, self->submit_s,
        replication);
    ret = spot_error_first(ret, SPOT_ARRAY_ROOM(self, job_ids, self->log->num_jobs));
    start_vcs(self, replication);
    ret = spot_error_first(ret, error_of(self));
    for (size_t j = 0; ret == 0 && j < self->log->num_jobs; j++) {
        const int32_t row_id = self->submit_s == NULL ? (int32_t) j : self->order[j];

        if (j % JOBS_BETWEEN_LOOKS == 0 && spot_replication_is_stopped(replication)) {
            return SPOT_ERR_INTERRUPTED;
        }
        self->job_ids[row_id] = -1;
        if (spot_schedule_has_job(self, row_id)) {
            admit(self, row_id);
        }
    }
    self->num_oversize = (int64_t) self->log->num_jobs - self->num_jobs;
    spot_calendar_clear(&self->due);
    for (int32_t j = 0; j < self->num_clocks && ret == 0; j++) {
        ret = spot_calendar_add(
            &self->due, &(spot_calendar_item_t){.tick = scenario->start_s, .phase = j}, NULL);
    }
    return spot_error_first(ret, error_of(self));
}

/* What the nodes have cost, and what of the traces could not happen. */
static void add_cost(spot_schedule_t *self)
{
    const int64_t run_s = self->end_s - self->scenario->start_s;
    int64_t reserved_s = 0, spot_s = 0;
    spot_sum_t usd = {0};

    self->num_clipped = 0;
    self->is_past_trace_end = false;
    for (int32_t j = 0; j < self->num_vcs; j++) {
        reserved_s += run_s * num_reserved(self, j);
    }
    for (size_t j = 0; j < self->num_pools; j++) {
        spot_s += pool_node_s(&self->pools[j], self->end_s);
        spot_sum_add(&usd, spot_pool_usd(&self->pools[j], self->end_s));
        self->num_clipped += pool_clipped(&self->pools[j], self->end_s);
        self->is_past_trace_end |= pool_is_past_end(&self->pools[j], self->end_s);
    }
    self->reserved_node_h = (double) reserved_s / 3600;
    self->spot_node_h = (double) spot_s / 3600;
    self->reserved_usd = self->reserved_node_h * self->scenario->price_usd_per_h;
    self->spot_usd = spot_sum_total(&usd);
}

/* The next second at which a VC has something to do. */
static int64_t due_of(spot_schedule_t *self, int32_t vc_id)
{
    const spot_vc_t *vc = &self->vcs[vc_id];
    const spot_pool_set_t *set = &self->pools_of[vc_id];
    int64_t due_s = spot_vc_next_due_s(vc);

    if (vc == self->profiler.vc) {
        const int64_t lend_s = profiler_next_due_s(&self->profiler);

        due_s = lend_s < due_s ? lend_s : due_s;
    }
    for (size_t j = 0; j < set->num_pools; j++) {
        const int64_t pool_s = pool_next_due_s(&set->pools[j], self->now_s);

        due_s = pool_s < due_s ? pool_s : due_s;
    }
    return due_s > self->now_s ? due_s : self->now_s + 1;
}

/* Moves the clock to the next visited second and lists its VCs; false: none is due. */
static bool next_second(spot_schedule_t *self)
{
    const bool visits_all = self->scenario->is_every_second;
    const int64_t due_s = spot_calendar_first(&self->due)->tick;

    self->num_due = 0;
    if (due_s == INT64_MAX) {
        return false;
    }
    self->now_s = visits_all ? self->now_s + 1 : due_s;
    for (int32_t j = 0; visits_all && j < self->num_clocks; j++) {
        self->now_due[self->num_due++] = j;
    }
    while (!visits_all && spot_calendar_first(&self->due)->tick == due_s) {
        const int32_t vc_id = spot_calendar_first(&self->due)->handle;

        self->now_due[self->num_due++] = vc_id;
        spot_calendar_move(&self->due, vc_id, INT64_MAX);
    }
    return true;
}

/* A loan changes what the lender and the profiler can place from the next second on. */
static void lend(spot_schedule_t *self)
{
    if (self->profiler.vc != NULL && self->profiler.vc->now_s == self->now_s &&
        profiler_lend(&self->profiler)) {
        spot_calendar_move(&self->due, self->num_vcs, self->now_s + 1);
        spot_calendar_move(&self->due, self->profiler.lender->vc_id, self->now_s + 1);
    }
}

/* One second of the VCs that are due. Jobs of all of them end before a policy looks at
 * what has ended; VCs that get a job of the profiler join the list meanwhile. */
static int visit(spot_schedule_t *self)
{
    int ret = 0;

    for (int32_t j = 0; j < self->num_due; j++) {
        spot_vc_begin_second(&self->vcs[self->now_due[j]], self->now_s);
    }
    for (int32_t j = 0; self->num_pools > 0 && j < self->num_due; j++) {
        const int32_t vc_id = self->now_due[j];

        ret = spot_error_first(ret, pool_set_see(&self->pools_of[vc_id], &self->vcs[vc_id]));
    }
    for (int32_t j = 0; j < self->num_due; j++) {
        spot_vc_t *vc = &self->vcs[self->now_due[j]];

        spot_vc_schedule(vc);
        ret = spot_error_first(ret, vc->error);
        if (vc->is_changed) {
            self->last_event_s = self->now_s;
        }
    }
    for (int32_t j = 0; j < self->num_due; j++) {
        spot_calendar_move(&self->due, self->now_due[j], due_of(self, self->now_due[j]));
    }
    lend(self);
    return spot_error_first(ret, spot_error_first(self->profiler.error, self->durations.error));
}

/* The end of the run: that of the last job, or the horizon, or, without one, the last
 * second in which anything has happened. */
static int64_t ended_s(const spot_schedule_t *self, int64_t last_s)
{
    if (self->is_blocked) {
        return last_s == INT64_MAX ? self->last_event_s : last_s;
    }
    return self->now_s < last_s ? self->now_s : last_s;
}

/* Jobs that a message lists. */
#define MAX_LISTED 10

/* Which jobs have not ended, and why. */
static const char *unfinished_text(spot_schedule_t *self)
{
    const char *list = "";
    size_t num_left = 0;

    for (int32_t j = 0; j < (int32_t) self->log->num_jobs; j++) {
        if (spot_schedule_has_job(self, j) && spot_schedule_result(self, j).end_s < 0 &&
            num_left++ < MAX_LISTED) {
            list = spot_texts_join(&self->texts, list, ", ",
                spot_texts_add(&self->texts, "%s (%d GPU%s in %s)", self->log->jobs[j].id,
                    self->log->jobs[j].gpu_num, self->log->jobs[j].gpu_num == 1 ? "" : "s",
                    self->vcs[self->log->jobs[j].vc_id].name));
        }
    }
    return spot_texts_add(&self->texts, "%s: %zu job%s not ended: %s%s",
        self->is_blocked ? "nothing can ever start again" : "the horizon is reached", num_left,
        num_left == 1 ? " has" : "s have", list, num_left > MAX_LISTED ? ", ..." : "");
}

int spot_schedule_run(spot_schedule_t *self, const spot_replication_t *replication)
{
    const spot_schedule_scenario_t *scenario = self->scenario;
    const int64_t last_s =
        scenario->horizon_s == 0 ? INT64_MAX : scenario->start_s + scenario->horizon_s;
    int ret = start(self, replication);

    if (ret != 0) {
        return ret;
    }
    self->now_s -= scenario->is_every_second && self->num_jobs > 0;
    while (ret == 0 && (self->num_ended < self->num_jobs || self->num_cut > 0)) {
        if (spot_replication_is_stopped(replication)) {
            return SPOT_ERR_INTERRUPTED;
        }
        self->is_blocked = !next_second(self);
        if (self->is_blocked || self->now_s > last_s) {
            break;
        }
        ret = visit(self);
    }
    self->end_s = ended_s(self, last_s);
    for (int32_t j = 0; j < self->num_clocks; j++) {
        spot_vc_finish(&self->vcs[j], self->end_s);
    }
    add_cost(self);
    self->unfinished_text = self->num_ended < self->num_jobs ? unfinished_text(self) : NULL;
    ret = spot_error_first(ret, error_of(self));
    return spot_error_first(ret, self->texts.error);
}

/* ---- Results ---- */

const spot_train_result_t *spot_schedule_core_result(const spot_schedule_t *self, int32_t row_id)
{
    const spot_vc_t *vc = &self->vcs[self->log->jobs[row_id].vc_id];
    const int32_t job = self->job_ids[row_id];

    return job < 0 || vc->jobs[job].core_id < 0 ? NULL : &vc->cores[vc->jobs[job].core_id].result;
}

/* What a job did in a VC or in the profiler, where it was last. */
static spot_job_result_t result_of(const spot_vc_t *vc, const spot_vc_job_t *job)
{
    return (spot_job_result_t){.start_s = job->start_s,
        .end_s = job->end_s,
        .queue_s = job->queue_s,
        .lost = (int64_t) floor(job->lost * (1000 / vc->unit) + 0.5),
        .overhead_s = job->overhead_paid_s,
        .preemptions = job->preemptions,
        .node_preemptions = job->node_preemptions,
        .resizes = job->resizes,
        .host_row_id = job->host_row_id};
}

spot_job_result_t spot_schedule_result(const spot_schedule_t *self, int32_t row_id)
{
    const spot_vc_t *vc = &self->vcs[self->log->jobs[row_id].vc_id];
    const spot_vc_job_t *profiled = spot_profiler_job(&self->profiler, row_id);
    spot_job_result_t result = {.start_s = -1, .end_s = -1, .host_row_id = -1};

    if (self->job_ids[row_id] >= 0) {
        result = result_of(vc, &vc->jobs[self->job_ids[row_id]]);
    } else if (profiled != NULL && spot_profiler_is_final(&self->profiler, row_id)) {
        result = result_of(self->profiler.vc, profiled);
        result.queue_s = 0;
    }
    if (profiled != NULL) {
        result.is_profiled = profiled->start_s >= 0;
        result.profiled_queue_s = profiled->queue_s;
        result.queue_s += profiled->queue_s;
    }
    return result;
}

spot_profiling_t spot_schedule_profiling(const spot_schedule_t *self)
{
    const spot_profiler_t *profiler = &self->profiler;
    spot_profiling_t sum = {0};

    for (size_t j = 0; profiler->vc != NULL && j < profiler->vc->num_jobs; j++) {
        const spot_vc_job_t *job = &profiler->vc->jobs[j];

        sum.num_profiled += job->start_s >= 0;
        sum.num_finished += job->end_s >= 0 && spot_profiler_is_final(profiler, job->row_id);
        sum.queue_s += job->queue_s;
    }
    for (size_t j = 0; j < profiler->num_events; j++) {
        sum.num_borrowed += profiler->events[j].change > 0;
    }
    return sum;
}

const char *spot_schedule_node_name(
    const spot_schedule_t *self, const spot_gpu_node_t *node, spot_texts_t *texts)
{
    if (node->pool_id >= 0) {
        return self->pools[node->pool_id].nodes[node->instance].name;
    }
    return spot_texts_add(texts, "n%d", node->instance);
}

const char *spot_schedule_place_name(
    const spot_schedule_t *self, const spot_gpu_node_t *node, spot_texts_t *texts)
{
    return node->pool_id < 0 ? spot_schedule_node_name(self, node, texts)
                             : spot_texts_add(texts, "spot%d-%d", node->pool_id,
                                   self->pools[node->pool_id].nodes[node->instance].slot);
}
