/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/jobs/job_cells.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "traces/jobs/job_log_build.h"

const spot_job_column_t spot_job_columns[SPOT_NUM_JOB_COLUMNS] = {
    [SPOT_JOB_COLUMN_ID] = {"job_id", "jobid", true},
    [SPOT_JOB_COLUMN_VC] = {"vc", NULL, true},
    [SPOT_JOB_COLUMN_GPU_NUM] = {"gpu_num", NULL, true},
    [SPOT_JOB_COLUMN_SUBMIT] = {"submit_time", "submitted_time", true},
    [SPOT_JOB_COLUMN_DURATION] = {"duration", NULL, true},
    [SPOT_JOB_COLUMN_USER] = {"user", NULL, false},
    [SPOT_JOB_COLUMN_NAME] = {"jobname", NULL, false},
    [SPOT_JOB_COLUMN_CPU_NUM] = {"cpu_num", NULL, false},
    [SPOT_JOB_COLUMN_STATE] = {"state", "status", false},
    [SPOT_JOB_COLUMN_MODEL] = {"model", NULL, false},
    [SPOT_JOB_COLUMN_DATASET] = {"dataset", NULL, false},
    [SPOT_JOB_COLUMN_BATCH_SIZE] = {"batchsize", NULL, false},
    [SPOT_JOB_COLUMN_AMP] = {"amp", NULL, false},
    [SPOT_JOB_COLUMN_SPEED] = {"speed", NULL, false},
    [SPOT_JOB_COLUMN_GPU_UTIL] = {"gpu_util", NULL, false},
    [SPOT_JOB_COLUMN_GMEM_UTIL] = {"gmem_util", NULL, false},
    [SPOT_JOB_COLUMN_GMEM] = {"gmem", NULL, false},
    [SPOT_JOB_COLUMN_SHARE_SCORE] = {"sharescore", NULL, false},
    [SPOT_JOB_COLUMN_MIN_GPUS] = {"min_gpus", NULL, false},
    [SPOT_JOB_COLUMN_MAX_GPUS] = {"max_gpus", NULL, false},
    [SPOT_JOB_COLUMN_SCALING] = {"scaling", NULL, false},
    [SPOT_JOB_COLUMN_CHECKPOINT_INTERVAL] = {"ckpt_interval_s", NULL, false},
    [SPOT_JOB_COLUMN_CHECKPOINT_WRITE] = {"ckpt_write_s", NULL, false},
    [SPOT_JOB_COLUMN_RESTART] = {"restart_s", NULL, false},
    [SPOT_JOB_COLUMN_RECONFIGURATION] = {"reconfig_s", NULL, false},
    [SPOT_JOB_COLUMN_TRAINER] = {"trainer", NULL, false},
};

#define ROW(kind_, member)                                                              \
    {                                                                                   \
        .part = SPOT_JOB_PART_ROW, .kind = SPOT_JOB_CELL_##kind_,                       \
        .offset = offsetof(spot_job_row_t, member)                                      \
    }
#define TEXT(member, set)                                                               \
    {                                                                                   \
        .part = SPOT_JOB_PART_ROW, .kind = SPOT_JOB_CELL_TEXT,                          \
        .offset = offsetof(spot_job_row_t, member),                                     \
        .set_offset = offsetof(spot_job_log_t, set)                                     \
    }
#define WORKLOAD(kind_, member, ...)                                                    \
    {                                                                                   \
        .part = SPOT_JOB_PART_WORKLOAD, .kind = SPOT_JOB_CELL_##kind_,                  \
        .offset = offsetof(spot_workload_t, member), __VA_ARGS__                        \
    }
#define TERMS(kind_, member, ...)                                                       \
    {                                                                                   \
        .part = SPOT_JOB_PART_TERMS, .kind = SPOT_JOB_CELL_##kind_,                     \
        .offset = offsetof(spot_job_terms_row_t, member), __VA_ARGS__                   \
    }
#define UP_TO_MILLION(least_)                                                           \
    .least = (least_), .min = (least_), .max = 1e6,                                     \
    .expected =                                                                         \
        (least_) == 0 ? "an integer from 0 to 1000000" : "an integer from 1 to 1000000"
