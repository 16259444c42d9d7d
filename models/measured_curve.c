/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/measured_curve.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/table_file.h"

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
    const spot_table_file_column_t columns[] = {
        {x_name, SPOT_CELL_NUMBER, offsetof(spot_measured_point_t, x), DBL_TRUE_MIN, MAX_VALUE,
            .expected = "expected a number above 0"},
        {y_name, SPOT_CELL_NUMBER, offsetof(spot_measured_point_t, y), 0, MAX_VALUE,
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
