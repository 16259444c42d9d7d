/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A parameter study: a scenario, the values of its swept keys, and how many replications
 * each point gets. It runs any experiment and puts the rows into a store. */
#pragma once

#include <stdatomic.h>

#include "base/bind.h"
#include "base/inputs.h"
#include "base/watch.h"
#include "sim/bench/analysis/estimate.h"
#include "sim/bench/engine/experiment.h"
#include "sim/bench/store/origin.h"
#include "sim/bench/store/store.h"

/* Of a point: the one with the median of the watched metric; 0 in a shard. */
#define SPOT_MEDIAN_REPLICATION INT64_C(-1)

/* Points that yield the same metrics in the same order. */
typedef struct {
    size_t first_point;
    const spot_outputs_t *outputs; /* of its scenario */
    int32_t *columns;              /* [outputs->num_metrics] metrics of the head; -1: not kept */
} spot_metric_layout_t;

/* What the points of a study yield together, and the layout of each point. Texts belong
 * to scenarios. */
typedef struct {
    spot_outputs_t outputs; /* the union of their metrics in the order in which they
                               first occur, the most series that a point has, and whether
                               replications of any differ; else those of the first point
                             */
    size_t max_metrics;
    spot_metric_t *metrics; /* [outputs.num_metrics] */
    size_t num_layouts;
    size_t max_layouts;
    spot_metric_layout_t *layouts; /* [num_layouts] */
    uint32_t *layout_ids;          /* [num_points] */
} spot_yield_t;

typedef struct {
    const spot_experiment_t *experiment; /* of the scenario */
    bool is_comparison;                  /* lists what its engine compares */
    struct spot_template *template;      /* binds any point */
    spot_inputs_t *inputs;    /* the files that scenarios name, named relative to the study */
    spot_yield_t yield;       /* of the points */
    void **scenarios;         /* [head.num_points] bound, constant while running; an item that is
                                 NULL is bound when it is run */
    struct spot_forms *forms; /* metrics that the study makes of others; may be NULL */
    size_t max_metrics;       /* of head.metrics */
    bool has_ledger;          /* spot_study_keep_ledger() may append metrics */
    size_t num_series;
    int64_t *series; /* [num_series] replications of each point whose series a database
                        keeps; SPOT_MEDIAN_REPLICATION */
    spot_study_head_t head;
} spot_study_t;

/* Every key with its help, for parsing and for the manual. */
extern const spot_field_t spot_study_fields[];

/* Reads a study file and binds every point of it, so that all errors are known before
 * the first run. engines: those that a scenario may name, up to NULL. sets: [num_sets]
 * "KEY=VALUE" of the command line; a KEY is a study's own ("replications.count"), a
 * swept one (its values are replaced), or a scenario's. BAD_INPUT, IO, NO_MEMORY with
 * the reasons in diag; free self even then. */
SPOT_MUST_CHECK int spot_study_read(spot_study_t *self, const spot_experiment_t *const *engines,
    const char *path, const char *const *sets, size_t num_sets, spot_diag_t *diag);

/* Documents that were made in memory. */
typedef struct {
    spot_yaml_t *study;
    spot_yaml_t *scenario; /* zeroed unless it is a document of its own */
    const char *path;      /* files are noted relative to its folder */
    bool is_comparison;
    size_t num_sets;
    const char *const *sets; /* [num_sets] */
} spot_study_source_t;

/* The same for such documents, which the study takes over. */
SPOT_MUST_CHECK int spot_study_init(spot_study_t *self, const spot_experiment_t *const *engines,
    const spot_study_source_t *source, spot_diag_t *diag);

void spot_study_free(spot_study_t *self);

/* The file_id-th file that its scenario was read from, or NULL. */
const char *spot_study_file(const spot_study_t *self, size_t file_id);

/* Appends the ledger, cost and gain metrics of the experiment after the listed ones, for
 * reports; none if the study says ledger: no, or if the study goes on in a store whose
 * head, begun, lacks one of them. begun is NULL for a new store. For a study that was
 * read and is in no store yet. NO_MEMORY. */
SPOT_MUST_CHECK int spot_study_keep_ledger(spot_study_t *self, const spot_study_head_t *begun);

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

/* The metric whose mean is watched: that of a precision or an optimum, else the first
 * one. */
size_t spot_study_watched_metric(const spot_study_head_t *head);

/* Finds the point with the widest interval of the watched metric; *half_width is half
 * its width. Returns false if no point has two values yet, or none is watched. O(points). */
bool spot_study_widest(const spot_study_progress_t *self, size_t *point_id, double *half_width);

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

/* Writes the values of a point: "job.reload 10 s, fleet.capacity 32", cut to text_bytes.
 * Returns text. */
