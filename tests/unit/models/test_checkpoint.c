/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The closed form of a training period against a plain simulation of it, millisecond by
 * millisecond, over random jobs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/units.h"
#include "models/checkpoint.h"

#define NUM_JOBS (6000 / SPOT_FEWER)
#define LAST_MS 2000

/* What the job does between two instants. */
typedef enum {
    TRAINING,
    FETCHING,     /* waiting for the data of the next step */
    JOINING,      /* stalled until the write in flight has ended, then the snapshot */
    SNAPSHOTTING, /* stalled until the snapshot is taken and no write is in flight */
    WRITING       /* stalled until the write has ended: synchronous */
} phase_t;

typedef struct {
    const spot_checkpoint_t *checkpoint;
    const spot_waits_t *waits; /* NULL: none */
    int64_t step_ms;
    int64_t now_ms;
    phase_t phase;
    int64_t fetched_ms;      /* FETCHING */
    int64_t step_end_ms;     /* TRAINING */
    int64_t snapshot_end_ms; /* SNAPSHOTTING */
    int64_t captured_steps;  /* by the latest checkpoint */
    bool is_writing;
    int64_t write_end_ms;
    int64_t written_steps; /* captured by the write in flight */
    spot_progress_t progress;
} simulation_t;

static int64_t wait_of_next_ms(const simulation_t *self)
{
    const spot_waits_t *waits = self->waits;

    return waits == NULL                                              ? 0
           : self->progress.steps < waits->steps[0]                   ? waits->wait_ms[0]
           : self->progress.steps < waits->steps[0] + waits->steps[1] ? waits->wait_ms[1]
                                                                      : waits->wait_ms[2];
}

static void start_step(simulation_t *self)
{
    self->phase = TRAINING;
    self->step_end_ms = self->now_ms + self->step_ms;
}

static void fetch_data(simulation_t *self)
{
    self->fetched_ms = self->now_ms + wait_of_next_ms(self);
    self->phase = FETCHING;
    if (self->fetched_ms == self->now_ms) {
        start_step(self);
    }
}

static void start_write(simulation_t *self)
{
    self->is_writing = true;
    self->write_end_ms = self->now_ms + self->checkpoint->write_ms;
    self->written_steps = self->captured_steps;
}

static void start_snapshot(simulation_t *self)
{
    self->phase = SNAPSHOTTING;
    self->snapshot_end_ms = self->now_ms + self->checkpoint->snapshot_ms;
}

/* Whether the step that just ended is one at which a checkpoint is made. */
static bool is_due(const simulation_t *self)
{
    const spot_checkpoint_t *checkpoint = self->checkpoint;
    int64_t every_steps = 1;

    if (checkpoint->every_kind == SPOT_EVERY_BACK_TO_BACK) {
        return !self->is_writing;
    }
    if (checkpoint->every_kind == SPOT_EVERY_STEPS) {
        every_steps = checkpoint->every_steps;
    } else {
        while (every_steps * self->step_ms < checkpoint->every_ms) {
            every_steps++;
        }
    }
    return self->progress.steps % every_steps == 0 &&
           !(checkpoint->busy == SPOT_BUSY_SKIP && self->is_writing);
}

static void end_step(simulation_t *self)
{
    self->progress.steps++;
    if (!is_due(self)) {
        fetch_data(self);
        return;
    }
    self->progress.started++;
    self->captured_steps = self->progress.steps;
    if (self->checkpoint->mode == SPOT_CHECKPOINT_SYNC) {
        start_write(self);
        self->phase = WRITING;
    } else if (self->checkpoint->busy == SPOT_BUSY_JOIN) {
        self->phase = JOINING;
    } else {
        start_snapshot(self);
    }
}

