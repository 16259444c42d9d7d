/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/chart/scale.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NARROWEST 1e-9 /* of a range, relative to its values: doubles have no more */
#define WIDEST 1e280   /* so that no difference overflows */
#define FAR 4          /* lengths of an axis beyond its ends */

/* ---- Numbers ---- */

static int num_decimals(double step)
{
    return (int) fmax(-floor(log10(step) + 1e-9), 0);
}

/* How the numbers of an axis are written, the same for all: in ones, k, M, G or T where
 * that needs at most a decimal, else in a power of ten. */
typedef struct {
    double factor;
    int decimals;
    char suffix[SPOT_CHART_TICK_BYTES];
} number_form_t;

/* In powers of ten, the exponent in small digits: "·10⁻⁷". */
static number_form_t power_form(int power, double step)
{
    static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    number_form_t form = {.factor = pow(10, power), .suffix = "·10"};
    char plain[16];

    snprintf(plain, sizeof(plain), "%d", power);
    for (const char *at = plain; *at != '\0'; at++) {
        strcat(form.suffix, *at == '-' ? "⁻" : digits[*at - '0']);
    }
    form.decimals = num_decimals(step / form.factor);
    return form;
}

static number_form_t choose_form(double largest, double step)
{
    static const char *const suffixes[] = {"", " k", " M", " G", " T"};
    number_form_t form = {1, num_decimals(step), ""};

    if (largest >= 1e15 || form.decimals > 6) {
        return power_form((int) floor(log10(largest)), step);
    }
    for (size_t j = 1; largest >= 1e5 && j < 5; j++) {
        const double factor = pow(1000, (double) j);

        if (largest >= factor && num_decimals(step / factor) <= 1) {
            form = (number_form_t){factor, num_decimals(step / factor), ""};
            strcat(form.suffix, suffixes[j]);
        }
    }
    return form;
}

/* ---- Ticks ---- */

/* The label of a new tick at a value; where there are too many, one of no tick. */
static char *add_tick(spot_scale_t *self, double value)
{
    spot_tick_t *tick = &self->ticks[self->num_ticks];

    self->num_ticks += self->num_ticks < SPOT_CHART_MAX_TICKS;
    tick->value = value;
    return tick->label;
}

static void add_number(spot_scale_t *self, double number, double unit, const number_form_t *form)
{
    const char *percent = self->unit_kind == SPOT_CHART_PERCENT ? " %" : "";
    const double value = fabs(number / form->factor);
    char *label = add_tick(self, number * unit);

    if (value < 0.5 * pow(10, -form->decimals)) {
        snprintf(label, SPOT_CHART_TICK_BYTES, "0%s", percent);
    } else {
        snprintf(label, SPOT_CHART_TICK_BYTES, "%s%.*f%.16s%s", number < 0 ? "−" : "",
            form->decimals, value, form->suffix, percent);
    }
}

/* 1, 2 or 5 times a power of ten: the smallest with at most max_ticks ticks in a range.
 */
static double choose_step(double low, double high, size_t max_ticks)
{
    static const double factors[] = {1, 2, 5};
    double power = pow(10, floor(log10((high - low) / (double) max_ticks)));

    for (int j = 0; j < 12; j++) {
        const double step = power * factors[j % 3];

        if (floor(high / step + 1e-7) - ceil(low / step - 1e-7) + 1 <= (double) max_ticks) {
            return step;
        }
        power *= j % 3 == 2 ? 10 : 1;
    }
    return power;
}

static void add_linear(spot_scale_t *self, bool is_round, size_t max_ticks)
{
    double low = self->low / self->unit, high = self->high / self->unit;
    /* Rounding adds a tick at each end. */
    const double step = choose_step(low, high, is_round ? max_ticks - 2 : max_ticks);
    number_form_t form;

    if (is_round) {
        low = floor(low / step + 1e-7) * step;
        high = ceil(high / step - 1e-7) * step;
        self->low = low * self->unit;
        self->high = high * self->unit;
    }
    form = choose_form(fmax(fabs(low), fabs(high)), step);
    self->num_ticks = 0;
    for (double place = ceil(low / step - 1e-7); place <= high / step + 1e-7; place++) {
        add_number(self, place * step, self->unit, &form);
    }
}

static bool is_in_range(const spot_scale_t *self, double value)
{
    return value >= self->low * (1 - 1e-9) && value <= self->high * (1 + 1e-9);
}

/* Durations that people name, up to a level: 0 always, the others where there is room.
 */
static void add_durations(spot_scale_t *self, int level)
{
    static const struct {
        double time_s;
        int level;
        const char *label;
    } times[] = {{1e-3, 0, "1 ms"}, {2e-3, 3, "2 ms"}, {5e-3, 3, "5 ms"}, {1e-2, 1, "10 ms"},
        {2e-2, 3, "20 ms"}, {5e-2, 3, "50 ms"}, {0.1, 1, "100 ms"}, {0.2, 3, "200 ms"},
        {0.5, 3, "500 ms"}, {1, 0, "1 s"}, {2, 3, "2 s"}, {5, 3, "5 s"}, {10, 1, "10 s"},
        {20, 3, "20 s"}, {30, 2, "30 s"}, {60, 0, "1 min"}, {120, 3, "2 min"}, {300, 3, "5 min"},
        {600, 1, "10 min"}, {1200, 3, "20 min"}, {1800, 2, "30 min"}, {3600, 0, "1 h"},
        {7200, 3, "2 h"}, {18000, 3, "5 h"}, {36000, 1, "10 h"}, {86400, 0, "1 d"},
        {172800, 3, "2 d"}, {432000, 3, "5 d"}, {864000, 1, "10 d"}, {2592000, 2, "30 d"},
        {8640000, 0, "100 d"}, {86400000, 1, "1000 d"}, {864000000, 0, "10000 d"}};

    self->num_ticks = 0;
    for (size_t j = 0; j < sizeof(times) / sizeof(times[0]); j++) {
        const double value = times[j].time_s * (self->unit_kind == SPOT_CHART_MS ? 1000 : 1);

        if (times[j].level <= level && is_in_range(self, value)) {
            strcpy(add_tick(self, value), times[j].label);
        }
    }
}

