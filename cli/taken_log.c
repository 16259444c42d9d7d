/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/taken_log.h"

#include "traces/trace_write.h"

int spot_taken_log_read(spot_taken_log_t *self, const char *path, const spot_convert_t *task,
    const char *written, spot_diag_t *diag)
{
    static const spot_convert_t plain = {.kind = -1, .window_ms = -1};
    int ret = spot_convert(task == NULL ? &plain : task, 1, &(spot_record_input_t){.path = path},
        &self->trace, &self->report, diag);

    ret = ret != 0 ? ret : spot_describe_init(&self->figures, &self->trace);
    return ret != 0 || written == NULL ? ret : spot_trace_write(&self->trace, written, diag);
}

void spot_taken_log_free(spot_taken_log_t *self)
{
    spot_describe_free(&self->figures);
    spot_convert_report_free(&self->report);
    spot_trace_free(&self->trace);
}
