/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/instance_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/memory.h"
#include "base/units.h"
#include "models/table_remark.h"

/* The kinds of columns: those by n as they are, then these. */
enum { COLUMN_INSTANCES = SPOT_NUM_BY_N, COLUMN_SAMPLES, COLUMN_STEP, NUM_COLUMNS };

static const char *const column_names[NUM_COLUMNS] = {"restart_total_ms",
    "checkpoint_ms", "pause_ms", "local_pause_ms", "global_pause_ms", "idle_instances",
    "n", "samples_per_s", "step_ms"};

typedef struct {
    const char *path;
    spot_diag_t *diag;
    spot_instance_table_t *table;
    size_t num_columns;        /* 0: they are still to come */
    size_t kinds[NUM_COLUMNS]; /* [num_columns] */
    bool is_faulty;
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

static void
read_columns(table_file_t *self, const spot_csv_row_t *row)
{
    char text[SPOT_CSV_SHOWN_BYTES];
    bool is_there[NUM_COLUMNS + 1] = {false};

    for (size_t id = 0; id < row->num_fields; id++) {
        const size_t kind = find_kind(row->fields[id]);

        if (kind == NUM_COLUMNS || is_there[kind]) {
            spot_diag_error(self->diag, self->path, row->line, row->columns[id],
                "%s column '%s'", kind == NUM_COLUMNS ? "unknown" : "repeated",
                spot_csv_shown(row->fields[id], text));
            self->is_faulty = true;
            return;
        }
        is_there[kind] = true;
        self->kinds[id] = kind;
    }
    if (!is_there[COLUMN_INSTANCES] || !is_there[COLUMN_STEP]) {
        spot_diag_error(self->diag, self->path, row->line, 1,
            "expected the columns n and step_ms, and any of samples_per_s, "
            "restart_total_ms, checkpoint_ms, pause_ms, local_pause_ms, "
            "global_pause_ms and idle_instances");
        self->is_faulty = true;
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
    char text[SPOT_CSV_SHOWN_BYTES];

    spot_diag_error(self->diag, self->path, row->line, row->columns[id],
        "%s: %s, got '%s'", column_names[self->kinds[id]], problem,
        spot_csv_shown(row->fields[id], text));
    self->is_faulty = true;
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

static void
report_row(table_file_t *self, size_t line, const char *problem)
{
    spot_diag_error(self->diag, self->path, line, 1, "%s", problem);
    self->is_faulty = true;
}

/* What does not fit together in one row. */
static void
check_row(table_file_t *self, spot_instance_row_t *row)
{
    const spot_instance_table_t *table = self->table;

    if (table->has_samples_per_s && (row->samples_per_s > 0) != (row->step_ms > 0)) {
        if (row->samples_per_s > 0) {
            report_row(self, row->line, "samples_per_s without a step_ms");
        }
        row->step_ms = 0;
    }
    if (row->values[SPOT_BY_N_IDLE_INSTANCES] >= row->num_instances) {
        report_row(self, row->line, "idle_instances: all of n");
    }
    if (table->has[SPOT_BY_N_RESTART_TOTAL_MS] &&
        row->values[SPOT_BY_N_RESTART_TOTAL_MS] < row->values[SPOT_BY_N_CHECKPOINT_MS]) {
        report_row(self, row->line,
            "restart_total_ms holds one checkpoint, it cannot be below checkpoint_ms");
    }
}

static int
read_row(table_file_t *self, const spot_csv_row_t *row)
{
    const size_t num_errors = self->diag->num_errors;
    spot_instance_table_t *table = self->table;
    spot_instance_row_t of_n = {.line = row->line};
    int ret;

    if (row->num_fields != self->num_columns) {
        spot_diag_error(self->diag, self->path, row->line, row->columns[0],
            "expected %zu columns, got %zu", self->num_columns, row->num_fields);
        self->is_faulty = true;
        return 0;
    }
    for (size_t id = 0; id < row->num_fields; id++) {
        read_field(self, row, id, &of_n);
    }
    if (self->diag->num_errors == num_errors) {
        check_row(self, &of_n);
    }
    ret = spot_array_reserve((void **) &table->rows, &table->max_rows,
        table->num_rows + 1, sizeof(*table->rows));
    if (ret == 0) {
        table->rows[table->num_rows++] = of_n;
    }
    return ret;
}

/* ---- The whole ---- */

static int
read_line(table_file_t *self, const spot_csv_row_t *row)
{
    if (row->is_comment) {
        if (self->num_columns == 0 &&
            !spot_table_remark_read(row, self->path, "samples_per_step",
                &self->table->samples_per_step, self->diag)) {
            self->is_faulty = true;
        }
    } else if (row->num_fields == 0) {
        report_row(self, row->line, "empty line");
    } else if (self->num_columns > 0) {
        return read_row(self, row);
    } else {
        read_columns(self, row);
    }
    return 0;
}

static int
compare_rows(const void *a, const void *b)
{
    const spot_instance_row_t *left = a, *right = b;
    const int by_n = (left->num_instances > right->num_instances) -
                     (left->num_instances < right->num_instances);

    return by_n != 0 ? by_n : (left->line > right->line) - (left->line < right->line);
}

/* A row for each n of the domain: nothing is put between two. */
static void
check_domain(table_file_t *self)
{
    const spot_instance_table_t *table = self->table;

    for (size_t j = 1; j < table->num_rows; j++) {
        const spot_instance_row_t *row = &table->rows[j], *before = row - 1;

        if (row->num_instances == before->num_instances) {
            spot_diag_error(self->diag, self->path, row->line, 1,
                "n: %" PRId32 " is in line %zu already", row->num_instances,
                before->line);
            self->is_faulty = true;
        } else if (row->num_instances > before->num_instances + 1) {
            spot_diag_error(self->diag, self->path, row->line, 1,
                "n: there is no row for %" PRId32
                ": leave its step_ms empty where it is infeasible",
                before->num_instances + 1);
            self->is_faulty = true;
        }
    }
}

static int
seal(table_file_t *self, size_t end_line)
{
    spot_instance_table_t *table = self->table;

    if (table->num_rows == 0 && !self->is_faulty) {
        report_row(self, end_line, "no row");
    }
    if (!self->is_faulty) {
        qsort(table->rows, table->num_rows, sizeof(*table->rows), compare_rows);
        check_domain(self);
    }
    return self->is_faulty ? SPOT_ERR_BAD_INPUT : 0;
}

static int
read_lines(table_file_t *self, spot_csv_t *csv)
{
    spot_csv_row_t row;
    int status, ret = 0;

    /* Where the columns are other ones, no row can be judged. */
    while (ret == 0 && (self->num_columns > 0 || !self->is_faulty) &&
           (status = spot_csv_next(csv, &row)) != 0) {
        if (status == SPOT_ERR_BAD_INPUT) {
            self->is_faulty = true;
        } else if (status < 0) {
            ret = status;
        } else {
            ret = read_line(self, &row);
        }
    }
    return ret == 0 ? seal(self, row.line) : ret;
}

int
spot_instance_table_read(
    spot_instance_table_t *self, const char *path, spot_diag_t *diag)
{
    table_file_t file = {.path = path, .diag = diag, .table = self};
    spot_csv_t *csv = NULL;
    int ret;

    memset(self, 0, sizeof(*self));
    ret = spot_csv_open(&csv, path, diag);
    if (ret == 0) {
        ret = read_lines(&file, csv);
    }
    spot_csv_close(csv);
    spot_diag_close_file(diag);
    return ret;
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

/* By the told throughput, which is less rounded than the step time. */
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
