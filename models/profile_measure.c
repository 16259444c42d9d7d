/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a profile from a folder of measured times. A table for each file describes its
 * columns; the values of the measured column are kept and summarised. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/stats.h"
#include "base/table_file.h"
#include "base/units.h"
#include "models/profile.h"

/* The value of one row. */
typedef struct {
    int64_t world_size; /* 0 in a file without that column */
    double time_s;
    double unused;
    size_t line;
} value_t;

typedef struct {
    const char *file_name;
    size_t num_columns;
    spot_table_file_column_t columns[SPOT_TABLE_FILE_MAX_COLUMNS];
} table_t;

#define WORLD_SIZE                                                                                 \
    {                                                                                              \
        "ws", SPOT_CELL_INTEGER, offsetof(value_t, world_size), 1, SPOT_MAX_INSTANCES,             \
            .expected = "a world size"                                                             \
    }
#define NUMBER(name)                                                                               \
    {                                                                                              \
        name, SPOT_CELL_NUMBER, offsetof(value_t, unused), -HUGE_VAL, HUGE_VAL,                    \
            .expected = "expected a number"                                                        \
    }
#define SECONDS(name, member)                                                                      \
    {                                                                                              \
        name, SPOT_CELL_SECONDS, offsetof(value_t, member), .expected = "expected seconds above 0" \
    }

static const table_t reconfiguration_table = {
    "reconfig.csv", 4, {WORLD_SIZE, NUMBER("start"), NUMBER("end"), SECONDS("elapsed", time_s)}};

static const table_t step_table = {"loop_times_0.csv", 7,
    {WORLD_SIZE, NUMBER("step"), NUMBER("loop start"), NUMBER("loop end"),
        SECONDS("train time", time_s), {"start chkpt thread", .kind = SPOT_CELL_IGNORED},
        SECONDS("total loop time", unused)}};

static const table_t checkpoint_table = {"async-checkpoint_0.csv", 1, {SECONDS("elapsed", time_s)}};

static const table_t reload_table = {
    "load_times_0.csv", 3, {WORLD_SIZE, NUMBER("step"), SECONDS("elapsed", time_s)}};

typedef struct {
    const table_t *table;
    char *path; /* owned */
    spot_diag_t *diag;
    size_t num_values;
    size_t max_values;
    value_t *values; /* [num_values] */
} measured_file_t;

/* Keeps the value of a row, or reports all its errors. */
static int read_row(measured_file_t *self, const spot_csv_row_t *row)
{
    const size_t num_errors = self->diag->num_errors;
    value_t value = {.line = row->line};
    char text[SPOT_TABLE_FILE_PROBLEM_BYTES];

    if (row->num_fields != self->table->num_columns) {
        spot_diag_error(self->diag, self->path, row->line, row->columns[0],
            "expected %zu column%s, got %zu", self->table->num_columns,
            self->table->num_columns == 1 ? "" : "s", row->num_fields);
        return 0;
    }
    for (size_t j = 0; j < row->num_fields; j++) {
        const spot_table_file_column_t *column = &self->table->columns[j];
        const char *problem = spot_table_file_column_read(column, row->fields[j], &value, text);

        if (problem != NULL) {
            spot_csv_field_error(row, j, self->path, column->name, problem, self->diag);
        }
    }
    if (self->diag->num_errors > num_errors) {
        return 0;
    }
    return SPOT_ARRAY_APPEND(self, values, value);
}

static bool is_header(const table_t *table, const spot_csv_row_t *row)
{
    bool is_equal = row->num_fields == table->num_columns;

    for (size_t j = 0; is_equal && j < row->num_fields; j++) {
        is_equal = strcmp(row->fields[j], table->columns[j].name) == 0;
    }
    return is_equal;
}

/* Reads all rows; the first one may name the columns. */
static int read_rows(measured_file_t *self, spot_csv_t *csv)
{
    spot_csv_row_t row;
    bool is_first = true;
    int ret = 0;

    while (ret == 0) {
        const int status = spot_csv_next(csv, &row);

        if (status == 0) {
            break;
        }
        if (status == SPOT_ERR_BAD_INPUT || (status > 0 && row.num_fields == 0)) {
            continue;
        }
        if (status < 0) {
            ret = status;
        } else if (!is_first || !is_header(self->table, &row)) {
            ret = read_row(self, &row);
        }
        is_first = false;
    }
    return ret;
}

static void free_file(measured_file_t *self)
{
    free(self->path);
    free(self->values);
}

