/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/schedule/run_recorder.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/keys.h"
#include "base/memory.h"
#include "base/stats.h"
#include "sim/schedule/policy.h"

/* ---- Summary ---- */

void spot_summaries_free(spot_summaries_t *self)
{
    free(self->values);
    free(self->queues);
    free(self->starts);
    free(self->summaries);
    *self = (spot_summaries_t){0};
}

static int reserve(spot_summaries_t *self, size_t num_jobs, size_t num_vcs)
{
    int ret = SPOT_ARRAY_ROOM(self, values, num_jobs);

    ret = spot_error_first(ret, SPOT_ARRAY_ROOM(self, queues, num_jobs));
    ret = spot_error_first(ret, SPOT_ARRAY_ROOM(self, starts, num_vcs + 2));
    return spot_error_first(ret, SPOT_ARRAY_ROOM(self, summaries, num_vcs + 1));
}

static double mean(int64_t total, int64_t num)
{
    return num == 0 ? (double) NAN : (double) total / (double) num;
}

/* Fills in what follows from totals, and quantiles of times of the jobs that ended. */
static void finish(spot_job_summary_t *self, double *jct, double *queue)
{
    const int64_t num_ended = self->num_jobs - self->num_unfinished;
    double of_jct[3], of_queue[3];

    self->avg_jct = mean(self->ended[0].jct_s + self->ended[1].jct_s, num_ended);
    self->avg_queue = mean(self->ended[0].queue_s + self->ended[1].queue_s, num_ended);
    self->jct_small = mean(self->ended[0].jct_s, self->ended[0].num_jobs);
    self->jct_large = mean(self->ended[1].jct_s, self->ended[1].num_jobs);
    self->queue_small = mean(self->ended[0].queue_s, self->ended[0].num_jobs);
    self->queue_large = mean(self->ended[1].queue_s, self->ended[1].num_jobs);
    spot_quantiles(jct, (size_t) num_ended, 3, (const double[]){0.5, 0.95, 0.99}, of_jct);
    spot_quantiles(queue, (size_t) num_ended, 3, (const double[]){0.5, 0.95, 0.999}, of_queue);
    self->jct_p50 = of_jct[0];
    self->jct_p95 = of_jct[1];
    self->jct_p99 = of_jct[2];
    self->queue_p50 = of_queue[0];
    self->queue_p95 = of_queue[1];
    self->queue_p999 = of_queue[2];
}

/* Counts the jobs of each VC, and where the times of those that ended start. */
static void count(spot_summaries_t *self, const spot_schedule_t *schedule)
{
    const size_t num_vcs = (size_t) schedule->num_vcs;

    memset(self->summaries, 0, (num_vcs + 1) * sizeof(*self->summaries));
    for (int32_t j = 0; j < (int32_t) schedule->log->num_jobs; j++) {
        if (spot_schedule_has_job(schedule, j)) {
            spot_job_summary_t *vc = &self->summaries[schedule->log->jobs[j].vc_id];

            vc->num_jobs++;
            vc->num_unfinished += spot_schedule_result(schedule, j).end_s < 0;
        }
    }
    self->starts[0] = 0;
    for (size_t j = 0; j < num_vcs; j++) {
        const spot_job_summary_t *vc = &self->summaries[j];

        self->starts[j + 1] = self->starts[j] + (size_t) (vc->num_jobs - vc->num_unfinished);
        self->summaries[num_vcs].num_jobs += vc->num_jobs;
        self->summaries[num_vcs].num_unfinished += vc->num_unfinished;
    }
}

/* Puts the times of a VC's jobs from starts[vc] on, and adds them to its totals. */
static void collect(spot_summaries_t *self, const spot_schedule_t *schedule)
{
    for (int32_t j = 0; j < (int32_t) schedule->log->num_jobs; j++) {
        const spot_job_row_t *row = &schedule->log->jobs[j];
        const spot_job_result_t result = spot_schedule_result(schedule, j);

        if (result.end_s >= 0) {
            const int64_t jct_s = result.end_s - spot_schedule_submit_s(schedule, j);
            const bool is_large = row->gpu_num > schedule->scenario->large_over;
            spot_job_summary_t *vc = &self->summaries[row->vc_id];
            const size_t place = self->starts[row->vc_id]++;

            self->values[place] = (double) jct_s;
            self->queues[place] = (double) result.queue_s;
            vc->ended[is_large].num_jobs++;
            vc->ended[is_large].jct_s += jct_s;
            vc->ended[is_large].queue_s += result.queue_s;
        }
    }
}

