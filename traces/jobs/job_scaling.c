/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scaling tables of elastic jobs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/texts.h"
#include "base/units.h"
#include "traces/jobs/job_cells.h"
#include "traces/jobs/job_log_build.h"

enum { COLUMN_SIZE, COLUMN_THROUGHPUT, NUM_COLUMNS };

static const spot_job_column_t columns[NUM_COLUMNS] = {
    {"size", NULL, true},
    {"throughput", NULL, true},
};

/* A table that grows. */
typedef struct {
    size_t num_sizes;
    size_t max_sizes;
    int32_t *sizes;
    size_t num_speeds;
    size_t max_speeds;
    double *speeds;
} sizes_t;

/* Sets *problem if a size or its throughput is wrong. */
static int
add_size(sizes_t *self, const char *size, const char *throughput, const char **problem)
{
    int64_t num_gpus = 0;
    double per_s = 0;
    int ret;

    if (spot_integer_parse(size, &num_gpus) != 0 || num_gpus < 1 ||
        num_gpus > SPOT_JOB_MAX_GPUS) {
        *problem = "a size from 1 to 1000000 GPUs";
    } else if (self->num_sizes > 0 && num_gpus <= self->sizes[self->num_sizes - 1]) {
        *problem = "increasing sizes";
    } else if (spot_number_parse(throughput, &per_s) != 0 || per_s <= 0) {
        *problem = "a throughput above 0";
    }
    if (*problem != NULL) {
        return 0;
    }
    ret = SPOT_ARRAY_APPEND(self, sizes, (int32_t) num_gpus);
    return ret != 0 ? ret : SPOT_ARRAY_APPEND(self, speeds, per_s);
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
            *problem = "SIZE:THROUGHPUT, such as 4:1.0 8:1.8";
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
    spot_job_table_t table;
    int ret =
        spot_job_table_open(&table, path, NULL, 0, columns, NUM_COLUMNS, false, diag);

    while (ret == 0 && (ret = spot_job_table_next(&table)) == 1) {
        const char *problem = NULL;

        ret = add_size(self, table.row.fields[table.field_of[COLUMN_SIZE]],
            table.row.fields[table.field_of[COLUMN_THROUGHPUT]], &problem);
        if (problem != NULL) {
            spot_job_table_report(&table,
                strstr(problem, "size") != NULL ? COLUMN_SIZE : COLUMN_THROUGHPUT,
                "expected %s", problem);
        }
    }
    if (ret == 0 && self->num_sizes == 0 && !table.is_faulty) {
        spot_job_table_report(&table, COLUMN_SIZE, "expected at least one size");
    }
    return spot_job_table_close(&table, ret);
}

/* "4:1.0" or the like, and no path. */
static bool
is_inline(const char *field)
{
    const size_t num_digits = strspn(field, "-+.0123456789");

    return num_digits > 0 && (field[num_digits] == ':' || field[num_digits] == '\0' ||
                                 field[num_digits] == ' ' || field[num_digits] == ';');
}

static int
read_sizes(sizes_t *self, spot_job_table_t *table, const char *field)
{
    const char *slash = strrchr(table->file, '/'), *problem = NULL;
    spot_texts_t texts = {0};
    int ret;

    if (!is_inline(field)) {
        const char *path = field[0] == '/' || slash == NULL
                               ? field
                               : spot_texts_add(&texts, "%.*s/%s",
                                     (int) (slash - table->file), table->file, field);

        ret = texts.error != 0 ? texts.error : read_file(self, path, table->diag);
        spot_texts_free(&texts);
        if (ret == SPOT_ERR_IO) {
            spot_job_table_expected(table, SPOT_JOB_COLUMN_SCALING,
                "sizes such as 4:1.0 8:1.8, or a CSV file");
            ret = SPOT_ERR_BAD_INPUT;
        }
        table->is_faulty |= ret == SPOT_ERR_BAD_INPUT;
        return ret;
    }
    ret = read_inline(self, field, &problem);
    if (problem != NULL) {
        spot_job_table_expected(table, SPOT_JOB_COLUMN_SCALING, problem);
        return SPOT_ERR_BAD_INPUT;
    }
    return ret;
}

/* Appends a table, which has no sizes if it is faulty. */
static int
append(spot_job_log_t *log, const char *name, const sizes_t *sizes)
{
    spot_job_scaling_t scaling = {.name = name, .num_sizes = sizes->num_sizes};
    int32_t *copied_sizes =
        spot_arena_take(&log->texts, sizes->num_sizes, sizeof(*copied_sizes));
    double *copied_speeds =
        spot_arena_take(&log->texts, sizes->num_sizes, sizeof(*copied_speeds));

    if (copied_sizes == NULL || copied_speeds == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < sizes->num_sizes; j++) {
        copied_sizes[j] = sizes->sizes[j];
        copied_speeds[j] = sizes->speeds[j];
    }
    scaling.sizes = copied_sizes;
    scaling.per_s = copied_speeds;
    return SPOT_ARRAY_APPEND(log, scalings, scaling);
}

int
spot_job_scaling_add(
    spot_job_log_t *log, spot_job_table_t *table, const char *field, int32_t *scaling_id)
{
    sizes_t sizes = {0};
    int ret = spot_job_log_add_text(log, &log->scaling_names, field, scaling_id);

    if (ret != 0 || (size_t) *scaling_id < log->num_scalings) {
        return ret;
    }
    ret = read_sizes(&sizes, table, field);
    if (ret == SPOT_ERR_BAD_INPUT) {
        sizes.num_sizes = 0;
        ret = 0;
    }
    if (ret == 0) {
        ret = append(log, log->scaling_names.texts[*scaling_id], &sizes);
    }
    free(sizes.sizes);
    free(sizes.speeds);
    return ret;
}
