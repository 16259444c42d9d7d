/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/queries/arrivals.h"

#include <gsl/gsl_math.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/memory_limit.h"
#include "base/number.h"
#include "base/rng.h"
#include "base/table_file.h"
#include "base/units.h"
#include "base/watch.h"
#include "traces/laws/law.h"

static const char *const arrivals_kind_names[] = {
    "poisson", "gamma", "constant", "deltas", "deltas_ms", "trace", "varying", "daily", NULL};

/* ---- Files: times between queries ---- */

/* The delta of a line; reports another text. */
static double delta_of(
    const char *text, const spot_csv_row_t *row, const char *path, spot_diag_t *diag)
{
    char shown[SPOT_CSV_SHOWN_BYTES], *end;
    double delta_ms = 0, any;
    const bool is_number = spot_number_parse(text, &delta_ms) == 0;

    if (!is_number || delta_ms < 0) {
        any = strtod(text, &end); /* which reads "nan" and "inf" too */
        spot_diag_error(diag, path, row->line, row->columns[0],
            *end == '\0' && !isfinite(any) ? "not finite: '%s'"
            : !is_number                   ? "not a number: '%s'"
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

/* ---- Files: times of queries ---- */

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

static const spot_row_member_t time_columns[] = {
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

/* ---- Files: rates ---- */

#define NS_PER_MIN 6e10
#define MAX_MINUTE (10 * 366 * 1440)
#define MAX_PER_MINUTE 6e10

typedef struct {
    double minute, per_minute;
} rate_row_t;

enum { MINUTE };

static const spot_row_member_t rate_columns[] = {
    SPOT_MEMBER_WITH(NUMBER, "minute", rate_row_t, minute, .min = 0, .max = MAX_MINUTE),
    SPOT_MEMBER_WITH(
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

/* ---- The setting ---- */

#define SETTING spot_arrivals_setting_t
#define MIN_QPS 1e-6
#define MAX_QPS 1e9
#define MAX_COUNT 1e9
#define MAX_SCV 1e6
#define MAX_DURATION_NS (1e6 * (double) SPOT_MAX_DURATION_MS)

#define RATE                                                                                       \
    {                                                                                              \
        SPOT_WITHIN(NUMBER, "rate_qps", SETTING, rate_qps, MIN_QPS, MAX_QPS, NULL,                 \
            "query rate per second", "mean rate, queries a second")                                \
    }
#define COUNT                                                                                      \
    {                                                                                              \
        SPOT_WITHIN(INTEGER, "count", SETTING, count, 0, MAX_COUNT, NULL, "queries",               \
            "times between queries: there is one query more")                                      \
    }
#define OF_FILE(text)                                                                              \
    {SPOT_VALUE(PATH, "file", SETTING, file, NULL, text)},                                         \
        {SPOT_WITHIN(INTEGER, "count", SETTING, count, 1, MAX_COUNT, "", "queries",                \
            "only so many times between queries (default: all)")},                                 \
    {                                                                                              \
        SPOT_WITHIN(NUMBER, "rescale_qps", SETTING, rescale_qps, MIN_QPS, MAX_QPS, "",             \
            "query rate per second",                                                               \
            "mean rate to which they are stretched (default: as they are)")                        \
    }

static const spot_field_t rate_fields[] = {RATE, COUNT, {.name = NULL}};

static const spot_field_t gamma_fields[] = {
    RATE,
    {SPOT_WITHIN(NUMBER, "cv", SETTING, cv, 0, 1e3, "", "CV of arrivals",
        "coefficient of variation of the times between queries; or give scv")},
    {SPOT_WITHIN(NUMBER, "scv", SETTING, scv, 0, MAX_SCV, "", "SCV of arrivals",
        "its square: 1 is Poisson, more is burstier, 0 constant")},
    COUNT,
    {SPOT_WITHIN(DURATION_NS, "clip", SETTING, clip_ns, 0, MAX_DURATION_NS, "0 ms",
        "no time between queries is shorter")},
    {.name = NULL},
};

static const spot_field_t deltas_fields[] = {
    OF_FILE("a line for each time between queries, ms"),
    {.name = NULL},
};

static const spot_field_t trace_fields[] = {
    OF_FILE("CSV with a column time_s, time_ms or time_ns"),
    {.name = NULL},
};

static const spot_field_t varying_fields[] = {
    {SPOT_VALUE(PATH, "file", SETTING, file, NULL,
        "CSV with the columns minute, from 0, and requests_per_minute from then on")},
    {.name = NULL},
};

static const spot_field_t daily_fields[] = {
    {SPOT_WITHIN(NUMBER, "peak_qps", SETTING, peak_qps, MIN_QPS, MAX_QPS, NULL,
        "peak query rate per second", "highest rate of the day, queries a second")},
    {SPOT_WITHIN(NUMBER, "low_qps", SETTING, low_qps, 0, MAX_QPS, NULL, "low query rate per second",
        "lowest rate, 12 h from the highest one")},
    {SPOT_WITHIN(DURATION_NS, "peak_at", SETTING, peak_at_ns, 0, 8.64e13, "14 h",
         "time of the peak", "time of the highest rate, from the start of the run"),
        SPOT_DECIDES},
    {SPOT_WITHIN(INTEGER, "days", SETTING, days, 1, 3650, "1", "days", "length of the run"),
        SPOT_DECIDES},
    {.name = NULL},
};

/* A gamma law has one of cv and scv; scv is made of cv. */
static void settle_gamma(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    spot_arrivals_setting_t *self = target;
    const spot_node_t *cv = spot_node_get(node, "cv");
    const spot_node_t *scv = spot_node_get(node, "scv");

    (void) field;
    if (cv != NULL && scv != NULL) {
        spot_bind_error(bind, scv, NULL, "give cv or scv, not both (scv is the square of cv)");
    } else if (cv == NULL && scv == NULL) {
        spot_bind_error(bind, node, NULL, "give cv or scv (scv is the square of cv)");
    } else if (cv != NULL) {
        self->scv = self->cv * self->cv;
    }
}

/* The end of daily arrivals. */
static void settle_daily(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    spot_arrivals_setting_t *self = target;

    (void) field;
    self->rates_end_ns = self->days * SPOT_MS_PER_D * 1000000;
    if (self->low_qps > self->peak_qps) {
        spot_bind_error(bind, spot_node_get(node, "low_qps"), NULL,
            "low_qps: %.15g is above peak_qps", self->low_qps);
    }
}

/* Checks a delta of the scenario. */
static void settle_delta(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    (void) field;
    if (*(double *) target < 0) {
        spot_bind_error(bind, node, NULL, "negative delta %s", node->text);
        *(double *) target = 0;
    }
}

static const spot_field_t delta_item = {.type = SPOT_FIELD_NUMBER, .settle = settle_delta};

const spot_field_t spot_arrivals_fields[] = {
    {SPOT_GROUP("poisson", rate_fields, "", "queries at random, at a rate")},
    {SPOT_GROUP("gamma", gamma_fields, "",
         "times between queries from a gamma law: burstier, or smoother"),
        .settle = settle_gamma},
    {SPOT_GROUP("constant", rate_fields, "", "equal times between queries")},
    {SPOT_GROUP("deltas", deltas_fields, "", "times between queries from a file")},
    {SPOT_ITEMS(LIST, "deltas_ms", SETTING, deltas_ms, num_deltas, delta_item, 0, HUGE_VAL, "",
        "a list of times such as [1.5, 20]", "times between queries, ms")},
    {SPOT_GROUP("trace", trace_fields, "", "times of queries from a file")},
    {SPOT_GROUP("varying", varying_fields, "",
        "queries at random, at a rate that a file gives for each minute")},
    {SPOT_GROUP(
         "daily", daily_fields, "", "queries at random, at a rate that rises and falls each day"),
        .settle = settle_daily},
    {.name = NULL},
};

/* ---- The setting: checks ---- */

static int read_file(spot_arrivals_setting_t *self, spot_bind_t *bind, const spot_node_t *node)
{
    const size_t num_errors = bind->diag->num_errors;
    const bool is_trace = self->kind == SPOT_ARRIVALS_TRACE;
    const int64_t num_deltas = self->count;
    int ret;

    if (self->kind == SPOT_ARRIVALS_VARYING) {
        return spot_query_rates_read(self, self->file, bind->diag);
    }
    ret = is_trace ? spot_query_trace_read(self, self->file, num_deltas, bind->diag)
                   : spot_query_deltas_read(self, self->file, num_deltas, bind->diag);
    if (bind->diag->num_errors == num_errors && num_deltas > 0 &&
        (int64_t) self->num_deltas < num_deltas) {
        spot_bind_error(bind, spot_node_get(node, "count"), NULL,
            "count %lld, but the file has %zu deltas", (long long) num_deltas, self->num_deltas);
    }
    return ret;
}

/* Checks the number of drawn queries, and their length by the mean. */
static void check_drawn(
    const spot_arrivals_setting_t *self, spot_bind_t *bind, const spot_node_t *node)
{
    const double gap_ns = fmax(1e9 / self->rate_qps, (double) self->clip_ns);

    if (self->peak_qps * (double) self->rates_end_ns > MAX_COUNT * 1e9) {
        spot_bind_error(
            bind, node, NULL, "the highest rate gives more than %.0f queries", MAX_COUNT);
    } else if (self->rate_qps > 0 &&
               (double) self->count * gap_ns > (double) SPOT_MAX_ARRIVALS_NS) {
        spot_bind_error(bind, node, NULL, "arrivals last longer than 2^62 ns");
    }
}

/* Checks the length of given arrivals, and that they can be rescaled. NO_MEMORY. */
static int check_given(
    const spot_arrivals_setting_t *self, spot_bind_t *bind, const spot_node_t *node)
{
    spot_arrivals_t arrivals = {0};
    int ret = spot_arrivals_draw(&arrivals, self, 0, 0);

    if (ret == SPOT_ERR_BAD_PARAM) {
        spot_bind_error(bind, node, NULL, "arrivals last longer than 2^62 ns");
        ret = 0;
    } else if (ret == 0 && self->rescale_qps > 0 && isnan(arrivals.base_qps)) {
        spot_bind_error(
            bind, spot_node_get(node, "rescale_qps"), NULL, "no arrival rate: all deltas are 0");
    }
    spot_arrivals_free(&arrivals);
    return ret;
}

/* Sets the kind. Reports none, and more than one; an unknown key alone is reported
 * already. */
static const spot_node_t *find_kind(
    spot_arrivals_setting_t *self, spot_bind_t *bind, const spot_node_t *root)
{
    const spot_node_t *found = NULL;

    if (root->kind == SPOT_NODE_MAP && root->num_children != 1) {
        spot_bind_error(bind, root, NULL,
            "arrivals: exactly one of poisson, gamma, constant, deltas, deltas_ms, "
            "trace, varying, daily");
        return NULL;
    }
    for (int kind = 0; kind < SPOT_NUM_ARRIVALS && found == NULL; kind++) {
        found = spot_node_get(root, arrivals_kind_names[kind]);
        self->kind = (spot_arrivals_kind_t) kind;
    }
    return found;
}

int spot_arrivals_open(spot_arrivals_setting_t *self, spot_bind_t *bind, const spot_node_t *root)
{
    const size_t num_errors = bind->diag->num_errors;
    const spot_node_t *node = find_kind(self, bind, root);
    const bool is_given = self->kind == SPOT_ARRIVALS_DELTAS ||
                          self->kind == SPOT_ARRIVALS_DELTAS_MS ||
                          self->kind == SPOT_ARRIVALS_TRACE;
    int ret = 0;

    if (node == NULL) {
        return SPOT_ERR_BAD_INPUT;
    }
    if (self->file != NULL) {
        ret = read_file(self, bind, node);
    }
    if (ret == 0 && bind->diag->num_errors == num_errors) {
        if (is_given) {
            ret = check_given(self, bind, node);
        } else {
            check_drawn(self, bind, node);
        }
    }
    return ret == 0 && bind->diag->num_errors > num_errors ? SPOT_ERR_BAD_INPUT : ret;
}

int spot_arrivals_check_memory(const spot_arrivals_setting_t *self, spot_diag_t *diag,
    const spot_node_t *root, double more_bytes)
{
    const spot_arrivals_t *arrivals = NULL;
    const double num_queries = spot_arrivals_mean_queries(self);
    const spot_memory_need_t need = {num_queries, "queries",
        spot_array_bytes(num_queries, sizeof(*arrivals->source_ns)) +
            spot_array_bytes(num_queries - 1, sizeof(*arrivals->deltas_ms)) + more_bytes,
        true};
    const spot_node_t *node =
        root->kind == SPOT_NODE_MAP && root->num_children > 0 ? root->children[0] : root;

    return spot_memory_check(&need, diag,
        spot_node_has(node, "count") ? spot_node_get(node, "count") : node, "arrivals");
}

void spot_arrivals_setting_free(spot_arrivals_setting_t *self)
{
    free(self->file);
    free(self->deltas_ms);
    free(self->times_ns);
    free(self->rates);
    *self = (spot_arrivals_setting_t){0};
}

/* ---- Drawing ----
 * Deltas are drawn or copied as doubles, and each becomes whole nanoseconds on its own;
 * sums are of integers. */

#define NS_PER_MS 1e6
#define NS_PER_S 1e9
#define MS_PER_S 1e3

bool spot_arrivals_is_random(const spot_arrivals_setting_t *self)
{
    return self->kind == SPOT_ARRIVALS_POISSON || self->kind == SPOT_ARRIVALS_VARYING ||
           self->kind == SPOT_ARRIVALS_DAILY ||
           (self->kind == SPOT_ARRIVALS_GAMMA && self->scv > 0);
}

double spot_arrivals_mean_queries(const spot_arrivals_setting_t *self)
{
    const double end_s = (double) self->rates_end_ns / NS_PER_S;
    double num_deltas = 0;

    switch (self->kind) {
        case SPOT_ARRIVALS_POISSON:
        case SPOT_ARRIVALS_GAMMA:
        case SPOT_ARRIVALS_CONSTANT:
            num_deltas = (double) self->count;
            break;
        case SPOT_ARRIVALS_VARYING:
            for (size_t j = 0; j < self->num_rates; j++) {
                const double from_s = (double) self->rates[j].from_ns / NS_PER_S;
                const double to_s = j + 1 < self->num_rates
                                        ? (double) self->rates[j + 1].from_ns / NS_PER_S
                                        : end_s;

                num_deltas += self->rates[j].per_s * (to_s - from_s);
            }
            break;
        case SPOT_ARRIVALS_DAILY: /* whole days of a cosine */
            num_deltas = end_s * (self->low_qps + self->peak_qps) / 2;
            break;
        default:
            num_deltas = (double) self->num_deltas;
    }
    return num_deltas + 1;
}

double spot_arrivals_mean_ns(const spot_arrivals_setting_t *self)
{
    const double num_deltas = spot_arrivals_mean_queries(self) - 1;
    double sum_ms = 0;

    if (self->kind == SPOT_ARRIVALS_VARYING || self->kind == SPOT_ARRIVALS_DAILY) {
        return (double) self->rates_end_ns;
    }
    if (self->kind <= SPOT_ARRIVALS_CONSTANT || self->rescale_qps > 0) {
        const double per_s = self->rescale_qps > 0 ? self->rescale_qps : self->rate_qps;

        return fmax(NS_PER_S / per_s, (double) self->clip_ns) * num_deltas;
    }
    if (self->kind == SPOT_ARRIVALS_TRACE) {
        return (double) self->times_ns[self->num_deltas];
    }
    for (size_t j = 0; j < self->num_deltas; j++) {
        sum_ms += self->deltas_ms[j];
    }
    return sum_ms * NS_PER_MS;
}

/* ---- Drawing: times between queries ---- */

/* Makes room for the queries of num_deltas deltas, and sets their number. */
static int reserve(spot_arrivals_t *self, size_t num_deltas)
{
    self->num_queries = num_deltas + 1;
    if (spot_array_reserve(
            &self->deltas_ms, &self->max_deltas, num_deltas, sizeof(*self->deltas_ms)) != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    return spot_array_reserve(
        &self->source_ns, &self->max_queries, num_deltas + 1, sizeof(*self->source_ns));
}

/* Deltas that do not depend on each other. */
static int draw_alike(
    spot_arrivals_t *self, const spot_arrivals_setting_t *setting, spot_rng_t *rng)
{
    const double mean_ms = MS_PER_S / setting->rate_qps;
    const double clip_ms = (double) setting->clip_ns / NS_PER_MS;
    const bool is_random = spot_arrivals_is_random(setting);
    const spot_law_t law =
        setting->kind == SPOT_ARRIVALS_POISSON
            ? (spot_law_t){&spot_family_exponential, {mean_ms}}
            : (spot_law_t){&spot_family_gamma, {1 / setting->scv, setting->scv * mean_ms}};
    const int ret = reserve(self, (size_t) setting->count);

    for (size_t j = 0; ret == 0 && j + 1 < self->num_queries; j++) {
        if (spot_stop_is_due(j)) {
            return SPOT_ERR_INTERRUPTED;
        }
        self->deltas_ms[j] =
            fmax(is_random ? law.family->draw(law.parameters, rng) : mean_ms, clip_ms);
    }
    return ret;
}

static int copy_deltas(spot_arrivals_t *self, const spot_arrivals_setting_t *setting)
{
    const int ret = reserve(self, setting->num_deltas);

    for (size_t j = 0; ret == 0 && j < setting->num_deltas; j++) {
        self->deltas_ms[j] =
            setting->kind == SPOT_ARRIVALS_TRACE
                ? (double) (setting->times_ns[j + 1] - setting->times_ns[j]) / NS_PER_MS
                : setting->deltas_ms[j];
    }
    return ret;
}

/* The rate at a time. *step_id: that of an earlier time, and its own afterwards. */
static double rate_at(const spot_arrivals_setting_t *self, double time_ns, size_t *step_id)
{
    const double turn = 2 * acos(-1.0) / (NS_PER_MS * (double) SPOT_MS_PER_D);

    if (self->kind == SPOT_ARRIVALS_DAILY) {
        return self->low_qps + (self->peak_qps - self->low_qps) *
                                   (1 + cos(turn * (time_ns - (double) self->peak_at_ns))) / 2;
    }
    while (
        *step_id + 1 < self->num_rates && (double) self->rates[*step_id + 1].from_ns <= time_ns) {
        ++*step_id;
    }
    return self->rates[*step_id].per_s;
}

/* Queries of a Poisson process whose rate changes, by thinning, which is exact: those of
 * the highest rate, each kept with probability rate / highest rate. Source: Lewis,
 * Shedler, "Simulation of nonhomogeneous Poisson processes by thinning", Naval Research
 * Logistics 26 (1979). */
static int draw_thinned(
    spot_arrivals_t *self, const spot_arrivals_setting_t *setting, spot_rng_t *rng)
{
    const double end_ns = (double) setting->rates_end_ns;
    const double highest = setting->peak_qps;
    double time_ns = 0, last_ns = 0;
    size_t num_deltas = 0, step_id = 0;

    for (size_t num_drawn = 0; highest > 0; num_drawn++) {
        double level;

        if (spot_stop_is_due(num_drawn)) {
            return SPOT_ERR_INTERRUPTED;
        }
        time_ns += spot_rng_exponential(rng, NS_PER_S / highest);
        level = highest * spot_rng_uniform(rng);
        if (!(time_ns < end_ns)) {
            break;
        }
        if (level < rate_at(setting, time_ns, &step_id)) {
            if (spot_array_reserve(&self->deltas_ms, &self->max_deltas, num_deltas + 1,
                    sizeof(*self->deltas_ms)) != 0) {
                return SPOT_ERR_NO_MEMORY;
            }
            self->deltas_ms[num_deltas++] = (time_ns - last_ns) / NS_PER_MS;
            last_ns = time_ns;
        }
    }
    return reserve(self, num_deltas);
}

/* ---- Drawing: whole nanoseconds ---- */

/* Sets rate, mean and CV of the whole deltas. */
static void describe(spot_arrivals_t *self)
{
    const size_t num_deltas = self->num_queries - 1;
    const double sum_ns = (double) self->source_ns[num_deltas];
    const double mean_ns = num_deltas == 0 ? (double) NAN : sum_ns / (double) num_deltas;
    double sum_squares = 0;

    for (size_t j = 0; j < num_deltas; j++) {
        const double off = (double) (self->source_ns[j + 1] - self->source_ns[j]) - mean_ns;

        sum_squares += off * off;
    }
    self->rate_qps = sum_ns > 0 ? (double) num_deltas * NS_PER_S / sum_ns : (double) NAN;
    self->mean_ms = mean_ns / NS_PER_MS;
    self->cv = sum_ns > 0 ? sqrt(sum_squares / (double) num_deltas) / mean_ns : (double) NAN;
}

/* Makes the times of the queries from the deltas times scale. */
static int place(spot_arrivals_t *self, double scale)
{
    int64_t time_ns = 0;

    self->source_ns[0] = 0;
    for (size_t j = 0; j + 1 < self->num_queries; j++) {
        const double delta_ms = self->deltas_ms[j] * scale;
        int64_t delta_ns;

        if (!(delta_ms <= (double) SPOT_MAX_ARRIVALS_NS / NS_PER_MS)) {
            return SPOT_ERR_BAD_PARAM;
        }
        delta_ns = spot_ns_from_ms(delta_ms);
        if (delta_ns > SPOT_MAX_ARRIVALS_NS - time_ns) {
            return SPOT_ERR_BAD_PARAM;
        }
        time_ns += delta_ns;
        self->source_ns[j + 1] = time_ns;
    }
    describe(self);
    return 0;
}

int spot_arrivals_draw(spot_arrivals_t *self, const spot_arrivals_setting_t *setting, uint64_t seed,
    uint64_t replication)
{
    spot_rng_t rng;
    int ret;

    spot_rng_seek(&rng, seed, replication, SPOT_STREAM_ARRIVAL, 0);
    switch (setting->kind) {
        case SPOT_ARRIVALS_POISSON:
        case SPOT_ARRIVALS_GAMMA:
        case SPOT_ARRIVALS_CONSTANT:
            ret = draw_alike(self, setting, &rng);
            break;
        case SPOT_ARRIVALS_VARYING:
        case SPOT_ARRIVALS_DAILY:
            ret = draw_thinned(self, setting, &rng);
            break;
        default:
            ret = copy_deltas(self, setting);
    }
    if (ret == 0 && setting->kind == SPOT_ARRIVALS_TRACE) {
        memcpy(self->source_ns, setting->times_ns, self->num_queries * sizeof(*self->source_ns));
        describe(self);
    } else if (ret == 0) {
        ret = place(self, 1);
    }
    self->base_qps = self->rate_qps;
    if (ret == 0 && setting->rescale_qps > 0 && !isnan(self->base_qps)) {
        ret = place(self, self->base_qps / setting->rescale_qps);
    }
    return ret;
}

int spot_arrivals_rescale(spot_arrivals_t *self, const spot_arrivals_t *from, double rate_qps)
{
    const int ret = reserve(self, from->num_queries - 1);

    if (ret != 0) {
        return ret;
    }
    if (from->num_queries > 1 && self != from) {
        memcpy(
            self->deltas_ms, from->deltas_ms, (from->num_queries - 1) * sizeof(*self->deltas_ms));
    }
    self->base_qps = from->base_qps;
    return place(self, from->base_qps / rate_qps);
}

void spot_arrivals_free(spot_arrivals_t *self)
{
    free(self->source_ns);
    free(self->deltas_ms);
    *self = (spot_arrivals_t){0};
}

/* ---- What arrivals are like ---- */

/* The most queries of any window that starts with a query. */
static size_t most_queries(const spot_arrivals_t *arrivals, int64_t window_ns)
{
    size_t end = 0, most = 0;

    for (size_t j = 0; j < arrivals->num_queries; j++) {
        while (end < arrivals->num_queries &&
               arrivals->source_ns[end] - arrivals->source_ns[j] < window_ns) {
            end++;
        }
        most = end - j > most ? end - j : most;
    }
    return most;
}

void spot_arrivals_fit(spot_arrivals_fit_t *self, const spot_arrivals_t *arrivals)
{
    const size_t num_deltas = arrivals->num_queries - 1;
    const int64_t span_ns = arrivals->source_ns[num_deltas];
    size_t num_zero = 0;

    for (size_t j = 0; j < num_deltas; j++) {
        num_zero += arrivals->source_ns[j] == arrivals->source_ns[j + 1];
    }
    self->scv = arrivals->cv * arrivals->cv;
    self->zero_share = num_deltas == 0 ? (double) NAN : (double) num_zero / (double) num_deltas;
    self->num_windows = 0;
    for (int64_t window_ns = 1000000; window_ns <= span_ns && self->num_windows < SPOT_MAX_WINDOWS;
         window_ns *= 2) {
        self->window_ns[self->num_windows] = window_ns;
        self->most_queries[self->num_windows++] = most_queries(arrivals, window_ns);
    }
}
