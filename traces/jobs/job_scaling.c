/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scaling tables of elastic jobs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/texts.h"
#include "base/units.h"
#include "traces/jobs/job_columns.h"

/* A table that grows. */
typedef struct {
    size_t num_rows;
    size_t max_rows;
    struct size_row {
        int32_t num_gpus;
        double per_s;
    } * rows;
} sizes_t;

/* Sets *problem if a size or its throughput is wrong. */
static int
add_size(sizes_t *self, const char *size, const char *throughput, const char **problem)
{
    int64_t num_gpus = 0;
    double per_s = 0;

    if (spot_integer_parse(size, &num_gpus) != 0 || num_gpus < 1 ||
        num_gpus > SPOT_JOB_MAX_GPUS) {
        *problem = "expected a size from 1 to 1000000 GPUs";
    } else if (self->num_rows > 0 &&
               num_gpus <= self->rows[self->num_rows - 1].num_gpus) {
        *problem = "expected increasing sizes";
    } else if (spot_number_parse(throughput, &per_s) != 0 || per_s <= 0) {
        *problem = "expected a throughput above 0";
    }
    return *problem != NULL ? 0
                            : SPOT_ARRAY_APPEND(self, rows,
                                  (struct size_row){(int32_t) num_gpus, per_s});
}

/* Reads "4:1.0 8:1.8", with blanks or semicolons between. */
static int
read_inline(sizes_t *self, const char *field, const char **problem)
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
static int
read_file(sizes_t *self, const char *path, spot_diag_t *diag)
{
    enum { COLUMN_SIZE, COLUMN_THROUGHPUT };
    static const spot_table_file_column_t columns[] = {
        {.name = "size"}, {.name = "throughput"}};
    static const spot_table_file_format_t format = {SPOT_JOB_FILE(columns)};
    spot_table_file_t file = {.format = &format, .path = path, .diag = diag};
    int ret = spot_table_file_open(&file);

    while (ret == 0 && (ret = spot_table_file_next(&file)) == 1) {
        const char *problem = NULL;

        ret = add_size(self, spot_table_file_field(&file, COLUMN_SIZE),
            spot_table_file_field(&file, COLUMN_THROUGHPUT), &problem);
        if (problem != NULL) {
            spot_table_file_report_at(&file,
                strstr(problem, "size") != NULL ? COLUMN_SIZE : COLUMN_THROUGHPUT, "%s",
                problem);
        }
    }
    if (ret == 0 && self->num_rows == 0 && !file.is_faulty) {
        spot_table_file_report_at(&file, COLUMN_SIZE, "expected at least one size");
    }
    return spot_table_file_close(&file, ret);
}

/* "4:1.0" or the like, and no path. */
static bool
is_inline(const char *field)
{
    const size_t num_digits = strspn(field, "-+.0123456789");

    return num_digits > 0 && (field[num_digits] == ':' || field[num_digits] == '\0' ||
                                 field[num_digits] == ' ' || field[num_digits] == ';');
}

/* Returns the problem of the field, or NULL; *ret: the error. */
static const char *
read_sizes(sizes_t *self, const spot_table_file_t *file, const char *field, int *ret)
{
    const char *slash = strrchr(file->path, '/'), *problem = NULL, *path;
    spot_texts_t texts = {0};

    if (is_inline(field)) {
        *ret = read_inline(self, field, &problem);
        return problem;
    }
    path = field[0] == '/' || slash == NULL
               ? field
               : spot_texts_add(
                     &texts, "%.*s/%s", (int) (slash - file->path), file->path, field);
    *ret = texts.error != 0 ? texts.error : read_file(self, path, file->diag);
    spot_texts_free(&texts);
    return *ret == SPOT_ERR_IO ? "expected sizes such as 4:1.0 8:1.8, or a CSV file"
                               : NULL;
}

/* Appends a table, which has no sizes if it is faulty. */
static int
append(spot_job_log_t *log, const char *name, const sizes_t *from)
{
    int32_t *sizes;
    double *per_s;

    SPOT_ARENA_ARRAY(&log->texts, sizes, from->num_rows);
    SPOT_ARENA_ARRAY(&log->texts, per_s, from->num_rows);
    if (log->texts.error != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < from->num_rows; j++) {
        sizes[j] = from->rows[j].num_gpus;
        per_s[j] = from->rows[j].per_s;
    }
    return SPOT_ARRAY_APPEND(
        log, scalings, (spot_job_scaling_t){name, from->num_rows, sizes, per_s});
}

int
spot_job_scaling_add(
    spot_job_log_t *log, spot_table_file_t *file, const char *field, int32_t *scaling_id)
{
    sizes_t sizes = {0};
    const char *problem;
    int ret = spot_job_log_add_text(log, &log->scaling_names, field, scaling_id);

    if (ret != 0 || (size_t) *scaling_id < log->num_scalings) {
        return ret;
    }
    problem = read_sizes(&sizes, file, field, &ret);
    if (problem != NULL) {
        spot_table_file_report_field(file, &file->row, SPOT_JOB_COLUMN_SCALING, problem);
        ret = ret == SPOT_ERR_NO_MEMORY ? ret : SPOT_ERR_BAD_INPUT;
    }
    if (ret == SPOT_ERR_BAD_INPUT) {
        file->is_faulty = true;
        sizes.num_rows = 0;
        ret = 0;
    }
    if (ret == 0) {
        ret = append(log, log->scaling_names.texts[*scaling_id], &sizes);
    }
    free(sizes.rows);
    return ret;
}
