/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/schedule/tables.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"
#include "base/stats.h"

/* Powers of two of the distribution. */
#define NUM_POWERS 22

#define TEXT(name_)                                                                     \
    {                                                                                   \
        .name = name_, .unit = "", .kind = SPOT_COLUMN_TEXT, .is_bare = true            \
    }
#define NUMBER(name_)                                                                   \
    {                                                                                   \
        .name = name_, .unit = "1", .kind = SPOT_COLUMN_NUMBER, .is_bare = true         \
    }
#define SECONDS(name_, label_, decimals)                                                \
    {                                                                                   \
        .name = name_, .unit = "s", .kind = SPOT_COLUMN_NUMBER, .label = label_,        \
        .num_decimals = decimals, .is_bare = true                                       \
    }
#define KIND(id, name_, shape_, columns_, text)                                         \
    const spot_series_kind_t id = {.name = name_,                                       \
        .help = text,                                                                   \
        .shape = shape_,                                                                \
        .ticks_per_s = 1,                                                               \
        .num_columns = sizeof(columns_) / sizeof(columns_[0]),                          \
        .columns = columns_}

static spot_cell_t
number(double value)
{
    return (spot_cell_t){.number = value};
}

/* -1: none. */
static spot_cell_t
time_or_none(int64_t time_s)
{
    return number(time_s < 0 ? (double) NAN : (double) time_s);
}

static spot_cell_t
text(const char *value)
{
    return (spot_cell_t){.text = value == NULL ? "" : value};
}

/* ---- Jobs ---- */

static const spot_series_column_t job_columns[] = {
    TEXT("job_id"), NUMBER("start"), NUMBER("end"), NUMBER("queue")};

KIND(spot_jobs_series, "jobs", SPOT_SERIES_TABLE, job_columns,
    "first start, end and time in queues of each job, by id; in s");

typedef struct {
    const char *id;
    int32_t row_id;
} named_job_t;

static int
compare_ids(const void *first, const void *second)
{
    return spot_order_texts(
        ((const named_job_t *) first)->id, ((const named_job_t *) second)->id);
}

int
spot_jobs_series_fill(spot_series_t *series, const spot_schedule_t *schedule)
{
    const size_t num_jobs = schedule->log->num_jobs;
    named_job_t *jobs = spot_calloc(num_jobs, sizeof(*jobs));
    int ret = jobs == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (size_t j = 0; j < num_jobs && ret == 0; j++) {
        jobs[j] = (named_job_t){schedule->log->jobs[j].id, (int32_t) j};
    }
    if (ret == 0) {
        qsort(jobs, num_jobs, sizeof(*jobs), compare_ids);
    }
    for (size_t j = 0; j < num_jobs && ret == 0; j++) {
        const spot_job_result_t result = spot_schedule_result(schedule, jobs[j].row_id);
        const spot_cell_t cells[] = {text(jobs[j].id), time_or_none(result.start_s),
            time_or_none(result.end_s),
            time_or_none(result.start_s < 0 ? -1 : result.queue_s)};

        ret = spot_series_add(series, cells);
    }
    free(jobs);
    return ret;
}

static const spot_series_column_t detail_columns[] = {TEXT("job_id"), TEXT("vc"),
    NUMBER("gpu_num"), NUMBER("submit_time"), NUMBER("duration"), TEXT("user"),
    TEXT("jobname"), NUMBER("cpu_num"), TEXT("state"), TEXT("model"), TEXT("dataset"),
    NUMBER("batchsize"), NUMBER("amp"), NUMBER("speed"), NUMBER("gpu_util"),
    NUMBER("gmem_util"), NUMBER("gmem"), NUMBER("sharescore"), NUMBER("start"),
    NUMBER("end"), NUMBER("queue"), NUMBER("jct"), NUMBER("preemptions"),
    NUMBER("node_preemptions"), NUMBER("resizes"), NUMBER("lost_s"),
    NUMBER("overhead_s"), NUMBER("profiled"), NUMBER("profqueue"), TEXT("host_job"),
    TEXT("nodes")};

KIND(spot_job_details_series, "job_details", SPOT_SERIES_TABLE, detail_columns,
    "each job as the log has it and what became of it, in order of the log; in s");

static const char *
of_set(const spot_text_set_t *set, int32_t id)
{
    return id < 0 ? "" : set->texts[id];
}

int
spot_job_details_series_fill(
    spot_series_t *series, const spot_schedule_t *schedule, const char *const *nodes)
{
    static const spot_workload_t unknown = {
        "", "", -1, -1, (double) NAN, (double) NAN, (double) NAN, (double) NAN, -1};
    const spot_job_log_t *log = schedule->log;
    int ret = 0;

    for (int32_t j = 0; j < (int32_t) log->num_jobs && ret == 0; j++) {
        const spot_job_row_t *row = &log->jobs[j];
        const spot_workload_t *work =
            row->workload_id < 0 ? &unknown : &log->workloads[row->workload_id];
        const spot_job_result_t result = spot_schedule_result(schedule, j);
        const int64_t submit_s = spot_schedule_submit_s(schedule, j);
        const spot_cell_t cells[] = {text(row->id),
            text(schedule->scenario->vcs.vcs[row->vc_id].name), number(row->gpu_num),
            number((double) submit_s), number((double) row->duration_s),
            text(of_set(&log->users, row->user_id)),
            text(of_set(&log->names, row->name_id)), time_or_none(row->cpu_num),
            text(of_set(&log->states, row->state_id)), text(work->model),
            text(work->dataset), time_or_none(work->batch_size), time_or_none(work->amp),
            number(work->speed_per_s), number(work->gpu_util), number(work->gmem_util),
            number(work->gmem_mib), time_or_none(work->share_score),
            time_or_none(result.start_s), time_or_none(result.end_s),
            time_or_none(result.start_s < 0 ? -1 : result.queue_s),
            time_or_none(result.end_s < 0 ? -1 : result.end_s - submit_s),
            number(result.preemptions), number(result.node_preemptions),
            number(result.resizes), number((double) result.lost / 1000),
            number((double) result.overhead_s), number(result.is_profiled),
            number((double) result.profiled_queue_s),
            text(result.host_row_id < 0 ? "" : log->jobs[result.host_row_id].id),
            text(nodes == NULL ? "" : nodes[j])};

        ret = spot_series_add(series, cells);
    }
    return ret;
}

