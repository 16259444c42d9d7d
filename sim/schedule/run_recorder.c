/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/schedule/run_recorder.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/texts.h"
#include "sim/schedule/tables.h"

/* ---- Kinds of series ---- */

#define INSTANT(name_)                                                                  \
    {                                                                                   \
        .name = name_, .unit = "", .kind = SPOT_COLUMN_INSTANT                          \
    }
#define LEVEL(name_, unit_)                                                             \
    {                                                                                   \
        .name = name_, .unit = unit_, .kind = SPOT_COLUMN_NUMBER                        \
    }
#define COUNT(name_)                                                                    \
    {                                                                                   \
        .name = name_, .unit = "1", .kind = SPOT_COLUMN_COUNT, .is_bare = true          \
    }
#define KIND(id, name_, shape_, columns_, text)                                         \
    static const spot_series_kind_t id = {.name = name_,                                \
        .help = text,                                                                   \
        .shape = shape_,                                                                \
        .ticks_per_s = 1,                                                               \
        .num_columns = sizeof(columns_) / sizeof(columns_[0]),                          \
        .columns = columns_}

static const spot_series_column_t queue_columns[] = {
    INSTANT("time"), LEVEL("running", "jobs"), LEVEL("queued", "jobs")};

KIND(queue_series, "queue", SPOT_SERIES_LEVELS, queue_columns,
    "jobs that run and jobs that wait, at each sample");

static const spot_series_column_t gpu_columns[] = {INSTANT("time"),
    LEVEL("used", "GPUs"), LEVEL("idle", "GPUs"), LEVEL("prepping", "GPUs")};

KIND(gpu_series, "gpus", SPOT_SERIES_LEVELS, gpu_columns,
    "GPUs by what they do, at each sample");

static const spot_series_column_t node_columns[] = {INSTANT("start"), INSTANT("end"),
    {.name = "node", .unit = "", .kind = SPOT_COLUMN_TEXT},
    {.name = "job_id", .unit = "", .kind = SPOT_COLUMN_TEXT},
    {.name = "gpus", .unit = "GPUs", .kind = SPOT_COLUMN_COUNT}};

KIND(node_series, "nodes", SPOT_SERIES_SPANS, node_columns,
    "which job held GPUs of which node, from when to when");

static const spot_series_column_t progress_columns[] = {
    {.name = "vc", .unit = "", .kind = SPOT_COLUMN_TEXT, .is_bare = true}, COUNT("time"),
    COUNT("total"), COUNT("end"), COUNT("running"), COUNT("pending"),
    COUNT("avail_nodes")};

KIND(progress_series, "progress", SPOT_SERIES_TABLE, progress_columns,
    "jobs that have ended, run and wait, at equal intervals; in s of the clock");

static const spot_series_column_t scaling_columns[] = {
    COUNT("time"), COUNT("scaling_num")};

KIND(scaling_series, "profvc_scaling", SPOT_SERIES_TABLE, scaling_columns,
    "nodes that the profiler borrows (1) and returns (-1); in s of the clock");

enum {
    SERIES_JOBS,
    SERIES_JOB_DETAILS,
    SERIES_PER_VC,
    SERIES_CDF,
    SERIES_JCT,
    SERIES_QUEUE,
    SERIES_GPUS,
    SERIES_NODES,
    SERIES_PROGRESS,
    SERIES_SCALING,
    SERIES_SAMPLES_ALL,
    SERIES_SAMPLES /* of the first VC, and so on; then of the profiler */
};

static const spot_series_kind_t *const fixed_kinds[SERIES_SAMPLES_ALL] = {
    &spot_jobs_series, &spot_job_details_series, &spot_per_vc_series, &spot_cdf_series,
    &spot_jct_series, &queue_series, &gpu_series, &node_series, &progress_series,
    &scaling_series};

