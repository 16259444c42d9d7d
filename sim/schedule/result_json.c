/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/schedule/result_json.h"

#include <stddef.h>
#include <string.h>

#include "base/json.h"
#include "sim/schedule/metrics.h"
#include "sim/train/run_json.h"

/* A member of a struct under its name. */
typedef struct {
    const char *name;
    size_t offset;
} member_t;

static const member_t times[] = {
    {"avg_jct", offsetof(spot_job_summary_t, avg_jct)},
    {"avg_queue", offsetof(spot_job_summary_t, avg_queue)},
    {"queue_p50", offsetof(spot_job_summary_t, queue_p50)},
    {"queue_p95", offsetof(spot_job_summary_t, queue_p95)},
    {"queue_p999", offsetof(spot_job_summary_t, queue_p999)},
    {"jct_p50", offsetof(spot_job_summary_t, jct_p50)},
    {"jct_p95", offsetof(spot_job_summary_t, jct_p95)},
    {"jct_p99", offsetof(spot_job_summary_t, jct_p99)},
    {"jct_large", offsetof(spot_job_summary_t, jct_large)},
    {"jct_small", offsetof(spot_job_summary_t, jct_small)},
    {"queue_large", offsetof(spot_job_summary_t, queue_large)},
    {"queue_small", offsetof(spot_job_summary_t, queue_small)},
};

static void
write_summary(const spot_schedule_t *schedule, const spot_summaries_t *summaries,
    spot_json_t *json)
{
    const spot_job_summary_t *all = &summaries->summaries[schedule->num_vcs];
    int64_t preemptions = 0, last_end_s = -1;

    for (int32_t j = 0; j < schedule->num_vcs; j++) {
        const spot_vc_t *vc = &schedule->vcs[j];

        preemptions += vc->preemptions;
        last_end_s = vc->last_end_s > last_end_s ? vc->last_end_s : last_end_s;
    }
    spot_json_text(json, "policy", spot_policies[schedule->scenario->policy_id]->name);
    spot_json_integer(json, "jobs", all->num_jobs);
    spot_json_integer(json, "unfinished", all->num_unfinished);
    for (size_t j = 0; j < sizeof(times) / sizeof(times[0]); j++) {
        double time_s;

        memcpy(&time_s, (const char *) all + times[j].offset, sizeof(time_s));
        spot_json_number(json, times[j].name, time_s);
    }
    spot_json_integer(json, "preemptions", preemptions);
    if (last_end_s < 0) {
        spot_json_text(json, "last_end", NULL);
    } else {
        spot_json_integer(json, "last_end", last_end_s);
    }
}

static void
write_ledger(const spot_schedule_t *schedule, spot_json_t *json)
{
    double total = 0;

    spot_json_open(json, "ledger", '{');
    for (int j = 0; j < SPOT_NUM_GPU_TIMES; j++) {
        const double gpu_s = spot_schedule_gpu_s(schedule, (spot_gpu_time_t) j);

        spot_json_number(json, spot_gpu_time_names[j], gpu_s);
        total += gpu_s;
    }
    spot_json_number(json, "total", total);
    spot_json_close(json, '}');
}

static void
write_cost(const spot_schedule_t *schedule, spot_json_t *json)
{
    spot_json_open(json, "cost", '{');
    spot_json_number(json, "reserved_usd", schedule->reserved_usd);
    spot_json_number(json, "spot_usd", schedule->spot_usd);
    spot_json_number(json, "usd", schedule->reserved_usd + schedule->spot_usd);
    spot_json_number(json, "reserved_node_h", schedule->reserved_node_h);
    spot_json_number(json, "spot_node_h", schedule->spot_node_h);
    spot_json_close(json, '}');
}

