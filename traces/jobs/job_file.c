/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/jobs/job_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/datetime.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/watch.h"

const char *const spot_short_rule_names[] = {"error", "clamp", "drop", NULL};

/* The columns in the order of published logs: their kind, names, member, whether a log
 * must have them and its reader reads them, and limits. From MODEL to SHARE_SCORE they
 * are those of a workload. What a new one needs besides: a member of spot_job_row_t and its copy in
 * job_cells_store(), what it is where a cell is empty (no_cells) and of a job that is drawn
 * (job_law.c), and a word in the help of `schedule check`. The engine's table of jobs has all
 * columns. */
#define COLUMNS(X)                                                                                 \
    X(ID, TEXT, "job_id", "jobid", job.id, true, 0, 0)                                             \
    X(USER, TEXT, "user", NULL, user, false, 0, 0)                                                 \
    X(VC, TEXT, "vc", NULL, vc, true, 0, 0)                                                        \
    X(NAME, TEXT, "jobname", NULL, name, false, 0, 0)                                              \
    X(GPU_NUM, SMALL, "gpu_num", NULL, job.gpu_num, true, 1, SPOT_JOB_MAX_GPUS)                    \
    X(CPU_NUM, SMALL, "cpu_num", NULL, job.cpu_num, false, 0, 1e6)                                 \
    X(STATE, TEXT, "state", "status", state, false, 0, 0)                                          \
    X(SUBMIT, INTEGER, "submit_time", "submitted_time", job.submit_s, true, 0, 0)                  \
    X(DURATION, INTEGER, "duration", NULL, job.duration_s, true, 1, SPOT_JOB_MAX_S)                \
    X(MODEL, TEXT, "model", NULL, workload.model, false, 0, 0)                                     \
    X(DATASET, TEXT, "dataset", NULL, workload.dataset, false, 0, 0)                               \
    X(BATCH_SIZE, SMALL, "batchsize", NULL, workload.batch_size, false, 0, 1e9)                    \
    X(AMP, SMALL, "amp", NULL, workload.amp, false, 0, 1)                                          \
    X(SPEED, NUMBER, "speed", NULL, workload.speed_per_s, false, 0, 1e12)                          \
    X(GPU_UTIL, NUMBER, "gpu_util", NULL, workload.gpu_util, false, 0, 100)                        \
    X(GMEM_UTIL, NUMBER, "gmem_util", NULL, workload.gmem_util, false, 0, 100)                     \
    X(GMEM, NUMBER, "gmem", NULL, workload.gmem_mib, false, 0, 1e9)                                \
    X(SHARE_SCORE, SMALL, "sharescore", NULL, workload.share_score, false, 0, 2)                   \
    X(MIN_GPUS, SMALL, "min_gpus", NULL, terms.min_gpus, false, 1, SPOT_JOB_MAX_GPUS)              \
    X(MAX_GPUS, SMALL, "max_gpus", NULL, terms.max_gpus, false, 1, SPOT_JOB_MAX_GPUS)              \
    X(SCALING, TEXT, "scaling", NULL, scaling, false, 0, 0)                                        \
    X(CKPT_INTERVAL, INTEGER, "ckpt_interval_s", NULL, terms.checkpoint_interval_s, false, 0,      \
        SPOT_JOB_MAX_S)                                                                            \
    X(CKPT_WRITE, INTEGER, "ckpt_write_s", NULL, terms.checkpoint_write_s, false, 0,               \
        SPOT_JOB_MAX_S)                                                                            \
    X(RESTART, INTEGER, "restart_s", NULL, terms.restart_s, false, 0, SPOT_JOB_MAX_S)              \
    X(RECONFIGURATION, INTEGER, "reconfig_s", NULL, terms.reconfiguration_s, false, 0,             \
        SPOT_JOB_MAX_S)                                                                            \
    X(TRAINER, TEXT, "trainer", NULL, terms.trainer, false, 0, 0)

typedef enum {
#define COLUMN_ID_OF(id, ...) COLUMN_##id,
    COLUMNS(COLUMN_ID_OF)
#undef COLUMN_ID_OF
        NUM_COLUMNS
} job_column_id_t;

_Static_assert(NUM_COLUMNS == SPOT_NUM_JOB_COLUMNS, "all columns");

/* Notes which columns of terms a file of the log has. */
static inline void job_log_note_columns(spot_job_log_t *self, const spot_table_file_t *file)
{
    self->has_checkpoints |= file->has[COLUMN_CKPT_INTERVAL];
    self->has_writes |= file->has[COLUMN_CKPT_WRITE];
    self->has_reconfigurations |= file->has[COLUMN_RECONFIGURATION];
}

