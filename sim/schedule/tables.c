/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/schedule/tables.h"

#include <math.h>
#include <stdlib.h>

#include "base/keys.h"
#include "base/memory.h"
#include "base/stats.h"

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

static const spot_series_column_t detail_columns[] = {TEXT("job_id"), TEXT("vc"), NUMBER("gpu_num"),
    NUMBER("submit_time"), NUMBER("duration"), TEXT("user"), TEXT("jobname"), NUMBER("cpu_num"),
    TEXT("state"), TEXT("model"), TEXT("dataset"), NUMBER("batchsize"), NUMBER("amp"),
    NUMBER("speed"), NUMBER("gpu_util"), NUMBER("gmem_util"), NUMBER("gmem"), NUMBER("sharescore"),
    NUMBER("min_gpus"), NUMBER("max_gpus"), TEXT("scaling"), NUMBER("ckpt_interval_s"),
    NUMBER("ckpt_write_s"), NUMBER("restart_s"), NUMBER("reconfig_s"), TEXT("trainer"),
    NUMBER("start"), NUMBER("end"), NUMBER("queue"), NUMBER("jct"), NUMBER("preemptions"),
    NUMBER("node_preemptions"), NUMBER("resizes"), NUMBER("lost_s"), NUMBER("overhead_s"),
    NUMBER("profiled"), NUMBER("profqueue"), TEXT("host_job"), TEXT("nodes")};

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
    KIND(JOB_DETAILS, "job_details", TABLE, detail_columns,
        "each job as the log has it and what became of it, in order of the log; in s"),
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

static void add(tables_t *self, int table_id, const spot_cell_t *cells)
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

        add(self, SPOT_TABLE_JOBS,
            (const spot_cell_t[]){text(jobs[j].id), time_or_none(result.start_s),
                time_or_none(result.end_s),
                time_or_none(result.start_s < 0 ? -1 : result.queue_s)});
    }
    free(jobs);
}

static const char *of_set(const spot_text_set_t *set, int32_t id)
{
    return id < 0 ? "" : set->texts[id];
}

static void fill_details(tables_t *self, const char *const *nodes)
{
    static const spot_workload_t unknown = {
        "", "", -1, -1, (double) NAN, (double) NAN, (double) NAN, (double) NAN, -1};
    static const spot_job_terms_row_t rigid = {-1, -1, -1, -1, -1, -1, -1, .trainer = NULL};
    const spot_schedule_t *schedule = self->schedule;
    const spot_job_log_t *log = schedule->log;

    for (int32_t j = 0; j < (int32_t) log->num_jobs; j++) {
        const spot_job_row_t *row = &log->jobs[j];
        const spot_job_terms_row_t *terms = row->terms_id < 0 ? &rigid : &log->terms[row->terms_id];
        const spot_workload_t *work =
            row->workload_id < 0 ? &unknown : &log->workloads[row->workload_id];
        const spot_job_result_t result = spot_schedule_result(schedule, j);
        const int64_t submit_s = spot_schedule_submit_s(schedule, j);
        const spot_cell_t cells[] = {text(row->id),
            text(schedule->scenario->vcs.vcs[row->vc_id].name), number(row->gpu_num),
            number((double) submit_s), number((double) row->duration_s),
            text(of_set(&log->users, row->user_id)), text(of_set(&log->names, row->name_id)),
            time_or_none(row->cpu_num), text(of_set(&log->states, row->state_id)),
            text(work->model), text(work->dataset), time_or_none(work->batch_size),
            time_or_none(work->amp), number(work->speed_per_s), number(work->gpu_util),
            number(work->gmem_util), number(work->gmem_mib), time_or_none(work->share_score),
            time_or_none(terms->min_gpus > 0 ? terms->min_gpus : -1),
            time_or_none(terms->min_gpus > 0 ? terms->max_gpus : -1),
            text(terms->scaling_id < 0 ? "" : log->scalings[terms->scaling_id].name),
            time_or_none(terms->checkpoint_interval_s), time_or_none(terms->checkpoint_write_s),
            time_or_none(terms->restart_s), time_or_none(terms->reconfiguration_s),
            text(terms->trainer), time_or_none(result.start_s), time_or_none(result.end_s),
            time_or_none(result.start_s < 0 ? -1 : result.queue_s),
            time_or_none(result.end_s < 0 ? -1 : result.end_s - submit_s),
            number(result.preemptions), number(result.node_preemptions), number(result.resizes),
            number((double) result.lost / 1000), number((double) result.overhead_s),
            number(result.is_profiled), number((double) result.profiled_queue_s),
            text(result.host_row_id < 0 ? "" : log->jobs[result.host_row_id].id),
            text(nodes == NULL ? "" : nodes[j])};

        add(self, SPOT_TABLE_JOB_DETAILS, cells);
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
        add(self, SPOT_TABLE_PER_VC, cells);
    }
}

static void fill_scaling(tables_t *self)
{
    const spot_profiler_t *profiler = &self->schedule->profiler;

    for (size_t j = 0; j < profiler->num_events; j++) {
        add(self, SPOT_TABLE_SCALING,
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
        add(self, SPOT_TABLE_CDF,
            (const spot_cell_t[]){
                number(limit_s), number(100 * (double) place / (double) num_ended)});
    }
    for (size_t j = 1; j <= NUM_POINTS && num_ended > 0; j++) {
        const size_t rank = (num_ended * j + NUM_POINTS - 1) / NUM_POINTS;

        add(self, SPOT_TABLE_JCT,
            (const spot_cell_t[]){{.integer = (int64_t) jct_s[rank - 1]},
                number((double) rank / (double) num_ended)});
    }
}

int spot_schedule_tables_fill(spot_recording_t *recording, const spot_schedule_t *schedule,
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
