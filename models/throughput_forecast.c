/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/units.h"
#include "models/throughput.h"

enum { MIN_BINS = 5, LEAD = 6 /* bins of one hour */, DAY_S = 86400 };

const char *const spot_forecast_methods[] = {
    "additive model", "mean of the hour", "one hour before", "mean"};

/* ---- The split ---- */

/* The first bin of the month that is some months before that of the last bin. */
static int64_t month_start(const spot_throughput_t *throughput, int num_before)
{
    const int64_t last_bin = (int64_t) throughput->num_bins - 1;
    time_t day_s = (time_t) (throughput->start_s + last_bin * SPOT_THROUGHPUT_BIN_S);
    struct tm date;

    day_s -= day_s % DAY_S;
    while (gmtime_r(&day_s, &date) != NULL) {
        day_s -= (date.tm_mday - 1) * DAY_S;
        if (num_before-- == 0) {
            return ((int64_t) day_s - throughput->start_s) / SPOT_THROUGHPUT_BIN_S;
        }
        day_s -= DAY_S;
    }
    return 0;
}

bool spot_throughput_split(spot_throughput_split_t *self, const spot_throughput_t *throughput)
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

/* Features that have no value in common with those of a later time, unless the bins are
 * of more than a year. */
static bool grows_with_date(const char *feature)
{
    return strcmp(feature, "month") == 0 || strcmp(feature, "day_of_year") == 0 ||
           strcmp(feature, "week") == 0;
}

/* Fits a model with the settings of self to the first bins. */
static int fit(spot_throughput_forecast_t *self, size_t num_bins, uint64_t seed)
{
    spot_additive_column_t columns[SPOT_THROUGHPUT_FEATURES];
    spot_additive_request_t request = {.num_rows = num_bins,
        .targets = self->targets,
        .columns = columns,
        .loss = self->loss,
        .seed = seed};

    for (size_t j = 0; j < SPOT_THROUGHPUT_FEATURES; j++) {
        if (self->has_dates || !grows_with_date(spot_throughput_features[j])) {
            columns[request.num_columns++] = (spot_additive_column_t){
                .name = spot_throughput_features[j], .values = self->features[j]};
        }
    }
    spot_additive_free(&self->model);
    return spot_additive_fit(&self->model, &request);
}

/* Predicts bins from first on: predicted[end - first]. BAD_INPUT: the model has a
 * feature that is not one of throughput. */
static int predict(
    const spot_throughput_forecast_t *self, size_t first, size_t end, double *predicted)
{
    const spot_additive_model_t *model = &self->model;
    const double *features[SPOT_THROUGHPUT_FEATURES];

    for (size_t j = 0; j < model->num_features; j++) {
        size_t id = 0;

        while (id < SPOT_THROUGHPUT_FEATURES &&
               strcmp(model->features[j].name, spot_throughput_features[id]) != 0) {
            id++;
        }
        if (id == SPOT_THROUGHPUT_FEATURES || j == SPOT_THROUGHPUT_FEATURES) {
            return SPOT_ERR_BAD_INPUT;
        }
        features[j] = self->features[id];
    }
    for (size_t bin = first; bin < end; bin++) {
        double values[SPOT_THROUGHPUT_FEATURES];

        for (size_t j = 0; j < model->num_features; j++) {
            values[j] = features[j][bin];
        }
        predicted[bin - first] = spot_additive_predict(model, values);
    }
    return 0;
}

/* Fits with the settings that have the least sum of squared errors on the bins for
 * choosing. */
