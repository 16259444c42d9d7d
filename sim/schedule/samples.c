/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/schedule/samples.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

#define SMALL_GPUS 8

#define COUNT(name_)                                                                               \
    {                                                                                              \
        .name = name_, .unit = "1", .kind = SPOT_COLUMN_COUNT, .is_bare = true                     \
    }
#define MEAN(name_)                                                                                \
    {                                                                                              \
        .name = name_, .unit = "1", .kind = SPOT_COLUMN_NUMBER, .num_decimals = 3, .is_bare = true \
    }

static const spot_series_column_t columns[] = {COUNT("time"), COUNT("total_gpu_num"),
    COUNT("idle_gpu_num"), COUNT("pending_gpu_num"), COUNT("running_gpujob_num"),
    COUNT("pending_gpujob_num"), COUNT("pending_job_num_less_8"), COUNT("total_node_num"),
    COUNT("consolidate_node_num"), COUNT("shared_node_num"), MEAN("sm_util"), MEAN("gmem_util"),
    MEAN("sm_util_active"), MEAN("gmem_util_active"), MEAN("gpu_utilization")};

#define NUM_COLUMNS (sizeof(columns) / sizeof(columns[0]))
#define FIRST_MEAN (1 + SPOT_SAMPLE_NUM_COUNTS)

_Static_assert(NUM_COLUMNS == FIRST_MEAN + SPOT_SAMPLE_NUM_MEANS + 1,
    "a column for the time, each count, each mean and the share of GPUs in use");

spot_series_kind_t spot_samples_kind(spot_arena_t *memory, const char *vc, bool is_profiler)
{
    spot_texts_t texts = {0};
    const spot_series_kind_t kind = {
        .name = spot_arena_text(memory, spot_texts_add(&texts, "seq_%s", vc)),
        .help = "samples of a VC at equal intervals; in s of the clock, MiB and %",
        .shape = SPOT_SERIES_LONG_TABLE,
        .ticks_per_s = 1,
        .num_columns = is_profiler ? FIRST_MEAN : NUM_COLUMNS,
        .columns = columns};

    memory->error = spot_error_first(memory->error, texts.error);
    spot_texts_free(&texts);
    return kind;
}

void spot_samples_free(spot_samples_t *self)
{
    free(self->shown);
    free(self->all);
    *self = (spot_samples_t){0};
}

/* What the GPUs of a node show: sums of utilisation and memory, and the GPUs where they
 * are above 0. */
struct spot_shown {
    int32_t num_jobs;
    double sum[2], num_active[2];
};

/* Adds what the GPUs of a job show, which is that of two jobs if a guest shares them. */
static void add_shown(spot_samples_t *self, const spot_vc_t *vc, int32_t job)
{
    const spot_vc_job_t *at = &vc->jobs[job];
    const int32_t workload_id = vc->log->jobs[at->row_id].workload_id;
    const bool is_second = at->partner >= 0 && at->is_guest;
    double shows[2] = {(double) NAN, (double) NAN};

    if (at->partner >= 0 && !is_second) {
        const spot_colocation_pair_t pair = spot_lucid_pair(vc, at->partner, job);

        shows[0] = pair.gpu_util;
        shows[1] = pair.gmem_mib;
    } else if (workload_id >= 0) {
        shows[0] = vc->log->workloads[workload_id].gpu_util;
        shows[1] = vc->log->workloads[workload_id].gmem_mib;
    }
    for (int32_t part = at->first_part; part >= 0; part = vc->nodes.parts[part].next) {
        const spot_gpu_part_t *gpus = &vc->nodes.parts[part];
        struct spot_shown *node = &self->shown[vc->nodes.nodes[gpus->node_id].place];
        const double num_gpus = (double) __builtin_popcountll(gpus->gpus);

        node->num_jobs++;
        for (int k = 0; k < 2 && !is_second; k++) {
            node->sum[k] += num_gpus * shows[k];
            node->num_active[k] += shows[k] > 0 ? num_gpus : 0;
        }
    }
}