/* Where a job is in its file. */
typedef struct {
    uint32_t line, column;
} job_place_t;

/* ---- The columns ---- */

const spot_row_member_t spot_job_columns[SPOT_NUM_JOB_COLUMNS] = {
#define COLUMN(id, kind, name, other, member, is_key, low, high)                                   \
    SPOT_MEMBER_WITH(kind, name, spot_job_cells_t, member, .other_name = other, .is_own = is_key,  \
        .is_optional = !(is_key), .may_be_empty = !(is_key), .min = (low),                         \
        .max = (double) (high)),
    COLUMNS(COLUMN)
#undef COLUMN
};

/* A row whose cells are all empty. */
static const spot_job_cells_t no_cells = {
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
    .terms = SPOT_JOB_NO_TERMS,
    .vc = "",
    .user = "",
    .name = "",
    .state = "",
    .scaling = "",
};

/* ---- Cells of a file ---- */

/* Takes the row of a file, but for the columns that are always there. Returns whether
 * all fields are good. */
static bool job_cells_read(spot_job_cells_t *self, spot_table_file_t *file)
{
    const bool is_good = spot_table_file_take(file, self);
    const char *trainer = self->terms.trainer;

    if (trainer == NULL || (strncmp(trainer, "core:", 5) == 0 && trainer[5] != '\0')) {
        return is_good;
    }
    spot_table_file_report_field(file, &file->row, COLUMN_TRAINER, "expected core:NAME");
    return false;
}

/* Sets name_id to the id of a text, -1 for "". */
static int store_text(spot_names_t *names, const char *text, int32_t *name_id)
{
    *name_id = -1;
    return text[0] == '\0' ? 0 : spot_names_add(names, text, strlen(text), name_id);
}

/* Replaces a text by the same one of the log. */
static int store_word(spot_job_log_t *log, const char **word)
{
    int32_t word_id = -1;
    const int ret = *word == NULL ? 0 : store_text(&log->words, *word, &word_id);

    if (word_id >= 0) {
        *word = log->words.names[word_id];
    }
    return ret;
}

static int store_workload(spot_workload_t *self, spot_job_log_t *log, int32_t *workload_id)
{
    if (memcmp(self, &no_cells.workload, sizeof(*self)) == 0) {
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
    if (ret != 0 || memcmp(terms, &no_cells.terms, sizeof(*terms)) == 0) {
        return ret;
    }
    return store_word(log, &terms->trainer) != 0 ? SPOT_ERR_NO_MEMORY
                                                 : spot_job_log_add_terms(log, terms, terms_id);
}

/* Stores what those columns say in a job of the log, whose terms are checked later.
 * Scaling tables are read relative to the folder of the file; a faulty one is reported.
 * NO_MEMORY. */
static int job_cells_store(
    spot_job_cells_t *self, spot_table_file_t *file, spot_job_log_t *log, spot_job_row_t *job)
{
    int ret = store_text(&log->users, self->user, &job->user_id);

    ret = ret != 0 ? ret : store_text(&log->names, self->name, &job->name_id);
    ret = ret != 0 ? ret : store_text(&log->states, self->state, &job->state_id);
    job->cpu_num = self->job.cpu_num;
    ret = ret != 0 ? ret : store_workload(&self->workload, log, &job->workload_id);
    return ret != 0 ? ret : store_terms(self, file, log, &job->terms_id);
}

/* ---- Writing a log ---- */

void spot_job_cells_of(spot_job_cells_t *self, const spot_job_log_t *log, const spot_vc_list_t *vcs,
    const spot_job_row_t *job)
{
    memcpy(self, &no_cells, sizeof(*self));
    self->job = *job;
    self->vc = vcs == NULL ? "" : vcs->vcs[job->vc_id].name;
    self->user = spot_names_text(&log->users, job->user_id);
    self->name = spot_names_text(&log->names, job->name_id);
    self->state = spot_names_text(&log->states, job->state_id);
    if (job->workload_id >= 0) {
        memcpy(&self->workload, &log->workloads[job->workload_id], sizeof(self->workload));
    }
    if (job->terms_id >= 0) {
        memcpy(&self->terms, &log->terms[job->terms_id], sizeof(self->terms));
        self->scaling = spot_names_text(&log->scaling_names, self->terms.scaling_id);
    }
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
            has[j] = has[j] || spot_member_write(&spot_job_columns[j], &cells, &no_cells, NULL);
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
            (void) spot_member_write(&spot_job_columns[columns[j]], &cells, &no_cells, out);
        }
        fputc('\n', out);
    }
}

