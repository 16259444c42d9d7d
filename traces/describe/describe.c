/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/describe/describe.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_math.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/csv.h"
#include "base/datetime.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/stats.h"
#include "traces/describe/sample.h"
#include "traces/trace.h"

/* ---- The two files that a cluster of the seed study logged ----
 * timestamp,count of running nodes and timestamp,number of terminated ones. */

typedef struct {
    int64_t time_s; /* since 1970-01-01T00:00:00Z, never decreasing */
    int32_t count;  /* >= 0 */
} stamped_count_t;

typedef struct {
    size_t num_rows;
    size_t max_rows;
    stamped_count_t *rows; /* [num_rows] in file order */
} stamped_counts_t;

/* Additions above this size are "big". */
#define NOTEBOOK_MAX_REGULAR 10

/* ---- The seed notebook's statistics ---- */

/* Squares of durations in ms do not fit into 64 bits. */
__extension__ typedef __int128 wide_t;

const spot_notebook_figure_t spot_notebook_figures[SPOT_NOTEBOOK_FIGURES] = {
    {"mttp_s", "s", "mean gap between any two changes of the count"},
    {"ttp_sd_s", "s", "their standard deviation (n - 1)"},
    {"preempted_per_min", "1/min", "instances preempted a minute"},
    {"added_per_min", "1/min", "instances added a minute, net of losses in the row"},
    {"p_preempt_per_min", "", "preemption events a minute"},
    {"p_add_per_min", "", "rises of the count a minute"},
    {"p_big_add", "", "share of the rises above 10"},
    {"p_regular_add", "", "share of the others"},
    {"regular_add_mean", "instances", "mean of the rises up to 10"},
    {"regular_add_sd", "instances", "their standard deviation (n - 1)"},
    {"preempt_count_mean", "instances", "mean size of a preemption"},
    {"preempt_count_sd", "instances", "its standard deviation (n - 1)"},
};

/* Number, sum and sum of squares of integers. */
typedef struct {
    int64_t num;
    int64_t sum;
    wide_t sum_squares;
} sums_t;

static void take(sums_t *self, int64_t value)
{
    self->num++;
    self->sum += value;
    self->sum_squares += (wide_t) value * value;
}

/* The exact sums from which the figures follow. */
typedef struct {
    int64_t span_ms;
    sums_t gaps_ms;
    sums_t preempted;
    sums_t added;
    sums_t regular;
} integers_t;

static void take_rise(integers_t *self, int64_t rise)
{
    if (rise > 0) {
        take(&self->added, rise);
    }
    if (rise > 0 && rise <= NOTEBOOK_MAX_REGULAR) {
        take(&self->regular, rise);
    }
}

static double ratio(wide_t dividend, int64_t divisor)
{
    return divisor > 0 ? (double) dividend / (double) divisor : (double) NAN;
}

/* sqrt((n sum x^2 - (sum x)^2) / (n (n - 1))), for x counted in units of 1/per. */
static double deviation(const sums_t *self, int64_t per)
{
    const wide_t bracket = self->num * self->sum_squares - (wide_t) self->sum * self->sum;
    const wide_t divisor = (wide_t) self->num * (self->num - 1) * per * per;

    return divisor > 0 ? sqrt((double) bracket / (double) divisor) : (double) NAN;
}

static void fill(spot_notebook_t *self, const integers_t *integers)
{
    const integers_t *in = integers;
    const double values[SPOT_NOTEBOOK_FIGURES] = {
        ratio(in->gaps_ms.sum, in->gaps_ms.num * SPOT_MS_PER_S),
        deviation(&in->gaps_ms, SPOT_MS_PER_S),
        ratio((wide_t) in->preempted.sum * SPOT_MS_PER_MIN, in->span_ms),
        ratio((wide_t) in->added.sum * SPOT_MS_PER_MIN, in->span_ms),
        ratio((wide_t) in->preempted.num * SPOT_MS_PER_MIN, in->span_ms),
        ratio((wide_t) in->added.num * SPOT_MS_PER_MIN, in->span_ms),
        ratio(in->added.num - in->regular.num, in->added.num),
        ratio(in->regular.num, in->added.num),
        ratio(in->regular.sum, in->regular.num),
        deviation(&in->regular, 1),
        ratio(in->preempted.sum, in->preempted.num),
        deviation(&in->preempted, 1),
    };

    memcpy(self->values, values, sizeof(values));
}

/* Takes the figures of a trace: the rows are time 0 and every time at which the number
 * changes. NO_MEMORY. */
static int notebook_of_trace(spot_notebook_t *self, const spot_trace_t *trace)
{
    integers_t integers = {.span_ms = trace->end_ms};
    int64_t row_ms = 0;
    spot_bulks_t bulks;
    const int ret = spot_bulks_init(&bulks, trace);

    for (size_t j = 0; j < bulks.num_bulks;) {
        const int64_t time_ms = bulks.bulks[j].time_ms;
        int64_t rise = 0;

        for (; j < bulks.num_bulks && bulks.bulks[j].time_ms == time_ms; j++) {
            const spot_bulk_t *bulk = &bulks.bulks[j];

            rise += bulk->kind == SPOT_EVENT_ADD ? bulk->size : -bulk->size;
            if (bulk->kind == SPOT_EVENT_PREEMPT) {
                take(&integers.preempted, bulk->size);
            }
        }
        if (rise != 0 && time_ms > 0) { /* changes at 0 are in the first row */
            take(&integers.gaps_ms, time_ms - row_ms);
            take_rise(&integers, rise);
            row_ms = time_ms;
        }
    }
    fill(self, &integers);
    spot_bulks_free(&bulks);
    return ret;
}

