/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/schedule_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

int spot_schedule_log_read(spot_schedule_log_t *self, const char *vcs_path,
    spot_job_log_request_t *request, spot_diag_t *diag)
{
    int ret = 0;

    request->vcs = &self->vcs;
    request->adds_vcs = vcs_path == NULL;
    if (vcs_path != NULL) {
        ret = spot_vc_list_read(&self->vcs, vcs_path, true, diag);
    }
    return ret != 0 ? ret : spot_job_log_read(&self->log, request, diag);
}

int spot_schedule_log_cover(
    spot_schedule_log_t *self, int64_t gpus_per_node, spot_coverage_t *coverage)
{
    const size_t num_rows = self->vcs.num_vcs + 1;

    self->rows = spot_calloc(num_rows, sizeof(*self->rows));
    *coverage = (spot_coverage_t){&self->log.counts, self->rows, num_rows};
    return self->rows == NULL
               ? SPOT_ERR_NO_MEMORY
               : spot_job_coverage(&self->log, &self->vcs, (int32_t) gpus_per_node, self->rows);
}

int spot_schedule_log_write(spot_call_t *call, const spot_schedule_log_t *self, const char *path)
{
    spot_output_t output;
    FILE *out = spot_output_bytes(&output, path, &call->diag);

    if (out != NULL) {
        spot_job_log_write(&self->log, &self->vcs, out);
    }
    return spot_output_end(&output, 0);
}

int spot_schedule_coverage_write(
    spot_call_t *call, const spot_coverage_t *coverage, const char *path)
{
    spot_output_t output;
    FILE *out = spot_output_bytes(&output, path, &call->diag);

    return spot_output_end(&output, out == NULL ? 0 : spot_coverage_write_csv(coverage, out));
}

void spot_schedule_log_free(spot_schedule_log_t *self)
{
    free(self->rows);
    spot_job_log_free(&self->log);
    spot_vc_list_free(&self->vcs);
    memset(self, 0, sizeof(*self));
}
