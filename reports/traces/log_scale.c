/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/traces/log_scale.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Wider ranges show the coarse ticks only. */
#define MAX_FINE_DECADES 3.0
/* With fewer ticks nobody can read an axis. */
#define MIN_TICKS 3
/* Beyond them there is no clock. */
#define MIN_DURATION_S 1e-6
#define MAX_DURATION_S 1e12

/* Between seconds and days people count in 60 and 24. */
static const struct {
    double value_s;
    const char *text;
    bool is_coarse;
} durations[] = {
    {1, "1 s", true},
    {2, "2 s", false},
    {5, "5 s", false},
    {10, "10 s", true},
    {20, "20 s", false},
    {60, "1 min", true},
    {120, "2 min", false},
    {300, "5 min", false},
    {600, "10 min", true},
    {1200, "20 min", false},
    {3600, "1 h", true},
    {7200, "2 h", false},
    {21600, "6 h", true},
    {43200, "12 h", false},
    {86400, "1 d", true},
    {172800, "2 d", false},
    {432000, "5 d", false},
    {864000, "10 d", true},
    {1728000, "20 d", false},
    {4320000, "50 d", false},
};
#define NUM_DURATIONS (sizeof(durations) / sizeof(durations[0]))

/* Far outside of what the table has, powers of ten: of seconds and of days. */
static double
power_tick(int tick_id, bool is_days, char text[16])
{
    const double power = pow(10, tick_id);

    snprintf(text, 16, "%g %s", power, is_days ? "d" : "s");
    return is_days ? power * 86400 : power;
}

/* The tick_id-th tick of all, coarse or fine ones; false where that list leaves it out.
 * From 0 on those of the table. */
static bool
duration_tick(int tick_id, bool is_fine, spot_tick_t *tick)
{
    if (tick_id < 0) {
        tick->value = power_tick(tick_id, false, tick->text);
        return true;
    }
    if ((size_t) tick_id >= NUM_DURATIONS) {
        tick->value = power_tick(tick_id - (int) NUM_DURATIONS + 2, true, tick->text);
        return true;
    }
    tick->value = durations[tick_id].value_s;
    snprintf(tick->text, sizeof(tick->text), "%s", durations[tick_id].text);
    return is_fine || durations[tick_id].is_coarse;
}

/* Takes the next tick; what was taken goes as long as this one is still not above low.
 */
static void
add_tick(spot_log_scale_t *self, const spot_tick_t *tick, double low)
{
    if (tick->value <= low) {
        self->num_ticks = 0;
    }
    self->ticks[self->num_ticks++] = *tick;
}

/* The ticks go from around low to around high: drops those that are outside, if enough
 * is left. */
static void
set_ends(spot_log_scale_t *self, double low, double high)
{
    const size_t first = self->ticks[0].value < low;
    const size_t num_within =
        self->num_ticks - first - (self->ticks[self->num_ticks - 1].value > high);

    self->low = self->ticks[0].value;
    self->high = self->ticks[self->num_ticks - 1].value;
    if (num_within >= MIN_TICKS) {
        memmove(self->ticks, self->ticks + first, num_within * sizeof(*self->ticks));
        self->num_ticks = num_within;
        self->low = low;
        self->high = high;
    }
}

spot_log_scale_t
spot_log_scale_durations(double low_s, double high_s)
{
    const double low = fmin(fmax(low_s, MIN_DURATION_S), MAX_DURATION_S);
    const double high =
        fmin(fmax(high_s, nextafter(low, (double) INFINITY)), MAX_DURATION_S * 2);
    const bool is_fine = log10(high / low) < MAX_FINE_DECADES;
    int tick_id = low < 1 ? (int) floor(log10(low)) - 1 : 0;
    spot_log_scale_t scale = {.num_ticks = 0};

    for (;;) {
        spot_tick_t tick;

        if (duration_tick(tick_id++, is_fine, &tick)) {
            add_tick(&scale, &tick, low);
            if (tick.value >= high) {
                break;
            }
        }
    }
    set_ends(&scale, low, high);
    return scale;
}

spot_log_scale_t
spot_log_scale_shares(double low)
{
    static const double factors[] = {1, 2, 5};
    const bool is_fine = -log10(low) < MAX_FINE_DECADES;
    spot_log_scale_t scale = {.num_ticks = 0};

    low = fmin(low, 0.5);
    for (int power = (int) floor(log10(low)) - 1; power < 0; power++) {
        for (size_t j = 0; j < (is_fine ? 3 : 1); j++) {
            spot_tick_t tick = {.value = factors[j] * pow(10, power)};

            snprintf(tick.text, sizeof(tick.text), "%g %%", 100 * tick.value);
            add_tick(&scale, &tick, low);
        }
    }
    add_tick(&scale, &(spot_tick_t){1, "100 %"}, 0);
    set_ends(&scale, low, 1);
    return scale;
}

double
spot_log_scale_place(const spot_log_scale_t *self, double value)
{
    return log10(fmin(fmax(value, self->low), self->high));
}

void
spot_figure_log_ticks(
    const spot_figure_t *self, const char *axis, const spot_log_scale_t *scale)
{
    fprintf(self->out, "set %stics (", axis);
    for (size_t j = 0; j < scale->num_ticks; j++) {
        fputs(j == 0 ? "'" : ", '", self->out);
        for (const char *byte = scale->ticks[j].text; *byte != '\0'; byte++) {
            fputs(*byte == '%' ? "%" : "", self->out); /* gnuplot takes it as a format */
            fputc(*byte, self->out);
        }
        fprintf(self->out, "' %.10g", log10(scale->ticks[j].value));
    }
    fputs(")\n", self->out);
}

void
spot_duration_words(double duration_s, char words[SPOT_DURATION_WORDS_BYTES])
{
    static const struct {
        const char *name;
        double unit_s;
    } units[] = {{"d", 86400}, {"h", 3600}, {"min", 60}};

    for (size_t j = 0; j < sizeof(units) / sizeof(units[0]); j++) {
        if (duration_s >= 2 * units[j].unit_s) {
            const double number = duration_s / units[j].unit_s;

            snprintf(words, SPOT_DURATION_WORDS_BYTES,
                number < 999.5 ? "%.3g %s" : "%.0f %s", number, units[j].name);
            return;
        }
    }
    snprintf(words, SPOT_DURATION_WORDS_BYTES, "%.3g s", duration_s);
}