/* Takes the figures of the two logs, with every row of nodes. */
static void notebook_of_logs(
    spot_notebook_t *self, const stamped_counts_t *nodes, const stamped_counts_t *terminations)
{
    integers_t integers = {0};

    for (size_t j = 1; j < nodes->num_rows; j++) {
        const stamped_count_t *row = &nodes->rows[j], *before = row - 1;

        take(&integers.gaps_ms, (row->time_s - before->time_s) * SPOT_MS_PER_S);
        take_rise(&integers, (int64_t) row->count - before->count);
    }
    for (size_t j = 0; j < terminations->num_rows; j++) {
        if (terminations->rows[j].count > 0) {
            take(&integers.preempted, terminations->rows[j].count);
        }
    }
    integers.span_ms = integers.gaps_ms.sum;
    fill(self, &integers);
}

void spot_notebook_print(const spot_notebook_t *self, FILE *out)
{
    for (size_t j = 0; j < SPOT_NOTEBOOK_FIGURES; j++) {
        char text[SPOT_NUMBER_TEXT_BYTES] = "-";

        if (!isnan(self->values[j])) {
            spot_number_text(self->values[j], text);
        }
        fprintf(out, "%s %s\n", spot_notebook_figures[j].name, text);
    }
}

void spot_notebook_write_json(
    const spot_notebook_t *self, const char *name, spot_json_t *json, const char *key)
{
    spot_json_open(json, key, '{');
    spot_json_text(json, "trace", name);
    for (size_t j = 0; j < SPOT_NOTEBOOK_FIGURES; j++) {
        spot_json_number(json, spot_notebook_figures[j].name, self->values[j]);
    }
    spot_json_close(json, '}');
}

/* State of reading one file. */
typedef struct {
    stamped_counts_t *counts;
    const char *file;
    const char *column;
    size_t min_rows;
    size_t num_fields; /* of every row; 0: the row of columns is not read yet */
    spot_diag_t *diag;
} reader_t;

static bool is_columns(const spot_csv_row_t *row, const char *column)
{
    return !row->is_comment && row->num_fields >= 2 &&
           strcmp(row->fields[row->num_fields - 2], "timestamp") == 0 &&
           strcmp(row->fields[row->num_fields - 1], column) == 0;
}

/* 1 if the first line of a file ends in the columns timestamp,column; 0 if not, or if the file
 * cannot be read. NO_MEMORY. */
static int stamped_counts_is_file(const char *path, const char *column)
{
    spot_csv_t *csv = NULL;
    spot_csv_row_t row;
    spot_diag_t diag;
    int ret;

    spot_diag_init(&diag);
    ret = spot_csv_open(&csv, path, &diag);
    ret = ret == 0 ? spot_csv_next(csv, &row) : ret;
    if (ret == 1) {
        ret = is_columns(&row, column);
    }
    spot_csv_close(csv);
    spot_diag_free(&diag);
    return ret == SPOT_ERR_NO_MEMORY || ret == 1 ? ret : 0;
}

static int read_row(reader_t *self, const spot_csv_row_t *row)
{
    const size_t time_id = self->num_fields - 2, count_id = self->num_fields - 1;
    stamped_counts_t *counts = self->counts;
    int64_t time_s, count;
    const int ret = spot_csv_check_row(row, self->num_fields, self->file, self->diag);

    if (ret != 0) {
        return ret;
    }
    if (!spot_timestamp_parse(row->fields[time_id], &time_s)) {
        return spot_csv_expected(
            row, time_id, self->file, "timestamp", "YYYY-MM-DDThh:mm:ssZ", self->diag);
    }
    if (counts->num_rows > 0 && time_s < counts->rows[counts->num_rows - 1].time_s) {
        return spot_csv_expected(row, time_id, self->file, "timestamp",
            "a time not before the previous row", self->diag);
    }
    if (spot_integer_parse(row->fields[count_id], &count) != 0 || count < 0 || count > INT32_MAX) {
        return spot_csv_expected(
            row, count_id, self->file, self->column, "an integer from 0", self->diag);
    }
    return SPOT_ARRAY_APPEND(counts, rows, (stamped_count_t){time_s, (int32_t) count});
}

static int read_columns(reader_t *self, const spot_csv_row_t *row)
{
    if (!is_columns(row, self->column)) {
        return spot_diag_error(self->diag, self->file, row->line, 1,
            "expected the columns timestamp,%s", self->column);
    }
    self->num_fields = row->num_fields;
    return 0;
}

static int read_rows(reader_t *self, spot_csv_t *csv)
{
    spot_csv_row_t row;
    int found, ret = 0;

    while ((found = spot_csv_next(csv, &row)) != 0) {
        if (found == 1 && self->num_fields == 0) {
            found = read_columns(self, &row);
            if (found != 0) {
                return found;
            }
        } else if (found == 1) {
            found = read_row(self, &row);
        }
        if (found == SPOT_ERR_BAD_INPUT) {
            ret = found;
        } else if (found < 0) {
            return found;
        }
    }
    if (ret == 0 && self->num_fields == 0) {
        ret = spot_diag_error(
            self->diag, self->file, row.line, 1, "expected the columns timestamp,%s", self->column);
    } else if (ret == 0 && self->counts->num_rows < self->min_rows) {
        ret = spot_diag_error(self->diag, self->file, row.line, 1, "expected at least one row");
    }
    return ret;
}

/* Reads the columns timestamp,column and skips index columns before them. Reports every
 * error, also fewer than min_rows rows, as file:line:column. BAD_INPUT, IO, NO_MEMORY;
 * free self even then. */
static int stamped_counts_read(stamped_counts_t *self, const char *path, const char *column,
    size_t min_rows, spot_diag_t *diag)
{
    reader_t reader = {
        .counts = self, .file = path, .column = column, .min_rows = min_rows, .diag = diag};
    spot_csv_t *csv = NULL;
    int ret = spot_csv_open(&csv, path, diag);

    memset(self, 0, sizeof(*self));
    ret = ret == 0 ? read_rows(&reader, csv) : ret;
    spot_csv_close(csv);
    spot_diag_close_file(diag);
    return ret;
}

