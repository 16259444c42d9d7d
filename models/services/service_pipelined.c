/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/service.h"

static double busy_ms(const spot_batch_profile_t *row)
{
    return (double) row->batch * 1000.0 / row->throughput_qps;
}

static double result_ms(const spot_batch_profile_t *row)
{
    return row->p99_ms;
}

const spot_service_t spot_service_pipelined = {
    .name = "pipelined",
    .doc = "a replica is busy as long as the throughput says, and the result is there "
           "after the 99th percentile; a later batch may overtake",
    .cannot_be_cut = true,
    .busy_ms = busy_ms,
    .result_ms = result_ms,
};