int spot_schedule_summarise(spot_summaries_t *self, const spot_schedule_t *schedule)
{
    const size_t num_vcs = (size_t) schedule->num_vcs;
    spot_job_summary_t *all;
    size_t start = 0;

    if (reserve(self, schedule->log->num_jobs, num_vcs) != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    count(self, schedule);
    collect(self, schedule);
    all = &self->summaries[num_vcs];
    for (size_t j = 0; j < num_vcs; j++) { /* starts are those of the next VC now */
        spot_job_summary_t *vc = &self->summaries[j];

        finish(vc, self->values + start, self->queues + start);
        start = self->starts[j];
        for (int k = 0; k < 2; k++) {
            all->ended[k].num_jobs += vc->ended[k].num_jobs;
            all->ended[k].jct_s += vc->ended[k].jct_s;
            all->ended[k].queue_s += vc->ended[k].queue_s;
        }
    }
    finish(all, self->values, self->queues);
    return 0;
}

/* ---- Samples ---- */

#define SMALL_GPUS 8

#define BARE_COUNT(name_)                                                                          \
    {                                                                                              \
        .name = name_, .unit = "1", .kind = SPOT_COLUMN_COUNT, .is_bare = true                     \
    }
#define MEAN(name_)                                                                                \
    {                                                                                              \
        .name = name_, .unit = "1", .kind = SPOT_COLUMN_NUMBER, .num_decimals = 3, .is_bare = true \
    }

static const spot_series_column_t columns[] = {BARE_COUNT("time"), BARE_COUNT("total_gpu_num"),
    BARE_COUNT("idle_gpu_num"), BARE_COUNT("pending_gpu_num"), BARE_COUNT("running_gpujob_num"),
    BARE_COUNT("pending_gpujob_num"), BARE_COUNT("pending_job_num_less_8"),
    BARE_COUNT("total_node_num"), BARE_COUNT("consolidate_node_num"), BARE_COUNT("shared_node_num"),
    MEAN("sm_util"), MEAN("gmem_util"), MEAN("sm_util_active"), MEAN("gmem_util_active"),
    MEAN("gpu_utilization")};

#define NUM_COLUMNS (sizeof(columns) / sizeof(columns[0]))
#define FIRST_MEAN (1 + SPOT_SAMPLE_NUM_COUNTS)

_Static_assert(NUM_COLUMNS == FIRST_MEAN + SPOT_SAMPLE_NUM_MEANS + 1,
    "a column for the time, each count, each mean and the share of GPUs in use");

/* The series of a VC, or of all; vc is its name. */
static spot_series_kind_t samples_kind(spot_arena_t *memory, const char *vc, bool is_profiler)
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

static void samples_free(spot_samples_t *self)
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

/* The last second that is recorded of a VC: that of its last end, or of the run if jobs
 * are left. */
static int64_t samples_last_s(const spot_schedule_t *schedule, int32_t vc_id)
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
static void count_cells(spot_samples_t *self, size_t row_id, const spot_vc_sample_t *sample)
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

/* Appends the samples before until_s to the series of a VC, all of its present state.
 * O(running jobs + nodes + queue) if there are any. */
static void samples_take(spot_samples_t *self, const spot_schedule_t *schedule,
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
            count_cells(self, row_id, &sample);
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

/* Cuts the series of each VC after its last second, and fills those of all, weighted by
 * nodes. With quirk Q11 they end with the shortest one, and their means are those of the
 * first VC, in whole numbers. NO_MEMORY. */
static int samples_finish(
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
        cut(series, samples_last_s(schedule, j));
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

/* ---- Kinds ---- */

#define COLUMN SPOT_SERIES_COLUMN
#define TEXT(name_) COLUMN(TEXT, name_, "", .is_bare = true)
#define NUMBER(name_) COLUMN(NUMBER, name_, "1", .is_bare = true)
#define COUNT(name_) COLUMN(COUNT, name_, "1", .is_bare = true)
#define SECONDS(name_, label_)                                                                     \
    COLUMN(NUMBER, name_, "s", .label = label_, .num_decimals = 2, .is_bare = true)
#define INSTANT(name_) COLUMN(INSTANT, name_, "", .is_bare = false)
#define LEVEL(name_, unit_) COLUMN(NUMBER, name_, unit_, .is_bare = false)

static const spot_series_column_t job_columns[] = {
    TEXT("job_id"), NUMBER("start"), NUMBER("end"), NUMBER("queue")};

/* A job as the log has it, and what became of it. */
typedef struct {
    spot_job_cells_t log;
    spot_job_result_t result;
    int64_t queue_s, jct_s;
    double lost_s;
    int32_t is_profiled;
    const char *host_job, *nodes;
} detail_t;

static const spot_row_member_t result_columns[] = {
    SPOT_MEMBER(INTEGER, "start", detail_t, result.start_s),
    SPOT_MEMBER(INTEGER, "end", detail_t, result.end_s),
    SPOT_MEMBER(INTEGER, "queue", detail_t, queue_s),
    SPOT_MEMBER(INTEGER, "jct", detail_t, jct_s),
    SPOT_MEMBER(SMALL, "preemptions", detail_t, result.preemptions),
    SPOT_MEMBER(SMALL, "node_preemptions", detail_t, result.node_preemptions),
    SPOT_MEMBER(SMALL, "resizes", detail_t, result.resizes),
    SPOT_MEMBER(NUMBER, "lost_s", detail_t, lost_s),
    SPOT_MEMBER(INTEGER, "overhead_s", detail_t, result.overhead_s),
    SPOT_MEMBER(SMALL, "profiled", detail_t, is_profiled),
    SPOT_MEMBER(INTEGER, "profqueue", detail_t, result.profiled_queue_s),
    SPOT_MEMBER(TEXT, "host_job", detail_t, host_job),
    SPOT_MEMBER(TEXT, "nodes", detail_t, nodes),
};

#define NUM_RESULTS (sizeof(result_columns) / sizeof(result_columns[0]))
#define NUM_DETAILS (SPOT_NUM_JOB_COLUMNS + NUM_RESULTS)

/* Column j of the details: those that all logs have, the others, what became of the job. */
static const spot_row_member_t *detail_column(size_t j)
{
    const bool is_own[] = {true, false};

    for (size_t k = 0; k < 2; k++) {
        for (size_t id = 0; id < SPOT_NUM_JOB_COLUMNS; id++) {
            if (spot_job_columns[id].is_own == is_own[k] && j-- == 0) {
                return &spot_job_columns[id];
            }
        }
    }
    return &result_columns[j];
}

static const spot_series_column_t vc_columns[] = {
    COLUMN(TEXT, "vc", "", .label = "VC", .is_bare = true), SECONDS("avg_jct", "mean JCT"),
    SECONDS("avg_queue", "mean queueing time"), SECONDS("queue_p95", "95 % queueing time"),
    NUMBER("jobs"), NUMBER("unfinished"), NUMBER("nodes"), NUMBER("preemptions"),
    COLUMN(NUMBER, "node_preemptions", "1", .label = "stopped by the loss of a node",
        .is_bare = true)};

static const spot_series_column_t cdf_columns[] = {NUMBER("jct_s"), NUMBER("percent")};

static const spot_series_column_t jct_columns[] = {
    COLUMN(DURATION, "jct", "", .label = "job completion time"),
    COLUMN(NUMBER, "share", "1", .label = "share of the jobs")};

static const spot_series_column_t queue_columns[] = {
    INSTANT("time"), LEVEL("running", "jobs"), LEVEL("queued", "jobs")};

static const spot_series_column_t gpu_columns[] = {
    INSTANT("time"), LEVEL("used", "GPUs"), LEVEL("idle", "GPUs"), LEVEL("prepping", "GPUs")};

static const spot_series_column_t node_columns[] = {INSTANT("start"), INSTANT("end"),
    COLUMN(TEXT, "place", "", .is_bare = false), COLUMN(TEXT, "job_id", "", .is_bare = false),
    COLUMN(COUNT, "gpus", "GPUs", .is_bare = false), COLUMN(TEXT, "node", "", .is_bare = false)};

static const spot_series_column_t progress_columns[] = {TEXT("vc"), COUNT("time"), COUNT("total"),
    COUNT("end"), COUNT("running"), COUNT("pending"), COUNT("avail_nodes")};

static const spot_series_column_t scaling_columns[] = {COUNT("time"), COUNT("scaling_num")};

#define KIND(id, name_, shape_, columns_, text)                                                    \
    [SPOT_TABLE_##id] = SPOT_SERIES_KIND(name_, shape_, 1, columns_, text)

const spot_series_kind_t spot_schedule_tables[SPOT_NUM_TABLES] = {
    KIND(JOBS, "jobs", TABLE, job_columns,
        "first start, end and time in queues of each job, by id; in s"),
    [SPOT_TABLE_JOB_DETAILS] = {.name = "job_details",
        .help = "each job as the log has it and what became of it, in order of the log; in s",
        .shape = SPOT_SERIES_TABLE,
        .ticks_per_s = 1,
        .num_columns = NUM_DETAILS}, /* columns: see detail_column() */
    KIND(PER_VC, "per_vc", SHOWN_TABLE, vc_columns,
        "means of the jobs of each virtual cluster (VC), and of all"),
    KIND(CDF, "cdf", TABLE, cdf_columns,
        "percent of the jobs whose job completion time (JCT) is at most 2^i s"),
    KIND(JCT, "jct", CDF, jct_columns,
        "share of the jobs whose job completion time (JCT) is at most so long"),
    KIND(QUEUE, "queue", LEVELS, queue_columns, "jobs that run and jobs that wait, at each sample"),
    KIND(GPUS, "gpus", LEVELS, gpu_columns, "GPUs by what they do, at each sample"),
    KIND(NODES, "nodes", SPANS, node_columns,
        "which job held GPUs of which node, from when to when"),
    KIND(PROGRESS, "progress", TABLE, progress_columns,
        "jobs that have ended, run and wait, at equal intervals; in s of the clock"),
    KIND(SCALING, "profvc_scaling", TABLE, scaling_columns,
        "nodes that the profiler borrows (1) and returns (-1); in s of the clock"),
};

/* ---- Cells ---- */

/* Tables that are being filled. */
typedef struct {
    const spot_schedule_t *schedule;
    spot_series_t *series;
    int error; /* NO_MEMORY: nothing more is added */
} tables_t;

static void add_to_table(tables_t *self, int table_id, const spot_cell_t *cells)
{
    if (self->error == 0) {
        self->error = spot_series_add(&self->series[table_id], cells);
    }
}

static spot_cell_t number(double value)
{
    return (spot_cell_t){.number = value};
}

/* -1: none. */
static spot_cell_t time_or_none(int64_t time_s)
{
    return number(time_s < 0 ? (double) NAN : (double) time_s);
}

static spot_cell_t text(const char *value)
{
    return (spot_cell_t){.text = value == NULL ? "" : value};
}

/* ---- Jobs ---- */

typedef struct {
    const char *id;
    int32_t row_id;
} named_job_t;

static int compare_ids(const void *first, const void *second)
{
    return spot_order_texts(((const named_job_t *) first)->id, ((const named_job_t *) second)->id);
}

/* In order of the ids. */
static void fill_jobs(tables_t *self)
{
    const size_t num_jobs = self->schedule->log->num_jobs;
    named_job_t *jobs = spot_calloc(num_jobs, sizeof(*jobs));

    if (jobs == NULL) {
        self->error = SPOT_ERR_NO_MEMORY;
        return;
    }
    for (size_t j = 0; j < num_jobs; j++) {
        jobs[j] = (named_job_t){self->schedule->log->jobs[j].id, (int32_t) j};
    }
    qsort(jobs, num_jobs, sizeof(*jobs), compare_ids);
    for (size_t j = 0; j < num_jobs; j++) {
        const spot_job_result_t result = spot_schedule_result(self->schedule, jobs[j].row_id);

        add_to_table(self, SPOT_TABLE_JOBS,
            (const spot_cell_t[]){text(jobs[j].id), time_or_none(result.start_s),
                time_or_none(result.end_s),
                time_or_none(result.start_s < 0 ? -1 : result.queue_s)});
    }
    free(jobs);
}

/* Terms that a job does not have are none, not those of a log that lacks the columns. */
static void find_detail(detail_t *self, const spot_schedule_t *schedule, int32_t row_id)
{
    const spot_job_log_t *log = schedule->log;
    const spot_job_row_t *row = &log->jobs[row_id];
    spot_job_terms_row_t *terms = &self->log.terms;

    spot_job_cells_of(&self->log, log, &schedule->scenario->vcs, row);
    self->log.job.submit_s = spot_schedule_submit_s(schedule, row_id);
    if (row->terms_id < 0) {
        terms->checkpoint_interval_s = terms->checkpoint_write_s = -1;
        terms->restart_s = terms->reconfiguration_s = -1;
    }
    if (terms->min_gpus == 0) {
        terms->min_gpus = terms->max_gpus = -1;
    }
    self->result = spot_schedule_result(schedule, row_id);
    self->queue_s = self->result.start_s < 0 ? -1 : self->result.queue_s;
    self->jct_s = self->result.end_s < 0 ? -1 : self->result.end_s - self->log.job.submit_s;
    self->lost_s = (double) self->result.lost / 1000;
    self->is_profiled = self->result.is_profiled;
    self->host_job = self->result.host_row_id < 0 ? "" : log->jobs[self->result.host_row_id].id;
}

static void fill_details(tables_t *self, const char *const *nodes)
{
    const spot_row_member_t *members[NUM_DETAILS];

    for (size_t k = 0; k < NUM_DETAILS; k++) {
        members[k] = detail_column(k);
    }
    for (int32_t j = 0; j < (int32_t) self->schedule->log->num_jobs; j++) {
        detail_t detail;
        spot_cell_t cells[NUM_DETAILS];

        find_detail(&detail, self->schedule, j);
        detail.nodes = nodes == NULL ? "" : nodes[j];
        for (size_t k = 0; k < NUM_DETAILS; k++) {
            cells[k] = spot_series_cell_of(members[k], &detail);
        }
        add_to_table(self, SPOT_TABLE_JOB_DETAILS, cells);
    }
}

/* ---- VCs ---- */

/* The published tables cut means to whole seconds. */
static spot_cell_t mean_cell(const spot_schedule_t *schedule, double mean_s)
{
    return number(schedule->scenario->is_compatible ? trunc(mean_s) : mean_s);
}

static void fill_vcs(tables_t *self, const spot_job_summary_t *summaries)
{
    const spot_schedule_t *schedule = self->schedule;
    const spot_vc_list_t *vcs = &schedule->scenario->vcs;
    int64_t num_nodes = 0, preemptions = 0, node_preemptions = 0;

    for (size_t j = 0; j <= vcs->num_vcs; j++) {
        const spot_job_summary_t *summary = &summaries[j];
        const bool is_all = j == vcs->num_vcs;
        const spot_vc_t *vc = is_all ? NULL : &schedule->vcs[j];
        const spot_cell_t cells[] = {text(is_all ? "all" : vcs->vcs[j].name),
            mean_cell(schedule, summary->avg_jct), mean_cell(schedule, summary->avg_queue),
            number(summary->queue_p95), number((double) summary->num_jobs),
            number((double) summary->num_unfinished),
            number((double) (is_all ? num_nodes : vcs->vcs[j].num_nodes)),
            number((double) (is_all ? preemptions : vc->preemptions)),
            number((double) (is_all ? node_preemptions : vc->node_preemptions))};

        if (!is_all) {
            num_nodes += vcs->vcs[j].num_nodes;
            preemptions += vc->preemptions;
            node_preemptions += vc->node_preemptions;
        }
        add_to_table(self, SPOT_TABLE_PER_VC, cells);
    }
}

static void fill_scaling(tables_t *self)
{
    const spot_profiler_t *profiler = &self->schedule->profiler;

    for (size_t j = 0; j < profiler->num_events; j++) {
        add_to_table(self, SPOT_TABLE_SCALING,
            (const spot_cell_t[]){
                {.integer = profiler->events[j].time_s}, {.integer = profiler->events[j].change}});
    }
}

/* ---- Distributions ---- */

/* Powers of two in the table, and points of the picture. */
#define NUM_POWERS 22
#define NUM_POINTS 400

/* all: of all VCs. jct_s: its times, which are sorted. */
static void fill_distributions(tables_t *self, const spot_job_summary_t *all, double *jct_s)
{
    const size_t num_ended = (size_t) (all->num_jobs - all->num_unfinished);
    size_t place = 0;

    spot_sort(jct_s, num_ended);
    for (int j = 0; j < NUM_POWERS && num_ended > 0; j++) {
        const double limit_s = (double) (1 << j);

        for (; place < num_ended && jct_s[place] <= limit_s; place++) {
        }
        add_to_table(self, SPOT_TABLE_CDF,
            (const spot_cell_t[]){
                number(limit_s), number(100 * (double) place / (double) num_ended)});
    }
    for (size_t j = 1; j <= NUM_POINTS && num_ended > 0; j++) {
        const size_t rank = (num_ended * j + NUM_POINTS - 1) / NUM_POINTS;

        add_to_table(self, SPOT_TABLE_JCT,
            (const spot_cell_t[]){{.integer = (int64_t) jct_s[rank - 1]},
                number((double) rank / (double) num_ended)});
    }
}

/* Fills the tables of jobs, VCs and the profiler, and the distributions. nodes:
 * [log->num_jobs] the nodes of each job's latest run, or NULL. NO_MEMORY. */
static int schedule_tables_fill(spot_recording_t *recording, const spot_schedule_t *schedule,
    const spot_summaries_t *summaries, const char *const *nodes)
{
    tables_t self = {schedule, recording->series, 0};

    fill_jobs(&self);
    fill_details(&self, nodes);
    fill_vcs(&self, summaries->summaries);
    fill_distributions(&self, &summaries->summaries[schedule->num_vcs], summaries->values);
    fill_scaling(&self);
    return self.error;
}

/* ---- Recording ---- */

int spot_run_recorder_kinds_init(spot_schedule_scenario_t *scenario)
{
    const bool has_profiler = spot_profiler_is_used(scenario);
    const size_t num_vcs = scenario->vcs.num_vcs;
    const size_t num_kinds = SPOT_TABLE_SAMPLES + num_vcs + has_profiler;
    spot_arena_t *memory = &scenario->memory;
    const spot_series_kind_t **kinds;
    spot_series_kind_t *own;
    spot_series_column_t *details;

    SPOT_ARENA_ARRAY(memory, kinds, num_kinds);
    SPOT_ARENA_ARRAY(memory, own, num_kinds);
    SPOT_ARENA_ARRAY(memory, details, NUM_DETAILS);
    if (memory->error != 0) {
        return memory->error;
    }
    for (size_t k = 0; k < NUM_DETAILS; k++) {
        details[k] = spot_series_column_of(detail_column(k));
    }
    memcpy(own, spot_schedule_tables, sizeof(spot_schedule_tables));
    own[SPOT_TABLE_JOB_DETAILS].columns = details;
    own[SPOT_TABLE_SAMPLES_ALL] = samples_kind(memory, "all", false);
    for (size_t j = 0; j < num_vcs; j++) {
        own[SPOT_TABLE_SAMPLES + j] = samples_kind(memory, scenario->vcs.vcs[j].name, false);
    }
    if (has_profiler) {
        own[num_kinds - 1] = samples_kind(memory, SPOT_PROFILER_NAME, true);
    }
    for (size_t j = 0; j < num_kinds; j++) {
        kinds[j] = &own[j];
    }
    scenario->outputs.num_series = num_kinds;
    scenario->outputs.series = kinds;
    return memory->error;
}

/* ---- Watching ---- */

static void add_lane(spot_run_recorder_t *self, int table_id, const spot_cell_t *cells)
{
    if (self->error == 0) {
        self->error = spot_series_add(&self->recording->series[table_id], cells);
    }
}

static void take_progress(spot_run_recorder_t *self, const spot_vc_t *vc, int64_t until_s)
{
    spot_vc_record_t *record = &self->vcs[vc->vc_id];
    const int64_t interval_s = self->schedule->scenario->progress_s;

    for (; record->next_progress_s < until_s; record->next_progress_s += interval_s) {
        spot_vc_progress_t line = {.num_running = vc->num_running,
            .num_pending = (int32_t) spot_vc_num_queued(vc),
            .time_s = record->next_progress_s,
            .num_ended = (int64_t) vc->num_ended};

        for (int32_t j = 0; j < vc->nodes.num_listed; j++) {
            line.num_open += vc->nodes.nodes[vc->nodes.list[j]].free != 0;
        }
        if (SPOT_ARRAY_APPEND(record, lines, line) != 0) {
            self->error = SPOT_ERR_NO_MEMORY;
        }
    }
}

static void on_time(void *context, const spot_vc_t *vc, int64_t now_s)
{
    spot_run_recorder_t *self = context;

    if (self->recording != NULL) {
        samples_take(&self->samples, self->schedule, self->recording, vc, now_s);
    }
    take_progress(self, vc, now_s);
}

static void on_release(void *context, const spot_vc_t *vc, int32_t job, int64_t since_s)
{
    spot_run_recorder_t *self = context;
    const int64_t start_s = self->schedule->scenario->start_s;
    const char *id = spot_vc_row(vc, job)->id;
    spot_texts_t texts = {0};
    const char *list = "";

    for (int32_t part = vc->jobs[job].first_part; part >= 0; part = vc->nodes.parts[part].next) {
        const spot_gpu_part_t *gpus = &vc->nodes.parts[part];
        const spot_gpu_node_t *node = &vc->nodes.nodes[gpus->node_id];
        const char *name = spot_schedule_node_name(self->schedule, node, &texts);
        const char *place = spot_schedule_place_name(self->schedule, node, &texts);
        const spot_cell_t cells[] = {{.integer = since_s - start_s},
            {.integer = vc->now_s - start_s},
            {.text = spot_texts_add(&texts, "%s/%s", vc->name, place)}, {.text = id},
            {.integer = __builtin_popcountll(gpus->gpus)}, {.text = name}};

        add_lane(self, SPOT_TABLE_NODES, cells);
        list = spot_texts_join(&texts, list, " ", name);
    }
    if (self->nodes == NULL) {
        SPOT_ARENA_ARRAY(&self->texts, self->nodes, self->schedule->log->num_jobs);
    }
    /* nodes of a job that leaves the profiler unfinished are those of its VC */
    if (self->nodes != NULL &&
        (vc->vc_id != self->schedule->num_vcs ||
            spot_profiler_is_final(&self->schedule->profiler, vc->jobs[job].row_id))) {
        self->nodes[vc->jobs[job].row_id] = spot_arena_text(&self->texts, list);
    }
    self->error = spot_error_first(self->error, texts.error);
    spot_texts_free(&texts);
}

void spot_run_recorder_free(spot_run_recorder_t *self)
{
    for (size_t j = 0; j < self->num_vcs; j++) {
        free(self->vcs[j].lines);
    }
    free(self->vcs);
    samples_free(&self->samples);
    spot_arena_free(&self->texts);
    *self = (spot_run_recorder_t){0};
}

int spot_run_recorder_start(
    spot_run_recorder_t *self, spot_schedule_t *schedule, spot_recording_t *recording)
{
    const spot_schedule_scenario_t *scenario = schedule->scenario;
    const int64_t step_s = scenario->progress_s;

    spot_run_recorder_free(self);
    self->schedule = schedule;
    self->recording = recording;
    schedule->watch = (spot_vc_watch_t){0};
    if (recording == NULL && step_s == 0) {
        return 0;
    }
    self->vcs = spot_calloc((size_t) schedule->num_clocks, sizeof(*self->vcs));
    if (self->vcs == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->num_vcs = (size_t) schedule->num_clocks;
    for (size_t j = 0; j < self->num_vcs; j++) {
        self->vcs[j].next_progress_s =
            step_s > 0 ? (scenario->start_s + step_s - 1) / step_s * step_s : INT64_MAX;
    }
    schedule->watch = (spot_vc_watch_t){self, on_time, recording == NULL ? NULL : on_release};
    return 0;
}

/* ---- The end ---- */

/* Whether a job never comes to a VC: it ends in the profiler, or, for the profiler, it
 * is too large for it. */
static bool is_skipped(const spot_schedule_t *schedule, int32_t vc_id, int32_t row_id)
{
    const spot_profiler_t *profiler = &schedule->profiler;
    const bool is_profiled = profiler->vc != NULL && spot_profiler_job(profiler, row_id) != NULL;

    return vc_id == schedule->num_vcs ? !is_profiled
                                      : is_profiled && spot_profiler_is_final(profiler, row_id);
}

/* Removes the lines after the last second of a VC. Its jobs that are skipped count_cells as
 * ended as soon as all that come before them have arrived, as in the published
 * simulator. */
static void finish_lines(spot_run_recorder_t *self, int32_t vc_id)
{
    const spot_schedule_t *schedule = self->schedule;
    const bool is_profiler = vc_id == schedule->num_vcs;
    const spot_job_log_t *log = schedule->log;
    const int64_t last_s = samples_last_s(schedule, vc_id);
    spot_vc_record_t *record = &self->vcs[vc_id];
    int64_t num_jobs = 0, num_skipped = 0;
    int32_t row_id = 0;

    while (record->num_lines > 0 && record->lines[record->num_lines - 1].time_s > last_s) {
        record->num_lines--;
    }
    if (record->num_lines == 0) {
        return;
    }
    for (int32_t j = 0; j < (int32_t) log->num_jobs; j++) {
        num_jobs += is_profiler || log->jobs[j].vc_id == vc_id;
    }
    for (size_t j = 0; j < record->num_lines; j++) {
        spot_vc_progress_t *line = &record->lines[j];

        for (; row_id < (int32_t) log->num_jobs; row_id++) {
            const bool is_own = is_profiler || log->jobs[row_id].vc_id == vc_id;
            const bool skips = is_own && is_skipped(schedule, vc_id, row_id);

            if (is_own && !skips && spot_schedule_submit_s(schedule, row_id) > line->time_s) {
                break;
            }
            num_skipped += skips;
        }
        line->num_jobs = num_jobs;
        line->num_ended += num_skipped;
    }
}

static void fill_progress(spot_run_recorder_t *self, int32_t vc_id)
{
    for (size_t j = 0; j < self->vcs[vc_id].num_lines; j++) {
        const spot_vc_progress_t *line = &self->vcs[vc_id].lines[j];
        const spot_cell_t cells[] = {{.text = self->schedule->vcs[vc_id].name},
            {.integer = line->time_s}, {.integer = line->num_jobs}, {.integer = line->num_ended},
            {.integer = line->num_running}, {.integer = line->num_pending},
            {.integer = line->num_open}};

        add_lane(self, SPOT_TABLE_PROGRESS, cells);
    }
}

int spot_run_recorder_finish(spot_run_recorder_t *self, spot_summaries_t *summaries)
{
    const spot_schedule_t *schedule = self->schedule;
    spot_recording_t *recording = self->recording;
    int ret;

    for (int32_t j = 0; j < (int32_t) self->num_vcs; j++) {
        finish_lines(self, j);
        if (recording != NULL) {
            fill_progress(self, j);
        }
    }
    if (recording == NULL || self->error != 0) {
        return self->error;
    }
    recording->end_ticks = schedule->end_s - schedule->scenario->start_s;
    ret = schedule_tables_fill(recording, schedule, summaries, self->nodes);
    ret = spot_error_first(ret, samples_finish(&self->samples, schedule, recording));
    return spot_error_first(spot_error_first(self->error, ret), self->texts.error);
}

static void write_lines(const spot_run_recorder_t *self, int32_t vc_id, FILE *out)
{
    for (size_t j = 0; j < self->vcs[vc_id].num_lines; j++) {
        const spot_vc_progress_t *line = &self->vcs[vc_id].lines[j];

        fprintf(out,
            "%s | Time: %" PRId64 " | Total Job: %" PRId64 " | End job: %" PRId64
            " | Running job: %d | Pending job: %d",
            self->schedule->vcs[vc_id].name, line->time_s, line->num_jobs, line->num_ended,
            line->num_running, line->num_pending);
        if (vc_id == self->schedule->num_vcs) {
            fprintf(out, " | Avail Nodes: %d", line->num_open);
        }
        fputc('\n', out);
    }
}

static void write_profiling(const spot_schedule_t *schedule, FILE *out)
{
    const spot_profiling_t profiling = spot_schedule_profiling(schedule);
    const double num_jobs = (double) schedule->log->num_jobs;

    fprintf(out,
        "Profiled Job Num: %" PRId64 " (%.3f%%) | Finish in Profile: %" PRId64
        " (%.3f%%) | Average Queue: %.2f\n",
        profiling.num_profiled, 100 * (double) profiling.num_profiled / num_jobs,
        profiling.num_finished, 100 * (double) profiling.num_finished / num_jobs,
        (double) profiling.queue_s / num_jobs);
}

void spot_run_recorder_progress_write(
    const spot_run_recorder_t *self, const spot_summaries_t *summaries, FILE *out)
{
    const spot_schedule_t *schedule = self->schedule;

    if (schedule->scenario->progress_s == 0) {
        return;
    }
    if (schedule->profiler.vc != NULL && schedule->log->num_jobs > 0) {
        write_lines(self, schedule->num_vcs, out);
        write_profiling(schedule, out);
    }
    for (int32_t j = 0; j < schedule->num_vcs; j++) {
        const spot_job_summary_t *vc = &summaries->summaries[j];

        write_lines(self, j, out);
        if (isfinite(vc->avg_jct)) {
            fprintf(out, "%s | Average JCT: %.2f | Average Queue: %.2f\n", schedule->vcs[j].name,
                vc->avg_jct, vc->avg_queue);
        }
    }
}
