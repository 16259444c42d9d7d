/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The clock of benches of one thread. */
#ifndef SPOT_TESTS_BENCH_CPU_TIME_H
#define SPOT_TESTS_BENCH_CPU_TIME_H

#include <time.h>

static inline double
cpu_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

#endif
