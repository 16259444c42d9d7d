/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workers draw batches of replications by an atomic ticket: those of points that meet
 * the same trace together. Batches and rows depend on the plan alone, never on the
 * number of workers. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/memory_limit.h"
#include "sim/bench/store/series_rows.h"
#include "sim/bench/study/cohorts.h"
#include "sim/bench/study/reading.h"
#include "traces/generate/membership.h"

typedef struct pool pool_t;

/* Does one of many tasks with the worker of a thread. */
typedef int (*task_t)(pool_t *self, spot_study_worker_t *worker, int64_t task_id);

/* A study at work. */
struct pool {
    const spot_study_t *study;
    spot_store_t *store;
    const spot_study_run_t *run;
    spot_diag_t *diag;
    spot_rounds_t rounds;
    spot_cohorts_t cohorts;
    spot_series_list_t missing; /* series */
    spot_break_evens_t break_evens;
    task_t task;
    int64_t end_task;
    atomic_llong next_task;
    atomic_int error;     /* first one of any thread */
    pthread_mutex_t lock; /* of all below */
    spot_study_progress_t progress;
    spot_estimate_t *watched; /* [num_points] or NULL */
    int64_t *num_done;        /* [num_points] replications that are there */
};

/* ---- Threads ---- */

static bool is_stopped(const pool_t *self)
{
    return self->run->stop != NULL && atomic_load(self->run->stop) != 0;
}

static void *work(void *context)
{
    pool_t *self = context;
    spot_tapes_t tapes = {.num_tapes = 0};
    spot_study_worker_t worker = {.tapes = &tapes};
    int none = 0, ret = 0;

    while (ret == 0 && atomic_load(&self->error) == 0) {
        const int64_t task_id = atomic_fetch_add(&self->next_task, 1);

        if (task_id >= self->end_task) {
            break;
        }
        ret = is_stopped(self) ? SPOT_ERR_INTERRUPTED : self->task(self, &worker, task_id);
    }
    if (ret != 0) {
        atomic_compare_exchange_strong(&self->error, &none, ret);
    }
    spot_study_worker_close(&worker);
    spot_tapes_free(&tapes);
    return NULL;
}

/* Does the tasks [first, end) on the threads of the run, by an atomic ticket. If a
 * thread cannot be started, or memory is not enough for its runs, the others do its tasks.
 * INTERRUPTED after a stop, NO_MEMORY, or the first error of a task. */