static void look_at_nodes(spot_samples_t *self, const spot_vc_t *vc, spot_vc_sample_t *sample)
{
    const int32_t num_nodes = vc->nodes.num_listed;
    /* without the columns nothing is known, of free GPUs too */
    const double none = vc->log->num_workloads == 0 ? (double) NAN : 0;
    double num_active[2] = {0, 0};

    for (int32_t j = 0; j < num_nodes; j++) {
        self->shown[j] = (struct spot_shown){0};
    }
    for (int32_t job = vc->first_running; job >= 0; job = vc->jobs[job].next) {
        add_shown(self, vc, job);
    }
    for (int k = 0; k < SPOT_SAMPLE_NUM_MEANS; k++) {
        sample->means[k] = none;
    }
    for (int32_t j = 0; j < num_nodes; j++) {
        const struct spot_shown *node = &self->shown[j];

        sample->counts[SPOT_SAMPLE_SINGLE] += node->num_jobs == 1;
        sample->counts[SPOT_SAMPLE_SHARED] += node->num_jobs > 1;
        for (int k = 0; k < 2; k++) {
            sample->means[k] += node->sum[k] / vc->nodes.gpus_per_node;
            if (node->num_active[k] > 0) {
                num_active[k]++;
                sample->means[2 + k] += node->sum[k] / node->num_active[k];
            }
        }
    }
    for (int k = 0; k < 2; k++) {
        sample->means[k] /= num_nodes > 0 ? num_nodes : 1;
        sample->means[2 + k] /= num_active[k] > 0 ? num_active[k] : 1;
    }
}

/* The present state of a VC. */
static spot_vc_sample_t look(spot_samples_t *self, const spot_vc_t *vc)
{
    const int64_t gpus_per_node = vc->nodes.gpus_per_node;
    spot_vc_sample_t sample = {.counts = {[SPOT_SAMPLE_GPUS] = vc->nodes.num_listed * gpus_per_node,
                                   [SPOT_SAMPLE_IDLE] = vc->nodes.num_idle,
                                   [SPOT_SAMPLE_RUNNING] = vc->num_running,
                                   [SPOT_SAMPLE_PENDING] = (int64_t) spot_vc_num_queued(vc),
                                   [SPOT_SAMPLE_NODES] = vc->nodes.num_listed},
        .prepping_gpus = vc->num_prepping * gpus_per_node};
    spot_queue_place_t place = {0};

    for (int32_t job = spot_vc_next_queued(vc, &place); job >= 0;
         job = spot_vc_next_queued(vc, &place)) {
        const int32_t gpus = vc->jobs[job].gpus;

        sample.counts[SPOT_SAMPLE_PENDING_GPUS] += gpus;
        sample.counts[SPOT_SAMPLE_PENDING_SMALL] += gpus < SMALL_GPUS;
    }
    if (SPOT_ARRAY_ROOM(self, shown, (size_t) vc->nodes.num_listed) != 0) {
        self->error = SPOT_ERR_NO_MEMORY;
    } else {
        look_at_nodes(self, vc, &sample);
    }
    return sample;
}

int64_t spot_samples_last_s(const spot_schedule_t *schedule, int32_t vc_id)
{
    const spot_vc_t *vc = &schedule->vcs[vc_id];

    return vc->num_ended < vc->num_jobs ? schedule->end_s : vc->last_end_s;
}

/* ---- Rows ---- */

static void add_cells(spot_samples_t *self, spot_series_t *series, const spot_cell_t *cells)
{
    if (self->error == 0) {
        self->error = spot_series_add(series, cells);
    }
}

static void add_row(spot_samples_t *self, const spot_schedule_t *schedule, spot_series_t *series,
    size_t row_id, const spot_vc_sample_t *sample)
{
    const spot_schedule_scenario_t *scenario = schedule->scenario;
    const double num_gpus = (double) sample->counts[SPOT_SAMPLE_GPUS];
    const double num_idle = (double) sample->counts[SPOT_SAMPLE_IDLE];
    spot_cell_t cells[NUM_COLUMNS] = {
        {.integer = scenario->start_s + (int64_t) row_id * scenario->sample_s}};

    for (int k = 0; k < SPOT_SAMPLE_NUM_COUNTS; k++) {
        cells[1 + k].integer = sample->counts[k];
    }
    for (int k = 0; k < SPOT_SAMPLE_NUM_MEANS; k++) {
        cells[FIRST_MEAN + k].number = sample->means[k];
    }
    cells[NUM_COLUMNS - 1].number = num_gpus == 0 ? (double) NAN : (num_gpus - num_idle) / num_gpus;
    add_cells(self, series, cells);
}

/* Counts a sample of a VC for all VCs. */
static void count(spot_samples_t *self, size_t row_id, const spot_vc_sample_t *sample)
{
    while (row_id >= self->num_all) {
        if (SPOT_ARRAY_APPEND(self, all, (spot_vc_sample_t){0}) != 0) {
            self->error = SPOT_ERR_NO_MEMORY;
            return;
        }
    }
    for (int k = 0; k < SPOT_SAMPLE_NUM_COUNTS; k++) {
        self->all[row_id].counts[k] += sample->counts[k];
    }
    self->all[row_id].prepping_gpus += sample->prepping_gpus;
}

