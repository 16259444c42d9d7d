/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What pictures of durations on logarithmic axes share. Internal to the room. */
#pragma once

#include "reports/traces/trace_picture.h"
#include "traces/describe/sample.h"

typedef struct {
    spot_trace_picture_t picture;
    spot_kaplan_meier_t kaplan_meier; /* of a sample, as is first_s */
    double first_s;                   /* smallest complete value above 0; NAN for none */
    double low_s, high_s;             /* ends of the axis of durations */
    double low_share;                 /* where that of shares begins */
} spot_duration_picture_t;

/* "Gaps between preemption events"; is_obtainable: of a trace of kind availability. */
const char *spot_duration_picture_noun(spot_sample_kind_t kind, bool is_obtainable);

/* As spot_trace_picture_end(), of "KIND-WHAT". */
SPOT_MUST_CHECK int spot_duration_picture_end(spot_duration_picture_t *self,
    spot_sample_kind_t kind, const char *what, const char *folder, const char *name,
    spot_diag_t *diag);

/* A panel of durations in s against the share in percent that is longer. */
void spot_duration_picture_panel(const spot_duration_picture_t *self);

/* A share in percent, which may be undefined; a fall to 0 goes below the panel. */
double spot_duration_picture_share(const spot_duration_picture_t *self, double share);

/* A curve of shares over durations in s. */
void spot_duration_picture_curve(
    spot_duration_picture_t *self, const spot_chart_series_t *series, const spot_curve_t *curve);
