/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/study/study.h"

#include <math.h>

#include "base/watch.h"
#include "sim/bench/study/rounds.h"

#define MAX_POINTS 32 /* that are measured */

/* ---- What is left ---- */

/* The replications of a point in the shard's batches of a round that are not there. */
static int64_t num_missing(const spot_rounds_t *rounds, const spot_store_t *store, size_t point_id)
{
    const int64_t *batches = &rounds->first_batches[point_id];
    int64_t num = 0;

    for (int64_t j = batches[0] > rounds->first_batch ? batches[0] : rounds->first_batch;
         j < batches[1] && j < rounds->end_batch; j++) {
        const spot_batch_t batch = spot_rounds_batch_of(rounds, point_id, j);
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
    const spot_rounds_t *rounds, const spot_store_t *store, spot_study_left_t *left)
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
    spot_rounds_t rounds;
    bool is_more = true;
    int ret = spot_rounds_start(&rounds, &self->head, run);

    *left = (spot_study_left_t){.num_there = 0};
    while (ret == 0 && is_more && left->least_runs == 0) {
        ret = spot_rounds_next(&rounds, store, &is_more);
        if (ret == 0) {
            look_at_round(&rounds, store, left);
        }
    }
    spot_rounds_free(&rounds);
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
