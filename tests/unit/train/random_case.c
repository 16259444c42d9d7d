/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "random_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixture.h"
#include "random_dice.h"
#include "random_input.h"

#define MAX_EVENTS 60
#define INPUT_SEEDS 1000000 /* the first of cases that may have a loader */

/* ---- Drawing ---- */

static void draw_clock(draw_t *draw, case_t *self)
{
    static const int64_t ticks_ms[] = {
        1, 2, 3, 7, 10, 64, 99, 100, 250, 333, 1000, 2500, 4999, 5000, 10000};
    const int64_t tick_ms = ticks_ms[dice_between(&draw->dice, 0, 14)];
    const int64_t span_ms = tick_ms * dice_magnitude(&draw->dice, 250);

    draw->span_ms = span_ms;
    switch (dice_between(&draw->dice, 0, 3)) {
        case 0:
            draw->grain_ms = tick_ms;
            break;
        case 1:
            draw->grain_ms = tick_ms % 5 == 0 ? tick_ms / 5 : tick_ms;
            break;
        default:
            draw->grain_ms = 1;
    }
    self->setting.tick_ms = tick_ms;
    self->trace_end_ms = span_ms + dice_between(&draw->dice, 0, tick_ms);
    if (dice_one_in(&draw->dice, 3)) {
        self->setting.horizon_ms = self->trace_end_ms;
    } else {
        self->setting.horizon_ms = dice_between(&draw->dice, 1, span_ms + span_ms / 2);
    }
    if (dice_one_in(&draw->dice, 4)) { /* on a tick */
        self->setting.horizon_ms = (self->setting.horizon_ms + tick_ms - 1) / tick_ms * tick_ms;
    }
}

static void draw_step_time(draw_t *draw, twin_setting_t *setting)
{
    const int64_t high_ms = dice_magnitude(&draw->dice, draw->span_ms / 3 + 2);
    const int64_t low_ms = draw->span_ms / 2000 + 1; /* the twin visits every step */
    int64_t world_size = 0;

    setting->num_points = (size_t) dice_between(&draw->dice, 1, 4);
    for (size_t j = 0; j < setting->num_points; j++) {
        int64_t step_ms = on_grain(draw, dice_between(&draw->dice, low_ms, high_ms + low_ms));

        step_ms = step_ms < 1 ? draw->grain_ms : step_ms;
        world_size += dice_between(&draw->dice, 1, 8);
        setting->points[j] = (spot_step_point_t){world_size, step_ms};
    }
}

static void draw_checkpoint(draw_t *draw, twin_setting_t *setting)
{
    spot_checkpoint_t *checkpoint = &setting->checkpoint;

    checkpoint->mode = dice_one_in(&draw->dice, 4) ? SPOT_CHECKPOINT_SYNC : SPOT_CHECKPOINT_ASYNC;
    checkpoint->every_kind =
        (spot_checkpoint_every_t) dice_between(&draw->dice, 0, SPOT_EVERY_DURATION);
    checkpoint->every_steps = dice_magnitude(&draw->dice, 12);
    checkpoint->every_ms = dice_magnitude(&draw->dice, draw->span_ms / 2 + 1);
    checkpoint->busy = (int) dice_between(&draw->dice, 0, SPOT_BUSY_JOIN);
    checkpoint->write_ms = draw_pause(draw, draw->span_ms / 2 + 1);
    if (dice_one_in(&draw->dice, 2)) {
        checkpoint->snapshot_ms = draw_pause(draw, draw->span_ms / 8 + 1);
    }
}

