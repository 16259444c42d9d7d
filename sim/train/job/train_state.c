/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/job/train_state.h"

#include <inttypes.h>

#include "base/error.h"

/* ---- The ledger ---- */

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

/* ---- State ---- */

/* The state of the training engine, for debugging and failing tests. */

void spot_train_print_state(const spot_train_t *self, FILE *out)
{
    const spot_episode_t *episode = &self->episode;

    fprintf(out,
        "now %" PRId64 " ms, end %" PRId64 " ms; since %" PRId64 " ms: %" PRId64
        " active in %d pipelines",
        self->now_ms, self->end_ms, episode->start_ms, episode->world_size, self->num_pipelines);
    if (episode->cycle != NULL) {
        fprintf(out, ", training from %" PRId64 " ms", episode->training_ms);
    }
    fprintf(out, "; %" PRId64 " steps executed, %" PRId64 " durable\n", self->result.steps_executed,
        self->result.steps_durable);
    spot_membership_print_state(&self->membership, out);
    spot_fleet_print_state(&self->fleet, out);
}

void spot_train_verify(const spot_train_t *self)
{
    const int32_t *counts = self->fleet.counts;

    spot_membership_verify(&self->membership);
    spot_fleet_verify(&self->fleet);
    spot_bug_assert(
        spot_fleet_population(&self->fleet) == self->membership.population + self->num_on_demand);
    spot_bug_assert(self->episode.world_size == counts[SPOT_ACTIVE]);
    spot_bug_assert(self->now_ms <= self->end_ms);
    spot_bug_assert(self->end_ms <= self->scenario->horizon_ms);
}
