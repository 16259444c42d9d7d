/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far long work is: a line that is written over and over where standard error is a
 * terminal, nothing elsewhere. */
#pragma once

#include <stdbool.h>

#include "base/watch.h"

typedef struct {
    const char *unit; /* what is counted: "runs" */
    bool is_shown;
    double started_s;
    double told_s;
} spot_progress_line_t;

/* Starts the clock. The watch stops the work after Ctrl-C; is_quiet: shows nothing. self
 * must not move while it is used. */
spot_watch_t spot_progress_line_start(
    spot_progress_line_t *self, const char *unit, bool is_quiet);

/* Clears the line; returns the seconds since the start. */
double spot_progress_line_finish(spot_progress_line_t *self);
