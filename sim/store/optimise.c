/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/store/optimise.h"

#include <stdlib.h>
#include <string.h>

void
spot_optimise_free(spot_optimise_t *self)
{
    for (size_t j = 0; self->constraints != NULL && j < self->num_constraints; j++) {
        free(self->constraints[j].metric);
        free(self->constraints[j].text);
    }
    free(self->constraints);
    free(self->metric);
    memset(self, 0, sizeof(*self));
}
