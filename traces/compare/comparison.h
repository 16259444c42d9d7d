/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison of one trace with other traces, or with models and their replications.
 *
 * Each column has figures and distances (fidelity.h); the distance between the halves of
 * the trace is the floor. This module owns the model file bound to a trace, the table of
 * earlier fidelities, the columns, how models relate, and their JSON and CSV.
 *
 * Use: spot_comparison_inputs_read(), spot_comparison_run(), then look at columns or
 * spot_comparison_json_write(); free both. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "traces/compare/fidelity.h"
#include "traces/generate/model.h"
#include "traces/trace.h"

typedef struct {
    spot_yaml_t document;
    spot_trace_model_t model; /* its replications have the length of the trace */
    const char *name;         /* kind, as in reference tables: name of the generator; for
                                 seed "seed-corrected", "seed-cell42" or "seed-loop", but
                                 "seed" if only some defects of the notebook are kept */
} spot_trace_model_file_t;

/* Reads a model file. Horizon and initial instances are those of the trace, unless the
 * generator has initial instances of its own. A model without capacity takes that of the
 * trace. Another capacity is a warning, one below the initial instances of the trace an
 * error. trace_path: for messages. BAD_INPUT, IO, NO_MEMORY with the reasons in diag;
 * free self even then. */
SPOT_MUST_CHECK int spot_trace_model_file_read(spot_trace_model_file_t *self, const char *path,
    const spot_trace_t *trace, const char *trace_path, spot_diag_t *diag);
void spot_trace_model_file_free(spot_trace_model_file_t *self);

/* ---- A table of earlier fidelities ----
 * A table of earlier fidelities, with which new ones are compared: CSV with the columns
 * trace, model, replicates, one per metric (its mean) and "sd_METRIC".
 * spot_comparison_csv_write() writes such a table, with the label of a column as model;
 * tables from elsewhere have the kind of the model there. */

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

typedef enum {
    SPOT_COMPARISON_COLUMN_RECORDED, /* the trace itself */
    SPOT_COMPARISON_COLUMN_HALF,     /* its first half */
    SPOT_COMPARISON_COLUMN_HALVES,   /* second half, compared with the first half */
    SPOT_COMPARISON_COLUMN_TRACE,    /* another trace */
    SPOT_COMPARISON_COLUMN_MODEL     /* a model */
} spot_comparison_column_kind_t;

typedef struct {
    spot_comparison_column_kind_t kind;
    char *label;              /* "recorded", "half1", "half2-vs-half1", else as given; distinct */
    char *model;              /* kind of a model: "mrp", "seed-corrected"; else NULL */
    int64_t num_replications; /* 1 unless a model */
    double means[SPOT_FIDELITY_NUM_METRICS]; /* NAN where undefined, like sds and zs */
    double sds[SPOT_FIDELITY_NUM_METRICS];   /* over replications, n - 1 */
    bool has_reference;
    double zs[SPOT_FIDELITY_NUM_METRICS]; /* against the reference */
} spot_comparison_column_t;

typedef struct {
    char *name; /* of the trace, like kind and resolution_s */
    spot_trace_kind_t kind;
    double resolution_s;
    bool is_unbounded;           /* the capacity of frame is the largest population */
    spot_observation_t recorded; /* its frame holds for all columns */
    spot_fidelity_t fidelity;    /* of recorded */
    uint64_t seed;
    size_t num_columns;
    size_t max_columns;
    spot_comparison_column_t *columns; /* [num_columns] recorded, half1, half2-vs-half1,
                               then added ones */
} spot_comparison_t;

/* Number of columns that every comparison has, and index of the first added one. */
#define SPOT_COMPARISON_FIRST ((size_t) 3)

/* Records trace at a tick that suits both resolutions and makes the first columns.
 * is_net: only the net change of a tick counts, as one of the traces shows no more.
 * NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_comparison_init(spot_comparison_t *self, const spot_trace_t *trace,
    int64_t other_resolution_ms, bool is_net, uint64_t seed);
void spot_comparison_free(spot_comparison_t *self);

/* Label for the column of a file: its name without folder and ".yaml", ".yml", ".csv" or
 * ".csv.gz", with _ for commas, double quotes and control bytes. NULL: no memory. The
 * caller frees it. */
SPOT_MUST_CHECK char *spot_comparison_label(const char *path);

/* Adds the column of another trace; "#2", "#3", ... is appended to a label in use.
 * NO_MEMORY. */
