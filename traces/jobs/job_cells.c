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

#define MAX_S_TEXT "3162240000"

/* What an optional field may be. */
static const struct {
    enum { CELL_TEXT, CELL_INTEGER, CELL_NUMBER } kind;
    double min, max;
    const char *expected;
} rules[SPOT_NUM_JOB_COLUMNS] = {
    [SPOT_JOB_COLUMN_CPU_NUM] = {CELL_INTEGER, 0, 1e6, "an integer from 0 to 1000000"},
    [SPOT_JOB_COLUMN_BATCH_SIZE] = {CELL_INTEGER, 0, 1e9,
        "an integer from 0 to 1000000000"},
    [SPOT_JOB_COLUMN_AMP] = {CELL_INTEGER, 0, 1, "0 or 1"},
    [SPOT_JOB_COLUMN_SPEED] = {CELL_NUMBER, 0, 1e15, "samples per second from 0"},
    [SPOT_JOB_COLUMN_GPU_UTIL] = {CELL_NUMBER, 0, 100, "a percentage from 0 to 100"},
    [SPOT_JOB_COLUMN_GMEM_UTIL] = {CELL_NUMBER, 0, 100, "a percentage from 0 to 100"},
    [SPOT_JOB_COLUMN_GMEM] = {CELL_NUMBER, 0, 1e9, "MiB from 0 to 1000000000"},
    [SPOT_JOB_COLUMN_SHARE_SCORE] = {CELL_INTEGER, 0, 2, "0, 1 or 2"},
    [SPOT_JOB_COLUMN_MIN_GPUS] = {CELL_INTEGER, 1, SPOT_JOB_MAX_GPUS,
        "an integer from 1 to 1000000"},
    [SPOT_JOB_COLUMN_MAX_GPUS] = {CELL_INTEGER, 1, SPOT_JOB_MAX_GPUS,
        "an integer from 1 to 1000000"},
    [SPOT_JOB_COLUMN_CHECKPOINT_INTERVAL] = {CELL_INTEGER, 0, SPOT_JOB_MAX_S,
        "integer seconds from 0 to " MAX_S_TEXT},
    [SPOT_JOB_COLUMN_CHECKPOINT_WRITE] = {CELL_INTEGER, 0, SPOT_JOB_MAX_S,
        "integer seconds from 0 to " MAX_S_TEXT},
    [SPOT_JOB_COLUMN_RESTART] = {CELL_INTEGER, 0, SPOT_JOB_MAX_S,
        "integer seconds from 0 to " MAX_S_TEXT},
    [SPOT_JOB_COLUMN_RECONFIGURATION] = {CELL_INTEGER, 0, SPOT_JOB_MAX_S,
        "integer seconds from 0 to " MAX_S_TEXT},
};

/* ---- Reading ---- */

static bool
read_cell(spot_job_cells_t *self, size_t column_id, const char *field)
{
    double number = 0;
    bool is_good = true;

    self->texts[column_id] = field;
    if (column_id == SPOT_JOB_COLUMN_TRAINER) {
        return strncmp(field, "core:", 5) == 0 && field[5] != '\0';
    }
    if (rules[column_id].kind == CELL_INTEGER) {
        is_good = spot_integer_parse(field, &self->integers[column_id]) == 0;
        number = (double) self->integers[column_id];
    } else if (rules[column_id].kind == CELL_NUMBER) {
        is_good = spot_number_parse(field, &self->numbers[column_id]) == 0;
        number = self->numbers[column_id];
    }
    return is_good && number >= rules[column_id].min && number <= rules[column_id].max;
}

bool
spot_job_cells_read(spot_job_cells_t *self, spot_job_table_t *table)
{
    bool is_good = true;

    memset(self->has, 0, sizeof(self->has));
    self->has_workload = self->has_terms = false;
    for (size_t j = 0; j < table->num_fields; j++) {
        const int32_t column_id = table->column_of[j];
        const char *field = table->row.fields[j];

        if (column_id < SPOT_JOB_COLUMN_USER || column_id >= SPOT_NUM_JOB_COLUMNS ||
            field[0] == '\0') {
            continue;
        }
        if (!read_cell(self, (size_t) column_id, field)) {
            spot_job_table_expected(table, (size_t) column_id,
                spot_job_columns[column_id].name,
                column_id == SPOT_JOB_COLUMN_TRAINER ? "core:NAME"
                                                     : rules[column_id].expected);
            is_good = false;
        }
        self->has[column_id] = true;
        self->has_workload |= spot_job_column_is_workload((size_t) column_id);
        self->has_terms |= spot_job_column_is_terms((size_t) column_id);
    }
    return is_good;
}

/* ---- Taking ---- */

/* The copy of the text of a field in the words of the log, or other if there is none. */
static int
take_word(const spot_job_cells_t *self, size_t column_id, spot_job_log_t *log,
    const char **word)
{
    int32_t text_id;
    int ret;

    if (!self->has[column_id]) {
        return 0;
    }
    ret = spot_job_log_add_text(log, &log->words, self->texts[column_id], &text_id);
    if (ret == 0) {
        *word = log->words.texts[text_id];
    }
    return ret;
}