static int do_tasks(pool_t *self, task_t task, int64_t first, int64_t end)
{
    const int64_t num_tasks = end - first;
    const int64_t num_asked =
        self->run->num_threads < num_tasks ? self->run->num_threads : num_tasks;
    const int64_t num_fitting = spot_memory_max_threads();
    const int64_t num_threads = num_asked < num_fitting ? num_asked : num_fitting;
    pthread_t *threads = spot_calloc((size_t) num_threads, sizeof(*threads));
    int64_t num_started = 0;

    if (threads == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->task = task;
    self->end_task = end;
    atomic_store(&self->next_task, first);
    spot_memory_limit_add_threads(num_threads - 1);
    while (num_started < num_threads - 1 &&
           pthread_create(&threads[num_started], NULL, work, self) == 0) {
        num_started++;
    }
    (void) work(self);
    for (int64_t j = 0; j < num_started; j++) {
        pthread_join(threads[j], NULL);
    }
    free(threads);
    return atomic_load(&self->error);
}

/* ---- Batches ---- */

/* With the lock held. */
static void tell_progress(pool_t *self)
{
    if (self->run->progress != NULL) {
        self->run->progress(self->run->context, &self->progress);
    }
}

/* Counts the replications of a batch, of which those of a piece were run now. The
 * watched values are added in the order in which batches end: they are for watching
 * only. */
static int count_batch(pool_t *self, const spot_piece_t *piece, int64_t num_replications)
{
    const size_t num_metrics = self->study->head.num_metrics;
    const size_t point_id = piece->point_id;
    int ret = 0;

    pthread_mutex_lock(&self->lock);
    for (size_t j = 0; ret == 0 && self->watched != NULL && j < piece->num_rows; j++) {
        ret = spot_estimate_add(&self->watched[point_id], &piece->rows[j * num_metrics]);
    }
    self->num_done[point_id] += num_replications;
    self->progress.num_points_done += self->num_done[point_id] >= self->rounds.to[point_id];
    self->progress.num_done += num_replications;
    self->progress.num_run += (int64_t) piece->num_rows;
    tell_progress(self);
    pthread_mutex_unlock(&self->lock);
    return ret;
}

/* Runs the replications of a batch that are not there yet, and puts their rows into the
 * store. */
static int run_batch(pool_t *self, spot_study_worker_t *worker, spot_batch_t batch)
{
    const size_t num_metrics = self->study->head.num_metrics;
    const int64_t size = batch.end - batch.first;
    const int64_t there = self->store->num_there(self->store, batch.point_id, batch.first);
    const int64_t num_there = there < size ? there : size;
    const size_t num_rows = (size_t) (size - num_there);
    double *rows = spot_calloc(num_rows * num_metrics, sizeof(*rows));
    uint32_t *warnings = spot_calloc(num_rows, sizeof(*warnings));
    const spot_piece_t piece = {batch.point_id, batch.first + num_there, num_rows, rows, warnings};
    int ret = rows == NULL || warnings == NULL ? SPOT_ERR_NO_MEMORY : 0;

    if (ret == 0 && num_rows > 0) {
        ret = spot_study_worker_go(worker, self->study, batch.point_id, self->diag);
        for (size_t j = 0; ret == 0 && j < num_rows; j++) {
            ret = spot_study_worker_row(worker, piece.first_replication + (int64_t) j,
                self->run->stop, &rows[j * num_metrics], &warnings[j]);
        }
        ret = ret == 0 ? self->store->put(self->store, &piece) : ret;
    }
    ret = ret == 0 ? count_batch(self, &piece, size) : ret;
    free(warnings);
    free(rows);
    return ret;
}

static int run_cohort(pool_t *self, spot_study_worker_t *worker, int64_t task_id)
{
    const spot_cohort_task_t task = spot_cohorts_task(&self->cohorts, task_id);
    spot_tapes_t *tapes = worker->tapes;
    int ret = 0;

    spot_tapes_clear(tapes);
    worker->tapes = task.num_points > 1 ? tapes : NULL;
    for (size_t j = 0; ret == 0 && j < task.num_points; j++) {
        spot_batch_t batch;

        if (is_stopped(self)) {
            ret = SPOT_ERR_INTERRUPTED;
        } else if (spot_cohorts_batch(&self->rounds, &task, j, &batch)) {
            ret = run_batch(self, worker, batch);
        }
    }
    worker->tapes = tapes;
    return ret;
}

/* ---- Rounds ---- */

/* Counts what earlier rounds asked for as done, and the batches of the shard as wanted.
 * A batch that an earlier round began is counted again as a whole. */
static void start_progress(pool_t *self)
{
    const spot_rounds_t *rounds = &self->rounds;
    const int64_t size = spot_study_batch_size(rounds->head);
    spot_study_progress_t *progress = &self->progress;

    progress->num_done = 0;
    progress->num_points_done = 0;
    for (size_t j = 0; j < rounds->head->num_points; j++) {
        const bool is_more = rounds->to[j] > rounds->from[j];

        self->num_done[j] = is_more ? rounds->from[j] / size * size : rounds->to[j];
        progress->num_done += self->num_done[j];
        progress->num_points_done += !is_more && rounds->to[j] > 0;
    }
    progress->num_wanted = progress->num_done;
    for (int64_t j = rounds->first_batch; j < rounds->end_batch; j++) {
        const spot_batch_t batch = spot_rounds_batch(rounds, j);

        progress->num_wanted += batch.end - batch.first;
    }
    if (progress->num_run > 0) { /* a further round, which may be too much */
        tell_progress(self);
    }
}

static int run_rounds(pool_t *self)
{
    spot_store_t *store = self->store;
    bool is_more = true;
    int ret = spot_rounds_next(&self->rounds, store, &is_more);

    while (ret == 0 && is_more) {
        int flushed;

        start_progress(self);
        ret = do_tasks(self, run_cohort, 0,
            spot_cohorts_lay_out(&self->cohorts, &self->rounds, self->run->num_threads));
        flushed = store->flush(store, self->diag);
        ret = ret == 0 || flushed != 0 ? flushed : ret;
        ret = ret == 0 ? spot_rounds_next(&self->rounds, store, &is_more) : ret;
    }
    return ret;
}

/* ---- Series ---- */

typedef struct {
    double value;
    int64_t replication;
} outcome_t;

typedef struct {
    size_t metric_id;
    size_t num_outcomes;
    size_t max_outcomes;
    outcome_t *outcomes; /* [num_outcomes] those that are defined */
} outcomes_t;

static int add_outcome(void *context, const spot_row_t *row)
{
    outcomes_t *self = context;
    const double value = row->metrics[self->metric_id];

    if (!isfinite(value)) {
        return 0;
    }
    if (spot_array_reserve(&self->outcomes, &self->max_outcomes, self->num_outcomes + 1,
            sizeof(*self->outcomes)) != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->outcomes[self->num_outcomes++] = (outcome_t){value, row->replication};
    return 0;
}

static int compare_outcomes(const void *a, const void *b)
{
    const outcome_t *x = a, *y = b;

    if (x->value != y->value) {
        return x->value < y->value ? -1 : 1;
    }
    return x->replication < y->replication ? -1 : x->replication > y->replication;
}

/* The replication with the median of the watched metric, or 0. A shard does not have all
 * of them. */
static int find_median(const pool_t *self, size_t point_id, int64_t *replication)
{
    outcomes_t all = {.metric_id = spot_study_watched_metric(&self->study->head)};
    int ret = 0;

    *replication = 0;
    if (self->run->num_shards > 1) {
        return 0;
    }
    ret = self->store->read(self->store, point_id, 0, add_outcome, &all);
    if (ret == 0 && all.num_outcomes > 0) {
        qsort(all.outcomes, all.num_outcomes, sizeof(*all.outcomes), compare_outcomes);
        *replication = all.outcomes[(all.num_outcomes - 1) / 2].replication;
    }
    free(all.outcomes);
    return ret;
}

static bool has_any(const spot_series_list_t *list, size_t point_id)
{
    for (size_t j = 0; j < list->num_ids; j++) {
        if (list->ids[j].point_id == point_id) {
            return true;
        }
    }
    return false;
}

/* Lists the series of the replications whose row the store has. Those that nobody asked
 * for are of one replication of each point, the median. */
static int find_missing(pool_t *self)
{
    const spot_study_t *study = self->study;
    const spot_store_t *store = self->store;
    spot_series_list_t there;
    int ret = spot_series_list_read(&there, store);

    for (size_t j = 0; ret == 0 && j < study->head.num_points * study->num_series; j++) {
        const size_t point_id = j / study->num_series;
        int64_t replication = study->series[j % study->num_series], offset;

        if (replication == SPOT_MEDIAN_REPLICATION) {
            if (has_any(&there, point_id)) {
                continue;
            }
            ret = find_median(self, point_id, &replication);
        }
        offset = replication % spot_study_batch_size(&study->head);
        if (ret == 0 && store->num_there(store, point_id, replication - offset) > offset &&
            !spot_series_list_has(&there, point_id, replication)) {
            ret = spot_series_list_add(&self->missing, point_id, replication);
        }
    }
    spot_series_list_free(&there);
    return ret;
}

static int record_series(pool_t *self, spot_study_worker_t *worker, int64_t task_id)
{
    const spot_series_id_t *id = &self->missing.ids[task_id];
    spot_recording_t recording;
    int ret = spot_study_worker_go(worker, self->study, id->point_id, self->diag);

    if (ret != 0) {
        return ret;
    }
    ret = spot_study_worker_record(worker, id->replication, self->run->stop, &recording);
    for (size_t j = 0; ret == 0 && j < recording.num_series; j++) {
        if (recording.series[j].kind->shape == SPOT_SERIES_LONG_TABLE &&
            self->study->series[0] == SPOT_MEDIAN_REPLICATION) {
            recording.series[j].num_rows = 0;
        }
        spot_series_verify(&recording.series[j]);
    }
    ret = ret == 0 ? spot_store_put_series(self->store, id->point_id, id->replication, &recording)
                   : ret;
    if (ret == 0) {
        pthread_mutex_lock(&self->lock);
        self->progress.num_series++;
        tell_progress(self);
        pthread_mutex_unlock(&self->lock);
    }
    spot_recording_free(&recording);
    return ret;
}

/* Records the replications whose row the store has, but not their series, and puts them
 * there: those of a shard are those whose rows it ran. The rows stay as they are. */
static int make_series(pool_t *self)
{
    int ret, flushed;

    if (self->study->num_series == 0 || self->study->yield.outputs.num_series == 0 ||
        self->store->put_series == NULL) {
        return 0;
    }
    ret = find_missing(self);
    self->progress.num_series_wanted = self->missing.num_ids;
    ret = ret == 0 ? do_tasks(self, record_series, 0, (int64_t) self->missing.num_ids) : ret;
    flushed = self->store->flush(self->store, self->diag);
    return ret == 0 || flushed != 0 ? flushed : ret;
}

/* ---- Break-evens ---- */

static int find_break_even(pool_t *self, spot_study_worker_t *worker, int64_t task_id)
{
    const bool was_found = self->break_evens.is_found[task_id];
    const int ret = spot_break_evens_find(&self->break_evens, (size_t) task_id);

    (void) worker;
    if (ret == 0 && !was_found) {
        pthread_mutex_lock(&self->lock);
        self->progress.num_break_evens++;
        tell_progress(self);
        pthread_mutex_unlock(&self->lock);
    }
    return ret;
}

/* Finds them anew where the rows, or what is asked for, have changed. A shard does not
 * have the rows of all points. */
static int find_break_evens(pool_t *self)
{
    spot_break_evens_t *list = &self->break_evens;
    int ret;

    if (self->run->num_shards > 1) {
        return 0;
    }
    *list = (spot_break_evens_t){
        .study = self->study, .store = self->store, .stop = self->run->stop, .lock = &self->lock};
    ret = spot_break_evens_plan(list);
    for (size_t j = 0; j < list->num_items; j++) {
        self->progress.num_break_evens_wanted += !list->is_found[j];
    }
    if (ret == 0 && list->num_items > 0) {
        int kept;

        ret = do_tasks(self, find_break_even, 0, (int64_t) list->num_items);
        kept = spot_break_evens_keep(list); /* also those found before a stop */
        ret = ret == 0 ? kept : ret;
    }
    return ret;
}

/* ---- All ---- */

/* What is only for watching keeps about 400 bytes a point, and a quantile two numbers a row. */
#define MAX_WATCHED_POINTS 65536
#define MAX_WATCHED_VALUES 4e6

static int start_watching(pool_t *self)
{
    const spot_study_head_t *head = &self->study->head;
    const size_t metric_id = spot_study_watched_metric(head);
    const double num_rows = (double) head->num_points * (double) head->num_replications;

    if (head->num_points > MAX_WATCHED_POINTS ||
        (spot_metric_estimator(&head->metrics[metric_id]) == SPOT_ESTIMATOR_QUANTILE &&
            num_rows > MAX_WATCHED_VALUES)) {
        return 0;
    }
    self->watched = spot_calloc(head->num_points, sizeof(*self->watched));
    for (size_t j = 0; self->watched != NULL && j < head->num_points; j++) {
        spot_estimate_init(&self->watched[j], head, metric_id);
    }
    self->progress.watched = self->watched;
    return self->watched == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

int spot_study_run(
    const spot_study_t *self, spot_store_t *store, const spot_study_run_t *run, spot_diag_t *diag)
{
    const size_t num_points = self->head.num_points;
    pool_t pool = {.study = self,
        .store = store,
        .run = run,
        .diag = diag,
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .progress = {.study = self},
        .num_done = spot_calloc(num_points, sizeof(*pool.num_done))};
    int ret = pool.num_done == NULL ? SPOT_ERR_NO_MEMORY
                                    : spot_study_check_shards(self, run->num_shards, diag);

    atomic_store(&store->stop, run->stop);
    ret = ret == 0 ? start_watching(&pool) : ret;
    ret = ret == 0 ? spot_rounds_start(&pool.rounds, &self->head, run) : ret;
    ret = ret == 0 ? spot_cohorts_init(&pool.cohorts, self) : ret;
    ret = ret == 0 ? run_rounds(&pool) : ret;
    ret = ret == 0 ? make_series(&pool) : ret;
    ret = ret == 0 ? find_break_evens(&pool) : ret;
    store->outcome = ret == 0 ? "complete" : ret == SPOT_ERR_INTERRUPTED ? "stopped" : NULL;
    spot_rounds_free(&pool.rounds);
    spot_cohorts_free(&pool.cohorts);
    spot_series_list_free(&pool.missing);
    spot_break_evens_free(&pool.break_evens);
    for (size_t j = 0; pool.watched != NULL && j < num_points; j++) {
        spot_estimate_free(&pool.watched[j]);
    }
    free(pool.watched);
    free(pool.num_done);
    return ret;
}

/* ---- Progress ---- */

size_t spot_study_watched_metric(const spot_study_head_t *head)
{
    const char *name = head->until.metric != NULL ? head->until.metric : head->optimise.metric;

    return name == NULL ? 0 : spot_study_metric_id(head, name);
}

bool spot_study_widest(const spot_study_progress_t *self, size_t *point_id, double *half_width)
{
    const spot_until_t *until = &self->study->head.until;
    double widest = -1;

    for (size_t j = 0; self->watched != NULL && j < self->study->head.num_points; j++) {
        const double width = spot_estimate_stderr(&self->watched[j]);

        if (width > widest) {
            widest = width;
            *point_id = j;
        }
    }
    if (widest < 0) {
        return false;
    }
    *half_width =
        widest * spot_student_t(until->metric == NULL ? SPOT_CONFIDENCE : until->confidence,
                     (double) (self->watched[*point_id].num_values - 1));
    return true;
}