/* One thing that happens now, in the order of the rules; false: nothing is left. */
static bool happens_now(simulation_t *self)
{
    if (self->is_writing && self->now_ms == self->write_end_ms) {
        self->is_writing = false;
        self->progress.durable++;
        self->progress.durable_steps = self->written_steps;
    } else if (self->phase == TRAINING && self->now_ms == self->step_end_ms) {
        end_step(self);
    } else if (self->phase == JOINING && !self->is_writing) {
        start_snapshot(self);
    } else if (self->phase == SNAPSHOTTING && self->now_ms >= self->snapshot_end_ms &&
               !self->is_writing) {
        start_write(self);
        fetch_data(self);
    } else if (self->phase == WRITING && !self->is_writing) {
        fetch_data(self);
    } else if (self->phase == FETCHING && self->now_ms == self->fetched_ms) {
        start_step(self);
    } else {
        return false;
    }
    return true;
}

static void simulation_init(simulation_t *self, const spot_checkpoint_t *checkpoint,
    int64_t step_ms, const spot_waits_t *waits)
{
    *self = (simulation_t){.checkpoint = checkpoint, .step_ms = step_ms, .waits = waits};
    fetch_data(self);
    self->progress.is_stalled = self->phase != TRAINING;
}

static void simulation_advance(simulation_t *self)
{
    self->progress.stalled_ms += self->phase != TRAINING;
    self->progress.input_ms += self->phase == FETCHING;
    self->now_ms++;
    while (happens_now(self)) {
    }
    self->progress.is_stalled = self->phase != TRAINING;
}

static void print_job(const spot_checkpoint_t *checkpoint, int64_t step_ms, int64_t now_ms)
{
    print_message("at %lld ms: mode %d kind %d every %lld steps, %lld ms busy %d step "
                  "%lld snapshot %lld write %lld\n",
        (long long) now_ms, checkpoint->mode, (int) checkpoint->every_kind,
        (long long) checkpoint->every_steps, (long long) checkpoint->every_ms, checkpoint->busy,
        (long long) step_ms, (long long) checkpoint->snapshot_ms, (long long) checkpoint->write_ms);
}

static bool is_same(const spot_progress_t *a, const spot_progress_t *b)
{
    return a->steps == b->steps && a->durable_steps == b->durable_steps &&
           a->stalled_ms == b->stalled_ms && a->started == b->started && a->durable == b->durable &&
           a->is_stalled == b->is_stalled && a->input_ms == b->input_ms;
}

static void compare(const spot_checkpoint_t *checkpoint, int64_t step_ms, const spot_waits_t *waits)
{
    simulation_t simulation;
    spot_cycle_t cycle;
    spot_progress_t progress;
    int64_t steps = 0, durable = 0, captured;

    simulation_init(&simulation, checkpoint, step_ms, waits);
    spot_cycle_init(&cycle, checkpoint, step_ms);
    if (waits != NULL) {
        spot_cycle_wait(&cycle, checkpoint, waits);
    }
    assert_in_range(cycle.write_ms, 0, cycle.cycle_ms);
    for (int64_t now_ms = 0; now_ms <= LAST_MS; now_ms++) {
        progress = spot_cycle_progress(&cycle, now_ms);
        if (!is_same(&progress, &simulation.progress)) {
            print_job(checkpoint, step_ms, now_ms);
        }
        assert_int_equal(progress.steps, simulation.progress.steps);
        assert_int_equal(progress.durable_steps, simulation.progress.durable_steps);
        assert_int_equal(progress.stalled_ms, simulation.progress.stalled_ms);
        assert_int_equal(progress.started, simulation.progress.started);
        assert_int_equal(progress.durable, simulation.progress.durable);
        assert_int_equal(progress.is_stalled, simulation.progress.is_stalled);
        assert_int_equal(progress.input_ms, simulation.progress.input_ms);
        if (simulation.progress.durable > durable) {
            assert_int_equal(spot_cycle_durable_ms(&cycle, durable++, &captured), now_ms);
            assert_true(captured <= simulation.progress.durable_steps);
            if (durable == simulation.progress.durable) {
                assert_int_equal(captured, simulation.progress.durable_steps);
            } else {
                durable = simulation.progress.durable; /* several at once */
            }
        }
        if (simulation.progress.steps > steps) {
            steps++;
            assert_int_equal(simulation.progress.steps, steps);
            assert_int_equal(spot_cycle_step_end_ms(&cycle, steps), now_ms);
        }
        simulation_advance(&simulation);
    }
    assert_true(spot_cycle_step_end_ms(&cycle, steps + 1) > LAST_MS);
}