static void
take_integer(const spot_job_cells_t *self, size_t column_id, int64_t *value)
{
    *value = self->has[column_id] ? self->integers[column_id] : *value;
}

static void
take_count(const spot_job_cells_t *self, size_t column_id, int32_t *value)
{
    *value = self->has[column_id] ? (int32_t) self->integers[column_id] : *value;
}

static void
take_number(const spot_job_cells_t *self, size_t column_id, double *value)
{
    *value = self->has[column_id] ? self->numbers[column_id] : *value;
}

/* Adds to the workload that the job has, if any. */
static int
take_workload(const spot_job_cells_t *self, spot_job_log_t *log, spot_job_row_t *job)
{
    spot_workload_t workload;
    int ret;

    memset(&workload, 0, sizeof(workload));
    if (job->workload_id >= 0) {
        memcpy(&workload, &log->workloads[job->workload_id], sizeof(workload));
    } else {
        workload.model = workload.dataset = "";
        workload.speed_per_s = workload.gpu_util = NAN;
        workload.gmem_util = workload.gmem_mib = NAN;
        workload.share_score = -1;
    }
    take_count(self, SPOT_JOB_COLUMN_BATCH_SIZE, &workload.batch_size);
    take_count(self, SPOT_JOB_COLUMN_AMP, &workload.amp);
    take_number(self, SPOT_JOB_COLUMN_SPEED, &workload.speed_per_s);
    take_number(self, SPOT_JOB_COLUMN_GPU_UTIL, &workload.gpu_util);
    take_number(self, SPOT_JOB_COLUMN_GMEM_UTIL, &workload.gmem_util);
    take_number(self, SPOT_JOB_COLUMN_GMEM, &workload.gmem_mib);
    take_count(self, SPOT_JOB_COLUMN_SHARE_SCORE, &workload.share_score);
    ret = take_word(self, SPOT_JOB_COLUMN_MODEL, log, &workload.model);
    if (ret == 0) {
        ret = take_word(self, SPOT_JOB_COLUMN_DATASET, log, &workload.dataset);
    }
    return ret != 0 ? ret : spot_job_log_add_workload(log, &workload, &job->workload_id);
}

static int
take_terms(const spot_job_cells_t *self, spot_job_table_t *table, spot_job_log_t *log,
    spot_job_row_t *job)
{
    spot_job_terms_row_t terms;
    int ret = 0;

    memset(&terms, 0, sizeof(terms));
    if (job->terms_id >= 0) {
        memcpy(&terms, &log->terms[job->terms_id], sizeof(terms));
    } else {
        terms.scaling_id = -1;
        terms.restart_s = -1;
    }
    take_count(self, SPOT_JOB_COLUMN_MIN_GPUS, &terms.min_gpus);
    take_count(self, SPOT_JOB_COLUMN_MAX_GPUS, &terms.max_gpus);
    take_integer(
        self, SPOT_JOB_COLUMN_CHECKPOINT_INTERVAL, &terms.checkpoint_interval_s);
    take_integer(self, SPOT_JOB_COLUMN_CHECKPOINT_WRITE, &terms.checkpoint_write_s);
    take_integer(self, SPOT_JOB_COLUMN_RESTART, &terms.restart_s);
    take_integer(self, SPOT_JOB_COLUMN_RECONFIGURATION, &terms.reconfiguration_s);
    ret = take_word(self, SPOT_JOB_COLUMN_TRAINER, log, &terms.trainer);
    if (ret == 0 && self->has[SPOT_JOB_COLUMN_SCALING]) {
        ret = spot_job_scaling_add(
            log, table, self->texts[SPOT_JOB_COLUMN_SCALING], &terms.scaling_id);
    }
    return ret != 0 ? ret : spot_job_log_add_terms(log, &terms, &job->terms_id);
}

int
spot_job_cells_take(const spot_job_cells_t *self, spot_job_table_t *table,
    spot_job_log_t *log, spot_job_row_t *job)
{
    const struct {
        size_t column_id;
        spot_text_set_t *set;
        int32_t *text_id;
    } texts[] = {
        {SPOT_JOB_COLUMN_USER, &log->users, &job->user_id},
        {SPOT_JOB_COLUMN_NAME, &log->names, &job->name_id},
        {SPOT_JOB_COLUMN_STATE, &log->states, &job->state_id},
    };
    int ret = 0;

    for (size_t j = 0; j < sizeof(texts) / sizeof(texts[0]) && ret == 0; j++) {
        if (self->has[texts[j].column_id]) {
            ret = spot_job_log_add_text(
                log, texts[j].set, self->texts[texts[j].column_id], texts[j].text_id);
        }
    }
    take_count(self, SPOT_JOB_COLUMN_CPU_NUM, &job->cpu_num);
    if (ret == 0 && self->has_workload) {
        ret = take_workload(self, log, job);
    }
    return ret == 0 && self->has_terms ? take_terms(self, table, log, job) : ret;
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
