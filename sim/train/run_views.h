/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `spotsim run` says of one run of a training job: as JSON, as text, and the theory of
 * checkpoints beside it.
 *
 * The theory of checkpoints beside the result of one run: the share of its time that the
 * job keeps by the closed form, and the share that it kept. The two may differ if an
 * assumption of the theory does not hold; doubts lists such assumptions. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/json.h"
#include "sim/bench/engine/experiment.h"
#include "sim/train/job/train_state.h"

/* Assumptions that a run violates. */
typedef enum {
    SPOT_DOUBT_FEW_ROLLBACKS,
    SPOT_DOUBT_FLEET_VARIES,
    SPOT_DOUBT_WAITED,
    SPOT_DOUBT_OTHER_ROLLBACKS,
    SPOT_NUM_DOUBTS
} spot_doubt_t;

/* A number and its interval at confidence 0.95. */
typedef struct {
    double value;
    double low;
    double high;
} spot_theory_interval_t;

typedef struct {
    const char *reason; /* the theory does not apply and nothing below is set; or NULL */
    int64_t num_rollbacks;
    spot_theory_interval_t mtbf_s;     /* training time per rollback */
    spot_theory_interval_t efficiency; /* by theory, for the three values of mtbf_s */
    double simulated;      /* share of the job's time, without waiting, whose work was not
                              lost at the end of the run */
    double restart_s;      /* detection, reconfiguration and reload; the engine charges no
                              detection after an addition or a wait, the theory does */
    double mean_instances; /* in pipelines, without waiting */
    double step_s;         /* at mean_instances */
    double work_s;         /* between two checkpoints */
    double period_s;       /* from one checkpoint to the next */
    int64_t best_steps;    /* best fixed number of steps between checkpoints, by theory */
    double best_efficiency;
    const char *best_busy; /* checkpoint.busy for best_steps: that of the scenario, but
                              wait in place of skip; NULL: synchronous */
    bool doubts[SPOT_NUM_DOUBTS];
} spot_run_theory_t;

/* The theory applies to the recovery system "checkpoint" and runs with rollbacks. */
void spot_run_theory_init(
    spot_run_theory_t *self, const spot_scenario_t *scenario, const spot_train_result_t *result);

/* ---- JSON ---- */

/* The result of one run as a JSON object. */

/* The exact figures of a run: its length, times, steps and counts. */
void spot_run_json_figures(spot_json_t *json, const spot_train_result_t *result);

/* The members of the object of a run. Milliseconds, instance-milliseconds, steps and counts are
 * exact integers. */
void spot_run_json_write(const spot_run_result_t *run, const spot_scenario_t *scenario,
    const spot_train_result_t *result, spot_json_t *json);

/* ---- Text ---- */

/* The result of one run as a short text for a terminal. */

/* Writes what the job did, the paid time by category, the cost, and the theory. */
void spot_run_text_write(const spot_run_result_t *run, const spot_scenario_t *scenario,
    const spot_train_result_t *result, FILE *out);
