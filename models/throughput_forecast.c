/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/throughput_forecast.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/units.h"

enum { MIN_BINS = 5, LEAD = 6 /* bins of one hour */ };

const char *const spot_forecast_methods[] = {
    "additive model", "mean of the hour", "one hour before", "mean"};

/* ---- The split ---- */

/* The first bin of the month that is some months before that of the last bin. */
static int64_t
month_start(const spot_throughput_t *throughput, int num_before)
{
    const time_t last_s =
        (time_t) (throughput->start_s +
                  (int64_t) (throughput->num_bins - 1) * SPOT_THROUGHPUT_BIN_S);
    struct tm date;

    if (gmtime_r(&last_s, &date) == NULL) {
        return 0;
    }
    for (time_t start_s = last_s;; start_s -= (time_t) date.tm_mday * 86400) {
        gmtime_r(&start_s, &date);
        if (num_before-- == 0) {
            const int64_t day_s = (int64_t) start_s - start_s % 86400;

            return (day_s - (date.tm_mday - 1) * INT64_C(86400) - throughput->start_s) /
                   SPOT_THROUGHPUT_BIN_S;
        }
    }
}

bool
spot_throughput_split(spot_throughput_split_t *self, const spot_throughput_t *throughput)
{
    const size_t num_bins = throughput->num_bins;

    if (num_bins < MIN_BINS) {
        return false;
    }
    if (month_start(throughput, 3) >= 0) {
        self->choose = (size_t) month_start(throughput, 1);
        self->evaluate = (size_t) month_start(throughput, 0);
    } else {
        self->choose = num_bins - num_bins / MIN_BINS * 2;
        self->evaluate = num_bins - num_bins / MIN_BINS;
    }
    return true;
}

/* ---- One series ---- */

typedef struct {
    spot_arena_t arena;
    const spot_throughput_t *throughput;
    double *targets;                          /* [num_bins] */
    double *values[SPOT_THROUGHPUT_FEATURES]; /* [num_bins] */
} table_t;

/* Features that have no value in common with those of a later time, unless the bins are
 * of more than a year. */
static bool
grows_with_date(const char *feature)
{
    return strcmp(feature, "month") == 0 || strcmp(feature, "day_of_year") == 0 ||
           strcmp(feature, "week") == 0;
}

static int
table_init(table_t *self, const spot_throughput_t *throughput, int series)
{
    memset(self, 0, sizeof(*self));
    self->throughput = throughput;
    SPOT_ARENA_ARRAY(&self->arena, self->targets, throughput->num_bins);
    for (size_t j = 0; j < SPOT_THROUGHPUT_FEATURES; j++) {
        SPOT_ARENA_ARRAY(&self->arena, self->values[j], throughput->num_bins);
    }
    if (self->arena.error == 0) {
        spot_throughput_fill(throughput, self->values);
        for (size_t bin = 0; bin < throughput->num_bins; bin++) {
            self->targets[bin] = throughput->bins[bin].values[series];
        }
    }
    return self->arena.error;
}

/* Fits a model with the settings of self to the first bins. */
static int
fit(spot_throughput_forecast_t *self, const table_t *table, size_t num_bins,
    uint64_t seed)
{
    spot_additive_column_t columns[SPOT_THROUGHPUT_FEATURES];
    spot_additive_request_t request = {.num_rows = num_bins,
        .targets = table->targets,
        .columns = columns,
        .loss = self->loss,
        .seed = seed};

    for (size_t j = 0; j < SPOT_THROUGHPUT_FEATURES; j++) {
        if (self->has_dates || !grows_with_date(spot_throughput_features[j])) {
            columns[request.num_columns++] = (spot_additive_column_t){
                .name = spot_throughput_features[j], .values = table->values[j]};
        }
    }
    spot_additive_free(&self->model);
    return spot_additive_fit(&self->model, &request);
}

/* Predicts bins from first on: predicted[end - first]. BAD_INPUT: the model has a
 * feature that is not one of throughput. */
static int
predict(const spot_additive_model_t *model, const table_t *table, size_t first,
    size_t end, double *predicted)
{
    size_t ids[SPOT_THROUGHPUT_FEATURES];

    for (size_t j = 0; j < model->num_features; j++) {
        size_t id = 0;

        while (id < SPOT_THROUGHPUT_FEATURES &&
               strcmp(model->features[j].name, spot_throughput_features[id]) != 0) {
            id++;
        }
        if (id == SPOT_THROUGHPUT_FEATURES || j == SPOT_THROUGHPUT_FEATURES) {
            return SPOT_ERR_BAD_INPUT;
        }
        ids[j] = id;
    }
    for (size_t bin = first; bin < end; bin++) {
        double values[SPOT_THROUGHPUT_FEATURES];

        for (size_t j = 0; j < model->num_features; j++) {
            values[j] = table->values[ids[j]][bin];
        }
        predicted[bin - first] = spot_additive_predict(model, values);
    }
    return 0;
}

