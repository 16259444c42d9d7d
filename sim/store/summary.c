/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/store/summary.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* The values of one metric at one point. */
typedef struct {
    size_t num_values;
    double *values; /* [num_values] in order of replication, without nulls */
    spot_moments_t moments;
} column_t;

typedef struct {
    size_t num_columns;
    column_t *columns; /* [num_columns] */
    size_t num_rows;
    size_t max_rows;
} collector_t;

static int
collect_row(void *context, int64_t replication, const double *metrics)
{
    collector_t *self = context;

    (void) replication;
    if (self->num_rows == self->max_rows) {
        return SPOT_ERR_STATE;
    }
    self->num_rows++;
    for (size_t j = 0; j < self->num_columns; j++) {
        column_t *column = &self->columns[j];

        if (isfinite(metrics[j])) {
            column->values[column->num_values++] = metrics[j];
            spot_moments_add(&column->moments, metrics[j]);
        }
    }
    return 0;
}

static void
summarise_column(column_t *column, size_t num_rows, spot_summary_t *summary)
{
    const spot_moments_t *moments = &column->moments;
    const double half_width = spot_moments_half_width(moments, SPOT_CONFIDENCE);

    spot_sort(column->values, column->num_values);
    *summary = (spot_summary_t){
        .num_values = (int64_t) column->num_values,
        .num_nulls = (int64_t) (num_rows - column->num_values),
        .moments = *moments,
        .mean = spot_moments_mean(moments),
        .std = spot_moments_std(moments),
        .stderr_mean = spot_moments_stderr(moments),
        .ci_low = spot_moments_mean(moments) - half_width,
        .ci_high = spot_moments_mean(moments) + half_width,
        .p05 = spot_quantile(column->values, column->num_values, 0.05),
        .median = spot_quantile(column->values, column->num_values, 0.5),
        .p95 = spot_quantile(column->values, column->num_values, 0.95),
    };
}

int
spot_summarise(const spot_store_t *store, size_t point_id, spot_summary_t *summaries)
{
    const size_t num_metrics = store->head->num_metrics;
    const size_t num_rows = (size_t) store->num_rows(store, point_id);
    collector_t collector = {.num_columns = num_metrics, .max_rows = num_rows};
    double *values = spot_calloc(num_metrics * num_rows, sizeof(*values));
    int ret = SPOT_ERR_NO_MEMORY;

    collector.columns = spot_calloc(num_metrics, sizeof(*collector.columns));
    if (values == NULL || collector.columns == NULL) {
        goto out;
    }
    for (size_t j = 0; j < num_metrics; j++) {
        collector.columns[j].values = &values[j * num_rows];
    }
    ret = store->read(store, point_id, 0, collect_row, &collector);
    if (ret != 0) {
        goto out;
    }
    for (size_t j = 0; j < num_metrics; j++) {
        summarise_column(&collector.columns[j], collector.num_rows, &summaries[j]);
    }
out:
    free(collector.columns);
    free(values);
    return ret;
}

int
spot_summarise_all(const spot_store_t *store, spot_summary_t **summaries)
{
    const spot_study_head_t *head = store->head;
    spot_summary_t *all =
        spot_calloc(head->num_points * head->num_metrics, sizeof(*all));
    int ret = all == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (size_t j = 0; ret == 0 && j < head->num_points; j++) {
        ret = spot_summarise(store, j, &all[j * head->num_metrics]);
    }
    if (ret != 0) {
        free(all);
        all = NULL;
    }
    *summaries = all;
    return ret;
}
