/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Joins laws of jobs with the VCs of a cluster. */
#include <math.h>

#include "base/csv_field.h"
#include "base/memory.h"
#include "traces/jobs/job_law.h"

/* Takes all VCs of the cluster, by their nodes. */
static int
take_vcs(spot_job_law_t *self, const spot_vc_list_t *vcs)
{
    int64_t num_nodes = 0;

    self->vcs = spot_calloc(vcs->num_vcs, sizeof(*self->vcs));
    if (self->vcs == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < vcs->num_vcs; j++) {
        num_nodes += vcs->vcs[j].num_nodes;
    }
    for (size_t j = 0; j < vcs->num_vcs; j++) {
        self->vcs[j] = (spot_job_law_vc_t){
            .weight = num_nodes > 0 ? vcs->vcs[j].num_nodes : 1,
            .vc_id = (int32_t) j,
        };
    }
    self->num_vcs = vcs->num_vcs;
    return spot_job_law_weigh_vcs(self);
}

static int
place_vc(const spot_job_law_t *self, spot_job_law_vc_t *vc, spot_vc_list_t *vcs,
    bool adds_vcs, spot_diag_t *diag)
{
    vc->vc_id = spot_vc_list_find(vcs, vc->name);
    if (vc->vc_id >= 0) {
        return 0;
    }
    if (!adds_vcs) {
        return spot_diag_error(diag, self->file, vc->line, vc->column,
            "vcs.%s: the cluster has no VC of that name", vc->name);
    }
    vc->vc_id = (int32_t) vcs->num_vcs;
    return spot_vc_list_add(vcs, vc->name, 0, 0);
}

int
spot_job_law_place(
    spot_job_law_t *self, spot_vc_list_t *vcs, bool adds_vcs, spot_diag_t *diag)
{
    int ret = 0;

    if (self->num_vcs == 0) {
        if (vcs->num_vcs == 0) {
            ret = spot_vc_list_add(vcs, "main", 0, 0);
        }
        return ret == 0 ? take_vcs(self, vcs) : ret;
    }
    for (size_t j = 0; j < self->num_vcs && ret != SPOT_ERR_NO_MEMORY; j++) {
        const int error = place_vc(self, &self->vcs[j], vcs, adds_vcs, diag);

        ret = error != 0 ? error : ret;
    }
    return ret;
}

/* ---- A cluster for the jobs ---- */

void
spot_job_law_write_vcs(const spot_job_law_t *self, const spot_job_log_t *log,
    const spot_vc_list_t *vcs, double load, FILE *out)
{
    const int64_t last_s =
        log->num_jobs == 0 ? 0 : log->jobs[log->num_jobs - 1].submit_s;
    const double span_s =
        self->num_jobs > 0 ? (double) last_s + 1 : (double) self->horizon_ms / 1000;

    fprintf(out, "vc,nodes\n");
    for (size_t k = 0; k < vcs->num_vcs; k++) {
        double work_s = 0, most_gpus = 1;

        for (size_t j = 0; j < log->num_jobs; j++) {
            const spot_job_row_t *job = &log->jobs[j];

            if (job->vc_id == (int32_t) k) {
                work_s += (double) job->duration_s * job->gpu_num;
                most_gpus = fmax(most_gpus, job->gpu_num);
            }
        }
        spot_csv_field_text(out, vcs->vcs[k].name);
        fprintf(out, ",%.0f\n",
            ceil(fmax(work_s / (span_s * load), most_gpus) / SPOT_JOB_LAW_NODE_GPUS));
    }
}
