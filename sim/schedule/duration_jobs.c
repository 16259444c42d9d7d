/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/schedule/duration_jobs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef struct {
    const char *model;
    size_t workload_id;
} named_workload_t;

static int
compare_names(const void *first, const void *second)
{
    return strcmp(((const named_workload_t *) first)->model,
        ((const named_workload_t *) second)->model);
}

/* Numbers the models of workloads; without a name it is -1. model_ids:
 * [num_workloads]. */
static int
number_models(const spot_job_log_t *log, int32_t *model_ids)
{
    named_workload_t *names = spot_calloc(log->num_workloads, sizeof(*names));
    int32_t num_models = 0;

    if (names == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < log->num_workloads; j++) {
        names[j] = (named_workload_t){log->workloads[j].model, j};
    }
    qsort(names, log->num_workloads, sizeof(*names), compare_names);
    for (size_t j = 0; j < log->num_workloads; j++) {
        num_models += j > 0 && compare_names(&names[j - 1], &names[j]) != 0;
        model_ids[names[j].workload_id] = names[j].model[0] == '\0' ? -1 : num_models;
    }
    free(names);
    return 0;
}

int
spot_duration_jobs_of(const spot_job_log_t *log, spot_duration_job_t **jobs)
{
    int32_t *model_ids = spot_calloc(log->num_workloads, sizeof(*model_ids));
    int ret = model_ids == NULL ? SPOT_ERR_NO_MEMORY : number_models(log, model_ids);

    *jobs = spot_calloc(log->num_jobs, sizeof(**jobs));
    ret = *jobs == NULL ? SPOT_ERR_NO_MEMORY : ret;
    for (size_t j = 0; j < log->num_jobs && ret == 0; j++) {
        const spot_job_row_t *from = &log->jobs[j];
        const spot_workload_t none = {
            .amp = -1, .gpu_util = NAN, .gmem_util = NAN, .gmem_mib = NAN};
        const spot_workload_t *workload =
            from->workload_id < 0 ? &none : &log->workloads[from->workload_id];

        (*jobs)[j] = (spot_duration_job_t){.submit_s = from->submit_s,
            .duration_s = from->duration_s,
            .user_id = from->user_id,
            .vc_id = from->vc_id,
            .model_id = from->workload_id < 0 ? -1 : model_ids[from->workload_id],
            .gpu_num = from->gpu_num,
            .cpu_num = from->cpu_num,
            .amp = workload->amp,
            .gpu_util = workload->gpu_util,
            .gmem_util = workload->gmem_util,
            .gmem_mib = workload->gmem_mib};
    }
    free(model_ids);
    return ret;
}
