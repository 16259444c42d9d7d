/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/generate/outlet.h"

#include "base/units.h"
#include "traces/laws/law.h"

void spot_model_ticks_init(spot_model_ticks_t *self, const spot_model_common_t *common)
{
    const int64_t last_ms = spot_model_last_ms(common);

    self->horizon_s = (double) last_ms / (double) SPOT_MS_PER_S;
    self->tick_ms = common->tick_ms;
    self->last_tick = last_ms / common->tick_ms;
}

void spot_outlet_init(spot_outlet_t *self, const spot_model_common_t *common, int64_t population)
{
    spot_model_ticks_init(&self->ticks, common);
    spot_recorder_init(&self->recorder, common->tick_ms, false, population);
    self->num_seen = 0;
    self->num_given = 0;
}

void spot_gap_law_check(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    const spot_law_t *law = target;

    if (!(law->family->moment(law->parameters, 1) >= 1e-3)) {
        spot_bind_error(bind, node, field->name,
            "expected a law with a mean of at least 1 ms, got one of %g s",
            law->family->moment(law->parameters, 1));
    }
}

bool spot_outlet_next_until(spot_outlet_t *self, const spot_process_t *process, void *state,
    int64_t last_tick, spot_event_t *event)
{
    spot_happening_t happening;

    while (self->num_given == self->num_seen) {
        const double due_s = process->due_s(state);

        self->num_given = 0;
        if (spot_model_ticks_seeing(&self->ticks, due_s) <= last_tick) {
            process->happen(state, &happening);
            self->num_seen = spot_recorder_take(
                &self->recorder, 1e3 * due_s, happening.kind, happening.count, self->seen);
        } else {
            self->num_seen = spot_recorder_finish(&self->recorder, self->seen);
            if (self->num_seen == 0) {
                return false;
            }
        }
    }
    *event = self->seen[self->num_given++];
    return true;
}
