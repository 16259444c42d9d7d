/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/instance_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "models/table_file.h"

/* Kinds of columns: those of spot_by_n_t, then these. */
enum { COLUMN_INSTANCES = SPOT_NUM_BY_N, COLUMN_SAMPLES, COLUMN_STEP, NUM_COLUMNS };

static const char *const column_names[NUM_COLUMNS] = {"restart_total_ms",
    "checkpoint_ms", "pause_ms", "local_pause_ms", "global_pause_ms", "idle_instances",
    "n", "samples_per_s", "step_ms"};

typedef struct {
    spot_table_file_t file;
    spot_instance_table_t *table;
    size_t num_columns;
    size_t kinds[NUM_COLUMNS]; /* [num_columns] */
} table_file_t;

/* ---- Columns ---- */

static size_t
find_kind(const char *name)
{
    size_t kind = 0;

    while (kind < NUM_COLUMNS && strcmp(column_names[kind], name) != 0) {
        kind++;
    }
    return kind;
}

/* Reads the row of columns; after an error in it no row can be checked. */
static void
read_columns(void *table, const spot_csv_row_t *row)
{
    table_file_t *self = table;
    char text[SPOT_CSV_SHOWN_BYTES];
    bool is_there[NUM_COLUMNS + 1] = {false};

    for (size_t id = 0; id < row->num_fields; id++) {
        const size_t kind = find_kind(row->fields[id]);

        if (kind == NUM_COLUMNS || is_there[kind]) {
            spot_diag_error(self->file.diag, self->file.path, row->line,
                row->columns[id], "%s column '%s'",
                kind == NUM_COLUMNS ? "unknown" : "repeated",
                spot_csv_shown(row->fields[id], text));
            self->file.is_faulty = self->file.is_over = true;
            return;
        }
        is_there[kind] = true;
        self->kinds[id] = kind;
    }
    if (!is_there[COLUMN_INSTANCES] || !is_there[COLUMN_STEP]) {
        spot_table_file_report(&self->file, row->line,
            "expected the columns n and step_ms, and any of samples_per_s, "
            "restart_total_ms, checkpoint_ms, pause_ms, local_pause_ms, global_pause_ms "
            "and idle_instances");
        self->file.is_over = true;
        return;
    }
    self->num_columns = row->num_fields;
    self->table->has_samples_per_s = is_there[COLUMN_SAMPLES];
    memcpy(self->table->has, is_there, sizeof(self->table->has));
}

/* ---- Rows ---- */

static void
report_field(
    table_file_t *self, const spot_csv_row_t *row, size_t id, const char *problem)
{
    spot_table_file_report_field(
        &self->file, row, id, column_names[self->kinds[id]], problem);
}

static int64_t
read_integer(
    table_file_t *self, const spot_csv_row_t *row, size_t id, int64_t min, int64_t max)
{
    int64_t value = 0;
    char problem[96];

    if (spot_integer_parse(row->fields[id], &value) != 0 || value < min || value > max) {
        snprintf(problem, sizeof(problem),
            "expected an integer from %" PRId64 " to %" PRId64, min, max);
        report_field(self, row, id, problem);
    }
    return value;
}

static void
read_step(
    table_file_t *self, const spot_csv_row_t *row, size_t id, spot_instance_row_t *of_n)
{
    double step_ms = 0;

    if (row->fields[id][0] == '\0') {
        return;
    }
    if (spot_number_parse(row->fields[id], &step_ms) != 0 || step_ms < 1 ||
        step_ms > (double) SPOT_MAX_DURATION_MS) {
        report_field(self, row, id,
            "expected milliseconds from 1 to 100 years, or nothing where n is "
            "infeasible");
        return;
    }
    of_n->step_ms = llrint(step_ms);
}

static void
read_samples(
    table_file_t *self, const spot_csv_row_t *row, size_t id, spot_instance_row_t *of_n)
{
    if (row->fields[id][0] != '\0' &&
        (spot_number_parse(row->fields[id], &of_n->samples_per_s) != 0 ||
            of_n->samples_per_s < 0)) {
        report_field(self, row, id, "expected samples per second from 0");
    }
}

static void
read_field(
    table_file_t *self, const spot_csv_row_t *row, size_t id, spot_instance_row_t *of_n)
{
    const size_t kind = self->kinds[id];

    switch (kind) {
        case COLUMN_INSTANCES:
            of_n->num_instances =
                (int32_t) read_integer(self, row, id, 1, SPOT_MAX_INSTANCES);
            break;
        case COLUMN_SAMPLES:
            read_samples(self, row, id, of_n);
            break;
        case COLUMN_STEP:
            read_step(self, row, id, of_n);
            break;
        case SPOT_BY_N_IDLE_INSTANCES:
            of_n->values[kind] = read_integer(self, row, id, 0, SPOT_MAX_INSTANCES);
            break;
        default:
            of_n->values[kind] = read_integer(self, row, id, 0, SPOT_MAX_DURATION_MS);
            break;
    }
}

