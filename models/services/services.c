/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "base/units.h"
#include "models/service.h"

const spot_service_t *const spot_services[] = {
    &spot_service_throughput,
    &spot_service_p99,
    &spot_service_pipelined,
    &spot_service_notebook,
    NULL,
};

/* The times of all batches; row_ms: at a row. */
static int64_t *make_times(const spot_serving_profile_t *profile,
    double (*row_ms)(const spot_batch_profile_t *row), spot_arena_t *memory)
{
    const int32_t last = spot_serving_profile_last(profile);
    int64_t *times;

    SPOT_ARENA_ARRAY(memory, times, (size_t) last + 1);
    for (size_t j = 0; j < profile->num_rows && times != NULL; j++) {
        const spot_batch_profile_t *row = &profile->rows[j], *next = row + 1;
        const double x0 = (double) row->batch, y0 = row_ms(row);
        int64_t ns = spot_ns_from_ms(y0);

        times[row->batch] = ns < 1 ? 1 : ns;
        for (int64_t n = row->batch + 1; j + 1 < profile->num_rows && n < next->batch; n++) {
            const double slope = (row_ms(next) - y0) / ((double) next->batch - x0);

            ns = spot_ns_from_ms(y0 + ((double) n - x0) * slope);
            times[n] = ns < 1 ? 1 : ns;
        }
    }
    return times;
}

int spot_service_time_init(spot_service_time_t *self, const spot_service_t *service,
    const spot_serving_profile_t *profile, spot_arena_t *memory)
{
    int64_t *result_ns = NULL;

    self->last = spot_serving_profile_last(profile);
    self->busy_ns = self->result_ns = make_times(profile, service->busy_ms, memory);
    if (service->result_ms != NULL) {
        self->result_ns = result_ns = make_times(profile, service->result_ms, memory);
    }
    for (int32_t n = 1; n <= self->last && memory->error == 0 && result_ns != NULL; n++) {
        result_ns[n] = result_ns[n] < self->busy_ns[n] ? self->busy_ns[n] : result_ns[n];
    }
    return memory->error;
}

int64_t spot_service_time_fastest(const spot_service_time_t *self, int32_t batch)
{
    int64_t fastest_ns = INT64_MAX;

    for (int32_t n = 1; n <= batch; n++) {
        fastest_ns = self->result_ns[n] < fastest_ns ? self->result_ns[n] : fastest_ns;
    }
    return fastest_ns;
}

double spot_service_time_qps(const spot_service_time_t *self, int32_t batch)
{
    return batch * 1e9 / (double) self->busy_ns[batch];
}
