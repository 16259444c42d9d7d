/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/schedule/needs.h"

#include <math.h>

#include "base/memory_limit.h"
#include "sim/schedule/run_recorder.h"

typedef spot_schedule_scenario_t scenario_t;

static double num_jobs_of(const scenario_t *self)
{
    return self->log == NULL ? spot_job_law_mean_jobs(&self->jobs.law)
                             : (double) self->log->num_jobs;
}

/* The key that says how many jobs there are. */
static const char *key_of_jobs(const scenario_t *self)
{
    return self->log != NULL             ? "jobs.file"
           : self->jobs.law.num_jobs > 0 ? "jobs.generate.jobs"
                                         : "jobs.generate.per_hour";
}

/* Of a run: the jobs of the VCs, which are in a list of arrivals too, an id each, and in blocks of
 * the queue, which may be half full; values for the quantiles; and the log, where each replication
 * draws one or moves its submits. */
static double job_bytes(const scenario_t *self, double num_jobs)
{
    const spot_schedule_t *schedule = NULL;
    const spot_vc_t *vc = NULL;
    const spot_summaries_t *summaries = NULL;
    double bytes =
        spot_array_bytes(num_jobs, sizeof(*vc->jobs)) +
        spot_array_bytes(num_jobs, sizeof(*vc->arrivals)) +
        spot_array_bytes(2 * num_jobs / SPOT_QUEUE_BLOCK_JOBS, sizeof(spot_queue_block_t)) +
        spot_array_bytes(num_jobs, sizeof(*schedule->job_ids)) +
        spot_array_bytes(num_jobs, sizeof(*summaries->values)) +
        spot_array_bytes(num_jobs, sizeof(*summaries->queues));

    if (self->log == NULL) {
        bytes += spot_job_law_bytes(num_jobs);
    }
    if (self->jobs.jitter_s > 0) {
        bytes += spot_array_bytes(num_jobs, sizeof(*schedule->order)) +
                 spot_array_bytes(num_jobs, sizeof(*schedule->scratch)) +
                 spot_array_bytes(num_jobs + 1, sizeof(*schedule->submit_s));
    }
    return bytes;
}

static int check_jobs(
    const scenario_t *self, const spot_node_t *root, double more_bytes, spot_diag_t *diag)
{
    const double num_jobs = num_jobs_of(self);
    const char *key = key_of_jobs(self);
    const spot_memory_need_t need = {
        num_jobs, "jobs", job_bytes(self, num_jobs) + more_bytes, true};

    return spot_memory_check(&need, diag, spot_node_place(root, key), key);
}

static int check_nodes(const scenario_t *self, const spot_node_t *root, spot_diag_t *diag)
{
    const spot_gpu_nodes_t *nodes = NULL;
    const size_t node_bytes = sizeof(*nodes->nodes) + sizeof(*nodes->list) + sizeof(*nodes->order);
    spot_memory_need_t need = {.things = "nodes", .is_of_run = true};

    for (size_t j = 0; j < self->vcs.num_vcs; j++) {
        need.count += self->vcs.vcs[j].num_nodes;
        need.bytes += spot_array_bytes(self->vcs.vcs[j].num_nodes, node_bytes);
    }
    return spot_memory_check(&need, diag, spot_node_place(root, "cluster.vcs"), "cluster.vcs");
}

/* From the start of the run to the last submit at least, in s. */
static double span_s(const scenario_t *self)
{
    const spot_job_law_t *law = &self->jobs.law;
    double until_s = 0;

    if (self->log != NULL && self->log->num_jobs > 0) {
        until_s = (double) (self->log->jobs[self->log->num_jobs - 1].submit_s - self->start_s);
    } else if (self->log == NULL) {
        until_s = 3600 * spot_job_law_mean_jobs(law) / law->per_hour;
    }
    return self->horizon_s > 0 ? fmin(until_s, (double) self->horizon_s) : until_s;
}

/* Moments at equal intervals of each VC; 0 s: none. */
static double num_moments(const scenario_t *self, int64_t interval_s)
{
    return interval_s > 0 ? (1 + span_s(self) / (double) interval_s) * (double) self->vcs.num_vcs
                          : 0;
}

static int check_progress(
    const scenario_t *self, const spot_node_t *root, bool is_recorded, spot_diag_t *diag)
{
    const double num_lines = num_moments(self, self->progress_s);
    const spot_memory_need_t need = {num_lines, "lines of progress",
        spot_array_bytes(num_lines, sizeof(spot_vc_progress_t)) +
            (is_recorded ? spot_series_bytes(&spot_schedule_tables[SPOT_TABLE_PROGRESS], num_lines)
                         : 0),
        true};

    return spot_memory_check(
        &need, diag, spot_node_place(root, "output.progress"), "output.progress");
}

int spot_schedule_check_memory(const scenario_t *self, const spot_node_t *root, spot_diag_t *diag)
{
    int ret = check_nodes(self, root, diag);

    ret = ret != 0 ? ret : check_progress(self, root, false, diag);
    return ret != 0 ? ret : check_jobs(self, root, 0, diag);
}

/* The samples of each VC, and those of all. */
static int check_samples(const scenario_t *self, const spot_node_t *root, spot_diag_t *diag)
{
    const double num_rows = num_moments(self, self->sample_s);
    const double num_all = num_rows / (double) self->vcs.num_vcs;
    const spot_series_kind_t *kind = self->outputs.series[SPOT_TABLE_SAMPLES_ALL];
    const spot_memory_need_t need = {num_rows, "samples of VCs",
        spot_series_bytes(kind, num_rows) + spot_series_bytes(kind, num_all) +
            spot_array_bytes(num_all, sizeof(spot_vc_sample_t)),
        true};

    return spot_memory_check(
        &need, diag, spot_node_place(root, "output.samples"), "output.samples");
}

/* Rows for each job: what it is and when it ran, and the nodes of its run at least. */
static double table_bytes(double num_jobs)
{
    static const int tables[] = {SPOT_TABLE_JOBS, SPOT_TABLE_JOB_DETAILS, SPOT_TABLE_NODES};
    double bytes = 0;

    for (size_t j = 0; j < sizeof(tables) / sizeof(tables[0]); j++) {
        bytes += spot_series_bytes(&spot_schedule_tables[tables[j]], num_jobs);
    }
    return bytes;
}

int spot_schedule_check_recording(const void *scenario, const spot_node_t *root, spot_diag_t *diag)
{
    const scenario_t *self = scenario;
    int ret = check_progress(self, root, true, diag);

    ret = ret != 0 ? ret : check_samples(self, root, diag);
    return ret != 0 ? ret : check_jobs(self, root, table_bytes(num_jobs_of(self)), diag);
}
