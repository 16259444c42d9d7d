/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/schedule/work.h"

#include <math.h>
#include <stdbool.h>

/* The value that a subtraction takes off as long as the result stays in the octave of
 * work, and how many subtractions surely do. Within an octave doubles are equally far
 * apart, so that each difference is rounded by the same amount; a difference in the
 * middle between two doubles is rounded to the even one and is left to the loop. */
static double octave_step(double work, double rate, double *num_steps)
{
    int exponent;
    double low, step;

    (void) frexp(work, &exponent);
    low = ldexp(1, exponent - 1);
    step = work - (work - rate);
    *num_steps = 0;
    if (work - rate >= low && step > 0 && fabs(step - rate) < ldexp(1, exponent - 54)) {
        *num_steps = floor((work - low) / step) - 1;
    }
    return step;
}

/* Subtracts up to num_seconds times, and not further than the first result up to 0 if
 * until_0. Returns how many times. */
static int64_t subtract(double *work, double rate, int64_t num_seconds, bool until_0)
{
    int64_t num_done = 0;

    while (num_done < num_seconds && (!until_0 || *work > 0)) {
        double num_steps = 0;
        const double step = *work > 4 * rate ? octave_step(*work, rate, &num_steps) : 0;

        if (num_steps >= 1) {
            const double num_left = (double) (num_seconds - num_done);

            num_steps = num_steps < num_left ? num_steps : num_left;
            *work -= num_steps * step; /* exact: multiples of one unit */
            num_done += (int64_t) num_steps;
        } else {
            *work -= rate;
            num_done++;
        }
    }
    return num_done;
}

static bool is_whole(double work, double rate)
{
    return rate == floor(rate) && work == floor(work);
}

double spot_work_after(double work, double rate, int64_t num_seconds)
{
    if (is_whole(work, rate)) {
        return work - (double) num_seconds * rate;
    }
    (void) subtract(&work, rate, num_seconds, false);
    return work;
}

int64_t spot_work_seconds(double work, double rate)
{
    if (work <= 0) {
        return 0;
    }
    if (is_whole(work, rate)) { /* the quotient of whole numbers below 2^53 */
        const int64_t whole = (int64_t) work, step = (int64_t) rate;

        return (whole + step - 1) / step;
    }
    return subtract(&work, rate, INT64_MAX, true);
}
