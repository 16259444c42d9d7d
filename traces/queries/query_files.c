/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/queries/query_files.h"

#include <gsl/gsl_math.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/table_file.h"
#include "base/units.h"

/* ---- Times between queries ---- */

/* The delta of a line; reports another text. */
static double delta_of(
    const char *text, const spot_csv_row_t *row, const char *path, spot_diag_t *diag)
{
    char shown[SPOT_CSV_SHOWN_BYTES], *end;
    double delta_ms = strtod(text, &end);
    const bool is_finite = *end != '\0' || isfinite(delta_ms);
    const bool is_number = spot_number_parse(text, &delta_ms) == 0;

    if (!is_number || delta_ms < 0) {
        spot_diag_error(diag, path, row->line, row->columns[0],
            !is_finite   ? "not finite: '%s'"
            : !is_number ? "not a number: '%s'"
                         : "negative delta %s",
            spot_csv_shown(text, shown));
    }
    return delta_ms;
}

int spot_query_deltas_read(
    spot_arrivals_setting_t *self, const char *path, int64_t max_deltas, spot_diag_t *diag)
{
    const size_t num_errors = diag->num_errors;
    spot_csv_t *csv = NULL;
    spot_csv_row_t row;
    int ret = spot_csv_open(&csv, path, diag);

    ret = ret == 0 ? 1 : ret;
    while (ret > 0 && (max_deltas == 0 || (int64_t) self->num_deltas < max_deltas)) {
        ret = spot_csv_next(csv, &row);
        if (ret == SPOT_ERR_BAD_INPUT) {
            ret = 1; /* the rest of the file may have more errors */
        } else if (ret == 1 && row.num_fields > 0 && row.fields[0][0] != '#') {
            const char *text = row.num_fields == 1 ? row.fields[0] : row.text;
            const double delta_ms = delta_of(text, &row, path, diag);

            if (spot_array_reserve(&self->deltas_ms, &self->max_deltas, self->num_deltas + 1,
                    sizeof(delta_ms)) == 0) {
                self->deltas_ms[self->num_deltas++] = delta_ms;
            } else {
                ret = SPOT_ERR_NO_MEMORY;
            }
        }
    }
    spot_csv_close(csv);
    if (ret >= 0 && self->num_deltas == 0 && diag->num_errors == num_errors) {
        spot_diag_error(diag, path, 0, 0, "no deltas");
    }
    spot_diag_close_file(diag);
    return ret < 0 ? ret : diag->num_errors > num_errors ? SPOT_ERR_BAD_INPUT : 0;
}

/* ---- Times of queries ---- */

#define FRACTION_DIGITS 18
#define UNIT INT64_C(1000000000000000000) /* 10 to that power */

/* A time: whole nanoseconds and a fraction, in 10^-18 ns. */
typedef struct {
    int64_t whole_ns, fraction;
} exact_time_t;

/* Reads a decimal number of 10^unit_power ns without rounding. Returns its problem, or
 * NULL. */
static const char *read_time(const char *text, int unit_power, exact_time_t *time)
{
    enum { MAX_POWER = 18, FAR = 100000 };
    const char *digit = text + (*text == '-' || *text == '+');
    const char *end = spot_number_end(text), *exponent = strpbrk(text, "eE");
    long power = (long) strcspn(digit, ".eE") - 1 + unit_power;
    uint64_t parts[] = {0, 0}; /* fraction, whole */

    if (end == NULL || *end != '\0') {
        return "expected a number";
    }
    if (exponent != NULL) {
        power += (long) fmax(-FAR, fmin(FAR, strtod(exponent + 1, NULL)));
    }
    for (; *digit != '\0' && digit != exponent; digit++) {
        const bool is_whole = power >= 0;

        if (*digit > '0' && power > MAX_POWER) {
            return "expected at most 2^62 ns";
        }
        if (*digit > '0' && power < -FRACTION_DIGITS) {
            return "expected at most 18 decimals of a nanosecond";
        }
        if (*digit > '0') { /* such powers of 10 are exact doubles */
            parts[is_whole] +=
                (uint64_t) (*digit - '0') *
                (uint64_t) gsl_pow_int(10, (int) power + (is_whole ? 0 : FRACTION_DIGITS));
        }
        power -= *digit != '.';
    }
    if (parts[1] > (uint64_t) SPOT_MAX_ARRIVALS_NS) {
        return "expected at most 2^62 ns";
    }
    time->whole_ns = (int64_t) parts[1];
    time->fraction = (int64_t) parts[0];
    if (*text == '-') {
        time->whole_ns = -time->whole_ns - (time->fraction > 0);
        time->fraction = time->fraction > 0 ? UNIT - time->fraction : 0;
    }
    return NULL;
}

static bool is_before(exact_time_t a, exact_time_t b)
{
    return a.whole_ns < b.whole_ns || (a.whole_ns == b.whole_ns && a.fraction < b.fraction);
}

/* Time since an earlier one in whole ns, half up. */
static uint64_t time_since(exact_time_t time, exact_time_t first)
{
    const int64_t fraction = time.fraction - first.fraction;

    return (uint64_t) time.whole_ns - (uint64_t) first.whole_ns +
           (uint64_t) (fraction >= UNIT / 2   ? 1
                       : fraction < -UNIT / 2 ? -1
                                              : 0);
}

enum { TIME_S, TIME_MS, TIME_NS, NUM_TIME_COLUMNS };