static void
write_counts(const spot_schedule_t *schedule, spot_json_t *json)
{
    const spot_job_counts_t *log = &schedule->log->counts;
    int64_t node_preemptions = 0, resizes = 0;

    for (int32_t j = 0; j < schedule->num_vcs; j++) {
        node_preemptions += schedule->vcs[j].node_preemptions;
        resizes += schedule->vcs[j].resizes;
    }
    spot_json_open(json, "counts", '{');
    spot_json_integer(json, "node_preemptions", node_preemptions);
    spot_json_integer(json, "resizes", resizes);
    spot_json_integer(json, "clipped", schedule->num_clipped);
    spot_json_integer(json, "oversize", schedule->num_oversize);
    spot_json_integer(json, "rows_read", log->read);
    spot_json_integer(json, "without_gpus", log->without_gpus);
    spot_json_integer(json, "unknown_vc", log->unknown_vc);
    spot_json_integer(json, "too_short", log->too_short);
    spot_json_integer(json, "unsorted", log->unsorted);
    spot_json_close(json, '}');
}

static void
write_profiling(const spot_schedule_t *schedule, spot_json_t *json)
{
    const spot_profiling_t profiling = spot_schedule_profiling(schedule);

    spot_json_open(json, "profiler", '{');
    spot_json_integer(json, "profiled", profiling.num_profiled);
    spot_json_integer(json, "finished", profiling.num_finished);
    spot_json_number(json, "avg_queue",
        (double) profiling.queue_s / (double) schedule->log->num_jobs);
    spot_json_integer(json, "borrowed", profiling.num_borrowed);
    spot_json_close(json, '}');
}

static void
write_vcs(const spot_schedule_t *schedule, const spot_summaries_t *summaries,
    spot_json_t *json)
{
    spot_json_open(json, "vcs", '{');
    for (int32_t j = 0; j < schedule->num_vcs; j++) {
        const spot_job_summary_t *vc = &summaries->summaries[j];

        spot_json_open(json, schedule->vcs[j].name, '{');
        spot_json_integer(json, "jobs", vc->num_jobs);
        spot_json_number(json, "avg_jct", vc->avg_jct);
        spot_json_number(json, "avg_queue", vc->avg_queue);
        spot_json_close(json, '}');
    }
    spot_json_close(json, '}');
}

/* Jobs of the training engine, as it says itself. */
static void
write_core_jobs(const spot_schedule_t *schedule, spot_json_t *json)
{
    bool is_open = false;

    for (int32_t j = 0; j < (int32_t) schedule->log->num_jobs; j++) {
        const spot_train_result_t *result = spot_schedule_core_result(schedule, j);

        if (result != NULL && !is_open) {
            spot_json_open(json, "core_jobs", '{');
            is_open = true;
        }
        if (result != NULL) {
            spot_json_open(json, schedule->log->jobs[j].id, '{');
            spot_run_json_figures(json, result);
            spot_json_close(json, '}');
        }
    }
    if (is_open) {
        spot_json_close(json, '}');
    }
}

void
spot_schedule_json_write(const spot_schedule_t *schedule,
    const spot_summaries_t *summaries, const spot_replication_t *replication, FILE *out)
{
    unsigned char flags[SPOT_SCHEDULE_NUM_WARNINGS];
    spot_json_t json;

    spot_json_init(&json, out, 2);
    spot_json_open(&json, NULL, '{');
    spot_json_text(&json, "engine", "schedule");
    spot_json_text(&json, "scenario", schedule->scenario->name);
    write_summary(schedule, summaries, &json);
    write_ledger(schedule, &json);
    write_cost(schedule, &json);
    write_counts(schedule, &json);
    if (schedule->profiler.vc != NULL) {
        write_profiling(schedule, &json);
    }
    write_vcs(schedule, summaries, &json);
    write_core_jobs(schedule, &json);
    spot_schedule_warning_flags(schedule, flags);
    spot_json_open(&json, "warnings", '[');
    for (size_t j = 0; j < SPOT_SCHEDULE_NUM_WARNINGS; j++) {
        if (flags[j]) {
            spot_json_text(&json, NULL, spot_schedule_warnings[j].name);
        }
    }
    spot_json_close(&json, ']');
    spot_json_unsigned(&json, "seed", replication->seed);
    spot_json_unsigned(&json, "replication", replication->replication);
    spot_json_close(&json, '}');
    fputc('\n', out);
}
