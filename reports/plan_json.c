/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/plan_json.h"

#include <math.h>

void
spot_plan_json(spot_json_t *json, const spot_plan_t *plan)
{
    spot_json_open(json, "plan", '{');
    spot_json_text(json, "kind", spot_plan_names[plan->kind]);
    if (spot_plan_is_design(plan->kind)) {
        spot_json_unsigned(json, "seed", plan->seed);
        spot_json_unsigned(json, "drawn_again", plan->num_merged);
    }
    if (plan->kind == SPOT_PLAN_SENSITIVITY) {
        spot_json_unsigned(json, "base_samples", plan->num_samples);
    }
    spot_json_unsigned(json, "excluded", plan->num_excluded);
    spot_json_close(json, '}');
}

void
spot_axis_value_json(spot_json_t *json, const spot_axis_t *axis, size_t value_id)
{
    if (isfinite(axis->numbers[value_id]) && axis->unit[0] == '\0') {
        spot_json_number(json, axis->path, axis->numbers[value_id]);
    } else {
        spot_json_text(json, axis->path, axis->texts[value_id]);
    }
}

void
spot_point_json(spot_json_t *json, const spot_study_head_t *head, size_t point_id)
{
    spot_json_open(json, "values", '{');
    for (size_t j = 0; j < head->num_axes; j++) {
        spot_axis_value_json(
            json, &head->axes[j], spot_study_value_id(head, point_id, j));
    }
    spot_json_close(json, '}');
}
