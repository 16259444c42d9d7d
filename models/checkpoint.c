/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/checkpoint.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/integers.h"
#include "base/number.h"
#include "base/units.h"
#include "models/profile.h"

/* ---- Cycles with waits ---- */

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

/* The last three for cycles with waits. O(stretches of equal waits). */
static spot_progress_t waiting_progress(const spot_cycle_t *self, int64_t elapsed_ms)
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

static int64_t waiting_durable_ms(const spot_cycle_t *self, int64_t checkpoint_id, int64_t *steps)
{
    lap_t lap;
    const mark_t mark = last_mark(self, INT64_MAX, INT64_MAX, checkpoint_id, &lap);

    *steps = mark.steps;
    return mark.time_ms + self->write_ms;
}

static int64_t waiting_step_end_ms(const spot_cycle_t *self, int64_t step)
{
    lap_t lap;
    mark_t mark;

    if (step <= self->first_steps) {
        return span_ms(self, step);
    }
    mark = last_mark(self, INT64_MAX, step - 1, INT64_MAX, &lap);
    return mark.time_ms + span_ms(self, step) - span_ms(self, mark.steps);
}

/* ---- The keys of a checkpoint ---- */

static const char *const mode_names[] = {"async", "sync", NULL};
static const char *const busy_names[] = {"skip", "wait", "join", NULL};

/* Binds "back-to-back", "auto", "10 steps", "1 step" or a duration. */
static void bind_every(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *node, void *target)
{
    spot_checkpoint_t *checkpoint = target;
    const char *problem = "";
    char number[24];
    size_t length;

    if (node->kind != SPOT_NODE_SCALAR) {
        spot_bind_unexpected(self, field, node, "");
        return;
    }
    if (strcmp(node->text, "back-to-back") == 0) {
        checkpoint->every_kind = SPOT_EVERY_BACK_TO_BACK;
        return;
    }
    if (strcmp(node->text, "auto") == 0) {
        checkpoint->every_kind = SPOT_EVERY_AUTO;
        return;
    }
    length = strcspn(node->text, " ");
    if (length < sizeof(number) &&
        (strcmp(node->text + length, " steps") == 0 || strcmp(node->text + length, " step") == 0)) {
        memcpy(number, node->text, length);
        number[length] = '\0';
        checkpoint->every_kind = SPOT_EVERY_STEPS;
        problem = "the number of steps must be an integer from 1 to 1000000000000";
        if (spot_integer_parse(number, &checkpoint->every_steps) == 0 &&
            checkpoint->every_steps >= 1 && checkpoint->every_steps <= SPOT_MAX_STEPS) {
            return;
        }
    } else if (spot_duration_parse(node->text, &checkpoint->every_ms, &problem) == 0) {
        checkpoint->every_kind = SPOT_EVERY_DURATION;
        problem = "the duration must be at least 1 ms";
        if (checkpoint->every_ms > 0) {
            return;
        }
    }
    spot_bind_unexpected(self, field, node, problem);
}

static const char *const every_words[] = {"back-to-back", "auto", NULL};

/* The forms that bind_every() reads; a number of steps is written as it is. */
static const spot_field_t every_forms[] = {
    {.name = "", .type = SPOT_FIELD_CHOICE, .choices = every_words},
    {.name = "", .type = SPOT_FIELD_DURATION},
    {.name = NULL},
};

/* The keys with their defaults, "" for none: they are left as they are. */
#define CHECKPOINT_FIELDS(mode_, every_, write_, snapshot_, busy_, decides_)                       \
    {SPOT_CHOICE("mode", spot_checkpoint_t, mode, mode_names, mode_, "checkpoint mode",            \
         "async: training goes on while a checkpoint is written; sync: the job is "                \
         "stalled for the write time"),                                                            \
        .decides = decides_},                                                                      \
        {.name = "every",                                                                          \
            .label = "checkpoint interval",                                                        \
            .type = SPOT_FIELD_ONE_OF,                                                             \
            .offset = 0,                                                                           \
            .initial = every_,                                                                     \
            .decides = decides_,                                                                   \
            .fields = every_forms,                                                                 \
            .bind = bind_every,                                                                    \
            .expected = "back-to-back, auto, a number of steps such as \"10 steps\" or a "         \
                        "duration such as \"300 s\"",                                              \
            .help = "when a checkpoint is due: at every step end with no write in flight, "        \
                    "at each k-th step end since training (re)started, or at the first "           \
                    "step "                                                                        \
                    "end after that much training; auto: after as many steps as hide the "         \
                    "write, as CheckFreq sets it at first, with mode sync each step"},             \
        {SPOT_FIELDS(ONE_OF, "write", spot_checkpoint_t, write_ms, spot_profile_forms, write_,     \
             "checkpoint write time",                                                              \
             "time to write a checkpoint until it is durable; if not given the bytes "             \
             "of job.model over fleet.storage, where these are given"),                            \
            .settle = spot_profile_settle_checkpoint_write, .expected = SPOT_PROFILE_EXPECTED,     \
            .decides = decides_},                                                                  \
        {SPOT_RANGE(DURATION, "snapshot", spot_checkpoint_t, snapshot_ms, 0, HUGE_VAL, snapshot_,  \
             "snapshot stall", "async only: time the job is stalled to take the snapshot"),        \
            .decides = decides_},                                                                  \
    {                                                                                              \
        SPOT_CHOICE("busy", spot_checkpoint_t, busy, busy_names, busy_,                            \
            "checkpoint due during a write",                                                       \
            "async only: what to do when a checkpoint is due and a write is in "                   \
            "flight: skip it, snapshot and wait, or wait (join) and snapshot"),                    \
            .decides = decides_                                                                    \
    }

