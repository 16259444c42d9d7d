/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measured runs of a loader, in folders
 *
 *     ROOT/KIND/DATASET/run<R>/MODE/sim_compute_time=<S>[-block_size=<B>]/
 *
 * with five arrays each, and the figures that follow from them: as published and
 * corrected. Kinds: baseline1 (a file for each sample), ours (merged, settings found by
 * a search). Source: Kang et al., COMSNETS 2024, and the data published with it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/stats.h"
#include "base/texts.h"

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

/* Rows and improvements of the sorted runs. Warnings of them name root. NO_MEMORY. */
SPOT_MUST_CHECK int spot_measured_runs_summarise(
    spot_measured_runs_t *self, const char *root, spot_diag_t *diag);
