/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `spotsim study` makes of a store: the table, CSV, JSON and the picture. */
#pragma once

#include <stdbool.h>

#include "base/diag.h"
#include "sim/store/store.h"

typedef struct {
    const char *csv_path;  /* "-": standard output, instead of the table; NULL: none */
    const char *plot_path; /* may be NULL */
    const char *bars_path; /* the same: what each point is made of */
    const char *sensitivity_path; /* the same */
    bool is_json;                 /* instead of the table */
} spot_study_results_t;

/* Writes all of them, standard output even where a picture failed. */
SPOT_MUST_CHECK int spot_study_results_write(
    const spot_study_results_t *self, const spot_store_t *store, spot_diag_t *diag);

/* The CSV of a study that was interrupted, as FILE.csv.partial: under another name than
 * the whole would have. */
void spot_study_results_keep_partial(
    const spot_study_results_t *self, const spot_store_t *store, spot_diag_t *diag);
