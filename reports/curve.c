/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

int spot_curve_add(spot_curve_t *self, double x, double y)
{
    if (spot_array_reserve((void **) &self->points, &self->max_points, self->num_points + 1,
            sizeof(*self->points)) != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->points[self->num_points++] = (spot_point_t){x, y};
    return 0;
}

void spot_curve_free(spot_curve_t *self)
{
    free(self->points);
    memset(self, 0, sizeof(*self));
}

double spot_curve_at(const spot_curve_t *self, size_t *step_id, double x)
{
    while (*step_id + 1 < self->num_points && self->points[*step_id + 1].x <= x) {
        (*step_id)++;
    }
    return self->points[*step_id].y;
}

/* Where the columns are. */
typedef struct {
    size_t num_columns;
    double low, high;
    bool is_log;
} columns_t;

/* What lies outside belongs to the first or last column. */
static size_t column_at(const columns_t *columns, double x)
{
    const double low = columns->low, high = columns->high;
    const double place =
        columns->is_log ? log(fmax(x, low) / low) / log(high / low) : (x - low) / (high - low);
    const double num_columns = (double) columns->num_columns;

    return (size_t) fmax(fmin(place * num_columns, num_columns - 1), 0);
}

void spot_curve_thin(spot_curve_t *self, double low, double high, bool is_log)
{
    spot_curve_thin_to(self, SPOT_MAX_COLUMNS, low, high, is_log);
}

void spot_curve_thin_to(
    spot_curve_t *self, size_t num_columns, double low, double high, bool is_log)
{
    const columns_t columns = {num_columns, low, high, is_log};
    spot_point_t *points = self->points;
    size_t num_kept = 0, next = 0;

    if (self->num_points <= 4 * num_columns) {
        return;
    }
    while (next < self->num_points) {
        const size_t first = next;
        const size_t column = column_at(&columns, points[first].x);
        size_t lowest = first, highest = first;

        while (next < self->num_points && column_at(&columns, points[next].x) == column) {
            lowest = points[next].y < points[lowest].y ? next : lowest;
            highest = points[next].y > points[highest].y ? next : highest;
            next++;
        }
        for (size_t j = first; j < next; j++) {
            if (j == first || j == lowest || j == highest || j + 1 == next) {
                points[num_kept++] = points[j];
            }
        }
    }
    self->num_points = num_kept;
}
