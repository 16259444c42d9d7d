/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The experiment: all that the bench knows of an engine. It binds a scenario from YAML,
 * says what a replication of it yields, and runs one. One const table for each engine,
 * listed in sim/engines.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/assumed.h"
#include "base/bind.h"
#include "base/diag.h"
#include "base/error.h"
#include "base/json.h"
#include "base/rng.h"
#include "base/watch.h"
#include "base/yaml.h"
#include "sim/bench/engine/advice.h"
#include "sim/bench/engine/metric.h"
#include "sim/bench/engine/series.h"

/* What a replication of a bound scenario yields, and how many replications to run.
 * Belongs to the scenario and lives as long. Names of metrics are unique; metrics of two
 * points of a study with the same name are the same metric. */
typedef struct {
    size_t num_metrics;           /* >= 1 */
    const spot_metric_t *metrics; /* [num_metrics] */
    /* Names of metrics that a report shows beside those of the study; the first point of
     * the study gives them. */
    size_t num_parts;
    const char *const *parts; /* [num_parts] shares that add up to 1, from below */
    const char *const *bars;  /* [num_parts] the same as bars have them, from the left;
                                 NULL: as parts */
    const char *whole;        /* what these are shares of: "paid instance time"; or NULL */
    const char *cost;         /* less is better; NULL: none */
    const char *gain;         /* more is better; NULL: none */
    size_t num_compared;
    const char *const *compared; /* [num_compared] metrics that `spotsim compare` lists;
                                    0: all */
    size_t num_series;
    const spot_series_kind_t *const *series; /* [num_series] */
    bool is_random;                          /* replications differ; else one is enough */
    /* Names of metrics, up to NULL, that the rules of the scenario make 0 in all replications
     * (not derived ones), as work for redundancy where there is none, or the same; NULL: none
     * is known to be. */
    const char *const *never;
    const char *const *ruled;
    bool is_ruled; /* all metrics are the same, though replications are run for each event */
    const char *why_fixed;      /* where they do not, the reason in words; may be NULL */
    int64_t num_replications;   /* of a point, if the study does not say, >= 1 */
    int64_t min_replications;   /* the same, with a precision or a race, >= 2 */
    int64_t batch_replications; /* the unit of work, 1 to 65535 */
    const char *cannot_run;     /* what the scenario lacks to be run, in words without a
                                   place; NULL: nothing */
    const char *unmeasured;     /* what its results rest on that was not measured, so that it
                                   wins over nothing that was: "its steps follow from
                                   step_factor"; NULL: nothing */
    spot_beyond_t beyond;       /* the same, as far as a replication shows it */
} spot_outputs_t;

/* One of the values of such a key. */
typedef struct {
    const char *name; /* NULL: there is no value j */
    const char *doc;
    const char *source; /* paper or program that it follows; may be NULL */
} spot_rival_t;

/* A key whose values are alternatives with a word of their own, for `spotsim compare`.
 */
typedef struct {
    const char *key;     /* "recovery"; NULL ends a list */
    const char *noun;    /* "recovery system" */
    const char *example; /* two values: "checkpoint,{system: checkpoint, ...}" */
    /* Value j, for `spotsim engine NAME`; NULL: they are listed elsewhere. */
    spot_rival_t (*value)(size_t j);
} spot_rivals_t;

/* Which replication to run. */
typedef struct {
    uint64_t seed;
    uint64_t replication;
    const atomic_int *stop;   /* not 0: return INTERRUPTED within a second; may be NULL */
    struct spot_tapes *tapes; /* traces/generate/membership.h: of the scenarios with the same
                                 trace_key(); NULL: none, as of engines without one, or a
                                 recording is wanted */
} spot_replication_t;

/* How a bound scenario stands beside the others of its study. */
typedef struct {
    const char *side; /* what it is one of, such as its recovery system; static */
    const char *path; /* the key whose options break rules that other sides keep, so that
                         it is compared with its own side only; NULL: it keeps them */
} spot_standing_t;

