/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison: one trace, its halves held against each other as the floor, and what is
 * compared with it: other traces, or models with their replications. Columns of figures
 * and distances, and how the errors of models relate. */
#ifndef SPOT_COMPARE_COMPARISON_H
#define SPOT_COMPARE_COMPARISON_H

#include <stdbool.h>
#include <stdio.h>

#include "traces/compare/fidelity.h"
#include "traces/compare/reference.h"
#include "traces/compare/replicate.h"
#include "traces/trace.h"

typedef enum {
    SPOT_COLUMN_RECORDED, /* the trace itself */
    SPOT_COLUMN_HALF,     /* its first half: the one that the second is held against */
    SPOT_COLUMN_HALVES,   /* second half against first half */
    SPOT_COLUMN_TRACE,    /* another trace */
    SPOT_COLUMN_MODEL     /* a model */
} spot_column_kind_t;

typedef struct {
    spot_column_kind_t kind;
    char *label; /* "recorded", "half1", "half2-vs-half1", else as given; distinct */
    char *model; /* its kind, of models only: "mrp", "seed-corrected" */
    int64_t num_replications;                /* 1 unless a model */
    double means[SPOT_FIDELITY_NUM_METRICS]; /* NAN where undefined, like the next */
    double sds[SPOT_FIDELITY_NUM_METRICS];   /* over replications, n - 1 */
    bool has_reference;
    double zs[SPOT_FIDELITY_NUM_METRICS]; /* against the reference */
} spot_column_t;

typedef struct {
    char *name; /* of the trace, like the next */
    spot_trace_kind_t kind;
    double resolution_s;
    bool is_unbounded; /* the capacity of frame is then the most that ever ran */
    spot_observation_t recorded; /* with the frame of all */
    spot_fidelity_t fidelity;    /* of recorded */
    uint64_t seed;
    size_t num_columns;
    size_t max_columns;
    spot_column_t *columns; /* [num_columns] recorded, half1, half2-vs-half1, then those
                               that were added */
} spot_comparison_t;

/* Columns that every comparison has. */
#define SPOT_COMPARISON_FIRST ((size_t) 3)

/* Records trace at the tick of both resolutions and makes the first columns. is_net:
 * only the net change of a tick counts, because that is all that one of the traces
 * shows. NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_comparison_init(spot_comparison_t *self,
    const spot_trace_t *trace, int64_t other_resolution_ms, bool is_net, uint64_t seed);
void spot_comparison_free(spot_comparison_t *self);

/* What the column of a file is called: its name without folder and ".yaml", ".yml",
 * ".csv" or ".csv.gz", with _ for what no field of a table may have. NULL: no memory.
 * The caller frees it. */
SPOT_MUST_CHECK char *spot_comparison_label(const char *path);

/* Whether a trace of this kind only shows the net change of a tick. */
bool spot_comparison_is_net(spot_trace_kind_t kind);

/* Adds a column; label gets a number if there is one of that name. NO_MEMORY,
 * INTERRUPTED. */
SPOT_MUST_CHECK int spot_comparison_add_trace(
    spot_comparison_t *self, const spot_trace_t *trace, const char *label);

/* The model's horizon, capacity and initial instances are those of the trace. name: of
 * its kind, see trace_model.h. watch may be NULL. */
SPOT_MUST_CHECK int spot_comparison_add_model(spot_comparison_t *self,
    const spot_trace_model_t *model, const char *name, const char *label,
    int64_t num_replications, const spot_watch_t *watch);

/* How replications of a model are made for this comparison, e.g. for a band. */
spot_replicate_t spot_comparison_replicate(const spot_comparison_t *self,
    const spot_trace_model_t *model, int64_t num_replications,
    const spot_watch_t *watch);

/* Fills zs of the models that reference has a row of, for this trace: one of the
 * column's label, else one of the model's kind. */
void spot_comparison_set_reference(
    spot_comparison_t *self, const spot_reference_t *reference);

/* ---- How models relate ---- */

/* The errors that models are judged by: the distances, then |ln(mean / recorded)| of
 * figures that a comparison of fleets rests on. */
enum {
    SPOT_ERROR_LN_MTBP = SPOT_FIDELITY_NUM_METRICS - SPOT_FIDELITY_NUM_FIGURES,
    SPOT_ERROR_LN_CV,
    SPOT_ERROR_LN_FANO,
    SPOT_NUM_ERRORS
};

/* "ks_preempt_gap", ..., "ln_mtbp", "ln_cv", "ln_fano". */
const char *spot_error_name(int error_id);

/* An error of a column and its standard error; both NAN where undefined. Against the
 * recorded trace; of the second half against the first one. */
void spot_comparison_error(const spot_comparison_t *self, const spot_column_t *column,
    int error_id, double *error, double *stderr_error);

/* The column of the seed model that others are measured by: "seed-corrected", else the
 * first one of generator seed; NULL: there is none. */
const spot_column_t *spot_comparison_seed(const spot_comparison_t *self);

/* Two errors further apart than two standard errors differ. */
typedef enum { SPOT_BETTER, SPOT_ALIKE, SPOT_WORSE, SPOT_UNDEFINED } spot_relation_t;

/* How a model's error relates to that of another; *ratio is the other's error / its own.
 */
spot_relation_t spot_comparison_relate(const spot_comparison_t *self,
    const spot_column_t *column, const spot_column_t *other, int error_id,
    double *ratio);

/* ---- Writing ---- */

/* A table for people. */
void spot_comparison_text_write(const spot_comparison_t *self, FILE *out);

/* One object; undefined is null. */
void spot_comparison_json_write(const spot_comparison_t *self, FILE *out);

/* One row a column, in the form that reference tables have; 8 digits. */
void spot_comparison_csv_write(const spot_comparison_t *self, FILE *out);

#endif
