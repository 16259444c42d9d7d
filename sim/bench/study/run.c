/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/study/run.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/memory_limit.h"
#include "base/watch.h"
#include "sim/bench/store/head.h"
#include "sim/bench/store/series_rows.h"
#include "sim/bench/store/store.h"
#include "sim/bench/study/break_even.h"
#include "sim/bench/study/reading.h"
#include "sim/bench/study/worker.h"
#include "traces/generate/membership.h"

typedef struct spot_knowledge knowledge_t;

/* The rounds of a study or of a shard. A round is the replications [from, to) of each
 * point in batches, one point after another. Decisions depend on the rows of the rounds
 * before alone, so that a study goes on where it was stopped and does not depend on what
 * ran when. */
typedef struct {
    const spot_study_head_t *head;
    knowledge_t *knowledge;       /* [num_points] for a precision, else NULL */
    spot_race_t race;             /* for an optimum, else zeroed */
    bool is_racing;               /* its first round was laid out */
    int64_t shard_id, num_shards; /* of the batches */
    int64_t most;                 /* of a point, of a number of replications; 0: all */
    int64_t *from;                /* [num_points] of the rounds before */
    int64_t *to;                  /* [num_points] none above what a point gets at most */
    int64_t *first_batches;       /* [num_points + 1] batches of the points before */
    int64_t first_batch;          /* of the shard, up to end_batch */
    int64_t end_batch;
} rounds_t;

/* Replications [first, end) of a point. */
typedef struct {
    size_t point_id;
    int64_t first, end;
} batch_t;

/* The batches of some points that begin with the same replication. */
typedef struct {
    size_t num_points;
    const size_t *points; /* [num_points] */
    int64_t range;        /* that replication / batch size */
} cohort_task_t;

typedef struct pool pool_t;

static size_t study_watched_metric(const spot_study_head_t *head);
static bool study_widest(const spot_study_progress_t *self, size_t *point_id, double *half_width);

/* Which batches of a study are run in which round. Internal to sim/bench/study. */

/* ---- A number of replications ---- */

/* How many replications each point gets: all that are asked for, as many as it takes to
 * know a mean, or those of a race (sim/bench/analysis/race.h). */

/* Every point gets what the study, or its run, asks for, in one round. */
static bool next_fixed(rounds_t *self)
{
    bool is_first = false;

    for (size_t j = 0; j < self->head->num_points; j++) {
        const int64_t wanted = spot_study_point_replications(self->head, j);

        self->to[j] = self->most > 0 && self->most < wanted ? self->most : wanted;
        is_first = is_first || self->to[j] > self->from[j];
    }
    return is_first;
}

/* ---- A precision ----
 *
 * Each point goes on, in rounds of whole batches, until the interval of one metric is as
 * narrow as asked for: the sequential rule of Chow and Robbins (Ann.
 * Math. Statist. 36(2), 1965) with a minimum, so that an early, by chance small variance
 * does not end it. */

/* A round at most multiplies the replications of a point by this: a prediction from few
 * of them is poor. */
#define MAX_GROWTH 2.0

struct spot_knowledge {
    spot_estimate_t estimate; /* of the replications [0, num_seen) */
    int64_t num_seen;
    bool is_done;
};

typedef struct {
    spot_estimate_t *estimate;
    int64_t end; /* replication after the last one that is read */
} reader_t;

enum { READ_ALL = 1 };

static int read_row(void *context, const spot_row_t *row)
{
    const reader_t *self = context;

    if (row->replication >= self->end) {
        return READ_ALL;
    }
    return spot_estimate_add(self->estimate, row->metrics);
}

/* The replications that should do, in whole batches. */
static int64_t next_target(const spot_study_head_t *head, size_t point_id, knowledge_t *point)
{
    const double size = (double) spot_study_batch_size(head);
    const double excess = spot_estimate_excess(&point->estimate, &head->until);
    double wanted = (double) head->min_replications;

    if (point->num_seen > 0) {
        wanted = (double) point->num_seen * fmin(excess * excess, MAX_GROWTH);
        wanted = fmax(wanted, (double) (point->num_seen + 1));
    }
    return (int64_t) fmin(
        ceil(wanted / size) * size, (double) spot_study_point_replications(head, point_id));
}

