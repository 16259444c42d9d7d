/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options "table: FILE.csv, extrapolate: yes" of recovery systems with a table of
 * their own by n (recovery.md 3.3). n counts all usable instances. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "models/measured_table.h"
#include "sim/train/recovery/recovery.h"

typedef struct {
    char *path;          /* NULL: there is no table */
    int is_extrapolated; /* outside the rows the first or last one applies */
    int outside;         /* spot_outside_t: steps below the first row, as the job has it */
    spot_instance_table_t table;
} spot_by_instances_t;

/* Two rows of an options table; base: offset of the spot_by_instances_t in it. */
#define SPOT_BY_INSTANCES_FIELDS(base)                                                             \
    {.name = "table",                                                                              \
        .type = SPOT_FIELD_PATH,                                                                   \
        .offset = (base) + offsetof(spot_by_instances_t, path),                                    \
        .initial = "",                                                                             \
        .help = "CSV file of its own throughput, step times and pauses by n, the "                 \
                "number of ready instances; takes the place of job.step_time and of "              \
                "the pauses that are not given"},                                                  \
    {                                                                                              \
        .name = "extrapolate", .type = SPOT_FIELD_CHOICE,                                          \
        .offset = (base) + offsetof(spot_by_instances_t, is_extrapolated), .choices = spot_no_yes, \
        .initial = "no",                                                                           \
        .help = "yes: outside its rows the nearest one applies, with a warning, and below "        \
                "the first one steps take what job.outside says; no: more instances "              \
                "than it has are an error, with fewer the job waits"                               \
    }

/* Reads the table, if one is given, and checks that it has the job's batch and covers
 * the fleet. NO_MEMORY; errors of the input go to bind. */
SPOT_MUST_CHECK int spot_by_instances_settle(spot_by_instances_t *self, spot_terms_t *terms);

/* Whether there is a table with rows. */
static inline bool spot_by_instances_is_given(const spot_by_instances_t *self)
{
    return self->table.num_rows > 0;
}

/* The row for num_instances usable instances; NULL: none, the job waits. */
const spot_instance_row_t *spot_by_instances_row(
    const spot_by_instances_t *self, int64_t num_instances);

/* The step time of the row for num_instances usable instances, which follows job.outside
 * where there are fewer than any row has. */
int64_t spot_by_instances_step_ms(
    const spot_by_instances_t *self, const spot_instance_row_t *row, int64_t num_instances);

/* The pause for num_instances usable instances, of the nearest row; otherwise_ms without
 * a table, without that column, and where an option is given in its place. */
int64_t spot_by_instances_pause_ms(const spot_by_instances_t *self, spot_by_n_t column,
    int64_t num_instances, int64_t otherwise_ms);

/* An option that is given takes the place of a column of the table. */
void spot_by_instances_yield(
    spot_by_instances_t *self, const spot_terms_t *terms, const char *option, spot_by_n_t column);

/* Whether num_instances lies outside the table. */
bool spot_by_instances_is_flat(const spot_by_instances_t *self, int64_t num_instances);

/* How many of num_instances are in pipelines under the row; the others are idle. */
int64_t spot_by_instances_num_active(const spot_instance_row_t *row, int64_t num_instances);

void spot_by_instances_free(spot_by_instances_t *self);