/* ---- Scaling tables ---- */

/* Sets *problem if a size or its throughput is wrong. */
static int add_size(
    spot_job_scaling_t *self, const char *size, const char *throughput, const char **problem)
{
    int64_t num_gpus = 0;
    double per_s = 0;
    int ret;

    if (spot_integer_parse(size, &num_gpus) != 0 || num_gpus < 1 || num_gpus > SPOT_JOB_MAX_GPUS) {
        *problem = "expected a size from 1 to 1000000 GPUs";
    } else if (self->num_sizes > 0 && num_gpus <= self->sizes[self->num_sizes - 1]) {
        *problem = "expected increasing sizes";
    } else if (spot_number_parse(throughput, &per_s) != 0 || per_s <= 0) {
        *problem = "expected a throughput above 0";
    }
    if (*problem != NULL) {
        return 0;
    }
    ret = SPOT_ARRAY_APPEND(self, sizes, (int32_t) num_gpus);
    return ret != 0 ? ret : SPOT_ARRAY_APPEND(self, per_s, per_s);
}

/* Reads "4:1.0 8:1.8", with blanks or semicolons between. */
static int read_inline(spot_job_scaling_t *self, const char *field, const char **problem)
{
    int ret = 0;

    while (ret == 0 && *problem == NULL && *field != '\0') {
        const size_t num_bytes = strcspn(field, " ;");
        char item[2 * SPOT_NUMBER_TEXT_BYTES];
        char *colon;

        snprintf(item, sizeof(item), "%.*s", (int) num_bytes, field);
        colon = strchr(item, ':');
        if (colon == NULL || num_bytes >= sizeof(item)) {
            *problem = "expected SIZE:THROUGHPUT, such as 4:1.0 8:1.8";
        } else {
            *colon = '\0';
            ret = add_size(self, item, colon + 1, problem);
        }
        field += num_bytes;
        field += strspn(field, " ;");
    }
    return ret;
}

/* Reads a file; its errors are reported at their places. */
static int read_file(spot_job_scaling_t *self, const char *path, spot_diag_t *diag)
{
    enum { COLUMN_SIZE, COLUMN_THROUGHPUT };
    static const spot_row_member_t columns[] = {{.name = "size"}, {.name = "throughput"}};
    static const spot_table_file_format_t format = {SPOT_TABLE_DATA(columns), .noun = "size"};
    spot_table_file_t file = {.format = &format, .path = path, .diag = diag};
    int ret = spot_table_file_open(&file);

    while (ret == 0 && (ret = spot_table_file_next(&file)) == 1) {
        const char *problem = NULL;

        ret = add_size(self, spot_table_file_field(&file, COLUMN_SIZE),
            spot_table_file_field(&file, COLUMN_THROUGHPUT), &problem);
        if (problem != NULL) {
            spot_table_file_report_at(&file,
                strstr(problem, "size") != NULL ? COLUMN_SIZE : COLUMN_THROUGHPUT, "%s", problem);
        }
    }
    return spot_table_file_close(&file, ret);
}

/* "4:1.0" or the like, and no path. */
static bool is_inline(const char *field)
{
    const size_t num_digits = strspn(field, "-+.0123456789");

    return num_digits > 0 && (field[num_digits] == ':' || field[num_digits] == '\0' ||
                                 field[num_digits] == ' ' || field[num_digits] == ';');
}

/* Returns the problem of the field, or NULL; *ret: the error. */
static const char *read_sizes(
    spot_job_scaling_t *self, const spot_table_file_t *file, const char *field, int *ret)
{
    const char *slash = strrchr(file->path, '/'), *problem = NULL, *path;
    spot_texts_t texts = {0};

    if (is_inline(field)) {
        *ret = read_inline(self, field, &problem);
        return problem;
    }
    path = field[0] == '/' || slash == NULL
               ? field
               : spot_texts_add(&texts, "%.*s/%s", (int) (slash - file->path), file->path, field);
    *ret = texts.error != 0 ? texts.error : read_file(self, path, file->diag);
    spot_texts_free(&texts);
    return *ret == SPOT_ERR_IO ? "expected sizes such as 4:1.0 8:1.8, or a CSV file" : NULL;
}