/* The sum of squared errors on the bins for choosing. predicted: scratch. */
static int
judge(const spot_throughput_forecast_t *self, const table_t *table,
    const spot_throughput_split_t *split, double *predicted, double *squares)
{
    const int ret =
        predict(&self->model, table, split->choose, split->evaluate, predicted);

    *squares = 0;
    for (size_t bin = split->choose; bin < split->evaluate && ret == 0; bin++) {
        const double error = predicted[bin - split->choose] - table->targets[bin];

        *squares += error * error;
    }
    return ret;
}

static int
choose_and_fit(spot_throughput_forecast_t *self, table_t *table,
    const spot_throughput_split_t *split)
{
    spot_loss_t best_loss = SPOT_LOSS_SQUARED;
    bool best_has_dates = true;
    double least = HUGE_VAL, squares = 0, *predicted;
    int ret = 0;

    SPOT_ARENA_ARRAY(&table->arena, predicted, split->evaluate - split->choose);
    ret = table->arena.error;
    for (int setting = 0; setting < 4 && ret == 0; setting++) {
        self->loss = setting % 2 == 0 ? SPOT_LOSS_SQUARED : SPOT_LOSS_ABSOLUTE;
        self->has_dates = setting < 2;
        ret = fit(self, table, split->choose, split->seed);
        ret = ret == 0 ? judge(self, table, split, predicted, &squares) : ret;
        if (ret == 0 && squares < least) {
            least = squares;
            best_loss = self->loss;
            best_has_dates = self->has_dates;
        }
    }
    self->loss = best_loss;
    self->has_dates = best_has_dates;
    return ret == 0 ? fit(self, table, split->evaluate, split->seed) : ret;
}

/* The plain forecasts, from the bins before evaluate. */
static void
fill_plain(spot_throughput_forecast_t *self, const table_t *table, size_t evaluate)
{
    const size_t num_bins = table->throughput->num_bins;
    const double *hours = table->values[SPOT_THROUGHPUT_HOUR];
    double sums[SPOT_HOURS_PER_DAY] = {0}, counts[SPOT_HOURS_PER_DAY] = {0}, mean = 0;

    for (size_t bin = 0; bin < evaluate; bin++) {
        sums[(size_t) hours[bin]] += table->targets[bin];
        counts[(size_t) hours[bin]] += 1;
        mean += table->targets[bin] / (double) evaluate;
    }
    mean = evaluate > 0 ? mean : (double) NAN;
    for (size_t bin = evaluate; bin < num_bins; bin++) {
        const size_t j = bin - evaluate, hour = (size_t) hours[bin];

        self->forecasts[SPOT_FORECAST_HOUR][j] =
            counts[hour] > 0 ? sums[hour] / counts[hour] : mean;
        self->forecasts[SPOT_FORECAST_PERSISTENCE][j] =
            bin < LEAD ? 0 : table->targets[bin - LEAD];
        self->forecasts[SPOT_FORECAST_CONSTANT][j] = mean;
    }
}

int
spot_throughput_forecast(spot_throughput_forecast_t *self,
    const spot_throughput_t *throughput, int series,
    const spot_throughput_split_t *split)
{
    table_t table;
    int ret = table_init(&table, throughput, series);

    spot_bug_assert(split->evaluate < throughput->num_bins);
    for (size_t method = 0; method < SPOT_FORECAST_METHODS; method++) {
        self->forecasts[method] = spot_calloc(
            throughput->num_bins - split->evaluate, sizeof(*self->forecasts[method]));
        if (self->forecasts[method] == NULL) {
            ret = SPOT_ERR_NO_MEMORY;
        }
    }
    if (ret == 0 && self->model.num_features == 0) {
        spot_bug_assert(0 < split->choose && split->choose < split->evaluate);
        ret = choose_and_fit(self, &table, split);
    }
    if (ret == 0) {
        fill_plain(self, &table, split->evaluate);
        ret = predict(&self->model, &table, split->evaluate, throughput->num_bins,
            self->forecasts[SPOT_FORECAST_MODEL]);
    }
    spot_arena_free(&table.arena);
    return ret;
}

void
spot_throughput_forecast_free(spot_throughput_forecast_t *self)
{
    spot_additive_free(&self->model);
    for (size_t method = 0; method < SPOT_FORECAST_METHODS; method++) {
        free(self->forecasts[method]);
    }
    memset(self, 0, sizeof(*self));
}

void
spot_throughput_forecast_write(const spot_throughput_forecast_t *forecasts,
    const spot_throughput_t *throughput, size_t first, FILE *out)
{
    fprintf(out, "time,%s,%s,%s,%s\n", spot_throughput_columns[0],
        spot_throughput_columns[1], spot_throughput_forecasts[0],
        spot_throughput_forecasts[1]);
    for (size_t bin = first; bin < throughput->num_bins; bin++) {
        const time_t time_s =
            (time_t) (throughput->start_s + (int64_t) bin * SPOT_THROUGHPUT_BIN_S);
        const double *values = throughput->bins[bin].values;
        char text[32] = "";
        struct tm date;

        if (gmtime_r(&time_s, &date) != NULL) {
            strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &date);
        }
        fprintf(out, "%s,%.10g,%.10g,%.6f,%.6f\n", text, values[0], values[1],
            forecasts[0].forecasts[SPOT_FORECAST_MODEL][bin - first],
            forecasts[1].forecasts[SPOT_FORECAST_MODEL][bin - first]);
    }
}
