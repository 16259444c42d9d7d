/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Queries through a pipeline, event by event, in whole nanoseconds. Events are ordered
 * by (time, phase, sequence): everything that becomes available at an instant is queued
 * before a batch is formed. docs/serving-rules.md has the rules. */
#pragma once

#include "sim/serve/serve_state.h"

/* Runs to the end, with plans[num_stages]. Memory is kept for the next run.
 * INTERRUPTED, NO_MEMORY, errors of the outages; BAD_PARAM: a sum does not fit 63
 * bits. */
SPOT_MUST_CHECK int spot_serve_run(
    spot_serve_t *self, const spot_serve_run_t *run, const spot_serve_plan_t *plans);

/* ---- Event by event, for tests ---- */

/* The start of a run, and one event of it: false if there is none, or nothing but ticks
 * of autoscalers that have nothing to do. A run is over before that if all queries have
 * left. */
SPOT_MUST_CHECK int spot_serve_start(
    spot_serve_t *self, const spot_serve_run_t *run, const spot_serve_plan_t *plans);
bool spot_serve_step(spot_serve_t *self);
