/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes of a VC that come, go or get a notice, and what becomes of the jobs on them. */
#include "sim/schedule/policy.h"
#include "sim/schedule/vc_internal.h"

static void
change_nodes(spot_vc_t *self)
{
    self->is_changed = true;
    if (self->policy->on_nodes != NULL) {
        self->policy->on_nodes(self);
    }
}

void
spot_vc_prepare_nodes(spot_vc_t *self, int32_t num_nodes)
{
    self->num_prepping += num_nodes;
    self->is_changed = true;
}

int32_t
spot_vc_add_node(spot_vc_t *self, int32_t pool_id, int32_t instance)
{
    const int32_t node_id =
        spot_gpu_nodes_add(&self->nodes, pool_id, instance, self->now_s);

    self->error = spot_error_first(self->error, self->nodes.error);
    if (self->fleet.read != NULL && self->first_running >= 0) {
        spot_vc_advance(self, &self->jobs[self->first_running], self->now_s);
        spot_vc_report_held(self, &self->jobs[self->first_running]);
        spot_vc_take_fleet(self, self->first_running);
    }
    change_nodes(self);
    return node_id;
}

void
spot_vc_remove_node(spot_vc_t *self, int32_t node_id)
{
    spot_gpu_nodes_remove(&self->nodes, node_id);
    change_nodes(self);
}

/* An elastic job goes on with the GPUs that are left, if it may. */
static void
lose_gpus(spot_vc_t *self, int32_t job, size_t num_lost, const int32_t *node_ids)
{
    spot_vc_job_t *at = &self->jobs[job];
    int32_t size = 0;

    if (at->partner >= 0) {
        spot_vc_advance(self, &self->jobs[at->partner], self->now_s);
    }
    spot_vc_advance(self, at, self->now_s);
    spot_vc_lose_work(self, at);
    spot_vc_report_held(self, at);
    for (size_t j = 0; j < num_lost; j++) {
        at->first_part =
            spot_gpu_nodes_give_node(&self->nodes, at->first_part, node_ids[j]);
    }
    if (self->fleet.read != NULL) {
        spot_vc_take_fleet(self, job);
        return;
    }
    if (spot_vc_terms(self, at)->min_gpus > 0) {
        size = spot_vc_largest_size(
            self, job, spot_gpu_nodes_count(&self->nodes, at->first_part));
    }
    if (size > 0) {
        at->first_part = spot_gpu_nodes_shrink(&self->nodes, at->first_part, size);
        at->overhead_s = spot_vc_reconfiguration_s(self, at);
        spot_vc_begin_size(self, job, size);
        if (at->partner >= 0) { /* it may share fewer GPUs */
            spot_vc_set_rate(self, at->partner);
        }
        return;
    }
    at->gpus = self->log->jobs[at->row_id].gpu_num;
    at->overhead_s = spot_vc_restart_s(self, at);
    at->node_preemptions++;
    self->node_preemptions++;
    spot_vc_requeue(self, job);
}

bool
spot_vc_holds_one(const spot_vc_t *self, const spot_vc_job_t *job, size_t num_nodes,
    const int32_t *node_ids)
{
    for (int32_t part = job->first_part; part >= 0;
         part = self->nodes.parts[part].next) {
        for (size_t j = 0; j < num_nodes; j++) {
            if (self->nodes.parts[part].node_id == node_ids[j]) {
                return true;
            }
        }
    }
    return false;
}

void
spot_vc_lose_nodes(spot_vc_t *self, size_t num_lost, const int32_t *node_ids)
{
    int32_t next;

    for (size_t j = 0; j < num_lost; j++) {
        spot_gpu_nodes_close(&self->nodes, node_ids[j]);
    }
    for (int32_t job = self->first_running; job >= 0; job = next) {
        next = self->jobs[job].next;
        if (spot_vc_holds_one(self, &self->jobs[job], num_lost, node_ids)) {
            lose_gpus(self, job, num_lost, node_ids);
        }
    }
    for (size_t j = 0; j < num_lost; j++) {
        spot_gpu_nodes_remove(&self->nodes, node_ids[j]);
    }
    change_nodes(self);
}

void
spot_vc_notice_nodes(
    spot_vc_t *self, size_t num_nodes, const int32_t *node_ids, int64_t notice_s)
{
    for (size_t j = 0; j < num_nodes; j++) {
        spot_gpu_nodes_close(&self->nodes, node_ids[j]);
    }
    for (int32_t job = self->first_running; job >= 0; job = self->jobs[job].next) {
        spot_vc_job_t *at = &self->jobs[job];
        const spot_job_terms_row_t *terms = spot_vc_terms(self, at);

        if (at->core_id >= 0 || terms->checkpoint_interval_s == 0 ||
            terms->checkpoint_write_s > notice_s ||
            !spot_vc_holds_one(self, at, num_nodes, node_ids)) {
            continue;
        }
        spot_vc_advance(self, at, self->now_s);
        if (at->overhead_s == 0 && terms->checkpoint_write_s > 0) {
            spot_vc_capture(at, terms->checkpoint_write_s);
        } else if (at->overhead_s == 0) {
            spot_vc_save_work(self, at);
        }
    }
    change_nodes(self);
}