int
spot_run_recorder_kinds_init(spot_schedule_scenario_t *scenario)
{
    const bool has_profiler = spot_profiler_is_used(scenario);
    const size_t num_own = scenario->vcs.num_vcs + 1 + has_profiler;
    const size_t num_kinds = SERIES_SAMPLES_ALL + num_own;
    const spot_series_kind_t **kinds;
    spot_series_kind_t *own;

    SPOT_ARENA_ARRAY(&scenario->memory, kinds, num_kinds);
    SPOT_ARENA_ARRAY(&scenario->memory, own, num_own);
    if (scenario->memory.error != 0) {
        return scenario->memory.error;
    }
    memcpy(kinds, fixed_kinds, sizeof(fixed_kinds));
    own[0] = spot_samples_kind(&scenario->memory, "all", false);
    for (size_t j = 0; j < scenario->vcs.num_vcs; j++) {
        own[j + 1] =
            spot_samples_kind(&scenario->memory, scenario->vcs.vcs[j].name, false);
    }
    if (has_profiler) {
        own[num_own - 1] =
            spot_samples_kind(&scenario->memory, SPOT_PROFILER_NAME, true);
    }
    for (size_t j = 0; j < num_own; j++) {
        kinds[SERIES_SAMPLES_ALL + j] = &own[j];
    }
    scenario->outputs.num_series = num_kinds;
    scenario->outputs.series = kinds;
    return scenario->memory.error;
}

/* ---- Samples ---- */

static void
take_samples(spot_run_recorder_t *self, const spot_vc_t *vc, int64_t until_s)
{
    spot_vc_record_t *record = &self->vcs[vc->vc_id];
    const int64_t interval_s = self->schedule->scenario->sample_s;
    spot_series_t *series = &self->recording->series[SERIES_SAMPLES + vc->vc_id];

    for (; record->next_sample_s < until_s; record->next_sample_s += interval_s) {
        int ret;

        if (!record->has_sample) {
            record->sample = spot_samples_look(&self->samples, vc);
            record->has_sample = true;
        }
        ret = spot_sample_add(series, record->next_sample_s, &record->sample);
        self->error = spot_error_first(self->error, ret);
        if (vc->vc_id < self->schedule->num_vcs) {
            spot_samples_count(&self->samples, record->num_rows, &record->sample);
        }
        record->num_rows++;
    }
}

/* ---- Lines of progress ---- */

static void
take_progress(spot_run_recorder_t *self, const spot_vc_t *vc, int64_t until_s)
{
    spot_vc_record_t *record = &self->vcs[vc->vc_id];
    const int64_t interval_s = self->schedule->scenario->progress_s;

    for (; record->next_progress_s < until_s; record->next_progress_s += interval_s) {
        spot_vc_progress_t line = {.vc_id = vc->vc_id,
            .num_running = vc->num_running,
            .num_pending = (int32_t) spot_vc_num_queued(vc),
            .time_s = record->next_progress_s,
            .num_ended = (int64_t) vc->num_ended};

        for (int32_t j = 0; j < vc->nodes.num_listed; j++) {
            line.num_open += vc->nodes.nodes[vc->nodes.list[j]].free != 0;
        }
        if (SPOT_ARRAY_APPEND(self, lines, line) != 0) {
            self->error = SPOT_ERR_NO_MEMORY;
        }
    }
}

/* ---- Watching ---- */

static void
on_time(void *context, const spot_vc_t *vc, int64_t now_s)
{
    spot_run_recorder_t *self = context;
    spot_vc_record_t *record = &self->vcs[vc->vc_id];

    if (self->recording != NULL && record->next_sample_s < now_s) {
        take_samples(self, vc, now_s);
    }
    if (record->next_progress_s < now_s) {
        take_progress(self, vc, now_s);
    }
    record->has_sample = false;
}