#define PERCENT .max = 100, .expected = "a percentage from 0 to 100"
#define SECONDS(least_)                                                                 \
    .least = (least_), .max = (double) SPOT_JOB_MAX_S,                                  \
    .expected = "integer seconds from 0 to 3162240000"

const spot_job_cell_t spot_job_cells[SPOT_NUM_JOB_COLUMNS] = {
    [SPOT_JOB_COLUMN_ID] = ROW(WORD, id),
    [SPOT_JOB_COLUMN_VC] = ROW(VC, vc_id),
    [SPOT_JOB_COLUMN_GPU_NUM] = ROW(COUNT, gpu_num),
    [SPOT_JOB_COLUMN_SUBMIT] = ROW(INTEGER, submit_s),
    [SPOT_JOB_COLUMN_DURATION] = ROW(INTEGER, duration_s),
    [SPOT_JOB_COLUMN_USER] = TEXT(user_id, users),
    [SPOT_JOB_COLUMN_NAME] = TEXT(name_id, names),
    [SPOT_JOB_COLUMN_CPU_NUM] = {.part = SPOT_JOB_PART_ROW,
        .kind = SPOT_JOB_CELL_COUNT,
        .offset = offsetof(spot_job_row_t, cpu_num),
        UP_TO_MILLION(0)},
    [SPOT_JOB_COLUMN_STATE] = TEXT(state_id, states),
    [SPOT_JOB_COLUMN_MODEL] = WORKLOAD(WORD, model, .expected = NULL),
    [SPOT_JOB_COLUMN_DATASET] = WORKLOAD(WORD, dataset, .expected = NULL),
    [SPOT_JOB_COLUMN_BATCH_SIZE] = WORKLOAD(
        COUNT, batch_size, .max = 1e9, .expected = "an integer from 0 to 1000000000"),
    [SPOT_JOB_COLUMN_AMP] = WORKLOAD(COUNT, amp, .max = 1, .expected = "0 or 1"),
    [SPOT_JOB_COLUMN_SPEED] = WORKLOAD(
        NUMBER, speed_per_s, .max = 1e15, .expected = "samples per second from 0"),
    [SPOT_JOB_COLUMN_GPU_UTIL] = WORKLOAD(NUMBER, gpu_util, PERCENT),
    [SPOT_JOB_COLUMN_GMEM_UTIL] = WORKLOAD(NUMBER, gmem_util, PERCENT),
    [SPOT_JOB_COLUMN_GMEM] =
        WORKLOAD(NUMBER, gmem_mib, .max = 1e9, .expected = "MiB from 0 to 1000000000"),
    [SPOT_JOB_COLUMN_SHARE_SCORE] =
        WORKLOAD(COUNT, share_score, .max = 2, .expected = "0, 1 or 2"),
    [SPOT_JOB_COLUMN_MIN_GPUS] = TERMS(COUNT, min_gpus, UP_TO_MILLION(1)),
    [SPOT_JOB_COLUMN_MAX_GPUS] = TERMS(COUNT, max_gpus, UP_TO_MILLION(1)),
    [SPOT_JOB_COLUMN_SCALING] = TERMS(SCALING, scaling_id, .expected = NULL),
    [SPOT_JOB_COLUMN_CHECKPOINT_INTERVAL] =
        TERMS(INTEGER, checkpoint_interval_s, SECONDS(1)),
    [SPOT_JOB_COLUMN_CHECKPOINT_WRITE] = TERMS(INTEGER, checkpoint_write_s, SECONDS(1)),
    [SPOT_JOB_COLUMN_RESTART] = TERMS(INTEGER, restart_s, SECONDS(0)),
    [SPOT_JOB_COLUMN_RECONFIGURATION] = TERMS(INTEGER, reconfiguration_s, SECONDS(1)),
    [SPOT_JOB_COLUMN_TRAINER] = TERMS(WORD, trainer, .expected = "core:NAME"),
};

/* ---- Reading ---- */

