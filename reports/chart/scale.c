/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/chart/scale.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reports/chart/model.h"

#define NARROWEST 1e-9 /* of a range, relative to its values: doubles have no more */
#define WIDEST 1e280   /* so that no difference overflows */
#define FAR 4          /* lengths of an axis beyond its ends */

/* ---- Linear ticks ---- */

/* 1, 2 or 5 times a power of ten: the smallest with at most max_ticks ticks in a range.
 */
static double
choose_step(double low, double high, size_t max_ticks)
{
    static const double factors[] = {1, 2, 5};
    double power = pow(10, floor(log10((high - low) / (double) max_ticks)));

    for (int j = 0; j < 12; j++) {
        const double step = power * factors[j % 3];

        if (floor(high / step + 1e-7) - ceil(low / step - 1e-7) + 1 <=
            (double) max_ticks) {
            return step;
        }
        power *= j % 3 == 2 ? 10 : 1;
    }
    return power;
}

/* "10⁻⁷" without its 10: the exponent in small digits. */
static void
small_digits(int number, char text[SPOT_CHART_TICK_BYTES])
{
    static const char *const digits[] = {
        "⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char plain[16];

    snprintf(plain, sizeof(plain), "%d", number);
    text[0] = '\0';
    for (const char *at = plain; *at != '\0'; at++) {
        strcat(text, *at == '-' ? "⁻" : digits[*at - '0']);
    }
}

static int
num_decimals(double step)
{
    const int num = (int) -floor(log10(step) + 1e-9);

    return num > 0 ? num : 0;
}

/* How the numbers of an axis are written, the same for all: in ones, k, M, G or T where
 * that needs at most a decimal, else in a power of ten. */
typedef struct {
    double factor;
    int decimals;
    char suffix[SPOT_CHART_TICK_BYTES];
} number_form_t;

static number_form_t
choose_form(double largest, double step)
{
    static const char *const suffixes[] = {"", " k", " M", " G", " T"};
    number_form_t form = {1, num_decimals(step), ""};
    char exponent[SPOT_CHART_TICK_BYTES];

    if (largest >= 1e15 || form.decimals > 6) {
        const int power = (int) floor(log10(largest));

        form.factor = pow(10, power);
        form.decimals = num_decimals(step / form.factor);
        small_digits(power, exponent);
        snprintf(form.suffix, sizeof(form.suffix), "·10%.24s", exponent);
        return form;
    }
    for (size_t j = 1; largest >= 1e5 && j < 5; j++) {
        const double factor = pow(1000, (double) j);

        if (largest >= factor && num_decimals(step / factor) <= 1) {
            form = (number_form_t){factor, num_decimals(step / factor), ""};
            snprintf(form.suffix, sizeof(form.suffix), "%s", suffixes[j]);
        }
    }
    return form;
}

static void
write_number(const number_form_t *form, double value, const char *unit,
    char label[SPOT_CHART_TICK_BYTES])
{
    const bool is_zero = fabs(value / form->factor) < 0.5 * pow(10, -form->decimals);

    if (is_zero) {
        snprintf(label, SPOT_CHART_TICK_BYTES, "0%s", unit);
    } else {
        const char *sign = value < 0 ? "−" : "";

        snprintf(label, SPOT_CHART_TICK_BYTES, "%s%.*f%.16s%s", sign, form->decimals,
            fabs(value / form->factor), form->suffix, unit);
    }
}

/* In units of unit_value each. */
static void
add_linear(spot_chart_scale_t *self, double unit_value, bool is_round, size_t max_ticks)
{
    double low = self->low / unit_value, high = self->high / unit_value;
    /* Rounding adds a tick at each end. */
    const double step = choose_step(low, high, is_round ? max_ticks - 2 : max_ticks);
    const char *unit = self->unit == SPOT_CHART_PERCENT ? " %" : "";
    number_form_t form;
    double first;

    if (is_round) {
        low = floor(low / step + 1e-7) * step;
        high = ceil(high / step - 1e-7) * step;
        self->low = low * unit_value;
        self->high = high * unit_value;
    }
    form = choose_form(fmax(fabs(low), fabs(high)), step);
    first = ceil(low / step - 1e-7);
    self->num_ticks = 0;
    for (double place = first;
         place <= high / step + 1e-7 && self->num_ticks < SPOT_CHART_MAX_TICKS;
         place++) {
        spot_chart_scale_tick_t *tick = &self->ticks[self->num_ticks++];

        tick->value = place * step * unit_value;
        write_number(&form, place * step, unit, tick->label);
    }
}

/* ---- Time ---- */

static const struct {
    const char *name;
    double unit_s;
} time_units[] = {{"d", 86400}, {"h", 3600}, {"min", 60}, {"s", 1}, {"ms", 1e-3}};
#define NUM_TIME_UNITS (sizeof(time_units) / sizeof(time_units[0]))

static double
second_of(spot_chart_unit_t unit)
{
    return unit == SPOT_CHART_MS ? 1000 : 1;
}

const char *
spot_chart_time_unit(spot_chart_unit_t unit, double largest, double *length)
{
    const double second = second_of(unit);
    size_t j = 0;

    while (j + 1 < NUM_TIME_UNITS && largest / second < 3 * time_units[j].unit_s) {
        j++;
    }
    *length = time_units[j].unit_s * second;
    return time_units[j].name;
}

static void
add_times(spot_chart_scale_t *self, bool is_round, size_t max_ticks)
{
    double length;

    self->time_name = spot_chart_time_unit(
        self->unit, fmax(fabs(self->low), fabs(self->high)), &length);
    add_linear(self, length, is_round, max_ticks);
}

/* ---- Logarithmic ticks ---- */

static void
add_candidate(spot_chart_scale_t *self, double value, const char *label)
{
    if (value >= self->low * (1 - 1e-9) && value <= self->high * (1 + 1e-9) &&
        self->num_ticks < SPOT_CHART_MAX_TICKS) {
        spot_chart_scale_tick_t *tick = &self->ticks[self->num_ticks++];

        tick->value = value;
        snprintf(tick->label, sizeof(tick->label), "%s", label);
    }
}

/* Durations that people name, coarsest choice last: 0 always, 1 and 2 where there is
 * room. */
static void
add_log_times(spot_chart_scale_t *self, int level)
{
    static const struct {
        double time_s;
        int level;
        const char *label;
    } times[] = {{1e-3, 0, "1 ms"}, {1e-2, 1, "10 ms"}, {0.1, 1, "100 ms"},
        {1, 0, "1 s"}, {2, 3, "2 s"}, {5, 3, "5 s"}, {10, 1, "10 s"}, {20, 3, "20 s"},
        {30, 2, "30 s"}, {60, 0, "1 min"}, {120, 3, "2 min"}, {300, 3, "5 min"},
        {600, 1, "10 min"}, {1200, 3, "20 min"}, {1800, 2, "30 min"}, {3600, 0, "1 h"},
        {7200, 3, "2 h"}, {18000, 3, "5 h"}, {36000, 1, "10 h"}, {86400, 0, "1 d"},
        {172800, 3, "2 d"}, {432000, 3, "5 d"}, {864000, 1, "10 d"},
        {2592000, 2, "30 d"}, {8640000, 0, "100 d"}, {86400000, 1, "1000 d"},
        {864000000, 0, "10000 d"}};
    const double second = second_of(self->unit);

    self->num_ticks = 0;
    for (size_t j = 0; j < sizeof(times) / sizeof(times[0]); j++) {
        if (times[j].level <= level) {
            add_candidate(self, times[j].time_s * second, times[j].label);
        }
    }
}

/* stride 0: 1, 2 and 5 times each power of ten; n: each n-th power. */
static void
add_powers(spot_chart_scale_t *self, int stride)
{
    static const double factors[] = {1, 2, 5};
    const int first = (int) floor(log10(self->low)),
              last = (int) ceil(log10(self->high));
    const char *unit = self->unit == SPOT_CHART_PERCENT ? " %" : "";

    self->num_ticks = 0;
    for (int power = first; power <= last; power++) {
        for (size_t j = 0; j < (stride == 0 ? 3 : 1); j++) {
            const double value = factors[j] * pow(10, power);
            const number_form_t form = choose_form(value, value);
            char label[SPOT_CHART_TICK_BYTES];

            if (stride == 0 || power % stride == 0) {
                write_number(&form, value, unit, label);
                add_candidate(self, value, label);
            }
        }
    }
}

static void
add_log(spot_chart_scale_t *self, size_t max_ticks)
{
    const double decades = log10(self->high / self->low);
    const int stride = (int) ceil(decades / (double) max_ticks);

    if (spot_chart_is_time(self->unit)) {
        for (int level = 3; level >= 0; level--) {
            add_log_times(self, level);
            if (self->num_ticks <= max_ticks) {
                break;
            }
        }
    }
    if (!spot_chart_is_time(self->unit) || self->num_ticks < 2 ||
        self->num_ticks > max_ticks) {
        add_powers(self, 3 * decades + 1 > (double) max_ticks ? stride : 0);
    }
    if (self->num_ticks < 2 && spot_chart_is_time(self->unit)) {
        add_times(self, false, max_ticks);
    } else if (self->num_ticks < 2) {
        add_linear(self, 1, false, max_ticks);
    }
}

/* ---- The scale ---- */

/* Ends that are apart, finite, and of a logarithmic scale above 0. */
static void
choose_ends(spot_chart_scale_t *self, double low, double high)
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

void
spot_chart_scale_init(spot_chart_scale_t *self, spot_chart_scale_kind_t kind,
    spot_chart_unit_t unit, double low, double high, bool is_round, size_t max_ticks)
{
    *self = (spot_chart_scale_t){.kind = kind, .unit = unit};
    choose_ends(self, low, high);
    if (kind == SPOT_CHART_LOG) {
        add_log(self, max_ticks);
    } else if (kind == SPOT_CHART_LINEAR && spot_chart_is_time(unit)) {
        add_times(self, is_round, max_ticks);
    } else if (kind == SPOT_CHART_LINEAR) {
        add_linear(self, 1, is_round, max_ticks);
    }
}

static double
place(const spot_chart_scale_t *self, double value)
{
    double share;

    if (self->kind == SPOT_CHART_LOG) {
        share = log(value / self->low) / log(self->high / self->low);
    } else {
        share = (value - self->low) / (self->high - self->low);
    }
    share = fmin(fmax(share, -FAR), 1 + FAR);
    return self->low_px + share * (self->high_px - self->low_px);
}

double
spot_chart_scale_px(const spot_chart_scale_t *self, double value)
{
    const bool is_defined = self->kind == SPOT_CHART_LOG ? value > 0 : !isnan(value);

    return is_defined ? place(self, value) : (double) NAN;
}

double
spot_chart_scale_end_px(const spot_chart_scale_t *self, double value)
{
    return place(
        self, self->kind == SPOT_CHART_LOG && value <= 0 ? self->low * 1e-30 : value);
}
