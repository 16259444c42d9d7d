/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws of jobs at work: their VCs in a cluster, the logs that are drawn, and a cluster
 * for a log. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/memory.h"
#include "base/watch.h"
#include "traces/jobs/job_columns.h"
#include "traces/jobs/job_coverage.h"
#include "traces/jobs/job_law.h"

#define S_PER_H INT64_C(3600)
#define ID_BYTES 12 /* of a number up to SPOT_JOB_LAW_MAX_JOBS, with room to spare */
#define USER_BYTES 12

/* ---- VCs ---- */

/* Takes all VCs of the cluster, by their nodes. */
static int take_vcs(spot_job_law_t *self, const spot_vc_list_t *vcs)
{
    int64_t num_nodes = 0;
    int ret = 0;

    self->vcs = spot_calloc(vcs->num_vcs, sizeof(*self->vcs));
    if (self->vcs == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < vcs->num_vcs; j++) {
        num_nodes += vcs->vcs[j].num_nodes;
    }
    self->num_vcs = vcs->num_vcs;
    for (size_t j = 0; j < vcs->num_vcs && ret == 0; j++) {
        self->vcs[j].vc_id = (int32_t) j;
        ret = spot_parts_add(&self->vc_parts, num_nodes > 0 ? vcs->vcs[j].num_nodes : 1);
    }
    return ret;
}

int spot_job_law_place(spot_job_law_t *self, spot_vc_list_t *vcs, bool adds_vcs, spot_diag_t *diag)
{
    int ret = 0;

    if (self->num_vcs == 0) {
        if (vcs->num_vcs == 0) {
            ret = spot_vc_list_add(vcs, "main", 0, 0);
        }
        return ret == 0 ? take_vcs(self, vcs) : ret;
    }
    for (size_t j = 0; j < self->num_vcs && ret != SPOT_ERR_NO_MEMORY; j++) {
        spot_job_law_vc_t *vc = &self->vcs[j];

        vc->vc_id = spot_vc_list_find(vcs, vc->name);
        if (vc->vc_id < 0 && adds_vcs) {
            vc->vc_id = (int32_t) vcs->num_vcs;
            ret = spot_vc_list_add(vcs, vc->name, 0, 0);
        } else if (vc->vc_id < 0) {
            ret = spot_diag_error(diag, self->file, vc->line, vc->column,
                "vcs.%s: the cluster has no VC of that name", vc->name);
        }
    }
    return ret;
}

/* ---- Streams ---- */

/* The streams of a replication; number j of each is that of job j. Jobs come as a
 * Poisson process whose rate is constant within each hour of the week: the next one when
 * the integral of the rate since the latest one is exponential. */
typedef struct {
    const spot_job_law_t *law;
    uint64_t seed, replication;
    int64_t end_s;          /* no job comes from then on */
    int64_t hour;           /* of the week */
    int64_t hour_s, next_s; /* where the hour starts and ends on the simulation clock */
    double after_s;         /* time of the latest job after hour_s */
    spot_rng_t gaps, sizes, vcs, users, elastic;
    spot_rng_t of_job;            /* its duration, or its workload */
    int32_t rigid_id, elastic_id; /* of terms */
} streams_t;

static void streams_start(
    streams_t *self, const spot_job_law_t *law, uint64_t seed, uint64_t replication)
{
    const int64_t end_s = (law->horizon_ms + SPOT_MS_PER_S - 1) / SPOT_MS_PER_S;

    *self = (streams_t){.law = law,
        .seed = seed,
        .replication = replication,
        .end_s = law->horizon_ms == 0 ? SPOT_JOB_MAX_S : end_s,
        .hour = law->start.week_s / S_PER_H,
        .next_s = S_PER_H - law->start.week_s % S_PER_H,
        .rigid_id = -1,
        .elastic_id = -1};
    spot_rng_seek(&self->gaps, seed, replication, SPOT_STREAM_JOB_GAP, 0);
    spot_rng_seek(&self->sizes, seed, replication, SPOT_STREAM_JOB_SIZE, 0);
    spot_rng_seek(&self->vcs, seed, replication, SPOT_STREAM_JOB_VC, 0);
    spot_rng_seek(&self->users, seed, replication, SPOT_STREAM_JOB_USER, 0);
    spot_rng_seek(&self->elastic, seed, replication, SPOT_STREAM_JOB_ELASTIC, 0);
}

