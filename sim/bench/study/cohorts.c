/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/study/cohorts.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

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
static void find_ranges(
    const spot_rounds_t *rounds, size_t point_id, int64_t *first_range, int64_t *end)
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
    const spot_cohorts_t *self, const spot_rounds_t *rounds, size_t cohort_id, int64_t *first_range)
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

int64_t spot_cohorts_lay_out(spot_cohorts_t *self, const spot_rounds_t *rounds, int64_t num_threads)
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

spot_cohort_task_t spot_cohorts_task(const spot_cohorts_t *self, int64_t task_id)
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
    return (spot_cohort_task_t){
        .num_points =
            (size_t) (num_points < self->part_points[low] ? num_points : self->part_points[low]),
        .points = &self->points[first + (size_t) place],
        .range = self->first_ranges[low] + (task_id - self->first_tasks[low]) / num_parts};
}

bool spot_cohorts_batch(
    const spot_rounds_t *rounds, const spot_cohort_task_t *task, size_t place, spot_batch_t *batch)
{
    const size_t point_id = task->points[place];
    int64_t first, end;

    find_ranges(rounds, point_id, &first, &end);
    if (task->range < first || task->range >= end) {
        return false;
    }
    *batch = spot_rounds_batch_of(rounds, point_id,
        task->range - rounds->from[point_id] / spot_study_batch_size(rounds->head) +
            rounds->first_batches[point_id]);
    return true;
}