static void
on_release(void *context, const spot_vc_t *vc, int32_t job, int64_t since_s)
{
    spot_run_recorder_t *self = context;
    const int64_t start_s = self->schedule->scenario->start_s;
    const char *id = spot_vc_row(vc, job)->id;
    spot_texts_t texts = {0};
    const char *list = "";

    for (int32_t part = vc->jobs[job].first_part; part >= 0;
         part = vc->nodes.parts[part].next) {
        const spot_gpu_part_t *gpus = &vc->nodes.parts[part];
        const char *name = spot_schedule_node_name(
            self->schedule, &vc->nodes.nodes[gpus->node_id], &texts);
        const spot_cell_t cells[] = {{.integer = since_s - start_s},
            {.integer = vc->now_s - start_s},
            {.text = spot_texts_add(&texts, "%s/%s", vc->name, name)}, {.text = id},
            {.integer = __builtin_popcountll(gpus->gpus)}};

        if (vc->now_s > since_s) {
            self->error = spot_error_first(self->error,
                spot_series_add(&self->recording->series[SERIES_NODES], cells));
        }
        list = spot_texts_join(&texts, list, " ", name);
    }
    if (vc->vc_id == self->schedule->num_vcs &&
        !spot_profiler_is_final(&self->schedule->profiler, vc->jobs[job].row_id)) {
        spot_texts_free(&texts);
        return; /* its nodes are those of its VC */
    }
    if (self->nodes == NULL) {
        SPOT_ARENA_ARRAY(&self->texts, self->nodes, self->schedule->log->num_jobs);
    }
    if (self->nodes != NULL) {
        self->nodes[vc->jobs[job].row_id] = spot_arena_text(&self->texts, list);
    }
    self->error = spot_error_first(self->error, texts.error);
    spot_texts_free(&texts);
}

