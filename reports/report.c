/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/report.h"

#include <stdlib.h>
#include <string.h>

static void
count_rows(spot_report_t *self)
{
    self->min_rows = INT64_MAX;
    for (size_t j = 0; j < self->head->num_points; j++) {
        const int64_t num_rows = self->store->num_rows(self->store, j);

        self->min_rows = num_rows < self->min_rows ? num_rows : self->min_rows;
        self->max_rows = num_rows > self->max_rows ? num_rows : self->max_rows;
        self->num_rows += num_rows;
    }
}

int
spot_report_init(spot_report_t *self, const spot_store_t *store)
{
    memset(self, 0, sizeof(*self));
    self->store = store;
    self->head = store->head;
    count_rows(self);
    return spot_summarise_all(store, &self->summaries);
}

int
spot_report_read_pairs(spot_report_t *self)
{
    return self->head->has_baseline ? spot_store_differences(self->store, &self->pairs)
                                    : 0;
}

void
spot_report_free(spot_report_t *self)
{
    free(self->summaries);
    free(self->pairs);
    memset(self, 0, sizeof(*self));
}

const spot_summary_t *
spot_report_summary(const spot_report_t *self, size_t point_id, size_t metric_id)
{
    return &self->summaries[point_id * self->head->num_metrics + metric_id];
}