int spot_job_scaling_add(
    spot_job_log_t *log, spot_table_file_t *file, const char *field, int32_t *scaling_id)
{
    spot_job_scaling_t scaling = {.name = ""};
    const char *problem;
    int ret = store_text(&log->scaling_names, field, scaling_id);

    if (ret != 0 || (size_t) *scaling_id < log->num_scalings) {
        return ret;
    }
    problem = read_sizes(&scaling, file, field, &ret);
    if (problem != NULL) {
        spot_table_file_report_field(file, &file->row, COLUMN_SCALING, problem);
        ret = ret == SPOT_ERR_NO_MEMORY ? ret : SPOT_ERR_BAD_INPUT;
    }
    if (ret == SPOT_ERR_BAD_INPUT) {
        file->is_faulty = true;
        scaling.num_sizes = 0;
        ret = 0;
    }
    scaling.name = log->scaling_names.names[*scaling_id];
    ret = ret != 0 ? ret : SPOT_ARRAY_APPEND(log, scalings, scaling);
    if (ret != 0) {
        free(scaling.sizes);
        free(scaling.per_s);
    }
    return ret;
}

/* ---- Files that are joined on job_id ---- */

enum { JOINED_ID, JOINED_VALUE, NUM_JOINED }; /* of a file of one value a job */

/* A file whose first column is job_id. The jobs of the log stay where they are. */
typedef struct {
    const spot_job_log_t *log;
    spot_table_file_t file;
    spot_key_table_t ids;
    uint32_t *lines; /* [num_jobs] of the rows of jobs; 0: none so far */
} join_t;

static int open_join(join_t *self)
{
    const spot_key_view_t keys = spot_job_log_keys(self->log);
    int ret = spot_table_file_open(&self->file);

    self->lines = spot_calloc(self->log->num_jobs, sizeof(*self->lines));
    ret = ret == 0 && self->lines == NULL ? SPOT_ERR_NO_MEMORY : ret;
    for (size_t j = 0; j < self->log->num_jobs && ret == 0; j++) {
        ret = spot_key_table_enter(&self->ids, &keys, j);
    }
    return ret;
}

/* Returns 1: the row of the file is that of *job_id; 0: its end; an error. Rows of jobs
 * that the log has not are passed over; a second row of a job is reported. */
static int next_row(join_t *self, int32_t *job_id)
{
    const spot_key_view_t keys = spot_job_log_keys(self->log);
    int status;

    while ((status = spot_table_file_next(&self->file)) == 1) {
        const char *id = spot_table_file_field(&self->file, JOINED_ID);

        *job_id = spot_key_table_find(&self->ids, &keys, id);
        if (*job_id >= 0 && self->lines[*job_id] == 0) {
            self->lines[*job_id] = (uint32_t) self->file.row.line;
            return 1;
        }
        if (*job_id >= 0) {
            spot_table_file_report_at(&self->file, JOINED_ID, "job_id: '%s' is in line %u too", id,
                (unsigned) self->lines[*job_id]);
        }
    }
    return status;
}

static int close_join(join_t *self, int error)
{
    free(self->lines);
    spot_key_table_free(&self->ids);
    return spot_table_file_close(&self->file, error);
}

/* ---- Joined: further columns ---- */

/* Reports columns but job_id that are in both files. */
static void check_columns(spot_table_file_t *other, const spot_table_file_t *file)
{
    for (size_t j = 0; j < SPOT_NUM_JOB_COLUMNS; j++) {
        if (j != COLUMN_ID && other->has[j] && file->has[j]) {
            spot_table_file_report_at(
                other, j, "column '%s' is in %s too", spot_job_columns[j].name, file->path);
        }
    }
}

/* Adds more columns to the jobs of a log, whose own file is being read; each job has a
 * row. places: [num_jobs] in that file. BAD_INPUT with the reasons in file->diag, IO,
 * NO_MEMORY. */