static void draw_setting(draw_t *draw, case_t *self)
{
    twin_setting_t *setting = &self->setting;
    dice_t *dice = &draw->dice;

    draw_clock(draw, self);
    draw_step_time(draw, setting);
    draw_checkpoint(draw, setting);
    setting->capacity = dice_between(dice, 1, 24);
    setting->pipeline_depth =
        dice_one_in(dice, 4) ? 1 : dice_between(dice, 1, setting->capacity / 3 + 2);
    setting->max_pipelines = dice_one_in(dice, 3) ? dice_between(dice, 1, 4) : 1000000;
    setting->preparation_ms = draw_pause(draw, draw->span_ms / 4 + 1);
    setting->reconfiguration_ms = draw_pause(draw, draw->span_ms / 4 + 1);
    setting->reload_ms = draw_pause(draw, draw->span_ms / 8 + 1);
    if (dice_one_in(dice, 3)) {
        setting->detection_ms = draw_pause(draw, draw->span_ms / 8 + 1);
    }
    if (dice_one_in(dice, 4)) {
        setting->until_steps = dice_magnitude(dice, draw->span_ms / setting->points[0].step_ms + 2);
        self->is_until_inside = self->setting.horizon_ms == self->trace_end_ms;
    }
}

/* ---- The lives ---- */

static size_t count_living(const case_t *self)
{
    size_t num_living = 0;

    for (size_t j = 0; j < self->num_lives; j++) {
        num_living += self->lives[j].death_ms == STAYS;
    }
    return num_living;
}

/* A new name, or one whose instance has gone. */
static int draw_name(draw_t *draw, const case_t *self)
{
    const life_t *old = &self->lives[dice_between(&draw->dice, 0, MAX_LIVES - 1)];

    if (old >= self->lives + self->num_lives || !dice_one_in(&draw->dice, 3)) {
        return (int) self->num_lives;
    }
    for (size_t j = 0; j < self->num_lives; j++) {
        if (self->lives[j].name == old->name && self->lives[j].death_ms == STAYS) {
            return (int) self->num_lives;
        }
    }
    return old->name;
}

static void draw_births(draw_t *draw, case_t *self, int64_t time_ms, int64_t count)
{
    for (int64_t j = 0; j < count && self->num_lives < MAX_LIVES; j++) {
        self->lives[self->num_lives] = (life_t){draw_name(draw, self), time_ms, STAYS, false};
        self->num_lives++;
    }
}

/* Each of the living goes with probability p / 100. */
static void draw_deaths(draw_t *draw, case_t *self, int64_t time_ms, int64_t p)
{
    const bool is_stopped = dice_one_in(&draw->dice, 5);

    for (size_t j = 0; j < self->num_lives; j++) {
        life_t *life = &self->lives[j];

        if (life->death_ms == STAYS && dice_between(&draw->dice, 1, 100) <= p) {
            life->death_ms = time_ms;
            life->is_stopped = is_stopped;
        }
    }
}

/* Lists of instances differ from one another only when few go at a time. */
static void draw_one_death(draw_t *draw, case_t *self, int64_t time_ms)
{
    int64_t place = dice_between(&draw->dice, 0, (int64_t) count_living(self) - 1);

    for (size_t j = 0; j < self->num_lives; j++) {
        life_t *life = &self->lives[j];

        if (life->death_ms == STAYS && place-- == 0) {
            life->death_ms = time_ms;
        }
    }
}

static int64_t draw_gap(draw_t *draw, const case_t *self, int64_t mean_ms)
{
    switch (dice_between(&draw->dice, 0, 4)) {
        case 0:
            return 0;
        case 1:
            return dice_between(&draw->dice, 0, self->setting.tick_ms);
        case 2:
            return on_grain(draw, dice_between(&draw->dice, 0, 2 * mean_ms));
        default:
            return dice_between(&draw->dice, 0, 2 * mean_ms);
    }
}

