/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/analysis/summary.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/stats.h"

/* Values that are added to a sketch at once. */
#define SKETCHED_VALUES 4096

/* One metric at one point. */
typedef struct {
    spot_estimate_t estimate;
    spot_moments_t moments;        /* of the values of replications */
    int64_t num_known;             /* values that are more than a lower bound */
    spot_quantile_sketch_t sketch; /* of these, without the values kept below */
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
static int sketch_values(column_t *column)
{
    const int ret = spot_quantile_sketch_add(&column->sketch, column->values, column->num_values);

    column->is_sketched = true;
    column->num_values = 0;
    return ret;
}

static int collect_value(column_t *column, double value)
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
        column->num_known++;
    }
    return ret;
}

static int collect_row(void *context, const spot_row_t *row)
{
    collector_t *self = context;
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < self->num_columns; j++) {
        column_t *column = &self->columns[j];
        const int64_t num_unknown = column->estimate.num_unknown;

        ret = spot_estimate_add(&column->estimate, row->metrics);
        if (ret == 0 && isfinite(row->metrics[j])) {
            spot_moments_add(&column->moments, row->metrics[j]);
            if (column->estimate.num_unknown == num_unknown) {
                ret = collect_value(column, row->metrics[j]);
            }
        }
    }
    return ret;
}

/* Quantiles of all values, of which those cut off are the largest. */
static int find_quantiles(column_t *column, double quantiles[3])
{
    static const double p[3] = {0.05, 0.5, 0.95};
    const double num_known = (double) column->num_known;
    const double num = num_known + (double) column->estimate.num_unknown;
    double shares[3];
    int ret = 0;

    for (int j = 0; j < 3; j++) {
        shares[j] =
            num > num_known && num_known > 1 ? fmin(p[j] * (num - 1) / (num_known - 1), 1) : p[j];
    }
    if (column->is_sketched) {
        ret = sketch_values(column);
        ret =
            ret == 0 ? spot_quantile_sketch_quantiles(&column->sketch, 3, shares, quantiles) : ret;
    } else {
        spot_quantiles(column->values, column->num_values, 3, shares, quantiles);
    }
    for (int j = 0; j < 3; j++) {
        if (num > num_known && p[j] * (num - 1) > num_known - 1) {
            quantiles[j] = (double) INFINITY;
        }
    }
    return ret;
}

static int summarise_column(
    column_t *column, const spot_study_head_t *head, spot_summary_t *summary)
{
    spot_estimate_t *estimate = &column->estimate;
    double quantiles[3] = {0, 0, 0};
    const int ret = find_quantiles(column, quantiles);

    *summary = (spot_summary_t){
        .num_values = estimate->num_values,
        .num_nulls = estimate->num_nulls,
        .num_unknown = estimate->num_unknown,
        .moments = spot_estimate_moments(estimate),
        .value = spot_estimate_value(estimate),
        .stderr_value = spot_estimate_stderr(estimate),
        .std = spot_moments_std(&column->moments),
        .p05 = quantiles[0],
        .median = quantiles[1],
        .p95 = quantiles[2],
        .is_heavy = spot_estimate_is_heavy(estimate),
        .is_constant = spot_estimate_is_constant(estimate),
    };
    spot_estimate_bounds(estimate, SPOT_CONFIDENCE, &summary->ci_low, &summary->ci_high);
    summary->half_width = fmax(summary->ci_high - summary->value, summary->value - summary->ci_low);
    if (isinf(summary->ci_low)) {
        summary->ci_low = (double) NAN;
    }
    if (isinf(summary->ci_high)) {
        summary->ci_high = (double) NAN;
    }
    if (estimate->estimator != SPOT_ESTIMATOR_QUANTILE &&
        estimate->num_unknown > estimate->num_nulls) {
        summary->num_cut_off = estimate->num_unknown - estimate->num_nulls;
    }
    summary->least = isinf(summary->value) ? spot_estimate_least(estimate) : summary->value;
    summary->excess =
        head->until.metric == NULL ? (double) NAN : spot_estimate_excess(estimate, &head->until);
    return ret;
}

/* Whether the value is known without chance. A metric that rules make the same has no spread;
 * where it has, the rule is not one of this study. */
static bool is_known(
    const spot_study_head_t *head, size_t point_id, size_t metric_id, const spot_summary_t *summary)
{
    return (spot_study_is_fixed(head, point_id) && summary->num_values == 1) ||
           (spot_study_is_ruled(head, point_id, metric_id) && summary->num_values > 1 &&
               !(summary->std > 0));
}