/* xorshift64*; the tests need no better dice. */
static int64_t draw(uint64_t *seed, int64_t low, int64_t high)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return low +
           (int64_t) ((*seed * UINT64_C(0x2545f4914f6cdd1d) >> 33) % (uint64_t) (high - low + 1));
}

static void compare_random_jobs(bool has_waits)
{
    uint64_t seed = has_waits ? 20261 : 20211;

    for (int j = 0; j < NUM_JOBS; j++) {
        spot_waits_t waits = {0};
        const int64_t step_ms = draw(&seed, 1, 50);
        spot_checkpoint_t checkpoint = {
            .mode = j % 4 == 0 ? SPOT_CHECKPOINT_SYNC : SPOT_CHECKPOINT_ASYNC};

        checkpoint.every_kind = (spot_checkpoint_every_t) draw(&seed, 0, 2);
        checkpoint.every_steps = draw(&seed, 1, 6);
        checkpoint.every_ms = draw(&seed, 1, 200);
        checkpoint.busy = (int) draw(&seed, 0, 2);
        checkpoint.snapshot_ms = draw(&seed, 0, 2) == 0 ? 0 : draw(&seed, 0, 30);
        switch (draw(&seed, 0, 3)) {
            case 0:
                checkpoint.write_ms = step_ms * draw(&seed, 0, 8);
                break;
            case 1:
                checkpoint.write_ms = draw(&seed, 0, 2);
                break;
            default:
                checkpoint.write_ms = draw(&seed, 0, 200);
        }
        for (int k = 0; k < 3 && has_waits; k++) {
            waits.wait_ms[k] = draw(&seed, 0, 2) == 0 ? 0 : draw(&seed, 0, 60);
            waits.steps[k < 2 ? k : 1] = draw(&seed, 0, 30);
        }
        compare(&checkpoint, step_ms, has_waits ? &waits : NULL);
    }
}

static void test_random_jobs(void **state)
{
    (void) state;
    compare_random_jobs(false);
}

static void test_random_jobs_that_wait(void **state)
{
    (void) state;
    compare_random_jobs(true);
}

/* Every combination where instants coincide: all times are small. */
static void test_all_small_jobs(void **state)
{
    (void) state;
    for (int job = 0; job < 3 * 3 * 3 * 3 * 4 * 3; job++) {
        int rest = job;
        spot_checkpoint_t checkpoint = {0};
        int64_t step_ms;

        checkpoint.mode = rest % 3 == 0 ? SPOT_CHECKPOINT_SYNC : SPOT_CHECKPOINT_ASYNC;
        checkpoint.every_kind = rest % 3 == 1 ? SPOT_EVERY_BACK_TO_BACK : SPOT_EVERY_STEPS;
        rest /= 3;
        checkpoint.busy = rest % 3;
        rest /= 3;
        checkpoint.every_steps = 1 + rest % 3;
        rest /= 3;
        checkpoint.snapshot_ms = rest % 3;
        rest /= 3;
        checkpoint.write_ms = INT64_C(2) * (rest % 4);
        rest /= 4;
        step_ms = 1 + rest;
        compare(&checkpoint, step_ms, NULL);
    }
}

/* recovery.md: the n-th checkpoint of a period is durable at work + s + p + (n - 1) T.
 */