/* Losses and additions over the length of the trace, or none. */
static void draw_lives(draw_t *draw, case_t *self)
{
    const int64_t num_events =
        dice_one_in(&draw->dice, 16) ? 0 : dice_magnitude(&draw->dice, MAX_EVENTS);
    const int64_t mean_ms = self->trace_end_ms / (num_events + 1);
    const int64_t most = dice_between(&draw->dice, 1, 12);
    const int64_t losses_per_addition = dice_between(&draw->dice, 1, 4);
    int64_t time_ms = 0, addition_ms = -1;

    draw_births(draw, self, -1,
        dice_one_in(&draw->dice, 6) ? 0 : dice_between(&draw->dice, 0, self->setting.capacity));
    for (int64_t j = 0; j < num_events; j++) {
        time_ms += draw_gap(draw, self, mean_ms);
        if (count_living(self) == 0 || dice_one_in(&draw->dice, losses_per_addition + 1)) {
            draw_births(draw, self, time_ms, dice_between(&draw->dice, 1, most));
            addition_ms = time_ms;
        } else {
            time_ms += time_ms == addition_ms; /* at one instant losses come first */
            if (dice_one_in(&draw->dice, 2)) {
                draw_one_death(draw, self, time_ms);
            } else {
                draw_deaths(draw, self, time_ms,
                    dice_one_in(&draw->dice, 6) ? 100 : dice_between(&draw->dice, 1, 50));
            }
        }
    }
    if (time_ms > self->trace_end_ms) {
        self->trace_end_ms = time_ms;
        self->is_until_inside = false;
    }
}

/* One price, or several that change on the grain: on a tick, at an end, between. */
static void draw_prices(draw_t *draw, twin_setting_t *setting)
{
    const int64_t most = dice_one_in(&draw->dice, 3) ? 1 : TWIN_MAX_PRICES;
    int64_t start_ms = 0;

    for (int64_t j = 0; j < most; j++) {
        setting->prices[setting->num_prices++] =
            (spot_price_step_t){start_ms, 0.001 * (double) dice_between(&draw->dice, 0, 5000)};
        start_ms += draw->grain_ms + on_grain(draw, dice_magnitude(&draw->dice, draw->span_ms));
    }
}

void draw_case(case_t *self, uint64_t seed)
{
    draw_t draw = {.dice = {seed * UINT64_C(0x2545f4914f6cdd1d)}};

    memset(self, 0, sizeof(*self));
    self->seed = seed;
    self->setting.is_flat_below = seed % 4 == 0;
    self->has_joined_rows = dice_one_in(&draw.dice, 2);
    draw_setting(&draw, self);
    draw_lives(&draw, self);
    draw_prices(&draw, &self->setting);
}

void draw_input_case(case_t *self, uint64_t seed)
{
    draw_t draw = {.dice = {(INPUT_SEEDS + seed) * UINT64_C(0x9fb21c651e98df25)}};

    draw_case(self, INPUT_SEEDS + seed);
    self->seed = seed;
    draw.span_ms = self->setting.horizon_ms;
    draw.grain_ms = 1;
    if (dice_one_in(&draw.dice, 2)) {
        draw_input(&draw, &self->setting);
    }
}

/* ---- A case as files ---- */

typedef struct {
    int64_t time_ms;
    int kind; /* 0 preempt, 1 stop, 2 add */
    int name;
    size_t order; /* at one instant */
} row_t;

/* Losses of an instant go before its additions, otherwise in order of birth. */
static int compare_rows(const void *left, const void *right)
{
    const row_t *a = left;
    const row_t *b = right;

    if (a->time_ms != b->time_ms) {
        return a->time_ms < b->time_ms ? -1 : 1;
    }
    if ((a->kind == 2) != (b->kind == 2)) {
        return a->kind == 2 ? 1 : -1;
    }
    return a->order < b->order ? -1 : 1;
}

static size_t collect_rows(const case_t *self, row_t rows[2 * MAX_LIVES])
{
    size_t num_rows = 0;

    memset(rows, 0, 2 * MAX_LIVES * sizeof(rows[0]));
    for (size_t j = 0; j < self->num_lives; j++) {
        const life_t *life = &self->lives[j];

        if (life->birth_ms >= 0) {
            rows[num_rows++] = (row_t){life->birth_ms, 2, life->name, j};
        }
        if (life->death_ms != STAYS) {
            rows[num_rows++] = (row_t){life->death_ms, life->is_stopped ? 1 : 0, life->name,
                self->has_reversed_losses ? MAX_LIVES - j : j};
        }
    }
    qsort(rows, num_rows, sizeof(rows[0]), compare_rows);
    return num_rows;
}

