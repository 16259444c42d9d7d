/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a signal has asked the process to end. This is state of the process as a
 * whole, since a signal handler can reach nothing else; the program's handlers set it.
 * Long work polls it through a pointer (spot_watch_t), and output files are not
 * committed while it is set. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* The number of the signal; 0: none. Code that has answered the signal and goes on to
 * write files sets it to 0 again. */
extern atomic_int spot_stop;

/* The process of a program that the command waits for, which ends with it; 0: none. */
extern atomic_int spot_stop_child;

/* For loops over items that a file or an option counts, each of which takes under 10 us:
 * whether to stop now, looked at once in 16,384 items. */
static inline bool spot_stop_is_due(size_t item_id)
{
    return item_id % 16384 == 0 && atomic_load(&spot_stop) != 0;
}
