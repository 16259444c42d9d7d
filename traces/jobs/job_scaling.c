/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scaling tables of elastic jobs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "traces/jobs/job_columns.h"

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
    static const spot_table_file_column_t columns[] = {{.name = "size"}, {.name = "throughput"}};
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
    int ret = spot_text_set_add(&log->scaling_names, &log->texts, field, scaling_id);

    if (ret != 0 || (size_t) *scaling_id < log->num_scalings) {
        return ret;
    }
    problem = read_sizes(&scaling, file, field, &ret);
    if (problem != NULL) {
        spot_table_file_report_field(file, &file->row, SPOT_JOB_COLUMN_SCALING, problem);
        ret = ret == SPOT_ERR_NO_MEMORY ? ret : SPOT_ERR_BAD_INPUT;
    }
    if (ret == SPOT_ERR_BAD_INPUT) {
        file->is_faulty = true;
        scaling.num_sizes = 0;
        ret = 0;
    }
    scaling.name = log->scaling_names.texts[*scaling_id];
    ret = ret != 0 ? ret : SPOT_ARRAY_APPEND(log, scalings, scaling);
    if (ret != 0) {
        free(scaling.sizes);
        free(scaling.per_s);
    }
    return ret;
}
