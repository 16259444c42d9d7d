/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a job log row by row, keeps a part of it, and joins it with another file. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/datetime.h"
#include "base/units.h"
#include "traces/jobs/job_columns.h"

enum { VC_UNKNOWN = -1, VC_DROPPED = -2, VC_FAULTY = -3 };

typedef struct {
    spot_job_log_t *log;
    const spot_job_log_request_t *request;
    spot_table_file_t file;
    spot_key_table_t ids;
    size_t num_places;
    size_t max_places;
    spot_job_place_t *places; /* [num_places] of the durations of the jobs */
    spot_text_set_t vc_names; /* as written */
    size_t num_vc_ids;
    size_t max_vc_ids;
    int32_t *vc_ids;  /* [num_vc_ids] by name: of the list, or VC_... */
    size_t form_line; /* of the first submit time; 0: none so far */
    bool has_dates;
    int64_t before_s; /* submit of the row before */
    spot_job_cells_t cells;
} reader_t;

static const char *field_of(const reader_t *self, spot_job_column_id_t column_id)
{
    return spot_table_file_field(&self->file, column_id);
}

static void refuse(reader_t *self, spot_job_column_id_t column_id, const char *problem)
{
    spot_table_file_report_field(&self->file, &self->file.row, column_id, problem);
}

/* ---- VCs ---- */

/* The name after the rules; NULL: its rows are dropped. */
static const char *rename_by(const spot_vc_rule_t *rules, size_t num_rules, const char *name)
{
    const char *renamed = name;

    for (size_t j = 0; j < num_rules; j++) {
        const bool is_same = strcmp(rules[j].from, name) == 0;

        if (is_same || strcmp(rules[j].from, "*") == 0) {
            renamed = rules[j].to[0] == '\0' ? NULL : rules[j].to;
        }
        if (is_same) {
            return renamed;
        }
    }
    return renamed;
}

/* Finds the VC of a name that has not been met before. */
static int resolve_vc(reader_t *self, const char *name, int32_t *vc_id)
{
    spot_vc_list_t *vcs = self->request->vcs;
    const char *renamed = rename_by(self->request->vc_rules, self->request->num_vc_rules, name);
    int ret;

    if (strlen(name) == 0 || strlen(name) > SPOT_VC_NAME_BYTES) {
        refuse(self, SPOT_JOB_COLUMN_VC, "expected a name of up to 64 bytes");
        *vc_id = VC_FAULTY;
        return 0;
    }
    *vc_id = renamed == NULL ? VC_DROPPED : spot_vc_list_find(vcs, renamed);
    if (*vc_id != VC_UNKNOWN || (!self->request->adds_vcs && !self->request->is_strict)) {
        return 0;
    }
    if (!self->request->adds_vcs) {
        spot_table_file_report_at(&self->file, SPOT_JOB_COLUMN_VC,
            "vc: '%s' is not among the %zu VCs of the cluster", renamed, vcs->num_vcs);
        *vc_id = VC_FAULTY;
        return 0;
    }
    ret = spot_vc_list_add(vcs, renamed, 0, 0);
    *vc_id = (int32_t) vcs->num_vcs - 1;
    return ret;
}

static int find_vc(reader_t *self, int32_t *vc_id)
{
    const char *name = field_of(self, SPOT_JOB_COLUMN_VC);
    int32_t name_id = -1;
    int ret = spot_text_set_add(&self->vc_names, &self->log->texts, name, &name_id);

    if (ret == 0 && name_id >= 0 && (size_t) name_id < self->num_vc_ids) {
        *vc_id = self->vc_ids[name_id];
        return 0;
    }
    ret = ret == 0 ? resolve_vc(self, name, vc_id) : ret;
    if (ret == 0 && name_id >= 0) {
        ret = SPOT_ARRAY_APPEND(self, vc_ids, *vc_id);
    }
    return ret;
}

/* ---- Fields of a row ---- */

/* Reads a whole number that should be 1 or more; what is to be done with less is decided
 * later. */
static bool read_positive(reader_t *self, spot_job_column_id_t column_id, int64_t *value)
{
    const char *field = field_of(self, column_id), *problem = NULL;
    char text[SPOT_TABLE_FILE_PROBLEM_BYTES];

    if (spot_integer_parse(field, value) != 0 || *value >= 1) {
        problem =
            spot_table_file_column_read(&spot_job_columns[column_id], field, &self->cells, text);
    }
    if (problem != NULL) {
        refuse(self, column_id, problem);
    }
    return problem == NULL;
}

