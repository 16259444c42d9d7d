/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A question about a training job put into its scenario; in the middle of a run with
 * what its trace so far says. */
#include <inttypes.h>
#include <string.h>

#include "base/units.h"
#include "sim/train/advice.h"
#include "sim/train/job/cost.h"
#include "traces/trace.h"

/* Whether an instance that came with an event is still there at the end. */
static bool is_left(const spot_trace_t *trace, size_t event_id, int32_t name_id)
{
    for (size_t j = event_id + 1; j < trace->num_events; j++) {
        const spot_event_t *event = &trace->events[j];

        for (int32_t k = 0; event->kind != SPOT_EVENT_ADD && k < event->count; k++) {
            if (event->name_ids[k] == name_id) {
                return false;
            }
        }
    }
    return true;
}

static int64_t count_preparing(const spot_trace_t *trace, int64_t preparation_ms)
{
    int64_t num_preparing = 0;

    for (size_t j = 0; j < trace->num_events; j++) {
        const spot_event_t *event = &trace->events[j];

        if (event->kind != SPOT_EVENT_ADD || event->time_ms + preparation_ms <= trace->end_ms) {
            continue;
        }
        for (int32_t k = 0; k < event->count; k++) {
            num_preparing += event->name_ids == NULL || is_left(trace, j, event->name_ids[k]);
        }
    }
    return num_preparing;
}

int spot_train_read_now(
    spot_train_now_t *self, const char *path, int64_t preparation_ms, spot_diag_t *diag)
{
    spot_trace_t trace;
    int ret;

    memset(self, 0, sizeof(*self));
    spot_trace_init(&trace);
    ret = spot_trace_read(&trace, path, false, diag);
    if (ret == 0) {
        self->initial = trace.initial;
        self->most = spot_trace_peak(&trace);
        self->num_preparing = count_preparing(&trace, preparation_ms);
    }
    spot_trace_free(&trace);
    return ret;
}

/* ---- The question ---- */

/* Late runs go on up to so many deadlines. */
enum { HORIZON_DEADLINES = 3 };

/* What the job has cost so far by the prices of the scenario. Why that cannot be bound
 * is reported later. Errors as spot_train_pose(). */
static int find_paid(const spot_advice_question_t *question, const spot_yaml_t *scenario,
    double *paid_usd, spot_diag_t *diag)
{
    spot_scenario_t bound;
    spot_trace_t trace;
    spot_diag_t quiet;
    int ret, error;

    *paid_usd = 0;
    spot_diag_init_like(&quiet, diag);
    spot_trace_init(&trace);
    ret = spot_trace_read(&trace, question->now_path, false, diag);
    error = spot_scenario_init(&bound, scenario->root, NULL, &quiet);
    if (ret == 0 && (error == 0 || error == SPOT_ERR_CANNOT_RUN)) {
        *paid_usd = spot_cost_of_trace(&bound, &trace);
    }
    spot_scenario_free(&bound);
    spot_trace_free(&trace);
    spot_diag_free(&quiet);
    return ret != 0 ? ret : error == SPOT_ERR_NO_MEMORY ? error : 0;
}

/* Sets what a job that runs has had so far. */
static int pose_so_far(
    const spot_advice_question_t *question, spot_yaml_t *scenario, spot_diag_t *diag)
{
    char elapsed[SPOT_DURATION_TEXT_BYTES];
    double paid_usd;
    int ret = find_paid(question, scenario, &paid_usd, diag);

    spot_duration_text(question->elapsed_ms, elapsed);
    return ret != 0 ? ret
                    : spot_advice_set(scenario, diag, "so_far={elapsed: %s, paid_usd: %.9g}",
                          elapsed, paid_usd);
}

int spot_train_pose(
    const spot_advice_question_t *question, spot_yaml_t *scenario, spot_diag_t *diag)
{
    const int64_t left_ms = question->finish_by_ms - question->elapsed_ms;
    const int64_t num_steps = question->num_steps - question->progress;
    char deadline[SPOT_DURATION_TEXT_BYTES], horizon[SPOT_DURATION_TEXT_BYTES];
    int ret;

    if (question->num_steps == 0 || question->finish_by_ms == 0) {
        return spot_diag_error(diag, scenario->root->file, 0, 0,
            "a training job is asked about with --steps and --finish-by");
    }
    if (spot_node_get(scenario->root, "so_far") != NULL) {
        return spot_diag_error(diag, scenario->root->file, 0, 0,
            "so_far: what a job has had so far is said with --now");
    }
    spot_duration_text(left_ms, deadline);
    spot_duration_text(HORIZON_DEADLINES * left_ms, horizon);
    ret = spot_advice_set(scenario, diag, "horizon=%s", horizon);
    ret = ret != 0 ? ret : spot_advice_set(scenario, diag, "until={steps: %" PRId64 "}", num_steps);
    ret = ret != 0 ? ret : spot_advice_set(scenario, diag, "deadline=%s", deadline);
    if (ret == 0 && question->is_running) {
        ret = spot_advice_set(scenario, diag, "fleet.initial=%" PRId64, question->running);
    }
    if (question->num_traces > 0 || spot_node_at(scenario->root, "trace.file") != NULL) {
        spot_node_drop(spot_node_get(scenario->root, "fleet"), "initial");
    }
    ret = ret != 0 ? ret : spot_advice_replay(question, "trace", scenario, diag);
    return ret == 0 && question->is_running ? pose_so_far(question, scenario, diag) : ret;
}
