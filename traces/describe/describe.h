/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of a trace: population, events, gaps, sizes, bursts, time of day, lives.
 * All are doubles, so that undefined ones are NAN; counts are exact up to 2^53. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/error.h"
#include "base/json.h"
#include "traces/lifetimes.h"
#include "traces/trace.h"

/* Fewest gaps or spells for an autocorrelation. */
#define SPOT_DESCRIBE_MIN_GAPS 10

/* The generator seed draws at each tick whether an event happens, so that its gaps have
 * a CV of at most 1. A trace with a CV above this one needs another generator. */
#define SPOT_SEED_MAX_CV 1.2

typedef struct {
    double n; /* complete gaps or spells */
    double mean_s;
    double sd_s; /* with n - 1 */
    double cv;
    double median_s;
    double acf1;        /* of the values, lag 1; from SPOT_DESCRIBE_MIN_GAPS on */
    double log_acf1;    /* of their logarithms; gaps only, like ljungbox5_p */
    double ljungbox5_p; /* p-value: the first five autocorrelations are 0 */
} spot_gap_figures_t;

/* Instances per event. */
typedef struct {
    double mean;
    double sd;
    double vmr; /* variance / mean */
    double max;
    double share_one; /* share of events of one instance */
} spot_count_figures_t;

typedef struct {
    double n;
    double preempted;
    double censored;
    double mean_observed_s; /* of the preempted lives, like sd_observed_s */
    double sd_observed_s;
    double km_median_s; /* Kaplan-Meier; INFINITY: more than half outlive the data */
    double restricted_mean_s;
    double deaths_per_s; /* preemptions / total time of the instances */
} spot_life_figures_t;

typedef struct {
    char *name;
    char *start;            /* as in the header: "unknown", a date or a date-time */
    bool is_lifetimes;      /* a lifetimes file: only life is defined */
    bool is_unbounded;      /* capacity is the largest population */
    spot_trace_kind_t kind; /* unless is_lifetimes */
    double resolution_s;
    double span_h;
    double capacity;
    double max_n;
    double min_n;
    double mean_n;
    double frac_full;
    double frac_empty;
    double preempt_events;
    double preempted;
    double add_events;
    double added;
    spot_gap_figures_t preempt_gap;
    spot_gap_figures_t add_gap;
    spot_gap_figures_t change_gap;
    spot_count_figures_t preempt_count;
    spot_count_figures_t add_count;
    double preempted_per_instance_h;
    double fano_instances_10min; /* variance / mean of the losses of a window */
    double fano_events_10min;
    double fano_instances_1h;
    double fano_events_1h;
    double shortest_plateau_s;
    double day_n; /* preemption events in the whole days */
    double day_rayleigh_r;
    double day_rayleigh_p;
    double day_peak_h; /* hours from the start of the trace, 0 to 24 */
    spot_life_figures_t life;
    spot_gap_figures_t up_spell;
    spot_gap_figures_t down_spell;
} spot_describe_t;

/* Copies what it needs. NO_MEMORY; free self even then. O(events log events). */
SPOT_MUST_CHECK int spot_describe_init(spot_describe_t *self, const spot_trace_t *trace);

/* The same of a lifetimes file, for which only life is defined; name is that of the
 * trace. */
SPOT_MUST_CHECK int spot_describe_init_lifetimes(
    spot_describe_t *self, const spot_lifetimes_t *lifetimes, const char *name);

void spot_describe_free(spot_describe_t *self);

/* Span / events in seconds: the time between events spread evenly over the trace. NAN
 * without events. */
double spot_describe_spread_s(double span_h, double num_events);

/* Warns of figures that mislead or rest on few events; file is the place in messages. */
void spot_describe_warn(const spot_describe_t *self, const char *file, spot_diag_t *diag);

/* ---- The figures by name: JSON, CSV and the manual are made from one table ---- */

typedef struct {
    const char *name; /* column of the CSV, key of the JSON */
    const char *unit; /* "" for plain numbers */
    const char *help;
    bool is_integer;
    size_t offset; /* in spot_describe_t */
} spot_describe_figure_t;

/* All columns of the CSV but the first two, "trace" and "kind". */
#define SPOT_NUM_DESCRIBE_FIGURES 76
extern const spot_describe_figure_t spot_describe_figures[SPOT_NUM_DESCRIBE_FIGURES];

/* Address and value of a figure in describe. */
double *spot_describe_figure_place(spot_describe_t *describe, const spot_describe_figure_t *figure);
double spot_describe_figure_value(
    const spot_describe_t *describe, const spot_describe_figure_t *figure);

/* "named", "counts", "availability" or "lifetimes". */
const char *spot_describe_kind(const spot_describe_t *self);

/* Writes one object: trace, kind, n_is (what the population counts), then the figures.
 * An undefined figure is null, an infinite one the text "inf". key as of
 * spot_json_open(). */
void spot_describe_write_json(const spot_describe_t *self, spot_json_t *json, const char *key);

/* Write the row of column names, and a row of figures: 8 significant digits, integers
 * exact, undefined ones empty, infinite ones "inf". */
void spot_describe_write_csv_head(FILE *out);
void spot_describe_write_csv(const spot_describe_t *self, FILE *out);
