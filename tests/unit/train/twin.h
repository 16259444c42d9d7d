/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The twin of the training engine: the same state machine written down as plainly as
 * possible, tick by tick and event by event. It is the executable specification that the
 * fast engine must equal in every number. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "models/checkpoint.h"
#include "models/loader/loader.h"
#include "models/step_time.h"
#include "sim/train/job/train.h"
#include "traces/trace.h"

#define TWIN_MAX_POINTS 6
#define TWIN_MAX_PRICES 8

typedef enum {
    TWIN_GROWS_BY_PIPELINE,
    TWIN_GROWS_NEVER,
    TWIN_GROWS_AT_PREEMPTION,
    TWIN_GROWS_IF_BETTER
} twin_growth_t;

typedef struct {
    int64_t horizon_ms;    /* > 0 */
    int64_t until_steps;   /* the run ends when that many are kept; 0: it does not */
    int64_t tick_ms;       /* > 0 */
    int64_t capacity;      /* most instances at a time */
    int64_t num_on_demand; /* instances beyond capacity that are always there */
    double on_demand_usd_per_h;
    int64_t preparation_ms;
    int64_t notice_ms;      /* 0: preemptions are not announced */
    int64_t pipeline_depth; /* >= 1 */
    int64_t max_pipelines;  /* >= 1 */
    size_t num_points;
    spot_step_point_t points[TWIN_MAX_POINTS]; /* [num_points] world_size increasing */
    bool is_flat_below;                        /* steps below the first point take as long */
    spot_checkpoint_t checkpoint;
    spot_loader_t input;      /* not is_given: steps never wait for data */
    int64_t samples_per_step; /* with input: >= 1 */
    int64_t reconfiguration_ms;
    int64_t reload_ms;
    int64_t detection_ms; /* added to the reconfiguration after a loss */
    twin_growth_t growth;
    double min_gain; /* IF_BETTER */
    bool is_best;    /* the number of pipelines with the shortest steps */
    bool saves_before_growth;
    bool saves_on_notice;
    size_t num_prices;
    spot_price_step_t prices[TWIN_MAX_PRICES]; /* [num_prices] of a spot instance */
    /* Who decides instead of the checkpoint system. What would name slots is NULL;
     * deadlines_ms: the sums of the deadlines that have been announced. */
    void (*decide)(void *script, const spot_recovery_view_t *view,
        const spot_recovery_change_t *change, const int64_t deadlines_ms[SPOT_NUM_ROLES],
        spot_recovery_decision_t *decision);
    void *script;
} twin_setting_t;

/* Runs the job on a trace that names its instances. seed and replication of the result
 * are left at 0: there are no dice. Time complexity: O(ticks + steps). */
void twin_run(
    const twin_setting_t *setting, const spot_trace_t *trace, spot_train_result_t *result);
