/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a signal has asked the process to end. This is state of the process as a
 * whole, since a signal handler can reach nothing else; the program's handlers set it.
 * Long work polls it through a pointer (spot_watch_t), and output files are not
 * committed while it is set. */
#pragma once

#include <stdatomic.h>

/* The number of the signal; 0: none. Code that has answered the signal and goes on to
 * write files sets it to 0 again. */
extern atomic_int spot_stop;