static void stamped_counts_free(stamped_counts_t *self)
{
    free(self->rows);
    memset(self, 0, sizeof(*self));
}

static double *describe_figure_place(
    spot_describe_t *describe, const spot_describe_figure_t *figure);

/* ---- Counts by hour of the day ---- */

/* Probability outside the interval on each side. */
#define TAIL 0.025

int64_t spot_hours_start_ms(const spot_trace_t *trace)
{
    const char *text = spot_trace_key(trace, "start");
    int64_t day, time_s;

    if (text == NULL || !spot_date_scan(&text, &day) || *text++ != 'T' ||
        !spot_time_of_day_scan(&text, &time_s)) {
        return -1;
    }
    return time_s * SPOT_MS_PER_S;
}

/* Adds length_ms from time_ms on to the hours of the day that it covers. */
static void expose(int64_t exposed_ms[SPOT_HOURS_PER_DAY], int64_t time_ms, int64_t length_ms)
{
    const int64_t num_days = length_ms / SPOT_MS_PER_D;
    const int64_t end_ms = time_ms + length_ms;

    for (size_t j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        exposed_ms[j] += num_days * SPOT_MS_PER_H;
    }
    time_ms += num_days * SPOT_MS_PER_D;
    while (time_ms < end_ms) {
        const int64_t hour = time_ms / SPOT_MS_PER_H;
        const int64_t next_ms = (hour + 1) * SPOT_MS_PER_H;
        const int64_t until_ms = next_ms < end_ms ? next_ms : end_ms;

        exposed_ms[hour % SPOT_HOURS_PER_DAY] += until_ms - time_ms;
        time_ms = until_ms;
    }
}

/* The mean of the Poisson law with P(X >= num) = TAIL, or with is_high P(X <= num) =
 * TAIL. By bisection, as gsl_cdf_chisq_Pinv() fails from some 2000 events on. */
static double limit_of(double num, bool is_high)
{
    double low = is_high ? num : 0;
    double high = is_high ? num + 10 * sqrt(num) + 20 : num;

    for (;;) {
        const double mean = low + (high - low) / 2;

        if (mean <= low || mean >= high) {
            return mean;
        }
        if (is_high ? gsl_cdf_chisq_Q(2 * mean, 2 * num + 2) > TAIL
                    : gsl_cdf_chisq_P(2 * mean, 2 * num) < TAIL) {
            low = mean;
        } else {
            high = mean;
        }
    }
}

static void fill_hour(spot_hour_t *self, int64_t exposed_ms)
{
    const double exposed_h = (double) exposed_ms / (double) SPOT_MS_PER_H;
    const double num = (double) self->num_events;

    self->exposed_s = (double) exposed_ms / (double) SPOT_MS_PER_S;
    if (exposed_ms == 0) {
        self->rate_per_h = self->low_per_h = self->high_per_h = (double) NAN;
        return;
    }
    self->rate_per_h = num / exposed_h;
    self->low_per_h = num > 0 ? limit_of(num, false) / exposed_h : 0;
    self->high_per_h = limit_of(num, true) / exposed_h;
}

