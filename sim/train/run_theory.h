/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The theory of checkpoints beside the result of one run: what share of its time the job
 * keeps by the closed form, and what it kept. Where the theory's assumptions do not hold
 * the two may differ; which of them do not is said. */
#ifndef SPOT_SIM_TRAIN_RUN_THEORY_H
#define SPOT_SIM_TRAIN_RUN_THEORY_H

#include <stdbool.h>
#include <stdio.h>

#include "base/json.h"
#include "sim/train/train.h"

/* Assumptions that a run shows not to hold. */
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
} spot_estimate_t;

typedef struct {
    const char
        *reason; /* why the theory does not apply, and nothing below is set; NULL */
    int64_t num_rollbacks;
    spot_estimate_t mtbf_s;     /* training time per rollback */
    spot_estimate_t efficiency; /* by theory, at each of these */
    double simulated; /* share of the job's time, waiting aside, of which the work
                         was not lost when the run ended */
    double restart_s; /* detection, reconfiguration and reload: after an addition or a
                         wait the engine charges no detection, the theory does */
    double mean_instances; /* in pipelines, waiting aside */
    double step_s;         /* at that mean */
    double work_s;         /* between two checkpoints */
    double period_s;       /* from one to the next */
    int64_t best_steps;    /* of fixed numbers of steps between checkpoints, by theory */
    double best_efficiency;
    const char *best_busy; /* checkpoint.busy for that: as the scenario has it, wait in
                              place of skip; NULL: synchronous */
    bool doubts[SPOT_NUM_DOUBTS];
} spot_run_theory_t;

/* The theory is for the recovery system "checkpoint" and a run with rollbacks. */
void spot_run_theory_init(spot_run_theory_t *self, const spot_scenario_t *scenario,
    const spot_train_result_t *result);

void spot_run_theory_write_text(const spot_run_theory_t *self, FILE *out);

/* The value of the key "theory": {applies, reason} or all of it. */
void spot_run_theory_write_json(const spot_run_theory_t *self, spot_json_t *json);

#endif
