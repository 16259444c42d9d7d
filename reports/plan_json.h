/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of JSON about the plan of a study. */
#pragma once

#include "base/json.h"
#include "sim/store/head.h"

/* "plan": how the points were chosen. */
void spot_plan_json(spot_json_t *json, const spot_plan_t *plan);

/* The value of a key under its path; a plain number as such, any other as text. */
void spot_axis_value_json(spot_json_t *json, const spot_axis_t *axis, size_t value_id);

/* "values": those of a point, by key. */
void spot_point_json(spot_json_t *json, const spot_study_head_t *head, size_t point_id);
