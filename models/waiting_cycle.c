/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The progress of steps that wait for data. Where all steps of a cycle wait equally the
 * cycles repeat, and many are passed at once; one by one pass only those in which the
 * wait changes. */
#include "base/error.h"
#include "base/integers.h"
#include "models/checkpoint.h"

/* The stretch of the step after so many, and in *end its last step. */
static int stretch_at(const spot_cycle_t *self, int64_t steps, int64_t *end)
{
    const spot_waits_t *waits = &self->waits;

    for (int j = 0; j < 2; j++) {
        *end = waits->steps[0] + (j == 1 ? waits->steps[1] : 0);
        if (steps < *end) {
            return j;
        }
    }
    *end = INT64_MAX;
    return 2;
}

/* The waits before the first steps of a period. */
static int64_t waited_ms(const spot_cycle_t *self, int64_t steps)
{
    const spot_waits_t *waits = &self->waits;
    const int64_t first = spot_smaller(steps, waits->steps[0]);
    const int64_t second = spot_smaller(steps - first, waits->steps[1]);

    return first * waits->wait_ms[0] + second * waits->wait_ms[1] +
           (steps - first - second) * waits->wait_ms[2];
}

/* Steps with their waits, without checkpoints. */
static int64_t span_ms(const spot_cycle_t *self, int64_t steps)
{
    return steps * self->step_ms + waited_ms(self, steps);
}

/* The steps that end within such a time. */
static int64_t steps_within(const spot_cycle_t *self, int64_t time_ms)
{
    int64_t steps = 0, end;

    for (;;) {
        const int stretch = stretch_at(self, steps, &end);
        const int64_t left_ms = time_ms - span_ms(self, steps);
        const int64_t more = left_ms / (self->step_ms + self->waits.wait_ms[stretch]);

        if (stretch == 2 || more < end - steps) {
            return steps + more;
        }
        steps = end;
    }
}

/* The start of a write: the steps it captures, its time, and the writes before it. */
typedef struct {
    int64_t steps;
    int64_t time_ms;
    int64_t num_before;
    int64_t steps_before; /* that the write before it captures; 0: it is the first */
} mark_t;

/* The cycle that a write starts. */
typedef struct {
    int64_t steps;
    int64_t work_ms; /* with waits */
    int64_t cycle_ms;
} lap_t;

static lap_t lap_at(const spot_cycle_t *self, int64_t steps)
{
    const int64_t start_ms = span_ms(self, steps);
    const int64_t every = self->every_steps;
    lap_t lap = {.steps = every};

    if (self->busy == SPOT_BUSY_SKIP && self->write_ms > 0) {
        const int64_t busy = steps_within(self, start_ms + self->write_ms - 1) - steps;

        lap.steps = every * (busy / every + 1);
    }
    lap.work_ms = span_ms(self, steps + lap.steps) - start_ms;
    lap.cycle_ms = self->busy == SPOT_BUSY_SKIP ? lap.work_ms + self->snapshot_ms
                   : self->busy == SPOT_BUSY_WAIT
                       ? spot_larger(lap.work_ms + self->snapshot_ms, self->write_ms)
                       : spot_larger(lap.work_ms, self->write_ms) + self->snapshot_ms;
    return lap;
}

/* The last write that starts by max_ms, with at most max_steps steps and max_before
 * writes before it; none: the first. In *lap its cycle. */
static mark_t last_mark(
    const spot_cycle_t *self, int64_t max_ms, int64_t max_steps, int64_t max_before, lap_t *lap)
{
    mark_t mark = {.steps = self->first_steps,
        .time_ms = span_ms(self, self->first_steps) + self->snapshot_ms};
    int64_t end, laps;

    for (;;) {
        *lap = lap_at(self, mark.steps);
        (void) stretch_at(self, mark.steps, &end);
        laps = spot_larger(1, (end - mark.steps) / lap->steps);
        laps = spot_smaller(laps, (max_ms - mark.time_ms) / lap->cycle_ms);
        laps = spot_smaller(laps, (max_steps - mark.steps) / lap->steps);
        laps = spot_smaller(laps, max_before - mark.num_before);
        if (laps <= 0) {
            return mark;
        }
        mark.steps += laps * lap->steps;
        mark.steps_before = mark.steps - lap->steps;
        mark.time_ms += laps * lap->cycle_ms;
        mark.num_before += laps;
    }
}

/* Sets steps and stalls after so many steps and a time that is worked and waited. */
static void set_steps(spot_progress_t *progress, const spot_cycle_t *self, int64_t steps,
    int64_t since_ms, int64_t elapsed_ms)
{
    int64_t end;
    const int64_t wait_ms = self->waits.wait_ms[stretch_at(self, steps, &end)];

    progress->steps = steps;
    progress->is_stalled = since_ms < wait_ms;
    progress->input_ms = waited_ms(self, steps) + spot_smaller(since_ms, wait_ms);
    progress->stalled_ms = elapsed_ms - steps * self->step_ms - spot_larger(0, since_ms - wait_ms);
}

spot_progress_t spot_waiting_progress(const spot_cycle_t *self, int64_t elapsed_ms)
{
    const int64_t first_end_ms = span_ms(self, self->first_steps);
    spot_progress_t progress = {.steps = 0};
    int64_t rest_ms, steps;
    mark_t mark;
    lap_t lap;

    if (elapsed_ms < first_end_ms) {
        steps = steps_within(self, elapsed_ms);
        set_steps(&progress, self, steps, elapsed_ms - span_ms(self, steps), elapsed_ms);
        return progress;
    }
    progress.started = 1;
    if (elapsed_ms - first_end_ms < self->snapshot_ms) {
        set_steps(&progress, self, self->first_steps, 0, elapsed_ms);
        progress.is_stalled = 1;
        return progress;
    }
    mark = last_mark(self, elapsed_ms, INT64_MAX, INT64_MAX, &lap);
    rest_ms = elapsed_ms - mark.time_ms;
    if (rest_ms >= lap.work_ms) {
        set_steps(&progress, self, mark.steps + lap.steps, 0, elapsed_ms);
        progress.is_stalled = 1;
        progress.started++;
    } else {
        const int64_t worked_ms = span_ms(self, mark.steps) + rest_ms;

        steps = steps_within(self, worked_ms);
        set_steps(&progress, self, steps, worked_ms - span_ms(self, steps), elapsed_ms);
    }
    progress.started += mark.num_before;
    progress.durable = mark.num_before + (rest_ms >= self->write_ms);
    progress.durable_steps = rest_ms >= self->write_ms ? mark.steps : mark.steps_before;
    return progress;
}

int64_t spot_waiting_durable_ms(const spot_cycle_t *self, int64_t checkpoint_id, int64_t *steps)
{
    lap_t lap;
    const mark_t mark = last_mark(self, INT64_MAX, INT64_MAX, checkpoint_id, &lap);

    *steps = mark.steps;
    return mark.time_ms + self->write_ms;
}

int64_t spot_waiting_step_end_ms(const spot_cycle_t *self, int64_t step)
{
    lap_t lap;
    mark_t mark;

    if (step <= self->first_steps) {
        return span_ms(self, step);
    }
    mark = last_mark(self, INT64_MAX, step - 1, INT64_MAX, &lap);
    return mark.time_ms + span_ms(self, step) - span_ms(self, mark.steps);
}
