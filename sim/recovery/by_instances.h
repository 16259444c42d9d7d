/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options by which a recovery system has a table by n of its own (recovery.md 3.3):
 * "table: FILE.csv, extrapolate: yes". The row is that of all usable instances. */
#ifndef SPOT_SIM_RECOVERY_BY_INSTANCES_H
#define SPOT_SIM_RECOVERY_BY_INSTANCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "models/instance_table.h"
#include "sim/recovery/recovery.h"

typedef struct {
    char *path;          /* NULL: there is no table */
    int is_extrapolated; /* outside the domain the rows of its ends count, flat */
    spot_instance_table_t table;
} spot_by_instances_t;

/* Two rows of an options table; base: offset of the spot_by_instances_t in the options.
 */
#define SPOT_BY_INSTANCES_FIELDS(base)                                                  \
    {.name = "table",                                                                   \
        .type = SPOT_FIELD_PATH,                                                        \
        .offset = (base) + offsetof(spot_by_instances_t, path),                         \
        .initial = "",                                                                  \
        .help = "CSV file of its own throughput, step times and pauses by n, the "      \
                "number of ready instances; takes the place of job.step_time and of "   \
                "the pauses"},                                                          \
    {                                                                                   \
        .name = "extrapolate", .type = SPOT_FIELD_CHOICE,                               \
        .offset = (base) + offsetof(spot_by_instances_t, is_extrapolated),              \
        .choices = spot_no_yes, .initial = "no",                                        \
        .help = "yes: outside its rows the table is flat, with a warning; no: more "    \
                "instances than it has are an error, with fewer the job waits"          \
    }

/* Reads the table, if there is one, and checks that it is of the job's batch and covers
 * the fleet. NO_MEMORY; what is wrong with the input is told through bind. */
SPOT_MUST_CHECK int spot_by_instances_settle(spot_by_instances_t *self,
    spot_bind_t *bind, const spot_node_t *node, const spot_job_t *job, int64_t capacity);

/* Whether there is a table with rows. */
static inline bool
spot_by_instances_is_given(const spot_by_instances_t *self)
{
    return self->table.num_rows > 0;
}

/* The row for so many usable instances; NULL: none, the job waits. */
const spot_instance_row_t *spot_by_instances_row(
    const spot_by_instances_t *self, int64_t num_instances);

/* A pause for so many usable instances: of the nearest row, or otherwise_ms where the
 * table has no such column or there is none. */
int64_t spot_by_instances_pause_ms(const spot_by_instances_t *self, spot_by_n_t column,
    int64_t num_instances, int64_t otherwise_ms);

/* Warns where an option is given whose place a column of the table takes. */
void spot_by_instances_replace(const spot_by_instances_t *self, spot_bind_t *bind,
    const spot_node_t *node, const char *option, spot_by_n_t column);

/* Whether so many instances are outside the table. */
bool spot_by_instances_is_flat(const spot_by_instances_t *self, int64_t num_instances);

/* How many of num_instances the row puts into pipelines; the others are idle. */
int64_t spot_by_instances_num_active(
    const spot_instance_row_t *row, int64_t num_instances);

void spot_by_instances_free(spot_by_instances_t *self);

#endif