static void assert_durable_times(spot_checkpoint_t checkpoint, int64_t period_ms)
{
    const int64_t first_ms = 43000 + checkpoint.snapshot_ms + checkpoint.write_ms;
    spot_cycle_t cycle;

    spot_cycle_init(&cycle, &checkpoint, 1000);
    assert_int_equal(cycle.cycle_ms, period_ms);
    for (int64_t n = 1; n <= 1000; n++) {
        const int64_t durable_ms = first_ms + (n - 1) * period_ms;

        assert_int_equal(spot_cycle_progress(&cycle, durable_ms - 1).durable, n - 1);
        assert_int_equal(spot_cycle_progress(&cycle, durable_ms).durable, n);
        assert_int_equal(spot_cycle_progress(&cycle, durable_ms).durable_steps, 43 * n);
    }
}

/* Row A3 of the closed forms: s = 2 s, p = 45 s, 43 s of training between two. */
static void test_periods(void **state)
{
    spot_checkpoint_t checkpoint = {.mode = SPOT_CHECKPOINT_ASYNC,
        .every_kind = SPOT_EVERY_STEPS,
        .every_steps = 43,
        .write_ms = 45000,
        .snapshot_ms = 2000,
        .busy = SPOT_BUSY_WAIT};

    (void) state;
    assert_durable_times(checkpoint, 45000);
    checkpoint.busy = SPOT_BUSY_JOIN;
    assert_durable_times(checkpoint, 47000);
}

/* The defaults of a job: 8 s steps, writes of 89 s back to back. */
static void test_defaults_by_hand(void **state)
{
    const spot_checkpoint_t checkpoint = {.write_ms = 89000};
    spot_cycle_t cycle;
    spot_progress_t progress;

    (void) state;
    spot_cycle_init(&cycle, &checkpoint, 8000);
    assert_int_equal(cycle.first_steps, 1);
    assert_int_equal(cycle.cycle_steps, 12);
    assert_int_equal(cycle.cycle_ms, 96000);
    progress = spot_cycle_progress(&cycle, 96999);
    assert_int_equal(progress.steps, 12);
    assert_int_equal(progress.durable_steps, 0);
    assert_int_equal(progress.started, 1);
    progress = spot_cycle_progress(&cycle, 97000);
    assert_int_equal(progress.durable_steps, 1);
    progress = spot_cycle_progress(&cycle, 104000);
    assert_int_equal(progress.steps, 13);
    assert_int_equal(progress.started, 2);
    assert_int_equal(progress.durable, 1);
    assert_int_equal(progress.stalled_ms, 0);
}

/* Times of the whole range: the sanitizer sees an overflow. */
static void test_largest_values(void **state)
{
    static const int64_t sizes[] = {0, 1, 7, 89000, SPOT_MAX_DURATION_MS - 1, SPOT_MAX_DURATION_MS};
    const size_t num_sizes = sizeof(sizes) / sizeof(sizes[0]);
    const size_t num_kinds = 18; /* 2 modes, 3 of busy, 3 of every */
    const size_t num_jobs = num_kinds * num_sizes * num_sizes * (num_sizes - 1);

    (void) state;
    for (size_t j = 0; j < num_jobs; j++) {
        const size_t rest = j / num_kinds;
        const spot_checkpoint_t checkpoint = {.mode = (int) (j % 2),
            .busy = (int) (j / 2 % 3),
            .every_kind = (spot_checkpoint_every_t) (j / 6 % 3),
            .every_steps = SPOT_MAX_STEPS,
            .every_ms = SPOT_MAX_DURATION_MS,
            .snapshot_ms = sizes[rest % num_sizes],
            .write_ms = sizes[rest / num_sizes % num_sizes]};
        const int64_t step_ms = sizes[1 + rest / num_sizes / num_sizes];
        spot_cycle_t cycle;
        spot_progress_t progress;

        spot_cycle_init(&cycle, &checkpoint, step_ms);
        progress = spot_cycle_progress(&cycle, SPOT_MAX_DURATION_MS);
        assert_in_range(progress.steps, 0, SPOT_MAX_DURATION_MS / step_ms);
        assert_in_range(progress.durable_steps, 0, progress.steps);
        assert_in_range(progress.started - progress.durable, 0, 2);
        assert_in_range(progress.stalled_ms, 0, SPOT_MAX_DURATION_MS - progress.steps * step_ms);
        if (progress.steps > 0) {
            assert_true(spot_cycle_step_end_ms(&cycle, progress.steps) <= SPOT_MAX_DURATION_MS);
        }
        assert_true(spot_cycle_step_end_ms(&cycle, progress.steps + 1) > SPOT_MAX_DURATION_MS);
        assert_int_equal(spot_cycle_step_end_ms(&cycle, INT64_MAX), INT64_MAX);
        assert_true(spot_cycle_step_end_ms(&cycle, SPOT_MAX_STEPS) >= SPOT_MAX_STEPS);
    }
}