/* All times have the form of the first one. */
static bool read_submit(reader_t *self, spot_job_row_t *job)
{
    const spot_job_window_t *window = self->request->window;
    const char *field = field_of(self, SPOT_JOB_COLUMN_SUBMIT), *problem = NULL;
    bool is_date;

    if (spot_clock_parse(field, &job->submit_s, &is_date) != 0 || job->submit_s > SPOT_JOB_MAX_S) {
        problem = is_date ? "expected a date and time YYYY-MM-DD hh:mm:ss from 1970 to 2069"
                          : "expected integer seconds from 0 to 3162240000, or YYYY-MM-DD "
                            "hh:mm:ss";
    } else if (self->form_line == 0) {
        self->form_line = self->file.row.line;
        self->has_dates = is_date;
        if (window != NULL && window->is_given && window->has_dates != is_date) {
            problem = is_date ? "expected integer seconds, as those of the window"
                              : "expected a date and time, as those of the window";
        }
    } else if (is_date != self->has_dates) {
        spot_table_file_report_at(&self->file, SPOT_JOB_COLUMN_SUBMIT,
            "submit_time: expected %s as in line %zu, got '%s'",
            self->has_dates ? "YYYY-MM-DD hh:mm:ss" : "integer seconds", self->form_line, field);
        return false;
    }
    if (problem != NULL) {
        refuse(self, SPOT_JOB_COLUMN_SUBMIT, problem);
    }
    return problem == NULL;
}

static bool read_id(reader_t *self, spot_job_row_t *job)
{
    const spot_key_view_t keys = spot_job_log_keys(self->log);
    int64_t number;
    int32_t other;

    job->id = field_of(self, SPOT_JOB_COLUMN_ID);
    if (job->id[0] == '\0' || strlen(job->id) > SPOT_JOB_ID_BYTES ||
        (spot_integer_parse(job->id, &number) == 0 && number < 0)) {
        refuse(self, SPOT_JOB_COLUMN_ID, "expected an integer from 0, or a text of up to 64 bytes");
        return false;
    }
    other = spot_key_table_find(&self->ids, &keys, job->id);
    if (other >= 0) {
        spot_table_file_report_at(&self->file, SPOT_JOB_COLUMN_ID, "job_id: '%s' is in line %u too",
            job->id, (unsigned) self->places[other].line);
    }
    return other < 0;
}

/* ---- Rows ---- */

/* Whether a row is kept as far as its GPUs, VC and origin say; counts why not. */
static bool is_kept(reader_t *self, const spot_job_row_t *job)
{
    const spot_job_window_t *window = self->request->window;
    spot_job_counts_t *counts = &self->log->counts;
    int64_t *reason = job->gpu_num == 0                  ? &counts->without_gpus
                      : job->vc_id == VC_UNKNOWN         ? &counts->unknown_vc
                      : job->vc_id == VC_DROPPED         ? &counts->dropped_vc
                      : window == NULL                   ? NULL
                      : job->submit_s < window->origin_s ? &counts->outside
                                                         : NULL;

    if (reason != NULL) {
        ++*reason;
    }
    return reason == NULL;
}

/* Whether a job is kept as its duration says, which may be raised. */
static bool is_long_enough(reader_t *self, spot_job_row_t *job, spot_job_place_t place)
{
    if (job->duration_s >= 1) {
        return true;
    }
    if (self->request->short_rule == SPOT_SHORT_ERROR) {
        self->file.is_faulty = true;
        spot_diag_error(self->file.diag, self->file.path, place.line, place.column,
            "duration: expected at least 1 s, got '%" PRId64
            "'; the rules for short jobs are clamp and drop",
            job->duration_s);
        return false;
    }
    self->log->counts.too_short++;
    job->duration_s = 1;
    return self->request->short_rule == SPOT_SHORT_CLAMP;
}

/* Keeps a good row; of an import its duration is looked at later. */
static int keep_row(reader_t *self, spot_job_row_t *job)
{
    const spot_csv_row_t *row = &self->file.row;
    const spot_job_place_t place = {
        (uint32_t) row->line, (uint32_t) row->columns[self->file.fields[SPOT_JOB_COLUMN_DURATION]]};
    spot_job_log_t *log = self->log;
    spot_key_view_t keys;
    int ret;

    log->counts.unsorted += job->submit_s < self->before_s;
    self->before_s = job->submit_s;
    if (self->request->window == NULL && !is_long_enough(self, job, place)) {
        return 0;
    }
    ret = spot_job_cells_store(&self->cells, &self->file, log, job);
    ret = ret == 0 ? spot_job_log_add(log, job) : ret;
    ret = ret == 0 ? SPOT_ARRAY_APPEND(self, places, place) : ret;
    keys = spot_job_log_keys(log);
    return ret != 0 ? ret : spot_key_table_enter(&self->ids, &keys, log->num_jobs - 1);
}