/* Corrects the summary of a metric that the point lacks, or of one that is known. */
static void settle_summary(
    const spot_study_head_t *head, size_t point_id, size_t metric_id, spot_summary_t *summary)
{
    if (!spot_study_has_metric(head, point_id, metric_id)) {
        summary->num_nulls = 0;
    } else if (is_known(head, point_id, metric_id, summary) && isfinite(summary->value)) {
        summary->std = 0;
        summary->stderr_value = 0;
        summary->ci_low = summary->value;
        summary->ci_high = summary->value;
        summary->half_width = 0;
        summary->excess = 0;
    }
}

/* ---- Constants ---- */

/* Whether an estimate is of events that chance decides. */
static bool is_of_events(const spot_estimate_t *estimate, const spot_study_head_t *head,
    size_t point_id, size_t metric_id)
{
    return (estimate->is_share || estimate->is_count) && estimate->num_values > 0 &&
           !spot_study_is_ruled(head, point_id, metric_id);
}

static bool is_mean_or_ratio(const spot_estimate_t *estimate)
{
    return estimate->estimator == SPOT_ESTIMATOR_MEAN ||
           estimate->estimator == SPOT_ESTIMATOR_RATIO;
}

/* Whether all replications have the same of a mean or a ratio, which no rule says: then a
 * replication with an event may have another value. */
static bool may_be_luck(const spot_estimate_t *estimate, const spot_study_head_t *head,
    size_t point_id, size_t metric_id)
{
    return is_mean_or_ratio(estimate) && spot_estimate_is_constant(estimate) &&
           !spot_estimate_is_rare(estimate) && !spot_study_is_ruled(head, point_id, metric_id);
}

/* Whether no replication has an event of such a share or count, or lacks one. */
static bool estimate_has_none(const spot_estimate_t *self)
{
    return spot_estimate_is_rare(self) &&
           (self->is_share ? self->share.num_none == self->share.num_values ||
                                 self->share.num_all == self->share.num_values
                           : self->count.total == 0 || !self->count.differs);
}

/* Whether a constant is not known to be one: there are events of which no replication shows
 * any, or no metric of events at all that would show that there were some. Columns without
 * rows are not looked at. */
static bool are_constants_luck(
    const column_t *columns, const spot_study_head_t *head, size_t point_id)
{
    bool is_any = false, is_unseen = false;

    for (size_t j = 0; j < head->num_metrics; j++) {
        const spot_estimate_t *estimate = &columns[j].estimate;

        if (is_of_events(estimate, head, point_id, j)) {
            is_any = true;
            is_unseen = is_unseen || estimate_has_none(estimate);
        }
    }
    return is_unseen || !is_any;
}

/* ---- What goes with a share that was hardly seen ---- */

/* Means and ratios go with it where their correlation, replication by replication, with
 * whether there is some of it is at least this. */
#define GOES_WITH 0.5

enum { READ_ALL = 1 };

typedef struct {
    size_t share_id, metric_id;
    double num, event, value, events, values, products; /* sums about the first value */
    double origin;
} company_t;

typedef struct {
    const column_t *columns;
    int64_t num_rows_left;
    size_t num_pairs, max_pairs;
    company_t *pairs; /* [num_pairs] of a share that was hardly seen and a metric */
} companies_t;

/* Whether the interval of a metric is one that a tail which was not seen can fool. */
static bool can_be_fooled(const spot_estimate_t *estimate)
{
    return is_mean_or_ratio(estimate) && !spot_estimate_is_heavy(estimate) &&
           !spot_estimate_is_rare(estimate) && spot_estimate_stderr(estimate) > 0;
}

/* Columns without rows are not looked at. */
static int find_companies(companies_t *self, size_t num_columns, const bool *is_asked)
{
    int ret = 0;

    for (size_t j = 0; j < num_columns; j++) {
        const spot_estimate_t *share = &self->columns[j].estimate;

        if (!share->is_share || !spot_estimate_is_unseen(share) ||
            spot_estimate_is_constant(share)) {
            continue;
        }
        for (size_t k = 0; ret == 0 && k < num_columns; k++) {
            const spot_estimate_t *metric = &self->columns[k].estimate;

            if ((is_asked == NULL || is_asked[k]) && can_be_fooled(metric)) {
                ret = SPOT_ARRAY_ROOM(self, pairs, self->num_pairs + 1);
                if (ret == 0) {
                    self->pairs[self->num_pairs++] = (company_t){
                        .share_id = j, .metric_id = k, .origin = spot_estimate_value(metric)};
                }
            }
        }
    }
    return ret;
}