const spot_field_t spot_checkpoint_fields[] = {
    CHECKPOINT_FIELDS("async", "back-to-back", "89 s", "0 s", "skip", true),
    {.name = NULL},
};

const spot_field_t spot_checkpoint_changes[] = {
    CHECKPOINT_FIELDS("", "", "", "", "", false),
    {.name = NULL},
};

/* Steps between two times at which a checkpoint is due. */
static int64_t steps_between(const spot_checkpoint_t *checkpoint, int64_t step_ms)
{
    switch (checkpoint->every_kind) {
        case SPOT_EVERY_STEPS:
            return checkpoint->every_steps;
        case SPOT_EVERY_DURATION:
            return spot_divide_up(checkpoint->every_ms, step_ms);
        case SPOT_EVERY_AUTO: /* a sync checkpoint hides nothing */
            return checkpoint->mode == SPOT_CHECKPOINT_SYNC
                       ? 1
                       : spot_larger(1, spot_divide_up(checkpoint->write_ms, step_ms));
        default:
            return 1;
    }
}

/* Longer than any run. */
#define NEVER_MS (2 * SPOT_MAX_DURATION_MS)

/* Limit on the steps of a period, so that products do not overflow. */
static int64_t most_steps(int64_t step_ms)
{
    return spot_divide_up(NEVER_MS, step_ms);
}

void spot_cycle_init(spot_cycle_t *self, const spot_checkpoint_t *checkpoint, int64_t step_ms)
{
    const int64_t steps = spot_smaller(steps_between(checkpoint, step_ms), most_steps(step_ms));
    const int64_t work_ms = steps * step_ms;
    const bool is_sync = checkpoint->mode == SPOT_CHECKPOINT_SYNC;
    const int64_t stall_ms = is_sync ? checkpoint->write_ms : checkpoint->snapshot_ms;
    const int64_t write_ms = is_sync ? 0 : checkpoint->write_ms;

    spot_bug_assert(step_ms >= 1);
    self->has_waits = false;
    self->step_ms = step_ms;
    self->first_steps = steps;
    self->snapshot_ms = stall_ms;
    self->write_ms = write_ms;
    if (is_sync || checkpoint->busy == SPOT_BUSY_SKIP ||
        checkpoint->every_kind == SPOT_EVERY_BACK_TO_BACK) {
        self->cycle_steps = steps * spot_larger(1, spot_divide_up(write_ms, work_ms));
        self->cycle_ms = self->cycle_steps * step_ms + stall_ms;
    } else if (checkpoint->busy == SPOT_BUSY_WAIT) {
        self->cycle_steps = steps;
        self->cycle_ms = spot_larger(work_ms + stall_ms, write_ms);
    } else {
        self->cycle_steps = steps;
        self->cycle_ms = spot_larger(work_ms, write_ms) + stall_ms;
    }
}

/* The same for steps that wait: longer than any run. */
static int64_t most_waiting_steps(const spot_cycle_t *self)
{
    const spot_waits_t *waits = &self->waits;

    return self->has_waits
               ? waits->steps[0] + waits->steps[1] + most_steps(self->step_ms + waits->wait_ms[2])
               : most_steps(self->step_ms);
}

