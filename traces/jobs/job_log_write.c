/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/jobs/job_log_write.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/csv_field.h"
#include "traces/jobs/job_cells.h"

/* Columns in the order of published logs; the others follow. */
static const spot_job_column_id_t order[SPOT_JOB_COLUMN_MODEL] = {
    SPOT_JOB_COLUMN_ID,
    SPOT_JOB_COLUMN_USER,
    SPOT_JOB_COLUMN_VC,
    SPOT_JOB_COLUMN_NAME,
    SPOT_JOB_COLUMN_GPU_NUM,
    SPOT_JOB_COLUMN_CPU_NUM,
    SPOT_JOB_COLUMN_STATE,
    SPOT_JOB_COLUMN_SUBMIT,
    SPOT_JOB_COLUMN_DURATION,
};

static size_t
column_at(size_t j)
{
    return j < SPOT_JOB_COLUMN_MODEL ? order[j] : j;
}

static const char *
text_of(const spot_text_set_t *set, int32_t text_id)
{
    return text_id < 0 ? "" : set->texts[text_id];
}

static void
write_integer(FILE *out, int64_t value)
{
    fprintf(out, "%" PRId64, value);
}

/* With the digits that are needed to read the same number again. */
static void
write_number(FILE *out, double value)
{
    char text[32];
    double same = NAN;

    for (int digits = 6; digits <= 17 && same != value; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, value);
        sscanf(text, "%lf", &same);
    }
    fputs(text, out);
}

/* The field of a workload; false: it is empty. NULL: only looks. */
static bool
write_workload(const spot_workload_t *workload, size_t column_id, FILE *out)
{
    const char *text =
        column_id == SPOT_JOB_COLUMN_MODEL ? workload->model : workload->dataset;
    const double number = column_id == SPOT_JOB_COLUMN_SPEED      ? workload->speed_per_s
                          : column_id == SPOT_JOB_COLUMN_GPU_UTIL ? workload->gpu_util
                          : column_id == SPOT_JOB_COLUMN_GMEM_UTIL ? workload->gmem_util
                                                                   : workload->gmem_mib;
    const int32_t integer =
        column_id == SPOT_JOB_COLUMN_BATCH_SIZE    ? workload->batch_size
        : column_id == SPOT_JOB_COLUMN_SHARE_SCORE ? workload->share_score
                                                   : workload->amp;

    switch (column_id) {
        case SPOT_JOB_COLUMN_MODEL:
        case SPOT_JOB_COLUMN_DATASET:
            if (out != NULL) {
                spot_csv_field_text(out, text);
            }
            return text[0] != '\0';
        case SPOT_JOB_COLUMN_BATCH_SIZE:
        case SPOT_JOB_COLUMN_AMP:
        case SPOT_JOB_COLUMN_SHARE_SCORE:
            if (out != NULL && integer >= 0) {
                write_integer(out, integer);
            }
            return integer >= 0;
        default:
            if (out != NULL && !isnan(number)) {
                write_number(out, number);
            }
            return !isnan(number);
    }
}

/* The same of terms. */
static bool
write_terms(const spot_job_log_t *log, const spot_job_terms_row_t *terms,
    size_t column_id, FILE *out)
{
    const char *text = NULL;
    int64_t value = 0, least = 1;

    switch (column_id) {
        case SPOT_JOB_COLUMN_MIN_GPUS:
            value = terms->min_gpus;
            break;
        case SPOT_JOB_COLUMN_MAX_GPUS:
            value = terms->max_gpus;
            break;
        case SPOT_JOB_COLUMN_CHECKPOINT_INTERVAL:
            value = terms->checkpoint_interval_s;
            break;
        case SPOT_JOB_COLUMN_CHECKPOINT_WRITE:
            value = terms->checkpoint_write_s;
            break;
        case SPOT_JOB_COLUMN_RESTART:
            value = terms->restart_s;
            least = 0;
            break;
        case SPOT_JOB_COLUMN_RECONFIGURATION:
            value = terms->reconfiguration_s;
            break;
        case SPOT_JOB_COLUMN_SCALING:
            text = terms->scaling_id < 0 ? NULL : log->scalings[terms->scaling_id].name;
            break;
        default:
            text = terms->trainer;
            break;
    }
    if (out != NULL && text != NULL) {
        spot_csv_field_text(out, text);
    } else if (out != NULL && value >= least) {
        write_integer(out, value);
    }
    return text != NULL || value >= least;
}

