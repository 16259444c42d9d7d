/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/watch.h"

#include <time.h>

atomic_int spot_stop;
atomic_int spot_stop_child;

static double seconds_of(clockid_t clock)
{
    struct timespec now = {0, 0};

    clock_gettime(clock, &now);
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

double spot_clock_s(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

double spot_clock_cpu_s(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

double spot_clock_thread_s(void)
{
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}