static int read_row(reader_t *self)
{
    spot_job_row_t job = spot_job_no_cells.job;
    int64_t num_gpus = 0;
    bool is_good;
    int ret = 0;

    self->log->counts.read++;
    job.vc_id = VC_FAULTY;
    is_good = read_positive(self, SPOT_JOB_COLUMN_GPU_NUM, &num_gpus);
    job.gpu_num = is_good && num_gpus >= 1 ? (int32_t) num_gpus : 0;
    if (!is_good || job.gpu_num > 0) {
        ret = find_vc(self, &job.vc_id);
        is_good = is_good && job.vc_id != VC_FAULTY;
    }
    if (ret == 0 && job.gpu_num > 0 && job.vc_id >= 0) {
        is_good = read_submit(self, &job) && is_good;
    }
    if (ret != 0 || (is_good && !is_kept(self, &job))) {
        return ret;
    }
    is_good = read_id(self, &job) && is_good;
    is_good = read_positive(self, SPOT_JOB_COLUMN_DURATION, &job.duration_s) && is_good;
    is_good = spot_job_cells_read(&self->cells, &self->file) && is_good;
    if (self->cells.state[0] != '\0') {
        const char *state = rename_by(
            self->request->state_rules, self->request->num_state_rules, self->cells.state);

        self->cells.state = state == NULL ? "" : state;
    }
    return is_good ? keep_row(self, &job) : 0;
}

/* ---- The rows that are left ---- */

/* The first second of the clock: the origin, or the first submit that is left. */
static int64_t find_zero(const reader_t *self)
{
    const spot_job_window_t *window = self->request->window;
    const spot_job_log_t *log = self->log;
    int64_t zero_s = SPOT_JOB_MAX_S;

    if (window == NULL && !self->has_dates) {
        return 0;
    }
    if (window != NULL && window->is_origin_zero && window->origin_s != SPOT_JOB_NO_CLOCK) {
        return window->origin_s;
    }
    for (size_t j = 0; j < log->num_jobs; j++) {
        zero_s = log->jobs[j].submit_s < zero_s ? log->jobs[j].submit_s : zero_s;
    }
    return log->num_jobs == 0 ? 0 : zero_s;
}

/* Moves submits to the clock; of an import drops what is outside the window, and what is
 * too short there. */
static void settle_times(reader_t *self)
{
    const spot_job_window_t *window = self->request->window;
    const int64_t zero_s = find_zero(self);
    int64_t origin_s = zero_s, begin_s = INT64_MIN, end_s = INT64_MAX;
    spot_job_log_t *log = self->log;
    size_t num_kept = 0;

    if (window != NULL) { /* bounds count from the origin */
        origin_s = window->origin_s == SPOT_JOB_NO_CLOCK ? zero_s : window->origin_s;
        begin_s = window->begin_s == SPOT_JOB_NO_CLOCK ? begin_s : window->begin_s - origin_s;
        end_s = window->end_s == SPOT_JOB_NO_CLOCK ? end_s : window->end_s - origin_s;
    }

    log->clock_zero_s = self->has_dates ? zero_s : SPOT_JOB_NO_CLOCK;
    for (size_t j = 0; j < log->num_jobs; j++) {
        spot_job_row_t *job = &log->jobs[j];
        bool is_left = true;

        job->submit_s -= zero_s;
        if (job->submit_s < begin_s || job->submit_s > end_s) {
            log->counts.outside++;
            is_left = false;
        } else if (window != NULL) {
            is_left = is_long_enough(self, job, self->places[j]);
        }
        if (is_left) {
            self->places[num_kept] = self->places[j];
            log->jobs[num_kept++] = *job;
        }
    }
    spot_key_table_free(&self->ids); /* some jobs have moved */
    log->num_jobs = num_kept;
    log->counts.kept = (int64_t) num_kept;
}

static bool is_size(const spot_job_scaling_t *scaling, int32_t gpu_num)
{
    for (size_t j = 0; j < scaling->num_sizes; j++) {
        if (scaling->sizes[j] == gpu_num) {
            return true;
        }
    }
    return scaling->num_sizes == 0; /* was reported */
}

/* Reports what is wrong with the terms of an elastic job. */
static void check_terms(reader_t *self, const spot_job_row_t *job, size_t line)
{
    const spot_job_terms_row_t *terms = &self->log->terms[job->terms_id];
    const spot_job_scaling_t *scaling =
        terms->scaling_id < 0 ? NULL : &self->log->scalings[terms->scaling_id];
    const bool has_min = terms->min_gpus > 0;
    spot_table_file_t *file = &self->file;

    if (!has_min && terms->max_gpus == 0) {
        return;
    }
    if (!has_min || terms->max_gpus == 0) {
        spot_table_file_report(file, line, "job %s: %s needs %s as well", job->id,
            has_min ? "min_gpus" : "max_gpus", has_min ? "max_gpus" : "min_gpus");
    } else if (terms->min_gpus > job->gpu_num) {
        spot_table_file_report(file, line, "job %s: min_gpus %d is above gpu_num %d", job->id,
            (int) terms->min_gpus, (int) job->gpu_num);
    } else if (job->gpu_num > terms->max_gpus) {
        spot_table_file_report(file, line, "job %s: gpu_num %d is above max_gpus %d", job->id,
            (int) job->gpu_num, (int) terms->max_gpus);
    } else if (scaling == NULL && terms->trainer == NULL) {
        spot_table_file_report(
            file, line, "job %s: min_gpus needs scaling, the throughput by size", job->id);
    } else if (scaling != NULL && !is_size(scaling, job->gpu_num)) {
        spot_table_file_report(file, line,
            "job %s: gpu_num %d is not a size of its scaling table '%.80s'", job->id,
            (int) job->gpu_num, scaling->name);
    }
}