const char *spot_study_point_text(
    const spot_study_head_t *head, size_t point_id, char *text, size_t text_bytes);

/* The engine at work on a point, for one thread. Zero it to start. */
typedef struct {
    const spot_study_t *study;
    size_t point_id;
    void *scenario;
    bool is_changed;          /* the scenario is not quite that of the point */
    struct spot_tapes *tapes; /* of the points that it goes to, which have the same
                                 trace; NULL: none */
    void *worker;             /* of the experiment; NULL: no point yet */
    double *metrics;          /* of the latest replication, those of the layout of the point */
    unsigned char warnings[SPOT_MAX_WARNINGS]; /* the same */
} spot_study_worker_t;

/* Goes to a point of the study, unless it is there. NO_MEMORY, or BAD_INPUT with the
 * reason in diag, which may be NULL: a file is gone or changed. */
SPOT_MUST_CHECK int spot_study_worker_go(
    spot_study_worker_t *self, const spot_study_t *study, size_t point_id, spot_diag_t *diag);
void spot_study_worker_close(spot_study_worker_t *self);

/* The same with another value of a key that the point has. BAD_INPUT: the engine does
 * not take it, or yields other metrics then; why is not said. */
SPOT_MUST_CHECK int spot_study_worker_change(spot_study_worker_t *self, const spot_study_t *study,
    size_t point_id, const char *path, const char *text);

/* Runs a replication at the point. recording: of its series, initialised; may be NULL.
 * Errors of the experiment. */
SPOT_MUST_CHECK int spot_study_worker_run(spot_study_worker_t *self, int64_t replication,
    const atomic_int *stop, spot_recording_t *recording);

/* The same into a row of the head's metrics: [num_metrics], NAN for what is not kept;
 * *warnings as in spot_row_t. */
SPOT_MUST_CHECK int spot_study_worker_row(spot_study_worker_t *self, int64_t replication,
    const atomic_int *stop, double *row, uint32_t *warnings);

/* The same for its series. recording needs no init; free it even after an error:
 * NO_MEMORY, or an error of the experiment. */
SPOT_MUST_CHECK int spot_study_worker_record(spot_study_worker_t *self, int64_t replication,
    const atomic_int *stop, spot_recording_t *recording);

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

/* ---- What the rows depend on and where they were made ---- */

/* A provenance that owns its texts. */
typedef struct {
    spot_provenance_t provenance;
    char *canonical;
    char sha256[SPOT_SHA256_TEXT_BYTES];
    char *texts; /* the libraries, the machine and the command line */
} spot_study_provenance_t;

/* argv: [argc] the command. The caller fills in threads and shard. NO_MEMORY; free self
 * even then. */
SPOT_MUST_CHECK int spot_study_provenance_init(
    spot_study_provenance_t *self, const spot_study_t *study, int argc, char *const *argv);
void spot_study_provenance_free(spot_study_provenance_t *self);

/* ---- Comparisons ----
 *
 * A comparison is a study that sweeps the keys that are compared. All cases meet the
 * same events in each replication. The case with the first value of each key is the
 * baseline. */

/* A key that is compared, as the command line has it. */
typedef struct {
    const char *option; /* "--over" or "--recovery", for messages */
    const char *key;    /* of the scenario; NULL: values start with "KEY=" */
    const char *values; /* the inside of a YAML list, at least two values */
} spot_compare_key_t;

typedef struct {
    const char *scenario_path;
    size_t num_keys;
    const spot_compare_key_t *keys; /* [num_keys] at least one */
    const char *trace_path;         /* of --trace, as of spot_scenario_changes_t; may be NULL */
    int64_t num_replications;       /* 0: as of a study */
    int64_t seed;
    size_t num_sets;
    const char *const *sets; /* [num_sets] "KEY=VALUE" as of spot_study_read() */
} spot_compare_request_t;

/* Makes and binds the study, as spot_study_read() does. Unless the sets name others, it
 * lists the metrics that the engine compares and draws the parts of the engine.
 * BAD_INPUT, IO, NO_MEMORY with the reasons in diag; free study even then. */
SPOT_MUST_CHECK int spot_compare_read(const spot_compare_request_t *self,
    const spot_experiment_t *const *engines, spot_study_t *study, spot_diag_t *diag);

/* Before a store in memory is opened: BAD_INPUT with the reason in diag if its rows would
 * take more than spot_memory_limit(). */
SPOT_MUST_CHECK int spot_study_check_memory(const spot_study_t *self, spot_diag_t *diag);

/* The same before a database is opened, which keeps the rows but not the series that are on
 * their way to it: those of a point at a time. */
SPOT_MUST_CHECK int spot_study_check_recordings(const spot_study_t *self, spot_diag_t *diag);
