/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/store/origin.h"

#include <stdlib.h>
#include <string.h>

int
spot_origin_read(spot_origin_t *self, const spot_store_t *store)
{
    memset(self, 0, sizeof(*self));
    return store->read_origin == NULL ? 0 : store->read_origin(store, self);
}

static void
free_writer(spot_writer_t *self)
{
    free(self->started);
    free(self->seen);
    free(self->ended);
    free(self->outcome);
    free(self->canonical_sha256);
    free(self->version);
    free(self->commit);
    free(self->compiler);
    free(self->libraries);
    free(self->machine);
    free(self->command_line);
    free(self->shard);
}

void
spot_origin_free(spot_origin_t *self)
{
    for (size_t j = 0; j < self->num_writers; j++) {
        free_writer(&self->writers[j]);
    }
    free(self->writers);
    free(self->canonical);
    free(self->canonical_sha256);
    memset(self, 0, sizeof(*self));
}