/* Reports fields of one row that contradict each other. */
static void
check_row(table_file_t *self, spot_instance_row_t *row)
{
    const spot_instance_table_t *table = self->table;

    if (table->has_samples_per_s && (row->samples_per_s > 0) != (row->step_ms > 0)) {
        if (row->samples_per_s > 0) {
            spot_table_file_report(
                &self->file, row->line, "samples_per_s without a step_ms");
        }
        row->step_ms = 0;
    }
    if (row->values[SPOT_BY_N_IDLE_INSTANCES] >= row->num_instances) {
        spot_table_file_report(&self->file, row->line, "idle_instances: all of n");
    }
    if (table->has[SPOT_BY_N_RESTART_TOTAL_MS] &&
        row->values[SPOT_BY_N_RESTART_TOTAL_MS] < row->values[SPOT_BY_N_CHECKPOINT_MS]) {
        spot_table_file_report(&self->file, row->line,
            "restart_total_ms holds one checkpoint, it cannot be below checkpoint_ms");
    }
}

static int
read_row(void *context, const spot_csv_row_t *row)
{
    table_file_t *self = context;
    const size_t num_errors = self->file.diag->num_errors;
    spot_instance_table_t *table = self->table;
    spot_instance_row_t of_n = {.line = row->line};

    if (!spot_table_file_check_width(&self->file, row, self->num_columns)) {
        return 0;
    }
    for (size_t id = 0; id < row->num_fields; id++) {
        read_field(self, row, id, &of_n);
    }
    if (self->file.diag->num_errors == num_errors) {
        check_row(self, &of_n);
    }
    return SPOT_ARRAY_APPEND(table, rows, of_n);
}

/* ---- The whole ---- */

static void
read_remark(void *context, const spot_csv_row_t *row)
{
    table_file_t *self = context;

    spot_table_file_read_remark(
        &self->file, row, "samples_per_step", &self->table->samples_per_step);
}

static int
compare_rows(const void *a, const void *b)
{
    const spot_instance_row_t *left = a, *right = b;
    const int by_n = (left->num_instances > right->num_instances) -
                     (left->num_instances < right->num_instances);

    return by_n != 0 ? by_n : (left->line > right->line) - (left->line < right->line);
}

/* Checks that there is one row for each n of the domain: values are not interpolated. */
static void
check_domain(table_file_t *self)
{
    const spot_instance_table_t *table = self->table;

    for (size_t j = 1; j < table->num_rows; j++) {
        const spot_instance_row_t *row = &table->rows[j], *before = row - 1;

        if (row->num_instances == before->num_instances) {
            spot_diag_error(self->file.diag, self->file.path, row->line, 1,
                "n: %" PRId32 " is in line %zu already", row->num_instances,
                before->line);
            self->file.is_faulty = true;
        } else if (row->num_instances > before->num_instances + 1) {
            spot_diag_error(self->file.diag, self->file.path, row->line, 1,
                "n: there is no row for %" PRId32
                ": leave its step_ms empty where it is infeasible",
                before->num_instances + 1);
            self->file.is_faulty = true;
        }
    }
}

static int
seal(void *context, size_t end_line)
{
    table_file_t *self = context;
    spot_instance_table_t *table = self->table;

    if (table->num_rows == 0 && !self->file.is_faulty) {
        spot_table_file_report(&self->file, end_line, "no row");
    }
    if (!self->file.is_faulty) {
        qsort(table->rows, table->num_rows, sizeof(*table->rows), compare_rows);
        check_domain(self);
    }
    return self->file.is_faulty ? SPOT_ERR_BAD_INPUT : 0;
}

int
spot_instance_table_read(
    spot_instance_table_t *self, const char *path, spot_diag_t *diag)
{
    static const spot_table_reader_t reader = {.needs_columns = true,
        .read_remark = read_remark,
        .read_columns = read_columns,
        .read_row = read_row,
        .seal = seal};
    table_file_t table = {.file = {.path = path, .diag = diag}, .table = self};

    memset(self, 0, sizeof(*self));
    return spot_table_file_read(&table.file, &reader, &table);
}

void
spot_instance_table_free(spot_instance_table_t *self)
{
    free(self->rows);
    memset(self, 0, sizeof(*self));
}

/* ---- Looking up ---- */

int64_t
spot_instance_table_smallest(const spot_instance_table_t *self)
{
    return self->rows[0].num_instances;
}

int64_t
spot_instance_table_largest(const spot_instance_table_t *self)
{
    return self->rows[self->num_rows - 1].num_instances;
}

const spot_instance_row_t *
spot_instance_table_find(const spot_instance_table_t *self, int64_t num_instances)
{
    const int64_t smallest = spot_instance_table_smallest(self);

    return num_instances < smallest || num_instances > spot_instance_table_largest(self)
               ? NULL
               : &self->rows[num_instances - smallest];
}

const spot_instance_row_t *
spot_instance_table_nearest(const spot_instance_table_t *self, int64_t num_instances)
{
    const spot_instance_row_t *row = spot_instance_table_find(self, num_instances);

    if (row != NULL) {
        return row;
    }
    return num_instances < spot_instance_table_smallest(self)
               ? &self->rows[0]
               : &self->rows[self->num_rows - 1];
}

/* The throughput given, which is less rounded than the step time; else 1 / step time. */
static double
speed_of(const spot_instance_table_t *self, const spot_instance_row_t *row)
{
    return self->has_samples_per_s ? row->samples_per_s : 1 / (double) row->step_ms;
}

const spot_instance_row_t *
spot_instance_table_best(const spot_instance_table_t *self, int64_t num_instances)
{
    const spot_instance_row_t *best = NULL;

    for (size_t j = 0; j < self->num_rows; j++) {
        const spot_instance_row_t *row = &self->rows[j];

        if (row->num_instances <= num_instances && row->step_ms > 0 &&
            (best == NULL || speed_of(self, row) > speed_of(self, best))) {
            best = row;
        }
    }
    return best;
}