/* The second of the next job; false: no more come. */
static bool next_submit(streams_t *self, int64_t *submit_s)
{
    const spot_job_law_t *law = self->law;
    double left = spot_rng_exponential(&self->gaps, 1);

    while (self->hour_s < self->end_s) {
        const double rate = law->per_hour / (double) S_PER_H *
                            law->hours[self->hour % SPOT_HOURS_PER_DAY] *
                            law->weekdays[self->hour / SPOT_HOURS_PER_DAY];
        const double length_s = (double) (self->next_s - self->hour_s) - self->after_s;

        if (left < rate * length_s) {
            self->after_s += left / rate;
            *submit_s = self->hour_s + (int64_t) self->after_s;
            return *submit_s < self->end_s;
        }
        left -= rate * length_s;
        self->after_s = 0;
        self->hour_s = self->next_s;
        self->next_s += S_PER_H;
        self->hour = (self->hour + 1) % SPOT_HOURS_PER_WEEK;
    }
    return false;
}

/* ---- Jobs ---- */

/* In whole seconds, from 1 on. */
static int64_t draw_duration_s(const spot_job_law_t *law, int32_t gpu_num, spot_rng_t *rng)
{
    const spot_job_duration_t *duration = &law->duration;
    const double longest_s = (double) law->longest_ms / SPOT_MS_PER_S;
    double duration_s;

    for (size_t j = 0; j < law->num_classes && law->classes[j].from_gpus <= gpu_num; j++) {
        duration = &law->classes[j].duration;
    }
    duration_s = duration->law.family == NULL
                     ? (double) duration->fixed_ms / SPOT_MS_PER_S
                     : duration->law.family->draw(duration->law.parameters, rng);
    return duration_s < 1 ? 1 : llrint(fmin(duration_s, longest_s));
}

/* The number j of the stream is that of job j, whatever its size. */
static int32_t draw_terms(streams_t *streams, int32_t gpu_num)
{
    const spot_job_law_terms_t *terms = &streams->law->terms;
    const bool is_chosen =
        terms->num_speeds > 0 && spot_rng_uniform(&streams->elastic) < terms->p_elastic;

    for (size_t j = 0; is_chosen && j < terms->num_speeds; j++) {
        if (terms->speeds[j].num_gpus == gpu_num) {
            return streams->elastic_id;
        }
    }
    return streams->rigid_id;
}

static void draw_job(streams_t *streams, size_t job_id, int64_t submit_s, spot_job_row_t *job)
{
    const spot_job_law_t *law = streams->law;
    const spot_job_law_vc_t *vc = &law->vcs[spot_parts_draw(&law->vc_parts, &streams->vcs)];
    const spot_job_sizes_t *sizes = vc->sizes.num_sizes > 0 ? &vc->sizes : &law->sizes;
    const size_t size_id = spot_parts_draw(&sizes->parts, &streams->sizes);
    const int32_t gpu_num = (int32_t) sizes->sizes[size_id].num_gpus;
    const int32_t terms_id = draw_terms(streams, gpu_num);
    int32_t workload_id = -1;

    if (law->workload_path != NULL) {
        spot_rng_seek(&streams->of_job, streams->seed, streams->replication,
            SPOT_STREAM_JOB_WORKLOAD, job_id);
        workload_id = spot_workload_table_draw(&law->workload_table, gpu_num, &streams->of_job);
    }
    spot_rng_seek(
        &streams->of_job, streams->seed, streams->replication, SPOT_STREAM_JOB_DURATION, job_id);
    *job = (spot_job_row_t){submit_s, draw_duration_s(law, gpu_num, &streams->of_job), job->id,
        vc->vc_id, gpu_num, -1, -1, -1, -1, workload_id, terms_id};
    if (law->num_users > 0) {
        job->user_id = (int32_t) spot_parts_draw(&law->user_parts, &streams->users);
    }
}

/* Makes room for one more job. All places have their ids, which stay for later draws. */
static int make_room(spot_job_log_t *log)
{
    const size_t old_max = log->max_jobs;
    const int ret = SPOT_ARRAY_ROOM(log, jobs, log->num_jobs + 1);
    const size_t num_new = log->max_jobs - old_max;
    char *ids;

    if (ret != 0 || num_new == 0) {
        return ret;
    }
    ids = spot_arena_take(&log->texts, num_new, ID_BYTES);
    if (ids == NULL) {
        log->max_jobs = old_max;
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < num_new; j++, ids += ID_BYTES) {
        if (spot_stop_is_due(j)) {
            log->max_jobs = old_max + j;
            return SPOT_ERR_INTERRUPTED;
        }
        snprintf(ids, ID_BYTES, "%zu", old_max + j + 1);
        log->jobs[old_max + j].id = ids;
    }
    return 0;
}

double spot_job_law_bytes(double num_jobs)
{
    return spot_array_bytes(num_jobs, sizeof(spot_job_row_t)) +
           spot_array_bytes(num_jobs, ID_BYTES);
}