static const spot_table_file_column_t time_columns[] = {
    [TIME_S] = {.name = "time_s", .is_own = true, .is_optional = true},
    [TIME_MS] = {.name = "time_ms", .is_own = true, .is_optional = true},
    [TIME_NS] = {.name = "time_ns", .is_own = true, .is_optional = true},
};
static const int time_powers[] = {[TIME_S] = 9, [TIME_MS] = 6, [TIME_NS] = 0};

typedef struct {
    spot_arrivals_setting_t *setting;
    size_t num_times;
    exact_time_t first, last;
    char last_text[SPOT_CSV_SHOWN_BYTES];
} trace_t;

/* Takes a row. NO_MEMORY. */
static int take_time(trace_t *self, spot_table_file_t *file, size_t column)
{
    const char *field = spot_table_file_field(file, column);
    spot_arrivals_setting_t *setting = self->setting;
    char shown[SPOT_CSV_SHOWN_BYTES];
    exact_time_t time;
    const char *problem = read_time(field, time_powers[column], &time);

    if (problem != NULL) {
        spot_table_file_report_field(file, &file->row, column, problem);
        return 0;
    }
    spot_csv_shown(field, shown);
    if (self->num_times == 0) {
        self->first = time;
    } else if (is_before(time, self->last)) {
        spot_table_file_report_at(file, column, "time %s after %s", shown, self->last_text);
        return 0;
    } else if (time_since(time, self->first) > (uint64_t) SPOT_MAX_ARRIVALS_NS) {
        spot_table_file_report_at(file, column, "arrivals last longer than 2^62 ns");
        return 0;
    }
    self->last = time;
    memcpy(self->last_text, shown, sizeof(shown));
    if (spot_array_reserve(&setting->times_ns, &setting->max_times, self->num_times + 1,
            sizeof(*setting->times_ns)) != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    setting->num_deltas = self->num_times;
    setting->times_ns[self->num_times++] = (int64_t) time_since(time, self->first);
    return 0;
}

/* The column with the times; NUM_TIME_COLUMNS: none, or several, which is reported. */
static size_t find_time_column(spot_table_file_t *file)
{
    size_t found = NUM_TIME_COLUMNS, num_found = 0;

    for (size_t j = 0; j < NUM_TIME_COLUMNS; j++) {
        if (file->has[j]) {
            found = j;
            num_found++;
        }
    }
    if (num_found != 1) {
        spot_table_file_report(
            file, file->row.line, "expected one of the columns time_s, time_ms and time_ns");
        return NUM_TIME_COLUMNS;
    }
    return found;
}

int spot_query_trace_read(
    spot_arrivals_setting_t *self, const char *path, int64_t max_deltas, spot_diag_t *diag)
{
    static const spot_table_file_format_t format = {
        SPOT_TABLE_DATA(time_columns), .is_part = true, .noun = "row"};
    spot_table_file_t file = {.format = &format, .path = path, .diag = diag};
    trace_t trace = {.setting = self};
    int ret = spot_table_file_open(&file);
    const size_t column = ret == 0 ? find_time_column(&file) : NUM_TIME_COLUMNS;

    while (ret == 0 && column < NUM_TIME_COLUMNS &&
           (max_deltas == 0 || (int64_t) trace.num_times <= max_deltas) &&
           (ret = spot_table_file_next(&file)) == 1) {
        ret = take_time(&trace, &file, column);
    }
    return spot_table_file_close(&file, ret);
}

/* ---- Rates ---- */

#define NS_PER_MIN 6e10
#define MAX_MINUTE (10 * 366 * 1440)
#define MAX_PER_MINUTE 6e10

typedef struct {
    double minute, per_minute;
} rate_row_t;

enum { MINUTE };

static const spot_table_file_column_t rate_columns[] = {
    SPOT_TABLE_COLUMN(NUMBER, "minute", rate_row_t, minute, .min = 0, .max = MAX_MINUTE),
    SPOT_TABLE_COLUMN(
        NUMBER, "requests_per_minute", rate_row_t, per_minute, .min = 0, .max = MAX_PER_MINUTE),
};

static int take_rate(spot_table_file_t *file, const spot_csv_row_t *csv, const void *values)
{
    const rate_row_t *row = values;
    spot_arrivals_setting_t *self = file->table;
    const spot_query_rate_t rate = {
        (int64_t) floor(row->minute * NS_PER_MIN + 0.5), row->per_minute / 60};
    const int64_t before_ns = self->num_rates > 0 ? self->rates[self->num_rates - 1].from_ns : -1;

    (void) csv;
    if (rate.from_ns <= before_ns) {
        spot_table_file_report_at(file, MINUTE, "minute %s after %.15g",
            spot_table_file_field(file, MINUTE), (double) before_ns / NS_PER_MIN);
        return 0;
    }
    if (self->num_rates == 0 && rate.from_ns != 0) {
        spot_table_file_report_at(
            file, MINUTE, "first minute is %s, not 0", spot_table_file_field(file, MINUTE));
    }
    self->rates_end_ns = self->num_rates == 0 ? (int64_t) NS_PER_MIN : 2 * rate.from_ns - before_ns;
    self->peak_qps = fmax(self->peak_qps, rate.per_s);
    return SPOT_ARRAY_APPEND(self, rates, rate);
}

int spot_query_rates_read(spot_arrivals_setting_t *self, const char *path, spot_diag_t *diag)
{
    static const spot_table_file_format_t format = {SPOT_TABLE_DATA(rate_columns), .is_part = true,
        .noun = "row", .row_bytes = sizeof(rate_row_t), .take = take_rate};

    return spot_table_file_read(&format, path, diag, self);
}
