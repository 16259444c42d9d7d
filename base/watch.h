/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long work is watched and stopped by whoever asked for it. All zero: it is left
 * alone. */
#ifndef SPOT_BASE_WATCH_H
#define SPOT_BASE_WATCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    atomic_int *stop; /* not 0: give up at the next good place; may be NULL */
    void (*progress)(void *context, int64_t num_done, int64_t num_total); /* or NULL */
    void *context;
} spot_watch_t;

static inline bool
spot_watch_is_stopped(const spot_watch_t *self)
{
    return self->stop != NULL && atomic_load(self->stop) != 0;
}

static inline void
spot_watch_tell(const spot_watch_t *self, int64_t num_done, int64_t num_total)
{
    if (self->progress != NULL) {
        self->progress(self->context, num_done, num_total);
    }
}

#endif