static bool
read_cell(spot_job_cells_t *self, size_t column_id, const char *field)
{
    const spot_job_cell_t *cell = &spot_job_cells[column_id];
    double number;

    self->texts[column_id] = field;
    switch (cell->kind) {
        case SPOT_JOB_CELL_COUNT:
        case SPOT_JOB_CELL_INTEGER:
            if (spot_integer_parse(field, &self->integers[column_id]) != 0) {
                return false;
            }
            number = (double) self->integers[column_id];
            break;
        case SPOT_JOB_CELL_NUMBER:
            if (spot_number_parse(field, &self->numbers[column_id]) != 0) {
                return false;
            }
            number = self->numbers[column_id];
            break;
        default:
            return column_id != SPOT_JOB_COLUMN_TRAINER ||
                   (strncmp(field, "core:", 5) == 0 && field[5] != '\0');
    }
    return number >= cell->min && number <= cell->max;
}

bool
spot_job_cells_read(spot_job_cells_t *self, spot_job_table_t *table)
{
    bool is_good = true;

    memset(self->has, 0, sizeof(self->has));
    memset(self->has_part, 0, sizeof(self->has_part));
    for (size_t j = 0; j < table->num_fields; j++) {
        const int32_t column_id = table->column_of[j];
        const char *field = table->row.fields[j];

        if (column_id < SPOT_JOB_COLUMN_USER || column_id >= SPOT_NUM_JOB_COLUMNS ||
            field[0] == '\0') {
            continue;
        }
        if (!read_cell(self, (size_t) column_id, field)) {
            spot_job_table_expected(table, (size_t) column_id,
                spot_job_columns[column_id].name, spot_job_cells[column_id].expected);
            is_good = false;
        }
        self->has[column_id] = true;
        self->has_part[spot_job_cells[column_id].part] = true;
    }
    return is_good;
}

/* ---- Taking ---- */

/* Stores a field in the struct of its part. */
static int
take_cell(const spot_job_cells_t *self, size_t column_id, spot_job_table_t *table,
    spot_job_log_t *log, char *part)
{
    const spot_job_cell_t *cell = &spot_job_cells[column_id];
    const char *text = self->texts[column_id];
    void *value = part + cell->offset;
    int32_t text_id;
    int ret = 0;

    switch (cell->kind) {
        case SPOT_JOB_CELL_WORD:
            ret = spot_job_log_add_text(log, &log->words, text, &text_id);
            if (ret == 0) {
                *(const char **) value = log->words.texts[text_id];
            }
            break;
        case SPOT_JOB_CELL_TEXT:
            ret = spot_job_log_add_text(
                log, (spot_text_set_t *) ((char *) log + cell->set_offset), text, value);
            break;
        case SPOT_JOB_CELL_SCALING:
            ret = spot_job_scaling_add(log, table, text, value);
            break;
        case SPOT_JOB_CELL_COUNT:
            *(int32_t *) value = (int32_t) self->integers[column_id];
            break;
        case SPOT_JOB_CELL_INTEGER:
            *(int64_t *) value = self->integers[column_id];
            break;
        case SPOT_JOB_CELL_NUMBER:
            *(double *) value = self->numbers[column_id];
            break;
        case SPOT_JOB_CELL_VC:
            break;
    }
    return ret;
}

static int
take_part(const spot_job_cells_t *self, spot_job_part_t part_id, spot_job_table_t *table,
    spot_job_log_t *log, void *part)
{
    int ret = 0;

    for (size_t j = SPOT_JOB_COLUMN_USER; j < SPOT_NUM_JOB_COLUMNS && ret == 0; j++) {
        if (self->has[j] && spot_job_cells[j].part == part_id) {
            ret = take_cell(self, j, table, log, part);
        }
    }
    return ret;
}

