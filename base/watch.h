/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Long work: whether it is to stop, how far it is, and how long it takes.
 *
 * spot_stop is the state of the process: a signal handler can reach nothing else. Long
 * work gets a spot_watch_t, which points to such a flag and takes progress, so that it
 * knows neither signals nor screens. No result depends on the clocks. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Before C++23, C++ has no <stdatomic.h>. */
#ifdef __cplusplus
#include <atomic>
using std::atomic_int;
using std::atomic_load;
#else
#include <stdatomic.h>
#endif

/* ---- Stop ---- */

/* The number of the signal that has asked the process to end; 0: none. The handlers of
 * the program set it. Output files are not committed while it is set. Code that has
 * answered the signal and goes on to write files sets it to 0 again. */
extern atomic_int spot_stop;

/* The process of a program that the command waits for, which ends with it; 0: none. */
extern atomic_int spot_stop_child;

/* For loops over items that a file or an option counts, each of which takes under 10 us:
 * whether to stop now, looked at once in 16,384 items. */
static inline bool spot_stop_is_due(size_t item_id)
{
    return item_id % 16384 == 0 && atomic_load(&spot_stop) != 0;
}

/* ---- Progress ---- */

/* All zero: no progress is reported and nothing stops the work. */
typedef struct {
    atomic_int *stop; /* not 0: the work stops soon, INTERRUPTED; may be NULL */
    void (*progress)(void *context, int64_t num_done, int64_t num_total); /* or NULL */
    void *context;
} spot_watch_t;

static inline bool spot_watch_is_stopped(const spot_watch_t *self)
{
    return self->stop != NULL && atomic_load(self->stop) != 0;
}

static inline void spot_watch_report(const spot_watch_t *self, int64_t num_done, int64_t num_total)
{
    if (self->progress != NULL) {
        self->progress(self->context, num_done, num_total);
    }
}

/* ---- Clocks ---- */

/* Seconds since a fixed moment, which changes only when the machine restarts. */
double spot_clock_s(void);

/* CPU seconds of all threads of the process. */
double spot_clock_cpu_s(void);

/* CPU seconds of the calling thread. */
double spot_clock_thread_s(void);
