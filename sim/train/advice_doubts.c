/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What may be otherwise than it was taken. */
#include <inttypes.h>
#include <math.h>

#include "base/units.h"
#include "sim/train/advice.h"
#include "sim/train/job/scenario.h"

/* Writes the price of spot instances times a factor, from now on if the job runs. */
static bool dearer(const void *scenario, const spot_node_t *root, double factor, FILE *out)
{
    const spot_scenario_t *self = scenario;
    const spot_price_steps_t *price = &self->fleet.price.spot;
    const int64_t now_ms = self->so_far.elapsed_ms;
    const char *between = "";

    (void) root;
    if (spot_trace_model_has_price(&self->trace)) {
        return false;
    }
    fputs("fleet.price.spot: [", out);
    for (size_t j = 0; j < price->num_steps; j++) {
        const spot_price_step_t *step = &price->steps[j];
        const bool ends = j + 1 < price->num_steps && step[1].start_ms <= now_ms;
        char start[SPOT_DURATION_TEXT_BYTES];

        if (step->start_ms < now_ms) { /* with the factor from now on, if it holds so long */
            spot_duration_text(step->start_ms, start);
            fprintf(out, "%s{from: %s, usd_per_h: %.9g}", between, start, step->usd_per_h);
            between = ", ";
        }
        if (!ends) {
            spot_duration_text(step->start_ms > now_ms ? step->start_ms : now_ms, start);
            fprintf(out, "%s{from: %s, usd_per_h: %.9g}", between, start, factor * step->usd_per_h);
            between = ", ";
        }
    }
    fputs("]", out);
    return true;
}

static bool slower_checkpoints(
    const void *scenario, const spot_node_t *root, double factor, FILE *out)
{
    const int64_t write_ms = ((const spot_scenario_t *) scenario)->job.checkpoint.write_ms;
    char text[SPOT_DURATION_TEXT_BYTES];

    (void) root;
    if (write_ms == 0) {
        return false;
    }
    spot_duration_text((int64_t) nearbyint(factor * (double) write_ms), text);
    fprintf(out, "job.checkpoint.write: %s", text);
    return true;
}

const spot_advice_doubt_t spot_train_doubts[] = {
    {"preemptions and additions", "times as frequent", 8, .numbers = "trace.frequency"},
    {"spot price", "times as high", 8, .change = dearer, .is_price = true},
    {"checkpoints", "times as slow to write", 8, .change = slower_checkpoints},
    {.noun = NULL},
};