static int64_t resumed_steps(
    const spot_checkpoint_t *checkpoint, int64_t since_steps, int64_t since_ms)
{
    spot_cycle_t cycle, before;

    spot_cycle_init(&cycle, checkpoint, 1000);
    before = cycle;
    spot_cycle_resume(&cycle, checkpoint, since_steps, since_ms);
    assert_int_equal(cycle.cycle_steps, before.cycle_steps);
    assert_int_equal(cycle.cycle_ms, before.cycle_ms);
    return cycle.first_steps;
}

/* Steps of 1 s; the first checkpoint counts from the one before. */
static void test_resumed(void **state)
{
    spot_checkpoint_t checkpoint = {.every_kind = SPOT_EVERY_STEPS, .every_steps = 10};

    (void) state;
    assert_int_equal(resumed_steps(&checkpoint, 0, 500), 10);
    assert_int_equal(resumed_steps(&checkpoint, 7, 9000), 3);
    assert_int_equal(resumed_steps(&checkpoint, 10, 10000), 1);
    assert_int_equal(resumed_steps(&checkpoint, 25, 25000), 1);
    checkpoint.every_kind = SPOT_EVERY_DURATION;
    checkpoint.every_ms = 2500;
    assert_int_equal(resumed_steps(&checkpoint, 1, 0), 3);
    assert_int_equal(resumed_steps(&checkpoint, 1, 499), 3);
    assert_int_equal(resumed_steps(&checkpoint, 1, 500), 2);
    assert_int_equal(resumed_steps(&checkpoint, 1, 1499), 2);
    assert_int_equal(resumed_steps(&checkpoint, 1, 1500), 1);
    assert_int_equal(resumed_steps(&checkpoint, 9, 9000), 1);
    assert_int_equal(resumed_steps(&checkpoint, 0, -501), 4); /* half a slower step */
    checkpoint.every_ms = 2 * SPOT_MAX_DURATION_MS;
    assert_true(resumed_steps(&checkpoint, 0, -999) > SPOT_MAX_DURATION_MS / 1000);
    checkpoint.every_kind = SPOT_EVERY_BACK_TO_BACK;
    assert_int_equal(resumed_steps(&checkpoint, 5, 5000), 1);
}

/* "every" beyond any run: the steps still count, nothing becomes durable. */
static void test_never(void **state)
{
    const spot_checkpoint_t checkpoint = {
        .every_kind = SPOT_EVERY_STEPS, .every_steps = SPOT_MAX_STEPS};
    spot_cycle_t cycle;
    spot_progress_t progress;

    (void) state;
    spot_cycle_init(&cycle, &checkpoint, 8000);
    progress = spot_cycle_progress(&cycle, SPOT_MAX_DURATION_MS);
    assert_int_equal(progress.steps, SPOT_MAX_DURATION_MS / 8000);
    assert_int_equal(progress.started, 0);
    assert_int_equal(spot_cycle_step_end_ms(&cycle, 1000), 8000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_jobs),
        cmocka_unit_test(test_random_jobs_that_wait),
        cmocka_unit_test(test_all_small_jobs),
        cmocka_unit_test(test_periods),
        cmocka_unit_test(test_defaults_by_hand),
        cmocka_unit_test(test_largest_values),
        cmocka_unit_test(test_resumed),
        cmocka_unit_test(test_never),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
