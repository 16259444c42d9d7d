/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "law_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "set_recovery.h"

/* ---- Systems and options ---- */

#define AS_PUBLISHED ", published_defaults: yes"

/* Without defaults of its own. */
#define PEERS                                                                                      \
    ", state_bytes: 8e9, net_bytes_per_s: 1e9, remote_bytes_per_s: 1e8, restart: 5 s, "            \
    "detection: 3 s" AS_PUBLISHED
#define FAST_PEERS                                                                                 \
    ", state_bytes: 3e7, net_bytes_per_s: 1e10, remote_bytes_per_s: 1e8, restart: 7 ms"

/* Layers without a job.model, and short intervals. */
#define OF_JOB ", layers: 200, layer_parameters: 0, link_gbps: 1, interval: 20 s"

/* Moves that are short enough for short runs. */
#define FAST_MOVES                                                                                 \
    ", interval: 20 s, first_parameters: 0, layer_parameters: 0, last_parameters: 0, "             \
    "build_bytes: 0, group_base_ms: 1, group_add_ms: 0.5, group_remove_ms: 0.25, "                 \
    "add_ms: 3, process_ms: 1" AS_PUBLISHED

static const law_row_t all_rows[] = {
    {.system = "bamboo", .options = AS_PUBLISHED},
    {.system = "bamboo", .options = ", local_pause: 3 ms, global_pause: 7 ms" AS_PUBLISHED},
    {.system = "bamboo",
        .options = ", step_factor: 1, slowdown: 1.01, doubled_share: 2, redundant_share: 0.8, "
                   "local_pause: 1 ms, global_pause: 1 ms",
        .slowdown = 1.01},
    {.system = "bamboo",
        .options = ", fallback: none, stale_timers: yes, late_restart: yes, "
                   "trains_in_pause: yes, idle_losses_slow: yes, "
                   "counts_dead_standby: yes, global_pause: 9 ms"},
    {.system = "bamboo", .options = ", step_factor: 1, detection: 4 ms, fallback: storage"},
    {.system = "checkpoint", .options = ""},
    {.system = "checkpoint", .options = ", growth: never, detection: 5 ms"},
    {.system = "checkpoint", .options = ", growth: at_preemption, notice: checkpoint"},
    {.system = "checkpoint", .options = ", growth: better, min_gain: 0.1, plan: best"},
    {.system = "checkpoint", .options = ", grow_flush: yes, notice: checkpoint"},
    {.system = "gemini", .options = PEERS},
    {.system = "gemini", .options = PEERS ", replacement: shrink, mem_every: 3"},
    {.system = "gemini", .options = PEERS ", growth: never, group_size: 3"},
    {.system = "gemini",
        .options = FAST_PEERS ", replacement: shrink, mem_every: 2, mem_overhead: 6 ms",
        .more_ms = 3},
    {.system = "gemini", .options = ", mem_overhead: 0 s, state_bytes: 3e7, net_bytes_per_s: 1e9"},
    {.system = "ideal", .options = "", .min_depth = 1},
    {.system = "ideal", .options = ", interval: 70 ms", .min_depth = 1},
    {.system = "on-demand", .options = ""},
    {.system = "on-demand", .options = ", instances: 5", .num_instances = 5},
    {.system = "oobleck", .options = AS_PUBLISHED, .num_failures = 3},
    {.system = "oobleck", .options = ", f: 0, regroup: 3 ms, growth: better" AS_PUBLISHED},
    {.system = "oobleck",
        .options = ", f: 1, n_min: 2, regroup: 1 ms, growth: better, min_gain: 0.1, "
                   "layer_bytes: 1e6" AS_PUBLISHED,
        .num_failures = 1,
        .min_depth = 2},
    {.system = "oobleck", .options = ", f: 0, layer_bytes: 1e6, bandwidth_bytes_per_s: 1e9"},
    {.system = "parcae", .options = ", min_depth: 1" OF_JOB, .min_depth = 1},
    {.system = "parcae",
        .options = ", predictor: arima, samples: 20, min_depth: 1, detection: 5 ms" OF_JOB,
        .min_depth = 1},
    {.system = "parcae", .options = AS_PUBLISHED, .min_depth = 6},
    {.system = "parcae",
        .options = ", predictor: arima, samples: 50, min_depth: 1, interval: 30 s" AS_PUBLISHED,
        .min_depth = 1},
    {.system = "parcae", .options = ", min_depth: 1" FAST_MOVES, .min_depth = 1},
    {.system = "parcae",
        .options = ", predictor: arima, samples: 20, min_depth: 2, look_ahead: 3, "
                   "pause_merge: add, par_bug: yes" FAST_MOVES,
        .min_depth = 2},
    {.system = "parcae-throughput", .options = ", min_depth: 1" OF_JOB, .min_depth = 1},
    {.system = "parcae-throughput", .options = AS_PUBLISHED, .min_depth = 6},
    {.system = "parcae-throughput",
        .options = ", min_depth: 1, tie: par, pause_merge: add, save_load: 2 ms" FAST_MOVES,
        .min_depth = 1},
    {.system = "recycle", .options = ", micro_batch: 64" AS_PUBLISHED, .micro_batch = 64},
    {.system = "recycle",
        .options = ", micro_batch: 128, fill: worst, growth: never, detection: 3 ms, "
                   "stage_copy: 6 ms" AS_PUBLISHED,
        .micro_batch = 128,
        .is_worst_fill = true},
    {.system = "recycle",
        .options = ", micro_batch: 7, replan: 1 ms, stage_copy: 0 s",
        .micro_batch = 7},
    {.system = "recycle", .options = ", micro_batch: 1000" AS_PUBLISHED, .micro_batch = 1000},
    {.system = "recycle", .options = ", micro_batch: 64, detection: 2 ms", .micro_batch = 64},
    {.system = "varuna", .options = ", cut_points: 12"},
    {.system = "varuna", .options = ", cut_points: 12" AS_PUBLISHED, .every_steps = 10},
    {.system = "varuna",
        .options = ", cut_points: 12, detection: 3 ms, every: 2, poll: 50 ms, "
                   "lead: 9 ms, settle: 20 ms",
        .every_steps = 2},
    {.system = "varuna",
        .options = ", cut_points: 12, detection: 0 s, every: 3, copy: 40 ms",
        .every_steps = 3,
        .copy_ms = 40},
};

