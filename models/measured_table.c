/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/measured_table.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/table_file.h"
#include "base/units.h"

/* ---- Reading tables by n ---- */

/* Columns: those of spot_by_n_t, then these. */
enum { COLUMN_INSTANCES = SPOT_NUM_BY_N, COLUMN_SAMPLES, COLUMN_STEP, NUM_COLUMNS };

#define MEMBER(member) offsetof(spot_instance_row_t, member)
#define PAUSE(name, column)                                                                        \
    [column] = {name, SPOT_MEMBER_INTEGER, MEMBER(values[column]), 0,                              \
        (double) SPOT_MAX_DURATION_MS, .is_optional = true}

static const spot_row_member_t by_n_columns[NUM_COLUMNS] = {
    PAUSE("restart_total_ms", SPOT_BY_N_RESTART_TOTAL_MS),
    PAUSE("checkpoint_ms", SPOT_BY_N_CHECKPOINT_MS),
    PAUSE("pause_ms", SPOT_BY_N_PAUSE_MS),
    PAUSE("local_pause_ms", SPOT_BY_N_LOCAL_PAUSE_MS),
    PAUSE("global_pause_ms", SPOT_BY_N_GLOBAL_PAUSE_MS),
    [SPOT_BY_N_IDLE_INSTANCES] = {"idle_instances", SPOT_MEMBER_INTEGER,
        MEMBER(values[SPOT_BY_N_IDLE_INSTANCES]), 0, SPOT_MAX_INSTANCES, .is_optional = true},
    [COLUMN_INSTANCES] = {"n", SPOT_MEMBER_SMALL, MEMBER(num_instances), 1,
        .max = SPOT_MAX_INSTANCES},
    [COLUMN_SAMPLES] = {"samples_per_s", SPOT_MEMBER_NUMBER, MEMBER(samples_per_s), 0, HUGE_VAL,
        "expected samples per second from 0", .is_optional = true, .may_be_empty = true},
    [COLUMN_STEP] = {"step_ms", SPOT_MEMBER_ROUNDED, MEMBER(step_ms), 1,
        (double) SPOT_MAX_DURATION_MS,
        "expected milliseconds from 1 to 100 years, or nothing where n is infeasible",
        .may_be_empty = true},
};

/* Keeps a row, unless its fields contradict each other. */
static int take_row(spot_table_file_t *file, const spot_csv_row_t *row, const void *values)
{
    spot_instance_table_t *table = file->table;
    spot_instance_row_t of_n = *(const spot_instance_row_t *) values;

    of_n.line = row->line;
    if (file->has[COLUMN_SAMPLES] && (of_n.samples_per_s > 0) != (of_n.step_ms > 0)) {
        if (of_n.samples_per_s > 0) {
            spot_table_file_report(file, row->line, "samples_per_s without a step_ms");
        }
        of_n.step_ms = 0;
    }
    if (of_n.values[SPOT_BY_N_IDLE_INSTANCES] >= of_n.num_instances) {
        spot_table_file_report(file, row->line, "idle_instances: all of n");
    }
    if (file->has[SPOT_BY_N_RESTART_TOTAL_MS] &&
        of_n.values[SPOT_BY_N_RESTART_TOTAL_MS] < of_n.values[SPOT_BY_N_CHECKPOINT_MS]) {
        spot_table_file_report(file, row->line,
            "restart_total_ms holds one checkpoint, it cannot be below checkpoint_ms");
    }
    return SPOT_ARRAY_APPEND(table, rows, of_n);
}

static int compare_rows(const void *a, const void *b)
{
    const spot_instance_row_t *left = a, *right = b;
    const int by_n =
        (left->num_instances > right->num_instances) - (left->num_instances < right->num_instances);

    return by_n != 0 ? by_n : (left->line > right->line) - (left->line < right->line);
}

/* Sorts the rows. There must be one for each n of the domain: values are not
 * interpolated. */
static void seal(spot_table_file_t *file, size_t end_line)
{
    spot_instance_table_t *table = file->table;

    table->has_samples_per_s = file->has[COLUMN_SAMPLES];
    memcpy(table->has, file->has, sizeof(table->has));
    if (file->is_faulty) {
        return;
    }
    if (table->num_rows == 0) {
        spot_table_file_report(file, end_line, "no row");
        return;
    }
    qsort(table->rows, table->num_rows, sizeof(*table->rows), compare_rows);
    for (size_t j = 1; j < table->num_rows; j++) {
        const spot_instance_row_t *row = &table->rows[j], *before = row - 1;

        if (row->num_instances == before->num_instances) {
            spot_table_file_report(file, row->line, "n: %" PRId32 " is in line %zu already",
                row->num_instances, before->line);
        } else if (row->num_instances > before->num_instances + 1) {
            spot_table_file_report(file, row->line,
                "n: there is no row for %" PRId32
                ": leave its step_ms empty where it is infeasible",
                before->num_instances + 1);
        }
    }
}

