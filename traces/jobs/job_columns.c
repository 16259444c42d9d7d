/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/jobs/job_columns.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/csv.h"
#include "base/units.h"
#include "base/watch.h"

const spot_table_file_column_t spot_job_columns[SPOT_NUM_JOB_COLUMNS] = {
#define COLUMN(id, kind, name, other, member, is_key, low, high)                                   \
    SPOT_TABLE_COLUMN(kind, name, spot_job_cells_t, member, .other_name = other, .is_own = is_key, \
        .is_optional = !(is_key), .may_be_empty = !(is_key), .min = (low),                         \
        .max = (double) (high)),
    SPOT_JOB_COLUMNS(COLUMN)
#undef COLUMN
};

const spot_job_cells_t spot_job_no_cells = {
    .job = {.submit_s = -1,
        .user_id = -1,
        .name_id = -1,
        .state_id = -1,
        .cpu_num = -1,
        .workload_id = -1,
        .terms_id = -1},
    .workload = {.model = "",
        .dataset = "",
        .batch_size = -1,
        .amp = -1,
        .speed_per_s = (double) NAN,
        .gpu_util = (double) NAN,
        .gmem_util = (double) NAN,
        .gmem_mib = (double) NAN,
        .share_score = -1},
    .terms = {.scaling_id = -1, .restart_s = -1},
    .vc = "",
    .user = "",
    .name = "",
    .state = "",
    .scaling = "",
};

/* ---- From a file to a log ---- */

bool spot_job_cells_read(spot_job_cells_t *self, spot_table_file_t *file)
{
    const bool is_good = spot_table_file_take(file, self);
    const char *trainer = self->terms.trainer;

    if (trainer == NULL || (strncmp(trainer, "core:", 5) == 0 && trainer[5] != '\0')) {
        return is_good;
    }
    spot_table_file_report_field(file, &file->row, SPOT_JOB_COLUMN_TRAINER, "expected core:NAME");
    return false;
}

/* Replaces a text by the same one of the log. */
static int store_word(spot_job_log_t *log, const char **word)
{
    int32_t word_id = -1;
    const int ret =
        *word == NULL ? 0 : spot_text_set_add(&log->words, &log->texts, *word, &word_id);

    if (word_id >= 0) {
        *word = log->words.texts[word_id];
    }
    return ret;
}

static int store_workload(spot_workload_t *self, spot_job_log_t *log, int32_t *workload_id)
{
    if (memcmp(self, &spot_job_no_cells.workload, sizeof(*self)) == 0) {
        return 0;
    }
    self->batch_size = self->batch_size < 0 ? 0 : self->batch_size;
    self->amp = self->amp < 0 ? 0 : self->amp;
    return store_word(log, &self->model) != 0 || store_word(log, &self->dataset) != 0
               ? SPOT_ERR_NO_MEMORY
               : spot_job_log_add_workload(log, self, workload_id);
}

static int store_terms(
    spot_job_cells_t *self, spot_table_file_t *file, spot_job_log_t *log, int32_t *terms_id)
{
    spot_job_terms_row_t *terms = &self->terms;
    int ret = 0;

    if (self->scaling[0] != '\0') {
        ret = spot_job_scaling_add(log, file, self->scaling, &terms->scaling_id);
    }
    if (ret != 0 || memcmp(terms, &spot_job_no_cells.terms, sizeof(*terms)) == 0) {
        return ret;
    }
    return store_word(log, &terms->trainer) != 0 ? SPOT_ERR_NO_MEMORY
                                                 : spot_job_log_add_terms(log, terms, terms_id);
}

int spot_job_cells_store(
    spot_job_cells_t *self, spot_table_file_t *file, spot_job_log_t *log, spot_job_row_t *job)
{
    int ret = spot_text_set_add(&log->users, &log->texts, self->user, &job->user_id);

    ret = ret != 0 ? ret : spot_text_set_add(&log->names, &log->texts, self->name, &job->name_id);
    ret =
        ret != 0 ? ret : spot_text_set_add(&log->states, &log->texts, self->state, &job->state_id);
    job->cpu_num = self->job.cpu_num;
    ret = ret != 0 ? ret : store_workload(&self->workload, log, &job->workload_id);
    return ret != 0 ? ret : store_terms(self, file, log, &job->terms_id);
}