static char *join_path(const char *folder, const char *file_name)
{
    const size_t length = strlen(folder);
    const char *slash = length > 0 && folder[length - 1] == '/' ? "" : "/";
    const size_t num_bytes = length + strlen(slash) + strlen(file_name) + 1;
    char *path = malloc(num_bytes);

    if (path != NULL) {
        snprintf(path, num_bytes, "%s%s%s", folder, slash, file_name);
    }
    return path;
}

/* Reads a file of the folder and reports its errors to diag. IO, NO_MEMORY; free self
 * even then. */
static int read_file(
    measured_file_t *self, const table_t *table, const char *folder, spot_diag_t *diag)
{
    const size_t num_errors = diag->num_errors;
    spot_csv_t *csv = NULL;
    int ret;

    *self = (measured_file_t){.table = table, .diag = diag};
    self->path = join_path(folder, table->file_name);
    if (self->path == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    ret = spot_csv_open(&csv, self->path, diag);
    if (ret == 0) {
        ret = read_rows(self, csv);
        spot_csv_close(csv);
    }
    if (ret == 0 && self->num_values == 0 && diag->num_errors == num_errors) {
        spot_diag_error(diag, self->path, 0, 0, "no measurements");
    }
    return ret;
}

static spot_measured_t summarise(const value_t *values, size_t num_values)
{
    spot_moments_t moments = {0};
    spot_sum_t sum = {0};

    for (size_t j = 0; j < num_values; j++) {
        spot_sum_add(&sum, values[j].time_s);
        spot_moments_add(&moments, values[j].time_s);
    }
    return (spot_measured_t){.mean_s = spot_sum_total(&sum) / (double) num_values,
        .std_s = spot_moments_std(&moments),
        .count = (int64_t) num_values};
}

/* Summarises the measured column over all rows. */
static int measure_all(
    spot_measured_t *self, const table_t *table, const char *folder, spot_diag_t *diag)
{
    measured_file_t file;
    const int ret = read_file(&file, table, folder, diag);

    if (ret == 0 && file.num_values > 0) {
        *self = summarise(file.values, file.num_values);
    }
    free_file(&file);
    return ret;
}

/* Orders by world size, then by line. */
static int compare_values(const void *left, const void *right)
{
    const value_t *a = left, *b = right;

    if (a->world_size != b->world_size) {
        return a->world_size < b->world_size ? -1 : 1;
    }
    return (a->line > b->line) - (a->line < b->line);
}

/* Appends the values of one world size as a step of the profile. */
static int append_step(
    spot_profile_t *self, const measured_file_t *file, const value_t *values, size_t num_values)
{
    const spot_measured_step_t step = {
        .world_size = values[0].world_size, .time = summarise(values, num_values)};
    const int ret = spot_array_reserve(
        &self->step_time, &self->max_steps, self->num_steps + 1, sizeof(*self->step_time));
    int64_t step_ms = 0;

    if (ret != 0) {
        return ret;
    }
    self->step_time[self->num_steps++] = step;
    if (spot_duration_from_s(step.time.mean_s, &step_ms) != 0 || step_ms < 1) {
        spot_diag_error(file->diag, file->path, 0, 0,
            "train time: the mean of world size %" PRId64 " rounds to less than 1 ms",
            step.world_size);
    }
    return 0;
}

/* Summarises the measured column by world size. */
static int measure_steps(spot_profile_t *self, const char *folder, spot_diag_t *diag)
{
    measured_file_t file;
    size_t start = 0;
    int ret = read_file(&file, &step_table, folder, diag);

    if (file.num_values > 0) {
        qsort(file.values, file.num_values, sizeof(*file.values), compare_values);
    }
    while (ret == 0 && start < file.num_values) {
        size_t end = start + 1;

        while (
            end < file.num_values && file.values[end].world_size == file.values[start].world_size) {
            end++;
        }
        ret = append_step(self, &file, file.values + start, end - start);
        start = end;
    }
    free_file(&file);
    return ret;
}

int spot_profile_measure(spot_profile_t *self, const char *folder, spot_diag_t *diag)
{
    const size_t num_errors = diag->num_errors;
    int ret[4];

    memset(self, 0, sizeof(*self));
    self->source = spot_text_copy(folder, strlen(folder));
    if (self->source == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    ret[0] = measure_all(&self->reconfiguration, &reconfiguration_table, folder, diag);
    ret[1] = measure_steps(self, folder, diag);
    ret[2] = measure_all(&self->checkpoint_write, &checkpoint_table, folder, diag);
    ret[3] = measure_all(&self->reload, &reload_table, folder, diag);
    for (size_t j = 0; j < 4; j++) {
        if (ret[j] != 0) {
            return ret[j];
        }
    }
    return diag->num_errors > num_errors ? SPOT_ERR_BAD_INPUT : 0;
}