size_t law_rows(law_row_t rows[LAW_MAX_ROWS])
{
    size_t num_rows = 0;

    for (size_t i = 0; spot_recovery_systems[i] != NULL; i++) {
        const char *name = spot_recovery_systems[i]->name;
        const size_t num_before = num_rows;

        for (size_t j = 0; j < sizeof(all_rows) / sizeof(all_rows[0]); j++) {
            if (strcmp(all_rows[j].system, name) == 0) {
                assert_true(num_rows < LAW_MAX_ROWS);
                rows[num_rows++] = all_rows[j];
            }
        }
        if (num_rows == num_before) {
            assert_true(num_rows < LAW_MAX_ROWS);
            rows[num_rows++] = (law_row_t){.system = name, .options = "", .is_unknown = true};
        }
    }
    return num_rows;
}

bool law_is_of(const law_row_t *row, const char *system)
{
    return strcmp(row->system, system) == 0;
}

/* ---- Cases ---- */

void law_draw_case(case_t *self, uint64_t seed)
{
    draw_case(self, seed);
    if (seed % 2 == 0) {
        self->setting.notice_ms =
            1 + (int64_t) mixed(seed, 1000, 20 * (uint64_t) self->setting.tick_ms);
    }
}

/* Steps about as long as those of the case. */
static double pair_ms(const case_t *self, int32_t num_pipelines, int32_t depth)
{
    const double step_ms = (double) self->setting.points[0].step_ms;
    const uint64_t place = (uint64_t) depth * 100 + (uint64_t) num_pipelines;

    return step_ms * (0.5 + (double) mixed(self->seed, place, 8) / 8) + 0.6;
}

static double ordered_pair_ms(const case_t *self, int32_t num_pipelines, int32_t depth)
{
    const double step_ms = (double) self->setting.points[0].step_ms;
    const double of_depth = 0.5 + (double) mixed(self->seed, (uint64_t) depth, 8) / 8;

    return step_ms * of_depth * (1 + 3.0 / num_pipelines) + 0.6;
}

