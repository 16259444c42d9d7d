/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Progress and stop of long work. All zero: no progress is reported and nothing stops
 * it. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
