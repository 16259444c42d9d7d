/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of a trace: population, events, gaps, sizes, bursts, time of day, lives.
 * All are doubles, so that undefined ones are NAN; counts are exact up to 2^53.
 *
 * This module owns the figures, the table that gives their names, units and words, the
 * counts by hour of the day, the statistics that the seed notebook computes (of a trace
 * or of its two logs), and the description of a file of any of these kinds.
 *
 * Use: spot_describe_file() for a path, or spot_describe_init() for a trace in memory;
 * then look at members or walk spot_describe_figures[]. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/error.h"
#include "base/json.h"
#include "base/units.h"
#include "traces/lifetimes.h"
#include "traces/trace.h"

/* ---- The seed notebook's statistics ----
 * Under their own names, exact to the last bit: integer sums, then one division. The
 * figures of a trace are better: mttp_s is the mean gap between any two changes of the
 * count, not a time to preemption. */

#define SPOT_NOTEBOOK_FIGURES 12

typedef struct {
    double values[SPOT_NOTEBOOK_FIGURES]; /* NAN where undefined */
} spot_notebook_t;

typedef struct {
    const char *name;
    const char *unit;
    const char *help;
} spot_notebook_figure_t;

extern const spot_notebook_figure_t spot_notebook_figures[SPOT_NOTEBOOK_FIGURES];

/* Prints lines "key value": the shortest number that reads back the same, "-" if
 * undefined. */
void spot_notebook_print(const spot_notebook_t *self, FILE *out);

/* Writes one object: trace, then the figures. key as of spot_json_open(). */
void spot_notebook_write_json(
    const spot_notebook_t *self, const char *name, spot_json_t *json, const char *key);

typedef struct {
    int64_t num_events;
    double exposed_s;  /* preempt: with an instance; add: below the capacity */
    double rate_per_h; /* events per exposed hour; NAN without exposed time */
    /* Exact Poisson interval of 95 %. F. Garwood, Biometrika 28, 1936. */
    double low_per_h;
    double high_per_h;
} spot_hour_t;

typedef struct {
    bool is_start_known; /* else hour 0 begins with the trace: "hours since start" */
    spot_hour_t hours[SPOT_HOURS_PER_DAY];
} spot_hours_t;

/* Time of day in the header key start, in ms since midnight of the same zone; -1 if the
 * key gives none. */
int64_t spot_hours_start_ms(const spot_trace_t *trace);

/* Counts the events of one kind, preempt or add. start_ms: time of day at the start of
 * the trace, -1 unknown. NO_MEMORY. O(events). */
SPOT_MUST_CHECK int spot_hours_init(
    spot_hours_t *self, const spot_trace_t *trace, spot_event_kind_t kind, int64_t start_ms);

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

/* ---- The figures of a file ----
 * Describes files: traces, lifetimes files, and the two logs of the seed study. */

typedef struct {
    const char *where; /* these rows of a lifetimes file, or NULL: all */
    int64_t tick_ms;   /* as a recorder of this tick would have seen it; 0: as it is */
    bool is_net;       /* that recorder sees the net change only */
    bool is_notebook;  /* the figures of the notebook instead */
    bool is_strict;
    /* Called with what was read, a trace or lifetimes, the other NULL; may be NULL. */
    void (*look)(void *context, const char *path, const spot_trace_t *trace,
        const spot_lifetimes_t *lifetimes);
    void *context;
} spot_describe_request_t;

/* What is known of one file. */
typedef struct {
    char *name;
    spot_describe_t figures;
    spot_notebook_t notebook; /* if it is asked for */
} spot_description_t;

/* Describes the file at path. name: that of a trace that has none of its own. BAD_INPUT
 * with the reasons in diag, IO, NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_describe_file(spot_description_t *self, const char *path, const char *name,
    const spot_describe_request_t *request, spot_diag_t *diag);

/* The two logs of the notebook, nodes and terminations, are one description. */
SPOT_MUST_CHECK int spot_describe_logs(
    spot_description_t *self, const char *const paths[2], const char *name, spot_diag_t *diag);

/* 1 if a file is such a log, 0 if not. NO_MEMORY. */
SPOT_MUST_CHECK int spot_describe_is_log(const char *path);

void spot_description_free(spot_description_t *self);
