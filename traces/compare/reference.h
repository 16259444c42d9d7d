/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table of earlier fidelities, with which new ones are compared: CSV with the columns
 * trace, model, replicates, one per metric (its mean) and "sd_METRIC".
 * spot_comparison_csv_write() writes such a table, with the label of a column as model;
 * tables from elsewhere have the kind of the model there. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "traces/compare/fidelity.h"

typedef struct {
    char *trace;
    char *model;
    int64_t num_replications;                /* >= 1 */
    double means[SPOT_FIDELITY_NUM_METRICS]; /* NAN if the field is empty or missing */
    double sds[SPOT_FIDELITY_NUM_METRICS];
} spot_reference_row_t;

typedef struct {
    size_t num_rows;
    size_t max_rows;
    spot_reference_row_t *rows; /* [num_rows] in file order */
} spot_reference_t;

/* Reads a table. trace, model and replicates are required; unknown columns are ignored.
 * BAD_INPUT, IO, NO_MEMORY with the reasons in diag; free self even then. */
SPOT_MUST_CHECK int spot_reference_read(
    spot_reference_t *self, const char *path, spot_diag_t *diag);
void spot_reference_free(spot_reference_t *self);

/* The row of a trace and a model, or NULL. O(rows). */
const spot_reference_row_t *spot_reference_find(
    const spot_reference_t *self, const char *trace, const char *model);

/* Distance of the mean over R = num_replications from the reference, in standard errors:
 * (mean - reference) / (sd sqrt(1 / R + 1 / reference R)), sd that of the reference. NAN
 * where undefined. With sd 0 it is 0 if the means are equal to 8 digits, else
 * infinite. */
double spot_reference_z(
    const spot_reference_row_t *row, int metric_id, double mean, int64_t num_replications);
