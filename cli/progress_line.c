/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/progress_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/stop.h"

#define TOLD_EVERY_S 0.2

static void
show(void *context, int64_t num_done, int64_t num_total)
{
    spot_progress_line_t *self = context;
    const double time_s = spot_clock_s();
    const double passed_s = time_s - self->started_s;

    if (time_s - self->told_s < TOLD_EVERY_S || num_done == 0) {
        return;
    }
    self->told_s = time_s;
    self->is_shown = true;
    fprintf(stderr,
        "\r%5.1f %%  %" PRId64 " of %" PRId64 " %s, %.0f/s, %.0f s left\033[K",
        100 * (double) num_done / (double) num_total, num_done, num_total, self->unit,
        (double) num_done / passed_s,
        passed_s * (double) (num_total - num_done) / (double) num_done);
}

spot_watch_t
spot_progress_line_start(spot_progress_line_t *self, const char *unit, bool is_quiet)
{
    const bool is_watched = !is_quiet && isatty(STDERR_FILENO) == 1;
    const double time_s = spot_clock_s();

    *self = (spot_progress_line_t){.unit = unit, .started_s = time_s, .told_s = time_s};
    return (spot_watch_t){&spot_stop, is_watched ? show : NULL, self};
}

double
spot_progress_line_finish(spot_progress_line_t *self)
{
    if (self->is_shown) {
        fputs("\r\033[K", stderr);
        self->is_shown = false;
    }
    return spot_clock_s() - self->started_s;
}