struct spot_experiment;

/* A replication that a worker has just run, as it is printed. */
typedef struct {
    const struct spot_experiment *experiment;
    const void *worker;
    const char *name; /* of the scenario; NULL: it has none */
    const spot_outputs_t *outputs;
    const double *metrics;         /* [outputs->num_metrics], derived ones too */
    const unsigned char *warnings; /* [experiment->num_warnings] */
    uint64_t seed;
    uint64_t replication;
    bool has_theory; /* beside what theory says of it (--check-theory) */
} spot_run_result_t;

/* The value of a metric; NAN: it is undefined, or none of this scenario. O(metrics). */
double spot_run_result_metric(const spot_run_result_t *self, const char *name);

/* What `spotsim run` prints in place of a table of metrics, for engines that say more. The bench
 * prints the warnings, and in JSON the seed and the replication, behind it. */
typedef struct {
    /* NULL: the metrics are printed. json writes members of an open object. */
    void (*text)(const spot_run_result_t *result, FILE *out);
    void (*json)(const spot_run_result_t *result, spot_json_t *json);
    bool knows_theory; /* has_theory may be true */
    /* The event log of a replication that was recorded, as JSON lines; NULL: the engine
     * has none. */
    void (*events)(const void *worker, FILE *out);
    /* Why the replication did nothing at all, or left undone what it is to do, in words;
     * NULL: all is done. The function may be NULL. */
    const char *(*failure)(const void *worker);
    /* Lines for people about the run itself, on standard error before the result; not
     * with --quiet. NULL: none. */
    void (*progress)(const void *worker, FILE *out);
} spot_run_view_t;

typedef struct spot_experiment {
    const char *name;           /* "train": a plain word */
    const char *summary;        /* one line, for lists */
    const char *doc;            /* for the manual page */
    const char *example;        /* a short scenario, YAML, that needs no other file */
    const spot_field_t *fields; /* keys of a scenario, headed by SPOT_BENCH_FIELDS. For
                                   the canonical form and the manual */
    size_t num_warnings;
    const spot_warning_t *warnings; /* [num_warnings] */
    const spot_colour_t *colours;   /* may be NULL */
    const spot_rivals_t *rivals;    /* may be NULL */
    /* Binds a scenario document. like: another scenario of the study, whose large parts
     * can be shared, or NULL. *scenario is constant afterwards and shared by all
     * threads. BAD_INPUT with the reasons in diag; free it even then. CANNOT_RUN: the
     * scenario is sound, but lacks what its outputs say in cannot_run; the same are
     * errors in diag. It may be asked for its outputs and its standing, not run. */
    int (*bind)(void **scenario, const spot_node_t *root, const void *like, spot_diag_t *diag);
    void (*free)(void *scenario); /* accepts NULL */
    const spot_outputs_t *(*outputs)(const void *scenario);
    /* Whether the default of a key that decides (SPOT_DECIDES) has a bearing on a bound
     * scenario, whose document, root, lacks the key. NULL: all have. */
    bool (*decides)(const void *scenario, const spot_node_t *root, const char *key);
    /* Appends what a bound scenario takes for granted besides defaults of keys, such as what
     * its log does not say. NO_MEMORY. NULL: nothing. */
    int (*assume)(const void *scenario, spot_assumed_t *assumed);
    /* Equal for scenarios whose replications meet the same changes from outside, made in
     * the same way, so that they can share tapes; 0: there are none. May be NULL. */
    uint64_t (*trace_key)(const void *scenario);
    /* NULL: all scenarios can be compared. */
    spot_standing_t (*standing)(const void *scenario);
    /* A worker holds the memory of one thread for one scenario. */
    int (*open)(void **worker, const void *scenario);
    void (*close)(void *worker); /* accepts NULL */
    /* Runs one replication. metrics: [num_metrics] of the outputs, NAN for null; those
     * that are derived are left alone.
     * warnings: [num_warnings], zeroed by the caller; set to 1 where the condition held.
     * recording: initialised with the series of the outputs, to be filled; NULL: not
     * wanted. INTERRUPTED, NO_MEMORY or another error. */
    int (*run)(void *worker, const spot_replication_t *replication, double *metrics,
        unsigned char *warnings, spot_recording_t *recording);
    /* Reports in diag, at the keys of the scenario's document, root, what a run with a recording
     * would take beyond spot_memory_limit(). BAD_INPUT. NULL: a recording takes little. */
    int (*check_recording)(const void *scenario, const spot_node_t *root, spot_diag_t *diag);
    const spot_run_view_t *view; /* NULL: `spotsim run` prints the metrics */
    const spot_advice_t *advice; /* NULL: `spotsim advise` has nothing to choose */
    /* What else the engine does, such as `serve plan` (base/verb/verb.h), up to NULL; NULL:
     * nothing. */
    const struct spot_verb *const *verbs;
} spot_experiment_t;

