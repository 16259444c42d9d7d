/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/schedule/run_recorder.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/schedule/tables.h"

int spot_run_recorder_kinds_init(spot_schedule_scenario_t *scenario)
{
    const bool has_profiler = spot_profiler_is_used(scenario);
    const size_t num_vcs = scenario->vcs.num_vcs;
    const size_t num_kinds = SPOT_TABLE_SAMPLES + num_vcs + has_profiler;
    spot_arena_t *memory = &scenario->memory;
    const spot_series_kind_t **kinds;
    spot_series_kind_t *own;

    SPOT_ARENA_ARRAY(memory, kinds, num_kinds);
    SPOT_ARENA_ARRAY(memory, own, num_kinds);
    if (memory->error != 0) {
        return memory->error;
    }
    memcpy(own, spot_schedule_tables, sizeof(spot_schedule_tables));
    own[SPOT_TABLE_SAMPLES_ALL] = spot_samples_kind(memory, "all", false);
    for (size_t j = 0; j < num_vcs; j++) {
        own[SPOT_TABLE_SAMPLES + j] = spot_samples_kind(memory, scenario->vcs.vcs[j].name, false);
    }
    if (has_profiler) {
        own[num_kinds - 1] = spot_samples_kind(memory, SPOT_PROFILER_NAME, true);
    }
    for (size_t j = 0; j < num_kinds; j++) {
        kinds[j] = &own[j];
    }
    scenario->outputs.num_series = num_kinds;
    scenario->outputs.series = kinds;
    return memory->error;
}

/* ---- Watching ---- */

static void add(spot_run_recorder_t *self, int table_id, const spot_cell_t *cells)
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
        spot_samples_take(&self->samples, self->schedule, self->recording, vc, now_s);
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

        add(self, SPOT_TABLE_NODES, cells);
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
    spot_samples_free(&self->samples);
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

/* Removes the lines after the last second of a VC. Its jobs that are skipped count as
 * ended as soon as all that come before them have arrived, as in the published
 * simulator. */
static void finish_lines(spot_run_recorder_t *self, int32_t vc_id)
{
    const spot_schedule_t *schedule = self->schedule;
    const bool is_profiler = vc_id == schedule->num_vcs;
    const spot_job_log_t *log = schedule->log;
    const int64_t last_s = spot_samples_last_s(schedule, vc_id);
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

        add(self, SPOT_TABLE_PROGRESS, cells);
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
    ret = spot_schedule_tables_fill(recording, schedule, summaries, self->nodes);
    ret = spot_error_first(ret, spot_samples_finish(&self->samples, schedule, recording));
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