static int job_join_workload(
    spot_job_log_t *log, const char *path, spot_table_file_t *file, const job_place_t *places)
{
    spot_row_member_t columns[SPOT_NUM_JOB_COLUMNS];
    spot_job_cells_t before, cells;
    const spot_table_file_format_t format = {
        SPOT_TABLE_DATA(columns), .row_bytes = sizeof(cells), .initial = &before};
    join_t join = {.log = log, .file = {.format = &format, .path = path, .diag = file->diag}};
    int32_t job_id;
    int ret;

    memcpy(columns, spot_job_columns, sizeof(columns));
    for (size_t j = 0; j < SPOT_NUM_JOB_COLUMNS; j++) {
        columns[j].is_optional = j != COLUMN_ID;
    }
    ret = open_join(&join);
    if (ret == 0) {
        check_columns(&join.file, file);
        job_log_note_columns(log, &join.file);
    }
    while (ret == 0 && (ret = next_row(&join, &job_id)) == 1) {
        spot_job_row_t *job = &log->jobs[job_id];

        spot_job_cells_of(&before, log, NULL, job);
        ret =
            job_cells_read(&cells, &join.file) ? job_cells_store(&cells, &join.file, log, job) : 0;
    }
    for (size_t j = 0; j < log->num_jobs && ret == 0 && !join.file.is_faulty; j++) {
        if (join.lines[j] == 0) {
            spot_table_file_report(file, places[j].line, "job_id: '%s' has no row in %s",
                log->jobs[j].id, join.file.path);
        }
    }
    return close_join(&join, ret);
}

/* ---- Joined: a number for each job ---- */

int spot_job_column_read(const spot_job_log_t *self, const char *path, const char *column,
    double *values, spot_diag_t *diag)
{
    const spot_row_member_t columns[NUM_JOINED] = {
        {.name = "job_id"},
        {.name = column},
    };
    const spot_table_file_format_t format = {SPOT_TABLE_DATA(columns), .is_part = true};
    join_t join = {.log = self, .file = {.format = &format, .path = path, .diag = diag}};
    spot_table_file_t *file = &join.file;
    int32_t job_id;
    int ret = open_join(&join);

    while (ret == 0 && (ret = next_row(&join, &job_id)) == 1) {
        const char *field = spot_table_file_field(file, JOINED_VALUE);
        char shown[SPOT_CSV_SHOWN_BYTES];

        ret = 0;
        if (spot_number_parse(field, &values[job_id]) != 0) {
            spot_table_file_report_at(file, JOINED_VALUE,
                "%s: expected a finite number for job %s, got '%s'", column, self->jobs[job_id].id,
                spot_csv_shown(field, shown));
        }
    }
    for (size_t j = 0; j < self->num_jobs && ret == 0; j++) {
        if (join.lines[j] == 0) {
            file->is_faulty = true;
            spot_diag_error(
                diag, file->path, 0, 0, "%s: job %s has no row", column, self->jobs[j].id);
        }
    }
    return close_join(&join, ret);
}

/* ---- Presets of published logs ---- */

#define NUM_OF(rules) (sizeof(rules) / sizeof((rules)[0]))

static const spot_vc_rule_t helios_vcs[] = {
    {"vcEhP", ""},
    {"vcIya", ""},
    {"vcJLV", ""},
    {"vcJkd", ""},
    {"vcsBT", ""},
    {"vcbIW", "vcvGl"},
    {"vc6YE", "vcvGl"},
    {"vcOhe", "vcKeu"},
    {"vccJW", "vcKeu"},
    {"vcP2J", "vchA3"},
};

static const spot_vc_rule_t philly_vcs[] = {
    {"795a4c", ""},
    {"51b7ef", ""},
    {"925e2b", ""},
    {"23dbec", ""},
};

static const spot_vc_rule_t philly_states[] = {
    {"Pass", "COMPLETED"},
    {"Failed", "FAILED"},
    {"Killed", "CANCELLED"},
};

const spot_job_preset_t spot_job_presets[] = {
    {
        .name = "helios-sept",
        .doc = "Venus of HeliosData, 1 to 26 September 2020: VCs that came or went are "
               "dropped or merged, as in the Lucid artifact",
        .origin = "2020-04-01 00:00:00",
        .begin = "2020-09-01 00:00:00",
        .end = "2020-09-26 23:59:00",
        .num_vc_rules = NUM_OF(helios_vcs),
        .vc_rules = helios_vcs,
    },
    {
        .name = "helios-july",
        .doc = "the same, July 2020",
        .origin = "2020-04-01 00:00:00",
        .begin = "2020-07-01 00:00:00",
        .end = "2020-07-31 23:59:00",
        .num_vc_rules = NUM_OF(helios_vcs),
        .vc_rules = helios_vcs,
    },
    {
        .name = "philly-week",
        .doc = "philly-traces as a CSV file, 1 to 7 October 2017, without its four "
               "small VCs",
        .origin = "2017-10-01 00:00:00",
        .begin = "2017-10-01 00:00:00",
        .end = "2017-10-07 23:59:00",
        .num_vc_rules = NUM_OF(philly_vcs),
        .vc_rules = philly_vcs,
        .num_state_rules = NUM_OF(philly_states),
        .state_rules = philly_states,
    },
    {.name = NULL},
};

