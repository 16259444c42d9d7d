/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/service.h"

static double busy_ms(const spot_batch_profile_t *row)
{
    return row->p99_ms;
}

const spot_service_t spot_service_p99 = {
    .name = "p99",
    .doc = "every batch takes its 99th percentile: pessimistic, and capacity is lost",
    .busy_ms = busy_ms,
};
