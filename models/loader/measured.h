/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measured runs of a loader, in folders
 *
 *     ROOT/KIND/DATASET/run<R>/MODE/sim_compute_time=<S>[-block_size=<B>]/
 *
 * with five arrays each, and the figures that follow from them: as published and
 * corrected. Kinds: baseline1 (a file for each sample), ours (merged, settings found by
 * a search). Source: Kang et al., COMSNETS 2024, and the data published with it.
 *
 * spot_measured_runs_read() reads the runs of one mode; spot_loader_fit() fits the
 * constants of a loader (models/loader/loader.h) to them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/memory.h"
#include "base/stats.h"
#include "models/loader/loader.h"

typedef enum { SPOT_KIND_BASELINE, SPOT_KIND_OURS, SPOT_NUM_KINDS } spot_measured_kind_t;
extern const char *const spot_measured_kind_names[]; /* "baseline1", "ours" */

/* Figures by name: those of the published table, then the corrected ones. Means over
 * runs have the same. NAN: not known. */
typedef struct {
    /* As published. */
    double threads, block, io_s, processing_s, load_s, compute_s, completion_s;
    double memory_mib;
    double throughput; /* samples/s */
    double num_batches;
    /* Corrected. */
    double samples, io_entries;
    double true_block; /* 1 where blocks were not merged */
    double io_per_sample_s, decode_per_sample_s, future_wait_per_sample_s;
    double worker_per_sample_s;
    double fill_s, steady_load_s, steady_completion_s, steady_throughput, stall_share;
    double periodic_lag;                       /* of runs */
    double is_merged, is_stalled, is_periodic; /* 0, 1; of means: their number of runs */
} spot_measured_figures_t;

#define SPOT_MEASURED_MAX_WARNINGS 2 /* of a run */
#define SPOT_MEASURED_MAX_RUN 9999
#define SPOT_MEASURED_LEVELS 5

/* What a search measured before a run. */
typedef struct {
    int64_t threads, block;
    double completion_s; /* of a batch */
} spot_measured_probe_t;

typedef struct {
    spot_measured_kind_t kind;
    int run;
    double sim_s;       /* time of a batch in the training loop, as asked for */
    const char *folder; /* it ends in / */
    const char *names[SPOT_MEASURED_LEVELS]; /* of the folders from KIND on */
    spot_measured_figures_t figures;
    size_t num_waits;
    double *waits; /* [num_waits] for each batch */
    size_t num_probes, max_probes;
    spot_measured_probe_t *probes; /* [num_probes] in their order */
    size_t num_warnings;
    const char *warnings[SPOT_MEASURED_MAX_WARNINGS]; /* [num_warnings] */
} spot_measured_run_t;

/* Of ours over the baseline. NAN: not known. */
typedef struct {
    double percent, percent_of_means, percent_steady;
    double welch_t, welch_df, welch_p; /* of the throughputs of runs */
    double merged_runs;
} spot_improvement_t;

typedef struct spot_measured_row {
    spot_measured_kind_t kind;
    double sim_s;
    size_t num_runs;
    const spot_measured_run_t *runs; /* [num_runs] */
    spot_measured_figures_t mean;
    double throughput_of_means;
    const struct spot_measured_row *base; /* of that sim; of ours alone, or NULL */
    spot_improvement_t improvement;
} spot_measured_row_t;

typedef struct {
    const char *dataset;
    const char *mode;
    int64_t batch;
    int64_t processes;
    size_t num_runs, max_runs;
    spot_measured_run_t *runs; /* [num_runs] by kind, sim, run */
    size_t num_rows, max_rows;
    spot_measured_row_t *rows; /* [num_rows] by kind, sim */
    /* Of the baseline: time / mean of the run, of reading and decoding a sample, and the
     * logarithms of those above 0. */
    spot_moments_t spread[2], log_spread[2];
    spot_texts_t texts;
} spot_measured_runs_t;

/* Reads all runs of a data set and mode ("remote", "local") and derives the figures.
 * NULL: the only one that is there. batch, processes: those of the runs, >= 1. Of ours
 * the folder with the least completion counts for each run and sim. Warnings go to diag
 * too. BAD_INPUT, IO with the reasons in diag, NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_measured_runs_read(spot_measured_runs_t *self, const char *root,
    const char *dataset, const char *mode, int64_t batch, int64_t processes, spot_diag_t *diag);
void spot_measured_runs_free(spot_measured_runs_t *self);

/* ---- Parts ---- */

/* Of the arrays of a run. */
typedef struct {
    spot_moments_t waits, computes, io, processing;
    double memory_mib;             /* NAN: not known */
    spot_measured_probe_t setting; /* as claimed */
} spot_measured_arrays_t;

/* The figures of a run whose waits are known. */
void spot_measured_derive(spot_measured_run_t *run, const spot_measured_arrays_t *arrays,
    int64_t batch, int64_t processes);

/* ---- Fit ---- */

/* Constants of a loader by least squares of relative errors of completion, in two forms:
 *
 * - three: collation, start and merging, from mean rows with reading, decoding and
 *   compute times as measured.
 * - predictive: all costs, from the settings of runs and probes. The probes of a search
 *   together weigh as much as its run. A weak pull to round values settles what data
 *   does not: blocks of 1 show the time of a batch alone. */

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