static int add_company(void *context, const spot_row_t *row)
{
    companies_t *self = context;

    if (self->num_rows_left-- <= 0) {
        return READ_ALL;
    }
    for (size_t j = 0; j < self->num_pairs; j++) {
        company_t *pair = &self->pairs[j];
        const spot_estimate_t *share = &self->columns[pair->share_id].estimate;
        const spot_estimate_t *metric = &self->columns[pair->metric_id].estimate;
        const double part = spot_metric_value(share->metric, &share->source, row->metrics);
        const double event = part != (spot_estimate_value(share) < 0.5 ? 0 : 1);
        const double value =
            spot_metric_value(metric->metric, &metric->source, row->metrics) - pair->origin;

        if (isfinite(part) && isfinite(value)) {
            pair->num++;
            pair->event += event;
            pair->value += value;
            pair->events += event * event;
            pair->values += value * value;
            pair->products += event * value;
        }
    }
    return 0;
}

static bool goes_with(const company_t *self)
{
    const double covariance = self->products - self->event * self->value / self->num;
    const double of_event = self->events - self->event * self->event / self->num;
    const double of_value = self->values - self->value * self->value / self->num;

    return covariance * covariance >= GOES_WITH * GOES_WITH * of_event * of_value && of_event > 0 &&
           of_value > 0;
}

/* Sets is_with of metrics, of those asked for only, that go with a share whose tail the
 * replications do not show. Reads them once more if there is such a share. */
static int find_company(const spot_store_t *store, size_t point_id, int64_t num_rows,
    const column_t *columns, const bool *is_asked, bool *is_with)
{
    companies_t self = {.columns = columns, .num_rows_left = num_rows};
    int ret = find_companies(&self, store->head->num_metrics, is_asked);

    if (ret == 0 && self.num_pairs > 0) {
        ret = store->read(store, point_id, 0, add_company, &self);
        ret = ret == READ_ALL ? 0 : ret;
    }
    for (size_t j = 0; ret == 0 && j < self.num_pairs; j++) {
        is_with[self.pairs[j].metric_id] =
            is_with[self.pairs[j].metric_id] || goes_with(&self.pairs[j]);
    }
    free(self.pairs);
    return ret;
}

/* The interval of a constant that may be luck has no ends. */
static void open_constant(const spot_estimate_t *estimate, const spot_study_head_t *head,
    size_t point_id, size_t metric_id, spot_summary_t *summary)
{
    if (may_be_luck(estimate, head, point_id, metric_id)) {
        summary->half_width = (double) INFINITY;
        summary->ci_low = summary->ci_high = (double) NAN;
    }
}

static int mark_company(
    const spot_store_t *store, size_t point_id, const column_t *columns, spot_summary_t *summaries)
{
    const size_t num_metrics = store->head->num_metrics;
    bool *is_with = spot_calloc(num_metrics, sizeof(*is_with));
    int ret = SPOT_ERR_NO_MEMORY;

    if (is_with != NULL) {
        ret = find_company(store, point_id, INT64_MAX, columns, NULL, is_with);
    }
    for (size_t j = 0; ret == 0 && j < num_metrics; j++) {
        summaries[j].is_heavy = summaries[j].is_heavy || is_with[j];
    }
    if (ret == 0 && are_constants_luck(columns, store->head, point_id)) {
        for (size_t j = 0; j < num_metrics; j++) {
            open_constant(&columns[j].estimate, store->head, point_id, j, &summaries[j]);
        }
    }
    free(is_with);
    return ret;
}

typedef struct {
    const bool *is_asked;
    size_t num_columns;
    column_t *columns; /* [num_columns] */
    int64_t num_rows_left;
} asked_t;

/* Shares and what is asked for. */
static int add_asked(void *context, const spot_row_t *row)
{
    asked_t *self = context;
    int ret = 0;

    if (self->num_rows_left-- <= 0) {
        return READ_ALL;
    }
    for (size_t j = 0; ret == 0 && j < self->num_columns; j++) {
        spot_estimate_t *estimate = &self->columns[j].estimate;

        if (self->is_asked[j] || estimate->is_share || estimate->is_count) {
            ret = spot_estimate_add(estimate, row->metrics);
        }
    }
    return ret;
}

