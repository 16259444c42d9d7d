/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One virtual cluster (VC) at work. VCs share nothing, but they have one clock.
 *
 * The phases of a second t: endings, node events, arrivals, the policy's decision,
 * lending of nodes. A job that starts at t works from t + 1 on.
 *
 * spot_vc_init(), then for each replication spot_vc_start_clock() and spot_vc_add_job();
 * at each second that is due the phases, in their order; spot_vc_finish() at the end. A
 * policy sees and acts through this header and that of the queue.
 *
 * This module owns what a running job has done by a second, how fast it is at a size, and
 * what is durable. Running jobs are brought forward only when something touches them, in a
 * closed form, so that a second without an event costs nothing. The work of a job that the
 * training engine simulates comes from there. */
#pragma once

#include <stdint.h>

#include "sim/schedule/vc_queue.h"
#include "sim/schedule/vc_state.h"

/* A node comes or goes at a time on the clock of the job, or is there when it starts. */
void spot_core_job_start_with(spot_core_job_t *self, int32_t node_id);
void spot_core_job_change(
    spot_core_job_t *self, int64_t time_ms, int32_t node_id, spot_event_kind_t kind);

/* work - rate - rate ..., num_seconds times. rate > 0. O(octaves of the result). */
double spot_work_after(double work, double rate, int64_t num_seconds);

/* After how many subtractions the work is 0 or below. O(octaves of work / rate). */
int64_t spot_work_seconds(double work, double rate);

/* ---- What a policy sees ---- */

/* The smallest size that a job may have, and the next one above gpus; 0: none. The only
 * size of a rigid job is its own. O(sizes). */
int32_t spot_vc_next_size(const spot_vc_t *self, int32_t job, int32_t gpus);

/* The largest allowed size up to gpus; 0: none. O(sizes). */
int32_t spot_vc_largest_size(const spot_vc_t *self, int32_t job, int32_t gpus);

/* Throughput of an elastic job at an allowed size, in any unit. O(sizes). */
double spot_vc_throughput(const spot_vc_t *self, int32_t job, int32_t gpus);

void spot_vc_init(spot_vc_t *self, const spot_schedule_scenario_t *scenario,
    const spot_policy_t *policy, const char *name, int32_t vc_id);
void spot_vc_free(spot_vc_t *self);

/* Starts a replication at start_s, without jobs, and with num_nodes reserved nodes. */
void spot_vc_start_clock(
    spot_vc_t *self, const spot_job_log_t *log, int32_t num_nodes, int64_t start_s);

/* Adds a job of the log, which arrives at enter_s >= the clock; jobs of one second
 * arrive in the order of the log. duration_s: at its nominal GPUs. estimate_s: of its
 * duration; NAN: the policy asks for it. O(1) for jobs in order. */
void spot_vc_add_job(
    spot_vc_t *self, int32_t row_id, int64_t enter_s, int64_t duration_s, double estimate_s);

/* The next second after now_s at which the VC has something to do by itself; INT64_MAX:
 * never. Node events are the caller's. */
int64_t spot_vc_next_due_s(const spot_vc_t *self);

/* The phases of a second. The caller's node events come between the first two. */
void spot_vc_begin_second(spot_vc_t *self, int64_t now_s); /* jobs end */
void spot_vc_schedule(spot_vc_t *self);                    /* jobs arrive and the policy decides */

/* Closes the ledger at the end of the run: what runs is unsaved. */
void spot_vc_finish(spot_vc_t *self, int64_t end_s);

/* ---- Node events, in the second that has begun ---- */

/* A node joins the end of the list; -1: no memory. */
int32_t spot_vc_add_node(spot_vc_t *self, int32_t pool_id, int32_t instance);

/* Nodes go together. A rigid job on them loses what is not durable and goes back to the
 * queue; an elastic one goes on with the GPUs that are left, if it may. */
void spot_vc_lose_nodes(spot_vc_t *self, size_t num_lost, const int32_t *node_ids);

/* Nodes take no new job; jobs on them that can checkpoint within notice_s do. */
void spot_vc_notice_nodes(
    spot_vc_t *self, size_t num_nodes, const int32_t *node_ids, int64_t notice_s);

/* Takes a node that holds no job out of the list. */
void spot_vc_remove_node(spot_vc_t *self, int32_t node_id);

/* ---- What a policy does ---- */

/* Starts a queued job on GPUs of its own, or on another allowed number of them; false:
 * they cannot be placed and it stays in the queue. */
bool spot_vc_start(spot_vc_t *self, int32_t job);
bool spot_vc_start_with(spot_vc_t *self, int32_t job, int32_t gpus);

/* Starts jobs from the head of the queue until one cannot be placed. */
void spot_vc_start_head(spot_vc_t *self);

/* Starts a queued job on the GPUs of a running one that has them for itself. speeds: of
 * the two together, relative to running alone. */
void spot_vc_start_beside(
    spot_vc_t *self, int32_t guest, int32_t host, double guest_speed, double host_speed);

/* Stops a running job, which loses no work, and puts it at the end of the queue. */
void spot_vc_stop(spot_vc_t *self, int32_t job);

/* Gives a running job another number of GPUs; false: it keeps those that it has. */
bool spot_vc_resize(spot_vc_t *self, int32_t job, int32_t gpus);

/* Aborts if an invariant does not hold. O(jobs + nodes). */
void spot_vc_verify(const spot_vc_t *self);
