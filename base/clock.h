/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clocks for progress and waits; no result depends on them. */
#pragma once

/* Seconds since a fixed moment, which changes only when the machine restarts. */
double spot_clock_s(void);

/* CPU seconds of all threads of the process. */
double spot_clock_cpu_s(void);

/* CPU seconds of the calling thread. */
double spot_clock_thread_s(void);