/* ---- From a log to a file ---- */

static const char *text_of(const spot_text_set_t *set, int32_t text_id)
{
    return text_id < 0 ? "" : set->texts[text_id];
}

void spot_job_cells_of(spot_job_cells_t *self, const spot_job_log_t *log, const spot_vc_list_t *vcs,
    const spot_job_row_t *job)
{
    memcpy(self, &spot_job_no_cells, sizeof(*self));
    self->job = *job;
    self->vc = vcs == NULL ? "" : vcs->vcs[job->vc_id].name;
    self->user = text_of(&log->users, job->user_id);
    self->name = text_of(&log->names, job->name_id);
    self->state = text_of(&log->states, job->state_id);
    if (job->workload_id >= 0) {
        memcpy(&self->workload, &log->workloads[job->workload_id], sizeof(self->workload));
    }
    if (job->terms_id >= 0) {
        memcpy(&self->terms, &log->terms[job->terms_id], sizeof(self->terms));
        self->scaling = text_of(&log->scaling_names, self->terms.scaling_id);
    }
}

/* Writes a cell, unless out is NULL. Returns whether it is not empty. */
static bool write_cell(
    const spot_table_file_column_t *column, const spot_job_cells_t *cells, FILE *out)
{
    const void *value = (const char *) cells + column->offset;
    const void *none = (const char *) &spot_job_no_cells + column->offset;
    const bool is_count = column->kind == SPOT_CELL_COUNT;
    char text[SPOT_NUMBER_TEXT_BYTES] = "";

    if (column->kind == SPOT_CELL_TEXT) {
        const char *word = *(const char *const *) value;

        if (word != NULL && out != NULL) {
            spot_csv_field_text(out, word);
        }
        return word != NULL && word[0] != '\0';
    }
    if (column->kind == SPOT_CELL_NUMBER) {
        if (!isnan(*(const double *) value)) {
            spot_number_text(*(const double *) value, text);
        }
    } else if (memcmp(value, none, is_count ? sizeof(int32_t) : sizeof(int64_t)) != 0) {
        snprintf(text, sizeof(text), "%" PRId64,
            is_count ? *(const int32_t *) value : *(const int64_t *) value);
    }
    if (out != NULL) {
        fputs(text, out);
    }
    return text[0] != '\0';
}

/* Finds the columns that are written. Returns their number. */
static size_t find_columns(
    const spot_job_log_t *self, const spot_vc_list_t *vcs, size_t columns[SPOT_NUM_JOB_COLUMNS])
{
    bool has[SPOT_NUM_JOB_COLUMNS];
    size_t num_columns = 0;

    for (size_t j = 0; j < SPOT_NUM_JOB_COLUMNS; j++) {
        has[j] = !spot_job_columns[j].is_optional;
    }
    for (size_t k = 0; k < self->num_jobs; k++) {
        spot_job_cells_t cells;

        spot_job_cells_of(&cells, self, vcs, &self->jobs[k]);
        for (size_t j = 0; j < SPOT_NUM_JOB_COLUMNS; j++) {
            has[j] = has[j] || write_cell(&spot_job_columns[j], &cells, NULL);
        }
    }
    for (size_t j = 0; j < SPOT_NUM_JOB_COLUMNS; j++) {
        columns[num_columns] = j;
        num_columns += has[j];
    }
    return num_columns;
}

void spot_job_log_write(const spot_job_log_t *self, const spot_vc_list_t *vcs, FILE *out)
{
    size_t columns[SPOT_NUM_JOB_COLUMNS];
    const size_t num_columns = find_columns(self, vcs, columns);

    for (size_t j = 0; j < num_columns; j++) {
        fprintf(out, "%s%s", j == 0 ? "" : ",", spot_job_columns[columns[j]].name);
    }
    fputc('\n', out);
    for (size_t k = 0; k < self->num_jobs && !spot_stop_is_due(k); k++) {
        spot_job_cells_t cells;

        spot_job_cells_of(&cells, self, vcs, &self->jobs[k]);
        for (size_t j = 0; j < num_columns; j++) {
            if (j > 0) {
                fputc(',', out);
            }
            (void) write_cell(&spot_job_columns[columns[j]], &cells, out);
        }
        fputc('\n', out);
    }
}