const char *spot_job_window_set(
    spot_job_window_t *self, const char *origin, const char *begin, const char *end)
{
    const char *texts[] = {origin, begin, end};
    int64_t *times[] = {&self->origin_s, &self->begin_s, &self->end_s};
    size_t num_given = 0;

    for (size_t j = 0; j < NUM_OF(texts); j++) {
        bool is_date = false;

        *times[j] = SPOT_JOB_NO_CLOCK;
        if (texts[j] == NULL) {
            continue;
        }
        if (spot_clock_parse(texts[j], times[j], &is_date) != 0) {
            return "expected integer seconds or YYYY-MM-DD hh:mm:ss";
        }
        if (num_given > 0 && is_date != self->has_dates) {
            return "either all are dates, or all are seconds";
        }
        self->has_dates = is_date;
        num_given++;
    }
    self->is_given = num_given > 0;
    if (self->end_s != SPOT_JOB_NO_CLOCK && self->end_s < self->begin_s) {
        return "the end is before the begin";
    }
    if (self->begin_s != SPOT_JOB_NO_CLOCK && self->begin_s < self->origin_s) {
        return "the begin is before the origin";
    }
    return NULL;
}

/* ---- Reading a log ---- */

enum { VC_UNKNOWN = -1, VC_DROPPED = -2, VC_FAULTY = -3 };

typedef struct {
    spot_job_log_t *log;
    const spot_job_log_request_t *request;
    spot_table_file_t file;
    spot_key_table_t ids;
    size_t num_places;
    size_t max_places;
    job_place_t *places;   /* [num_places] of the durations of the jobs */
    spot_names_t vc_names; /* as written */
    size_t num_vc_ids;
    size_t max_vc_ids;
    int32_t *vc_ids;  /* [num_vc_ids] by name: of the list, or VC_... */
    size_t form_line; /* of the first submit time; 0: none so far */
    bool has_dates;
    int64_t before_s; /* submit of the row before */
    spot_job_cells_t cells;
} reader_t;

static const char *field_of(const reader_t *self, job_column_id_t column_id)
{
    return spot_table_file_field(&self->file, column_id);
}

static void refuse(reader_t *self, job_column_id_t column_id, const char *problem)
{
    spot_table_file_report_field(&self->file, &self->file.row, column_id, problem);
}

