/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/analysis/summary.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/quantile_sketch.h"

/* Values that are added to a sketch at once. */
#define SKETCHED_VALUES 4096

/* One metric at one point. */
typedef struct {
    int64_t num_nulls;
    spot_moments_t moments;
    spot_quantile_sketch_t sketch; /* without the values kept below */
    size_t num_values;
    size_t max_values;
    double *values;   /* [num_values] */
    bool is_sketched; /* too many to keep */
} column_t;

typedef struct {
    size_t num_columns;
    column_t *columns; /* [num_columns] */
} collector_t;

/* Moves the values kept into the sketch. */
static int
sketch_values(column_t *column)
{
    const int ret =
        spot_quantile_sketch_add(&column->sketch, column->values, column->num_values);

    column->is_sketched = true;
    column->num_values = 0;
    return ret;
}

static int
collect_value(column_t *column, double value)
{
    const size_t most = column->is_sketched ? SKETCHED_VALUES : SPOT_EXACT_VALUES;
    int ret = 0;

    if (column->num_values == most) {
        ret = sketch_values(column);
    }
    if (ret == 0) {
        ret = spot_array_reserve(
            &column->values, &column->max_values, column->num_values + 1, sizeof(value));
    }
    if (ret == 0) {
        column->values[column->num_values++] = value;
        spot_moments_add(&column->moments, value);
    }
    return ret;
}

static int
collect_row(void *context, const spot_row_t *row)
{
    collector_t *self = context;
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < self->num_columns; j++) {
        if (isfinite(row->metrics[j])) {
            ret = collect_value(&self->columns[j], row->metrics[j]);
        } else {
            self->columns[j].num_nulls++;
        }
    }
    return ret;
}

static int
find_quantiles(column_t *column, double quantiles[3])
{
    static const double p[3] = {0.05, 0.5, 0.95};
    int ret;

    if (column->is_sketched) {
        ret = sketch_values(column);
        return ret == 0
                   ? spot_quantile_sketch_quantiles(&column->sketch, 3, p, quantiles)
                   : ret;
    }
    spot_quantiles(column->values, column->num_values, 3, p, quantiles);
    return 0;
}

static int
summarise_column(column_t *column, spot_summary_t *summary)
{
    const spot_moments_t *moments = &column->moments;
    const double half_width = spot_moments_half_width(moments, SPOT_CONFIDENCE);
    double quantiles[3] = {0, 0, 0};
    const int ret = find_quantiles(column, quantiles);

    *summary = (spot_summary_t){
        .num_values = moments->num_values,
        .num_nulls = column->num_nulls,
        .moments = *moments,
        .mean = spot_moments_mean(moments),
        .std = spot_moments_std(moments),
        .stderr_mean = spot_moments_stderr(moments),
        .ci_low = spot_moments_mean(moments) - half_width,
        .ci_high = spot_moments_mean(moments) + half_width,
        .p05 = quantiles[0],
        .median = quantiles[1],
        .p95 = quantiles[2],
    };
    return ret;
}

/* Corrects the summary of a metric that the point lacks, or of a fixed point. */
static void
settle_summary(const spot_study_head_t *head, size_t point_id, size_t metric_id,
    spot_summary_t *summary)
{
    if (!spot_study_has_metric(head, point_id, metric_id)) {
        summary->num_nulls = 0;
    } else if (spot_study_is_fixed(head, point_id) && summary->num_values == 1) {
        summary->std = 0;
        summary->stderr_mean = 0;
        summary->ci_low = summary->mean;
        summary->ci_high = summary->mean;
    }
}

int
spot_summarise(const spot_store_t *store, size_t point_id, spot_summary_t *summaries)
{
    const size_t num_metrics = store->head->num_metrics;
    collector_t collector = {.num_columns = num_metrics};
    int ret = SPOT_ERR_NO_MEMORY;

    collector.columns = spot_calloc(num_metrics, sizeof(*collector.columns));
    if (collector.columns == NULL) {
        return ret;
    }
    ret = store->read(store, point_id, 0, collect_row, &collector);
    for (size_t j = 0; ret == 0 && j < num_metrics; j++) {
        ret = summarise_column(&collector.columns[j], &summaries[j]);
        settle_summary(store->head, point_id, j, &summaries[j]);
    }
    for (size_t j = 0; j < num_metrics; j++) {
        free(collector.columns[j].values);
        spot_quantile_sketch_free(&collector.columns[j].sketch);
    }
    free(collector.columns);
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