static void write_table(const case_t *self, bool is_ordered, const char *path)
{
    const int64_t capacity = self->setting.capacity;
    spot_step_grid_t grid = {0};
    FILE *out = fopen(path, "w");

    assert_non_null(out);
    for (int32_t depth = 1; depth <= capacity; depth++) {
        for (int32_t d = 1; d * depth <= capacity; d++) {
            const bool is_listed = is_ordered || d * depth == 1 ||
                                   mixed(self->seed, (uint64_t) (50000 + depth * 100 + d), 3) > 0;
            const spot_step_pair_t pair = {.num_pipelines = d,
                .depth = depth,
                .step_ms = is_ordered ? ordered_pair_ms(self, d, depth) : pair_ms(self, d, depth)};

            if (is_listed) {
                assert_int_equal(spot_step_grid_add(&grid, &pair), 0);
            }
        }
    }
    assert_int_equal(spot_step_grid_seal(&grid, NULL, NULL), 0);
    spot_step_grid_write(&grid, NULL, out);
    spot_step_grid_free(&grid);
    assert_int_equal(fclose(out), 0);
}

/* Of the schedule by which Varuna decisions, so that all have one table. */
static void write_model(const case_t *self, char *text, size_t num_bytes)
{
    const double step_ms = (double) self->setting.points[0].step_ms;

    snprintf(text, num_bytes,
        "{pipeline: {layers: %d, micro_batch: %d, forward_ms: %.6f, backward_ms: %.6f, "
        "link_ms: %d, gradient_bytes: 0, schedule: varuna}}",
        LAW_NUM_LAYERS, LAW_MICRO_BATCH, 0.1 + 0.004 * step_ms, 0.2 + 0.008 * step_ms,
        (int) mixed(self->seed, 2000, 3));
}

/* By world size, each pipeline more is faster, or no pipeline is. */
static void order_points(case_t *self)
{
    twin_setting_t *setting = &self->setting;
    const int64_t step_ms = setting->points[0].step_ms;

    setting->num_points = self->seed % 4 == 0 ? 1 : 3;
    for (size_t j = 0; j < setting->num_points; j++) {
        setting->points[j] = (spot_step_point_t){
            1 + (int64_t) j * setting->capacity, step_ms * 4 / ((int64_t) j + 1) + 3};
    }
}

static void bind_recovery(const char *recovery, const case_t *self, law_job_t job, bool is_ordered,
    spot_scenario_t *scenario)
{
    char path[PATH_BYTES], step_time[PATH_BYTES + 256];
    case_t copy = *self;

    temporary_path("law-table.csv", path);
    copy.recovery = recovery;
    if (job == LAW_BY_PAIR) {
        write_table(self, is_ordered, path);
        snprintf(step_time, sizeof(step_time), "{table: %s}", path);
        copy.step_time = step_time;
    } else if (job == LAW_BY_MODEL) {
        write_model(self, step_time, sizeof(step_time));
        copy.step_time = step_time;
    } else if (is_ordered) {
        order_points(&copy);
    }
    bind_case(&copy, scenario);
    if (job == LAW_BY_PAIR) {
        remove(path);
    }
}

void law_bind(const law_row_t *row, const case_t *self, law_job_t job, bool is_ordered,
    spot_scenario_t *scenario)
{
    char recovery[512];

    if (row->table != NULL) {
        bind_recovery("checkpoint", self, job, is_ordered, scenario);
        spot_recovery_choice_free(&scenario->recovery);
        spot_recovery_choose(&scenario->recovery, row->table);
        return;
    }
    snprintf(recovery, sizeof(recovery), "{system: %s%s}", row->system, row->options);
    bind_recovery(recovery, self, job, is_ordered, scenario);
}

void law_bind_ideal(const case_t *self, law_job_t job, bool is_ordered, spot_scenario_t *scenario)
{
    bind_recovery("ideal", self, job, is_ordered, scenario);
}

bool law_breaks_rules(const spot_scenario_t *scenario)
{
    char text[SPOT_BROKEN_RULES_BYTES];

    return scenario->recovery.options != NULL &&
           spot_recovery_breaks_rules(&scenario->recovery, text);
}