/* ---- The whole ---- */

/* Warns about rows that were dropped, or reports that none is left. */
static void report_counts(reader_t *self)
{
    const spot_job_counts_t *counts = &self->log->counts;
    const bool is_drop = self->request->short_rule == SPOT_SHORT_DROP;
    const struct {
        int64_t count;
        const char *what;
    } reasons[] = {{counts->without_gpus, "without GPUs"}, {counts->unknown_vc, "of unknown VCs"},
        {counts->dropped_vc, "of dropped VCs"}, {is_drop ? counts->too_short : 0, "below 1 s"},
        {counts->outside, "outside the window"}};
    const char *file = self->file.path;
    spot_diag_t *diag = self->file.diag;
    char list[256] = "";

    for (size_t j = 0; j < sizeof(reasons) / sizeof(reasons[0]); j++) {
        const size_t length = strlen(list);

        if (reasons[j].count > 0) {
            snprintf(list + length, sizeof(list) - length, "%s%" PRId64 " %s",
                length == 0 ? "" : ", ", reasons[j].count, reasons[j].what);
        }
    }
    if (counts->kept == 0 && !self->file.is_faulty) {
        self->file.is_faulty = true;
        spot_diag_error(diag, file, 0, 0, "no job is left of %" PRId64 " rows%s%s", counts->read,
            list[0] == '\0' ? "" : ": ", list);
    } else if (list[0] != '\0' && self->request->window == NULL) {
        spot_diag_warn(diag, file, 0, 0, "%" PRId64 " of %" PRId64 " rows dropped: %s",
            counts->read - counts->kept, counts->read, list);
    }
    if (counts->too_short > 0 && !is_drop) {
        spot_diag_warn(diag, file, 0, 0, "%" PRId64 " duration%s below 1 s raised to 1 s",
            counts->too_short, counts->too_short == 1 ? "" : "s");
    }
    if (counts->unsorted > 0) {
        spot_diag_warn(diag, file, 0, 0,
            "%" PRId64 " row%s submitted before the row above: the log is sorted", counts->unsorted,
            counts->unsorted == 1 ? " is" : "s are");
    }
}

static int read_all(reader_t *self)
{
    spot_job_log_t *log = self->log;
    const char *workload = self->request->workload;
    int ret = 0;

    while (ret == 0 && (ret = spot_table_file_next(&self->file)) == 1) {
        ret = read_row(self);
    }
    if (ret != 0) {
        return ret;
    }
    settle_times(self);
    spot_job_log_note_columns(log, &self->file);
    ret = workload == NULL ? 0 : spot_job_join_workload(log, workload, &self->file, self->places);
    if (ret != 0 && ret != SPOT_ERR_BAD_INPUT) {
        return ret;
    }
    self->file.is_faulty = self->file.is_faulty || ret != 0;
    for (size_t j = 0; j < log->num_jobs; j++) {
        if (log->jobs[j].terms_id >= 0) {
            check_terms(self, &log->jobs[j], self->places[j].line);
        }
    }
    report_counts(self);
    return self->file.is_faulty ? 0 : spot_job_log_seal(log);
}

int spot_job_log_read(
    spot_job_log_t *self, const spot_job_log_request_t *request, spot_diag_t *diag)
{
    static const spot_table_file_format_t format = {SPOT_TABLE_DATA(spot_job_columns),
        .row_bytes = sizeof(spot_job_cells_t), .initial = &spot_job_no_cells};
    reader_t reader = {.log = self,
        .request = request,
        .file = {.format = &format,
            .path = request->log,
            .diag = diag,
            .bytes = request->bytes,
            .num_bytes = request->num_bytes}};
    int ret;

    memset(self, 0, sizeof(*self));
    self->clock_zero_s = SPOT_JOB_NO_CLOCK;
    ret = spot_table_file_open(&reader.file);
    ret = ret == 0 ? read_all(&reader) : ret;
    free(reader.places);
    free(reader.vc_ids);
    spot_text_set_free(&reader.vc_names);
    spot_key_table_free(&reader.ids);
    return spot_table_file_close(&reader.file, ret);
}
