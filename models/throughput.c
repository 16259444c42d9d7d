/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/throughput.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/datetime.h"
#include "base/memory.h"
#include "base/stats.h"
#include "base/table_file.h"

const char *const spot_throughput_targets[] = {"jobs", "gpus"};

/* ---- The table ---- */

typedef struct {
    const char *time;
    spot_throughput_bin_t bin;
} throughput_row_t;

enum { COLUMN_TIME };

#define COLUMN(kind, name, member, ...)                                                            \
    SPOT_TABLE_COLUMN(kind, name, throughput_row_t, member, __VA_ARGS__)
#define AMOUNT .max = 1e12, .expected = "expected a number from 0 to 1e12"

static const spot_table_file_column_t columns[] = {
    COLUMN(TEXT, "time", time, .max = 0),
    COLUMN(NUMBER, "submit_gpu_job", bin.values[SPOT_THROUGHPUT_JOBS], AMOUNT),
    COLUMN(NUMBER, "submit_gpu_num", bin.values[SPOT_THROUGHPUT_GPUS], AMOUNT),
};

static int take_bin(spot_table_file_t *file, const spot_csv_row_t *row, const void *values)
{
    const throughput_row_t *from = values;
    spot_throughput_t *self = file->table;
    int64_t time_s = 0;
    bool is_date = false;

    if (spot_clock_parse(from->time, &time_s, &is_date) != 0 || !is_date) {
        spot_table_file_report_field(file, row, COLUMN_TIME, "expected YYYY-MM-DD hh:mm:ss");
    } else if (self->num_bins == 0) {
        self->start_s = time_s;
    } else if (!file->is_faulty &&
               time_s != self->start_s + SPOT_THROUGHPUT_BIN_S * (int64_t) self->num_bins) {
        spot_table_file_report_field(
            file, row, COLUMN_TIME, "expected 10 minutes after the row before");
    }
    return SPOT_ARRAY_APPEND(self, bins, from->bin);
}

int spot_throughput_read(spot_throughput_t *self, const char *path, spot_diag_t *diag)
{
    static const spot_table_file_format_t format = {SPOT_TABLE_NAMED(columns), .empty = "no rows",
        .row_bytes = sizeof(throughput_row_t), .take = take_bin};

    memset(self, 0, sizeof(*self));
    return spot_table_file_read(&format, path, diag, self);
}

int spot_throughput_add(spot_throughput_t *self, int64_t time_s, double num_gpus)
{
    const size_t bin = (size_t) ((time_s - self->start_s) / SPOT_THROUGHPUT_BIN_S);
    const spot_throughput_bin_t none = {{0, 0}};
    int ret = 0;

    while (self->num_bins <= bin && ret == 0) {
        ret = SPOT_ARRAY_APPEND(self, bins, none);
    }
    if (ret == 0) {
        self->bins[bin].values[SPOT_THROUGHPUT_JOBS] += 1;
        self->bins[bin].values[SPOT_THROUGHPUT_GPUS] += num_gpus;
    }
    return ret;
}

void spot_throughput_free(spot_throughput_t *self)
{
    free(self->bins);
    memset(self, 0, sizeof(*self));
}

/* ---- Features ---- */

enum { WEEKDAY = 4, NUM_CALENDAR = 7, NUM_LAGS = 3, WINDOW = 6 };

static const size_t lags[NUM_LAGS] = {6, 18, 144};

const char *const spot_throughput_features[] = {"month", "day", "hour", "minute", "weekday",
    "day_of_year", "week", "jobs_1h", "jobs_3h", "jobs_24h", "jobs_soft_1h", "jobs_soft_3h",
    "jobs_soft_24h", "jobs_mean_1h", "jobs_median_1h", "jobs_deviation_1h", "gpus_1h", "gpus_3h",
    "gpus_24h", "gpus_soft_1h", "gpus_soft_3h", "gpus_soft_24h", "gpus_mean_1h", "gpus_median_1h",
    "gpus_deviation_1h"};

/* Dates as numbers: the features up to NUM_CALENDAR, weekdays from 1 on. */
static void fill_calendar(int64_t time_s, size_t bin, double *const *values)
{
    const time_t time = (time_t) time_s;
    char text[64] = "";
    char *number = text;
    struct tm date;

    if (gmtime_r(&time, &date) != NULL) {
        strftime(text, sizeof(text), "%m %d %H %M %u %j %V", &date);
    }
    for (size_t j = 0; j < NUM_CALENDAR; j++) {
        values[j][bin] = (double) strtol(number, &number, 10);
    }
    values[WEEKDAY][bin] -= 1; /* Monday 0 */
}

/* The value some bins before a bin. */
static double before(const spot_throughput_t *self, int series, size_t bin, size_t lag)
{
    return lag > bin ? 0 : self->bins[bin - lag].values[series];
}

static void fill_series(
    const spot_throughput_t *self, int series, size_t bin, double *const *values)
{
    double window[WINDOW], mean = 0, squares = 0;

    for (size_t j = 0; j < NUM_LAGS; j++) {
        values[j][bin] = before(self, series, bin, lags[j]);
        values[NUM_LAGS + j][bin] =
            values[j][bin] / 2 +
            (before(self, series, bin, lags[j] + 1) + before(self, series, bin, lags[j] - 1)) / 4;
    }
    for (size_t j = 0; j < WINDOW; j++) {
        window[j] = before(self, series, bin, lags[0] + j);
        mean += window[j] / WINDOW;
    }
    for (size_t j = 0; j < WINDOW; j++) {
        squares += (window[j] - mean) * (window[j] - mean);
    }
    spot_sort(window, WINDOW);
    values[2 * NUM_LAGS][bin] = mean;
    values[2 * NUM_LAGS + 1][bin] = (window[WINDOW / 2 - 1] + window[WINDOW / 2]) / 2;
    values[2 * NUM_LAGS + 2][bin] = sqrt(squares / (WINDOW - 1));
}

void spot_throughput_fill(const spot_throughput_t *self, double *const *values)
{
    for (size_t bin = 0; bin < self->num_bins; bin++) {
        fill_calendar(self->start_s + (int64_t) bin * SPOT_THROUGHPUT_BIN_S, bin, values);
        for (int series = 0; series < SPOT_THROUGHPUT_SERIES; series++) {
            fill_series(
                self, series, bin, values + NUM_CALENDAR + (size_t) series * (2 * NUM_LAGS + 3));
        }
    }
}