int
spot_run_recorder_start(
    spot_run_recorder_t *self, spot_schedule_t *schedule, spot_recording_t *recording)
{
    const spot_schedule_scenario_t *scenario = schedule->scenario;
    const bool has_samples = recording != NULL && scenario->sample_s > 0;

    schedule->watch = (spot_vc_watch_t){0};
    self->schedule = schedule;
    self->recording = recording;
    self->samples.num_all = self->num_lines = 0;
    self->samples.error = 0;
    self->error = 0;
    spot_arena_free(&self->texts);
    self->nodes = NULL;
    if (recording == NULL && scenario->progress_s == 0) {
        return 0;
    }
    free(self->vcs);
    self->vcs = spot_calloc((size_t) schedule->num_clocks, sizeof(*self->vcs));
    for (int32_t j = 0; j < schedule->num_clocks && self->vcs != NULL; j++) {
        const int64_t step_s = scenario->progress_s;

        self->vcs[j].next_sample_s = has_samples ? scenario->start_s : INT64_MAX;
        self->vcs[j].next_progress_s =
            step_s > 0 ? (scenario->start_s + step_s - 1) / step_s * step_s : INT64_MAX;
    }
    schedule->watch =
        (spot_vc_watch_t){self, on_time, recording == NULL ? NULL : on_release};
    return self->vcs == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

/* ---- The end ---- */

/* Whether a job never comes to a VC: it ends in the profiler, or, for the profiler, it
 * is too large for it. */
static bool
is_skipped(const spot_schedule_t *schedule, int32_t vc_id, int32_t row_id)
{
    const spot_profiler_t *profiler = &schedule->profiler;
    const bool is_profiled =
        profiler->vc != NULL && spot_profiler_job(profiler, row_id) != NULL;

    return vc_id == schedule->num_vcs
               ? !is_profiled
               : is_profiled && spot_profiler_is_final(profiler, row_id);
}

/* Jobs of a VC that are skipped count as ended as soon as all that come before them have
 * arrived, as in the published simulator. */
static void
finish_lines_of(spot_run_recorder_t *self, int32_t vc_id)
{
    const spot_schedule_t *schedule = self->schedule;
    const bool is_profiler = vc_id == schedule->num_vcs;
    const spot_job_log_t *log = schedule->log;
    int64_t num_jobs = 0, num_skipped = 0;
    int32_t row_id = 0;

    for (int32_t j = 0; j < (int32_t) log->num_jobs; j++) {
        num_jobs += is_profiler || log->jobs[j].vc_id == vc_id;
    }
    for (size_t j = 0; j < self->num_lines; j++) {
        spot_vc_progress_t *line = &self->lines[j];

        if (line->vc_id != vc_id) {
            continue;
        }
        for (; row_id < (int32_t) log->num_jobs; row_id++) {
            const bool is_own = is_profiler || log->jobs[row_id].vc_id == vc_id;
            const bool skips = is_own && is_skipped(schedule, vc_id, row_id);

            if (is_own && !skips &&
                spot_schedule_submit_s(schedule, row_id) > line->time_s) {
                break;
            }
            num_skipped += skips;
        }
        line->num_jobs = num_jobs;
        line->num_ended += num_skipped;
    }
}

static int
compare_lines(const void *first, const void *second)
{
    const spot_vc_progress_t *a = first, *b = second;

    return a->vc_id != b->vc_id ? (a->vc_id > b->vc_id) - (a->vc_id < b->vc_id)
                                : (a->time_s > b->time_s) - (a->time_s < b->time_s);
}

/* The last second that is recorded of a VC: that of its last end, or of the run if jobs
 * are left. */
static int64_t
last_second(const spot_schedule_t *schedule, int32_t vc_id)
{
    const spot_vc_t *vc = &schedule->vcs[vc_id];

    return vc->num_ended < vc->num_jobs ? schedule->end_s : vc->last_end_s;
}

/* Lines up to the last second of each VC, VC by VC. */
static void
finish_lines(spot_run_recorder_t *self)
{
    size_t num_kept = 0;

    for (size_t j = 0; j < self->num_lines; j++) {
        if (self->lines[j].time_s <= last_second(self->schedule, self->lines[j].vc_id)) {
            self->lines[num_kept++] = self->lines[j];
        }
    }
    self->num_lines = num_kept;
    if (num_kept > 0) {
        qsort(self->lines, num_kept, sizeof(*self->lines), compare_lines);
    }
    for (int32_t j = 0; j < self->schedule->num_clocks; j++) {
        finish_lines_of(self, j);
    }
}

static int
fill_progress(const spot_run_recorder_t *self)
{
    int ret = 0;

    for (size_t j = 0; j < self->num_lines && ret == 0; j++) {
        const spot_vc_progress_t *line = &self->lines[j];
        const spot_cell_t cells[] = {{.text = self->schedule->vcs[line->vc_id].name},
            {.integer = line->time_s}, {.integer = line->num_jobs},
            {.integer = line->num_ended}, {.integer = line->num_running},
            {.integer = line->num_pending}, {.integer = line->num_open}};

        ret = spot_series_add(&self->recording->series[SERIES_PROGRESS], cells);
    }
    return ret;
}

static int
fill_scaling(const spot_run_recorder_t *self)
{
    const spot_profiler_t *profiler = &self->schedule->profiler;
    int ret = 0;

    for (size_t j = 0; j < profiler->num_events && ret == 0; j++) {
        const spot_cell_t cells[] = {{.integer = profiler->events[j].time_s},
            {.integer = profiler->events[j].change}};

        ret = spot_series_add(&self->recording->series[SERIES_SCALING], cells);
    }
    return ret;
}

static int
fill_samples(spot_run_recorder_t *self)
{
    const spot_schedule_t *schedule = self->schedule;
    const spot_schedule_scenario_t *scenario = schedule->scenario;
    spot_series_t *series = self->recording->series;
    const size_t num_vcs = (size_t) schedule->num_vcs;
    int64_t *last_s = spot_calloc((size_t) schedule->num_clocks, sizeof(*last_s));
    int ret = last_s == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (int32_t j = 0; ret == 0 && j < schedule->num_clocks; j++) {
        last_s[j] = last_second(schedule, j);
    }
    for (size_t j = 0; ret == 0 && j < self->samples.num_all; j++) {
        const spot_vc_sample_t *sample = &self->samples.all[j];
        const int64_t *counts = sample->counts;
        const spot_cell_t tick = {.integer = (int64_t) j * scenario->sample_s};
        const spot_cell_t queue[] = {tick,
            {.number = (double) counts[SPOT_SAMPLE_RUNNING]},
            {.number = (double) counts[SPOT_SAMPLE_PENDING]}};
        const spot_cell_t gpus[] = {tick,
            {.number = (double) (counts[SPOT_SAMPLE_GPUS] - counts[SPOT_SAMPLE_IDLE])},
            {.number = (double) counts[SPOT_SAMPLE_IDLE]},
            {.number = (double) sample->prepping_gpus}};

        ret = spot_series_add(&series[SERIES_QUEUE], queue);
        ret = ret != 0 ? ret : spot_series_add(&series[SERIES_GPUS], gpus);
    }
    ret = ret != 0
              ? ret
              : spot_samples_finish(&self->samples, num_vcs, &series[SERIES_SAMPLES],
                    last_s, scenario->quirks[SPOT_QUIRK_CUT_SAMPLES], scenario->start_s,
                    scenario->sample_s, &series[SERIES_SAMPLES_ALL]);
    if (ret == 0 && schedule->profiler.vc != NULL) {
        spot_samples_cut(&series[SERIES_SAMPLES + num_vcs], last_s[num_vcs]);
    }
    free(last_s);
    return ret;
}

int
spot_run_recorder_finish(spot_run_recorder_t *self, spot_summaries_t *summaries)
{
    const spot_schedule_t *schedule = self->schedule;
    spot_recording_t *recording = self->recording;
    int ret = self->error;

    finish_lines(self);
    if (recording == NULL || ret != 0) {
        return ret;
    }
    recording->end_ticks = schedule->end_s - schedule->scenario->start_s;
    ret = spot_jobs_series_fill(&recording->series[SERIES_JOBS], schedule);
    ret = ret != 0 ? ret
                   : spot_job_details_series_fill(
                         &recording->series[SERIES_JOB_DETAILS], schedule, self->nodes);
    ret = ret != 0 ? ret
                   : spot_per_vc_series_fill(
                         &recording->series[SERIES_PER_VC], schedule, summaries);
    ret = ret != 0 ? ret
                   : spot_cdf_series_fill(&recording->series[SERIES_CDF],
                         &recording->series[SERIES_JCT], summaries,
                         (size_t) schedule->num_vcs);
    ret = ret != 0 ? ret : fill_samples(self);
    ret = ret != 0 ? ret : fill_progress(self);
    ret = ret != 0 ? ret : fill_scaling(self);
    return ret != 0 ? ret : self->texts.error;
}

void
spot_run_recorder_free(spot_run_recorder_t *self)
{
    free(self->vcs);
    free(self->lines);
    spot_samples_free(&self->samples);
    spot_arena_free(&self->texts);
}

static void
write_lines(const spot_run_recorder_t *self, int32_t vc_id, FILE *out)
{
    for (size_t j = 0; j < self->num_lines; j++) {
        const spot_vc_progress_t *line = &self->lines[j];

        if (line->vc_id == vc_id) {
            fprintf(out,
                "%s | Time: %" PRId64 " | Total Job: %" PRId64 " | End job: %" PRId64
                " | Running job: %d | Pending job: %d",
                self->schedule->vcs[vc_id].name, line->time_s, line->num_jobs,
                line->num_ended, line->num_running, line->num_pending);
            if (vc_id == self->schedule->num_vcs) {
                fprintf(out, " | Avail Nodes: %d", line->num_open);
            }
            fputc('\n', out);
        }
    }
}

static void
write_profiling(const spot_schedule_t *schedule, FILE *out)
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

void
spot_run_recorder_progress_write(
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
            fprintf(out, "%s | Average JCT: %.2f | Average Queue: %.2f\n",
                schedule->vcs[j].name, vc->avg_jct, vc->avg_queue);
        }
    }
}
