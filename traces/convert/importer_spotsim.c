/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a canonical trace file, to change its header. */
#include <string.h>

#include "traces/convert/convert.h"

static bool sniff(const spot_convert_head_t *head)
{
    const char *line = head->line;

    return strncmp(line, "# spotsim-trace:", 16) == 0;
}

static int read_canonical(spot_import_t *self)
{
    const spot_record_input_t *input = &self->inputs[0];
    const bool is_strict = self->task->is_strict;
    int ret = input->bytes == NULL
                  ? spot_trace_read(self->trace, input->path, is_strict, self->diag)
                  : spot_trace_read_bytes(self->trace, input->path, input->bytes, input->num_bytes,
                        is_strict, self->diag);

    self->capacity = self->trace->capacity;
    self->report->num_records = (int64_t) self->trace->num_events;
    return ret;
}

const spot_importer_t spot_importer_spotsim = {
    .name = "spotsim",
    .doc = "the canonical trace file, to give it other header keys",
    .source = "this program",
    .num_inputs = 1,
    .is_canonical = true,
    .sniff = sniff,
    .read = read_canonical,
};