static void write_row(FILE *out, const row_t *rows, size_t count)
{
    static const char *const kinds[] = {"preempt", "stop", "add"};

    fprintf(out, "%lld.%03d,%s,%zu,", (long long) (rows->time_ms / 1000),
        (int) (rows->time_ms % 1000), kinds[rows->kind], count);
    for (size_t j = 0; j < count; j++) {
        fprintf(out, "%sn%d", j == 0 ? "" : " ", rows[j].name);
    }
    fprintf(out, "\n");
}

static void write_init(FILE *out, const case_t *self)
{
    size_t count = 0;

    for (size_t j = 0; j < self->num_lives; j++) {
        count += self->lives[j].birth_ms < 0;
    }
    fprintf(out, "0,init,%zu,", count);
    for (size_t j = 0; j < self->num_lives; j++) {
        if (self->lives[j].birth_ms < 0) {
            fprintf(out, "%sn%d", j == 0 ? "" : " ", self->lives[j].name);
        }
    }
    fprintf(out, "\n");
}

void write_trace(FILE *out, const case_t *self)
{
    row_t rows[2 * MAX_LIVES];
    const size_t num_rows = collect_rows(self, rows);

    fprintf(out, "# spotsim-trace: 1\n# name: case\n# start: unknown\n"
                 "# resolution_s: 0.001\n# kind: named\n# capacity: unbounded\n"
                 "time_s,event,count,instances\n");
    write_init(out, self);
    for (size_t j = 0, count; j < num_rows; j += count) {
        count = 1;
        while (self->has_joined_rows && j + count < num_rows &&
               rows[j + count].time_ms == rows[j].time_ms && rows[j + count].kind == rows[j].kind) {
            count++;
        }
        write_row(out, &rows[j], count);
    }
    fprintf(out, "%lld.%03d,end,%zu,\n", (long long) (self->trace_end_ms / 1000),
        (int) (self->trace_end_ms % 1000), count_living(self));
}

static void write_horizon(FILE *out, const case_t *self)
{
    const twin_setting_t *setting = &self->setting;
    const long long until = (long long) setting->until_steps;

    if (self->is_until_inside) {
        fprintf(out, "horizon: {until: {steps: %lld}}\n", until);
        return;
    }
    if (setting->horizon_ms == self->trace_end_ms) {
        fprintf(out, "horizon: trace-end\n");
    } else {
        fprintf(out, "horizon: %lld ms\n", (long long) setting->horizon_ms);
    }
    if (until > 0) {
        fprintf(out, "until: {steps: %lld}\n", until);
    }
}

static void write_checkpoint(FILE *out, const spot_checkpoint_t *checkpoint)
{
    static const char *const modes[] = {"async", "sync"};
    static const char *const busy[] = {"skip", "wait", "join"};

    fprintf(out, "  checkpoint: {mode: %s, write: %lld ms, snapshot: %lld ms, busy: %s, ",
        modes[checkpoint->mode], (long long) checkpoint->write_ms,
        (long long) checkpoint->snapshot_ms, busy[checkpoint->busy]);
    if (checkpoint->every_kind == SPOT_EVERY_STEPS) {
        fprintf(out, "every: %lld steps}\n", (long long) checkpoint->every_steps);
    } else if (checkpoint->every_kind == SPOT_EVERY_DURATION) {
        fprintf(out, "every: %lld ms}\n", (long long) checkpoint->every_ms);
    } else if (checkpoint->every_kind == SPOT_EVERY_AUTO) {
        fprintf(out, "every: auto}\n");
    } else {
        fprintf(out, "every: back-to-back}\n");
    }
}

