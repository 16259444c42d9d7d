/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/recovery/by_instances.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

static void check(const spot_by_instances_t *self, spot_bind_t *bind, const spot_node_t *place,
    const spot_job_t *job, int64_t capacity)
{
    const spot_instance_table_t *table = &self->table;

    if (table->samples_per_step > 0 && table->samples_per_step != job->samples_per_step) {
        spot_bind_error(bind, place, "recovery.table",
            "%s is of steps of %" PRId64 " samples, but job.samples_per_step is %" PRId64,
            self->path, table->samples_per_step, job->samples_per_step);
    }
    if (spot_instance_table_best(table, SPOT_MAX_INSTANCES) == NULL) {
        spot_bind_error(bind, place, "recovery.table",
            "out of memory: %s has no step time for any n, the job cannot run", self->path);
    }
    if (!self->is_extrapolated && capacity > spot_instance_table_largest(table)) {
        spot_bind_error(bind, place, "recovery.table",
            "%s ends with n = %" PRId64 ", but fleet.capacity is %" PRId64
            ": lower it, or set extrapolate: yes",
            self->path, spot_instance_table_largest(table), capacity);
    }
}

int spot_by_instances_settle(spot_by_instances_t *self, spot_terms_t *terms)
{
    spot_bind_t *bind = terms->bind;
    int ret;

    if (self->path == NULL) {
        return 0;
    }
    self->outside = terms->job->step_time.outside;
    ret = spot_instance_table_read(&self->table, self->path, bind->diag);
    if (ret == 0) {
        check(self, bind, spot_node_place(terms->node, "table"), terms->job, terms->capacity);
    }
    terms->has_table = true;
    if (ret == 0 && self->is_extrapolated && self->table.num_rows > 0) {
        terms->table_least = spot_instance_table_smallest(&self->table);
        terms->table_most = spot_instance_table_largest(&self->table);
    }
    return ret == SPOT_ERR_NO_MEMORY ? ret : 0; /* the others are in diag */
}

bool spot_by_instances_is_flat(const spot_by_instances_t *self, int64_t num_instances)
{
    return spot_instance_table_find(&self->table, num_instances) == NULL;
}

const spot_instance_row_t *spot_by_instances_row(
    const spot_by_instances_t *self, int64_t num_instances)
{
    const spot_instance_row_t *row = NULL;

    if (num_instances > 0) {
        row = self->is_extrapolated ? spot_instance_table_nearest(&self->table, num_instances)
                                    : spot_instance_table_find(&self->table, num_instances);
    }
    return row != NULL && row->step_ms > 0 ? row : NULL;
}

int64_t spot_by_instances_step_ms(
    const spot_by_instances_t *self, const spot_instance_row_t *row, int64_t num_instances)
{
    return num_instances < row->num_instances ? spot_step_below_ms((spot_outside_t) self->outside,
                                                    row->num_instances, row->step_ms, num_instances)
                                              : row->step_ms;
}

int64_t spot_by_instances_pause_ms(const spot_by_instances_t *self, spot_by_n_t column,
    int64_t num_instances, int64_t otherwise_ms)
{
    return spot_by_instances_is_given(self) && self->table.has[column]
               ? spot_instance_table_nearest(&self->table, num_instances)->values[column]
               : otherwise_ms;
}

void spot_by_instances_yield(
    spot_by_instances_t *self, const spot_terms_t *terms, const char *option, spot_by_n_t column)
{
    if (spot_terms_has(terms, option)) {
        self->table.has[column] = false;
    }
}

int64_t spot_by_instances_num_active(const spot_instance_row_t *row, int64_t num_instances)
{
    const int64_t num_counted =
        num_instances < row->num_instances ? num_instances : row->num_instances;
    const int64_t num_active = num_counted - row->values[SPOT_BY_N_IDLE_INSTANCES];

    return num_active > 0 ? num_active : 1;
}

void spot_by_instances_free(spot_by_instances_t *self)
{
    spot_instance_table_free(&self->table);
    free(self->path);
    memset(self, 0, sizeof(*self));
}