/* stride 0: 1, 2 and 5 times each power of ten; n: each n-th power. */
static void add_powers(spot_scale_t *self, int stride)
{
    static const double factors[] = {1, 2, 5};
    const int last = (int) ceil(log10(self->high));

    self->num_ticks = 0;
    for (int power = (int) floor(log10(self->low)); power <= last; power++) {
        for (size_t j = 0; j < (stride == 0 ? 3 : 1); j++) {
            const double value = factors[j] * pow(10, power);
            const number_form_t form = choose_form(value, value);

            if ((stride == 0 || power % stride == 0) && is_in_range(self, value)) {
                add_number(self, value, 1, &form);
            }
        }
    }
}

static void add_log(spot_scale_t *self, size_t max_ticks)
{
    const double decades = log10(self->high / self->low);
    int level = self->time_name == NULL ? -1 : 3;

    for (; level >= 0; level--) {
        add_durations(self, level);
        if (self->num_ticks <= max_ticks) {
            break;
        }
    }
    if (level < 0 || self->num_ticks < 2) {
        add_powers(self,
            3 * decades + 1 > (double) max_ticks ? (int) ceil(decades / (double) max_ticks) : 0);
    }
    self->has_own_units = self->num_ticks >= 2;
    if (!self->has_own_units) {
        add_linear(self, false, max_ticks);
    }
}

/* ---- The scale ---- */

/* Ends that are apart, finite, and of a logarithmic scale above 0. */
static void choose_ends(spot_scale_t *self, double low, double high)
{
    if (!(low <= high) || !isfinite(low) || !isfinite(high)) {
        low = self->kind == SPOT_CHART_LOG ? 1 : 0;
        high = low + 1;
    }
    low = fmin(fmax(low, -WIDEST), WIDEST);
    high = fmin(fmax(high, -WIDEST), WIDEST);
    if (self->kind == SPOT_CHART_LOG) {
        high = high > 1e-280 ? high : 1;
        low = fmin(low > 1e-280 ? low : high / 1000, high);
        if (high < low * 1.05) {
            low /= 1.5;
            high *= 1.5;
        }
    } else if (high - low <= NARROWEST * fmax(fabs(low), fabs(high))) {
        const double room = fmax(fabs(low), fabs(high)) / 10;

        low -= room > 1e-280 ? room : 0.5;
        high += room > 1e-280 ? room : 0.5;
    }
    self->low = low;
    self->high = high;
}

/* The largest unit of which there are at least three. */
static void choose_time_unit(spot_scale_t *self)
{
    static const struct {
        const char *name;
        double unit_s;
    } units[] = {{"d", 86400}, {"h", 3600}, {"min", 60}, {"s", 1}, {"ms", 1e-3}};
    const double second = self->unit_kind == SPOT_CHART_MS ? 1000 : 1;
    const double largest = fmax(fabs(self->low), fabs(self->high));
    size_t j = 0;

    while (j < 4 && largest / second < 3 * units[j].unit_s) {
        j++;
    }
    self->time_name = units[j].name;
    self->unit = units[j].unit_s * second;
}

void spot_scale_init(spot_scale_t *self, spot_chart_scale_kind_t kind, spot_chart_unit_t unit,
    double low, double high, bool is_round, size_t max_ticks)
{
    *self = (spot_scale_t){.kind = kind, .unit_kind = unit, .unit = 1};
    choose_ends(self, low, high);
    if (kind != SPOT_CHART_ROWS && (unit == SPOT_CHART_MS || unit == SPOT_CHART_S)) {
        choose_time_unit(self);
    }
    if (kind == SPOT_CHART_LOG) {
        add_log(self, max_ticks);
    } else if (kind == SPOT_CHART_LINEAR) {
        add_linear(self, is_round, max_ticks);
    }
}

double spot_scale_px(const spot_scale_t *self, double value)
{
    const bool is_log = self->kind == SPOT_CHART_LOG;
    double share;

    if (isnan(value) || (is_log && value <= 0)) {
        return (double) NAN;
    }
    if (self->num_rows > 0) {
        const double row = fmin(fmax(round(value), 0), (double) self->num_rows - 1);

        return self->row_px[(size_t) row] + (value - row) * self->pitch_px;
    }
    share = is_log ? log(value / self->low) / log(self->high / self->low)
                   : (value - self->low) / (self->high - self->low);
    share = fmin(fmax(share, -FAR), 1 + FAR);
    return self->low_px + share * (self->high_px - self->low_px);
}

double spot_scale_end_px(const spot_scale_t *self, double value)
{
    const bool is_below = self->kind == SPOT_CHART_LOG && value <= 0;

    return spot_scale_px(self, is_below ? self->low * 1e-30 : value);
}
