/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A parameter study: a scenario, the values that its keys are swept over, and how many
 * replications each point gets. It knows one interface, the experiment, and one place
 * for its rows, the store. */
#ifndef SPOT_SIM_STUDY_STUDY_H
#define SPOT_SIM_STUDY_STUDY_H

#include <stdatomic.h>

#include "base/bind.h"
#include "base/inputs.h"
#include "base/stats.h"
#include "sim/store/store.h"
#include "sim/study/experiment.h"

typedef struct {
    int64_t count;      /* at each point, >= 1; without until */
    spot_until_t until; /* the head has it once it is bound */
    int64_t min;        /* at each point, with until and optimise */
    int64_t max;
    int64_t seed;
} spot_replications_t;

/* optimise as the study has it; the head has what is to be known of it. */
typedef struct {
    char *minimise; /* metrics; one of the two, moved to the head */
    char *maximise;
    const spot_node_t *over_node;    /* takes the place of the sweep */
    const spot_node_t *subject_node; /* a list of conditions; may be NULL */
    double confidence;
    double indifference;
} spot_optimise_request_t;

/* best as the study has it. */
typedef struct {
    char *key;
    char *minimise; /* metrics; one of the two */
    char *maximise;
    const spot_node_t *except_node; /* a list of values; may be NULL */
} spot_best_request_t;

typedef struct {
    const spot_experiment_t *experiment;
    spot_yaml_t document;      /* the study; an inline scenario is part of it */
    spot_yaml_t scenario_file; /* the scenario where it is a file of its own */
    spot_replications_t replications;
    spot_optimise_request_t optimise;
    spot_best_request_t best;
    const spot_node_t *scenario_node; /* as the study has it: a path or a map */
    const spot_node_t *sweep_node;
    const spot_node_t *plan_node;
    const spot_node_t *where_node;
    const spot_node_t *metrics_node;
    const spot_node_t *baseline_node;
    const spot_node_t *timelines_node;
    size_t num_timelines;
    int64_t *timelines; /* [num_timelines] replications of each point of which a database
                           keeps the timeline */
    int has_ledger;     /* what reports show beside the metrics asked for is kept too */
    size_t num_swept;
    spot_node_t ***values; /* [head.num_axes][axis.num_values] nodes to put in place */
    size_t *metric_ids;    /* [head.num_metrics] into the experiment's */
    void **scenarios;      /* [head.num_points] bound, constant while running */
    spot_inputs_t
        inputs; /* the files that scenarios name, named relative to the study */
    spot_study_head_t head;
} spot_study_t;

/* Every key with its help, for parsing and for the manual. */
extern const spot_field_t spot_study_fields[];

/* Reads a study file and binds every point of it, so that all errors are known before
 * the first run. sets: [num_sets] "KEY=VALUE" of the command line; a KEY is a study's
 * own
 * ("replications.count"), a swept one (its values are replaced), or a scenario's.
 * BAD_INPUT, IO, NO_MEMORY with the reasons in diag; free self even then. */
SPOT_MUST_CHECK int spot_study_read(spot_study_t *self,
    const spot_experiment_t *experiment, const char *path, const char *const *sets,
    size_t num_sets, spot_diag_t *diag);

/* The same for documents that were made in memory: self is zeroed but for document and,
 * where the scenario is a document of its own, scenario_file. path: files are noted
 * relative to its folder. Free self even after an error. */
SPOT_MUST_CHECK int spot_study_init(spot_study_t *self,
    const spot_experiment_t *experiment, const char *path, const char *const *sets,
    size_t num_sets, spot_diag_t *diag);

void spot_study_free(spot_study_t *self);

/* Keeps what reports show of the experiment beside the metrics that were asked for: its
 * ledger, cost and gain, behind all that is kept and not listed. Without this the
 * overview of the head has those that are kept anyway. For a study that was read and
 * that no store has seen. Nothing where the study says ledger: no. */
void spot_study_keep_ledger(spot_study_t *self);

/* The names of what spot_study_keep_ledger() would add: names[SPOT_MAX_METRICS], valid
 * as long as the experiment. Returns how many. */
size_t spot_study_ledger_names(const spot_study_t *self, const char **names);

/* How far a run of a study is; valid during the call that gets it. */
typedef struct {
    const spot_study_t *study;
    int64_t num_done;   /* replications that are there */
    int64_t num_wanted; /* as far as is known: a precision may ask for more */
    int64_t num_run;    /* replications that this run has made */
    const spot_moments_t
        *watched; /* [num_points] of this run's values of the watched metric */
    size_t num_points_done;
    size_t num_timelines; /* made so far, once all is run: */
    size_t num_timelines_wanted;
} spot_study_progress_t;

/* The metric of whose mean progress tells: that of a precision or an
 * optimum, else the first one. */
size_t spot_study_watched_metric(const spot_study_head_t *head);

/* The point where the watched metric is known least well and half the width of its
 * interval there at SPOT_CONFIDENCE; false: no point has two values yet. O(points). */
bool spot_study_widest(
    const spot_study_progress_t *self, size_t *point_id, double *half_width);

/* How a run of a study is watched and stopped. */
typedef struct {
    int num_threads;              /* >= 1 */
    int64_t shard_id, num_shards; /* 0 ... num_shards - 1: this part only; 0, 0: all */
    atomic_int *stop; /* not 0: the batches under way are finished; may be NULL */
    /* Told after every few batches, by any thread, one at a time; may be NULL. */
    void (*progress)(void *context, const spot_study_progress_t *progress);
    void *context;
} spot_study_run_t;

/* Whether the study can be run in so many parts. BAD_INPUT with the reason in diag: it
 * looks for an optimum. */
SPOT_MUST_CHECK int spot_study_check_shards(
    const spot_study_t *self, int64_t num_shards, spot_diag_t *diag);

/* Runs all replications of all points that are not in the store, whose head must be that
 * of the study, and puts them there, then the timelines that it lacks. The rows depend
 * neither on the number of threads nor on that of shards. INTERRUPTED after a stop (what
 * was finished is in the store), NO_MEMORY, IO with the reason in diag, BAD_INPUT as of
 * spot_study_check_shards, or the first error of the experiment. */
SPOT_MUST_CHECK int spot_study_run(const spot_study_t *self, spot_store_t *store,
    const spot_study_run_t *run, spot_diag_t *diag);

#endif