/* Adds the replications of a point up to its target, and no others that are there: a
 * decision depends on those alone. */
static int read_round(const rounds_t *self, const spot_store_t *store, size_t point_id)
{
    knowledge_t *point = &self->knowledge[point_id];
    const int64_t target = self->to[point_id];
    reader_t reader = {&point->estimate, target};
    const int ret = store->read(store, point_id, point->num_seen, read_row, &reader);

    point->num_seen = target;
    point->is_done = spot_estimate_excess(&point->estimate, &self->head->until) <= 1 ||
                     target >= spot_study_point_replications(self->head, point_id);
    return ret == READ_ALL ? 0 : ret;
}

static int next_precise(rounds_t *self, const spot_store_t *store, bool *is_more)
{
    int ret = 0;

    *is_more = false;
    for (size_t j = 0; ret == 0 && j < self->head->num_points; j++) {
        knowledge_t *point = &self->knowledge[j];

        if (!point->is_done && self->to[j] > 0) {
            ret = read_round(self, store, j);
        }
        if (!point->is_done) {
            self->to[j] = next_target(self->head, j, point);
            *is_more = true;
        }
    }
    return ret;
}

/* A shard decides on all rows of its points. */
static int start_precision(rounds_t *self, const spot_study_run_t *run)
{
    const size_t num_points = self->head->num_points;

    self->knowledge = spot_calloc(num_points, sizeof(*self->knowledge));
    for (size_t j = 0; self->knowledge != NULL && j < num_points; j++) {
        spot_estimate_init(
            &self->knowledge[j].estimate, self->head, study_watched_metric(self->head));
        self->knowledge[j].is_done =
            spot_study_cannot_run(self->head, j) != NULL ||
            (run->num_shards > 1 && (int64_t) j % run->num_shards != run->shard_id);
    }
    return self->knowledge == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

/* ---- A race ---- */

/* Replications of a racing point at the end of the next round. A fixed point has one, which
 * counts as all of them. */
static int64_t race_point_target(const spot_race_t *self, size_t point_id)
{
    return spot_study_is_fixed(self->head, point_id) ? 1 : spot_race_target(self);
}

/* Points that still race after the last round get the replications of the next. */
static int next_raced(rounds_t *self, const spot_store_t *store, bool *is_more)
{
    const int ret = self->is_racing ? spot_race_advance(&self->race, store) : 0;

    self->is_racing = true;
    *is_more = ret == 0 && !self->race.is_over;
    for (size_t j = 0; *is_more && j < self->head->num_points; j++) {
        if (self->race.runners[j].fate == SPOT_FATE_RACING) {
            self->to[j] = race_point_target(&self->race, j);
        }
    }
    return ret;
}

/* ---- Rounds ---- */

/* Of run only the shard and most matter. NO_MEMORY; free self even then. */
static int rounds_start(rounds_t *self, const spot_study_head_t *head, const spot_study_run_t *run)
{
    const size_t num_points = head->num_points;

    *self = (rounds_t){.head = head,
        .num_shards = 1,
        .most = run->most,
        .from = spot_calloc(num_points, sizeof(*self->from)),
        .to = spot_calloc(num_points, sizeof(*self->to)),
        .first_batches = spot_calloc(num_points + 1, sizeof(*self->first_batches))};
    if (self->from == NULL || self->to == NULL || self->first_batches == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    if (head->until.metric != NULL) {
        return start_precision(self, run);
    }
    if (run->num_shards > 1) {
        self->shard_id = run->shard_id;
        self->num_shards = run->num_shards;
    }
    return head->optimise.metric != NULL ? spot_race_init(&self->race, head) : 0;
}

static void rounds_free(rounds_t *self)
{
    spot_race_free(&self->race);
    for (size_t j = 0; self->knowledge != NULL && j < self->head->num_points; j++) {
        spot_estimate_free(&self->knowledge[j].estimate);
    }
    free(self->knowledge);
    free(self->from);
    free(self->to);
    free(self->first_batches);
    memset(self, 0, sizeof(*self));
}

/* Lays out the batches and takes those of the shard. */
static void lay_out(rounds_t *self)
{
    const int64_t size = spot_study_batch_size(self->head);
    int64_t num_batches = 0;

    for (size_t j = 0; j < self->head->num_points; j++) {
        self->first_batches[j] = num_batches;
        if (self->to[j] > self->from[j]) {
            num_batches += (self->to[j] + size - 1) / size - self->from[j] / size;
        }
    }
    self->first_batches[self->head->num_points] = num_batches;
    self->first_batch = num_batches * self->shard_id / self->num_shards;
    self->end_batch = num_batches * (self->shard_id + 1) / self->num_shards;
}

/* Goes to the next round; the store has the rows of the rounds before, and may be NULL
 * for the first one. *is_more: there is a next round. NO_MEMORY, or an error of
 * reading. */
static int rounds_next(rounds_t *self, const spot_store_t *store, bool *is_more)
{
    int ret = 0;

    memcpy(self->from, self->to, self->head->num_points * sizeof(*self->from));
    if (self->knowledge != NULL) {
        ret = next_precise(self, store, is_more);
    } else if (self->head->optimise.metric != NULL) {
        ret = next_raced(self, store, is_more);
    } else {
        *is_more = next_fixed(self);
    }
    lay_out(self);
    return ret;
}

/* A batch of a point, or of all points, of the round. O(1), O(log points). */
static batch_t rounds_batch_of(const rounds_t *self, size_t point_id, int64_t batch_id)
{
    const int64_t size = spot_study_batch_size(self->head);
    const int64_t first =
        (self->from[point_id] / size + batch_id - self->first_batches[point_id]) * size;
    const int64_t end = first + size;

    return (batch_t){point_id, first, end < self->to[point_id] ? end : self->to[point_id]};
}

static batch_t rounds_batch(const rounds_t *self, int64_t batch_id)
{
    size_t low = 0, high = self->head->num_points;

    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;

        if (self->first_batches[middle] <= batch_id) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return rounds_batch_of(self, low, batch_id);
}

/* ---- Points that meet the same events ---- */

/* Tasks of a round for each of several threads, at least: they end about together. */
enum { TASKS_PER_THREAD = 8 };

typedef struct {
    uint64_t key; /* 0: it is alone */
    size_t point_id;
} member_t;

static int compare_members(const void *left, const void *right)
{
    const member_t *a = left, *b = right;

    if (a->key != b->key) {
        return a->key < b->key ? -1 : 1;
    }
    return (a->point_id > b->point_id) - (a->point_id < b->point_id);
}

static int compare_cohorts(const void *left, const void *right)
{
    const member_t *a = left, *b = right;

    return (a->point_id > b->point_id) - (a->point_id < b->point_id);
}

static uint64_t key_of(const spot_study_t *study, size_t point_id)
{
    const void *scenario = study->scenarios[point_id];

    return scenario == NULL || study->experiment->trace_key == NULL
               ? 0
               : study->experiment->trace_key(scenario);
}

/* Cuts the sorted members into cohorts, in the order of their first points: tasks come
 * about as the points do. */
static void cut(spot_cohorts_t *self, size_t num_points, const member_t *members, member_t *firsts)
{
    size_t num_placed = 0;

    for (size_t j = 0; j < num_points; j++) {
        if (j == 0 || members[j].key == 0 || members[j].key != members[j - 1].key) {
            firsts[self->num_cohorts++] = (member_t){j, members[j].point_id};
        }
    }
    qsort(firsts, self->num_cohorts, sizeof(*firsts), compare_cohorts);
    for (size_t c = 0; c < self->num_cohorts; c++) {
        size_t place = (size_t) firsts[c].key;
        const uint64_t key = members[place].key;

        self->first_points[c] = num_placed;
        do {
            self->points[num_placed++] = members[place++].point_id;
        } while (key != 0 && place < num_points && members[place].key == key);
    }
    self->first_points[self->num_cohorts] = num_placed;
}

int spot_cohorts_init(spot_cohorts_t *self, const spot_study_t *study)
{
    const size_t num_points = study->head.num_points;
    member_t *members = spot_calloc(num_points, sizeof(*members));
    member_t *firsts = spot_calloc(num_points, sizeof(*firsts));
    int ret = SPOT_ERR_NO_MEMORY;

    *self = (spot_cohorts_t){.points = spot_calloc(num_points, sizeof(*self->points)),
        .first_points = spot_calloc(num_points + 1, sizeof(*self->first_points)),
        .first_tasks = spot_calloc(num_points + 1, sizeof(*self->first_tasks)),
        .first_ranges = spot_calloc(num_points, sizeof(*self->first_ranges)),
        .part_points = spot_calloc(num_points, sizeof(*self->part_points))};
    if (members != NULL && firsts != NULL && self->points != NULL && self->first_points != NULL &&
        self->first_tasks != NULL && self->first_ranges != NULL && self->part_points != NULL) {
        for (size_t j = 0; j < num_points; j++) {
            members[j] = (member_t){key_of(study, j), j};
        }
        qsort(members, num_points, sizeof(*members), compare_members);
        cut(self, num_points, members, firsts);
        ret = 0;
    }
    free(members);
    free(firsts);
    return ret;
}

void spot_cohorts_free(spot_cohorts_t *self)
{
    free(self->points);
    free(self->first_points);
    free(self->first_tasks);
    free(self->first_ranges);
    free(self->part_points);
    memset(self, 0, sizeof(*self));
}

/* The ranges of replications that a point has batches of in a round. */
static void find_ranges(const rounds_t *rounds, size_t point_id, int64_t *first_range, int64_t *end)
{
    const int64_t size = spot_study_batch_size(rounds->head);
    const int64_t *firsts = &rounds->first_batches[point_id];
    const int64_t before = rounds->from[point_id] / size - firsts[0];
    const int64_t first_id = firsts[0] > rounds->first_batch ? firsts[0] : rounds->first_batch;
    const int64_t end_id = firsts[1] < rounds->end_batch ? firsts[1] : rounds->end_batch;

    *first_range = before + first_id;
    *end = before + end_id;
}

/* The ranges of a cohort in a round. Returns their number. */
static int64_t find_cohort_ranges(
    const spot_cohorts_t *self, const rounds_t *rounds, size_t cohort_id, int64_t *first_range)
{
    int64_t least = INT64_MAX, most = 0;

    for (size_t j = self->first_points[cohort_id]; j < self->first_points[cohort_id + 1]; j++) {
        int64_t first, end;

        find_ranges(rounds, self->points[j], &first, &end);
        if (first < end) {
            least = first < least ? first : least;
            most = end > most ? end : most;
        }
    }
    *first_range = least;
    return most > least ? most - least : 0;
}

/* Lays out the tasks of a round and returns their number: enough for all threads, so a
 * cohort with few replications is cut into parts. */
static int64_t cohorts_lay_out(spot_cohorts_t *self, const rounds_t *rounds, int64_t num_threads)
{
    int64_t num_ranges = 0, num_tasks = 0, num_parts;

    for (size_t c = 0; c < self->num_cohorts; c++) {
        num_ranges += find_cohort_ranges(self, rounds, c, &self->first_ranges[c]);
    }
    num_parts = num_ranges == 0 || num_threads == 1
                    ? 1
                    : (TASKS_PER_THREAD * num_threads + num_ranges - 1) / num_ranges;
    for (size_t c = 0; c < self->num_cohorts; c++) {
        const int64_t num_points = (int64_t) (self->first_points[c + 1] - self->first_points[c]);
        const int64_t size = (num_points + num_parts - 1) / num_parts;

        self->part_points[c] = size;
        self->first_tasks[c] = num_tasks;
        num_tasks += find_cohort_ranges(self, rounds, c, &self->first_ranges[c]) *
                     ((num_points + size - 1) / size);
    }
    self->first_tasks[self->num_cohorts] = num_tasks;
    return num_tasks;
}

/* O(log cohorts). */
static cohort_task_t cohorts_task(const spot_cohorts_t *self, int64_t task_id)
{
    size_t low = 0, high = self->num_cohorts, first;
    int64_t num_points, num_parts, place;

    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;

        if (self->first_tasks[middle] <= task_id) {
            low = middle;
        } else {
            high = middle;
        }
    }
    first = self->first_points[low];
    num_points = (int64_t) (self->first_points[low + 1] - first);
    num_parts = (num_points + self->part_points[low] - 1) / self->part_points[low];
    place = (task_id - self->first_tasks[low]) % num_parts * self->part_points[low];
    num_points -= place;
    return (cohort_task_t){
        .num_points =
            (size_t) (num_points < self->part_points[low] ? num_points : self->part_points[low]),
        .points = &self->points[first + (size_t) place],
        .range = self->first_ranges[low] + (task_id - self->first_tasks[low]) / num_parts};
}

/* Sets the batch of the point at a place of a task; false: it has none in this round. */
static bool cohorts_batch(
    const rounds_t *rounds, const cohort_task_t *task, size_t place, batch_t *batch)
{
    const size_t point_id = task->points[place];
    int64_t first, end;

    find_ranges(rounds, point_id, &first, &end);
    if (task->range < first || task->range >= end) {
        return false;
    }
    *batch = rounds_batch_of(rounds, point_id,
        task->range - rounds->from[point_id] / spot_study_batch_size(rounds->head) +
            rounds->first_batches[point_id]);
    return true;
}

/* ---- How far a run is ---- */

/* With a precision or a race the number of runs is not known in advance. */
static void write_done(
    const spot_study_progress_t *progress, const spot_study_speed_t *speed, FILE *line)
{
    const spot_study_head_t *head = &progress->study->head;
    const bool is_known = head->min_replications == head->num_replications;

    if (is_known) {
        fprintf(
            line, "%.1f %%  ", 100 * (double) progress->num_done / (double) progress->num_wanted);
    }
    fprintf(line, "%zu of %zu points, %" PRId64, progress->num_points_done, head->num_points,
        progress->num_done);
    if (is_known) {
        fprintf(line, " of %" PRId64, progress->num_wanted);
    }
    fprintf(line, " runs, %.0f/s", speed->runs_per_s);
    if (is_known && isfinite(speed->left_s) &&
        progress->num_break_evens == progress->num_break_evens_wanted) {
        fprintf(line, ", %.0f s left", speed->left_s);
    }
}

void spot_study_progress_text(const spot_study_progress_t *progress,
    const spot_study_speed_t *speed, bool is_utf8, FILE *line)
{
    const spot_study_head_t *head = &progress->study->head;
    size_t point_id;
    double half_width;

    write_done(progress, speed, line);
    if (progress->num_break_evens_wanted > 0) {
        fprintf(line, ", %zu of %zu break-evens", progress->num_break_evens,
            progress->num_break_evens_wanted);
    }
    if (progress->num_series_wanted > 0) {
        fprintf(line, ", %zu of %zu timelines", progress->num_series, progress->num_series_wanted);
    } else if (study_widest(progress, &point_id, &half_width)) {
        fprintf(line, ", %s %s%.2g at worst", head->metrics[study_watched_metric(head)].name,
            is_utf8 ? "±" : "+-", half_width);
        if (head->until.half_width > 0) {
            fprintf(line, " (goal %.2g)", head->until.half_width);
        }
    }
}

static void write_widest(spot_json_t *json, const spot_study_progress_t *progress)
{
    const spot_study_head_t *head = &progress->study->head;
    size_t point_id;
    double half_width;

    if (!study_widest(progress, &point_id, &half_width)) {
        return;
    }
    spot_json_open(json, "widest", '{');
    spot_json_text(json, "metric", head->metrics[study_watched_metric(head)].name);
    spot_json_number(json, "half_width", half_width);
    spot_json_integer(json, "point", (int64_t) point_id);
    spot_json_open(json, "values", '{');
    for (size_t j = 0; j < head->num_axes; j++) {
        spot_json_text(
            json, head->axes[j].path, head->axes[j].texts[spot_study_value_id(head, point_id, j)]);
    }
    spot_json_close(json, '}');
    spot_json_close(json, '}');
}

void spot_study_progress_json(
    const spot_study_progress_t *progress, const spot_study_speed_t *speed, FILE *out)
{
    spot_json_t json;

    spot_json_init(&json, out, 0);
    spot_json_open(&json, NULL, '{');
    spot_json_text(&json, "event", "progress");
    spot_json_integer(&json, "points_done", (int64_t) progress->num_points_done);
    spot_json_integer(&json, "points", (int64_t) progress->study->head.num_points);
    spot_json_integer(&json, "runs_done", progress->num_done);
    spot_json_integer(&json, "runs_wanted", progress->num_wanted);
    spot_json_integer(&json, "runs_made", progress->num_run);
    spot_json_number(&json, "runs_per_s", speed->runs_per_s);
    spot_json_number(&json, "passed_s", speed->passed_s);
    spot_json_number(&json, "left_s", speed->left_s);
    if (progress->num_break_evens_wanted > 0) {
        spot_json_integer(&json, "break_evens_found", (int64_t) progress->num_break_evens);
        spot_json_integer(&json, "break_evens_wanted", (int64_t) progress->num_break_evens_wanted);
    }
    if (progress->num_series_wanted > 0) {
        spot_json_integer(&json, "timelines_made", (int64_t) progress->num_series);
        spot_json_integer(&json, "timelines_wanted", (int64_t) progress->num_series_wanted);
    }
    write_widest(&json, progress);
    spot_json_close(&json, '}');
}

/* ---- A run ---- */

/* Does one of many tasks with the worker of a thread. */
typedef int (*task_t)(pool_t *self, spot_study_worker_t *worker, int64_t task_id);

/* A study at work. */
struct pool {
    const spot_study_t *study;
    spot_store_t *store;
    const spot_study_run_t *run;
    spot_diag_t *diag;
    rounds_t rounds;
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

/* Workers draw batches of replications by an atomic ticket: those of points that meet
 * the same trace together. Batches and rows depend on the plan alone, never on the
 * number of workers. */

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
static int run_batch(pool_t *self, spot_study_worker_t *worker, batch_t batch)
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
    const cohort_task_t task = cohorts_task(&self->cohorts, task_id);
    spot_tapes_t *tapes = worker->tapes;
    int ret = 0;

    spot_tapes_clear(tapes);
    worker->tapes = task.num_points > 1 ? tapes : NULL;
    for (size_t j = 0; ret == 0 && j < task.num_points; j++) {
        batch_t batch;

        if (is_stopped(self)) {
            ret = SPOT_ERR_INTERRUPTED;
        } else if (cohorts_batch(&self->rounds, &task, j, &batch)) {
            ret = run_batch(self, worker, batch);
        }
    }
    worker->tapes = tapes;
    return ret;
}

/* ---- A round of a run ---- */

/* Counts what earlier rounds asked for as done, and the batches of the shard as wanted.
 * A batch that an earlier round began is counted again as a whole. */
static void start_progress(pool_t *self)
{
    const rounds_t *rounds = &self->rounds;
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
        const batch_t batch = rounds_batch(rounds, j);

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
    int ret = rounds_next(&self->rounds, store, &is_more);

    while (ret == 0 && is_more) {
        int flushed;

        start_progress(self);
        ret = do_tasks(self, run_cohort, 0,
            cohorts_lay_out(&self->cohorts, &self->rounds, self->run->num_threads));
        flushed = store->flush(store, self->diag);
        ret = ret == 0 || flushed != 0 ? flushed : ret;
        ret = ret == 0 ? rounds_next(&self->rounds, store, &is_more) : ret;
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
    outcomes_t all = {.metric_id = study_watched_metric(&self->study->head)};
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

/* Keeps those that are found in place of all that the store has. NO_MEMORY; IO: its flush()
 * says why. */
static int break_evens_keep(const spot_break_evens_t *self)
{
    spot_break_even_t *found = spot_calloc(self->num_items, sizeof(*found));
    size_t num_found = 0;
    int ret = found == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (size_t j = 0; ret == 0 && j < self->num_items; j++) {
        if (self->is_found[j]) {
            found[num_found++] = self->items[j];
        }
    }
    if (ret == 0 && (self->is_changed || num_found != self->store->num_break_evens)) {
        ret = spot_store_keep_break_evens(self->store, num_found, found);
    }
    free(found);
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
        kept = break_evens_keep(list); /* also those found before a stop */
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
    const size_t metric_id = study_watched_metric(head);
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

int spot_study_check_shards(const spot_study_t *self, int64_t num_shards, spot_diag_t *diag)
{
    const spot_node_t *place;

    if (self->head.optimise.metric == NULL || num_shards <= 1) {
        return 0;
    }
    place = spot_node_place(self->template->study.root, "optimise");
    return spot_diag_error(diag, place->file, place->line, place->column,
        "optimise: compares all points with each other: run it without --shard");
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
    ret = ret == 0 ? rounds_start(&pool.rounds, &self->head, run) : ret;
    ret = ret == 0 ? spot_cohorts_init(&pool.cohorts, self) : ret;
    ret = ret == 0 ? run_rounds(&pool) : ret;
    ret = ret == 0 ? make_series(&pool) : ret;
    ret = ret == 0 ? find_break_evens(&pool) : ret;
    store->outcome = ret == 0 ? "complete" : ret == SPOT_ERR_INTERRUPTED ? "stopped" : NULL;
    rounds_free(&pool.rounds);
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

/* The metric whose mean is watched: that of a precision or an optimum, else the first
 * one. */
static size_t study_watched_metric(const spot_study_head_t *head)
{
    const char *name = head->until.metric != NULL ? head->until.metric : head->optimise.metric;

    return name == NULL ? 0 : spot_study_metric_id(head, name);
}

/* Finds the point with the widest interval of the watched metric; *half_width is half
 * its width. Returns false if no point has two values yet, or none is watched. O(points). */
static bool study_widest(const spot_study_progress_t *self, size_t *point_id, double *half_width)
{
    const spot_until_t *until = &self->study->head.until;
    double widest = -1;
    size_t widest_id = 0;

    for (size_t j = 0; self->watched != NULL && j < self->study->head.num_points; j++) {
        const double width = spot_estimate_stderr(&self->watched[j]);

        if (width > widest) {
            widest = width;
            widest_id = j;
        }
    }
    if (widest < 0) {
        return false;
    }
    *half_width =
        widest * spot_student_t(until->metric == NULL ? SPOT_CONFIDENCE : until->confidence,
                     (double) (self->watched[widest_id].num_values - 1));
    *point_id = widest_id;
    return true;
}

/* ---- What is left, and how long it takes ---- */

#define MAX_POINTS 32 /* that are measured */

/* ---- What is left ---- */

/* The replications of a point in the shard's batches of a round that are not there. */
static int64_t num_missing(const rounds_t *rounds, const spot_store_t *store, size_t point_id)
{
    const int64_t *batches = &rounds->first_batches[point_id];
    int64_t num = 0;

    for (int64_t j = batches[0] > rounds->first_batch ? batches[0] : rounds->first_batch;
         j < batches[1] && j < rounds->end_batch; j++) {
        const batch_t batch = rounds_batch_of(rounds, point_id, j);
        const int64_t num_rows = batch.end - batch.first;
        const int64_t num_there =
            store == NULL ? 0 : store->num_there(store, point_id, batch.first);

        num += num_there < num_rows ? num_rows - num_there : 0;
    }
    return num;
}

/* Points of the round may go on to the most that the study asks for; with a count they
 * are there after this round. */
static void look_at_round(
    const rounds_t *rounds, const spot_store_t *store, spot_study_left_t *left)
{
    const spot_study_head_t *head = rounds->head;

    *left = (spot_study_left_t){.num_there = 0};
    for (size_t j = 0; j < head->num_points; j++) {
        const int64_t *batches = &rounds->first_batches[j];
        const int64_t there = store == NULL ? 0 : store->num_rows(store, j);
        const int64_t least = num_missing(rounds, store, j);
        const int64_t most = batches[0] == batches[1] ? 0
                             : rounds->to[j] == spot_study_point_replications(head, j)
                                 ? least
                                 : head->num_replications - there;

        left->num_there += there;
        left->least_runs += least;
        left->least_points += least > 0;
        left->most_runs += most;
        left->most_points += most > 0;
    }
}

int spot_study_find_left(const spot_study_t *self, const spot_store_t *store,
    const spot_study_run_t *run, spot_study_left_t *left)
{
    rounds_t rounds;
    bool is_more = true;
    int ret = rounds_start(&rounds, &self->head, run);

    *left = (spot_study_left_t){.num_there = 0};
    while (ret == 0 && is_more && left->least_runs == 0) {
        ret = rounds_next(&rounds, store, &is_more);
        if (ret == 0) {
            look_at_round(&rounds, store, left);
        }
    }
    rounds_free(&rounds);
    return ret;
}

/* ---- The time ---- */

/* Adds the times of a point, whose replications are run until end_s, even more than the
 * study has. The first one fills caches and counts only if it is the only one. Reading
 * the clock takes a tenth of a short run, so the intervals between readings grow. */
static int measure_point(
    const spot_study_t *self, size_t point_id, double end_s, spot_pilot_t *pilot)
{
    const double came_s = spot_clock_thread_s();
    spot_study_worker_t worker = {.study = NULL};
    double started_s, time_s;
    int64_t num = 0;
    int ret = spot_study_worker_go(&worker, self, point_id, NULL);

    started_s = time_s = spot_clock_thread_s();
    pilot->open_s += started_s - came_s;
    while (ret == 0 && (num == 0 || time_s < end_s)) {
        const int64_t end = num + 1 + num / 8;

        started_s = num == 1 ? time_s : started_s;
        for (; ret == 0 && num < end; num++) {
            ret = spot_study_worker_run(&worker, num, NULL, NULL);
        }
        time_s = spot_clock_thread_s();
    }
    pilot->run_s += (time_s - started_s) / (double) (num > 1 ? num - 1 : 1);
    pilot->num_runs += num;
    spot_study_worker_close(&worker);
    return ret;
}

/* The points measured are one in each of num_wanted equal parts, or the next one that
 * can run. Golden-ratio offsets within the parts avoid steps that match the number of
 * values of a key. */
static size_t choose_point(const spot_study_head_t *head, size_t num_wanted, size_t part_id)
{
    const size_t num_points = head->num_points;
    const double golden = 0.6180339887498949;
    const double place = golden * (double) part_id;
    const double part = (double) part_id + place - floor(place);
    size_t point_id = (size_t) (part * (double) num_points / (double) num_wanted);

    point_id = point_id < num_points ? point_id : num_points - 1;
    while (spot_study_cannot_run(head, point_id) != NULL) {
        point_id = (point_id + 1) % num_points;
    }
    return point_id;
}

int spot_study_measure(
    const spot_study_t *self, double budget_s, const spot_watch_t *watch, spot_pilot_t *pilot)
{
    const size_t num_points = self->head.num_points;
    const size_t num_wanted = num_points < MAX_POINTS ? num_points : MAX_POINTS;
    const double started_s = spot_clock_thread_s();
    size_t num = 0;
    int ret = 0;

    *pilot = (spot_pilot_t){.num_runs = 0};
    while (ret == 0 && num < num_wanted &&
           (num == 0 || spot_clock_thread_s() - started_s < budget_s)) {
        const double share = (double) (num + 1) / (double) num_wanted;

        ret = spot_watch_is_stopped(watch)
                  ? SPOT_ERR_INTERRUPTED
                  : measure_point(self, choose_point(&self->head, num_wanted, num),
                        started_s + budget_s * share, pilot);
        num++;
    }
    pilot->num_points = num;
    pilot->open_s /= (double) num;
    pilot->run_s /= (double) num;
    return ret;
}