void spot_samples_take(spot_samples_t *self, const spot_schedule_t *schedule,
    spot_recording_t *recording, const spot_vc_t *vc, int64_t until_s)
{
    const int64_t interval_s = schedule->scenario->sample_s;
    spot_series_t *series = &recording->series[SPOT_TABLE_SAMPLES + vc->vc_id];
    size_t row_id = series->num_rows;
    int64_t next_s = schedule->scenario->start_s + (int64_t) row_id * interval_s;
    spot_vc_sample_t sample;

    if (interval_s == 0 || next_s >= until_s) {
        return;
    }
    sample = look(self, vc);
    for (; next_s < until_s && self->error == 0; next_s += interval_s, row_id++) {
        add_row(self, schedule, series, row_id, &sample);
        if (vc->vc_id < schedule->num_vcs) { /* nodes of the profiler are those of VCs */
            count(self, row_id, &sample);
        }
    }
}

/* Adds the means of a VC to those of all. VCs are added in their order, so that the sums
 * do not depend on that of their events. */
static void add_means(spot_samples_t *self, const spot_series_t *series)
{
    for (size_t j = 0; j < series->num_rows && j < self->num_all; j++) {
        const spot_cell_t *cells = series->cells + j * NUM_COLUMNS;
        const int64_t num_nodes = self->all[j].counts[SPOT_SAMPLE_NODES];
        const double share = (double) cells[1 + SPOT_SAMPLE_NODES].integer /
                             (double) (num_nodes > 0 ? num_nodes : 1);

        for (int k = 0; k < SPOT_SAMPLE_NUM_MEANS; k++) {
            self->all[j].means[k] += share * cells[FIRST_MEAN + k].number;
        }
    }
}

/* Removes the rows after a second. */
static void cut(spot_series_t *series, int64_t last_s)
{
    const size_t num_columns = series->kind->num_columns;

    while (series->num_rows > 0 &&
           series->cells[(series->num_rows - 1) * num_columns].integer > last_s) {
        series->num_rows--;
    }
}

/* What a picture shows of all VCs. */
static void add_levels(
    spot_samples_t *self, spot_series_t *series, int64_t tick, const spot_vc_sample_t *sample)
{
    const double running = (double) sample->counts[SPOT_SAMPLE_RUNNING];
    const double queued = (double) sample->counts[SPOT_SAMPLE_PENDING];
    const double idle = (double) sample->counts[SPOT_SAMPLE_IDLE];
    const double used = (double) sample->counts[SPOT_SAMPLE_GPUS] - idle;

    add_cells(self, &series[SPOT_TABLE_QUEUE],
        (const spot_cell_t[]){{.integer = tick}, {.number = running}, {.number = queued}});
    add_cells(self, &series[SPOT_TABLE_GPUS],
        (const spot_cell_t[]){{.integer = tick}, {.number = used}, {.number = idle},
            {.number = (double) sample->prepping_gpus}});
}

int spot_samples_finish(
    spot_samples_t *self, const spot_schedule_t *schedule, spot_recording_t *recording)
{
    const bool is_cut = schedule->scenario->quirks[SPOT_QUIRK_CUT_SAMPLES];
    spot_series_t *of_vcs = &recording->series[SPOT_TABLE_SAMPLES];
    const spot_series_t *first = NULL; /* with jobs */
    size_t num_rows = self->num_all;

    for (int32_t j = 0; j < schedule->num_clocks; j++) {
        const bool is_vc = j < schedule->num_vcs;
        spot_series_t *series = &of_vcs[j];

        if (is_vc) {
            add_means(self, series);
        }
        cut(series, spot_samples_last_s(schedule, j));
        if (is_vc && series->num_rows > 0) {
            first = first == NULL ? series : first;
            num_rows = is_cut && series->num_rows < num_rows ? series->num_rows : num_rows;
        }
    }
    for (size_t j = 0; j < self->num_all; j++) {
        add_levels(
            self, recording->series, (int64_t) j * schedule->scenario->sample_s, &self->all[j]);
    }
    for (size_t j = 0; j < num_rows; j++) {
        spot_vc_sample_t sample = self->all[j];

        for (int k = 0; k < SPOT_SAMPLE_NUM_MEANS && is_cut && first != NULL; k++) {
            sample.means[k] =
                trunc(first->cells[j * NUM_COLUMNS + (size_t) (FIRST_MEAN + k)].number);
        }
        add_row(self, schedule, &recording->series[SPOT_TABLE_SAMPLES_ALL], j, &sample);
    }
    return self->error;
}