static void
write_plain(const spot_job_log_t *self, const spot_vc_list_t *vcs,
    const spot_job_row_t *job, size_t column_id, FILE *out)
{
    switch (column_id) {
        case SPOT_JOB_COLUMN_ID:
            spot_csv_field_text(out, job->id);
            break;
        case SPOT_JOB_COLUMN_VC:
            spot_csv_field_text(out, vcs->vcs[job->vc_id].name);
            break;
        case SPOT_JOB_COLUMN_GPU_NUM:
            write_integer(out, job->gpu_num);
            break;
        case SPOT_JOB_COLUMN_SUBMIT:
            write_integer(out, job->submit_s);
            break;
        case SPOT_JOB_COLUMN_DURATION:
            write_integer(out, job->duration_s);
            break;
        case SPOT_JOB_COLUMN_USER:
            spot_csv_field_text(out, text_of(&self->users, job->user_id));
            break;
        case SPOT_JOB_COLUMN_NAME:
            spot_csv_field_text(out, text_of(&self->names, job->name_id));
            break;
        case SPOT_JOB_COLUMN_STATE:
            spot_csv_field_text(out, text_of(&self->states, job->state_id));
            break;
        default:
            if (job->cpu_num >= 0) {
                write_integer(out, job->cpu_num);
            }
            break;
    }
}

/* Which columns any job has. */
static void
find_columns(const spot_job_log_t *self, bool has[SPOT_NUM_JOB_COLUMNS])
{
    for (size_t j = 0; j < SPOT_NUM_JOB_COLUMNS; j++) {
        has[j] = j < SPOT_JOB_COLUMN_USER;
        for (size_t k = 0; k < self->num_workloads && spot_job_column_is_workload(j);
             k++) {
            has[j] = has[j] || write_workload(&self->workloads[k], j, NULL);
        }
        for (size_t k = 0; k < self->num_terms && spot_job_column_is_terms(j); k++) {
            has[j] = has[j] || write_terms(self, &self->terms[k], j, NULL);
        }
    }
    has[SPOT_JOB_COLUMN_USER] = self->users.num_texts > 0;
    has[SPOT_JOB_COLUMN_NAME] = self->names.num_texts > 0;
    has[SPOT_JOB_COLUMN_STATE] = self->states.num_texts > 0;
    for (size_t j = 0; j < self->num_jobs; j++) {
        has[SPOT_JOB_COLUMN_CPU_NUM] |= self->jobs[j].cpu_num >= 0;
    }
}

static void
write_field(const spot_job_log_t *self, const spot_vc_list_t *vcs,
    const spot_job_row_t *job, size_t column_id, FILE *out)
{
    if (spot_job_column_is_workload(column_id)) {
        if (job->workload_id >= 0) {
            (void) write_workload(&self->workloads[job->workload_id], column_id, out);
        }
    } else if (spot_job_column_is_terms(column_id)) {
        if (job->terms_id >= 0) {
            (void) write_terms(self, &self->terms[job->terms_id], column_id, out);
        }
    } else {
        write_plain(self, vcs, job, column_id, out);
    }
}

void
spot_job_log_write(const spot_job_log_t *self, const spot_vc_list_t *vcs, FILE *out)
{
    bool has[SPOT_NUM_JOB_COLUMNS];

    find_columns(self, has);
    for (size_t j = 0; j < SPOT_NUM_JOB_COLUMNS; j++) {
        if (has[column_at(j)]) {
            fprintf(out, "%s%s", j == 0 ? "" : ",", spot_job_columns[column_at(j)].name);
        }
    }
    fputc('\n', out);
    for (size_t k = 0; k < self->num_jobs; k++) {
        for (size_t j = 0; j < SPOT_NUM_JOB_COLUMNS; j++) {
            if (has[column_at(j)]) {
                fputs(j == 0 ? "" : ",", out);
                write_field(self, vcs, &self->jobs[k], column_at(j), out);
            }
        }
        fputc('\n', out);
    }
}
