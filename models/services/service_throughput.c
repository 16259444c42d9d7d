/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/service.h"

static double busy_ms(const spot_batch_profile_t *row)
{
    return (double) row->batch * 1000.0 / row->throughput_qps;
}

const spot_service_t spot_service_throughput = {
    .name = "throughput",
    .doc = "a batch takes as long as the measured throughput says: the capacity as "
           "measured",
    .busy_ms = busy_ms,
};
