/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Constants of a loader by least squares of relative errors of completion, in two forms:
 *
 * - three: collation, start and merging, from mean rows with reading, decoding and
 *   compute times as measured.
 * - predictive: all costs, from the settings of runs and probes. The probes of a search
 *   together weigh as much as its run. A weak pull to round values settles what data
 *   does not: blocks of 1 show the time of a batch alone. */
#pragma once

#include "models/loader/loader.h"
#include "models/loader/measured.h"

typedef struct {
    const char *key;         /* of a model file, below cost */
    size_t offset;           /* in spot_loader_cost_t */
    bool is_time;            /* int64_t ns; else a double */
    double low, high, start; /* in s */
} spot_loader_constant_t;

/* A mean row, a run or a probe. */
typedef struct {
    const spot_measured_figures_t *row; /* NULL: it is no row */
    spot_measured_kind_t kind;
    spot_site_t site;
    bool is_probe;
    int run;
    int64_t threads, block;
    double sim_s, weight, measured_s, predicted_s;
    double left_out_s; /* predicted by runs of other numbers */
} spot_loader_point_t;

typedef struct {
    bool is_predictive;
    bool is_thinned;      /* arrays have fewer samples than batches have */
    spot_loader_t loader; /* a model with samples and costs */
    const char *laws[2];  /* of reading and decoding: "lognormal", "gamma" */
    double cvs[2];        /* their standard deviation / mean */
    double scale;         /* of bounds and starts of times */
    int left_out;         /* the number of runs, while these are left out */
    size_t num_constants;
    const spot_loader_constant_t *constants[13]; /* [num_constants] that are fitted */
    double values[13];                           /* [num_constants] */
    size_t num_points, max_points;
    spot_loader_point_t *points; /* [num_points] */
    int error;
} spot_loader_fit_t;

/* Where the data of runs was: every mode but "local" is remote. */
spot_site_t spot_loader_fit_site(const char *mode);

/* Fits runs in num_measured modes of different sites. samples: of an epoch; 0: as
 * measured. BAD_PARAM: fewer points than constants, or, with no constants yet, no
 * baseline of blocks of 1; NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_loader_fit(spot_loader_fit_t *self, bool is_predictive,
    size_t num_measured, const spot_measured_runs_t *measured, int64_t samples);
void spot_loader_fit_free(spot_loader_fit_t *self);

/* The mean and the largest |predicted / measured - 1|; NAN: not known. */
void spot_loader_fit_errors(
    const spot_loader_fit_t *self, bool is_probe, bool is_left_out, double *mean, double *max);

/* Predicted throughput of ours over that of the baseline, in percent. */
double spot_loader_fit_percent(const spot_loader_fit_t *self, spot_site_t site, double sim_s);