int spot_hours_init(
    spot_hours_t *self, const spot_trace_t *trace, spot_event_kind_t kind, int64_t start_ms)
{
    const int64_t shift_ms = start_ms >= 0 ? start_ms : 0;
    int64_t exposed_ms[SPOT_HOURS_PER_DAY] = {0};
    int64_t population = trace->initial, time_ms = 0;
    spot_bulks_t bulks;
    int32_t capacity;

    memset(self, 0, sizeof(*self));
    self->is_start_known = start_ms >= 0;
    if (spot_bulks_init(&bulks, trace) != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    capacity = spot_trace_most(trace);
    for (size_t j = 0; j <= bulks.num_bulks; j++) {
        const spot_bulk_t *bulk = j < bulks.num_bulks ? &bulks.bulks[j] : NULL;
        const int64_t next_ms = bulk != NULL ? bulk->time_ms : trace->end_ms;
        const bool is_exposed = kind == SPOT_EVENT_ADD ? population < capacity : population > 0;

        if (is_exposed) {
            expose(exposed_ms, shift_ms + time_ms, next_ms - time_ms);
        }
        if (bulk != NULL) {
            const int64_t hour = (shift_ms + next_ms) / SPOT_MS_PER_H;

            self->hours[hour % SPOT_HOURS_PER_DAY].num_events += bulk->kind == kind ? 1 : 0;
            population += bulk->kind == SPOT_EVENT_ADD ? bulk->size : -bulk->size;
        }
        time_ms = next_ms;
    }
    for (size_t j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        fill_hour(&self->hours[j], exposed_ms[j]);
    }
    spot_bulks_free(&bulks);
    return 0;
}

/* ---- The figures of a trace ---- */

/* Fewest whole windows, whole days and preemptions for the figures of them. */
#define MIN_WINDOWS 8
#define MIN_DAYS 2
#define MIN_PREEMPTIONS 10

/* Sums over the plateaus of N(t), the times between two changes. */
typedef struct {
    int64_t full_ms;
    int64_t empty_ms;
    int64_t shortest_ms; /* -1: none yet */
    spot_sum_t instance_ms;
} plateaus_t;

static void take_plateau(
    plateaus_t *self, spot_describe_t *figures, int64_t population, int64_t length_ms)
{
    const double n = (double) population;

    self->full_ms += n >= figures->capacity ? length_ms : 0;
    self->empty_ms += population == 0 ? length_ms : 0;
    spot_sum_add(&self->instance_ms, n * (double) length_ms);
    figures->max_n = fmax(figures->max_n, n); /* fmax of n and NAN is n */
    figures->min_n = fmin(figures->min_n, n);
}

/* N(t) is the number after all changes of one time; numbers between them last no
 * time. */
static void describe_fill_population(
    spot_describe_t *self, const spot_trace_t *trace, const spot_bulks_t *bulks)
{
    plateaus_t plateaus = {.shortest_ms = -1};
    int64_t population = trace->initial, time_ms = 0;

    for (size_t j = 0; j < bulks->num_bulks; j++) {
        const spot_bulk_t *bulk = &bulks->bulks[j];
        const int64_t length_ms = bulk->time_ms - time_ms;

        if (length_ms > 0) {
            take_plateau(&plateaus, self, population, length_ms);
            if (plateaus.shortest_ms < 0 || length_ms < plateaus.shortest_ms) {
                plateaus.shortest_ms = length_ms;
            }
        }
        population += bulk->kind == SPOT_EVENT_ADD ? bulk->size : -bulk->size;
        time_ms = bulk->time_ms;
    }
    take_plateau(&plateaus, self, population, trace->end_ms - time_ms);
    self->mean_n = spot_sum_total(&plateaus.instance_ms) / (double) trace->end_ms;
    self->frac_full = (double) plateaus.full_ms / (double) trace->end_ms;
    self->frac_empty = (double) plateaus.empty_ms / (double) trace->end_ms;
    if (plateaus.shortest_ms > 0) {
        self->shortest_plateau_s = (double) plateaus.shortest_ms / (double) SPOT_MS_PER_S;
    }
}

/* Variance / mean over all windows; filled holds only those with an event. */
static double fano(const spot_moments_t *filled, int64_t num_windows)
{
    const double num_filled = (double) filled->num_values;
    const double num_empty = (double) num_windows - num_filled;
    const double mean = num_filled * filled->mean / (double) num_windows;
    /* Sums of squares of two groups. Chan, Golub and LeVeque, Am. Stat. 37(3), 1983. */
    const double sum_squares = filled->sum_squares + filled->mean * filled->mean * num_filled *
                                                         num_empty / (double) num_windows;

    return mean > 0 ? sum_squares / (double) (num_windows - 1) / mean : (double) NAN;
}

/* Losses of the open window, and the moments of the windows before it with a loss. */
typedef struct {
    int64_t window; /* -1: none open */
    double instances;
    double events;
    spot_moments_t by_instances;
    spot_moments_t by_events;
} windows_t;

static void close_window(windows_t *self)
{
    if (self->window >= 0) {
        spot_moments_add(&self->by_instances, self->instances);
        spot_moments_add(&self->by_events, self->events);
    }
    self->instances = self->events = 0;
}

/* Windows are [kW, (k + 1) W), the last one closed; a rest shorter than W is left
 * out. */
static void fill_fano(const spot_bulks_t *bulks, int64_t end_ms, int64_t length_ms,
    double *by_instances, double *by_events)
{
    const int64_t num_windows = end_ms / length_ms;
    windows_t windows = {.window = -1};

    if (num_windows < MIN_WINDOWS) {
        return;
    }
    for (size_t j = 0; j < bulks->num_bulks; j++) {
        const spot_bulk_t *bulk = &bulks->bulks[j];
        int64_t window = bulk->time_ms / length_ms;

        if (bulk->kind != SPOT_EVENT_PREEMPT || bulk->time_ms > num_windows * length_ms) {
            continue;
        }
        window -= window == num_windows ? 1 : 0;
        if (window != windows.window) {
            close_window(&windows);
            windows.window = window;
        }
        windows.instances += bulk->size;
        windows.events += 1;
    }
    close_window(&windows);
    *by_instances = fano(&windows.by_instances, num_windows);
    *by_events = fano(&windows.by_events, num_windows);
}

/* Rayleigh's test: preemptions prefer no time of day. K. V. Mardia and P. E. Jupp,
 * Directional Statistics, 2000, 6.3.1. */
static void fill_day(spot_describe_t *self, const spot_bulks_t *bulks, int64_t end_ms)
{
    const int64_t num_days = end_ms / SPOT_MS_PER_D;
    spot_sum_t cosines = {0}, sines = {0};
    double num = 0, c, s;

    for (size_t j = 0; j < bulks->num_bulks; j++) {
        const spot_bulk_t *bulk = &bulks->bulks[j];
        const double angle =
            2 * M_PI * (double) (bulk->time_ms % SPOT_MS_PER_D) / (double) SPOT_MS_PER_D;

        if (bulk->kind == SPOT_EVENT_PREEMPT && bulk->time_ms < num_days * SPOT_MS_PER_D) {
            num += 1;
            spot_sum_add(&cosines, cos(angle));
            spot_sum_add(&sines, sin(angle));
        }
    }
    if (num_days < MIN_DAYS || num < MIN_PREEMPTIONS) {
        return;
    }
    c = spot_sum_total(&cosines) / num;
    s = spot_sum_total(&sines) / num;
    self->day_n = num;
    self->day_rayleigh_r = hypot(c, s);
    self->day_rayleigh_p = exp(-num * (c * c + s * s));
    self->day_peak_h = atan2(s, c) * 12 / M_PI;
    self->day_peak_h += self->day_peak_h < 0 ? 24 : 0;
}

static void describe_fill_events(
    spot_describe_t *self, const spot_trace_t *trace, const spot_bulks_t *bulks)
{
    const double instance_h = self->mean_n * self->span_h;

    self->preempt_events = self->preempted = self->add_events = self->added = 0;
    for (size_t j = 0; j < bulks->num_bulks; j++) {
        const spot_bulk_t *bulk = &bulks->bulks[j];

        if (bulk->kind == SPOT_EVENT_PREEMPT) {
            self->preempt_events += 1;
            self->preempted += bulk->size;
        } else if (bulk->kind == SPOT_EVENT_ADD) {
            self->add_events += 1;
            self->added += bulk->size;
        }
    }
    if (instance_h > 0) {
        self->preempted_per_instance_h = self->preempted / instance_h;
    }
    fill_fano(bulks, trace->end_ms, 10 * SPOT_MS_PER_MIN, &self->fano_instances_10min,
        &self->fano_events_10min);
    fill_fano(bulks, trace->end_ms, SPOT_MS_PER_H, &self->fano_instances_1h, &self->fano_events_1h);
    fill_day(self, bulks, trace->end_ms);
}

/* Lags of the Ljung-Box statistic. */
#define NUM_LAGS 5

/* Fills the figures that any number of gaps or spells has. */
static int fill_gap_moments(spot_gap_figures_t *self, const spot_sample_t *sample)
{
    spot_value_stats_t series;
    const int ret = spot_value_stats_init(&series, sample->values, sample->num_values);

    if (ret != 0 || sample->num_values == 0) {
        return ret;
    }
    self->n = (double) sample->num_values;
    self->mean_s = series.mean;
    self->sd_s = series.sd;
    self->cv = series.cv;
    self->median_s = series.median;
    return 0;
}

/* With has_logs the values are replaced by their logarithms: the caller needs them no
 * more. */
static void fill_gap_dependence(spot_gap_figures_t *self, spot_sample_t *sample, bool has_logs)
{
    double acf[NUM_LAGS];

    if (sample->num_values < SPOT_DESCRIBE_MIN_GAPS) {
        return;
    }
    if (spot_series_acf(sample->values, sample->num_values, NUM_LAGS, acf)) {
        self->acf1 = acf[0];
        if (has_logs) {
            self->ljungbox5_p = spot_series_ljung_box_p(acf, NUM_LAGS, sample->num_values);
        }
    }
    for (size_t j = 0; has_logs && j < sample->num_values; j++) {
        sample->values[j] = log(sample->values[j]);
    }
    if (has_logs && spot_series_acf(sample->values, sample->num_values, 1, acf)) {
        self->log_acf1 = acf[0];
    }
}

/* Of gaps or of spells. */
static int fill_gaps(spot_gap_figures_t *self, const spot_trace_t *trace, spot_sample_kind_t kind)
{
    const bool is_spell = kind >= SPOT_SAMPLE_UP_SPELL;
    spot_sample_t sample;
    int ret = spot_sample_init(&sample, trace, kind);

    if (ret == 0) {
        if (is_spell) {
            spot_sample_keep_complete(&sample);
        }
        ret = fill_gap_moments(self, &sample);
        fill_gap_dependence(self, &sample, !is_spell);
    }
    spot_sample_free(&sample);
    return ret;
}

static int fill_counts(
    spot_count_figures_t *self, const spot_trace_t *trace, spot_sample_kind_t kind)
{
    spot_value_stats_t series;
    spot_sample_t sample;
    size_t num_ones = 0;
    int ret = spot_sample_init(&sample, trace, kind);

    if (ret == 0) {
        ret = spot_value_stats_init(&series, sample.values, sample.num_values);
    }
    if (ret == 0 && sample.num_values > 0) {
        for (size_t j = 0; j < sample.num_values; j++) {
            num_ones += sample.values[j] == 1 ? 1 : 0;
        }
        self->mean = series.mean;
        self->sd = series.sd;
        self->vmr = series.sd * series.sd / series.mean;
        self->max = series.max;
        self->share_one = (double) num_ones / (double) sample.num_values;
    }
    spot_sample_free(&sample);
    return ret;
}

static int fill_survival(spot_life_figures_t *self, const spot_sample_t *sample)
{
    spot_kaplan_meier_t survival;
    const int ret =
        spot_kaplan_meier_init(&survival, sample->values, sample->is_censored, sample->num_values);

    if (ret == 0) {
        self->km_median_s = spot_kaplan_meier_median(&survival);
        self->restricted_mean_s = spot_kaplan_meier_restricted_mean(&survival);
    }
    spot_kaplan_meier_free(&survival);
    return ret;
}

static int fill_lives(spot_life_figures_t *self, const spot_sample_t *sample)
{
    spot_moments_t observed = {0};
    spot_sum_t total_s = {0};

    self->n = (double) sample->num_values;
    for (size_t j = 0; j < sample->num_values; j++) {
        spot_sum_add(&total_s, sample->values[j]);
        if (!sample->is_censored[j]) {
            spot_moments_add(&observed, sample->values[j]);
        }
    }
    self->preempted = (double) observed.num_values;
    self->censored = self->n - self->preempted;
    self->mean_observed_s = spot_moments_mean(&observed);
    self->sd_observed_s = spot_moments_std(&observed);
    if (spot_sum_total(&total_s) > 0) {
        self->deaths_per_s = self->preempted / spot_sum_total(&total_s);
    }
    return fill_survival(self, sample);
}

static int fill_names(spot_life_figures_t *self, const spot_trace_t *trace)
{
    spot_sample_t sample;
    int ret = spot_sample_init(&sample, trace, SPOT_SAMPLE_LIFETIME);

    ret = ret == 0 ? fill_lives(self, &sample) : ret;
    spot_sample_free(&sample);
    return ret;
}

/* Replaces commas, quotes and control bytes in the name: a file name may have them, a
 * header line has none. */
static int copy_texts(spot_describe_t *self, const char *name, const char *start)
{
    name = name == NULL ? "trace" : name;
    start = start == NULL ? "unknown" : start;
    self->name = spot_text_copy(name, strlen(name));
    self->start = spot_text_copy(start, strlen(start));
    if (self->name == NULL || self->start == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (char *byte = self->name; *byte != '\0'; byte++) {
        if (*byte == ',' || *byte == '"' || (unsigned char) *byte < ' ') {
            *byte = '?';
        }
    }
    return 0;
}

/* Sets every figure to NAN, also two of the spells that are never filled in. */
static void clear(spot_describe_t *self)
{
    memset(self, 0, sizeof(*self));
    for (size_t j = 0; j < SPOT_NUM_DESCRIBE_FIGURES; j++) {
        *describe_figure_place(self, &spot_describe_figures[j]) = (double) NAN;
    }
    self->up_spell.log_acf1 = self->up_spell.ljungbox5_p = (double) NAN;
    self->down_spell.log_acf1 = self->down_spell.ljungbox5_p = (double) NAN;
}

/* Fills all figures that start from a sample. */
static int fill_samples(spot_describe_t *self, const spot_trace_t *trace)
{
    const struct {
        spot_gap_figures_t *figures;
        spot_sample_kind_t kind;
    } gaps[] = {{&self->preempt_gap, SPOT_SAMPLE_PREEMPT_GAP},
        {&self->add_gap, SPOT_SAMPLE_ADD_GAP}, {&self->change_gap, SPOT_SAMPLE_CHANGE_GAP},
        {&self->up_spell, SPOT_SAMPLE_UP_SPELL}, {&self->down_spell, SPOT_SAMPLE_DOWN_SPELL}};
    int ret = fill_counts(&self->preempt_count, trace, SPOT_SAMPLE_PREEMPT_COUNT);

    ret = ret == 0 ? fill_counts(&self->add_count, trace, SPOT_SAMPLE_ADD_COUNT) : ret;
    for (size_t j = 0; ret == 0 && j < sizeof(gaps) / sizeof(gaps[0]); j++) {
        ret = fill_gaps(gaps[j].figures, trace, gaps[j].kind);
    }
    return ret == 0 && trace->kind == SPOT_TRACE_NAMED ? fill_names(&self->life, trace) : ret;
}

int spot_describe_init(spot_describe_t *self, const spot_trace_t *trace)
{
    spot_bulks_t bulks = {0};
    int ret;

    clear(self);
    self->kind = trace->kind;
    self->is_unbounded = trace->capacity == SPOT_UNBOUNDED;
    self->resolution_s = spot_duration_s(trace->resolution_ms);
    self->span_h = (double) trace->end_ms / (double) SPOT_MS_PER_H;
    ret = copy_texts(self, spot_trace_key(trace, "name"), spot_trace_key(trace, "start"));
    ret = ret == 0 ? spot_bulks_init(&bulks, trace) : ret;
    if (ret == 0) {
        self->capacity = spot_trace_most(trace);
        describe_fill_population(self, trace, &bulks);
        describe_fill_events(self, trace, &bulks);
        ret = fill_samples(self, trace);
    }
    spot_bulks_free(&bulks);
    return ret;
}

int spot_describe_init_lifetimes(
    spot_describe_t *self, const spot_lifetimes_t *lifetimes, const char *name)
{
    spot_sample_t sample = {0};
    int ret;

    clear(self);
    self->is_lifetimes = true;
    ret = copy_texts(self, name, spot_keys_find(&lifetimes->header, "start"));
    ret = ret == 0 ? spot_sample_init_lifetimes(&sample, lifetimes) : ret;
    ret = ret == 0 ? fill_lives(&self->life, &sample) : ret;
    spot_sample_free(&sample);
    return ret;
}

void spot_describe_free(spot_describe_t *self)
{
    free(self->name);
    free(self->start);
    memset(self, 0, sizeof(*self));
}

/* Warns of figures that mislead or rest on few events; file is the place in messages. */
static void warn_of_figures(const spot_describe_t *self, const char *file, spot_diag_t *diag)
{
    if (self->is_lifetimes) {
        return;
    }
    if (self->kind == SPOT_TRACE_AVAILABILITY) {
        spot_diag_warn(diag, file, 0, 0,
            "kind availability: the figures are of what could have been obtained, "
            "nothing ran");
    }
    if (!(self->preempt_gap.n >= SPOT_DESCRIBE_MIN_GAPS)) {
        spot_diag_warn(diag, file, 0, 0,
            "%.0f gaps between events of kind preempt: fewer than %d say little",
            isnan(self->preempt_gap.n) ? 0 : self->preempt_gap.n, SPOT_DESCRIBE_MIN_GAPS);
    }
    if (self->preempt_gap.cv > SPOT_SEED_MAX_CV) {
        spot_diag_warn(diag, file, 0, 0,
            "preempt_gap_cv %.2f: the generator seed cannot make gaps with a CV above "
            "1, block and mrp can",
            self->preempt_gap.cv);
    }
    if (self->day_rayleigh_p < 0.05 && self->fano_events_1h > 1) {
        spot_diag_warn(diag, file, 0, 0,
            "day_rayleigh_p %.2g is too small: it takes the events as independent, but "
            "they come in bursts (fano_events_1h %.2f)",
            self->day_rayleigh_p, self->fano_events_1h);
    }
}

/* ---- The figures by name ---- */

#define PLACE(field) offsetof(spot_describe_t, field)

/* Figures of gaps and of spells. */
#define GAP_MOMENTS(name, field, what)                                                             \
    {name "_n", "", "number of complete " what, true, PLACE(field.n)},                             \
        {name "_mean_s", "s", "their mean", false, PLACE(field.mean_s)},                           \
        {name "_sd_s", "s", "their standard deviation (n - 1)", false, PLACE(field.sd_s)},         \
        {name "_cv", "", "standard deviation / mean", false, PLACE(field.cv)},                     \
        {name "_median_s", "s", "their median", false, PLACE(field.median_s)},                     \
    {                                                                                              \
        name "_acf1", "", "their autocorrelation at lag 1, from 10 on", false, PLACE(field.acf1)   \
    }

#define GAPS(name, field, what)                                                                    \
    GAP_MOMENTS(name, field, what),                                                                \
        {name "_log_acf1", "", "the same of their logarithms", false, PLACE(field.log_acf1)},      \
    {                                                                                              \
        name "_ljungbox5_p", "", "p-value of Ljung and Box that lags 1 to 5 are uncorrelated",     \
            false, PLACE(field.ljungbox5_p)                                                        \
    }

#define COUNTS(name, field, what)                                                                  \
    {name "_mean", "instances", "mean size of " what, false, PLACE(field.mean)},                   \
        {name "_sd", "instances", "standard deviation of the size (n - 1)", false,                 \
            PLACE(field.sd)},                                                                      \
        {name "_vmr", "instances", "variance / mean of the size", false, PLACE(field.vmr)},        \
        {name "_max", "instances", "the largest", true, PLACE(field.max)},                         \
    {                                                                                              \
        name "_share_one", "", "share of one instance", false, PLACE(field.share_one)              \
    }

#define FANO(name, what, window)                                                                   \
    {                                                                                              \
#name, "", "variance / mean of preempted " what " per window of " window, false,           \
            PLACE(name)                                                                            \
    }

const spot_describe_figure_t spot_describe_figures[SPOT_NUM_DESCRIBE_FIGURES] = {
    {"resolution_s", "s", "tick of the recorder; what came and went in it was not seen", false,
        PLACE(resolution_s)},
    {"span_h", "h", "length of the observation", false, PLACE(span_h)},
    {"capacity", "instances", "most that can run; unbounded: the largest number", true,
        PLACE(capacity)},
    {"max_n", "instances", "largest number", true, PLACE(max_n)},
    {"min_n", "instances", "smallest number", true, PLACE(min_n)},
    {"mean_n", "instances", "mean number over the time", false, PLACE(mean_n)},
    {"frac_full", "", "share of the time at capacity", false, PLACE(frac_full)},
    {"frac_empty", "", "share of the time at 0", false, PLACE(frac_empty)},
    {"preempt_events", "", "times at which instances were preempted", true, PLACE(preempt_events)},
    {"preempted", "instances", "preempted in all", true, PLACE(preempted)},
    {"add_events", "", "times at which instances were added", true, PLACE(add_events)},
    {"added", "instances", "added in all", true, PLACE(added)},
    GAPS("preempt_gap", preempt_gap,
        "gaps between preemption events (mean: MTBP, at this resolution only)"),
    GAPS("add_gap", add_gap, "gaps between addition events"),
    GAPS("change_gap", change_gap, "gaps between events of either type"),
    COUNTS("preempt_count", preempt_count, "preemption events"),
    COUNTS("add_count", add_count, "addition events"),
    {"preempted_per_instance_h", "1/h", "preempted / instance-hours", false,
        PLACE(preempted_per_instance_h)},
    FANO(fano_instances_10min, "instances", "10 min, from 8 windows on"),
    FANO(fano_events_10min, "events", "10 min"),
    FANO(fano_instances_1h, "instances", "1 h"),
    FANO(fano_events_1h, "events", "1 h"),
    {"shortest_plateau_s", "s", "shortest time between two changes", false,
        PLACE(shortest_plateau_s)},
    {"day_n", "", "preemption events in the whole days, from 10 events and 2 days on", true,
        PLACE(day_n)},
    {"day_rayleigh_r", "", "concentration of these at one time of day, 0 to 1", false,
        PLACE(day_rayleigh_r)},
    {"day_rayleigh_p", "",
        "p-value of no preferred time of day; too small if events come in bursts", false,
        PLACE(day_rayleigh_p)},
    {"day_peak_h", "h", "preferred time of day, from the start of the trace", false,
        PLACE(day_peak_h)},
    {"life_n", "", "lives of instances; kind named and lifetimes files", true, PLACE(life.n)},
    {"life_preempted", "", "ended by a preemption", true, PLACE(life.preempted)},
    {"life_censored", "", "ended by the user or by the end of the trace", true,
        PLACE(life.censored)},
    {"life_mean_observed_s", "s", "mean of the preempted ones", false, PLACE(life.mean_observed_s)},
    {"life_sd_observed_s", "s", "standard deviation of these (n - 1)", false,
        PLACE(life.sd_observed_s)},
    {"life_km_median_s", "s", "Kaplan-Meier median, inf if more than half live longer", false,
        PLACE(life.km_median_s)},
    {"life_restricted_mean_s", "s", "Kaplan-Meier mean up to the longest life", false,
        PLACE(life.restricted_mean_s)},
    {"life_deaths_per_s", "1/s", "preempted / time of all lives", false, PLACE(life.deaths_per_s)},
    GAP_MOMENTS("up_spell", up_spell, "spells at 1, capacity 1 only"),
    GAP_MOMENTS("down_spell", down_spell, "spells at 0, capacity 1 only"),
};

/* Address and value of a figure in describe. */
static double *describe_figure_place(
    spot_describe_t *describe, const spot_describe_figure_t *figure)
{
    return (double *) (void *) ((char *) describe + figure->offset);
}

double spot_describe_figure_value(
    const spot_describe_t *describe, const spot_describe_figure_t *figure)
{
    return *(const double *) (const void *) ((const char *) describe + figure->offset);
}

const char *spot_describe_kind(const spot_describe_t *self)
{
    return self->is_lifetimes ? "lifetimes" : spot_trace_kind_names[self->kind];
}

void spot_describe_write_json(const spot_describe_t *self, spot_json_t *json, const char *key)
{
    spot_json_open(json, key, '{');
    spot_json_text(json, "trace", self->name);
    spot_json_text(json, "kind", spot_describe_kind(self));
    spot_json_text(json, "n_is",
        self->is_lifetimes                      ? NULL
        : self->kind == SPOT_TRACE_AVAILABILITY ? "obtainable"
                                                : "running");
    for (size_t j = 0; j < SPOT_NUM_DESCRIBE_FIGURES; j++) {
        const double value = spot_describe_figure_value(self, &spot_describe_figures[j]);

        if (isinf(value)) {
            spot_json_text(json, spot_describe_figures[j].name, "inf");
        } else {
            spot_json_number(json, spot_describe_figures[j].name, value);
        }
    }
    spot_json_close(json, '}');
}

void spot_describe_write_csv_head(FILE *out)
{
    fputs("trace,kind", out);
    for (size_t j = 0; j < SPOT_NUM_DESCRIBE_FIGURES; j++) {
        fprintf(out, ",%s", spot_describe_figures[j].name);
    }
    fputc('\n', out);
}

void spot_describe_write_csv(const spot_describe_t *self, FILE *out)
{
    fprintf(out, "%s,%s", self->name, spot_describe_kind(self));
    for (size_t j = 0; j < SPOT_NUM_DESCRIBE_FIGURES; j++) {
        const double value = spot_describe_figure_value(self, &spot_describe_figures[j]);

        fputc(',', out);
        if (!isnan(value)) {
            fprintf(out, spot_describe_figures[j].is_integer ? "%.0f" : "%.8g", value);
        }
    }
    fputc('\n', out);
}

/* ---- The figures of a file ---- */

/* Looking into what can be read only once would take it away. */
static bool is_regular(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* In place of trace, what a coarser recorder would have seen of it. */
static int record(const spot_describe_request_t *request, const char *path, spot_trace_t *trace,
    spot_diag_t *diag)
{
    const int64_t tick_ms = request->tick_ms > 0 ? request->tick_ms : trace->resolution_ms;
    spot_trace_t recorded;
    int ret;

    if (request->tick_ms == 0 && !request->is_net) {
        return 0;
    }
    if (tick_ms < trace->resolution_ms) {
        char text[SPOT_TRACE_TIME_BYTES];

        spot_trace_time_text(trace->resolution_ms, text);
        return spot_diag_error(
            diag, path, 0, 0, "--tick: expected at least the resolution of the trace, %s s", text);
    }
    ret = spot_recorder_trace(trace, tick_ms, request->is_net, &recorded);
    if (ret != 0) {
        spot_trace_free(&recorded);
        return ret;
    }
    spot_trace_free(trace);
    *trace = recorded;
    return 0;
}

static int take_name(spot_description_t *self, const char *name)
{
    self->name = spot_text_copy(name, strlen(name));
    return self->name == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

static int describe_trace(const spot_describe_request_t *request, const char *path,
    spot_description_t *self, spot_diag_t *diag)
{
    spot_trace_t trace;
    int ret;

    if (request->where != NULL) {
        return spot_diag_error(diag, path, 0, 0, "--where: expected a lifetimes file");
    }
    ret = spot_trace_read(&trace, path, request->is_strict, diag);
    ret = ret == 0 ? record(request, path, &trace, diag) : ret;
    if (ret == 0 && request->is_notebook) {
        ret = take_name(self, spot_trace_key(&trace, "name"));
        ret = ret == 0 ? notebook_of_trace(&self->notebook, &trace) : ret;
    } else if (ret == 0) {
        ret = spot_describe_init(&self->figures, &trace);
        warn_of_figures(&self->figures, path, diag);
    }
    if (ret == 0 && request->look != NULL) {
        request->look(request->context, path, &trace, NULL);
    }
    spot_trace_free(&trace);
    return ret;
}

static int describe_lifetimes(const spot_describe_request_t *request, const char *path,
    const char *name, spot_description_t *self, spot_diag_t *diag)
{
    spot_lifetimes_t lifetimes;
    int ret;

    if (request->tick_ms > 0 || request->is_net || request->is_notebook) {
        return spot_diag_error(diag, path, 0, 0,
            "--tick, --net and --notebook: expected a trace, this is a lifetimes file");
    }
    ret = spot_lifetimes_read(&lifetimes, path, diag);
    if (ret == 0 && request->where != NULL) {
        ret = spot_lifetimes_keep(&lifetimes, "--where", request->where, diag);
    }
    if (ret == 0) {
        ret = spot_describe_init_lifetimes(&self->figures, &lifetimes, name);
    }
    if (ret == 0 && request->look != NULL) {
        request->look(request->context, path, NULL, &lifetimes);
    }
    spot_lifetimes_free(&lifetimes);
    return ret;
}

int spot_describe_file(spot_description_t *self, const char *path, const char *name,
    const spot_describe_request_t *request, spot_diag_t *diag)
{
    const int ret = is_regular(path) ? spot_lifetimes_is_file(path) : 0;

    memset(self, 0, sizeof(*self));
    return ret < 0    ? ret
           : ret == 1 ? describe_lifetimes(request, path, name, self, diag)
                      : describe_trace(request, path, self, diag);
}

int spot_describe_logs(
    spot_description_t *self, const char *const paths[2], const char *name, spot_diag_t *diag)
{
    stamped_counts_t nodes, terminations;
    int ret = stamped_counts_read(&nodes, paths[0], "count", 1, diag);
    const int other = stamped_counts_read(&terminations, paths[1], "number", 0, diag);

    memset(self, 0, sizeof(*self));
    ret = spot_error_first(ret, other);
    if (ret == 0) {
        notebook_of_logs(&self->notebook, &nodes, &terminations);
        ret = take_name(self, name);
    }
    stamped_counts_free(&nodes);
    stamped_counts_free(&terminations);
    return ret;
}

int spot_describe_is_log(const char *path)
{
    return is_regular(path) ? stamped_counts_is_file(path, "count") : 0;
}

void spot_description_free(spot_description_t *self)
{
    free(self->name);
    spot_describe_free(&self->figures);
    memset(self, 0, sizeof(*self));
}
