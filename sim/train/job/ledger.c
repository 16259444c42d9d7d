/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/job/ledger.h"

#include "base/error.h"

const char *const spot_share_names[SPOT_NUM_SHARES] = {"prepping", "standby", "reconfiguring",
    "reloading", "useful", "lost", "unsaved", "stalled", "redundant"};

int64_t spot_ledger_total(const spot_ledger_t *self)
{
    int64_t total_ms = 0;

    for (int j = 0; j < SPOT_NUM_SHARES; j++) {
        total_ms += self->instance_ms[j];
    }
    return total_ms;
}

void spot_ledger_verify(const spot_ledger_t *self)
{
    for (int j = 0; j < SPOT_NUM_SHARES; j++) {
        spot_bug_assert(self->instance_ms[j] >= 0);
    }
    spot_bug_assert(spot_ledger_total(self) == self->population_ms);
}