/* Adds to the workload that the job has, if any. */
static int
take_workload(const spot_job_cells_t *self, spot_job_table_t *table, spot_job_log_t *log,
    spot_job_row_t *job)
{
    spot_workload_t workload;
    int ret;

    memset(&workload, 0, sizeof(workload));
    if (job->workload_id >= 0) {
        memcpy(&workload, &log->workloads[job->workload_id], sizeof(workload));
    } else {
        workload.model = workload.dataset = "";
        workload.speed_per_s = workload.gpu_util = (double) NAN;
        workload.gmem_util = workload.gmem_mib = (double) NAN;
        workload.share_score = -1;
    }
    ret = take_part(self, SPOT_JOB_PART_WORKLOAD, table, log, &workload);
    return ret != 0 ? ret : spot_job_log_add_workload(log, &workload, &job->workload_id);
}

static int
take_terms(const spot_job_cells_t *self, spot_job_table_t *table, spot_job_log_t *log,
    spot_job_row_t *job)
{
    spot_job_terms_row_t terms;
    int ret;

    memset(&terms, 0, sizeof(terms));
    if (job->terms_id >= 0) {
        memcpy(&terms, &log->terms[job->terms_id], sizeof(terms));
    } else {
        terms.scaling_id = -1;
        terms.restart_s = -1;
    }
    ret = take_part(self, SPOT_JOB_PART_TERMS, table, log, &terms);
    return ret != 0 ? ret : spot_job_log_add_terms(log, &terms, &job->terms_id);
}

int
spot_job_cells_take(const spot_job_cells_t *self, spot_job_table_t *table,
    spot_job_log_t *log, spot_job_row_t *job)
{
    int ret = 0;

    if (self->has_part[SPOT_JOB_PART_ROW]) {
        ret = take_part(self, SPOT_JOB_PART_ROW, table, log, job);
    }
    if (ret == 0 && self->has_part[SPOT_JOB_PART_WORKLOAD]) {
        ret = take_workload(self, table, log, job);
    }
    if (ret == 0 && self->has_part[SPOT_JOB_PART_TERMS]) {
        ret = take_terms(self, table, log, job);
    }
    return ret;
}

/* ---- Terms ---- */

bool
spot_job_terms_problem(const spot_job_log_t *log, const spot_job_row_t *job,
    char text[SPOT_JOB_PROBLEM_BYTES])
{
    const spot_job_terms_row_t *terms = &log->terms[job->terms_id];
    const spot_job_scaling_t *scaling =
        terms->scaling_id < 0 ? NULL : &log->scalings[terms->scaling_id];
    bool has_size = scaling == NULL || scaling->num_sizes == 0; /* was reported */
    int num_bytes = 0;

    for (size_t j = 0; j < (scaling == NULL ? 0 : scaling->num_sizes); j++) {
        has_size = has_size || scaling->sizes[j] == job->gpu_num;
    }
    if (terms->min_gpus == 0 && terms->max_gpus == 0) {
        return false;
    }
    if (terms->min_gpus == 0 || terms->max_gpus == 0) {
        num_bytes = snprintf(text, SPOT_JOB_PROBLEM_BYTES, "job %s: %s needs %s as well",
            job->id, terms->min_gpus == 0 ? "max_gpus" : "min_gpus",
            terms->min_gpus == 0 ? "min_gpus" : "max_gpus");
    } else if (terms->min_gpus > job->gpu_num) {
        num_bytes = snprintf(text, SPOT_JOB_PROBLEM_BYTES,
            "job %s: min_gpus %d is above gpu_num %d", job->id, (int) terms->min_gpus,
            (int) job->gpu_num);
    } else if (job->gpu_num > terms->max_gpus) {
        num_bytes = snprintf(text, SPOT_JOB_PROBLEM_BYTES,
            "job %s: gpu_num %d is above max_gpus %d", job->id, (int) job->gpu_num,
            (int) terms->max_gpus);
    } else if (scaling == NULL && terms->trainer == NULL) {
        num_bytes = snprintf(text, SPOT_JOB_PROBLEM_BYTES,
            "job %s: min_gpus needs scaling, the throughput by size", job->id);
    } else if (!has_size) {
        num_bytes = snprintf(text, SPOT_JOB_PROBLEM_BYTES,
            "job %s: gpu_num %d is not a size of its scaling table '%.80s'", job->id,
            (int) job->gpu_num, scaling->name);
    }
    return num_bytes > 0;
}