int spot_find_company(const spot_store_t *store, size_t point_id, int64_t num_rows,
    const bool *is_asked, bool *is_with)
{
    const size_t num_metrics = store->head->num_metrics;
    asked_t self = {
        is_asked, num_metrics, spot_calloc(num_metrics, sizeof(*self.columns)), num_rows};
    int ret = SPOT_ERR_NO_MEMORY;

    if (self.columns == NULL) {
        return ret;
    }
    for (size_t j = 0; j < num_metrics; j++) {
        spot_estimate_init(&self.columns[j].estimate, store->head, j);
        is_with[j] = false;
    }
    ret = store->read(store, point_id, 0, add_asked, &self);
    ret = ret == READ_ALL ? 0 : ret;
    if (ret == 0) {
        ret = find_company(store, point_id, num_rows, self.columns, is_asked, is_with);
    }
    if (ret == 0 && are_constants_luck(self.columns, store->head, point_id)) {
        for (size_t j = 0; j < num_metrics; j++) {
            is_with[j] = is_with[j] || (is_asked[j] && may_be_luck(&self.columns[j].estimate,
                                                           store->head, point_id, j));
        }
    }
    for (size_t j = 0; j < num_metrics; j++) {
        spot_estimate_free(&self.columns[j].estimate);
    }
    free(self.columns);
    return ret;
}

static void know_metric(const spot_estimate_t *estimate, const spot_study_head_t *head,
    size_t point_id, size_t metric_id, double confidence, bool are_luck, spot_known_t *known)
{
    const bool is_of_chance = is_mean_or_ratio(estimate) &&
                              !spot_study_is_ruled(head, point_id, metric_id) &&
                              estimate->num_values > 1;

    *known = (spot_known_t){
        .value = spot_estimate_value(estimate), .line = spot_estimate_line(estimate)};
    known->low = known->high = known->value;
    known->is_open = are_luck && may_be_luck(estimate, head, point_id, metric_id);
    if (known->is_open) {
        known->low = -(double) INFINITY;
        known->high = (double) INFINITY;
    } else if (is_of_chance) {
        spot_estimate_bounds(estimate, confidence, &known->low, &known->high);
        known->is_unseen = confidence == SPOT_CONFIDENCE
                               ? spot_estimate_is_unseen_by(estimate, known->low, known->high)
                               : spot_estimate_is_unseen(estimate);
    }
}

int spot_known_find(
    const spot_store_t *store, size_t point_id, double confidence, spot_known_t *known)
{
    const spot_study_head_t *head = store->head;
    bool *is_asked = spot_calloc(head->num_metrics, sizeof(*is_asked));
    asked_t self = {is_asked, head->num_metrics,
        spot_calloc(head->num_metrics, sizeof(*self.columns)), INT64_MAX};
    int ret = is_asked == NULL || self.columns == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (size_t j = 0; ret == 0 && j < head->num_metrics; j++) {
        spot_estimate_init(&self.columns[j].estimate, head, j);
        is_asked[j] = true;
    }
    ret = ret == 0 ? store->read(store, point_id, 0, add_asked, &self) : ret;
    if (ret == 0) {
        const bool are_luck = are_constants_luck(self.columns, head, point_id);

        for (size_t j = 0; j < head->num_metrics; j++) {
            know_metric(
                &self.columns[j].estimate, head, point_id, j, confidence, are_luck, &known[j]);
        }
    }
    for (size_t j = 0; self.columns != NULL && j < head->num_metrics; j++) {
        spot_estimate_free(&self.columns[j].estimate);
    }
    free(self.columns);
    free(is_asked);
    return ret;
}

int spot_summarise(const spot_store_t *store, size_t point_id, spot_summary_t *summaries)
{
    const spot_study_head_t *head = store->head;
    const size_t num_metrics = head->num_metrics;
    collector_t collector = {.num_columns = num_metrics};
    int ret = SPOT_ERR_NO_MEMORY;

    collector.columns = spot_calloc(num_metrics, sizeof(*collector.columns));
    if (collector.columns == NULL) {
        return ret;
    }
    for (size_t j = 0; j < num_metrics; j++) {
        spot_estimate_init(&collector.columns[j].estimate, head, j);
    }
    ret = store->read(store, point_id, 0, collect_row, &collector);
    for (size_t j = 0; ret == 0 && j < num_metrics; j++) {
        ret = summarise_column(&collector.columns[j], head, &summaries[j]);
        settle_summary(head, point_id, j, &summaries[j]);
    }
    if (ret == 0 && !spot_study_is_fixed(head, point_id)) {
        ret = mark_company(store, point_id, collector.columns, summaries);
    }
    for (size_t j = 0; j < num_metrics; j++) {
        spot_estimate_free(&collector.columns[j].estimate);
        free(collector.columns[j].values);
        spot_quantile_sketch_free(&collector.columns[j].sketch);
    }
    free(collector.columns);
    return ret;
}

int spot_summarise_all(const spot_store_t *store, spot_summary_t **summaries)
{
    const spot_study_head_t *head = store->head;
    spot_summary_t *all = spot_calloc(head->num_points * head->num_metrics, sizeof(*all));
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
