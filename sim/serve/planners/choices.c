/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/serve/planners/choices.h"

#include <stdlib.h>

int
spot_choices_make(spot_choices_t *self, const spot_planning_t *planning, size_t stage_id,
    bool is_needed, int64_t max_micro)
{
    const spot_serve_scenario_t *scenario = planning->scenario;

    self->num_choices = 0;
    for (int32_t k = 0; k < (int32_t) scenario->prices.num_prices; k++) {
        const spot_serving_profile_t *profile =
            spot_planning_profile(planning, stage_id, k);

        for (size_t j = 0; profile != NULL && j < profile->num_rows; j++) {
            const int64_t batch = profile->rows[j].batch;
            int64_t n =
                is_needed ? spot_planning_need_exactly(planning, stage_id, k, batch) : 1;

            for (; n <= SPOT_MAX_REPLICAS; n++) {
                const spot_stage_option_t option =
                    spot_planning_option(planning, stage_id, k, batch, n);
                const int64_t micro = spot_serve_scenario_cost(scenario, &option);

                if (micro > max_micro) {
                    break;
                }
                if (SPOT_ARRAY_APPEND(self, choices,
                        (spot_choice_t){option, micro, (int32_t) self->num_choices}) !=
                    0) {
                    return SPOT_ERR_NO_MEMORY;
                }
            }
        }
    }
    return 0;
}

void
spot_choices_free(spot_choices_t *self)
{
    free(self->choices);
    *self = (spot_choices_t){0};
}

int64_t
spot_choices_least(const spot_planning_t *planning, size_t stage_id, double rate_qps)
{
    const spot_serve_scenario_t *scenario = planning->scenario;
    int64_t least_micro = INT64_MAX;

    for (int32_t k = 0; k < (int32_t) scenario->prices.num_prices; k++) {
        const spot_serving_profile_t *profile =
            spot_planning_profile(planning, stage_id, k);

        for (size_t j = 0; profile != NULL && j < profile->num_rows; j++) {
            const int64_t batch = profile->rows[j].batch;
            const spot_stage_option_t option = spot_planning_option(planning, stage_id,
                k, batch, spot_planning_need(planning, stage_id, k, batch, rate_qps));
            const int64_t micro = spot_serve_scenario_cost(scenario, &option);

            if (option.replicas <= SPOT_MAX_REPLICAS && micro < least_micro) {
                least_micro = micro;
            }
        }
    }
    return least_micro;
}
