/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Earlier fidelities of models to a trace, which new ones are held against: CSV with the
 * columns trace, model, replicates, one a metric (its mean) and one "sd_METRIC", as
 * spot_comparison_csv_write() writes it: model is the label of a column there, and the
 * kind of a model in tables of others. */
#ifndef SPOT_COMPARE_REFERENCE_H
#define SPOT_COMPARE_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "traces/compare/fidelity.h"

typedef struct {
    char *trace;
    char *model;
    int64_t num_replications;                /* >= 1 */
    double means[SPOT_FIDELITY_NUM_METRICS]; /* NAN where the field is empty */
    double sds[SPOT_FIDELITY_NUM_METRICS];
} spot_reference_row_t;

typedef struct {
    size_t num_rows;
    size_t max_rows;
    spot_reference_row_t *rows; /* [num_rows] in the file's order */
} spot_reference_t;

/* Unknown columns are ignored, the three first ones must be there. BAD_INPUT, IO,
 * NO_MEMORY with the reasons in diag; free self even then. */
SPOT_MUST_CHECK int spot_reference_read(
    spot_reference_t *self, const char *path, spot_diag_t *diag);
void spot_reference_free(spot_reference_t *self);

/* The row of a trace and a model, or NULL. O(rows). */
const spot_reference_row_t *spot_reference_find(
    const spot_reference_t *self, const char *trace, const char *model);

/* How many standard errors the mean over num_replications is off: (mean - reference) /
 * (sd sqrt(1 / R + 1 / reference R)) with the reference's sd. NAN where undefined; with
 * sd 0 0 for the same number (to the file's 8 digits), else infinite. */
double spot_reference_z(const spot_reference_row_t *row, int metric_id, double mean,
    int64_t num_replications);

#endif
