/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time that passes, for progress and waits; no result depends on it. */
#ifndef SPOT_BASE_CLOCK_H
#define SPOT_BASE_CLOCK_H

/* Seconds since some moment, which is the same while the machine is up. */
double spot_clock_s(void);

/* Seconds that all threads of the process have worked. */
double spot_clock_cpu_s(void);

/* Seconds that the calling thread has worked. */
double spot_clock_thread_s(void);

#endif
