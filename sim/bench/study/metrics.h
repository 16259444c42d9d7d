/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The metrics of a study: those that are kept, limits that they must meet, and forms of them,
 * such as "p95(cost_usd)" or conditions. Internal to sim/bench/study, but for
 * spot_study_keep_ledger(). */
#pragma once

#include "sim/bench/study/reading.h"

/* Appends the ledger, cost and gain metrics of the experiment after the listed ones, for
 * reports; none if the study says ledger: no, or if the study goes on in a store whose
 * head, begun, lacks one of them. begun is NULL for a new store. For a study that was
 * read and is in no store yet. NO_MEMORY. */
SPOT_MUST_CHECK int spot_study_keep_ledger(spot_study_t *self, const spot_study_head_t *begun);

/* The metrics of the head: those that are listed, or all, then those that the study
 * needs otherwise, the plot's last. NO_MEMORY. */
SPOT_MUST_CHECK int spot_metrics_choose(spot_reading_t *self);

/* Sets the metrics that are conditions in a row whose other metrics are there.
 * NO_MEMORY. */
SPOT_MUST_CHECK int spot_forms_evaluate(const spot_study_t *study, double *row);

void spot_forms_free(spot_study_t *study);