int spot_instance_table_read(spot_instance_table_t *self, const char *path, spot_diag_t *diag)
{
    static const spot_table_file_remark_t remarks[] = {
        {"samples_per_step", offsetof(spot_instance_table_t, samples_per_step), 0}, {0}};
    static const spot_table_file_format_t format = {.num_columns = NUM_COLUMNS,
        .columns = by_n_columns,
        .layout = "n and step_ms, and any of samples_per_s, restart_total_ms, "
                  "checkpoint_ms, pause_ms, local_pause_ms, global_pause_ms and "
                  "idle_instances",
        .is_any_order = true,
        .needs_columns = true,
        .remarks = remarks,
        .row_bytes = sizeof(spot_instance_row_t),
        .take = take_row,
        .seal = seal};

    memset(self, 0, sizeof(*self));
    return spot_table_file_read(&format, path, diag, self);
}

void spot_instance_table_free(spot_instance_table_t *self)
{
    free(self->rows);
    memset(self, 0, sizeof(*self));
}

/* ---- Rows by n ---- */

int64_t spot_instance_table_smallest(const spot_instance_table_t *self)
{
    return self->rows[0].num_instances;
}

int64_t spot_instance_table_largest(const spot_instance_table_t *self)
{
    return self->rows[self->num_rows - 1].num_instances;
}

const spot_instance_row_t *spot_instance_table_find(
    const spot_instance_table_t *self, int64_t num_instances)
{
    const int64_t smallest = spot_instance_table_smallest(self);

    return num_instances < smallest || num_instances > spot_instance_table_largest(self)
               ? NULL
               : &self->rows[num_instances - smallest];
}

const spot_instance_row_t *spot_instance_table_nearest(
    const spot_instance_table_t *self, int64_t num_instances)
{
    const spot_instance_row_t *row = spot_instance_table_find(self, num_instances);

    if (row != NULL) {
        return row;
    }
    return num_instances < spot_instance_table_smallest(self) ? &self->rows[0]
                                                              : &self->rows[self->num_rows - 1];
}

/* The throughput given, which is less rounded than the step time; else 1 / step time. */
static double speed_of(const spot_instance_table_t *self, const spot_instance_row_t *row)
{
    return self->has_samples_per_s ? row->samples_per_s : 1 / (double) row->step_ms;
}

const spot_instance_row_t *spot_instance_table_best(
    const spot_instance_table_t *self, int64_t num_instances)
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

/* ---- Curves ---- */

/* Upper limit of times and sizes. */
#define MAX_VALUE 1e18

void spot_measured_free(spot_measured_curve_t *self)
{
    free(self->points);
    memset(self, 0, sizeof(*self));
}

/* Number of points with a smaller x. */
static size_t count_below(const spot_measured_curve_t *self, double x)
{
    size_t low = 0, high = self->num_points;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (self->points[middle].x < x) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

double spot_measured_at(const spot_measured_curve_t *self, double x)
{
    const size_t id = count_below(self, x);
    const spot_measured_point_t *right = &self->points[id], *left = right - 1;

    if (id == 0) {
        return right->y;
    }
    if (id == self->num_points) {
        return left->y * (x / left->x);
    }
    if (right->x == x) {
        return right->y;
    }
    return left->y + (right->y - left->y) * ((x - left->x) / (right->x - left->x));
}

const spot_measured_point_t *spot_measured_find(const spot_measured_curve_t *self, double x)
{
    const size_t id = count_below(self, x);

    return id < self->num_points && self->points[id].x == x ? &self->points[id] : NULL;
}

static int take_point(spot_table_file_t *file, const spot_csv_row_t *row, const void *values)
{
    const spot_measured_point_t point = *(const spot_measured_point_t *) values;
    spot_measured_curve_t *curve = file->table;

    if (curve->num_points > 0 && point.x <= curve->points[curve->num_points - 1].x) {
        spot_table_file_report(
            file, row->line, "%s: not above that of the row before", file->format->columns[0].name);
        return 0;
    }
    return SPOT_ARRAY_APPEND(curve, points, point);
}

int spot_measured_read(spot_measured_curve_t *self, const char *path, const char *x_name,
    const char *y_name, spot_diag_t *diag)
{
    const spot_row_member_t columns[] = {
        {x_name, SPOT_MEMBER_NUMBER, offsetof(spot_measured_point_t, x), DBL_TRUE_MIN, MAX_VALUE,
            .expected = "expected a number above 0"},
        {y_name, SPOT_MEMBER_NUMBER, offsetof(spot_measured_point_t, y), 0, MAX_VALUE,
            .expected = "expected a number from 0"},
    };
    char layout[64];
    const spot_table_file_format_t format = {.num_columns = 2,
        .columns = columns,
        .layout = layout,
        .needs_columns = true,
        .row_bytes = sizeof(spot_measured_point_t),
        .empty = "no row",
        .take = take_point};

    memset(self, 0, sizeof(*self));
    snprintf(layout, sizeof(layout), "%s,%s", x_name, y_name);
    return spot_table_file_read(&format, path, diag, self);
}