/* The engine with this name in a list that ends with NULL, or NULL; all names are
 * offered to near. */
const spot_experiment_t *spot_experiment_find(
    const spot_experiment_t *const *engines, const char *name, spot_suggest_t *near);

/* The experiment that the key engine of a scenario document names, of a list that ends
 * with NULL; the first one without the key, or after an error. BAD_INPUT with the reason
 * in diag. root may be NULL. */
SPOT_MUST_CHECK int spot_experiment_choose(const spot_experiment_t **self,
    const spot_experiment_t *const *engines, const spot_node_t *root, spot_diag_t *diag);

/* Appends what a bound scenario takes for granted, each once: the defaults that decide
 * its time or money, which its document, root, lacks. NO_MEMORY. O(keys). */
SPOT_MUST_CHECK int spot_experiment_find_assumed(const spot_experiment_t *self,
    const void *scenario, const spot_node_t *root, spot_assumed_t *assumed);

/* Whether a recording of a bound scenario fits into memory, see check_recording. */
SPOT_MUST_CHECK static inline int spot_experiment_check_recording(
    const spot_experiment_t *self, const void *scenario, const spot_node_t *root, spot_diag_t *diag)
{
    return self->check_recording == NULL ? 0 : self->check_recording(scenario, root, diag);
}

/* The metric with this name, or num_metrics. O(metrics). */
static inline size_t spot_outputs_metric_id(const spot_outputs_t *self, const char *name)
{
    return spot_metric_find(self->metrics, self->num_metrics, name);
}

/* Whether the replication is to be stopped. */
static inline bool spot_replication_is_stopped(const spot_replication_t *self)
{
    return self->stop != NULL && atomic_load(self->stop) != 0;
}

/* Puts a stream of random numbers of the replication at its first number. */
static inline void spot_replication_seek(
    const spot_replication_t *self, spot_rng_t *rng, spot_stream_t purpose, uint64_t entity)
{
    spot_rng_seek(rng, self->seed, self->replication, purpose, entity);
}

/* The head of the fields of every engine: the name of the scenario and the key that
 * chooses the engine. The bench reads both; nothing is bound. */
#define SPOT_BENCH_FIELDS SPOT_NAME_FIELD, SPOT_ENGINE_FIELD
#define SPOT_NAME_FIELD                                                                            \
    {                                                                                              \
        .name = "scenario", .type = SPOT_FIELD_TEXT, .offset = SPOT_NOWHERE,                       \
        .help = "name of the scenario"                                                             \
    }
#define SPOT_ENGINE_FIELD                                                                          \
    {                                                                                              \
        .name = "engine", .type = SPOT_FIELD_SELECTOR, .initial = "train",                         \
        .help = "which engine runs the scenario, see `spotsim engine`"                             \
    }