/* ---- Reading: VCs ---- */

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
        refuse(self, COLUMN_VC, "expected a name of up to 64 bytes");
        *vc_id = VC_FAULTY;
        return 0;
    }
    *vc_id = renamed == NULL ? VC_DROPPED : spot_vc_list_find(vcs, renamed);
    if (*vc_id != VC_UNKNOWN || (!self->request->adds_vcs && !self->request->is_strict)) {
        return 0;
    }
    if (!self->request->adds_vcs) {
        spot_table_file_report_at(&self->file, COLUMN_VC,
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
    const char *name = field_of(self, COLUMN_VC);
    int32_t name_id = -1;
    int ret = store_text(&self->vc_names, name, &name_id);

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

/* ---- Reading: fields of a row ---- */

/* Reads a whole number that should be 1 or more; what is to be done with less is decided
 * later. */
static bool read_positive(reader_t *self, job_column_id_t column_id, int64_t *value)
{
    const char *field = field_of(self, column_id), *problem = NULL;
    char text[SPOT_MEMBER_PROBLEM_BYTES];

    if (spot_integer_parse(field, value) != 0 || *value >= 1) {
        problem = spot_member_read(&spot_job_columns[column_id], field, &self->cells, text);
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
    const char *field = field_of(self, COLUMN_SUBMIT), *problem = NULL;
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
        spot_table_file_report_at(&self->file, COLUMN_SUBMIT,
            "submit_time: expected %s as in line %zu, got '%s'",
            self->has_dates ? "YYYY-MM-DD hh:mm:ss" : "integer seconds", self->form_line, field);
        return false;
    }
    if (problem != NULL) {
        refuse(self, COLUMN_SUBMIT, problem);
    }
    return problem == NULL;
}

static bool read_id(reader_t *self, spot_job_row_t *job)
{
    const spot_key_view_t keys = spot_job_log_keys(self->log);
    int64_t number;
    int32_t other;

    job->id = field_of(self, COLUMN_ID);
    if (job->id[0] == '\0' || strlen(job->id) > SPOT_JOB_ID_BYTES ||
        (spot_integer_parse(job->id, &number) == 0 && number < 0)) {
        refuse(self, COLUMN_ID, "expected an integer from 0, or a text of up to 64 bytes");
        return false;
    }
    other = spot_key_table_find(&self->ids, &keys, job->id);
    if (other >= 0) {
        spot_table_file_report_at(&self->file, COLUMN_ID, "job_id: '%s' is in line %u too", job->id,
            (unsigned) self->places[other].line);
    }
    return other < 0;
}

/* ---- Reading: rows ---- */

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
static bool is_long_enough(reader_t *self, spot_job_row_t *job, job_place_t place)
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
    const job_place_t place = {
        (uint32_t) row->line, (uint32_t) row->columns[self->file.fields[COLUMN_DURATION]]};
    spot_job_log_t *log = self->log;
    spot_key_view_t keys;
    int ret;

    log->counts.unsorted += job->submit_s < self->before_s;
    self->before_s = job->submit_s;
    if (self->request->window == NULL && !is_long_enough(self, job, place)) {
        return 0;
    }
    ret = job_cells_store(&self->cells, &self->file, log, job);
    ret = ret == 0 ? spot_job_log_add(log, job) : ret;
    ret = ret == 0 ? SPOT_ARRAY_APPEND(self, places, place) : ret;
    keys = spot_job_log_keys(log);
    return ret != 0 ? ret : spot_key_table_enter(&self->ids, &keys, log->num_jobs - 1);
}

static int read_row(reader_t *self)
{
    spot_job_row_t job = no_cells.job;
    int64_t num_gpus = 0;
    bool is_good;
    int ret = 0;

    self->log->counts.read++;
    job.vc_id = VC_FAULTY;
    is_good = read_positive(self, COLUMN_GPU_NUM, &num_gpus);
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
    is_good = read_positive(self, COLUMN_DURATION, &job.duration_s) && is_good;
    is_good = job_cells_read(&self->cells, &self->file) && is_good;
    if (self->cells.state[0] != '\0') {
        const char *state = rename_by(
            self->request->state_rules, self->request->num_state_rules, self->cells.state);

        self->cells.state = state == NULL ? "" : state;
    }
    return is_good ? keep_row(self, &job) : 0;
}

/* ---- Reading: the rows that are left ---- */

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

/* ---- Reading: the whole ---- */

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
    job_log_note_columns(log, &self->file);
    ret = workload == NULL ? 0 : job_join_workload(log, workload, &self->file, self->places);
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
        .row_bytes = sizeof(spot_job_cells_t), .initial = &no_cells};
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
    spot_names_free(&reader.vc_names);
    spot_key_table_free(&reader.ids);
    return spot_table_file_close(&reader.file, ret);
}

/* ---- Workloads for a log that has none ---- */

#define LEAST_WEIGHT 1e-6
#define MOST_WEIGHT 1e6

static const int32_t class_sizes[SPOT_NUM_WORKLOAD_CLASSES] = {1, 2, 4, 8, SPOT_JOB_MAX_GPUS};
static const char *const class_names[SPOT_NUM_WORKLOAD_CLASSES] = {
    "1 GPU", "2 GPUs", "3 to 4 GPUs", "5 to 8 GPUs", "more than 8 GPUs"};

static size_t class_of(int32_t gpu_num)
{
    size_t class_id = 0;

    while (gpu_num > class_sizes[class_id]) {
        class_id++;
    }
    return class_id;
}

/* A row of the table. */
typedef struct {
    spot_job_cells_t cells;
    double weight; /* 1 if empty */
} workload_row_t;

enum {
    WORKLOAD_MODEL,
    WORKLOAD_GPU_NUM = COLUMN_SHARE_SCORE - COLUMN_MODEL + 1,
    WORKLOAD_WEIGHT,
    NUM_WORKLOAD_COLUMNS
};

/* The columns of workloads in a log, gpu_num (0: for all classes) and weight. */
static void make_columns(spot_row_member_t columns[NUM_WORKLOAD_COLUMNS])
{
    memcpy(columns, &spot_job_columns[COLUMN_MODEL], WORKLOAD_GPU_NUM * sizeof(*columns));
    columns[WORKLOAD_MODEL].is_optional = false;
    columns[WORKLOAD_GPU_NUM] = spot_job_columns[COLUMN_GPU_NUM];
    columns[WORKLOAD_GPU_NUM].is_own = false;
    columns[WORKLOAD_WEIGHT] = (spot_row_member_t) SPOT_MEMBER_WITH(
        NUMBER, "weight", workload_row_t, weight, .min = LEAST_WEIGHT, .max = MOST_WEIGHT);
    for (size_t j = WORKLOAD_GPU_NUM; j < NUM_WORKLOAD_COLUMNS; j++) {
        columns[j].is_optional = columns[j].may_be_empty = true;
    }
}

