/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running a study: all replications and series that its store lacks, in rounds, by any
 * number of threads or shards; what is left to run and how long it takes; and how far a
 * run is, in words and as JSON. The rows depend on none of that. */
#pragma once

#include <stdatomic.h>
#include <stdio.h>

#include "base/watch.h"
#include "sim/bench/analysis/estimate.h"
#include "sim/bench/analysis/race.h"
#include "sim/bench/study/study_state.h"

/* The progress of a run; valid during the call that gets it. */
typedef struct {
    const spot_study_t *study;
    int64_t num_done;               /* replications that are there */
    int64_t num_wanted;             /* as far as is known: a precision may ask for more */
    int64_t num_run;                /* replications that this run has made */
    const spot_estimate_t *watched; /* [num_points] of the watched metric, by this run's
                                       replications; NULL: the study is too large for it */
    size_t num_points_done;
    size_t num_series; /* made so far, once all is run: */
    size_t num_series_wanted;
    size_t num_break_evens; /* found so far, after that */
    size_t num_break_evens_wanted;
} spot_study_progress_t;

/* How a run of a study is watched and stopped. */
typedef struct {
    int num_threads;              /* >= 1 */
    int64_t shard_id, num_shards; /* 0 ... num_shards - 1: this part only; 0, 0: all */
    int64_t most;                 /* the first replications of each point alone, of a study
                                     that asks for a number of them; 0: all */
    atomic_int *stop;             /* not 0: the batches under way are finished; may be NULL */
    /* Called after each batch and series by any thread, one at a time; may be NULL. */
    void (*progress)(void *context, const spot_study_progress_t *progress);
    void *context;
} spot_study_run_t;

/* Checks whether the study can run in so many parts. BAD_INPUT with the reason in diag:
 * it looks for an optimum. */
SPOT_MUST_CHECK int spot_study_check_shards(
    const spot_study_t *self, int64_t num_shards, spot_diag_t *diag);

/* Runs all replications and series that the store lacks and puts them there. The head of
 * the store is that of the study. The rows depend neither on the number of threads nor
 * on that of shards. INTERRUPTED after a stop (finished batches are in the store),
 * NO_MEMORY, IO with the reason in diag, BAD_INPUT as of spot_study_check_shards(), or
 * the first error of the experiment. */
SPOT_MUST_CHECK int spot_study_run(
    const spot_study_t *self, spot_store_t *store, const spot_study_run_t *run, spot_diag_t *diag);

/* ---- What is left to run, and the time that it takes ---- */

/* With a count of replications least and most are the same. With until: and optimise:
 * the least is what the next round runs, and the most is what the points of that round
 * lack of max. */
typedef struct {
    int64_t num_there; /* replications in the store, of all points */
    int64_t least_runs, most_runs;
    size_t least_points, most_points; /* that these are of */
} spot_study_left_t;

/* Goes through the rounds of the study, or of a shard of it, up to the first one whose
 * rows are not all in the store. store may be NULL: it has no rows. Of run only the
 * shard matters. NO_MEMORY, or an error of reading, whose reason the store's flush()
 * says. */
SPOT_MUST_CHECK int spot_study_find_left(const spot_study_t *self, const spot_store_t *store,
    const spot_study_run_t *run, spot_study_left_t *left);

typedef struct {
    int64_t num_runs; /* that were measured, over all points measured */
    size_t num_points;
    double open_s; /* processor time to go to a point */
    double run_s;  /* and of a replication */
} spot_pilot_t;

/* Runs at least one replication of some points, spread evenly over all, until budget_s
 * of processor time are spent; all points get the same share. No result is kept. Runs on
 * the calling thread. INTERRUPTED, or the first error of the experiment. */
SPOT_MUST_CHECK int spot_study_measure(
    const spot_study_t *self, double budget_s, const spot_watch_t *watch, spot_pilot_t *pilot);

/* ---- How far a run is ---- */

typedef struct {
    double passed_s;
    double runs_per_s;
    double left_s; /* for what is known to be wanted; NAN: not known yet */
} spot_study_speed_t;

/* A line without its end: points and runs that are done, the speed, and how wide the
 * widest interval still is. */
void spot_study_progress_text(const spot_study_progress_t *progress,
    const spot_study_speed_t *speed, bool is_utf8, FILE *line);

/* {event: progress, ...} on a line. */
void spot_study_progress_json(
    const spot_study_progress_t *progress, const spot_study_speed_t *speed, FILE *out);

/* ---- Points that meet the same events ---- */

/* Points that meet the same changes from outside. Their batches of the same replications
 * are one task, so that the changes are made once. Internal to sim/bench/study. */

typedef struct {
    size_t num_cohorts;
    size_t *points;        /* [num_points] cohort by cohort, in order */
    size_t *first_points;  /* [num_cohorts + 1] places in points */
    int64_t *first_tasks;  /* [num_cohorts + 1] of a round */
    int64_t *first_ranges; /* [num_cohorts] number of its first batch size of
                              replications */
    int64_t *part_points;  /* [num_cohorts] points of a task at most */
} spot_cohorts_t;

/* Points are together if their scenarios, as far as the study keeps them, have the same
 * trace. NO_MEMORY; free self even then. O(points log points). */
SPOT_MUST_CHECK int spot_cohorts_init(spot_cohorts_t *self, const spot_study_t *study);
void spot_cohorts_free(spot_cohorts_t *self);