static int choose_and_fit(spot_throughput_forecast_t *self, const spot_throughput_split_t *split)
{
    const size_t num_bins = split->evaluate - split->choose;
    spot_loss_t best_loss = SPOT_LOSS_SQUARED;
    bool best_has_dates = true;
    double least = HUGE_VAL, *predicted;
    int ret;

    SPOT_ARENA_ARRAY(&self->arena, predicted, num_bins);
    ret = self->arena.error;
    for (int setting = 0; setting < 4 && ret == 0; setting++) {
        double squares = 0;

        self->loss = setting % 2 == 0 ? SPOT_LOSS_SQUARED : SPOT_LOSS_ABSOLUTE;
        self->has_dates = setting < 2;
        ret = fit(self, split->choose, split->seed);
        ret = ret == 0 ? predict(self, split->choose, split->evaluate, predicted) : ret;
        for (size_t j = 0; j < num_bins && ret == 0; j++) {
            const double error = predicted[j] - self->targets[split->choose + j];

            squares += error * error;
        }
        if (ret == 0 && squares < least) {
            least = squares;
            best_loss = self->loss;
            best_has_dates = self->has_dates;
        }
    }
    self->loss = best_loss;
    self->has_dates = best_has_dates;
    return ret == 0 ? fit(self, split->evaluate, split->seed) : ret;
}

/* The plain forecasts, from the bins before evaluate. */
static void fill_plain(spot_throughput_forecast_t *self, size_t evaluate, size_t num_bins)
{
    const double *hours = self->features[SPOT_THROUGHPUT_HOUR];
    double sums[SPOT_HOURS_PER_DAY] = {0}, counts[SPOT_HOURS_PER_DAY] = {0}, mean = 0;

    for (size_t bin = 0; bin < evaluate; bin++) {
        sums[(size_t) hours[bin]] += self->targets[bin];
        counts[(size_t) hours[bin]] += 1;
        mean += self->targets[bin] / (double) evaluate;
    }
    mean = evaluate > 0 ? mean : (double) NAN;
    for (size_t bin = evaluate; bin < num_bins; bin++) {
        const size_t j = bin - evaluate, hour = (size_t) hours[bin];

        self->forecasts[SPOT_FORECAST_HOUR][j] =
            counts[hour] > 0 ? sums[hour] / counts[hour] : mean;
        self->forecasts[SPOT_FORECAST_PERSISTENCE][j] = bin < LEAD ? 0 : self->targets[bin - LEAD];
        self->forecasts[SPOT_FORECAST_CONSTANT][j] = mean;
    }
}

int spot_throughput_forecast(spot_throughput_forecast_t *self, const spot_throughput_t *throughput,
    int series, const spot_throughput_split_t *split)
{
    const size_t num_bins = throughput->num_bins;
    spot_arena_t *arena = &self->arena;
    int ret = 0;

    spot_bug_assert(split->evaluate < num_bins);
    SPOT_ARENA_ARRAY(arena, self->targets, num_bins);
    for (size_t j = 0; j < SPOT_THROUGHPUT_FEATURES; j++) {
        SPOT_ARENA_ARRAY(arena, self->features[j], num_bins);
    }
    for (size_t method = 0; method < SPOT_FORECAST_METHODS; method++) {
        SPOT_ARENA_ARRAY(arena, self->forecasts[method], num_bins - split->evaluate);
    }
    if (arena->error != 0) {
        return arena->error;
    }
    spot_throughput_fill(throughput, self->features);
    for (size_t bin = 0; bin < num_bins; bin++) {
        self->targets[bin] = throughput->bins[bin].values[series];
    }
    if (self->model.num_features == 0) {
        spot_bug_assert(0 < split->choose && split->choose < split->evaluate);
        ret = choose_and_fit(self, split);
    }
    fill_plain(self, split->evaluate, num_bins);
    return ret == 0 ? predict(self, split->evaluate, num_bins, self->forecasts[SPOT_FORECAST_MODEL])
                    : ret;
}

void spot_throughput_forecast_free(spot_throughput_forecast_t *self)
{
    spot_additive_free(&self->model);
    spot_arena_free(&self->arena);
    memset(self, 0, sizeof(*self));
}

void spot_throughput_forecast_write(const spot_throughput_forecast_t *forecasts,
    const spot_throughput_t *throughput, size_t first, FILE *out)
{
    fputs("time,submit_gpu_job,submit_gpu_num,pred_gpu_job,pred_gpu_num\n", out);
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