/* Users, and the workloads of the law, whose texts stay there. */
static int add_shared(const spot_job_law_t *self, spot_job_log_t *log)
{
    const size_t num_workloads = self->workloads.num_workloads;
    int32_t user_id;
    int ret = SPOT_ARRAY_ROOM(log, workloads, num_workloads);

    spot_key_table_free(&log->workload_table);
    log->num_workloads = ret == 0 ? num_workloads : 0;
    if (log->num_workloads > 0) {
        memcpy(log->workloads, self->workloads.workloads, num_workloads * sizeof(*log->workloads));
    }
    while (ret == 0 && log->users.num_texts < (size_t) self->num_users) {
        char name[USER_BYTES];

        snprintf(name, sizeof(name), "u%zu", log->users.num_texts + 1);
        ret = spot_text_set_add(&log->users, &log->texts, name, &user_id);
    }
    return ret;
}

static int64_t whole_s(int64_t duration_ms)
{
    return (duration_ms + SPOT_MS_PER_S / 2) / SPOT_MS_PER_S;
}

/* Adds the terms of rigid jobs, unless they have none, and of elastic ones. */
static int add_terms(const spot_job_law_t *self, spot_job_log_t *log, streams_t *streams)
{
    const spot_job_law_terms_t *law = &self->terms;
    const int64_t every_ms = law->checkpoint_every_ms; /* 0: never */
    spot_table_file_t file = {.path = ""};             /* the scaling is known to be good */
    spot_job_terms_row_t terms;
    int ret = 0;

    memcpy(&terms, &spot_job_no_cells.terms, sizeof(terms));
    terms.checkpoint_interval_s = every_ms > 0 && every_ms < SPOT_MS_PER_S ? 1 : whole_s(every_ms);
    terms.checkpoint_write_s = whole_s(law->checkpoint_write_ms);
    terms.restart_s = law->restart_ms < 0 ? -1 : whole_s(law->restart_ms);
    terms.reconfiguration_s = whole_s(law->reconfiguration_ms);
    if (every_ms > 0 || law->restart_ms >= 0) {
        ret = spot_job_log_add_terms(log, &terms, &streams->rigid_id);
    }
    if (ret == 0 && law->num_speeds > 0) {
        ret = spot_job_scaling_add(log, &file, law->scaling, &terms.scaling_id);
        terms.min_gpus = (int32_t) law->speeds[0].num_gpus;
        terms.max_gpus = (int32_t) law->speeds[law->num_speeds - 1].num_gpus;
        ret = ret == 0 ? spot_job_log_add_terms(log, &terms, &streams->elastic_id) : ret;
    }
    return ret;
}

int spot_job_law_draw(
    const spot_job_law_t *self, spot_job_log_t *log, uint64_t seed, uint64_t replication)
{
    const size_t most = self->num_jobs > 0 ? (size_t) self->num_jobs : 2 * SPOT_JOB_LAW_MAX_JOBS;
    int ret = add_shared(self, log);
    streams_t streams;
    int64_t submit_s;

    streams_start(&streams, self, seed, replication);
    ret = ret == 0 ? add_terms(self, log, &streams) : ret;
    log->num_jobs = 0;
    log->clock_zero_s = self->start.clock_zero_s;
    while (ret == 0 && log->num_jobs < most && next_submit(&streams, &submit_s)) {
        ret = spot_stop_is_due(log->num_jobs) ? SPOT_ERR_INTERRUPTED : make_room(log);
        if (ret == 0) {
            draw_job(&streams, log->num_jobs, submit_s, &log->jobs[log->num_jobs]);
            log->num_jobs++;
        }
    }
    log->counts =
        (spot_job_counts_t){.read = (int64_t) log->num_jobs, .kept = (int64_t) log->num_jobs};
    return ret;
}

/* ---- A cluster for the jobs ---- */

int spot_job_law_write_vcs(const spot_job_law_t *self, const spot_job_log_t *log,
    const spot_vc_list_t *vcs, double load, FILE *out)
{
    const int64_t last_s = log->num_jobs == 0 ? 0 : log->jobs[log->num_jobs - 1].submit_s;
    const double span_s =
        self->num_jobs > 0 ? (double) last_s + 1 : (double) self->horizon_ms / 1000;
    spot_job_coverage_t *rows = spot_calloc(vcs->num_vcs + 1, sizeof(*rows));
    const int ret = rows == NULL ? SPOT_ERR_NO_MEMORY
                                 : spot_job_coverage(log, vcs, SPOT_JOB_LAW_NODE_GPUS, rows);

    fprintf(out, "vc,nodes\n");
    for (size_t k = 0; k < vcs->num_vcs && ret == 0; k++) {
        const double num_gpus = fmax(rows[k].gpu_s / (span_s * load), fmax(1, rows[k].most_gpus));

        spot_csv_field_text(out, rows[k].vc);
        fprintf(out, ",%.0f\n", ceil(num_gpus / SPOT_JOB_LAW_NODE_GPUS));
    }
    free(rows);
    return ret;
}