void spot_cycle_wait(
    spot_cycle_t *self, const spot_checkpoint_t *checkpoint, const spot_waits_t *waits)
{
    const bool skips = checkpoint->mode == SPOT_CHECKPOINT_SYNC ||
                       checkpoint->every_kind == SPOT_EVERY_BACK_TO_BACK;

    self->has_waits = waits->wait_ms[0] + waits->wait_ms[1] + waits->wait_ms[2] > 0;
    self->busy = skips ? SPOT_BUSY_SKIP : checkpoint->busy;
    self->waits = *waits;
    self->waits.steps[1] =
        spot_smaller(waits->steps[1], most_steps(self->step_ms + waits->wait_ms[1]));
    self->first_steps = spot_smaller(self->first_steps, most_waiting_steps(self));
    self->every_steps = self->first_steps;
}

void spot_cycle_resume(
    spot_cycle_t *self, const spot_checkpoint_t *checkpoint, int64_t since_steps, int64_t since_ms)
{
    if (checkpoint->every_kind == SPOT_EVERY_STEPS || checkpoint->every_kind == SPOT_EVERY_AUTO) {
        self->first_steps = spot_larger(1, self->first_steps - since_steps);
    } else if (checkpoint->every_kind == SPOT_EVERY_DURATION) {
        const int64_t left_ms = spot_larger(1, checkpoint->every_ms - since_ms);

        self->first_steps =
            spot_smaller(most_waiting_steps(self), spot_divide_up(left_ms, self->step_ms));
    }
}

spot_progress_t spot_cycle_progress(const spot_cycle_t *self, int64_t elapsed_ms)
{
    spot_progress_t progress = {0};
    const int64_t first_end_ms = self->first_steps * self->step_ms;
    const int64_t training_ms = self->cycle_steps * self->step_ms; /* of a cycle */
    const int64_t since_write_ms = elapsed_ms - first_end_ms - self->snapshot_ms;
    int64_t cycles, rest_ms;

    if (self->has_waits) {
        return waiting_progress(self, elapsed_ms);
    }
    if (elapsed_ms < first_end_ms) {
        progress.steps = spot_quotient(elapsed_ms, self->step_ms);
        return progress;
    }
    if (since_write_ms < 0) {
        progress.steps = self->first_steps;
        progress.stalled_ms = elapsed_ms - first_end_ms;
        progress.started = 1;
        progress.is_stalled = 1;
        return progress;
    }
    cycles = spot_quotient(since_write_ms, self->cycle_ms);
    rest_ms = since_write_ms - cycles * self->cycle_ms;
    progress.steps = self->first_steps + cycles * self->cycle_steps +
                     spot_smaller(self->cycle_steps, spot_quotient(rest_ms, self->step_ms));
    progress.stalled_ms = self->snapshot_ms + cycles * (self->cycle_ms - training_ms) +
                          spot_larger(0, rest_ms - training_ms);
    progress.is_stalled = rest_ms >= training_ms;
    progress.started = 1 + cycles + progress.is_stalled;
    progress.durable = cycles + (rest_ms >= self->write_ms);
    if (progress.durable > 0) {
        progress.durable_steps = self->first_steps + (progress.durable - 1) * self->cycle_steps;
    }
    return progress;
}

int64_t spot_cycle_durable_ms(const spot_cycle_t *self, int64_t checkpoint_id, int64_t *steps)
{
    if (self->has_waits) {
        return waiting_durable_ms(self, checkpoint_id, steps);
    }
    *steps = self->first_steps + checkpoint_id * self->cycle_steps;
    return self->first_steps * self->step_ms + self->snapshot_ms + self->write_ms +
           checkpoint_id * self->cycle_ms;
}

/* Whether so many steps or cycles take longer than any run. */
static bool is_beyond(int64_t num, int64_t each_ms)
{
    int64_t time_ms;

    return __builtin_mul_overflow(num, each_ms, &time_ms) || time_ms >= NEVER_MS;
}

int64_t spot_cycle_step_end_ms(const spot_cycle_t *self, int64_t step)
{
    const int64_t after_first = step - self->first_steps;
    int64_t cycles;

    if (self->has_waits) {
        return step > most_waiting_steps(self) ? INT64_MAX : waiting_step_end_ms(self, step);
    }
    if (is_beyond(step - 1, self->step_ms)) {
        return INT64_MAX;
    }
    if (after_first <= 0) {
        return step * self->step_ms;
    }
    cycles = spot_quotient(after_first - 1, self->cycle_steps);
    if (is_beyond(cycles, self->cycle_ms)) {
        return INT64_MAX;
    }
    return self->first_steps * self->step_ms + self->snapshot_ms + cycles * self->cycle_ms +
           (after_first - cycles * self->cycle_steps) * self->step_ms;
}
