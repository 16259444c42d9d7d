/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Logarithmic axes. A panel holds log10 of the values; the ticks say what they are. */
#ifndef SPOT_REPORTS_TRACES_LOG_SCALE_H
#define SPOT_REPORTS_TRACES_LOG_SCALE_H

#include <stddef.h>

#include "reports/figure.h"

#define SPOT_MAX_TICKS 40

typedef struct {
    double value;
    char text[16];
} spot_tick_t;

typedef struct {
    double low;
    double high;
    size_t num_ticks;
    spot_tick_t ticks[SPOT_MAX_TICKS]; /* [num_ticks] from low to high */
} spot_log_scale_t;

/* Durations from low_s to high_s, in s, with round ones as ticks: "10 s", "1 min",
 * "6 h". Where fewer than three of them lie within, from one tick to another that are
 * around. 0 < low_s <= high_s, finite; what is below 1 us or above 10^12 s is cut
 * off. */
spot_log_scale_t spot_log_scale_durations(double low_s, double high_s);

/* Shares from low to 1, as "0.1 %", or from the next tick below. 1e-30 < low <= 1. */
spot_log_scale_t spot_log_scale_shares(double low);

/* Where a value is on a panel: its log10, at an end of the scale where it lies outside.
 */
double spot_log_scale_place(const spot_log_scale_t *self, double value);

/* The ticks of an axis, axis "x" or "y"; after spot_figure_panel(), which sets others.
 */
void spot_figure_log_ticks(
    const spot_figure_t *self, const char *axis, const spot_log_scale_t *scale);

/* A duration in words of two or three digits: "90 s", "4 min", "1.25 h". */
#define SPOT_DURATION_WORDS_BYTES 32
void spot_duration_words(double duration_s, char words[SPOT_DURATION_WORDS_BYTES]);

#endif
