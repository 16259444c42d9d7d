/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/service.h"

/* The time of one query, taken for that of the whole batch. */
static double busy_ms(const spot_batch_profile_t *row)
{
    return 1 / (row->throughput_qps / 1000.0);
}

const spot_service_t spot_service_notebook = {
    .name = "notebook",
    .doc = "the error of a public notebook of the InferLine project, to show its "
           "effect: a batch takes as long as one of its queries should",
    .warning = "service: notebook takes the time of one query for that of a whole "
               "batch: a batch of n is n times too fast",
    .cannot_plan = true,
    .busy_ms = busy_ms,
};
