/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/bytes.h"

#include <stdlib.h>

#include "base/memory.h"

int
spot_bytes_reserve(spot_bytes_t *self, size_t num_more)
{
    if (num_more > SIZE_MAX - self->num_bytes) {
        return SPOT_ERR_NO_MEMORY;
    }
    return spot_array_reserve(
        &self->bytes, &self->max_bytes, self->num_bytes + num_more, 1);
}

void
spot_bytes_free(spot_bytes_t *self)
{
    free(self->bytes);
    *self = (spot_bytes_t){0};
}
