/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/jobs/job_coverage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* has_user: of the row, by user. */
static void add_job(spot_job_coverage_t *row, const spot_job_row_t *job, bool *has_user)
{
    if (job->user_id >= 0) {
        row->num_users += !has_user[job->user_id];
        has_user[job->user_id] = true;
    }
    row->num_jobs++;
    row->gpu_s += (double) job->gpu_num * (double) job->duration_s;
    row->most_gpus = job->gpu_num > row->most_gpus ? job->gpu_num : row->most_gpus;
    row->longest_s = job->duration_s > row->longest_s ? job->duration_s : row->longest_s;
}

int spot_job_coverage(const spot_job_log_t *log, const spot_vc_list_t *vcs, int32_t gpus_per_node,
    spot_job_coverage_t *rows)
{
    const size_t num_vcs = vcs->num_vcs, num_users = log->users.num_texts;
    const int64_t span_s =
        log->num_jobs == 0 ? 0 : log->jobs[log->num_jobs - 1].submit_s - log->jobs[0].submit_s;
    bool *has_user = spot_calloc(num_vcs + 1, num_users * sizeof(*has_user));
    spot_job_coverage_t *all = &rows[num_vcs];

    if (has_user == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    memset(rows, 0, (num_vcs + 1) * sizeof(*rows));
    for (size_t j = 0; j < num_vcs; j++) {
        rows[j].vc = vcs->vcs[j].name;
        rows[j].num_nodes = vcs->vcs[j].num_nodes;
        rows[j].num_gpus = rows[j].num_nodes * gpus_per_node;
        all->num_nodes += rows[j].num_nodes;
    }
    all->vc = "all";
    all->num_gpus = all->num_nodes * gpus_per_node;
    for (size_t j = 0; j < log->num_jobs; j++) {
        const size_t vc_id = (size_t) log->jobs[j].vc_id;

        add_job(&rows[vc_id], &log->jobs[j], &has_user[vc_id * num_users]);
        add_job(all, &log->jobs[j], &has_user[num_vcs * num_users]);
    }
    for (size_t j = 0; j <= num_vcs; j++) {
        const double most_gpu_s = (double) rows[j].num_gpus * (double) span_s;

        rows[j].load = most_gpu_s == 0 ? (double) NAN : rows[j].gpu_s / most_gpu_s;
    }
    free(has_user);
    return 0;
}