/* ---- VCs ---- */

static const spot_series_column_t vc_columns[] = {
    {.name = "vc", .unit = "", .kind = SPOT_COLUMN_TEXT, .label = "VC", .is_bare = true},
    SECONDS("avg_jct", "mean JCT", 2), SECONDS("avg_queue", "mean queueing time", 2),
    SECONDS("queue_p95", "95 % queueing time", 2), NUMBER("jobs"), NUMBER("unfinished"),
    NUMBER("nodes"), NUMBER("preemptions"),
    {.name = "node_preemptions",
        .unit = "1",
        .kind = SPOT_COLUMN_NUMBER,
        .label = "stopped by the loss of a node",
        .is_bare = true}};

KIND(spot_per_vc_series, "per_vc", SPOT_SERIES_SHOWN_TABLE, vc_columns,
    "means of the jobs of each virtual cluster (VC), and of all");

/* The published tables cut means to whole seconds. */
static spot_cell_t
mean_cell(const spot_schedule_t *schedule, double mean_s)
{
    return number(schedule->scenario->is_compatible ? trunc(mean_s) : mean_s);
}

int
spot_per_vc_series_fill(spot_series_t *series, const spot_schedule_t *schedule,
    const spot_summaries_t *summaries)
{
    const spot_vc_list_t *vcs = &schedule->scenario->vcs;
    int64_t num_nodes = 0, preemptions = 0, node_preemptions = 0;
    int ret = 0;

    for (size_t j = 0; j <= vcs->num_vcs && ret == 0; j++) {
        const spot_job_summary_t *summary = &summaries->summaries[j];
        const bool is_all = j == vcs->num_vcs;
        const spot_vc_t *vc = is_all ? NULL : &schedule->vcs[j];
        const spot_cell_t cells[] = {text(is_all ? "all" : vcs->vcs[j].name),
            mean_cell(schedule, summary->avg_jct),
            mean_cell(schedule, summary->avg_queue), number(summary->queue_p95),
            number((double) summary->num_jobs), number((double) summary->num_unfinished),
            number((double) (is_all ? num_nodes : vcs->vcs[j].num_nodes)),
            number((double) (is_all ? preemptions : vc->preemptions)),
            number((double) (is_all ? node_preemptions : vc->node_preemptions))};

        if (!is_all) {
            num_nodes += vcs->vcs[j].num_nodes;
            preemptions += vc->preemptions;
            node_preemptions += vc->node_preemptions;
        }
        ret = spot_series_add(series, cells);
    }
    return ret;
}

/* ---- Distributions ---- */

static const spot_series_column_t cdf_columns[] = {NUMBER("jct_s"), NUMBER("percent")};

KIND(spot_cdf_series, "cdf", SPOT_SERIES_TABLE, cdf_columns,
    "percent of the jobs whose job completion time (JCT) is at most 2^i s");

static const spot_series_column_t jct_columns[] = {{.name = "jct",
                                                       .unit = "",
                                                       .kind = SPOT_COLUMN_DURATION,
                                                       .label = "job completion time"},
    {.name = "share",
        .unit = "1",
        .kind = SPOT_COLUMN_NUMBER,
        .label = "share of the jobs"}};

KIND(spot_jct_series, "jct", SPOT_SERIES_CDF, jct_columns,
    "share of the jobs whose job completion time (JCT) is at most so long");

/* Points of the picture. */
#define NUM_POINTS 400

int
spot_cdf_series_fill(spot_series_t *cdf, spot_series_t *jct,
    const spot_summaries_t *summaries, size_t num_vcs)
{
    const spot_job_summary_t *all = &summaries->summaries[num_vcs];
    const size_t num_ended = (size_t) (all->num_jobs - all->num_unfinished);
    size_t place = 0;
    int ret = 0;

    spot_sort(summaries->values, num_ended);
    for (int j = 0; j < NUM_POWERS && num_ended > 0 && ret == 0; j++) {
        const double limit_s = (double) (1 << j);

        for (; place < num_ended && summaries->values[place] <= limit_s; place++) {
        }
        ret = spot_series_add(
            cdf, (const spot_cell_t[]){{.number = limit_s},
                     {.number = 100 * (double) place / (double) num_ended}});
    }
    for (size_t j = 1; j <= NUM_POINTS && num_ended > 0 && ret == 0; j++) {
        const size_t rank = (num_ended * j + NUM_POINTS - 1) / NUM_POINTS;

        ret = spot_series_add(jct,
            (const spot_cell_t[]){{.integer = (int64_t) summaries->values[rank - 1]},
                {.number = (double) rank / (double) num_ended}});
    }
    return ret;
}
