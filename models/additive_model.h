/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An additive model: a base and a step function of each feature, fitted by cyclic
 * boosting. It is read as a table: one score for each bin of each feature.
 *
 * Each round visits every feature once and adds to its scores a part of the best step
 * function of the residuals, of at most three pieces from two greedy cuts. Several bags
 * with hold-outs of their own are averaged. Source: Lou, Caruana, Gehrke, "Intelligible
 * models for classification and regression", KDD 2012; Nori, Jenkins, Koch, Caruana,
 * "InterpretML", 2019. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/memory.h"

#define SPOT_ADDITIVE_MAX_BINS 64
#define SPOT_ADDITIVE_MAX_FEATURES 64

typedef struct {
    double up_to;         /* numbers: values up to it; HUGE_VAL in the last bin */
    const char *category; /* its name; NULL: numbers, without names, or the last bin */
    int64_t num_rows;     /* of the fit */
    double score;         /* the mean over the rows of all bins is 0 */
} spot_additive_bin_t;

/* Numbers: the bin of a value is the first one whose up_to is not below it; NAN is in
 * the first bin. Categories: the bin is the value; values outside 0 ... num_bins - 2,
 * and NAN, are in the last one. */
typedef struct {
    const char *name;
    bool has_categories;
    size_t num_bins; /* >= 1 */
    size_t max_bins;
    spot_additive_bin_t *bins; /* [num_bins] */
} spot_additive_feature_t;

typedef struct {
    double base; /* the mean of the fit */
    size_t num_features;
    size_t max_features;
    spot_additive_feature_t *features; /* [num_features] */
    spot_arena_t texts;
} spot_additive_model_t;

typedef enum {
    SPOT_LOSS_SQUARED, /* the fit approaches means */
    SPOT_LOSS_ABSOLUTE /* or medians */
} spot_loss_t;

extern const char *const spot_loss_names[]; /* by loss, NULL-terminated */

/* A feature of a fit. */
typedef struct {
    const char *name;
    const double *values;          /* [num_rows]; NAN: missing */
    size_t num_categories;         /* 0: the values are numbers; else they are categories from 0
                                      on, other values are unknown ones */
    const char *const *categories; /* [num_categories] names, or NULL */
} spot_additive_column_t;

typedef struct {
    size_t num_rows;
    const double *targets;                 /* [num_rows] finite */
    size_t num_columns;                    /* 1 ... SPOT_ADDITIVE_MAX_FEATURES */
    const spot_additive_column_t *columns; /* [num_columns] */
    spot_loss_t loss;
    uint64_t seed;
} spot_additive_request_t;

/* Fits a model; the same request gives the same model. Numbers have at most
 * SPOT_ADDITIVE_MAX_BINS bins of about as many rows. Categories are sorted by the mean
 * of their targets, which is drawn to the mean of all for rare ones, and joined to as
 * many bins for the fit. Without rows the model is 0. BAD_PARAM, NO_MEMORY; free self
 * even then. O(bags * rounds * columns * rows). */
SPOT_MUST_CHECK int spot_additive_fit(
    spot_additive_model_t *self, const spot_additive_request_t *request);

/* base + scores, at least 0; values: [num_features]. O(features log bins). */
double spot_additive_predict(const spot_additive_model_t *self, const double *values);

/* The mean of |score| of a feature over the rows of the fit. */
double spot_additive_importance(const spot_additive_feature_t *self);

void spot_additive_free(spot_additive_model_t *self);

/* Aborts if an invariant does not hold. */
void spot_additive_verify(const spot_additive_model_t *self);

/* Models as rows of a CSV file: target,feature,category,up_to,rows,score. The row of
 * feature "base" is the base; the last row of a feature has neither category nor up_to.
 * Scores are written so that they are read back exactly. */
#define SPOT_ADDITIVE_HEADER "target,feature,category,up_to,rows,score\n"
void spot_additive_write(const spot_additive_model_t *self, const char *target, FILE *out);

/* Reads the models of the targets from such a file: models[num_targets]. BAD_INPUT, also
 * if a target is missing; IO, NO_MEMORY; free the models even then. */
SPOT_MUST_CHECK int spot_additive_read(spot_additive_model_t *models, size_t num_targets,
    const char *const *targets, const char *path, spot_diag_t *diag);
