/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/measured_curve.h"

#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/memory.h"
#include "base/units.h"

/* Upper limit of times and sizes. */
#define MAX_VALUE 1e18

typedef struct {
    const char *path;
    const char *names[2]; /* of x and y */
    spot_diag_t *diag;
    spot_measured_curve_t *curve;
    bool has_columns; /* the row of columns has been read */
    bool is_faulty;
} curve_file_t;

void
spot_measured_free(spot_measured_curve_t *self)
{
    free(self->points);
    memset(self, 0, sizeof(*self));
}

/* Number of points with a smaller x. */
static size_t
count_below(const spot_measured_curve_t *self, double x)
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

double
spot_measured_at(const spot_measured_curve_t *self, double x)
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

const spot_measured_point_t *
spot_measured_find(const spot_measured_curve_t *self, double x)
{
    const size_t id = count_below(self, x);

    return id < self->num_points && self->points[id].x == x ? &self->points[id] : NULL;
}

static void
read_columns(curve_file_t *self, const spot_csv_row_t *row)
{
    self->has_columns = row->num_fields == 2 &&
                        strcmp(row->fields[0], self->names[0]) == 0 &&
                        strcmp(row->fields[1], self->names[1]) == 0;
    if (!self->has_columns) {
        spot_diag_error(self->diag, self->path, row->line, 1,
            "expected the columns %s,%s", self->names[0], self->names[1]);
        self->is_faulty = true;
    }
}

static void
read_number(curve_file_t *self, const spot_csv_row_t *row, size_t id, double *value)
{
    char text[SPOT_CSV_SHOWN_BYTES];

    if (spot_number_parse(row->fields[id], value) != 0 || *value < 0 ||
        *value > MAX_VALUE || (id == 0 && *value == 0)) {
        spot_diag_error(self->diag, self->path, row->line, row->columns[id],
            "%s: expected a number %s 0, got '%s'", self->names[id],
            id == 0 ? "above" : "from", spot_csv_shown(row->fields[id], text));
        self->is_faulty = true;
    }
}

static int
read_row(curve_file_t *self, const spot_csv_row_t *row)
{
    const size_t num_errors = self->diag->num_errors;
    spot_measured_curve_t *curve = self->curve;
    spot_measured_point_t point = {0};

    if (row->num_fields != 2) {
        spot_diag_error(self->diag, self->path, row->line, 1,
            "expected 2 columns, got %zu", row->num_fields);
        self->is_faulty = true;
        return 0;
    }
    read_number(self, row, 0, &point.x);
    read_number(self, row, 1, &point.y);
    if (self->diag->num_errors > num_errors) {
        return 0;
    }
    if (curve->num_points > 0 && point.x <= curve->points[curve->num_points - 1].x) {
        spot_diag_error(self->diag, self->path, row->line, row->columns[0],
            "%s: not above that of the row before", self->names[0]);
        self->is_faulty = true;
        return 0;
    }
    return SPOT_ARRAY_APPEND(curve, points, point);
}

/* Reads all lines; stops at a wrong row of columns, after which no row can be
 * checked. */
static int
read_lines(curve_file_t *self, spot_csv_t *csv)
{
    spot_csv_row_t row;
    int status, ret = 0;

    while (ret == 0 && (self->has_columns || !self->is_faulty) &&
           (status = spot_csv_next(csv, &row)) != 0) {
        if (status == SPOT_ERR_BAD_INPUT) {
            self->is_faulty = true;
        } else if (status < 0) {
            ret = status;
        } else if (!row.is_comment && self->has_columns) {
            ret = read_row(self, &row);
        } else if (!row.is_comment) {
            read_columns(self, &row);
        }
    }
    if (ret == 0 && self->curve->num_points == 0 && !self->is_faulty) {
        spot_diag_error(self->diag, self->path, row.line, 1, "no row");
        self->is_faulty = true;
    }
    return ret == 0 && self->is_faulty ? SPOT_ERR_BAD_INPUT : ret;
}

int
spot_measured_read(spot_measured_curve_t *self, const char *path, const char *x_name,
    const char *y_name, spot_diag_t *diag)
{
    curve_file_t file = {
        .path = path, .names = {x_name, y_name}, .diag = diag, .curve = self};
    spot_csv_t *csv = NULL;
    int ret;

    memset(self, 0, sizeof(*self));
    ret = spot_csv_open(&csv, path, diag);
    ret = ret == 0 ? read_lines(&file, csv) : ret;
    spot_csv_close(csv);
    spot_diag_close_file(diag);
    return ret;
}
