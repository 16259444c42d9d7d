/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recorded run again: each task on its worker and in its order, as long after what it
 * waited for as it was recorded, with stretches that may be longer or shorter. */
#include <math.h>
#include <stdlib.h>

#include "base/keys.h"
#include "sim/tasks/rerun.h"

typedef struct {
    const spot_rerun_scenario_t *scenario;
    const spot_attempt_t *attempts;         /* one for each task */
    int64_t (*times)[SPOT_TASK_MAX_STAGES]; /* [attempts] when it happens now */
    int32_t *before; /* [attempts] the one that started before it on its worker, or -1 */
} replay_t;

/* Takes the task of an attempt, if it ended by an instant, into what another one waits
 * for: recorded and now. */
static void wait_for(
    const replay_t *self, int32_t attempt_id, int64_t started, int64_t *recorded, int64_t *now)
{
    const int64_t end = self->attempts[attempt_id].at[SPOT_TASK_FINISHED];
    const int64_t new_end = self->times[attempt_id][SPOT_TASK_FINISHED];

    if (end <= started) {
        *recorded = end > *recorded ? end : *recorded;
        *now = new_end > *now ? new_end : *now;
    }
}

static int64_t scaled(int64_t length, double factor)
{
    return factor == 1 ? length : llround((double) length * factor);
}

/* A stretch begins where the one before it ends, and not before what the task waits for
 * has ended: what happened earlier goes along with it. */
static void replay_task(const replay_t *self, int32_t attempt_id)
{
    static const int delays[] = {[SPOT_TASK_PLANNED] = SPOT_SCALE_DECISION,
        [SPOT_TASK_ENQUEUED] = SPOT_SCALE_COMM,
        [SPOT_TASK_STARTED] = SPOT_SCALE_QUEUE,
        [SPOT_TASK_LOADED] = SPOT_SCALE_RUN,
        [SPOT_TASK_FINISHED] = SPOT_SCALE_RUN};
    const spot_attempt_t *attempt = &self->attempts[attempt_id];
    const spot_rerun_task_t *task = &self->scenario->tasks[attempt->id];
    const int64_t started = attempt->at[SPOT_TASK_STARTED];
    int64_t recorded = self->scenario->analysis.t0, now = recorded;
    int32_t before = self->before[attempt_id];

    for (size_t k = 0; k < task->num_inputs; k++) {
        wait_for(self, self->scenario->best[task->inputs[k]], started, &recorded, &now);
    }
    while (before >= 0 && self->attempts[before].at[SPOT_TASK_FINISHED] > started) {
        before = self->before[before];
    }
    if (before >= 0) {
        wait_for(self, before, started, &recorded, &now);
    }
    for (int stage = SPOT_TASK_PLANNED; stage <= SPOT_TASK_FINISHED; stage++) {
        if (spot_attempt_has(attempt, stage)) {
            const int64_t at = attempt->at[stage], from = recorded;

            recorded = at > from ? at : from;
            now += scaled(recorded - from, self->scenario->scale[delays[stage]]);
            self->times[attempt_id][stage] = now + (at - recorded);
        }
    }
}

/* Transmits go along with the end of the task whose data they send. */
static int64_t time_of(const replay_t *self, const spot_task_event_t *event)
{
    const int32_t attempt_id = self->scenario->best[event->id];

    if (attempt_id < 0) {
        return event->at;
    }
    return event->is_transmit ? event->at + self->times[attempt_id][SPOT_TASK_FINISHED] -
                                    self->attempts[attempt_id].at[SPOT_TASK_FINISHED]
                              : self->times[attempt_id][event->stage];
}

int spot_rerun_replay(const spot_rerun_scenario_t *scenario, spot_task_event_t *events)
{
    const spot_attempts_t *tasks = &scenario->analysis.tasks;
    const size_t num = tasks->num_attempts;
    replay_t self = {.scenario = scenario, .attempts = tasks->attempts};
    spot_arena_t arena = {0};
    int64_t *started;
    int32_t *order, *last;
    int ret = 0;

    SPOT_ARENA_ARRAY(&arena, self.times, num);
    SPOT_ARENA_ARRAY(&arena, self.before, num);
    SPOT_ARENA_ARRAY(&arena, started, num);
    SPOT_ARENA_ARRAY(&arena, order, 2 * num);
    SPOT_ARENA_ARRAY(&arena, last, scenario->log.num_workers);
    if (arena.error == 0) {
        for (size_t j = 0; j < num; j++) {
            started[j] = self.attempts[j].at[SPOT_TASK_STARTED];
        }
        for (size_t j = 0; j < scenario->log.num_workers; j++) {
            last[j] = -1;
        }
        ret = spot_order_integers(started, num, order, order + num);
        for (size_t j = 0; ret == 0 && j < num; j++) {
            const int32_t worker = self.attempts[order[j]].worker;

            self.before[order[j]] = last[worker];
            last[worker] = order[j];
            replay_task(&self, order[j]);
        }
        for (size_t j = 0; j < scenario->log.num_events; j++) {
            events[j] = scenario->log.events[j];
            events[j].at = time_of(&self, &events[j]);
        }
    }
    ret = spot_error_first(arena.error, ret);
    spot_arena_free(&arena);
    return ret;
}
