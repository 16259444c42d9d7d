/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Planners on a scenario that is bound from YAML, and on arrivals of it. Anything that
 * fails is a bug of the test and fails it. */
#pragma once

#include "sim/serve/planner.h"

typedef struct {
    spot_serve_scenario_t scenario;
    spot_arrivals_t arrivals;
    spot_plan_request_t request; /* of the objective and the plan of the scenario */
} plan_case_t;

/* Binds a document and draws the first replication. */
void plan_case_open(plan_case_t *self, const char *document);
void plan_case_close(plan_case_t *self);

/* Plans with the request; the caller frees planned. */
void plan_case_plan(
    const plan_case_t *self, const spot_planner_t *planner, spot_planned_t *planned);

/* "ResNet=TPX/8x3 ..."; "none". The caller frees it. */
char *plan_case_text(const plan_case_t *self, const spot_serving_plan_t *plan);

/* Writes a text to a file of its own, and its path to path. */
void plan_case_file(const char *text, char path[280]);
