/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fits generator models of a trace, and writes them as YAML.
 *
 * In the Markov renewal model (mrp) the kind of the next event depends on the last one;
 * the gap between them depends on both kinds, and on whether the population is at a
 * limit. The seed model has independent events with fixed probabilities per minute.
 * Rates by hour of the day can go with either. `trace generate` reads what is written,
 * and a scenario accepts it as its `trace:`.
 *
 * Use: spot_fit_mrp() or spot_fit_seed() of a trace, then spot_mrp_write() or
 * spot_seed_write(); a model that plays the recording itself is spot_recorded_write(). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "traces/describe/describe.h"
#include "traces/fit/fit_words.h"
#include "traces/fit/maximise.h"
#include "traces/laws/law.h"
#include "traces/trace.h"

/* Class of a gap. Between 0 and the capacity: the events before and after it. */
typedef enum {
    SPOT_MRP_PREEMPT_PREEMPT,
    SPOT_MRP_PREEMPT_ADD,
    SPOT_MRP_ADD_PREEMPT,
    SPOT_MRP_ADD_ADD,
    SPOT_MRP_FULL,  /* until a preemption at capacity */
    SPOT_MRP_EMPTY, /* until an addition at 0 */
    SPOT_MRP_NUM_CLASSES
} spot_mrp_class_t;

/* By class: "preempt_preempt", ... as in a model file. */
extern const char *const spot_mrp_class_names[SPOT_MRP_NUM_CLASSES];

/* The two kinds of events, which index all arrays here. */
enum { SPOT_MRP_PREEMPT, SPOT_MRP_ADD, SPOT_MRP_NUM_TYPES };
extern const char *const spot_mrp_type_names[SPOT_MRP_NUM_TYPES];

/* Fewest gaps for the choice of a law; fewer only give their mean. */
#define SPOT_MRP_MIN_GAPS 12

typedef struct {
    size_t num_gaps; /* 0: the law is exponential with mean horizon / events */
    spot_law_t law;
    bool converged;
} spot_mrp_gap_t;

/* The law of sizes: all n with probability pi_all, else geometric, at most n. */
typedef struct {
    size_t num_events;
    double pi_all;
    double p;
    bool converged;
    const char *best;  /* family of the lowest AIC given n; NULL: none could be fitted */
    double aic_behind; /* AIC of this law - AIC of best */
} spot_mrp_bulk_t;

typedef struct {
    size_t num_events; /* preemptions and additions */
    double tick_s;     /* of the recorder, at least 60 s */
    int32_t capacity;  /* of an unbounded trace: the largest population */
    int32_t initial;
    double horizon_s;
    double p_preempt_after[SPOT_MRP_NUM_TYPES];
    spot_mrp_gap_t gaps[SPOT_MRP_NUM_CLASSES];
    spot_mrp_bulk_t bulks[SPOT_MRP_NUM_TYPES];
} spot_mrp_t;

/* Fits the model. BAD_INPUT: the trace has neither preemption nor addition; NO_MEMORY.
 * O(events), plus the searches. */
SPOT_MUST_CHECK int spot_fit_mrp(
    spot_mrp_t *self, const spot_trace_t *trace, spot_maximiser_t *maximiser);

/* ---- The seed model ---- */

typedef struct {
    size_t num_events;
    double per_minute; /* events / minutes, at most 1 */
    double mean;       /* of the sizes that are not big; 1 without any */
    double std;        /* with n - 1; 0 for fewer than 2 */
    double p_big;      /* share of additions above 10 */
    int32_t big_low;   /* smallest and largest addition above 10 */
    int32_t big_high;
    double gap_cv; /* NAN for fewer than 3 events */
} spot_fit_seed_direction_t;

typedef struct {
    double tick_s;
    int32_t capacity;
    int32_t initial;
    double horizon_s;
    spot_fit_seed_direction_t preemption;
    spot_fit_seed_direction_t addition;
} spot_seed_t;

/* Fits the model. BAD_INPUT: the trace has neither preemption nor addition; NO_MEMORY.
 * O(events). */
SPOT_MUST_CHECK int spot_fit_seed(spot_seed_t *self, const spot_trace_t *trace);

/* ---- Rates of events by hour of the day ----
 * They are off by default: on held-out halves of recordings they improve the model
 * little. */

typedef struct {
    double start_hour;                  /* hour of the day at time 0, 0 <= h < 24 */
    double preempt[SPOT_HOURS_PER_DAY]; /* rates; their mean is 1 */
    double add[SPOT_HOURS_PER_DAY];
} spot_fit_hourly_t;

/* Estimates the rates. start_ms: time of day at the start of the trace, 0 <= start_ms <
 * 24 h. A prior of ten events at the mean rate is added to each hour. Without events all
 * rates are 1. NO_MEMORY. O(events). */
SPOT_MUST_CHECK int spot_fit_hourly(
    spot_fit_hourly_t *self, const spot_trace_t *trace, int64_t start_ms);

/* ---- Models as YAML ----
 * Writes fitted generator models as YAML, which `trace generate` reads and a scenario
 * accepts as its `trace:`. */

/* Contents of the comments, and optional parts of a model. */
typedef struct {
    const spot_trace_t *trace;       /* the recording; the model has its name */
    const char *source;              /* the file as the user named it */
    const char *version;             /* of the program */
    const spot_law_t *lifetime;      /* a personal deadline of each instance, or NULL */
    const spot_fit_hourly_t *hourly; /* rates by hour, or NULL */
    const spot_fit_words_t *doubts;  /* about the model, for comments, or NULL */
} spot_fit_origin_t;

/* Writes each number as the shortest text that reads back the same. The caller checks
 * out for errors. */
void spot_mrp_write(const spot_mrp_t *self, const spot_fit_origin_t *origin, FILE *out);

/* The seed model has neither lifetimes nor hours: both are ignored. */
void spot_seed_write(const spot_seed_t *self, const spot_fit_origin_t *origin, FILE *out);

/* Writes a model that consists of the recording: generator "block" (pieces of it) or
 * "replay". path: of the trace, relative to the folder of the model. */
void spot_recorded_write(const char *generator, const char *path, size_t num_events,
    const spot_fit_origin_t *origin, FILE *out);