static void write_step_time(FILE *out, const case_t *self)
{
    const twin_setting_t *setting = &self->setting;

    if (self->step_time != NULL) {
        fprintf(out, "  step_time: %s\n", self->step_time);
        return;
    }
    if (setting->is_flat_below) {
        fprintf(out, "  outside: flat\n");
    }
    fprintf(out, "  step_time: {");
    for (size_t j = 0; j < setting->num_points; j++) {
        fprintf(out, "%s%lld: %lld ms", j == 0 ? "" : ", ",
            (long long) setting->points[j].world_size, (long long) setting->points[j].step_ms);
    }
    fprintf(out, "}\n");
}

static void write_recovery(FILE *out, const case_t *self)
{
    static const char *const growths[] = {"pipeline", "never", "at_preemption", "better"};
    const twin_setting_t *setting = &self->setting;

    if (self->recovery != NULL) {
        fprintf(out, "recovery: %s\n", self->recovery);
        return;
    }
    fprintf(out, "recovery: {system: checkpoint, detection: %lld ms, growth: %s",
        (long long) setting->detection_ms, growths[setting->growth]);
    if (setting->growth == TWIN_GROWS_IF_BETTER) {
        fprintf(out, ", min_gain: %.17g", setting->min_gain);
    }
    fprintf(out, ", plan: %s, grow_flush: %s, notice: %s}\n", setting->is_best ? "best" : "fixed",
        setting->saves_before_growth ? "yes" : "no",
        setting->saves_on_notice ? "checkpoint" : "ignore");
}

void write_scenario(FILE *out, const case_t *self, const char *trace_path)
{
    const twin_setting_t *setting = &self->setting;

    fprintf(out, "scenario: case-%llu\n", (unsigned long long) self->seed);
    write_horizon(out, self);
    fprintf(out, "tick: %lld ms\n", (long long) setting->tick_ms);
    fprintf(out,
        "fleet:\n  capacity: %lld\n  initial: 0\n  preparation: %lld ms\n"
        "  notice: %lld ms\n  on_demand: %lld\n  price: {on_demand: %.3f, spot: [",
        (long long) setting->capacity, (long long) setting->preparation_ms,
        (long long) setting->notice_ms, (long long) setting->num_on_demand,
        setting->on_demand_usd_per_h);
    for (size_t j = 0; j < setting->num_prices; j++) {
        fprintf(out, "%s{from: %lld ms, usd_per_h: %.3f}", j == 0 ? "" : ", ",
            (long long) setting->prices[j].start_ms, setting->prices[j].usd_per_h);
    }
    fprintf(out, "]}\n");
    fprintf(out, "job:\n  pipeline_depth: %lld\n  max_pipelines: %lld\n",
        (long long) setting->pipeline_depth, (long long) setting->max_pipelines);
    write_step_time(out, self);
    write_checkpoint(out, &setting->checkpoint);
    fprintf(out, "  reconfiguration: %lld ms\n  reload: %lld ms\n",
        (long long) setting->reconfiguration_ms, (long long) setting->reload_ms);
    write_input(out, setting);
    write_recovery(out, self);
    if (self->trace != NULL) {
        fprintf(out, "trace: %s\n", self->trace);
    } else {
        fprintf(out, "trace: {file: %s}\n", trace_path);
    }
}

void bind_case(const case_t *self, spot_scenario_t *scenario)
{
    char path[PATH_BYTES], text[CASE_TEXT_BYTES];
    FILE *out;

    temporary_path("twin.csv", path);
    out = fopen(path, "w");
    assert_non_null(out);
    write_trace(out, self);
    assert_int_equal(fclose(out), 0);
    out = fmemopen(text, sizeof(text), "w");
    assert_non_null(out);
    write_scenario(out, self, path);
    assert_int_equal(fclose(out), 0);
    bind_good_scenario(scenario, text);
    remove(path);
}