static int take_row(
    spot_workload_table_t *self, spot_job_log_t *log, spot_table_file_t *file, workload_row_t *row)
{
    const int32_t gpu_num = row->cells.job.gpu_num;
    spot_job_row_t job = no_cells.job;
    int ret;

    if (row->cells.workload.model[0] == '\0') {
        spot_table_file_report_field(
            file, &file->row, WORKLOAD_MODEL, "expected the name of a model");
        return 0;
    }
    ret = job_cells_store(&row->cells, file, log, &job);
    for (size_t j = 0; j < SPOT_NUM_WORKLOAD_CLASSES && ret == 0; j++) {
        struct spot_workload_class *class = &self->classes[j];

        if (gpu_num == 0 || class_of(gpu_num) == j) {
            ret = spot_parts_add(&class->parts, row->weight);
            ret = ret != 0 ? ret : SPOT_ARRAY_APPEND(class, ids, job.workload_id);
        }
    }
    return ret;
}

int spot_workload_table_read(
    spot_workload_table_t *self, spot_job_log_t *log, const char *path, spot_diag_t *diag)
{
    spot_row_member_t columns[NUM_WORKLOAD_COLUMNS];
    const workload_row_t initial = {.cells = no_cells, .weight = 1};
    const spot_table_file_format_t format = {
        SPOT_TABLE_DATA(columns), .row_bytes = sizeof(initial), .initial = &initial};
    spot_table_file_t file = {.format = &format, .path = path, .diag = diag};
    int ret;

    memset(self, 0, sizeof(*self));
    make_columns(columns);
    ret = spot_table_file_open(&file);
    while (ret == 0 && (ret = spot_table_file_next(&file)) == 1) {
        workload_row_t row;

        ret = spot_table_file_take(&file, &row) ? take_row(self, log, &file, &row) : 0;
    }
    return spot_table_file_close(&file, ret);
}

void spot_workload_table_free(spot_workload_table_t *self)
{
    for (size_t j = 0; j < SPOT_NUM_WORKLOAD_CLASSES; j++) {
        free(self->classes[j].parts.until);
        free(self->classes[j].ids);
    }
    memset(self, 0, sizeof(*self));
}

const char *spot_workload_table_lacks(const spot_workload_table_t *self, int32_t gpu_num)
{
    const size_t class_id = class_of(gpu_num);

    return self->classes[class_id].num_ids > 0 ? NULL : class_names[class_id];
}

int32_t spot_workload_table_draw(
    const spot_workload_table_t *self, int32_t gpu_num, spot_rng_t *rng)
{
    const struct spot_workload_class *of = &self->classes[class_of(gpu_num)];

    return of->ids[spot_parts_draw(&of->parts, rng)];
}

int spot_job_assign(spot_job_log_t *log, const char *path, uint64_t seed, spot_diag_t *diag)
{
    bool is_reported[SPOT_NUM_WORKLOAD_CLASSES] = {false};
    spot_workload_table_t table;
    int error, ret = 0;

    log->num_workloads = 0;
    spot_key_table_free(&log->workload_table);
    error = spot_workload_table_read(&table, log, path, diag);
    for (size_t j = 0; j < log->num_jobs; j++) {
        spot_job_row_t *job = &log->jobs[j];
        const char *lacking = spot_workload_table_lacks(&table, job->gpu_num);
        bool *was_reported = &is_reported[class_of(job->gpu_num)];
        spot_rng_t rng;

        job->workload_id = -1;
        if (error == 0 && lacking == NULL) {
            spot_rng_seek(&rng, seed, 0, SPOT_STREAM_JOB_WORKLOAD, j);
            job->workload_id = spot_workload_table_draw(&table, job->gpu_num, &rng);
        } else if (error == 0 && !*was_reported) {
            *was_reported = true;
            ret = spot_diag_error(
                diag, path, 0, 0, "no row is for jobs of %s, such as job %s", lacking, job->id);
        }
    }
    spot_workload_table_free(&table);
    return spot_error_first(error, ret);
}