SPOT_MUST_CHECK int spot_comparison_add_trace(
    spot_comparison_t *self, const spot_trace_t *trace, const char *label);

/* Adds the column of a model, whose horizon, capacity and initial instances are those of
 * the trace. name: its kind, see spot_trace_model_file_t. watch may be NULL. NO_MEMORY,
 * INTERRUPTED, OVERDRAW. */
SPOT_MUST_CHECK int spot_comparison_add_model(spot_comparison_t *self,
    const spot_trace_model_t *model, const char *name, const char *label, int64_t num_replications,
    const spot_watch_t *watch);

/* Settings for replications of a model in this comparison, e.g. for a band. */
spot_replicate_t spot_comparison_replicate(const spot_comparison_t *self,
    const spot_trace_model_t *model, int64_t num_replications, const spot_watch_t *watch);

/* Fills zs of each model for which reference has a row of this trace, with the label of
 * the column, else with the kind of the model. */
void spot_comparison_set_reference(spot_comparison_t *self, const spot_reference_t *reference);

/* ---- How models relate ---- */

/* The errors of models: the distances, then |ln(mean / recorded)| of the figures that
 * matter most for a fleet. */
enum {
    SPOT_ERROR_LN_MTBP = SPOT_FIDELITY_NUM_METRICS - SPOT_FIDELITY_NUM_FIGURES,
    SPOT_ERROR_LN_CV,
    SPOT_ERROR_LN_FANO,
    SPOT_NUM_ERRORS
};

/* "ks_preempt_gap", ..., "ln_mtbp", "ln_cv", "ln_fano". */
const char *spot_error_name(int error_id);

/* An error of a column and its standard error; both NAN where undefined. The truth is
 * the recorded trace; for the second half it is the first half. */
void spot_comparison_error(const spot_comparison_t *self, const spot_comparison_column_t *column,
    int error_id, double *error, double *stderr_error);

/* The column of the seed model that others are compared with: "seed-corrected", else the
 * first one of generator seed, else NULL. */
const spot_comparison_column_t *spot_comparison_seed(const spot_comparison_t *self);

/* Two errors differ if they are more than two standard errors apart. */
typedef enum { SPOT_BETTER, SPOT_ALIKE, SPOT_WORSE, SPOT_UNDEFINED } spot_relation_t;

/* Compares an error of column with that of other; sets *ratio to the error of other /
 * that of column. */
spot_relation_t spot_comparison_relate(const spot_comparison_t *self,
    const spot_comparison_column_t *column, const spot_comparison_column_t *other, int error_id,
    double *ratio);

/* ---- Writing ---- */

/* Writes one object; undefined figures are null. */
void spot_comparison_json_write(const spot_comparison_t *self, FILE *out);

/* Writes one row per column, in the form of a reference table, with 8 digits. */
void spot_comparison_csv_write(const spot_comparison_t *self, FILE *out);

/* ---- The files of a comparison, and the comparison that is made of them ---- */

typedef struct {
    size_t num_paths;
    const char *const *paths;   /* [num_paths] the last one is held against the others */
    bool is_halves;             /* one trace alone */
    const char *reference_path; /* NULL: none */
    int64_t num_replications;   /* of each model */
    int64_t seed;
} spot_comparison_request_t;

typedef struct {
    spot_trace_t trace; /* that the others are held against */
    bool has_other;     /* a trace is compared, not models */
    spot_trace_t other;
    size_t num_models;
    spot_trace_model_file_t *models; /* [num_models] */
    spot_reference_t reference;
} spot_comparison_inputs_t;

/* Reads on after an error. BAD_INPUT, IO, NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_comparison_inputs_read(
    spot_comparison_inputs_t *self, const spot_comparison_request_t *request, spot_diag_t *diag);
void spot_comparison_inputs_free(spot_comparison_inputs_t *self);

/* Makes the comparison. A generated trace has the name of its model or source: one of
 * the same name is called as its file, like models. Warns of a seed model where gaps
 * vary more than its own can. NO_MEMORY, INTERRUPTED, OVERDRAW; free self even then. */
SPOT_MUST_CHECK int spot_comparison_run(spot_comparison_t *self,
    const spot_comparison_request_t *request, const spot_comparison_inputs_t *inputs,
    const spot_watch_t *watch, spot_diag_t *diag);

/* A metric that must not exceed a value. */
typedef struct {
    int metric_id;
    double value;
} spot_comparison_limit_t;
